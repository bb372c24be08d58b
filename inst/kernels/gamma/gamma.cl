/* gamma.cl: quantiles of the gamma distribution.
 *
 *   gamma_quantile  from p, shape and scale: the list of what gives the quantile
 *   gamma_by_many, gamma_by_some, gamma_by_few, gamma_by_power (lists): polynomials (gamma_direct.h)
 *   gamma_start (list)  where other quantiles are sought, and the list of what serves there
 *   gamma_at_uniform, gamma_at_series, gamma_at_fraction, gamma_at_small (lists): steps of seventh order on
 *                   the logarithm of a tail by log x
 * In: p, shape and scale. */
#include "kernels/gamma/gamma_quantile.h"

/* At most so many steps: most starts need one, others up to five. */
#define MOST_STEPS_ 12

/* Steps on log P or log Q by log x: with h = x density/tail and s = 1 for P, -1 for Q, the slope is s h, and that of
 * the logarithm of x density is a - x. */
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
      real e, left;
      const flag up = upper[l] != 0, same = up == (t[l] < 0);
      const real to = same ? goal[l] : other[l], to_lo = same ? goal_lo[l] : K(0);
      const real gap = two_sum(-dev[l], -to, &e) + ((e - dev_lo[l]) - to_lo) + log_core_(f[l]);
      const real by = seventh_order_(gap, up ? -rate[l] : rate[l], a[l] - x[l], x[l], 0, K(1), K(0), K(1.5), &left);
      x[l] = open[l] != 0 ? max_(moved_by_(x[l], by), K(1e-307)) : x[l];
      open[l] = ((open[l] != 0) & !(left < SETTLED_)) ? K(1) : K(0);
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
}

/* Ends of the support, invalid numbers, and the list of what gives other quantiles. */
DEV_BLOCK_FN void quantile_ways(const real *t, const real *a, real *w, real *q, real *way) {
  real u[LANES], some[LANES];
  LANE_LOOP(l) some[l] = ((t[l] != 0) & (fabs(t[l]) <= REAL_MAX_)) ? t[l] : K(0.5);
  tail_centres(some, u, w);
  LANE_LOOP(l) {
    const flag none = (t[l] == 0) | (fabs(t[l]) > REAL_MAX_), low = copy_sign_(K(1), t[l]) > 0;
    const flag known = (a[l] >= 0) & (t[l] == t[l]), end = none | (a[l] == 0) | (a[l] > K(1e300));
    q[l] = known ? (none ? (low ? K(0) : INF_) : (a[l] == 0 ? K(0) : INF_)) : NAN_;
    way[l] = (known & !end) ? direct_way_(a[l], t[l], u[l], w[l] / sqrt(max_(a[l], K(1)))) : K(-1);
  }
}

KERNEL(gamma_quantile) {
  OVER_WHOLE_BLOCKS;
  real t[LANES], a[LANES], scale[LANES], w[LANES], q[LANES], way[LANES];
  const real by = par[GAMMA_SHAPE_BY];
  LANES_IN(GAMMA_GIVEN, t)
  LANES_IN(GAMMA_SHAPE, a)
  LANES_IN(GAMMA_SCALE, scale)
  SMALLER_TAILS(t, par[GAMMA_LOG] != 0, par[GAMMA_LOWER] != 0)
  LANE_LOOP(l) a[l] *= by;
  quantile_ways(t, a, w, q, way);
  LANE_LOOP(l) {
    q[l] = scale[l] > 0 ? q[l] : NAN_;
    way[l] = scale[l] > 0 ? way[l] : K(-1);
  }
  LANES_OUT(0, q)
  KEEP_TAILS(GAMMA_WORK_TAIL, t, GAMMA_WORK_AT, w)
  for (i32 k = GAMMA_LIST_MANY; k < GAMMA_QUANTILE_LISTS; k++) {
    i32 wanted[LANES];
    const real own = k;
    LANE_LOOP(l) wanted[l] = way[l] == own;
    list_push_wanted(k, wanted)
  }
}

/* x, from a, w and t, of the points of a list */
#define DIRECT_LISTED(x)                                                                                     \
  real t[LANES], w[LANES], a[LANES], scale[LANES];                                                           \
  const real by = par[GAMMA_SHAPE_BY];                                                                       \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    t[l] = WORK(GAMMA_WORK_TAIL, idx[l]);                                                                    \
    w[l] = WORK(GAMMA_WORK_AT, idx[l]);                                                                      \
    a[l] = IN(GAMMA_SHAPE, idx[l]) * by;                                                                     \
    scale[l] = IN(GAMMA_SCALE, idx[l]);                                                                      \
  }                                                                                                          \
  LANE_LOOP(l) w[l] = scale[l] * (x);                                                                        \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = w[l];                                                     \
  (void)t;

KERNEL(gamma_by_many) {
  OVER_LIST(GAMMA_LIST_MANY);
  DIRECT_LISTED(by_many_(a[l], w[l]))
}
KERNEL(gamma_by_some) {
  OVER_LIST(GAMMA_LIST_SOME);
  DIRECT_LISTED(by_some_(a[l], w[l]))
}
KERNEL(gamma_by_few) {
  OVER_LIST(GAMMA_LIST_FEW);
  DIRECT_LISTED(by_few_(a[l], w[l]))
}
KERNEL(gamma_by_power) {
  OVER_LIST(GAMMA_LIST_POWER);
  DIRECT_LISTED(by_power_(a[l], t[l]))
}

/* Where other quantiles are sought: 0 where they are below the smallest number. */
SORTING_KERNEL(gamma_start) {
  OVER_LIST(GAMMA_LIST_START);
  real t[LANES], u[LANES], w[LANES], a[LANES], from[LANES], near[LANES], served[LANES];
  i32 target[LANES];
  const real by = par[GAMMA_SHAPE_BY];
  for (i32 l = 0; l < LANES; l++) {
    t[l] = WORK(GAMMA_WORK_TAIL, idx[l]);
    a[l] = IN(GAMMA_SHAPE, idx[l]) * by;
  }
  quantile_start(t, a, from);
  tail_centres(t, u, w);
  gamma_near_start(t, u, w, a, near, served);
  LANE_LOOP(l) from[l] = served[l] != 0 ? near[l] : from[l];
  for (i32 l = 0; l < LANES; l++) {
    target[l] = from[l] < K(1e-305) ? GAMMA_LISTS : (i32)gamma_way_(a[l], from[l]);
    if (target[l] == GAMMA_LISTS) OUT(0, idx[l]) = from[l] * IN(GAMMA_SCALE, idx[l]);
    WORK(GAMMA_WORK_AT, idx[l]) = from[l];
  }
  list_push_lanes(target, GAMMA_LISTS)
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
