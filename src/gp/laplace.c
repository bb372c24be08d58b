/* laplace.c: see laplace.h. */
#include "gp/laplace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/cpu.h"
#include "engine/exact_sum.h"
#include "engine/threads.h"
#include "gp/laplace_levels.h"
#include "kernels/common/philox.h"

/* WIDE: columns that go together; ROWS: of a piece of work by rows, and between two polls; CELLS: columns of a piece
 * of work with few elements each. */
enum { WIDE = LAPLACE_WIDE, ROWS = 4096, CELLS = 64 };

static status no_memory(int64_t n) {
  return fail(STATUS_MEMORY, "Laplace's approximation: no memory for %lld locations", (long long)n);
}

void laplace_sort(int64_t n, int m, const int32_t *members, int32_t *start, int32_t *near, int32_t *from) {
  int32_t end = 0;
  for (int64_t k = 0; k < n; k++) {
    const int32_t *own = members + k * m;
    start[k] = end;
    for (int i = 0; i < m; i++) {
      if (own[i] <= 0) continue;
      int32_t place = end++;
      for (; place > start[k] && near[place - 1] > own[i] - 1; place--)
        near[place] = near[place - 1], from[place] = from[place - 1];
      near[place] = own[i] - 1;
      from[place] = i;
    }
  }
  start[n] = end;
}

/* ---- the prior with all neighbours ---- */

static double dot(int64_t n, const double *x, const double *y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Rows of the factor, S = L L', and then of its inverse X, which begin every n numbers: L_kk X has rows of B. */
status laplace_dense_prior(const laplace_pattern *at, double *s, double *variance, double *weights, int64_t *bad) {
  const int64_t n = at->n;
  double *own = malloc(((size_t)n + 1) * sizeof *own);
  status st = own ? STATUS_OK : no_memory(n);
  *bad = -1;
  for (int64_t k = 0; k < n && !st && *bad < 0; k++) {
    double *row = s + k * n;
    for (int64_t j = 0; j < k; j++) row[j] = (row[j] - dot(j, row, s + j * n)) / s[j * n + j];
    variance[k] = row[k] - dot(k, row, row);
    if (!(variance[k] > 0 && isfinite(variance[k]))) *bad = k;
    row[k] = sqrt(variance[k]);
    st = backend_pause(NAN);
  }
  for (int64_t k = 0; k < n && !st && *bad < 0; k++) {
    double *row = s + k * n;
    memset(own, 0, (size_t)n * sizeof *own);
    for (int64_t j = 0; j < k; j++) {
      const double by = row[j] / row[k], *other = s + j * n;
      for (int64_t i = 0; i <= j && by != 0; i++) own[i] -= by * other[i];
    }
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) weights[p] = -own[at->near[p]] * row[k];
    own[k] = 1 / row[k];
    memcpy(row, own, ((size_t)k + 1) * sizeof *row);
    st = backend_pause(NAN);
  }
  free(own);
  return st;
}

/* ---- the factor ---- */

const laplace_columns *laplace_columns_in_use(void) {
#define COLUMNS_LINE(level, of)                                                                              \
  if (!strcmp(cpu_level_name(), #level)) return &LAPLACE_COLUMNS(level);
  CPU_LEVELS(COLUMNS_LINE, )
#undef COLUMNS_LINE
  return NULL; /* without an instruction set the package is not loaded */
}

/* With v_kk = sqrt(a_kk) and v_kj = a_kj / v_kk row k is eliminated by a_ij -= v_ki v_kj. Of Q it takes away what it
 * had brought, b_ki b_kj / d_k, so that a begins as row k of B alone, and the difference of both products is added:
 * Q is never made, and small W lose no digits. b and v have, at neighbours of k, b_kj / sqrt(d_k) and v_kj, 0
 * elsewhere, and `both` has them side by side. */
status laplace_factorise(const laplace_system *a, double *diagonal, double *below, int64_t *replaced) {
  const laplace_pattern *at = &a->at;
  status st = STATUS_OK;
  const laplace_columns *by = laplace_columns_in_use();
  double *b = calloc(4 * (size_t)at->n + 1, sizeof *b), *v = b + at->n, *both = v + at->n;
  if (!b) return no_memory(at->n);
  *replaced = 0;
  for (int64_t k = 0; k < at->n; k++) {
    diagonal[k] = 1 / a->variance[k] + (a->w ? a->w[k] : 0);
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) below[p] = -a->weights[p] / a->variance[k];
    if (a->coupling)
      for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) below[p] += a->coupling[p];
  }
  for (int64_t k = at->n - 1; k >= 0 && !st; k--) {
    const double w = a->w ? a->w[k] : 0, root = sqrt(a->variance[k]);
    if (!(diagonal[k] > 1e-3 * w && diagonal[k] > 0)) {
      diagonal[k] = 1 / a->variance[k] + w;
      ++*replaced;
    }
    diagonal[k] = sqrt(diagonal[k]);
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      below[p] /= diagonal[k];
      const int64_t i = at->near[p];
      b[i] = both[2 * i] = -a->weights[p] / root;
      v[i] = both[2 * i + 1] = below[p];
    }
    by->eliminate(at, k, diagonal, below, b, v, both);
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      const int64_t i = at->near[p];
      b[i] = v[i] = both[2 * i] = both[2 * i + 1] = 0;
    }
    if (k % ROWS == 0) st = backend_pause(NAN);
  }
  free(b);
  return st;
}

