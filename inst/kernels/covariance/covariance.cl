/* covariance.cl: covariances of one model at many locations: distances within tiles of a matrix, or given, and what
 * is wanted of each part of the model at them. Layout of par: covariance_par.h. */
#define COLUMN_STEP 0
#define RESULT_ARGS DEV_GLOBAL real *out, i32 at, i32 cap
#define RESULTS out, at, cap
#define RESULT(k) PLACES(out, k, 1, at, LANES, cap)
#include "kernels/covariance/covariance_pairs.h"

KERNEL(cov_given) {
  OVER_WHOLE_BLOCKS;
  DEV_GLOBAL const real *given = PLACES(in, 0, 1, at, LANES, cap);
  const i32 parts = (i32)par[COV_PARTS];
  real r[LANES];
  LANE_LOOP(l) r[l] = given[l] < 0 ? NAN_ : given[l];
  for (i32 p = 0; p < parts; p++) {
    DEV_GLOBAL const real *part = par + COV_HEAD + p * PART_SIZE;
    DEV_GLOBAL const real *want = par + (i32)part[PART_WANTS_AT];
    const i32 wants = (i32)part[PART_WANTS];
    real x[LANES], f[LANES], g[LANES], s[LANES];
    cov_scaled(part, r, x);
    if (part[PART_FUNCTION] == FUNCTION_DISTANCE) {
      DEV_GLOBAL real *to = PLACES(out, 0, 1, at, LANES, cap);
      LANE_LOOP(l) to[l] = x[l];
      continue;
    }
    cov_function(par, COV_TABLES, part, (i32)part[PART_NEEDS], x, f, g, s);
    for (i32 k = 0; k < wants; k++, want += WANT_SIZE)
      cov_put(want, p > 0, f, g, s, PLACES(out, (i32)want[WANT_COLUMN], 1, at, LANES, cap));
  }
}

#define TILE_SPACE                                                                                           \
  const i32 stride = (i32)HEAD(SPACE_ROWS_STRIDE), apart = (i32)HEAD(SPACE_COLUMNS_STRIDE);                  \
  const i32 dim = (i32)HEAD(SPACE_DIM);                                                                      \
  const real diameter = HEAD(SPACE_DIAMETER);                                                                \
  DEV_GLOBAL const real *rows = par + (i32)HEAD(SPACE_ROWS);                                                 \
  DEV_GLOBAL const real *all_columns = par + (i32)HEAD(SPACE_COLUMNS)

/* Where the lanes of a block stand in a matrix: locations of its rows and column. */
#define TILE_LANES                                                                                           \
  TILE_SPACE;                                                                                                \
  const i64 point = offset + at;                                                                             \
  const u32 within = (u32)(point % TILE_POINTS);                                                             \
  u32 tile_row, tile_column;                                                                                 \
  tile_position((u32)HEAD(TILES_SKIPPED) + (u32)(point / TILE_POINTS), (u32)HEAD(TILES_ROWS),                \
                HEAD(TILES_FOLDED) != 0, &tile_row, &tile_column);                                           \
  const i32 first_row = (i32)(tile_row * TILE + within % TILE);                                              \
  const i32 the_column = (i32)(tile_column * TILE + within / TILE);                                          \
  DEV_GLOBAL const real *row = rows + first_row, *column = all_columns + the_column

/* x of the only part */
#define PART(k) HEAD(COV_HEAD + (k))
#define ONE_X                                                                                                \
  TILE_LANES;                                                                                                \
  DEV_GLOBAL const real *map = 0;                                                                            \
  real r[LANES];                                                                                             \
  if (PART(PART_MAP) != 0) map = par + (i32)PART(PART_MAP);                                                  \
  if (diameter != 0) cov_sphere(row, stride, column, apart, diameter, HEAD(SPACE_CHORD), r);                 \
  else cov_norm(row, stride, column, apart, dim, map, r);                                                    \
  cov_scaled_by_all(PART(PART_SCALE), PART(PART_SCALE_LO), PART(PART_DIVISOR), r, x)

