/* any_nan.h: is there a NaN? As a count without branches, which compilers vectorise. */
#ifndef STATCL_ANY_NAN_H
#define STATCL_ANY_NAN_H

#include <stdint.h>

static inline int any_nan(int64_t n, const double *x) {
  double count = 0;
#pragma omp simd reduction(+ : count)
  for (int64_t i = 0; i < n; i++) count += x[i] == x[i] ? 0 : 1;
  return count != 0;
}

#endif
