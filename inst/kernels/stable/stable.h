/* stable.h: alpha-stable distributions, the parts that the kernels of densities and tails share.
 *
 * Everything is in Nolan's S0 form with scale 1 and location 0 (J. P. Nolan, Numerical calculation of stable
 * densities and distribution functions, Comm. Statist. Stochastic Models 13, 1997, 759-774):
 *   T = beta tan(pi alpha/2), zeta = -T, y = x + T, A = sqrt(1 + T^2), L = pi/2 + atan(T)/alpha, R = pi - L,
 *   delta = pi - alpha L, am1 = alpha - 1, e1 = 1/am1.
 * Orientation: a point with y < 0 is replaced by its mirror image (-x, -beta), which exchanges L and R; so y > 0
 * everywhere below. At alpha = 1 the distribution is turned so that beta > 0, and L = pi.
 *
 * L, R, delta, T and y are each formed so that they keep their relative accuracy where they are small
 * (alpha near 1 or 2, |beta| near 1, x near zeta): what is lost there is lost in the density. */
#ifndef STATCL_STABLE_H
#define STATCL_STABLE_H

#include "kernels/common/elementary.h"
#include "kernels/stable/stable_columns.h"

/* Instead of a list: what gave the value already. */
#define DONE_ZETA -1
#define DONE_CAUCHY -2
#define DONE_LIGHT -3
#define DONE_SLIGHT -4
#define DONE_REMOTE -5
#define DONE_NORMAL -6
#define DONE_EMPTY -7
#define DONE_INVALID -8

/* Terms of the tail series. */
#define SERIES_TERMS 40

/* |alpha - 1| up to which the exponent is written in S0 form, smooth through alpha = 1. */
#define NEAR1 K(0.2)

typedef struct {
  real alpha, am1, e1, beta, t, a, log_a, l, r, delta;
} stable_distribution;

typedef struct {
  real x, y, log_y;
} stable_point;

#define LOG_PI_ K(1.1447298858494002)
#define LOG_2_ K(0.6931471805599453)
#define LOG_2_OVER_PI_ K(-0.4515827052894549)
#define LOG_2_OVER_PI_1 K(-1.4515827052894548) /* log(2/pi) - 1, and what is left of it */
#define LOG_2_OVER_PI_1_LO K(-9.809778548676048e-17)
#define LOG_2_SQRT_PI_ K(1.2655121234846454)


/* log(1 - p) for log p <= 0, right where p is small and where it is near 1. */
DEV_FN real stable_log_other(real log_p) {
  const flag small = log_p < K(-0.6931471805599453);
  return small ? log1p_(-exp_(log_p)) : log_(-expm1_(log_p));
}

/* Relative error of e^log_value where a value is a sum and condition is sum |terms|/|sum|. Not a bound, but above the
 * errors found at all points of tests/testthat/ref. */
DEV_FN real stable_error(real log_value, real condition) {
  return K(2.220446049250313e-16) * (8 + 6 * condition) + K(3.552713678800501e-15) * fabs(log_value);
}

/* L, R and delta of one orientation, from tan(pi alpha/2) =: t, its reciprocal c and T (all of this orientation).
 * alpha L = atan(t) + atan(beta t); the smaller of L and R comes from one atan2 whose arguments carry 1 +- beta as a
 * factor. */
DEV_FN real stable_delta(real alpha, real beta, real am1, real t, real c, real l, real r) {
  const real th = -t; /* tan h, h = pi (2 - alpha)/2 */
  const flag heavy = beta >= 0, reciprocal = alpha < K(1.5);
  const real num = reciprocal ? (1 + beta) * -c : (1 + beta) * th;
  const real den = reciprocal ? c * c - beta : 1 - beta * th * th;
  const real above = (heavy ? PIO2_ * (K(2) - alpha) : K(0)) + atan2_(heavy ? beta * th : num, heavy ? K(1) : den);
  const real below = l > K(0.5) * PI_ ? -am1 * PI_ + alpha * r : PI_ - alpha * l;
  return alpha > 1 ? above : below;
}

