/* curve.h: locations along a curve through space (Morton's), on which those in a row have neighbours in common. */
#ifndef STATCL_CURVE_H
#define STATCL_CURVE_H

#include <stdint.h>

#include "engine/errors.h"

/* The rows of n points, by columns of coordinates, of which up to three count, along the curve, those before `first`
 * ahead of the others. */
status gp_curve(int dim, int64_t n, const double *x, int64_t first, int32_t *from);

/* An order of n points, rows from 0 on, becomes one in which those whose ranks differ by a tenth or less are along
 * the curve. Of a max-min order that changes the distances of points to those before them by a few hundredths, but
 * who reads neighbours finds them in the cache. */
status gp_rank_classes(int dim, int64_t n, const double *x, int32_t *order);

#endif
