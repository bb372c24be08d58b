/* local_pairs.c: rectangles of pairs of places: x and the factor of F for each, then F and its derivatives of all by
 * the kernels, then what is made of them. */
#include "covariance/local_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bessel/bessel.h"
#include "covariance/covariance.h"
#include "engine/threads.h"

enum { SIDE = COV_TILE, MOST_PAIRS = 1 << 18 };

/* The pairs of places row, ..., row + rows - 1 of a with column, ..., column + columns - 1 of b, by columns. */
typedef struct {
  local_values v;
  int64_t row, rows, column, columns;
} rectangle;

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

static int lay_column(void *context, int64_t k, int thread) {
  const rectangle *r = context;
  (void)thread;
  local_lay(&r->v, k * r->rows, r->row, r->rows, r->column + k);
  return 1;
}

static int finish_column(void *context, int64_t k, int thread) {
  const rectangle *r = context;
  (void)thread;
  local_finish(&r->v, k * r->rows, r->row, r->rows, r->column + k);
  return 1;
}

static status fill(rectangle *r, int64_t row, int64_t rows, int64_t from, int64_t columns) {
  const int64_t n = rows * columns;
  r->row = row, r->rows = rows, r->column = from, r->columns = columns;
  threads_run(threads_for(4.0 * (double)n), columns, lay_column, r);
  const status st = local_evaluate(&r->v, n);
  if (!st && r->v.p->varying) threads_run(threads_for(20.0 * (double)n), columns, finish_column, r);
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

/* ---- matrices ---- */

typedef struct {
  const rectangle *r;
  int field;
  double *out;
} matrix_work;

static int give_column(void *context, int64_t k, int thread) {
  const matrix_work *w = context;
  const rectangle *r = w->r;
  double of_a[LOCAL_FIELDS], of_b[LOCAL_FIELDS];
  (void)thread;
  for (int64_t i = 0; i < r->rows; i++) {
    const int64_t at = k * r->rows + i;
    if (w->field == LOCAL_VALUE) w->out[at] = r->v.factor[at] * r->v.value[0][at];
    else {
      local_derivatives(&r->v, at, r->row + i, r->column + k, of_a, of_b);
      w->out[at] = of_a[w->field];
    }
  }
  return 1;
}

status local_matrix(const local_pairs *p, int field, double *out) {
  const int64_t n = p->a.n, m = p->b.n, some = n && MOST_PAIRS / n > 1 ? MOST_PAIRS / n : 1;
  const int64_t wide = some < m ? some : m;
  const call_part whole = backend_part();
  rectangle r;
  if (!n || !m) return STATUS_OK;
  status st = local_values_open(&r.v, p, field == LOCAL_VALUE ? 0 : 1 << field, n * wide);
  for (int64_t k = 0; k < m && !st; k += wide) {
    matrix_work w = {&r, field, out + k * n};
    backend_set_part(whole, (double)k / (double)m, (double)at_most(m, k + wide) / (double)m);
    st = fill(&r, 0, n, k, at_most(m - k, wide));
    if (!st) threads_run(threads_for(4.0 * (double)(n * r.columns)), r.columns, give_column, &w);
  }
  backend_set_part(whole, 0, 1);
  free(r.v.memory);
  return st;
}

/* ---- tiles of the symmetric matrix ---- */

/* A column of tiles, from the diagonal down: pieces are its tiles, first the one on the diagonal. */
typedef struct strip strip;
struct strip {
  rectangle r;
  int64_t tiles, before; /* tiles of all columns before this one */
  int mask;
  double *packed;
  const double *weight, *vector, *by;
  int count;
  const int *field;
  double *sums; /* 2 x per x SIDE for each tile: of its rows and of its columns */
  int64_t per;
};

typedef int tile_work(void *context, int64_t piece, int thread);

static status over_strips(strip *s, const local_pairs *p, double ns, tile_work *work, void (*gather)(strip *)) {
  const int64_t n = p->a.n, all = (n + SIDE - 1) / SIDE;
  const call_part whole = backend_part();
  if (!n) return STATUS_OK;
  status st = local_values_open(&s->r.v, p, s->mask, n * at_most(n, SIDE));
  s->before = 0;
  for (int64_t k = 0; k < all && !st; k++) {
    const double done = 1 - (double)(all - k) * (double)(all - k + 1) / ((double)all * (double)(all + 1));
    s->tiles = all - k;
    backend_set_part(whole, done, done + 2 * (double)s->tiles / ((double)all * (double)(all + 1)));
    st = fill(&s->r, k * SIDE, n - k * SIDE, k * SIDE, at_most(n - k * SIDE, SIDE));
    if (!st) threads_run(threads_for(ns * (double)(s->r.rows * s->r.columns)), s->tiles, work, s);
    if (!st && gather) gather(s);
    s->before += s->tiles;
  }
  backend_set_part(whole, 0, 1);
  free(s->r.v.memory);
  return st;
}

static int pack_tile(void *context, int64_t piece, int thread) {
  const strip *s = context;
  const rectangle *r = &s->r;
  double *tile = s->packed + (s->before + piece) * SIDE * SIDE;
  (void)thread;
  memset(tile, 0, SIDE * SIDE * sizeof *tile);
  const int64_t rows = at_most(r->rows - piece * SIDE, SIDE);
  for (int64_t k = 0; k < r->columns; k++) {
    const int64_t from = k * r->rows + piece * SIDE;
    for (int64_t i = 0; i < rows; i++) tile[k * SIDE + i] = r->v.factor[from + i] * r->v.value[0][from + i];
  }
  for (int64_t k = r->columns; k < SIDE && !piece; k++) tile[k * SIDE + k] = 1;
  return 1;
}

status local_packed(const local_pairs *p, double *out) {
  strip s = {.packed = out};
  return over_strips(&s, p, 1, pack_tile, NULL);
}

/* The sums of the tiles to those of the places, in one order. */
static void gather_sums(strip *s) {
  const rectangle *r = &s->r;
  const int64_t n = r->v.p->a.n;
  for (int64_t t = 0; t < s->tiles; t++) {
    const double *sums = s->sums + t * 2 * s->per * SIDE;
    const int64_t rows = at_most(r->rows - t * SIDE, SIDE);
    for (int64_t f = 0; f < s->per; f++) {
      for (int64_t i = 0; i < rows; i++) s->packed[f * n + r->row + t * SIDE + i] += sums[f * SIDE + i];
      for (int64_t i = 0; i < r->columns; i++) s->packed[f * n + r->column + i] += sums[(s->per + f) * SIDE + i];
    }
  }
}

static int adjoint_tile(void *context, int64_t piece, int thread) {
  const strip *s = context;
  const rectangle *r = &s->r;
  const double *weight = s->weight + (s->before + piece) * SIDE * SIDE;
  double *of_rows = s->sums + piece * 2 * s->per * SIDE, *of_columns = of_rows + s->per * SIDE;
  double of_a[LOCAL_FIELDS], of_b[LOCAL_FIELDS];
  const int64_t rows = at_most(r->rows - piece * SIDE, SIDE);
  (void)thread;
  memset(of_rows, 0, (size_t)(2 * s->per * SIDE) * sizeof *of_rows);
  for (int64_t k = 0; k < r->columns; k++)
    for (int64_t i = piece ? 0 : k; i < rows; i++) {
      const double w = 2 * weight[k * SIDE + i];
      local_derivatives(&r->v, k * r->rows + piece * SIDE + i, r->row + piece * SIDE + i, r->column + k, of_a, of_b);
      const double both = piece || i > k ? 1 : 0; /* a place and itself are one pair, not two */
      for (int f = 0; f < LOCAL_FIELDS; f++) {
        if (!(s->mask >> f & 1)) continue;
        of_rows[f * SIDE + i] += w * of_a[f];
        of_columns[f * SIDE + k] += both * w * of_b[f];
      }
    }
  return 1;
}

static status with_sums(strip *s, const local_pairs *p, double ns, tile_work *work) {
  const int64_t tiles = (p->a.n + SIDE - 1) / SIDE;
  s->sums = malloc((size_t)(tiles * 2 * s->per * SIDE + 1) * sizeof *s->sums);
  if (!s->sums) return fail(STATUS_MEMORY, "covariances: no memory for derivatives");
  memset(s->packed, 0, (size_t)(p->a.n * s->per) * sizeof *s->packed);
  const status st = over_strips(s, p, ns, work, gather_sums);
  free(s->sums);
  return st;
}

status local_adjoint(const local_pairs *p, const double *weight, int mask, double *out) {
  strip s = {.mask = mask, .packed = out, .weight = weight, .per = LOCAL_FIELDS};
  return with_sums(&s, p, 10, adjoint_tile);
}

/* The derivative of C(i, k) is that at i times by(i), and that at k times by(k). */
static int product_tile(void *context, int64_t piece, int thread) {
  const strip *s = context;
  const rectangle *r = &s->r;
  const int64_t n = r->v.p->a.n, rows = at_most(r->rows - piece * SIDE, SIDE);
  double *of_rows = s->sums + piece * 2 * s->per * SIDE, *of_columns = of_rows + s->per * SIDE;
  double of_a[LOCAL_FIELDS], of_b[LOCAL_FIELDS];
  (void)thread;
  memset(of_rows, 0, (size_t)(2 * s->per * SIDE) * sizeof *of_rows);
  for (int64_t k = 0; k < r->columns; k++)
    for (int64_t i = piece ? 0 : k; i < rows; i++) {
      const int64_t a = r->row + piece * SIDE + i, b = r->column + k;
      local_derivatives(&r->v, k * r->rows + piece * SIDE + i, a, b, of_a, of_b);
      for (int c = 0; c < s->count; c++) {
        const int f = s->field[c];
        const double d = of_a[f] * s->by[c * n + a] + of_b[f] * s->by[c * n + b];
        of_rows[c * SIDE + i] += d * s->vector[b];
        if (a != b) of_columns[c * SIDE + k] += d * s->vector[a];
      }
    }
  return 1;
}

status local_products(const local_pairs *p, const double *vector, int count, const int *field, const double *by,
                      double *out) {
  strip s = {.packed = out, .vector = vector, .by = by, .count = count, .field = field, .per = count};
  for (int c = 0; c < count; c++) s.mask |= 1 << field[c];
  return with_sums(&s, p, 10 + 2 * count, product_tile);
}