double laplace_log_det(int64_t n, const double *diagonal) {
  exact_sum sum = {0, 0};
  for (int64_t k = 0; k < n; k++) exact_add(&sum, log(diagonal[k]));
  return 2 * exact_total(sum);
}

/* ---- elements of the inverse ---- */

/* The places that locations have among the neighbours of one, `most` for all others, and numbers of these, of which
 * those of others are not used. */
typedef struct {
  int32_t most, *place;
  double *own, *sum;
} neighbourhood;

static int32_t most_neighbours(const laplace_pattern *at) {
  int32_t most = 0;
  for (int64_t k = 0; k < at->n; k++)
    if (at->start[k + 1] - at->start[k] > most) most = at->start[k + 1] - at->start[k];
  return most;
}

static int neighbourhood_open(neighbourhood *h, const laplace_pattern *at) {
  h->most = most_neighbours(at);
  h->place = malloc((size_t)(at->n + 1) * sizeof *h->place);
  h->own = calloc(2 * ((size_t)h->most + 1), sizeof *h->own);
  if (!h->place || !h->own) return 0;
  h->sum = h->own + h->most + 1;
  for (int64_t i = 0; i < at->n; i++) h->place[i] = h->most;
  return 1;
}

static void neighbourhood_close(neighbourhood *h) {
  free(h->place);
  free(h->own);
}

static void enter(neighbourhood *h, const laplace_pattern *at, int64_t k) {
  for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) h->place[at->near[p]] = p - at->start[k];
}

static void leave(neighbourhood *h, const laplace_pattern *at, int64_t k) {
  for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) h->place[at->near[p]] = h->most;
}

/* sum = S own, where S has the rows and columns of G of the neighbours of k, and 0 where G has none. */
static void within(neighbourhood *h, const laplace_pattern *at, laplace_factor g, int64_t k) {
  for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
    const int32_t i = at->near[p], here = p - at->start[k];
    const double own = h->own[here];
    double sum = g.diagonal[i] * own;
    for (int32_t q = at->start[i]; q < at->start[i + 1]; q++) {
      const int32_t there = h->place[at->near[q]];
      sum += g.below[q] * h->own[there];
      h->sum[there] += g.below[q] * own;
    }
    h->sum[here] += sum;
  }
}

/* The elimination backwards, for f = 2 sum log v_kk: G_kj = -(S v_k)_j / v_kk and G_kk = (1 + sum_j v_kj (S v_k)_j) /
 * v_kk^2, which is the recursion of Takahashi, Fagan and Chin (1973) on a pattern that has no fill. */
status laplace_inverse(const laplace_pattern *at, laplace_factor v, double *diagonal, double *below) {
  const laplace_factor g = {diagonal, below};
  neighbourhood h;
  status st = STATUS_OK;
  if (!neighbourhood_open(&h, at)) st = no_memory(at->n);
  for (int64_t k = 0; k < at->n && !st; k++) {
    const int32_t first = at->start[k], count = at->start[k + 1] - first;
    enter(&h, at, k);
    memset(h.sum, 0, ((size_t)h.most + 1) * sizeof *h.sum);
    memcpy(h.own, v.below + first, (size_t)count * sizeof *h.own);
    h.own[h.most] = 0;
    within(&h, at, g, k);
    double sum = 1;
    for (int32_t p = 0; p < count; p++) {
      below[first + p] = -h.sum[p] / v.diagonal[k];
      sum += h.sum[p] * h.own[p];
    }
    diagonal[k] = sum / (v.diagonal[k] * v.diagonal[k]);
    leave(&h, at, k);
    if (k % ROWS == 0) st = backend_pause(NAN);
  }
  neighbourhood_close(&h);
  return st;
}

