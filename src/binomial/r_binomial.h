/* r_binomial.h: the binomial and negative binomial distributions for R; see r_binomial.c. */
#ifndef STATCL_R_BINOMIAL_H
#define STATCL_R_BINOMIAL_H

#include "glue/r_elementwise.h"

/* for elementwise.c */
elementwise_run run_qbinom;

SEXP C_rbinom(SEXP n, SEXP size, SEXP second, SEXP kind, SEXP first);

#define BINOMIAL_CALLS CALL(rbinom, 5)

#endif
