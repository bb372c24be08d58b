/* kd_search.c: see kd_search.h. Distances are taken by packs, of the registers that all processors have: most of the
 * time goes into what is done one by one, and into memory. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#include "gp/kd_search.h"

#include <math.h>
#include <string.h>

#include "kernels/common/dialect.h"

/* Packs of a leaf's places and of a node's children. */
enum { LEAF = KD_LEAF, FAN = KD_FAN, POINTS = LEAF / PACK, CHILDREN = FAN / PACK };

DEV_FN pack if_positive(pack v) { return (pack)((words)v & (words)(v > PACK_ZERO)); }

/* Squared distances to the children of a node; infinity where there is none. */
DEV_FN void to_children(const kd_tree *t, int64_t node, const double *p, double *squared) {
  const double *low = t->box + node * 2 * FAN * t->d;
  pack sum[CHILDREN];
  UNROLLED for (i32 k = 0; k < CHILDREN; k++) sum[k] = PACK_ZERO;
  for (i32 j = 0; j < t->d; j++, low += 2 * FAN)
    UNROLLED for (i32 k = 0; k < CHILDREN; k++) {
      const pack below = if_positive(pack_in(low + k * PACK) - p[j]);
      const pack above = if_positive(p[j] - pack_in(low + FAN + k * PACK));
      const pack out = below + above; /* one of them is 0 */
      sum[k] += out * out;
    }
  UNROLLED for (i32 k = 0; k < CHILDREN; k++) pack_out(sum[k], squared + k * PACK);
}

/* And to the places of a leaf: past the last point whatever comes out. */
DEV_FN void to_points(const kd_tree *t, int64_t leaf, const double *p, pack sum[POINTS]) {
  const double *x = t->x + leaf * LEAF * t->d;
  UNROLLED for (i32 k = 0; k < POINTS; k++) sum[k] = PACK_ZERO;
  for (i32 j = 0; j < t->d; j++, x += LEAF)
    UNROLLED for (i32 k = 0; k < POINTS; k++) {
      const pack apart = pack_in(x + k * PACK) - p[j];
      sum[k] += apart * apart;
    }
}

/* ---- max-min orders ---- */

static kd_farthest farthest_of_leaf(kd_order *w, int64_t leaf) {
  double apart[LEAF], most = -1, *squared = w->squared + leaf * LEAF;
  const i32 *id = w->t.id + leaf * LEAF, taken = w->taken;
  i32 first = LEAF - 1;
  pack sum[POINTS];
  to_points(&w->t, leaf, w->p, sum);
  UNROLLED for (i32 k = 0; k < POINTS; k++) pack_out(sum[k], apart + k * PACK);
  for (i32 k = 0; k < LEAF; k++) {
    double v = apart[k] < squared[k] ? apart[k] : squared[k];
    v = id[k] == taken ? -1 : v;
    squared[k] = v;
    most = v > most ? v : most;
  }
  for (i32 k = LEAF - 2; k >= 0; k--) first = squared[k] == most ? k : first; /* rows ascend */
  w->steps++;
  return (kd_farthest){most, (u64)id[first] << 32 | (u64)(leaf * LEAF + first)};
}

static kd_farthest farthest_of(const kd_farthest *child) {
  kd_farthest f = child[0];
  for (i32 k = 1; k < FAN; k++) {
    const int more = (child[k].squared > f.squared) | ((child[k].squared == f.squared) & (child[k].key < f.key));
    f.squared = more ? child[k].squared : f.squared;
    f.key = more ? child[k].key : f.key;
  }
  return f;
}

static void lower_node(kd_order *w, i32 level, int64_t node) {
  double apart[FAN];
  const int64_t at = w->t.first[level] + node;
  kd_farthest *child = w->child + at * FAN;
  to_children(&w->t, at, w->p, apart);
  for (i32 k = 0; k < FAN; k++)
    if (apart[k] < child[k].squared) {
      const int64_t below = node * FAN + k;
      if (level) {
        lower_node(w, level - 1, below);
        child[k] = farthest_of(w->child + (w->t.first[level - 1] + below) * FAN);
      } else child[k] = farthest_of_leaf(w, below);
    }
}

void kd_lower(kd_order *w) { lower_node(w, w->t.levels - 1, 0); }

/* ---- neighbours ---- */

/* Candidates by buckets of their squared distances: `last` is the bucket with the one after which there are m. */
static i32 into_buckets(kd_hunt *h, i32 *last) {
  const i32 n = h->found, buckets = kd_buckets(n);
  double most = 0;
  for (i32 i = 0; i < n; i++) most = h->squared[i] > most ? h->squared[i] : most;
  const double quotient = (buckets - 0.5) / most, factor = quotient < K(1e300) ? quotient : 0;
  memset(h->count, 0, (size_t)buckets * sizeof *h->count);
  for (i32 i = 0; i < n; i++) {
    h->bucket[i] = (i32)(h->squared[i] * factor);
    h->count[h->bucket[i]]++;
  }
  i32 sum = 0, k = 0;
  for (; k < buckets && sum < h->s->m; k++) {
    const i32 count = h->count[k];
    h->count[k] = sum;
    sum += count;
  }
  *last = k - 1;
  return sum;
}

/* A bound for the m nearest of more candidates. */
static void bound_them(kd_hunt *h) {
  i32 last;
  double bound = 0;
  into_buckets(h, &last);
  for (i32 i = 0; i < h->found; i++)
    if (h->bucket[i] <= last) bound = h->squared[i] > bound ? h->squared[i] : bound;
  h->bound = bound;
}

