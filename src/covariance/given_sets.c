/* given_sets.c: places are taken set by set, some thousand sets at a time. */
#include "covariance/given_sets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"

/* Sums are of groups of places, and then of these in turn, whatever the number of threads. */
enum { MOST_PAIRS = 1 << 20, GROUP = 32 };

/* Sets of places first, ..., first + sets - 1 of those that are asked for. work: numbers for each thread. */
typedef struct {
  const given_sets *s;
  const given_covariances *c;
  given_batch in;
  int64_t first, work, most; /* most places there is room for */
  int64_t *place, *pair;
  int32_t *index;
  double *value, *memory, *out;
  int weights;
} batch;

static int64_t asked(const given_sets *s) { return s->n - s->ahead; }
static int64_t sums_before(const given_sets *s) { return (1 + s->count) * (1 + (int64_t)s->columns * s->columns); }
int64_t given_sums_size(const given_sets *s) { return sums_before(s) + (int64_t)s->count * s->count; }

void given_room(const given_sets *s, int64_t *places, int64_t *pairs) {
  const int64_t n = asked(s), q = s->most + 1, own = q * (q + 1) / 2;
  *pairs = (n > MOST_PAIRS / own ? MOST_PAIRS : n * own) + own;
  *places = 4 * *pairs / (q + 1) + q;
}

/* Members of all sets from `first` on, as many as there is room for. */
static void find_members(batch *b, int64_t room, int64_t first) {
  const given_sets *s = b->s;
  given_batch *in = &b->in;
  b->first = first;
  b->in = (given_batch){0, 0, 0, b->place, b->pair, b->index};
  for (int64_t i = first; i < asked(s); i++) {
    const int64_t here = in->places;
    if (in->sets && (in->pairs + (s->most + 1) * (s->most + 2) / 2 > room || here + s->most + 1 > b->most)) break;
    b->place[in->sets] = here;
    b->pair[in->sets++] = in->pairs;
    for (int64_t k = 0; k < s->most; k++) {
      const int other = s->member[i * s->most + k];
      if (other >= 1) b->index[in->places++] = other - 1;
    }
    b->index[in->places++] = (int32_t)(s->ahead + i);
    in->pairs += (in->places - here) * (in->places - here + 1) / 2;
  }
  b->place[in->sets] = in->places;
}

/* The factor of the matrix of set k, by rows: 0 where it is not positive definite. With `last` the variance of the
 * last place goes there, which may be 0, as for a new place at one of the others, and the factor has 1 for its
 * root. */
static int factor_set(const batch *b, int64_t k, int64_t q, double *l, double *last) {
  int64_t at = b->pair[k];
  for (int64_t j = 0; j < q; j++)
    for (int64_t i = j; i < q; i++, at++) l[i * q + j] = b->value[at];
  for (int64_t i = 0; i < q; i++) {
    const double own = l[i * q + i] += b->s->diagonal[b->index[b->place[k] + i]];
    for (int64_t j = 0; j <= i; j++) {
      double left = l[i * q + j];
      const double *li = l + i * q, *lj = l + j * q;
#pragma omp simd reduction(- : left)
      for (int64_t c = 0; c < j; c++) left -= li[c] * lj[c];
      const int sound = left > 4 * DBL_EPSILON * own;
      if (j < i) l[i * q + j] = left / l[j * q + j];
      else if (last && i == q - 1) *last = sound ? left : 0, l[i * q + i] = 1;
      else if (!sound) return 0;
      else l[i * q + i] = sqrt(left);
    }
  }
  return 1;
}

/* inv(l') e in the place of e, and inv(l) e */
static void solve_back(int64_t q, const double *l, double *e) {
  for (int64_t i = q - 1; i >= 0; i--) {
    const double x = e[i] /= l[i * q + i];
    for (int64_t c = 0; c < i; c++) e[c] -= l[i * q + c] * x;
  }
}

static void solve_ahead(int64_t q, const double *l, double *e) {
  for (int64_t i = 0; i < q; i++) {
    double left = e[i];
#pragma omp simd reduction(- : left)
    for (int64_t c = 0; c < i; c++) left -= l[i * q + c] * e[c];
    e[i] = left / l[i * q + i];
  }
}

static double product(int64_t n, const double *a, const double *b) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void last_row(int64_t q, const double *l, double *u) {
  memset(u, 0, (size_t)q * sizeof *u);
  u[q - 1] = 1;
  solve_back(q, l, u);
}

/* ---- rows ---- */

static void give_row(const batch *b, int64_t k, double *work) {
  const given_sets *s = b->s;
  const int64_t q = b->place[k + 1] - b->place[k], n = s->n, rows = asked(s);
  const int32_t *index = b->index + b->place[k];
  double *l = work, *u = work + q * q, *out = b->out + b->first + k;
  double variance = 0;
  const int sound = factor_set(b, k, q, l, &variance);
  const int columns = b->weights ? (int)s->most : s->columns;
  out[0] = sound ? variance : -INFINITY;
  if (sound) last_row(q, l, u);
  for (int c = 0, at = 0; c < columns; c++) {
    double value = 0;
    if (b->weights) value = s->member[(b->first + k) * s->most + c] >= 1 && sound ? -u[at++] / u[q - 1] : 0;
    else for (int64_t i = 0; i < q - 1 && sound; i++) value -= u[i] / u[q - 1] * s->column[c * n + index[i]];
    out[(c + 1) * rows] = value;
  }
}

/* ---- sums ---- */

/* With w = u v and a = u' S_k u, d log variance = a and dw = -g' inv(S) v + a w/2; the information is
 * g' inv(S) g - a a/2. work: the factor, u, columns of inv(S) v, and those of g. */
