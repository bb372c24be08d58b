/* r_functions.c: operations of integrands that are R's own functions, with R's values and accuracy. They may warn,
 * and so jump: they run on R's thread. */
#include "quadrature/r_quadrature.h"

#include <R_ext/Arith.h>
#include <Rmath.h>

#include "glue/r_engine.h"
#include "quadrature/integrand_library.h"

typedef struct {
  enum integrand_op op;
  int64_t n;
  const column *operand;
  double *out;
} r_operation;

#define A(k) column_at(r->operand[k], i)
#define NUMBERS_2 A(0), A(1)
#define NUMBERS_3 NUMBERS_2, A(2)
#define NUMBERS_4 NUMBERS_3, A(3)
#define FLAGS_0(n)
#define FLAGS_1(n) , A(n) != 0
#define FLAGS_2(n) , A(n) != 0, A(n + 1) != 0
#define EACH(value)                             \
  for (int64_t i = 0; i < r->n; i++) {          \
    if (i % 256 == 255) R_CheckUserInterrupt(); \
    r->out[i] = value;                          \
  }                                             \
  break;

static SEXP values(void *data) {
  const r_operation *r = data;
  switch (r->op) {
#define OP(name, n)
#define LIBRARY_OP(name, n)
#define R_OP(name, n, k) case OP_r_##name: EACH(name(NUMBERS_##n FLAGS_##k(n)))
#include "kernels/quadrature/integrand_ops.def"
  case OP_r_bessel_i: EACH(bessel_i(NUMBERS_2, A(2) != 0 ? 2 : 1))
  default: Rf_error("operation %d is not one of R", (int)r->op);
  }
  return R_NilValue;
}

status r_function_values(int op, int64_t n, const column *operand, double *out) {
  r_operation r = {(enum integrand_op)op, n, operand, out};
  const status st = engine_pause(backend_part().from);
  return st ? st : engine_call_r(values, &r);
}
