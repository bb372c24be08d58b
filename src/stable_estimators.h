/* stable_estimators.h: estimators of stable laws other than maximum likelihood by derivatives, for batches of series
 * and for its starting values. Laws are of pm = 0. */
#ifndef STATCL_STABLE_ESTIMATORS_H
#define STATCL_STABLE_ESTIMATORS_H

#include "stable.h"

enum { LAW_ALPHA, LAW_BETA, LAW_GAMMA, LAW_DELTA, LAW_PARS };

/* The range in which alpha is looked for is from here to 2. */
#define ESTIMATE_ALPHA_MIN 0.02

/* Observations in increasing order, not all the same; weight: NULL, or positive numbers of times that they count. */
typedef struct {
  int64_t n;
  const double *x, *weight;
  double total; /* of the weights */
} ordered_sample;

/* Each writes a law to par and tells whether it is one: finite, in range. fixed: values to keep, NaN where free. */
typedef int stable_estimator(const ordered_sample *s, const double *fixed, double *par);
stable_estimator stable_mcculloch, stable_logmoment, stable_koutrouvelis, stable_ecf;

double sample_quantile(const ordered_sample *s, double p);

/* A batch. x and weight in any order; a weight may be 0. */
typedef struct {
  int64_t n;
  const double *x, *weight;
  double fixed[LAW_PARS];
  double par[LAW_PARS]; /* the estimate, NaN where there is none */
} estimate_problem;

enum estimate_method {
  ESTIMATE_MCCULLOCH, ESTIMATE_LOGMOMENT, ESTIMATE_KOUTROUVELIS, ESTIMATE_ECF, ESTIMATE_GRID, ESTIMATE_GRID2D
};

/* A series without an estimate stops nothing. */
status stable_estimate(enum estimate_method method, int64_t m, estimate_problem *series);

/* The searches of stable_grid.c, of all series in lock-step. n = 0: no series here, and no law comes out. */
typedef struct {
  ordered_sample sample;
  double fixed[LAW_PARS];
  double par[LAW_PARS];
  double log_lik;
} grid_series;
status stable_grid(int64_t m, grid_series *series, int two_dimensions);

#endif
