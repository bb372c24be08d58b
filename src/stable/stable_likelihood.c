/* stable_likelihood.c: log likelihoods of stable distributions, their gradients and second derivatives, for many
 * searches at once. The observations of all questions of a round are laid out in runs of RUN points that share a
 * distribution (the last run of a sample is filled up with its last value) in a slab; each full slab is one task. */
#include "stable/stable_likelihood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/exact_sum.h"
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

/* careful: derivatives that are not finite count as 0. */
static void add_up(const slab *b, const segment *g, int careful, double *sums) {
  const double *const *o = (const double *const *)b->out;
  double t[SLOPE_SUMS] = {0};
  for (int64_t i = 0; i < g->n; i++) {
    const int64_t at = g->at + i;
    const double z = b->z[at], w = fit_weight(g->q->sample, g->from + i);
    double d[SLOPES];
    for (int k = 0; k < SLOPES; k++) d[k] = careful && k > 0 && !isfinite(o[k][at]) ? 0 : o[k][at];
    const double a = d[SLOPE_A], c = d[SLOPE_B], lz = d[SLOPE_Z], scale = -1 - z * lz;
    const double wa = w * a, wc = w * c, wz = w * lz, ws = w * scale;
    t[S_LOG_F] += w * d[SLOPE_LOG_F];
    t[S_A] += wa;
    t[S_B] += wc;
    t[S_Z] += wz;
    t[S_ZZ1] += wz * z;
    t[S_AA] += w * d[SLOPE_AA];
    t[S_AB] += w * d[SLOPE_AB];
    t[S_AZ] += w * d[SLOPE_AZ];
    t[S_AZ1] += w * d[SLOPE_AZ] * z;
    t[S_BB] += w * d[SLOPE_BB];
    t[S_BZ] += w * d[SLOPE_BZ];
    t[S_BZ1] += w * d[SLOPE_BZ] * z;
    t[S_Z2] += w * d[SLOPE_ZZ];
    t[S_Z21] += w * d[SLOPE_ZZ] * z;
    t[S_Z22] += w * d[SLOPE_ZZ] * z * z;
    t[S_PRODUCTS] += wa * a;
    t[S_PRODUCTS + 1] += wa * c;
    t[S_PRODUCTS + 2] += wa * scale;
    t[S_PRODUCTS + 3] -= wa * lz;
    t[S_PRODUCTS + 4] += wc * c;
    t[S_PRODUCTS + 5] += wc * scale;
    t[S_PRODUCTS + 6] -= wc * lz;
    t[S_PRODUCTS + 7] += ws * scale;
    t[S_PRODUCTS + 8] -= ws * lz;
    t[S_PRODUCTS + 9] += wz * lz;
  }
  memcpy(sums, t, sizeof t);
}

