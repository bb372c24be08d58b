/* r_laplace.c: Laplace's approximation between R and the engine. */
#include "gp/r_laplace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/r_covariance.h"
#include "dense/dense.h"
#include "engine/exact_sum.h"
#include "glue/r_engine.h"
#include "gp/effects.h"
#include "gp/laplace.h"
#include "gp/r_vecchia.h"

static laplace_pattern pattern_of(SEXP pattern) {
  SEXP start = VECTOR_ELT(pattern, 0);
  return (laplace_pattern){XLENGTH(start) - 1, INTEGER(start), INTEGER(VECTOR_ELT(pattern, 1))};
}

static laplace_system system_with(SEXP pattern, SEXP prior, SEXP w) {
  const SEXP own = Rf_isNewList(w) && !Rf_isNull(w) ? VECTOR_ELT(w, 0) : w;
  return (laplace_system){pattern_of(pattern), REAL(VECTOR_ELT(prior, 0)), REAL(VECTOR_ELT(prior, 1)),
                          Rf_isNull(own) ? NULL : REAL(own), own == w ? NULL : REAL(VECTOR_ELT(w, 1))};
}

static laplace_system system_of(SEXP system) {
  return system_with(VECTOR_ELT(system, 0), VECTOR_ELT(system, 1), VECTOR_ELT(system, 2));
}

static laplace_factor factor_of(SEXP factor) {
  return (laplace_factor){REAL(VECTOR_ELT(factor, 0)), REAL(VECTOR_ELT(factor, 1))};
}

/* A list with vectors of doubles for locations and for neighbours, and `more` elements. */
static SEXP list_of(SEXP pattern, int more) {
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2 + more));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, XLENGTH(VECTOR_ELT(pattern, 0)) - 1));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, XLENGTH(VECTOR_ELT(pattern, 1))));
  UNPROTECT(1);
  return result;
}

static int64_t columns_of(SEXP x) { return Rf_isMatrix(x) ? Rf_ncols(x) : 1; }

/* As many columns as x has, and a vector for a vector. */
static SEXP rows_like(SEXP x, int64_t rows) {
  return Rf_isMatrix(x) ? Rf_allocMatrix(REALSXP, (int)rows, Rf_ncols(x)) : Rf_allocVector(REALSXP, (R_xlen_t)rows);
}

SEXP C_laplacePattern(SEXP members) {
  const int m = Rf_nrows(members), n = Rf_ncols(members), *own = INTEGER(members);
  R_xlen_t count = 0;
  for (R_xlen_t i = 0; i < XLENGTH(members); i++) count += own[i] > 0;
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)n + 1));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, count));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(INTSXP, count));
  laplace_sort(n, m, own, INTEGER(VECTOR_ELT(result, 0)), INTEGER(VECTOR_ELT(result, 1)),
               INTEGER(VECTOR_ELT(result, 2)));
  UNPROTECT(1);
  return result;
}

/* log det(Q), and the number of the first location whose variance is not positive, or 0. */
static double log_det_of(int64_t n, const double *variance, double *bad) {
  exact_sum sum = {0, 0};
  *bad = 0;
  for (int64_t k = 0; k < n && !*bad; k++) {
    if (variance[k] > 0 && isfinite(variance[k])) exact_add(&sum, -log(variance[k]));
    else *bad = (double)k + 1;
  }
  return exact_total(sum);
}

/* A prior of the model, with these. */
static status prior_of(const vecchia *v, const vecchia_model *model, const laplace_pattern *at, const int32_t *from,
                       double *variance, double *weights, double *log_det, double *bad) {
  const status st = vecchia_rows_in(v, model, at->start, from, variance, weights);
  if (!st) *log_det = log_det_of(at->n, variance, bad);
  return st;
}

