/* stable_search.c: the search for the maximum of one sample's likelihood.
 *
 * Newton's method in theta = (log(alpha/(2 - alpha)), atanh(beta), log(gamma), delta/gamma, b/gamma): the boundaries
 * lie at infinity, and steps of the order one are everywhere of the size that matters.
 *
 * gamma and delta are those of S0, smooth through alpha = 1; below alpha = 0.75 delta is that of S1, the point zeta
 * where the density becomes a sharp peak as alpha -> 0: there S0's delta hardly varies independently of alpha and
 * beta. alpha = 2 and |beta| = 1 are constraints: where the search heads for one, the maximum on it is found, and
 * taken if no smaller.
 *
 * The search never computes a likelihood: it asks, so that the searches of many samples can be answered together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable/stable_fit.h"

/* Rounds of one climb, unless the problem says how many, and besides them those on boundaries; every so many the
 * likelihood must have risen by STALL. */
enum { MOST_STEPS = 100, ON_BOUNDARIES = 60, PATIENCE = 25 };
static const double STALL = 0.01;
/* By how much a second maximum may be smaller than the first to be of interest, with a margin. */
static const double SECOND = 3;
static const double half_pi = 1.5707963267948966;

/* What was asked: which start, position of zeta or end of a one-sided distribution, the slope where a climb begins,
 * or after a step, which shorter step, the slope after that, or how the likelihood goes on inward from a boundary. */
enum { CHOOSING_START, CHOOSING_PLACE, CHOOSING_WIDE, CHOOSING_BESIDE, CHOOSING_END, ARRIVING, STEPPING, SHORTENING,
       LAST_STEP, LOOKING_INWARD, LEAVING };
/* How near to a boundary a climb that heads for it tries the maximum there; the next attempt is that much nearer. */
static const double first_watch = 5e-3, next_watch = 1e-3, last_watch = 1e-9;
/* How often a climb leaves a boundary again, and from how many distances. */
enum { MOST_LEFT = 4, DISTANCES = 12 };
/* Where a climb goes on: in the interior, on a boundary that one headed for, on one near the maximum. */
enum { INSIDE, AT_WATCHED, NEAR_BETA, NEAR_ALPHA };

/* ---- steps ---- */

/* Eigenvalues of the symmetric n x n matrix m and its eigenvectors, the columns of q, by Jacobi's rotations. */
static void eigen(int n, double *m, double *value, double *q) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) q[j * n + k] = j == k;
  for (int sweep = 0, turned = 1; sweep < 12 && turned; sweep++) {
    turned = 0;
    for (int j = 0; j < n - 1; j++)
      for (int k = j + 1; k < n; k++) {
        /* what does not change either eigenvalue */
        if (!(fabs(m[j * n + k]) > 1e-17 * fmin(fabs(m[j * n + j]), fabs(m[k * n + k])))) continue;
        turned = 1;
        const double ratio = (m[k * n + k] - m[j * n + j]) / (2 * m[j * n + k]);
        const double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
        const double c = 1 / sqrt(1 + t * t), s = t * c;
        for (int i = 0; i < n * n; i += n) {
          const double a = m[i + j], b = m[i + k], u = q[i + j], v = q[i + k];
          m[i + j] = c * a - s * b;
          m[i + k] = s * a + c * b;
          q[i + j] = c * u - s * v;
          q[i + k] = s * u + c * v;
        }
        for (int i = 0; i < n; i++) {
          const double a = m[j * n + i], b = m[k * n + i];
          m[j * n + i] = c * a - s * b;
          m[k * n + i] = s * a + c * b;
        }
      }
  }
  for (int j = 0; j < n; j++) value[j] = m[j * n + j];
}

/* Newton's step, with the absolute values of the curvatures where the likelihood is not concave (Dauphin et al. 2014,
 * after Nesterov), which leads away from saddles at Newton's pace; damping adds to them. Curvatures are measured in
 * units of the squared scores. No principal direction contributes more than 1 to a parameter, so that flat ones do
 * not hold up the others, and neither does their sum. gain: what the quadratic model promises, negative if there is
 * no step; concave: the step is Newton's own, so that gain is half the score statistic g' info^-1 g. */
static void ascent(fit_search *s) {
  const fit_slope *d = &s->at;
  const int n = s->size;
  double *m = s->work, *q = m + n * n, *value = q + n * n, *unit = value + n, largest = 0;
  for (int j = 0; j < n; j++) {
    const int jj = j * n + j;
    unit[j] = fit_is_free(s->free, j) ? 1 / sqrt(d->scores[jj] + fabs(d->info[jj]) + 1e-100) : 0;
    s->step[j] = 0;
  }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) {
      const int both = fit_is_free(s->free, j) && fit_is_free(s->free, k);
      m[j * n + k] = both ? unit[j] * unit[k] * d->info[j * n + k] : 0;
    }
  eigen(n, m, value, q);
  s->gain = 0;
  s->concave = s->damping == 0;
  for (int k = 0; k < n; k++) {
    double along = 0, most = 0, involved = 0;
    for (int j = 0; j < n; j++) {
      along += q[j * n + k] * unit[j] * d->g[j];
      involved = fmax(involved, fabs(q[j * n + k] * unit[j]));
    }
    if (involved == 0) continue; /* a parameter that is not free */
    if (!(value[k] > 1e-12)) s->concave = 0;
    double length = along / (fmax(fabs(value[k]), 1e-12) + s->damping);
    for (int j = 0; j < n; j++) most = fmax(most, fabs(q[j * n + k] * unit[j] * length));
    if (most > 1) {
      length /= most;
      s->concave = 0;
    }
    s->gain += 0.5 * along * length;
    for (int j = 0; j < n; j++) s->step[j] += q[j * n + k] * unit[j] * length;
  }
  for (int j = 0; j < n; j++) largest = fmax(largest, fabs(s->step[j]));
  for (int j = 0; j < n && largest > 1; j++) s->step[j] /= largest;
  if (!isfinite(s->gain)) s->gain = -1;
}

