/* test_integrand_ops.c: every operation of integrands against MPFR, or against R's rule where the result is exact, at
 * each SIMD level of this machine. Arguments: a list of special ones (all pairs of them), neighbours of difficult
 * points, random ones. Fails (exit 1) when a stated bound is exceeded.
 * Usage: test_integrand_ops [random arguments per range, default 3000 [name of one operation]] */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "integrand_ops_level.h"

enum { MAX_N = 1 << 18, BLOCK = 64, PREC = 192, PREC_MORE = 420, PREC_MOST = 2400 };

static double xs[MAX_N], ys[MAX_N], zs[MAX_N], out[MAX_N];
static mpfr_t *reference; /* value of the operation; made once, compared at every level */
static char *open_to_all; /* where R leaves the value to rounding */
static int n_arg, is_open;

/* ---- arguments ---- */

static uint64_t rng_state = 88172645463325252u;
static double uniform(void) { /* xorshift64*, 53 bits */
  rng_state ^= rng_state >> 12;
  rng_state ^= rng_state << 25;
  rng_state ^= rng_state >> 27;
  return (double)((rng_state * 2685821657736338717u) >> 11) * 0x1p-53;
}
static void add3(double x, double y, double z) {
  if (n_arg == MAX_N) exit(2);
  xs[n_arg] = x;
  ys[n_arg] = y;
  zs[n_arg++] = z;
}
static void add(double x) { add3(x, 0, 0); }
static void add_near(double x) { /* x and 4 numbers on each side */
  double up = x, down = x;
  add(x);
  for (int k = 0; k < 4; k++) add(up = nextafter(up, INFINITY)), add(down = nextafter(down, -INFINITY));
}
static double between(double a, double b) { return a + (b - a) * uniform(); }
static double log_between(double a, double b) { return exp(between(log(a), log(b))); }
static double either_sign(double x) { return uniform() < 0.5 ? -x : x; }
static void add_uniform(double a, double b, int n) {
  for (int k = 0; k < n; k++) add(between(a, b));
}
static void add_log(double a, double b, int n, int both_signs) {
  for (int k = 0; k < n; k++) {
    const double v = log_between(a, b);
    add(both_signs ? either_sign(v) : v);
  }
}
static void add_towards(double x, int n) { /* ever nearer to x, from both sides */
  for (int k = 0; k < n; k++) add(x + 0.5 * either_sign(exp(-37 * uniform())));
}

static const double special[] = {
    0, 5e-324, 1e-310, DBL_MIN, 1e-300, 1e-200, 1e-100, 1e-20, 1e-10, 1e-5, 0.1, 0.25, 0.49999999999999994, 0.5,
    0.75, 0.9999999999999999, 1, 1.0000000000000002, 1.5, 1.9999999999999998, 2, 2.5, 3, 3.5, 4, 7, 8, 10, 20.25, 36,
    40, 100, 140, 170.5, 171.7, 184.3, 700.5, 709.5, 711, 745, 1e4, 1e5, 1e7, 4294967296.5, 1e10, 1e15 + 0.5,
    4503599627370495.5, 4503599627370497, 9007199254740991, 9007199254740992, 9007199254740994, 1e17, 1e20, 1e22,
    1e50, 1e100, 1e154, 1e160, 1e200, 1e300, 8.98846567431158e307, DBL_MAX, INFINITY, NAN};
enum { SPECIAL = sizeof special / sizeof *special };
static double special_at(int i) { return i % 2 ? -special[i / 2] : special[i / 2]; }

