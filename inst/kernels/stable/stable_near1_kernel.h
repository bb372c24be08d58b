/* stable_near1_kernel.h: the rays near alpha = 1, see stable_ray.h, and stable_ray_kernel.h for the arguments. */
DEV_BLOCK_FN void NAME(along_ray_near1)(RAY_ARGS, i32 block, KERNEL_ARGS) {
  OVER_LIST(from_list);
  (void)last, (void)close;
  SET_OF_LANES(set);
  LOAD_BLOCK(of);
  RAY_ARRAYS;
  stable_near1 e, f;
  real b0[LANES], v_a[LANES], v_b[LANES], beta[LANES], t[LANES], x[LANES], am1[LANES], kept[LANES], b_2[LANES];
#if JOINT
  real b_rest[LANES], b_rest_2[LANES], mirrored[LANES]; /* pi - b; is it the mirror image that is integrated? */
#endif
  LANE_LOOP(l) b0[l] = atan2_(K(1), of.x[l]);
  stable_level(&of, b0, v_a, v_b);
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(&of, l);
    const stable_point z = block_point(&of, l);
    const flag low = p.alpha <= 1;
    const real aa = v_a[l], bb = v_b[l];
    /* the side of x < 0 is taken as its mirror image, where the small angle is b = a + R */
    const flag mirror = z.x < 0;
    const real sgn = mirror ? K(-1) : K(1);
    x[l] = fabs(z.x);
    beta[l] = sgn * p.beta;
    t[l] = sgn * p.t;
    /* From |x| = 100 on the Laplace axis: the phase is small there, and the core, exp(-exp(pi |x|/2)) near alpha = 1,
     * is nothing. */
    const flag distant = x[l] > 100;
    const real turned = mirror ? aa + p.r : bb;
    /* next to where the sides meet R falls slowly along the first ray; 0.4 towards the middle it is steep */
    const real steep = turned + (turned < PIO2_ ? K(0.4) : K(-0.4));
    const real ray = distant ? K(0) : (other ? steep : turned);
    const real ray_clip_b = low ? min_(bb, K(1.3)) : p.l - min_(aa, K(1.3));
    const real ray_clip_a = low ? p.l - ray_clip_b : min_(aa, K(1.3));
    const real clip = mirror ? ray_clip_a + p.r : ray_clip_b;
    am1[l] = p.am1;
    b[l] = ray;
    b_2[l] = distant ? K(0) : clip;
    good[l] = 0;
    refuge[l] = stable_angle_list(p);
#if JOINT
    const real rest = mirror ? bb : aa + p.r, rest_clip = mirror ? ray_clip_b : ray_clip_a + p.r;
    b_rest[l] = distant ? PI_ : rest;
    b_rest_2[l] = distant ? PI_ : rest_clip;
    mirrored[l] = mirror ? K(1) : K(0);
#endif
  }
  stable_near1_exponent(am1, beta, t, x, b, &e);
  stable_near1_exponent(am1, beta, t, x, b_2, &f);
  /* s_end by Newton on log(s D(log s)) = log RE, D = -R/s, which changes slowly, like log s; where D is not yet
   * positive the search walks outwards. A ray on which R grows has none: once more with the clipped angle. */
  for (i32 attempt = 0; attempt < 2; attempt++) {
    i32 any = 0;
    for (i32 l = 0; l < LANES; l++) any |= good[l] == 0;
    if (!any) break;
    if (attempt == 1) {
      LANE_LOOP(l) {
        const flag keep = good[l] != 0;
        b[l] = keep ? b[l] : b_2[l];
#if JOINT
        b_rest[l] = keep ? b_rest[l] : b_rest_2[l];
#endif
        e.r0[l] = keep ? e.r0[l] : f.r0[l];
        e.r1[l] = keep ? e.r1[l] : f.r1[l];
        e.r2[l] = keep ? e.r2[l] : f.r2[l];
        e.i0[l] = keep ? e.i0[l] : f.i0[l];
        e.i1[l] = keep ? e.i1[l] : f.i1[l];
        e.i2[l] = keep ? e.i2[l] : f.i2[l];
      }
    }
    LANE_LOOP(l) {
      const real extra = ((b[l] == 0) | (am1[l] <= 0)) ? 1 + am1[l] : K(0);
      kept[l] = good[l];
      re[l] = good[l] != 0 ? re[l] : 38 + 4 * (1 + extra);
      c[l] = good[l] != 0 ? c[l] : log_(re[l] / max_(fabs(e.r0[l]), K(1e-3)));
    }
    for (i32 k = 0; k < 6; k++)
      LANE_LOOP(l) {
        const flag fixed = kept[l] != 0;
        const real ls = c[l], m = expm1_node_(clamp_(am1[l] * ls, K(-700), K(700)));
        const real d = e.r0[l] + m * e.r1[l] + ls * e.r2[l];
        const flag positive = d > 0;
        const real safe = positive ? d : K(1);
        const real slope = 1 + (am1[l] * (1 + m) * e.r1[l] + e.r2[l]) / safe;
        const real miss = log_rough_(re[l] / safe) - ls;
        const real step = miss / (slope > K(0.1) ? slope : K(1));
        const real extra = ((b[l] == 0) | (am1[l] <= 0)) ? 1 + am1[l] : K(0);
        const real rho = positive ? slope : K(1);
        const real moved = ls + (positive ? clamp_(step, K(-8), K(8)) : K(2));
        const real longer = k == 2 || k == 4 ? 38 + 4 * (1 + extra) / max_(rho, K(0.1)) : re[l];
        const real found = (positive & (fabs(miss) < K(0.5))) ? K(1) : K(0);
        kappa[l] = fixed ? kappa[l] : rho;
        c[l] = fixed ? ls : moved;
        re[l] = fixed ? re[l] : longer;
        good[l] = fixed ? K(1) : found;
      }
  }
  LANE_LOOP(l) {
    const real alpha = 1 + am1[l];
    const real kap = 1 / clamp_(kappa[l], min_(K(1), alpha), max_(K(1), alpha));
    RAY_MAP(kap, alpha);
    const real ec = -exp_(cc);
    e.r0[l] *= ec;
    e.r1[l] *= ec;
    e.r2[l] *= ec;
    e.i0[l] *= ec;
    e.i1[l] *= ec;
    e.i2[l] *= ec;
  }
