/* local_values.c: pairs of places with parameters of their own; the formulas stand in local_values.h. */
#include "covariance/local_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bessel/bessel.h"
#include "covariance/covariance.h"

static const double *known(const local_places *at, int what) { return at->known + what * at->n; }

status local_values_open(local_values *v, const local_pairs *p, int mask, int64_t room) {
  memset(v, 0, sizeof *v);
  v->p = p;
  v->slopes = mask >> LOCAL_OF_RANGE & 1 || mask >> LOCAL_OF_ANGLE & 1 || mask >> LOCAL_OF_RATIO & 1;
  v->shapes = mask >> LOCAL_OF_SMOOTHNESS & 1;
  v->mask = mask;
  v->memory = malloc((size_t)(room + 1) * (3 + LOCAL_VALUES) * sizeof(double));
  if (!v->memory) return fail(STATUS_MEMORY, "covariances: no memory for %lld pairs", (long long)room);
  double **to[] = {&v->x, &v->nu, &v->factor, v->value, v->value + 1, v->value + 2};
  for (size_t k = 0; k < sizeof to / sizeof *to; k++) *to[k] = v->memory + (int64_t)k * room;
  return STATUS_OK;
}

/* |Q|^(1/2) for Q of q times the identity */
static double root_of(double q, int dim) {
  return dim == 2 ? q : dim == 1 ? sqrt(q) : dim == 3 ? q * sqrt(q) : pow(q, 0.5 * dim);
}

void local_lay(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j) {
  const local_pairs *p = v->p;
  const int64_t n = p->a.n, m = p->b.n;
  const double *s1 = known(&p->a, LOCAL_SQUARE) + row, *weight = known(&p->a, LOCAL_WEIGHT) + row;
  const double *nu = known(&p->a, LOCAL_NU) + row;
  const double t1 = known(&p->b, LOCAL_SQUARE)[j], own = known(&p->b, LOCAL_WEIGHT)[j];
  const double nu_own = known(&p->b, LOCAL_NU)[j];
  double *x = v->x + from, *factor = v->factor + from, *order = v->nu + from;
  if (p->turned) {
    const double *s12 = s1 + n, *s2 = s12 + n, t12 = known(&p->b, LOCAL_SQUARE)[m + j];
    const double t2 = known(&p->b, LOCAL_SQUARE)[2 * m + j], *at = p->a.xy + row;
    const double bx = p->b.xy[j], by = p->b.xy[m + j];
    for (int64_t i = 0; i < rows; i++) {
      const double q1 = 0.5 * (s1[i] + t1), q12 = 0.5 * (s12[i] + t12), q2 = 0.5 * (s2[i] + t2);
      const double det = q1 * q2 - q12 * q12, dx = at[i] - bx, dy = at[n + i] - by;
      x[i] = sqrt(fmax((dx * dx * q2 - 2 * dx * dy * q12 + dy * dy * q1) / det, 0));
      factor[i] = weight[i] * own / sqrt(det);
    }
  } else {
    for (int64_t i = 0; i < rows; i++) x[i] = 0;
    for (int c = 0; c < p->dim; c++) {
      const double *at = p->a.xy + c * n + row, there = p->b.xy[c * m + j];
#pragma omp simd
      for (int64_t i = 0; i < rows; i++) x[i] += (at[i] - there) * (at[i] - there);
    }
    if (p->dim == 2)
#pragma omp simd
      for (int64_t i = 0; i < rows; i++) {
        const double inverse = 2 / (s1[i] + t1);
        x[i] = sqrt(x[i] * inverse);
        factor[i] = weight[i] * own * inverse;
      }
    else
      for (int64_t i = 0; i < rows; i++) {
        const double q = 0.5 * (s1[i] + t1);
        x[i] = sqrt(x[i] / q);
        factor[i] = weight[i] * own / root_of(q, p->dim);
      }
  }
  if (p->varying)
    for (int64_t i = 0; i < rows; i++) order[i] = 0.5 * (nu[i] + nu_own);
}