void fit_put(const fit_search *s, fit_law *to, fit_law law) {
  double *b = to->b;
  for (int k = 0; k < s->p->columns; k++) b[k] = law.b[k];
  *to = law;
  to->b = b;
}

void fit_move(const fit_search *s, const fit_law *law, const double *step, double share, fit_law *to) {
  fit_put(s, to, *law);
  if (s->free[FIT_ALPHA]) {
    const double a = log(law->alpha / (2 - law->alpha)) + share * step[0];
    to->alpha = fmax(a < 0 ? 2 * exp(a) / (1 + exp(a)) : 2 / (1 + exp(-a)), s->smallest_alpha);
  }
  if (s->free[FIT_BETA]) to->beta = tanh(atanh(law->beta) + share * step[1]);
  if (s->free[FIT_GAMMA]) to->gamma = law->gamma * exp(share * step[2]);
  if (s->free[FIT_DELTA]) to->delta = law->delta + share * step[3] * law->gamma;
  for (int k = 0; k < s->p->columns; k++) to->b[k] += share * step[FIT_PARS + k] * law->gamma;
}

/* ---- frames ---- */

fit_law fit_reframed(fit_law law, int frame) {
  const double shift = law.gamma * law.beta * stable_tangent(law.alpha);
  if (law.frame == 0 && frame == 1) law.delta -= shift;
  if (law.frame == 1 && frame == 0) law.delta += shift;
  law.frame = frame;
  return law;
}

/* The frame to search in; a fixed delta, or a fixed gamma of pm = 2, must be a coordinate of it. */
static int best_frame(const fit_search *s, const fit_law *law) {
  const fit_problem *p = s->p;
  if (p->fixed[FIT_DELTA] || (p->pm == 2 && p->fixed[FIT_GAMMA])) return law->frame;
  return law->alpha < 0.75 ? 1 : law->alpha > 0.8 ? 0 : law->frame;
}

/* ---- questions ---- */

static void ask_slope(fit_search *s, fit_law law, int state) {
  fit_put(s, s->ask, law);
  s->asked = s->slopes = 1;
  s->state = state;
}

static void ask_likelihoods(fit_search *s, int m, int state) {
  s->asked = m;
  s->slopes = 0;
  s->state = state;
}

/* The distribution with the largest likelihood of those asked about; it may be -Inf. */
static int best_asked(const fit_search *s) {
  int best = 0;
  for (int k = 1; k < s->asked; k++)
    if (s->ll[k] > s->ll[best]) best = k;
  return best;
}

/* ---- the climb ---- */

/* A climb that gives up at the smallest alpha begins above it. */
static void begin_climb(fit_search *s, fit_law law) {
  if (s->p->gives_up && !s->p->fixed[FIT_ALPHA]) law.alpha = fmax(law.alpha, fmin(1.02 * s->smallest_alpha, 1.995));
  s->damping = 0;
  s->round = 0;
  s->mark = -HUGE_VAL;
  s->why = RUNNING;
  ask_slope(s, law, ARRIVING);
}

/* Is the search about to leave for a boundary? At the smallest alpha it stays on it. */
static enum fit_verdict heading(fit_search *s) {
  const fit_law *law = &s->law;
  const double *g = s->at.g;
  if (s->free[FIT_ALPHA] && law->alpha <= s->smallest_alpha && g[FIT_ALPHA] < 0) s->free[FIT_ALPHA] = 0;
  if (s->free[FIT_ALPHA] && 2 - law->alpha < s->watch[FIT_ALPHA] && g[FIT_ALPHA] > 0) return TO_ALPHA_2;
  if (s->free[FIT_BETA] && 1 - fabs(law->beta) < s->watch[FIT_BETA] && g[FIT_BETA] * law->beta > 0) return TO_BETA_1;
  return RUNNING;
}

/* A maximum comes before a likelihood that grows without bound towards the smallest alpha, whatever its value. */
static int sound(const fit_search *s, enum fit_verdict why, const fit_law *law) {
  return why == MAXIMUM && law->alpha > s->smallest_alpha;
}

static int is_near(const fit_law *a, const fit_law *b) {
  return a->frame == b->frame && fabs(a->alpha - b->alpha) < 0.02 && fabs(a->beta - b->beta) < 0.05 &&
         fabs(a->gamma - b->gamma) < 0.02 * b->gamma && fabs(a->delta - b->delta) < 0.02 * b->gamma;
}

