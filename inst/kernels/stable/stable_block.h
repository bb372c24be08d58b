/* stable_block.h: what the kernels of densities and tails do with whole blocks, before and beside their sums. It is
 * not inlined: the kernels held it fifty times over, and took minutes to compile. */
#ifndef STATCL_STABLE_BLOCK_H
#define STATCL_STABLE_BLOCK_H

#include "kernels/stable/stable.h"

DEV_FN i32 any_lane(const real *open) {
  i32 any = 0;
  for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
  return any;
}

/* The distributions and points of a block; c0 is log g0, which stable_minimum() leaves. */
typedef struct {
  real alpha[LANES], am1[LANES], e1[LANES], beta[LANES], t[LANES], log_a[LANES], l[LANES], r[LANES], delta[LANES];
  real x[LANES], y[LANES], log_y[LANES], c0[LANES];
} stable_block;

DEV_FN stable_distribution block_distribution(const stable_block *k, i32 l) {
  stable_distribution p;
  p.alpha = k->alpha[l];
  p.am1 = k->am1[l];
  p.e1 = k->e1[l];
  p.beta = k->beta[l];
  p.t = k->t[l];
  p.a = exp_(k->log_a[l]);
  p.log_a = k->log_a[l];
  p.l = k->l[l];
  p.r = k->r[l];
  p.delta = k->delta[l];
  return p;
}
DEV_FN stable_point block_point(const stable_block *k, i32 l) {
  stable_point z;
  z.x = k->x[l];
  z.y = k->y[l];
  z.log_y = k->log_y[l];
  return z;
}

/* The distribution of set[l], in the orientation side[l]. Numbers are gathered outside of lane loops: where the
 * processor does not do it well, vectors are the slower way. */
DEV_BLOCK_FN void stable_orient(stable_block *k, const i32 *set, const real *side, DEV_GLOBAL const real *set_in,
                                DEV_GLOBAL const real *set_work, i32 set_cap) {
  real delta_mirror[LANES];
  for (i32 l = 0; l < LANES; l++) {
    const i32 s = set[l];
    k->alpha[l] = SET_IN(SET_ALPHA, s);
    k->beta[l] = SET_IN(SET_BETA, s);
    k->t[l] = SET_WORK(DISTRIBUTION_T, s);
    k->log_a[l] = SET_WORK(DISTRIBUTION_LOG_A, s);
    k->l[l] = SET_WORK(DISTRIBUTION_L, s);
    k->r[l] = SET_WORK(DISTRIBUTION_R, s);
    k->delta[l] = SET_WORK(DISTRIBUTION_DELTA, s);
    delta_mirror[l] = SET_WORK(DISTRIBUTION_DELTA_MIRROR, s);
  }
  LANE_LOOP(l) {
    const flag mirror = side[l] < 0;
    const real of_l = k->l[l], of_r = k->r[l], am1 = k->alpha[l] - 1;
    k->am1[l] = am1;
    k->e1[l] = 1 / am1;
    k->beta[l] *= side[l];
    k->t[l] *= side[l];
    k->l[l] = mirror ? of_r : of_l;
    k->r[l] = mirror ? of_l : of_r;
    k->delta[l] = mirror ? delta_mirror[l] : k->delta[l];
  }
}

/* What stable_locate left of a block's points, in the kernels that take it from there. */
DEV_BLOCK_FN void stable_load(stable_block *k, const i32 *idx, const i32 *set, DEV_GLOBAL const real *set_in,
                              DEV_GLOBAL const real *set_work, i32 set_cap, DEV_GLOBAL const real *work, i32 cap) {
  real side[LANES];
  for (i32 l = 0; l < LANES; l++) {
    const i32 i = idx[l];
    side[l] = WORK(POINT_SIDE, i);
    k->x[l] = WORK(POINT_X, i);
    k->y[l] = WORK(POINT_Y, i);
    k->log_y[l] = WORK(POINT_LOG_Y, i);
  }
  stable_orient(k, set, side, set_in, set_work, set_cap);
}
#define LOAD_BLOCK(k)                                                                                        \
  stable_block k;                                                                                            \
  stable_load(&k, idx, set, set_in, set_work, set_cap, work, cap)

/* log g0, and the log of g's minimum. */
DEV_BLOCK_FN void stable_minimum(stable_block *k, real *log_gmin) {
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(k, l);
    const stable_point z = block_point(k, l);
    k->c0[l] = stable_log_g0(p, z);
    log_gmin[l] = stable_log_gmin(p, z);
  }
}

/* stable_log_g() at u, and the angles there. */
typedef struct {
  real value[LANES], slope[LANES], a[LANES], b[LANES];
} stable_log_g_block;
DEV_BLOCK_FN void stable_find_log_g(const stable_block *k, const real *u, stable_log_g_block *at) {
  LANE_LOOP(l) {
    const stable_angle_pair ab = stable_angles(k->l[l], u[l]);
    const stable_log_g_pair g = stable_log_g(block_distribution(k, l), block_point(k, l), k->c0[l], ab);
    at->value[l] = g.value;
    at->slope[l] = g.slope;
    at->a[l] = ab.a;
    at->b[l] = ab.b;
  }
}

DEV_BLOCK_FN void stable_lgam(const real *x, real *value) { LANE_LOOP(l) value[l] = lgam_(x[l]); }

#endif
