/* replay.c: see replay.h. */
#include "replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROGRAMS = 64, KERNELS = 512, GUARD = 256 /* bytes beyond a buffer that must stay */, LISTS = 16 };

void *room_for(size_t bytes) {
  void *made = malloc(bytes ? bytes : 1);
  if (!made) must("malloc", CL_OUT_OF_HOST_MEMORY);
  return made;
}

static double at_least(double a, double b) { return a > b ? a : b; }

/* ---- programs ---- */

static struct { char file[96]; cl_program of; } programs[PROGRAMS];
static struct { const char *name; cl_program program; cl_kernel of; size_t group; } kernels[KERNELS];
static int n_programs, n_kernels;

/* <out>/<name> followed by an ending, for programs/<name>.cl */
static void path_beside(const char *out, const char *program, const char *ending, char path[512]) {
  const char *name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
  snprintf(path, 512, "%s/%.*s%s", out, (int)(strlen(name) - 3), name, ending);
}

/* Options stand in the first line. Correctly rounded roots in float are not for every device, and NVIDIA's compiler
 * tells registers when asked to. */
static cl_program from_source(const device *d, const char *folder, const char *program) {
  static const char exact[] = " -cl-fp32-correctly-rounded-divide-sqrt";
  size_t bytes;
  const char *source = (const char *)file_read(folder, program, &bytes);
  char options[256] = "";
  cl_int code;
  if (!source || sscanf(source, "// %200[^\n]", options) != 1) must("reading a program", CL_INVALID_PROGRAM);
  char *found = strstr(options, exact);
  if (found && !d->exact_single) memmove(found, found + strlen(exact), strlen(found + strlen(exact)) + 1);
  if (d->is_nvidia) strcat(options, " -cl-nv-verbose");
  cl_program made = cl.clCreateProgramWithSource(d->context, 1, &source, NULL, &code);
  must("clCreateProgramWithSource", code);
  code = cl.clBuildProgram(made, 1, &d->id, options, NULL, NULL);
  if (code != CL_SUCCESS) {
    char *log = calloc(1, 1 << 16);
    cl.clGetProgramBuildInfo(made, d->id, CL_PROGRAM_BUILD_LOG, (1 << 16) - 1, log, NULL);
    fprintf(stderr, "%s does not build: %s\n%s\n", program, options, log);
    must("clBuildProgram", code);
  }
  return made;
}

/* A GPU's binary is the one that the step before has kept, but NVIDIA's is PTX, to be compiled again: its driver
 * finds the same text in its cache. */
static cl_program program_of(const device *d, const char *folder, const char *out, const char *program) {
  for (int i = 0; i < n_programs; i++)
    if (!strcmp(programs[i].file, program)) return programs[i].of;
  char path[512];
  size_t bytes;
  cl_int code = CL_SUCCESS, loaded = CL_SUCCESS;
  cl_program made = NULL;
  path_beside(out, program, ".bin", path);
  const unsigned char *binary = d->is_gpu && !d->is_nvidia ? file_read(".", path, &bytes) : NULL;
  if (binary) made = cl.clCreateProgramWithBinary(d->context, 1, &d->id, &bytes, &binary, &loaded, &code);
  if (!made || code != CL_SUCCESS || loaded != CL_SUCCESS ||
      cl.clBuildProgram(made, 1, &d->id, "", NULL, NULL) != CL_SUCCESS)
    made = from_source(d, folder, program);
  if (n_programs == PROGRAMS) must("counting programs", CL_INVALID_VALUE);
  snprintf(programs[n_programs].file, sizeof programs->file, "%s", program);
  programs[n_programs++].of = made;
  return made;
}

/* Work-group size: as src/engine/ocl_build.c has it. */
static size_t group_size(const device *d, cl_kernel kernel, const kernel_line *line) {
  size_t most = 1, multiple = 1, size, own[3] = {0};
  if (line->domain == GROUPS) {
    must("asking for the size of a group",
         cl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof own, own, NULL));
    return own[0];
  }
  cl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  cl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple,
                              NULL);
  if (!multiple) multiple = 1;
  size = multiple >= 128 ? 128 : 128 / multiple * multiple;
  return size <= most ? size : most ? most : 1;
}

static cl_kernel kernel_of(const device *d, const char *folder, const char *out, const step *s, size_t *group) {
  cl_program program = program_of(d, folder, out, s->program);
  int i = 0;
  cl_int code = CL_SUCCESS;
  while (i < n_kernels && (kernels[i].program != program || strcmp(kernels[i].name, s->line->name))) i++;
  if (i == KERNELS) must("counting kernels", CL_INVALID_VALUE);
  if (i == n_kernels) {
    kernels[i].name = s->line->name;
    kernels[i].program = program;
    kernels[i].of = cl.clCreateKernel(program, s->line->name, &code);
    must("clCreateKernel", code);
    kernels[i].group = group_size(d, kernels[i].of, s->line);
    n_kernels++;
  }
  *group = kernels[i].group;
  return kernels[i].of;
}

