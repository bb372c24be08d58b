/* opencl.c: OpenCL platforms and the list of their devices. */
#include "engine/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ocl_build.h"
#include "engine/ocl_kept.h"
#include "engine/ocl_run.h"

static int n_devices;
static char left_out[512]; /* why no driver may be opened */
static char trouble[512];  /* of the last ocl_enumerate(): why there is no library, or which platform failed */

const char *ocl_loader(int *is_open) {
  *is_open = ocl_library() != NULL;
  return *is_open ? ocl_library() : trouble[0] ? trouble : "not opened";
}

const char *ocl_trouble(void) { return trouble; }

static void note(const char *call, const char *where, cl_int code) {
  snprintf(trouble, sizeof trouble, "%s%s%s returned %s (%d)", call, *where ? " on platform " : "", where,
           ocl_code_name(code), (int)code);
}

static void squeeze(char *text) {
  char *to = text, *from = text;
  while (*from == ' ') from++;
  for (; *from; from++)
    if (*from != ' ' || (from[1] != ' ' && from[1])) *to++ = *from;
  *to = '\0';
}

static void platform_text(cl_platform_id p, cl_platform_info what, char *text, size_t room) {
  if (ocl.clGetPlatformInfo(p, what, room - 1, text, NULL) != CL_SUCCESS) strcpy(text, "unknown");
  text[room - 1] = '\0';
  squeeze(text);
}

static void device_text(cl_device_id d, cl_device_info what, char *text, size_t room) {
  if (ocl.clGetDeviceInfo(d, what, room - 1, text, NULL) != CL_SUCCESS) strcpy(text, "unknown");
  text[room - 1] = '\0';
  squeeze(text);
}

/* 0 where the query fails, as it may where a device knows no such property; every numeric property asked for fits
 * 64 bits. */
static cl_ulong device_number(cl_device_id d, cl_device_info what) {
  cl_ulong value = 0;
  size_t size = 0;
  unsigned char bytes[sizeof value] = {0};
  cl_int code = ocl.clGetDeviceInfo(d, what, sizeof bytes, bytes, &size);
  if (code != CL_SUCCESS && code != CL_INVALID_VALUE) note("clGetDeviceInfo", "", code);
  if (code != CL_SUCCESS) return 0;
  if (size == sizeof(cl_uint)) {
    cl_uint small;
    memcpy(&small, bytes, sizeof small);
    return small;
  }
  memcpy(&value, bytes, sizeof value);
  return value;
}

