/* matern_direct.h (host): values of one Matern correlation function M(x) = 2^(1-nu)/Gamma(nu) x^nu K_nu(x). */
#ifndef STATCL_MATERN_DIRECT_HOST_H
#define STATCL_MATERN_DIRECT_HOST_H

#include "engine/backend.h"

enum matern_what { MATERN_VALUE, MATERN_DX, MATERN_DNU };

/* One smoothness nu > 0, n distances x >= 0 in units of the range: M(x), -x dM/dx, or dM/dnu at fixed x, all of which
 * are positive; scaled: times exp(x). NaN for NaN or negative x. */
status matern_direct(enum matern_what what, int64_t n, double nu, column x, int scaled, double *out);

#endif
