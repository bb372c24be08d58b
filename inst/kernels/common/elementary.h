/* elementary.h: elementary functions that vectorise. Each is inlined and has no branch, no call and no table, so a
 * LANE_LOOP around it becomes vector code at every instruction set, and every lane computes the same way.
 *
 * Polynomials: minimax, from tools/elementary_coefficients.py. "error a / b ulp" is the largest error that
 * tests/engine/test_elementary.c found against MPFR, with FMA / without, in units in the last place; the test fails
 * above a slightly larger bound. NaN gives NaN everywhere but in the _core_ functions. The first half serves
 * single precision from the same text, with errors larger by at most 0.1 ulp (test_elementary_single.c). */
#ifndef STATCL_ELEMENTARY_H
#define STATCL_ELEMENTARY_H

#include "kernels/common/dialect.h"
#if SINGLE
#include "kernels/common/elementary_coef_single.h"
#else
#include "kernels/common/elementary_coef.h"
#endif

/* The error terms below are lost when a compiler fuses a product and a sum that were written apart. */
#if defined(__clang__) && !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__)
#pragma STDC FP_CONTRACT OFF
#endif

#define PI_ K(3.141592653589793)
#define PIO2_ K(1.5707963267948966)
#define PIO4_ K(0.7853981633974483)
#define PI_INV_ K(0.3183098861837907)
#define LN2_ K(0.6931471805599453)
#define LOG2E_ K(1.4426950408889634)
#if SINGLE
#define PI_LO_ K(-8.742277657347586e-08)   /* pi - PI_ */
#define PIO2_LO_ K(-4.371138828673793e-08)
#define PIO4_LO_ K(-2.1855694143368964e-08)
#define REAL_MAX_ K(3.4028234663852886e38)
#define REAL_MIN_ K(1.1754943508222875e-38)
#define SIGN_AT_ 31                 /* place of the sign bit, and of the exponent's lowest */
#define EXPONENT_AT_ 23
#define ONE_BITS_ 0x3f800000
#define INF_BITS_ 0x7f800000
#define NAN_BITS_ 0x7fc00000
#define ROOT_HALF_BITS_ 0x3f3504f3  /* of sqrt(1/2) */
#define SCALE_BITS_ 0x4b000000      /* of 2^23 */
#define SCALE_ K(8388608.0)
#define SCALE_BIAS_ K(8388735.0)    /* SCALE_ + 127 */
#define ROUND_ K(12582912.0)
#define LIFT_ K(25.0)               /* 2^LIFT_ makes denormal numbers normal */
#define LIFT_BY_ K(33554432.0)
#define SPLIT_ K(4097.0)            /* Dekker's, for numbers of 24 bits */
#define LARGE_ K(1e33)              /* products with constants are finite up to there */
#define EXP_MOST_ K(89.0)
#define EXP_LEAST_ K(-104.0)
#define EXP_CORE_MOST_ K(87.0)
#define EXP_TIMES_LEAST_ K(-170.0)
#else
#define PI_LO_ K(1.2246467991473532e-16)
#define PIO2_LO_ K(6.123233995736766e-17)
#define PIO4_LO_ K(3.061616997868383e-17)
#define REAL_MAX_ K(1.7976931348623157e308)
#define REAL_MIN_ K(2.2250738585072014e-308)
#define SIGN_AT_ 63
#define EXPONENT_AT_ 52
#define ONE_BITS_ 0x3ff0000000000000
#define INF_BITS_ 0x7ff0000000000000
#define NAN_BITS_ 0x7ff8000000000000
#define ROOT_HALF_BITS_ 0x3fe6a09e00000000 /* lower half cleared */
#define SCALE_BITS_ 0x4330000000000000
#define SCALE_ K(4503599627370496.0)
#define SCALE_BIAS_ K(4503599627371519.0)
#define ROUND_ K(6755399441055744.0)
#define LIFT_ K(54.0)
#define LIFT_BY_ K(18014398509481984.0)
#define SPLIT_ K(134217729.0)
#define LARGE_ K(1e300)
#define EXP_MOST_ K(710.0)
#define EXP_LEAST_ K(-746.0)
#define EXP_CORE_MOST_ K(708.0)
#define EXP_TIMES_LEAST_ K(-1400.0)
#endif
#define INF_ real_of(INF_BITS_)
#define NAN_ real_of(NAN_BITS_)

