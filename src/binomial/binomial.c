/* binomial.c: host side of the binomial and negative binomial distributions: the pipelines of binomial.cl,
 * binomial_mixture.cl and binomial_cdf.cl. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math") /* or conditions of lanes stay branches */
#endif
#include "binomial/binomial.h"

#include "poisson/poisson.h"

#include "kernels/beta/beta_par.h"
#include "kernels/binomial/binomial_par.h"
#include "programs/programs.h"

const pipeline binomial_density_pipeline = MAP_PIPELINE("dbinomgpu", BINOMIAL_COLUMNS, binomial_pmf, 40);
const pipeline negative_density_pipeline = MAP_PIPELINE("dnbinomgpu", BINOMIAL_COLUMNS, binomial_pmf, 40);
#define TAIL_PIPELINE(name_)                                                                                 \
  {.name = name_, .n_in = BINOMIAL_COLUMNS, .n_out = 1, .n_list = BETA_LISTS,                                \
   .step = {KERNEL_binomial_cdf, KERNEL_binomial_cdf_rule, KERNEL_binomial_cdf_series,                       \
            KERNEL_binomial_cdf_fraction, KERNEL_binomial_cdf_small},                                        \
   .ns_per_point = 150}
const pipeline binomial_tail_pipeline = TAIL_PIPELINE("pbinomgpu");
const pipeline negative_tail_pipeline = TAIL_PIPELINE("pnbinomgpu");
#define QUANTILE_PIPELINE(name_, first)                                                                      \
  {.name = name_, .n_in = BINOMIAL_COLUMNS, .n_out = 1, .n_work = BINOMIAL_WORK_COLUMNS,                     \
   .n_list = BINOMIAL_LISTS,                                                                                 \
   .step = {first, KERNEL_binomial_sums, KERNEL_binomial_far, KERNEL_binomial_mixture,                       \
            KERNEL_binomial_search, KERNEL_binomial_refine},                                                 \
   .ns_per_point = 20}
static const pipeline binomial_quantile_pipeline = QUANTILE_PIPELINE("qbinomgpu", KERNEL_binomial_quantile);
static const pipeline negative_quantile_pipeline = QUANTILE_PIPELINE("qnbinomgpu", KERNEL_binomial_quantile);
static const pipeline binomial_draws = QUANTILE_PIPELINE("rbinomgpu", KERNEL_binomial_draw);
static const pipeline negative_draws = QUANTILE_PIPELINE("rnbinomgpu", KERNEL_binomial_draw);

/* Few points of a piece are hard: pieces are long, for blocks of lists to be full. */
enum { LONG_PIECE = 4096 };

status binomial_quantile(int kind, int64_t n, column p, column size, column second, int lower, int logs,
                         double *out) {
  const double par[BINOMIAL_QUANTILE_PAR] = {lower, logs, kind};
  if (n == 0) return STATUS_OK;
  task t = {.pipe = kind == BINOMIAL_OF_PROB ? &binomial_quantile_pipeline : &negative_quantile_pipeline, .n = n,
            .run = n, .in = {[BINOMIAL_GIVEN] = p, [BINOMIAL_SIZE] = size, [BINOMIAL_SECOND] = second},
            .out = {out}, .par = par, .n_par = BINOMIAL_QUANTILE_PAR, .piece = LONG_PIECE};
  return backend_run(&t);
}

status binomial_random(int kind, int64_t first, int64_t n, column size, column second, const uint32_t key[2],
                       double *doubles, int *ints) {
  static const double nothing = 0;
  const double par[BINOMIAL_QUANTILE_PAR] = {
      1, 0, kind, key[0] & 0xffff, key[0] >> 16, key[1] & 0xffff, key[1] >> 16};
  task t = {.pipe = kind == BINOMIAL_OF_PROB ? &binomial_draws : &negative_draws, .n = n, .run = n > 0 ? n : 1,
            .in = {[BINOMIAL_GIVEN] = {&nothing, 1}, [BINOMIAL_SIZE] = size, [BINOMIAL_SECOND] = second},
            .out = {doubles}, .par = par, .n_par = BINOMIAL_QUANTILE_PAR};
  t.origin = first;
  t.piece = LONG_PIECE;
  t.grain = 16; /* values that share words of the generator */
  t.deliver = ints ? deliver_ints : NULL;
  t.deliver_to = ints;
  return backend_run(&t);
}
