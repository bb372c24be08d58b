/* gamma_direct.h: quantiles of the gamma distribution by polynomials of two variables; no tail is evaluated.
 *     For shapes a >= 1 with s = w/sqrt(a), w the normal deviate of p, and v = 1/a,
 *     eta = s + v eps(s, v),  x = a lambda,  lambda - 1 - log lambda = eta^2/2
 * (N. M. Temme, Asymptotic inversion of incomplete gamma functions, Math. Comp. 58, 1992; DLMF 8.12(v)), where for
 * eps instead of his expansion in powers of v there is a polynomial for each of three ranges of a.
 *     For shapes below 1 by the power of x that P is near 0, z^a = p Gamma(a + 1): log(x/z) = y rho(y, a),
 * y = z/(a + 1), with a polynomial for rho.
 * What is left out of eta and log x is below 2e-16; the rounding errors of w are multiplied by up to 1.3. */
#ifndef STATCL_GAMMA_DIRECT_H
#define STATCL_GAMMA_DIRECT_H

#include "kernels/poisson/tail_inverse.h"
#include "kernels/gamma/gamma.h"
#include "kernels/gamma/gamma_quantile_coef.h"

#define NEAR_TAIL_ K(4.9e-4)     /* of which normal_centre_() is right to the last digit */
#define SMALL_TAIL_ K(1e-15)
#define SMALL_SHAPE_ K(0.06)     /* from which on powers 1/a of such tails are numbers */

/* The list of a shape a and a tail t of size u, with s; GAMMA_LIST_START where none of the polynomials serves. For
 * a < 1 p may be up to (0.27 (a + 1))^a/Gamma(a + 1), from below. */
DEV_FN real direct_way_(real a, real t, real u, real s) {
  const real most = FMA(a, FMA(a, FMA(a, K(-0.10329), K(0.362612)), K(-0.720001)), K(0.9993));
  const flag power = (a < 1) & (a >= SMALL_SHAPE_) & (t > 0 ? (u >= SMALL_TAIL_) & (u <= most) : 1 - u <= most);
  const flag many = (a >= 8) & (s >= K(-0.92)) & (s <= K(1.22));
  const flag some = (a < 8) & (a >= K(2.2223)) & (s >= K(-0.9)) & (s <= K(2.2));
  const flag few = (a < K(2.2223)) & (a >= 1) & (s >= K(-0.9)) & (s <= K(3.36)), near = u >= NEAR_TAIL_;
  const real by_shape = many ? K(GAMMA_LIST_MANY) : (some ? K(GAMMA_LIST_SOME) : K(GAMMA_LIST_FEW));
  return power ? K(GAMMA_LIST_POWER) : ((near & (many | some | few)) ? by_shape : K(GAMMA_LIST_START));
}

/* what is in [from, to] to [-1, 1] */
#define TO_UNIT_(x, from, to) FMA(x, K(2) / (K(to) - K(from)), -(K(to) + K(from)) / (K(to) - K(from)))

/* w/sqrt(a), and what it is rounded by */
DEV_FN real by_root_(real w, real a, real *lo) {
  const real root = sqrt(a), by = 1 / root, s = w * by;
  real e, e2;
  const real square = two_prod(root, root, &e), back = two_prod(s, root, &e2);
  *lo = by * (((w - back) - e2) - K(0.5) * s * by * ((a - square) - e));
  return s;
}
DEV_FN real by_many_(real a, real w) {
  const real v = 1 / a, s = w / sqrt(a), x = TO_UNIT_(s, -0.92, 1.22), x2 = x * x, x4 = x2 * x2;
  const real y = TO_UNIT_(v, 0, 0.125);
  const real t = FMA(v, SHIFT_MANY(x, x2, x4, y), s), t2 = t * t, t4 = t2 * t2;
  return a * FMA(t, FMA(t, RATIO_NEAR(t, t2, t4), K(1)), K(1));
}
DEV_FN real ratio_of_(real t) {
  const real t2 = t * t, t4 = t2 * t2;
  return exp_core_(t * LOG_RATIO(t, t2, t4));
}
DEV_FN real by_some_(real a, real w) {
  real s_lo;
  const real s = by_root_(w, a, &s_lo), v = 1 / a, x = TO_UNIT_(s, -1.12, 2.2), x2 = x * x, x4 = x2 * x2;
  const real y = TO_UNIT_(v, 0.125, 0.45);
  return a * ratio_of_(s + FMA(v, SHIFT_SOME(x, x2, x4, y), s_lo));
}
DEV_FN real by_few_(real a, real w) {
  real s_lo;
  const real s = by_root_(w, a, &s_lo), v = 1 / a, x = TO_UNIT_(s, -1.12, 3.36), x2 = x * x, x4 = x2 * x2;
  const real y = TO_UNIT_(v, 0.45, 1);
  return a * ratio_of_(s + FMA(v, SHIFT_FEW(x, x2, x4, y), s_lo));
}
/* log p/a in two doubles: for small a an eps of p does as much. */
DEV_FN real by_power_(real a, real t) {
  const real size = tail_size_(fabs(t)), a2 = a * a, a4 = a2 * a2;
  real log_lo, e, f;
  const real own = log_dd(size, K(0), &log_lo), other = log1p_(-size), log_p = t > 0 ? own : other;
  const real q = log_p / a, back = two_prod(q, a, &e), rest = ((log_p - back) - e + (t > 0 ? log_lo : K(0))) / a;
  const real sum = two_sum(q, LGAM_L(a, a2, a4), &f), z = exp_sum_times_(K(1), sum, rest + f), y = z / (a + 1);
  const real x = TO_UNIT_(y, 0, 0.27), x2 = x * x, x4 = x2 * x2, at = FMA(K(2), a, K(-1));
  return exp_times_core_(y * RISE(x, x2, x4, at), z);
}

#endif
