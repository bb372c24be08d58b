/* beta.h: both tails of the beta distribution with shapes a and b at x, y = 1 - x,
 *     I_x(a, b) = integral of t^(a-1) (1 - t)^(b-1) over [0, x]/B(a, b), and I_y(b, a) = 1 - I_x(a, b).
 * With n = a + b and the deviance D = a log(a/(n x)) + b log(b/(n y)), in two doubles the sum of those of n x from a
 * and of n y from b (poisson_tail.h),
 *     x^a y^b/B(a, b) = exp(-D) (a b/n) f(a) f(b)/f(n),  f(a) = a^a e^-a/Gamma(a + 1)
 * (C. Loader, Fast and accurate computation of binomial probabilities, 2000). A tail is F exp(-D), on the side where
 * x <= a/n, with F by
 *     x^a y^b/(a B) (1 + n x/(a + 1) (1 + (n + 1) x/(a + 2) (1 + ...))) for n x <= (a + 1)/2 and x <= 1/2;
 *     for n x y >= RULE_FROM the integral over s of exp(-c s - n (log(x + y e^s) - y s)), c = a - n x, which is that
 *     of the density by logit t = logit x - s: Gauss and Legendre's rule of 24 nodes up to where the exponent is
 *     -37 or a little less, relative error 2e-16 for any c; the second term by its series in s up to s^18, in which
 *     nothing cancels and what is left out changes less than 2e-17;
 *     a continued fraction otherwise (BFRAC of A. R. DiDonato and A. H. Morris, Algorithm 708, ACM TOMS 18, 1992),
 *     from its last term that counts;
 *     x^a/(a B) (1 + a S), S = sum (1 - b)_k x^k/(k! (a + k)), for a < 1 and x small, where 1 - I keeps its digits as
 *     in gamma.h. */
#ifndef STATCL_BETA_H
#define STATCL_BETA_H

#include "kernels/gamma/gamma.h"
#include "kernels/beta/beta_coef.h"
#include "kernels/beta/beta_par.h"

#define RULE_FROM_ K(64)

/* The variable, for each lane: what compares it then becomes a vector mask as all else does. */
#define KIND_OF_LANES(kind)                                                                                  \
  real kinds[LANES];                                                                                         \
  LANE_LOOP(l) kinds[l] = kind;

/* D + *lo, and c = a - n x; x + x_lo and y + y_lo are 1 together, and b_lo is what a second shape may have beyond a
 * double. Of the rounding errors of means and shapes m - a the first two powers count, (m - a)/m and 1/(2 m). */
DEV_FN real beta_deviance_(real a, real b, real b_lo, real x, real x_lo, real y, real y_lo, real *c, real *lo) {
  real n_lo, at_lo, bt_lo, ad_lo, bd_lo, all_lo, e;
  const real n = two_sum(a, b, &n_lo), part = n > K(1e290) ? K(5.421010862427522e-20) : K(1); /* 2^-64 */
  const real whole = n > K(1e290) ? K(18446744073709551616.0) : K(1), m = n * part;
  const real at = two_prod(m, x, &at_lo) * whole, bt = two_prod(m, y, &bt_lo) * whole, rest = n_lo + b_lo;
  const real a_rest = FMA(n, x_lo, FMA(rest, x, at_lo * whole));
  const real b_rest = FMA(n, y_lo, FMA(rest, y, bt_lo * whole)) - b_lo;
  const real ad = deviance_(at, a, 0, &ad_lo), bd = deviance_(bt, b, 0, &bd_lo), d = two_sum(ad, bd, &e);
  *c = (a - at) - a_rest;
  const real by_b = 1 / max_(bt, REAL_MIN_), a_gap = at - a, b_gap = bt - b, r = clamp_(b_gap * by_b, K(-1), K(1));
  const real a_move = a_rest / max_(at, REAL_MIN_) * FMA(K(0.5), a_rest, a_gap);
  const real b_move = FMA(b_rest * by_b, FMA(K(0.5), b_rest, b_gap), K(-0.5) * b_lo * r * r);
  const real all = two_sum(d, e + (ad_lo + bd_lo) + (a_move + b_move), &all_lo);
  *lo = d <= REAL_MAX_ ? all_lo : K(0);
  return d <= REAL_MAX_ ? all : d;
}

