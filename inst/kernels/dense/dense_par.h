/* dense_par.h: what kernels of dense.cl and the host agree on. */
#ifndef STATCL_DENSE_PAR_H
#define STATCL_DENSE_PAR_H

enum {
  TILE_SIDE = 64,
  SOLVED_COLUMNS = 16 /* of the right-hand side, for one group */
};

#endif
