/* test_elementary.c: largest error of every function of elementary.h against MPFR, at each SIMD level of this
 * machine. Arguments: uniform and log-uniform random ones, neighbours of the function's difficult points, edges.
 * Fails (exit 1) when a stated bound is exceeded.
 * Usage: test_elementary [random arguments per range, default 20000 [name of one function]] */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "elementary_level.h"

#define PREC 192
enum { MAX_N = 1 << 21, BLOCK = 64 };

static double xs[MAX_N], ys[MAX_N], out[MAX_N], out2[MAX_N];
static mpfr_t *reference; /* value of function at xs[i], ys[i]; made once, compared at every level */
static int n_arg;

/* ---- arguments ---- */

static uint64_t rng_state = 88172645463325252u;
static double uniform(void) { /* xorshift64*, 53 bits */
  rng_state ^= rng_state >> 12;
  rng_state ^= rng_state << 25;
  rng_state ^= rng_state >> 27;
  return (double)((rng_state * 2685821657736338717u) >> 11) * 0x1p-53;
}

static void add2(double x, double y) {
  if (n_arg == MAX_N) exit(2);
  xs[n_arg] = x;
  ys[n_arg++] = y;
}
static void add_near(double x) { /* x and 8 numbers on each side */
  double up = x, down = x;
  add2(x, 0);
  for (int k = 0; k < 8; k++) {
    add2(up = nextafter(up, INFINITY), 0);
    add2(down = nextafter(down, -INFINITY), 0);
  }
}
static void add_uniform(double a, double b, int n) {
  for (int k = 0; k < n; k++) add2(a + (b - a) * uniform(), 0);
}
static void add_log(double a, double b, int n, int both_signs) {
  for (int k = 0; k < n; k++) {
    const double v = exp(log(a) + (log(b) - log(a)) * uniform());
    add2(both_signs && uniform() < 0.5 ? -v : v, 0);
  }
}

