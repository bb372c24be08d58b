/* bessel_temme.h: K_nu(x) for small x by Temme's series, for bessel.h and bessel_published.h. */
#ifndef STATCL_BESSEL_TEMME_H
#define STATCL_BESSEL_TEMME_H

#include "kernels/bessel/bessel_coef.h"
#include "kernels/common/elementary.h"

/* terms for x <= 0.5 and for x <= 2 */
#define BESSEL_TERMS 9
#define BESSEL_TERMS_TO_2 14

/* mu and n of nu = mu + n, |mu| <= 1/2 */
DEV_FN real bessel_split(real nu, real *n) {
  const real whole = (nu + ROUND_) - ROUND_;
  *n = whole;
  return nu - whole;
}

/* log(2/x) as a sum of two doubles */
DEV_FN real bessel_log(real x, real *lo) {
  real l, err;
  const real log_x = log_dd(x, K(0), &l), hi = two_sum(LN2_, -log_x, &err);
  *lo = err + (K(2.3190468138462996e-17) - l);
  return hi;
}

/* K_mu(x), (x/2) K_(mu+1)(x) and (x/2) K_(1-mu)(x) for 0 < x <= 2 (Temme 1975), sigma = mu log(2/x):
 *     K_mu = Sum c_k f_k, (x/2) K_(mu+1) = Sum c_k (p_k - k f_k), (x/2) K_(1-mu) = Sum c_k (q_k - k f_k),
 * c_k = (x/2)^(2k)/k!. Nine terms leave less than 4e-20 of each for x <= 0.5, fourteen less than 9e-20 for
 * x <= 2. 1/Gamma(1 +- mu) = even -+ mu odd, and (mu pi)/sin(mu pi) is the inverse of their product: no quotient of
 * differences at mu = 0. */
DEV_BLOCK_FN void bessel_temme(const real *x, const real *mu, const real *log_hi, const real *log_lo, i32 terms,
                               real *k0, real *k1, real *km) {
  real f[LANES], p[LANES], q[LANES], c[LANES], quarter[LANES];
  LANE_LOOP(l) {
    const real m = mu[l], z = m * m, z2 = z * z, z4 = z2 * z2;
    const real even = GAMMA_EVEN(z, z2, z4), odd = GAMMA_ODD(z, z2, z4);
    const real above = FMA(-m, odd, even), below = FMA(m, odd, even);
    real e;
    const real sigma = two_prod(m, log_hi[l], &e), sigma_lo = FMA(m, log_lo[l], e);
    const real up = exp_sum_times_(K(1), sigma, sigma_lo), down = exp_sum_times_(K(1), -sigma, -sigma_lo);
    const real v = sigma * sigma, y = v > K(1) ? K(1) : v, y2 = y * y, y4 = y2 * y2;
    const real by_series = SINHC(y, y2, y4), by_exp = K(0.5) * (up - down) / (v > K(1) ? sigma : K(1));
    const real sinhc = v > K(1) ? by_exp : by_series;
    f[l] = FMA(K(0.5) * (up + down), odd, sinhc * log_hi[l] * even) / (above * below);
    p[l] = K(0.5) * up / above;
    q[l] = K(0.5) * down / below;
    c[l] = 1;
    quarter[l] = K(0.25) * x[l] * x[l];
    k0[l] = f[l];
    k1[l] = p[l];
    km[l] = q[l];
  }
  for (i32 k = 1; k < terms; k++) {
    const real index = k, inverse = 1 / index;
    LANE_LOOP(l) {
      const real r = 1 / FMA(-mu[l], mu[l], index * index);
      const real f_next = FMA(index, f[l], p[l] + q[l]) * r;
      const real p_next = p[l] * (index + mu[l]) * r, q_next = q[l] * (index - mu[l]) * r;
      const real term = c[l] * quarter[l] * inverse;
      c[l] = term;
      f[l] = f_next;
      p[l] = p_next;
      q[l] = q_next;
      k0[l] = FMA(term, f_next, k0[l]);
      k1[l] = FMA(term, FMA(-index, f_next, p_next), k1[l]);
      km[l] = FMA(term, FMA(-index, f_next, q_next), km[l]);
    }
  }
}

#endif
