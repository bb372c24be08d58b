/* stable_ecf.c: estimators of stable distributions by the empirical characteristic function. In S0, at t > 0, with u
 * = gamma t and l = log(u),
 *   log phi(t) = -u^alpha + i (delta t + beta v),  v = tan(pi alpha/2) (u^alpha - u),
 * and v is smooth at alpha = 1: with d = alpha - 1, v = -(2/pi) q(d) u l E(d l), q(d) = (pi d/2)/tan(pi d/2) and E(x)
 * = expm1(x)/x.
 *
 * Regressions, Koutrouvelis (1980): log(-log|phi|^2) is linear in log t with slope alpha and intercept log(2
 * gamma^alpha), arg(phi) linear in t and v with coefficients delta and beta. Least squares without weights, at pi
 * k/25, k = 1, ..., K, and pi k/50, k = 1, ..., L, of the sample standardised by the distribution so far, from
 * McCulloch's on until it stays. K and L: his tables for n = 200, 800, 1600 and alpha from 0.3 to 1.9, linear
 * between. Points at which the modulus is below its standard error tell nothing and are left out. Consistent for all
 * alpha.
 *
 * Distance, Paulson, Holcomb and Leitch (1975): the integral of |phi_n - phi|^2 exp(-t^2) is minimised for the sample
 * standardised by McCulloch's estimate, here by the trapezoidal rule on FREQUENCIES equidistant points: they cost one
 * sine and cosine per observation. Then, Feuerverger and McDunnough (1981), the distance is weighted by the inverse
 * of the covariance that the parts of phi_n at these points have under the distribution found, with a share of their
 * variances, and the error of rounding, added to the diagonal: neighbouring points tell nearly the same. Consistent
 * for all alpha. */
#include <math.h>
#include <string.h>

#include "stable/cholesky.h"
#include "stable/least_squares.h"
#include "stable/stable_estimators.h"

enum { MOST_POINTS = 268, BLOCK = 64 };

/* Real and imaginary parts of phi_n at h k, k = 1, ..., points, of (x - delta)/gamma; cos((k + 1) a) and
 * sin((k + 1) a) are 2 cos(a) times those of k a less those of (k - 1) a. */
static void empirical(const ordered_sample *s, double gamma, double delta, double h, int points, double *re,
                      double *im) {
  static const double most = 1e300;
  memset(re, 0, (size_t)points * sizeof *re);
  memset(im, 0, (size_t)points * sizeof *im);
  for (int64_t from = 0; from < s->n && !sample_stops(s, from); from += BLOCK) {
    double twice[BLOCK], c[BLOCK], c_before[BLOCK], d[BLOCK], d_before[BLOCK];
    for (int j = 0; j < BLOCK; j++) {
      const int64_t i = from + j;
      const double w = i >= s->n ? 0 : s->weight ? s->weight[i] : 1;
      const double a = i >= s->n ? 0 : h * fmin(fmax((s->x[i] - delta) / gamma, -most), most);
      const double cosine = cos(a), sine = sin(a);
      twice[j] = 2 * cosine;
      c[j] = w * cosine;
      d[j] = w * sine;
      c_before[j] = w;
      d_before[j] = 0;
    }
    for (int k = 0; k < points; k++) {
      double sum_c = 0, sum_d = 0;
#pragma omp simd reduction(+ : sum_c, sum_d)
      for (int j = 0; j < BLOCK; j++) {
        const double next_c = twice[j] * c[j] - c_before[j], next_d = twice[j] * d[j] - d_before[j];
        sum_c += c[j];
        sum_d += d[j];
        c_before[j] = c[j];
        d_before[j] = d[j];
        c[j] = next_c;
        d[j] = next_d;
      }
      re[k] += sum_c;
      im[k] += sum_d;
    }
  }
  for (int k = 0; k < points; k++) {
    re[k] /= s->total;
    im[k] /= s->total;
  }
}

/* What skewness needs of alpha: d, and q(d) and its slope over -pi/2. */
typedef struct {
  double d, q, q_slope;
} skew_factor;

static skew_factor skew_of(double alpha) {
  const double d = alpha - 1, near = pi * d * (pi * d);
  skew_factor f = {d, (1 - near / 12 - near * near / 720) / -half_pi, pi * d / 3 * (1 + near / 30)};
  if (fabs(d) < 1e-3) return f;
  const double sine = sin(half_pi * d), cosine = alpha == 2 ? 0 : cos(half_pi * d);
  f.q = -d * cosine / sine;
  f.q_slope = (half_pi * d / sine - cosine) / sine;
  return f;
}

