/* kd_tree.c: see kd_tree.h. A node's points are split between its children by one dimension after the other, each
 * time that in which they lie farthest apart. */
#include "gp/kd_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/threads.h"

/* A piece of work of at most so many leaves is a whole subtree. */
enum { PIECE = 2048, FEW = 12, SAMPLE = 15 };

typedef char fan_agrees[KD_FAN == 8 ? 1 : -1]; /* kd_leaves_below() */

typedef struct {
  double key;
  int32_t at;
} keyed;

typedef struct {
  kd_tree *t;
  double *row, *spare;     /* points, d numbers each, in the order of the leaves to be; room for as many */
  int32_t *id, *spare_id;
  keyed *keys;
  int level;
  int64_t from;            /* the first node of the pieces in hand */
} build;

status kd_scale(int64_t n, int d, const double *x, double *scale) {
  double extent = 0, largest = 0;
  for (int j = 0; j < d; j++) {
    double low = INFINITY, high = -INFINITY;
    int64_t odd = 0;
    const double *column = x + j * n;
    for (int64_t i = 0; i < n; i++) {
      const double v = column[i];
      low = v < low ? v : low;
      high = v > high ? v : high;
      odd += !(v - v == 0);
    }
    if (odd) return fail(STATUS_INPUT, "coordinates of points must be finite");
    if (n) {
      const double half = high / 2 - low / 2, size = fmax(fabs(low), fabs(high));
      extent = fmax(extent, half);
      largest = fmax(largest, size);
    }
  }
  int of_extent = 0, of_largest = 0;
  frexp(extent, &of_extent);
  frexp(largest, &of_largest);
  if (extent == 0) of_extent = of_largest;
  int shift = -of_extent; /* what is far from the origin stays below 2^1023, and the factor a normal number */
  if (shift + of_largest > 1000) shift = 1000 - of_largest;
  if (shift > 1000) shift = 1000;
  *scale = ldexp(1, shift);
  return STATUS_OK;
}

static void sort_keys(keyed *a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    const keyed v = a[i];
    int64_t k = i;
    for (; k > 0 && a[k - 1].key > v.key; k--) a[k] = a[k - 1];
    a[k] = v;
  }
}

/* The keys below p come first; or, with `equal`, those that are not above it. Without branches. */
static int64_t part(keyed *a, int64_t from, int64_t to, double p, int equal) {
  int64_t i = from;
  if (equal)
    for (int64_t j = from; j < to; j++) {
      const keyed v = a[j];
      a[j] = a[i];
      a[i] = v;
      i += v.key <= p;
    }
  else
    for (int64_t j = from; j < to; j++) {
      const keyed v = a[j];
      a[j] = a[i];
      a[i] = v;
      i += v.key < p;
    }
  return i;
}

/* The k least of n keys come first. Pivots are of random samples, at which no arrangement of points is slow. */
static void least_first(keyed *a, int64_t n, int64_t k) {
  int64_t from = 0, to = n;
  uint64_t random = 88172645463325252u;
  while (to - from > FEW && k > from && k < to) {
    keyed sample[SAMPLE];
    const int64_t size = to - from;
    const int taken = size > 512 ? SAMPLE : 5;
    for (int s = 0; s < taken; s++) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      sample[s] = a[from + (int64_t)((random >> 32) * (uint64_t)size >> 32)];
    }
    sort_keys(sample, taken);
    const double p = sample[(k - from) * taken / size].key;
    int64_t i = part(a, from, to, p, 0);
    if (i == from) i = part(a, from, to, p, 1);
    if (k <= i && i < to) to = i;
    else if (k >= i) from = i;
    else break; /* all are equal */
  }
  if (k > from && k < to) sort_keys(a + from, to - from);
}

static void bounds(const build *b, int64_t from, int64_t to, double *low, double *high) {
  const int d = b->t->d;
  for (int j = 0; j < d; j++) low[j] = INFINITY, high[j] = -INFINITY;
  for (int64_t i = from; i < to; i++)
    for (int j = 0; j < d; j++) {
      const double v = b->row[i * d + j];
      low[j] = v < low[j] ? v : low[j];
      high[j] = v > high[j] ? v : high[j];
    }
}

/* The points at places from ... to - 1, whose box is given, in such an order that those before `middle` lie on one
 * side of a plane. */
