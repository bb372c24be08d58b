/* ordering.c: see ordering.h. */
#include "gp/ordering.h"

#include <math.h>
#include <stdlib.h>

#include "engine/backend.h"
#include "gp/kd_search.h"

/* Leaves between two polls, some milliseconds. */
enum { STEP = 1 << 16 };

/* Of all points. */
static kd_farthest farthest_of_all(const kd_order *w) {
  const kd_farthest *child = w->child + w->t.first[w->t.levels - 1] * KD_FAN;
  kd_farthest f = child[0];
  for (int k = 1; k < KD_FAN; k++)
    if (child[k].squared > f.squared || (child[k].squared == f.squared && child[k].key < f.key)) f = child[k];
  return f;
}

static double coordinate(const kd_tree *t, int64_t place, int j) {
  return t->x[(place / KD_LEAF * t->d + j) * KD_LEAF + place % KD_LEAF];
}

/* The place of the point nearest to the middle of all. */
static int64_t middle_of(const kd_order *w) {
  const kd_tree *t = &w->t;
  const double *root = t->box + t->first[t->levels - 1] * 2 * KD_FAN * t->d;
  double p[KD_MOST_DIMENSIONS], nearest = INFINITY;
  int64_t place = 0;
  for (int j = 0; j < t->d; j++, root += 2 * KD_FAN) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < KD_FAN; k++) low = fmin(low, root[k]), high = fmax(high, root[KD_FAN + k]);
    p[j] = low / 2 + high / 2;
  }
  for (int64_t i = 0; i < t->n; i++) {
    double squared = 0;
    for (int j = 0; j < t->d; j++) squared += (coordinate(t, i, j) - p[j]) * (coordinate(t, i, j) - p[j]);
    if (squared < nearest || (squared == nearest && t->id[i] < t->id[place])) {
      nearest = squared;
      place = i;
    }
  }
  return place;
}

static int by_row(const void *a, const void *b) {
  const int32_t i = *(const int32_t *)a, k = *(const int32_t *)b;
  return (i > k) - (i < k);
}

static status take_all(kd_order *w, int32_t *order, double *least) {
  const kd_tree *t = &w->t;
  const int64_t places = t->leaves * KD_LEAF;
  for (int64_t i = 0; i < places; i++) w->squared[i] = i < t->n ? INFINITY : -1;
  for (int64_t i = 0; i < t->first[KD_LEVELS] * KD_FAN; i++)
    w->child[i] = (kd_farthest){t->least[i] == INT32_MAX ? -1 : INFINITY, UINT64_MAX};
  int64_t place = middle_of(w), i = 0;
  double squared = INFINITY;
  while (squared > 0) {
    for (int j = 0; j < t->d; j++) w->p[j] = coordinate(t, place, j);
    order[i++] = w->taken = t->id[place];
    kd_lower(w);
    if (w->steps > STEP) {
      const status st = backend_pause((double)i / (double)t->n);
      if (st) return st;
      w->steps = 0;
    }
    const kd_farthest next = farthest_of_all(w);
    if (next.squared > 0) *least = sqrt(next.squared) / t->scale;
    squared = next.squared;
    place = (int64_t)(next.key & UINT32_MAX);
  }
  const int64_t single = i;
  for (place = 0; place < places; place++)
    if (w->squared[place] == 0) order[i++] = t->id[place];
  qsort(order + single, (size_t)(i - single), sizeof *order, by_row);
  return STATUS_OK;
}

status gp_ordering(int64_t n, int d, const double *x, int32_t *order, double *least) {
  kd_order w = {.steps = 0};
  double scale, met = INFINITY;
  const call_part whole = backend_part();
  backend_set_part(whole, 0, 0);
  status st = kd_scale(n, d, x, &scale);
  if (!st) st = kd_build(n, d, x, n, scale, &w.t);
  backend_set_part(whole, 0, 1);
  if (!st && n) {
    w.squared = malloc((size_t)(w.t.leaves * KD_LEAF) * sizeof *w.squared);
    w.child = malloc((size_t)w.t.first[KD_LEVELS] * KD_FAN * sizeof *w.child);
    st = w.squared && w.child ? take_all(&w, order, &met)
                              : fail(STATUS_MEMORY, "no memory for the order of %lld points", (long long)n);
  }
  if (least) *least = met;
  free(w.squared);
  free(w.child);
  kd_free(&w.t);
  return st;
}
