/* matern_source.c: Matern correlations and K_nu as functions that tables are made of, with the weight exp(-x). */
#include <math.h>

#include "bessel/bessel.h"
#include "covariance/cov_source.h"
#include "covariance/matern_direct.h"
#include "kernels/covariance/covariance_par.h"

static status matern_values_of(const cov_source *s, int need, int divided, int64_t n, const double *x, double *out) {
  const column xs = {x, n};
  const enum matern_what what = need == NEED_VALUE ? MATERN_VALUE : need == NEED_SLOPE ? MATERN_DX : MATERN_DNU;
  /* M = 2 nu K_0(x) (1 + O(nu log x)) of a small nu: below, the derivative for nu no longer changes */
  const double nu = need == NEED_SHAPE ? fmax(s->key[1], 1e-30) : s->key[1];
  return n ? matern_direct(what, n, nu, xs, divided, out) : STATUS_OK;
}

static status bessel_values_of(const cov_source *s, int need, int divided, int64_t n, const double *x, double *out) {
  const column xs = {x, n}, order = {s->key + 1, 1};
  (void)need;
  return n ? bessel_k(BESSEL_VALUE, n, xs, order, divided, 0, out) : STATUS_OK;
}

cov_source matern_source(double nu) {
  return (cov_source){.values = matern_values_of, .key = {-1, nu}, .weight = WEIGHT_EXP, .relative = 1, .order = nu,
                      .most = INFINITY, .farthest = 1024, .cells = 1 << 15, .at_zero = 1};
}

cov_source bessel_k_source(double nu, int scaled) {
  return (cov_source){.values = bessel_values_of, .key = {-2, nu}, .weight = WEIGHT_EXP, .relative = 1, .order = nu,
                      .divided = scaled, .most = INFINITY, .farthest = 1024, .cells = 1 << 15, .at_zero = INFINITY};
}
