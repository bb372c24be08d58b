/* r_beta.h: the beta, F and t distributions for R; see r_beta.c. */
#ifndef STATCL_R_BETA_H
#define STATCL_R_BETA_H

#include "glue/r_elementwise.h"

/* for elementwise.c */
elementwise_run run_dbeta, run_pbeta, run_qbeta, run_df, run_pf, run_qf, run_dt, run_pt, run_qt;

SEXP C_rbeta(SEXP n, SEXP a, SEXP b, SEXP first);
SEXP C_rf(SEXP n, SEXP df1, SEXP df2, SEXP first);
SEXP C_rt(SEXP n, SEXP df, SEXP first);

#define BETA_CALLS CALL(rbeta, 4) CALL(rf, 4) CALL(rt, 3)

#endif
