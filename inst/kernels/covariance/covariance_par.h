/* covariance_par.h: layout of par for covariances: a head, then what it points to (positions in par, counted in
 * numbers).
 *
 * Tiles: a matrix is cut into tiles of TILE x TILE entries, and a task's points are the entries of one tile after
 * another, columns within a tile. All tiles, column by column; or for a symmetric matrix those of the lower triangle,
 * where a long column of tiles and a short one, the q-th from either side, make one of rows + 1 tiles.
 *
 * Parts: a model is a sum of parts, each a correlation function F of x = distance times scale with its own map of
 * differences. Columns of results are told by a list of what is wanted of which part.
 *
 * Space and time: a part may be of the lag in time, and multiplies the part after it (PART_ROLE); Gneiting's makes
 * the distance of that part shorter, too.
 *
 * Tables: octave k of x, from 2^(first + k) on, is cut into a power of 2 of equal cells, so many that a polynomial
 * of degree CELL_TERMS - 1 serves in each: one number for all octaves below a border, another for those between it
 * and a second one, and a third beyond, ZONES in all. Coefficients are in powers of the position in the cell, -1/2 to
 * 1/2, those of F, -x F'(x) and dF/dshape side by side. What they hold is divided by a weight of x: see
 * TABLE_WEIGHT. */
#ifndef STATCL_COVARIANCE_PAR_H
#define STATCL_COVARIANCE_PAR_H

#include "kernels/common/dialect.h"

#define CELL_TERMS_DOUBLE 8
#define CELL_TERMS_SINGLE 4
#if SINGLE
#define CELL_TERMS CELL_TERMS_SINGLE
#else
#define CELL_TERMS CELL_TERMS_DOUBLE
#endif
#define TILE 64
#define TILE_POINTS (TILE * TILE)

#define TILES_ROWS 0    /* of tiles */
#define TILES_FOLDED 1  /* a triangle? */
#define TILES_SKIPPED 2 /* before the task's first point */
#define SPACE_DIM 3
#define SPACE_DIAMETER 4 /* of the sphere; 0: coordinates are Cartesian */
#define SPACE_CHORD 5    /* distances through the sphere? */
#define SPACE_ROWS 6     /* coordinates of the rows, a column each, this many ... */
#define SPACE_ROWS_STRIDE 7 /* ... apart */
#define SPACE_COLUMNS 8
#define SPACE_COLUMNS_STRIDE 9
#define COV_PARTS 10     /* how many; the first at COV_HEAD */
#define SPACE_TIME 11    /* column of the times, 0: none */
#define PRODUCT_COLUMNS 12 /* how many columns are multiplied, by so many vectors, at most PRODUCT_MOST, which ... */
#define PRODUCT_VECTORS 13
#define PRODUCT_AT 14      /* ... are there */
#define PRODUCT_MOST 4
#define ONE_FACTOR 15      /* of cov_one: the factor of what is wanted, ... */
#define ONE_SLOPE 16       /* ... and is that -x F'(x)? */
#define COV_NEAR 17        /* numbers before the tables, where these come last */
#define COV_HEAD 24        /* parts begin at a line of memory, as what follows them */

/* Functions of x that covariance.h has, with the names of families in R. */
#define CLOSED_FORMS(LINE)                                                                                   \
  LINE(GAUSSIAN, "gaussian")                                                                                 \
  LINE(CAUCHY, "cauchy")                                                                                     \
  LINE(POWEXP, "powexp")                                                                                     \
  LINE(SINC, "sinc")                                                                                         \
  LINE(GAMMA, "gammaspectrum")

/* FUNCTION_DISTANCE: x itself is wanted; FUNCTION_GNEITING: of the lag in time, no correlation. */
#define FUNCTION_LINE(function, name) FUNCTION_##function,
enum {
  FUNCTION_DISTANCE, FUNCTION_FORM, FUNCTION_COMPACT, FUNCTION_TABLE, FUNCTION_GNEITING, CLOSED_FORMS(FUNCTION_LINE)
  N_FUNCTIONS
};
#undef FUNCTION_LINE

