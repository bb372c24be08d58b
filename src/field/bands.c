/* bands.c: host side of the sums over lines: the pipelines of bands.cl. */
#include "field/bands.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/field/bands_par.h"
#include "poisson/poisson.h"

static const pipeline uniform_pipeline = {
    .name = "tbrf", .n_out = 1, .step = {KERNEL_band_uniform}, .ns_per_point = 2};
static const pipeline place_pipeline = {
    .name = "tbrf", .n_in = PLACE_COLUMNS, .n_out = 1, .step = {KERNEL_band_place_uniform}, .ns_per_point = 6};
static const pipeline axis_pipeline = {.name = "tbrf", .n_set_in = AXIS_SET_COLUMNS, .n_in = 1,
                                       .n_out = AXIS_COLUMNS, .step = {KERNEL_band_axis}, .ns_per_point = 5};

/* Nanoseconds of a line at a point. */
static const double cosine_cost = 0.35, product_cost = 0.07, table_cost = 0.9;

static const double zero = 0;

static double *reals(int64_t n) { return n > 0 && n < INT32_MAX ? malloc((size_t)n * sizeof(double)) : NULL; }

static status no_memory(int64_t n) { return fail(STATUS_MEMORY, "tbrf: no memory for %lld numbers", (long long)n); }

static task task_at_places(const pipeline *pipe, band_places x, const double *par, int64_t n_par, double *out) {
  task t = {.pipe = pipe, .n = x.n, .run = x.n, .out = {out}, .par = par, .n_par = (int32_t)n_par};
  for (int d = 0; d < BAND_DIM; d++)
    t.in[d] = d < x.dim ? (column){x.x + d * x.n, x.n} : (column){&zero, 1};
  return t;
}

status band_uniforms(const uint32_t key[2], double stream, int64_t n, double *out) {
  const double par[BAND_DRAW_PAR] = {key[0], key[1], stream};
  const task t = {.pipe = &uniform_pipeline, .n = n, .run = n, .out = {out}, .par = par, .n_par = BAND_DRAW_PAR};
  return n ? backend_run(&t) : STATUS_OK;
}

status band_noise(band_places x, const uint32_t key[2], double *out) {
  const double par[BAND_DRAW_PAR] = {key[0], key[1], 0};
  const task t = task_at_places(&place_pipeline, x, par, BAND_DRAW_PAR, out);
  if (!x.n) return STATUS_OK;
  const status st = backend_run(&t);
  return st ? st : normal_quantile(x.n, (column){out, x.n}, out);
}

static double largest(int64_t n, const double *x) {
  double most = 0;
  for (int64_t i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) {
      if (isnan(x[i])) return NAN;
      most = fabs(x[i]);
    }
  return most;
}

/* Beyond 2^50 turns a phase has no fraction left that means anything. */
static status check_turns(double x, const band_lines *lines, int dim) {
  const double k = largest(dim * lines->n, lines->k), turns = dim * x * k + largest(lines->n, lines->phase);
  if (turns < 0x1p50) return STATUS_OK;
  return fail(STATUS_INPUT, "tbrf: coordinates up to %g are too far from 0 for waves of length %g", x, 1 / k);
}

/* Lines after line i with its amplitude, i included. */
static int64_t group_at(const band_lines *lines, int64_t i) {
  int64_t end = i + 1;
  while (end < lines->n && lines->amplitude[end] == lines->amplitude[i]) end++;
  return end - i;
}

static void lay_out_line(const band_lines *lines, int64_t i, int dim, double *to) {
  for (int d = 0; d < BAND_DIM; d++) to[d] = d < dim ? lines->k[d * lines->n + i] : 0;
  to[BAND_DIM] = lines->phase[i];
}

