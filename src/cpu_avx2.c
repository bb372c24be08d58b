/* The kernels for x86-64 with AVX2 and FMA: see cpu_level.h. System headers come before the target
 * pragma, so that their inline functions keep the plain target. */
#include "cpu.h"

#if STATCL_X86_LEVELS
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC optimize("no-trapping-math,no-math-errno,no-tree-pre,no-thread-jumps,fp-contract=off,"        \
                     "schedule-insns,sched-pressure")
#pragma GCC target("avx2,fma")
#endif

#define HAS_FMA 1
#define VECTOR_BYTES 32
#define CPU_LEVEL avx2
#include "cpu_level.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int cpu_avx2_is_for_x86_64; /* C99 asks for one declaration */
#endif
