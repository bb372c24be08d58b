/* integrand.h: a translated integrand on any device. A program in single static assignment form is cut into parts:
 * what does not depend on x is computed once per row of parameters, operations that a family of the package serves
 * (LIBRARY_OP of integrand_ops.def) for all points at once, and the rest point by point in kernels. */
#ifndef STATCL_INTEGRAND_HOST_H
#define STATCL_INTEGRAND_HOST_H

#include "engine/backend.h"
#include "quadrature/integrand_source.h"

typedef struct integrand integrand;

status integrand_open(const integrand_source *source, integrand **made);
void integrand_close(integrand *f);
int integrand_n_output(const integrand *f);
int32_t integrand_row_size(const integrand *f); /* parameters of a row, given and derived */

/* Parameters of the rows to come: n_parameter numbers each. shift: NULL, or n_output numbers each, for panels of what
 * is given by its logarithm: their integrand is exp(value - shift). */
status integrand_set_rows(integrand *f, int64_t n, const double *parameters, const double *shift);

/* Component j at the points x goes to out[j]; row: numbers of the points' rows. */
status integrand_values(integrand *f, int64_t n, column x, column row, double *const *out);

/* Panels by the PANEL_COLUMNS columns of quadrature.h, whose PANEL_RESULTS columns for component j go to
 * out[PANEL_RESULTS * j], ... */
status integrand_panels(integrand *f, int64_t n, const column *panels, double *const *out);

/* Integrals of rows 0, ..., n - 1 that their first panels are enough for, which are so many: columns out by
 * FIRST_COUNT, ... of integrand_par.h; not of every integrand, and of none with a shift. */
typedef struct {
  int32_t on_range, on_half_line, on_line;
  double relative, absolute;
} first_panels_of;
int integrand_has_first(const integrand *f);
status integrand_first(integrand *f, int64_t n, column lower, column upper, const first_panels_of *by,
                       double *const *out);

/* Simpson's rule on equal intervals from left to right, and how far the trapezoid rule is from it, of component 0 and
 * row 0: sums over each of the blocks of so many of them (threads), which are taken on the device. */
status integrand_pairs(integrand *f, int64_t blocks, int64_t threads, double left, double right, double *value,
                       double *error);

#endif
