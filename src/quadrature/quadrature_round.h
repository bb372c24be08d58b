/* quadrature_round.h: the panels of one integral in a launch with what the kernel made of them, and what they tell
 * of the integral. */
#ifndef STATCL_QUADRATURE_ROUND_H
#define STATCL_QUADRATURE_ROUND_H

#include <float.h>
#include <math.h>

#include "engine/exact_sum.h"
#include "kernels/quadrature/quadrature.h"
#include "quadrature/integrand_source.h"
#include "quadrature/quadrature_call.h"
#include "quadrature/quadrature_panels.h"

typedef struct {
  panel_list panel;     /* of the integral alone */
  int m;                /* components */
  double *result;       /* PANEL_RESULTS columns for each component, */
  int64_t stride;       /* which lie so far apart */
  unsigned char *taken; /* panels that are accepted */
} panel_round;

static inline double *round_results(const panel_round *p, int component, int result) {
  return p->result + (PANEL_RESULTS * component + result) * p->stride;
}

/* Sums over panels: of values, their errors, how much of these is rounding, sizes of the values, and what rounding of
 * the panels' ends may be. */
typedef struct {
  exact_sum value;
  double error, floor, size, ends;
} panel_sums;

static inline void panel_sums_add(panel_sums *s, double centre, double half, double value, double error,
                                  double floor) {
  exact_add(&s->value, value);
  s->error += error;
  s->floor += floor;
  s->size += fabs(value);
  s->ends += rounding_of_ends(centre, half, value);
}

/* What is known of a component of an integral. */
typedef struct {
  panel_sums accepted; /* over accepted panels */
  double lost;         /* error of panels that were given up, which accepted.error includes */
  double tolerance;    /* of an earlier start, or infinite */
  double extrapolated, best, best_error;
} component;

/* What a round tells of an integral: of each component the total of all panels, their error, and the part of it that
 * is rounding; the largest ratio of error and tolerance, or 0 if no error is too large; are there panels whose values
 * are not finite, and is one of them, around where, not to be halved any more, or the total not finite? */
typedef struct {
  double total[MAX_OUTPUTS], error[MAX_OUTPUTS], floor[MAX_OUTPUTS], tolerance[MAX_OUTPUTS];
  double worst, where;
  int bad, too_bad;
} estimate;

/* shift: that of the integral in the options, or NULL. */
void round_estimate(const panel_round *p, const component *part, const quadrature_options *o, const double *shift,
                    estimate *e);

/* Adds to errors what rounding of nodes and ends makes of them. */
void round_add_rounding(const panel_round *p);

/* Has panel i values that are not finite? */
static inline int round_is_bad(const panel_round *p, int64_t i) {
  for (int k = 0; k < p->m; k++)
    if (isnan(round_results(p, k, PANEL_VALUE)[i])) return 1;
  return 0;
}
/* Is it the far end of a half-line, not finite beyond where f has become too small to count? */
int round_is_tail(const panel_round *p, int64_t i, const double *tolerance);
/* Has it no room for its nodes? They must not become the ends of the range. */
int round_is_narrow(const panel_round *p, int64_t i, double lower, double upper);
/* Its good neighbour, if it has met a singularity and is too narrow to be halved, or -1; and what the integral over
 * the lost panel may be by that one. */
int64_t round_neighbour_of_lost(const panel_round *p, int64_t i);
double round_lost_error(const panel_round *p, int64_t neighbour, int component);

#endif
