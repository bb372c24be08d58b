/* bessel.cl: K_nu(x), its logarithm and derivatives. par: BESSEL_WHAT, BESSEL_SCALED, BESSEL_LOG. */
#include "kernels/bessel/bessel.h"

#define BESSEL_FAR K(30.0)

/* Limits and invalid arguments are settled here; every other point joins the list of its region. K is Inf at 0 and 0
 * at Inf, its derivatives likewise, but d log K/dx = -1 at Inf and d/dnu = 0 for nu = 0. */
SORTING_KERNEL(bessel_locate) {
  OVER_WHOLE_BLOCKS;
  const real what = par[BESSEL_WHAT], by_order = what == BESSEL_DNU ? K(1) : K(0);
  const real log_at_inf = what == BESSEL_VALUE ? -INF_ : (what == BESSEL_DX ? K(-1) : K(0));
  const real far = par[BESSEL_LOG] != 0 ? log_at_inf : K(0), sign = what == BESSEL_DX ? K(-1) : K(1);
  real xs[LANES], orders[LANES], value[LANES], go[LANES];
  i32 target[LANES], idx[LANES];
  LANES_IN(BESSEL_X, xs)
  LANES_IN(BESSEL_NU, orders)
  LANE_LOOP(l) {
    const real x = xs[l], order = orders[l], nu = fabs(order);
    const flag at_inf = x >= INF_, all = nu >= INF_, both = at_inf & all, flat = (nu == 0) & (by_order != 0);
    const flag valid = (x >= 0) & (nu >= 0) & (both == 0), special = (x == 0) | at_inf | all;
    const real large = copy_sign_(INF_, by_order != 0 ? order : sign), near = flat ? K(0) : large;
    const real limit = at_inf ? far : near;
    const real low = x < BESSEL_SERIES ? K(K_LIST_SERIES) : K(K_LIST_LOW);
    const real top = x < BESSEL_FAR ? K(K_LIST_HIGH) : K(K_LIST_FAR), high = x < 8 ? K(K_LIST_MID) : top;
    const real of_value = x < 2 ? low : high;
    const real small = by_order != 0 ? K(K_LIST_SLOPE) : of_value;
    const real list_of = nu <= BESSEL_ORDER ? small : K(K_LIST_CENTRED);
    idx[l] = at + l;
    value[l] = valid ? limit : NAN_;
    go[l] = (valid & (special == 0)) ? list_of : K(K_LISTS);
  }
  LANES_OUT(0, value)
  LANE_LOOP(l) target[l] = (i32)go[l];
  list_push_lanes(target, K_LISTS)
}

/* Results from K = m exp(e + e_lo), where e is that of exp(x) K if this was asked for, and d log K. */
DEV_BLOCK_FN void bessel_give(DEV_GLOBAL const real *par, const real *m, const real *e, const real *e_lo,
                              const real *slope, real *value) {
  const real what = par[BESSEL_WHAT];
  if (what == BESSEL_VALUE && par[BESSEL_LOG] != 0) {
    LANE_LOOP(l) value[l] = log_plus_(m[l], e[l], e_lo[l]);
  } else if (par[BESSEL_LOG] != 0) {
    LANE_LOOP(l) value[l] = slope[l];
  } else {
    LANE_LOOP(l) value[l] = exp_sum_times_(m[l], e[l], e_lo[l]);
    if (what != BESSEL_VALUE) LANE_LOOP(l) value[l] = slope[l] == 0 ? K(0) : value[l] * slope[l];
  }
}

DEV_FN i32 bessel_steps(const real *n) {
  real most = 0;
  for (i32 l = 0; l < LANES; l++) most = max_(most, n[l]);
  return (i32)most;
}

