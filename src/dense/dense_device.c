/* dense_device.c: see dense_device.h. Factors are made by panels of some columns of tiles: within a panel each column
 * is brought up to date from those to its left, and then all tiles to its right from the whole panel at once. */
#include "dense/dense_device.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense_levels.h"
#include "engine/devices.h"
#include "engine/exact_sum.h"
#include "engine/resident.h"
#include "engine/threads.h"
#include "kernels/dense/dense_par.h"
#include "programs/programs.h"

enum { T = DENSE_TILE, TILE_NUMBERS = T * T, PANEL = 4 };
typedef char tiles_agree[(int)DENSE_TILE == (int)TILE_SIDE ? 1 : -1];
static const double product = 2e4; /* nanoseconds of a product of tiles, as dense.c has them */

/* The matrix a on a device; r: NULL where there is none. ahead: the host's is not what it should be. Where it is, its
 * first and last tiles tell whether it is the same. */
static struct {
  resident *r;
  int device, ahead;
  int64_t n;
  double *a;
  double first[TILE_NUMBERS], last[TILE_NUMBERS];
} kept;

/* Block B beside it: its room, and what is known of its first numbers, for what comes back is often sent again. */
static struct {
  int64_t room, known;
  double *copy;
} beside;
enum { MOST_KNOWN = 1 << 20 };

/* An open queue without a matrix, whose constants the next may take again. */
static struct {
  resident *r;
  int device;
} idle;

/* The matrix a, of m x m tiles; columns and transposed are those of what it works on; behind: tiles of block B that
 * are to stay as they are. */
typedef struct {
  resident *r;
  double *a;
  int64_t n, m, columns, behind;
  int transposed, ahead;
} device_matrix;

/* What is asked of a matrix: block B has `room` numbers, `sent` of which come from the host, work() launches what
 * works on the matrix, and numbers of a block, `received` from `first` on, go back. bad: NULL, or for what kernels
 * found, with which the matrix is of no use. */
typedef struct {
  status (*work)(device_matrix d);
  int64_t columns, room, sent, first, received, *bad;
  int transposed, another, block; /* another: than the one that is there, whatever it looks like */
  int after;                      /* does the room begin behind what is known of block B? */
  const double *from;
  double *to;
} request;

static int64_t tiles_of_triangle(int64_t side) { return side * (side + 1) / 2; }
static int64_t numbers_of(int64_t m) { return tiles_of_triangle(m) * TILE_NUMBERS; }
static int64_t tiles_along(int64_t n) { return (n + T - 1) / T; }
/* Beside a matrix that becomes its inverse. */
static int64_t room_of_inverse(int64_t n) { return INVERSE_PANEL * tiles_along(n) * TILE_NUMBERS; }

static void close_idle(void) {
  if (!in_forked_child()) resident_close(idle.r); /* in a child it is the parent's */
  idle.r = NULL;
}

void dense_device_forget(void) {
  resident *r = kept.r;
  kept.r = NULL;
  free(beside.copy);
  memset(&beside, 0, sizeof beside);
  if (!r || in_forked_child()) return;
  close_idle();
  if (resident_stale(r)) {
    resident_close(r);
  } else {
    resident_empty(r);
    idle.r = r;
    idle.device = kept.device;
  }
}

int dense_device_keeps(void) { return kept.r != NULL; }

static const double *last_tile(int64_t n, const double *a) {
  return a + numbers_of(tiles_along(n)) - TILE_NUMBERS;
}

static void remember_tiles(void) {
  memcpy(kept.first, kept.a, sizeof kept.first);
  memcpy(kept.last, last_tile(kept.n, kept.a), sizeof kept.last);
}

static int is_ahead(int64_t n, const double *a) { return kept.r && kept.ahead && kept.n == n && kept.a == a; }

/* After a failure nothing there can be trusted, nor what has come home in part. */
static status drop(status why) {
  if (kept.ahead) kept.a[0] = NAN;
  resident_close(kept.r);
  kept.r = NULL;
  return why;
}