/* ---- columns side by side ---- */

/* Blocks are n rows of `wide` numbers, 1, 2, 4 or WIDE. Calls one of the functions with the width as a constant. */
#define OF_WIDTH(wide, call)                                                                                 \
  switch (wide) {                                                                                            \
    case 1: call(1); break;                                                                                  \
    case 2: call(2); break;                                                                                  \
    case 4: call(4); break;                                                                                  \
    default: call(WIDE);                                                                                     \
  }

static inline void dots_of(int64_t n, const double *x, const double *y, double *sum, const int wide) {
  for (int c = 0; c < wide; c++) sum[c] = 0;
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < wide; c++) sum[c] += x[i * wide + c] * y[i * wide + c];
}

static inline void add_of(int64_t n, const double *by, const double *x, double *y, const int wide) {
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < wide; c++) y[i * wide + c] += by[c] * x[i * wide + c];
}

/* Sums over rows: of each column. */
static void dots(int64_t n, const double *x, const double *y, int wide, double *sum) {
#define DOTS(width) dots_of(n, x, y, sum, width)
  OF_WIDTH(wide, DOTS)
}

/* y += by x */
static void add(int64_t n, const double *by, const double *x, double *y, int wide) {
#define ADD(width) add_of(n, by, x, y, width)
  OF_WIDTH(wide, ADD)
}

/* Work on blocks of columns, each by one thread in memory of its own. A block of few columns has one after the other,
 * so that a column's result is the same in any. */
typedef struct column_work column_work;
struct column_work {
  const laplace_columns *by;
  const laplace_system *a;
  laplace_system slope;
  const laplace_pattern *at;
  laplace_factor v;
  int64_t columns, piece; /* piece: the first in hand */
  int wide, transposed, most, steps, *needed; /* needed: by column */
  const double *b;
  double *x, tolerance;
  double *memory; /* by thread: `blocks` of them */
  int blocks;
  void (*of)(column_work *w, int64_t first, int count, double *block);
};

static int columns_of_piece(void *context, int64_t piece, int thread) {
  column_work *w = context;
  const int64_t first = (w->piece + piece) * w->wide, left = w->columns - first;
  w->of(w, first, left < w->wide ? (int)left : w->wide,
        w->memory + (int64_t)thread * w->blocks * w->at->n * w->wide);
  return 1;
}

static status run_columns(column_work *w) {
  const int64_t n = w->at->n;
  status st = STATUS_OK;
  w->by = laplace_columns_in_use();
  if (!w->columns) return st;
  w->wide = w->columns > 4 ? WIDE : w->columns > 2 ? 4 : (int)w->columns;
  const int64_t pieces = (w->columns + w->wide - 1) / w->wide;
  const double ns = (double)w->columns * (double)(w->at->start[n] + n) * w->steps;
  int threads = threads_for(ns);
  if (threads > pieces) threads = (int)pieces;
  w->memory = malloc(((size_t)threads * (size_t)w->blocks * (size_t)n * (size_t)w->wide + 1) * sizeof *w->memory);
  if (!w->memory) return no_memory(n);
  for (w->piece = 0; w->piece < pieces && !st; w->piece += threads) {
    const int64_t left = pieces - w->piece;
    threads_run(threads, left < threads ? left : threads, columns_of_piece, w);
    st = backend_pause(NAN);
  }
  free(w->memory);
  return st;
}

static void take_columns(int64_t n, int count, int wide, const double *from, double *block) {
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < wide; c++) block[i * wide + c] = c < count ? from[c * n + i] : 0;
}

static void give_columns(int64_t n, int count, int wide, const double *block, double *to) {
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < count; c++) to[c * n + i] = block[i * wide + c];
}

static void product_columns(column_work *w, int64_t first, int count, double *block) {
  const int64_t n = w->at->n, size = n * w->wide;
  take_columns(n, count, w->wide, w->b + first * n, block);
  w->by->product(w->a, block, block + size, w->wide);
  give_columns(n, count, w->wide, block + size, w->x + first * n);
}

