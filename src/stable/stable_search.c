/* stable_search.c: see stable_search.h. The search goes by stages, in the order of this file. A stage asks for the
 * likelihoods of some distributions; who is told them puts the best in the queue, and proceed() makes a climb from
 * each before it goes on to the next stage. */
#include "stable/stable_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far starts reach: the usual ones, with larger scales, with zeta anywhere, and that with a larger scale. */
enum { USUAL, WIDE, ANYWHERE, ANYWHERE_WIDE };
/* Positions of zeta that are tried; from how many starts and positions a search climbs. */
enum { LOCATIONS = 60, LARGE_SAMPLE = 20000, CLIMBS_SMALL = 6, CLIMBS = 4, PEAKS = 6, MORE_CLIMBS = 12 };

static void proceed(fit_search *s);

static fit_theta *theta(fit_search *s) { return &s->climb.ascent.theta; }

static int is_small(const fit_search *s) { return s->sample.p->n <= FIT_SMALL; }

static int has_maximum(const fit_search *s) {
  return ascent_sound(&s->climb.ascent, &s->best);
}

static void lay_out(fit_search *s, double *memory, int64_t *used) {
  fit_question_take(&s->question, memory, used);
  climb_take(&s->climb, memory, used);
  summit_take(&s->climb.ascent, &s->best, memory, used);
  fit_distributions_take(theta(s), s->queue, SEARCH_CLIMBS, memory, used);
}

status search_open(fit_search *s, const fit_problem *p, int ordered) {
  fit_ascent *a = &s->climb.ascent;
  memset(s, 0, sizeof *s);
  status st = fit_sample_open(&s->sample, p, ordered);
  if (st != STATUS_OK) return st;
  a->theta.p = p;
  a->theta.size = STABLE_PARS + p->columns;
  a->theta.smallest_alpha = p->smallest_alpha > 0 ? p->smallest_alpha : ESTIMATE_ALPHA_MIN;
  fit_free_all(&a->theta);
  a->sample = s->question.sample = &s->sample;
  a->question = &s->question;
  s->question.theta = &a->theta;
  s->second[STABLE_PARS] = -HUGE_VAL;
  int64_t numbers = 0, used = 0;
  lay_out(s, NULL, &numbers);
  s->memory = malloc(sizeof(double) * (size_t)numbers);
  if (!s->memory) return fail(STATUS_MEMORY, "stableFit: no memory for %d coefficients", p->columns);
  lay_out(s, s->memory, &used);
  return STATUS_OK;
}

void search_close(fit_search *s) {
  fit_sample_close(&s->sample);
  free(s->memory);
  s->memory = NULL;
}

/* ---- questions and the queue ---- */

static void propose(fit_search *s, int k, fit_distribution distribution) {
  fit_put(theta(s), s->question.distribution + k, distribution);
}

/* Asks about the first n distributions proposed. */
static void ask(fit_search *s, int n, void (*told)(fit_search *)) {
  fit_ask_likelihoods(&s->question, n);
  s->told = told;
}

void search_tell(fit_search *s) { s->told(s); }

static int is_same_distribution(const fit_distribution *a, const fit_distribution *b) {
  return a->alpha == b->alpha && a->beta == b->beta && a->gamma == b->gamma && a->delta == b->delta &&
         a->frame == b->frame;
}

static void enqueue(fit_search *s, fit_distribution distribution) {
  fit_put(theta(s), s->queue + s->n_queue++, distribution);
}

/* Puts the best of the distributions asked about that are no equals in the queue, so many more at most; the first of
 * all whatever its likelihood. */
static void queue_best(fit_search *s, int more) {
  fit_question *q = &s->question;
  const int most = s->n_queue + more;
  while (s->n_queue < most) {
    const int best = fit_best(q);
    int known = 0;
    if (s->n_queue > 0 && q->ll[best] == -HUGE_VAL) return;
    for (int k = 0; k < s->n_queue; k++) known |= is_same_distribution(s->queue + k, q->distribution + best);
    if (!known) enqueue(s, q->distribution[best]);
    q->ll[best] = -HUGE_VAL;
  }
}

/* Of positions in a row those whose likelihood is below a neighbour's are out of the question. */
static void keep_peaks(fit_question *q) {
  double before = -HUGE_VAL;
  for (int k = 0; k < q->asked; k++) {
    const double here = q->ll[k], after = k + 1 < q->asked ? q->ll[k + 1] : -HUGE_VAL;
    if (here < before || here < after) q->ll[k] = -HUGE_VAL;
    before = here;
  }
}

