/* stable_fit.c: maximum likelihood for one sample from a stable law.
 *
 * Newton's method in theta = (log(alpha/(2 - alpha)), atanh(beta), log(gamma), delta/gamma): the boundaries lie at
 * infinity, and steps of the order one are everywhere of the size that matters. Derivatives: stable_slope.c.
 *
 * gamma and delta are those of S0, smooth through alpha = 1; below alpha = 0.75 delta is that of S1, the point zeta
 * where the density becomes a sharp peak as alpha -> 0: there S0's delta hardly varies independently of alpha and
 * beta. alpha = 2 and |beta| = 1 are constraints: where the search heads for one, the maximum on it is found, and
 * taken if no smaller. */
#include "stable_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of one climb and of a whole fit; every so many the likelihood must have risen by STALL. */
enum { MAX_ITERATIONS = 100, MAX_ROUNDS = 160, PATIENCE = 25, SHORTER = 8 };
static const double STALL = 0.01;
static const double half_pi = 1.5707963267948966;

/* ---- linear algebra of at most four parameters ---- */

/* Solves m v = g over the free parameters by Cholesky's method, or inverts m if inverse is not NULL. 0 unless m is
 * safely positive definite. */
static int solve(const int *free, double m[4][4], const double *g, double *v, double *inverse) {
  double c[4][4] = {{0}};
  for (int j = 0; j < 4; j++) {
    if (!free[j]) continue;
    double pivot = m[j][j];
    for (int k = 0; k < j; k++) pivot -= c[j][k] * c[j][k];
    if (!(pivot > 1e-11 * m[j][j])) return 0;
    c[j][j] = sqrt(pivot);
    for (int i = j + 1; i < 4; i++) {
      if (!free[i]) continue;
      double sum = m[i][j];
      for (int k = 0; k < j; k++) sum -= c[i][k] * c[j][k];
      c[i][j] = sum / c[j][j];
    }
  }
  for (int column = 0; column < (inverse ? 4 : 1); column++) {
    double u[4] = {0};
    for (int i = 0; i < 4; i++) {
      if (!free[i]) continue;
      double sum = inverse ? i == column : g[i];
      for (int k = 0; k < i; k++) sum -= c[i][k] * u[k];
      u[i] = sum / c[i][i];
    }
    for (int i = 3; i >= 0; i--) {
      if (!free[i]) continue;
      double sum = u[i];
      for (int k = i + 1; k < 4; k++) sum -= c[k][i] * u[k];
      u[i] = sum / c[i][i];
    }
    for (int i = 0; i < 4; i++) {
      if (inverse) inverse[4 * i + column] = u[i];
      else v[i] = u[i];
    }
  }
  return 1;
}

/* The step along (info + share scores + damping D)^-1 g, D the row sums of |info| and the squared scores: with
 * damping 1 the matrix is positive definite whatever info is (Gershgorin). */
static int damped(const fit *f, const fit_slope *d, double share, double damping, double *step) {
  double m[4][4];
  for (int j = 0; j < 4; j++) {
    double row = d->scores[j][j] + 1e-6;
    for (int k = 0; k < 4; k++) {
      m[j][k] = d->info[j][k] + share * (d->scores[j][k] + (j == k ? 1e-6 : 0));
      if (f->free[k]) row += fabs(d->info[j][k]);
    }
    m[j][j] += damping * row;
  }
  memset(step, 0, 4 * sizeof *step);
  return solve(f->free, m, d->g, step, NULL);
}

/* Newton's step; where the likelihood is not concave the outer product of the scores (Berndt, Hall, Hall and
 * Hausman 1974) is added until the matrix is positive definite, or failing that a diagonal, which turns the step
 * towards the gradient; so does damping > 0. The gain that the quadratic model promises, negative if there is no
 * step; *concave: it is Newton's own, so that gain is half the score statistic g' info^-1 g. The step is cut to 1. */
