/* matern_matrix.c: covariance matrices of locations, tile by tile (inst/kernels/covariance/matern_table.h): distances
 * are made where they are used, and of a symmetric matrix one triangle, which is mirrored. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/any_nan.h"
#include "covariance/matern.h"
#include "covariance/matern_locations.h"
#include "covariance/matern_space.h"

/* A piece is eight columns of a tile, which mirrored make whole lines of memory. SLAB_TILES: tiles of one direct
 * evaluation. Distances of one matrix seldom span more than OCTAVES. */
enum { PIECE_COLUMNS = 8, GRAIN = PIECE_COLUMNS * TILE, SLAB_TILES = 64, OCTAVES = 28 };
/* Locations in par are told in par: whole numbers that single precision can hold. */
enum { MOST_NUMBERS = (1 << 24) - (1 << 18) };

static const pipeline distances = {
    .name = "matern", .n_out = 1, .step = {KERNEL_matern_tile}, .ns_per_point = 1};
static const pipeline tables = {
    .name = "matern", .n_out = 1, .step = {KERNEL_matern_tile, KERNEL_matern_table}, .ns_per_point = 4};
static const pipeline forms = {
    .name = "matern", .n_out = 1, .step = {KERNEL_matern_tile, KERNEL_matern_form}, .ns_per_point = 2.5};

/* The matrix and its tiles. skipped: tiles before the task's first point; gaps: tiles where a table did not reach. */
typedef struct {
  double *out;
  int64_t n, m, tiles, skipped;
  uint32_t rows;
  int folded, single;
  unsigned char *gaps;
} tiling;

static int64_t whole_tiles(int64_t n) { return (n + TILE - 1) / TILE; }

static status tiling_of(tiling *g, int64_t n, int64_t m, int folded, double *out) {
  const int64_t rows = whole_tiles(n), columns = whole_tiles(m);
  memset(g, 0, sizeof *g);
  if (rows >= INT32_MAX / TILE || columns >= INT32_MAX / TILE || rows * columns >= INT32_MAX)
    return fail(STATUS_INPUT, "matern: a matrix of %lld x %lld is too large", (long long)n, (long long)m);
  *g = (tiling){out, n, m, folded ? rows * (rows + 1) / 2 : rows * columns, 0, (uint32_t)rows, folded, 0, NULL};
  return STATUS_OK;
}

/* Eight columns of a tile, of which the lower left entry is (row, column) of the matrix. */
static void put(const tiling *g, int64_t row, int64_t column, const double *v) {
  const int64_t rows = at_most(g->n - row, TILE), columns = at_most(g->m - column, PIECE_COLUMNS);
  for (int64_t j = 0; j < columns; j++)
    memcpy(g->out + (column + j) * g->n + row, v + j * TILE, (size_t)rows * sizeof *v);
}

static void put_mirrored(const tiling *g, int64_t row, int64_t column, const double *v) {
  const int64_t rows = at_most(g->n - row, TILE), columns = at_most(g->m - column, PIECE_COLUMNS);
  double *to = g->out + row * g->n + column;
  if (columns == PIECE_COLUMNS) {
    for (int64_t i = 0; i < rows; i++, to += g->n)
      for (int j = 0; j < PIECE_COLUMNS; j++) to[j] = v[j * TILE + i];
  } else {
    for (int64_t i = 0; i < rows; i++, to += g->n)
      for (int64_t j = 0; j < columns; j++) to[j] = v[j * TILE + i];
  }
}

static void deliver(void *to, int64_t first, int32_t n, const double *const *values) {
  const tiling *g = to;
  for (int32_t done = 0; done < n; done += GRAIN) {
    const double *v = values[0] + done;
    const int64_t point = first + done, tile = g->skipped + point / TILE_POINTS;
    uint32_t tile_row, tile_column;
    tile_position((u32)tile, g->rows, g->folded != 0, &tile_row, &tile_column);
    const int64_t row = (int64_t)tile_row * TILE, column = (int64_t)tile_column * TILE + point % TILE_POINTS / TILE;
    if (column >= g->m) continue;
    put(g, row, column, v);
    if (g->folded && tile_row != tile_column) put_mirrored(g, row, column, v);
    if (g->gaps && any_nan(GRAIN, v)) __atomic_store_n(g->gaps + tile, 1, __ATOMIC_RELAXED);
  }
}

/* par of the tasks over tiles. */
static status lay_out(const locations *s, const tiling *g, const evaluation *e, const method *w, parameters *p) {
  const matern_metric *metric = s->metric;
  const int64_t columns = columns_of_locations(metric), stride = whole_tiles(s->n) * TILE;
  const int64_t apart = s->b ? whole_tiles(s->m) * TILE : stride;
  const int64_t map_size = metric->transform ? (int64_t)metric->dim * metric->dim : 0;
  const int64_t rows_at = MATERN_HEAD, columns_at = s->b ? rows_at + columns * stride : rows_at;
  const int64_t method_at = columns_at + columns * apart, map_at = method_at + method_size(w);
  status st = parameters_open(p, map_at + map_size);
  if (st) return st;
  double *par = p->par;
  lay_out_method(par, method_at, e, w);
  lay_out_locations(s, 0, s->n, par + rows_at, stride);
  if (s->b) lay_out_locations(s, s->n, s->m, par + columns_at, apart);
  if (map_size) memcpy(par + map_at, metric->transform, (size_t)map_size * sizeof *par);
  par[TILES_ROWS] = g->rows;
  par[TILES_FOLDED] = g->folded;
  par[SPACE_DIM] = metric->dim;
  par[SPACE_DIAMETER] = metric->kind == METRIC_EUCLIDEAN ? 0 : 2 * metric->radius;
  par[SPACE_CHORD] = metric->kind == METRIC_CHORDAL;
  par[SPACE_MAP] = map_size ? (double)map_at : 0;
  par[SPACE_ROWS] = (double)rows_at;
  par[SPACE_ROWS_STRIDE] = (double)stride;
  par[SPACE_COLUMNS] = (double)columns_at;
  par[SPACE_COLUMNS_STRIDE] = (double)apart;
  return STATUS_OK;
}