/* v at u = e^l, and its derivatives with respect to alpha and l. */
static void skewness(const skew_factor *f, double u, double l, double *v, double *by_alpha, double *by_log) {
  const double x = f->d * l, grown = expm1(x);
  double e, e_slope;
  if (fabs(x) < 1e-3) {
    e = 1 + x * (1.0 / 2 + x * (1.0 / 6 + x / 24));
    e_slope = 1.0 / 2 + x * (1.0 / 3 + x * (1.0 / 8 + x / 30));
  } else {
    e = grown / x;
    e_slope = (1 + grown - e) / x;
  }
  *v = f->q * u * l * e;
  *by_alpha = u * l * (f->q_slope * e + f->q * l * e_slope);
  *by_log = f->q * u * (l * e + 1 + grown);
}

/* The distribution in par given in units of the one in from; and fixed values, in the same units. */
static void in_units(const double *from, double *par) {
  par[GAMMA] *= from[GAMMA];
  par[DELTA] = from[DELTA] + from[GAMMA] * par[DELTA];
}

static void to_units(const double *from, const double *fixed, double *scaled) {
  memcpy(scaled, fixed, STABLE_PARS * sizeof *scaled);
  scaled[GAMMA] /= from[GAMMA];
  scaled[DELTA] = (scaled[DELTA] - from[DELTA]) / from[GAMMA];
}

static int is_distribution(const double *fixed, double *par) {
  for (int k = 0; k < STABLE_PARS; k++)
    if (!isnan(fixed[k])) par[k] = fixed[k];
  if (par[0] == 2 && isnan(fixed[BETA])) par[1] = 0; /* it has no effect there */
  return par[0] >= ESTIMATE_ALPHA_MIN && par[0] <= 2 && fabs(par[1]) <= 1 && par[2] > 0 && isfinite(par[2]) &&
         isfinite(par[3]);
}

/* ---- regressions ---- */

static double between(const double *at, const double (*table)[3], int rows, double alpha, double n) {
  int i = 0;
  while (i < rows - 2 && alpha < at[i + 1]) i++;
  const double u = fmin(fmax((at[i] - alpha) / (at[i] - at[i + 1]), 0), 1);
  const int j = n > 800;
  const double v = fmin(fmax(j ? (n - 800) / 800 : (n - 200) / 600, 0), 1);
  return (1 - u) * ((1 - v) * table[i][j] + v * table[i][j + 1]) +
         u * ((1 - v) * table[i + 1][j] + v * table[i + 1][j + 1]);
}

static int points_of_modulus(double alpha, double n) {
  static const double at[] = {1.9, 1.5, 1.3, 1.1, 0.9, 0.7, 0.5, 0.3};
  static const double table[][3] = {{9, 9, 10},   {11, 11, 11}, {22, 16, 14}, {24, 18, 15},
                                    {28, 22, 18}, {30, 24, 20}, {86, 68, 56}, {134, 124, 118}};
  return (int)(between(at, table, 8, alpha, n) + 0.5);
}

static int points_of_argument(double alpha, double n) {
  static const double at[] = {1.9, 1.5, 1.1, 0.9, 0.7, 0.5, 0.3};
  static const double table[][3] = {{9, 10, 11},  {12, 14, 15}, {16, 18, 17}, {14, 14, 14},
                                    {24, 16, 16}, {40, 38, 36}, {70, 68, 66}};
  return (int)(between(at, table, 7, alpha, n) + 0.5);
}

/* alpha and gamma of the standardised sample, from every other point of spacing pi/50. */
static int regress_modulus(const double *re, const double *im, double n, const double *fixed, int points,
                           double *par) {
  double y[MOST_POINTS], lt[MOST_POINTS], my = 0, mt = 0, sty = 0, stt = 0;
  int m = 0;
  for (int k = 0; k < points; k++) {
    const double size = re[2 * k + 1] * re[2 * k + 1] + im[2 * k + 1] * im[2 * k + 1];
    if (!(size > 1 / n) || !(size < 1)) continue;
    y[m] = log(-log(size));
    lt[m] = log(pi / 25 * (k + 1));
    my += y[m];
    mt += lt[m++];
  }
  if (m < 2) return 0;
  my /= m;
  mt /= m;
  const double log_g = log(fixed[GAMMA]);
  const double from = isnan(log_g) ? mt : -log_g, level = isnan(log_g) ? my : log(2);
  for (int k = 0; k < m; k++) {
    sty += (lt[k] - from) * (y[k] - level);
    stt += (lt[k] - from) * (lt[k] - from);
  }
  par[ALPHA] = isnan(fixed[ALPHA]) ? fmin(fmax(sty / stt, ESTIMATE_ALPHA_MIN), 2) : fixed[ALPHA];
  par[GAMMA] = isnan(log_g) ? exp(fmin(fmax((my - log(2)) / par[ALPHA] - mt, -5), 5)) : fixed[GAMMA];
  return 1;
}

