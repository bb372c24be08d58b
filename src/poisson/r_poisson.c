/* r_poisson.c: the Poisson distribution between R and the engine (src/poisson/poisson.h). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math") /* or conditions of lanes stay branches */
#endif
#include "poisson/r_poisson.h"

#include <math.h>

#include <R_ext/Arith.h>
#include <R_ext/Error.h>

#include "poisson/poisson.h"
#include "kernels/poisson/poisson_par.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"

/* dpois() warns of each; the first tells enough. */
void warn_of_fractions(const vec_call *v, const int *option, const double *result) {
  const column x = v->col[0];
  const double error = option[POISSON_PMF_STRICT] ? 1e-9 : 1e-7;
  for (int64_t i = 0; i < x.length && i < v->n; i++)
    if (fabs(x.data[i] - nearbyint(x.data[i])) > error * fmax(1, fabs(x.data[i])))
      for (int64_t k = i; k < v->n; k += x.length)
        if (!ISNAN(result[k])) {
          Rf_warning("non-integer x = %f", x.data[i]);
          return;
        }
}

status run_qpois(const elementwise_call *c) {
  return poisson_quantile(c->n, c->in[0], c->in[1], !c->option[0], c->option[1] != 0, c->single, c->out);
}

/* A uniform is at least 2^-54, its normal quantile below 8.3: with 9 of them and 50 more this mean stays below
 * INT_MAX. */
static int draws_fit_int(const column *lambda, R_xlen_t n) {
  const double *v = lambda->data, most = 2147066000;
  const int64_t length = lambda->length < n ? lambda->length : n;
  int64_t beyond = 0; /* as wide as what is compared, for compilers to vectorise it */
#pragma omp simd reduction(| : beyond)
  for (int64_t i = 0; i < length; i++) beyond |= v[i] > most ? 1 : 0;
  for (int64_t i = 0; i < length && beyond; i++)
    if (v[i] > most && v[i] < INFINITY) return 0;
  return 1;
}

SEXP C_rpois(SEXP n, SEXP lambda, SEXP first) {
  column col;
  sample s;
  PROTECT(sample_open(&s, n, first, &col, 1, &lambda, draws_fit_int));
  if (!s.empty) {
    double *doubles = s.whole ? NULL : sample_values(&s);
    int *ints = s.whole ? sample_ints(&s) : NULL;
    const int single = engine_begin_either("rpoisgpu");
    engine_end(poisson_random(s.first, s.n, col, s.key, single, doubles, ints));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
