/* bands.h: random fields as sums over lines, on any device (inst/kernels/field/bands.cl). */
#ifndef STATCL_BANDS_H
#define STATCL_BANDS_H

#include "engine/backend.h"

/* Points have dim coordinates, up to BAND_DIM, one column of n after another. */
enum { BAND_DIM = 3 };
typedef struct {
  int64_t n;
  int dim;
  const double *x;
} band_locations;

/* Cosines amplitude cos(2 pi (k . x + phase)); k has a column of n for each dimension. They may be some of more
 * lines, which are summed one lot after the other, with the bits of all at once: before and after are the numbers of
 * the others, of which the former must be a multiple of BAND_LOT, and out has the sum of those before. Sums of one
 * result at locations, and on one axis, besides need the amplitude of the line before, and in group as many numbers
 * as out has, which are kept from lot to lot. */
enum { BAND_LOT = 1024 };
typedef struct {
  int64_t n;
  const double *k, *phase, *amplitude;
  int64_t before, after;
  double last;
  double *group;
} band_lines;

/* Numbers first, ..., first + n - 1 of a stream of uniforms, a number below 2^31. */
status band_uniforms(const uint32_t key[2], double stream, int64_t first, int64_t n, double *out);

/* Standard normals that coordinates and key tell: equal locations, equal normals. */
status band_noise(band_locations x, const uint32_t key[2], double *out);

/* The sum of the lines at locations; and on the mesh of dim axes with so many coordinates each, the first fastest. */
status band_sum(band_locations x, band_lines lines, double *out);
status band_sum_on_mesh(int dim, const int64_t *n, const double *const *axis, band_lines lines, double *out);

/* The same with coefficients of each line for each of one to three results, in columns of lines.n for one result
 * after the other: of its cosine in lines.amplitude, of its sine in sine, which one result does not have. */
status band_sum_of_waves(band_locations x, band_lines lines, const double *sine, int columns, double *const *out);

/* The sum of tables: entry j of one is its value at origin + j step along its direction, and the nearest counts. u
 * has a column of lines for each dimension. block: tables that are looked up in one pass over the points; 0: as many
 * as a cache holds. */
typedef struct {
  int64_t lines, entries;
  const double *u, *values;
  double origin, step;
  int64_t block;
} band_tables;
status band_sum_of_tables(band_locations x, band_tables tables, double *out);

#endif
