/* stable_start.c: starting values for the fit of a stable law: the estimators of stable_estimators.h, which between
 * them are valid for every alpha. They need be near the maximum, not good: the likelihood chooses among them. */
#include <math.h>

#include "stable/stable_fit.h"

int fit_starts(const ordered_sample *s, double alpha, double beta, fit_law *start) {
  static stable_estimator *const methods[FIT_STARTS] = {stable_mcculloch, stable_ecf, stable_logmoment};
  const double fixed[LAW_PARS] = {alpha, beta, NAN, NAN};
  int m = 0;
  for (int k = 0; k < FIT_STARTS && s->n > 0; k++) {
    double p[LAW_PARS];
    if (!methods[k](s, fixed, p)) continue;
    const fit_law law = {isnan(alpha) ? fmin(fmax(p[0], 0.05), 1.98) : alpha,
                         isnan(beta) ? fmin(fmax(p[1], -0.95), 0.95) : beta, p[2], p[3], 0, NULL};
    start[m++] = law;
  }
  if (m == 0) { /* no estimator knows what to do: all stand-ins are one value, for example */
    const double low = s->x[0], high = s->n > 0 ? s->x[s->n - 1] : low, scale = 0.1 * (high - low);
    const fit_law law = {isnan(alpha) ? 1.5 : alpha, isnan(beta) ? 0 : beta,
                         scale > 0 ? scale : fmax(0.1 * fabs(low), 1e-300), 0.5 * (low + high), 0, NULL};
    start[m++] = law;
  }
  return m;
}
