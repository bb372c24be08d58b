/* local_sets.c: see local_sets.h. */
#include "covariance/local_sets.h"

#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"

/* What is known of the places of a batch, gathered set by set, so that their pairs are rectangles of
 * local_values.h. */
typedef struct {
  const local_sets *s;
  local_values v;
  local_pairs gathered;
  double *known, *xy;
} batch;

/* A batch and its sets. */
typedef struct {
  const batch *b;
  const given_batch *in;
} work;

static void gather(batch *b, const given_batch *in) {
  const local_places *a = &b->s->p->a;
  for (int c = 0; c < LOCAL_COLUMNS; c++)
    for (int64_t i = 0; i < in->places; i++) b->known[c * in->places + i] = a->known[c * a->n + in->index[i]];
  for (int c = 0; c < b->s->p->dim; c++)
    for (int64_t i = 0; i < in->places; i++) b->xy[c * in->places + i] = a->xy[c * a->n + in->index[i]];
  b->gathered.a = b->gathered.b = (local_places){in->places, b->xy, b->known};
}

typedef void of_column(const local_values *v, int64_t from, int64_t row, int64_t rows, int64_t j);

static void each_column(const work *w, int64_t k, of_column *f) {
  const int64_t from = w->in->place[k], end = w->in->place[k + 1];
  int64_t at = w->in->pair[k];
  for (int64_t j = from; j < end; at += end - j++) f(&w->b->v, at, j, end - j, j);
}

static int lay_set(void *context, int64_t k, int thread) {
  (void)thread;
  each_column(context, k, local_lay);
  return 1;
}

static int finish_set(void *context, int64_t k, int thread) {
  (void)thread;
  each_column(context, k, local_finish);
  return 1;
}

static status evaluate(void *of, const given_batch *in, double *value) {
  batch *b = of;
  const work w = {b, in};
  const int threads = threads_available();
  gather(b, in);
  threads_run(at_most(threads, threads_for(4.0 * (double)in->pairs)), in->sets, lay_set, (void *)(uintptr_t)&w);
  const status st = local_evaluate(&b->v, in->pairs);
  if (st) return st;
  if (b->s->p->varying)
    threads_run(at_most(threads, threads_for(20.0 * (double)in->pairs)), in->sets, finish_set, (void *)(uintptr_t)&w);
  for (int64_t i = 0; i < in->pairs; i++) value[i] = b->v.factor[i] * b->v.value[0][i];
  return STATUS_OK;
}

static void move(const void *of, const given_batch *in, int64_t k, const double *u, double *g, int thread) {
  const batch *b = of;
  const local_sets *s = b->s;
  const int64_t from = in->place[k], q = in->place[k + 1] - from, n = s->p->a.n;
  double of_a[LOCAL_FIELDS], of_b[LOCAL_FIELDS];
  int64_t at = in->pair[k];
  (void)thread;
  memset(g, 0, (size_t)(q * s->sets.count) * sizeof *g);
  for (int64_t j = 0; j < q; j++)
    for (int64_t i = j; i < q; i++, at++) {
      if (b->v.mask) local_derivatives(&b->v, at, from + i, from + j, of_a, of_b);
      for (int c = 0; c < s->sets.count; c++) {
        const double *by = s->by + c * n, bi = by[in->index[from + i]], bj = by[in->index[from + j]];
        const int f = s->field[c];
        if (f == LOCAL_DIAGONAL) {
          if (i == j) g[c * q + i] += bi * u[i];
          continue;
        }
        const double d = of_a[f] * bi + of_b[f] * bj;
        g[c * q + i] += d * u[j];
        if (i != j) g[c * q + j] += d * u[i];
      }
    }
}

static status with_batch(const local_sets *s, int mask, int weights, double *out, int64_t *bad) {
  batch b = {.s = s, .gathered = *s->p};
  const given_covariances c = {.of = &b, .evaluate = evaluate, .move = move};
  int64_t places, pairs;
  given_room(&s->sets, &places, &pairs);
  status st = local_values_open(&b.v, &b.gathered, mask, pairs);
  b.known = malloc((size_t)(places * LOCAL_COLUMNS) * sizeof *b.known);
  b.xy = malloc((size_t)(places * s->p->dim) * sizeof *b.xy);
  if (!st && (!b.known || !b.xy))
    st = fail(STATUS_MEMORY, "covariances: no memory for %lld places", (long long)places);
  if (!st) st = bad ? given_sums(&s->sets, &c, out, bad) : given_rows(&s->sets, &c, weights, out);
  free(b.v.memory), free(b.known), free(b.xy);
  return st;
}

status local_given(const local_sets *s, int weights, double *out) { return with_batch(s, 0, weights, out, NULL); }

status local_sums(const local_sets *s, double *out, int64_t *bad) {
  int mask = 0;
  for (int k = 0; k < s->sets.count; k++)
    if (s->field[k] != LOCAL_DIAGONAL) mask |= 1 << s->field[k];
  return with_batch(s, mask, 0, out, bad);
}