/* (a b/n) f(a) f(b)/f(n) */
DEV_FN real beta_peak_(real a, real b) {
  flag small_a, small_b, small_n;
  const real n = a + b, ra = log_peak_rest_(a, &small_a), rb = log_peak_rest_(b, &small_b);
  const real rest = (ra + rb) - log_peak_rest_(n, &small_n);
  /* where f(a) has 1/sqrt(2 pi a), a f(a) has sqrt(a/(2 pi)) */
  const real by = K(0.15915494309189535), of_a = small_a ? a * a : a * by, of_b = small_b ? b * b : b * by;
  const real of_n = small_n ? n * n : n * by;
  const flag tiny = (a < K(1e-140)) | (b < K(1e-140)); /* whose square is no number */
  const real root = sqrt(of_a * (of_b / of_n)), plain = tiny ? min_(a, b) * (max_(a, b) / n) : root;
  return exp_times_core_(rest, plain);
}

/* log Gamma(a + b) - log Gamma(b) - log Gamma(a + 1) + a log x, 0 < a <= 1, with an error below eps a: by Stirling's
 * series at b or, where b < 10, at b + 10, and its divided difference. r + r_lo: the product of 1 + a/(b + k) for
 * k < 10, less 1; of 1 + a/k for 0 < k < b where b is one of FEW_WHOLE_, and nothing else needed. */
#define FEW_WHOLE_(b) (((b) <= K(11)) & (((b) + ROUND_) - ROUND_ == (b)))
DEV_FN real log_ratio_(real a, real b, real x, real r, real r_lo, real *lo) {
  const flag up = b < 10, few = FEW_WHOLE_(b);
  real p = 0, q = 0, log_lo, e, e2, product_lo;
  const real base = up ? b + 10 : b, top = base + a, v1 = 1 / top, v2 = 1 / base, z1 = v1 * v1, z2 = v2 * v2;
#define BERNOULLI_STEP(c) q = FMA(q, z1, p); p = FMA(p, z2, K(c));
  BERNOULLI_STEP(0.17964437236883057) BERNOULLI_STEP(-0.029550653594771242) BERNOULLI_STEP(0.00641025641025641)
  BERNOULLI_STEP(-0.0019175269175269176) BERNOULLI_STEP(0.0008417508417508417) BERNOULLI_STEP(-0.0005952380952380953)
  BERNOULLI_STEP(0.0007936507936507937) BERNOULLI_STEP(-0.002777777777777778) BERNOULLI_STEP(0.08333333333333333)
#undef BERNOULLI_STEP
  /* v1 S(z1) - v2 S(z2) = (v1 - v2) (S(z2) + v1 (v1 + v2) S[z1, z2]), v1 - v2 = -a v1 v2 */
  const real stirling = -a * v1 * v2 * FMA(v1 * (v1 + v2), q, p);
  const real a2 = a * a, a4 = a2 * a2, xb = two_prod(x, few ? K(1) : top, &e);
  const real log_x = log_dd(max_(xb, K(5e-324)), xb > K(1e-280) ? e : K(0), &log_lo), main = two_prod(a, log_x, &e);
  const real whole = two_sum(K(1), r, &e2), product = log_dd(whole, e2 + r_lo, &product_lo);
  /* (base - 1/2) log(1 + u) - a without cancellation, u = a/base: v (u - z R(z)) is u - log(1 + u) */
  const real u = a * v2, v = u / (2 + u), z = v * v, zz = z * z, z4 = zz * zz;
  const real near = base * v * FMA(-z, LOG_R(z, zz, z4), u);
  const real rest = stirling - FMA(K(0.5), log1p_(u), near) - a * LGAM_L(a, a2, a4);
  const real of_few = few ? product : -product, lo_of_few = few ? product_lo : -product_lo;
  const real first = two_sum(main, (few | up) ? of_few : K(0), &e2);
  const real low = FMA(a, log_lo, e + e2) + ((few | up) ? lo_of_few : K(0));
  return two_sum(first, low + (few ? K(0) : rest), lo);
}

