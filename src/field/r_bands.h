/* r_bands.h: .Call entries of the sums over lines; see r_bands.c. */
#ifndef STATCL_R_BANDS_H
#define STATCL_R_BANDS_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_bandUniforms(SEXP key, SEXP n, SEXP stream);
SEXP C_bandNoise(SEXP x, SEXP key);
SEXP C_bandPoints(SEXP x, SEXP k, SEXP phase, SEXP amplitude);
SEXP C_bandWaves(SEXP x, SEXP k, SEXP phase, SEXP cosine, SEXP sine);
SEXP C_bandGrid(SEXP axes, SEXP k, SEXP phase, SEXP amplitude);
SEXP C_bandTable(SEXP x, SEXP u, SEXP table, SEXP origin, SEXP step, SEXP block);

#define BANDS_CALLS                                                                                          \
  CALL(bandUniforms, 3) CALL(bandNoise, 2) CALL(bandPoints, 4) CALL(bandWaves, 5) \
  CALL(bandGrid, 4) CALL(bandTable, 6)

#endif
