/* cov_tiles.c: covariances among locations, tile by tile (inst/kernels/covariance/covariance_par.h), handed to
 * whoever consumes them: distances are made where they are used, and of a symmetric matrix one triangle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/any_nan.h"
#include "engine/exact_sum.h"
#include "covariance/cov_plan.h"
#include "programs/programs.h"

/* A piece is eight columns of a tile, which mirrored make whole lines of memory. SLAB_TILES: tiles of one direct
 * evaluation. Distances of one matrix seldom span more than OCTAVES. */
enum { SLAB_TILES = 64, OCTAVES = 28, MOST_COLUMNS = MAX_COLUMNS - 1 };
/* Locations in par are told in par: whole numbers that single precision can hold. */
enum { MOST_NUMBERS = (1 << 24) - (1 << 18) };

/* skipped: tiles before the task's first point; gaps: tiles where a table did not reach. */
typedef struct {
  const cov_plan *plan;
  const cov_space *at;
  cov_consumer *to;
  int64_t tiles, skipped;
  uint32_t rows;
  int folded;
  unsigned char *gaps;
} tiling;

static int64_t whole_tiles(int64_t n) { return (n + TILE - 1) / TILE; }

static int64_t count_tiles(int64_t n, int64_t columns, int folded) {
  const int64_t rows = whole_tiles(n);
  return folded ? rows * (rows + 1) / 2 : rows * whole_tiles(columns);
}

/* The piece that begins at a point; 0 where it is not in the matrix. */
static int piece_at(const tiling *g, int64_t point, cov_piece *piece) {
  uint32_t tile_row, tile_column;
  tile_position((u32)(point / TILE_POINTS), g->rows, g->folded != 0, &tile_row, &tile_column);
  piece->row = (int64_t)tile_row * TILE;
  piece->column = (int64_t)tile_column * TILE + point % TILE_POINTS / TILE;
  piece->rows = at_most(g->at->n - piece->row, TILE);
  piece->columns = at_most(g->at->m - piece->column, COV_PIECE_COLUMNS);
  piece->mirrored = g->folded && tile_row != tile_column;
  piece->first = point;
  return piece->columns > 0;
}

/* Points of tiles first, ..., first + count - 1, the last one without its pieces beyond the matrix: they are most of
 * the tile of a small matrix. */
static int64_t points_of(const tiling *g, int64_t first, int64_t count) {
  cov_piece last;
  piece_at(g, (first + count - 1) * TILE_POINTS, &last);
  const int64_t within = at_most(g->at->m - last.column, TILE);
  return count * TILE_POINTS - (TILE - within) / COV_PIECE_COLUMNS * COV_PIECE;
}

static void deliver(void *to, int64_t first, int32_t n, const double *const *values) {
  const tiling *g = to;
  const int wants = g->plan->model->n_wants;
  const double *columns[MOST_COLUMNS];
  cov_piece piece = {.values = columns};
  for (int32_t done = 0; done < n; done += COV_PIECE) {
    const int64_t point = g->skipped * TILE_POINTS + first + done;
    int gap = 0;
    if (!piece_at(g, point, &piece)) continue;
    for (int j = 0; j < wants; j++) {
      columns[j] = values[j] + done;
      if (g->gaps) gap |= any_nan(COV_PIECE, columns[j]);
    }
    if (gap) __atomic_store_n(g->gaps + point / TILE_POINTS, 1, __ATOMIC_RELAXED);
    else g->to->take(g->to, &piece);
  }
}

/* Locations first, ..., first + n - 1 of both sets in par, from position at on. */
typedef struct {
  int64_t first, n, at, stride;
} laid_out;

static laid_out laid_out_of(int64_t first, int64_t n) { return (laid_out){first, n, 0, whole_tiles(n) * TILE}; }

static int64_t numbers_of(const cov_space *s, const laid_out *p) {
  return cov_coordinates(&s->metric) * p->stride;
}

static void lay_out_space(const cov_space *s, double *par, int64_t at, laid_out *rows, laid_out *columns) {
  const int shared = !s->b && rows->first == columns->first && rows->n == columns->n;
  rows->at = at;
  cov_lay_out_locations(s, rows->first, rows->n, par + at, rows->stride);
  columns->at = shared ? at : at + numbers_of(s, rows); /* of one set, those of b come after those of a */
  if (!shared) cov_lay_out_locations(s, columns->first, columns->n, par + columns->at, columns->stride);
  par[SPACE_ROWS] = (double)rows->at;
  par[SPACE_ROWS_STRIDE] = (double)rows->stride;
  par[SPACE_COLUMNS] = (double)columns->at;
  par[SPACE_COLUMNS_STRIDE] = (double)columns->stride;
}

