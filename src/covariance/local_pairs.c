/* local_pairs.c: rectangles of pairs of places: x and the factor of F for each, then F and its derivatives of all by
 * the kernels, then what is made of them. */
#include "covariance/local_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "covariance/covariance.h"
#include "engine/threads.h"

enum { SIDE = COV_TILE, MOST_PAIRS = 1 << 18 };

/* The pairs of places row, ..., row + rows - 1 of a with column, ..., column + columns - 1 of b, by columns. */
typedef struct {
  local_values v;
  int64_t row, rows, column, columns;
} rectangle;

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
