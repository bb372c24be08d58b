/* bands.c: host side of the sums over lines: the pipelines of bands.cl. */
#include "field/bands.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/field/bands_par.h"
#include "poisson/poisson.h"
#include "programs/programs.h"

static const pipeline uniform_pipeline = {
    .name = "tbrf", .n_out = 1, .step = {KERNEL_band_uniform}, .ns_per_point = 2};
static const pipeline place_pipeline = {
    .name = "tbrf", .n_in = LOCATION_COLUMNS, .n_out = 1, .step = {KERNEL_band_location_uniform}, .ns_per_point = 6};
static const pipeline axis_pipeline = {.name = "tbrf", .n_set_in = AXIS_SET_COLUMNS, .n_in = 1,
                                       .n_out = AXIS_COLUMNS, .step = {KERNEL_band_axis}, .ns_per_point = 5};

/* Nanoseconds of a line at a point. */
static const double cosine_cost = 0.35, pair_cost = 0.7, product_cost = 0.07, table_cost = 0.9;

static const double zero = 0;

static double *reals(int64_t n) { return n > 0 && n < INT32_MAX ? malloc((size_t)n * sizeof(double)) : NULL; }

static status no_memory(int64_t n) { return fail(STATUS_MEMORY, "tbrf: no memory for %lld numbers", (long long)n); }

static task task_at_locations(const pipeline *pipe, band_locations x, const double *par, int64_t n_par, double *out) {
  task t = {.pipe = pipe, .n = x.n, .run = x.n, .out = {out}, .par = par, .n_par = (int32_t)n_par};
  for (int d = 0; d < BAND_DIM; d++)
    t.in[d] = d < x.dim ? (column){x.x + d * x.n, x.n} : (column){&zero, 1};
  return t;
}

status band_uniforms(const uint32_t key[2], double stream, int64_t first, int64_t n, double *out) {
  const double par[BAND_DRAW_PAR] = {key[0], key[1], stream};
  const task t = {.pipe = &uniform_pipeline, .n = n, .origin = first, .run = n, .out = {out}, .par = par,
                  .n_par = BAND_DRAW_PAR};
  return n ? backend_run(&t) : STATUS_OK;
}

