/* stable_ray.h: the inversion integral f = (1/pi) Re int exp(-i t x) phi(t) dt along a ray t = s e^(-i(pi/2 - b)).
 *
 * With R, I the real and imaginary part of the exponent,
 *   f = (1/pi) int e^R sin(I + b) ds,  S = (1/pi) int e^R sin(I) ds/s,
 *   P(X > x) = b/pi + S,  P(X <= x) = (pi - b)/pi - S.
 * b = 0 is the Laplace form, b = pi/2 the Fourier integral; the kernels say how b is chosen. Nodes: log s = kappa (v
 * - e^-v) + c with RAY_NODES + 1 equispaced v, that is the trapezoidal rule after a map that decays double
 * exponentially towards s = 0; c and kappa come from the end s_end where R = -RE. Everything is in units of e^c, so
 * |x| = 1e300 works.
 *
 * A sum is accepted when even and odd nodes agree to 1e-8 (their difference is the error of the rule with twice the
 * step; the trapezoidal rule's falls exponentially, so with half the step its square is left), their oscillation is
 * resolved, sum |terms| is at most 100 times the sum, R stays below 1.5 and ends below -36 and near -RE, and the last
 * term is small beside the sum; both tails likewise, with 200. Otherwise the point goes to a finer rule or to the
 * angle integral. This is evidence, not a bound: at the points of tests/testthat/ref no accepted value is wrong by
 * more than 1e-13. */
#ifndef STATCL_STABLE_RAY_H
#define STATCL_STABLE_RAY_H

#include "kernels/stable/stable_node.h"
#include "kernels/stable/stable_block.h"

/* Even. tools/stable_rays.py counts what densities need: 44 take 99.3 % of points at once, and cost 45 nodes a point
 * with those of the finer rule, where 36 cost 58 and 64 cost 64. Derivatives have larger terms. */
#ifndef RAY_NODES
#define RAY_NODES (SLOPE ? 64 : 44)
#endif
/* Agreement of even and odd nodes asked for, relative to the sum: with 1e-8 no sum of tools/stable_rays.py is off by
 * more than 5e-15, with 1e-5 one is by 1.6e-13. Their difference is the leading aliasing term, but times a cosine
 * that vanishes by chance at one point in 1e4: the terms oscillate faster and faster towards s_end. So one more test:
 * the error comes from where the phase turns by 2 pi per node, and its size is e^R there; at s_end R and the phase I
 * are nearly proportional, so log|error| = 2 pi R/(h dI/dv), which must be below -38. */
#define RAY_GAP (SLOPE ? K(2e-10) : K(1e-8)) /* terms of derivatives are larger than those of the density */
/* The last term, relative to the sum: where sin(I + b) is small all along the ray, e^-38 is not small enough. What
 * is left out is half of that term and, as R falls by 3 or more per node from there (h >= 6.8/88, R < -36), a
 * twentieth of it for all further ones: 6e-15, where values are to be right to 1e-13.
 * Where R grows again beyond a saddle, near alpha = 1 and above, sin(I + b) is not small there: then its envelope. */
#define RAY_REST K(1e-14)
#define RAY_SPEED K(0.165)
/* The rays: on the contour of the angle integral I = 0 and R = -g, so the ray through the contour's point where g is
 * about RE ends there without waves. By tools/stable_rays.py half of the points need at most 36 nodes on it and 99 %
 * at most 44; half of them 52 on the ray where g is 1, and 120 half way to an axis. */
#define RAY_LEVEL K(3.713572066704308) /* log 41 */
/* Another ray, for points that the first one does not serve with twice the nodes either: through the contour's point
 * where g is 5, on which half of the points need 40 nodes. Its sums pass the same tests. */
#define RAY_OTHER_LEVEL K(1.6) /* log 5, roughly */
/* Of alpha a, for alpha > 1, or of b: the exponent returns from pi/2 on, where the cosine of the larger power of s
 * changes sign. One point in 70 is held back, and 1.3 or 1.57 would serve as well (tools/stable_rays.py). */
#define RAY_MOST_ANGLE K(1.5)
#define RAY_V_END K(3.2)
#define RAY_V_END_MAPPED (RAY_V_END - K(0.040762203978366211)) /* 3.2 - e^-3.2 */

/* The exponent C at the saddle of the Laplace axis, y = alpha cC s^(alpha-1), cC = -A cos(alpha L): e^-C is the size
 * of the Gaussian-like core for alpha > 1. 1e300 where there is no saddle. */
DEV_FN real stable_core(const stable_distribution p, const stable_point z) {
  const real cc = -p.a * cos_(p.alpha * p.l);
  const flag saddle = (p.alpha > 1) & (cc > 0);
  const real safe = saddle ? cc : K(1);
  const real log_s = (z.log_y - log_(p.alpha * safe)) * p.e1;
  const real c = safe * p.am1 * exp_(p.alpha * log_s);
  return saddle ? c : K(1e300);
}

