/* gamma.c: host side of the gamma distribution: the pipelines of gamma.cl and gamma_cdf.cl. */
#include "gamma/gamma.h"

#include "kernels/gamma/gamma_par.h"
#include "programs/programs.h"

static const pipeline density_pipeline = MAP_PIPELINE("dgammagpu", GAMMA_COLUMNS, gamma_pdf, 20);
static const pipeline tail_pipeline = {.name = "pgammagpu", .n_in = GAMMA_COLUMNS, .n_out = 1, .n_list = GAMMA_LISTS,
                                       .step = {KERNEL_gamma_cdf, KERNEL_gamma_cdf_uniform, KERNEL_gamma_cdf_series,
                                                KERNEL_gamma_cdf_fraction, KERNEL_gamma_cdf_small},
                                       .ns_per_point = 40};
#define QUANTILE_PIPELINE(name_, first)                                                                      \
  {.name = name_, .n_in = GAMMA_COLUMNS, .n_out = 1, .n_work = GAMMA_WORK_COLUMNS, .n_list = GAMMA_LISTS,     \
   .step = {first, KERNEL_gamma_at_uniform, KERNEL_gamma_at_series, KERNEL_gamma_at_fraction,                \
            KERNEL_gamma_at_small},                                                                          \
   .ns_per_point = 100}
static const pipeline quantile_pipeline = QUANTILE_PIPELINE("qgammagpu", KERNEL_gamma_quantile);
static const pipeline draw_pipeline = QUANTILE_PIPELINE("rgammagpu", KERNEL_gamma_draw);

status gamma_density(int64_t n, const column *in, double shape_by, int logs, double *out) {
  const double par[] = {[GAMMA_PDF_LOG] = logs, shape_by};
  return backend_columns(&density_pipeline, n, in, par, 2, out);
}

status gamma_tail(int64_t n, const column *in, double shape_by, int upper, int logs, double *out) {
  const double par[] = {[GAMMA_LOWER] = !upper, [GAMMA_LOG] = logs, [GAMMA_SHAPE_BY] = shape_by};
  return backend_columns(&tail_pipeline, n, in, par, 3, out);
}

status gamma_quantile(int64_t n, const column *in, double shape_by, int upper, int logs, double *out) {
  const double par[] = {[GAMMA_LOWER] = !upper, [GAMMA_LOG] = logs, [GAMMA_SHAPE_BY] = shape_by};
  return backend_columns(&quantile_pipeline, n, in, par, 3, out);
}

status gamma_random(int64_t first, int64_t n, const column *in, double shape_by, const uint32_t key[2], double *out) {
  static const double nothing = 0;
  const double par[GAMMA_PAR] = {[GAMMA_LOWER] = 1, [GAMMA_SHAPE_BY] = shape_by, [GAMMA_KEY] = key[0] & 0xffff,
                                 key[0] >> 16, key[1] & 0xffff, key[1] >> 16};
  const task t = {.pipe = &draw_pipeline, .n = n, .run = n > 0 ? n : 1, .in = {{&nothing, 1}, in[0], in[1]},
                  .out = {out}, .par = par, .n_par = GAMMA_PAR, .origin = first};
  return backend_run(&t);
}
