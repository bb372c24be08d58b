/* matern_scaled.h: see matern_scaled.c. */
#ifndef STATCL_MATERN_SCALED_H
#define STATCL_MATERN_SCALED_H

#include <stdint.h>

enum { MATERN_SCALED_LEAST = 50 };

/* dM/dnu at a fixed distance of the Matern correlation M at x = sqrt(2 nu) or sqrt(8 nu) times distance over range,
 * from nu = MATERN_SCALED_LEAST on. */
void matern_scaled_shape(double nu, int64_t n, const double *x, double *out);

#endif
