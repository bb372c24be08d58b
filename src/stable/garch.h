/* garch.h: likelihoods and scores of series with an ARMA mean and an asymmetric power GARCH scale.
 *
 *   u_t = y_t - mu - x_t'b,   e_t = u_t - sum_i ar_i u_(t-i) - sum_j ma_j e_(t-j),   e_t = s_t z_t,
 *   c_t = s_t^power = omega + sum_i arch_i (|e_(t-i)| - asym_i e_(t-i))^power + sum_j garch_j c_(t-j)
 *
 * (Ding, Granger and Engle 1993; with stable z Mittnik, Paolella and Rachev 2000). z has scale 1 and mean 0: it is
 * stable with location 0 in S1, Student's t or normal. Before the series u and e are 0, and c and the power of e in
 * the sum are `first`, a number of the data, so that it has no derivatives. */
#ifndef STATCL_GARCH_H
#define STATCL_GARCH_H

#include "engine/backend.h"

enum garch_law { GARCH_STABLE, GARCH_T, GARCH_NORMAL };
#define GARCH_LAWS "stable", "t", "normal"

typedef struct {
  int columns, ar, ma, arch, garch, asym; /* asym: 0, or arch */
  double power;
  enum garch_law law;
} garch_model;

/* Parameters stand in this order: mu, ar, ma, b, omega, arch, asym, garch, and alpha and beta, df, or nothing. */
int garch_size(const garch_model *m);

typedef struct {
  garch_model model;
  int64_t n;
  const double *y, *x; /* n rows of columns, by column */
  double first;
  const double *theta;
  /* results: -Inf, and nothing else, where a scale is not positive and finite, or there is no such distribution */
  double log_lik;
  double *score, *products; /* the gradient, and the sum of products of the scores of observations; may be NULL */
  /* of each observation, may be NULL: e, s, log density of z, and scores, a column for each parameter */
  double *e, *scale, *log_f, *scores;
} garch_series;

status garch_evaluate(int64_t m, garch_series *series);

/* From states at times 1, ..., n (u, e and c, as the recursion has them; the last are used) to paths of h further
 * times with innovations z, h for each of `paths`: what is added to mu + x'b, and the scale, in columns likewise. */
typedef struct {
  int64_t n, h, paths;
  const double *u, *e, *c, *z;
  double *y, *scale;
} garch_future;

status garch_paths(const garch_model *m, double first, const double *theta, const garch_future *f);

#endif
