/* cov_values.c: covariances at distances. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "engine/any_nan.h"
#include "covariance/cov_plan.h"
#include "programs/programs.h"

enum { SLAB = 1 << 18, MOST_COLUMNS = MAX_COLUMNS - 1 };

static cov_report last;

cov_report cov_last_table(void) { return last; }

void cov_note_tables(const cov_plan *p) {
  last = (cov_report){0, 0};
  for (int k = 0; k < p->model->n_parts; k++) {
    const cov_table *t = p->method[k].table;
    if (t && t->cells > last.cells) last = (cov_report){t->error, t->cells};
  }
}

/* One task over distances r. */
static status run_given(const cov_plan *p, int which, int64_t n, const double *r, double *const *out) {
  const int columns = which >= 0 ? 1 : p->model->n_wants;
  const pipeline pipe = {.name = "covariance", .n_in = 1, .n_out = columns, .step = {KERNEL_cov_given},
                         .ns_per_point = 3};
  task t = {.pipe = &pipe, .n = n, .run = n, .in = {{r, n}}, .single = p->single};
  cov_par par;
  int64_t at;
  status st = cov_lay_out(p, which, 0, &at, &par);
  if (st) return st;
  for (int j = 0; j < columns; j++) t.out[j] = out[j];
  t.par = par.par;
  t.n_par = par.n;
  st = backend_run(&t);
  free(par.memory);
  return st;
}

/* Closed forms by their kernels, all else by direct values. */
static status values_directly(const cov_plan *p, int64_t n, const double *r, double *const *out) {
  const cov_model *m = p->model;
  double *x = malloc((size_t)n * sizeof *x);
  status st = x ? STATUS_OK : fail(STATUS_MEMORY, "covariances: no memory for %lld distances", (long long)n);
  int closed = 0;
  for (int j = 0; j < m->n_wants; j++) closed |= cov_is_closed(p, m->want + j);
  if (!st && closed) st = run_given(p, CLOSED_PARTS, n, r, out);
  for (int j = 0; j < m->n_wants && !st; j++)
    for (int64_t i = 0; i < n && !cov_is_closed(p, m->want + j); i++) out[j][i] = 0;
  for (int k = 0; k < m->n_parts && !st; k++) {
    if (p->method[k].function != FUNCTION_TABLE) continue;
    st = run_given(p, k, n, r, &x);
    if (!st) st = cov_add_directly(p, k, n, x, NULL, out);
  }
  free(x);
  return st;
}

/* NaN at a distance that is one: there the direct values serve. */
static int is_gap(int wants, const double *r, double *const *out, int64_t i) {
  int gap = 0;
  for (int j = 0; j < wants; j++) gap |= isnan(out[j][i]);
  return gap && r[i] >= 0;
}

static status fill_gaps(const cov_plan *p, int64_t n, const double *r, double *const *out) {
  const int wants = p->model->n_wants;
  int64_t gaps = 0, k = 0;
  double *to[MOST_COLUMNS];
  for (int j = 0; j < wants; j++) gaps += any_nan(n, out[j]);
  if (!gaps) return STATUS_OK;
  gaps = 0;
  for (int64_t i = 0; i < n; i++) gaps += is_gap(wants, r, out, i);
  double *at = malloc((size_t)(gaps + 1) * (size_t)(wants + 1) * sizeof *at);
  if (!at) return fail(STATUS_MEMORY, "covariances: no memory for %lld distances", (long long)gaps);
  for (int j = 0; j < wants; j++) to[j] = at + gaps * (j + 1);
  for (int64_t i = 0; i < n; i++)
    if (is_gap(wants, r, out, i)) at[k++] = r[i];
  const status st = gaps ? values_directly(p, gaps, at, to) : STATUS_OK;
  k = 0;
  for (int64_t i = 0; i < n && !st; i++) {
    if (!is_gap(wants, r, out, i)) continue;
    for (int j = 0; j < wants; j++) out[j][i] = to[j][k];
    k++;
  }
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

static status own_values(const cov_model *m, enum cov_route route, int64_t n, const double *r, double *const *out) {
  double low, high, *to[MOST_COLUMNS];
  cov_plan *p;
  find_range(n, r, &low, &high);
  status st = cov_plan_make_given(m, route, (double)n, low, high, &p);
  if (st) return st;
  cov_note_tables(p);
  const int64_t most = p->direct ? at_most(n, SLAB) : n;
  const call_part whole = backend_part();
  for (int64_t at = 0; at < n && !st; at += most) {
    const int64_t size = n - at < most ? n - at : most;
    for (int j = 0; j < m->n_wants; j++) to[j] = out[j] + at;
    backend_set_part(whole, (double)at / (double)n, (double)(p->direct ? at : n) / (double)n);
    st = p->direct ? values_directly(p, size, r + at, to) : run_given(p, ALL_PARTS, size, r + at, to);
  }
  backend_set_part(whole, NAN, NAN);
  if (!st && !p->direct) st = fill_gaps(p, n, r, out);
  backend_set_part(whole, 0, 1);
  cov_plan_free(p);
  return st;
}

status cov_values(const cov_model *m, enum cov_route route, int64_t n, column r, double *const *out) {
  const int64_t own = r.length < n ? r.length : n;
  if (m->n_wants > MOST_COLUMNS) return fail(STATUS_INPUT, "covariances: %d columns are too many", m->n_wants);
  if (n == 0) return STATUS_OK;
  status st = own_values(m, route, own, r.data, out);
  for (int j = 0; j < m->n_wants; j++)
    for (int64_t i = own; i < n && !st; i++) out[j][i] = out[j][i - own];
  return st;
}

status cov_bessel_k(double nu, int scaled, enum cov_route route, int64_t n, column x, double *out) {
  const cov_part part = {.function = COV_SOURCE, .shape = fabs(nu), .range = 1, .variance = 1,
                         .source = bessel_k_source(fabs(nu), scaled)};
  const cov_want want = {COV_VALUE, -1, NULL};
  const cov_model m = {1, 1, 0, &part, &want};
  return cov_values(&m, route, n, x, &out);
}
