/* r_bessel.c: the Bessel function K between R and the engine (src/bessel/bessel.h). */
#include "bessel/r_bessel.h"

#include <math.h>

#include "bessel/bessel.h"
#include "covariance/matern.h"
#include "glue/r_engine.h"
#include "covariance/r_matern.h"
#include "glue/r_vec.h"

SEXP C_besselK(SEXP x, SEXP nu, SEXP scaled, SEXP give_log, SEXP what) {
  const SEXP arg[] = {x, nu};
  vec_call v;
  PROTECT(vec_open(&v, 2, arg));
  SEXP result = PROTECT(vec_result(&v));
  const int wanted = Rf_asInteger(what), times_exp = Rf_asInteger(scaled) != 0;
  const int logarithm = Rf_asInteger(give_log) != 0;
  if (v.n > 0) {
    /* one order for all: perhaps by a table */
    const int one = v.col[1].length == 1 && fabs(v.col[1].data[0]) < 1e3;
    engine_begin("besselKgpu");
    engine_end(wanted == BESSEL_VALUE && !logarithm && one
                   ? matern_bessel_k(v.col[1].data[0], times_exp, matern_route_wanted(), v.n, v.col[0], REAL(result))
                   : bessel_k(wanted, v.n, v.col[0], v.col[1], times_exp, logarithm, REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}
