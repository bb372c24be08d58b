/* stable_ray.h: the inversion integral f = (1/pi) Re int exp(-i t x) phi(t) dt along a ray t = s e^(-i(pi/2 - b)).
 *
 * With R, I the real and imaginary part of the exponent, f = (1/pi) int e^R sin(I + b) ds. b = 0 is the Laplace
 * form, b = pi/2 the Fourier integral; the kernels say how b is chosen. Nodes: log s = kappa (v - e^-v) + c with
 * RAY_NODES + 1 equispaced v, that is the trapezoidal rule after a map that decays double exponentially towards
 * s = 0; c and kappa come from the end s_end where R = -RE. Everything is in units of e^c, so |x| = 1e300 works.
 *
 * A sum is accepted when even and odd nodes agree to 2e-10 (what is left of a trapezoidal rule that converges
 * exponentially is then far smaller), sum |terms| is at most 100 times the sum, and R stays below 1.5; otherwise the
 * point goes to a finer rule or to the angle integral. This is evidence, not a bound: at the points of
 * tests/testthat/ref no accepted value is wrong by more than 1e-13. */
#include "node.h"

#ifndef RAY_NODES
#define RAY_NODES 64 /* a multiple of 8; bench/gpu times other counts */
#endif
#define RAY_V_END K(3.8)
#define RAY_V_END_MAPPED (RAY_V_END - K(0.0223707718561655960)) /* 3.8 - e^-3.8 */

/* The exponent C at the saddle of the Laplace axis, y = alpha cC s^(alpha-1), cC = -A cos(alpha L): e^-C is the size
 * of the Gaussian-like core for alpha > 1. 1e300 where there is no saddle. */
DEV_FN real stable_core(const stable_law p, const stable_point z) {
  const real cc = -p.a * cos_(p.alpha * p.l);
  const flag saddle = (p.alpha > 1) & (cc > 0);
  const real safe = saddle ? cc : K(1);
  const real log_s = (z.log_y - log_(p.alpha * safe)) * p.e1;
  const real c = safe * p.am1 * exp_(p.alpha * log_s);
  return saddle ? c : K(1e300);
}

/* u* with log g = 0 (or log max(1, gmin + 1)), roughly: two Newton steps from u0 = log(a0/b0). */
DEV_FN real stable_level_step(const stable_law p, const stable_point z, real c0, real level, real u) {
  const stable_log_g_pair g = stable_log_g(p, z, c0, u);
  const real step = (level - g.value) / g.slope;
  return u + (step == step ? clamp_(step, K(-6), K(6)) : K(0));
}
DEV_FN real stable_level(const stable_law p, const stable_point z, real b0) {
  const real c0 = stable_log_g0(p, z);
  const real log_gmin = stable_log_gmin(p, z);
  const real target = log1p_(exp_(min_(log_gmin, K(100))));
  const real level = log_gmin > K(-1e299) ? target : K(0);
  const real b = clamp_(b0, K(1e-300), K(0.999) * p.l);
  const real u = stable_level_step(p, z, c0, level, log_((p.l - b) / b));
  return stable_level_step(p, z, c0, level, u);
}

DEV_FN real stable_ray_start(real kappa, real alpha) { return -log_(38 / (kappa * min_(alpha, K(1)))); }

/* One node, kv = kappa v and kq = kappa e^-v: log s = kv - kq in units of e^c. alpha log s >= -40 by the choice of
 * v0. Where R > 700 the exponential is any number: R > 1.5 rejects the point. */
typedef struct {
  real term, r;
} ray_value;
DEV_FN ray_value ray_node(real kv, real kq, real kappa, real alpha, real b, real y_cos, real y_sin, real a_cos,
                          real a_sin) {
  const real ls = kv - kq;
  const real s = exp_node_(max_(ls, K(-700))), sa = exp_node_(alpha * ls);
  const real phase = FMA(y_sin, s, FMA(a_sin, sa, b));
  ray_value t;
  t.r = FMA(y_cos, s, a_cos * sa);
  t.term = (kappa + kq) * s * exp_node_(max_(t.r, K(-700))) * sin_node_(phase);
  return t;
}
DEV_FN ray_value ray_node_near1(real kv, real kq, real kappa, real am1, real c, real b, real r0, real r1, real r2,
                                real i0, real i1, real i2) {
  const real scaled = kv - kq, ls = scaled + c;
  const real s = exp_node_(scaled), m = expm1_node_(am1 * ls);
  const real phase = FMA(s, FMA(ls, i2, FMA(m, i1, i0)), b);
  ray_value t;
  t.r = s * FMA(ls, r2, FMA(m, r1, r0));
  t.term = (kappa + kq) * s * exp_node_(max_(t.r, K(-700))) * sin_node_(phase);
  return t;
}

/* The trapezoidal sum of both ray kernels, even and odd nodes apart. kappa e^-v comes from exp at every eighth node
 * and by multiplication between (at most 7 roundings). */
