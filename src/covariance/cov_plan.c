/* cov_plan.c: which of closed form, table and direct values serves each part of a model, and the numbers that kernels
 * want of it (inst/kernels/covariance/covariance_par.h). */
#include "covariance/cov_plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/matern_scaled.h"

/* Products of parts have no direct values, and their distances may be shorter than those met. Octaves of a table
 * begin at a multiple of ALIGNED. */
enum {
  ALIGNED = 4, MOST_OCTAVES = COV_MOST_OCTAVES - ALIGNED, LARGE_OCTAVE = 24, PRODUCT_OCTAVES = 60, LINE_NUMBERS = 8
};

static double scaled_distance(const cov_method *e, double r) {
  return e->divisor != 0 ? r / e->divisor * e->hi : r * e->hi;
}

static void find_scale(cov_method *e, const cov_part *part, int exponent) {
  const double range = ldexp(part->range, -exponent);
  const double square = part->scaling == SCALE_PLAIN ? 1 : (part->scaling == SCALE_SQRT_2NU ? 2 : 8) * part->shape;
  const double root = sqrt(square), root_lo = fma(-root, root, square) / (2 * root);
  e->hi = root / range;
  e->lo = (fma(-e->hi, range, root) + root_lo) / range;
  const double smallest = fmin(fmin(e->hi, range), root), largest = fmax(fmax(e->hi, range), root);
  if (!(smallest > 1e-280 && largest < 1e280)) e->divisor = range, e->hi = root, e->lo = 0;
}

/* Beyond, the derivative for the shape at a fixed distance is a small difference of those at a fixed x. */
static int shape_is_scaled(const cov_part *part) {
  return part->function == COV_MATERN && part->scaling != SCALE_PLAIN && part->shape >= MATERN_SCALED_LEAST;
}

/* Derivative of variance F: for the range or the shape, as factors of dF/dshape (or F) and -x F'(x). */
static void find_factors(const cov_part *part, enum cov_what what, double *factor, double *slope) {
  *factor = *slope = 0;
  if (what == COV_VALUE) *factor = part->variance;
  if (what == COV_VARIANCE) *factor = 1;
  if (what == COV_RANGE) *slope = fmin(part->variance / part->range, DBL_MAX); /* times 0 it is 0 */
  if (what == COV_MAP) *slope = -part->variance;
  if (what == COV_INTERACTION) *factor = part->variance;
  if (what == COV_SHAPE) {
    *factor = part->variance;
    /* at a fixed distance x moves as x/(2 nu) where it is scaled by sqrt(nu) */
    *slope = part->scaling == SCALE_PLAIN || shape_is_scaled(part) ? 0 : -part->variance / (2 * part->shape);
  }
}

/* Bits NEED_ of part k. */
static int needs_of(const cov_model *m, int k) {
  int needs = m->part[k].role ? NEED_VALUE : 0;
  for (int i = 0; i < m->n_wants; i++) {
    const cov_want *w = m->want + i;
    if (k > 0 && m->part[k - 1].role && w->part == k - 1) needs |= NEED_VALUE | NEED_SLOPE;
    if (w->part >= 0 && w->part != k) continue;
    if (w->what == COV_VALUE || w->what == COV_VARIANCE) needs |= NEED_VALUE;
    if (w->what == COV_RANGE || w->what == COV_MAP) needs |= NEED_SLOPE;
    if (w->what == COV_SHAPE) {
      const int moves = m->part[k].scaling != SCALE_PLAIN && !shape_is_scaled(m->part + k);
      const int has_log = m->part[k].function == COV_WENDLAND; /* see WEIGHT_POWER */
      needs |= NEED_SHAPE | (moves ? NEED_SLOPE : 0) | (has_log ? NEED_VALUE : 0);
    }
  }
  return needs;
}

/* Half-integers nu = n + 1/2: M = exp(-x) Sum c_k x^k, c_k = n! 2^k (2n - k)!/((2n)! k! (n - k)!), every term
 * positive (DLMF 10.49.12); -x dM/dx = x^2/(2 nu - 2) times M of nu - 1. c: coefficients, whose number is the value.
 * Products are kept as sums of two, since up to 20 of them follow each other. */
