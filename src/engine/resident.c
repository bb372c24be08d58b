/* resident.c: see resident.h. A device is asked for work in amounts that take it about as long as a chunk of a task
 * takes: two are in its queue, and an interrupt waits for both. */
#include "engine/resident.h"

#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/checked.h"
#include "engine/cpu.h"
#include "engine/ocl_resident.h"
#include "engine/threads.h"

/* Numbers between two polls; of constants, compared with those before at a time, and room for others to come. */
enum { COPIED = 1 << 20, COMPARED = 64, CONSTANTS_MORE = 1 << 12 };
static const double target = 0.03, rest = 5e-5; /* seconds: of an amount of work, and of a nap */
/* Work of which each has a speed of its own, in terms of the nanoseconds that are said of it. */
enum { OF_POINTS, OF_GROUPS, KINDS };

struct resident {
  ocl_resident *ocl; /* or, in C: */
  double *block[RESIDENT_BLOCKS];
  int64_t numbers[RESIDENT_BLOCKS];
  struct {
    double *sent; /* a copy */
    int64_t known, room; /* numbers of the copy, and that fit */
  } constants;
  int32_t found;
  double fraction;
  double slow[KINDS];  /* seconds that a nanosecond takes */
  double since[KINDS]; /* nanoseconds of work since the last mark */
  double work[OCL_MARKS][KINDS], began[OCL_MARKS], last_done; /* of the marks under way, from the oldest on */
  int marks;
};

status resident_open(int device, resident **made) {
  resident *r = calloc(1, sizeof *r);
  status st = r ? STATUS_OK : fail(STATUS_MEMORY, "no memory for blocks on a device");
  *made = NULL;
  if (!st && device > 0) {
    st = ocl_resident_open(device - 1, &r->ocl);
    for (int k = 0; k < KINDS && !st; k++) r->slow[k] = target / ocl_resident_first(r->ocl);
  }
  if (st)
    free(r);
  else
    *made = r;
  return st;
}

int resident_stale(const resident *r) { return r->ocl && ocl_resident_stale(r->ocl); }

void resident_on_shortage(void (*spare)(void)) { ocl_resident_on_shortage(spare); }

void resident_progress(resident *r, double fraction) { r->fraction = fraction; }

int32_t resident_found(const resident *r) { return r->found; }

status resident_room(resident *r, int which, int64_t n) {
  if (r->ocl) return ocl_resident_room(r->ocl, which, n);
  if (r->numbers[which] >= n) return STATUS_OK;
  free(r->block[which]);
  r->block[which] = malloc((size_t)n * sizeof(double));
  r->numbers[which] = r->block[which] ? n : 0;
  return r->block[which] ? STATUS_OK : fail(STATUS_MEMORY, "no memory for %lld numbers", (long long)n);
}

void resident_empty(resident *r) {
  for (int which = RESIDENT_A; which <= RESIDENT_B; which++) {
    if (r->ocl) ocl_resident_empty(r->ocl, which);
    free(r->block[which]);
    r->block[which] = NULL;
    r->numbers[which] = 0;
  }
}

static double seconds(const resident *r, const double *ns) {
  return ns[OF_POINTS] * r->slow[OF_POINTS] + ns[OF_GROUPS] * r->slow[OF_GROUPS];
}

/* What work took corrects what is expected of the kind that most of it was, by a factor of four at most. A little
 * work tells of the launch, or of a tile that is hardly filled. */
static void learn(resident *r, const double *ns, double began) {
  const double now = clock_seconds(), took = now - (began > r->last_done ? began : r->last_done) + 1e-9;
  const double expected = seconds(r, ns), ratio = took / expected;
  const int kind = ns[OF_GROUPS] * r->slow[OF_GROUPS] > expected / 2;
  if (took > target || expected > target / 2)
    r->slow[kind] *= ratio < 0.25 ? 0.25 : ratio > 4 ? 4 : ratio;
  r->last_done = now;
}

