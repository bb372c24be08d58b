/* several_choose.c: see several_choose.h. Covariances are by a table of each term, a cubic in the root of the
 * distance through 4 of its values: that the choice is the best one needs no more digits, and who is chosen has exact
 * ones from there on. */
#include "covariance/several_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"

/* At most MOST m candidates take part; choices that are equal but for SAME are that of the first, and conditional
 * variances below LEAST of the candidate's own are rounding errors: variables may have any units. */
enum { CELLS = 4096, PADDED = CELLS + 4, PIECE = 64, STEP = 64, MOST = 5 };
static const double SAME = 1e-6, LEAST = 1e-11;

typedef struct {
  const several_choice *c;
  several_places places;
  double *table, *memory, far; /* far: no distance is longer */
  int64_t work, piece;
  int *chosen;
} search;

/* ---- covariances ---- */

/* Values at the squares of equidistant numbers, with one before 0 and two beyond the end. */
static status find_tables(search *w) {
  const several_pairs *p = w->places.p;
  const cov_want want = {COV_VALUE, 0, NULL};
  double *r = malloc(PADDED * sizeof *r);
  status st = r ? STATUS_OK : fail(STATUS_MEMORY, "covariances: no memory for tables");
  for (int k = 0; k < PADDED && !st; k++) r[k] = w->far * (k - 1.0) * (k - 1.0) / ((double)CELLS * CELLS);
  for (int t = 0; t < p->terms && !st; t++) {
    const cov_model m = {1, 1, 0, p->part + t, &want};
    double *out[] = {w->table + t * PADDED};
    st = cov_values(&m, COV_BY_SIZE, PADDED, (column){r, PADDED}, out);
  }
  free(r);
  return st;
}

static double looked_up(const double *table, double r, double far) {
  const double x = sqrt(r / far) * CELLS;
  const int k = x < CELLS ? (int)x : CELLS - 1;
  const double *f = table + k, u = x - k; /* between f[1] and f[2] */
  const double a = (f[3] - f[0]) / 6 + (f[1] - f[2]) / 2, b = (f[0] + f[2]) / 2 - f[1];
  return f[1] + u * (f[2] - f[1] - a - b + u * (b + u * a));
}

/* Of place j of those gathered with itself and those after it; r: a number for each and geometry. */
static void covariances(const search *w, const int32_t *index, const double *at, int64_t rows, int64_t j, double *r,
                        double *out) {
  const several_places *s = &w->places;
  const several_pairs *p = s->p;
  const int pairs = p->variables * p->variables, own = p->variables * p->variable[index[j]];
  for (int g = 0; g < s->geometries; g++) several_distances(s, g, at, rows, j, r + g * rows);
  for (int64_t i = j; i < rows; i++) {
    const int pair = own + p->variable[index[i]];
    double sum = p->shared && several_share_errors(p, index[i], index[j]) ? p->shared[pair] : 0;
    for (int k = s->slot[pair]; k < s->slot[pair + 1]; k++) {
      const int t = s->term[k];
      sum += p->weight[t * pairs + pair] * looked_up(w->table + t * PADDED, r[s->of[t] * rows + i - j], w->far);
    }
    out[i - j] = sum;
  }
}

static double own_variance(const search *w, int32_t i) {
  const several_places *s = &w->places;
  const several_pairs *p = s->p;
  const int pair = (p->variables + 1) * p->variable[i];
  double sum = w->c->diagonal[i];
  for (int k = s->slot[pair]; k < s->slot[pair + 1]; k++)
    sum += p->weight[s->term[k] * p->variables * p->variables + pair];
  return sum;
}

/* ---- choices ---- */

/* What a thread has: candidates, behind the place itself, with their covariance with it, conditional variance, the
 * least of this that counts, and factor, by rows; order: for a ranking. */
typedef struct {
  int32_t *index;
  double *with, *variance, *least, *column, *r, *factor, *at; /* at: what several_gather() has */
  struct rank {
    double gain;
    int number;
  } *order;
  char *taken;
} room;

static int by_gain(const void *a, const void *b) {
  const struct rank *x = a, *y = b;
  if (x->gain != y->gain) return x->gain < y->gain ? 1 : -1;
  return x->number - y->number;
}

static void mark(const room *t, int n, int most, char *taken) {
  qsort(t->order, (size_t)n, sizeof *t->order, by_gain);
  for (int k = 0; k < n && k < most; k++) taken[t->order[k].number] = 1;
}

/* Of all candidates 2 m that tell most by themselves, 2 m in equal parts of the lists, and m that are the nearest:
 * what is hardly correlated with the place may tell most next to others, so that no one of these will do. */
