/* beta.cl: quantiles of the beta, F and t distributions.
 *
 *   beta_quantile  from p and two shapes, or degrees of freedom: where the quantile is sought, and the list of points
 *                  by what serves there
 *   beta_by_many (list)  polynomials (beta_direct.h)
 *   beta_start (list)  where other quantiles are sought, far out, of two small shapes or next to ends of numbers
 *   beta_at_rule, beta_at_series, beta_at_fraction, beta_at_long, beta_at_small (lists): steps of seventh order on
 *                  the logarithm of a tail by logit x
 * In: p and two shapes. */
#include "kernels/beta/beta_start.h"

/* Of t: the upper tail of t^2 is twice the smaller tail of t; 1, as 0 of the lower tail, in the middle. */
DEV_FN real doubled_tail_(real t) {
  const real size = fabs(t), logs = size - LN2_, twice = 2 * size, small = exp_(-max_(logs, K(0)));
  const real of_log = logs > K(0.6931471805599454) ? -logs : (small > K(0.5) ? -expm1_(-max_(logs, K(0))) : -small);
  return TAIL_IS_LOG(size) ? of_log : (twice > K(0.5) ? 1 - twice : -twice);
}

DEV_BLOCK_FN void double_tails(const real *kinds, real *t) {
  if (kinds[0] == BETA_IS_T) LANE_LOOP(l) t[l] = doubled_tail_(t[l]);
}

#define MOST_STEPS_ 40

/* Steps on the logarithm of I_x or I_y by logit x: with h the rate and s = 1 for I_x, -1 for I_y, the slope is s h,
 * and that of the logarithm of x y density is a - n x. The logarithm of a tail is concave, so that Newton's steps,
 * which are taken from afar, come near. part: x or, where up, y. */
