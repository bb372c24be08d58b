/* task.h: a task as the family that describes it, the scheduler and the runners of chunks see it: kernels, pipelines,
 * columns of data, and chunks of consecutive points.
 *
 * A family describes its work as a pipeline: kernels (KERNEL_<name> of programs/programs.h) run in order over a
 * chunk of points (or over the parameter sets, or over compacted lists of points that earlier kernels filled), with
 * scratch columns between them. A task is one call: a pipeline and its data. Nothing here knows R, OpenCL or any
 * family. */
#ifndef STATCL_TASK_H
#define STATCL_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "engine/cpu_levels.h"
#include "engine/errors.h"

/* What a launch of a kernel runs over; LIST kernels run over a list's capacity and return early. Those of GROUPS are
 * no steps of pipelines: resident.h launches them, in groups of as many work-items as they say. TEAMS: points, with a
 * team of work-items each, on devices of one lane alone. */
enum domain { SETS, POINTS, LIST, GROUPS, TEAMS };
enum {
  POINT_GROUP = 128, /* SORTED_ITEMS of dialect.h: most work-items of a group of one lane each */
  TEAM_SIZE = 32,    /* TEAM_ITEMS there */
  CPU_LANES = 16     /* LANES there */
};

typedef struct {
  const char *room, *program, *name; /* kernels/<room>/<program>.cl holds it */
  enum domain domain;
  int single; /* can compute in float */
  int text;   /* its program includes the task's text */
  int number; /* in the list of all */
  cpu_kernel cpu[MOST_CPU_LEVELS]; /* as the C compiler has made it, in the order of CPU_LEVELS */
} kernel_description;

/* All that there are, which programs/ brings. */
extern const kernel_description *const kernels[];
extern const int kernel_count;

enum {
  MAX_COLUMNS = 1024,
  MAX_IN = 32, /* bits of shared */
  MAX_STEPS = 16,
  MAX_LISTS = 16 /* LIST_HEAD of dialect.h */
};

typedef struct {
  const char *name;         /* of the R function, for progress, profiles and messages */
  int n_set_in, n_in, n_out; /* columns: per parameter set, per point, results */
  int n_set_work, n_work;   /* scratch columns per set and per point */
  int n_list;               /* compacted lists, at most MAX_LISTS */
  unsigned for_host;        /* bit r: no step takes the points of list r; the host sees to them */
  int fills;                /* what the first step has for results are columns of in: those without data */
  const kernel_description *step[MAX_STEPS + 1]; /* those after the last are NULL */
  double ns_per_point;      /* rough cost on one CPU thread, to size chunks */
  /* Where it has a kernel of TEAMS, steps are kernels of teams, too, on devices of one lane, and that is launched in
   * their place where a group's memory has room for so many numbers and so many for each of its points. */
  const kernel_description *team[2];
  int64_t team_shared, team_numbers;
} pipeline;

/* A column of R's data: element i is data[i % length]. */
typedef struct {
  const double *data;
  int64_t length;
} column;

static inline double column_at(column c, int64_t i) { return c.data[c.length == 1 ? 0 : i % c.length]; }

/* Numbers that many tasks read: a device keeps its copy until the block is dropped, memory is short or the device
 * goes. They stay the caller's and do not change. */
typedef struct {
  uint64_t id; /* of no other block */
  int32_t n, n_whole;
  const double *data;
  const int32_t *whole;
} kept_block;

typedef struct task task;
struct task {
  const pipeline *pipe;
  int64_t n;                 /* points */
  int64_t origin;            /* index of point 0 in the sample that this task draws a part of */
  int64_t run;               /* consecutive points that share a parameter set; n when all set columns have length 1 */
  column set_in[MAX_COLUMNS]; /* indexed by set, that is by point / run */
  column in[MAX_IN];
  double *out[MAX_COLUMNS];  /* each of length n */
  /* Where results are not columns: takes those of points first, ..., first + n - 1 instead, values[k][i] for column k
   * of out; called by several threads at once for different points, and never again for the same. grain: 0, or a
   * multiple of 16 such that chunks and what is delivered begin at multiples of it. */
  void (*deliver)(void *to, int64_t first, int32_t n, const double *const *values);
  void *deliver_to;
  int32_t grain;
  /* 0, or for sums over points: so many numbers for each `grain` points are all results, which the last step leaves
   * in a row at the beginning of the first column; they go to out[0]. Points are a multiple of grain. */
  int32_t numbers;
  /* For programs that include a text: what devices compile; kernels in C find the same in par, and run it in so many
   * columns of scratch, which take the place of work. */
  const char *text;
  int n_interpreter;
  int32_t piece;             /* points that a CPU thread takes at a time, or 0 */
  const double *par;         /* constants of the call, tables among them; the caller keeps them */
  int32_t n_par;
  const kept_block *kept;    /* NULL: none */
  int single;                /* computes in float: for pipelines of kernels that can; the data above stay double */
  /* NULL, or what makes floats of n numbers of column 0 of in where rounding would lose them; called by several
   * threads at once. */
  void (*narrow)(const task *t, int32_t n, const double *from, float *to);
};

/* What a launch of groups tells its kernel: GROUP_ARGS_OF in dialect.h. */
typedef struct {
  int32_t n, m, at, from, to, columns, transposed;
} group_numbers;

/* A pipeline that is a kernel which maps each point by itself. */
#define MAP_PIPELINE(name_, columns, kernel, ns)                                                             \
  {.name = name_, .n_in = columns, .n_out = 1, .step = {KERNEL_##kernel}, .ns_per_point = ns}

static inline int64_t at_most(int64_t n, int64_t most) { return n < most ? n : most; }

/* STATUS_INPUT, or STATUS_DEVICE, where a task cannot be run as it stands. */
status task_check(const task *t);

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
/* The same of column k of in. */
void reals_take_in(const task *t, void *to, int k, int64_t first, int32_t n);
/* How many numbers they are in a row, from the first column of results on; columns are stride apart. */
size_t results_of(const task *t, int32_t n, size_t stride);
/* Hands over a chunk's results. */
void deliver_results(const task *t, int64_t first, int32_t n, void *results, size_t stride);

/* Bit k: column k of in holds one value for all points. */
uint32_t shared_columns(const task *t);

/* Nominal nanoseconds of one point on one CPU thread, never 0. */
double task_cost(const task *t);

#endif