/* The same in rough numbers, given cC. */
DEV_FN real stable_rough_core(const stable_distribution p, const stable_point z, real cc) {
  const flag saddle = (p.alpha > 1) & (cc > 0);
  const real safe = saddle ? cc : K(1);
  const real c = safe * p.am1 * exp_rough_(p.alpha * (z.log_y - log_rough_(p.alpha * safe)) * p.e1);
  return saddle ? c : K(1e300);
}

/* The angles where log g is RAY_LEVEL (or log(gmin + 1), if that is more), roughly: Newton steps in u = log(a/b) from
 * where g is about 1, b0, and what the slope far out adds. */
DEV_BLOCK_FN void stable_level(stable_block *k, const real *b0, real *a, real *b) {
  real log_gmin[LANES], level[LANES], u[LANES];
  stable_log_g_block g;
  stable_minimum(k, log_gmin);
  LANE_LOOP(l) {
    const real target = log1p_(exp_(min_(log_gmin[l], K(100))));
    const real start = clamp_(b0[l], K(1e-300), K(0.999) * k->l[l]);
    level[l] = max_(log_gmin[l] > K(-1e299) ? target : K(0), RAY_LEVEL);
    u[l] = log_((k->l[l] - start) / start) + RAY_LEVEL * (1 - k->alpha[l]) / max_(k->alpha[l], K(1));
  }
  for (i32 n = 0; n < 4; n++) {
    stable_find_log_g(k, u, &g);
    LANE_LOOP(l) {
      const real step = (level[l] - g.value[l]) / g.slope[l];
      u[l] += step == step ? clamp_(step, K(-6), K(6)) : K(0);
    }
  }
  LANE_LOOP(l) {
    const stable_angle_pair v = stable_angles(k->l[l], u[l]);
    a[l] = v.a;
    b[l] = v.b;
  }
}

/* The same away from alpha = 1, in rough numbers, and log s of the contour's point: which ray is taken changes how
 * fast the sums converge, not what they converge to. */
DEV_BLOCK_FN void stable_rough_level(stable_block *k, real level, real *a, real *b, real *log_s) {
  real u[LANES];
  LANE_LOOP(l) {
    real cos_l;
    const real sin_l = sincos_node_(k->l[l], &cos_l), size_a = exp_rough_(k->log_a[l] / k->alpha[l]);
    const real start = clamp_(atan2_(size_a * sin_l, k->y[l] + size_a * cos_l), K(1e-300), K(0.999) * k->l[l]);
    const real alpha = k->alpha[l], far = level * (1 - alpha) / max_(alpha, K(1));
    u[l] = log_rough_((k->l[l] - start) / start) + far;
  }
  for (i32 n = 0; n < 3; n++)
    LANE_LOOP(l) {
      const stable_distribution p = block_distribution(k, l);
      const real e = exp_rough_(-fabs(u[l])), big = p.l / (1 + e), small = big * e;
      const stable_angle_pair v = {u[l] > 0 ? big : small, u[l] > 0 ? small : big};
      const stable_arguments s = stable_sines(p, v);
      real cos_aa, cos_sum;
      const real sin_aa = sincos_node_(s.aa, &cos_aa), sin_b = sin_node_(s.b);
      const real sin_sum = sincos_node_(s.sum, &cos_sum);
      const real to_aa = 1 / sin_aa, ratio = sin_sum * to_aa, log_y = k->log_y[l];
      const real at = p.e1 * (log_y - p.log_a + log_rough_(sin_b * to_aa)), log_g = at + log_y + log_rough_(ratio);
      const real cot_sum = (s.sum == s.eta ? K(-1) : K(1)) * cos_sum / sin_sum;
      const real slope = big * small / p.l * (p.am1 * cot_sum - p.e1 * ratio / sin_b -
                                               (1 + p.alpha) * s.flip * cos_aa * to_aa);
      const real step = (level - log_g) / slope;
      a[l] = v.a;
      b[l] = v.b;
      log_s[l] = at;
      u[l] += step == step ? clamp_(step, K(-6), K(6)) : K(0);
    }
}

DEV_FN real stable_ray_start(real kappa, real alpha) { return -log_(38 / (kappa * min_(alpha, K(1)))); }

/* The arrays of a block of rays, and of lane l the map of its nodes from kappa, alpha and the c of s_end. */
typedef struct {
  real kappa[LANES], c[LANES], v0[LANES], h[LANES], ratio[LANES], q[LANES], b[LANES], k0[LANES], kh[LANES];
  real re[LANES], good[LANES], refuge[LANES];
#if JOINT
  real b_rest[LANES], mirrored[LANES]; /* pi - b; is it the mirror image that is integrated? */
#endif
} stable_rays;
DEV_FN void ray_map(stable_rays *ray, i32 l, real kappa, real alpha, i32 steps) {
  const real start = stable_ray_start(kappa, alpha);
  ray->kappa[l] = kappa;
  ray->c[l] -= kappa * RAY_V_END_MAPPED;
  ray->v0[l] = start;
  ray->h[l] = (RAY_V_END - start) / steps;
  ray->ratio[l] = exp_(-ray->h[l]);
  ray->k0[l] = kappa * start;
  ray->kh[l] = kappa * ray->h[l];
}

