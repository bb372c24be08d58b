/* several_sets.h: places of several variables given a few others (given_sets.h). */
#ifndef STATCL_SEVERAL_SETS_H
#define STATCL_SEVERAL_SETS_H

#include "covariance/given_sets.h"
#include "covariance/several_pairs.h"

/* What of a term is evaluated: a model of one part, whose wants are columns from `first` on. Column 0 is F_t of all
 * terms. */
typedef struct {
  int term, first;
  cov_model model;
} several_group;

/* A derivative by a number on which the map of a term depends, `map` being that of the map, for parameter k: the
 * derivative by log range times the change of the logarithm of the distance. */
typedef struct {
  int term, parameter;
  double range;
  const double *map;
} several_turn;

/* Derivatives of a pair of variables i and j: of slot s and column c of it `share` for each parameter,
 * [variables i + j][s][c][parameter], and those of errors: `of_nugget` by variable, `of_shared` by pair of variables
 * at one place. */
typedef struct {
  given_sets sets;
  const several_pairs *p;
  int columns, groups, turns;
  const several_group *group;
  const several_turn *turn;
  const double *share, *of_nugget, *of_shared;
} several_sets;

status several_given(const several_sets *s, int weights, double *out);
status several_sums(const several_sets *s, double *out, int64_t *bad);

#endif
