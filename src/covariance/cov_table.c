/* cov_table.c: tables of F(x), -x F'(x) and dF/dshape: piecewise polynomials, a power of 2 of cells in each octave.
 *
 * A cell takes direct values at NODES Chebyshev points, keeps CELL_TERMS terms of their Chebyshev sum (more nodes
 * than terms: the values' noise is averaged), and is compared with direct values at CHECKS further points. The cells
 * of an octave are halved until the terms left out and the differences at the checks are within the noise, or no
 * longer fall with it. Functions that are no Matern functions are slow, and their values come from cov_panels.h. */
#include "covariance/cov_table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/cov_panels.h"
#include "engine/backend.h"
#include "engine/devices.h"
#include "engine/interpolation.h"
#include "kernels/covariance/covariance_par.h"

enum { TERMS = CELL_TERMS_DOUBLE, NODES = 12, CHECKS = 4, SAMPLES = NODES + CHECKS, COLUMNS = 3 };
enum { FIRST_BITS = 1, MOST_BITS = 13, MOST_OCTAVES = COV_MOST_OCTAVES };
/* Values below it are 0 in single precision: they would be denormal. */
static const double least_single = 1e-39;

static cov_table *kept[TABLES_KEPT];
static kept_tables keys;

int cov_cell_numbers(const cov_table *t) {
  const int columns = !!(t->columns & NEED_VALUE) + !!(t->columns & NEED_SLOPE) + !!(t->columns & NEED_SHAPE);
  return columns * (t->single ? CELL_TERMS_SINGLE : CELL_TERMS_DOUBLE);
}

/* What need not be mended, in DBL_EPSILON: little beside the rounding of single precision, or what direct values may
 * be wrong by, of which derivatives lose more. */
static double noise_of(const cov_table *t, int need) {
  if (t->single) return (double)FLT_EPSILON / (16 * DBL_EPSILON);
  return need == NEED_VALUE ? 8 : 32;
}

/* What all cells share: samples in a cell's own variable from -1 to 1, Chebyshev nodes first, rounded to so few bits
 * that x is exact; T_k at the nodes of the exact rule and at the rounded ones; powers of half the variable in T_k. */
typedef struct {
  chebyshev_rule exact;
  double sample[SAMPLES], rounded[NODES][MOST_NODES], power[TERMS][TERMS];
} basis;

static basis *cell_basis(void) {
  static const double between[CHECKS] = {-1, -0.625, 0.25, 0.875};
  static basis b;
  if (b.sample[0] != 0) return &b;
  chebyshev_prepare(&b.exact, NODES);
  chebyshev_rounded(NODES, b.sample, b.rounded);
  memcpy(b.sample + NODES, between, sizeof between);
  b.power[0][0] = b.power[1][1] = 1;
  for (int k = 2; k < TERMS; k++)
    for (int i = 0; i <= k; i++) b.power[k][i] = (i ? 2 * b.power[k - 1][i - 1] : 0) - b.power[k - 2][i];
  for (int k = 0; k < TERMS; k++)
    for (int i = 0; i <= k; i++) b.power[k][i] = ldexp(b.power[k][i], i);
  return &b;
}

static double polynomial(const double *a, int terms, double u) {
  double p = a[terms - 1];
  for (int k = terms - 2; k >= 0; k--) p = p * u + a[k];
  return p;
}

/* One octave while it is made: cells halved so often, their coefficients, the error before the last halving. */
typedef struct {
  int bits, done;
  double before, *coefficients;
} octave;

static double cell_point(const basis *b, int exponent, int bits, int64_t cell, int j) {
  const double middle = 1 + ldexp((double)cell + 0.5, -bits);
  return ldexp(middle + ldexp(b->sample[j], -bits - 1), exponent);
}

/* Fits a column of a cell; the value is its error relative to scale in DBL_EPSILON: at the checks, or of the terms
 * left out. */