static double ascent(const fit *f, const fit_slope *d, double damping, double *step, int *concave) {
  double gain = 0, largest = 0;
  int found = *concave = damped(f, d, 0, damping, step) && damping == 0;
  for (double share = damping > 0 ? 0 : 0.1; !found && share < 1e4; share = share > 0 ? 10 * share : 0.1)
    found = damped(f, d, share, damping, step);
  for (double most = 1; !found && most < 1e4; most *= 10) found = damped(f, d, 0, most, step);
  for (int j = 0; j < 4; j++) {
    gain += 0.5 * step[j] * d->g[j];
    largest = fmax(largest, fabs(step[j]));
  }
  for (int j = 0; j < 4 && largest > 1; j++) step[j] /= largest;
  return found && isfinite(gain) ? gain : -1;
}

static fit_law moved(const fit *f, const fit_law *law, const double *step, double share) {
  fit_law to = *law;
  if (f->free[FIT_ALPHA]) to.alpha = fmax(fit_unlogit(fit_logit(law->alpha) + share * step[0]), FIT_ALPHA_MIN);
  if (f->free[FIT_BETA]) to.beta = tanh(atanh(law->beta) + share * step[1]);
  if (f->free[FIT_GAMMA]) to.gamma = law->gamma * exp(share * step[2]);
  if (f->free[FIT_DELTA]) to.delta = law->delta + share * step[3] * law->gamma;
  return to;
}

/* ---- frames ---- */

/* From S0 to S1 and back; at alpha = 1 the fit stays in S0. */
static fit_law reframed(fit_law law, int frame) {
  const double shift = law.gamma * fit_t(law.alpha, law.beta);
  if (law.frame == 0 && frame == 1) law.delta -= shift;
  if (law.frame == 1 && frame == 0) law.delta += shift;
  law.frame = frame;
  return law;
}

/* The frame to search in; a fixed delta, or a fixed gamma of pm = 2, must be a coordinate of it. */
static int best_frame(const fit *f, const fit_law *law) {
  const fit_problem *p = f->p;
  if (p->fixed[FIT_DELTA] || (p->pm == 2 && p->fixed[FIT_GAMMA])) return law->frame;
  return law->alpha < 0.75 ? 1 : law->alpha > 0.8 ? 0 : law->frame;
}

/* ---- the search ---- */

enum verdict { MAXIMUM, STUCK, TO_ALPHA_2, TO_BETA_1, RUNNING };
enum { WATCH_ALPHA = 1, WATCH_BETA = 2 };

/* The best of the shorter steps; leaves *to and STATUS_OK, found = 0 if none is an improvement. */
static status shorten(fit *f, const fit_law *law, double ll, const double *step, fit_law *to, int *found) {
  fit_law trial[SHORTER];
  double value[SHORTER];
  for (int k = 0; k < SHORTER; k++) trial[k] = moved(f, law, step, pow(0.4, k + 1));
  const status st = fit_log_likelihoods(f, trial, SHORTER, value);
  *found = 0;
  for (int k = 0; k < SHORTER && st == STATUS_OK; k++)
    if (value[k] > ll) {
      ll = value[k];
      *to = trial[k];
      *found = 1;
    }
  return st;
}

/* Is the search about to leave for a boundary? At the smallest alpha it stays on it. */
static enum verdict heading(fit *f, const fit_law *law, int watch, fit_slope *d) {
  if (f->free[FIT_ALPHA] && law->alpha <= FIT_ALPHA_MIN && d->g[FIT_ALPHA] < 0) f->free[FIT_ALPHA] = 0;
  if (watch & WATCH_ALPHA && f->free[FIT_ALPHA] && law->alpha > 1.995 && d->g[FIT_ALPHA] > 0) return TO_ALPHA_2;
  if (watch & WATCH_BETA && f->free[FIT_BETA] && fabs(law->beta) > 0.995 && d->g[FIT_BETA] * law->beta > 0)
    return TO_BETA_1;
  return RUNNING;
}

/* One step: 1 if the likelihood rose, or fell by no more than its rounding. */
static status advance(fit *f, fit_law *law, fit_slope *d, const double *step, double noise, int *moved_on) {
  fit_law to = moved(f, law, step, 1);
  fit_slope next;
  status st = fit_differentiate(f, &to, &next);
  *moved_on = 1;
  if (st == STATUS_OK && !(next.ll > d->ll - noise)) {
    st = shorten(f, law, d->ll, step, &to, moved_on);
    if (st == STATUS_OK && *moved_on) st = fit_differentiate(f, &to, &next);
  }
  if (st != STATUS_OK || !*moved_on) return st;
  f->iterations++;
  *law = to;
  *d = next;
  if (best_frame(f, law) != law->frame) {
    *law = reframed(*law, best_frame(f, law));
    st = fit_differentiate(f, law, d);
  }
  return st;
}

