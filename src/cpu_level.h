/* cpu_level.h: the body of src/cpu_baseline.c, cpu_avx2.c and cpu_avx512.c, which compile the kernels once per
 * instruction set, and of cpu_<set>_single.c, which compile them once more in single precision. The including file
 * has opened the target pragma and defined CPU_LEVEL (the set), HAS_FMA, and SINGLE.
 * No contraction: what is fused is written FMA(), so that all levels and devices with fma round alike. gcc's jump
 * threading and redundancy elimination are off because they turn lane conditions into control flow. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#include "dialect.h"

#if SINGLE
#define LEVEL_NAME_(level) cpu_level_##level##_single
#define DOUBLE_ONLY(kernel) NULL
#else
#define LEVEL_NAME_(level) cpu_level_##level
#define DOUBLE_ONLY(kernel) kernel
#include "bands.cl"
#include "bessel.cl"
#include "bessel_published.cl"
#include "matern_direct.cl"
#include "poisson_cdf.cl"
#include "quad_map.cl"
#include "quad_pairs.cl"
#include "quad_panels.cl"
#include "stable.cl"
#include "stable_joint.cl"
#include "stable_slope.cl"
#include "stable_table.cl"
#include "stable_random.cl"
#endif
#include "matern.cl"
#include "poisson.cl"

static const cpu_kernel kernel_table[KERNEL_COUNT] = {
  NULL,
#define KERNEL_LINE(program, kernel, domain) DOUBLE_ONLY(kernel),
#define EITHER_LINE(program, kernel, domain) kernel,
#define TEXT_LINE KERNEL_LINE
#include "map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
};

/* one more level, so that CPU_LEVEL is expanded before it is pasted */
#define LEVEL_NAME(level) LEVEL_NAME_(level)
#define LEVEL_TEXT_(level) #level
#define LEVEL_TEXT(level) LEVEL_TEXT_(level)
const cpu_level LEVEL_NAME(CPU_LEVEL) = {LEVEL_TEXT(CPU_LEVEL), LANES, kernel_table};
