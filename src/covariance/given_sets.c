/* given_sets.c: some thousand sets are in hand at a time; given_program.h has what is done with several of them side
 * by side. */
#include "covariance/given_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/given_levels.h"
#include "engine/backend.h"
#include "engine/cpu.h"
#include "engine/threads.h"

/* Sums are of groups of sets, and then of these in turn, whatever the number of threads. */
enum { MOST_PAIRS = 1 << 20, LARGE = 20000 };

/* memory: `work` numbers for each thread; most: places there is room for; weights: -1 for sums. */
typedef struct {
  given_work w;
  const given_lanes *by;
  given_batch in;
  int64_t work, most;
  int64_t *place, *pair;
  int32_t *index;
  double *value, *memory, *out;
  int weights;
} batch;

static const given_lanes *lanes_in_use(void) {
#define GIVEN_LINE(level, of)                                                                                \
  if (!strcmp(cpu_level_name(), #level)) return &GIVEN_LANES_OF(level);
  CPU_LEVELS(GIVEN_LINE, )
#undef GIVEN_LINE
  return NULL; /* without an instruction set the package is not loaded */
}

/* Sets of a group, fewer where each has many pairs. */
static int64_t group_of(const given_sets *s) {
  return (s->most + 1) * (s->most + 2) / 2 > LARGE ? GIVEN_LANES : 2 * GIVEN_LANES;
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
  const given_sets *s = b->w.s;
  given_batch *in = &b->in;
  const int64_t q = s->most + 1, group = group_of(s);
  b->w.first = first;
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

static int do_group(void *context, int64_t piece, int thread) {
  const batch *b = context;
  const int64_t group = group_of(b->w.s), end = at_most(b->in.sets, (piece + 1) * group);
  const int64_t size = b->weights < 0 ? given_sums_size(b->w.s) + 1 : 0;
  given_work w = b->w;
  double *sum = b->out + piece * size;
  w.thread = thread;
  w.memory = b->memory + thread * b->work;
  if (b->weights < 0) memset(sum, 0, (size_t)size * sizeof *sum);
  for (int64_t k = piece * group; k < end; k += GIVEN_LANES)
    if (b->weights < 0) b->by->sums(&w, k, sum + 1, sum);
    else b->by->rows(&w, k, b->weights, b->out);
  return 1;
}

/* ---- batches ---- */

static void close_batch(batch *b) { free(b->place), free(b->pair), free(b->index), free(b->value), free(b->memory); }

static status open_batch(batch *b, const given_sets *s, const given_covariances *c, int64_t places, int64_t pairs,
                         int threads) {
  const int64_t sets = at_most(places, asked(s)) + 1;
  memset(b, 0, sizeof *b);
  b->w = (given_work){.s = s, .c = c, .in = &b->in};
  b->by = lanes_in_use();
  b->most = places;
  b->work = (b->by->memory(s, c->lanes) + 15) / 16 * 16;
  b->place = malloc((size_t)(sets + 1) * sizeof *b->place);
  b->pair = malloc((size_t)(sets + 1) * sizeof *b->pair);
  b->index = malloc((size_t)places * sizeof *b->index);
  b->value = malloc((size_t)(c->lanes ? 1 : pairs) * sizeof *b->value);
  b->memory = malloc((size_t)(b->work * threads) * sizeof *b->memory);
  b->w.value = b->value;
  if (b->place && b->pair && b->index && b->value && b->memory) return STATUS_OK;
  return fail(STATUS_MEMORY, "covariances: no memory for sets of %lld places", (long long)(s->most + 1));
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
  status st = open_batch(&b, s, c, places, room, threads);
  b.weights = sums ? -1 : weights;
  b.out = sums ? malloc((size_t)((at_most(b.most, n) / GIVEN_LANES + 2) * size) * sizeof *b.out) : rows;
  if (!st && !b.out) st = fail(STATUS_MEMORY, "covariances: no memory for sums");
  for (int64_t at = 0; at < n && !st; at += b.in.sets) {
    find_members(&b, room, at);
    backend_set_part(whole, (double)at / (double)n, (double)(at + b.in.sets) / (double)n);
    st = c->lanes ? backend_pause(0) : c->evaluate(c->of, &b.in, b.value);
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
