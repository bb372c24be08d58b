/* stable_quantile.c: quantiles of stable distributions, by Newton's method on the logarithm of the smaller tail.
 *
 * A point is turned so that the tail asked for is the upper one, P(X > x) = p <= 1/2. The unknown s is log |y|, y
 * counted from zeta, where alpha < 0.8, for there the distribution lives on many scales; else x = sinh(s). Newton's
 * method works on h = log P(X > x), in the tails on log(-h), which is nearly linear in s for power tails and for
 * light ones, and is kept inside the bracket found so far; deep in light tails the slope comes from the last two
 * steps. All open points of a slab take a step together: one task of the joint pipeline gives their densities and
 * tails. */
#include "stable/stable.h"

#include <math.h>
#include <stdlib.h>

/* Open points are at most this many, which bounds the memory, or more on devices that are busy with no fewer. */
enum { SLAB = 1 << 15, MOST_STEPS = 200 };

typedef struct {
  int64_t at;          /* element of the result */
  double alpha, beta;  /* of the turned distribution */
  double target;       /* log p */
  double s, low, high; /* the unknown and its bracket, on which h - target changes its sign */
  double stride;       /* of the search for the other end of the bracket */
  double last_s, last_g; /* the step before: s and log(h/target) */
  signed char turned;  /* -1: mirror image */
  signed char side;    /* 0: x = sinh(s); else y = side e^s */
} quantile_point;

static double argument(const quantile_point *q) {
  return q->side ? q->side * exp(q->s) : sinh(q->s);
}

/* Between these s the argument is neither 0 nor infinite; beyond them it is. */
static double most_s(const quantile_point *q) { return q->side ? 709.78 : 710.47; }
static double least_s(const quantile_point *q) { return q->side ? -744.4 : -710.47; }
enum { BEYOND = 2 };

/* Start: the leading term of a power tail, p = (1 + beta) Gamma(alpha) sin(pi alpha/2)/(pi y^alpha) (Nolan 1997), and
 * sqrt(-4 log p) of the normal distribution's tail where alpha > 1; 0 in the middle. */
static void start(quantile_point *q) {
  const double alpha = q->alpha, power = sin(half_pi * alpha) * (1 + q->beta);
  double log_y = -INFINITY;
  if (power > 0 && alpha < 2) log_y = (lgamma(alpha) + log(power / (2 * half_pi)) - q->target) / alpha;
  q->low = -INFINITY;
  q->high = INFINITY;
  q->stride = 0;
  q->last_g = NAN;
  q->side = 0;
  if (stable_by_zeta(alpha)) {
    /* P(X > zeta) = L/pi, which for beta <= 0 keeps its digits as 1 + beta is small (stable.h) */
    const double c = 1 / stable_tangent(alpha), b = q->beta;
    const double above = b > 0 ? 1 : atan2((1 + b) * c, c * c - b) / (2 * half_pi * alpha);
    q->side = q->target < log(above) ? 1 : -1;
    q->s = q->side > 0 && log_y > -300 ? log_y : 0;
  } else if (q->target > -2) q->s = 0;
  else {
    const double core = alpha > 1 ? log(4 * sqrt(-q->target)) : 0; /* asinh of 2 sqrt(-log p), nearly */
    q->s = fmax(core, log_y + log_half < 0 ? 0 : log_y - log_half);
  }
  q->s = fmin(q->s, most_s(q));
}

/* log(f/tail). Light tails are e^-g with g a power of y, at alpha = 1 an exponential of pi x/2: where the logs of f
 * and of the tail have lost what they differ by, this tells it. */
static double log_hazard(const quantile_point *q, double log_f, double h) {
  const double y = q->side ? argument(q) : argument(q) + stable_tangent(q->alpha) * q->beta;
  if (h > -1e14) return log_f - h;
  return log(-h) + (q->alpha == 1 ? log(half_pi) : log(q->alpha / fabs((q->alpha - 1) * y)));
}

