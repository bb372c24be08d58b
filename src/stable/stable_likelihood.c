/* stable_likelihood.c: log likelihoods of stable distributions, their gradients and second derivatives, for many
 * searches at once. The observations of all questions of a round are laid out in runs of RUN points that share a
 * distribution (the last run of a sample is filled up with its last value) in a slab; each full slab is one task. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable/differences.h"
#include "stable/stable_fit.h"

enum { RUN = 64, SLAB = 1 << 17, KINDS = 4 }; /* KINDS: likelihoods alone; slopes in frames 0, 1 and 2 */

/* n observations of a sample from one on, at points at, at + 1, ... of the slab, under one distribution of its
 * search. */
typedef struct {
  fit_search *s;
  int law;
  int64_t from, n, at;
} segment;

typedef struct {
  int kind;
  int64_t room, n, n_segments; /* points there is room for and in use */
  double *z, *alpha, *beta, *pm, *out[SLOPES];
  segment *segments;
} slab;

static double weight(const fit_search *s, int64_t i) { return s->weight ? s->weight[i] : 1; }

static status slab_open(slab *b, int kind, int64_t points) {
  const int columns = kind ? SLOPES : 1;
  memset(b, 0, sizeof *b);
  b->kind = kind;
  b->room = points < SLAB ? points : SLAB;
  const int64_t runs = b->room / RUN;
  double *memory = malloc(sizeof(double) * (size_t)((1 + columns) * b->room + 3 * runs));
  b->segments = malloc(sizeof *b->segments * (size_t)runs);
  b->z = memory;
  if (!memory || !b->segments) return fail(STATUS_MEMORY, "stableFit: no memory for %lld points", (long long)b->room);
  for (int k = 0; k < columns; k++) b->out[k] = memory + (1 + k) * b->room;
  b->alpha = memory + (1 + columns) * b->room;
  b->beta = b->alpha + runs;
  b->pm = b->beta + runs;
  return STATUS_OK;
}

static void slab_close(slab *b) {
  free(b->z);
  free(b->segments);
}

/* ---- sums ---- */

/* Sums over observations of the derivatives of log f in alpha, beta and z and of the products that those with respect
 * to log(gamma) and delta/gamma take: z = (x - delta)/gamma. */
enum { S_A, S_B, S_Z, S_ZZ1, S_AA, S_AB, S_AZ, S_AZ1, S_BB, S_BZ, S_BZ1, S_Z2, S_Z21, S_Z22, SUMS };
enum { PRODUCTS = 10 };
typedef struct {
  double ll, sum[SUMS], product[PRODUCTS];
} sums;

/* careful: derivatives that are not finite count as 0. */
static sums add_up(const slab *b, const segment *g, int careful) {
  const double *const *o = (const double *const *)b->out;
  sums t;
  memset(&t, 0, sizeof t);
  for (int64_t i = 0; i < g->n; i++) {
    const int64_t at = g->at + i;
    const double z = b->z[at], w = weight(g->s, g->from + i);
    double d[SLOPES];
    for (int k = 0; k < SLOPES; k++) d[k] = careful && k > 0 && !isfinite(o[k][at]) ? 0 : o[k][at];
    const double a = d[SLOPE_A], c = d[SLOPE_B], lz = d[SLOPE_Z], scale = -1 - z * lz;
    const double wa = w * a, wc = w * c, wz = w * lz, ws = w * scale;
    t.ll += w * d[SLOPE_LOG_F];
    t.sum[S_A] += wa;
    t.sum[S_B] += wc;
    t.sum[S_Z] += wz;
    t.sum[S_ZZ1] += wz * z;
    t.sum[S_AA] += w * d[SLOPE_AA];
    t.sum[S_AB] += w * d[SLOPE_AB];
    t.sum[S_AZ] += w * d[SLOPE_AZ];
    t.sum[S_AZ1] += w * d[SLOPE_AZ] * z;
    t.sum[S_BB] += w * d[SLOPE_BB];
    t.sum[S_BZ] += w * d[SLOPE_BZ];
    t.sum[S_BZ1] += w * d[SLOPE_BZ] * z;
    t.sum[S_Z2] += w * d[SLOPE_ZZ];
    t.sum[S_Z21] += w * d[SLOPE_ZZ] * z;
    t.sum[S_Z22] += w * d[SLOPE_ZZ] * z * z;
    t.product[0] += wa * a;
    t.product[1] += wa * c;
    t.product[2] += wa * scale;
    t.product[3] -= wa * lz;
    t.product[4] += wc * c;
    t.product[5] += wc * scale;
    t.product[6] -= wc * lz;
    t.product[7] += ws * scale;
    t.product[8] -= ws * lz;
    t.product[9] += wz * lz;
  }
  return t;
}

