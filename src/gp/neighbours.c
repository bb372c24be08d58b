/* neighbours.c: see neighbours.h. Points are served in the order of a tree's leaves, so that those before and after
 * find its nodes in the cache. For points in their order the tree has at most twice as many as are before each. */
#include "gp/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "engine/backend.h"
#include "engine/threads.h"
#include "gp/kd_search.h"

/* SMALLEST: points of a tree; PIECE, STEP: leaves of a piece of work, and pieces of a thread between two polls. */
enum { SMALLEST = 1024, PIECE = 32, STEP = 32 };

typedef struct {
  kd_search s;
  int64_t from;          /* rows below it have had their turn */
  int64_t first;         /* row of the first column of the results */
  int32_t *nearest;
  int64_t piece;         /* the first in hand */
  int threads;
  kd_hunt *hunt;         /* one per thread */
  double *least;         /* squared */
} search;

static void neighbours_of(search *w, int thread, int64_t place) {
  kd_hunt *h = w->hunt + thread;
  const int m = w->s.m;
  int32_t *nearest = w->nearest + (w->s.asking->id[place] - w->first) * m;
  kd_neighbours(h, place);
  for (int k = 0; k < m; k++) nearest[k] = k < h->found ? h->id[k] : -1;
  for (int k = 0; k < h->found; k++)
    if (h->squared[k] > 0) {
      if (h->squared[k] < w->least[thread]) w->least[thread] = h->squared[k];
      break;
    }
}

static int leaves_of_search(void *context, int64_t piece, int thread) {
  search *w = context;
  const kd_tree *asking = w->s.asking;
  const int64_t from = (w->piece + piece) * PIECE * KD_LEAF, to = from + PIECE * KD_LEAF;
  for (int64_t place = from; place < to && place < asking->n; place++)
    if (asking->id[place] >= w->from) neighbours_of(w, thread, place);
  return 1;
}

static status search_all(search *w, const kd_tree *t, const kd_tree *asking) {
  const int64_t pieces = (asking->leaves + PIECE - 1) / PIECE, most = STEP * w->threads;
  status st = STATUS_OK;
  w->s.t = t;
  w->s.asking = asking;
  for (w->piece = 0; w->piece < pieces && !st; w->piece += most) {
    const int64_t left = pieces - w->piece;
    threads_run(w->threads, left < most ? left : most, leaves_of_search, w);
    st = backend_pause((double)w->piece / (double)pieces);
  }
  return st;
}

/* For so many points; the first column is that of row `first`. */
static status open_search(search *w, int64_t n, int64_t first, int m, int32_t *nearest) {
  const int32_t room = 2 * m + 5 * KD_LEAF, buckets = kd_buckets(room);
  *w = (search){.s = {.m = m, .room = room}, .first = first, .nearest = nearest,
                .threads = threads_for(3000.0 * (double)n)};
  w->hunt = calloc((size_t)w->threads, sizeof *w->hunt);
  w->least = malloc((size_t)w->threads * sizeof *w->least);
  int ok = w->hunt && w->least;
  for (int i = 0; i < w->threads && ok; i++) {
    kd_hunt *h = w->hunt + i;
    double *numbers = malloc(((size_t)room + 1) * (2 * sizeof *numbers + 3 * sizeof *h->id) +
                             (size_t)buckets * sizeof *h->count);
    ok = numbers != NULL;
    if (!ok) break;
    w->least[i] = INFINITY;
    h->s = &w->s;
    h->squared = numbers;
    h->sorted = numbers + room + 1;
    h->id = (int32_t *)(h->sorted + room + 1);
    h->sorted_id = h->id + room + 1;
    h->bucket = h->sorted_id + room + 1;
    h->count = h->bucket + room + 1;
  }
  return ok ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a search of neighbours");
}

static double close_search(search *w, double scale) {
  double least = INFINITY;
  for (int i = 0; i < w->threads && w->hunt; i++) {
    kd_hunt *h = w->hunt + i;
    if (w->least && h->squared) least = fmin(least, w->least[i]);
    free(h->squared < h->sorted ? h->squared : h->sorted); /* they change places */
  }
  free(w->hunt);
  free(w->least);
  return sqrt(least) / scale;
}

/* The groups of a tree's points by place. */
static int32_t *groups_of_places(const kd_tree *t, const int32_t *group) {
  const int64_t places = t->leaves * KD_LEAF;
  int32_t *of = malloc((size_t)places * sizeof *of);
  for (int64_t i = 0; i < places && of; i++) of[i] = i < t->n ? group[t->id[i]] : KD_NO_GROUP;
  return of;
}

static int32_t group_of_all(const int32_t *group, int64_t n) {
  for (int64_t i = 1; i < n; i++)
    if (group[i] != group[0]) return KD_NO_GROUP;
  return group[0];
}

