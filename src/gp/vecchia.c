/* vecchia.c: see vecchia.h. */
#include "gp/vecchia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/any_nan.h"
#include "engine/backend.h"
#include "engine/exact_sum.h"
#include "gp/curve.h"
#include "kernels/gp/vecchia_par.h"
#include "programs/programs.h"

/* Locations for each point of a task: the more, the fewer sums; the fewer, the more points for many threads. Tables
 * begin so many octaves below the largest distance where the least is not known; those that end too early are made
 * longer by MORE_OCTAVES. */
enum { LINE = VECCHIA_LINE, STEPS = 16, OCTAVES = 60, MORE_OCTAVES = 12 };

/* Sums are added up in parts, at most so many whatever the number of locations, and then those of parts: who has
 * some of the parts gives the same bits. */
enum { MOST_PARTS = 256 };

struct vecchia {
  cov_space space;
  int64_t n, asked;      /* locations, and columns of members */
  int members, own;      /* of a column, and those of them of which something is asked */
  int columns, record, coords;
  int64_t lines; /* of LINE locations */
  int32_t steps; /* lines of a point, at most */
  int64_t points_of_part; /* sums of LINE points each */
  double nearest;
  double *memory;
  int32_t *whole, *turn; /* turn: the column of members that is number k in lines */
  kept_block block;
};

static int64_t in_units(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }

/* Records: coordinates as covariances take them, variance of the error, data. */
static void lay_out_records(vecchia *v, const int32_t *number, const double *error,
                            const double *data) {
  enum { PIECE = 1024 };
  double *columns = v->memory + v->n * v->record;
  for (int64_t at = 0; at < v->n; at += PIECE) {
    const int64_t count = at_most(v->n - at, PIECE);
    cov_lay_out_locations(&v->space, at, count, columns, PIECE);
    for (int64_t i = 0; i < count; i++) {
      double *to = v->memory + (int64_t)number[at + i] * v->record;
      for (int c = 0; c < v->coords; c++) *to++ = columns[c * PIECE + i];
      *to++ = error ? error[at + i] : 0;
      for (int c = 0; c < v->record - v->coords - 1; c++) *to++ = c < v->columns ? data[c * v->n + at + i] : 0;
    }
  }
}

/* Columns of members in the order of records: of their own location, of a block of its last one. */
static void find_turns(vecchia *v, const vecchia_sets *sets, const int32_t *from, int32_t *column) {
  int64_t k = 0;
  for (int64_t i = 0; i < v->n; i++) column[i] = i < sets->first || sets->own ? -1 : (int32_t)(i - sets->first);
  for (int64_t i = 0; i < v->asked && sets->own; i++)
    column[sets->members[(i + 1) * sets->rows - 1] - 1] = (int32_t)i;
  for (int64_t i = 0; i < v->n; i++)
    if (column[from[i]] >= 0) v->turn[k++] = column[from[i]];
}

static void lay_out_members(vecchia *v, const vecchia_sets *sets, const int32_t *number) {
  for (int64_t i = 0; i < v->lines * LINE; i++) {
    int32_t *to = v->whole + i / LINE * v->members * LINE + i % LINE;
    const int32_t *row = i < v->asked ? sets->members + (int64_t)v->turn[i] * sets->rows : NULL;
    for (int k = 0; k < sets->rows; k++) to[k * LINE] = row && row[k] > 0 ? number[row[k] - 1] : -1;
    if (!sets->own) to[sets->rows * LINE] = row ? number[sets->first + v->turn[i]] : -1;
  }
}