static void args_one(void) {
  for (int i = 0; i < 2 * SPECIAL; i++) add(special_at(i));
}
static void args_two(void) {
  for (int i = 0; i < 2 * SPECIAL; i++)
    for (int j = 0; j < 2 * SPECIAL; j++) add3(special_at(i), special_at(j), 0);
}
static void args_three(int n) {
  for (int i = 0; i < 40 * n && n_arg < MAX_N - BLOCK; i++)
    add3(special_at((int)(2 * SPECIAL * uniform())), special_at((int)(2 * SPECIAL * uniform())),
         special_at((int)(2 * SPECIAL * uniform())));
}
static void args_conditions(int n) {
  const double v[] = {0, -0.0, 1, -3, 5e-324, NAN, INFINITY};
  (void)n;
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++)
      for (int k = 0; k < 7; k++) add3(v[i], v[j], v[k]);
}
static void args_exact(int n) {
  add_uniform(-10, 10, n);
  for (int k = 0; k < n; k++)
    add3(either_sign(log_between(1e-300, 1e300)), either_sign(log_between(1e-300, 1e300)), 0);
  for (int k = -20; k <= 20; k++) add_near(0.5 * k);
}
static void args_whole(int n) {
  add_uniform(-100, 100, n);
  add_log(1e-3, 1e19, n, 1);
  for (int k = -40; k <= 40; k++) add_near(0.5 * k);
  add_near(0x1p52), add_near(0x1p51 + 0.5), add_near(-0x1p52), add_near(0x1p53);
}
static void args_mod(int n) {
  for (int k = 0; k < n; k++) {
    add3(between(-100, 100), between(-10, 10), 0);
    add3(floor(between(-1000, 1000)), floor(between(-20, 20)), 0);
    add3(floor(between(-1000, 1000)) * 0.1, 0.1, 0);
    add3(either_sign(log_between(1e-308, 1e300)), either_sign(log_between(1e-308, 1e300)), 0);
    const double y = either_sign(log_between(1e-300, 1e290)), x = either_sign(y * log_between(0.1, 1e17));
    add3(x, y, 0);
    const double q = floor(log_between(1, 1e15));
    add3(nextafter(q * y, INFINITY), y, 0), add3(nextafter(q * y, -INFINITY), y, 0), add3(q * y, y, 0);
  }
}
static void args_pow(int n) {
  for (int k = 0; k < n; k++) {
    const double x = log_between(1e-320, 1e308), near = 1 + either_sign(exp(-36 * uniform()));
    add3(x, between(-750, 750) / (fabs(log(x)) + 1e-3), 0);
    add3(near, between(-750, 750) / fabs(log(fabs(near))), 0);
    add3(between(0, 170), between(0, 140), 0);
    add3(either_sign(floor(between(0, 50))), floor(between(-60, 60)), 0);
    add3(either_sign(log_between(1e-5, 1e5)), floor(between(-100, 100)), 0);
    const double y = log_between(1e-300, 300);
    add3(log_between(1e-300, 1e300), either_sign(y), 0);
  }
  for (int k = 1; k < 400; k++) add3(0.5 * k, 0.5 * k, 0), add3(k, 1, 0), add3(1 / (double)k, -1, 0), add3(k, 0.5, 0);
}
static void args_exp(int n) {
  add_uniform(-1, 1, n), add_uniform(-750, 711, n), add_log(1e-300, 700, n, 1);
  add_near(709.782712893384), add_near(-745.1332191019411), add_near(-708.3964185322641);
}
static void args_log(int n) {
  add_log(5e-324, 1.7e308, n, 0), add_log(0.1, 10, n, 0), add_towards(1, n);
  add_near(1), add_near(M_SQRT1_2), add_near(M_SQRT2), add_near(DBL_MIN);
}
static void args_log_exact(int n) {
  args_log(n);
  for (int k = -1074; k < 1024; k++) add(ldexp(1, k));
  for (double v = 1, k = 0; k < 23; k++, v *= 10) add_near(v);
}
static void args_log1p(int n) {
  add_uniform(-1, 3, n), add_log(1e-300, 1.7e308, n, 0), add_log(1e-300, 1, n, 1), add_towards(-1, n);
}
static void args_angle(int n) {
  add_uniform(-1, 1, n), add_uniform(-20, 20, n), add_uniform(-1.6e6, 1.6e6, n), add_log(1e-300, 1.6e6, n, 1);
  for (double k = 1; k < 1e6; k = k < 500 ? k + 1 : ceil(k * 1.01)) add_near(k * M_PI_4), add_near(-k * M_PI_4);
}
static void args_far_angle(int n) {
  args_angle(n / 4);
  add_log(1e6, DBL_MAX, 8 * n, 1);
  for (double k = 1; k < 1e15; k = ceil(k * 1.1)) add_near(k * M_PI_4), add_near(-k * M_PI_4);
  /* next to multiples of pi/2: 6381956970095103 2^797 is the nearest of all */
  add_near(ldexp(6381956970095103, 797)), add_near(-ldexp(6381956970095103, 797));
  add_near(1647099), add_near(0x1p53);
  for (int k = 20; k < 1024; k++)
    add(ldexp(1, k)), add(ldexp(M_PI, k)), add(-ldexp(M_PI_4, k)), add(ldexp(3 * M_PI_4, k));
}
static void args_sinpi(int n) {
  add_uniform(-1, 1, n), add_uniform(-1e3, 1e3, n), add_log(1e-290, 1e17, n, 1);
  for (int k = -100; k <= 100; k++) add_near(0.25 * k);
}
static void args_asin(int n) {
  add_uniform(-1, 1, 2 * n), add_log(1e-300, 1, n, 1), add_towards(1, n), add_towards(-1, n), add_towards(0.5, n);
  add_near(0.5), add_near(-0.5), add_near(1), add_near(-1);
}
static void args_atan(int n) {
  add_log(1e-300, 1e300, n, 1), add_log(1e-2, 1e2, 2 * n, 1);
  add_near(0.41421356237309503), add_near(2.414213562373095), add_near(1);
}
static void args_atan2(int n) {
  for (int k = 0; k < 4 * n; k++) add3(between(-1, 1), between(-1, 1), 0);
  for (int k = 0; k < n; k++) {
    const double r = log_between(1e-307, 1e300), q = log_between(1e-9, 1e9);
    add3(either_sign(r), either_sign(r * q), 0);
    add3(either_sign(log_between(1e-307, 1e300)), either_sign(log_between(1e-307, 1e300)), 0);
  }
}
static void args_sinh(int n) {
  add_uniform(-1, 1, n), add_uniform(-5, 5, n), add_uniform(-720, 720, n), add_log(1e-300, 720, n, 1);
  for (int k = 0; k < 60; k++) add_near(k * 0.34657359027997264), add_near(-k * 0.34657359027997264);
  add_near(710.4758600739439), add_near(1e-10);
}
static void args_asinh(int n) {
  add_log(1e-300, 1e308, n, 1), add_log(1e-12, 1e12, n, 1), add_uniform(-3, 3, 2 * n);
  add_near(1e10), add_near(1e-10);
}
static void args_acosh(int n) {
  add_log(1, 1e308, n, 0), add_uniform(1, 5, 2 * n), add_towards(1, n), add_log(1, 1e12, n, 0), add_near(1e10);
}
static void args_gamma(int n) {
  add_uniform(-1, 12, 2 * n), add_uniform(0, 175, n), add_uniform(-190, 0, n), add_log(1e-308, 10, n, 1);
  for (int k = -20; k <= 30; k++) add_near(k), add_near(k + 0.5);
  add_near(171.62437695630271), add_near(0.1), add_near(-0.1);
}
static void args_lgamma(int n) {
  add_uniform(0, 3, n), add_uniform(0, 20, n), add_log(1e-300, 1e305, n, 0), add_towards(1, n), add_towards(2, n);
}
static void args_negative(int n) {
  add_uniform(-1, 0, n), add_uniform(-20, 0, n), add_uniform(-1e4, 0, n), add_log(1e-300, 1, n, 1);
  for (int k = -20; k <= 0; k++) add_near(k), add_near(k - 0.5);
}
static void args_psi(int n) {
  add_uniform(0, 4, 2 * n), add_uniform(0, 20, n), add_log(1e-300, 1e300, n, 0);
  add_near(8), add_near(1), add_near(2), add_near(3);
}
static void args_digamma(int n) {
  args_psi(n);
  add_towards(1.4616321449683622, n), add_near(1.4616321449683622);
}
static void args_lbeta(int n) {
  for (int k = 0; k < n / 2; k++) {
    add3(log_between(1e-3, 1e3), log_between(1e-3, 1e3), 0);
    add3(between(0, 20), between(0, 20), 0);
    add3(log_between(1e-300, 1e20), log_between(1e-300, 1e20), 0);
  }
}
static void args_normal(int n) {
  add_uniform(-40, 40, 2 * n), add_uniform(-2, 2, 2 * n), add_log(1e-300, 40, n, 1), add_near(-0.7);
  add_near(0.7071067811865475), add_near(-0.7071067811865475), add_near(-38.5), add_near(-37.6);
}
static void args_log_normal(int n) {
  args_normal(n);
  add_log(1, 1e150, n, 1);
}
static void args_probability(int n) {
  add_uniform(0, 1, n), add_log(5e-324, 1, n, 0), add_log(1e-10, 1, n, 0), add_towards(0.5, n), add_near(4.9e-4);
  for (int k = 0; k < n / 2; k++) add(1 - exp(-36 * uniform()));
}
static void args_stirling(int n) {
  add_log(1e-300, 1e300, n, 0), add_log(1e-3, 1e3, n, 0), add_uniform(0, 16, 2 * n), add_near(8), add_near(1);
}
static void args_deviance(int n) {
  for (int k = 0; k < n; k++) {
    const double x = log_between(1e-300, 1e300);
    add3(x, x * (1 + either_sign(exp(-37 * uniform()))), 0);
    add3(x, x * log_between(0.1, 10), 0);
    add3(x, x * log_between(0.97, 1.03), 0);
    add3(log_between(1e-320, 1e308), log_between(1e-320, 1e308), 0);
    add3(floor(between(0, 200)), between(0, 200), 0);
  }
}

