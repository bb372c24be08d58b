/* stable_fit.h: maximum likelihood for one sample from a stable law. */
#ifndef STATCL_STABLE_FIT_H
#define STATCL_STABLE_FIT_H

#include "stable.h"

enum { FIT_ALPHA, FIT_BETA, FIT_GAMMA, FIT_DELTA, FIT_PARS };

/* Smallest alpha that is searched: with delta at an observation the likelihood grows without bound as alpha -> 0. */
#define FIT_ALPHA_MIN 0.02

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

/* ---- shared by stable_fit.c and stable_start.c ---- */

/* A law in the form that the search uses: frame is the parameterisation of gamma and delta. */
typedef struct {
  double alpha, beta, gamma, delta;
  int frame;
} fit_law;

/* T = beta tan(pi alpha/2), accurate near alpha = 1 and 2; 0 at alpha = 1. */
double fit_t(double alpha, double beta);

/* Up to FIT_STARTS starting laws (frame 0) for the sorted sample and its order of observation; alpha, beta: given values,
 * or NaN. The number made. */
enum { FIT_STARTS = 4 };
int fit_starts(int64_t n, const double *x, const double *sorted, double alpha, double beta, fit_law *start);

#endif