static int matern_form(int n, int slope, double *c) {
  int shift = 0;
  double hi = 1, lo = 0;
  if (slope) {
    shift = n ? 2 : 1;
    c[0] = c[1] = 0;
    if (n--) hi = 1.0 / (2 * n + 1), lo = fma(-hi, 2 * n + 1, 1) / (2 * n + 1);
    else n = 0;
  }
  for (int k = 0; k <= n; k++) {
    const double times = 2.0 * (n - k), over = (k + 1.0) * (2 * n - k), p = hi * times;
    c[shift + k] = hi + lo;
    if (k == n) break;
    lo = fma(hi, times, -p) + lo * times;
    hi = p / over;
    lo = (fma(-hi, over, p) + lo) / over;
  }
  return shift + n + 1;
}

/* F = (1 - x)^power P(x) and -x F'(x) = (1 - x)^(power - 1) Q(x): coefficients of P and Q */
static void compact_form(cov_method *e, int power, int terms, const double *p, int slope_terms, const double *q) {
  e->function = FUNCTION_COMPACT;
  e->power = power;
  e->terms = terms;
  e->slope_terms = slope_terms;
  memcpy(e->form, p, (size_t)terms * sizeof *p);
  memcpy(e->form + terms, q, (size_t)slope_terms * sizeof *q);
}

/* FUNCTION_TABLE where there is no closed form. */
static void find_function(cov_method *e, const cov_part *part, enum cov_route route) {
  static const double spherical[] = {1, 0.5}, spherical_slope[] = {0, 1.5, 1.5};
  static const double cubic[] = {1, 4, 3, 0.75}, cubic_slope[] = {0, 0, 14, 15.75, 5.25};
  static const double penta[] = {1, 1.125, 0.375}, penta_slope[] = {0, 1.875, 3.75, 1.875};
  const int n = (int)fmin(part->shape, 100);
  e->at_zero = 1;
  if (part->role == COV_GNEITING) {
    e->function = FUNCTION_GNEITING;
    return;
  }
  switch (part->function) {
  case COV_SPHERICAL: compact_form(e, 2, 2, spherical, 3, spherical_slope); return;
  case COV_CUBIC: compact_form(e, 4, 4, cubic, 5, cubic_slope); return;
  case COV_PENTA: compact_form(e, 3, 3, penta, 4, penta_slope); return;
#define CLOSED_LINE(of, name)                                                                                \
  case COV_##of: e->function = FUNCTION_##of; return;
    CLOSED_FORMS(CLOSED_LINE)
#undef CLOSED_LINE
  default: break;
  }
  e->function = FUNCTION_TABLE;
  e->at_zero = part->source.at_zero;
  if (part->function != COV_MATERN || n + 0.5 != part->shape || n > MOST_FORM || (e->needs & NEED_SHAPE) ||
      route != COV_BY_SIZE)
    return;
  e->function = FUNCTION_FORM;
  e->terms = matern_form(n, 0, e->form);
  e->slope_terms = matern_form(n, 1, e->form + e->terms);
}

/* Do numbers of this size, and their products, stay far from the ends of single precision? 0 and Inf have no size. */
static int fits_single(double v) { return v == 0 || isinf(v) || (fabs(v) > 1e-30 && fabs(v) < 1e30); }

static int serves_single(const cov_part *part, const cov_method *e) {
  const int known = e->function == FUNCTION_TABLE || e->function == FUNCTION_FORM ||
                    e->function == FUNCTION_GAUSSIAN || e->function == FUNCTION_COMPACT;
  return known && e->divisor == 0 && fits_single(part->variance) && fits_single(part->variance / part->range) &&
         fits_single(e->hi) && fits_single(e->low) && fits_single(e->high) && fits_single(e->low * e->hi) &&
         fits_single(e->high * e->hi);
}

