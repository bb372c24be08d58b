/* dense_device.c: see dense_device.h. Factors are made by panels of some columns of tiles: within a panel each column
 * is brought up to date from those to its left, and then all tiles to its right from the whole panel at once. */
#include "dense/dense_device.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense_levels.h"
#include "engine/devices.h"
#include "engine/resident.h"
#include "engine/threads.h"
#include "kernels/dense/dense_par.h"
#include "programs/programs.h"

enum { T = DENSE_TILE, TILE_NUMBERS = T * T, PANEL = 4 };
typedef char tiles_agree[(int)DENSE_TILE == (int)TILE_SIDE ? 1 : -1];
static const double product = 2e4; /* nanoseconds of a product of tiles, as dense.c has them */

/* The matrix a on a device, and its first and last tiles; r: NULL where there is none. */
static struct {
  resident *r;
  int device;
  int64_t n;
  const double *a;
  double first[TILE_NUMBERS], last[TILE_NUMBERS];
} kept;

/* The matrix a, of m x m tiles; columns and transposed are those of what it works on. */
typedef struct {
  resident *r;
  const double *a;
  int64_t n, m, columns;
  int transposed;
} device_matrix;

/* What is asked of a matrix: block B has `room` numbers, `sent` of which come from the host, work() launches what
 * works on the matrix, and numbers of a block, `received` from `first` on, go back. bad: NULL, or for what kernels
 * found, with which the matrix is of no use. */
typedef struct {
  status (*work)(device_matrix d);
  int64_t columns, room, sent, first, received, *bad;
  int transposed, another, block; /* another: than the one that is there, whatever it looks like */
  const double *from;
  double *to;
} request;

static int64_t tiles_of_triangle(int64_t side) { return side * (side + 1) / 2; }
static int64_t numbers_of(int64_t m) { return tiles_of_triangle(m) * TILE_NUMBERS; }
static int64_t tiles_along(int64_t n) { return (n + T - 1) / T; }

void dense_device_forget(void) {
  if (kept.r && !in_forked_child()) resident_close(kept.r); /* in a child it is the parent's */
  kept.r = NULL;
}

int dense_device_keeps(void) { return kept.r != NULL; }

static const double *last_tile(int64_t n, const double *a) {
  return a + numbers_of(tiles_along(n)) - TILE_NUMBERS;
}

static void keep(device_matrix d, int device) {
  kept.r = d.r;
  kept.device = device;
  kept.n = d.n;
  kept.a = d.a;
  memcpy(kept.first, d.a, sizeof kept.first);
  memcpy(kept.last, last_tile(d.n, d.a), sizeof kept.last);
  devices_on_change(dense_device_forget);
  resident_on_shortage(dense_device_forget);
}

static int is_kept(int device, int64_t n, const double *a) {
  return kept.r && kept.device == device && kept.n == n && kept.a == a && !resident_stale(kept.r) &&
         !memcmp(kept.first, a, sizeof kept.first) && !memcmp(kept.last, last_tile(n, a), sizeof kept.last);
}

/* Has the matrix on the device: the one that is there, or a copy. */
static status begin(int device, int another, device_matrix *d) {
  if (!another && is_kept(device, d->n, d->a)) {
    d->r = kept.r;
    kept.r = NULL;
    resident_progress(d->r, 0);
    return STATUS_OK;
  }
  dense_device_forget();
  status st = resident_open(device, &d->r);
  if (!st) st = resident_room(d->r, RESIDENT_A, numbers_of(d->m));
  if (!st) st = resident_send(d->r, RESIDENT_A, numbers_of(d->m), d->a);
  return st;
}

/* 1 where the work is done or has failed for good; numbers that were written in part cannot be worked on again. */
static int run(int device, int64_t n, const double *a, const request *q, status *st) {
  device_matrix d = {NULL, a, n, tiles_along(n), q->columns, q->transposed};
  if (device < 0 && q->block == RESIDENT_A) dense_device_forget();
  if (device < 0 || n < 1 || q->room < 1) return 0;
  *st = begin(device, q->another, &d);
  if (!*st) *st = resident_room(d.r, RESIDENT_B, q->room);
  if (!*st && q->sent) *st = resident_send(d.r, RESIDENT_B, q->sent, q->from);
  if (!*st) *st = q->work(d);
  if (!*st) *st = resident_finish(d.r);
  const int written = !*st, useless = written && q->bad && (*q->bad = resident_found(d.r));
  if (written && !useless) *st = resident_receive(d.r, q->block, q->first, q->received, q->to);
  if (*st || useless) resident_close(d.r);
  else keep(d, device);
  if (*st != STATUS_MEMORY || written) return 1;
  *st = STATUS_OK;
  return 0;
}

static group_numbers numbers_for(device_matrix d, int64_t at) {
  return (group_numbers){.n = (int32_t)d.n, .m = (int32_t)d.m, .at = (int32_t)at, .columns = (int32_t)d.columns,
                         .transposed = d.transposed};
}

static status launch(device_matrix d, const kernel_description *k, int64_t groups, double products, int64_t at) {
  const group_numbers with = numbers_for(d, at);
  return resident_launch(d.r, k, groups, products * product, &with);
}

/* The first `groups` tiles, by columns, from tile (at, at) on, less the products of columns from ... at - 1. */
static status update(device_matrix d, int64_t groups, int64_t at, int64_t from) {
  group_numbers with = numbers_for(d, at);
  with.from = (int32_t)from;
  with.to = (int32_t)at;
  return resident_launch(d.r, KERNEL_dense_update, groups, (double)(at - from) * product, &with);
}

