/* elementary_level.c: the functions of elementary.h as vector loops, compiled once per instruction set with
 * -DLEVEL=0 (baseline), 1 (AVX2) or 2 (AVX-512), as src/cpu_*.c compiles the kernels.
 * Used by test_elementary.c and by bench/elementary.c. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#if !defined(__clang__) && defined(__GNUC__)
#pragma GCC optimize("no-trapping-math,no-math-errno,no-tree-pre,no-thread-jumps")
#endif
#include "simd_level.h"

#include "kernels/common/elementary.h"
#include "elementary_level.h"

/* n is a multiple of LANES; arrays do not overlap. */
#define LOOP(name, body)                                                                                     \
  static void run_##name(const number *a, const number *b, number *out, number *out2, int n) {               \
    for (int i = 0; i < n; i += LANES) {                                                                     \
      const number *x = a + i, *y = b + i;                                                                   \
      number *v = out + i, *w = out2 + i;                                                                    \
      LANE_LOOP(l) { body; }                                                                                 \
    }                                                                                                        \
  }
#define ONE(name, call) LOOP(name, v[l] = call; w[l] = y[l])
ONE(exp_, exp_(x[l]))
ONE(exp_core_, exp_core_(x[l]))
ONE(log_, log_(x[l]))
ONE(log_core_, log_core_(x[l]))
ONE(sinpi_, sinpi_(x[l]))
ONE(cospi_, cospi_(x[l]))
ONE(atan_, atan_(x[l]))
#if !SINGLE
ONE(expm1_, expm1_(x[l]))
ONE(expm1_core_, expm1_core_(x[l]))
ONE(log1p_, log1p_(x[l]))
ONE(sin_, sin_(x[l]))
ONE(cos_, cos_(x[l]))
ONE(sin_core_, sin_core_(x[l]))
ONE(add_cos_turn_, add_cos_turn_(x[l], 0))
ONE(tan_, tan_(x[l]))
ONE(atan2_, atan2_(x[l], y[l]))
ONE(lgam_, lgam_(x[l]))
ONE(erfcx_, erfcx_(x[l]))
ONE(log_erfc_, log_erfc_(x[l]))
LOOP(tan_dd, v[l] = tan_dd(x[l], y[l], &w[l]))
LOOP(tan_half_pi_dd, v[l] = tan_half_pi_dd(x[l], &w[l]); (void)y)
ONE(exp_times_core_, exp_times_core_(x[l], y[l]))
ONE(exp_times_far_, exp_times_far_(x[l], y[l]))
ONE(exp_sum_times_, exp_sum_times_(K(1), x[l], y[l]))
ONE(log_plus_, log_plus_(x[l], y[l], K(0)))
ONE(rsqrt_, rsqrt_(x[l]))
LOOP(log_dd, v[l] = log_dd(x[l], y[l], &w[l]))

/* A quadrature in the shape of the stable density's: int exp(re) sin(im) over a ray, with two powers of the node,
 * that is three exponentials and a sine per node and lane. */
static void run_node(const double *a, const double *b, double *out, double *out2, int n) {
  for (int i = 0; i < n; i += LANES) {
    real x[LANES], y[LANES], sum[LANES];
    memcpy(x, a + i, sizeof x);
    memcpy(y, b + i, sizeof y);
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < NODES; k++) {
      const real s = K(0.02) * (real)(k - 56);
      LANE_LOOP(l) {
        const real ls = FMA(x[l], s, y[l]);
        const real t = exp_core_(ls), u = exp_core_(x[l] * ls);
        const real re = FMA(-x[l], t, -u), im = FMA(-y[l], t, u);
        sum[l] = FMA(exp_core_(re), sin_core_(im), sum[l]);
      }
    }
    memcpy(out + i, sum, sizeof sum);
    memcpy(out2 + i, y, sizeof y);
  }
}

#endif /* !SINGLE */

#if LEVEL == 0
#define TABLE elementary_baseline
#elif LEVEL == 1
#define TABLE elementary_avx2
#else
#define TABLE elementary_avx512
#endif
const elementary_loop TABLE[] = {
#define ENTRY(name) {#name, run_##name},
    ELEMENTARY_LIST(ENTRY)
#undef ENTRY
#if !SINGLE
    {"node", run_node},
#endif
    {0, 0}};

#if LEVEL > 0 && defined(__clang__)
#pragma clang attribute pop
#endif