/* ---- R's rules, where the result is exact ---- */

#define EXACT(name, value)                                                                                   \
  static double exact_##name(double a, double b, double c) { (void)b, (void)c; return value; }
#define EITHER_MISSING (isnan(a) || isnan(b))
EXACT(add, a + b)
EXACT(sub, a - b)
EXACT(mul, a * b)
EXACT(div, a / b)
EXACT(neg, -a)
EXACT(lt, EITHER_MISSING ? NAN : a < b)
EXACT(le, EITHER_MISSING ? NAN : a <= b)
EXACT(eq, EITHER_MISSING ? NAN : a == b)
EXACT(ne, EITHER_MISSING ? NAN : a != b)
EXACT(and, a == 0 || b == 0 ? 0 : (EITHER_MISSING ? NAN : 1))
EXACT(or, (!isnan(a) && a != 0) || (!isnan(b) && b != 0) ? 1 : (EITHER_MISSING ? NAN : 0))
EXACT(not, isnan(a) ? NAN : a == 0)
EXACT(select, isnan(a) ? NAN : (a != 0 ? b : c))
EXACT(is_nan, isnan(a) ? 1 : 0)
EXACT(min, EITHER_MISSING ? NAN : (a < b ? a : b))
EXACT(max, EITHER_MISSING ? NAN : (a > b ? a : b))
EXACT(abs, fabs(a))
EXACT(sign, isnan(a) ? NAN : (a > 0) - (a < 0))
EXACT(sqrt, sqrt(a))
EXACT(floor, floor(a))
EXACT(ceiling, ceil(a))
EXACT(trunc, trunc(a))
EXACT(round, nearbyint(a))