/* Pivots at or below these are not positive. */
static status send_least(device_matrix d) {
  const double *tile = d.a;
  double *least = malloc((size_t)(d.m * T) * sizeof *least);
  if (!least) return fail(STATUS_MEMORY, "no memory for %lld rows", (long long)(d.m * T));
  for (int64_t j = 0; j < d.m; tile += (d.m - j++) * TILE_NUMBERS)
    for (int i = 0; i < T; i++) least[j * T + i] = 4 * DBL_EPSILON * tile[i * (T + 1)];
  const status st = resident_send(d.r, RESIDENT_B, d.m * T, least);
  free(least);
  return st;
}

static status factor(device_matrix d) {
  status st = send_least(d);
  for (int64_t j = 0, from = 0; j < d.m && !st && !resident_found(d.r); j++) {
    const int64_t below = d.m - 1 - j;
    if (j > from) st = update(d, below + 1, j, from);
    if (!st) st = launch(d, KERNEL_dense_factor, 1, 1, j);
    if (!st) st = launch(d, KERNEL_dense_divide, below, 1, j);
    if (!st && j + 1 - from == PANEL) {
      st = update(d, tiles_of_triangle(below), j + 1, from);
      from = j + 1;
    }
    const double left = (double)below / (double)d.m;
    resident_progress(d.r, 1 - left * left * left);
  }
  return st;
}

int dense_device_cholesky(int device, int64_t n, double *a, int64_t *bad, status *st) {
  const int64_t m = tiles_along(n);
  const request q = {.work = factor, .another = 1, .room = m * T, .block = RESIDENT_A, .received = numbers_of(m),
                     .to = a, .bad = bad};
  *bad = 0;
  return run(device, n, a, &q, st);
}

static int64_t blocks_of(device_matrix d) { return (d.columns + SOLVED_COLUMNS - 1) / SOLVED_COLUMNS; }

static status solve(device_matrix d) {
  status st = STATUS_OK;
  for (int64_t step = 0; step < d.m && !st; step++) {
    const int64_t rest = d.m - 1 - step, at = d.transposed ? rest : step;
    st = launch(d, KERNEL_dense_solve_tile, blocks_of(d), 0.5, at);
    if (!st) st = launch(d, KERNEL_dense_solve_rest, rest * blocks_of(d), 0.25, at);
    const double left = (double)rest / (double)d.m;
    resident_progress(d.r, 1 - left * left);
  }
  return st;
}

int dense_device_solve(int device, int64_t n, const double *l, int64_t columns, double *b, int transposed,
                       status *st) {
  const int64_t size = n * columns;
  const request q = {.work = solve, .columns = columns, .transposed = transposed != 0, .room = size, .sent = size,
                     .from = b, .block = RESIDENT_B, .received = size, .to = b};
  return run(device, n, l, &q, st);
}

static status multiply(device_matrix d) {
  return launch(d, KERNEL_dense_multiply, d.m * blocks_of(d), 0.125 * (double)(d.m + 1), 0);
}

int dense_device_multiply(int device, int64_t n, const double *l, int64_t columns, double *b, status *st) {
  const int64_t size = n * columns;
  const request q = {.work = multiply, .columns = columns, .room = 2 * size, .sent = size, .from = b,
                     .block = RESIDENT_B, .first = size, .received = size, .to = b};
  return run(device, n, l, &q, st);
}

/* inv(l) by columns from the last on, and its product with itself by rows. */
static status invert(device_matrix d) {
  status st = launch(d, KERNEL_dense_invert_tile, d.m, 1, 0);
  for (int64_t j = d.m - 2; j >= 0 && !st; j--) {
    const int64_t below = d.m - 1 - j;
    st = launch(d, KERNEL_dense_times_inverse, below, 1, j);
    if (!st) st = launch(d, KERNEL_dense_inverse_column, below, 0.5 * (double)(below + 1), j);
    const double done = (double)below / (double)d.m;
    resident_progress(d.r, 0.5 * done * done * done);
  }
  if (!st) st = launch(d, KERNEL_dense_square, d.m, 0.5 * (double)(d.m + 1), 0);
  for (int64_t i = 1; i < d.m && !st; i++) {
    st = launch(d, KERNEL_dense_product, i, (double)(d.m - i), i);
    const double done = (double)i / (double)d.m;
    resident_progress(d.r, 0.5 + 0.5 * done * done * (3 - 2 * done));
  }
  if (!st) st = launch(d, KERNEL_dense_diagonal, d.m, 1, 0);
  return st;
}

int dense_device_inverse(int device, int64_t n, double *l, status *st) {
  const int64_t m = tiles_along(n);
  const request q = {.work = invert, .room = m * TILE_NUMBERS, .block = RESIDENT_A, .received = numbers_of(m),
                     .to = l};
  return run(device, n, l, &q, st);
}

static status outer_less(device_matrix d) {
  return launch(d, KERNEL_dense_outer_less, tiles_of_triangle(d.m), 1 + (double)d.columns / T, 0);
}

int dense_device_outer_less(int device, int64_t n, double *a, int64_t columns, const double *u, status *st) {
  const request q = {.work = outer_less, .columns = columns, .room = n * columns + 1, .sent = n * columns, .from = u,
                     .block = RESIDENT_A, .received = numbers_of(tiles_along(n)), .to = a};
  return run(device, n, a, &q, st);
}
