/* garch.c: the recursions of garch.h, forwards with their derivatives.
 *
 * With psi = dlog f/dz, c = s^power and z = e/s the score of an observation is
 *   psi de/s - (1 + z psi) dc/(power c),  and of the parameters of the distribution dlog f,
 * where de and dc obey the recursions of e and c differentiated term by term. For power <= 1 the likelihood has a
 * kink where an e is 0: there the derivative of |e|^power counts as 0.
 *
 * The innovations of all stable series are laid out in runs of RUN points that share a distribution, the last of a
 * series filled up, and evaluated as one task after the other of at most SLAB points. */
#include "stable/garch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable/stable.h"
#include "stable/stable_score.h"

enum { RUN = 64, SLAB = 1 << 17 };

/* First places of the groups of parameters. */
typedef struct {
  int mu, ar, ma, b, omega, arch, asym, garch, law, size;
} places;

static places places_of(const garch_model *m) {
  static const int of_law[] = {2, 1, 0};
  places p = {.mu = 0, .ar = 1};
  p.ma = p.ar + m->ar;
  p.b = p.ma + m->ma;
  p.omega = p.b + m->columns;
  p.arch = p.omega + 1;
  p.asym = p.arch + m->arch;
  p.garch = p.asym + m->asym;
  p.law = p.garch + m->garch;
  p.size = p.law + of_law[m->law];
  return p;
}

int garch_size(const garch_model *m) { return places_of(m).size; }

/* v to the power, which is most often 1 or 2. */
static double to_power(double v, double power) { return power == 1 ? v : power == 2 ? v * v : pow(v, power); }

static double root(double c, double power) { return power == 1 ? c : power == 2 ? sqrt(c) : pow(c, 1 / power); }

/* (|e| - g e)^power */
static double news(double e, double g, double power) { return to_power(fabs(e) - g * e, power); }

/* ... and its derivatives in e and g */
static void news_slopes(double e, double g, double power, double *by_e, double *by_g) {
  const double v = fabs(e) - g * e;
  const double d = e == 0 ? 0 : power * (power == 1 ? 1 : power == 2 ? v : pow(v, power - 1));
  *by_e = d * ((e > 0 ? 1 : -1) - g);
  *by_g = -d * e;
}

/* One step of c, whose lags end at n - 1 in e and c, from which the times before 0 are missing. */
static double next_power(const garch_model *m, const places *p, const double *theta, double first, const double *e,
                         const double *c, int64_t n) {
  double sum = theta[p->omega];
  for (int i = 0; i < m->arch; i++) {
    const int64_t t = n - 1 - i;
    sum += theta[p->arch + i] * (t < 0 ? first : news(e[t], m->asym ? theta[p->asym + i] : 0, m->power));
  }
  for (int j = 0; j < m->garch; j++) sum += theta[p->garch + j] * (n - 1 - j < 0 ? first : c[n - 1 - j]);
  return sum;
}

/* What the past adds to u. */
static double past_mean(const garch_model *m, const places *p, const double *theta, const double *u, const double *e,
                        int64_t n) {
  double sum = 0;
  for (int i = 0; i < m->ar && i < n; i++) sum += theta[p->ar + i] * u[n - 1 - i];
  for (int j = 0; j < m->ma && j < n; j++) sum += theta[p->ma + j] * e[n - 1 - j];
  return sum;
}

/* Columns of a series at work; f has log f, its slope in z and, of stable innovations, those in alpha and beta, or
 * that in df. */
typedef struct {
  places p;
  int valid;
  double *u, *e, *c, *z, *f[4];
  double *memory;
} work;

enum { WORK_COLUMNS = 8 };

static int law_exists(const garch_model *m, const double *law) {
  if (m->law == GARCH_STABLE) return law[0] > 1 && law[0] <= 2 && fabs(law[1]) <= 1;
  return m->law == GARCH_NORMAL || law[0] > 0;
}

static status begin(const garch_series *s, work *w) {
  w->p = places_of(&s->model);
  w->memory = malloc(sizeof(double) * (size_t)(s->n * WORK_COLUMNS + 1));
  if (!w->memory) return fail(STATUS_MEMORY, "stableGarch: no memory for %lld observations", (long long)s->n);
  double **column[WORK_COLUMNS] = {&w->u, &w->e, &w->c, &w->z, w->f, w->f + 1, w->f + 2, w->f + 3};
  for (int k = 0; k < WORK_COLUMNS; k++) *column[k] = w->memory + k * s->n;
  return STATUS_OK;
}

