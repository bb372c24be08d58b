/* programs.h: the kernels of all families, KERNEL_<name>, as kernels/common/map.def lists them. */
#ifndef STATCL_PROGRAMS_H
#define STATCL_PROGRAMS_H

#include "engine/task.h"

/* Arrays of one, so that their names are what pipelines want: addresses. */
#define KERNEL_LINE(room, program, kernel, domain) extern const kernel_description KERNEL_##kernel[1];
#define EITHER_LINE KERNEL_LINE
#define TEXT_LINE KERNEL_LINE
#define GROUP_LINE KERNEL_LINE
#define TEAM_LINE KERNEL_LINE
#include "kernels/common/map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
#undef GROUP_LINE
#undef TEAM_LINE

#endif
