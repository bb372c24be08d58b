/* r_stable.c: the functions of stable distributions between R and the engine (src/stable/stable.h). */
#include "stable/r_stable.h"

#include "glue/r_engine.h"
#include "glue/r_rng.h"
#include "glue/r_vec.h"
#include "stable/stable_observed.h"
#include "stable/stable_score.h"

static stable_parameters parameters(const column *c) {
  const stable_parameters p = {c[0], c[1], c[2], c[3], c[4]};
  return p;
}

/* options(statcl.stable.route), for users who compare tables with direct values: see ?"statcl-options". */
static status values(enum stable_value what, const elementwise_call *c, int logs) {
  int route;
  const status st = engine_option("statcl.stable.route", NAMES(STABLE_ROUTES), &route);
  if (st) return st;
  return stable_values(what, (enum stable_route)route, c->n, c->in[0], parameters(c->in + 1), logs != 0, c->out);
}

status run_dstable(const elementwise_call *c) { return values(STABLE_DENSITY, c, c->option[0]); }

status run_pstable(const elementwise_call *c) {
  return values(c->option[0] ? STABLE_LOWER : STABLE_UPPER, c, c->option[1]);
}

status run_qstable(const elementwise_call *c) {
  return values(c->option[0] ? STABLE_LOWER_QUANTILE : STABLE_UPPER_QUANTILE, c, c->option[1]);
}

status run_stable_mode(const elementwise_call *c) { return stable_mode(c->n, parameters(c->in), c->out); }

/* A list of six: density, lower and upper tail, and the estimates of their errors. */
SEXP C_dpstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm) {
  const SEXP arg[] = {x, alpha, beta, gamma, delta, pm};
  vec_call v;
  PROTECT(vec_open(&v, 6, arg));
  SEXP list = PROTECT(Rf_allocVector(VECSXP, 6));
  double *out[6];
  for (int k = 0; k < 6; k++) {
    SET_VECTOR_ELT(list, k, vec_result(&v));
    out[k] = REAL(VECTOR_ELT(list, k));
  }
  if (v.n > 0) {
    engine_begin("dpstable");
    engine_end(stable_joint(v.n, 1, v.col[0], parameters(v.col + 1), 0, out, out + 3));
  }
  int invalid = 0;
  for (int k = 0; k < 6; k++) invalid |= vec_missing(&v, VECTOR_ELT(list, k));
  if (invalid) Rf_warning("NaNs produced");
  UNPROTECT(2);
  return list;
}

/* A matrix with a row per point: the columns of stable_score.h. Whether a point is missing is for its log density to
 * say; other NaNs are derivatives that are not known. */
SEXP C_stableScore(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm) {
  const SEXP arg[] = {x, alpha, beta, gamma, delta, pm};
  vec_call v;
  PROTECT(vec_open(&v, 6, arg));
  SEXP result = PROTECT(vec_matrix("stableScore", v.n, SCORES)), log_f = PROTECT(vec_result(&v));
  double *out[SCORES];
  for (int k = 0; k < SCORES; k++) out[k] = k == SCORE_LOG_F ? REAL(log_f) : REAL(result) + k * v.n;
  if (v.n > 0) {
    engine_begin("stableScore");
    engine_end(stable_score(v.n, v.col[0], parameters(v.col + 1), out));
  }
  const int invalid = vec_missing(&v, log_f);
  for (R_xlen_t i = 0; i < v.n; i++) {
    const double f = REAL(log_f)[i];
    REAL(result)[i] = f;
    for (int k = 1; k < SCORES && ISNAN(f); k++) out[k][i] = f;
  }
  if (invalid) Rf_warning("NaNs produced");
  UNPROTECT(3);
  return result;
}

/* A matrix with a row per element of z: log density and its derivatives in the order of stable.h; run: consecutive
 * points that share an element of alpha and beta. All are doubles that R has checked. */
SEXP C_stableSlopes(SEXP z, SEXP run, SEXP alpha, SEXP beta, SEXP frame) {
  const int64_t n = XLENGTH(z);
  SEXP result = PROTECT(vec_matrix("stableFit", n, SLOPES));
  double *out[SLOPES];
  for (int k = 0; k < SLOPES; k++) out[k] = REAL(result) + k * n;
  const column a = {REAL(alpha), XLENGTH(alpha)}, b = {REAL(beta), XLENGTH(beta)};
  ENGINE_RUN("stableSlopes",
             stable_slopes(n, (int64_t)Rf_asReal(run), REAL(z), a, b, Rf_asInteger(frame), out));
  UNPROTECT(1);
  return result;
}

/* A matrix with a row per distribution, a row of `given`: alpha, beta, gamma, delta, frame and coefficients; columns
 * are the numbers of each segment of stable_observed.h. */
SEXP C_stableSums(SEXP x, SEXP weight, SEXP q, SEXP given, SEXP slopes) {
  const int m = Rf_nrows(given), columns = Rf_ncols(q), wants = Rf_asInteger(slopes);
  const double *value = REAL(given);
  double *b = (double *)R_alloc((size_t)(columns * m) + 1, sizeof *b);
  stable_member *member = (stable_member *)R_alloc((size_t)m, sizeof *member);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < columns; k++) b[i * columns + k] = value[i + (5 + k) * m];
    member[i] = (stable_member){value[i], value[i + m], value[i + 2 * m], value[i + 3 * m], (int)value[i + 4 * m],
                                b + i * columns};
  }
  stable_observed *o;
  status st = stable_observe_anywhere(XLENGTH(x), REAL(x), REAL(weight), columns, REAL(q), &o);
  if (!st && !o) st = fail(STATUS_INPUT, "stableSums: no observations, or too many numbers");
  if (st) engine_raise(st);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, stable_observed_numbers(o, wants) * o->segments, m));
  engine_begin("stableSums");
  const status done = stable_observed_sums(o, m, member, wants, 0, REAL(result));
  stable_observed_close(o);
  engine_end(done);
  UNPROTECT(1);
  return result;
}

SEXP C_rstable(SEXP n, SEXP given, SEXP first) {
  static const char *const names[] = {"alpha", "beta", "gamma", "delta", "pm"};
  SEXP arg[5];
  column col[5];
  for (int k = 0; k < 5; k++) arg[k] = vec_element(given, names[k]);
  sample s;
  PROTECT(sample_open(&s, n, first, col, 5, arg, NULL));
  if (!s.empty) {
    double *values = sample_values(&s);
    engine_begin("rstable");
    engine_end(stable_random(s.first, s.n, parameters(col), s.key, values));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