/* Adding ROUND_, 1.5 * 2^52 (2^23), rounds to an integer and leaves it, as a two's complement number, in the low
 * bits. Integer operations on bits, unsigned because they may wrap (for NaN). */
#define shl_(b, n) ((word)((uword)(b) << (n)))
#define add_(a, b) ((word)((uword)(a) + (uword)(b)))
#define sub_(a, b) ((word)((uword)(a) - (uword)(b)))
#define SIGN_BIT_ shl_(1, SIGN_AT_)

/* 2^k, where t = ROUND_ + k */
DEV_FN real pow2_(real t) { return real_of(add_(shl_(bits_of(t), EXPONENT_AT_), ONE_BITS_)); }
/* Sign changed, one of two values, by bit 0 of b. */
DEV_FN real flip_sign_(real x, word b) { return real_of(bits_of(x) ^ shl_(b, SIGN_AT_)); }
DEV_FN real odd_select_(word b, real if_odd, real if_even) {
  const word mask = -(b & 1);
  return real_of((bits_of(if_odd) & mask) | (bits_of(if_even) & ~mask));
}
DEV_FN real copy_sign_(real x, real sign) {
  return real_of((bits_of(x) & ~SIGN_BIT_) | (bits_of(sign) & SIGN_BIT_));
}

DEV_FN real min_(real a, real b) { return a < b ? a : b; }
DEV_FN real max_(real a, real b) { return a > b ? a : b; }
DEV_FN real clamp_(real x, real low, real high) { return min_(max_(x, low), high); }

/* ---- error-free sums and products (Knuth; Dekker): value + *err is exact ---- */

DEV_FN real two_sum(real a, real b, real *err) {
  const real s = a + b, v = s - a;
  *err = (a - (s - v)) + (b - v);
  return s;
}
/* needs |a| >= |b| or a = 0 */
DEV_FN real fast_two_sum(real a, real b, real *err) {
  const real s = a + b;
  *err = b - (s - a);
  return s;
}
/* without FMA, |a| and |b| below 1e299 */
DEV_FN real two_prod(real a, real b, real *err) {
  const real p = a * b;
#if HAS_FMA
  *err = fma(a, b, -p);
#else
  const real ca = SPLIT_ * a, cb = SPLIT_ * b;
  const real ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
  *err = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
  return p;
}

/* ---- exponentials ---- */

/* e^r - 1 - r + first, |r| <= log(2)/2 */
DEV_FN real expm1_kernel_(real r, real first) {
  const real r2 = r * r, r4 = r2 * r2;
  return FMA(r2, EXP_Q(r, r2, r4), first);
}

/* exp(x), |x| < 708, error 0.99 / 0.99 ulp: no care for overflow, underflow or NaN. */
DEV_FN real exp_core_(real x) {
  const real t = FMA(x, LOG2E_, ROUND_), n = t - ROUND_;
  const real r = FMA(-n, LN2_R2, FMA(-n, LN2_R1, x));
  const real p = expm1_kernel_(r, r) + K(1.0);
  return real_of(add_(bits_of(p), shl_(bits_of(t), EXPONENT_AT_)));
}

/* x - n log 2 = r + lo */
DEV_FN real reduce_ln2_(real x, real n, real *lo) {
  const real a = FMA(-n, LN2_R1, x), b = n * LN2_R2, r = a - b;
  *lo = (a - r) - b;
  return r;
}

/* exp(x) for all x, error 0.72 / 0.69 ulp. Scaled in two steps, so that a denormal result is rounded once. */
DEV_FN real exp_(real x) {
  const real c = x > EXP_MOST_ ? EXP_MOST_ : (x < EXP_LEAST_ ? EXP_LEAST_ : x);
  const real n = FMA(c, LOG2E_, ROUND_) - ROUND_;
  real r_lo, lo;
  const real r = reduce_ln2_(c, n, &r_lo), hi = fast_two_sum(K(1.0), r, &lo);
  const real p = hi + (lo + expm1_kernel_(r, r_lo));
  const real th = FMA(n, K(0.5), ROUND_), tl = (n - (th - ROUND_)) + ROUND_;
  return p * pow2_(th) * pow2_(tl);
}

