/* r_stable_fit.h: the .Call entries of stableFit(), which src/init.c registers. */
#ifndef STATCL_R_STABLE_FIT_H
#define STATCL_R_STABLE_FIT_H

#define R_NO_REMAP
#include <Rinternals.h>

/* Each takes one list. */
SEXP C_stableFit(SEXP given);
SEXP C_stableEstimate(SEXP given);
SEXP C_stableLogLik(SEXP given);

#define FIT_CALLS CALL(stableFit, 1) CALL(stableEstimate, 1) CALL(stableLogLik, 1)

#endif
