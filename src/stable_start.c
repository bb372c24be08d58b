/* stable_start.c: starting values for the fit of a stable law, from methods that between them are valid for every
 * alpha: quantiles: spread and skewness of five quantiles against a table, in the manner of McCulloch (1986);
 *   characteristic function: regressions on its logarithm (Koutrouvelis 1980; Kogon and Williams 1998), in S0;
 *   logarithmic moments: var log|X| = (pi^2/6)(1/alpha^2 + 1/2) for the symmetric differences X of pairs.
 * They need be near the maximum, not good: the likelihood chooses among them. */
#include <math.h>

#include "stable_fit.h"
#include "stable_quantiles.h"

static const double pi = 3.141592653589793;

double fit_t(double alpha, double beta) {
  const double am1 = alpha - 1;
  if (am1 == 0 || alpha == 2) return 0;
  if (fabs(am1) < 0.5) return -beta / tan(0.5 * pi * am1);
  return beta * tan(0.5 * pi * (alpha > 1 ? alpha - 2 : alpha));
}

double fit_uniform(uint32_t *state) {
  *state = 1664525u * *state + 1013904223u;
  return (double)*state / 4294967296.0;
}

static double clamp(double v, double low, double high) { return v < low ? low : v > high ? high : v; }

static double quantile(const double *sorted, int64_t n, double p) {
  const double at = p * (double)(n - 1);
  const int64_t i = (int64_t)at;
  return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* The table, bilinear in alpha and |beta|; odd statistics change sign with beta. */
static void table_at(double alpha, double beta, double stat[4]) {
  const double sign = beta < 0 ? -1 : 1, step = fabs(beta) * (QUANTILE_BETAS - 1);
  const int j = step >= QUANTILE_BETAS - 1 ? QUANTILE_BETAS - 2 : (int)step;
  int i = 0;
  while (i < QUANTILE_ALPHAS - 2 && alpha > quantile_alpha[i + 1]) i++;
  const double *a = quantile_alpha + i;
  const double u = clamp((alpha - a[0]) / (a[1] - a[0]), 0, 1), v = step - j;
  for (int k = 0; k < 4; k++) {
    const double low = (1 - v) * quantile_table[i][j][k] + v * quantile_table[i][j + 1][k];
    const double high = (1 - v) * quantile_table[i + 1][j][k] + v * quantile_table[i + 1][j + 1][k];
    stat[k] = ((1 - u) * low + u * high) * (k % 2 ? sign : 1);
  }
}

/* Scale for samples whose middle half is one value. */
static double some_spread(const double *sorted, int64_t n) {
  double spread = 0;
  for (double p = 0.25; spread <= 0 && p > 1e-9; p *= 0.5)
    spread = quantile(sorted, n, 1 - p) - quantile(sorted, n, p);
  return spread > 0 ? spread : sorted[n - 1] - sorted[0];
}

static fit_law by_quantiles(int64_t n, const double *sorted, double alpha, double beta) {
  const double q05 = quantile(sorted, n, 0.05), q50 = quantile(sorted, n, 0.5), q95 = quantile(sorted, n, 0.95);
  const double middle = quantile(sorted, n, 0.75) - quantile(sorted, n, 0.25);
  const double iqr = middle > 0 ? middle : some_spread(sorted, n), wide = q95 - q05 > iqr ? q95 - q05 : 1.01 * iqr;
  const double spread = log(wide / iqr), skew = clamp((q95 + q05 - 2 * q50) / wide, -1, 1);
  fit_law best = {0, 0, 0, 0, 0};
  double distance = HUGE_VAL, stat[4];
  for (double a = 0.1; a < 1.995; a += 0.02) {
    for (double b = -1; b < 1.01; b += 0.05) {
      const double at = isnan(alpha) ? a : alpha, bt = isnan(beta) ? clamp(b, -0.95, 0.95) : beta;
      table_at(at, bt, stat);
      /* the spread is known relatively; beta matters less and less as alpha goes to 2 */
      const double d = pow((stat[0] - spread) / (0.3 + 0.2 * spread), 2) + pow(stat[1] - skew, 2) + 1e-4 * bt * bt;
      if (d < distance) {
        distance = d;
        best.alpha = at;
        best.beta = bt;
      }
      if (!isnan(beta)) break;
    }
    if (!isnan(alpha)) break;
  }
  table_at(best.alpha, best.beta, stat);
  best.gamma = iqr * exp(-stat[2]);
  best.delta = q50 - stat[3] * iqr;
  return best;
}

/* With t > 0 and the law standardised to about scale 1:
 *   log(-log|phi|^2) = log(2 gamma^alpha) + alpha log t,
 *   arg phi = delta t + beta tan(pi alpha/2) gamma t expm1((alpha - 1) log(gamma t)). */
static int by_characteristic_function(int64_t n, const double *x, double alpha, double beta, fit_law *law) {
  enum { POINTS = 10 };
  double y[POINTS], arg[POINTS], lt[POINTS], my = 0, mt = 0, sty = 0, stt = 0;
  for (int k = 0; k < POINTS; k++) {
    const double t = 0.1 * (k + 1);
    double c = 0, s = 0;
    for (int64_t i = 0; i < n; i++) {
      const double z = t * (x[i] - law->delta) / law->gamma;
      c += cos(z);
      s += sin(z);
    }
    const double size = (c * c + s * s) / ((double)n * (double)n);
    if (!(size > 1e-6) || size >= 1) return 0;
    y[k] = log(-log(size));
    arg[k] = atan2(s, c);
    lt[k] = log(t);
    my += y[k] / POINTS;
    mt += lt[k] / POINTS;
  }
  for (int k = 0; k < POINTS; k++) {
    sty += (lt[k] - mt) * (y[k] - my);
    stt += (lt[k] - mt) * (lt[k] - mt);
  }
  const double a = isnan(alpha) ? clamp(sty / stt, 0.1, 1.99) : alpha;
  const double log_g = clamp((my - a * mt - log(2)) / a, -3, 3), g = exp(log_g);
  double s11 = 0, s12 = 0, s22 = 0, s1 = 0, s2 = 0;
  for (int k = 0; k < POINTS; k++) {
    const double t = exp(lt[k]), l = lt[k] + log_g;
    const double v = a == 1 ? -2 / pi * g * t * l : fit_t(a, 1) * g * t * expm1((a - 1) * l);
    s11 += t * t;
    s12 += t * v;
    s22 += v * v;
    s1 += t * arg[k];
    s2 += v * arg[k];
  }
  const double det = s11 * s22 - s12 * s12;
  const double free_beta = det > 1e-12 * s11 * s22 ? (s11 * s2 - s12 * s1) / det : 0;
  const double b = isnan(beta) ? clamp(free_beta, -0.95, 0.95) : beta;
  law->delta += law->gamma * (s1 - s12 * b) / s11;
  law->gamma *= g;
  law->alpha = a;
  law->beta = b;
  return 1;
}

/* Each observation is paired with one that a linear congruential generator picks. */
static double alpha_by_log_moments(int64_t n, const double *x) {
  double mean = 0, squares = 0, m = 0;
  uint32_t state = 1;
  for (int64_t i = 0; i < n; i++) {
    const double d = fabs(x[i] - x[(int64_t)(fit_uniform(&state) * (double)n)]);
    if (!(d > 0)) continue;
    const double l = log(d), step = l - mean;
    m += 1;
    mean += step / m;
    squares += step * (l - mean);
  }
  const double inverse = m > 1 ? 6 / (pi * pi) * squares / m - 0.5 : 0.25;
  return inverse <= 0.26 ? 1.96 : clamp(1 / sqrt(inverse), 0.05, 1.96);
}

int fit_starts(int64_t n, const double *sorted, double alpha, double beta, fit_law *start) {
  int m = 0;
  start[m++] = by_quantiles(n, sorted, alpha, beta);
  start[m] = start[0];
  if (by_characteristic_function(n, sorted, alpha, beta, &start[m])) {
    start[m + 1] = start[m];
    m++;
    if (by_characteristic_function(n, sorted, alpha, beta, &start[m])) m++;
  }
  if (isnan(alpha)) start[m++] = by_quantiles(n, sorted, alpha_by_log_moments(n, sorted), beta);
  return m;
}