/* f exp(x) without rounding 1 + (exp(r) - 1), for |x| <= EXP_CORE_MOST_, error 0.94 / 1.3 ulp: f (1 + m) by, of which
 * m and by serve several f; ... */
DEV_FN real exp_core_parts_(real x, real *by) {
  const real t = FMA(x, LOG2E_, ROUND_), n = t - ROUND_;
  const real r = FMA(-n, LN2_R2, FMA(-n, LN2_R1, x));
  *by = pow2_(t);
  return expm1_kernel_(r, r);
}
DEV_FN real exp_times_core_(real x, real f) {
  real by;
  const real m = exp_core_parts_(x, &by);
  return FMA(f, m, f) * by;
}
/* ... and for all x <= 0, in two steps, so that f may make up for an exp(x) below the smallest number. */
DEV_FN real exp_far_parts_(real x, real *by, real *then) {
  const real c = x < EXP_TIMES_LEAST_ ? EXP_TIMES_LEAST_ : x;
  const real n = FMA(c, LOG2E_, ROUND_) - ROUND_, th = FMA(n, K(0.5), ROUND_), tl = (n - (th - ROUND_)) + ROUND_;
  const real r = FMA(-n, LN2_R2, FMA(-n, LN2_R1, c));
  *by = pow2_(th);
  *then = pow2_(tl);
  return expm1_kernel_(r, r);
}
DEV_FN real exp_times_far_(real x, real f) {
  real by, then;
  const real m = exp_far_parts_(x, &by, &then);
  return FMA(f, m, f) * by * then;
}

/* ---- logarithms ---- */

/* u = 2^k (1 + f), 1 + f in [sqrt 1/2, sqrt 2), for normal and positive u; k as a real */
DEV_FN real log_reduce_(real u, real *f) {
  const word b = add_(bits_of(u), ONE_BITS_ - ROOT_HALF_BITS_);
  *f = real_of((b & (shl_(1, EXPONENT_AT_) - 1)) + ROOT_HALF_BITS_) - K(1.0);
  return real_of((word)((uword)b >> EXPONENT_AT_) | SCALE_BITS_) - SCALE_BIAS_;
}

/* k log 2 + log(1 + f) + lo; log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)), s = f/(2 + f). */
DEV_FN real log_kernel_(real k, real f, real lo) {
  const real s = f / (K(2.0) + f), z = s * s, z2 = z * z, z4 = z2 * z2, h = K(0.5) * f * f;
  (void)z4; /* short polynomials do without */
  const real tail = FMA(s, FMA(z, LOG_R(z, z2, z4), h), FMA(k, LN2_R2, lo));
  return FMA(k, LN2_R1, f - (h - tail));
}

/* log(x), x normal, positive and finite: error 0.80 / 0.80 ulp. */
DEV_FN real log_core_(real x) {
  real f;
  const real k = log_reduce_(x, &f);
  return log_kernel_(k, f, K(0.0));
}

/* log(x) for all x, error 0.76 / 0.76 ulp: -Inf at 0, NaN below. */
DEV_FN real log_(real x) {
  const real shift = x < REAL_MIN_ ? LIFT_ : K(0.0);
  real f;
  const real k = log_reduce_(x < REAL_MIN_ ? x * LIFT_BY_ : x, &f);
  const real v = log_kernel_(k - shift, f, K(0.0)), w = x > REAL_MAX_ ? x : v;
  return x > K(0.0) ? w : (x == K(0.0) ? -INF_ : NAN_);
}

/* ---- trigonometric functions ---- */

/* sin and cos of y + lo, |y| <= pi/4, and their rounding errors */
DEV_FN void sincos_kernel_(real y, real lo, real *s, real *s_lo, real *c, real *c_lo) {
  const real z = y * y, z2 = z * z, z4 = z2 * z2, h = K(0.5) * z, w = K(1.0) - h;
  (void)z4;
  *s = fast_two_sum(y, FMA(y * z, SIN_S(z, z2, z4), lo * w), s_lo);
  *c = fast_two_sum(w, ((K(1.0) - w) - h) + FMA(z2, COS_C(z, z2, z4), -(y * lo)), c_lo);
}

