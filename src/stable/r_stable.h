/* r_stable.h: the .Call entries of the stable laws, which src/init.c registers. */
#ifndef STATCL_R_STABLE_H
#define STATCL_R_STABLE_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_dstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP give_log);
SEXP C_pstable(SEXP q, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP lower, SEXP give_log);
SEXP C_qstable(SEXP p, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm, SEXP lower, SEXP log_p);
SEXP C_stableMode(SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm);
SEXP C_dpstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm);
SEXP C_stableSlopes(SEXP z, SEXP run, SEXP alpha, SEXP beta, SEXP frame);
SEXP C_rstable(SEXP n, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm);

#define STABLE_CALLS                                                                                         \
  CALL(dstable, 7) CALL(pstable, 8) CALL(qstable, 8) CALL(stableMode, 5) CALL(dpstable, 6) CALL(rstable, 6) \
  CALL(stableSlopes, 5)

#endif
