/* binomial_refine.h: tails of the binomial and negative binomial distributions in two doubles, which decide next to a
 * jump. */
#ifndef STATCL_BINOMIAL_REFINE_H
#define STATCL_BINOMIAL_REFINE_H

#include "kernels/binomial/binomial_tail.h"
#include "kernels/common/tail_exact.h"

/* The logarithm of the smaller tail at k = a - 1, as poisson_log_tails_exact() has it, and which it is. */
DEV_BLOCK_FN void count_log_tails_exact(i32 kind, const real *size, const real *second, const real *a, real *value,
                                        real *value_lo, real *lower) {
  tail_block block;
  real before[LANES], before_lo[LANES], few[LANES];
  LANE_LOOP(l) {
    const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
    const dd d = count_distance(c, a[l]), k = dd_of(a[l], K(0)), n = dd_plus(k, c.b);
    const flag is_lower = count_is_lower(c, d), is_few = FEW_FAILURES_(c.b.hi, a[l], c.y.hi);
    count_integrand(&block, l, c, a[l], d, is_lower);
    const dd log_a = dd_log(k), log_b = dd_log(c.b), log_n = dd_log(n), log_x = dd_log(c.x), log_y = dd_log(c.y);
    const dd first = deviance_exact(k, d, dd_plus(log_n, log_x), log_a);
    const dd other = deviance_exact(c.b, dd_negative(d), dd_plus(log_n, log_y), log_b);
    const dd s = dd_minus(dd_plus(dd_stirling(k), dd_stirling(c.b)), dd_stirling(n));
    const dd root = dd_scaled(dd_minus(dd_plus(log_a, log_b), log_n), K(0.5));
    const dd all = dd_plus(dd_plus(dd_plus(first, other), s), dd_of(LOG_2PI_HALF_, LOG_2PI_HALF_LO_));
    const dd sum = dd_minus(dd_minus(root, dd_select(is_lower, log_x, log_y)), all);
    before[l] = sum.hi;
    before_lo[l] = sum.lo;
    lower[l] = is_lower ? K(1) : K(0);
    few[l] = is_few ? K(1) : K(0);
  }
  tail_integrals_exact(&block, value, value_lo);
  LANE_LOOP(l) {
    const dd sum = dd_plus(dd_of(before[l], before_lo[l]), dd_log(dd_of(value[l], value_lo[l])));
    value[l] = sum.hi;
    value_lo[l] = sum.lo;
  }
  ANY_LANE(any, few[l] != 0)
  if (any > 0)
    LANE_LOOP(l) {
      count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
      const flag on = few[l] != 0;
      dd g, h;
      c.b = dd_select(on, c.b, dd_of(K(0.5), K(0)));
      c.y = dd_select(on, c.y, dd_of(K(1e-3) / a[l], K(0)));
      few_failures(c, a[l], &g, &h);
      const flag is_lower = g.hi < -LN2_;
      const dd v = dd_select(is_lower, dd_plus(g, dd_log1p(h)), dd_log(few_failures_upper(g, h)));
      value[l] = on ? v.hi : value[l];
      value_lo[l] = on ? v.lo : value_lo[l];
      lower[l] = on ? (is_lower ? K(1) : K(0)) : lower[l];
    }
}

#endif
