/* tail_exact.h: smaller tails of the Poisson, binomial and negative binomial distributions, by one integral:
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
#ifndef STATCL_TAIL_EXACT_H
#define STATCL_TAIL_EXACT_H

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

/* In doubles: nodes 1/10 apart in t, where the rule's own error is below 2^-56 (2e-17 for a normal tail, the worst),
 * and from t = -3.7 to 5.6, which leaves out less than 2^-56. Error 2 ulp (tests/testthat/test-binomial.R, of tails).
 * */
#define TAIL_STEP_ K(0.1)
DEV_BLOCK_FN void tail_integrals(const tail_block *t, real *value) {
  real sum[LANES], sum_lo[LANES], last[LANES];
  LANE_LOOP(l) sum[l] = sum_lo[l] = 0;
  for (i32 k = -37; k <= 56; k++) {
    const real at = TAIL_STEP_ * (real)k, decay = exp_(-at), node = exp_(at - decay);
    const real weight = node * (K(1.0) + decay);
    LANE_LOOP(l) {
      const real s = node * t->scale[l], none = min_(s, K(700.0));
      const flag lower = t->lower[l] != 0, near = s < K(0.34);
      const real rest = expm1_kernel_(near ? -s : K(0.0), K(0.0)), fall = exp_core_(-none);
      const real y1 = near ? s - rest : K(1.0) - fall, w = near ? rest : s - y1, y = lower ? s : y1;
      const real u = t->c[l] * y, v = u / (K(2.0) + u), z = v * v, z2 = z * z, z4 = z2 * z2;
      const real close = v * FMA(-z, LOG_R(z, z2, z4), u), far = u - log_core_(K(1.0) + u);
      const real r = u < K(0.41) ? close : far;
      const real e = -FMA(t->gap[l], y, FMA(t->a[l], w, t->b[l] * r));
      real lost;
      sum[l] = two_sum(sum[l], weight * (e < K(-80.0) ? K(0.0) : exp_core_(max_(e, K(-80.0)))), &lost);
      sum_lo[l] += lost;
      last[l] = e;
    }
    if (k > 0 && k % 4 == 0) {
      ANY_LANE(more, last[l] > K(-45.0))
      if (more == 0) break;
    }
  }
  LANE_LOOP(l) value[l] = TAIL_STEP_ * (sum[l] + sum_lo[l]) * t->scale[l];
}

/* In two doubles: nodes 1/20 apart from t = -4.4 to 5.6: the rule's own error is below 1e-33 (2.9e-38 for a normal
 * tail, 6e-35 at worst of what was tried with 50 digits), what is left out below 1e-33. Each of some 180 terms that
 * count has the error of its exponent, 300 u |E| exp(E), and that of gap y and the other two, whose inputs are right
 * to 4 u of a, that is 8 u sqrt(a) at the distance where exp(E) is not small: in all below (400 + 16 sqrt(a)) u. */
