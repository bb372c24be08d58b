/* quadrature_integral.c: see quadrature_integral.h. With the sum E of error estimates and the tolerance t of the
 * integral as it is known so far, an integral is done when E <= t. Else those of the n panels of the round are
 * accepted whose error is at most (t - e)/(2 n), e being the error of those accepted before: what is left of the
 * tolerance is shared by panels and not by length, so that a singularity, where ever fewer panels are left, does not
 * have to meet ever smaller shares. Panels of which the error is rounding are accepted too. The others are halved.
 *
 * Where few panels are left round after round, there are singularities, and the integrals next to each of them
 * converge like sums of powers: Wynn's epsilon algorithm extrapolates them (P. Wynn, On a device for computing the
 * e_m(S_n) transformation, MTAC 10, 1956), as QUADPACK's qags does with the totals of its own sequence of bisections
 * (R. Piessens et al., QUADPACK, 1983); see quadrature_cluster.c. It would do so with divergent ones: E must fall.
 *
 * Before an integral is done its panels are laid side by side (quadrature_border.c), and those that do not fit by
 * more than the tolerance allows are taken back and cut, into pieces that become narrower and narrower towards that
 * border. */
#include "quadrature/quadrature_integral.h"

#include <float.h>
#include <stdlib.h>

#include "engine/threads.h"
#include "kernels/quadrature/integrand_par.h"
#include "quadrature/quadrature_border.h"
#include "quadrature/quadrature_cluster.h"

enum {
  MAX_ROUNDS = 100,
  LITTLE = 2,               /* panels towards infinity, where break points are known to leave nothing */
  FEW = 8,                  /* panels of a round that tell a singularity */
  FIRST_EXTRAPOLATION = 4,
  MIN_ROUNDS = 5, MANY_FAR = 24, /* rounds, and panels after them that tell oscillation */
  RESTARTS = 2,
  REPAIRS = 8,              /* times that panels are taken back */
  ROOM_KEPT = 256           /* finished panels whose memory the next integral takes over */
};

struct workspace {
  laid_panels finished;       /* accepted ones */
  double history[MAX_ROUNDS]; /* by round, the largest share of tolerance that E takes */
  clusters *open;
  struct workspace *next;
};

/* ---- workspaces ---- */

/* Threads take and give back from one list: where each has its own, the last rounds, for which one thread is enough,
 * gather all that others have made. */
static status take_workspace(integral_work *w, integral *q) {
  threads_lock();
  q->w = *w->spare;
  if (q->w) *w->spare = q->w->next;
  threads_unlock();
  if (!q->w) q->w = calloc(1, sizeof *q->w);
  if (!q->w) return fail(STATUS_MEMORY, "out of memory for integrals");
  clusters_forget(q->w->open);
  q->w->finished.n = 0;
  q->w->finished.m = w->m;
  return STATUS_OK;
}

void integral_leave(integral_work *w, integral *q) {
  if (!q->w) return;
  if (q->w->finished.room > ROOM_KEPT) {
    free(q->w->finished.memory);
    q->w->finished = (laid_panels){0};
  }
  threads_lock();
  q->w->next = *w->spare;
  *w->spare = q->w;
  threads_unlock();
  q->w = NULL;
}

void workspaces_free(workspace *w) {
  while (w) {
    workspace *next = w->next;
    free(w->finished.memory);
    free(w->open);
    free(w);
    w = next;
  }
}

/* ---- beginnings ---- */

static const double *breaks_of(const integral_work *w, const integral *q) {
  return w->o->by_row && w->o->n_break ? w->o->breaks + q->number * w->o->n_break : w->o->breaks;
}

static const double *shift_of(const integral_work *w, const integral *q) {
  return w->o->shift ? w->o->shift + q->number * w->m : NULL;
}

/* Break points within the limits, in order; cut has room for n_break. */
static int64_t cuts_of(const integral_work *w, const integral *q, double *cut) {
  const double *from = breaks_of(w, q);
  int64_t n = 0, kept = 0;
  for (int64_t i = 0; i < w->o->n_break; i++)
    if (from[i] > q->lower && from[i] < q->upper) cut[n++] = from[i];
  qsort(cut, (size_t)n, sizeof *cut, ascending);
  for (int64_t i = 0; i < n; i++)
    if (!kept || cut[i] != cut[kept - 1]) cut[kept++] = cut[i];
  return kept;
}

