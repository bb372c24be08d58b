/* local_sets.h: each of many places given a few others (Vecchia 1988), with covariances that differ from place to
 * place (local_values.h). With L the factor of the matrix of these and the place itself, which is the last one, and u
 * the last row of inv(L), u v is what the others leave of a column v, in standard deviations. */
#ifndef STATCL_LOCAL_SETS_H
#define STATCL_LOCAL_SETS_H

#include "covariance/local_values.h"

/* Places a of p, of which those from `ahead` on have members, numbers from 1 of others, less than 1 for none, `most`
 * for each. diagonal is added to that of the matrix; a column has a number for each place. Parameters have a field of
 * local_values.h, or LOCAL_DIAGONAL, and in `by` the derivative of that at each place. */
enum { LOCAL_DIAGONAL = -1 };
typedef struct {
  const local_pairs *p;
  int64_t ahead, most;
  const int *member;
  const double *diagonal, *column, *by;
  int columns, count;
  const int *field;
} local_sets;

/* A row for each place: its variance given the others, -Inf where their matrix is not positive definite, and what
 * they predict of the columns or, with `weights`, by which weights: rows x (1 + columns or most) numbers. */
status local_given(const local_sets *s, int weights, double *out);

/* Sums over all places: of the logarithms of variances, and of products of the columns of u v, columns x columns;
 * then the derivatives of both for each parameter; and the information of each two of these, count x count. *bad: the
 * number from 1 of the first place whose matrix is not positive definite, or 0. */
int64_t local_sums_size(const local_sets *s);
status local_sums(const local_sets *s, double *out, int64_t *bad);

#endif
