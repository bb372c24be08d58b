/* r_stable_fit.h: the .Call entries of stableFit(), which src/init.c registers. */
#ifndef STATCL_R_STABLE_FIT_H
#define STATCL_R_STABLE_FIT_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_stableFit(SEXP x, SEXP weights, SEXP upper, SEXP first, SEXP n, SEXP pm, SEXP fixed, SEXP start, SEXP q,
                 SEXP b, SEXP smallest_alpha, SEXP most_steps, SEXP climbs, SEXP gives_up,
                 SEXP known);
SEXP C_stableEstimate(SEXP x, SEXP weights, SEXP first, SEXP n, SEXP fixed, SEXP method);
SEXP C_stableLogLik(SEXP x, SEXP weights, SEXP upper, SEXP first, SEXP n, SEXP law);

#define FIT_CALLS CALL(stableFit, 15) CALL(stableEstimate, 6) CALL(stableLogLik, 6)

#endif
