/* record.c: a library in front of libOpenCL.so.1 that calls every device a GPU, so that the engine takes its road for
 * GPUs on PoCL, and writes down what it does there: programs with their build options, and tasks, which are launches
 * one after the other with the buffers before and what each launch changed. prepare.sh builds it and has the engine
 * open it (STATCL_OPENCL_LIBRARY); the package knows nothing of it.
 *
 *   RECORD_FOLDER  where programs/, tasks.txt and data.bin are added to; prepared.h says what is in them
 *   RECORD_TASK    "label:kernel": the first task with this kernel is one to be timed, and its whole length is noted
 *   RECORD_RESULTS  how many results the whole call has, 0: as many as points
 *   RECORD_SKIP    launches of cooperative kernels are noted and not done: for matrices too large for here
 * Without RECORD_TASK tasks are kept until every kernel has been seen often enough. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prepared.h"

enum { PROGRAMS = 512, KERNELS = 4096, BUFFERS = 256, RANGES = 96, OFTEN = 2, CHANGED = 9, SEEN = 16384 };

typedef struct {
  size_t offset, bytes;
  long at; /* in data.bin */
  unsigned char *data;
} range;

static struct program { cl_program of; char *source, options[192], file[96]; } programs[PROGRAMS];
static struct kernel {
  cl_kernel of;
  const struct program *program;
  const kernel_line *line;
  size_t size[MOST_ARGUMENTS];
  union { int64_t whole; cl_mem memory; } value[MOST_ARGUMENTS];
} kernels[KERNELS];
static struct buffer {
  cl_mem of;
  size_t bytes;
  int used, n; /* used: by a launch since the first of what the host has written */
  range written[RANGES];
} buffers[BUFFERS];
static int n_programs, n_kernels;

/* The task that a queue is at. */
static struct {
  cl_command_queue queue;
  int kept, n, skipped;
  struct buffer *of[TASK_BUFFERS];
  unsigned char *now[TASK_BUFFERS];
  size_t extent[TASK_BUFFERS], stored;
  char *text;
  size_t length;
  FILE *out;
  const kernel_line *first, *seen[TASK_STEPS];
  int steps, single, blobs_before;
  long data_before;
  char label[96];
} task;
static int times_kept[2][128], n_labels;
static struct { char label[96]; int64_t from, total, results; } labels[64];
static struct { uint64_t hash; long at; } blobs[SEEN];
static int n_blobs;
static uint64_t tasks_seen[SEEN];
static int n_tasks_seen;

#define REAL(name) real_##name
#define FORWARD(type, name, arguments, values)                                                               \
  static type REAL(name) arguments {                                                                         \
    static type(*found) arguments;                                                                           \
    if (!found) {                                                                                            \
      void *symbol = dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), #name);                                       \
      memcpy(&found, &symbol, sizeof found);                                                                 \
    }                                                                                                        \
    return found values;                                                                                     \
  }
FORWARD(cl_int, clGetDeviceInfo, (cl_device_id d, cl_device_info w, size_t s, void *v, size_t *g), (d, w, s, v, g))
FORWARD(cl_program, clCreateProgramWithSource,
        (cl_context c, cl_uint n, const char **t, const size_t *l, cl_int *e), (c, n, t, l, e))
FORWARD(cl_int, clBuildProgram,
        (cl_program p, cl_uint n, const cl_device_id *d, const char *o, void (*f)(cl_program, void *), void *u),
        (p, n, d, o, f, u))
FORWARD(cl_kernel, clCreateKernel, (cl_program p, const char *n, cl_int *e), (p, n, e))
FORWARD(cl_int, clSetKernelArg, (cl_kernel k, cl_uint i, size_t s, const void *v), (k, i, s, v))
FORWARD(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *e), (c, f, s, h, e))
FORWARD(cl_int, clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *h, cl_uint n, const cl_event *w,
         cl_event *e), (q, m, b, o, s, h, n, w, e))