/* ---- references ---- */

/* r and s hold x and y, in enough digits */
#define REFERENCE(name, body)                                                                                \
  static void ref_##name(mpfr_t r, mpfr_t s, double x, double y) { (void)s, (void)x, (void)y; body; }
#define R MPFR_RNDN
static void set(mpfr_t r, double v) { mpfr_set_d(r, v, R); }

REFERENCE(exp, mpfr_exp(r, r, R))
REFERENCE(expm1, mpfr_expm1(r, r, R))
REFERENCE(log, if (x == 0) set(r, -INFINITY); else mpfr_log(r, r, R))
REFERENCE(log2, if (x == 0) set(r, -INFINITY); else mpfr_log2(r, r, R))
REFERENCE(log10, if (x == 0) set(r, -INFINITY); else mpfr_log10(r, r, R))
REFERENCE(log1p, mpfr_log1p(r, r, R))
REFERENCE(log1pexp, if (x > 200) return; mpfr_exp(r, r, R); mpfr_log1p(r, r, R))
REFERENCE(sin, mpfr_sin(r, r, R))
REFERENCE(cos, mpfr_cos(r, r, R))
REFERENCE(tan, mpfr_tan(r, r, R))
/* in C far arguments are left to the functions of blocks */
REFERENCE(near_sin, is_open = fabs(x) > 1647099; mpfr_sin(r, r, R))
REFERENCE(near_cos, is_open = fabs(x) > 1647099; mpfr_cos(r, r, R))
REFERENCE(near_tan, is_open = fabs(x) > 1647099; mpfr_tan(r, r, R))
REFERENCE(sinpi, mpfr_sinpi(r, r, R))
REFERENCE(cospi, mpfr_cospi(r, r, R))
REFERENCE(tanpi, if (fabs(fmod(x, 1)) == 0.5) set(r, NAN); else mpfr_tanpi(r, r, R))
REFERENCE(asin, mpfr_asin(r, r, R))
REFERENCE(acos, mpfr_acos(r, r, R))
REFERENCE(atan, mpfr_atan(r, r, R))
REFERENCE(atan2, mpfr_atan2(r, r, s, R))
REFERENCE(sinh, mpfr_sinh(r, r, R))
REFERENCE(cosh, mpfr_cosh(r, r, R))
REFERENCE(tanh, mpfr_tanh(r, r, R))
REFERENCE(asinh, mpfr_asinh(r, r, R))
REFERENCE(acosh, mpfr_acosh(r, r, R))
REFERENCE(atanh, mpfr_atanh(r, r, R))
REFERENCE(gamma, if (x <= 0 && x == floor(x)) set(r, NAN); else if (x < -1000) set(r, 0); else mpfr_gamma(r, r, R))
REFERENCE(lgamma, int sign; if (x <= 0 && x == floor(x)) set(r, INFINITY); else mpfr_lgamma(r, &sign, r, R))
REFERENCE(digamma, if (x <= 0 && x == floor(x)) set(r, NAN);
          else if (x > 1e50) mpfr_log(r, r, R);
          else if (fabs(x) < 1e-50) mpfr_si_div(r, -1, r, R);
          else mpfr_digamma(r, r, R))