/* Where gamma goes to 0 with the peak at a value of m of the n observations, the densities of the others go to 0 as
 * gamma^alpha: the likelihood grows without bound where alpha < m/(n - m), and no maximum lies ahead of a climb whose
 * peak is narrow there beside the gap to the next value. The weight m where that is so, else 0. */
static double spike(const fit_search *s, const fit_law *law) {
  static const double narrow = 1e-3, hill = 4; /* the hill of S0 reaches so many scales beside delta */
  double apart = HUGE_VAL, gap = HUGE_VAL, value = 0, equal = 0;
  if (!s->free[FIT_GAMMA] || s->p->columns > 0 || s->n == 0) return 0;
  const double core = law->gamma * (law->frame == 1 ? fmin(stable_core_width(law->alpha, law->beta, 1), hill) : hill);
  for (int64_t i = 0; i < s->n; i++)
    if (fabs(s->x[i] - law->delta) < apart) {
      apart = fabs(s->x[i] - law->delta);
      value = s->x[i];
    }
  for (int64_t i = 0; i < s->n; i++) {
    if (s->x[i] == value) equal += s->weight ? s->weight[i] : 1;
    else gap = fmin(gap, fabs(s->x[i] - value));
  }
  for (int64_t i = 0; i < s->n_censored; i++) { /* an interval with the value inside loses nothing */
    const double outside = fmax(s->low[i] - value, value - s->high[i]);
    if (outside >= 0) gap = fmin(gap, outside);
  }
  return fmax(core, apart) < narrow * gap && law->alpha * (s->total - equal) < equal ? equal : 0;
}

/* For small alpha the density is nearly alpha u exp(-u)/(2|z|), u = |z|^-alpha, and a maximum has an observation at
 * the peak. Its derivative in log(gamma) there, -1 + alpha sum(1 - u) over the n - 1 others, is negative for alpha
 * below 1/(n - 1), and up to 1.5 times that unless the mean of u, 1 for a sample of the distribution, is below 1/3.
 * Climbs of few observations that go down there creep along for long and lead into a spike. */
enum { FEW = 20 };
static int sinks(const fit_search *s) {
  const int64_t n = s->p->n;
  if (n >= FEW || s->p->columns > 0 || !s->free[FIT_GAMMA] || !s->free[FIT_ALPHA]) return 0;
  return s->law.alpha < fmin(0.15, 1.5 / (double)(n - 1)) && s->at.g[FIT_ALPHA] < 0;
}

/* Differences of the likelihood below its rounding decide nothing. */
static double noise(const fit_search *s) { return 1e-14 * fabs(s->at.ll) + 1e-10; }

/* The next step from where the search stands, or the verdict that there is none. */
static void choose_step(fit_search *s) {
  const int most = s->p->most_steps > 0 ? s->p->most_steps : MOST_STEPS;
  s->why = isfinite(s->at.ll) && !(s->widened > 1 && s->law.alpha < 0.1) ? heading(s) : STUCK;
  if (s->why != RUNNING) return;
  const double equal = sinks(s) ? s->total / (double)s->p->n : spike(s, &s->law);
  const int leaves_lower = s->law.alpha <= s->smallest_alpha && s->at.g[FIT_ALPHA] < 0 && !s->p->fixed[FIT_ALPHA];
  /* wide starts are around the end of the climb before them */
  const int gives_up = s->p->gives_up && (s->widened > 0 || s->p->started);
  if (equal > 0 || (leaves_lower && (s->raised > 0 || gives_up))) {
    s->tied = fmax(s->tied, equal);
    s->why = STUCK;
    return;
  }
  ascent(s);
  /* a later climb that leads to what an earlier one has found, or to far less */
  if (s->climbs > 1 && s->concave && sound(s, s->best.why, &s->best.law)) {
    const double promised = s->at.ll + 3 * s->gain - s->best.at.ll;
    if (promised < -SECOND || (promised < 1e-6 && is_near(&s->law, &s->best.law))) s->why = STUCK;
  }
  /* there is a maximum ahead, far below the one that is known */
  const int low = s->p->gives_up && s->concave && s->gain < 1 && s->at.ll + 3 * s->gain < s->p->known - SECOND;
  if (low || (s->gain >= 0 && s->gain < noise(s) && s->concave)) s->why = MAXIMUM;
  else if (!(s->gain >= noise(s)) || s->round == most || ++s->rounds > most + ON_BOUNDARIES) s->why = STUCK;
  if (s->why == RUNNING && s->round % PATIENCE == 0) {
    if (!(s->at.ll > s->mark + STALL)) s->why = STUCK;
    s->mark = s->at.ll;
  }
  s->round++;
  if (s->why != RUNNING) return;
  fit_move(s, &s->law, s->step, 1, s->ask);
  ask_slope(s, s->ask[0], STEPPING);
}

/* The search goes to the distribution whose slope it has been told. */
static void arrive(fit_search *s) {
  fit_put(s, &s->law, s->ask[0]);
  s->at.ll = s->slope.ll;
  memcpy(s->at.g, s->slope.g, sizeof(double) * (size_t)fit_slope_size(s->size));
}

