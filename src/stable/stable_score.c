/* stable_score.c: log densities of stable distributions with scale and location, and their first derivatives, for
 * likelihoods of users.
 *
 * Points are sorted by parameterisation and standardised; stable_slopes() has the derivatives in alpha, beta and
 * z = (x - delta)/gamma, and with l' = dlog f/dz
 *   d/dx = l'/gamma,  d/ddelta = -l'/gamma,  d/dgamma = -(1 + z l')/gamma.
 * At alpha = 1 the location of S1 moves with the scale: z = (x - delta)/gamma - (2/pi) beta log(gamma).
 *
 * Far out the rays of the kernels overflow, and differences would keep 10 digits. There the first term of the tail
 * series (Nolan 1997) is the density, as long as the second is below TAIL_LEFT of it:
 *   log f = log(Gamma(1 + alpha) sin(pi alpha/2) (1 + b)/pi) - (1 + alpha) log y,  y = z + T,
 * b the skewness seen from this side, T = beta tan(pi alpha/2) in S0 and 0 in S1. The quotient of the second term and
 * the first is at most Gamma(2 alpha + 1)/Gamma(alpha + 1) A y^-alpha/(1 + b), A = sqrt(1 + T^2). */
#include "stable/stable_score.h"

#include <stdlib.h>

enum { PART = 1 << 14, FRAMES = 3 };
static const double far_out = 1e50, TAIL_LEFT = 1e-17, two_over_pi = 0.6366197723675814;

/* digamma(x), x >= 1: the recurrence up to 10, and there the asymptotic series (Abramowitz and Stegun 6.3.18), whose
 * first term left out, 1/(12 x^14), is below 1e-15. */
double stable_digamma(double x) {
  double below = 0;
  for (; x < 10; x++) below += 1 / x;
  const double v = 1 / (x * x);
  const double tail = 1. / 252 - v * (1. / 240 - v * (1. / 132 - v * 691. / 32760));
  return log(x) - 0.5 / x - v * (1. / 12 - v * (1. / 120 - v * tail)) - below;
}

typedef struct {
  double x, alpha, beta, gamma, delta;
  int frame; /* -1: not a distribution */
} point;

static point point_at(int64_t i, column x, const stable_parameters *p) {
  point q = {column_at(x, i), column_at(p->alpha, i), column_at(p->beta, i), column_at(p->gamma, i),
             column_at(p->delta, i), -1};
  const double pm = column_at(p->pm, i);
  const int valid = q.alpha > 0 && q.alpha <= 2 && fabs(q.beta) <= 1 && q.gamma > 0 && q.gamma < HUGE_VAL &&
                    isfinite(q.delta) && isfinite(q.x);
  if (valid && (pm == 0 || pm == 1 || pm == 2)) q.frame = (int)pm;
  return q;
}

static double turn(const point *q) {
  return q->frame == 1 && q->alpha == 1 ? two_over_pi * q->beta : 0;
}

/* Log density and derivatives in alpha, beta and z where the first term of the series is all; zero if it is not. */
static int far_slopes(double z, const point *q, double *slope) {
  if (!(fabs(z) > far_out) || q->frame == 2 || q->alpha == 2) return 0;
  const double a = q->alpha, side = z < 0 ? -1 : 1, b = side * q->beta, p = stable_tangent(a), t = q->beta * p;
  const double shift = q->frame == 0 ? t : 0, y = side * (z + shift);
  if (!(1 + b > 0)) return 0;
  const double second = lgamma(2 * a + 1) - lgamma(a + 1) + 0.5 * log1p(t * t) - a * log(y) - log1p(b);
  if (!(second < log(TAIL_LEFT))) return 0;
  const double per_y = -(1 + a) / y, moved = q->frame == 0 ? per_y * side : 0;
  slope[SLOPE_LOG_F] = lgamma(1 + a) + log(sin(half_pi * a) / pi) + log1p(b) - (1 + a) * log(y);
  slope[SLOPE_A] = stable_digamma(1 + a) + half_pi / tan(half_pi * a) - log(y) +
                   (a == 1 ? 0 : moved * q->beta * half_pi * (1 + p * p));
  slope[SLOPE_B] = side / (1 + b) + moved * p;
  slope[SLOPE_Z] = side * per_y;
  if (a == 1 && q->frame == 1) slope[SLOPE_A] = NAN;
  return 1;
}

