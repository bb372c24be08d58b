/* r_stable.h: the .Call entries of the stable laws, which src/init.c registers. */
#ifndef STATCL_R_STABLE_H
#define STATCL_R_STABLE_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_dstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP give_log);
SEXP C_rstable(SEXP n, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm);

#define STABLE_CALLS CALL(dstable, 7) CALL(rstable, 6)

#endif
