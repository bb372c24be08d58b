/* beta.h: the beta, F and t distributions on any device. */
#ifndef STATCL_SRC_BETA_H
#define STATCL_SRC_BETA_H

#include "engine/backend.h"

/* What is beta distributed after it was transformed: BETA_IS_X, BETA_IS_F and BETA_IS_T of beta_par.h. Columns: x, q
 * or p, and two shapes, or degrees of freedom, of which t has the second one alone. */
status beta_density(int64_t n, const column *in, int kind, int logs, double *out);
status beta_tail(int64_t n, const column *in, int kind, int upper, int logs, double *out);
status beta_quantile(int64_t n, const column *in, int kind, int upper, int logs, double *out);
/* Quantiles of uniforms first, ..., first + n - 1, from 0, of the stream that the key names; columns are the last two
 * and begin with those of the first one. */
status beta_random(int64_t first, int64_t n, const column *in, int kind, const uint32_t key[2], double *out);

#endif
