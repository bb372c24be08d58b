/* task.c: see task.h. Chunks, and the columns of data as they go into a chunk and come out of it. */
#include "engine/task.h"

#include <string.h>

#include "engine/threads.h"

chunk chunk_of(const task *t, int64_t first, int32_t n) {
  chunk c;
  int64_t phase = first % t->run;
  c.first = first;
  c.first_set = first / t->run;
  c.n = n;
  if (t->run < n) {
    c.run = (int32_t)t->run;
    c.phase = (int32_t)phase;
  } else { /* at most two sets; run and phase shrink to 32 bits with the same border between them */
    int64_t border = t->run - phase;
    c.run = n;
    c.phase = border < n ? (int32_t)(n - border) : 0;
  }
  c.n_sets = (n - 1 + c.phase) / c.run + 1;
  return c;
}

static void column_copy(double *to, column from, int64_t first, int32_t n) {
  int64_t at = first % from.length;
  if (from.length == 1) {
    while (n-- > 0) *to++ = from.data[0];
  } else if (from.length < 32) {
    for (; n > 0; n--) {
      *to++ = from.data[at];
      if (++at == from.length) at = 0;
    }
  } else {
    while (n > 0) {
      int32_t piece = from.length - at < n ? (int32_t)(from.length - at) : n;
      memcpy(to, from.data + at, (size_t)piece * sizeof *to);
      to += piece;
      n -= piece;
      at = 0;
    }
  }
}

size_t real_bytes(const task *t) { return t->single ? sizeof(float) : sizeof(double); }

void *real_at(const task *t, void *reals, size_t i) { return (char *)reals + i * real_bytes(t); }

static void narrow(const task *t, int32_t n, const double *from, float *to) {
  (void)t;
#pragma omp simd
  for (int32_t i = 0; i < n; i++) to[i] = (float)from[i];
}

/* From where a column lies, or where it is short in pieces of copies. */
static void take_narrow(const task *t, void (*how)(const task *, int32_t, const double *, float *), float *to,
                        column from, int64_t first, int32_t n) {
  enum { COPIED = 512 };
  double copy[COPIED];
  while (n > 0) {
    const int64_t at = first % from.length, rest = from.length - at;
    int32_t piece = n;
    if (from.length < COPIED) {
      if (piece > COPIED) piece = COPIED;
      column_copy(copy, from, first, piece);
    } else if (rest < piece) {
      piece = (int32_t)rest;
    }
    how(t, piece, from.length < COPIED ? copy : from.data + at, to);
    to += piece;
    first += piece;
    n -= piece;
  }
}

/* Long columns are copied by all threads in portions of so many numbers: one thread has but a part of the memory's
 * rate, and less of it where pages are touched for the first time. */
enum { PORTION = 1 << 15 };
static const double ns_taken = 1, ns_given = 2; /* a number, roughly */

/* how: NULL, or what makes floats. */
typedef struct {
  const task *t;
  void (*how)(const task *, int32_t, const double *, float *);
  void *to;
  column from;
  int64_t first;
  int32_t n;
} taking;

static int take_portion(void *context, int64_t portion, int thread) {
  const taking *g = context;
  const int64_t at = portion * PORTION;
  const int32_t n = (int32_t)at_most(g->n - at, PORTION);
  void *to = real_at(g->t, g->to, (size_t)at);
  (void)thread;
  if (g->how) take_narrow(g->t, g->how, to, g->from, g->first + at, n);
  else column_copy(to, g->from, g->first + at, n);
  return 1;
}

static void take(taking g) {
  const int32_t portions = (g.n - 1) / PORTION + 1;
  if (portions > 1) threads_run(threads_for(ns_taken * g.n), portions, take_portion, &g);
  else take_portion(&g, 0, 0);
}

void reals_take(const task *t, void *to, column from, int64_t first, int32_t n) {
  take((taking){t, t->single ? narrow : NULL, to, from, first, n});
}

void reals_take_in(const task *t, void *to, int k, int64_t first, int32_t n) {
  take((taking){t, !t->single ? NULL : k == 0 && t->narrow ? t->narrow : narrow, to, t->in[k], first, n});
}

