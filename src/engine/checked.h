/* checked.h: the checked build (-DSTATCL_CHECKED=1), for tests. What the CPU's kernels reach of columns and lists
 * (PLACES and what follows it in dialect.h) must be there by the pipeline's counts, must have been written before it
 * is read, and every point of a list must be taken and every result written. The first breach ends the task with
 * STATUS_INPUT and a message that names the kernel. In other builds these calls are nothing. */
#ifndef STATCL_CHECKED_H
#define STATCL_CHECKED_H

#include "engine/task.h"

#ifdef STATCL_CHECKED
/* A thread takes a piece, with cap places per column, through the steps. set_work: NULL if it holds from before. */
void checked_begin(const task *t, const chunk *c, int32_t cap, void *out, void *set_work, void *work, int32_t *list);
void checked_step(const kernel_description *k);
void checked_end(void);
/* Was there a breach since the last call? last_error() tells. */
int checked_failed(void);
#else
#define checked_begin(t, c, cap, out, set_work, work, list) ((void)0)
#define checked_step(k) ((void)0)
#define checked_end() ((void)0)
#define checked_failed() 0
#endif

#endif
