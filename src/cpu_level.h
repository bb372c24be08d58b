/* cpu_level.h: the body of src/cpu_baseline.c, cpu_avx2.c and cpu_avx512.c, which compile the kernels once per
 * instruction set. The including file has opened the target pragma and defined CPU_LEVEL, CPU_LEVEL_NAME, HAS_FMA.
 * No contraction: what is fused is written FMA(), so that all levels and devices with fma round alike. gcc's jump
 * threading and redundancy elimination are off because they turn lane conditions into control flow. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#include "dialect.h"

#include "bessel.cl"
#include "matern_direct.cl"
#include "stable.cl"
#include "stable_joint.cl"
#include "stable_slope.cl"
#include "stable_table.cl"
#include "stable_random.cl"

static const cpu_kernel kernel_table[KERNEL_COUNT] = {
#define KERNEL_LINE(program, kernel, domain) kernel,
#include "map.def"
#undef KERNEL_LINE
};

const cpu_level CPU_LEVEL = {CPU_LEVEL_NAME, LANES, kernel_table};