FORWARD(cl_int, clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *h, cl_uint n, const cl_event *w,
         cl_event *e), (q, m, b, o, s, h, n, w, e))
FORWARD(cl_int, clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l, cl_uint n,
         const cl_event *w, cl_event *e), (q, k, d, o, g, l, n, w, e))
FORWARD(cl_int, clFinish, (cl_command_queue q), (q))

/* Bytes of results of a task that are kept; matrices are few. */
enum { MOST_BYTES = 900000, FILL_BYTES = 8192 };
static const char *folder(void) { return getenv("RECORD_FOLDER"); }
static const char *wanted_task(void) { return getenv("RECORD_TASK") ? getenv("RECORD_TASK") : ""; }

static uint64_t hash_of(uint64_t h, const void *data, size_t n) {
  for (const unsigned char *at = data; n--; at++) h = (h ^ *at) * UINT64_C(1099511628211);
  return h;
}

static FILE *open_file(const char *name, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder(), name);
  FILE *f = fopen(path, mode);
  if (!f) fprintf(stderr, "record: cannot open %s\n", path), exit(3);
  return f;
}

/* Where these bytes are in data.bin: they are added unless they are there. */
static long data_length(FILE *f) {
  fseek(f, 0, SEEK_END);
  return ftell(f);
}
static long keep_bytes(const void *data, size_t n) {
  const uint64_t hash = hash_of(UINT64_C(14695981039346656037) + n, data, n);
  for (int i = 0; i < n_blobs; i++)
    if (blobs[i].hash == hash) return blobs[i].at;
  FILE *f = open_file("data.bin", "ab");
  const long at = data_length(f);
  fwrite(data, 1, n, f);
  fclose(f);
  if (n_blobs < SEEN) blobs[n_blobs].hash = hash, blobs[n_blobs++].at = at;
  return at;
}

static struct buffer *buffer_of(cl_mem m) {
  for (int i = 0; i < BUFFERS; i++)
    if (buffers[i].of == m) return buffers + i;
  return NULL;
}

static struct kernel *kernel_of(cl_kernel k) {
  for (int i = n_kernels; i--;)
    if (kernels[i].of == k) return kernels + i;
  return NULL;
}

/* The first line of a program names its file. */
static void keep_program(struct program *p) {
  char name[64] = "program";
  const char *text = p->source;
  sscanf(text, "#line 1 \"kernels/%*[^/]/%63[^.\"]", name);
  const uint64_t h = hash_of(hash_of(UINT64_C(14695981039346656037), text, strlen(text)), p->options,
                             strlen(p->options));
  snprintf(p->file, sizeof p->file, "programs/%s%s-%08" PRIx64 ".cl", name,
           strstr(p->options, "-DSINGLE=1") ? "-single" : "", h >> 32);
}

/* Without its comments and doubled blanks, a third of it: compilers read a blank in their place. */
static void write_program(const struct program *p) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder(), p->file);
  if (!access(path, F_OK)) return;
  FILE *f = open_file(p->file, "w");
  fprintf(f, "// %s\n", p->options);
  int comment = 0; /* its length so far */
  char last = '\n';
  for (const char *at = p->source; *at; at++) {
    if (comment || (at[0] == '/' && at[1] == '*')) comment++;
    const char c = comment && *at != '\n' ? ' ' : *at;
    const int doubled = last == '\n' ? c == ' ' || c == '\n' : last == ' ' && c == ' ';
    if (!doubled) fputc(last = c, f);
    if (comment > 3 && at[0] == '/' && at[-1] == '*') comment = 0;
  }
  fclose(f);
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *value, size_t *got) {
  const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
  const cl_ulong local = 1 << 15; /* the least that OpenCL asks for */
  const cl_int code = REAL(clGetDeviceInfo)(d, what, size, value, got);
  if (code == CL_SUCCESS && what == CL_DEVICE_TYPE && value) memcpy(value, &gpu, sizeof gpu);
  if (code == CL_SUCCESS && what == CL_DEVICE_LOCAL_MEM_SIZE && value) memcpy(value, &local, sizeof local);
  return code;
}