/* psi(x): psi(x) = psi(x + 1) - 1/x up to x >= 12, there log x - 1/(2 x) - Sum B_2k/(2k x^2k) (Abramowitz and Stegun
 * 6.3.18), whose eighth term is below 1e-16. Of what is at one place alone. */
static double digamma_of(double x) {
  static const double b[] = {691.0 / 32760, 1.0 / 132, 1.0 / 240, 1.0 / 252, 1.0 / 120, 1.0 / 12};
  double steps = 0, tail = 1.0 / 12;
  for (; x < 12; x += 1) steps += 1 / x;
  const double z = 1 / (x * x);
  for (size_t k = 0; k < sizeof b / sizeof *b; k++) tail = b[k] - z * tail;
  return log(x) - 0.5 / x - z * tail - steps;
}

/* F from log K, and from it and d log K/dx and d log K/dnu the derivatives, in their places. */
void local_finish(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j) {
  const local_pairs *p = v->p;
  const double *log_gamma = known(&p->a, LOCAL_LOG_GAMMA) + row;
  const double own = known(&p->b, LOCAL_LOG_GAMMA)[j];
  for (int64_t i = 0; i < rows; i++) {
    const int64_t at = from + i;
    const double x = v->x[at], nu = v->nu[at], less = 0.5 * (log_gamma[i] + own);
    double *f = v->value[0] + at, *slope = v->value[1] + at, *shape = v->value[2] + at;
    if (x > 0) {
      const double log_half = log(0.5 * x);
      *f = x < INFINITY ? 2 * exp(nu * log_half + *f - less) : 0;
      if (v->slopes) *slope = *f > 0 ? -*f * (nu + x * *slope) : 0;
      if (v->shapes) *shape = *f > 0 ? *f * (log_half + *shape) : 0;
    } else {
      *f = x == 0 ? log_gamma[i] == own ? 1 : tgamma(nu) * exp(-less) : x;
      if (v->slopes) *slope = 0;
      if (v->shapes) *shape = *f * digamma_of(nu);
    }
  }
}

status local_evaluate(const local_values *v, int64_t n) {
  const column x = {v->x, n}, nu = {v->nu, n};
  if (!v->p->varying) {
    const cov_want want[] = {{COV_VALUE, 0, NULL}, {COV_RANGE, 0, NULL}, {COV_SHAPE, 0, NULL}};
    cov_want some[LOCAL_VALUES] = {want[0]};
    double *out[LOCAL_VALUES] = {v->value[0]};
    int wants = 1;
    if (v->slopes) out[wants] = v->value[1], some[wants++] = want[1];
    if (v->shapes) out[wants] = v->value[2], some[wants++] = want[2];
    const cov_model m = {1, wants, 0, v->p->part, some};
    return cov_values(&m, COV_BY_SIZE, n, x, out);
  }
  status st = bessel_k(BESSEL_VALUE, n, x, nu, 0, 1, v->value[0]);
  if (!st && v->slopes) st = bessel_k(BESSEL_DX, n, x, nu, 0, 1, v->value[1]);
  if (!st && v->shapes) st = bessel_k(BESSEL_DNU, n, x, nu, 0, 1, v->value[2]);
  return st;
}

/* Q of a pair, u = inv(Q) h and x^2 */
typedef struct {
  double q1, q12, q2, det, u1, u2, x2;
} turned_pair;