/* The host gets what the device alone has. Should memory be short for that, no CPU can help: the matrix is lost. */
static status come_home(void) {
  if (!kept.r || !kept.ahead || in_forked_child()) return STATUS_OK;
  const status st = resident_receive(kept.r, RESIDENT_A, 0, numbers_of(tiles_along(kept.n)), kept.a);
  if (st) return drop(st == STATUS_MEMORY ? STATUS_DEVICE : st);
  kept.ahead = 0;
  remember_tiles();
  return STATUS_OK;
}

int dense_device_alone(int64_t n, const double *a) { return is_ahead(n, a); }

status dense_device_fetch(int64_t n, const double *a) { return is_ahead(n, a) ? come_home() : STATUS_OK; }

static void leave_devices(void) {
  come_home();
  dense_device_forget();
  close_idle();
}

/* A matrix that the host has, too, can be sent again. */
static void make_room(void) {
  if (kept.r && !kept.ahead) dense_device_forget();
  close_idle();
}

static void keep(device_matrix d, int device) {
  kept.r = d.r;
  kept.device = device;
  kept.ahead = d.ahead;
  kept.n = d.n;
  kept.a = d.a;
  if (!d.ahead) remember_tiles();
  devices_on_change(leave_devices);
  resident_on_shortage(make_room);
}

static int is_kept(int device, int64_t n, const double *a) {
  return is_ahead(n, a) ? kept.device == device
                        : kept.r && kept.device == device && kept.n == n && kept.a == a && !resident_stale(kept.r) &&
                              !memcmp(kept.first, a, sizeof kept.first) &&
                              !memcmp(kept.last, last_tile(n, a), sizeof kept.last);
}

/* A queue with room for the matrix, in the place of whatever is there. */
static status open_room(int device, device_matrix *d) {
  status st = come_home();
  if (st) return st;
  dense_device_forget();
  if (idle.r && (idle.device != device || resident_stale(idle.r))) close_idle();
  d->r = idle.r;
  idle.r = NULL;
  if (!d->r) st = resident_open(device, &d->r);
  if (d->r) resident_progress(d->r, 0);
  return st ? st : resident_room(d->r, RESIDENT_A, numbers_of(d->m));
}

/* Has the matrix on the device: the one that is there, or a copy. */
static status begin(int device, int another, device_matrix *d) {
  if (!another && is_kept(device, d->n, d->a)) {
    d->r = kept.r;
    d->ahead = kept.ahead;
    kept.r = NULL;
    resident_progress(d->r, 0);
    return STATUS_OK;
  }
  const status st = open_room(device, d);
  return st ? st : resident_send(d->r, RESIDENT_A, 0, numbers_of(d->m), d->a);
}

/* A block that grows is another one. */
static status room_beside(resident *r, int64_t n) {
  const status st = resident_room(r, RESIDENT_B, n);
  if (st || n > beside.room) beside.known = 0;
  beside.room = st ? 0 : n > beside.room ? n : beside.room;
  return st;
}

static int is_beside(int64_t n, const double *v) {
  return n <= beside.known && !memcmp(v, beside.copy, (size_t)n * sizeof *v);
}

static void know_beside(int64_t n, const double *v) {
  double *copy = n <= MOST_KNOWN ? realloc(beside.copy, (size_t)n * sizeof *copy) : NULL;
  beside.known = 0;
  if (!copy) return;
  beside.copy = copy;
  memcpy(copy, v, (size_t)n * sizeof *v);
  beside.known = n;
}

/* 0: the CPU has to work, on the host's matrix. */
static int leave(int64_t n, const double *a, const request *q, status *st) {
  *st = dense_device_fetch(n, a);
  if (q->block == RESIDENT_A) dense_device_forget();
  return *st != STATUS_OK;
}

