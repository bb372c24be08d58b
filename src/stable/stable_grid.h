/* stable_grid.h: maximum likelihood by contracting grids. */
#ifndef STATCL_STABLE_GRID_H
#define STATCL_STABLE_GRID_H

#include "stable/stable_estimators.h"

/* The searches of all series in lock-step. n = 0: no series here, and no distribution comes out. tied: 0, or
 * the weight of equal observations where the likelihood has a spike, no maximum of which has been found outside. */
typedef struct {
  ordered_sample sample;
  double fixed[STABLE_PARS];
  double par[STABLE_PARS];
  double tied;
} grid_series;
status stable_grid(int64_t m, grid_series *series, int two_dimensions);

#endif
