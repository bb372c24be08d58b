/* r_poisson.h: .Call entries of the Poisson law; see r_poisson.c. */
#ifndef STATCL_R_POISSON_H
#define STATCL_R_POISSON_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_dpois(SEXP x, SEXP lambda, SEXP give_log);
SEXP C_ppois(SEXP q, SEXP lambda, SEXP lower, SEXP give_log);
SEXP C_qpois(SEXP p, SEXP lambda, SEXP lower, SEXP log_p);
SEXP C_rpois(SEXP n, SEXP lambda);
SEXP C_normalQuantile(SEXP p);

#define POISSON_CALLS CALL(dpois, 3) CALL(ppois, 4) CALL(qpois, 4) CALL(rpois, 2) CALL(normalQuantile, 1)

#endif