status laplace_product(const laplace_system *a, int64_t columns, const double *x, double *out) {
  column_work w = {.a = a, .at = &a->at, .columns = columns, .steps = 2, .b = x, .x = out, .blocks = 2,
                   .of = product_columns};
  return run_columns(&w);
}

static void triangular_columns(column_work *w, int64_t first, int count, double *block) {
  const int64_t n = w->at->n;
  take_columns(n, count, w->wide, w->x + first * n, block);
  if (w->transposed) w->by->upper(w->at, w->v, block, w->wide);
  else w->by->lower(w->at, w->v, block, w->wide);
  give_columns(n, count, w->wide, block, w->x + first * n);
}

status laplace_triangular(const laplace_pattern *at, laplace_factor v, int transposed, int64_t columns, double *x) {
  column_work w = {.at = at, .v = v, .columns = columns, .transposed = transposed, .steps = 1, .x = x, .blocks = 1,
                   .of = triangular_columns};
  return run_columns(&w);
}

/* A column that is there stands still while the others of its block go on. */
static void solve_columns(column_work *w, int64_t first, int count, double *block) {
  const int wide = w->wide;
  const int64_t n = w->at->n, size = n * wide;
  double *x = block, *r = x + size, *z = r + size, *d = z + size, *h = d + size;
  double rz[WIDE], least[WIDE], by[WIDE], sum[WIDE];
  int open = 0, taken;
  memset(x, 0, (size_t)size * sizeof *x);
  take_columns(n, count, wide, w->b + first * n, r);
  memcpy(z, r, (size_t)size * sizeof *z);
  w->by->upper(w->at, w->v, z, wide);
  w->by->lower(w->at, w->v, z, wide);
  memcpy(d, z, (size_t)size * sizeof *d);
  dots(n, r, z, wide, rz);
  for (int c = 0; c < wide; c++) {
    least[c] = w->tolerance * w->tolerance * rz[c];
    if (c < count) w->needed[first + c] = 0;
    open += rz[c] > 0;
  }
  for (taken = 1; open && taken <= w->most; taken++) {
    w->by->product(w->a, d, h, wide);
    dots(n, d, h, wide, sum);
    for (int c = 0; c < wide; c++) by[c] = rz[c] > least[c] ? rz[c] / sum[c] : 0;
    add(n, by, d, x, wide);
    for (int c = 0; c < wide; c++) by[c] = -by[c];
    add(n, by, h, r, wide);
    memcpy(z, r, (size_t)size * sizeof *z);
    w->by->upper(w->at, w->v, z, wide);
    w->by->lower(w->at, w->v, z, wide);
    dots(n, r, z, wide, sum);
    open = 0;
    for (int c = 0; c < wide; c++) {
      if (!(rz[c] > least[c])) continue;
      by[c] = sum[c] / rz[c];
      rz[c] = sum[c];
      w->needed[first + c] = rz[c] > least[c] ? w->most + 1 : taken;
      open += rz[c] > least[c];
    }
    for (int64_t i = 0; i < n; i++)
      for (int c = 0; c < wide; c++) d[i * wide + c] = z[i * wide + c] + by[c] * d[i * wide + c];
  }
  give_columns(n, count, wide, x, w->x + first * n);
}

status laplace_solve(const laplace_system *a, laplace_factor v, int64_t columns, const double *b, double tolerance,
                     int most, double *x, int *steps) {
  column_work w = {.a = a, .at = &a->at, .v = v, .columns = columns, .most = most, .steps = 16, .b = b, .x = x,
                   .tolerance = tolerance, .blocks = 5, .of = solve_columns};
  w.needed = calloc((size_t)columns + 1, sizeof *w.needed);
  if (!w.needed) return no_memory(a->at.n);
  const status st = run_columns(&w);
  *steps = 0;
  for (int64_t c = 0; c < columns; c++)
    if (w.needed[c] > *steps) *steps = w.needed[c];
  free(w.needed);
  return st;
}

/* ---- what V leaves of the determinant ---- */

enum { STEPS = 3 };

