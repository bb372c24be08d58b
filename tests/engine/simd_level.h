/* simd_level.h: what follows is compiled for LEVEL 0 (baseline), 1 (AVX2) or 2 (AVX-512), as src/cpu_*.c compiles the
 * kernels; clang needs a pop at the end of the file. */
#if LEVEL == 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#elif LEVEL == 2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"))),         \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512")
#endif
#endif
#if LEVEL > 0 || defined(__aarch64__)
#define HAS_FMA 1
#endif
