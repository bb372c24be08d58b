/* cov_panels.h: functions of one variable that take long to evaluate, as Chebyshev sums of high degree over few
 * panels, from which the many cells of a table are then made. */
#ifndef STATCL_COV_PANELS_H
#define STATCL_COV_PANELS_H

#include "covariance/cov_source.h"

typedef struct cov_panels cov_panels;

/* One of the three functions of s for 2^low <= x <= 2^high, to within its own noise, in units of F(0), or for
 * dF/dshape in its own. Where that does not end, for kinks, the function itself is asked. NULL: no memory, or
 * values() failed, *st says what. */
cov_panels *cov_panels_make(const cov_source *s, int need, int low, int high, status *st);
status cov_panels_values(const cov_panels *p, int64_t n, const double *x, double *out);
void cov_panels_free(cov_panels *p);

#endif
