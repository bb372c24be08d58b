/* beta.cl: quantiles of the beta, F and t distributions.
 *
 *   beta_quantile  from p and two shapes, or degrees of freedom: where the quantile is sought, and the list of points
 *                  by what serves there
 *   beta_at_rule, beta_at_series, beta_at_fraction, beta_at_small (lists): steps of fourth order on the logarithm of
 *                  a tail by logit x
 * In: p and two shapes. */
#include "kernels/poisson/tail_inverse.h"
#include "kernels/beta/beta.h"

/* Of t: the upper tail of t^2 is twice the smaller tail of t; 1, as 0 of the lower tail, in the middle. */
DEV_FN real doubled_tail_(real t) {
  const real size = fabs(t), logs = size - LN2_, twice = 2 * size, small = exp_(-max_(logs, K(0)));
  const real of_log = logs > K(0.6931471805599454) ? -logs : (small > K(0.5) ? -expm1_(-max_(logs, K(0))) : -small);
  return TAIL_IS_LOG(size) ? of_log : (twice > K(0.5) ? 1 - twice : -twice);
}

/* Where to seek the quantile of a tail t, as x or, negative, y: from the power of x or y that the tail is near an
 * end, (p a B)^(1/a), whose logarithm, with its sign, is log_odds; else from the normal quantile w by Carter's
 * approximation (M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.5.22), or for a shape
 * below 1 by a gamma distribution, or from the middle for two. */
