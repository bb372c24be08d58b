/* replay.h: what the processes that driver.c starts do on the device. Each writes lines with tabulators between
 * fields, of which driver.c makes the table. */
#ifndef STATCL_GPU_REPLAY_H
#define STATCL_GPU_REPLAY_H

#include "opencl.h"
#include "tasks.h"

/* Builds a program and keeps the binary and what the compiler said in the folder out.
 * build <program> <seconds>; kernel <name> <single> <bytes of private memory> <largest group> */
void replay_build(const device *d, const char *folder, const char *out, const char *program);
/* Replays tasks of a program from the number `from` on, and compares after every step.
 * task <number>; check <kernel> <single> <values> <wrong> <largest difference in units of the last digit> */
void replay_check(const device *d, const prepared *p, const char *folder, const char *out, const char *program,
                  int from);

/* Arguments of pipelines that say how many points there are, columns' distance, and sets of parameters. */
typedef struct {
  int64_t n, cap, sets;
} extent_of;
extent_of as_recorded(const step *s);
cl_event replay_launch(const device *d, const char *folder, const char *out, const step *s, const cl_mem *buffer,
                       extent_of e);
void *room_for(size_t bytes);

/* timing.c. device <what> <value>: peaks are measured, by a loop of independent multiply-adds and by a copy. */
void timing_device(const device *d);
/* Times task `number`. With `count` so many points are done once, after a line "count <label> <results>".
 * time <label> <results> <seconds of kernels> <seconds with transfers> <bytes>; step <label> <kernel> <seconds> */
void timing_task(const device *d, const prepared *p, const char *folder, const char *out, int number, int64_t count);

#endif
