/* stable_fit.c: see stable_fit.h. The likelihoods of a round of all searches are few large tasks. */
#include "stable/stable_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"
#include "stable/stable_search.h"

/* Searches at a time, and their observations: a task of a round has LEAST_POINTS. */
enum { POOL = 2048, LEAST_POINTS = 1 << 17, MOST_POINTS = 1 << 19 };

/* ---- the report ---- */

/* The distribution in the parameterisation asked for, and the Jacobian from the search's coordinates to it. */
static status report(const fit_theta *theta, const fit_distribution *distribution, fit_result *r, double *jacobian) {
  const double a = distribution->alpha, b = distribution->beta, g = distribution->gamma;
  const double tan_ = stable_tangent(a), t = b * tan_;
  const int pm = theta->p->pm, turns = (distribution->frame == 1) - (pm == 1);
  const double own[4] = {0.5 * a * (2 - a), (1 - b) * (1 + b), g, g};
  double j[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  double par[4] = {a, b, g, distribution->delta};
  if (distribution->frame != pm) {
    par[3] += turns * g * t;
    j[3][0] = turns * b * g * half_pi * (1 + tan_ * tan_);
    j[3][1] = turns * g * tan_;
    j[3][2] = turns * t;
    if (a == 1 && pm == 1) {
      par[3] -= b * g * log(g) / half_pi;
      j[3][0] = NAN;
      j[3][1] = -g * log(g) / half_pi;
      j[3][2] = -b * (log(g) + 1) / half_pi;
    }
    if (pm == 2) {
      /* gamma alpha^(1/alpha), and delta + gamma mode(alpha, beta) with the mode's derivatives by differences */
      const double scale = exp(log(a) / a), ha = 1e-4 * fmin(a, 2 - a), hb = 1e-4 * (1 - fabs(b));
      const double alphas[5] = {a, a + ha, a - ha, a, a}, betas[5] = {b, b, b, b + hb, b - hb};
      double mode[5];
      const status st = stable_standard_modes(5, alphas, betas, mode);
      if (st != STATUS_OK) return st;
      par[2] = g * scale;
      par[3] += g * mode[0];
      j[2][0] = g * scale * (1 - log(a)) / (a * a);
      j[2][2] = scale;
      j[3][0] += ha > 0 ? g * (mode[1] - mode[2]) / (2 * ha) : 0;
      j[3][1] += hb > 0 ? g * (mode[3] - mode[4]) / (2 * hb) : 0;
      j[3][2] += mode[0];
    }
  }
  memcpy(r->par, par, sizeof par);
  for (int k = 0; k < theta->p->columns; k++) r->b[k] = distribution->b[k];
  for (int i = 0, n = theta->size; i < n; i++)
    for (int k = 0; k < n; k++) {
      if (i < STABLE_PARS && k < STABLE_PARS) jacobian[i * n + k] = theta->free[k] ? j[i][k] * own[k] : 0;
      else jacobian[i * n + k] = i == k ? g : 0;
    }
  return STATUS_OK;
}

/* Inverse observed information, carried over by the delta method, in units of the scale: squares of standard errors
 * would underflow at scales of 1e-200. */
static void covariance(fit_ascent *a, double *jacobian, double scale, double *cov) {
  const fit_theta *theta = &a->theta;
  const int n = theta->size;
  for (int k = GAMMA * n; k < n * n; k++) jacobian[k] /= scale;
  const double *inverse = newton_invert(theta, a->here.at.info, &a->step);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int u = 0; u < n && inverse; u++)
        for (int v = 0; v < n && jacobian[i * n + u] != 0; v++)
          if (fit_is_free(theta, v)) sum += jacobian[i * n + u] * inverse[u * n + v] * jacobian[k * n + v];
      cov[i * n + k] = inverse && fit_is_free(theta, i) && fit_is_free(theta, k) ? sum : NAN;
    }
}

static status finish(fit_search *s, fit_result *r) {
  const fit_problem *p = s->sample.p;
  fit_ascent *a = &s->climb.ascent;
  double *jacobian = a->step.work;
  const status st = report(&a->theta, &a->here.distribution, r, jacobian);
  if (st != STATUS_OK) return st;
  memset(r->boundary, 0, sizeof r->boundary);
  if (!p->fixed[ALPHA] && !a->theta.free[ALPHA]) r->boundary[ALPHA] = a->here.distribution.alpha == 2 ? 1 : -1;
  if (!p->fixed[BETA] && fabs(a->here.distribution.beta) == 1)
    r->boundary[BETA] = a->here.distribution.beta < 0 ? -1 : 1;
  if (r->cov) covariance(a, jacobian, r->par[GAMMA], r->cov);
  r->converged = a->here.why == MAXIMUM && r->par[GAMMA] > 0;
  r->tied = r->converged ? 0 : a->tied;
  r->log_lik = a->here.at.ll;
  r->iterations = a->iterations;
  r->densities = s->question.densities;
  const int kept = s->second[STABLE_PARS] < r->log_lik && r->log_lik - s->second[STABLE_PARS] < 2.5;
  for (int k = 0; k <= STABLE_PARS; k++) r->second[k] = kept ? s->second[k] : NAN;
  return STATUS_OK;
}

/* ---- the batch ---- */

typedef struct {
  fit_search **s;
  fit_distribution *start;
  int *starts;
} opening;

static int find_starts(void *context, int64_t i, int thread) {
  const opening *o = context;
  (void)thread;
  o->starts[i] = search_starts(o->s[i], o->start + SEARCH_STARTS * i);
  return 1;
}

