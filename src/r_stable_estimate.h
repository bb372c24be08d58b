/* r_stable_estimate.h: the .Call entry of stable_estimates(), which src/init.c registers. */
#ifndef STATCL_R_STABLE_ESTIMATE_H
#define STATCL_R_STABLE_ESTIMATE_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_stableEstimate(SEXP series, SEXP weights, SEXP fixed, SEXP method);

#define ESTIMATE_CALLS CALL(stableEstimate, 4)

#endif
