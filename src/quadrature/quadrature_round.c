/* quadrature_round.c: see quadrature_round.h. */
#include "quadrature/quadrature_round.h"

#include <float.h>
#include <math.h>

enum {
  BAD_TWICE = 3, /* a panel with a value that is not finite is halved twice, then reported */
  FAR_OUT = 10,  /* halvings of such a panel towards infinity */
  LOST = 512     /* rounding errors of x: a panel so narrow with a value that is not finite is given up */
};

int round_is_tail(const panel_round *p, int64_t i, const double *tolerance) {
  const panel_list *a = &p->panel;
  const int64_t next = a->kind[i] > 0 ? i - 1 : i + 1; /* on the way back from infinity */
  if (a->kind[i] == 0 || a->centre[i] - a->half[i] > 0.5 * a->half[i] || a->bad[i] + 1 < BAD_TWICE) return 0;
  if (next < 0 || next >= a->n || !panels_adjoin(a, i, next) || round_is_bad(p, next)) return 0;
  for (int k = 0; k < p->m; k++) {
    const double value = round_results(p, k, PANEL_VALUE)[next], error = round_results(p, k, PANEL_ERROR)[next];
    if (!(fabs(value) + error <= 1e-6 * tolerance[k])) return 0;
  }
  return 1;
}

int round_is_narrow(const panel_round *p, int64_t i, double lower, double upper) {
  const double centre = p->panel.centre[i], half = p->panel.half[i];
  const int at_end = p->panel.kind[i] == 0 && (centre - half <= lower || centre + half >= upper);
  return half <= (at_end ? 128 : 4) * DBL_EPSILON * fabs(centre);
}

int64_t round_neighbour_of_lost(const panel_round *p, int64_t i) {
  const panel_list *a = &p->panel;
  if (!round_is_bad(p, i) || a->half[i] > LOST * DBL_EPSILON * fabs(a->centre[i])) return -1;
  for (int64_t k = i - 1; k <= i + 1; k += 2)
    if (k >= 0 && k < a->n && a->half[k] == a->half[i] && panels_adjoin(a, k, i) && !round_is_bad(p, k)) return k;
  return -1;
}

double round_lost_error(const panel_round *p, int64_t neighbour, int component) {
  return 10 * fabs(round_results(p, component, PANEL_VALUE)[neighbour]);
}

void round_add_rounding(const panel_round *p) {
  for (int k = 0; k < p->m; k++) {
    const double *value = round_results(p, k, PANEL_VALUE);
    double *error = round_results(p, k, PANEL_ERROR), *floor = round_results(p, k, PANEL_FLOOR);
    for (int64_t i = 0; i < p->panel.n; i++)
      add_rounding(rounding_of_ends(p->panel.centre[i], p->panel.half[i], value[i]), error + i, floor + i);
  }
}

static void look_for_bad(const panel_round *p, estimate *e) {
  const panel_list *a = &p->panel;
  for (int64_t i = 0; i < a->n; i++) {
    const int limit = a->kind[i] != 0 && a->centre[i] <= 1.5 * a->half[i] ? FAR_OUT : BAD_TWICE;
    if (!round_is_bad(p, i) || round_is_tail(p, i, e->tolerance) || round_neighbour_of_lost(p, i) >= 0) continue;
    e->bad = 1;
    if (a->bad[i] + 1 < limit || e->too_bad) continue;
    e->too_bad = 1;
    for (int k = 0; k < p->m; k++)
      if (isnan(round_results(p, k, PANEL_VALUE)[i])) e->where = round_results(p, k, PANEL_FLOOR)[i];
  }
}

/* Adds to sums of a component those over the panels of the round; nonzero where some are not finite. */
static int sum_up(const panel_round *p, int component, panel_sums *sums) {
  const double *value = round_results(p, component, PANEL_VALUE), *error = round_results(p, component, PANEL_ERROR);
  const double *floor = round_results(p, component, PANEL_FLOOR);
  panel_sums s = *sums;
  int some_bad = 0;
  for (int64_t i = 0; i < p->panel.n; i++) {
    if (isnan(value[i])) {
      const int64_t neighbour = round_neighbour_of_lost(p, i);
      if (neighbour >= 0) s.error += round_lost_error(p, neighbour, component);
      some_bad = 1;
    } else {
      panel_sums_add(&s, p->panel.centre[i], p->panel.half[i], value[i], error[i], floor[i]);
    }
  }
  *sums = s;
  return some_bad;
}

void round_estimate(const panel_round *p, const component *part, const quadrature_options *o, const double *shift,
                    estimate *e) {
  int some_bad = 0, overflow = 0;
  e->worst = 0;
  e->bad = e->too_bad = 0;
  e->where = NAN;
  for (int k = 0; k < p->m; k++) {
    const double of_log = shift ? 10 * DBL_EPSILON * fabs(shift[k]) : 0; /* rounding, if f is given by that */
    panel_sums s = part[k].accepted;
    some_bad |= sum_up(p, k, &s);
    const double total = exact_total(s.value), size = fabs(total);
    const double t = tolerance_of(size, s.floor, s.size, s.ends, fmax(o->rel, of_log), o->abs, part[k].tolerance);
    e->total[k] = total;
    e->error[k] = s.error;
    e->floor[k] = s.floor;
    e->tolerance[k] = t;
    if (!isfinite(size) || !isfinite(s.error)) overflow = 1;
    if (!(s.error <= t)) {
      const double ratio = t > 0 ? s.error / t : INFINITY;
      if (!(ratio <= e->worst)) e->worst = ratio;
    }
  }
  if (some_bad) look_for_bad(p, e);
  if (overflow) e->bad = e->too_bad = 1;
  if (e->bad) e->worst = INFINITY;
}