static void args_exp(int n) {
  add_uniform(-1, 1, n);
  add_uniform(-746, 710, n);
  add_log(1e-300, 700, n, 1);
  for (int k = -1075; k <= 1024; k++) add_near(k * 0.6931471805599453), add_near((k + 0.5) * 0.6931471805599453);
  add_near(0);
  add_near(709.782712893384);
  add_near(-745.1332191019411);
  add_near(-708.3964185322641);
  add2(INFINITY, 0), add2(-INFINITY, 0), add2(NAN, 0), add2(1e300, 0), add2(-1e300, 0), add2(5e-324, 0);
}
static void args_exp_core(int n) {
  add_uniform(-1, 1, n);
  add_uniform(-707, 707, n);
  add_log(1e-300, 700, n, 1);
  for (int k = -1019; k <= 1019; k++) add_near(k * 0.6931471805599453), add_near((k + 0.5) * 0.6931471805599453);
}
static void args_log(int n) {
  add_log(5e-324, 1.7e308, n, 0);
  add_log(0.1, 10, n, 0);
  for (int k = 0; k < n; k++) add2(1 + (uniform() - 0.5) * exp(-36 * uniform()), 0);
  add_near(1), add_near(M_SQRT1_2), add_near(M_SQRT2), add_near(DBL_MIN), add_near(DBL_MAX);
  add2(0, 0), add2(-0.0, 0), add2(-1, 0), add2(-1e-310, 0), add2(INFINITY, 0), add2(-INFINITY, 0), add2(NAN, 0);
}
static void args_log_core(int n) {
  add_log(2.3e-308, 1.7e308, n, 0);
  add_log(0.1, 10, n, 0);
  for (int k = 0; k < n; k++) add2(1 + (uniform() - 0.5) * exp(-36 * uniform()), 0);
}
static void args_log1p(int n) {
  add_uniform(-1, 3, n);
  add_log(1e-300, 1.7e308, n, 0);
  add_log(1e-300, 1, n, 1);
  for (int k = 0; k < n; k++) add2(-1 + exp(-36 * uniform()), 0);
  add_near(-1), add_near(M_SQRT1_2 - 1), add_near(M_SQRT2 - 1), add_near(0), add_near(1), add_near(0x1p53);
  add2(INFINITY, 0), add2(-INFINITY, 0), add2(NAN, 0), add2(-2, 0);
}
static void add_multiples(double step, double limit) {
  for (double k = 1; k * step < limit; k = k < 2000 ? k + 1 : ceil(k * 1.003)) {
    add_near(k * step);
    add_near(-k * step);
  }
}
static void args_sin(int n) {
  add_uniform(-1, 1, n);
  add_uniform(-20, 20, n);
  add_uniform(-1e6, 1e6, n);
  add_log(1e-300, 1e6, n, 1);
  add_multiples(M_PI_4, 1e6);
  add2(NAN, 0), add2(INFINITY, 0);
}
static void args_sin_core(int n) {
  add_uniform(-1, 1, n);
  add_uniform(-20, 20, n);
  add_uniform(-1e4, 1e4, n);
  add_log(1e-300, 1e4, n, 1);
  add_multiples(M_PI_2, 1e4);
}
static void args_cos_turn(int n) {
  add_uniform(-1, 1, n);
  add_uniform(-1e6, 1e6, n);
  add_log(1e-300, 1e15, n, 1);
  add_multiples(0.25, 1e4);
}
static void args_sinpi(int n) {
  add_uniform(-1, 1, n);
  add_uniform(-1e3, 1e3, n);
  add_log(1e-290, 1e17, n, 1);
  for (int k = -100; k <= 100; k++) add_near(0.25 * k);
  add_near(0x1p52), add_near(0x1p53), add_near(0x1p51), add_near(-0x1p52), add2(1e300, 0);
  add2(NAN, 0), add2(INFINITY, 0);
}
static void args_atan(int n) {
  add_log(1e-300, 1e300, n, 1);
  add_log(1e-2, 1e2, n, 1);
  add_near(0.41421356237309503), add_near(2.414213562373095), add_near(1);
  add2(INFINITY, 0), add2(-INFINITY, 0), add2(0, 0), add2(DBL_MAX, 0), add2(5e-324, 0), add2(NAN, 0);
}
static void args_atan2(int n) {
  const double edge[] = {0, 1, 5e-324, 1e-310, DBL_MIN, 1e300, DBL_MAX, INFINITY, 0.5, 3, NAN};
  const int m = (int)(sizeof edge / sizeof *edge);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      for (int s = 0; s < 4; s++) add2(s & 1 ? -edge[i] : edge[i], s & 2 ? -edge[j] : edge[j]);
  for (int k = 0; k < 2 * n; k++) add2(2 * uniform() - 1, 2 * uniform() - 1);
  for (int k = 0; k < n; k++) {
    const double r = exp(1400 * (uniform() - 0.5)), q = exp(40 * (uniform() - 0.5));
    add2(uniform() < 0.5 ? -r : r, uniform() < 0.5 ? r * q : -r * q);
  }
}
static void args_lgam(int n) {
  add_uniform(0, 3, n);
  add_uniform(0, 20, n);
  add_log(1e-300, 1e305, n, 0);
  for (int k = 0; k < n; k++) {
    const double d = (uniform() - 0.5) * exp(-36 * uniform());
    add2(1 + d, 0), add2(2 + d, 0);
  }
  add_near(0.5), add_near(1), add_near(1.5), add_near(2), add_near(2.5), add_near(8);
  for (int k = 3; k < 8; k++) add_near(k + 0.5), add_near(k);
  add2(INFINITY, 0), add2(NAN, 0);
}
static void args_lgam_zeros(int n) {
  for (int k = 0; k < n; k++) {
    const double d = 0.2 * (uniform() - 0.5) * exp(-36 * uniform());
    add2(1 + d, 0), add2(2 + d, 0);
  }
  add_near(1), add_near(2);
}
static void args_erfcx(int n) {
  add_uniform(-27, 30, n);
  add_uniform(-1, 1, n);
  add_log(1e-300, 1e300, n, 0);
  add2(0, 0), add2(INFINITY, 0), add2(-INFINITY, 0), add2(-30, 0), add2(NAN, 0);
}
static void args_log_erfc(int n) {
  add_uniform(-30, 30, n);
  add_uniform(-1, 1, n);
  add_log(1e-300, 1e150, n, 1);
  add_near(0.5), add_near(-0.5), add_near(0);
  add2(INFINITY, 0), add2(-INFINITY, 0), add2(NAN, 0), add2(-1e300, 0), add2(1e200, 0);
}
static void args_tan_dd(int n) {
  for (int k = 0; k < 2 * n; k++) {
    const double x = uniform() < 0.5 ? M_PI_2 * uniform() : exp(-40 * uniform());
    add2(x, x * (uniform() - 0.5) * 0x1p-53);
  }
}
static void args_tan_half_pi(int n) {
  add_uniform(0, 2, 2 * n);
  for (int k = 0; k < n; k++) {
    const double d = exp(-36 * uniform());
    add2(1 + d, 0), add2(1 - d, 0), add2(2 - d, 0), add2(d, 0);
  }
  add2(0.5, 0), add2(1.5, 0), add2(2, 0);
}

