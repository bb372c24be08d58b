/* ocl_kept.h: blocks of numbers that stay on an OpenCL device between tasks. */
#ifndef STATCL_OCL_KEPT_H
#define STATCL_OCL_KEPT_H

#include "engine/ocl_device.h"

/* The device's copy of the task's block, made where there is none; CL_SUCCESS, or the failure of a call, whose name
 * it tells. */
cl_int ocl_kept(ocl_device *d, cl_command_queue queue, const task *t, const kept_copy **copy, const char **call);
/* Releases the copies of this block, or of all blocks but it. */
void ocl_kept_release(ocl_device *d, uint64_t id);
void ocl_kept_release_others(ocl_device *d, uint64_t id);

#endif
