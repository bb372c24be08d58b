/* r_bands.h: .Call entries of the sums over lines; see r_bands.c. */
#ifndef STATCL_R_BANDS_H
#define STATCL_R_BANDS_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_bandUniforms(SEXP key, SEXP n, SEXP stream, SEXP first);
SEXP C_bandRoom(SEXP n);
SEXP C_bandAdd(SEXP into, SEXP at, SEXP x, SEXP n);
SEXP C_bandPut(SEXP into, SEXP at, SEXP x, SEXP n);
SEXP C_bandDress(SEXP value, SEXP attributes);
SEXP C_bandNoise(SEXP x, SEXP key);
SEXP C_bandPoints(SEXP x, SEXP waves, SEXP lot, SEXP into, SEXP at);
SEXP C_bandWaves(SEXP x, SEXP waves, SEXP lot, SEXP into, SEXP at);
SEXP C_bandGrid(SEXP axes, SEXP waves, SEXP lot, SEXP into, SEXP at);
SEXP C_bandTable(SEXP x, SEXP u, SEXP table, SEXP origin, SEXP step, SEXP block);
SEXP C_bandTruncated(SEXP z, SEXP p, SEXP covariance, SEXP lower, SEXP upper);

#define BANDS_CALLS                                                                                          \
  CALL(bandUniforms, 4) CALL(bandRoom, 1) CALL(bandAdd, 4) CALL(bandPut, 4) CALL(bandDress, 2)               \
  CALL(bandNoise, 2) CALL(bandPoints, 5) CALL(bandWaves, 5) CALL(bandGrid, 5) CALL(bandTable, 6)      \
  CALL(bandTruncated, 5)

#endif
