/* several_sets.c: the distances of all pairs of a batch are laid out term by term, so that each term is evaluated at
 * once by the kernels. */
#include "covariance/several_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/several_lanes.h"
#include "engine/any_nan.h"
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

/* Distances of each term in each set: the pairs of variables of its places. */
static int count_set(void *context, int64_t k, int thread) {
  const work *w = context;
  const batch *b = w->b;
  const several_pairs *p = b->s->p;
  const int v = p->variables;
  int64_t *own = b->of + k * p->terms, *count = (int64_t *)(b->scratch + thread * b->apart);
  memset(own, 0, (size_t)p->terms * sizeof *own);
  memset(count, 0, (size_t)v * sizeof *count);
  for (int64_t j = w->in->place[k]; j < w->in->place[k + 1]; j++) count[p->variable[w->in->index[j]]]++;
  for (int i = 0; i < v; i++)
    for (int j = i; j < v; j++) {
      const int64_t pairs = i == j ? count[i] * (count[i] + 1) / 2 : count[i] * count[j];
      for (int s = b->places.slot[i * v + j]; s < b->places.slot[i * v + j + 1]; s++) own[b->places.term[s]] += pairs;
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
  const several_pairs *p = b->s->p;
  const several_places *places = &b->places;
  const int slots = places->slots;
  const int64_t q = w->in->place[k + 1] - w->in->place[k];
  const int32_t *index = w->in->index + w->in->place[k];
  int64_t *own = b->of + k * p->terms;
  int32_t *slot = b->slot + w->in->pair[k] * slots;
  double *at = b->scratch + thread * b->apart, *r = at + several_numbers(places) * q;
  several_gather(places, index, q, at);
  for (int64_t j = 0; j < q; j++) {
    const int row = p->variables * p->variable[index[j]];
    for (int g = 0; g < places->geometries; g++) several_distances(places, g, at, q, j, r + g * q);
    for (int64_t i = j; i < q; i++, slot += slots) {
      const int *term = places->term + places->slot[row + p->variable[index[i]]];
      const int count = places->slot[row + p->variable[index[i]] + 1] - places->slot[row + p->variable[index[i]]];
      for (int s = 0; s < count; s++) {
        const int64_t number = own[term[s]]++;
        slot[s] = (int32_t)number;
        b->distance[number] = r[places->of[term[s]] * q + i - j];
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
  const int64_t q = w->in->place[k + 1] - w->in->place[k];
  const int32_t *index = w->in->index + w->in->place[k], *slot = b->slot + w->in->pair[k] * places->slots;
  double *out = w->out + w->in->pair[k];
  (void)thread;
  for (int64_t j = 0; j < q; j++)
    for (int64_t i = j; i < q; i++, slot += places->slots) {
      const int pair = p->variables * p->variable[index[j]] + p->variable[index[i]], first = places->slot[pair];
      double sum = p->shared && several_share_errors(p, index[i], index[j]) ? p->shared[pair] : 0;
      for (int s = first; s < places->slot[pair + 1]; s++)
        sum += p->weight[places->term[s] * pairs + pair] * b->value[slot[s - first]];
      *out++ = sum;
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
  for (int g = 0; g < s->wanted.groups && !st; g++) {
    const several_group *own = s->wanted.group + g;
    const int64_t from = b->start[own->term], n = b->start[own->term + 1] - from;
    double *out[MAX_COLUMNS];
    for (int c = 0; c < own->model.n_wants; c++) out[c] = b->value + (own->first + c) * b->room + from;
    if (n) st = cov_values(&own->model, COV_BY_SIZE, n, (column){b->distance + from, n}, out);
  }
  if (!st) threads_run(at_most(threads, threads_for(4.0 * (double)in->pairs)), in->sets, finish_set, &w);
  return st;
}

/* Of a pair the derivatives by maps, in place of those by the range, times u. */
static void add_turns(const batch *b, int64_t slot, int term, double weight, int32_t i, int32_t j, double ui,
                      double uj, double *of_i, double *of_j, int64_t apart) {
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
    if (!(square > 0)) continue;
    const double d = -weight * turn->range * b->value[b->room + slot] * along / square;
    of_i[turn->parameter * apart] += d * uj;
    of_j[turn->parameter * apart] += d * ui;
  }
}

/* Of what is in pairs of variables, sums over places of one variable come first: number c of slot s for place i and
 * variable v, [i][v][s][c], is the sum over places j of this variable of that of the pair times u_j. */
static void add_up(const batch *b, const int32_t *index, const int32_t *slot, int64_t q, const double *u, double *sum,
                   double *g) {
  const several_sets *s = b->s;
  const several_pairs *p = s->p;
  const several_places *places = &b->places;
  const int columns = s->wanted.columns, wide = places->slots * columns, of_place = p->variables * wide;
  const int pairs = p->variables * p->variables;
  for (int64_t j = 0; j < q; j++) {
    const int vj = p->variable[index[j]];
    for (int64_t i = j; i < q; i++, slot += places->slots) {
      const int vi = p->variable[index[i]], pair = p->variables * vj + vi, first = places->slot[pair];
      double *of_i = sum + i * of_place + vj * wide, *of_j = sum + j * of_place + vi * wide;
      const double ui = i == j ? 0 : u[i], uj = u[j];
      for (int k = first; k < places->slot[pair + 1]; k++, of_i += columns, of_j += columns) {
        const double *value = b->value + slot[k - first];
        for (int c = 0; c < columns; c++) {
          of_i[c] += value[c * b->room] * uj;
          of_j[c] += value[c * b->room] * ui;
        }
        if (s->turns && i != j)
          add_turns(b, slot[k - first], places->term[k], p->weight[places->term[k] * pairs + pair], index[i],
                    index[j], ui, uj, g + i, g + j, q);
      }
    }
  }
}

static void move(const void *of, const given_batch *in, int64_t k, const double *u, double *g, int thread) {
  const batch *b = of;
  const several_sets *s = b->s;
  const several_pairs *p = s->p;
  const int count = s->sets.count, v = p->variables, wide = b->places.slots * s->wanted.columns;
  const int64_t q = in->place[k + 1] - in->place[k];
  const int32_t *index = in->index + in->place[k];
  double *sum = b->scratch + thread * b->apart, *own = sum + q * v * wide;
  memset(sum, 0, (size_t)(q * v * wide) * sizeof *sum);
  memset(g, 0, (size_t)(q * count) * sizeof *g);
  add_up(b, index, b->slot + in->pair[k] * b->places.slots, q, u, sum, g);
  for (int64_t i = 0; i < q; i++) {
    const int vi = p->variable[index[i]];
    const double *share = s->wanted.share + (int64_t)vi * v * wide * count, *by = sum + i * v * wide;
    for (int e = 0; e < count; e++) own[e] = s->wanted.of_nugget[vi * count + e] * u[i];
    for (int c = 0; c < v * wide; c++, share += count)
      if (by[c] != 0)
        for (int e = 0; e < count; e++) own[e] += share[e] * by[c];
    for (int64_t j = 0; j < q && p->shared; j++) {
      if (!several_share_errors(p, index[i], index[j])) continue;
      const double *more = s->wanted.of_shared + (v * vi + p->variable[index[j]]) * count;
      for (int e = 0; e < count; e++) own[e] += more[e] * u[j];
    }
    for (int e = 0; e < count; e++) g[e * q + i] += own[e];
  }
}

static status with_batch(const several_sets *s, const several_places *places, int weights, double *out,
                         int64_t *bad) {
  batch b = {.s = s, .places = *places};
  const given_covariances c = {.of = &b, .evaluate = evaluate, .move = move};
  const int slots = places->slots, terms = s->p->terms;
  int64_t most, pairs;
  given_room(&s->sets, &most, &pairs);
  b.room = pairs * slots;
  b.apart = (s->sets.most + 2) * (several_numbers(places) + places->geometries +
                                  s->p->variables * slots * s->wanted.columns) + s->p->variables + s->sets.count;
  b.of = malloc((size_t)((most + 1) * terms + 1) * sizeof *b.of);
  b.start = malloc((size_t)(terms + 1) * sizeof *b.start);
  b.slot = malloc((size_t)(b.room + 1) * sizeof *b.slot);
  /* columns that a term does not have count 0 times, and so must be numbers */
  b.distance = calloc((size_t)(b.room * (1 + s->wanted.columns) + 1), sizeof *b.distance);
  b.value = b.distance + b.room;
  b.scratch = malloc((size_t)(b.apart * threads_available()) * sizeof *b.scratch);
  status st = STATUS_OK;
  if (!b.of || !b.start || !b.slot || !b.distance || !b.scratch)
    st = fail(STATUS_MEMORY, "covariances: no memory for %lld places", (long long)most);
  if (!st) st = bad ? given_sums(&s->sets, &c, out, bad) : given_rows(&s->sets, &c, weights, out);
  free(b.of), free(b.start), free(b.slot), free(b.distance), free(b.scratch);
  return st;
}

/* Lanes first, where tables serve. */
static status given(const several_sets *s, int weights, double *out, int64_t *bad) {
  const int64_t asked = s->sets.n - s->sets.ahead, q = s->sets.most + 1;
  several_places places;
  several_lanes lanes = {0};
  status st = several_open(&places, s->p);
  int done = 0;
  if (!st && !s->turns) st = several_lanes_open(&lanes, &s->wanted, &places, asked * q * q / 2);
  if (!st && lanes.made) {
    const given_covariances c = {.lanes = &lanes};
    st = bad ? given_sums(&s->sets, &c, out, bad) : given_rows(&s->sets, &c, weights, out);
    done = st || (bad && *bad) || !any_nan(bad ? 1 : asked, out);
  }
  several_lanes_close(&lanes);
  if (!st && !done) st = with_batch(s, &places, weights, out, bad);
  several_close(&places);
  return st;
}

status several_given(const several_sets *s, int weights, double *out) { return given(s, weights, out, NULL); }

status several_sums(const several_sets *s, double *out, int64_t *bad) { return given(s, 0, out, bad); }
