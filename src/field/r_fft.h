/* r_fft.h: .Call entries of fast Fourier transforms; see r_fft.c. */
#ifndef STATCL_R_FFT_H
#define STATCL_R_FFT_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_fft(SEXP z, SEXP dims, SEXP inverse);
SEXP C_torusEven(SEXP octant, SEXP dims);
SEXP C_torusField(SEXP spectrum, SEXP kept, SEXP key, SEXP into, SEXP at);

SEXP C_torusNoise(SEXP dims, SEXP key);
SEXP C_torusWaves(SEXP z, SEXP dims, SEXP kept, SEXP into, SEXP at);

#define FFT_CALLS CALL(fft, 3) CALL(torusEven, 2) CALL(torusField, 5) CALL(torusNoise, 2) CALL(torusWaves, 5)

#endif
