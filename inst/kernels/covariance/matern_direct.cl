/* matern_direct.cl: M(x) = 2^(1-nu)/Gamma(nu) x^nu K_nu(x) for one nu and any x, with -x dM/dx and dM/dnu, all of
 * which are positive; times exp(x) if asked for. In: x. par: matern_direct_par.h.
 *
 * M itself obeys M_(m+1) = M_m + (x/2)^2/(m (m - 1)) M_(m-1), whose terms are positive, and
 * -x dM_m/dx = 2 (x/2)^2/(m - 1) M_(m-1). The two orders it begins from are those of bessel.h. */
#include "kernels/bessel/bessel.h"
#include "kernels/covariance/matern_direct_par.h"

SORTING_KERNEL(matern_locate) {
  OVER_POINTS;
  const real what = par[MATERN_WHAT], nu = par[MATERN_NU], at_0 = what == BESSEL_VALUE ? K(1) : K(0);
  /* nearer than this 1 - M and the derivatives are below 1e-300 for nu >= 1/2 */
  const real nearest = nu < K(0.5) ? K(0) : K(1e-305);
  const real farthest = par[MATERN_SCALED] != 0 ? INF_ : K(1e6) * (1 + nu);
  /* where the lists of derivatives in nu end, or before all distances */
  const real series_end = nu <= MATERN_SLOPE_NU ? K(MATERN_SLOPE_X) : K(-1);
  const real near_end = nu >= MATERN_NEAR_NU ? 4 * nu : K(-1);
  const real by_order = what == BESSEL_DNU ? K(1) : K(0), centred = nu <= BESSEL_ORDER ? K(0) : K(1);
  real go[LANES];
  i32 target[LANES];
  LANE_LOOP(l) {
    const real x = IN(0, idx[l]);
    const real low = x < BESSEL_SERIES ? K(M_LIST_SERIES) : K(M_LIST_LOW);
    const real high = x < 8 ? K(M_LIST_MID) : K(M_LIST_HIGH), small = x < 2 ? low : high;
    const real of_value = centred != 0 ? K(M_LIST_CENTRED) : small;
    const real not_series = x * x < near_end ? K(M_LIST_SLOPE_NEAR) : K(M_LIST_CENTRED);
    const real of_slope = x < series_end ? K(M_LIST_SLOPE_SERIES) : not_series;
    const flag is_near = (x >= 0) & (x <= nearest), is_far = x >= farthest, inside = (x > nearest) & (x < farthest);
    const real far = is_far ? K(0) : NAN_;
    OUT(0, idx[l]) = is_near ? at_0 : far;
    go[l] = inside ? (by_order != 0 ? of_slope : of_value) : K(M_LISTS);
  }
  LANE_LOOP(l) target[l] = (i32)go[l];
  list_push_lanes(target, M_LISTS)
}

/* From k0 = (x/2)^mu K_mu, k1 = (x/2)^(mu+1) K_(mu+1), km = (x/2)^(mu+1) K_(1-mu), each times 2/Gamma(1 + mu). */
DEV_BLOCK_FN void matern_recurrence(DEV_GLOBAL const real *par, const real *x, const real *k0, const real *k1,
                                    const real *km, real *result) {
  const i32 steps = (i32)par[MATERN_STEPS];
  const real mu = par[MATERN_MU];
  const flag slope = par[MATERN_WHAT] != BESSEL_VALUE;
  real quarter[LANES], before[LANES], here[LANES];
  if (steps == 0) {
    const real factor = slope ? 2 * mu : mu;
    LANE_LOOP(l) result[l] = factor * (slope ? km[l] : k0[l]);
    return;
  }
  LANE_LOOP(l) {
    quarter[l] = K(0.25) * x[l] * x[l];
    before[l] = k0[l];
    here[l] = k1[l];
  }
  /* M_mu/mu = k0 is finite at mu = 0: the first step and the first slope have another factor */
  for (i32 j = 1; j < steps; j++) {
    const real factor = j == 1 ? 1 / (mu + 1) : par[MATERN_RECURRENCE + j];
    LANE_LOOP(l) {
      const real next = FMA(quarter[l] * factor, before[l], here[l]);
      before[l] = here[l];
      here[l] = next;
    }
  }
  if (slope) {
    const real factor = steps == 1 ? K(2) : 2 / (par[MATERN_NU] - 1);
    LANE_LOOP(l) here[l] = K(0.25) * factor * x[l] * (x[l] * before[l]); /* x^2 may underflow */
  }
  LANE_LOOP(l) result[l] = here[l];
}

