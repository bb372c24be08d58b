/* stable_estimators.h: estimators of stable distributions other than maximum likelihood by derivatives, for one
 * sample. Distributions are of pm = 0. */
#ifndef STATCL_STABLE_ESTIMATORS_H
#define STATCL_STABLE_ESTIMATORS_H

#include <math.h>

#include "stable/stable.h"

enum { ALPHA, BETA, GAMMA, DELTA, STABLE_PARS };

/* The range in which alpha is looked for is from here to 2. */
#define ESTIMATE_ALPHA_MIN 0.02 /* smallest_alpha in R/stable-fit.R */

/* Of the estimates of a call: long samples are worked on in parts, between which the user is heard. */
typedef struct {
  double done; /* share of the call, for its progress */
  int stop;    /* the user wants no more: estimates under way may be anything */
} sample_listener;

/* Observations in increasing order, not all the same; weight: NULL, or positive numbers of times that they count. */
typedef struct {
  int64_t n;
  const double *x, *weight;
  double total;    /* of the weights */
  int64_t *scratch; /* room for n numbers, for who works with the sample */
  sample_listener *listener; /* or NULL */
  int hears;                 /* is the sample's thread the one that may ask the user? */
} ordered_sample;

/* Each writes a distribution to par and tells whether it is one: finite, in range. fixed: values to keep, NaN where
 * free. */
typedef int stable_estimator(const ordered_sample *s, const double *fixed, double *par);
stable_estimator stable_mcculloch, stable_logmoment, stable_koutrouvelis, stable_ecf;
/* The distribution with alpha and beta whose quartiles and median are the sample's. */
static inline int stable_by_quartiles(const ordered_sample *s, double alpha, double beta, double *par) {
  const double fixed[STABLE_PARS] = {alpha, beta, NAN, NAN};
  return stable_mcculloch(s, fixed, par);
}

/* Puts observations in order, those of weight 0 left out, in room for 2n numbers, 4n with weights; x and weight may
 * be in its second half. n = 0 in the result if all is one value, something is not finite, or the user stops. */
ordered_sample order_sample(int64_t n, const double *x, const double *weight, double *room,
                            sample_listener *listener, int hears);

/* One series of a batch: x and weight in any order; a weight may be 0. fixed: as above. */
typedef struct {
  int64_t n;
  const double *x, *weight;
  double fixed[STABLE_PARS];
  double par[STABLE_PARS]; /* the estimate, NaN where there is none */
  double tied; /* of grids: 0, or the weight of equal observations where the likelihood has a spike, no maximum of
                * which has been found outside */
  ordered_sample sample; /* while the batch is worked on */
} estimate_problem;

/* Maximum likelihood by contracting grids: the searches of all series in lock-step, whose samples are in order. No
 * distribution comes out of one without observations. */
status stable_grid(int64_t m, estimate_problem *series, int two_dimensions);

/* Asked in a loop over a sample at each of its places: nonzero if the user wants no more. */
int sample_stops(const ordered_sample *s, int64_t place);

/* In [0, 1), for choices that should not follow the order of a sample; the same in every run. */
double sample_uniform(uint32_t *state);

static inline double sample_weight(const ordered_sample *s, int64_t i) { return s->weight ? s->weight[i] : 1; }
double sample_quantile(const ordered_sample *s, double p);

/* m locations between neighbours: all, or where a twentieth of a large sample lies densest. */
void sample_locations(const ordered_sample *s, int m, double *location);

#endif
