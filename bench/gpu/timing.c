/* timing.c: peaks of a device, and recorded tasks with as many points as fill it. A task with columns of points has
 * them repeated; one whose points are told apart by their numbers alone, as of a matrix or a mesh, is as long as the
 * call was that it is from. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay.h"

enum { MOST_POINTS = 1 << 22, REPETITIONS = 20, TILE = 64, MOST_TILES = 16, SPARE = 4, LIST_HEAD = 16 };
static const double enough = 0.05, patience = 0.4; /* seconds of a run, and of all */
static const double here = 1.5e9;                  /* bytes, on a device that shares this machine's memory */

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t columns_in(size_t bytes, size_t column) { return (int64_t)((bytes + column - 1) / column); }

/* ---- peaks ---- */

static const char peaks[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void add(global double *to, double m, double c) {\n"
    "  const double x = get_global_id(0);\n"
    "  double a0 = x, a1 = x + 1, a2 = x + 2, a3 = x + 3, a4 = x + 4, a5 = x + 5, a6 = x + 6, a7 = x + 7;\n"
    "  for (int i = 0; i < 512; i++) {\n"
    "    a0 = fma(a0, m, c); a1 = fma(a1, m, c); a2 = fma(a2, m, c); a3 = fma(a3, m, c);\n"
    "    a4 = fma(a4, m, c); a5 = fma(a5, m, c); a6 = fma(a6, m, c); a7 = fma(a7, m, c);\n"
    "  }\n"
    "  to[get_global_id(0)] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;\n"
    "}\n"
    "kernel void copy(global double *to, global const double *from) {\n"
    "  to[get_global_id(0)] = from[get_global_id(0)];\n"
    "}\n";

static double least_seconds(const device *d, cl_kernel kernel, size_t items) {
  const size_t group = 64;
  const double began = seconds_now();
  double least = 1e30;
  for (int i = 0; i < REPETITIONS && (i < 3 || seconds_now() - began < 2 * patience); i++) {
    cl_event event;
    must("clEnqueueNDRangeKernel",
         cl.clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &items, &group, 0, NULL, &event));
    must("clFinish", cl.clFinish(d->queue));
    least = fmin(least, event_seconds(event));
  }
  return least;
}

static double least_transfer(const device *d, cl_mem buffer, void *host, size_t bytes, int to) {
  double least = 1e30;
  for (int i = 0; i < 4; i++) {
    const double began = seconds_now();
    if (to) buffer_send(d, buffer, 0, bytes, host);
    else buffer_fetch(d, buffer, 0, bytes, host);
    least = fmin(least, seconds_now() - began);
  }
  return least;
}

void timing_device(const device *d) {
  const size_t numbers = (size_t)1 << (d->is_gpu ? 26 : 22);
  size_t items = (size_t)1 << 14;
  const char *text = peaks;
  const double m = 0.999, c = 0.001;
  cl_int code;
  printf("device\tunits\t%d\ndevice\tmemory\t%.0f\ndevice\texact.single\t%d\n", d->units, d->memory,
         d->exact_single);
  fflush(stdout);
  cl_program program = cl.clCreateProgramWithSource(d->context, 1, &text, NULL, &code);
  must("clCreateProgramWithSource", code);
  must("clBuildProgram", cl.clBuildProgram(program, 1, &d->id, "-cl-std=CL1.2", NULL, NULL));
  cl_kernel add = cl.clCreateKernel(program, "add", &code), copy = cl.clCreateKernel(program, "copy", &code);
  must("clCreateKernel", code);
  cl_mem one = buffer_make(d, numbers * 8), other = buffer_make(d, numbers * 8);
  host_memory beside = host_make(d, numbers * 8);
  void *host = beside.at;
  memset(host, 0, numbers * 8);
  cl.clSetKernelArg(add, 0, sizeof one, &one);
  cl.clSetKernelArg(add, 1, sizeof m, &m);
  cl.clSetKernelArg(add, 2, sizeof c, &c);
  double least = least_seconds(d, add, items);
  while (least < enough / 4 && items < (size_t)MOST_POINTS) least = least_seconds(d, add, items *= 4);
  printf("device\tflops\t%.6g\n", 2.0 * 512 * 8 * (double)items / least);
  buffer_send(d, one, 0, numbers * 8, host);
  cl.clSetKernelArg(copy, 0, sizeof other, &other);
  cl.clSetKernelArg(copy, 1, sizeof one, &one);
  printf("device\tbandwidth\t%.6g\n", 16 * (double)numbers / least_seconds(d, copy, numbers));
  printf("device\tto\t%.6g\n", 8 * (double)numbers / least_transfer(d, one, host, numbers * 8, 1));
  printf("device\tfrom\t%.6g\n", 8 * (double)numbers / least_transfer(d, one, host, numbers * 8, 0));
}

/* ---- a task with more points ---- */

typedef struct {
  const task *t;
  const step *first;
  const unsigned char *data;
  extent_of was, now;
  size_t real;
  int64_t column[TASK_BUFFERS]; /* columns of points or of sets, or 0: the buffer is as it was */
  int by_set[TASK_BUFFERS];
  size_t bytes[TASK_BUFFERS];
  cl_mem buffer[TASK_BUFFERS];
  host_memory host[TASK_BUFFERS]; /* of what is sent before each run, or comes back */
} larger;

/* Can points be repeated? Not where their numbers tell them apart: there are no columns then, or they say nothing. */
static int can_repeat(const larger *l) {
  const int in = buffer_at(l->first, ARG_IN);
  const char *name = l->first->line->name;
  static const char *const by_number[] = {"quad_sums", "quad_pairs", "quad_first", "stable_observed"};
  for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++)
    if (!strcmp(name, by_number[i])) return 0;
  return in >= 0 && l->column[in] > 0;
}

