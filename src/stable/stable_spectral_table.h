/* stable_spectral_table.h: the radial integral of stable_spectral_ray.h from a table. In units in which a = 1,
 *   J(a, b, y) = sigma^2 G(sigma (y + b q(log sigma)), b/a), sigma = a^(-1/alpha),
 * so that one table of two variables serves all spectral measures and points of an alpha. */
#ifndef STATCL_STABLE_SPECTRAL_TABLE_H
#define STATCL_STABLE_SPECTRAL_TABLE_H

#include "engine/errors.h"
#include "stable/stable_spectral_ray.h"

typedef struct spectral_table spectral_table;

/* The table of the alpha of r, which is made at its first use and kept. Interrupted, it is made anew. */
status spectral_table_of(const spectral_ray *r, const spectral_table **table);

/* Re G(y, beta), beta from -1 to 1; NaN where the table does not reach. */
double spectral_table_value(const spectral_table *t, double beta, double y);

#endif