/* No panels are accepted yet, and there are no limits. */
static void reset(const integral_work *w, integral *q) {
  for (int k = 0; k < w->m; k++) {
    component *c = q->part + k;
    c->accepted = (panel_sums){.error = c->lost};
    c->extrapolated = c->best_error = INFINITY;
  }
  q->accepted = q->round = q->narrow = 0;
  if (q->w) q->w->finished.n = 0;
}

/* Of two half-lines three quarters each: more of them find more peaks. */
first_panels_of integral_first(const quadrature_options *o) {
  const int32_t on_line = o->shift ? LITTLE : (int32_t)((3 * (int64_t)o->min_panels + 3) / 4);
  return (first_panels_of){o->min_panels, o->shift ? LITTLE : o->min_panels, on_line, o->rel, o->abs};
}

/* First panels: between the ends and break points. */
static status start(integral_work *w, integral *q) {
  panel_list *a = &w->next;
  const double row = (double)q->row;
  const int32_t least = w->o->min_panels;
  const int whole_line = isinf(q->lower) && isinf(q->upper);
  const first_panels_of first = integral_first(w->o);
  const int32_t on_half_line = whole_line ? first.on_line : first.on_half_line;
  double *cut = malloc(((size_t)w->o->n_break + 3) * sizeof *cut);
  if (!cut) return fail(STATUS_MEMORY, "out of memory for break points");
  reset(w, q);
  int64_t n = cuts_of(w, q, cut + 1);
  if (!n && whole_line) cut[++n] = 0;
  cut[0] = q->lower;
  cut[n + 1] = q->upper;
  const int32_t panels = (int32_t)((least + n) / (n + 1));
  const status st = panels_room(a, a->n + (n + 1) * ((int64_t)panels + 2) + 2 * (int64_t)(least + HALF_LINE));
  for (int64_t k = 0; k <= n && !st; k++) {
    if (isinf(cut[k])) panels_add_half_line(a, -1, cut[k + 1], row, on_half_line);
    else if (isinf(cut[k + 1])) panels_add_half_line(a, 1, cut[k], row, on_half_line);
    else panels_add_piece(a, cut[k], cut[k + 1], row, panels);
  }
  free(cut);
  return st;
}

/* Panels were accepted for a tolerance that has turned out too large: once more, from the beginning. */
static status restart(integral_work *w, integral *q, const estimate *e) {
  for (int k = 0; k < w->m; k++) {
    q->part[k].tolerance = 0.5 * e->tolerance[k];
    q->part[k].lost = 0;
  }
  clusters_forget(q->w->open);
  q->restarts++;
  return start(w, q);
}

/* ---- ends ---- */

static void store(integral_work *w, const integral *q, int k, double value, double error) {
  w->r->value[q->number * w->m + k] = value;
  w->r->error[q->number * w->m + k] = error;
}

static void end(integral_work *w, integral *q, int code, int32_t panels) {
  w->r->code[q->number] = code;
  w->r->subdivisions[q->number] = panels;
  w->r->evaluations[q->number] = q->evaluations;
  integral_leave(w, q);
  w->done++;
}

static void end_with(integral_work *w, integral *q, const estimate *e, int code, int32_t panels) {
  const double *shift = shift_of(w, q);
  int zero = 1;
  /* radii are denormal, and have lost their digits */
  if (code == QUAD_OK && q->upper - q->lower < 2 * DBL_MIN * w->o->min_panels) {
    code = QUAD_ROUNDOFF;
    zero = 0;
  }
  for (int k = 0; k < w->m; k++) {
    const component *c = q->part + k;
    const int extrapolated = c->best_error < e->error[k];
    const double value = extrapolated ? c->best : e->total[k];
    /* what failed is not known better than two ways to it agree */
    const double apart = code && isfinite(c->extrapolated) ? fabs(e->total[k] - c->extrapolated) : 0;
    const double known = extrapolated ? (code ? 10 : 1) * c->best_error : fmax(e->error[k], apart);
    const double error = code == QUAD_DIVERGENT ? INFINITY : known;
    if (fabs(value) + error >= DBL_MIN) zero = 0;
    if (code == QUAD_NOT_FINITE) store(w, q, k, NAN, INFINITY);
    else if (shift) store(w, q, k, shift[k] + log(value), error > 0 ? error / value : 0);
    else store(w, q, k, q->sign * value, error);
  }
  if ((code == QUAD_OK || code == QUAD_ROUNDOFF) && zero) code = QUAD_ZERO;
  if (code == QUAD_NOT_FINITE) w->r->where[q->number] = e->where;
  end(w, q, code, panels);
}

