/* local_pairs.h: matrices of covariances with parameters that differ from place to place, and what gradients take of
 * their derivatives, without one for each parameter. */
#ifndef STATCL_LOCAL_PAIRS_H
#define STATCL_LOCAL_PAIRS_H

#include "covariance/local_values.h"

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