/* The question after a step that was taken, to the distribution asked about. */
static void stepped(fit_search *s) {
  const double before = s->at.ll;
  s->iterations++;
  arrive(s);
  s->damping = 0;
  const int frame = best_frame(s, &s->law);
  if (s->at.ll <= before && s->gain < 1e-8 && s->concave) s->why = MAXIMUM;
  else if (frame != s->law.frame) ask_slope(s, fit_reframed(s->law, frame), ARRIVING);
  else choose_step(s);
}

/* ... and after one that failed at all lengths. */
static void refused(fit_search *s) {
  if (s->gain < 1e-6 && s->concave) {
    s->why = MAXIMUM;
    return;
  }
  s->damping = s->damping > 0 ? 100 * s->damping : 0.1;
  if (s->damping > 1e4) s->why = STUCK;
  else choose_step(s);
}

/* Which of some shorter steps, from one on, is the best? Most often it is one of the first. */
static void ask_shorter(fit_search *s, int from) {
  const int m = from == 0 ? FIT_SHORTENED : FIT_SHORTER - from;
  for (int k = 0; k < m; k++) fit_move(s, &s->law, s->step, pow(0.4, from + k + 1), s->ask + k);
  s->shortest = from + m;
  ask_likelihoods(s, m, SHORTENING);
}

/* ---- boundaries ---- */

/* The observation on the side where a one-sided distribution has its end. */
static double outermost(const fit_search *s, const fit_law *law) {
  double most = law->beta > 0 ? s->least : s->most;
  for (int64_t i = 0; i < s->n && s->p->columns > 0; i++) {
    const double x = fit_rest(s, law->b, i);
    if (i == 0 || (law->beta > 0 ? x < most : x > most)) most = x;
  }
  return most;
}

/* Where a one-sided distribution has its end so that all observations are inside, at a distance of share scales; with
 * a fixed location the scale moves it. */
static fit_law with_end(const fit_search *s, fit_law law, double share) {
  const int frame = law.frame;
  if (!s->free[FIT_DELTA]) {
    law.gamma = (1 + share) * (law.delta - outermost(s, &law)) / (law.beta * stable_tangent(law.alpha));
    return law;
  }
  law = fit_reframed(law, 1);
  law.delta = outermost(s, &law) - (law.beta > 0 ? share : -share) * law.gamma;
  return fit_reframed(law, frame);
}

static int covers_sample(const fit_search *s, const fit_law *law) {
  if (law->alpha >= 1 || fabs(law->beta) < 1 || law->frame == 2) return 1;
  if (!s->free[FIT_DELTA] && (!s->free[FIT_GAMMA] || law->frame == 1)) return 1; /* nothing moves the end */
  const double end = fit_reframed(*law, 1).delta;
  return law->beta > 0 ? end < outermost(s, law) : end > outermost(s, law);
}

/* Which end of a one-sided distribution is the best to begin with? */
static void ask_ends(fit_search *s, fit_law law) {
  for (int k = 0; k < FIT_ENDS; k++) fit_put(s, s->ask + k, with_end(s, law, pow(10, -k)));
  ask_likelihoods(s, FIT_ENDS, CHOOSING_END);
}

/* Puts where the search stands aside, and it where that was. */
static void exchange(fit_search *s, fit_summit *u) {
  fit_summit here = {s->law, s->at, s->why, {0}};
  memcpy(here.free, s->free, sizeof s->free);
  s->law = u->law;
  s->at = u->at;
  s->why = u->why;
  memcpy(s->free, u->free, sizeof s->free);
  *u = here;
}

static void try_boundary(fit_search *s, int which, int stage) {
  fit_law edge = s->law;
  exchange(s, &s->inside);
  memcpy(s->free, s->inside.free, sizeof s->free);
  s->stage = stage;
  s->free[which] = 0;
  if (which == FIT_BETA) {
    edge.beta = edge.beta < 0 ? -1 : 1;
    if (!covers_sample(s, &edge)) {
      ask_ends(s, edge);
      return;
    }
  } else {
    edge.alpha = 2;
    if (!s->p->fixed[FIT_BETA]) edge.beta = 0; /* it has no effect there */
    s->free[FIT_BETA] = 0;
  }
  begin_climb(s, edge);
}

/* The maximum on a boundary is taken if no smaller than what was found inside. */
static int keep_better(fit_search *s) {
  const int taken = s->at.ll >= s->inside.at.ll;
  if (!taken) exchange(s, &s->inside);
  return taken;
}

/* A maximum on a boundary need not be one of all parameters: there, derivatives inward are unknown. At alpha = 2 the
 * one for alpha is linear in beta, so that -1 and 1 tell all. Is there a boundary to look inward from? */
static int ask_inward(fit_search *s) {
  static const double glance = 1e-7;
  const fit_problem *p = s->p;
  const int normal = s->law.alpha == 2 && !p->fixed[FIT_ALPHA], beta_open = !p->fixed[FIT_BETA];
  if (s->why != MAXIMUM || s->left == MOST_LEFT || !(normal || (beta_open && fabs(s->law.beta) == 1))) return 0;
  for (int k = 0; k < 2; k++) {
    fit_put(s, s->ask + k, s->law);
    if (normal) s->ask[k].alpha = 2 - glance;
    else s->ask[k].beta *= 1 - glance;
    if (normal && beta_open) s->ask[k].beta = k == 0 ? -1 : 1;
  }
  ask_likelihoods(s, normal && beta_open ? 2 : 1, LOOKING_INWARD);
  return 1;
}

