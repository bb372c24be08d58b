/* r_elementwise.h: functions whose value at each element is one of the arguments' elements there, d/p/q functions
 * among them. They share one entry, .External(C_elementwise, name, columns, options), and a table in elementwise.c:
 * columns are vectors that are recycled, options are flags and choices for all elements. */
#ifndef STATCL_R_ELEMENTWISE_H
#define STATCL_R_ELEMENTWISE_H

#include "glue/r_vec.h"

enum { MOST_OPTIONS = 4 };

typedef struct {
  int64_t n;
  const column *in;
  const int *option; /* flags as 0 or not, names as their number among the choices */
  int single;
  double *out;
} elementwise_call;

/* Of a function that is more than a kernel; R is at rest while it runs. */
typedef status elementwise_run(const elementwise_call *c);

SEXP C_elementwise(SEXP call);

#endif