static void keep_binary(cl_program program, const char *path) {
  size_t bytes = 0;
  cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL);
  if (!bytes) return;
  unsigned char *binary = room_for(bytes);
  FILE *f = fopen(path, "wb");
  if (f && cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
    fwrite(binary, 1, bytes, f);
  if (f) fclose(f);
  free(binary);
}

void replay_build(const device *d, const char *folder, const char *out, const char *program) {
  const double began = seconds_now();
  cl_program made = from_source(d, folder, program);
  char path[512], *log = calloc(1, 1 << 20);
  printf("build\t%s\t%.3f\n", program, seconds_now() - began);
  path_beside(out, program, ".bin", path);
  keep_binary(made, path);
  path_beside(out, program, ".log", path);
  FILE *f = fopen(path, "w");
  if (f && cl.clGetProgramBuildInfo(made, d->id, CL_PROGRAM_BUILD_LOG, (1 << 20) - 1, log, NULL) == CL_SUCCESS)
    fputs(log, f);
  if (f) fclose(f);
  const char *name = strrchr(program, '/') + 1;
  const int single = strstr(program, "single") != NULL;
  for (int i = 0; i < KERNEL_COUNT; i++) {
    const size_t length = strlen(kernel_lines[i].program);
    cl_ulong private_bytes = 0;
    size_t most = 0;
    cl_int code;
    if (strncmp(name, kernel_lines[i].program, length) || name[length] != '-') continue;
    cl_kernel kernel = cl.clCreateKernel(made, kernel_lines[i].name, &code);
    must("clCreateKernel", code);
    cl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes, &private_bytes,
                                NULL);
    cl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    printf("kernel\t%s\t%d\t%llu\t%zu\n", kernel_lines[i].name, single, (unsigned long long)private_bytes, most);
  }
}

/* ---- launches ---- */

cl_event replay_launch(const device *d, const char *folder, const char *out, const step *s, const cl_mem *buffer,
                       extent_of e) {
  size_t group;
  cl_kernel kernel = kernel_of(d, folder, out, s, &group);
  const int piped = s->line->domain != GROUPS;
  const int64_t count = !piped ? 0 : s->line->domain == SETS ? e.sets : e.n - (int64_t)s->first;
  size_t global = piped ? ((size_t)count + group - 1) / group * group : s->groups * group;
  if (s->arguments > ARG_TEAMS) {
    const size_t teams = (size_t)s->value[ARG_TEAMS];
    group = teams * TEAM_SIZE;
    global = ((size_t)count + teams - 1) / teams * group;
  }
  cl_event event = NULL;
  for (int i = 0; i < s->arguments; i++) {
    const int k = buffer_at(s, i);
    int64_t value = s->value[i];
    if (piped && i == ARG_N) value = e.n;
    if (piped && i == ARG_CAP) value = e.cap;
    if (piped && (i == ARG_N_SETS || i == ARG_SET_CAP)) value = e.sets;
    const cl_int small = (cl_int)value;
    if (k >= 0) must("clSetKernelArg", cl.clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), buffer + k));
    else if (i == ARG_NEAR) must("clSetKernelArg", cl.clSetKernelArg(kernel, (cl_uint)i, (size_t)s->size[i], NULL));
    else if (s->size[i] == sizeof small) must("clSetKernelArg", cl.clSetKernelArg(kernel, (cl_uint)i, 4, &small));
    else must("clSetKernelArg", cl.clSetKernelArg(kernel, (cl_uint)i, 8, &value));
  }
  if (!global) return NULL;
  must("clEnqueueNDRangeKernel",
       cl.clEnqueueNDRangeKernel(d->queue, kernel, 1, &s->first, &global, &group, 0, NULL, &event));
  return event;
}

extent_of as_recorded(const step *s) {
  const extent_of e = {s->value[ARG_N], s->value[ARG_CAP], s->value[ARG_N_SETS]};
  return e;
}

/* ---- comparisons ---- */

typedef struct {
  int64_t values, wrong;
  double worst;
} outcome;

/* Units of the last digit between two numbers, whose bits as whole numbers count them. NaN is NaN. */
static double ulps(const unsigned char *a, const unsigned char *b, size_t real) {
  int64_t i, k;
  if (real == sizeof(float)) {
    float x, y;
    int32_t p, q;
    memcpy(&x, a, real), memcpy(&y, b, real), memcpy(&p, a, real), memcpy(&q, b, real);
    if (x == y || (x != x && y != y)) return 0;
    i = p < 0 ? -(int64_t)(p & INT32_MAX) : p;
    k = q < 0 ? -(int64_t)(q & INT32_MAX) : q;
    return fabs((double)(i - k));
  }
  double x, y;
  memcpy(&x, a, real), memcpy(&y, b, real), memcpy(&i, a, real), memcpy(&k, b, real);
  if (x == y || (x != x && y != y)) return 0;
  i = i < 0 ? -(i & INT64_MAX) : i;
  k = k < 0 ? -(k & INT64_MAX) : k;
  return fabs((double)i - (double)k);
}

