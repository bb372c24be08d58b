/* r_quadrature.h: .Call entries of quadrature; see r_quadrature.c. */
#ifndef STATCL_R_QUADRATURE_H
#define STATCL_R_QUADRATURE_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "engine/task.h"

/* Of operations r_... in integrand_ops.def. */
status r_function_values(int op, int64_t n, const column *operand, double *out);

SEXP C_integrandOps(void);
SEXP C_integrandOpens(SEXP program);
SEXP C_integrandValues(SEXP program, SEXP rows, SEXP x);
/* Integrals in one list: see R/integrate.R. */
SEXP C_integrate(SEXP program, SEXP list);
SEXP C_integratePublished(SEXP program, SEXP list);

#define QUADRATURE_CALLS                                                 \
  CALL(integrandOps, 0) CALL(integrandOpens, 1) CALL(integrandValues, 3) \
  CALL(integrate, 2) CALL(integratePublished, 2)

#endif