/* 1 where the work is done or has failed for good; numbers that were written in part cannot be worked on again. */
static int run(int device, int64_t n, const double *a, const request *q, status *st) {
  device_matrix d = {NULL, (double *)(uintptr_t)a, n, tiles_along(n), q->columns, 0, q->transposed, 0};
  if (device < 0 || n < 1 || q->room < 1) return leave(n, a, q, st);
  *st = begin(device, q->another, &d);
  if (q->after) d.behind = (beside.known + TILE_NUMBERS - 1) / TILE_NUMBERS;
  if (!*st) *st = room_beside(d.r, q->room + d.behind * TILE_NUMBERS);
  if (*st == STATUS_MEMORY && d.ahead) { /* the matrix is as it was */
    keep(d, device);
    return leave(n, a, q, st);
  }
  if (!*st && q->sent && !is_beside(q->sent, q->from)) {
    beside.known = 0;
    *st = resident_send(d.r, RESIDENT_B, 0, q->sent, q->from);
  }
  if (!*st) *st = q->work(d);
  if (!*st) *st = resident_finish(d.r);
  const int written = !*st, useless = written && q->bad && (*q->bad = resident_found(d.r));
  if (written && !useless && !(d.ahead && q->block == RESIDENT_A))
    *st = resident_receive(d.r, q->block, q->first, q->received, q->to);
  if (q->block == RESIDENT_B) beside.known = 0;
  if (q->block == RESIDENT_B && !q->first && !*st) know_beside(q->received, q->to);
  if (*st || useless) resident_close(d.r);
  else keep(d, device);
  if (*st != STATUS_MEMORY || written || d.ahead) return 1;
  *st = STATUS_OK;
  return 0;
}

static group_numbers numbers_for(device_matrix d, int64_t at) {
  return (group_numbers){.n = (int32_t)d.n, .m = (int32_t)d.m, .at = (int32_t)at, .from = (int32_t)d.behind,
                         .columns = (int32_t)d.columns, .transposed = d.transposed};
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
  const status st = resident_send(d.r, RESIDENT_B, 0, d.m * T, least);
  free(least);
  return st;
}

/* With the least pivots in block B. */
static status factor_columns(device_matrix d) {
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
  return st;
}

static status factor(device_matrix d) {
  const status st = send_least(d);
  return st ? st : factor_columns(d);
}

int dense_device_cholesky(int device, int64_t n, double *a, int64_t *bad, status *st) {
  const int64_t m = tiles_along(n);
  const request q = {.work = factor, .another = 1, .room = m * T, .block = RESIDENT_A, .received = numbers_of(m),
                     .to = a, .bad = bad};
  *bad = 0;
  return run(device, n, a, &q, st);
}

/* Sums over the diagonal of each of its tiles, or of logarithms. */
static status diagonal_sum(device_matrix d, int logarithms, double *total) {
  double *sums = malloc((size_t)d.m * sizeof *sums);
  exact_sum all = {0, 0};
  d.transposed = logarithms;
  status st = sums ? STATUS_OK : fail(STATUS_MEMORY, "no memory for %lld sums", (long long)d.m);
  if (!st) st = launch(d, KERNEL_dense_diagonal_sums, d.m, 0.01, 0);
  if (!st) st = resident_receive(d.r, RESIDENT_B, 0, d.m, sums);
  for (int64_t i = 0; i < d.m && !st; i++) exact_add(&all, sums[i]);
  *total = exact_total(all);
  free(sums);
  return st;
}

static status fill_matrix(device_matrix d, dense_filler fill) {
  status st = STATUS_OK;
  for (int64_t j = 0, at = 0; j < d.m && !st; at += (d.m - j++) * TILE_NUMBERS)
    st = fill.columns(fill.context, d.r, j, 1, RESIDENT_A, at, numbers_of(d.m));
  return st;
}

/* Numbers that are the same for all rows go once. */
static status frame_matrix(device_matrix d, const double *diagonal) {
  int64_t columns = 1;
  for (int64_t i = 1; i < d.n && columns == 1; i++)
    if (memcmp(diagonal + i, diagonal, sizeof *diagonal)) columns = 2;
  d.columns = columns;
  status st = resident_send(d.r, RESIDENT_B, d.m * T, columns == 1 ? 1 : d.n, diagonal);
  return st ? st : launch(d, KERNEL_dense_frame, 2 * d.m - 1, 0.02, 0);
}