/* If it rises inward, how far? */
static int ask_farther(fit_search *s) {
  const int best = best_asked(s), normal = s->law.alpha == 2;
  fit_law law = s->ask[best];
  if (!(s->ll[best] > s->at.ll)) return 0;
  for (int k = 0; k < DISTANCES; k++) {
    if (normal) law.alpha = 2 - pow(0.1, k + 1);
    else law.beta = s->law.beta * (1 - pow(0.1, k + 1));
    law.b = s->law.b;
    fit_put(s, s->ask + k, law);
  }
  ask_likelihoods(s, DISTANCES, LEAVING);
  return 1;
}

/* The climb goes on from the best of the distributions next to a boundary, if that is better than the maximum
 * there. */
static int leave(fit_search *s) {
  const int best = best_asked(s);
  if (!(s->ll[best] > s->at.ll + 1e-8 + noise(s))) return 0;
  s->left++;
  exchange(s, &s->inside);
  for (int k = 0; k < FIT_PARS; k++) s->free[k] = !s->p->fixed[k];
  s->free[FIT_BETA] &= fabs(s->ask[best].beta) < 1;
  s->watch[FIT_ALPHA] = s->watch[FIT_BETA] = 0;
  s->stage = NEAR_BETA;
  s->rounds = 0;
  begin_climb(s, s->ask[best]);
  return 1;
}

/* ---- coordinates of a start ---- */

/* The mode of the S0 distribution with scale 1. */
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

/* The distribution in the coordinates that best_frame() asks for, with fixed values put in. */
static status pinned(const fit_search *s, fit_law *law) {
  const fit_problem *p = s->p;
  if (p->fixed[FIT_ALPHA]) law->alpha = p->value[FIT_ALPHA];
  if (p->fixed[FIT_BETA]) law->beta = p->value[FIT_BETA];
  else if (law->alpha == 2) law->beta = 0; /* it has no effect */
  if (p->pm == 2 && (p->fixed[FIT_DELTA] || p->fixed[FIT_GAMMA])) {
    double mode;
    const status st = mode_of(law->alpha, law->beta, &mode);
    if (st != STATUS_OK) return st;
    law->delta += law->gamma * mode;
    law->gamma *= exp(log(law->alpha) / law->alpha);
    law->frame = 2;
  } else if (p->fixed[FIT_DELTA]) {
    *law = fit_reframed(*law, p->pm);
  }
  if (p->fixed[FIT_GAMMA]) law->gamma = p->value[FIT_GAMMA];
  if (p->fixed[FIT_DELTA]) law->delta = p->value[FIT_DELTA];
  *law = fit_reframed(*law, best_frame(s, law));
  return STATUS_OK;
}

/* ---- climbs from several starts ---- */

static void next_climb(fit_search *s) {
  const fit_problem *p = s->p;
  for (int k = 0; k < FIT_PARS; k++) s->free[k] = !p->fixed[k];
  if (p->fixed[FIT_ALPHA] && p->value[FIT_ALPHA] == 2) s->free[FIT_BETA] = 0;
  s->watch[FIT_ALPHA] = s->watch[FIT_BETA] = first_watch;
  s->stage = INSIDE;
  s->rounds = s->left = 0;
  begin_climb(s, s->queue[s->climbs++]);
}

/* Are there starts with larger scales? */
static int ask_scales(fit_search *s) {
  fit_law start[FIT_WIDE];
  int n = 0;
  if (!s->free[FIT_GAMMA] || !s->free[FIT_DELTA] || s->sample.n == 0) return 0;
  for (int k = 0, m = fit_wide_starts(&s->sample, start); k < m; k++) {
    start[k].b = s->best.law.b;
    if (s->raised > 0) start[k].alpha = fmax(start[k].alpha, fmin(1.02 * s->smallest_alpha, 1.995));
    fit_put(s, s->ask + n, start[k]);
    if (pinned(s, &s->ask[n]) != STATUS_OK) continue;
    if (!covers_sample(s, &s->ask[n])) fit_put(s, s->ask + n, with_end(s, s->ask[n], 0.01));
    n++;
  }
  if (n > 0) ask_likelihoods(s, n, CHOOSING_WIDE);
  return n > 0;
}

/* No maximum has been found: starts with larger scales, for the middle half of the sample may be narrow among
 * outliers. */
static int ask_wide(fit_search *s) {
  if (s->p->started || s->widened || !ask_scales(s)) return 0;
  s->widened = 1;
  return 1;
}

/* ---- the queue ---- */

static int is_same_law(const fit_law *a, const fit_law *b) {
  return a->alpha == b->alpha && a->beta == b->beta && a->gamma == b->gamma && a->delta == b->delta &&
         a->frame == b->frame;
}