cl_program clCreateProgramWithSource(cl_context c, cl_uint n, const char **text, const size_t *length, cl_int *code) {
  cl_program made = REAL(clCreateProgramWithSource)(c, n, text, length, code);
  struct program *p = programs;
  for (int i = 0; i < n_programs; i++, p++)
    if (p->of == made) break;
  if (p - programs == n_programs && n_programs++ == PROGRAMS) exit(3);
  p->of = made;
  p->source = malloc(strlen(*text) + 1); /* stays: kernels of an earlier one may be in use */
  strcpy(p->source, *text);
  return made;
}

/* Every program comes as text. */
cl_program clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d, const size_t *length,
                                     const unsigned char **binary, cl_int *loaded, cl_int *code) {
  (void)c; (void)n; (void)d; (void)length; (void)binary;
  if (loaded) *loaded = CL_INVALID_BINARY;
  if (code) *code = CL_INVALID_BINARY;
  return NULL;
}

cl_int clBuildProgram(cl_program made, cl_uint n, const cl_device_id *d, const char *options,
                      void(CL_CALLBACK *f)(cl_program, void *), void *user) {
  for (int i = 0; i < n_programs; i++)
    if (programs[i].of == made) {
      snprintf(programs[i].options, sizeof programs[i].options, "%s", options);
      keep_program(programs + i);
    }
  return REAL(clBuildProgram)(made, n, d, options, f, user);
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *code) {
  cl_kernel made = REAL(clCreateKernel)(p, name, code);
  struct kernel *k = kernel_of(made);
  if (!k && n_kernels < KERNELS) k = kernels + n_kernels++;
  if (!k) exit(3);
  memset(k, 0, sizeof *k);
  k->of = made;
  k->line = kernel_named(name);
  for (int i = 0; i < n_programs; i++)
    if (programs[i].of == p) {
      struct program *copy = malloc(sizeof *copy);
      *copy = programs[i];
      k->program = copy;
    }
  return made;
}

cl_int clSetKernelArg(cl_kernel of, cl_uint i, size_t size, const void *value) {
  struct kernel *k = kernel_of(of);
  if (k && i < MOST_ARGUMENTS) {
    k->size[i] = size;
    k->value[i].whole = value ? 0 : -1; /* memory of groups has no value */
    if (value) memcpy(&k->value[i], value, size);
    if (value && size == sizeof(cl_int)) {
      cl_int whole;
      memcpy(&whole, value, sizeof whole);
      k->value[i].whole = whole;
    }
  }
  return REAL(clSetKernelArg)(of, i, size, value);
}

/* Zeros are kept once, and what a buffer happens to hold is not the same in two runs. */
cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *code) {
  void *zeros = host ? NULL : calloc(1, bytes);
  if (zeros) flags |= CL_MEM_COPY_HOST_PTR;
  cl_mem made = REAL(clCreateBuffer)(c, flags, bytes, zeros ? zeros : host, code);
  free(zeros);
  struct buffer *b = buffer_of(made); /* a released one may come again */
  if (!b) b = buffer_of(NULL);
  if (!b) exit(3);
  for (int i = 0; i < b->n; i++) free(b->written[i].data);
  memset(b, 0, sizeof *b);
  b->of = made;
  b->bytes = bytes;
  return made;
}

cl_int clReleaseMemObject(cl_mem m) {
  static cl_int (*found)(cl_mem);
  void *symbol = found ? NULL : dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clReleaseMemObject");
  struct buffer *b = m ? buffer_of(m) : NULL;
  if (symbol) memcpy(&found, &symbol, sizeof found);
  if (b) {
    for (int i = 0; i < b->n; i++) free(b->written[i].data);
    memset(b, 0, sizeof *b);
  }
  return found(m);
}

/* ---- tasks ---- */