status band_sum(band_places x, band_lines lines, double *out) {
  static const double no_line[BAND_LINE] = {0, 0, 0, 0.25};
  int64_t n_par = BAND_FIRST, pairs = 0, groups = 0;
  if (!x.n) return STATUS_OK;
  status st = check_turns(largest(x.dim * x.n, x.x), &lines, x.dim);
  if (st) return st;
  for (int64_t i = 0; i < lines.n; i += group_at(&lines, i), groups++) pairs += (group_at(&lines, i) + 1) / 2;
  n_par += 2 * groups + 2 * BAND_LINE * pairs;
  double *par = reals(n_par), *to = par + BAND_FIRST;
  if (!par) return no_memory(n_par);
  par[BAND_GROUPS] = (double)groups;
  for (int64_t i = 0, many; i < lines.n; i += many) {
    many = group_at(&lines, i);
    *to++ = lines.amplitude[i];
    *to++ = (double)((many + 1) / 2);
    for (int64_t k = 0; k < many; k++, to += BAND_LINE) lay_out_line(&lines, i + k, x.dim, to);
    if (many % 2) memcpy(to, no_line, sizeof no_line), to += BAND_LINE;
  }
  const pipeline pipe = {.name = "tbrf", .n_in = PLACE_COLUMNS, .n_out = 1, .step = {KERNEL_band_points},
                         .ns_per_point = 1 + 2 * cosine_cost * (double)pairs};
  const task t = task_at_places(&pipe, x, par, n_par, out);
  st = backend_run(&t);
  free(par);
  return st;
}

/* ---- meshes ---- */

/* A mesh of at least one place along each axis, with axes of a single place, which may be anywhere, moved to the end
 * and added up to three: the coordinate there is 0 where there is none. Places of an axis are padded with zeros to a
 * multiple of BAND_TILE. */
typedef struct {
  int64_t n[BAND_DIM], padded[BAND_DIM], tiles, groups;
  double *axis[BAND_DIM];
  const double *k[BAND_DIM]; /* wave numbers of all lines; NULL: 0 */
  double *out;
  int add; /* to what earlier lines left */
} mesh;

static status mesh_of(mesh *m, int dim, const int64_t *n, const double *const *axis, const band_lines *lines,
                      double *out) {
  int64_t room = 0, padded[BAND_DIM];
  int at = 0;
  *m = (mesh){.out = out};
  for (int d = 0; d < BAND_DIM; d++) {
    padded[d] = ((d < dim ? n[d] : 1) + BAND_TILE - 1) / BAND_TILE * BAND_TILE;
    room += padded[d];
  }
  double *memory = room < INT32_MAX ? calloc((size_t)room, sizeof *memory) : NULL;
  if (!memory) return no_memory(room);
  for (int single = 0; single < 2; single++)
    for (int d = 0; d < BAND_DIM; d++) {
      const int64_t size = d < dim ? n[d] : 1;
      if ((size == 1) != single) continue;
      m->n[at] = size;
      m->padded[at] = padded[d];
      m->axis[at] = at ? m->axis[at - 1] + m->padded[at - 1] : memory;
      if (d < dim) memcpy(m->axis[at], axis[d], (size_t)size * sizeof *memory);
      m->k[at++] = d < dim ? lines->k + d * lines->n : NULL;
    }
  m->tiles = m->padded[0] / BAND_TILE;
  m->groups = (m->n[1] + BAND_GROUP - 1) / BAND_GROUP;
  return STATUS_OK;
}

/* Where the factors of one axis go: width places together, real parts and then imaginary ones. */
typedef struct {
  double *to;
  int64_t n, padded, lines, width;
  double sign;
} factors;

static void deliver_factors(void *to, int64_t first, int32_t n, const double *const *values) {
  const factors *f = to;
  int64_t line = first / f->padded, i = first % f->padded;
  for (int32_t j = 0; j < n; j++) {
    double *at = f->to + (i / f->width * f->lines + line) * 2 * f->width + i % f->width;
    if (i < f->n) {
      at[0] = values[AXIS_COS][j];
      at[f->width] = f->sign * values[AXIS_SIN][j];
    }
    if (++i == f->padded) i = 0, line++;
  }
}

static status axis_factors(factors f, const double *axis, column k, column phase, column amplitude) {
  const task t = {.pipe = &axis_pipeline, .n = f.padded * f.lines, .run = f.padded, .in = {{axis, f.padded}},
                  .set_in = {k, phase, amplitude}, .grain = BAND_TILE, .deliver = deliver_factors, .deliver_to = &f};
  return backend_run(&t);
}

static void put_row(const mesh *m, double *to, const double *values, int64_t n) {
  if (!m->add) {
    memcpy(to, values, (size_t)n * sizeof *to);
    return;
  }
  for (int64_t i = 0; i < n; i++) to[i] += values[i];
}

