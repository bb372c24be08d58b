/* stable_fit.h: maximum likelihood for one sample from a stable law. */
#ifndef STATCL_STABLE_FIT_H
#define STATCL_STABLE_FIT_H

#include "stable.h"

enum { FIT_ALPHA, FIT_BETA, FIT_GAMMA, FIT_DELTA, FIT_PARS };

/* Smallest alpha that is searched: with delta at an observation the likelihood grows without bound as alpha -> 0. */
#define FIT_ALPHA_MIN 0.02 /* smallest_alpha in R/stable-fit.R */

typedef struct {
  int64_t n;
  const double *x, *weight; /* weight: NULL, or the positive number of times that each observation counts */
  int pm;                   /* parameterisation of everything given and reported */
  int fixed[FIT_PARS];      /* parameters held at value */
  int started;              /* value holds a start for the others */
  double value[FIT_PARS];
} fit_problem;

typedef struct {
  double par[FIT_PARS];
  double cov[FIT_PARS * FIT_PARS]; /* inverse observed information; NaN where fixed or on a boundary */
  int boundary[FIT_PARS];          /* -1, 1: on the lower, upper boundary */
  double log_lik;
  int iterations, converged;
  int64_t densities; /* evaluated on the way */
} fit_result;

status stable_fit(const fit_problem *problem, fit_result *result);

/* ---- shared by stable_fit.c, stable_slope.c and stable_start.c ---- */

/* A law in the form that the search uses: frame is the parameterisation of gamma and delta. */
typedef struct {
  double alpha, beta, gamma, delta;
  int frame;
} fit_law;

/* A search: the problem, the parameters that are free at the moment, room for a slab of observations, and a sample
 * of equal weights for the starts. */
typedef struct {
  const fit_problem *p;
  double total; /* of the weights */
  int free[FIT_PARS];
  double *x, *f, *sorted; /* points of a slab, their log densities, m observations in order */
  int64_t m;
  double low, high; /* the extremes of all observations */
  int64_t slab, densities;
  int iterations, rounds; /* steps taken and tried */
} fit;

/* Log likelihood, its gradient, minus its second derivatives, and the sum of squares of the scores. */
typedef struct {
  double ll, g[4], info[4][4], scores[4][4];
} fit_slope;

enum { FIT_BLOCKS = 13 };
status fit_open(fit *f, const fit_problem *p);
void fit_close(fit *f);
/* Log likelihoods of m <= FIT_BLOCKS laws of one frame; -Inf where an observation is outside the support. */
status fit_log_likelihoods(fit *f, const fit_law *law, int m, double *ll);
/* ... and derivatives in theta (see stable_fit.c) of one law. */
status fit_differentiate(fit *f, const fit_law *law, fit_slope *d);
double fit_logit(double alpha);
double fit_unlogit(double a);

/* T = beta tan(pi alpha/2), accurate near alpha = 1 and 2; 0 at alpha = 1. */
double fit_t(double alpha, double beta);

/* In [0, 1), for choices that should not follow the order of a sample; the same in every run. */
double fit_uniform(uint32_t *state);

/* Makes up to FIT_STARTS starting laws (frame 0) from the sample in order, and tells how many;
 * alpha, beta: given values, or NaN. */
enum { FIT_STARTS = 4 };
int fit_starts(int64_t n, const double *sorted, double alpha, double beta, fit_law *start);

#endif
