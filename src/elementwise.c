/* elementwise.c: the table of functions of vectors: see glue/r_elementwise.h. */
#include "glue/r_elementwise.h"

#include <string.h>

#include "bessel/bessel.h"
#include "bessel/bessel_published.h"
#include "bessel/r_bessel.h"
#include "beta/r_beta.h"
#include "binomial/binomial.h"
#include "binomial/r_binomial.h"
#include "covariance/r_covariance.h"
#include "engine/backend.h"
#include "gamma/r_gamma.h"
#include "glue/r_engine.h"
#include "poisson/poisson.h"
#include "poisson/r_poisson.h"
#include "programs/programs.h"
#include "stable/r_stable.h"

/* What is a kernel that maps each point by itself has a pipeline, which tells name and columns; its options are par
 * of the kernel, in their order. All else has a function to run. */
typedef struct {
  const pipeline *pipe;
  const char *name;           /* under which R calls it, and */
  const char *shown;          /* in messages, where that is another one */
  int columns, options;
  elementwise_run *run;
  const char *const *choices; /* of the option that is a name */
  int either;                 /* serves single precision too */
  int bare;                   /* an empty result has no attributes, unlike that of R's functions of two columns */
  void (*check)(const vec_call *v, const int *option, const double *result); /* may warn */
} elementwise;

static const elementwise functions[] = {
    {.pipe = &poisson_density_pipeline, .options = 2, .check = warn_of_fractions},
    {.pipe = &poisson_tail_pipeline, .options = 2},
    {.name = "qpoisgpu", .columns = 2, .options = 2, .run = run_qpois, .either = 1},
    {.pipe = &normal_quantile_pipeline},
    {.name = "dgammagpu", .columns = 3, .options = 2, .run = run_dgamma},
    {.name = "pgammagpu", .columns = 3, .options = 3, .run = run_pgamma},
    {.name = "qgammagpu", .columns = 3, .options = 2, .run = run_qgamma},
    {.name = "dchisqgpu", .columns = 2, .options = 1, .run = run_dchisq},
    {.name = "pchisqgpu", .columns = 2, .options = 2, .run = run_pchisq},
    {.name = "qchisqgpu", .columns = 2, .options = 2, .run = run_qchisq},
    {.name = "dnchisqgpu", .shown = "dchisqgpu", .columns = 3, .options = 1, .run = run_dnchisq},
    {.name = "pnchisqgpu", .shown = "pchisqgpu", .columns = 3, .options = 2, .run = run_pnchisq},
    {.name = "qnchisqgpu", .shown = "qchisqgpu", .columns = 3, .options = 2, .run = run_qnchisq},
    {.name = "dbetagpu", .columns = 3, .options = 1, .run = run_dbeta},
    {.name = "pbetagpu", .columns = 3, .options = 2, .run = run_pbeta},
    {.name = "qbetagpu", .columns = 3, .options = 2, .run = run_qbeta},
    {.name = "dfgpu", .columns = 3, .options = 1, .run = run_df},
    {.name = "pfgpu", .columns = 3, .options = 2, .run = run_pf},
    {.name = "qfgpu", .columns = 3, .options = 2, .run = run_qf},
    {.name = "dtgpu", .columns = 2, .options = 1, .run = run_dt},
    {.name = "ptgpu", .columns = 2, .options = 2, .run = run_pt},
    {.name = "qtgpu", .columns = 2, .options = 2, .run = run_qt},
    {.pipe = &binomial_density_pipeline, .options = 3, .check = warn_of_fractions},
    {.pipe = &binomial_tail_pipeline, .options = 3},
    {.name = "qbinomgpu", .columns = 3, .options = 3, .run = run_qbinom},
    {.pipe = &negative_density_pipeline, .options = 3, .check = warn_of_fractions},
    {.pipe = &negative_tail_pipeline, .options = 3},
    {.name = "qnbinomgpu", .columns = 3, .options = 3, .run = run_qbinom},
    {.name = "dstable", .columns = 6, .options = 1, .run = run_dstable},
    {.name = "pstable", .columns = 6, .options = 2, .run = run_pstable},
    {.name = "qstable", .columns = 6, .options = 2, .run = run_qstable},
    {.name = "stableMode", .columns = 5, .run = run_stable_mode},
    {.name = "besselKgpu", .columns = 2, .options = 3, .run = run_bessel, .choices = NAMES(BESSEL_WHATS), .bare = 1},
    {.name = "besselPublished", .shown = "besselKgpu", .columns = 2, .options = 3, .run = run_bessel_published,
     .choices = NAMES(BESSEL_METHODS), .bare = 1},
};

static const char *name_of(const elementwise *f) { return f->pipe ? f->pipe->name : f->name; }

static const elementwise *function_of(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(name, name_of(functions + i))) return functions + i;
  engine_raise(fail(STATUS_INPUT, "no function of vectors is called %s", name));
  return NULL;
}

static status run_pipeline(const pipeline *pipe, const elementwise_call *c, int options) {
  double par[MOST_OPTIONS];
  for (int k = 0; k < options; k++) par[k] = c->option[k];
  return backend_columns(pipe, c->n, c->in, par, options, c->out);
}

SEXP C_elementwise(SEXP call) {
  SEXP arg[VEC_MAX], rest = CDDR(call);
  vec_call v;
  int option[MOST_OPTIONS];
  const elementwise *f = function_of(CHAR(STRING_ELT(CADR(call), 0)));
  const int columns = f->pipe ? f->pipe->n_in : f->columns;
  const char *shown = f->shown ? f->shown : name_of(f);
  for (int k = 0; k < columns; k++, rest = CDR(rest)) arg[k] = CAR(rest);
  PROTECT(vec_open(&v, columns, arg));
  SEXP result = PROTECT(vec_result(&v));
  for (int k = 0; k < f->options; k++, rest = CDR(rest))
    option[k] = Rf_isString(CAR(rest)) && f->choices ? enum_of(CAR(rest), f->choices) : Rf_asInteger(CAR(rest));
  if (v.n > 0) {
    elementwise_call c = {.n = v.n, .in = v.col, .option = option, .out = REAL(result)};
    if (f->either)
      c.single = engine_begin_either(shown);
    else
      engine_begin(shown);
    engine_end(f->pipe ? run_pipeline(f->pipe, &c, f->options) : f->run(&c));
  }
  if (v.n == 0 && columns <= 2 && !f->bare && XLENGTH(arg[0]) == 0) SHALLOW_DUPLICATE_ATTRIB(result, arg[0]);
  vec_close(&v, result);
  if (f->check) f->check(&v, option, REAL(result));
  UNPROTECT(2);
  return result;
}
