/* stable_theta.h: stable distributions in the coordinates in which their likelihood is searched,
 * theta = (log(alpha/(2 - alpha)), atanh(beta), log(gamma), delta/gamma, b/gamma): the boundaries lie at infinity,
 * and steps of the order one are everywhere of the size that matters.
 *
 * gamma and delta are those of S0, smooth through alpha = 1; below alpha = 0.75 delta is that of S1, the point zeta
 * where the density becomes a sharp peak as alpha -> 0: there S0's delta hardly varies independently of alpha and
 * beta. */
#ifndef STATCL_STABLE_THETA_H
#define STATCL_STABLE_THETA_H

#include "stable/stable_sample.h"

/* frame: the parameterisation of gamma and delta. */
typedef struct {
  double alpha, beta, gamma, delta;
  int frame;
  double *b; /* memory that belongs to the place where the distribution is kept: fit_put() copies */
} fit_distribution;

/* Which coordinates of a problem move; those of the columns always do. */
typedef struct {
  const fit_problem *p;
  int size; /* of theta */
  int free[STABLE_PARS];
  double smallest_alpha;
} fit_theta;

/* Log likelihood, its gradient, minus its second derivatives, and the sum of squares of the scores. Matrices follow g
 * in memory. */
typedef struct {
  double ll, *g, *info, *scores;
} fit_slope;

/* Takes n numbers of memory after those that are used; memory NULL only counts them. */
static inline double *fit_take(double *memory, int64_t *used, int64_t n) {
  double *at = memory ? memory + *used : NULL;
  *used += n;
  return at;
}
/* Memory for the numbers of slopes and distributions. */
void fit_slope_take(const fit_theta *t, fit_slope *slope, double *memory, int64_t *used);
void fit_distributions_take(const fit_theta *t, fit_distribution *distribution, int n, double *memory, int64_t *used);
void fit_slope_put(const fit_theta *t, fit_slope *to, const fit_slope *from);
void fit_slope_clear(const fit_theta *t, fit_slope *slope);

static inline int fit_is_free(const fit_theta *t, int j) { return j >= STABLE_PARS || t->free[j]; }
/* All that the problem does not fix. */
void fit_free_all(fit_theta *t);

/* Keeps a distribution in a place. */
void fit_put(const fit_theta *t, fit_distribution *to, fit_distribution distribution);
/* The distribution moved along step in theta. */
void fit_move(const fit_theta *t, const fit_distribution *distribution, const double *step, double share,
              fit_distribution *to);

/* From S0 to S1 and back; at alpha = 1 the distribution stays in S0. */
fit_distribution fit_reframed(fit_distribution distribution, int frame);
/* The frame to search in; a fixed delta, or a fixed gamma of pm = 2, must be a coordinate of it. */
int fit_best_frame(const fit_problem *p, const fit_distribution *distribution);
/* The distribution in that frame, with fixed values put in. */
status fit_pin(const fit_problem *p, fit_distribution *distribution);
/* The start that the problem gives, in S0 and off the boundaries; distribution->b stays. */
status fit_given_start(const fit_theta *t, fit_distribution *distribution);
/* alpha of a climb's start that is to be above the smallest. */
double fit_above_smallest(const fit_theta *t, double alpha);

/* Has a one-sided distribution all observations inside, as far as a coordinate can move its end? */
int fit_covers(const fit_theta *t, const fit_sample *s, const fit_distribution *distribution);
/* The distribution with its end beside all of them, at a distance of share scales; with a fixed location the scale
 * moves it. */
fit_distribution fit_with_end(const fit_theta *t, const fit_sample *s, fit_distribution distribution, double share);

#endif