static int octave_of(double x) { return x > 0 ? (x < 1e300 ? ilogb(x) : 1000) : -1000; }

/* Octaves of x from low to high. */
static void find_octaves(const cov_source *s, double x_low, double x_high, int *low, int *high) {
  const double end = fmin(s->most, s->farthest);
  const double farthest = x_high * (1 + 1e-9); /* the kernel's x has the other half of the scale, too */
  *high = farthest < end ? octave_of(farthest) + 1 : octave_of(end);
  *low = octave_of(x_low);
  if (*high > *low + MOST_OCTAVES && *high > LARGE_OCTAVE) /* a single outlier shall not take the table with it */
    *high = *low + MOST_OCTAVES > LARGE_OCTAVE ? *low + MOST_OCTAVES : LARGE_OCTAVE;
  if (*low > *high - 1) *low = *high - 1;
  if (*low < *high - MOST_OCTAVES) *low = *high - MOST_OCTAVES;
  if (*low < -1000) *low = -1000;
  *low -= (*low % ALIGNED + ALIGNED) % ALIGNED; /* ranges of like data are the same */
  if (*high <= *low) *high = *low + 1; /* all are below: what is next to the table may serve them */
}

/* The columns of a part's table: what the task needs, or all that tasks of its model may. */
static int columns_of(const cov_plan *p, int k) {
  const cov_part *part = p->model->part + k;
  const int all = p->space && p->space->tables_serve_all && part->function == COV_MATERN && !shape_is_scaled(part);
  return all ? NEED_VALUE | NEED_SLOPE | NEED_SHAPE : p->method[k].needs;
}

/* Tables of all parts that want one; p->direct where one has none. */
static status find_tables(cov_plan *p, enum cov_route route, double work) {
  const cov_model *m = p->model;
  status st = STATUS_OK;
  p->direct = 0;
  for (int k = 0; k < m->n_parts && !st; k++) {
    cov_method *e = p->method + k;
    const cov_source *s = &m->part[k].source;
    int first, last;
    if (e->function != FUNCTION_TABLE) continue;
    cov_table_release(e->table);
    e->table = NULL;
    find_octaves(s, scaled_distance(e, e->low), scaled_distance(e, e->high), &first, &last);
    if (shape_is_scaled(m->part + k) && (e->needs & NEED_SHAPE)) {
      p->direct = 1;
      continue;
    }
    const int pays = p->single || work >= (double)cov_table_cost(s, e->needs, first, last);
    if (route == COV_BY_TABLE || (route == COV_BY_SIZE && pays))
      st = cov_table_find(s, columns_of(p, k), p->single, first, last, &e->table);
    if (!e->table) p->direct = 1;
  }
  return st;
}

static void lay_out_table(double *part, const cov_table *t, const cov_source *s) {
  part[TABLE_OCTAVES] = t->high - t->low;
  part[TABLE_FIRST] = (t->single ? 127 : 1023) + t->low;
  memcpy(part + TABLE_ZONES, t->zones, sizeof t->zones);
  part[TABLE_COLUMNS] = t->columns;
  part[TABLE_WEIGHT] = s->divided ? WEIGHT_NONE : s->weight;
  part[TABLE_POWER] = s->power;
  part[TABLE_LOW] = ldexp(1, t->low);
  part[TABLE_HIGH] = ldexp(1, t->high);
  part[TABLE_BELOW] = t->below;
  part[TABLE_ABOVE] = s->divided ? NAN : t->above; /* what falls to 0 does not without its weight */
}

/* ---- tables with cells alike ---- */

