/* matern.c: covariances as one function of scaled distance x (matern_function.h) at many locations. It comes from a
 * table (matern_table.c), in closed form, or directly (matern_direct.c), which also serves where a table ends. */
#include "covariance/matern.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/matern_space.h"

enum { MOST_FORM = 20, MOST_OCTAVES = 64, SLAB = 1 << 18 };

static const pipeline scaling = {
    .name = "matern", .n_in = 1, .n_out = 1, .step = {KERNEL_matern_scale}, .ns_per_point = 0.5};
static const pipeline tables = {.name = "matern", .n_in = 1, .n_out = 1,
                                .step = {KERNEL_matern_scale, KERNEL_matern_table}, .ns_per_point = 3};
static const pipeline forms = {.name = "matern", .n_in = 1, .n_out = 1,
                               .step = {KERNEL_matern_scale, KERNEL_matern_form}, .ns_per_point = 1.5};

static matern_report last;

matern_report matern_last_table(void) { return last; }

evaluation evaluation_of(const matern_model *m) {
  static const enum matern_function of[] = {FUNCTION_M, FUNCTION_DX, FUNCTION_DNU};
  const double square = m->scaling == SCALE_PLAIN ? 1 : (m->scaling == SCALE_SQRT_2NU ? 2 : 8) * m->smoothness;
  const double root = sqrt(square), root_lo = fma(-root, root, square) / (2 * root);
  evaluation e = {of[m->deriv], m->smoothness, m->variance, m->deriv == DERIV_NONE, 0, 0, 0, 0, m->single};
  if (m->deriv == DERIV_SMOOTHNESS && m->scaling != SCALE_PLAIN) e.f = FUNCTION_DNU_SCALED;
  /* M = 2 nu K_0(x) (1 + O(nu log x)) of a small nu: below, the derivative for nu no longer changes */
  if (m->deriv == DERIV_SMOOTHNESS) e.nu = fmax(e.nu, 1e-30);
  if (m->deriv == DERIV_RANGE) e.factor = fmin(m->variance / m->range, DBL_MAX); /* times 0 it is 0 */
  e.hi = root / m->range;
  e.lo = (fma(-e.hi, m->range, root) + root_lo) / m->range;
  const double smallest = fmin(fmin(e.hi, m->range), root), largest = fmax(fmax(e.hi, m->range), root);
  if (!(smallest > 1e-280 && largest < 1e280)) e.divisor = m->range, e.hi = root;
  return e;
}

/* Half-integers nu = n + 1/2: M = exp(-x) Sum c_k x^k, c_k = n! 2^k (2n - k)!/((2n)! k! (n - k)!), every term
 * positive (DLMF 10.49.12); -x dM/dx = x^2/(2 nu - 2) times M of nu - 1. c: coefficients, whose number is the value,
 * 0 if there is no such form. Products are kept as sums of two, since up to 20 of them follow each other. */
