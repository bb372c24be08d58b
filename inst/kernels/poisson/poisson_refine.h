/* poisson_refine.h: tails of the Poisson distribution in two doubles, which decide next to a jump. */
#ifndef STATCL_POISSON_REFINE_H
#define STATCL_POISSON_REFINE_H

#include "kernels/common/tail_exact.h"
#include "kernels/poisson/poisson_par.h"

/* The logarithm of the smaller tail at k = a - 1, P(N < a) where lambda >= a, else P(N >= a), for lambda > 0 and
 * 1 <= a <= 2^53: exp(-D) Gamma*(a) a^(1/2)/sqrt(2 pi) times the integral of tail_exact.h, for a lower tail by
 * 1/lambda. Error: that of tail_doubt(a, log). */
DEV_BLOCK_FN void poisson_log_tails_exact(const real *lambda, const real *a, real *value, real *value_lo) {
  tail_block block;
  real before[LANES], before_lo[LANES];
  LANE_LOOP(l) {
    const flag lower = lambda[l] >= a[l];
    const dd m = dd_of(lambda[l], K(0)), k = dd_of(a[l], K(0)), zero = dd_of(K(0), K(0));
    const dd d = dd_sum2(lambda[l], -a[l]);
    const dd by = dd_by(dd_of(K(1), K(0)), dd_select(lower, m, dd_of(K(1), K(0))));
    const dd over = dd_times(dd_plus(d, dd_of(K(1), K(0))), by), gap = dd_select(lower, over, dd_negative(d));
    tail_set(&block, l, gap, dd_select(lower, zero, k), dd_select(lower, dd_of(a[l] - 1, K(0)), zero),
             dd_select(lower, by, zero), lower);
    const dd log_m = dd_log(m), log_a = dd_log(k), root = dd_scaled(log_a, K(0.5));
    const dd all = dd_plus(dd_plus(deviance_exact(k, d, log_m, log_a), dd_stirling(k, log_a)),
                           dd_of(LOG_2PI_HALF_, LOG_2PI_HALF_LO_));
    const dd sum = dd_minus(dd_minus(root, dd_select(lower, log_m, zero)), all);
    before[l] = sum.hi;
    before_lo[l] = sum.lo;
  }
  tail_integrals_exact(&block, value, value_lo);
  LANE_LOOP(l) {
    const dd sum = dd_plus(dd_of(before[l], before_lo[l]), dd_log(dd_of(value[l], value_lo[l])));
    value[l] = sum.hi;
    value_lo[l] = sum.lo;
  }
}

#endif
