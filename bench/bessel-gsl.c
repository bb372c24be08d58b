/* bessel-gsl.c: what a user's own loop over GSL gives, for bench/bessel.R and bench/covariance-matern.R, which
 * compile it. */
#include <math.h>

#include <R.h>
#include <Rinternals.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_bessel.h>

/* K_nu(x) (form 0), exp(x) K_nu(x) (1) or log K_nu(x) (2). */
SEXP gsl_k(SEXP x, SEXP nu, SEXP form) {
  const R_xlen_t n = xlength(x), orders = xlength(nu);
  const int which = asInteger(form);
  const double *xs = REAL(x), *nus = REAL(nu);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  double *out = REAL(ans);
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    const double order = nus[i % orders];
    out[i] = which == 0   ? gsl_sf_bessel_Knu(order, xs[i])
             : which == 1 ? gsl_sf_bessel_Knu_scaled(order, xs[i])
                          : gsl_sf_bessel_lnKnu(order, xs[i]);
  }
  gsl_set_error_handler(old);
  UNPROTECT(1);
  return ans;
}

static double correlation(double r, double nu, double factor) {
  return r > 0 ? factor * pow(r, nu) * gsl_sf_bessel_Knu(nu, r) : 1;
}

/* Correlations 2^(1-nu)/Gamma(nu) r^nu K_nu(r), r counted in ranges, between the rows of an n x 2 matrix: every
 * entry, or one triangle and its mirror image. */
SEXP gsl_matern(SEXP points, SEXP range, SEXP smoothness, SEXP one_triangle) {
  const R_xlen_t n = nrows(points);
  const double nu = asReal(smoothness), scale = 1 / asReal(range), factor = 2 / (exp2(nu) * tgamma(nu));
  const double *x = REAL(points), *y = x + n;
  const int half = asLogical(one_triangle);
  SEXP ans = PROTECT(allocMatrix(REALSXP, (int)n, (int)n));
  double *out = REAL(ans);
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  R_xlen_t i, j;
  for (j = 0; j < n; j++) {
    R_CheckUserInterrupt();
    for (i = half ? j : 0; i < n; i++) {
      const double dx = x[i] - x[j], dy = y[i] - y[j];
      out[i + n * j] = correlation(scale * sqrt(dx * dx + dy * dy), nu, factor);
      if (half) out[j + n * i] = out[i + n * j];
    }
  }
  gsl_set_error_handler(old);
  UNPROTECT(1);
  return ans;
}
