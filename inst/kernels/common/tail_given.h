/* tail_given.h: smaller tails (tail_form.h) of probabilities as given, and of uniform random numbers. */
#ifndef STATCL_TAIL_GIVEN_H
#define STATCL_TAIL_GIVEN_H

#include "kernels/common/elementary.h"
#include "kernels/common/philox.h"
#include "kernels/common/tail_form.h"

/* The smaller tail of a lower tail p, NaN where p is no probability. */
#if !SINGLE
DEV_FN real tail_of_(real p) {
  const real t = TAIL_OF(fabs(p));
  return ((p >= 0) & (p <= 1)) ? t : NAN_;
}
DEV_FN real tail_of_log_(real p) {
  const real other = -fabs(expm1_(p)), t = p <= -LN2_ ? -p : other;
  return p <= 0 ? t : NAN_;
}
/* Of probabilities, perhaps logarithms, of lower or upper tails. */
#define SMALLER_TAILS(t, logs, is_lower)                                                                     \
  if (logs)                                                                                                  \
    LANE_LOOP(l) t[l] = tail_of_log_(t[l]);                                                                  \
  else                                                                                                       \
    LANE_LOOP(l) t[l] = tail_of_(t[l]);                                                                      \
  if (!(is_lower)) LANE_LOOP(l) t[l] = -t[l];
#endif

/* A tail next to the smallest numbers by its logarithm: tails have no digits there that could be compared. */
#if !SINGLE
DEV_FN real tail_in_reach(real t) {
  const real u = fabs(t);
  return ((u < K(1e-290)) & (u > 0)) ? copy_sign_(-log_(u), t) : t;
}
/* Points of a list whose a = k + 1, of tails at k, is in doubt to another one. */
#define GIVE_DOUBTFUL(column, list_of)                                                                       \
  ANY_LANE(unsure, doubtful[l] > 0)                                                                          \
  for (i32 l = 0; l < LANES && unsure > 0; l++)                                                              \
    if (doubtful[l] > 0 && doubtful[l] <= 2 * SCALE_ && live(l)) {                                           \
      WORK(column, idx[l]) = doubtful[l];                                                                    \
      list_push(list_of, idx[l]);                                                                            \
    }
#else
#define tail_in_reach(t) (t)
#endif

/* Value i takes two words of one block of the generator, as value i + 8 or i - 8 takes the other two: 16 values in a
 * row share eight blocks. Of a uniform (k + 1/2) 2^-53 the highest bit of k is bit 0 of the second word; where it is
 * set the other 52 are complemented, and what they give is the upper tail. */
DEV_FN real draw_tail_(u64 high, u64 low) {
#if SINGLE
  const u32 side = (u32)low & 1u, turn = 0u - side;
  const real u = ((real)(((u32)high ^ turn) >> 1) + K(0.25)) * K(2.3283064365386963e-10); /* 2^-32 */
#else
  const u64 side = low & 1u, turn = (u64)0 - side;
  const real u = K(0.5) * open_uniform_of((high ^ turn) & 0xffffffffu, (low ^ turn) & 0xffffffffu);
#endif
  return flip_sign_(u, (word)side);
}
DEV_FN real draw_tail_at_(u64 i, u32 tag, u32 k0, u32 k1) {
  const u64 counter = (i >> 4 << 3) + (i & 7);
  const flag second = (i & 8) != 0;
  philox_block c = {(u32)counter, (u32)(counter >> 32), tag, 0u};
  c = philox(c, k0, k1);
  return draw_tail_(second ? c.w2 : c.w0, second ? c.w3 : c.w1);
}

/* Those of a block's values from first on. */
DEV_FN void draw_tails(u64 first, u32 tag, u32 k0, u32 k1, real *t) {
#if LANES == 16
  if (first % 16 == 0) {
    u64 w0[8], w1[8], w2[8], w3[8];
    philox_eight(first / 2, tag, k0, k1, w0, w1, w2, w3);
    LANE_LOOP_OF(8, l) {
      t[l] = draw_tail_(w0[l], w1[l]);
      t[l + 8] = draw_tail_(w2[l], w3[l]);
    }
    return;
  }
#endif
  for (i32 l = 0; l < LANES; l++) t[l] = draw_tail_at_(first + (u64)l, tag, k0, k1);
}

#endif
