/* wendland_source.c: generalised Wendland functions (Gneiting 2002; Bevilacqua, Faouzi, Furrer and Porcu 2019,
 * doi:10.1214/17-AOS1652)
 *   F(x) = Int_x^1 (u^2 - x^2)^kappa (1 - u)^(mu - 1) du/B(2 kappa + 1, mu)
 * (their integral by parts, which takes kappa = 0, too). With u = x + (1 - x) t that is (1 - x)^(mu + kappa) times
 *   Int_0^1 (t q)^kappa (1 - t)^(mu - 1) dt/B(2 kappa + 1, mu),    q = 2 x + (1 - x) t,
 * the weight of tables times a smooth positive function. -x F'(x) = 2 kappa x^2 (1 - x)^(mu + kappa - 1) times
 *   Int_0^1 (t q)^(kappa - 1) (1 - t)^(mu - 1) dt/B(2 kappa + 1, mu).
 * dF/dkappa and dF/dmu are (1 - x)^(mu + kappa) times the first integral with a factor log(1 - x) + L - l, where L is
 * log(t q) or log(1 - t), and l its mean at x = 0; their tables leave log(1 - x) out.
 * All by the trapezoidal rule in s, t = 1/(1 + exp(-s)), where the nearest singularities are at distance pi whatever
 * x: with steps of 0.3/sqrt(1 + K/20), K = 2 kappa + mu, values differ from those of tools/wendland_reference.py, K
 * up to 44, by 40 eps at most, which 1 - x alone may move them. F(0) comes from the same rule, in place of the beta
 * function. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "covariance/cov_source.h"
#include "kernels/covariance/covariance_par.h"

/* Nodes t with weights w, which have the powers of t and rest = 1 - t. */
typedef struct {
  int64_t n;
  double *t, *w, *rest;
} rule;

/* For Int t^low (1 - t)^high f(t) dt, low, high > -1, t = from + side p: p from 0 to 1 is the variable of the rule,
 * and t one of p, p/2 and 1 - p/2. least: f may be a negative power of t beyond it. */
static status make_rule(double low, double high, double K, double from, double side, double least, rule *r) {
  const double step = 0.3 / sqrt(1 + K / 20), reach = 40 + log1p(K) * 3 + K;
  const double grow = from == 0 ? low + 1 : high + 1, fall = side == 1 ? high + 1 : 1;
  const int64_t before = (int64_t)ceil((reach / grow - log(least)) / step);
  const int64_t after = (int64_t)ceil(reach / fall / step);
  r->n = before + after + 1;
  r->t = malloc((size_t)r->n * 3 * sizeof *r->t);
  if (!r->t) return fail(STATUS_MEMORY, "covariances: no memory for %lld nodes", (long long)r->n);
  r->w = r->t + r->n;
  r->rest = r->w + r->n;
  for (int64_t i = 0; i < r->n; i++) {
    const double e = exp(-fabs((double)(i - before) * step)), small = e / (1 + e), large = 1 / (1 + e);
    const double p = i < before ? small : large, rest = i < before ? large : small;
    const double t = from + side * p, other = from == 0 ? (side == 1 ? rest : 1 - t) : -side * p;
    r->t[i] = t;
    r->rest[i] = other;
    r->w[i] = pow(t, low) * pow(other, high) * fabs(side) * p * rest * step;
  }
  return STATUS_OK;
}

static double total(const rule *r, double x, double power) {
  double sum = 0;
  if (power == 0)
    for (int64_t i = 0; i < r->n; i++) sum += r->w[i];
  else
    for (int64_t i = 0; i < r->n; i++) sum += r->w[i] * pow((1 - x) * r->t[i] + 2 * x, power);
  return sum;
}

/* As total(), with the factor of the derivative for a parameter. */
static double total_with_log(const rule *r, double x, double power, int parameter, double less) {
  double sum = 0;
  for (int64_t i = 0; i < r->n; i++) {
    const double q = (1 - x) * r->t[i] + 2 * x, large = parameter == 1 ? log(r->t[i] * q) : log(r->rest[i]);
    sum += r->w[i] * pow(q, power) * (large - less);
  }
  return sum;
}

