/* local_values.h: covariances with parameters that differ from place to place. With matrices S(s) of squared ranges,
 * Q = (S(s) + S(t))/2, x^2 = (s - t)' inv(Q) (s - t), smoothness nu(s) and m = (nu(s) + nu(t))/2,
 *
 *     C(s, t) = sd(s) sd(t) |S(s)|^(1/4) |S(t)|^(1/4) |Q|^(-1/2) F(x),
 *
 * F being a correlation that is a mixture of Gaussian ones (Paciorek and Schervish 2006), or
 * 2^(1 - m) x^m K_m(x)/sqrt(Gamma(nu(s)) Gamma(nu(t))) (Stein 2005, Nonstationary spatial covariance functions). */
#ifndef STATCL_LOCAL_VALUES_H
#define STATCL_LOCAL_VALUES_H

#include "covariance/cov_model.h"
#include "engine/backend.h"

/* What is known of a place: a column each. The matrix S by 3 numbers, or where it is a multiple of the identity by
 * the first; LOCAL_WEIGHT: sd |S|^(1/4); LOCAL_BY_ANGLE and LOCAL_BY_RATIO: 3 numbers each, derivatives of S. */
enum { LOCAL_SQUARE = 0, LOCAL_NU = 3, LOCAL_LOG_GAMMA, LOCAL_DIGAMMA, LOCAL_WEIGHT, LOCAL_BY_ANGLE,
       LOCAL_BY_RATIO = LOCAL_BY_ANGLE + 3, LOCAL_COLUMNS = LOCAL_BY_RATIO + 3 };
typedef struct {
  int64_t n;
  const double *xy, *known; /* n x dim and n x LOCAL_COLUMNS, by columns */
} local_places;

/* Fields: log sd, log range, smoothness, angle and ratio, of which the covariance has derivatives at each place. */
enum local_field { LOCAL_OF_SD, LOCAL_OF_RANGE, LOCAL_OF_SMOOTHNESS, LOCAL_OF_ANGLE, LOCAL_OF_RATIO, LOCAL_FIELDS };

/* turned: is S a matrix? varying: does smoothness differ? Else F is that of the part. */
typedef struct {
  local_places a, b;
  int dim, turned, varying;
  const cov_part *part;
} local_pairs;

/* Of pairs: x, nu and the factor of F; F, -x F' and dF/dnu, half the derivative for one of two, as far as fields in
 * mask, bits 1 << field, take them. */
enum { LOCAL_VALUES = 3 };
typedef struct {
  const local_pairs *p;
  int slopes, shapes, mask;
  double *memory, *x, *nu, *factor, *value[LOCAL_VALUES];
} local_values;

/* For so many pairs; the caller frees memory. */
status local_values_open(local_values *v, const local_pairs *p, int mask, int64_t room);
/* Pairs from a number on: x, nu and factors of places row, ..., row + rows - 1 of a with place j of b. All of them
 * are evaluated on the main thread, and where smoothness varies the values of these finished. */
void local_lay(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j);
status local_evaluate(const local_values *v, int64_t n);
void local_finish(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j);
/* Of pair `at`, derivatives of C for the fields at place i of a, and at place j of b. */
void local_derivatives(const local_values *v, int64_t at, int64_t i, int64_t j, double *of_a, double *of_b);

#endif
