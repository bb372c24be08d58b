/* ocl_run.h: an OpenCL device at work, seen from the scheduler; it owns the device's queues and buffers. */
#ifndef STATCL_OCL_RUN_H
#define STATCL_OCL_RUN_H

#include "engine/ocl_device.h"
#include "engine/task.h"

/* Points of a task's chunks on a device that keeps so many columns of scratch: the most, those that fill it (0: few
 * do), and the first chunk. */
typedef struct {
  int64_t most, fill, first;
} chunk_limits;
chunk_limits ocl_limits(const device_info *info, const task *t, int work);
/* Points of a chunk where each takes so many seconds. */
int64_t ocl_piece(chunk_limits may, double seconds);

/* A device in the service of one task: two chunks at a time are in flight. */
typedef struct ocl_runner ocl_runner;
/* As every failure below, one to open leaves nothing of the device open, so that the next call starts afresh. */
status ocl_open(int index, const task *t, ocl_runner **made);
/* Points it would take now; 0 while both places are taken. */
int64_t ocl_chunk_size(const ocl_runner *r);
/* Starts a chunk. Where the device's memory does not allow it, *accepted is 0 and the chunk size has halved. */
status ocl_submit(ocl_runner *r, int64_t first, int64_t n, int *accepted);
/* Looks for one finished chunk without waiting: COMPLETE (results are in place) or RETURNED (to be run again). */
enum outcome { PENDING, COMPLETE, RETURNED };
status ocl_collect(ocl_runner *r, enum outcome *what, int64_t *first, int64_t *n);
/* Waits for what is in flight and drops it. */
void ocl_close(ocl_runner *r);

/* Releases the memory of a device that no task is using. */
void ocl_make_room(ocl_device *d);
/* Releases everything that a device holds; the next call opens it again. */
void ocl_drop(ocl_device *d);

#endif
