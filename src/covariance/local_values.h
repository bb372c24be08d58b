/* local_values.h: values for pairs of places, for local_pairs.c and local_sets.c: x, nu and the factor of F; F, -x F'
 * and dF/dnu, half the derivative for one of two, as far as fields in mask take them. */
#ifndef STATCL_LOCAL_VALUES_H
#define STATCL_LOCAL_VALUES_H

#include "covariance/local_pairs.h"

enum { LOCAL_VALUES = 3 };
typedef struct {
  const local_pairs *p;
  int slopes, shapes, mask;
  double *memory, *x, *nu, *factor, *value[LOCAL_VALUES];
} local_values;

/* For so many pairs; the caller frees memory. */
status local_values_open(local_values *v, const local_pairs *p, int mask, int64_t room);
/* Pairs from a number on: x, nu and factors of places row, ..., row + rows - 1 of a with place j of b. All of them are
 * evaluated on the main thread, and where smoothness varies the values of these finished. */
void local_lay(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j);
status local_evaluate(const local_values *v, int64_t n);
void local_finish(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j);
/* Of pair `at`, derivatives of C for the fields at place i of a, and at place j of b. */
void local_derivatives(const local_values *v, int64_t at, int64_t i, int64_t j, double *of_a, double *of_b);

#endif
