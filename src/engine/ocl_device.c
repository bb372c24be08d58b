/* ocl_device.c: the table of OpenCL devices, their contexts, and what their failures mean. */
#include "engine/ocl_device.h"

#include <stdlib.h>

#include "engine/profile.h"

static ocl_device devices[MAX_DEVICES];

static void (*spare_memory)(void);
void ocl_on_shortage(void (*spare)(void)) { spare_memory = spare; }
void ocl_spare(void) {
  if (spare_memory) spare_memory();
}

ocl_device *ocl_device_at(int index) { return devices + index; }

int ocl_is_memory(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

int ocl_is_lost(cl_int code) {
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_CONTEXT || code == CL_INVALID_COMMAND_QUEUE ||
         code == CL_INVALID_DEVICE || code == CL_INVALID_EVENT || code == CL_INVALID_MEM_OBJECT || code < -1001;
}

void ocl_profile(const ocl_device *d, cl_event event, const char *command, const char *kind, int64_t points,
                 size_t bytes) {
  cl_ulong start = 0, end = 0;
  if (ocl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
      ocl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS)
    profile_add(d->info.name, command, kind, points, (int64_t)bytes, 1e-9 * (double)(end - start));
}

status ocl_fail(const ocl_device *d, const char *call, cl_int code) {
  if (ocl_is_memory(code))
    return fail(STATUS_MEMORY, "device %s (%s) is out of memory: %s returned %s (%d)", d->info.name, d->info.label,
                call, ocl_code_name(code), (int)code);
  if (ocl_is_lost(code))
    return fail(STATUS_DEVICE,
                "device %s (%s) was lost: %s returned %s (%d). The next call opens it again; "
                "useDevice(\"cpu\") does without it",
                d->info.name, d->info.label, call, ocl_code_name(code), (int)code);
  return fail(STATUS_DEVICE, "device %s (%s, driver %s): %s returned %s (%d)", d->info.name, d->info.label,
              d->info.driver, call, ocl_code_name(code), (int)code);
}

status ocl_need_context(ocl_device *d) {
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, 0, 0};
  cl_int code;
  if (d->context) return STATUS_OK;
  for (int single = 0; single < 2; single++) {
    if (!d->built[single]) d->built[single] = calloc((size_t)kernel_count, sizeof *d->built[single]);
    if (!d->built[single]) return fail(STATUS_MEMORY, "out of memory for the kernels of a device");
  }
  properties[1] = (cl_context_properties)d->platform;
  d->context = ocl.clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
  if (code == CL_SUCCESS && d->context) return STATUS_OK;
  d->context = NULL;
  return ocl_fail(d, "clCreateContext", code);
}

void ocl_release_context(ocl_device *d) {
  if (d->context) ocl.clReleaseContext(d->context);
  d->context = NULL;
}

cl_command_queue ocl_queue(const ocl_device *d, int timed, cl_int *code) {
  cl_command_queue made = ocl.clCreateCommandQueue(d->context, d->id, timed ? CL_QUEUE_PROFILING_ENABLE : 0, code);
  return *code == CL_SUCCESS ? made : NULL;
}

cl_mem ocl_buffer(cl_context context, cl_mem_flags flags, size_t bytes, cl_int *code) {
  cl_mem made = ocl.clCreateBuffer(context, flags, bytes, NULL, code);
  if (*code == CL_INVALID_BUFFER_SIZE || (*code == CL_SUCCESS && !made)) *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return *code == CL_SUCCESS ? made : NULL;
}
