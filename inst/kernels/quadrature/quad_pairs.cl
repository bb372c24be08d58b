/* quad_pairs.cl: Simpson's rule on equal intervals side by side, and how far the trapezoid rule is from it: see
 * published_integrand and pair_of() in src/quadrature/quadrature_published.h. A point is a run of PAR_RUN
 * intervals, the last one of a block of PAR_THREADS of them often a shorter one, and has the sums over it. Parameters
 * are those of row 0. */
#include "kernels/quadrature/integrand.h"

KERNEL(quad_pairs) {
  OVER_POINTS;
  INTEGRAND_ROOM(3);
  const real left = par[PAR_LEFT], right = par[PAR_RIGHT], step = par[PAR_STEP], h = K(2.0) * step;
  const i32 each = (i32)par[PAR_RUN], threads = (i32)par[PAR_THREADS], runs = (threads + each - 1) / each;
  real x[3 * LANES], value[LANES], error[LANES];
  i32 row[LANES], first[LANES], length[LANES];
  for (i32 l = 0; l < LANES; l++) {
    const i32 number = offset + idx[l], part = number % runs;
    row[l] = 0;
    first[l] = number / runs * threads + part * each;
    length[l] = threads - part * each < each ? threads - part * each : each;
    value[l] = error[l] = K(0.0);
  }
  for (i32 i = 0; i < each; i++) {
    for (i32 l = 0; l < LANES; l++) {
      const i32 interval = first[l] + (i < length[l] ? i : length[l] - 1);
      for (i32 k = 0; k < 3; k++) x[k * LANES + l] = min_(left + (real)(2 * interval + k) * step, right);
    }
    INTEGRAND_AT(3, x, row);
    for (i32 l = 0; l < LANES; l++) {
      const real *f = INTEGRAND_VALUE(0) + l;
      const real a = f[0], b = f[2 * LANES], bend = K(2.0) * f[LANES] - a - b;
      value[l] += i < length[l] ? h * ((a + b) / K(2.0) + bend / K(3.0)) : K(0.0);
      error[l] += i < length[l] ? fabs(h * bend / K(3.0)) : K(0.0);
    }
  }
  for (i32 l = 0; l < LANES; l++) {
    OUT(PAIR_VALUE, idx[l]) = value[l];
    OUT(PAIR_ERROR, idx[l]) = error[l];
  }
}