SEXP C_laplacePrior(SEXP pattern, SEXP pointer, SEXP parts, SEXP nugget) {
  const laplace_pattern at = pattern_of(pattern);
  const cov_model model = covariance_model(parts, R_NilValue, 0);
  const vecchia_model m = {&model, Rf_asReal(nugget)};
  const int *from = INTEGER(VECTOR_ELT(pattern, 2));
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3)), prior = list_of(pattern, 0);
  SET_VECTOR_ELT(result, 0, prior);
  double *variance = REAL(VECTOR_ELT(prior, 0)), *weights = REAL(VECTOR_ELT(prior, 1)), log_det = 0, bad = 0;
  ENGINE_RUN("gpFit", prior_of(vecchia_of(pointer), &m, &at, from, variance, weights, &log_det, &bad));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(log_det));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(bad));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceDensePrior(SEXP pattern, SEXP covariance) {
  const laplace_pattern at = pattern_of(pattern);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3)), own = PROTECT(Rf_duplicate(covariance));
  SEXP prior = list_of(pattern, 0);
  SET_VECTOR_ELT(result, 0, prior);
  double *variance = REAL(VECTOR_ELT(prior, 0)), *weights = REAL(VECTOR_ELT(prior, 1)), number = 0, log_det = 0;
  int64_t bad = -1;
  ENGINE_RUN("gpFit", laplace_dense_prior(&at, REAL(own), variance, weights, &bad));
  if (bad < 0) log_det = log_det_of(at.n, variance, &number);
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(log_det));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal((double)bad + 1));
  UNPROTECT(2);
  return result;
}