static void ref_pow(mpfr_t r, mpfr_t s, double x, double y) {
  if (x == 1 || y == 0) set(r, 1);
  else if (isnan(x) || isnan(y)) set(r, NAN);
  else if (x == 0) set(r, y > 0 ? 0 : INFINITY);
  else if (isinf(y) && x < 0) set(r, NAN);
  else if (isinf(x) && x < 0 && y < 0) set(r, y == floor(y) ? 0 : NAN);
  else if (isinf(x) && x < 0 && y != floor(y)) set(r, NAN);
  else if (y == 2) set(r, x * x);
  else mpfr_pow(r, r, s, R);
}
static void ref_mod(mpfr_t r, mpfr_t s, double x, double y) {
  if (isnan(x) || isnan(y) || isinf(x) || y == 0) set(r, NAN);
  else if (isinf(y)) set(r, x == 0 || (x > 0) == (y > 0) ? x : y);
  else {
    is_open = fabs(x / y) > 0x1p104;
    mpfr_fmod(r, r, s, R);
    if (!mpfr_zero_p(r) && (mpfr_sgn(r) > 0) != (y > 0)) mpfr_add(r, r, s, R);
    if (mpfr_get_d(r, R) == y) set(r, fabs(y) > 0x1p52 && fabs(x) < fabs(y) ? y : 0);
  }
}
static void ref_intdiv(mpfr_t r, mpfr_t s, double x, double y) {
  const double q = x / y;
  if (isnan(q) || isinf(q) || fabs(q) > 0x1p52) set(r, q);
  else if (isinf(y)) set(r, x == 0 || (x > 0) == (y > 0) ? 0 : -1);
  else mpfr_set_prec(r, 2400), set(r, x), mpfr_div(r, r, s, R), mpfr_floor(r, r);
}
static void shifted_trigamma(mpfr_t r, double x) { /* 0 < x, or not a whole number */
  static const double num[] = {1, -1, 1, -1, 5, -691, 7, -3617, 43867, -174611, 854513, -236364091, 8553103};
  static const double den[] = {6, 30, 42, 30, 66, 2730, 6, 510, 798, 330, 138, 2730, 6};
  mpfr_t y, t, z;
  mpfr_inits2(PREC, y, t, z, (mpfr_ptr)0);
  set(y, x);
  set(r, 0);
  while (mpfr_cmp_ui(y, 150) < 0) {
    mpfr_sqr(t, y, R);
    mpfr_ui_div(t, 1, t, R);
    mpfr_add(r, r, t, R);
    mpfr_add_ui(y, y, 1, R);
  }
  mpfr_ui_div(y, 1, y, R);
  mpfr_add(r, r, y, R);
  mpfr_sqr(z, y, R);
  mpfr_div_ui(t, z, 2, R);
  mpfr_add(r, r, t, R);
  for (int k = 0; k < 13; k++) {
    mpfr_mul(y, y, z, R);
    mpfr_mul_d(t, y, num[k], R);
    mpfr_div_d(t, t, den[k], R);
    mpfr_add(r, r, t, R);
  }
  mpfr_clears(y, t, z, (mpfr_ptr)0);
}
static void ref_trigamma(mpfr_t r, mpfr_t s, double x, double y) {
  (void)y;
  if (isnan(x)) return;
  if (isinf(x) || (x <= 0 && x == floor(x))) set(r, x > 0 ? 0 : INFINITY);
  else if (x > -0.5) shifted_trigamma(r, x);
  else {
    mpfr_sinpi(s, r, R);
    mpfr_sqr(s, s, R);
    mpfr_const_pi(r, R);
    mpfr_sqr(r, r, R);
    mpfr_div(s, r, s, R);
    mpfr_t u; /* 1/x^2 added to the value at -x: 1 - x may not be a double */
    mpfr_init2(u, PREC);
    shifted_trigamma(u, -x);
    mpfr_set_d(r, x, R);
    mpfr_sqr(r, r, R);
    mpfr_ui_div(r, 1, r, R);
    mpfr_sub(u, u, r, R);
    mpfr_sub(r, s, u, R);
    mpfr_clear(u);
  }
}
static void ref_lbeta(mpfr_t r, mpfr_t s, double x, double y) {
  const double p = fmin(x, y), q = fmax(x, y);
  mpfr_t t;
  if (isnan(x) || isnan(y) || p < 0) set(r, NAN);
  else if (p == 0) set(r, INFINITY);
  else if (isinf(q)) set(r, -INFINITY);
  else if (q < 1e-100) mpfr_add(s, r, s, R), mpfr_div_d(s, s, x, R), mpfr_div_d(s, s, y, R), mpfr_log(r, s, R);
  else {
    mpfr_init2(t, mpfr_get_prec(r));
    mpfr_add(t, r, s, R);
    mpfr_lngamma(t, t, R);
    mpfr_lngamma(r, r, R);
    mpfr_lngamma(s, s, R);
    mpfr_add(r, r, s, R);
    mpfr_sub(r, r, t, R);
    mpfr_clear(t);
  }
}
static void ref_norm_density(mpfr_t r, mpfr_t s, double x, double y) {
  (void)x, (void)y;
  mpfr_sqr(r, r, R);
  mpfr_div_si(r, r, -2, R);
  mpfr_exp(r, r, R);
  mpfr_const_pi(s, R);
  mpfr_mul_ui(s, s, 2, R);
  mpfr_sqrt(s, s, R);
  mpfr_div(r, r, s, R);
}
static void lower(mpfr_t r, mpfr_t s) { /* r = Phi(r) */
  mpfr_set_d(s, 0.5, R);
  mpfr_sqrt(s, s, R);
  mpfr_mul(r, r, s, R);
  mpfr_neg(r, r, R);
  mpfr_erfc(r, r, R);
  mpfr_div_ui(r, r, 2, R);
}
static void ref_norm_lower(mpfr_t r, mpfr_t s, double x, double y) {
  (void)y;
  if (x < -1e4) set(r, 0);
  else lower(r, s);
}
static void ref_norm_log_lower(mpfr_t r, mpfr_t s, double x, double y) {
  (void)y;
  if (x > 5) mpfr_neg(r, r, R), lower(r, s), mpfr_neg(r, r, R), mpfr_log1p(r, r, R);
  else if (x > -1e4 || isnan(x)) lower(r, s), mpfr_log(r, r, R);
  else { /* log(exp(-x^2/2)/(-x sqrt(2 pi)) (1 - 1/x^2 + 3/x^4 - 15/x^6)) */
    mpfr_t t;
    mpfr_init2(t, PREC);
    mpfr_sqr(s, r, R);
    mpfr_ui_div(t, 1, s, R);
    mpfr_mul_si(r, t, -15, R);
    mpfr_add_ui(r, r, 3, R);
    mpfr_mul(r, r, t, R);
    mpfr_sub_ui(r, r, 1, R);
    mpfr_mul(r, r, t, R);
    mpfr_log1p(r, r, R);
    mpfr_const_pi(t, R);
    mpfr_mul_ui(t, t, 2, R);
    mpfr_sqrt(t, t, R);
    mpfr_mul_d(t, t, -x, R);
    mpfr_log(t, t, R);
    mpfr_sub(r, r, t, R);
    mpfr_div_ui(s, s, 2, R);
    mpfr_sub(r, r, s, R);
    mpfr_clear(t);
  }
}
static void ref_norm_quantile(mpfr_t r, mpfr_t s, double x, double y) {
  (void)y;
  if (!(x >= 0 && x <= 1)) set(r, NAN);
  else if (x == 0 || x == 1) set(r, x == 0 ? -INFINITY : INFINITY);
  else { /* Newton's steps for log Phi(w) = log u, u the smaller of p and 1 - p */
    const double u = x <= 0.5 ? x : 1 - x, t = sqrt(-2 * log(u));
    mpfr_t w, l, f;
    mpfr_inits2(PREC, w, l, f, (mpfr_ptr)0);
    mpfr_set_d(l, u, R);
    mpfr_log(l, l, R);
    mpfr_set_d(w, (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) - t, R);
    for (int k = 0; k < 6; k++) {
      mpfr_set(f, w, R);
      ref_norm_density(f, s, 0, 0);
      mpfr_set(r, w, R);
      lower(r, s);
      mpfr_div(f, r, f, R);
      mpfr_log(r, r, R);
      mpfr_sub(r, l, r, R);
      mpfr_mul(f, f, r, R);
      mpfr_add(w, w, f, R);
    }
    if (x <= 0.5) mpfr_set(r, w, R);
    else mpfr_neg(r, w, R);
    if (x == 0.5) set(r, 0);
    mpfr_clears(w, l, f, (mpfr_ptr)0);
  }
}
static void ref_stirling_error(mpfr_t r, mpfr_t s, double x, double y) {
  (void)y;
  if (!(x >= 0)) set(r, NAN);
  else if (x == 0) set(r, INFINITY);
  else if (x > 1e12) mpfr_ui_div(r, 1, r, R), mpfr_div_ui(r, r, 12, R); /* the next term is 1/(30 x^2) of it */
  else {
    mpfr_t t;
    mpfr_init2(t, PREC);
    mpfr_log(t, r, R);
    mpfr_add_d(s, r, 0.5, R);
    mpfr_mul(t, t, s, R);
    mpfr_sub(t, t, r, R);
    mpfr_add_ui(r, r, 1, R);
    mpfr_lngamma(r, r, R);
    mpfr_sub(r, r, t, R);
    mpfr_const_pi(t, R);
    mpfr_mul_ui(t, t, 2, R);
    mpfr_log(t, t, R);
    mpfr_div_ui(t, t, 2, R);
    mpfr_sub(r, r, t, R);
    mpfr_clear(t);
  }
}
static void ref_deviance(mpfr_t r, mpfr_t s, double x, double y) {
  if (isnan(x) || isnan(y) || x < 0 || y < 0 || (isinf(x) && isinf(y))) set(r, NAN);
  else if (isinf(x) || isinf(y) || (y == 0 && x > 0)) set(r, INFINITY);
  else if (x == 0) set(r, y);
  else {
    mpfr_t t;
    mpfr_init2(t, PREC_MORE);
    mpfr_div(t, r, s, R);
    mpfr_log(t, t, R);
    mpfr_mul(t, t, r, R);
    mpfr_add(t, t, s, R);
    mpfr_sub(r, t, r, R);
    mpfr_clear(t);
  }
}

