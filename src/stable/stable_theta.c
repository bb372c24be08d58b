/* stable_theta.c: see stable_theta.h. */
#include "stable/stable_theta.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

static int64_t slope_size(const fit_theta *t) { return t->size + 2 * t->size * t->size; }

void fit_slope_take(const fit_theta *t, fit_slope *slope, double *memory, int64_t *used) {
  slope->g = fit_take(memory, used, t->size);
  slope->info = fit_take(memory, used, t->size * t->size);
  slope->scores = fit_take(memory, used, t->size * t->size);
}

void fit_distributions_take(const fit_theta *t, fit_distribution *distribution, int n, double *memory,
                            int64_t *used) {
  for (int k = 0; k < n; k++) distribution[k].b = fit_take(memory, used, t->p->columns);
}

void fit_slope_put(const fit_theta *t, fit_slope *to, const fit_slope *from) {
  to->ll = from->ll;
  memcpy(to->g, from->g, sizeof(double) * (size_t)slope_size(t));
}

void fit_slope_clear(const fit_theta *t, fit_slope *slope) {
  slope->ll = 0;
  memset(slope->g, 0, sizeof(double) * (size_t)slope_size(t));
}

/* ---- coordinates ---- */

void fit_free_all(fit_theta *t) {
  for (int k = 0; k < STABLE_PARS; k++) t->free[k] = !t->p->fixed[k];
}

void fit_put(const fit_theta *t, fit_distribution *to, fit_distribution distribution) {
  double *b = to->b;
  for (int k = 0; k < t->p->columns; k++) b[k] = distribution.b[k];
  *to = distribution;
  to->b = b;
}

void fit_move(const fit_theta *t, const fit_distribution *distribution, const double *step, double share,
              fit_distribution *to) {
  fit_put(t, to, *distribution);
  if (t->free[ALPHA]) {
    const double a = log(distribution->alpha / (2 - distribution->alpha)) + share * step[0];
    to->alpha = fmax(a < 0 ? 2 * exp(a) / (1 + exp(a)) : 2 / (1 + exp(-a)), t->smallest_alpha);
  }
  if (t->free[BETA]) to->beta = tanh(atanh(distribution->beta) + share * step[1]);
  if (t->free[GAMMA]) to->gamma = distribution->gamma * exp(share * step[2]);
  if (t->free[DELTA]) to->delta = distribution->delta + share * step[3] * distribution->gamma;
  for (int k = 0; k < t->p->columns; k++) to->b[k] += share * step[STABLE_PARS + k] * distribution->gamma;
}

double fit_above_smallest(const fit_theta *t, double alpha) {
  return fmax(alpha, fmin(1.02 * t->smallest_alpha, 1.995));
}

/* ---- frames ---- */

fit_distribution fit_reframed(fit_distribution distribution, int frame) {
  const double shift = distribution.gamma * distribution.beta * stable_tangent(distribution.alpha);
  if (distribution.frame == 0 && frame == 1) distribution.delta -= shift;
  if (distribution.frame == 1 && frame == 0) distribution.delta += shift;
  distribution.frame = frame;
  return distribution;
}

int fit_best_frame(const fit_problem *p, const fit_distribution *distribution) {
  if (p->fixed[DELTA] || (p->pm == 2 && p->fixed[GAMMA])) return distribution->frame;
  return distribution->alpha < 0.75 ? 1 : distribution->alpha > 0.8 ? 0 : distribution->frame;
}

status fit_pin(const fit_problem *p, fit_distribution *distribution) {
  if (p->fixed[ALPHA]) distribution->alpha = p->value[ALPHA];
  if (p->fixed[BETA]) distribution->beta = p->value[BETA];
  else if (distribution->alpha == 2) distribution->beta = 0; /* it has no effect */
  if (p->pm == 2 && (p->fixed[DELTA] || p->fixed[GAMMA])) {
    double mode;
    const status st = stable_standard_modes(1, &distribution->alpha, &distribution->beta, &mode);
    if (st != STATUS_OK) return st;
    distribution->delta += distribution->gamma * mode;
    distribution->gamma *= exp(log(distribution->alpha) / distribution->alpha);
    distribution->frame = 2;
  } else if (p->fixed[DELTA]) {
    *distribution = fit_reframed(*distribution, p->pm);
  }
  if (p->fixed[GAMMA]) distribution->gamma = p->value[GAMMA];
  if (p->fixed[DELTA]) distribution->delta = p->value[DELTA];
  *distribution = fit_reframed(*distribution, fit_best_frame(p, distribution));
  return STATUS_OK;
}

status fit_given_start(const fit_theta *t, fit_distribution *distribution) {
  const double *v = t->p->value;
  double mode;
  const fit_distribution s0 = {t->free[ALPHA] ? fmin(fmax(v[0], t->smallest_alpha), 1.99) : v[0],
                      t->free[BETA] ? fmin(fmax(v[1], -0.99), 0.99) : v[1], v[2], v[3], 0, distribution->b};
  *distribution = s0;
  if (t->p->pm == 1)
    distribution->delta +=
        s0.gamma * (s0.alpha == 1 ? s0.beta * log(s0.gamma) / half_pi : s0.beta * stable_tangent(s0.alpha));
  if (t->p->pm == 2) {
    const status st = stable_standard_modes(1, &s0.alpha, &s0.beta, &mode);
    if (st != STATUS_OK) return st;
    distribution->gamma *= exp(-log(s0.alpha) / s0.alpha);
    distribution->delta -= distribution->gamma * mode;
  }
  return STATUS_OK;
}

/* ---- one-sided distributions ---- */

/* The observation on the side of the end. */
static double outermost(const fit_sample *s, const fit_distribution *distribution) {
  double most = distribution->beta > 0 ? s->least : s->most;
  for (int64_t i = 0; i < s->n && s->p->columns > 0; i++) {
    const double x = fit_rest(s, distribution->b, i);
    if (i == 0 || (distribution->beta > 0 ? x < most : x > most)) most = x;
  }
  return most;
}

fit_distribution fit_with_end(const fit_theta *t, const fit_sample *s, fit_distribution distribution, double share) {
  const int frame = distribution.frame;
  if (!t->free[DELTA]) {
    const double shift = distribution.beta * stable_tangent(distribution.alpha);
    distribution.gamma = (1 + share) * (distribution.delta - outermost(s, &distribution)) / shift;
    return distribution;
  }
  distribution = fit_reframed(distribution, 1);
  distribution.delta = outermost(s, &distribution) - (distribution.beta > 0 ? share : -share) * distribution.gamma;
  return fit_reframed(distribution, frame);
}

int fit_covers(const fit_theta *t, const fit_sample *s, const fit_distribution *distribution) {
  if (distribution->alpha >= 1 || fabs(distribution->beta) < 1 || distribution->frame == 2) return 1;
  if (!t->free[DELTA] && (!t->free[GAMMA] || distribution->frame == 1)) return 1; /* nothing moves the end */
  const double end = fit_reframed(*distribution, 1).delta;
  return distribution->beta > 0 ? end < outermost(s, distribution) : end > outermost(s, distribution);
}
