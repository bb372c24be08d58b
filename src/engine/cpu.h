/* cpu.h: the built-in CPU backend, seen from the scheduler. */
#ifndef STATCL_CPU_H
#define STATCL_CPU_H

#include "engine/cpu_levels.h"
#include "engine/task.h"

/* A team serves one task. cpu_run() computes points from first on, at most n, takes up no more of
 * them once it has worked for so many seconds, and tells how many are done: at least one. */
typedef struct cpu_team cpu_team;
status cpu_open(const task *t, cpu_team **team);
int64_t cpu_run(cpu_team *team, int64_t first, int64_t n, double seconds);
/* Points for about so many seconds, by the nominal cost at first and by the clock later. */
int64_t cpu_chunk_size(const cpu_team *team, double seconds);
void cpu_close(cpu_team *team);

/* A kernel in double precision, for one block of CPU_LANES at a time; a cooperative one, for one group. */
cpu_kernel_function *cpu_kernel_of(const kernel_description *k);
cpu_group_function *cpu_group_kernel(const kernel_description *k);

/* The instruction set in use: baseline, avx2 or avx512; NULL where this build has none for the processor. */
const char *cpu_level_name(void);
/* Those of this build, the best first, and NULL after the last. */
const char *cpu_level_built(int i);

#endif
