/* r_stable_fit.h: the .Call entry of stableFit(), which src/init.c registers. */
#ifndef STATCL_R_STABLE_FIT_H
#define STATCL_R_STABLE_FIT_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_stableFit(SEXP x, SEXP weights, SEXP upper, SEXP first, SEXP n, SEXP pm, SEXP fixed, SEXP start);

#define FIT_CALLS CALL(stableFit, 8)

#endif
