/* integrand_ops.h: the operations of a translated integrand, op_<name>() for every OP() line of integrand_ops.def,
 * with R's values for scalars at all doubles. One lane, no branch, as elementary.h has it; the exceptions are
 * op_sin(), op_cos() and op_tan() of arguments beyond FAR_ANGLE_: see there.
 *
 * "Error a / b ulp": the largest that tests/engine/test_integrand_ops.c found against MPFR, with FMA / without; the
 * test fails above a slightly larger bound. Polynomials: minimax, from tools/integrand_coefficients.py. */
#ifndef STATCL_INTEGRAND_OPS_H
#define STATCL_INTEGRAND_OPS_H

#include "kernels/common/elementary.h"
#include "kernels/quadrature/integrand_coef.h"
#include "kernels/poisson/poisson.h"

#if SINGLE
#error "the operations of integrands are in double precision"
#endif

#define ROOT_HALF_ K(0.7071067811865476)
#define ROOT_HALF_LO_ K(-4.833646656726457e-17) /* sqrt(1/2) - ROOT_HALF_ */
#define ROOT_2PI_ K(2.5066282746310002)
#define ROOT_2PI_INV_ K(0.3989422804014327)
#define ROOT_PIO2_ K(1.2533141373155003)

DEV_FN flag missing_(real a, real b) { return (a != a) | (b != b); }

/* ---- arithmetic, conditions ---- */

DEV_FN real op_add(real a, real b) { return a + b; }
DEV_FN real op_sub(real a, real b) { return a - b; }
DEV_FN real op_mul(real a, real b) { return a * b; }
DEV_FN real op_div(real a, real b) { return a / b; }
DEV_FN real op_neg(real a) { return -a; }
DEV_FN real op_abs(real a) { return fabs(a); }
DEV_FN real op_sqrt(real a) { return sqrt(a); }

DEV_FN real condition_(flag holds, real a, real b) {
  const real v = holds ? K(1.0) : K(0.0);
  return missing_(a, b) ? a + b : v;
}
DEV_FN real op_lt(real a, real b) { const flag h = a < b; return condition_(h, a, b); }
DEV_FN real op_le(real a, real b) { const flag h = a <= b; return condition_(h, a, b); }
DEV_FN real op_eq(real a, real b) { const flag h = a == b; return condition_(h, a, b); }
DEV_FN real op_ne(real a, real b) { const flag h = a != b; return condition_(h, a, b); }
/* As in R, a missing condition does not matter where the other one decides. */
DEV_FN real op_and(real a, real b) {
  const flag decided = (a == K(0.0)) | (b == K(0.0));
  const real v = missing_(a, b) ? a + b : K(1.0);
  return decided ? K(0.0) : v;
}
DEV_FN real op_or(real a, real b) {
  const flag no = (a == K(0.0)) & (b == K(0.0)), a_holds = (a > K(0.0)) | (a < K(0.0));
  const flag holds = a_holds | (b > K(0.0)) | (b < K(0.0));
  const real v = no ? K(0.0) : a + b;
  return holds ? K(1.0) : v;
}
DEV_FN real op_not(real a) { const flag h = a == K(0.0); return condition_(h, a, a); }
DEV_FN real op_select(real c, real a, real b) {
  const real v = c != K(0.0) ? a : b;
  return c != c ? c : v;
}
DEV_FN real op_is_nan(real a) { return a != a ? K(1.0) : K(0.0); }
DEV_FN real op_min(real a, real b) {
  const real v = min_(a, b);
  return missing_(a, b) ? a + b : v;
}
DEV_FN real op_max(real a, real b) {
  const real v = max_(a, b);
  return missing_(a, b) ? a + b : v;
}
DEV_FN real op_sign(real a) {
  const real v = a > K(0.0) ? K(1.0) : a + K(0.0);
  return a < K(0.0) ? K(-1.0) : v;
}

/* ---- whole numbers; zeros keep the sign of the argument ---- */

DEV_FN real op_round(real x) { return copy_sign_(nearest_(fabs(x)), x); }
DEV_FN real op_trunc(real x) { return copy_sign_(floor_large_(fabs(x)), x); }
DEV_FN real op_floor(real x) {
  const real n = op_round(x);
  return copy_sign_(n > x ? n - K(1.0) : n, x);
}
DEV_FN real op_ceiling(real x) { return -op_floor(-x); }

/* r of x = k y + r, k whole, r 0 or of the sign of y and |r| < |y|, for 0 < |y| <= |x| finite: exact for quotients
 * up to 2^104, reduced in two steps, where k is rounded. In units that keep the product's error term from over- and
 * underflow. */
DEV_FN real modulus_(real x, real y, real *k) {
  const real size = fabs(x);
  const real small = size < K(1e-200) ? K(0x1p500) : K(1.0), unit = size > K(1e200) ? K(0x1p-500) : small;
  const real u = x * unit, v = y * unit, first = op_floor(x / y);
  real e;
  const real p = two_prod(first, v, &e), r1 = (u - p) - e;
  const real second = op_floor(r1 / v), q = two_prod(second, v, &e), r2 = (r1 - q) - e;
  /* r2/v may have been rounded up to a whole number, or r2 be just below v */
  const flag under = (r2 < K(0.0)) & (v > K(0.0)), over = (r2 > K(0.0)) & (v < K(0.0));
  const real step = (under | over) ? K(1.0) : K(0.0), r3 = FMA(step, v, r2);
  const flag full = fabs(r3) >= fabs(v);
  const real back = full ? K(1.0) : K(0.0);
  *k = first + ((second - step) + back);
  return (full ? K(0.0) : r3) / unit;
}
DEV_FN flag opposite_(real x, real y) {
  return ((x < K(0.0)) & (y > K(0.0))) | ((x > K(0.0)) & (y < K(0.0)));
}

/* x %% y: 0 or of the sign of y and less than it, y infinite too; 0 where x + y is y after rounding, but for y beyond
 * 2^52, as in R; NaN for y = 0 and infinite x. */
