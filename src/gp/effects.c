/* effects.c: sums over observations, in their order. */
#include "gp/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/threads.h"
#include "gp/laplace_levels.h"

static status no_memory(const effects_design *d) {
  return fail(STATUS_MEMORY, "no memory for %lld grouped effects", (long long)d->effects);
}

void effects_spread(const effects_design *d, int64_t columns, const double *b, double *out) {
  memset(out, 0, (size_t)(d->n * columns) * sizeof *out);
  for (int64_t c = 0; c < columns; c++) {
    const double *from = b + c * (d->latent + d->effects);
    for (int64_t k = 0; k < d->columns; k++)
      for (int64_t i = 0; i < d->n; i++)
        out[i + c * d->n] += d->value[i + k * d->n] * from[d->index[i + k * d->n] - 1];
  }
}

void effects_gather(const effects_design *d, int64_t columns, const double *x, double *out) {
  const int64_t rows = d->latent + d->effects;
  memset(out, 0, (size_t)(rows * columns) * sizeof *out);
  for (int64_t c = 0; c < columns; c++)
    for (int64_t k = 0; k < d->columns; k++)
      for (int64_t i = 0; i < d->n; i++)
        out[d->index[i + k * d->n] - 1 + c * rows] += d->value[i + k * d->n] * x[i + c * d->n];
}

void effects_sums(int64_t n, int64_t columns, const int *unit, const double *x, int64_t units, double *out) {
  memset(out, 0, (size_t)(units * columns) * sizeof *out);
  for (int64_t c = 0; c < columns; c++)
    for (int64_t i = 0; i < n; i++) out[unit[i] - 1 + c * units] += x[i + c * n];
}

void effects_cross(const effects_design *d, const double *weight, double *mixed, double *own) {
  if (mixed) memset(mixed, 0, (size_t)(d->latent * d->effects) * sizeof *mixed);
  memset(own, 0, (size_t)(d->effects * d->effects) * sizeof *own);
  for (int64_t k = d->processes; k < d->columns; k++)
    for (int64_t l = mixed ? 0 : d->processes; l < d->columns; l++)
      for (int64_t i = 0; i < d->n; i++) {
        const int64_t column = d->index[i + k * d->n] - 1 - d->latent, row = d->index[i + l * d->n] - 1;
        const double v = weight[i] * d->value[i + k * d->n] * d->value[i + l * d->n];
        if (l < d->processes) mixed[row + column * d->latent] += v;
        else own[row - d->latent + column * d->effects] += v;
      }
}

/* ---- with all elements of Y ---- */

/* n x columns numbers by rows, in blocks that stay in the cache. */
static void by_rows(int64_t n, int64_t columns, const double *x, double *out) {
  enum { SIDE = 32 };
  for (int64_t j = 0; j < columns; j += SIDE)
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = j; k < j + SIDE && k < columns; k++) out[i * columns + k] = x[i + k * n];
}

typedef struct {
  const laplace_columns *by;
  const effects_design *d;
  const double *mixed, *y; /* y: by rows */
  double *out;
  int64_t first, from, to; /* first: of the columns in hand; from, to: the rows */
} cross_work;

/* Up to FEW columns of the product stay in the cache with BLOCK rows of Y; of more, with one column all rows do. */
enum { FEW = 360, BLOCK = 128 };

/* Of a column what is up to the diagonal, by the rows in which R has something. */
static int column_of_cross(void *context, int64_t piece, int thread) {
  const cross_work *w = context;
  const int64_t latent = w->d->latent, effects = w->d->effects, k = w->first + piece;
  double *to = w->out + k * effects;
  (void)thread;
  if (!w->from) memset(to, 0, (size_t)(k + 1) * sizeof *to);
  for (int64_t r = w->from; r < w->to; r++) {
    const double v = w->mixed[r + k * latent], *from = w->y + r * effects;
    if (v != 0) w->by->add(k + 1, v, from, to);
  }
  return 1;
}