int dense_device_make(int device, int64_t n, double *a, dense_filler fill, const double *diagonal, double *log_det,
                      status *st) {
  device_matrix d = {NULL, a, n, tiles_along(n), 1, 0, 0, 1};
  if (device < 0 || n < 1 || numbers_of(d.m) > INT32_MAX) return 0;
  *st = open_room(device, &d);
  if (!*st) *st = room_beside(d.r, d.m * T + n);
  if (!*st) *st = fill_matrix(d, fill);
  if (!*st) *st = frame_matrix(d, diagonal);
  if (!*st) *st = factor_columns(d);
  if (!*st) *st = resident_finish(d.r);
  const int odd = !*st && resident_found(d.r);
  if (!*st && !odd) *st = diagonal_sum(d, 1, log_det);
  if (!*st && !odd) {
    *log_det *= 2;
    a[0] = NAN; /* should anything else take it for a matrix */
    keep(d, device);
    return 1;
  }
  resident_close(d.r);
  if (*st && *st != STATUS_MEMORY) return 1;
  *st = STATUS_OK;
  return 0;
}

/* Of the matrix that is there: 0 where memory is short, and the matrix as it was. */
static int asked(status *st) {
  const int answered = *st != STATUS_MEMORY;
  if (!answered) *st = STATUS_OK;
  else if (*st) drop(*st);
  return answered;
}

/* Column by column of tiles, of which `with` makes sums behind them, and in the end one launch of `sums` of these. */
static status by_columns(device_matrix d, dense_filler fill, const kernel_description *with,
                         const kernel_description *sums) {
  status st = STATUS_OK;
  for (int64_t j = 0; j < d.m && !st; j++) {
    st = fill.columns(fill.context, d.r, j, 1, RESIDENT_B, 0, d.m * TILE_NUMBERS);
    if (!st) st = launch(d, with, d.m - j, 0.02 * (double)d.columns, j);
  }
  return st ? st : launch(d, sums, d.m, 0.01 * (double)d.columns, 0);
}

int dense_device_contract(int64_t n, const double *a, int64_t columns, dense_filler fill, double *sums, status *st) {
  if (!is_ahead(n, a)) return 0;
  const int64_t m = tiles_along(n), behind = columns * m * TILE_NUMBERS, tiles = tiles_of_triangle(m);
  device_matrix d = {kept.r, kept.a, n, m, columns, 0, 0, 1};
  double *part = malloc((size_t)(m * columns) * sizeof *part);
  *st = part && behind <= INT32_MAX ? STATUS_OK : STATUS_MEMORY;
  beside.known = 0;
  if (!*st) *st = room_beside(d.r, behind + (tiles + m) * columns);
  if (!*st) *st = by_columns(d, fill, KERNEL_dense_contract, KERNEL_dense_contract_sums);
  if (!*st) *st = resident_receive(d.r, RESIDENT_B, behind + tiles * columns, m * columns, part);
  int known = 1;
  for (int64_t k = 0; k < columns && !*st; k++) {
    exact_sum all = {0, 0};
    for (int64_t j = 0; j < m; j++) exact_add(&all, part[j * columns + k]);
    sums[k] = exact_total(all);
    known = known && sums[k] == sums[k];
  }
  free(part);
  return asked(st) && (*st || known);
}

int dense_device_products(int64_t n, int64_t columns, dense_filler fill, const double *x, double *out, status *st) {
  if (!kept.r || !kept.ahead || kept.n != n) return 0;
  const int64_t m = tiles_along(n), vector = columns * (m * TILE_NUMBERS + tiles_of_triangle(m) * 2 * T);
  device_matrix d = {kept.r, kept.a, n, m, columns, 0, 0, 1};
  int known = 1;
  *st = columns * m * TILE_NUMBERS > INT32_MAX ? STATUS_MEMORY : STATUS_OK;
  beside.known = 0;
  if (!*st) *st = room_beside(d.r, vector + (1 + columns) * m * T);
  if (!*st) *st = resident_send(d.r, RESIDENT_B, vector, n, x);
  if (!*st) *st = by_columns(d, fill, KERNEL_dense_times_vector, KERNEL_dense_vector_sums);
  for (int64_t k = 0; k < columns && !*st; k++) {
    *st = resident_receive(d.r, RESIDENT_B, vector + (1 + k) * m * T, n, out + k * n);
    for (int64_t i = 0; i < n && !*st; i++) known = known && out[k * n + i] == out[k * n + i];
  }
  return asked(st) && (*st || known);
}

