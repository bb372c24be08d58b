/* philox.h: the counter-based generator of every random function, Philox4x32-10 of J. K. Salmon, M. A. Moraes,
 * R. O. Dror and D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, Proc. SC11 (2011). A block of four words
 * is a function of counter and key alone, so that value i of a sample does not depend on who computes it, or when.
 *
 * Counter words 0 and 1: index of the value; 2: a tag per function, so that functions with the same key share
 * nothing; 3: zero. Key: two words from R's generator. Tested against the authors' known answers by
 * tests/engine/test_random.c. */
#ifndef STATCL_PHILOX_H
#define STATCL_PHILOX_H

#include "kernels/common/elementary.h"

#define TAG_STABLE 1u
#define TAG_POISSON 2u
#define TAG_BANDS 3u

typedef struct {
  u32 w0, w1, w2, w3;
} philox_block;

DEV_FN philox_block philox_round_(philox_block c, u32 k0, u32 k1) {
  const u32 m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
  philox_block r;
  r.w0 = mulhi32(m1, c.w2) ^ c.w1 ^ k0;
  r.w1 = m1 * c.w2;
  r.w2 = mulhi32(m0, c.w0) ^ c.w3 ^ k1;
  r.w3 = m0 * c.w0;
  return r;
}

/* Ten rounds, written out: a loop inside a LANE_LOOP would not vectorise. */
DEV_FN philox_block philox(philox_block c, u32 k0, u32 k1) {
  const u32 g0 = 0x9E3779B9u, g1 = 0xBB67AE85u; /* golden ratio, sqrt(3) - 1 */
  c = philox_round_(c, k0, k1);
  c = philox_round_(c, k0 + g0, k1 + g1);
  c = philox_round_(c, k0 + 2u * g0, k1 + 2u * g1);
  c = philox_round_(c, k0 + 3u * g0, k1 + 3u * g1);
  c = philox_round_(c, k0 + 4u * g0, k1 + 4u * g1);
  c = philox_round_(c, k0 + 5u * g0, k1 + 5u * g1);
  c = philox_round_(c, k0 + 6u * g0, k1 + 6u * g1);
  c = philox_round_(c, k0 + 7u * g0, k1 + 7u * g1);
  c = philox_round_(c, k0 + 8u * g0, k1 + 8u * g1);
  return philox_round_(c, k0 + 9u * g0, k1 + 9u * g1);
}

#if !SINGLE
/* (i + 1/2)/2^52 in (0, 1), i the upper 52 bits of two words: exact, and never 0 or 1. */
DEV_FN real open_uniform(u32 high, u32 low) {
  const u64 i = (u64)high << 20 | low >> 12;
  return real_of((i64)(i | (u64)ONE_BITS_)) - K(0.9999999999999999);
}
#endif

#endif
