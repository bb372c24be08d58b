/* integrand.h: a translated integrand on any device. A program in single static assignment form is cut into parts:
 * what does not depend on x is computed once per row of parameters, operations that a family of the package serves
 * (LIBRARY_OP of integrand_ops.def) for all points at once, and the rest point by point in kernels. */
#ifndef STATCL_INTEGRAND_HOST_H
#define STATCL_INTEGRAND_HOST_H

#include "backend.h"

enum { CODE_WORDS = 7, MAX_OUTPUTS = 32 };

/* Values are numbered: 0 is x, then the constants, the parameters, and the results of the operations. The caller
 * keeps what is pointed to. */
typedef struct {
  const char *name; /* of the R function, for progress and messages */
  int32_t n_constant, n_parameter, n_op, n_output;
  const double *constants;
  const int32_t *code;    /* CODE_WORDS per operation: its place in integrand_ops.def, its operands, -1 for none */
  const int32_t *outputs; /* values: the components of the integrand */
  const char *text;       /* or, instead of operations, user_integrand(x, constants, parameters) in OpenCL C */
} integrand_source;

typedef struct integrand integrand;

status integrand_open(const integrand_source *source, integrand **made);
void integrand_close(integrand *f);
int integrand_n_output(const integrand *f);
int32_t integrand_row_size(const integrand *f); /* parameters of a row, given and derived */

/* Names and numbers of operands of the operations, in order; library: nonzero for those that a family serves. */
int integrand_n_op(void);
const char *integrand_op_name(int op, int *operands, int *library);

/* Parameters of the rows to come: n_parameter numbers each. */
status integrand_set_rows(integrand *f, int64_t n, const double *parameters);

/* Component j at the points x goes to out[j]; row: numbers of the points' rows. */
status integrand_values(integrand *f, int64_t n, column x, column row, double *const *out);

/* Panels of quadrature.h, whose PANEL_RESULTS columns for component j go to out[PANEL_RESULTS * j], ... */
typedef struct {
  column centre, half, kind, anchor, rough, row;
} panel_columns;
status integrand_panels(integrand *f, int64_t n, panel_columns p, double *const *out);

/* Simpson's rule on each of n equal intervals from left to right, and how far the trapezoid rule is from it, of
 * component 0 and row 0. */
status integrand_pairs(integrand *f, int64_t n, double left, double right, double *fine, double *off);

#endif
