/* ocl_run.c: chunks on an OpenCL device. Two slots with a queue each: while the kernels of one chunk run, the data
 * of the other travel. Nothing here waits for the device, except where work is abandoned. A chunk for which memory
 * is missing, which drivers may say at any call and even after the last, is given back and the next is smaller. */
#include "engine/ocl_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ocl_build.h"
#include "engine/ocl_kept.h"
#include "engine/profile.h"
#include "engine/threads.h"

/* Points: below LEAST memory counts as exhausted; up to SPREAD a vector stays in one chunk; a chunk on a GPU and on a
 * CPU device is at most GPU_MOST and CPU_MOST. There a chunk's columns should stay near the caches. */
enum { LEAST = 1024, SPREAD = 1 << 16, GPU_MOST = 1 << 22, CPU_MOST = 1 << 17 };
/* First chunk of a task on a CPU device, and for each unit of a GPU whose driver ends kernels that take long: its
 * points may cost a hundred times those of the task before. */
enum { CPU_FIRST = 1 << 12, WATCHED_FIRST = 512 };
/* Seconds of a chunk, of which two are in flight, and an interrupt waits for both; and of one that is no more than
 * fills a GPU, which would be less busy, and hardly be done sooner, with fewer points. */
static const double target = 0.03, longest = 0.3;

struct ocl_runner {
  ocl_device *d;
  const task *t;
  uint32_t shared;
  chunk_limits may;
  int64_t trusted; /* points that the chunks of this task so far promise to fit into the time of one */
  int places;
  const kernel_description *const *step; /* those of the pipeline, or its team's */
  size_t teams, team_items, local_bytes; /* of a group, 0: none, and of each; bytes of memory that they share */
  int strikes; /* small chunks refused since the last that was done */
  int par_sent[SLOTS];
  double last_done;
};

/* A failed call and what it was; code CL_SUCCESS while all is well. */
typedef struct {
  cl_int code;
  const char *call;
} attempt;

#define TRY(a, function, arguments)                                                                          \
  do {                                                                                                       \
    if ((a)->code == CL_SUCCESS && ((a)->code = ocl.function arguments) != CL_SUCCESS) (a)->call = #function; \
  } while (0)

static void release_area(slot *s) {
  if (s->pinned) {
    if (s->area) {
      ocl.clEnqueueUnmapMemObject(s->queue, s->pinned, s->area, 0, NULL, NULL);
      ocl.clFinish(s->queue);
    }
    ocl.clReleaseMemObject(s->pinned);
  } else {
    free(s->area);
  }
  s->pinned = NULL;
  s->area = NULL;
  s->area_bytes = 0;
}

static void release_buffers(slot *s) {
  for (int k = 0; k < BUFFERS; k++) {
    if (s->buffer[k]) ocl.clReleaseMemObject(s->buffer[k]);
    s->buffer[k] = NULL;
    s->bytes[k] = 0;
  }
  release_area(s);
}

static void release_events(slot *s) {
  while (s->commands)
    if (s->command[--s->commands].event != s->done) ocl.clReleaseEvent(s->command[s->commands].event);
  if (s->done) ocl.clReleaseEvent(s->done);
  s->done = NULL;
}

/* Ends whatever the slot was doing. */
static void abandon(slot *s) {
  if (s->queue) ocl.clFinish(s->queue);
  release_events(s);
  s->busy = 0;
}

static void release_slot(slot *s) {
  abandon(s);
  release_buffers(s);
  if (s->queue) ocl.clReleaseCommandQueue(s->queue);
  memset(s, 0, sizeof *s);
}

void ocl_make_room(ocl_device *d) {
  for (int i = 0; i < SLOTS; i++)
    if (!d->slot[i].busy) release_buffers(d->slot + i);
  ocl_kept_release_others(d, 0);
}

void ocl_drop(ocl_device *d) {
  for (int i = 0; i < SLOTS; i++) release_slot(d->slot + i);
  ocl_kept_release_others(d, 0);
  ocl_release_programs(d);
  ocl_release_context(d);
}

