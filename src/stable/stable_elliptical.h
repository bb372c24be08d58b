/* stable_elliptical.h: the host side of elliptical stable distributions in d dimensions, with the characteristic
 * function exp(-|u|^alpha): all that depends on the radius alone. Columns are recycled; results have length n.
 * Invalid arguments give NaN at their places. */
#ifndef STATCL_STABLE_ELLIPTICAL_HOST_H
#define STATCL_STABLE_ELLIPTICAL_HOST_H

#include "stable/stable.h"

/* log h(r), where h(|x|) is the density; where slopes are wanted its derivatives by r and by alpha, too, else what
 * stands in their columns has no meaning. route: as of stable_values(). */
status elliptical_density_values(enum stable_route route, int64_t n, column alpha, column d, column r, int slopes,
                                 double *const out[3]);

/* Logs of P(R <= r) and P(R > r). */
status elliptical_radius_tails(int64_t n, column alpha, column d, column r, double *const out[2]);

/* Quantiles of the radius. */
status elliptical_radius_quantile(int64_t n, column prob, column alpha, column d, int lower, int logs, double *out);

/* Rows first, ..., first + n - 1, from 0, of the stream that key names: n x d standard variates, a row after the
 * other, and for each row the positive stable variate A of index alpha/2, by which sqrt(2 A) times them is a draw. */
status elliptical_random(int64_t first, int64_t n, double alpha, int d, const uint32_t key[2], double *normal,
                         double *mixing);

void elliptical_tables_drop(void);

#endif
