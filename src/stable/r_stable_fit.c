/* r_stable_fit.c: fits of stable distributions between R, which has checked every argument, and
 * src/stable/stable_fit.c. */
#include "stable/r_stable.h"

#include <string.h>

#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "stable/stable_estimate.h"
#include "stable/stable_fit.h"

/* Row i of a matrix of parameters that has one row for all or one for each; 0 if it is NULL. */
static int row_of(SEXP matrix, int64_t i, double *value) {
  if (matrix == R_NilValue) return 0;
  const int64_t rows = Rf_nrows(matrix);
  for (int k = 0; k < STABLE_PARS; k++) value[k] = REAL(matrix)[i % rows + k * rows];
  return 1;
}

enum { MOST_CLIMBS = 12 }; /* as in R */

static void need(int holds, const char *name) {
  if (!holds) engine_raise(fail(STATUS_INPUT, "stableFit: %s is not of the form that its samples need", name));
}

/* A matrix of the list with a row for all samples or one for each, or R_NilValue. */
static SEXP rows_of(SEXP given, const char *name, R_xlen_t m) {
  SEXP matrix = vec_element(given, name);
  const R_xlen_t rows = matrix == R_NilValue ? 1 : Rf_nrows(matrix);
  vec_doubles(given, name, STABLE_PARS * rows);
  need(rows == 1 || rows == m, name);
  return matrix;
}

/* The m samples of a list: sample i is the n[i] elements of x, and of weights and upper unless they are NULL, from
 * first[i] on, counted from 0; cut: NULL, or the range that all observations are truncated to. R frees the
 * problems. */
static fit_problem *samples(SEXP given, int64_t *m) {
  need(vec_element(given, "x") != R_NilValue && vec_element(given, "first") != R_NilValue, "x");
  const R_xlen_t length = XLENGTH(vec_element(given, "x"));
  const double *x = vec_doubles(given, "x", length), *weights = vec_doubles(given, "weights", length);
  const double *upper = vec_doubles(given, "upper", length), *first = vec_doubles(given, "first", -1);
  *m = XLENGTH(vec_element(given, "first"));
  const double *n = vec_doubles(given, "n", *m);
  need(*m == 0 || (x && n), "x");
  const double *cut = vec_doubles(given, "cut", 2);
  need(!cut || (cut[0] < cut[1] && !upper), "cut");
  fit_problem *problem = (fit_problem *)R_alloc((size_t)*m + 1, sizeof *problem);
  memset(problem, 0, sizeof *problem * ((size_t)*m + 1));
  for (int64_t i = 0; i < *m; i++) {
    need(first[i] >= 0 && n[i] >= 0 && first[i] + n[i] <= (double)length, "n");
    const int64_t from = (int64_t)first[i];
    problem[i].n = (int64_t)n[i];
    problem[i].x = x + from;
    if (weights) problem[i].weight = weights + from;
    if (upper) problem[i].upper = upper + from;
    if (cut) {
      problem[i].truncated = 1;
      problem[i].cut[0] = cut[0];
      problem[i].cut[1] = cut[1];
    }
  }
  return problem;
}

/* Columns q, for which there is one sample, and the starts of their coefficients, the columns of b. */
static void read_columns(SEXP given, fit_problem *p) {
  SEXP q = vec_element(given, "q"), b = vec_element(given, "b");
  if (q == R_NilValue) return;
  p->columns = Rf_ncols(q);
  p->q = vec_doubles(given, "q", p->n * p->columns);
  p->starts = b == R_NilValue ? 0 : Rf_ncols(b);
  p->b = vec_doubles(given, "b", (R_xlen_t)p->columns * p->starts);
  need(p->starts > 0 && p->starts <= FIT_LOCATIONS && !p->upper, "b");
}

/* The problems of a list with samples. fixed and start: NULL, or matrices of four columns, NA where a parameter is
 * not fixed or has no start; a start counts if it is whole. All else has the names of fit_problem, and is its default
 * where the list has nothing. */
static fit_problem *problems(SEXP given, int64_t *m) {
  fit_problem *problem = samples(given, m);
  SEXP fixed = rows_of(given, "fixed", *m), start = rows_of(given, "start", *m);
  for (int64_t i = 0; i < *m; i++) {
    fit_problem *p = problem + i;
    double held[STABLE_PARS];
    p->pm = (int)vec_number(given, "pm", 0);
    p->smallest_alpha = vec_number(given, "smallest_alpha", 0);
    p->most_steps = (int)vec_number(given, "most_steps", 0);
    const double climbs = vec_number(given, "climbs", 0);
    need(climbs >= 0 && climbs <= MOST_CLIMBS, "climbs");
    p->climbs = (int)climbs;
    p->gives_up = vec_number(given, "gives_up", 0) != 0;
    p->known = vec_number(given, "known", NA_REAL);
    p->started = row_of(start, i, p->value);
    if (row_of(fixed, i, held))
      for (int k = 0; k < STABLE_PARS; k++) {
        p->fixed[k] = !ISNAN(held[k]);
        if (p->fixed[k]) p->value[k] = held[k];
      }
    for (int k = 0; k < STABLE_PARS; k++) p->started &= !ISNAN(p->value[k]);
  }
  if (*m == 1) read_columns(given, problem);
  return problem;
}