/* ---- starts ---- */

int search_starts(fit_search *s, fit_distribution *start) {
  const fit_problem *p = s->sample.p;
  int n = 0;
  for (int k = 0; k == 0 || k < p->starts; k++) {
    double *b = p->b ? p->b + k * p->columns : NULL;
    int found = 1;
    if (k > 0 || !p->started) {
      fit_order(&s->sample, b);
      const double alpha = p->fixed[ALPHA] ? p->value[ALPHA] : NAN;
      const double beta = p->fixed[BETA] ? p->value[BETA] : NAN;
      int summits;
      found = fit_starts(&s->sample.ordered, alpha, beta, start + n, &summits);
      if (summits > s->summits) s->summits = summits;
    }
    for (int j = 0; j < found; j++) start[n++].b = b;
  }
  return n;
}

/* Puts fixed values into proposal k and, where that is possible, all observations inside. */
static status place_start(fit_search *s, int k) {
  fit_distribution *distribution = s->question.distribution + k;
  const status st = fit_pin(s->sample.p, distribution);
  if (st == STATUS_OK && !fit_covers(theta(s), &s->sample, distribution))
    propose(s, k, fit_with_end(theta(s), &s->sample, *distribution, 0.01));
  return st;
}

static void location_chosen(fit_search *s) {
  s->question.sample = &s->sample;
  keep_peaks(&s->question);
  queue_best(s, s->sample.p->n <= LARGE_SAMPLE ? PEAKS : 1);
  proceed(s);
}

/* Below alpha = 0.75 the likelihood has a peak for every position of zeta among the observations: tried is it
 * where they lie densest, for which some of a large sample stand for all. */
static void ask_locations(fit_search *s, fit_distribution distribution) {
  double location[LOCATIONS];
  const ordered_sample *o = &s->sample.ordered;
  sample_locations(o, LOCATIONS, location);
  for (int k = 0; k < LOCATIONS; k++) {
    distribution.delta = location[k];
    propose(s, k, distribution);
  }
  if (s->sample.n > LARGE_SAMPLE && o->n < s->sample.n && s->sample.n_censored == 0 && s->sample.p->columns == 0) {
    s->few = s->sample;
    s->few.x = o->x;
    s->few.weight = o->weight;
    s->few.n = o->n;
    s->question.sample = &s->few;
  }
  ask(s, LOCATIONS, location_chosen);
}

/* Climbs begin from the best starts, and from positions of zeta for the best one; of a small sample for the best in
 * S1, whatever the others are. */
static void start_chosen(fit_search *s) {
  const fit_problem *p = s->sample.p;
  fit_question *q = &s->question;
  const int most = p->climbs > 0 ? p->climbs : is_small(s) ? CLIMBS_SMALL : s->summits > 1 ? CLIMBS : 1;
  int best = fit_best(q);
  if (p->starts > 1) fit_order(&s->sample, q->distribution[best].b);
  for (int k = 0; k < q->asked && is_small(s); k++)
    if (q->distribution[k].frame == 1 && (q->distribution[best].frame != 1 || q->ll[k] > q->ll[best])) best = k;
  const fit_distribution distribution = q->distribution[best];
  queue_best(s, p->started ? 1 : most);
  if (distribution.frame == 1 && !p->fixed[DELTA] && !p->started && s->sample.ordered.n > 0)
    ask_locations(s, distribution);
  else proceed(s);
}

status search_begin(fit_search *s, const fit_distribution *start, int n) {
  for (int k = 0; k < n; k++) {
    status st = STATUS_OK;
    propose(s, k, start[k]);
    if (s->sample.p->started && k == 0) st = fit_given_start(theta(s), s->question.distribution);
    if (st == STATUS_OK) st = place_start(s, k);
    if (st != STATUS_OK) return st;
  }
  ask(s, n, start_chosen);
  return STATUS_OK;
}

/* ---- no maximum has been found: larger scales ---- */

/* The best, or with alpha kept above a bound the best of each range of alpha. */
static void wide_chosen(fit_search *s) {
  static const double end[] = {0, 1, 1.5, 1.9, 2};
  const fit_question *q = &s->question;
  if (!(s->raised > 0)) queue_best(s, MORE_CLIMBS);
  for (int k = 0; k < 4 && s->raised > 0; k++) {
    int best = -1;
    for (int j = 0; j < q->asked; j++) {
      const double a = q->distribution[j].alpha;
      if (a >= end[k] && a < end[k + 1] && (best < 0 || q->ll[j] > q->ll[best])) best = j;
    }
    if (best >= 0 && q->ll[best] > -HUGE_VAL) enqueue(s, q->distribution[best]);
  }
  proceed(s);
}

