/* ocl_build.c: programs. The text of <program>.cl with its headers inlined is built once per device; the binary
 * is kept in the cache folder under a hash of everything that it depends on. Several programs are built side by side,
 * by threads that call nothing but the driver: what came of it, the main thread sees to. */
#define _POSIX_C_SOURCE 200809L
#include "engine/ocl_build.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <process.h>
#define getpid _getpid
#else
#include <unistd.h>
#endif

#include "engine/folders.h"
#include "engine/threads.h"

enum { MAX_DEPTH = 16, PATH_ROOM = 4608 };
static const char magic[8] = {'s', 't', 'a', 't', 'c', 'l', '0', '1'};

/* Growing text; failed when memory ran out. */
typedef struct {
  char *text;
  size_t length, room;
  int failed;
} builder;

static void append(builder *b, const char *piece, size_t length) {
  if (b->failed) return;
  if (b->length + length + 1 > b->room) {
    size_t room = 2 * (b->length + length + 1);
    char *larger = realloc(b->text, room);
    if (!larger) {
      b->failed = 1;
      return;
    }
    b->text = larger;
    b->room = room;
  }
  memcpy(b->text + b->length, piece, length);
  b->length += length;
  b->text[b->length] = '\0';
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  long size;
  if (!file) return NULL;
  if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET) &&
      (data = malloc((size_t)size + 1)) != NULL) {
    *length = fread(data, 1, (size_t)size, file);
    data[*length] = '\0';
  }
  fclose(file);
  return data;
}

/* The name in a line `#include "name"`, copied to name; 0 for any other line. */
static int included(const char *line, const char *end, char *name, size_t room) {
  while (line < end && (*line == ' ' || *line == '\t')) line++;
  if (end - line < 10 || strncmp(line, "#include", 8)) return 0;
  const char *open = memchr(line, '"', (size_t)(end - line));
  const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
  if (!close || (size_t)(close - open) > room) return 0;
  memcpy(name, open + 1, (size_t)(close - open - 1));
  name[close - open - 1] = '\0';
  return 1;
}

/* Names of kernel files begin with the name of their folder as it is in the sources. */
static const char root[] = "kernels/";

/* Appends a file of the kernel folder with its headers in place, each time they are named: guards are left to the
 * compiler, since a header may be a template. The text of a task stands for integrand_text.h. */
static status inline_file(builder *out, const char *name, const char *text, int depth) {
  char path[PATH_ROOM], header[64], mark[96];
  size_t length;
  char *line, *end;
  status st = STATUS_OK;
  int number = 0;
  if (text && !strcmp(name, "integrand_text.h")) {
    append(out, text, strlen(text));
    return STATUS_OK;
  }
  if (strncmp(name, root, sizeof root - 1)) return fail(STATUS_BUILD, "%s is not below %s", name, root);
  if (depth > MAX_DEPTH) return fail(STATUS_BUILD, "headers include each other at %s", name);
  snprintf(path, sizeof path, "%s/%s", folders_kernels(), name + sizeof root - 1);
  char *data = read_file(path, &length);
  if (!data) return fail(STATUS_BUILD, "cannot read the kernel file %s", path);
  append(out, mark, (size_t)snprintf(mark, sizeof mark, "#line 1 \"%s\"\n", name));
  for (line = data; line < data + length && !st; line = end) {
    end = memchr(line, '\n', (size_t)(data + length - line));
    end = end ? end + 1 : data + length;
    number++;
    if (included(line, end, header, sizeof header)) {
      st = inline_file(out, header, text, depth + 1);
      append(out, mark, (size_t)snprintf(mark, sizeof mark, "#line %d \"%s\"\n", number + 1, name));
    } else {
      append(out, line, (size_t)(end - line));
    }
  }
  free(data);
  return st;
}

/* FNV-1a with two starting values: 128 bits that name a cache entry. */
static void hash_more(uint64_t h[2], const void *data, size_t length) {
  const unsigned char *at = data;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i <= length; i++) /* one step more ends each part, so that parts cannot run into each other */
      h[k] = (h[k] ^ (i < length ? at[i] : 0xffu)) * UINT64_C(1099511628211);
}

