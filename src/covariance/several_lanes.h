/* several_lanes.h: what lanes of sets take to make covariances of several variables by themselves: Matern
 * correlations from tables with cells alike. */
#ifndef STATCL_SEVERAL_LANES_H
#define STATCL_SEVERAL_LANES_H

#include "covariance/cov_plan.h"
#include "covariance/several_pairs.h"

/* What of a term is evaluated: a model of one part, whose wants are columns from `first` on. Column 0 is F_t of all
 * terms. */
typedef struct {
  int term, first;
  cov_model model;
} several_group;

/* How many columns, and derivatives for how many parameters: of a pair of variables i and j, of slot s and column c
 * of it `share` for each parameter, [variables i + j][s][c][parameter], and those of errors: `of_nugget` by variable,
 * `of_shared` by pair of variables at one place. */
typedef struct {
  int columns, count, groups;
  const several_group *group;
  const double *share, *of_nugget, *of_shared;
} several_wanted;

/* Of the derivative for a parameter, what column c (F, -x F'(x), dF/dshape) of the term in a slot counts between a
 * place of variable i and all of variable j. */
typedef struct {
  int i, j, slot, column, parameter;
  double by;
} several_share;

/* Of slot s and pair of variables, at s variables^2 + pair: the first cell, the scale of distances and the weight.
 * columns: 1 without derivatives, else 3, or 2 without those for shapes. */
typedef struct several_lanes {
  int made;
  const several_places *places;
  cov_alike alike;
  int columns, shares, one_scale;
  int *geometry; /* of each slot */
  int32_t *cell;
  double *numbers, *hi, *lo, *weight;
  several_share *share;
  const double *of_nugget, *of_shared; /* as several_wanted has them */
} several_lanes;

/* For so many pairs of places. Not made where there are few, or a term has no such table. */
status several_lanes_open(several_lanes *d, const several_wanted *s, const several_places *places, int64_t pairs);
void several_lanes_close(several_lanes *d);

#endif
