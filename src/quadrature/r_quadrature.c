/* r_quadrature.c: integrals between R and the engine (src/quadrature/integrand.h, src/quadrature/quadrature_*.h). R
 * has checked the arguments; the program comes from R/integrate-program.R. */
#include "quadrature/r_quadrature.h"

#include <limits.h>
#include <string.h>

#include <R_ext/Arith.h>

#include "quadrature/integrand.h"
#include "quadrature/integrand_library.h"
#include "quadrature/quadrature_adaptive.h"
#include "quadrature/quadrature_named.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"
#include "glue/r_vec.h"

SEXP C_integrandOps(void) {
  const char *names[] = {"name", "arguments", "library", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP name = SET_VECTOR_ELT(result, 0, Rf_allocVector(STRSXP, OP_COUNT));
  int *operands = INTEGER(SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, OP_COUNT)));
  int *library = LOGICAL(SET_VECTOR_ELT(result, 2, Rf_allocVector(LGLSXP, OP_COUNT)));
  for (int i = 0; i < OP_COUNT; i++) {
    SET_STRING_ELT(name, i, Rf_mkChar(operations[i].name));
    operands[i] = operations[i].operands;
    library[i] = operations[i].library;
  }
  UNPROTECT(1);
  return result;
}

/* Values of a function in R: call(x, row) gives those of all components, one after the other. */
typedef struct {
  SEXP call;
  int64_t n;
  int n_output;
  const double *x, *row;
  double *const *out;
} r_values;

static SEXP call_r(void *data) {
  const r_values *v = data;
  const size_t bytes = (size_t)v->n * sizeof(double);
  SEXP x = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)v->n)), row = R_NilValue;
  if (bytes) memcpy(REAL(x), v->x, bytes);
  if (v->row) row = Rf_allocVector(REALSXP, (R_xlen_t)v->n);
  PROTECT(row);
  if (v->row && bytes) memcpy(REAL(row), v->row, bytes);
  SEXP call = PROTECT(Rf_lang3(v->call, x, row)), value = PROTECT(Rf_eval(call, R_BaseEnv));
  if (TYPEOF(value) != REALSXP || XLENGTH(value) != (R_xlen_t)v->n * v->n_output)
    Rf_error("values of an integrand are wrong");
  for (int j = 0; j < v->n_output && bytes; j++) memcpy(v->out[j], REAL(value) + v->n * j, bytes);
  R_CheckUserInterrupt();
  UNPROTECT(4);
  return R_NilValue;
}

static status values_by_r(void *of, int64_t n, const double *x, const double *row, double *const *out) {
  SEXP program = of;
  r_values v = {vec_element(program, "call"), n, Rf_length(vec_element(program, "outputs")), x, row, out};
  const status st = engine_pause(backend_part().from);
  return st ? st : engine_call_r(call_r, &v);
}

static integrand_source source_of(SEXP program, const char *name) {
  SEXP code = vec_element(program, "code"), constants = vec_element(program, "constants");
  SEXP outputs = vec_element(program, "outputs");
  const int n_param = Rf_asInteger(vec_element(program, "n_param"));
  integrand_source s = {name, Rf_length(constants), n_param, 0, Rf_length(outputs),
                        NULL, NULL, NULL, NULL, NULL, r_function_values, 0, NULL, NULL};
  if (s.n_constant) s.constants = REAL(constants);
  if (s.n_output) s.outputs = INTEGER(outputs);
  if (vec_element(program, "start") != R_NilValue) {
    s.n_data = Rf_length(vec_element(program, "start")) - 1;
    s.data = REAL(vec_element(program, "data"));
    s.start = INTEGER(vec_element(program, "start"));
  }
  if (vec_element(program, "call") != R_NilValue) {
    s.call = values_by_r;
    s.of = program;
  }
  if (Rf_length(code)) {
    s.n_op = Rf_ncols(code);
    s.code = INTEGER(code);
  }
  return s;
}

static column column_from(SEXP v) { return (column){REAL(v), XLENGTH(v)}; }

/* Values at x of all components, one after the other; points share the rows in order. */
static status values_at(const integrand_source *s, int64_t n_row, const double *rows, column x, const double *row,
                        double *result) {
  double *out[MAX_OUTPUTS];
  integrand *f;
  status st = integrand_open(s, &f);
  if (st) return st;
  for (int j = 0; j < s->n_output; j++) out[j] = result + j * x.length;
  st = integrand_set_rows(f, n_row, rows, NULL);
  if (!st) st = integrand_values(f, x.length, x, (column){row, x.length}, out);
  integrand_close(f);
  return st;
}

static status opens(const integrand_source *s) {
  integrand *f;
  const status st = integrand_open(s, &f);
  if (!st) integrand_close(f);
  return st;
}

/* Fails where the engine has no room for a program. */
SEXP C_integrandOpens(SEXP program) {
  const integrand_source s = source_of(program, "integrategpu");
  ENGINE_RUN("integrategpu", opens(&s));
  return R_NilValue;
}

