/* quad_map.cl: values of a translated integrand at points. Columns of in: integrand_par.h. */
#define HAS_INTERPRETER
#include "kernels/quadrature/integrand.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

KERNEL(quad_map) {
  OVER_POINTS;
  INTEGRAND_ROOM(1);
  real library[(INTEGRAND_LIBRARY + 1) * LANES];
  real x[LANES];
  i32 row[LANES];
  for (i32 l = 0; l < LANES; l++) {
    x[l] = IN(MAP_X, idx[l]);
    row[l] = (i32)IN(MAP_ROW, idx[l]);
    for (i32 j = 0; j < INTEGRAND_LIBRARY; j++) library[j * LANES + l] = IN(MAP_LIBRARY + j, idx[l]);
  }
  INTEGRAND_AT_(1, x, row[l], library + l, LANES);
  for (i32 j = 0; j < INTEGRAND_OUTPUTS; j++)
    for (i32 l = 0; l < LANES; l++) OUT(j, idx[l]) = INTEGRAND_VALUE(j)[l];
}

#else

/* The first block does the work of all: the interpreter's time is shared by as many points as there are. */
KERNEL(quad_map) {
  const i32 nodes = (n + LANES - 1) / LANES;
  INTEGRAND_ROOM(nodes);
  KERNEL_UNUSED;
  if (block > 0) return;
  integrand_by_point(nodes, n, in, cap, shared, par, work);
  for (i32 j = 0; j < INTEGRAND_OUTPUT_COUNT; j++)
    memcpy(PLACES(out, j, 1, 0, n, cap), INTEGRAND_VALUE(j), (size_t)n * sizeof *out);
}

#endif