static void hash_start(uint64_t h[2]) {
  h[0] = UINT64_C(14695981039346656037);
  h[1] = UINT64_C(0x9e3779b97f4a7c15);
}

static void entry_path(const ocl_device *d, const char *program, const char *source, const char *options,
                       char path[PATH_ROOM]) {
  const char *parts[] = {source,           options,           d->info.label,      d->info.vendor,
                         d->info.driver,   d->info.platform,  d->platform_version};
  uint64_t h[2];
  path[0] = '\0';
  if (!folders_cache()[0] || !folders_private(folders_cache())) return;
  hash_start(h);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash_more(h, parts[i], strlen(parts[i]));
  snprintf(path, PATH_ROOM, "%s/%s-%08lx%08lx%08lx%08lx.bin", folders_cache(), program,
           (unsigned long)(h[0] >> 32), (unsigned long)(h[0] & 0xffffffffu), (unsigned long)(h[1] >> 32),
           (unsigned long)(h[1] & 0xffffffffu));
}

typedef struct {
  char magic[sizeof magic];
  uint64_t length, check[2];
} entry_head;

/* Renamed into place whole, so that another process never reads half an entry. Failing to write is no failure. */
static void write_entry(const char *path, const unsigned char *binary, size_t length) {
  char temporary[PATH_ROOM + 32];
  entry_head head;
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  FILE *file = folders_create(temporary);
  if (!file) return;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, magic, sizeof magic);
  head.length = length;
  hash_start(head.check);
  hash_more(head.check, binary, length);
  int good = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(binary, 1, length, file) == length;
  good = fclose(file) == 0 && good;
#ifdef _WIN32
  if (good) remove(path);
#endif
  if (!good || rename(temporary, path)) remove(temporary);
}

/* The entry's bytes, or NULL when there is none, it is damaged, or others may have written it. The caller frees
 * *file. */
static const unsigned char *read_entry(const char *path, char **file, size_t *length) {
  size_t size = 0;
  entry_head head;
  uint64_t h[2];
  *file = path[0] && folders_private(path) ? read_file(path, &size) : NULL;
  if (!*file || size < sizeof head) return NULL;
  memcpy(&head, *file, sizeof head);
  if (memcmp(head.magic, magic, sizeof magic) || head.length != size - sizeof head) return NULL;
  hash_start(h);
  hash_more(h, *file + sizeof head, size - sizeof head);
  if (h[0] != head.check[0] || h[1] != head.check[1]) return NULL;
  *length = size - sizeof head;
  return (const unsigned char *)*file + sizeof head;
}

/* A program to be built, and what came of it: `failed` is the call whose code is not CL_SUCCESS. */
typedef struct {
  ocl_device *d;
  const kernel_description *of; /* the first kernel of the program; NULL: of none */
  const char *name;
  char *source, options[192], path[PATH_ROOM];
  cl_program made;
  const char *failed;
  cl_int code;
} build_order;

static cl_program from_cache(const build_order *b) {
  char *file;
  size_t length;
  const unsigned char *binary = read_entry(b->path, &file, &length);
  cl_program made = NULL;
  if (binary) {
    cl_int code, loaded = CL_SUCCESS;
    made = ocl.clCreateProgramWithBinary(b->d->context, 1, &b->d->id, &length, &binary, &loaded, &code);
    if (code != CL_SUCCESS) made = NULL;
    if (made && (loaded != CL_SUCCESS ||
                 ocl.clBuildProgram(made, 1, &b->d->id, b->options, NULL, NULL) != CL_SUCCESS)) {
      ocl.clReleaseProgram(made);
      made = NULL;
    }
  }
  free(file);
  return made;
}

static void to_cache(cl_program program, const char *path) {
  size_t length = 0;
  unsigned char *binary;
  if (!path[0] ||
      ocl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL) != CL_SUCCESS || !length)
    return;
  binary = malloc(length);
  if (!binary) return;
  if (ocl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
    write_entry(path, binary, length);
  free(binary);
}

