/* quad_first.cl: integrals of a translated integrand of one component that their first panels are enough for, an
 * integral a point. The number of these panels, the integral from the lower to the upper limit, which may come either
 * way, and its error; or 0 panels where they are not enough, or where something else than sums and borders is to be
 * judged, which is for the host (src/quadrature/quadrature_integral.c): it does the same by the same functions of
 * quadrature.h, in the same order. There are no break points, and no logarithms. */
#include "kernels/quadrature/panel_values.h"

/* Distances of the tenfold steps from the end of a half-line whose unit is at most 1e11. */
#define STEPS 13
DEV_CONST real tenfold[STEPS + 1] = {K(1e0), K(1e1), K(1e2), K(1e3),  K(1e4),  K(1e5),  K(1e6),
                                     K(1e7), K(1e8), K(1e9), K(1e10), K(1e11), K(1e12), K(1e13)};

/* Which panels an integral begins with, a finite range with so many, half-lines with so many near their end, steps
 * and beyond; and how many they are. What is cut at 0 has two half-lines. */
typedef struct {
  real lower, upper;
  i32 panels, steps, of_half_line, count;
} quad_range;
DEV_FN quad_range range_of(real lower, real upper, i32 on_range, i32 on_half_line, i32 on_line) {
  const flag down = fabs(lower) == INF_, up = fabs(upper) == INF_;
  const i32 panels = (down & up) ? on_line : (down | up) ? on_half_line : on_range;
  const real unit = half_line_unit((down & up) ? K(0.0) : down ? upper : lower);
  i32 steps = 1;
  OVER_FEW for (i32 i = 0; i < STEPS; i++) steps += tenfold[i] < unit ? 1 : 0;
  const i32 c = half_line_near(panels) + steps - 1 + half_line_beyond(panels);
  const quad_range r = {lower, upper, panels, steps, c, (down & up) ? 2 * c : (down | up) ? c : panels};
  return r;
}

/* Panel k by x. */
DEV_FN quad_panel panel_of_range(quad_range r, i32 k) {
  const flag down = fabs(r.lower) == INF_, up = fabs(r.upper) == INF_, endless = down | up;
  const flag downwards = down & (!up | (k < r.of_half_line));
  const i32 near = half_line_near(r.panels), beyond = half_line_beyond(r.panels);
  const i32 place = (down & up & !downwards) ? k - r.of_half_line : k;
  const i32 from_end = downwards ? r.of_half_line - 1 - place : place, far = from_end - near - (r.steps - 1);
  const i32 later = from_end - near + 1, step = later < 0 ? 0 : later > STEPS ? STEPS : later;
  const flag by_t = endless & (far >= 0), stepped = step > 0;
  const real end = (down & up) ? K(0.0) : down ? r.upper : r.lower, direction = downwards ? K(-1.0) : K(1.0);
  const real unit = half_line_unit(end), last = min_(tenfold[stepped ? step - 1 : 0], unit);
  const real a = stepped ? end + direction * last : end, b = end + direction * min_(tenfold[step], unit);
  const real from = endless ? (by_t ? K(0.0) : min_(a, b)) : r.lower;
  const real to = endless ? (by_t ? K(0.5) : max_(a, b)) : r.upper;
  const i32 panels = by_t ? beyond : stepped ? 1 : near;
  const i32 i = by_t ? beyond - 1 - far : stepped ? 0 : downwards ? near - 1 - from_end : from_end;
  return panel_of_piece(from, to, by_t ? direction * unit : K(0.0), by_t ? end : K(0.0),
                        endless ? panels : r.panels, endless ? i : k);
}

/* A panel of each lane, with what is known of it; sums over panels by x, and what the last one was. */
typedef struct {
  real centre[LANES], radius[LANES], kind[LANES], anchor[LANES], value[LANES], error[LANES], least[LANES];
  real low[LANES], low_slope[LANES], high[LANES], high_slope[LANES];
} lane_panels;
typedef struct {
  real sum[LANES], lost[LANES], errors[LANES], leasts[LANES], sizes[LANES], ends[LANES], hidden[LANES], enough[LANES];
  real value[LANES], slope[LANES], error[LANES], low[LANES], high[LANES], gap[LANES];
} lane_sums;

DEV_BLOCK_FN void sums_begin(lane_sums *s) {
  LANE_LOOP(l) {
    s->sum[l] = s->lost[l] = s->errors[l] = s->leasts[l] = s->sizes[l] = s->ends[l] = s->hidden[l] = K(0.0);
    s->value[l] = s->slope[l] = s->error[l] = s->gap[l] = K(0.0);
    s->low[l] = s->high[l] = -INF_;
  }
}

