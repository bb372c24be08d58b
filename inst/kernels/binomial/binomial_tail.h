/* binomial_tail.h: tails of the binomial and negative binomial distributions. With a = k + 1, P(X > k) is I_x(a, b):
 * b = size - k and x = prob of the binomial, b = size and x = 1 - prob = mu/(size + mu) of the negative binomial
 * distribution. With n = a + b, d = n x - a = b x - a y and y = 1 - x (C. Loader, Fast and accurate computation of
 * binomial probabilities, 2000)
 *     x^a y^b/B(a, b) = exp(-D) sqrt(a b/(2 pi n)) exp(S(n) - S(a) - S(b)),
 *     D = a log(a/(n x)) + b log(b/(n y)) as a sum of two deviances, which are not negative,
 * S the rest of Stirling's formula, and this by y, times the integral of tail_integral.h, is the upper tail; by x,
 * with a and b, x and y exchanged, the lower one. */
#ifndef STATCL_BINOMIAL_TAIL_H
#define STATCL_BINOMIAL_TAIL_H

#include "kernels/binomial/binomial_par.h"
#include "kernels/common/tail_integral.h"
#include "kernels/poisson/poisson_deviance.h"

/* Beyond it a size of the negative binomial distribution is infinite: it is Poisson's but for mu^2/size, no 2^-106.
 * */
#define SIZE_MOST_ K(1e150)

/* b, x and y for whole a */
typedef struct {
  dd b, x, y;
} count_shape;
DEV_FN count_shape count_shape_of(i32 kind, real size, real second, real a) {
  const dd one = dd_of(K(1.0), K(0.0)), all = dd_sum2(size, kind == NEGATIVE_OF_MEAN ? second : K(0.0));
  const dd given = dd_of(second, K(0.0)), other = dd_sum2(K(1.0), -second), whole = dd_of(size, K(0.0));
  count_shape c;
  c.b = kind == BINOMIAL_OF_PROB ? dd_of(size - (a - K(1.0)), K(0.0)) : whole;
  c.x = kind == BINOMIAL_OF_PROB ? given : (kind == NEGATIVE_OF_PROB ? other : dd_by(given, all));
  c.y = kind == BINOMIAL_OF_PROB ? other : (kind == NEGATIVE_OF_PROB ? given : dd_by(whole, all));
  (void)one;
  return c;
}
/* b x - a y */
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

/* S(m + b) - S(m), m >= 25. Where m + b has too few digits for b it is b S'(m), which is below 1.4e-4 b, by
 * S' = -1/(12 m^2) + 1/(120 m^4) - ... (DLMF 5.11.2) in doubles; relative error 3e-15. */
DEV_FN dd stirling_rise(dd m, dd b) {
  const real v = 1 / m.hi, z = v * v;
  real d = K(0.00757575757575757576);
  d = FMA(-z, d, K(0.00416666666666666667));
  d = FMA(-z, d, K(0.00396825396825396825));
  d = FMA(-z, d, K(0.00833333333333333333));
  d = FMA(-z, d, K(0.08333333333333333333));
  const dd slope = dd_times(b, dd_of(-z * d, K(0.0)));
  return dd_select(b.hi < K(3.6e-15), slope, dd_minus(dd_stirling_far_(dd_plus(m, b)), dd_stirling_far_(m)));
}
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
  const dd rest_high = stirling_rise(end, b), rest_low = stirling_rise(start, b);
  const dd moved = dd_plus(dd_minus(high, low), dd_minus(rest_high, rest_low));
  *g = dd_plus(dd_times(b, dd_log(c.y)), dd_plus(dd_log1p(p), dd_select(a > K(25.0), moved, dd_of(K(0.0), K(0.0)))));
  *h = sum;
}
/* 1 - e^g (1 + h) */
DEV_FN dd few_failures_upper(dd g, dd h) {
  const dd less = dd_negative(dd_expm1_negative(g)), e = dd_minus(dd_of(K(1.0), K(0.0)), less);
  return dd_minus(less, dd_times(e, h));
}

/* ---- in doubles ---- */

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

/* S(a) for a >= 8, and for whole a from 1 on; absolute error below 2^-56 */
#define STIRLING_FEW(entry)                                                                                  \
  entry(1, K(0.08106146679532726)) entry(2, K(0.0413406959554093)) entry(3, K(0.02767792568499834))         \
  entry(4, K(0.020790672103765093)) entry(5, K(0.016644691189821193)) entry(6, K(0.013876128823070748))      \
  entry(7, K(0.01189670994589177))
DEV_FN real stirling_whole_(real a) {
  const real v = K(1.0) / max_(a, K(8.0)), z = v * v, z2 = z * z, z4 = z2 * z2;
  real s = v * LGAM_S(z, z2, z4);
#define FEW(k, value) s = a == K(k) ? value : s;
  STIRLING_FEW(FEW)
#undef FEW
  return a == K(0.0) ? K(0.0) : s;
}

