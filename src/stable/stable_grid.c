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
#include "stable/stable_estimators.h"

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

/* Where the search of a series is: alpha, beta, log gamma and the location of pm = frame. */
typedef struct {
  estimate_problem *series;
  int free[STABLE_PARS];        /* what grids vary: in two dimensions alpha and beta alone */
  double centre[STABLE_PARS], unit[STABLE_PARS], best, spacing;
  double floor;                 /* of alpha */
  double tied;                  /* weight of the observations that have raised it, or that alpha is fixed below */
  int frame, rounds, open;
  int shift[STABLE_PARS], shifted; /* of the last grid, if the spacing is still the same */
} search;

typedef struct {
  search *of;
  double at[STABLE_PARS], log_lik;
  int frame, digit[STABLE_PARS];
} candidate;

typedef struct {
  candidate *of;
  int64_t from; /* its first observation */
} run;

typedef struct {
  search *search;
  candidate *waiting;
  int64_t n_waiting;
  int two_dimensions;
  run *run; /* of a slab, n_runs of them, with a distribution each */
  double *x, *log_f, *alpha, *beta, *frame;
  int64_t n_runs;
} grid;

/* ---- log likelihoods ---- */

/* Adds the log densities of the slab's runs to their candidates. */
static status evaluate_slab(grid *g) {
  const int64_t n = g->n_runs * RUN;
  if (n == 0) return STATUS_OK;
  const stable_parameters p = stable_standard((column){g->alpha, g->n_runs}, (column){g->beta, g->n_runs},
                                              (column){g->frame, g->n_runs});
  const status st = stable_density(n, RUN, (column){g->x, n}, p, 1, g->log_f);
  for (int64_t r = 0; r < g->n_runs && st == STATUS_OK; r++) {
    const int64_t from = g->run[r].from;
    const ordered_sample *s = &g->run[r].of->of->series->sample;
    double sum = 0;
    for (int64_t i = from; i < from + RUN && i < s->n; i++) {
      const double f = g->log_f[r * RUN + i - from];
      sum += s->weight ? s->weight[i] * f : f;
    }
    g->run[r].of->log_lik += sum;
  }
  g->n_runs = 0;
  return st;
}

static status evaluate_waiting(grid *g) {
  status st = STATUS_OK;
  g->n_runs = 0;
  for (int64_t k = 0; k < g->n_waiting && st == STATUS_OK; k++) {
    candidate *c = &g->waiting[k];
    const ordered_sample *s = &c->of->series->sample;
    const double gamma = exp(c->at[GAMMA]);
    c->log_lik = -s->total * c->at[GAMMA];
    for (int64_t from = 0; from < s->n && st == STATUS_OK; from += RUN) {
      const int64_t r = g->n_runs++;
      for (int64_t j = 0; j < RUN; j++) {
        const int64_t i = from + j < s->n ? from + j : s->n - 1; /* the last one fills the run and is not summed */
        g->x[r * RUN + j] = (s->x[i] - c->at[DELTA]) / gamma;
      }
      g->alpha[r] = c->at[ALPHA];
      g->beta[r] = c->at[BETA];
      g->frame[r] = c->frame;
      g->run[r] = (run){c, from};
      if (g->n_runs == SLAB / RUN) st = evaluate_slab(g);
    }
  }
  return st == STATUS_OK ? evaluate_slab(g) : st;
}

/* ---- candidates ---- */

static void add(grid *g, search *q, const double *at, int frame, const int *digit) {
  candidate *c = &g->waiting[g->n_waiting++];
  *c = (candidate){.of = q, .frame = frame};
  memcpy(c->at, at, sizeof c->at);
  if (digit) memcpy(c->digit, digit, sizeof c->digit);
}

/* The location of pm = 1 less that of pm = 0. */
static double shift_of(const double *at) {
  return at[ALPHA] == 1 || at[ALPHA] == 2 ? 0 : -exp(at[GAMMA]) * at[BETA] * stable_tangent(at[ALPHA]);
}

static int frame_of(const search *q, double alpha) { return alpha < 0.75 && q->free[DELTA]; }

/* The width of the density's peak. */
static double core_of(const search *q) {
  return exp(q->centre[GAMMA]) * fmin(stable_core_width(q->centre[ALPHA], q->centre[BETA], q->frame), 1);
}

