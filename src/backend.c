/* backend.c: the scheduler. Cuts a task into chunks, hands them to the devices in use as these become free, and polls
 * for the user's interrupt between chunks. It runs on the main thread alone: a GPU works through its queues while
 * the main thread feeds it, computes short chunks on the CPU when that is in use too, or naps. */
#include "backend.h"

#include <string.h>

#include "devices.h"
#include "opencl.h"
#include "runner.h"
#include "threads.h"

const kernel_description kernels[KERNEL_COUNT] = {
#define KERNEL_LINE(program, kernel, domain) {#program, #kernel, domain},
#include "map.def"
#undef KERNEL_LINE
};

/* Seconds: between polls, of a CPU chunk alone, of a first chunk whose cost is a guess, of a CPU chunk while
 * other devices wait to be fed, and of a nap while there is nothing to do. */
static const double poll_every = 0.05, alone = 0.1, first_try = 0.02, between = 0.01, rest = 5e-5;

static int (*poll_user)(void *, double);
static void *poll_data;
static int running;

void backend_set_poll(int (*poll)(void *data, double fraction), void *data) {
  poll_user = poll;
  poll_data = data;
}

int backend_running(void) { return running; }

chunk chunk_of(const task *t, int64_t first, int32_t n) {
  chunk c;
  int64_t phase = first % t->run;
  c.first = first;
  c.first_set = first / t->run;
  c.n = n;
  if (t->run < n) {
    c.run = (int32_t)t->run;
    c.phase = (int32_t)phase;
  } else { /* at most two sets; run and phase shrink to 32 bits with the same border between them */
    int64_t border = t->run - phase;
    c.run = n;
    c.phase = border < n ? (int32_t)(n - border) : 0;
  }
  c.n_sets = (n - 1 + c.phase) / c.run + 1;
  return c;
}

void column_copy(double *to, column from, int64_t first, int32_t n) {
  int64_t at = first % from.length;
  if (from.length == 1) {
    while (n-- > 0) *to++ = from.data[0];
  } else if (from.length < 32) {
    for (; n > 0; n--) {
      *to++ = from.data[at];
      if (++at == from.length) at = 0;
    }
  } else {
    while (n > 0) {
      int32_t piece = from.length - at < n ? (int32_t)(from.length - at) : n;
      memcpy(to, from.data + at, (size_t)piece * sizeof *to);
      to += piece;
      n -= piece;
      at = 0;
    }
  }
}

uint32_t shared_columns(const task *t) {
  uint32_t mask = 0;
  int k;
  for (k = 0; k < t->pipe->n_in; k++)
    if (t->in[k].length == 1) mask |= (uint32_t)1 << k;
  return mask;
}

double task_cost(const task *t) { return t->pipe->ns_per_point > 0 ? t->pipe->ns_per_point : 100; }

/* What is still to be handed out: all from next on, and ranges that a device gave back. */
typedef struct {
  const task *t;
  int64_t next, done;
  struct { int64_t first, n; } back[2 * MAX_DEVICES];
  int n_back;
} ledger;

static int64_t ledger_left(const ledger *l) {
  int64_t left = l->t->n - l->next;
  int i;
  for (i = 0; i < l->n_back; i++) left += l->back[i].n;
  return left;
}

