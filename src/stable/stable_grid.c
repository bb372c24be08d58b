/* stable_grid.c: maximum likelihood for stable distributions by contracting grids, after Julian-Moreno, Lopez de
 * Vergara, Gonzalez, de Pedro, Royuela-del-Val and Simmross-Wattenberg (2017), who search over the four parameters
 * around McCulloch's estimate, or over alpha and beta with gamma and delta by McCulloch's method for each pair.
 *
 * Chosen here: the grid has three points per axis, the best one becomes the centre, and only where that is the centre
 * already the grid shrinks, to half; points of the grid before that come again are not evaluated. Spacings are first
 * 2/sqrt(n), at most 0.3, and last below 0.1/sqrt(n), in units of min(alpha, 1) for alpha, 2 for beta, 1/min(alpha,
 * 1) for log(gamma), and for the location gamma times the width of the density's core: small parts of standard
 * errors. Below alpha = 0.75 the location is zeta, that of pm = 1, where the density has its peak. The first centre
 * is the best of the other estimators' distributions, below 0.75 with zeta also at SITES locations where the
 * observations lie densest. Where the search walks towards observations that are equal, at which the likelihood has
 * no bound, it begins again with alpha above the share of these; where it then ends at that bound, with alpha above
 * larger ones, for there may be a maximum.
 *
 * Every round evaluates the grids of all series together: points lie in runs of RUN that share a distribution. */
#include "stable/stable_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  RUN = 64,
  SLAB = 1 << 18,           /* points of a task */
  CANDIDATES = 1 << 13,     /* of series that wait for a task */
  GRID_POINTS = 81, SITES = 24, STARTS = 5 * (SITES + 2),
  PATIENCE = 60             /* rounds after which every grid shrinks */
};

/* Where a search is: alpha, beta, log gamma and the location of pm = frame. */
typedef struct {
  double centre[DISTRIBUTION_PARS], unit[DISTRIBUTION_PARS], best, spacing;
  double floor;                 /* of alpha */
  double tied;                  /* weight of the observations that have raised it, or that alpha is fixed below */
  int frame, rounds, open;
  int shift[DISTRIBUTION_PARS], shifted; /* of the last grid, if the spacing is still the same */
} search;

typedef struct {
  double at[DISTRIBUTION_PARS], log_lik;
  int64_t series;
  int frame, digit[DISTRIBUTION_PARS];
} candidate;

typedef struct {
  grid_series *series;
  search *search;
  candidate *waiting;
  int64_t n_waiting;
  int two_dimensions;
  double *x, *log_f, *alpha, *beta, *frame; /* of a slab; the latter three of its runs */
  int64_t *owner, runs;
} grid;

static int free_par(const grid *g, int64_t i, int k) {
  return isnan(g->series[i].fixed[k]) && !(g->two_dimensions && k > DISTRIBUTION_BETA);
}

/* ---- log likelihoods ---- */

/* Adds the log densities of the slab's runs to their candidates. */
static status evaluate_slab(grid *g) {
  static const double one = 1, zero = 0;
  const int64_t n = g->runs * RUN;
  if (n == 0) return STATUS_OK;
  const column x = {g->x, n};
  const stable_parameters p = {{g->alpha, g->runs}, {g->beta, g->runs}, {&one, 1}, {&zero, 1}, {g->frame, g->runs}};
  const status st = stable_density(n, RUN, x, p, 1, g->log_f);
  const int64_t *from = g->owner;
  for (int64_t r = 0; r < g->runs && st == STATUS_OK; r++, from += 2) {
    candidate *c = &g->waiting[from[0]];
    const ordered_sample *s = &g->series[c->series].sample;
    const int64_t m = s->n - from[1] < RUN ? s->n - from[1] : RUN;
    const double *w = s->weight ? s->weight + from[1] : NULL, *f = g->log_f + r * RUN;
    double sum = 0;
    for (int64_t j = 0; j < m; j++) sum += w ? w[j] * f[j] : f[j];
    c->log_lik += sum;
  }
  g->runs = 0;
  return st;
}