SEXP C_laplaceFactor(SEXP system) {
  const laplace_system a = system_of(system);
  SEXP result = PROTECT(list_of(VECTOR_ELT(system, 0), 2));
  double *diagonal = REAL(VECTOR_ELT(result, 0));
  int64_t replaced = 0;
  ENGINE_RUN("gpFit", laplace_factorise(&a, diagonal, REAL(VECTOR_ELT(result, 1)), &replaced));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(laplace_log_det(a.at.n, diagonal)));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal((double)replaced));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceInverse(SEXP pattern, SEXP factor) {
  const laplace_pattern at = pattern_of(pattern);
  SEXP result = PROTECT(list_of(pattern, 0));
  double *diagonal = REAL(VECTOR_ELT(result, 0)), *below = REAL(VECTOR_ELT(result, 1));
  ENGINE_RUN("gpFit", laplace_inverse(&at, factor_of(factor), diagonal, below));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceProduct(SEXP system, SEXP x) {
  const laplace_system a = system_of(system);
  SEXP result = PROTECT(Rf_duplicate(x));
  ENGINE_RUN("gpFit", laplace_product(&a, columns_of(x), REAL(x), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceTriangular(SEXP pattern, SEXP factor, SEXP transposed, SEXP x) {
  const laplace_pattern at = pattern_of(pattern);
  SEXP result = PROTECT(Rf_duplicate(x));
  double *columns = REAL(result);
  ENGINE_RUN("gpFit", laplace_triangular(&at, factor_of(factor), Rf_asLogical(transposed), columns_of(x), columns));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceSolve(SEXP system, SEXP factor, SEXP b, SEXP tolerance, SEXP most) {
  const laplace_system a = system_of(system);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(result, 0, Rf_duplicate(b));
  int steps = 0;
  ENGINE_RUN("gpFit", laplace_solve(&a, factor_of(factor), columns_of(b), REAL(b), Rf_asReal(tolerance),
                                    Rf_asInteger(most), REAL(VECTOR_ELT(result, 0)), &steps));
  SET_VECTOR_ELT(result, 1, Rf_ScalarInteger(steps));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceForms(SEXP pattern, SEXP factor, SEXP near, SEXP weights, SEXP drop) {
  const laplace_pattern at = pattern_of(pattern);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_ncols(near)));
  ENGINE_RUN("predict", laplace_forms(&at, factor_of(factor), Rf_nrows(near), Rf_ncols(near), INTEGER(near),
                                      REAL(weights), Rf_asReal(drop), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceCorrection(SEXP system, SEXP factor, SEXP probes) {
  const laplace_system a = system_of(system);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 2));
  double *value = REAL(result);
  ENGINE_RUN("gpFit", laplace_correction(&a, factor_of(factor), Rf_asInteger(probes), value, value + 1));
  UNPROTECT(1);
  return result;
}

/* What the slope is of: locations with models up and down, or their priors; what is found. */
typedef struct {
  const vecchia *of;
  const int32_t *from;
  vecchia_model up, down;
  laplace_system above, below;
  double h, trace, log_det, bad;
  int64_t columns;
  const double *x;
  double *moved, *memory; /* memory: for two priors, of which the first becomes their slope */
} slope_work;

static void take_prior(laplace_system from, int64_t n, int64_t near, double *to) {
  memcpy(to, from.variance, (size_t)n * sizeof *to);
  memcpy(to + n, from.weights, (size_t)near * sizeof *to);
}

static status slope_of(const laplace_system *a, laplace_factor inverse, slope_work *w) {
  const int64_t n = a->at.n, near = a->at.start[n], all = n + near;
  double *up = w->memory, *down = up + all, lower = 0;
  status st = STATUS_OK;
  if (w->of) {
    st = prior_of(w->of, &w->up, &a->at, w->from, up, up + n, &w->log_det, &w->bad);
    if (!st && !w->bad) st = prior_of(w->of, &w->down, &a->at, w->from, down, down + n, &lower, &w->bad);
    w->log_det -= lower;
    if (st || w->bad) return st;
  } else {
    take_prior(w->above, n, near, up);
    take_prior(w->below, n, near, down);
  }
  for (int64_t i = 0; i < all; i++) up[i] = (up[i] - down[i]) / (2 * w->h);
  const laplace_system slope = {.at = a->at, .variance = up, .weights = up + n};
  w->log_det /= 2 * w->h;
  st = laplace_trace(a, slope, inverse, &w->trace);
  return st ? st : laplace_moved(a, slope, w->columns, w->x, w->moved);
}

static status run_slope(const laplace_system *a, laplace_factor inverse, slope_work *w) {
  const size_t all = (size_t)a->at.n + (size_t)a->at.start[a->at.n];
  w->memory = malloc(2 * all * sizeof *w->memory);
  if (!w->memory)
    return fail(STATUS_MEMORY, "Laplace's approximation: no memory for %lld locations", (long long)a->at.n);
  const status st = slope_of(a, inverse, w);
  free(w->memory);
  return st;
}

SEXP C_laplaceSlope(SEXP system, SEXP pointer, SEXP sides, SEXP h, SEXP inverse, SEXP x) {
  const laplace_system a = system_of(system);
  const SEXP up = VECTOR_ELT(sides, 0), down = VECTOR_ELT(sides, 1);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 4)), pattern = VECTOR_ELT(system, 0);
  SET_VECTOR_ELT(result, 1, rows_like(x, a.at.n));
  slope_work w = {.h = Rf_asReal(h), .columns = columns_of(x), .x = REAL(x), .moved = REAL(VECTOR_ELT(result, 1))};
  cov_model above, below;
  if (Rf_isNull(pointer)) {
    w.above = system_with(pattern, VECTOR_ELT(up, 0), R_NilValue);
    w.below = system_with(pattern, VECTOR_ELT(down, 0), R_NilValue);
    w.log_det = Rf_asReal(VECTOR_ELT(up, 1)) - Rf_asReal(VECTOR_ELT(down, 1));
  } else {
    w.of = vecchia_of(pointer);
    w.from = INTEGER(VECTOR_ELT(pattern, 2));
    above = covariance_model(VECTOR_ELT(up, 0), R_NilValue, 0);
    below = covariance_model(VECTOR_ELT(down, 0), R_NilValue, 0);
    w.up = (vecchia_model){&above, Rf_asReal(VECTOR_ELT(up, 1))};
    w.down = (vecchia_model){&below, Rf_asReal(VECTOR_ELT(down, 1))};
  }
  ENGINE_RUN("gpFit", run_slope(&a, factor_of(inverse), &w));
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(w.trace));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(w.log_det));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(w.bad));
  UNPROTECT(1);
  return result;
}

/* Whatever R has in these is checked there. */
static effects_design design_of(SEXP joint) {
  const SEXP index = VECTOR_ELT(joint, 0);
  const int *size = INTEGER(VECTOR_ELT(joint, 2));
  return (effects_design){Rf_nrows(index), Rf_ncols(index), size[0], size[1], size[2], INTEGER(index),
                          REAL(VECTOR_ELT(joint, 1)), INTEGER(VECTOR_ELT(joint, 3))};
}