/* ---- cases: error unit and bounds ---- */

/* ULP: units in the last place of the exact value; UNIT_1: 2^-53 max(1, |value|); PARTS: 2^-53 times the largest of
 * 1, the value and what it is a difference of; ULP_OR_PARTS: the latter for negative arguments */
enum unit { ULP, UNIT_1, PARTS, ULP_OR_PARTS };
typedef struct {
  const char *name;
  void (*args)(int n);
  void (*ref)(mpfr_t r, mpfr_t s, double x, double y);
  double (*exact)(double a, double b, double c);
  enum unit unit;
  double bound_fma, bound_plain;
} test_case;

#define EXACT_CASE(name, args) {#name, args, NULL, exact_##name, ULP, 0, 0},
static const test_case cases[] = {
    EXACT_CASE(add, args_exact) EXACT_CASE(sub, args_exact) EXACT_CASE(mul, args_exact) EXACT_CASE(div, args_exact)
    EXACT_CASE(neg, args_exact) EXACT_CASE(lt, args_exact) EXACT_CASE(le, args_exact) EXACT_CASE(eq, args_exact)
    EXACT_CASE(ne, args_exact) EXACT_CASE(and, args_conditions) EXACT_CASE(or, args_conditions)
    EXACT_CASE(not, args_conditions) EXACT_CASE(select, args_conditions) EXACT_CASE(select, args_three)
    EXACT_CASE(is_nan, args_conditions) EXACT_CASE(min, args_exact) EXACT_CASE(max, args_exact)
    EXACT_CASE(abs, args_exact) EXACT_CASE(sign, args_exact) EXACT_CASE(sqrt, args_exact)
    EXACT_CASE(floor, args_whole) EXACT_CASE(ceiling, args_whole) EXACT_CASE(trunc, args_whole)
    EXACT_CASE(round, args_whole)
    {"pow", args_pow, ref_pow, NULL, ULP, 0.9, 0.9},
    {"mod", args_mod, ref_mod, NULL, ULP, 0.51, 0.51},
    {"intdiv", args_mod, ref_intdiv, NULL, ULP, 0, 0},
    {"exp", args_exp, ref_exp, NULL, ULP, 0.8, 0.8},
    {"expm1", args_exp, ref_expm1, NULL, ULP, 1.2, 1.2},
    {"log", args_log, ref_log, NULL, ULP, 0.8, 0.8},
    {"log1p", args_log1p, ref_log1p, NULL, ULP, 0.9, 0.9},
    {"log2", args_log_exact, ref_log2, NULL, ULP, 0.62, 0.62},
    {"log10", args_log_exact, ref_log10, NULL, ULP, 0.62, 0.62},
    {"log1pexp", args_exp, ref_log1pexp, NULL, ULP, 1.5, 1.5},
    {"sin", args_angle, ref_near_sin, NULL, ULP, 0.8, 0.9},
    {"cos", args_angle, ref_near_cos, NULL, ULP, 0.8, 0.9},
    {"tan", args_angle, ref_near_tan, NULL, ULP, 1.2, 1.2},
    {"sin_lanes", args_far_angle, ref_sin, NULL, ULP, 0.8, 0.9},
    {"cos_lanes", args_far_angle, ref_cos, NULL, ULP, 0.8, 0.9},
    {"tan_lanes", args_far_angle, ref_tan, NULL, ULP, 1.2, 1.2},
    {"sinpi", args_sinpi, ref_sinpi, NULL, ULP, 0.8, 0.8},
    {"cospi", args_sinpi, ref_cospi, NULL, ULP, 0.8, 0.8},
    {"tanpi", args_sinpi, ref_tanpi, NULL, ULP, 1, 1},
    {"asin", args_asin, ref_asin, NULL, ULP, 0.7, 0.7},
    {"acos", args_asin, ref_acos, NULL, ULP, 0.7, 0.7},
    {"atan", args_atan, ref_atan, NULL, ULP, 0.7, 0.7},
    {"atan2", args_atan2, ref_atan2, NULL, ULP, 1.6, 1.6},
    {"sinh", args_sinh, ref_sinh, NULL, ULP, 1, 1},
    {"cosh", args_sinh, ref_cosh, NULL, ULP, 0.8, 0.8},
    {"tanh", args_sinh, ref_tanh, NULL, ULP, 1, 1},
    {"asinh", args_asinh, ref_asinh, NULL, ULP, 1.2, 1.2},
    {"acosh", args_acosh, ref_acosh, NULL, ULP, 0.9, 0.9},
    {"atanh", args_asin, ref_atanh, NULL, ULP, 0.9, 0.9},
    {"gamma", args_gamma, ref_gamma, NULL, ULP, 4.5, 4.5},
    {"lgamma", args_lgamma, ref_lgamma, NULL, UNIT_1, 3.5, 4},
    {"lgamma", args_negative, ref_lgamma, NULL, PARTS, 5, 5},
    {"lbeta", args_lbeta, ref_lbeta, NULL, PARTS, 5, 5},
    {"digamma", args_digamma, ref_digamma, NULL, ULP_OR_PARTS, 6.5, 6.5},
    {"digamma", args_negative, ref_digamma, NULL, PARTS, 6.5, 6.5},
    {"trigamma", args_psi, ref_trigamma, NULL, ULP, 6, 6},
    {"trigamma", args_negative, ref_trigamma, NULL, ULP, 6, 6},
    {"norm_density", args_normal, ref_norm_density, NULL, ULP, 2.2, 2.2},
    {"norm_lower", args_normal, ref_norm_lower, NULL, ULP, 5.5, 5.5},
    {"norm_log_lower", args_log_normal, ref_norm_log_lower, NULL, ULP, 6, 6},
    {"norm_quantile", args_probability, ref_norm_quantile, NULL, ULP, 4, 4},
    {"stirling_error", args_stirling, ref_stirling_error, NULL, ULP, 2, 2},
    {"deviance", args_deviance, ref_deviance, NULL, ULP, 3, 3},
};

