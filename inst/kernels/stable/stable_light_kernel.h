/* stable_light_kernel.h: the light side of |beta| = 1 by the trapezoidal rule of stable_light.h, T the point beyond
 * which the integrand is e^-40 of its size at t = 0. The number of nodes doubles until the sum over the new ones is
 * that over the old ones to 1e-9; the error of both together is about the square of that. At gmin > 1/4 the larger
 * tail, 1 less the smaller, keeps its digits; what has a smaller gmin is left to the panels. */
#define LIGHT_CUT K(40.0)
#define LIGHT_NODES 12
#define LIGHT_ROUNDS 9
#define LIGHT_GAP K(1e-9)
#define LIGHT_STEP K(0.5) /* of the old nodes, in t; poles and zeros are at Im t = pi/2 */
#define LIGHT_LEAST K(0.25)

/* T, by the logs of the terms: at small t they are -(1 + alpha gmin L^2/2) t^2, further out they fall faster. */
DEV_BLOCK_FN void NAME(light_end)(const stable_block *k, const real *gmin, real *end) {
  real low[LANES], high[LANES], open[LANES], last[LANES], depth[LANES];
  LANE_LOOP(l) {
    low[l] = 0;
    high[l] = 24;
    open[l] = 1;
    last[l] = depth[l] = 0;
    end[l] = min_(sqrt(LIGHT_CUT / (1 + K(0.5) * k->alpha[l] * gmin[l] * k->l[l] * k->l[l])), K(12));
  }
  for (i32 n_try = 0; n_try < 60; n_try++) {
    if (!any_lane(open)) break;
    LANE_LOOP(l) {
      const real t = end[l];
      const stable_light_node node = stable_light_at(block_distribution(k, l), gmin[l], t);
      const real sink = node.excess - node.rise - log_(node.weight);
      const flag on = open[l] != 0, beyond = sink > LIGHT_CUT, done = beyond & (sink < LIGHT_CUT + 8);
      const real lo = beyond ? low[l] : t, hi = beyond ? t : high[l];
      /* the power of t by which the logs fall, from the last two points, at first 2 */
      const real log_sink = log_(max_(sink, K(1e-3))), fall = (log_sink - depth[l]) / log_(t / last[l]);
      const real power = ((n_try > 0) & (fall > 1)) ? fall : K(2);
      const real aim = t * exp_((K(3.8) - log_sink) / power);
      const flag inside = (aim > lo) & (aim < hi) & ((n_try & 3) != 3);
      const real next = inside ? aim : K(0.5) * (lo + hi);
      low[l] = lo;
      high[l] = hi;
      last[l] = t;
      depth[l] = log_sink;
      end[l] = (on & !done) ? next : t;
      open[l] = done ? K(0) : open[l];
    }
  }
}

/* Half of the trapezoidal rule's nodes, the old ones and the new ones apart. */
typedef struct {
  real log_min[LANES], min_hi[LANES], min_lo[LANES], end[LANES], step[LANES], open[LANES], sum[LANES], fresh[LANES];
#if JOINT
  real sum_0[LANES], fresh_0[LANES];
#endif
} NAME(light_sums);

/* The minimum of g; what has a small one is not open. */
DEV_FN void NAME(light_begin)(NAME(light_sums) *light, const stable_block *of, const i32 *idx, const i32 *set,
                              KERNEL_ARGS) {
  const i32 block = 0;
  KERNEL_UNUSED;
  LANE_LOOP(l) {
    const i32 i = idx[l], s = set[l];
    const real t_low = SET_WORK(DISTRIBUTION_T_LOW, s), turn = WORK(POINT_SIDE, i);
    const stable_standard_point u =
        stable_standard(SET_IN(SET_ALPHA, s), SET_IN(SET_BETA, s), SET_IN(SET_PM, s), SET_IN(SET_MODE, s),
                        SET_WORK(DISTRIBUTION_T, s), t_low, IN(IN_GAMMA, i), IN(IN_X, i), IN(IN_DELTA, i));
    const stable_distribution p = block_distribution(of, l);
    const stable_point z = block_point(of, l);
    const flag plain = !stable_is_extreme(z);
    const real_pair exact = stable_pair_gmin(p, z, turn * u.y_low, turn * t_low);
    const real rough = stable_log_gmin(p, z), log_hi = plain ? exact.hi : rough;
    const real gmin = exp_(min_(log_hi, K(100)));
    const flag taken = gmin > LIGHT_LEAST;
    light->log_min[l] = log_hi;
    light->min_hi[l] = taken ? gmin : K(1);
    light->min_lo[l] = plain ? gmin * exact.lo : K(0);
    light->open[l] = taken ? K(1) : K(0);
    light->sum[l] = 0;
#if JOINT
    light->sum_0[l] = 0;
#endif
  }
}