DEV_FN real op_mod(real x, real y) {
  real k;
  const flag infinite = fabs(x) > REAL_MAX_, inside = (fabs(x) < fabs(y)) & !infinite;
  /* R does not take the remainder of a divisor beyond 2^52 to be 0 where it rounds to it */
  const real sum = x + y, up = ((sum == y) & (fabs(y) <= SCALE_)) ? K(0.0) : sum;
  const real least = modulus_(x, y, &k), near = opposite_(x, y) ? up : x;
  const real v = inside ? near : least;
  return (infinite | (y == K(0.0)) | missing_(x, y)) ? NAN_ : v;
}
/* x %/% y: x/y where y = 0, the quotient is infinite or beyond 2^52. */
DEV_FN real op_intdiv(real x, real y) {
  real k;
  const real q = x / y, near = opposite_(x, y) ? K(-1.0) : K(0.0);
  (void)modulus_(x, y, &k);
  const flag none = (y == K(0.0)) | !(fabs(q) < K(4503599627370496.0)), inside = fabs(x) < fabs(y);
  const real v = inside ? near : k;
  return none ? q : v;
}

/* ---- tables: their size, then their elements ---- */

/* The place, from 0 on, of the last element that is at most x, of elements in ascending order: 0 where there is none.
 * All lanes take the same steps. */
DEV_FN real op_find(real x, DEV_GLOBAL const real *table) {
  i32 place = 0, jump;
  for (i32 left = (i32)table[0]; left > 1; left -= jump) {
    jump = left / 2;
    place += table[1 + place + jump] <= x ? jump : 0;
  }
  return (real)place;
}
/* The element at a place; NaN where there is none. */
DEV_FN real op_at(real place, DEV_GLOBAL const real *table) {
  const flag there = (place >= K(0.0)) & (place < table[0]);
  const real value = table[1 + (i32)(there ? place : K(0.0))];
  return there ? value : NAN_;
}

/* ---- logarithms ---- */

/* log(y (1 + y_rel)) + shift log 2, y normal, positive and finite, |y_rel| <= 2^-51, as a sum of two doubles,
 * relative error 6e-20: log(1 + f) = 2 s + s^3 (2/3 + 2 s^2/5 + ...), s = f/(2 + f), of which only the rest of the
 * series, less than 2e-4 of the value, is one double. */
DEV_FN real log_pair_(real y, real y_rel, real shift, real *lo) {
  real f, d_lo, e, z_lo, u_lo, c_lo, t_lo, e1, e2;
  const real k = log_reduce_(y, &f) + shift, d = fast_two_sum(K(2.0), f, &d_lo), v = K(1.0) / d, s = f * v;
  const real p = two_prod(s, d, &e), s_lo = (((f - p) - e) - s * d_lo) * v;
  const real z = dd_mul(s, s_lo, s, s_lo, &z_lo), z2 = z * z, z4 = z2 * z2;
  const real u = fast_two_sum(K(0.6666666666666666), z * ATANH_R(z, z2, z4), &u_lo);
  const real c = dd_mul(s, s_lo, z, z_lo, &c_lo), t = dd_mul(c, c_lo, u, u_lo + K(3.700743415417188e-17), &t_lo);
  const real h1 = two_sum(k * LN2_R1, K(2.0) * s, &e1), h2 = two_sum(h1, t, &e2);
  return fast_two_sum(h2, FMA(k, LN2_R2, e1 + e2) + (t_lo + FMA(K(2.0), s_lo, y_rel)), lo);
}

/* log(1 + f) + *lo, error 0.1 ulp, f as log_reduce_() leaves it */
DEV_FN real log_fraction_(real f, real *lo) {
  real e, a_lo;
  const real s = f / (K(2.0) + f), z = s * s, z2 = z * z, z4 = z2 * z2, h = two_prod(K(0.5) * f, f, &e);
  const real a = fast_two_sum(f, -h, &a_lo);
  return fast_two_sum(a, FMA(s, FMA(z, LOG_R(z, z2, z4), h), a_lo - e), lo);
}
/* Logarithms to another base, error 0.59 / 0.59 ulp: k times unit (in two parts) + log(1 + f)/log(base). Whole
 * results are exact. */
DEV_FN real log_to_base_(real x, real unit, real unit_lo, real scale, real scale_lo) {
  const flag tiny = x < REAL_MIN_;
  real f, l_lo, e, g;
  const real k = log_reduce_(tiny ? x * LIFT_BY_ : x, &f) - (tiny ? LIFT_ : K(0.0));
  const real l = log_fraction_(f, &l_lo), p = two_prod(l, scale, &e), sum = two_sum(k * unit, p, &g);
  const real v = sum + (g + (e + FMA(l, scale_lo, FMA(l_lo, scale, k * unit_lo)))), w = x > REAL_MAX_ ? x : v;
  const real low = x == K(0.0) ? -INF_ : NAN_;
  return x > K(0.0) ? w : low;
}
DEV_FN real op_log(real x) { return log_(x); }
DEV_FN real op_log1p(real x) {
  const real v = log1p_(x);
  return x == K(0.0) ? x : v; /* -0 at -0; likewise sin and tan */
}
DEV_FN real op_log2(real x) { return log_to_base_(x, K(1.0), K(0.0), LOG2_E, LOG2_E_LO); }
DEV_FN real op_log10(real x) { return log_to_base_(x, LOG10_2_R1, LOG10_2_R2, LOG10_E, LOG10_E_LO); }

/* log(u + c) + shift log 2, u in [2^-60, 2^1024), |c| at most some ulp of u */
DEV_FN real log_sum_shifted_(real u, real c, real shift) {
  real f, lo;
  const real k = log_reduce_(u, &f);
  const real four = real_of(sub_(0x4010000000000000, shl_(bits_of(k + ROUND_), 52))); /* 2^(2-k) */
  const real g = two_sum(f, c * four * K(0.25), &lo);
  return log_kernel_(k + shift, g, FMA(-lo, f, lo));
}

/* ---- exponentials, powers, hyperbolic functions ---- */

DEV_FN real op_exp(real x) { return exp_(x); }
DEV_FN real op_expm1(real x) { return expm1_(x); }
/* log(1 + e^x), error 1.4 / 1.4 ulp */
DEV_FN real op_log1pexp(real x) { return max_(x, K(0.0)) + log1p_(exp_(-fabs(x))); }