static void args_exp_times_core(int n) {
  for (int k = 0; k < n; k++) add2(1400 * (uniform() - 0.5), exp(4 * uniform() - 2));
}
static void args_exp_times_far(int n) { /* the factor makes up for exp(x) */
  for (int k = 0; k < n; k++) {
    const double x = -1300 * uniform();
    add2(x, exp(fmin(700, 20 * uniform() - 0.9 * x)));
  }
  add2(-INFINITY, 1), add2(0, 1), add2(-740, 1);
}
static void args_exp_sum(int n) {
  for (int k = 0; k < 2 * n; k++) {
    const double x = 1450 * (uniform() - 0.51);
    add2(x, x * (uniform() - 0.5) * 0x1p-52);
  }
  add2(-1e300, 1e284), add2(1e300, -1e284), add2(INFINITY, 0), add2(-INFINITY, 0), add2(709.78271289338397, 1e-14);
}
static void args_log_plus(int n) {
  for (int k = 0; k < n; k++) {
    const double x = exp(700 * (2 * uniform() - 1));
    add2(x, -log(x) * (1 + (uniform() - 0.5) * exp(-36 * uniform())));
    add2(x, 1e4 * (uniform() - 0.5));
  }
  add2(2, INFINITY), add2(2, -INFINITY);
}
static void args_rsqrt(int n) { add_log(2.3e-308, 1.7e308, 2 * n, 0); }
static void args_log_dd(int n) {
  for (int k = 0; k < n; k++) {
    const double x = exp(1410 * (uniform() - 0.5)), near = 1 + (uniform() - 0.5) * exp(-30 * uniform());
    add2(x, x * (uniform() - 0.5) * 0x1p-53);
    add2(near, near == 1 ? 0 : (uniform() - 0.5) * 0x1p-53);
  }
  for (int k = 0; k < 100; k++) add2(ldexp(uniform() + 0.5, -1020 - k % 50), 0);
}

/* ---- references ---- */

static void scaled_pi(mpfr_t r, double x) { /* pi (x mod 2) */
  mpfr_const_pi(r, MPFR_RNDN);
  mpfr_mul_d(r, r, fmod(x, 2), MPFR_RNDN);
}
#define REFERENCE(name, function)                                                                            \
  static void ref_##name(mpfr_t r, double x, double y) {                                                     \
    (void)y;                                                                                                 \
    mpfr_set_d(r, x, MPFR_RNDN);                                                                             \
    function(r, r, MPFR_RNDN);                                                                               \
  }
