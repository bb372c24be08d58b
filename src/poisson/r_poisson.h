/* r_poisson.h: the Poisson distribution for R; see r_poisson.c. */
#ifndef STATCL_R_POISSON_H
#define STATCL_R_POISSON_H

#include "glue/r_elementwise.h"

/* for elementwise.c */
elementwise_run run_qpois;
void warn_of_fractions(const vec_call *v, const int *option, const double *result);

SEXP C_rpois(SEXP n, SEXP lambda, SEXP first);

#define POISSON_CALLS CALL(rpois, 3)

#endif
