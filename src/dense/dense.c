/* dense.c: see dense.h. */
#include "dense/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense_device.h"
#include "dense/dense_levels.h"
#include "engine/cpu.h"
#include "engine/denormals.h"
#include "engine/exact_sum.h"
#include "engine/threads.h"

/* Right-hand sides of fewer columns than FEW are multiplied by tiles one by one, at the speed of memory; others go in
 * blocks of T columns, or NARROW. STEP: products of tiles of one thread between two polls. */
enum { T = DENSE_TILE, TILE_NUMBERS = T * T, FEW = 4, NARROW = 32, STEP = 2000 };

typedef struct {
  const dense_tiles *tiles;
  int64_t n, m;           /* rows, and rows of tiles */
  double *a, *kept;       /* the matrix; tiles apart from it, those of one row or column or of right-hand sides */
  threads_work *work;     /* what is done with a piece */
  int flush;              /* denormal numbers have no weight */
  int64_t first;          /* of the pieces in hand */
  int64_t at, until;      /* the row or column of tiles that is made, or the steps of a solution */
  int64_t bad;            /* row, from 1, with a pivot that is too small */
  int64_t columns, width; /* of a right-hand side, and of a block of it */
  int64_t block;          /* the first in hand */
  double *b;
  const double *u;
  enum { SOLVE, SOLVE_TRANSPOSED, MULTIPLY } what;
} dense_work;

static int64_t whole_tiles(int64_t n) { return (n + T - 1) / T; }
int64_t dense_size(int64_t n) { return whole_tiles(n) * (whole_tiles(n) + 1) / 2 * TILE_NUMBERS; }

static double *tile_of(const dense_work *w, int64_t row, int64_t column) {
  return w->a + (column * w->m - column * (column - 1) / 2 + row - column) * TILE_NUMBERS;
}

static int64_t rows_of(const dense_work *w, int64_t i) { return w->n - i * T < T ? w->n - i * T : T; }