/* gamma (x/2)^mu from log(2/x) in two doubles */
DEV_FN real matern_power(real gamma, real mu, real log_hi, real log_lo) {
  real e;
  const real sigma = two_prod(mu, log_hi, &e);
  return exp_sum_times_(gamma, -sigma, -FMA(mu, log_lo, e));
}

KERNEL(matern_series) {
  OVER_LIST(M_LIST_SERIES);
  const real order = par[MATERN_MU], gamma = par[MATERN_GAMMA], scaled = par[MATERN_SCALED];
  real x[LANES], mu[LANES], log_hi[LANES], log_lo[LANES], k0[LANES], k1[LANES], km[LANES], value[LANES];
  LANE_LOOP(l) {
    real lo;
    x[l] = IN(0, idx[l]);
    mu[l] = order;
    log_hi[l] = bessel_log(x[l], &lo);
    log_lo[l] = lo;
  }
  bessel_temme(x, mu, log_hi, log_lo, BESSEL_TERMS, k0, k1, km);
  LANE_LOOP(l) {
    const real power = matern_power(gamma, order, log_hi[l], log_lo[l]);
    k0[l] *= power;
    k1[l] *= power;
    km[l] *= power;
  }
  matern_recurrence(par, x, k0, k1, km, value);
  if (scaled != 0) LANE_LOOP(l) value[l] *= exp_core_(x[l]);
  LANE_LOOP(l) OUT(0, idx[l]) = value[l];
}

DEV_BLOCK_FN void matern_by_sums(DEV_GLOBAL const real *par, const real *x, i32 nodes, real *value) {
  const real order = par[MATERN_MU], gamma = par[MATERN_GAMMA];
  real mu[LANES], k0[LANES], k1[LANES], km[LANES];
  LANE_LOOP(l) mu[l] = order;
  bessel_sums(x, mu, nodes, k0, k1);
  LANE_LOOP(l) {
    real lo;
    const real log_hi = bessel_log(x[l], &lo), power = matern_power(gamma, order, log_hi, lo);
    const real above = K(0.5) * x[l] * k1[l];
    km[l] = power * (above - order * k0[l]); /* K_(1-mu) = K_(mu+1) - (2 mu/x) K_mu */
    k1[l] = power * above;
    k0[l] *= power;
  }
  matern_recurrence(par, x, k0, k1, km, value);
  if (par[MATERN_SCALED] == 0) LANE_LOOP(l) value[l] = exp_sum_times_(value[l], -x[l], K(0));
}

#define MATERN_BY_SUMS(list, nodes)                                                                          \
  {                                                                                                          \
    OVER_LIST(list);                                                                                         \
    real x[LANES], value[LANES];                                                                             \
    LANE_LOOP(l) x[l] = IN(0, idx[l]);                                                                       \
    matern_by_sums(par, x, nodes, value);                                                                    \
    LANE_LOOP(l) OUT(0, idx[l]) = value[l];                                                                  \
  }
KERNEL(matern_low) MATERN_BY_SUMS(M_LIST_LOW, BESSEL_NODES_LOW)
KERNEL(matern_mid) MATERN_BY_SUMS(M_LIST_MID, BESSEL_NODES_MID)
KERNEL(matern_high) MATERN_BY_SUMS(M_LIST_HIGH, BESSEL_NODES_HIGH)

/* M = P Int exp(nu log(1 + y) - (s - nu)), y = (s - nu)/(2 nu), P = nu^nu e^-nu/Gamma(nu); with t = t0 + u,
 *     d log M/dnu = log((nu + s)/2) - psi(nu) + <u> = [log nu - psi(nu)] + log(1 + y) + <u>,
 *     -x d log M/dx = <x e^-t> = (s - nu) <e^-u>. */
