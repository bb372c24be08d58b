/* r_gp.c: likelihoods of Gaussian processes between R and the engine. */
#include "gp/r_gp.h"

#include <stdlib.h>
#include <string.h>

#include "covariance/covariance.h"
#include "covariance/r_covariance.h"
#include "dense/dense.h"
#include "glue/r_engine.h"

typedef struct {
  int64_t n;
  double *a;
} factor;

static void free_factor(SEXP pointer) {
  factor *f = R_ExternalPtrAddr(pointer);
  if (!f) return;
  R_ClearExternalPtr(pointer);
  free(f->a);
  free(f);
}

static factor *factor_of(SEXP pointer) {
  factor *f = R_ExternalPtrAddr(pointer);
  if (!f) engine_raise(fail(STATUS_INPUT, "a factor of another session"));
  return f;
}

static SEXP new_factor(int64_t n) {
  factor *f = malloc(sizeof *f);
  if (f) *f = (factor){n, malloc((size_t)dense_size(n) * sizeof *f->a + 1)};
  if (!f || !f->a) {
    free(f);
    engine_raise(fail(STATUS_MEMORY, "no memory for a covariance matrix of %lld rows (%.3g GB)", (long long)n,
                      8e-9 * (double)dense_size(n)));
  }
  SEXP pointer = PROTECT(R_MakeExternalPtr(f, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, free_factor, TRUE);
  UNPROTECT(1);
  return pointer;
}

static status make_factor(const cov_model *m, const cov_metric *metric, const double *at, const double *diagonal,
                          factor *f, double *log_det, int64_t *bad) {
  status st = cov_packed(m, metric, covariance_route(), f->n, at, diagonal, &f->a);
  if (!st) st = dense_cholesky(f->n, f->a, bad);
  if (!st && !*bad) *log_det = dense_log_det(f->n, f->a);
  return st;
}

SEXP C_gpFactor(SEXP a, SEXP metric, SEXP radius, SEXP parts, SEXP diagonal) {
  const int64_t n = Rf_nrows(a);
  const cov_metric space = covariance_metric(a, metric, radius, parts);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3)), want = PROTECT(Rf_allocVector(VECSXP, 1));
  SEXP none = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(want, 0, none);
  SET_VECTOR_ELT(none, 0, Rf_mkString("none"));
  SET_VECTOR_ELT(none, 1, Rf_ScalarInteger(0));
  const cov_model model = covariance_model(parts, want, 0);
  SET_VECTOR_ELT(result, 0, new_factor(n));
  double log_det = 0;
  int64_t bad = 0;
  factor *f = factor_of(VECTOR_ELT(result, 0));
  ENGINE_RUN("gpLoglik", make_factor(&model, &space, REAL(a), REAL(diagonal), f, &log_det, &bad));
  if (bad) free_factor(VECTOR_ELT(result, 0));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(log_det));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal((double)bad));
  UNPROTECT(3);
  return result;
}

SEXP C_gpSolve(SEXP pointer, SEXP b, SEXP transposed) {
  const factor *f = factor_of(pointer);
  SEXP result = PROTECT(Rf_duplicate(b));
  ENGINE_RUN("gpLoglik", dense_solve(f->n, f->a, Rf_ncols(b), REAL(result), Rf_asLogical(transposed)));
  UNPROTECT(1);
  return result;
}

SEXP C_gpWeights(SEXP pointer, SEXP u) {
  const factor *f = factor_of(pointer);
  engine_begin("gpLoglik");
  status st = dense_inverse(f->n, f->a);
  if (!st) st = dense_outer_less(f->n, f->a, Rf_ncols(u), REAL(u));
  engine_end(st);
  return R_NilValue;
}

SEXP C_gpContract(SEXP pointer, SEXP a, SEXP metric, SEXP radius, SEXP parts, SEXP wants) {
  const factor *f = factor_of(pointer);
  const cov_metric space = covariance_metric(a, metric, radius, parts);
  const cov_model model = covariance_model(parts, wants, 0);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_length(wants)));
  ENGINE_RUN("gpLoglik", cov_contract(&model, &space, covariance_route(), f->n, REAL(a), f->a, REAL(result)));
  for (int k = 0; k < model.n_wants; k++)
    if (model.want[k].what == COV_NOTHING) REAL(result)[k] = dense_trace(f->n, f->a);
  UNPROTECT(1);
  return result;
}
