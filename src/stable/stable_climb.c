/* stable_climb.c: see stable_climb.h. */
#include "stable/stable_climb.h"

#include <math.h>
#include <string.h>

/* Where the ascent is: in the interior, on a boundary that one headed for, on one near the maximum. */
enum { INSIDE, AT_WATCHED, NEAR_BETA, NEAR_ALPHA };
/* How near to a boundary that an ascent heads for the maximum there is tried; the next try is that much nearer. */
static const double first_watch = 5e-3, next_watch = 1e-3, last_watch = 1e-9;
/* From how many ends of a one-sided distribution one is chosen; how often a climb leaves a boundary again, and from
 * how many distances. */
enum { ENDS = 8, MOST_LEFT = 4, DISTANCES = 12 };

void climb_take(fit_climb *c, double *memory, int64_t *used) {
  ascent_take(&c->ascent, memory, used);
  summit_take(&c->ascent, &c->inside, memory, used);
}

static void conclude(fit_climb *c);

static void ascended(fit_climb *c) {
  ascent_tell(&c->ascent);
  if (c->ascent.here.why == RUNNING) c->told = ascended;
  else conclude(c);
}

static void ascend(fit_climb *c, fit_distribution distribution) {
  ascent_begin(&c->ascent, distribution);
  c->told = ascended;
}

static void ask(fit_climb *c, int n, void (*told)(fit_climb *)) {
  fit_ask_likelihoods(c->ascent.question, n);
  c->told = told;
}

static void watch(fit_climb *c, double distance) {
  c->ascent.watch[ALPHA] = c->ascent.watch[BETA] = distance;
}

void climb_begin(fit_climb *c, fit_distribution distribution) {
  fit_theta *t = &c->ascent.theta;
  fit_free_all(t);
  if (t->p->fixed[ALPHA] && t->p->value[ALPHA] == 2) t->free[BETA] = 0;
  watch(c, first_watch);
  c->stage = INSIDE;
  c->ascent.rounds = c->left = 0;
  ascend(c, distribution);
}

/* ---- to a boundary ---- */

static void end_chosen(fit_climb *c) {
  const fit_question *q = c->ascent.question;
  ascend(c, q->distribution[fit_best(q)]);
}

/* Which end of a one-sided distribution is the best to begin with? */
static void ask_ends(fit_climb *c, fit_distribution distribution) {
  const fit_ascent *a = &c->ascent;
  for (int k = 0; k < ENDS; k++)
    fit_put(&a->theta, a->question->distribution + k, fit_with_end(&a->theta, a->sample, distribution, pow(10, -k)));
  ask(c, ENDS, end_chosen);
}

static void try_boundary(fit_climb *c, int which, int stage) {
  fit_ascent *a = &c->ascent;
  int *free = a->theta.free;
  fit_distribution edge = a->here.distribution;
  ascent_exchange(a, &c->inside);
  memcpy(free, c->inside.free, sizeof c->inside.free);
  c->stage = stage;
  free[which] = 0;
  if (which == BETA) {
    edge.beta = edge.beta < 0 ? -1 : 1;
    if (!fit_covers(&a->theta, a->sample, &edge)) {
      ask_ends(c, edge);
      return;
    }
  } else {
    edge.alpha = 2;
    if (!a->theta.p->fixed[BETA]) edge.beta = 0; /* it has no effect there */
    free[BETA] = 0;
  }
  ascend(c, edge);
}

/* The maximum on a boundary is taken if no smaller than what was found inside. */
static int keep_better(fit_climb *c) {
  const int taken = c->ascent.here.at.ll >= c->inside.at.ll;
  if (!taken) ascent_exchange(&c->ascent, &c->inside);
  return taken;
}

/* ---- and back ---- */

/* The climb goes on from the best of the distributions next to a boundary, if that is better than the maximum
 * there. */