KERNEL(matern_centred) {
  OVER_LIST(M_LIST_CENTRED);
  const real nu = par[MATERN_NU], what = par[MATERN_WHAT], scaled = par[MATERN_SCALED];
  const real peak = par[MATERN_PEAK], psi = par[MATERN_PSI];
  real s[LANES], rise[LANES], order[LANES], e[LANES], e_lo[LANES], gaps[LANES], value[LANES];
  real integral[LANES], mean_u[LANES], mean_cosh[LANES], mean_sinh[LANES];
  LANE_LOOP(l) {
    const real x = IN(0, idx[l]);
    real s_lo, gap_err, y_err, u_lo, l_lo, p_err, sum_err, x_err, all_err;
    const real norm = bessel_norm(x, nu, &s_lo), far_gap = two_sum(norm, -nu, &gap_err);
    /* s - nu, and where x is small x^2/(s + nu), which keeps its digits */
    real square_lo, total_lo, quotient_lo;
    const real square = two_prod(min_(x, nu), min_(x, nu), &square_lo), total = two_sum(norm, nu, &total_lo);
    const real near_gap = dd_div(square, square_lo, total, total_lo + s_lo, &quotient_lo);
    const real gap = x < nu ? near_gap : far_gap, gap_lo = x < nu ? quotient_lo : gap_err + s_lo;
    const real y = gap / (2 * nu), back = two_prod(y, 2 * nu, &y_err);
    const real y_lo = (((gap - back) - y_err) + gap_lo) / (2 * nu), u = two_sum(K(1), y, &u_lo);
    const real log_hi = log_dd(u, u_lo + y_lo, &l_lo), p = two_prod(nu, log_hi, &p_err);
    const real sum = two_sum(p, -gap, &sum_err), all = two_sum(sum, scaled != 0 ? x : K(0), &x_err);
    e[l] = fast_two_sum(all, x_err + (sum_err + (p_err + FMA(nu, l_lo, -gap_lo))), &all_err);
    e_lo[l] = all_err;
    rise[l] = psi + log_hi;
    gaps[l] = gap + gap_lo;
    s[l] = norm;
    order[l] = nu;
  }
  bessel_sums_centred(s, order, integral, mean_u, mean_cosh, mean_sinh);
  LANE_LOOP(l) {
    const real slope = what == BESSEL_DX ? gaps[l] * (mean_cosh[l] - mean_sinh[l]) : rise[l] + mean_u[l];
    value[l] = exp_sum_times_(integral[l] * peak, e[l], e_lo[l]) * (what == BESSEL_VALUE ? K(1) : slope);
  }
  LANE_LOOP(l) OUT(0, idx[l]) = value[l];
}

/* Ascending series of dM/dnu, with L = log(x/2), Q = (x/2)^2. Where nu = n + mu is near an integer its two power
 * series cancel in pairs; paired, the terms of M = 1 + Sum_(k<n) A_k Q^k + Sum_p T_p are
 *     T_p = G_p Q^(n+p) phi_p,  phi_p = [1/Gamma(1 - mu) - 1/Gamma(1 + mu)]/mu - F_p/Gamma(1 + mu),
 *     F_p = (exp(mu c_p) - 1)/mu,  c_p = 2 L - S_p,
 * analytic in mu, and so are their derivatives:
 *     dF_p/dmu = -S_p' exp(mu c_p) + c_p^2 H(mu c_p),  H(y) = (y e^y - e^y + 1)/y^2.
 * For n = 0 the first pair is 1 - R (x/2)^(2 mu), R = Gamma(1 - mu)/Gamma(1 + mu). */
