/* r_fft.h: .Call entry of the fast Fourier transform; see r_fft.c. */
#ifndef STATCL_R_FFT_H
#define STATCL_R_FFT_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_fft(SEXP z, SEXP dims, SEXP inverse);

#define FFT_CALLS CALL(fft, 3)

#endif
