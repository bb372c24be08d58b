/* integrand_source.c: see integrand_source.h. */
#include "quadrature/integrand_source.h"

const integrand_operation operations[] = {
#define OP(name, n) {#name, n, 0},
#define LIBRARY_OP(name, n) {#name, n, 1},
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#undef LIBRARY_OP
};

int integrand_n_op(void) { return (int)(sizeof operations / sizeof *operations); }