/* The scale of the S0 distribution: alpha^(-1/alpha) gamma where pm is 2. */
DEV_FN real stable_scale(real pm, real alpha, real gamma) {
  const real safe = alpha > 0 ? alpha : K(1);
  const real shrink = exp_(-log_(safe) / safe);
  return pm == 2 ? shrink * gamma : gamma;
}

/* A user's point on the S0 distribution with scale 1 and location 0; y counts from zeta, for pm = 1 in the user's own
 * digits. */
typedef struct {
  real x, y, y_low, gamma;
} stable_standard_point;
DEV_FN stable_standard_point stable_standard(real alpha, real beta, real pm, real mode, real t, real t_low,
                                             real scale, real x, real location) {
  stable_standard_point u;
  /* pm = 2: scale alpha^(-1/alpha) gamma, counted from the mode */
  u.gamma = stable_scale(pm, alpha, scale);
  /* infinite scale: all of the distribution is far from x, which is as good as the location (as in pnorm()) */
  const real gap = fabs(x - location);
  const flag near = gap < INF_, lost = (u.gamma >= INF_) & near;
  const real from = lost ? K(0) : (x - location) / (u.gamma >= INF_ ? K(1) : u.gamma);
  const real z = (x == location ? K(0) : from) + (pm == 2 ? mode : K(0));
  const flag at_one = alpha == 1;
  /* S1 counts from zeta: there y is what the user gives, and x follows. */
  const real slope = beta == 0 ? K(0) : log_(u.gamma > 0 ? u.gamma : K(1));
  const real shift = at_one ? (2 / PI_) * beta * slope : t;
  const flag finite = fabs(z) < INF_, counted = (pm == 1) & (alpha != 1);
  u.x = ((pm == 1) & finite) ? (at_one ? z - shift : (z - t) - t_low) : z; /* shift may be infinite, too */
  real y_err;
  const real y = two_sum(z, t, &y_err);
  const real sum = fast_two_sum(y, y_err + t_low, &y_err), from_zeta = finite ? sum : z;
  u.y = counted ? z : from_zeta;
  u.y_low = (counted | !finite) ? K(0) : y_err;
  return u;
}

/* log density of the user's distribution from that of the standard one; gap is x - delta. Scale 0 is a point mass, as
 * in dnorm(). */
DEV_FN real stable_user_density(real log_f, real pm, real alpha, real scale, real gap) {
  const real mass = gap == 0 ? INF_ : -INF_;
  const flag point = (scale == 0) & (log_f == log_f);
  return point ? mass : log_f - log_(stable_scale(pm, alpha, scale));
}

/* Constant part of log g: e1 log(y/A); the factor y stays with the sines, whose logs would cancel against its log
 * near alpha = 1. There T is large, and y/A = (1 + x/T)/sqrt(1 + 1/T^2). */
DEV_FN flag stable_is_far(const stable_distribution p, const stable_point z) {
  return (p.t > K(0.5)) & (fabs(z.x) < K(0.5) * p.t);
}
DEV_FN real stable_log_g0(const stable_distribution p, const stable_point z) {
  const flag far = stable_is_far(p, z);
  const real it = 1 / (far ? p.t : K(1));
  const real ratio = far ? log1p_(z.x * it) - K(0.5) * log1p_(it * it) : z.log_y - p.log_a;
  return p.e1 * ratio;
}

/* Products of y with sines would overflow, or lose digits below the smallest normal number; beyond the range of
 * doubles log y alone is right. */
DEV_FN flag stable_is_extreme(const stable_point z) { return fabs(z.log_y) > K(460.0); }