DEV_FN flag small_side_(real a, real b, real x) { return (a < 1) & (x <= K(0.5)) & (b * x <= K(0.8)); }

/* Which of the ways serves: the number of its list; *upper: on the side of y? */
DEV_FN real beta_way_(real a, real b, real x, real y, real *upper) {
  const flag here = small_side_(a, b, x), there = small_side_(b, a, y), over = b * x > a * y;
  const flag up = !here & (there | over);
  const real n = a + b, shape = up ? b : a, at = up ? y : x;
  const flag series = (n * at <= K(0.5) * (shape + 1)) & (at <= K(0.5)), rule = n * x * y >= RULE_FROM_;
  const real other = series ? K(BETA_LIST_SERIES) : (rule ? K(BETA_LIST_RULE) : K(BETA_LIST_FRACTION));
  *upper = up ? K(1) : K(0);
  return (here | there) ? K(BETA_LIST_SMALL) : other;
}

/* F for the lower tail of the side by its factor J = F/peak, and the rate, which is 1/J: x y times the density by the
 * tail. */
DEV_BLOCK_FN void by_rule(const real *a, const real *b, const real *x, const real *y, const real *c, real *j) {
  real range[LANES], square[LANES], slope[LANES], sum[LANES], share[LANES], turn[LANES];
  real k[CUMULANT_ORDER - 1][LANES];
  LANE_LOOP(l) {
    const real q = x[l] * y[l], d = x[l] - y[l], v = (a[l] + b[l]) * q, w = max_(c[l], K(0));
    /* up to where w s + v s^2/2 is 37, in units in which no square is too large, and a step of Newton's with the
     * terms up to s^4; half of it */
    const real unit = max_(w, v) > K(1e150) ? K(7.458340731200207e-155) : K(1), wide = w * unit;
    const real s = K(74) / (w + sqrt(FMA(wide, wide, K(74) * (v * unit) * unit)) * (1 / unit)), u = v * s * s;
    const real more = u * s * FMA(FMA(K(-6), q, K(1)), s * K(0.041666666666666664), d * K(0.16666666666666666));
    range[l] = K(0.5) * (s - s * more / FMA(w, s, u * FMA(K(0.5) * d, s, K(1))));
    slope[l] = w;
    square[l] = v;
    sum[l] = 0;
    share[l] = q;
    turn[l] = d;
  }
  OVER_FEW for (i32 i = 0; i < CUMULANT_ORDER - 1; i++) {
    LANE_LOOP(l) k[i][l] = 0;
    ONE_TEXT for (i32 j = CUMULANT_COUNT - 1; j >= 0; j--) {
      const real c = cumulant[i][j];
      LANE_LOOP(l) k[i][l] = FMA(k[i][l], share[l], c);
    }
    LANE_LOOP(l) k[i][l] *= i % 2 == 1 ? turn[l] : K(1);
  }
  for (i32 i = LEGENDRE_COUNT - 1; i >= 0; i--) { /* small terms first */
    const real node = 1 + legendre_node[i], weight = legendre_weight[i];
    LANE_LOOP(l) {
      const real s = range[l] * node, s2 = s * s;
      real even = k[16][l], odd = k[15][l];
#define RULE_TERM(e, o) even = FMA(even, s2, k[e][l]); odd = FMA(odd, s2, k[o][l]);
      RULE_TERM(14, 13) RULE_TERM(12, 11) RULE_TERM(10, 9) RULE_TERM(8, 7) RULE_TERM(6, 5) RULE_TERM(4, 3)
      RULE_TERM(2, 1)
#undef RULE_TERM
      even = FMA(even, s2, k[0][l]);
      const real rise = FMA(s, odd, even);
      sum[l] = FMA(weight, exp_core_(-FMA(square[l] * s2, rise, slope[l] * s)), sum[l]);
    }
  }
  LANE_LOOP(l) j[l] = range[l] * sum[l];
}