static void compare_numbers(const unsigned char *wanted, const unsigned char *got, size_t bytes, size_t each,
                            int whole, outcome *o) {
  for (size_t i = 0; i + each <= bytes; i += each) {
    if (!memcmp(wanted + i, got + i, each)) continue;
    const double off = whole ? 1 : ulps(wanted + i, got + i, each);
    if (off > 0) o->wrong++;
    o->worst = at_least(o->worst, off);
  }
}

static int by_value(const void *a, const void *b) {
  const cl_int x = *(const cl_int *)a, y = *(const cl_int *)b;
  return (x > y) - (x < y);
}

/* Points come to lists in any order: both are sorted. */
static void sort_lists(cl_int *list, size_t words, int64_t cap) {
  for (int r = 0; r < LISTS && words >= LISTS; r++) {
    const size_t first = LISTS + (size_t)r * (size_t)cap;
    const size_t n = list[r] > 0 && list[r] <= cap ? (size_t)list[r] : 0;
    if (first + n <= words) qsort(list + first, n, sizeof *list, by_value);
  }
}

/* A buffer after a step, of which `wanted` says what should be in it; what is wrong is put right for later steps. */
static void compare_buffer(const device *d, const step *s, int argument, int single, cl_mem buffer,
                           const unsigned char *wanted, size_t bytes, outcome *o) {
  const int list = s->line->domain != GROUPS && argument == ARG_LIST;
  const int whole = list || (s->line->domain == GROUPS && argument == GROUP_FOUND);
  unsigned char *got = room_for(bytes);
  buffer_fetch(d, buffer, 0, bytes, got);
  if (memcmp(wanted, got, bytes)) {
    unsigned char *sorted = room_for(bytes);
    memcpy(sorted, wanted, bytes);
    if (list) {
      sort_lists((cl_int *)(void *)sorted, bytes / 4, s->value[ARG_CAP]);
      sort_lists((cl_int *)(void *)got, bytes / 4, s->value[ARG_CAP]);
    }
    compare_numbers(sorted, got, bytes, whole || single ? 4 : 8, whole, o);
    free(sorted);
    buffer_send(d, buffer, 0, bytes, wanted);
  }
  free(got);
}

static void check_step(const device *d, const prepared *p, const task *t, const step *s, const cl_mem *buffer,
                       unsigned char **wanted, const size_t *bytes) {
  outcome o = {0, 0, 0};
  must("clFinish", cl.clFinish(d->queue));
  for (int i = 0; i < s->changes; i++) {
    const piece *c = s->change + i;
    memcpy(wanted[c->buffer] + c->offset, p->data + c->at, c->bytes);
    o.values += (int64_t)(c->bytes / (t->single ? 4 : 8));
  }
  for (int i = 0; i < s->arguments; i++) {
    const int k = buffer_at(s, i);
    if (k >= 0 && may_change(s->line, i)) compare_buffer(d, s, i, t->single, buffer[k], wanted[k], bytes[k], &o);
  }
  printf("check\t%s\t%d\t%" PRId64 "\t%" PRId64 "\t%.17g\n", s->line->name, t->single, o.values, o.wrong, o.worst);
  fflush(stdout);
}

static void check_task(const device *d, const prepared *p, const char *folder, const char *out, const task *t) {
  cl_mem buffer[TASK_BUFFERS];
  unsigned char *wanted[TASK_BUFFERS];
  size_t bytes[TASK_BUFFERS];
  for (int k = 0; k < t->buffers; k++) {
    bytes[k] = (t->extent[k] + GUARD + 7) / 8 * 8;
    wanted[k] = room_for(bytes[k]);
    memset(wanted[k], PATTERN, bytes[k]);
    for (int i = 0; i < t->fills; i++)
      if (t->fill[i].buffer == k)
        memcpy(wanted[k] + t->fill[i].offset, p->data + t->fill[i].at, t->fill[i].bytes);
    buffer[k] = buffer_make(d, bytes[k]);
    buffer_send(d, buffer[k], 0, bytes[k], wanted[k]);
  }
  for (int i = 0; i < t->steps; i++) {
    cl_event event = replay_launch(d, folder, out, t->step + i, buffer, as_recorded(t->step + i));
    check_step(d, p, t, t->step + i, buffer, wanted, bytes);
    if (event) cl.clReleaseEvent(event);
  }
  for (int k = 0; k < t->buffers; k++) {
    free(wanted[k]);
    cl.clReleaseMemObject(buffer[k]);
  }
}

void replay_check(const device *d, const prepared *p, const char *folder, const char *out, const char *program,
                  int from) {
  for (int i = from; i < p->tasks; i++) {
    const task *t = p->task + i;
    if (strcmp(t->step->program, program) || !t->complete) continue;
    printf("task\t%d\n", i);
    fflush(stdout);
    check_task(d, p, folder, out, t);
  }
}
