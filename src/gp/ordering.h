/* ordering.h: orders of points for Vecchia's approximation. */
#ifndef STATCL_ORDERING_H
#define STATCL_ORDERING_H

#include <stdint.h>

#include "engine/errors.h"

/* Max-min order of n points, by columns of d <= 10 coordinates: the first is that nearest to the middle of their box,
 * and each next one is as far as any from those before it, to the rounding of squared distances; of several the one
 * with the least row. Hence points that are another one again come last, by row. order: rows from 0 on. The result
 * depends on nothing else, not on threads either.
 *
 * It is the greedy order itself, with no factor lost: after any k points none is farther from them than twice the
 * least radius with which k points can cover all (Gonzalez 1985, Theoretical Computer Science 38, 293-306), and the
 * distance of each to those before it never grows. Guinness (2018, Technometrics 60, 415-429) found what it is good
 * for, Schaefer, Katzfuss and Owhadi (2021, SIAM Journal on Scientific Computing 43, A2019-A2046) compute it in
 * O(n log(n)^2) steps by a heap; here a k-d tree has the largest distance of each node. A new point changes those of
 * its Voronoi cell, n / k points on average: O(n log n) steps while boxes of leaves are not much larger than cells,
 * that is in few dimensions, and up to O(n^2) in many.
 *
 * least (or NULL): the smallest distance above 0 between any two of the points, or infinity. Of two at that distance
 * the later one is no farther from those before it; and at each location the first point has none nearer. */
status gp_ordering(int64_t n, int d, const double *x, int32_t *order, double *least);

#endif
