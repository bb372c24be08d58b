/* stable_estimate.h: the estimators of stable distributions other than maximum likelihood by derivatives, for many
 * series. */
#ifndef STATCL_STABLE_ESTIMATE_H
#define STATCL_STABLE_ESTIMATE_H

#include "stable/stable_estimators.h"

enum estimate_method {
  ESTIMATE_MCCULLOCH, ESTIMATE_LOGMOMENT, ESTIMATE_KOUTROUVELIS, ESTIMATE_ECF, ESTIMATE_GRID, ESTIMATE_GRID2D
};
#define ESTIMATE_METHODS "mcculloch", "logmoment", "koutrouvelis", "ecf", "grid", "grid2d"

/* A series without an estimate stops nothing. */
status stable_estimate(enum estimate_method method, int64_t m, estimate_problem *series);

#endif
