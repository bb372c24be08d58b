/* r_binomial.c: the binomial and negative binomial distributions between R and the engine
 * (src/binomial/binomial.h). */
#include "binomial/r_binomial.h"

#include <math.h>

#include "binomial/binomial.h"
#include "kernels/binomial/binomial_par.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"

status run_qbinom(const elementwise_call *c) {
  return binomial_quantile(c->option[2], c->n, c->in[0], c->in[1], c->in[2], c->option[0] != 0, c->option[1] != 0,
                           c->out);
}

/* A binomial number is at most its size. */
static int sizes_fit_int(const column *col, R_xlen_t n) {
  const column size = col[0];
  for (int64_t i = 0; i < size.length && i < n; i++)
    if (size.data[i] > 2147483647 && size.data[i] < INFINITY) return 0;
  return 1;
}

/* Nothing is drawn from beyond a tail of 2^-54. A negative binomial number is a Poisson one with a gamma mean, which
 * is below 60 means if size is at least 1, and with 400/size of them else: both tails are below 2^-60. */
static int most_fits_int(double size, double mean) {
  return !(mean > 0) || 1e4 + mean * (60 + 400 / size) < 2147483647 || mean == INFINITY;
}
static int means_fit_int(const column *col, R_xlen_t n) {
  const column size = col[0], mean = col[1];
  for (R_xlen_t i = 0; i < n && (i < size.length || i < mean.length); i++)
    if (!most_fits_int(size.data[i % size.length], mean.data[i % mean.length])) return 0;
  return 1;
}
static int probs_fit_int(const column *col, R_xlen_t n) {
  const column size = col[0], prob = col[1];
  for (R_xlen_t i = 0; i < n && (i < size.length || i < prob.length); i++) {
    const double r = size.data[i % size.length], p = prob.data[i % prob.length];
    if (p > 0 && p < 1 && !most_fits_int(r, r * (1 - p) / p)) return 0;
  }
  return 1;
}

SEXP C_rbinom(SEXP n, SEXP size, SEXP second, SEXP kind, SEXP first) {
  static int (*const fit[])(const column *, R_xlen_t) = {sizes_fit_int, probs_fit_int, means_fit_int};
  column col[2];
  const SEXP arg[] = {size, second};
  const int of = Rf_asInteger(kind);
  sample s;
  PROTECT(sample_open(&s, n, first, col, 2, arg, fit[of]));
  if (!s.empty) {
    double *doubles = s.whole ? NULL : sample_values(&s);
    int *ints = s.whole ? sample_ints(&s) : NULL;
    engine_begin(of == BINOMIAL_OF_PROB ? "rbinomgpu" : "rnbinomgpu");
    engine_end(binomial_random(of, s.first, s.n, col[0], col[1], s.key, doubles, ints));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
