/* checked.c: see checked.h. What was not written is recognised by its bytes, all 255: a NaN that no kernel makes. An
 * access does not say whether it writes, so what it finds unwritten is looked at again after the step. */
#include "engine/checked.h"

#ifdef STATCL_CHECKED
#include <string.h>

#include "kernels/common/dialect.h"

enum { SPARE = 1 << 13, MOST_OPEN = 1 << 12 };

typedef struct {
  const void *here;
  enum checked_block which;
  int64_t column, place;
} access;

/* The thread's piece. spare takes what would go astray. */
static __thread struct {
  const task *t;
  const char *kernel;
  int64_t n, columns[CHECKED_BLOCKS], places[CHECKED_BLOCKS], scratch;
  size_t size, stride;
  const char *out;
  const int32_t *list;
  int32_t taken[MAX_LISTS];
  access open[MOST_OPEN];
  int n_open;
  double spare[SPARE];
} piece;

static const char *const names[CHECKED_BLOCKS] = {"SET_IN", "IN", "OUT", "SET_WORK", "WORK", "LISTS"};

static volatile int broken;

int checked_failed(void) {
  const int was = broken;
  broken = 0;
  return was;
}

static void *astray(enum checked_block which, const char *what, int64_t index, int64_t count) {
  if (!broken)
    fail(STATUS_INPUT, "%s: kernel %s: %s %lld of %s, which has %lld", piece.t->pipe->name, piece.kernel, what,
         (long long)index, names[which], (long long)count);
  broken = 1;
  piece.spare[0] = 0;
  return piece.spare;
}

static int unwritten(const void *here) {
  static const unsigned char blank[] = {255, 255, 255, 255, 255, 255, 255, 255};
  return !memcmp(here, blank, piece.size);
}

/* Drops the open accesses that have become written; any other is a breach where the step is over. */
static void recheck_open(int over) {
  int left = 0;
  for (int k = 0; k < piece.n_open; k++) {
    const access *a = piece.open + k;
    if (!unwritten(a->here)) continue;
    if (over && !broken) {
      broken = 1;
      fail(STATUS_INPUT, "%s: kernel %s: column %lld of %s holds nothing at place %lld", piece.t->pipe->name,
           piece.kernel, (long long)a->column, names[a->which], (long long)a->place);
    }
    piece.open[left++] = *a;
  }
  piece.n_open = over ? 0 : left;
}

static void look(enum checked_block which, const char *here, int64_t column, int64_t place) {
  const access a = {here, which, column, place};
  if (broken || !unwritten(here)) return;
  if (piece.n_open == MOST_OPEN) recheck_open(0);
  if (piece.n_open < MOST_OPEN) piece.open[piece.n_open++] = a;
}

void *checked_places(enum checked_block which, const void *block, size_t size, i32 k, i32 columns, i64 i, i64 places,
                     i32 apart) {
  char *here = (char *)(uintptr_t)block + ((ptrdiff_t)k * apart + i) * (ptrdiff_t)size;
  if (k < 0 || k + columns > piece.columns[which])
    return astray(which, "column", k < 0 ? k : k + columns - 1, piece.columns[which]);
  if (i < 0 || i + places > piece.places[which])
    return astray(which, "place", i < 0 ? i : i + places - 1, piece.places[which]);
  if (which == CHECKED_out || which == CHECKED_set_work || which == CHECKED_work)
    for (i32 c = 0; c < columns; c++)
      for (i64 p = 0; p < places; p++)
        look(which, here + ((ptrdiff_t)c * apart + p) * (ptrdiff_t)size, k + c, i + p);
  return here;
}

void *checked_scratch(void *work, size_t size, i64 i, i64 places) {
  if (i < 0 || i + places > piece.scratch) return astray(CHECKED_work, "place", i + places - 1, piece.scratch);
  return (char *)work + (size_t)i * size;
}

i32 *checked_count(i32 *list, i32 r, int taken) {
  if (r < 0 || r >= piece.columns[CHECKED_list]) return astray(CHECKED_list, "list", r, piece.columns[CHECKED_list]);
  if (taken) piece.taken[r] = list[r];
  return list + r;
}

void checked_begin(const task *t, const chunk *c, int32_t cap, void *out, void *set_work, void *work, int32_t *list) {
  const pipeline *p = t->pipe;
  const int64_t columns[] = {p->n_set_in, p->n_in, p->n_out, p->n_set_work, p->n_work, p->n_list};
  const int64_t places[] = {c->n_sets, cap, cap, c->n_sets, cap, LIST_HEAD + cap};
  piece.t = t;
  piece.n = c->n;
  memcpy(piece.columns, columns, sizeof columns);
  memcpy(piece.places, places, sizeof places);
  piece.scratch = (int64_t)(p->n_work + t->n_interpreter) * cap;
  piece.size = real_bytes(t);
  piece.stride = (size_t)cap * piece.size;
  piece.out = out;
  piece.list = list;
  piece.n_open = 0;
  memset(piece.taken, 0, sizeof piece.taken);
  memset(out, 255, piece.stride * (size_t)p->n_out);
  if (set_work) memset(set_work, 255, piece.stride * (size_t)p->n_set_work);
  memset(work, 255, piece.stride * (size_t)p->n_work);
}

void checked_step(const kernel_description *k) {
  recheck_open(1);
  piece.kernel = k->name;
}

void checked_end(void) {
  recheck_open(1);
  for (int r = 0; r < piece.columns[CHECKED_list] && !broken; r++)
    if (piece.list[r] != piece.taken[r] && !(piece.t->pipe->for_host >> r & 1u)) {
      broken = 1;
      fail(STATUS_INPUT, "%s: of list %d, which has %d points, kernels took %d", piece.t->pipe->name, r,
           (int)piece.list[r], (int)piece.taken[r]);
    }
  const int64_t columns = piece.t->numbers ? 1 : piece.columns[CHECKED_out];
  const int64_t n = piece.t->numbers ? (int64_t)results_of(piece.t, (int32_t)piece.n, 0) : piece.n;
  for (int64_t k = 0; k < columns && !broken; k++)
    for (int64_t i = 0; i < n && !broken; i++)
      if (unwritten(piece.out + (size_t)k * piece.stride + (size_t)i * piece.size)) {
        broken = 1;
        fail(STATUS_INPUT, "%s: no kernel wrote column %d of OUT at place %d", piece.t->pipe->name, (int)k, (int)i);
      }
}
#endif