/* Puts the best of the distributions asked about that are no equals in the queue, at most so many in all. */
static void queue_best(fit_search *s, int most) {
  while (s->n_queue < most) {
    const int best = best_asked(s);
    int known = 0;
    if (s->n_queue > 0 && s->ll[best] == -HUGE_VAL) return;
    for (int k = 0; k < s->n_queue; k++) known |= is_same_law(s->queue + k, s->ask + best);
    if (!known) fit_put(s, s->queue + s->n_queue++, s->ask[best]);
    s->ll[best] = -HUGE_VAL;
  }
}

/* Of positions in a row those whose likelihood is below a neighbour's are out of the question. */
static void keep_peaks(fit_search *s) {
  double before = -HUGE_VAL;
  for (int k = 0; k < s->asked; k++) {
    const double here = s->ll[k], after = k + 1 < s->asked ? s->ll[k + 1] : -HUGE_VAL;
    if (here < before || here < after) s->ll[k] = -HUGE_VAL;
    before = here;
  }
}

/* ---- what all climbs may have missed ---- */

/* Below alpha = 0.75 a maximum may have another one beside it, with zeta at another observation and another beta:
 * zeta is tried at all observations, or FIT_PLACES of them, for each of these, or every third where the sample is not
 * small. Climbs begin from at most PEAKS_EACH positions for each that are not much worse than what is known. */
enum { SKEWS = 7, PEAKS_EACH = 2, MOST_BESIDE = 400, MOST_LOOKS = 3 };
static const double skews[SKEWS] = {-0.9, -0.6, -0.3, 0, 0.3, 0.6, 0.9};

static void ask_beside(fit_search *s) {
  const ordered_sample *o = &s->sample;
  const int m = o->n < FIT_PLACES ? (int)o->n : FIT_PLACES;
  for (int k = 0; k < m; k++) {
    fit_put(s, s->ask + k, s->beside);
    if (!s->p->fixed[FIT_BETA]) s->ask[k].beta = skews[s->skew];
    s->ask[k].delta = o->x[(o->n - 1) * k / (m > 1 ? m - 1 : 1)];
  }
  ask_likelihoods(s, m, CHOOSING_BESIDE);
}

/* No maximum has been found with larger scales, either: small samples may have one below alpha = 0.75 whose zeta is
 * at an observation that no start was near. Two scales are tried, and climbs to a tie or an observation, where the
 * likelihood has no bound and alpha falls, are given up. Is there such a maximum to look for? */
static int ask_anywhere(fit_search *s) {
  const fit_problem *p = s->p;
  const ordered_sample *o = &s->sample;
  if (s->widened != 1 || p->columns > 0 || s->n_censored > 0 || p->n > MOST_BESIDE || p->fixed[FIT_ALPHA]) return 0;
  s->widened = 2;
  const fit_law law = {0.35, p->fixed[FIT_BETA] ? p->value[FIT_BETA] : 0,
                       0.5 * (sample_quantile(o, 0.75) - sample_quantile(o, 0.25)), 0, 1, s->best.law.b};
  if (!(law.gamma > 0)) return 0;
  s->n_queue = s->climbs = 1;
  s->skew = 0;
  fit_put(s, &s->beside, law);
  ask_beside(s);
  return 1;
}

/* Climbs led to an unbounded likelihood at equal values, and nowhere else: those that keep alpha above the bound of
 * that cannot. They begin from starts with all scales, the best of each range of alpha. */
enum { RANGES = 4 };
static int ask_raised(fit_search *s) {
  const double bound = s->tied / (s->total - s->tied);
  if (!(s->tied > s->raised) || s->p->fixed[FIT_ALPHA]) return 0;
  s->raised = s->tied;
  s->smallest_alpha = fmax(s->smallest_alpha, fmin(1.02 * bound, 1.99));
  s->n_queue = s->climbs = 1;
  return ask_scales(s);
}

static void queue_ranges(fit_search *s) {
  static const double end[RANGES] = {1, 1.5, 1.9, 2};
  for (int k = 0; k < RANGES; k++) {
    int best = -1;
    for (int j = 0; j < s->asked; j++) {
      const double a = s->ask[j].alpha;
      if ((k == 0 || a >= end[k - 1]) && a < end[k] && (best < 0 || s->ll[j] > s->ll[best])) best = j;
    }
    if (best >= 0 && s->ll[best] > -HUGE_VAL) fit_put(s, s->queue + s->n_queue++, s->ask[best]);
  }
}

/* A start next to alpha = 2, and the largest likelihood there, that of the normal distribution. */
static double normal_start(const fit_search *s, fit_law *law) {
  const double range = s->most - s->least;
  double mean = 0, square = 0;
  for (int64_t i = 0; i < s->n; i++) mean += (s->weight ? s->weight[i] : 1) * ((s->x[i] - s->least) / range);
  mean /= s->total;
  for (int64_t i = 0; i < s->n; i++)
    square += (s->weight ? s->weight[i] : 1) * pow((s->x[i] - s->least) / range - mean, 2);
  law->alpha = 1.998;
  law->beta = 0;
  law->gamma = range * sqrt(0.5 * square / s->total);
  law->delta = s->least + range * mean;
  law->frame = 0;
  return -s->total * (0.5 + 1.2655121234846454 + log(law->gamma)); /* log(4 pi)/2 */
}

