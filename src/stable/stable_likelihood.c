/* stable_likelihood.c: log likelihoods of stable distributions, their gradients and second derivatives, for many
 * searches at once. The observations of all questions of a round are laid out in runs of RUN points that share a
 * distribution (the last run of a sample is filled up with its last value) in a slab; each full slab is one task. */
#include "stable/stable_likelihood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable/differences.h"

/* SLAB: points of a slab, which has more on devices that are busy with no fewer, and the most of a segment, so that
 * sums do not depend on them; KINDS: likelihoods alone; slopes in frames 0, 1 and 2 */
enum { RUN = 64, SLAB = 1 << 17, KINDS = 4 };

/* n observations of a sample from one on, at points at, at + 1, ... of the slab, under one distribution of the
 * question. */
typedef struct {
  fit_question *q;
  int distribution;
  int64_t from, n, at;
} segment;

typedef struct {
  int kind;
  int64_t room, n, n_segments; /* points there is room for and in use */
  double *z, *alpha, *beta, *pm, *out[SLOPES];
  segment *segments;
} slab;

void fit_question_take(fit_question *q, double *memory, int64_t *used) {
  fit_slope_take(q->theta, &q->slope, memory, used);
  fit_distributions_take(q->theta, q->distribution, FIT_ASKED, memory, used);
  q->score = fit_take(memory, used, 2 * q->theta->size);
}

void fit_ask_slope(fit_question *q, fit_distribution distribution) {
  fit_put(q->theta, q->distribution, distribution);
  q->asked = q->slopes = 1;
}

void fit_ask_likelihoods(fit_question *q, int n) {
  q->asked = n;
  q->slopes = 0;
}

int fit_best(const fit_question *q) {
  int best = 0;
  for (int k = 1; k < q->asked; k++)
    if (q->ll[k] > q->ll[best]) best = k;
  return best;
}

/* ---- slabs ---- */

