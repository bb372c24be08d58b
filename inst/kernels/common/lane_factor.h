/* lane_factor.h: Cholesky factors of small matrices, one in each lane: element (i, j) of the lower triangle, by rows,
 * is `cap` numbers after the one before it. */
#ifndef STATCL_LANE_FACTOR_H
#define STATCL_LANE_FACTOR_H

#include "kernels/common/dialect.h"

/* Blocks of the factor are in registers, with two operands for each row: the number of rows is a multiple of it. */
#define LANE_BLOCK_MOST 4
#if !(defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)) && VECTOR_BYTES < 64
#define LANE_BLOCK 3
#else
#define LANE_BLOCK LANE_BLOCK_MOST
#endif
#define BLOCK_LOOP(i) UNROLLED for (i32 i = 0; i < LANE_BLOCK; i++)

DEV_FN i32 row_at(i32 i) { return i * (i + 1) / 2; }

/* 1/sqrt of pivots; 1, and bad unless it is the last one, where they are not positive */
DEV_FN pack lane_pivot(pack v, flag last, real *bad) {
  real pivot[PACK];
  pack_out(v, pivot);
  LANE_LOOP_OF(PACK, l) {
    const flag sound = pivot[l] > 0;
    bad[l] = (sound | last) ? bad[l] : 1;
    pivot[l] = 1 / sqrt(sound ? pivot[l] : K(1));
  }
  return pack_in(pivot);
}

/* In place, block after block of rows, with inverses of the roots of pivots on the diagonal; the last pivot to
 * `variance`. bad: where another was not positive. */
FUSE_FROM_HERE
DEV_BLOCK_FN void lane_factor(DEV_GLOBAL real *lanes, i32 cap, i32 places, DEV_GLOBAL real *variance, real *bad) {
  FUSE
  for (i32 lane = 0; lane < LANES; lane += PACK) {
    DEV_GLOBAL real *factor = lanes + lane;
    for (i32 i0 = 0; i0 < places; i0 += LANE_BLOCK) {
      DEV_GLOBAL real *rows[LANE_BLOCK];
      BLOCK_LOOP(i) rows[i] = factor + row_at(i0 + i) * cap;
      for (i32 j0 = 0; j0 < i0; j0 += LANE_BLOCK) {
        DEV_GLOBAL const real *columns[LANE_BLOCK];
        pack c[LANE_BLOCK][LANE_BLOCK];
        BLOCK_LOOP(j) columns[j] = factor + row_at(j0 + j) * cap;
        BLOCK_LOOP(i) BLOCK_LOOP(j) c[i][j] = pack_in(rows[i] + (j0 + j) * cap);
        for (i32 k = 0; k < j0; k++) {
          pack a[LANE_BLOCK];
          BLOCK_LOOP(i) a[i] = -pack_in(rows[i] + k * cap);
          BLOCK_LOOP(j) {
            const pack b = pack_in(columns[j] + k * cap);
            BLOCK_LOOP(i) c[i][j] = PACK_FMA(a[i], b, c[i][j]);
          }
        }
        BLOCK_LOOP(j) {
          UNROLLED for (i32 k = 0; k < j; k++) {
            const pack b = pack_in(columns[j] + (j0 + k) * cap);
            BLOCK_LOOP(i) c[i][j] = PACK_FMA(-c[i][k], b, c[i][j]);
          }
          const pack inverse = pack_in(columns[j] + (j0 + j) * cap);
          BLOCK_LOOP(i) c[i][j] = c[i][j] * inverse;
          BLOCK_LOOP(i) pack_out(c[i][j], rows[i] + (j0 + j) * cap);
        }
      }
      pack c[LANE_BLOCK][LANE_BLOCK];
      BLOCK_LOOP(i) UNROLLED for (i32 j = 0; j <= i; j++) c[i][j] = pack_in(rows[i] + (i0 + j) * cap);
      for (i32 k = 0; k < i0; k++) {
        pack a[LANE_BLOCK];
        BLOCK_LOOP(i) a[i] = pack_in(rows[i] + k * cap);
        BLOCK_LOOP(i) UNROLLED for (i32 j = 0; j <= i; j++) c[i][j] = PACK_FMA(-a[i], a[j], c[i][j]);
      }
      BLOCK_LOOP(j) {
        UNROLLED for (i32 k = 0; k < j; k++)
          UNROLLED for (i32 i = j; i < LANE_BLOCK; i++) c[i][j] = PACK_FMA(-c[i][k], c[j][k], c[i][j]);
        const flag last = i0 + j + 1 == places;
        if (last) pack_out(c[j][j], variance + lane);
        c[j][j] = lane_pivot(c[j][j], last, bad + lane);
        UNROLLED for (i32 i = j + 1; i < LANE_BLOCK; i++) c[i][j] = c[i][j] * c[j][j];
      }
      BLOCK_LOOP(i) UNROLLED for (i32 j = 0; j <= i; j++) pack_out(c[i][j], rows[i] + (i0 + j) * cap);
    }
  }
}
FUSE_TO_HERE

#endif