/* The marks that were reached since one looked last, as one: when each was is not known. */
static status see_marks(resident *r, int *seen) {
  double ns[KINDS] = {0};
  const double began = r->began[0];
  status st = STATUS_OK;
  *seen = 0;
  for (int reached = 1; *seen < r->marks && !st;) {
    st = ocl_resident_reached(r->ocl, &reached, &r->found);
    if (st || !reached) break;
    for (int k = 0; k < KINDS; k++) ns[k] += r->work[*seen][k];
    ++*seen;
  }
  if (!*seen) return st;
  learn(r, ns, began);
  r->marks -= *seen;
  memmove(r->work, r->work + *seen, (size_t)r->marks * sizeof *r->work);
  memmove(r->began, r->began + *seen, (size_t)r->marks * sizeof *r->began);
  return st;
}

/* Until no more than so many marks are under way. */
static status await_marks(resident *r, int allowed) {
  int idle = 0;
  while (r->marks > allowed) {
    int seen;
    status st = see_marks(r, &seen);
    if (!st) st = backend_pause(r->fraction);
    if (st) return st;
    idle = seen ? 0 : idle + 1;
    if (idle > 100) nap(rest);
  }
  return STATUS_OK;
}

static status mark(resident *r) {
  status st = await_marks(r, OCL_MARKS - 1);
  if (!st) st = ocl_resident_mark(r->ocl);
  if (st) return st;
  memcpy(r->work[r->marks], r->since, sizeof r->since);
  r->began[r->marks++] = clock_seconds();
  memset(r->since, 0, sizeof r->since);
  return STATUS_OK;
}

/* Work was launched; an amount of it ends with a mark. */
static status enough(resident *r, int kind, double ns) {
  r->since[kind] += ns;
  return seconds(r, r->since) >= target ? mark(r) : STATUS_OK;
}

status resident_finish(resident *r) {
  if (!r->ocl || (!r->marks && seconds(r, r->since) == 0)) return backend_pause(r->fraction);
  const status st = mark(r);
  return st ? st : await_marks(r, 0);
}

status resident_launch(resident *r, const kernel_description *k, int64_t groups, double ns,
                       const group_numbers *with) {
  status st = STATUS_OK;
  for (int64_t first = 0, piece; first < groups && !st; first += piece) {
    const double fit = target / (ns * r->slow[OF_GROUPS]);
    piece = !r->ocl || fit < 1 ? 1 : fit < (double)(groups - first) ? (int64_t)fit : groups - first;
    if (!r->ocl) {
      cpu_group_kernel(k)((int32_t)first, with->n, with->m, with->at, with->from, with->to, with->columns,
                           with->transposed, r->block[RESIDENT_A], r->block[RESIDENT_B], &r->found);
      st = backend_pause(r->fraction);
      continue;
    }
    st = ocl_resident_launch(r->ocl, k, (int32_t)first, piece, with);
    if (!st) st = enough(r, OF_GROUPS, ns * (double)piece);
  }
  return st;
}

/* In C: results pass through memory in which a checked build can see what is written. */
static status points_here(resident *r, const task *t, int64_t first, int32_t n, double *to, int64_t apart) {
  const pipeline *p = t->pipe;
  const chunk c = {.first = first, .n = n, .n_sets = 1, .run = n};
  int32_t list[MAX_LISTS] = {0};
  double *out = malloc((size_t)n * (size_t)p->n_out * sizeof *out);
  if (!out) return fail(STATUS_MEMORY, "no memory for %d points", (int)n);
  (void)c; /* of other builds than checked ones */
  checked_begin(t, &c, n, out, NULL, out + (size_t)n * (size_t)p->n_out, list);
  for (int s = 0; p->step[s]; s++) {
    checked_step(p->step[s]);
    for (int32_t b = 0; b < n / CPU_LANES; b++)
      cpu_kernel_of(p->step[s])(b, n, n, 1, 1, n, 0, t->origin + first, 0, NULL, NULL, out, NULL, NULL, list,
                                r->block[RESIDENT_CONSTANTS], NULL, NULL);
  }
  checked_end();
  for (int k = 0; k < p->n_out; k++) memcpy(to + k * apart, out + (size_t)k * (size_t)n, (size_t)n * sizeof *to);
  free(out);
  return checked_failed() ? STATUS_INPUT : backend_pause(r->fraction);
}

