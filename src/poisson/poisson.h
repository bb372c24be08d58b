/* poisson.h: the Poisson distribution on any device. */
#ifndef STATCL_SRC_POISSON_H
#define STATCL_SRC_POISSON_H

#include "engine/backend.h"

/* Maps of x or q and lambda. par: that of poisson_par.h; of p: none. */
extern const pipeline poisson_density_pipeline, poisson_tail_pipeline, normal_quantile_pipeline;

/* P(N = x), 0 where x is no whole number, by dpois()'s measure. */
status poisson_density(int64_t n, column x, column lambda, int logs, double *out);
/* P(N <= q), or P(N > q). */
status poisson_tail(int64_t n, column q, column lambda, int upper, int logs, double *out);
/* The smallest whole number k with P(N <= k) >= p, or P(N > k) <= p. */
status poisson_quantile(int64_t n, column p, column lambda, int upper, int logs, int single, double *out);
/* Quantiles of uniforms first, ..., first + n - 1, from 0, of the stream that the key names, as doubles or as ints:
 * the other is NULL. An int that has no value is INT_MIN. lambda begins with that of the first one. */
status poisson_random(int64_t first, int64_t n, column lambda, const uint32_t key[2], int single, double *doubles,
                      int *ints);
/* Whole numbers of a task as ints, what has no value as INT_MIN; for .deliver of a task. */
void deliver_ints(void *to, int64_t first, int32_t n, const double *const *values);
/* Quantiles of the standard normal distribution, which poisson_quantile() is built on. */
status normal_quantile(int64_t n, column p, double *out);

#endif
