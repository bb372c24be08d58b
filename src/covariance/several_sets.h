/* several_sets.h: places of several variables given a few others (given_sets.h). */
#ifndef STATCL_SEVERAL_SETS_H
#define STATCL_SEVERAL_SETS_H

#include "covariance/given_sets.h"
#include "covariance/several_lanes.h"

/* A derivative by a number on which the map of a term depends, `map` being that of the map, for parameter k: the
 * derivative by log range times the change of the logarithm of the distance. */
typedef struct {
  int term, parameter;
  double range;
  const double *map;
} several_turn;

typedef struct {
  given_sets sets;
  const several_pairs *p;
  several_wanted wanted;
  int turns;
  const several_turn *turn;
} several_sets;

status several_given(const several_sets *s, int weights, double *out);
status several_sums(const several_sets *s, double *out, int64_t *bad);

#endif
