/* r_stable.h: the stable distributions for R. */
#ifndef STATCL_R_STABLE_H
#define STATCL_R_STABLE_H

#include "glue/r_elementwise.h"

/* for elementwise.c */
elementwise_run run_dstable, run_pstable, run_qstable, run_stable_mode;

SEXP C_dpstable(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm);
SEXP C_stableScore(SEXP x, SEXP alpha, SEXP beta, SEXP gamma, SEXP delta, SEXP pm);
SEXP C_stableSlopes(SEXP z, SEXP run, SEXP alpha, SEXP beta, SEXP frame);
SEXP C_stableSums(SEXP x, SEXP weight, SEXP q, SEXP given, SEXP slopes);
SEXP C_rstable(SEXP n, SEXP given, SEXP first); /* given: a list of parameters */

/* Elliptical distributions, r_stable_elliptical.c: of the radius */
SEXP C_ellipticalValues(SEXP r, SEXP alpha, SEXP d, SEXP slopes);
SEXP C_ellipticalTails(SEXP r, SEXP alpha, SEXP d);
SEXP C_ellipticalQuantile(SEXP p, SEXP alpha, SEXP d, SEXP lower, SEXP logs);
SEXP C_ellipticalDraws(SEXP n, SEXP first, SEXP alpha, SEXP d);
SEXP C_ellipticalBox(SEXP lower, SEXP upper, SEXP factor, SEXP mixing, SEXP shifts, SEXP points);

/* Of a discrete spectral measure, r_stable_spectral.c */
SEXP C_spectralDensity(SEXP x, SEXP alpha, SEXP s, SEXP mass);

/* Fits, r_stable_fit.c: each takes one list. */
SEXP C_stableFit(SEXP given);
SEXP C_stableEstimate(SEXP given);
SEXP C_stableLogLik(SEXP given);

#define STABLE_CALLS                                                                                         \
  CALL(dpstable, 6) CALL(rstable, 3) CALL(stableScore, 6) CALL(stableSlopes, 5) CALL(stableSums, 5)          \
  CALL(ellipticalValues, 4) CALL(ellipticalTails, 3) CALL(ellipticalQuantile, 5)                             \
  CALL(ellipticalDraws, 4) CALL(ellipticalBox, 6) CALL(spectralDensity, 4)                                   \
  CALL(stableFit, 1) CALL(stableEstimate, 1) CALL(stableLogLik, 1)

#endif