/* The observation next to the centre with those that are as good as equal to it, nearer than a tenth of the core:
 * tied, the sum m of their weights over that of all others, and gap, the distance to the next of these. Where alpha
 * is less than tied the likelihood grows without bound as gamma goes to 0, for the tails of a distribution with small
 * gamma are gamma^alpha times a function of x. */
typedef struct {
  double x, weight, tied, gap;
  int several, is_spike; /* is_spike: can the likelihood grow without bound there? */
} tie;

static tie next_tie(const search *q) {
  const ordered_sample *s = &q->series->sample;
  const double reach = 0.1 * core_of(q);
  int64_t at = 0, high = s->n - 1, from, to;
  double sum = 0;
  while (high - at > 1) {
    const int64_t middle = at + (high - at) / 2;
    if (s->x[middle] < q->centre[DELTA]) at = middle;
    else high = middle;
  }
  if (s->x[high] - q->centre[DELTA] < q->centre[DELTA] - s->x[at]) at = high;
  const double x = s->x[at];
  for (from = at; from > 0 && x - s->x[from - 1] <= reach; from--) continue;
  for (to = at; to < s->n - 1 && s->x[to + 1] - x <= reach; to++) continue;
  for (int64_t i = from; i <= to; i++) sum += sample_weight(s, i);
  const double below = from > 0 ? s->x[from] - s->x[from - 1] : HUGE_VAL;
  const double above = to < s->n - 1 ? s->x[to + 1] - s->x[to] : HUGE_VAL, tied = sum / fmax(s->total - sum, 0);
  return (tie){x, sum, tied, fmin(below, above), to > from, q->free[GAMMA] && q->centre[ALPHA] < fmin(tied, 2)};
}

/* A distribution of pm = 0 as a first centre. */
static void add_start(grid *g, search *q, const double *par) {
  const ordered_sample *s = &q->series->sample;
  double at[STABLE_PARS] = {par[ALPHA], par[BETA], log(par[GAMMA]), par[DELTA]};
  /* off the boundaries, where samples may lie beyond the support */
  if (q->free[ALPHA]) at[ALPHA] = fmax(fmin(at[ALPHA], 1.98), q->floor);
  if (q->free[BETA]) at[BETA] = fmin(fmax(at[BETA], -0.95), 0.95);
  const int frame = frame_of(q, at[ALPHA]);
  if (frame) at[DELTA] += shift_of(at);
  add(g, q, at, frame, NULL);
  if (at[ALPHA] < 1 && fabs(at[BETA]) == 1 && q->free[DELTA]) { /* the support covers the sample */
    const double end = at[BETA] > 0 ? s->x[0] - 0.01 * par[GAMMA] : s->x[s->n - 1] + 0.01 * par[GAMMA];
    add(g, q, (const double[STABLE_PARS]){at[ALPHA], at[BETA], at[GAMMA], end}, 1, NULL);
  }
  if (!frame) return;
  double location[SITES];
  sample_locations(s, SITES, location);
  for (int k = 0; k < SITES; k++) {
    at[DELTA] = location[k];
    add(g, q, at, 1, NULL);
  }
}

static void add_starts(grid *g, search *q) {
  static stable_estimator *const methods[] = {stable_mcculloch, stable_ecf, stable_logmoment, stable_koutrouvelis};
  const ordered_sample *s = &q->series->sample;
  const double *fixed = q->series->fixed;
  double par[STABLE_PARS];
  for (int k = 0; k < 4; k++) {
    if (!methods[k](s, fixed, par)) continue;
    if (g->two_dimensions) { /* scale and location are McCulloch's */
      const double alpha = q->free[ALPHA] ? fmin(par[ALPHA], 1.98) : par[ALPHA];
      const double beta = q->free[BETA] ? fmin(fmax(par[BETA], -0.95), 0.95) : par[BETA];
      if (!stable_by_quartiles(s, alpha, beta, par)) continue;
    }
    add_start(g, q, par);
  }
  if (q->floor == ESTIMATE_ALPHA_MIN || g->two_dimensions) return;
  /* Above a spike the others' scales may be too small: moments, too. */
  const double range = fmin(s->x[s->n - 1] - s->x[0], 1e308);
  double mean = 0, square = 0;
  for (int64_t k = 0; k < s->n; k++) mean += sample_weight(s, k) / s->total * ((s->x[k] - s->x[0]) / range);
  for (int64_t k = 0; k < s->n; k++)
    square += sample_weight(s, k) / s->total * pow((s->x[k] - s->x[0]) / range - mean, 2);
  const double normal[STABLE_PARS] = {2, 0, range * sqrt(0.5 * square), s->x[0] + range * mean};
  for (int k = 0; k < STABLE_PARS; k++) par[k] = q->free[k] ? normal[k] : fixed[k];
  add_start(g, q, par);
}