/* par of the tasks over tiles. */
static status lay_out(tiling *g, int which, cov_par *to) {
  const cov_space *s = g->at;
  laid_out rows = laid_out_of(0, s->n), columns = s->b ? laid_out_of(s->n, s->m) : rows;
  int64_t at;
  status st = cov_lay_out(g->plan, which, numbers_of(s, &rows) + (s->b ? numbers_of(s, &columns) : 0), &at, to);
  if (st) return st;
  to->par[TILES_ROWS] = g->rows;
  to->par[TILES_FOLDED] = g->folded;
  lay_out_space(s, to->par, at, &rows, &columns);
  return STATUS_OK;
}

static pipeline pipeline_of(const tiling *g, const cov_par *p, int columns) {
  const pipeline one = {.name = "covariance", .n_out = 1, .step = {KERNEL_cov_distance, KERNEL_cov_one},
                        .ns_per_point = 4};
  const pipeline many = {.name = "covariance", .n_out = columns, .step = {KERNEL_cov_tile},
                         .ns_per_point = 4 * (columns + 1) / 2};
  return cov_wants_one(g->plan) && p->par[COV_HEAD + PART_FUNCTION] != FUNCTION_DISTANCE ? one : many;
}

/* Tiles first, ..., first + count - 1, delivered or as columns of points. */
static status run_tiles(tiling *g, const cov_par *p, int columns, int64_t first, int64_t count, double *const *out) {
  const int64_t n = points_of(g, first, count);
  const pipeline pipe = pipeline_of(g, p, columns);
  const int32_t grain = g->to && g->to->whole ? TILE_POINTS : COV_PIECE;
  task t = {.pipe = &pipe, .n = n, .run = n, .grain = grain, .par = p->par, .n_par = p->n,
            .single = g->plan->single};
  for (int j = 0; j < columns && out; j++) t.out[j] = out[j];
  if (!out) t.deliver = deliver, t.deliver_to = g;
  p->par[TILES_SKIPPED] = (double)first;
  g->skipped = first;
  return backend_run(&t);
}

/* What a direct evaluation takes for tiles: x and factors of maps, results, positions of entries, and these brought
 * together. */
typedef struct {
  double *memory, *raw[MOST_COLUMNS + 1], *value[MOST_COLUMNS], *x, *share[MOST_COLUMNS], *packed[MOST_COLUMNS];
  int32_t *entry;
  cov_par closed, *distances;
} direct_work;

static status open_work(tiling *g, direct_work *w, int64_t points) {
  const cov_model *m = g->plan->model;
  const int wants = m->n_wants;
  const size_t columns = 4 * (size_t)wants + 2;
  memset(w, 0, sizeof *w);
  w->memory = malloc((size_t)points * columns * sizeof(double));
  w->entry = malloc((size_t)points * sizeof *w->entry);
  w->distances = calloc((size_t)m->n_parts, sizeof *w->distances);
  if (!w->memory || !w->entry || !w->distances)
    return fail(STATUS_MEMORY, "covariances: no memory for %lld distances", (long long)points);
  double *at = w->memory;
  w->x = at;
  w->raw[0] = at + points;
  at += 2 * points;
  for (int j = 0; j < wants; j++, at += 4 * points) {
    w->raw[j + 1] = at;
    w->value[j] = at + points;
    w->share[j] = at + 2 * points;
    w->packed[j] = at + 3 * points;
  }
  status st = lay_out(g, CLOSED_PARTS, &w->closed);
  for (int k = 0; k < m->n_parts && !st; k++)
    if (g->plan->method[k].function == FUNCTION_TABLE) st = lay_out(g, k, w->distances + k);
  return st;
}

static void close_work(const tiling *g, direct_work *w) {
  for (int k = 0; w->distances && k < g->plan->model->n_parts; k++) free(w->distances[k].memory);
  free(w->closed.memory);
  free(w->distances);
  free(w->entry);
  free(w->memory);
}

