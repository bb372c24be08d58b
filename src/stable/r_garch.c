/* r_garch.c: series with volatility between R, which has checked every argument, and src/stable/garch.c. */
#include "stable/r_garch.h"

#include <string.h>

#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "stable/garch.h"

static void need(int holds, const char *name) {
  if (!holds) engine_raise(fail(STATUS_INPUT, "stableGarch: %s is not of the form that a series needs", name));
}

/* The model of a list with orders (ar, ma, arch, garch, asym), columns, power and law. */
static garch_model model_of(SEXP given) {
  SEXP orders = vec_element(given, "orders");
  need(Rf_isInteger(orders) && XLENGTH(orders) == 5, "orders");
  const int *k = INTEGER(orders), law = enum_of(vec_element(given, "law"), NAMES(GARCH_LAWS));
  for (int i = 0; i < 5; i++) need(k[i] >= 0 && k[i] < 1000, "orders");
  need(k[4] == 0 || k[4] == k[2], "orders");
  return (garch_model){.columns = (int)vec_number(given, "columns", 0), .ar = k[0], .ma = k[1], .arch = k[2],
                       .garch = k[3], .asym = k[4], .power = vec_number(given, "power", 1),
                       .law = (enum garch_law)law};
}

static double *theta_of(SEXP given, const garch_model *m) {
  double *theta = vec_doubles(given, "theta", garch_size(m));
  need(theta != NULL, "theta");
  return theta;
}

static double *put(SEXP list, int *k, const char *name, SEXP value) {
  SET_VECTOR_ELT(list, *k, value);
  SET_STRING_ELT(Rf_getAttrib(list, R_NamesSymbol), (*k)++, Rf_mkChar(name));
  return REAL(value);
}

static SEXP named_list(int n) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, n));
  Rf_setAttrib(list, R_NamesSymbol, Rf_allocVector(STRSXP, n));
  UNPROTECT(1);
  return list;
}

/* detail: 0, the likelihood; 1, score and sums of products of scores, too; 2, what is of each observation, too. */
SEXP C_garchEvaluate(SEXP given, SEXP detail) {
  const R_xlen_t m = XLENGTH(given);
  const int wants = Rf_asInteger(detail);
  SEXP answer = PROTECT(Rf_allocVector(VECSXP, m));
  garch_series *series = (garch_series *)R_alloc((size_t)m + 1, sizeof *series);
  memset(series, 0, sizeof *series * ((size_t)m + 1));
  for (R_xlen_t i = 0; i < m; i++) {
    SEXP own = VECTOR_ELT(given, i);
    garch_series *s = series + i;
    s->model = model_of(own);
    s->y = vec_doubles(own, "y", -1);
    need(s->y != NULL, "y");
    s->n = XLENGTH(vec_element(own, "y"));
    s->x = vec_doubles(own, "x", s->n * s->model.columns);
    need(s->x || s->model.columns == 0, "x");
    s->first = vec_number(own, "first", NA_REAL);
    s->theta = theta_of(own, &s->model);
    const int size = garch_size(&s->model);
    int k = 0;
    SEXP list = named_list(wants == 0 ? 1 : wants == 1 ? 3 : 7);
    SET_VECTOR_ELT(answer, i, list);
    put(list, &k, "loglik", Rf_allocVector(REALSXP, 1));
    if (wants > 0) {
      s->score = put(list, &k, "score", Rf_allocVector(REALSXP, size));
      s->products = put(list, &k, "products", Rf_allocMatrix(REALSXP, size, size));
    }
    if (wants > 1) {
      s->e = put(list, &k, "e", Rf_allocVector(REALSXP, s->n));
      s->scale = put(list, &k, "scale", Rf_allocVector(REALSXP, s->n));
      s->log_f = put(list, &k, "log_f", Rf_allocVector(REALSXP, s->n));
      s->scores = put(list, &k, "scores", Rf_allocMatrix(REALSXP, (int)s->n, size));
    }
    /* what is not written where there is no likelihood */
    for (int j = 1; j < k; j++) {
      SEXP v = VECTOR_ELT(list, j);
      for (R_xlen_t l = 0; l < XLENGTH(v); l++) REAL(v)[l] = NA_REAL;
    }
  }
  ENGINE_RUN("stableGarch", garch_evaluate(m, series));
  for (R_xlen_t i = 0; i < m; i++) REAL(VECTOR_ELT(VECTOR_ELT(answer, i), 0))[0] = series[i].log_lik;
  UNPROTECT(1);
  return answer;
}

/* A list with a model, theta, first, the past u, e and c, and z, a matrix with a column for each path: a list of
 * matrices like z, of what is added to mu + x'b and of scales. */
SEXP C_garchPaths(SEXP given) {
  const garch_model m = model_of(given);
  SEXP z = vec_element(given, "z");
  const R_xlen_t n = XLENGTH(vec_element(given, "u"));
  garch_future f = {.n = n, .h = Rf_nrows(z), .paths = Rf_ncols(z), .u = vec_doubles(given, "u", n),
                    .e = vec_doubles(given, "e", n), .c = vec_doubles(given, "c", n),
                    .z = vec_doubles(given, "z", -1)};
  need(f.u && f.e && f.c && f.z, "u");
  const double first = vec_number(given, "first", NA_REAL), *theta = theta_of(given, &m);
  int k = 0;
  SEXP answer = PROTECT(named_list(2));
  f.y = put(answer, &k, "y", Rf_allocMatrix(REALSXP, (int)f.h, (int)f.paths));
  f.scale = put(answer, &k, "scale", Rf_allocMatrix(REALSXP, (int)f.h, (int)f.paths));
  const status st = garch_paths(&m, first, theta, &f);
  if (st != STATUS_OK) engine_raise(st);
  UNPROTECT(1);
  return answer;
}