/* The next component of the list. */
static SEXP put(SEXP list, int *k, const char *name, SEXP value) {
  SET_VECTOR_ELT(list, *k, value);
  SET_STRING_ELT(Rf_getAttrib(list, R_NamesSymbol), (*k)++, Rf_mkChar(name));
  return value;
}

static double known(double x) { return ISNAN(x) ? NA_REAL : x; }

/* A list of arrays, with a row (a slice of cov) per sample. */
SEXP C_stableFit(SEXP given) {
  int64_t m;
  fit_problem *problem = problems(given, &m);
  const int columns = problem->columns, size = STABLE_PARS + columns;
  fit_result *result = (fit_result *)R_alloc((size_t)m + 1, sizeof *result);
  SEXP par = PROTECT(vec_matrix("stableFit", m, size)), answer = PROTECT(Rf_allocVector(VECSXP, 9));
  const int rows = Rf_nrows(par);
  int n = 0;
  Rf_setAttrib(answer, R_NamesSymbol, Rf_allocVector(STRSXP, 9));
  put(answer, &n, "par", par);
  double *cov = REAL(put(answer, &n, "cov", Rf_alloc3DArray(REALSXP, size, size, rows)));
  for (int64_t i = 0; i < m; i++) {
    result[i].cov = cov + i * size * size;
    result[i].b = REAL(par) + STABLE_PARS;
  }
  ENGINE_RUN("stableFit", stable_fit(m, problem, result));
  double *log_lik = REAL(put(answer, &n, "log_lik", Rf_allocVector(REALSXP, rows)));
  int *boundary = INTEGER(put(answer, &n, "boundary", Rf_allocMatrix(INTSXP, rows, STABLE_PARS)));
  int *iterations = INTEGER(put(answer, &n, "iterations", Rf_allocVector(INTSXP, rows)));
  int *converged = LOGICAL(put(answer, &n, "converged", Rf_allocVector(LGLSXP, rows)));
  double *densities = REAL(put(answer, &n, "densities", Rf_allocVector(REALSXP, rows)));
  double *second = REAL(put(answer, &n, "second", Rf_allocMatrix(REALSXP, rows, STABLE_PARS + 1)));
  double *tied = REAL(put(answer, &n, "tied", Rf_allocVector(REALSXP, rows)));
  for (int64_t i = 0; i < m; i++) {
    const fit_result *r = result + i;
    for (int k = 0; k < STABLE_PARS; k++) {
      REAL(par)[i + k * m] = r->par[k];
      boundary[i + k * m] = r->boundary[k];
    }
    for (int k = 0; k < size * size; k++) r->cov[k] = known(r->cov[k]);
    for (int k = 0; k <= STABLE_PARS; k++) second[i + k * m] = known(r->second[k]);
    log_lik[i] = r->log_lik;
    iterations[i] = r->iterations;
    converged[i] = r->converged;
    densities[i] = (double)r->densities;
    tied[i] = r->tied;
  }
  UNPROTECT(2);
  return answer;
}

/* Estimates in S0, a row per sample, NA where there is none, and what is tied; method: one of
 * ESTIMATE_METHODS. */
SEXP C_stableEstimate(SEXP given) {
  int64_t m;
  const int which = enum_of(vec_element(given, "method"), NAMES(ESTIMATE_METHODS));
  const fit_problem *sample = samples(given, &m);
  SEXP result = PROTECT(vec_matrix("stableFit", m, STABLE_PARS + 1)), fixed = rows_of(given, "fixed", m);
  estimate_problem *p = (estimate_problem *)R_alloc((size_t)m + 1, sizeof *p);
  for (int64_t i = 0; i < m; i++) {
    p[i].n = sample[i].n;
    p[i].x = sample[i].x;
    p[i].weight = sample[i].weight;
    if (!row_of(fixed, i, p[i].fixed))
      for (int k = 0; k < STABLE_PARS; k++) p[i].fixed[k] = NA_REAL;
  }
  ENGINE_RUN("stableFit", stable_estimate((enum estimate_method)which, m, p));
  for (int64_t i = 0; i < m; i++) {
    for (int k = 0; k < STABLE_PARS; k++) REAL(result)[i + k * m] = known(p[i].par[k]);
    REAL(result)[i + STABLE_PARS * m] = p[i].tied;
  }
  UNPROTECT(1);
  return result;
}

/* Log likelihoods of the samples under distributions in S0, rows of the matrix par. */
SEXP C_stableLogLik(SEXP given) {
  int64_t m;
  fit_problem *p = samples(given, &m);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, m)), par = rows_of(given, "par", m);
  for (int64_t i = 0; i < m; i++) row_of(par, i, p[i].value);
  ENGINE_RUN("stableFit", stable_log_likelihood(m, p, REAL(result)));
  UNPROTECT(1);
  return result;
}