status vecchia_make(const cov_space *at, const double *error, int columns, const double *data,
                    const vecchia_sets *sets, double nearest, vecchia **made) {
  const int64_t n = sets->n, asked = sets->count;
  vecchia *v = *made = calloc(1, sizeof *v);
  if (!v) return fail(STATUS_MEMORY, "Vecchia's approximation: no memory for %lld locations", (long long)n);
  v->space = *at;
  v->space.route = COV_BY_SIZE; /* there are no others */
  v->nearest = nearest;
  v->n = n;
  v->asked = asked;
  v->members = sets->rows + !sets->own;
  v->own = sets->own ? sets->own : 1;
  v->columns = columns;
  v->coords = cov_coordinates(&at->metric);
  v->record = (v->coords + columns + VECCHIA_PART) / VECCHIA_PART * VECCHIA_PART;
  v->steps = (int32_t)at_most(in_units(asked, LINE), STEPS);
  v->lines = v->steps ? in_units(asked, (int64_t)LINE * v->steps) * v->steps : 0;
  v->points_of_part = v->steps ? in_units(v->lines / v->steps, MOST_PARTS) : 1;
  const int64_t numbers = n * v->record, whole = v->lines * LINE * v->members;
  int32_t *number = NULL, *from = NULL; /* of a location's record; and the location of a record */
  status st = STATUS_OK;
  if (numbers > INT32_MAX || whole > INT32_MAX)
    st = fail(STATUS_INPUT, "Vecchia's approximation: %lld locations with %d neighbours are too many for one call",
              (long long)n, sets->rows);
  if (!st) st = cov_measure(&v->space, 0);
  if (!st) {
    v->memory = malloc(((size_t)numbers + 1024 * (size_t)v->coords) * sizeof *v->memory);
    v->whole = malloc(((size_t)whole + 1) * sizeof *v->whole);
    v->turn = malloc(((size_t)asked + 1) * sizeof *v->turn);
    from = malloc(((size_t)n + 1) * sizeof *from);
    number = malloc(((size_t)n + 1) * sizeof *number);
    if (!v->memory || !v->whole || !v->turn || !from || !number)
      st = fail(STATUS_MEMORY, "Vecchia's approximation: no memory for %lld locations with %d neighbours",
                (long long)n, sets->rows);
    else st = gp_curve(at->metric.dim, n, at->a, sets->first, from);
  }
  if (!st) {
    find_turns(v, sets, from, number);
    for (int64_t i = 0; i < n; i++) number[from[i]] = (int32_t)i;
    lay_out_records(v, number, error, data);
    lay_out_members(v, sets, number);
    v->space.a = NULL; /* which is the caller's */
  }
  free(number);
  free(from);
  if (st) {
    vecchia_free(v);
    *made = NULL;
    return st;
  }
  v->block = backend_block((int32_t)numbers, v->memory, (int32_t)whole, v->whole);
  return STATUS_OK;
}

void vecchia_free(vecchia *v) {
  if (!v) return;
  if (v->block.id) backend_drop_block(&v->block);
  cov_space_free(&v->space);
  free(v->memory);
  free(v->whole);
  free(v->turn);
  free(v);
}

static status no_table(void) {
  return fail(STATUS_INPUT,
              "the covariance with these parameters cannot be computed between locations as near as these: fewer "
              "neighbours, method \"exact\" or a smaller smoothness may serve");
}

/* A plan with par for its tasks. `lower`: octaves by which tables begin lower than the shortest distance suggests. */
static status open_plan(const vecchia *v, const vecchia_model *m, int lower, int32_t steps, cov_plan **p,
                        cov_par *par) {
  const cov_model *model = m->model;
  int64_t at;
  status st = cov_plan_make(model, &v->space, INFINITY, v->nearest, OCTAVES, lower, p);
  if (!st) st = cov_plan_is_direct(*p) ? no_table() : cov_plan_par(*p, VECCHIA_SIZE, &at, par);
  if (st) {
    cov_plan_free(*p);
    return st;
  }
  double *own = par->par + at;
  par->par[VECCHIA_AT] = (double)at;
  own[VECCHIA_MEMBERS] = v->members;
  own[VECCHIA_OWN] = v->own;
  own[VECCHIA_STEPS] = steps;
  own[VECCHIA_RECORD] = v->record;
  own[VECCHIA_COORDS] = v->coords;
  own[VECCHIA_DATA] = v->columns;
  own[VECCHIA_SLOPES] = model->n_wants - 1;
  own[VECCHIA_NUGGET] = m->nugget;
  own[VECCHIA_KEPT] = cov_slopes_need(model);
  own[VECCHIA_NUGGETS] = 0;
  for (int k = 1; k < model->n_wants; k++)
    if (model->want[k].what == COV_NOTHING) own[VECCHIA_NUGGETS] += ldexp(1, k - 1);
  return STATUS_OK;
}

