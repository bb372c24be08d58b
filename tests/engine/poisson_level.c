/* poisson_level.c: see poisson_level.h. -DLEVEL=0: as in the baseline of src/cpu_*.c, 1: as in AVX2 and AVX-512. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#if LEVEL == 1 && defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#endif
#if (LEVEL == 1 && defined(__x86_64__)) || defined(__aarch64__)
#define HAS_FMA 1
#endif

#include "kernels/poisson/poisson_tail.h"
#include "poisson_level.h"

static double normal_centre(double u, double *beyond) { return normal_centre_(u, beyond); }
static double normal_far(double log_u) { return normal_far_(log_u); }
static double normal_roughly(double log_u) { return normal_roughly_(log_u); }
static double shift(double w, double s, double root, double by_lambda) {
  return quantile_shift_(w, s, root, by_lambda);
}
static double far(double s, double lambda) { return quantile_far_(s, lambda); }
static double deviance(double lambda, double a, double *lo) { return poisson_deviance(lambda, a, lo); }
static double peak(double a) { return poisson_peak(a); }

#if LEVEL == 1
#define TABLE poisson_level_1
#else
#define TABLE poisson_level_0
#endif
const poisson_level TABLE = {normal_centre, normal_far, normal_roughly, shift, far, deviance, peak};

#if LEVEL == 1 && defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
