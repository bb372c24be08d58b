/* given_sets.h: each of many places given a few others (Vecchia 1988), with covariances of whatever kind. With L the
 * factor of the matrix of these and the place itself, which is the last one, and u the last row of inv(L), u v is
 * what the others leave of a column v, in standard deviations. */
#ifndef STATCL_GIVEN_SETS_H
#define STATCL_GIVEN_SETS_H

#include "covariance/given_batch.h"

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
