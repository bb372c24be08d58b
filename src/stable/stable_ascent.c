/* stable_ascent.c: see stable_ascent.h. */
#include "stable/stable_ascent.h"

#include <math.h>
#include <string.h>

/* Rounds of one ascent, unless the problem says how many, and besides them those on boundaries; every so many the
 * likelihood must have risen by STALL. */
enum { MOST_STEPS = 100, ON_BOUNDARIES = 60, PATIENCE = 25 };
static const double STALL = 0.01;
/* What was asked: the slope where it begins, or after a step, which shorter step, or the slope after that. */
enum { ARRIVING, STEPPING, SHORTENING, LAST_STEP };
/* Shorter steps, of which the first are asked about together. */
enum { SHORTER = 8, SHORTENED = 3 };

void ascent_take(fit_ascent *a, double *memory, int64_t *used) {
  summit_take(a, &a->here, memory, used);
  newton_take(&a->theta, &a->step, memory, used);
}

void summit_take(const fit_ascent *a, fit_summit *u, double *memory, int64_t *used) {
  fit_slope_take(&a->theta, &u->at, memory, used);
  fit_distributions_take(&a->theta, &u->distribution, 1, memory, used);
}

void ascent_exchange(fit_ascent *a, fit_summit *u) {
  fit_summit here = a->here;
  memcpy(here.free, a->theta.free, sizeof here.free);
  a->here = *u;
  memcpy(a->theta.free, u->free, sizeof u->free);
  *u = here;
}

int ascent_sound(const fit_ascent *a, const fit_summit *u) {
  return u->why == MAXIMUM && u->distribution.alpha > a->theta.smallest_alpha;
}

double ascent_noise(const fit_ascent *a) { return 1e-14 * fabs(a->here.at.ll) + 1e-10; }

static void ask_slope(fit_ascent *a, fit_distribution distribution, int state) {
  fit_ask_slope(a->question, distribution);
  a->state = state;
}

/* One that gives up at the smallest alpha begins above it. */
void ascent_begin(fit_ascent *a, fit_distribution distribution) {
  const fit_problem *p = a->theta.p;
  if (p->gives_up && !p->fixed[ALPHA]) distribution.alpha = fit_above_smallest(&a->theta, distribution.alpha);
  a->damping = 0;
  a->round = 0;
  a->mark = -HUGE_VAL;
  a->here.why = RUNNING;
  ask_slope(a, distribution, ARRIVING);
}

/* ---- no maximum ahead ---- */

/* Where gamma goes to 0 with the peak at a value of m of the n observations, the densities of the others go to 0 as
 * gamma^alpha: the likelihood grows without bound where alpha < m/(n - m), and no maximum lies ahead of an ascent
 * whose peak is narrow there beside the gap to the next value. The weight m where that is so, else 0. */
static double spike(const fit_ascent *a) {
  static const double narrow = 1e-3, hill = 4; /* the hill of S0 reaches so many scales beside delta */
  const fit_sample *s = a->sample;
  const fit_distribution *distribution = &a->here.distribution;
  double apart = HUGE_VAL, gap = HUGE_VAL, value = 0, equal = 0;
  if (!a->theta.free[GAMMA] || s->p->columns > 0 || s->n == 0) return 0;
  const double width = stable_core_width(distribution->alpha, distribution->beta, 1);
  const double core = distribution->gamma * (distribution->frame == 1 ? fmin(width, hill) : hill);
  for (int64_t i = 0; i < s->n; i++)
    if (fabs(s->x[i] - distribution->delta) < apart) {
      apart = fabs(s->x[i] - distribution->delta);
      value = s->x[i];
    }
  for (int64_t i = 0; i < s->n; i++) {
    if (s->x[i] == value) equal += fit_weight(s, i);
    else gap = fmin(gap, fabs(s->x[i] - value));
  }
  for (int64_t i = 0; i < s->n_censored; i++) { /* an interval with the value inside loses nothing */
    const double outside = fmax(s->low[i] - value, value - s->high[i]);
    if (outside >= 0 && s->censored[i] > 0) gap = fmin(gap, outside);
  }
  return fmax(core, apart) < narrow * gap && distribution->alpha * (s->total - equal) < equal ? equal : 0;
}