/* A kernel, and those for memory of groups: of any model, and of the commonest ones. */
typedef struct {
  const kernel_description *of_work, *of_teams, *of_forms, *of_tables;
} kernel_set;
#define KERNELS_OF(what)                                                                                     \
  {KERNEL_vecchia_##what, KERNEL_vecchia_team_##what, KERNEL_vecchia_form_##what, KERNEL_vecchia_table_##what}

/* By COV_ONLY of covariance_par.h. */
static const kernel_description *team_kernel(kernel_set kernel, const double *par) {
  const double *part = par + COV_HEAD;
  if (par[COV_PARTS] > 1 || par[SPACE_DIAMETER] != 0 || part[PART_ROLE] != ROLE_SPACE) return kernel.of_teams;
  if (part[PART_FUNCTION] == FUNCTION_FORM) return kernel.of_forms;
  return part[PART_FUNCTION] == FUNCTION_TABLE ? kernel.of_tables : kernel.of_teams;
}

/* par: that of the task. */
static pipeline pipeline_of(const vecchia *v, const cov_model *m, kernel_set kernel, const double *par,
                            int results) {
  const double *own = par + (int64_t)par[VECCHIA_AT];
  const int places = VECCHIA_PLACES(v->members), slopes = m->n_wants - 1, kept = (int)own[VECCHIA_KEPT];
  const int triangles = kept < 0 ? 1 : 1 + (kept & 1) + (kept >> 1 & 1) + (kept >> 2 & 1);
  const int products = (int)(own[VECCHIA_TO] - own[VECCHIA_FROM]);
  const int apart = kept < 0 ? TEAM_SIZE : 1;
  const int team = VECCHIA_TEAM(v->members, v->columns, slopes, v->record, triangles, apart, products);
  const int lane = VECCHIA_WORK(places, v->columns, slopes, v->record, triangles);
  return (pipeline){.name = "gpFit", .n_out = results, .step = {kernel.of_work}, .n_work = lane > team ? lane : team,
                    .team = {team_kernel(kernel, par), NULL}, .team_shared = (int64_t)par[COV_NEAR],
                    .team_numbers = team,
                    .ns_per_point = own[VECCHIA_STEPS] *
                                    (VECCHIA_PAIRS(places) * (3.0 + 4.0 * slopes * v->own) + 100)};
}

int64_t vecchia_asked(const vecchia *v) { return v->asked; }

int vecchia_columns(const vecchia *v, int rows) { return 1 + (rows ? v->members - 1 : v->columns); }

/* ---- sums ---- */

int vecchia_sums_size(const vecchia *v, const cov_model *m) {
  return VECCHIA_SUMS(VECCHIA_PAIRS(v->columns), m->n_wants - 1);
}

/* Sums of the LINE points that share lines, in order. */
typedef struct {
  int columns;
  double *lines;
} sums;

static void take_sums(void *to, int64_t first, int32_t n, const double *const *values) {
  const sums *s = to;
  for (int32_t at = 0; at < n; at += LINE) {
    double *line = s->lines + (first + at) / LINE * s->columns;
    line[VECCHIA_BAD] = INFINITY;
    for (int l = 0; l < LINE; l++) {
      const double step = values[VECCHIA_BAD][at + l];
      if (step >= 0) line[VECCHIA_BAD] = fmin(line[VECCHIA_BAD], step * LINE + l);
    }
    for (int k = 1; k < s->columns; k++) {
      double total = 0;
      for (int l = 0; l < LINE; l++) total += values[k][at + l];
      line[k] = total;
    }
  }
}

static status run_sums(const vecchia *v, const vecchia_model *m, int lower, int from, int to, const sums *s) {
  cov_plan *plan;
  cov_par par;
  status st = open_plan(v, m, lower, v->steps, &plan, &par);
  if (st) return st;
  double *own = par.par + (int64_t)par.par[VECCHIA_AT];
  own[VECCHIA_FROM] = from;
  own[VECCHIA_TO] = to;
  const kernel_set kernel = KERNELS_OF(sums);
  const pipeline pipe = pipeline_of(v, m->model, kernel, par.par, s->columns);
  task t = {.pipe = &pipe, .n = v->lines / v->steps * LINE, .grain = LINE, .piece = LINE, .par = par.par,
            .n_par = par.n, .kept = &v->block, .deliver = take_sums, .deliver_to = (void *)(uintptr_t)s};
  t.run = t.n;
  st = backend_run(&t);
  free(par.memory);
  cov_plan_free(plan);
  return st;
}

int64_t vecchia_parts(const vecchia *v) { return v->steps ? in_units(v->lines / v->steps, v->points_of_part) : 0; }

void vecchia_add(int64_t parts, int size, const double *sums, double *total) {
  for (int k = 0; k < size; k++) {
    exact_sum s = {0, 0};
    for (int64_t i = 0; i < parts; i++) exact_add(&s, sums[i * size + k]);
    total[k] = exact_total(s);
  }
}

/* Where sums of products from, ..., to - 1 stand among those of all. */
static void put_sums(int all, int slopes, int from, int to, const double *some, double *total) {
  const int width = to - from;
  const double *at = some + VECCHIA_GRAM;
  total[VECCHIA_LOG] = some[VECCHIA_LOG];
  memcpy(total + VECCHIA_GRAM + from, at, (size_t)width * sizeof *total);
  at += width;
  for (int s = 0; s < slopes; s++) {
    double *slope = total + VECCHIA_GRAM + all + s * (1 + all);
    slope[0] = *at++;
    memcpy(slope + 1 + from, at, (size_t)width * sizeof *total);
    at += width;
  }
  memcpy(total + VECCHIA_GRAM + all + slopes * (1 + all), at, (size_t)VECCHIA_PAIRS(slopes) * sizeof *total);
}

/* Those of products from, ..., to - 1. */
static status some_sums(const vecchia *v, const vecchia_model *m, int lower, int from, int to, double *parts,
                        int64_t *bad) {
  const int64_t points = v->lines / v->steps;
  const int all = VECCHIA_PAIRS(v->columns), slopes = m->model->n_wants - 1, size = vecchia_sums_size(v, m->model);
  double part[MAX_COLUMNS] = {0};
  sums s = {VECCHIA_SUMS(to - from, slopes), NULL};
  s.lines = malloc((size_t)(points * s.columns) * sizeof *s.lines);
  if (!s.lines) return fail(STATUS_MEMORY, "Vecchia's approximation: no memory for %lld sums", (long long)points);
  const status st = run_sums(v, m, lower, from, to, &s);
  for (int64_t i = 0; i < points && !st && *bad < 0; i++)
    if (isfinite(s.lines[i * s.columns]))
      *bad = v->turn[i * LINE * v->steps + (int64_t)s.lines[i * s.columns]];
  for (int64_t i = 0; i < vecchia_parts(v) && !st; i++) {
    const int64_t first = i * v->points_of_part;
    vecchia_add(at_most(points - first, v->points_of_part), s.columns, s.lines + first * s.columns, part);
    put_sums(all, slopes, from, to, part, parts + i * size);
  }
  free(s.lines);
  return st;
}

/* As many products at a time as a task has columns. */
status vecchia_part_sums(const vecchia *v, const vecchia_model *m, int attempt, double *parts, int64_t *bad) {
  const int slopes = m->model->n_wants - 1, all = VECCHIA_PAIRS(v->columns);
  const int most = (MAX_COLUMNS - 2 - slopes - VECCHIA_PAIRS(slopes)) / (1 + slopes);
  status st = STATUS_OK;
  if (most < 1) return fail(STATUS_INPUT, "Vecchia's approximation: %d derivatives are too many", slopes);
  if (attempt * MORE_OCTAVES > 60) return no_table();
  *bad = -1;
  memset(parts, 0, (size_t)(vecchia_parts(v) * vecchia_sums_size(v, m->model)) * sizeof *parts);
  for (int from = 0; from < all && !st && *bad < 0; from += most)
    st = some_sums(v, m, attempt * MORE_OCTAVES, from, from + most < all ? from + most : all, parts, bad);
  return st;
}

status vecchia_sums(const vecchia *v, const vecchia_model *m, double *total, int64_t *bad) {
  const int size = vecchia_sums_size(v, m->model);
  double *parts = malloc((size_t)(vecchia_parts(v) * size + 1) * sizeof *parts);
  if (!parts) return fail(STATUS_MEMORY, "Vecchia's approximation: no memory for sums");
  status st = STATUS_OK;
  int attempt = 0;
  do {
    st = vecchia_part_sums(v, m, attempt++, parts, bad);
    if (!st) vecchia_add(vecchia_parts(v), size, parts, total);
  } while (!st && isnan(total[VECCHIA_LOG]));
  free(parts);
  return st;
}

/* ---- some of the parts ---- */

/* Numbers of state: metric, then the rest of the problem, then half the sides. */
enum { STATE_KIND, STATE_DIM, STATE_TIME, STATE_RADIUS, STATE_ASKED, STATE_MEMBERS, STATE_OWN, STATE_COLUMNS,
       STATE_RECORD, STATE_STEPS, STATE_POINTS, STATE_EXPONENT, STATE_NEAREST, STATE_LAG, STATE_HALF };

static status no_part(void) { return fail(STATUS_MEMORY, "Vecchia's approximation: no memory for a part"); }

/* The number that the record of each member has among these, in the order of v; -1 for others. NULL: no memory. */
static int32_t *number_records(const vecchia *v, const int32_t *whole, int64_t n_whole, int64_t *count) {
  int32_t *number = malloc((size_t)(v->n + 1) * sizeof *number);
  *count = 0;
  if (!number) return NULL;
  for (int64_t i = 0; i < v->n; i++) number[i] = -1;
  for (int64_t i = 0; i < n_whole; i++)
    if (whole[i] >= 0) number[whole[i]] = 0;
  for (int64_t i = 0; i < v->n; i++)
    if (number[i] == 0) number[i] = (int32_t)(*count)++;
  return number;
}

status vecchia_cut(const vecchia *v, int64_t first, int64_t parts, vecchia_part *cut) {
  const int dim = v->space.metric.dim;
  const int64_t members = v->members, width = (int64_t)LINE * v->steps, from = first * v->points_of_part;
  const int64_t points = at_most((first + parts) * v->points_of_part, v->lines / v->steps) - from;
  const int32_t *whole = v->whole + from * width * members;
  int64_t count;
  cut->n_state = STATE_HALF + dim;
  cut->n_whole = points * width * members;
  cut->n_turn = at_most(v->asked - from * width, points * width);
  int32_t *number = number_records(v, whole, cut->n_whole, &count);
  if (!number) return no_part();
  cut->n_records = count * v->record;
  if (cut->state) {
    const cov_space *at = &v->space;
    const double state[] = {at->metric.kind, dim, at->metric.time, at->metric.radius, (double)cut->n_turn, v->members,
                            v->own, v->columns, v->record, v->steps, (double)v->points_of_part, at->exponent,
                            v->nearest, at->longest_lag};
    memcpy(cut->state, state, sizeof state);
    memcpy(cut->state + STATE_HALF, v->space.half, (size_t)dim * sizeof *v->space.half);
    memcpy(cut->turn, v->turn + from * width, (size_t)cut->n_turn * sizeof *cut->turn);
    for (int64_t i = 0; i < cut->n_whole; i++) cut->whole[i] = whole[i] < 0 ? -1 : number[whole[i]];
    for (int64_t i = 0; i < v->n; i++)
      if (number[i] >= 0)
        memcpy(cut->records + (int64_t)number[i] * v->record, v->memory + i * v->record,
               (size_t)v->record * sizeof *cut->records);
  }
  free(number);
  return STATUS_OK;
}

status vecchia_restore(const vecchia_part *cut, vecchia **made) {
  const double *s = cut->state;
  vecchia *v = *made = calloc(1, sizeof *v);
  if (!v) return no_part();
  v->space.metric = (cov_metric){.kind = (enum cov_metric_kind)s[STATE_KIND], .dim = (int)s[STATE_DIM],
                           .time = (int)s[STATE_TIME], .radius = s[STATE_RADIUS]};
  v->coords = cov_coordinates(&v->space.metric);
  v->asked = (int64_t)s[STATE_ASKED];
  v->members = (int)s[STATE_MEMBERS];
  v->own = (int)s[STATE_OWN];
  v->columns = (int)s[STATE_COLUMNS];
  v->record = (int)s[STATE_RECORD];
  v->steps = (int32_t)s[STATE_STEPS];
  v->points_of_part = (int64_t)s[STATE_POINTS];
  v->space.exponent = (int)s[STATE_EXPONENT];
  v->nearest = s[STATE_NEAREST];
  v->space.longest_lag = s[STATE_LAG];
  v->n = cut->n_records / v->record;
  v->lines = cut->n_whole / LINE / v->members;
  v->space.half = malloc((size_t)(v->space.metric.dim + 1) * sizeof *v->space.half);
  v->memory = malloc((size_t)(cut->n_records + 1) * sizeof *v->memory);
  v->whole = malloc((size_t)(cut->n_whole + 1) * sizeof *v->whole);
  v->turn = malloc((size_t)(cut->n_turn + 1) * sizeof *v->turn);
  if (!v->space.half || !v->memory || !v->whole || !v->turn) {
    vecchia_free(v);
    *made = NULL;
    return no_part();
  }
  memcpy(v->space.half, s + STATE_HALF, (size_t)v->space.metric.dim * sizeof *v->space.half);
  memcpy(v->memory, cut->records, (size_t)cut->n_records * sizeof *v->memory);
  memcpy(v->whole, cut->whole, (size_t)cut->n_whole * sizeof *v->whole);
  memcpy(v->turn, cut->turn, (size_t)cut->n_turn * sizeof *v->turn);
  v->block = backend_block((int32_t)cut->n_records, v->memory, (int32_t)cut->n_whole, v->whole);
  return STATUS_OK;
}

/* ---- results for locations ---- */

typedef struct {
  const vecchia *of;
  int columns;
  double *const *out;
  const int32_t *start, *from; /* NULL: rows as they are */
  double *weights;
} results;

static void take_results(void *to, int64_t first, int32_t n, const double *const *values) {
  const results *r = to;
  for (int32_t i = 0; i < n; i++) {
    const int64_t place = r->of->turn[first + i];
    for (int k = 0; k < r->columns; k++) r->out[k][place] = values[k][i];
  }
}

static void take_rows_in(void *to, int64_t first, int32_t n, const double *const *values) {
  const results *r = to;
  for (int32_t i = 0; i < n; i++) {
    const int64_t place = r->of->turn[first + i];
    r->out[0][place] = values[0][i];
    for (int32_t p = r->start[place]; p < r->start[place + 1]; p++) r->weights[p] = values[1 + r->from[p]][i];
  }
}

static status run_results(const vecchia *v, const vecchia_model *m, int lower, kernel_set kernel,
                          const results *to) {
  cov_plan *plan;
  cov_par par;
  status st = open_plan(v, m, lower, 1, &plan, &par);
  if (st) return st;
  const pipeline pipe = pipeline_of(v, m->model, kernel, par.par, to->columns);
  task t = {.pipe = &pipe, .n = v->asked, .run = v->asked, .grain = LINE, .piece = LINE, .par = par.par,
            .n_par = par.n, .kept = &v->block, .deliver = to->start ? take_rows_in : take_results,
            .deliver_to = (void *)(uintptr_t)to};
  st = backend_run(&t);
  free(par.memory);
  cov_plan_free(plan);
  return st;
}

static status run_locations(const vecchia *v, const vecchia_model *m, kernel_set kernel, const results *to) {
  status st = STATUS_OK;
  int gap = 1;
  for (int lower = 0; gap && !st; lower += MORE_OCTAVES) {
    st = lower > 60 ? no_table() : run_results(v, m, lower, kernel, to);
    gap = any_nan(v->asked, to->out[0]);
  }
  return st;
}

status vecchia_predict(const vecchia *v, const vecchia_model *m, double *const *out) {
  const kernel_set kernel = KERNELS_OF(predict);
  const results to = {.of = v, .columns = vecchia_columns(v, 0), .out = out};
  return run_locations(v, m, kernel, &to);
}

status vecchia_rows(const vecchia *v, const vecchia_model *m, double *const *out) {
  const kernel_set kernel = KERNELS_OF(rows);
  const results to = {.of = v, .columns = vecchia_columns(v, 1), .out = out};
  return run_locations(v, m, kernel, &to);
}

status vecchia_rows_in(const vecchia *v, const vecchia_model *m, const int32_t *start, const int32_t *from,
                       double *variance, double *weights) {
  const kernel_set kernel = KERNELS_OF(rows);
  const results to = {v, vecchia_columns(v, 1), &variance, start, from, weights};
  return run_locations(v, m, kernel, &to);
}

void vecchia_fill(int64_t n, int64_t first, int m, const int32_t *neighbours, const double *const *rows, int columns,
                  double *field) {
  for (int c = 0; c < columns; c++)
    for (int64_t i = first; i < n; i++) {
      const int32_t *near = neighbours + (i - first) * m;
      double *own = field + c * n;
      double sum = own[i] * sqrt(fmax(rows[0][i - first], 0)); /* 0 at a location whose value is known */
      for (int k = 0; k < m; k++)
        if (near[k] > 0) sum += rows[1 + k][i - first] * own[near[k] - 1];
      own[i] = sum;
    }
}