/* x^y, error 0.82 / 0.82 ulp: exp(y log x) with the logarithm in two doubles. */
DEV_FN real op_pow(real x, real y) {
  const real a = fabs(x), ya = fabs(y), by_two = K(0.5) * ya;
  const flag zero = a == K(0.0), infinite = a > REAL_MAX_, tiny = a < REAL_MIN_, negative = x < K(0.0);
  const real near = nearest_(ya), near_half = nearest_(by_two);
  const flag finite = ya < INF_, whole = (near == ya) & finite, odd = whole & (near_half != by_two);
  /* from there on the result is 0 or infinite for all x but 1 */
  const real up = y > K(1e20) ? K(1e20) : y, yc = y < K(-1e20) ? K(-1e20) : up;
  real l_lo, p_lo, lo;
  const real l = log_pair_(tiny ? a * LIFT_BY_ : a, K(0.0), tiny ? -LIFT_ : K(0.0), &l_lo);
  const real p = two_prod(yc, l, &p_lo), hi = fast_two_sum(p, FMA(yc, l_lo, p_lo), &lo);
  const real regular = exp_sum_times_(K(1.0), hi, lo), at_end = (y < K(0.0)) == zero ? INF_ : K(0.0);
  const real size = (zero | infinite) ? at_end : regular, power = (negative & odd) ? -size : size;
  const real v = (missing_(x, y) | (negative & !whole)) ? NAN_ : power, w = y == K(2.0) ? x * x : v;
  return ((x == K(1.0)) | (y == K(0.0))) ? K(1.0) : w;
}

/* With a = n log 2 + r >= 0, u = e^r - 1, w = 1 - e^-r and t = 4^-n,
 *     e^a -+ e^-a = 2^n ((1 -+ t) + (u +- t w)),
 * where nothing cancels. The two sums in two doubles; 2^(n-1) is the product of *scale and *scale_more. */
DEV_FN real sinh_cosh_(real a, real *s_lo, real *c, real *c_lo, real *scale, real *scale_more) {
  const real b = a > K(720.0) ? K(720.0) : a, n = FMA(b, LOG2E_, ROUND_) - ROUND_;
  real r_lo, u_lo, d_lo, e, b_lo, h_lo, m_lo, p_lo;
  const real r = reduce_ln2_(b, n, &r_lo), u = fast_two_sum(r, expm1_kernel_(r, r_lo), &u_lo);
  const real d = fast_two_sum(K(1.0), u, &d_lo), v = K(1.0) / d, w = u * v, p = two_prod(w, d, &e);
  const real w_lo = (((u - p) - e) + FMA(-w, d_lo + u_lo, u_lo)) * v;
  const real t = pow2_(FMA(K(-2.0), min_(n, K(400.0)), ROUND_)), tw = t * w, tw_lo = t * w_lo;
  const real minus = fast_two_sum(K(1.0), -t, &m_lo), plus = fast_two_sum(K(1.0), t, &p_lo);
  const real sum = two_sum(u, tw, &b_lo), sinh_hi = two_sum(minus, sum, &h_lo);
  const real s = fast_two_sum(sinh_hi, h_lo + (b_lo + (m_lo + (u_lo + tw_lo))), s_lo);
  const real rest = two_sum(u, -tw, &b_lo), cosh_hi = two_sum(plus, rest, &h_lo);
  *c = fast_two_sum(cosh_hi, h_lo + (b_lo + (p_lo + (u_lo - tw_lo))), c_lo);
  const real m = n - K(1.0), th = FMA(m, K(0.5), ROUND_), tl = (m - (th - ROUND_)) + ROUND_;
  *scale = pow2_(th);
  *scale_more = pow2_(tl);
  return s;
}
/* error 0.90 / 0.90 ulp */
DEV_FN real op_sinh(real x) {
  const real a = fabs(x);
  real s_lo, c, c_lo, scale, more;
  const real v = sinh_cosh_(a, &s_lo, &c, &c_lo, &scale, &more) * scale * more;
  return a < K(1e-10) ? x : copy_sign_(v, x);
}
/* error 0.68 / 0.68 ulp */
DEV_FN real op_cosh(real x) {
  real s_lo, c, c_lo, scale, more;
  (void)sinh_cosh_(fabs(x), &s_lo, &c, &c_lo, &scale, &more);
  return c * scale * more;
}
/* error 0.88 / 0.88 ulp: the quotient and its remainder */
DEV_FN real op_tanh(real x) {
  const real a = fabs(x);
  real s_lo, c, c_lo, scale, more, e;
  const real s = sinh_cosh_(a, &s_lo, &c, &c_lo, &scale, &more);
  const real v = K(1.0) / c, q = s * v, p = two_prod(q, c, &e);
  const real t = FMA(((s - p) - e) + FMA(-q, c_lo, s_lo), v, q);
  return a < K(1e-10) ? x : copy_sign_(t, x);
}

/* log(1 + q) for q = x + (sqrt(1 + x^2) - 1), error 1.1 / 1.1 ulp; log(2 x) beyond 1e10, where the rest is below
 * 3e-21 */
