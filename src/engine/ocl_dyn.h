/* ocl_dyn.h: libOpenCL opened at run time, and the table of its entry points: ocl.clFinish(queue). */
#ifndef STATCL_OCL_DYN_H
#define STATCL_OCL_DYN_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "engine/errors.h"

#define OCL_ENTRIES(E)                                                                                       \
  E(clGetPlatformIDs) E(clGetPlatformInfo) E(clGetDeviceIDs) E(clGetDeviceInfo)                              \
  E(clCreateContext) E(clReleaseContext) E(clCreateCommandQueue) E(clReleaseCommandQueue)                    \
  E(clCreateProgramWithSource) E(clCreateProgramWithBinary) E(clBuildProgram) E(clReleaseProgram)            \
  E(clGetProgramInfo) E(clGetProgramBuildInfo)                                                               \
  E(clCreateKernel) E(clReleaseKernel) E(clSetKernelArg) E(clGetKernelWorkGroupInfo)                         \
  E(clCreateBuffer) E(clReleaseMemObject)                                                                    \
  E(clEnqueueWriteBuffer) E(clEnqueueReadBuffer) E(clEnqueueMapBuffer) E(clEnqueueUnmapMemObject)            \
  E(clEnqueueNDRangeKernel)                                                                                  \
  E(clGetEventInfo) E(clGetEventProfilingInfo) E(clReleaseEvent) E(clFlush) E(clFinish)

/* __typeof__ of a declared function is not evaluated: nothing is linked. */
typedef struct {
#define OCL_FIELD(name) __typeof__(&name) name;
  OCL_ENTRIES(OCL_FIELD)
#undef OCL_FIELD
} ocl_table;

extern ocl_table ocl;

/* Opens the library: STATCL_OPENCL_LIBRARY, else the system's. STATUS_DEVICE says why there is none. A failure is
 * not remembered, so that a loader installed later, or another path, is found. */
status ocl_load(void);
/* Can this library, of a driver, be opened? It is closed again; `why` says why not. */
int ocl_opens(const char *name, char *why, size_t room);
/* The open library's name, or NULL. */
const char *ocl_library(void);
const char *ocl_code_name(cl_int code);

#endif