int dense_device_trace(int64_t n, const double *a, double *trace, status *st) {
  device_matrix d = {kept.r, kept.a, n, tiles_along(n), 1, 0, 0, 1};
  if (!is_ahead(n, a)) return 0;
  beside.known = 0;
  *st = room_beside(d.r, d.m);
  if (!*st) *st = diagonal_sum(d, 0, trace);
  return asked(st);
}

int dense_device_diagonal(int64_t n, const double *a, double *out, status *st) {
  double tile[TILE_NUMBERS];
  if (!is_ahead(n, a)) return 0;
  *st = STATUS_OK;
  for (int64_t j = 0, at = 0, m = tiles_along(n); j < m && !*st; at += (m - j++) * TILE_NUMBERS) {
    *st = resident_receive(kept.r, RESIDENT_A, at, TILE_NUMBERS, tile);
    for (int64_t i = 0; i < at_most(n - j * T, T); i++) out[j * T + i] = tile[i * (T + 1)];
  }
  return asked(st);
}

static int64_t blocks_of(device_matrix d) { return (d.columns + SOLVED_COLUMNS - 1) / SOLVED_COLUMNS; }

/* Of T columns and more: what steps from ... to - 1 have solved for is taken from the tiles of steps to ... last - 1.
 */
static status less_solved(device_matrix d, int64_t from, int64_t to, int64_t last) {
  const int back = d.transposed;
  const int64_t blocks = (d.columns + T - 1) / T;
  group_numbers with = numbers_for(d, back ? d.m - last : to);
  with.from = (int32_t)(back ? d.m - to : from);
  with.to = (int32_t)(back ? d.m - from : to);
  return resident_launch(d.r, back ? KERNEL_dense_solve_many_transposed : KERNEL_dense_solve_many,
                         (last - to) * blocks, (double)(to - from) * product, &with);
}

/* Many columns go by panels of tiles, as factors do: within one each tile is brought up to date from those before.
 */
static status solve(device_matrix d) {
  const int many = d.columns >= T;
  status st = STATUS_OK;
  for (int64_t step = 0, from = 0; step < d.m && !st; step++) {
    const int64_t rest = d.m - 1 - step, at = d.transposed ? rest : step, end = at_most(d.m, from + PANEL);
    st = launch(d, KERNEL_dense_solve_tile, blocks_of(d), 0.5, at);
    if (!st && !many) st = launch(d, KERNEL_dense_solve_rest, rest * blocks_of(d), 0.25, at);
    if (!st && many) st = less_solved(d, step, step + 1, end);
    if (!st && many && step + 1 == end) {
      st = less_solved(d, from, end, d.m);
      from = end;
    }
    const double left = (double)rest / (double)d.m;
    resident_progress(d.r, 1 - left * left);
  }
  return st;
}

int dense_device_solve(int device, int64_t n, const double *l, int64_t columns, double *b, int transposed,
                       status *st) {
  const int64_t size = n * columns;
  /* and room for what may then work behind the solution */
  const int64_t room = size > MOST_KNOWN ? size : size + TILE_NUMBERS + room_of_inverse(n);
  request q = {.work = solve, .columns = columns, .transposed = transposed != 0, .room = room, .sent = size,
               .from = b, .block = RESIDENT_B, .received = size, .to = b};
  if (run(device, n, l, &q, st)) return 1;
  q.room = size;
  return room > size && run(device, n, l, &q, st);
}

/* After work that leaves the matrix as it was: 0 where memory is short. */
static int leave_there(int device, device_matrix d, status *st) {
  const int short_of = *st == STATUS_MEMORY;
  if (*st && !(short_of && d.ahead)) resident_close(d.r);
  else keep(d, device);
  if (short_of) *st = STATUS_OK;
  return !short_of;
}

/* What dense_device_sums() is asked for; there is room for so many columns of tiles at a time. */
typedef struct {
  dense_filler fill;
  int64_t columns, vectors, room;
  const double *with;
  double *out;
} across;
enum { MOST_ACROSS = 1 << 25 }; /* numbers */

