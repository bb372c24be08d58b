/* stable_random.cl: random numbers of the stable distributions (formulas in stable_random.h).
 *
 *   stable_draw_param   per parameter set: what its draws share
 *   stable_draw         per value: four random words, angle and exponential variate, the variate, scale and location
 * par[0], par[1]: the key. */
#include "kernels/stable/stable_random.h"

/* Results go through private arrays: a scatter inside a lane loop vectorises with AVX-512 only. */
KERNEL(stable_draw_param) {
  OVER_SETS;
  real am1[LANES], power[LANES], tan_h[LANES], sec_h[LANES], h[LANES], angle[LANES], a[LANES], unit[LANES];
  real turn[LANES];
  LANE_LOOP(l) {
    const i32 s = idx[l];
    const real alpha = SET_IN(SET_ALPHA, s), beta = SET_IN(SET_BETA, s), pm = SET_IN(SET_PM, s);
    const draw_distribution p = draw_prepare(alpha, beta);
    const real scale = exp_(-log_(alpha) / alpha), one_two = pm == 2 ? scale : K(1);
    const flag valid = (alpha > 0) & (alpha <= 2) & (fabs(beta) <= 1) & ((pm == 0) | (pm == 1) | (pm == 2));
    const real first = pm == 1 ? K(0.6366197723675814) * beta : K(0);
    am1[l] = p.am1;
    power[l] = p.power;
    tan_h[l] = p.tan_h;
    sec_h[l] = p.sec_h;
    h[l] = p.h;
    angle[l] = p.angle;
    a[l] = p.a;
    unit[l] = valid ? one_two : NAN_;
    turn[l] = alpha == 1 ? first : K(0);
  }
  for (i32 l = 0; l < LANES; l++) {
    const i32 s = idx[l];
    SET_WORK(DISTRIBUTION_AM1, s) = am1[l];
    SET_WORK(DISTRIBUTION_POWER, s) = power[l];
    SET_WORK(DISTRIBUTION_TAN_H, s) = tan_h[l];
    SET_WORK(DISTRIBUTION_SEC_H, s) = sec_h[l];
    SET_WORK(DISTRIBUTION_H, s) = h[l];
    SET_WORK(DISTRIBUTION_ANGLE, s) = angle[l];
    SET_WORK(DISTRIBUTION_A, s) = a[l];
    SET_WORK(DISTRIBUTION_UNIT, s) = unit[l];
    SET_WORK(DISTRIBUTION_TURN, s) = turn[l];
  }
}

/* A column of the sets, lane by lane; one set for all lanes is the common case. */
#define SET_LANES(name, column, k)                                                                           \
  real name[LANES];                                                                                          \
  if (n_sets == 1) {                                                                                         \
    const real only_ = column(k, 0);                                                                         \
    for (i32 l = 0; l < LANES; l++) name[l] = only_;                                                         \
  } else {                                                                                                   \
    for (i32 l = 0; l < LANES; l++) name[l] = column(k, set[l]);                                             \
  }
#define LANE_DISTRIBUTION(l) {alpha[l], beta[l], am1[l], power[l], tan_h[l], sec_h[l], h[l], angle[l], a[l]}

/* Two uniform numbers and a sign for each counter, see stable_random.h. */
DEV_FN void draw_uniforms(const u32 *low, const u32 *high, u32 k0, u32 k1, real *u, real *v, real *sg) {
  u32 w0[LANES], w1[LANES], w2[LANES], w3[LANES];
  LANE_LOOP(l) {
    philox_block c = {low[l], high[l], TAG_STABLE, 0u};
    c = philox(c, k0, k1);
    w0[l] = c.w0;
    w1[l] = c.w1;
    w2[l] = c.w2;
    w3[l] = c.w3;
  }
  LANE_LOOP(l) {
    u[l] = open_uniform(w0[l], w1[l]);
    v[l] = open_uniform(w2[l], w3[l]);
    sg[l] = flip_sign_(K(1), (i64)w1[l]);
  }
}

KERNEL(stable_draw) {
  OVER_POINTS;
  SET_OF_LANES(set);
  const u32 k0 = (u32)par[0], k1 = (u32)par[1];
  u32 low[LANES], high[LANES];
  real sg[LANES], u[LANES], v[LANES], z[LANES], far[LANES], gamma[LANES], delta[LANES];
  i32 n_far = 0, n_turn = 0;
  SET_LANES(alpha, SET_IN, SET_ALPHA)
  SET_LANES(beta, SET_IN, SET_BETA)
  SET_LANES(pm, SET_IN, SET_PM)
  SET_LANES(mode, SET_IN, SET_MODE)
  SET_LANES(am1, SET_WORK, DISTRIBUTION_AM1)
  SET_LANES(power, SET_WORK, DISTRIBUTION_POWER)
  SET_LANES(tan_h, SET_WORK, DISTRIBUTION_TAN_H)
  SET_LANES(sec_h, SET_WORK, DISTRIBUTION_SEC_H)
  SET_LANES(h, SET_WORK, DISTRIBUTION_H)
  SET_LANES(angle, SET_WORK, DISTRIBUTION_ANGLE)
  SET_LANES(a, SET_WORK, DISTRIBUTION_A)
  SET_LANES(unit, SET_WORK, DISTRIBUTION_UNIT)
  SET_LANES(turn, SET_WORK, DISTRIBUTION_TURN)
  for (i32 l = 0; l < LANES; l++) {
    const u64 i = (u64)(offset + idx[l]);
    low[l] = (u32)i;
    high[l] = (u32)(i >> 32);
    gamma[l] = IN(DRAW_GAMMA, idx[l]);
    delta[l] = IN(DRAW_DELTA, idx[l]);
    z[l] = 0;
    /* The S1 form also serves pm = 1 near alpha = 1; at 1 itself there is only one form. */
    far[l] = fabs(am1[l]) > NEAR_ONE || (pm[l] == 1 && fabs(am1[l]) > K(1e-29));
    n_far += far[l] != 0;
    n_turn += turn[l] != 0;
  }
  draw_uniforms(low, high, k0, k1, u, v, sg);
  /* A block mostly needs one of the two forms; a lane's value is the same either way. */
  if (n_far > 0)
    LANE_LOOP(l) {
      const draw_distribution p = LANE_DISTRIBUTION(l);
      const real z1 = draw_far(p, draw_open(p, sg[l], u[l], v[l]));
      z[l] = pm[l] == 1 ? z1 : z1 - draw_t(p);
    }
  if (n_far < LANES)
    LANE_LOOP(l) {
      const draw_distribution p = LANE_DISTRIBUTION(l);
      const real x = draw_near(p, draw_open(p, sg[l], u[l], v[l]));
      z[l] = far[l] != 0 ? z[l] : x;
    }
  /* S1 at alpha = 1: the location moves with the scale. */
  if (n_turn > 0)
    LANE_LOOP(l) z[l] += turn[l] * log_(gamma[l] > 0 ? gamma[l] : K(1));
  LANE_LOOP(l) {
    const flag valid = (gamma[l] >= 0) & (gamma[l] < INF_) & (delta[l] == delta[l]) & (unit[l] == unit[l]);
    const flag fixed = (gamma[l] == 0) | (fabs(delta[l]) >= INF_);
    const real x = FMA(gamma[l], (z[l] - mode[l]) * unit[l], delta[l]);
    const real y = fixed ? delta[l] : x;
    u[l] = valid ? y : NAN_;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = u[l];
}
