/* matern_table.c: tables of F(x) exp(x) (see matern_function.h): piecewise polynomials, 2^bits cells per octave of x.
 *
 * A cell takes direct values at NODES Chebyshev points, keeps CELL_TERMS terms of their Chebyshev sum (more nodes
 * than terms: the values' noise is averaged), and is compared with direct values at CHECKS further points. On a cell
 * of relative width 2^-bits the terms fall by 2^-(bits + 2) or, where F grows as x^p, p times that; so bits is raised
 * until the terms left out and the differences at the checks are within the noise, or no longer fall with it. */
#include "covariance/matern_function.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bessel/bessel.h"
#include "covariance/matern_direct.h"
#include "engine/devices.h"
#include "engine/interpolation.h"
#include "kernels/covariance/matern_table.h"

enum { TERMS = CELL_TERMS_DOUBLE, NODES = 12, CHECKS = 4, SAMPLES = NODES + CHECKS, FEWEST_BITS = 5, MOST_BITS = 10 };
enum { MOST_CELLS = 1 << 15 };
/* Values below it are 0 in single precision: they would be denormal. */
static const double least_single = 1e-39;

static matern_cells kept[TABLES_KEPT];
static kept_tables keys;

/* dM/dnu at fixed x/sqrt(nu): x moves as x/(2 nu). */
static status dnu_scaled(double nu, int scaled, int64_t n, column x, double *out) {
  double *dx = malloc((size_t)n * sizeof *dx);
  status st = dx ? matern_direct(MATERN_DX, n, nu, x, scaled, dx) : fail(STATUS_MEMORY, "no memory for derivatives");
  if (!st) st = matern_direct(MATERN_DNU, n, nu, x, scaled, out);
  for (int64_t i = 0; i < n && !st; i++) out[i] -= dx[i] / (2 * nu);
  free(dx);
  return st;
}

status matern_function_values(enum matern_function f, double nu, int scaled, int64_t n, const double *x,
                              double *out) {
  const column xs = {x, n}, order = {&nu, 1};
  if (n == 0) return STATUS_OK;
  switch (f) {
  case FUNCTION_M: return matern_direct(MATERN_VALUE, n, nu, xs, scaled, out);
  case FUNCTION_DX: return matern_direct(MATERN_DX, n, nu, xs, scaled, out);
  case FUNCTION_DNU: return matern_direct(MATERN_DNU, n, nu, xs, scaled, out);
  case FUNCTION_DNU_SCALED: return dnu_scaled(nu, scaled, n, xs, out);
  default: break;
  }
  return bessel_k(BESSEL_VALUE, n, xs, order, scaled, 0, out);
}

int matern_cell_terms(int single) { return single ? CELL_TERMS_SINGLE : CELL_TERMS_DOUBLE; }

/* What need not be mended, in DBL_EPSILON: little beside the rounding of single precision, or what direct values may
 * be wrong by, of which derivatives lose more. */
static double noise_of(const matern_cells *t) {
  if (t->single) return (double)FLT_EPSILON / (16 * DBL_EPSILON);
  return t->f == FUNCTION_M || t->f == FUNCTION_K ? 8 : 32;
}

/* What all cells share: samples in a cell's own variable from -1 to 1, Chebyshev nodes first, rounded to so few bits
 * that x is exact; T_k at the nodes of the exact rule and at the rounded ones; powers of the variable in T_k. */
typedef struct {
  chebyshev_rule exact;
  double sample[SAMPLES], rounded[NODES][MOST_NODES], power[TERMS][TERMS];
} basis;

