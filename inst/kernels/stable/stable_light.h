/* stable_light.h: the light side of |beta| = 1, where g has a positive minimum: the trapezoidal rule.
 *
 * d is the distance from the minimum, in (0, L), and with sinc z = sin z/z and e1 = 1/(alpha - 1)
 *   log(g/gmin) = rise(d) = e1 log(sinc d/sinc(alpha d)) + log(sinc((alpha - 1) d)/sinc(alpha d)),
 * at alpha = 1 its limit 1 - d cot d - log sinc d: an even function of d. So is the integrand in t, d = L tanh t,
 * and it vanishes exponentially towards the end L: the trapezoidal rule from t = 0 converges exponentially (L. N.
 * Trefethen and J. A. C. Weideman, The exponentially convergent trapezoidal rule, SIAM Review 56, 2014, 385-458).
 *   I(p) = int_0^L (g/gmin)^p e^(gmin - g) dd, p = 1 for the density, 0 for the tail, int e^-g = e^-gmin I(0). */
#ifndef STATCL_STABLE_LIGHT_H
#define STATCL_STABLE_LIGHT_H

#include "kernels/stable/stable_node.h"

/* A number in two parts, the second below the rounding error of the first. */
typedef struct {
  real hi, lo;
} real_pair;
DEV_FN real_pair pair_sum(real a, real b) {
  real_pair s;
  s.hi = two_sum(a, b, &s.lo);
  return s;
}
DEV_FN real_pair pair_product(real_pair a, real_pair b) {
  real_pair p;
  p.hi = two_prod(a.hi, b.hi, &p.lo);
  p.lo += a.hi * b.lo + a.lo * b.hi;
  return p;
}
DEV_FN real_pair pair_quotient(real_pair a, real_pair b) {
  real_pair q;
  real err;
  q.hi = a.hi / b.hi;
  const real back = two_prod(q.hi, b.hi, &err);
  q.lo = (((a.hi - back) - err) + a.lo - q.hi * b.lo) / b.hi;
  return q;
}
/* log(u), u = 2^k (1 + f) normal and positive: k log 2 + 2 s + s^3 (2/3 + 2 s^2/5 + ...), s = f/(2 + f) below 0.172.
 * The series ends with the term of s^27, 1e-23 of the first; its rounding error is below 1e-18. */
DEV_FN real_pair pair_log(real_pair u) {
  real f;
  const real k = log_reduce_(u.hi, &f), low = u.lo / u.hi * (1 + f);
  real_pair numerator = {f, low}, denominator = pair_sum(K(2), f), v;
  denominator.lo += low;
  const real_pair s = pair_quotient(numerator, denominator);
  const real z = s.hi * s.hi;
  real series = 0;
  for (i32 n = 27; n >= 3; n -= 2) series = FMA(series, z, 2 / K(n));
  v = pair_sum(k * LN2_R1, 2 * s.hi);
  v.lo += FMA(k, LN2_R2, 2 * s.lo) + s.hi * z * series;
  return pair_sum(v.hi, v.lo);
}

/* log gmin of stable_log_gmin() in two parts: an error of 1e-15 is one of gmin 1e-15 in the logs of light tails.
 *   log gmin = alpha e1 log(y/(alpha A)) + log(|am1| A). */
DEV_FN real_pair stable_pair_gmin(const stable_distribution p, const stable_point z, real y_low, real t_low) {
  const flag at_one = p.am1 == 0;
  const real_pair t = {p.t, t_low}, y = {z.y, y_low}, alpha = {p.alpha, K(0)};
  real_pair am1 = pair_sum(p.alpha, K(-1)), size = pair_product(t, t), a;
  am1.hi = at_one ? K(1) : am1.hi;
  const real_pair square = pair_sum(K(1), size.hi);
  real err;
  a.hi = sqrt(square.hi);
  const real back = two_prod(a.hi, a.hi, &err);
  a.lo = (((square.hi - back) - err) + square.lo + size.lo) / (2 * a.hi);
  const real_pair log_w = pair_log(pair_quotient(y, pair_product(alpha, a)));
  real_pair part = pair_product(am1, a);
  part.lo = part.hi < 0 ? -part.lo : part.lo;
  part.hi = fabs(part.hi);
  const real_pair log_part = pair_log(part), rest = pair_product(pair_quotient(alpha, am1), log_w);
  /* -pi x/2 - 1 + log(2/pi) */
  const real_pair half_pi = {-PIO2_, -PIO2_LO_}, x = {z.x, K(0)}, one = pair_product(half_pi, x);
  const real_pair first = at_one ? one : rest;
  const real_pair second = {at_one ? LOG_2_OVER_PI_1 : log_part.hi, at_one ? LOG_2_OVER_PI_1_LO : log_part.lo};
  const real_pair sum = pair_sum(first.hi, second.hi);
  return pair_sum(sum.hi, sum.lo + first.lo + second.lo);
}

