/* torus.c: see torus.h. Transforms go along one axis after the other, some neighbouring lines at a time, and leave
 * out the lines of which nothing is kept. A field does not depend on the number of threads. */
#include "field/torus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"
#include "field/bands.h"
#include "field/line_fft.h"
#include "poisson/poisson.h"

/* Lines gathered together, so that what a cache line holds is used; what a line takes per point; and how long a run
 * of all threads lasts, between which interrupts are polled. */
enum { LINES_TOGETHER = 8 };
static const double ns_of_line = 4, ns_of_run = 5e7;

/* A pass over lines of n points: piece after piece of LINES_TOGETHER lines. */
typedef struct pass pass;
typedef void pass_work(pass *p, int64_t first, int64_t some, int thread);
struct pass {
  pass_work *work;
  int64_t lines, n;
  line_plan *plan;
  line_space **space; /* of each thread, made when it comes */
  double **buffer;
  int64_t room; /* of a buffer */
  int64_t begin, stride, rows, apart, kept;
  double *data, *out;
  int64_t wide; /* as work has it */
  int bad;
};

static int do_piece(void *context, int64_t piece, int thread) {
  pass *p = context;
  if (!p->space[thread] && p->plan) p->space[thread] = line_space_make(p->plan);
  if (!p->buffer[thread]) p->buffer[thread] = malloc((size_t)p->room * sizeof(double));
  if ((p->plan && !p->space[thread]) || !p->buffer[thread]) {
    threads_lock();
    p->bad = 1;
    threads_unlock();
    return 0;
  }
  const int64_t first = p->begin + piece * LINES_TOGETHER;
  p->work(p, first, at_most(p->lines - first, LINES_TOGETHER), thread);
  return 1;
}

static status no_memory(void) { return fail(STATUS_MEMORY, "fft: no memory for the transform"); }

static status run_pass(pass *p, int real) {
  const double ns = ns_of_line * (double)p->n;
  const int64_t most = p->n > 0 ? (int64_t)fmax(1, ns_of_run / ns / LINES_TOGETHER) : 1;
  const int threads = threads_for(ns * (double)p->lines);
  const call_part whole = backend_part();
  status st = STATUS_OK;
  p->plan = line_plan_make(p->n, real);
  p->space = calloc((size_t)threads, sizeof *p->space);
  p->buffer = calloc((size_t)threads, sizeof *p->buffer);
  if (!p->plan || !p->space || !p->buffer) st = no_memory();
  for (p->begin = 0; p->begin < p->lines && !st;) {
    const int64_t left = (p->lines - p->begin + LINES_TOGETHER - 1) / LINES_TOGETHER;
    const int64_t some = at_most(left, most * threads);
    threads_run(threads, some, do_piece, p);
    p->begin += some * LINES_TOGETHER;
    st = p->bad ? no_memory() : backend_pause(fmin(1, (double)p->begin / (double)p->lines));
  }
  backend_set_part(whole, 0, 1);
  for (int i = 0; i < threads; i++) {
    if (p->space) line_space_free(p->space[i]);
    if (p->buffer) free(p->buffer[i]);
  }
  free(p->space);
  free(p->buffer);
  line_plan_free(p->plan);
  return st;
}

/* ---- spectra ---- */

/* Line l begins at element l % stride of group l / stride, whose rows are apart. */
static int64_t line_begin(const pass *p, int64_t l) { return l / p->stride * p->apart + l % p->stride; }

static void even_lines(pass *p, int64_t first, int64_t some, int thread) {
  double *line = p->buffer[thread];
  for (int64_t j = 0; j < p->rows; j++)
    for (int64_t i = 0; i < some; i++) line[i * p->n + j] = p->data[line_begin(p, first + i) + j * p->stride];
  for (int64_t i = 0; i < some; i++) line_real_even(p->plan, p->space[thread], line + i * p->n);
  for (int64_t j = 0; j < p->rows; j++)
    for (int64_t i = 0; i < some; i++) p->data[line_begin(p, first + i) + j * p->stride] = line[i * p->n + j];
}

status torus_even(const int64_t n[TORUS_DIM], double *octant) {
  int64_t size = 1, stride = 1;
  status st = STATUS_OK;
  for (int d = 0; d < TORUS_DIM; d++) size *= n[d] / 2 + 1;
  for (int d = 0; d < TORUS_DIM && !st; d++) {
    const int64_t rows = n[d] / 2 + 1;
    pass p = {.work = even_lines, .lines = size / rows, .n = n[d], .room = LINES_TOGETHER * n[d], .stride = stride,
              .rows = rows, .apart = stride * rows, .data = octant};
    if (n[d] > 1) st = run_pass(&p, 1);
    stride *= rows;
  }
  return st;
}

/* ---- fields ---- */

static int64_t mirror(int64_t j, int64_t n) { return j ? n - j : 0; }

/* Noise of the wave numbers 0 and n/2 along the first axis, which has the conjugates of its own elements in it: the
 * mean of an element and the conjugate of its mirror image, in units in which all others have the variance 2. */
static void conjugate_plane(const torus *t, int64_t at, int64_t half, double *z) {
  static const double scale = 0.70710678118654752440;
  for (int64_t k = 0; k < t->n[2]; k++)
    for (int64_t j = 0; j < t->n[1]; j++) {
      double *a = z + 2 * (at + half * (j + t->n[1] * k));
      double *b = z + 2 * (at + half * (mirror(j, t->n[1]) + t->n[1] * mirror(k, t->n[2])));
      if (a > b) continue;
      const double re = scale * (a[0] + b[0]), im = scale * (a[1] - b[1]);
      a[0] = b[0] = re;
      a[1] = im;
      b[1] = -im;
    }
}

