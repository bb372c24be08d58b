/* stable_fit.h: maximum likelihood fits of stable distributions to many samples at once. Files use those below them:
 *
 *   stable_fit.c         the batch: searches are opened, advance in lock-step and are reported
 *   stable_search.c      the search of one sample: climbs from several starts, and where more are needed
 *   stable_start.c       starting values
 *   stable_climb.c       a climb: ascents in the interior and on boundaries
 *   stable_ascent.c      an ascent from one distribution by steps of stable_newton.c
 *   stable_likelihood.c  what searches ask: answers the questions of all of them in few tasks
 *   stable_theta.c       distributions in the coordinates of the search
 *   stable_sample.c      the problem and its observations */
#ifndef STATCL_STABLE_FIT_H
#define STATCL_STABLE_FIT_H

#include "stable/stable_sample.h"

typedef struct {
  double par[STABLE_PARS];
  double *b;                       /* room for as many numbers as there are columns */
  double *cov;                     /* NULL, or room for that of alpha, beta and, over gamma, of gamma, delta and b;
                                    * NaN where fixed or on a boundary */
  int boundary[STABLE_PARS];       /* -1, 1: on the lower, upper boundary */
  double log_lik;                  /* -Inf: no distribution tried gives all observations a positive density */
  int iterations, converged;
  int64_t densities; /* evaluated on the way */
  double tied;       /* without a maximum: the weight of equal values that make the likelihood unbounded, or 0 */
  double second[STABLE_PARS + 1]; /* in S0, the next maximum and its log likelihood; NaN where none has been met */
} fit_result;

/* Fits m samples, each as its problem says. */
status stable_fit(int64_t m, const fit_problem *problem, fit_result *result);

/* Log likelihoods of m samples, each under the S0 distribution in its problem's value. */
status stable_log_likelihood(int64_t m, const fit_problem *problem, double *log_lik);

#endif
