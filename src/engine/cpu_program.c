/* cpu_program.c: the kernels of one program for one instruction set and precision. configure (and
 * tests/engine/Makefile) have it compiled once for each, with
 *   CPU_LEVEL  baseline (the compiler's plain target: SSE2 on x86-64, NEON on arm64), avx2 (with FMA) or avx512
 *              (F, DQ, VL, BW);
 *   PROGRAM    the file's name in quotes, such as "kernels/stable/stable.cl";
 *   SINGLE     1 for single precision.
 * No contraction: what is fused is written FMA(), so that all levels and devices with fma round alike. gcc's jump
 * threading and redundancy elimination are off because they turn lane conditions into control flow. System headers
 * come before the target pragma, so that their inline functions keep the plain target. */
#include "engine/cpu_levels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define baseline 0
#define avx2 1
#define avx512 2
#define LEVEL_NUMBER CPU_LEVEL
#if LEVEL_NUMBER == baseline || STATCL_X86_LEVELS

#if LEVEL_NUMBER == baseline
#if !defined(__clang__) && defined(__GNUC__)
#pragma GCC optimize("no-trapping-math,no-math-errno,no-tree-pre,no-thread-jumps,fp-contract=off")
#endif
#if defined(__aarch64__)
#define HAS_FMA 1
#endif
#else
#define HAS_FMA 1
#if defined(__clang__)
/* clang drops the whole attribute for one word that it does not know, such as gcc's prefer-vector-width. */
#if LEVEL_NUMBER == avx2
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"))),         \
                             apply_to = function)
#endif
#else
#pragma GCC optimize("no-trapping-math,no-math-errno,no-tree-pre,no-thread-jumps,fp-contract=off,"           \
                     "schedule-insns,sched-pressure")
#if LEVEL_NUMBER == avx2
#pragma GCC target("avx2,fma")
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512")
#endif
#endif
#if LEVEL_NUMBER == avx2
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 64
#endif
#endif

#undef baseline
#undef avx2
#undef avx512
#if SINGLE
#define KERNEL_SYMBOL(name) CPU_SINGLE_KERNEL(CPU_LEVEL, name)
#else
#define KERNEL_SYMBOL(name) CPU_KERNEL(CPU_LEVEL, name)
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#include "kernels/common/dialect.h"

#include PROGRAM

#if defined(__clang__) && HAS_FMA && !defined(__aarch64__)
#pragma clang attribute pop
#endif
#else
typedef int cpu_program_is_for_x86_64; /* C99 asks for one declaration */
#endif