/* Tiles first, ..., first + count - 1, delivered or as columns of points. */
static status run_tiles(const pipeline *pipe, tiling *g, const parameters *p, int64_t first, int64_t count,
                        double *out) {
  const int64_t n = count * TILE_POINTS;
  task t = {.pipe = pipe, .n = n, .run = n, .out = {out}, .grain = GRAIN, .par = p->par, .n_par = p->n,
            .single = g->single};
  if (!out) t.deliver = deliver, t.deliver_to = g;
  p->par[TILES_SKIPPED] = (double)first;
  g->skipped = first;
  return backend_run(&t);
}

/* Tiles from direct values, or where a table left gaps these from them. */
static status tiles_directly(tiling *g, const evaluation *e, const parameters *p, const pipeline *table,
                             int64_t first, int64_t count, double *x, double *v) {
  const int64_t n = count * TILE_POINTS;
  status st = run_tiles(&distances, g, p, first, count, x);
  if (st) return st;
  if (!table) {
    st = evaluate_directly(e, n, x, v);
  } else {
    double *gap = v + n, *value = gap + n;
    int64_t gaps = 0, k = 0;
    st = run_tiles(table, g, p, first, count, v);
    for (int64_t i = 0; i < n; i++)
      if (isnan(v[i]) && !isnan(x[i])) gap[gaps++] = x[i];
    if (!st) st = evaluate_directly(e, gaps, gap, value);
    for (int64_t i = 0; i < n && !st; i++)
      if (isnan(v[i]) && !isnan(x[i])) v[i] = value[k++];
  }
  if (st) return st;
  g->skipped = first;
  deliver(g, 0, (int32_t)n, (const double *const *)&v);
  return STATUS_OK;
}

static status by_slabs(tiling *g, const evaluation *e, const parameters *p, const pipeline *table) {
  unsigned char *gaps = g->gaps;
  const int64_t most = table ? 1 : at_most(g->tiles, SLAB_TILES);
  const int64_t points = most * TILE_POINTS;
  double *x = malloc((size_t)points * 4 * sizeof *x);
  status st = x ? STATUS_OK : fail(STATUS_MEMORY, "matern: no memory for %lld distances", (long long)points);
  g->gaps = NULL;
  for (int64_t at = 0; at < g->tiles && !st; at += most) {
    if (gaps && !gaps[at]) continue;
    backend_set_progress((double)at / (double)g->tiles);
    st = tiles_directly(g, e, p, table, at, at_most(g->tiles - at, most), x, x + points);
  }
  backend_set_progress(-1);
  free(x);
  return st;
}

static status fill(tiling *g, const evaluation *e, const method *w, const parameters *p) {
  status st;
  if (w->terms) return run_tiles(&forms, g, p, 0, g->tiles, NULL);
  if (!w->table) return by_slabs(g, e, p, NULL);
  g->gaps = calloc((size_t)g->tiles, 1);
  if (!g->gaps) return fail(STATUS_MEMORY, "matern: no memory for %lld tiles", (long long)g->tiles);
  unsigned char *gaps = g->gaps;
  st = run_tiles(&tables, g, p, 0, g->tiles, NULL);
  if (!st && memchr(gaps, 1, (size_t)g->tiles)) st = by_slabs(g, e, p, &tables);
  free(gaps);
  return st;
}

/* What single precision cannot serve. */
static status in_double(const matern_model *given, const matern_metric *metric, enum matern_route route, int64_t n,
                        const double *a, int64_t m, const double *b, double *out) {
  matern_model model = *given;
  model.single = 0;
  backend_force_cpu(1);
  const status st = matern_matrix(&model, metric, route, n, a, m, b, out);
  backend_force_cpu(-1);
  return st;
}

status matern_matrix(const matern_model *given, const matern_metric *metric, enum matern_route route, int64_t n,
                     const double *a, int64_t m, const double *b, double *out) {
  locations s = {metric, n, b ? m : n, a, b, 0, 0, given->single};
  matern_model model = *given;
  tiling g;
  method w;
  parameters p;
  if (n == 0 || s.m == 0) return STATUS_OK;
  status st = tiling_of(&g, n, s.m, !b, out);
  if (!st) st = measure_locations(&s);
  if (st) return st;
  model.range = ldexp(model.range, -s.exponent);
  evaluation e = evaluation_of(&model);
  e.factor = evaluation_of(given).factor;
  const double farthest = scaled_distance(&e, s.farthest);
  st = choose_method(&e, route, b ? n * m : n * (n + 1) / 2, ldexp(farthest, -OCTAVES), farthest, &w);
  const int64_t numbers = (n + s.m + 2 * TILE) * columns_of_locations(metric);
  if (!st && e.single && ((!w.terms && !w.table) || numbers > MOST_NUMBERS))
    return in_double(given, metric, route, n, a, m, b, out);
  g.single = e.single;
  if (!st) st = lay_out(&s, &g, &e, &w, &p);
  if (st) return st;
  st = fill(&g, &e, &w, &p);
  free(p.memory);
  for (int64_t i = 0; i < n && !b && !st && model.deriv == DERIV_NONE; i++) out[i * (n + 1)] += model.nugget;
  return st;
}