static int find_candidates(const search *w, int64_t i, const room *t) {
  const several_choice *c = w->c;
  const int *given = c->candidate + i * c->lists * c->length;
  const int of_each = 2 * c->m / c->lists;
  int n = 1, q = 0;
  t->index[0] = (int32_t)(c->first + i);
  for (int k = 0; k < c->lists * c->length; k++)
    if (given[k] >= 1) {
      t->taken[n] = k % c->length < of_each;
      t->index[n++] = given[k] - 1;
    }
  several_gather(&w->places, t->index, n, t->at);
  covariances(w, t->index, t->at, n, 0, t->r, t->with);
  for (int k = 1; k < n; k++) t->order[k - 1] = (struct rank){-t->r[k], k};
  mark(t, n - 1, c->m, t->taken);
  const double unit = own_variance(w, t->index[0]); /* of gains, which then fit into single precision */
  for (int k = 1; k < n; k++) {
    const double variance = own_variance(w, t->index[k]);
    t->variance[k] = variance;
    t->order[k - 1] = (struct rank){(float)(t->with[k] / unit * (t->with[k] / variance)), k};
  }
  mark(t, n - 1, 2 * c->m, t->taken);
  for (int k = 1; k < n; k++)
    if (t->taken[k]) {
      q++;
      t->index[q] = t->index[k], t->with[q] = t->with[k], t->variance[q] = t->variance[k];
      t->least[q] = LEAST * t->variance[k];
    }
  several_gather(&w->places, t->index + 1, q, t->at);
  return q;
}

static void choose_one(const search *w, int64_t i, const room *t) {
  const int m = w->c->m, n = find_candidates(w, i, t);
  int *chosen = w->chosen + i * m, found = 0;
  double *with = t->with + 1, *variance = t->variance + 1, *least = t->least + 1; /* of candidates */
  int32_t *index = t->index + 1;
  for (; found < m; found++) {
    int best = -1;
    double gain = -1;
    for (int k = found; k < n; k++) {
      if (!(variance[k] > least[k])) continue;
      const double own = with[k] * with[k] / variance[k];
      if (own > gain * (gain > 0 ? 1 + SAME : 1)) best = k, gain = own;
    }
    if (best < 0) break;
    chosen[found] = index[best] + 1;
    /* candidates that are chosen come first, the others keep their order but for the one in whose place it comes */
    const int32_t number = index[found];
    const double keep_with = with[found], keep_variance = variance[found], keep_least = least[found];
    index[found] = index[best], with[found] = with[best], variance[found] = variance[best];
    index[best] = number, with[best] = keep_with, variance[best] = keep_variance;
    least[found] = least[best], least[best] = keep_least;
    for (int c = 0; c < several_numbers(&w->places); c++) {
      double *at = t->at + c * n;
      const double keep = at[found];
      at[found] = at[best], at[best] = keep;
    }
    double *a = t->factor + (int64_t)found * m, *b = t->factor + (int64_t)best * m;
    for (int k = 0; k < found; k++) {
      const double keep = a[k];
      a[k] = b[k], b[k] = keep;
    }
    const double root = sqrt(variance[found]), share = with[found] / root;
    covariances(w, index, t->at, n, found, t->r, t->column);
    for (int k = found + 1; k < n; k++) {
      double left = t->column[k - found], *row = t->factor + (int64_t)k * m;
#pragma omp simd reduction(- : left)
      for (int e = 0; e < found; e++) left -= row[e] * a[e];
      left /= root;
      row[found] = left;
      variance[k] -= left * left;
      with[k] -= left * share;
    }
  }
  for (int k = found; k < m; k++) chosen[k] = -1;
}

static int choose_some(void *context, int64_t piece, int thread) {
  const search *w = context;
  const several_choice *c = w->c;
  const int64_t all = (int64_t)c->lists * c->length + 1, from = (w->piece + piece) * PIECE;
  double *own = w->memory + thread * w->work;
  room t = {.with = own, .variance = own + all, .least = own + 2 * all, .column = own + 3 * all,
            .r = own + 4 * all};
  t.factor = t.r + all * w->places.geometries;
  t.at = t.factor + (int64_t)MOST * c->m * c->m;
  t.order = (struct rank *)(t.at + all * several_numbers(&w->places));
  t.index = (int32_t *)(t.order + all);
  t.taken = (char *)(t.index + all);
  for (int64_t i = from; i < at_most(c->count, from + PIECE); i++) choose_one(w, i, &t);
  return 1;
}

status several_choose(const several_choice *c, int *chosen) {
  const int threads = threads_for(1e5 * (double)c->count);
  const int64_t all = (int64_t)c->lists * c->length + 1, most = STEP * threads;
  const int64_t pieces = (c->count + PIECE - 1) / PIECE;
  search w = {.c = c, .chosen = chosen};
  status st = several_open(&w.places, c->p);
  w.work = all * (8 + w.places.geometries + several_numbers(&w.places)) + (int64_t)MOST * c->m * c->m + 16;
  w.table = malloc((size_t)(c->p->terms * PADDED + 1) * sizeof *w.table);
  w.memory = malloc((size_t)(w.work * threads) * sizeof *w.memory);
  if (!st && (!w.table || !w.memory)) st = fail(STATUS_MEMORY, "covariances: no memory for a choice of neighbours");
  if (!st) w.far = several_farthest(&w.places);
  if (!st) st = find_tables(&w);
  for (; w.piece < pieces && !st; w.piece += most) {
    threads_run(threads, at_most(pieces - w.piece, most), choose_some, &w);
    st = backend_pause((double)w.piece / (double)pieces);
  }
  several_close(&w.places);
  free(w.table), free(w.memory);
  return st;
}
