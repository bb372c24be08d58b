/* r_fft.c: discrete Fourier transforms of complex arrays, by FFTW where configure found it, else by GSL. Neither
 * scales the result. The sign of the exponent is that of stats::fft(). */
#include "field/r_fft.h"

#include <limits.h>

#include "field/torus.h"

#include "glue/r_engine.h"
#include "glue/r_vec.h"

#ifdef STATCL_FFTW
#include <fftw3.h>

/* R's first dimension is the fastest, FFTW's the last. */
static status transform(int rank, const int *dims, double *z, int inverse) {
  int n[16];
  for (int d = 0; d < rank; d++) n[d] = dims[rank - 1 - d];
  fftw_complex *data = (fftw_complex *)z;
  fftw_plan plan = fftw_plan_dft(rank, n, data, data, inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
  if (!plan) return fail(STATUS_MEMORY, "fft: no memory for the transform");
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return STATUS_OK;
}

#else
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_complex.h>

/* All lines along one dimension: of length n, whose elements are stride apart. */
static int along(size_t n, size_t stride, size_t size, double *z, gsl_fft_direction direction) {
  gsl_fft_complex_wavetable *table = gsl_fft_complex_wavetable_alloc(n);
  gsl_fft_complex_workspace *space = gsl_fft_complex_workspace_alloc(n);
  int bad = !table || !space;
  for (size_t block = 0; block < size && !bad; block += n * stride)
    for (size_t i = 0; i < stride && !bad; i++)
      bad = gsl_fft_complex_transform(z + 2 * (block + i), stride, n, table, space, direction) != GSL_SUCCESS;
  if (space) gsl_fft_complex_workspace_free(space);
  if (table) gsl_fft_complex_wavetable_free(table);
  return bad;
}

static status transform(int rank, const int *dims, double *z, int inverse) {
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  size_t size = 1, stride = 1;
  int bad = 0;
  for (int d = 0; d < rank; d++) size *= (size_t)dims[d];
  for (int d = 0; d < rank && !bad; stride *= (size_t)dims[d++])
    if (dims[d] > 1) bad = along((size_t)dims[d], stride, size, z, inverse ? gsl_fft_backward : gsl_fft_forward);
  gsl_set_error_handler(old);
  return bad ? fail(STATUS_MEMORY, "fft: no memory for the transform") : STATUS_OK;
}
#endif

SEXP C_fft(SEXP z, SEXP dims, SEXP inverse) {
  SEXP result = PROTECT(Rf_duplicate(z)), n = PROTECT(Rf_coerceVector(dims, INTSXP));
  if (XLENGTH(result) > 0) {
    const status st = transform(Rf_length(n), INTEGER(n), (double *)COMPLEX(result), Rf_asLogical(inverse) == TRUE);
    if (st) engine_raise(st);
  }
  UNPROTECT(2);
  return result;
}

static void torus_dims(SEXP from, int64_t n[TORUS_DIM]) {
  for (int d = 0; d < TORUS_DIM; d++) n[d] = d < Rf_length(from) ? (int64_t)REAL(from)[d] : 1;
}

/* octant is changed: it is the caller's own. */
SEXP C_torusEven(SEXP octant, SEXP dims) {
  int64_t n[TORUS_DIM];
  torus_dims(dims, n);
  ENGINE_RUN("tbrf", torus_even(n, REAL(octant)));
  return octant;
}

/* into is changed from element at on, counted from 0; spectrum is a list of dims, folded and root. */
SEXP C_torusField(SEXP spectrum, SEXP kept, SEXP key, SEXP into, SEXP at) {
  torus t = {.folded = Rf_asLogical(vec_element(spectrum, "folded")) == TRUE,
             .root = REAL(vec_element(spectrum, "root"))};
  const uint32_t words[2] = {(uint32_t)REAL(key)[0], (uint32_t)REAL(key)[1]};
  torus_dims(vec_element(spectrum, "dims"), t.n);
  torus_dims(kept, t.kept);
  ENGINE_RUN("tbrf", torus_field(&t, words, REAL(into) + (R_xlen_t)Rf_asReal(at)));
  return R_NilValue;
}

/* Complex numbers of variance 2 for half a spectrum of these dims. */
SEXP C_torusNoise(SEXP dims, SEXP key) {
  int64_t n[TORUS_DIM];
  torus_dims(dims, n);
  const uint32_t words[2] = {(uint32_t)REAL(key)[0], (uint32_t)REAL(key)[1]};
  SEXP z = PROTECT(Rf_allocVector(CPLXSXP, (R_xlen_t)((n[0] / 2 + 1) * n[1] * n[2])));
  ENGINE_RUN("tbrf", torus_noise(n, words, (double *)COMPLEX(z)));
  UNPROTECT(1);
  return z;
}

/* z, half a spectrum, is overwritten: it is the caller's own. into is changed from element at on, counted from 0. */
SEXP C_torusWaves(SEXP z, SEXP dims, SEXP kept, SEXP into, SEXP at) {
  int64_t n[TORUS_DIM], some[TORUS_DIM];
  torus_dims(dims, n);
  torus_dims(kept, some);
  ENGINE_RUN("tbrf", torus_transform(n, some, (double *)COMPLEX(z), REAL(into) + (R_xlen_t)Rf_asReal(at)));
  return R_NilValue;
}