/* ... into derivatives in theta; 0 for parameters that are not free. */
static void add_slope(fit_slope *d, int size, const sums *t, const fit_law *law, const int *free) {
  const double al = law->alpha, be = law->beta, *s = t->sum;
  const double da = 0.5 * al * (2 - al), db = (1 - be) * (1 + be); /* d alpha, d beta by theta */
  const double unit[4] = {da, db, 1, 1};
  const double info[4][4] = {
      {s[S_AA] * da * da + s[S_A] * da * (1 - al), s[S_AB] * da * db, -s[S_AZ1] * da, -s[S_AZ] * da},
      {0, s[S_BB] * db * db - 2 * be * db * s[S_B], -s[S_BZ1] * db, -s[S_BZ] * db},
      {0, 0, s[S_ZZ1] + s[S_Z22], s[S_Z] + s[S_Z21]},
      {0, 0, 0, s[S_Z2]}};
  d->ll += t->ll;
  const double g[4] = {s[S_A] * da, s[S_B] * db, -s[S_ZZ1], -s[S_Z]};
  for (int j = 0, at = 0; j < 4; j++)
    for (int k = j; k < 4; k++, at++) {
      if (!free[j] || !free[k]) continue;
      if (j == k) d->g[j] += g[j];
      d->info[j * size + k] -= info[j][k];
      d->scores[j * size + k] += t->product[at] * unit[j] * unit[k];
    }
}

/* ... and those in b/gamma, a point at a time: derivatives in delta/gamma times the columns. */
static void add_columns(const slab *b, const segment *g) {
  fit_search *s = g->s;
  const double da = 0.5 * s->ask->alpha * (2 - s->ask->alpha), db = (1 - s->ask->beta) * (1 + s->ask->beta);
  double *score = s->work, *second = score + s->size; /* first derivatives, and second ones with delta/gamma */
  for (int64_t i = 0; i < g->n && s->p->columns > 0; i++) {
    const double z = b->z[g->at + i], w = weight(s, g->from + i);
    double o[SLOPES];
    for (int k = 0; k < SLOPES; k++) o[k] = isfinite(b->out[k][g->at + i]) ? b->out[k][g->at + i] : 0;
    const double lz = o[SLOPE_Z], zz = o[SLOPE_ZZ];
    const double first_four[4] = {da * o[SLOPE_A], db * o[SLOPE_B], -1 - z * lz, -lz};
    const double second_four[4] = {-da * o[SLOPE_AZ], -db * o[SLOPE_BZ], lz + z * zz, zz};
    memcpy(score, first_four, sizeof first_four);
    memcpy(second, second_four, sizeof second_four);
    for (int k = FIT_PARS; k < s->size; k++) {
      const double q = s->p->q[g->from + i + (k - FIT_PARS) * s->n];
      score[k] = -lz * q;
      second[k] = zz * q;
      s->slope.g[k] += w * score[k];
      for (int j = 0; j <= k; j++) {
        s->slope.info[j * s->size + k] -= w * second[j] * q;
        s->slope.scores[j * s->size + k] += w * score[j] * score[k];
      }
    }
  }
}

static int sums_finite(const sums *t, const int *free) {
  double a = t->sum[S_Z] + t->sum[S_ZZ1] + t->sum[S_Z22];
  if (free[FIT_ALPHA]) a += t->sum[S_A] + t->sum[S_AA] + t->sum[S_AZ1];
  if (free[FIT_BETA]) a += t->sum[S_B] + t->sum[S_BB] + t->sum[S_BZ1];
  if (free[FIT_ALPHA] && free[FIT_BETA]) a += t->sum[S_AB];
  return isfinite(a);
}

/* ---- tasks ---- */

