/* gamma_quantile.h: where the quantile of a tail of the gamma distribution is sought. */
#ifndef STATCL_GAMMA_QUANTILE_H
#define STATCL_GAMMA_QUANTILE_H

#include "kernels/poisson/tail_inverse.h"
#include "kernels/gamma/gamma.h"

/* x/a with a quantile near x, for a >= 1, from w = Phi^-1(p): eta = w/sqrt(a) + eps_1/a + eps_2/a^2 and
 * lambda - 1 - log lambda = eta^2/2 (N. M. Temme, Asymptotic inversion of incomplete gamma functions, Math. Comp. 58,
 * 1992; DLMF 8.12(v)). Beyond |eta| = 1.2 by Newton's steps, eps_1 alone. */
DEV_FN real ratio_near_(real w, real a) {
  const real v = 1 / a, s = clamp_(w * sqrt(v), K(-1.15), K(1.15)), s2 = s * s, s4 = s2 * s2;
  const real e2 = FMA(s2, FMA(s, K(-7.520809e-4), K(2.611209e-3)), FMA(s, K(-2.7006173e-3), K(-1.7283951e-2)));
  const real eta = s + v * FMA(v, e2, RATIO_E(s, s2, s4)), t = clamp_(eta, K(-1.2), K(1.2)), t2 = t * t, t4 = t2 * t2;
  return FMA(t, FMA(t, RATIO_A(t, t2, t4), K(1)), K(1));
}
DEV_FN real ratio_far_(real w, real a) {
  const real s = clamp_(w / sqrt(a), K(1), K(1e150)), y = K(0.5) * s * s;
  real r = 1 + y + s;
#define RATIO_STEP(y) r = max_(r * ((y) + log_core_(r)) / (r - 1), K(1.01));
  RATIO_STEP(y) RATIO_STEP(y)
  const real eta = s + log_core_(s / (r - 1)) / (s * a), z = K(0.5) * eta * eta;
  RATIO_STEP(z) RATIO_STEP(z)
#undef RATIO_STEP
  return r;
}

/* Where to seek the quantile of a tail t: where x^a/Gamma(a + 1) is most of a lower tail log x is
 * (log p + log Gamma(a + 1))/a; for a >= 1 otherwise by Temme's inversion; for a < 1 from
 * Q ~ x^(a-1) e^-x/Gamma(a). */
DEV_BLOCK_FN void quantile_start(const real *t, const real *a, real *at) {
  real u[LANES], w[LANES], log_u[LANES], lower_log[LANES], rise[LANES];
  tail_deviates(t, u, log_u, w);
  LANE_LOOP(l) {
    const flag up = t[l] < 0;
    const real signed_w = up ? w[l] : -w[l], ratio = ratio_near_(signed_w, a[l]);
    at[l] = a[l] * ratio;
    rise[l] = signed_w / sqrt(a[l]);
    lower_log[l] = up ? log1p_(-u[l]) : log_u[l];
  }
  ANY_LANE(high, (rise[l] > K(1.15)) & (a[l] >= 1))
  if (high > 0)
    LANE_LOOP(l) {
      const real by_steps = a[l] * ratio_far_(rise[l] * sqrt(a[l]), a[l]);
      at[l] = rise[l] > K(1.15) ? by_steps : at[l];
    }
  ANY_LANE(low, (a[l] < 20) | (rise[l] < K(-0.7)))
  if (low > 0)
    LANE_LOOP(l) {
      const flag small = a[l] < 1;
      const real c = min_(a[l], K(1)), c2 = c * c, c4 = c2 * c2, log_gamma = c * LGAM_L(c, c2, c4);
      /* log Gamma(a + 1) = a log a - a - log f(a) */
      const real power = small ? exp_((lower_log[l] + log_gamma) / a[l])
                               : a[l] * exp_((lower_log[l] - log_gamma_peak_(a[l])) / a[l] - 1);
      const real first = power / (a[l] + 1), from_power = power * exp_(min_(first, K(1)));
      const real y = max_(-(t[l] < 0 ? log_u[l] : log1p_(-u[l])) - log_gamma + log_(c), K(0.1));
      real x = max_(y, K(0.5));
      x = max_(y - (1 - c) * log_core_(x + K(0.7)), K(0.3));
      x = max_(y - (1 - c) * log_core_(x + K(0.7)), K(0.3));
      const flag direct = first < (small ? K(0.6) : K(0.3));
      at[l] = direct ? from_power : (small ? x : at[l]);
    }
}

#endif