#define PART_FUNCTION 0
#define PART_AT_ZERO 1  /* F(0); -x F'(x) and dF/dshape are 0 there */
#define PART_SCALE 2    /* x = distance times scale, scale as hi + lo; ... */
#define PART_SCALE_LO 3
#define PART_DIVISOR 4  /* ... or distance / divisor hi, where it is not 0 */
#define PART_MAP 5      /* dim x dim matrix by rows that is applied to differences; 0: none */
#define PART_SHAPE 6    /* parameter of F */
#define PART_WANTS 7    /* how many columns, and where they are told */
#define PART_WANTS_AT 8
#define PART_NEEDS 9    /* NEED_ bits */
#define FORM_AT 10      /* coefficients of F and of -x F'(x), and how many */
#define FORM_TERMS 11
#define FORM_SLOPE_TERMS 12
#define FORM_POWER 13   /* of 1 - x in F, where the support is compact */
#define TABLE_OCTAVES 10
#define TABLE_FIRST 11  /* biased exponent of the lowest octave */
#define TABLE_CELLS_AT 12
#define TABLE_COLUMNS 13 /* NEED_ bits of what cells hold */
#define TABLE_WEIGHT 14
#define TABLE_POWER 15
#define TABLE_LOW 16    /* from there ... */
#define TABLE_HIGH 17   /* ... to below this x */
#define TABLE_BELOW 18  /* F where 0 < x < low, NaN: unknown; what else is wanted then is unknown */
#define TABLE_ABOVE 19  /* all where high <= x */
#define ZONES 3
#define TABLE_ZONES 20  /* of each zone the octave after it, its cells per octave, and with these times k the first */
#define PART_ROLE (TABLE_ZONES + 3 * ZONES)
#define PART_SHRINK (PART_ROLE + 1) /* of ROLE_GNEITING: beta/2 ... */
#define PART_POWER (PART_ROLE + 2)  /* ... and delta + beta dim/2 */
#define PART_SIZE (PART_ROLE + 3)

/* Gneiting (2002): P^-power F(P^-shrink x) with P = 1 + u^(2 shape), u the scaled lag in time. */
#define ROLE_SPACE 0
#define ROLE_TIME 1
#define ROLE_GNEITING 2

#define WEIGHT_NONE 0
#define WEIGHT_EXP 1   /* exp(-x) */
/* (1 - x)^power for F, with a power less by 1 for -x F'(x), and for dF/dshape less log(1 - x) F */
#define WEIGHT_POWER 2

/* A program may be for those models alone that are one part in space, without a sphere, with function COV_ONLY: what
 * then is known when it is compiled is not read, and what others would need is left out. */
#ifdef COV_ONLY
#define COV_KNOWN(value, of_par) (value)
#else
#define COV_KNOWN(value, of_par) (of_par)
#endif

#define NEED_VALUE 1
#define NEED_SLOPE 2
#define NEED_SHAPE 4

/* A column: factor F, added to what parts before gave where the column is WANT_VALUE; factor times -x F'(x); factor
 * dF/dshape + other times -x F'(x); factor times -x F'(x) y.(D d)/(y.y) of the difference d, mapped to y, and the
 * matrix D that is at position other. */
#define WANT_WHAT 0
#define WANT_COLUMN 1
#define WANT_FACTOR 2
#define WANT_OTHER 3
#define WANT_SIZE 4
#define WANT_VALUE 0
#define WANT_SLOPE 1
#define WANT_SHAPE 2
#define WANT_MAP 3
#define WANT_OWN 4 /* factor F of a part alone */
#define WANT_NOTHING 8 /* zeros */
/* Of a part in time whose part in space has F and -x F': factor times what is said, and
 * power F - shrink (-x F'), or for the last other F - (-x F')/2. */
#define WANT_LAG_RANGE 5       /* 2 shape (P - 1)/P */
#define WANT_LAG_SHAPE 6       /* -2 (P - 1)/P log(u) */
#define WANT_LAG_INTERACTION 7 /* -log(P) */

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
