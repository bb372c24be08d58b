/* effects.h: linear predictors as sums over columns of a joint vector, eta_i = sum_k value_ik b[index_ik]: first of
 * latent elements, the processes at their locations and what is tied to one of these, then of other grouped effects.
 * With A the part of latent elements, Z that of effects, weights W and the precision M of latent elements, R = A'WZ
 * and Y = inv(M) R. Matrices are by columns, latent x effects or effects x effects. */
#ifndef STATCL_EFFECTS_H
#define STATCL_EFFECTS_H

#include <stdint.h>

#include "engine/errors.h"
#include "gp/laplace_system.h"

typedef struct {
  int64_t n, columns, processes; /* columns of index and value, of which the first are of latent elements */
  int64_t latent, effects;       /* numbers of elements: of latent ones, and after these of effects */
  const int *index;              /* n x columns, from 1 */
  const double *value;
  const int *order; /* observations, from 1, with those of the same latent elements one after the other */
} effects_design;

/* (A, Z) b of joint vectors b, and (A, Z)' x. */
void effects_spread(const effects_design *d, int64_t columns, const double *b, double *out);
void effects_gather(const effects_design *d, int64_t columns, const double *x, double *out);
/* Sums over the observations of each unit, from 1. */
void effects_sums(int64_t n, int64_t columns, const int *unit, const double *x, int64_t units, double *out);
/* R, unless `mixed` is NULL, and Z'WZ. */
void effects_cross(const effects_design *d, const double *weight, double *mixed, double *own);
/* R'Y, symmetric whatever rounding leaves. */
status effects_crossed(const effects_design *d, const double *mixed, const double *y, double *out);
/* With the covariance matrix C of effects, and mixed = Y C: the elements of Y C Y' on the pattern are added to those
 * of inv(M). */
status effects_elements(const laplace_pattern *at, int64_t columns, const double *mixed, const double *y,
                        double *diagonal, double *below);
/* What effects add to the variances of linear predictors besides: own + z'Cz - 2 a'YCz of each observation, with its
 * covariates a of latent elements and z of effects. */
void effects_variances(const effects_design *d, const double *own, const double *mixed, const double *covariance,
                       double *out);

/* The same where each observation has one latent element and M is diagonal, so that Y has elements where R has: R'Y
 * is taken from own; `latent` is the diagonal of Y C Y', and `out` all that effects add. */
status effects_less_alone(const effects_design *d, const double *weight, const double *diagonal, double *own);
status effects_variances_alone(const effects_design *d, const double *weight, const double *diagonal,
                               const double *covariance, double *out, double *latent);

#endif
