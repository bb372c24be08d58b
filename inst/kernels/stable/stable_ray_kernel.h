/* stable_ray_kernel.h: the rays away from alpha = 1, for all ray kernels of a program: the points of list on a ray of
 * `steps` intervals, again and last as in stable_ray_sum.h, other 1 for another ray than the density takes. */

/* The exponent R = -P s - Q s^alpha, I = -y sin b s + A sin(alpha a) s^alpha on a ray, where -R is 1, and the most it
 * may be at the end. */
typedef struct {
  real alpha[LANES], y_cos[LANES], y_sin[LANES], a_cos[LANES], a_sin[LANES], log_y[LANES], log_a[LANES];
  real ls_one[LANES], most[LANES];
} NAME(far_rays);

/* v_a, v_b and at are what stable_rough_level() leaves. */
DEV_FN void NAME(choose_rays)(NAME(far_rays) *far, stable_rays *ray, const stable_block *of, const real *v_a,
                              const real *v_b, const real *at) {
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(of, l);
    const stable_point z = block_point(of, l);
    /* The ray: where g is about RE, though for alpha > 1 not so far from the axis of the characteristic function that
     * the exponent returns; or the Laplace axis where it cannot return (cos(alpha L) >= 0, or C far above the
     * logarithm of the heavy tail) and the integrand makes few waves. */
    real cos_al;
    const real sin_al = sincos_node_(p.alpha * p.l, &cos_al), size_a = exp_rough_(p.log_a);
    const real core = stable_rough_core(p, z, -size_a * cos_al);
    const real sin_light = p.alpha > 1 ? sin_node_(p.delta) : sin_al;
    const real floor_c = 48 - log_rough_(min_(K(1), size_a * sin_light)) + p.alpha * max_(z.log_y, K(0));
    const real waves = size_a * sin_light * exp_rough_(p.alpha * (K(3.8501476017100584) - z.log_y));
    const flag laplace = (((cos_al >= 0) & (v_b[l] < K(0.3))) | (core > floor_c)) & (waves <= 12);
    const flag above = p.alpha > 1, capped = (above ? p.alpha * v_a[l] : v_b[l]) > RAY_MOST_ANGLE;
    const flag on_axis = above & laplace;
    const real a_above = capped ? RAY_MOST_ANGLE / p.alpha : v_a[l], b_below = capped ? RAY_MOST_ANGLE : v_b[l];
    const real a_off = above ? a_above : p.l - b_below, b_off = above ? p.l - a_above : b_below;
    const real aa = on_axis ? p.l : a_off, bb = on_axis ? K(0) : b_off;
    const flag moved = capped | on_axis;
    const real arg = p.alpha * aa;
    const flag turn = (p.alpha > 1) & (arg > K(1.6));
    real cos_arg, cos_b;
    const real sin_arg = sincos_node_(turn ? p.delta + p.alpha * bb : arg, &cos_arg);
    const real sin_b = sincos_node_(bb, &cos_b);
    cos_arg = turn ? -cos_arg : cos_arg;
    const real log_re = log_rough_(38 + 4 * (1 + p.alpha)), inverse = 1 / p.alpha;
    const real log_p = z.log_y + log_rough_(fabs(cos_b)), log_q = p.log_a + log_rough_(fabs(cos_arg));
    const flag p_neg = cos_b < 0, q_neg = cos_arg < 0;
    far->log_y[l] = z.log_y;
    far->log_a[l] = p.log_a;
    far->alpha[l] = p.alpha;
    ray->b[l] = bb;
    far->y_cos[l] = -cos_b;
    far->y_sin[l] = -sin_b;
    far->a_cos[l] = -cos_arg;
    far->a_sin[l] = sin_arg;
    const real from_p = log_re - log_p, from_q = (log_re - log_q) * inverse;
    const real from_both = p_neg ? from_q : min_(from_p, from_q);
    const real one_both = p_neg ? -log_q * inverse : min_(-log_p, -log_q * inverse);
    ray->c[l] = moved ? (q_neg ? from_p : from_both) : at[l];
    far->ls_one[l] = q_neg ? -log_p : one_both;
    far->most[l] = q_neg ? core - 1 : K(1e300);
    ray->re[l] = min_(38 + 4 * (1 + p.alpha), far->most[l]);
    ray->good[l] = 1;
#if JOINT
    ray->b_rest[l] = p.r + aa;
    ray->mirrored[l] = 0;
#endif
    ray->refuge[l] = stable_angle_list(p);
  }
}

