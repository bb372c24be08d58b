/* local_sets.h: places given a few others (given_sets.h), with covariances that differ from place to place
 * (local_values.h). */
#ifndef STATCL_LOCAL_SETS_H
#define STATCL_LOCAL_SETS_H

#include "covariance/given_sets.h"
#include "covariance/local_values.h"

/* Among the places a of p. Parameters have a field of local_values.h, or LOCAL_DIAGONAL, and in `by` the derivative
 * of that at each place. */
enum { LOCAL_DIAGONAL = -1 };
typedef struct {
  given_sets sets;
  const local_pairs *p;
  const double *by;
  const int *field;
} local_sets;

status local_given(const local_sets *s, int weights, double *out);
status local_sums(const local_sets *s, double *out, int64_t *bad);

#endif
