/* tile_program.h: products, factors and inverses of tiles of 64 x 64 numbers by columns, as dense_tiles in
 * dense_levels.h has them, for one instruction set: configure has it compiled by src/engine/cpu_program.c for each.
 * A block of some rows and columns of the result stays in registers while the terms of a product pass, which are
 * fused: all that is a product plus a sum here may be. */
#include <float.h>

#include "dense/dense_levels.h"

/* As many sums as hide what a fused multiplication takes, and as there are registers for: PACKS packs of rows, and
 * COLUMNS columns or, in whole products, WIDE. */
#if defined(__aarch64__)
enum { PACKS = 4, WIDE = 4 };
#else
enum { PACKS = PACK == 8 ? 4 : 2, WIDE = PACK == 4 ? 6 : 4 };
#endif
enum { T = DENSE_TILE, COLUMNS = 4, ROWS = PACKS * PACK };

/* The block of c from (r, column) on, less the terms from ... to - 1 of a product of a and b', or of a and b:
 * `element` is that of the latter. In a whole product c takes its place, and meanwhile some of the tile `ahead` comes
 * nearer, as memory is slower. */
#define BLOCK(name, columns, element)                                                                        \
  DEV_FN void name(const real *a, const real *b, const real *c, i32 r, i32 column, i32 from, i32 to,         \
                   pack sum[PACKS][columns]) {                                                               \
    FUSE                                                                                                     \
    UNROLLED for (i32 p = 0; p < PACKS; p++)                                                                 \
      UNROLLED for (i32 j = 0; j < columns; j++) sum[p][j] = pack_in(c + (column + j) * T + r + p * PACK);   \
    for (i32 k = from; k < to; k++) {                                                                        \
      pack v[PACKS];                                                                                         \
      UNROLLED for (i32 p = 0; p < PACKS; p++) v[p] = pack_in(a + k * T + r + p * PACK);                     \
      UNROLLED for (i32 j = 0; j < columns; j++)                                                             \
        UNROLLED for (i32 p = 0; p < PACKS; p++) sum[p][j] -= v[p] * (element);                              \
    }                                                                                                        \
  }                                                                                                          \
  DEV_FN void name##_whole(const real *a, const real *b, real *c, i32 r, i32 column, const real *ahead) {    \
    enum { LINE = 8 };                                                                                       \
    pack sum[PACKS][columns];                                                                                \
    for (i32 k = 0; k < ROWS * columns; k += LINE) __builtin_prefetch(ahead + r * T + column * ROWS + k);    \
    name(a, b, c, r, column, 0, T, sum);                                                                     \
    UNROLLED for (i32 j = 0; j < columns; j++)                                                               \
      UNROLLED for (i32 p = 0; p < PACKS; p++) pack_out(sum[p][j], c + (column + j) * T + r + p * PACK);     \
  }
FUSE_FROM_HERE
BLOCK(block_by_rows, COLUMNS, b[k * T + column + j])
BLOCK(block_by_columns, COLUMNS, b[(column + j) * T + k])
BLOCK(wide_by_rows, WIDE, b[k * T + column + j])
BLOCK(wide_by_columns, WIDE, b[(column + j) * T + k])

DEV_FN void block_out(pack sum[PACKS][COLUMNS], real *c, i32 r, i32 column) {
  UNROLLED for (i32 j = 0; j < COLUMNS; j++)
    UNROLLED for (i32 p = 0; p < PACKS; p++) pack_out(sum[p][j], c + (column + j) * T + r + p * PACK);
}

#define PRODUCT(name, block, wide)                                                                           \
  static void name(const real *a, const real *b, real *c, i32 rows, const real *ahead) {                     \
    for (i32 r = 0; r < rows; r += ROWS) {                                                                   \
      i32 column = 0;                                                                                        \
      for (; column + WIDE <= T; column += WIDE) wide##_whole(a, b, c, r, column, ahead);                    \
      for (; column < T; column += COLUMNS) block##_whole(a, b, c, r, column, ahead);                        \
    }                                                                                                        \
  }
PRODUCT(less_product_by_rows, block_by_rows, wide_by_rows)
PRODUCT(less_product, block_by_columns, wide_by_columns)

/* Column j less what the columns before it, from `column` on, are times row j. */
DEV_FN void less_own(real *c, i32 column, i32 j) {
  FUSE
  real *x = c + j * T;
  for (i32 k = column; k < j; k++) {
    const real w = c[k * T + j];
    const real *z = c + k * T;
    for (i32 r = 0; r < T; r++) x[r] -= w * z[r];
  }
}

static i32 factor(real *c, i32 rows, const real *least) {
  for (i32 column = 0; column < rows; column += COLUMNS) {
    for (i32 r = column / ROWS * ROWS; r < rows; r += ROWS) {
      pack sum[PACKS][COLUMNS];
      block_by_rows(c, c, c, r, column, 0, column, sum);
      block_out(sum, c, r, column);
    }
    for (i32 j = column; j < column + COLUMNS; j++) {
      less_own(c, column, j);
      const real pivot = c[j * T + j];
      if (!(pivot > least[j] && pivot <= DBL_MAX)) return j + 1;
      const real root = sqrt(pivot);
      for (i32 r = 0; r < T; r++) c[j * T + r] = r < j ? 0 : c[j * T + r] / root;
    }
  }
  for (i32 j = 1; j < T; j++)
    for (i32 r = 0; r < j; r++) c[j * T + r] = 0;
  return 0;
}

/* Of the columns of a block less all others: `before` says that column k is known when j is made. */
#define DIVIDED(order, before, element)                                                                      \
  UNROLLED for (i32 own = 0; own < COLUMNS; own++) {                                                         \
    const i32 j = order;                                                                                     \
    UNROLLED for (i32 k = 0; k < COLUMNS; k++)                                                               \
      UNROLLED for (i32 p = 0; p < PACKS; p++)                                                               \
        if (before) sum[p][j] -= sum[p][k] * (element);                                                      \
    UNROLLED for (i32 p = 0; p < PACKS; p++) sum[p][j] /= l[(column + j) * (T + 1)];                         \
  }

static void divide(const real *l, real *c, i32 rows) {
  FUSE
  for (i32 r = 0; r < rows; r += ROWS)
    for (i32 column = 0; column < T; column += COLUMNS) {
      pack sum[PACKS][COLUMNS];
      block_by_rows(c, l, c, r, column, 0, column, sum);
      DIVIDED(own, k < j, l[(column + k) * T + column + j])
      block_out(sum, c, r, column);
    }
}

static void divide_transposed(const real *l, real *c, i32 rows) {
  FUSE
  for (i32 r = 0; r < rows; r += ROWS)
    for (i32 column = T - COLUMNS; column >= 0; column -= COLUMNS) {
      pack sum[PACKS][COLUMNS];
      block_by_columns(c, l, c, r, column, column + COLUMNS, T, sum);
      DIVIDED(COLUMNS - 1 - own, k > j, l[(column + j) * T + column + k])
      block_out(sum, c, r, column);
    }
}

static void invert_factor(real *l) {
  FUSE
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
  FUSE
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

FUSE_TO_HERE

const dense_tiles DENSE_TILES(CPU_LEVEL) = {less_product_by_rows, less_product, factor, divide, divide_transposed,
                                           invert_factor, multiply};