#define RAY_SUM(steps)                                                                                       \
  for (i32 k = 0; k < (steps); k += 2) {                                                                   \
    const real w = k == 0 ? K(0.5) : K(1);                                                                   \
    if ((k & 7) == 0) LANE_LOOP(l) q[l] = kappa[l] * exp_(-(v0[l] + k * h[l]));                              \
    LANE_LOOP(l) {                                                                                           \
      const real q1 = q[l] * ratio[l];                                                                       \
      const ray_value t0 = NODE(k, q[l]), t1 = NODE(k + 1, q1);                                              \
      even[l] = FMA(w, t0.term, even[l]);                                                                    \
      odd[l] += t1.term;                                                                                     \
      size[l] += fabs(t0.term) + fabs(t1.term);                                                              \
      top[l] = max_(top[l], max_(t0.r, t1.r));                                                               \
      q[l] = q1 * ratio[l];                                                                                  \
    }                                                                                                        \
  }                                                                                                          \
  LANE_LOOP(l) even[l] += K(0.5) * NODE((steps), kappa[l] * exp_(-RAY_V_END)).term;

/* Value, verdict and hand-over; the tail of the ray kernels. */
#define RAY_FINISH(again)                                                                                    \
  LANE_LOOP(l) {                                                                                             \
    const real sum = even[l] + odd[l];                                                                       \
    const flag sound = (sum > 0) & (size[l] <= 100 * sum) & (top[l] <= K(1.5)) & (good[l] != 0);             \
    const flag ok = sound & (fabs(even[l] - odd[l]) <= K(2e-10) * sum);                                       \
    good[l] = ok ? K(1) : K(0);                                                                              \
    refuge[l] = (sound & (again)) ? K(LIST_RAY_FINE) : refuge[l];                                              \
    WORK(POINT_LOG_F, idx[l]) = c[l] + log_((ok ? sum : K(1)) * h[l] * (1 / PI_));                           \
  }                                                                                                          \
  for (i32 l = 0; l < LANES; l++)                                                                            \
    if (live(l) && good[l] == 0) list_push((i32)refuge[l], idx[l]);

#define RAY_KERNEL stable_ray
#define RAY_LIST LIST_RAY
#define RAY_STEPS RAY_NODES
#define RAY_AGAIN 1
#include "stable_ray_kernel.h"
#undef RAY_KERNEL
#undef RAY_LIST
#undef RAY_STEPS
#undef RAY_AGAIN

#define RAY_KERNEL stable_ray_fine
#define RAY_LIST LIST_RAY_FINE
#define RAY_STEPS (2 * RAY_NODES)
#define RAY_AGAIN 0
#include "stable_ray_kernel.h"

/* Exponent near alpha = 1, with m = expm1(am1 log s), w = am1 (pi/2 - b):
 *   re = (1 + m) K, K = (1 + beta) cos w - beta sin(am1 b)/sin(am1 pi/2),
 *   im = x + Ei - T Er, Er = m cos w - 2 sin^2(w/2), Ei = -(1 + m) sin w  (alpha = 1: x + (2 beta/pi) log s),
 *   R = -s (sin b re + cos b im), I = -s (sin b im - cos b re).
 * K is a sum of positive terms on the light side (beta < 0), where a difference would lose 1 + beta.
 * Collected: R = -s (r0 + m r1 + log(s) r2), I = -s (i0 + m i1 + log(s) i2). */
typedef struct {
  real r0, r1, r2, i0, i1, i2;
} stable_near1;
DEV_FN stable_near1 stable_near1_exponent(const stable_law p, real x, real b) {
  stable_near1 e;
  const real w = p.am1 * (K(0.5) * PI_ - b);
  real sin_w, cos_w, sin_b, cos_b;
  sincos_(w, &sin_w, &cos_w);
  sincos_(b, &sin_b, &cos_b);
  const real half_sin = sin_(K(0.5) * w);
  const real am1 = p.am1 == 0 ? K(1e-30) : p.am1;
  const real k = (1 + p.beta) * cos_w - p.beta * sin_(am1 * b) / sin_(am1 * K(0.5) * PI_);
  const real im0 = x + 2 * p.t * half_sin * half_sin - sin_w, im1 = -p.t * cos_w - sin_w;
  const real im2 = p.am1 == 0 ? (2 / PI_) * p.beta : K(0);
  e.r0 = sin_b * k + cos_b * im0;
  e.r1 = sin_b * k + cos_b * im1;
  e.r2 = cos_b * im2;
  e.i0 = sin_b * im0 - cos_b * k;
  e.i1 = sin_b * im1 - cos_b * k;
  e.i2 = sin_b * im2;
  return e;
}

KERNEL(stable_ray_near1) {
  OVER_LIST(LIST_RAY_NEAR1);
  SET_OF_LANES(set);
  real am1[LANES], kappa[LANES], c[LANES], v0[LANES], h[LANES], ratio[LANES], q[LANES], b[LANES];
  real k0[LANES], kh[LANES], refuge[LANES];
  real r0[LANES], r1[LANES], r2[LANES], i0[LANES], i1[LANES], i2[LANES], re[LANES], kept[LANES];
  real b_2[LANES], r0_2[LANES], r1_2[LANES], r2_2[LANES], i0_2[LANES], i1_2[LANES], i2_2[LANES];
  real even[LANES], odd[LANES], size[LANES], top[LANES];
  real good[LANES];
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
    const real ray = distant ? K(0) : turned;
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
    even[l] = odd[l] = size[l] = 0;
    top[l] = K(-1e300);
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
    h[l] = (RAY_V_END - start) / RAY_NODES;
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
#define NODE(k, q)                                                                                           \
  ray_node_near1(FMA(K(k), kh[l], k0[l]), q, kappa[l], am1[l], c[l], b[l], r0[l], r1[l], r2[l], i0[l], i1[l], i2[l])
  RAY_SUM(RAY_NODES)
#undef NODE
  RAY_FINISH(0)
}