/* beta and delta, given alpha and gamma. */
static void regress_argument(const double *re, const double *im, double n, const double *fixed, int points,
                             double *par) {
  const skew_factor f = skew_of(par[ALPHA]);
  double s11 = 0, s12 = 0, s22 = 0, s1 = 0, s2 = 0, before = 0;
  for (int k = 0; k < points; k++) {
    const double t = pi / 50 * (k + 1);
    double v, by_alpha, by_log, arg = atan2(im[k], re[k]);
    arg -= 2 * pi * floor((arg - before) / (2 * pi) + 0.5); /* the branch continues */
    before = arg;
    if (!(re[k] * re[k] + im[k] * im[k] > 1 / n)) continue;
    skewness(&f, par[GAMMA] * t, log(par[GAMMA] * t), &v, &by_alpha, &by_log);
    s11 += t * t;
    s12 += t * v;
    s22 += v * v;
    s1 += t * arg;
    s2 += v * arg;
  }
  const double det = s11 * s22 - s12 * s12, delta = fixed[DELTA];
  double b = 0;
  if (!isnan(delta)) b = s22 > 0 ? (s2 - s12 * delta) / s22 : 0;
  else if (det > 1e-12 * s11 * s22) b = (s11 * s2 - s12 * s1) / det;
  par[BETA] = isnan(fixed[BETA]) ? fmin(fmax(b, -1), 1) : fixed[BETA];
  par[DELTA] = isnan(delta) ? (s11 > 0 ? (s1 - s12 * par[BETA]) / s11 : 0) : delta;
}

int stable_koutrouvelis(const ordered_sample *s, const double *fixed, double *par) {
  enum { MOST_ROUNDS = 40, POINTS_CHANGE = 5 }; /* numbers of points stay from then on: nothing can go in circles */
  int of_modulus = 0, of_argument = 0;
  double change = 1, re[MOST_POINTS], im[MOST_POINTS];
  if (!stable_mcculloch(s, fixed, par)) return 0;
  for (int round = 0; round < MOST_ROUNDS && change > 1e-5; round++) {
    double next[STABLE_PARS], scaled[STABLE_PARS];
    to_units(par, fixed, scaled);
    if (round < POINTS_CHANGE) {
      of_modulus = points_of_modulus(par[ALPHA], s->total);
      of_argument = points_of_argument(par[ALPHA], s->total);
    }
    const int points = 2 * of_modulus > of_argument ? 2 * of_modulus : of_argument;
    empirical(s, par[GAMMA], par[DELTA], pi / 50, points, re, im);
    if (!regress_modulus(re, im, s->total, scaled, of_modulus, next)) return 0;
    regress_argument(re, im, s->total, scaled, of_argument, next);
    change = fabs(next[0] - par[0]) + fabs(next[1] - par[1]) + fabs(log(next[2])) + fabs(next[3]);
    in_units(par, next);
    memcpy(par, next, sizeof next);
  }
  return is_distribution(fixed, par);
}

/* ---- distance ---- */

enum { FREQUENCIES = 20, PARTS = 2 * FREQUENCIES };
static const double spacing = 0.1, added_variance = 1e-3;

typedef struct {
  double log_k[PARTS];         /* log(1), log(2), ... */
  double part[PARTS];          /* of phi_n: FREQUENCIES real ones, then the imaginary ones */
  double weight[PARTS][PARTS]; /* lower triangle that whitens the parts: Cholesky's of their covariance */
  int whiten;
} distance;

/* Parts of phi, and with slope their derivatives in (alpha, beta, log gamma, delta), k = 1, ..., points. */
static void model(const double *log_k, const double *par, int points, double *re, double *im,
                  double (*slope)[LEAST_SQUARES_PARS]) {
  const double h = spacing * exp(par[2]), log_h = log(spacing) + par[2];
  const skew_factor f = skew_of(par[0]);
  for (int k = 0; k < points; k++) {
    const double t = spacing * (k + 1), l = log_k[k] + log_h, power = exp(par[0] * l);
    double v, by_alpha, by_log;
    skewness(&f, h * (k + 1), l, &v, &by_alpha, &by_log);
    const double arg = par[3] * t + par[1] * v, size = exp(-power), c = size * cos(arg), d = size * sin(arg);
    re[k] = c;
    im[k] = d;
    if (!slope) continue;
    const double real[4] = {-power * l, 0, -par[0] * power, 0};
    const double imaginary[4] = {par[1] * by_alpha, v, par[1] * by_log, t};
    for (int j = 0; j < 4; j++) {
      slope[k][j] = real[j] * c - imaginary[j] * d;
      slope[points + k][j] = real[j] * d + imaginary[j] * c;
    }
  }
}