/* For small alpha the density is nearly alpha u exp(-u)/(2|z|), u = |z|^-alpha, and a maximum has an observation at
 * the peak. Its derivative in log(gamma) there, -1 + alpha sum(1 - u) over the n - 1 others, is negative for alpha
 * below 1/(n - 1), and up to 1.5 times that unless the mean of u, 1 for a sample of the distribution, is below 1/3.
 * Ascents of few observations that go down there creep along for long and lead into a spike. */
static int sinks(const fit_ascent *a) {
  enum { FEW = 20 };
  const int *free = a->theta.free;
  const int64_t n = a->sample->p->n;
  if (n >= FEW || a->sample->p->columns > 0 || !free[GAMMA] || !free[ALPHA]) return 0;
  return a->here.distribution.alpha < fmin(0.15, 1.5 / (double)(n - 1)) && a->here.at.g[ALPHA] < 0;
}

/* Is the ascent about to leave for a boundary? At the smallest alpha it stays on it. */
static enum fit_verdict heading(fit_ascent *a) {
  int *free = a->theta.free;
  const fit_distribution *distribution = &a->here.distribution;
  const double *g = a->here.at.g;
  if (free[ALPHA] && distribution->alpha <= a->theta.smallest_alpha && g[ALPHA] < 0) free[ALPHA] = 0;
  if (free[ALPHA] && 2 - distribution->alpha < a->watch[ALPHA] && g[ALPHA] > 0) return TO_ALPHA_2;
  if (free[BETA] && 1 - fabs(distribution->beta) < a->watch[BETA] && g[BETA] * distribution->beta > 0)
    return TO_BETA_1;
  return RUNNING;
}

/* Does the likelihood grow without bound from here, or towards a smallest alpha that is of no interest? */
static int leads_nowhere(fit_ascent *a) {
  const double equal = sinks(a) ? a->sample->total / (double)a->sample->p->n : spike(a);
  const int falls = a->here.distribution.alpha <= a->theta.smallest_alpha && a->here.at.g[ALPHA] < 0;
  if (!(equal > 0 || (falls && a->gives_up && !a->theta.p->fixed[ALPHA]))) return 0;
  a->tied = fmax(a->tied, equal);
  return 1;
}

static int is_near(const fit_distribution *a, const fit_distribution *b) {
  return a->frame == b->frame && fabs(a->alpha - b->alpha) < 0.02 && fabs(a->beta - b->beta) < 0.05 &&
         fabs(a->gamma - b->gamma) < 0.02 * b->gamma && fabs(a->delta - b->delta) < 0.02 * b->gamma;
}

/* Does the step lead to what the rival is, or to far less? */
static int is_beaten(const fit_ascent *a) {
  const fit_summit *best = a->rival;
  if (!best || !a->step.concave || !ascent_sound(a, best)) return 0;
  const double promised = a->here.at.ll + 3 * a->step.gain - best->at.ll;
  return promised < -FIT_SECOND || (promised < 1e-6 && is_near(&a->here.distribution, &best->distribution));
}

/* ---- steps ---- */

/* The verdict before the step: there is a maximum ahead, far below the one that is known; it is here; there is none,
 * or the rounds are over. */
