/* devices.h: the devices of this process as the glue sees them: list and choice. Main thread only. */
#ifndef STATCL_DEVICES_H
#define STATCL_DEVICES_H

#include "engine/device_info.h"
#include "engine/errors.h"

/* Opens OpenCL once and lists what it finds. Having none is no failure: device 0, cpu, is always there. */
status devices_enumerate(void);
int devices_count(void);
const device_info *devices_get(int i);

/* The devices that tasks run on from now. Names other than cpu enumerate. count 0 takes the choice back. */
status devices_use(const char *const *names, int count);
/* How many are in use, and their indices; 0 while none is chosen: tasks then run on the cpu. */
int devices_in_use(int index[MAX_DEVICES]);
/* A failure where device i has no double precision, in which the function of that name is to compute. */
status devices_need_fp64(int i, const char *name);
/* Opens the devices in use and builds (or loads from the cache) all programs but those with texts: in double
 * precision, or in single where that is wanted or the device has no other. It polls as a task does. */
status devices_warm_up(int single);
/* How many of these programs the cache lacks. A device that lacks some is opened, and fails if it builds nothing. */
status devices_lacking(int single, int *unbuilt);

/* Calls what a family registers whenever the choice of devices changes, and at shutdown: for tables whose values are
 * those of the devices that made them. At most MAX_LISTENERS functions, each once. */
enum { MAX_LISTENERS = 8 };
void devices_on_change(void (*forget)(void));

/* In a forked child, which computes on the CPU, the first call does so too; elsewhere nothing. */
void devices_after_fork(void);

/* Gives back contexts, queues and memory; in a forked child only forgets them. */
void devices_shutdown(void);

#endif