static basis *cell_basis(void) {
  static const double between[CHECKS] = {-1, -0.625, 0.25, 0.875}, pi = 3.141592653589793;
  static basis b;
  if (b.sample[0] != 0) return &b;
  chebyshev_prepare(&b.exact, NODES);
  for (int j = 0; j < NODES; j++) {
    b.sample[j] = ldexp(rint(ldexp(cos(pi * (j + 0.5) / NODES), 32)), -32);
    for (int k = 0; k < NODES; k++)
      b.rounded[k][j] = k < 2 ? (k ? b.sample[j] : 1) : 2 * b.sample[j] * b.rounded[k - 1][j] - b.rounded[k - 2][j];
  }
  memcpy(b.sample + NODES, between, sizeof between);
  b.power[0][0] = b.power[1][1] = 1;
  for (int k = 2; k < TERMS; k++)
    for (int i = 0; i <= k; i++) b.power[k][i] = (i ? 2 * b.power[k - 1][i - 1] : 0) - b.power[k - 2][i];
  return &b;
}

/* Powers of u = tau 2^-(bits + 1), the offset of the mantissa from the cell's middle, from Chebyshev terms of tau. */
static void to_powers(const basis *b, const double *c, int terms, int bits, double *to) {
  for (int i = 0; i < terms; i++) {
    double sum = 0;
    for (int k = terms - 1; k >= i; k--) sum += c[k] * b->power[k][i];
    to[i] = ldexp(sum, (bits + 1) * i);
  }
}

static double polynomial(const double *a, int terms, double u) {
  double p = a[terms - 1];
  for (int k = terms - 2; k >= 0; k--) p = p * u + a[k];
  return p;
}

static double cell_point(const basis *b, const matern_cells *t, int64_t cell, int j) {
  const int64_t per_octave = (int64_t)1 << t->bits;
  const double middle = 1 + ((double)(cell % per_octave) + 0.5) / (double)per_octave;
  return ldexp(middle + ldexp(b->sample[j], -t->bits - 1), t->low + (int)(cell / per_octave));
}

/* Fits a cell; the value is its error relative to scale in DBL_EPSILON: at the checks, or of the terms left out. */
static double fit_cell(basis *b, const matern_cells *t, const double *v, double scale, double *to) {
  const int terms = matern_cell_terms(t->single);
  double c[NODES], worst = 0;
  chebyshev_terms(&b->exact, b->rounded, v, c);
  to_powers(b, c, terms, t->bits, to);
  if (scale < 1e-290) return 0; /* the coefficients may be denormal */
  for (int j = NODES; j < SAMPLES; j++) {
    const double error = fabs(polynomial(to, terms, ldexp(b->sample[j], -t->bits - 1)) - v[j]);
    if (!(error <= worst)) worst = error;
  }
  const double left_out = 2 * (fabs(c[terms]) + fabs(c[terms + 1]));
  if (!(left_out <= worst)) worst = left_out;
  return worst / (scale * DBL_EPSILON);
}

/* All cells with t->bits; their worst error, Inf where a value is not finite. */
static status fit_cells(matern_cells *t) {
  basis *b = cell_basis();
  const int terms = matern_cell_terms(t->single);
  const int64_t n = t->cells * SAMPLES;
  double *x = malloc((size_t)n * 3 * sizeof *x), *v = x + n, *dx = v + n;
  status st = x ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a table of %lld cells", (long long)t->cells);
  t->error = 0;
  for (int64_t i = 0; i < n && !st; i++) x[i] = cell_point(b, t, i / SAMPLES, (int)(i % SAMPLES));
  if (!st) st = matern_function_values(t->f, t->nu, 1, n, x, v);
  /* the function that changes sign is judged by the size of its parts */
  if (!st && t->f == FUNCTION_DNU_SCALED) st = matern_function_values(FUNCTION_DX, t->nu, 1, n, x, dx);
  for (int64_t cell = 0; cell < t->cells && !st; cell++) {
    const int64_t at = cell * SAMPLES + NODES / 2;
    const double scale = fabs(v[at]) + (t->f == FUNCTION_DNU_SCALED ? dx[at] / t->nu : 0);
    double *to = t->coefficients + cell * terms;
    if (t->single && scale * exp(-x[at]) < least_single) {
      memset(to, 0, (size_t)terms * sizeof *to);
      continue;
    }
    double error = isfinite(scale) ? fit_cell(b, t, v + cell * SAMPLES, scale, to) : INFINITY;
    for (int k = 0; k < terms && t->single; k++)
      if (!(fabs(to[k]) < (double)FLT_MAX)) error = INFINITY;
    if (!(error <= t->error)) t->error = isnan(error) ? INFINITY : error;
  }
  free(x);
  return st;
}

