/* quadrature_published.h: integrals by the adaptive trapezoid/Simpson algorithms of Kern and Alaghband
 * ("PBCAQ"), for comparison. Where their text leaves a rule open, or its pseudo-code fails, quadrature_published.c
 * says what is done. */
#ifndef STATCL_QUADRATURE_PUBLISHED_H
#define STATCL_QUADRATURE_PUBLISHED_H

#include <stdint.h>

#include "engine/errors.h"

/* Sequential but for those with a P: those evaluate a region in one launch. */
enum published_method {
  PUBLISHED_CAQ,
  PUBLISHED_SCAQ,
  PUBLISHED_BCAQ,
  PUBLISHED_PSCAQ,
  PUBLISHED_PBCAQ,
  PUBLISHED_PBCAQR,
  PUBLISHED_PBCAQS,
  PUBLISHED_PBCAQG,
  PUBLISHED_METHODS
};
#define PUBLISHED_NAMES "caq", "scaq", "bcaq", "pscaq", "pbcaq", "pbcaqr", "pbcaqs", "pbcaqg"

/* The integrand. A status other than STATUS_OK ends the integration at once and is returned.
 *
 * points: f at m places.
 *
 * region: [left, right] cut into blocks * threads equal intervals, threads in a row to a block. Interval i lies
 * between nodes 2 i and 2 i + 2, with node 2 i + 1 in its middle; node j is
 *   fmin(left + j * step, right), step = (right - left) / (2 * blocks * threads),
 * so that nothing is evaluated outside. Of every block, from the left: the sums of Simpson's rule and of
 * |fine - coarse| over its intervals, see pair_of(), with h = (right - left) / (blocks * threads). Numbers of one
 * block may be added as they come: sums over blocks are taken here. Each interval evaluates its own three nodes.
 * NULL: by points, block by block. */
typedef struct {
  void *of;
  status (*points)(void *of, int64_t m, const double *x, double *f);
  status (*region)(void *of, double left, double right, int64_t blocks, int64_t threads, double *value,
                   double *error);
} published_integrand;

/* Simpson's rule on an interval of length h with f at its ends and in the middle, and how far it is from the
 * trapezoid rule of both ends. */
typedef struct {
  double value, error;
} pair;
static inline pair pair_of(double left, double middle, double right, double h) {
  const double bend = 2 * middle - left - right;
  const double fine = h * ((left + right) / 2 + bend / 3), apart = h * bend / 3;
  return (pair){fine, apart < 0 ? -apart : apart};
}

typedef struct {
  double tau;              /* absolute tolerance of the whole */
  int64_t blocks, threads; /* of a region; 0: 2048 and 256, as published */
  int64_t panels;          /* no interval is longer than this part of the range; 0: 1 */
  int64_t max_evaluations; /* but at least 2 panels + 1, or one region */
  uint64_t key;            /* of the coin */
} published_options;

/* Codes as R's integrate() has them; 7: see bad_x. */
enum { PUBLISHED_OK = 0, PUBLISHED_EXHAUSTED = 1, PUBLISHED_ROUNDING = 2, PUBLISHED_NON_FINITE = 7 };

typedef struct {
  double value, error;        /* error: sum over accepted intervals; NaN both with code 7 */
  int64_t accepted, rejected; /* regions, of CAQ and SCAQ intervals */
  int64_t evaluations;        /* of the integrand, wherever a value went */
  int64_t launches;           /* calls of points and region */
  int code;
  double bad_x; /* where the integrand is not finite; NaN otherwise, or where sums overflow */
} published_result;

/* lower <= upper, with a finite difference. */
status quadrature_published(enum published_method method, published_integrand f, double lower, double upper,
                            published_options options, published_result *result);

#endif