/* Opens m searches, whose starts are work for the threads of the host. */
static status open_searches(fit_search **s, const fit_problem *p, int64_t m) {
  fit_distribution *start = malloc(sizeof *start * (size_t)(SEARCH_STARTS * m));
  int *starts = malloc(sizeof *starts * (size_t)m);
  status st = start && starts ? STATUS_OK : fail(STATUS_MEMORY, "stableFit: no memory for %lld fits", (long long)m);
  int64_t values = 0;
  if (st == STATUS_OK) st = fit_prepare_starts();
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    st = search_open(s[i], p + i, 1);
    values += s[i]->sample.n_ordered;
  }
  if (st == STATUS_OK) {
    opening o = {s, start, starts};
    threads_run(threads_for(1e3 * (double)values), m, find_starts, &o);
  }
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) st = search_begin(s[i], start + SEARCH_STARTS * i, starts[i]);
  free(starts);
  free(start);
  return st;
}

static status check(const fit_problem *p) {
  if (p->n < 1) return fail(STATUS_INPUT, "stableFit: no observations");
  if (p->pm == 1 && p->fixed[DELTA] && p->fixed[ALPHA] && p->value[ALPHA] == 1)
    return fail(STATUS_INPUT, "with alpha fixed at 1, a fixed delta must be that of pm = 0");
  return STATUS_OK;
}

/* How many of the n problems have so many observations at most; one at least. */
static int64_t count_within(int64_t n, const fit_problem *problem, int64_t points) {
  int64_t count = 1;
  points -= problem->n;
  while (count < n && problem[count].n <= points) points -= problem[count++].n;
  return count;
}

/* Of searches that go in lock-step most end at the same time: an eighth at a time, so that some end early and tell
 * how far the call is. */
static int64_t points_at_a_time(int64_t m, const fit_problem *problem) {
  int64_t points = 0;
  for (int64_t i = 0; i < m; i++) points += problem[i].n;
  points /= 8;
  return points < LEAST_POINTS ? LEAST_POINTS : points < MOST_POINTS ? points : MOST_POINTS;
}

/* How many rounds the searches take that are open nobody knows: told is the share of those that have ended. */
static void tell_done(call_part whole, int64_t done, int64_t m) {
  const double share = m > 1 ? (double)done / (double)m : NAN;
  backend_set_part(whole, share, share);
}

/* Asks for the answers to the questions of n searches. */
static status answer(fit_search **s, int64_t n) {
  fit_question *question[POOL];
  for (int64_t i = 0; i < n; i++) question[i] = &s[i]->question;
  return fit_answer(question, n);
}

status stable_fit(int64_t m, const fit_problem *problem, fit_result *result) {
  const call_part whole = backend_part();
  const int64_t pool = m < POOL ? m : POOL, room = points_at_a_time(m, problem);
  const size_t searches = pool > 0 ? (size_t)pool : 1;
  fit_search *memory = calloc(searches, sizeof *memory), **active = malloc(sizeof *active * searches);
  int64_t opened = 0, n = 0, points = 0; /* of the searches that are open */
  status st = memory && active ? STATUS_OK : fail(STATUS_MEMORY, "stableFit: no memory for %lld fits", (long long)m);
  for (int64_t i = 0; i < pool && st == STATUS_OK; i++) active[i] = memory + i;
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) st = check(problem + i);
  while (st == STATUS_OK && (n > 0 || opened < m)) {
    /* new searches take the places of those that have ended, many at a time */
    tell_done(whole, opened - n, m);
    if (n <= pool / 2 && points <= room / 2 && opened < m) {
      const int64_t most = m - opened < pool - n ? m - opened : pool - n;
      const int64_t more = count_within(most, problem + opened, room - points);
      st = open_searches(active + n, problem + opened, more);
      for (int64_t i = opened; i < opened + more; i++) points += problem[i].n;
      opened += more;
      n += more;
    }
    if (st == STATUS_OK) st = answer(active, n);
    for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
      fit_search *s = active[i];
      const fit_problem *p = s->sample.p;
      search_tell(s);
      if (s->question.asked > 0) continue;
      st = finish(s, result + (p - problem));
      points -= p->n;
      search_close(s);
      active[i--] = active[--n];
      active[n] = s;
    }
  }
  backend_set_part(whole, 0, 1);
  for (int64_t i = 0; i < pool && memory; i++) search_close(memory + i);
  free(active);
  free(memory);
  return st;
}

status stable_log_likelihood(int64_t m, const fit_problem *problem, double *log_lik) {
  const call_part whole = backend_part();
  const int64_t pool = m < POOL ? m : POOL;
  fit_search *s = calloc((size_t)pool + 1, sizeof *s), **active = malloc(sizeof *active * (size_t)(pool + 1));
  status st = s && active ? STATUS_OK : fail(STATUS_MEMORY, "stableFit: no memory for %lld fits", (long long)m);
  for (int64_t from = 0, n; from < m && st == STATUS_OK; from += n) {
    n = count_within(m - from < pool ? m - from : pool, problem + from, LEAST_POINTS);
    tell_done(whole, from, m);
    for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
      const double *v = problem[from + i].value;
      const fit_distribution distribution = {v[0], v[1], v[2], v[3], 0, NULL};
      st = search_open(s + i, problem + from + i, 0);
      active[i] = s + i;
      s[i].question.distribution[0] = v[0] < 0.75 ? fit_reframed(distribution, 1) : distribution;
      s[i].question.asked = 1;
    }
    if (st == STATUS_OK) st = answer(active, n);
    for (int64_t i = 0; i < n; i++) {
      log_lik[from + i] = s[i].question.ll[0];
      search_close(s + i);
    }
  }
  backend_set_part(whole, 0, 1);
  free(active);
  free(s);
  return st;
}