DEV_FN real op_asinh(real x) {
  const real a = fabs(x);
  const flag large = a > K(1e10);
  const real b = large ? K(1e10) : a, z = b * b, root = sqrt(K(1.0) + z), t = z / (K(1.0) + root);
  real c, t_lo;
  const real q = two_sum(b, t, &t_lo), u = two_sum(K(1.0), q, &c);
  const real v = log_sum_shifted_(large ? a : u, large ? K(0.0) : c + t_lo, large ? K(1.0) : K(0.0));
  const real w = a < K(1e-10) ? a : v;
  return copy_sign_(a > REAL_MAX_ ? a : w, x);
}
/* likewise, with q = (x - 1) + sqrt((x - 1)(x + 1)), error 0.76 / 0.76 ulp */
DEV_FN real op_acosh(real x) {
  const real b = min_(x, K(1e10)), t = b - K(1.0);
  const flag large = x > K(1e10);
  real d_lo, w_lo, e, q_lo, c;
  const real d = two_sum(t, K(2.0), &d_lo), w = two_prod(t, d, &w_lo), s = sqrt(w), back = two_prod(s, s, &e);
  const real s_lo = (((w - back) - e) + FMA(t, d_lo, w_lo)) / (K(2.0) * max_(s, K(1e-20)));
  const real q = two_sum(s, t, &q_lo), u = two_sum(K(1.0), q, &c);
  const real v = log_sum_shifted_(large ? x : u, large ? K(0.0) : c + (q_lo + s_lo), large ? K(1.0) : K(0.0));
  const real r = x > REAL_MAX_ ? x : v;
  return x >= K(1.0) ? r : NAN_;
}
/* log(1 + 2 x/(1 - x))/2, error 0.81 / 0.81 ulp */
DEV_FN real op_atanh(real x) {
  const real a = fabs(x), b = min_(a, K(0.9999999999999999));
  real d_lo, e, c;
  const real d = fast_two_sum(K(1.0), -b, &d_lo), v = K(1.0) / d, q = K(2.0) * b * v, p = two_prod(q, d, &e);
  const real q_lo = (((K(2.0) * b - p) - e) - q * d_lo) * v, u = two_sum(K(1.0), q, &c);
  const real l = K(0.5) * log_sum_shifted_(u, c + q_lo, K(0.0)), near = a < K(1e-10) ? a : l;
  const real end = a == K(1.0) ? INF_ : NAN_;
  return copy_sign_(a < K(1.0) ? near : end, x);
}

/* ---- trigonometric functions ---- */

/* Beyond FAR_ANGLE_ = 2^20 pi/2 elementary.h has no reduction. A device branches there. In C that would keep a
 * LANE_LOOP from becoming vector code, so that op_sin(), op_cos() and op_tan() are NaN there and the functions
 * op_<name>_lanes(), of a whole block, are to be called instead. */
#define FAR_ANGLE_ K(1647099.0)
#define BLOCK_OPS(X) X(sin) X(cos) X(tan)

DEV_CONST u64 two_by_pi_[] = {TWO_BY_PI_WORDS};

DEV_FN u64 high_product_(u64 a, u64 b) {
  const u64 al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
  const u64 mid = ah * bl + ((al * bl) >> 32), more = al * bh + (mid & 0xffffffffu);
  return ah * bh + (mid >> 32) + (more >> 32);
}

/* x = k pi/2 + y + lo, |y| <= pi/4, k modulo 4, for finite |x| > FAR_ANGLE_ (M. H. Payne and R. N. Hanek, Radian
 * reduction for trigonometric functions, 1983). |x| = m 2^e with m of 64 bits; of 2/pi the bits whose products with m
 * are multiples of 4 are passed over and 192 more used: x 2/pi modulo 4 has an error below 2^-125, and no double is
 * nearer than 2^-62 to a multiple of pi/2. */
DEV_FN word reduce_far_(real x, real *y, real *lo) {
  const word b = bits_of(fabs(x));
  const u64 m = ((u64)(b & (shl_(1, EXPONENT_AT_) - 1)) | ((u64)1 << EXPONENT_AT_)) << 11;
  const i32 place = (i32)((u64)b >> EXPONENT_AT_) - (1023 + 63) - 2 + 64; /* the first word is of zeros */
  const i32 j = place >> 6, shift = place & 63;
#define BITS_FROM(i) ((two_by_pi_[i] << shift) | ((two_by_pi_[(i) + 1] >> 1) >> (63 - shift)))
  const u64 w0 = BITS_FROM(j), w1 = BITS_FROM(j + 1), w2 = BITS_FROM(j + 2);
#undef BITS_FROM
  const u64 l1 = m * w1, f_lo = l1 + high_product_(m, w2);
  const u64 f_hi = m * w0 + high_product_(m, w1) + (f_lo < l1 ? 1u : 0u); /* the fraction of x/(2 pi) */
  const u64 k = (f_hi + ((u64)1 << 61)) >> 62;
  u64 g_hi = (f_hi << 2) | (f_lo >> 62), g_lo = f_lo << 2; /* the rest, a signed fraction */
  const flag minus = (g_hi >> 63) != 0;
  if (minus) {
    g_lo = ~g_lo + 1u;
    g_hi = ~g_hi + (g_lo == 0 ? 1u : 0u);
  }
  real e1, e2, e;
  const real h1 = fast_two_sum((real)(g_hi >> 32) * K(0x1p-32), (real)(g_hi & 0xffffffffu) * K(0x1p-64), &e1);
  const real tail = (real)(g_lo >> 32) * K(0x1p-96) + (real)(g_lo & 0xffffffffu) * K(0x1p-128);
  const real h = fast_two_sum(h1, e1 + tail, &e2), p = two_prod(h, PIO2_, &e);
  const real hi = fast_two_sum(p, FMA(h, PIO2_LO_, FMA(e2, PIO2_, e)), &e1);
  const flag turned = minus != (x < K(0.0));
  *y = turned ? -hi : hi;
  *lo = turned ? -e1 : e1;
  return x < K(0.0) ? -(word)k : (word)k;
}

/* tan(k pi/2 + y + lo), error 0.94 / 1.0 ulp: the quotient and its remainder */
DEV_FN real tan_quadrant_(word k, real y, real lo) {
  real s, c, s_lo, c_lo, e;
  sincos_kernel_(y, lo, &s, &s_lo, &c, &c_lo);
  const real num = odd_select_(k, c, s), den = odd_select_(k, s, c), v = K(1.0) / den, q = num * v;
  const real p = two_prod(q, den, &e);
  const real rest = ((num - p) - e) + FMA(-q, odd_select_(k, s_lo, c_lo), odd_select_(k, c_lo, s_lo));
  return flip_sign_(FMA(rest, v, q), k);
}
/* error 0.76 / 0.79 ulp */
DEV_FN real sin_far_(real x) {
  real y, lo, s, c;
  const word k = reduce_far_(x, &y, &lo);
  sincos_quadrant_(k, y, lo, &s, &c);
  return s + (x - x);
}
DEV_FN real cos_far_(real x) {
  real y, lo, s, c;
  const word k = reduce_far_(x, &y, &lo);
  sincos_quadrant_(k, y, lo, &s, &c);
  return c + (x - x);
}
DEV_FN real tan_far_(real x) {
  real y, lo;
  const word k = reduce_far_(x, &y, &lo);
  return tan_quadrant_(k, y, lo) + (x - x);
}
DEV_FN real sin_near_(real x) {
  const real v = sin_(x);
  return x == K(0.0) ? x : v;
}
DEV_FN real cos_near_(real x) { return cos_(x); }
DEV_FN real tan_near_(real x) {
  const real v = tan_(x);
  return x == K(0.0) ? x : v;
}
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define NEAR_OR_FAR(name)                                                                                    \
  DEV_FN real op_##name(real x) {                                                                            \
    if (fabs(x) <= FAR_ANGLE_) return name##_near_(x);                                                       \
    return fabs(x) <= REAL_MAX_ ? name##_far_(x) : NAN_;                                                     \
  }
