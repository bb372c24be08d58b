/* r_poisson.c: the Poisson law between R and the engine (src/poisson/poisson.h). */
#include "poisson/r_poisson.h"

#include <limits.h>
#include <math.h>

#include <R_ext/Arith.h>
#include <R_ext/Error.h>

#include "poisson/poisson.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"
#include "glue/r_vec.h"

/* As R's functions of two arguments, which keep the attributes of an empty first one. */
static void close_vec(const vec_call *v, SEXP result) {
  if (v->n == 0 && XLENGTH(v->arg[0]) == 0) SHALLOW_DUPLICATE_ATTRIB(result, v->arg[0]);
  vec_close(v, result);
}

/* dpois() warns of each; the first tells enough. */
static void warn_of_fractions(const vec_call *v, const double *result) {
  const column x = v->col[0];
  for (int64_t i = 0; i < x.length && i < v->n; i++)
    if (fabs(x.data[i] - nearbyint(x.data[i])) > 1e-7 * fmax(1, fabs(x.data[i])))
      for (int64_t k = i; k < v->n; k += x.length)
        if (!ISNAN(result[k])) {
          Rf_warning("non-integer x = %f", x.data[i]);
          return;
        }
}

SEXP C_dpois(SEXP x, SEXP lambda, SEXP give_log) {
  const SEXP arg[] = {x, lambda};
  vec_call v;
  PROTECT(vec_open(&v, 2, arg));
  SEXP result = PROTECT(vec_result(&v));
  const int logs = Rf_asInteger(give_log) != 0;
  if (v.n > 0) ENGINE_RUN("dpoisgpu", poisson_density(v.n, v.col[0], v.col[1], logs, REAL(result)));
  close_vec(&v, result);
  warn_of_fractions(&v, REAL(result));
  UNPROTECT(2);
  return result;
}

SEXP C_ppois(SEXP q, SEXP lambda, SEXP lower, SEXP give_log) {
  const SEXP arg[] = {q, lambda};
  vec_call v;
  PROTECT(vec_open(&v, 2, arg));
  SEXP result = PROTECT(vec_result(&v));
  const int upper = Rf_asInteger(lower) == 0, logs = Rf_asInteger(give_log) != 0;
  if (v.n > 0) ENGINE_RUN("ppoisgpu", poisson_tail(v.n, v.col[0], v.col[1], upper, logs, REAL(result)));
  close_vec(&v, result);
  UNPROTECT(2);
  return result;
}

SEXP C_qpois(SEXP p, SEXP lambda, SEXP lower, SEXP log_p) {
  const SEXP arg[] = {p, lambda};
  vec_call v;
  PROTECT(vec_open(&v, 2, arg));
  SEXP result = PROTECT(vec_result(&v));
  const int upper = Rf_asInteger(lower) == 0, logs = Rf_asInteger(log_p) != 0;
  if (v.n > 0) {
    const int single = engine_begin_either("qpoisgpu");
    engine_end(poisson_quantile(v.n, v.col[0], v.col[1], upper, logs, single, REAL(result)));
  }
  close_vec(&v, result);
  UNPROTECT(2);
  return result;
}

SEXP C_normalQuantile(SEXP p) {
  vec_call v;
  PROTECT(vec_open(&v, 1, &p));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) ENGINE_RUN("normalQuantile", normal_quantile(v.n, v.col[0], REAL(result)));
  close_vec(&v, result);
  UNPROTECT(2);
  return result;
}

/* A uniform is at least 2^-54, its normal quantile below 8.3. */
static int draws_fit_int(const column *lambda, R_xlen_t n) {
  double most = 0;
  for (int64_t i = 0; i < lambda->length && i < n; i++)
    if (lambda->data[i] > most && lambda->data[i] < INFINITY) most = lambda->data[i];
  return most + 9 * sqrt(most) + 50 < INT_MAX;
}

SEXP C_rpois(SEXP n, SEXP lambda) {
  column col;
  sample s;
  PROTECT(sample_open(&s, n, &col, 1, &lambda, draws_fit_int));
  if (!s.empty) {
    double *doubles = s.whole ? NULL : sample_values(&s);
    int *ints = s.whole ? sample_ints(&s) : NULL;
    const int single = engine_begin_either("rpoisgpu");
    engine_end(poisson_random(s.n, col, s.key, single, doubles, ints));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