/* Sorts candidates by distance and row, of which the first m stay: insertion moves few of them far. */
static void keep_nearest(kd_hunt *h) {
  const i32 n = h->found, m = h->s->m;
  i32 last;
  const i32 sum = into_buckets(h, &last);
  for (i32 i = 0; i < n; i++) {
    const i32 k = h->bucket[i], at = k <= last ? h->count[k]++ : n;
    h->sorted[at] = h->squared[i];
    h->sorted_id[at] = h->id[i];
  }
  for (i32 i = 1; i < sum; i++) {
    const double v = h->sorted[i];
    const i32 id = h->sorted_id[i];
    i32 k = i;
    for (; k > 0 && (h->sorted[k - 1] > v || (h->sorted[k - 1] == v && h->sorted_id[k - 1] > id)); k--) {
      h->sorted[k] = h->sorted[k - 1];
      h->sorted_id[k] = h->sorted_id[k - 1];
    }
    h->sorted[k] = v;
    h->sorted_id[k] = id;
  }
  double *const squared = h->squared;
  i32 *const id = h->id;
  h->squared = h->sorted;
  h->sorted = squared;
  h->id = h->sorted_id;
  h->sorted_id = id;
  h->found = sum < m ? sum : m;
  if (h->found == m) {
    h->bound = h->squared[m - 1];
    h->last = h->id[m - 1];
  }
}

static void meet_leaf(kd_hunt *h, int64_t leaf) {
  const kd_search *s = h->s;
  const i32 *id = s->t->id + leaf * LEAF, *group = s->group ? s->group + leaf * LEAF : NULL;
  const double bound = h->bound;
  double apart[LEAF];
  u64 word[WORDS], any = 0;
  pack sum[POINTS];
  to_points(s->t, leaf, h->p, sum);
  words within = (words)(sum[0] <= PACK_ZERO + bound);
  UNROLLED for (i32 k = 1; k < POINTS; k++) within |= (words)(sum[k] <= PACK_ZERO + bound);
  words_out(within, word);
  for (i32 k = 0; k < WORDS; k++) any |= word[k];
  if (!any) return;
  UNROLLED for (i32 k = 0; k < POINTS; k++) pack_out(sum[k], apart + k * PACK);
  i32 n = h->found;
  for (i32 k = 0; k < LEAF; k++) {
    h->squared[n] = apart[k];
    h->id[n] = id[k];
    n += (apart[k] <= bound) & (id[k] < h->limit);
  }
  if (group) {
    const i32 all = n;
    i32 k = 0;
    for (i32 i = n = h->found; i < all; i++) {
      while (id[k] != h->id[i]) k++;
      h->squared[n] = h->squared[i];
      h->id[n] = h->id[i];
      n += group[k] != h->group;
    }
  }
  h->found = n;
  if (n > s->room - LEAF) keep_nearest(h);
}

static void meet(kd_hunt *h, i32 level, int64_t node) {
  const kd_search *s = h->s;
  const int64_t at = s->t->first[level] + node;
  const i32 *least = s->t->least + at * FAN;
  double apart[FAN];
  i32 next[FAN], n = 0;
  to_children(s->t, at, h->p, apart);
  for (i32 k = 0; k < FAN; k++)
    if ((apart[k] <= h->bound) & (least[k] < h->limit)) {
      i32 i = n++;
      for (; i > 0 && (apart[next[i - 1]] > apart[k] ||
                       (apart[next[i - 1]] == apart[k] && least[next[i - 1]] > least[k])); i--)
        next[i] = next[i - 1];
      next[i] = k;
    }
  for (i32 i = 0; i < n; i++) {
    const i32 k = next[i];
    const int64_t below = node * FAN + k;
    if (apart[k] > h->bound) break;
    if (apart[k] == h->bound && least[k] > h->last) continue;
    if (s->only && s->only[at * FAN + k] == h->group) continue;
    if (level) meet(h, level - 1, below);
    else if (below < h->home || below >= h->end) meet_leaf(h, below);
  }
}

/* The leaf to begin with where nothing is known. */
static int64_t nearest_leaf(const kd_hunt *h) {
  const kd_tree *t = h->s->t;
  int64_t node = 0;
  for (i32 level = t->levels - 1; level >= 0; level--) {
    double apart[FAN];
    i32 best = 0;
    to_children(t, t->first[level] + node, h->p, apart);
    for (i32 k = 1; k < FAN; k++) best = apart[k] < apart[best] ? k : best;
    node = node * FAN + best;
  }
  return node;
}

/* Leaves around it that have some more points than are wanted, or one node's. */
DEV_FN i32 home_leaves(i32 m) {
  i32 leaves = 1;
  while (leaves < FAN && leaves * LEAF < m + m / 2 + 8) leaves *= 2;
  return leaves;
}

void kd_neighbours(kd_hunt *h, int64_t place) {
  const kd_search *s = h->s;
  const kd_tree *t = s->t, *asking = s->asking;
  const i32 leaves = home_leaves(s->m);
  for (i32 j = 0; j < t->d; j++) h->p[j] = asking->x[(place / LEAF * t->d + j) * LEAF + place % LEAF];
  h->limit = asking == t ? asking->id[place] : s->before ? s->before[asking->id[place]] : INT32_MAX;
  if (s->group) h->group = s->group_asking[place];
  h->found = 0;
  h->bound = INFINITY;
  h->last = INT32_MAX;
  h->home = (asking == t ? place / LEAF : nearest_leaf(h)) / leaves * leaves;
  h->end = h->home + leaves < t->leaves ? h->home + leaves : t->leaves;
  for (int64_t leaf = h->home; leaf < h->end; leaf++) meet_leaf(h, leaf);
  if (h->found >= s->m) bound_them(h);
  meet(h, t->levels - 1, 0);
  keep_nearest(h);
}
