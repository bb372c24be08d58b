/* quadrature.h: the 21-point Gauss-Kronrod rule on a block of panels, for the kernel and for the host side.
 *
 * A panel is a piece of the variable t: x = t where kind is 0, and x = anchor + kind (1 - t)/t, dx = |kind| dt/t^2,
 * on the half-lines beyond anchor, whose far end is t = 0: there t, and with it x, keeps its digits. The sign of kind
 * is their direction, and its size their scale. */
#ifndef STATCL_QUADRATURE_H
#define STATCL_QUADRATURE_H

#include "kernels/common/elementary.h"
#include "kernels/quadrature/quadrature_coef.h"

#define NODES 21
/* Columns of a panel, and of its results: see panel_rule and panel_ends. */
enum { PANEL_CENTRE, PANEL_RADIUS, PANEL_KIND, PANEL_ANCHOR, PANEL_ROUGH, PANEL_ROW, PANEL_COLUMNS };
enum {
  PANEL_VALUE,
  PANEL_ERROR,
  PANEL_FLOOR,
  PANEL_LOW,
  PANEL_LOW_SLOPE,
  PANEL_HIGH,
  PANEL_HIGH_SLOPE,
  PANEL_RESULTS
};
enum { NULL_RULES = 12, ODD_RULE = 10, HALF_NODES = 11 }; /* of degrees 9 to 20; the centre and the nodes above it */
#define ODD_SHARE K(0.01) /* enough to see a jump, and nothing for f that the rules have resolved */
#define ROUGHLY K(10.0)   /* covers a jump anywhere */
#define REST_SHARE K(4.0) /* of four null rules: what noise, waves and kinks leave is covered */
DEV_CONST real kronrod_node[NODES] = {KRONROD_NODES};
DEV_CONST real kronrod_weight[NODES] = {KRONROD_WEIGHTS};
DEV_CONST real gauss_weight[NODES] = {GAUSS_WEIGHTS};
DEV_CONST real null_weight[NULL_RULES * HALF_NODES] = {NULL_WEIGHTS};
DEV_CONST real end_weight[NODES] = {END_WEIGHTS};
DEV_CONST real end_slope_weight[NODES] = {END_SLOPE_WEIGHTS};

/* The point of a panel's node k, and dx/dt there times the radius. */
DEV_FN real panel_node(real centre, real radius, real kind, real anchor, i32 k, real *scale) {
  const real t = FMA(radius, kronrod_node[k], centre), v = K(1.0) / t, by_t = radius * v * v * fabs(kind);
  const real x = FMA(kind * (K(1.0) - t), v, anchor); /* a call that is made in one branch alone would be a branch */
  const flag finite = kind == K(0.0);
  *scale = finite ? radius : by_t;
  return finite ? t : x;
}

/* Those at [k * LANES + l], k < NODES. */
DEV_BLOCK_FN void panel_nodes(const real *centre, const real *radius, const real *kind, const real *anchor, real *x,
                              real *scale) {
  OVER_FEW for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l) {
      real by;
      x[k * LANES + l] = panel_node(centre[l], radius[l], kind[l], anchor[l], k, &by);
      scale[k * LANES + l] = by;
    }
}

/* exp(f - off) there, for kernels with logarithms. */
__attribute__((unused)) DEV_BLOCK_FN void panel_exp(const real *f, const real *off, real *to) {
  OVER_FEW for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l) to[k * LANES + l] = exp_(f[k * LANES + l] - off[l]);
}