static int64_t ledger_take(ledger *l, int64_t most, int64_t *first) {
  int64_t n;
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

static void ledger_return(ledger *l, int64_t first, int64_t n) {
  l->back[l->n_back].first = first;
  l->back[l->n_back].n = n;
  l->n_back++;
}

/* The devices at work on a task. */
typedef struct {
  cpu_team *cpu;
  ocl_runner *ocl[MAX_DEVICES];
  int n_ocl;
} crew;

static void crew_dismiss(crew *c) {
  while (c->n_ocl) ocl_close(c->ocl[--c->n_ocl]);
  cpu_close(c->cpu);
  c->cpu = NULL;
}

static status crew_muster(crew *c, const task *t) {
  int index[MAX_DEVICES], count = in_forked_child() ? 0 : devices_in_use(index), i;
  status st = STATUS_OK;
  memset(c, 0, sizeof *c);
  if (!count) return cpu_open(t, &c->cpu);
  for (i = 0; i < count && !st; i++) {
    if (index[i]) {
      st = ocl_open(index[i] - 1, t, c->ocl + c->n_ocl);
      if (!st) c->n_ocl++;
    } else {
      st = cpu_open(t, &c->cpu);
    }
  }
  if (st) crew_dismiss(c);
  return st;
}

/* Devices that share a task get smaller pieces towards its end, so that they finish together. */
static int64_t fair_share(const crew *c, const ledger *l, int64_t appetite) {
  int64_t hands = c->n_ocl + (c->cpu != NULL), share;
  if (hands == 1) return appetite;
  share = ledger_left(l) / (3 * hands) + 256;
  return share < appetite ? share : appetite;
}

static status feed(crew *c, ledger *l, ocl_runner *r) {
  int64_t appetite, first, n;
  while (ledger_left(l) && (appetite = ocl_appetite(r)) > 0) {
    int accepted;
    status st;
    n = ledger_take(l, fair_share(c, l, appetite), &first);
    st = ocl_submit(r, first, n, &accepted);
    if (st) return st;
    if (!accepted) ledger_return(l, first, n);
  }
  return STATUS_OK;
}

static status harvest(ledger *l, ocl_runner *r, int *news) {
  enum outcome what;
  int64_t first, n;
  do {
    status st = ocl_collect(r, &what, &first, &n);
    if (st) return st;
    if (what == COMPLETE) l->done += n;
    if (what == RETURNED) ledger_return(l, first, n);
    if (what != PENDING) *news = 1;
  } while (what != PENDING);
  return STATUS_OK;
}

static status run_crew(crew *c, const task *t) {
  ledger l = {0};
  double polled = clock_seconds();
  int tried = 0, idle = 0, i;
  l.t = t;
  while (l.done < t->n) {
    int news = 0;
    for (i = 0; i < c->n_ocl; i++) {
      status st = harvest(&l, c->ocl[i], &news);
      if (!st) st = feed(c, &l, c->ocl[i]);
      if (st) return st;
    }
    if (c->cpu && ledger_left(&l)) {
      int64_t first, n = cpu_appetite(c->cpu, c->n_ocl ? between : tried ? alone : first_try);
      n = ledger_take(&l, fair_share(c, &l, n), &first);
      cpu_run(c->cpu, first, n);
      l.done += n;
      tried = news = 1;
    }
    if (l.done == t->n) break;
    if (poll_user && clock_seconds() - polled > poll_every) {
      if (poll_user(poll_data, (double)l.done / (double)t->n)) return fail(STATUS_INTERRUPT, "interrupted");
      polled = clock_seconds();
    }
    idle = news ? 0 : idle + 1;
    if (idle > 100) nap(rest); /* short work ends within the first hundred looks */
  }
  return STATUS_OK;
}

static status check(const task *t) {
  const pipeline *p = t->pipe;
  int k;
  if (t->n < 0 || t->run < 1) return fail(STATUS_INPUT, "%s: a task of %lld points", p->name, (long long)t->n);
  for (k = 0; k < p->n_set_in; k++)
    if (t->set_in[k].length < 1) return fail(STATUS_INPUT, "%s: empty parameter", p->name);
  for (k = 0; k < p->n_in; k++)
    if (t->in[k].length < 1) return fail(STATUS_INPUT, "%s: empty argument", p->name);
  return STATUS_OK;
}

status backend_run(const task *given) {
  task t = *given;
  crew c;
  status st;
  int k, one_set = 1;
  if (t.n == 0) return STATUS_OK;
  st = check(&t);
  if (st) return st;
  if (running) return fail(STATUS_INPUT, "%s was called while another computation is running", t.pipe->name);
  for (k = 0; k < t.pipe->n_set_in; k++) one_set = one_set && t.set_in[k].length == 1;
  if (one_set) t.run = t.n;
  running = 1;
  st = crew_muster(&c, &t);
  if (!st) {
    st = run_crew(&c, &t);
    crew_dismiss(&c);
  }
  running = 0;
  return st;
}