KERNEL(matern_slope_series) {
  OVER_LIST(M_LIST_SLOPE_SERIES);
  const i32 steps = (i32)par[MATERN_STEPS];
  const real mu = par[MATERN_MU], odd = par[MATERN_ODD], odd_slope = par[MATERN_ODD_SLOPE];
  const real rgamma = par[MATERN_RGAMMA], rgamma_slope = par[MATERN_RGAMMA_SLOPE];
  const real ratio = par[MATERN_RATIO], ratio_slope = par[MATERN_RATIO_SLOPE], scaled = par[MATERN_SCALED];
  real x[LANES], two_log[LANES], quarter[LANES], power[LANES], sum[LANES], last[LANES];
  LANE_LOOP(l) {
    x[l] = IN(0, idx[l]);
    two_log[l] = 2 * (log_(x[l]) - LN2_);
    quarter[l] = K(0.25) * x[l] * x[l];
    /* one factor x/2 of all terms comes last: x^2 may underflow where the result does not */
    power[l] = K(0.5) * x[l];
    last[l] = K(0.5) * x[l];
    sum[l] = 0;
  }
  for (i32 k = 1; k < steps; k++) {
    const real factor = par[MATERN_POWERS + k];
    LANE_LOOP(l) {
      sum[l] = FMA(factor, power[l], sum[l]);
      power[l] *= quarter[l];
    }
  }
  i32 first = 0;
  if (steps == 0) {
    first = 1;
    LANE_LOOP(l) {
      real lo;
      const real log_hi = bessel_log(x[l], &lo);
      sum[l] = -matern_power(ratio, 2 * mu, log_hi, lo) * (two_log[l] + ratio_slope);
      power[l] = quarter[l];
      last[l] = 1;
    }
  }
  for (i32 p = first; p < MATERN_PAIR_COUNT; p++) {
    const i32 at = MATERN_PAIRS + 4 * p;
    const real g = par[at], g_slope = par[at + 1], shift = par[at + 2], shift_slope = par[at + 3];
    LANE_LOOP(l) {
      const real c = two_log[l] - shift, y = mu * c, grow = expm1_core_(clamp_(y, K(-700), K(700)));
      const real mid = clamp_(y, K(-0.5), K(0.5)), m2 = mid * mid, m4 = m2 * m2;
      const flag small = fabs(y) <= K(0.5);
      const real safe = small ? K(1) : y, h_far = (y * (grow + 1) - grow) / (safe * safe);
      const real h = small ? EXPM1_SLOPE(mid, m2, m4) : h_far;
      const real f = mu == 0 ? c : grow / (mu == 0 ? K(1) : mu);
      const real f_slope = FMA(-shift_slope, grow + 1, c * c * h);
      const real phi = odd - rgamma * f, phi_slope = odd_slope - FMA(rgamma_slope, f, rgamma * f_slope);
      sum[l] = FMA(power[l], FMA(g_slope, phi, g * phi_slope), sum[l]);
      power[l] *= quarter[l];
    }
  }
  LANE_LOOP(l) {
    const real value = last[l] * sum[l];
    OUT(0, idx[l]) = scaled != 0 ? value * exp_core_(x[l]) : value;
  }
}

/* nu >= 10, x^2 < 4 nu, where 1 - M is what varies: with g = nu e^u,
 *     1 - M = P Int exp(-nu (e^u - 1 - u)) (1 - exp(-x^2/(4 g))) du,
 *     dM/dnu = -P Int exp(-nu (e^u - 1 - u)) (1 - exp(-x^2/(4 g))) (log nu - psi(nu) + u) du,
 * by the rule of bessel_sums_centred() for x = 0. */
KERNEL(matern_slope_near) {
  OVER_LIST(M_LIST_SLOPE_NEAR);
  const real nu = par[MATERN_NU], psi = par[MATERN_PSI], peak = par[MATERN_PEAK], scaled = par[MATERN_SCALED];
  const real h = CENTRED_STEP(nu), q1 = small_sinh_(K(0.5) * h), w1 = small_coshm1_(K(0.5) * h);
  const i32 nodes = (i32)CENTRED_NODES(nu);
  real q = 0, w = 1, x[LANES], c[LANES], sum[LANES];
  LANE_LOOP(l) {
    x[l] = IN(0, idx[l]);
    c[l] = K(0.25) * x[l] * x[l] / nu;
    sum[l] = -expm1_core_(-c[l]) * psi;
  }
  for (i32 k = 1; k <= nodes; k++) {
    HYPERBOLIC_STEP(w, q, w1, q1)
    const real u = k * h, even = 2 * q * q, odd = 2 * q * w;
    const real less = sinh_less_(u, odd), right = nu * (even + less), left = nu * (even - less);
    const real e_right = exp_core_(-min_(right, K(700))) * (psi + u), e_left = exp_core_(-min_(left, K(700)));
    const real down = 1 + even - odd, up = 1 + even + odd, left_factor = e_left * (psi - u);
    LANE_LOOP(l)
      sum[l] -= FMA(expm1_core_(-c[l] * down), e_right, expm1_core_(-min_(c[l] * up, K(700))) * left_factor);
  }
  LANE_LOOP(l) OUT(0, idx[l]) = -peak * h * sum[l] * (scaled != 0 ? exp_(x[l]) : K(1));
}