SEXP C_laplaceSpread(SEXP joint, SEXP b) {
  const effects_design design = design_of(joint);
  SEXP result = PROTECT(rows_like(b, design.n));
  effects_spread(&design, columns_of(b), REAL(b), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceGather(SEXP joint, SEXP x) {
  const effects_design design = design_of(joint);
  SEXP result = PROTECT(rows_like(x, design.latent + design.effects));
  effects_gather(&design, columns_of(x), REAL(x), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceSums(SEXP unit, SEXP x, SEXP units) {
  const int count = Rf_asInteger(units);
  SEXP result = PROTECT(rows_like(x, count));
  effects_sums(XLENGTH(unit), columns_of(x), INTEGER(unit), REAL(x), count, REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceCross(SEXP joint, SEXP weight, SEXP diagonal) {
  const effects_design design = design_of(joint);
  const int effects = (int)design.effects;
  SEXP own = PROTECT(Rf_allocMatrix(REALSXP, effects, effects)), result = own;
  if (Rf_isNull(diagonal)) {
    result = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int)design.latent, effects));
    SET_VECTOR_ELT(result, 1, own);
    effects_cross(&design, REAL(weight), REAL(VECTOR_ELT(result, 0)), REAL(own));
    UNPROTECT(1);
  } else {
    effects_cross(&design, REAL(weight), NULL, REAL(own));
    ENGINE_RUN("gpFit", effects_less_alone(&design, REAL(weight), REAL(diagonal), REAL(own)));
  }
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceCrossed(SEXP joint, SEXP mixed, SEXP y) {
  const effects_design design = design_of(joint);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)design.effects, (int)design.effects));
  ENGINE_RUN("gpFit", effects_crossed(&design, REAL(mixed), REAL(y), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceElements(SEXP pattern, SEXP elements, SEXP mixed, SEXP y) {
  const laplace_pattern at = pattern_of(pattern);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  for (int k = 0; k < 2; k++) SET_VECTOR_ELT(result, k, Rf_duplicate(VECTOR_ELT(elements, k)));
  double *diagonal = REAL(VECTOR_ELT(result, 0)), *below = REAL(VECTOR_ELT(result, 1));
  ENGINE_RUN("gpFit", effects_elements(&at, columns_of(y), REAL(mixed), REAL(y), diagonal, below));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceVariances(SEXP joint, SEXP own, SEXP mixed, SEXP covariance) {
  const effects_design design = design_of(joint);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)design.n));
  effects_variances(&design, REAL(own), REAL(mixed), REAL(covariance), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceVariancesAlone(SEXP joint, SEXP weight, SEXP diagonal, SEXP covariance) {
  const effects_design design = design_of(joint);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t)design.n));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t)design.latent));
  ENGINE_RUN("gpFit", effects_variances_alone(&design, REAL(weight), REAL(diagonal), REAL(covariance),
                                              REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1))));
  UNPROTECT(1);
  return result;
}

/* ---- symmetric matrices of effects ---- */

SEXP C_laplaceRoot(SEXP matrix) {
  const int n = Rf_nrows(matrix);
  SEXP tiles = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)dense_size(n)));
  int64_t bad = 0;
  dense_pack(n, REAL(matrix), REAL(tiles));
  ENGINE_RUN("gpFit", dense_cholesky(n, REAL(tiles), &bad));
  SEXP result = PROTECT(bad ? R_NilValue : Rf_allocMatrix(REALSXP, n, n));
  if (!bad) dense_unpack(n, REAL(tiles), 0, REAL(result));
  UNPROTECT(2);
  return result;
}

SEXP C_laplaceRootInverse(SEXP root) {
  const int n = Rf_nrows(root);
  SEXP tiles = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)dense_size(n)));
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, n, n));
  dense_pack(n, REAL(root), REAL(tiles));
  ENGINE_RUN("gpFit", dense_inverse(n, REAL(tiles)));
  dense_unpack(n, REAL(tiles), 1, REAL(result));
  UNPROTECT(2);
  return result;
}

SEXP C_laplaceTimes(SEXP x, SEXP b) {
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, Rf_nrows(x), Rf_nrows(b)));
  ENGINE_RUN("gpFit", dense_product(Rf_nrows(x), Rf_ncols(x), Rf_nrows(b), REAL(x), REAL(b), REAL(result)));
  UNPROTECT(1);
  return result;
}