static status evaluate_waiting(grid *g) {
  status st = STATUS_OK;
  g->runs = 0;
  for (int64_t k = 0; k < g->n_waiting && st == STATUS_OK; k++) {
    candidate *c = &g->waiting[k];
    const ordered_sample *s = &g->series[c->series].sample;
    const double gamma = exp(c->at[2]);
    c->log_lik = -s->total * c->at[2];
    for (int64_t from = 0; from < s->n && st == STATUS_OK; from += RUN) {
      double *x = g->x + g->runs * RUN;
      for (int64_t j = 0; j < RUN; j++) {
        const int64_t i = from + j < s->n ? from + j : s->n - 1; /* the last one fills the run and is not summed */
        x[j] = (s->x[i] - c->at[3]) / gamma;
      }
      g->alpha[g->runs] = c->at[0];
      g->beta[g->runs] = c->at[1];
      g->frame[g->runs] = c->frame;
      g->owner[2 * g->runs] = k;
      g->owner[2 * g->runs + 1] = from;
      if (++g->runs == SLAB / RUN) st = evaluate_slab(g);
    }
  }
  return st == STATUS_OK ? evaluate_slab(g) : st;
}

/* ---- candidates ---- */

static void add(grid *g, int64_t i, const double *at, int frame, const int *digit) {
  candidate *c = &g->waiting[g->n_waiting++];
  c->series = i;
  c->frame = frame;
  memcpy(c->at, at, sizeof c->at);
  memset(c->digit, 0, sizeof c->digit);
  if (digit) memcpy(c->digit, digit, sizeof c->digit);
}

/* The location of pm = 1 less that of pm = 0. */
static double shift_of(const double *at) {
  return at[0] == 1 || at[0] == 2 ? 0 : -exp(at[2]) * at[1] * stable_tangent(at[0]);
}

static int frame_of(const grid *g, int64_t i, double alpha) {
  return alpha < 0.75 && free_par(g, i, DISTRIBUTION_DELTA);
}

/* The width of the density's peak. */
static double core_of(const search *q) {
  return exp(q->centre[2]) * fmin(stable_core_width(q->centre[0], q->centre[1], q->frame), 1);
}

/* The observation next to the centre with those that are as good as equal to it, nearer than a tenth of the core:
 * tied, the sum m of their weights over that of all others, and gap, the distance to the next of these. Where alpha
 * is less than tied the likelihood grows without bound as gamma goes to 0, for the tails of a distribution with small
 * gamma are gamma^alpha times a function of x. */
typedef struct {
  double x, weight, tied, gap;
  int several;
} tie;

static tie next_tie(const ordered_sample *s, const search *q) {
  const double reach = 0.1 * core_of(q);
  int64_t at = 0, high = s->n - 1, from, to;
  double sum = 0;
  while (high - at > 1) {
    const int64_t middle = at + (high - at) / 2;
    if (s->x[middle] < q->centre[3]) at = middle;
    else high = middle;
  }
  if (s->x[high] - q->centre[3] < q->centre[3] - s->x[at]) at = high;
  const double x = s->x[at];
  for (from = at; from > 0 && x - s->x[from - 1] <= reach; from--) continue;
  for (to = at; to < s->n - 1 && s->x[to + 1] - x <= reach; to++) continue;
  for (int64_t i = from; i <= to; i++) sum += sample_weight(s, i);
  const tie t = {x, sum, sum / fmax(s->total - sum, 0),
                 fmin(from > 0 ? s->x[from] - s->x[from - 1] : HUGE_VAL,
                      to < s->n - 1 ? s->x[to + 1] - s->x[to] : HUGE_VAL), to > from};
  return t;
}

/* Can the likelihood grow without bound there? */
static int is_spike(const grid *g, int64_t i, const search *q, const tie *t) {
  return free_par(g, i, DISTRIBUTION_GAMMA) && q->centre[0] < fmin(t->tied, 2);
}