#else
#define NEAR_OR_FAR(name)                                                                                    \
  DEV_FN real op_##name(real x) {                                                                            \
    const real v = name##_near_(x);                                                                          \
    return fabs(x) <= FAR_ANGLE_ ? v : NAN_;                                                                 \
  }                                                                                                          \
  DEV_BLOCK_FN void op_##name##_lanes(const real *x, real *r) {                                              \
    real v[LANES];                                                                                           \
    i32 far = 0;                                                                                             \
    LANE_LOOP(l) v[l] = op_##name(x[l]);                                                                     \
    for (i32 l = 0; l < LANES; l++) far += fabs(x[l]) > FAR_ANGLE_;                                          \
    if (far > 0)                                                                                             \
      for (i32 l = 0; l < LANES; l++)                                                                        \
        if (fabs(x[l]) > FAR_ANGLE_ && fabs(x[l]) <= REAL_MAX_) v[l] = name##_far_(x[l]);                    \
    copy_reals(r, v, LANES);                                                                                 \
  }
#endif
BLOCK_OPS(NEAR_OR_FAR)

DEV_FN real op_sinpi(real x) { return sinpi_(x); }
DEV_FN real op_cospi(real x) { return cospi_(x); }
/* error 0.91 / 0.92 ulp; NaN halfway between whole numbers, as R has it */
DEV_FN real op_tanpi(real x) {
  real r, e;
  const word k = reduce_half_(x, &r);
  const real y = two_prod(r, PI_, &e);
  return tan_quadrant_(k, y, FMA(r, PI_LO_, e));
}

/* asin(s) = s + *rest, s = a up to 1/2 and sqrt((1 - a)/2) above, with the root's rounding error in *rest: there
 * asin(a) = pi/2 - 2 asin(s). Errors of asin and acos: 0.64 / 0.64 ulp. */
DEV_FN real asin_parts_(real a, real *rest) {
  const flag big = a > K(0.5);
  const real z = big ? K(0.5) * (K(1.0) - a) : a * a, z2 = z * z, z4 = z2 * z2, root = sqrt(z), s = big ? root : a;
  real e;
  const real p = two_prod(root, root, &e), lo = ((z - p) - e) / (K(2.0) * max_(root, K(1e-20)));
  *rest = FMA(s * z, ASIN_P(z, z2, z4), big ? lo : K(0.0));
  return s;
}
DEV_FN real op_asin(real x) {
  const real a = fabs(x);
  real rest, e;
  const real s = asin_parts_(a, &rest), hi = fast_two_sum(PIO2_, K(-2.0) * s, &e);
  const real far = hi + (e + FMA(K(-2.0), rest, PIO2_LO_)), near = s + rest;
  return copy_sign_(a > K(0.5) ? far : near, x);
}
DEV_FN real op_acos(real x) {
  const real a = fabs(x);
  const flag big = a > K(0.5), left = x < K(0.0);
  real rest, e;
  const real s0 = asin_parts_(a, &rest), twice = big ? K(2.0) : K(1.0), s = (left & !big) ? -s0 : s0;
  const real r = twice * ((left & !big) ? -rest : rest), base = big ? PI_ : PIO2_;
  const real hi = fast_two_sum(base, -twice * s, &e), far = hi + (e + ((big ? PI_LO_ : PIO2_LO_) - r));
  return (big & !left) ? FMA(K(2.0), s, r) : far;
}

/* Angle of the point (x, y), error 0.66 / 0.66 ulp, 1.5 ulp where |y/x| < 1e-80: j pi/4 -+ atan(q), q with
 * its rounding error and |q| <= sqrt(2) - 1. All quadrants, C99's values at zeros and infinities. */
DEV_FN real op_atan2(real y, real x) {
  const real ay = fabs(y), ax = fabs(x), most = ay < ax ? ax : ay, least = ay < ax ? ay : ax;
  const flag steep = ay > ax, left = copy_sign_(K(1.0), x) < K(0.0), infinite = most > REAL_MAX_;
  const real large = most > K(1e200) ? K(0x1p-300) : K(1.0), unit = most < K(1e-200) ? K(0x1p700) : large;
  const real at_end = least > REAL_MAX_ ? K(1.0) : least - least;
  const real a = infinite ? at_end : least * unit, b = (infinite | (most == K(0.0))) ? K(1.0) : most * unit;
  const flag upper = a > K(0.41421356237309503) * b;
  real n_lo, d_lo, e, base_lo;
  const real num = two_sum(a, upper ? -b : K(0.0), &n_lo), den = fast_two_sum(b, upper ? a : K(0.0), &d_lo);
  const real v = K(1.0) / den, q = num * v, p = two_prod(q, den, &e), z = q * q, z2 = z * z, z4 = z2 * z2;
  const real q_lo = (((num - p) - e) + FMA(-q, d_lo, n_lo)) * v; /* useless where the product underflows */
  const real slope = FMA(z, z - K(1.0), K(1.0)), first = a < K(1e-280) ? K(0.0) : q_lo * slope;
  const real rest = FMA(q * z, ATAN_A(z, z2, z4), first);
  const real up = upper ? K(1.0) : K(0.0), j0 = steep ? K(2.0) - up : up, j = left ? K(4.0) - j0 : j0;
  const real turn = (steep != left) ? K(-1.0) : K(1.0);
  const real angle = fast_two_sum(j * PIO4_, turn * q, &base_lo); /* PIO4_ has 50 bits: its multiples are exact */
  const real w = angle + FMA(turn, rest, FMA(j, PIO4_LO_, base_lo));
  return copy_sign_(j == K(0.0) ? q + rest : w, y);
}
DEV_FN real op_atan(real x) { return op_atan2(x, K(1.0)); }

