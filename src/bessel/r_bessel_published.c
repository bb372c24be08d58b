/* r_bessel_published.c: see r_bessel_published.h. */
#include "bessel/r_bessel_published.h"

#include "bessel/bessel_published.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

SEXP C_besselPublished(SEXP x, SEXP nu, SEXP method, SEXP bins, SEXP scaled) {
  const SEXP arg[] = {x, nu};
  vec_call v;
  PROTECT(vec_open(&v, 2, arg));
  SEXP result = PROTECT(vec_result(&v));
  if (v.n > 0) {
    const enum bessel_method which = (enum bessel_method)Rf_asInteger(method);
    const int n_bins = Rf_asInteger(bins), by_exp = Rf_asInteger(scaled);
    engine_begin("besselKgpu");
    engine_end(bessel_published(which, n_bins, v.n, v.col[0], v.col[1], by_exp, REAL(result)));
  }
  vec_close(&v, result);
  UNPROTECT(2);
  return result;
}
