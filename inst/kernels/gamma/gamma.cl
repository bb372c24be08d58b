/* gamma.cl: quantiles of the gamma distribution.
 *
 *   gamma_quantile  from p, shape and scale: where the quantile is sought, and the list of what serves there
 *   gamma_at_uniform, gamma_at_series, gamma_at_fraction, gamma_at_small (lists): steps of fourth order on the
 *                   logarithm of a tail by log x
 * In: p, shape and scale. */
#include "kernels/gamma/gamma_quantile.h"

/* At most so many steps: a start in the reach of the expansion needs one or two, others up to five. */
#define MOST_STEPS_ 12

/* Steps of fourth order on g(log x) - log t, g the logarithm of a tail: with s = 1 for P and -1 for Q,
 * h = x density/tail and k = a - x - s h, g' = s h, g''/g' = k, g'''/g' = k^2 - x - s h k. */
DEV_BLOCK_FN void quantile_steps(DEV_GLOBAL const real *shape, real by_shape, const real *t, real *a, real *x) {
  real f[LANES], dev[LANES], dev_lo[LANES], upper[LANES], rate[LANES], goal[LANES], goal_lo[LANES], other[LANES];
  real open[LANES];
  LANE_LOOP(l) {
    const real size = fabs(t[l]);
    goal[l] = log_of_tail_(size, &goal_lo[l]);
    other[l] = log_of_other_(size);
    open[l] = 1;
  }
  for (i32 step = 0; step < MOST_STEPS_; step++) {
    if (LANES == 1) a[0] = READ_AGAIN(*shape) * by_shape;
    gamma_tails(a, x, f, dev, dev_lo, upper, rate);
    LANE_LOOP(l) {
      real e, size;
      const flag up = upper[l] != 0, same = up == (t[l] < 0);
      const real to = same ? goal[l] : other[l], to_lo = same ? goal_lo[l] : K(0);
      const real gap = two_sum(-dev[l], -to, &e) + ((e - dev_lo[l]) - to_lo) + log_core_(f[l]);
      const real sh = up ? -rate[l] : rate[l], k = (a[l] - x[l]) - sh;
      const real by = fourth_order_(gap, sh, k, k * k - x[l] - sh * k, K(1.5), &size);
      x[l] = open[l] != 0 ? max_(moved_by_(x[l], by), K(1e-307)) : x[l];
      open[l] = ((open[l] != 0) & (size > K(1e-4))) ? K(1) : K(0);
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
}

/* Ends of the support, invalid numbers, and points whose quantile is below the smallest number; others go to a
 * list. */
DEV_BLOCK_FN void quantile_ends(const real *t, const real *a, const real *scale, const real *at, real *q, real *way) {
  LANE_LOOP(l) {
    const flag none = (t[l] == 0) | (fabs(t[l]) > REAL_MAX_), low = copy_sign_(K(1), t[l]) > 0;
    const flag known = (a[l] >= 0) & (scale[l] > 0) & (t[l] == t[l]), end = none | (a[l] == 0) | (a[l] > K(1e300));
    const real limit = none ? (low ? K(0) : INF_) : (a[l] == 0 ? K(0) : INF_), tiny = at[l] < K(1e-305) ? K(1) : K(0);
    q[l] = known ? (end ? limit : at[l] * scale[l]) : NAN_;
    way[l] = (known & !end & (tiny == 0)) ? gamma_way_(a[l], at[l]) : K(-1);
  }
}

KERNEL(gamma_quantile) {
  OVER_WHOLE_BLOCKS;
  real t[LANES], a[LANES], scale[LANES];
  const real by = par[GAMMA_SHAPE_BY];
  LANES_IN(GAMMA_GIVEN, t)
  LANES_IN(GAMMA_SHAPE, a)
  LANES_IN(GAMMA_SCALE, scale)
  SMALLER_TAILS(t, par[GAMMA_LOG] != 0, par[GAMMA_LOWER] != 0)
  LANE_LOOP(l) a[l] *= by;
  real at_[LANES], q[LANES], way[LANES], shape[LANES], tail[LANES];
  LANE_LOOP(l) {
    const flag in = (a[l] > 0) & (a[l] <= K(1e300)), is = (t[l] != 0) & (fabs(t[l]) <= REAL_MAX_);
    shape[l] = in ? a[l] : K(30);
    tail[l] = is ? t[l] : K(0.5);
  }
  quantile_start(tail, shape, at_);
  quantile_ends(t, a, scale, at_, q, way);
  LANES_OUT(0, q)
  KEEP_TAILS(GAMMA_WORK_TAIL, t, GAMMA_WORK_AT, at_)
  TO_LISTS(GAMMA_LISTS, way)
}

#define SOLVE_LISTED                                                                                         \
  real t[LANES], a[LANES], x[LANES], scale[LANES];                                                           \
  const real by = par[GAMMA_SHAPE_BY];                                                                       \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    t[l] = WORK(GAMMA_WORK_TAIL, idx[l]);                                                                    \
    x[l] = WORK(GAMMA_WORK_AT, idx[l]);                                                                      \
    a[l] = IN(GAMMA_SHAPE, idx[l]) * by;                                                                     \
    scale[l] = IN(GAMMA_SCALE, idx[l]);                                                                      \
  }                                                                                                          \
  quantile_steps(&IN(GAMMA_SHAPE, idx[0]), by, t, a, x);                                                     \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = x[l] * scale[l];

KERNEL(gamma_at_uniform) {
  OVER_LIST(GAMMA_LIST_UNIFORM);
  SOLVE_LISTED
}
KERNEL(gamma_at_series) {
  OVER_LIST(GAMMA_LIST_SERIES);
  SOLVE_LISTED
}
KERNEL(gamma_at_fraction) {
  OVER_LIST(GAMMA_LIST_FRACTION);
  SOLVE_LISTED
}
KERNEL(gamma_at_small) {
  OVER_LIST(GAMMA_LIST_SMALL);
  SOLVE_LISTED
}