/* For each child of each node the group of all its points, or KD_NO_GROUP where there are several. */
static int32_t *groups_of_children(const kd_tree *t, const int32_t *group) {
  int32_t *only = malloc((size_t)t->first[KD_LEVELS] * KD_FAN * sizeof *only);
  for (int level = 0; level < t->levels && only; level++) {
    const int64_t from = t->first[level], nodes = t->first[level + 1] - from;
    const int64_t all = level ? from - t->first[level - 1] : t->leaves; /* children */
    for (int64_t i = 0; i < nodes * KD_FAN; i++) {
      int32_t *of = only + from * KD_FAN + i;
      if (i >= all) *of = KD_NO_GROUP;
      else if (!level) *of = group_of_all(group + i * KD_LEAF, i < t->leaves - 1 ? KD_LEAF : t->n - i * KD_LEAF);
      else {
        const int64_t child = t->first[level - 1] + i;
        int children = 0;
        while (children < KD_FAN && t->least[child * KD_FAN + children] < INT32_MAX) children++;
        *of = group_of_all(only + child * KD_FAN, children);
      }
    }
  }
  return only;
}

status gp_neighbours(int64_t n, int d, const double *x, int64_t first, int m, int32_t *nearest, double *least) {
  search w = {.threads = 0};
  double scale = 1;
  const call_part whole = backend_part();
  status st = kd_scale(n, d, x, &scale);
  if (!st) st = open_search(&w, n > first ? n - first : 0, first, m, nearest);
  for (int64_t from = first, to; from < n && !st; from = to) {
    kd_tree t;
    to = from < SMALLEST / 2 ? SMALLEST : 2 * from;
    if (to > n - n / 4) to = n;
    backend_set_part(whole, (double)from / (double)n, (double)to / (double)n);
    st = kd_build(to, d, x, n, scale, &t);
    if (st) break;
    w.from = from;
    st = search_all(&w, &t, &t);
    kd_free(&t);
  }
  backend_set_part(whole, 0, 1);
  const double met = close_search(&w, scale);
  if (least) *least = met;
  return st;
}

status gp_neighbours_among(int64_t n_new, const double *x_new, const int32_t *group_new, int64_t n, const double *x,
                           const int32_t *group, int d, int m, int32_t *nearest, double *least) {
  search w = {.threads = 0};
  double scale = 1, scale_new = 1;
  kd_tree t = {0}, asking = {0};
  int32_t *of = NULL, *of_new = NULL, *only = NULL;
  status st = kd_scale(n, d, x, &scale);
  if (!st) st = kd_scale(n_new, d, x_new, &scale_new);
  if (scale_new < scale) scale = scale_new;
  if (!st) st = open_search(&w, n_new, 0, m, nearest);
  if (!n)
    for (int64_t i = 0; i < n_new * m; i++) nearest[i] = -1;
  if (!st && n && n_new) {
    st = kd_build(n, d, x, n, scale, &t);
    if (!st) st = kd_build(n_new, d, x_new, n_new, scale, &asking);
    if (!st && group && group_new) {
      w.s.group = of = groups_of_places(&t, group);
      w.s.group_asking = of_new = groups_of_places(&asking, group_new);
      if (of) w.s.only = only = groups_of_children(&t, of);
      if (!of || !of_new || !only) st = fail(STATUS_MEMORY, "no memory for groups of %lld points", (long long)n);
    }
    if (!st) st = search_all(&w, &t, &asking);
  }
  const double met = close_search(&w, scale);
  if (least) *least = met;
  free(of);
  free(of_new);
  free(only);
  kd_free(&t);
  kd_free(&asking);
  return st;
}

status gp_neighbours_before(int64_t n_new, const double *x_new, const int32_t *before, int64_t n, const double *x,
                            int d, int m, int32_t *nearest) {
  double scale = 1, scale_new = 1;
  double *some = malloc(((size_t)n_new * (size_t)d + 1) * sizeof *some);
  const call_part whole = backend_part();
  status st = some ? kd_scale(n, d, x, &scale) : fail(STATUS_MEMORY, "no memory for a search of neighbours");
  if (!st) st = kd_scale(n_new, d, x_new, &scale_new);
  if (scale_new < scale) scale = scale_new;
  for (int64_t from = 0, to; from < n_new && !st; from = to) {
    search w = {.threads = 0};
    kd_tree t = {0}, asking = {0};
    const int64_t rows = before[from] < SMALLEST / 2 ? SMALLEST : 2 * (int64_t)before[from];
    const int64_t most = rows > n - n / 4 ? n : rows;
    for (to = from; to < n_new && before[to] <= most; to++) {}
    for (int j = 0; j < d; j++)
      for (int64_t i = from; i < to; i++) some[j * (to - from) + i - from] = x_new[j * n_new + i];
    backend_set_part(whole, (double)from / (double)n_new, (double)to / (double)n_new);
    st = open_search(&w, to - from, 0, m, nearest + from * m);
    if (!st) st = kd_build(most, d, x, n, scale, &t);
    if (!st) st = kd_build(to - from, d, some, to - from, scale, &asking);
    w.s.before = before + from;
    if (!st) st = search_all(&w, &t, &asking);
    close_search(&w, scale);
    kd_free(&t);
    kd_free(&asking);
  }
  backend_set_part(whole, 0, 1);
  free(some);
  return st;
}