DEV_BLOCK_FN void quantile_start(const real *t, const real *a, const real *b, real *at, real *log_odds) {
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

#define MOST_STEPS_ 40

/* Steps of fourth order on g(logit x) - log t, g the logarithm of a tail: with s = 1 for I_x and -1 for I_y, h the
 * rate and k = a - n x - s h, g' = s h, g''/g' = k, g'''/g' = k^2 - n x y - s h k. g is concave, so that Newton's
 * steps, which are taken from afar, come near. part: x or, where up, y. */
DEV_BLOCK_FN void quantile_steps(DEV_GLOBAL const real *shape_a, DEV_GLOBAL const real *shape_b, const real *kinds,
                                 const real *t, real *a, real *b, real *part, real *up) {
  real goal[LANES], goal_lo[LANES], other[LANES], open[LANES];
  LANE_LOOP(l) {
    const real size = fabs(t[l]);
    goal[l] = log_of_tail_(size, &goal_lo[l]);
    other[l] = log_of_other_(size);
    open[l] = 1;
  }
  PEAK_OF_LANES
  for (i32 step = 0; step < MOST_STEPS_; step++) {
    if (LANES == 1) {
      const flag is_x = kinds[0] == BETA_IS_X;
      const real by = is_x ? K(1) : K(0.5), first = shape_of_(READ_AGAIN(*shape_a) * by, is_x);
      a[0] = kinds[0] == BETA_IS_T ? K(0.5) : first;
      b[0] = shape_of_(READ_AGAIN(*shape_b) * by, is_x);
    }
    BETA_TAILS_AT
    LANE_LOOP(l) {
      real e, size;
      const flag over = upper[l] != 0, same = over == (t[l] < 0);
      const real to = same ? goal[l] : other[l], to_lo = same ? goal_lo[l] : K(0);
      const real gap = two_sum(-dev[l], -to, &e) + ((e - dev_lo[l]) - to_lo) + log_core_(max_(f[l], REAL_MIN_));
      const real sh = over ? -rate[l] : rate[l], k = slope[l] - sh, spread = (a[l] + b[l]) * x[l] * y[l];
      const real by = fourth_order_(gap, sh, k, k * k - spread - sh * k, K(40), &size);
      /* of the smaller one of x and y, which may change */
      const real grow = up[l] != 0 ? -by : by, m = fabs(grow) < K(1e-8) ? grow : expm1_core_(grow);
      const real whole = FMA(part[l], m, K(1)), rest = 1 - part[l], next = FMA(part[l] * rest, m / whole, part[l]);
      const flag turn = next > K(0.5);
      const real now = turn ? rest / whole : next;
      part[l] = open[l] != 0 ? max_(now, K(1e-307)) : part[l];
      up[l] = ((open[l] != 0) & turn) ? 1 - up[l] : up[l];
      open[l] = ((open[l] != 0) & (size > K(1e-4))) ? K(1) : K(0);
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
}

/* The variable at x, or y, and the side of t. */
DEV_FN real beta_value_(real kind, real part, flag up, real a, real b, flag negative) {
  const real rest = 1 - part, odds = up ? rest / part : part / rest, f = odds * (b / a), t = sqrt(odds * (2 * b));
  const real x = up ? rest : part;
  return kind == BETA_IS_X ? x : (kind == BETA_IS_F ? f : (negative ? -t : t));
}

/* Starts, and what needs none: ends of the support, invalid numbers, points whose quantile is beyond numbers. */
DEV_BLOCK_FN void quantile_begin(const real *kinds, const real *given, const real *a, const real *b, real *t,
                                 real *at, real *q, real *way) {
  real shape_a[LANES], shape_b[LANES], tail[LANES], log_odds[LANES];
  LANE_LOOP(l) {
    const flag is_t = kinds[l] == BETA_IS_T, in = (a[l] > 0) & (a[l] <= K(1e290)) & (b[l] > 0) & (b[l] <= K(1e290));
    const real used = is_t ? doubled_tail_(given[l]) : given[l];
    const flag is = (used != 0) & (fabs(used) <= REAL_MAX_);
    t[l] = used;
    tail[l] = is ? used : K(0.4);
    shape_a[l] = in ? a[l] : K(2);
    shape_b[l] = in ? b[l] : K(2);
  }
  quantile_start(tail, shape_a, shape_b, at, log_odds);
  LANE_LOOP(l) {
    real side;
    const flag is_t = kinds[l] == BETA_IS_T, is_x = kinds[l] == BETA_IS_X, low = copy_sign_(K(1), given[l]) > 0;
    const flag known = shapes_known_(a[l], b[l], is_x) & (given[l] == given[l]);
    const flag none = (given[l] == 0) | (fabs(given[l]) > REAL_MAX_), middle = is_t & (fabs(given[l]) == K(0.5));
    const real least = is_t ? -INF_ : K(0), most = is_x ? K(1) : INF_;
    const flag zero_a = (a[l] == 0) | (b[l] > K(1e290)), zero_b = (b[l] == 0) | (a[l] > K(1e290));
    const real centre = is_x ? K(0.5) : K(1), either = fabs(given[l]) == K(0.5) ? centre : (low ? least : most);
    const real both = a[l] > K(1e290) ? centre : either;
    const real point = (zero_a & zero_b) ? both : (zero_a ? K(0) : most);
    const flag from_y = copy_sign_(K(1), at[l]) < 0; /* -0 too */
    const real part = fabs(at[l]), x = from_y ? 1 - part : part, y = from_y ? part : 1 - part;
    /* odds beyond numbers, of whose powers the variable may be one */
    const real far_f = exp_(log_odds[l]) * (shape_b[l] / shape_a[l]);
    const real far_t = exp_(K(0.5) * log_odds[l]) * sqrt(2 * shape_b[l]);
    const real tiny_value = is_x ? (from_y ? 1 - part : part) : (is_t ? (low ? -far_t : far_t) : far_f);
    const flag tiny = part < K(1e-305), edge = none | middle | zero_a | zero_b;
    const real end = none ? (low ? least : most) : (middle ? K(0) : point);
    q[l] = known ? (edge ? end : tiny_value) : NAN_;
    way[l] = (known & !edge & !tiny) ? beta_way_(shape_a[l], shape_b[l], x, y, &side) : K(-1);
  }
}

KERNEL(beta_quantile) {
  OVER_WHOLE_BLOCKS;
  real given[LANES], a[LANES], b[LANES];
  LANES_IN(BETA_GIVEN, given)
  LANES_IN(BETA_A, a)
  LANES_IN(BETA_B, b)
  SMALLER_TAILS(given, par[BETA_LOG] != 0, par[BETA_LOWER] != 0)
  SHAPES_OF_LANES
  real t[LANES], from[LANES], q[LANES], way[LANES];
  quantile_begin(kinds, given, a, b, t, from, q, way);
  LANES_OUT(0, q)
  KEEP_TAILS(BETA_WORK_TAIL, given, BETA_WORK_AT, from)
  TO_LISTS(BETA_LISTS, way)
}

#define SOLVE_LISTED                                                                                         \
  real t[LANES], a[LANES], b[LANES], part[LANES], up[LANES], low[LANES];                                     \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    t[l] = WORK(BETA_WORK_TAIL, idx[l]);                                                                     \
    part[l] = WORK(BETA_WORK_AT, idx[l]);                                                                    \
    a[l] = IN(BETA_A, idx[l]);                                                                               \
    b[l] = IN(BETA_B, idx[l]);                                                                               \
  }                                                                                                          \
  SHAPES_OF_LANES                                                                                            \
  LANE_LOOP(l) {                                                                                             \
    const real twice = doubled_tail_(t[l]);                                                                  \
    low[l] = t[l] > 0 ? K(1) : K(0);                                                                         \
    t[l] = kinds[l] == BETA_IS_T ? twice : t[l];                                                             \
    up[l] = part[l] < 0 ? K(1) : K(0);                                                                       \
    part[l] = fabs(part[l]);                                                                                 \
  }                                                                                                          \
  quantile_steps(&IN(BETA_A, idx[0]), &IN(BETA_B, idx[0]), kinds, t, a, b, part, up);                        \
  LANE_LOOP(l) part[l] = beta_value_(kinds[l], part[l], up[l] != 0, a[l], b[l], low[l] != 0);          \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = part[l];

KERNEL(beta_at_rule) {
  OVER_LIST(BETA_LIST_RULE);
  SOLVE_LISTED
}
KERNEL(beta_at_series) {
  OVER_LIST(BETA_LIST_SERIES);
  SOLVE_LISTED
}
KERNEL(beta_at_fraction) {
  OVER_LIST(BETA_LIST_FRACTION);
  SOLVE_LISTED
}
KERNEL(beta_at_small) {
  OVER_LIST(BETA_LIST_SMALL);
  SOLVE_LISTED
}
