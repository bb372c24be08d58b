/* beta.c: host side of the beta, F and t distributions: the pipelines of beta.cl and beta_cdf.cl. */
#include "beta/beta.h"

#include "kernels/beta/beta_par.h"
#include "programs/programs.h"

static const pipeline density_pipeline = MAP_PIPELINE("dbetagpu", BETA_COLUMNS, beta_pdf, 40);
static const pipeline tail_pipeline = {.name = "pbetagpu", .n_in = BETA_COLUMNS, .n_out = 1, .n_list = BETA_LISTS,
                                       .step = {KERNEL_beta_cdf, KERNEL_beta_cdf_rule, KERNEL_beta_cdf_series,
                                                KERNEL_beta_cdf_fraction, KERNEL_beta_cdf_small},
                                       .ns_per_point = 120};
static const pipeline quantile_pipeline = {
    .name = "qbetagpu", .n_in = BETA_COLUMNS, .n_out = 1, .n_work = BETA_WORK_COLUMNS,
    .n_list = BETA_QUANTILE_LISTS,
    .step = {KERNEL_beta_quantile, KERNEL_beta_by_many, KERNEL_beta_start, KERNEL_beta_at_rule, KERNEL_beta_at_series,
             KERNEL_beta_at_fraction, KERNEL_beta_at_long, KERNEL_beta_at_small},
    .ns_per_point = 150};
static const pipeline draw_pipeline = MAP_PIPELINE("rbetagpu", BETA_COLUMNS, beta_draw, 60);

status beta_density(int64_t n, const column *in, int kind, int logs, double *out) {
  const double par[] = {[BETA_PDF_LOG] = logs, [BETA_PDF_KIND] = kind};
  return backend_columns(&density_pipeline, n, in, par, 2, out);
}

status beta_tail(int64_t n, const column *in, int kind, int upper, int logs, double *out) {
  const double par[] = {[BETA_LOWER] = !upper, [BETA_LOG] = logs, [BETA_KIND] = kind};
  return backend_columns(&tail_pipeline, n, in, par, 3, out);
}

status beta_quantile(int64_t n, const column *in, int kind, int upper, int logs, double *out) {
  const double par[] = {[BETA_LOWER] = !upper, [BETA_LOG] = logs, [BETA_KIND] = kind};
  return backend_columns(&quantile_pipeline, n, in, par, 3, out);
}

status beta_random(int64_t first, int64_t n, const column *in, int kind, const uint32_t key[2], double *out) {
  static const double nothing = 0;
  const double par[BETA_PAR] = {[BETA_KIND] = kind, [BETA_KEY] = key[0] & 0xffff,
                                key[0] >> 16, key[1] & 0xffff, key[1] >> 16};
  const task t = {.pipe = &draw_pipeline, .n = n, .run = n > 0 ? n : 1, .in = {{&nothing, 1}, in[0], in[1]},
                  .out = {out}, .par = par, .n_par = BETA_PAR, .origin = first};
  return backend_run(&t);
}