KERNEL(bessel_series) {
  OVER_LIST(K_LIST_SERIES);
  real x[LANES], nu[LANES], mu[LANES], up[LANES], log_hi[LANES], log_lo[LANES], k0[LANES], k1[LANES], km[LANES];
  real e[LANES], e_lo[LANES], slope[LANES], value[LANES], before[LANES], quarter[LANES];
  LANE_LOOP(l) {
    real lo, whole;
    x[l] = IN(BESSEL_X, idx[l]);
    nu[l] = fabs(IN(BESSEL_NU, idx[l]));
    mu[l] = bessel_split(nu[l], &whole);
    up[l] = whole;
    log_hi[l] = bessel_log(x[l], &lo);
    log_lo[l] = lo;
  }
  bessel_temme(x, mu, log_hi, log_lo, BESSEL_TERMS, k0, k1, km);
  /* kappa_m = (x/2)^m K_(mu+m): kappa_(m+1) = (mu + m) kappa_m + (x/2)^2 kappa_(m-1), which does not overflow */
  const i32 steps = bessel_steps(up);
  LANE_LOOP(l) {
    const flag none = up[l] == 0;
    const real lowest = k0[l];
    quarter[l] = K(0.25) * x[l] * x[l];
    before[l] = none ? km[l] : k0[l];
    k0[l] = none ? lowest : k1[l];
  }
  for (i32 j = 1; j < steps; j++) {
    const real index = j;
    LANE_LOOP(l) {
      const flag on = index < up[l];
      const real here = k0[l], next = FMA(mu[l] + index, here, quarter[l] * before[l]);
      before[l] = on ? here : before[l];
      k0[l] = on ? next : here;
    }
  }
  const real scaled = par[BESSEL_SCALED];
  LANE_LOOP(l) {
    real err, err_x;
    const real p = two_prod(up[l], log_hi[l], &err), grow = two_sum(p, scaled != 0 ? x[l] : K(0), &err_x);
    const real ratio = before[l] / k0[l], lower = up[l] == 0 ? 2 * (ratio / x[l]) : K(0.5) * (x[l] * ratio);
    e[l] = grow;
    e_lo[l] = err_x + FMA(up[l], log_lo[l], err);
    slope[l] = -(lower + nu[l] / x[l]);
  }
  bessel_give(par, k0, e, e_lo, slope, value);
  LANE_LOOP(l) OUT(0, idx[l]) = value[l];
}

/* e^x K_mu(x) and e^x K_(mu+1)(x) for x >= BESSEL_FAR by Hankel's expansion sqrt(pi/(2 x)) Sum_k a_k(mu)/x^k,
 * a_k/a_(k-1) = (4 mu^2 - (2 k - 1)^2)/(8 k), from its end: what is left out is smaller than the first term left out
 * (DLMF 10.40(iii)), below 3.2e-18 (tools/bessel_steps.py). */
#define BESSEL_FAR_TERMS 16
DEV_BLOCK_FN void bessel_hankel(const real *x, const real *mu, real *k0, real *k1) {
  real eighth[LANES], square[LANES], more[LANES], sum0[LANES], sum1[LANES];
  LANE_LOOP(l) {
    eighth[l] = K(0.125) / x[l];
    square[l] = 4 * mu[l] * mu[l];
    more[l] = FMA(8, mu[l], 4); /* 4 (mu + 1)^2 - 4 mu^2 */
    sum0[l] = 1;
    sum1[l] = 1;
  }
  for (i32 k = BESSEL_FAR_TERMS; k > 0; k--) {
    const real odd = 2 * k - 1, inverse = 1 / (real)k, less = -odd * odd;
    LANE_LOOP(l) {
      const real by = inverse * eighth[l], factor = square[l] + less;
      sum0[l] = FMA(factor * by, sum0[l], 1);
      sum1[l] = FMA((factor + more[l]) * by, sum1[l], 1);
    }
  }
  LANE_LOOP(l) {
    const flag vast = x[l] > K(1e200);
    const real z = vast ? x[l] * K(3.872591914849318e-121) : x[l];                      /* 2^-400 */
    const real unit = K(1.2533141373155003) * (vast ? K(6.223015277861142e-61) : K(1)); /* sqrt(pi/2), 2^-200 */
    const real scale = unit * rsqrt_(z);
    k0[l] = scale * sum0[l];
    k1[l] = scale * sum1[l];
  }
}

/* The rest of bessel_low, _mid, _high and _far, which has no nodes.
 * The recurrence runs at x' = x (1 + delta), where 2/x' is a double; G(x') = G(x) (1 + delta x G'(x)/G(x)) for
 * G = e^x K takes both ends there and back, with x G'_m = (x - m) G_m - x G_(m-1) = (x + m) G_m - x G_(m+1).
 * A lane at its end adds nothing, and so swaps its two values at every step. */
