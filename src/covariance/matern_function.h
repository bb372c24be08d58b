/* matern_function.h: functions of one variable behind Matern covariances, and their tables (private to matern*.c). */
#ifndef STATCL_MATERN_FUNCTION_H
#define STATCL_MATERN_FUNCTION_H

#include <stdint.h>

#include "engine/errors.h"

/* F: M(x) = 2^(1-nu)/Gamma(nu) x^nu K_nu(x); -x dM/dx; dM/dnu at fixed x; the same at a fixed x/sqrt(nu), that is
 * the third less the second over 2 nu; K_nu(x). */
enum matern_function { FUNCTION_M, FUNCTION_DX, FUNCTION_DNU, FUNCTION_DNU_SCALED, FUNCTION_K };

/* F at n points; times exp(x) where scaled. */
status matern_function_values(enum matern_function f, double nu, int scaled, int64_t n, const double *x, double *out);

/* Cells for 2^low <= x < 2^high, as the kernels want them (inst/kernels/covariance/matern_table.h). */
typedef struct {
  enum matern_function f;
  double nu;
  int single; /* for kernels in single precision, of fewer terms */
  int low, high, bits;
  int64_t cells;
  double below, above, error;
  double *coefficients; /* NULL: the function is not one for tables */
} matern_cells;

/* The table for x from 2^low to 2^high; valid until the next call. *found NULL where none serves. */
status matern_find_table(enum matern_function f, double nu, int single, int low, int high,
                         const matern_cells **found);
/* Forgets all tables. */
void matern_tables_drop(void);
int matern_cell_terms(int single);
/* Values that such a table is made from, at least. */
int64_t matern_table_cost(int low, int high);

#endif
