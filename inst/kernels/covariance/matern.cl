/* matern.cl: one function of distance at many locations: distances within tiles of a matrix, or given; then the
 * function, from a table or in closed form. Layout of par: matern_table.h. Steps after the first find x in OUT(0) and
 * leave the result there. */
#include "kernels/common/elementary.h"
#include "kernels/covariance/matern_table.h"

/* x of distances, to half an ulp: the host gives the scale as a sum of two. */
DEV_FN void matern_scaled(DEV_GLOBAL const real *par, const real *r, DEV_GLOBAL real *x) {
  const real hi = par[MATERN_SCALE], lo = par[MATERN_SCALE_LO], divisor = par[MATERN_DIVISOR];
  if (divisor != 0) {
    LANE_LOOP(l) x[l] = r[l] / divisor * hi;
    return;
  }
  LANE_LOOP(l) {
    real e;
    const real p = two_prod(r[l], hi, &e), sum = p + FMA(r[l], lo, e);
    x[l] = max_(r[l], p) < LARGE_ ? sum : p; /* two_prod() has its limits, and Inf - Inf is not wanted */
  }
}

KERNEL(matern_scale) {
  OVER_WHOLE_BLOCKS;
  DEV_GLOBAL const real *given = PLACES(in, 0, 1, at, LANES, cap);
  real r[LANES];
  LANE_LOOP(l) r[l] = given[l] < 0 ? NAN_ : given[l];
  matern_scaled(par, r, PLACES(out, 0, 1, at, LANES, cap));
}

/* Halves of chords on the unit sphere, or of angles, by the haversine: differences of degrees keep the digits of
 * close points. cos^2 of half an angle is |u + v|^2/4 of the points u and v, which keeps those of antipodes. */
DEV_FN void matern_sphere(DEV_GLOBAL const real *row, i32 stride, DEV_GLOBAL const real *column, i32 apart,
                          real chord, real *angle) {
  const real lon = column[SPHERE_LON * apart], lat = column[SPHERE_LAT * apart];
  const real cos_lat = column[SPHERE_COS_LAT * apart], x = column[SPHERE_X * apart];
  const real y = column[(SPHERE_X + 1) * apart], z = column[(SPHERE_X + 2) * apart];
  real a[LANES], b[LANES];
  LANE_LOOP(l) a[l] = sinpi_((row[SPHERE_LAT * stride + l] - lat) / 360);
  LANE_LOOP(l) b[l] = sinpi_((row[SPHERE_LON * stride + l] - lon) / 360);
  LANE_LOOP(l) angle[l] = sqrt(FMA(row[SPHERE_COS_LAT * stride + l] * cos_lat, b[l] * b[l], a[l] * a[l]));
  if (chord != 0) return;
  LANE_LOOP(l) {
    const real sx = row[SPHERE_X * stride + l] + x, sy = row[(SPHERE_X + 1) * stride + l] + y;
    const real sz = row[(SPHERE_X + 2) * stride + l] + z;
    a[l] = K(0.5) * sqrt(FMA(sx, sx, FMA(sy, sy, sz * sz)));
  }
  LANE_LOOP(l) angle[l] = atan2_(angle[l], a[l]);
}

/* Square of the Euclidean norm of the mapped difference. */
DEV_FN void matern_square(DEV_GLOBAL const real *row, i32 stride, DEV_GLOBAL const real *column, i32 apart, i32 dim,
                          DEV_GLOBAL const real *map, real *square) {
  LANE_LOOP(l) square[l] = 0;
  for (i32 i = 0; i < dim; i++) {
    real y[LANES];
    if (map) {
      LANE_LOOP(l) y[l] = 0;
      for (i32 k = 0; k < dim; k++) {
        const real c = column[k * apart], weight = map[i * dim + k];
        LANE_LOOP(l) y[l] = FMA(weight, row[k * stride + l] - c, y[l]);
      }
    } else {
      const real c = column[i * apart];
      LANE_LOOP(l) y[l] = row[i * stride + l] - c;
    }
    LANE_LOOP(l) square[l] = FMA(y[l], y[l], square[l]);
  }
}