/* Were the points with these digits in the grid around the last centre? */
static int known(const search *q, const int *digit) {
  int inside = q->shifted;
  for (int k = 0; k < STABLE_PARS; k++) inside &= abs(digit[k] + q->shift[k]) <= 1;
  return inside;
}

static void add_grid(grid *g, search *q) {
  double at[STABLE_PARS];
  for (int code = 0; code < GRID_POINTS; code++) {
    int digit[STABLE_PARS], rest = code, useful = code != GRID_POINTS / 2;
    for (int k = 0; k < STABLE_PARS; k++) {
      digit[k] = rest % 3 - 1;
      rest /= 3;
      at[k] = q->centre[k] + digit[k] * q->spacing * q->unit[k];
    }
    if (!useful || known(q, digit)) continue;
    at[ALPHA] = fmin(fmax(at[ALPHA], q->floor), 2);
    at[BETA] = fmin(fmax(at[BETA], -1), 1);
    for (int k = 0; k < STABLE_PARS; k++) useful &= digit[k] == 0 || (q->free[k] && at[k] != q->centre[k]);
    if (useful && g->two_dimensions) {
      double par[STABLE_PARS];
      useful = stable_by_quartiles(&q->series->sample, at[ALPHA], at[BETA], par);
      at[GAMMA] = log(par[GAMMA]);
      at[DELTA] = par[DELTA];
    }
    if (useful) add(g, q, at, q->frame, digit);
  }
  /* Towards a spike the scale shrinks faster than the grid would find its position. */
  const tie t = next_tie(q);
  if (q->free[ALPHA] && t.is_spike) {
    static const int elsewhere[STABLE_PARS] = {9, 9, 9, 9}; /* so that no point of the next grid is known */
    memcpy(at, q->centre, sizeof at);
    at[GAMMA] -= 1 / fmin(at[ALPHA], 1);
    if (q->free[DELTA]) at[DELTA] = t.x;
    add(g, q, at, q->frame, elsewhere);
  }
}

/* ---- rounds ---- */

/* Units and frame for the present centre. */
static void measure(search *q) {
  const double slow = fmin(q->centre[ALPHA], 1);
  const int frame = frame_of(q, q->centre[ALPHA]);
  if (frame != q->frame) q->centre[DELTA] += (frame - q->frame) * shift_of(q->centre);
  q->frame = frame;
  q->unit[ALPHA] = slow;
  q->unit[BETA] = 2;
  q->unit[GAMMA] = 1 / slow;
  q->unit[DELTA] = core_of(q);
}

static void begin(search *q, double floor) {
  const ordered_sample *s = &q->series->sample;
  search fresh = {.series = q->series, .best = -HUGE_VAL, .spacing = fmin(0.3, 2 / sqrt(s->total)), .floor = floor,
                  .tied = q->tied, .open = s->n > 0};
  memcpy(fresh.free, q->free, sizeof fresh.free);
  *q = fresh;
}

/* Takes the best of the candidates c[0], ..., c[m - 1] and decides what comes next. */
static void decide(search *q, const candidate *c, int64_t m) {
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
    if (q->open) measure(q);
  }
  q->rounds++;
  if (best) { /* a core so narrow beside the gap that nothing ends the way there */
    const tie t = next_tie(q);
    if (t.is_spike && core_of(q) < 1e-3 * t.gap) {
      q->tied = fmax(q->tied, t.weight);
      q->open = 0;
      if (q->free[ALPHA]) begin(q, fmin(1.1 * t.tied, 2));
      return;
    }
  }
  if (q->spacing < 0.1 / sqrt(q->series->sample.total)) q->open = 0;
  if (q->open || !(q->best > -HUGE_VAL) || q->floor == ESTIMATE_ALPHA_MIN || q->centre[ALPHA] > q->floor) return;
  if (q->floor < 2) begin(q, fmin(1.5 * q->floor, 2));
}