static turned_pair turn(const local_pairs *p, int64_t i, int64_t j, double x) {
  const int64_t n = p->a.n, m = p->b.n;
  const double *s = known(&p->a, LOCAL_SQUARE) + i, *t = known(&p->b, LOCAL_SQUARE) + j;
  turned_pair q = {.q1 = 0.5 * (s[0] + t[0]), .q12 = 0.5 * (s[n] + t[m]), .q2 = 0.5 * (s[2 * n] + t[2 * m]),
                   .x2 = x * x};
  const double dx = p->a.xy[i] - p->b.xy[j], dy = p->a.xy[n + i] - p->b.xy[m + j];
  q.det = q.q1 * q.q2 - q.q12 * q.q12;
  q.u1 = (q.q2 * dx - q.q12 * dy) / q.det;
  q.u2 = (q.q1 * dy - q.q12 * dx) / q.det;
  return q;
}

/* For the derivative S' = by d of S at one of the places that of C over the factor of F,
 * (tr(inv(S) S') - tr(inv(Q) S')) F/4 - x F'(x) u' S' u/(4 x^2); numbers of s and d are n apart. */
static double of_matrix(const turned_pair *q, const double *s, const double *d, int64_t n, double by, double f,
                        double slope) {
  const double d1 = by * d[0], d12 = by * d[n], d2 = by * d[2 * n], det = s[0] * s[2 * n] - s[n] * s[n];
  const double inside = (d1 * s[2 * n] - 2 * d12 * s[n] + d2 * s[0]) / det;
  const double between = (d1 * q->q2 - 2 * d12 * q->q12 + d2 * q->q1) / q->det;
  const double moved = q->u1 * q->u1 * d1 + 2 * q->u1 * q->u2 * d12 + q->u2 * q->u2 * d2;
  return 0.25 * (inside - between) * f + (q->x2 > 0 ? 0.25 * slope * moved / q->x2 : 0);
}

void local_derivatives(const local_values *v, int64_t at, int64_t i, int64_t j, double *of_a, double *of_b) {
  const local_pairs *p = v->p;
  const double c = v->factor[at], f = v->value[0][at], slope = v->slopes ? v->value[1][at] : 0;
  of_a[LOCAL_OF_SD] = of_b[LOCAL_OF_SD] = c * f;
  if (v->shapes) {
    const double shape = 0.5 * c * v->value[2][at];
    of_a[LOCAL_OF_SMOOTHNESS] = shape - (p->varying ? 0.5 * c * f * known(&p->a, LOCAL_DIGAMMA)[i] : 0);
    of_b[LOCAL_OF_SMOOTHNESS] = shape - (p->varying ? 0.5 * c * f * known(&p->b, LOCAL_DIGAMMA)[j] : 0);
  }
  if (!v->slopes) return;
  const double *s = known(&p->a, LOCAL_SQUARE) + i, *t = known(&p->b, LOCAL_SQUARE) + j;
  if (!p->turned) {
    const double q = 0.5 * (s[0] + t[0]), half = 0.5 * p->dim, shares[] = {s[0] / q, t[0] / q};
    of_a[LOCAL_OF_RANGE] = c * (half * (1 - shares[0]) * f + 0.5 * shares[0] * slope);
    of_b[LOCAL_OF_RANGE] = c * (half * (1 - shares[1]) * f + 0.5 * shares[1] * slope);
    return;
  }
  const turned_pair q = turn(p, i, j, v->x[at]);
  const int64_t n = p->a.n, m = p->b.n;
  of_a[LOCAL_OF_RANGE] = c * of_matrix(&q, s, s, n, 2, f, slope);
  of_b[LOCAL_OF_RANGE] = c * of_matrix(&q, t, t, m, 2, f, slope);
  for (int k = 0; k < 2; k++) {
    const int field = k ? LOCAL_OF_RATIO : LOCAL_OF_ANGLE, from = k ? LOCAL_BY_RATIO : LOCAL_BY_ANGLE;
    if (!(v->mask >> field & 1)) continue;
    of_a[field] = c * of_matrix(&q, s, known(&p->a, from) + i, n, 1, f, slope);
    of_b[field] = c * of_matrix(&q, t, known(&p->b, from) + j, m, 1, f, slope);
  }
}