/* Drivers of displays end what takes longer than some seconds. One maker's tell of it, and in others it may be so. */
static int may_be_watched(cl_device_id d) {
  enum { KERNEL_EXEC_TIMEOUT_NV = 0x4005 };
  char extensions[8192];
  device_text(d, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
  return !strstr(extensions, "cl_nv_device_attribute_query") || device_number(d, KERNEL_EXEC_TIMEOUT_NV) != 0;
}

static void describe(ocl_device *d, cl_platform_id platform, cl_device_id id, int number[3]) {
  static const char *const prefix[] = {"gpu", "ocl-cpu", "acc"}, *const type[] = {"gpu", "cpu", "accelerator"};
  cl_device_type kinds = (cl_device_type)device_number(id, CL_DEVICE_TYPE);
  int kind = kinds & CL_DEVICE_TYPE_GPU ? 0 : kinds & CL_DEVICE_TYPE_CPU ? 1 : 2;
  device_info *info = &d->info;
  memset(d, 0, sizeof *d);
  d->platform = platform;
  d->id = id;
  d->is_cpu = kind == 1;
  snprintf(info->name, sizeof info->name, "%s:%d", prefix[kind], number[kind]++);
  strcpy(info->type, type[kind]);
  device_text(id, CL_DEVICE_NAME, info->label, sizeof info->label);
  platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
  platform_text(platform, CL_PLATFORM_VERSION, d->platform_version, sizeof d->platform_version);
  device_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
  device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
  info->units = (int)device_number(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  d->slowness = 1.0 / (info->units > 0 ? info->units : 1);
  info->watched = may_be_watched(id);
  info->fp64 = device_number(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  d->exact_single = (device_number(id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  info->usable = device_number(id, CL_DEVICE_AVAILABLE) && device_number(id, CL_DEVICE_COMPILER_AVAILABLE);
  info->memory = (double)device_number(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  info->max_alloc = (double)device_number(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  d->local = (double)device_number(id, CL_DEVICE_LOCAL_MEM_SIZE);
  /* Among GPUs one with memory of its own comes before one that shares the host's. */
  info->score = (double)info->units * (double)device_number(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  if (!device_number(id, CL_DEVICE_HOST_UNIFIED_MEMORY)) info->score += 1e9;
}

static void list_platform(cl_platform_id platform, int most, int number[3]) {
  cl_device_id id[MAX_DEVICES];
  cl_uint found = 0;
  cl_int code = ocl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, id, &found);
  if (code != CL_SUCCESS) {
    char name[160];
    platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
    if (code != CL_DEVICE_NOT_FOUND) note("clGetDeviceIDs", name, code);
    return;
  }
  for (cl_uint i = 0; i < found && i < MAX_DEVICES && n_devices < most; i++)
    describe(ocl_device_at(n_devices++), platform, id[i], number);
}

void ocl_leave_out(const char *why) { snprintf(left_out, sizeof left_out, "%s", why); }

status ocl_enumerate(device_info *info, int most, int *count) {
  cl_platform_id platform[MAX_DEVICES];
  cl_uint platforms = 0;
  int number[3] = {0, 0, 0}, k;
  *count = n_devices = 0;
  snprintf(trouble, sizeof trouble, "%s", left_out);
  if (left_out[0]) return STATUS_OK;
  if (ocl_load()) {
    snprintf(trouble, sizeof trouble, "%s", last_error());
    return STATUS_OK;
  }
  const cl_int code = ocl.clGetPlatformIDs(MAX_DEVICES, platform, &platforms);
  if (code != CL_SUCCESS || !platforms) {
    if (code != CL_SUCCESS && code != -1001) note("clGetPlatformIDs", "", code);
    if (!trouble[0]) snprintf(trouble, sizeof trouble, "no OpenCL driver (ICD) is installed");
    return STATUS_OK;
  }
  for (cl_uint i = 0; i < platforms && i < MAX_DEVICES; i++) list_platform(platform[i], most, number);
  for (k = 0; k < n_devices; k++) info[k] = ocl_device_at(k)->info;
  *count = n_devices;
  return STATUS_OK;
}

static void try_device(ocl_device *d) {
  static const char *source = "kernel void one(global int *x) { x[get_global_id(0)] = 1; }";
  const size_t items = 1;
  cl_int code;
  if (ocl_need_context(d)) return;
  const cl_program program = ocl.clCreateProgramWithSource(d->context, 1, &source, NULL, &code);
  const cl_command_queue queue = ocl.clCreateCommandQueue(d->context, d->id, 0, &code);
  cl_mem memory = ocl.clCreateBuffer(d->context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &code);
  if (!program || !queue || !memory || ocl.clBuildProgram(program, 1, &d->id, "", NULL, NULL) != CL_SUCCESS) return;
  const cl_kernel kernel = ocl.clCreateKernel(program, "one", &code);
  if (kernel && ocl.clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS &&
      ocl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS)
    ocl.clFinish(queue);
}

void ocl_try(void) {
  for (int i = 0; i < n_devices; i++)
    if (ocl_device_at(i)->info.usable && (!i || ocl_device_at(i)->platform != ocl_device_at(i - 1)->platform))
      try_device(ocl_device_at(i));
}

/* All kernels that the device can have without a text, ended by NULL. */
static const kernel_description **all_kernels(const ocl_device *d, int single) {
  const kernel_description **all = calloc((size_t)kernel_count + 1, sizeof *all), **to = all;
  for (int k = 0; k < kernel_count && all; k++)
    if (!(kernels[k]->domain == TEAMS && d->is_cpu) && !kernels[k]->text && (!single || kernels[k]->single))
      *to++ = kernels[k];
  if (!all) fail(STATUS_MEMORY, "out of memory for the kernels of a device");
  return all;
}

status ocl_warm_up(int index, int single, double from, double length) {
  ocl_device *d = ocl_device_at(index);
  status st = ocl_need_context(d);
  single = single || !d->info.fp64;
  const kernel_description **all = all_kernels(d, single);
  if (!st) st = all ? ocl_need_kernels(d, all, single, NULL, from, length) : STATUS_MEMORY;
  free(all);
  if (st && st != STATUS_INTERRUPT) ocl_drop(d);
  return st;
}

status ocl_lacking(int index, int single, int *unbuilt) {
  ocl_device *d = ocl_device_at(index);
  const int before = *unbuilt;
  single = single || !d->info.fp64;
  const kernel_description **all = all_kernels(d, single);
  status st = all ? ocl_unbuilt(d, all, single, unbuilt) : STATUS_MEMORY;
  free(all);
  if (st || *unbuilt == before) return st;
  st = ocl_need_context(d);
  if (!st) st = ocl_try_compiler(d);
  if (st) ocl_drop(d);
  return st;
}

void ocl_drop_block(uint64_t id) {
  for (int i = 0; i < n_devices; i++) ocl_kept_release(ocl_device_at(i), id);
}

void ocl_shutdown(void) {
  for (int i = 0; i < n_devices; i++) ocl_drop(ocl_device_at(i));
  n_devices = 0;
}
