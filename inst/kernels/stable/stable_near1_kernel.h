/* stable_near1_kernel.h: the rays near alpha = 1, see stable_ray.h, and stable_ray_kernel.h for the arguments. */

/* The exponents on the ray and on one whose angle is clipped, b_2, and the distribution on the side of x > 0. */
typedef struct {
  stable_near1 e, f;
  real beta[LANES], t[LANES], x[LANES], am1[LANES], kept[LANES], b_2[LANES];
#if JOINT
  real b_rest_2[LANES]; /* pi - b_2 */
#endif
} NAME(near_rays);

/* v_a and v_b are what stable_level() leaves. */
DEV_FN void NAME(choose_near)(NAME(near_rays) *near, stable_rays *ray, const stable_block *of, const real *v_a,
                              const real *v_b, i32 other) {
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(of, l);
    const stable_point z = block_point(of, l);
    const flag low = p.alpha <= 1;
    const real aa = v_a[l], bb = v_b[l];
    /* the side of x < 0 is taken as its mirror image, where the small angle is b = a + R */
    const flag mirror = z.x < 0;
    const real sgn = mirror ? K(-1) : K(1);
    near->x[l] = fabs(z.x);
    near->beta[l] = sgn * p.beta;
    near->t[l] = sgn * p.t;
    /* From |x| = 100 on the Laplace axis: the phase is small there, and the core, exp(-exp(pi |x|/2)) near alpha = 1,
     * is nothing. */
    const flag distant = near->x[l] > 100;
    const real turned = mirror ? aa + p.r : bb;
    /* next to where the sides meet R falls slowly along the first ray; 0.4 towards the middle it is steep */
    const real steep = turned + (turned < PIO2_ ? K(0.4) : K(-0.4));
    const real angle = distant ? K(0) : (other ? steep : turned);
    const real ray_clip_b = low ? min_(bb, K(1.3)) : p.l - min_(aa, K(1.3));
    const real ray_clip_a = low ? p.l - ray_clip_b : min_(aa, K(1.3));
    const real clip = mirror ? ray_clip_a + p.r : ray_clip_b;
    near->am1[l] = p.am1;
    ray->b[l] = angle;
    near->b_2[l] = distant ? K(0) : clip;
    ray->good[l] = 0;
    ray->refuge[l] = stable_angle_list(p);
#if JOINT
    const real rest = mirror ? bb : aa + p.r, rest_clip = mirror ? ray_clip_b : ray_clip_a + p.r;
    ray->b_rest[l] = distant ? PI_ : rest;
    near->b_rest_2[l] = distant ? PI_ : rest_clip;
    ray->mirrored[l] = mirror ? K(1) : K(0);
#endif
  }
  stable_near1_exponent(near->am1, near->beta, near->t, near->x, ray->b, &near->e);
  stable_near1_exponent(near->am1, near->beta, near->t, near->x, near->b_2, &near->f);
}

/* Of the lanes that have no end yet, the clipped angle. */
DEV_FN void NAME(clip_near)(NAME(near_rays) *near, stable_rays *ray) {
  LANE_LOOP(l) {
    const flag keep = ray->good[l] != 0;
    ray->b[l] = keep ? ray->b[l] : near->b_2[l];
#if JOINT
    ray->b_rest[l] = keep ? ray->b_rest[l] : near->b_rest_2[l];
#endif
    near->e.r0[l] = keep ? near->e.r0[l] : near->f.r0[l];
    near->e.r1[l] = keep ? near->e.r1[l] : near->f.r1[l];
    near->e.r2[l] = keep ? near->e.r2[l] : near->f.r2[l];
    near->e.i0[l] = keep ? near->e.i0[l] : near->f.i0[l];
    near->e.i1[l] = keep ? near->e.i1[l] : near->f.i1[l];
    near->e.i2[l] = keep ? near->e.i2[l] : near->f.i2[l];
  }
}

/* s_end by Newton on log(s D(log s)) = log RE, D = -R/s, which changes slowly, like log s; where D is not yet
 * positive the search walks outwards. A ray on which R grows has none: once more with the clipped angle. */