/* log of the positive minimum that g has when |beta| = 1 (at a -> 0 for alpha <= 1, b -> 0 for alpha > 1), else -inf:
 *   log gmin = e1 log(y/A) + log y - alpha e1 log(alpha) + log|am1|.
 * e1 log y and log y are (2 - alpha)/alpha times as large as their sum alpha e1 log y: 3 times at alpha = 1/2. Below,
 * where they cancel more, they make one, alpha e1 log(y/alpha). */
DEV_FN flag stable_has_minimum(const stable_distribution p) {
  const real gap = p.alpha > 1 ? p.delta : max_(p.r, 1 - p.beta);
  return gap == 0;
}
DEV_FN real stable_log_gmin(const stable_distribution p, const stable_point z) {
  const real c0 = stable_log_g0(p, z);
  const real am1 = p.am1 == 0 ? K(1) : p.am1;
  const real general = c0 - p.alpha * p.e1 * log1p_(p.am1) + log_(fabs(am1) * (z.y > K(1e-280) ? z.y : K(1))) +
                       (z.y > K(1e-280) ? K(0) : z.log_y);
  const real small = p.alpha * p.e1 * (z.log_y - log_(p.alpha)) - p.e1 * p.log_a + log_(fabs(am1));
  const real one = K(-0.5) * PI_ * z.x + LOG_2_OVER_PI_ - 1;
  const real away = p.alpha < K(0.5) ? small : general, value = p.am1 == 0 ? one : away;
  return stable_has_minimum(p) ? value : K(-1e300);
}

/* log of what the integral of g e^-g is multiplied by: f = (1/(2 beta)) int g e^-g da at alpha = 1, else
 * alpha |e1|/(pi y) int g e^-g da. */
DEV_FN real stable_log_factor(const stable_distribution p, const stable_point z) {
  return p.am1 == 0 ? -log_(2 * p.beta) : log_(p.alpha * fabs(p.e1)) - LOG_PI_ - z.log_y;
}

/* Light tail of |beta| = 1 far out, where g = gmin (1 + alpha d^2/2 + O(alpha d^4)), d the distance from the minimum:
 * by Laplace's method int e^-g = e^-gmin sqrt(pi/(2 alpha gmin)) (1 + O(1/(alpha gmin))), and gmin times that for
 * g e^-g. The logs that it gives are right to 1/(12 alpha gmin^2) of themselves, 1e-17 where stable_is_light(). */
DEV_FN flag stable_is_light(const stable_distribution p, real log_gmin) {
  return 2 * log_gmin + log_(p.alpha > 0 ? p.alpha : K(1)) > K(37.0);
}
DEV_FN real stable_light_log(const stable_distribution p, real log_gmin) {
  return K(0.5) * (log_(K(0.5) * PI_ / p.alpha) - log_gmin) - exp_(log_gmin);
}

/* What takes the points that have no ray. */
DEV_FN real stable_angle_list(const stable_distribution p) {
  return stable_has_minimum(p) ? K(LIST_LIGHT) : K(LIST_ANGLE);
}

/* The angle variables of u: a = L/(1 + e^-u), b = L - a, each with its relative accuracy. */
typedef struct {
  real a, b;
} stable_angle_pair;
DEV_FN stable_angle_pair stable_angles_of(real l, real u, real e) { /* e = e^-|u| */
  const real big = l / (1 + e), small = big * e;
  stable_angle_pair v;
  v.a = u > 0 ? big : small;
  v.b = u > 0 ? small : big;
  return v;
}
DEV_FN stable_angle_pair stable_angles(real l, real u) { return stable_angles_of(l, u, exp_(-fabs(u))); }

/* The arguments of the three sines of g, each replaced by its supplement where that is the small one:
 * sin(alpha a) = sin(delta + alpha b), sin b = sin(a + R), sin(alpha a + b) = sin(R - am1 a) = sin(delta + am1 b).
 * flip is -1 where alpha a was replaced and so its cotangent has the other sign; eta is always pi - (alpha a + b). */