DEV_BLOCK_FN void bessel_by_sums(DEV_GLOBAL const real *par, const real *x, const real *nu, i32 nodes, real *value) {
  real mu[LANES], n[LANES], before[LANES], here[LANES], two_x[LANES], delta[LANES], slope[LANES], e[LANES];
  real first[LANES], zero[LANES];
  LANE_LOOP(l) {
    real whole, err;
    mu[l] = bessel_split(nu[l], &whole);
    n[l] = whole;
    two_x[l] = 2 / x[l];
    const real p = two_prod(two_x[l], x[l], &err), rest = K(0.5) * ((2 - p) - err);
    delta[l] = x[l] > K(1e200) ? K(0) : rest; /* two_prod() has its limits */
  }
  if (nodes > 0)
    bessel_sums(x, mu, nodes, before, here);
  else
    bessel_hankel(x, mu, before, here);
  const i32 pairs = bessel_steps(n) / 2;
  LANE_LOOP(l) {
    const real k0 = before[l], k1 = here[l], apart = x[l] * (k0 - k1);
    first[l] = k0;
    before[l] = FMA(delta[l], FMA(mu[l], k0, apart), k0);
    here[l] = FMA(-delta[l], FMA(mu[l] + 1, k1, apart), k1);
  }
  for (i32 j = 0; j < pairs; j++) {
    const real odd = 2 * j + 1, even = 2 * j + 2;
    LANE_LOOP(l) {
      const real a = (mu[l] + odd) * two_x[l], b = (mu[l] + even) * two_x[l];
      const real next = FMA(odd < n[l] ? a : K(0), here[l], before[l]);
      here[l] = FMA(even < n[l] ? b : K(0), next, here[l]);
      before[l] = next;
    }
  }
  const real scaled = par[BESSEL_SCALED];
  LANE_LOOP(l) {
    /* d log K: -(K_(nu-1)/K_nu + nu/x), for n = 0 -(K_(nu+1)/K_nu - nu/x) */
    const flag none = n[l] == 0, swapped = (none == 0) & ((K(0.5) * n[l] + ROUND_) - ROUND_ == K(0.5) * n[l]);
    const real last = swapped ? before[l] : here[l], other = (swapped | none) ? here[l] : before[l];
    const real corrected = FMA(-delta[l], FMA(x[l], last - other, -nu[l] * last), last);
    const real k = none ? first[l] : corrected;
    const real by_x = K(0.5) * nu[l] * two_x[l];
    slope[l] = -(other / k + (none ? -by_x : by_x));
    here[l] = k;
    e[l] = scaled != 0 ? K(0) : -x[l];
    zero[l] = 0;
  }
  bessel_give(par, here, e, zero, slope, value);
}

#define BESSEL_BY_SUMS(list, nodes)                                                                          \
  {                                                                                                          \
    OVER_LIST(list);                                                                                         \
    real x[LANES], nu[LANES], value[LANES];                                                                  \
    LANE_LOOP(l) {                                                                                           \
      x[l] = IN(BESSEL_X, idx[l]);                                                                               \
      nu[l] = fabs(IN(BESSEL_NU, idx[l]));                                                                       \
    }                                                                                                        \
    bessel_by_sums(par, x, nu, nodes, value);                                                                \
    LANE_LOOP(l) OUT(0, idx[l]) = value[l];                                                                  \
  }
KERNEL(bessel_low) BESSEL_BY_SUMS(K_LIST_LOW, BESSEL_NODES_LOW)
KERNEL(bessel_mid) BESSEL_BY_SUMS(K_LIST_MID, BESSEL_NODES_MID)
KERNEL(bessel_high) BESSEL_BY_SUMS(K_LIST_HIGH, BESSEL_NODES_HIGH)
KERNEL(bessel_far) BESSEL_BY_SUMS(K_LIST_FAR, 0)

/* nu > BESSEL_ORDER: K = Int/2 exp(E), E = nu log((nu + s)/x) - s, s = sqrt(nu^2 + x^2), in two doubles; for x > nu
 * the logarithm is that of 1 + (nu + s - x)/x. Huge arguments are scaled, for nu + s not to overflow. */
KERNEL(bessel_centred) {
  OVER_LIST(K_LIST_CENTRED);
  const real scaled = par[BESSEL_SCALED], what = par[BESSEL_WHAT];
  real x[LANES], nu[LANES], s[LANES], peak[LANES], e[LANES], e_lo[LANES];
  real integral[LANES], mean_u[LANES], mean_cosh[LANES], mean_sinh[LANES], value[LANES];
  LANE_LOOP(l) {
    const real given = IN(BESSEL_X, idx[l]), order = fabs(IN(BESSEL_NU, idx[l]));
    const flag vast = max_(given, order) > K(1e140), wide = given > order;
    const real shrink = vast ? K(9.094947017729282e-13) : K(1), grow = vast ? K(1099511627776.0) : K(1); /* 2^40 */
    const real v = given * shrink, m = order * shrink;
    real norm_lo, gap_err, t_err, w_err, u_lo, sum_lo, top_lo, log_lo, err, low_err, p_err, e_err;
    const real norm = bessel_norm(v, m, &norm_lo), difference = two_sum(norm, -v, &gap_err);
    const flag far_out = m < K(1e-8) * v; /* there s - x is beneath the error terms of s */
    const real gap = far_out ? m / (norm + v) * m : difference, gap_lo = far_out ? K(0) : gap_err + norm_lo;
    const real t = two_sum(m, gap, &t_err), w = t / v, back = two_prod(w, v, &w_err);
    const real w_lo = (((t - back) - w_err) + (t_err + gap_lo)) / v;
    const real near = two_sum(K(1), w, &u_lo), sum = two_sum(m, norm, &sum_lo);
    const real top = log_dd(wide ? near : sum, wide ? u_lo + w_lo : sum_lo + norm_lo, &top_lo);
    const flag tiny = vast & (given < K(1e-290)); /* scaled it would vanish: log 2^40 comes here */
    const real log_given = log_dd(wide ? K(1) : (tiny ? given : v), K(0), &log_lo);
    const real log_v = tiny ? log_given - K(27.725887222397812) : log_given, far = two_sum(top, -log_v, &err);
    const real hi = fast_two_sum(far, err + (top_lo - log_lo), &low_err), p = two_prod(m, hi, &p_err);
    const real off = scaled != 0 ? gap : norm, off_lo = scaled != 0 ? gap_lo : norm_lo;
    e[l] = grow * two_sum(p, -off, &e_err);
    e_lo[l] = grow * (e_err + (p_err + FMA(m, low_err, -off_lo)));
    s[l] = min_(norm * grow, REAL_MAX_);
    x[l] = given;
    nu[l] = order;
    peak[l] = hi;
  }
  bessel_sums_centred(s, nu, integral, mean_u, mean_cosh, mean_sinh);
  LANE_LOOP(l) {
    const real by_x = -(s[l] * mean_cosh[l] + nu[l] * mean_sinh[l]) / x[l], by_nu = peak[l] + mean_u[l];
    integral[l] *= K(0.5);
    mean_u[l] = what == BESSEL_DX ? by_x : (IN(BESSEL_NU, idx[l]) < 0 ? -by_nu : by_nu);
  }
  bessel_give(par, integral, e, e_lo, mean_u, value);
  LANE_LOOP(l) OUT(0, idx[l]) = value[l];
}