/* On any thread. */
static void build(build_order *b) {
  const char *source = b->source;
  b->made = from_cache(b);
  if (b->made) return;
  b->failed = "clCreateProgramWithSource";
  b->made = ocl.clCreateProgramWithSource(b->d->context, 1, &source, NULL, &b->code);
  if (b->code == CL_SUCCESS && !b->made) b->code = CL_OUT_OF_HOST_MEMORY;
  if (b->code != CL_SUCCESS) return;
  b->failed = "clBuildProgram";
  b->code = ocl.clBuildProgram(b->made, 1, &b->d->id, b->options, NULL, NULL);
  if (b->code == CL_SUCCESS) to_cache(b->made, b->path);
}

static status build_failure(const build_order *b) {
  const ocl_device *d = b->d;
  size_t length = 0;
  char *log = NULL;
  if (ocl.clGetProgramBuildInfo(b->made, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) == CL_SUCCESS)
    log = calloc(length + 1, 1);
  if (log) ocl.clGetProgramBuildInfo(b->made, d->id, CL_PROGRAM_BUILD_LOG, length, log, NULL);
  const status st = fail(
      STATUS_BUILD, "program %s does not build on device %s (%s, driver %s): clBuildProgram returned %s (%d)\n%s",
      b->name, d->info.name, d->info.label, d->info.driver, ocl_code_name(b->code), (int)b->code,
      log && *log ? log : "the driver gave no build log");
  free(log);
  return st;
}

/* The program, which is the caller's, or what there is to say. */
static status built_program(build_order *b, cl_program *made) {
  *made = b->made;
  if (b->made && b->code == CL_SUCCESS) return STATUS_OK;
  const status st = !b->made || ocl_is_memory(b->code) || ocl_is_lost(b->code) ? ocl_fail(b->d, b->failed, b->code)
                                                                               : build_failure(b);
  if (b->made) ocl.clReleaseProgram(b->made);
  *made = NULL;
  return st;
}

/* Compilers take some hundred MB for a program. */
enum { MOST_BUILDERS = 8 };
static const double look_every = 0.005, patience = 1; /* seconds */

typedef struct {
  build_order *order;
  ptrdiff_t count, next, done;
  int stop;
  double from, length;
} building;

static status (*poll)(double fraction);
void ocl_poll_by(status (*pause)(double fraction)) { poll = pause; }

static ptrdiff_t building_done, building_all;
void ocl_building(int *done, int *of) {
  *done = (int)building_done;
  *of = (int)building_all;
}

static int build_next(building *b) {
  const ptrdiff_t k = __atomic_fetch_add(&b->next, 1, __ATOMIC_RELAXED);
  if (k >= b->count) return 0;
  build(b->order + k);
  __atomic_fetch_add(&b->done, 1, __ATOMIC_RELEASE);
  return 1;
}

static status look(building *b) {
  building_done = __atomic_load_n(&b->done, __ATOMIC_ACQUIRE);
  return poll ? poll(b->from + b->length * (double)building_done / (double)b->count) : STATUS_OK;
}

/* The calling thread looks after the others, and does their work where nobody comes. */
static status look_after(building *b) {
  const double began = clock_seconds();
  status st;
  while (!(st = look(b)) && building_done < b->count) {
    if (!__atomic_load_n(&b->next, __ATOMIC_RELAXED) && clock_seconds() - began > patience)
      while (!st && build_next(b)) st = look(b);
    else
      nap(look_every);
  }
  return st;
}

static int take_part(void *context, int64_t piece, int thread) {
  building *b = context;
  (void)piece;
  if (!thread) {
    if (look_after(b)) __atomic_store_n(&b->stop, 1, __ATOMIC_RELAXED);
  } else {
    while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED) && build_next(b)) {}
  }
  return 0;
}

/* Builds all of them, whatever fails, unless the user interrupts that. Where computations have one thread, drivers
 * see no other either. */
static status build_all(build_order *order, int count, double from, double length) {
  building b = {.order = order, .count = count, .from = from, .length = length};
  const int threads = threads_available() < MOST_BUILDERS ? threads_available() : MOST_BUILDERS;
  const int builders = threads < count ? threads : count;
  building_done = 0;
  building_all = count;
  if (threads > 1) {
    threads_run(builders + 1, builders + 1, take_part, &b);
  } else {
    status st = look(&b);
    while (!st && build_next(&b)) st = look(&b);
    b.stop = st != STATUS_OK;
  }
  building_all = 0;
  return b.stop ? STATUS_INTERRUPT : STATUS_OK;
}

