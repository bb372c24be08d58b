/* r_gamma.h: the gamma and chi-squared distributions for R; see r_gamma.c. */
#ifndef STATCL_R_GAMMA_H
#define STATCL_R_GAMMA_H

#include "glue/r_elementwise.h"

/* for elementwise.c */
elementwise_run run_dgamma, run_pgamma, run_qgamma, run_dchisq, run_pchisq, run_qchisq, run_dnchisq,
    run_pnchisq, run_qnchisq;

SEXP C_rgamma(SEXP n, SEXP shape, SEXP scale, SEXP first);
SEXP C_rchisq(SEXP n, SEXP df, SEXP first);
SEXP C_rnchisq(SEXP n, SEXP df, SEXP ncp, SEXP first);

#define GAMMA_CALLS CALL(rgamma, 4) CALL(rchisq, 3) CALL(rnchisq, 4)

#endif
