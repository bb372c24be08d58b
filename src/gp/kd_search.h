/* kd_search.h: what follows from the distances of a point to those of a tree, for max-min orders and neighbours. */
#ifndef STATCL_KD_SEARCH_H
#define STATCL_KD_SEARCH_H

#include "gp/kd_tree.h"

/* A point that is farthest, the first of them: its squared distance to those before; its row, and its place below. */
typedef struct {
  double squared;
  uint64_t key;
} kd_farthest;

typedef struct {
  kd_tree t;
  double *squared;     /* of each place to the points that have been taken; -1 for those, and past the last */
  kd_farthest *child;  /* of each child of each node */
  double p[KD_MOST_DIMENSIONS];
  int32_t taken;       /* the row of that point */
  int64_t steps;       /* leaves met */
} kd_order;

/* Neighbours are sought among the points of t, of those of `asking`: the same tree where rows before their own are
 * sought; of another tree's points by row among all, or among so many rows of t as `before` says. */
typedef struct {
  const kd_tree *t, *asking;
  int m;
  int32_t room;        /* for candidates */
  const int32_t *before;
  const int32_t *group, *group_asking; /* by place of the trees, or NULL */
  const int32_t *only; /* group of all points of each child of a node; KD_NO_GROUP for several */
} kd_search;
#define KD_NO_GROUP INT32_MIN

/* What is known of the neighbours of one point: candidates, among which are the m nearest of those that have been
 * met; beyond the bound, and there beyond the row `last`, nobody is wanted. */
typedef struct {
  const kd_search *s;
  double p[KD_MOST_DIMENSIONS];
  int32_t limit;       /* only rows below it */
  int32_t group;
  int32_t found, last;
  double bound;
  int64_t home, end;   /* leaves that have been met */
  double *squared, *sorted;
  int32_t *id, *sorted_id, *bucket, *count;
} kd_hunt;

/* The point w->p has been taken: what is nearer to it than to others. */
void kd_lower(kd_order *w);
/* The neighbours of the point at a place of the asking tree are the first `found` candidates. */
void kd_neighbours(kd_hunt *h, int64_t place);

/* Numbers for the counts of so many candidates' buckets. */
enum { KD_BUCKETS = 128, KD_EACH = 4 };
static inline int32_t kd_buckets(int32_t n) { return n / KD_EACH > KD_BUCKETS ? n / KD_EACH : KD_BUCKETS; }

#endif
