/* r_stable_fit.c: stableFit() between R, which has checked every argument, and src/stable_fit.c. */
#include "r_stable_fit.h"

#include <string.h>

#include "r_engine.h"
#include "stable_fit.h"

SEXP C_stableFit(SEXP x, SEXP weights, SEXP pm, SEXP fixed, SEXP value, SEXP started) {
  static const char *names[] = {"par",        "cov",       "log_lik",   "boundary",
                                "iterations", "converged", "densities", ""};
  fit_problem p = {0};
  fit_result r;
  p.n = XLENGTH(x);
  p.x = REAL(x);
  p.weight = weights == R_NilValue ? NULL : REAL(weights);
  p.pm = Rf_asInteger(pm);
  p.started = Rf_asLogical(started);
  for (int k = 0; k < FIT_PARS; k++) {
    p.fixed[k] = LOGICAL(fixed)[k];
    p.value[k] = REAL(value)[k];
  }
  engine_begin("stableFit");
  engine_end(stable_fit(&p, &r));
  SEXP answer = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP par = Rf_allocVector(REALSXP, FIT_PARS);
  SET_VECTOR_ELT(answer, 0, par);
  memcpy(REAL(par), r.par, sizeof r.par);
  SEXP cov = Rf_allocMatrix(REALSXP, FIT_PARS, FIT_PARS);
  SET_VECTOR_ELT(answer, 1, cov);
  for (int k = 0; k < FIT_PARS * FIT_PARS; k++) REAL(cov)[k] = ISNAN(r.cov[k]) ? NA_REAL : r.cov[k];
  SET_VECTOR_ELT(answer, 2, Rf_ScalarReal(r.log_lik));
  SEXP boundary = Rf_allocVector(INTSXP, FIT_PARS);
  SET_VECTOR_ELT(answer, 3, boundary);
  memcpy(INTEGER(boundary), r.boundary, sizeof r.boundary);
  SET_VECTOR_ELT(answer, 4, Rf_ScalarInteger(r.iterations));
  SET_VECTOR_ELT(answer, 5, Rf_ScalarLogical(r.converged));
  SET_VECTOR_ELT(answer, 6, Rf_ScalarReal((double)r.densities));
  UNPROTECT(1);
  return answer;
}