static void close_task(void) {
  if (!task.queue) return;
  fclose(task.out);
  int keep = task.kept && task.steps > 0;
  if (keep && !task.label[0]) {
    /* a kernel that has not been seen often: their data are few, but those of matrices */
    const int often = task.first->domain == GROUPS ? 1 : OFTEN;
    int news = 0;
    for (int i = 0; i < task.steps; i++)
      if (task.seen[i] && times_kept[task.single][task.seen[i] - kernel_lines] < often) news = 1;
    keep = news && task.stored <= MOST_BYTES;
    for (int i = 0; keep && i < task.steps; i++)
      if (task.seen[i]) times_kept[task.single][task.seen[i] - kernel_lines]++;
  }
  if (keep) {
    FILE *f = open_file("tasks.txt", "a");
    fprintf(f, "task %d %d %s\n", task.single, !task.skipped && task.stored <= MOST_BYTES,
            task.label[0] ? task.label : "-");
    fwrite(task.text, 1, task.length, f);
    for (int k = 0; k < task.n; k++) fprintf(f, "extent %d %zu\n", k, task.extent[k]);
    fprintf(f, "end\n");
    fclose(f);
  } else if (task.kept) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data.bin", folder());
    n_blobs = task.blobs_before;
    if (truncate(path, task.data_before)) exit(3);
  }
  for (int k = 0; k < task.n; k++) free(task.now[k]);
  free(task.text);
  memset(&task, 0, sizeof task);
}

/* At the end of the process: how long the tasks to be timed are altogether. */
__attribute__((destructor)) static void write_lengths(void) {
  close_task();
  if (!folder()) return;
  FILE *f = open_file("tasks.txt", "a");
  for (int i = 0; i < n_labels; i++)
    fprintf(f, "length %" PRId64 " %" PRId64 " %s\n", labels[i].total, labels[i].results, labels[i].label);
  fclose(f);
}

static int is_group(const struct kernel *k) { return k->line->domain == GROUPS; }
static int holds(const struct kernel *k, int i) {
  return k->size[i] == sizeof(cl_mem) && i >= first_buffer(k->line) && i < ARG_TEAMS;
}
static int arguments_of(const struct kernel *k) {
  return is_group(k) ? GROUP_FOUND + 1 : k->size[ARG_TEAMS] ? ARG_NEAR + 1 : ARG_STORED_WHOLE + 1;
}

static int task_buffer(cl_mem m) {
  for (int k = 0; k < task.n; k++)
    if (task.of[k]->of == m) return k;
  return -1;
}

/* Pipelines take results, scratch and lists as they find them, so all of it becomes PATTERN, and columns that were
 * not sent since the last launch are another task's. Cooperative kernels, and others with buffers that stay, work on
 * what there is: it is read back. */
static void add_buffer(cl_command_queue q, const struct kernel *k, int i, int stays) {
  struct buffer *b = buffer_of(k->value[i].memory);
  const int number = task.n++;
  if (!b || number == TASK_BUFFERS) exit(3);
  const int filled = i == ARG_IN && k->value[ARG_OUT].memory == k->value[i].memory; /* by the first step itself */
  const int scratch = !is_group(k) && (filled || i == ARG_OUT || i == ARG_SET_WORK || i == ARG_WORK || i == ARG_LIST);
  const int anothers = b->used && (i == ARG_SET_IN || i == ARG_IN || i == ARG_LIST);
  unsigned char *now = task.now[number] = malloc(b->bytes);
  task.of[number] = b;
  memset(now, PATTERN, b->bytes);
  if (is_group(k) && task.skipped) {
    task.extent[number] = b->bytes;
    fprintf(task.out, "fill %d 0 %zu %d\n", number, b->bytes, i == GROUP_A ? MADE_MATRIX : MADE_SMALL);
  } else if (is_group(k) || stays) {
    REAL(clEnqueueReadBuffer)(q, b->of, CL_TRUE, 0, b->bytes, now, 0, NULL, NULL);
    for (size_t at = 0, some; at < b->bytes; at += some) { /* much is as it was in tasks before */
      some = b->bytes - at < FILL_BYTES ? b->bytes - at : FILL_BYTES;
      fprintf(task.out, "fill %d %zu %zu %ld\n", number, at, some, keep_bytes(now + at, some));
    }
    task.extent[number] = b->bytes;
  } else {
    for (int j = 0; j < b->n && !anothers; j++) {
      const range *w = b->written + j;
      memcpy(now + w->offset, w->data, w->bytes);
      fprintf(task.out, "fill %d %zu %zu %ld\n", number, w->offset, w->bytes, keep_bytes(w->data, w->bytes));
      if (w->offset + w->bytes > task.extent[number]) task.extent[number] = w->offset + w->bytes;
    }
    if (scratch) REAL(clEnqueueWriteBuffer)(q, b->of, CL_TRUE, 0, b->bytes, now, 0, NULL, NULL);
  }
}

