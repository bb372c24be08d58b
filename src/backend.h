/* backend.h: what the host side of a family may ask of a device; written once for all families.
 *
 * A family describes its work as a pipeline: kernels of inst/kernels/map.def run in order over a chunk of points
 * (or over the parameter sets, or over compacted lists of points that earlier kernels filled), with scratch columns
 * between them. A task is one call: a pipeline and its data. backend_run() cuts it into chunks, spreads them
 * over the devices in use, polls for interrupts between them and reports the first failure.
 * Nothing here knows R, OpenCL or any family. */
#ifndef STATCL_BACKEND_H
#define STATCL_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "errors.h"

enum kernel_id {
#define KERNEL_LINE(program, kernel, domain) KERNEL_##kernel,
#define EITHER_LINE KERNEL_LINE
#define TEXT_LINE KERNEL_LINE
#include "map.def"
#undef KERNEL_LINE
#undef EITHER_LINE
#undef TEXT_LINE
  KERNEL_COUNT
};

enum {
  MAX_COLUMNS = 224,
  MAX_IN = 32, /* bits of shared */
  MAX_STEPS = 12,
  MAX_LISTS = 16 /* LIST_HEAD of dialect.h */
};

typedef struct {
  const char *name;         /* of the R function, for progress, profiles and messages */
  int n_set_in, n_in, n_out; /* columns: per parameter set, per point, results */
  int n_set_work, n_work;   /* scratch columns per set and per point */
  int n_list;               /* compacted lists, at most MAX_LISTS */
  int n_step;
  enum kernel_id step[MAX_STEPS];
  double ns_per_point;      /* rough cost on one CPU thread, to size chunks */
} pipeline;

/* A column of R's data: element i is data[i % length]. */
typedef struct {
  const double *data;
  int64_t length;
} column;

static inline double column_at(column c, int64_t i) { return c.data[c.length == 1 ? 0 : i % c.length]; }

typedef struct {
  const pipeline *pipe;
  int64_t n;                 /* points */
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
  /* For programs that include a text: what devices compile; kernels in C find the same in par, and run it in so many
   * columns of scratch, which take the place of work. */
  const char *text;
  int n_interpreter;
  int32_t piece;             /* points that a CPU thread takes at a time, or 0 */
  const double *par;         /* constants of the call, tables among them; the caller keeps them */
  int32_t n_par;
  int single;                /* computes in float: for pipelines of kernels that can; the data above stay double */
} task;

/* Runs the task on the devices in use. STATUS_OK, or the failure described by last_error(). Work in double precision
 * fails while a device that has none is in use. */
status backend_run(const task *t);

/* The task of a pipeline of points alone, with one column of results. */
status backend_columns(const pipeline *pipe, int64_t n, const column *in, const double *par, int n_par, double *out);

/* A pipeline that is a kernel which maps each point by itself. */
#define MAP_PIPELINE(name_, columns, kernel, ns)                                                             \
  {.name = name_, .n_in = columns, .n_out = 1, .n_step = 1, .step = {KERNEL_##kernel}, .ns_per_point = ns}

/* Adds 1, or -1, to a count: while it is positive tasks run on the built-in CPU backend, whatever is in use. For
 * tables in double precision that a device without it is going to read. */
void backend_at_home(int more);

/* poll is called on the main thread at least every 0.1 s or so of a running task, with the share of points done;
 * nonzero stops the task, which then returns STATUS_INTERRUPT once the devices have finished what they hold. */
void backend_set_poll(int (*poll)(void *data, double fraction), void *data);

/* The share of the whole that poll is told for the tasks to come, instead of each task's own; backend_set_poll()
 * returns to that. */
void backend_set_progress(double fraction);

/* Nonzero inside backend_run(), that is for a caller that came in through the poll. */
int backend_running(void);

#endif