/* Tiles from direct values: of entries of the matrix alone, without those that mirror others within a tile. */
static status tiles_directly(tiling *g, direct_work *w, int64_t first, int64_t count) {
  const cov_model *m = g->plan->model;
  const int64_t n = points_of(g, first, count);
  const int wants = m->n_wants;
  int64_t entries = 0;
  status st = w->closed.par[COV_PARTS] > 0 ? run_tiles(g, &w->closed, wants, first, count, w->value) : STATUS_OK;
  for (int64_t point = 0; point < n; point += COV_PIECE) {
    cov_piece piece;
    if (!piece_at(g, first * TILE_POINTS + point, &piece)) continue;
    for (int64_t j = 0; j < piece.columns; j++)
      for (int64_t i = 0; i < piece.rows; i++)
        if (!g->folded || piece.mirrored || piece.row + i >= piece.column + j)
          w->entry[entries++] = (int32_t)(point + j * TILE + i);
  }
  for (int j = 0; j < wants; j++) {
    const int closed = cov_is_closed(g->plan, m->want + j);
    for (int64_t i = 0; i < entries; i++) w->packed[j][i] = closed ? w->value[j][w->entry[i]] : 0;
  }
  for (int k = 0; k < m->n_parts && !st; k++) {
    if (g->plan->method[k].function != FUNCTION_TABLE) continue;
    st = run_tiles(g, w->distances + k, wants + 1, first, count, w->raw);
    for (int64_t i = 0; i < entries; i++) w->x[i] = w->raw[0][w->entry[i]];
    for (int j = 0; j < wants; j++)
      for (int64_t i = 0; i < entries && m->want[j].what == COV_MAP; i++)
        w->share[j][i] = w->raw[j + 1][w->entry[i]];
    if (!st) st = cov_add_directly(g->plan, k, entries, w->x, w->share, w->packed);
  }
  if (st) return st;
  for (int j = 0; j < wants; j++)
    for (int64_t i = 0; i < entries; i++) w->value[j][w->entry[i]] = w->packed[j][i];
  for (int64_t point = 0; point < n && g->folded; point += TILE_POINTS) {
    cov_piece piece;
    piece_at(g, first * TILE_POINTS + point, &piece);
    for (int j = 0; j < wants && !piece.mirrored; j++)
      for (int64_t row = 1; row < piece.rows; row++)
        for (int64_t column = 0; column < row; column++)
          w->value[j][point + column + row * TILE] = w->value[j][point + row + column * TILE];
  }
  g->skipped = first;
  deliver(g, 0, (int32_t)n, (const double *const *)w->value);
  return STATUS_OK;
}

/* All tiles, or those with gaps. */
static status by_slabs(tiling *g) {
  unsigned char *gaps = g->gaps;
  const int64_t most = gaps ? 1 : at_most(g->tiles, SLAB_TILES);
  const call_part whole = backend_part();
  direct_work w;
  status st = open_work(g, &w, most * TILE_POINTS);
  g->gaps = NULL;
  for (int64_t at = 0; at < g->tiles && !st; at += most) {
    if (gaps && !gaps[at]) continue;
    backend_set_part(whole, (double)at / (double)g->tiles, (double)at / (double)g->tiles);
    st = tiles_directly(g, &w, at, at_most(g->tiles - at, most));
  }
  backend_set_part(whole, 0, 1);
  close_work(g, &w);
  return st;
}

static status all_tiles(tiling *g) {
  cov_par par;
  if (g->plan->direct) return by_slabs(g);
  status st = lay_out(g, ALL_PARTS, &par);
  if (st) return st;
  unsigned char *gaps = g->gaps = calloc((size_t)g->tiles, 1);
  if (!gaps) st = fail(STATUS_MEMORY, "covariances: no memory for %lld tiles", (long long)g->tiles);
  if (!st) st = run_tiles(g, &par, g->plan->model->n_wants, 0, g->tiles, NULL);
  free(par.memory);
  if (!st && memchr(gaps, 1, (size_t)g->tiles)) {
    const call_part whole = backend_part();
    backend_set_part(whole, NAN, NAN);
    st = cov_has_products(g->plan->model) ? cov_no_table() : by_slabs(g);
    backend_set_part(whole, 0, 1);
  }
  free(gaps);
  return st;
}

