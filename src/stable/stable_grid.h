/* stable_grid.h: maximum likelihood by contracting grids. */
#ifndef STATCL_STABLE_GRID_H
#define STATCL_STABLE_GRID_H

#include "stable/stable_estimators.h"

/* The searches of all series in lock-step, whose samples are in order; no distribution comes out of one without
 * observations. */
status stable_grid(int64_t m, estimate_problem *series, int two_dimensions);

#endif