#if SLOPE
  slope_near1 turned;
  LANE_LOOP(l) {
    const real side = WORK(POINT_SIDE, idx[l]) * (WORK(POINT_X, idx[l]) < 0 ? K(-1) : K(1));
    slope_near1_prepare(&turned, l, close, am1[l], SET_WORK(DISTRIBUTION_POLE, set[l]),
                        side * SET_IN(SET_BETA, set[l]), c[l], b[l]);
  }
#define RAY_NODE slope_near1_node
#define FORM FORM_NEAR1
#define TERMS(close) slope_near1_terms(&turned, l, close, node_s[l], node_power[l], node_ls[l], g_re[l], g_im[l])
#define ADD_TERMS if (close) ADD_TERMS_OF(TERMS(1)) else ADD_TERMS_OF(TERMS(0))
#else
#define RAY_NODE ray_node_near1
#endif
#define NODE(k, q)                                                                                           \
  RAY_NODE(FMA(K(k), kh[l], k0[l]), q, kappa[l], am1[l], c[l], b[l], e.r0[l], e.r1[l], e.r2[l], e.i0[l],     \
           e.i1[l], e.i2[l])
#define NODE_RETURNS ((am1[l] > 0) & (b[l] != 0))
#define NODE_SPEED(q) ray_speed_near1(kappa[l] * RAY_V_END - (q), am1[l], c[l], e.i0[l], e.i1[l], e.i2[l])
#include "kernels/stable/stable_ray_sum.h"
}
