/* resident.c: see resident.h. A device is asked for work in amounts that take it about as long as a chunk of a task
 * takes: two are in its queue, and an interrupt waits for both. */
#include "engine/resident.h"

#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/cpu.h"
#include "engine/ocl_resident.h"
#include "engine/threads.h"

enum { COPIED = 1 << 20 }; /* numbers between two polls */
static const double target = 0.03, rest = 5e-5; /* seconds: of an amount of work, and of a nap */

struct resident {
  ocl_resident *ocl; /* or, in C: */
  double *block[RESIDENT_BLOCKS];
  int64_t numbers[RESIDENT_BLOCKS];
  int32_t found;
  double fraction;
  double most, since;               /* nanoseconds of work: at a time, and since the last mark */
  double work[OCL_MARKS], began[OCL_MARKS], last_done; /* of the marks under way, from the oldest on */
  int marks;
};

status resident_open(int device, resident **made) {
  resident *r = calloc(1, sizeof *r);
  status st = r ? STATUS_OK : fail(STATUS_MEMORY, "no memory for blocks on a device");
  *made = NULL;
  if (!st && device > 0) {
    st = ocl_resident_open(device - 1, &r->ocl);
    if (!st) r->most = ocl_resident_first(r->ocl);
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

/* From what an amount of work took follows how much the next may be, by a factor of four at most; a small one that
 * was soon done tells of the launch rather than the work. */
static void learn(resident *r) {
  const double now = clock_seconds(), from = r->began[0] > r->last_done ? r->began[0] : r->last_done;
  const double took = now - from + 1e-9, fits = r->work[0] * target / took;
  if (took > target || r->work[0] > r->most / 2 || fits > r->most)
    r->most = fits > 4 * r->most ? 4 * r->most : fits < r->most / 4 ? r->most / 4 : fits;
  r->last_done = now;
  r->marks--;
  memmove(r->work, r->work + 1, (size_t)r->marks * sizeof *r->work);
  memmove(r->began, r->began + 1, (size_t)r->marks * sizeof *r->began);
}

/* Until no more than so many marks are under way. */
static status await_marks(resident *r, int allowed) {
  int idle = 0;
  while (r->marks > allowed) {
    int reached = 0;
    status st = ocl_resident_reached(r->ocl, &reached, &r->found);
    if (!st && reached) learn(r);
    if (!st) st = backend_pause(r->fraction);
    if (st) return st;
    idle = reached ? 0 : idle + 1;
    if (idle > 100) nap(rest);
  }
  return STATUS_OK;
}

static status mark(resident *r) {
  status st = await_marks(r, OCL_MARKS - 1);
  if (!st) st = ocl_resident_mark(r->ocl);
  if (st) return st;
  r->work[r->marks] = r->since;
  r->began[r->marks++] = clock_seconds();
  r->since = 0;
  return STATUS_OK;
}

status resident_finish(resident *r) {
  if (!r->ocl || (!r->marks && r->since == 0)) return backend_pause(r->fraction);
  const status st = mark(r);
  return st ? st : await_marks(r, 0);
}

status resident_launch(resident *r, const kernel_description *k, int64_t groups, double ns,
                       const group_numbers *with) {
  status st = STATUS_OK;
  for (int64_t first = 0, piece; first < groups && !st; first += piece) {
    const double fit = r->most / ns;
    piece = !r->ocl || fit < 1 ? 1 : fit < (double)(groups - first) ? (int64_t)fit : groups - first;
    if (!r->ocl) {
      cpu_group_kernel(k)((int32_t)first, with->n, with->m, with->at, with->from, with->to, with->columns,
                           with->transposed, r->block[RESIDENT_A], r->block[RESIDENT_B], &r->found);
      st = backend_pause(r->fraction);
      continue;
    }
    st = ocl_resident_launch(r->ocl, k, (int32_t)first, piece, with);
    r->since += ns * (double)piece;
    if (!st && r->since >= r->most) st = mark(r);
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

status resident_send(resident *r, int which, int64_t n, const double *from) {
  return copy(r, which, 0, n, from, NULL);
}

status resident_receive(resident *r, int which, int64_t first, int64_t n, double *to) {
  return copy(r, which, first, n, NULL, to);
}

void resident_close(resident *r) {
  if (!r) return;
  if (r->ocl) ocl_resident_close(r->ocl);
  for (int k = 0; k < RESIDENT_BLOCKS; k++) free(r->block[k]);
  free(r);
}
