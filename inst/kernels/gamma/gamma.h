/* gamma.h: both tails of the gamma distribution with shape a and scale 1,
 *     P(a, x) = integral of t^(a-1) e^-t over [0, x] / Gamma(a), Q = 1 - P.
 * With the deviance D = x - a + a log(a/x) in two doubles (poisson_tail.h)
 *     x^a e^-x/Gamma(a + 1) = f(a) exp(-D),  f(a) = a^a e^-a/Gamma(a + 1)
 * (C. Loader, Fast and accurate computation of binomial probabilities, 2000). A tail is F exp(-D), whose relative
 * error does not grow with a and D, with F by
 *     Temme's uniform expansion (poisson_tail.h) for a >= 20 and x between a/2 and 2 a;
 *     P = x^a e^-x/Gamma(a + 1) (1 + x/(a + 1) (1 + x/(a + 2) (1 + ...))) for other x < a;
 *     Q = x^a e^-x/Gamma(a)/(x + 1 - a + t_1), t_n = n (a - n)/(x + 2 n + 1 - a + t_(n+1)), for other x (DLMF
 *     8.9.2, contracted), both from the last term that counts, so that the errors of early ones die out;
 *     x^a/Gamma(a + 1) (1 + a S), S = sum (-x)^n/(n! (a + n)), for a < 1 and x <= 1, where
 *     Q = (1 - x^a/Gamma(a + 1)) - x^a/Gamma(a + 1) a S keeps its digits also where it is of the size of a
 *     (A. R. DiDonato and A. H. Morris, Computation of the incomplete gamma function ratios and their inverse, ACM
 *     TOMS 12, 1986). */
#ifndef STATCL_GAMMA_H
#define STATCL_GAMMA_H

#include "kernels/poisson/poisson_tail.h"
#include "kernels/gamma/gamma_coef.h"
#include "kernels/gamma/gamma_par.h"

/* log f(a) and f(a) for a > 0, absolute error 1.2e-16, relative 2 ulp */
DEV_FN real log_peak_rest_(real a, flag *small) {
  const real v = 1 / max_(a, K(1)), v2 = v * v, v4 = v2 * v2, c = min_(a, K(1)), c2 = c * c, c4 = c2 * c2;
  const real large = -v * STIRLING_S(v, v2, v4), little = c * (log_core_(max_(c, REAL_MIN_)) - 1 - LGAM_L(c, c2, c4));
  *small = a < 1;
  return a < 1 ? little : large;
}
DEV_FN real gamma_peak_(real a) {
  flag small;
  const real rest = log_peak_rest_(a, &small);
  return exp_times_core_(rest, small ? K(1) : K(0.3989422804014327) / sqrt(a));
}
DEV_FN real log_gamma_peak_(real a) {
  flag small;
  const real rest = log_peak_rest_(a, &small);
  return rest - (small ? K(0) : FMA(K(0.5), log_core_(max_(a, K(1))), LOG_2PI_HALF_));
}

/* log(x^a/Gamma(a + 1)) for a <= 1 */
DEV_FN real log_power_(real a, real x, real *lo) {
  real log_lo, e, sum_lo;
  const real c = min_(a, K(1)), c2 = c * c, c4 = c2 * c2, log_x = log_dd(x, K(0), &log_lo);
  const real p = two_prod(c, log_x, &e), v = two_sum(p, -c * LGAM_L(c, c2, c4), &sum_lo);
  *lo = FMA(c, log_lo, e + sum_lo);
  return v;
}

/* Which of the ways above serves: the number of its list. */
DEV_FN real gamma_way_(real a, real x) {
  const flag uniform = (a >= 20) & (x >= K(0.5) * a) & (K(0.5) * x <= a), small = (a < 1) & (x <= 1);
  const real other = small ? K(GAMMA_LIST_SMALL) : (x < a ? K(GAMMA_LIST_SERIES) : K(GAMMA_LIST_FRACTION));
  return uniform ? K(GAMMA_LIST_UNIFORM) : other;
}