/* Blocks of many lanes have x in column 0 between two kernels, for compilers make faster code of two short ones. A
 * single lane has it in a register, in the second one, for that takes less memory traffic. */
KERNEL(cov_distance) {
  OVER_WHOLE_BLOCKS;
#if LANES > 1
  real x[LANES];
  ONE_X;
  LANES_OUT(0, x)
#endif
}

/* One thing that is wanted of the only part: most calls are such. */
HEAD_KERNEL(cov_one, COV_HEAD + PART_SIZE) {
  OVER_WHOLE_BLOCKS;
  DEV_GLOBAL const real *part = par + COV_HEAD;
  const real factor = HEAD(ONE_FACTOR);
  DEV_GLOBAL real *to = PLACES(out, 0, 1, at, LANES, cap);
  real x[LANES], f[LANES];
#if LANES > 1
  LANE_LOOP(l) x[l] = to[l];
#else
  ONE_X;
#endif
  const flag slope = HEAD(ONE_SLOPE) != 0;
  if (PART(PART_FUNCTION) == FUNCTION_TABLE) {
    if (slope) cov_table_columns(par, part, NEED_SLOPE, x, f, f, f);
    else cov_table_columns(par, part, NEED_VALUE, x, f, f, f);
  } else if (PART(PART_FUNCTION) == FUNCTION_FORM) {
    const i32 terms = (i32)PART(FORM_TERMS);
    cov_form(par + (i32)PART(FORM_AT) + (slope ? terms : 0), slope ? (i32)PART(FORM_SLOPE_TERMS) : terms, x, f);
  } else {
    real g[LANES], s[LANES];
    cov_function(par, COV_TABLES, part, (i32)PART(PART_NEEDS), x, f, g, s);
    if (slope) LANE_LOOP(l) f[l] = g[l];
  }
  const real at_zero = slope ? K(0.0) : PART(PART_AT_ZERO);
  LANE_LOOP(l) {
    const real v = x[l] == 0 ? at_zero : f[l];
    to[l] = factor * (x[l] != x[l] ? x[l] : v);
  }
}
#undef ONE_X
#undef PART

HEAD_KERNEL(cov_tile, COV_HEAD) {
  OVER_WHOLE_BLOCKS;
  TILE_LANES;
  cov_wanted(PAIR, out, at, cap);
}

/* Covariances of a row in each lane with all columns, times vectors of as many elements: sums over TILE columns at a
 * time are added to the columns of results, so that rounding grows with the tiles only. */
HEAD_KERNEL(cov_product, COV_HEAD) {
  OVER_WHOLE_BLOCKS;
  TILE_SPACE;
  const i32 columns = (i32)HEAD(PRODUCT_COLUMNS), vectors = (i32)HEAD(PRODUCT_VECTORS);
  DEV_GLOBAL const real *row = rows + (i32)offset + at;
  DEV_GLOBAL const real *vector = par + (i32)HEAD(PRODUCT_AT);
  for (i32 first = 0; first < columns; first += TILE) {
    const i32 last = first + TILE < columns ? first + TILE : columns;
    real sum[PRODUCT_MOST][LANES];
    OVER_FEW for (i32 k = 0; k < PRODUCT_MOST; k++) LANE_LOOP(l) sum[k][l] = 0;
    for (i32 j = first; j < last; j++) {
      DEV_GLOBAL const real *column = all_columns + j;
      real total[LANES], f[LANES], g[LANES], s[LANES];
      cov_total(PAIR, NEED_VALUE, f, g, s, total);
      OVER_FEW for (i32 k = 0; k < PRODUCT_MOST; k++)
        if (k < vectors) {
          const real v = vector[k * columns + j];
          LANE_LOOP(l) sum[k][l] = FMA(total[l], v, sum[k][l]);
        }
    }
    OVER_FEW for (i32 k = 0; k < PRODUCT_MOST; k++)
      if (k < vectors) {
        DEV_GLOBAL real *to = PLACES(out, k, 1, at, LANES, cap);
        if (first == 0) LANE_LOOP(l) to[l] = sum[k][l];
        else LANE_LOOP(l) to[l] = to[l] + sum[k][l];
      }
  }
}