/* Of values: those of null rules of degrees 9 to 20, in turn odd and even. */
FUSE_FROM_HERE
DEV_BLOCK_FN void panel_null_rules(const real *g, real *rule) {
  FUSE
  for (i32 l = 0; l < LANES; l += PACK) {
    pack odd[HALF_NODES], even[HALF_NODES];
    odd[0] = PACK_ZERO;
    even[0] = pack_in(g + (HALF_NODES - 1) * LANES + l);
    OVER_FEW for (i32 k = 1; k < HALF_NODES; k++) {
      const pack y = pack_in(g + (HALF_NODES - 1 + k) * LANES + l), z = pack_in(g + (HALF_NODES - 1 - k) * LANES + l);
      odd[k] = y - z;
      even[k] = y + z;
    }
    OVER_FEW for (i32 j = 0; j < NULL_RULES; j += 2) {
      pack first = PACK_ZERO, second = PACK_ZERO;
      OVER_FEW for (i32 k = 0; k < HALF_NODES; k++) {
        first = PACK_FMA(odd[k], null_weight[j * HALF_NODES + k], first);
        second = PACK_FMA(even[k], null_weight[(j + 1) * HALF_NODES + k], second);
      }
      pack_out(first, rule + j * LANES + l);
      pack_out(second, rule + (j + 1) * LANES + l);
    }
  }
}
FUSE_TO_HERE

/* What components that are not resolved may have in the integral. The null rules in groups tell how fast those of
 * f decrease: at the slowest of these paces they go on to degree 28 (J. Berntsen and T. O. Espelid, Error estimation
 * in automatic quadrature routines, ACM TOMS 17, 1991). What oscillates, jumps or bends under something large that is
 * smooth does not decrease. */
DEV_BLOCK_FN void panel_rest(const real *rule, real *rest) {
  LANE_LOOP(l) {
    const real *r = rule + l;
    const real a = fabs(r[0]) + fabs(r[LANES]) + fabs(r[2 * LANES]) + fabs(r[3 * LANES]);
    const real b = fabs(r[4 * LANES]) + fabs(r[5 * LANES]) + fabs(r[6 * LANES]) + fabs(r[7 * LANES]);
    const real c = fabs(r[8 * LANES]) + fabs(r[9 * LANES]), d = fabs(r[10 * LANES]) + fabs(r[11 * LANES]);
    const real first = a > b ? b / a : K(1.0), second = b > c + d ? (c + d) / b : K(1.0);
    const real last = c > d ? d / c : K(1.0), pace = max_(max_(first, second), last * last);
    rest[l] = REST_SHARE * (c + d) * pace * pace;
  }
}

/* Of the values f there: the integral; its error by QUADPACK's formula, which takes the difference of the two rules
 * for the error of the lower one (R. Piessens et al., QUADPACK, 1983, subroutine qk21) and is at least *least, 50
 * rounding errors of the integral of |f|. Both rules are blind to the odd part of f about the centre, which jumps in
 * symmetric places are for them: the null rule of degree 19 watches it. The power 3/2 of the formula is for what is
 * smooth as a whole: see panel_rest().
 * Where rough is not 0 and a difference is far above rounding, nothing about f is smooth, and the formula's power 3/2
 * has no ground: the error goes with both differences. A value that is not finite makes error infinite, value NaN,
 * and least the x where it was met. Where f is 0, it is 0 however fast x runs. */
