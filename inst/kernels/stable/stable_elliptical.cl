/* stable_elliptical.cl: the radial density of elliptical stable distributions, log h(r) and its derivatives, and
 * tails of the radius (formulas in stable_elliptical.h).
 *
 *   elliptical_values   per point: alpha, d, r; par[0]: 1 where derivatives are wanted
 *   elliptical_radius   per point: the logs of P(R <= r) and P(R > r)
 *   elliptical_normal   per value: a normal variate of the stream whose key is par[0], par[1]
 *   elliptical_table    per point r of the distribution whose table par is (stable_elliptical_par.h) */
#include "kernels/common/philox.h"
#include "kernels/stable/stable_elliptical.h"
#include "kernels/stable/stable_elliptical_par.h"

KERNEL(elliptical_values) {
  OVER_WHOLE_BLOCKS;
  real alpha[LANES], d[LANES], r[LANES], value[LANES], by_r[LANES], by_alpha[LANES];
  LANES_IN(ELLIPTICAL_ALPHA, alpha)
  LANES_IN(ELLIPTICAL_D, d)
  LANES_IN(ELLIPTICAL_R, r)
  for (i32 l = 1; l < LANES; l++)
    if (!live(l)) { /* what is there may be no number, for which lines are long */
      alpha[l] = alpha[0];
      d[l] = d[0];
      r[l] = r[0];
    }
  elliptical_density(alpha, d, r, par[0] != 0, value, by_r, by_alpha);
  LANES_OUT(ELLIPTICAL_LOG_H, value)
  LANES_OUT(ELLIPTICAL_BY_R, by_r)
  LANES_OUT(ELLIPTICAL_BY_ALPHA, by_alpha)
}

KERNEL(elliptical_radius) {
  OVER_WHOLE_BLOCKS;
  real alpha[LANES], d[LANES], r[LANES], lower[LANES], upper[LANES];
  LANES_IN(ELLIPTICAL_ALPHA, alpha)
  LANES_IN(ELLIPTICAL_D, d)
  LANES_IN(ELLIPTICAL_R, r)
  for (i32 l = 1; l < LANES; l++)
    if (!live(l)) {
      alpha[l] = alpha[0];
      d[l] = d[0];
      r[l] = r[0];
    }
  elliptical_tails(alpha, d, r, lower, upper);
  LANES_OUT(0, lower)
  LANES_OUT(1, upper)
}

/* By Box and Muller (1958, Annals of Mathematical Statistics 29, 610-611), of whose two variates one is taken, so
 * that a value belongs to its counter alone. */
KERNEL(elliptical_normal) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[0], k1 = (u32)par[1];
  u32 low[LANES], high[LANES];
  real value[LANES];
  for (i32 l = 0; l < LANES; l++) {
    const u64 i = (u64)(offset + at + l);
    low[l] = (u32)i;
    high[l] = (u32)(i >> 32);
  }
  LANE_LOOP(l) {
    philox_block c = {low[l], high[l], TAG_ELLIPTICAL, 0u};
    c = philox(c, k0, k1);
    value[l] = sqrt(-2 * log_core_(open_uniform(c.w0, c.w1))) * cospi_(2 * open_uniform(c.w2, c.w3));
  }
  LANES_OUT(0, value)
}

/* The sum of Chebyshev terms at tau. */
DEV_FN real terms_sum(DEV_GLOBAL const real *c, real tau) {
  const real two = 2 * tau;
  real u = 0, v = 0;
  UNROLLED for (i32 k = ELLIPTICAL_TERMS - 1; k > 0; k--) {
    const real w = FMA(two, u, c[k] - v);
    v = u;
    u = w;
  }
  return FMA(tau, u, c[0] - v);
}

KERNEL(elliptical_table) {
  OVER_WHOLE_BLOCKS;
  const real alpha = par[ELLIPTICAL_TABLE_ALPHA], d = par[ELLIPTICAL_TABLE_D];
  const real log_r0 = par[ELLIPTICAL_LOG_R0], log_r1 = par[ELLIPTICAL_LOG_R1];
  real r[LANES], log_r[LANES], by[LANES], add[LANES], tau[LANES], value[LANES], fall[LANES], turn[LANES];
  i32 panel[LANES];
  LANES_IN(0, r)
  LANE_LOOP(l) log_r[l] = log_(r[l]);
  LANE_LOOP(l) {
    /* s, and what dlog h/dlog r was divided by */
    const flag head = log_r[l] < log_r0, tail = log_r[l] >= log_r1;
    const real gap = head ? 2 * (log_r[l] - log_r0) : alpha * (log_r1 - log_r[l]), e = exp_(min_(gap, K(0.0)));
    tau[l] = (head | tail) ? e : log_r[l];
    by[l] = head ? e : K(1.0);
    add[l] = tail ? log_r[l] - log_r1 : K(0.0);
    fall[l] = turn[l] = 0;
  }
  LANE_LOOP(l) {
    const i32 head = ELLIPTICAL_SEGMENTS + (log_r[l] < log_r0 ? 0 : (log_r[l] >= log_r1 ? 6 : 3));
    const real cell = (tau[l] - par[head]) * par[head + 1];
    const flag inside = (cell >= 0) & (r[l] >= 0) & (r[l] <= REAL_MAX_);
    const i32 at = (i32)par[head + 2] + (i32)(inside ? cell : K(0.0));
    const i32 found = inside ? (i32)par[at] : ELLIPTICAL_NOWHERE;
    tau[l] = (tau[l] - par[found + ELLIPTICAL_CENTRE]) * par[found + ELLIPTICAL_RATE];
    panel[l] = found;
  }
  LANE_LOOP(l) value[l] = terms_sum(par + panel[l] + ELLIPTICAL_VALUE, tau[l]);
  if (par[ELLIPTICAL_SLOPES] != 0) {
    LANE_LOOP(l) fall[l] = by[l] * terms_sum(par + panel[l] + ELLIPTICAL_FALL, tau[l]);
    LANE_LOOP(l) turn[l] = terms_sum(par + panel[l] + ELLIPTICAL_TURN, tau[l]);
  }
  LANE_LOOP(l) {
    const flag known = panel[l] > ELLIPTICAL_NOWHERE;
    value[l] = known ? value[l] - (d + alpha) * add[l] : NAN_;
    turn[l] = known ? turn[l] + add[l] * (d + fall[l]) / alpha : NAN_;
    fall[l] = known ? (r[l] > 0 ? fall[l] / r[l] : K(0.0)) : NAN_;
  }
  LANES_OUT(ELLIPTICAL_LOG_H, value)
  LANES_OUT(ELLIPTICAL_BY_R, fall)
  LANES_OUT(ELLIPTICAL_BY_ALPHA, turn)
}
