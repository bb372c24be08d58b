/* given_batch.h: sets of places (given_sets.h) and their covariances. */
#ifndef STATCL_GIVEN_BATCH_H
#define STATCL_GIVEN_BATCH_H

#include <stdint.h>

#include "engine/errors.h"

/* Of n places those from `ahead` on have members, numbers from 1 of others, less than 1 for none, `most` for each.
 * diagonal is added to that of the matrix; a column has a number for each place; `count` parameters have
 * derivatives. */
typedef struct {
  int64_t n, ahead, most;
  const int *member;
  const double *diagonal, *column;
  int columns, count;
} given_sets;

/* Some sets that are in hand: where the places of each begin among all of these and, one more, where they end; its
 * pairs, of place j with places j, j + 1, ... of the set for one j after the other; and the numbers of the places. */
typedef struct {
  int64_t sets, places, pairs;
  const int64_t *place, *pair;
  const int32_t *index;
} given_batch;

/* Covariances: of all pairs of a batch, on the main thread; then, by several threads, `move` gives of set k the
 * products g of the derivative of its matrix for each parameter and u, one after the other. Or they are made where
 * they are factorised, from `lanes` alone; beyond the ends of tables they are NaN, and so are variances and sums. */
struct several_lanes;
typedef struct {
  void *of;
  const struct several_lanes *lanes;
  status (*evaluate)(void *of, const given_batch *b, double *value);
  void (*move)(const void *of, const given_batch *b, int64_t k, const double *u, double *g, int thread);
} given_covariances;

#endif
