/* gamma.h: the gamma and the non-central chi-squared distribution on any device. shape_by: what the column of shapes
 * is multiplied by; by_rate: is the column of scales one of rates? */
#ifndef STATCL_SRC_GAMMA_H
#define STATCL_SRC_GAMMA_H

#include "engine/backend.h"

/* columns: x, q or p, shape and scale or, of densities and tails, rate */
status gamma_density(int64_t n, const column *in, double shape_by, int by_rate, int logs, double *out);
status gamma_tail(int64_t n, const column *in, double shape_by, int by_rate, int upper, int logs, double *out);
status gamma_quantile(int64_t n, const column *in, double shape_by, int upper, int logs, double *out);
/* Quantiles of uniforms first, ..., first + n - 1, from 0, of the stream that the key names; columns begin with the
 * shape, and with those of the first one. */
status gamma_random(int64_t first, int64_t n, const column *in, double shape_by, const uint32_t key[2], double *out);

/* The non-central chi-squared distribution; columns: x, q or p, degrees of freedom and non-centrality. */
status noncentral_density(int64_t n, const column *in, int logs, double *out);
status noncentral_tail(int64_t n, const column *in, int upper, int logs, double *out);
status noncentral_quantile(int64_t n, const column *in, int upper, int logs, double *out);
status noncentral_random(int64_t first, int64_t n, const column *in, const uint32_t key[2], double *out);

#endif
