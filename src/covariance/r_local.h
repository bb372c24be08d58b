/* r_local.h: the .Call entries of covariances with parameters that differ from place to place (R/cov-local.R).
 *
 * among: a list of
 *   a, b          coordinates, a row for each place, b NULL for a
 *   known, other  what is known of the places of a and of b, with the columns of local_values.h
 *   turned, varying
 *   parts         the part whose correlation it is, as in r_covariance.h
 * Fields count from 1: log sd, log range, smoothness, angle, ratio. */
#ifndef STATCL_R_LOCAL_H
#define STATCL_R_LOCAL_H

#define R_NO_REMAP
#include <Rinternals.h>

/* The matrix of a with b, or, of a field that is not 0, its derivative for that at the places of a. */
SEXP C_localMatrix(SEXP among, SEXP field);
/* Among a, in packed tiles. */
SEXP C_localTiles(SEXP among);
/* A column for each field: with packed weights W the sums over k of 2 W_ik dC_ik for the field at place i. */
SEXP C_localAdjoint(SEXP among, SEXP weights, SEXP fields);
/* Of parameters with their fields and derivatives of these, a column each: the derivative of the matrix times a
 * vector. */
SEXP C_localProducts(SEXP among, SEXP vector, SEXP fields, SEXP by);

/* Places a given others (local_sets.h): sets is a list of `members`, a column of them for each of the last places,
 * NA for none; the `diagonal`; and `columns`. Rows as of C_vecchiaPredict(), with weights or predictions. */
SEXP C_localGiven(SEXP among, SEXP sets, SEXP weights);
/* list(sums, number of the first place without a positive variance, or 0), for parameters with their fields, 0 for
 * the diagonal. */
SEXP C_localSums(SEXP among, SEXP sets, SEXP fields, SEXP by);

#define LOCAL_CALLS                                                                                          \
  CALL(localMatrix, 2) CALL(localTiles, 1) CALL(localAdjoint, 3) CALL(localProducts, 4) CALL(localGiven, 3)  \
  CALL(localSums, 4)

#endif