/* sin and cos of k pi/2 + y + lo; k in the low bits of its argument */
DEV_FN void sincos_quadrant_(word k, real y, real lo, real *sin_x, real *cos_x) {
  real s, c, unused;
  sincos_kernel_(y, lo, &s, &unused, &c, &unused);
  *sin_x = flip_sign_(odd_select_(k, c, s), k >> 1);
  *cos_x = flip_sign_(odd_select_(k, s, c), add_(k, 1) >> 1);
}

/* x = k/2 + r exactly, |r| <= 1/4, k modulo 4; beyond 2 SCALE_ x is an even integer. */
DEV_FN word reduce_half_(real x, real *r) {
  const real a = fabs(x), v = a < K(2.0) * SCALE_ ? x : copy_sign_(K(0.0), x) + (x - x);
  const real scale = copy_sign_(SCALE_, x);
  const real f = FMA(K(-2.0), (FMA(K(0.5), v, scale) - scale), v);
  const real t = FMA(K(2.0), f, ROUND_);
  *r = FMA(K(-0.5), t - ROUND_, f);
  return bits_of(t);
}
/* sin(pi x) and cos(pi x) for all x, error 0.77 / 0.77 ulp. */
DEV_FN void sincospi_(real x, real *sin_pi_x, real *cos_pi_x) {
  real r, e;
  const word k = reduce_half_(x, &r);
  const real y = two_prod(r, PI_, &e);
  sincos_quadrant_(k, y, FMA(r, PI_LO_, e), sin_pi_x, cos_pi_x);
}
DEV_FN real sinpi_(real x) { real s, c; sincospi_(x, &s, &c); return s; }
DEV_FN real cospi_(real x) { real s, c; sincospi_(x, &s, &c); return c; }

/* atan(q), |q| <= sqrt(2) - 1 */
DEV_FN real atan_kernel_(real q) {
  const real z = q * q, z2 = z * z, z4 = z2 * z2;
  return FMA(q * z, ATAN_A(z, z2, z4), q);
}

/* Angle of the point (x, y), error 2.2 / 2.2 ulp, all quadrants, C99's values at zeros and infinities. */
DEV_FN real atan2_(real y, real x) {
  const real ay = fabs(y), ax = fabs(x);
  const real b0 = ay < ax ? ax : ay, a0 = ay < ax ? ay : ax;
  const real shrink = b0 > LARGE_ ? K(1e-10) : K(1.0);
  const real a1 = b0 > REAL_MAX_ ? (a0 > REAL_MAX_ ? K(1.0) : a0 - a0) : a0 * shrink;
  const real b1 = b0 > REAL_MAX_ ? K(1.0) : (b0 == K(0.0) ? K(1.0) : b0 * shrink);
  /* octant: atan(a/b) = pi/4 + atan((a - b)/(a + b)) above pi/8 */
  const real upper = a1 > K(0.41421356237309503) * b1 ? K(1.0) : K(0.0);
  const real q = FMA(-upper, b1, a1) / FMA(upper, a1, b1);
  const real p = atan_kernel_(q);
  const real v = upper * PIO4_ + (p + upper * PIO4_LO_); /* in [0, pi/4] */
  const real w = ay > ax ? PIO2_ - (v - PIO2_LO_) : v;
  const real u = copy_sign_(K(1.0), x) < K(0.0) ? PI_ - (w - PI_LO_) : w;
  return copy_sign_(u, y);
}
DEV_FN real atan_(real x) { return atan2_(x, K(1.0)); }

/* e^(x^2) erfc(x) for x >= 0: P(t)/(1/2 + x), t = (x - 15/4)/(x + 15/4) maps [0, Inf) to [-1, 1) */
DEV_FN real erfcx_core_(real x) {
  const real c = x > K(1e30) ? K(1e30) : x;
  const real t = (c - K(3.75)) / (c + K(3.75));
  const real t2 = t * t, t4 = t2 * t2;
  return ERFCX_P(t, t2, t4) / (K(0.5) + x);
}

#if !SINGLE
/* ---- from here on in double precision only ---- */

#define LOG_2PI_HALF_ K(0.9189385332046728)

/* ---- more exponentials and logarithms ---- */

