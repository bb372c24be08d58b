/* r_gamma.c: the gamma and chi-squared distributions between R and the engine (src/gamma/gamma.h). */
#include "gamma/r_gamma.h"

#include "gamma/gamma.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"

/* The last option of densities and tails says that the third column is the rate. */
status run_dgamma(const elementwise_call *c) {
  return gamma_density(c->n, c->in, 1, c->option[1] != 0, c->option[0], c->out);
}
status run_pgamma(const elementwise_call *c) {
  return gamma_tail(c->n, c->in, 1, c->option[2] != 0, !c->option[0], c->option[1] != 0, c->out);
}
status run_qgamma(const elementwise_call *c) {
  return gamma_quantile(c->n, c->in, 1, !c->option[0], c->option[1] != 0, c->out);
}

/* Chi-squared with df degrees of freedom: shape df/2, scale 2. */
static const double two = 2;
#define WITH_SCALE(c) const column in[] = {(c)->in[0], (c)->in[1], {&two, 1}}
status run_dchisq(const elementwise_call *c) {
  WITH_SCALE(c);
  return gamma_density(c->n, in, 0.5, 0, c->option[0], c->out);
}
status run_pchisq(const elementwise_call *c) {
  WITH_SCALE(c);
  return gamma_tail(c->n, in, 0.5, 0, !c->option[0], c->option[1] != 0, c->out);
}
status run_qchisq(const elementwise_call *c) {
  WITH_SCALE(c);
  return gamma_quantile(c->n, in, 0.5, !c->option[0], c->option[1] != 0, c->out);
}

/* with the non-centrality parameter */
status run_dnchisq(const elementwise_call *c) { return noncentral_density(c->n, c->in, c->option[0], c->out); }
status run_pnchisq(const elementwise_call *c) {
  return noncentral_tail(c->n, c->in, !c->option[0], c->option[1] != 0, c->out);
}
status run_qnchisq(const elementwise_call *c) {
  return noncentral_quantile(c->n, c->in, !c->option[0], c->option[1] != 0, c->out);
}

static SEXP draws(const char *name, SEXP n, int n_arg, const SEXP *arg, double shape_by, SEXP first) {
  column col[2] = {[1] = {&two, 1}};
  sample s;
  PROTECT(sample_open(&s, n, first, col, n_arg, arg, NULL));
  if (!s.empty) {
    double *values = sample_values(&s);
    engine_begin(name);
    engine_end(gamma_random(s.first, s.n, col, shape_by, s.key, values));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}

SEXP C_rgamma(SEXP n, SEXP shape, SEXP scale, SEXP first) {
  const SEXP arg[] = {shape, scale};
  return draws("rgammagpu", n, 2, arg, 1, first);
}
SEXP C_rchisq(SEXP n, SEXP df, SEXP first) { return draws("rchisqgpu", n, 1, &df, 0.5, first); }
SEXP C_rnchisq(SEXP n, SEXP df, SEXP ncp, SEXP first) {
  const SEXP arg[] = {df, ncp};
  column col[2];
  sample s;
  PROTECT(sample_open(&s, n, first, col, 2, arg, NULL));
  if (!s.empty) {
    double *values = sample_values(&s);
    engine_begin("rchisqgpu");
    engine_end(noncentral_random(s.first, s.n, col, s.key, values));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}
