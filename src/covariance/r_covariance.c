/* r_covariance.c: covariances between R and the engine (src/covariance/covariance.h). R has checked the arguments. */
#include "covariance/r_covariance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <R_ext/Arith.h>

#include "engine/any_nan.h"
#include "bessel/bessel.h"
#include "covariance/covariance.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "kernels/covariance/covariance_par.h"

/* options(statcl.covariance.route), for users who compare tables with direct values: see ?"statcl-options". */
static status wanted_route(enum cov_route *route) {
  int number;
  const status st = engine_option("statcl.covariance.route", NAMES(COV_ROUTES), &number);
  *route = (enum cov_route)number;
  return st;
}

/* Called while the engine is at rest. */
static enum cov_route route_of(void) {
  enum cov_route route;
  const status st = wanted_route(&route);
  if (st) engine_raise(st);
  return route;
}

/* R's matrices are by columns. */
const double *covariance_map(SEXP map) {
  if (Rf_isNull(map)) return NULL;
  const int d = Rf_nrows(map);
  double *to = (double *)R_alloc((size_t)d * (size_t)d, sizeof(double));
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) to[i * d + k] = REAL(map)[k * d + i];
  return to;
}

/* Of an array that of a set. */
static const double *map_of_set(SEXP map, int set) {
  if (Rf_isNull(map) || Rf_length(Rf_getAttrib(map, R_DimSymbol)) < 3) return covariance_map(map);
  const int d = INTEGER(Rf_getAttrib(map, R_DimSymbol))[0];
  double *to = (double *)R_alloc((size_t)d * (size_t)d, sizeof(double));
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) to[i * d + k] = REAL(map)[((R_xlen_t)set * d + k) * d + i];
  return to;
}

/* A call of f(x, need) in R, and where its values go. */
typedef struct {
  SEXP f;
  int need;
  int64_t n;
  const double *x;
  double *out;
} r_values;

static SEXP call_values(void *data) {
  const r_values *v = data;
  SEXP x = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)v->n)), need = PROTECT(Rf_ScalarInteger(v->need));
  if (v->n) memcpy(REAL(x), v->x, (size_t)v->n * sizeof(double));
  SEXP call = PROTECT(Rf_lang3(v->f, x, need)), value = PROTECT(Rf_eval(call, R_BaseEnv));
  if (TYPEOF(value) != REALSXP || XLENGTH(value) != (R_xlen_t)v->n) Rf_error("a function for a table is wrong");
  if (v->n) memcpy(v->out, REAL(value), (size_t)v->n * sizeof(double));
  UNPROTECT(4);
  return R_NilValue;
}

/* At 0 the caller knows F; what is infinitely far has none, and missing distances stay so. */
static status values_by_r(const cov_source *s, int need, int divided, int64_t n, const double *x, double *out) {
  int64_t k = 0;
  (void)divided;
  double *own = malloc((size_t)(n ? n : 1) * sizeof *own);
  if (!own) return fail(STATUS_MEMORY, "covariances: no memory for %lld values", (long long)n);
  for (int64_t i = 0; i < n; i++)
    if (x[i] > 0 && x[i] < INFINITY) own[k++] = x[i];
  /* R counts: the value, the slope, and a derivative for each parameter */
  r_values v = {(SEXP)s->of, need == NEED_SHAPE ? 2 + (int)s->key[1] : need, k, own, own};
  const status st = k ? engine_call_r(call_values, &v) : STATUS_OK;
  k = 0;
  for (int64_t i = 0; i < n && !st; i++) out[i] = isnan(x[i]) ? x[i] : x[i] > 0 && x[i] < INFINITY ? own[k++] : 0;
  free(own);
  return st;
}

