/* r_vec.c: see r_vec.h. The rules are those of base R's dnorm(); tests/testthat/test-contract.R compares. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#endif
#include "glue/r_vec.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include <R_ext/Error.h>
#include <R_ext/Arith.h>

#include "engine/any_nan.h"
#include "glue/r_engine.h"

/* Every fresh page that is written costs an interruption: large ones are asked for, and those of vectors of moderate
 * size all at once (by the number that Linux 5.14 gave it, where the C library has no name for that yet; older ones
 * refuse). Larger vectors are left to the threads that write them. */
#if defined(__linux__) && !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23
#endif
SEXP vec_large_pages(SEXP result) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), large = (uintptr_t)1 << 21;
  const size_t bytes = (size_t)XLENGTH(result) * (TYPEOF(result) == INTSXP ? sizeof(int) : sizeof(double));
  const uintptr_t from = (uintptr_t)(TYPEOF(result) == INTSXP ? (void *)INTEGER(result) : (void *)REAL(result));
  const uintptr_t first = (from + page - 1) / page * page, last = (from + bytes) / page * page;
  if (last > first && last - first >= large) {
    (void)madvise((void *)first, (size_t)(last - first), MADV_HUGEPAGE);
    if (last - first <= 16 * large) (void)madvise((void *)first, (size_t)(last - first), MADV_POPULATE_WRITE);
  }
#endif
  return result;
}

/* Counts are integers as often as not. */
static SEXP doubles_of(SEXP values) {
  enum { PIECE = 1024 };
  if (TYPEOF(values) == REALSXP) return values;
  if (TYPEOF(values) != INTSXP) return Rf_coerceVector(values, REALSXP);
  const R_xlen_t n = XLENGTH(values);
  const double missing = NA_REAL;
  int from[PIECE];
  SEXP doubles = PROTECT(vec_large_pages(Rf_allocVector(REALSXP, n)));
  for (R_xlen_t at = 0; at < n; at += PIECE) {
    double *to = REAL(doubles) + at;
    const R_xlen_t count = INTEGER_GET_REGION(values, at, PIECE, from);
#pragma omp simd
    for (R_xlen_t i = 0; i < count; i++) to[i] = from[i] == NA_INTEGER ? missing : from[i];
  }
  UNPROTECT(1);
  return doubles;
}

static int is_integer64(SEXP values) { return TYPEOF(values) == REALSXP && Rf_inherits(values, "integer64"); }

SEXP vec_plain(SEXP values) {
  if (!is_integer64(values)) return values;
  const R_xlen_t n = XLENGTH(values);
  SEXP plain = PROTECT(Rf_allocVector(REALSXP, n));
  for (R_xlen_t i = 0; i < n; i++) {
    int64_t whole;
    memcpy(&whole, REAL(values) + i, sizeof whole);
    REAL(plain)[i] = whole == INT64_MIN ? NA_REAL : (double)whole;
  }
  SHALLOW_DUPLICATE_ATTRIB(plain, values);
  Rf_setAttrib(plain, R_ClassSymbol, R_NilValue);
  UNPROTECT(1);
  return plain;
}

SEXP C_plainNumbers(SEXP values) { return vec_plain(values); }

SEXP vec_columns(column *col, int n_arg, const SEXP *arg) {
  SEXP keep = PROTECT(Rf_allocVector(VECSXP, n_arg));
  for (int k = 0; k < n_arg; k++) {
    SEXP values = PROTECT(vec_plain(arg[k]));
    values = doubles_of(values);
    SET_VECTOR_ELT(keep, k, values);
    UNPROTECT(1);
    col[k].data = REAL(values);
    col[k].length = XLENGTH(values);
  }
  UNPROTECT(1);
  return keep;
}

SEXP vec_open(vec_call *v, int n_arg, const SEXP *arg) {
  v->n_arg = n_arg;
  v->n = 0;
  int empty = 0;
  for (int k = 0; k < n_arg; k++) {
    if (!Rf_isNumeric(arg[k])) Rf_error("Non-numeric argument to mathematical function");
    v->arg[k] = arg[k];
    if (XLENGTH(arg[k]) == 0) empty = 1;
    if (XLENGTH(arg[k]) > v->n) v->n = XLENGTH(arg[k]);
  }
  if (empty) v->n = 0;
  SEXP keep = PROTECT(vec_columns(v->col, n_arg, arg));
  for (int k = 0; k < n_arg; k++) /* the class is not the result's */
    if (is_integer64(arg[k])) v->arg[k] = VECTOR_ELT(keep, k);
  UNPROTECT(1);
  return keep;
}

SEXP vec_result(const vec_call *v) { return vec_large_pages(Rf_allocVector(REALSXP, v->n)); }

SEXP vec_matrix(const char *name, R_xlen_t rows, int columns) {
  if (rows > INT_MAX)
    engine_raise(fail(STATUS_INPUT, "%s: a matrix has at most %d rows in R, and %.0f are asked for", name, INT_MAX,
                      (double)rows));
  return Rf_allocMatrix(REALSXP, (int)rows, columns);
}

/* What a NaN at place i means: NA or NaN when an argument is missing there, else a parameter outside its range. */
static double missing_value(const vec_call *v, R_xlen_t i, int *invalid) {
  int nan = 0;
  for (int k = 0; k < v->n_arg; k++) {
    const double value = v->col[k].data[i % v->col[k].length];
    if (R_IsNA(value)) return NA_REAL;
    nan |= ISNAN(value);
  }
  if (!nan) *invalid = 1;
  return R_NaN;
}

int vec_missing(const vec_call *v, SEXP result) {
  double *out = REAL(result);
  int invalid = 0;
  if (!any_nan(v->n, out)) return 0;
  for (R_xlen_t i = 0; i < v->n; i++)
    if (ISNAN(out[i])) out[i] = missing_value(v, i, &invalid);
  return invalid;
}

void vec_close(const vec_call *v, SEXP result) {
  if (v->n == 0) return;
  const int invalid = vec_missing(v, result);
  for (int k = 0; k < v->n_arg; k++)
    if (XLENGTH(v->arg[k]) == v->n) {
      SHALLOW_DUPLICATE_ATTRIB(result, v->arg[k]);
      break;
    }
  if (invalid) Rf_warning("NaNs produced");
}

SEXP vec_element(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (int i = 0; i < Rf_length(names); i++)
    if (!strcmp(CHAR(STRING_ELT(names, i)), name)) return VECTOR_ELT(list, i);
  return R_NilValue;
}

double *vec_doubles(SEXP list, const char *name, R_xlen_t n) {
  SEXP x = vec_element(list, name);
  if (x == R_NilValue) return NULL;
  if (!Rf_isReal(x) || (n >= 0 && XLENGTH(x) != n))
    engine_raise(fail(STATUS_INPUT, "%s is no vector of %lld doubles", name, (long long)n));
  return REAL(x);
}

double vec_number(SEXP list, const char *name, double otherwise) {
  SEXP x = vec_element(list, name);
  if (x == R_NilValue) return otherwise;
  if (!(Rf_isNumeric(x) || Rf_isLogical(x)) || XLENGTH(x) != 1)
    engine_raise(fail(STATUS_INPUT, "%s is no number", name));
  return Rf_asReal(x);
}

int enum_of(SEXP name, const char *const *names) {
  const int number = engine_choice(name, names);
  if (number < 0)
    engine_raise(fail(STATUS_INPUT, "no choice \"%s\"", Rf_isString(name) ? CHAR(Rf_asChar(name)) : ""));
  return number;
}
