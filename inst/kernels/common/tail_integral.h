/* tail_integral.h: smaller tails of the Poisson, binomial and negative binomial distributions, by one integral:
 *     integral_0^Inf exp(E(s)) ds,  E = -gap y - A (e^-s - 1 + s) - B (c y - log(1 + c y)),  y = 1 - e^-s
 * (or y = s, A = 0). It is convex and has no loop that grows with its arguments: gap, A >= 0 and B >= 0 make all
 * three terms negative, so that nothing cancels, and exp(E) falls from 1 at s = 0. By t = x e^-s,
 *     I_x(a, b) = x^a (1 - x)^(b - 1)/B(a, b) integral with A = a, B = b - 1, c = x/(1 - x), gap = A - B c;
 *     P(N >= a) = lambda^a e^-lambda/Gamma(a) integral with A = a, B = 0, gap = a - lambda,
 * and by t = lambda + s
 *     P(N < a) = lambda^(a - 1) e^-lambda/Gamma(a) integral with y = s, A = 0, B = a - 1, c = 1/lambda, gap = 1 - B
 *     c.
 * With s = s_0 exp(t - e^-t), s_0 near the distance at which exp(E) is 1/e, the trapezoidal rule in t converges
 * geometrically (Takahasi and Mori, Double exponential formulas for numerical integration, 1974): the integrand is
 * analytic and bounded where |arg s| < pi/4. */
#ifndef STATCL_TAIL_INTEGRAL_H
#define STATCL_TAIL_INTEGRAL_H

#include "kernels/common/double_double.h"

/* The integrals of a block of lanes; lower: y = s. scale: s_0, a power of two within a factor of 4 or so of where E
 * is -1, the inverse of the sum of the rates of the three terms. */
typedef struct {
  real gap[LANES], gap_lo[LANES], a[LANES], a_lo[LANES], b[LANES], b_lo[LANES], c[LANES], c_lo[LANES];
  real lower[LANES], scale[LANES];
} tail_block;

DEV_FN real tail_scale_(real gap, real a, real b, real c, flag lower) {
  const real at = max_(a, K(1e-300)), bt = max_(b, K(1e-300));
  const real by_a = lower ? K(0.0) : K(1.0) / (sqrt(K(2.0) / at) + K(1.0) / at);
  const real by_b = c / (sqrt(K(2.0) / bt) + K(1.0) / bt);
  real f;
  return pow2_(ROUND_ - log_reduce_(max_(max_(gap, K(0.0)) + by_a + by_b, K(1e-290)), &f));
}
DEV_FN void tail_set(tail_block *t, i32 l, dd gap, dd a, dd b, dd c, flag lower) {
  t->gap[l] = gap.hi, t->gap_lo[l] = gap.lo, t->a[l] = a.hi, t->a_lo[l] = a.lo;
  t->b[l] = b.hi, t->b_lo[l] = b.lo, t->c[l] = c.hi, t->c_lo[l] = c.lo;
  t->lower[l] = lower ? K(1.0) : K(0.0);
  t->scale[l] = tail_scale_(gap.hi, a.hi, b.hi, c.hi, lower);
}

#endif
