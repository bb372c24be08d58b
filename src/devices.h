/* devices.h: the devices of this process as the glue sees them: list, choice, folders, times. Main thread only. */
#ifndef STATCL_DEVICES_H
#define STATCL_DEVICES_H

#include <stdint.h>

#include "errors.h"

typedef struct {
  char name[24]; /* cpu, gpu:0, ocl-cpu:0, acc:0 */
  char type[16]; /* cpu, gpu, accelerator */
  char label[160], platform[160], vendor[160], driver[160];
  int units, fp64, usable;
  double memory, max_alloc; /* bytes; 0 for the built-in CPU backend */
  double score;             /* ranks GPUs for the default */
} device_info;

enum { MAX_DEVICES = 32 };

/* Where <program>.cl lies, and where built programs are kept (empty: nowhere). */
void devices_set_folders(const char *kernel_folder, const char *cache_folder);
const char *devices_kernel_folder(void);
const char *devices_cache_folder(void);

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
 * precision, or in single where that is wanted or the device has no other. pause is told between two programs what
 * share is done; what it returns ends the work unless it is STATUS_OK. */
status devices_warm_up(int single, status (*pause)(double fraction));

/* What the OpenCL loader said: the library's name when open, else why it is not. */
const char *devices_loader(int *is_open);
/* What went wrong while listing: a missing library, a driver that failed; empty when nothing did. */
const char *devices_trouble(void);
const char *cpu_level_name(void);

/* Gives back contexts, queues and memory; in a forked child only forgets them. */
void devices_shutdown(void);

/* Times of kernels and transfers between start and stop, summed over calls. */
typedef struct {
  char device[24], command[48], kind[16];
  int64_t calls, points;
  double seconds;
} profile_row;
void profile_start(void);
/* Stops and returns the rows; they stay valid until the next start. */
const profile_row *profile_stop(int *count);

#endif