/* Terms of the series and of the continued fraction behind which nothing is above 2^-57. */
DEV_FN real series_terms_(real a, real x) {
  const real f = min_(x / a, K(1)), by_shape = FMA(9, sqrt(min_(a, K(30))), K(13));
  return min_(min_(by_shape, K(60)), 3 + K(21) * (1 + f) / max_(1 - f, K(0.1)));
}
DEV_FN real fraction_terms_(real a, real x) { return 10 + 98 / max_(x, K(0.5)) + K(0.5) * min_(a, K(20)); }

/* F and the deviance of a tail; upper: is it Q? rate: x times the density by the tail. */
DEV_BLOCK_FN void tails_uniform(const real *a, const real *x, real *f, real *dev, real *dev_lo, real *rate) {
  i32 n_close = 0;
  for (i32 l = 0; l < LANES; l++) n_close += CLOSE_(x[l], a[l]);
  if (LANES > 1 && n_close == LANES)
    LANE_LOOP(l) dev[l] = deviance_(x[l], a[l], 1, &dev_lo[l]);
  else
    LANE_LOOP(l) dev[l] = deviance_(x[l], a[l], 0, &dev_lo[l]);
  LANE_LOOP(l) {
    const real v = 1 / a[l], size = sqrt(2 * v * dev[l]), over = x[l] - a[l], root = K(0.3989422804014327) * sqrt(v);
    const real e = min_(copy_sign_(size, over), K(0.8)), t = max_(e, K(-0.7)), t2 = t * t, t4 = t2 * t2;
    const real far = FMA(v, FMA(v, FMA(v, TEMME_10(t, t2, t4), TEMME_9(t, t2, t4)), TEMME_8(t, t2, t4)),
                         TEMME_7(t, t2, t4));
    const real mid = FMA(v, FMA(v, FMA(v, far, TEMME_6(t, t2, t4)), TEMME_5(t, t2, t4)), TEMME_4(t, t2, t4));
    const real near = FMA(v, FMA(v, FMA(v, mid, TEMME_3(t, t2, t4)), TEMME_2(t, t2, t4)), TEMME_1(t, t2, t4));
    const real rest = FMA(v, near, TEMME_0(t, t2, t4)) * root;
    f[l] = half_erfcx_(dev[l]) + (over >= 0 ? rest : -rest);
    /* f(a) sqrt(2 pi a) by Stirling's series, 1e-9 */
    const real peak = FMA(v, FMA(v, FMA(v, FMA(v, K(-2.2947e-4), K(2.6813272e-3)), K(3.4722222222e-3)),
                                 K(-0.083333333333)), K(1));
    rate[l] = a[l] * root * peak / f[l];
  }
}

/* Sums and continued fractions go on as quotients p/q, for a division takes longer than all else of a term. After
 * every eighth q is 1 again, before either could leave the range of numbers. A lane's terms are not its neighbours',
 * or its bits would be. */
#define QUOTIENT_TERMS                                                                                       \
  real p[LANES], q[LANES], most = 0;                                                                         \
  LANE_LOOP(l) {                                                                                             \
    p[l] = 0;                                                                                                \
    q[l] = 1;                                                                                                \
  }                                                                                                          \
  for (i32 l = 0; l < LANES; l++) most = max_(most, terms[l]);
#define QUOTIENT_STEP(l, index, next_p, next_q)                                                              \
  p[l] = (index) <= terms[l] ? (next_p) : K(0);                                                              \
  q[l] = (index) <= terms[l] ? (next_q) : K(1);
#define QUOTIENT_IN_RANGE(k)                                                                                 \
  if ((k) % 8 == 0)                                                                                          \
    LANE_LOOP(l) {                                                                                           \
      p[l] /= q[l];                                                                                          \
      q[l] = 1;                                                                                              \
    }

