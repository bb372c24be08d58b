/* stable_random.c: host side of the random numbers of the stable distributions. */
#include <stdlib.h>

#include "stable/stable.h"
#include "kernels/stable/stable_columns.h"
#include "programs/programs.h"

static const pipeline draw_pipeline = {
    .name = "rstable", .n_set_in = STABLE_SET_COLUMNS, .n_in = DRAW_COLUMNS, .n_out = 1,
    .n_set_work = DRAW_DISTRIBUTION_COLUMNS, .step = {KERNEL_stable_draw_param, KERNEL_stable_draw},
    .ns_per_point = 25};

status stable_random(int64_t first, int64_t n, stable_parameters p, const uint32_t key[2], double *out) {
  const double par[] = {key[0], key[1]};
  double *modes;
  task t = {0};
  t.pipe = &draw_pipeline;
  t.n = n;
  t.origin = first;
  t.run = 1;
  status st = stable_modes(n, p, &modes, &t.set_in[SET_MODE]);
  if (st == STATUS_OK) {
    t.set_in[SET_ALPHA] = p.alpha;
    t.set_in[SET_BETA] = p.beta;
    t.set_in[SET_PM] = p.pm;
    t.in[DRAW_GAMMA] = p.gamma;
    t.in[DRAW_DELTA] = p.delta;
    t.out[0] = out;
    t.par = par;
    t.n_par = 2;
    st = backend_run(&t);
  }
  free(modes);
  return st;
}
