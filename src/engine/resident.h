/* resident.h: numbers that stay on one device while cooperative kernels (GROUP_LINE in map.def) work on them, launch
 * after launch, for families whose work is no pipeline. A failure is described by last_error(); after one there is
 * nothing to do but to close. Interrupts are polled wherever something here waits. */
#ifndef STATCL_RESIDENT_H
#define STATCL_RESIDENT_H

#include "engine/task.h"

/* Blocks for what cooperative kernels call a and b, and for the constants of tasks. */
enum { RESIDENT_A, RESIDENT_B, RESIDENT_CONSTANTS, RESIDENT_BLOCKS };
typedef struct resident resident;

/* On the device of that number in the list of devices.h; 0: in C, on one thread. */
status resident_open(int device, resident **made);
/* Nonzero where another has to be opened instead: a call failed, the device was given up since, with all that it
 * held, or clProfile() has begun or ended to listen. */
int resident_stale(const resident *r);
/* Registers the one function that is called where a task lacks memory of its device, to close what is held for later.
 */
void resident_on_shortage(void (*spare)(void));
/* Makes a block one of at least n numbers, whose values are nobody's if it was smaller. */
status resident_room(resident *r, int which, int64_t n);
/* Gives the memory of the first two back; the constants stay. */
void resident_empty(resident *r);
/* Copies n numbers to a block from `first` on, or back, once all launches are done. */
status resident_send(resident *r, int which, int64_t first, int64_t n, const double *from);
status resident_receive(resident *r, int which, int64_t first, int64_t n, double *to);
/* So many groups, fewer than 2^31, each with work for about ns nanoseconds of a CPU thread; waits only where the
 * device has enough to do. */
status resident_launch(resident *r, const kernel_description *k, int64_t groups, double ns,
                       const group_numbers *with);
/* Makes these the constants of tasks. What is as it was in those before is not sent again. */
status resident_constants(resident *r, int64_t n, const double *par);
/* The steps of a task without columns but of results, for points first, ..., first + n - 1, multiples of CPU_LANES:
 * results go to a block, columns `apart` numbers apart, from number `at` of each on. */
status resident_points(resident *r, const task *t, int64_t first, int64_t n, int which, int64_t at, int64_t apart);
/* Waits for all launches. */
status resident_finish(resident *r);
/* The share of the call's work that is done, for polls from now on. */
void resident_progress(resident *r, double fraction);
/* What kernels have written to found[0], 0 at first, in the launches that are known to be done. */
int32_t resident_found(const resident *r);
void resident_close(resident *r);

#endif
