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

typedef struct {
  resident *r;
  int64_t n, m;
} device_matrix;

static int64_t tiles_of_triangle(int64_t side) { return side * (side + 1) / 2; }
static int64_t numbers_of(int64_t m) { return tiles_of_triangle(m) * TILE_NUMBERS; }

void dense_device_forget(void) {
  if (kept.r && !in_forked_child()) resident_close(kept.r); /* in a child it is the parent's */
  kept.r = NULL;
}

int dense_device_keeps(void) { return kept.r != NULL; }

static const double *last_tile(int64_t n, const double *a) {
  return a + numbers_of((n + T - 1) / T) - TILE_NUMBERS;
}

static void keep(device_matrix d, int device, const double *a) {
  kept.r = d.r;
  kept.device = device;
  kept.n = d.n;
  kept.a = a;
  memcpy(kept.first, a, sizeof kept.first);
  memcpy(kept.last, last_tile(d.n, a), sizeof kept.last);
  devices_on_change(dense_device_forget);
  resident_on_shortage(dense_device_forget);
}

static int is_kept(int device, int64_t n, const double *a) {
  return kept.r && kept.device == device && kept.n == n && kept.a == a && !resident_stale(kept.r) &&
         !memcmp(kept.first, a, sizeof kept.first) && !memcmp(kept.last, last_tile(n, a), sizeof kept.last);
}

/* Has the matrix on the device: the one that is there, unless the caller says that it is another, or a copy. */
static status begin(int device, int64_t n, const double *a, int another, device_matrix *d) {
  *d = (device_matrix){NULL, n, (n + T - 1) / T};
  if (!another && is_kept(device, n, a)) {
    d->r = kept.r;
    kept.r = NULL;
    resident_progress(d->r, 0);
    return STATUS_OK;
  }
  dense_device_forget();
  status st = resident_open(device, &d->r);
  if (!st) st = resident_room(d->r, RESIDENT_A, numbers_of(d->m));
  if (!st) st = resident_send(d->r, RESIDENT_A, numbers_of(d->m), a);
  return st;
}

/* 1 where the work is done or has failed for good; numbers that were written in part cannot be worked on again. */
static int end(device_matrix d, int device, const double *a, int written, status *st) {
  if (!*st) keep(d, device, a);
  else resident_close(d.r);
  if (*st != STATUS_MEMORY || written) return 1;
  *st = STATUS_OK;
  return 0;
}

