/* tail_exact.h: the integrals of tail_integral.h in two doubles, and what is compared with tails made of them. */
#ifndef STATCL_TAIL_EXACT_H
#define STATCL_TAIL_EXACT_H

#include "kernels/common/tail_integral.h"

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
  const dd one = dd_of(K(1.0), K(0.0));
  /* 1 - e^p where its logarithm is given */
  const real size = logs ? min_(-p, K(600.0)) : K(1.0);
  const dd complement = dd_minus(dd_of(size, K(0.0)), dd_decay_rest(dd_of(size, K(0.0))));
  const dd by_log = size < K(1e-200) ? dd_of(size, K(0.0)) : complement;
  const dd other = logs ? by_log : dd_sum2(K(1.0), -p), tail = same ? dd_of(p, K(0.0)) : other;
  const flag known = tail.hi > K(0.0);
  const dd by_tail = dd_log(dd_select((logs & same) | !known, one, tail));
  return dd_select(logs & same, dd_of(p, K(0.0)), dd_select(known, by_tail, dd_of(-INF_, K(0.0))));
}

/* What the logarithm of a tail may be off by, for deviances up to about its size: 4,000 u + 64 u sqrt(a) + 400 u
 * times its size; a is the larger of the integral's A and B. Within it log p is taken to be equal: next to no p that
 * is a double by chance, but all p that are equal in truth. */
DEV_FN real tail_doubt(real a, real log_tail) {
  return K(1.232595164407831e-32) * FMA(K(400.0), fabs(log_tail), FMA(K(64.0), sqrt(a), K(4000.0)));
}

#endif