static status decide_waiting(grid *g) {
  const status st = evaluate_waiting(g);
  for (int64_t k = 0, m; k < g->n_waiting && st == STATUS_OK; k += m) {
    for (m = 1; k + m < g->n_waiting && g->waiting[k + m].of == g->waiting[k].of; m++) continue;
    decide(g->waiting[k].of, g->waiting + k, m);
  }
  g->n_waiting = 0;
  return st;
}

static status search_all(grid *g, int64_t m) {
  status st = STATUS_OK;
  for (int any = 1; any && st == STATUS_OK;) {
    any = 0;
    for (search *q = g->search; q < g->search + m && st == STATUS_OK; q++) {
      if (!q->open) continue;
      const int64_t before = g->n_waiting;
      if (q->rounds == 0) add_starts(g, q);
      else add_grid(g, q);
      if (sample_stops(&q->series->sample, 0)) return STATUS_INTERRUPT;
      if (g->n_waiting == before) decide(q, NULL, 0); /* nothing is free, or no method has a start */
      any |= q->open;
      if (g->n_waiting > CANDIDATES - STARTS) st = decide_waiting(g);
    }
    if (st == STATUS_OK) st = decide_waiting(g);
  }
  return st;
}

/* The distribution where a search has ended, pm = 0, and what is tied. */
static void report(const search *q, int two_dimensions) {
  estimate_problem *s = q->series;
  const int some = q->rounds > 0 && q->best > -HUGE_VAL;
  const double *at = q->centre, location = at[DELTA] - (q->frame ? shift_of(at) : 0);
  const double par[STABLE_PARS] = {at[ALPHA], at[ALPHA] == 2 ? 0 : at[BETA], exp(at[GAMMA]), location};
  for (int k = 0; k < STABLE_PARS; k++) s->par[k] = !some ? NAN : isnan(s->fixed[k]) ? par[k] : s->fixed[k];
  s->tied = q->free[ALPHA] && some && at[ALPHA] > q->floor ? 0 : q->tied;
  if (!some || !two_dimensions) return;
  const tie t = next_tie(q); /* the scale by quantiles vanishes with alpha */
  const double core = par[GAMMA] * fmin(stable_core_width(at[ALPHA], at[BETA], 1), 1);
  if (t.several && at[ALPHA] < t.tied && core < 1e-3 * t.gap) s->tied = t.weight;
}

status stable_grid(int64_t m, estimate_problem *series, int two_dimensions) {
  const int64_t runs = SLAB / RUN;
  grid g = {.two_dimensions = two_dimensions};
  g.search = calloc((size_t)(m + 1), sizeof *g.search);
  g.waiting = malloc(CANDIDATES * sizeof *g.waiting);
  g.run = malloc((size_t)runs * sizeof *g.run);
  g.x = malloc((size_t)(2 * SLAB + 3 * runs) * sizeof *g.x);
  status st = STATUS_OK;
  if (g.search && g.waiting && g.run && g.x) {
    g.log_f = g.x + SLAB;
    g.alpha = g.log_f + SLAB;
    g.beta = g.alpha + runs;
    g.frame = g.beta + runs;
    for (int64_t i = 0; i < m; i++) {
      search *q = &g.search[i];
      q->series = &series[i];
      for (int k = 0; k < STABLE_PARS; k++) q->free[k] = isnan(series[i].fixed[k]) && !(two_dimensions && k > BETA);
      begin(q, ESTIMATE_ALPHA_MIN);
    }
    st = search_all(&g, m);
    for (int64_t i = 0; i < m && st == STATUS_OK; i++) report(&g.search[i], two_dimensions);
  } else {
    st = fail(STATUS_MEMORY, "no memory for the grids of %lld series", (long long)m);
  }
  free(g.x);
  free(g.run);
  free(g.waiting);
  free(g.search);
  return st;
}
