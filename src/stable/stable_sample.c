/* stable_sample.c: see stable_sample.h. */
#include "stable/stable_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Observations that the starts look at. */
enum { START_SAMPLE = 20000 };

static int is_censored(const fit_problem *p, int64_t i) {
  return p->upper && !isnan(p->upper[i]) && p->upper[i] != p->x[i];
}

/* One value for an observation: the middle of its interval, or the end that is finite. */
static double stand_in(const fit_problem *p, int64_t i) {
  if (!is_censored(p, i)) return p->x[i];
  if (!isfinite(p->x[i])) return p->upper[i];
  return isfinite(p->upper[i]) ? p->x[i] + 0.5 * (p->upper[i] - p->x[i]) : p->x[i];
}

static double times(const fit_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

/* s->memory begins with room for 4n numbers, the second half for what is put in order. Of many observations there is
 * one from each of START_SAMPLE parts of equal weight. */
void fit_order(fit_sample *s, const double *b) {
  const fit_problem *p = s->p;
  const int64_t n = s->n_ordered;
  const double part = s->total / (double)n;
  double *x = s->memory + 2 * n, *weight = x + n, sum = times(p, 0);
  uint32_t state = 1;
  for (int64_t k = 0, i = 0; k < n; k++) {
    if (p->n > n) {
      const double target = ((double)k + sample_uniform(&state)) * part;
      while (sum <= target && i + 1 < p->n) sum += times(p, ++i);
    } else {
      i = k;
    }
    x[k] = p->columns > 0 ? fit_rest(s, b, i) : stand_in(p, i);
    weight[k] = p->n > n ? 1 : times(p, i);
  }
  s->ordered = order_sample(n, x, p->weight && p->n <= n ? weight : NULL, s->memory, NULL, 0);
}

/* Exact observations first, then the intervals. */
static void part_sample(fit_sample *s, double *memory) {
  const fit_problem *p = s->p;
  double *exact = memory, *weight = exact + p->n, *low = weight + p->n, *high = low + p->n, *count = high + p->n;
  for (int64_t i = 0; i < p->n; i++) {
    if (is_censored(p, i)) {
      low[s->n_censored] = p->x[i];
      high[s->n_censored] = p->upper[i];
      count[s->n_censored++] = times(p, i);
    } else {
      exact[s->n] = p->x[i];
      weight[s->n++] = times(p, i);
    }
  }
  s->x = exact;
  s->weight = weight;
  s->low = low;
  s->high = high;
  s->censored = count;
}

/* Each of the observations has the density f/P(cut[0] < X <= cut[1]). */
static void put_range(fit_sample *s, double *memory) {
  memory[0] = s->p->cut[0];
  memory[1] = s->p->cut[1];
  memory[2] = -s->total;
  s->low = memory;
  s->high = memory + 1;
  s->censored = memory + 2;
  s->n_censored = 1;
}

status fit_sample_open(fit_sample *s, const fit_problem *p, int ordered) {
  memset(s, 0, sizeof *s);
  s->p = p;
  s->n_ordered = !ordered ? 0 : p->n < START_SAMPLE ? p->n : START_SAMPLE;
  const int64_t room = 4 * s->n_ordered + (p->upper ? 5 * p->n : 0) + (p->truncated ? 3 : 0);
  if (room > 0) {
    s->memory = malloc(sizeof(double) * (size_t)room);
    if (!s->memory) return fail(STATUS_MEMORY, "stableFit: no memory for %lld observations", (long long)p->n);
  }
  if (p->upper) {
    part_sample(s, s->memory + 4 * s->n_ordered);
  } else {
    s->x = p->x;
    s->weight = p->weight;
    s->n = p->n;
  }
  s->least = HUGE_VAL;
  s->most = -HUGE_VAL;
  for (int64_t i = 0; i < p->n; i++) {
    const double low = stand_in(p, i), high = is_censored(p, i) && isfinite(p->upper[i]) ? p->upper[i] : low;
    s->total += times(p, i);
    if (!is_censored(p, i)) s->total_exact += times(p, i);
    s->least = fmin(s->least, isfinite(p->x[i]) ? p->x[i] : low);
    s->most = fmax(s->most, high);
  }
  if (p->truncated) put_range(s, s->memory + room - 3);
  const status st = stable_observe(s->n, s->x, s->weight, p->columns, p->q, &s->observed);
  return st == STATUS_MEMORY ? STATUS_OK : st;
}

void fit_sample_close(fit_sample *s) {
  stable_observed_close(s->observed);
  s->observed = NULL;
  free(s->memory);
  s->memory = NULL;
}
