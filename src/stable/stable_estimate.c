/* stable_estimate.c: batches of series for the estimators of stable_estimators.c, stable_ecf.c and stable_grid.c. */
#include "stable/stable_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"
#include "stable/stable_grid.h"

/* Nanoseconds that a series of n values takes, roughly, to choose the number of threads. */
static double cost_of(int64_t n) { return 2e4 + 200 * (double)n; }

static status estimate_all(enum estimate_method method, int64_t m, estimate_problem *series, grid_series *ordered,
                           double *room, const int64_t *place) {
  static stable_estimator *const direct[] = {stable_mcculloch, stable_logmoment, stable_koutrouvelis, stable_ecf};
  double cost = 0;
  for (int64_t i = 0; i < m; i++) cost += cost_of(series[i].n);
  const int threads = threads_for(cost);
  (void)threads;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
  for (int64_t i = 0; i < m; i++) {
    grid_series *s = &ordered[i];
    s->sample = order_sample(series[i].n, series[i].x, series[i].weight, room + place[i]);
    memcpy(s->fixed, series[i].fixed, sizeof s->fixed);
    int good = 0;
    if (method < ESTIMATE_GRID && s->sample.n) good = direct[method](&s->sample, s->fixed, s->par);
    for (int k = 0; k < LAW_PARS && !good; k++) s->par[k] = NAN;
  }
  const status st = method < ESTIMATE_GRID ? STATUS_OK : stable_grid(m, ordered, method == ESTIMATE_GRID2D);
  for (int64_t i = 0; i < m; i++) memcpy(series[i].par, ordered[i].par, sizeof series[i].par);
  return st;
}

status stable_estimate(enum estimate_method method, int64_t m, estimate_problem *series) {
  int64_t *place = malloc((size_t)(m + 1) * sizeof *place);
  grid_series *ordered = malloc((size_t)(m + 1) * sizeof *ordered);
  double *room = NULL;
  status st = STATUS_MEMORY;
  if (place && ordered) {
    place[0] = 0;
    for (int64_t i = 0; i < m; i++) place[i + 1] = place[i] + (series[i].weight ? 2 : 1) * series[i].n;
    room = malloc((size_t)(place[m] + 1) * sizeof *room);
    if (room) st = estimate_all(method, m, series, ordered, room, place);
  }
  if (!room) fail(STATUS_MEMORY, "no memory for the estimates of %lld series", (long long)m);
  free(room);
  free(ordered);
  free(place);
  return st;
}
