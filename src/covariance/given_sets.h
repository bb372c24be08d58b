/* given_sets.h: each of many places given a few others (Vecchia 1988), with covariances of whatever kind. With L the
 * factor of the matrix of these and the place itself, which is the last one, and u the last row of inv(L), u v is
 * what the others leave of a column v, in standard deviations. */
#ifndef STATCL_GIVEN_SETS_H
#define STATCL_GIVEN_SETS_H

#include "engine/backend.h"

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
typedef struct several_lanes several_lanes;
typedef struct {
  void *of;
  const several_lanes *lanes;
  status (*evaluate)(void *of, const given_batch *b, double *value);
  void (*move)(const void *of, const given_batch *b, int64_t k, const double *u, double *g, int thread);
} given_covariances;

/* At most so many places and pairs are in hand at a time. */
void given_room(const given_sets *s, int64_t *places, int64_t *pairs);

/* A row for each place: its variance given the others, -Inf where their matrix is not positive definite, and what
 * they predict of the columns or, with `weights`, by which weights: rows x (1 + columns or most) numbers. */
status given_rows(const given_sets *s, const given_covariances *c, int weights, double *out);

/* Sums over all places: of the logarithms of variances, and of products of the columns of u v, columns x columns;
 * then the derivatives of both for each parameter; and the information of each two of these, count x count. *bad: the
 * number from 1 of the first place whose matrix is not positive definite, or 0. */
int64_t given_sums_size(const given_sets *s);
status given_sums(const given_sets *s, const given_covariances *c, double *out, int64_t *bad);

#endif
