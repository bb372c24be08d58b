/* ocl_device.h: an OpenCL device and all handles that belong to it, each of which has one owner: contexts are made
 * and released by ocl_device.c, programs and kernels by ocl_build.c, queues and buffers by ocl_run.c. */
#ifndef STATCL_OCL_DEVICE_H
#define STATCL_OCL_DEVICE_H

#include "engine/device_info.h"
#include "engine/ocl_dyn.h"
#include "engine/task.h"

enum { BUF_SET_IN, BUF_IN, BUF_OUT, BUF_SET_WORK, BUF_WORK, BUF_LIST, BUF_PAR, BUFFERS };
enum { KEPT_BLOCKS = 32, SLOTS = 2, TEXTS = 64, MAX_EVENTS = MAX_STEPS + MAX_COLUMNS + 4 };

/* A command whose times clProfile() wants. */
typedef struct {
  cl_event event;
  const char *command, *kind;
  size_t bytes; /* of a transfer */
} timed_command;

/* One of the two chunks in flight: an in-order queue, its buffers, and host memory to send from and receive in. */
typedef struct {
  cl_command_queue queue;
  int timed; /* the queue records times */
  cl_mem buffer[BUFFERS];
  size_t bytes[BUFFERS];
  cl_mem pinned; /* backs the host area where the driver gives pinned memory */
  char *area;
  size_t area_bytes;
  cl_event done;
  int busy;
  int64_t first;
  int32_t n, cap;
  double submitted;
  timed_command command[MAX_EVENTS];
  int commands;
} slot;

/* A program that was built with a task's text, kept for the next task that brings the same. */
typedef struct {
  uint64_t hash[2]; /* of the text */
  const kernel_description *of;
  cl_program program;
  cl_kernel kernel;
  size_t group;
  long used; /* when last */
} text_program;

/* A device's copy of a block, in double or single precision; id 0: none. */
typedef struct {
  uint64_t id;
  int single;
  cl_mem real, whole;
  long used; /* when last */
} kept_copy;

/* program: that of the first kernel in it serves all; group: work-group size. */
typedef struct {
  cl_program program;
  cl_kernel kernel;
  size_t group;
} built_kernel;

typedef struct {
  cl_platform_id platform;
  cl_device_id id;
  device_info info;
  char platform_version[160];
  int is_cpu;
  double local; /* bytes that a group can share */
  cl_context context;
  int exact_single; /* can divide and take roots in float with correct rounding */
  built_kernel *built[2]; /* by number; [1]: those compiled for single precision. NULL without a context */
  text_program text[TEXTS]; /* the kernels above that have a text are borrowed from here */
  long texts_used;
  kept_copy kept[KEPT_BLOCKS];
  long kept_used;
  slot slot[SLOTS];
  double slowness; /* measured over nominal cost of a point; at first as if a compute unit were a CPU thread */
} ocl_device;

/* Tells clProfile() of a command that is done. */
void ocl_profile(const ocl_device *d, cl_event event, const char *command, const char *kind, int64_t points,
                 size_t bytes);
/* Turns a failed call into a status and a message with call, code and device. */
status ocl_fail(const ocl_device *d, const char *call, cl_int code);
int ocl_is_memory(cl_int code);
/* What drivers answer once a device has gone or its context was torn down by a fault. */
int ocl_is_lost(cl_int code);

/* What gives back memory of devices that is held for later, and the call of it. */
void ocl_on_shortage(void (*spare)(void));
void ocl_spare(void);

ocl_device *ocl_device_at(int index);
status ocl_need_context(ocl_device *d);
void ocl_release_context(ocl_device *d);

/* NULL unless *code is CL_SUCCESS; a buffer that is too large for the device is a lack of memory. */
cl_command_queue ocl_queue(const ocl_device *d, int timed, cl_int *code);
cl_mem ocl_buffer(cl_context context, cl_mem_flags flags, size_t bytes, cl_int *code);

#endif