/* A distribution of pm = 0 as a first centre. */
static void add_start(grid *g, int64_t i, const double *par) {
  const grid_series *s = &g->series[i];
  const int64_t n = s->sample.n;
  double at[DISTRIBUTION_PARS] = {par[0], par[1], log(par[2]), par[3]};
  /* off the boundaries, where samples may lie beyond the support */
  if (free_par(g, i, DISTRIBUTION_ALPHA)) at[0] = fmax(fmin(at[0], 1.98), g->search[i].floor);
  if (free_par(g, i, DISTRIBUTION_BETA)) at[1] = fmin(fmax(at[1], -0.95), 0.95);
  const int frame = frame_of(g, i, at[0]);
  if (frame) at[3] += shift_of(at);
  add(g, i, at, frame, NULL);
  if (at[0] < 1 && fabs(at[1]) == 1 && free_par(g, i, DISTRIBUTION_DELTA)) { /* the support covers the sample */
    double one_sided[DISTRIBUTION_PARS];
    memcpy(one_sided, at, sizeof at);
    one_sided[3] = at[1] > 0 ? s->sample.x[0] - 0.01 * par[2] : s->sample.x[n - 1] + 0.01 * par[2];
    add(g, i, one_sided, 1, NULL);
  }
  if (!frame) return;
  double location[SITES];
  sample_locations(&s->sample, SITES, location);
  for (int k = 0; k < SITES; k++) {
    at[3] = location[k];
    add(g, i, at, 1, NULL);
  }
}

static void add_starts(grid *g, int64_t i) {
  static stable_estimator *const methods[] = {stable_mcculloch, stable_ecf, stable_logmoment, stable_koutrouvelis};
  const grid_series *s = &g->series[i];
  for (int k = 0; k < 4; k++) {
    double par[DISTRIBUTION_PARS], fixed[DISTRIBUTION_PARS];
    if (!methods[k](&s->sample, s->fixed, par)) continue;
    if (g->two_dimensions) { /* scale and location are McCulloch's */
      memcpy(fixed, s->fixed, sizeof fixed);
      fixed[0] = isnan(s->fixed[0]) ? fmin(par[0], 1.98) : par[0];
      fixed[1] = isnan(s->fixed[1]) ? fmin(fmax(par[1], -0.95), 0.95) : par[1];
      if (!stable_mcculloch(&s->sample, fixed, par)) continue;
    }
    add_start(g, i, par);
  }
  if (g->search[i].floor == ESTIMATE_ALPHA_MIN || g->two_dimensions) return;
  /* Above a spike the others' scales may be too small: moments, too. */
  const ordered_sample *o = &s->sample;
  const double range = fmin(o->x[o->n - 1] - o->x[0], 1e308);
  double mean = 0, square = 0;
  for (int64_t k = 0; k < o->n; k++) mean += sample_weight(o, k) / o->total * ((o->x[k] - o->x[0]) / range);
  for (int64_t k = 0; k < o->n; k++)
    square += sample_weight(o, k) / o->total * pow((o->x[k] - o->x[0]) / range - mean, 2);
  const double normal[DISTRIBUTION_PARS] = {2, 0, range * sqrt(0.5 * square), o->x[0] + range * mean};
  double start[DISTRIBUTION_PARS];
  for (int k = 0; k < DISTRIBUTION_PARS; k++) start[k] = isnan(s->fixed[k]) ? normal[k] : s->fixed[k];
  add_start(g, i, start);
}

/* Were the points with these digits in the grid around the last centre? */
static int known(const search *q, const int *digit) {
  int inside = q->shifted;
  for (int k = 0; k < DISTRIBUTION_PARS; k++) inside &= abs(digit[k] + q->shift[k]) <= 1;
  return inside;
}

