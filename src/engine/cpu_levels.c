/* cpu_levels.c: see cpu_levels.h. */
#include "engine/cpu_levels.h"

#include "engine/task.h"
#include "kernels/common/dialect.h"

typedef char groups_agree[(int)GROUP_SIZE == GROUP_ITEMS ? 1 : -1];

#if !defined(STATCL_WITHOUT_baseline)
#define LEVEL baseline
#include "engine/cpu_level_table.h"
#undef LEVEL
#endif
#if STATCL_X86_LEVELS && !defined(STATCL_WITHOUT_avx2)
#define LEVEL avx2
#include "engine/cpu_level_table.h"
#undef LEVEL
#endif
#if STATCL_X86_LEVELS && !defined(STATCL_WITHOUT_avx512)
#define LEVEL avx512
#include "engine/cpu_level_table.h"
#undef LEVEL
#endif
