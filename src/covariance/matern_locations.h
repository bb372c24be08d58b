/* matern_locations.h: locations as the kernels want them; private to matern_matrix.c and matern_locations.c. */
#ifndef STATCL_MATERN_LOCATIONS_H
#define STATCL_MATERN_LOCATIONS_H

#include <stdint.h>

#include "covariance/matern_model.h"
#include "engine/errors.h"

/* Coordinates of locations; exponent: they are handed to the kernel as multiples of 2^exponent, where squares of
 * their differences might overflow or vanish. */
typedef struct {
  const matern_metric *metric;
  int64_t n, m;
  const double *a, *b;
  int exponent;
  double farthest; /* no distance is larger, in that unit */
  int single;
} locations;

static inline int64_t at_most(int64_t n, int64_t most) { return n < most ? n : most; }

/* Finds exponent and farthest. */
status measure_locations(locations *s);

int columns_of_locations(const matern_metric *s);
/* Locations first, ..., first + n - 1 as columns stride apart; what fills the last tile repeats the last location. */
void lay_out_locations(const locations *s, int64_t first, int64_t n, double *to, int64_t stride);

#endif
