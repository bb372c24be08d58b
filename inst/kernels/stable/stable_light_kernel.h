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
    i32 any = 0;
    for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
    if (!any) break;
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

KERNEL(NAME(light)) {
  OVER_LIST(LIST_LIGHT);
  SET_OF_LANES(set);
  LOAD_BLOCK(of);
  real log_min[LANES], min_hi[LANES], min_lo[LANES], end[LANES], step[LANES], open[LANES], sum[LANES], fresh[LANES];
#if JOINT
  real sum_0[LANES], fresh_0[LANES];
#endif
  LANE_LOOP(l) {
    const i32 i = idx[l], s = set[l];
    const real t_low = SET_WORK(DISTRIBUTION_T_LOW, s), turn = WORK(POINT_SIDE, i);
    const stable_standard_point u =
        stable_standard(SET_IN(SET_ALPHA, s), SET_IN(SET_BETA, s), SET_IN(SET_PM, s), SET_IN(SET_MODE, s),
                        SET_WORK(DISTRIBUTION_T, s), t_low, IN(IN_GAMMA, i), IN(IN_X, i), IN(IN_DELTA, i));
    const stable_distribution p = block_distribution(&of, l);
    const stable_point z = block_point(&of, l);
    const flag plain = !stable_is_extreme(z);
    const real_pair exact = stable_pair_gmin(p, z, turn * u.y_low, turn * t_low);
    const real rough = stable_log_gmin(p, z), log_hi = plain ? exact.hi : rough;
    const real gmin = exp_(min_(log_hi, K(100)));
    const flag taken = gmin > LIGHT_LEAST;
    log_min[l] = log_hi;
    min_hi[l] = taken ? gmin : K(1);
    min_lo[l] = plain ? gmin * exact.lo : K(0);
    open[l] = taken ? K(1) : K(0);
    sum[l] = 0;
#if JOINT
    sum_0[l] = 0;
#endif
  }
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && open[l] == 0) list_push(LIST_ANGLE, idx[l]);
  NAME(light_end)(&of, min_hi, end);
  LANE_LOOP(l) step[l] = end[l] * (K(1) / LIGHT_NODES);
  /* round 0: the nodes k h, half of the first; then those half way between the old ones */
  i32 nodes = LIGHT_NODES;
  for (i32 round = 0; round < LIGHT_ROUNDS; round++) {
    i32 any = 0;
    for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
    if (!any) break;
    LANE_LOOP(l) fresh[l] = 0;
#if JOINT
    LANE_LOOP(l) fresh_0[l] = 0;
#endif
    for (i32 k = 0; k < nodes; k++) {
      const real at = round == 0 ? K(k) : k + K(0.5), share = (round == 0 && k == 0) ? K(0.5) : K(1);
      LANE_LOOP(l) {
        const stable_light_node node = stable_light_at(block_distribution(&of, l), min_hi[l], at * step[l]);
        const real term = share * node.weight * exp_node_(max_(-node.excess, K(-700)));
        fresh[l] += node.ratio * term;
#if JOINT
        fresh_0[l] += term;
#endif
      }
    }
    LANE_LOOP(l) {
      const flag on = open[l] != 0;
      const real all = sum[l] + fresh[l], gap = fabs(fresh[l] - sum[l]);
      flag done = (round > 0) & (gap <= LIGHT_GAP * all) & (step[l] <= LIGHT_STEP);
#if JOINT
      const real all_0 = sum_0[l] + fresh_0[l], gap_0 = fabs(fresh_0[l] - sum_0[l]);
      done = done & (gap_0 <= LIGHT_GAP * all_0);
      sum_0[l] = on ? all_0 : sum_0[l];
#endif
      sum[l] = on ? all : sum[l];
      step[l] = (on & (round > 0)) ? K(0.5) * step[l] : step[l];
      open[l] = done ? K(0) : open[l];
    }
    nodes = round == 0 ? nodes : 2 * nodes;
  }
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const stable_distribution p = block_distribution(&of, l);
    const stable_point z = block_point(&of, l);
    const real size = step[l] * p.l, from_min = log_min[l] - min_lo[l];
    const real value = stable_log_factor(p, z) + log_(size * sum[l]) + from_min - min_hi[l];
    WORK(POINT_LOG_F, i) = open[l] != 0 ? NAN_ : value;
#if JOINT
    const real small = log_(size * sum_0[l]) - LOG_PI_ - min_lo[l] - min_hi[l];
    const real known = open[l] != 0 ? NAN_ : min_(small, K(0)), other = stable_log_other(known);
    const flag above = p.alpha > 1;
    WORK(POINT_LOG_UPPER, i) = above ? known : other;
    WORK(POINT_LOG_LOWER, i) = above ? other : known;
    WORK(POINT_ERROR, i) = stable_error(value, K(4));
    WORK(POINT_ERROR_SMALL, i) = stable_error(small, K(4));
#endif
  }
}