/* ---- gamma functions ---- */

/* x (x + 1) ... (x + 7) in two doubles, relative error 3e-31, for -1/2 <= x + x_lo <= 9: w (w + 6) (w + 10) (w + 12),
 * w = x (x + 7) */
DEV_FN real rising_(real x, real x_lo, real *lo) {
  real s_lo, w_lo, e1, e2, e3, m_lo, n_lo;
  const real s = two_sum(x, K(7.0), &s_lo), w = two_prod(x, s, &w_lo);
  const real low = w_lo + FMA(x, s_lo, x_lo * (x + s));
  const real w1 = two_sum(w, K(6.0), &e1), w2 = two_sum(w, K(10.0), &e2), w3 = two_sum(w, K(12.0), &e3);
  const real m = dd_mul(w, low, w3, e3 + low, &m_lo), n = dd_mul(w1, e1 + low, w2, e2 + low, &n_lo);
  return dd_mul(m, m_lo, n, n_lo, lo);
}

/* S(y) = log y! - log(sqrt(2 pi y) (y/e)^y) for y >= 8, v = 1/y; error 1.7 ulp */
DEV_FN real stirling_far_(real v) {
  const real z = v * v, z2 = z * z, z4 = z2 * z2;
  return FMA(v, TWELFTH, FMA(v, TWELFTH_LO, v * z * STIRLING_P(z, z2, z4)));
}

/* Gamma(x) = sqrt(2 pi) y^(y - 1/2) exp(S(y) - y)/(x (x + 1) ... (x + 7)), y = x + 8, or without the quotient from 8
 * on, the exponent in two doubles, error 3.5 / 3.5 ulp; x < -1/2 by Gamma(x) Gamma(-x) = -pi/(x sin(pi x)). */
DEV_FN real op_gamma(real x) {
  const real a = fabs(x);
  const flag reflect = x < K(-0.5);
  const real g = reflect ? a : x, c = g > K(1000.0) ? K(1000.0) : g;
  const flag small = c < K(8.0);
  real y_lo, l_lo, p_lo, e_lo, lo, r_lo;
  const real y = two_sum(c, small ? K(8.0) : K(0.0), &y_lo), v = K(1.0) / y;
  const real l = log_pair_(y, y_lo * v, K(0.0), &l_lo), p = dd_mul(y - K(0.5), y_lo, l, l_lo, &p_lo);
  const real e = two_sum(p, -y, &e_lo), low = stirling_far_(v) + ((p_lo + e_lo) - y_lo);
  const real hi = fast_two_sum(e, low, &lo);
  const real r = rising_(small ? c : K(1.0), K(0.0), &r_lo), product = small ? r : K(1.0);
  const real s = sinpi_(a), below = -ROOT_PIO2_ * product / (a * s), above = ROOT_2PI_ / product;
  const real w = exp_sum_times_(reflect ? below : above, reflect ? -hi : hi, reflect ? -lo : lo);
  const real u = a < K(1e-17) ? K(1.0) / x : w;
  const flag pole = (x <= K(0.0)) & (s == K(0.0));
  return pole ? NAN_ : u;
}

/* log|Gamma(x)|: lgam_() for x > 0; for x < 0 the error is 2^-53 3.7 times the largest of 1, the value and log
 * Gamma(1 - x): by Gamma(x) = Gamma(1 + x)/x for -1/2 < x < 0, below by reflection */
DEV_FN real op_lgamma(real x) {
  const real a = fabs(x), s = fabs(sinpi_(a));
  const flag positive = x > K(0.0), near = x > K(-0.5);
  const real left = near ? K(1.0) + x : a, g = lgam_(positive ? x : left);
  const real part = near ? a : PI_ / (a * s), l = log_(positive ? K(1.0) : part);
  const real below = near ? g - l : l - g;
  const flag pole = (x <= K(0.0)) & ((s == K(0.0)) | (a > REAL_MAX_));
  const real v = positive ? g : below;
  return pole ? INF_ : v;
}

/* log B(a, b), with p <= q, s = p + q and S of Stirling's formula. From p = 8 on
 *     log(2 pi/q)/2 + (p - 1/2) log(p/s) + q log(q/s) + S(p) + S(q) - S(s),
 * else log Gamma(p) + (log Gamma(q) - log Gamma(s)), for q < 8 from the values at q + 8. Error 2^-53 4.6 times the
 * largest of 1, the value and, for p < 8, |log Gamma(p)| + p log(q + 8). */
DEV_FN real op_lbeta(real a, real b) {
  const real p = min_(a, b), q = max_(a, b), ratio = p / max_(q, REAL_MIN_);
  const flag both = p >= K(8.0), small = q < K(8.0);
  const real r = small ? q + K(8.0) : q, t = p + r; /* t may be infinite; 1/t is then 0 */
  const real share = ratio / (K(1.0) + ratio);
  real e;
  const real top = rising_(small ? p + q : K(1.0), K(0.0), &e), bottom = rising_(small ? q : K(1.0), K(0.0), &e);
  const real lq = log1p_(small ? p / r : ratio), l = log_(both ? share : top / bottom), m = log_(both ? q : t);
  const real rest = stirling_far_(K(1.0) / r) - stirling_far_(K(1.0) / t);
  const real more = LOG_2PI_HALF_ + (stirling_far_(K(1.0) / max_(p, K(8.0))) + rest);
  const real far = FMA(p - K(0.5), l, FMA(-q, lq, FMA(K(-0.5), m, more)));
  const real near = lgam_(p) + (l + (FMA(-(r - K(0.5)), lq, p) + FMA(-p, m, rest)));
  const real v = both ? far : near, w = q > REAL_MAX_ ? -INF_ : v, u = p == K(0.0) ? INF_ : w;
  return (missing_(a, b) | (p < K(0.0))) ? NAN_ : u;
}