/* 1 + n x/(a + 1) (1 + (n + 1) x/(a + 2) (...)); p/q is what follows the first 1 */
DEV_BLOCK_FN void by_series(const real *a, const real *b, const real *x, real *j) {
  real terms[LANES], unit[LANES], by[LANES];
  LANE_LOOP(l) {
    const real n = a[l] + b[l], f = max_(n * x[l] / (a[l] + 1), x[l]);
    terms[l] = min_(3 + K(21) * (1 + f) / max_(1 - f, K(0.1)), K(64));
    unit[l] = 1 / (a[l] + 1);
    by[l] = x[l] * unit[l];
  }
  QUOTIENT_TERMS
  for (i32 i = (i32)most; i > 0; i--) {
    const real index = i;
    LANE_LOOP(l) {
      const real next_p = (a[l] + b[l] + (index - 1)) * by[l] * (q[l] + p[l]);
      const real next_q = (a[l] + index) * unit[l] * q[l];
      QUOTIENT_STEP(l, index, next_p, next_q)
    }
    QUOTIENT_IN_RANGE(i)
  }
  LANE_LOOP(l) j[l] = (1 + p[l] / q[l]) / a[l];
}

DEV_FN real beta_fraction_terms_(real n, real x, real y) {
  const real far = min_(98 / max_(n * y, K(0.5)), 10 / sqrt(y));
  return 10 + K(3.3) * sqrt(min_(n * x * y, K(400))) + far;
}
/* With D_i = a + 2 i - 1 and w = i (b - i) x, t_i = alpha_i/(beta_i + t_(i+1)),
 *   alpha_i D_i^2 = (a + i - 1) (n + i - 1) x w,
 *   beta_i D_i D_(i+1) = (i D_i + w) D_(i+1) + (a + i) D_i (c + 1 + i (1 + y)),
 * p/q is t_i D_i D_(i-1), and t_1 D_1 at the end; a + i and D_i are in units of D_1. */
DEV_BLOCK_FN void by_fraction(const real *a, const real *b, const real *x, const real *y, const real *c, real *j) {
  real terms[LANES], unit[LANES], by[LANES];
  LANE_LOOP(l) {
    terms[l] = beta_fraction_terms_(a[l] + b[l], x[l], y[l]);
    unit[l] = 1 / (a[l] + 1);
    by[l] = x[l] * unit[l];
  }
  QUOTIENT_TERMS
  for (i32 k = (i32)most; k > 0; k--) {
    const real i = k, first = k == 1 ? K(1) : K(0);
    LANE_LOOP(l) {
      const real w = i * ((b[l] - i) * by[l]), here = (a[l] + (2 * i - 1)) * unit[l];
      const real above = (a[l] + (2 * i + 1)) * unit[l], below = first > 0 ? K(1) : (a[l] + (2 * i - 3)) * unit[l];
      const real alpha = (a[l] + (i - 1)) * unit[l] * ((a[l] + b[l] + (i - 1)) * x[l]) * w;
      const real last = (a[l] + i) * unit[l] * here * (c[l] + 1 + FMA(i, y[l], i));
      const real next_p = alpha * (below * above) * q[l];
      const real next_q = FMA(FMA(FMA(i, here, w), above, last), q[l], p[l]);
      QUOTIENT_STEP(l, i, next_p, next_q)
    }
    QUOTIENT_IN_RANGE(k)
  }
  LANE_LOOP(l) j[l] = 1 / (a[l] * unit[l] * (c[l] + 1) + p[l] / q[l]);
}

/* Lanes of a shape below 1 and its side's x small, for beta_tails(). S up to 56 terms, up to 24 for x <= 0.17: of
 * what is left out none is above 1e-18, for x <= 1/2 and b x <= 1.5. */
