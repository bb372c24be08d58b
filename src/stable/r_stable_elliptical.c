/* r_stable_elliptical.c: elliptical stable distributions between R and the engine (stable_elliptical.h). Arguments
 * are doubles that R has checked. */
#include <Rmath.h>

#include "engine/threads.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"
#include "glue/r_vec.h"
#include "stable/r_stable.h"
#include "stable/stable_elliptical.h"

static column column_of(SEXP x) { return (column){REAL(x), XLENGTH(x)}; }

/* A matrix with a row for each element of r: log h, and its derivatives by r and alpha where slopes are wanted. */
SEXP C_ellipticalValues(SEXP r, SEXP alpha, SEXP d, SEXP slopes) {
  const int64_t n = XLENGTH(r);
  const int all = Rf_asLogical(slopes);
  SEXP result = PROTECT(vec_matrix("dmstable", n, all ? 3 : 1));
  double *out[3] = {REAL(result), NULL, NULL};
  /* what is not wanted has a place of its own */
  SEXP rest = PROTECT(Rf_allocVector(REALSXP, all ? 0 : 2 * n));
  for (int k = 1; k < 3; k++) out[k] = all ? REAL(result) + k * n : REAL(rest) + (k - 1) * n;
  engine_begin("dmstable");
  int route;
  status st = engine_option("statcl.stable.route", NAMES(STABLE_ROUTES), &route);
  if (!st && n > 0)
    st = elliptical_density_values((enum stable_route)route, n, column_of(alpha), column_of(d), column_of(r), all,
                                   out);
  engine_end(st);
  UNPROTECT(2);
  return result;
}

/* A matrix with a row for each element of r: the logs of P(R <= r) and P(R > r). */
SEXP C_ellipticalTails(SEXP r, SEXP alpha, SEXP d) {
  const int64_t n = XLENGTH(r);
  SEXP result = PROTECT(vec_matrix("pmstable", n, 2));
  double *out[2] = {REAL(result), REAL(result) + n};
  engine_begin("pmstable");
  engine_end(n > 0 ? elliptical_radius_tails(n, column_of(alpha), column_of(d), column_of(r), out) : STATUS_OK);
  UNPROTECT(1);
  return result;
}

SEXP C_ellipticalQuantile(SEXP p, SEXP alpha, SEXP d, SEXP lower, SEXP logs) {
  const int64_t n = XLENGTH(p);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, n));
  engine_begin("qmstable");
  engine_end(elliptical_radius_quantile(n, column_of(p), column_of(alpha), column_of(d), Rf_asLogical(lower),
                                        Rf_asLogical(logs), REAL(result)));
  UNPROTECT(1);
  return result;
}

/* A matrix with n rows: draws first, ... of the standard distribution in d dimensions. */
SEXP C_ellipticalDraws(SEXP n, SEXP first, SEXP alpha, SEXP d) {
  const int64_t rows = (int64_t)Rf_asReal(n);
  const int columns = Rf_asInteger(d);
  SEXP result = PROTECT(vec_matrix("rmstable", rows, columns));
  SEXP normal = PROTECT(Rf_allocVector(REALSXP, rows * columns)), mixing = PROTECT(Rf_allocVector(REALSXP, rows));
  if (rows > 0) {
    uint32_t key[2];
    rng_key(key);
    engine_begin("rmstable");
    engine_end(elliptical_random((int64_t)Rf_asReal(first) - 1, rows, Rf_asReal(alpha), columns, key, REAL(normal),
                                 REAL(mixing)));
    double *to = REAL(result);
    const double *z = REAL(normal), *a = REAL(mixing);
    for (int64_t i = 0; i < rows; i++) {
      const double by = fmin(sqrt(2 * a[i]), 1e200); /* others are below 1e155 */
      for (int k = 0; k < columns; k++) to[i + k * rows] = by * z[i * columns + k];
    }
  }
  UNPROTECT(3);
  return result;
}

/* P(lower < X <= upper) by Genz's sequence of conditional normal distributions (1992, Journal of Computational and
 * Graphical Statistics 1, 141-149) given the mixing variable A, for which Kanter's representation (1975, Annals of
 * Probability 3, 697-707) takes two more coordinates:
 *   A = sin(b U)/sin(U)^(1/b) (sin((1 - b) U)/E)^((1 - b)/b), b = alpha/2, U uniform on (0, pi), E exponential.
 * A is large where U is near pi, and E small. For rectangles far out v = 1 - U/pi is t^power with t uniform, weighted
 * by power t^(power - 1): the density of log(v) is v^(1/power)/power, at any v largest for power = -log(v). Of equal
 * values of A, v and E^(1 - b) have the same product, so that the density of log(E) there is as E^b: that of
 * 1 - exp(-E) = t^(1/b).
 * Points are those of Richtmyer's rule, fractions of k sqrt(prime), with random shifts in the rows of `shifts` and
 * the baker's transformation; a mean for each shift is returned. factor: lower triangle of S; mixing: alpha and
 * power. */
