/* noncentral.cl: quantiles of the non-central chi-squared distribution.
 *
 *   noncentral_quantile  from p, degrees of freedom and non-centrality: where the quantile is sought, and the list of
 *                        points by what serves there
 *   noncentral_at_one_step, noncentral_at_integral, noncentral_at_lower, noncentral_at_upper (lists): steps of fourth
 *                        order on the logarithm of a tail by log u
 * In: p, degrees of freedom, non-centrality. */
#include "kernels/poisson/tail_inverse.h"
#include "kernels/gamma/noncentral.h"

/* Where to seek the quantile of a normal deviate z: with u = y t^2 + a t the deviance of noncentral.h is
 * D = a (t - 1 - log t) + y (t - 1)^2, and to an error of some n^(-3/2) the tail is that of the deviate
 * r + log(v/r)/r, r = sign(t - 1) sqrt(2 D), v = (t - 1) sqrt(a + 2 y t) (O. E. Barndorff-Nielsen, Modified signed
 * log likelihood ratio, Biometrika 78, 1991). t by its series for r/sqrt n, n = a + 2 y, or, beyond, from the growth
 * of D, and Newton's steps on r by log t; one more for the correction. */
DEV_FN real turn_of_normal_(real z, real a, real y) {
  const real n = a + 2 * y, by_root = 1 / sqrt(n), e = z * by_root, k = a * by_root * by_root;
  const real halved = K(0.5) * z * z;
  const real c = clamp_(e, K(-0.7), K(0.7)), c2 = c * c;
  const real near = FMA(c2 * c, (K(0.2777777777777778) * k - K(0.25)) * k, FMA(c2, k * K(0.3333333333333333), c));
  const real slow = a * e / (e + K(1.5)), rise = 2 * halved / (slow + sqrt(FMA(slow, slow, 4 * y * halved)));
  const real root_y = max_(1 - fabs(e), K(0.05)), past = (halved - y) / max_(a, K(1e-280)) + 1;
  real turn = log_core_(e > K(-0.7) ? 1 + (e > K(0.7) ? rise : near) : root_y), s, v2, r;
  turn = fabs(e) < K(1e-3) ? near * FMA(K(-0.5), near, K(1)) : (e > K(-0.7) ? turn : min_(turn, -past));
#define TURN_STEP                                                                                            \
  s = expm1_core_(clamp_(turn, K(-700), K(700)));                                                            \
  v2 = s * FMA(2 * y, 1 + s, a);                                                                             \
  r = copy_sign_(sqrt(2 * max_(FMA(a, s - turn, y * s * s), K(0))), s);                                      \
  turn += fabs(e) > K(1e-3) ? clamp_((z - r) * r / v2, K(-2), K(2)) : K(0);
  TURN_STEP TURN_STEP
#undef TURN_STEP
  s = expm1_core_(clamp_(turn, K(-700), K(700)));
  v2 = s * FMA(2 * y, 1 + s, a); /* v^2/s */
  const flag apart = fabs(z) > K(0.3);
  const real limit = FMA(3, y, a) * K(0.3333333333333333) * by_root * by_root * by_root;
  const real square = apart ? s * v2 / (z * z) : K(1), shift = K(0.5) * log_core_(max_(square, REAL_MIN_)) / v2;
  return turn - clamp_(apart ? shift : limit * by_root, K(-2), K(2));
}

/* By the deviate of the tail's size u or, where the power of u that the lower tail is near 0 serves, e^-y
 * u^a/Gamma(a + 1) (1 + u (y - a)/(a + 1)), by that. */
