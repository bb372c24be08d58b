/* r_bessel_published.h: the .Call entry of the published Bessel algorithms, which src/init.c registers. */
#ifndef STATCL_R_BESSEL_PUBLISHED_H
#define STATCL_R_BESSEL_PUBLISHED_H

#define R_NO_REMAP
#include <Rinternals.h>

/* log K_nu(x), or scaled log(exp(x) K_nu(x)); method 0, 1, 2 as in bessel_published.h, bins 0 for its default */
SEXP C_besselPublished(SEXP x, SEXP nu, SEXP method, SEXP bins, SEXP scaled);

#define BESSEL_PUBLISHED_CALLS CALL(besselPublished, 5)

#endif