static double fit_cell(basis *b, int terms, const double *given, double scale, double *to) {
  const int lift = fabs(scale) < 1e-250 ? 200 : 0; /* coefficients are judged before they become denormal */
  double c[NODES], v[SAMPLES], worst = 0;
  for (int j = 0; j < SAMPLES; j++) v[j] = ldexp(given[j], lift);
  chebyshev_terms(&b->exact, b->rounded, v, c);
  for (int i = 0; i < terms; i++) {
    to[i] = 0;
    for (int k = terms - 1; k >= i; k--) to[i] += c[k] * b->power[k][i];
  }
  scale = ldexp(scale, lift);
  const double least = ldexp(1, lift - 1070); /* what denormal values may be wrong by */
  for (int j = NODES; j < SAMPLES; j++) {
    const double error = fabs(polynomial(to, terms, b->sample[j] / 2) - v[j]);
    if (!(error <= worst)) worst = error;
  }
  const double left_out = 2 * (fabs(c[terms]) + fabs(c[terms + 1]));
  if (!(left_out <= worst)) worst = left_out;
  for (int i = 0; i < terms; i++) to[i] = ldexp(to[i], -lift);
  return worst <= least ? 0 : worst / (scale * DBL_EPSILON);
}

/* What the errors of a cell from x on are relative to, where the function is v in its middle */
static double scale_of(const cov_source *s, int need, double x, double v) {
  if (need != NEED_SHAPE || s->unit == 0) return s->relative ? fabs(v) : 1;
  return s->weight == WEIGHT_POWER ? s->unit * fmin(pow(1 - x, -s->power), 1e250) : s->unit;
}

/* The columns of an octave from their values, one after the other; its worst error over the noise. */
static double fit_octave(const cov_source *s, cov_table *t, octave *o, int need, int column, const double *x,
                         const double *v) {
  basis *b = cell_basis();
  const int terms = t->single ? CELL_TERMS_SINGLE : CELL_TERMS_DOUBLE, apart = cov_cell_numbers(t);
  double worst = 0;
  for (int64_t cell = 0; cell < (int64_t)1 << o->bits; cell++) {
    const int64_t at = cell * SAMPLES + NODES / 2, first = cell * SAMPLES + NODES; /* middle, and lowest x */
    const double scale = scale_of(s, need, x[first], v[at]);
    double *to = o->coefficients + cell * apart + column * terms;
    if (t->single && s->relative && fabs(v[first]) * exp(-x[first]) < least_single) {
      memset(to, 0, (size_t)terms * sizeof *to);
      continue;
    }
    double error = isfinite(scale) ? fit_cell(b, terms, v + cell * SAMPLES, scale, to) : INFINITY;
    for (int k = 0; k < terms && t->single; k++)
      if (!(fabs(to[k]) < (double)FLT_MAX)) error = INFINITY;
    if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
  }
  t->error = fmax(t->error, o->done ? 0 : worst);
  return worst / noise_of(t, need);
}

/* All octaves that are not done, with twice as many cells as before. panels: for each column, or NULL. */
static status next_round(const cov_source *s, cov_table *t, cov_panels *const *panels, octave *o, int *open) {
  const basis *b = cell_basis();
  const int octaves = t->high - t->low, numbers = cov_cell_numbers(t);
  int64_t n = 0, k = 0, cells = 0;
  int column = 0;
  for (int i = 0; i < octaves; i++) n += o[i].done ? 0 : (int64_t)SAMPLES << o[i].bits;
  double *x = malloc((size_t)n * 2 * sizeof *x), *v = x + n;
  double *worst = calloc((size_t)octaves, sizeof *worst);
  status st = x && worst ? STATUS_OK : fail(STATUS_MEMORY, "covariances: no memory for a table");
  for (int i = 0; i < octaves && !st; i++) {
    if (o[i].done) continue;
    double *larger = realloc(o[i].coefficients, ((size_t)numbers << o[i].bits) * sizeof *larger);
    if (!larger) st = fail(STATUS_MEMORY, "covariances: no memory for a table");
    else o[i].coefficients = larger;
    for (int64_t j = 0; j < (int64_t)SAMPLES << o[i].bits && !st; j++)
      x[k++] = cell_point(b, t->low + i, o[i].bits, j / SAMPLES, (int)(j % SAMPLES));
  }
  t->error = 0;
  for (int need = NEED_VALUE; need <= NEED_SHAPE && !st; need *= 2) {
    if (!(t->columns & need)) continue;
    st = panels[column] ? cov_panels_values(panels[column], n, x, v) : s->values(s, need, 1, n, x, v);
    k = 0;
    for (int i = 0; i < octaves && !st; i++) {
      if (o[i].done) continue;
      worst[i] = fmax(worst[i], fit_octave(s, t, o + i, need, column, x + k, v + k));
      k += (int64_t)SAMPLES << o[i].bits;
    }
    column++;
  }
  *open = 0;
  for (int i = 0; i < octaves && !st; i++) {
    cells += (int64_t)1 << o[i].bits;
    if (o[i].done) continue;
    const double error = worst[i];
    /* noise that more cells do not mend */
    o[i].done = error <= 1 || (error > o[i].before / 4 && error <= 10);
    o[i].before = error;
    if (o[i].done) continue;
    o[i].bits++;
    cells += (int64_t)1 << (o[i].bits - 1);
    *open = o[i].bits > MOST_BITS || !isfinite(error) ? -1 : *open < 0 ? -1 : *open + 1;
  }
  if (*open > 0 && cells > s->cells) *open = -1;
  free(x);
  free(worst);
  return st;
}