static void add_grid(grid *g, int64_t i) {
  const search *q = &g->search[i];
  for (int code = 0; code < GRID_POINTS; code++) {
    int digit[DISTRIBUTION_PARS], rest = code, useful = 0;
    double at[DISTRIBUTION_PARS];
    for (int k = 0; k < DISTRIBUTION_PARS; k++) {
      digit[k] = rest % 3 - 1;
      rest /= 3;
      at[k] = q->centre[k] + digit[k] * q->spacing * q->unit[k];
      useful |= digit[k] != 0;
    }
    if (!useful || known(q, digit)) continue;
    at[0] = fmin(fmax(at[0], q->floor), 2);
    at[1] = fmin(fmax(at[1], -1), 1);
    for (int k = 0; k < DISTRIBUTION_PARS; k++)
      useful &= digit[k] == 0 || (free_par(g, i, k) && at[k] != q->centre[k]);
    if (useful && g->two_dimensions) {
      const double fixed[DISTRIBUTION_PARS] = {at[0], at[1], NAN, NAN};
      double par[DISTRIBUTION_PARS];
      useful = stable_mcculloch(&g->series[i].sample, fixed, par);
      at[2] = log(par[2]);
      at[3] = par[3];
    }
    if (useful) add(g, i, at, q->frame, digit);
  }
  /* Towards a spike the scale shrinks faster than the grid would find its position. */
  const tie t = next_tie(&g->series[i].sample, q);
  if (free_par(g, i, DISTRIBUTION_ALPHA) && is_spike(g, i, q, &t)) {
    static const int elsewhere[DISTRIBUTION_PARS] = {9, 9, 9, 9}; /* so that no point of the next grid is known */
    double at[DISTRIBUTION_PARS];
    memcpy(at, q->centre, sizeof at);
    at[2] -= 1 / fmin(at[0], 1);
    if (free_par(g, i, DISTRIBUTION_DELTA)) at[3] = t.x;
    add(g, i, at, q->frame, elsewhere);
  }
}

/* ---- rounds ---- */

/* The distribution of the centre, pm = 0. */
static void distribution_of(const search *q, double *par) {
  par[0] = q->centre[0];
  par[1] = q->centre[1];
  par[2] = exp(q->centre[2]);
  par[3] = q->centre[3] - (q->frame ? shift_of(q->centre) : 0);
}

/* Units and frame for the present centre. */
static void measure(const grid *g, int64_t i, search *q) {
  const double slow = fmin(q->centre[0], 1);
  const int frame = frame_of(g, i, q->centre[0]);
  if (frame != q->frame) q->centre[3] += (frame - q->frame) * shift_of(q->centre);
  q->frame = frame;
  q->unit[0] = slow;
  q->unit[1] = 2;
  q->unit[2] = 1 / slow;
  q->unit[3] = core_of(q);
}

static void begin(const grid *g, int64_t i, double floor) {
  search *q = &g->search[i];
  const double tied = q->tied;
  memset(q, 0, sizeof *q);
  q->tied = tied;
  q->floor = floor;
  q->best = -HUGE_VAL;
  q->open = g->series[i].sample.n > 0;
  q->spacing = fmin(0.3, 2 / sqrt(g->series[i].sample.total));
}

/* Takes the best of the series' candidates c[0], ..., c[m - 1] and decides what comes next. */
static void decide(const grid *g, int64_t i, const candidate *c, int64_t m, search *q) {
  const candidate *best = NULL;
  for (int64_t k = 0; k < m; k++)
    if (c[k].log_lik > q->best) {
      best = &c[k];
      q->best = c[k].log_lik;
    }
  if (best) {
    memcpy(q->centre, best->at, sizeof q->centre);
    memcpy(q->shift, best->digit, sizeof q->shift);
    q->frame = best->frame;
  }
  if (q->rounds == 0) q->open = best != NULL;
  q->shifted = q->rounds > 0 && best != NULL && q->rounds <= PATIENCE;
  if (!q->shifted) {
    if (q->rounds > 0) q->spacing *= 0.5;
    if (q->open) measure(g, i, q);
  }
  q->rounds++;
  if (best) { /* a core so narrow beside the gap that nothing ends the way there */
    const tie t = next_tie(&g->series[i].sample, q);
    if (is_spike(g, i, q, &t) && core_of(q) < 1e-3 * t.gap) {
      q->tied = fmax(q->tied, t.weight);
      q->open = 0;
      if (free_par(g, i, DISTRIBUTION_ALPHA)) begin(g, i, fmin(1.1 * t.tied, 2));
      return;
    }
  }
  if (q->spacing < 0.1 / sqrt(g->series[i].sample.total)) q->open = 0;
  if (q->open || !(q->best > -HUGE_VAL) || q->floor == ESTIMATE_ALPHA_MIN || q->centre[0] > q->floor) return;
  if (q->floor < 2) begin(g, i, fmin(1.5 * q->floor, 2));
}