/* Climbs from *law to a maximum, which takes a concave likelihood and a score of no size, or until it heads for a
 * boundary that is watched. *d: the slope where it ends. */
static status climb(fit *f, fit_law *law, int watch, fit_slope *d, enum verdict *why) {
  status st = fit_differentiate(f, law, d);
  double damping = 0, mark = -HUGE_VAL;
  *why = RUNNING;
  for (int round = 0; st == STATUS_OK && *why == RUNNING; round++) {
    double step[4];
    int moved_on, concave;
    *why = isfinite(d->ll) ? heading(f, law, watch, d) : STUCK;
    if (*why != RUNNING) break;
    /* differences of the likelihood below its rounding decide nothing */
    const double gain = ascent(f, d, damping, step, &concave), noise = 1e-14 * fabs(d->ll) + 1e-10, before = d->ll;
    if (gain >= 0 && gain < noise && concave) *why = MAXIMUM;
    else if (!(gain >= noise) || round == MAX_ITERATIONS || ++f->rounds > MAX_ROUNDS) *why = STUCK;
    if (*why == RUNNING && round % PATIENCE == 0) {
      if (!(d->ll > mark + STALL)) *why = STUCK;
      mark = d->ll;
    }
    if (*why != RUNNING) break;
    st = advance(f, law, d, step, noise, &moved_on);
    if (moved_on) {
      damping = 0;
      if (d->ll <= before && gain < 1e-8 && concave) *why = MAXIMUM;
    } else if (gain < 1e-6 && concave) {
      *why = MAXIMUM;
    } else {
      damping = damping > 0 ? 100 * damping : 1;
      if (damping > 1e4) *why = STUCK;
    }
  }
  return st;
}

/* Moves the end point of a one-sided law beyond the observations, if it is not there. */
static void cover_sample(const fit *f, fit_law *law) {
  const int frame = law->frame;
  const double margin = 0.01 * law->gamma, low = f->low, high = f->high;
  if (law->alpha >= 1 || fabs(law->beta) < 1 || !f->free[FIT_DELTA] || frame == 2) return;
  *law = reframed(*law, 1);
  if (law->beta > 0 && law->delta >= low) law->delta = low - margin;
  if (law->beta < 0 && law->delta <= high) law->delta = high + margin;
  *law = reframed(*law, frame);
}

/* The maximum on a boundary, taken if no smaller than what *law and *d hold. */
static status try_boundary(fit *f, int which, int watch, fit_law *law, fit_slope *d, enum verdict *why, int *taken) {
  int saved[FIT_PARS];
  fit_law edge = *law;
  fit_slope at_edge;
  enum verdict edge_why;
  memcpy(saved, f->free, sizeof saved);
  f->free[which] = 0;
  if (which == FIT_BETA) {
    edge.beta = law->beta < 0 ? -1 : 1;
    cover_sample(f, &edge);
  } else {
    edge.alpha = 2;
    if (!f->p->fixed[FIT_BETA]) edge.beta = 0; /* it has no effect there */
    f->free[FIT_BETA] = 0;
  }
  const status st = climb(f, &edge, watch, &at_edge, &edge_why);
  *taken = st == STATUS_OK && at_edge.ll >= d->ll;
  if (*taken) {
    *law = edge;
    *d = at_edge;
    *why = edge_why;
  } else {
    memcpy(f->free, saved, sizeof saved);
  }
  return st;
}