/* m e^(x + lo), |lo| at most an ulp of x, 1e-150 < m < 1e150, error 0.91 / 0.91 ulp for m = 1 (that of exp_() and
 * r^4/24 of lo). Nothing overflows but the result. */
DEV_FN real exp_sum_times_(real m, real x, real x_lo) {
  const real c = x > K(1400.0) ? K(1400.0) : (x < K(-1400.0) ? K(-1400.0) : x);
  const real n = FMA(c, LOG2E_, ROUND_) - ROUND_;
  real r_lo, lo;
  const real r = reduce_ln2_(c, n, &r_lo), hi = fast_two_sum(K(1.0), r, &lo);
  const real near = FMA(r, FMA(r, FMA(r, K(1.0) / K(6.0), K(0.5)), K(1.0)), K(1.0)); /* e^r, enough for x_lo */
  const real p = hi + (lo + expm1_kernel_(r, FMA(c == x ? x_lo : K(0.0), near, r_lo)));
  const real th = FMA(n, K(0.5), ROUND_), tl = (n - (th - ROUND_)) + ROUND_;
  return (m * p) * pow2_(th) * pow2_(tl);
}

/* 1/sqrt(x), x normal and positive, error 1.9 / 2.2 ulp: a seed from the exponent and Newton's steps, faster
 * than a root and a division. */
DEV_FN real rsqrt_(real x) {
  real y = real_of(sub_(0x5fe6eb50c7b537a9, (i64)((u64)bits_of(x) >> 1)));
  y = y * FMA(K(-0.5) * x * y, y, K(1.5));
  y = y * FMA(K(-0.5) * x * y, y, K(1.5));
  y = y * FMA(K(-0.5) * x * y, y, K(1.5));
  return y * FMA(K(-0.5) * x * y, y, K(1.5));
}

/* log(m) + x + lo, m normal, positive and finite: right to an ulp also where log(m) and x cancel. */
DEV_FN real log_plus_(real m, real x, real x_lo) {
  real f, err;
  const real k = log_reduce_(m, &f), big = two_sum(k * LN2_R1, x, &err);
  const real s = f / (K(2.0) + f), z = s * s, z2 = z * z, z4 = z2 * z2, h = K(0.5) * f * f;
  const real low = fabs(big) < INF_ ? err + x_lo : K(0.0);
  const real tail = FMA(s, FMA(z, LOG_R(z, z2, z4), h), FMA(k, LN2_R2, low));
  return big + (f - (h - tail));
}

/* exp(x) - 1, |x| < 708, error 2.0 / 2.1 ulp. */
DEV_FN real expm1_core_(real x) {
  const real t = FMA(x, LOG2E_, ROUND_), n = t - ROUND_;
  const real r = FMA(-n, LN2_R2, FMA(-n, LN2_R1, x));
  const real p = expm1_kernel_(r, r);
  const real s = pow2_(t);
  return FMA(s, p, s - K(1.0));
}

/* exp(x) - 1 for all x, error 1.1 / 1.1 ulp: (2^(n-1) - 1/2) + 2^(n-1) r with its rounding errors; half the result is
 * formed, since 2^1024 is not a number. */
DEV_FN real expm1_(real x) {
  const real c = x > K(710.0) ? K(710.0) : (x < K(-40.0) ? K(-40.0) : x);
  const real t = FMA(c, LOG2E_, ROUND_ - K(1.0)), n = (t - ROUND_) + K(1.0);
  real r_lo, lo;
  const real r = reduce_ln2_(c, n, &r_lo);
  const real s = pow2_(t), m = s - K(0.5), m_lo = (s - m) - K(0.5);
  const real hi = fast_two_sum(m, s * r, &lo);
  const real v = K(2.0) * (hi + FMA(s, expm1_kernel_(r, r_lo), lo + m_lo));
  return fabs(x) < K(1e-290) ? x : v;
}

/* log(u + c), u in [2^-60, 2^1024), |c| at most half an ulp of u: c 2^-k joins f, its rounding error the tail. */
DEV_FN real log_sum_(real u, real c) {
  real f, lo;
  const real k = log_reduce_(u, &f);
  const real four = real_of(sub_(0x4010000000000000, shl_(bits_of(k + ROUND_), 52))); /* 2^(2-k) */
  const real g = two_sum(f, c * four * K(0.25), &lo);
  return log_kernel_(k, g, FMA(-lo, f, lo));
}

