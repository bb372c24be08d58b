/* stable_observed.h: observations that stay on OpenCL devices, and sums over them of log densities of stable
 * distributions and of their derivatives, made there: parameters go there and sums come back. Sums do not depend on
 * the device or on pieces, and differ by rounding from those that the host takes over points in a row. */
#ifndef STATCL_STABLE_OBSERVED_H
#define STATCL_STABLE_OBSERVED_H

#include "stable/stable.h"

/* n observations at so many places, in segments, and columns of a regression. */
typedef struct {
  int64_t n;
  int32_t places, segment, segments, columns;
  double *memory;
  kept_block block;
} stable_observed;

/* weight: NULL, or positive numbers; q: columns of n numbers. *made: NULL where there are too few observations to
 * have them stay, or too many, and where no OpenCL device is in use. */
status stable_observe(int64_t n, const double *x, const double *weight, int columns, const double *q,
                      stable_observed **made);
/* The same wherever it computes. */
status stable_observe_anywhere(int64_t n, const double *x, const double *weight, int columns, const double *q,
                               stable_observed **made);
void stable_observed_close(stable_observed *o);

/* A distribution of S0 or S1, as frame says; b: coefficients of the regression. */
typedef struct {
  double alpha, beta, gamma, delta;
  int frame;
  const double *b;
} stable_member;

/* Numbers of a segment: sums of log densities of the standardised observations; or what stable_columns.h says. */
int stable_observed_numbers(const stable_observed *o, int slopes);
/* Those of all segments, for one member after the other. careful: derivatives that are not finite count as 0; those
 * in the coefficients always do. */
status stable_observed_sums(const stable_observed *o, int m, const stable_member *member, int slopes, int careful,
                            double *numbers);

#endif