status resident_points(resident *r, const task *t, int64_t first, int64_t n, int which, int64_t at, int64_t apart) {
  enum { SOME = 1 << 16 }; /* in C, between two polls */
  const double ns = task_cost(t);
  status st = STATUS_OK;
  for (int64_t done = 0, some; done < n && !st; done += some) {
    const double fit = r->ocl ? target / (ns * r->slow[OF_POINTS]) : SOME;
    some = fit < CPU_LANES ? CPU_LANES : fit < (double)(n - done) ? (int64_t)fit / CPU_LANES * CPU_LANES : n - done;
    const int64_t here = at + done, offset = t->origin + first - at; /* of the points from those of the block */
    if (!r->ocl) {
      st = points_here(r, t, first + done, (int32_t)some, r->block[which] + here, apart);
      continue;
    }
    for (int s = 0; t->pipe->step[s] && !st; s++)
      st = ocl_resident_points(r->ocl, t->pipe->step[s], (int32_t)here, (int32_t)some, offset, which, (int32_t)apart,
                               RESIDENT_CONSTANTS);
    if (!st) st = enough(r, OF_POINTS, ns * (double)some);
  }
  return st;
}

/* Launches are done first, for their time is not that of a copy, which waits without a poll. */
static status copy(resident *r, int which, int64_t first, int64_t n, const double *from, double *to) {
  status st = resident_finish(r);
  for (int64_t at = 0, piece; at < n && !st; at += piece) {
    piece = n - at < COPIED ? n - at : COPIED;
    double *here = r->ocl ? NULL : r->block[which] + first + at;
    if (r->ocl && from) st = ocl_resident_send(r->ocl, which, first + at, piece, from + at);
    else if (r->ocl) st = ocl_resident_receive(r->ocl, which, first + at, piece, to + at);
    else memcpy(from ? here : to + at, from ? from + at : here, (size_t)piece * sizeof *here);
    if (!st) st = backend_pause(r->fraction);
  }
  return st;
}

status resident_send(resident *r, int which, int64_t first, int64_t n, const double *from) {
  return copy(r, which, first, n, from, NULL);
}

status resident_receive(resident *r, int which, int64_t first, int64_t n, double *to) {
  return copy(r, which, first, n, NULL, to);
}

/* Room for more than there are now, since what a larger block held would have to be sent again. */
static status constants_room(resident *r, int64_t n) {
  if (n <= r->constants.room) return STATUS_OK;
  const int64_t room = n + n / 2 + CONSTANTS_MORE;
  status st = resident_finish(r);
  r->constants.room = r->constants.known = 0;
  if (!st) st = resident_room(r, RESIDENT_CONSTANTS, room);
  if (st) return st;
  free(r->constants.sent);
  r->constants.sent = malloc((size_t)room * sizeof(double));
  r->constants.room = r->constants.sent ? room : 0;
  return r->constants.sent ? STATUS_OK : fail(STATUS_MEMORY, "no memory for %lld numbers", (long long)room);
}

/* From where on constants are others than those that were sent, or the same ones again. */
static int64_t first_other(const resident *r, int64_t from, int64_t n, const double *par, int other) {
  for (int64_t at = from, some; at < n; at += some) {
    some = at_most(n - at, COMPARED);
    const int differs = at + some > r->constants.known ||
                        memcmp(par + at, r->constants.sent + at, (size_t)some * sizeof *par);
    if (differs == other) return at;
  }
  return n;
}

status resident_constants(resident *r, int64_t n, const double *par) {
  status st = constants_room(r, n);
  for (int64_t from = 0, to = 0; to < n && !st;) {
    from = first_other(r, to, n, par, 1);
    to = first_other(r, from, n, par, 0);
    if (from < to) st = resident_send(r, RESIDENT_CONSTANTS, from, to - from, par + from);
  }
  if (st) {
    r->constants.known = 0;
    return st;
  }
  memcpy(r->constants.sent, par, (size_t)n * sizeof *par);
  if (r->constants.known < n) r->constants.known = n;
  return STATUS_OK;
}

void resident_close(resident *r) {
  if (!r) return;
  free(r->constants.sent);
  if (r->ocl) ocl_resident_close(r->ocl);
  for (int k = 0; k < RESIDENT_BLOCKS; k++) free(r->block[k]);
  free(r);
}
