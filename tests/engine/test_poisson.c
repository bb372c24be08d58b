/* test_poisson.c: the Poisson distribution through the engine, against MPFR: the errors that
 * kernels/poisson/poisson.h and poisson_tail.h state, densities and tails in units of the last place, quantiles next
 * to the jumps of the distribution function, hostile arguments. On the CPU, at the level that STATCL_CPU tells, and
 * each OpenCL device.
 * Usage: test_poisson <kernel folder> <cache folder> [size: 1, or less under sanitizers] */
#define _XOPEN_SOURCE 700 /* for M_PI */
#include <float.h>
#include <limits.h>
#include <mpfr.h>

#include "poisson/poisson.h"
#include "check.h"
#include "poisson_level.h"

static double size = 1;
static const double inf = INFINITY;

static double log_uniform(double a, double b) { return exp(log(a) + (log(b) - log(a)) * uniform()); }
static int64_t sized(double n) { return (int64_t)(n * size) + 20; }

/* ---- the distribution in MPFR ---- */

/* Enough for a log a - lambda - log a! to be right to 2^-150 or so. */
static mpfr_prec_t digits_for(double lambda, double a) {
  int e, f;
  frexp(lambda, &e);
  frexp(a, &f);
  e = e > f ? e : f;
  return 180 + (e > 0 ? e : 0);
}

static void log_mass(mpfr_t r, double lambda, double k) {
  mpfr_t t;
  mpfr_set_prec(r, digits_for(lambda, k));
  mpfr_init2(t, digits_for(lambda, k));
  mpfr_set_d(t, lambda, MPFR_RNDN);
  mpfr_log(r, t, MPFR_RNDN);
  mpfr_mul_d(r, r, k, MPFR_RNDN);
  mpfr_sub(r, r, t, MPFR_RNDN);
  mpfr_set_d(t, k, MPFR_RNDN);
  mpfr_add_ui(t, t, 1, MPFR_RNDN);
  mpfr_lngamma(t, t, MPFR_RNDN);
  mpfr_sub(r, r, t, MPFR_RNDN);
  mpfr_clear(t);
}

/* Taylor coefficients of Temme's c_k(eta): c_0 = 1/mu - 1/eta where eta^2/2 = mu - log(1 + mu), the further ones by
 * recursion (DLMF 8.12.10 - 8.12.15). */
enum { ORDERS = 8, TERMS = 60, ALL_TERMS = TERMS + 2 * ORDERS };
static mpfr_t temme[ORDERS][ALL_TERMS];

static void temme_make(void) {
  /* g_k of Stirling's series of Gamma(a): numerator and denominator */
  static const double g[ORDERS][2] = {{1, 1},           {1, 12},           {1, 288},
                                      {-139, 51840},    {-571, 2488320},   {163879, 209018880},
                                      {5246819, 75246796800.}, {-534703531, 902961561600.}};
  mpfr_t alpha[ALL_TERMS + 2], t;
  mpfr_init2(t, 256);
  for (int n = 0; n < ALL_TERMS + 2; n++) mpfr_init2(alpha[n], 256);
  mpfr_set_ui(alpha[0], 0, MPFR_RNDN);
  mpfr_set_ui(alpha[1], 1, MPFR_RNDN);
  for (int n = 2; n < ALL_TERMS + 2; n++) {
    mpfr_set(alpha[n], alpha[n - 1], MPFR_RNDN);
    for (int j = 2; j < n; j++) {
      mpfr_mul(t, alpha[j], alpha[n - j + 1], MPFR_RNDN);
      mpfr_mul_si(t, t, -j, MPFR_RNDN);
      mpfr_add(alpha[n], alpha[n], t, MPFR_RNDN);
    }
    mpfr_div_ui(alpha[n], alpha[n], (unsigned long)n + 1, MPFR_RNDN);
  }
  for (int k = 0; k < ORDERS; k++)
    for (int n = 0; n < ALL_TERMS - 2 * k; n++) {
      mpfr_init2(temme[k][n], 256);
      mpfr_mul_si(temme[k][n], alpha[n + 2], n + 2, MPFR_RNDN);
      if (n == 0) mpfr_sub_ui(temme[k][n], temme[k][n], 1, MPFR_RNDN);
      if (k == 0) continue;
      /* of (-1)^k g_k, times d_0n, and (n + 2) d_(k-1, n+2) */
      mpfr_mul_d(temme[k][n], temme[k][n], k % 2 ? -g[k][0] : g[k][0], MPFR_RNDN);
      mpfr_div_d(temme[k][n], temme[k][n], g[k][1], MPFR_RNDN);
      mpfr_mul_ui(t, temme[k - 1][n + 2], (unsigned long)n + 2, MPFR_RNDN);
      mpfr_add(temme[k][n], temme[k][n], t, MPFR_RNDN);
    }
  for (int n = 0; n < ALL_TERMS + 2; n++) mpfr_clear(alpha[n]);
  mpfr_clear(t);
}

static void temme_drop(void) {
  for (int k = 0; k < ORDERS; k++)
    for (int n = 0; n < ALL_TERMS - 2 * k; n++) mpfr_clear(temme[k][n]);
}

/* Both tails at a - 1, that is P(N < a) and P(N >= a), for whole a >= 1, and their logarithms. */
enum { LOWER, UPPER, LOG_LOWER, LOG_UPPER, FORMS };
typedef struct {
  mpfr_t form[FORMS];
} tails;
static tails ref;

