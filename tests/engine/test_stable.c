/* test_stable.c: the stable densities through the engine, without R: a reference table, closed forms, exact zeros,
 * symmetries, parameterisations, and a million hostile points. Every test runs on the CPU and each OpenCL device.
 * Usage: test_stable <kernel folder> <cache folder> <reference table> [size: 1, or less under valgrind] */
#define _POSIX_C_SOURCE 200809L
#include <float.h>

#include "check.h"

static double size = 1;
static const double inf = INFINITY;

static points one_point(const double value[COLUMNS]) {
  points d = {0};
  int k;
  d.n = 1;
  for (k = 0; k < COLUMNS; k++) {
    columns_of(&d, k)->data = value + k;
    columns_of(&d, k)->length = 1;
  }
  return d;
}

static double value_at(double x, double alpha, double beta, double gamma, double delta, double pm, int give_log) {
  const double value[COLUMNS] = {x, alpha, beta, gamma, delta, pm};
  double out = -7;
  return density(one_point(value), 1, give_log, &out) == STATUS_OK ? out : -8;
}

static points set_point(points d, int64_t i, double x, double alpha, double beta, double gamma, double delta,
                        double pm) {
  const double value[COLUMNS] = {x, alpha, beta, gamma, delta, pm};
  int k;
  for (k = 0; k < COLUMNS; k++) writable(d, k)[i] = value[k];
  return d;
}

/* ---- reference table: alpha, beta, x, density, log density of S0 distributions, as hexadecimal numbers ---- */

enum { MOST_ROWS = 20000 };
typedef struct {
  points d;
  double *f, *log_f;
} table;

static table read_table(const char *path) {
  table t = {points_new(MOST_ROWS), reals(MOST_ROWS), reals(MOST_ROWS)};
  FILE *file = fopen(path, "r");
  char line[512];
  int64_t n = 0;
  while (file && fgets(line, sizeof line, file) && n < MOST_ROWS) {
    double value[5];
    char *at = line, *end;
    int k;
    for (k = 0; k < 5; k++) {
      value[k] = strtod(at, &end);
      if (end == at) break;
      at = end + (*end == ',');
    }
    if (k < 5) continue;
    t.d = set_point(t.d, n, value[2], value[0], value[1], 1, 0, 0);
    t.f[n] = value[3];
    t.log_f[n++] = value[4];
  }
  if (file) fclose(file);
  t.d.n = n;
  for (int k = 0; k < COLUMNS; k++) columns_of(&t.d, k)->length = n;
  return t;
}

static void test_table(const char *device, table t) {
  double *out = reals(t.d.n), *log_out = reals(t.d.n), worst_log = 0, worst = 0;
  int64_t i, at_log = 0, at = 0, moderate = 0, coarse = 0;
  if (!check(t.d.n >= 200, "reference table has %lld rows", (long long)t.d.n)) return;
  check(density(t.d, 1, 0, out) == STATUS_OK, "%s: table: %s", device, last_error());
  check(density(t.d, 1, 1, log_out) == STATUS_OK, "%s: table: %s", device, last_error());
  for (i = 0; i < t.d.n; i++) {
    const double log_f = t.log_f[i];
    double error = fabs(log_out[i] - log_f) / fmax(1, fabs(log_f));
    if (isinf(log_f)) error = log_out[i] == log_f && out[i] == 0 ? 0 : inf;
    if (!(error <= worst_log)) worst_log = error, at_log = i;
    if (fabs(log_f) >= 100) continue;
    error = fabs(out[i] / t.f[i] - 1);
    if (!(error <= worst)) worst = error, at = i;
    moderate++;
    coarse += !(error <= 1e-13);
  }
  check(worst_log <= 1e-13, "%s: table: log density at alpha %g, beta %g, x %g off by %g", device,
        t.d.p.alpha.data[at_log], t.d.p.beta.data[at_log], t.d.x.data[at_log], worst_log);
  check(worst <= 1e-12, "%s: table: density at alpha %g, beta %g, x %g off by %g", device, t.d.p.alpha.data[at],
        t.d.p.beta.data[at], t.d.x.data[at], worst);
  check((double)coarse <= 1e-3 * (double)moderate, "%s: table: %lld of %lld densities off by more than 1e-13", device,
        (long long)coarse, (long long)moderate);
  printf("%s: %lld rows, largest error of the log density %.2g, relative error of the density %.2g\n", device,
         (long long)t.d.n, worst_log, worst);
  free(log_out);
  free(out);
}

