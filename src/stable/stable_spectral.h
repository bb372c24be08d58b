/* stable_spectral.h: densities of stable distributions in the plane whose spectral measure has finitely many atoms:
 *   characteristic function exp(-sum_j mass_j |u's_j|^alpha (1 - i sign(u's_j) tan(pi alpha/2)) + i u'delta),
 * with (2/pi) log|u's_j| in place of -tan(pi alpha/2) for alpha = 1. */
#ifndef STATCL_STABLE_SPECTRAL_H
#define STATCL_STABLE_SPECTRAL_H

#include "stable/stable.h"

typedef struct {
  double alpha; /* less than 2 */
  int atoms;
  const double *s, *mass; /* s: the first coordinates of all directions, which have length 1, then the second */
} spectral_law;

/* Densities, for delta = 0, at n points x, all first coordinates before the second; noise: estimates of their
 * absolute errors. The masses are to sum up to about 1. Many points of one alpha share a table. */
status spectral_density(enum stable_route route, const spectral_law *law, int64_t n, const double *x, double *density,
                        double *noise);

#endif
