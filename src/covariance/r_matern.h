/* r_matern.h: the .Call entries of Matern covariances, which src/init.c registers. */
#ifndef STATCL_R_MATERN_H
#define STATCL_R_MATERN_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "covariance/matern.h"
#include "glue/r_elementwise.h"

/* The Bessel function K, for elementwise.c; here, because the values of one order come from the tables of Matern
 * covariances. Options: times exp(x), logarithm, one of BESSEL_WHATS. */
elementwise_run run_bessel;

SEXP C_matern(SEXP r, SEXP parameters, SEXP deriv, SEXP scaling);
SEXP C_maternMatrix(SEXP a, SEXP b, SEXP metric, SEXP transform, SEXP radius, SEXP parameters, SEXP deriv,
                    SEXP scaling);
/* For tests: cells of the table that served the last call, 0 if none did. */
SEXP C_maternCells(void);

#define MATERN_CALLS CALL(matern, 4) CALL(maternMatrix, 8) CALL(maternCells, 0)

#endif