/* 1 + x/(a + 1) (1 + x/(a + 2) (...)); p/q is what follows the first 1 */
DEV_BLOCK_FN void tails_series(const real *a, const real *x, real *f, real *dev, real *dev_lo, real *rate) {
  real terms[LANES], unit[LANES], by[LANES];
  LANE_LOOP(l) {
    dev[l] = deviance_(x[l], a[l], 0, &dev_lo[l]);
    terms[l] = series_terms_(a[l], x[l]);
    unit[l] = 1 / (a[l] + 1);
    by[l] = x[l] * unit[l];
  }
  QUOTIENT_TERMS
  for (i32 n = (i32)most; n > 0; n--) {
    const real index = n;
    LANE_LOOP(l) {
      const real next_p = by[l] * (q[l] + p[l]), next_q = (a[l] + index) * unit[l] * q[l];
      QUOTIENT_STEP(l, index, next_p, next_q)
    }
    QUOTIENT_IN_RANGE(n)
  }
  LANE_LOOP(l) {
    const real sum = 1 + p[l] / q[l];
    f[l] = gamma_peak_(a[l]) * sum;
    rate[l] = a[l] / sum;
  }
}

/* x + 1 - a + t_1, t_n = n (a - n)/(x - a + 2 n + 1 + t_(n+1)): p/q is t_n in units of x - a + 1 */
DEV_BLOCK_FN void fraction_rates(const real *a, const real *x, real *rate) {
  real terms[LANES], base[LANES], unit[LANES];
  LANE_LOOP(l) {
    terms[l] = fraction_terms_(a[l], x[l]);
    base[l] = x[l] - a[l];
    unit[l] = 1 / (max_(base[l], K(0)) + 1);
  }
  QUOTIENT_TERMS
  for (i32 n = (i32)most; n > 0; n--) {
    const real index = n, twice = 2 * n + 1;
    LANE_LOOP(l) {
      const real next_p = index * unit[l] * ((a[l] - index) * unit[l]) * q[l];
      const real next_q = FMA((base[l] + twice) * unit[l], q[l], p[l]);
      QUOTIENT_STEP(l, index, next_p, next_q)
    }
    QUOTIENT_IN_RANGE(n)
  }
  LANE_LOOP(l) rate[l] = (base[l] + 1) + p[l] / (q[l] * unit[l]);
}

DEV_BLOCK_FN void tails_fraction(const real *a, const real *x, real *f, real *dev, real *dev_lo, real *rate) {
  i32 n_small = 0;
  for (i32 l = 0; l < LANES; l++) n_small += a[l] < 1;
  LANE_LOOP(l) {
    dev[l] = deviance_(x[l], max_(a[l], K(1)), 0, &dev_lo[l]);
    f[l] = a[l] * gamma_peak_(a[l]);
  }
  if (n_small > 0) /* the deviance may be too large a number where the shape is tiny */
    LANE_LOOP(l) {
      real power_lo, e;
      const real power = log_power_(a[l], x[l], &power_lo), d = two_sum(x[l], -power, &e);
      const flag small = a[l] < 1;
      dev[l] = small ? d : dev[l];
      dev_lo[l] = small ? e - power_lo : dev_lo[l];
      f[l] = small ? a[l] : f[l];
    }
  fraction_rates(a, x, rate);
  LANE_LOOP(l) f[l] = f[l] / rate[l];
}

