/* stable_ray_sum.h: second half of both ray functions. steps, NODE(k, q), NODE_SPEED(q), NODE_RETURNS (can R grow
 * again beyond the end?) and again, the list of what even and odd nodes do not agree on (0: the angle integral), come
 * from the including file; lanes hold the ray in its arrays. For SLOPE there are also last, the list of another ray
 * with more nodes that takes all that is refused, FORM, and ADD_TERMS, which adds the terms of the derivatives from a
 * node's arrays.
 *
 * The trapezoidal sum, even and odd nodes apart. kappa e^-v comes from exp at every eighth node and by multiplication
 * between (at most 7 roundings). */
{
  real even[LANES], odd[LANES], size[LANES], top[LANES];
  real waves[LANES]; /* at most 1 where the oscillation is resolved */
  real rest[LANES];  /* the size of what is left out beyond the end */
#if JOINT
  real tail_even[LANES], tail_odd[LANES], tail_size[LANES], tail_rest[LANES];
  LANE_LOOP(l) tail_even[l] = tail_odd[l] = tail_size[l] = 0;
#endif
  LANE_LOOP(l) {
    even[l] = odd[l] = size[l] = 0;
    top[l] = K(-1e300);
  }
#if SLOPE
  real part[SLOPE_PARTS][LANES], node_s[LANES], node_power[LANES], node_ls[LANES], g_re[LANES], g_im[LANES];
  for (i32 j = 0; j < SLOPE_PARTS; j++) LANE_LOOP(l) part[j][l] = 0;
#endif
  for (i32 k = 0; k < steps; k += 2) {
    const real w = k == 0 ? K(0.5) : K(1);
    if ((k & 7) == 0) LANE_LOOP(l) q[l] = kappa[l] * exp_(-(v0[l] + k * h[l]));
#if SLOPE
    for (i32 next = 0; next < 2; next++) {
      const real to_even = next ? K(0) : w, to_odd = next ? K(1) : K(0), to_all = to_even + to_odd;
      LANE_LOOP(l) {
        const slope_node t = NODE(k + next, q[l]);
        even[l] = FMA(to_even, t.term, even[l]);
        odd[l] = FMA(to_odd, t.term, odd[l]);
        size[l] += fabs(t.term);
        top[l] = max_(top[l], t.r);
        node_s[l] = t.s;
        node_power[l] = t.power;
        node_ls[l] = t.ls;
        g_re[l] = to_all * t.other;
        g_im[l] = to_all * t.term;
        q[l] *= ratio[l];
      }
      ADD_TERMS
    }
#else
    LANE_LOOP(l) {
      const real q1 = q[l] * ratio[l];
      const ray_value t0 = NODE(k, q[l]), t1 = NODE(k + 1, q1);
      even[l] = FMA(w, t0.term, even[l]);
      odd[l] += t1.term;
      size[l] += fabs(t0.term) + fabs(t1.term);
      top[l] = max_(top[l], max_(t0.r, t1.r));
#if JOINT
      tail_even[l] = FMA(w, t0.tail, tail_even[l]);
      tail_odd[l] += t1.tail;
      tail_size[l] += fabs(t0.tail) + fabs(t1.tail);
#endif
      q[l] = q1 * ratio[l];
    }
#endif
  }
  LANE_LOOP(l) {
    const real last_q = kappa[l] * exp_(-RAY_V_END), speed = NODE_SPEED(last_q) * (kappa[l] + last_q) * h[l];
#if SLOPE
    const slope_node end = NODE(steps, last_q);
#else
    const ray_value end = NODE(steps, last_q);
#endif
    even[l] += K(0.5) * end.term;
    const real envelope = (kappa[l] + last_q) * exp_(max_(end.r, K(-700)));
    rest[l] = NODE_RETURNS ? envelope * exp_(kappa[l] * RAY_V_END - last_q) : fabs(end.term);
    top[l] = end.r <= min_(K(-36), K(-0.95) * re[l]) ? top[l] : K(1e300);
    waves[l] = speed / (RAY_SPEED * max_(-end.r, K(1)));
#if JOINT
    tail_even[l] += K(0.5) * end.tail;
    tail_rest[l] = NODE_RETURNS ? envelope : fabs(end.tail);
#endif
  }

  /* Value, verdict and hand-over. */
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const real sum = even[l] + odd[l], gap = fabs(even[l] - odd[l]);
#if SLOPE
    const real most = SLOPE_CONDITION * sum, allowed = max_(RAY_GAP * sum, SLOPE_ROUNDING * size[l]);
#else
    const real most = 100 * sum, allowed = RAY_GAP * sum;
#endif
    const flag ended = (top[l] <= K(1.5)) & (rest[l] <= RAY_REST * sum);
    const flag density_sound = (sum > 0) & (size[l] <= most) & ended & (good[l] != 0);
    const flag density_close = (gap <= allowed) & (waves[l] <= 1);
#if JOINT
    const real unit = h[l] * (1 / PI_), tail = (tail_even[l] + tail_odd[l]) * unit;
    const real tail_gap = fabs(tail_even[l] - tail_odd[l]) * unit, terms = tail_size[l] * unit;
    const real upper = b[l] * (1 / PI_) + tail, lower = b_rest[l] * (1 / PI_) - tail;
    const real upper_terms = b[l] * (1 / PI_) + terms, lower_terms = b_rest[l] * (1 / PI_) + terms;
    const real smaller = min_(upper, lower);
    const flag all_of_it = tail_rest[l] * unit <= RAY_REST * smaller;
    const flag few_terms = (upper_terms <= 200 * upper) & (lower_terms <= 200 * lower);
    const flag sound = density_sound & (smaller > 0) & all_of_it & few_terms;
    const flag tail_close = tail_gap <= RAY_GAP * smaller;
    const flag ok = sound & density_close & tail_close;
#else
    const flag sound = density_sound, ok = sound & density_close;
#endif
    const real log_f = c[l] + log_((ok ? sum : K(1)) * h[l] * (1 / PI_));
#if SLOPE
    refuge[l] = last > 0 ? K(last) : refuge[l];
#endif
    good[l] = ok ? K(1) : K(0);
    refuge[l] = (sound & (waves[l] <= 2) & (again > 0)) ? K(again) : refuge[l];
#if SLOPE
    WORK(POINT_LOG_F, i) = ok ? log_f : NAN_;
    const real share = 1 / sum;
    for (i32 j = 0; j < SLOPE_PARTS; j++) WORK(POINT_SLOPE + j, i) = part[j][l] * share;
    WORK(POINT_FORM, i) = ok ? FORM : FORM_NONE;
#else
    WORK(POINT_LOG_F, i) = log_f;
#endif
#if JOINT
    const real safe = ok ? smaller : K(0.5);
    const real log_small = log_(safe), log_large = log1p_(-safe);
    const flag exchanged = (upper < lower) ^ (mirrored[l] != 0);
    const real miss = gap / (ok ? sum : K(1)), tail_miss = tail_gap / safe;
    WORK(POINT_LOG_UPPER, i) = exchanged ? log_small : log_large;
    WORK(POINT_LOG_LOWER, i) = exchanged ? log_large : log_small;
    WORK(POINT_ERROR, i) = stable_error(log_f, size[l] / (ok ? sum : K(1))) + miss * miss;
    WORK(POINT_ERROR_SMALL, i) =
        stable_error(log_small, (upper < lower ? upper_terms : lower_terms) / safe) + tail_miss * tail_miss;
#endif
  }
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && good[l] == 0) list_push((i32)refuge[l], idx[l]);
}

/* what one ray has defined for this file */
#undef NODE
#undef NODE_SPEED
#undef NODE_RETURNS
#undef RAY_NODE
#undef FORM
#undef TERMS
#undef ADD_TERMS