/* M(x) rounds to 1 up to 2^k: 1 - M = Int -x M' dx/x, where -x M' grows as x^min(2 nu, 2) (times a log at nu = 1). */
static status find_flat_end(matern_cells *t) {
  double x[256], slope[256];
  const int n = t->high < 0 ? t->high - t->low : -t->low; /* far out -x M' is small again */
  if (n <= 0) return STATUS_OK;
  for (int i = 0; i < n; i++) x[i] = ldexp(1, t->low + i);
  status st = matern_function_values(FUNCTION_DX, t->nu, 0, n, x, slope);
  const double least = 0.25 * (t->single ? (double)FLT_EPSILON : DBL_EPSILON) * fmin(t->nu, 1);
  int flat = 0;
  while (!st && flat < n - 1 && slope[flat + 1] <= least) flat++;
  if (!st && slope[flat] <= least) {
    t->low += flat;
    t->below = 1;
  }
  return st;
}

/* All F fall to 0 beyond x = 1 and the larger of nu: where one is 0, it stays so. */
static status find_far_value(matern_cells *t) {
  const double x = ldexp(1, t->high);
  double value = 1;
  status st = x > 1 && x > t->nu ? matern_function_values(t->f, t->nu, 0, 1, &x, &value) : STATUS_OK;
  t->above = value <= (t->single ? least_single : 0) ? 0 : NAN;
  return st;
}

static status build(matern_cells *t) {
  double before = INFINITY;
  t->below = NAN;
  status st = find_far_value(t);
  if (!st && t->f == FUNCTION_M) st = find_flat_end(t);
  for (t->bits = FEWEST_BITS; !st; t->bits++) {
    t->cells = (int64_t)(t->high - t->low) << t->bits;
    if (t->cells > MOST_CELLS || t->bits > MOST_BITS) break;
    double *larger = realloc(t->coefficients, (size_t)(t->cells * matern_cell_terms(t->single)) * sizeof *larger);
    if (!larger) return fail(STATUS_MEMORY, "no memory for a table of %lld cells", (long long)t->cells);
    t->coefficients = larger;
    st = fit_cells(t);
    if (st || t->error <= noise_of(t)) return st;
    if (t->error > before / 4 && t->error <= 10 * noise_of(t)) return st; /* noise that more cells do not mend */
    if (!isfinite(t->error)) break;
    before = t->error;
  }
  free(t->coefficients);
  t->coefficients = NULL;
  t->cells = 0;
  return st;
}

int64_t matern_table_cost(int low, int high) { return ((int64_t)(high - low) << FEWEST_BITS) * SAMPLES; }

status matern_find_table(enum matern_function f, double nu, int single, int low, int high,
                         const matern_cells **found) {
  const double key[KEY_NUMBERS] = {f, nu, single, low, high};
  status st = STATUS_OK;
  int known;
  const int at = kept_position(&keys, key, &known);
  devices_on_change(matern_tables_drop); /* values are those of the devices that made them */
  if (!known) {
    matern_cells made = {.f = f, .nu = nu, .single = single, .low = low, .high = high, .below = NAN, .above = NAN};
    backend_force_cpu(single); /* for devices without double precision */
    st = build(&made);
    backend_force_cpu(-single);
    free(kept[at].coefficients);
    kept[at] = made;
    if (st) keys.used[at] = 0;
  }
  *found = !st && kept[at].coefficients ? kept + at : NULL;
  return st;
}

void matern_tables_drop(void) {
  for (int i = 0; i < TABLES_KEPT; i++) free(kept[i].coefficients);
  memset(kept, 0, sizeof kept);
  memset(&keys, 0, sizeof keys);
}