/* s_end by Newton in log s on log(P s + Q s^alpha) = log RE, from the left; with P < 0 on
 * log Q + (alpha - 1) log s = log(|P| + RE/s), which is concave and defined everywhere. RE is 38 and what the
 * integrand's power of s, s or s^(1 + alpha), grows by since R = -1, which changes little from step to step; on the
 * Laplace axis C is the limit. */
DEV_FN void NAME(end_rays)(NAME(far_rays) *far, stable_rays *ray) {
  for (i32 k = 0; k < 4; k++) {
    const real renew = k == 0 ? K(0) : K(1);
    LANE_LOOP(l) {
      const real ps = -far->y_cos[l] * exp_rough_(far->log_y[l] + ray->c[l]);
      const real qs = -far->a_cos[l] * exp_rough_(far->log_a[l] + far->alpha[l] * ray->c[l]);
      const real sum = ps + qs, grown = ps + far->alpha[l] * qs, w = ray->re[l] - ps; /* RE + |P| s where P < 0 */
      const flag p_neg = ps < 0;
      const real miss = log_rough_((p_neg ? w : ray->re[l]) / (p_neg ? qs : sum));
      const real step = miss * ((p_neg ? w : sum) / (p_neg ? (far->alpha[l] - 1) * w + ray->re[l] : grown));
      const real extra = ((ray->b[l] == 0) | (far->alpha[l] < 1)) ? far->alpha[l] : K(0);
      const real most_step = 30 / min_(far->alpha[l], K(1));
      ray->c[l] += step == step ? clamp_(step, -most_step, most_step) : K(0);
      const real renewed = min_(38 + (1 + extra) * (ray->c[l] - far->ls_one[l]), far->most[l]);
      ray->re[l] = renew > 0 ? renewed : ray->re[l];
      ray->kappa[l] = sum / grown;
    }
  }
}

DEV_BLOCK_FN void NAME(along_ray)(RAY_ARGS, i32 block, SORTING_ARGS) {
  OVER_LIST(from_list);
  (void)last, (void)close;
  SET_OF_LANES(set);
  LOAD_BLOCK(of);
  stable_rays of_lanes, *ray = &of_lanes;
  NAME(far_rays) far_lanes, *far = &far_lanes;
  real v_a[LANES], v_b[LANES], at[LANES];
  stable_rough_level(&of, other ? RAY_OTHER_LEVEL : RAY_LEVEL, v_a, v_b, at);
  NAME(choose_rays)(far, ray, &of, v_a, v_b, at);
  NAME(end_rays)(far, ray);
  LANE_LOOP(l) {
    const real inverse = 1 / far->alpha[l], kap = clamp_(ray->kappa[l], min_(K(1), inverse), max_(K(1), inverse));
    ray_map(ray, l, kap, far->alpha[l], steps);
    const real ey = exp_(far->log_y[l] + ray->c[l]), ea = exp_(far->log_a[l] + far->alpha[l] * ray->c[l]);
    far->y_cos[l] *= ey;
    far->y_sin[l] *= ey;
    far->a_cos[l] *= ea;
    far->a_sin[l] *= ea;
  }
#if SLOPE
  real turn_im[LANES], kappa_re[LANES], kappa_im[LANES];
  LANE_LOOP(l) {
    const real t = WORK(POINT_SIDE, idx[l]) * SET_WORK(DISTRIBUTION_T, set[l]), size = 1 / (1 + t * t);
    turn_im[l] = ray->b[l] - PIO2_;
    kappa_re[l] = t * size;
    kappa_im[l] = -size;
  }
#define RAY_NODE slope_ray_node
#define FORM FORM_RAY
#define ADD_TERMS                                                                                            \
  ADD_TERMS_OF(slope_ray_terms(node_s[l], node_power[l], node_ls[l] + ray->c[l], turn_im[l], far->y_cos[l],  \
                               far->y_sin[l], far->a_cos[l], far->a_sin[l], kappa_re[l], kappa_im[l],        \
                               g_re[l], g_im[l]))
#else
#define RAY_NODE ray_node
#endif
#define NODE(k, q)                                                                                           \
  RAY_NODE(FMA(K(k), ray->kh[l], ray->k0[l]), q, ray->kappa[l], far->alpha[l], ray->b[l], far->y_cos[l],     \
           far->y_sin[l], far->a_cos[l], far->a_sin[l])
#define NODE_RETURNS 0
#define NODE_SPEED(q) ray_speed(ray->kappa[l] * RAY_V_END - (q), far->alpha[l], far->y_sin[l], far->a_sin[l])
#include "kernels/stable/stable_ray_sum.h"
}
