/* r_quadrature.c: integrals between R and the engine (src/integrand.h, src/quadrature_*.h). R has checked the
 * arguments; the program comes from R/integrand.R. */
#include "r_quadrature.h"

#include <string.h>

#include <R_ext/Arith.h>

#include "integrand.h"
#include "quadrature_adaptive.h"
#include "r_engine.h"
#include "r_vec.h"

static SEXP element(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(list) && names != R_NilValue; i++)
    if (!strcmp(CHAR(STRING_ELT(names, i)), name)) return VECTOR_ELT(list, i);
  return R_NilValue;
}

static SEXP made_list(int n, const char *const *names, SEXP *values) {
  SEXP result = PROTECT(Rf_allocVector(VECSXP, n)), all = PROTECT(Rf_allocVector(STRSXP, n));
  for (int k = 0; k < n; k++) {
    SET_STRING_ELT(all, k, Rf_mkChar(names[k]));
    SET_VECTOR_ELT(result, k, values[k]);
  }
  Rf_setAttrib(result, R_NamesSymbol, all);
  UNPROTECT(2);
  return result;
}

SEXP C_integrandOps(void) {
  static const char *const names[] = {"name", "operands", "library"};
  const int n = integrand_n_op();
  SEXP value[] = {PROTECT(Rf_allocVector(STRSXP, n)), PROTECT(Rf_allocVector(INTSXP, n)),
                  PROTECT(Rf_allocVector(LGLSXP, n))};
  for (int i = 0; i < n; i++)
    SET_STRING_ELT(value[0], i, Rf_mkChar(integrand_op_name(i, INTEGER(value[1]) + i, LOGICAL(value[2]) + i)));
  SEXP result = made_list(3, names, value);
  UNPROTECT(3);
  return result;
}

static integrand_source source_of(SEXP program, const char *name) {
  SEXP code = element(program, "code"), constants = element(program, "constants");
  SEXP outputs = element(program, "outputs"), text = element(program, "text");
  integrand_source s = {name, Rf_length(constants), Rf_asInteger(element(program, "n_param")), 0, Rf_length(outputs),
                        NULL, NULL, NULL, NULL};
  if (s.n_constant) s.constants = REAL(constants);
  if (s.n_output) s.outputs = INTEGER(outputs);
  if (text != R_NilValue) s.text = CHAR(STRING_ELT(text, 0));
  if (Rf_length(code)) {
    s.n_op = Rf_ncols(code);
    s.code = INTEGER(code);
  }
  return s;
}

static column column_from(SEXP v) { return (column){REAL(v), XLENGTH(v)}; }

/* Values at x of all components, component by component; points share the rows in order. */
static status values_at(const integrand_source *s, int64_t n_row, const double *rows, column x, const double *row,
                        double *result) {
  double *out[MAX_OUTPUTS];
  integrand *f;
  status st = integrand_open(s, &f);
  if (st) return st;
  for (int j = 0; j < s->n_output; j++) out[j] = result + j * x.length;
  st = integrand_set_rows(f, n_row, rows);
  if (!st) st = integrand_values(f, x.length, x, (column){row, x.length}, out);
  integrand_close(f);
  return st;
}

SEXP C_integrandValues(SEXP program, SEXP rows, SEXP x) {
  const integrand_source s = source_of(program, "integrategpu");
  const int64_t n_row = rows == R_NilValue ? 1 : Rf_ncols(rows);
  const R_xlen_t n = XLENGTH(x);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)n, s.n_output)), row = PROTECT(Rf_allocVector(REALSXP, n));
  for (R_xlen_t i = 0; i < n; i++) REAL(row)[i] = (double)(i % n_row);
  if (n > 0)
    ENGINE_RUN("integrategpu", values_at(&s, n_row, rows == R_NilValue ? NULL : REAL(rows), column_from(x), REAL(row),
                                         REAL(result)));
  UNPROTECT(2);
  return result;
}

static SEXP numbers(double n) {
  if (n > (double)R_XLEN_T_MAX) engine_raise(fail(STATUS_MEMORY, "integrategpu: %g values are too many", n));
  return vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)n));
}

/* Integrals are as many as the longer of lower and upper. */
SEXP C_integrate(SEXP program, SEXP rows, SEXP lower, SEXP upper, SEXP breaks, SEXP tolerance, SEXP limits) {
  static const char *const names[] = {"value", "abs.error", "subdivisions", "evaluations", "code", "x"};
  const integrand_source s = source_of(program, "integrategpu");
  const R_xlen_t n = XLENGTH(lower) > XLENGTH(upper) ? XLENGTH(lower) : XLENGTH(upper);
  const quadrature_options o = {REAL(tolerance)[0],
                                REAL(tolerance)[1],
                                INTEGER(limits)[0],
                                INTEGER(limits)[1],
                                breaks == R_NilValue ? NULL : REAL(breaks),
                                breaks == R_NilValue ? 0 : Rf_nrows(breaks),
                                breaks != R_NilValue && Rf_ncols(breaks) > 1};
  SEXP value[] = {PROTECT(numbers((double)n * s.n_output)), PROTECT(numbers((double)n * s.n_output)),
                  PROTECT(Rf_allocVector(INTSXP, n)), PROTECT(numbers((double)n)), PROTECT(Rf_allocVector(INTSXP, n)),
                  PROTECT(numbers((double)n))};
  quadrature_result r = {REAL(value[0]),    REAL(value[1]),    REAL(value[3]),
                         REAL(value[5]),    INTEGER(value[2]), INTEGER(value[4])};
  if (n > 0)
    ENGINE_RUN("integrategpu", quadrature_adaptive(&s, n, rows == R_NilValue ? NULL : REAL(rows), column_from(lower),
                                                   column_from(upper), &o, &r));
  SEXP result = made_list(6, names, value);
  UNPROTECT(6);
  return result;
}