status cov_alike_make(int n, const cov_part *part, int shapes, double nearest, double farthest, cov_alike *a) {
  const cov_table **t = calloc((size_t)n, sizeof *t);
  double low = INFINITY, high = 0;
  int first, last;
  status st = STATUS_OK;
  memset(a, 0, sizeof *a);
  a->of = calloc((size_t)n, sizeof *a->of);
  if (!t || !a->of) st = fail(STATUS_MEMORY, "covariances: no memory for %d tables", n);
  a->made = !st;
  for (int k = 0; k < n && a->made; k++) {
    cov_method e = {0};
    cov_alike_part *own = a->of + k;
    find_scale(&e, part + k, 0);
    a->made = part[k].function == COV_MATERN && e.divisor == 0 && !(shapes && shape_is_scaled(part + k));
    own->hi = e.hi;
    own->lo = e.lo;
    double none;
    find_factors(part + k, COV_VALUE, &own->value, &none);
    find_factors(part + k, COV_RANGE, &none, &own->range);
    find_factors(part + k, COV_SHAPE, &own->shape, &own->shape_slope);
    low = fmin(low, scaled_distance(&e, nearest));
    high = fmax(high, scaled_distance(&e, farthest));
  }
  if (a->made) find_octaves(&part->source, low, high, &first, &last);
  for (int k = 0; k < n && a->made && !st; k++) {
    const int columns = NEED_VALUE | NEED_SLOPE | (shapes ? NEED_SHAPE : 0);
    st = cov_table_find(&part[k].source, columns, 0, first, last, t + k);
    a->made = !st && t[k];
  }
  if (a->made) a->made = cov_tables_alike(n, t, &a->table);
  if (a->made) lay_out_table(a->part, &a->table, &part->source);
  for (int k = 0; k < n && t; k++) cov_table_release(t[k]);
  free(t);
  return st;
}

void cov_alike_free(cov_alike *a) { free(a->table.coefficients), free(a->of); }

int cov_has_products(const cov_model *m) {
  int any = 0;
  for (int k = 0; k < m->n_parts; k++) any |= m->part[k].role != COV_IN_SPACE;
  return any;
}

status cov_no_table(void) {
  return fail(STATUS_INPUT, "no table serves a part of the space-time model with these parameters and locations");
}

static status find_methods(cov_plan *p, enum cov_route route, double work) {
  const call_part whole = backend_part();
  const cov_model *m = p->model;
  const int products = cov_has_products(m), exponent = p->space ? p->space->exponent : 0;
  const enum cov_route tables = products ? COV_BY_TABLE : route;
  for (int k = 0; k < m->n_parts; k++) {
    cov_method *e = p->method + k;
    e->needs = needs_of(m, k);
    find_scale(e, m->part + k, m->part[k].role ? 0 : exponent);
    find_function(e, m->part + k, route);
    p->single &= serves_single(m->part + k, e);
  }
  backend_set_part(whole, NAN, NAN); /* tables may take long, or nothing if they are kept */
  status st = find_tables(p, tables, work);
  if (!st && products && p->direct && !p->single) st = cov_no_table();
  if (!st && p->direct && m->single && route == COV_DIRECTLY)
    st = fail(STATUS_DEVICE, "covariances have no single precision without tables or closed forms");
  if (!st && p->direct && p->single) {
    p->single = 0;
    st = find_tables(p, tables, work);
    if (!st && products && p->direct) st = cov_no_table();
  }
  backend_set_part(whole, 0, 1);
  return st;
}

static cov_plan *begin_plan(const cov_model *m, const cov_space *s) {
  cov_plan *p = calloc(1, sizeof *p + (size_t)m->n_parts * sizeof *p->method);
  if (!p) return NULL;
  p->model = m;
  p->space = s;
  p->single = m->single;
  return p;
}

static status end_plan(cov_plan *p, enum cov_route route, double work, cov_plan **made) {
  *made = p;
  if (!p) return fail(STATUS_MEMORY, "covariances: no memory for a plan");
  const status st = find_methods(p, route, work);
  if (p->model->single && !p->single) backend_force_cpu(1);
  if (!st) return STATUS_OK;
  cov_plan_free(p);
  *made = NULL;
  return st;
}

status cov_plan_make_given(const cov_model *m, enum cov_route route, double work, double low, double high,
                           cov_plan **made) {
  cov_plan *p = begin_plan(m, NULL);
  for (int k = 0; k < m->n_parts && p; k++) p->method[k].low = low, p->method[k].high = high;
  return end_plan(p, route, work, made);
}

