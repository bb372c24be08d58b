/* r_gp.h: .Call entries behind R/gp-likelihood.R, which has checked the arguments. A factor is a numeric vector with
 * the packed lower triangle (dense/dense.h) of a covariance matrix, factorised, until C_gpWeights() has put the
 * weights of a gradient in its place. among and wants are those of covariance/r_covariance.h. */
#ifndef STATCL_R_GP_H
#define STATCL_R_GP_H

#define R_NO_REMAP
#include <Rinternals.h>

/* list(factor, log det, number of the first row whose pivot is too small, or 0): with one the factor is of no use.
 * diagonal: what is added to that of the matrix. */
SEXP C_gpFactor(SEXP among, SEXP diagonal);
/* Packed tiles of the upper triangle of a matrix that R has made. */
SEXP C_gpPack(SEXP matrix);
/* As C_gpFactor(), in the place of packed tiles of the matrix. */
SEXP C_gpFactorTiles(SEXP tiles, SEXP diagonal);
/* What has taken the place of a factor of n rows as a symmetric matrix. */
SEXP C_gpUnpack(SEXP factor, SEXP n);
/* inv(l) b, or inv(l') b. */
SEXP C_gpSolve(SEXP factor, SEXP b, SEXP transposed);
/* With the columns x of inv(l) C, C being the covariances of a (rows) and b of `among`: a row for each of b, of sums
 * of the products of x with the columns of a matrix, and last its square. NULL: no device makes them. NaN: a table
 * does not reach one. */
SEXP C_gpSolvedSums(SEXP factor, SEXP among, SEXP with);
/* l b */
SEXP C_gpMultiply(SEXP factor, SEXP b);
/* With l z = the first rows of b, so many as are known, and z beyond these the rest of b: all other rows of l z. */
SEXP C_gpDraw(SEXP factor, SEXP b, SEXP known);
/* R is to read a factor, or what has taken its place, which a device may have alone. Does one keep it? */
SEXP C_gpFetch(SEXP factor, SEXP n);
/* The n elements of the diagonal of a factor, or of what has taken its place. */
SEXP C_gpDiagonal(SEXP factor, SEXP n);
/* u u' - inv(S) in the place of the factor of S. */
SEXP C_gpWeights(SEXP factor, SEXP u);
/* The sums of the weights times the derivatives of S; of "nothing", that for a nugget. */
SEXP C_gpContract(SEXP factor, SEXP among, SEXP wants);
/* Derivatives of S times the columns of a matrix: an array n x columns x wants. Of "nothing": zeros. */
SEXP C_gpSlopes(SEXP among, SEXP wants, SEXP vectors);
/* What likelihoods take of matrices that differ in their diagonals: what each column of diagonals adds is one.
 * Columns are the observations, and behind them those of the mean. Rows of the result: log det S, the residual sum
 * of squares of generalised least squares, and log det(X' inv(S) X); NaN where S is not positive definite. */
SEXP C_gpDiagonals(SEXP among, SEXP errors, SEXP diagonals, SEXP columns);
/* What an OpenCL device has kept of the factor, perhaps alone, is not needed any more; was there any? */
SEXP C_gpForget(void);

#define GP_CALLS                                                                                             \
  CALL(gpFactor, 2) CALL(gpSolve, 3) CALL(gpSolvedSums, 3) CALL(gpMultiply, 2) CALL(gpDraw, 3)               \
  CALL(gpDiagonal, 2) CALL(gpWeights, 2) CALL(gpContract, 3) CALL(gpSlopes, 3) CALL(gpDiagonals, 4)          \
  CALL(gpFetch, 2) CALL(gpForget, 0) CALL(gpPack, 1) CALL(gpFactorTiles, 2) CALL(gpUnpack, 2)

#endif
