/* faulty.c: an OpenCL loader with faults, for test-device.R. It is linked against the real loader, where
 * dlsym() finds every entry that is not below. Environment variables choose the faults, at the time of each call:
 *   FAULTY_GPU        the devices call themselves GPUs
 *   FAULTY_NO_FP64    ... and have no double precision: only programs with SINGLE defined are built
 *   FAULTY_PLATFORMS  clGetPlatformIDs fails with this code
 *   FAULTY_BUILD      building from source fails
 *   FAULTY_BINARY     binaries are refused
 *   FAULTY_ALLOC      buffers of more bytes than this are refused
 *   FAULTY_ITEMS      launches of more work-items than this run out of resources
 *   FAULTY_LAUNCH     the launch of this number fails with the code FAULTY_CODE
 *   FAULTY_EVENT      the question of this number after a chunk's state is answered with the code FAULTY_CODE
 *   FAULTY_LOG        file to which each call appends a letter: S source build, B binary build, A buffer refused */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One reference, so that the linker keeps the real loader. */
int32_t clFinish(void *queue);
int32_t (*const faulty_keeps)(void *) = clFinish;

static void *real(const char *name) {
  static void *library;
  if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

#define FORWARD(name, types, arguments)                                                                      \
  do {                                                                                                       \
    int32_t(*f) types;                                                                                       \
    void *found = real(#name);                                                                               \
    memcpy(&f, &found, sizeof f);                                                                            \
    return f arguments;                                                                                      \
  } while (0)

static long setting(const char *name) {
  const char *text = getenv(name);
  return text && *text ? strtol(text, NULL, 10) : 0;
}

static void log_letter(char letter) {
  const char *path = getenv("FAULTY_LOG");
  FILE *file = path && *path ? fopen(path, "a") : NULL;
  if (!file) return;
  fputc(letter, file);
  fclose(file);
}

int32_t clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count) {
  if (setting("FAULTY_PLATFORMS")) return (int32_t)setting("FAULTY_PLATFORMS");
  FORWARD(clGetPlatformIDs, (uint32_t, void **, uint32_t *), (room, platforms, count));
}

static int32_t ask_device(void *device, uint32_t what, size_t room, void *value, size_t *size) {
  FORWARD(clGetDeviceInfo, (void *, uint32_t, size_t, void *, size_t *), (device, what, room, value, size));
}

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t room, void *value, size_t *size) {
  int32_t code = ask_device(device, what, room, value, size);
  uint64_t answer = 4; /* CL_DEVICE_TYPE_GPU */
  if (code || !value) return code;
  if (what == 0x1000 && setting("FAULTY_GPU")) memcpy(value, &answer, sizeof answer);
  answer = 0;
  if (what == 0x1032 && setting("FAULTY_NO_FP64")) memcpy(value, &answer, sizeof answer);
  return code;
}

int32_t clBuildProgram(void *program, uint32_t n, void *const *devices, const char *options,
                       void (*notify)(void *, void *), void *data) {
  static const uint32_t source = 0x1164; /* CL_PROGRAM_SOURCE: empty for a program made of a binary */
  size_t length = 0;
  int32_t (*info)(void *, uint32_t, size_t, void *, size_t *);
  void *found = real("clGetProgramInfo");
  memcpy(&info, &found, sizeof info);
  info(program, source, 0, NULL, &length);
  log_letter(length > 1 ? 'S' : 'B');
  if (length > 1 && setting("FAULTY_BUILD")) return -11;
  if (setting("FAULTY_NO_FP64") && !strstr(options, "-DSINGLE=1")) return -11;
  FORWARD(clBuildProgram, (void *, uint32_t, void *const *, const char *, void (*)(void *, void *), void *),
          (program, n, devices, options, notify, data));
}

int32_t clGetProgramBuildInfo(void *program, void *device, uint32_t what, size_t room, void *value,
                              size_t *size) {
  static const char log[] = "line 7: the faulty compiler does not like this";
  if (what == 0x1183 && setting("FAULTY_BUILD")) {
    if (size) *size = sizeof log;
    if (value && room >= sizeof log) memcpy(value, log, sizeof log);
    return 0;
  }
  FORWARD(clGetProgramBuildInfo, (void *, void *, uint32_t, size_t, void *, size_t *),
          (program, device, what, room, value, size));
}

void *clCreateProgramWithBinary(void *context, uint32_t n, void *const *devices, const size_t *lengths,
                                const unsigned char **binaries, int32_t *loaded, int32_t *code) {
  void *(*f)(void *, uint32_t, void *const *, const size_t *, const unsigned char **, int32_t *, int32_t *);
  void *found = real("clCreateProgramWithBinary");
  memcpy(&f, &found, sizeof f);
  if (setting("FAULTY_BINARY")) {
    *code = -42;
    return NULL;
  }
  return f(context, n, devices, lengths, binaries, loaded, code);
}

void *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int32_t *code) {
  void *(*f)(void *, uint64_t, size_t, void *, int32_t *);
  void *found = real("clCreateBuffer");
  const long limit = setting("FAULTY_ALLOC");
  memcpy(&f, &found, sizeof f);
  if (limit && bytes > (size_t)limit) {
    log_letter('A');
    if (code) *code = -4;
    return NULL;
  }
  return f(context, flags, bytes, host, code);
}

int32_t clEnqueueNDRangeKernel(void *queue, void *kernel, uint32_t dimensions, const size_t *offset,
                               const size_t *global, const size_t *local, uint32_t n, void *const *wait,
                               void **event) {
  static long launches;
  const long limit = setting("FAULTY_ITEMS");
  if (++launches == setting("FAULTY_LAUNCH")) return (int32_t)setting("FAULTY_CODE");
  if (limit && *global > (size_t)limit) return -5;
  FORWARD(clEnqueueNDRangeKernel,
          (void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *const *,
           void **),
          (queue, kernel, dimensions, offset, global, local, n, wait, event));
}

int32_t clGetEventInfo(void *event, uint32_t what, size_t room, void *value, size_t *size) {
  static long questions;
  if (++questions == setting("FAULTY_EVENT")) {
    const int32_t state = (int32_t)setting("FAULTY_CODE");
    memcpy(value, &state, sizeof state);
    return 0;
  }
  FORWARD(clGetEventInfo, (void *, uint32_t, size_t, void *, size_t *), (event, what, room, value, size));
}
