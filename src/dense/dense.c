/* dense.c: see dense.h. */
#include "dense/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense_device.h"
#include "dense/dense_levels.h"
#include "engine/cpu.h"
#include "engine/threads.h"

enum { T = DENSE_TILE, TILE_NUMBERS = T * T };

typedef struct {
  const dense_tiles *tiles;
  int64_t n, m;        /* rows, and rows of tiles */
  double *a, *kept;    /* the matrix; tiles of one row or column apart from it */
  int64_t at;          /* the row or column of tiles that is made */
  int64_t columns;     /* of a right-hand side */
  double *b;
  const double *u;
  int transposed;
} dense_work;

static int64_t whole_tiles(int64_t n) { return (n + T - 1) / T; }
int64_t dense_size(int64_t n) { return whole_tiles(n) * (whole_tiles(n) + 1) / 2 * TILE_NUMBERS; }

static double *tile_of(const dense_work *w, int64_t row, int64_t column) {
  return w->a + (column * w->m - column * (column - 1) / 2 + row - column) * TILE_NUMBERS;
}

static const dense_tiles *tiles_in_use(void) {
#if STATCL_X86_LEVELS
  if (!strcmp(cpu_level_name(), "avx512")) return &dense_avx512_tiles;
  if (!strcmp(cpu_level_name(), "avx2")) return &dense_avx2_tiles;
#endif
  return &dense_baseline_tiles;
}

static dense_work work_on(int64_t n, const double *a) {
  return (dense_work){.tiles = tiles_in_use(), .n = n, .m = whole_tiles(n), .a = (double *)a};
}

/* Pieces of so many products of tiles each. */
static void spread(dense_work *w, int64_t pieces, int64_t products, threads_work *work) {
  const double each = 2e4 * (double)products; /* 2^18 multiplications and additions at 13 a nanosecond */
  threads_run(threads_for(each * (double)pieces), pieces, work, w);
}

static int column_of_factor(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  const int64_t j = w->at, i = j + 1 + piece;
  double *c = tile_of(w, i, j);
  (void)thread;
  for (int64_t k = 0; k < j; k++) w->tiles->less_product_by_rows(tile_of(w, i, k), tile_of(w, j, k), c);
  w->tiles->divide(tile_of(w, j, j), c);
  return 1;
}

/* Of the whole work, which grows with the third power, what is done after k of m columns. */
static double share(int64_t k, int64_t m) {
  const double left = 1 - (double)k / (double)m;
  return 1 - left * left * (1 + 2 * (double)k / (double)m);
}

status dense_cholesky(int64_t n, double *a, int64_t *bad) {
  status st = STATUS_OK;
  if (dense_device_cholesky(backend_device(), n, a, bad, &st)) return st;
  dense_work w = work_on(n, a);
  st = STATUS_OK;
  *bad = 0;
  for (int64_t j = 0; j < w.m && !st && !*bad; j++) {
    double *c = tile_of(&w, j, j);
    w.at = j;
    for (int64_t k = 0; k < j; k++) w.tiles->less_product_by_rows(tile_of(&w, j, k), tile_of(&w, j, k), c);
    const int32_t odd = w.tiles->factor(c);
    if (odd) *bad = j * T + odd;
    else spread(&w, w.m - 1 - j, j + 1, column_of_factor);
    st = backend_pause(share(j + 1, w.m));
  }
  return st;
}

double dense_log_det(int64_t n, const double *l) {
  const dense_work w = work_on(n, l);
  double sum = 0, lost = 0;
  for (int64_t i = 0; i < n; i++) { /* Neumaier's sum */
    const double v = log(tile_of(&w, i / T, i / T)[i % T * (T + 1)]), s = sum + v;
    lost += fabs(sum) >= fabs(v) ? (sum - s) + v : (v - s) + sum;
    sum = s;
  }
  return 2 * (sum + lost);
}

/* One column of the right-hand side, tile by tile. */
static int solve_column(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  double *b = w->b + piece * w->n, x[T], y[T];
  (void)thread;
  for (int64_t step = 0; step < w->m; step++) {
    const int64_t i = w->transposed ? w->m - 1 - step : step, rows = w->n - i * T < T ? w->n - i * T : T;
    const int64_t from = w->transposed ? i + 1 : 0, to = w->transposed ? w->m : i;
    memset(y, 0, sizeof y);
    memcpy(y, b + i * T, (size_t)rows * sizeof *y);
    for (int64_t k = from; k < to; k++) {
      const int64_t known = w->n - k * T < T ? w->n - k * T : T;
      memset(x, 0, sizeof x);
      memcpy(x, b + k * T, (size_t)known * sizeof *x);
      w->tiles->multiply(w->transposed ? tile_of(w, k, i) : tile_of(w, i, k), x, y, w->transposed);
    }
    const double *l = tile_of(w, i, i);
    for (int64_t s = 0; s < T; s++) {
      const int64_t k = w->transposed ? T - 1 - s : s;
      y[k] /= l[k * T + k];
      if (w->transposed)
        for (int64_t r = 0; r < k; r++) y[r] -= l[r * T + k] * y[k];
      else
        for (int64_t r = k + 1; r < T; r++) y[r] -= l[k * T + r] * y[k];
    }
    memcpy(b + i * T, y, (size_t)rows * sizeof *y);
  }
  return 1;
}

