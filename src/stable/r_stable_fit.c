/* r_stable_fit.c: fits of stable distributions between R, which has checked every argument, and
 * src/stable/stable_fit.c. */
#include "stable/r_stable_fit.h"

#include <string.h>

#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "stable/stable_estimate.h"
#include "stable/stable_fit.h"

/* Row i of a matrix of parameters that has one row for all or one for each; 0 if it is NULL. */
static int row_of(SEXP matrix, int64_t i, double *value) {
  if (matrix == R_NilValue) return 0;
  const int64_t rows = Rf_nrows(matrix);
  for (int k = 0; k < FIT_PARS; k++) value[k] = REAL(matrix)[i % rows + k * rows];
  return 1;
}

/* Problems of m samples; R frees them. */
static fit_problem *samples(SEXP x, SEXP weights, SEXP upper, SEXP first, SEXP n) {
  const int64_t m = XLENGTH(first);
  fit_problem *problem = (fit_problem *)R_alloc((size_t)m + 1, sizeof *problem);
  memset(problem, 0, sizeof *problem * ((size_t)m + 1));
  for (int64_t i = 0; i < m; i++) {
    const int64_t from = (int64_t)REAL(first)[i];
    problem[i].n = (int64_t)REAL(n)[i];
    problem[i].x = REAL(x) + from;
    if (weights != R_NilValue) problem[i].weight = REAL(weights) + from;
    if (upper != R_NilValue) problem[i].upper = REAL(upper) + from;
  }
  return problem;
}

/* Sample i is the n[i] elements of x (and weights and upper, unless NULL) from first[i] on, counted from 0. fixed and
 * start: NULL, or matrices of four columns, NA where a parameter is not fixed or has no start; a start counts if it
 * is whole. With columns q there is one sample, and b has a column for each start of their coefficients. The last
 * five are those of the problem. */
SEXP C_stableFit(SEXP x, SEXP weights, SEXP upper, SEXP first, SEXP n, SEXP pm, SEXP fixed, SEXP start, SEXP q,
                 SEXP b, SEXP smallest_alpha, SEXP most_steps, SEXP climbs, SEXP gives_up,
                 SEXP known) {
  static const char *names[] = {"par",        "cov",       "log_lik",   "boundary",
                                "iterations", "converged", "densities", "second",   "tied", ""};
  const int64_t m = XLENGTH(first);
  const int columns = q == R_NilValue ? 0 : Rf_ncols(q), size = FIT_PARS + columns;
  fit_problem *problem = samples(x, weights, upper, first, n);
  fit_result *result = (fit_result *)R_alloc((size_t)m + 1, sizeof *result);
  SEXP answer = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP par = vec_matrix("stableFit", m, size);
  SET_VECTOR_ELT(answer, 0, par);
  const int rows = Rf_nrows(par);
  SEXP cov = Rf_alloc3DArray(REALSXP, size, size, rows);
  SET_VECTOR_ELT(answer, 1, cov);
  for (int64_t i = 0; i < m; i++) {
    fit_problem *p = problem + i;
    double given[FIT_PARS];
    result[i].cov = REAL(cov) + i * size * size;
    p->pm = Rf_asInteger(pm);
    p->smallest_alpha = Rf_asReal(smallest_alpha);
    p->most_steps = Rf_asInteger(most_steps);
    p->climbs = Rf_asInteger(climbs);
    p->gives_up = Rf_asLogical(gives_up);
    p->known = Rf_asReal(known);
    if (columns > 0) {
      p->columns = columns;
      p->q = REAL(q);
      p->b = REAL(b);
      p->starts = Rf_ncols(b);
      result[i].b = REAL(par) + FIT_PARS;
    }
    p->started = row_of(start, i, p->value);
    if (row_of(fixed, i, given))
      for (int k = 0; k < FIT_PARS; k++) {
        p->fixed[k] = !ISNAN(given[k]);
        if (p->fixed[k]) p->value[k] = given[k];
      }
    for (int k = 0; k < FIT_PARS; k++) p->started &= !ISNAN(p->value[k]);
  }
  engine_begin("stableFit");
  engine_end(stable_fit(m, problem, result));
  SEXP log_lik = Rf_allocVector(REALSXP, rows);
  SET_VECTOR_ELT(answer, 2, log_lik);
  SEXP boundary = Rf_allocMatrix(INTSXP, rows, FIT_PARS);
  SET_VECTOR_ELT(answer, 3, boundary);
  SEXP iterations = Rf_allocVector(INTSXP, rows);
  SET_VECTOR_ELT(answer, 4, iterations);
  SEXP converged = Rf_allocVector(LGLSXP, rows);
  SET_VECTOR_ELT(answer, 5, converged);
  SEXP densities = Rf_allocVector(REALSXP, rows);
  SET_VECTOR_ELT(answer, 6, densities);
  SEXP second = Rf_allocMatrix(REALSXP, rows, FIT_PARS + 1);
  SET_VECTOR_ELT(answer, 7, second);
  SEXP tied = Rf_allocVector(REALSXP, rows);
  SET_VECTOR_ELT(answer, 8, tied);
  for (int64_t i = 0; i < m; i++) {
    const fit_result *r = result + i;
    for (int k = 0; k < FIT_PARS; k++) {
      REAL(par)[i + k * m] = r->par[k];
      INTEGER(boundary)[i + k * m] = r->boundary[k];
    }
    for (int k = 0; k < size * size; k++)
      if (ISNAN(r->cov[k])) r->cov[k] = NA_REAL;
    for (int k = 0; k <= FIT_PARS; k++) REAL(second)[i + k * m] = ISNAN(r->second[k]) ? NA_REAL : r->second[k];
    REAL(log_lik)[i] = r->log_lik;
    INTEGER(iterations)[i] = r->iterations;
    LOGICAL(converged)[i] = r->converged;
    REAL(densities)[i] = (double)r->densities;
    REAL(tied)[i] = r->tied;
  }
  UNPROTECT(1);
  return answer;
}