DEV_BLOCK_FN void panel_rule(const real *f, const real *x, const real *scale, const real *rough, real *value,
                             real *error, real *least) {
  real high[LANES], low[LANES], size[LANES], spread[LANES], where[LANES], bad[LANES], rest[LANES];
  real scaled[NODES * LANES], rule[NULL_RULES * LANES];
  LANE_LOOP(l) high[l] = low[l] = size[l] = spread[l] = where[l] = bad[l] = K(0.0);
  OVER_FEW for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l) {
      const real y = f[k * LANES + l], g = y == K(0.0) ? K(0.0) : y * scale[k * LANES + l];
      const flag finite = fabs(g) <= REAL_MAX_, first = !finite & (bad[l] == K(0.0));
      const real use = finite ? g : K(0.0);
      scaled[k * LANES + l] = use;
      where[l] = first ? x[k * LANES + l] : where[l];
      bad[l] = finite ? bad[l] : K(1.0);
      high[l] = FMA(kronrod_weight[k], use, high[l]);
      low[l] = FMA(gauss_weight[k], use, low[l]);
      size[l] = FMA(kronrod_weight[k], fabs(use), size[l]);
    }
  OVER_FEW for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l)
      spread[l] = FMA(kronrod_weight[k], fabs(FMA(K(-0.5), high[l], scaled[k * LANES + l])), spread[l]);
  panel_null_rules(scaled, rule);
  panel_rest(rule, rest);
  LANE_LOOP(l) {
    const real apart = fabs(high[l] - low[l]), aside = fabs(rule[ODD_RULE * LANES + l]), all = spread[l];
    const real off = max_(apart, ODD_SHARE * aside), unsmooth = min_(all, ROUGHLY * (apart + aside));
    const flag flat = !(all > K(0.0));
    const real r = K(200.0) * off / (flat ? K(1.0) : all), steep = r * sqrt(r);
    /* and where values times their weights are denormal, their rounding */
    const real bottom = max_(K(50.0) * K(2.220446049250313e-16) * size[l], size[l] > K(0.0) ? K(1e-322) : K(0.0));
    const flag above = r >= K(1.0), seen = apart + aside > K(1e-6) * all;
    const flag steps = (rough[l] != K(0.0)) & seen;
    const real by_formula = above ? all : max_(all * steep, min_(all, rest[l])), smooth = flat ? off : by_formula;
    const real larger = max_(smooth, unsmooth), e = steps ? larger : smooth;
    const flag whole = bad[l] == K(0.0);
    value[l] = whole ? high[l] : NAN_;
    error[l] = whole ? max_(e, bottom) : INF_;
    least[l] = whole ? bottom : where[l];
  }
}

/* Of the polynomial through the values f: value and slope, per radius, at both ends of the panel. */
FUSE_FROM_HERE
DEV_BLOCK_FN void panel_ends(const real *f, real *low, real *low_slope, real *high, real *high_slope) {
  FUSE
  for (i32 l = 0; l < LANES; l += PACK) {
    pack below = PACK_ZERO, below_slope = PACK_ZERO, above = PACK_ZERO, above_slope = PACK_ZERO;
    OVER_FEW for (i32 k = 0; k < NODES; k++) {
      const pack y = pack_in(f + k * LANES + l), z = pack_in(f + (NODES - 1 - k) * LANES + l);
      below = PACK_FMA(z, end_weight[k], below);
      below_slope = PACK_FMA(z, -end_slope_weight[k], below_slope);
      above = PACK_FMA(y, end_weight[k], above);
      above_slope = PACK_FMA(y, end_slope_weight[k], above_slope);
    }
    pack_out(below, low + l);
    pack_out(below_slope, low_slope + l);
    pack_out(above, high + l);
    pack_out(above_slope, high_slope + l);
  }
}
FUSE_TO_HERE

/* ---- first panels of an integral, and what panels tell of it: for the host side, and for quad_first ---- */

#define QUAD_EPS_ K(2.220446049250313e-16)

typedef struct {
  real centre, radius, kind, anchor;
} quad_panel;

/* Panel i of so many equal ones between two points of t. */
DEV_FN quad_panel panel_of_piece(real from, real to, real kind, real anchor, i32 panels, i32 i) {
  const real width = to - from, n = (real)panels; /* may overflow */
  const real of_width = K(0.5) * (width / n), of_ends = K(0.5) * to / n - K(0.5) * from / n;
  const real radius = fabs(width) <= REAL_MAX_ ? of_width : of_ends;
  const flag from_top = fabs(to) < fabs(from); /* by the end nearest 0, for t to have all its digits there */
  const real by_top = to - (K(2.0) * (real)(panels - 1 - i) + K(1.0)) * radius;
  const real by_bottom = from + (K(2.0) * (real)i + K(1.0)) * radius, centre = from_top ? by_top : by_bottom;
  const quad_panel p = {centre, radius, kind, anchor};
  return p;
}