/* ---- closed forms ---- */

static void near(const char *device, const char *what, double x, double got, double wanted, double tolerance) {
  check(got == wanted || fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted)), "%s: %s at %.17g: %.17g, not %.17g",
        device, what, x, got, wanted);
}

static void test_closed_forms(const char *device) {
  static const double x[] = {1e-300, 1e-5, 0.3, 1, 2.5, 17, 1e3, 1e100};
  size_t i;
  for (i = 0; i < sizeof x / sizeof *x; i++) {
    const double v = x[i], levy = 0.5 * log(2 / (2 * pi * v * v * v)) - 1 / v;
    near(device, "normal", v, value_at(v, 2, 0.5, 1, 0, 0, 1), -0.25 * v * v - 0.5 * log(4 * pi), 1e-14);
    near(device, "Cauchy", -v, value_at(-v, 1, 0, 1, 0, 0, 1),
         -log(pi) - (v > 1e100 ? 2 * log(v) : log1p(v * v)), 1e-14);
    if (v * v * v > 0 && v > 1e-4) near(device, "Levy", v, value_at(v, 0.5, 1, 2, 0, 1, 1), levy, 1e-13);
  }
  near(device, "normal", 40, value_at(40, 2, 0, 1, 0, 0, 0), exp(-400 - 0.5 * log(4 * pi)), 1e-300);
  check(value_at(3, 1.5, 0.5, 0, 3, 0, 0) == inf && value_at(2, 1.5, 0.5, 0, 3, 0, 0) == 0, "%s: gamma = 0", device);
}

/* ---- exact zeros, symmetry, parameterisations ---- */

static void test_support(const char *device) {
  const int64_t n = (int64_t)(4000 * size) + 50;
  points d = points_new(n);
  double *out = reals(n), *log_out = reals(n);
  int64_t i, wrong = 0;
  for (i = 0; i < n; i++) {
    /* totally skewed, alpha < 1, S1: the support begins at delta; beyond it, just and far */
    const double alpha = 0.01 + 0.985 * uniform(), far = exp(60 * uniform() - 40);
    const double beta = below(2) ? 1 : -1;
    d = set_point(d, i, -beta * far, alpha, beta, exp(2 * uniform()), 0, 1);
  }
  check(density(d, 1, 0, out) == STATUS_OK && density(d, 1, 1, log_out) == STATUS_OK, "%s: %s", device, last_error());
  for (i = 0; i < n; i++) wrong += !(out[i] == 0 && log_out[i] == -inf);
  check(wrong == 0, "%s: %lld of %lld densities outside the support are not exactly 0", device, (long long)wrong,
        (long long)n);
  free(log_out);
  free(out);
  points_free(d);
}

/* f(x; beta) = f(-x; -beta), bit for bit: both are turned to the same side first. */
static void test_symmetry(const char *device) {
  const int64_t n = (int64_t)(20000 * size) + 50;
  points d = random_points(n), m = points_new(n);
  double *out = reals(n), *mirrored = reals(n);
  int64_t i, at;
  for (i = 0; i < n; i++)
    m = set_point(m, i, -d.x.data[i], d.p.alpha.data[i], -d.p.beta.data[i], d.p.gamma.data[i], -d.p.delta.data[i],
                  d.p.pm.data[i]);
  check(density(d, 1, 1, out) == STATUS_OK && density(m, 1, 1, mirrored) == STATUS_OK, "%s: %s", device,
        last_error());
  for (at = 0, i = 0; i < n; i++)
    if (!(fabs(out[i] - mirrored[i]) <= fabs(out[at] - mirrored[at]))) at = i;
  check(fabs(out[at] - mirrored[at]) <= 1e-13 * fmax(1, fabs(out[at])),
        "%s: alpha %.17g, beta %.17g, x %.17g: %.17g, mirrored %.17g", device, d.p.alpha.data[at], d.p.beta.data[at],
        d.x.data[at], out[at], mirrored[at]);
  free(mirrored);
  free(out);
  points_free(m);
  points_free(d);
}

