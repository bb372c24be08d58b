/* stable_ray_kernel.h: the rays away from alpha = 1, for all ray kernels of a program: the points of list on a ray of
 * `steps` intervals, again and last as in stable_ray_sum.h, other 1 for another ray than the density takes. */
DEV_BLOCK_FN void NAME(along_ray)(RAY_ARGS, i32 block, KERNEL_ARGS) {
  OVER_LIST(from_list);
  (void)last, (void)close;
  SET_OF_LANES(set);
  LOAD_BLOCK(of);
  real b0[LANES], v_a[LANES], v_b[LANES];
  real alpha[LANES], kappa[LANES], c[LANES], v0[LANES], h[LANES], ratio[LANES], q[LANES], b[LANES];
  real k0[LANES], kh[LANES], refuge[LANES];
  real y_cos[LANES], y_sin[LANES], a_cos[LANES], a_sin[LANES], log_y[LANES], log_a[LANES], re[LANES];
  real ls_one[LANES], most[LANES];
  real good[LANES];
#if JOINT
  real b_rest[LANES], mirrored[LANES]; /* pi - b; is it the mirror image that is integrated? */
#endif
  LANE_LOOP(l) {
    real sin_l, cos_l;
    sincos_(of.l[l], &sin_l, &cos_l);
    const real size_a = exp_(of.log_a[l] / of.alpha[l]);
    b0[l] = atan2_(size_a * sin_l, of.y[l] + size_a * cos_l);
  }
  stable_level(&of, b0, v_a, v_b);
  LANE_LOOP(l) {
    const stable_law p = block_law(&of, l);
    const stable_point z = block_point(&of, l);
    /* The ray. alpha < 0.8: a quarter of b*, where g(b*) = 1. alpha > 1.2: the Laplace axis where the exponent cannot
     * return (cos(alpha L) >= 0, or C far above the logarithm of the heavy tail) and the integrand makes few waves;
     * else close to the axis of the characteristic function, a = min(a* / 4, 0.6/(alpha (alpha - 1))). */
    real sin_al, cos_al;
    sincos_(p.alpha * p.l, &sin_al, &cos_al);
    const real core = stable_core(p, z);
    const real sin_light = p.alpha > 1 ? sin_(p.delta) : sin_al;
    const real floor_c = 48 - log_(min_(K(1), p.a * sin_light)) + p.alpha * max_(z.log_y, K(0));
    const real waves = p.a * sin_light * exp_(p.alpha * (K(3.8501476017100584) - z.log_y));
    const flag laplace = (((cos_al >= 0) & (v_b[l] < K(0.3))) | (core > floor_c)) & (waves <= 12);
    const real a_turned = min_(K(0.25) * v_a[l], K(0.6) / (p.alpha * p.am1));
    const real b_above = laplace ? K(0) : p.l - a_turned, a_above = laplace ? p.l : a_turned;
    /* next to zeta R falls slowly along a ray that close to the axis */
    const real b_below = (other ? K(0.65) : K(0.25)) * v_b[l];
    const real bb = p.alpha < 1 ? b_below : b_above;
    const real aa = p.alpha < 1 ? p.l - bb : a_above;
    /* exponent R = -P s - Q s^alpha, I = -y sin b s + A sin(alpha a) s^alpha */
    const real arg = p.alpha * aa;
    const flag turn = (p.alpha > 1) & (arg > K(1.6));
    real sin_arg, cos_arg, sin_b, cos_b;
    sincos_(turn ? p.delta + p.alpha * bb : arg, &sin_arg, &cos_arg);
    sincos_(bb, &sin_b, &cos_b);
    cos_arg = turn ? -cos_arg : cos_arg;
    const real log_re = log_(38 + 4 * (1 + p.alpha));
    const real log_p = z.log_y + log_(fabs(cos_b)), log_q = p.log_a + log_(fabs(cos_arg));
    const flag p_neg = cos_b < 0, q_neg = cos_arg < 0;
    log_y[l] = z.log_y;
    log_a[l] = p.log_a;
    alpha[l] = p.alpha;
    b[l] = bb;
    y_cos[l] = -cos_b;
    y_sin[l] = -sin_b;
    a_cos[l] = -cos_arg;
    a_sin[l] = sin_arg;
    const real from_p = log_re - log_p, from_q = (log_re - log_q) / p.alpha;
    const real from_both = p_neg ? from_q : min_(from_p, from_q);
    const real one_both = p_neg ? -log_q / p.alpha : min_(-log_p, -log_q / p.alpha);
    c[l] = q_neg ? from_p : from_both;
    ls_one[l] = q_neg ? -log_p : one_both;
    most[l] = q_neg ? core - 1 : K(1e300);
    re[l] = min_(38 + 4 * (1 + p.alpha), most[l]);
    good[l] = 1;
#if JOINT
    b_rest[l] = p.r + aa;
    mirrored[l] = 0;
#endif
    refuge[l] = stable_angle_list(p);
  }
  /* s_end by Newton in log s on log(P s + Q s^alpha) = log RE, from the left; with P < 0 on
   * log Q + (alpha - 1) log s = log(|P| + RE/s), which is concave and defined everywhere. RE is 38 and what the
   * integrand's power of s, s or s^(1 + alpha), grows by since R = -1; on the Laplace axis C is the limit. */
  for (i32 k = 0; k < 7; k++) {
    const real renew = k == 3 || k == 5 ? K(1) : K(0);
    LANE_LOOP(l) {
      const real ps = -y_cos[l] * exp_(log_y[l] + c[l]), qs = -a_cos[l] * exp_(log_a[l] + alpha[l] * c[l]);
      const real sum = ps + qs, slope = (ps + alpha[l] * qs) / sum;
      const flag p_neg = ps < 0;
      const real w = re[l] - ps; /* RE + |P| s where P < 0 */
      const real f_neg = log_((p_neg ? qs : K(1)) / (p_neg ? w : K(1)));
      const real step_neg = -f_neg / (alpha[l] - 1 + re[l] / (p_neg ? w : K(1)));
      const real step = p_neg ? step_neg : log_(re[l] / sum) / slope;
      const real extra = ((b[l] == 0) | (alpha[l] < 1)) ? alpha[l] : K(0);
      c[l] += step == step ? clamp_(step, K(-30), K(30)) : K(0);
      kappa[l] = slope;
      const real renewed = min_(38 + (1 + extra) * (c[l] - ls_one[l]), most[l]);
      re[l] = renew > 0 ? renewed : re[l];
    }
  }
  LANE_LOOP(l) {
    const real kap = 1 / clamp_(kappa[l], min_(K(1), alpha[l]), max_(K(1), alpha[l]));
    const real cc = c[l] - kap * RAY_V_END_MAPPED;
    const real ey = exp_(log_y[l] + cc), ea = exp_(log_a[l] + alpha[l] * cc);
    const real start = stable_ray_start(kap, alpha[l]);
    kappa[l] = kap;
    c[l] = cc;
    v0[l] = start;
    h[l] = (RAY_V_END - start) / steps;
    ratio[l] = exp_(-h[l]);
    k0[l] = kap * start;
    kh[l] = kap * h[l];
    y_cos[l] *= ey;
    y_sin[l] *= ey;
    a_cos[l] *= ea;
    a_sin[l] *= ea;
  }
#if SLOPE
  real turn_im[LANES], kappa_re[LANES], kappa_im[LANES];
  LANE_LOOP(l) {
    const real t = WORK(POINT_SIDE, idx[l]) * SET_WORK(LAW_T, set[l]), size = 1 / (1 + t * t);
    turn_im[l] = b[l] - PIO2_;
    kappa_re[l] = t * size;
    kappa_im[l] = -size;
  }
#define RAY_NODE slope_ray_node
#define FORM FORM_RAY
#define ADD_TERMS                                                                                            \
  ADD_TERMS_OF(slope_ray_terms(node_s[l], node_power[l], node_ls[l] + c[l], turn_im[l], y_cos[l], y_sin[l],  \
                               a_cos[l], a_sin[l], kappa_re[l], kappa_im[l], g_re[l], g_im[l]))
#else
#define RAY_NODE ray_node
#endif
#define NODE(k, q)                                                                                           \
  RAY_NODE(FMA(K(k), kh[l], k0[l]), q, kappa[l], alpha[l], b[l], y_cos[l], y_sin[l], a_cos[l], a_sin[l])
#define NODE_SPEED(q) ray_speed(kappa[l] * RAY_V_END - (q), alpha[l], y_sin[l], a_sin[l])
#include "kernels/stable/stable_ray_sum.h"
}
