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
#define TAG_LAPLACE 4u
#define TAG_ELLIPTICAL 5u
#define TAG_GAMMA 6u
#define TAG_BETA 7u
#define TAG_BINOMIAL 8u

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

#if LANES == 16
/* The blocks of eight counters in a row; the upper halves of what is given are no part of it. */
DEV_FN void philox_eight(u64 counter, u32 tag, u32 k0, u32 k1, u64 *w0, u64 *w1, u64 *w2, u64 *w3) {
  const words m0 = words_all(0xD2511F53u), m1 = words_all(0xCD9E8D57u);
  const words g0 = words_all(0x9E3779B9u), g1 = words_all(0xBB67AE85u);
  u64 count[8];
  for (i32 l = 0; l < 8; l++) count[l] = counter + (u64)l;
  UNROLLED for (i32 at = 0; at < 8; at += WORDS) {
    words c0 = words_in(count + at), c1 = c0 >> 32, c2 = words_all(tag), c3 = words_all(0);
    words a = words_all(k0), b = words_all(k1);
#define PHILOX_ROUND                                                                                         \
  {                                                                                                          \
    const words p0 = words_times(c0, m0), p1 = words_times(c2, m1);                                          \
    c0 = (p1 >> 32) ^ c1 ^ a;                                                                                \
    c2 = (p0 >> 32) ^ c3 ^ b;                                                                                \
    c1 = p1;                                                                                                 \
    c3 = p0;                                                                                                 \
    a += g0;                                                                                                 \
    b += g1;                                                                                                 \
  }
    PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND
    PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND PHILOX_ROUND
#undef PHILOX_ROUND
    words_out(c0, w0 + at);
    words_out(c1, w1 + at);
    words_out(c2, w2 + at);
    words_out(c3, w3 + at);
  }
}
#endif

#if !SINGLE
/* (i + 1/2)/2^52 in (0, 1), i the upper 52 bits of two words: exact, and never 0 or 1. */
DEV_FN real open_uniform_of(u64 high, u64 low) {
  const u64 i = high << 20 | low >> 12;
  return real_of((i64)(i | (u64)ONE_BITS_)) - K(0.9999999999999999);
}
DEV_FN real open_uniform(u32 high, u32 low) { return open_uniform_of(high, low); }
#endif

#endif
