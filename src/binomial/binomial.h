/* binomial.h: the binomial and negative binomial distributions on any device. */
#ifndef STATCL_SRC_BINOMIAL_H
#define STATCL_SRC_BINOMIAL_H

#include "engine/backend.h"

/* Columns and kinds: kernels/binomial/binomial_par.h. Maps of x or q, size, and prob or mu, with that par. */
extern const pipeline binomial_density_pipeline, binomial_tail_pipeline;
extern const pipeline negative_density_pipeline, negative_tail_pipeline;

/* The smallest whole number k with P(X <= k) >= p, or P(X > k) <= p. */
status binomial_quantile(int kind, int64_t n, column p, column size, column second, int lower, int logs, double *out);

/* Quantiles of uniforms first, ..., first + n - 1, from 0, of the stream that the key names, as doubles or as ints:
 * the other is NULL. An int that has no value is INT_MIN. The columns begin with those of the first one. */
status binomial_random(int kind, int64_t first, int64_t n, column size, column second, const uint32_t key[2],
                       double *doubles, int *ints);

#endif
