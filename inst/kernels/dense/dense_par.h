/* dense_par.h: what kernels of dense.cl and the host agree on. */
#ifndef STATCL_DENSE_PAR_H
#define STATCL_DENSE_PAR_H

enum {
  TILE_SIDE = 64,
  SOLVED_COLUMNS = 16, /* of the right-hand side, for one group */
  INVERSE_PANEL = 8    /* columns of tiles of an inverse that are made together, and as many rows of room for tiles */
};

#endif