/* Teams that share memory need none of the device's. */
static int n_work(const ocl_runner *r) { return r->step == r->t->pipe->step ? r->t->pipe->n_work : 0; }

static size_t needed(const ocl_runner *r, int which, size_t cap, size_t sets) {
  const task *t = r->t;
  const pipeline *p = t->pipe;
  const size_t real = real_bytes(t);
  switch (which) {
  case BUF_SET_IN: return real * sets * (size_t)p->n_set_in;
  case BUF_IN: return real * cap * (size_t)p->n_in;
  case BUF_OUT: return real * cap * (size_t)p->n_out;
  case BUF_SET_WORK: return real * sets * (size_t)p->n_set_work;
  case BUF_WORK: return real * cap * (size_t)n_work(r);
  case BUF_LIST: return sizeof(cl_int) * (MAX_LISTS + cap * (size_t)p->n_list);
  default: return real * (size_t)t->n_par;
  }
}

static void need_queue(ocl_device *d, slot *s, attempt *a) {
  const int timed = profile_on();
  if (s->queue && s->timed == timed) return;
  if (s->queue) {
    release_area(s);
    ocl.clReleaseCommandQueue(s->queue);
  }
  s->timed = timed;
  s->queue = ocl_queue(d, timed, &a->code);
  if (a->code != CL_SUCCESS) a->call = "clCreateCommandQueue";
}

/* Host memory for par, set_in, in and out of a chunk: pinned where the device copies from there by itself. */
static void need_area(ocl_device *d, slot *s, size_t bytes, attempt *a) {
  if (a->code != CL_SUCCESS || s->area_bytes >= bytes) return;
  release_area(s);
  if (!d->is_cpu) {
    cl_int code;
    s->pinned = ocl.clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (code == CL_SUCCESS)
      s->area = ocl.clEnqueueMapBuffer(s->queue, s->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
                                       NULL, &code);
    else
      s->pinned = NULL;
    if (code != CL_SUCCESS) {
      s->area = NULL;
      release_area(s);
    }
  }
  if (!s->area) s->area = calloc(bytes, 1);
  if (s->area) {
    s->area_bytes = bytes;
  } else {
    a->code = CL_OUT_OF_HOST_MEMORY;
    a->call = "malloc";
  }
}

static void need_buffers(ocl_runner *r, slot *s, size_t cap, size_t sets, attempt *a) {
  const cl_mem_flags flags[BUFFERS] = {CL_MEM_READ_ONLY,  CL_MEM_READ_WRITE, CL_MEM_READ_WRITE, CL_MEM_READ_WRITE,
                                       CL_MEM_READ_WRITE, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY};
  size_t host = 0;
  need_queue(r->d, s, a);
  for (int k = 0; k < BUFFERS && a->code == CL_SUCCESS; k++) {
    size_t bytes = needed(r, k, cap, sets);
    if (k == BUF_SET_IN || k == BUF_IN) host += bytes;
    if (k == BUF_OUT) host += results_of(r->t, (int32_t)cap, cap) * real_bytes(r->t);
    if (bytes < sizeof(double)) bytes = sizeof(double);
    if (s->bytes[k] >= bytes) continue;
    if (s->buffer[k]) ocl.clReleaseMemObject(s->buffer[k]);
    s->bytes[k] = 0;
    if (k == BUF_PAR) r->par_sent[s - r->d->slot] = 0;
    s->buffer[k] = ocl_buffer(r->d->context, flags[k], bytes, &a->code);
    if (a->code == CL_SUCCESS) s->bytes[k] = bytes;
    else a->call = "clCreateBuffer";
  }
  need_area(r->d, s, host + (size_t)r->t->n_par * real_bytes(r->t), a);
}

/* Where a command's event goes: recorded while times are wanted, else nowhere. */
static cl_event *timed_as(slot *s, const char *command, const char *kind, size_t bytes) {
  timed_command *c = s->command + s->commands;
  if (!s->timed || s->commands == MAX_EVENTS) return NULL;
  c->event = NULL;
  c->command = command;
  c->kind = kind;
  c->bytes = bytes;
  return &c->event;
}