/* F rounds to F(0) up to 2^k. Where the source is relative: F(0) - F = Int -x F' dx/x, and it is known how that
 * grows; with other functions F itself is asked. */
static status find_flat_end(const cov_source *s, cov_table *t) {
  const int n = t->high < 0 ? t->high - t->low : -t->low; /* far out -x M' is small again */
  if (n <= 0) return STATUS_OK;
  double *x = malloc((size_t)n * 2 * sizeof *x), *v = x + n;
  if (!x) return fail(STATUS_MEMORY, "covariances: no memory for a table");
  const double unit = t->single ? (double)FLT_EPSILON : DBL_EPSILON;
  const double least = s->relative ? 0.25 * unit * fmin(s->order, 1) : 2 * unit;
  for (int i = 0; i < n; i++) x[i] = ldexp(1, t->low + i);
  status st = STATUS_OK;
  int flat = 0;
  /* values that may be slow one at first, then twice as many each time: often none is flat */
  for (int known = 0; known < n && known == flat && !st;) {
    const int more = known ? known : 1, count = s->relative || more > n - known ? n - known : more;
    st = s->values(s, s->relative ? NEED_SLOPE : NEED_VALUE, 0, count, x + known, v + known);
    for (known += count; flat < known && !st; flat++)
      if (!((s->relative ? v[flat] : fabs(v[flat] - s->at_zero)) <= least)) break;
  }
  if (!st && flat > 0) {
    t->low += flat - 1;
    t->below = s->at_zero;
  }
  free(x);
  return st;
}

/* Matern functions fall to 0 beyond x = 1 and the larger of nu: where one is 0, it stays so. */
static status find_far_value(const cov_source *s, cov_table *t) {
  const double x = ldexp(1, t->high);
  double largest = 0;
  status st = STATUS_OK;
  for (int need = NEED_VALUE; need <= NEED_SHAPE && !st && x < s->most; need *= 2) {
    double value = 1;
    if (!(t->columns & need)) continue;
    if (s->relative && x > 1 && x > s->order) st = s->values(s, need, 0, 1, &x, &value);
    largest = fmax(largest, value);
  }
  t->above = largest <= (t->single ? least_single : 0) ? 0 : NAN;
  return st;
}

/* A polynomial of the position in a cell, -1/2 to 1/2, as those of its two halves; to may begin where it stands. */
static void halve(int terms, const double *p, double *to) {
  double own[TERMS];
  for (int k = 0; k < terms; k++) own[k] = ldexp(p[k], -k);
  for (int side = 1; side >= 0; side--) {
    double *half = to + side * terms;
    memcpy(half, own, (size_t)terms * sizeof *own);
    for (int i = 0; i < terms - 1; i++)
      for (int k = terms - 2; k >= i; k--) half[k] += (side ? 0.5 : -0.5) * half[k + 1];
  }
}