static void tails_set_prec(tails *r, mpfr_prec_t prec) {
  for (int k = 0; k < FORMS; k++) mpfr_set_prec(r->form[k], prec);
}

/* log of sum = a/lambda + a (a - 1)/lambda^2 + ... or 1 + lambda/(a + 1) + ... */
static void log_sum(mpfr_t r, double lambda, double a, int lower) {
  mpfr_t t, k;
  mpfr_set_prec(r, 150);
  mpfr_inits2(150, t, k, (mpfr_ptr)0);
  mpfr_set_d(k, a, MPFR_RNDN);
  mpfr_set_ui(t, 1, MPFR_RNDN);
  if (lower) mpfr_set_d(t, a, MPFR_RNDN), mpfr_div_d(t, t, lambda, MPFR_RNDN);
  mpfr_set(r, t, MPFR_RNDN);
  while (!mpfr_zero_p(t) && mpfr_get_exp(t) > mpfr_get_exp(r) - 130) {
    if (lower) mpfr_sub_ui(k, k, 1, MPFR_RNDN), mpfr_mul(t, t, k, MPFR_RNDN), mpfr_div_d(t, t, lambda, MPFR_RNDN);
    else mpfr_add_ui(k, k, 1, MPFR_RNDN), mpfr_mul_d(t, t, lambda, MPFR_RNDN), mpfr_div(t, t, k, MPFR_RNDN);
    mpfr_add(r, r, t, MPFR_RNDN);
  }
  mpfr_log(r, r, MPFR_RNDN);
  mpfr_clears(t, k, (mpfr_ptr)0);
}

/* D/a = eta^2/2 = mu - log(1 + mu), mu = (lambda - a)/a */
static void half_square(mpfr_t r, double lambda, double a) {
  mpfr_t t;
  mpfr_set_prec(r, 2 * digits_for(lambda, a));
  mpfr_init2(t, 2 * digits_for(lambda, a));
  mpfr_set_d(r, lambda, MPFR_RNDN);
  mpfr_div_d(r, r, a, MPFR_RNDN);
  mpfr_log(t, r, MPFR_RNDN);
  mpfr_set_d(r, lambda, MPFR_RNDN);
  mpfr_sub_d(r, r, a, MPFR_RNDN);
  mpfr_div_d(r, r, a, MPFR_RNDN);
  if (lambda > 0.5 * a && lambda < 2 * a) mpfr_log1p(t, r, MPFR_RNDN);
  mpfr_sub(r, r, t, MPFR_RNDN);
  mpfr_clear(t);
}

static void temme_log_tail(mpfr_t r, double lambda, double a, int lower) {
  mpfr_t half, eta, s, c, t;
  mpfr_inits2(180, half, eta, s, c, t, (mpfr_ptr)0);
  half_square(half, lambda, a);
  mpfr_set_prec(r, 180);
  mpfr_mul_2ui(eta, half, 1, MPFR_RNDN);
  mpfr_sqrt(eta, eta, MPFR_RNDN);
  if (!lower) mpfr_neg(eta, eta, MPFR_RNDN);
  mpfr_set_ui(s, 0, MPFR_RNDN);
  for (int k = ORDERS - 1; k >= 0; k--) {
    mpfr_set_ui(c, 0, MPFR_RNDN);
    for (int n = TERMS - 1; n >= 0; n--) mpfr_fma(c, c, eta, temme[k][n], MPFR_RNDN);
    mpfr_div_d(s, s, a, MPFR_RNDN);
    mpfr_add(s, s, c, MPFR_RNDN);
  }
  if (!lower) mpfr_neg(s, s, MPFR_RNDN);
  /* s exp(-D)/sqrt(2 pi a) + erfc(sqrt D)/2 */
  mpfr_mul_d(t, half, a, MPFR_RNDN);
  mpfr_neg(c, t, MPFR_RNDN);
  mpfr_exp(c, c, MPFR_RNDN);
  mpfr_mul(s, s, c, MPFR_RNDN);
  mpfr_const_pi(c, MPFR_RNDN);
  mpfr_mul_2ui(c, c, 1, MPFR_RNDN);
  mpfr_mul_d(c, c, a, MPFR_RNDN);
  mpfr_sqrt(c, c, MPFR_RNDN);
  mpfr_div(s, s, c, MPFR_RNDN);
  mpfr_sqrt(t, t, MPFR_RNDN);
  mpfr_erfc(t, t, MPFR_RNDN);
  mpfr_div_2ui(t, t, 1, MPFR_RNDN);
  mpfr_add(r, s, t, MPFR_RNDN);
  mpfr_log(r, r, MPFR_RNDN);
  mpfr_clears(half, eta, s, c, t, (mpfr_ptr)0);
}

/* The sums need about sqrt(a) terms near lambda, where for large a Temme's expansion has digits enough, and few
 * elsewhere. Where D > 1e15 little but its logarithm is left of the tail, for which the geometric series will do. */