/* One node, kv = kappa v and kq = kappa e^-v: log s = kv - kq in units of e^c. alpha log s >= -40 by the choice of
 * v0. Where R > 700 the exponential is any number: R > 1.5 rejects the point. */
typedef struct {
  real term, tail, r;
} ray_value;
DEV_FN ray_value ray_node(real kv, real kq, real kappa, real alpha, real b, real y_cos, real y_sin, real a_cos,
                          real a_sin) {
  const real ls = kv - kq;
  const real s = exp_node_(max_(ls, K(-700))), sa = exp_node_(alpha * ls);
  ray_value t;
  t.r = FMA(y_cos, s, a_cos * sa);
  t.tail = (kappa + kq) * exp_node_(max_(t.r, K(-700)));
  t.term = t.tail * s * sin_node_(FMA(y_sin, s, FMA(a_sin, sa, b)));
  t.tail *= sin_node_(FMA(y_sin, s, a_sin * sa));
  return t;
}
/* A bound of |dI/dlog s| where s and s^alpha pull in opposite directions, too. */
DEV_FN real ray_speed(real ls, real alpha, real y_sin, real a_sin) {
  const real from_s = y_sin * exp_(max_(ls, K(-700))), from_sa = alpha * a_sin * exp_(alpha * ls);
  return max_(fabs(from_s + from_sa), max_(fabs(from_s), fabs(from_sa)));
}
DEV_FN real ray_speed_near1(real scaled, real am1, real c, real i0, real i1, real i2) {
  const real ls = scaled + c, m = expm1_(am1 * ls);
  return exp_(scaled) * (fabs(i0 + m * i1 + ls * i2) + fabs(am1 * (1 + m) * i1 + i2));
}
DEV_FN ray_value ray_node_near1(real kv, real kq, real kappa, real am1, real c, real b, real r0, real r1, real r2,
                                real i0, real i1, real i2) {
  const real scaled = kv - kq, ls = scaled + c;
  const real s = exp_node_(scaled), m = expm1_node_(am1 * ls);
  const real im = FMA(ls, i2, FMA(m, i1, i0));
  ray_value t;
  t.r = s * FMA(ls, r2, FMA(m, r1, r0));
  t.tail = (kappa + kq) * exp_node_(max_(t.r, K(-700)));
  t.term = t.tail * s * sin_node_(FMA(s, im, b));
  t.tail *= sin_node_(s * im);
  return t;
}

/* Exponent near alpha = 1, with m = expm1(am1 log s), w = am1 (pi/2 - b):
 *   re = (1 + m) K, K = (1 + beta) cos w - beta sin(am1 b)/sin(am1 pi/2),
 *   im = x + Ei - T Er, Er = m cos w - 2 sin^2(w/2), Ei = -(1 + m) sin w  (alpha = 1: x + (2 beta/pi) log s),
 *   R = -s (sin b re + cos b im), I = -s (sin b im - cos b re).
 * K is a sum of positive terms on the light side (beta < 0), where a difference would lose 1 + beta.
 * Collected: R = -s (r0 + m r1 + log(s) r2), I = -s (i0 + m i1 + log(s) i2). */
typedef struct {
  real r0[LANES], r1[LANES], r2[LANES], i0[LANES], i1[LANES], i2[LANES];
} stable_near1;
DEV_BLOCK_FN void stable_near1_exponent(const real *alpha_less_1, const real *beta, const real *t, const real *x,
                                        const real *b, stable_near1 *e) {
  LANE_LOOP(l) {
    const real w = alpha_less_1[l] * (K(0.5) * PI_ - b[l]);
    real sin_w, cos_w, sin_b, cos_b;
    sincos_(w, &sin_w, &cos_w);
    sincos_(b[l], &sin_b, &cos_b);
    const real half_sin = sin_(K(0.5) * w);
    const real am1 = alpha_less_1[l] == 0 ? K(1e-30) : alpha_less_1[l];
    const real k = (1 + beta[l]) * cos_w - beta[l] * sin_(am1 * b[l]) / sin_(am1 * K(0.5) * PI_);
    const real im0 = x[l] + 2 * t[l] * half_sin * half_sin - sin_w, im1 = -t[l] * cos_w - sin_w;
    const real im2 = alpha_less_1[l] == 0 ? (2 / PI_) * beta[l] : K(0);
    e->r0[l] = sin_b * k + cos_b * im0;
    e->r1[l] = sin_b * k + cos_b * im1;
    e->r2[l] = cos_b * im2;
    e->i0[l] = sin_b * im0 - cos_b * k;
    e->i1[l] = sin_b * im1 - cos_b * k;
    e->i2[l] = sin_b * im2;
  }
}

#endif