/* Maximum over the interior and the boundaries that it may lie on. */
static status maximise(fit *f, fit_law *law, fit_slope *d, fit_result *r) {
  int watch = WATCH_ALPHA | WATCH_BETA, taken;
  enum verdict why;
  status st = climb(f, law, watch, d, &why);
  while (st == STATUS_OK && (why == TO_ALPHA_2 || why == TO_BETA_1)) {
    const int which = why == TO_ALPHA_2 ? FIT_ALPHA : FIT_BETA;
    watch &= which == FIT_ALPHA ? ~WATCH_ALPHA : ~WATCH_BETA;
    st = try_boundary(f, which, watch, law, d, &why, &taken);
    if (st == STATUS_OK && !taken) st = climb(f, law, watch, d, &why);
  }
  /* the likelihood may have a second maximum on a boundary nearby */
  for (int which = FIT_BETA; st == STATUS_OK && which >= FIT_ALPHA; which--) {
    const int near = which == FIT_ALPHA ? law->alpha > 1.9 : fabs(law->beta) > 0.95;
    if (f->free[which] && near) st = try_boundary(f, which, 0, law, d, &why, &taken);
  }
  const fit_problem *p = f->p;
  if (!p->fixed[FIT_ALPHA] && !f->free[FIT_ALPHA]) r->boundary[FIT_ALPHA] = law->alpha == 2 ? 1 : -1;
  if (!p->fixed[FIT_BETA] && fabs(law->beta) == 1) r->boundary[FIT_BETA] = law->beta < 0 ? -1 : 1;
  r->converged = why == MAXIMUM;
  return st;
}

/* ---- starts ---- */

/* Below alpha = 0.75 the likelihood has a peak for every position of zeta among the observations: the best of those
 * where they lie densest. */
static status choose_location(fit *f, fit_law *law, double *ll) {
  const int64_t n = f->m, width = n / 20 + 2 < n ? n / 20 + 2 : n - 1;
  int64_t densest = 0;
  for (int64_t i = 0; i + width < n; i++)
    if (f->sorted[i + width] - f->sorted[i] < f->sorted[densest + width] - f->sorted[densest]) densest = i;
  for (int round = 0; round < 5; round++) {
    fit_law trial[FIT_BLOCKS];
    double value[FIT_BLOCKS];
    for (int k = 0; k < FIT_BLOCKS; k++) {
      const int64_t at = densest + width * (round + 5 * k) / (5 * FIT_BLOCKS - 1);
      trial[k] = *law;
      trial[k].delta = 0.5 * (f->sorted[at] + f->sorted[at + 1 < n ? at + 1 : at]);
    }
    const status st = fit_log_likelihoods(f, trial, FIT_BLOCKS, value);
    if (st != STATUS_OK) return st;
    for (int k = 0; k < FIT_BLOCKS; k++)
      if (value[k] > *ll) {
        *ll = value[k];
        *law = trial[k];
      }
  }
  return STATUS_OK;
}

/* The mode of the S0 law with scale 1. */
static status mode_of(double alpha, double beta, double *mode) {
  static const double zero = 0, two = 2;
  const stable_parameters q = {{&alpha, 1}, {&beta, 1}, {&zero, 1}, {&zero, 1}, {&two, 1}};
  double *memory;
  column c;
  const status st = stable_modes(1, q, &memory, &c);
  if (st == STATUS_OK) *mode = c.data[0];
  free(memory);
  return st;
}

/* The law in the coordinates that best_frame() asks for, with fixed values put in. */
static status pinned(const fit *f, fit_law *law) {
  const fit_problem *p = f->p;
  if (p->pm == 2 && (p->fixed[FIT_DELTA] || p->fixed[FIT_GAMMA])) {
    double mode;
    const status st = mode_of(law->alpha, law->beta, &mode);
    if (st != STATUS_OK) return st;
    law->delta += law->gamma * mode;
    law->gamma *= exp(log(law->alpha) / law->alpha);
    law->frame = 2;
  } else if (p->fixed[FIT_DELTA]) {
    *law = reframed(*law, p->pm);
  }
  if (p->fixed[FIT_GAMMA]) law->gamma = p->value[FIT_GAMMA];
  if (p->fixed[FIT_DELTA]) law->delta = p->value[FIT_DELTA];
  *law = reframed(*law, best_frame(f, law));
  return STATUS_OK;
}