static cov_part part_of(SEXP from, int set) {
  SEXP parameters = vec_element(from, "parameters"), source = vec_element(from, "source");
  const int k = Rf_nrows(parameters);
  const double *p = REAL(parameters) + (k > 1 ? set : 0);
  cov_part part = {.function = (enum cov_function)enum_of(vec_element(from, "function"), NAMES(COV_FUNCTIONS)),
                   .scaling = (enum cov_scaling)enum_of(vec_element(from, "scaling"), NAMES(COV_SCALINGS)),
                   .shape = p[0], .range = p[k], .variance = p[2 * k],
                   .map = map_of_set(vec_element(from, "map"), set)};
  if (!Rf_isNull(vec_element(from, "role")))
    part.role = (enum cov_role)enum_of(vec_element(from, "role"), NAMES(COV_ROLES));
  if (part.role == COV_GNEITING) {
    const double *more = REAL(vec_element(from, "more"));
    part.shrink = more[0], part.power = more[1], part.dim = (int)more[2];
  }
  if (part.function == COV_MATERN) part.source = matern_source(part.shape);
  if (part.function == COV_CIRCULAR) part.source = circular_source();
  if (part.function == COV_WENDLAND)
    part.source = wendland_source(part.shape, Rf_asReal(vec_element(from, "second")), 0);
  if (part.function == COV_SOURCE)
    part.source = (cov_source){.values = values_by_r,
                               .of = VECTOR_ELT(source, 0),
                               .key = {Rf_asReal(VECTOR_ELT(source, 1))},
                               .weight = WEIGHT_NONE,
                               .most = Rf_asReal(VECTOR_ELT(source, 2)),
                               .farthest = Rf_asReal(VECTOR_ELT(source, 3)),
                               .cells = Rf_asInteger(VECTOR_ELT(source, 4)),
                               .at_zero = 1};
  return part;
}

/* What dF/dshape of a part is for: the k-th of its parameters in R, one in a call. */
static void choose_shape(cov_part *part, SEXP from, int k) {
  SEXP source = vec_element(from, "source");
  const cov_source own = part->source;
  if (Rf_isNull(source) && part->function != COV_WENDLAND) return;
  const int before = part->function == COV_WENDLAND ? WENDLAND_KEY - (int)own.key[0] : (int)own.key[1];
  if (before != 0 && before != k)
    engine_raise(fail(STATUS_INPUT, "derivatives for two parameters of one part in one call"));
  if (part->function == COV_WENDLAND) {
    part->source = wendland_source(own.key[1], own.key[2], k);
    return;
  }
  part->source.key[1] = k;
  part->source.unit = 8 * REAL(VECTOR_ELT(source, 5))[k - 1]; /* sums over waves lose some digits */
}

/* The model of one set of parameters; wants NULL: the covariance. */
cov_model covariance_model(SEXP parts, SEXP wants, int set) {
  static const cov_want value = {COV_VALUE, -1, NULL};
  cov_model m = {.n_parts = Rf_length(parts), .n_wants = Rf_length(wants)};
  cov_part *part = (cov_part *)R_alloc((size_t)m.n_parts, sizeof *part);
  cov_want *want = (cov_want *)R_alloc((size_t)m.n_wants, sizeof *want);
  for (int k = 0; k < m.n_parts; k++) part[k] = part_of(VECTOR_ELT(parts, k), set);
  for (int k = 0; k < m.n_wants; k++) {
    SEXP w = VECTOR_ELT(wants, k);
    want[k] = (cov_want){(enum cov_what)enum_of(VECTOR_ELT(w, 0), NAMES(COV_WHATS)),
                         Rf_asInteger(VECTOR_ELT(w, 1)) - 1, covariance_map(VECTOR_ELT(w, 2))};
    const int own = want[k].part;
    if (want[k].what == COV_SHAPE && Rf_length(w) > 3)
      choose_shape(part + own, VECTOR_ELT(parts, own), Rf_asInteger(VECTOR_ELT(w, 3)));
  }
  m.part = part;
  m.want = wants == R_NilValue ? &value : want;
  if (wants == R_NilValue) m.n_wants = 1;
  return m;
}

int covariance_sets(SEXP parts) {
  int sets = 1;
  for (int k = 0; k < Rf_length(parts); k++) {
    const int own = Rf_nrows(vec_element(VECTOR_ELT(parts, k), "parameters"));
    if (own > sets) sets = own;
  }
  return sets;
}