/* Estimates in S0, a row per sample, NA where there is none, and what is tied; method: one of
 * ESTIMATE_METHODS. */
SEXP C_stableEstimate(SEXP x, SEXP weights, SEXP first, SEXP n, SEXP fixed, SEXP method) {
  const int64_t m = XLENGTH(first);
  const enum estimate_method which = (enum estimate_method)enum_of(method, NAMES(ESTIMATE_METHODS));
  SEXP result = PROTECT(vec_matrix("stableFit", m, LAW_PARS + 1));
  const fit_problem *sample = samples(x, weights, R_NilValue, first, n);
  estimate_problem *p = (estimate_problem *)R_alloc((size_t)m + 1, sizeof *p);
  for (int64_t i = 0; i < m; i++) {
    p[i].n = sample[i].n;
    p[i].x = sample[i].x;
    p[i].weight = sample[i].weight;
    if (!row_of(fixed, i, p[i].fixed))
      for (int k = 0; k < LAW_PARS; k++) p[i].fixed[k] = NA_REAL;
  }
  ENGINE_RUN("stableFit", stable_estimate(which, m, p));
  for (int64_t i = 0; i < m; i++) {
    for (int k = 0; k < LAW_PARS; k++) REAL(result)[i + k * m] = ISNAN(p[i].par[k]) ? NA_REAL : p[i].par[k];
    REAL(result)[i + LAW_PARS * m] = p[i].tied;
  }
  UNPROTECT(1);
  return result;
}

/* Log likelihoods of the samples under distributions in S0, a row for each. */
SEXP C_stableLogLik(SEXP x, SEXP weights, SEXP upper, SEXP first, SEXP n, SEXP law) {
  const int64_t m = XLENGTH(first);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, m));
  fit_problem *p = samples(x, weights, upper, first, n);
  for (int64_t i = 0; i < m; i++) row_of(law, i, p[i].value);
  ENGINE_RUN("stableFit", stable_log_likelihood(m, p, REAL(result)));
  UNPROTECT(1);
  return result;
}
