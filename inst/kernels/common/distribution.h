/* distribution.h: kernels of d/p/q functions that are one formula for each point. `value` is made of ARG(0), the
 * quantile or probability, ARG(1) and so on, the parameters, and of the flags LOGS and LOWER. These come from par in
 * the order of the R function's arguments, and are constants where the formula is compiled: what they exclude costs
 * nothing. */
#ifndef STATCL_DISTRIBUTION_H
#define STATCL_DISTRIBUTION_H

#include "kernels/common/elementary.h"

#define ARG(k) arg_[k][l]
#define VALUES_(lower, logs, value)                                                                          \
  {                                                                                                          \
    enum { LOWER = lower, LOGS = logs };                                                                     \
    LANE_LOOP(l) value_[l] = value;                                                                          \
  }
#define DISTRIBUTION_KERNEL_(name, columns, values)                                                          \
  KERNEL(name) {                                                                                             \
    OVER_WHOLE_BLOCKS;                                                                                       \
    real arg_[columns][LANES], value_[LANES];                                                                \
    for (i32 k = 0; k < (columns); k++) LANES_IN(k, arg_[k])                                                 \
    values                                                                                                   \
    LANES_OUT(0, value_)                                                                                     \
  }
/* f(x, ..., log) */
#define DENSITY_KERNEL(name, columns, value)                                                                 \
  DISTRIBUTION_KERNEL_(name, columns, if (par[0] != 0) VALUES_(1, 1, value) else VALUES_(1, 0, value))
/* f(q, ..., lower.tail, log.p), or of p */
#define TAIL_KERNEL(name, columns, value)                                                                    \
  DISTRIBUTION_KERNEL_(name, columns,                                                                        \
                       if (par[1] != 0) { if (par[0] != 0) VALUES_(1, 1, value) else VALUES_(0, 1, value) }  \
                       else { if (par[0] != 0) VALUES_(1, 0, value) else VALUES_(0, 0, value) })

#endif