static void deliver_tiles(void *to, int64_t first, int32_t n, const double *const *values) {
  const mesh *m = to;
  for (int32_t done = 0; done < n;) {
    const int64_t x = (first + done) % m->padded[0], group = (first + done) / m->padded[0], z = group / m->groups;
    const int64_t left = m->padded[0] - x, some = left < n - done ? left : n - done;
    const int64_t real = m->n[0] - x < some ? m->n[0] - x : some;
    for (int64_t r = 0, y = (group - z * m->groups) * BAND_GROUP; r < BAND_GROUP && y < m->n[1]; r++, y++)
      put_row(m, m->out + (z * m->n[1] + y) * m->n[0] + x, values[r] + done, real);
    done += (int32_t)some;
  }
}

/* Factors of a line, real and imaginary. */
static int64_t factors_of_line(const mesh *m) {
  return 2 * (m->tiles * BAND_TILE + m->groups * BAND_GROUP + m->n[2]);
}

static status add_lines_on_mesh(const mesh *m, const band_lines *lines, int64_t first, int64_t some, double *par) {
  const column none = {&zero, 1}, unit = {(const double[]){1}, 1};
  const column phase = {lines->phase + first, some}, amplitude = {lines->amplitude + first, some};
  const int64_t of_x = GRID_HEAD, of_y = of_x + 2 * some * m->tiles * BAND_TILE;
  const int64_t of_z = of_y + 2 * some * m->groups * BAND_GROUP, n_par = GRID_HEAD + some * factors_of_line(m);
  const int64_t at[BAND_DIM] = {of_x, of_y, of_z}, width[BAND_DIM] = {BAND_TILE, BAND_GROUP, 1};
  status st = STATUS_OK;
  memset(par, 0, (size_t)n_par * sizeof *par);
  par[GRID_LINES] = (double)some;
  par[GRID_TILES] = (double)m->tiles;
  par[GRID_GROUPS] = (double)m->groups;
  for (int d = 0; d < BAND_DIM && !st; d++) {
    const int last = d == BAND_DIM - 1;
    const factors f = {par + at[d], m->n[d], m->padded[d], some, width[d], d == 0 ? -1 : 1};
    const column k = m->k[d] ? (column){m->k[d] + first, some} : none;
    par[GRID_X + d] = (double)at[d];
    st = axis_factors(f, m->axis[d], k, last ? phase : none, last ? amplitude : unit);
  }
  const pipeline pipe = {.name = "tbrf", .n_out = BAND_GROUP, .step = {KERNEL_band_grid},
                         .ns_per_point = 1 + BAND_GROUP * product_cost * (double)some};
  const task t = {.pipe = &pipe, .n = m->padded[0] * m->groups * m->n[2], .run = 1, .par = par,
                  .n_par = (int32_t)n_par, .grain = BAND_TILE, .deliver = deliver_tiles, .deliver_to = (void *)m};
  return st ? st : backend_run(&t);
}

/* Passes of so many lines that their factors stay within 64 MiB. */
static status sum_of_products(mesh *m, const band_lines *lines) {
  const int64_t fit = ((int64_t)1 << 23) / factors_of_line(m), most = fit < 1 ? 1 : fit < lines->n ? fit : lines->n;
  const int64_t room = GRID_HEAD + most * factors_of_line(m);
  const call_part whole = backend_part();
  double *par = reals(room);
  status st = par ? STATUS_OK : no_memory(room);
  for (int64_t first = 0; first < lines->n && !st; first += most) {
    const int64_t some = lines->n - first < most ? lines->n - first : most;
    backend_set_part(whole, (double)first / (double)lines->n, (double)(first + some) / (double)lines->n);
    st = add_lines_on_mesh(m, lines, first, some, par);
    m->add = 1;
  }
  backend_set_part(whole, 0, 1);
  free(par);
  return st;
}

/* The factors of a long axis are not worth their time for a few rows: then places are as good, in pieces. */
enum { FEWEST_ROWS = 16, PLACES = 1 << 16 };

