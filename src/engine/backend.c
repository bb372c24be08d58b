/* backend.c: the scheduler. Cuts a task into chunks, count them to the devices in use as these become free, and polls
 * for the user's interrupt between chunks. It runs on the main thread alone: a GPU works through its queues while
 * the main thread feeds it, computes short chunks on the CPU when that is in use too, or naps. */
#include "engine/backend.h"

#include <string.h>

#include "engine/checked.h"
#include "engine/cpu.h"
#include "engine/devices.h"
#include "engine/ocl_build.h"
#include "engine/ocl_run.h"
#include "engine/opencl.h"
#include "engine/threads.h"

/* Seconds: between polls, of a CPU chunk alone, of a first chunk whose cost is a guess, of a CPU chunk while
 * other devices wait to be fed, and of a nap while there is nothing to do. */
static const double poll_every = 0.05, alone = 0.1, first_try = 0.02, between = 0.01, rest = 5e-5;

static int (*poll_user)(void *, double);
static void *poll_data;
static call_part part = {0, 1};
static double polled; /* over all tasks of a call: each of many may be too short for a poll */
static int running, forced_cpu;

void backend_set_poll(int (*poll)(void *data, double fraction), void *data) {
  poll_user = poll;
  poll_data = data;
  part = (call_part){0, 1};
  polled = clock_seconds();
  ocl_poll_by(backend_pause);
}

call_part backend_part(void) { return part; }

void backend_set_part(call_part whole, double from, double to) {
  const double width = whole.to - whole.from;
  part = (call_part){whole.from + width * from, whole.from + width * to};
}

static status poll_now(double fraction) {
  if (!poll_user || clock_seconds() - polled < poll_every) return STATUS_OK;
  const double share = part.from + (part.to - part.from) * fraction;
  if (poll_user(poll_data, share)) return fail(STATUS_INTERRUPT, "interrupted");
  polled = clock_seconds();
  return STATUS_OK;
}

status backend_pause(double fraction) {
  const int before = running;
  running = 1;
  const status st = poll_now(fraction);
  running = before;
  return st;
}

int backend_running(void) { return running; }

void backend_force_cpu(int more) { forced_cpu += more; }

/* 0 where the CPU does all. */
static int in_use(int index[MAX_DEVICES]) {
  return forced_cpu > 0 || in_forked_child() ? 0 : devices_in_use(index);
}

int64_t backend_fill(void) {
  int index[MAX_DEVICES];
  const int count = in_use(index);
  int64_t fill = 0;
  for (int i = 0; i < count; i++)
    if (strcmp(devices_get(index[i])->type, "cpu")) fill += device_fill(devices_get(index[i]));
  return fill;
}

int backend_device(void) {
  int index[MAX_DEVICES], count = in_use(index);
  for (int i = 0; i < count; i++)
    if (index[i] && devices_get(index[i])->fp64) return index[i];
  return -1;
}

kept_block backend_block(int32_t n, const double *data, int32_t n_whole, const int32_t *whole) {
  static uint64_t blocks;
  return (kept_block){++blocks, n, n_whole, data, whole};
}

void backend_drop_block(const kept_block *b) {
  if (!in_forked_child()) ocl_drop_block(b->id);
}

typedef struct {
  int64_t first, n;
} range;

/* What is still to be handed out: all from next on, and ranges that a device gave back. */
typedef struct {
  const task *t;
  int64_t next, done;
  range back[8 * MAX_DEVICES];
  int n_back;
} ledger;

static int64_t ledger_left(const ledger *l) {
  int64_t left = l->t->n - l->next;
  for (int i = 0; i < l->n_back; i++) left += l->back[i].n;
  return left;
}