status cov_plan_make(const cov_model *m, const cov_space *s, double work, double nearest, int octaves, int lower,
                     cov_plan **made) {
  cov_plan *p = begin_plan(m, s);
  const double least = cov_has_products(m) ? 0 : ldexp(nearest, -s->exponent);
  for (int k = 0; k < m->n_parts && p; k++) {
    cov_method *e = p->method + k;
    e->high = m->part[k].role ? s->longest_lag : cov_farthest(s, m->part[k].map);
    e->low = least > 0 ? least : ldexp(e->high, -(cov_has_products(m) ? PRODUCT_OCTAVES : octaves));
    e->low = ldexp(e->low, -lower);
  }
  return end_plan(p, s->route, work, made);
}

void cov_plan_free(cov_plan *p) {
  if (!p) return;
  for (int k = 0; k < p->model->n_parts; k++) cov_table_release(p->method[k].table);
  if (p->model->single && !p->single) backend_force_cpu(-1);
  free(p);
}

int cov_plan_is_direct(const cov_plan *p) { return p->direct; }

static int64_t in_lines(int64_t n) { return (n + LINE_NUMBERS - 1) / LINE_NUMBERS * LINE_NUMBERS; }

static int64_t form_size(const cov_method *e) { return in_lines(e->terms + e->slope_terms); }

static int64_t table_numbers(const cov_method *e) {
  return e->table ? e->table->cells * cov_cell_numbers(e->table) : 0;
}

/* All but the coefficients of a table. */
static int64_t lay_out_method(double *par, double *part, int64_t at, const cov_method *e, const cov_part *model) {
  const cov_table *t = e->table;
  part[PART_SHAPE] = model->shape;
  part[FORM_AT] = (double)at;
  part[FORM_TERMS] = e->terms;
  part[FORM_SLOPE_TERMS] = e->slope_terms;
  part[FORM_POWER] = e->power;
  memcpy(par + at, e->form, (size_t)(e->terms + e->slope_terms) * sizeof *par);
  at += form_size(e);
  if (!t) return at;
  lay_out_table(part, t, &model->source);
  return at;
}

/* What is before them, where they come last, is little, and may be moved. */
static void lay_out_tables(const cov_plan *p, double *par, int64_t at) {
  par[COV_NEAR] = (double)at;
  for (int k = 0; k < (int)par[COV_PARTS]; k++) {
    const cov_method *e = p->method + k;
    double *part = par + COV_HEAD + k * PART_SIZE;
    if ((int)part[PART_FUNCTION] != FUNCTION_TABLE || !e->table) continue;
    part[TABLE_CELLS_AT] = (double)at;
    memcpy(par + at, e->table->coefficients, (size_t)table_numbers(e) * sizeof *par);
    at += in_lines(table_numbers(e));
  }
}

static int is_of(const cov_want *w, int k) { return w->part < 0 || w->part == k; }

/* Maps are of differences on a plane. */
static void lay_out_metric(const cov_space *s, double *par) {
  const cov_metric *metric = &s->metric;
  par[SPACE_DIM] = metric->dim;
  par[SPACE_DIAMETER] = metric->kind == METRIC_EUCLIDEAN ? 0 : 2 * metric->radius;
  par[SPACE_CHORD] = metric->kind == METRIC_CHORDAL;
  par[SPACE_TIME] = metric->time ? cov_coordinates(metric) - 1 : 0;
}

status cov_plan_par(const cov_plan *p, int64_t more, int64_t *at, cov_par *to) {
  return cov_lay_out(p, ALL_PARTS, more, at, to);
}