static void count_columns(larger *l) {
  for (int i = ARG_SET_IN; i <= ARG_WORK; i++) {
    const int k = buffer_at(l->first, i), by_set = i == ARG_SET_IN || i == ARG_SET_WORK;
    if (k < 0) continue;
    l->by_set[k] = by_set;
    l->column[k] = columns_in(l->t->extent[k], (size_t)(by_set ? l->was.sets : l->was.cap) * l->real);
  }
}

static int is_any(const larger *l, int k, int argument, int other) {
  return k == buffer_at(l->first, argument) || k == buffer_at(l->first, other);
}

/* Bytes of all buffers with n points; the largest comes back too. */
static double set_sizes(larger *l, int64_t n, double *largest) {
  double all = 0;
  *largest = 0;
  l->now.n = n;
  l->now.cap = (n + 15) / 16 * 16;
  l->now.sets = l->was.sets == 1 ? 1 : l->was.sets == l->was.n ? n : l->was.sets;
  for (int k = 0; k < l->t->buffers; k++) {
    const int spare = is_any(l, k, ARG_WORK, ARG_SET_WORK) ? SPARE : 0; /* scratch that the recorded points left */
    l->bytes[k] = l->t->extent[k];
    if (l->column[k] + spare)
      l->bytes[k] = (size_t)(l->column[k] + spare) * (size_t)(l->by_set[k] ? l->now.sets : l->now.cap) * l->real;
    if (k == buffer_at(l->first, ARG_LIST))
      l->bytes[k] = l->t->extent[k] ? (LIST_HEAD + LIST_HEAD * (size_t)l->now.cap) * 4 : 64;
    all += (double)l->bytes[k];
    *largest = fmax(*largest, (double)l->bytes[k]);
  }
  return all;
}

/* Columns of k, repeated, in memory beside the device. */
static void repeat_columns(larger *l, int k) {
  const int64_t was = l->by_set[k] ? l->was.sets : l->was.n, apart = l->by_set[k] ? l->was.sets : l->was.cap;
  const int64_t n = l->by_set[k] ? l->now.sets : l->now.n, now_apart = l->by_set[k] ? n : l->now.cap;
  for (int i = 0; i < l->t->fills; i++) {
    const piece *f = l->t->fill + i;
    if (f->buffer != k) continue;
    for (size_t at = 0; at < f->bytes; at += (size_t)apart * l->real) { /* sets' columns come in one piece */
      const int64_t column = (int64_t)((f->offset + at) / ((size_t)apart * l->real));
      const size_t left = f->bytes - at, whole = (size_t)was * l->real, bytes = left < whole ? left : whole;
      const int only = bytes == l->real && was > 1;
      unsigned char *to = (unsigned char *)l->host[k].at + (size_t)(column * now_apart) * l->real;
      for (int64_t j = 0; j < (only ? 1 : n); j += was)
        memcpy(to + (size_t)j * l->real, l->data + f->at + at,
               smaller(n - j, was) < was ? (size_t)(n - j) * l->real : bytes);
    }
  }
}