/* The start that was given, in S0 and off the boundaries. */
static status given_start(const fit *f, fit_law *law) {
  const double *v = f->p->value;
  double mode;
  const fit_law s0 = {f->free[FIT_ALPHA] ? fmin(fmax(v[0], FIT_ALPHA_MIN), 1.99) : v[0],
                      f->free[FIT_BETA] ? fmin(fmax(v[1], -0.99), 0.99) : v[1], v[2], v[3], 0};
  *law = s0;
  if (f->p->pm == 1)
    law->delta += s0.gamma * (s0.alpha == 1 ? s0.beta * log(s0.gamma) / half_pi : fit_t(s0.alpha, s0.beta));
  if (f->p->pm == 2) {
    const status st = mode_of(s0.alpha, s0.beta, &mode);
    if (st != STATUS_OK) return st;
    law->gamma *= exp(-log(s0.alpha) / s0.alpha);
    law->delta -= law->gamma * mode;
  }
  return STATUS_OK;
}

static status choose_start(fit *f, fit_law *best) {
  const fit_problem *p = f->p;
  fit_law start[FIT_STARTS];
  double highest = -HUGE_VAL, ll;
  status st = STATUS_OK;
  int m = 1;
  if (p->started) st = given_start(f, &start[0]);
  else m = fit_starts(f->m, f->sorted, p->fixed[FIT_ALPHA] ? p->value[FIT_ALPHA] : NAN,
                      p->fixed[FIT_BETA] ? p->value[FIT_BETA] : NAN, start);
  for (int k = 0; k < m && st == STATUS_OK; k++) {
    st = pinned(f, &start[k]);
    if (st != STATUS_OK) break;
    cover_sample(f, &start[k]);
    st = fit_log_likelihoods(f, &start[k], 1, &ll);
    if (k == 0 || ll > highest) {
      highest = ll;
      *best = start[k];
    }
  }
  if (st == STATUS_OK && best->frame == 1 && f->free[FIT_DELTA] && !p->started)
    st = choose_location(f, best, &highest);
  return st;
}

/* ---- the report ---- */

/* The law in the parameterisation asked for, and the Jacobian from the search's coordinates to it. */
static status report(const fit *f, const fit_law *law, fit_result *r, double jacobian[4][4]) {
  const double a = law->alpha, b = law->beta, g = law->gamma, t = fit_t(a, b), tan_ = fit_t(a, 1);
  const int pm = f->p->pm, turns = (law->frame == 1) - (pm == 1);
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
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) jacobian[i][k] = f->free[k] ? j[i][k] * own[k] : 0;
  return STATUS_OK;
}

/* Inverse observed information, carried over by the delta method. */
static void covariance(const fit *f, fit_slope *d, double jacobian[4][4], fit_result *r) {
  double inverse[16] = {0};
  const int known = solve(f->free, d->info, NULL, NULL, inverse);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      double sum = 0;
      for (int u = 0; u < 4; u++)
        for (int v = 0; v < 4; v++)
          if (f->free[u] && f->free[v]) sum += jacobian[i][u] * inverse[4 * u + v] * jacobian[k][v];
      r->cov[4 * i + k] = known && f->free[i] && f->free[k] ? sum : NAN;
    }
}

static status run(fit *f, fit_result *r) {
  double jacobian[4][4];
  fit_law law;
  fit_slope d;
  status st = choose_start(f, &law);
  if (st == STATUS_OK) st = maximise(f, &law, &d, r);
  if (st == STATUS_OK) st = report(f, &law, r, jacobian);
  if (st != STATUS_OK) return st;
  covariance(f, &d, jacobian, r);
  r->log_lik = d.ll;
  r->iterations = f->iterations;
  r->densities = f->densities;
  return STATUS_OK;
}

status stable_fit(const fit_problem *p, fit_result *r) {
  fit f;
  status st;
  memset(r, 0, sizeof *r);
  if (p->pm == 1 && p->fixed[FIT_DELTA] && p->fixed[FIT_ALPHA] && p->value[FIT_ALPHA] == 1)
    return fail(STATUS_INPUT, "with alpha fixed at 1, a fixed delta must be that of pm = 0");
  if (p->n < 1) return fail(STATUS_INPUT, "stableFit: no observations");
  st = fit_open(&f, p);
  if (st != STATUS_OK) return st;
  for (int k = 0; k < FIT_PARS; k++) f.free[k] = !p->fixed[k];
  if (p->fixed[FIT_ALPHA] && p->value[FIT_ALPHA] == 2) f.free[FIT_BETA] = 0;
  st = run(&f, r);
  fit_close(&f);
  return st;
}
