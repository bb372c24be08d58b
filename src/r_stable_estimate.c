/* r_stable_estimate.c: stable_estimates() between R, which has checked every argument, and the engine. */
#include "r_stable_estimate.h"

#include <R.h>

#include "r_engine.h"
#include "stable_estimators.h"

/* series, weights: lists of numeric vectors (weights may be NULL); fixed: a row of four per series, NA where free. */
SEXP C_stableEstimate(SEXP series, SEXP weights, SEXP fixed, SEXP method) {
  const int m = (int)XLENGTH(series);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, m, LAW_PARS));
  estimate_problem *p = (estimate_problem *)R_alloc((size_t)m + 1, sizeof *p);
  for (int i = 0; i < m; i++) {
    p[i].n = XLENGTH(VECTOR_ELT(series, i));
    p[i].x = REAL(VECTOR_ELT(series, i));
    p[i].weight = weights == R_NilValue ? NULL : REAL(VECTOR_ELT(weights, i));
    for (int k = 0; k < LAW_PARS; k++) p[i].fixed[k] = fixed == R_NilValue ? NA_REAL : REAL(fixed)[i + k * m];
  }
  ENGINE_RUN("stableFit", stable_estimate((enum estimate_method)Rf_asInteger(method), m, p));
  for (int i = 0; i < m; i++)
    for (int k = 0; k < LAW_PARS; k++) REAL(result)[i + k * m] = ISNAN(p[i].par[k]) ? NA_REAL : p[i].par[k];
  UNPROTECT(1);
  return result;
}
