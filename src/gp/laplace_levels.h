/* laplace_levels.h: what columns_program.h does with columns side by side and with rows, once per instruction set. */
#ifndef STATCL_LAPLACE_LEVELS_H
#define STATCL_LAPLACE_LEVELS_H

#include "engine/cpu_levels.h"
#include "gp/laplace_system.h"

enum { LAPLACE_WIDE = 8 };

/* Blocks of n rows of `wide` numbers, 1, 2, 4 or LAPLACE_WIDE; a column's result is the same for any. */
typedef struct {
  void (*product)(const laplace_system *a, const double *x, double *out, int wide); /* A x */
  void (*lower)(const laplace_pattern *at, laplace_factor v, double *x, int wide);  /* inv(V) x, or inv(V') x */
  void (*upper)(const laplace_pattern *at, laplace_factor v, double *x, int wide);
  /* row k of a factor, see laplace_factorise() */
  void (*eliminate)(const laplace_pattern *at, int64_t k, double *diagonal, double *below, const double *b,
                    const double *v, const double *both);
  /* dQ x, see laplace_moved() */
  void (*moved)(const laplace_system *a, laplace_system slope, const double *x, double *out, int wide);
  void (*add)(int64_t n, double by, const double *x, double *y); /* y += by x */
} laplace_columns;
const laplace_columns *laplace_columns_in_use(void);

#define LAPLACE_COLUMNS(level) LAPLACE_COLUMNS_(level)
#define LAPLACE_COLUMNS_(level) laplace_##level##_columns
#define COLUMNS_LINE(level, of) extern const laplace_columns LAPLACE_COLUMNS(level);
CPU_LEVELS(COLUMNS_LINE, )
#undef COLUMNS_LINE

#endif