/* sin z/z, that less 1, and 1 - cos z, for z in [0, pi], each with its relative accuracy; rest: pi - z, accurate. */
typedef struct {
  real sinc, less_1, lift;
} stable_arc;
DEV_FN stable_arc stable_arc_at(real z, real rest) {
  const flag near = z < PIO2_;
  const real r = near ? z : rest, square = r * r;
  const real series = square * SIN_NODE(square), lift = square * (K(0.5) - square * COS_NODE(square));
  const real sine = FMA(r, series, r);
  stable_arc s;
  s.sinc = near ? 1 + series : sine / z;
  s.less_1 = near ? series : s.sinc - 1;
  s.lift = near ? lift : 2 - lift;
  return s;
}

/* rise(d), rest = L - d: sums and products of small numbers alone, so that gmin times it keeps its digits. With a, m
 * and u for sinc of alpha d, (alpha - 1) d and d:
 *   u/a - 1 = (alpha - 1) (1 - cos(alpha d) m/a) - alpha (1 - cos((alpha - 1) d)), where e1 takes the first factor;
 *   for alpha < 1/2, where e1 is near -1, the logs of u cancel and make one,
 *   rise = log(m/u) + alpha e1 log(u/a), m/u - 1 = (alpha (u - cos(d) a)/u - (1 - cos(alpha d)))/(1 - alpha). */
DEV_FN real stable_rise(const stable_distribution p, real d, real rest) {
  const flag slow = p.alpha < K(0.5), at_one = p.am1 == 0;
  const real am1 = fabs(p.am1);
  const stable_arc u = stable_arc_at(d, p.r + rest), a = stable_arc_at(p.alpha * d, p.delta + p.alpha * rest);
  const stable_arc m = stable_arc_at(am1 * d, p.alpha < 1 ? p.alpha * PI_ + am1 * rest : PI_ - am1 * d);
  const real to_u = 1 / u.sinc, to_a = 1 / a.sinc;
  const real turned = (u.less_1 + u.lift - (at_one ? K(0) : (1 - u.lift) * a.less_1)) * to_u; /* 1 - d cot(d) a */
  const real more = (m.less_1 - a.less_1) * to_a, ratio = m.sinc * to_a;
  const real first = slow ? (p.alpha * turned - a.lift) / am1 : more;
  const real gap = slow ? (u.less_1 - a.less_1) * to_a : p.am1 * (ratio * a.lift - more) - p.alpha * m.lift;
  const flag close = gap > K(-0.5);
  const real one = close ? 1 + gap : u.sinc * to_a, lost = close ? gap - (one - 1) : K(0);
  const real bracket = (slow ? p.alpha * p.e1 : p.e1) * log_sum_(one, lost);
  return log1p_(first) + (at_one ? turned : bracket);
}

/* At t: the rise, e^rise = g/gmin, g - gmin, and the weight (dd/dt)/L = 1/cosh^2 t. */
typedef struct {
  real rise, ratio, excess, weight;
} stable_light_node;
DEV_FN stable_light_node stable_light_at(const stable_distribution p, real gmin, real t) {
  const real e = exp_node_(-2 * t), to_sum = 1 / (1 + e);
  stable_light_node node;
  node.rise = min_(stable_rise(p, p.l * (-expm1_node_(-2 * t) * to_sum), 2 * p.l * (e * to_sum)), K(100));
  const real more = expm1_node_(node.rise);
  node.ratio = 1 + more;
  node.excess = gmin * more;
  node.weight = 4 * e * (to_sum * to_sum);
  return node;
}

#endif
