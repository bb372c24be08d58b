/* opencl.h: OpenCL opened at run time: through a loader or, where there is none or it knows no device, from the
 * library of a driver itself. */
#ifndef STATCL_GPU_OPENCL_H
#define STATCL_GPU_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

/* What is used, with its place in the table that the objects of every driver begin with (cl_khr_icd). */
#define CL_ENTRIES(E)                                                                                        \
  E(clGetPlatformIDs, 0) E(clGetPlatformInfo, 1) E(clGetDeviceIDs, 2) E(clGetDeviceInfo, 3)                  \
  E(clCreateContext, 4) E(clCreateCommandQueue, 9) E(clCreateBuffer, 14) E(clReleaseMemObject, 18)           \
  E(clCreateProgramWithSource, 26) E(clCreateProgramWithBinary, 27) E(clBuildProgram, 30)                    \
  E(clGetProgramInfo, 32) E(clGetProgramBuildInfo, 33) E(clCreateKernel, 34) E(clReleaseKernel, 36)          \
  E(clSetKernelArg, 38) E(clGetKernelWorkGroupInfo, 40) E(clReleaseEvent, 44) E(clGetEventProfilingInfo, 45) \
  E(clFinish, 47) E(clEnqueueReadBuffer, 48) E(clEnqueueWriteBuffer, 49) E(clEnqueueMapBuffer, 56)           \
  E(clEnqueueUnmapMemObject, 58) E(clEnqueueNDRangeKernel, 59)

typedef struct {
#define CL_FIELD(name, place) __typeof__(&name) name;
  CL_ENTRIES(CL_FIELD)
#undef CL_FIELD
} cl_table;
extern cl_table cl;

/* The device that all is done on, with a context and a queue that records times. */
typedef struct {
  cl_platform_id platform;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  char name[160], driver[160], library[160];
  int is_gpu, units, exact_single, is_nvidia;
  double memory, most_at_once; /* bytes in all, and of a buffer */
} device;

/* Device `number` of those with double precision, GPUs first; 0 where there is none. STATCL_OPENCL_LIBRARY: from this
 * library alone. */
int device_find(device *d, int number);
int device_open(device *d);
/* Ends the process with the call and its code, unless the code is CL_SUCCESS. */
void must(const char *call, cl_int code);
double seconds_now(void);

cl_mem buffer_make(const device *d, size_t bytes);
void buffer_send(const device *d, cl_mem to, size_t offset, size_t bytes, const void *from);
void buffer_fetch(const device *d, cl_mem from, size_t offset, size_t bytes, void *to);
/* Memory here that the device copies from and to by itself, or any. */
typedef struct {
  void *at;
  cl_mem pinned;
} host_memory;
host_memory host_make(const device *d, size_t bytes);
void host_release(const device *d, host_memory m);
double event_seconds(cl_event e); /* releases it */

#endif