/* A half-line has from its end on so many panels of x itself up to a distance of 1, or what can be told from the end,
 * one for each tenfold step from there to one of the size of the end, which is its unit, and the others beyond, of t
 * in units of that. */
DEV_FN real half_line_unit(real end) { return max_(K(1.0), fabs(end)); }
DEV_FN i32 half_line_near(i32 panels) { return panels > 1 ? panels / 2 : 1; }
DEV_FN i32 half_line_beyond(i32 panels) { return panels > 1 ? panels - panels / 2 : 1; }

/* An end of a panel is off by half a unit of its last digit at most: what that may make of the integral. */
DEV_FN real rounding_of_ends(real centre, real radius, real value) {
  return K(0.5) * QUAD_EPS_ * fabs(centre / radius * value);
}

/* Adds to an error what rounding of nodes and ends makes of it. Of narrow panels far from 0 rounding may be more than
 * the rest. No rule sees what it does to the ends: the share is what peaks of all widths and places show. In values
 * at nodes it is noise, of which null rules make up to NODE_NOISE times what it does to the integral. */
#define NODE_NOISE K(8.0)
DEV_FN void add_rounding(real ends, real *error, real *least) {
  const real more = ends == ends ? ends : K(0.0), e = *error < K(0.3) * ends ? K(0.3) * ends : *error;
  *least = ends <= *least ? *least : *least + more;
  *error = ((e > ends) & (e < NODE_NOISE * ends)) ? ends : e;
}

/* The tolerance of an integral of absolute value size, by sums over panels: how much of their errors is rounding,
 * their sizes, rounding of ends. A total that rounding hides is 0 as far as one can see, unless it hides most of what
 * there is, as next to a pole. */
DEV_FN real tolerance_of(real size, real least, real sizes, real ends, real relative, real absolute, real most) {
  const real by_size = relative * size, larger = by_size < absolute ? absolute : by_size;
  const real t = larger > most ? most : larger, hidden = K(4.0) * least;
  const flag seen = (ends <= K(1e-3) * sizes) | (K(2.0) * ends <= least);
  return ((size <= hidden) & (t < hidden) & seen) ? hidden : t;
}

/* The ends of a panel in x, how far before them the outermost nodes are, and dx per radius at the first and the last
 * point of t. On the way up to infinity x falls as t rises. */
#define FIRST_NODE K(0.00434) /* the outermost, in radii from the end */
typedef struct {
  real low, high, low_gap, high_gap, by_first, by_last;
} panel_span;
DEV_FN panel_span span_of_x(real centre, real radius) {
  const real gap = FIRST_NODE * radius;
  const panel_span s = {centre - radius, centre + radius, gap, gap, radius, radius};
  return s;
}
DEV_FN panel_span span_of_t(real centre, real radius, real kind, real anchor) {
  const real first = centre - radius, last = centre + radius;
  const flag turned = kind > K(0.0), endless = !(first > K(0.01) * radius);
  const real by_first = -kind * radius / (first * first), by_last = -kind * radius / (last * last);
  const real far = anchor + kind * (endless ? INF_ : (K(1.0) - first) / first);
  const real near = anchor + kind * ((K(1.0) - last) / last);
  const real far_gap = endless ? K(0.0) : FIRST_NODE * fabs(by_first), near_gap = FIRST_NODE * fabs(by_last);
  const panel_span s = {turned ? near : far,         turned ? far : near, turned ? near_gap : far_gap,
                        turned ? far_gap : near_gap, by_first,            by_last};
  return s;
}

/* What a jump or a kink beside a border may hide, above the errors that the panels at both sides are known to have:
 * by how much values and slopes differ there, and the wider gap between the outermost nodes and it. */
DEV_FN real hidden_by(real gap, real jump, real bend, real left_error, real right_error) {
  const real hidden = gap * jump + K(0.5) * gap * gap * bend - left_error - right_error;
  return ((hidden > K(0.0)) & (hidden <= REAL_MAX_)) ? hidden : K(0.0);
}

#endif
