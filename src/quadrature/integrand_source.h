/* integrand_source.h: an integrand as R has translated it. */
#ifndef STATCL_INTEGRAND_SOURCE_H
#define STATCL_INTEGRAND_SOURCE_H

#include <stdint.h>

#include "engine/task.h"

/* LOOP added to add, mul, min or max: over the elements of its operand, which depends on data. */
enum { CODE_WORDS = 7, MAX_OUTPUTS = 32, LOOP = 4096 };

/* Values are numbered: 0 is x, then the constants, the parameters, the vectors of data, and the results of the
 * operations. Those that depend on data are vectors; all that meet are of the same length, but for tables, which are
 * searched. The caller keeps what is pointed to. */
typedef struct {
  const char *name; /* of the R function, for progress and messages */
  int32_t n_constant, n_parameter, n_op, n_output;
  const double *constants;
  const int32_t *code;    /* CODE_WORDS per operation: its place in integrand_ops.def, its operands, -1 for none */
  const int32_t *outputs; /* values: the components of the integrand */
  /* or, instead of operations, what is called on the main thread, while no task is at work, for values at n points;
   * row: parameter 0 of each */
  status (*call)(void *of, int64_t n, const double *x, const double *row, double *const *out);
  void *of;
  /* values of an operation that is R's own, there too */
  status (*r_operation)(int op, int64_t n, const column *operand, double *out);
  int32_t n_data;
  const double *data;   /* all vectors, vector k from start[k] on */
  const int32_t *start; /* n_data + 1 */
} integrand_source;

/* The operations in the order of integrand_ops.def; library: a family serves it. */
typedef struct {
  const char *name;
  int operands, library;
} integrand_operation;
extern const integrand_operation operations[];

#endif