static void timed_count(slot *s) {
  if (s->timed && s->commands < MAX_EVENTS && s->command[s->commands].event) s->commands++;
}

static void send(slot *s, int which, size_t offset, size_t bytes, const void *from, attempt *a) {
  TRY(a, clEnqueueWriteBuffer,
      (s->queue, s->buffer[which], CL_FALSE, offset, bytes, from, 0, NULL,
       timed_as(s, "to device", "transfer", bytes)));
  if (a->code == CL_SUCCESS) timed_count(s);
}

static void send_columns(ocl_runner *r, slot *s, const chunk *c, size_t cap, attempt *a) {
  static const cl_int zeros[MAX_LISTS];
  const task *t = r->t;
  const pipeline *p = t->pipe;
  const size_t sets = (size_t)c->n_sets, real = real_bytes(t), n_par = (size_t)t->n_par;
  void *par = s->area, *set_in = real_at(t, par, n_par), *in = real_at(t, set_in, sets * (size_t)p->n_set_in);
  if (n_par && !r->par_sent[s - r->d->slot]) {
    const column all = {t->par, t->n_par};
    reals_take(t, par, all, 0, t->n_par);
    send(s, BUF_PAR, 0, n_par * real, par, a);
    r->par_sent[s - r->d->slot] = 1;
  }
  for (int k = 0; k < p->n_set_in; k++)
    reals_take(t, real_at(t, set_in, (size_t)k * sets), t->set_in[k], c->first_set, c->n_sets);
  if (p->n_set_in) send(s, BUF_SET_IN, 0, sets * (size_t)p->n_set_in * real, set_in, a);
  for (int k = 0; k < p->n_in; k++) {
    if (!t->in[k].data) continue;
    const size_t at = (size_t)k * cap;
    const int32_t n = r->shared >> k & 1u ? 1 : c->n;
    reals_take_in(t, real_at(t, in, at), k, c->first, n);
    send(s, BUF_IN, at * real, (size_t)n * real, real_at(t, in, at), a);
  }
  if (p->n_list) send(s, BUF_LIST, 0, sizeof zeros, zeros, a);
}

static void launch(ocl_runner *r, slot *s, const chunk *c, size_t cap, int step, const kept_copy *kept, attempt *a) {
  const pipeline *p = r->t->pipe;
  const kernel_description *of = r->step[step];
  const built_kernel *own = r->d->built[r->t->single] + of->number;
  const cl_kernel kernel = own->kernel;
  const cl_int n = c->n, columns = (cl_int)cap, n_sets = c->n_sets, run = c->run, phase = c->phase;
  const cl_long offset = r->t->origin + c->first;
  const cl_uint shared = r->shared;
  const int out = p->fills && step == 0 ? BUF_IN : BUF_OUT;
  const int order[] = {BUF_SET_IN, BUF_IN, out, BUF_SET_WORK, BUF_WORK, BUF_LIST, BUF_PAR};
  const cl_int teams = (cl_int)r->teams;
  const size_t lanes = r->d->is_cpu ? CPU_LANES : 1, local = teams ? r->teams * r->team_items : own->group;
  const size_t count = (size_t)(of->domain == SETS ? n_sets : n), blocks = (count + lanes - 1) / lanes;
  const size_t of_group = teams ? r->teams : local, global = (blocks + of_group - 1) / of_group * local;
  TRY(a, clSetKernelArg, (kernel, 0, sizeof n, &n));
  TRY(a, clSetKernelArg, (kernel, 1, sizeof columns, &columns));
  TRY(a, clSetKernelArg, (kernel, 2, sizeof n_sets, &n_sets));
  TRY(a, clSetKernelArg, (kernel, 3, sizeof n_sets, &n_sets)); /* set columns lie back to back */
  TRY(a, clSetKernelArg, (kernel, 4, sizeof run, &run));
  TRY(a, clSetKernelArg, (kernel, 5, sizeof phase, &phase));
  TRY(a, clSetKernelArg, (kernel, 6, sizeof offset, &offset));
  TRY(a, clSetKernelArg, (kernel, 7, sizeof shared, &shared));
  for (cl_uint k = 0; k < BUFFERS; k++)
    TRY(a, clSetKernelArg, (kernel, 8 + k, sizeof(cl_mem), s->buffer + order[k]));
  /* a task without a block reads none, but an argument wants a buffer */
  TRY(a, clSetKernelArg, (kernel, 8 + BUFFERS, sizeof(cl_mem), kept ? &kept->real : s->buffer + BUF_PAR));
  TRY(a, clSetKernelArg, (kernel, 9 + BUFFERS, sizeof(cl_mem), kept ? &kept->whole : s->buffer + BUF_PAR));
  if (teams) {
    TRY(a, clSetKernelArg, (kernel, 10 + BUFFERS, sizeof teams, &teams));
    TRY(a, clSetKernelArg, (kernel, 11 + BUFFERS, r->local_bytes, NULL)); /* memory of groups */
  }
  TRY(a, clEnqueueNDRangeKernel,
      (s->queue, kernel, 1, NULL, &global, &local, 0, NULL, timed_as(s, of->name, "kernel", 0)));
  if (a->code == CL_SUCCESS) timed_count(s);
}