static void release_orders(build_order *order, int count) {
  for (int i = 0; i < count; i++) free(order[i].source);
  free(order);
}

static status write_order(build_order *b, ocl_device *d, const kernel_description *k, int single, const char *text) {
  char file[96];
  builder source = {0};
  memset(b, 0, sizeof *b);
  b->d = d;
  b->of = k;
  b->name = k->program;
  snprintf(file, sizeof file, "%s%s/%s.cl", root, k->room, k->program);
  /* -w: some drivers print warnings to the terminal */
  snprintf(b->options, sizeof b->options, "-cl-std=CL1.2 -w -DLANES=%d%s%s", d->is_cpu ? CPU_LANES : 1,
           single ? " -DSINGLE=1 -cl-single-precision-constant" : "",
           single && d->exact_single ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  status st = inline_file(&source, file, text, 0);
  if (!st && source.failed) st = fail(STATUS_MEMORY, "out of memory while reading program %s", k->program);
  b->source = source.text;
  /* a user's integrands are without number: drivers that keep programs have a limit */
  if (!st && !text) entry_path(d, k->program, source.text, b->options, b->path);
  return st;
}

/* Work-group size: whole multiples of what the device executes at once, and small ones. A CPU device already
 * has its lanes inside the work-item, so one item makes a group. */
static size_t group_size(const ocl_device *d, cl_kernel kernel) {
  size_t most = 0, multiple = 0;
  if (d->is_cpu) return 1;
  if (ocl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL)) most = 1;
  if (ocl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                                   &multiple, NULL) || !multiple)
    multiple = 1;
  const size_t size = multiple >= POINT_GROUP ? POINT_GROUP : POINT_GROUP / multiple * multiple;
  return size <= most ? size : most ? most : 1;
}

/* That of a cooperative kernel is its own, as it says; 0 where the device has no room for it. */
static size_t whole_group(const ocl_device *d, cl_kernel kernel) {
  size_t most = 0, own[3] = {0};
  if (ocl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL)) most = 0;
  if (ocl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof own, own, NULL)) return 0;
  return most < own[0] ? 0 : own[0];
}

static status make_kernel(ocl_device *d, const kernel_description *k, cl_program program, cl_kernel *kernel,
                          size_t *group) {
  cl_int code;
  *kernel = ocl.clCreateKernel(program, k->name, &code);
  if (code != CL_SUCCESS || !*kernel) {
    *kernel = NULL;
    return ocl_fail(d, "clCreateKernel", code);
  }
  *group = k->domain == GROUPS ? whole_group(d, *kernel) : group_size(d, *kernel);
  return STATUS_OK;
}

static void release_text(ocl_device *d, text_program *p) {
  if (p->kernel) {
    built_kernel *own = d->built[0] + p->of->number;
    if (own->kernel == p->kernel) own->kernel = NULL;
    ocl.clReleaseKernel(p->kernel);
  }
  if (p->program) ocl.clReleaseProgram(p->program);
  memset(p, 0, sizeof *p);
}

static status build_text(ocl_device *d, const kernel_description *k, const char *text, cl_program *made) {
  build_order *order = malloc(sizeof *order);
  if (!order) return fail(STATUS_MEMORY, "out of memory while building program %s", k->program);
  status st = write_order(order, d, k, 0, text);
  if (!st) st = build_all(order, 1, NAN, 0);
  if (!st) st = built_program(order, made);
  release_orders(order, 1);
  return st;
}

/* Takes the place of the one that was not used for longest. */
static status need_text(ocl_device *d, const kernel_description *k, const char *text) {
  text_program *p = d->text;
  uint64_t h[2];
  status st = STATUS_OK;
  int i;
  hash_start(h);
  hash_more(h, text, strlen(text));
  for (i = 0; i < TEXTS; i++) {
    text_program *q = d->text + i;
    if (q->kernel && q->of == k && q->hash[0] == h[0] && q->hash[1] == h[1]) break;
    if (q->used < p->used) p = q;
  }
  if (i < TEXTS) {
    p = d->text + i;
  } else {
    release_text(d, p);
    st = build_text(d, k, text, &p->program);
    if (!st) st = make_kernel(d, k, p->program, &p->kernel, &p->group);
    p->of = k;
    p->hash[0] = h[0];
    p->hash[1] = h[1];
    if (st) release_text(d, p);
  }
  if (st) return st;
  p->used = ++d->texts_used;
  d->built[0][k->number].kernel = p->kernel;
  d->built[0][k->number].group = p->group;
  return STATUS_OK;
}