DEV_BLOCK_FN void quantile_steps(DEV_GLOBAL const real *shape_a, DEV_GLOBAL const real *shape_b, const real *kinds,
                                 const real *t, real *a, real *b, real *part, real *up) {
  real goal[LANES], goal_lo[LANES], other[LANES], open[LANES];
  LANE_LOOP(l) {
    const real size = fabs(t[l]);
    goal[l] = log_of_tail_(size, &goal_lo[l]);
    other[l] = 0;
    open[l] = 1;
  }
  for (i32 step = 0; step < MOST_STEPS_; step++) {
    if (LANES == 1) {
      const flag is_x = kinds[0] == BETA_IS_X;
      const real by = is_x ? K(1) : K(0.5), first = shape_of_(READ_AGAIN(*shape_a) * by, is_x);
      a[0] = kinds[0] == BETA_IS_T ? K(0.5) : first;
      b[0] = shape_of_(READ_AGAIN(*shape_b) * by, is_x);
    }
    BETA_TAILS_AT
    ANY_LANE(across, (upper[l] != 0) != (t[l] < 0))
    if (across > 0)
      LANE_LOOP(l) other[l] = log_of_other_(fabs(t[l]));
    LANE_LOOP(l) {
      real e, left;
      const flag over = upper[l] != 0, same = over == (t[l] < 0);
      const real to = same ? goal[l] : other[l], to_lo = same ? goal_lo[l] : K(0);
      const real gap = two_sum(-dev[l], -to, &e) + ((e - dev_lo[l]) - to_lo) + log_core_(max_(f[l], REAL_MIN_));
      const real n = a[l] + b[l], h = over ? -rate[l] : rate[l], v = n * x[l] * y[l];
      const real by = seventh_order_(gap, h, slope[l], v, 1, y[l] - x[l], 2 / n, K(40), &left);
      /* of the smaller one of x and y, which may change */
      const real grow = up[l] != 0 ? -by : by, m = fabs(grow) < K(1e-8) ? grow : expm1_core_(grow);
      const real whole = FMA(part[l], m, K(1)), rest = 1 - part[l], next = FMA(part[l] * rest, m / whole, part[l]);
      const flag turn = next > K(0.5);
      const real now = turn ? rest / whole : next;
      part[l] = open[l] != 0 ? max_(now, K(1e-307)) : part[l];
      up[l] = ((open[l] != 0) & turn) ? 1 - up[l] : up[l];
      open[l] = ((open[l] != 0) & !(left < SETTLED_)) ? K(1) : K(0);
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
}

/* The variable at x, or y, and the side of t. */
DEV_BLOCK_FN void beta_values(const real *kinds, const real *up, const real *a, const real *b, const real *low,
                              real *part) {
  if (kinds[0] == BETA_IS_X) {
    LANE_LOOP(l) part[l] = up[l] != 0 ? 1 - part[l] : part[l];
    return;
  }
  LANE_LOOP(l) {
    const real rest = 1 - part[l], odds = (up[l] != 0 ? rest : part[l]) / (up[l] != 0 ? part[l] : rest);
    const real t = sqrt(odds * (2 * b[l])), signed_t = low[l] != 0 ? -t : t;
    part[l] = kinds[l] == BETA_IS_F ? odds * (b[l] / a[l]) : signed_t;
  }
}

/* Starts, and what needs none: ends of the support and invalid numbers. */
DEV_BLOCK_FN void quantile_begin(const real *kinds, const real *given, const real *a, const real *b, real *at,
                                 real *q, real *way) {
  real shape_a[LANES], shape_b[LANES], tail[LANES], served[LANES], u[LANES], w[LANES], direct[LANES];
  LANE_LOOP(l) tail[l] = given[l];
  double_tails(kinds, tail);
  LANE_LOOP(l) {
    const flag in = (a[l] > 0) & (a[l] <= K(1e290)) & (b[l] > 0) & (b[l] <= K(1e290));
    tail[l] = ((tail[l] != 0) & (fabs(tail[l]) <= REAL_MAX_)) ? tail[l] : K(0.4);
    shape_a[l] = in ? a[l] : K(2);
    shape_b[l] = in ? b[l] : K(2);
    tail[l] = shape_a[l] <= shape_b[l] ? tail[l] : -tail[l];
  }
  tail_centres(tail, u, w);
  LANE_LOOP(l) {
    const real c = min_(shape_a[l], shape_b[l]), d = max_(shape_a[l], shape_b[l]);
    const flag small_side = (kinds[l] == BETA_IS_X) & (shape_a[l] <= shape_b[l]);
    direct[l] = direct_serves_(c, d, u[l], w[l], small_side) ? K(1) : K(0);
    at[l] = served[l] = 0;
  }
  ANY_LANE(more, direct[l] == 0)
  if (more > 0) near_start(tail, u, w, shape_a, shape_b, at, served);
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
    const real part = fabs(at[l]), x = at[l] < 0 ? 1 - part : part, y = at[l] < 0 ? part : 1 - part;
    const flag edge = none | middle | zero_a | zero_b;
    q[l] = known ? (none ? (low ? least : most) : (middle ? K(0) : point)) : NAN_;
    const real by = beta_way_(shape_a[l], shape_b[l], x, y, &side);
    const real terms = beta_fraction_terms_(shape_a[l] + shape_b[l], side != 0 ? y : x, side != 0 ? x : y);
    const real of = ((by == BETA_LIST_FRACTION) & (terms > LONG_FROM)) ? K(BETA_LIST_LONG) : by;
    const real list = direct[l] != 0 ? K(BETA_LIST_MANY) : (served[l] != 0 ? of : K(BETA_LIST_START));
    at[l] = direct[l] != 0 ? w[l] : at[l];
    way[l] = (known & !edge) ? list : K(-1);
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
  real from[LANES], q[LANES], way[LANES];
  quantile_begin(kinds, given, a, b, from, q, way);
  LANES_OUT(0, q)
  KEEP_TAILS(BETA_WORK_TAIL, given, BETA_WORK_AT, from)
  TO_LISTS(BETA_QUANTILE_LISTS, way)
}

/* Starts far out, and quantiles beyond numbers. */
DEV_BLOCK_FN void quantile_far(const real *kinds, const real *given, const real *a, const real *b, real *at, real *q,
                               i32 *target) {
  real t[LANES], log_odds[LANES], way[LANES];
  LANE_LOOP(l) t[l] = given[l];
  double_tails(kinds, t);
  far_start(t, a, b, at, log_odds);
  LANE_LOOP(l) {
    real side;
    const flag from_y = copy_sign_(K(1), at[l]) < 0; /* -0 too */
    const real part = fabs(at[l]), x = from_y ? 1 - part : part, y = from_y ? part : 1 - part;
    /* odds beyond numbers, of whose powers the variable may be one */
    const real far_f = exp_(log_odds[l]) * (b[l] / a[l]), far_t = exp_(K(0.5) * log_odds[l]) * sqrt(2 * b[l]);
    const real other = kinds[l] == BETA_IS_F ? far_f : (given[l] > 0 ? -far_t : far_t);
    q[l] = kinds[l] == BETA_IS_X ? x : other;
    way[l] = part < K(1e-305) ? K(BETA_LISTS) : beta_way_(a[l], b[l], x, y, &side);
  }
  for (i32 l = 0; l < LANES; l++) target[l] = (i32)way[l];
}
SORTING_KERNEL(beta_start) {
  OVER_LIST(BETA_LIST_START);
  real given[LANES], a[LANES], b[LANES], from[LANES], q[LANES];
  i32 target[LANES];
  for (i32 l = 0; l < LANES; l++) {
    given[l] = WORK(BETA_WORK_TAIL, idx[l]);
    a[l] = IN(BETA_A, idx[l]);
    b[l] = IN(BETA_B, idx[l]);
  }
  SHAPES_OF_LANES
  quantile_far(kinds, given, a, b, from, q, target);
  for (i32 l = 0; l < LANES; l++) {
    WORK(BETA_WORK_AT, idx[l]) = from[l];
    if (target[l] == BETA_LISTS) OUT(0, idx[l]) = q[l];
  }
  list_push_lanes(target, BETA_LISTS)
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
    low[l] = t[l] > 0 ? K(1) : K(0);                                                                         \
    up[l] = part[l] < 0 ? K(1) : K(0);                                                                       \
    part[l] = fabs(part[l]);                                                                                 \
  }                                                                                                          \
  double_tails(kinds, t);                                                                                    \
  quantile_steps(&IN(BETA_A, idx[0]), &IN(BETA_B, idx[0]), kinds, t, a, b, part, up);                        \
  beta_values(kinds, up, a, b, low, part);                                                                   \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = part[l];

KERNEL(beta_by_many) {
  OVER_LIST(BETA_LIST_MANY);
  real a[LANES], b[LANES], w[LANES];
  for (i32 l = 0; l < LANES; l++) {
    w[l] = WORK(BETA_WORK_AT, idx[l]);
    a[l] = IN(BETA_A, idx[l]);
    b[l] = IN(BETA_B, idx[l]);
  }
  SHAPES_OF_LANES
  LANE_LOOP(l) {
    real lo;
    const flag of_x = a[l] <= b[l];
    const real size = direct_place_(min_(a[l], b[l]), max_(a[l], b[l]), w[l], &lo), by = b[l] / a[l];
    const real sign = kinds[l] == BETA_IS_X ? K(-1) : K(1), near = expm1_(sign * size);
    const real over = FMA(sign * lo, 1 + near, near);
    const real x = of_x ? -over : 1 + over, f = of_x ? over * by : by / over;
    w[l] = kinds[l] == BETA_IS_X ? x : f;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = w[l];
}

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
KERNEL(beta_at_long) {
  OVER_LIST(BETA_LIST_LONG);
  SOLVE_LISTED
}
KERNEL(beta_at_small) {
  OVER_LIST(BETA_LIST_SMALL);
  SOLVE_LISTED
}
