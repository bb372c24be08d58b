/* stable_ray_sum.h: second half of both ray functions. steps, NODE(k, q), NODE_SPEED(q), NODE_RETURNS (can R grow
 * again beyond the end?) and again, the list of what even and odd nodes do not agree on (0: the angle integral), come
 * from the including file; lanes hold the ray in its arrays. For SLOPE there are also last, the list of another ray
 * with more nodes that takes all that is refused, FORM, and ADD_TERMS, which adds the terms of the derivatives from a
 * node's arrays.
 *
 * The trapezoidal sum, even and odd nodes apart. kappa e^-v comes from exp at every eighth node and by multiplication
 * between (at most 7 roundings). */
{
  NAME(ray_sums) sum_lanes, *sum = &sum_lanes;
#if JOINT
  LANE_LOOP(l) sum->tail_even[l] = sum->tail_odd[l] = sum->tail_size[l] = 0;
#endif
  LANE_LOOP(l) {
    sum->even[l] = sum->odd[l] = sum->size[l] = 0;
    sum->top[l] = K(-1e300);
  }
#if SLOPE
  real node_s[LANES], node_power[LANES], node_ls[LANES], g_re[LANES], g_im[LANES];
  for (i32 j = 0; j < SLOPE_PARTS; j++) LANE_LOOP(l) sum->part[j][l] = 0;
#endif
  for (i32 k = 0; k < steps; k += 2) {
    const real w = k == 0 ? K(0.5) : K(1);
    if ((k & 7) == 0) LANE_LOOP(l) ray->q[l] = ray->kappa[l] * exp_(-(ray->v0[l] + k * ray->h[l]));
#if SLOPE
    for (i32 next = 0; next < 2; next++) {
      const real to_even = next ? K(0) : w, to_odd = next ? K(1) : K(0), to_all = to_even + to_odd;
      LANE_LOOP(l) {
        const slope_node t = NODE(k + next, ray->q[l]);
        sum->even[l] = FMA(to_even, t.term, sum->even[l]);
        sum->odd[l] = FMA(to_odd, t.term, sum->odd[l]);
        sum->size[l] += fabs(t.term);
        sum->top[l] = max_(sum->top[l], t.r);
        node_s[l] = t.s;
        node_power[l] = t.power;
        node_ls[l] = t.ls;
        g_re[l] = to_all * t.other;
        g_im[l] = to_all * t.term;
        ray->q[l] *= ray->ratio[l];
      }
      ADD_TERMS
    }
#else
    LANE_LOOP(l) {
      const real q1 = ray->q[l] * ray->ratio[l];
      const ray_value t0 = NODE(k, ray->q[l]), t1 = NODE(k + 1, q1);
      sum->even[l] = FMA(w, t0.term, sum->even[l]);
      sum->odd[l] += t1.term;
      sum->size[l] += fabs(t0.term) + fabs(t1.term);
      sum->top[l] = max_(sum->top[l], max_(t0.r, t1.r));
#if JOINT
      sum->tail_even[l] = FMA(w, t0.tail, sum->tail_even[l]);
      sum->tail_odd[l] += t1.tail;
      sum->tail_size[l] += fabs(t0.tail) + fabs(t1.tail);
#endif
      ray->q[l] = q1 * ray->ratio[l];
    }
#endif
  }
  LANE_LOOP(l) {
    const real last_q = ray->kappa[l] * exp_(-RAY_V_END);
    const real speed = NODE_SPEED(last_q) * (ray->kappa[l] + last_q) * ray->h[l];
#if SLOPE
    const slope_node end = NODE(steps, last_q);
#else
    const ray_value end = NODE(steps, last_q);
#endif
    sum->even[l] += K(0.5) * end.term;
    const real envelope = (ray->kappa[l] + last_q) * exp_(max_(end.r, K(-700)));
    sum->rest[l] = NODE_RETURNS ? envelope * exp_(ray->kappa[l] * RAY_V_END - last_q) : fabs(end.term);
    sum->top[l] = end.r <= min_(K(-36), K(-0.95) * ray->re[l]) ? sum->top[l] : K(1e300);
    sum->waves[l] = speed / (RAY_SPEED * max_(-end.r, K(1)));
#if JOINT
    sum->tail_even[l] += K(0.5) * end.tail;
    sum->tail_rest[l] = NODE_RETURNS ? envelope : fabs(end.tail);
#endif
  }
  NAME(judge_rays)(ray, sum, last, again, idx, work, cap);
#if SLOPE
  LANE_LOOP(l) WORK(POINT_FORM, idx[l]) = ray->good[l] != 0 ? FORM : FORM_NONE;
#endif
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && ray->good[l] == 0) list_push((i32)ray->refuge[l], idx[l]);
}

/* what one ray has defined for this file */
#undef NODE
#undef NODE_SPEED
#undef NODE_RETURNS
#undef RAY_NODE
#undef FORM
#undef TERMS
#undef ADD_TERMS
