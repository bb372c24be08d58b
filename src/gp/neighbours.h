/* neighbours.h: the points nearest to others, for Vecchia's approximation and for kriging. Exact, whatever the points
 * are: nearest first, and of several at one distance, to the rounding of its square, those with lower rows first. The
 * results do not depend on threads. Coordinates are by columns, d <= 10; m >= 1. Distances below 1e-160 of the extent
 * of the points count as 0. */
#ifndef STATCL_NEIGHBOURS_H
#define STATCL_NEIGHBOURS_H

#include <stdint.h>

#include "engine/errors.h"

/* Of n points in their order, for each from `first` on the m nearest of those before it: its column i - first of
 * `nearest`, m rows from 0 on, and -1 where there are fewer points.
 *
 * least (or NULL): the smallest distance above 0 that was met of a point to its neighbours, or infinity. With
 * first <= 1 that is the smallest between any two of the points, and so a lower bound of all that a covariance is
 * asked for: of two points at that distance, each the first one at its location, the later one has the earlier one,
 * or another at the same distance, as its nearest. With more, distances among the points before `first` are not met:
 * those of two neighbours, and of points that are one of these again, are bounded by the least of these points' own
 * search or order. All to the rounding of squared distances. */
status gp_neighbours(int64_t n, int d, const double *x, int64_t first, int m, int32_t *nearest, double *least);

/* For each of n_new other points the m nearest of n points; where group and group_new are not NULL, of those of other
 * groups alone. least: the smallest distance above 0 of a new point to its neighbours. Those among its neighbours are
 * bounded by the least of the n points, and so is that to the next location of a new point which coincides with one
 * of them. */
status gp_neighbours_among(int64_t n_new, const double *x_new, const int32_t *group_new, int64_t n, const double *x,
                           const int32_t *group, int d, int m, int32_t *nearest, double *least);
/* For each of n_new other points the m nearest of the first before[i] of n points; before does not fall. */
status gp_neighbours_before(int64_t n_new, const double *x_new, const int32_t *before, int64_t n, const double *x,
                            int d, int m, int32_t *nearest);

#endif
