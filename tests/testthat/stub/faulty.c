/* faulty.c: an OpenCL loader with faults, for test-device.R and tools/faults.R: every call goes on to the real one.
 * An R session that opens it by dyn.load() chooses faults by faulty_next(). Others are chosen by environment
 * variables, at the time of each call:
 *   FAULTY_GPU        the devices call themselves GPUs
 *   FAULTY_NO_FP64    ... and have no double precision: only programs with SINGLE defined are built
 *   FAULTY_LOCAL      ... or with FAULTY_GPU say that a group has so many bytes of local memory
 *   FAULTY_PLATFORMS  clGetPlatformIDs fails with this code
 *   FAULTY_BUILD      building from source fails; 2: that of any but tiny programs
 *   FAULTY_HOLD       building any but tiny programs from source waits as long as there is a file of this name
 *   FAULTY_ONLY       only the programs named here, between blanks, are what they are: others have one empty
 *                     kernel, which stands for all of theirs
 *   FAULTY_MEET       the first such build waits for a second one beside it, some seconds at most
 *   FAULTY_BINARY     binaries are refused
 *   FAULTY_ALLOC      buffers of more bytes than this are refused
 *   FAULTY_ITEMS      launches of more work-items than this run out of resources
 *   FAULTY_DIES       the call of this name ends the process
 *   FAULTY_LAUNCH     the launch of this number fails with the code FAULTY_CODE
 *   FAULTY_EVENT      the question of this number after a chunk's state is answered with the code FAULTY_CODE
 *   FAULTY_LOG        file to which each call appends a letter: S source build, B binary build, A buffer refused,
 *                     T a build by another thread than the main one, M two builds have met */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *real(const char *name) {
  static void *library;
  if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

#define FORWARD(name, types, arguments)                                                                      \
  do {                                                                                                       \
    int32_t(*next) types;                                                                                    \
    void *found = real(#name);                                                                               \
    memcpy(&next, &found, sizeof next);                                                                      \
    return next arguments;                                                                                   \
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

/* The fault of faulty_next(). */
enum { ONCE, ALWAYS, CONTEXT };
static char fault_call[64];
static int fault_at, fault_code, fault_lasts, fault_seen, fault_hits, context_dead;

/* Lets call number *at of this name, or of any where it is "any", fail with a code: once, ever after, or as every
 * call does from then on until another context is made. */
void faulty_next(char **call, int *at, int *code, int *lasts) {
  snprintf(fault_call, sizeof fault_call, "%s", *call);
  fault_at = *at;
  fault_code = *code;
  fault_lasts = *lasts;
  fault_seen = fault_hits = context_dead = 0;
}

/* How many calls of that name there were since, and how many failed. */
void faulty_seen(int *seen, int *hits) {
  *seen = fault_seen;
  *hits = fault_hits;
}

static int32_t fault(const char *call) {
  const char *dies = getenv("FAULTY_DIES");
  if (dies && !strcmp(dies, call)) abort();
  if (context_dead && strcmp(call, "clCreateContext")) {
    /* what is asked before there is a context, and giving back, work without */
    return strncmp(call, "clGetPlatform", 13) && strncmp(call, "clGetDevice", 11) && strncmp(call, "clRelease", 9)
               ? fault_code : 0;
  }
  if (context_dead) context_dead = fault_at = 0;
  if (!fault_at || (strcmp(fault_call, call) && strcmp(fault_call, "any"))) return 0;
  fault_seen++;
  if (fault_lasts == ALWAYS ? fault_seen < fault_at : fault_seen != fault_at) return 0;
  fault_hits++;
  context_dead = fault_lasts == CONTEXT;
  return fault_code;
}

#define CHECK_FAULT(name)                                                                                    \
  do {                                                                                                       \
    const int32_t failed = fault(#name);                                                                     \
    if (failed) return failed;                                                                               \
  } while (0)

#define PASS(name, types, arguments)                                                                         \
  int32_t name types {                                                                                       \
    CHECK_FAULT(name);                                                                                       \
    FORWARD(name, types, arguments);                                                                         \
  }

/* Those that give a pointer, and their code by another. */
#define PASS_POINTER(name, types, arguments)                                                                 \
  void *name types {                                                                                         \
    void *(*next) types;                                                                                     \
    void *found = real(#name);                                                                               \
    const int32_t failed = fault(#name);                                                                     \
    memcpy(&next, &found, sizeof next);                                                                      \
    if (!failed) return next arguments;                                                                      \
    if (code) *code = failed;                                                                                \
    return NULL;                                                                                             \
  }

PASS(clGetPlatformInfo, (void *a, uint32_t b, size_t c, void *d, size_t *e), (a, b, c, d, e))
PASS(clGetDeviceIDs, (void *a, uint64_t b, uint32_t c, void **d, uint32_t *e), (a, b, c, d, e))
PASS(clReleaseContext, (void *a), (a))
PASS(clReleaseCommandQueue, (void *a), (a))
PASS(clReleaseProgram, (void *a), (a))
PASS(clGetProgramInfo, (void *a, uint32_t b, size_t c, void *d, size_t *e), (a, b, c, d, e))
PASS(clReleaseKernel, (void *a), (a))
PASS(clSetKernelArg, (void *a, uint32_t b, size_t c, const void *d), (a, b, c, d))
PASS(clGetKernelWorkGroupInfo, (void *a, void *b, uint32_t c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
PASS(clReleaseMemObject, (void *a), (a))
PASS(clEnqueueWriteBuffer, (void *a, void *b, uint32_t c, size_t d, size_t e, const void *f, uint32_t g,
                            void *const *h, void **i), (a, b, c, d, e, f, g, h, i))
PASS(clEnqueueReadBuffer, (void *a, void *b, uint32_t c, size_t d, size_t e, void *f, uint32_t g, void *const *h,
                           void **i), (a, b, c, d, e, f, g, h, i))
PASS(clEnqueueUnmapMemObject, (void *a, void *b, void *c, uint32_t d, void *const *e, void **f), (a, b, c, d, e, f))
PASS(clGetEventProfilingInfo, (void *a, uint32_t b, size_t c, void *d, size_t *e), (a, b, c, d, e))
PASS(clReleaseEvent, (void *a), (a))
PASS(clFlush, (void *a), (a))
PASS_POINTER(clCreateContext, (const void *a, uint32_t b, void *const *c, void *d, void *e, int32_t *code),
             (a, b, c, d, e, code))
PASS_POINTER(clCreateCommandQueue, (void *a, void *b, uint64_t c, int32_t *code), (a, b, c, code))
PASS_POINTER(clEnqueueMapBuffer, (void *a, void *b, uint32_t c, uint64_t d, size_t e, size_t f, uint32_t g,
                                  void *const *h, void **i, int32_t *code), (a, b, c, d, e, f, g, h, i, code))

static int32_t finish(void *queue) { FORWARD(clFinish, (void *), (queue)); }

/* A queue that still worked would do so in memory that has gone. */
int32_t clFinish(void *queue) {
  const int32_t code = finish(queue), failed = fault("clFinish");
  return failed ? failed : code;
}

int32_t clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count) {
  CHECK_FAULT(clGetPlatformIDs);
  if (setting("FAULTY_PLATFORMS")) return (int32_t)setting("FAULTY_PLATFORMS");
  FORWARD(clGetPlatformIDs, (uint32_t, void **, uint32_t *), (room, platforms, count));
}

static int32_t ask_device(void *device, uint32_t what, size_t room, void *value, size_t *size) {
  FORWARD(clGetDeviceInfo, (void *, uint32_t, size_t, void *, size_t *), (device, what, room, value, size));
}

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t room, void *value, size_t *size) {
  CHECK_FAULT(clGetDeviceInfo);
  int32_t code = ask_device(device, what, room, value, size);
  uint64_t answer = 4; /* CL_DEVICE_TYPE_GPU */
  if (code || !value) return code;
  if (what == 0x1000 && setting("FAULTY_GPU")) memcpy(value, &answer, sizeof answer);
  answer = (uint64_t)setting("FAULTY_LOCAL");
  if (what == 0x1023 && answer) memcpy(value, &answer, sizeof answer);
  answer = 0;
  if (what == 0x1032 && setting("FAULTY_NO_FP64")) memcpy(value, &answer, sizeof answer);
  return code;
}

static void hold(void) {
  const char *path = getenv("FAULTY_HOLD");
  while (path && *path && !access(path, F_OK)) usleep(10000);
}

static void meet(void) {
  static int inside, over;
  if (!setting("FAULTY_MEET")) return;
  const int others = __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
  if (others && !__atomic_exchange_n(&over, 1, __ATOMIC_SEQ_CST)) log_letter('M');
  for (int i = 0; i < 2000 && !__atomic_load_n(&over, __ATOMIC_SEQ_CST); i++) usleep(10000);
  __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
}

int32_t clBuildProgram(void *program, uint32_t n, void *const *devices, const char *options,
                       void (*notify)(void *, void *), void *data) {
  CHECK_FAULT(clBuildProgram);
  static const uint32_t source = 0x1164; /* CL_PROGRAM_SOURCE: empty for a program made of a binary */
  size_t length = 0;
  int32_t (*info)(void *, uint32_t, size_t, void *, size_t *);
  void *found = real("clGetProgramInfo");
  memcpy(&info, &found, sizeof info);
  info(program, source, 0, NULL, &length);
  log_letter(length > 1 ? 'S' : 'B');
  if (syscall(SYS_gettid) != getpid()) log_letter('T');
  if (length > 1000) hold(), meet();
  if (length > 1 && setting("FAULTY_BUILD") && (length > 1000 || setting("FAULTY_BUILD") != 2)) return -11;
  if (setting("FAULTY_NO_FP64") && !strstr(options, "-DSINGLE=1")) return -11;
  FORWARD(clBuildProgram, (void *, uint32_t, void *const *, const char *, void (*)(void *, void *), void *),
          (program, n, devices, options, notify, data));
}

int32_t clGetProgramBuildInfo(void *program, void *device, uint32_t what, size_t room, void *value,
                              size_t *size) {
  CHECK_FAULT(clGetProgramBuildInfo);
  static const char log[] = "line 7: the faulty compiler does not like this";
  if (what == 0x1183 && setting("FAULTY_BUILD")) {
    if (size) *size = sizeof log;
    if (value && room >= sizeof log) memcpy(value, log, sizeof log);
    return 0;
  }
  FORWARD(clGetProgramBuildInfo, (void *, void *, uint32_t, size_t, void *, size_t *),
          (program, device, what, room, value, size));
}

/* A program names itself in its first line, #line 1 "kernels/<room>/<program>.cl". */
void *clCreateProgramWithSource(void *context, uint32_t n, const char **texts, const size_t *lengths, int32_t *code) {
  void *(*f)(void *, uint32_t, const char **, const size_t *, int32_t *);
  void *found = real("clCreateProgramWithSource");
  const int32_t failed = fault("clCreateProgramWithSource");
  const char *only = getenv("FAULTY_ONLY");
  char name[64], named[68], none[96];
  const char *text = none;
  memcpy(&f, &found, sizeof f);
  if (failed) {
    if (code) *code = failed;
    return NULL;
  }
  if (only && *only && sscanf(*texts, "#line 1 \"kernels/%*[^/]/%63[^.]", name) == 1) {
    snprintf(named, sizeof named, " %s ", name);
    snprintf(none, sizeof none, "kernel void none(void) {} /* of %s */\n", name);
    if (!strstr(only, named)) return f(context, 1, &text, NULL, code);
  }
  return f(context, n, texts, lengths, code);
}

void *clCreateKernel(void *program, const char *name, int32_t *code) {
  void *(*f)(void *, const char *, int32_t *);
  void *found = real("clCreateKernel");
  const char *only = getenv("FAULTY_ONLY");
  *code = fault("clCreateKernel");
  if (*code) return NULL;
  memcpy(&f, &found, sizeof f);
  void *kernel = f(program, name, code);
  return kernel || !only || !*only ? kernel : f(program, "none", code);
}

void *clCreateProgramWithBinary(void *context, uint32_t n, void *const *devices, const size_t *lengths,
                                const unsigned char **binaries, int32_t *loaded, int32_t *code) {
  void *(*f)(void *, uint32_t, void *const *, const size_t *, const unsigned char **, int32_t *, int32_t *);
  void *found = real("clCreateProgramWithBinary");
  const int32_t failed = fault("clCreateProgramWithBinary");
  memcpy(&f, &found, sizeof f);
  if (failed || setting("FAULTY_BINARY")) {
    *code = failed ? failed : -42;
    return NULL;
  }
  return f(context, n, devices, lengths, binaries, loaded, code);
}

void *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int32_t *code) {
  void *(*f)(void *, uint64_t, size_t, void *, int32_t *);
  void *found = real("clCreateBuffer");
  const long limit = setting("FAULTY_ALLOC");
  const int32_t failed = fault("clCreateBuffer");
  memcpy(&f, &found, sizeof f);
  if (failed) {
    if (code) *code = failed;
    return NULL;
  }
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
  CHECK_FAULT(clEnqueueNDRangeKernel);
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
  CHECK_FAULT(clGetEventInfo);
  static long questions;
  if (++questions == setting("FAULTY_EVENT")) {
    const int32_t state = (int32_t)setting("FAULTY_CODE");
    memcpy(value, &state, sizeof state);
    return 0;
  }
  FORWARD(clGetEventInfo, (void *, uint32_t, size_t, void *, size_t *), (event, what, room, value, size));
}
