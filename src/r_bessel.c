/* r_bessel.c: the Bessel function K between R and the engine (src/bessel.h). */
#include "r_bessel.h"

#include "bessel.h"
#include "r_engine.h"
#include "r_vec.h"

SEXP C_besselK(SEXP x, SEXP nu, SEXP scaled, SEXP give_log, SEXP what) {
  const SEXP arg[] = {x, nu};
  vec_call v;
  PROTECT(vec_open(&v, 2, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0)
    ENGINE_RUN("besselKgpu", bessel_k(Rf_asInteger(what), v.n, v.col[0], v.col[1], Rf_asInteger(scaled) != 0,
                                      Rf_asInteger(give_log) != 0, REAL(result)));
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}