/* psi(x): log x - 1/(2 x) - S(1/x^2)/x^2 from 8 on; for 3 <= x < 8 from psi(x + 8); on [1, 2] (x - root) P(x), and
 * from there for 0 < x < 1 and 2 < x < 3: error 5.6 / 5.6 ulp, next to the root too; psi(1 - x) = psi(x) + pi
 * cot(pi x), where the error is 2^-53 5 times the largest of 1 and the terms. */
DEV_FN real op_digamma(real x) {
  const flag negative = x < K(0.0);
  const real a = negative ? K(1.0) - x : x;
  const flag low = a < K(1.0), centre = a < K(3.0), shifted = a < K(8.0), high = a > K(2.0);
  const real y = shifted ? a + K(8.0) : a, v = K(1.0) / y, z = v * v, z2 = z * z, z4 = z2 * z2;
  const real w = a * (a + K(7.0)), w1 = w + K(6.0), w2 = w + K(10.0), w3 = w + K(12.0);
  const real top = FMA(w + w3, w1 * w2, (w1 + w2) * (w * w3));
  const real sum = FMA(K(2.0), a, K(7.0)) * top / ((w * w3) * (w1 * w2));
  const real less = FMA(z, DIGAMMA_S(z, z2, z4), FMA(K(0.5), v, shifted ? sum : K(0.0)));
  real f, l_lo, e, g;
  const real k = log_reduce_(y, &f), l = log_fraction_(f, &l_lo), l1 = two_sum(k * LN2_R1, l, &e);
  const real l2 = two_sum(l1, -less, &g), far = l2 + (g + (e + FMA(k, LN2_R2, l_lo)));
  const real c = low ? a + K(1.0) : (high ? a - K(1.0) : a), t = c - K(1.5), t2 = t * t, t4 = t2 * t2;
  const real psi = ((c - DIGAMMA_ROOT) - DIGAMMA_ROOT_LO) * DIGAMMA_P(t, t2, t4);
  const real step = high ? K(1.0) / c : K(0.0), near = psi + (low ? K(-1.0) / a : step);
  const real u = centre ? near : far;
  real s, cs;
  sincospi_(x, &s, &cs);
  const real below = FMA(-PI_, cs / s, u), r = negative ? below : u, q = fabs(x) < K(1e-20) ? K(-1.0) / x : r;
  const real value = x > REAL_MAX_ ? x : q;
  const flag pole = (x <= K(0.0)) & (s == K(0.0));
  return pole ? NAN_ : value;
}

/* psi'(x): 1/x + 1/(2 x^2) + T(1/x^2)/x^3 from 8 on, else from x + 8 and a sum of squares of 1/(x + k), in pairs;
 * psi'(1 - x) = pi^2/sin(pi x)^2 - psi'(x). Error 4.7 / 5.2 ulp. */
DEV_FN real op_trigamma(real x) {
  const flag negative = x < K(0.0);
  const real a = negative ? K(1.0) - x : x;
  const flag shifted = a < K(8.0);
  const real y = shifted ? a + K(8.0) : a, v = K(1.0) / y, z = v * v, z2 = z * z, z4 = z2 * z2;
  const real far = FMA(z, FMA(v, TRIGAMMA_S(z, z2, z4), K(0.5)), v);
  const real w = a * (a + K(7.0)), v0 = K(1.0) / w, v1 = K(1.0) / (w + K(6.0)), v2 = K(1.0) / (w + K(10.0));
  const real v3 = K(1.0) / (w + K(12.0)), d = K(2.0) * w;
  const real sum = FMA((d + K(37.0)) * v1, v1, FMA((d + K(29.0)) * v2, v2, (d + K(25.0)) * v3 * v3));
  const real u = shifted ? FMA((d + K(49.0)) * v0, v0, sum + far) : far;
  const real s = sinpi_(x), h = PI_ / s, below = FMA(h, h, -u), r = negative ? below : u;
  const flag pole = (x <= K(0.0)) & ((s == K(0.0)) | (fabs(x) > REAL_MAX_));
  const real value = x > REAL_MAX_ ? K(0.0) : r;
  return pole ? INF_ : value;
}

/* log n! - log(sqrt(2 pi n) (n/e)^n), real n >= 0; below 8 from the value at n + 8:
 * S(n) = S(n + 8) + (n + 1/2) log((n + 8)/n) + log((n + 8)^8/((n + 1) ... (n + 8))) - 8, in two doubles. Error
 * 1.5 / 1.7 ulp. */
DEV_FN real op_stirling_error(real n) {
  const real c = clamp_(n, K(1e-20), K(8.0));
  real y_lo, x_lo, r_lo, q_lo, p_lo, f_lo, l_lo, m_lo, s_lo, t_lo, lo;
  const real y = two_sum(c, K(8.0), &y_lo), x = two_sum(c, K(1.0), &x_lo), r = rising_(x, x_lo, &r_lo);
  const real y2 = dd_mul(y, y_lo, y, y_lo, &q_lo), y4 = dd_mul(y2, q_lo, y2, q_lo, &p_lo);
  const real y8 = dd_mul(y4, p_lo, y4, p_lo, &q_lo), f = dd_div(y8, q_lo, r, r_lo, &f_lo);
  const real quotient = dd_div(y, y_lo, c, K(0.0), &q_lo), l = log_pair_(quotient, q_lo / quotient, K(0.0), &l_lo);
  const real m = log_pair_(f, f_lo / f, K(0.0), &m_lo), h = two_sum(c, K(0.5), &t_lo);
  const real s = dd_mul(h, t_lo, l, l_lo, &s_lo), u = dd_add(s, s_lo, m, m_lo, &lo), w = two_sum(u, K(-8.0), &t_lo);
  const real near = w + (t_lo + lo + stirling_far_(K(1.0) / y));
  const real tiny = FMA(K(-0.5), log_(n), -LOG_2PI_HALF_), low = n < K(1e-18) ? tiny : near;
  const real v = n < K(8.0) ? low : stirling_far_(K(1.0) / n);
  return n >= K(0.0) ? v : NAN_;
}

