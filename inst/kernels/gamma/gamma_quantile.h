/* gamma_quantile.h: where the quantile of a tail of the gamma distribution is sought. */
#ifndef STATCL_GAMMA_QUANTILE_H
#define STATCL_GAMMA_QUANTILE_H

#include "kernels/gamma/gamma_direct.h"

/* u of tails t, and the normal deviates w of which they are lower tails. */
DEV_BLOCK_FN void tail_centres(const real *t, real *u, real *w) {
  real beyond[LANES];
  LANE_LOOP(l) u[l] = fabs(t[l]);
  ANY_LANE(logs, TAIL_IS_LOG(u[l]))
  if (logs > 0)
    LANE_LOOP(l) u[l] = tail_size_(u[l]);
  LANE_LOOP(l) {
    const real size = normal_centre_(u[l], &beyond[l]);
    w[l] = t[l] < 0 ? size : -size;
  }
}

/* Where served is 1 a point whose tail is that sought but for some 0.003 of it: as in gamma_direct.h, for a >= 1 with
 * s from -1.6 to 3.4, for less by the power of x that the lower tail is near 0 or, where that is not small, from
 * y = -log(Q Gamma(a)), which for large x is nearly x. */
DEV_BLOCK_FN void gamma_near_start(const real *t, const real *u, const real *w, const real *a, real *at,
                                   real *served) {
  LANE_LOOP(l) {
    const real v = 1 / max_(a[l], K(1)), s = w[l] * sqrt(v);
    const real x = TO_UNIT_(clamp_(s, K(-1.6), K(3.4)), -1.6, 3.4), x2 = x * x, x4 = x2 * x2, y = FMA(K(2), v, K(-1));
    const real e = FMA(v, SHIFT_START(x, x2, x4, y), s), e2 = e * e, e4 = e2 * e2;
    at[l] = a[l] * exp_core_(clamp_(e * LOG_RATIO_START(e, e2, e4), K(-50), K(50)));
    served[l] = ((u[l] >= NEAR_TAIL_) & (s > K(-1.6)) & (s < K(3.4))) ? K(1) : K(0);
  }
  ANY_LANE(small, a[l] < 1)
  if (small > 0)
    LANE_LOOP(l) {
      const real c = clamp_(a[l], SMALL_SHAPE_, K(1)), c2 = c * c, c4 = c2 * c2, log_gamma = c * LGAM_L(c, c2, c4);
      const real size = max_(u[l], SMALL_TAIL_), log_p = log_core_(t[l] < 0 ? 1 - size : size);
      const real z = exp_core_((log_p + log_gamma) / c), zeta = z / (c + 1), unit = FMA(K(2), c, K(-1));
      const real x = TO_UNIT_(min_(zeta, K(0.3)), 0, 0.3), x2 = x * x; /* RISE_START has no fourth powers */
      const real by_power = z * exp_core_(min_(zeta, K(0.3)) * RISE_START(x, x2, 0, unit));
      const real y = log_core_(c) - log_core_(t[l] < 0 ? size : 1 - size) - log_gamma;
      const real at_y = TO_UNIT_(clamp_(y, K(0.2), K(7.8)), 0.2, 7.8), y2 = at_y * at_y, y4 = y2 * y2;
      const real from_y = max_(y - (1 - c) * ABOVE_START(at_y, y2, y4, unit), K(0.1));
      const flag low = zeta < K(0.3), is_small = a[l] < 1;
      const real least = low ? SMALL_TAIL_ : NEAR_TAIL_, x_of = low ? by_power : from_y, least_y = low ? y : K(0.2);
      const flag in = (u[l] >= least) & (y >= least_y) & (a[l] >= SMALL_SHAPE_);
      const real is_in = in ? K(1) : K(0);
      at[l] = is_small ? x_of : at[l];
      served[l] = is_small ? is_in : served[l];
    }
}

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