REFERENCE(exp, mpfr_exp)
REFERENCE(expm1, mpfr_expm1)
REFERENCE(log1p, mpfr_log1p)
REFERENCE(sin, mpfr_sin)
REFERENCE(cos, mpfr_cos)
REFERENCE(tan, mpfr_tan)
REFERENCE(atan, mpfr_atan)
REFERENCE(lgam, mpfr_lngamma)
static void ref_log(mpfr_t r, double x, double y) {
  (void)y;
  mpfr_set_d(r, fabs(x) > 0 ? x : fabs(x), MPFR_RNDN); /* log(-0) = -Inf here, NaN in MPFR's convention */
  mpfr_log(r, r, MPFR_RNDN);
}
static void ref_sinpi(mpfr_t r, double x, double y) {
  (void)y;
  if (x == floor(x)) mpfr_set_d(r, isinf(x) ? NAN : 0, MPFR_RNDN);
  else scaled_pi(r, x), mpfr_sin(r, r, MPFR_RNDN);
}
static void ref_cospi(mpfr_t r, double x, double y) {
  (void)y;
  if (isinf(x)) mpfr_set_nan(r);
  else if (fabs(fmod(x, 1)) == 0.5) mpfr_set_d(r, 0, MPFR_RNDN);
  else scaled_pi(r, x), mpfr_cos(r, r, MPFR_RNDN);
}
static void ref_cos_turn(mpfr_t r, double x, double y) { ref_cospi(r, 2 * x, y); }
static void ref_atan2(mpfr_t r, double x, double y) {
  mpfr_t t;
  mpfr_init2(t, 64);
  mpfr_set_d(t, y, MPFR_RNDN);
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_atan2(r, r, t, MPFR_RNDN);
  mpfr_clear(t);
}
static void ref_erfc_log(mpfr_t r, double x, int add_square) { /* log erfc(x), or log of e^(x^2) erfc(x) */
  mpfr_t t, s;
  mpfr_inits2(PREC, t, s, (mpfr_ptr)0);
  if (x > 1e4) { /* erfcx(x) = (1 - 1/(2 x^2) + 3/(4 x^4))/(x sqrt pi) */
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_sqr(s, t, MPFR_RNDN);
    mpfr_ui_div(s, 1, s, MPFR_RNDN);
    mpfr_mul_d(r, s, 0.75, MPFR_RNDN);
    mpfr_sub_d(r, r, 0.5, MPFR_RNDN);
    mpfr_mul(r, r, s, MPFR_RNDN);
    mpfr_log1p(r, r, MPFR_RNDN);
    mpfr_const_pi(s, MPFR_RNDN);
    mpfr_sqrt(s, s, MPFR_RNDN);
    mpfr_mul(s, s, t, MPFR_RNDN);
    mpfr_log(s, s, MPFR_RNDN);
    mpfr_sub(r, r, s, MPFR_RNDN);
    if (!add_square) mpfr_sqr(s, t, MPFR_RNDN), mpfr_sub(r, r, s, MPFR_RNDN);
  } else {
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_sqr(s, r, MPFR_RNDN);
    if (fabs(x) < 0.5) mpfr_erf(t, r, MPFR_RNDN), mpfr_neg(t, t, MPFR_RNDN), mpfr_log1p(r, t, MPFR_RNDN);
    else mpfr_erfc(t, r, MPFR_RNDN), mpfr_log(r, t, MPFR_RNDN);
    if (add_square) mpfr_add(r, r, s, MPFR_RNDN);
  }
  mpfr_clears(t, s, (mpfr_ptr)0);
}
static void ref_log_erfc(mpfr_t r, double x, double y) {
  (void)y;
  if (isnan(x) || x > 1e154) mpfr_set_d(r, x > 1e154 ? -INFINITY : NAN, MPFR_RNDN);
  else if (isinf(x)) mpfr_const_log2(r, MPFR_RNDN);
  else ref_erfc_log(r, x, 0);
}
static void ref_erfcx(mpfr_t r, double x, double y) {
  (void)y;
  if (isnan(x) || isinf(x)) mpfr_set_d(r, x > 0 ? 0 : (x < 0 ? INFINITY : NAN), MPFR_RNDN);
  else ref_erfc_log(r, x, 1), mpfr_exp(r, r, MPFR_RNDN);
}
static void ref_tan_dd(mpfr_t r, double x, double y) {
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_add_d(r, r, y, MPFR_RNDN);
  mpfr_tan(r, r, MPFR_RNDN);
}
static void ref_tan_half_pi(mpfr_t r, double x, double y) {
  (void)y;
  mpfr_const_pi(r, MPFR_RNDN);
  mpfr_div_ui(r, r, 2, MPFR_RNDN);
  mpfr_mul_d(r, r, x < 1.5 ? x : x - 2, MPFR_RNDN);
  mpfr_tan(r, r, MPFR_RNDN);
}

