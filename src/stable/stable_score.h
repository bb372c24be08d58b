/* stable_score.h: log densities of stable distributions and their derivatives by x and all parameters. */
#ifndef STATCL_STABLE_SCORE_H
#define STATCL_STABLE_SCORE_H

#include "stable/stable.h"

enum { SCORE_LOG_F, SCORE_X, SCORE_ALPHA, SCORE_BETA, SCORE_GAMMA, SCORE_DELTA, SCORES };

/* The columns above at n points, NaN where there is no distribution, its scale is 0 or infinite, or x or the location
 * is infinite, and where stable_slopes() knows no derivative. */
status stable_score(int64_t n, column x, stable_parameters p, double *const out[SCORES]);

/* The derivative of lgamma at x >= 1. */
double stable_digamma(double x);

#endif
