/* local_pairs.h: covariances with parameters that differ from place to place. With matrices S(s) of squared ranges,
 * Q = (S(s) + S(t))/2, x^2 = (s - t)' inv(Q) (s - t), smoothness nu(s) and m = (nu(s) + nu(t))/2,
 *
 *     C(s, t) = sd(s) sd(t) |S(s)|^(1/4) |S(t)|^(1/4) |Q|^(-1/2) F(x),
 *
 * F being a correlation that is a mixture of Gaussian ones (Paciorek and Schervish 2006), or
 * 2^(1 - m) x^m K_m(x)/sqrt(Gamma(nu(s)) Gamma(nu(t))) (Stein 2005, Nonstationary spatial covariance functions). */
#ifndef STATCL_LOCAL_PAIRS_H
#define STATCL_LOCAL_PAIRS_H

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

/* The n x m matrix of covariances of a with b, or of their derivatives for a field at the places of a. */
enum { LOCAL_VALUE = -1 };
status local_matrix(const local_pairs *p, int field, double *out);

/* Among a, in tiles as cov_packed() has them. */
status local_packed(const local_pairs *p, double *out);

/* Twice the sum over k of weight (i, k) times the derivative of C(i, k) for each field at place i, an n x
 * LOCAL_FIELDS matrix, of which the columns in mask, bits 1 << field, are wanted. weight is packed. */
status local_adjoint(const local_pairs *p, const double *weight, int mask, double *out);

/* The matrix of derivatives for a parameter on which a field depends at each place by the numbers `by`, times a
 * vector: a column of out for each of `count` parameters with their `field` and column of by. */
status local_products(const local_pairs *p, const double *vector, int count, const int *field, const double *by,
                      double *out);

#endif