/* All climbs have been made: is there more to try? */
static int look_further(fit_search *s) {
  const fit_problem *p = s->p;
  const fit_law *law = &s->best.law;
  if (!sound(s, s->best.why, law) || p->started || p->columns > 0 || s->n_censored > 0 || s->sample.n == 0) return 0;
  if (s->looked == MOST_LOOKS || (s->looked > 0 && s->best.at.ll < s->looked_from + 1e-6)) return 0;
  s->looked_from = s->best.at.ll;
  s->n_queue = s->climbs = 1;
  if (s->looked++ == 0 && !p->fixed[FIT_ALPHA] && !p->fixed[FIT_GAMMA] && !p->fixed[FIT_DELTA] && law->alpha < 2) {
    fit_law normal = *law;
    const double ll = normal_start(s, &normal);
    if (isfinite(ll) && ll > s->best.at.ll + 1e-8) fit_put(s, s->queue + s->n_queue++, normal);
  }
  if (law->frame == 1 && !p->fixed[FIT_DELTA] && p->n <= MOST_BESIDE) {
    s->skew = 0;
    fit_put(s, &s->beside, *law);
    ask_beside(s);
  } else if (s->n_queue > 1) {
    next_climb(s);
  } else {
    return 0;
  }
  return 1;
}

static void finish(fit_search *s) {
  exchange(s, &s->best);
  s->asked = 0;
}

/* The second of two different maxima, unless a better one has been met. */
static void keep_second(fit_search *s, fit_law law, double ll, double best) {
  const double gap = best - ll;
  if (!(gap > 1e-4) || !(gap < SECOND) || ll <= s->second[FIT_PARS] || law.frame == 2) return;
  law = fit_reframed(law, 0);
  const double values[FIT_PARS + 1] = {law.alpha, law.beta, law.gamma, law.delta, ll};
  memcpy(s->second, values, sizeof values);
}

static void end_climb(fit_search *s) {
  const int here = sound(s, s->why, &s->law), before = s->climbs > 1 && sound(s, s->best.why, &s->best.law);
  const int better = s->climbs == 1 || (here != before ? here : s->at.ll > s->best.at.ll);
  if (here && before && better) keep_second(s, s->best.law, s->best.at.ll, s->at.ll);
  if (here && before && !better) keep_second(s, s->law, s->at.ll, s->best.at.ll);
  if (better) exchange(s, &s->best);
  for (int k = 0; k < FIT_PARS; k++) s->free[k] = !s->p->fixed[k];
  if (s->climbs < s->n_queue) {
    next_climb(s);
  } else if (here || before || !(ask_wide(s) || ask_anywhere(s) || ask_raised(s))) {
    if (!look_further(s)) finish(s);
  }
}

/* What follows the verdict on a climb: the boundary that it headed for, then those nearby, where the likelihood may
 * have a second maximum. */
static void conclude(fit_search *s) {
  if (s->stage != INSIDE && !keep_better(s) && s->stage == AT_WATCHED) {
    s->stage = INSIDE; /* on from there */
    begin_climb(s, s->law);
    return;
  }
  if (s->stage <= AT_WATCHED && (s->why == TO_ALPHA_2 || s->why == TO_BETA_1)) {
    const int which = s->why == TO_ALPHA_2 ? FIT_ALPHA : FIT_BETA;
    s->watch[which] = s->watch[which] * next_watch > last_watch ? s->watch[which] * next_watch : 0;
    try_boundary(s, which, AT_WATCHED);
    return;
  }
  s->watch[FIT_ALPHA] = s->watch[FIT_BETA] = 0;
  if (s->stage < NEAR_BETA && s->free[FIT_BETA] && fabs(s->law.beta) > 0.95) try_boundary(s, FIT_BETA, NEAR_BETA);
  else if (s->stage < NEAR_ALPHA && s->free[FIT_ALPHA] && s->law.alpha > 1.9) try_boundary(s, FIT_ALPHA, NEAR_ALPHA);
  else if (!ask_inward(s)) end_climb(s);
}

/* ---- starts ---- */

/* The start that was given, in S0 and off the boundaries. */
static status given_start(const fit_search *s, fit_law *law) {
  const double *v = s->p->value;
  double mode;
  const fit_law s0 = {s->free[FIT_ALPHA] ? fmin(fmax(v[0], s->smallest_alpha), 1.99) : v[0],
                      s->free[FIT_BETA] ? fmin(fmax(v[1], -0.99), 0.99) : v[1], v[2], v[3], 0, law->b};
  *law = s0;
  if (s->p->pm == 1)
    law->delta += s0.gamma * (s0.alpha == 1 ? s0.beta * log(s0.gamma) / half_pi : s0.beta * stable_tangent(s0.alpha));
  if (s->p->pm == 2) {
    const status st = mode_of(s0.alpha, s0.beta, &mode);
    if (st != STATUS_OK) return st;
    law->gamma *= exp(-log(s0.alpha) / s0.alpha);
    law->delta -= law->gamma * mode;
  }
  return STATUS_OK;
}