static status decide_waiting(grid *g) {
  const status st = evaluate_waiting(g);
  for (int64_t k = 0, m; k < g->n_waiting && st == STATUS_OK; k += m) {
    const int64_t i = g->waiting[k].series;
    for (m = 1; k + m < g->n_waiting && g->waiting[k + m].series == i; m++) continue;
    decide(g, i, g->waiting + k, m, &g->search[i]);
  }
  g->n_waiting = 0;
  return st;
}

static status search_all(grid *g, int64_t m) {
  status st = STATUS_OK;
  for (int64_t i = 0; i < m; i++) {
    g->search[i].tied = 0;
    begin(g, i, ESTIMATE_ALPHA_MIN);
  }
  for (int any = 1; any && st == STATUS_OK;) {
    any = 0;
    for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
      search *q = &g->search[i];
      if (!q->open) continue;
      const int64_t before = g->n_waiting;
      if (q->rounds == 0) add_starts(g, i);
      else add_grid(g, i);
      if (sample_stops(&g->series[i].sample, 0)) return STATUS_INTERRUPT;
      if (g->n_waiting == before) decide(g, i, NULL, 0, q); /* nothing is free, or no method has a start */
      any |= q->open;
      if (g->n_waiting > CANDIDATES - STARTS) st = decide_waiting(g);
    }
    if (st == STATUS_OK) st = decide_waiting(g);
  }
  return st;
}

status stable_grid(int64_t m, grid_series *series, int two_dimensions) {
  const int64_t runs = SLAB / RUN;
  grid g = {.series = series, .two_dimensions = two_dimensions};
  g.search = malloc((size_t)(m + 1) * sizeof *g.search);
  g.waiting = malloc(CANDIDATES * sizeof *g.waiting);
  g.owner = malloc((size_t)(2 * runs) * sizeof *g.owner);
  g.x = malloc((size_t)(2 * SLAB + 3 * runs) * sizeof *g.x);
  status st = STATUS_MEMORY;
  if (g.search && g.waiting && g.owner && g.x) {
    g.log_f = g.x + SLAB;
    g.alpha = g.log_f + SLAB;
    g.beta = g.alpha + runs;
    g.frame = g.beta + runs;
    st = search_all(&g, m);
    for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
      grid_series *s = &series[i];
      const search *q = &g.search[i];
      const int some = q->rounds > 0 && q->best > -HUGE_VAL;
      distribution_of(q, s->par);
      s->log_lik = q->best;
      s->tied = free_par(&g, i, DISTRIBUTION_ALPHA) && some && q->centre[0] > q->floor ? 0 : q->tied;
      if (some && two_dimensions) { /* the scale by quantiles vanishes with alpha */
        const tie t = next_tie(&s->sample, q);
        const double core = exp(q->centre[2]) * fmin(stable_core_width(q->centre[0], q->centre[1], 1), 1);
        if (t.several && q->centre[0] < t.tied && core < 1e-3 * t.gap) s->tied = t.weight;
      }
      if (s->par[0] == 2 && isnan(s->fixed[DISTRIBUTION_BETA])) s->par[1] = 0;
      for (int k = 0; k < DISTRIBUTION_PARS; k++) {
        if (!isnan(s->fixed[k])) s->par[k] = s->fixed[k];
        if (!some) s->par[k] = NAN;
      }
    }
  } else {
    fail(STATUS_MEMORY, "no memory for the grids of %lld series", (long long)m);
  }
  free(g.x);
  free(g.owner);
  free(g.waiting);
  free(g.search);
  return st;
}