/* Are there starts with larger scales? */
static int ask_scales(fit_search *s) {
  fit_distribution start[FIT_WIDE];
  const fit_problem *p = s->sample.p;
  int n = 0;
  if (p->fixed[GAMMA] || p->fixed[DELTA] || s->sample.ordered.n == 0) return 0;
  for (int k = 0, m = fit_wide_starts(&s->sample.ordered, start); k < m; k++) {
    start[k].b = s->best.distribution.b;
    if (s->raised > 0) start[k].alpha = fit_above_smallest(theta(s), start[k].alpha);
    propose(s, n, start[k]);
    if (place_start(s, n) == STATUS_OK) n++;
  }
  if (n > 0) ask(s, n, wide_chosen);
  return n > 0;
}

/* For the middle half of the sample may be narrow among outliers. */
static int ask_wide(fit_search *s) {
  if (s->sample.p->started || s->widened != USUAL || !ask_scales(s)) return 0;
  s->widened = WIDE;
  return 1;
}

/* Climbs led to an unbounded likelihood at equal values, and nowhere else: those that keep alpha above the bound of
 * that cannot. They begin from starts with all scales. */
static int ask_raised(fit_search *s) {
  const double tied = s->climb.ascent.tied, bound = tied / (s->sample.total - tied);
  if (!(tied > s->raised) || s->sample.p->fixed[ALPHA]) return 0;
  s->raised = tied;
  theta(s)->smallest_alpha = fmax(theta(s)->smallest_alpha, fmin(1.02 * bound, 1.99));
  s->n_queue = s->climbs = 1;
  return ask_scales(s);
}

/* ---- zeta at any observation ---- */

/* Below alpha = 0.75 a maximum may have another one beside it, with zeta at another observation and another beta:
 * zeta is tried at all observations, or LOCATIONS of them, for each of these, or every third where the sample is not
 * small. Climbs begin from at most PEAKS_EACH positions for each that are not much worse than what is known. */
enum { SKEWS = 7, PEAKS_EACH = 2, MOST_BESIDE = 400 };
static const double skews[SKEWS] = {-0.9, -0.6, -0.3, 0, 0.3, 0.6, 0.9};

static void beside_chosen(fit_search *s);

static void ask_beside(fit_search *s, fit_distribution distribution, int skew) {
  const ordered_sample *o = &s->sample.ordered;
  const int m = o->n < LOCATIONS ? (int)o->n : LOCATIONS;
  fit_put(theta(s), &s->beside, distribution);
  s->skew = skew;
  if (!s->sample.p->fixed[BETA]) distribution.beta = skews[skew];
  for (int k = 0; k < m; k++) {
    distribution.delta = o->x[(o->n - 1) * k / (m > 1 ? m - 1 : 1)];
    propose(s, k, distribution);
  }
  ask(s, m, beside_chosen);
}

static void beside_chosen(fit_search *s) {
  fit_question *q = &s->question;
  const int next = s->skew + (s->sample.p->fixed[BETA] ? SKEWS : is_small(s) ? 1 : 3);
  keep_peaks(q);
  for (int k = 0; k < q->asked; k++)
    if (has_maximum(s) && q->ll[k] < s->best.at.ll - FIT_SECOND) q->ll[k] = -HUGE_VAL;
  queue_best(s, PEAKS_EACH);
  if (next < SKEWS) {
    ask_beside(s, s->beside, next);
  } else if (s->widened == ANYWHERE) {
    s->widened = ANYWHERE_WIDE;
    s->beside.gamma *= 10;
    ask_beside(s, s->beside, 0);
  } else {
    proceed(s);
  }
}

/* No maximum has been found with larger scales, either: small samples may have one below alpha = 0.75 whose zeta is
 * at an observation that no start was near. Two scales are tried, and climbs to a tie or an observation, where the
 * likelihood has no bound and alpha falls, are given up. Is there such a maximum to look for? */
static int ask_anywhere(fit_search *s) {
  const fit_problem *p = s->sample.p;
  const ordered_sample *o = &s->sample.ordered;
  if (s->widened != WIDE || p->columns > 0 || s->sample.n_censored > 0 || p->n > MOST_BESIDE || p->fixed[ALPHA])
    return 0;
  s->widened = ANYWHERE;
  const double beta = p->fixed[BETA] ? p->value[BETA] : 0;
  const double gamma = 0.5 * (sample_quantile(o, 0.75) - sample_quantile(o, 0.25));
  if (!(gamma > 0)) return 0;
  s->n_queue = s->climbs = 1;
  ask_beside(s, (fit_distribution){0.35, beta, gamma, 0, 1, s->best.distribution.b}, 0);
  return 1;
}