static status slab_flush(slab *b) {
  static const double one = 1, zero = 0;
  const int64_t runs = b->n / RUN;
  const column alpha = {b->alpha, runs}, beta = {b->beta, runs}, x = {b->z, b->n};
  const stable_parameters p = {alpha, beta, {&one, 1}, {&zero, 1}, {b->pm, runs}};
  status st = STATUS_OK;
  if (b->n == 0) return st;
  if (b->kind == 0) st = stable_density(b->n, RUN, x, p, 1, b->out[0]);
  else st = stable_slopes(b->n, RUN, b->z, alpha, beta, b->kind - 1, b->out);
  for (int64_t k = 0; k < b->n_segments && st == STATUS_OK; k++) {
    const segment *g = b->segments + k;
    fit_search *s = g->s;
    if (b->kind == 0) {
      for (int64_t i = 0; i < g->n; i++) s->ll[g->law] += weight(s, g->from + i) * b->out[0][g->at + i];
    } else {
      sums t = add_up(b, g, 0);
      if (!sums_finite(&t, s->free)) t = add_up(b, g, 1);
      add_slope(&s->slope, s->size, &t, s->ask, s->free);
      add_columns(b, g);
    }
    s->densities += g->n;
  }
  b->n = b->n_segments = 0;
  return st;
}

static status slab_add(slab *b, fit_search *s, int law) {
  const fit_law *l = s->ask + law;
  for (int64_t from = 0; from < s->n;) {
    const int64_t free_runs = (b->room - b->n) / RUN, runs_left = (s->n - from + RUN - 1) / RUN;
    const int64_t runs = runs_left < free_runs ? runs_left : free_runs;
    /* no sample is cut that fits a slab: sums do not depend on the others in it */
    if (runs == 0 || (runs < runs_left && runs_left <= b->room / RUN)) {
      const status st = slab_flush(b);
      if (st != STATUS_OK) return st;
      continue;
    }
    const int64_t n = s->n - from < runs * RUN ? s->n - from : runs * RUN;
    const segment g = {s, law, from, n, b->n};
    double *z = b->z + b->n;
    for (int64_t i = 0; i < n; i++) z[i] = (fit_rest(s, l->b, from + i) - l->delta) / l->gamma;
    for (int64_t i = n; i < runs * RUN; i++) z[i] = z[n - 1];
    for (int64_t k = b->n / RUN; k < b->n / RUN + runs; k++) {
      b->alpha[k] = l->alpha;
      b->beta[k] = l->beta;
      b->pm[k] = l->frame;
    }
    b->segments[b->n_segments++] = g;
    b->n += runs * RUN;
    from += n;
  }
  return STATUS_OK;
}

static int kind_of(const fit_search *s) { return s->slopes ? 1 + s->ask[0].frame : 0; }

static status answer_kind(fit_search **s, int64_t m, int kind) {
  slab b;
  int64_t points = 0;
  for (int64_t i = 0; i < m; i++)
    if (kind_of(s[i]) == kind) points += s[i]->asked * ((s[i]->n + RUN - 1) / RUN * RUN);
  if (points == 0) return STATUS_OK;
  status st = slab_open(&b, kind, points);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++)
    for (int k = 0; k < s[i]->asked && kind_of(s[i]) == kind && st == STATUS_OK; k++) st = slab_add(&b, s[i], k);
  if (st == STATUS_OK) st = slab_flush(&b);
  slab_close(&b);
  return st;
}

/* ---- censored observations ---- */

/* log(e^a - e^b), a >= b */
static double log_difference(double a, double b) {
  if (b == -HUGE_VAL) return a;
  const double d = b - a;
  return a + (d > -0.6931471805599453 ? log(-expm1(d)) : log1p(-exp(d)));
}

/* Sums of log P(low < X <= high) over the censored observations for m distributions. */
static status censored_likelihoods(const fit_search *s, const fit_law *law, int m, double *ll) {
  enum { PART = 2048 };
  double x[2 * PART], f[2 * PART], below[2 * PART], above[2 * PART];
  double *const out[3] = {f, below, above};
  for (int k = 0; k < m; k++) ll[k] = 0;
  for (int k = 0; k < m; k++)
    for (int64_t from = 0; from < s->n_censored; from += PART) {
      const int64_t n = s->n_censored - from < PART ? s->n_censored - from : PART;
      const double pm = law[k].frame;
      const stable_parameters p = {{&law[k].alpha, 1}, {&law[k].beta, 1}, {&law[k].gamma, 1}, {&law[k].delta, 1},
                                   {&pm, 1}};
      memcpy(x, s->low + from, sizeof(double) * (size_t)n);
      memcpy(x + n, s->high + from, sizeof(double) * (size_t)n);
      const column xs = {x, 2 * n};
      const status st = stable_joint(2 * n, 2 * n, xs, p, 1, out, NULL);
      if (st != STATUS_OK) return st;
      for (int64_t i = 0; i < n; i++) {
        /* from the side where both probabilities are small */
        const double mass = above[i] < below[n + i] ? log_difference(above[i], above[n + i])
                                                     : log_difference(below[n + i], below[i]);
        ll[k] += s->censored[from + i] * mass;
      }
    }
  return STATUS_OK;
}