/* Between these two: locations are measured and the plan is open. */
static status open_tiles(cov_space *s, const cov_model *m, cov_plan **p) {
  const double n = (double)s->n, entries = s->b ? n * (double)s->m : 0.5 * n * (n + 1);
  status st = cov_measure(s, m->single);
  if (!st) st = cov_plan_make(m, s, entries, 0, OCTAVES, 0, p);
  if (st) cov_space_free(s);
  else cov_note_tables(*p);
  return st;
}

static void close_tiles(cov_space *s, cov_plan *p) {
  cov_plan_free(p);
  cov_space_free(s);
}

/* Of a symmetric matrix there are as many columns as rows. */
static cov_space whole_space(const cov_space *s) {
  cov_space own = *s;
  if (!s->b) own.m = s->n;
  return own;
}

status cov_tiles(const cov_model *m, const cov_space *given, cov_consumer *to) {
  cov_space s = whole_space(given);
  const int64_t rows = whole_tiles(s.n), across = whole_tiles(s.m);
  const int64_t numbers = (s.n + s.m + 2 * TILE) * cov_coordinates(&s.metric);
  cov_model in_double = *m;
  if (s.n == 0 || s.m == 0) return STATUS_OK;
  if (m->n_wants > MOST_COLUMNS - 1) return fail(STATUS_INPUT, "covariances: %d columns are too many", m->n_wants);
  if (rows >= INT32_MAX / TILE || across >= INT32_MAX / TILE || rows * across >= INT32_MAX)
    return fail(STATUS_INPUT, "covariances: a matrix of %lld x %lld is too large", (long long)s.n, (long long)s.m);
  if (m->single && numbers > MOST_NUMBERS) {
    in_double.single = 0;
    backend_force_cpu(1);
    const status st = cov_tiles(&in_double, given, to);
    backend_force_cpu(-1);
    return st;
  }
  cov_plan *p;
  status st = open_tiles(&s, m, &p);
  if (st) return st;
  tiling g = {p, &s, to, count_tiles(s.n, s.m, !s.b), 0, (uint32_t)rows, !s.b, NULL};
  st = all_tiles(&g);
  close_tiles(&s, p);
  return st;
}

/* ---- on a device ---- */

/* Of the whole matrix, whose columns of tiles are as long as it: of a symmetric one their lower parts are wanted. */
struct cov_filler {
  cov_space s;
  cov_plan *plan;
  cov_par par;
  tiling g;
  pipeline pipe;
  const resident *sent; /* where par is */
};

status cov_filler_open(const cov_model *m, const cov_space *given, cov_filler **made) {
  cov_filler *f = calloc(1, sizeof *f);
  *made = NULL;
  if (!f) return fail(STATUS_MEMORY, "covariances: no memory for a plan");
  f->s = whole_space(given);
  const int64_t rows = whole_tiles(f->s.n), across = whole_tiles(f->s.m);
  const int kernels_do = !m->single && f->s.n > 0 && f->s.m > 0 && across < INT32_MAX && rows * across < INT32_MAX;
  status st = kernels_do ? open_tiles(&f->s, m, &f->plan) : STATUS_OK;
  if (!st && f->plan && !f->plan->direct) {
    f->g = (tiling){.plan = f->plan, .at = &f->s, .tiles = rows * across, .rows = (uint32_t)rows};
    st = lay_out(&f->g, ALL_PARTS, &f->par);
    if (!st) f->pipe = pipeline_of(&f->g, &f->par, m->n_wants);
    if (!st) *made = f;
  }
  if (!*made) cov_filler_close(f);
  return st;
}

status cov_filler_columns(void *filler, resident *r, int64_t first, int64_t count, int which, int64_t at,
                          int64_t apart) {
  cov_filler *f = filler;
  const int64_t above = f->s.b ? 0 : first, tile = first * f->g.rows + above, tiles = count * f->g.rows - above;
  const task t = {.pipe = &f->pipe, .n = f->g.tiles * TILE_POINTS, .run = 1, .par = f->par.par, .n_par = f->par.n};
  status st = f->sent == r ? STATUS_OK : resident_constants(r, f->par.n, f->par.par);
  f->sent = r;
  return st ? st : resident_points(r, &t, tile * TILE_POINTS, tiles * TILE_POINTS, which, at, apart);
}

