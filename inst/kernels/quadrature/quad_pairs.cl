/* quad_pairs.cl: Simpson's rule on equal intervals side by side, an interval a point, and how far the trapezoid rule
 * is from it: see published_integrand and pair_of() in src/quadrature/quadrature_published.h. Parameters are
 * those of row 0. */
#include "kernels/quadrature/integrand.h"

KERNEL(quad_pairs) {
  OVER_POINTS;
  INTEGRAND_ROOM(3);
  const real left = par[PAR_LEFT], right = par[PAR_RIGHT], step = par[PAR_STEP], h = K(2.0) * step;
  real x[3 * LANES];
  i32 row[LANES];
  for (i32 l = 0; l < LANES; l++) {
    row[l] = 0;
    for (i32 k = 0; k < 3; k++) x[k * LANES + l] = min_(left + (real)(2 * (offset + idx[l]) + k) * step, right);
  }
  INTEGRAND_AT(3, x, row);
  for (i32 l = 0; l < LANES; l++) {
    const real *f = INTEGRAND_VALUE(0) + l;
    const real a = f[0], b = f[2 * LANES], bend = K(2.0) * f[LANES] - a - b;
    OUT(PAIR_VALUE, idx[l]) = h * ((a + b) / K(2.0) + bend / K(3.0));
    OUT(PAIR_ERROR, idx[l]) = fabs(h * bend / K(3.0));
  }
}