/* x log(x/m) + m - x, x >= 0, m > 0, error 2.1 / 2.5 ulp. With d = x - m and s = d/(x + m) it is
 * d s + 2 x s^3 (1/3 + s^2/5 + ...) near m (C. Loader, Fast and accurate computation of binomial probabilities,
 * 2000); elsewhere the logarithm of the ratio is made in two doubles. In units that keep products from over- and
 * underflow. */
DEV_FN real op_deviance(real x, real m) {
  const real most = max_(x, m);
  const flag large = most > K(1e200), small = most < K(1e-200), none = x == K(0.0);
  const real unit = large ? K(0x1p-300) : (small ? K(0x1p300) : K(1.0));
  const real back = large ? K(0x1p300) : (small ? K(0x1p-300) : K(1.0));
  const real u = x * unit, v = m * unit, d = u - v, s = d / (u + v), z = s * s, z2 = z * z, z4 = z2 * z2;
  const real rest = FMA(z, ATANH_R(z, z2, z4), K(0.6666666666666666));
  const real near = FMA(d, s, u * s * (z * rest));
  const flag close = fabs(s) < K(0.01), x_tiny = x < REAL_MIN_, m_tiny = m < REAL_MIN_;
  real fx, fm, q_lo, l_lo, p_lo, d_lo, g, lo;
  const real kx = log_reduce_(x_tiny ? x * LIFT_BY_ : x, &fx) - (x_tiny ? LIFT_ : K(0.0)), gx = fx + K(1.0);
  const real km = log_reduce_(m_tiny ? m * LIFT_BY_ : m, &fm) - (m_tiny ? LIFT_ : K(0.0)), gm = fm + K(1.0);
  const real q = dd_div(gx, K(0.0), gm, K(0.0), &q_lo), l = log_pair_(q, q_lo / q, kx - km, &l_lo);
  const real p = two_prod(u, l, &p_lo), gap = two_sum(v, -u, &d_lo), sum = two_sum(p, gap, &g);
  lo = g + (d_lo + FMA(u, l_lo, p_lo));
  const real value = back * (close ? near : sum + lo), w = none ? m : value;
  const flag outside = (x < K(0.0)) | (m < K(0.0)) | missing_(x, m), both = (x > REAL_MAX_) & (m > REAL_MAX_);
  const real r = most > REAL_MAX_ ? INF_ : w, t = ((m == K(0.0)) & !none) ? INF_ : r;
  return (outside | both) ? NAN_ : t;
}

/* ---- the normal distribution ---- */

/* exp(-z^2/2) m, the square in two doubles */
DEV_FN real normal_factor_(real z, real m) {
  const real a = fabs(z), c = a > K(50.0) ? K(50.0) : a;
  real lo;
  const real hi = two_prod(c, c, &lo);
  return exp_sum_times_(m, K(-0.5) * hi, K(-0.5) * lo);
}
/* error 1.9 / 1.9 ulp, at denormal values too */
DEV_FN real op_norm_density(real z) { return normal_factor_(z, ROOT_2PI_INV_); }

/* e^(z^2/2) times the tail beyond z >= 0: erfcx(x)/2, x = z/sqrt 2 with its rounding error, erfcx' = 2 x erfcx -
 * 2/sqrt(pi) */
DEV_FN real normal_mills_(real z) {
  real lo;
  const real x = two_prod(z, ROOT_HALF_, &lo), e = erfcx_core_(x);
  const real low = FMA(z, ROOT_HALF_LO_, lo), slope = FMA(x, e, K(-0.5641895835477563));
  return z < K(1e5) ? FMA(low, slope, K(0.5) * e) : K(0.5) * e;
}
/* the tail beyond |z|, and that beyond z */
DEV_FN real normal_tails_(real z, real *upper) {
  const real a = fabs(z), c = a > K(50.0) ? K(50.0) : a, x = c * ROOT_HALF_, t = min_(x * x, K(0.25));
  const real t2 = t * t, t4 = t2 * t2, part = K(0.5) * x * ERF_P(t, t2, t4);
  const real far = normal_factor_(c, normal_mills_(c));
  const flag near = x < K(0.5);
  const real smaller = near ? K(0.5) - part : far, larger = near ? K(0.5) + part : K(1.0) - far;
  *upper = z > K(0.0) ? smaller : larger;
  return smaller;
}
/* error 4.9 / 4.9 ulp */
DEV_FN real op_norm_lower(real z) {
  real lower;
  (void)normal_tails_(-z, &lower);
  return lower;
}
/* log(1 - tail) above -0.7, the logarithm of the Mills ratio and the square below: error 5.2 / 5.2 ulp */
DEV_FN real op_norm_log_lower(real z) {
  const real a = fabs(z);
  real upper, lo;
  (void)normal_tails_(z, &upper);
  const real c = min_(a, K(1e150)), hi = two_prod(c, c, &lo);
  const real far = log_plus_(normal_mills_(c), K(-0.5) * hi, K(-0.5) * lo), near = log1p_(-upper);
  const real v = z < K(-0.7) ? far : near;
  return z < K(-1e150) ? K(-0.5) * z * z : v;
}

/* Phi^-1(p), 0 <= p <= 1: normal_centre_() for 4.9e-4 < p < 1 - 4.9e-4, in the tails r P(r), r = sqrt(-log u) with u
 * the smaller of p and 1 - p. Error 3.4 / 3.4 ulp. */
DEV_FN real op_norm_quantile(real p) {
  const flag low = p < K(0.5);
  const real u = low ? p : K(1.0) - p;
  real beyond;
  const real centre = normal_centre_(u, &beyond), r = sqrt(-log_(u));
  const real t = NORMAL_TAIL_SCALE * ((r - NORMAL_TAIL_MID) / (r + NORMAL_TAIL_MID)), t2 = t * t, t4 = t2 * t2;
  const real tail = r * NORMAL_TAIL_P(t, t2, t4), w = u > K(4.9e-4) ? centre : tail, v = u == K(0.0) ? INF_ : w;
  return low ? -v : v;
}

#endif
