/* r_laplace.c: Laplace's approximation between R and the engine. */
#include "gp/r_laplace.h"

#include <string.h>

#include "glue/r_engine.h"
#include "gp/effects.h"
#include "gp/laplace.h"

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

SEXP C_laplacePrior(SEXP pattern, SEXP rows) {
  const laplace_pattern at = pattern_of(pattern);
  const int *from = INTEGER(VECTOR_ELT(pattern, 2));
  SEXP result = PROTECT(list_of(pattern, 0));
  double *weights = REAL(VECTOR_ELT(result, 1));
  memcpy(REAL(VECTOR_ELT(result, 0)), REAL(rows), (size_t)at.n * sizeof *weights);
  for (int64_t k = 0; k < at.n; k++)
    for (int32_t p = at.start[k]; p < at.start[k + 1]; p++) weights[p] = REAL(rows)[(1 + from[p]) * at.n + k];
  UNPROTECT(1);
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

SEXP C_laplaceSlope(SEXP system, SEXP slope, SEXP inverse, SEXP x) {
  const laplace_system a = system_of(system), by = system_with(VECTOR_ELT(system, 0), slope, R_NilValue);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(result, 1, Rf_duplicate(x));
  double trace = 0;
  ENGINE_RUN("gpFit", laplace_trace(&a, by, factor_of(inverse), &trace));
  laplace_moved(&a, by, REAL(x), REAL(VECTOR_ELT(result, 1)));
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(trace));
  UNPROTECT(1);
  return result;
}

/* Whatever R has in these is checked there; sizes: processes, their elements of a joint vector, and effects. */
static effects_design design_of(SEXP index, SEXP value, SEXP sizes) {
  const int *size = INTEGER(sizes);
  return (effects_design){Rf_nrows(index), Rf_ncols(index), size[0], size[1], size[2], INTEGER(index), REAL(value)};
}

/* As many columns as x has, and a vector for a vector. */
static SEXP rows_like(SEXP x, int64_t rows) {
  return Rf_isMatrix(x) ? Rf_allocMatrix(REALSXP, (int)rows, Rf_ncols(x)) : Rf_allocVector(REALSXP, (R_xlen_t)rows);
}

SEXP C_laplaceSpread(SEXP index, SEXP value, SEXP sizes, SEXP b) {
  const effects_design design = design_of(index, value, sizes);
  SEXP result = PROTECT(rows_like(b, design.n));
  effects_spread(&design, columns_of(b), REAL(b), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceGather(SEXP index, SEXP value, SEXP sizes, SEXP x) {
  const effects_design design = design_of(index, value, sizes);
  SEXP result = PROTECT(rows_like(x, design.latent + design.effects));
  effects_gather(&design, columns_of(x), REAL(x), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceCross(SEXP index, SEXP value, SEXP sizes, SEXP weight) {
  const effects_design design = design_of(index, value, sizes);
  const int effects = (int)design.effects;
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int)design.latent, effects));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, effects, effects));
  effects_cross(&design, REAL(weight), REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceCrossed(SEXP index, SEXP value, SEXP sizes, SEXP weight, SEXP y) {
  const effects_design design = design_of(index, value, sizes);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)design.effects, (int)design.effects));
  effects_crossed(&design, REAL(weight), REAL(y), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_laplaceVariances(SEXP index, SEXP value, SEXP sizes, SEXP own, SEXP y, SEXP mixed, SEXP covariance) {
  const effects_design design = design_of(index, value, sizes);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)design.n));
  effects_variances(&design, REAL(own), REAL(y), REAL(mixed), REAL(covariance), REAL(result));
  UNPROTECT(1);
  return result;
}