static void *received(const ocl_runner *r, const slot *s, size_t sets) {
  const pipeline *p = r->t->pipe;
  return real_at(r->t, s->area,
                 (size_t)r->t->n_par + sets * (size_t)p->n_set_in + (size_t)s->cap * (size_t)p->n_in);
}

static void enqueue(ocl_runner *r, slot *s, const chunk *c, attempt *a) {
  const size_t bytes = results_of(r->t, c->n, (size_t)s->cap) * real_bytes(r->t);
  const kept_copy *kept = NULL;
  need_buffers(r, s, (size_t)s->cap, (size_t)c->n_sets, a);
  if (a->code != CL_SUCCESS) return;
  if (r->t->kept) a->code = ocl_kept(r->d, s->queue, r->t, &kept, &a->call);
  if (a->code != CL_SUCCESS) return;
  send_columns(r, s, c, (size_t)s->cap, a);
  for (int k = 0; r->step[k]; k++) launch(r, s, c, (size_t)s->cap, k, kept, a);
  TRY(a, clEnqueueReadBuffer,
      (s->queue, s->buffer[BUF_OUT], CL_FALSE, 0, bytes, received(r, s, (size_t)c->n_sets), 0, NULL, &s->done));
  if (a->code == CL_SUCCESS && s->timed && s->commands < MAX_EVENTS) {
    timed_command last = {s->done, "from device", "transfer", bytes};
    s->command[s->commands++] = last;
  }
  TRY(a, clFlush, (s->queue));
}

/* After it nothing that the context holds can be trusted. */
static status give_up(ocl_runner *r, const attempt *a) {
  status st = ocl_fail(r->d, a->call, a->code);
  ocl_drop(r->d);
  return st;
}

/* Memory is short: drop what the slot holds and ask for less. A small chunk, or one that cannot be divided, gets a
 * second try, alone and after all else was given up; then it is a failure, and drivers are known that say so at every
 * call until the context has gone. */
static status back_off(ocl_runner *r, slot *s, int64_t n, const attempt *a) {
  const int64_t least = r->t->grain > LEAST ? r->t->grain : LEAST;
  int others = 0;
  abandon(s);
  release_buffers(s);
  r->par_sent[s - r->d->slot] = 0;
  ocl_kept_release_others(r->d, r->t->kept ? r->t->kept->id : 0);
  ocl_spare();
  for (int i = 0; i < SLOTS; i++) {
    others += r->d->slot[i].busy;
    if (!r->d->slot[i].busy) release_buffers(r->d->slot + i), r->par_sent[i] = 0;
  }
  if (n > least)
    r->may.most = at_most(r->may.most, n / 2);
  else if (others || r->strikes++ == 0)
    r->places = 1;
  else
    return give_up(r, a);
  return STATUS_OK;
}

/* Columns of the largest buffer. */
static int most_columns(const pipeline *p, int work) {
  const int count[] = {p->n_set_in, p->n_in, p->n_out, p->n_set_work, work, p->n_list};
  int most = 1;
  for (int k = 0; k < (int)(sizeof count / sizeof *count); k++)
    if (count[k] > most) most = count[k];
  return most;
}