static void test_parameterisations(const char *device) {
  int i;
  for (i = 0; i < 40; i++) {
    const double alpha = i % 8 == 0 ? 1 : 0.4 + 1.5 * uniform(), beta = 2 * uniform() - 1, gamma = exp(uniform());
    const double x = 4 * uniform() - 2, delta = uniform(), shrink = pow(alpha, -1 / alpha) * gamma;
    const double shift = alpha == 1 ? beta * 2 / pi * gamma * log(gamma) : beta * gamma * tan(0.5 * pi * alpha);
    const double condition = 1e-13 * (1 + fabs(shift));
    double mode, *memory;
    column found;
    const double distribution[COLUMNS] = {0, alpha, beta, 1, 0, 2};
    const points d = one_point(distribution);
    near(device, "pm 1", x, value_at(x, alpha, beta, gamma, delta, 1, 1),
         value_at(x, alpha, beta, gamma, delta + shift, 0, 1), condition);
    check(stable_modes(1, d.p, &memory, &found) == STATUS_OK, "%s: modes: %s", device, last_error());
    mode = found.data[0];
    free(memory);
    near(device, "pm 2", x, value_at(x, alpha, beta, gamma, delta, 2, 1),
         value_at(x, alpha, beta, shrink, delta - shrink * mode, 0, 1), 1e-12);
    check(value_at(mode, alpha, beta, 1, 0, 0, 1) >= value_at(mode - 1e-3, alpha, beta, 1, 0, 0, 1) &&
              value_at(mode, alpha, beta, 1, 0, 0, 1) >= value_at(mode + 1e-3, alpha, beta, 1, 0, 0, 1),
          "%s: %.17g is not the mode of alpha %.17g, beta %.17g", device, mode, alpha, beta);
  }
}

/* ---- hostile points ---- */

#define PICK(from) from[below((int)(sizeof from / sizeof *from))]

static double hostile_real(void) {
  static const double odd[] = {0, -0.0, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 5e-324,
                               -5e-324, 1e-310, 1e300, -1e300, 1, -1, 1e-16, 0x1p52, 0x1p53, 0x1p64};
  switch (below(4)) {
  case 0: return PICK(odd);
  case 1: return (below(2) ? -1 : 1) * exp(1400 * uniform() - 700);
  case 2: return (below(2) ? -1 : 1) * exp(60 * uniform() - 40);
  default: return 20 * uniform() - 10;
  }
}
static double hostile_alpha(void) {
  static const double odd[] = {0, -0.0, 2, 2 + 4.5e-16, 2 - 2.3e-16, 1, 1 + 2.3e-16, 1 - 1.2e-16, 1 + 1e-12, 1 - 1e-9,
                               1e-17, 1e-5, 0.01, 0.5, 1.5, 1.2, 0.8, -1, NAN, INFINITY,
                               -INFINITY, 1e300, 2 - 1e-9, 0.1};
  static const double tiny[] = {1e-308, 5e-324, 1e-300, 1e-310, 1e-100};
  if (below(200) == 0) return PICK(tiny);
  return below(2) ? PICK(odd) : below(8) ? 2 * uniform() : hostile_real();
}
static double hostile_beta(void) {
  static const double odd[] = {1, -1, 1 + 2.3e-16, -1 - 2.3e-16, 1 - 1.2e-16, -1 + 1.2e-16, 0, -0.0, 5e-324, 1e-300,
                               NAN, INFINITY, 2, 1 - 1e-9, -1 + 1e-5};
  return below(2) ? PICK(odd) : below(8) ? 2 * uniform() - 1 : hostile_real();
}
static double hostile_gamma(void) {
  static const double odd[] = {0, -0.0, -1, INFINITY, -INFINITY, NAN, DBL_MAX, DBL_MIN, 5e-324, 1e300, 1e-300};
  return below(2) ? 1 : below(2) ? PICK(odd) : exp(below(2) ? 1400 * uniform() - 700 : 4 * uniform());
}
static double hostile_pm(int with_modes) {
  static const double odd[] = {3, -1, 0.5, NAN, INFINITY, 1e300, 1 + 2.3e-16, -0.0};
  return below(16) ? below(with_modes ? 3 : 2) : PICK(odd);
}

/* NaN exactly where a parameter is invalid, x or delta is not a number, or both are the same infinity (and the
 * scale is finite), as in dnorm(). */
