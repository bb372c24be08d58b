/* opencl.h: OpenCL devices, seen from the scheduler and the registry of devices. */
#ifndef STATCL_OPENCL_H
#define STATCL_OPENCL_H

#include "devices.h"
#include "runner.h"

/* Opens the loader once and describes up to most devices. No loader or no platform: count 0 and STATUS_OK. */
status ocl_enumerate(device_info *info, int most, int *count);
/* Builds every program of map.def without a text for device number index of that list, as devices_warm_up(): the work
 * is that from one share of the whole on, of such a length. */
status ocl_warm_up(int index, int single, double from, double length, status (*pause)(double fraction));
void ocl_shutdown(void);

/* A device in the service of one task: two chunks at a time are in flight. */
typedef struct ocl_runner ocl_runner;
status ocl_open(int index, const task *t, ocl_runner **made);
/* Points it would take now; 0 while both places are taken. */
int64_t ocl_appetite(const ocl_runner *r);
/* Starts a chunk. Where the device's memory does not allow it, *accepted is 0 and the appetite has halved. */
status ocl_submit(ocl_runner *r, int64_t first, int64_t n, int *accepted);
/* Looks for one finished chunk without waiting: COMPLETE (results are in place) or RETURNED (to be run again). */
enum outcome { PENDING, COMPLETE, RETURNED };
status ocl_collect(ocl_runner *r, enum outcome *what, int64_t *first, int64_t *n);
/* Waits for what is in flight and drops it. */
void ocl_close(ocl_runner *r);

#endif