/* log(1 + x) for all x, error 0.78 / 0.75 ulp: -Inf at -1, NaN below. */
DEV_FN real log1p_(real x) {
  real c;
  const real u = two_sum(K(1.0), x, &c);
  const real v = log_sum_(u, c), w = x > REAL_MAX_ ? x : v;
  return x > K(-1.0) ? w : (x == K(-1.0) ? -INF_ : NAN_);
}

/* ---- more trigonometric functions ---- */

/* x = k pi/2 + y + lo: Cody and Waite, pi/2 in three parts of 33, 33 and 53 bits; low bits of the result: k.
 * Products k P1, k P2 are exact for |k| < 2^20; what is left out is below 2^-118 |x|. */
DEV_FN i64 reduce_pio2_(real x, real *y, real *lo) {
  const real t = FMA(x, K(0.6366197723675814), ROUND_), k = t - ROUND_;
  const real a = FMA(-k, PIO2_1, x), b = k * PIO2_2, y0 = a - b;
  const real w = FMA(k, PIO2_3, -((a - y0) - b));
  *y = y0 - w;
  *lo = (y0 - *y) - w;
  return bits_of(t);
}

/* |x| <= 1e6, error 0.77 / 0.81 ulp, also next to the zeros; useless beyond 2^20 pi/2. */
DEV_FN void sincos_(real x, real *sin_x, real *cos_x) {
  real y, lo;
  const i64 k = reduce_pio2_(x, &y, &lo);
  sincos_quadrant_(k, y, lo, sin_x, cos_x);
}
DEV_FN real sin_(real x) { real s, c; sincos_(x, &s, &c); return s; }
DEV_FN real cos_(real x) { real s, c; sincos_(x, &s, &c); return c; }

/* tan(x), |x| <= 1e6, error 1.01 / 1.01 ulp, also next to zeros and poles: the quotient and its remainder. */
DEV_FN real tan_(real x) {
  real y, lo, s, c, s_lo, c_lo, e;
  const i64 k = reduce_pio2_(x, &y, &lo);
  sincos_kernel_(y, lo, &s, &s_lo, &c, &c_lo);
  const real num = odd_select_(k, c, s), den = odd_select_(k, s, c), v = K(1.0) / den, q = num * v;
  const real p = two_prod(q, den, &e);
  const real rest = ((num - p) - e) + FMA(-q, odd_select_(k, s_lo, c_lo), odd_select_(k, c_lo, s_lo));
  return flip_sign_(FMA(rest, v, q), k);
}

/* sin(x), |x| <= 1e4, absolute error 2.3e-16 / 2.4e-16, in fewest operations: one polynomial on [-pi/2, pi/2]. */
DEV_FN real sin_core_(real x) {
  const real t = FMA(x, PI_INV_, ROUND_), k = t - ROUND_;
  const real r = FMA(-k, PI_R2, FMA(-k, PI_R1, x)), z = r * r, z2 = z * z, z4 = z2 * z2;
  return flip_sign_(FMA(r * z, SIN_W(z, z2, z4), r), bits_of(t));
}

/* sum + cos(2 pi t), |t| < 2^51, in fewest operations, absolute error of the cosine 3.4e-16 / 4.0e-16: it is
 * sin(2 pi g), g = 1/4 less the distance of t from the next whole number. */
DEV_FN real add_cos_turn_(real t, real sum) {
#if HAS_FMA
  const real f = t - rint(t);
#else
  const real f = t - ((t + ROUND_) - ROUND_); /* rint() would be a library call */
#endif
  const real g = K(0.25) - fabs(f), z = g * g;
  return FMA(g, SIN_TURN(z), sum);
}

/* cos(2 pi t) and sin(2 pi t), |t| < 2^51, each with that error. */
DEV_FN real sincos_turn_(real t, real *sine) {
#if HAS_FMA
  const real f = t - rint(t);
#else
  const real f = t - ((t + ROUND_) - ROUND_);
#endif
  const real g = K(0.25) - fabs(f), z = g * g, h = K(0.25) - fabs(g), y = h * h;
  const real size = h * SIN_TURN(y);
  *sine = f < 0 ? -size : size;
  return g * SIN_TURN(z);
}