static int64_t ledger_take(ledger *l, int64_t most, int64_t *first) {
  const int64_t grain = l->t->grain;
  int64_t n;
  if (grain > 1) most = most < grain ? grain : most / grain * grain;
  if (l->n_back) {
    int last = l->n_back - 1;
    n = l->back[last].n < most ? l->back[last].n : most;
    *first = l->back[last].first;
    l->back[last].first += n;
    l->back[last].n -= n;
    if (!l->back[last].n) l->n_back--;
  } else {
    n = l->t->n - l->next < most ? l->t->n - l->next : most;
    *first = l->next;
    l->next += n;
  }
  return n;
}

static status ledger_return(ledger *l, int64_t first, int64_t n) {
  int i = 0;
  while (i < l->n_back) {
    const range b = l->back[i];
    if (b.first + b.n == first || first + n == b.first) {
      if (b.first < first) first = b.first;
      n += b.n;
      l->back[i] = l->back[--l->n_back];
      i = 0;
    } else {
      i++;
    }
  }
  if (first + n == l->next) {
    l->next = first;
    return STATUS_OK;
  }
  if (l->n_back == (int)(sizeof l->back / sizeof *l->back))
    return fail(STATUS_MEMORY, "%s: the devices gave back too many pieces", l->t->pipe->name);
  l->back[l->n_back].first = first;
  l->back[l->n_back].n = n;
  l->n_back++;
  return STATUS_OK;
}

/* An OpenCL device at work, and the chunks that it holds. */
enum { IN_FLIGHT = 2 };
typedef struct {
  ocl_runner *runner;
  range held[IN_FLIGHT];
} ocl_device_at_work;

/* The devices at work on a task. */
typedef struct {
  cpu_team *cpu;
  ocl_device_at_work ocl[MAX_DEVICES];
  int n_ocl;
} runners;

static void runners_close(runners *c) {
  while (c->n_ocl) ocl_close(c->ocl[--c->n_ocl].runner);
  cpu_close(c->cpu);
  c->cpu = NULL;
}

/* Of several devices some may be lost or out of memory: the others do the work, and last_error() tells. */
static status runners_open(runners *c, const task *t) {
  int index[MAX_DEVICES], count = in_use(index);
  status st = STATUS_OK, lost = STATUS_OK;
  memset(c, 0, sizeof *c);
  if (!count) return cpu_open(t, &c->cpu);
  for (int i = 0; i < count && !st; i++)
    if (!t->single) st = devices_need_fp64(index[i], t->pipe->name);
  for (int i = 0; i < count && !st; i++) {
    if (index[i]) {
      st = ocl_open(index[i] - 1, t, &c->ocl[c->n_ocl].runner);
      if (!st) c->n_ocl++;
      if (st == STATUS_DEVICE || st == STATUS_MEMORY) {
        lost = st;
        st = STATUS_OK;
      }
    } else {
      st = cpu_open(t, &c->cpu);
    }
  }
  if (!st && !c->cpu && !c->n_ocl) st = lost;
  if (st) runners_close(c);
  return st;
}

/* Sends a failed device home for the rest of the task; what it held goes to the others. */
static status runners_drop(runners *c, ledger *l, int which, status why) {
  const ocl_device_at_work dropped = c->ocl[which];
  ocl_close(dropped.runner);
  c->ocl[which] = c->ocl[--c->n_ocl];
  memset(c->ocl + c->n_ocl, 0, sizeof *c->ocl);
  if (!c->n_ocl && !c->cpu) return why;
  for (int k = 0; k < IN_FLIGHT; k++) {
    status st = dropped.held[k].n ? ledger_return(l, dropped.held[k].first, dropped.held[k].n) : STATUS_OK;
    if (st) return st;
  }
  return STATUS_OK;
}

/* Devices that share a task get smaller pieces towards its end, so that they finish together. */
static int64_t fair_share(const runners *c, const ledger *l, int64_t most) {
  int64_t count = c->n_ocl + (c->cpu != NULL);
  if (count == 1) return most;
  const int64_t share = ledger_left(l) / (3 * count) + 256;
  return share < most ? share : most;
}