static const dense_tiles *tiles_in_use(void) {
#define TILES_LINE(level, of)                                                                                \
  if (!strcmp(cpu_level_name(), #level)) return &DENSE_TILES(level);
  CPU_LEVELS(TILES_LINE, )
#undef TILES_LINE
  return NULL; /* without an instruction set the package is not loaded */
}

static dense_work work_on(int64_t n, const double *a) {
  return (dense_work){.tiles = tiles_in_use(), .n = n, .m = whole_tiles(n), .a = (double *)a};
}

/* Denormal numbers have no weight beside diagonal elements that are all above `least`. */
static int above(const dense_work *w, double least) {
  for (int64_t i = 0; i < w->n; i++)
    if (!(tile_of(w, i / T, i / T)[i % T * (T + 1)] > least)) return 0;
  return 1;
}

static int piece_of_work(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const unsigned before = denormals_off(w->flush);
  const int go_on = w->work(context, piece, thread);
  denormals_back(before);
  return go_on;
}

/* Pieces of so many products of tiles each, with a poll for interrupts after what takes some tens of milliseconds; of
 * the call's work they are what follows `from`, up to `to`. */
static status spread(dense_work *w, int64_t pieces, int64_t products, threads_work *work, double from, double to) {
  const double each = 1e4 * (double)products; /* 2^18 multiplications and additions at 26 a nanosecond */
  const int threads = threads_for(each * (double)pieces);
  const int64_t most = threads * (products < STEP ? STEP / (products ? products : 1) : 1);
  status st = STATUS_OK;
  w->first = 0;
  w->work = work;
  do {
    const int64_t left = pieces - w->first, some = left < most ? left : most;
    threads_run(threads, some, piece_of_work, w);
    w->first += some;
    st = backend_pause(pieces ? from + (to - from) * (double)w->first / (double)pieces : to);
  } while (w->first < pieces && !st);
  return st;
}

/* Tile (i, i), of whose row the others are made. What rounding leaves of the pivot of a row that is another one again
 * is below `least`, of either sign. */
static void diagonal_of_factor(dense_work *w, int64_t i) {
  double least[T], *c = tile_of(w, i, i);
  for (int k = 0; k < T; k++) least[k] = 4 * DBL_EPSILON * c[k * (T + 1)];
  for (int64_t k = 0; k < i; k++)
    w->tiles->less_product_by_rows(tile_of(w, i, k), tile_of(w, i, k), c, T, tile_of(w, i, k + 1));
  const int32_t odd = w->tiles->factor(c, (int32_t)rows_of(w, i), least);
  if (odd) w->bad = i * T + odd;
}

/* The first piece has the diagonal tile of the next column besides, for which all threads would wait. */
static int column_of_factor(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  const int64_t j = w->at, i = j + 1 + w->first + piece;
  double *c = tile_of(w, i, j);
  (void)thread;
  for (int64_t k = 0; k < j; k++)
    w->tiles->less_product_by_rows(tile_of(w, i, k), tile_of(w, j, k), c, T, tile_of(w, i, k + 1));
  w->tiles->divide(tile_of(w, j, j), c, T);
  if (i == j + 1) diagonal_of_factor(w, i);
  return 1;
}

/* Of the whole work, which grows with the third power, what is done after k of m columns. */
static double share(int64_t k, int64_t m) {
  const double left = 1 - (double)k / (double)m;
  return 1 - left * left * (1 + 2 * (double)k / (double)m);
}

status dense_cholesky(int64_t n, double *a, int64_t *bad) {
  dense_work w = work_on(n, a);
  status st = STATUS_OK;
  if (dense_device_cholesky(backend_device(), n, a, bad, &st)) return st;
  w.flush = above(&w, 1e-250);
  const unsigned before = denormals_off(w.flush);
  if (n) diagonal_of_factor(&w, 0);
  denormals_back(before);
  for (w.at = 0; w.at < w.m - 1 && !w.bad && !st; w.at++)
    st = spread(&w, w.m - 1 - w.at, w.at + 1, column_of_factor, share(w.at, w.m), share(w.at + 1, w.m));
  *bad = w.bad;
  return st;
}

double dense_log_det(int64_t n, const double *l) {
  const dense_work w = work_on(n, l);
  exact_sum sum = {0, 0};
  for (int64_t i = 0; i < n; i++) exact_add(&sum, log(tile_of(&w, i / T, i / T)[i % T * (T + 1)]));
  return 2 * exact_total(sum);
}

/* Rows of tiles in the order in which they can be known, each after those that its products take. */
static int64_t row_of_step(const dense_work *w, int64_t step) {
  return w->what == SOLVE_TRANSPOSED ? w->m - 1 - step : step;
}

/* One column of the right-hand side, tile by tile. */
static int solve_column(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const int transposed = w->what == SOLVE_TRANSPOSED;
  double *b = w->b + (w->first + piece) * w->n, x[T], y[T];
  (void)thread;
  for (int64_t step = w->at; step < w->until; step++) {
    const int64_t i = row_of_step(w, step), rows = rows_of(w, i);
    const int64_t from = transposed ? i + 1 : 0, to = transposed ? w->m : i;
    memset(y, 0, sizeof y);
    memcpy(y, b + i * T, (size_t)rows * sizeof *y);
    for (int64_t k = from; k < to; k++) {
      memset(x, 0, sizeof x);
      memcpy(x, b + k * T, (size_t)rows_of(w, k) * sizeof *x);
      w->tiles->multiply(transposed ? tile_of(w, k, i) : tile_of(w, i, k), x, y, transposed);
    }
    const double *l = tile_of(w, i, i);
    for (int64_t s = 0; s < rows; s++) {
      const int64_t k = transposed ? rows - 1 - s : s;
      y[k] /= l[k * T + k];
      if (transposed)
        for (int64_t r = 0; r < k; r++) y[r] -= l[r * T + k] * y[k];
      else
        for (int64_t r = k + 1; r < rows; r++) y[r] -= l[k * T + r] * y[k];
    }
    memcpy(b + i * T, y, (size_t)rows * sizeof *y);
  }
  return 1;
}

/* A block of columns: its transpose x is in tiles, which are multiplied from the right as those of a matrix are. */
static int block_of_columns(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const int64_t own = w->first + piece, first = (w->block + own) * w->width, left = w->columns - first;
  const int32_t columns = (int32_t)(left < w->width ? left : w->width);
  double *x = w->kept + own * w->m * TILE_NUMBERS, *b = w->b + first * w->n, product[TILE_NUMBERS];
  (void)thread;
  for (int64_t step = w->at; step < w->until; step++) {
    const int64_t i = row_of_step(w, step), rows = rows_of(w, i);
    double *c = x + i * TILE_NUMBERS;
    memset(c, 0, TILE_NUMBERS * sizeof *c);
    for (int64_t j = 0; j < columns; j++)
      for (int64_t r = 0; r < rows; r++) c[r * T + j] = b[j * w->n + i * T + r];
    if (w->what == SOLVE) {
      for (int64_t k = 0; k < i; k++)
        w->tiles->less_product_by_rows(x + k * TILE_NUMBERS, tile_of(w, i, k), c, columns, tile_of(w, i, k + 1));
      w->tiles->divide(tile_of(w, i, i), c, columns);
    } else if (w->what == SOLVE_TRANSPOSED) {
      for (int64_t k = w->m - 1; k > i; k--)
        w->tiles->less_product(x + k * TILE_NUMBERS, tile_of(w, k, i), c, columns, tile_of(w, k - 1, i));
      w->tiles->divide_transposed(tile_of(w, i, i), c, columns);
    } else {
      c = memset(product, 0, sizeof product);
      for (int64_t k = i; k >= 0; k--)
        w->tiles->less_product_by_rows(x + k * TILE_NUMBERS, tile_of(w, i, k), c, columns,
                                       tile_of(w, i, k ? k - 1 : 0));
    }
    for (int64_t j = 0; j < columns; j++)
      for (int64_t r = 0; r < rows; r++) b[j * w->n + i * T + r] = w->what == MULTIPLY ? -c[r * T + j] : c[r * T + j];
  }
  return 1;
}

/* All rows of tiles for `pieces` columns or blocks, in steps between which interrupts are heard. */
static status by_steps(dense_work *w, int64_t pieces, threads_work *work, double from, double to) {
  const double all = 0.5 * (double)w->m * (double)(w->m + 1);
  status st = STATUS_OK;
  double done = 0;
  for (w->at = 0; w->at < w->m && !st; w->at = w->until) {
    int64_t products = 0;
    for (w->until = w->at; w->until < w->m && products < STEP; w->until++) products += w->until + 1;
    st = spread(w, pieces, products, work, from + (to - from) * done / all,
                from + (to - from) * (done + (double)products) / all);
    done += (double)products;
  }
  return st;
}

/* As many blocks at once as there are threads: each has tiles of its own, and they share those of l. A column's
 * results do not depend on the block that it is in. */
static status by_blocks(dense_work *w) {
  const int threads = threads_for(1e4 * (double)(w->columns / T + 1) * (double)(w->m * w->m));
  status st = STATUS_OK;
  w->width = w->columns <= NARROW * (int64_t)threads ? NARROW : T;
  const int64_t blocks = (w->columns + w->width - 1) / w->width, most = threads < blocks ? threads : blocks;
  w->kept = malloc((size_t)(most * w->m * TILE_NUMBERS) * sizeof *w->kept + 1);
  if (!w->kept) return fail(STATUS_MEMORY, "no memory for %lld columns", (long long)(most * w->width));
  for (w->block = 0; w->block < blocks && !st; w->block += most) {
    const int64_t some = blocks - w->block < most ? blocks - w->block : most;
    st = by_steps(w, some, block_of_columns, (double)w->block / (double)blocks,
                  (double)(w->block + some) / (double)blocks);
  }
  free(w->kept);
  return st;
}

status dense_solve(int64_t n, const double *l, int64_t columns, double *b, int transposed) {
  status st = STATUS_OK;
  if (dense_device_solve(backend_device(), n, l, columns, b, transposed, &st)) return st;
  dense_work w = work_on(n, l);
  w.b = b;
  w.columns = columns;
  w.what = transposed ? SOLVE_TRANSPOSED : SOLVE;
  return columns < FEW ? by_steps(&w, columns, solve_column, 0, 1) : by_blocks(&w);
}

status dense_multiply(int64_t n, const double *l, int64_t columns, double *b) {
  status st = STATUS_OK;
  if (dense_device_multiply(backend_device(), n, l, columns, b, &st)) return st;
  dense_work w = work_on(n, l);
  w.b = b;
  w.columns = columns;
  w.what = MULTIPLY;
  return by_blocks(&w);
}

status dense_draw(int64_t n, const double *l, int64_t known, int64_t columns, const double *b, double *out) {
  const int64_t rows = n - known;
  status st = STATUS_OK;
  if (dense_device_draw(backend_device(), n, l, known, columns, b, out, &st)) return st;
  double *z = malloc((size_t)(n * columns) * sizeof *z + 1);
  if (!z) return fail(STATUS_MEMORY, "no memory for %lld columns", (long long)columns);
  memcpy(z, b, (size_t)(n * columns) * sizeof *z);
  if (known) st = dense_solve(n, l, columns, z, 0);
  for (int64_t k = known; k < n * columns && known; k += n) memcpy(z + k, b + k, (size_t)rows * sizeof *z);
  if (!st) st = dense_multiply(n, l, columns, z);
  for (int64_t k = 0; k < columns; k++) memcpy(out + k * rows, z + k * n + known, (size_t)rows * sizeof *z);
  free(z);
  return st;
}

/* Tile i of column j of inv(l): -(sum of inv(l)(i, k) l(k, j), k = j + 1 ... i) inv(l)(j, j), where kept has column j
 * of l and the columns from j + 1 on are done. */
static int column_of_inverse(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  const int64_t j = w->at, i = j + 1 + w->first + piece;
  double sum[TILE_NUMBERS], *c = tile_of(w, i, j);
  (void)thread;
  memset(sum, 0, sizeof sum);
  for (int64_t k = i; k > j; k--)
    w->tiles->less_product(tile_of(w, i, k), w->kept + (k - j - 1) * TILE_NUMBERS, sum, T, tile_of(w, i, k - 1));
  for (int64_t q = 0; q < TILE_NUMBERS; q++) {
    sum[q] = -sum[q];
    c[q] = 0;
  }
  w->tiles->less_product(sum, tile_of(w, j, j), c, T, c);
  return 1;
}

/* Tile (i, j) of inv(l)' inv(l): sum over k = i ... m - 1, where kept has the transposed tiles of column i. */
static int row_of_product(void *context, int64_t piece, int thread) {
  dense_work *w = context;
  const int64_t i = w->at, j = w->first + piece;
  double sum[TILE_NUMBERS], *c = tile_of(w, i, j);
  (void)thread;
  memset(sum, 0, sizeof sum);
  for (int64_t k = w->m - 1; k >= i; k--)
    w->tiles->less_product(w->kept + (k - i) * TILE_NUMBERS, tile_of(w, k, j), sum, T,
                           tile_of(w, k > i ? k - 1 : i, j));
  for (int64_t q = 0; q < TILE_NUMBERS; q++) c[q] = -sum[q];
  return 1;
}

static int transpose_tile(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const double *from = tile_of(w, w->at + w->first + piece, w->at);
  double *to = w->kept + (w->first + piece) * TILE_NUMBERS;
  (void)thread;
  for (int j = 0; j < T; j++)
    for (int i = 0; i < T; i++) to[i * T + j] = from[j * T + i];
  return 1;
}

status dense_inverse(int64_t n, double *l) {
  dense_work w = work_on(n, l);
  status st = STATUS_OK;
  if (dense_device_inverse(backend_device(), n, l, &st)) return st;
  w.kept = malloc((size_t)(w.m * TILE_NUMBERS) * sizeof *w.kept + 1);
  if (!w.kept) return fail(STATUS_MEMORY, "no memory for a row of %lld tiles", (long long)w.m);
  w.flush = above(&w, 1e-100); /* elements of the inverse are products with those of 1/l */
  for (int64_t j = w.m - 1; j >= 0 && !st; j--) {
    const int64_t below = w.m - 1 - j;
    const unsigned before = denormals_off(w.flush);
    w.at = j;
    w.tiles->invert_factor(tile_of(&w, j, j));
    denormals_back(before);
    if (below) memcpy(w.kept, tile_of(&w, j + 1, j), (size_t)(below * TILE_NUMBERS) * sizeof *w.kept);
    st = spread(&w, below, below / 2 + 1, column_of_inverse, 0.5 * (1 - share(j + 1, w.m)),
                0.5 * (1 - share(j, w.m)));
  }
  for (int64_t i = 0; i < w.m && !st; i++) {
    w.at = i;
    const double done = 0.5 + 0.5 * share(i, w.m);
    st = spread(&w, w.m - i, 1, transpose_tile, done, done);
    if (!st) st = spread(&w, i + 1, w.m - i, row_of_product, done, 0.5 + 0.5 * share(i + 1, w.m));
  }
  free(w.kept);
  return st;
}

static int column_of_outer(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const int64_t column = w->first + piece;
  (void)thread;
  for (int64_t row = column; row < w->m; row++) {
    double *c = tile_of(w, row, column);
    for (int64_t q = 0; q < TILE_NUMBERS; q++) c[q] = -c[q];
    const int64_t rows = w->n - row * T < T ? w->n - row * T : T;
    for (int64_t k = column * T; k < (column + 1) * T && k < w->n; k++)
      for (int64_t j = 0; j < w->columns; j++) {
        const double *u = w->u + j * w->n + row * T, by = w->u[j * w->n + k];
        for (int64_t i = 0; i < rows; i++) c[k % T * T + i] += u[i] * by;
      }
  }
  return 1;
}

status dense_outer_less(int64_t n, double *a, int64_t columns, const double *u) {
  status st = STATUS_OK;
  if (dense_device_outer_less(backend_device(), n, a, columns, u, &st)) return st;
  dense_work w = work_on(n, a);
  w.u = u;
  w.columns = columns;
  return spread(&w, w.m, w.m * (columns + 1) / 64 + 1, column_of_outer, 0, 1);
}

void dense_diagonal(int64_t n, const double *a, double *out) {
  const dense_work w = work_on(n, a);
  for (int64_t i = 0; i < n; i++) out[i] = tile_of(&w, i / T, i / T)[i % T * (T + 1)];
}

void dense_add_diagonal(int64_t n, double *a, const double *more) {
  const dense_work w = work_on(n, a);
  for (int64_t i = 0; i < n; i++) tile_of(&w, i / T, i / T)[i % T * (T + 1)] += more[i];
}

double dense_trace(int64_t n, const double *a) {
  const dense_work w = work_on(n, a);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += tile_of(&w, i / T, i / T)[i % T * (T + 1)];
  return sum;
}

void dense_pack(int64_t n, const double *x, double *a) {
  const dense_work w = work_on(n, a);
  for (int64_t j = 0; j < w.m; j++)
    for (int64_t i = j; i < w.m; i++) {
      double *c = memset(tile_of(&w, i, j), 0, TILE_NUMBERS * sizeof *c);
      for (int64_t r = 0; r < rows_of(&w, i); r++)
        for (int64_t k = 0; k < rows_of(&w, j); k++)
          c[k * T + r] = i > j || k <= r ? x[j * T + k + (i * T + r) * n] : 0;
      if (i > j) continue;
      for (int64_t k = rows_of(&w, j); k < T; k++) c[k * (T + 1)] = 1;
    }
}

void dense_unpack(int64_t n, const double *a, int symmetric, double *x) {
  const dense_work w = work_on(n, a);
  for (int64_t j = 0; j < w.m; j++)
    for (int64_t i = j; i < w.m; i++) {
      const double *c = tile_of(&w, i, j);
      for (int64_t r = 0; r < rows_of(&w, i); r++)
        for (int64_t k = 0; k < (i > j ? T : r + 1); k++) {
          const int64_t row = i * T + r, column = j * T + k;
          x[column + row * n] = c[k * T + r];
          if (row > column) x[row + column * n] = symmetric ? c[k * T + r] : 0;
        }
    }
}

/* Tiles of an n x m matrix by rows of tiles. */
static void take_tiles(int64_t n, int64_t m, const double *x, double *a) {
  const int64_t across = whole_tiles(m);
  for (int64_t i = 0; i < whole_tiles(n); i++)
    for (int64_t j = 0; j < across; j++, a += TILE_NUMBERS) {
      const int64_t rows = n - i * T < T ? n - i * T : T, columns = m - j * T < T ? m - j * T : T;
      memset(a, 0, TILE_NUMBERS * sizeof *a);
      for (int64_t k = 0; k < columns; k++) memcpy(a + k * T, x + (j * T + k) * n + i * T, (size_t)rows * sizeof *a);
    }
}

/* A row of tiles of x b'. */
static int row_of_tiles(void *context, int64_t piece, int thread) {
  const dense_work *w = context;
  const int64_t i = w->first + piece, across = whole_tiles(w->width), rows = rows_of(w, i);
  double c[TILE_NUMBERS];
  (void)thread;
  for (int64_t j = 0; j * T < w->columns; j++) {
    const double *x = w->kept + i * across * TILE_NUMBERS, *b = w->u + j * across * TILE_NUMBERS;
    memset(c, 0, sizeof c);
    for (int64_t k = 0; k < across; k++, x += TILE_NUMBERS, b += TILE_NUMBERS)
      w->tiles->less_product_by_rows(x, b, c, (int32_t)rows, b);
    for (int64_t k = 0; k < T && j * T + k < w->columns; k++)
      for (int64_t r = 0; r < rows; r++) w->b[(j * T + k) * w->n + i * T + r] = -c[k * T + r];
  }
  return 1;
}

status dense_product(int64_t n, int64_t m, int64_t columns, const double *x, const double *b, double *out) {
  dense_work w = work_on(n, NULL);
  const int64_t across = whole_tiles(m), others = whole_tiles(columns) * across;
  w.kept = malloc((size_t)((w.m * across + others) * TILE_NUMBERS + 1) * sizeof *w.kept);
  if (!w.kept) return fail(STATUS_MEMORY, "no memory for %lld tiles", (long long)(w.m * across + others));
  double *apart = w.kept + w.m * across * TILE_NUMBERS;
  take_tiles(n, m, x, w.kept);
  take_tiles(columns, m, b, apart);
  w.u = apart;
  w.b = out;
  w.width = m;
  w.columns = columns;
  const status st = spread(&w, w.m, others, row_of_tiles, 0, 1);
  free(w.kept);
  return st;
}