static void tails_at(tails *r, double lambda, double a) {
  const double mu = (lambda - a) / a, d = a * (mu > -1 ? mu - log1p(mu) : inf);
  const int lower = lambda >= a;
  mpfr_t s;
  mpfr_init2(s, 180);
  tails_set_prec(r, digits_for(lambda, a));
  mpfr_ptr log_small = r->form[lower ? LOG_LOWER : LOG_UPPER], log_other = r->form[lower ? LOG_UPPER : LOG_LOWER];
  mpfr_ptr small = r->form[lower ? LOWER : UPPER], other = r->form[lower ? UPPER : LOWER];
  if (a >= 3000 && mu > -0.3 && mu < 0.5 && d < 1e15) temme_log_tail(log_small, lambda, a, lower);
  else {
    if (a >= 3000 && mu > -0.3 && mu < 0.5) {
      mpfr_set_d(s, lower ? a : lambda, MPFR_RNDN);
      mpfr_div_d(s, s, lower ? lambda : a, MPFR_RNDN);
      mpfr_ui_sub(s, 1, s, MPFR_RNDN);
      mpfr_log(s, s, MPFR_RNDN);
      mpfr_neg(s, s, MPFR_RNDN);
    } else log_sum(s, lambda, a, lower);
    log_mass(log_small, lambda, a);
    mpfr_add(log_small, log_small, s, MPFR_RNDN);
  }
  mpfr_exp(small, log_small, MPFR_RNDN);
  mpfr_ui_sub(other, 1, small, MPFR_RNDN);
  mpfr_neg(s, small, MPFR_RNDN);
  mpfr_log1p(log_other, s, MPFR_RNDN);
  mpfr_clear(s);
}

/* Error in units of the last place of the exact value; infinite where one is special and the other is not. */
static double ulps(double got, mpfr_t exact) {
  const double near = mpfr_get_d(exact, MPFR_RNDN);
  if (isnan(got)) return inf;
  if (isinf(near) || isinf(got)) return near == got ? 0 : inf;
  int e;
  mpfr_t t;
  mpfr_init2(t, 64);
  frexp(near, &e);
  mpfr_d_sub(t, got, exact, MPFR_RNDN);
  mpfr_mul_2si(t, t, near == 0 || e < -1021 ? 1074 : 53 - e, MPFR_RNDN);
  const double error = fabs(mpfr_get_d(t, MPFR_RNDN));
  mpfr_clear(t);
  return error;
}

/* ---- densities and tails ---- */

typedef struct {
  const char *name;
  double bound, worst, lambda, k, got;
} record;

static void note(record *r, double error, double lambda, double k, double got) {
  if (!(error <= r->worst)) r->worst = error, r->lambda = lambda, r->k = k, r->got = got;
}

static void tell(const char *device, const record *r) {
  check(r->worst <= r->bound, "%s: %s off by %g, bound %g, at lambda %.17g, %.17g: %.17g", device, r->name, r->worst,
        r->bound, r->lambda, r->k, r->got);
  printf("%s: %-14s %.3g (lambda %.17g, %.17g)\n", device, r->name, r->worst, r->lambda, r->k);
}

static double some_lambda(void) {
  switch (below(8)) {
  case 0: return log_uniform(1e-300, 1e300);
  case 1: return log_uniform(1e5, 1e17);
  case 2: return below(40) + 1;
  default: return log_uniform(0.01, 1e6);
  }
}

/* A whole number some standard deviations away, or anywhere. */
static double some_k(double lambda) {
  const double far = below(3) ? 40 : 6, k = floor(lambda + (2 * uniform() - 1) * far * sqrt(lambda));
  switch (below(8)) {
  case 0: return below(30);
  case 1: return floor(lambda * log_uniform(0.1, 10));
  case 2: return floor(log_uniform(1, 1e300));
  default: return k > 0 ? k : 0;
  }
}

/* Bounds here and below: the largest of 15 times as many points, and a fifth or so. */
static void test_values(const char *device, int64_t n) {
  record all[2 + FORMS] = {{.name = "density", .bound = 4.5},    {.name = "log density", .bound = 3},
                           {.name = "lower tail", .bound = 9}, {.name = "upper tail", .bound = 9},
                           {.name = "log lower", .bound = 9},  {.name = "log upper", .bound = 9}};
  double *lambda = reals(n), *k = reals(n), *out = reals(n * (2 + FORMS));
  status st = STATUS_OK;
  mpfr_t exact;
  mpfr_init2(exact, 100);
  for (int64_t i = 0; i < n; i++) {
    lambda[i] = i % 4 ? some_lambda() : log_uniform(1e-4, 40); /* a quarter with sums of few terms */
    k[i] = i % 4 ? some_k(lambda[i]) : below(19);
  }
  for (int f = 0; f < 2 + FORMS && !st; f++)
    st = f < 2 ? poisson_density(n, (column){k, n}, (column){lambda, n}, f, out + f * n)
               : poisson_tail(n, (column){k, n}, (column){lambda, n}, f & 1, f >= 2 + LOG_LOWER, out + f * n);
  check(st == STATUS_OK, "%s: values: %s", device, last_error());
  for (int64_t i = 0; i < n && !st; i++) {
    log_mass(exact, lambda[i], k[i]);
    note(all + 1, ulps(out[n + i], exact), lambda[i], k[i], out[n + i]);
    mpfr_exp(exact, exact, MPFR_RNDN);
    note(all, ulps(out[i], exact), lambda[i], k[i], out[i]);
    /* beyond 2^53 k + 1 is rounded to a double, as in base R */
    tails_at(&ref, lambda[i], k[i] + 1);
    for (int f = 0; f < FORMS; f++) {
      const double got = out[(2 + f) * n + i];
      note(all + 2 + f, ulps(got, ref.form[f]), lambda[i], k[i], got);
    }
  }
  for (int f = 0; f < 2 + FORMS; f++) tell(device, all + f);
  mpfr_clear(exact);
  free(lambda);
  free(k);
  free(out);
}