/* ---- gamma and error functions ---- */

/* log Gamma(x), x > 0: error 3.0e-16 / 3.8e-16 times max(1, |lgam|); 2.1 ulp within 0.1 of the zeros 1 and 2.
 * x >= 8: (x - 1/2)(log x - 1) + log(2 pi)/2 - 1/2 + S(1/x^2)/x.
 * x < 8: Gamma(x) = prod Gamma(2 + t), |t| <= 1/2, by the recurrence; lgam(2 + t) = t P(t). */
DEV_FN real lgam_(real x) {
  real y = x, down = K(1.0);
  /* to [1.5, 2.5) from above, at most six steps */
#define LGAM_STEP                                                                                            \
  {                                                                                                          \
    const real over = y >= K(2.5) ? K(1.0) : K(0.0), next = y - over;                                        \
    down = over > K(0.5) ? down * next : down;                                                               \
    y = next;                                                                                                \
  }
  LGAM_STEP LGAM_STEP LGAM_STEP LGAM_STEP LGAM_STEP LGAM_STEP
#undef LGAM_STEP
  const real up = x < K(0.5) ? x * (x + K(1.0)) : x;
  const real t = x < K(0.5) ? x : (x < K(1.5) ? x - K(1.0) : y - K(2.0));
  const real prod = x < K(1.5) ? up : down;
  const real l = log_(x >= K(8.0) ? x : prod);
  const real t2 = t * t, t4 = t2 * t2, small = FMA(t, LGAM_P(t, t2, t4), x < K(1.5) ? -l : l);
  const real v = K(1.0) / x, z = v * v, z2 = z * z, z4 = z2 * z2;
  const real large = FMA(x - K(0.5), l - K(1.0), FMA(v, LGAM_S(z, z2, z4), LOG_2PI_HALF_ - K(0.5)));
  const real r = x >= K(8.0) ? large : small;
  return x > REAL_MAX_ ? x : r;
}

/* e^(x^2) erfc(x) for all x, error 6.1 / 6.3 ulp; erfcx(-x) = 2 e^(x^2) - erfcx(x). */
DEV_FN real erfcx_(real x) {
  const real a = fabs(x), e = erfcx_core_(a);
  const real c = a > K(30.0) ? K(30.0) : a;
  real lo;
  const real hi = two_prod(c, c, &lo), g = K(2.0) * exp_(hi);
  const real reflected = g > REAL_MAX_ ? g : FMA(g, lo, g) - e;
  return x < K(0.0) ? reflected : e;
}

/* log erfc(x) for all x, error 4.5 / 4.5 ulp: log1p(-erf(x)) for |x| < 1/2, log(erfcx(x)) - x^2 above,
 * log1p(1 - erfc(-x)) below. */
DEV_FN real log_erfc_(real x) {
  const real a = fabs(x), e = erfcx_core_(a), z = a * a;
  const real zc = z > K(740.0) ? K(740.0) : z, z2 = zc * zc, z4 = z2 * z2;
  const real erf_small = x * ERF_P(zc, z2, z4);
  const real near = a < K(0.5) ? -erf_small : FMA(-exp_(-zc), e, K(1.0));
  real c;
  const real sum = two_sum(K(1.0), near, &c);
  const real above = FMA(-a, a, log_core_(e)), below = log_sum_(sum, c);
  const real v = x >= K(0.5) ? above : below;
  return x > K(1e154) ? -INF_ : v;
}

/* ---- double-double: value hi + lo, about 32 digits ---- */

DEV_FN real dd_mul(real ah, real al, real bh, real bl, real *lo) {
  real e;
  const real p = two_prod(ah, bh, &e);
  return fast_two_sum(p, e + (ah * bl + al * bh), lo);
}
DEV_FN real dd_add(real ah, real al, real bh, real bl, real *lo) {
  real e, f, g;
  const real s = two_sum(ah, bh, &e), t = two_sum(al, bl, &f);
  const real u = fast_two_sum(s, e + t, &g);
  return fast_two_sum(u, g + f, lo);
}
DEV_FN real dd_div(real ah, real al, real bh, real bl, real *lo) {
  real e;
  const real q = ah / bh, p = two_prod(q, bh, &e);
  const real r = ((ah - p) - e) + (al - q * bl);
  return fast_two_sum(q, r / bh, lo);
}