/* The first kernel in the list whose program is that of k; it has the program. */
static const kernel_description *home_of(const kernel_description *k) {
  int i = 0;
  while (strcmp(kernels[i]->program, k->program)) i++;
  return kernels[i];
}

/* Orders for the programs of these kernels that are not there yet. */
static status write_orders(ocl_device *d, const kernel_description *const *k, int single, build_order **orders,
                           int *count) {
  status st = STATUS_OK;
  int most = 0;
  *count = 0;
  while (k[most]) most++;
  *orders = calloc((size_t)most, sizeof **orders);
  if (!*orders) return fail(STATUS_MEMORY, "out of memory while building programs");
  for (int i = 0, n; i < most && !st; i++) {
    const kernel_description *home = home_of(k[i]);
    for (n = 0; n < *count && (*orders)[n].of != home;) n++;
    if (k[i]->text || n < *count || (d->built[single] && d->built[single][home->number].program)) continue;
    st = write_order(*orders + n, d, home, single, NULL);
    ++*count;
  }
  return st;
}

static status need_programs(ocl_device *d, const kernel_description *const *k, int single, double from,
                            double length) {
  build_order *order;
  int count;
  status st = write_orders(d, k, single, &order, &count), failed = STATUS_OK;
  if (!st && count) st = build_all(order, count, from, length);
  for (int i = 0; i < count; i++) {
    const status one = order[i].failed || order[i].made
                           ? built_program(order + i, &d->built[single][order[i].of->number].program) : STATUS_OK;
    if (one) failed = one; /* as last_error() */
  }
  release_orders(order, count);
  return st ? st : failed;
}

status ocl_need_kernels(ocl_device *d, const kernel_description *const *k, int single, const char *text, double from,
                        double length) {
  status st = need_programs(d, k, single, from, length);
  for (; *k && !st; k++) {
    built_kernel *own = d->built[single] + (*k)->number;
    if ((*k)->text) st = need_text(d, *k, text);
    else if (!own->kernel)
      st = make_kernel(d, *k, d->built[single][home_of(*k)->number].program, &own->kernel, &own->group);
  }
  return st;
}

status ocl_need_kernel(ocl_device *d, const kernel_description *k, int single, const char *text) {
  const kernel_description *const one[] = {k, NULL};
  return k->text || !d->built[single][k->number].kernel ? ocl_need_kernels(d, one, single, text, NAN, 0) : STATUS_OK;
}

status ocl_unbuilt(ocl_device *d, const kernel_description *const *k, int single, int *unbuilt) {
  build_order *order;
  int count;
  const status st = write_orders(d, k, single, &order, &count);
  for (int i = 0; i < count; i++) *unbuilt += !order[i].path[0] || !folders_private(order[i].path);
  release_orders(order, count);
  return st;
}

status ocl_try_compiler(ocl_device *d) {
  static const char text[] = "kernel void one(global int *x) { x[get_global_id(0)] = 1; }";
  build_order *order = calloc(1, sizeof *order);
  cl_program made;
  if (!order || !(order->source = malloc(sizeof text))) {
    free(order);
    return fail(STATUS_MEMORY, "out of memory while trying a compiler");
  }
  order->d = d;
  order->name = "one";
  strcpy(order->source, text);
  build(order);
  const status st = built_program(order, &made);
  if (!st) ocl.clReleaseProgram(made);
  release_orders(order, 1);
  return st;
}

void ocl_release_programs(ocl_device *d) {
  for (int i = 0; i < TEXTS; i++) release_text(d, d->text + i);
  for (int single = 0; single < 2; single++) {
    built_kernel *built = d->built[single];
    for (int i = 0; i < kernel_count && built; i++) {
      if (built[i].kernel) ocl.clReleaseKernel(built[i].kernel);
      if (built[i].program) ocl.clReleaseProgram(built[i].program);
    }
    free(built);
    d->built[single] = NULL;
  }
}