#define TAIL_EXACT_STEP_ K(0.05)
DEV_FN real tail_term_(const tail_block *t, i32 l, dd node, dd weight, real *sum, real *sum_lo) {
  const flag lower = t->lower[l] != 0;
  const dd s = dd_scaled(node, t->scale[l]), w = dd_decay_rest(s), y = dd_select(lower, s, dd_minus(s, w));
  const dd u = dd_times(dd_of(t->c[l], t->c_lo[l]), y), one = dd_of(K(1.0), K(0.0));
  const dd r = dd_log_rest(u, dd_plus(one, u)), a = dd_of(t->a[l], t->a_lo[l]), b = dd_of(t->b[l], t->b_lo[l]);
  const dd e = dd_plus(dd_plus(dd_times(dd_of(t->gap[l], t->gap_lo[l]), y), dd_times(a, w)), dd_times(b, r));
  const flag none = e.hi > K(90.0);
  const dd f = dd_exp(dd_negative(dd_select(none, dd_of(K(90.0), K(0.0)), e)));
  const dd all = dd_plus(dd_of(*sum, *sum_lo), dd_times(weight, f));
  *sum = none ? *sum : all.hi;
  *sum_lo = none ? *sum_lo : all.lo;
  return e.hi;
}
DEV_BLOCK_FN void tail_integrals_exact(const tail_block *t, real *value, real *value_lo) {
  const dd apart = dd_of(K(1.0512710963760241), K(-7.703888526612547e-17)); /* e^(1/20) */
  dd grown = dd_exp(dd_of(K(-4.45), K(0.0))); /* e^t, one step before the first */
  real last[LANES];
  LANE_LOOP(l) value[l] = value_lo[l] = 0;
  for (i32 k = 0; k <= 200; k++) {
    grown = dd_times(grown, apart);
    const dd decay = dd_by(dd_of(K(1.0), K(0.0)), grown), node = dd_times(grown, dd_exp(dd_negative(decay)));
    const dd weight = dd_times(node, dd_plus(dd_of(K(1.0), K(0.0)), decay));
    LANE_LOOP(l) last[l] = tail_term_(t, l, node, weight, value + l, value_lo + l);
    if (k > 100 && k % 4 == 0) {
      ANY_LANE(more, last[l] < K(95.0))
      if (more == 0) break;
    }
  }
  LANE_LOOP(l) {
    const dd step = dd_of(K(0.05), K(-2.7755575615628915e-18));
    const dd v = dd_scaled(dd_times(step, dd_of(value[l], value_lo[l])), t->scale[l]);
    value[l] = v.hi;
    value_lo[l] = v.lo;
  }
}

#define LOG_2PI_HALF_LO_ K(-3.8782941580672414e-17)

/* a log(a/m) + m - a, for d = m - a and logarithms of m and a: relative error below 400 u. */
DEV_FN dd deviance_exact(dd a, dd d, dd log_m, dd log_a) {
  const dd w = dd_by(d, a);
  const flag near = (w.hi > K(-0.3)) & (w.hi < K(0.43));
  const dd close = dd_times(a, dd_log_rest_near_(dd_select(near, w, dd_of(K(0.0), K(0.0)))));
  return dd_select(near, close, dd_minus(d, dd_times(a, dd_minus(log_m, log_a))));
}

/* The logarithm of the probability that the smaller tail is compared with, P(X <= k) where lower, else P(X > k), for
 * a probability p as given, of a lower or (upper) an upper tail, perhaps its logarithm: the same tail has log p, the
 * other one log(1 - p). Where p was no argument but drawn, drawn is its smaller tail, as poisson_par.h has it. */
DEV_FN dd tail_wanted_log(real p, flag upper, flag logs, flag lower) {
  const flag same = upper != lower;
  const dd zero = dd_of(K(0.0), K(0.0)), one = dd_of(K(1.0), K(0.0));
  /* 1 - e^p where its logarithm is given */
  const real size = logs ? min_(-p, K(600.0)) : K(1.0);
  const dd complement = dd_minus(dd_of(size, K(0.0)), dd_decay_rest(dd_of(size, K(0.0))));
  const dd by_log = size < K(1e-200) ? dd_of(size, K(0.0)) : complement;
  const dd other = logs ? by_log : dd_sum2(K(1.0), -p), tail = same ? dd_of(p, K(0.0)) : other;
  const flag known = tail.hi > K(0.0);
  const dd by_tail = dd_log(dd_select((logs & same) | !known, one, tail));
  (void)zero;
  return dd_select(logs & same, dd_of(p, K(0.0)), dd_select(known, by_tail, dd_of(-INF_, K(0.0))));
}

/* What the logarithm of a tail may be off by, for deviances up to about its size: 4,000 u + 64 u sqrt(a) + 400 u
 * times its size; a is the larger of the integral's A and B. Within it log p is taken to be equal: next to no p that
 * is a double by chance, but all p that are equal in truth. */
DEV_FN real tail_doubt(real a, real log_tail) {
  return K(1.232595164407831e-32) * FMA(K(400.0), fabs(log_tail), FMA(K(64.0), sqrt(a), K(4000.0)));
}

#endif