KERNEL(matern_tile) {
  OVER_WHOLE_BLOCKS;
  const i64 point = offset + at;
  const u32 within = (u32)(point % TILE_POINTS);
  u32 tile_row, tile_column;
  tile_position((u32)par[TILES_SKIPPED] + (u32)(point / TILE_POINTS), (u32)par[TILES_ROWS], par[TILES_FOLDED] != 0,
             &tile_row, &tile_column);
  const i32 first_row = (i32)(tile_row * TILE + within % TILE);
  const i32 the_column = (i32)(tile_column * TILE + within / TILE);
  const i32 stride = (i32)par[SPACE_ROWS_STRIDE], apart = (i32)par[SPACE_COLUMNS_STRIDE];
  DEV_GLOBAL const real *row = par + (i32)par[SPACE_ROWS] + first_row;
  DEV_GLOBAL const real *column = par + (i32)par[SPACE_COLUMNS] + the_column;
  const real diameter = par[SPACE_DIAMETER];
  real r[LANES];
  if (diameter != 0) {
    matern_sphere(row, stride, column, apart, par[SPACE_CHORD], r);
    LANE_LOOP(l) r[l] *= diameter;
  } else {
    const i32 map = (i32)par[SPACE_MAP];
    matern_square(row, stride, column, apart, (i32)par[SPACE_DIM], map ? par + map : 0, r);
    LANE_LOOP(l) r[l] = sqrt(r[l]);
  }
  matern_scaled(par, r, PLACES(out, 0, 1, at, LANES, cap));
}

/* The coefficients of a cell are one line of memory; a block's are brought together before the lanes read across. */
KERNEL(matern_table) {
  OVER_WHOLE_BLOCKS;
  const real factor = par[MATERN_FACTOR], at_zero = par[MATERN_AT_ZERO], low = par[TABLE_LOW], high = par[TABLE_HIGH];
  const real below = par[TABLE_BELOW], above = par[TABLE_ABOVE];
  const i32 bits = (i32)par[TABLE_BITS], first = (i32)par[TABLE_FIRST], last = (i32)par[TABLE_CELLS] - 1;
  const word rest = shl_(1, EXPONENT_AT_ - bits) - 1;
  const real middle = 1 + real_of(sub_(ONE_BITS_, shl_(bits + 1, EXPONENT_AT_)));
  DEV_GLOBAL const real *cells = par + (i32)par[TABLE_AT];
  DEV_GLOBAL real *value = PLACES(out, 0, 1, at, LANES, cap);
  real x[LANES], u[LANES], c[LANES][CELL_TERMS];
  i32 cell[LANES];
  LANE_LOOP(l) {
    const word b = bits_of(value[l]);
    const i32 k = (i32)((uword)b >> (EXPONENT_AT_ - bits)) - first, capped = k > last ? last : k;
    x[l] = value[l];
    cell[l] = (capped < 0 ? 0 : capped) * CELL_TERMS;
    u[l] = real_of((b & rest) | ONE_BITS_) - middle;
  }
  for (i32 l = 0; l < LANES; l++) copy_reals(c[l], cells + cell[l], CELL_TERMS);
  LANE_LOOP(l) {
    real p = c[l][CELL_TERMS - 1];
#if !SINGLE
    p = FMA(p, u[l], c[l][6]);
    p = FMA(p, u[l], c[l][5]);
    p = FMA(p, u[l], c[l][4]);
    p = FMA(p, u[l], c[l][3]);
#endif
    p = FMA(p, u[l], c[l][2]);
    p = FMA(p, u[l], c[l][1]);
    u[l] = FMA(p, u[l], c[l][0]);
  }
  if (par[TABLE_SCALED] == 0 && high <= EXP_CORE_MOST_) LANE_LOOP(l) u[l] = exp_times_core_(-x[l], u[l]);
  if (par[TABLE_SCALED] == 0 && high > EXP_CORE_MOST_) LANE_LOOP(l) u[l] = exp_times_far_(-x[l], u[l]);
  LANE_LOOP(l) {
    const flag is_low = x[l] < low, is_high = x[l] >= high, is_zero = x[l] == 0, is_nan = x[l] != x[l];
    const real a = is_low ? below : u[l], b = is_high ? above : a, z = is_zero ? at_zero : b;
    value[l] = factor * (is_nan ? x[l] : z);
  }
}

KERNEL(matern_form) {
  OVER_WHOLE_BLOCKS;
  const real factor = par[MATERN_FACTOR], at_zero = par[MATERN_AT_ZERO];
  const i32 top = (i32)par[FORM_TERMS] - 1;
  DEV_GLOBAL const real *c = par + (i32)par[FORM_AT];
  DEV_GLOBAL real *value = PLACES(out, 0, 1, at, LANES, cap);
  const real leading = c[top];
  real x[LANES], p[LANES];
  LANE_LOOP(l) {
    x[l] = value[l] > FORM_FAR ? FORM_FAR : value[l];
    p[l] = leading;
  }
  for (i32 k = top - 1; k >= 0; k--) {
    const real next = c[k];
    LANE_LOOP(l) p[l] = FMA(p[l], x[l], next);
  }
  LANE_LOOP(l) p[l] = exp_times_far_(-x[l], p[l]);
  LANE_LOOP(l) value[l] = factor * (x[l] == 0 ? at_zero : p[l]);
}