static void add_sums(const batch *b, int64_t k, double *work, double *sum, double *bad, int thread) {
  const given_sets *s = b->s;
  const int64_t q = b->place[k + 1] - b->place[k], n = s->n, columns = s->columns;
  const int32_t *index = b->index + b->place[k];
  double *l = work, *u = l + q * q, *solved = u + q, *g = solved + q * columns, *w = g + q * s->count;
  double *moved = w + columns, *a = moved + columns;
  if (!factor_set(b, k, q, l, NULL)) {
    if (*bad == 0) *bad = (double)(b->first + k + 1);
    return;
  }
  last_row(q, l, u);
  *sum++ += 2 * log(l[q * q - 1]);
  for (int64_t c = 0; c < columns; c++) {
    double *v = solved + c * q;
    for (int64_t i = 0; i < q; i++) v[i] = s->column[c * n + index[i]];
    w[c] = product(q, u, v);
  }
  for (int64_t c = 0; c < columns; c++)
    for (int64_t d = 0; d < columns; d++) *sum++ += w[c] * w[d];
  if (!s->count) return;
  for (int64_t c = 0; c < columns; c++) {
    solve_ahead(q, l, solved + c * q);
    solve_back(q, l, solved + c * q);
  }
  b->c->move(b->c->of, &b->in, k, u, g, thread);
  for (int j = 0; j < s->count; j++) {
    a[j] = product(q, u, g + j * q);
    *sum++ += a[j];
    for (int64_t c = 0; c < columns; c++) moved[c] = 0.5 * a[j] * w[c] - product(q, g + j * q, solved + c * q);
    for (int64_t c = 0; c < columns; c++)
      for (int64_t d = 0; d < columns; d++) *sum++ += moved[c] * w[d] + w[c] * moved[d];
  }
  for (int j = 0; j < s->count; j++) solve_ahead(q, l, g + j * q);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j < s->count; j++) *sum++ += product(q, g + i * q, g + j * q) - 0.5 * a[i] * a[j];
}

static int do_group(void *context, int64_t piece, int thread) {
  const batch *b = context;
  const int64_t end = at_most(b->in.sets, (piece + 1) * GROUP);
  const int64_t size = b->weights < 0 ? given_sums_size(b->s) + 1 : 0;
  double *work = b->memory + thread * b->work, *sum = b->out + piece * size;
  if (b->weights < 0) memset(sum, 0, (size_t)size * sizeof *sum);
  for (int64_t k = piece * GROUP; k < end; k++)
    if (b->weights < 0) add_sums(b, k, work, sum + 1, sum, thread);
    else give_row(b, k, work);
  return 1;
}

/* ---- batches ---- */

static void close_batch(batch *b) { free(b->place), free(b->pair), free(b->index), free(b->value), free(b->memory); }

static status open_batch(batch *b, const given_sets *s, int64_t places, int64_t pairs, int threads) {
  const int64_t q = s->most + 1, sets = at_most(places, asked(s)) + 1;
  const int64_t size = q * (q + 1 + s->columns + s->count) + 2 * s->columns + s->count;
  memset(b, 0, sizeof *b);
  b->most = places;
  b->s = s;
  b->work = (size + 15) / 16 * 16;
  b->place = malloc((size_t)(sets + 1) * sizeof *b->place);
  b->pair = malloc((size_t)(sets + 1) * sizeof *b->pair);
  b->index = malloc((size_t)places * sizeof *b->index);
  b->value = malloc((size_t)pairs * sizeof *b->value);
  b->memory = malloc((size_t)(b->work * threads) * sizeof *b->memory);
  if (b->place && b->pair && b->index && b->value && b->memory) return STATUS_OK;
  return fail(STATUS_MEMORY, "covariances: no memory for sets of %lld places", (long long)q);
}

/* To rows, or for `sums` to those, with the first place that is bad. */
static status over_batches(const given_sets *s, const given_covariances *c, int weights, double *rows, double *sums,
                           int64_t *bad) {
  const int64_t n = asked(s), size = given_sums_size(s) + 1;
  int64_t places, room;
  const int threads = threads_available();
  const call_part whole = backend_part();
  batch b;
  given_room(s, &places, &room);
  status st = open_batch(&b, s, places, room, threads);
  b.c = c;
  b.weights = sums ? -1 : weights;
  b.out = sums ? malloc((size_t)((at_most(b.most, n) / GROUP + 2) * size) * sizeof *b.out) : rows;
  if (!st && !b.out) st = fail(STATUS_MEMORY, "covariances: no memory for sums");
  for (int64_t at = 0; at < n && !st; at += b.in.sets) {
    find_members(&b, room, at);
    backend_set_part(whole, (double)at / (double)n, (double)(at + b.in.sets) / (double)n);
    st = c->evaluate(c->of, &b.in, b.value);
    if (st) break;
    const int64_t groups = (b.in.sets + GROUP - 1) / GROUP;
    threads_run(at_most(threads, threads_for(40.0 * (double)b.in.pairs)), groups, do_group, &b);
    for (int64_t g = 0; g < groups && sums; g++) {
      const double *own = b.out + g * size;
      if (own[0] > 0 && !*bad) *bad = (int64_t)own[0];
      for (int64_t k = 1; k < size; k++) sums[k - 1] += own[k];
    }
  }
  backend_set_part(whole, 0, 1);
  if (sums) free(b.out);
  close_batch(&b);
  return st;
}

status given_rows(const given_sets *s, const given_covariances *c, int weights, double *out) {
  return over_batches(s, c, weights, out, NULL, NULL);
}

status given_sums(const given_sets *s, const given_covariances *c, double *out, int64_t *bad) {
  memset(out, 0, (size_t)given_sums_size(s) * sizeof *out);
  *bad = 0;
  return over_batches(s, c, 0, NULL, out, bad);
}
