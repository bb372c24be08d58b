/* effects.h: grouped effects in linear predictors, eta = A w + Z u: each observation has the process w at its location,
 * and in `terms` columns the number of an effect, from 1, with its covariate. Joint vectors have the process at all
 * locations and then the effects; matrices are by columns. */
#ifndef STATCL_EFFECTS_H
#define STATCL_EFFECTS_H

#include <stdint.h>

typedef struct {
  int64_t n, terms, locations, effects;
  const int *at, *index; /* n, and n x terms, from 1 */
  const double *value;   /* n x terms */
} effects_design;

/* (A Z) b of joint vectors b, and (A Z)' x. */
void effects_spread(const effects_design *d, int64_t columns, const double *b, double *out);
void effects_gather(const effects_design *d, int64_t columns, const double *x, double *out);
/* A'WZ, locations x effects, and Z'WZ. */
void effects_cross(const effects_design *d, const double *weight, double *mixed, double *own);
/* (own - 2 moved z' + z covariance z') of each observation, with its row z of Z, and own and moved at its location:
 * the variance of a linear predictor from the variances of the process, and its covariances with the effects with the
 * other sign, locations x effects. */
void effects_variances(const effects_design *d, const double *own, const double *moved, const double *covariance,
                       double *out);

#endif
