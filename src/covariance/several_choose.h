/* several_choose.h: neighbours of places of several variables: of candidates in turn that one which tells most of the
 * place given those that are there, by the square of the conditional covariance with it over the conditional
 * variance. That is a Cholesky factor with pivots of the candidates' matrix, and what each takes from the variance of
 * the place. */
#ifndef STATCL_SEVERAL_CHOOSE_H
#define STATCL_SEVERAL_CHOOSE_H

#include "covariance/several_pairs.h"

/* For places first, ..., first + count - 1 the m of their candidates that are chosen, numbers from 1, the best first,
 * or -1: `lists` of `length` numbers each, or less than 1, the nearest first. diagonal: variances of errors. */
typedef struct {
  const several_pairs *p;
  const double *diagonal;
  int64_t first, count;
  int lists, length, m;
  const int *candidate;
} several_choice;
status several_choose(const several_choice *c, int *chosen);

#endif
