/* stable_fit.c: maximum likelihood fits of many samples: they are opened, advance in lock-step, so that the
 * likelihoods of a round are few large tasks, and are reported as they end. */
#include "stable/stable_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"

/* Searches at a time, their observations (a task of a round has LEAST_POINTS), and observations that the starts look
 * at. */
enum { POOL = 2048, LEAST_POINTS = 1 << 17, MOST_POINTS = 1 << 19, START_SAMPLE = 20000 };
static const double half_pi = 1.5707963267948966;

/* ---- the sample ---- */

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

/* s->memory has room for 4n numbers, the second half for what is put in order. Of many observations there is one from
 * each of START_SAMPLE parts of equal weight. */
void fit_order(fit_search *s, const double *b) {
  const fit_problem *p = s->p;
  double *room = s->memory;
  const int64_t n = p->n < START_SAMPLE ? p->n : START_SAMPLE;
  const double part = s->total / (double)n;
  double *x = room + 2 * n, *weight = x + n, sum = times(p, 0);
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
  s->sample = order_sample(n, x, p->weight && p->n <= n ? weight : NULL, room, NULL, 0);
}

/* Exact observations first, then the intervals. */
static void part_sample(fit_search *s, double *memory) {
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

/* The places for slopes, distributions and work in theta of n take so many numbers, ... */
static int64_t search_size(int n) {
  return 4 * fit_slope_size(n) + n + 3 * n * n + 2 * n + (FIT_ASKED + FIT_CLIMBS + 3) * (n - FIT_PARS);
}

/* ... which they get from memory. */
static void part_memory(fit_search *s, double *memory) {
  const int n = s->size, columns = s->p->columns;
  fit_slope *slope[4] = {&s->at, &s->slope, &s->inside.at, &s->best.at};
  fit_law *law[3] = {&s->law, &s->inside.law, &s->best.law};
  for (int k = 0; k < 4; k++, memory += fit_slope_size(n)) {
    slope[k]->g = memory;
    slope[k]->info = memory + n;
    slope[k]->scores = memory + n + n * n;
  }
  for (int k = 0; k < 3; k++, memory += columns) law[k]->b = memory;
  for (int k = 0; k < FIT_ASKED; k++, memory += columns) s->ask[k].b = memory;
  for (int k = 0; k < FIT_CLIMBS; k++, memory += columns) s->queue[k].b = memory;
  s->step = memory;
  s->work = memory + n;
}

/* to_start: is a sample for the starts wanted? */
static status open_sample(fit_search *s, const fit_problem *p, int to_start) {
  memset(s, 0, sizeof *s);
  s->p = p;
  s->size = FIT_PARS + p->columns;
  s->smallest_alpha = p->smallest_alpha > 0 ? p->smallest_alpha : ESTIMATE_ALPHA_MIN;
  s->room = to_start ? 4 * (p->n < START_SAMPLE ? p->n : START_SAMPLE) : 0;
  const int64_t intervals = p->upper ? 5 * p->n : 0;
  s->memory = malloc(sizeof(double) * (size_t)(s->room + intervals + search_size(s->size)));
  if (!s->memory) return fail(STATUS_MEMORY, "stableFit: no memory for %lld observations", (long long)p->n);
  if (p->upper) {
    part_sample(s, s->memory + s->room);
  } else {
    s->x = p->x;
    s->weight = p->weight;
    s->n = p->n;
  }
  part_memory(s, s->memory + s->room + intervals);
  s->least = HUGE_VAL;
  s->most = -HUGE_VAL;
  s->second[FIT_PARS] = -HUGE_VAL;
  for (int64_t i = 0; i < p->n; i++) {
    const double low = stand_in(p, i), high = is_censored(p, i) && isfinite(p->upper[i]) ? p->upper[i] : low;
    s->total += times(p, i);
    if (!is_censored(p, i)) s->total_exact += times(p, i);
    s->least = fmin(s->least, isfinite(p->x[i]) ? p->x[i] : low);
    s->most = fmax(s->most, high);
  }
  return STATUS_OK;
}

/* ---- the report ---- */

/* The distribution in the parameterisation asked for, and the Jacobian from the search's coordinates to it. */
static status report(const fit_search *s, fit_result *r, double *jacobian) {
  const fit_law *law = &s->law;
  const double a = law->alpha, b = law->beta, g = law->gamma, t = b * stable_tangent(a), tan_ = stable_tangent(a);
  const int pm = s->p->pm, turns = (law->frame == 1) - (pm == 1);
  const double own[4] = {0.5 * a * (2 - a), (1 - b) * (1 + b), g, g};
  double j[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  double par[4] = {a, b, g, law->delta};
  if (law->frame != pm) {
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
      const double zero = 0, two = 2;
      const stable_parameters q = {{alphas, 5}, {betas, 5}, {&zero, 1}, {&zero, 1}, {&two, 1}};
      double *memory;
      column mode;
      const status st = stable_modes(5, q, &memory, &mode);
      if (st != STATUS_OK) return st;
      par[2] = g * scale;
      par[3] += g * mode.data[0];
      j[2][0] = g * scale * (1 - log(a)) / (a * a);
      j[2][2] = scale;
      j[3][0] += ha > 0 ? g * (mode.data[1] - mode.data[2]) / (2 * ha) : 0;
      j[3][1] += hb > 0 ? g * (mode.data[3] - mode.data[4]) / (2 * hb) : 0;
      j[3][2] += mode.data[0];
      free(memory);
    }
  }
  memcpy(r->par, par, sizeof par);
  for (int k = 0; k < s->p->columns; k++) r->b[k] = law->b[k];
  for (int i = 0, n = s->size; i < n; i++)
    for (int k = 0; k < n; k++) {
      if (i < FIT_PARS && k < FIT_PARS) jacobian[i * n + k] = s->free[k] ? j[i][k] * own[k] : 0;
      else jacobian[i * n + k] = i == k ? g : 0;
    }
  return STATUS_OK;
}

/* Inverts the n x n matrix m over the free parameters by Cholesky's method, whose factor goes to c; 0 unless it is
 * safely positive definite. u: room for n numbers. */
static int invert(int n, const int *free, const double *m, double *c, double *u, double *inverse) {
  for (int k = 0; k < n * n; k++) c[k] = 0;
  for (int j = 0; j < n; j++) {
    if (!fit_is_free(free, j)) continue;
    double pivot = m[j * n + j];
    for (int k = 0; k < j; k++) pivot -= c[j * n + k] * c[j * n + k];
    if (!(pivot > 1e-11 * m[j * n + j])) return 0;
    c[j * n + j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) {
      if (!fit_is_free(free, i)) continue;
      double sum = m[i * n + j];
      for (int k = 0; k < j; k++) sum -= c[i * n + k] * c[j * n + k];
      c[i * n + j] = sum / c[j * n + j];
    }
  }
  for (int column = 0; column < n; column++) {
    for (int i = 0; i < n; i++) {
      double sum = i == column;
      for (int k = 0; k < i; k++) sum -= c[i * n + k] * u[k];
      u[i] = fit_is_free(free, i) ? sum / c[i * n + i] : 0;
    }
    for (int i = n - 1; i >= 0; i--) {
      if (!fit_is_free(free, i)) continue;
      double sum = u[i];
      for (int k = i + 1; k < n; k++) sum -= c[k * n + i] * u[k];
      u[i] = sum / c[i * n + i];
    }
    for (int i = 0; i < n; i++) inverse[i * n + column] = u[i];
  }
  return 1;
}

/* Inverse observed information, carried over by the delta method, in units of the scale: squares of standard errors
 * would underflow at scales of 1e-200. */
static void covariance(fit_search *s, double *jacobian, double scale, double *cov) {
  const int n = s->size;
  for (int k = FIT_GAMMA * n; k < n * n; k++) jacobian[k] /= scale;
  double *inverse = s->work + n * n, *c = inverse + n * n;
  const int known = invert(n, s->free, s->at.info, c, c + n * n, inverse);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int u = 0; u < n && known; u++)
        for (int v = 0; v < n && jacobian[i * n + u] != 0; v++)
          if (fit_is_free(s->free, v)) sum += jacobian[i * n + u] * inverse[u * n + v] * jacobian[k * n + v];
      cov[i * n + k] = known && fit_is_free(s->free, i) && fit_is_free(s->free, k) ? sum : NAN;
    }
}

