/* cpu.h: the built-in CPU backend, seen from the scheduler. */
#ifndef STATCL_CPU_H
#define STATCL_CPU_H

#include <stdint.h>

#include "backend.h"

/* One block of lanes of one kernel; the arguments are those of KERNEL_ARGS in dialect.h, numbers being double or
 * float as the kernel was compiled. */
typedef void (*cpu_kernel)(int32_t block, int32_t n, int32_t cap, int32_t n_sets, int32_t set_cap, int32_t run,
                           int32_t phase, int64_t offset, uint32_t shared, const void *set_in, const void *in,
                           void *out, void *set_work, void *work, int32_t *list, const void *par);

/* The kernels compiled for one instruction set and precision, indexed by kernel_id (NULL: not in this precision);
 * lanes is their block size. */
typedef struct {
  const char *name;
  int lanes;
  const cpu_kernel *kernel;
} cpu_level;

extern const cpu_level cpu_level_baseline, cpu_level_baseline_single;
/* gcc for Windows does not align the stack for 32-byte registers (gcc bug 54412): there only clang builds these. */
#if defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__))
#define STATCL_X86_LEVELS 1
extern const cpu_level cpu_level_avx2, cpu_level_avx2_single, cpu_level_avx512, cpu_level_avx512_single;
#else
#define STATCL_X86_LEVELS 0
#endif

#endif
