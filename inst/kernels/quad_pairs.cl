/* quad_pairs.cl: Simpson's rule on equal intervals side by side, an interval a point, and how far the trapezoidal rule
 * is from it: the pair of A. Kern and G. Alaghband's parallel block cutting. Parameters are those of row 0. */
#include "integrand.h"

KERNEL(quad_pairs) {
  OVER_POINTS;
  INTEGRAND_ROOM(3);
  const real left = par[PAR_LEFT], width = par[PAR_WIDTH];
  real x[3 * LANES];
  i32 row[LANES];
  for (i32 l = 0; l < LANES; l++) {
    row[l] = 0;
    for (i32 k = 0; k < 3; k++) x[k * LANES + l] = FMA((real)(offset + idx[l]) + K(0.5) * k, width, left);
  }
  INTEGRAND_AT(3, x, row);
  for (i32 l = 0; l < LANES; l++) {
    const real *f = INTEGRAND_VALUE(0) + l;
    const real ends = f[0] + f[2 * LANES], simpson = width / K(6.0) * (ends + K(4.0) * f[LANES]);
    OUT(0, idx[l]) = simpson;
    OUT(1, idx[l]) = fabs(simpson - K(0.5) * width * ends);
  }
}