static void forwards(const garch_series *s, work *w) {
  const garch_model *m = &s->model;
  const double *theta = s->theta;
  w->valid = law_exists(m, theta + w->p.law);
  for (int64_t t = 0; t < s->n && w->valid; t++) {
    double u = s->y[t] - theta[w->p.mu];
    for (int k = 0; k < m->columns; k++) u -= s->x[t + k * s->n] * theta[w->p.b + k];
    w->u[t] = u;
    w->e[t] = u - past_mean(m, &w->p, theta, w->u, w->e, t);
    w->c[t] = next_power(m, &w->p, theta, s->first, w->e, w->c, t);
    w->z[t] = w->e[t] / root(w->c[t], m->power);
    w->valid = w->c[t] > 0 && isfinite(w->c[t]) && isfinite(w->z[t]);
  }
}

/* ---- densities of innovations ---- */

/* lgamma(a + 1/2) - lgamma(a) - log(a)/2 and its derivative: from a = 20 on by the asymptotic series (from
 * Stirling's, DLMF 5.11.8), whose first term left out is 3e-15 there. */
static void half_step(double a, double *value, double *slope) {
  if (a < 20) {
    /* digamma at arguments from 1 on, by its recurrence */
    *value = lgamma(a + 0.5) - lgamma(a) - 0.5 * log(a);
    *slope = stable_digamma(a + 1.5) - 1 / (a + 0.5) - stable_digamma(a + 1) + 1 / a - 0.5 / a;
    return;
  }
  const double v = 1 / (a * a);
  *value = -(1. / 8 - v * (1. / 192 - v * (1. / 640 - v * 17. / 14336))) / a;
  *slope = v * (1. / 8 - v * (1. / 64 - v * (1. / 128 - v * 17. / 2048)));
}

/* Student's t with scale 1: log f = c(df) - (df + 1)/2 log(1 + z^2/df). */
static void t_densities(int64_t n, double df, const double *z, double *const f[4]) {
  double constant, slope;
  half_step(0.5 * df, &constant, &slope);
  constant -= 0.5 * log(2 * pi);
  for (int64_t t = 0; t < n; t++) {
    const double v = z[t] * z[t] / df, l = log1p(v);
    f[0][t] = constant - 0.5 * (df + 1) * l;
    f[1][t] = -(df + 1) * z[t] / (df * (1 + v));
    f[2][t] = 0.5 * slope - 0.5 * l + 0.5 * (df + 1) / df * v / (1 + v);
  }
}

static void normal_densities(int64_t n, const double *z, double *const f[4]) {
  const double constant = -0.5 * log(2 * pi);
  for (int64_t t = 0; t < n; t++) {
    f[0][t] = constant - 0.5 * z[t] * z[t];
    f[1][t] = -z[t];
  }
}

/* A slab of points of many series: `series` and `from` say where each run comes from. */
typedef struct {
  int64_t n, runs;
  double *z, *alpha, *beta, *out[SLOPES];
  int64_t *series, *from;
  double *memory;
} slab;

static status slab_open(slab *b) {
  const int64_t runs = SLAB / RUN;
  memset(b, 0, sizeof *b);
  b->memory = malloc(sizeof(double) * (size_t)((1 + SLOPES) * SLAB + 2 * runs) + 2 * sizeof(int64_t) * (size_t)runs);
  if (!b->memory) return fail(STATUS_MEMORY, "stableGarch: no memory for %d densities", (int)SLAB);
  b->z = b->memory;
  for (int k = 0; k < SLOPES; k++) b->out[k] = b->memory + (1 + k) * SLAB;
  b->alpha = b->memory + (1 + SLOPES) * SLAB;
  b->beta = b->alpha + runs;
  b->series = (int64_t *)(b->beta + runs);
  b->from = b->series + runs;
  return STATUS_OK;
}

static status flush(slab *b, const garch_series *s, work *w) {
  if (b->runs == 0) return STATUS_OK;
  const column alpha = {b->alpha, b->runs}, beta = {b->beta, b->runs};
  const status st = stable_slopes(b->runs * RUN, RUN, b->z, alpha, beta, 1, b->out);
  for (int64_t k = 0; k < b->runs && st == STATUS_OK; k++) {
    const int64_t i = b->series[k], from = b->from[k];
    const int64_t n = s[i].n - from < RUN ? s[i].n - from : RUN;
    static const int of[4] = {SLOPE_LOG_F, SLOPE_Z, SLOPE_A, SLOPE_B};
    for (int j = 0; j < 4; j++) memcpy(w[i].f[j] + from, b->out[of[j]] + k * RUN, sizeof(double) * (size_t)n);
  }
  b->runs = 0;
  return st;
}