status band_noise(band_locations x, const uint32_t key[2], double *out) {
  const double par[BAND_DRAW_PAR] = {key[0], key[1], 0};
  const task t = task_at_locations(&place_pipeline, x, par, BAND_DRAW_PAR, out);
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

/* Of a lot: what those before it have left. */
static column sum_before(const band_lines *lines, int64_t n, const double *out) {
  return lines->before ? (column){out, n} : (column){&zero, 1};
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

static double *empty_group(double *to, double amplitude) {
  to[0] = amplitude;
  to[1] = 0;
  return to + 2;
}

/* Lots of lines: the group of the line before is ended by another amplitude, the last one by an empty group. */
status band_sum(band_locations x, band_lines lines, double *out) {
  static const double no_line[BAND_LINE] = {0, 0, 0, 0.25};
  const int lot = lines.before || lines.after;
  const int ended = lines.before && lines.n && lines.amplitude[0] != lines.last, last = lot && !lines.after;
  int64_t n_par = BAND_FIRST, pairs = 0, groups = ended + last;
  if (!x.n) return STATUS_OK;
  status st = check_turns(largest(x.dim * x.n, x.x), &lines, x.dim);
  if (st) return st;
  for (int64_t i = 0; i < lines.n; i += group_at(&lines, i), groups++) pairs += (group_at(&lines, i) + 1) / 2;
  n_par += 2 * groups + 2 * BAND_LINE * pairs;
  double *par = reals(n_par), *to = par + BAND_FIRST;
  if (!par) return no_memory(n_par);
  par[BAND_GROUPS] = (double)groups;
  if (ended) to = empty_group(to, lines.last);
  for (int64_t i = 0, many; i < lines.n; i += many) {
    many = group_at(&lines, i);
    *to++ = lines.amplitude[i];
    *to++ = (double)((many + 1) / 2);
    for (int64_t k = 0; k < many; k++, to += BAND_LINE) lay_out_line(&lines, i + k, x.dim, to);
    if (many % 2) memcpy(to, no_line, sizeof no_line), to += BAND_LINE;
  }
  if (last) empty_group(to, 0);
  const pipeline pipe = {.name = "tbrf", .n_in = lot ? BAND_PART_COLUMNS : LOCATION_COLUMNS, .n_out = 1 + lot,
                         .step = {lot ? KERNEL_band_points_part : KERNEL_band_points},
                         .ns_per_point = 1 + 2 * cosine_cost * (double)pairs};
  task t = task_at_locations(&pipe, x, par, n_par, out);
  t.in[LOCATION_SUM] = sum_before(&lines, x.n, out);
  t.in[LOCATION_GROUP] = sum_before(&lines, x.n, lines.group);
  t.out[1] = lines.group;
  st = backend_run(&t);
  free(par);
  return st;
}

status band_sum_of_waves(band_locations x, band_lines lines, const double *sine, int columns, double *const *out) {
  static const kernel_description *const kernel[] = {KERNEL_band_waves_1, KERNEL_band_waves_2, KERNEL_band_waves_3};
  const int64_t n_par = WAVES_FIRST + lines.n * WAVE_NUMBERS(columns);
  if (!x.n) return STATUS_OK;
  status st = check_turns(largest(x.dim * x.n, x.x), &lines, x.dim);
  if (st) return st;
  double *par = reals(n_par), *to = par + WAVES_FIRST;
  if (!par) return no_memory(n_par);
  par[WAVES_LINES] = (double)lines.n;
  for (int64_t i = 0; i < lines.n; i++, to += WAVE_NUMBERS(columns)) {
    lay_out_line(&lines, i, x.dim, to);
    to[BAND_LINE] = lines.amplitude[i];
    for (int64_t j = 0; j < columns && columns > 1; j++) {
      to[BAND_LINE + 2 * j] = lines.amplitude[j * lines.n + i];
      to[BAND_LINE + 2 * j + 1] = sine[j * lines.n + i];
    }
  }
  const double cost = columns == 1 ? cosine_cost : pair_cost;
  const pipeline pipe = {.name = "tbrf", .n_in = LOCATION_SUM + columns, .n_out = columns,
                         .step = {kernel[columns - 1]}, .ns_per_point = 1 + cost * (double)lines.n};
  task t = task_at_locations(&pipe, x, par, n_par, out[0]);
  for (int j = 0; j < columns; j++) {
    t.in[LOCATION_SUM + j] = sum_before(&lines, x.n, out[j]);
    t.out[j] = out[j];
  }
  st = backend_run(&t);
  free(par);
  return st;
}

/* ---- meshes ---- */

/* A mesh, or a box of its cells: three axes, of which those that there are not have the coordinate 0 alone. Neither
 * how it is cut nor which kernel takes a box changes a value's bits (bands.cl); passes of lines do. */
typedef struct {
  int64_t n[BAND_DIM], apart[BAND_DIM]; /* cells along an axis, and how far apart they are in out */
  const double *axis[BAND_DIM];
  const double *k[BAND_DIM]; /* wave numbers of all lines; NULL: 0 */
  double *out;
  int add; /* to what earlier lines left */
} mesh;

/* Factors of so many lines for so many places along the axes take 32 MiB. */
enum { LINES_OF_PASS = BAND_LOT, PLACES_OF_BOX = 2048 };

static int64_t padded(int64_t n, int64_t width) { return (n + width - 1) / width * width; }

/* Three axes in the order that a kernel has them: tiles along the first, with places of width; then rows and their
 * groups. Places that fill up the last tile or group are computed in vain. */
typedef struct {
  const kernel_description *kernel;
  int axis[BAND_DIM], along;
  int64_t width[BAND_DIM], places[BAND_DIM];
  double cost; /* of a line, in products */
} layout;

static layout layout_of(const mesh *m, const kernel_description *kernel, int along) {
  const int grid = kernel == KERNEL_band_grid;
  layout l = {.kernel = kernel, .along = along, .axis = {grid ? 0 : along, grid ? along : 0, 3 - along}};
  l.cost = grid ? 1 : 4; /* the product along y and z at each place */
  for (int d = 0; d < BAND_DIM; d++) {
    l.width[d] = d == 0 ? BAND_TILE : d == 1 && grid ? BAND_GROUP : 1;
    l.places[d] = padded(m->n[l.axis[d]], l.width[d]);
    l.cost *= (double)l.places[d];
  }
  return l;
}

static layout cheapest_layout(const mesh *m) {
  static const kernel_description *const kernel[] = {KERNEL_band_grid, KERNEL_band_row};
  layout best = layout_of(m, kernel[0], 1);
  for (int i = 1; i < 4; i++) {
    const layout other = layout_of(m, kernel[i / 2], 1 + i % 2);
    if (other.cost < best.cost) best = other;
  }
  return best;
}

/* Where the factors of one axis go: width places together, real parts and then imaginary ones. */
typedef struct {
  double *to;
  int64_t n, padded, lines, width;
  double sign;
} factors;

static void deliver_factors(void *to, int64_t first, int32_t n, const double *const *values) {
  const factors *f = to;
  const double *re = values[AXIS_COS], *im = values[AXIS_SIN];
  int64_t line = first / f->padded, i = first % f->padded;
  for (int32_t done = 0; done < n;) {
    double *at = f->to + (i / f->width * f->lines + line) * 2 * f->width + i % f->width;
    const int64_t left = f->width - i % f->width, some = left < n - done ? left : n - done;
    for (int64_t j = 0; j < some && i + j < f->n; j++) {
      at[j] = re[done + j];
      at[f->width + j] = f->sign * im[done + j];
    }
    i += some;
    done += (int32_t)some;
    if (i == f->padded) i = 0, line++;
  }
}

static status axis_factors(factors f, const double *axis, column k, column phase, column amplitude) {
  double place[PLACES_OF_BOX + BAND_TILE] = {0};
  memcpy(place, axis, (size_t)f.n * sizeof *axis);
  f.padded = padded(f.n, BAND_TILE);
  const task t = {.pipe = &axis_pipeline, .n = f.padded * f.lines, .run = f.padded, .in = {{place, f.padded}},
                  .set_in = {k, phase, amplitude}, .grain = BAND_TILE, .deliver = deliver_factors, .deliver_to = &f};
  return backend_run(&t);
}

typedef struct {
  const mesh *m;
  const layout *l;
} delivery;

static void put_row(const mesh *m, double *to, int64_t apart, const double *values, int64_t n) {
  if (apart > 1)
    for (int64_t i = 0; i < n; i++) to[i * apart] = m->add ? to[i * apart] + values[i] : values[i];
  else if (m->add)
    for (int64_t i = 0; i < n; i++) to[i] += values[i];
  else if (n > 0)
    memcpy(to, values, (size_t)n * sizeof *to);
}

/* Tile after tile, each with as many rows as there are columns of values. */
static void deliver_tiles(void *to, int64_t first, int32_t n, const double *const *values) {
  const mesh *m = ((const delivery *)to)->m;
  const layout *l = ((const delivery *)to)->l;
  const int64_t *place = l->places, columns = l->width[1], groups = place[1] / columns;
  const int64_t *apart = m->apart, row_cells = m->n[l->axis[1]], cells = m->n[l->axis[0]];
  for (int32_t done = 0; done < n;) {
    const int64_t x = (first + done) % place[0], group = (first + done) / place[0], z = group / groups;
    const int64_t left = place[0] - x, some = left < n - done ? left : n - done;
    const int64_t real = cells - x < some ? cells - x : some;
    for (int64_t r = 0, y = (group - z * groups) * columns; r < columns && y < row_cells; r++, y++)
      put_row(m, m->out + z * apart[l->axis[2]] + y * apart[l->axis[1]] + x * apart[l->axis[0]],
              apart[l->axis[0]], values[r] + done, real);
    done += (int32_t)some;
  }
}

static int64_t factors_of_line(const layout *l) { return 2 * (l->places[0] + l->places[1] + l->places[2]); }

static status add_lines_on_box(const mesh *m, const layout *l, const band_lines *lines, int64_t first, int64_t some,
                               double *par) {
  const column none = {&zero, 1}, unit = {(const double[]){1}, 1};
  const column phase = {lines->phase + first, some}, amplitude = {lines->amplitude + first, some};
  const int64_t n_par = GRID_HEAD + some * factors_of_line(l), columns = l->width[1];
  int64_t at = GRID_HEAD;
  status st = STATUS_OK;
  par[GRID_LINES] = (double)some;
  par[GRID_TILES] = (double)(l->places[0] / BAND_TILE);
  par[GRID_GROUPS] = (double)(l->places[1] / columns);
  par[GRID_ALONG] = l->along;
  for (int d = 0; d < BAND_DIM && !st; d++) {
    const int axis = l->axis[d], last = axis == BAND_DIM - 1;
    const factors f = {par + at, m->n[axis], 0, some, l->width[d], axis == 0 ? -1 : 1};
    const column k = m->k[axis] ? (column){m->k[axis] + first, some} : none;
    par[GRID_FIRST + d] = (double)at;
    at += 2 * some * l->places[d];
    st = axis_factors(f, m->axis[axis], k, last ? phase : none, last ? amplitude : unit);
  }
  const pipeline pipe = {.name = "tbrf", .n_out = (int)columns, .step = {l->kernel},
                         .ns_per_point = 1 + (double)columns * product_cost * (double)some};
  delivery to = {m, l};
  const task t = {.pipe = &pipe, .n = l->places[0] * (l->places[1] / columns) * l->places[2], .run = 1, .par = par,
                  .n_par = (int32_t)n_par, .grain = BAND_TILE, .deliver = deliver_tiles, .deliver_to = &to};
  return st ? st : backend_run(&t);
}

static status sum_on_box(mesh *m, const band_lines *lines, double *par) {
  const layout l = cheapest_layout(m);
  const call_part whole = backend_part();
  const double all = (double)lines->n;
  status st = STATUS_OK;
  for (int64_t first = 0; first < lines->n && !st; first += LINES_OF_PASS) {
    const int64_t some = lines->n - first < LINES_OF_PASS ? lines->n - first : LINES_OF_PASS;
    backend_set_part(whole, (double)first / all, (double)(first + some) / all);
    st = add_lines_on_box(m, &l, lines, first, some, par);
    m->add = 1;
  }
  backend_set_part(whole, 0, 1);
  return st;
}

/* Boxes by halves of the longest axis. */
static void box_size(const int64_t *n, int64_t *size) {
  for (int d = 0; d < BAND_DIM; d++) size[d] = n[d];
  for (;;) {
    int longest = 0;
    for (int d = 1; d < BAND_DIM; d++)
      if (size[d] > size[longest]) longest = d;
    if (size[0] + size[1] + size[2] <= PLACES_OF_BOX) return;
    size[longest] = padded((size[longest] + 1) / 2, BAND_TILE);
  }
}

static status sum_of_products(const mesh *whole, const band_lines *lines) {
  int64_t size[BAND_DIM], at[BAND_DIM], done = 0;
  box_size(whole->n, size);
  const int64_t most = lines->n < LINES_OF_PASS ? lines->n : LINES_OF_PASS;
  const int64_t room = GRID_HEAD + 2 * most * (size[0] + size[1] + size[2] + 2 * BAND_TILE + BAND_GROUP);
  const double cells = (double)whole->n[0] * (double)whole->n[1] * (double)whole->n[2];
  const call_part part = backend_part();
  double *par = calloc((size_t)room, sizeof *par); /* places that fill up a tile need numbers */
  status st = par ? STATUS_OK : no_memory(room);
  for (at[2] = 0; at[2] < whole->n[2]; at[2] += size[2])
    for (at[1] = 0; at[1] < whole->n[1]; at[1] += size[1])
      for (at[0] = 0; at[0] < whole->n[0] && !st; at[0] += size[0]) {
        mesh box = *whole;
        int64_t inside = 1;
        for (int d = 0; d < BAND_DIM; d++) {
          box.n[d] = whole->n[d] - at[d] < size[d] ? whole->n[d] - at[d] : size[d];
          box.axis[d] += at[d];
          box.out += at[d] * whole->apart[d];
          inside *= box.n[d];
        }
        backend_set_part(part, (double)done / cells, (double)(done + inside) / cells);
        st = sum_on_box(&box, lines, par);
        done += inside;
      }
  backend_set_part(part, 0, 1);
  free(par);
  return st;
}

status band_sum_on_mesh(int dim, const int64_t *n, const double *const *axis, band_lines lines, double *out) {
  mesh m = {.out = out, .add = lines.before > 0};
  status st = STATUS_OK;
  for (int d = 0; d < dim; d++)
    if (!n[d]) return STATUS_OK;
  for (int d = 0; d < dim && !st; d++) st = check_turns(largest(n[d], axis[d]), &lines, dim);
  if (st) return st;
  if (dim == 1) return band_sum((band_locations){n[0], 1, axis[0]}, lines, out);
  for (int d = 0; d < BAND_DIM; d++) {
    m.n[d] = d < dim ? n[d] : 1;
    m.axis[d] = d < dim ? axis[d] : &zero;
    m.k[d] = d < dim ? lines.k + d * lines.n : NULL;
    m.apart[d] = d ? m.apart[d - 1] * m.n[d - 1] : 1;
  }
  return sum_of_products(&m, &lines);
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

status band_sum_of_tables(band_locations x, band_tables tables, double *out) {
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
    task t = task_at_locations(&pipe, x, par, n_par, out);
    t.in[LOCATION_SUM] = first ? (column){out, x.n} : (column){&zero, 1};
    backend_set_part(whole, (double)first / (double)tables.lines, (double)(first + some) / (double)tables.lines);
    st = backend_run(&t);
  }
  backend_set_part(whole, 0, 1);
  free(par);
  return st;
}
