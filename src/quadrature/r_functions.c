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
#define FLAG(k) (A(k) != 0)
#define VALUES(name, value)                                      \
  case OP_r_##name:                                              \
    for (int64_t i = 0; i < r->n; i++) r->out[i] = value;        \
    break;

static SEXP values(void *data) {
  const r_operation *r = data;
  switch (r->op) {
  VALUES(pgamma, pgamma(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qgamma, qgamma(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(pbeta, pbeta(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qbeta, qbeta(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(pt, pt(A(0), A(1), FLAG(2), FLAG(3)))
  VALUES(qt, qt(A(0), A(1), FLAG(2), FLAG(3)))
  VALUES(pf, pf(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qf, qf(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(pbinom, pbinom(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qbinom, qbinom(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(pnbinom, pnbinom(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qnbinom, qnbinom(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(pnbinom_mu, pnbinom_mu(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qnbinom_mu, qnbinom_mu(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qgeom, qgeom(A(0), A(1), FLAG(2), FLAG(3)))
  VALUES(dhyper, dhyper(A(0), A(1), A(2), A(3), FLAG(4)))
  VALUES(phyper, phyper(A(0), A(1), A(2), A(3), FLAG(4), FLAG(5)))
  VALUES(dnchisq, dnchisq(A(0), A(1), A(2), FLAG(3)))
  VALUES(pnchisq, pnchisq(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qnchisq, qnchisq(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(dnbeta, dnbeta(A(0), A(1), A(2), A(3), FLAG(4)))
  VALUES(pnbeta, pnbeta(A(0), A(1), A(2), A(3), FLAG(4), FLAG(5)))
  VALUES(qnbeta, qnbeta(A(0), A(1), A(2), A(3), FLAG(4), FLAG(5)))
  VALUES(dnt, dnt(A(0), A(1), A(2), FLAG(3)))
  VALUES(pnt, pnt(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(qnt, qnt(A(0), A(1), A(2), FLAG(3), FLAG(4)))
  VALUES(dnf, dnf(A(0), A(1), A(2), A(3), FLAG(4)))
  VALUES(pnf, pnf(A(0), A(1), A(2), A(3), FLAG(4), FLAG(5)))
  VALUES(qnf, qnf(A(0), A(1), A(2), A(3), FLAG(4), FLAG(5)))
  VALUES(psigamma, psigamma(A(0), A(1)))
  VALUES(bessel_i, bessel_i(A(0), A(1), A(2) != 0 ? 2 : 1))
  VALUES(bessel_j, bessel_j(A(0), A(1)))
  VALUES(bessel_y, bessel_y(A(0), A(1)))
  VALUES(choose, choose(A(0), A(1)))
  VALUES(lchoose, lchoose(A(0), A(1)))
  default: Rf_error("operation %d is not one of R", (int)r->op);
  }
  return R_NilValue;
}

status r_function_values(int op, int64_t n, const column *operand, double *out) {
  r_operation r = {(enum integrand_op)op, n, operand, out};
  const status st = engine_pause(backend_part().from);
  return st ? st : engine_call_r(values, &r);
}
