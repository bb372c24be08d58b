/* matern_table.h: layout of par for covariances: a head, then what it points to (positions in par, counted in doubles).
 *
 * Cells: 2^bits per octave of x, named by exponent and leading mantissa bits; cell number first is the lowest. Each
 * has CELL_TERMS coefficients in powers of the rest of the mantissa, counted from the cell's middle. The polynomial
 * is F(x) exp(x), so that one degree serves from x << 1 to x >> 1 (F as in src/covariance/matern_function.h).
 *
 * Tiles: a matrix is cut into tiles of TILE x TILE entries, and a task's points are the entries of one tile after
 * another, columns within a tile. All tiles, column by column; or for a symmetric matrix those of the lower triangle,
 * where a long column of tiles and a short one, the q-th from either side, make one of rows + 1 tiles. */
#ifndef STATCL_MATERN_TABLE_H
#define STATCL_MATERN_TABLE_H

#include "kernels/common/dialect.h"

#define CELL_TERMS_DOUBLE 8
#define CELL_TERMS_SINGLE 4
#if SINGLE
#define CELL_TERMS CELL_TERMS_SINGLE
#define FORM_FAR K(200.0)  /* closed forms are 0 or far too small there, and their polynomials finite */
#else
#define CELL_TERMS CELL_TERMS_DOUBLE
#define FORM_FAR K(1e4)
#endif
#define TILE 64
#define TILE_POINTS (TILE * TILE)

#define MATERN_FACTOR 0   /* of all results */
#define MATERN_AT_ZERO 1  /* F(0) */
#define MATERN_SCALE 2    /* x = r scale, scale as hi + lo; ... */
#define MATERN_SCALE_LO 3
#define MATERN_DIVISOR 4  /* ... or r / divisor hi, where it is not 0 */
#define TABLE_BITS 5
#define TABLE_FIRST 6
#define TABLE_CELLS 7
#define TABLE_AT 8
#define TABLE_LOW 9       /* from there ... */
#define TABLE_HIGH 10     /* ... to below this x */
#define TABLE_BELOW 11    /* F where 0 < x < low, NaN: unknown */
#define TABLE_ABOVE 12
#define FORM_TERMS 13     /* closed form: F(x) exp(x) is a polynomial */
#define FORM_AT 14
#define TILES_ROWS 15     /* of tiles */
#define TILES_FOLDED 16   /* a triangle? */
#define TILES_SKIPPED 17  /* before the task's first point */
#define SPACE_DIM 18
#define SPACE_DIAMETER 19 /* of the sphere; 0: coordinates are Cartesian */
#define SPACE_CHORD 20    /* distances through the sphere? */
#define SPACE_MAP 21      /* dim x dim matrix by rows that is applied to differences; 0: none */
#define SPACE_ROWS 22     /* coordinates of the rows, a column each, this many ... */
#define SPACE_ROWS_STRIDE 23 /* ... apart */
#define SPACE_COLUMNS 24
#define SPACE_COLUMNS_STRIDE 25
#define TABLE_SCALED 26   /* F(x) exp(x) is wanted? */
#define MATERN_HEAD 32

/* On a sphere: longitude and latitude in degrees, cosine of latitude, and the point on the unit sphere. */
#define SPHERE_LON 0
#define SPHERE_LAT 1
#define SPHERE_COS_LAT 2
#define SPHERE_X 3
#define SPHERE_COLUMNS 6

/* Row and column of a tile among tiles. */
DEV_FN void tile_position(u32 tile, u32 rows, flag folded, u32 *row, u32 *column) {
  const u32 length = folded ? rows + 1 : rows, q = tile / length, j = tile % length, in_long = rows - q;
  const flag in_short = folded & (j >= in_long);
  const u32 lower = folded ? q + j : j;
  *row = in_short ? j - 1 : lower; /* rows - 1 - q + (j - in_long) */
  *column = in_short ? in_long - 1 : q;
}

#endif
