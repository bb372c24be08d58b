/* r_gp.c: likelihoods of Gaussian processes between R and the engine. */
#include "gp/r_gp.h"

#include "covariance/r_covariance.h"
#include "dense/dense.h"
#include "dense/dense_device.h"
#include "dense/dense_levels.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

/* One layout, that of cov_packed(). */
typedef char tiles_agree[(int)COV_TILE == (int)DENSE_TILE ? 1 : -1];

static status make_factor(const cov_model *m, const cov_space *s, const double *diagonal, double *factor,
                          double *log_det, int64_t *bad) {
  const call_part whole = backend_part();
  backend_set_part(whole, 0, 0.1); /* of a long call the factor is most */
  status st = cov_packed(m, s, diagonal, &factor);
  backend_set_part(whole, 0.1, 1);
  if (!st) st = dense_cholesky(s->n, factor, bad);
  backend_set_part(whole, 0, 1);
  if (!st && !*bad) *log_det = dense_log_det(s->n, factor);
  return st;
}

SEXP C_gpFactor(SEXP among, SEXP diagonal) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, R_NilValue);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(result, 0, vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)dense_size(space.n))));
  double log_det = 0;
  int64_t bad = 0;
  ENGINE_RUN("gpLoglik", make_factor(&model, &space, REAL(diagonal), REAL(VECTOR_ELT(result, 0)), &log_det, &bad));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(log_det));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal((double)bad));
  UNPROTECT(1);
  return result;
}

SEXP C_gpSolve(SEXP factor, SEXP b, SEXP transposed) {
  SEXP result = PROTECT(Rf_duplicate(b));
  ENGINE_RUN("gpLoglik",
             dense_solve(Rf_nrows(b), REAL(factor), Rf_ncols(b), REAL(result), Rf_asLogical(transposed)));
  UNPROTECT(1);
  return result;
}

SEXP C_gpMultiply(SEXP factor, SEXP b) {
  SEXP result = PROTECT(Rf_duplicate(b));
  ENGINE_RUN("gpLoglik", dense_multiply(Rf_nrows(b), REAL(factor), Rf_ncols(b), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_gpDiagonal(SEXP factor, SEXP n) {
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_asInteger(n)));
  dense_diagonal(XLENGTH(result), REAL(factor), REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_gpWeights(SEXP factor, SEXP u) {
  const int64_t n = Rf_nrows(u);
  engine_begin("gpLoglik");
  status st = dense_inverse(n, REAL(factor));
  if (!st) st = dense_outer_less(n, REAL(factor), Rf_ncols(u), REAL(u));
  engine_end(st);
  return R_NilValue;
}

SEXP C_gpForget(void) {
  const int kept = dense_device_keeps();
  dense_device_forget();
  return Rf_ScalarLogical(kept);
}

SEXP C_gpContract(SEXP factor, SEXP among, SEXP wants) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, wants);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_length(wants)));
  ENGINE_RUN("gpLoglik", cov_contract(&model, &space, REAL(factor), REAL(result)));
  for (int k = 0; k < model.n_wants; k++)
    if (model.want[k].what == COV_NOTHING) REAL(result)[k] = dense_trace(space.n, REAL(factor));
  UNPROTECT(1);
  return result;
}

SEXP C_gpSlopes(SEXP among, SEXP wants, SEXP vectors) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, wants);
  const int columns = Rf_ncols(vectors);
  SEXP result = PROTECT(Rf_alloc3DArray(REALSXP, (int)space.n, columns, model.n_wants));
  ENGINE_RUN("gpLoglik", cov_slopes(&model, &space, columns, REAL(vectors), REAL(result)));
  UNPROTECT(1);
  return result;
}
