/* matern_direct.c: the constants of one smoothness for matern_direct.cl, where the formulas stand. */
#include "covariance/matern_direct.h"

#include <math.h>
#include <string.h>

#include "kernels/bessel/bessel_coef.h"
#include "kernels/bessel/bessel_par.h"
#include "kernels/covariance/matern_direct_par.h"
#include "programs/programs.h"

/* Kernels of lists that must be empty are left out. */
#define DIRECT_PIPELINE(cost, ...)                                                                           \
  {.name = "matern", .n_in = 1, .n_out = 1, .n_list = M_LISTS, .step = {KERNEL_matern_locate, __VA_ARGS__},  \
   .ns_per_point = cost}
static const pipeline small_pipeline =
    DIRECT_PIPELINE(40, KERNEL_matern_series, KERNEL_matern_low, KERNEL_matern_mid, KERNEL_matern_high);
static const pipeline large_pipeline = DIRECT_PIPELINE(100, KERNEL_matern_centred);
static const pipeline slope_pipeline =
    DIRECT_PIPELINE(100, KERNEL_matern_centred, KERNEL_matern_slope_series, KERNEL_matern_slope_near);

/* 1/Gamma(1 + m) and its derivative, |m| <= 1/2 */
static double rgamma(double m, double *slope) {
  static const double c[] = {RGAMMA_TAYLOR};
  double value = 0, d = 0;
  for (int k = (int)(sizeof c / sizeof *c) - 1; k >= 0; k--) {
    d = d * m + value;
    value = value * m + c[k];
  }
  if (slope) *slope = d;
  return value;
}

/* [1/Gamma(1 - m) - 1/Gamma(1 + m)]/m and its derivative */
static double odd_part(double m, double *slope) {
  static const double c[] = {RGAMMA_TAYLOR};
  const double z = m * m;
  double value = 0, d = 0;
  for (int k = (int)(sizeof c / sizeof *c) - 1; k >= 1; k -= 2) {
    d = d * z + value;
    value = value * z - 2 * c[k];
  }
  *slope = 2 * m * d;
  return value;
}

/* log nu - psi(nu): psi(nu) = psi(nu + 1) - 1/nu up to nu >= 12, there 1/(2 nu) + Sum B_2k/(2k nu^2k) (Abramowitz and
 * Stegun 6.3.18), whose eighth term is below 1e-16 of the first. */
static double log_less_psi(double nu) {
  long double steps = 0, at = nu; /* steps and logarithm cancel */
  for (; at < 12; at += 1) steps += 1 / at;
  const double z = (double)(1 / (at * at));
  double tail = 1.0 / 12;
  static const double b[] = {691.0 / 32760, 1.0 / 132, 1.0 / 240, 1.0 / 252, 1.0 / 120, 1.0 / 12};
  for (size_t k = 0; k < sizeof b / sizeof *b; k++) tail = b[k] - z * tail;
  return (double)(steps + 0.5L / at + (at > nu ? logl(nu / at) : 0)) + z * tail;
}

/* nu^nu e^-nu/Gamma(nu): Stirling's series (6.1.41) for large nu */
static double peak_factor(double nu) {
  static const double two_pi = 6.283185307179586;
  if (nu < MATERN_NEAR_NU) return exp(nu * log(nu) - nu) / tgamma(nu);
  const double z = 1 / (nu * nu);
  double series = 1.0 / 156;
  static const double b[] = {691.0 / 360360, 1.0 / 1188, 1.0 / 1680, 1.0 / 1260, 1.0 / 360, 1.0 / 12};
  for (size_t k = 0; k < sizeof b / sizeof *b; k++) series = b[k] - z * series;
  return sqrt(nu / two_pi) * exp(-series / nu);
}

/* d/dm of log(1 + m/j)/m, times j^2, y = m/j: [y/(1 + y) - log(1 + y)]/y^2 */
static double log_slope(double y) {
  if (fabs(y) > 0.2) return (y / (1 + y) - log1p(y)) / (y * y);
  double sum = 0;
  for (int k = 24; k >= 0; k--) sum = (k % 2 ? 1 : -1) * (k + 1.0) / (k + 2.0) + y * sum;
  return sum;
}

/* log(1 + m/j)/m */
static double log_mean(double m, double j) { return m == 0 ? 1 / j : log1p(m / j) / m; }