static enum fit_verdict judge(fit_ascent *a) {
  const fit_problem *p = a->theta.p;
  const fit_step *s = &a->step;
  const int most = p->most_steps > 0 ? p->most_steps : MOST_STEPS;
  if (p->gives_up && s->concave && s->gain < 1 && a->here.at.ll + 3 * s->gain < p->known - FIT_SECOND) return MAXIMUM;
  if (s->concave && s->gain >= 0 && s->gain < ascent_noise(a)) return MAXIMUM;
  if (!(s->gain >= ascent_noise(a)) || a->round == most || ++a->rounds > most + ON_BOUNDARIES || is_beaten(a))
    return STUCK;
  const int pauses = a->round % PATIENCE == 0, stalls = pauses && !(a->here.at.ll > a->mark + STALL);
  if (pauses) a->mark = a->here.at.ll;
  return stalls ? STUCK : RUNNING;
}

/* The next step from where the ascent stands, or the verdict that there is none. */
static void choose_step(fit_ascent *a) {
  a->here.why = isfinite(a->here.at.ll) && !(a->here.distribution.alpha < a->lowest) ? heading(a) : STUCK;
  if (a->here.why != RUNNING) return;
  if (leads_nowhere(a)) {
    a->here.why = STUCK;
    return;
  }
  newton_step(&a->theta, &a->here.at, a->damping, &a->step);
  a->here.why = judge(a);
  a->round++;
  if (a->here.why != RUNNING) return;
  fit_move(&a->theta, &a->here.distribution, a->step.step, 1, a->question->distribution);
  ask_slope(a, a->question->distribution[0], STEPPING);
}

/* The ascent goes to the distribution whose slope it has been told. */
static void arrive(fit_ascent *a) {
  fit_put(&a->theta, &a->here.distribution, a->question->distribution[0]);
  fit_slope_put(&a->theta, &a->here.at, &a->question->slope);
}

/* The question after a step that was taken, to the distribution asked about. */
static void stepped(fit_ascent *a) {
  const double before = a->here.at.ll;
  a->iterations++;
  arrive(a);
  a->damping = 0;
  const int frame = fit_best_frame(a->theta.p, &a->here.distribution);
  if (a->here.at.ll <= before && a->step.gain < 1e-8 && a->step.concave) a->here.why = MAXIMUM;
  else if (frame != a->here.distribution.frame) ask_slope(a, fit_reframed(a->here.distribution, frame), ARRIVING);
  else choose_step(a);
}

/* ... and after one that failed at all lengths. */
static void refused(fit_ascent *a) {
  if (a->step.gain < 1e-6 && a->step.concave) {
    a->here.why = MAXIMUM;
    return;
  }
  a->damping = a->damping > 0 ? 100 * a->damping : 0.1;
  if (a->damping > 1e4) a->here.why = STUCK;
  else choose_step(a);
}

/* Which of some shorter steps, from one on, is the best? Most often it is one of the first. */
static void ask_shorter(fit_ascent *a, int from) {
  const int m = from == 0 ? SHORTENED : SHORTER - from;
  for (int k = 0; k < m; k++)
    fit_move(&a->theta, &a->here.distribution, a->step.step, pow(0.4, from + k + 1), a->question->distribution + k);
  a->shortest = from + m;
  fit_ask_likelihoods(a->question, m);
  a->state = SHORTENING;
}

static void shorten(fit_ascent *a) {
  const fit_question *q = a->question;
  const int best = fit_best(q), rises = q->ll[best] > a->here.at.ll;
  if (a->shortest < SHORTER && (!rises || best == q->asked - 1)) ask_shorter(a, a->shortest - rises);
  else if (rises) ask_slope(a, q->distribution[best], LAST_STEP);
  else refused(a);
}

void ascent_tell(fit_ascent *a) {
  const int higher = a->question->slope.ll > a->here.at.ll - ascent_noise(a);
  if (a->state == ARRIVING) {
    arrive(a);
    choose_step(a);
  } else if (a->state == SHORTENING) {
    shorten(a);
  } else if (higher) {
    stepped(a);
  } else if (a->state == STEPPING) {
    ask_shorter(a, 0);
  } else {
    refused(a);
  }
}