static int is_invalid(points d, int64_t i) {
  const double *v[COLUMNS];
  int k;
  for (k = 0; k < COLUMNS; k++) v[k] = columns_of(&d, k)->data + i % columns_of(&d, k)->length;
  return !(*v[1] > 0 && *v[1] <= 2 && fabs(*v[2]) <= 1 && *v[3] >= 0 && (*v[5] == 0 || *v[5] == 1 || *v[5] == 2) &&
           !isnan(*v[0]) && !isnan(*v[4]) && (isinf(*v[3]) || !isnan(*v[0] - *v[4])));
}

typedef struct {
  int64_t nan, negative, unlike;
  points d; /* an example */
  int64_t at;
  double f, log_f;
} complaints;

static void examine(complaints *c, points d, const double *f, const double *log_f) {
  int64_t i;
  for (i = 0; i < d.n; i++) {
    const int invalid = is_invalid(d, i);
    int bad = 0;
    if (invalid != (isnan(f[i]) != 0) || invalid != (isnan(log_f[i]) != 0)) bad = 1, c->nan++;
    else if (invalid) continue;
    else if (f[i] < 0) bad = 1, c->negative++;
    else if (f[i] == 0 ? !(log_f[i] < -744)
             : isinf(f[i]) ? !(log_f[i] > 709.7)
             : f[i] < DBL_MIN ? !(log_f[i] < -708.3)
                              : !(fabs(log(f[i]) - log_f[i]) <= 1e-15 + 4e-16 * fabs(log_f[i])))
      bad = 1, c->unlike++;
    if (!bad || c->nan + c->negative + c->unlike > 5) continue;
    printf("  at x %.17g, alpha %.17g, beta %.17g, gamma %.17g, delta %.17g, pm %.17g: %.17g, log %.17g\n",
           d.x.data[i % d.x.length], d.p.alpha.data[i % d.p.alpha.length], d.p.beta.data[i % d.p.beta.length],
           d.p.gamma.data[i % d.p.gamma.length], d.p.delta.data[i % d.p.delta.length],
           d.p.pm.data[i % d.p.pm.length], f[i], log_f[i]);
  }
}

/* Draws from any one on are the rest of the whole. */
static void test_parts_of_stream(const char *device) {
  enum { ALL = 3000, FIRST = 1237 };
  static const uint32_t key[2] = {2025, 4};
  const points d = random_points(ALL);
  stable_parameters rest = d.p;
  double *whole = reals(ALL), *part = reals(ALL - FIRST);
  column *const each[] = {&rest.alpha, &rest.beta, &rest.gamma, &rest.delta, &rest.pm};
  for (int k = 0; k < 5; k++) *each[k] = (column){each[k]->data + FIRST, ALL - FIRST};
  status st = stable_random(0, ALL, d.p, key, whole);
  if (!st) st = stable_random(FIRST, ALL - FIRST, rest, key, part);
  check(!st && !memcmp(whole + FIRST, part, (ALL - FIRST) * sizeof *part),
        "%s: draws from number %d on are not the rest of the whole; %s", device, FIRST, last_error());
  free(whole);
  free(part);
  points_free(d);
}