/* What is wanted of part k, from position at on, behind it the maps of these; the position after all. */
static int64_t lay_out_wants(const cov_model *m, int k, int which, int64_t map_size, double *par, double *part,
                             int64_t at) {
  static const int kernel_words[] = {WANT_VALUE, WANT_OWN,     WANT_SLOPE,          WANT_SHAPE,
                                     WANT_MAP,   WANT_NOTHING, WANT_LAG_INTERACTION};
  const cov_part *of = m->part + k;
  int64_t after = at + in_lines((int64_t)m->n_wants * WANT_SIZE);
  part[PART_WANTS_AT] = (double)at;
  for (int i = 0; i < m->n_wants; i++) {
    const cov_want *w = m->want + i;
    double *want = par + at + (int64_t)part[PART_WANTS] * WANT_SIZE, factor, slope;
    if (!is_of(w, k) || (which >= 0 && w->what != COV_MAP) || (of->role && w->part < 0)) continue;
    find_factors(of, w->what, &factor, &slope);
    want[WANT_WHAT] = kernel_words[w->what == COV_VALUE && w->part >= 0 ? COV_VARIANCE : w->what];
    if (of->role == COV_GNEITING && w->what == COV_RANGE) want[WANT_WHAT] = WANT_LAG_RANGE;
    if (of->role == COV_GNEITING && w->what == COV_SHAPE) want[WANT_WHAT] = WANT_LAG_SHAPE;
    want[WANT_COLUMN] = which >= 0 ? i + 1 : i;
    want[WANT_FACTOR] = factor != 0 ? factor : slope;
    want[WANT_OTHER] = w->what == COV_INTERACTION ? of->dim / 2.0 : slope;
    part[PART_WANTS]++;
    if (w->what != COV_MAP) continue;
    want[WANT_OTHER] = (double)after;
    memcpy(par + after, w->map, (size_t)map_size * sizeof *par);
    after += in_lines(map_size);
  }
  return after;
}

/* Tables come last; but where the tasks of a model share them, they come first, behind what the caller puts, for
 * what is the same at the same place is not sent to a device again. */
status cov_lay_out(const cov_plan *p, int which, int64_t more, int64_t *at, cov_par *to) {
  const cov_model *m = p->model;
  const int dim = p->space && p->space->metric.kind == METRIC_EUCLIDEAN ? p->space->metric.dim : 0;
  const int shared = p->space && p->space->tables_serve_all;
  const int64_t map_size = (int64_t)dim * dim;
  const int64_t tables_at = COV_HEAD + in_lines((int64_t)m->n_parts * PART_SIZE) + in_lines(more);
  int64_t next = tables_at, n = 0;
  *at = tables_at - in_lines(more);
  for (int k = 0; k < m->n_parts; k++) n += in_lines(table_numbers(p->method + k));
  if (shared) next += n;
  n += tables_at;
  for (int k = 0; k < m->n_parts; k++) n += form_size(p->method + k);
  n += (2 * LINE_NUMBERS + map_size) * m->n_parts;
  n += in_lines((int64_t)m->n_wants * m->n_parts * WANT_SIZE) + (map_size + LINE_NUMBERS) * m->n_wants;
  memset(to, 0, sizeof *to);
  if (n > INT32_MAX) return fail(STATUS_INPUT, "covariances: %lld numbers are too many", (long long)n);
  to->memory = calloc((size_t)n + LINE_NUMBERS, sizeof *to->memory);
  if (!to->memory) return fail(STATUS_MEMORY, "covariances: no memory for %lld numbers", (long long)n);
  to->par = to->memory +
            (LINE_NUMBERS - (uintptr_t)to->memory / sizeof(double) % LINE_NUMBERS) % LINE_NUMBERS;
  to->n = (int32_t)n;
  double *par = to->par;
  int parts = 0;
  if (p->space) lay_out_metric(p->space, par);
  for (int k = 0; k < m->n_parts; k++) {
    const cov_method *e = p->method + k;
    const cov_part *of = m->part + k;
    if (which >= 0 ? k != which : which == CLOSED_PARTS && e->function == FUNCTION_TABLE) continue;
    double *part = par + COV_HEAD + parts++ * PART_SIZE;
    part[PART_FUNCTION] = which >= 0 ? FUNCTION_DISTANCE : e->function;
    part[PART_AT_ZERO] = e->at_zero;
    part[PART_SCALE] = e->hi;
    part[PART_SCALE_LO] = e->lo;
    part[PART_DIVISOR] = e->divisor;
    part[PART_NEEDS] = e->needs;
    part[PART_ROLE] = of->role;
    part[PART_SHRINK] = of->shrink;
    part[PART_POWER] = of->power;
    if (which < 0) next = lay_out_method(par, part, next, e, of);
    if (of->map && map_size) {
      part[PART_MAP] = (double)next;
      memcpy(par + next, of->map, (size_t)map_size * sizeof *par);
      next += in_lines(map_size);
    }
    next = lay_out_wants(m, k, which, map_size, par, part, next);
  }
  par[COV_PARTS] = parts;
  if (m->n_wants > 0 && m->n_parts == 1) {
    const double *want = par + (int64_t)par[COV_HEAD + PART_WANTS_AT];
    par[ONE_FACTOR] = want[WANT_FACTOR];
    par[ONE_SLOPE] = want[WANT_WHAT] == WANT_SLOPE;
  }
  lay_out_tables(p, par, shared ? tables_at : next);
  return STATUS_OK;
}

