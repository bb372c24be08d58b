/* r_bessel.h: registration of the Bessel function K, see init.c. */
#ifndef STATCL_R_BESSEL_H
#define STATCL_R_BESSEL_H

#define R_NO_REMAP
#include <Rinternals.h>

#define BESSEL_CALLS CALL(besselK, 5)

SEXP C_besselK(SEXP x, SEXP nu, SEXP scaled, SEXP give_log, SEXP what);

#endif