/* tan(y), or cot(y) where invert is 1 (else 0); |y| <= pi/4: Lambert's continued fraction. Every coefficient is
 * larger than the sum it is added to. */
DEV_FN real tan_kernel_dd_(real yh, real yl, real invert, real *lo) {
  real zl, pl, ql, ph, qh, e;
  const real zh = dd_mul(yh, yl, yh, yl, &zl);
#define TAN_FIRST_P(ch, cl) ph = ch, pl = cl;
#define TAN_FIRST_Q(ch, cl) qh = ch, ql = cl;
#define TAN_STEP_P(ch, cl) ph = dd_mul(ph, pl, zh, zl, &pl), ph = fast_two_sum(ch, ph, &e), pl += e + cl;
#define TAN_STEP_Q(ch, cl) qh = dd_mul(qh, ql, zh, zl, &ql), qh = fast_two_sum(ch, qh, &e), ql += e + cl;
  TAN_P(TAN_FIRST_P, TAN_STEP_P)
  TAN_Q(TAN_FIRST_Q, TAN_STEP_Q)
#undef TAN_FIRST_P
#undef TAN_FIRST_Q
#undef TAN_STEP_P
#undef TAN_STEP_Q
  ph = dd_mul(ph, pl, yh, yl, &pl);
  return dd_div(invert > K(0.5) ? qh : ph, invert > K(0.5) ? ql : pl, invert > K(0.5) ? ph : qh,
                invert > K(0.5) ? pl : ql, lo);
}

/* tan(xh + xl), 0 <= x < pi/2, as a sum of two doubles, relative error 1.7e-30. */
DEV_FN real tan_dd(real xh, real xl, real *lo) {
  real cl, c;
  const real ch = dd_add(PIO2_, PIO2_LO_, -xh, -xl, &cl);
  const real over = xh > PIO4_ ? K(1.0) : K(0.0);
  c = cl + over * K(-1.4973849048591833e-33);
  return tan_kernel_dd_(over > K(0.5) ? ch : xh, over > K(0.5) ? c : xl, over, lo);
}

/* log(y + y_lo) as a sum of two doubles, y positive and finite; error 2e-18, or 3e-17 of the value if that is less:
 * log(1 + f) = 2 s + s^3 R(s^2), s = f/(2 + f), where only 2 s needs its rounding error. */
DEV_FN real log_dd(real y, real y_lo, real *lo) {
  const flag tiny = y < K(1e-290);
  const real u = tiny ? y * K(18014398509481984.0) : y;
  real f, d_lo, e, g, w;
  const real k = log_reduce_(u, &f) - (tiny ? K(54.0) : K(0.0)), d = two_sum(K(2.0), f, &d_lo);
  const real s = f / d, p = two_prod(s, d, &e), s_lo = (((f - p) - e) - s * d_lo) / d;
  const real z = s * s, z2 = z * z, z4 = z2 * z2;
  const real big = two_sum(k * LN2_R1, K(2.0) * s, &g);
  const real small = g + (FMA(s * z, LOG_R(z, z2, z4), K(2.0) * s_lo) + FMA(k, LN2_R2, y_lo / y));
  const real hi = fast_two_sum(big, small, &w);
  *lo = w;
  return hi;
}

/* tan(pi a/2), 0 <= a <= 2, a not 1, as a sum of two doubles, relative error 1.7e-30, also next to a = 1 and 2. */
DEV_FN real tan_half_pi_dd(real a, real *lo) {
  const real mid = fabs(a - K(1.0)) < K(0.5) ? K(1.0) : K(0.0);
  const real u = mid > K(0.5) ? K(1.0) - a : (a < K(1.0) ? a : a - K(2.0));
  real e, yl;
  const real p = two_prod(u, PIO2_, &e), yh = fast_two_sum(p, FMA(u, PIO2_LO_, e), &yl);
  return tan_kernel_dd_(yh, yl, mid, lo);
}

#endif /* !SINGLE */

#endif