static void test_hostile(const char *device, int64_t calls) {
  enum { EACH = 500 };
  static const uint32_t key[2] = {1, 2};
  points d = points_new(EACH);
  double *f = reals(EACH), *log_f = reals(EACH), slowest = 0, began = processor_seconds();
  complaints c = {0};
  int64_t call, i, seen = 0;
  int k, broken = 0, odd_draws = 0;
  threads_set(1); /* short calls: two threads on a busy machine mostly wait for each other */
  for (call = 0; call < calls && !broken; call++) {
    const double start = processor_seconds();
    const int with_modes = call % 1000 == 199; /* up to 1 s per distribution where alpha is tiny */
    d.n = with_modes ? 20 : EACH;
    for (i = 0; i < EACH; i++)
      set_point(d, i, hostile_real(), hostile_alpha(), hostile_beta(), hostile_gamma(), below(3) ? 0 : hostile_real(),
                hostile_pm(with_modes));
    for (k = 0; k < COLUMNS; k++) columns_of(&d, k)->length = below(4) ? EACH : 1 + below(40);
    if (call % 8 == 0) d.p.alpha.length = d.p.beta.length = d.p.pm.length = 1;
    broken = density(d, 1, 0, f) != STATUS_OK || density(d, 1, 1, log_f) != STATUS_OK;
    if (!broken) examine(&c, d, f, log_f);
    broken = broken || stable_random(0, d.n, d.p, key, f) != STATUS_OK;
    for (i = 0; i < d.n && !broken; i++) {
      static const double origin = 0;
      points distribution = d;
      distribution.x.data = &origin;
      distribution.x.length = 1;
      if (is_invalid(distribution, i)) odd_draws += !isnan(f[i]);
    }
    seen += d.n;
    if (call) slowest = fmax(slowest, processor_seconds() - start); /* the first builds programs */
  }
  check(!broken, "%s: hostile call %lld failed: %s", device, (long long)call, last_error());
  check(c.nan == 0, "%s: %lld values NaN without cause, or not NaN with one", device, (long long)c.nan);
  check(c.negative == 0, "%s: %lld negative densities", device, (long long)c.negative);
  check(c.unlike == 0, "%s: %lld log densities are not the logarithms of the densities", device, (long long)c.unlike);
  check(odd_draws == 0, "%s: %d draws from invalid distributions", device, odd_draws);
  check(slowest < 10 || size < 1, "%s: a call of %d points took %.1f s", device, EACH, slowest);
  printf("%s: %lld hostile points, density, log density and draw, %.1f s; slowest call of %d: %.3f s\n", device,
         (long long)seen, processor_seconds() - began, EACH, slowest);
  threads_set(0);
  free(log_f);
  free(f);
  for (k = 0; k < COLUMNS; k++) columns_of(&d, k)->length = EACH;
  points_free(d);
}

/* Both tails, quantiles and tables at hostile points: NaN exactly with a cause, tails that add to 1, the density of
 * the density's own kernels, and a table's values where one distribution serves all points. */
