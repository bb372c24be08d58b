/* r_bands.c: sums over lines between R and the engine (src/field/bands.h). R has checked the arguments. */
#include "field/r_bands.h"

#include "field/bands.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

static SEXP result_of(double n) {
  if (n > (double)R_XLEN_T_MAX) engine_raise(fail(STATUS_MEMORY, "tbrf: %g values are too many", n));
  return vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)n));
}

static void key_of(SEXP key, uint32_t words[2]) {
  for (int k = 0; k < 2; k++) words[k] = (uint32_t)REAL(key)[k];
}

static band_places places_of(SEXP x) {
  return (band_places){Rf_nrows(x), Rf_ncols(x), REAL(x)};
}

static band_lines lines_of(SEXP k, SEXP phase, SEXP amplitude) {
  return (band_lines){Rf_nrows(k), REAL(k), REAL(phase), REAL(amplitude)};
}

SEXP C_bandUniforms(SEXP key, SEXP n, SEXP stream) {
  uint32_t words[2];
  SEXP result = PROTECT(result_of(Rf_asReal(n)));
  key_of(key, words);
  ENGINE_RUN("tbrf", band_uniforms(words, Rf_asReal(stream), XLENGTH(result), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_bandNoise(SEXP x, SEXP key) {
  uint32_t words[2];
  SEXP result = PROTECT(result_of(Rf_nrows(x)));
  key_of(key, words);
  ENGINE_RUN("tbrf", band_noise(places_of(x), words, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_bandPoints(SEXP x, SEXP k, SEXP phase, SEXP amplitude) {
  SEXP result = PROTECT(result_of(Rf_nrows(x)));
  ENGINE_RUN("tbrf", band_sum(places_of(x), lines_of(k, phase, amplitude), REAL(result)));
  UNPROTECT(1);
  return result;
}

/* cosine, sine: a row for each line, a column for each result. */
SEXP C_bandWaves(SEXP x, SEXP k, SEXP phase, SEXP cosine, SEXP sine) {
  const int columns = Rf_ncols(cosine);
  const double n = Rf_nrows(x);
  double *out[BAND_DIM];
  SEXP result = PROTECT(result_of(n * columns));
  for (int j = 0; j < columns; j++) out[j] = REAL(result) + j * (R_xlen_t)n;
  ENGINE_RUN("tbrf", band_sum_of_waves(places_of(x), lines_of(k, phase, cosine), REAL(sine), columns, out));
  UNPROTECT(1);
  return result;
}

/* phase, amplitude: a row for each line, a column for each result. */
SEXP C_bandGrid(SEXP axes, SEXP k, SEXP phase, SEXP amplitude) {
  const int dim = Rf_length(axes);
  int64_t n[BAND_DIM];
  const double *axis[BAND_DIM];
  double size = 1;
  for (int d = 0; d < dim; d++) {
    n[d] = XLENGTH(VECTOR_ELT(axes, d));
    axis[d] = REAL(VECTOR_ELT(axes, d));
    size *= (double)n[d];
  }
  const int columns = Rf_ncols(amplitude);
  SEXP result = PROTECT(result_of(size * columns));
  band_lines lines = lines_of(k, phase, amplitude);
  for (int j = 0; j < columns; j++, lines.phase += lines.n, lines.amplitude += lines.n)
    ENGINE_RUN("tbrf", band_sum_on_mesh(dim, n, axis, lines, REAL(result) + j * (R_xlen_t)size));
  UNPROTECT(1);
  return result;
}

SEXP C_bandTable(SEXP x, SEXP u, SEXP table, SEXP origin, SEXP step, SEXP block) {
  const band_tables tables = {Rf_ncols(table), Rf_nrows(table),  REAL(u), REAL(table), Rf_asReal(origin),
                              Rf_asReal(step), (int64_t)Rf_asReal(block)};
  SEXP result = PROTECT(result_of(Rf_nrows(x)));
  ENGINE_RUN("tbrf", band_sum_of_tables(places_of(x), tables, REAL(result)));
  UNPROTECT(1);
  return result;
}
