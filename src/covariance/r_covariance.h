/* r_covariance.h: the .Call entries of covariances, which src/init.c registers.
 *
 * among: a list of locations a and b, or NULL; metric, a list of its kind and radius; and parts.
 * parts: a list with one for each part of a model, which is a list of
 *   function, scaling  of COV_FUNCTIONS and COV_SCALINGS
 *   parameters         matrix with a row for each set of parameters: shape, range, variance
 *   map                matrix that is applied to differences, an array with one for each set, or NULL
 *   source             for "source": list(f, id, most, farthest, cells, units) as in cov_source.h; f(x, need) gives
 *                      F for need 1, -x F' for 2, dF/dshape for the parameter need - 2 beyond, which has a unit each
 * wants: a list of list(what, part, map, parameter): what is one of COV_WHATS, part counts from 1, 0 for all; of
 * COV_SHAPE the parameter, which counts from 1, too. */
#ifndef STATCL_R_COVARIANCE_H
#define STATCL_R_COVARIANCE_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "covariance/covariance.h"
#include "glue/r_elementwise.h"

/* The Bessel function K, for elementwise.c; here, because the values of one order come from the tables of Matern
 * covariances. Options: times exp(x), logarithm, one of BESSEL_WHATS. */
elementwise_run run_bessel;

/* For each of wants a vector, or an array, in a list unless it is the only one: sets of parameters are its last
 * dimension. diagonal: what is added to the diagonal of the first, NULL or a matrix with a column for each set and a
 * row for each location or one for all. */
SEXP C_covariance(SEXP r, SEXP parts, SEXP wants);
SEXP C_covarianceMatrix(SEXP among, SEXP wants, SEXP diagonal);
/* Their product with the columns of a matrix. */
SEXP C_covarianceProduct(SEXP among, SEXP vectors);
/* At x the sums of Legendre polynomials that panels (R/cov-quadrature.R) hold, 0 outside. */
SEXP C_panelValues(SEXP left, SEXP right, SEXP coef, SEXP x);
/* For tests: cells of the table that served the last call, 0 if none did. */
SEXP C_covarianceCells(void);

#define COVARIANCE_CALLS                                                                                     \
  CALL(covariance, 3) CALL(covarianceMatrix, 3) CALL(covarianceProduct, 2) CALL(covarianceCells, 0)          \
  CALL(panelValues, 4)

/* For other entries: what the engine takes, from these arguments. What it points to is R_alloc()'s. */
cov_model covariance_model(SEXP parts, SEXP wants, int set);
cov_model covariance_model_among(SEXP among, SEXP wants);
int covariance_sets(SEXP parts); /* how many */
cov_space covariance_space(SEXP among);
const double *covariance_map(SEXP map); /* by rows; NULL for R's */

#endif