/* ---- what inst/kernels/poisson/poisson.h and poisson_tail.h say of their functions ---- */

/* log P(Z > w) */
static void log_normal_tail(mpfr_t r, double w) {
  mpfr_t t;
  mpfr_init2(t, 160);
  mpfr_set_prec(r, 160);
  mpfr_set_d(r, w, MPFR_RNDN);
  mpfr_sqrt_ui(t, 2, MPFR_RNDN);
  mpfr_div(r, r, t, MPFR_RNDN);
  mpfr_erfc(r, r, MPFR_RNDN);
  mpfr_div_2ui(r, r, 1, MPFR_RNDN);
  mpfr_log(r, r, MPFR_RNDN);
  mpfr_clear(t);
}

/* w's distance to the quantile of log u: of log P(Z > w) over its slope */
static double normal_error(double w, double u, double log_u) {
  const double tail = 0.5 * erfc(w / M_SQRT2), hazard = exp(-0.5 * w * w) / (sqrt(2 * M_PI) * tail);
  mpfr_t t, exact;
  mpfr_inits2(160, t, exact, (mpfr_ptr)0);
  log_normal_tail(t, w);
  if (u > 0) mpfr_set_d(exact, u, MPFR_RNDN), mpfr_log(exact, exact, MPFR_RNDN);
  else mpfr_set_d(exact, log_u, MPFR_RNDN);
  mpfr_sub(t, t, exact, MPFR_RNDN);
  const double error = mpfr_get_d(t, MPFR_RNDN) / (w < 20 ? hazard : w);
  mpfr_clears(t, exact, (mpfr_ptr)0);
  return fabs(error);
}

static void test_normal(const poisson_level *f, int64_t n) {
  record centre = {.name = "normal centre", .bound = 6e-16}, far = {.name = "normal far", .bound = 1e-15};
  record roughly = {.name = "normal roughly", .bound = 1e-7};
  for (int64_t i = 0; i < n; i++) {
    double beyond;
    const double u = below(2) ? log_uniform(4.83e-4, 0.5) : 0.5 - ldexp(uniform() + 0.5, -2 - below(50));
    const double w = f->normal_centre(u, &beyond);
    if (u < 0.5) note(&centre, beyond > 0 ? inf : normal_error(w, u, 0) / w, 0, u, w);
    const double log_u = below(2) ? -log_uniform(M_LN2, 1e6) : -M_LN2 - 10 * uniform() * uniform();
    const double v = f->normal_far(log_u);
    note(&far, normal_error(v, 0, log_u) / fmax(1, v), 0, log_u, v);
    if (log_u > -1e4) note(&roughly, fabs(f->normal_roughly(log_u) - v), 0, log_u, v);
  }
  tell("kernels", &centre);
  tell("kernels", &far);
  tell("kernels", &roughly);
}

/* log of Q(x, lambda), or of 1 - Q, for any x > 0: by Legendre's continued fraction where x < lambda - 1, else by
 * 1 - Q = e^-lambda lambda^x/Gamma(x + 1) (1 + lambda/(x + 1) + ...). Some 1e-13 off. */
static double log_tail(double x, double lambda, int upper) {
  const int fraction = x < lambda - 1;
  double b = lambda + 1 - x, c = 1e300, d = 1 / b, h = x * d, term = 1, sum = 1;
  mpfr_t t;
  mpfr_init2(t, 200);
  log_mass(t, lambda, x);
  const double first = mpfr_get_d(t, MPFR_RNDN);
  mpfr_clear(t);
  for (int i = 1; fraction && i < 10000000; i++) {
    const double a = -i * (i - x);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-16) break;
  }
  for (int j = 1; !fraction && j < 10000000 && (term > 1e-17 * sum || x + j < lambda); j++)
    sum += term *= lambda / (x + j);
  const double value = first + log(fraction ? h : sum);
  return fraction != upper ? value : log1p(-exp(value));
}

/* The x >= least, near x0, with log_tail(x) = goal, by secants. */
static double place_of(double x0, double lambda, int upper, double goal, double least) {
  double x = fmax(x0, least);
  for (int i = 0; i < 60; i++) {
    const double h = 1e-3 * fmin(x, 1), at = log_tail(x, lambda, upper);
    double next = x + (goal - at) * h / (log_tail(x + h, lambda, upper) - at);
    if (!(next > least)) next = x > least * (1 + 1e-9) ? 0.5 * (x + least) : least;
    if (fabs(next - x) < 1e-9) return next;
    x = next;
  }
  return NAN;
}

static double normal_goal(double w) {
  mpfr_t t;
  mpfr_init2(t, 160);
  log_normal_tail(t, fabs(w));
  const double goal = mpfr_get_d(t, MPFR_RNDN);
  mpfr_clear(t);
  return goal;
}

