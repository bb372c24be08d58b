/* poisson.c: host side of the Poisson distribution: the pipelines of poisson.cl and poisson_cdf.cl. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math") /* or conditions of lanes stay branches */
#endif
#include "poisson/poisson.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#define SINGLE 0
#define K(number) number
#include "kernels/poisson/poisson_coef.h"
#include "kernels/common/tail_form.h"
#include "kernels/poisson/poisson_par.h"
#include "programs/programs.h"

const pipeline poisson_density_pipeline = MAP_PIPELINE("dpoisgpu", POISSON_COLUMNS, poisson_pmf, 8);
const pipeline poisson_tail_pipeline = {
    .name = "ppoisgpu", .n_in = POISSON_COLUMNS, .n_out = 1, .n_list = POISSON_TAIL_LISTS,
    .step = {KERNEL_poisson_cdf, KERNEL_poisson_cdf_few, KERNEL_poisson_cdf_many}, .ns_per_point = 15};
#define QUANTILE_PIPELINE(name_, ...)                                                                        \
  {.name = name_, .n_in = POISSON_COLUMNS, .n_out = 1, .n_work = POISSON_WORK_COLUMNS,                       \
   .n_list = POISSON_LISTS, .step = {__VA_ARGS__, KERNEL_poisson_far, KERNEL_poisson_exact,              \
            KERNEL_poisson_refine}, .ns_per_point = 8}
static const pipeline quantile_pipeline = QUANTILE_PIPELINE("qpoisgpu", KERNEL_poisson_quantile);
static const pipeline draw_pipeline =
    QUANTILE_PIPELINE("rpoisgpu", KERNEL_poisson_draw, KERNEL_poisson_sums, KERNEL_poisson_estimate);
const pipeline normal_quantile_pipeline = {.name = "normalQuantile", .n_in = 1, .n_out = 1,
                                           .n_list = POISSON_LISTS,
                                           .step = {KERNEL_normal_quantile, KERNEL_normal_tail}, .ns_per_point = 4};

static const double nothing = 0;

static task task_of(const pipeline *pipe, int64_t n, column first, column lambda, const double *par, int n_par,
                    double *out) {
  return (task){.pipe = pipe, .n = n, .run = n > 0 ? n : 1,
                .in = {[POISSON_GIVEN] = first, [POISSON_LAMBDA] = lambda}, .out = {out}, .par = par, .n_par = n_par};
}

status poisson_density(int64_t n, column x, column lambda, int logs, double *out) {
  const column in[] = {[POISSON_GIVEN] = x, [POISSON_LAMBDA] = lambda};
  const double par[] = {[POISSON_PMF_LOG] = logs, [POISSON_PMF_STRICT] = 0};
  return backend_columns(&poisson_density_pipeline, n, in, par, 2, out);
}

status poisson_tail(int64_t n, column q, column lambda, int upper, int logs, double *out) {
  const column in[] = {[POISSON_GIVEN] = q, [POISSON_LAMBDA] = lambda};
  const double par[] = {!upper, logs};
  return backend_columns(&poisson_tail_pipeline, n, in, par, 2, out);
}

/* The polynomial of quantile_by_polynomial(): lambda - whole + lambda s (1 + s A(s)) + B(s) + C(s)/lambda. */
static void tell_polynomial(double lambda, double *par) {
  /* shorter ones end in zeros; longer ones would not compile */
  static const double a[POISSON_N_TERMS - 2] = {QUANTILE_A_TERMS};
  static const double b[POISSON_N_TERMS] = {QUANTILE_B_TERMS}, c[POISSON_N_TERMS] = {QUANTILE_C_TERMS};
  double *g = par + POISSON_TERMS;
  par[POISSON_ROUTE] = POISSON_POLYNOMIAL;
  par[POISSON_WHOLE] = floor(lambda);
  par[POISSON_BY_ROOT] = 1 / sqrt(lambda);
  par[POISSON_DELTA] = POISSON_WRONG_BY(sqrt(lambda), 1 / lambda);
  for (int i = 0; i < POISSON_N_TERMS; i++) g[i] = b[i] + c[i] / lambda + (i > 1 ? lambda * a[i - 2] : 0);
  g[0] += lambda - floor(lambda);
  g[1] += lambda;
}

/* Cuts where quantile_by_cuts() is to count, as the device in use computes them: what poisson_exact would decide by.
 * Beyond 1e-4 the upper tail is left to that. */
static status tell_cuts(const char *name, double lambda, int single, double *par) {
  double k[POISSON_MOST_CUTS], *cut = par + POISSON_FIRST_CUT;
  const double lower[] = {1, 0}, upper[] = {0, 0};
  const column in[] = {[POISSON_GIVEN] = {k, POISSON_MOST_CUTS}, [POISSON_LAMBDA] = {&lambda, 1}};
  double tail[POISSON_MOST_CUTS];
  pipeline tails = poisson_tail_pipeline;
  int n = 0, n_lower = 0;
  tails.name = name;
  for (int i = 0; i < POISSON_MOST_CUTS; i++) k[i] = i;
  backend_force_cpu(single);
  status st = backend_columns(&tails, POISSON_MOST_CUTS, in, lower, 2, cut);
  if (!st) st = backend_columns(&tails, POISSON_MOST_CUTS, in, upper, 2, tail);
  backend_force_cpu(-single);
  if (st) return st;
  while (cut[n_lower] < 0.5) n_lower++;
  for (n = n_lower; n < POISSON_MOST_CUTS && (n == n_lower || tail[n - 1] > 1e-4); n++) cut[n] = -tail[n];
  for (int i = 0; i < n && !single; i++) cut[i] += POISSON_CUT_RAISED * fabs(cut[i]);
  par[POISSON_ROUTE] = POISSON_CUTS;
  par[POISSON_N_LOWER] = n_lower;
  par[POISSON_N_UPPER] = n - n_lower;
  return STATUS_OK;
}