DEV_BLOCK_FN void quantile_start(const real *t, const real *a, const real *y, real *at) {
  real u[LANES], w[LANES], log_u[LANES];
  tail_deviates(t, u, log_u, w);
  LANE_LOOP(l) {
    const real shape = max_(a[l], K(1e-3)), turn = turn_of_normal_(t[l] < 0 ? w[l] : -w[l], shape, y[l]);
    const real s = exp_(min_(turn, K(350)));
    at[l] = s * FMA(y[l], s, shape);
  }
  ANY_LANE(low, (a[l] < 1) | (at[l] < K(1e-3)))
  if (low > 0)
    LANE_LOOP(l) { /* a mass of exp(-y) at 0 where a is 0 */
      const flag small = a[l] < 1;
      const real lower_log = (t[l] < 0 ? log1p_(-u[l]) : log_u[l]) + y[l], b = max_(a[l], K(1e-300));
      const real c = min_(b, K(1)), c2 = c * c, c4 = c2 * c2, log_gamma = c * LGAM_L(c, c2, c4);
      const real large = b * exp_((lower_log - log_gamma_peak_(b)) / b - 1);
      const real power = small ? exp_((lower_log + log_gamma) / c) : large;
      const real first = power * (y[l] - b) / (b * (b + 1));
      const flag serves = (fabs(first) < K(0.4)) & (power * (y[l] + 1) < (small ? K(0.4) : K(1e-3)));
      const real from = serves ? power * exp_(-clamp_(first, K(-1), K(1))) : at[l];
      at[l] = ((a[l] == 0) & (lower_log <= 0)) ? K(0) : from;
    }
}

/* At most so many steps: one from ONE_STEP_FROM_ on, two for most others, of which the first may be rough. */
#define ONE_STEP_FROM_ K(250)
#define MOST_STEPS_ 60

/* Steps of fourth order on g(log u) - log t, g the logarithm of a tail: with s = 1 for P and -1 for Q, h the rate and
 * k = q - u - s h, g' = s h, g''/g' = k, g'''/g' = k^2 + dq/dlog u - u - s h k. */
