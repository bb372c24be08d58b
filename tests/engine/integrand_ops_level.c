/* integrand_ops_level.c: the operations of integrands as vector loops, compiled once per instruction set with
 * -DLEVEL=0 (baseline), 1 (AVX2) or 2 (AVX-512), as src/cpu_*.c compiles the kernels. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#if !defined(__clang__) && defined(__GNUC__)
#pragma GCC optimize("no-trapping-math,no-math-errno,no-tree-pre,no-thread-jumps,fp-contract=off")
#endif
#include "simd_level.h"

#include "kernels/quadrature/integrand_ops.h"
#include "integrand_ops_level.h"

#define CALL_1(name) op_##name(a[i + l])
#define CALL_2(name) op_##name(a[i + l], b[i + l])
#define CALL_3(name) op_##name(a[i + l], b[i + l], c[i + l])
#define OP(name, n)                                                                                          \
  static void run_##name(const double *a, const double *b, const double *c, double *out, int count) {        \
    (void)b, (void)c;                                                                                        \
    for (int i = 0; i < count; i += LANES) LANE_LOOP(l) out[i + l] = CALL_##n(name);                         \
  }
#define LIBRARY_OP(name, n)
#define TABLE_OP(name, n)
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#define BLOCK_LOOP(name)                                                                                     \
  static void run_##name##_lanes(const double *a, const double *b, const double *c, double *out, int count) { \
    (void)b, (void)c;                                                                                        \
    for (int i = 0; i < count; i += LANES) op_##name##_lanes(a + i, out + i);                                \
  }
BLOCK_OPS(BLOCK_LOOP)

#if LEVEL == 0
#define TABLE integrand_baseline
#elif LEVEL == 1
#define TABLE integrand_avx2
#else
#define TABLE integrand_avx512
#endif
const integrand_loop TABLE[] = {
#define OP(name, n) {#name, n, run_##name},
#define TABLE_OP(name, n)
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#define BLOCK_ENTRY(name) {#name "_lanes", 1, run_##name##_lanes},
    BLOCK_OPS(BLOCK_ENTRY)
    {0, 0, 0}};

#if LEVEL > 0 && defined(__clang__)
#pragma clang attribute pop
#endif