/* One step from the values at s; nonzero when done. */
static int advance(quantile_point *q, double log_f, double h, int steps) {
  const double t = q->target, miss = h - t;
  /* h falls with s, but grows with it where y < 0 */
  const double sense = q->side < 0 ? 1 : -1;
  const double log_stretch = q->side ? q->s : fabs(q->s) + log1p(exp(-2 * fabs(q->s))) + log_half;
  const double slope = sense * exp(log_hazard(q, log_f, h) + log_stretch);
  const int deep = t < -1e4;
  const double g = t < -3 && h < 0 ? log(h / t) : NAN, secant = (q->s - q->last_s) / (q->last_g / g - 1);
  double step;
  if (isnan(h)) q->s = NAN;
  if (isnan(h) || fabs(miss) <= 2.3e-16 * fmax(1, -t)) return 1;
  if (sense * miss < 0) q->low = q->s;
  else q->high = q->s;
  if (q->low >= most_s(q) || q->high <= least_s(q)) { /* the quantile overflows, or is zeta */
    q->s += q->low >= most_s(q) ? BEYOND : -BEYOND;
    return 1;
  }
  step = isnan(g) ? -miss / slope : -g * h / slope;
  /* log f - h has few digits there, and so has the slope */
  if (deep && isfinite(q->last_g) && isfinite(secant)) step = secant;
  q->last_s = q->s;
  q->last_g = g;
  if (isfinite(step) && slope != 0 && fabs(step) <= (deep ? 1e-14 : 1e-8) * fmin(1, fabs(q->s))) {
    q->s += step;
    return 1;
  }
  if (!(q->high - q->low > 4e-16 * fabs(q->s)) || steps == MOST_STEPS) return 1;
  if (isfinite(step) && slope != 0) {
    const double most = 4 + fabs(q->s);
    step = fmax(-most, fmin(most, step));
  } else step = NAN;
  if (isfinite(step) && q->s + step > q->low && q->s + step < q->high && steps % 8 != 7) q->s += step;
  else if (isfinite(q->low) && isfinite(q->high)) q->s = 0.5 * (q->low + q->high);
  else {
    q->stride = q->stride > 0 ? 2 * q->stride : 1;
    q->s += isfinite(q->low) ? q->stride : -q->stride;
  }
  q->s = fmin(fmax(q->s, least_s(q)), most_s(q));
  return 0;
}

/* The user's quantile from the solution. */
static double user_value(const quantile_point *q, double pm, double mode, double gamma, double delta) {
  const double beta = q->turned * q->beta, v = q->turned * argument(q);
  const double t = stable_tangent(q->alpha) * beta;
  double z;
  if (pm == 1 && q->alpha != 1) z = q->side ? v : v + t;
  else {
    z = q->side ? v - t : v;
    if (pm == 1 && beta != 0) z += beta / half_pi * log(gamma);
    if (pm == 2) z = (z - mode) * pow(q->alpha, -1 / q->alpha);
  }
  return delta + gamma * z;
}

/* The end of the support that belongs to probability 0 (side -1) or 1 (side 1). */
static double end_of_support(double alpha, double beta, double side, double pm, double mode, double gamma,
                             double delta) {
  if (alpha < 1 && beta == -side) {
    const double zeta = -stable_tangent(alpha) * beta;
    const double z = pm == 1 ? 0 : pm == 2 ? (zeta - mode) * pow(alpha, -1 / alpha) : zeta;
    return delta + gamma * z;
  }
  return side * INFINITY;
}

typedef struct {
  int64_t room;
  quantile_point *point;
  double *x, *alpha, *beta, *pm, *log_f, *lower, *upper;
} slab;

static void slab_close(slab *b) {
  free(b->point);
  free(b->x);
}

static status slab_open(slab *b, int64_t n) {
  const int64_t fill = 2 * backend_fill(); /* a chunk at work and one on its way */
  const size_t room = (size_t)at_most(n > 0 ? n : 1, fill > SLAB ? fill : SLAB);
  double **const column[] = {&b->x, &b->alpha, &b->beta, &b->pm, &b->log_f, &b->lower, &b->upper};
  enum { COLUMNS = sizeof column / sizeof *column };
  double *memory = malloc(sizeof *memory * COLUMNS * room);
  b->room = (int64_t)room;
  b->point = malloc(sizeof *b->point * room);
  for (size_t k = 0; k < COLUMNS; k++) *column[k] = memory ? memory + k * room : NULL;
  if (memory && b->point) return STATUS_OK;
  slab_close(b);
  return fail(STATUS_MEMORY, "no memory for %lld quantiles at a time", (long long)room);
}