static void split(build *b, int64_t from, int64_t middle, int64_t to, const double *low, const double *high) {
  const int d = b->t->d;
  int widest = 0;
  for (int j = 1; j < d; j++)
    if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
  keyed *keys = b->keys + from;
  const double *row = b->row + from * d;
  double *spare = b->spare + from * d;
  const int one_place = !(high[widest] > low[widest]); /* rows then tell which of its leaves are wanted */
  for (int64_t i = 0; i < to - from; i++)
    keys[i] = (keyed){one_place ? (double)b->id[from + i] : row[i * d + widest], (int32_t)i};
  least_first(keys, to - from, middle - from);
  for (int64_t i = 0; i < to - from; i++) {
    const int64_t k = keys[i].at;
    for (int j = 0; j < d; j++) spare[i * d + j] = row[k * d + j];
    b->spare_id[from + i] = b->id[from + k];
  }
  memcpy(b->row + from * d, spare, (size_t)((to - from) * d) * sizeof *spare);
  memcpy(b->id + from, b->spare_id + from, (size_t)(to - from) * sizeof *b->id);
}

/* The leaf takes the place of its points in the spare room, where the tree stays. */
static void make_leaf(build *b, int64_t leaf) {
  const int d = b->t->d;
  const int64_t from = leaf * KD_LEAF, left = b->t->n - from;
  const int n = left < KD_LEAF ? (int)left : KD_LEAF;
  int order[KD_LEAF];
  for (int i = 0; i < n; i++) {
    int k = i;
    for (; k > 0 && b->id[from + order[k - 1]] > b->id[from + i]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
  for (int i = 0; i < KD_LEAF; i++) {
    b->spare_id[from + i] = i < n ? b->id[from + order[i]] : INT32_MAX;
    for (int j = 0; j < d; j++)
      b->spare[from * d + j * KD_LEAF + i] = i < n ? b->row[(from + order[i]) * d + j] : 0;
  }
}

/* Children one ... end - 1 of a node; those of another level of nodes are split later. */
static void make_children(build *b, int level, int64_t node, int one, int end, const double *low,
                          const double *high) {
  kd_tree *t = b->t;
  const int64_t child = node * KD_FAN, width = kd_leaves_below(level) * KD_LEAF;
  const int64_t from = (child + one) * width, stop = (child + end) * width, to = stop < t->n ? stop : t->n;
  if (end - one > 1) {
    double l[KD_MOST_DIMENSIONS], h[KD_MOST_DIMENSIONS];
    const int half = (one + end + 1) / 2;
    const int64_t middle = (child + half) * width;
    split(b, from, middle, to, low, high);
    bounds(b, from, middle, l, h);
    make_children(b, level, node, one, half, l, h);
    bounds(b, middle, to, l, h);
    make_children(b, level, node, half, end, l, h);
    return;
  }
  double *box = t->box + (t->first[level] + node) * 2 * KD_FAN * t->d;
  for (int j = 0; j < t->d; j++) box[2 * KD_FAN * j + one] = low[j], box[2 * KD_FAN * j + KD_FAN + one] = high[j];
  int32_t least = INT32_MAX;
  for (int64_t i = from; i < to; i++) least = b->id[i] < least ? b->id[i] : least;
  t->least[(t->first[level] + node) * KD_FAN + one] = least;
  if (!level) make_leaf(b, child + one);
}

static void make_node(build *b, int level, int64_t node, int whole) {
  kd_tree *t = b->t;
  const int64_t below = kd_leaves_below(level), first = node * KD_FAN, left = (t->leaves + below - 1) / below - first;
  const int children = left < KD_FAN ? (int)left : KD_FAN;
  const int64_t from = first * below * KD_LEAF, stop = from + children * below * KD_LEAF;
  double low[KD_MOST_DIMENSIONS], high[KD_MOST_DIMENSIONS];
  bounds(b, from, stop < t->n ? stop : t->n, low, high);
  make_children(b, level, node, 0, children, low, high);
  double *box = t->box + (t->first[level] + node) * 2 * KD_FAN * t->d;
  for (int k = children; k < KD_FAN; k++) {
    for (int j = 0; j < t->d; j++) box[2 * KD_FAN * j + k] = INFINITY, box[2 * KD_FAN * j + KD_FAN + k] = -INFINITY;
    t->least[(t->first[level] + node) * KD_FAN + k] = INT32_MAX;
  }
  if (whole && level)
    for (int k = 0; k < children; k++) make_node(b, level - 1, first + k, 1);
}

static int node_of_build(void *context, int64_t piece, int thread) {
  build *b = context;
  (void)thread;
  make_node(b, b->level, b->from + piece, kd_leaves_below(b->level + 1) <= PIECE);
  return 1;
}

static status build_nodes(build *b) {
  const kd_tree *t = b->t;
  const int threads = threads_for(300.0 * (double)t->n);
  status st = STATUS_OK;
  for (b->level = t->levels - 1; b->level >= 0 && !st; b->level--) {
    const int64_t nodes = t->first[b->level + 1] - t->first[b->level];
    const int64_t points = kd_leaves_below(b->level + 1) * KD_LEAF, most = threads + (1 << 19) / points * threads;
    for (b->from = 0; b->from < nodes && !st; b->from += most) {
      threads_run(threads, nodes - b->from < most ? nodes - b->from : most, node_of_build, b);
      st = backend_pause(0);
    }
    if (kd_leaves_below(b->level + 1) <= PIECE) break;
  }
  return st;
}

/* Takes the points of the tree, which keeps the spare room; 0 where there is no memory. */
static int open_build(build *b, int64_t places, const double *x, int64_t rows, double scale) {
  kd_tree *t = b->t;
  const size_t room = (size_t)places + 1, numbers = room * (size_t)t->d;
  b->row = malloc(numbers * sizeof *b->row);
  b->spare = t->x = malloc(numbers * sizeof *t->x);
  b->id = malloc(room * sizeof *b->id);
  b->spare_id = t->id = malloc(room * sizeof *t->id);
  b->keys = malloc(room * sizeof *b->keys);
  if (!b->row || !t->x || !b->id || !t->id || !b->keys) return 0;
  for (int64_t i = 0; i < t->n; i++) {
    b->id[i] = (int32_t)i;
    for (int j = 0; j < t->d; j++) b->row[i * t->d + j] = x[i + j * rows] * scale;
  }
  return 1;
}

static void close_build(build *b) {
  free(b->row);
  free(b->id);
  free(b->keys);
}

status kd_build(int64_t n, int d, const double *x, int64_t rows, double scale, kd_tree *t) {
  *t = (kd_tree){.n = n, .d = d, .scale = scale, .leaves = (n + KD_LEAF - 1) / KD_LEAF};
  int64_t nodes = t->leaves;
  for (int k = 0; k < KD_LEVELS; k++) {
    if (nodes > 1 || (!k && nodes)) {
      nodes = (nodes + KD_FAN - 1) / KD_FAN;
      t->levels = k + 1;
    } else nodes = 0;
    t->first[k + 1] = t->first[k] + nodes;
  }
  if (!n) return STATUS_OK;
  const size_t all = (size_t)t->first[KD_LEVELS];
  build b = {.t = t};
  t->box = malloc(all * 2 * KD_FAN * (size_t)d * sizeof *t->box);
  t->least = malloc(all * KD_FAN * sizeof *t->least);
  const int has_room = open_build(&b, t->leaves * KD_LEAF, x, rows, scale) && t->box && t->least;
  const status st = has_room ? build_nodes(&b)
                             : fail(STATUS_MEMORY, "no memory for a tree of %lld points", (long long)n);
  close_build(&b);
  if (st) kd_free(t);
  return st;
}

/* Cells of the points at places from ... to - 1 are of `size` of them, but for the last. */
static status split_cells(build *b, int64_t from, int64_t to, int64_t size) {
  const int64_t cells = (to - from + size - 1) / size, middle = from + (cells + 1) / 2 * size;
  double low[KD_MOST_DIMENSIONS], high[KD_MOST_DIMENSIONS];
  if (cells < 2) return STATUS_OK;
  bounds(b, from, to, low, high);
  split(b, from, middle, to, low, high);
  status st = to - from > 1 << 14 ? backend_pause(0) : STATUS_OK;
  if (!st) st = split_cells(b, from, middle, size);
  return st ? st : split_cells(b, middle, to, size);
}

status kd_cells(int64_t n, int d, const double *x, int64_t size, int32_t *row) {
  kd_tree t = {.n = n, .d = d};
  build b = {.t = &t};
  double scale = 1;
  status st = kd_scale(n, d, x, &scale);
  if (st) return st;
  st = open_build(&b, n, x, n, scale) ? split_cells(&b, 0, n, size)
                                      : fail(STATUS_MEMORY, "no memory for cells of %lld points", (long long)n);
  if (!st) memcpy(row, b.id, (size_t)n * sizeof *row);
  close_build(&b);
  kd_free(&t);
  return st;
}

void kd_free(kd_tree *t) {
  free(t->x);
  free(t->id);
  free(t->box);
  free(t->least);
  *t = (kd_tree){0};
}
