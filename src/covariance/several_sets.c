/* several_sets.c: the distances of all pairs of a batch are laid out term by term, so that each term is evaluated at
 * once by the kernels. */
#include "covariance/several_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"

/* Distances: `of` has the first of each set and term, `start` of each term and where the last one ends, `slot` those
 * of each pair; value: `columns` numbers for each, `room` apart. scratch: `apart` numbers for each thread. */
typedef struct {
  const several_sets *s;
  several_places places;
  int64_t room, apart, *of, *start;
  int32_t *slot;
  double *distance, *value, *scratch;
} batch;

typedef struct {
  batch *b;
  const given_batch *in;
  double *out;
} work;

static int pair_of(const batch *b, int32_t i, int32_t j) {
  const several_pairs *p = b->s->p;
  return p->variables * p->variable[i] + p->variable[j];
}

/* Distances of each term in each set, which are those of all sets before for the next one. */
static int count_set(void *context, int64_t k, int thread) {
  const work *w = context;
  const batch *b = w->b;
  const several_pairs *p = b->s->p;
  int64_t *own = b->of + k * p->terms;
  (void)thread;
  memset(own, 0, (size_t)p->terms * sizeof *own);
  for (int64_t j = w->in->place[k]; j < w->in->place[k + 1]; j++)
    for (int64_t i = j; i < w->in->place[k + 1]; i++) {
      const int pair = pair_of(b, w->in->index[i], w->in->index[j]);
      for (int s = b->places.slot[pair]; s < b->places.slot[pair + 1]; s++) own[b->places.term[s]]++;
    }
  return 1;
}

static void find_starts(batch *b, const given_batch *in) {
  const int terms = b->s->p->terms;
  int64_t at = 0;
  for (int t = 0; t < terms; t++) {
    b->start[t] = at;
    for (int64_t k = 0; k < in->sets; k++) {
      const int64_t count = b->of[k * terms + t];
      b->of[k * terms + t] = at;
      at += count;
    }
  }
  b->start[terms] = at;
}

static int lay_set(void *context, int64_t k, int thread) {
  const work *w = context;
  const batch *b = w->b;
  const several_places *places = &b->places;
  const int terms = b->s->p->terms, slots = places->slots;
  const int64_t from = w->in->place[k], end = w->in->place[k + 1], wide = b->s->sets.most + 1;
  const int32_t *index = w->in->index;
  int64_t *own = b->of + k * terms, at = w->in->pair[k];
  double *r = b->scratch + thread * b->apart;
  for (int64_t j = from; j < end; j++) {
    for (int g = 0; g < places->geometries; g++) several_distances(places, g, index + j, end - j, r + g * wide);
    for (int64_t i = j; i < end; i++, at++) {
      const int pair = pair_of(b, index[i], index[j]);
      int32_t *slot = b->slot + at * slots;
      for (int s = places->slot[pair]; s < places->slot[pair + 1]; s++) {
        const int t = places->term[s];
        *slot++ = (int32_t)own[t];
        b->distance[own[t]++] = r[places->of[t] * wide + i - j];
      }
    }
  }
  return 1;
}

static int finish_set(void *context, int64_t k, int thread) {
  const work *w = context;
  const batch *b = w->b;
  const several_pairs *p = b->s->p;
  const several_places *places = &b->places;
  const int pairs = p->variables * p->variables;
  const int64_t end = w->in->place[k + 1];
  const int32_t *index = w->in->index;
  int64_t at = w->in->pair[k];
  (void)thread;
  for (int64_t j = w->in->place[k]; j < end; j++)
    for (int64_t i = j; i < end; i++, at++) {
      const int pair = pair_of(b, index[i], index[j]);
      const int32_t *slot = b->slot + at * places->slots;
      double sum = several_share_errors(p, index[i], index[j]) ? p->shared[pair] : 0;
      for (int s = places->slot[pair]; s < places->slot[pair + 1]; s++)
        sum += p->weight[places->term[s] * pairs + pair] * b->value[*slot++];
      w->out[at] = sum;
    }
  return 1;
}

static status evaluate(void *of, const given_batch *in, double *value) {
  batch *b = of;
  const several_sets *s = b->s;
  work w = {b, in, value};
  const int threads = threads_available();
  status st = STATUS_OK;
  threads_run(at_most(threads, threads_for(2.0 * (double)in->pairs)), in->sets, count_set, &w);
  find_starts(b, in);
  threads_run(at_most(threads, threads_for(8.0 * (double)in->pairs)), in->sets, lay_set, &w);
  for (int g = 0; g < s->groups && !st; g++) {
    const several_group *own = s->group + g;
    const int64_t from = b->start[own->term], n = b->start[own->term + 1] - from;
    double *out[MAX_COLUMNS];
    for (int c = 0; c < own->model.n_wants; c++) out[c] = b->value + (own->first + c) * b->room + from;
    if (n) st = cov_values(&own->model, COV_BY_SIZE, n, (column){b->distance + from, n}, out);
  }
  if (!st) threads_run(at_most(threads, threads_for(4.0 * (double)in->pairs)), in->sets, finish_set, &w);
  return st;
}

