/* bessel.h: the host side of the Bessel function K. Columns are recycled; results have length n. NaN for x < 0. */
#ifndef STATCL_BESSEL_HOST_H
#define STATCL_BESSEL_HOST_H

#include "engine/backend.h"
#include "kernels/bessel/bessel_par.h"

/* By the values of BESSEL_VALUE and so on. */
#define BESSEL_WHATS "none", "x", "nu"

/* what: BESSEL_VALUE, BESSEL_DX or BESSEL_DNU of K_nu(x), scaled by exp(x) (of the derivative of K, not of the
 * derivative of exp(x) K), or of log K. */
status bessel_k(int what, int64_t n, column x, column nu, int scaled, int give_log, double *out);

#endif
