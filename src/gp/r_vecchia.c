/* r_vecchia.c: Vecchia's approximation between R and the engine. */
#include "gp/r_vecchia.h"

#include <R_ext/Memory.h>

#include "covariance/r_covariance.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

static void finalize(SEXP pointer) {
  vecchia_free(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

SEXP C_vecchiaMake(SEXP among, SEXP error, SEXP data, SEXP sets) {
  const cov_space space = covariance_space(among);
  SEXP members = vec_element(sets, "members");
  const int block = Rf_asInteger(vec_element(sets, "block")), count = Rf_ncols(members);
  const vecchia_sets own = {space.n, block ? 0 : space.n - count, count, Rf_nrows(members), block, INTEGER(members)};
  const double nearest = Rf_asReal(vec_element(sets, "nearest")), *columns = REAL(data);
  const double *errors = Rf_isNull(error) ? NULL : REAL(error);
  const int n_columns = Rf_ncols(data);
  vecchia *v = NULL;
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  engine_begin("gpFit");
  const status st = vecchia_make(&space, errors, n_columns, columns, &own, nearest, &v);
  R_SetExternalPtrAddr(pointer, v);
  engine_end(st);
  UNPROTECT(1);
  return pointer;
}

const vecchia *vecchia_of(SEXP pointer) {
  const vecchia *v = R_ExternalPtrAddr(pointer);
  if (!v) Rf_error("locations of Vecchia's approximation that are gone");
  return v;
}

SEXP C_vecchiaFree(SEXP pointer) {
  finalize(pointer);
  return R_NilValue;
}

SEXP C_vecchiaSums(SEXP pointer, SEXP parts, SEXP wants, SEXP nugget) {
  const vecchia *v = vecchia_of(pointer);
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

SEXP C_vecchiaCount(SEXP pointer) { return Rf_ScalarReal((double)vecchia_parts(vecchia_of(pointer))); }

SEXP C_vecchiaPartSums(SEXP pointer, SEXP parts, SEXP wants, SEXP nugget, SEXP attempt) {
  const vecchia *v = vecchia_of(pointer);
  const cov_model model = covariance_model(parts, wants, 0);
  const vecchia_model m = {&model, Rf_asReal(nugget)};
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SEXP sums = Rf_allocMatrix(REALSXP, vecchia_sums_size(v, &model), (int)vecchia_parts(v));
  int64_t bad = -1;
  SET_VECTOR_ELT(result, 0, sums);
  ENGINE_RUN("gpFit", vecchia_part_sums(v, &m, Rf_asInteger(attempt), REAL(sums), &bad));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double)bad + 1));
  UNPROTECT(1);
  return result;
}

SEXP C_vecchiaAdd(SEXP sums) {
  SEXP total = PROTECT(Rf_allocVector(REALSXP, Rf_nrows(sums)));
  vecchia_add(Rf_ncols(sums), Rf_nrows(sums), REAL(sums), REAL(total));
  UNPROTECT(1);
  return total;
}

static void fill_part(SEXP part, vecchia_part *cut) {
  cut->state = REAL(VECTOR_ELT(part, 0));
  cut->records = REAL(VECTOR_ELT(part, 1));
  cut->whole = INTEGER(VECTOR_ELT(part, 2));
  cut->turn = INTEGER(VECTOR_ELT(part, 3));
}

SEXP C_vecchiaCut(SEXP pointer, SEXP first, SEXP parts) {
  const vecchia *v = vecchia_of(pointer);
  const int64_t from = (int64_t)Rf_asReal(first) - 1, count = (int64_t)Rf_asReal(parts);
  vecchia_part cut = {0};
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 4));
  ENGINE_RUN("gpFit", vecchia_cut(v, from, count, &cut));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t)cut.n_state));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t)cut.n_records));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(INTSXP, (R_xlen_t)cut.n_whole));
  SET_VECTOR_ELT(result, 3, Rf_allocVector(INTSXP, (R_xlen_t)cut.n_turn));
  fill_part(result, &cut);
  ENGINE_RUN("gpFit", vecchia_cut(v, from, count, &cut));
  UNPROTECT(1);
  return result;
}

SEXP C_vecchiaRestore(SEXP part) {
  vecchia_part cut = {.n_records = XLENGTH(VECTOR_ELT(part, 1)), .n_whole = XLENGTH(VECTOR_ELT(part, 2)),
                      .n_turn = XLENGTH(VECTOR_ELT(part, 3))};
  vecchia *v = NULL;
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  fill_part(part, &cut);
  engine_begin("gpFit");
  const status st = vecchia_restore(&cut, &v);
  R_SetExternalPtrAddr(pointer, v);
  engine_end(st);
  UNPROTECT(1);
  return pointer;
}

/* Columns of a matrix. */
static double **columns_of(SEXP matrix) {
  const int columns = Rf_ncols(matrix);
  double **out = (double **)R_alloc((size_t)columns, sizeof *out);
  for (int k = 0; k < columns; k++) out[k] = REAL(matrix) + (R_xlen_t)k * Rf_nrows(matrix);
  return out;
}

SEXP C_vecchiaPredict(SEXP pointer, SEXP parts, SEXP nugget, SEXP rows) {
  const vecchia *v = vecchia_of(pointer);
  const cov_model model = covariance_model(parts, R_NilValue, 0);
  const vecchia_model m = {&model, Rf_asReal(nugget)};
  const int of_rows = Rf_asLogical(rows);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)vecchia_asked(v), vecchia_columns(v, of_rows)));
  double *const *out = columns_of(result);
  ENGINE_RUN("gpFit", of_rows ? vecchia_rows(v, &m, out) : vecchia_predict(v, &m, out));
  UNPROTECT(1);
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