/* ... into derivatives in theta; 0 for parameters that are not free. */
static void add_slope(fit_question *q, const double *s) {
  fit_slope *d = &q->slope;
  const fit_distribution *distribution = q->distribution;
  const int size = q->theta->size, *free = q->theta->free;
  const double al = distribution->alpha, be = distribution->beta;
  const double da = 0.5 * al * (2 - al), db = (1 - be) * (1 + be); /* d alpha, d beta by theta */
  const double unit[4] = {da, db, 1, 1};
  const double info[4][4] = {
      {s[S_AA] * da * da + s[S_A] * da * (1 - al), s[S_AB] * da * db, -s[S_AZ1] * da, -s[S_AZ] * da},
      {0, s[S_BB] * db * db - 2 * be * db * s[S_B], -s[S_BZ1] * db, -s[S_BZ] * db},
      {0, 0, s[S_ZZ1] + s[S_Z22], s[S_Z] + s[S_Z21]},
      {0, 0, 0, s[S_Z2]}};
  d->ll += s[S_LOG_F];
  const double g[4] = {s[S_A] * da, s[S_B] * db, -s[S_ZZ1], -s[S_Z]};
  for (int j = 0, at = 0; j < 4; j++)
    for (int k = j; k < 4; k++, at++) {
      if (!free[j] || !free[k]) continue;
      if (j == k) d->g[j] += g[j];
      d->info[j * size + k] -= info[j][k];
      d->scores[j * size + k] += s[S_PRODUCTS + at] * unit[j] * unit[k];
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

static int sums_finite(const double *t, const int *free) {
  double a = t[S_Z] + t[S_ZZ1] + t[S_Z22];
  if (free[ALPHA]) a += t[S_A] + t[S_AA] + t[S_AZ1];
  if (free[BETA]) a += t[S_B] + t[S_BB] + t[S_BZ1];
  if (free[ALPHA] && free[BETA]) a += t[S_AB];
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
      double t[SLOPE_SUMS];
      add_up(b, g, 0, t);
      if (!sums_finite(t, q->theta->free)) add_up(b, g, 1, t);
      add_slope(q, t);
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

static int kind_of(const fit_question *q) {
  return q->answered ? -1 : q->slopes ? 1 + q->distribution[0].frame : 0;
}

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

/* ---- observations that stay on a device ---- */

/* Number c of all segments. */
static double over_segments(const stable_observed *o, const double *numbers, int each, int c) {
  exact_sum s = {0, 0};
  for (int32_t k = 0; k < o->segments; k++) exact_add(&s, numbers[k * each + c]);
  return isfinite(s.lost) ? exact_total(s) : s.sum;
}

/* Derivatives in b/gamma, from sums over points; as add_columns(). */
static void add_column_sums(fit_question *q, const double *numbers, int each) {
  const stable_observed *o = q->sample->observed;
  const int size = q->theta->size;
  const double alpha = q->distribution->alpha, beta = q->distribution->beta;
  const double da = 0.5 * alpha * (2 - alpha), db = (1 - beta) * (1 + beta);
  int c = SLOPE_FIRST + SLOPE_SUMS;
  for (int k = STABLE_PARS; k < size; k++) {
    double s[COLUMN_SUMS];
    for (int j = 0; j < COLUMN_SUMS; j++) s[j] = over_segments(o, numbers, each, c++);
    const double second[4] = {-da * s[C_AZ], -db * s[C_BZ], s[C_Z1], s[C_ZZ]};
    const double score[4] = {-da * s[C_SCORES], -db * s[C_SCORES + 1], -s[C_SCORES + 2], s[C_SCORES + 3]};
    q->slope.g[k] -= s[C_Z];
    for (int j = 0; j < 4; j++) {
      q->slope.info[j * size + k] -= second[j];
      q->slope.scores[j * size + k] += score[j];
    }
  }
  for (int k = STABLE_PARS; k < size; k++)
    for (int j = STABLE_PARS; j <= k; j++) {
      q->slope.info[j * size + k] -= over_segments(o, numbers, each, c++);
      q->slope.scores[j * size + k] += over_segments(o, numbers, each, c++);
    }
}

/* The points whose derivatives devices do not have, and these; 0 where they are too many. */
static int take_unknown(fit_question *q, const double *numbers, int each, slab *b) {
  const stable_observed *o = q->sample->observed;
  const fit_distribution *l = q->distribution;
  for (int32_t k = 0; k < o->segments; k++) {
    const double *of = numbers + k * each;
    if (of[0] > UNKNOWN_PLACES) return 0;
    for (int j = 1; j <= (int)of[0]; j++) {
      if (of[j] < 0 || b->n_segments == b->room / RUN) return 0;
      const segment g = {q, 0, (int64_t)k * o->segment + (int64_t)of[j], 1, b->n};
      b->z[b->n++] = (fit_rest(q->sample, l->b, g.from) - l->delta) / l->gamma;
      b->segments[b->n_segments++] = g;
    }
  }
  return 1;
}

static void add_all(const fit_question *q, const double *numbers, int each, const slab *b, int careful, double *t) {
  double one[SLOPE_SUMS];
  for (int c = 0; c < SLOPE_SUMS; c++) t[c] = over_segments(q->sample->observed, numbers, each, SLOPE_FIRST + c);
  for (int64_t k = 0; k < b->n_segments; k++) {
    add_up(b, b->segments + k, careful, one);
    for (int c = 0; c < SLOPE_SUMS; c++) t[c] += one[c];
  }
}

static status answer_slope(fit_question *q, const stable_member *member, double *numbers, int each) {
  const stable_observed *o = q->sample->observed;
  slab b;
  double t[SLOPE_SUMS];
  status st = slab_open(&b, 1 + member->frame, (int64_t)UNKNOWN_PLACES * o->segments * RUN);
  if (st == STATUS_OK && take_unknown(q, numbers, each, &b)) {
    const column alpha = {&member->alpha, 1}, beta = {&member->beta, 1};
    if (b.n > 0) st = stable_slopes(b.n, b.n, b.z, alpha, beta, member->frame, b.out);
    add_all(q, numbers, each, &b, 0, t);
    if (st == STATUS_OK && !sums_finite(t, q->theta->free)) {
      st = stable_observed_sums(o, 1, member, 1, 1, numbers);
      add_all(q, numbers, each, &b, 1, t);
    }
    if (st == STATUS_OK) {
      add_slope(q, t);
      if (o->columns > 0) add_column_sums(q, numbers, each);
      for (int64_t k = 0; k < b.n_segments; k++) add_columns(&b, b.segments + k);
      q->answered = 1;
    }
  }
  slab_close(&b);
  return st;
}

/* Where memory is short, or derivatives of many points are not known, the question remains. */
static status answer_there(fit_question *q) {
  const stable_observed *o = q->sample->observed;
  const int each = o ? stable_observed_numbers(o, q->slopes) : 0, m = q->slopes ? 1 : q->asked;
  stable_member member[FIT_ASKED];
  for (int k = 0; k < m; k++) {
    const fit_distribution *l = q->distribution + k;
    if (!o || l->frame == 2 || !(l->gamma > 0)) return STATUS_OK;
    member[k] = (stable_member){l->alpha, l->beta, l->gamma, l->delta, l->frame, l->b};
  }
  if (m == 0) return STATUS_OK;
  double *numbers = malloc(sizeof *numbers * (size_t)(m * each) * (size_t)o->segments);
  status st = numbers ? stable_observed_sums(o, m, member, q->slopes, 0, numbers) : STATUS_MEMORY;
  if (st == STATUS_OK && q->slopes) st = answer_slope(q, member, numbers, each);
  for (int k = 0; k < m && st == STATUS_OK && !q->slopes; k++) {
    q->ll[k] = over_segments(o, numbers + (int64_t)k * o->segments, 1, 0);
    q->answered = 1;
  }
  if (q->answered) q->densities += m * q->sample->n;
  free(numbers);
  return st == STATUS_MEMORY ? STATUS_OK : st;
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
        /* a distribution without mass in the range of truncated observations is none of them */
        ll[k] += mass == -HUGE_VAL ? -HUGE_VAL : s->censored[from + i] * mass;
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
    q[i]->answered = 0;
    if (q[i]->slopes) fit_slope_clear(q[i]->theta, &q[i]->slope);
    if (st == STATUS_OK) st = answer_there(q[i]);
  }
  for (int kind = 0; kind < KINDS && st == STATUS_OK; kind++) st = answer_kind(q, m, kind);
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    st = answer_censored(q[i]);
    complete(q[i]);
  }
  return st;
}