SEXP C_integrandValues(SEXP program, SEXP rows, SEXP x) {
  const integrand_source s = source_of(program, "integrategpu");
  const int64_t n_row = rows == R_NilValue ? 1 : Rf_ncols(rows);
  const R_xlen_t n = XLENGTH(x);
  SEXP result = PROTECT(vec_matrix("integrategpu", n, s.n_output)), row = PROTECT(Rf_allocVector(REALSXP, n));
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

enum { GK_COLUMNS = 6, NAMED_COLUMNS = 8 };

/* Vectors of that order, as a list; value and abs.error are m x n. */
static SEXP result_list(R_xlen_t n, int m, int columns) {
  const char *names[] = {"value", "abs.error", "subdivisions", "evaluations", "code", "x",
                         columns > GK_COLUMNS ? "regions" : "", "launches", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < columns; k++) {
    const double length = k < 2 ? (double)n * m : (double)n;
    SEXP value = SET_VECTOR_ELT(result, k, k == 2 || k == 4 ? Rf_allocVector(INTSXP, n) : numbers(length));
    if (k < 2 && n <= INT_MAX) {
      SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
      INTEGER(dim)[0] = m;
      INTEGER(dim)[1] = (int)n;
      Rf_setAttrib(value, R_DimSymbol, dim);
      UNPROTECT(1);
    }
  }
  UNPROTECT(1);
  return result;
}

static double *number_column(SEXP list, int k) { return REAL(VECTOR_ELT(list, k)); }

static quadrature_result result_of(SEXP list) {
  return (quadrature_result){number_column(list, 0), number_column(list, 1), number_column(list, 3),
                             number_column(list, 5), INTEGER(VECTOR_ELT(list, 2)), INTEGER(VECTOR_ELT(list, 4))};
}

/* Doubles in a list: with as many columns as are needed, or, where that may be, one for all. */
typedef struct {
  const double *at; /* NULL where there are none */
  int rows, columns;
} double_matrix;

static double_matrix doubles_in(SEXP list, const char *name, R_xlen_t columns, int one_for_all) {
  SEXP v = vec_element(list, name);
  if (v == R_NilValue) return (double_matrix){NULL, 0, 0};
  const double_matrix m = {TYPEOF(v) == REALSXP ? REAL(v) : NULL, Rf_nrows(v), Rf_ncols(v)};
  if (!m.at || !(m.columns == columns || (one_for_all && m.columns == 1)))
    Rf_error("integrals: %s must be doubles in columns", name);
  return m;
}

/* Integrals as R has them in a list: as many as the longer of lower and upper. */
typedef struct {
  R_xlen_t n;
  column lower, upper;
  const double *rows, *tolerance;
  int subdivisions, min_panels;
} integral_list;

static integral_list integrals_of(SEXP list) {
  SEXP lower = vec_element(list, "lower"), upper = vec_element(list, "upper");
  SEXP tolerance = vec_element(list, "tolerance");
  if (TYPEOF(lower) != REALSXP || TYPEOF(upper) != REALSXP) Rf_error("integrals: limits must be doubles");
  if (TYPEOF(tolerance) != REALSXP || XLENGTH(tolerance) != 2) Rf_error("integrals: tolerance must be two doubles");
  const R_xlen_t n = XLENGTH(lower) > XLENGTH(upper) ? XLENGTH(lower) : XLENGTH(upper);
  return (integral_list){n,
                         column_from(lower),
                         column_from(upper),
                         doubles_in(list, "rows", n, 0).at,
                         REAL(tolerance),
                         Rf_asInteger(vec_element(list, "subdivisions")),
                         Rf_asInteger(vec_element(list, "min.panels"))};
}

SEXP C_integrate(SEXP program, SEXP list) {
  const integrand_source s = source_of(program, "integrategpu");
  const integral_list q = integrals_of(list);
  const double_matrix breaks = doubles_in(list, "breaks", q.n, 1);
  const quadrature_options o = {q.tolerance[0],
                                q.tolerance[1],
                                q.subdivisions,
                                q.min_panels,
                                breaks.at,
                                breaks.rows,
                                breaks.columns > 1,
                                Rf_asLogical(vec_element(list, "tails")),
                                doubles_in(list, "shift", q.n, 0).at};
  SEXP result = PROTECT(result_list(q.n, s.n_output, GK_COLUMNS));
  quadrature_result r = result_of(result);
  if (q.n > 0) ENGINE_RUN("integrategpu", quadrature_adaptive(&s, q.n, q.rows, q.lower, q.upper, &o, &r));
  UNPROTECT(1);
  return result;
}

SEXP C_integratePublished(SEXP program, SEXP list) {
  const integrand_source s = source_of(program, "integrategpu");
  const integral_list q = integrals_of(list);
  const enum published_method which =
      (enum published_method)enum_of(vec_element(list, "method"), NAMES(PUBLISHED_NAMES));
  SEXP region = vec_element(list, "region");
  if (TYPEOF(region) != INTSXP || XLENGTH(region) != 2) Rf_error("integrals: region must be blocks and threads");
  /* an interval takes its middle and one end */
  published_options o = {
      q.tolerance[1], INTEGER(region)[0], INTEGER(region)[1], q.min_panels, 2 * (int64_t)q.subdivisions + 1, 0};
  SEXP result = PROTECT(result_list(q.n, s.n_output, NAMED_COLUMNS));
  quadrature_result r = result_of(result);
  named_counters c = {number_column(result, 6), number_column(result, 7)};
  if (which == PUBLISHED_PBCAQR && q.n > 0) {
    uint32_t key[2];
    rng_key(key);
    o.key = (uint64_t)key[0] << 32 | key[1];
  }
  if (q.n > 0) ENGINE_RUN("integrategpu", quadrature_named(&s, which, q.n, q.rows, q.lower, q.upper, o, &r, &c));
  UNPROTECT(1);
  return result;
}
