/* effects.h: linear predictors as sums over columns of a joint vector, eta_i = sum_k value_ik b[index_ik]: first of
 * latent elements, the processes at their locations and what is tied to one of these, then of other grouped effects.
 * Matrices are by columns. */
#ifndef STATCL_EFFECTS_H
#define STATCL_EFFECTS_H

#include <stdint.h>

typedef struct {
  int64_t n, columns, processes; /* columns of index and value, of which the first are of latent elements */
  int64_t latent, effects;       /* numbers of elements: of latent ones, and after these of effects */
  const int *index;              /* n x columns, from 1 */
  const double *value;
} effects_design;

/* E b of joint vectors b, and E' x. */
void effects_spread(const effects_design *d, int64_t columns, const double *b, double *out);
void effects_gather(const effects_design *d, int64_t columns, const double *x, double *out);
/* E'WE between latent elements and effects, latent x effects, and among the effects. */
void effects_cross(const effects_design *d, const double *weight, double *mixed, double *own);
/* Z'WA y, effects x effects, for y latent x effects. */
void effects_crossed(const effects_design *d, const double *weight, const double *y, double *out);
/* own + (Y a - z)' C (Y a - z) of each observation, with its covariates a of latent elements and z of effects: what
 * effects with the covariance matrix C add to the variances `own` of linear predictors, with y = Y' and mixed = y C,
 * both latent x effects. */
void effects_variances(const effects_design *d, const double *own, const double *y, const double *mixed,
                       const double *covariance, double *out);

#endif
