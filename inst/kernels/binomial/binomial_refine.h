/* binomial_refine.h: tails of the binomial and negative binomial distributions in two doubles, which decide next to a
 * jump. */
#ifndef STATCL_BINOMIAL_REFINE_H
#define STATCL_BINOMIAL_REFINE_H

#include "kernels/binomial/binomial_tail.h"
#include "kernels/common/tail_exact.h"

/* With n = a + b, d = n x - a = b x - a y and y = 1 - x (C. Loader, Fast and accurate computation of binomial
 * probabilities, 2000)
 *     x^a y^b/B(a, b) = exp(-D) sqrt(a b/(2 pi n)) exp(S(n) - S(a) - S(b)),
 *     D = a log(a/(n x)) + b log(b/(n y)) as a sum of two deviances, which are not negative,
 * S the rest of Stirling's formula, and this by y, times the integral of tail_integral.h, is the upper tail; by x,
 * with a and b, x and y exchanged, the lower one. */
DEV_FN dd count_distance(count_shape c, real a) {
  return dd_minus(dd_times(c.b, c.x), dd_times(dd_of(a, K(0.0)), c.y));
}
/* which tail has an integrand that falls; both do next to the mean */
DEV_FN flag count_is_lower(count_shape c, dd d) { return d.hi >= K(0.5) * (c.x.hi - c.y.hi); }
DEV_FN void count_integrand(tail_block *t, i32 l, count_shape c, real a, dd d, flag lower) {
  const dd one = dd_of(K(1.0), K(0.0)), k = dd_of(a, K(0.0)), by = dd_by(one, dd_select(lower, c.x, c.y));
  const dd gap = dd_select(lower, dd_plus(d, c.y), dd_minus(c.x, d));
  tail_set(t, l, dd_times(gap, by), dd_select(lower, c.b, k),
           dd_select(lower, dd_of(a - K(1.0), K(0.0)), dd_minus(c.b, one)),
           dd_times(dd_select(lower, c.y, c.x), by), 0);
}

/* ---- b < 1 and a y < 1/2: I_x(a, b) = 1 - e^g (1 + h),
 *     e^g = y^b Gamma(a + b)/(Gamma(a) Gamma(1 + b)),  h = sum_(j >= 1) (1 - a)_j/j! y^j b/(b + j),
 * of which the first part of -g = -log(1 - ...) and -h are positive: nothing cancels but in g. Relative error below
 * 2^-96 (h: terms (a y)^j/j!, the 25th of which is 1e-33). ---- */
#define FEW_FAILURES_(b, a, y) (((b) < K(1.0)) & ((a) * (y) < K(0.5)))

/* log(1 + u), relative error below 300 u */
DEV_FN dd dd_log1p(dd u) {
  const dd one = dd_of(K(1.0), K(0.0));
  return dd_minus(u, dd_log_rest(u, dd_plus(one, u)));
}
/* e^v - 1 for v <= 0 */
DEV_FN dd dd_expm1_negative(dd v) { return dd_plus(dd_decay_rest(dd_negative(v)), v); }

DEV_FN void few_failures(count_shape c, real a, dd *g, dd *h) {
  const dd one = dd_of(K(1.0), K(0.0)), b = c.b;
  const dd start = dd_of(K(25.0), K(0.0)), end = dd_of(max_(a, K(25.0)), K(0.0));
  /* product of 1 + b/j, j below min(a, 25), less 1 */
  dd p = dd_of(K(0.0), K(0.0)), term = one, sum = p;
  for (i32 j = 1; j < 25; j++) {
    const dd by = dd_by(b, dd_of((real)j, K(0.0))), next = dd_plus(p, dd_plus(by, dd_times(p, by)));
    p = dd_select((real)j < a, next, p);
    term = dd_times(dd_times(term, c.y), dd_by(dd_of((real)j - a, K(0.0)), dd_of((real)j, K(0.0))));
    sum = dd_plus(sum, dd_times(term, dd_by(b, dd_plus(b, dd_of((real)j, K(0.0))))));
  }
  /* log(Gamma(end + b)/Gamma(end)) - log(Gamma(25 + b)/Gamma(25)), as
   * b log m + (m + b - 1/2) log(1 + b/m) - b + S(m + b) - S(m) at both */
  const dd half_less = dd_minus(b, dd_of(K(0.5), K(0.0)));
  const dd high = dd_plus(dd_times(b, dd_log(end)), dd_times(dd_plus(end, half_less), dd_log1p(dd_by(b, end))));
  const dd low = dd_plus(dd_times(b, dd_log(start)), dd_times(dd_plus(start, half_less), dd_log1p(dd_by(b, start))));
  const dd rest_high = dd_minus(dd_stirling_far_(dd_plus(end, b)), dd_stirling_far_(end));
  const dd rest_low = dd_minus(dd_stirling_far_(dd_plus(start, b)), dd_stirling_far_(start));
  const dd moved = dd_plus(dd_minus(high, low), dd_minus(rest_high, rest_low));
  *g = dd_plus(dd_times(b, dd_log(c.y)), dd_plus(dd_log1p(p), dd_select(a > K(25.0), moved, dd_of(K(0.0), K(0.0)))));
  *h = sum;
}
/* 1 - e^g (1 + h) */
DEV_FN dd few_failures_upper(dd g, dd h) {
  const dd less = dd_negative(dd_expm1_negative(g)), e = dd_minus(dd_of(K(1.0), K(0.0)), less);
  return dd_minus(less, dd_times(e, h));
}

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
