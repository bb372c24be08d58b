/* truncated.c: see truncated.h. */
#include "field/truncated.h"

#include <math.h>
#include <string.h>

static const double turn = 6.283185307179586477, quarter = 1.570796326794896619;

/* When z cos t + p sin t = r cos(t - a) leaves at a limit, which it does on its way up through r cos(t - a) = limit.
 * A variable that is at a limit, or by rounding beyond, leaves at once if it moves out; just reflected, which `last`
 * says, it is there at t = 0, and not a turn later. */
static double leaves_above(double z, double p, double limit, int last) {
  if (z >= limit && p > 0) return 0;
  const double r = hypot(z, p);
  if (!(r > fabs(limit))) return limit >= 0 ? INFINITY : 0;
  double t = atan2(p, z) - acos(limit / r);
  if (t < 0) t += turn;
  return last && t < 1e-10 ? INFINITY : t;
}

/* Of all limits the one that is met first. */
static double first_leave(int64_t n, const double *lower, const double *upper, const double *z, const double *p,
                          int64_t last, double until, int64_t *at) {
  for (int64_t i = 0; i < n; i++) {
    const double above = upper[i] < INFINITY ? leaves_above(z[i], p[i], upper[i], i == last) : INFINITY;
    const double below = lower[i] > -INFINITY ? leaves_above(-z[i], -p[i], -lower[i], i == last) : INFINITY;
    const double t = above < below ? above : below;
    if (t < until) {
      until = t;
      *at = i;
    }
  }
  return until;
}

static void go_on(int64_t n, double t, const double *lower, const double *upper, double *z, double *p) {
  const double c = cos(t), s = sin(t);
  for (int64_t i = 0; i < n; i++) {
    const double to = z[i] * c + p[i] * s;
    p[i] = p[i] * c - z[i] * s;
    z[i] = fmin(fmax(to, lower[i]), upper[i]);
  }
}

status truncated_step(int64_t n, const double *covariance, const double *lower, const double *upper, int64_t most,
                      double *z, double *p, double *start, status (*pause)(double)) {
  memcpy(start, z, (size_t)n * sizeof *z);
  double left = quarter;
  int64_t last = -1;
  for (int64_t k = 0; k <= most; k++) {
    int64_t at = -1;
    const double t = first_leave(n, lower, upper, z, p, last, left, &at);
    go_on(n, t, lower, upper, z, p);
    if (at < 0) return STATUS_OK;
    left -= t;
    const double *of = covariance + at * n, twice = 2 * p[at] / of[at];
    for (int64_t i = 0; i < n; i++) p[i] -= twice * of[i];
    last = at;
    if (k % 64 == 63) {
      const status st = pause(-1);
      if (st) return st;
    }
  }
  memcpy(z, start, (size_t)n * sizeof *z);
  return STATUS_OK;
}
