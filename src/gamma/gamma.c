/* gamma.c: host side of the gamma and the non-central chi-squared distribution: the pipelines of gamma.cl and
 * gamma_cdf.cl, and of noncentral.cl and noncentral_cdf.cl. */
#include "gamma/gamma.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/gamma/gamma_par.h"
#include "kernels/gamma/noncentral_par.h"
#include "poisson/poisson.h"
#include "programs/programs.h"

static const pipeline density_pipeline = MAP_PIPELINE("dgammagpu", GAMMA_COLUMNS, gamma_pdf, 20);
static const pipeline tail_pipeline = {.name = "pgammagpu", .n_in = GAMMA_COLUMNS, .n_out = 1, .n_list = GAMMA_LISTS,
                                       .step = {KERNEL_gamma_cdf, KERNEL_gamma_cdf_uniform, KERNEL_gamma_cdf_series,
                                                KERNEL_gamma_cdf_fraction, KERNEL_gamma_cdf_small},
                                       .ns_per_point = 40};
static const pipeline quantile_pipeline = {
    .name = "qgammagpu", .n_in = GAMMA_COLUMNS, .n_out = 1, .n_work = GAMMA_WORK_COLUMNS,
    .n_list = GAMMA_QUANTILE_LISTS,
    .step = {KERNEL_gamma_quantile, KERNEL_gamma_by_many, KERNEL_gamma_by_some, KERNEL_gamma_by_few,
             KERNEL_gamma_by_power, KERNEL_gamma_start, KERNEL_gamma_at_uniform, KERNEL_gamma_at_series,
             KERNEL_gamma_at_fraction, KERNEL_gamma_at_small},
    .ns_per_point = 50};
static const pipeline draw_pipeline = MAP_PIPELINE("rgammagpu", GAMMA_COLUMNS, gamma_draw, 30);

status gamma_density(int64_t n, const column *in, double shape_by, int by_rate, int logs, double *out) {
  const double par[] = {[GAMMA_PDF_LOG] = logs, [GAMMA_PDF_SHAPE_BY] = shape_by, [GAMMA_PDF_BY_RATE] = by_rate};
  return backend_columns(&density_pipeline, n, in, par, 3, out);
}

status gamma_tail(int64_t n, const column *in, double shape_by, int by_rate, int upper, int logs, double *out) {
  const double par[] = {[GAMMA_LOWER] = !upper, [GAMMA_LOG] = logs, [GAMMA_SHAPE_BY] = shape_by,
                        [GAMMA_BY_RATE] = by_rate};
  return backend_columns(&tail_pipeline, n, in, par, 4, out);
}

status gamma_quantile(int64_t n, const column *in, double shape_by, int upper, int logs, double *out) {
  const double par[] = {[GAMMA_LOWER] = !upper, [GAMMA_LOG] = logs, [GAMMA_SHAPE_BY] = shape_by};
  return backend_columns(&quantile_pipeline, n, in, par, 3, out);
}

status gamma_random(int64_t first, int64_t n, const column *in, double shape_by, const uint32_t key[2], double *out) {
  static const double nothing = 0;
  const double par[GAMMA_PAR] = {[GAMMA_SHAPE_BY] = shape_by, [GAMMA_KEY] = key[0] & 0xffff, key[0] >> 16,
                                 key[1] & 0xffff, key[1] >> 16};
  const task t = {.pipe = &draw_pipeline, .n = n, .run = n > 0 ? n : 1, .in = {{&nothing, 1}, in[0], in[1]},
                  .out = {out}, .par = par, .n_par = GAMMA_PAR, .origin = first};
  return backend_run(&t);
}

static const pipeline noncentral_density_pipeline = MAP_PIPELINE("dchisqgpu", NONCENTRAL_COLUMNS, noncentral_pdf, 60);
static const pipeline noncentral_tail_pipeline = {
    .name = "pchisqgpu", .n_in = NONCENTRAL_COLUMNS, .n_out = 1, .n_list = NONCENTRAL_WAYS,
    .step = {KERNEL_noncentral_cdf, KERNEL_noncentral_cdf_integral, KERNEL_noncentral_cdf_lower,
             KERNEL_noncentral_cdf_upper},
    .ns_per_point = 100};
static const pipeline noncentral_quantile_pipeline = {
    .name = "qchisqgpu", .n_in = NONCENTRAL_COLUMNS, .n_out = 1, .n_work = NONCENTRAL_WORK_COLUMNS,
    .n_list = NONCENTRAL_LISTS,
    .step = {KERNEL_noncentral_quantile, KERNEL_noncentral_at_one_step, KERNEL_noncentral_at_integral,
             KERNEL_noncentral_at_lower, KERNEL_noncentral_at_upper},
    .ns_per_point = 250};

status noncentral_density(int64_t n, const column *in, int logs, double *out) {
  const double par[] = {[NONCENTRAL_PDF_LOG] = logs};
  return backend_columns(&noncentral_density_pipeline, n, in, par, 1, out);
}

status noncentral_tail(int64_t n, const column *in, int upper, int logs, double *out) {
  const double par[] = {[NONCENTRAL_LOWER] = !upper, [NONCENTRAL_LOG] = logs};
  return backend_columns(&noncentral_tail_pipeline, n, in, par, 2, out);
}

status noncentral_quantile(int64_t n, const column *in, int upper, int logs, double *out) {
  const double par[] = {[NONCENTRAL_LOWER] = !upper, [NONCENTRAL_LOG] = logs};
  return backend_columns(&noncentral_quantile_pipeline, n, in, par, 2, out);
}

/* Chi-squared with df + 2 N degrees of freedom, where N is Poisson with mean ncp/2. */
status noncentral_random(int64_t first, int64_t n, const column *in, const uint32_t key[2], double *out) {
  enum { PIECE = 1 << 20 };
  static const double two = 2;
  const int64_t most = at_most(n, PIECE);
  double *shape = malloc(2 * (size_t)most * sizeof *shape + 1);
  status st = STATUS_OK;
  if (!shape) return fail(STATUS_MEMORY, "out of memory for the random numbers of rchisqgpu()");
  double *mean = shape + most;
  for (int64_t from = 0; from < n && !st; from += PIECE) {
    const int64_t count = at_most(n - from, PIECE);
    for (int64_t i = 0; i < count; i++) {
      const double df = column_at(in[0], from + i), ncp = column_at(in[1], from + i);
      const int known = df >= 0 && df <= DBL_MAX && ncp >= 0 && ncp <= DBL_MAX;
      shape[i] = known ? df / 2 : NAN;
      mean[i] = known ? ncp / 2 : NAN;
    }
    st = poisson_random(first + from, count, (column){mean, count}, key, 0, out + from, NULL);
    for (int64_t i = 0; i < count && !st; i++) shape[i] += out[from + i];
    const column columns[] = {{shape, count}, {&two, 1}};
    if (!st) st = gamma_random(first + from, count, columns, 1, key, out + from);
  }
  free(shape);
  return st;
}