/* Called while the engine is at rest. */
static void report_table(void) {
  const cov_report r = cov_last_table();
  char text[160];
  if (!r.cells || Rf_asLogical(Rf_GetOption1(Rf_install("statcl.verbose"))) != TRUE) return;
  snprintf(text, sizeof text, "covariance: table of %lld cells, largest difference from direct values %.1f eps",
           (long long)r.cells, r.error);
  SEXP words = PROTECT(Rf_mkString(text)), call = PROTECT(Rf_lang2(Rf_install("message"), words));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
}

/* Of several parameter sets in turn; `call` is the engine's, for `model` and the columns `out`. */
#define FOR_EACH_SET(each, call)                                                                             \
  for (int set = 0; set < sets; set++) {                                                                     \
    cov_model model = covariance_model(parts, wants, set);                                                           \
    double **out = (double **)R_alloc((size_t)model.n_wants, sizeof *out);                                   \
    for (int k = 0; k < model.n_wants; k++) out[k] = REAL(VECTOR_ELT(result, k)) + (R_xlen_t)(each) * set;   \
    model.single = engine_begin_either("covariance");                                                        \
    engine_end(call);                                                                                        \
    report_table();                                                                                          \
  }

/* The one column that was wanted itself, which the list no longer refers to: R would copy it to give it names. */
static SEXP result_or_first(SEXP list) {
  if (Rf_length(list) != 1) return list;
  PROTECT(list);
  SEXP first = PROTECT(VECTOR_ELT(list, 0));
  SET_VECTOR_ELT(list, 0, R_NilValue);
  UNPROTECT(2);
  return first;
}

SEXP C_covariance(SEXP r, SEXP parts, SEXP wants) {
  const int sets = covariance_sets(parts), columns = Rf_length(wants);
  const R_xlen_t n = XLENGTH(r);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, columns));
  const column col = {REAL(r), n};
  for (int k = 0; k < columns; k++) SET_VECTOR_ELT(result, k, vec_large_pages(Rf_allocVector(REALSXP, n * sets)));
  const enum cov_route route = route_of();
  if (n > 0) FOR_EACH_SET(n, cov_values(&model, route, n, col, out))
  for (int k = 0; k < columns; k++) {
    double *out = REAL(VECTOR_ELT(result, k));
    if (any_nan(n * sets, out))
      for (R_xlen_t i = 0; i < n * sets; i++)
        if (ISNAN(out[i])) out[i] = R_IsNA(REAL(r)[i % n]) ? NA_REAL : R_NaN;
  }
  UNPROTECT(1);
  return result_or_first(result);
}

static SEXP result_array(int n, int m, int sets) {
  const double size = (double)n * m * sets;
  if (size > (double)R_XLEN_T_MAX)
    engine_raise(fail(STATUS_INPUT, "a result of %d x %d numbers for %d sets is too large", n, m, sets));
  SEXP result = PROTECT(vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)n * m * sets)));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, sets == 1 ? 2 : 3));
  INTEGER(dim)[0] = n;
  INTEGER(dim)[1] = m;
  if (sets != 1) INTEGER(dim)[2] = sets;
  Rf_setAttrib(result, R_DimSymbol, dim);
  UNPROTECT(2);
  return result;
}

cov_model covariance_model_among(SEXP among, SEXP wants) {
  return covariance_model(vec_element(among, "parts"), wants, 0);
}

/* A part with a role says that the last column has times. */
cov_space covariance_space(SEXP among) {
  SEXP a = vec_element(among, "a"), b = vec_element(among, "b"), metric = vec_element(among, "metric");
  SEXP parts = vec_element(among, "parts");
  const int n = Rf_nrows(a);
  int time = 0;
  for (int k = 0; k < Rf_length(parts); k++) time |= !Rf_isNull(vec_element(VECTOR_ELT(parts, k), "role"));
  const cov_metric own = {(enum cov_metric_kind)enum_of(vec_element(metric, "kind"), NAMES(COV_METRICS)),
                          Rf_ncols(a) - time, time, vec_number(metric, "radius", NA_REAL)};
  return (cov_space){.metric = own, .n = n, .m = Rf_isNull(b) ? n : Rf_nrows(b), .a = vec_doubles(among, "a", -1),
                     .b = vec_doubles(among, "b", -1), .route = route_of()};
}