void cov_filler_close(cov_filler *f) {
  if (f && f->plan) close_tiles(&f->s, f->plan);
  if (f) free(f->par.memory);
  free(f);
}

/* ---- consumers ---- */

typedef struct {
  cov_consumer consumer;
  int64_t n;
  int wants;
  double *const *out;
} matrices;

static void put(double *out, int64_t n, const cov_piece *p, const double *v) {
  for (int64_t j = 0; j < p->columns; j++)
    memcpy(out + (p->column + j) * n + p->row, v + j * TILE, (size_t)p->rows * sizeof *v);
}

static void put_mirrored(double *out, int64_t n, const cov_piece *p, const double *v) {
  double *to = out + p->row * n + p->column;
  if (p->columns == COV_PIECE_COLUMNS) {
    for (int64_t i = 0; i < p->rows; i++, to += n)
      for (int j = 0; j < COV_PIECE_COLUMNS; j++) to[j] = v[j * TILE + i];
  } else {
    for (int64_t i = 0; i < p->rows; i++, to += n)
      for (int64_t j = 0; j < p->columns; j++) to[j] = v[j * TILE + i];
  }
}

static void take_matrices(cov_consumer *to, const cov_piece *piece) {
  const matrices *m = (const matrices *)to;
  for (int j = 0; j < m->wants; j++) {
    put(m->out[j], m->n, piece, piece->values[j]);
    if (piece->mirrored) put_mirrored(m->out[j], m->n, piece, piece->values[j]);
  }
}

status cov_matrices(const cov_model *m, const cov_space *s, double *const *out) {
  matrices to = {{take_matrices, 0}, s->n, m->n_wants, out};
  return cov_tiles(m, s, &to.consumer);
}

int64_t cov_packed_size(int64_t n) { return count_tiles(n, n, 1) * TILE_POINTS; }

/* Where a tile is among those of the lower triangle. */
static int64_t packed_tile(int64_t n, int64_t row, int64_t column) {
  return column * whole_tiles(n) - column * (column - 1) / 2 + row - column;
}

static void take_packed(cov_consumer *to, const cov_piece *p) {
  const matrices *m = (const matrices *)to;
  const int64_t tile = packed_tile(m->n, p->row / TILE, p->column / TILE);
  for (int k = 0; k < m->wants; k++) {
    double *own = m->out[k] + tile * TILE_POINTS + p->column % TILE * TILE;
    for (int64_t j = 0; j < COV_PIECE_COLUMNS; j++)
      for (int64_t i = 0; i < TILE; i++) {
        const int inside = i < p->rows && j < p->columns, unit = p->row + i == p->column + j;
        own[j * TILE + i] = inside ? p->values[k][j * TILE + i] : unit;
      }
  }
}

status cov_packed(const cov_model *m, const cov_space *s, const double *diagonal, double *const *out) {
  const int64_t n = s->n;
  matrices to = {{take_packed, 0}, n, m->n_wants, out};
  for (int k = 0; k < m->n_wants; k++) { /* columns beyond the matrix, of which no piece comes */
    double *last = out[k] + cov_packed_size(n) - (n ? TILE_POINTS : 0);
    for (int i = 0; i < TILE_POINTS && n; i++) last[i] = i % (TILE + 1) == 0;
  }
  const status st = cov_tiles(m, s, &to.consumer);
  for (int64_t i = 0; i < n && diagonal && !st; i++)
    out[0][packed_tile(n, i / TILE, i / TILE) * TILE_POINTS + i % TILE * (TILE + 1)] += diagonal[i];
  return st;
}

/* Sums of pieces, in a place of their own each, so that their order is that of the pieces. */
typedef struct {
  cov_consumer consumer;
  int64_t n;
  int wants;
  const double *weight;
  double *sums;
} contraction;

static void take_contraction(cov_consumer *to, const cov_piece *piece) {
  const contraction *c = (const contraction *)to;
  const double *weight = c->weight + packed_tile(c->n, piece->row / TILE, piece->column / TILE) * TILE_POINTS +
                         piece->column % TILE * TILE;
  for (int k = 0; k < c->wants; k++) {
    double total = 0;
    for (int64_t j = 0; j < piece->columns; j++) {
      const double *v = piece->values[k] + j * TILE, *w = weight + j * TILE;
      double lane[8] = {0};
      int64_t i = 0;
      for (; i + 8 <= piece->rows; i += 8)
        for (int l = 0; l < 8; l++) lane[l] += v[i + l] * w[i + l];
      for (; i < piece->rows; i++) lane[i % 8] += v[i] * w[i];
      total += ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    }
    c->sums[piece->first / COV_PIECE * c->wants + k] = piece->mirrored ? 2 * total : total;
  }
}

