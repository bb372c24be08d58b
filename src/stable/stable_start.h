/* stable_start.h: starting values for the fit of a stable distribution. */
#ifndef STATCL_STABLE_START_H
#define STATCL_STABLE_START_H

#include "stable/stable_theta.h"

enum { FIT_ESTIMATORS = 3, FIT_SUMMITS = 9, FIT_STARTS = FIT_ESTIMATORS + FIT_SUMMITS + 1, FIT_SCALES = 6,
       FIT_WIDE = FIT_SCALES * FIT_SUMMITS + 1 };

/* Makes ready what the starts of all samples share. */
status fit_prepare_starts(void);
/* Makes up to FIT_STARTS starting distributions (frame 0) from a sample, and tells how many; alpha, beta: given
 * values, or NaN. n_summits: of a coarse grid of alpha and beta. */
int fit_starts(const ordered_sample *s, double alpha, double beta, fit_distribution *start, int *n_summits);
/* Makes up to FIT_WIDE with scales between those of the quartiles and of the whole sample, and the normal
 * distribution's. */
int fit_wide_starts(const ordered_sample *s, fit_distribution *start);

#endif