/* Eigenvalues of a symmetric matrix, and the first elements of its eigenvectors, by rotations (Jacobi's method). */
static void eigen(double a[STEPS][STEPS], double *value, double *first) {
  for (int i = 0; i < STEPS; i++) first[i] = i == 0;
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < STEPS; p++)
      for (int q = p + 1; q < STEPS; q++) {
        if (fabs(a[p][q]) < 1e-300) continue;
        const double t = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double tan = copysign(1, t) / (fabs(t) + hypot(t, 1)), cos = 1 / sqrt(1 + tan * tan), sin = tan * cos;
        for (int i = 0; i < STEPS; i++) {
          const double x = a[i][p], y = a[i][q];
          a[i][p] = cos * x - sin * y;
          a[i][q] = sin * x + cos * y;
        }
        for (int i = 0; i < STEPS; i++) {
          const double x = a[p][i], y = a[q][i];
          a[p][i] = cos * x - sin * y;
          a[q][i] = sin * x + cos * y;
        }
        const double x = first[p], y = first[q];
        first[p] = cos * x - sin * y;
        first[q] = sin * x + cos * y;
      }
  for (int i = 0; i < STEPS; i++) value[i] = a[i][i];
}

static u32 word_of(philox_block b, int k) { return k == 0 ? b.w0 : k == 1 ? b.w1 : k == 2 ? b.w2 : b.w3; }

/* Probe p has in row i bit p of the block of random numbers i. */
static void take_probes(int64_t n, int64_t first, int wide, double *block) {
  for (int64_t i = 0; i < n; i++) {
    const philox_block counter = {(u32)i, (u32)(i >> 32), TAG_LAPLACE, 0}, b = philox(counter, 0, 0);
    for (int c = 0; c < wide; c++) {
      const int p = (int)first + c;
      block[i * wide + c] = p < LAPLACE_PROBES && word_of(b, p / 32) >> p % 32 & 1 ? 1 : -1;
    }
  }
}

/* The column n log(1 + (M - 1)) of a probe, with a unit vector q in place of it. */
static void probe_columns(column_work *w, int64_t first, int count, double *block) {
  const int wide = w->wide;
  const int64_t n = w->at->n, size = n * wide;
  double *q = block, *before = q + size, *next = before + size, *held = next + size;
  double t[WIDE][STEPS][STEPS] = {{{0}}}, by[WIDE], beta[WIDE] = {0};
  take_probes(n, first, wide, q);
  for (int64_t i = 0; i < size; i++) q[i] /= sqrt((double)n), before[i] = 0;
  for (int k = 0; k < STEPS; k++) {
    memcpy(held, q, (size_t)size * sizeof *held);
    w->by->lower(w->at, w->v, held, wide);
    w->by->product(w->a, held, next, wide);
    w->by->upper(w->at, w->v, next, wide);
    for (int c = 0; c < wide; c++) by[c] = -beta[c];
    add(n, by, before, next, wide);
    dots(n, q, next, wide, by);
    for (int c = 0; c < wide; c++) t[c][k][k] = by[c], by[c] = -by[c];
    add(n, by, q, next, wide);
    dots(n, next, next, wide, by);
    if (k == STEPS - 1) break;
    for (int c = 0; c < wide; c++) { /* rounding errors alone are no direction */
      beta[c] = by[c] > 1e-26 ? sqrt(by[c]) : 0;
      t[c][k][k + 1] = t[c][k + 1][k] = beta[c];
      by[c] = beta[c] > 0 ? 1 / beta[c] : 0;
    }
    for (int64_t i = 0; i < n; i++)
      for (int c = 0; c < wide; c++) {
        before[i * wide + c] = q[i * wide + c];
        q[i * wide + c] = by[c] * next[i * wide + c];
      }
  }
  for (int c = 0; c < count; c++) {
    double value[STEPS], root[STEPS], sum = 0;
    eigen(t[c], value, root);
    for (int k = 0; k < STEPS; k++)
      if (root[k] != 0 && value[k] > 0) sum += root[k] * root[k] * log(value[k]);
    w->x[first + c] = (double)n * sum;
  }
}

status laplace_correction(const laplace_system *a, laplace_factor v, int probes, double *value, double *error) {
  double of[LAPLACE_PROBES], sum = 0, squares = 0;
  if (probes > LAPLACE_PROBES) probes = LAPLACE_PROBES;
  column_work w = {.a = a, .at = &a->at, .v = v, .columns = probes, .steps = 12, .x = of, .blocks = 4,
                   .of = probe_columns};
  const status st = run_columns(&w);
  for (int p = 0; p < probes && !st; p++) sum += of[p];
  *value = sum / probes;
  for (int p = 0; p < probes && !st; p++) squares += (of[p] - *value) * (of[p] - *value);
  *error = sqrt(squares / (probes - 1) / probes);
  return st;
}

