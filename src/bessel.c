/* bessel.c: host side of the Bessel function K: the pipeline of bessel.cl. */
#include "bessel.h"

#include <math.h>
#include <stdlib.h>

/* Kernels of lists that must be empty are left out: PoCL takes some ns per point for one. */
#define BESSEL_VALUE_STEPS                                                                                   \
  KERNEL_bessel_locate, KERNEL_bessel_series, KERNEL_bessel_low, KERNEL_bessel_mid, KERNEL_bessel_high
static const pipeline value_pipeline = {"besselKgpu", 0, 2, 1, 0, 0, 6, 5, {BESSEL_VALUE_STEPS}, 35};
static const pipeline all_pipeline = {
    "besselKgpu", 0, 2, 1, 0, 0, 6, 6, {BESSEL_VALUE_STEPS, KERNEL_bessel_centred}, 40};
static const pipeline slope_pipeline = {
    "besselKgpu", 0, 2, 1, 0, 0, 6, 3, {KERNEL_bessel_locate, KERNEL_bessel_centred, KERNEL_bessel_slope}, 150};

static int any_large(column nu, int64_t n) {
  const int64_t own = nu.length < n ? nu.length : n;
  int any = 0;
#pragma omp simd reduction(| : any)
  for (int64_t i = 0; i < own; i++) any |= !(fabs(nu.data[i]) <= BESSEL_ORDER);
  return any;
}

status bessel_run(const pipeline *pipe, int64_t n, column x, column nu, const double *par, double *out) {
  task t = {0};
  t.pipe = pipe;
  t.n = n;
  t.run = n > 0 ? n : 1;
  t.in[0] = x;
  t.in[1] = nu;
  t.out[0] = out;
  t.par = par;
  t.n_par = 3;
  return backend_run(&t);
}

static status run(int what, int64_t n, column x, column nu, int scaled, int give_log, double *out) {
  const double par[] = {what, scaled, give_log};
  const pipeline *values = any_large(nu, n) ? &all_pipeline : &value_pipeline;
  return bessel_run(what == BESSEL_DNU ? &slope_pipeline : values, n, x, nu, par, out);
}

status bessel_k(int what, int64_t n, column x, column nu, int scaled, int give_log, double *out) {
  if (what != BESSEL_DNU || give_log) return run(what, n, x, nu, scaled && !give_log, give_log, out);
  /* the kernels give the derivative of the logarithm alone */
  double *k = malloc((size_t)(n > 0 ? n : 1) * sizeof *k);
  if (!k) return fail(STATUS_MEMORY, "no memory for %lld Bessel functions", (long long)n);
  status st = run(BESSEL_VALUE, n, x, nu, scaled, 0, k);
  if (st == STATUS_OK) st = run(BESSEL_DNU, n, x, nu, scaled, 1, out);
  for (int64_t i = 0; i < n && st == STATUS_OK; i++)
    if (out[i] != 0) out[i] *= k[i] == 0 ? 0 : k[i];
  free(k);
  return st;
}