static void leave(fit_climb *c) {
  fit_ascent *a = &c->ascent;
  const int best = fit_best(a->question);
  const fit_distribution distribution = a->question->distribution[best];
  if (!(a->question->ll[best] > a->here.at.ll + 1e-8 + ascent_noise(a))) return;
  c->left++;
  ascent_exchange(a, &c->inside);
  fit_free_all(&a->theta);
  a->theta.free[BETA] &= fabs(distribution.beta) < 1;
  watch(c, 0);
  c->stage = NEAR_BETA;
  a->rounds = 0;
  ascend(c, distribution);
}

/* If it rises inward, how far? */
static void look_farther(fit_climb *c) {
  const fit_ascent *a = &c->ascent;
  const int best = fit_best(a->question), normal = a->here.distribution.alpha == 2;
  fit_distribution distribution = a->question->distribution[best];
  if (!(a->question->ll[best] > a->here.at.ll)) return;
  for (int k = 0; k < DISTANCES; k++) {
    if (normal) distribution.alpha = 2 - pow(0.1, k + 1);
    else distribution.beta = a->here.distribution.beta * (1 - pow(0.1, k + 1));
    distribution.b = a->here.distribution.b;
    fit_put(&a->theta, a->question->distribution + k, distribution);
  }
  ask(c, DISTANCES, leave);
}

/* A maximum on a boundary need not be one of all parameters: there, derivatives inward are unknown. At alpha = 2 the
 * one for alpha is linear in beta, so that -1 and 1 tell all. */
static void look_inward(fit_climb *c) {
  static const double glance = 1e-7;
  const fit_ascent *a = &c->ascent;
  const fit_problem *p = a->theta.p;
  const int normal = a->here.distribution.alpha == 2 && !p->fixed[ALPHA], beta_open = !p->fixed[BETA];
  if (a->here.why != MAXIMUM || c->left == MOST_LEFT) return;
  if (!normal && !(beta_open && fabs(a->here.distribution.beta) == 1)) return;
  for (int k = 0; k < 2; k++) {
    fit_distribution *distribution = a->question->distribution + k;
    fit_put(&a->theta, distribution, a->here.distribution);
    if (normal) distribution->alpha = 2 - glance;
    else distribution->beta *= 1 - glance;
    if (normal && beta_open) distribution->beta = k == 0 ? -1 : 1;
  }
  ask(c, normal && beta_open ? 2 : 1, look_farther);
}

/* ---- the climb ---- */

/* What follows the verdict on an ascent: the boundary that it headed for, then those nearby, where the likelihood may
 * have a second maximum. */
static void conclude(fit_climb *c) {
  fit_ascent *a = &c->ascent;
  if (c->stage != INSIDE && !keep_better(c) && c->stage == AT_WATCHED) {
    c->stage = INSIDE; /* on from there */
    ascend(c, a->here.distribution);
    return;
  }
  if (c->stage <= AT_WATCHED && (a->here.why == TO_ALPHA_2 || a->here.why == TO_BETA_1)) {
    const int which = a->here.why == TO_ALPHA_2 ? ALPHA : BETA;
    const double nearer = a->watch[which] * next_watch;
    a->watch[which] = nearer > last_watch ? nearer : 0;
    try_boundary(c, which, AT_WATCHED);
    return;
  }
  watch(c, 0);
  const int *free = a->theta.free;
  if (c->stage < NEAR_BETA && free[BETA] && fabs(a->here.distribution.beta) > 0.95)
    try_boundary(c, BETA, NEAR_BETA);
  else if (c->stage < NEAR_ALPHA && free[ALPHA] && a->here.distribution.alpha > 1.9)
    try_boundary(c, ALPHA, NEAR_ALPHA);
  else look_inward(c);
}

/* A climb ends where who is told asks nothing more. */
int climb_tell(fit_climb *c) {
  void (*told)(fit_climb *) = c->told;
  c->told = NULL;
  told(c);
  return !c->told;
}
