/* stable_observed.c: see stable_observed.h. */
#include "stable/stable_observed.h"

#include <stdlib.h>
#include <string.h>

#include "programs/programs.h"

/* Fewer observations are better off beside those of other samples in one task. That depends on nothing else, lest a
 * sample's results depend on what it is fitted with. */
enum { LEAST = 1 << 14, SEGMENT = 1 << 15, MOST_COLUMNS = 32 };

static int column_numbers(int columns) { return COLUMN_SUMS * columns + PAIR_SUMS * columns * (columns + 1) / 2; }

int stable_observed_numbers(const stable_observed *o, int slopes) {
  return slopes ? SLOPE_FIRST + SLOPE_SUMS + column_numbers(o->columns) : 1;
}

/* Segments are alike, with an item's last place or more to spare. */
status stable_observe_anywhere(int64_t n, const double *x, const double *weight, int columns, const double *q,
                               stable_observed **made) {
  const int64_t segments = (n - 1) / SEGMENT + 1, items = segments * SUMS_ITEMS;
  const int64_t places = ((n - 1) / items + 1) * items;
  const int64_t numbers = places * (2 + columns);
  *made = NULL;
  if (n < 1 || numbers > INT32_MAX || columns > MOST_COLUMNS) return STATUS_OK;
  stable_observed *o = malloc(sizeof *o);
  double *memory = malloc(sizeof *memory * (size_t)numbers);
  if (!o || !memory) {
    free(o);
    free(memory);
    return fail(STATUS_MEMORY, "stableFit: no memory for %lld observations", (long long)n);
  }
  *o = (stable_observed){.n = n, .places = (int32_t)places, .segment = (int32_t)(places / segments),
                         .segments = (int32_t)segments, .columns = columns, .memory = memory,
                         .block = backend_block((int32_t)numbers, memory, 0, NULL)};
  for (int k = 0; k < 2 + columns; k++) {
    double *to = memory + k * places;
    const double *from = k == 0 ? x : k == 1 ? weight : q + (k - 2) * n;
    for (int64_t i = 0; i < n; i++) to[i] = from ? from[i] : 1;
    for (int64_t i = n; i < places; i++) to[i] = k == 0 ? x[n - 1] : 0;
  }
  *made = o;
  return STATUS_OK;
}

status stable_observe(int64_t n, const double *x, const double *weight, int columns, const double *q,
                      stable_observed **made) {
  *made = NULL;
  if (n < LEAST || backend_device() < 0) return STATUS_OK;
  return stable_observe_anywhere(n, x, weight, columns, q, made);
}

void stable_observed_close(stable_observed *o) {
  if (!o) return;
  backend_drop_block(&o->block);
  free(o->memory);
  free(o);
}

/* The steps of densities or slopes between those of stable_sums.cl. The last of densities only takes account of the
 * scale. */
static pipeline pipeline_of(const stable_observed *o, int slopes) {
  const kernel_description *const before[] = {KERNEL_stable_observed, NULL};
  const kernel_description *const density[] = {KERNEL_stable_likelihood_items, KERNEL_stable_segments, NULL};
  const kernel_description *const slope[] = {KERNEL_stable_slope_items, KERNEL_stable_segments, NULL};
  const kernel_description *const column[] = {KERNEL_stable_slope_items, KERNEL_stable_column_items,
                                              KERNEL_stable_segments, NULL};
  const pipeline *of = slopes ? &stable_slope_pipeline : &stable_density_pipeline;
  const kernel_description *const *const part[] = {before, of->step, !slopes ? density : o->columns ? column : slope};
  const int per_column = o->segment / SUMS_ITEMS;
  const int work = (UNKNOWN_WORK + SLOPE_SUMS + column_numbers(o->columns) - 1) / per_column + 1;
  pipeline p = *of;
  int s = 0;
  p.name = "stableFit";
  p.fills = 1;
  p.n_set_in = OBSERVED_SET_COLUMNS + o->columns;
  p.n_in = OBSERVED_COLUMNS;
  p.n_out = slopes ? SLOPES : OBSERVED_COLUMNS;
  if (slopes && p.n_work < work) p.n_work = work;
  memset(p.step, 0, sizeof p.step);
  for (int k = 0; k < 3; k++)
    for (int j = 0; part[k][j] && (k != 1 || slopes || part[k][j + 1]); j++) p.step[s++] = part[k][j];
  return p;
}

status stable_observed_sums(const stable_observed *o, int m, const stable_member *member, int slopes, int careful,
                            double *numbers) {
  static const double zero = 0, one = 1;
  const int set_columns = OBSERVED_SET_COLUMNS + o->columns, of_segment = stable_observed_numbers(o, slopes);
  const pipeline p = pipeline_of(o, slopes);
  const double par[SUMS_PAR] = {[SUMS_PLACES] = o->places, [SUMS_SEGMENT] = o->segment, [SUMS_NUMBERS] = of_segment,
                                [SUMS_CAREFUL] = careful, [SUMS_COLUMNS] = o->columns};
  const int64_t n = (int64_t)m * o->places;
  double *set = malloc(sizeof *set * (size_t)(set_columns * m));
  if (!set) return fail(STATUS_MEMORY, "stableFit: no memory for %d distributions", m);
  task t = {.pipe = &p, .n = n, .run = o->places, .in = {[IN_X] = {NULL, n}, [IN_GAMMA] = {&one, 1},
            [IN_DELTA] = {&zero, 1}, [IN_WEIGHT] = {NULL, n}}, .out = {numbers}, .grain = o->segment,
            .numbers = of_segment, .par = par, .n_par = SUMS_PAR, .kept = &o->block};
  for (int i = 0; i < m; i++) {
    const stable_member *of = member + i;
    const double value[OBSERVED_SET_COLUMNS] = {
        [SET_ALPHA] = of->alpha, [SET_BETA] = of->beta, [SET_PM] = of->frame, [SET_MODE] = 0,
        [SET_GAMMA] = of->gamma, [SET_DELTA] = of->delta};
    for (int k = 0; k < set_columns; k++)
      set[k * m + i] = k < OBSERVED_SET_COLUMNS ? value[k] : of->b[k - OBSERVED_SET_COLUMNS];
  }
  for (int k = 0; k < set_columns; k++) t.set_in[k] = (column){set + k * m, m};
  const status st = of_segment > o->segment ? fail(STATUS_INPUT, "stableFit: %d sums", of_segment) : backend_run(&t);
  free(set);
  return st;
}