/* round 0: the nodes k h, half of the first; then those half way between the old ones. */
DEV_FN void NAME(light_nodes)(NAME(light_sums) *light, const stable_block *of, i32 nodes, i32 round) {
  LANE_LOOP(l) light->fresh[l] = 0;
#if JOINT
  LANE_LOOP(l) light->fresh_0[l] = 0;
#endif
  for (i32 k = 0; k < nodes; k++) {
    const real at = round == 0 ? K(k) : k + K(0.5), share = (round == 0 && k == 0) ? K(0.5) : K(1);
    LANE_LOOP(l) {
      const stable_light_node node =
          stable_light_at(block_distribution(of, l), light->min_hi[l], at * light->step[l]);
      const real term = share * node.weight * exp_node_(max_(-node.excess, K(-700)));
      light->fresh[l] += node.ratio * term;
#if JOINT
      light->fresh_0[l] += term;
#endif
    }
  }
}

/* The new nodes go to the old ones. */
DEV_FN void NAME(light_fold)(NAME(light_sums) *light, i32 round) {
  LANE_LOOP(l) {
    const flag on = light->open[l] != 0;
    const real all = light->sum[l] + light->fresh[l], gap = fabs(light->fresh[l] - light->sum[l]);
    flag done = (round > 0) & (gap <= LIGHT_GAP * all) & (light->step[l] <= LIGHT_STEP);
#if JOINT
    const real all_0 = light->sum_0[l] + light->fresh_0[l], gap_0 = fabs(light->fresh_0[l] - light->sum_0[l]);
    done = done & (gap_0 <= LIGHT_GAP * all_0);
    light->sum_0[l] = on ? all_0 : light->sum_0[l];
#endif
    light->sum[l] = on ? all : light->sum[l];
    light->step[l] = (on & (round > 0)) ? K(0.5) * light->step[l] : light->step[l];
    light->open[l] = done ? K(0) : light->open[l];
  }
}

DEV_FN void NAME(light_finish)(const NAME(light_sums) *light, const stable_block *of, const i32 *idx,
                               DEV_GLOBAL real *work, i32 cap) {
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const stable_distribution p = block_distribution(of, l);
    const stable_point z = block_point(of, l);
    const real size = light->step[l] * p.l, from_min = light->log_min[l] - light->min_lo[l];
    const real value = stable_log_factor(p, z) + log_(size * light->sum[l]) + from_min - light->min_hi[l];
    WORK(POINT_LOG_F, i) = light->open[l] != 0 ? NAN_ : value;
#if JOINT
    const real small = log_(size * light->sum_0[l]) - LOG_PI_ - light->min_lo[l] - light->min_hi[l];
    const real known = light->open[l] != 0 ? NAN_ : min_(small, K(0)), other = stable_log_other(known);
    const flag above = p.alpha > 1;
    WORK(POINT_LOG_UPPER, i) = above ? known : other;
    WORK(POINT_LOG_LOWER, i) = above ? other : known;
    WORK(POINT_ERROR, i) = stable_error(value, K(4));
    WORK(POINT_ERROR_SMALL, i) = stable_error(small, K(4));
#endif
  }
}

SORTING_KERNEL(NAME(light)) {
  OVER_LIST(LIST_LIGHT);
  SET_OF_LANES(set);
  LOAD_BLOCK(of);
  NAME(light_sums) light;
  NAME(light_begin)(&light, &of, idx, set, KERNEL_NAMES);
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && light.open[l] == 0) list_push(LIST_ANGLE, idx[l]);
  NAME(light_end)(&of, light.min_hi, light.end);
  LANE_LOOP(l) light.step[l] = light.end[l] * (K(1) / LIGHT_NODES);
  i32 nodes = LIGHT_NODES;
  for (i32 round = 0; round < LIGHT_ROUNDS && any_lane(light.open); round++) {
    NAME(light_nodes)(&light, &of, nodes, round);
    NAME(light_fold)(&light, round);
    nodes = round == 0 ? nodes : 2 * nodes;
  }
  NAME(light_finish)(&light, &of, idx, work, cap);
}