static void reals_give(const task *t, double *to, const void *from, int32_t n) {
  const float *narrow = from;
  if (t->single)
    for (int32_t i = 0; i < n; i++) to[i] = narrow[i];
  else
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* Hands over floats in pieces of so many doubles. */
enum { WIDE = 4096 };
static int32_t wide_piece(const task *t) {
  const int32_t grain = t->grain > 16 ? t->grain : 16;
  return WIDE / t->pipe->n_out / grain * grain;
}

static void deliver_widened(const task *t, int64_t first, int32_t n, void *results, size_t stride) {
  const int32_t most = wide_piece(t);
  const double *values[MAX_COLUMNS];
  double wide[WIDE];
  int32_t piece;
  for (int32_t at = 0; at < n; at += piece) {
    piece = n - at < most ? n - at : most;
    for (int k = 0; k < t->pipe->n_out; k++) {
      reals_give(t, wide + (size_t)k * (size_t)piece, real_at(t, results, (size_t)k * stride + (size_t)at), piece);
      values[k] = wide + (size_t)k * (size_t)piece;
    }
    t->deliver(t->deliver_to, first + at, piece, values);
  }
}

typedef struct {
  const task *t;
  int64_t first;
  int32_t n, portion;
  void *results;
  size_t stride;
} giving;

static int give_portion(void *context, int64_t portion, int thread) {
  const giving *g = context;
  const task *t = g->t;
  const int64_t at = portion * g->portion;
  const int32_t n = (int32_t)at_most(g->n - at, g->portion);
  const double *values[MAX_COLUMNS];
  (void)thread;
  if (t->deliver && t->single) {
    deliver_widened(t, g->first + at, n, real_at(t, g->results, (size_t)at), g->stride);
    return 1;
  }
  for (int k = 0; k < t->pipe->n_out; k++) {
    void *from = real_at(t, g->results, (size_t)k * g->stride + (size_t)at);
    values[k] = from;
    if (!t->deliver) reals_give(t, t->out[k] + g->first + at, from, n);
  }
  if (t->deliver) t->deliver(t->deliver_to, g->first + at, n, values);
  return 1;
}

size_t results_of(const task *t, int32_t n, size_t stride) {
  if (t->numbers) return (size_t)(n / t->grain) * (size_t)t->numbers;
  return stride * (size_t)(t->pipe->n_out - 1) + (size_t)n;
}

void deliver_results(const task *t, int64_t first, int32_t n, void *results, size_t stride) {
  if (t->numbers) {
    memcpy(t->out[0] + first / t->grain * t->numbers, results, sizeof(double) * results_of(t, n, stride));
    return;
  }
  const int32_t grain = t->grain > 16 ? t->grain : 16, columns = t->pipe->n_out > 1 ? t->pipe->n_out : 1;
  const int32_t some = PORTION / columns / grain * grain;
  giving g = {t, first, n, some > grain ? some : grain, results, stride};
  const int32_t portions = (n - 1) / g.portion + 1;
  if (portions > 1 && (double)n * columns > PORTION) {
    threads_run(threads_for(ns_given * n * columns), portions, give_portion, &g);
  } else {
    g.portion = n;
    give_portion(&g, 0, 0);
  }
}

uint32_t shared_columns(const task *t) {
  uint32_t mask = 0;
  for (int k = 0; k < t->pipe->n_in; k++)
    if (t->in[k].length == 1) mask |= (uint32_t)1 << k;
  return mask;
}

double task_cost(const task *t) { return t->pipe->ns_per_point > 0 ? t->pipe->ns_per_point : 100; }

status task_check(const task *t) {
  const pipeline *p = t->pipe;
  if (t->n < 0 || t->run < 1) return fail(STATUS_INPUT, "%s: a task of %lld points", p->name, (long long)t->n);
  for (int k = 0; k < p->n_set_in; k++)
    if (t->set_in[k].length < 1) return fail(STATUS_INPUT, "%s: empty parameter", p->name);
  for (int k = 0; k < p->n_in; k++)
    if (t->in[k].length < 1) return fail(STATUS_INPUT, "%s: empty argument", p->name);
  if (p->n_in > MAX_IN || p->n_out > MAX_COLUMNS)
    return fail(STATUS_INPUT, "%s: %d columns of data and %d of results", p->name, p->n_in, p->n_out);
  if (!p->step[0] || p->step[MAX_STEPS]) return fail(STATUS_INPUT, "%s: a list of no steps, or without end", p->name);
  for (int k = 0; p->step[k] && t->single; k++)
    if (!p->step[k]->single)
      return fail(STATUS_DEVICE, "%s has no single precision kernels", p->name);
  if (t->numbers && (t->single || t->deliver || t->grain < t->numbers || t->n % t->grain))
    return fail(STATUS_INPUT, "%s: %d sums of each %d of %lld points", p->name, (int)t->numbers, (int)t->grain,
                (long long)t->n);
  if (t->single && t->deliver && !wide_piece(t))
    return fail(STATUS_INPUT, "%s: a grain of %d floats", p->name, (int)t->grain);
  return STATUS_OK;
}
