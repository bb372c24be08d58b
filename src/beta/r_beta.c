/* r_beta.c: the beta, F and t distributions between R and the engine (src/beta/beta.h). */
#include "beta/r_beta.h"

#include "beta/beta.h"
#include "glue/r_engine.h"
#include "glue/r_rng.h"
#include "kernels/beta/beta_par.h"

static const double one = 1;

/* Of t the second column is its degrees of freedom, and the first one anything. */
#define WITH_COLUMNS(c, kind)                                                                                \
  const column in[] = {(c)->in[0], (kind) == BETA_IS_T ? (column){&one, 1} : (c)->in[1],                     \
                       (kind) == BETA_IS_T ? (c)->in[1] : (c)->in[2]}
static status density(const elementwise_call *c, int kind) {
  WITH_COLUMNS(c, kind);
  return beta_density(c->n, in, kind, c->option[0], c->out);
}
static status tail(const elementwise_call *c, int kind) {
  WITH_COLUMNS(c, kind);
  return beta_tail(c->n, in, kind, !c->option[0], c->option[1] != 0, c->out);
}
static status quantile(const elementwise_call *c, int kind) {
  WITH_COLUMNS(c, kind);
  return beta_quantile(c->n, in, kind, !c->option[0], c->option[1] != 0, c->out);
}

status run_dbeta(const elementwise_call *c) { return density(c, BETA_IS_X); }
status run_pbeta(const elementwise_call *c) { return tail(c, BETA_IS_X); }
status run_qbeta(const elementwise_call *c) { return quantile(c, BETA_IS_X); }
status run_df(const elementwise_call *c) { return density(c, BETA_IS_F); }
status run_pf(const elementwise_call *c) { return tail(c, BETA_IS_F); }
status run_qf(const elementwise_call *c) { return quantile(c, BETA_IS_F); }
status run_dt(const elementwise_call *c) { return density(c, BETA_IS_T); }
status run_pt(const elementwise_call *c) { return tail(c, BETA_IS_T); }
status run_qt(const elementwise_call *c) { return quantile(c, BETA_IS_T); }

static SEXP draws(const char *name, SEXP n, int n_arg, const SEXP *arg, int kind, SEXP first) {
  column col[2] = {[0] = {&one, 1}};
  sample s;
  PROTECT(sample_open(&s, n, first, col + 2 - n_arg, n_arg, arg, NULL));
  if (!s.empty) {
    double *values = sample_values(&s);
    engine_begin(name);
    engine_end(beta_random(s.first, s.n, col, kind, s.key, values));
  }
  SEXP result = sample_close(&s);
  UNPROTECT(1);
  return result;
}

SEXP C_rbeta(SEXP n, SEXP a, SEXP b, SEXP first) {
  const SEXP arg[] = {a, b};
  return draws("rbetagpu", n, 2, arg, BETA_IS_X, first);
}
SEXP C_rf(SEXP n, SEXP df1, SEXP df2, SEXP first) {
  const SEXP arg[] = {df1, df2};
  return draws("rfgpu", n, 2, arg, BETA_IS_F, first);
}
SEXP C_rt(SEXP n, SEXP df, SEXP first) { return draws("rtgpu", n, 1, &df, BETA_IS_T, first); }