/* ---- a maximum has been found ---- */

/* A start next to alpha = 2, and the largest likelihood there, that of the normal distribution. */
static double normal_start(const fit_sample *s, fit_distribution *distribution) {
  const double range = s->most - s->least;
  double mean = 0, square = 0;
  for (int64_t i = 0; i < s->n; i++) mean += fit_weight(s, i) * ((s->x[i] - s->least) / range);
  mean /= s->total;
  for (int64_t i = 0; i < s->n; i++) square += fit_weight(s, i) * pow((s->x[i] - s->least) / range - mean, 2);
  const double gamma = range * sqrt(0.5 * square / s->total), delta = s->least + range * mean;
  *distribution = (fit_distribution){1.998, 0, gamma, delta, 0, distribution->b};
  return -s->total * (0.5 + 1.2655121234846454 + log(gamma)); /* log(4 pi)/2 */
}

/* All climbs have been made: is there more to try? Not again where that has found nothing better. */
static int look_further(fit_search *s) {
  enum { MOST_LOOKS = 3 };
  const fit_problem *p = s->sample.p;
  const fit_distribution *distribution = &s->best.distribution;
  const int *fixed = p->fixed;
  if (p->started || p->columns > 0 || s->sample.n_censored > 0 || s->sample.ordered.n == 0) return 0;
  if (s->looked == MOST_LOOKS || (s->looked > 0 && s->best.at.ll < s->looked_from + 1e-6)) return 0;
  s->looked_from = s->best.at.ll;
  s->n_queue = s->climbs = 1;
  if (s->looked++ == 0 && !fixed[ALPHA] && !fixed[GAMMA] && !fixed[DELTA] && distribution->alpha < 2) {
    fit_distribution normal = *distribution;
    const double ll = normal_start(&s->sample, &normal);
    if (isfinite(ll) && ll > s->best.at.ll + 1e-8) enqueue(s, normal);
  }
  if (distribution->frame == 1 && !fixed[DELTA] && p->n <= MOST_BESIDE) ask_beside(s, *distribution, 0);
  else if (s->n_queue > 1) proceed(s);
  else return 0;
  return 1;
}

/* The second of two different maxima, unless a better one has been met. */
static void keep_second(fit_search *s, fit_distribution distribution, double ll, double best) {
  const double gap = best - ll;
  if (!(gap > 1e-4) || !(gap < FIT_SECOND) || ll <= s->second[STABLE_PARS] || distribution.frame == 2) return;
  const fit_distribution d = fit_reframed(distribution, 0);
  const double values[STABLE_PARS + 1] = {d.alpha, d.beta, d.gamma, d.delta, ll};
  memcpy(s->second, values, sizeof values);
}

/* ---- climbs ---- */

static void climb_told(fit_search *s) {
  fit_ascent *a = &s->climb.ascent;
  if (!climb_tell(&s->climb)) return;
  const int here = ascent_sound(a, &a->here), before = s->climbs > 1 && has_maximum(s);
  const int better = s->climbs == 1 || (here != before ? here : a->here.at.ll > s->best.at.ll);
  if (here && before && better) keep_second(s, s->best.distribution, s->best.at.ll, a->here.at.ll);
  if (here && before && !better) keep_second(s, a->here.distribution, a->here.at.ll, s->best.at.ll);
  if (better) ascent_exchange(a, &s->best);
  fit_free_all(&a->theta);
  proceed(s);
}

static void climb_next(fit_search *s) {
  const fit_problem *p = s->sample.p;
  fit_ascent *a = &s->climb.ascent;
  a->rival = s->climbs > 0 ? &s->best : NULL;
  a->lowest = s->widened >= ANYWHERE ? 0.1 : 0;
  /* wide starts are around the end of the climb before them */
  a->gives_up = s->raised > 0 || (p->gives_up && (s->widened > USUAL || p->started));
  s->told = climb_told;
  climb_begin(&s->climb, s->queue[s->climbs++]);
}

static void proceed(fit_search *s) {
  if (s->climbs < s->n_queue) {
    climb_next(s);
  } else if (has_maximum(s) ? !look_further(s) : !ask_wide(s) && !ask_anywhere(s) && !ask_raised(s)) {
    ascent_exchange(&s->climb.ascent, &s->best);
    s->question.asked = 0;
  }
}
