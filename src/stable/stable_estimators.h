/* stable_estimators.h: estimators of stable laws other than maximum likelihood by derivatives, for one sample.
 * Laws are of pm = 0. */
#ifndef STATCL_STABLE_ESTIMATORS_H
#define STATCL_STABLE_ESTIMATORS_H

#include "stable/stable.h"

enum { LAW_ALPHA, LAW_BETA, LAW_GAMMA, LAW_DELTA, LAW_PARS };

/* The range in which alpha is looked for is from here to 2. */
#define ESTIMATE_ALPHA_MIN 0.02 /* smallest_alpha in R/stable-fit.R */

/* Observations in increasing order, not all the same; weight: NULL, or positive numbers of times that they count. */
typedef struct {
  int64_t n;
  const double *x, *weight;
  double total;    /* of the weights */
  int64_t *scratch; /* room for n numbers, for who works with the sample */
} ordered_sample;

/* Each writes a law to par and tells whether it is one: finite, in range. fixed: values to keep, NaN where free. */
typedef int stable_estimator(const ordered_sample *s, const double *fixed, double *par);
stable_estimator stable_mcculloch, stable_logmoment, stable_koutrouvelis, stable_ecf;

/* Puts observations in order, those of weight 0 left out, in room for 2n numbers, 3n with weights; the last n of them
 * may be x. n = 0 in the result if all is one value or something is not finite. */
ordered_sample order_sample(int64_t n, const double *x, const double *weight, double *room);

/* In [0, 1), for choices that should not follow the order of a sample; the same in every run. */
double sample_uniform(uint32_t *state);

double sample_quantile(const ordered_sample *s, double p);

/* m places between neighbours, where a twentieth of the sample lies densest. */
void sample_places(const ordered_sample *s, int m, double *place);

#endif
