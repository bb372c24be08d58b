/* r_laplace.h: .Call entries behind R/gp-laplace.R. A factor is a list of the slots super, pi, px, s and x of
 * CHOLMOD's supernodal factor, as package Matrix has them. */
#ifndef STATCL_R_LAPLACE_H
#define STATCL_R_LAPLACE_H

#define R_NO_REMAP
#include <Rinternals.h>

/* Elements of the inverse of the permuted matrix: in these rows and columns of it, counted from 0. */
SEXP C_selectedInverse(SEXP factor, SEXP rows, SEXP columns);
/* b' inv(L L') b for the columns b of `values`, whose elements are in the rows `at` of the factor, counted from 0;
 * NA where there are fewer. */
SEXP C_sparseForms(SEXP factor, SEXP at, SEXP values);

#define LAPLACE_CALLS CALL(selectedInverse, 3) CALL(sparseForms, 3)

#endif