status cov_contract(const cov_model *m, const cov_space *s, const double *weight, double *sum) {
  const int64_t n = s->n, pieces = count_tiles(n, n, 1) * TILE / COV_PIECE_COLUMNS;
  contraction to = {{take_contraction, 0}, n, m->n_wants, weight, NULL};
  to.sums = calloc((size_t)(pieces * m->n_wants) + 1, sizeof *to.sums);
  if (!to.sums) return fail(STATUS_MEMORY, "covariances: no memory for the sums of %lld pieces", (long long)pieces);
  const status st = cov_tiles(m, s, &to.consumer);
  for (int k = 0; k < m->n_wants; k++) {
    exact_sum total = {0, 0};
    for (int64_t i = 0; i < pieces; i++) exact_add(&total, to.sums[i * m->n_wants + k]);
    sum[k] = exact_total(total);
  }
  free(to.sums);
  return st;
}

/* Of each tile, column and vector the sums over the columns of its rows and then those over the rows of its columns,
 * for the mirrored tile, added up in the order of the tiles. */
typedef struct {
  cov_consumer consumer;
  int64_t n;
  int wants, vectors;
  const double *vector;
  double *sums;
} slopes;

static void take_slopes(cov_consumer *to, const cov_piece *piece) {
  const slopes *c = (const slopes *)to;
  const int64_t tile = packed_tile(c->n, piece->row / TILE, piece->column / TILE), at = piece->column % TILE;
  double *sums = c->sums + tile * c->wants * c->vectors * 2 * TILE;
  for (int k = 0; k < c->wants; k++)
    for (int q = 0; q < c->vectors; q++, sums += 2 * TILE) {
      const double *x = c->vector + q * c->n + piece->column, *y = c->vector + q * c->n + piece->row;
      if (!at) memset(sums, 0, TILE * sizeof *sums); /* a tile may come again, after gaps in a table */
      for (int64_t j = 0; j < piece->columns; j++) {
        const double *v = piece->values[k] + j * TILE;
        double total = 0;
        for (int64_t i = 0; i < piece->rows; i++) {
          sums[i] += v[i] * x[j];
          total += v[i] * y[i];
        }
        sums[TILE + at + j] = total;
      }
    }
}

status cov_slopes(const cov_model *m, const cov_space *s, int vectors, const double *vector, double *out) {
  const int64_t n = s->n, tiles = count_tiles(n, n, 1), results = (int64_t)m->n_wants * vectors;
  slopes to = {{take_slopes, 1}, n, m->n_wants, vectors, vector, NULL};
  to.sums = calloc((size_t)(tiles * results * 2 * TILE) + 1, sizeof *to.sums);
  if (!to.sums) return fail(STATUS_MEMORY, "covariances: no memory for the sums of %lld tiles", (long long)tiles);
  const status st = cov_tiles(m, s, &to.consumer);
  for (int64_t k = 0; k < results; k++, out += n) {
    const double *sums = to.sums + k * 2 * TILE;
    for (int64_t i = 0; i < n; i++) out[i] = 0;
    for (int64_t column = 0; column < n; column += TILE)
      for (int64_t row = column; row < n; row += TILE, sums += results * 2 * TILE) {
        for (int64_t i = 0; i < at_most(n - row, TILE); i++) out[row + i] += sums[i];
        for (int64_t j = 0; j < TILE && row > column; j++) out[column + j] += sums[TILE + j];
      }
  }
  free(to.sums);
  return st;
}

/* ---- products with vectors ---- */

/* Columns of one launch: their coordinates and elements travel with it. */
enum { PRODUCT_PIECE = 1 << 14 };

typedef struct {
  cov_consumer consumer;
  int64_t n, m;
  int vectors;
  const double *vector;
  double *out;
} product;