chunk_limits ocl_limits(const device_info *info, const task *t, int work) {
  const pipeline *p = t->pipe;
  const int is_cpu = !strcmp(info->type, "cpu"), columns = most_columns(p, work);
  const double real = (double)real_bytes(t);
  const double point = real * (p->n_set_in + p->n_in + p->n_out + p->n_set_work + work) + 4.0 * p->n_list;
  chunk_limits may = {.most = is_cpu ? CPU_MOST : GPU_MOST, .fill = is_cpu ? 0 : device_fill(info)};
  if (info->memory > 0) may.most = (int64_t)fmin((double)may.most, info->memory / (4 * SLOTS * point));
  if (info->max_alloc > 0) may.most = (int64_t)fmin((double)may.most, info->max_alloc / (real * columns));
  /* kernels count places in all columns of a kind by 32 bits; a column is some points longer than the chunk */
  may.most = at_most(may.most, (INT32_MAX - MAX_LISTS) / columns - CPU_LANES);
  if (may.most < LEAST) may.most = LEAST;
  may.first = is_cpu ? CPU_FIRST : info->watched ? (int64_t)info->units * WATCHED_FIRST : may.fill;
  if (may.first < LEAST) may.first = LEAST;
  return may;
}

/* Two teams in a group are a wavefront of AMD's, and two warps, of which one computes while the other waits. */
enum { TEAMS_MOST = 2 };

static double team_bytes(const ocl_runner *r, size_t teams) {
  const pipeline *p = r->t->pipe;
  return (double)real_bytes(r->t) * ((double)p->team_shared + (double)teams * (double)p->team_numbers);
}

/* The kernel with its numbers in memory of groups where that takes those of one team at least; else the steps',
 * which keep them in work. */
static void find_teams(ocl_runner *r) {
  const pipeline *p = r->t->pipe;
  r->step = p->step;
  if (!p->team[0] || r->d->is_cpu) return;
  if (team_bytes(r, 1) <= r->d->local) r->step = p->team;
  r->teams = TEAMS_MOST;
  while (r->step == p->team && team_bytes(r, r->teams) > r->d->local) r->teams--;
  r->local_bytes = r->step == p->team ? (size_t)team_bytes(r, r->teams) : real_bytes(r->t);
}

/* What the device makes of the kernel decides how many work-items a team has. */
static void find_team_items(ocl_runner *r) {
  const size_t most = r->d->built[r->t->single][r->step[0]->number].group;
  if (!r->teams) return;
  r->team_items = most < TEAM_SIZE ? most : TEAM_SIZE;
  if (r->teams * r->team_items > most) r->teams = most / r->team_items;
}

status ocl_open(int index, const task *t, ocl_runner **made) {
  const pipeline *p = t->pipe;
  ocl_device *d = ocl_device_at(index);
  ocl_runner *r = calloc(1, sizeof *r);
  if (!r) return fail(STATUS_MEMORY, "out of memory while starting %s", p->name);
  r->d = d;
  r->t = t;
  find_teams(r);
  status st = ocl_need_context(d);
  if (!st) st = ocl_need_kernels(d, r->step, t->single, t->text, NAN, 0);
  if (st) {
    free(r);
    if (st != STATUS_INTERRUPT) ocl_drop(d);
    return st;
  }
  find_team_items(r);
  r->shared = shared_columns(t);
  r->places = SLOTS;
  r->may = ocl_limits(&d->info, t, n_work(r));
  r->trusted = r->may.first;
  *made = r;
  return STATUS_OK;
}

static int busy(const ocl_runner *r) {
  int count = 0;
  for (int i = 0; i < SLOTS; i++) count += r->d->slot[i].busy;
  return count;
}

int64_t ocl_piece(chunk_limits may, double seconds) {
  const double fill = fmin((double)may.fill, longest / seconds), points = fmax(target / seconds, fmax(fill, LEAST));
  return (int64_t)fmin(points, (double)may.most);
}

