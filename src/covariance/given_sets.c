/* given_sets.c: some thousand sets are in hand at a time, and LANES of them are factorised side by side: number k of
 * lane l is at [k * LANES + l]. Sets of fewer places than the largest of their lanes have places before their own
 * that are independent of all others, with variance 1 and data 0. */
#include "covariance/given_sets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"

/* Sums are of groups of places, and then of these in turn, whatever the number of threads. */
enum { LANES = 8, MOST_PAIRS = 1 << 20, LARGE = 20000 };
#define EACH_LANE(l) for (int l = 0; l < LANES; l++)

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

/* The memory of a thread: factors by rows, u, a column or what is left of it, columns of inv(S) v, those of g, and
 * numbers for each column and parameter; single: g of one set. */
typedef struct {
  double *l, *u, *solved, *g, *w, *moved, *a, *single;
} room;

/* Sets of a group, fewer where each has many pairs. */
static int64_t group_of(const given_sets *s) {
  return (s->most + 1) * (s->most + 2) / 2 > LARGE ? LANES : 4 * LANES;
}

static int64_t asked(const given_sets *s) { return s->n - s->ahead; }
static int64_t sums_before(const given_sets *s) { return (1 + s->count) * (1 + (int64_t)s->columns * s->columns); }
int64_t given_sums_size(const given_sets *s) { return sums_before(s) + (int64_t)s->count * s->count; }

void given_room(const given_sets *s, int64_t *places, int64_t *pairs) {
  const int64_t n = asked(s), q = s->most + 1, own = q * (q + 1) / 2;
  *pairs = (n > MOST_PAIRS / own ? MOST_PAIRS : n * own) + group_of(s) * own;
  *places = 4 * *pairs / (q + 1) + group_of(s) * q;
}