typedef struct {
  real aa, flip, b, sum, eta;
} stable_arguments;
DEV_FN stable_arguments stable_sines(const stable_distribution p, const stable_angle_pair v) {
  stable_arguments s;
  const real aa = p.alpha * v.a;
  const flag turn = (p.alpha > 1) & (aa > 2);
  s.aa = turn ? p.delta + p.alpha * v.b : aa;
  s.flip = turn ? K(-1) : K(1);
  s.b = v.b > 2 ? v.a + p.r : v.b;
  s.eta = turn ? p.delta + p.am1 * v.b : p.r - p.am1 * v.a;
  s.sum = aa + v.b > 2 ? s.eta : aa + v.b;
  return s;
}

/* log g and its derivative in u at one point of the angle integral (Nolan 1997; Zolotarev):
 *   log g = c0 + e1 [log sin b - log sin(alpha a)] + log(y sin(alpha a + b)/sin(alpha a)),
 *   d log g/da = -e1 sin(eta)/(sin b sin(alpha a)) - (1 + alpha) cot(alpha a) + am1 cot(alpha a + b).
 * near alpha = 1 (L > 2) the bracket is log1p(cot(alpha a) sin eta - 2 sin^2(eta/2)), free of cancellation;
 * at alpha = 1 the limit: log g = -pi x/(2 beta) + log(2/pi) + log(q/sin b) + q cot(b)/beta,
 * q = (pi/2)(1 - beta) + beta a. */
typedef struct {
  real value, slope;
} stable_log_g_pair;
DEV_FN stable_log_g_pair stable_log_g(const stable_distribution p, const stable_point z, real c0,
                                      stable_angle_pair v) {
  const stable_arguments s = stable_sines(p, v);
  const real du = v.a * v.b / p.l; /* da/du */
  real sin_aa, cos_aa, sin_b, cos_b, sin_sum, cos_sum;
  stable_log_g_pair g;
  sincos_(s.aa, &sin_aa, &cos_aa);
  sincos_(s.b, &sin_b, &cos_b);
  sincos_(s.sum, &sin_sum, &cos_sum);
  {
    const real half_sin = sin_(K(0.5) * s.eta);
    const real cot_aa = s.flip * cos_aa / sin_aa;
    const real arg = cot_aa * sin_sum - 2 * half_sin * half_sin;
    const flag near = (fabs(p.am1) < K(0.35)) & (p.l > 2) & (arg > K(-0.5));
    const real bracket = near ? log1p_(arg) : log_(sin_b / sin_aa);
    /* where the two logs of y cancel, they make one, as in stable_log_gmin() */
    const flag slow = p.alpha < K(0.5);
    const real q = K(0.5) * PI_ * (1 - p.beta) + p.beta * v.a, ratio = (slow ? K(1) : z.y) * (sin_sum / sin_aa);
    const real log_ratio = log_(min_(p.am1 == 0 ? q / sin_b : ratio, K(1e300)));
    const real offset = slow ? p.alpha * p.e1 * z.log_y - p.e1 * p.log_a : c0;
    const real cot_sum = (s.sum == s.eta ? K(-1) : K(1)) * cos_sum / sin_sum;
    const real general = offset + p.e1 * bracket + log_ratio;
    const real slope = -p.e1 * sin_sum / (sin_b * sin_aa) - (1 + p.alpha) * cot_aa + p.am1 * cot_sum;
    const real cot_b = (v.b > 2 ? K(-1) : K(1)) * cos_b / sin_b;
    const real one = K(-0.5) * PI_ * z.x / p.beta + LOG_2_OVER_PI_ + log_ratio + q * cot_b / p.beta;
    const real one_slope = p.beta / q + 2 * cot_b + q / (p.beta * sin_b * sin_b);
    g.value = p.am1 == 0 ? one : general;
    g.slope = du * (p.am1 == 0 ? one_slope : slope);
  }
  return g;
}

#endif