typedef struct {
  const torus *t;
  int64_t half, first;
  double *z;
} scaling;

/* The row number first + piece along the first axis times root. */
static int scale_row(void *context, int64_t piece, int thread) {
  const scaling *s = context;
  const torus *t = s->t;
  const int64_t row = s->first + piece, j = row % t->n[1], k = row / t->n[1];
  const int64_t rows = t->folded ? t->n[1] / 2 + 1 : t->n[1];
  const int64_t at = (t->folded ? at_most(j, mirror(j, t->n[1])) : j) +
                     rows * (t->folded ? at_most(k, mirror(k, t->n[2])) : k);
  const double *root = t->root + s->half * at;
  double *z = s->z + 2 * s->half * row;
  (void)thread;
  for (int64_t i = 0; i < s->half; i++) {
    z[2 * i] *= 0.70710678118654752440 * root[i];
    z[2 * i + 1] *= 0.70710678118654752440 * root[i];
  }
  return 1;
}

status torus_noise(const int64_t n[TORUS_DIM], const uint32_t key[2], double *z) {
  const int64_t half = n[0] / 2 + 1, rows = n[1] * n[2];
  const torus t = {.n = {n[0], n[1], n[2]}};
  status st = band_uniforms(key, 0, 0, 2 * half * rows, z);
  if (!st) st = normal_quantile(2 * half * rows, (column){z, 2 * half * rows}, z);
  if (st) return st;
  conjugate_plane(&t, 0, half, z);
  if (n[0] > 1 && n[0] % 2 == 0) conjugate_plane(&t, half - 1, half, z);
  return STATUS_OK;
}

static status scaled_noise(const torus *t, const uint32_t key[2], int64_t half, double *z) {
  const int64_t rows = t->n[1] * t->n[2], many = (int64_t)(ns_of_run / (double)half) + 1;
  status st = torus_noise(t->n, key, z);
  scaling s = {t, half, 0, z};
  const int threads = threads_for((double)(half * rows));
  for (; !st && s.first < rows; s.first += many) {
    threads_run(threads, at_most(rows - s.first, many), scale_row, &s);
    st = backend_pause(0);
  }
  return st;
}

static void complex_lines(pass *p, int64_t first, int64_t some, int thread) {
  double *line = p->buffer[thread];
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < some; i++)
      memcpy(line + 2 * (i * p->n + j), p->data + 2 * (line_begin(p, first + i) + j * p->stride), 2 * sizeof *line);
  for (int64_t i = 0; i < some; i++) line_complex(p->plan, p->space[thread], line + 2 * i * p->n);
  for (int64_t j = 0; j < p->kept; j++)
    for (int64_t i = 0; i < some; i++)
      memcpy(p->data + 2 * (line_begin(p, first + i) + j * p->stride), line + 2 * (i * p->n + j), 2 * sizeof *line);
}

/* Line l is row l % rows of plane l / rows, of planes of wide rows. */
static void real_lines(pass *p, int64_t first, int64_t some, int thread) {
  double *line = p->buffer[thread];
  for (int64_t l = first; l < first + some; l++) {
    const int64_t row = l % p->rows + l / p->rows * p->wide;
    line_real_values(p->plan, p->space[thread], p->data + 2 * p->stride * row, line);
    memcpy(p->out + p->kept * l, line, (size_t)p->kept * sizeof *line);
  }
}

/* In the part of the progress bar after `from`. */
static status transform(const int64_t n[TORUS_DIM], const int64_t kept[TORUS_DIM], double from, double *z,
                        double *out) {
  const int64_t half = n[0] / 2 + 1, plane = half * n[1];
  const call_part whole = backend_part();
  const double each = (1 - from) / TORUS_DIM;
  status st = STATUS_OK;
  pass p[TORUS_DIM] = {
      {.work = complex_lines, .lines = plane, .n = n[2], .room = LINES_TOGETHER * 2 * n[2], .stride = plane,
       .apart = plane * n[2], .kept = kept[2], .data = z},
      {.work = complex_lines, .lines = half * kept[2], .n = n[1], .room = LINES_TOGETHER * 2 * n[1], .stride = half,
       .apart = plane, .kept = kept[1], .data = z},
      {.work = real_lines, .lines = kept[1] * kept[2], .n = n[0], .room = n[0], .stride = half, .rows = kept[1],
       .wide = n[1], .kept = kept[0], .data = z, .out = out}};
  for (int d = 0; d < TORUS_DIM && !st; d++) {
    backend_set_part(whole, from + each * d, from + each * (d + 1));
    if (p[d].n > 1 || d == TORUS_DIM - 1) st = run_pass(&p[d], d == TORUS_DIM - 1);
  }
  backend_set_part(whole, 0, 1);
  return st;
}

status torus_transform(const int64_t n[TORUS_DIM], const int64_t kept[TORUS_DIM], double *z, double *out) {
  return transform(n, kept, 0, z, out);
}

status torus_field(const torus *t, const uint32_t key[2], double *out) {
  const int64_t half = t->n[0] / 2 + 1;
  const double numbers = 2.0 * (double)half * (double)t->n[1] * (double)t->n[2];
  const call_part whole = backend_part();
  double *z = malloc((size_t)numbers * sizeof *z);
  if (!z) return fail(STATUS_MEMORY, "tbrf: no memory for %g numbers", numbers);
  backend_set_part(whole, 0, 0.4);
  status st = scaled_noise(t, key, half, z);
  backend_set_part(whole, 0, 1);
  if (!st) st = transform(t->n, t->kept, 0.4, z, out);
  free(z);
  return st;
}