/* Of the derivatives by maps what is in place of that by the logarithm of the range. */
static void add_turns(const batch *b, int term, double weight, int64_t slot, int32_t i, int32_t j, double *d) {
  const several_sets *s = b->s;
  const several_pairs *p = s->p;
  const int dim = p->metric.dim;
  const double *at = b->places.at + (int64_t)b->places.of[term] * b->places.columns * p->n;
  for (int t = 0; t < s->turns; t++) {
    const several_turn *turn = s->turn + t;
    double along = 0, square = 0;
    if (turn->term != term) continue;
    for (int c = 0; c < dim; c++) {
      const double y = at[c * p->n + i] - at[c * p->n + j];
      double moved = 0;
      for (int e = 0; e < dim; e++) moved += turn->map[c * dim + e] * (p->xy[e * p->n + i] - p->xy[e * p->n + j]);
      along += y * moved;
      square += y * y;
    }
    if (square > 0) d[turn->parameter] -= weight * turn->range * b->value[b->room + slot] * along / square;
  }
}

/* Of one pair the derivatives for all parameters. */
static void find_slopes(const batch *b, int64_t at, int32_t i, int32_t j, double *d) {
  const several_sets *s = b->s;
  const several_pairs *p = s->p;
  const several_places *places = &b->places;
  const int pair = pair_of(b, i, j), count = s->sets.count, first = places->slot[pair];
  const int32_t *slot = b->slot + at * places->slots;
  const double *share = s->share + (int64_t)pair * places->slots * s->columns * count;
  memset(d, 0, (size_t)count * sizeof *d);
  for (int k = first; k < places->slot[pair + 1]; k++, slot++) {
    for (int c = 0; c < s->columns; c++, share += count) {
      const double value = b->value[c * b->room + *slot];
#pragma omp simd
      for (int e = 0; e < count; e++) d[e] += share[e] * value;
    }
    if (s->turns) add_turns(b, places->term[k], p->weight[places->term[k] * p->variables * p->variables + pair], *slot,
                            i, j, d);
  }
  const double *more = i == j ? s->of_nugget + p->variable[i] * count
                              : several_share_errors(p, i, j) ? s->of_shared + pair * count : NULL;
  for (int e = 0; e < count && more; e++) d[e] += more[e];
}

static void move(const void *of, const given_batch *in, int64_t k, const double *u, double *g, int thread) {
  const batch *b = of;
  const int count = b->s->sets.count;
  const int64_t from = in->place[k], q = in->place[k + 1] - from;
  const int32_t *index = in->index + from;
  double *d = b->scratch + thread * b->apart, *sum = d + count; /* by places, so that parameters are side by side */
  int64_t at = in->pair[k];
  memset(sum, 0, (size_t)(q * count) * sizeof *sum);
  for (int64_t j = 0; j < q; j++)
    for (int64_t i = j; i < q; i++, at++) {
      double *of_i = sum + i * count, *of_j = sum + j * count;
      find_slopes(b, at, index[i], index[j], d);
#pragma omp simd
      for (int e = 0; e < count; e++) of_i[e] += d[e] * u[j];
      if (i == j) continue;
#pragma omp simd
      for (int e = 0; e < count; e++) of_j[e] += d[e] * u[i];
    }
  for (int e = 0; e < count; e++)
    for (int64_t i = 0; i < q; i++) g[e * q + i] = sum[i * count + e];
}

static status with_batch(const several_sets *s, int weights, double *out, int64_t *bad) {
  batch b = {.s = s};
  const given_covariances c = {&b, evaluate, move};
  int64_t places, pairs;
  given_room(&s->sets, &places, &pairs);
  status st = several_open(&b.places, s->p);
  const int slots = b.places.slots, terms = s->p->terms;
  b.room = pairs * slots;
  b.apart = (s->sets.most + 2) * (s->sets.count + b.places.geometries + 1);
  b.of = malloc((size_t)((places + 1) * terms + 1) * sizeof *b.of);
  b.start = malloc((size_t)(terms + 1) * sizeof *b.start);
  b.slot = malloc((size_t)(b.room + 1) * sizeof *b.slot);
  b.distance = calloc((size_t)(b.room * (1 + s->columns) + 1), sizeof *b.distance); /* what no term has counts 0 times */
  b.value = b.distance + b.room;
  b.scratch = malloc((size_t)(b.apart * threads_available()) * sizeof *b.scratch);
  if (!st && (!b.of || !b.start || !b.slot || !b.distance || !b.scratch))
    st = fail(STATUS_MEMORY, "covariances: no memory for %lld places", (long long)places);
  if (!st) st = bad ? given_sums(&s->sets, &c, out, bad) : given_rows(&s->sets, &c, weights, out);
  several_close(&b.places);
  free(b.of), free(b.start), free(b.slot), free(b.distance), free(b.scratch);
  return st;
}

status several_given(const several_sets *s, int weights, double *out) { return with_batch(s, weights, out, NULL); }

status several_sums(const several_sets *s, double *out, int64_t *bad) { return with_batch(s, 0, out, bad); }