static void test_hostile_tails(const char *device, int64_t calls) {
  enum { EACH = 200 };
  points d = points_new(EACH);
  double *v = reals(8 * EACH), *const joint[3] = {v, v + EACH, v + 2 * EACH};
  double *const error[3] = {v + 3 * EACH, v + 4 * EACH, v + 5 * EACH};
  double *log_f = v + 6 * EACH, *other = v + 7 * EACH, slowest = 0, began = processor_seconds();
  int64_t call, i, nan = 0, sums = 0, unlike = 0, quantiles = 0, tables = 0, seen = 0;
  int k, broken = 0;
  threads_set(1);
  for (call = 0; call < calls && !broken; call++) {
    const double start = processor_seconds();
    const int shared = call % 8 == 0;
    for (i = 0; i < EACH; i++)
      set_point(d, i, hostile_real(), hostile_alpha(), hostile_beta(), hostile_gamma(), below(3) ? 0 : hostile_real(),
                hostile_pm(0));
    for (k = 0; k < COLUMNS; k++) columns_of(&d, k)->length = EACH;
    if (shared) d.p.alpha.length = d.p.beta.length = d.p.pm.length = 1;
    broken = stable_joint(d.n, shared ? d.n : 1, d.x, d.p, 1, joint, error) != STATUS_OK ||
             density(d, 1, 1, log_f) != STATUS_OK;
    for (i = 0; i < d.n && !broken; i++) {
      const int invalid = is_invalid(d, i) || isnan(d.x.data[i] - d.p.delta.data[i]);
      if (invalid != isnan(joint[1][i]) || invalid != isnan(joint[2][i])) {
        if (nan++ == 0)
          printf("  at x %.17g, alpha %.17g, beta %.17g, gamma %.17g, delta %.17g, pm %g: tails %g and %g\n",
                 d.x.data[i], d.p.alpha.data[shared ? 0 : i], d.p.beta.data[shared ? 0 : i], d.p.gamma.data[i],
                 d.p.delta.data[i], d.p.pm.data[shared ? 0 : i], joint[1][i], joint[2][i]);
      }
      else if (!invalid) {
        sums += !(fabs(exp(joint[1][i]) + exp(joint[2][i]) - 1) <= 1e-13 && joint[1][i] <= 0 && joint[2][i] <= 0);
        const int same = joint[0][i] == log_f[i] || fabs(joint[0][i] - log_f[i]) <= 2e-13 * fmax(1, fabs(log_f[i]));
        if (same && error[0][i] >= 0 && error[1][i] >= 0 && error[2][i] >= 0) continue;
        if (unlike++ == 0)
          printf("  at x %.17g, alpha %.17g, beta %.17g, gamma %.17g, delta %.17g, pm %g: log density %.17g "
                 "and %.17g, errors %g %g %g\n",
                 d.x.data[i], d.p.alpha.data[shared ? 0 : i], d.p.beta.data[shared ? 0 : i], d.p.gamma.data[i],
                 d.p.delta.data[i], d.p.pm.data[shared ? 0 : i], log_f[i], joint[0][i], error[0][i], error[1][i],
                 error[2][i]);
      }
    }
    /* the tails as probabilities */
    points q = d;
    q.x.data = joint[1];
    broken = broken || stable_quantile(d.n, q.x, d.p, 1, 1, other) != STATUS_OK;
    for (i = 0; i < d.n && !broken; i++)
      quantiles += !isnan(joint[1][i]) && d.p.gamma.data[i] < inf && fabs(d.p.delta.data[i]) < inf && isnan(other[i]);
    if (shared && !broken) {
      const double alpha = d.p.alpha.data[0];
      broken = stable_values(STABLE_DENSITY, BY_TABLE, d.n, d.x, d.p, 1, other) != STATUS_OK;
      for (i = 0; i < d.n && !broken; i++)
        tables += !(isnan(other[i]) ? isnan(log_f[i]) : other[i] == log_f[i] ||
                    fabs(other[i] - log_f[i]) <= 3e-13 * fmax(1, fabs(log_f[i])) || !(alpha > 0.02));
      broken = broken || stable_quantile(d.n, q.x, d.p, 1, 1, log_f) != STATUS_OK ||
               stable_values(STABLE_LOWER_QUANTILE, BY_TABLE, d.n, q.x, d.p, 1, other) != STATUS_OK;
      for (i = 0; i < d.n && !broken; i++) tables += isnan(other[i]) != isnan(log_f[i]);
    }
    seen += d.n;
    if (call) slowest = fmax(slowest, processor_seconds() - start); /* the first builds programs */
  }
  stable_tables_drop();
  check(!broken, "%s: hostile call %lld failed: %s", device, (long long)call, last_error());
  check(nan == 0, "%s: %lld tails NaN without cause, or not NaN with one", device, (long long)nan);
  check(sums == 0, "%s: %lld tails that do not add to 1", device, (long long)sums);
  check(unlike == 0, "%s: %lld densities unlike those alone, or senseless errors", device, (long long)unlike);
  check(quantiles == 0, "%s: %lld quantiles NaN without cause", device, (long long)quantiles);
  check(tables == 0, "%s: %lld values of tables unlike the others", device, (long long)tables);
  check(slowest < 20 || size < 1, "%s: a call of %d points took %.1f s", device, EACH, slowest);
  printf("%s: %lld hostile points, tails, quantiles and tables, %.1f s; slowest call of %d: %.3f s\n", device,
         (long long)seen, processor_seconds() - began, EACH, slowest);
  threads_set(0);
  free(v);
  for (k = 0; k < COLUMNS; k++) columns_of(&d, k)->length = EACH;
  points_free(d);
}

static void test_device(const char *device, table t, int64_t calls) {
  test_table(device, t);
  test_closed_forms(device);
  test_support(device);
  test_symmetry(device);
  test_parts_of_stream(device);
  test_parameterisations(device);
  test_hostile(device, calls);
  test_hostile_tails(device, calls / 4 + 1);
}

int main(int argc, char **argv) {
  int index[MAX_DEVICES], found, i;
  table t;
  if (argc < 4) {
    printf("usage: test_stable <kernel folder> <cache folder> <reference table> [size]\n");
    return 2;
  }
  if (argc > 4) size = atof(argv[4]);
  in_forked_child();
  folders_set(argv[1], argv[2]);
  t = read_table(argv[3]);
  printf("cpu: %s, %d threads\n", cpu_level_name(), threads_available());
  test_device("cpu", t, (int64_t)(2010 * size) + 2);
  found = opencl_devices(index);
  if (!found) skip("OpenCL", ocl_trouble());
  for (i = 0; i < found; i++) {
    char device[24];
    strcpy(device, devices_get(index[i])->name);
    printf("%s: %s\n", device, devices_get(index[i])->label);
    if (check(use(device) == STATUS_OK, "%s: %s", device, last_error()))
      test_device(device, t, (int64_t)(200 * size) + 2);
  }
  devices_shutdown();
  free(t.f);
  free(t.log_f);
  points_free(t.d);
  return summary();
}