int cov_slopes_need(const cov_model *m) {
  int needs = 0;
  if (m->n_parts > 1 || m->part->role) return -1;
  for (int k = 1; k < m->n_wants; k++) {
    const enum cov_what what = m->want[k].what;
    double factor, slope;
    if (what == COV_MAP) return -1;
    find_factors(m->part, what, &factor, &slope);
    if (what == COV_VARIANCE) needs |= NEED_VALUE;
    if (what == COV_SHAPE) needs |= NEED_SHAPE;
    if (slope != 0) needs |= NEED_SLOPE;
  }
  return needs;
}

int cov_wants_one(const cov_plan *p) {
  const cov_model *m = p->model;
  const int needs = p->method[0].needs;
  return m->n_parts == 1 && m->n_wants == 1 && m->want->what != COV_MAP && m->want->what != COV_NOTHING &&
         (needs == NEED_VALUE || needs == NEED_SLOPE);
}

int cov_is_closed(const cov_plan *p, const cov_want *w) {
  int closed = 0;
  for (int k = 0; k < p->model->n_parts; k++) closed |= is_of(w, k) && p->method[k].function != FUNCTION_TABLE;
  return closed;
}

status cov_add_directly(const cov_plan *p, int k, int64_t n, const double *x, double *const *share,
                        double *const *out) {
  const cov_model *m = p->model;
  const cov_source *s = &m->part[k].source;
  double *v = malloc((size_t)(n ? n : 1) * sizeof *v);
  status st = v ? STATUS_OK : fail(STATUS_MEMORY, "covariances: no memory for %lld values", (long long)n);
  for (int need = NEED_VALUE; need <= NEED_SHAPE && !st; need *= 2) {
    if (!(p->method[k].needs & need) || !n) continue;
    if (need == NEED_SHAPE && shape_is_scaled(m->part + k)) matern_scaled_shape(m->part[k].shape, n, x, v);
    else st = s->values(s, need, s->divided, n, x, v);
    for (int j = 0; j < m->n_wants && !st; j++) {
      const cov_want *w = m->want + j;
      double factor, slope;
      if (!is_of(w, k)) continue;
      find_factors(m->part + k, w->what, &factor, &slope);
      if (need == (w->what == COV_SHAPE ? NEED_SHAPE : NEED_VALUE) && factor != 0)
        for (int64_t i = 0; i < n; i++)
          out[j][i] += factor * (x[i] == 0 ? (need == NEED_VALUE ? s->at_zero : 0) : v[i]);
      if (need != NEED_SLOPE || (w->what != COV_RANGE && w->what != COV_MAP && slope == 0)) continue;
      for (int64_t i = 0; i < n; i++) {
        const double times = w->what == COV_MAP ? share[j][i] : slope;
        out[j][i] += times * (x[i] == 0 ? 0 : v[i]);
      }
    }
  }
  free(v);
  return st;
}
