/* r_rng.c: see r_rng.h. The rules are those of base R's rnorm(); tests/testthat/test-contract.R compares. */
#include "glue/r_rng.h"

#include <R_ext/Arith.h>
#include <R_ext/Error.h>
#include <R_ext/Random.h>

#include "engine/any_nan.h"
#include "glue/r_vec.h"

static const char *const invalid_arguments = "invalid arguments";

/* A vector of length other than one gives its length; a single value is the length. */
static R_xlen_t sample_length(SEXP n) {
  if (!Rf_isVector(n)) Rf_error("%s", invalid_arguments);
  if (XLENGTH(n) != 1) return XLENGTH(n);
  const double length = Rf_asReal(n);
  if (ISNAN(length) || length < 0 || length > (double)R_XLEN_T_MAX) Rf_error("%s", invalid_arguments);
  return (R_xlen_t)length;
}

/* unif_rand() has 32 bits at best; both words together make two streams of one session differ. */
void rng_key(uint32_t key[2]) {
  GetRNGstate();
  for (int k = 0; k < 2; k++) key[k] = (uint32_t)(4294967296.0 * unif_rand());
  PutRNGstate();
}

/* Recycled columns from element first on: copies, which kept holds, of what n draws need. */
static void begin_at(SEXP kept, column *col, int n_arg, int64_t first, R_xlen_t n) {
  for (int k = 0; k < n_arg; k++) {
    const int64_t length = col[k].length, count = length < n ? length : n;
    if (length < 2 || first % length == 0) continue;
    SET_VECTOR_ELT(kept, k, Rf_allocVector(REALSXP, (R_xlen_t)count));
    double *to = REAL(VECTOR_ELT(kept, k));
    for (int64_t i = 0, at = first % length; i < count; i++) {
      to[i] = col[k].data[at];
      if (++at == length) at = 0;
    }
    col[k] = (column){to, count};
  }
}

SEXP sample_open(sample *s, SEXP n, SEXP first, column *col, int n_arg, const SEXP *arg,
                 int (*whole)(const column *col, R_xlen_t n)) {
  s->n = sample_length(n);
  s->empty = s->n == 0;
  for (int k = 0; k < n_arg; k++) {
    if (!Rf_isNumeric(arg[k])) Rf_error("%s", invalid_arguments);
    if (XLENGTH(arg[k]) == 0) s->empty = 1;
  }
  s->first = (int64_t)Rf_asReal(first) - 1;
  s->value = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(s->value, 1, vec_columns(col, n_arg, arg));
  SET_VECTOR_ELT(s->value, 2, Rf_allocVector(VECSXP, n_arg));
  if (!s->empty) begin_at(VECTOR_ELT(s->value, 2), col, n_arg, s->first, s->n);
  s->whole = whole && whole(col, s->n);
  SET_VECTOR_ELT(s->value, 0, vec_large_pages(Rf_allocVector(s->whole ? INTSXP : REALSXP, s->n)));
  if (s->empty)
    for (R_xlen_t i = 0; i < s->n; i++)
      if (s->whole)
        sample_ints(s)[i] = NA_INTEGER;
      else
        sample_values(s)[i] = NA_REAL;
  else
    rng_key(s->key);
  UNPROTECT(1);
  return s->value;
}

double *sample_values(const sample *s) { return REAL(VECTOR_ELT(s->value, 0)); }

int *sample_ints(const sample *s) { return INTEGER(VECTOR_ELT(s->value, 0)); }

static int any_missing_int(R_xlen_t n, const int *x) {
  int any = 0;
#pragma omp simd reduction(| : any)
  for (R_xlen_t i = 0; i < n; i++) any |= x[i] == NA_INTEGER;
  return any;
}

SEXP sample_close(const sample *s) {
  const int missing = s->whole ? any_missing_int(s->n, sample_ints(s)) : any_nan(s->n, sample_values(s));
  if (missing && !s->whole && !s->empty) {
    double *out = sample_values(s);
    for (R_xlen_t i = 0; i < s->n; i++)
      if (ISNAN(out[i])) out[i] = R_NaN; /* as rnorm(): NA only where a parameter has length zero */
  }
  if (missing) Rf_warning("NAs produced");
  return VECTOR_ELT(s->value, 0);
}
