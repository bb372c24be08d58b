/* dense_levels.h: what tile_program.h does with tiles, once per instruction set. */
#ifndef STATCL_DENSE_LEVELS_H
#define STATCL_DENSE_LEVELS_H

#include <stdint.h>

#include "engine/cpu_levels.h"

enum { DENSE_TILE = 64 };

/* rows: of c, from the first on; more than these may be computed. ahead: a tile that the next product takes. */
typedef struct {
  /* c - a b' and c - a b */
  void (*less_product_by_rows)(const double *a, const double *b, double *c, int32_t rows, const double *ahead);
  void (*less_product)(const double *a, const double *b, double *c, int32_t rows, const double *ahead);
  /* Cholesky's, of a tile that after its `rows` is one of the identity matrix; the number, from 1, of the first pivot
   * that is not above its `least`, or 0. */
  int32_t (*factor)(double *c, int32_t rows, const double *least);
  void (*divide)(const double *l, double *c, int32_t rows);            /* c inv(l)' */
  void (*divide_transposed)(const double *l, double *c, int32_t rows); /* c inv(l) */
  void (*invert_factor)(double *l);
  void (*multiply)(const double *l, const double *x, double *y, int transposed); /* y - l x, or y - l' x */
} dense_tiles;

#define DENSE_TILES(level) DENSE_TILES_(level)
#define DENSE_TILES_(level) dense_##level##_tiles
#define TILES_LINE(level, of) extern const dense_tiles DENSE_TILES(level);
CPU_LEVELS(TILES_LINE, )
#undef TILES_LINE

#endif