static status densities(int64_t m, const garch_series *s, work *w) {
  slab b;
  status st = slab_open(&b);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    const double *law = s[i].theta + w[i].p.law;
    if (!w[i].valid) continue;
    if (s[i].model.law == GARCH_T) t_densities(s[i].n, law[0], w[i].z, w[i].f);
    if (s[i].model.law == GARCH_NORMAL) normal_densities(s[i].n, w[i].z, w[i].f);
    for (int64_t from = 0; from < s[i].n && s[i].model.law == GARCH_STABLE && st == STATUS_OK; from += RUN) {
      double *z = b.z + b.runs * RUN;
      for (int64_t k = 0; k < RUN; k++) z[k] = w[i].z[from + k < s[i].n ? from + k : s[i].n - 1];
      b.alpha[b.runs] = law[0];
      b.beta[b.runs] = law[1];
      b.series[b.runs] = i;
      b.from[b.runs++] = from;
      if (b.runs == SLAB / RUN) st = flush(&b, s, w);
    }
  }
  if (st == STATUS_OK) st = flush(&b, s, w);
  free(b.memory);
  return st;
}

/* ---- scores ---- */

/* Derivatives of u, e and c at time t in row t % rows: rows exceed all lags. */
typedef struct {
  int rows, size;
  double *u, *e, *c;
} lags;

static double *row(const lags *l, double *of, int64_t t) { return of + (t % l->rows) * l->size; }

/* e and c do not depend on all parameters: de ends before omega. */
static void mean_slopes(const garch_series *s, const work *w, const lags *l, int64_t t) {
  const garch_model *m = &s->model;
  const places *p = &w->p;
  const double *theta = s->theta;
  double *u = row(l, l->u, t), *e = row(l, l->e, t);
  memset(u, 0, sizeof *u * (size_t)p->omega);
  u[p->mu] = -1;
  for (int k = 0; k < m->columns; k++) u[p->b + k] = -s->x[t + k * s->n];
  memcpy(e, u, sizeof *u * (size_t)p->omega);
  for (int i = 0; i < m->ar && i < t; i++) {
    const double *before = row(l, l->u, t - 1 - i);
    for (int k = 0; k < p->omega; k++) e[k] -= theta[p->ar + i] * before[k];
    e[p->ar + i] -= w->u[t - 1 - i];
  }
  for (int j = 0; j < m->ma && j < t; j++) {
    const double *before = row(l, l->e, t - 1 - j);
    for (int k = 0; k < p->omega; k++) e[k] -= theta[p->ma + j] * before[k];
    e[p->ma + j] -= w->e[t - 1 - j];
  }
}

static void scale_slopes(const garch_series *s, const work *w, const lags *l, int64_t t) {
  const garch_model *m = &s->model;
  const places *p = &w->p;
  const double *theta = s->theta;
  double *c = row(l, l->c, t);
  memset(c, 0, sizeof *c * (size_t)p->law);
  c[p->omega] = 1;
  for (int i = 0; i < m->arch; i++) {
    const int64_t at = t - 1 - i;
    const double arch = theta[p->arch + i], asym = m->asym ? theta[p->asym + i] : 0;
    if (at < 0) {
      c[p->arch + i] = s->first;
      continue;
    }
    double by_e, by_g;
    news_slopes(w->e[at], asym, m->power, &by_e, &by_g);
    c[p->arch + i] += news(w->e[at], asym, m->power);
    if (m->asym) c[p->asym + i] += arch * by_g;
    const double *e = row(l, l->e, at);
    for (int k = 0; k < p->omega; k++) c[k] += arch * by_e * e[k];
  }
  for (int j = 0; j < m->garch; j++) {
    const int64_t at = t - 1 - j;
    c[p->garch + j] += at < 0 ? s->first : w->c[at];
    if (at < 0) continue;
    const double *before = row(l, l->c, at), garch = theta[p->garch + j];
    for (int k = 0; k < p->law; k++) c[k] += garch * before[k];
  }
}

static int longest_lag(const garch_model *m) {
  int most = m->ar > m->ma ? m->ar : m->ma;
  if (m->arch > most) most = m->arch;
  return m->garch > most ? m->garch : most;
}