/* ---- the batch ---- */

static status finish(fit_search *s, fit_result *r) {
  const fit_problem *p = s->p;
  const status st = report(s, r, s->work);
  if (st != STATUS_OK) return st;
  memset(r->boundary, 0, sizeof r->boundary);
  if (!p->fixed[FIT_ALPHA] && !s->free[FIT_ALPHA]) r->boundary[FIT_ALPHA] = s->law.alpha == 2 ? 1 : -1;
  if (!p->fixed[FIT_BETA] && fabs(s->law.beta) == 1) r->boundary[FIT_BETA] = s->law.beta < 0 ? -1 : 1;
  if (r->cov) covariance(s, s->work, r->par[FIT_GAMMA], r->cov);
  r->converged = s->why == MAXIMUM && r->par[FIT_GAMMA] > 0;
  r->tied = r->converged ? 0 : s->tied;
  r->log_lik = s->at.ll;
  r->iterations = s->iterations;
  r->densities = s->densities;
  const int kept = s->second[FIT_PARS] < r->log_lik && r->log_lik - s->second[FIT_PARS] < 2.5;
  for (int k = 0; k <= FIT_PARS; k++) r->second[k] = kept ? s->second[k] : NAN;
  return STATUS_OK;
}

typedef struct {
  fit_search **s;
  const fit_problem *p;
  fit_law *start;
  int *starts;
} opening;