/* The octaves after which zones end, such that as few cells as possible come of equal numbers within each. */
static void find_zones(int octaves, const octave *o, int *end, int *bits) {
  int64_t least = INT64_MAX;
  for (int a = 0; a <= octaves; a++)
    for (int b = a; b <= octaves; b++) {
      const int ends[ZONES] = {a, b, octaves};
      int most[ZONES] = {0};
      int64_t cells = 0;
      for (int i = 0, z = 0; i < octaves; i++) {
        while (i >= ends[z]) z++;
        if (o[i].bits > most[z]) most[z] = o[i].bits;
      }
      for (int z = 0; z < ZONES; z++) cells += (int64_t)(ends[z] - (z ? ends[z - 1] : 0)) << most[z];
      if (cells >= least) continue;
      least = cells;
      memcpy(end, ends, sizeof ends);
      memcpy(bits, most, sizeof most);
    }
}

/* Zones of a table with at least the cells of these octaves, into `bits` of each. */
static void lay_zones(cov_table *t, const octave *o, int *bits) {
  const int octaves = t->high - t->low;
  int end[ZONES], of_zone[ZONES];
  find_zones(octaves, o, end, of_zone);
  t->cells = 0;
  for (int z = 0; z < ZONES; z++) {
    const int begin = z ? end[z - 1] : 0;
    const int64_t cells = (int64_t)1 << of_zone[z];
    t->zones[3 * z] = end[z];
    t->zones[3 * z + 1] = (double)cells;
    t->zones[3 * z + 2] = (double)(t->cells - begin * cells);
    t->cells += (end[z] - begin) * cells;
    for (int i = begin; i < end[z]; i++) bits[i] = of_zone[z];
  }
}

/* Puts octaves into a table, cells halved until there are `bits` of each. */
static void put_octaves(const cov_table *t, const octave *o, const int *bits, double *to) {
  const int octaves = t->high - t->low, numbers = cov_cell_numbers(t);
  const int terms = t->single ? CELL_TERMS_SINGLE : CELL_TERMS_DOUBLE;
  for (int i = 0; i < octaves; to += (int64_t)numbers << bits[i++]) {
    memcpy(to, o[i].coefficients, ((size_t)numbers << o[i].bits) * sizeof(double));
    for (int have = o[i].bits; have < bits[i]; have++)
      for (int64_t cell = ((int64_t)1 << have) - 1; cell >= 0; cell--) {
        double both[2 * TERMS], own[TERMS * COLUMNS];
        memcpy(own, to + cell * numbers, (size_t)numbers * sizeof *own);
        for (int c = 0; c < numbers; c += terms) {
          halve(terms, own + c, both);
          memcpy(to + 2 * cell * numbers + c, both, (size_t)terms * sizeof *both);
          memcpy(to + (2 * cell + 1) * numbers + c, both + terms, (size_t)terms * sizeof *both);
        }
      }
  }
}

/* Puts the octaves into one table. */
static status gather(cov_table *t, const octave *o) {
  int bits[MOST_OCTAVES];
  lay_zones(t, o, bits);
  t->coefficients = malloc((size_t)t->cells * (size_t)cov_cell_numbers(t) * sizeof *t->coefficients);
  if (!t->coefficients) return fail(STATUS_MEMORY, "covariances: no memory for a table");
  put_octaves(t, o, bits, t->coefficients);
  return STATUS_OK;
}

/* The octaves of a table, whose coefficients stay its own. */
static void octaves_of(const cov_table *t, octave *o) {
  double *at = t->coefficients;
  for (int i = 0, z = 0; i < t->high - t->low; i++) {
    while (i >= (int)t->zones[3 * z]) z++;
    o[i] = (octave){.bits = ilogb(t->zones[3 * z + 1]), .coefficients = at};
    at += (int64_t)cov_cell_numbers(t) << o[i].bits;
  }
}

int cov_tables_alike(int n, const cov_table *const *t, cov_table *to) {
  octave most[MOST_OCTAVES], own[MOST_OCTAVES];
  int bits[MOST_OCTAVES];
  *to = *t[0];
  to->coefficients = NULL;
  octaves_of(t[0], most);
  for (int k = 1; k < n; k++) {
    if (t[k]->low != to->low || t[k]->high != to->high || t[k]->columns != to->columns) return 0;
    if (t[k]->above != 0) to->above = t[k]->above;
    octaves_of(t[k], own);
    for (int i = 0; i < to->high - to->low; i++)
      if (own[i].bits > most[i].bits) most[i].bits = own[i].bits;
  }
  lay_zones(to, most, bits);
  const int64_t size = to->cells * cov_cell_numbers(to);
  to->coefficients = malloc((size_t)(n * size) * sizeof *to->coefficients);
  if (!to->coefficients) return 0;
  for (int k = 0; k < n; k++) {
    octaves_of(t[k], own);
    put_octaves(to, own, bits, to->coefficients + k * size);
  }
  return 1;
}

