/* beta_start.h: where the quantile of a tail of the beta distribution is sought. */
#ifndef STATCL_BETA_START_H
#define STATCL_BETA_START_H

#include "kernels/gamma/gamma_quantile.h"
#include "kernels/beta/beta_direct.h"

/* With c the smaller shape and d the other one, that of c is about 1 - exp(-g (1 + (c - 1) (c + 1 + g)/(24 N^2))/N),
 * N = d + (c - 1)/2, g the quantile of the gamma distribution of shape c (M. E. Wise, The incomplete beta function as
 * a contour integral and a quickly converging series for its inverse, Biometrika 37, 1950): for equal large shapes,
 * too, the logarithm of the tail is then off by less than 0.02. As x or, negative, y. */
DEV_BLOCK_FN void near_start(const real *t, const real *u, const real *w, const real *a, const real *b, real *at,
                             real *served) {
  real c[LANES], g[LANES];
  LANE_LOOP(l) c[l] = min_(a[l], b[l]);
  gamma_near_start(t, u, w, c, g, served);
  LANE_LOOP(l) {
    const flag of_x = a[l] <= b[l];
    const real d = of_x ? b[l] : a[l], by = 1 / max_(d + K(0.5) * (c[l] - 1), K(0.3));
    const real more = (c[l] - 1) * (c[l] + 1 + g[l]) * K(0.041666666666666664) * by * by, r = g[l] * by * (1 + more);
    const real rest = exp_core_(-min_(r, K(600))), part = r < K(0.1) ? -expm1_core_(-r) : 1 - rest;
    const flag turned = rest < K(0.5), from_y = of_x == turned;
    const real smaller = turned ? rest : part;
    at[l] = from_y ? -smaller : smaller;
    served[l] = ((d >= 1) & (d <= K(1e100)) & (smaller > K(1e-200))) ? served[l] : K(0);
  }
}

/* Where to seek the quantile of a tail t, as x or, negative, y: from the power of x or y that the tail is near an
 * end, (p a B)^(1/a), whose logarithm, with its sign, is log_odds; else from the normal quantile w by Carter's
 * approximation (M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.5.22), or for a shape
 * below 1 by a gamma distribution, or from the middle for two. */
DEV_BLOCK_FN void far_start(const real *t, const real *a, const real *b, real *at, real *log_odds) {
  real u[LANES], w[LANES], log_u[LANES];
  tail_deviates(t, u, log_u, w);
  LANE_LOOP(l) {
    const flag up = t[l] < 0;
    const real n = a[l] + b[l], peak = beta_peak_(a[l], b[l]), ra = a[l] / n, rb = b[l] / n;
    const real lower = up ? log1p_(-u[l]) : log_u[l], higher = up ? log_u[l] : log1p_(-u[l]);
    /* log B + (a log(a/n) + b log(b/n)), of each side */
    const real la = a[l] * (a[l] < b[l] ? log_(ra) : log1p_(-rb)) + b[l] * (a[l] < b[l] ? log1p_(-ra) : log_(rb));
    const real log_beta = la - log_(peak);
    const real px = (lower + log_(a[l]) + log_beta) / a[l], py = (higher + log_(b[l]) + log_beta) / b[l];
    const real x1 = exp_(min_(px, K(0))), y1 = exp_(min_(py, K(0)));
    const real ex = (b[l] - 1) * x1, ey = (a[l] - 1) * y1, dx = ex / (a[l] + 1), dy = ey / (b[l] + 1);
    const flag by_x = (px < K(-0.7)) & (fabs(ex) < K(0.5)), by_y = (py < K(-0.7)) & (fabs(ey) < K(0.5));
    const flag from_x = by_x & (!by_y | (px < py));
    const real by_power = from_x ? x1 * exp_(dx) : -y1 * exp_(dy);
    /* Carter's, for shapes of at least 1 */
    const real ca = 2 * max_(a[l], K(1)) - 1, cb = 2 * max_(b[l], K(1)) - 1, z = up ? -w[l] : w[l];
    const real h = 2 / (1 / ca + 1 / cb), lambda = (z * z - 3) * K(0.16666666666666666);
    const real v = z * sqrt(max_(h + lambda, K(0))) / h -
                   (1 / cb - 1 / ca) * (lambda + K(0.8333333333333334) - K(0.6666666666666666) / h);
    const real odds = b[l] / a[l] * exp_(clamp_(2 * v, K(-600), K(600))); /* y/x */
    const real carter = odds > 1 ? 1 / (1 + odds) : -odds / (1 + odds);
    /* one shape s below 1: 1 - exp(-g/(r + (s - 1)/2)), g where Gamma(s) Q is g^(s-1) e^-g of the gamma
     * distribution */
    const flag of_x = a[l] < 1;
    const real s = min_(of_x ? a[l] : b[l], K(1)), other = of_x ? b[l] : a[l], s2 = s * s, s4 = s2 * s2;
    const real y = max_(log_(s) - (of_x ? higher : lower) - s * LGAM_L(s, s2, s4), K(0.1));
    const real g1 = max_(y - (1 - s) * log_core_(max_(y, K(0.5)) + K(0.7)), K(0.3));
    const real g2 = max_(y - (1 - s) * log_core_(g1 + K(0.7)), K(0.3));
    const real share = -expm1_(-g2 / max_(other + K(0.5) * (s - 1), K(0.5)));
    const real by_gamma = share > K(0.5) ? (of_x ? share - 1 : 1 - share) : (of_x ? share : -share);
    const flag large = (a[l] >= 1) & (b[l] >= 1), small = (a[l] < 1) & (b[l] < 1);
    const real from_middle = large ? carter : (small ? K(0.5) : by_gamma);
    at[l] = (by_x | by_y) ? by_power : from_middle;
    log_odds[l] = from_x ? px : -py;
  }
}

#endif
