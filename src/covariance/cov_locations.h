/* cov_locations.h: locations as the kernels want them; private to cov_tiles.c and cov_locations.c. */
#ifndef STATCL_COV_LOCATIONS_H
#define STATCL_COV_LOCATIONS_H

#include <stdint.h>

#include "covariance/cov_model.h"
#include "engine/backend.h"

/* Coordinates of locations; exponent: they are handed to the kernel as multiples of 2^exponent, where squares of
 * their differences might overflow or vanish. */
typedef struct {
  const cov_metric *metric;
  int64_t n, m;
  const double *a, *b;
  int exponent;
  double *half; /* sides of the box around all locations, in that unit; the caller frees it */
  int single;
} locations;

static inline int64_t at_most(int64_t n, int64_t most) { return n < most ? n : most; }

/* Finds exponent and half. */
status measure_locations(locations *s);
/* No distance is larger, in the unit of the locations, with this map of differences. */
double farthest_distance(const locations *s, const double *map);

/* Of the times, which follow the coordinates. */
double longest_lag(const locations *s);

int columns_of_locations(const cov_metric *s);
/* Locations first, ..., first + n - 1 as columns stride apart; what fills the last tile repeats the last location. */
void lay_out_locations(const locations *s, int64_t first, int64_t n, double *to, int64_t stride);

#endif
