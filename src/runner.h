/* runner.h: what the scheduler (backend.c) shares with the runners of chunks (cpu.c, ocl_run.c). */
#ifndef STATCL_RUNNER_H
#define STATCL_RUNNER_H

#include "backend.h"

/* What a launch of a kernel runs over; LIST kernels run over a list's capacity and return early. */
enum domain { SETS, POINTS, LIST };

typedef struct {
  const char *program, *name;
  enum domain domain;
  int single; /* can compute in float */
  int text;   /* its program includes the task's text */
} kernel_description;
extern const kernel_description kernels[KERNEL_COUNT];

/* Consecutive points of a task, and what KERNEL_ARGS of dialect.h says about them. */
typedef struct {
  int64_t first, first_set;
  int32_t n, n_sets, run, phase;
} chunk;

chunk chunk_of(const task *t, int64_t first, int32_t n);

/* The runners hold a task's numbers as it computes, as doubles or floats: bytes of one, and where number i is. */
size_t real_bytes(const task *t);
void *real_at(const task *t, void *reals, size_t i);
/* Elements first, first + 1, ... of a recycled column to such numbers. */
void reals_take(const task *t, void *to, column from, int64_t first, int32_t n);
/* Hands over a chunk's results, which lie in columns stride apart. */
void deliver_results(const task *t, int64_t first, int32_t n, void *results, size_t stride);

/* Bit k: column k of in holds one value for all points. */
uint32_t shared_columns(const task *t);

/* Nominal nanoseconds of one point on one CPU thread, never 0. */
double task_cost(const task *t);

/* The CPU runner: a team serves one task. cpu_run() computes points from first on, at most n, takes up no more of
 * them once it has worked for so many seconds, and tells how many are done: at least one. */
typedef struct cpu_team cpu_team;
status cpu_open(const task *t, cpu_team **team);
int64_t cpu_run(cpu_team *team, int64_t first, int64_t n, double seconds);
/* Points for about so many seconds, by the nominal cost at first and by the clock later. */
int64_t cpu_appetite(const cpu_team *team, double seconds);
void cpu_close(cpu_team *team);

/* Times since profile_start(), per device and command, for clProfile(); nothing is recorded while it is off. */
int profile_on(void);
void profile_add(const char *device, const char *command, const char *kind, int64_t points, double seconds);

#endif