enum { MOST_LAWS = FIT_STARTS * FIT_LOCATIONS };

static int begin_sample(void *context, int64_t i, int thread) {
  const opening *o = context;
  fit_search *s = o->s[i];
  const fit_problem *p = o->p + i;
  fit_law *start = o->start + MOST_LAWS * i;
  (void)thread;
  o->starts[i] = 0;
  for (int k = 0; k == 0 || k < p->starts; k++) {
    double *b = p->b ? p->b + k * p->columns : NULL;
    int found = 1;
    if (k > 0 || !p->started) {
      fit_order(s, b);
      const double alpha = p->fixed[0] ? p->value[0] : NAN, beta = p->fixed[1] ? p->value[1] : NAN;
      int summits;
      found = fit_starts(&s->sample, alpha, beta, start, &summits);
      if (summits > s->summits) s->summits = summits;
    }
    for (int j = 0; j < found; j++) start[j].b = b;
    start += found;
    o->starts[i] += found;
  }
  return 1;
}

/* Opens m samples, which is work for the threads of the host. */
static status open_searches(fit_search **s, const fit_problem *p, int64_t m) {
  fit_law *start = malloc(sizeof *start * (size_t)(MOST_LAWS * m));
  int *starts = malloc(sizeof *starts * (size_t)m);
  status st = start && starts ? STATUS_OK : fail(STATUS_MEMORY, "stableFit: no memory for %lld fits", (long long)m);
  int64_t values = 0;
  if (st == STATUS_OK) st = fit_prepare_starts();
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) {
    st = open_sample(s[i], p + i, 1);
    values += s[i]->room / 4;
  }
  if (st == STATUS_OK) {
    opening o = {s, p, start, starts};
    threads_run(threads_for(1e3 * (double)values), m, begin_sample, &o);
  }
  for (int64_t i = 0; i < m && st == STATUS_OK; i++) st = fit_begin(s[i], start + MOST_LAWS * i, starts[i]);
  free(starts);
  free(start);
  return st;
}

static status check(const fit_problem *p) {
  if (p->n < 1) return fail(STATUS_INPUT, "stableFit: no observations");
  if (p->pm == 1 && p->fixed[FIT_DELTA] && p->fixed[FIT_ALPHA] && p->value[FIT_ALPHA] == 1)
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
    if (st == STATUS_OK) st = fit_answer(active, n);
    for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
      fit_search *s = active[i];
      fit_tell(s);
      if (s->asked > 0) continue;
      st = finish(s, result + (s->p - problem));
      points -= s->p->n;
      free(s->memory);
      s->memory = NULL;
      active[i--] = active[--n];
      active[n] = s;
    }
  }
  backend_set_part(whole, 0, 1);
  for (int64_t i = 0; i < pool && memory; i++) free(memory[i].memory);
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
      const fit_law law = {v[0], v[1], v[2], v[3], 0, NULL};
      st = open_sample(s + i, problem + from + i, 0);
      active[i] = s + i;
      s[i].ask[0] = v[0] < 0.75 ? fit_reframed(law, 1) : law;
      s[i].asked = 1;
    }
    if (st == STATUS_OK) st = fit_answer(active, n);
    for (int64_t i = 0; i < n; i++) {
      log_lik[from + i] = s[i].ll[0];
      free(s[i].memory);
      s[i].memory = NULL;
    }
  }
  backend_set_part(whole, 0, 1);
  free(active);
  free(s);
  return st;
}