/* Errors over their bounds, so that 1 is the most. */
static void test_shift(const poisson_level *f, int64_t n) {
  record near = {.name = "shift, near", .bound = 1}, far = {.name = "shift, far", .bound = 1};
  record wide = {.name = "shift, wide", .bound = 1};
  for (int64_t i = 0; i < n; i++) {
    const double lambda = 8 * exp(15 * uniform() * uniform() * uniform()), root = sqrt(lambda), by = 1 / lambda;
    const double w = (below(4) ? 1 - 2 * uniform() : 2 * below(2) - 1) * fmin(3.3, 1.18 * root);
    const double x = lambda + f->shift(w, w * root * by, root, by);
    const double error = fabs(x - place_of(x, lambda, w > 0, normal_goal(w), 0.01));
    note(&near, error / (3e-6 + 0.1 * by * by + 4e-15 * root), lambda, w, x);
    const double v = (2 * below(2) - 1) * log_uniform(1, fmin(0.54 * root, 1414));
    const double y = lambda + f->shift(v, v * root * by, root, by);
    const double other = fabs(y - place_of(y, lambda, v > 0, normal_goal(v), 0.01));
    note(&far, other / (1e-6 + 1e-7 * v * v + 1e-2 * by), lambda, v, y);
    const double u = (2 * below(2) - 1) * log_uniform(1, fmin(1.18 * root, 20));
    const double z = lambda + f->shift(u, u * root * by, root, by);
    note(&wide, fabs(z - place_of(z, lambda, u > 0, normal_goal(u), 0.01)) / (2e-3 + 3e-5 * u * u), lambda, u, z);
  }
  tell("kernels", &near);
  tell("kernels", &far);
  tell("kernels", &wide);
}

/* poisson_exact trusts an estimate that is off by less than 1/2. Where x < 1/2 an estimate below that is as good. */
static void test_far(const poisson_level *f, int64_t n) {
  record all[2] = {{.name = "far, lower", .bound = 0.05}, {.name = "far, upper", .bound = 0.05}};
  for (int64_t i = 0; i < n; i++) {
    const int upper = below(2);
    const double lambda = upper && below(2) ? log_uniform(1e-280, 1) : log_uniform(0.01, 6e6);
    const double most = fmin(sqrt(2e6 / lambda), upper ? inf : 1.5), least = 0.54;
    if (most < least) continue;
    double s = below(20) ? log_uniform(least, most) : least;
    if (!upper && below(3) == 0) s = fmax(least, sqrt(2 - 2 * exp(-12 * uniform()))); /* towards x = 0 */
    if (!upper) s = -s;
    const double w = s * sqrt(lambda), goal = normal_goal(w);
    if (fabs(w) < 3.2 || goal < -1e6) continue;
    const double x = f->far(s, lambda), exact = place_of(x, lambda, upper, goal, 0.5);
    note(all + upper, fabs(fmax(x, 0.5) - exact), lambda, s, x);
  }
  tell("kernels", all);
  tell("kernels", all + 1);
}

static void test_mass(const poisson_level *f, int64_t n) {
  record peak = {.name = "peak", .bound = 2.4}, deviance = {.name = "deviance", .bound = 5e-19};
  mpfr_t exact, t;
  mpfr_inits2(200, exact, t, (mpfr_ptr)0);
  for (int64_t i = 0; i < n; i++) {
    const double a = below(2) ? 1 + below(60) : floor(log_uniform(1, 1e15)), value = f->peak(a);
    log_mass(exact, a, a);
    mpfr_exp(exact, exact, MPFR_RNDN);
    note(&peak, ulps(value, exact), 0, a, value);
    const double lambda = some_lambda(), k = fmax(some_k(lambda), 1);
    if (k == lambda) continue;
    double lo;
    const double d = f->deviance(lambda, k, &lo);
    half_square(exact, lambda, k);
    mpfr_mul_d(exact, exact, k, MPFR_RNDN);
    if (mpfr_cmp_d(exact, 1e300) > 0) continue;
    mpfr_set_d(t, d, MPFR_RNDN);
    mpfr_add_d(t, t, lo, MPFR_RNDN);
    mpfr_div(t, t, exact, MPFR_RNDN);
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    note(&deviance, fabs(mpfr_get_d(t, MPFR_RNDN)), lambda, k, d);
  }
  tell("kernels", &peak);
  tell("kernels", &deviance);
  mpfr_clears(exact, t, (mpfr_ptr)0);
}

/* ---- quantiles next to jumps ---- */

/* Is the tail at k on p's side of the jump? By how many units in the last place of p? */
static int reaches(double lambda, double k, double p, int form, double *margin) {
  *margin = inf;
  if (k < 0) return 0;
  tails_at(&ref, lambda, k + 1);
  *margin = ulps(p, ref.form[form]);
  const int order = mpfr_cmp_d(ref.form[form], p);
  return form & 1 ? order <= 0 : order >= 0;
}

typedef struct {
  record decision; /* largest margin of a wrong one */
  int64_t n, wrong, far;
} verdict;

static void judge(verdict *v, double lambda, double p, int form, double q) {
  double margin, none;
  v->n++;
  if (!(q >= 0 && q < 0x1p53 && q == floor(q))) {
    v->far++;
    note(&v->decision, inf, lambda, p, q);
  } else if (!reaches(lambda, q, p, form, &margin)) {
    v->wrong++;
    v->far += !reaches(lambda, q + 1, p, form, &none);
    note(&v->decision, margin, lambda, p, q);
  } else if (reaches(lambda, q - 1, p, form, &margin)) {
    v->wrong++;
    v->far += reaches(lambda, q - 2, p, form, &none);
    note(&v->decision, margin, lambda, p, q);
  }
}