/* ---- few elements ---- */

/* Locations, of which the last one is taken first: a bit for each, and above that a bit for each word of bits that is
 * not 0, up to one word. `value` has WIDE numbers for each location, 0 where it is not there. */
enum { LEVELS = 6 };
typedef struct {
  int levels;
  uint64_t *level[LEVELS];
  double *value;
} row_set;

static int row_set_open(row_set *h, int64_t n) {
  int sound = 1;
  h->value = calloc((size_t)n * WIDE + 1, sizeof *h->value);
  for (int64_t count = n; sound && (count > 1 || !h->levels); h->levels++) {
    count = (count + 63) / 64;
    h->level[h->levels] = calloc((size_t)count, sizeof *h->level[0]);
    sound = h->level[h->levels] != NULL;
  }
  return sound && h->value;
}

static void row_set_close(row_set *h) {
  for (int l = 0; l < LEVELS; l++) free(h->level[l]);
  free(h->value);
}

static inline void push(row_set *h, int32_t row) {
  for (int l = 0; l < h->levels; l++, row /= 64) {
    uint64_t *word = h->level[l] + row / 64, before = *word;
    *word = before | (uint64_t)1 << row % 64;
    if (before) break;
  }
}

/* -1 where there are none. */
static inline int32_t pop(row_set *h) {
  int32_t row = 0;
  if (!h->level[h->levels - 1][0]) return -1;
  for (int l = h->levels - 1; l >= 0; l--) row = row * 64 + 63 - __builtin_clzll(h->level[l][row]);
  for (int32_t l = 0, at = row; l < h->levels; l++, at /= 64) {
    uint64_t *word = h->level[l] + at / 64;
    *word &= ~((uint64_t)1 << at % 64);
    if (*word) break;
  }
  return row;
}

/* Of WIDE columns together, which share locations where they are near to each other. An element that one of them
 * leaves out is 0 for it, so that each has the terms that it has alone. */
static void forms_of(row_set *h, const laplace_pattern *at, laplace_factor v, int m, int count, const int32_t *near,
                     const double *c, double drop, double *out) {
  double sum[WIDE] = {0}, y[WIDE];
  int32_t k;
  for (int l = 0; l < count; l++)
    for (int i = 0; i < m && near[l * m + i] > 0; i++) {
      const int32_t row = near[l * m + i] - 1;
      h->value[(int64_t)row * WIDE + l] += c[l * m + i];
      push(h, row);
    }
  while ((k = pop(h)) >= 0) {
    double *own = h->value + (int64_t)k * WIDE, by = 1 / v.diagonal[k], some = 0;
    for (int l = 0; l < WIDE; l++) {
      const double x = own[l] * by, kept = x * x <= drop * drop * sum[l] ? 0 : x;
      own[l] = 0;
      y[l] = kept;
      sum[l] += kept * kept;
      some += fabs(kept);
    }
    if (some == 0) continue;
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      double *other = h->value + (int64_t)at->near[p] * WIDE;
      for (int l = 0; l < WIDE; l++) other[l] -= v.below[p] * y[l];
      push(h, at->near[p]);
    }
  }
  memcpy(out, sum, (size_t)count * sizeof *out);
}

typedef struct {
  const laplace_pattern *at;
  laplace_factor v;
  int m;
  int64_t count, piece; /* piece: the first in hand */
  const int32_t *near;
  const double *c;
  double drop, *out;
  row_set *rows; /* by thread */
} form_work;

static int forms_of_piece(void *context, int64_t piece, int thread) {
  form_work *w = context;
  const int64_t from = (w->piece + piece) * CELLS, to = at_most(from + CELLS, w->count);
  for (int64_t i = from; i < to; i += WIDE)
    forms_of(w->rows + thread, w->at, w->v, w->m, (int)at_most(WIDE, to - i), w->near + i * w->m, w->c + i * w->m,
             w->drop, w->out + i);
  return 1;
}