/* A symmetric matrix in tiles of its lower half by columns, exp(-|i - j| / 20) with a little more on the diagonal. */
static void fill_matrix(double *a, size_t numbers, int64_t tiles) {
  const double *end = a + numbers;
  double value[2 * TILE];
  for (int64_t column = 0; column < tiles; column++)
    for (int64_t row = column; row < tiles; row++) {
      for (int i = 0; i < 2 * TILE; i++) value[i] = exp(-fabs((double)((row - column) * TILE + i - TILE)) / 20);
      for (int j = 0; j < TILE && a + TILE <= end; j++)
        for (int i = 0; i < TILE; i++) *a++ = value[TILE + i - j] + (row == column && i == j ? 0.1 : 0);
    }
}

static void make_buffers(const device *d, larger *l) {
  const int out = buffer_at(l->first, ARG_OUT), piped = l->first->line->domain != GROUPS;
  for (int k = 0; k < l->t->buffers; k++) {
    l->buffer[k] = buffer_make(d, l->bytes[k]);
    l->host[k] = (host_memory){NULL, NULL};
    if (piped && (k == out || is_any(l, k, ARG_IN, ARG_SET_IN)) && l->column[k]) {
      l->host[k] = host_make(d, l->bytes[k]);
      memset(l->host[k].at, 0, l->bytes[k]);
      if (k != out) repeat_columns(l, k);
    }
    for (int i = 0; i < l->t->fills; i++) {
      const piece *f = l->t->fill + i;
      if (f->buffer != k || l->host[k].at) continue;
      if (f->at >= 0) {
        buffer_send(d, l->buffer[k], f->offset, f->bytes, l->data + f->at);
        continue;
      }
      double *made = room_for(f->bytes);
      if (f->at == MADE_MATRIX) fill_matrix(made, f->bytes / 8, l->first->value[2]);
      for (size_t j = 0; f->at == MADE_SMALL && j < f->bytes / 8; j++) made[j] = 1e-9;
      buffer_send(d, l->buffer[k], 0, f->bytes / 8 * 8, made);
      free(made);
    }
  }
}

static void release_buffers(const device *d, larger *l) {
  for (int k = 0; k < l->t->buffers; k++) {
    cl.clReleaseMemObject(l->buffer[k]);
    if (l->host[k].at) host_release(d, l->host[k]);
  }
}

/* ---- runs ---- */

typedef struct {
  double kernels, all, step[TASK_STEPS];
} run_times;

/* What a call does with a chunk: columns there, kernels, results back. */
static void run(const device *d, const char *folder, const char *out, larger *l, int slow, run_times *r) {
  static const cl_int no_points[LIST_HEAD];
  static cl_event event[TASK_STEPS];
  const int list = buffer_at(l->first, ARG_LIST), to = buffer_at(l->first, ARG_OUT);
  const int piped = l->first->line->domain != GROUPS;
  const double began = seconds_now();
  for (int k = 0; k < l->t->buffers; k++)
    if (l->host[k].at && k != to) buffer_send(d, l->buffer[k], 0, l->bytes[k], l->host[k].at);
  if (piped && list >= 0 && l->t->extent[list]) buffer_send(d, l->buffer[list], 0, sizeof no_points, no_points);
  for (int i = 0; i < l->t->steps; i++) {
    event[i] = replay_launch(d, folder, out, l->t->step + i, l->buffer, l->now);
    if (slow) must("clFinish", cl.clFinish(d->queue));
  }
  if (piped && to >= 0 && l->host[to].at)
    buffer_fetch(d, l->buffer[to], 0, (size_t)l->column[to] * (size_t)l->now.cap * l->real, l->host[to].at);
  must("clFinish", cl.clFinish(d->queue));
  r->all = seconds_now() - began;
  r->kernels = 0;
  for (int i = 0; i < l->t->steps; i++) {
    r->step[i] = event[i] ? event_seconds(event[i]) : 0;
    r->kernels += r->step[i];
  }
}