/* a log(a/m) + m - a, m in two doubles, a >= 0 */
DEV_FN dd count_deviance(dd m, real a) {
  dd d;
  d.hi = deviance_(m.hi, a, 0, &d.lo);
  d.lo += m.hi > K(0.0) ? m.lo * (K(1.0) - a / m.hi) : K(0.0);
  return d;
}
/* D + s, s = S(a) + S(b) - S(n) */
DEV_FN dd count_exponent(dd x, dd y, real a, dd b, dd s) {
  const dd n = dd_plus(dd_of(a, K(0.0)), b), first = count_deviance(dd_times(n, x), a);
  const dd second = count_deviance(dd_times(n, y), b.hi);
  return dd_plus(dd_plus(first, second), s);
}
/* S(a) of any a > 0: below 8 from a + 8, whose Gamma function is a (a + 1) ... (a + 7) times that of a. Error 1e-16.
 * */
DEV_FN dd stirling_real_(real a) {
  const flag few = a < K(8.0);
  const real c = few ? a : K(1.0);
  dd product = dd_of(c, K(0.0)), l8, l0, l;
  for (i32 j = 1; j < 8; j++) product = dd_times(product, dd_sum2((real)j, c));
  const dd up = dd_sum2(K(8.0), c);
  l8.hi = log_dd(up.hi, up.lo, &l8.lo);
  l0.hi = log_dd(c, K(0.0), &l0.lo);
  l.hi = log_dd(product.hi, product.lo, &l.lo);
  const dd high = dd_times(dd_sum2(K(7.5), c), l8), low = dd_times(dd_sum2(K(-0.5), c), l0);
  const dd moved = dd_minus(dd_minus(dd_minus(high, low), l), dd_of(K(8.0), K(0.0)));
  const real far = stirling_whole_(few ? up.hi : a);
  return few ? dd_plus(moved, dd_of(far, K(0.0))) : dd_of(far, K(0.0));
}
/* s[l] + s_lo[l]: S(a) + S(b) - S(a + b); whole a, and of the binomial distribution whole b */
DEV_BLOCK_FN void stirling_parts(i32 kind, const real *a, const real *b, real *s, real *s_lo) {
  LANE_LOOP(l) {
    s[l] = (stirling_whole_(a[l]) + stirling_whole_(b[l])) - stirling_whole_(a[l] + b[l]);
    s_lo[l] = 0;
  }
  ANY_LANE(small, (kind != BINOMIAL_OF_PROB) & (b[l] < 8))
  if (small > 0)
    LANE_LOOP(l) {
      const dd v = dd_minus(stirling_real_(b[l]), stirling_real_(a[l] + b[l]));
      const dd sum = dd_plus(dd_of(stirling_whole_(a[l]), K(0)), v);
      s[l] = sum.hi;
      s_lo[l] = sum.lo;
    }
}

/* The smaller tail at k = a - 1 as f exp(-dev - dev_lo), P(X < a) where lower is not 0, else P(X >= a); the
 * parameters within their range, a >= 1, of the binomial distribution a <= size. rate: P(X = a - 1) of
 * a lower, P(X = a) of an upper tail as a share of it, which is what its logarithm changes by with a. */
DEV_BLOCK_FN void count_tails(i32 kind, const real *size, const real *second, const real *a, real *f, real *dev,
                              real *dev_lo, real *lower, real *rate) {
  tail_block block;
  real b[LANES], s[LANES], s_lo[LANES], by[LANES], few[LANES];
  LANE_LOOP(l) {
    const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
    const dd d = count_distance(c, a[l]);
    const flag is_lower = count_is_lower(c, d), is_few = FEW_FAILURES_(c.b.hi, a[l], c.y.hi);
    count_integrand(&block, l, c, a[l], d, is_lower);
    b[l] = c.b.hi;
    lower[l] = is_lower ? K(1) : K(0);
    by[l] = is_lower ? c.x.hi : c.y.hi;
    few[l] = is_few ? K(1) : K(0);
  }
  stirling_parts(kind, a, b, s, s_lo);
  tail_integrals(&block, f);
  LANE_LOOP(l) {
    const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
    const dd e = count_exponent(c.x, c.y, a[l], c.b, dd_of(s[l], s_lo[l]));
    const real of = (lower[l] != 0 ? (kind == BINOMIAL_OF_PROB ? b[l] : a[l] - 1 + b[l]) : a[l]) * f[l];
    rate[l] = (kind == BINOMIAL_OF_PROB || lower[l] != 0 ? K(1) : c.y.hi) / of;
    f[l] *= K(0.3989422804014327) * sqrt(a[l] / (a[l] + b[l]) * b[l]) / by[l];
    dev[l] = e.hi;
    dev_lo[l] = e.lo;
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
      const real upper = few_failures_upper(g, h).hi;
      /* P(X = a) = e^g x^a b/a, P(X = a - 1) = e^g x^(a - 1) b/(a - 1 + b) */
      const real log_x = log1p_(-c.y.hi), all = c.b.hi * exp_(is_lower ? (a[l] - 1) * log_x : FMA(a[l], log_x, g.hi));
      const real of_all = is_lower ? (a[l] - 1 + c.b.hi) * (K(1) + h.hi) : a[l] * upper;
      rate[l] = on ? all / of_all : rate[l];
      f[l] = on ? (is_lower ? K(1) + h.hi : upper) : f[l];
      dev[l] = on ? (is_lower ? -g.hi : K(0)) : dev[l];
      dev_lo[l] = on ? (is_lower ? -g.lo : K(0)) : dev_lo[l];
      lower[l] = on ? (is_lower ? K(1) : K(0)) : lower[l];
    }
}

#endif
