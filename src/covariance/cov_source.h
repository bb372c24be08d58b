/* cov_source.h: functions of one variable without a closed form, of which direct values and tables (cov_table.h) are
 * made: a correlation F(x), -x F'(x) and dF/dshape. */
#ifndef STATCL_COV_SOURCE_H
#define STATCL_COV_SOURCE_H

#include <stdint.h>

#include "engine/errors.h"

/* Which of the three: bits, NEED_VALUE, NEED_SLOPE and NEED_SHAPE of inst/kernels/covariance/covariance_par.h. */
typedef struct cov_source cov_source;
struct cov_source {
  /* One of them at n positive x, divided by the weight or not; on the main thread, outside of tasks. */
  status (*values)(const cov_source *s, int need, int divided, int64_t n, const double *x, double *out);
  const void *of;   /* for values() */
  double key[3];    /* say what the values are of: with the same ones tables are the same */
  int weight;       /* of tables: WEIGHT_ of covariance_par.h, and its power */
  double power;
  int relative;     /* are they positive and tables to be right relative to them, or else to F(0)? */
  double order;     /* where relative: -x F'(x) grows as x^min(2 order, 2), times a log at order 1 */
  double unit;      /* not 0: tables of dF/dshape are right relative to this, a few times its largest value */
  int divided;      /* is the function wanted without its weight? */
  double most;      /* from this x on all are 0; Inf: where they underflow */
  double farthest;  /* no table reaches beyond: waves would take too many cells, of which it has */
  int64_t cells;    /* so many at most */
  double at_zero;   /* F(0) */
};

/* Of the Matern function of smoothness nu, the circular model, the generalised Wendland function of exponents kappa
 * and mu (with its derivative for the first or the second of these, or 0: none), and of K_nu(x), or exp(x) K_nu(x)
 * where scaled. */
cov_source matern_source(double nu);
enum { WENDLAND_KEY = -3 }; /* less the parameter it is key[0] */
enum { CIRCULAR_KEY = -6 };
cov_source circular_source(void);
cov_source wendland_source(double kappa, double mu, int parameter);
cov_source bessel_k_source(double nu, int scaled);

#endif