static void parts_residuals(const void *data, const double *par, double *r, double (*jacobian)[LEAST_SQUARES_PARS]) {
  const distance *q = data;
  model(q->log_k, par, FREQUENCIES, r, r + FREQUENCIES, jacobian);
  for (int i = 0; i < PARTS; i++) r[i] -= q->part[i];
  for (int i = 0; i < PARTS; i++) {
    double scale = q->weight[i][i];
    if (q->whiten) {
      for (int k = 0; k < i; k++) {
        r[i] -= q->weight[i][k] * r[k];
        for (int j = 0; j < 4; j++) jacobian[i][j] -= q->weight[i][k] * jacobian[k][j];
      }
      scale = 1 / scale;
    }
    r[i] *= scale;
    for (int j = 0; j < 4; j++) jacobian[i][j] *= scale;
  }
}

/* n times the covariances: with a = phi(s - t), b = phi(s + t), those of cos sX and cos tX are Re(a + b)/2, of sin
 * and sin Re(a - b)/2, of sin sX and cos tX Im(b + a)/2, less the products of the means. 0 if it is not positive
 * definite. */
static int weigh_by_covariance(const double *par, distance *q) {
  double re[PARTS + 1], im[PARTS + 1];
  re[0] = 1;
  im[0] = 0;
  model(q->log_k, par, PARTS, re + 1, im + 1, NULL);
  for (int i = 0; i < PARTS; i++)
    for (int k = 0; k <= i; k++) {
      const int s = i % FREQUENCIES + 1, t = k % FREQUENCIES + 1, apart = s > t ? s - t : t - s;
      const int sine_i = i >= FREQUENCIES, sine_k = k >= FREQUENCIES;
      double c;
      if (sine_i == sine_k) {
        c = 0.5 * (sine_i ? re[apart] - re[s + t] : re[apart] + re[s + t]);
      } else { /* i sine, k cosine */
        const double between_them = s > t ? im[apart] : -im[apart];
        c = 0.5 * (im[s + t] + between_them);
      }
      c -= (sine_i ? im[s] : re[s]) * (sine_k ? im[t] : re[t]);
      q->weight[i][k] = i == k ? c * (1 + added_variance) + 1e-12 : c;
    }
  q->whiten = cholesky_factor(PARTS, q->weight[0], 0);
  return q->whiten;
}

/* par: on entry the distribution that standardises and starts. */
static int minimise(const ordered_sample *s, const double *fixed, int by_covariance, double *par) {
  distance q = {.whiten = 0};
  double scaled[STABLE_PARS], next[STABLE_PARS] = {par[0], par[1], 0, 0};
  least_squares problem = {4, PARTS, parts_residuals, &q, by_covariance ? 1e-7 : 1e-3, {0},
                           {ESTIMATE_ALPHA_MIN, -1, -5, -20}, {2, 1, 5, 20}};
  to_units(par, fixed, scaled);
  scaled[GAMMA] = log(scaled[GAMMA]);
  for (int k = 0; k < STABLE_PARS; k++) {
    problem.free[k] = isnan(scaled[k]);
    if (!problem.free[k]) next[k] = problem.low[k] = problem.high[k] = scaled[k];
  }
  empirical(s, par[GAMMA], par[DELTA], spacing, FREQUENCIES, q.part, q.part + FREQUENCIES);
  for (int k = 0; k < PARTS; k++) q.log_k[k] = log(k + 1);
  for (int k = 0; k < FREQUENCIES; k++) {
    const double t = spacing * (k + 1);
    q.weight[k][k] = q.weight[FREQUENCIES + k][FREQUENCIES + k] = exp(-0.5 * t * t);
  }
  /* the distance hardly varies at the boundaries of alpha and beta: no start is on them; and nearer to the normal
   * distribution the covariance is nearer to a singular one */
  if (problem.free[0]) next[0] = fmin(fmax(next[0], 0.1), 1.95);
  if (problem.free[1]) next[1] = fmin(fmax(next[1], -0.95), 0.95);
  if (by_covariance && !weigh_by_covariance(next, &q)) return 0;
  if (!isfinite(least_squares_fit(&problem, next))) return 0;
  next[2] = exp(next[2]);
  in_units(par, next);
  memcpy(par, next, sizeof next);
  return is_distribution(fixed, par);
}

int stable_ecf(const ordered_sample *s, const double *fixed, double *par) {
  return stable_mcculloch(s, fixed, par) && minimise(s, fixed, 0, par) && minimise(s, fixed, 1, par);
}