/* What is worth preparing when lambda is one. Cuts cost two launches, and in single precision, where they are more
 * exact than sums of floats, serve any n, for a result not to depend on it. */
static status tell_lambda(const char *name, int64_t n, column lambda, int logs, int single, double *par) {
  const double one = lambda.data[0];
  if (lambda.length != 1 || !(one > 0)) return STATUS_OK;
  if (one < POISSON_CUTS_END && !logs && (single || n >= 5000)) return tell_cuts(name, one, single, par);
  if (one >= (single ? POISSON_SUMS_SINGLE : POISSON_SUMS_DOUBLE) && one <= POISSON_MOST) tell_polynomial(one, par);
  return STATUS_OK;
}

/* The form that tail_form.h tells. A float would lose the upper tail of a p close to 1, and what is below 1e-37. */
static double smaller_tail(double p, int upper, int logs) {
  const double deep = logs ? -p : -log(p);
  double t;
  if (logs ? !(p <= 0) : !(p >= 0 && p <= 1)) return NAN;
  if (deep > 85) /* 1e-37 = exp(-85.2) */
    t = isinf(deep) ? 0 : deep;
  else if (logs)
    t = p <= -0.6931471805599453 ? exp(p) : -fabs(expm1(p));
  else
    t = TAIL_OF(p);
  if (t < 0 && t > -1e-37) t = log(-t);
  return upper ? -t : t;
}

/* Means that a float does not hold, and those too far from quantiles of tails down to exp(-deepest), are left to
 * double precision on the CPU. */
static int fits_single(column lambda, double deepest) {
  const double least = 1e-30 * fmax(1, deepest / 85);
  for (int64_t i = 0; i < lambda.length; i++) {
    const double v = fabs(lambda.data[i]);
    if ((v > 1e30 && v < INFINITY) || (v > 0 && v < least)) return 0;
  }
  return 1;
}

static double deepest_tail(column p, int logs) {
  double deepest = 745;
  for (int64_t i = 0; i < p.length && logs; i++)
    if (-p.data[i] > deepest && -p.data[i] < INFINITY) deepest = -p.data[i];
  return deepest;
}

/* smaller_tail() of the column of probabilities: without logarithms and branches for all but the few that need them,
 * which are counted as reals, for compilers to vectorise it. */
static void narrow_tails(const task *t, int32_t n, const double *p, float *to) {
  const int upper = t->par[POISSON_UPPER] != 0, logs = t->par[POISSON_LOG] != 0;
  const double sense = upper ? -1 : 1, least = 1e-37, most = 1 - 1e-16;
  double odd = 0;
#pragma omp simd reduction(+ : odd)
  for (int32_t i = 0; i < n; i++) {
    to[i] = (float)(sense * (p[i] - (p[i] > 0.5 ? 1.0 : 0.0)));
    odd += (p[i] >= least ? 0.0 : 1.0) + (p[i] <= most ? 0.0 : 1.0);
  }
  for (int32_t i = 0; i < n && (logs || odd > 0); i++)
    if (logs || !(p[i] >= least && p[i] <= most)) to[i] = (float)smaller_tail(p[i], upper, logs);
}

/* In single precision if narrow; else, where single precision was asked for, in double precision on the CPU. */
static status run_narrow(task *t, column lambda, int logs, int narrow, int asked, double *par) {
  const int forced_cpu = asked && !narrow;
  backend_force_cpu(forced_cpu);
  status st = tell_lambda(t->pipe->name, t->n, lambda, logs && !narrow, narrow, par);
  t->single = narrow;
  if (!st) st = backend_run(t);
  backend_force_cpu(-forced_cpu);
  return st;
}

status poisson_quantile(int64_t n, column p, column lambda, int upper, int logs, int single, double *out) {
  double par[POISSON_QUANTILE_PAR] = {upper, logs};
  if (n == 0) return STATUS_OK;
  task t = task_of(&quantile_pipeline, n, p, lambda, par, POISSON_QUANTILE_PAR, out);
  t.narrow = narrow_tails;
  return run_narrow(&t, lambda, logs, single && fits_single(lambda, deepest_tail(p, logs)), single, par);
}

void deliver_ints(void *to, int64_t first, int32_t n, const double *const *values) {
  int *out = (int *)to + first;
  const double *v = values[0];
#pragma omp simd
  for (int32_t i = 0; i < n; i++) out[i] = (int)(v[i] >= 0 ? v[i] : INT_MIN);
}

status poisson_random(int64_t first, int64_t n, column lambda, const uint32_t key[2], int single, double *doubles,
                      int *ints) {
  double par[POISSON_QUANTILE_PAR] = {0, 0, key[0] & 0xffff, key[0] >> 16, key[1] & 0xffff, key[1] >> 16};
  const column none = {&nothing, 1};
  task t = task_of(&draw_pipeline, n, none, lambda, par, POISSON_QUANTILE_PAR, doubles);
  t.origin = first;
  t.grain = 16; /* values that share words of the generator */
  t.deliver = ints ? deliver_ints : NULL;
  t.deliver_to = ints;
  return run_narrow(&t, lambda, 0, single && fits_single(lambda, 0), single, par);
}

status normal_quantile(int64_t n, column p, double *out) {
  return backend_columns(&normal_quantile_pipeline, n, &p, NULL, 0, out);
}
