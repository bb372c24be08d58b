/* opencl.h: OpenCL devices, seen from the registry of devices. */
#ifndef STATCL_OPENCL_H
#define STATCL_OPENCL_H

#include <stdint.h>

#include "engine/device_info.h"
#include "engine/errors.h"

/* Opens the loader once and describes up to most devices. No loader or no platform: count 0 and STATUS_OK. */
status ocl_enumerate(device_info *info, int most, int *count);
/* What the loader said: the library's name when open, else why it is not. */
const char *ocl_loader(int *is_open);
/* What went wrong while listing: a missing library, a driver that failed; empty when nothing did. */
const char *ocl_trouble(void);
/* From now on nothing is opened, for the reason given; "" takes that back. */
void ocl_leave_out(const char *why);
/* Builds and runs a small kernel on the first device of every platform, for a process that is made to see whether it
 * survives that: nothing is given back. */
void ocl_try(void);
/* Builds every program of map.def without a text for device number index of that list, as devices_warm_up(): the work
 * is that from one share of the whole on, of such a length. */
status ocl_warm_up(int index, int single, double from, double length);
/* Adds how many of those are not in the cache. If there are, the device is opened, and fails if it builds nothing. */
status ocl_lacking(int index, int single, int *unbuilt);
/* The devices' copies of a block are no longer wanted. */
void ocl_drop_block(uint64_t id);
void ocl_shutdown(void);

#endif
