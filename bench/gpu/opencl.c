/* opencl.c: see opencl.h. */
#define _POSIX_C_SOURCE 200809L
#include "opencl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

cl_table cl;

static const char *const libraries[] = {
    "libOpenCL.so.1", "libOpenCL.so", "libnvidia-opencl.so.1", "/usr/local/nvidia/lib64/libnvidia-opencl.so.1",
    "/usr/lib64/libnvidia-opencl.so.1", "libamdocl64.so", "/opt/rocm/lib/libamdocl64.so",
    "/opt/rocm/opencl/lib/libamdocl64.so", "libigdrcl.so",
    "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so", "libpocl.so.2", NULL};

void must(const char *call, cl_int code) {
  if (code == CL_SUCCESS) return;
  printf("failed\t%s returned %d\n", call, (int)code);
  fflush(stdout);
  exit(3);
}

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A loader has all functions by name. A driver has one, for its platforms, whose first field is the table. */
static cl_uint platforms_of(const char *name, cl_platform_id platform[16]) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL), *entry;
  cl_uint n = 0;
  if (!library) return 0;
  int all = 1;
#define CL_BY_NAME(name, place)                                                                              \
  entry = dlsym(library, #name);                                                                             \
  memcpy(&cl.name, &entry, sizeof entry);                                                                    \
  all = all && entry;
  CL_ENTRIES(CL_BY_NAME)
  if (all) return cl.clGetPlatformIDs(16, platform, &n) == CL_SUCCESS ? n : 0;
  void *(*extension)(const char *);
  cl_int (*drivers_own)(cl_uint, cl_platform_id *, cl_uint *);
  entry = dlsym(library, "clGetExtensionFunctionAddress");
  if (!entry) return 0;
  memcpy(&extension, &entry, sizeof entry);
  entry = extension("clIcdGetPlatformIDsKHR");
  if (!entry) return 0;
  memcpy(&drivers_own, &entry, sizeof entry);
  if (drivers_own(16, platform, &n) != CL_SUCCESS || !n) return 0;
  void *const *table = *(void *const *const *)(void *)platform[0];
#define CL_BY_PLACE(name, place) memcpy(&cl.name, table + place, sizeof *table);
  CL_ENTRIES(CL_BY_PLACE)
  return n;
}

static cl_ulong number_of(cl_device_id id, cl_device_info what) {
  cl_ulong value = 0;
  cl_uint small = 0;
  size_t size = 0;
  if (cl.clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS || size > sizeof value) return 0;
  if (size == sizeof small) return cl.clGetDeviceInfo(id, what, size, &small, NULL) == CL_SUCCESS ? small : 0;
  return cl.clGetDeviceInfo(id, what, size, &value, NULL) == CL_SUCCESS ? value : 0;
}

/* Tabulators part the fields of what is written of it. */
static void text_of(cl_device_id id, cl_device_info what, char *text, size_t room) {
  if (cl.clGetDeviceInfo(id, what, room, text, NULL) != CL_SUCCESS) snprintf(text, room, "unknown");
  for (char *at = text; *at; at++)
    if (*at == '\t' || *at == '\n' || *at == '"' || *at == '\\') *at = ' ';
}

static void describe(device *d, cl_platform_id platform, cl_device_id id, const char *library) {
  memset(d, 0, sizeof *d);
  d->platform = platform;
  d->id = id;
  text_of(id, CL_DEVICE_NAME, d->name, sizeof d->name);
  text_of(id, CL_DRIVER_VERSION, d->driver, sizeof d->driver);
  snprintf(d->library, sizeof d->library, "%s", library);
  char vendor[160];
  text_of(id, CL_DEVICE_VENDOR, vendor, sizeof vendor);
  d->is_nvidia = strstr(vendor, "NVIDIA") != NULL;
  d->is_gpu = (number_of(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
  d->units = (int)number_of(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  d->exact_single = (number_of(id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  d->memory = (double)number_of(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  d->most_at_once = (double)number_of(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
}

static int find_in(const char *library, int gpus, device *d, int *number) {
  cl_platform_id platform[16];
  const cl_uint n = platforms_of(library, platform);
  for (cl_uint p = 0; p < n && p < 16; p++) {
    cl_device_id id[32];
    cl_uint count = 0;
    if (cl.clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 32, id, &count) != CL_SUCCESS) continue;
    for (cl_uint i = 0; i < count && i < 32; i++) {
      describe(d, platform[p], id[i], library);
      if (d->is_gpu == gpus && number_of(id[i], CL_DEVICE_DOUBLE_FP_CONFIG) && (*number)-- == 0) return 1;
    }
  }
  return 0;
}

int device_find(device *d, int number) {
  const char *wanted = getenv("STATCL_OPENCL_LIBRARY"), *const one[] = {wanted, NULL};
  const char *const *names = wanted && *wanted ? one : libraries;
  for (int gpus = 1; gpus >= 0; gpus--)
    for (int i = 0; names[i]; i++)
      if (find_in(names[i], gpus, d, &number)) return 1;
  return 0;
}

int device_open(device *d) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)d->platform, 0};
  cl_int code;
  d->context = cl.clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
  must("clCreateContext", code);
  d->queue = cl.clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
  must("clCreateCommandQueue", code);
  return 1;
}

cl_mem buffer_make(const device *d, size_t bytes) {
  cl_int code;
  cl_mem made = cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes ? bytes : 8, NULL, &code);
  must("clCreateBuffer", code);
  return made;
}

void buffer_send(const device *d, cl_mem to, size_t offset, size_t bytes, const void *from) {
  if (bytes) must("clEnqueueWriteBuffer",
                  cl.clEnqueueWriteBuffer(d->queue, to, CL_TRUE, offset, bytes, from, 0, NULL, NULL));
}

void buffer_fetch(const device *d, cl_mem from, size_t offset, size_t bytes, void *to) {
  if (bytes) must("clEnqueueReadBuffer",
                  cl.clEnqueueReadBuffer(d->queue, from, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
}

host_memory host_make(const device *d, size_t bytes) {
  const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
  host_memory m = {NULL, NULL};
  cl_int code;
  m.pinned = cl.clCreateBuffer(d->context, flags, bytes, NULL, &code);
  if (code == CL_SUCCESS)
    m.at = cl.clEnqueueMapBuffer(d->queue, m.pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL,
                                 &code);
  if (m.at && code == CL_SUCCESS) return m;
  m.pinned = NULL;
  m.at = malloc(bytes);
  if (!m.at) must("malloc", CL_OUT_OF_HOST_MEMORY);
  return m;
}

void host_release(const device *d, host_memory m) {
  if (!m.pinned) {
    free(m.at);
    return;
  }
  must("clEnqueueUnmapMemObject", cl.clEnqueueUnmapMemObject(d->queue, m.pinned, m.at, 0, NULL, NULL));
  must("clFinish", cl.clFinish(d->queue));
  cl.clReleaseMemObject(m.pinned);
}

double event_seconds(cl_event e) {
  cl_ulong start = 0, end = 0;
  cl.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  cl.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  cl.clReleaseEvent(e);
  return 1e-9 * (double)(end - start);
}
