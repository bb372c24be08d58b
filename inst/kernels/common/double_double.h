/* double_double.h: numbers of two doubles, hi + lo with |lo| <= ulp(hi)/2, for what is decided exactly. u = 2^-106.
 * Sums and products have relative errors below 4 u, quotients below 16 u (Joldes, Muller and Popescu, Tight and
 * rigorous error bounds for basic building blocks of double-word arithmetic, ACM TOMS 44, 2017). */
#ifndef STATCL_DOUBLE_DOUBLE_H
#define STATCL_DOUBLE_DOUBLE_H

#include "kernels/common/elementary.h"

typedef struct {
  real hi, lo;
} dd;

DEV_FN dd dd_of(real hi, real lo) {
  dd v;
  v.hi = hi;
  v.lo = lo;
  return v;
}
DEV_FN dd dd_sum2(real a, real b) {
  dd v;
  v.hi = two_sum(a, b, &v.lo);
  return v;
}
DEV_FN dd dd_plus(dd a, dd b) {
  dd v;
  v.hi = dd_add(a.hi, a.lo, b.hi, b.lo, &v.lo);
  return v;
}
DEV_FN dd dd_negative(dd a) { return dd_of(-a.hi, -a.lo); }
DEV_FN dd dd_minus(dd a, dd b) { return dd_plus(a, dd_negative(b)); }
DEV_FN dd dd_times(dd a, dd b) {
  dd v;
  v.hi = dd_mul(a.hi, a.lo, b.hi, b.lo, &v.lo);
  return v;
}
DEV_FN dd dd_by(dd a, dd b) { /* two steps: dd_div() alone has one double's error in the second */
  dd v;
  real e;
  v.hi = dd_div(a.hi, a.lo, b.hi, b.lo, &v.lo);
  v.hi = fast_two_sum(v.hi, v.lo, &e);
  v.lo = e;
  return v;
}
/* by a power of two: exact unless it underflows */
DEV_FN dd dd_scaled(dd a, real by) { return dd_of(a.hi * by, a.lo * by); }
DEV_FN dd dd_select(flag which, dd a, dd b) { return dd_of(which ? a.hi : b.hi, which ? a.lo : b.lo); }
/* c + p where |c| >= |p|, of a Horner scheme whose terms fall */
DEV_FN dd dd_step_(real hi, real lo, dd p) {
  dd v;
  v.hi = fast_two_sum(hi, p.hi, &v.lo);
  v.lo += p.lo + lo;
  return v;
}

/* e^r - 1 - r, |r| <= 0.35, relative error below 64 u: r^2 (1/2 + r/6 + ...) at r/4, of which the terms up to r^9 are
 * in two doubles, those to r^18 in one (0.0875^10/10! 2^-53 and 0.0875^19/19! are below u/8 of 1/2), and
 * q(2 r) = 2 q(r) + (r + q(r))^2 twice. */
DEV_FN dd dd_exp_rest_(dd r) {
  dd t = dd_scaled(r, K(0.25)), p, q;
  const real x = t.hi;
  real d = K(1.5619206968586225e-16); /* 1/18! */
  d = FMA(x, d, K(2.8114572543455206e-15));
  d = FMA(x, d, K(4.779477332387385e-14));
  d = FMA(x, d, K(7.647163731819816e-13));
  d = FMA(x, d, K(1.1470745597729725e-11));
  d = FMA(x, d, K(1.6059043836821613e-10));
  d = FMA(x, d, K(2.08767569878681e-09));
  d = FMA(x, d, K(2.505210838544172e-08));
  d = FMA(x, d, K(2.755731922398589e-07));
  p = dd_of(x * d, K(0.0));
  p = dd_step_(K(2.7557319223985893e-06), K(-1.858393274046472e-22), p);
  p = dd_step_(K(2.48015873015873e-05), K(2.1511947866775882e-23), dd_times(t, p));
  p = dd_step_(K(0.0001984126984126984), K(1.7209558293420705e-22), dd_times(t, p));
  p = dd_step_(K(0.001388888888888889), K(-5.300543954373577e-20), dd_times(t, p));
  p = dd_step_(K(0.008333333333333333), K(1.1564823173178714e-19), dd_times(t, p));
  p = dd_step_(K(0.041666666666666664), K(2.3129646346357427e-18), dd_times(t, p));
  p = dd_step_(K(0.16666666666666666), K(9.25185853854297e-18), dd_times(t, p));
  p = dd_step_(K(0.5), K(0.0), dd_times(t, p));
  q = dd_times(dd_times(t, t), p);
#define TWICE                                                                                                \
  {                                                                                                          \
    const dd m = dd_plus(t, q);                                                                              \
    q = dd_plus(dd_scaled(q, K(2.0)), dd_times(m, m));                                                       \
    t = dd_scaled(t, K(2.0));                                                                                \
  }
  TWICE TWICE
#undef TWICE
  return q;
}