static group_numbers numbers_for(device_matrix d, int64_t at) {
  return (group_numbers){.n = (int32_t)d.n, .m = (int32_t)d.m, .at = (int32_t)at};
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
static status send_least(device_matrix d, const double *a) {
  const int64_t rows = d.m * T;
  double *least = malloc((size_t)rows * sizeof *least);
  if (!least) return fail(STATUS_MEMORY, "no memory for %lld rows", (long long)rows);
  for (int64_t j = 0; j < d.m; a += (d.m - j++) * TILE_NUMBERS)
    for (int i = 0; i < T; i++) least[j * T + i] = 4 * DBL_EPSILON * a[i * (T + 1)];
  status st = resident_room(d.r, RESIDENT_B, rows);
  if (!st) st = resident_send(d.r, RESIDENT_B, rows, least);
  free(least);
  return st;
}

static status factor(device_matrix d) {
  status st = STATUS_OK;
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
  return st ? st : resident_finish(d.r);
}

int dense_device_cholesky(int device, int64_t n, double *a, int64_t *bad, status *st) {
  device_matrix d;
  int written = 0;
  if (device < 0) dense_device_forget();
  if (device < 0 || n < 1) return 0;
  *bad = 0;
  *st = begin(device, n, a, 1, &d);
  if (!*st) *st = send_least(d, a);
  if (!*st) *st = factor(d);
  if (!*st) *bad = resident_found(d.r);
  if (!*st && *bad) { /* what is left of it is of no use */
    resident_close(d.r);
    return 1;
  }
  if (!*st) {
    written = 1;
    *st = resident_receive(d.r, RESIDENT_A, 0, numbers_of(d.m), a);
  }
  return end(d, device, a, written, st);
}

static status solve(device_matrix d, int64_t columns, int transposed) {
  const int64_t blocks = (columns + SOLVED_COLUMNS - 1) / SOLVED_COLUMNS;
  status st = STATUS_OK;
  for (int64_t step = 0; step < d.m && !st; step++) {
    group_numbers with = numbers_for(d, transposed ? d.m - 1 - step : step);
    with.columns = (int32_t)columns;
    with.transposed = transposed;
    st = resident_launch(d.r, KERNEL_dense_solve_tile, blocks, 0.5 * product, &with);
    if (!st) st = resident_launch(d.r, KERNEL_dense_solve_rest, (d.m - 1 - step) * blocks, 0.25 * product, &with);
    const double left = (double)(d.m - 1 - step) / (double)d.m;
    resident_progress(d.r, 1 - left * left);
  }
  return st;
}

int dense_device_solve(int device, int64_t n, const double *l, int64_t columns, double *b, int transposed,
                       status *st) {
  device_matrix d;
  int written = 0;
  if (device < 0 || n < 1 || columns < 1) return 0;
  *st = begin(device, n, l, 0, &d);
  if (!*st) *st = resident_room(d.r, RESIDENT_B, n * columns);
  if (!*st) *st = resident_send(d.r, RESIDENT_B, n * columns, b);
  if (!*st) *st = solve(d, columns, transposed != 0);
  if (!*st) *st = resident_finish(d.r);
  if (!*st) {
    written = 1;
    *st = resident_receive(d.r, RESIDENT_B, 0, n * columns, b);
  }
  return end(d, device, l, written, st);
}

int dense_device_multiply(int device, int64_t n, const double *l, int64_t columns, double *b, status *st) {
  const int64_t blocks = (columns + SOLVED_COLUMNS - 1) / SOLVED_COLUMNS;
  device_matrix d;
  int written = 0;
  if (device < 0 || n < 1 || columns < 1) return 0;
  *st = begin(device, n, l, 0, &d);
  if (!*st) *st = resident_room(d.r, RESIDENT_B, 2 * n * columns);
  if (!*st) *st = resident_send(d.r, RESIDENT_B, n * columns, b);
  if (!*st) {
    group_numbers with = numbers_for(d, 0);
    with.columns = (int32_t)columns;
    *st = resident_launch(d.r, KERNEL_dense_multiply, d.m * blocks, 0.125 * (double)(d.m + 1) * product, &with);
  }
  if (!*st) *st = resident_finish(d.r);
  if (!*st) {
    written = 1;
    *st = resident_receive(d.r, RESIDENT_B, n * columns, n * columns, b);
  }
  return end(d, device, l, written, st);
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
  return st ? st : resident_finish(d.r);
}

int dense_device_inverse(int device, int64_t n, double *l, status *st) {
  device_matrix d;
  int written = 0;
  if (device < 0) dense_device_forget();
  if (device < 0 || n < 1) return 0;
  *st = begin(device, n, l, 0, &d);
  if (!*st) *st = resident_room(d.r, RESIDENT_B, d.m * TILE_NUMBERS);
  if (!*st) *st = invert(d);
  if (!*st) {
    written = 1;
    *st = resident_receive(d.r, RESIDENT_A, 0, numbers_of(d.m), l);
  }
  return end(d, device, l, written, st);
}

int dense_device_outer_less(int device, int64_t n, double *a, int64_t columns, const double *u, status *st) {
  device_matrix d;
  int written = 0;
  if (device < 0) dense_device_forget();
  if (device < 0 || n < 1) return 0;
  *st = begin(device, n, a, 0, &d);
  if (!*st) *st = resident_room(d.r, RESIDENT_B, n * columns + 1);
  if (!*st) *st = resident_send(d.r, RESIDENT_B, n * columns, u);
  if (!*st) {
    group_numbers with = numbers_for(d, 0);
    with.columns = (int32_t)columns;
    *st = resident_launch(d.r, KERNEL_dense_outer_less, tiles_of_triangle(d.m),
                          (1 + (double)columns / T) * product, &with);
  }
  if (!*st) *st = resident_finish(d.r);
  if (!*st) {
    written = 1;
    *st = resident_receive(d.r, RESIDENT_A, 0, numbers_of(d.m), a);
  }
  return end(d, device, a, written, st);
}