/* The derivatives of point i from those of z. */
static void put(int64_t i, double z, const point *q, const double *slope, double *const out[SCORES]) {
  const double lz = slope[SLOPE_Z], g = q->gamma, w = turn(q);
  out[SCORE_LOG_F][i] = slope[SLOPE_LOG_F] - log(g);
  out[SCORE_X][i] = lz / g;
  out[SCORE_ALPHA][i] = slope[SLOPE_A];
  out[SCORE_BETA][i] = slope[SLOPE_B] - (w != 0 ? lz * two_over_pi * log(g) : 0);
  out[SCORE_GAMMA][i] = -(1 + (z + w * log(g)) * lz + w * lz) / g;
  out[SCORE_DELTA][i] = -lz / g;
}

/* At alpha = 2 and |beta| = 1 derivatives by these are one-sided limits, which the kernels do not give. The density
 * is an entire function of both (its integral along a ray converges for all), and so f_k = f dlog f/dk is
 * extrapolated from ENDS distributions at distances h, ..., ENDS h inside by a polynomial: its error is h^5 times a
 * derivative of fifth order, of the size of log(|z|)^5, and 31 times the relative error of the values, some 1e-12. z
 * is held in S0, or S1 where alpha is small: see stable_by_zeta(). */
enum { ENDS = 5 };
static const double end_weight[ENDS] = {5, -10, 10, -5, 1}, alpha_step = 2e-4, beta_step = 1e-3;

static int has_end(const point *q) { return q->frame != 2 && (q->alpha == 2 || fabs(q->beta) == 1); }

/* The one-sided derivatives of m points, at most PART/ENDS, in place of NaN; log f and that by z are known. */
static status end_slopes(int m, const point *q, const double *z, double *const slope[SLOPES], const int *of) {
  double *memory = malloc(sizeof(double) * (size_t)(m * ENDS * (3 + SLOPES)) + sizeof(int));
  if (!memory) return fail(STATUS_MEMORY, "stableScore: no memory for %d points", m * ENDS);
  const int64_t n = (int64_t)m * ENDS;
  double *y = memory, *alpha = y + n, *beta = alpha + n, *o[SLOPES];
  status st = STATUS_OK;
  for (int k = 0; k < SLOPES; k++) o[k] = beta + (1 + k) * n;
  for (int frame = 0; frame < 2 && st == STATUS_OK; frame++) {
    int64_t count = 0;
    for (int j = 0; j < m; j++) {
      const point *p = q + of[j];
      if ((p->alpha < 2 && stable_by_zeta(p->alpha)) != frame) continue;
      for (int k = 1; k <= ENDS; k++, count++) {
        const double shift = p->beta * stable_tangent(p->alpha);
        y[count] = z[of[j]] + (frame == p->frame ? 0 : frame ? shift : -shift);
        alpha[count] = p->alpha == 2 ? 2 - k * alpha_step : p->alpha;
        beta[count] = p->alpha == 2 ? p->beta : p->beta * (1 - k * beta_step);
      }
    }
    if (count == 0) continue;
    st = stable_slopes(count, 1, y, (column){alpha, count}, (column){beta, count}, frame, o);
    count = 0;
    for (int j = 0; j < m && st == STATUS_OK; j++) {
      const point *p = q + of[j];
      if ((p->alpha < 2 && stable_by_zeta(p->alpha)) != frame) continue;
      const int by = p->alpha == 2 ? SLOPE_A : SLOPE_B;
      const double log_f = slope[SLOPE_LOG_F][of[j]], p1 = stable_tangent(p->alpha);
      double sum = 0;
      for (int k = 0; k < ENDS; k++, count++)
        sum += end_weight[k] * exp(o[SLOPE_LOG_F][count] - log_f) * o[by][count];
      /* from what holds z of this frame to what holds that of the point's; y = x + T */
      const double moves = by == SLOPE_A ? half_pi * p->beta : p1;
      if (frame != p->frame) sum += (frame ? 1 : -1) * moves * slope[SLOPE_Z][of[j]];
      if (log_f != -HUGE_VAL) slope[by][of[j]] = sum;
    }
  }
  free(memory);
  return st;
}