static status slab_open(slab *b, int kind, int64_t points) {
  const int columns = kind ? SLOPES : 1;
  memset(b, 0, sizeof *b);
  b->kind = kind;
  const int64_t fill = 2 * backend_fill(); /* a chunk at work and one on its way */
  b->room = at_most(points, fill > SLAB ? fill : SLAB);
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
    const double z = b->z[at], w = fit_weight(g->q->sample, g->from + i);
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
static void add_slope(fit_question *q, const sums *t) {
  fit_slope *d = &q->slope;
  const fit_distribution *distribution = q->distribution;
  const int size = q->theta->size, *free = q->theta->free;
  const double al = distribution->alpha, be = distribution->beta, *s = t->sum;
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
  fit_question *q = g->q;
  const fit_sample *s = q->sample;
  const int size = q->theta->size;
  const double alpha = q->distribution->alpha, beta = q->distribution->beta;
  const double da = 0.5 * alpha * (2 - alpha), db = (1 - beta) * (1 + beta);
  double *score = q->score, *second = score + size; /* first derivatives, and second ones with delta/gamma */
  for (int64_t i = 0; i < g->n && s->p->columns > 0; i++) {
    const double z = b->z[g->at + i], w = fit_weight(s, g->from + i);
    double o[SLOPES];
    for (int k = 0; k < SLOPES; k++) o[k] = isfinite(b->out[k][g->at + i]) ? b->out[k][g->at + i] : 0;
    const double lz = o[SLOPE_Z], zz = o[SLOPE_ZZ];
    const double first_four[4] = {da * o[SLOPE_A], db * o[SLOPE_B], -1 - z * lz, -lz};
    const double second_four[4] = {-da * o[SLOPE_AZ], -db * o[SLOPE_BZ], lz + z * zz, zz};
    memcpy(score, first_four, sizeof first_four);
    memcpy(second, second_four, sizeof second_four);
    for (int k = STABLE_PARS; k < size; k++) {
      const double at = s->p->q[g->from + i + (k - STABLE_PARS) * s->n];
      score[k] = -lz * at;
      second[k] = zz * at;
      q->slope.g[k] += w * score[k];
      for (int j = 0; j <= k; j++) {
        q->slope.info[j * size + k] -= w * second[j] * at;
        q->slope.scores[j * size + k] += w * score[j] * score[k];
      }
    }
  }
}

static int sums_finite(const sums *t, const int *free) {
  double a = t->sum[S_Z] + t->sum[S_ZZ1] + t->sum[S_Z22];
  if (free[ALPHA]) a += t->sum[S_A] + t->sum[S_AA] + t->sum[S_AZ1];
  if (free[BETA]) a += t->sum[S_B] + t->sum[S_BB] + t->sum[S_BZ1];
  if (free[ALPHA] && free[BETA]) a += t->sum[S_AB];
  return isfinite(a);
}

/* ---- tasks ---- */

static status slab_flush(slab *b) {
  const int64_t runs = b->n / RUN;
  const stable_parameters p = stable_standard((column){b->alpha, runs}, (column){b->beta, runs},
                                              (column){b->pm, runs});
  status st = STATUS_OK;
  if (b->n == 0) return st;
  if (b->kind == 0) st = stable_density(b->n, RUN, (column){b->z, b->n}, p, 1, b->out[0]);
  else st = stable_slopes(b->n, RUN, b->z, p.alpha, p.beta, b->kind - 1, b->out);
  for (int64_t k = 0; k < b->n_segments && st == STATUS_OK; k++) {
    const segment *g = b->segments + k;
    fit_question *q = g->q;
    if (b->kind == 0) {
      for (int64_t i = 0; i < g->n; i++)
        q->ll[g->distribution] += fit_weight(q->sample, g->from + i) * b->out[0][g->at + i];
    } else {
      sums t = add_up(b, g, 0);
      if (!sums_finite(&t, q->theta->free)) t = add_up(b, g, 1);
      add_slope(q, &t);
      add_columns(b, g);
    }
    q->densities += g->n;
  }
  b->n = b->n_segments = 0;
  return st;
}

static status slab_add(slab *b, fit_question *q, int distribution) {
  const fit_distribution *l = q->distribution + distribution;
  const fit_sample *s = q->sample;
  for (int64_t from = 0; from < s->n;) {
    const int64_t free_runs = (b->room - b->n) / RUN, runs_left = (s->n - from + RUN - 1) / RUN;
    const int64_t runs = at_most(runs_left, SLAB / RUN);
    if (runs > free_runs) {
      const status st = slab_flush(b);
      if (st != STATUS_OK) return st;
      continue;
    }
    const int64_t n = s->n - from < runs * RUN ? s->n - from : runs * RUN;
    const segment g = {q, distribution, from, n, b->n};
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

static int kind_of(const fit_question *q) { return q->slopes ? 1 + q->distribution[0].frame : 0; }

static status answer_kind(fit_question **q, int64_t m, int kind) {
  slab b;
  int64_t points = 0;
  for (int64_t i = 0; i < m; i++)
    if (kind_of(q[i]) == kind) points += q[i]->asked * ((q[i]->sample->n + RUN - 1) / RUN * RUN);
  if (points == 0) return STATUS_OK;
  status st = slab_open(&b, kind, points);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++)
    for (int k = 0; k < q[i]->asked && kind_of(q[i]) == kind && st == STATUS_OK; k++) st = slab_add(&b, q[i], k);
  if (st == STATUS_OK) st = slab_flush(&b);
  slab_close(&b);
  return st;
}

/* ---- censored observations ---- */

/* log(e^a - e^b), a >= b */
static double log_difference(double a, double b) {
  return b == -HUGE_VAL ? a : a + log_other(b - a);
}

/* Sums of log P(low < X <= high) over the censored observations for m distributions. */
static status censored_likelihoods(const fit_sample *s, const fit_distribution *distribution, int m, double *ll) {
  enum { PART = 2048 };
  double x[2 * PART], f[2 * PART], below[2 * PART], above[2 * PART];
  double *const out[3] = {f, below, above};
  for (int k = 0; k < m; k++) ll[k] = 0;
  for (int k = 0; k < m; k++)
    for (int64_t from = 0; from < s->n_censored; from += PART) {
      const int64_t n = s->n_censored - from < PART ? s->n_censored - from : PART;
      const fit_distribution *at = distribution + k;
      const double pm = at->frame;
      const stable_parameters p = {{&at->alpha, 1}, {&at->beta, 1}, {&at->gamma, 1}, {&at->delta, 1}, {&pm, 1}};
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
static status censored_slope(fit_question *q) {
  enum { DISTRIBUTIONS = 1 + 4 * 4 + 2 * 6 };
  static const double step = 2e-3;
  const fit_distribution *distribution = q->distribution;
  const int size = q->theta->size, *free = q->theta->free;
  fit_distribution moved[DISTRIBUTIONS] = {*distribution};
  const double core = stable_core_width(distribution->alpha, distribution->beta, distribution->frame);
  double ll[DISTRIBUTIONS], reach[4] = {step, step, step, step * core};
  int m = 1, straight[4], corner[4][4];
  for (int j = 0; j < 4; j++) {
    straight[j] = m;
    for (int k = -2; k <= 2 && free[j]; k++) {
      double to[4] = {0};
      to[j] = k * reach[j];
      if (k != 0) fit_move(q->theta, distribution, to, 1, moved + m++);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < j; k++) {
      corner[j][k] = m;
      for (int sign = -1; sign <= 1 && free[j] && free[k]; sign += 2) {
        double to[4] = {0};
        to[j] = sign * reach[j];
        to[k] = sign * reach[k];
        fit_move(q->theta, distribution, to, 1, moved + m++);
      }
    }
  const status st = censored_likelihoods(q->sample, moved, m, ll);
  if (st != STATUS_OK) return st;
  q->densities += m * q->sample->n_censored;
  q->slope.ll += ll[0];
  for (int j = 0; j < 4; j++) {
    if (!free[j]) continue;
    const double *f = ll + straight[j];
    q->slope.g[j] += first_difference(f, reach[j]);
    q->slope.info[j * size + j] -= second_difference(ll[0], f, reach[j]);
    for (int k = 0; k < j; k++) {
      if (!free[k]) continue;
      q->slope.info[k * size + j] -=
          mixed_difference(ll[0], ll + corner[j][k], f, ll + straight[k], reach[j] * reach[k]);
    }
  }
  return STATUS_OK;
}

static status answer_censored(fit_question *q) {
  double ll[FIT_ASKED];
  if (q->sample->n_censored == 0) return STATUS_OK;
  if (q->slopes) return censored_slope(q);
  const status st = censored_likelihoods(q->sample, q->distribution, q->asked, ll);
  for (int k = 0; k < q->asked && st == STATUS_OK; k++) q->ll[k] += ll[k];
  q->densities += q->asked * q->sample->n_censored;
  return st;
}

/* ---- answers ---- */

/* What the scale adds, the lower triangles, and no likelihood that is not a number. */
static void complete(fit_question *q) {
  for (int k = 0; k < q->asked; k++) {
    double *ll = q->slopes ? &q->slope.ll : q->ll + k;
    *ll -= q->sample->total_exact * log(q->distribution[k].gamma);
    if (isnan(*ll)) *ll = -HUGE_VAL;
  }
  if (!q->slopes) return;
  if (q->theta->free[GAMMA]) q->slope.g[GAMMA] -= q->sample->total_exact;
  for (int j = 0, n = q->theta->size; j < n; j++)
    for (int k = 0; k < j; k++) {
      q->slope.info[j * n + k] = q->slope.info[k * n + j];
      q->slope.scores[j * n + k] = q->slope.scores[k * n + j];
    }
}

status fit_answer(fit_question **q, int64_t m) {
  status st = STATUS_OK;
  for (int64_t i = 0; i < m; i++) {
    memset(q[i]->ll, 0, sizeof q[i]->ll);
    if (q[i]->slopes) fit_slope_clear(q[i]->theta, &q[i]->slope);
  }
  for (int kind = 0; kind < KINDS && st == STATUS_OK; kind++) st = answer_kind(q, m, kind);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    st = answer_censored(q[i]);
    complete(q[i]);
  }
  return st;
}