static status scores(garch_series *s, const work *w) {
  const garch_model *m = &s->model;
  const places *p = &w->p;
  lags l = {.rows = longest_lag(m) + 1, .size = p->size};
  const size_t each = (size_t)l.rows * (size_t)l.size;
  l.u = malloc(sizeof(double) * (3 * each + (size_t)l.size));
  if (!l.u) return fail(STATUS_MEMORY, "stableGarch: no memory for %d parameters", l.size);
  l.e = l.u + each;
  l.c = l.e + each;
  double *d = l.c + each;
  const int size = p->size;
  memset(s->score, 0, sizeof(double) * (size_t)size);
  if (s->products) memset(s->products, 0, sizeof(double) * (size_t)(size * size));
  for (int64_t t = 0; t < s->n; t++) {
    mean_slopes(s, w, &l, t);
    scale_slopes(s, w, &l, t);
    const double psi = w->f[1][t], by_c = -(1 + w->z[t] * psi) / (m->power * w->c[t]);
    const double by_e = psi / root(w->c[t], m->power), *e = row(&l, l.e, t), *c = row(&l, l.c, t);
    for (int k = 0; k < p->law; k++) d[k] = by_c * c[k] + (k < p->omega ? by_e * e[k] : 0);
    for (int k = p->law; k < size; k++) d[k] = w->f[2 + k - p->law][t];
    for (int k = 0; k < size; k++) {
      s->score[k] += d[k];
      for (int j = 0; j <= k && s->products; j++) s->products[j * size + k] += d[j] * d[k];
      if (s->scores) s->scores[t + k * s->n] = d[k];
    }
  }
  for (int k = 0; k < size && s->products; k++)
    for (int j = 0; j < k; j++) s->products[k * size + j] = s->products[j * size + k];
  free(l.u);
  return STATUS_OK;
}

static status finish(garch_series *s, const work *w) {
  s->log_lik = -HUGE_VAL;
  if (!w->valid) return STATUS_OK;
  const double power = s->model.power;
  double sum = 0;
  for (int64_t t = 0; t < s->n; t++) {
    sum += w->f[0][t] - log(w->c[t]) / power;
    if (s->e) s->e[t] = w->e[t];
    if (s->scale) s->scale[t] = root(w->c[t], power);
    if (s->log_f) s->log_f[t] = w->f[0][t];
  }
  s->log_lik = isnan(sum) ? -HUGE_VAL : sum;
  return s->score ? scores(s, w) : STATUS_OK;
}

status garch_evaluate(int64_t m, garch_series *series) {
  work *w = calloc((size_t)m + 1, sizeof *w);
  if (!w) return fail(STATUS_MEMORY, "stableGarch: no memory for %lld series", (long long)m);
  status st = STATUS_OK;
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    st = begin(series + i, w + i);
    if (st == STATUS_OK) forwards(series + i, w + i);
  }
  if (st == STATUS_OK) st = densities(m, series, w);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) st = finish(series + i, w + i);
  for (int64_t i = 0; i < m; i++) free(w[i].memory);
  free(w);
  return st;
}

/* ---- paths ---- */

status garch_paths(const garch_model *m, double first, const double *theta, const garch_future *f) {
  const places p = places_of(m);
  const int64_t lag = longest_lag(m), kept = f->n < lag ? f->n : lag, n = kept + f->h;
  double *u = malloc(sizeof(double) * (size_t)(3 * n + 1));
  if (!u) return fail(STATUS_MEMORY, "stableGarch: no memory for paths of %lld times", (long long)f->h);
  double *e = u + n, *c = e + n;
  for (int64_t i = 0; i < f->paths; i++) {
    memcpy(u, f->u + f->n - kept, sizeof(double) * (size_t)kept);
    memcpy(e, f->e + f->n - kept, sizeof(double) * (size_t)kept);
    memcpy(c, f->c + f->n - kept, sizeof(double) * (size_t)kept);
    for (int64_t t = kept; t < n; t++) {
      const int64_t at = i * f->h + t - kept;
      c[t] = next_power(m, &p, theta, first, e, c, t);
      const double scale = root(c[t], m->power);
      e[t] = scale * f->z[at];
      u[t] = e[t] + past_mean(m, &p, theta, u, e, t);
      f->y[at] = u[t];
      f->scale[at] = scale;
    }
  }
  free(u);
  return STATUS_OK;
}