/* An integral that its first panels have been enough for. */
static void end_by_first(integral_work *w, integral *q, double *const *known) {
  const int32_t n = (int32_t)known[FIRST_COUNT][q->row];
  estimate e;
  reset(w, q);
  e.total[0] = known[FIRST_VALUE][q->row];
  e.error[0] = known[FIRST_ERROR][q->row];
  q->evaluations = (double)n * NODES;
  end_with(w, q, &e, QUAD_OK, n);
}

status integral_begin(integral_work *w, integral *q, double lower, double upper, double *const *known) {
  const int invalid = isnan(lower) || isnan(upper) || (w->o->shift && lower > upper);
  q->sign = lower <= upper ? 1 : -1;
  q->lower = lower <= upper ? lower : upper;
  q->upper = lower <= upper ? upper : lower;
  w->r->where[q->number] = NAN;
  for (int k = 0; k < w->m; k++) q->part[k] = (component){.tolerance = INFINITY};
  if (!invalid && lower != upper) {
    if (!known || !(known[FIRST_COUNT][q->row] > 0)) return start(w, q);
    end_by_first(w, q, known);
    return STATUS_OK;
  }
  for (int k = 0; k < w->m; k++)
    store(w, q, k, invalid ? NAN : w->o->shift ? -INFINITY : 0, invalid ? NAN : 0);
  end(w, q, invalid ? QUAD_INVALID : QUAD_OK, 0);
  return STATUS_OK;
}

/* ---- division ---- */

/* What panels may be accepted with, n panels sharing what is left; or their error is rounding. */
static int is_acceptable(const integral *q, const panel_round *p, int64_t i, const estimate *e) {
  for (int k = 0; k < p->m; k++) {
    const double error = round_results(p, k, PANEL_ERROR)[i], floor = round_results(p, k, PANEL_FLOOR)[i];
    const double allowed = (e->tolerance[k] - q->part[k].accepted.error) / (2.0 * (double)p->panel.n);
    if (!(error <= allowed) && !(error <= 1.01 * floor)) return 0;
  }
  return 1;
}

/* A finished panel counts. */
static void count(integral *q, const laid_panel *p) {
  for (int k = 0; k < q->w->finished.m; k++)
    panel_sums_add(&q->part[k].accepted, p->centre, p->half, p->of[k].value, p->of[k].error, p->of[k].floor);
  q->accepted++;
}

/* A panel that is given up has an error that its neighbour's value tells, or its own where it is merely too
 * narrow. */
static void lose(integral *q, const panel_round *p, int64_t teller) {
  for (int k = 0; k < p->m; k++) {
    const double error = round_lost_error(p, teller, k);
    q->part[k].lost += error;
    q->part[k].accepted.error += error;
  }
  q->narrow = 1;
}

/* The largest error of a panel in units of the tolerance. */
static double weight_of(const panel_round *p, int64_t i, const estimate *e) {
  double most = 0;
  for (int k = 0; k < p->m; k++) {
    const double weight = round_results(p, k, PANEL_ERROR)[i] / e->tolerance[k];
    if (!(weight <= most)) most = weight;
  }
  return most;
}

static int descending(const void *a, const void *b) { return ascending(b, a); }

/* Where there is no room to halve all that are not accepted: the least error of those that are halved. */
static status least_to_halve(const integral_work *w, const integral *q, const panel_round *p, const estimate *e,
                             double *least) {
  const int64_t n = p->panel.n, most = w->o->subdivisions - q->accepted - n;
  int64_t left = 0;
  *least = 0;
  if (n <= most) return STATUS_OK;
  double *weight = malloc((size_t)n * sizeof *weight);
  if (!weight) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)n);
  for (int64_t i = 0; i < n; i++)
    if (!round_is_bad(p, i) && !is_acceptable(q, p, i, e)) weight[left++] = weight_of(p, i, e);
  qsort(weight, (size_t)left, sizeof *weight, descending);
  if (most > 0 && left > most) *least = weight[most - 1];
  free(weight);
  return STATUS_OK;
}