static double scale_of(const test_case *c, double x, double y, double near) {
  double scale = fmax(1, fabs(near));
  if (c->ref == ref_lbeta) {
    const double p = fmin(x, y), q = fmax(x, y);
    if (p < 8) scale = fmax(scale, fabs(lgamma(p)) + p * fabs(log(q + 8)));
  } else if (c->ref == ref_digamma)
    scale = fmax(scale, fabs(near) + log(fabs(x) + 1));
  else if (c->unit == PARTS)
    scale = fmax(scale, fabs(lgamma(fabs(x) + 1)));
  return scale;
}
/* Does a zero have a sign? Where R gives one: of exact results, and of functions odd at 0. */
static int of_sign(const test_case *c, double x) {
  const int of_pi = c->ref == ref_sinpi || c->ref == ref_tanpi;
  const int of_two = c->ref == ref_mod || c->ref == ref_intdiv || c->ref == ref_pow;
  return c->exact || (x == 0 && !of_pi && !of_two);
}
/* Error of v in the case's unit; infinite where one is special and the other is not. */
static double error_of(const test_case *c, int i, mpfr_t t) {
  const double v = out[i], near = mpfr_get_d(reference[i], R);
  if (open_to_all[i]) return 0;
  if (isnan(near) || isnan(v)) return isnan(near) && isnan(v) ? 0 : INFINITY;
  if (isinf(near) || isinf(v)) return near == v ? 0 : INFINITY;
  if (near == 0 && v == 0) return !of_sign(c, xs[i]) || signbit(near) == signbit(v) ? 0 : INFINITY;
  mpfr_set_d(t, v, R);
  mpfr_sub(t, t, reference[i], R);
  if (mpfr_zero_p(t)) return 0;
  if (c->unit == UNIT_1 || c->unit == PARTS || (c->unit == ULP_OR_PARTS && xs[i] < 0))
    mpfr_mul_d(t, t, 0x1p53 / scale_of(c, xs[i], ys[i], near), R);
  else {
    int e;
    frexp(near, &e);
    mpfr_mul_2si(t, t, near == 0 || e < -1021 ? 1074 : 53 - e, R);
  }
  return fabs(mpfr_get_d(t, R));
}

