/* r_vecchia.c: Vecchia's approximation between R and the engine. */
#include "gp/r_vecchia.h"

#include <R_ext/Memory.h>

#include "covariance/r_covariance.h"
#include "glue/r_engine.h"
#include "gp/vecchia.h"

static void finalize(SEXP pointer) {
  vecchia_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

SEXP C_vecchiaMake(SEXP a, SEXP metric, SEXP radius, SEXP parts, SEXP error, SEXP data, SEXP members, SEXP own,
                   SEXP nearest) {
  const cov_metric space = covariance_metric(a, metric, radius, parts);
  const int n = Rf_nrows(a), block = Rf_asInteger(own), count = Rf_ncols(members);
  const vecchia_sets sets = {n, block ? 0 : n - count, count, Rf_nrows(members), block, INTEGER(members)};
  vecchia *v = NULL;
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  engine_begin("gpFit");
  const status st = vecchia_make(&space, REAL(a), Rf_isNull(error) ? NULL : REAL(error), Rf_ncols(data), REAL(data),
                                 &sets, Rf_asReal(nearest), &v);
  R_SetExternalPtrAddr(pointer, v);
  engine_end(st);
  UNPROTECT(1);
  return pointer;
}

static const vecchia *locations_of(SEXP pointer) {
  const vecchia *v = R_ExternalPtrAddr(pointer);
  if (!v) Rf_error("locations of Vecchia's approximation that are gone");
  return v;
}

SEXP C_vecchiaFree(SEXP pointer) {
  finalize(pointer);
  return R_NilValue;
}

SEXP C_vecchiaSums(SEXP pointer, SEXP parts, SEXP wants, SEXP nugget) {
  const vecchia *v = locations_of(pointer);
  const cov_model model = covariance_model(parts, wants, 0);
  const vecchia_model m = {&model, Rf_asReal(nugget)};
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2)), sums = Rf_allocVector(REALSXP, vecchia_sums_size(v, &model));
  int64_t bad = -1;
  SET_VECTOR_ELT(result, 0, sums);
  ENGINE_RUN("gpFit", vecchia_sums(v, &m, REAL(sums), &bad));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double)bad + 1));
  UNPROTECT(1);
  return result;
}

/* Columns of a matrix. */
static double **columns_of(SEXP matrix) {
  const int columns = Rf_ncols(matrix);
  double **out = (double **)R_alloc((size_t)columns, sizeof *out);
  for (int k = 0; k < columns; k++) out[k] = REAL(matrix) + (R_xlen_t)k * Rf_nrows(matrix);
  return out;
}

SEXP C_vecchiaPredict(SEXP pointer, SEXP parts, SEXP nugget, SEXP rows) {
  const vecchia *v = locations_of(pointer);
  SEXP want = PROTECT(Rf_allocVector(VECSXP, 1)), value = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(want, 0, value);
  SET_VECTOR_ELT(value, 0, Rf_mkString("none"));
  SET_VECTOR_ELT(value, 1, Rf_ScalarInteger(0));
  const cov_model model = covariance_model(parts, want, 0);
  const vecchia_model m = {&model, Rf_asReal(nugget)};
  const int of_rows = Rf_asLogical(rows);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)vecchia_asked(v), vecchia_columns(v, of_rows)));
  double *const *out = columns_of(result);
  ENGINE_RUN("gpFit", of_rows ? vecchia_rows(v, &m, out) : vecchia_predict(v, &m, out));
  UNPROTECT(3);
  return result;
}

SEXP C_vecchiaFill(SEXP rows, SEXP neighbours, SEXP field) {
  SEXP result = PROTECT(Rf_duplicate(field));
  const int n = Rf_nrows(field);
  vecchia_fill(n, n - Rf_nrows(rows), Rf_nrows(neighbours), INTEGER(neighbours),
               (const double *const *)columns_of(rows), Rf_ncols(field), REAL(result));
  UNPROTECT(1);
  return result;
}