/* Points at[0], ..., at[m - 1] of one frame, whose distributions differ unless `shared`. */
static status frame_scores(int m, const int64_t *at, const point *q, int shared, double *memory,
                           double *const out[SCORES]) {
  double *z = memory, *alpha = z + PART, *beta = alpha + PART, *o[SLOPES], slope[SLOPES];
  for (int k = 0; k < SLOPES; k++) o[k] = beta + (1 + k) * PART;
  for (int j = 0; j < m; j++) {
    const double w = turn(q + j);
    z[j] = (q[j].x - q[j].delta) / q[j].gamma - (w != 0 ? w * log(q[j].gamma) : 0);
    alpha[j] = q[j].alpha;
    beta[j] = q[j].beta;
  }
  const int64_t length = shared ? 1 : m;
  const status st = stable_slopes(m, shared ? m : 1, z, (column){alpha, length}, (column){beta, length}, q->frame, o);
  if (st != STATUS_OK) return st;
  int of[PART / ENDS];
  for (int j = 0, ends = 0; j < m; j++) {
    if (has_end(q + j)) of[ends++] = j;
    if (ends == 0 || (ends < PART / ENDS && j < m - 1)) continue;
    const status done = end_slopes(ends, q, z, o, of);
    if (done != STATUS_OK) return done;
    ends = 0;
  }
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < SLOPES; k++) slope[k] = o[k][j];
    far_slopes(z[j], q + j, slope);
    put(at[j], z[j], q + j, slope, out);
  }
  return STATUS_OK;
}

/* Log densities of points without a frame: of points at infinity, point masses and what is no distribution. */
static status others(int m, const int64_t *at, column x, stable_parameters p, double *memory,
                     double *const out[SCORES]) {
  double *const own = memory, *f = memory + 6 * PART;
  const column given[6] = {x, p.alpha, p.beta, p.gamma, p.delta, p.pm};
  column c[6];
  for (int k = 0; k < 6; k++) {
    for (int j = 0; j < m; j++) own[k * PART + j] = column_at(given[k], at[j]);
    c[k] = (column){own + k * PART, m};
  }
  const status st = stable_density(m, 1, c[0], (stable_parameters){c[1], c[2], c[3], c[4], c[5]}, 1, f);
  for (int j = 0; j < m && st == STATUS_OK; j++) {
    for (int k = 0; k < SCORES; k++) out[k][at[j]] = NAN;
    out[SCORE_LOG_F][at[j]] = f[j];
  }
  return st;
}

static int is_shared(const stable_parameters *p) {
  return p->alpha.length == 1 && p->beta.length == 1 && p->pm.length == 1;
}

/* Of the points of one frame, or those without. */
static status some_scores(int frame, int m, const int64_t *at, const point *q, column x, stable_parameters p,
                          double *memory, double *const out[SCORES]) {
  if (m == 0) return STATUS_OK;
  return frame < 0 ? others(m, at, x, p, memory, out) : frame_scores(m, at, q, is_shared(&p), memory, out);
}

status stable_score(int64_t n, column x, stable_parameters p, double *const out[SCORES]) {
  const size_t each = sizeof(double) * (3 + SLOPES) + sizeof(point) + sizeof(int64_t);
  double *memory = malloc(each * PART);
  if (!memory) return fail(STATUS_MEMORY, "stableScore: no memory for %d points", (int)PART);
  point *q = (point *)(memory + (3 + SLOPES) * PART);
  int64_t *at = (int64_t *)(q + PART);
  status st = STATUS_OK;
  for (int frame = -1; frame < FRAMES && st == STATUS_OK; frame++) {
    int m = 0;
    for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
      const point here = point_at(i, x, &p);
      if (here.frame != frame) continue;
      q[m] = here;
      at[m++] = i;
      if (m < PART) continue;
      st = some_scores(frame, m, at, q, x, p, memory, out);
      m = 0;
    }
    if (st == STATUS_OK) st = some_scores(frame, m, at, q, x, p, memory, out);
  }
  free(memory);
  return st;
}
