/* kd_tree.h: points in leaves of some, by which distances are taken, below nodes with the boxes of what they hold.
 *
 * Nodes of a level are numbered from left to right, and node a has the children FAN a, FAN a + 1, ... of the level
 * below, or on level 0 leaves; only the last node of a level may have fewer. Leaf a has the places LEAF a, ...; only
 * the last leaf may have fewer points.
 *
 * Squares of distances add the squares of the coordinates' differences in order and without contraction. Rounding
 * does not decrease where an exact result does not: a box is never farther than a point in it, to the last bit, so
 * that what is found does not depend on the tree. */
#ifndef STATCL_KD_TREE_H
#define STATCL_KD_TREE_H

#include <stdint.h>

#include "engine/errors.h"

enum { KD_LEAF = 16, KD_FAN = 8, KD_LEVELS = 10, KD_MOST_DIMENSIONS = 10 };

typedef struct {
  int64_t n, leaves;
  int d, levels;               /* of nodes; 0 without points */
  double scale;                /* coordinates were multiplied by it, a power of 2 */
  double *x;                   /* by leaf: KD_LEAF numbers for each dimension */
  int32_t *id;                 /* rows, in a leaf ascending, at places; INT32_MAX past the last */
  int64_t first[KD_LEVELS + 1]; /* of a level's nodes among all; the last one: how many there are */
  double *box;                 /* by node, dimension: KD_FAN lower ends of the children's boxes, and upper ones */
  int32_t *least;              /* the least row of each child; INT32_MAX where there is none */
} kd_tree;

/* A power of 2 that brings the coordinates of n points, by columns of so many rows, to an extent of about 1, for
 * squares to be numbers; multiplied by it they stay what they are. Fails where a coordinate is not finite. Of several
 * sets that meet: the least. */
status kd_scale(int64_t n, int d, const double *x, double *scale);
/* The first n of so many rows. */
status kd_build(int64_t n, int d, const double *x, int64_t rows, double scale, kd_tree *tree);
void kd_free(kd_tree *tree);
/* The rows of n points such that `size` after the other are in one cell of space, divided as by a tree; only the last
 * cell may have fewer. */
status kd_cells(int64_t n, int d, const double *x, int64_t size, int32_t *row);

/* How many leaves a child of a level's nodes has. */
static inline int64_t kd_leaves_below(int level) { return (int64_t)1 << (3 * level); }

#endif