/* Accepts panels, to halve the others in next: so many. */
static status refine(integral_work *w, integral *q, const panel_round *p, const estimate *e, int64_t *halved) {
  const panel_list *a = &p->panel;
  laid_panels *finished = &q->w->finished;
  panel_list *to = &w->next;
  double least;
  status st = panels_room(to, to->n + 2 * a->n);
  if (!st) st = laid_room(finished, finished->n + a->n);
  if (!st) st = least_to_halve(w, q, p, e, &least);
  if (st) return st;
  for (int64_t i = 0; i < a->n; i++) {
    const int bad = round_is_bad(p, i), narrow = !bad && round_is_narrow(p, i, q->lower, q->upper);
    const int good = !bad && is_acceptable(q, p, i, e);
    const int64_t neighbour = bad ? round_neighbour_of_lost(p, i) : -1;
    p->taken[i] = (unsigned char)(good || narrow);
    if (bad && round_is_tail(p, i, e->tolerance)) continue;
    if (neighbour >= 0) {
      lose(q, p, neighbour);
    } else if (good || narrow) {
      count(q, laid_add(finished, p, i, 0));
      if (!good) lose(q, p, i);
    } else if (!bad && weight_of(p, i, e) < least) {
      panels_copy(to, a, i);
    } else {
      panels_split(to, a, i, bad ? a->bad[i] + 1 : 0);
      ++*halved;
    }
  }
  return STATUS_OK;
}

/* ---- the last checks ---- */

/* Takes back the panels of a finished integral that do not fit, unless there are too many of their pieces. */
static status repair(integral_work *w, integral *q, const border_terms *t, double share, int *crowded) {
  laid_panels *finished = &q->w->finished;
  const int64_t before = w->next.n;
  const status st = borders_cut(finished, t, share, &w->next, (double)q->row);
  if (st || w->next.n == before) return st;
  laid_drop_open(finished);
  const int32_t kept = finished->n;
  *crowded = kept + (w->next.n - before) > w->o->subdivisions;
  if (*crowded) {
    w->next.n = before;
    return STATUS_OK;
  }
  reset(w, q); /* limits of totals that lacked what was hidden are none */
  finished->n = kept;
  for (int32_t i = 0; i < kept; i++) count(q, laid_at(finished, i));
  return STATUS_OK;
}

/* Ends an integral that is as exact as it should be, unless its panels do not fit. Those of the round have been
 * accepted or are to be halved where it is extrapolated, and are all finished else. */
static status finish(integral_work *w, integral *q, const panel_round *p, estimate *e, int32_t panels,
                     int extrapolated) {
  const border_terms t = {e->tolerance, breaks_of(w, q), w->o->n_break};
  const int64_t before = w->next.n, n = p->panel.n;
  laid_panels *finished = &q->w->finished;
  double hidden[MAX_OUTPUTS];
  status st = laid_room(finished, finished->n + n);
  int good = 1, crowded = panels >= w->o->subdivisions;
  if (st) return st;
  for (int64_t i = 0; i < n; i++)
    if (!round_is_bad(p, i) && !(extrapolated && p->taken[i])) laid_add(finished, p, i, extrapolated);
  laid_sort(finished);
  const double share = borders_look(finished, &t, hidden);
  for (int k = 0; k < w->m; k++) good &= hidden[k] <= 0.1 * e->tolerance[k];
  if (!good && !crowded && q->repairs < REPAIRS) {
    q->repairs++;
    if (!extrapolated) clusters_forget(q->w->open);
    for (int64_t i = 0; i < n && !extrapolated; i++) {
      const int64_t neighbour = round_neighbour_of_lost(p, i);
      if (neighbour >= 0) lose(q, p, neighbour);
    }
    st = repair(w, q, &t, share, &crowded);
    if (st || w->next.n > before) return st;
  }
  for (int k = 0; k < w->m; k++) {
    component *c = q->part + k;
    if (!extrapolated) c->best_error = INFINITY;
    c->best_error += hidden[k];
    e->error[k] += hidden[k];
  }
  end_with(w, q, e, good ? QUAD_OK : crowded ? QUAD_SUBDIVISIONS : QUAD_BEHAVIOUR, panels);
  return STATUS_OK;
}