DEV_BLOCK_FN void quantile_steps(DEV_GLOBAL const real *df, DEV_GLOBAL const real *ncp, const real *t, real *a,
                                 real *y, real *u) {
  real f[LANES], dev[LANES], dev_lo[LANES], upper[LANES], rate[LANES], q[LANES], slope[LANES];
  real goal[LANES], goal_lo[LANES], other[LANES], open[LANES], rough[LANES];
  LANE_LOOP(l) {
    const real size = fabs(t[l]);
    goal[l] = log_of_tail_(size, &goal_lo[l]);
    other[l] = 0;
    open[l] = 1;
    const real n = a[l] + 2 * y[l];
    rough[l] = ((n < ONE_STEP_FROM_) & (n > K(1.5))) ? K(1) : K(0);
  }
  for (i32 step = 0; step < MOST_STEPS_; step++) {
    if (LANES == 1) {
      a[0] = K(0.5) * READ_AGAIN(*df);
      y[0] = K(0.5) * READ_AGAIN(*ncp);
    }
    noncentral_tails(a, y, u, rough, f, dev, dev_lo, upper, rate, q, slope);
    ANY_LANE(across, (upper[l] != 0) != (t[l] < 0))
    if (across > 0)
      LANE_LOOP(l) other[l] = log_of_other_(fabs(t[l]));
    LANE_LOOP(l) {
      real e, size;
      const flag up = upper[l] != 0, same = up == (t[l] < 0);
      const real to = same ? goal[l] : other[l], to_lo = same ? goal_lo[l] : K(0);
      const real apart = two_sum(-dev[l], -to, &e); /* whose most log f may cancel */
      const real gap = log_plus_(max_(f[l], REAL_MIN_), apart, (e - dev_lo[l]) - to_lo);
      const real sh = up ? -rate[l] : rate[l], k = (q[l] - u[l]) - sh;
      const real by = fourth_order_(gap, sh, k, k * k + (slope[l] - u[l]) - sh * k, K(3), &size);
      u[l] = open[l] != 0 ? clamp_(moved_by_(u[l], by), K(1e-307), K(1e307)) : u[l];
      open[l] = ((open[l] != 0) & ((size > K(2e-4)) | (fabs(by) > K(2e-5)) | (rough[l] != 0))) ? K(1) : K(0);
      rough[l] = 0;
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
}

/* Starts for halves a of the degrees of freedom and y of ncp, ends of the support, invalid numbers, and points whose
 * quantile is below the smallest number; others go to a list. */
DEV_BLOCK_FN void quantile_begin(const real *t, const real *a, const real *y, real *from, real *q, real *way) {
  real shape[LANES], halved[LANES], tail[LANES];
  LANE_LOOP(l) {
    const flag in = (a[l] >= 0) & (a[l] <= K(1e290)) & (y[l] >= 0) & (y[l] <= K(1e290)) & (a[l] + y[l] > 0);
    const flag is = (t[l] != 0) & (fabs(t[l]) <= REAL_MAX_);
    shape[l] = in ? a[l] : K(30);
    halved[l] = in ? y[l] : K(0.5);
    tail[l] = is ? t[l] : K(0.4);
  }
  quantile_start(tail, shape, halved, from);
  LANE_LOOP(l) {
    const flag none = (t[l] == 0) | (fabs(t[l]) > REAL_MAX_), low = copy_sign_(K(1), t[l]) > 0;
    const flag known = (a[l] >= 0) & (a[l] <= REAL_MAX_) & (y[l] >= 0) & (y[l] <= REAL_MAX_) & (t[l] == t[l]);
    const flag zero = (a[l] == 0) & (y[l] == 0), end = none | zero | (a[l] + y[l] > K(1e290));
    const flag tiny = from[l] < K(1e-305);
    const real limit = none ? (low ? K(0) : INF_) : (zero ? K(0) : INF_);
    q[l] = known ? (end ? limit : 2 * from[l]) : NAN_;
    const real by = noncentral_way_(shape[l], halved[l], from[l]);
    const flag one = (by == NONCENTRAL_LIST_INTEGRAL) & (shape[l] + 2 * halved[l] >= ONE_STEP_FROM_);
    way[l] = (known & !end & !tiny) ? (one ? K(NONCENTRAL_LIST_ONE_STEP) : by) : K(-1);
  }
}
KERNEL(noncentral_quantile) {
  OVER_WHOLE_BLOCKS;
  real t[LANES], a[LANES], y[LANES], from[LANES], q[LANES], way[LANES];
  LANES_IN(NONCENTRAL_GIVEN, t)
  LANES_IN(NONCENTRAL_DF, a)
  LANES_IN(NONCENTRAL_NCP, y)
  SMALLER_TAILS(t, par[NONCENTRAL_LOG] != 0, par[NONCENTRAL_LOWER] != 0)
  LANE_LOOP(l) {
    a[l] *= K(0.5);
    y[l] *= K(0.5);
  }
  quantile_begin(t, a, y, from, q, way);
  LANES_OUT(0, q)
  KEEP_TAILS(NONCENTRAL_WORK_TAIL, t, NONCENTRAL_WORK_AT, from)
  TO_LISTS(NONCENTRAL_LISTS, way)
}

#define SOLVE_LISTED                                                                                         \
  real t[LANES], a[LANES], y[LANES], u[LANES];                                                               \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    t[l] = WORK(NONCENTRAL_WORK_TAIL, idx[l]);                                                               \
    u[l] = WORK(NONCENTRAL_WORK_AT, idx[l]);                                                                 \
    a[l] = K(0.5) * IN(NONCENTRAL_DF, idx[l]);                                                               \
    y[l] = K(0.5) * IN(NONCENTRAL_NCP, idx[l]);                                                              \
  }                                                                                                          \
  quantile_steps(&IN(NONCENTRAL_DF, idx[0]), &IN(NONCENTRAL_NCP, idx[0]), t, a, y, u);                       \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = 2 * u[l];

KERNEL(noncentral_at_one_step) {
  OVER_LIST(NONCENTRAL_LIST_ONE_STEP);
  SOLVE_LISTED
}
KERNEL(noncentral_at_integral) {
  OVER_LIST(NONCENTRAL_LIST_INTEGRAL);
  SOLVE_LISTED
}
KERNEL(noncentral_at_lower) {
  OVER_LIST(NONCENTRAL_LIST_LOWER);
  SOLVE_LISTED
}
KERNEL(noncentral_at_upper) {
  OVER_LIST(NONCENTRAL_LIST_UPPER);
  SOLVE_LISTED
}