static double box_point(int d, const double *lower, const double *upper, const double *l, double b, double power,
                        const double *u, double *y) {
  double log_a = 0, product = 1;
  if (b < 1) {
    const double second = fmin(power, 1 / b), c = 1 - b;
    const double w = pow(u[d], power), v = pow(u[d + 1], second), angle = M_PI * (1 - w), e = -log1p(-v);
    product = power * w / u[d] * (second * v / u[d + 1]);
    if (product <= 0) return 0;
    log_a = log(sin(b * angle)) - log(sin(M_PI * w)) / b + c / b * (log(sin(c * angle)) - log(e));
  }
  /* neither 0 nor infinite, of which limits that are would make NaN */
  const double by = fmin(fmax(exp(-0.5 * (M_LN2 + log_a)), 1e-300), 1e300);
  for (int i = 0; i < d; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += l[i + j * d] * y[j];
    const double from = (lower[i] * by - sum) / l[i + i * d], to = (upper[i] * by - sum) / l[i + i * d];
    /* by the tails on the side where both are small */
    const int right = from > 0;
    const double p = right ? pnorm5(to, 0, 1, 0, 0) : pnorm5(from, 0, 1, 1, 0);
    const double q = right ? pnorm5(from, 0, 1, 0, 0) : pnorm5(to, 0, 1, 1, 0);
    product *= q - p;
    if (product <= 0) return 0;
    const double at = p + u[i] * (q - p);
    if (i < d - 1) {
      y[i] = qnorm5(at, 0, 1, !right, 0);
      if (!R_FINITE(y[i])) y[i] = y[i] < 0 ? -38 : 38;
    }
  }
  return product;
}

/* Pieces are blocks of points of a shift, so that sums do not depend on the number of threads. */
enum { BLOCK = 256, BLOCKS_AT_ONCE = 128 };

typedef struct {
  int d, shifts, points, blocks, from; /* blocks of each shift; the first piece of a batch */
  const double *lower, *upper, *factor, *shift, *root;
  double b, power;
  double *sums, *scratch; /* a sum of each piece; twice as many numbers as coordinates for each thread */
} box;

/* pnorm5() and qnorm5() keep nothing between calls, and no argument here is invalid: other threads may call them. */
static int box_block(void *context, int64_t piece, int thread) {
  const box *x = context;
  const int at = x->from + (int)piece, s = at / x->blocks, first = at % x->blocks * BLOCK, coordinates = x->d + 2;
  double *u = x->scratch + (size_t)thread * 2 * coordinates, *y = u + coordinates, sum = 0;
  for (int k = first + 1; k <= first + BLOCK && k <= x->points; k++) {
    for (int i = 0; i < coordinates; i++) {
      const double v = k * x->root[i] + x->shift[s + i * x->shifts], f = v - floor(v), t = fabs(2 * f - 1);
      u[i] = fmin(fmax(t, 1e-16), 1 - 1e-16);
    }
    sum += box_point(x->d, x->lower, x->upper, x->factor, x->b, x->power, u, y);
  }
  x->sums[at] = sum;
  return 1;
}

SEXP C_ellipticalBox(SEXP lower, SEXP upper, SEXP factor, SEXP mixing, SEXP shifts, SEXP points) {
  const int d = Rf_ncols(factor), coordinates = d + 2, m = Rf_nrows(shifts), n = Rf_asInteger(points);
  const int blocks = (n + BLOCK - 1) / BLOCK;
  double *root = (double *)R_alloc((size_t)coordinates, sizeof *root);
  box x = {.d = d, .shifts = m, .points = n, .blocks = blocks, .lower = REAL(lower), .upper = REAL(upper),
           .factor = REAL(factor), .shift = REAL(shifts), .root = root, .b = 0.5 * REAL(mixing)[0],
           .power = REAL(mixing)[1]};
  const double ns_a_point = 150.0 * d + 0.5 * d * d;
  const int threads = threads_for(ns_a_point * n * m);
  x.sums = (double *)R_alloc((size_t)m * blocks, sizeof *x.sums);
  x.scratch = (double *)R_alloc((size_t)threads * 2 * coordinates, sizeof *x.scratch);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, m));
  for (int i = 0, prime = 2; i < coordinates; prime++) {
    int is_prime = 1;
    for (int j = 2; j * j <= prime && is_prime; j++) is_prime = prime % j != 0;
    if (is_prime) root[i++] = sqrt(prime);
  }
  for (; x.from < m * blocks; x.from += BLOCKS_AT_ONCE) {
    const int rest = m * blocks - x.from;
    threads_run(threads, rest < BLOCKS_AT_ONCE ? rest : BLOCKS_AT_ONCE, box_block, &x);
    R_CheckUserInterrupt();
  }
  for (int s = 0; s < m; s++) {
    double sum = 0;
    for (int k = 0; k < blocks; k++) sum += x.sums[s * blocks + k];
    REAL(result)[s] = sum / n;
  }
  UNPROTECT(1);
  return result;
}
