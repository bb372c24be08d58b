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
  const dd b = c.b, half_less = dd_minus(b, dd_of(K(0.5), K(0.0)));
  /* product of 1 + b/j, j below min(a, 25), less 1 */
  dd p = dd_of(K(0.0), K(0.0)), term = dd_of(K(1.0), K(0.0)), sum = p, moved = p;
  ONE_TEXT for (i32 j = 1; j < 25; j++) {
    const dd by = dd_by(b, dd_of((real)j, K(0.0))), next = dd_plus(p, dd_plus(by, dd_times(p, by)));
    p = dd_select((real)j < a, next, p);
    term = dd_times(dd_times(term, c.y), dd_by(dd_of((real)j - a, K(0.0)), dd_of((real)j, K(0.0))));
    sum = dd_plus(sum, dd_times(term, dd_by(b, dd_plus(b, dd_of((real)j, K(0.0))))));
  }
  /* log(Gamma(m + b)/Gamma(m)) as b log m + (m + b - 1/2) log(1 + b/m) - b + S(m + b) - S(m) at max(a, 25), less that
   * at 25: nothing where these are the same */
  ONE_TEXT for (i32 pass = 0; pass < 2; pass++) {
    const dd m = dd_of(pass == 0 ? max_(a, K(25.0)) : K(25.0), K(0.0));
    const dd log_m = dd_times(b, dd_log(m)), more = dd_times(dd_plus(m, half_less), dd_log1p(dd_by(b, m)));
    const dd all = dd_plus(dd_plus(log_m, more), stirling_rise(m, b));
    moved = pass == 0 ? all : dd_minus(moved, all);
  }
  *g = dd_plus(dd_times(b, dd_log(c.y)), dd_plus(dd_log1p(p), moved));
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
  real before[LANES], before_lo[LANES], log_n[LANES], log_n_lo[LANES], few[LANES];
  LANE_LOOP(l) {
    const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
    const dd d = count_distance(c, a[l]);
    const flag is_lower = count_is_lower(c, d);
    count_integrand(&block, l, c, a[l], d, is_lower);
    before[l] = -LOG_2PI_HALF_;
    before_lo[l] = -LOG_2PI_HALF_LO_;
    log_n[l] = log_n_lo[l] = 0;
    lower[l] = is_lower ? K(1) : K(0);
    few[l] = FEW_FAILURES_(c.b.hi, a[l], c.y.hi) ? K(1) : K(0);
  }
  /* n with x or y by the side, then a with x and b with y: logarithms, S, and from a on deviances */
  ONE_TEXT for (i32 pass = 0; pass < 3; pass++)
    LANE_LOOP(l) {
      const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
      const dd d = count_distance(c, a[l]), k = dd_of(a[l], K(0)), n = dd_plus(k, c.b);
      const flag first = pass == 0, by_x = first ? lower[l] != 0 : pass == 1;
      const dd v = dd_select(first, n, dd_select(pass == 1, k, c.b)), log_v = dd_log(v);
      const dd log_w = dd_log(dd_select(by_x, c.x, c.y)), s = dd_stirling(v, log_v), root = dd_scaled(log_v, K(0.5));
      const dd log_m = dd_plus(dd_of(log_n[l], log_n_lo[l]), log_w);
      const dd e = deviance_exact(v, dd_select(pass == 1, d, dd_negative(d)), log_m, log_v);
      const dd of_n = dd_minus(dd_minus(s, root), log_w), of_others = dd_minus(dd_minus(root, s), e);
      const dd all = dd_plus(dd_of(before[l], before_lo[l]), dd_select(first, of_n, of_others));
      before[l] = all.hi;
      before_lo[l] = all.lo;
      log_n[l] = first ? log_v.hi : log_n[l];
      log_n_lo[l] = first ? log_v.lo : log_n_lo[l];
    }
  tail_integrals_exact(&block, value, value_lo);
  ANY_LANE(any, few[l] != 0)
  if (any > 0)
    LANE_LOOP(l) { /* value of a lower tail 1 + h, of an upper one itself, and what its logarithm is added to */
      count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
      const flag on = few[l] != 0;
      dd g, h;
      c.b = dd_select(on, c.b, dd_of(K(0.5), K(0)));
      c.y = dd_select(on, c.y, dd_of(K(1e-3) / a[l], K(0)));
      few_failures(c, a[l], &g, &h);
      const flag is_lower = g.hi < -LN2_;
      const dd v = dd_select(is_lower, dd_plus(dd_of(K(1), K(0)), h), few_failures_upper(g, h));
      value[l] = on ? v.hi : value[l];
      value_lo[l] = on ? v.lo : value_lo[l];
      before[l] = on ? (is_lower ? g.hi : K(0)) : before[l];
      before_lo[l] = on ? (is_lower ? g.lo : K(0)) : before_lo[l];
      lower[l] = on ? (is_lower ? K(1) : K(0)) : lower[l];
    }
  LANE_LOOP(l) {
    const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
    const dd up = dd_times(dd_of(COUNT_LIFT_, COUNT_LIFT_LO_), dd_of(c.lift * min_(a[l], K(1e290)), K(0)));
    const dd sum = dd_plus(dd_of(before[l], before_lo[l]), dd_log(dd_of(value[l], value_lo[l])));
    const dd all = dd_minus(sum, up);
    value[l] = all.hi;
    value_lo[l] = all.lo;
  }
}

#endif