static const integrand_loop *find(const integrand_loop *table, const char *name) {
  while (table->name && strcmp(table->name, name)) table++;
  return table;
}

int main(int argc, char **argv) {
  static const char *const level_name[3] = {"baseline", "avx2", "avx512"};
  const integrand_loop *level[3] = {integrand_baseline, NULL, NULL}, *op;
  const int n = argc > 1 ? atoi(argv[1]) : 3000;
  int failures = 0;
  mpfr_t s, t;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) level[1] = integrand_avx2;
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    level[2] = integrand_avx512;
#endif
  reference = malloc(MAX_N * sizeof *reference);
  open_to_all = malloc(MAX_N);
  if (!reference || !open_to_all) return 2;
  mpfr_init2(t, PREC);
  for (op = integrand_baseline; op->name; op++) {
    const test_case *c = cases, *end = cases + sizeof cases / sizeof *cases;
    while (c < end && strcmp(c->name, op->name)) c++;
    if (c == end) printf("%s is not tested\n", op->name), failures++;
  }
  printf("%-15s %8s  largest error (argument) per level\n", "", "values");
  for (const test_case *c = cases; c < cases + sizeof cases / sizeof *cases; c++) {
    op = find(level[0], c->name);
    if (argc > 2 && strcmp(argv[2], c->name)) continue;
    n_arg = 0;
    if (op->arguments == 1) args_one();
    if (op->arguments == 2) args_two();
    c->args(n);
    while (n_arg % BLOCK) add3(xs[n_arg - 1], ys[n_arg - 1], zs[n_arg - 1]);
    for (int i = 0; i < n_arg; i++) {
      mpfr_prec_t prec = c->ref == ref_deviance ? PREC_MORE : PREC;
      if (c->ref == ref_lbeta) prec = fmax(xs[i], ys[i]) > 1e20 ? PREC_MOST : PREC_MORE;
      mpfr_init2(reference[i], prec);
      mpfr_init2(s, prec);
      is_open = 0;
      mpfr_set_d(reference[i], c->exact ? c->exact(xs[i], ys[i], zs[i]) : xs[i], R);
      mpfr_set_d(s, ys[i], R);
      if (c->ref) c->ref(reference[i], s, xs[i], ys[i]);
      open_to_all[i] = (char)is_open;
      mpfr_clear(s);
    }
    printf("%-15s %8d", c->name, n_arg);
    for (int v = 0; v < 3; v++) {
      double worst = 0;
      int at = 0;
      if (!level[v]) continue;
      find(level[v], c->name)->run(xs, ys, zs, out, n_arg);
      for (int i = 0; i < n_arg; i++) {
        const double e = error_of(c, i, t);
        if (e > worst) worst = e, at = i;
      }
#if defined(__aarch64__)
      const double bound = c->bound_fma;
#else
      const double bound = v > 0 ? c->bound_fma : c->bound_plain;
#endif
      printf("  %.3g%s (%.17g", worst, worst > bound ? " FAIL" : "", xs[at]);
      if (op->arguments > 1) printf(", %.17g", ys[at]);
      printf(")");
      if (worst > bound) {
        failures++;
        printf("\n  %s at level %s: %.17g, exact %.17g, bound %g\n", c->name, level_name[v], out[at],
               mpfr_get_d(reference[at], R), bound);
      }
    }
    printf("\n");
    for (int i = 0; i < n_arg; i++) mpfr_clear(reference[i]);
  }
  mpfr_clear(t);
  mpfr_free_cache();
  free(reference);
  free(open_to_all);
  printf(failures ? "%d bounds exceeded\n" : "all within their bounds\n", failures);
  return failures > 0;
}
