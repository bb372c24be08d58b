/* stable_random.h: a stable variate from an angle and an exponential variate (J. M. Chambers, C. L. Mallows and
 * B. W. Stuck, J. Amer. Statist. Assoc. 71, 1976, 340-344), arranged so that nothing cancels.
 *
 * The angle is V = sg (pi/2 - d), sg = +-1, and d, its distance from the nearer end, is what is drawn: the far tails
 * come from d near 0. W is exponential. With am1 = alpha - 1, bs = sg beta, h = (pi/2)(1 - |am1|), t = tan h,
 * T = beta tan(pi alpha/2), A = sqrt(1 + T^2), w = |am1|(pi/2 - d), sums of positive terms throughout:
 *   D = cos w + bs t sin w                          for bs >= 0
 *     = (1 + bs) cos w - bs sin(|am1| d)/cos h      for bs < 0
 *   l = log(D/(W sin d))
 *   angle = the value of h + atan(bs t) that keeps its relative accuracy where 1 + bs is small
 * S1 variate:  Z = sg A sin(angle -+ alpha d)/sin d e^(-(am1/alpha) l), - for alpha < 1 and + for alpha > 1.
 * S0 variate:  Z - T for |am1| > 0.1. Nearer to 1 both are large; with e = expm1(-(am1/alpha) l), s = sg sign(am1),
 *   X = (sg D cot d + s sin w)(1 + e) + T (e cos w - 2 sin^2(w/2)).
 * alpha = 1 is the limit am1 -> 0, which am1 = 1e-30 stands for: every term above has it to full accuracy.
 * Error relative to max(1, |x|) against 60 digits, 10500 draws at 25 alphas and 7 betas, d and W down to 1e-15: at
 * most 2.6e-15 for alpha >= 0.5, 7.7e-15 at 0.3, 1.1e-13 at 0.01, where the power 1/alpha multiplies the rounding
 * of l. The test is tests/engine/test_random.c. */
#ifndef STATCL_STABLE_RANDOM_H
#define STATCL_STABLE_RANDOM_H

#include "kernels/common/philox.h"
#include "kernels/stable/stable_columns.h"

#define NEAR_ONE K(0.1)

/* What the draws of one parameter set share. */
typedef struct {
  real alpha, beta, am1, power, tan_h, sec_h, h, angle, a;
} draw_distribution;

/* sqrt(v), v >= 1: the C library's is a call wherever it may set errno. */
DEV_FN real draw_sqrt_(real v) {
  const real y = exp_core_(K(0.5) * log_core_(v));
  return K(0.5) * (y + v / y);
}

DEV_FN draw_distribution draw_prepare(real alpha, real beta) {
  draw_distribution p;
  const flag small = alpha < K(0.5);
  real s, c;
  p.alpha = alpha;
  p.beta = beta;
  p.am1 = alpha == 1 ? K(1e-30) : alpha - 1;
  /* the half circle counted from alpha = 0 or from alpha = 1: both sine and cosine keep their relative accuracy */
  sincospi_(K(0.5) * (small ? alpha : fabs(p.am1)), &s, &c);
  {
    const real sin_h = small ? s : c, cos_h = small ? c : s, b = fabs(beta);
    const real t = sin_h / cos_h, ct = cos_h / sin_h;
    /* h - atan(|beta| t), the smaller of the two angles */
    const flag steep = t > 1;
    p.angle = atan2_((1 - b) * (steep ? ct : t), steep ? ct * ct + b : 1 + b * t * t);
    p.tan_h = t;
    p.sec_h = 1 / cos_h;
    p.h = small ? alpha * PIO2_ : PIO2_ * (1 - fabs(p.am1));
    p.a = draw_sqrt_(1 + (b * t) * (b * t));
  }
  p.power = -p.am1 / (alpha > K(1e-300) ? alpha : K(1e-300));
  return p;
}

/* T of the distribution */
DEV_FN real draw_t(const draw_distribution p) { return p.am1 < 0 ? p.beta * p.tan_h : -p.beta * p.tan_h; }

/* What both forms need of a draw; tw = |am1| d. */
typedef struct {
  real sg, bs, d, w, inv_sin, cos_d, tw, exponential;
} draw_point;

DEV_FN draw_point draw_open(const draw_distribution p, real sg, real u, real v) {
  draw_point q;
  real s;
  q.sg = sg;
  q.bs = sg * p.beta;
  q.d = u * PIO2_;
  sincos_(q.d, &s, &q.cos_d);
  q.inv_sin = 1 / s;
  q.exponential = -log_core_(v);
  q.w = fabs(p.am1) * (PIO2_ - q.d);
  q.tw = fabs(p.am1) * q.d;
  return q;
}

DEV_FN real draw_d_(const draw_distribution p, const draw_point q, real cos_w, real sin_w) {
  const real light = (1 + q.bs) * cos_w - q.bs * p.sec_h * sin_(q.tw);
  const real heavy = cos_w + q.bs * p.tan_h * sin_w;
  return q.bs < 0 ? light : heavy;
}

/* S1 */
DEV_FN real draw_far(const draw_distribution p, const draw_point q) {
  /* cos w = sin(h + |am1| d): the side from which the argument is small */
  const flag wide = fabs(p.am1) > K(0.5);
  real s, c;
  sincos_(wide ? p.h + q.tw : q.w, &s, &c);
  {
    const real dd = draw_d_(p, q, wide ? s : c, wide ? c : s);
    const real l = log_core_(dd * q.inv_sin / q.exponential);
    const real ad = p.am1 < 0 ? -p.alpha * q.d : p.alpha * q.d;
    const real sum = (q.bs > 0 ? 2 * p.h - p.angle : p.angle) + ad;
    /* near pi its supplement is what has the digits */
    const real supplement = PI_ * fabs(p.am1) + p.angle - ad;
    const real other = q.bs > 0 ? supplement : sum;
    const real turned = sin_(sum > 2 ? other : sum);
    const real size = p.a * exp_(p.power * l) * q.inv_sin;
    return turned == 0 ? K(0) : q.sg * size * turned;
  }
}

/* S0, |am1| <= NEAR_ONE */
DEV_FN real draw_near(const draw_distribution p, const draw_point q) {
  real s, c;
  sincos_(K(0.5) * q.w, &s, &c);
  {
    const real versine = 2 * s * s, sin_w = 2 * s * c, cos_w = 1 - versine;
    const real dd = draw_d_(p, q, cos_w, sin_w);
    const real l = log_core_(dd * q.inv_sin / q.exponential);
    const real e = expm1_(p.power * l);
    const real t = draw_t(p);
    const real s1 = p.am1 < 0 ? -sin_w : sin_w;
    const real head = q.sg * (q.cos_d * q.inv_sin * dd + s1);
    return head + head * e + (t * e * cos_w - t * versine);
  }
}

#endif