status dense_solve(int64_t n, const double *l, int64_t columns, double *b, int transposed) {
  status st;
  if (dense_device_solve(backend_device(), n, l, columns, b, transposed, &st)) return st;
  dense_work w = work_on(n, l);
  w.b = b;
  w.transposed = transposed;
  spread(&w, columns, w.m * w.m / 64 + 1, solve_column);
  return backend_pause(1);
}

/* Tile i of column j of inv(l): -(sum of inv(l)(i, k) l(k, j), k = j + 1 ... i) inv(l)(j, j), where kept has column j
 * of l and the columns from j + 1 on are done. */
static int column_of_inverse(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  const int64_t j = w->at, i = j + 1 + piece;
  double sum[TILE_NUMBERS], *c = tile_of(w, i, j);
  (void)thread;
  memset(sum, 0, sizeof sum);
  for (int64_t k = j + 1; k <= i; k++)
    w->tiles->less_product(tile_of(w, i, k), w->kept + (k - j - 1) * TILE_NUMBERS, sum);
  for (int64_t q = 0; q < TILE_NUMBERS; q++) {
    sum[q] = -sum[q];
    c[q] = 0;
  }
  w->tiles->less_product(sum, tile_of(w, j, j), c);
  return 1;
}

/* Tile (i, j) of inv(l)' inv(l): sum over k = i ... m - 1, where kept has the transposed tiles of column i. */
static int row_of_product(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  const int64_t i = w->at, j = piece;
  double sum[TILE_NUMBERS], *c = tile_of(w, i, j);
  (void)thread;
  memset(sum, 0, sizeof sum);
  for (int64_t k = i; k < w->m; k++)
    w->tiles->less_product(w->kept + (k - i) * TILE_NUMBERS, tile_of(w, k, j), sum);
  for (int64_t q = 0; q < TILE_NUMBERS; q++) c[q] = -sum[q];
  return 1;
}

static int transpose_tile(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const double *from = tile_of(w, w->at + piece, w->at);
  double *to = w->kept + piece * TILE_NUMBERS;
  (void)thread;
  for (int j = 0; j < T; j++)
    for (int i = 0; i < T; i++) to[i * T + j] = from[j * T + i];
  return 1;
}

status dense_inverse(int64_t n, double *l) {
  status st = STATUS_OK;
  if (dense_device_inverse(backend_device(), n, l, &st)) return st;
  dense_work w = work_on(n, l);
  st = STATUS_OK;
  w.kept = malloc((size_t)(w.m * TILE_NUMBERS) * sizeof *w.kept + 1);
  if (!w.kept) return fail(STATUS_MEMORY, "no memory for a row of %lld tiles", (long long)w.m);
  for (int64_t j = w.m - 1; j >= 0 && !st; j--) {
    const int64_t below = w.m - 1 - j;
    w.at = j;
    w.tiles->invert_factor(tile_of(&w, j, j));
    if (below) memcpy(w.kept, tile_of(&w, j + 1, j), (size_t)(below * TILE_NUMBERS) * sizeof *w.kept);
    spread(&w, below, below / 2 + 1, column_of_inverse);
    st = backend_pause(0.5 * (1 - share(j, w.m)));
  }
  for (int64_t i = 0; i < w.m && !st; i++) {
    w.at = i;
    spread(&w, w.m - i, 1, transpose_tile);
    spread(&w, i + 1, w.m - i, row_of_product);
    st = backend_pause(0.5 + 0.5 * share(i + 1, w.m));
  }
  free(w.kept);
  return st;
}

static int column_of_outer(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  (void)thread;
  for (int64_t row = piece; row < w->m; row++) {
    double *c = tile_of(w, row, piece);
    for (int64_t q = 0; q < TILE_NUMBERS; q++) c[q] = -c[q];
    const int64_t rows = w->n - row * T < T ? w->n - row * T : T;
    for (int64_t k = piece * T; k < (piece + 1) * T && k < w->n; k++)
      for (int64_t j = 0; j < w->columns; j++) {
        const double *u = w->u + j * w->n + row * T, by = w->u[j * w->n + k];
        for (int64_t i = 0; i < rows; i++) c[k % T * T + i] += u[i] * by;
      }
  }
  return 1;
}

status dense_outer_less(int64_t n, double *a, int64_t columns, const double *u) {
  status st;
  if (dense_device_outer_less(backend_device(), n, a, columns, u, &st)) return st;
  dense_work w = work_on(n, a);
  w.u = u;
  w.columns = columns;
  spread(&w, w.m, w.m * (columns + 1) / 64 + 1, column_of_outer);
  return backend_pause(1);
}

double dense_trace(int64_t n, const double *a) {
  const dense_work w = work_on(n, a);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += tile_of(&w, i / T, i / T)[i % T * (T + 1)];
  return sum;
}
