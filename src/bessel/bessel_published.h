/* bessel_published.h: K_nu(x) by the algorithms of the literature, for comparison; they are described in
 * inst/kernels/bessel/bessel_published.h. */
#ifndef STATCL_BESSEL_PUBLISHED_H
#define STATCL_BESSEL_PUBLISHED_H

#include "engine/backend.h"

enum bessel_method { BESSEL_TEMME, BESSEL_TAKEKAWA, BESSEL_REFINED };
#define BESSEL_METHODS "temme", "takekawa", "refined"
enum { BESSEL_MAX_BINS = 100000 };

/* log K_nu(x), or scaled log(exp(x) K_nu(x)), natural logarithms, for x > 0 and order nu >= 0, both recycled, with so
 * many bins (0: as published, 32 and 128; Temme has none). NaN for NaN, x < 0 or nu < 0, and where Temme's recurrence
 * would take more than 1e5 steps; Inf at x = 0 and for nu = Inf, -Inf for x = Inf. */
status bessel_published(enum bessel_method method, int bins, int64_t n, column x, column nu, int scaled,
                        double *out);

#endif
