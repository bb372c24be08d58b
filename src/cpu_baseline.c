/* The kernels for whatever the compiler's plain target is (SSE2 on x86-64, NEON on arm64): see cpu_level.h. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cpu.h"

#if !defined(__clang__) && defined(__GNUC__)
#pragma GCC optimize("no-trapping-math,no-math-errno,no-tree-pre,no-thread-jumps,fp-contract=off")
#endif

#if defined(__aarch64__)
#define HAS_FMA 1
#endif
#define CPU_LEVEL baseline
#include "cpu_level.h"