/* The length of the whole call, of which this is a chunk, and whether it is the first one with this label. */
static int first_with_label(const char *label, const struct kernel *k) {
  const int64_t from = is_group(k) ? 0 : k->value[ARG_OFFSET].whole, n = is_group(k) ? 1 : k->value[ARG_N].whole;
  for (int i = 0; i < n_labels; i++)
    if (!strcmp(labels[i].label, label)) {
      if (from + n - labels[i].from > labels[i].total) labels[i].total = from + n - labels[i].from;
      return 0;
    }
  snprintf(labels[n_labels].label, sizeof labels[n_labels].label, "%s", label);
  labels[n_labels].from = from;
  labels[n_labels].results = atoll(getenv("RECORD_RESULTS"));
  labels[n_labels++].total = n;
  return 1;
}

/* A call with the same program and constants as before shows little new. */
static int new_to_us(const struct kernel *k) {
  uint64_t h = hash_of(UINT64_C(14695981039346656037), k->line->name, strlen(k->line->name));
  h = hash_of(h, k->program->file, strlen(k->program->file));
  if (is_group(k)) h = hash_of(h, k->value, GROUP_A * sizeof *k->value);
  else {
    const struct buffer *par = buffer_of(k->value[ARG_PAR].memory);
    h = hash_of(h, &k->value[ARG_SHARED].whole, sizeof(int64_t));
    h = hash_of(h, &k->value[ARG_N_SETS].whole, sizeof(int64_t));
    for (int j = 0; par && j < par->n; j++) h = hash_of(h, par->written[j].data, par->written[j].bytes);
  }
  for (int i = 0; i < n_tasks_seen; i++)
    if (tasks_seen[i] == h) return 0;
  if (n_tasks_seen < SEEN) tasks_seen[n_tasks_seen++] = h;
  return 1;
}

/* The kernel named after the label begins the tasks that are to be timed; cooperative ones may be any. */
static void open_task(cl_command_queue q, const struct kernel *k) {
  char label[96];
  snprintf(label, sizeof label, "%s", wanted_task());
  char *colon = strrchr(label, ':');
  task.queue = q;
  task.first = k->line;
  task.single = strstr(k->program->options, "-DSINGLE=1") != NULL;
  task.out = open_memstream(&task.text, &task.length);
  task.skipped = is_group(k) && getenv("RECORD_SKIP") != NULL;
  if (colon) {
    *colon = '\0';
    task.kept = !strcmp(colon + 1, k->line->name) && first_with_label(label, k);
    snprintf(task.label, sizeof task.label, "%s", label);
  } else {
    task.kept = !label[0] && new_to_us(k);
  }
  FILE *f = open_file("data.bin", "ab");
  task.data_before = data_length(f);
  task.blobs_before = n_blobs;
  fclose(f);
}

static void write_step(const struct kernel *k, size_t groups, size_t first) {
  fprintf(task.out, "step %s %s %zu %zu", k->program->file, k->line->name, groups, first);
  for (int i = 0; i < arguments_of(k); i++)
    if (holds(k, i)) fprintf(task.out, " b%d", task_buffer(k->value[i].memory));
    else fprintf(task.out, " %d:%" PRId64, (int)k->size[i], k->value[i].whole);
  fprintf(task.out, "\n");
}