DEV_FN void NAME(end_near)(NAME(near_rays) *near, stable_rays *ray) {
  for (i32 attempt = 0; attempt < 2; attempt++) {
    i32 any = 0;
    for (i32 l = 0; l < LANES; l++) any |= ray->good[l] == 0;
    if (!any) break;
    if (attempt == 1) NAME(clip_near)(near, ray);
    LANE_LOOP(l) {
      const real extra = ((ray->b[l] == 0) | (near->am1[l] <= 0)) ? 1 + near->am1[l] : K(0);
      near->kept[l] = ray->good[l];
      ray->re[l] = ray->good[l] != 0 ? ray->re[l] : 38 + 4 * (1 + extra);
      ray->c[l] = ray->good[l] != 0 ? ray->c[l] : log_(ray->re[l] / max_(fabs(near->e.r0[l]), K(1e-3)));
    }
    for (i32 k = 0; k < 6; k++)
      LANE_LOOP(l) {
        const flag fixed = near->kept[l] != 0;
        const real ls = ray->c[l], m = expm1_node_(clamp_(near->am1[l] * ls, K(-700), K(700)));
        const real d = near->e.r0[l] + m * near->e.r1[l] + ls * near->e.r2[l];
        const flag positive = d > 0;
        const real safe = positive ? d : K(1);
        const real slope = 1 + (near->am1[l] * (1 + m) * near->e.r1[l] + near->e.r2[l]) / safe;
        const real miss = log_rough_(ray->re[l] / safe) - ls;
        const real step = miss / (slope > K(0.1) ? slope : K(1));
        const real extra = ((ray->b[l] == 0) | (near->am1[l] <= 0)) ? 1 + near->am1[l] : K(0);
        const real rho = positive ? slope : K(1);
        const real moved = ls + (positive ? clamp_(step, K(-8), K(8)) : K(2));
        const real longer = k == 2 || k == 4 ? 38 + 4 * (1 + extra) / max_(rho, K(0.1)) : ray->re[l];
        const real found = (positive & (fabs(miss) < K(0.5))) ? K(1) : K(0);
        ray->kappa[l] = fixed ? ray->kappa[l] : rho;
        ray->c[l] = fixed ? ls : moved;
        ray->re[l] = fixed ? ray->re[l] : longer;
        ray->good[l] = fixed ? K(1) : found;
      }
  }
}

DEV_BLOCK_FN void NAME(along_ray_near1)(RAY_ARGS, i32 block, SORTING_ARGS) {
  OVER_LIST(from_list);
  (void)last, (void)close;
  SET_OF_LANES(set);
  LOAD_BLOCK(of);
  stable_rays of_lanes, *ray = &of_lanes;
  NAME(near_rays) near_lanes, *near = &near_lanes;
  real b0[LANES], v_a[LANES], v_b[LANES];
  LANE_LOOP(l) b0[l] = atan2_(K(1), of.x[l]);
  stable_level(&of, b0, v_a, v_b);
  NAME(choose_near)(near, ray, &of, v_a, v_b, other);
  NAME(end_near)(near, ray);
  LANE_LOOP(l) {
    const real alpha = 1 + near->am1[l];
    const real kap = 1 / clamp_(ray->kappa[l], min_(K(1), alpha), max_(K(1), alpha));
    ray_map(ray, l, kap, alpha, steps);
    const real ec = -exp_(ray->c[l]);
    near->e.r0[l] *= ec;
    near->e.r1[l] *= ec;
    near->e.r2[l] *= ec;
    near->e.i0[l] *= ec;
    near->e.i1[l] *= ec;
    near->e.i2[l] *= ec;
  }
#if SLOPE
  slope_near1 turned;
  LANE_LOOP(l) {
    const real side = WORK(POINT_SIDE, idx[l]) * (WORK(POINT_X, idx[l]) < 0 ? K(-1) : K(1));
    slope_near1_prepare(&turned, l, close, near->am1[l], SET_WORK(DISTRIBUTION_POLE, set[l]),
                        side * SET_IN(SET_BETA, set[l]), ray->c[l], ray->b[l]);
  }
#define RAY_NODE slope_near1_node
#define FORM FORM_NEAR1
#define TERMS(close) slope_near1_terms(&turned, l, close, node_s[l], node_power[l], node_ls[l], g_re[l], g_im[l])
#define ADD_TERMS if (close) ADD_TERMS_OF(TERMS(1)) else ADD_TERMS_OF(TERMS(0))
#else
#define RAY_NODE ray_node_near1
#endif
#define NODE(k, q)                                                                                           \
  RAY_NODE(FMA(K(k), ray->kh[l], ray->k0[l]), q, ray->kappa[l], near->am1[l], ray->c[l], ray->b[l],          \
           near->e.r0[l], near->e.r1[l], near->e.r2[l], near->e.i0[l], near->e.i1[l], near->e.i2[l])
#define NODE_RETURNS ((near->am1[l] > 0) & (ray->b[l] != 0))
#define NODE_SPEED(q)                                                                                        \
  ray_speed_near1(ray->kappa[l] * RAY_V_END - (q), near->am1[l], ray->c[l], near->e.i0[l], near->e.i1[l],    \
                  near->e.i2[l])
#include "kernels/stable/stable_ray_sum.h"
}