SEXP C_covarianceMatrix(SEXP among, SEXP wants, SEXP diagonal) {
  const cov_space space = covariance_space(among);
  SEXP parts = vec_element(among, "parts");
  const int n = (int)space.n, m = (int)space.m, sets = covariance_sets(parts), columns = Rf_length(wants);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, columns));
  for (int k = 0; k < columns; k++) SET_VECTOR_ELT(result, k, result_array(n, m, sets));
  FOR_EACH_SET((R_xlen_t)n * m, cov_matrices(&model, &space, out))
  for (int set = 0; set < sets && !Rf_isNull(diagonal); set++) {
    double *out = REAL(VECTOR_ELT(result, 0)) + (R_xlen_t)n * m * set;
    const R_xlen_t rows = Rf_isMatrix(diagonal) ? Rf_nrows(diagonal) : 1, given = XLENGTH(diagonal) / rows;
    const double *more = REAL(diagonal) + set % given * rows;
    for (int i = 0; i < n; i++) out[(R_xlen_t)i * (n + 1)] += more[rows > 1 ? i : 0];
  }
  UNPROTECT(1);
  return result_or_first(result);
}

status run_bessel(const elementwise_call *c) {
  const int scaled = c->option[0] != 0, logarithm = c->option[1] != 0, what = c->option[2];
  const column x = c->in[0], nu = c->in[1];
  enum cov_route route;
  const status st = wanted_route(&route);
  if (st) return st;
  if (what == BESSEL_VALUE && !logarithm && nu.length == 1 && fabs(nu.data[0]) < 1e3)
    return cov_bessel_k(nu.data[0], scaled, route, c->n, x, c->out);
  return bessel_k(what, c->n, x, nu, scaled, logarithm, c->out);
}

SEXP C_covarianceProduct(SEXP among, SEXP vectors) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, R_NilValue);
  const int count = Rf_ncols(vectors);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)space.n, count));
  ENGINE_RUN("covariance", cov_product(&model, &space, count, REAL(vectors), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_covarianceCells(void) { return Rf_ScalarReal((double)cov_last_table().cells); }

/* The panel in which x is, the last that begins there or before; the search begins at the last one found. */
static int panel_of(int n, const double *left, double x, int at) {
  if (at >= 0 && left[at] <= x && (at + 1 == n || x < left[at + 1])) return at;
  int from = -1, to = n - 1;
  while (from < to) {
    const int middle = (from + to + 1) / 2;
    if (left[middle] <= x) from = middle;
    else to = middle - 1;
  }
  return from;
}

SEXP C_panelValues(SEXP left, SEXP right, SEXP coef, SEXP x) {
  const int n = Rf_length(left), terms = Rf_nrows(coef);
  const R_xlen_t count = XLENGTH(x);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, count));
  const double *from = REAL(left), *to = REAL(right), *at = REAL(x);
  int panel = -1;
  for (R_xlen_t i = 0; i < count; i++) {
    panel = panel_of(n, from, at[i], panel);
    REAL(result)[i] = isnan(at[i]) ? at[i] : 0;
    if (panel < 0 || at[i] > to[n - 1]) continue;
    const double *c = REAL(coef) + (R_xlen_t)panel * terms;
    const double t = (at[i] - from[panel]) / ((to[panel] - from[panel]) / 2) - 1;
    double before = 1, p = t, sum = c[0] + c[1] * t;
    for (int j = 2; j < terms; j++) { /* Legendre polynomials */
      const double next = ((2 * j - 1) * t * p - (j - 1) * before) / j;
      sum += c[j] * next;
      before = p;
      p = next;
    }
    REAL(result)[i] = sum;
  }
  UNPROTECT(1);
  return result;
}