status fit_begin(fit_search *s, const fit_law *start, int m) {
  const fit_problem *p = s->p;
  for (int k = 0; k < FIT_PARS; k++) s->free[k] = !p->fixed[k];
  for (int k = 0; k < m; k++) {
    status st = STATUS_OK;
    fit_put(s, s->ask + k, start[k]);
    if (p->started && k == 0) st = given_start(s, &s->ask[k]);
    if (st == STATUS_OK) st = pinned(s, &s->ask[k]);
    if (st != STATUS_OK) return st;
    if (!covers_sample(s, &s->ask[k])) fit_put(s, s->ask + k, with_end(s, s->ask[k], 0.01));
  }
  ask_likelihoods(s, m, CHOOSING_START);
  return STATUS_OK;
}

/* From how many starts and positions of zeta a search climbs. */
enum { LARGE_SAMPLE = 20000, CLIMBS_SMALL = 6, CLIMBS = 4, PEAKS = 6, MORE_CLIMBS = 12 };

/* Below alpha = 0.75 the likelihood has a peak for every position of zeta among the observations: tried is it
 * where they lie densest, for which some of a large sample stand for all. s->law stays the best so far. */
static void ask_places(fit_search *s) {
  double place[FIT_PLACES];
  sample_places(&s->sample, FIT_PLACES, place);
  for (int k = 0; k < FIT_PLACES; k++) {
    fit_put(s, s->ask + k, s->law);
    s->ask[k].delta = place[k];
  }
  if (s->n > LARGE_SAMPLE && s->sample.n < s->n && s->n_censored == 0 && s->p->columns == 0) {
    s->all = s->x;
    s->all_weight = s->weight;
    s->n_all = s->n;
    s->x = s->sample.x;
    s->weight = s->sample.weight;
    s->n = s->sample.n;
  }
  ask_likelihoods(s, FIT_PLACES, CHOOSING_PLACE);
}

static void return_to_all(fit_search *s) {
  if (!s->all) return;
  s->x = s->all;
  s->weight = s->all_weight;
  s->n = s->n_all;
  s->all = NULL;
}

void fit_tell(fit_search *s) {
  int best, many;
  switch (s->state) {
  case CHOOSING_START:
    best = best_asked(s);
    fit_put(s, &s->law, s->ask[best]);
    if (s->p->starts > 1) fit_order(s, s->law.b);
    many = s->p->climbs > 0 ? s->p->climbs : s->p->n <= FIT_SMALL ? CLIMBS_SMALL : s->summits > 1 ? CLIMBS : 1;
    for (int k = 0; k < s->asked && s->p->n <= FIT_SMALL; k++) {
      if (s->ask[k].frame != 1 || (s->law.frame == 1 && s->ll[k] <= s->ll[best])) continue;
      fit_put(s, &s->law, s->ask[k]);
      best = k;
    }
    queue_best(s, s->p->started ? 1 : many);
    if (s->law.frame == 1 && s->free[FIT_DELTA] && !s->p->started && s->sample.n > 0) ask_places(s);
    else next_climb(s);
    return;
  case CHOOSING_PLACE:
    return_to_all(s);
    keep_peaks(s);
    queue_best(s, s->n_queue + (s->p->n <= LARGE_SAMPLE ? PEAKS : 1));
    next_climb(s);
    return;
  case CHOOSING_WIDE:
    if (s->raised > 0) queue_ranges(s);
    else queue_best(s, s->n_queue + MORE_CLIMBS);
    next_climb(s);
    return;
  case CHOOSING_BESIDE:
    keep_peaks(s);
    for (int k = 0; k < s->asked; k++)
      if (sound(s, s->best.why, &s->best.law) && s->ll[k] < s->best.at.ll - SECOND) s->ll[k] = -HUGE_VAL;
    queue_best(s, s->n_queue + PEAKS_EACH);
    s->skew += s->p->n <= FIT_SMALL ? 1 : 3;
    if (s->widened == 2 && (s->p->fixed[FIT_BETA] || s->skew >= SKEWS)) {
      s->widened = 3;
      s->skew = 0;
      s->beside.gamma *= 10;
      ask_beside(s);
    } else if (!s->p->fixed[FIT_BETA] && s->skew < SKEWS) ask_beside(s);
    else if (s->climbs < s->n_queue) next_climb(s);
    else finish(s);
    return;
  case CHOOSING_END:
    begin_climb(s, s->ask[best_asked(s)]);
    return;
  case ARRIVING:
    arrive(s);
    choose_step(s);
    break;
  case STEPPING:
    if (s->slope.ll > s->at.ll - noise(s)) stepped(s);
    else ask_shorter(s, 0);
    break;
  case SHORTENING:
    best = best_asked(s);
    many = s->ll[best] > s->at.ll;
    if (s->shortest < FIT_SHORTER && (!many || best == s->asked - 1)) ask_shorter(s, s->shortest - many);
    else if (many) ask_slope(s, s->ask[best], LAST_STEP);
    else refused(s);
    break;
  case LAST_STEP:
    if (s->slope.ll > s->at.ll - noise(s)) stepped(s);
    else refused(s);
    break;
  case LOOKING_INWARD:
    if (!ask_farther(s)) end_climb(s);
    return;
  case LEAVING:
    if (!leave(s)) end_climb(s);
    return;
  }
  if (s->why != RUNNING) conclude(s);
}