static void ref_exp_times(mpfr_t r, double x, double y) {
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_exp(r, r, MPFR_RNDN);
  mpfr_mul_d(r, r, y, MPFR_RNDN);
}
static void ref_exp_sum(mpfr_t r, double x, double y) {
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_add_d(r, r, y, MPFR_RNDN);
  mpfr_exp(r, r, MPFR_RNDN);
}
static void ref_log_plus(mpfr_t r, double x, double y) {
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_log(r, r, MPFR_RNDN);
  mpfr_add_d(r, r, y, MPFR_RNDN);
}
static void ref_rsqrt(mpfr_t r, double x, double y) {
  (void)y;
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_rec_sqrt(r, r, MPFR_RNDN);
}
static void ref_log_dd(mpfr_t r, double x, double y) {
  mpfr_set_d(r, x, MPFR_RNDN);
  mpfr_add_d(r, r, y, MPFR_RNDN);
  mpfr_log(r, r, MPFR_RNDN);
}

/* ---- cases: error unit and bounds ---- */

/* ULP: units in the last place of the exact value; UNIT_1: 2^-53 * max(1, |value|); REL: relative, for hi + lo */
enum unit { ULP, UNIT_1, REL };
typedef struct {
  const char *name;
  void (*args)(int n);
  void (*ref)(mpfr_t r, double x, double y);
  enum unit unit;
  double bound_fma, bound_plain;
} test_case;

static const test_case cases[] = {
    {"exp_", args_exp, ref_exp, ULP, 0.8, 0.8},
    {"exp_core_", args_exp_core, ref_exp, ULP, 1.1, 1.1},
    {"expm1_", args_exp, ref_expm1, ULP, 1.2, 1.2},
    {"expm1_core_", args_exp_core, ref_expm1, ULP, 2.3, 2.3},
    {"log_", args_log, ref_log, ULP, 0.8, 0.8},
    {"log_core_", args_log_core, ref_log, ULP, 0.9, 0.9},
    {"log1p_", args_log1p, ref_log1p, ULP, 0.9, 0.9},
    {"sin_", args_sin, ref_sin, ULP, 0.8, 0.9},
    {"cos_", args_sin, ref_cos, ULP, 0.8, 0.9},
    {"sin_core_", args_sin_core, ref_sin, UNIT_1, 2.2, 2.4},
    {"add_cos_turn_", args_cos_turn, ref_cos_turn, UNIT_1, 3.3, 3.9},
    {"tan_", args_sin, ref_tan, ULP, 1.2, 1.2},
    {"sinpi_", args_sinpi, ref_sinpi, ULP, 0.8, 0.8},
    {"cospi_", args_sinpi, ref_cospi, ULP, 0.8, 0.8},
    {"atan_", args_atan, ref_atan, ULP, 2.5, 2.5},
    {"atan2_", args_atan2, ref_atan2, ULP, 2.5, 2.5},
    {"lgam_", args_lgam, ref_lgam, UNIT_1, 3.5, 4.0},
    {"lgam_", args_lgam_zeros, ref_lgam, ULP, 3.5, 3.5},
    {"erfcx_", args_erfcx, ref_erfcx, ULP, 7.0, 7.0},
    {"log_erfc_", args_log_erfc, ref_log_erfc, ULP, 5.0, 5.0},
    {"tan_dd", args_tan_dd, ref_tan_dd, REL, 2e-30, 2e-30},
    {"tan_half_pi_dd", args_tan_half_pi, ref_tan_half_pi, REL, 2e-30, 2e-30},
    {"exp_times_core_", args_exp_times_core, ref_exp_times, ULP, 1.5, 1.5},
    {"exp_times_far_", args_exp_times_far, ref_exp_times, ULP, 1.5, 1.5},
    {"exp_sum_times_", args_exp_sum, ref_exp_sum, ULP, 1.0, 1.0},
    {"log_plus_", args_log_plus, ref_log_plus, UNIT_1, 2.0, 2.0},
    {"rsqrt_", args_rsqrt, ref_rsqrt, ULP, 3.0, 4.0},
    {"log_dd", args_log_dd, ref_log_dd, REL, 5e-17, 5e-17},
};