/* x = n log 2 + r, |r| <= 0.35, for |x| < 1500; log 2 in three doubles */
DEV_FN real dd_reduce_(dd x, dd *r) {
  const real n = FMA(x.hi, LOG2E_, ROUND_) - ROUND_;
  real e;
  const real p = two_prod(n, LN2_, &e);
  const dd first = dd_sum2(x.hi, -p), second = dd_sum2(x.lo, -e);
  real f;
  const real g = two_prod(n, K(2.3190468138462996e-17), &f);
  const dd third = dd_sum2(-g, FMA(n, K(-5.707708438416212e-34), -f));
  *r = dd_plus(dd_plus(first, second), third);
  return n;
}
/* e^x for |x| < 700, relative error below 80 u + |x| u */
DEV_FN dd dd_exp(dd x) {
  dd r;
  const real n = dd_reduce_(x, &r);
  const dd q = dd_exp_rest_(r), v = dd_plus(dd_of(K(1.0), K(0.0)), dd_plus(r, q));
  return dd_scaled(v, pow2_(n + ROUND_));
}
/* e^-s - 1 + s for s >= 0, relative error below 100 u */
DEV_FN dd dd_decay_rest(dd s) {
  const flag far = s.hi > K(600.0);
  const dd c = dd_negative(dd_select(far, dd_of(K(600.0), K(0.0)), s));
  dd r;
  const real n = dd_reduce_(c, &r);
  const dd q = dd_exp_rest_(r), one = dd_of(K(1.0), K(0.0));
  const dd all = dd_scaled(dd_plus(one, dd_plus(r, q)), pow2_(n + ROUND_));
  return dd_select(n == K(0.0), q, dd_plus(dd_minus(s, one), all));
}
/* log a, a > 0, absolute error below 100 u + 2 u |log a|: a = 2^k m, and a Newton step from the double y = log m,
 * log m = y + log(1 + (m e^-y - 1)), of which the rest is below 1e-15: its third power is none. */
DEV_FN dd dd_log(dd a) {
  const flag tiny = a.hi < K(1e-270);
  const dd b = dd_scaled(a, tiny ? LIFT_BY_ : K(1.0)), one = dd_of(K(1.0), K(0.0));
  real f, e;
  const real k = log_reduce_(b.hi, &f);
  const real part = FMA(K(-0.5), k, ROUND_) - ROUND_, rest = -k - part;
  const dd m = dd_scaled(dd_scaled(b, pow2_(part + ROUND_)), pow2_(rest + ROUND_));
  const real y = log_core_(m.hi);
  const dd q = dd_exp_rest_(dd_of(-y, K(0.0)));
  const dd d = dd_minus(dd_times(m, dd_plus(dd_sum2(K(1.0), -y), q)), one);
  const dd log_m = dd_plus(dd_of(y, K(0.0)), dd_of(d.hi, FMA(K(-0.5) * d.hi, d.hi, d.lo)));
  const real n = k - (tiny ? LIFT_ : K(0.0)), p = two_prod(n, LN2_, &e);
  return dd_plus(dd_of(p, FMA(n, K(2.3190468138462996e-17), e)), log_m);
}

/* u - log(1 + u) for u > -1, relative error below 200 u where |u/(2 + u)| <= 0.18: with v = u/(2 + u) it is
 * u v - 2 v^3 (1/3 + v^2/5 + v^4/7 + ...), in two doubles up to v^18/21, in one to v^44/47; farther from 0 by the
 * logarithm of 1 + u, given as ratio, of which at most a factor of 8 is lost. */
