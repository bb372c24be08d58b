/* stable_start.c: starting values for the fit of a stable law: the estimators of stable_estimators.h, which between
 * them are valid for every alpha. They need be near the maximum, not good: the likelihood chooses among them. */
#include <math.h>

#include "stable_estimators.h"
#include "stable_fit.h"

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

int fit_starts(int64_t n, const double *sorted, double alpha, double beta, fit_law *start) {
  static stable_estimator *const methods[] = {stable_mcculloch, stable_ecf, stable_logmoment};
  const ordered_sample s = {n, sorted, NULL, (double)n};
  const double fixed[LAW_PARS] = {alpha, beta, NAN, NAN};
  int m = 0;
  for (int k = 0; k < 3; k++) {
    double p[LAW_PARS];
    if (!methods[k](&s, fixed, p)) continue;
    const fit_law law = {isnan(alpha) ? clamp(p[0], 0.05, 1.98) : alpha,
                         isnan(beta) ? clamp(p[1], -0.95, 0.95) : beta, p[2], p[3], 0};
    start[m++] = law;
  }
  if (m == 0) { /* no estimator knows what to do */
    const double middle = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    const fit_law law = {isnan(alpha) ? 1.5 : alpha, isnan(beta) ? 0 : beta, 0.1 * (sorted[n - 1] - sorted[0]), middle,
                         0};
    start[m++] = law;
  }
  return m;
}