DEV_BLOCK_FN void by_power_of_x(const real *a, const real *b, const real *x, const real *y, const real *way, real *f,
                                real *dev, real *dev_lo, real *upper, real *rate) {
  real s[LANES], r[LANES], at[LANES], product[LANES], product_lo[LANES], terms[LANES];
  LANE_LOOP(l) {
    const flag own = way[l] == BETA_LIST_SMALL, up = upper[l] != 0;
    s[l] = own ? (up ? b[l] : a[l]) : K(0.5);
    r[l] = own ? (up ? a[l] : b[l]) : K(0.5);
    at[l] = own ? (up ? y[l] : x[l]) : K(0.1);
    product[l] = product_lo[l] = 0;
  }
  for (i32 k = 0; k < 10; k++) {
    const real index = k;
    LANE_LOOP(l) {
      const flag few = FEW_WHOLE_(r[l]);
      const real by = few ? index + 1 : r[l] + index, on = (few & (index + 1 >= r[l])) ? K(0) : s[l];
      real t_lo, p_lo, e, e2;
      const real t = on / by, back = two_prod(t, by, &t_lo), p = two_prod(product[l], t, &p_lo);
      const real one = two_sum(product[l], t, &e), all = two_sum(one, p, &e2);
      product_lo[l] = FMA(product_lo[l], t, product_lo[l]) + ((((on - back) - t_lo) / by + e) + (e2 + p_lo));
      product[l] = all;
    }
  }
  LANE_LOOP(l) terms[l] = at[l] <= K(0.17) ? K(24) : K(56);
  QUOTIENT_TERMS
  for (i32 k = (i32)most; k > 0; k--) {
    const real index = k, by = 1 / index;
    LANE_LOOP(l) {
      const real next_p = (index - r[l]) * by * at[l] * FMA(s[l] + index, p[l], q[l]);
      const real next_q = (s[l] + index) * q[l];
      QUOTIENT_STEP(l, index, next_p, next_q)
    }
    QUOTIENT_IN_RANGE(k)
  }
  LANE_LOOP(l) {
    real lo;
    const flag own = way[l] == BETA_LIST_SMALL;
    const real log_power = log_ratio_(s[l], r[l], at[l], product[l], product_lo[l], &lo), by = s[l] * (p[l] / q[l]);
    const real power = exp_(log_power);
    const real other = -expm1_(log_power) - power * (by + lo), density = s[l] * exp_(r[l] * log1p_(-at[l]));
    const flag turned = other < K(0.5);
    const real factor = turned ? other : 1 + by, main = turned ? K(0) : -log_power, low = turned ? K(0) : -lo;
    const real by_density = (turned ? density * power : density) / factor;
    f[l] = own ? factor : f[l];
    dev[l] = own ? main : dev[l];
    dev_lo[l] = own ? low : dev_lo[l];
    rate[l] = own ? by_density : rate[l];
    upper[l] = (own & turned) ? 1 - upper[l] : upper[l];
  }
}

/* F and the rate of a block whose deviances and slopes are known; way and upper are those of beta_way_(). */
DEV_BLOCK_FN void beta_factors(const real *a, const real *b, const real *peak, const real *x, const real *y,
                               const real *way, const real *slope, real *f, real *dev, real *dev_lo, real *upper,
                               real *rate) {
  real p[LANES], q[LANES], u[LANES], v[LANES], c[LANES], j[LANES];
  i32 count[BETA_LISTS] = {0, 0, 0, 0};
  for (i32 l = 0; l < LANES; l++)
    OVER_FEW for (i32 k = 0; k < BETA_LISTS; k++) count[k] += way[l] == k;
  LANE_LOOP(l) {
    f[l] = peak[l];
    rate[l] = 1;
  }
  OVER_FEW for (i32 k = 0; k < BETA_LIST_SMALL; k++) {
    if (count[k] == 0) continue;
    LANE_LOOP(l) { /* on the side of the tail; lanes that go another way get what any way serves */
      const flag own = way[l] == k, up = upper[l] != 0;
      p[l] = own ? (up ? b[l] : a[l]) : K(1000);
      q[l] = own ? (up ? a[l] : b[l]) : K(1000);
      u[l] = own ? (up ? y[l] : x[l]) : K(0.5);
      v[l] = own ? (up ? x[l] : y[l]) : K(0.5);
      c[l] = own ? (up ? -slope[l] : slope[l]) : K(0);
    }
    if (k == BETA_LIST_RULE) by_rule(p, q, u, v, c, j);
    if (k == BETA_LIST_SERIES) by_series(p, q, u, j);
    if (k == BETA_LIST_FRACTION) by_fraction(p, q, u, v, c, j);
    LANE_LOOP(l) {
      const flag own = way[l] == k;
      f[l] = own ? f[l] * j[l] : f[l];
      rate[l] = own ? 1 / j[l] : rate[l];
    }
  }
  if (count[BETA_LIST_SMALL] > 0) by_power_of_x(a, b, x, y, way, f, dev, dev_lo, upper, rate);
}

