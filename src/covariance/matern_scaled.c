/* matern_scaled.c: the derivative for nu of Matern correlations whose distance is scaled by sqrt(nu), for large nu,
 * where it is the small difference of that at a fixed x and of what x moves. With a = x^2/(4 nu), which stays fixed,
 *   M = E exp(-a/s),   s a gamma variable of mean 1 and variance 1/nu
 * (the mixture of DLMF 10.32.10), and the derivative is that of the density, d = log s - s - E(log s - s) inside:
 *   dM/dnu = E exp(-a/s) d = E (exp(-a/s) - exp(-a)) d,
 * by the trapezoidal rule in y = log s. With s = exp(y) the density is exp(nu g(y)) sqrt(nu/(2 pi)) exp(-1/(12 nu) +
 * ...), g(y) = y + 1 - exp(y), and d = g(y) - E g, E g = psi(nu) - log(nu). Beyond nu = 1e7 two terms of the series
 * in 1/nu, from moments of s, are right to 1/nu^2. */
#include "covariance/matern_scaled.h"

#include <math.h>

/* y + 1 - exp(y), without cancellation: the first term left out of the series is 0.5^18/20! of the sum. */
static double gap(double y) {
  if (fabs(y) > 0.5) return y - expm1(y);
  double sum = 0;
  for (int k = 19; k >= 2; k--) sum = (sum * y + 1) / (k < 3 ? 1 : k);
  return -0.5 * y * y * sum;
}

/* E g (DLMF 5.11.2); the next term is below 1e-18 of the sum from nu = 50 on. */
static double mean_gap(double nu) {
  const double r = 1 / nu, q = r * r;
  return -r / 2 - q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q / 132))));
}

/* phi(s) = exp(-a/s): -phi''(1)/(2 nu^2) - (2 phi'''(1)/3 + phi''''(1)/4)/nu^3, of E phi = phi + phi''/(2 nu) +
 * (phi'''/3 + phi''''/8)/nu^2 */
static double by_series(double nu, double a) {
  const double second = a * (a - 2), third = a * (a * (a - 6) + 6), fourth = a * (a * (a * (a - 12) + 36) - 24);
  return -exp(-a) * (second / 2 + (2 * third / 3 + fourth / 4) / nu) / (nu * nu);
}

static double by_rule(double nu, double a) {
  const int near = a * a < nu;
  const double peak = near ? 0 : log((1 + sqrt(1 + 4 * a / nu)) / 2);
  const double most = near ? 0 : nu * gap(peak) - a * exp(-peak);
  /* far out the sum underflows; the two large terms of its exponents would no longer cancel to a number */
  if (most < -800) return 0;
  const double step = 0.5 / sqrt(nu * exp(peak) + (near ? 0 : a * exp(-peak))), mean = mean_gap(nu);
  double sum = 0;
  for (int side = -1; side <= 1; side += 2)
    for (int i = side > 0; i < 1000; i++) {
      const double y = peak + side * i * step, g = gap(y), e = nu * g - (near ? 0 : a * exp(-y)) - most;
      sum += exp(e) * (near ? expm1(a * -expm1(-y)) : 1) * (g - mean);
      if (e < -42) break;
    }
  const double q = 1 / (nu * nu), series = (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q / 1680))) / nu;
  const double stirling = exp(-series) * sqrt(nu / (2 * 3.141592653589793)); /* DLMF 5.11.1 */
  return sum * step * stirling * exp(near ? -a : most);
}

void matern_scaled_shape(double nu, int64_t n, const double *x, double *out) {
  for (int64_t i = 0; i < n; i++) {
    const double a = x[i] * (x[i] / (4 * nu));
    out[i] = isnan(x[i]) ? x[i] : a == 0 || a > 1e300 ? 0 : nu > 1e7 && a < 1e3 ? by_series(nu, a) : by_rule(nu, a);
  }
}
