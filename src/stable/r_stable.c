/* r_stable.c: the functions of stable laws between R and the engine (src/stable/stable.h). */
#include "stable/r_stable.h"

#include <string.h>

#include "glue/r_engine.h"
#include "glue/r_rng.h"
#include "glue/r_vec.h"
#include "stable/stable.h"

static stable_parameters parameters(const column *c) {
  const stable_parameters p = {c[0], c[1], c[2], c[3], c[4]};
  return p;
}

/* options(statcl.stable.route) is for tests: "table" or "direct" wherever there is a choice. */
static enum stable_route route_wanted(void) {
  const SEXP route = Rf_GetOption1(Rf_install("statcl.stable.route"));
  const char *wanted = Rf_isString(route) && Rf_length(route) == 1 ? CHAR(STRING_ELT(route, 0)) : "";
  return !strcmp(wanted, "table") ? BY_TABLE : !strcmp(wanted, "direct") ? DIRECTLY : BY_SIZE;
}

/* Densities, tails or quantiles; arg: x or p, alpha, beta, gamma, delta, pm. */
static SEXP values(const char *name, enum stable_value what, const SEXP *arg, SEXP logs) {
  vec_call v;
  PROTECT(vec_open(&v, 6, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) {
    const int logarithms = Rf_asInteger(logs) != 0;
    engine_begin(name);
    engine_end(stable_values(what, route_wanted(), v.n, v.col[0], parameters(v.col + 1), logarithms, REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}

SEXP C_dstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP give_log) {
  const SEXP arg[] = {x, alpha, beta, gamma, delta, pm};
  return values("dstable", STABLE_DENSITY, arg, give_log);
}

SEXP C_pstable(SEXP q, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP lower, SEXP give_log) {
  const SEXP arg[] = {q, alpha, beta, gamma, delta, pm};
  return values("pstable", Rf_asInteger(lower) != 0 ? STABLE_LOWER : STABLE_UPPER, arg, give_log);
}

SEXP C_qstable(SEXP p, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP lower, SEXP log_p) {
  const SEXP arg[] = {p, alpha, beta, gamma, delta, pm};
  return values("qstable", Rf_asInteger(lower) != 0 ? STABLE_LOWER_QUANTILE : STABLE_UPPER_QUANTILE, arg, log_p);
}

SEXP C_stableMode(SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm) {
  const SEXP arg[] = {alpha, beta, gamma, delta, pm};
  vec_call v;
  PROTECT(vec_open(&v, 5, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) {
    engine_begin("stableMode");
    engine_end(stable_mode(v.n, parameters(v.col), REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}

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

/* A matrix with a row per element of z: log density and its derivatives in the order of stable.h; run: consecutive
 * points that share an element of alpha and beta. All are doubles that R has checked. */
SEXP C_stableSlopes(SEXP z, SEXP run, SEXP alpha, SEXP beta, SEXP frame) {
  const int64_t n = XLENGTH(z);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)n, SLOPES));
  double *out[SLOPES];
  for (int k = 0; k < SLOPES; k++) out[k] = REAL(result) + k * n;
  const column a = {REAL(alpha), XLENGTH(alpha)}, b = {REAL(beta), XLENGTH(beta)};
  ENGINE_RUN("stableSlopes",
             stable_slopes(n, (int64_t)Rf_asReal(run), REAL(z), a, b, Rf_asInteger(frame), out));
  UNPROTECT(1);
  return result;
}

SEXP C_rstable(SEXP n, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm) {
  const SEXP arg[] = {alpha, beta, gamma, delta, pm};
  column col[5];
  sample s;
  PROTECT(sample_open(&s, n, col, 5, arg, NULL));
  if (!s.empty) {
    double *values = sample_values(&s);
    engine_begin("rstable");
    engine_end(stable_random(s.n, parameters(col), s.key, values));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
