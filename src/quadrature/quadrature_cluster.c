/* quadrature_cluster.c: see quadrature_cluster.h. A cluster has a sequence of its own: the integral over the range
 * that it began with, as it is known in each round. Two singularities in one sequence would hide each other: powers
 * that are nearly the same, or a jump in what looks like the rounding of a pole. */
#include "quadrature/quadrature_cluster.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quadrature/sequence_limit.h"

enum { CLUSTERS = 4, NONE = -1, MANY = -2 };

/* Of one component: what lies on open panels now, the error of that, and what rounding of t makes of it; the
 * sequence, its last two limits, and how far the last one was from others. */
typedef struct {
  double open, error, rounding, term[LIMIT_TERMS], limit[2], off;
} sequence;

typedef struct {
  double kind, low, high; /* of t */
  int terms;
} range;

struct clusters {
  int n, m;
  range of[CLUSTERS];
  sequence *sequences, *spare; /* m of each cluster */
  sequence memory[];
};

static status open_clusters(clusters **c, int m) {
  const size_t n = 2 * (size_t)CLUSTERS * (size_t)m;
  *c = malloc(sizeof **c + n * sizeof(sequence));
  if (!*c) return fail(STATUS_MEMORY, "out of memory for extrapolation");
  (*c)->n = 0;
  (*c)->m = m;
  (*c)->sequences = (*c)->memory;
  (*c)->spare = (*c)->memory + CLUSTERS * m;
  return STATUS_OK;
}

static int lies_in(const range *r, const panel_list *a, int64_t i) {
  return a->kind[i] == r->kind && a->centre[i] > r->low && a->centre[i] < r->high;
}

/* The runs of open panels next to each other, those at far ends that are not finite left out; MANY if there are
 * more than CLUSTERS. */
static int find_runs(const panel_round *p, range *run) {
  const panel_list *a = &p->panel;
  int found = 0;
  for (int64_t i = 0; i < a->n; i++) {
    const double low = a->centre[i] - a->half[i], high = a->centre[i] + a->half[i], near = 1e-6 * a->half[i];
    range *last = run + (found ? found - 1 : 0);
    if (p->taken[i] || round_is_bad(p, i)) continue;
    if (found && last->kind == a->kind[i] && fabs(last->high - low) <= near) {
      last->high = high;
    } else if (found && last->kind == a->kind[i] && fabs(last->low - high) <= near) {
      last->low = low;
    } else {
      if (found == CLUSTERS) return MANY;
      run[found++] = (range){a->kind[i], low, high, 0};
    }
  }
  return found;
}

/* The cluster that a run has come from, unless it has become several. */
static int parent_of(const clusters *c, const range *run, int n_run, int r) {
  for (int j = 0; j < c->n; j++) {
    const range *p = c->of + j;
    const double near = 1e-6 * (p->high - p->low);
    int children = 0, mine = 0;
    for (int i = 0; i < n_run; i++)
      if (run[i].kind == p->kind && run[i].low >= p->low - near && run[i].high <= p->high + near) {
        children++;
        mine |= i == r;
      }
    if (mine) return children == 1 ? j : NONE;
  }
  return NONE;
}

/* Component k of the sequence of run r, which has come from cluster `from`, or begins. */
static void go_on(clusters *c, const panel_round *p, const range *run, int r, int from, int k) {
  const range *parent = from == NONE ? NULL : c->of + from;
  const sequence *s = parent ? c->sequences + from * c->m + k : NULL;
  const int kept = run[r].terms - 1;
  const double *value = round_results(p, k, PANEL_VALUE), *error = round_results(p, k, PANEL_ERROR);
  sequence *to = c->spare + r * c->m + k;
  double open = 0, within = 0;
  to->error = to->rounding = 0;
  for (int64_t i = 0; i < p->panel.n; i++) {
    const double v = round_is_bad(p, i) ? 0 : value[i];
    if (!p->taken[i] && lies_in(run + r, &p->panel, i)) {
      open += v;
      to->error += error[i];
      /* nodes are rounded, some up and some down: the share is what beta densities at x = 1 show */
      to->rounding += 0.03 * DBL_EPSILON * fabs(p->panel.centre[i] / p->panel.half[i] * v);
    }
    if (parent && lies_in(parent, &p->panel, i)) within += v;
  }
  if (s) {
    memcpy(to->term, s->term + parent->terms - kept, (size_t)kept * sizeof *to->term);
    memcpy(to->limit, s->limit, sizeof to->limit);
    to->off = s->off;
    to->term[kept] = s->term[parent->terms - 1] + (within - s->open);
  } else {
    to->term[0] = open;
    to->limit[0] = to->limit[1] = to->off = INFINITY;
  }
  to->open = open;
}

status clusters_update(clusters **of, const panel_round *p) {
  range run[CLUSTERS];
  const int n_run = find_runs(p, run);
  status st = *of || n_run <= 0 ? STATUS_OK : open_clusters(of, p->m);
  clusters *c = *of;
  if (st || !c) return st;
  for (int r = 0; r < n_run; r++) {
    const int from = parent_of(c, run, n_run, r);
    run[r].terms = from == NONE ? 1 : c->of[from].terms + (c->of[from].terms < LIMIT_TERMS);
    for (int k = 0; k < c->m; k++) go_on(c, p, run, r, from, k);
  }
  c->n = n_run > 0 ? n_run : 0;
  memcpy(c->of, run, (size_t)c->n * sizeof *run);
  sequence *swap = c->sequences;
  c->sequences = c->spare;
  c->spare = swap;
  return STATUS_OK;
}

void clusters_forget(clusters *c) {
  if (c) c->n = 0;
}

double clusters_beyond(clusters *c, int k, double *error) {
  double beyond = 0;
  *error = c && c->n ? 0 : INFINITY;
  if (!c) return 0;
  for (int r = 0; r < c->n; r++) {
    sequence *s = c->sequences + r * c->m + k;
    const int all = c->of[r].terms, from = sequence_start(s->term, all), n = all - from;
    const double *term = s->term + from;
    double off, limit = sequence_limit(term, n, &off);
    for (int i = 0; i < 2; i++)
      if (!(fabs(limit - s->limit[i]) <= off)) off = fabs(limit - s->limit[i]);
    s->limit[1] = s->limit[0];
    s->limit[0] = limit;
    /* what agrees so much better than a round ago agrees by accident */
    if (isfinite(s->off)) off = fmax(off, 1e-3 * s->off);
    s->off = off;
    const double of_limit = sequence_error(term, n, off, s->rounding + DBL_EPSILON * fabs(term[n - 1]));
    /* a component may have nothing singular here */
    if (of_limit < s->error) beyond += limit - term[n - 1];
    *error += of_limit < s->error ? of_limit : s->error;
  }
  return beyond;
}
