/* backend.h: what the host side of a family may ask of a device; written once for all families. backend_run() cuts a
 * task into chunks, spreads them over the devices in use, polls for interrupts between them and reports the first
 * failure. Nothing here knows R, OpenCL or any family. */
#ifndef STATCL_BACKEND_H
#define STATCL_BACKEND_H

#include "engine/task.h"

/* Runs the task on the devices in use. STATUS_OK, or the failure described by last_error(). Work in double precision
 * fails while a device that has none is in use. */
status backend_run(const task *t);

/* The task of a pipeline of points alone, with one column of results. */
status backend_columns(const pipeline *pipe, int64_t n, const column *in, const double *par, int n_par, double *out);

/* A block of n numbers and n_whole whole ones for tasks, which the caller keeps until it has dropped the block. In a
 * forked child a block that the parent made may be read and dropped. */
kept_block backend_block(int32_t n, const double *data, int32_t n_whole, const int32_t *whole);
void backend_drop_block(const kept_block *b);

/* Number, in the list of devices.h, of the OpenCL device in use to which work in double precision goes that is not
 * cut into chunks of points: the first that has it, or -1: the built-in CPU backend. */
int backend_device(void);

/* Points that keep the GPUs in use busy, which have as many side by side; 0: there are none. Nothing but the size of
 * pieces may depend on it. */
int64_t backend_fill(void);

/* Adds 1, or -1, to a count: while it is positive tasks run on the built-in CPU backend, whatever is in use. For
 * tables in double precision that a device without it is going to read. */
void backend_force_cpu(int more);

/* poll is called on the main thread at least every 0.1 s or so of a running task, with the share of the call done;
 * nonzero stops the task, which then returns STATUS_INTERRUPT once the devices have finished what they hold. */
void backend_set_poll(int (*poll)(void *data, double fraction), void *data);

/* For long work of the host between tasks, or before the chunks of one, every 0.1 s or so: polls as a task does. */
status backend_pause(double fraction);

/* The part of a call's work that the tasks to come make up, as shares of the whole: 0 to 1 at first, where a call is
 * one task. Who runs several divides the part that it was given, and gives it back:
 *
 *     const call_part whole = backend_part();
 *     for (...) { backend_set_part(whole, first / n, (first + some) / n); ... backend_run(...) ... }
 *     backend_set_part(whole, 0, 1);
 *
 * What several tasks do in a part that nobody can divide tells where that begins: from = to. NaN: nobody knows how
 * much is to come, and poll is told NaN. */
typedef struct {
  double from, to;
} call_part;
call_part backend_part(void);
void backend_set_part(call_part whole, double from, double to);

/* Nonzero inside backend_run(), that is for a caller that came in through the poll. */
int backend_running(void);

#endif
