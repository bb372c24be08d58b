/* stable_near1_kernel.h: the ray kernel near alpha = 1, see stable_ray.h; included as stable_ray_kernel.h is. */
KERNEL(RAY_KERNEL) {
  OVER_LIST(RAY_LIST);
  SET_OF_LANES(set);
  real am1[LANES], kappa[LANES], c[LANES], v0[LANES], h[LANES], ratio[LANES], q[LANES], b[LANES];
  real k0[LANES], kh[LANES], refuge[LANES];
  real r0[LANES], r1[LANES], r2[LANES], i0[LANES], i1[LANES], i2[LANES], re[LANES], kept[LANES];
  real b_2[LANES], r0_2[LANES], r1_2[LANES], r2_2[LANES], i0_2[LANES], i1_2[LANES], i2_2[LANES];
  real good[LANES];
#if JOINT
  real b_rest[LANES], b_rest_2[LANES], mirrored[LANES]; /* pi - b; is it the mirror image that is integrated? */
#endif
  LANE_LOOP(l) {
    const i32 i = idx[l], s = set[l];
    stable_law p = LOAD_LAW(i, s);
    const stable_point z = LOAD_POINT(i);
    const real u = stable_level(p, z, atan2_(K(1), z.x));
    const stable_angle_pair v = stable_angles(p.l, u);
    /* The ray goes through b*, turned towards the heavy side when the law is very skew (L > 2). */
    const flag low = p.alpha <= 1;
    const real shift = fabs(p.beta) * (K(0.9) - K(0.5) * cos_(low ? v.b : v.a)) * min_(sin_(v.a), sin_(v.b));
    const real turn = p.l < 2 ? K(0) : shift;
    real bb = low ? max_(v.b - turn, K(0)) : v.b + turn;
    real aa = low ? v.a + turn : max_(v.a - turn, K(0));
    bb = low ? bb : min_(bb, p.l);
    aa = low ? min_(aa, p.l) : aa;
    /* the side of x < 0 is taken as its mirror image, where the small angle is b = a + R */
    const flag mirror = z.x < 0;
    const real x = fabs(z.x), sgn = mirror ? K(-1) : K(1);
    p.beta = sgn * p.beta;
    p.t = sgn * p.t;
    /* From |x| = 100 on the Laplace axis: the phase is small there, and the core, exp(-exp(pi |x|/2)) near alpha = 1,
     * is nothing. */
    const flag distant = x > 100;
    const real turned = mirror ? aa + p.r : bb;
#if RAY_OTHER
    /* next to where the sides meet R falls slowly along the first ray; 0.4 towards the middle it is steep */
    const real other = turned + (turned < PIO2_ ? K(0.4) : K(-0.4));
#else
    const real other = turned;
#endif
    const real ray = distant ? K(0) : other;
    const real ray_clip_b = low ? min_(bb, K(1.3)) : p.l - min_(aa, K(1.3));
    const real ray_clip_a = low ? p.l - ray_clip_b : min_(aa, K(1.3));
    const real clip = mirror ? ray_clip_a + p.r : ray_clip_b;
    const real clipped = distant ? K(0) : clip;
    const stable_near1 e = stable_near1_exponent(p, x, ray), f = stable_near1_exponent(p, x, clipped);
    am1[l] = p.am1;
    b[l] = ray;
    r0[l] = e.r0, r1[l] = e.r1, r2[l] = e.r2, i0[l] = e.i0, i1[l] = e.i1, i2[l] = e.i2;
    b_2[l] = clipped;
    r0_2[l] = f.r0, r1_2[l] = f.r1, r2_2[l] = f.r2, i0_2[l] = f.i0, i1_2[l] = f.i1, i2_2[l] = f.i2;
    good[l] = 0;
    refuge[l] = stable_angle_list(p);
#if JOINT
    const real rest = mirror ? bb : aa + p.r, rest_clip = mirror ? ray_clip_b : ray_clip_a + p.r;
    b_rest[l] = distant ? PI_ : rest;
    b_rest_2[l] = distant ? PI_ : rest_clip;
    mirrored[l] = mirror ? K(1) : K(0);
#endif
  }
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
        r0[l] = keep ? r0[l] : r0_2[l];
        r1[l] = keep ? r1[l] : r1_2[l];
        r2[l] = keep ? r2[l] : r2_2[l];
        i0[l] = keep ? i0[l] : i0_2[l];
        i1[l] = keep ? i1[l] : i1_2[l];
        i2[l] = keep ? i2[l] : i2_2[l];
      }
    }
    LANE_LOOP(l) {
      const real extra = ((b[l] == 0) | (am1[l] <= 0)) ? 1 + am1[l] : K(0);
      kept[l] = good[l];
      re[l] = good[l] != 0 ? re[l] : 38 + 4 * (1 + extra);
      c[l] = good[l] != 0 ? c[l] : log_(re[l] / max_(fabs(r0[l]), K(1e-3)));
    }
    for (i32 k = 0; k < 8; k++)
      LANE_LOOP(l) {
        const flag fixed = kept[l] != 0;
        const real ls = c[l], m = expm1_(am1[l] * ls);
        const real d = r0[l] + m * r1[l] + ls * r2[l];
        const flag positive = d > 0;
        const real safe = positive ? d : K(1);
        const real slope = 1 + (am1[l] * (1 + m) * r1[l] + r2[l]) / safe;
        const real miss = log_(re[l] / safe) - ls;
        const real step = miss / (slope > K(0.1) ? slope : K(1));
        const real extra = ((b[l] == 0) | (am1[l] <= 0)) ? 1 + am1[l] : K(0);
        const real rho = positive ? slope : K(1);
        const real moved = ls + (positive ? clamp_(step, K(-8), K(8)) : K(2));
        const real longer = k == 4 || k == 6 ? 38 + 4 * (1 + extra) / max_(rho, K(0.1)) : re[l];
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
    const real cc = c[l] - kap * RAY_V_END_MAPPED, ec = -exp_(cc);
    const real start = stable_ray_start(kap, alpha);
    kappa[l] = kap;
    c[l] = cc;
    v0[l] = start;
    h[l] = (RAY_V_END - start) / RAY_STEPS;
    ratio[l] = exp_(-h[l]);
    k0[l] = kap * start;
    kh[l] = kap * h[l];
    r0[l] *= ec;
    r1[l] *= ec;
    r2[l] *= ec;
    i0[l] *= ec;
    i1[l] *= ec;
    i2[l] *= ec;
  }
#if SLOPE
  slope_near1 turned;
  LANE_LOOP(l) {
    const real side = WORK(POINT_SIDE, idx[l]) * (WORK(POINT_X, idx[l]) < 0 ? K(-1) : K(1));
    slope_near1_prepare(&turned, l, CLOSE, am1[l], SET_WORK(LAW_POLE, set[l]), side * SET_IN(SET_BETA, set[l]), c[l],
                        b[l]);
  }
#define RAY_NODE slope_near1_node
#define FORM FORM_NEAR1
#define TERMS slope_near1_terms(&turned, l, CLOSE, node_s[l], node_power[l], node_ls[l], g_re[l], g_im[l])
#else
#define RAY_NODE ray_node_near1
#endif
#define NODE(k, q)                                                                                           \
  RAY_NODE(FMA(K(k), kh[l], k0[l]), q, kappa[l], am1[l], c[l], b[l], r0[l], r1[l], r2[l], i0[l], i1[l], i2[l])
#define NODE_SPEED(q) ray_speed_near1(kappa[l] * RAY_V_END - (q), am1[l], c[l], i0[l], i1[l], i2[l])
#include "kernels/stable/stable_ray_sum.h"
}
