/* ocl_resident.h: blocks on an OpenCL device for resident.c, and their queue: launches and copies are done in order.
 * A failure is described by last_error(); after one there is nothing to do but to close. */
#ifndef STATCL_OCL_RESIDENT_H
#define STATCL_OCL_RESIDENT_H

#include "engine/task.h"

typedef struct ocl_resident ocl_resident;
enum { OCL_RESIDENT_BLOCKS = 3 };
status ocl_resident_open(int index, ocl_resident **made);
/* Has a call failed, or the device been given up meanwhile, with all that it held, or has clProfile() begun or ended
 * to listen? */
int ocl_resident_stale(const ocl_resident *r);
/* Called where a task lacks the memory of a device, between the functions below: to close what is not needed. */
void ocl_resident_on_shortage(void (*spare)(void));
/* Makes a block one of at least n numbers, whose values are nobody's if it was smaller. */
status ocl_resident_room(ocl_resident *r, int which, int64_t n);
void ocl_resident_empty(ocl_resident *r, int which);
/* These wait. */
status ocl_resident_send(ocl_resident *r, int which, int64_t first, int64_t n, const double *from);
status ocl_resident_receive(ocl_resident *r, int which, int64_t first, int64_t n, double *to);
/* These do not. A mark is reached when all before it is done, and fetches `found`, which *found has when the oldest
 * mark is; no more than OCL_MARKS of them may be open. */
enum { OCL_MARKS = 2 };
status ocl_resident_launch(ocl_resident *r, const kernel_description *k, int32_t first, int64_t groups,
                           const group_numbers *with);
/* Of a step of a pipeline places first, ..., first + n - 1 of its columns of results, in block `to`: place 0 is that
 * of point `offset` of the task. Its constants are in another block. */
status ocl_resident_points(ocl_resident *r, const kernel_description *k, int32_t first, int32_t n, int64_t offset,
                           int to, int32_t apart, int constants);
status ocl_resident_mark(ocl_resident *r);
status ocl_resident_reached(ocl_resident *r, int *reached, int32_t *found);
/* Waits for what is under way. A device that failed is released with all that it holds. */
void ocl_resident_close(ocl_resident *r);
/* How much work, in nanoseconds of one CPU thread, it may be asked for at first. */
double ocl_resident_first(const ocl_resident *r);

#endif
