/* matern_space.h: what vectors (matern.c) and matrices (matern_matrix.c) of covariances share; private to them. */
#ifndef STATCL_MATERN_SPACE_H
#define STATCL_MATERN_SPACE_H

#include "covariance/matern_function.h"
#include "covariance/matern_model.h"
#include "engine/backend.h"
#include "kernels/common/dialect.h"
#include "kernels/covariance/matern_table.h"

enum { LINE_DOUBLES = 8 };

/* factor F(x), or that times exp(x); x = r (hi + lo), or
 * r / divisor hi where the divisor is not 0: for ranges near the ends of double precision. */
typedef struct {
  enum matern_function f;
  double nu, factor, at_zero, hi, lo, divisor;
  int scaled, single;
} evaluation;

/* A table, a closed form of so many terms, or neither: directly. */
typedef struct {
  const matern_cells *table;
  int terms;
  double form[24];
} method;

/* par of a task, its cells on lines of memory; the caller frees memory. */
typedef struct {
  double *memory, *par;
  int32_t n;
} parameters;

evaluation evaluation_of(const matern_model *m);
double scaled_distance(const evaluation *e, double r);

/* How n values with x between these come; x_low need not be a bound. Directly they come in double precision only. */
status choose_method(const evaluation *e, enum matern_route route, int64_t n, double x_low, double x_high, method *w);

/* Numbers that the kernel of a method wants from position at of par on, a multiple of LINE_DOUBLES, and these. */
int64_t method_size(const method *w);
status parameters_open(parameters *p, int64_t n);
void lay_out_method(double *par, int64_t at, const evaluation *e, const method *w);

status evaluate_directly(const evaluation *e, int64_t n, const double *x, double *out);

#endif
