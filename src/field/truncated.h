/* truncated.h: normal variables between limits. */
#ifndef STATCL_TRUNCATED_H
#define STATCL_TRUNCATED_H

#include "engine/errors.h"

#include <stdint.h>

/* One step of Hamiltonian Monte Carlo for n normal variables z with mean 0 and this covariance, between lower and
 * upper (Pakman and Paninski 2014): from z with the velocity p, of the same covariance, they go along
 * z cos t + p sin t, which keeps their density, up to t = pi/2, and are reflected by every limit. z, which is between
 * the limits, and p are overwritten; z is unchanged where there are more than `most` reflections. This is as
 * reversible as the rest: the way back has as many. pause(fraction) is asked now and then whether to stop. */
status truncated_step(int64_t n, const double *covariance, const double *lower, const double *upper, int64_t most,
                      double *z, double *p, double *start, status (*pause)(double));

#endif
