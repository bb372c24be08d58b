/* circular_source.c: the circular model, the area that two discs of diameter 1 at distance x share, over that of one:
 *   F(x) = 2/pi (acos(x) - x sqrt(1 - x^2)) = (y - sin(y))/pi,    y = 2 acos(x) = 4 asin(sqrt((1 - x)/2)),
 * and -x F'(x) = 4/pi x sqrt(1 - x^2). Both terms of y - sin(y) cancel next to x = 1, where it is y^3/6 times a
 * series in y^2. Tables have a weight (1 - x)^(3/2), and of the slope (1 - x)^(1/2). */
#include <math.h>

#include "covariance/cov_source.h"
#include "kernels/covariance/covariance_par.h"

static double difference(double y) {
  double series = 1;
  if (y > 1) return y - sin(y);
  for (int j = 16; j > 2; j -= 2) series = 1 - y * y / (j * (j + 1)) * series;
  return y * y * y / 6 * series;
}

static status circular_values(const cov_source *s, int need, int divided, int64_t n, const double *x, double *out) {
  static const double pi = 3.14159265358979323846;
  (void)s;
  for (int64_t i = 0; i < n; i++) {
    const double v = x[i], rest = 1 - v, root = sqrt(rest);
    if (!(v < 1)) out[i] = isnan(v) ? v : 0;
    else if (need == NEED_SLOPE) out[i] = 4 / pi * v * sqrt(1 + v) * (divided ? 1 : root);
    else out[i] = difference(4 * asin(sqrt(rest / 2))) / (divided ? rest * root : 1) / pi;
  }
  return STATUS_OK;
}

cov_source circular_source(void) {
  return (cov_source){.values = circular_values, .key = {CIRCULAR_KEY}, .weight = WEIGHT_POWER, .power = 1.5,
                      .relative = 1, .order = 0.5, .most = 1, .farthest = INFINITY, .cells = 1 << 13, .at_zero = 1};
}