/* Next to the tail at k: up to 20 units in the last place away, or by a small share. */
static double near_jump(double lambda, double k, int form) {
  tails_at(&ref, lambda, k + 1);
  double p = mpfr_get_d(ref.form[form], MPFR_RNDN);
  if (below(2))
    for (int steps = below(21), up = below(2); steps > 0; steps--) p = nextafter(p, up ? inf : -inf);
  else p *= 1 + (2 * below(2) - 1) * log_uniform(1e-15, 1e-2);
  const int within = form >= LOG_LOWER ? p < 0 && p > -DBL_MAX : p > 0 && p < 1;
  return within ? p : form >= LOG_LOWER ? -1 : 0.5;
}

static double jump_lambda(void) {
  switch (below(10)) {
  case 0: return log_uniform(1e-290, 1e-3);
  case 1: return log_uniform(1e6, 1e15);
  case 2: return below(40) + 1;
  case 3: return 7 + 30 * uniform();
  default: return log_uniform(1e-3, 1e6);
  }
}

static void test_jumps(const char *device, int64_t groups) {
  enum { EACH = 24 };
  static const char *const names[FORMS] = {"lower quantile", "upper quantile", "log lower", "log upper"};
  const int64_t n = groups * EACH;
  double *lambda = reals(n), *p = reals(n), *own = reals(n), *joint = reals(n);
  for (int form = 0; form < FORMS; form++) {
    verdict v = {.decision = {.name = names[form], .bound = 6}};
    status st = STATUS_OK;
    const int logs = form >= LOG_LOWER;
    for (int64_t g = 0; g < groups; g++) {
      const double l = jump_lambda();
      for (int64_t i = g * EACH; i < (g + 1) * EACH; i++) {
        const double z = (2 * uniform() - 1) * (below(3) ? 5 : 37), k = floor(l + sqrt(l) * z);
        lambda[i] = l;
        p[i] = near_jump(l, below(6) ? fmax(k, 0) : below(10), form);
        if (logs && l < 1e6 && below(10) == 0) p[i] = near_jump(l, floor(l * log_uniform(0.1, 30)), form);
      }
      /* one lambda for all of a call, and many */
      st = poisson_quantile(EACH, (column){p + g * EACH, EACH}, (column){lambda + g * EACH, 1}, form & 1, logs, 0,
                            own + g * EACH);
      if (st) break;
    }
    if (!st) st = poisson_quantile(n, (column){p, n}, (column){lambda, n}, form & 1, logs, 0, joint);
    check(st == STATUS_OK, "%s: quantiles: %s", device, last_error());
    for (int64_t i = 0; i < n && !st; i++) {
      judge(&v, lambda[i], p[i], form, own[i]);
      if (joint[i] != own[i]) judge(&v, lambda[i], p[i], form, joint[i]);
    }
    tell(device, &v.decision);
    check(v.far == 0, "%s: %s: %lld of %lld off by more than one", device, names[form], (long long)v.far,
          (long long)v.n);
    printf("%s: %s: %lld of %lld next to jumps on the wrong side\n", device, names[form], (long long)v.wrong,
           (long long)v.n);
  }
  free(lambda);
  free(p);
  free(own);
  free(joint);
}

/* ---- single precision and random numbers ---- */

/* A float lambda, probabilities that are floats: w is some 1e-7 off and sqrt(lambda) w floors differently. */
static void test_single(const char *device, int64_t n) {
  double *p = reals(n), *exact = reals(n), *q = reals(n);
  for (int k = 0; k < 12; k++) {
    const double lambda = (float)exp(-2 + k);
    int64_t unlike = 0, far = 0;
    for (int64_t i = 0; i < n; i++) p[i] = uniform();
    status st = poisson_quantile(n, (column){p, n}, (column){&lambda, 1}, k & 1, 0, 0, exact);
    if (!st) st = poisson_quantile(n, (column){p, n}, (column){&lambda, 1}, k & 1, 0, 1, q);
    for (int64_t i = 0; i < n && !st; i++) {
      unlike += q[i] != exact[i];
      far += !(fabs(q[i] - exact[i]) <= 1);
    }
    const double most = 5 + 2e-6 * fmax(1, sqrt(lambda)) * (double)n;
    check(!st && far == 0 && (double)unlike <= most,
          "%s: lambda %g: %lld of %lld quantiles in single precision unlike, %lld by more than one; %s", device,
          lambda, (long long)unlike, (long long)n, (long long)far, last_error());
  }
  free(p);
  free(exact);
  free(q);
}

/* Pearson's statistic over cells of at least 20 draws expected, and its degrees of freedom */
static double chi_square(const double *draws, int64_t n, double lambda, int *degrees) {
  enum { CELLS = 4000 };
  static double k[CELLS], mass[CELLS];
  static int64_t count[CELLS];
  const double first = fmax(0, floor(lambda - 1800));
  double sum = 0, expected = 0, left = 1, seen = 0, rest = (double)n;
  for (int i = 0; i < CELLS; i++) k[i] = first + i, count[i] = 0;
  if (poisson_density(CELLS, (column){k, CELLS}, (column){&lambda, 1}, 0, mass)) return inf;
  for (int64_t i = 0; i < n; i++) {
    const double cell = draws[i] - first;
    if (!(cell >= 0 && cell < CELLS && cell == floor(cell))) return inf;
    count[(int)cell]++;
  }
  *degrees = 0;
  for (int i = 0; i < CELLS; i++) {
    expected += mass[i] * (double)n;
    seen += (double)count[i];
    left -= mass[i];
    if (expected < 20 || left * (double)n < 20) continue;
    sum += (seen - expected) * (seen - expected) / expected;
    rest -= seen;
    *degrees += 1;
    expected = seen = 0;
  }
  expected += left * (double)n;
  seen = rest;
  return expected > 0 ? sum + (seen - expected) * (seen - expected) / expected : sum;
}