status effects_crossed(const effects_design *d, const double *mixed, const double *y, double *out) {
  const int64_t q = d->effects;
  double *rows = malloc(((size_t)d->latent * (size_t)q + 1) * sizeof *rows);
  if (!rows) return no_memory(d);
  by_rows(d->latent, q, y, rows);
  cross_work w = {laplace_columns_in_use(), d, mixed, rows, out, 0, 0, 0};
  const int threads = threads_for(0.5 * (double)q * (double)d->n * (double)(d->columns - d->processes));
  status st = STATUS_OK;
  for (; w.from < d->latent && !st; w.from = w.to) {
    w.to = q <= FEW && w.from + BLOCK < d->latent ? w.from + BLOCK : d->latent;
    for (w.first = 0; w.first < q && !st; w.first += 64) {
      threads_run(threads, q - w.first < 64 ? q - w.first : 64, column_of_cross, &w);
      st = backend_pause(NAN);
    }
  }
  for (int64_t k = 0; k < q; k++)
    for (int64_t j = 0; j < k; j++) out[k + j * q] = out[j + k * q];
  free(rows);
  return st;
}

static double dot(int64_t n, const double *x, const double *y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* z'Cz */
static double among_effects(const effects_design *d, int64_t i, const double *covariance) {
  double sum = 0;
  for (int64_t k = d->processes; k < d->columns; k++)
    for (int64_t l = d->processes; l < d->columns; l++)
      sum += d->value[i + k * d->n] * d->value[i + l * d->n] *
             covariance[d->index[i + l * d->n] - 1 - d->latent +
                        (d->index[i + k * d->n] - 1 - d->latent) * d->effects];
  return sum;
}

typedef struct {
  const laplace_pattern *at;
  const double *left, *right; /* by rows */
  int64_t columns, first;     /* first: of the pieces in hand */
  double *diagonal, *below;
} elements_work;

enum { ROWS = 64 };

static int elements_of_piece(void *context, int64_t piece, int thread) {
  const elements_work *w = context;
  const int64_t q = w->columns, n = w->at->n, from = (w->first + piece) * ROWS;
  const int64_t end = from + ROWS < n ? from + ROWS : n;
  (void)thread;
  for (int64_t k = from; k < end; k++) {
    const double *own = w->left + k * q;
    w->diagonal[k] += dot(q, own, w->right + k * q);
    for (int32_t p = w->at->start[k]; p < w->at->start[k + 1]; p++)
      w->below[p] += dot(q, own, w->right + w->at->near[p] * q);
  }
  return 1;
}

status effects_elements(const laplace_pattern *at, int64_t columns, const double *mixed, const double *y,
                        double *diagonal, double *below) {
  const int64_t n = at->n, pieces = (n + ROWS - 1) / ROWS;
  const size_t all = (size_t)n * (size_t)columns;
  double *left = malloc((2 * all + 1) * sizeof *left), *right = left + all;
  if (!left) return fail(STATUS_MEMORY, "no memory for %lld grouped effects", (long long)columns);
  by_rows(n, columns, mixed, left);
  by_rows(n, columns, y, right);
  elements_work w = {at, left, right, columns, 0, diagonal, below};
  const int threads = threads_for(0.5 * (double)columns * (double)(n + at->start[n]));
  status st = STATUS_OK;
  for (; w.first < pieces && !st; w.first += 16 * threads) {
    threads_run(threads, pieces - w.first < 16 * threads ? pieces - w.first : 16 * threads, elements_of_piece, &w);
    st = backend_pause(NAN);
  }
  free(left);
  return st;
}

void effects_variances(const effects_design *d, const double *own, const double *mixed, const double *covariance,
                       double *out) {
  const int64_t n = d->n, m = d->processes;
  for (int64_t i = 0; i < n; i++) {
    double part = among_effects(d, i, covariance);
    for (int64_t k = m; k < d->columns; k++)
      for (int64_t l = 0; l < m; l++)
        part -= 2 * d->value[i + k * n] * d->value[i + l * n] *
                mixed[d->index[i + l * n] - 1 + (d->index[i + k * n] - 1 - d->latent) * d->latent];
    out[i] = own[i] + part;
  }
}

/* ---- with a diagonal M, where Y has the elements of R ---- */

/* The elements of one row of R, which those of no other come near: `count` effects and their values. */
typedef struct {
  int64_t count, *effect, *place; /* place: of each effect among these, or -1 */
  double *value, *times;
} effects_row;

static int row_open(effects_row *r, int64_t effects) {
  r->effect = malloc(2 * (size_t)(effects + 1) * sizeof *r->effect);
  r->value = malloc(2 * (size_t)(effects + 1) * sizeof *r->value);
  if (!r->effect || !r->value) return 0;
  r->place = r->effect + effects + 1;
  r->times = r->value + effects + 1;
  r->count = 0;
  for (int64_t k = 0; k < effects; k++) r->place[k] = -1;
  return 1;
}

static void row_close(effects_row *r) {
  free(r->effect);
  free(r->value);
}

/* That of the observations from number s of the order on; the number of the first one after them. */
static int64_t next_row(const effects_design *d, const double *weight, int64_t s, effects_row *r) {
  const int64_t n = d->n, first = d->index[d->order[s] - 1];
  for (int64_t k = 0; k < r->count; k++) r->place[r->effect[k]] = -1;
  for (r->count = 0; s < n && d->index[d->order[s] - 1] == first; s++) {
    const int64_t i = d->order[s] - 1;
    for (int64_t k = 1; k < d->columns; k++) {
      const int64_t effect = d->index[i + k * n] - 1 - d->latent;
      if (r->place[effect] < 0) {
        r->place[effect] = r->count;
        r->effect[r->count] = effect;
        r->value[r->count++] = 0;
      }
      r->value[r->place[effect]] += weight[i] * d->value[i] * d->value[i + k * n];
    }
  }
  return s;
}

status effects_less_alone(const effects_design *d, const double *weight, const double *diagonal, double *own) {
  effects_row r = {0};
  const int sound = row_open(&r, d->effects);
  for (int64_t s = 0; s < d->n && sound;) {
    const double by = 1 / diagonal[d->index[d->order[s] - 1] - 1];
    s = next_row(d, weight, s, &r);
    for (int64_t k = 0; k < r.count; k++)
      for (int64_t l = 0; l < r.count; l++)
        own[r.effect[l] + r.effect[k] * d->effects] -= by * r.value[k] * r.value[l];
  }
  row_close(&r);
  return sound ? STATUS_OK : no_memory(d);
}

status effects_variances_alone(const effects_design *d, const double *weight, const double *diagonal,
                               const double *covariance, double *out, double *latent) {
  const int64_t n = d->n;
  effects_row r = {0};
  const int sound = row_open(&r, d->effects);
  memset(latent, 0, (size_t)d->latent * sizeof *latent);
  for (int64_t s = 0; s < n && sound;) {
    const int64_t from = s, row = d->index[d->order[s] - 1] - 1;
    s = next_row(d, weight, s, &r);
    for (int64_t k = 0; k < r.count; k++) {
      double sum = 0;
      for (int64_t l = 0; l < r.count; l++) sum += covariance[r.effect[l] + r.effect[k] * d->effects] * r.value[l];
      r.times[k] = sum / diagonal[row];
      latent[row] += r.times[k] * r.value[k] / diagonal[row];
    }
    for (int64_t t = from; t < s; t++) {
      const int64_t i = d->order[t] - 1;
      double part = d->value[i] * d->value[i] * latent[row] + among_effects(d, i, covariance);
      for (int64_t k = 1; k < d->columns; k++)
        part -= 2 * d->value[i + k * n] * d->value[i] * r.times[r.place[d->index[i + k * n] - 1 - d->latent]];
      out[i] = part;
    }
  }
  row_close(&r);
  return sound ? STATUS_OK : no_memory(d);
}