DEV_FN dd dd_log_rest_near_(dd u) {
  const dd v = dd_by(u, dd_plus(dd_of(K(2.0), K(0.0)), u)), z = dd_times(v, v);
  const real x = z.hi;
  real d = K(1.0) / K(47.0);
  d = FMA(x, d, K(1.0) / K(45.0));
  d = FMA(x, d, K(1.0) / K(43.0));
  d = FMA(x, d, K(1.0) / K(41.0));
  d = FMA(x, d, K(1.0) / K(39.0));
  d = FMA(x, d, K(1.0) / K(37.0));
  d = FMA(x, d, K(1.0) / K(35.0));
  d = FMA(x, d, K(1.0) / K(33.0));
  d = FMA(x, d, K(1.0) / K(31.0));
  d = FMA(x, d, K(1.0) / K(29.0));
  d = FMA(x, d, K(1.0) / K(27.0));
  d = FMA(x, d, K(1.0) / K(25.0));
  d = FMA(x, d, K(1.0) / K(23.0));
  dd p = dd_of(x * d, K(0.0));
  p = dd_step_(K(0.047619047619047616), K(2.64338815386942e-18), p);
  p = dd_step_(K(0.05263157894736842), K(2.921639538487254e-18), dd_times(z, p));
  p = dd_step_(K(0.058823529411764705), K(8.163404592832033e-19), dd_times(z, p));
  p = dd_step_(K(0.06666666666666667), K(9.251858538542971e-19), dd_times(z, p));
  p = dd_step_(K(0.07692307692307693), K(-4.270088556250602e-18), dd_times(z, p));
  p = dd_step_(K(0.09090909090909091), K(-2.523234146875356e-18), dd_times(z, p));
  p = dd_step_(K(0.1111111111111111), K(6.1679056923619804e-18), dd_times(z, p));
  p = dd_step_(K(0.14285714285714285), K(7.93016446160826e-18), dd_times(z, p));
  p = dd_step_(K(0.2), K(-1.1102230246251566e-17), dd_times(z, p));
  p = dd_step_(K(0.3333333333333333), K(1.850371707708594e-17), dd_times(z, p));
  return dd_times(v, dd_minus(u, dd_scaled(dd_times(z, p), K(2.0))));
}
DEV_FN dd dd_log_rest(dd u, dd ratio) {
  const flag near = (u.hi > K(-0.3)) & (u.hi < K(0.43));
  const dd close = dd_log_rest_near_(dd_select(near, u, dd_of(K(0.0), K(0.0))));
  const dd far = dd_minus(u, dd_log(dd_select(near, dd_of(K(2.0), K(0.0)), ratio)));
  return dd_select(near, close, far);
}

/* The rest of Stirling's formula, log Gamma(a) - (a - 1/2) log a + a - log(2 pi)/2, for a >= 24; absolute error
 * below u/16: B_2j/(2 j (2 j - 1)) a^(1 - 2 j), j up to 15, the first omitted of which is 5e-36. */
DEV_FN dd dd_stirling_far_(dd a) {
  const dd v = dd_by(dd_of(K(1.0), K(0.0)), a), z = dd_times(v, v);
  const real x = z.hi;
  real d = K(691472.268851313);
  d = FMA(x, d, K(-36108.77125372499));
  d = FMA(x, d, K(2193.1033333333335));
  d = FMA(x, d, K(-156.84828462600203));
  d = FMA(x, d, K(13.402864044168393));
  d = FMA(x, d, K(-1.3924322169059011));
  d = FMA(x, d, K(0.17964437236883057));
  d = FMA(x, d, K(-0.029550653594771242));
  dd p = dd_of(x * d, K(0.0));
  p = dd_step_(K(0.00641025641025641), K(2.2240044563805217e-19), p);
  p = dd_step_(K(-0.0019175269175269176), K(1.0675702776872475e-19), dd_times(z, p));
  p = dd_step_(K(0.0008417508417508417), K(3.6870174889237694e-20), dd_times(z, p));
  p = dd_step_(K(-0.0005952380952380953), K(5.36938218754726e-20), dd_times(z, p));
  p = dd_step_(K(0.0007936507936507937), K(6.883823317368282e-22), dd_times(z, p));
  p = dd_step_(K(-0.002777777777777778), K(1.0601087908747154e-19), dd_times(z, p));
  p = dd_step_(K(0.08333333333333333), K(4.625929269271485e-18), dd_times(z, p));
  return dd_times(v, p);
}
/* The same for any a > 0, given log a, absolute error below 500 u: for a < 24 from a + 24, whose Gamma function is
 * a (a + 1) ... (a + 23) times that of a. */
DEV_FN dd dd_stirling(dd a, dd log_a) {
  const flag few = a.hi < K(24.0);
  const dd c = dd_select(few, a, dd_of(K(1.0), K(0.0)));
  dd product = c;
  ONE_TEXT for (i32 j = 1; j < 24; j++) product = dd_times(product, dd_plus(c, dd_of((real)j, K(0.0))));
  const dd up = dd_plus(c, dd_of(K(24.0), K(0.0))), rest = dd_stirling_far_(dd_select(few, up, a));
  const dd high = dd_times(dd_minus(up, dd_of(K(0.5), K(0.0))), dd_log(up));
  const dd low = dd_times(dd_minus(c, dd_of(K(0.5), K(0.0))), log_a);
  const dd moved = dd_minus(dd_minus(dd_minus(high, low), dd_of(K(24.0), K(0.0))), dd_log(product));
  return dd_select(few, dd_plus(rest, moved), rest);
}

#endif