/* Rows of tiles from `at` on, less products with rows from ... to - 1. */
static status update_across(device_matrix d, int64_t rows, int64_t at, int64_t from, int64_t to) {
  group_numbers with = numbers_for(d, at);
  with.from = (int32_t)from;
  with.to = (int32_t)to;
  return resident_launch(d.r, KERNEL_dense_across_update, rows * d.columns / T, (double)(to - from) * product, &with);
}

/* As factor_columns() goes through columns. done, width: the share of all that is solved for, and that is. */
static status solve_across(device_matrix d, double done, double width) {
  status st = STATUS_OK;
  for (int64_t j = 0, from = 0; j < d.m && !st; j++) {
    const int64_t below = d.m - 1 - j;
    if (j > from) st = update_across(d, 1, j, from, j);
    if (!st) st = launch(d, KERNEL_dense_across_tile, d.columns / T, 1, j);
    if (!st && j + 1 - from == PANEL) {
      st = update_across(d, below, j + 1, from, j + 1);
      from = j + 1;
    }
    const double left = (double)below / (double)d.m;
    resident_progress(d.r, done + width * (1 - left * left));
  }
  return st;
}

/* Columns of tiles from `first` on; with the first of all the vectors go there. */
static status some_across(device_matrix d, const across *w, int64_t first, int64_t tiles) {
  const int64_t from = first * T, columns = at_most(w->columns - from, tiles * T), all = tiles_along(w->columns);
  const int64_t behind = w->room * d.m * TILE_NUMBERS, kinds = w->vectors + 1;
  status st = w->fill.columns(w->fill.context, d.r, first, tiles, RESIDENT_B, 0, 0);
  if (!st && !first && w->vectors)
    st = resident_send(d.r, RESIDENT_B, behind + kinds * w->room * T, w->vectors * d.n, w->with);
  d.columns = tiles * T;
  if (!st) st = solve_across(d, (double)first / (double)all, (double)tiles / (double)all);
  group_numbers with = numbers_for(d, 0);
  with.columns = (int32_t)(w->room * T);
  with.to = (int32_t)w->vectors;
  if (!st)
    st = resident_launch(d.r, KERNEL_dense_across_sums, tiles * kinds, 0.02 * (double)d.m * product, &with);
  for (int64_t k = 0; k < kinds && !st; k++)
    st = resident_receive(d.r, RESIDENT_B, behind + k * w->room * T, columns, w->out + k * w->columns + from);
  return st;
}

/* As many columns as there are, or there is room for. */
static status room_across(device_matrix d, across *w) {
  const int64_t kinds = w->vectors + 1, most = MOST_ACROSS / (d.m * TILE_NUMBERS), tile = T * (d.m * T + kinds);
  status st = STATUS_MEMORY;
  w->room = 2 * at_most(tiles_along(w->columns), most < 1 ? 1 : most);
  while (st == STATUS_MEMORY && (w->room /= 2)) {
    const int64_t numbers = w->room * tile + w->vectors * d.n;
    st = numbers > INT32_MAX ? fail(STATUS_MEMORY, "no memory for %lld numbers", (long long)numbers)
                             : room_beside(d.r, numbers);
  }
  return st;
}