static status build(const cov_source *s, cov_table *t) {
  cov_panels *panels[COLUMNS] = {0};
  int open = 1, columns = 0;
  t->below = NAN;
  status st = find_far_value(s, t);
  if (!st && t->columns == NEED_VALUE && isfinite(s->at_zero)) st = find_flat_end(s, t);
  const int octaves = t->high - t->low;
  octave *o = calloc((size_t)octaves, sizeof *o);
  if (!o) return fail(STATUS_MEMORY, "covariances: no memory for a table");
  for (int i = 0; i < octaves; i++) o[i] = (octave){.bits = FIRST_BITS, .before = INFINITY};
  for (int need = NEED_VALUE; need <= NEED_SHAPE && !st; need *= 2)
    if (t->columns & need) {
      if (!s->relative) panels[columns] = cov_panels_make(s, need, t->low, t->high, &st);
      columns++;
    }
  while (!st && open > 0) st = next_round(s, t, panels, o, &open);
  for (int i = 0; i < columns; i++) cov_panels_free(panels[i]);
  if (!st && open == 0) st = gather(t, o);
  for (int i = 0; i < octaves; i++) free(o[i].coefficients);
  free(o);
  return st;
}

static void let_go(cov_table *t) {
  if (!t) return;
  if (t->holders) {
    t->dropped = 1;
    return;
  }
  free(t->coefficients);
  free(t);
}

/* Few cells where x is small, some 50 an octave around 1, and for waves four in a unit of x. */
int64_t cov_table_cost(const cov_source *s, int columns, int low, int high) {
  const int top = high < 8 ? high : 8, fine = top - low < top + 5 ? top - low : top + 5;
  const int64_t plain = high - low - (fine > 0 ? fine : 0);
  const int64_t cells = 4 * (plain > 0 ? plain : 0) + 48 * (int64_t)(fine > 0 ? fine : 0) +
                        (s->relative ? 0 : (int64_t)ldexp(4, high < 40 ? high : 40));
  return cells * SAMPLES * (1 + !!(columns & NEED_SLOPE) + !!(columns & NEED_SHAPE)) / 2;
}

status cov_table_find(const cov_source *s, int columns, int single, int low, int high, const cov_table **found) {
  const double key[KEY_NUMBERS] = {s->key[0], s->key[1], s->key[2], 8 * single + columns, low, high};
  status st = STATUS_OK;
  int known;
  int at = kept_position(&keys, key, &known);
  devices_on_change(cov_tables_drop); /* values are those of the devices that made them */
  *found = NULL;
  if (!known) {
    cov_table *made = calloc(1, sizeof *made);
    keys.used[at] = 0;
    if (!made) return fail(STATUS_MEMORY, "covariances: no memory for a table");
    *made = (cov_table){.low = low, .high = high, .columns = columns, .single = single};
    /* devices may lack double precision, and quick values are few beside the way there */
    const int on_cpu = single || s->relative;
    backend_force_cpu(on_cpu);
    st = build(s, made);
    backend_force_cpu(-on_cpu);
    if (st) {
      let_go(made);
      return st;
    }
    at = kept_position(&keys, key, &known); /* the values may have come from a user's function that makes tables */
    let_go(kept[at]);
    kept[at] = made;
  }
  if (!kept[at]->coefficients) return STATUS_OK;
  kept[at]->holders++;
  *found = kept[at];
  return STATUS_OK;
}

void cov_table_release(const cov_table *t) {
  cov_table *own = (cov_table *)t;
  if (own && --own->holders == 0 && own->dropped) let_go(own);
}

void cov_tables_drop(void) {
  for (int i = 0; i < TABLES_KEPT; i++) let_go(kept[i]);
  memset(kept, 0, sizeof kept);
  memset(&keys, 0, sizeof keys);
}
