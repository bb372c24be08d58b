/* r_garch.h: series with volatility for R. */
#ifndef STATCL_R_GARCH_H
#define STATCL_R_GARCH_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_garchEvaluate(SEXP given, SEXP detail); /* given: a list of lists */
SEXP C_garchPaths(SEXP given);

#define GARCH_CALLS CALL(garchEvaluate, 2) CALL(garchPaths, 1)

#endif
