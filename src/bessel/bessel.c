/* bessel.c: host side of the Bessel function K: the pipeline of bessel.cl. */
#include "bessel/bessel.h"

#include <math.h>
#include <stdlib.h>

#include "programs/programs.h"

/* Kernels of lists that must be empty are left out: PoCL takes some ns per point for one. */
#define BESSEL_PIPELINE(cost, ...)                                                                           \
  {.name = "besselKgpu", .n_in = BESSEL_COLUMNS, .n_out = 1, .n_list = K_LISTS,                              \
   .step = {KERNEL_bessel_locate, __VA_ARGS__}, .ns_per_point = cost}
#define BESSEL_SMALL                                                                                         \
  KERNEL_bessel_series, KERNEL_bessel_low, KERNEL_bessel_mid, KERNEL_bessel_high, KERNEL_bessel_far
static const pipeline value_pipeline = BESSEL_PIPELINE(35, BESSEL_SMALL);
static const pipeline all_pipeline = BESSEL_PIPELINE(40, BESSEL_SMALL, KERNEL_bessel_centred);
static const pipeline slope_pipeline = BESSEL_PIPELINE(150, KERNEL_bessel_centred, KERNEL_bessel_slope);

static int any_large(column nu, int64_t n) {
  const int64_t own = nu.length < n ? nu.length : n;
  int any = 0;
#pragma omp simd reduction(| : any)
  for (int64_t i = 0; i < own; i++) any |= !(fabs(nu.data[i]) <= BESSEL_ORDER);
  return any;
}

static status run(int what, int64_t n, column x, column nu, int scaled, int give_log, double *out) {
  const double par[] = {what, scaled, give_log};
  const pipeline *values = any_large(nu, n) ? &all_pipeline : &value_pipeline;
  const column in[] = {[BESSEL_X] = x, [BESSEL_NU] = nu};
  return backend_columns(what == BESSEL_DNU ? &slope_pipeline : values, n, in, par, 3, out);
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
