/* integrand_part.h: a part of an integrand's program that kernels run in one go; private to integrand*.c. */
#ifndef STATCL_INTEGRAND_PART_H
#define STATCL_INTEGRAND_PART_H

#include "quadrature/integrand_library.h"
#include "quadrature/integrand_source.h"
#include "kernels/quadrature/integrand_par.h"

/* Where a value comes from, for a part of the program. */
enum origin { FROM_X, FROM_CONSTANT, FROM_PARAMETER, FROM_LIBRARY, FROM_OP, FROM_DATA };

typedef struct {
  enum origin from;
  int32_t index; /* of the constant, parameter or derived value in a row, library result, op, vector of data */
} source_of;

typedef struct {
  const int32_t *code; /* of all operations */
  int32_t n_value;
  const source_of *source; /* of each value */
  const double *constants;
  const double *data; /* vectors of data, as in integrand_source: those that are not library results are tables */
  const int32_t *start;
} part_input;

/* Kernels whose lanes are in one row each (BY_LANE), whose points are (BY_POINT), or which compute for each element
 * of vectors of data (BY_ELEMENT), which are its library results. */
enum part_kind { BY_LANE, BY_POINT, BY_ELEMENT };

typedef struct {
  double *par;         /* head, constants, program, outputs; rows follow */
  int32_t n_fixed;     /* numbers in par before the rows */
  int32_t n_par;
  int64_t rows_of;     /* which set of rows par holds */
  char *text;
  int32_t *library;    /* results of library operations that it reads: indices, in the order of the columns */
  int32_t n_library, n_output, n_op;
  int32_t n_uniform, n_varying; /* slots */
} part;

/* The operations that the targets, values, need. */
status part_make(const part_input *in, enum part_kind kind, const int32_t *target, int32_t n_target, part *made);
/* Puts those of the vectors, of n elements each, that it reads as library results behind its program. */
status part_set_data(part *p, int32_t n, const double *const *vectors);
/* Puts rows behind the program, unless they are there: number tells one set from another. */
status part_set_rows(part *p, const char *name, const double *rows, int64_t n, int32_t stride, int64_t number);
void part_free(part *p);

#endif