/* Members of all sets from `first` on, as many as there is room for, in whole groups. */
static void find_members(batch *b, int64_t room, int64_t first) {
  const given_sets *s = b->s;
  given_batch *in = &b->in;
  const int64_t q = s->most + 1, group = group_of(s);
  b->first = first;
  b->in = (given_batch){0, 0, 0, b->place, b->pair, b->index};
  for (int64_t i = first; i < asked(s); i++) {
    const int64_t here = in->places;
    if (in->sets % group == 0 && in->sets &&
        (in->pairs + group * q * (q + 1) / 2 > room || here + group * q > b->most)) break;
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

static int64_t size_of(const batch *b, int64_t k) {
  return k < b->in.sets ? b->place[k + 1] - b->place[k] : 0;
}

/* Places of the largest of LANES sets from k on. */
static int64_t largest(const batch *b, int64_t k) {
  int64_t q = 1;
  EACH_LANE(l) if (size_of(b, k + l) > q) q = size_of(b, k + l);
  return q;
}

/* Matrices by their lower triangles, by rows. */
static void lay_out(const batch *b, int64_t k, int64_t q, double *m) {
  memset(m, 0, (size_t)(q * q * LANES) * sizeof *m);
  EACH_LANE(l) {
    const int64_t own = size_of(b, k + l), before = q - own;
    const double *value = b->value + (own ? b->pair[k + l] : 0);
    for (int64_t i = 0; i < before; i++) m[(i * q + i) * LANES + l] = 1;
    for (int64_t j = before; j < q; j++)
      for (int64_t i = j; i < q; i++) m[(i * q + j) * LANES + l] = *value++;
    for (int64_t i = 0; i < own; i++)
      m[((before + i) * q + before + i) * LANES + l] += b->s->diagonal[b->index[b->place[k + l] + i]];
  }
}

/* Factors in their places, with inverses of roots on the diagonals; sound: 0 where a matrix is not positive definite.
 * With `last` the variance of the last place goes there, which may be 0, as for a new place at one of the others, and
 * the factor has 1 for its root. */
static void factorise(int64_t q, double *m, double *last, int *sound) {
  EACH_LANE(l) sound[l] = 1;
  for (int64_t i = 0; i < q; i++) {
    double *row = m + i * q * LANES, own[LANES], left[LANES];
    EACH_LANE(l) own[l] = row[i * LANES + l];
    for (int64_t j = 0; j <= i; j++) {
      const double *other = m + j * q * LANES;
      EACH_LANE(l) left[l] = row[j * LANES + l];
      for (int64_t c = 0; c < j; c++)
#pragma omp simd
        EACH_LANE(l) left[l] -= row[c * LANES + l] * other[c * LANES + l];
      if (j < i)
#pragma omp simd
        EACH_LANE(l) row[j * LANES + l] = left[l] * other[j * LANES + l];
    }
    EACH_LANE(l) {
      const int positive = left[l] > 4 * DBL_EPSILON * own[l];
      if (last && i == q - 1) last[l] = positive ? left[l] : 0, row[i * LANES + l] = 1;
      else {
        sound[l] &= positive;
        row[i * LANES + l] = positive ? 1 / sqrt(left[l]) : 1;
      }
    }
  }
}

/* inv(l') e in the place of e, and inv(l) e */
static void solve_back(int64_t q, const double *m, double *e) {
  for (int64_t i = q - 1; i >= 0; i--) {
    double *own = e + i * LANES;
    const double *row = m + i * q * LANES;
#pragma omp simd
    EACH_LANE(l) own[l] *= row[i * LANES + l];
    for (int64_t c = 0; c < i; c++)
#pragma omp simd
      EACH_LANE(l) e[c * LANES + l] -= row[c * LANES + l] * own[l];
  }
}

static void solve_ahead(int64_t q, const double *m, double *e) {
  for (int64_t i = 0; i < q; i++) {
    const double *row = m + i * q * LANES;
    double left[LANES];
    EACH_LANE(l) left[l] = e[i * LANES + l];
    for (int64_t c = 0; c < i; c++)
#pragma omp simd
      EACH_LANE(l) left[l] -= row[c * LANES + l] * e[c * LANES + l];
#pragma omp simd
    EACH_LANE(l) e[i * LANES + l] = left[l] * row[i * LANES + l];
  }
}

static void product(int64_t n, const double *a, const double *b, double *sum) {
  double total[LANES] = {0};
  for (int64_t i = 0; i < n; i++)
#pragma omp simd
    EACH_LANE(l) total[l] += a[i * LANES + l] * b[i * LANES + l];
  EACH_LANE(l) sum[l] = total[l];
}

static void last_row(int64_t q, const double *m, double *u) {
  memset(u, 0, (size_t)(q * LANES) * sizeof *u);
  EACH_LANE(l) u[(q - 1) * LANES + l] = 1;
  solve_back(q, m, u);
}

/* Column c of the data of the places of LANES sets. */
static void gather(const batch *b, int64_t k, int64_t q, int64_t c, double *v) {
  const double *column = b->s->column + c * b->s->n;
  memset(v, 0, (size_t)(q * LANES) * sizeof *v);
  EACH_LANE(l) {
    const int64_t own = size_of(b, k + l);
    const int32_t *index = b->index + (own ? b->place[k + l] : 0);
    for (int64_t i = 0; i < own; i++) v[(q - own + i) * LANES + l] = column[index[i]];
  }
}

/* ---- rows ---- */

static void give_rows(const batch *b, int64_t k, const room *t) {
  const given_sets *s = b->s;
  const int64_t q = largest(b, k), rows = asked(s);
  double variance[LANES];
  int sound[LANES];
  lay_out(b, k, q, t->l);
  factorise(q, t->l, variance, sound);
  last_row(q, t->l, t->u);
  EACH_LANE(l) {
    const int64_t own = size_of(b, k + l);
    const double *u = t->u + (q - own) * LANES + l;
    double *out = b->out + b->first + k + l;
    if (!own) continue;
    const int32_t *index = b->index + b->place[k + l];
    const int columns = b->weights ? (int)s->most : s->columns;
    out[0] = sound[l] ? variance[l] : -INFINITY;
    for (int c = 0, at = 0; c < columns; c++) {
      double value = 0;
      if (b->weights) {
        const int there = s->member[(b->first + k + l) * s->most + c] >= 1;
        if (there && sound[l]) value = -u[at++ * LANES] / u[(own - 1) * LANES];
      } else
        for (int64_t i = 0; i < own - 1 && sound[l]; i++)
          value -= u[i * LANES] / u[(own - 1) * LANES] * s->column[c * s->n + index[i]];
      out[(c + 1) * rows] = value;
    }
  }
}

/* ---- sums ---- */

/* Adds those of lanes that have a set. */
static void add(double *sum, const double *value, int64_t sets) {
  for (int l = 0; l < sets; l++) *sum += value[l];
}

/* g = S_k u for the derivative S_k of the matrix for each parameter, whose place in the lanes is that of the set. */
static void move_rows(const batch *b, int64_t k, int64_t q, const room *t, int thread) {
  const int count = b->s->count;
  double *single = t->single, *u = single + (b->s->most + 1) * count;
  memset(t->g, 0, (size_t)(q * count * LANES) * sizeof *t->g);
  EACH_LANE(l) {
    const int64_t own = size_of(b, k + l), before = q - own;
    if (!own) continue;
    for (int64_t i = 0; i < own; i++) u[i] = t->u[(before + i) * LANES + l];
    b->c->move(b->c->of, &b->in, k + l, u, single, thread);
    for (int e = 0; e < count; e++)
      for (int64_t i = 0; i < own; i++) t->g[(e * q + before + i) * LANES + l] = single[e * own + i];
  }
}

/* With w = u v and a = u' S_k u, d log variance = a and dw = -g' inv(S) v + a w/2; the information is
 * g' inv(S) g - a a/2. */
static void add_sums(const batch *b, int64_t k, const room *t, double *sum, double *bad, int thread) {
  const given_sets *s = b->s;
  const int64_t q = largest(b, k), columns = s->columns, sets = at_most(LANES, b->in.sets - k);
  double value[LANES];
  int sound[LANES];
  lay_out(b, k, q, t->l);
  factorise(q, t->l, NULL, sound);
  for (int64_t l = 0; l < sets; l++)
    if (!sound[l] && *bad == 0) *bad = (double)(b->first + k + l + 1);
  if (*bad > 0) return;
  last_row(q, t->l, t->u);
  EACH_LANE(l) value[l] = -2 * log(t->l[(q * q - 1) * LANES + l]);
  add(sum++, value, sets);
  for (int64_t c = 0; c < columns; c++) {
    gather(b, k, q, c, t->solved + c * q * LANES);
    product(q, t->u, t->solved + c * q * LANES, t->w + c * LANES);
  }
  for (int64_t c = 0; c < columns; c++)
    for (int64_t d = 0; d < columns; d++) {
      EACH_LANE(l) value[l] = t->w[c * LANES + l] * t->w[d * LANES + l];
      add(sum++, value, sets);
    }
  if (!s->count) return;
  for (int64_t c = 0; c < columns; c++) {
    solve_ahead(q, t->l, t->solved + c * q * LANES);
    solve_back(q, t->l, t->solved + c * q * LANES);
  }
  move_rows(b, k, q, t, thread);
  for (int j = 0; j < s->count; j++) {
    const double *g = t->g + j * q * LANES;
    double *a = t->a + j * LANES;
    product(q, t->u, g, a);
    add(sum++, a, sets);
    for (int64_t c = 0; c < columns; c++) {
      product(q, g, t->solved + c * q * LANES, value);
      EACH_LANE(l) t->moved[c * LANES + l] = 0.5 * a[l] * t->w[c * LANES + l] - value[l];
    }
    for (int64_t c = 0; c < columns; c++)
      for (int64_t d = 0; d < columns; d++) {
        const double *of_c = t->moved + c * LANES, *of_d = t->moved + d * LANES;
        EACH_LANE(l) value[l] = of_c[l] * t->w[d * LANES + l] + t->w[c * LANES + l] * of_d[l];
        add(sum++, value, sets);
      }
  }
  for (int j = 0; j < s->count; j++) solve_ahead(q, t->l, t->g + j * q * LANES);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j <= i; j++) {
      product(q, t->g + i * q * LANES, t->g + j * q * LANES, value);
      EACH_LANE(l) value[l] -= 0.5 * t->a[i * LANES + l] * t->a[j * LANES + l];
      double total = 0;
      add(&total, value, sets);
      sum[i * s->count + j] += total;
      if (j < i) sum[j * s->count + i] += total;
    }
}

static room room_of(const batch *b, int thread) {
  const given_sets *s = b->s;
  const int64_t q = s->most + 1;
  room t = {.l = b->memory + thread * b->work};
  t.u = t.l + q * q * LANES;
  t.solved = t.u + q * LANES;
  t.g = t.solved + q * s->columns * LANES;
  t.w = t.g + q * s->count * LANES;
  t.moved = t.w + s->columns * LANES;
  t.a = t.moved + s->columns * LANES;
  t.single = t.a + s->count * LANES;
  return t;
}

static int do_group(void *context, int64_t piece, int thread) {
  const batch *b = context;
  const int64_t group = group_of(b->s), end = at_most(b->in.sets, (piece + 1) * group);
  const int64_t size = b->weights < 0 ? given_sums_size(b->s) + 1 : 0;
  const room t = room_of(b, thread);
  double *sum = b->out + piece * size;
  if (b->weights < 0) memset(sum, 0, (size_t)size * sizeof *sum);
  for (int64_t k = piece * group; k < end; k += LANES)
    if (b->weights < 0) add_sums(b, k, &t, sum + 1, sum, thread);
    else give_rows(b, k, &t);
  return 1;
}

/* ---- batches ---- */

static void close_batch(batch *b) { free(b->place), free(b->pair), free(b->index), free(b->value), free(b->memory); }

static status open_batch(batch *b, const given_sets *s, int64_t places, int64_t pairs, int threads) {
  const int64_t q = s->most + 1, sets = at_most(places, asked(s)) + 1;
  const int64_t size = LANES * (q * (q + 1 + s->columns + s->count) + 2 * s->columns + s->count) + q * (s->count + 1);
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
  b.out = sums ? malloc((size_t)((at_most(b.most, n) / LANES + 2) * size) * sizeof *b.out) : rows;
  if (!st && !b.out) st = fail(STATUS_MEMORY, "covariances: no memory for sums");
  for (int64_t at = 0; at < n && !st; at += b.in.sets) {
    find_members(&b, room, at);
    backend_set_part(whole, (double)at / (double)n, (double)(at + b.in.sets) / (double)n);
    st = c->evaluate(c->of, &b.in, b.value);
    if (st) break;
    const int64_t groups = (b.in.sets + group_of(s) - 1) / group_of(s);
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
