/* denormals.h: numbers below DBL_MIN as 0 for a while. Covariances of points that are far from each other are such
 * numbers, of no weight beside a variance, and x86 processors take more than a hundred cycles for each product of
 * them (Fog, The microarchitecture of Intel, AMD and VIA CPUs). R and what it calls must not run meanwhile. */
#ifndef STATCL_DENORMALS_H
#define STATCL_DENORMALS_H

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { FLUSH_TO_ZERO_ = 0x8040 }; /* results, and operands: bits 15 and 6 of MXCSR (Intel SDM, 10.2.3) */

/* What denormals_back() takes. */
static inline unsigned denormals_off(int off) {
  const unsigned before = _mm_getcsr();
  if (off) _mm_setcsr(before | FLUSH_TO_ZERO_);
  return before;
}
static inline void denormals_back(unsigned before) { _mm_setcsr(before); }
#else /* not needed for results */
static inline unsigned denormals_off(int off) { return (unsigned)off; }
static inline void denormals_back(unsigned before) { (void)before; }
#endif

#endif