int dense_device_sums(int device, int64_t n, const double *l, int64_t columns, dense_filler fill, int64_t vectors,
                      const double *with, double *out, status *st) {
  device_matrix d = {NULL, (double *)(uintptr_t)l, n, tiles_along(n), 0, 0, 0, 0};
  across w = {.fill = fill, .columns = columns, .vectors = vectors, .with = with, .out = out};
  if (device < 0 || n < 1 || columns < 1) return 0;
  *st = begin(device, 0, &d);
  beside.known = 0;
  if (!*st) *st = room_across(d, &w);
  for (int64_t first = 0; first < tiles_along(columns) && !*st; first += w.room)
    *st = some_across(d, &w, first, at_most(tiles_along(columns) - first, w.room));
  return leave_there(device, d, st);
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

/* Rows of all columns from `known` on go there, or come from behind them. */
static status rows_beyond(device_matrix d, int64_t known, const double *from, double *to) {
  const int64_t rows = d.n - known, behind = d.n * d.columns;
  status st = STATUS_OK;
  for (int64_t at = known, k = 0; k < d.columns && rows && !st; k++, at += d.n)
    st = from ? resident_send(d.r, RESIDENT_B, at, rows, from + at)
              : resident_receive(d.r, RESIDENT_B, behind + at, rows, to + k * rows);
  return st;
}

int dense_device_draw(int device, int64_t n, const double *l, int64_t known, int64_t columns, const double *b,
                      double *out, status *st) {
  device_matrix d = {NULL, (double *)(uintptr_t)l, n, tiles_along(n), columns, 0, 0, 0};
  if (device < 0 || n < 1 || columns < 1) return 0;
  *st = begin(device, 0, &d);
  beside.known = 0;
  if (!*st) *st = room_beside(d.r, 2 * n * columns);
  if (!*st) *st = resident_send(d.r, RESIDENT_B, 0, n * columns, b);
  if (!*st && known) *st = solve(d);
  if (!*st && known) *st = rows_beyond(d, known, b, NULL);
  if (!*st) *st = multiply(d);
  if (!*st) *st = rows_beyond(d, known, NULL, out);
  return leave_there(device, d, st);
}

/* Column j of a panel of inv(l) that ends before `to`, less the products of those to its right in the panel. */
static status column_of_inverse(device_matrix d, int64_t j, int64_t to) {
  group_numbers with = numbers_for(d, j);
  with.to = (int32_t)to;
  return resident_launch(d.r, KERNEL_dense_inverse_column, d.m - 1 - j, (double)(to - 1 - j) * product, &with);
}

/* Columns at, ..., to - 1 of inv(l): together less the products of those behind, and then one after the other. */
static status panel_of_inverse(device_matrix d, int64_t at, int64_t to) {
  const int64_t tiles = (to - at) * (d.m - 1 - at);
  d.columns = to - at;
  status st = launch(d, KERNEL_dense_times_inverse, tiles, 1, at);
  if (!st) st = launch(d, KERNEL_dense_inverse_behind, tiles, 0.5 * (double)(d.m + 1 - to), at);
  for (int64_t j = to - 2; j >= at && !st; j--) st = column_of_inverse(d, j, to);
  return st;
}

/* Rows of x' x for x = inv(l), as many at a time as have room beside the matrix, from the longest sums on. */
static status square_of_inverse(device_matrix d) {
  const int64_t room = INVERSE_PANEL * d.m;
  status st = STATUS_OK;
  for (int64_t i = 0, to = 0; i < d.m && !st; i = to) {
    const int64_t first = tiles_of_triangle(i);
    while (to < d.m && tiles_of_triangle(to + 1) - first <= room) to++;
    const int64_t tiles = tiles_of_triangle(to) - first;
    st = launch(d, KERNEL_dense_product, tiles, (double)d.m - 0.5 * (double)(i + to - 1), first);
    if (!st) st = launch(d, KERNEL_dense_product_in, tiles, 0.02, first);
    const double done = (double)to / (double)d.m;
    resident_progress(d.r, 0.5 + 0.5 * done * done * (3 - 2 * done));
  }
  return st;
}

/* inv(l) by panels of columns from the last on, and its product with itself. */
static status invert(device_matrix d) {
  status st = launch(d, KERNEL_dense_invert_tile, d.m, 1, 0);
  for (int64_t to = d.m, at; to > 0 && !st; to = at) {
    at = (to - 1) / INVERSE_PANEL * INVERSE_PANEL;
    st = panel_of_inverse(d, at, to);
    const double done = (double)(d.m - at) / (double)d.m;
    resident_progress(d.r, 0.5 * done * done * done);
  }
  return st ? st : square_of_inverse(d);
}

int dense_device_inverse(int device, int64_t n, double *l, status *st) {
  const request q = {.work = invert, .room = room_of_inverse(n), .after = 1, .block = RESIDENT_A,
                     .received = numbers_of(tiles_along(n)), .to = l};
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