status laplace_forms(const laplace_pattern *at, laplace_factor v, int m, int64_t count, const int32_t *near,
                     const double *c, double drop, double *out) {
  form_work w = {at, v, m, count, 0, near, c, drop, out, NULL};
  const int64_t pieces = (count + CELLS - 1) / CELLS;
  const int threads = threads_for(5e3 * (double)count);
  status st = STATUS_OK;
  w.rows = calloc((size_t)threads, sizeof *w.rows);
  for (int i = 0; i < threads && w.rows && !st; i++)
    if (!row_set_open(w.rows + i, at->n)) st = no_memory(at->n);
  if (!w.rows) st = no_memory(at->n);
  for (w.piece = 0; w.piece < pieces && !st; w.piece += 16 * threads) {
    threads_run(threads, at_most(16 * threads, pieces - w.piece), forms_of_piece, &w);
    st = backend_pause((double)w.piece / (double)pieces);
  }
  for (int i = 0; i < threads && w.rows; i++) row_set_close(w.rows + i);
  free(w.rows);
  return st;
}

/* ---- derivatives ---- */

typedef struct {
  const laplace_system *a;
  laplace_system slope;
  laplace_factor g;
  neighbourhood *of; /* by thread */
  double *sums;      /* by piece */
  int64_t piece;     /* the first in hand */
} trace_work;

/* With the row c of B, which is 1 at k itself, Q has the sum of c c' / d over all k, and dQ that of
 * (dc c' + c dc') / d - c c' dd / d^2. */
static int trace_of_piece(void *context, int64_t piece, int thread) {
  trace_work *w = context;
  const laplace_pattern *at = &w->a->at;
  neighbourhood *h = w->of + thread;
  exact_sum total = {0, 0};
  piece += w->piece;
  for (int64_t k = piece * ROWS; k < at_most((piece + 1) * ROWS, at->n); k++) {
    const int32_t first = at->start[k], count = at->start[k + 1] - first;
    const double d = w->a->variance[k], by = w->slope.variance[k] / d;
    double both = -by * w->g.diagonal[k], moved = 0;
    enter(h, at, k);
    memset(h->sum, 0, ((size_t)h->most + 1) * sizeof *h->sum);
    for (int32_t p = 0; p < count; p++) h->own[p] = -w->a->weights[first + p];
    h->own[h->most] = 0;
    within(h, at, w->g, k);
    for (int32_t p = 0; p < count; p++) {
      const double column = w->g.below[first + p]; /* of k itself */
      moved -= w->slope.weights[first + p] * (column + h->sum[p]);
      both -= by * h->own[p] * (2 * column + h->sum[p]);
    }
    leave(h, at, k);
    exact_add(&total, (both + 2 * moved) / d);
  }
  w->sums[piece] = exact_total(total);
  return 1;
}

status laplace_trace(const laplace_system *a, laplace_system slope, laplace_factor g, double *trace) {
  trace_work w = {a, slope, g, NULL, NULL, 0};
  const int64_t n = a->at.n, pieces = (n + ROWS - 1) / ROWS;
  const int most = most_neighbours(&a->at), threads = threads_for((double)n * (most + 1.0) * (most + 1.0));
  status st = STATUS_OK;
  w.sums = malloc((size_t)(pieces + 1) * sizeof *w.sums);
  w.of = calloc((size_t)threads, sizeof *w.of);
  for (int i = 0; i < threads && w.of; i++)
    if (!neighbourhood_open(w.of + i, &a->at)) st = no_memory(n);
  if (!w.of || !w.sums) st = no_memory(n);
  for (w.piece = 0; w.piece < pieces && !st; w.piece += 2 * threads) {
    threads_run(threads, at_most(2 * threads, pieces - w.piece), trace_of_piece, &w);
    st = backend_pause(NAN);
  }
  exact_sum total = {0, 0};
  for (int64_t i = 0; i < pieces && !st; i++) exact_add(&total, w.sums[i]);
  *trace = exact_total(total);
  for (int i = 0; i < threads && w.of; i++) neighbourhood_close(w.of + i);
  free(w.of);
  free(w.sums);
  return st;
}

static void moved_columns(column_work *w, int64_t first, int count, double *block) {
  const int64_t n = w->at->n, size = n * w->wide;
  take_columns(n, count, w->wide, w->b + first * n, block);
  w->by->moved(w->a, w->slope, block, block + size, w->wide);
  give_columns(n, count, w->wide, block + size, w->x + first * n);
}

status laplace_moved(const laplace_system *a, laplace_system slope, int64_t columns, const double *x, double *out) {
  column_work w = {.a = a, .at = &a->at, .slope = slope, .columns = columns, .steps = 4, .b = x, .x = out,
                   .blocks = 2, .of = moved_columns};
  return run_columns(&w);
}