/* The least that has to go through the memory of the device: columns once, those of scratch twice. */
static double least_bytes(const larger *l) {
  double bytes = 0;
  for (int k = 0; k < l->t->buffers; k++) {
    const int scratch = is_any(l, k, ARG_WORK, ARG_SET_WORK);
    const double points = (double)(l->by_set[k] ? l->now.sets : l->now.n);
    if (scratch || l->column[k]) bytes += (scratch ? 2 : 1) * (double)l->column[k] * points * (double)l->real;
    else if (k != buffer_at(l->first, ARG_LIST)) bytes += (double)l->bytes[k];
  }
  return bytes;
}

static void report(const larger *l, const run_times *r) {
  const task *t = l->t;
  const double share = t->total > 0 ? (double)t->results / (double)t->total : 1;
  const int group = l->first->line->domain == GROUPS;
  const double results = group ? (double)l->first->value[1] : share * (double)l->now.n;
  printf("time\t%s\t%.17g\t%.9g\t%.9g\t%.9g\n", t->label, results, r->kernels, r->all,
         group ? 2.0 * (double)l->bytes[buffer_at(l->first, GROUP_A)] : least_bytes(l));
  for (int i = 0; i < t->steps; i++) {
    double seconds = r->step[i];
    int earlier = 0;
    for (int j = 0; j < i; j++) earlier = earlier || t->step[j].line == t->step[i].line;
    for (int j = i + 1; j < t->steps; j++) seconds += t->step[j].line == t->step[i].line ? r->step[j] : 0;
    if (!earlier) printf("step\t%s\t%s\t%.9g\n", t->label, t->step[i].line->name, seconds);
  }
}

void timing_task(const device *d, const prepared *p, const char *folder, const char *out, int number, int64_t count) {
  static run_times r, best;
  const task *t = p->task + number;
  const int group = t->step->line->domain == GROUPS;
  larger l = {.t = t, .first = t->step, .data = p->data, .was = as_recorded(t->step), .real = t->single ? 4 : 8};
  const double most = d->is_gpu ? d->memory / 3 : here;
  double largest;
  if (!group) count_columns(&l);
  if (group && (count || (!d->is_gpu && l.first->value[2] > MOST_TILES))) {
    printf("skip\t%s\n", t->label);
    return;
  }
  const int fixed = group || (l.was.sets > 1 && l.was.sets != l.was.n);
  const int64_t limit = fixed ? l.was.n : can_repeat(&l) ? MOST_POINTS : t->total;
  int64_t n = fixed || count ? smaller(count ? count : limit, limit) : smaller(limit, l.was.n);
  for (;;) {
    set_sizes(&l, n, &largest);
    make_buffers(d, &l);
    if (count) printf("count\t%s\t%.17g\n", t->label, (double)n * (double)t->results / (double)t->total);
    fflush(stdout);
    run(d, folder, out, &l, count > 0, &best);
    if (count) return;
    if (best.all < 1) run(d, folder, out, &l, 0, &best); /* the first may have compiled, or waited */
    const int64_t next = smaller(4 * n, limit);
    if (best.kernels >= enough || next == n) break;
    if (set_sizes(&l, next, &largest) > most || largest > d->most_at_once) {
      set_sizes(&l, n, &largest);
      break;
    }
    release_buffers(d, &l);
    n = next;
  }
  const double began = seconds_now();
  for (int i = 1; i < REPETITIONS && seconds_now() - began < patience; i++) {
    run(d, folder, out, &l, 0, &r);
    const double all = fmin(r.all, best.all);
    if (r.kernels < best.kernels) best = r;
    best.all = all;
  }
  report(&l, &best);
}
