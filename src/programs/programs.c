/* programs.c: what the engine knows of each kernel, and what src/engine/cpu_program.c has made of it. */
#include "programs/programs.h"

#include "kernels/common/dialect.h"

typedef char sizes_agree[(int)CPU_LANES == LANES && (int)TEAM_SIZE == TEAM_ITEMS &&
                         (int)POINT_GROUP == SORTED_ITEMS ? 1 : -1];

#define DECLARE(level, kernel) cpu_kernel_function CPU_KERNEL(level, kernel);
#define DECLARE_SINGLE(level, kernel) cpu_kernel_function CPU_SINGLE_KERNEL(level, kernel);
#define DECLARE_GROUP(level, kernel) cpu_group_function CPU_KERNEL(level, kernel);
#define KERNEL_LINE(room, program, kernel, domain) CPU_LEVELS(DECLARE, kernel)
#define EITHER_LINE(room, program, kernel, domain) CPU_LEVELS(DECLARE, kernel) CPU_LEVELS(DECLARE_SINGLE, kernel)
#define TEXT_LINE KERNEL_LINE
#define GROUP_LINE(room, program, kernel, domain) CPU_LEVELS(DECLARE_GROUP, kernel)
#define TEAM_LINE(room, program, kernel, domain)
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef GROUP_LINE
#undef TEAM_LINE

enum {
#define KERNEL_LINE(room, program, kernel, domain) NUMBER_##kernel,
#define EITHER_LINE KERNEL_LINE
#define GROUP_LINE KERNEL_LINE
#define TEAM_LINE KERNEL_LINE
#include "kernels/common/map.def"
  COUNT
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
#undef GROUP_LINE
#undef TEAM_LINE
};
const int kernel_count = COUNT;

#define IN_DOUBLE(level, kernel) {{CPU_KERNEL(level, kernel), NULL}, NULL},
#define IN_BOTH(level, kernel) {{CPU_KERNEL(level, kernel), CPU_SINGLE_KERNEL(level, kernel)}, NULL},
#define IN_GROUPS(level, kernel) {{NULL, NULL}, CPU_KERNEL(level, kernel)},
#define IN_NONE(level, kernel) {{NULL, NULL}, NULL},
#define DESCRIBE(room, program, kernel, domain, single, text, in)                                            \
  const kernel_description KERNEL_##kernel[1] = {                                                            \
      {#room, #program, #kernel, domain, single, text, NUMBER_##kernel, {CPU_LEVELS(in, kernel)}}};
#define KERNEL_LINE(room, program, kernel, domain) DESCRIBE(room, program, kernel, domain, 0, 0, IN_DOUBLE)
#define EITHER_LINE(room, program, kernel, domain) DESCRIBE(room, program, kernel, domain, 1, 0, IN_BOTH)
#define TEXT_LINE(room, program, kernel, domain) DESCRIBE(room, program, kernel, domain, 0, 1, IN_DOUBLE)
#define GROUP_LINE(room, program, kernel, domain) DESCRIBE(room, program, kernel, domain, 0, 0, IN_GROUPS)
#define TEAM_LINE(room, program, kernel, domain) DESCRIBE(room, program, kernel, domain, 0, 0, IN_NONE)
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
#undef GROUP_LINE
#undef TEAM_LINE

const kernel_description *const kernels[] = {
#define KERNEL_LINE(room, program, kernel, domain) KERNEL_##kernel,
#define EITHER_LINE KERNEL_LINE
#define TEXT_LINE KERNEL_LINE
#define GROUP_LINE KERNEL_LINE
#define TEAM_LINE KERNEL_LINE
#include "kernels/common/map.def"
};