/* Steps of all points of the slab until none is open. Results are the user's, or the unknowns s where p is NULL. */
static status solve(slab *b, int64_t m, int shared, const stable_parameters *p, column mode, double *out) {
  for (int steps = 0; m > 0; steps++) {
    double *const to[3] = {b->log_f, b->lower, b->upper};
    const int64_t width = shared ? 1 : m;
    int64_t open = 0;
    for (int64_t i = 0; i < m; i++) {
      const quantile_point *q = b->point + i;
      b->x[i] = argument(q);
      b->alpha[i] = q->alpha;
      b->beta[i] = q->beta;
      b->pm[i] = q->side != 0;
    }
    if (shared) /* both orientations and both sides of zeta are the same distribution */
      for (int64_t i = 0; i < m; i++) b->x[i] *= b->point[i].turned;
    const double beta = shared ? b->point[0].turned * b->beta[0] : 0;
    const stable_parameters distributions = stable_standard(
        (column){b->alpha, width}, (column){shared ? &beta : b->beta, width}, (column){b->pm, width});
    const status st = stable_joint(m, shared ? m : 1, (column){b->x, m}, distributions, 1, to, NULL);
    if (st != STATUS_OK) return st;
    for (int64_t i = 0; i < m; i++) {
      quantile_point q = b->point[i];
      const double h = shared && q.turned < 0 ? b->lower[i] : b->upper[i];
      if (!advance(&q, b->log_f[i], h, steps)) b->point[open++] = q;
      else if (p)
        out[q.at] = user_value(&q, column_at(p->pm, q.at), column_at(mode, q.at), column_at(p->gamma, q.at),
                               column_at(p->delta, q.at));
      else out[q.at] = q.side ? q.s : q.turned * q.s;
    }
    m = open;
  }
  return STATUS_OK;
}

static quantile_point target_point(int64_t at, double alpha, double beta, double log_lower, double log_upper) {
  quantile_point q = {.at = at};
  q.turned = log_lower < log_upper ? -1 : 1;
  q.alpha = alpha;
  q.beta = alpha == 2 ? 0 : q.turned * beta;
  q.target = fmin(log_lower, log_upper);
  start(&q);
  return q;
}

status stable_quantile_unknown(int64_t n, double alpha, double beta, const double *log_lower, const double *log_upper,
                               double *s) {
  slab b;
  status st = slab_open(&b, n);
  if (st) return st;
  for (int64_t i = 0; i < n && st == STATUS_OK;) {
    int64_t m = 0;
    for (; i < n && m < b.room; i++) b.point[m++] = target_point(i, alpha, beta, log_lower[i], log_upper[i]);
    st = solve(&b, m, 1, NULL, (column){0}, s);
  }
  slab_close(&b);
  return st;
}

status stable_quantile(int64_t n, column prob, stable_parameters p, int lower_tail, int log_p, double *out) {
  const int shared = p.alpha.length == 1 && p.beta.length == 1;
  const call_part whole = backend_part();
  double *modes = NULL;
  column mode;
  slab b;
  status st = slab_open(&b, n);
  if (st) return st;
  st = stable_modes(n, p, &modes, &mode);
  for (int64_t i = 0; i < n && st == STATUS_OK;) {
    int64_t m = 0;
    /* the last steps have few points: a slab counts when it is done */
    backend_set_part(whole, (double)i / (double)n, (double)i / (double)n);
    for (; i < n && m < b.room; i++) {
      const double v = column_at(prob, i), alpha = column_at(p.alpha, i), beta = column_at(p.beta, i);
      const double gamma = column_at(p.gamma, i), delta = column_at(p.delta, i), pm = column_at(p.pm, i);
      const double log_given = log_p ? v : log(v), log_rest = log_p ? log_other(v) : log1p(-v);
      const double log_lower = lower_tail ? log_given : log_rest, log_upper = lower_tail ? log_rest : log_given;
      const int known = alpha > 0 && alpha <= 2 && fabs(beta) <= 1 && gamma >= 0 && (pm == 0 || pm == 1 || pm == 2);
      out[i] = NAN;
      if (!known || isnan(delta) || !(log_p ? v <= 0 : v >= 0 && v <= 1)) continue;
      if (log_lower == -INFINITY || log_upper == -INFINITY)
        out[i] = end_of_support(alpha, beta, log_lower == -INFINITY ? -1 : 1, pm, column_at(mode, i), gamma, delta);
      else if (gamma == 0 || ((beta == 0 || alpha == 2) && v == (log_p ? log_half : 0.5))) out[i] = delta;
      else b.point[m++] = target_point(i, alpha, beta, log_lower, log_upper);
    }
    st = solve(&b, m, shared, &p, mode, out);
  }
  backend_set_part(whole, 0, 1);
  free(modes);
  slab_close(&b);
  return st;
}