static status sum_at_each(const mesh *m, const band_lines *lines) {
  const int64_t n = m->n[0] * m->n[1] * m->n[2], most = n < PLACES ? n : PLACES;
  double *x = reals(BAND_DIM * most), *k = calloc((size_t)(BAND_DIM * lines->n) + 1, sizeof *k);
  const call_part whole = backend_part();
  const band_lines own = {lines->n, k, lines->phase, lines->amplitude};
  status st = x && k ? STATUS_OK : no_memory(BAND_DIM * (most + lines->n));
  for (int d = 0; d < BAND_DIM && !st; d++)
    if (m->k[d]) memcpy(k + d * lines->n, m->k[d], (size_t)lines->n * sizeof *k);
  for (int64_t first = 0; first < n && !st; first += most) {
    const int64_t some = n - first < most ? n - first : most;
    for (int64_t i = 0; i < some; i++) {
      const int64_t row = (first + i) / m->n[0];
      x[i] = m->axis[0][(first + i) % m->n[0]];
      x[some + i] = m->axis[1][row % m->n[1]];
      x[2 * some + i] = m->axis[2][row / m->n[1]];
    }
    backend_set_part(whole, (double)first / (double)n, (double)(first + some) / (double)n);
    st = band_sum((band_places){some, BAND_DIM, x}, own, m->out + first);
  }
  backend_set_part(whole, 0, 1);
  free(x);
  free(k);
  return st;
}

status band_sum_on_mesh(int dim, const int64_t *n, const double *const *axis, band_lines lines, double *out) {
  mesh m;
  status st = STATUS_OK;
  for (int d = 0; d < dim; d++)
    if (!n[d]) return STATUS_OK;
  for (int d = 0; d < dim && !st; d++) st = check_turns(largest(n[d], axis[d]), &lines, dim);
  if (!st) st = mesh_of(&m, dim, n, axis, &lines, out);
  if (st) return st;
  st = m.n[1] * m.n[2] < FEWEST_ROWS ? sum_at_each(&m, &lines) : sum_of_products(&m, &lines);
  free(m.axis[0]);
  return st;
}

/* ---- tables ---- */

/* A pass reads and writes the sums once more, which is little beside the look-ups if it has this many; and
 * tables in a cache of a megabyte are looked up about twice as fast as those in memory. */
enum { FEWEST_TABLES = 4, CACHE_ENTRIES = 1 << 17 };

static int64_t tables_at_once(const band_tables *t) {
  const int64_t fit = t->block > 0 ? t->block : CACHE_ENTRIES / t->entries;
  const int64_t some = t->block > 0 || fit > FEWEST_TABLES ? fit : FEWEST_TABLES;
  return some < t->lines ? some : t->lines;
}

status band_sum_of_tables(band_places x, band_tables tables, double *out) {
  const int64_t most = tables_at_once(&tables), room = TABLE_DIRECTIONS + most * (3 + tables.entries);
  const call_part whole = backend_part();
  status st = STATUS_OK;
  if (!x.n) return STATUS_OK;
  double *par = reals(room);
  if (!par) return no_memory(room);
  par[TABLE_ENTRIES] = (double)tables.entries;
  par[TABLE_ORIGIN] = -tables.origin / tables.step;
  for (int64_t first = 0; first < tables.lines && !st; first += most) {
    const int64_t some = tables.lines - first < most ? tables.lines - first : most;
    const int64_t values = TABLE_DIRECTIONS + 3 * some, n_par = values + some * tables.entries;
    par[TABLE_LINES] = (double)some;
    par[TABLE_VALUES] = (double)values;
    for (int64_t i = 0; i < some; i++)
      for (int d = 0; d < BAND_DIM; d++)
        par[TABLE_DIRECTIONS + 3 * i + d] = d < x.dim ? tables.u[d * tables.lines + first + i] / tables.step : 0;
    memcpy(par + values, tables.values + first * tables.entries, (size_t)(some * tables.entries) * sizeof *par);
    const pipeline pipe = {.name = "tbrf", .n_in = BAND_TABLE_COLUMNS, .n_out = 1, .step = {KERNEL_band_table},
                           .ns_per_point = 1 + table_cost * (double)some};
    task t = task_at_places(&pipe, x, par, n_par, out);
    t.in[PLACE_SUM] = first ? (column){out, x.n} : (column){&zero, 1};
    backend_set_part(whole, (double)first / (double)tables.lines, (double)(first + some) / (double)tables.lines);
    st = backend_run(&t);
  }
  backend_set_part(whole, 0, 1);
  free(par);
  return st;
}