DEV_BLOCK_FN void tails_small(const real *a, const real *x, real *f, real *dev, real *dev_lo, real *upper,
                              real *rate) {
  real p[LANES], q[LANES]; /* of a sum, q at most 20! 21! */
  LANE_LOOP(l) p[l] = 0, q[l] = 1;
  /* Horner's rule; for x up to 1.3 what is left out is below 1.3^21/21!/21, 3e-19 */
  ONE_TEXT for (i32 k = 20; k > 0; k--) {
    const real index = k;
    LANE_LOOP(l) {
      const real under = index * (a[l] + index) * q[l];
      p[l] = -min_(x[l], K(1.3)) * FMA(a[l] + index, p[l], q[l]);
      q[l] = under;
    }
  }
  LANE_LOOP(l) {
    real lo;
    const real v = log_power_(a[l], x[l], &lo), by = a[l] * (p[l] / q[l]), power = exp_(v);
    const real over = -expm1_(v) - power * by, density = a[l] * exp_(-x[l]);
    const flag up = over < K(0.5);
    upper[l] = up ? K(1) : K(0);
    f[l] = up ? over : 1 + by;
    dev[l] = up ? K(0) : -v;
    dev_lo[l] = up ? K(0) : -lo;
    rate[l] = (up ? density * power : density) / f[l];
  }
}

/* Either tail at x > 0, both finite: the smaller one up to what is near the median. */
DEV_BLOCK_FN void gamma_tails(const real *a, const real *x, real *f, real *dev, real *dev_lo, real *upper,
                              real *rate) {
  real way[LANES];
  LANE_LOOP(l) {
    way[l] = gamma_way_(a[l], x[l]);
    upper[l] = x[l] >= a[l] ? K(1) : K(0);
  }
#if LANES == 1
  if (way[0] == GAMMA_LIST_UNIFORM) tails_uniform(a, x, f, dev, dev_lo, rate);
  if (way[0] == GAMMA_LIST_SERIES) tails_series(a, x, f, dev, dev_lo, rate);
  if (way[0] == GAMMA_LIST_FRACTION) tails_fraction(a, x, f, dev, dev_lo, rate);
  if (way[0] == GAMMA_LIST_SMALL) tails_small(a, x, f, dev, dev_lo, upper, rate);
#else
  real shape[LANES], at[LANES], way_f[LANES], way_dev[LANES], way_lo[LANES], way_rate[LANES], way_upper[LANES];
  i32 count[GAMMA_LISTS] = {0, 0, 0, 0};
  LANE_LOOP(l) f[l] = dev[l] = dev_lo[l] = rate[l] = 0;
  for (i32 l = 0; l < LANES; l++)
    OVER_FEW for (i32 k = 0; k < GAMMA_LISTS; k++) count[k] += way[l] == k;
  OVER_FEW for (i32 k = 0; k < GAMMA_LISTS; k++) {
    if (count[k] == 0) continue;
    /* lanes that go another way get what this one can serve */
    const real any_shape = k == GAMMA_LIST_UNIFORM ? K(30) : K(0.5), any_x = k == GAMMA_LIST_UNIFORM ? K(30) : K(0.5);
    LANE_LOOP(l) {
      const flag own = way[l] == k;
      shape[l] = own ? a[l] : any_shape;
      at[l] = own ? x[l] : (k == GAMMA_LIST_FRACTION ? K(60) : any_x);
      way_upper[l] = upper[l];
    }
    if (k == GAMMA_LIST_UNIFORM) tails_uniform(shape, at, way_f, way_dev, way_lo, way_rate);
    if (k == GAMMA_LIST_SERIES) tails_series(shape, at, way_f, way_dev, way_lo, way_rate);
    if (k == GAMMA_LIST_FRACTION) tails_fraction(shape, at, way_f, way_dev, way_lo, way_rate);
    if (k == GAMMA_LIST_SMALL) tails_small(shape, at, way_f, way_dev, way_lo, way_upper, way_rate);
    LANE_LOOP(l) {
      const flag own = way[l] == k;
      f[l] = own ? way_f[l] : f[l];
      dev[l] = own ? way_dev[l] : dev[l];
      dev_lo[l] = own ? way_lo[l] : dev_lo[l];
      upper[l] = own ? way_upper[l] : upper[l];
      rate[l] = own ? way_rate[l] : rate[l];
    }
  }
#endif
}

/* From memory, although it was read before: what follows from the shapes alone would be kept over all steps, in more
 * registers than there are. */
#define READ_AGAIN(place) (*(DEV_GLOBAL const volatile real *)&(place))

#endif