/* What the launch has changed, as runs of words that differ, with few equal ones between. */
static int write_changes(cl_command_queue q, int number) {
  const struct buffer *b = task.of[number];
  const size_t words = b->bytes / 4;
  uint32_t *now = malloc(b->bytes), *was = (uint32_t *)(void *)task.now[number];
  int changes = 0;
  REAL(clEnqueueReadBuffer)(q, b->of, CL_TRUE, 0, b->bytes, now, 0, NULL, NULL);
  for (size_t i = 0; i < words; i++) {
    size_t end, last;
    if (now[i] == was[i]) continue;
    for (last = end = i; end < words && end - last <= CHANGED; end++)
      if (now[end] != was[end]) last = end;
    const size_t bytes = (last + 1 - i) * 4;
    changes++;
    task.stored += bytes;
    if (task.stored <= MOST_BYTES)
      fprintf(task.out, "change %d %zu %zu %ld\n", number, i * 4, bytes, keep_bytes(now + i, bytes));
    if ((last + 1) * 4 > task.extent[number]) task.extent[number] = (last + 1) * 4;
    i = last;
  }
  free(task.now[number]);
  task.now[number] = (unsigned char *)now;
  return changes;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel of, cl_uint dim, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                              cl_event *event) {
  struct kernel *k = kernel_of(of);
  if (!folder() || !k || !k->line)
    return REAL(clEnqueueNDRangeKernel)(q, of, dim, offset, global, local, n, wait, event);
  REAL(clFinish)(q);
  if (task.queue && (task.queue != q || task.steps == TASK_STEPS)) close_task();
  if (!task.queue) open_task(q, k);
  const int step = task.steps++;
  for (int i = 0; i < arguments_of(k); i++) {
    if (!holds(k, i)) continue;
    if (task.kept && task_buffer(k->value[i].memory) < 0) add_buffer(q, k, i, offset != NULL);
    buffer_of(k->value[i].memory)->used = 1;
  }
  if (task.kept) {
    write_step(k, *global / *local, offset ? *offset : 0);
    write_program(k->program);
  }
  const int noted = is_group(k) && getenv("RECORD_SKIP");
  /* but what a likelihood is made of, without which nobody would ask for more */
  if (noted && strcmp(k->line->name, "dense_diagonal_sums")) return CL_SUCCESS;
  const cl_int code = REAL(clEnqueueNDRangeKernel)(q, of, dim, offset, global, local, n, wait, event);
  REAL(clFinish)(q);
  int changes = 0;
  for (int i = 0; task.kept && !noted && i < arguments_of(k); i++)
    if (holds(k, i) && may_change(k->line, i)) changes += write_changes(q, task_buffer(k->value[i].memory));
  task.seen[step] = changes ? k->line : NULL;
  return code;
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t bytes,
                            const void *from, cl_uint n, const cl_event *wait, cl_event *event) {
  struct buffer *b = buffer_of(m);
  close_task();
  if (b && b->used) {
    for (int i = 0; i < b->n; i++) free(b->written[i].data);
    b->n = b->used = 0;
  }
  if (b && folder()) {
    range *w = b->written;
    while (w < b->written + b->n && w->offset != offset) w++;
    if (w == b->written + RANGES) exit(3);
    if (w == b->written + b->n) b->n++;
    else free(w->data);
    w->offset = offset;
    w->bytes = bytes;
    w->data = malloc(bytes);
    memcpy(w->data, from, bytes);
  }
  return REAL(clEnqueueWriteBuffer)(q, m, block, offset, bytes, from, n, wait, event);
}

/* A whole number is a mark in a queue of cooperative kernels, and no end of what is to be timed. */
cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t bytes, void *to,
                           cl_uint n, const cl_event *wait, cl_event *event) {
  if (bytes > sizeof(cl_int) || !task.skipped) close_task();
  return REAL(clEnqueueReadBuffer)(q, m, block, offset, bytes, to, n, wait, event);
}