/* 2 kappa Int t^(kappa - 1) ..., kappa < 1: on the lower half by parts, where t^(kappa - 1) is steep. Powers overflow
 * below x = 1e-140: what is there at 1e-140 becomes nothing beside the largest value when it is multiplied by x^2. */
static status steep_slopes(double kappa, double mu, int64_t n, const double *x, double *out) {
  const double K = 2 * kappa + mu, half = 2 * exp(-(kappa + mu - 1) * log(2));
  const double tiny = 1e-140;
  rule far = {0}, rough = {0}, smooth = {0};
  double least = 1;
  for (int64_t i = 0; i < n; i++) least = x[i] > 0 ? fmin(least, fmax(x[i], tiny)) : least;
  status st = make_rule(kappa - 1, mu - 1, K, 1, -0.5, 1, &far);
  if (!st) st = make_rule(kappa, mu - 2, K, 0, 0.5, least, &rough);
  if (!st) st = make_rule(kappa, mu - 1, K, 0, 0.5, least, &smooth);
  for (int64_t i = 0; i < n && !st; i++) {
    const double v = x[i] < tiny ? tiny : x[i];
    out[i] = 2 * (kappa * total(&far, v, kappa - 1) + (mu - 1) * total(&rough, v, kappa - 1) +
                  (1 - kappa) * (1 - v) * total(&smooth, v, kappa - 2)) +
             half * pow((1 + 3 * v) / 2, kappa - 1);
  }
  free(far.t);
  free(rough.t);
  free(smooth.t);
  return st;
}

static status wendland_values_of(const cov_source *s, int need, int divided, int64_t n, const double *x,
                                 double *out) {
  const double kappa = s->key[1], mu = s->key[2], K = 2 * kappa + mu;
  const int slope = need == NEED_SLOPE, steep = slope && kappa < 1;
  const int parameter = need == NEED_SHAPE ? WENDLAND_KEY - (int)s->key[0] : 0;
  rule zero = {0}, r = {0};
  status st = make_rule(2 * kappa, mu - 1, K, 0, 1, 1, &zero);
  const double at_zero = st ? 1 : total(&zero, 0, 0);
  const double mean = st || !parameter ? 0 : total_with_log(&zero, 0, 0, parameter, 0) / at_zero;
  free(zero.t);
  if (!st && steep) st = steep_slopes(kappa, mu, n, x, out);
  if (!st && !steep) st = make_rule(kappa - slope, mu - 1, K, 0, 1, 1, &r);
  for (int64_t i = 0; i < n && !st; i++) {
    const double v = x[i], weight = mu + kappa - slope;
    if (!(v < 1)) {
      out[i] = isnan(v) ? v : 0;
      continue;
    }
    const double less = mean - (divided ? 0 : log1p(-v));
    const double sum = parameter ? total_with_log(&r, v, kappa, parameter, less)
                       : steep   ? out[i]
                                 : total(&r, v, kappa - slope) * (slope ? 2 * kappa : 1);
    out[i] = sum / at_zero * (slope ? v * v : 1) * (divided ? 1 : pow(1 - v, weight));
  }
  free(r.t);
  return st;
}

cov_source wendland_source(double kappa, double mu, int parameter) {
  enum { POINTS = 8 };
  cov_source s = {.values = wendland_values_of, .key = {WENDLAND_KEY - parameter, kappa, mu}, .weight = WEIGHT_POWER,
                  .power = mu + kappa, .relative = 1, .order = kappa + 0.5, .most = 1, .farthest = INFINITY,
                  .cells = 1 << 13, .at_zero = 1};
  double x[POINTS], v[POINTS];
  for (int i = 0; i < POINTS; i++) x[i] = ldexp(0.7, -i);
  if (parameter && !s.values(&s, NEED_SHAPE, 0, POINTS, x, v))
    for (int i = 0; i < POINTS; i++) s.unit = fmax(s.unit, 8 * fabs(v[i]));
  return s;
}