static void test_random(const char *device, int64_t n) {
  static const double lambdas[] = {0.3, 3, 7.5, 8.5, 11, 31, 33, 50, 1000, 12345.6};
  const uint32_t key[2] = {2025, 4};
  double *draws = reals(n), *again = reals(n), *many = reals(n);
  int *ints = room((size_t)n * sizeof *ints);
  for (int k = 0; k < (int)(sizeof lambdas / sizeof *lambdas); k++) {
    const double lambda = lambdas[k];
    for (int single = 0; single < 2; single++) {
      int degrees = 0;
      int64_t unlike = 0, varied = 0;
      const int64_t few = n / 3;
      for (int64_t i = 0; i < n; i++) many[i] = i % 2 ? lambda : lambdas[below(10)];
      status st = poisson_random(0, n, (column){&lambda, 1}, key, single, draws, NULL);
      if (!st) st = poisson_random(0, n, (column){&lambda, 1}, key, single, NULL, ints);
      for (int64_t i = 0; i < n && !st; i++) unlike += draws[i] != ints[i];
      if (!st) st = poisson_random(0, few, (column){&lambda, 1}, key, single, again, NULL);
      for (int64_t i = 0; i < few && !st; i++) unlike += draws[i] != again[i];
      /* from any draw on, as the rest of the whole */
      const int64_t first = 1 + below((int)(n - few));
      if (!st) st = poisson_random(first, few, (column){&lambda, 1}, key, single, again, NULL);
      for (int64_t i = 0; i < few && !st; i++) unlike += draws[first + i] != again[i];
      if (!st) st = poisson_random(0, n, (column){many, n}, key, single, again, NULL);
      for (int64_t i = 1; i < n && !st; i += 2) varied += draws[i] != again[i];
      check(!st && unlike == 0,
            "%s: lambda %g: %lld draws depend on what receives them, on the first one or on how many they are; %s",
            device, lambda, (long long)unlike, last_error());
      /* where one lambda has its own way, floats round otherwise */
      check((double)varied <= (single ? 5 + 2e-6 * sqrt(lambda) * (double)n : 0),
            "%s: lambda %g: %lld draws depend on the lambda of others", device, lambda, (long long)varied);
      const double x = st ? inf : chi_square(draws, n, lambda, &degrees);
      check(x < degrees + 6 * sqrt(2.0 * degrees) + 10, "%s: lambda %g, single %d: chi square %g, %d cells", device,
            lambda, single, x, degrees);
    }
  }
  static const double odd[] = {NAN, -1, INFINITY, -5e-324, 0, -0.0, 5e-324, 1e300};
  static const uint32_t other[2] = {0xffffffffu, 0xffffffffu};
  double out[8];
  int whole[6];
  for (int single = 0; single < 2; single++) {
    status st = poisson_random(0, 8, (column){odd, 8}, other, single, out, NULL);
    if (!st) st = poisson_random(0, 6, (column){odd, 6}, other, single, NULL, whole);
    int right = !st;
    for (int i = 0; i < 4 && !st; i++) right &= isnan(out[i]) && whole[i] == INT_MIN;
    for (int i = 4; i < 6 && !st; i++) right &= out[i] == 0 && whole[i] == 0;
    right &= out[6] == 0 && fabs(out[7] / 1e300 - 1) < 1e-15;
    check(right, "%s: single %d: draws of odd lambda: %g %g %g %g %g %g %g %g", device, single, out[0], out[1],
          out[2], out[3], out[4], out[5], out[6], out[7]);
  }
  free(draws);
  free(again);
  free(many);
  free(ints);
}

/* ---- hostile points ---- */

static double hostile_real(int negative) {
  static const double odd[] = {0, -0.0, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, -5e-324, 1e-310,
                               1e300, 1, -1, 1e-16, 0x1p52, 0x1p53, 0x1p53 - 1, 0x1p64, 8, 32, 7.999999999999999,
                               1e-280, 1e-290};
  const double sign = negative && below(2) ? -1 : 1;
  switch (below(4)) {
  case 0: return odd[below((int)(sizeof odd / sizeof *odd))];
  case 1: return sign * exp(1416 * uniform() - 708);
  case 2: return sign * floor(exp(40 * uniform()));
  default: return sign * 50 * uniform();
  }
}

static double hostile_probability(int logs) {
  static const double odd[] = {0, -0.0, 1, 0.5, NAN, INFINITY, -INFINITY, -1e-300, 1 + 2.3e-16, 1 - 1.2e-16, 5e-324,
                               1e-310, DBL_MIN, 4.83e-4, 1e-12};
  static const double odd_log[] = {0, -0.0, -1, -M_LN2, NAN, INFINITY, -INFINITY, 1e-300, -5e-324, -1e-310, -1e-16,
                                   -1e308, -DBL_MAX, -745, -1e6, -1.1e6};
  switch (below(4)) {
  case 0: return logs ? odd_log[below((int)(sizeof odd_log / sizeof *odd_log))]
                      : odd[below((int)(sizeof odd / sizeof *odd))];
  case 1: return logs ? -log_uniform(1e-300, 1e308) : log_uniform(1e-308, 1);
  case 2: return logs ? -log_uniform(1e-3, 1e5) : 1 - log_uniform(1e-16, 1);
  default: return logs ? log(uniform()) : uniform();
  }
}