/* Has the error fallen over so many rounds by this factor? */
static int has_fallen(const integral *q, int rounds, double factor) {
  const double *history = q->w->history;
  return q->round >= rounds && history[q->round] < factor * history[q->round - rounds];
}

/* Extrapolates the totals of all components; nonzero if all are as exact as they are to be. */
static int extrapolate(integral *q, int m, const estimate *e) {
  int good = 1;
  for (int k = 0; k < m; k++) {
    component *c = q->part + k;
    double error;
    c->extrapolated = e->total[k] + clusters_beyond(q->w->open, k, &error);
    error += c->accepted.error + 10 * DBL_EPSILON * fabs(c->extrapolated);
    if (error < c->best_error) {
      c->best_error = error;
      c->best = c->extrapolated;
    } else if (fabs(c->best - c->extrapolated) > c->best_error + error) {
      c->best_error = fabs(c->best - c->extrapolated);
    }
    if (!(error <= e->tolerance[k]) && !(e->error[k] <= e->tolerance[k])) good = 0;
  }
  return good;
}

/* Why an integral whose panels are all accepted, or may not be halved any more, misses its tolerance. */
static int failure_of(const integral *q, int m, const estimate *e) {
  int rounding = 1;
  for (int k = 0; k < m; k++)
    if (!(e->error[k] <= e->tolerance[k]) && !(e->error[k] <= 2 * e->floor[k])) rounding = 0;
  if (rounding) return QUAD_ROUNDOFF;
  return q->round >= 20 && !has_fallen(q, 10, 0.9) ? QUAD_DIVERGENT : QUAD_BEHAVIOUR;
}

/* Are many of the panels to come on the way to infinity, as those of sin(x)/x are? Of a single tail they are few. */
static int seems_to_oscillate(const integral_work *w, const integral *q, int64_t before) {
  int64_t far = 0;
  if (!w->o->give_up || q->round < MIN_ROUNDS || w->next.n - before < MANY_FAR) return 0;
  for (int64_t i = before; i < w->next.n; i++) far += w->next.kind[i] != 0;
  return 4 * far >= w->next.n - before;
}

status integral_judge(integral_work *w, integral *q, const panel_round *p) {
  const int64_t before = w->next.n;
  const int32_t panels = q->accepted + (int32_t)p->panel.n;
  estimate e;
  status st = q->w ? STATUS_OK : take_workspace(w, q);
  int64_t halved = 0;
  int code = QUAD_OK;
  if (st) return st;
  q->evaluations += (double)p->panel.n * NODES;
  round_add_rounding(p);
  round_estimate(p, q->part, w->o, shift_of(w, q), &e);
  if (e.too_bad) {
    end_with(w, q, &e, QUAD_NOT_FINITE, panels);
    return STATUS_OK;
  }
  if (e.worst == 0) return finish(w, q, p, &e, panels, 0);
  q->w->history[q->round] = e.worst;
  st = refine(w, q, p, &e, &halved);
  if (e.bad) clusters_forget(q->w->open);
  else if (!st) st = clusters_update(&q->w->open, p);
  if (st) return st;
  const int64_t left = w->next.n - before;
  if (!left) {
    code = failure_of(q, w->m, &e);
    if (code != QUAD_ROUNDOFF && !q->narrow && q->restarts < RESTARTS) return restart(w, q, &e);
  } else if (q->accepted + left > w->o->subdivisions || !halved) {
    code = QUAD_SUBDIVISIONS;
  } else if (q->round + 1 == MAX_ROUNDS) {
    code = failure_of(q, w->m, &e);
  } else if (seems_to_oscillate(w, q, before)) {
    code = QUAD_OSCILLATES;
  }
  if (left <= 2 * FEW && q->round >= FIRST_EXTRAPOLATION && !e.bad && has_fallen(q, 4, 0.99) &&
      extrapolate(q, w->m, &e)) {
    st = finish(w, q, p, &e, panels, 1);
    if (!q->w) w->next.n = before;
  } else if (code) {
    w->next.n = before;
    end_with(w, q, &e, code, panels);
  } else {
    q->round++;
  }
  return st;
}
