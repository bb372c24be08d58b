/* r_stable.c: the functions of stable laws between R and the engine (src/stable.h). */
#include "r_stable.h"

#include <string.h>

#include "r_engine.h"
#include "r_rng.h"
#include "r_vec.h"
#include "stable.h"

static stable_parameters parameters(const column *c) {
  const stable_parameters p = {c[0], c[1], c[2], c[3], c[4]};
  return p;
}

/* Table or direct evaluation? options(statcl.stable.route) is for tests: "table" forces a table wherever one law
 * serves all points, "direct" none. */
static int by_table(R_xlen_t n, stable_parameters p) {
  const SEXP route = Rf_GetOption1(Rf_install("statcl.stable.route"));
  const char *wanted = Rf_isString(route) && Rf_length(route) == 1 ? CHAR(STRING_ELT(route, 0)) : "";
  if (!strcmp(wanted, "table")) return stable_table_pays(INT64_MAX, p);
  return strcmp(wanted, "direct") && stable_table_pays(n, p);
}

SEXP C_dstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP give_log) {
  const SEXP arg[] = {x, alpha, beta, gamma, delta, pm};
  vec_call v;
  PROTECT(vec_open(&v, 6, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) {
    const int logarithm = Rf_asInteger(give_log) != 0;
    const stable_parameters p = parameters(v.col + 1);
    engine_begin("dstable");
    engine_end(by_table(v.n, p) ? stable_by_table(TABLE_OF_DENSITY, v.n, v.col[0], p, logarithm, REAL(result))
                                : stable_density(v.n, 1, v.col[0], p, logarithm, REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}

SEXP C_pstable(SEXP q, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP lower, SEXP give_log) {
  const SEXP arg[] = {q, alpha, beta, gamma, delta, pm};
  vec_call v;
  PROTECT(vec_open(&v, 6, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) {
    const int lower_tail = Rf_asInteger(lower) != 0, logarithm = Rf_asInteger(give_log) != 0;
    const stable_parameters p = parameters(v.col + 1);
    const int what = lower_tail ? TABLE_OF_LOWER : TABLE_OF_UPPER;
    engine_begin("pstable");
    engine_end(by_table(v.n, p) ? stable_by_table(what, v.n, v.col[0], p, logarithm, REAL(result))
                                : stable_tail(v.n, 1, v.col[0], p, lower_tail, logarithm, REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}

SEXP C_qstable(SEXP p, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP lower, SEXP log_p) {
  const SEXP arg[] = {p, alpha, beta, gamma, delta, pm};
  vec_call v;
  PROTECT(vec_open(&v, 6, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) {
    const int lower_tail = Rf_asInteger(lower) != 0, logarithm = Rf_asInteger(log_p) != 0;
    const stable_parameters laws = parameters(v.col + 1);
    const int what = lower_tail ? TABLE_OF_LOWER_QUANTILE : TABLE_OF_UPPER_QUANTILE;
    engine_begin("qstable");
    engine_end(by_table(v.n, laws) ? stable_by_table(what, v.n, v.col[0], laws, logarithm, REAL(result))
                                   : stable_quantile(v.n, v.col[0], laws, lower_tail, logarithm, REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
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

SEXP C_rstable(SEXP n, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm) {
  const SEXP arg[] = {alpha, beta, gamma, delta, pm};
  column col[5];
  sample s;
  PROTECT(sample_open(&s, n, col, 5, arg));
  if (!s.empty) {
    double *values = sample_values(&s);
    engine_begin("rstable");
    engine_end(stable_random(s.n, parameters(col), s.key, values));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
