/* cpu_level_table.h: a template: the kernels of the instruction set LEVEL, in double and in single precision,
 * and the cooperative ones. */
#define KERNEL_LINE(room, program, kernel, domain) cpu_kernel_function CPU_KERNEL(LEVEL, kernel);
#define EITHER_LINE(room, program, kernel, domain)                                                           \
  cpu_kernel_function CPU_KERNEL(LEVEL, kernel), CPU_SINGLE_KERNEL(LEVEL, kernel);
#define TEXT_LINE KERNEL_LINE
#define GROUP_LINE(room, program, kernel, domain) cpu_group_function CPU_KERNEL(LEVEL, kernel);
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef GROUP_LINE

static cpu_kernel_function *const CPU_KERNEL(LEVEL, table)[KERNEL_COUNT] = {
#define KERNEL_LINE(room, program, kernel, domain) [KERNEL_##kernel] = CPU_KERNEL(LEVEL, kernel),
#define EITHER_LINE KERNEL_LINE
#define GROUP_LINE(room, program, kernel, domain)
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
};
static cpu_kernel_function *const CPU_SINGLE_KERNEL(LEVEL, table)[KERNEL_COUNT] = {
#define KERNEL_LINE(room, program, kernel, domain)
#define EITHER_LINE(room, program, kernel, domain) [KERNEL_##kernel] = CPU_SINGLE_KERNEL(LEVEL, kernel),
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
#undef GROUP_LINE
};
static cpu_group_function *const CPU_KERNEL(LEVEL, groups)[KERNEL_COUNT] = {
#define KERNEL_LINE(room, program, kernel, domain)
#define EITHER_LINE KERNEL_LINE
#define TEXT_LINE KERNEL_LINE
#define GROUP_LINE(room, program, kernel, domain) [KERNEL_##kernel] = CPU_KERNEL(LEVEL, kernel),
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
#undef GROUP_LINE
};

const cpu_level CPU_KERNEL(LEVEL, level) = {CPU_LEVEL_TEXT(LEVEL), LANES,
                                            {CPU_KERNEL(LEVEL, table), CPU_SINGLE_KERNEL(LEVEL, table)},
                                            CPU_KERNEL(LEVEL, groups)};