/* Panel k, where a lane has so many; those of the others change nothing that counts. */
DEV_BLOCK_FN void sums_add(lane_sums *s, const lane_panels *p, i32 k, const i32 *count) {
  LANE_LOOP(l) {
    const panel_span of_x = span_of_x(p->centre[l], p->radius[l]);
    const panel_span of_t = span_of_t(p->centre[l], p->radius[l], p->kind[l], p->anchor[l]);
    const flag by_x = p->kind[l] == K(0.0), turned = p->kind[l] > K(0.0), counts = k < count[l];
    const real value = p->value[l], off = rounding_of_ends(p->centre[l], p->radius[l], value);
    const real first_slope = p->low_slope[l] / (by_x ? of_x.by_first : of_t.by_first);
    const real last_slope = p->high_slope[l] / (by_x ? of_x.by_last : of_t.by_last);
    const real at_low = turned ? p->high[l] : p->low[l], slope_low = turned ? last_slope : first_slope;
    const real low = by_x ? of_x.low : of_t.low, gap = max_(s->gap[l], by_x ? of_x.low_gap : of_t.low_gap);
    const flag in_order = (k == 0) | (low > s->low[l]), border = (k > 0) & !(fabs(s->high[l]) == INF_);
    real error = p->error[l], least = p->least[l], more;
    add_rounding(off, &error, &least);
    const real bend = fabs(s->slope[l] - slope_low);
    const real here = hidden_by(gap, fabs(s->value[l] - at_low), bend, s->error[l], error);
    const real next = two_sum(s->sum[l], value, &more);
    s->enough[l] = (!counts | (in_order & (value == value))) ? s->enough[l] : K(0.0);
    s->hidden[l] += (counts & border) ? here : K(0.0);
    s->sum[l] = counts ? next : s->sum[l];
    s->lost[l] += counts ? more : K(0.0);
    s->errors[l] += counts ? error : K(0.0);
    s->leasts[l] += counts ? least : K(0.0);
    s->sizes[l] += counts ? fabs(value) : K(0.0);
    s->ends[l] += counts ? off : K(0.0);
    s->value[l] = turned ? p->low[l] : p->high[l];
    s->slope[l] = turned ? first_slope : last_slope;
    s->error[l] = error;
    s->low[l] = low;
    s->high[l] = by_x ? of_x.high : of_t.high;
    s->gap[l] = by_x ? of_x.high_gap : of_t.high_gap;
  }
}

KERNEL(quad_first) {
  OVER_POINTS;
  PANEL_ROOM;
  quad_range range[LANES];
  lane_panels p;
  lane_sums s;
  real rough[LANES];
  i32 row[LANES], count[LANES], most = 0;
  sums_begin(&s);
  for (i32 l = 0; l < LANES; l++) {
    const real a = IN(FIRST_LOWER, idx[l]), b = IN(FIRST_UPPER, idx[l]);
    range[l] = range_of(min_(a, b), max_(a, b), (i32)par[PAR_ON_RANGE], (i32)par[PAR_ON_HALF_LINE],
                        (i32)par[PAR_ON_LINE]);
    row[l] = (i32)offset + idx[l];
    count[l] = range[l].count;
    most = count[l] > most ? count[l] : most;
    s.enough[l] = (((a < b) | (a > b)) & (range[l].steps < STEPS)) ? K(1.0) : K(0.0);
    rough[l] = K(0.0);
  }
  ROLLED for (i32 k = 0; k < most; k++) {
    for (i32 l = 0; l < LANES; l++) {
      const quad_panel at = panel_of_range(range[l], k < count[l] ? k : count[l] - 1);
      p.centre[l] = at.centre;
      p.radius[l] = at.radius;
      p.kind[l] = at.kind;
      p.anchor[l] = at.anchor;
    }
    PANEL_VALUES(p.centre, p.radius, p.kind, p.anchor, row);
    const real *f = INTEGRAND_VALUE(0);
    panel_rule(f, x, scale, rough, p.value, p.error, p.least);
    panel_ends(f, p.low, p.low_slope, p.high, p.high_slope);
    sums_add(&s, &p, k, count);
  }
  for (i32 l = 0; l < LANES; l++) {
    const real total = s.sum[l] + s.lost[l], size = fabs(total), error = s.errors[l];
    const real t = tolerance_of(size, s.leasts[l], s.sizes[l], s.ends[l], par[PAR_RELATIVE], par[PAR_ABSOLUTE], INF_);
    const flag good = (error <= t) & (size <= REAL_MAX_) & (error <= REAL_MAX_) & (s.hidden[l] <= K(0.1) * t);
    OUT(FIRST_COUNT, idx[l]) = (good & (s.enough[l] != K(0.0))) ? (real)count[l] : K(0.0);
    OUT(FIRST_VALUE, idx[l]) = total;
    OUT(FIRST_ERROR, idx[l]) = error + s.hidden[l];
  }
}
