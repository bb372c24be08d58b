/* several_lanes.h: what lanes of sets take to make covariances of several variables by themselves: Matern correlations
 * from tables with cells alike. */
#ifndef STATCL_SEVERAL_LANES_H
#define STATCL_SEVERAL_LANES_H

#include "covariance/cov_plan.h"
#include "covariance/several_sets.h"

/* Of the derivative for a parameter, what column c (F, -x F'(x), dF/dshape) of the term in a slot counts between a
 * place of variable i and all of variable j. */
typedef struct {
  int i, j, slot, column, parameter;
  double by;
} several_share;

/* Of slot s and pair of variables, at s variables^2 + pair: the first cell, the scale of distances and the weight.
 * columns: 1 without derivatives, else 3, or 2 without those for shapes. */
struct several_lanes {
  int made;
  const several_places *places;
  cov_alike alike;
  int columns, shares, one_scale;
  int *geometry; /* of each slot */
  int32_t *cell;
  double *numbers, *hi, *lo, *weight;
  several_share *share;
  const double *of_nugget, *of_shared; /* derivatives of errors, as several_sets has them */
};

/* Not made where there are few pairs, or a term has no such table, or derivatives for a map are wanted. */
status several_lanes_open(several_lanes *d, const several_sets *s, const several_places *places);
void several_lanes_close(several_lanes *d);

#endif