/* Error of hi (+ lo) in the case's unit; infinite where one is special and the other is not. */
static double error_of(const test_case *c, double hi, double lo, mpfr_t exact, mpfr_t t) {
  const double near = mpfr_get_d(exact, MPFR_RNDN);
  if (isnan(near) || isnan(hi)) return isnan(near) && isnan(hi) ? 0 : INFINITY;
  if (isinf(near) || isinf(hi)) return near == hi ? 0 : INFINITY;
  mpfr_set_d(t, hi, MPFR_RNDN);
  if (c->unit == REL) mpfr_add_d(t, t, lo, MPFR_RNDN);
  mpfr_sub(t, t, exact, MPFR_RNDN);
  if (mpfr_zero_p(t)) return 0;
  if (c->unit == REL) mpfr_div(t, t, exact, MPFR_RNDN);
  else if (c->unit == UNIT_1) mpfr_mul_d(t, t, 0x1p53 / fmax(1, fabs(near)), MPFR_RNDN);
  else {
    int e;
    frexp(near, &e);
    mpfr_mul_2si(t, t, near == 0 || e < -1021 ? 1074 : 53 - e, MPFR_RNDN);
  }
  return fabs(mpfr_get_d(t, MPFR_RNDN));
}

static const elementary_loop *find(const elementary_loop *table, const char *name) {
  while (table->name && strcmp(table->name, name)) table++;
  return table;
}

static int fma_in_baseline(void) {
#if defined(__aarch64__)
  return 1;
#else
  return 0;
#endif
}

int main(int argc, char **argv) {
  static const char *const level_name[3] = {"baseline", "avx2", "avx512"};
  const elementary_loop *level[3] = {elementary_baseline, NULL, NULL};
  const int n = argc > 1 ? atoi(argv[1]) : 20000;
  int failures = 0, first = 1;
  mpfr_t t;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) level[1] = elementary_avx2;
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    level[2] = elementary_avx512;
#endif
  reference = malloc(MAX_N * sizeof *reference);
  if (!reference) return 2;
  mpfr_init2(t, PREC);
  for (const test_case *c = cases; c < cases + sizeof cases / sizeof *cases; c++) {
    if (argc > 2 && strcmp(argv[2], c->name)) continue;
    n_arg = 0;
    c->args(n);
    while (n_arg % BLOCK) add2(xs[n_arg - 1], ys[n_arg - 1]);
    for (int i = 0; i < n_arg; i++) {
      mpfr_init2(reference[i], PREC);
      c->ref(reference[i], xs[i], ys[i]);
    }
    if (first) printf("%-15s %8s  largest error (argument) per level\n", "", "values");
    first = 0;
    printf("%-15s %8d", c->name, n_arg);
    for (int v = 0; v < 3; v++) {
      double worst = 0;
      int at = 0;
      if (!level[v]) continue;
      find(level[v], c->name)->run(xs, ys, out, out2, n_arg);
      for (int i = 0; i < n_arg; i++) {
        const double e = error_of(c, out[i], out2[i], reference[i], t);
        if (e > worst) worst = e, at = i;
      }
      const double bound = v > 0 || fma_in_baseline() ? c->bound_fma : c->bound_plain;
      printf("  %.3g%s (%.17g", worst, worst > bound ? " FAIL" : "", xs[at]);
      if (c->unit == REL || c->ref == ref_atan2) printf(", %.17g", ys[at]);
      printf(")");
      if (worst > bound) {
        failures++;
        printf("\n  %s at level %s: %.17g, exact %.17g, bound %g\n", c->name, level_name[v], out[at],
               mpfr_get_d(reference[at], MPFR_RNDN), bound);
      }
    }
    printf("\n");
    for (int i = 0; i < n_arg; i++) mpfr_clear(reference[i]);
  }
  mpfr_clear(t);
  mpfr_free_cache();
  free(reference);
  printf(failures ? "%d bounds exceeded\n" : "all within their bounds\n", failures);
  return failures > 0;
}
