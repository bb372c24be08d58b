/* ocl_build.h: the programs of a device and their kernels, which ocl_build.c makes and owns. */
#ifndef STATCL_OCL_BUILD_H
#define STATCL_OCL_BUILD_H

#include "engine/ocl_device.h"

/* Builds the programs of these kernels, which NULL ends, as far as they are not there yet: from the cache of
 * binaries, else from source, several at once where computations have threads. It polls as a task does, from one
 * share of the work on and over such a length of it (NaN: nobody knows), and is left between two programs. text: for
 * programs that include one. */
status ocl_need_kernels(ocl_device *d, const kernel_description *const *k, int single, const char *text, double from,
                        double length);
status ocl_need_kernel(ocl_device *d, const kernel_description *k, int single, const char *text);
void ocl_release_programs(ocl_device *d);

/* Who is called while programs are built, several times a second; at first nobody. */
void ocl_poll_by(status (*pause)(double fraction));
/* How many of how many programs have been built, for the display of progress; of 0 where none is being built. */
void ocl_building(int *done, int *of);
/* Adds the number of programs of these kernels that are neither there nor in the cache. */
status ocl_unbuilt(ocl_device *d, const kernel_description *const *k, int single, int *unbuilt);
/* Has the driver compile a small kernel, to see whether it does so at all. */
status ocl_try_compiler(ocl_device *d);

#endif