/* A vector that the device does not hold at once is four chunks, for transfers to overlap with computing. */
int64_t ocl_chunk_size(const ocl_runner *r) {
  const int64_t quarter = (r->t->n + 3) / 4, alone = r->may.fill ? r->may.fill : SPREAD;
  const int64_t least = r->may.fill ? r->may.fill : SPREAD / 2;
  int64_t points = at_most(ocl_piece(r->may, 1e-9 * task_cost(r->t) * r->d->slowness), r->trusted);
  if (busy(r) >= r->places) return 0;
  if (r->t->n > alone) points = at_most(points, quarter > least ? quarter : least);
  return at_most(points, r->may.most);
}

status ocl_submit(ocl_runner *r, int64_t first, int64_t n, int *accepted) {
  slot *s = r->d->slot[0].busy ? r->d->slot + 1 : r->d->slot;
  const chunk c = chunk_of(r->t, first, (int32_t)n);
  attempt a = {CL_SUCCESS, ""};
  *accepted = 0;
  s->cap = (c.n + 15) / 16 * 16;
  s->first = first;
  s->n = c.n;
  s->submitted = clock_seconds();
  enqueue(r, s, &c, &a);
  if (a.code == CL_SUCCESS) {
    s->busy = *accepted = 1;
    return STATUS_OK;
  }
  return ocl_is_memory(a.code) ? back_off(r, s, n, &a) : give_up(r, &a);
}

static void report_times(const ocl_runner *r, const slot *s) {
  for (int i = 0; i < s->commands; i++) {
    const timed_command *c = s->command + i;
    ocl_profile(r->d, c->event, c->command, c->kind, s->n, c->bytes);
  }
}

/* A step by four at most either way, as below. */
static void learn(ocl_runner *r, int64_t n, double took) {
  const int64_t fits = ocl_piece(r->may, fmax(took / (double)n, 1e-15)), old = r->trusted;
  r->trusted = fits > 4 * old ? 4 * old : fits < old / 4 ? old / 4 : fits;
  if (r->trusted < LEAST) r->trusted = LEAST;
}

static void finish(ocl_runner *r, slot *s) {
  const chunk c = chunk_of(r->t, s->first, s->n);
  void *from = received(r, s, (size_t)c.n_sets);
  const double now = clock_seconds(), began = s->submitted > r->last_done ? s->submitted : r->last_done;
  const double nominal = 1e-9 * (double)s->n * task_cost(r->t), old = r->d->slowness;
  double seen = (now - began) / nominal;
  deliver_results(r->t, s->first, s->n, from, (size_t)s->cap);
  if (s->timed) report_times(r, s);
  r->last_done = now;
  learn(r, s->n, now - began);
  /* One odd chunk (a driver may finish compiling in the first) must not send the next to an extreme, and a small
   * one measures the launch rather than the work. */
  if (seen > 4 * old) seen = 4 * old;
  if (seen < old / 4) seen = old / 4;
  if (s->n >= LEAST || seen < old) r->d->slowness = seen;
  release_events(s);
  s->busy = r->strikes = 0;
}

status ocl_collect(ocl_runner *r, enum outcome *what, int64_t *first, int64_t *n) {
  *what = PENDING;
  for (int i = 0; i < SLOTS; i++) {
    slot *s = r->d->slot + i;
    cl_int state = CL_QUEUED;
    attempt a = {CL_SUCCESS, ""};
    if (!s->busy) continue;
    TRY(&a, clGetEventInfo, (s->done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    if (a.code == CL_SUCCESS && state < 0) {
      a.code = state;
      a.call = "a command in the queue";
    }
    *first = s->first;
    *n = s->n;
    if (a.code != CL_SUCCESS) {
      *what = RETURNED;
      return ocl_is_memory(a.code) ? back_off(r, s, s->n, &a) : give_up(r, &a);
    }
    if (state == CL_COMPLETE) {
      finish(r, s);
      *what = COMPLETE;
      return STATUS_OK;
    }
  }
  return STATUS_OK;
}

void ocl_close(ocl_runner *r) {
  for (int i = 0; i < SLOTS; i++)
    if (r->d->slot[i].busy) abandon(r->d->slot + i);
  free(r);
}
