/* ocl_build.h: the programs of a device and their kernels, which ocl_build.c makes and owns. */
#ifndef STATCL_OCL_BUILD_H
#define STATCL_OCL_BUILD_H

#include "engine/ocl_device.h"

/* Builds the kernel's program when it is not there yet: from the cache of binaries, else from source. text: for
 * programs that include one. */
status ocl_need_kernel(ocl_device *d, const kernel_description *k, int single, const char *text);
void ocl_release_programs(ocl_device *d);

#endif