/* d log K/dnu for nu <= BESSEL_ORDER: the mean of t tanh(nu t) with the weights cosh(nu t) exp(-x cosh t), as
 * Sum t sinh(nu t) exp(..) / Sum cosh(nu t) exp(..), all terms of which are positive (the tangent itself has poles
 * near the real line). Exponents are counted from the peak t0 = log((nu + s)/x), s = sqrt(nu^2 + x^2); the sum ends
 * where (s + nu)/2 (e^u - 1 - u) > 40, u = t - t0, which u = log(1 + y + sqrt(2 y)), y = 80/(s + nu), fulfils.
 * Step: as for bessel_sums_centred(), of which this is half the line of nodes. */
KERNEL(bessel_slope) {
  OVER_LIST(K_LIST_SLOPE);
  real x[LANES], nu[LANES], h[LANES], top[LANES], above[LANES], below[LANES], ends[LANES], log_x[LANES];
  LANE_LOOP(l) {
    const real v = IN(BESSEL_X, idx[l]), order = fabs(IN(BESSEL_NU, idx[l])), z = clamp_(v, K(1e-140), K(1e140));
    const real square = FMA(order, order, z * z), s = max_(v, square * rsqrt_(square));
    log_x[l] = log_(v);
    const real t0 = order == 0 ? K(0) : log_(order + s) - log_x[l], y = 80 / (s + order);
    x[l] = v;
    nu[l] = order;
    h[l] = CENTRED_STEP(s);
    ends[l] = (t0 + log1p_(y + 2 * y * rsqrt_(2 * y))) / h[l];
    top[l] = order * t0 - order * (order / (s + v)); /* nu t0 - x (cosh t0 - 1) */
    above[l] = 0;
    below[l] = exp_core_(max_(-top[l], K(-700)));
  }
  real most = 1;
  for (i32 l = 0; l < LANES; l++) most = max_(most, ends[l]);
  const i32 nodes = (i32)min_(most, K(20000)) + 1;
  for (i32 k = 1; k <= nodes; k++) {
    const real index = k;
    LANE_LOOP(l) {
      const real t = min_(index * h[l], K(2000)), near = min_(t, K(700)), grow = expm1_core_(near);
      /* x (cosh t - 1), where cosh t may be no number */
      const real rise = x[l] * (K(0.5) * grow * (grow / (grow + 1)));
      const real fall = t > K(700) ? K(0.5) * exp_core_(clamp_(t + log_x[l], K(-700), K(700))) : rise;
      const real e = FMA(nu[l], t, -fall) - top[l], small = exp_core_(max_(e, K(-700)));
      const flag over = (e < K(-700)) | (index > ends[l] + 1);
      const real weight = over ? K(0) : small, tail = expm1_core_(max_(-2 * nu[l] * t, K(-700)));
      above[l] = FMA(-t * tail, weight, above[l]);
      below[l] = FMA(2 + tail, weight, below[l]);
    }
  }
  LANE_LOOP(l) OUT(0, idx[l]) = (IN(BESSEL_NU, idx[l]) < 0 ? K(-1) : K(1)) * (above[l] / below[l]);
}