/* Their derivatives in theta are differences. */
static status censored_slope(fit_search *s) {
  enum { LAWS = 1 + 4 * 4 + 2 * 6 };
  static const double step = 2e-3;
  const fit_law *law = s->ask;
  const int size = s->size;
  fit_law moved[LAWS] = {*law};
  double ll[LAWS], reach[4] = {step, step, step, step * stable_core_width(law->alpha, law->beta, law->frame)};
  int m = 1, straight[4], corner[4][4];
  for (int j = 0; j < 4; j++) {
    straight[j] = m;
    for (int k = -2; k <= 2 && s->free[j]; k++) {
      const double to[4] = {k * reach[0] * (j == 0), k * reach[1] * (j == 1), k * reach[2] * (j == 2),
                            k * reach[3] * (j == 3)};
      if (k != 0) fit_move(s, law, to, 1, moved + m++);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < j; k++) {
      corner[j][k] = m;
      for (int sign = -1; sign <= 1 && s->free[j] && s->free[k]; sign += 2) {
        double to[4] = {0};
        to[j] = sign * reach[j];
        to[k] = sign * reach[k];
        fit_move(s, law, to, 1, moved + m++);
      }
    }
  const status st = censored_likelihoods(s, moved, m, ll);
  if (st != STATUS_OK) return st;
  s->densities += m * s->n_censored;
  s->slope.ll += ll[0];
  for (int j = 0; j < 4; j++) {
    if (!s->free[j]) continue;
    const double *f = ll + straight[j];
    s->slope.g[j] += first_difference(f, reach[j]);
    s->slope.info[j * size + j] -= second_difference(ll[0], f, reach[j]);
    for (int k = 0; k < j; k++) {
      if (!s->free[k]) continue;
      s->slope.info[k * size + j] -=
          mixed_difference(ll[0], ll + corner[j][k], f, ll + straight[k], reach[j] * reach[k]);
    }
  }
  return STATUS_OK;
}

static status answer_censored(fit_search *s) {
  double ll[FIT_ASKED];
  if (s->n_censored == 0) return STATUS_OK;
  if (s->slopes) return censored_slope(s);
  const status st = censored_likelihoods(s, s->ask, s->asked, ll);
  for (int k = 0; k < s->asked && st == STATUS_OK; k++) s->ll[k] += ll[k];
  s->densities += s->asked * s->n_censored;
  return st;
}

/* ---- answers ---- */

/* What the scale adds, the lower triangles, and no likelihood that is not a number. */
static void complete(fit_search *s) {
  for (int k = 0; k < s->asked; k++) {
    double *ll = s->slopes ? &s->slope.ll : s->ll + k;
    *ll -= s->total_exact * log(s->ask[k].gamma);
    if (isnan(*ll)) *ll = -HUGE_VAL;
  }
  if (!s->slopes) return;
  if (s->free[FIT_GAMMA]) s->slope.g[FIT_GAMMA] -= s->total_exact;
  for (int j = 0, n = s->size; j < n; j++)
    for (int k = 0; k < j; k++) {
      s->slope.info[j * n + k] = s->slope.info[k * n + j];
      s->slope.scores[j * n + k] = s->slope.scores[k * n + j];
    }
}

status fit_answer(fit_search **s, int64_t m) {
  status st = STATUS_OK;
  for (int64_t i = 0; i < m; i++) {
    memset(s[i]->ll, 0, sizeof s[i]->ll);
    s[i]->slope.ll = 0;
    memset(s[i]->slope.g, 0, sizeof(double) * (size_t)fit_slope_size(s[i]->size));
  }
  for (int kind = 0; kind < KINDS && st == STATUS_OK; kind++) st = answer_kind(s, m, kind);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    st = answer_censored(s[i]);
    complete(s[i]);
  }
  return st;
}
