/* gamma_draw.h: random numbers of the gamma distribution, of which others are made: G. Marsaglia and W. W. Tsang, A
 * simple method for generating gamma variables, ACM Trans. Math. Softw. 26 (2000). With d = a - 1/3 and
 * v = 1 + z/(3 sqrt d), z normal, d v^3 has shape a >= 1 where v > 0 and log u < z^2/2 + d (1 - v^3 + 3 log v),
 * which holds for .95 of all z and more; for a shape a below 1 that of a + 1 is multiplied by U^(1/a). A round has
 * two normal numbers of G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958). */
#ifndef STATCL_GAMMA_DRAW_H
#define STATCL_GAMMA_DRAW_H

#include "kernels/common/philox.h"

/* The generator's third counter word has the tag, and above it which of the blocks of four words of a value this is:
 * two a round, of which each variable has at most ROUNDS_, and one besides. A round fails for 1 value in 400 at most,
 * all of them for 1 in 1e30, whose last candidate is taken. */
#define ROUNDS_ 12
#define BLOCK_TAG_(tag, variable, block) ((tag) | (u32)((2 * ROUNDS_ + 1) * (variable) + (block)) << 8)

/* Three uniform numbers of 52, 44 and 32 bits from four words. */
DEV_FN real uniform_44_(u64 middle, u64 low) { return open_uniform_of(middle & 0xffffffffu, (low & 0xfffu) << 20); }
DEV_FN real uniform_32_(u64 word) { return ((real)(i64)(word & 0xffffffffu) + K(0.5)) * K(2.3283064365386963e-10); }

/* Those of each of a block's values, from first on. */
DEV_FN void draw_three(u64 first, u32 tag, u32 k0, u32 k1, real *u, real *v, real *w) {
#if LANES == 16
  for (i32 from = 0; from < 16; from += 8) {
    u64 w0[8], w1[8], w2[8], w3[8];
    philox_eight(first + (u64)from, tag, k0, k1, w0, w1, w2, w3);
    LANE_LOOP_OF(8, l) {
      u[from + l] = open_uniform_of(w0[l] & 0xffffffffu, w1[l] & 0xffffffffu);
      v[from + l] = uniform_44_(w2[l], w1[l]);
      w[from + l] = uniform_32_(w3[l]);
    }
  }
#else
  for (i32 l = 0; l < LANES; l++) {
    const u64 counter = first + (u64)l;
    philox_block c = {(u32)counter, (u32)(counter >> 32), tag, 0u};
    c = philox(c, k0, k1);
    u[l] = open_uniform(c.w0, c.w1);
    v[l] = uniform_44_(c.w2, c.w1);
    w[l] = uniform_32_(c.w3);
  }
#endif
}

/* Is d (1 + t)^3 taken, by a uniform number u? For t = z/(3 sqrt d), z^2/2 = 9 d t^2/2, and what log u is compared
 * with is d (-3 t^4/4 + 3 t^5/5 - ...), which is in error by at most 1e-10: below 2^-7 by this series, whose terms
 * left out are 2^-28 of it, and beyond by differences, where |z| < 8.5 leaves d below 1.4e5. */
DEV_FN flag taken_(real t, real d, real u) {
  const real v = max_(1 + t, K(1e-18)), t2 = t * t;
  const real far = FMA(K(4.5), t2, FMA(-v * v, v, K(1))) + 3 * log_core_(v);
  const real near = t2 * t2 * FMA(t, FMA(t, FMA(t, K(0.42857142857142855), K(-0.5)), K(0.6)), K(-0.75));
  return (t > -1) & (u < exp_core_(max_(d * (fabs(t) < K(0.0078125) ? near : far), K(-600))));
}

#define TAKE_(t, u)                                                                                          \
  const flag taken = taken_(t, d[l], u[l]);                                                                  \
  const real v = 1 + t, next = d[l] * (v * v * v);                                                           \
  x[l] = ((open[l] != 0) & (v > 0)) ? next : x[l];                                                           \
  open[l] = taken ? K(0) : open[l];

/* Numbers of shape a, or a + 1 for a < 1, in (0, 1e308). */
DEV_BLOCK_FN void gamma_deviates(u64 first, u32 tag, i32 variable, u32 k0, u32 k1, const real *a, real *x) {
  real open[LANES], d[LANES], c[LANES];
  LANE_LOOP(l) {
    d[l] = (a[l] < 1 ? a[l] + 1 : a[l]) - K(0.3333333333333333);
    c[l] = K(0.3333333333333333) / sqrt(d[l]);
    x[l] = d[l];
    open[l] = 1;
  }
  for (i32 round = 0; round < ROUNDS_; round++) {
    real u[LANES], turn[LANES], by[LANES], second[LANES];
    draw_three(first, BLOCK_TAG_(tag, variable, 2 * round), k0, k1, u, turn, by);
    LANE_LOOP(l) {
      real sine, cosine;
      sincospi_(2 * turn[l], &sine, &cosine);
      const real radius = sqrt(-2 * log_core_(u[l])) * c[l], t = radius * cosine;
      TAKE_(t, by)
      second[l] = radius * sine;
    }
    ANY_LANE(left, open[l] != 0)
    if (left == 0) break;
    draw_three(first, BLOCK_TAG_(tag, variable, 2 * round + 1), k0, k1, u, turn, by);
    LANE_LOOP(l) {
      const real t = second[l];
      TAKE_(t, u)
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
}

/* Two uniform numbers more: one whose power 1/a is the factor for shapes below 1, and one besides. */
DEV_FN void gamma_besides(u64 first, u32 tag, i32 variable, u32 k0, u32 k1, real *u, real *beside) {
  real unused[LANES];
  draw_three(first, BLOCK_TAG_(tag, variable, 2 * ROUNDS_), k0, k1, u, beside, unused);
}
DEV_FN real log_factor_(real u, real a) { return a < 1 ? log_core_(u) / max_(a, K(1e-300)) : K(0); }

/* Numbers of shape a > 0, finite. */
DEV_BLOCK_FN void gamma_numbers(u64 first, u32 tag, i32 variable, u32 k0, u32 k1, const real *a, real *x) {
  gamma_deviates(first, tag, variable, k0, k1, a, x);
  ANY_LANE(small, a[l] < 1)
  if (small > 0) {
    real u[LANES], beside[LANES];
    gamma_besides(first, tag, variable, k0, k1, u, beside);
    LANE_LOOP(l) x[l] = exp_times_far_(log_factor_(u[l], a[l]), x[l]);
  }
}

#endif
