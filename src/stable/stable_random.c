/* stable_random.c: host side of the random numbers of the stable laws. */
#include <stdlib.h>

#include "stable/stable.h"

static const pipeline draw_pipeline = {
    "rstable", 4, 2, 1, 9, 0, 0, 2, {KERNEL_stable_draw_param, KERNEL_stable_draw}, 25};

status stable_random(int64_t n, stable_parameters p, const uint32_t key[2], double *out) {
  const double par[] = {key[0], key[1]};
  double *modes;
  task t = {0};
  t.pipe = &draw_pipeline;
  t.n = n;
  t.run = 1;
  status st = stable_modes(n, p, &modes, &t.set_in[3]);
  if (st == STATUS_OK) {
    t.set_in[0] = p.alpha;
    t.set_in[1] = p.beta;
    t.set_in[2] = p.pm;
    t.in[0] = p.gamma;
    t.in[1] = p.delta;
    t.out[0] = out;
    t.par = par;
    t.n_par = 2;
    st = backend_run(&t);
  }
  free(modes);
  return st;
}
