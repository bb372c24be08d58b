/* poisson.c: host side of the Poisson law: the pipelines of poisson.cl and poisson_cdf.cl. */
#include "poisson.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "poisson_par.h"

static const pipeline density_pipeline = {"dpoisgpu", 0, 2, 1, 0, 0, 0, 1, {KERNEL_poisson_pmf}, 8};
static const pipeline tail_pipeline = {"ppoisgpu", 0, 2, 1, 0, 0, 0, 1, {KERNEL_poisson_cdf}, 15};
static const pipeline quantile_pipeline = {
    "qpoisgpu", 0, 2, 1, 0, 2, 1, 2, {KERNEL_poisson_quantile, KERNEL_poisson_exact}, 8};
static const pipeline draw_pipeline = {
    "rpoisgpu", 0, 2, 1, 0, 2, 1, 2, {KERNEL_poisson_draw, KERNEL_poisson_exact}, 8};
static const pipeline normal_pipeline = {
    "normalQuantile", 0, 1, 1, 0, 0, 1, 2, {KERNEL_normal_quantile, KERNEL_normal_tail}, 4};

static const double nothing = 0;

static task task_of(const pipeline *pipe, int64_t n, column first, column lambda, const double *par, int n_par,
                    double *out) {
  task t = {0};
  t.pipe = pipe;
  t.n = n;
  t.run = n > 0 ? n : 1;
  t.in[0] = first;
  t.in[1] = lambda;
  t.out[0] = out;
  t.par = par;
  t.n_par = n_par;
  return t;
}

status poisson_density(int64_t n, column x, column lambda, int logs, double *out) {
  const double par[POISSON_CDF_PAR] = {0, logs};
  const task t = task_of(&density_pipeline, n, x, lambda, par, POISSON_CDF_PAR, out);
  return backend_run(&t);
}

status poisson_tail(int64_t n, column q, column lambda, int upper, int logs, double *out) {
  const double par[POISSON_CDF_PAR] = {upper, logs};
  const task t = task_of(&tail_pipeline, n, q, lambda, par, POISSON_CDF_PAR, out);
  return backend_run(&t);
}

/* poisson_par.h says what a tail is. The upper tail of a p close to 1 would be lost in a float, not so its own. */
static double smaller_tail(double p, int upper, int logs) {
  double t;
  if (logs)
    t = p <= -M_LN2 ? -p : -fabs(expm1(p));
  else
    t = p <= 0.5 ? p : -(1 - p);
  if (logs ? !(p <= 0) : !(p >= 0 && p <= 1)) return NAN;
  if (t != 0 && fabs(t) < 1e-37) t = copysign(-log(fabs(t)), t);
  return upper ? -t : t;
}

/* In pieces, so that the tails take little memory: each is a multiple of the length of lambda where that is recycled. */
static status quantile_single(int64_t n, column p, column lambda, int upper, int logs, double *out) {
  enum { PIECE = 1 << 20 };
  const int64_t own = p.length < n ? p.length : n, cycle = lambda.length < n ? lambda.length : 1;
  const int64_t piece = own < n ? n : cycle > PIECE ? cycle : PIECE / cycle * cycle, room = own < piece ? own : piece;
  const double par[POISSON_QUANTILE_PAR] = {0};
  double *tails = malloc((size_t)room * sizeof *tails);
  status st = STATUS_OK;
  if (!tails) return fail(STATUS_MEMORY, "no memory for %lld tails", (long long)room);
  for (int64_t first = 0; first < n && !st; first += piece) {
    const int64_t many = n - first < piece ? n - first : piece, count = room < many ? room : many;
    const column tail = {tails, count};
    if (lambda.length >= n) lambda.data += first ? piece : 0;
    for (int64_t i = 0; i < count; i++) tails[i] = smaller_tail(p.data[first + i], upper, logs);
    task t = task_of(&quantile_pipeline, many, tail, lambda, par, POISSON_QUANTILE_PAR, out + first);
    t.single = 1;
    if (piece < n) backend_set_progress((double)first / (double)n);
    st = backend_run(&t);
  }
  free(tails);
  return st;
}

status poisson_quantile(int64_t n, column p, column lambda, int upper, int logs, int single, double *out) {
  const double par[POISSON_QUANTILE_PAR] = {upper, logs};
  if (n == 0) return STATUS_OK;
  if (single) return quantile_single(n, p, lambda, upper, logs, out);
  const task t = task_of(&quantile_pipeline, n, p, lambda, par, POISSON_QUANTILE_PAR, out);
  return backend_run(&t);
}

static void deliver_ints(void *to, int64_t first, int32_t n, const double *const *values) {
  int *out = (int *)to + first;
  for (int32_t i = 0; i < n; i++) out[i] = values[0][i] >= 0 ? (int)values[0][i] : INT_MIN;
}

status poisson_random(int64_t n, column lambda, const uint32_t key[2], int single, double *doubles, int *ints) {
  const double par[POISSON_QUANTILE_PAR] = {0, 0, key[0] & 0xffff, key[0] >> 16, key[1] & 0xffff, key[1] >> 16};
  const column none = {&nothing, 1};
  task t = task_of(&draw_pipeline, n, none, lambda, par, POISSON_QUANTILE_PAR, doubles);
  t.single = single;
  t.deliver = ints ? deliver_ints : NULL;
  t.deliver_to = ints;
  return backend_run(&t);
}

status normal_quantile(int64_t n, column p, double *out) {
  const task t = task_of(&normal_pipeline, n, p, p, NULL, 0, out);
  return backend_run(&t);
}
