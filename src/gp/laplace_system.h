/* laplace_system.h: what stands for the matrices of laplace.h. */
#ifndef STATCL_LAPLACE_SYSTEM_H
#define STATCL_LAPLACE_SYSTEM_H

#include <stdint.h>

/* The neighbours of location k, counted from 0 and ascending, are near[start[k]] ... near[start[k + 1] - 1]. What
 * belongs to neighbours has their places. */
typedef struct {
  int64_t n;
  const int32_t *start, *near;
} laplace_pattern;

/* Of V, or of G: the diagonal, and what is below it in places of the pattern. */
typedef struct {
  const double *diagonal, *below;
} laplace_factor;

/* The variances, weights of neighbours, and W: its diagonal (NULL: 0) and what it has below that in places of the
 * pattern (NULL: nothing), between values of several processes at one location. */
typedef struct {
  laplace_pattern at;
  const double *variance, *weights, *w, *coupling;
} laplace_system;

#endif
