/* r_bands.c: sums over lines between R and the engine (src/field/bands.h). R has checked the arguments. */
#include "field/r_bands.h"

#include <string.h>

#include "field/bands.h"
#include "field/truncated.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

static SEXP result_of(double n) {
  if (n > (double)R_XLEN_T_MAX) engine_raise(fail(STATUS_MEMORY, "tbrf: %g values are too many", n));
  return vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)n));
}

static void key_of(SEXP key, uint32_t words[2]) {
  for (int k = 0; k < 2; k++) words[k] = (uint32_t)REAL(key)[k];
}

static band_locations locations_of(SEXP x) {
  return (band_locations){Rf_nrows(x), Rf_ncols(x), REAL(x)};
}

/* waves: a list of k, phase and amplitude. lot: NULL for all lines, or those before and after, the amplitude of the
 * line before, and room. */
static band_lines lines_of(SEXP waves, SEXP lot) {
  SEXP k = vec_element(waves, "k");
  band_lines lines = {.n = Rf_nrows(k), .k = REAL(k), .phase = REAL(vec_element(waves, "phase")),
                      .amplitude = REAL(vec_element(waves, "amplitude"))};
  if (Rf_isNull(lot)) return lines;
  lines.before = (int64_t)Rf_asReal(VECTOR_ELT(lot, 0));
  lines.after = (int64_t)Rf_asReal(VECTOR_ELT(lot, 1));
  lines.last = Rf_asReal(VECTOR_ELT(lot, 2));
  lines.group = REAL(VECTOR_ELT(lot, 3));
  return lines;
}

SEXP C_bandUniforms(SEXP key, SEXP n, SEXP stream, SEXP first) {
  uint32_t words[2];
  SEXP result = PROTECT(result_of(Rf_asReal(n)));
  key_of(key, words);
  ENGINE_RUN("tbrf", band_uniforms(words, Rf_asReal(stream), (int64_t)Rf_asReal(first), XLENGTH(result),
                                   REAL(result)));
  UNPROTECT(1);
  return result;
}

/* ---- fields, in vectors that R has made for them: from element at on, counted from 0 ---- */

SEXP C_bandRoom(SEXP n) { /* of zeros */
  SEXP result = PROTECT(result_of(Rf_asReal(n)));
  if (XLENGTH(result)) memset(REAL(result), 0, (size_t)XLENGTH(result) * sizeof(double));
  UNPROTECT(1);
  return result;
}

static double *room_at(SEXP into, SEXP at) { return REAL(into) + (R_xlen_t)Rf_asReal(at); }

/* x: n values, or one for all */
SEXP C_bandAdd(SEXP into, SEXP at, SEXP x, SEXP n) {
  double *to = room_at(into, at);
  const double *from = REAL(x);
  const R_xlen_t size = (R_xlen_t)Rf_asReal(n), step = XLENGTH(x) > 1;
  for (R_xlen_t i = 0; i < size; i++) to[i] += from[i * step];
  return R_NilValue;
}

SEXP C_bandPut(SEXP into, SEXP at, SEXP x, SEXP n) {
  memcpy(room_at(into, at), REAL(x), (size_t)Rf_asReal(n) * sizeof(double));
  return R_NilValue;
}

SEXP C_bandDress(SEXP value, SEXP attributes) {
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(attributes); i++)
    Rf_setAttrib(value, Rf_installTrChar(STRING_ELT(names, i)), VECTOR_ELT(attributes, i));
  return value;
}

SEXP C_bandNoise(SEXP x, SEXP key) {
  uint32_t words[2];
  SEXP result = PROTECT(result_of(Rf_nrows(x)));
  key_of(key, words);
  ENGINE_RUN("tbrf", band_noise(locations_of(x), words, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_bandPoints(SEXP x, SEXP waves, SEXP lot, SEXP into, SEXP at) {
  const band_lines lines = lines_of(waves, lot);
  double *out = room_at(into, at);
  ENGINE_RUN("tbrf", band_sum(locations_of(x), lines, out));
  return R_NilValue;
}

/* The amplitudes of the waves are those of their cosines, with a row for each line and a column for each result, as
 * `sine` has them, too, or a single 0. */
SEXP C_bandWaves(SEXP x, SEXP waves, SEXP lot, SEXP into, SEXP at) {
  const int columns = Rf_ncols(vec_element(waves, "amplitude"));
  double *out[BAND_DIM];
  const band_lines lines = lines_of(waves, lot);
  const double *sine = REAL(vec_element(waves, "sine"));
  for (int j = 0; j < columns; j++) out[j] = room_at(into, at) + j * (R_xlen_t)Rf_nrows(x);
  ENGINE_RUN("tbrf", band_sum_of_waves(locations_of(x), lines, sine, columns, out));
  return R_NilValue;
}

/* Phases and amplitudes have a row for each line, a column for each result. */
SEXP C_bandGrid(SEXP axes, SEXP waves, SEXP lot, SEXP into, SEXP at) {
  const int dim = Rf_length(axes), columns = Rf_ncols(vec_element(waves, "amplitude"));
  int64_t n[BAND_DIM];
  const double *axis[BAND_DIM];
  double *out = room_at(into, at);
  R_xlen_t size = 1;
  for (int d = 0; d < dim; d++) {
    n[d] = XLENGTH(VECTOR_ELT(axes, d));
    axis[d] = REAL(VECTOR_ELT(axes, d));
    size *= n[d];
  }
  band_lines lines = lines_of(waves, lot);
  for (int j = 0; j < columns; j++, lines.phase += lines.n, lines.amplitude += lines.n, out += size)
    ENGINE_RUN("tbrf", band_sum_on_mesh(dim, n, axis, lines, out));
  return R_NilValue;
}

SEXP C_bandTable(SEXP x, SEXP u, SEXP table, SEXP origin, SEXP step, SEXP block) {
  const band_tables tables = {Rf_ncols(table), Rf_nrows(table),  REAL(u), REAL(table), Rf_asReal(origin),
                              Rf_asReal(step), (int64_t)Rf_asReal(block)};
  SEXP result = PROTECT(result_of(Rf_nrows(x)));
  ENGINE_RUN("tbrf", band_sum_of_tables(locations_of(x), tables, REAL(result)));
  UNPROTECT(1);
  return result;
}

/* A column of z and of velocities p for each chain, between limits of its own. */
SEXP C_bandTruncated(SEXP z, SEXP p, SEXP covariance, SEXP lower, SEXP upper) {
  const R_xlen_t n = Rf_nrows(covariance), chains = n ? XLENGTH(z) / n : 0;
  SEXP result = PROTECT(Rf_duplicate(z)), velocity = PROTECT(Rf_duplicate(p)), start = PROTECT(result_of((double)n));
  status st = STATUS_OK;
  engine_begin("tbrf");
  for (R_xlen_t k = 0; k < chains && !st; k++) {
    const R_xlen_t at = k * n;
    st = truncated_step(n, REAL(covariance), REAL(lower) + at, REAL(upper) + at, 50 + 10 * n, REAL(result) + at,
                        REAL(velocity) + at, REAL(start), engine_pause);
  }
  engine_end(st);
  UNPROTECT(3);
  return result;
}