/* Pieces of direct evaluation come one after the other. */
static void take_product(cov_consumer *to, const cov_piece *piece) {
  const product *c = (const product *)to;
  for (int k = 0; k < c->vectors; k++)
    for (int64_t j = 0; j < piece->columns; j++) {
      const double v = c->vector[k * c->m + piece->column + j];
      double *sum = c->out + k * c->n + piece->row;
      for (int64_t i = 0; i < piece->rows; i++) sum[i] += piece->values[0][j * TILE + i] * v;
    }
}

/* Up to PRODUCT_MOST vectors times columns first, ..., first + count - 1, added to out. */
static status product_piece(tiling *g, const product *c, int64_t first, int64_t count, int from, int vectors,
                            double *sums) {
  const cov_space *s = g->at;
  const pipeline pipe = {.name = "covariance", .n_out = vectors, .step = {KERNEL_cov_product},
                         .ns_per_point = 3 * (int)at_most(count, 1 << 20)};
  laid_out rows = laid_out_of(0, s->n), columns = laid_out_of((s->b ? s->n : 0) + first, count);
  const int64_t numbers = numbers_of(s, &rows) + numbers_of(s, &columns);
  int64_t at;
  cov_par p;
  status st = cov_plan_par(g->plan, numbers + count * vectors, &at, &p);
  if (st) return st;
  lay_out_space(s, p.par, at, &rows, &columns);
  const int64_t vector_at = at + numbers;
  p.par[PRODUCT_COLUMNS] = (double)count;
  p.par[PRODUCT_VECTORS] = vectors;
  p.par[PRODUCT_AT] = (double)vector_at;
  for (int k = 0; k < vectors; k++)
    memcpy(p.par + vector_at + k * count, c->vector + (from + k) * c->m + first, (size_t)count * sizeof(double));
  task t = {.pipe = &pipe, .n = s->n, .run = s->n, .par = p.par, .n_par = p.n, .single = g->plan->single};
  for (int k = 0; k < vectors; k++) t.out[k] = sums + k * s->n;
  st = backend_run(&t);
  free(p.memory);
  for (int64_t i = 0; i < s->n * vectors && !st; i++) c->out[from * s->n + i] += sums[i];
  return st;
}

status cov_product(const cov_model *m, const cov_space *given, int vectors, const double *vector, double *out) {
  cov_space s = whole_space(given);
  const int64_t n = s.n, columns = s.m;
  const cov_want want = {COV_VALUE, -1, NULL};
  const cov_model value = {m->n_parts, 1, 0, m->part, &want};
  product c = {{take_product, 0}, n, columns, vectors, vector, out};
  cov_plan *p;
  for (int64_t i = 0; i < n * vectors; i++) out[i] = 0;
  if (n == 0 || columns == 0 || vectors == 0) return STATUS_OK;
  const double numbers = (double)(n + PRODUCT_PIECE) * cov_coordinates(&s.metric);
  if (numbers > INT32_MAX / 2) return fail(STATUS_INPUT, "covariances: %lld rows are too many", (long long)n);
  status st = open_tiles(&s, &value, &p);
  if (st) return st;
  tiling g = {.plan = p, .at = &s};
  int tables = 0;
  const int direct = p->direct;
  for (int k = 0; k < m->n_parts; k++) tables |= p->method[k].function == FUNCTION_TABLE;
  double *sums = malloc((size_t)n * PRODUCT_MOST * sizeof *sums);
  if (!sums) st = fail(STATUS_MEMORY, "covariances: no memory for %lld sums", (long long)n);
  const call_part whole = backend_part();
  for (int64_t at = 0; at < columns && !st && !direct; at += PRODUCT_PIECE) {
    backend_set_part(whole, (double)at / (double)columns, (double)at / (double)columns);
    for (int k = 0; k < vectors && !st; k += PRODUCT_MOST)
      st = product_piece(&g, &c, at, at_most(columns - at, PRODUCT_PIECE), k, (int)at_most(vectors - k, PRODUCT_MOST),
                         sums);
  }
  backend_set_part(whole, 0, 1);
  free(sums);
  close_tiles(&s, p);
  /* what a table does not reach is NaN, and so are products of what is not finite */
  if (st || !tables || (!direct && !any_nan(n * vectors, out))) return st;
  for (int64_t i = 0; i < n * vectors; i++) out[i] = 0;
  s.route = COV_DIRECTLY;
  if (!s.b) s.b = s.a;
  return cov_tiles(&value, &s, &c.consumer);
}
