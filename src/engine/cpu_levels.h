/* cpu_levels.h: the kernels as the C compiler has made them, once per instruction set and precision. */
#ifndef STATCL_CPU_LEVELS_H
#define STATCL_CPU_LEVELS_H

#include <stdint.h>

/* One block of lanes of one kernel; the arguments are those of KERNEL_ARGS in dialect.h, numbers being double or
 * float as the kernel was compiled. */
typedef void cpu_kernel_function(int32_t block, int32_t n, int32_t cap, int32_t n_sets, int32_t set_cap, int32_t run,
                                 int32_t phase, int64_t offset, uint32_t shared, const void *set_in, const void *in,
                                 void *out, void *set_work, void *work, int32_t *list, const void *par,
                                 const void *kept, const int32_t *whole);

/* One group of a cooperative kernel; the arguments are those of GROUP_ARGS_OF in dialect.h. */
typedef void cpu_group_function(int32_t group, int32_t n, int32_t m, int32_t at, int32_t from, int32_t to,
                                int32_t columns, int32_t transposed, void *a, void *b, int32_t *found);

/* What cpu_program.c calls a kernel, in double and in single precision. */
#define CPU_KERNEL(level, kernel) CPU_KERNEL_(level, kernel)
#define CPU_KERNEL_(level, kernel) cpu_##level##_##kernel
#define CPU_SINGLE_KERNEL(level, kernel) CPU_SINGLE_KERNEL_(level, kernel)
#define CPU_SINGLE_KERNEL_(level, kernel) cpu_##level##_single_##kernel

/* A kernel for one instruction set, in double, [0], and in single precision, [1], unless that is NULL; or a
 * cooperative one. */
typedef struct {
  cpu_kernel_function *run[2];
  cpu_group_function *group;
} cpu_kernel;

enum { MOST_CPU_LEVELS = 3 };

/* gcc for Windows does not align the stack for 32-byte registers (gcc bug 54412): there only clang builds these. */
#if defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__))
#define STATCL_X86_LEVELS 1
#else
#define STATCL_X86_LEVELS 0
#endif

/* line(level, of) for the instruction sets of this build, the best first: configure leaves out what STATCL_CPU_LEVELS
 * does not name. */
#if STATCL_X86_LEVELS && !defined(STATCL_WITHOUT_avx512)
#define AVX512_LEVEL(line, of) line(avx512, of)
#else
#define AVX512_LEVEL(line, of)
#endif
#if STATCL_X86_LEVELS && !defined(STATCL_WITHOUT_avx2)
#define AVX2_LEVEL(line, of) line(avx2, of)
#else
#define AVX2_LEVEL(line, of)
#endif
#if !defined(STATCL_WITHOUT_baseline)
#define BASELINE_LEVEL(line, of) line(baseline, of)
#else
#define BASELINE_LEVEL(line, of)
#endif
#define CPU_LEVELS(line, of) AVX512_LEVEL(line, of) AVX2_LEVEL(line, of) BASELINE_LEVEL(line, of)

#endif
