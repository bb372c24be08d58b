/* r_stable_spectral.c: stable distributions with a discrete spectral measure between R and the engine
 * (stable_spectral.h). Arguments are doubles that R has checked. */
#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "stable/r_stable.h"
#include "stable/stable_spectral.h"

/* A matrix with a row for each row of x: the density and an estimate of its error. */
SEXP C_spectralDensity(SEXP x, SEXP alpha, SEXP s, SEXP mass) {
  const int64_t n = Rf_nrows(x);
  const spectral_law law = {Rf_asReal(alpha), Rf_nrows(s), REAL(s), REAL(mass)};
  SEXP result = PROTECT(vec_matrix("dmstable", n, 2));
  engine_begin("dmstable");
  int route;
  status st = engine_option("statcl.stable.route", NAMES(STABLE_ROUTES), &route);
  if (st == STATUS_OK && n > 0)
    st = spectral_density((enum stable_route)route, &law, n, REAL(x), REAL(result), REAL(result) + n);
  engine_end(st);
  UNPROTECT(1);
  return result;
}
