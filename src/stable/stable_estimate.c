/* stable_estimate.c: batches of series for the estimators of stable_estimators.c, stable_ecf.c and stable_grid.c. */
#include "stable/stable_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/threads.h"

/* Nanoseconds that a series of n values takes, roughly, to choose the number of threads. */
static double cost_of(int64_t n) { return 2e4 + 200 * (double)n; }
static const double batch_ns = 1e8;

typedef struct {
  enum estimate_method method;
  estimate_problem *series;
  double *room;
  const int64_t *place;
  sample_listener *listener;
} estimation;

static int estimate_one(void *context, int64_t i, int thread) {
  static stable_estimator *const direct[] = {stable_mcculloch, stable_logmoment, stable_koutrouvelis, stable_ecf};
  const estimation *e = context;
  estimate_problem *s = e->series + i;
  int good = 0;
  s->tied = 0;
  s->sample = order_sample(s->n, s->x, s->weight, e->room + e->place[i], e->listener, thread == 0);
  if (e->method < ESTIMATE_GRID && s->sample.n) good = direct[e->method](&s->sample, s->fixed, s->par);
  for (int k = 0; k < STABLE_PARS && !good; k++) s->par[k] = NAN;
  return !sample_stops(&s->sample, 0);
}

static status estimate_batch(enum estimate_method method, int64_t m, estimate_problem *series, double done) {
  int64_t *place = calloc((size_t)(m + 1), sizeof *place);
  double cost = 0;
  for (int64_t i = 0; i < m && place; i++) {
    place[i + 1] = place[i] + (series[i].weight ? 4 : 2) * series[i].n;
    cost += cost_of(series[i].n);
  }
  double *room = place ? malloc((size_t)(place[m] + 1) * sizeof *room) : NULL;
  status st = room ? STATUS_OK : fail(STATUS_MEMORY, "no memory for the estimates of %lld series", (long long)m);
  if (st == STATUS_OK) {
    sample_listener listener = {done, 0};
    estimation e = {method, series, room, place, &listener};
    threads_run(threads_for(cost), m, estimate_one, &e);
    for (int64_t i = 0; i < m; i++) series[i].sample.hears = 1; /* grids are made on the calling thread */
    if (listener.stop) st = STATUS_INTERRUPT;
    else if (method >= ESTIMATE_GRID) st = stable_grid(m, series, method == ESTIMATE_GRID2D);
  }
  free(room);
  free(place);
  return st;
}

/* Grids are computed by tasks for all series together; the others in batches, between which the user is heard. Within
 * a long series the calling thread hears too, and so that it has one, those are in batches of their own. */
static int is_long(const estimate_problem *p) { return cost_of(p->n) > batch_ns; }

status stable_estimate(enum estimate_method method, int64_t m, estimate_problem *series) {
  const double most = method < ESTIMATE_GRID ? batch_ns * threads_available() : INFINITY;
  const call_part whole = backend_part();
  status st = STATUS_OK;
  if (m == 1 || method >= ESTIMATE_GRID) backend_set_part(whole, NAN, NAN);
  for (int64_t from = 0, to = 0; from < m && !st; from = to) {
    double cost = 0;
    for (; to < m && cost < most && (method >= ESTIMATE_GRID || is_long(series + to) == is_long(series + from)); to++)
      cost += cost_of(series[to].n);
    st = estimate_batch(method, to - from, series + from, (double)from / (double)m);
    if (!st && to < m) st = backend_pause((double)to / (double)m);
  }
  backend_set_part(whole, 0, 1);
  return st;
}