/* Either tail at x and y, whose sum with x_lo and y_lo is 1: the smaller one up to what is near the median, as
 * f exp(-dev - dev_lo); upper: is it I_y(b, a)? rate: x y times the density by the tail; slope: c = a - n x. */
DEV_BLOCK_FN void beta_tails(const real *a, const real *b, const real *x, const real *x_lo, const real *y,
                             const real *y_lo, real *f, real *dev, real *dev_lo, real *upper, real *rate,
                             real *slope) {
  real way[LANES], peak[LANES];
  LANE_LOOP(l) way[l] = beta_way_(a[l], b[l], x[l], y[l], &upper[l]);
  ANY_LANE(plain, way[l] != BETA_LIST_SMALL)
  if (plain > 0) {
    LANE_LOOP(l)
      dev[l] = beta_deviance_(a[l], b[l], K(0), x[l], x_lo[l], y[l], y_lo[l], &slope[l], &dev_lo[l]);
    LANE_LOOP(l) peak[l] = beta_peak_(a[l], b[l]);
  } else {
    LANE_LOOP(l) {
      slope[l] = a[l] - (a[l] + b[l]) * x[l]; /* few digits will do */
      dev[l] = dev_lo[l] = peak[l] = 0;
    }
  }
  beta_factors(a, b, peak, x, y, way, slope, f, dev, dev_lo, upper, rate);
}

/* Of t and F the shapes are halves of degrees of freedom, which must be positive and may be infinite. */
DEV_FN real shape_of_(real shape, flag is_x) { return (is_x | !(shape > K(1e60))) ? shape : K(1e60); }
DEV_FN flag shapes_known_(real a, real b, flag is_x) { return (a >= 0) & (b >= 0) & (is_x | ((a > 0) & (b > 0))); }
#define SHAPES_OF_LANES                                                                                      \
  KIND_OF_LANES(par[BETA_KIND])                                                                              \
  LANE_LOOP(l) {                                                                                             \
    const flag is_x = kinds[l] == BETA_IS_X;                                                                 \
    const real by = is_x ? K(1) : K(0.5), first = shape_of_(a[l] * by, is_x);                                \
    a[l] = kinds[l] == BETA_IS_T ? K(0.5) : first;                                                           \
    b[l] = shape_of_(b[l] * by, is_x);                                                                       \
  }

/* beta_tails() where part is the smaller one of x and y, y where up is 1. */
#define BETA_TAILS_AT                                                                                        \
  real x[LANES], x_lo[LANES], y[LANES], y_lo[LANES], f[LANES], dev[LANES], dev_lo[LANES];                    \
  real upper[LANES], rate[LANES], slope[LANES];                                                              \
  LANE_LOOP(l) {                                                                                             \
    real part_lo;                                                                                            \
    const real rest = two_sum(K(1), -part[l], &part_lo);                                                     \
    const flag turned = up[l] != 0;                                                                          \
    x[l] = turned ? rest : part[l];                                                                          \
    x_lo[l] = turned ? part_lo : K(0);                                                                       \
    y[l] = turned ? part[l] : rest;                                                                          \
    y_lo[l] = turned ? K(0) : part_lo;                                                                       \
  }                                                                                                          \
  beta_tails(a, b, x, x_lo, y, y_lo, f, dev, dev_lo, upper, rate, slope);

#endif
