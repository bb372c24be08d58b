/* tile_program.h: products, factors and inverses of tiles of 64 x 64 numbers by columns, as dense_tiles in
 * dense_levels.h has them, for one instruction set: configure has it compiled by src/engine/cpu_program.c for each.
 * A strip of some rows and four columns of the result stays in registers while the terms of a product pass. */
#include <float.h>

#include "dense/dense_levels.h"

enum { T = DENSE_TILE, COLUMNS = 4, PACKS = 2, ROWS = PACKS * PACK };

/* Products a b' have the elements of b for one term in a row, and products a b those of one column. */
#define STRIP(name, element)                                                                                 \
  DEV_FN void name(i32 terms, const real *a, const real *b, real *c, i32 column, i32 first) {                \
    for (i32 r = first; r < T; r += ROWS) {                                                                  \
      pack sum[PACKS][COLUMNS];                                                                              \
      UNROLLED for (i32 p = 0; p < PACKS; p++)                                                               \
        UNROLLED for (i32 j = 0; j < COLUMNS; j++) sum[p][j] = pack_in(c + (column + j) * T + r + p * PACK); \
      for (i32 k = 0; k < terms; k++) {                                                                      \
        pack v[PACKS];                                                                                       \
        UNROLLED for (i32 p = 0; p < PACKS; p++) v[p] = pack_in(a + k * T + r + p * PACK);                   \
        UNROLLED for (i32 j = 0; j < COLUMNS; j++) {                                                         \
          const real w = -(element);                                                                         \
          UNROLLED for (i32 p = 0; p < PACKS; p++) sum[p][j] = PACK_FMA(v[p], w, sum[p][j]);                 \
        }                                                                                                    \
      }                                                                                                      \
      UNROLLED for (i32 p = 0; p < PACKS; p++)                                                               \
        UNROLLED for (i32 j = 0; j < COLUMNS; j++) pack_out(sum[p][j], c + (column + j) * T + r + p * PACK); \
    }                                                                                                        \
  }
FUSE_FROM_HERE
STRIP(less_strip_by_rows, b[k * T + column + j])
STRIP(less_strip, b[(column + j) * T + k])
FUSE_TO_HERE

static void less_product_by_rows(const real *a, const real *b, real *c) {
  for (i32 j = 0; j < T; j += COLUMNS) less_strip_by_rows(T, a, b, c, j, 0);
}

static void less_product(const real *a, const real *b, real *c) {
  for (i32 j = 0; j < T; j += COLUMNS) less_strip(T, a, b, c, j, 0);
}

/* Column j of the strip from `column` on, less what the columns of the strip before it are times row j of l. */
DEV_FN void less_own(const real *l, real *c, i32 column, i32 j) {
  real *x = c + j * T;
  for (i32 k = column; k < j; k++) {
    const real w = l[k * T + j];
    const real *z = c + k * T;
    for (i32 r = 0; r < T; r++) x[r] -= w * z[r];
  }
}

static i32 factor(real *c) {
  for (i32 column = 0; column < T; column += COLUMNS) {
    less_strip_by_rows(column, c, c, c, column, column / ROWS * ROWS);
    for (i32 j = column; j < column + COLUMNS; j++) {
      less_own(c, c, column, j);
      const real pivot = c[j * T + j];
      if (!(pivot > 0 && pivot <= DBL_MAX)) return j + 1;
      const real root = sqrt(pivot);
      for (i32 r = 0; r < T; r++) c[j * T + r] = r < j ? 0 : c[j * T + r] / root;
    }
  }
  for (i32 j = 1; j < T; j++)
    for (i32 r = 0; r < j; r++) c[j * T + r] = 0;
  return 0;
}

static void divide(const real *l, real *c) {
  for (i32 column = 0; column < T; column += COLUMNS) {
    less_strip_by_rows(column, c, l, c, column, 0);
    for (i32 j = column; j < column + COLUMNS; j++) {
      less_own(l, c, column, j);
      const real pivot = l[j * T + j];
      for (i32 r = 0; r < T; r++) c[j * T + r] /= pivot;
    }
  }
}

static void invert_factor(real *l) {
  real inverse[T * T] = {0};
  for (i32 j = 0; j < T; j++) { /* columns of the identity by forward substitution */
    real *x = inverse + j * T;
    x[j] = 1;
    for (i32 k = j; k < T; k++) {
      x[k] /= l[k * T + k];
      for (i32 r = k + 1; r < T; r++) x[r] -= x[k] * l[k * T + r];
    }
  }
  memcpy(l, inverse, sizeof inverse);
}

static void multiply(const real *l, const real *x, real *y, int transposed) {
  if (transposed)
    for (i32 j = 0; j < T; j++) {
      real lane[8] = {0};
      for (i32 r = 0; r < T; r += 8)
        for (i32 k = 0; k < 8; k++) lane[k] += l[j * T + r + k] * x[r + k];
      y[j] -= ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    }
  else
    for (i32 j = 0; j < T; j++)
      for (i32 r = 0; r < T; r++) y[r] -= l[j * T + r] * x[j];
}

const dense_tiles DENSE_TILES(CPU_LEVEL) = {less_product_by_rows, less_product, factor, divide, invert_factor,
                                           multiply};
