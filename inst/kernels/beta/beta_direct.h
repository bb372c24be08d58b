/* beta_direct.h: quantiles of the beta distribution by polynomials of three variables; no tail is evaluated.
 * With c the smaller shape and d the other one, z the side of c, N = d + (c - 1)/2 and g = -N log(1 - z),
 *     I_z(c, d) = integral of (2 N sinh(t/(2 N)))^(c - 1) e^-t over t in [0, g] by that over t > 0,
 * which depends on N by 1/N^2 and for large N is the gamma distribution's P(c, g) (M. E. Wise, The incomplete beta
 * function as a contour integral and a quickly converging series for its inverse, Biometrika 37, 1950). In the
 * variables of gamma_direct.h, s = w/sqrt(c), v = 1/c and g = c lambda(eta), it adds a polynomial to eta,
 *     eta = s + v eps(s, v) + tau bend(s, v, tau),  tau = ((c - 1/3)/N)^2 <= 4/9. */
#ifndef STATCL_BETA_DIRECT_H
#define STATCL_BETA_DIRECT_H

#include "kernels/gamma/gamma_direct.h"
#include "kernels/beta/beta.h"
#include "kernels/beta/beta_quantile_coef.h"

/* For c >= 8. Where 1 - z is wanted, or odds, -log(1 - z) is to be less than about 1: relative to them it has all of
 * its error. */
DEV_FN flag direct_serves_(real c, real d, real u, real w, flag small_side) {
  const real s = w / sqrt(max_(c, K(1))), far = c * FMA(s, FMA(s, K(0.3333333333333333), K(1)), K(1));
  const flag near = far <= K(0.95) * FMA(K(0.5), c, d);
  return (c >= 8) & (d <= K(1e100)) & (u >= NEAR_TAIL_) & (s >= K(-0.8)) & (s <= K(1.22)) & (small_side | near);
}
/* -log(1 - z) + *lo: c/N in two doubles, and lambda - 1 times that */
DEV_FN real direct_place_(real c, real d, real w, real *lo) {
  real s_lo, n_lo, e, e2;
  const real s = by_root_(w, c, &s_lo), v = 1 / c, n = two_sum(d, K(0.5) * (c - 1), &n_lo), at = c / n;
  const real back = two_prod(at, n, &e), r = (c - K(0.3333333333333333)) / n;
  const real tau = r * r, x = TO_UNIT_(s, -0.92, 1.22), x2 = x * x, x4 = x2 * x2, y = TO_UNIT_(v, 0, 0.125);
  const real more = FMA(v, SHIFT_MANY(x, x2, x4, y), tau * bend_many_(x, y, FMA(tau, K(4.5), K(-1))));
  const real t = s + (more + s_lo), t2 = t * t, t4 = t2 * t2, by = at * expm1_core_(t * LOG_RATIO(t, t2, t4));
  const real all = two_sum(at, by, &e2);
  *lo = e2 + (((c - back) - e) - at * n_lo) / n;
  return all;
}

#endif