static int closed_form(enum matern_function f, double nu, double *c) {
  int n = (int)fmin(nu, 100), shift = 0;
  double hi = 1, lo = 0;
  if (n + 0.5 != nu || n > MOST_FORM || (f != FUNCTION_M && f != FUNCTION_DX)) return 0;
  if (f == FUNCTION_DX) {
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

/* Do numbers of this size, and their products, stay far from the ends of single precision? 0 and Inf have no size. */
static int fits_single(double v) { return v == 0 || isinf(v) || (fabs(v) > 1e-30 && fabs(v) < 1e30); }

static int octave_of(double x) { return x > 0 ? (x < 1024 ? ilogb(x) : 10) : -1000; }

status choose_method(const evaluation *e, enum matern_route route, int64_t n, double x_low, double x_high,
                     method *w) {
  const int high = octave_of(x_high) < 10 ? octave_of(x_high) + 1 : 10;
  int low = octave_of(x_low);
  memset(w, 0, sizeof *w);
  memset(&last, 0, sizeof last);
  if (route == MATERN_DIRECTLY && e->single)
    return fail(STATUS_DEVICE, "matern has no single precision without tables or closed forms");
  if (route == MATERN_DIRECTLY) return STATUS_OK;
  if (e->single && (e->divisor != 0 || !fits_single(e->factor) || !fits_single(e->hi) ||
                    !fits_single(x_low / e->hi) || !fits_single(x_high / e->hi)))
    return STATUS_OK;
  if (route == MATERN_BY_SIZE && (w->terms = closed_form(e->f, e->nu, w->form)) != 0) return STATUS_OK;
  if (low > high - 1) low = high - 1;
  if (low < high - MOST_OCTAVES) low = high - MOST_OCTAVES;
  if (low < -1000) low = -1000;
  low -= (low % 4 + 4) % 4; /* ranges of like data are the same */
  const int too_few = route == MATERN_BY_SIZE && !e->single && n < 2 * matern_table_cost(low, high);
  if (high - low < 1 || too_few) return STATUS_OK;
  status st = matern_find_table(e->f, e->nu, e->single, low, high, &w->table);
  if (w->table) last = (matern_report){w->table->error, w->table->cells};
  return st;
}

int64_t method_size(const method *w) {
  return w->table ? w->table->cells * matern_cell_terms(w->table->single) : MOST_FORM + 4;
}

status parameters_open(parameters *p, int64_t n) {
  memset(p, 0, sizeof *p);
  if (n > INT32_MAX) return fail(STATUS_INPUT, "matern: %lld numbers for the locations are too many", (long long)n);
  p->memory = calloc((size_t)n + LINE_DOUBLES, sizeof *p->memory);
  if (!p->memory) return fail(STATUS_MEMORY, "matern: no memory for %lld numbers", (long long)n);
  p->par = p->memory + (LINE_DOUBLES - (uintptr_t)p->memory / sizeof(double) % LINE_DOUBLES) % LINE_DOUBLES;
  p->n = (int32_t)n;
  return STATUS_OK;
}

/* F(x) where a table ends, NaN: unknown. What falls to 0 does not when it is scaled. */
static double value_above(const evaluation *e, const matern_cells *t) { return e->scaled ? NAN : t->above; }

void lay_out_method(double *par, int64_t at, const evaluation *e, const method *w) {
  par[MATERN_FACTOR] = e->factor;
  par[MATERN_AT_ZERO] = e->at_zero;
  par[MATERN_SCALE] = e->hi;
  par[MATERN_SCALE_LO] = e->lo;
  par[MATERN_DIVISOR] = e->divisor;
  par[FORM_TERMS] = w->terms;
  par[FORM_AT] = par[TABLE_AT] = (double)at;
  memcpy(par + at, w->form, (size_t)w->terms * sizeof *par);
  if (!w->table) return;
  par[TABLE_BITS] = w->table->bits;
  par[TABLE_FIRST] = ldexp((e->single ? 127 : 1023) + w->table->low, w->table->bits);
  par[TABLE_CELLS] = (double)w->table->cells;
  par[TABLE_LOW] = ldexp(1, w->table->low);
  par[TABLE_HIGH] = ldexp(1, w->table->high);
  par[TABLE_BELOW] = w->table->below;
  par[TABLE_ABOVE] = value_above(e, w->table);
  par[TABLE_SCALED] = e->scaled;
  memcpy(par + at, w->table->coefficients, (size_t)method_size(w) * sizeof *par);
}

status evaluate_directly(const evaluation *e, int64_t n, const double *x, double *out) {
  backend_force_cpu(e->single);
  const status st = matern_function_values(e->f, e->nu, e->scaled, n, x, out);
  backend_force_cpu(-e->single);
  for (int64_t i = 0; i < n && !st; i++) out[i] = e->factor * (x[i] == 0 ? e->at_zero : out[i]);
  return st;
}

/* One pipeline over distances r. */
static status run_vector(const pipeline *pipe, const evaluation *e, const method *w, int64_t n, const double *r,
                         double *out) {
  parameters p;
  status st = parameters_open(&p, MATERN_HEAD + method_size(w));
  if (st) return st;
  lay_out_method(p.par, MATERN_HEAD, e, w);
  task t = {.pipe = pipe, .n = n, .run = n, .in = {{r, n}}, .out = {out}, .par = p.par, .n_par = p.n,
            .single = e->single};
  st = backend_run(&t);
  free(p.memory);
  return st;
}

static status vector_directly(const evaluation *e, int64_t n, const double *r, double *out) {
  const method none = {0};
  if (e->single) {
    evaluation doubly = *e;
    doubly.single = 0;
    backend_force_cpu(1);
    const status st = vector_directly(&doubly, n, r, out);
    backend_force_cpu(-1);
    return st;
  }
  const int64_t most = n < SLAB ? n : SLAB;
  double *x = malloc((size_t)(most ? most : 1) * sizeof *x);
  status st = x ? STATUS_OK : fail(STATUS_MEMORY, "matern: no memory for %lld distances", (long long)most);
  for (int64_t at = 0; at < n && !st; at += most) {
    const int64_t size = n - at < most ? n - at : most;
    backend_set_progress((double)at / (double)n);
    st = run_vector(&scaling, e, &none, size, r + at, x);
    if (!st) st = evaluate_directly(e, size, x, out + at);
  }
  backend_set_progress(-1);
  free(x);
  return st;
}

static int leaves_gaps(const evaluation *e, const matern_cells *t, double x_low, double x_high) {
  const double slack = 1 + 4 * DBL_EPSILON; /* scaled_distance() rounds twice */
  return (isnan(t->below) && x_low < ldexp(slack, t->low)) ||
         (isnan(value_above(e, t)) && x_high * slack >= ldexp(1, t->high));
}

/* NaN of a table at a distance that is one: there the direct values serve. */
static status fill_gaps(const evaluation *e, int64_t n, const double *r, double *out) {
  int64_t gaps = 0, k = 0;
  for (int64_t i = 0; i < n; i++) gaps += isnan(out[i]) && r[i] >= 0;
  if (!gaps) return STATUS_OK;
  double *at = malloc((size_t)gaps * 2 * sizeof *at);
  if (!at) return fail(STATUS_MEMORY, "matern: no memory for %lld distances", (long long)gaps);
  for (int64_t i = 0; i < n; i++)
    if (isnan(out[i]) && r[i] >= 0) at[k++] = r[i];
  const status st = vector_directly(e, gaps, at, at + gaps);
  for (int64_t i = 0; i < n && !st; i++)
    if (isnan(out[i]) && r[i] >= 0) out[i] = at[gaps + gaps - k--];
  free(at);
  return st;
}

/* Smallest and largest positive distance; sixteen at a time, so that no comparison waits for the last. */
static void find_range(int64_t n, const double *r, double *low, double *high) {
  enum { WIDE = 16 };
  double least[WIDE], most[WIDE];
  for (int l = 0; l < WIDE; l++) least[l] = INFINITY, most[l] = 0;
  for (int64_t i = 0; i < n; i += WIDE) {
    const double *at = r + (i + WIDE <= n ? i : n >= WIDE ? n - WIDE : 0);
    const int count = n < WIDE ? (int)n : WIDE;
#pragma omp simd
    for (int l = 0; l < count; l++) {
      least[l] = ((at[l] > 0) & (at[l] < least[l])) ? at[l] : least[l];
      most[l] = at[l] > most[l] ? at[l] : most[l];
    }
  }
  *low = INFINITY;
  *high = 0;
  for (int l = 0; l < WIDE; l++) *low = fmin(*low, least[l]), *high = fmax(*high, most[l]);
}

double scaled_distance(const evaluation *e, double r) { return e->divisor != 0 ? r / e->divisor * e->hi : r * e->hi; }

static status evaluate(const evaluation *e, enum matern_route route, int64_t n, column r, double *out) {
  const int64_t own = r.length < n ? r.length : n;
  double low, high;
  method w;
  if (n == 0) return STATUS_OK;
  find_range(own, r.data, &low, &high);
  low = scaled_distance(e, low);
  high = scaled_distance(e, high);
  status st = choose_method(e, route, own, low, high, &w);
  if (st) return st;
  if (!w.terms && !w.table) {
    st = vector_directly(e, own, r.data, out);
  } else {
    st = run_vector(w.table ? &tables : &forms, e, &w, own, r.data, out);
    if (!st && w.table && leaves_gaps(e, w.table, low, high)) st = fill_gaps(e, own, r.data, out);
  }
  for (int64_t i = own; i < n && !st; i++) out[i] = out[i - own];
  return st;
}

status matern_values(const matern_model *m, enum matern_route route, int64_t n, column r, double *out) {
  const evaluation e = evaluation_of(m);
  return evaluate(&e, route, n, r, out);
}

status matern_bessel_k(double nu, int scaled, enum matern_route route, int64_t n, column x, double *out) {
  const evaluation e = {FUNCTION_K, fabs(nu), 1, INFINITY, 1, 0, 0, scaled, 0};
  return evaluate(&e, route, n, x, out);
}
