/* integrand_library.h: operations of integrands that families of the package serve. */
#ifndef STATCL_INTEGRAND_LIBRARY_H
#define STATCL_INTEGRAND_LIBRARY_H

#include "engine/backend.h"

enum integrand_op {
#define OP(name, n) OP_##name,
#define LIBRARY_OP(name, n) OP_##name,
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#undef LIBRARY_OP
  OP_COUNT
};

/* Operation op at n points; operands are recycled. */
status integrand_library(enum integrand_op op, int64_t n, const column *operand, double *out);

#endif