static range *chunk_slot(ocl_device_at_work *h, int64_t first, int taken) {
  int k;
  for (k = 0; k < IN_FLIGHT - 1; k++)
    if (taken ? h->held[k].n && h->held[k].first == first : !h->held[k].n) break;
  return h->held + k;
}

static status feed(runners *c, ledger *l, ocl_device_at_work *h) {
  int64_t most;
  while (ledger_left(l) && (most = ocl_chunk_size(h->runner)) > 0) {
    int accepted;
    range r, *slot = chunk_slot(h, 0, 0);
    r.n = ledger_take(l, fair_share(c, l, most), &r.first);
    *slot = r;
    status st = ocl_submit(h->runner, r.first, r.n, &accepted);
    if (st) return st;
    if (accepted) continue;
    slot->n = 0;
    st = ledger_return(l, r.first, r.n);
    if (st) return st;
  }
  return STATUS_OK;
}

static status collect(ledger *l, ocl_device_at_work *h, int *news) {
  enum outcome what;
  int64_t first, n;
  do {
    status st = ocl_collect(h->runner, &what, &first, &n);
    if (st) return st;
    if (what == PENDING) return STATUS_OK;
    chunk_slot(h, first, 1)->n = 0;
    if (what == COMPLETE) l->done += n;
    if (what == RETURNED) st = ledger_return(l, first, n);
    if (st) return st;
    *news = 1;
  } while (1);
}

/* A chunk on the CPU. It may take longer than the points before it promised: then the rest goes back. */
static status run_cpu_chunk(runners *c, ledger *l, double seconds) {
  int64_t first, n = cpu_chunk_size(c->cpu, seconds);
  n = ledger_take(l, fair_share(c, l, n), &first);
  const int64_t done = cpu_run(c->cpu, first, n, 1.5 * seconds);
  l->done += done;
  if (checked_failed()) return STATUS_INPUT;
  return done < n ? ledger_return(l, first + done, n - done) : STATUS_OK;
}

static status run_on(runners *c, const task *t) {
  ledger l = {0};
  int tried = 0, idle = 0;
  status st = STATUS_OK;
  l.t = t;
  while (l.done < t->n && !st) {
    int news = 0;
    for (int i = 0; i < c->n_ocl && !st; i++) {
      st = collect(&l, c->ocl + i, &news);
      if (!st) st = feed(c, &l, c->ocl + i);
      if (st) st = runners_drop(c, &l, i--, st);
    }
    if (!st && c->cpu && ledger_left(&l)) {
      st = run_cpu_chunk(c, &l, c->n_ocl ? between : tried ? alone : first_try);
      tried = news = 1;
    }
    if (st || l.done == t->n) break;
    st = poll_now((double)l.done / (double)t->n);
    idle = news ? 0 : idle + 1;
    if (idle > 100) nap(rest); /* short work ends within the first hundred looks */
  }
  return st;
}

status backend_run(const task *given) {
  task t = *given;
  runners c;
  int one_set = 1;
  if (t.n == 0) return STATUS_OK;
  status st = task_check(&t);
  if (st) return st;
  if (running) return fail(STATUS_INPUT, "%s was called while another computation is running", t.pipe->name);
  for (int k = 0; k < t.pipe->n_set_in; k++) one_set = one_set && t.set_in[k].length == 1;
  if (one_set) t.run = t.n;
  t.single = t.single != 0;
  running = 1;
  st = poll_now(0);
  if (!st) st = runners_open(&c, &t);
  if (!st) {
    st = run_on(&c, &t);
    runners_close(&c);
  }
  running = 0;
  return st;
}

status backend_columns(const pipeline *pipe, int64_t n, const column *in, const double *par, int n_par, double *out) {
  task t = {.pipe = pipe, .n = n, .run = n > 0 ? n : 1, .out = {out}, .par = par, .n_par = n_par};
  for (int k = 0; k < pipe->n_in; k++) t.in[k] = in[k];
  return backend_run(&t);
}