/* Sum over j = 1 .. count of log(1 + m/j)/m and of its derivative */
static double shift_sum(double m, int count, double *slope) {
  double sum = 0;
  *slope = 0;
  for (int j = count; j >= 1; j--) {
    sum += log_mean(m, j);
    *slope += log_slope(m / j) / ((double)j * j);
  }
  return sum;
}

/* A_k = 1/(k! Prod_(j<=k) (j - nu)) and its derivative D_k in nu, k < n */
static void power_terms(double nu, int n, double *d) {
  double a = 1, log_slope_sum = 0;
  for (int k = 1; k < n; k++) {
    a /= k * (k - nu);
    log_slope_sum += 1 / (k - nu);
    d[k] = a * log_slope_sum;
  }
}

/* G_p = mu Gamma(1 - nu)/(p! q! Prod_(j<=p) (1 - mu/j)), q = n + p; dG_p/dmu, S_p and dS_p/dmu. */
static void pair_terms(double mu, int n, double *pair) {
  double slope, r = rgamma(-mu, &slope);
  /* mu Gamma(1 - nu) = (-1)^n Gamma(1 - mu)/Prod_(0<i<n) (mu + i), n = 0: times mu */
  double g = 1 / r, log_slope_sum = slope / r;
  for (int i = 1; i < n; i++) {
    g /= -(mu + i) * (i + 1.0); /* and 1/n! */
    log_slope_sum -= 1 / (mu + i);
  }
  if (n > 0) g = -g;
  for (int p = 0; p < MATERN_PAIR_COUNT; p++) {
    double above, below;
    if (p > 0) {
      g /= (double)(n + p) * (p - mu);
      log_slope_sum += 1 / (p - mu);
    }
    pair[4 * p] = n > 0 ? g : g * mu;
    pair[4 * p + 1] = n > 0 ? g * log_slope_sum : g * (1 + mu * log_slope_sum);
    pair[4 * p + 2] = shift_sum(mu, n + p, &above) + shift_sum(-mu, p, &below);
    pair[4 * p + 3] = above - below;
  }
}

static void constants(enum matern_what what, double nu, int scaled, double *par) {
  static const int codes[] = {BESSEL_VALUE, BESSEL_DX, BESSEL_DNU};
  const double n = nu <= BESSEL_ORDER ? nearbyint(nu) : 0, mu = nu <= BESSEL_ORDER ? nu - n : 0;
  double slope, slope_back;
  memset(par, 0, MATERN_PAR * sizeof *par);
  par[MATERN_WHAT] = codes[what];
  par[MATERN_SCALED] = scaled;
  par[MATERN_NU] = nu;
  par[MATERN_MU] = mu;
  par[MATERN_STEPS] = n;
  par[MATERN_PEAK] = peak_factor(nu);
  par[MATERN_PSI] = log_less_psi(nu);
  const double ahead = rgamma(mu, &slope), back = rgamma(-mu, &slope_back);
  par[MATERN_GAMMA] = 2 * ahead;
  par[MATERN_RGAMMA] = ahead;
  par[MATERN_RGAMMA_SLOPE] = slope;
  par[MATERN_RATIO] = ahead / back;
  par[MATERN_RATIO_SLOPE] = slope / ahead + slope_back / back;
  par[MATERN_ODD] = odd_part(mu, par + MATERN_ODD_SLOPE);
  for (int j = 2; j < MATERN_MOST_STEPS; j++) par[MATERN_RECURRENCE + j] = 1 / ((mu + j) * (mu + j - 1));
  if (nu > MATERN_SLOPE_NU) return;
  power_terms(nu, (int)n, par + MATERN_POWERS);
  pair_terms(mu, (int)n, par + MATERN_PAIRS);
}

status matern_direct(enum matern_what what, int64_t n, double nu, column x, int scaled, double *out) {
  double par[MATERN_PAR];
  if (!(nu > 0) || !(nu < 1e15)) return fail(STATUS_INPUT, "smoothness must be positive and below 1e15, not %g", nu);
  constants(what, nu, scaled, par);
  const pipeline *pipe = what == MATERN_DNU ? &slope_pipeline : nu > BESSEL_ORDER ? &large_pipeline : &small_pipeline;
  return backend_columns(pipe, n, &x, par, MATERN_PAR, out);
}
