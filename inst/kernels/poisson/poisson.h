/* poisson.h: quantiles of the Poisson distribution from its smaller tail.
 *
 * Q(x, lambda), the regularised upper incomplete gamma function in its first argument, is P(N < x) at whole x, so
 * that the quantile of p is floor(x) for the x with Q(x, lambda) = p. With w = Phi^-1(p), s = w/sqrt(lambda) and r
 * such that sign(r - 1) sqrt(2 (1 - r + r log r)) = s,
 *     x = lambda r + c_0(r) + c_1(r)/lambda + ...,  c_0 = log(s sqrt(r)/(r - 1))/log r
 * (N. M. Temme, Asymptotic inversion of incomplete gamma functions, Math. Comp. 58, 1992; M. B. Giles, Algorithm 955:
 * approximation of the inverse Poisson cumulative distribution function, ACM TOMS 42, 2016). */
#ifndef STATCL_POISSON_H
#define STATCL_POISSON_H

#include "kernels/common/elementary.h"
#include "kernels/poisson/poisson_coef.h"
#include "kernels/poisson/poisson_par.h"

#if SINGLE
#define POISSON_SUMS K(POISSON_SUMS_SINGLE)
#define POISSON_FAR K(6.1e-05) /* sums of probabilities do without smaller upper tails */
#define TAIL_LEAST_ K(1e-37)
#else
#define POISSON_SUMS K(POISSON_SUMS_DOUBLE)
#define POISSON_FAR K(1e-12)
#define TAIL_LEAST_ K(1e-300)
#endif

/* floor(x), |x| < SCALE_/2, in operations that every instruction set has */
DEV_FN real floor_(real x) {
  const real n = (x + ROUND_) - ROUND_;
  return n > x ? n - K(1.0) : n;
}
/* floor(x) and the next whole number, for x >= 0 */
DEV_FN real floor_large_(real x) {
  const real n = (x + SCALE_) - SCALE_, down = n > x ? n - K(1.0) : n;
  return x < SCALE_ ? down : x;
}
DEV_FN real nearest_(real x) {
  const real n = (x + SCALE_) - SCALE_;
  return x < SCALE_ ? n : x;
}

/* |Phi^-1(u)| where 4 u (1 - u) > e^(-25/4), that is u > 4.83e-4: relative error 6e-16; there *beyond is not
 * positive. The form is that of M. Giles, Approximating the erfinv function, GPU Computing Gems (2011). */
DEV_FN real normal_centre_(real u, real *beyond) {
  const real z = max_(K(4.0) * u * (K(1.0) - u), TAIL_LEAST_);
  const real t = -log_core_(z) - K(3.125), t2 = t * t, t4 = t2 * t2;
  *beyond = t - K(3.125);
  return (K(1.0) - K(2.0) * u) * NORMAL_P(t, t2, t4);
}

/* -Phi^-1(u) from log u <= -log 2: Newton's steps on log Phi(-w) = -w^2/2 + log(erfcx(w/sqrt 2)/2), whose slope is
 * -sqrt(2/pi)/erfcx, from Abramowitz and Stegun's 26.2.22 (1964; error 3e-3). */
DEV_FN real normal_step_(real near, real w) {
  const real e = erfcx_core_(max_(w, K(0.0)) * K(0.7071067811865476));
  const real f = FMA(K(-0.5) * w, w, log_core_(K(0.5) * e)) - near;
  return FMA(K(1.2533141373155003) * e, f, w);
}
DEV_FN real normal_far_(real log_u) {
  const real near = max_(log_u, K(-1e20)), a = K(-2.0) * near, t = sqrt(a);
  real w = t - FMA(K(0.27061), t, K(2.30753)) / FMA(K(0.04481), a, FMA(K(0.99229), t, K(1.0)));
  w = normal_step_(near, normal_step_(near, normal_step_(near, w)));
  return log_u < near ? K(1.4142135623730951) * sqrt(-log_u) : w; /* beyond, the logarithm is all squares */
}
/* The same for log u > -1e4 with an error of 1e-7, by one step from 26.2.23 (error 4.5e-4). */
DEV_FN real normal_roughly_(real log_u) {
  const real near = max_(log_u, K(-1e4)), a = K(-2.0) * near, t = sqrt(a);
  const real top = FMA(K(0.010328), a, FMA(K(0.802853), t, K(2.515517)));
  return normal_step_(near, t - top / FMA(FMA(K(0.001308), t, K(0.189269)), a, FMA(K(1.432788), t, K(1.0))));
}

/* x - lambda for |s| < 1.18: an error below 3e-6 + 0.2/lambda^2 where |w| < 3.3 and lambda >= 8; for |s| < 0.54 below
 * 1e-6 + 1e-7 w^2 + 1e-2/lambda; for |s| < 1.18, |w| < 20 and lambda >= 8 below 2e-3 + 3e-5 w^2
 * (tests/engine/test_poisson.c). */
DEV_FN real quantile_shift_(real w, real s, real root, real by_lambda) {
  const real s2 = s * s, s4 = s2 * s2;
  const real rise = FMA(s, QUANTILE_A(s, s2, s4), K(1.0));
  return FMA(root * w, rise, FMA(by_lambda, QUANTILE_C(s, s2, s4), QUANTILE_B(s, s2, s4)));
}

/* x for |s| >= 0.54: Newton's steps r <- (r - 1 + s^2/2)/log r. c_1 from Giles. 0 where lambda is reached and no
 * r left. For lambda >= 1e-280, |w| >= 3.2 and tails down to exp(-1e6) the error is below 1/20 where x >= 1/2
 * (tests/engine/test_poisson.c), and may be any below. */
DEV_FN real quantile_far_(real s, real lambda) {
  const flag up = s > K(0.0);
  const real y = min_(K(0.5) * s * s, LARGE_), rest = max_(K(1.0) - y, TAIL_LEAST_);
  real r = up ? K(1.0) + sqrt(K(2.0) * y) + y * K(0.3333333333333333) : rest / (K(1.0) - log_core_(rest));
#define RATIO_STEP r = (up ? (r - K(1.0)) + y : r - rest) / log_core_(r);
  RATIO_STEP RATIO_STEP RATIO_STEP RATIO_STEP RATIO_STEP RATIO_STEP
#undef RATIO_STEP
  const real c0 = log_core_(fabs(s) * sqrt(r) / fabs(r - K(1.0))) / log_core_(r);
  const real x = FMA(lambda, r, c0 - K(0.0218) / ((r + K(0.065)) * lambda));
  return (up | (y < K(1.0))) ? x : K(0.0);
}

#endif
