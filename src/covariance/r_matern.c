/* r_matern.c: Matern covariances between R and the engine (src/covariance/matern.h). R has checked the arguments. */
#include "covariance/r_matern.h"

#include <math.h>
#include <stdio.h>

#include <R_ext/Arith.h>

#include "engine/any_nan.h"
#include "bessel/bessel.h"
#include "covariance/matern.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

/* options(statcl.matern.route) is for tests. */
static enum matern_route matern_route_wanted(void) {
  const int route = enum_option("statcl.matern.route", NAMES(MATERN_ROUTES));
  return route < 0 ? MATERN_BY_SIZE : (enum matern_route)route;
}

/* Row i of the matrix of parameters: smoothness, range, variance and, where there is one, nugget. */
static matern_model model_of(SEXP parameters, int i, SEXP deriv, SEXP scaling) {
  const int k = Rf_nrows(parameters);
  const double *p = REAL(parameters) + i;
  const matern_model m = {p[0],
                          p[k],
                          p[2 * k],
                          Rf_ncols(parameters) > 3 ? p[3 * k] : 0,
                          (enum matern_scaling)enum_of(scaling, NAMES(MATERN_SCALINGS)),
                          (enum matern_deriv)enum_of(deriv, NAMES(MATERN_DERIVS)),
                          0};
  return m;
}

/* Called while the engine is at rest. */
static void report_table(const matern_model *m) {
  const matern_report r = matern_last_table();
  char text[160];
  if (!r.cells || Rf_asLogical(Rf_GetOption1(Rf_install("statcl.verbose"))) != TRUE) return;
  snprintf(text, sizeof text, "matern: table for smoothness %g, %lld cells, "
                              "largest difference from direct values %.1f eps",
           m->smoothness, (long long)r.cells, r.error);
  SEXP words = PROTECT(Rf_mkString(text)), call = PROTECT(Rf_lang2(Rf_install("message"), words));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
}

/* Of several parameter sets in turn; at gives the engine's call. */
#define FOR_EACH_SET(name, call)                                                                             \
  for (int set = 0; set < sets; set++) {                                                                     \
    matern_model model = model_of(parameters, set, deriv, scaling);                                          \
    model.single = engine_begin_either(name);                                                                \
    engine_end(call);                                                                                        \
    report_table(&model);                                                                                    \
  }

SEXP C_matern(SEXP r, SEXP parameters, SEXP deriv, SEXP scaling) {
  const int sets = Rf_nrows(parameters);
  const R_xlen_t n = XLENGTH(r);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, n * sets));
  double *out = REAL(result);
  const column col = {REAL(r), n};
  vec_large_pages(result);
  if (n > 0) FOR_EACH_SET("matern", matern_values(&model, matern_route_wanted(), n, col, out + set * n))
  if (any_nan(n * sets, out))
    for (R_xlen_t i = 0; i < n * sets; i++)
      if (ISNAN(out[i])) out[i] = R_IsNA(REAL(r)[i % n]) ? NA_REAL : R_NaN;
  UNPROTECT(1);
  return result;
}

/* R's matrices are by columns. */
static const double *by_rows(SEXP transform) {
  const int d = Rf_nrows(transform);
  double *to = (double *)R_alloc((size_t)d * (size_t)d, sizeof(double));
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) to[i * d + k] = REAL(transform)[k * d + i];
  return to;
}

static SEXP result_array(int n, int m, int sets) {
  const double size = (double)n * m * sets;
  if (size > (double)R_XLEN_T_MAX)
    engine_raise(fail(STATUS_INPUT, "matern: a result of %d x %d numbers for %d sets is too large", n, m, sets));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n * m * sets));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, sets == 1 ? 2 : 3));
  INTEGER(dim)[0] = n;
  INTEGER(dim)[1] = m;
  if (sets != 1) INTEGER(dim)[2] = sets;
  Rf_setAttrib(result, R_DimSymbol, dim);
  UNPROTECT(2);
  return result;
}

SEXP C_maternMatrix(SEXP a, SEXP b, SEXP metric, SEXP transform, SEXP radius, SEXP parameters, SEXP deriv,
                    SEXP scaling) {
  const int n = Rf_nrows(a), m = Rf_isNull(b) ? n : Rf_nrows(b), sets = Rf_nrows(parameters);
  const matern_metric space = {(enum matern_metric_kind)enum_of(metric, NAMES(MATERN_METRICS)), Rf_ncols(a),
                               Rf_isNull(transform) ? NULL : by_rows(transform), Rf_asReal(radius)};
  SEXP result = PROTECT(result_array(n, m, sets));
  const double *second = Rf_isNull(b) ? NULL : REAL(b);
  vec_large_pages(result);
  FOR_EACH_SET("matern", matern_matrix(&model, &space, matern_route_wanted(), n, REAL(a), m, second,
                                       REAL(result) + (R_xlen_t)n * m * set))
  UNPROTECT(1);
  return result;
}

status run_bessel(const elementwise_call *c) {
  const int scaled = c->option[0] != 0, logarithm = c->option[1] != 0, what = c->option[2];
  const column x = c->in[0], nu = c->in[1];
  if (what == BESSEL_VALUE && !logarithm && nu.length == 1 && fabs(nu.data[0]) < 1e3)
    return matern_bessel_k(nu.data[0], scaled, matern_route_wanted(), c->n, x, c->out);
  return bessel_k(what, c->n, x, nu, scaled, logarithm, c->out);
}

SEXP C_maternCells(void) { return Rf_ScalarReal((double)matern_last_table().cells); }
