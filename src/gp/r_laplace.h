/* r_laplace.h: .Call entries behind R/gp-laplace-mode.R (gp/laplace.h). A pattern is list(start, near, from) of
 * laplace_sort(); a prior, with the variances and weights of locations, list(variance, weights); a system
 * list(pattern, prior, diagonal of W or NULL); a factor, or G, list(diagonal, below). Locations are counted from 0
 * within these alone. */
#ifndef STATCL_R_LAPLACE_H
#define STATCL_R_LAPLACE_H

#define R_NO_REMAP
#include <Rinternals.h>

/* members: as C_vecchiaMake() takes them. */
SEXP C_laplacePattern(SEXP members);
/* list(prior, log det(Q), number of the first location whose variance is not positive, or 0), by locations as
 * C_vecchiaMake() has them and the parts and the nugget of a model. */
SEXP C_laplacePrior(SEXP pattern, SEXP pointer, SEXP parts, SEXP nugget);
/* The same of all locations before each, by a covariance matrix. */
SEXP C_laplaceDensePrior(SEXP pattern, SEXP covariance);
/* system: list(pattern, prior, W), the last NULL, its diagonal, or a list of that and what is below it. */
/* list(diagonal, below, log det, number of pivots that were replaced) */
SEXP C_laplaceFactor(SEXP system);
SEXP C_laplaceInverse(SEXP pattern, SEXP factor);
SEXP C_laplaceProduct(SEXP system, SEXP x);
SEXP C_laplaceTriangular(SEXP pattern, SEXP factor, SEXP transposed, SEXP x);
/* list(inv(Q + W) b, steps of conjugate gradients), with b a vector or a matrix. */
SEXP C_laplaceSolve(SEXP system, SEXP factor, SEXP b, SEXP tolerance, SEXP most);
/* near: a matrix of locations, from 1. */
SEXP C_laplaceForms(SEXP pattern, SEXP factor, SEXP near, SEXP weights, SEXP drop);
/* c(log det(Q + W) - log det(V' V), its standard error) */
SEXP C_laplaceCorrection(SEXP system, SEXP factor, SEXP probes);
/* list(sum of G dQ, dQ x, d log det(Q), number as above), where d is the difference of `up` and `down` over 2 h:
 * lists of parts and nugget, or, without a pointer to locations, of prior and log det(Q). */
SEXP C_laplaceSlope(SEXP system, SEXP pointer, SEXP sides, SEXP h, SEXP inverse, SEXP x);
/* Joint vectors, as src/gp/effects.h has them: joint = list(index, value, c(processes, latent, effects), order). */
SEXP C_laplaceSpread(SEXP joint, SEXP b);
SEXP C_laplaceGather(SEXP joint, SEXP x);
SEXP C_laplaceSums(SEXP unit, SEXP x, SEXP units); /* over the rows of each unit */
/* list(R, Z'WZ), or with a diagonal M, which is not NULL, Z'WZ - R'Y */
SEXP C_laplaceCross(SEXP joint, SEXP weight, SEXP diagonal);
SEXP C_laplaceCrossed(SEXP joint, SEXP mixed, SEXP y);
SEXP C_laplaceElements(SEXP pattern, SEXP elements, SEXP mixed, SEXP y); /* of inv(M) + Y C Y', mixed = Y C */
SEXP C_laplaceVariances(SEXP joint, SEXP own, SEXP mixed, SEXP covariance);
/* With a diagonal M list(what effects add to variances, the diagonal of Y C Y'). */
SEXP C_laplaceVariancesAlone(SEXP joint, SEXP weight, SEXP diagonal, SEXP covariance);
/* The upper triangular root of a symmetric matrix, or NULL where that is not positive definite; inv(root' root). */
SEXP C_laplaceRoot(SEXP matrix);
SEXP C_laplaceRootInverse(SEXP root);
SEXP C_laplaceTimes(SEXP x, SEXP b); /* x b' */

#define LAPLACE_CALLS CALL(laplacePattern, 1) CALL(laplacePrior, 4) CALL(laplaceFactor, 1) CALL(laplaceInverse, 2) \
  CALL(laplaceProduct, 2) CALL(laplaceTriangular, 4) CALL(laplaceSolve, 5) CALL(laplaceForms, 5)                   \
  CALL(laplaceCorrection, 3) CALL(laplaceSlope, 6) CALL(laplaceSpread, 2) CALL(laplaceGather, 2)                   \
  CALL(laplaceCross, 3) CALL(laplaceCrossed, 3) CALL(laplaceVariances, 4) CALL(laplaceVariancesAlone, 4)           \
  CALL(laplaceRoot, 1) CALL(laplaceRootInverse, 1) CALL(laplaceTimes, 2) CALL(laplaceDensePrior, 2)     \
  CALL(laplaceSums, 3) CALL(laplaceElements, 4)

#endif