static void test_hostile(const char *device, int64_t n) {
  double *x = reals(n), *lambda = reals(n), *p[2] = {reals(n), reals(n)}, *out = reals(n), *other = reals(n);
  int *ints = room((size_t)n * sizeof *ints);
  const uint32_t key[2] = {1, 2};
  double slowest = 0;
  for (int64_t i = 0; i < n; i++) {
    lambda[i] = hostile_real(below(4) == 0);
    x[i] = below(4) ? hostile_real(1) : floor(lambda[i] + 40 * (uniform() - 0.5) * sqrt(fabs(lambda[i])));
    p[0][i] = hostile_probability(0);
    p[1][i] = hostile_probability(1);
  }
  for (int k = 0; k < 15; k++) {
    const double start = processor_seconds();
    const int logs = k & 1, upper = k >> 1 & 1;
    const column l = {lambda, n}, points = {x, n};
    int64_t wrong = 0, at = 0;
    status st;
    if (k < 2) st = poisson_density(n, points, l, logs, out);
    else if (k < 6) st = poisson_tail(n, points, l, upper, logs, out);
    else if (k < 14) st = poisson_quantile(n, (column){p[logs], n}, l, upper, logs, k >= 10, out);
    else st = poisson_random(0, n, l, key, 0, out, NULL);
    if (!st && k == 14) st = poisson_random(0, n, l, key, 1, other, NULL);
    slowest = fmax(slowest, processor_seconds() - start);
    for (int64_t i = 0; i < n && !st; i++) {
      int good;
      if (k < 6) {
        const int invalid = !(lambda[i] >= 0) || isnan(x[i]);
        good = isnan(out[i]) ? invalid : !invalid && (logs ? out[i] <= 0 : out[i] >= 0 && out[i] <= 1);
      } else {
        const double prob = k == 14 ? 0.5 : p[logs][i];
        const int invalid = !(lambda[i] >= 0 && lambda[i] <= DBL_MAX) ||
                            !(logs && k < 14 ? prob <= 0 : prob >= 0 && prob <= 1);
        const int no_float = lambda[i] > FLT_MAX;
        good = isnan(out[i]) ? invalid || (k >= 10 && k < 14 && no_float)
                             : !invalid && out[i] >= 0 && (isinf(out[i]) || out[i] == floor(out[i]));
        if (k == 14) good &= isnan(other[i]) ? invalid || no_float : !invalid && other[i] >= 0;
      }
      if (!good) wrong++, at = i;
    }
    check(!st && !wrong,
          "%s: call %d: %lld of %lld hostile points, as lambda %.17g, x %.17g, p %.17g, log p %.17g: %.17g; %s",
          device, k, (long long)wrong, (long long)n, lambda[at], x[at], p[0][at], p[1][at], out[at], last_error());
  }
  check(slowest < 30, "%s: a call of %lld hostile points took %.1f s", device, (long long)n, slowest);
  printf("%s: 15 calls of %lld hostile points, slowest %.2f s\n", device, (long long)n, slowest);
  free(x);
  free(lambda);
  free(p[0]);
  free(p[1]);
  free(out);
  free(other);
  free(ints);
}

/* share: of the points that the CPU gets */
static void test_device(const char *device, double share) {
  test_values(device, sized(20000 * share));
  test_jumps(device, sized(150 * share));
  test_single(device, sized(1e5 * share));
  test_random(device, sized(1e5 * share));
  test_hostile(device, sized(1e5 * share));
}

int main(int argc, char **argv) {
  if (argc < 3) {
    printf("usage: test_poisson <kernel folder> <cache folder> [size]\n");
    return 2;
  }
  if (argc > 3) size = atof(argv[3]);
  in_forked_child();
  folders_set(argv[1], argv[2]);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  for (int f = 0; f < FORMS; f++) mpfr_init2(ref.form[f], 180);
  temme_make();
  const poisson_level *level = strcmp(cpu_level_name(), "baseline") ? &poisson_level_1 : &poisson_level_0;
  printf("cpu: %s, %d threads\n", cpu_level_name(), threads_available());
  test_normal(level, sized(10000));
  test_shift(level, sized(5000));
  test_far(level, sized(10000));
  test_mass(level, sized(10000));
  test_device("cpu", 1);
  int index[MAX_DEVICES];
  const int found = opencl_devices(index);
  if (!found) skip("OpenCL", ocl_trouble());
  for (int i = 0; i < found; i++) {
    char device[24];
    strcpy(device, devices_get(index[i])->name);
    printf("%s: %s\n", device, devices_get(index[i])->label);
    if (check(use(device) == STATUS_OK, "%s: %s", device, last_error())) test_device(device, 0.2);
  }
  devices_shutdown();
  temme_drop();
  for (int f = 0; f < FORMS; f++) mpfr_clear(ref.form[f]);
  mpfr_free_cache();
  return summary();
}
