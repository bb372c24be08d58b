/* quadrature_adaptive.c: breadth-first Gauss-Kronrod quadrature. Each round computes the panels of all integrals that
 * are not done in one launch, then for each integral accepts panels, ends it, or halves what is left.
 *
 * With the sum E of error estimates and the tolerance t of the integral as it is known so far, an integral is done
 * when E <= t. Else those of the n panels of the round are accepted whose error is at most (t - e)/(2 n), e being the
 * error of those accepted before: what is left of the tolerance is shared by panels and not by length, so that a
 * singularity, where ever fewer panels are left, does not have to meet ever smaller shares. Panels of which the error
 * is rounding are accepted too.
 *
 * Where few panels are left round after round, there are singularities, and the integrals next to each of them
 * converge like sums of powers: Wynn's epsilon algorithm extrapolates them (P. Wynn, On a device for computing the
 * e_m(S_n) transformation, MTAC 10, 1956), as QUADPACK's qags does with the totals of its own sequence of bisections
 * (R. Piessens et al., QUADPACK, 1983); see quadrature_cluster.c. It would do so with divergent ones: E must fall.
 *
 * Before an integral is done its panels are laid side by side (quadrature_border.c), and those that do not fit by
 * more than the tolerance allows are taken back and cut, into pieces that become narrower and narrower towards that
 * border. */
#include "quadrature/quadrature_adaptive.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/quadrature/quadrature.h"
#include "quadrature/quadrature_border.h"
#include "quadrature/quadrature_cluster.h"
#include "quadrature/quadrature_panels.h"
#include "engine/devices.h"
#include "engine/threads.h"

/* What the host has to do with a panel, on one thread: in the batch of bench/quadrature.R some 80 ns. */
static const double ns_per_panel = 80;

enum {
  ROWS_AT_ONCE = 16384,     /* integrals that are begun together at most */
  ROWS_OF_THREAD = 512,     /* the same where only the CPU computes, for each of its threads */
  PANELS_AT_ONCE = 1 << 18, /* of a launch, unless one integral has more */
  PARAMETERS_AT_ONCE = 1 << 24, /* given and derived */
  MAX_ROUNDS = 100,
  SHARES = 4,               /* per thread, so that one that comes late takes less */
  LITTLE = 2,               /* panels towards infinity, where break points are known to leave nothing */
  FEW = 8,                  /* panels of a round that tell a singularity */
  FIRST_EXTRAPOLATION = 4,
  MIN_ROUNDS = 5, MANY_FAR = 24, /* rounds, and panels after them that tell oscillation */
  BAD_TWICE = 3,            /* a panel with a value that is not finite is halved twice, then reported */
  RESTARTS = 2,
  REPAIRS = 8,              /* times that panels are taken back */
  FAR_OUT = 10,             /* halvings of a panel towards infinity with values that are not finite */
  ROOM_KEPT = 256,          /* finished panels whose memory the next integral takes over */
  NODE_NOISE = 8,
  LOST = 512                /* rounding errors of x: a panel so narrow with a value that is not finite is given up */
};

typedef struct {
  double sum, lo;  /* of accepted panels: value, and what rounding took from it */
  double error, floor, lost; /* lost: error of panels that were given up */
  double size, ends; /* of accepted panels: sizes of their values, and what rounding of their ends may be */
  double tolerance; /* of an earlier start, or infinite */
  double extrapolated, best, best_error;
} component;

/* What an integral that is not trivial needs, and passes on to others when it is done. */
typedef struct workspace {
  laid_panels finished;       /* accepted ones */
  double history[MAX_ROUNDS]; /* by round, the largest share of tolerance that E takes */
  clusters *open;
  struct workspace *next;
} workspace;

typedef struct {
  int64_t number;
  double sign, lower, upper, evaluations;
  int32_t accepted, round, restarts;
  int32_t repairs;
  int narrow;   /* a panel could not be halved any more */
  workspace *w; /* from its first round to its end */
} integral;

/* What comes of one of the shares that threads take; next: panels to come, at: their position among those of all. */
typedef struct {
  panel_list next;
  int64_t done, at;
  status st;
} thread_share;

typedef struct job job;
typedef status share_work(job *own, int64_t from, int64_t to);
struct job {
  integrand *f;
  const quadrature_options *o;
  quadrature_result *r;
  int64_t n; /* integrals in all */
  call_part whole;
  int m;     /* components */
  column lower, upper;
  panel_list now, next;
  workspace **spare; /* of all threads */
  double *values; /* of the panels of a launch: PANEL_RESULTS columns for each component */
  unsigned char *taken; /* panels of a launch that are accepted */
  int64_t values_room;
  integral *row;
  component *part; /* of row i: m i, ... */
  int64_t first, n_row, done;
  thread_share *shares;
  int most_threads, n_share; /* each an equal part of so many: */
  int64_t n_shared;
  share_work *work;
};

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const double *breaks_of(const job *j, const integral *q) {
  return j->o->by_row && j->o->n_break ? j->o->breaks + q->number * j->o->n_break : j->o->breaks;
}

/* Break points within the limits, in order; cut has room for n_break. */
static int64_t cuts_of(const job *j, const integral *q, double *cut) {
  const double *from = breaks_of(j, q);
  int64_t n = 0, kept = 0;
  for (int64_t i = 0; i < j->o->n_break; i++)
    if (from[i] > q->lower && from[i] < q->upper) cut[n++] = from[i];
  qsort(cut, (size_t)n, sizeof *cut, ascending);
  for (int64_t i = 0; i < n; i++)
    if (!kept || cut[i] != cut[kept - 1]) cut[kept++] = cut[i];
  return kept;
}

/* First panels of an integral: between its ends and break points. */
static status begin(job *j, int64_t row, panel_list *a) {
  const integral *q = j->row + row;
  double few[16], *cut = j->o->n_break + 3 <= 16 ? few : malloc(((size_t)j->o->n_break + 3) * sizeof *cut);
  const int whole_line = isinf(q->lower) && isinf(q->upper);
  /* of two half-lines three quarters each: more of them find more peaks */
  const int32_t on_half_line = j->o->shift   ? LITTLE
                               : whole_line ? (int32_t)((3 * (int64_t)j->o->min_panels + 3) / 4)
                                            : j->o->min_panels;
  status st;
  if (!cut) return fail(STATUS_MEMORY, "out of memory for break points");
  int64_t n = cuts_of(j, q, cut + 1);
  if (!n && whole_line) cut[++n] = 0;
  cut[0] = q->lower;
  cut[n + 1] = q->upper;
  const int64_t pieces = n + 1;
  const int32_t panels = (int32_t)((j->o->min_panels + pieces - 1) / pieces);
  st = panels_room(a, a->n + pieces * ((int64_t)panels + 2) + 2 * (int64_t)(j->o->min_panels + HALF_LINE));
  for (int64_t k = 0; k < pieces && !st; k++) {
    if (isinf(cut[k]))
      panels_add_half_line(a, -1, cut[k + 1], (double)row, on_half_line);
    else if (isinf(cut[k + 1]))
      panels_add_half_line(a, 1, cut[k], (double)row, on_half_line);
    else
      panels_add_piece(a, cut[k], cut[k + 1], 0, 0, (double)row, panels);
  }
  if (cut != few) free(cut);
  return st;
}

/* No panels yet, and no limits. */
static void reset_row(job *j, int64_t row) {
  integral *q = j->row + row;
  for (int k = 0; k < j->m; k++) {
    component *c = j->part + row * j->m + k;
    c->sum = c->lo = c->floor = c->size = c->ends = 0;
    c->error = c->lost;
    c->extrapolated = c->best_error = INFINITY;
  }
  q->accepted = q->round = q->narrow = 0;
  if (q->w) q->w->finished.n = 0;
}

/* Threads take and give back from one list: where each has its own, the last rounds, for which one thread is enough,
 * gather all that others have made. */
static status take_workspace(job *j, integral *q) {
  threads_lock();
  q->w = *j->spare;
  if (q->w) *j->spare = q->w->next;
  threads_unlock();
  if (!q->w) q->w = calloc(1, sizeof *q->w);
  if (!q->w) return fail(STATUS_MEMORY, "out of memory for integrals");
  clusters_forget(q->w->open);
  q->w->finished.n = 0;
  return STATUS_OK;
}

static void give_back_workspace(job *j, integral *q) {
  workspace *w = q->w;
  if (!w) return;
  if (w->finished.room > ROOM_KEPT) {
    free(w->finished.memory);
    w->finished = (laid_panels){0};
  }
  threads_lock();
  w->next = *j->spare;
  *j->spare = w;
  threads_unlock();
  q->w = NULL;
}

static void free_workspaces(workspace *w) {
  while (w) {
    workspace *next = w->next;
    free(w->finished.memory);
    free(w->open);
    free(w);
    w = next;
  }
}

static void store(job *j, int64_t number, int k, double value, double error) {
  j->r->value[number * j->m + k] = value;
  j->r->error[number * j->m + k] = error;
}

static void end_row(job *j, integral *q, int code, int32_t panels) {
  j->r->code[q->number] = code;
  j->r->subdivisions[q->number] = panels;
  j->r->evaluations[q->number] = q->evaluations;
  give_back_workspace(j, q);
  j->done++;
}

/* Integrals that need no evaluation; nonzero if this is one. */
static int trivial(job *j, integral *q, double lower, double upper) {
  const int invalid = isnan(lower) || isnan(upper) || (j->o->shift && lower > upper);
  q->sign = lower <= upper ? 1 : -1;
  q->lower = lower <= upper ? lower : upper;
  q->upper = lower <= upper ? upper : lower;
  if (!invalid && lower != upper) return 0;
  for (int k = 0; k < j->m; k++)
    store(j, q->number, k, invalid ? NAN : j->o->shift ? -INFINITY : 0, invalid ? NAN : 0);
  end_row(j, q, invalid ? QUAD_INVALID : QUAD_OK, 0);
  return 1;
}

static double low_part(double a, double b, double sum) {
  const double v = sum - a;
  return (a - (sum - v)) + (b - v);
}

static void add_to(double *sum, double *lo, double x) {
  const double s = *sum + x;
  *lo += low_part(*sum, x, s);
  *sum = s;
}

/* What a round tells of an integral: of each component the total of all panels, their error, and the part of it that
 * is rounding; the largest ratio of error and tolerance; are there panels whose values are not finite, and is one of
 * them, around where, not to be halved any more, or the total not finite? */
typedef struct {
  double total[MAX_OUTPUTS], error[MAX_OUTPUTS], floor[MAX_OUTPUTS], tolerance[MAX_OUTPUTS];
  double worst, where;
  int bad, too_bad;
} look;

/* Result k of component c, of the panels of the launch from first on. */
static const double *results(const job *j, int64_t first, int c, int k) {
  return j->values + (size_t)(PANEL_RESULTS * c + k) * (size_t)j->values_room + first;
}

static int is_bad(const job *j, int64_t first, int64_t i) {
  for (int k = 0; k < j->m; k++)
    if (isnan(results(j, first, k, PANEL_VALUE)[i])) return 1;
  return 0;
}

/* Is this the far end of a half-line, not finite beyond where f has become too small to count? */
static int is_tail(const job *j, int64_t first, int64_t n, int64_t i, const look *l) {
  const panel_list *a = &j->now;
  const int64_t at = first + i, next = a->kind[at] > 0 ? i - 1 : i + 1; /* on the way back from infinity */
  if (a->kind[at] == 0 || a->centre[at] - a->half[at] > 0.5 * a->half[at] || a->bad[at] + 1 < BAD_TWICE) return 0;
  if (next < 0 || next >= n || !panels_adjoin(a, at, first + next) || is_bad(j, first, next)) return 0;
  for (int k = 0; k < j->m; k++) {
    const double value = results(j, first, k, PANEL_VALUE)[next], error = results(j, first, k, PANEL_ERROR)[next];
    if (!(fabs(value) + error <= 1e-6 * l->tolerance[k])) return 0;
  }
  return 1;
}

/* Has it no room for its nodes? They must not become the ends of the range. */
static int is_narrow(const panel_list *a, int64_t i, const integral *q) {
  const double low = a->centre[i] - a->half[i], high = a->centre[i] + a->half[i];
  const int at_end = a->kind[i] == 0 && (low <= q->lower || high >= q->upper);
  return a->half[i] <= (at_end ? 128 : 4) * DBL_EPSILON * fabs(a->centre[i]);
}

/* The good neighbour of a panel that has met a singularity and is too narrow to be halved; n if it is no such
 * panel. */
static int64_t neighbour_of_lost(const job *j, int64_t first, int64_t n, int64_t i) {
  const panel_list *a = &j->now;
  if (!is_bad(j, first, i) || a->half[first + i] > LOST * DBL_EPSILON * fabs(a->centre[first + i])) return n;
  for (int side = -1; side <= 1; side += 2) {
    const int64_t k = i + side;
    if (k >= 0 && k < n && a->half[first + k] == a->half[first + i] && panels_adjoin(a, first + k, first + i) &&
        !is_bad(j, first, k))
      return k;
  }
  return n;
}

/* What the integral over a lost panel may be, of component k. */
static double lost_error(const job *j, int64_t first, int64_t neighbour, int k) {
  return 10 * fabs(results(j, first, k, PANEL_VALUE)[neighbour]);
}

static void look_for_bad(const job *j, int64_t first, int64_t n, look *l) {
  for (int64_t i = 0; i < n; i++) {
    const int limit = j->now.kind[first + i] != 0 && j->now.centre[first + i] <= 1.5 * j->now.half[first + i]
                          ? FAR_OUT
                          : BAD_TWICE;
    if (!is_bad(j, first, i) || is_tail(j, first, n, i, l) || neighbour_of_lost(j, first, n, i) < n) continue;
    l->bad = 1;
    if (j->now.bad[first + i] + 1 < limit || l->too_bad) continue;
    l->too_bad = 1;
    for (int k = 0; k < j->m; k++)
      if (isnan(results(j, first, k, PANEL_VALUE)[i])) l->where = results(j, first, k, PANEL_FLOOR)[i];
  }
}

/* Of what is integrated, if its logarithm is given. */
static double rounding_of_log(const job *j, int64_t row, int k) {
  return j->o->shift ? 10 * DBL_EPSILON * fabs(j->o->shift[j->row[row].number * j->m + k]) : 0;
}

/* An end of a panel is off by half a unit of its last digit at most. */
static double rounding_of_ends(double centre, double half, double value) {
  return 0.5 * DBL_EPSILON * fabs(centre / half * value);
}

/* Ends and nodes are rounded: of narrow panels far from 0 it may be more than the rest. No rule sees what it does to
 * the ends: the share is what peaks of all widths and places show. In values at nodes it is noise, of which null
 * rules make up to NODE_NOISE times what it does to the integral. */
static void add_rounding(job *j, int64_t first, int64_t n) {
  const panel_list *a = &j->now;
  for (int k = 0; k < j->m; k++) {
    double *of = j->values + (size_t)(PANEL_RESULTS * k) * (size_t)j->values_room + first;
    double *error = of + PANEL_ERROR * j->values_room, *floor = of + PANEL_FLOOR * j->values_room;
    for (int64_t i = 0; i < n; i++) {
      const double ends = rounding_of_ends(a->centre[first + i], a->half[first + i], of[i]);
      if (!(ends <= floor[i])) floor[i] += isnan(ends) ? 0 : ends;
      if (error[i] < 0.3 * ends) error[i] = 0.3 * ends;
      if (error[i] > ends && error[i] < NODE_NOISE * ends) error[i] = ends;
    }
  }
}

static void look_at(const job *j, int64_t row, int64_t first, int64_t n, look *l) {
  int some_bad = 0, overflow = 0;
  l->worst = 0;
  l->bad = l->too_bad = 0;
  l->where = NAN;
  for (int k = 0; k < j->m; k++) {
    const component *c = j->part + row * j->m + k;
    const double *value = results(j, first, k, PANEL_VALUE), *error = results(j, first, k, PANEL_ERROR);
    const double *floor = results(j, first, k, PANEL_FLOOR);
    double sum = c->sum, lo = c->lo, e = c->error, f = c->floor, size = c->size, ends = c->ends;
    for (int64_t i = 0; i < n; i++) {
      if (isnan(value[i])) {
        const int64_t neighbour = neighbour_of_lost(j, first, n, i);
        if (neighbour < n) e += lost_error(j, first, neighbour, k);
        some_bad = 1;
        continue;
      }
      add_to(&sum, &lo, value[i]);
      e += error[i];
      f += floor[i];
      size += fabs(value[i]);
      ends += rounding_of_ends(j->now.centre[first + i], j->now.half[first + i], value[i]);
    }
    l->total[k] = sum + lo;
    if (!isfinite(l->total[k]) || !isfinite(e)) overflow = 1;
    l->error[k] = e;
    l->floor[k] = f;
    double t = fmax(j->o->rel, rounding_of_log(j, row, k)) * fabs(l->total[k]);
    if (t < j->o->abs) t = j->o->abs;
    if (t > c->tolerance) t = c->tolerance;
    /* a total that rounding hides is 0 as far as one can see, unless it hides most of what there is, as next to a
     * pole */
    if (fabs(l->total[k]) <= 4 * f && t < 4 * f && (ends <= 1e-3 * size || 2 * ends <= f)) t = 4 * f;
    l->tolerance[k] = t;
    if (!(e <= t)) {
      const double ratio = t > 0 ? e / t : INFINITY;
      if (!(ratio <= l->worst)) l->worst = ratio;
    }
  }
  if (some_bad) look_for_bad(j, first, n, l);
  if (overflow) l->bad = l->too_bad = 1;
  if (l->bad) l->worst = INFINITY;
}

static int is_done(const job *j, const look *l) {
  if (l->bad) return 0;
  for (int k = 0; k < j->m; k++)
    if (!(l->error[k] <= l->tolerance[k])) return 0;
  return 1;
}

static void end_with(job *j, int64_t row, const look *l, int code, int32_t panels) {
  integral *q = j->row + row;
  int zero = 1;
  /* radii are denormal, and have lost their digits */
  if (code == QUAD_OK && q->upper - q->lower < 2 * DBL_MIN * j->o->min_panels) {
    code = QUAD_ROUNDOFF;
    zero = 0;
  }
  for (int k = 0; k < j->m; k++) {
    const component *c = j->part + row * j->m + k;
    const int extrapolated = c->best_error < l->error[k];
    const double value = extrapolated ? c->best : l->total[k];
    /* what failed is not known better than two ways to it agree */
    const double apart = code && isfinite(c->extrapolated) ? fabs(l->total[k] - c->extrapolated) : 0;
    const double known = extrapolated ? (code ? 10 : 1) * c->best_error : fmax(l->error[k], apart);
    const double error = code == QUAD_DIVERGENT ? INFINITY : known;
    if (fabs(value) + error >= DBL_MIN) zero = 0;
    if (code == QUAD_NOT_FINITE)
      store(j, q->number, k, NAN, INFINITY);
    else if (j->o->shift)
      store(j, q->number, k, j->o->shift[q->number * j->m + k] + log(value), error > 0 ? error / value : 0);
    else
      store(j, q->number, k, q->sign * value, error);
  }
  if ((code == QUAD_OK || code == QUAD_ROUNDOFF) && zero) code = QUAD_ZERO;
  if (code == QUAD_NOT_FINITE) j->r->where[q->number] = l->where;
  end_row(j, q, code, panels);
}

/* Has the error fallen over so many rounds by this factor? */
static int has_fallen(const integral *q, int rounds, double factor) {
  const double *history = q->w->history;
  return q->round >= rounds && history[q->round] < factor * history[q->round - rounds];
}

/* Extrapolates the totals of all components; nonzero if all are as exact as they are to be. */
static int extrapolate(job *j, int64_t row, const look *l) {
  integral *q = j->row + row;
  int good = 1;
  for (int k = 0; k < j->m; k++) {
    component *c = j->part + row * j->m + k;
    double error;
    c->extrapolated = l->total[k] + clusters_beyond(q->w->open, k, &error);
    error += c->error + 10 * DBL_EPSILON * fabs(c->extrapolated);
    if (error < c->best_error) {
      c->best_error = error;
      c->best = c->extrapolated;
    } else if (fabs(c->best - c->extrapolated) > c->best_error + error) {
      c->best_error = fabs(c->best - c->extrapolated);
    }
    if (!(error <= l->tolerance[k]) && !(l->error[k] <= l->tolerance[k])) good = 0;
  }
  return good;
}

/* Why an integral whose panels are all accepted, or may not be halved any more, misses its tolerance. */
static int failure_of(const job *j, const integral *q, const look *l) {
  int rounding = 1;
  for (int k = 0; k < j->m; k++)
    if (!(l->error[k] <= l->tolerance[k]) && !(l->error[k] <= 2 * l->floor[k])) rounding = 0;
  if (rounding) return QUAD_ROUNDOFF;
  if (q->round >= 20 && !has_fallen(q, 10, 0.9)) return QUAD_DIVERGENT;
  return QUAD_BEHAVIOUR;
}

/* What panels may be accepted with, of component k, n panels sharing what is left. */
static double allowance(const job *j, int64_t row, int64_t n, const look *l, int k) {
  return (l->tolerance[k] - j->part[row * j->m + k].error) / (2.0 * (double)n);
}

static int is_acceptable(const job *j, int64_t row, int64_t first, int64_t n, int64_t i, const look *l) {
  for (int k = 0; k < j->m; k++) {
    const double error = results(j, first, k, PANEL_ERROR)[i], floor = results(j, first, k, PANEL_FLOOR)[i];
    if (!(error <= allowance(j, row, n, l, k)) && !(error <= 1.01 * floor)) return 0;
  }
  return 1;
}

/* A finished panel counts. */
static void count(job *j, int64_t row, const laid_panel *p) {
  for (int k = 0; k < j->m; k++) {
    component *c = j->part + row * j->m + k;
    add_to(&c->sum, &c->lo, p->of[k].value);
    c->error += p->of[k].error;
    c->floor += p->of[k].floor;
    c->size += fabs(p->of[k].value);
    c->ends += rounding_of_ends(p->centre, p->half, p->of[k].value);
  }
  j->row[row].accepted++;
}

/* Panel i of the round; there is room. */
static void lay(job *j, integral *q, int64_t first, int64_t i, int is_open) {
  laid_add(&q->w->finished, j->m, &j->now, first + i, results(j, first + i, 0, 0), j->values_room, is_open);
}

static void accept(job *j, int64_t row, int64_t first, int64_t i) {
  integral *q = j->row + row;
  lay(j, q, first, i, 0);
  count(j, row, laid_at(&q->w->finished, j->m, q->w->finished.n - 1));
}

/* The largest error of a panel in units of the tolerance. */
static double weight_of(const job *j, int64_t first, int64_t i, const look *l) {
  double most = 0;
  for (int k = 0; k < j->m; k++) {
    const double w = results(j, first, k, PANEL_ERROR)[i] / l->tolerance[k];
    if (!(w <= most)) most = w;
  }
  return most;
}

static int descending(const void *a, const void *b) { return ascending(b, a); }

/* Where there is no room to halve all that are not accepted: the least error of those that are halved. */
static status least_to_halve(const job *j, int64_t row, int64_t first, int64_t n, const look *l, double *least) {
  const int64_t most = j->o->subdivisions - j->row[row].accepted - n;
  int64_t left = 0;
  *least = 0;
  if (n <= most) return STATUS_OK;
  double *weight = malloc((size_t)n * sizeof *weight);
  if (!weight) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)n);
  for (int64_t i = 0; i < n; i++)
    if (!is_bad(j, first, i) && !is_acceptable(j, row, first, n, i, l)) weight[left++] = weight_of(j, first, i, l);
  qsort(weight, (size_t)left, sizeof *weight, descending);
  if (most > 0 && left > most) *least = weight[most - 1];
  free(weight);
  return STATUS_OK;
}

/* A panel that is given up has an error that its neighbour's value tells, or its own where it is merely too
 * narrow. */
static void lose(job *j, int64_t row, int64_t first, int64_t teller) {
  for (int k = 0; k < j->m; k++) {
    component *c = j->part + row * j->m + k;
    const double error = lost_error(j, first, teller, k);
    c->lost += error;
    c->error += error;
  }
  j->row[row].narrow = 1;
}

/* Accepts panels, to halve the others in next: so many. */
static status refine(job *j, int64_t row, int64_t first, int64_t n, const look *l, int64_t *halved) {
  integral *q = j->row + row;
  panel_list *to = &j->next;
  double least;
  status st = panels_room(to, to->n + 2 * n);
  if (!st) st = laid_room(&q->w->finished, j->m, q->w->finished.n + n);
  if (!st) st = least_to_halve(j, row, first, n, l, &least);
  if (st) return st;
  for (int64_t i = 0; i < n; i++) {
    const int bad = is_bad(j, first, i), narrow = !bad && is_narrow(&j->now, first + i, q);
    const int good = !bad && is_acceptable(j, row, first, n, i, l);
    j->taken[first + i] = (unsigned char)(good || narrow);
    if (bad && is_tail(j, first, n, i, l)) continue;
    if (bad && neighbour_of_lost(j, first, n, i) < n) {
      lose(j, row, first, neighbour_of_lost(j, first, n, i));
    } else if (good || narrow) {
      accept(j, row, first, i);
      if (!good) lose(j, row, first, i);
    } else if (!bad && weight_of(j, first, i, l) < least) {
      panels_copy(to, &j->now, first + i);
    } else {
      panels_split(to, &j->now, first + i, bad ? j->now.bad[first + i] + 1 : 0);
      ++*halved;
    }
  }
  return STATUS_OK;
}

/* Takes back the panels of a finished integral that do not fit, unless there are too many of their pieces. */
static status repair(job *j, int64_t row, const border_terms *t, double share, int *crowded) {
  integral *q = j->row + row;
  const int64_t before = j->next.n;
  const status st = borders_cut(&q->w->finished, t, share, &j->next, (double)row);
  if (st || j->next.n == before) return st;
  laid_drop_open(&q->w->finished, j->m);
  const int32_t kept = q->w->finished.n;
  *crowded = kept + (j->next.n - before) > j->o->subdivisions;
  if (*crowded) {
    j->next.n = before;
    return STATUS_OK;
  }
  reset_row(j, row); /* limits of totals that lacked what was hidden are none */
  q->w->finished.n = kept;
  for (int32_t i = 0; i < kept; i++) count(j, row, laid_at(&q->w->finished, j->m, i));
  return STATUS_OK;
}

/* Ends an integral that is as exact as it should be, unless its panels do not fit. Those of the round have been
 * accepted or are to be halved where it is extrapolated, and are all finished else. */
static status finish(job *j, int64_t row, int64_t first, int64_t n, look *l, int32_t panels, int extrapolated) {
  integral *q = j->row + row;
  const border_terms t = {j->m, l->tolerance, breaks_of(j, q), j->o->n_break};
  const int64_t before = j->next.n;
  double hidden[MAX_OUTPUTS];
  status st = laid_room(&q->w->finished, j->m, q->w->finished.n + n);
  int good = 1, crowded = panels >= j->o->subdivisions;
  if (st) return st;
  for (int64_t i = 0; i < n; i++)
    if (!is_bad(j, first, i) && !(extrapolated && j->taken[first + i])) lay(j, q, first, i, extrapolated);
  laid_sort(&q->w->finished, j->m);
  const double share = borders_look(&q->w->finished, &t, hidden);
  for (int k = 0; k < j->m; k++)
    if (!(hidden[k] <= 0.1 * l->tolerance[k])) good = 0;
  if (!good && q->repairs < REPAIRS && panels < j->o->subdivisions) {
    q->repairs++;
    if (!extrapolated) {
      clusters_forget(q->w->open);
      for (int64_t i = 0; i < n; i++)
        if (neighbour_of_lost(j, first, n, i) < n) lose(j, row, first, neighbour_of_lost(j, first, n, i));
    }
    st = repair(j, row, &t, share, &crowded);
    if (st || j->next.n > before) return st;
  }
  for (int k = 0; k < j->m; k++) {
    component *c = j->part + row * j->m + k;
    if (!extrapolated) c->best_error = INFINITY;
    c->best_error += hidden[k];
    l->error[k] += hidden[k];
  }
  end_with(j, row, l, good ? QUAD_OK : crowded ? QUAD_SUBDIVISIONS : QUAD_BEHAVIOUR, panels);
  return STATUS_OK;
}

/* Panels were accepted for a tolerance that has turned out too large: once more, from the beginning. */
static status restart(job *j, int64_t row, const look *l) {
  for (int k = 0; k < j->m; k++) {
    component *c = j->part + row * j->m + k;
    c->tolerance = 0.5 * l->tolerance[k];
    c->lost = 0;
  }
  reset_row(j, row);
  clusters_forget(j->row[row].w->open);
  j->row[row].restarts++;
  return begin(j, row, &j->next);
}

/* Are many of the panels to come on the way to infinity, as those of sin(x)/x are? Of a single tail they are few. */
static int seems_to_oscillate(const job *j, const integral *q, int64_t before) {
  int64_t far = 0;
  if (!j->o->give_up || q->round < MIN_ROUNDS || j->next.n - before < MANY_FAR) return 0;
  for (int64_t i = before; i < j->next.n; i++) far += j->next.kind[i] != 0;
  return 4 * far >= j->next.n - before;
}

static status judge(job *j, int64_t row, int64_t first, int64_t n) {
  integral *q = j->row + row;
  const int64_t before = j->next.n;
  const int32_t panels = q->accepted + (int32_t)n;
  const double *value[MAX_OUTPUTS], *error[MAX_OUTPUTS];
  look l;
  status st = q->w ? STATUS_OK : take_workspace(j, q);
  int64_t halved = 0;
  int code = QUAD_OK;
  if (st) return st;
  q->evaluations += (double)n * NODES;
  add_rounding(j, first, n);
  look_at(j, row, first, n, &l);
  if (l.too_bad) {
    end_with(j, row, &l, QUAD_NOT_FINITE, panels);
    return STATUS_OK;
  }
  if (is_done(j, &l)) return finish(j, row, first, n, &l, panels, 0);
  q->w->history[q->round] = l.worst;
  st = refine(j, row, first, n, &l, &halved);
  for (int k = 0; k < j->m; k++) {
    value[k] = results(j, first, k, PANEL_VALUE);
    error[k] = results(j, first, k, PANEL_ERROR);
  }
  if (l.bad)
    clusters_forget(q->w->open);
  else if (!st)
    st = clusters_update(&q->w->open, j->m, &j->now, first, n, j->taken, value, error);
  if (st) return st;
  const int64_t left = j->next.n - before;
  if (!left) {
    code = failure_of(j, q, &l);
    if (code != QUAD_ROUNDOFF && !q->narrow && q->restarts < RESTARTS) return restart(j, row, &l);
  } else if (q->accepted + left > j->o->subdivisions || !halved) {
    code = QUAD_SUBDIVISIONS;
  } else if (q->round + 1 == MAX_ROUNDS) {
    code = failure_of(j, q, &l);
  } else if (seems_to_oscillate(j, q, before)) {
    code = QUAD_OSCILLATES;
  }
  if (left <= 2 * FEW && q->round >= FIRST_EXTRAPOLATION && !l.bad && has_fallen(q, 4, 0.99) &&
      extrapolate(j, row, &l)) {
    st = finish(j, row, first, n, &l, panels, 1);
    if (!q->w) j->next.n = before;
  } else if (code) {
    j->next.n = before;
    end_with(j, row, &l, code, panels);
  } else {
    q->round++;
  }
  return st;
}

/* Panels of the next launch: those of whole integrals, as many as there is room for. */
static int64_t launch_size(const job *j) {
  const panel_list *a = &j->now;
  int64_t n = a->n;
  if (n <= PANELS_AT_ONCE) return n;
  n = PANELS_AT_ONCE;
  while (n > 0 && a->row[n] == a->row[n - 1]) n--;
  if (n > 0) return n;
  for (n = 1; n < a->n && a->row[n] == a->row[0]; n++) continue;
  return n;
}

static status launch(job *j, int64_t n) {
  const panel_list *a = &j->now;
  const panel_columns c = {{a->centre, n}, {a->half, n}, {a->kind, n}, {a->anchor, n}, {a->rough, n}, {a->row, n}};
  double *out[PANEL_RESULTS * MAX_OUTPUTS];
  if (n > j->values_room) {
    double *larger = realloc(j->values, (size_t)n * PANEL_RESULTS * (size_t)j->m * sizeof *larger);
    unsigned char *marks = realloc(j->taken, (size_t)n);
    if (larger) j->values = larger;
    if (marks) j->taken = marks;
    if (!larger || !marks) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)n);
    j->values_room = n;
  }
  for (int k = 0; k < PANEL_RESULTS * j->m; k++) out[k] = j->values + (size_t)k * (size_t)j->values_room;
  return integrand_panels(j->f, n, c, out);
}

static int work_on_share(void *context, int64_t k, int thread) {
  const job *j = context;
  thread_share *mine = j->shares + k;
  job own = *j;
  (void)thread;
  own.next = mine->next;
  own.next.n = 0;
  own.done = 0;
  mine->st = j->work(&own, j->n_shared * k / j->n_share, j->n_shared * (k + 1) / j->n_share);
  mine->next = own.next;
  mine->done = own.done;
  return 1;
}

static int gather_share(void *context, int64_t k, int thread) {
  job *j = context;
  (void)thread;
  panels_put(&j->next, j->shares[k].at, &j->shares[k].next, 0);
  return 1;
}

/* Does work with 0 to n - 1 on as many threads as so many panels are worth, the panels to come in next in order,
 * with room for more of them. */
static status share_out(job *j, int64_t n, double panels, int64_t more, share_work *work) {
  status st = STATUS_OK;
  int64_t to_come = 0;
  int threads = threads_for(ns_per_panel * panels);
  if (threads > j->most_threads) threads = j->most_threads; /* R code may run meanwhile, and change the threads */
  j->n_share = threads > 1 ? SHARES * threads : 1;
  j->n_shared = n;
  j->work = work;
  threads_run(threads, j->n_share, work_on_share, j);
  for (int k = 0; k < j->n_share; k++) {
    if (!st) st = j->shares[k].st;
    j->shares[k].at = to_come;
    to_come += j->shares[k].next.n;
    j->done += j->shares[k].done;
  }
  if (!st) st = panels_room(&j->next, to_come + more);
  if (st) return st;
  j->next.n = to_come;
  threads_run(threads, j->n_share, gather_share, j);
  return STATUS_OK;
}

/* The first panel from i on that is the first of its integral, of n. */
static int64_t start_of_row(const panel_list *a, int64_t i, int64_t n) {
  while (i > 0 && i < n && a->row[i] == a->row[i - 1]) i++;
  return i;
}

static status judge_share(job *j, int64_t from, int64_t to) {
  const panel_list *a = &j->now;
  const int64_t n = j->n_shared, last = start_of_row(a, to, n);
  status st = STATUS_OK;
  int64_t i = start_of_row(a, from, n), end;
  for (; i < last && !st; i = end) {
    for (end = i + 1; end < n && a->row[end] == a->row[i]; end++) continue;
    st = judge(j, (int64_t)a->row[i], i, end - i);
  }
  return st;
}

static void swap_lists(job *j) {
  const panel_list swap = j->now;
  j->now = j->next;
  j->next = swap;
}

/* Nobody knows how many rounds an integral takes. */
static void tell_done(const job *j) {
  const double done = j->n > 1 ? (double)j->done / (double)j->n : NAN;
  backend_set_part(j->whole, done, done);
}

static status run_round(job *j) {
  const int64_t n = launch_size(j);
  status st = launch(j, n);
  const int64_t waiting = j->now.n - n;
  if (!st) st = share_out(j, n, (double)n, waiting, judge_share);
  if (!st) panels_put(&j->next, j->next.n, &j->now, n), j->next.n += waiting;
  swap_lists(j);
  tell_done(j);
  return st;
}

static status begin_share(job *j, int64_t from, int64_t to) {
  status st = STATUS_OK;
  for (int64_t i = from; i < to && !st; i++) {
    integral *q = j->row + i;
    memset(q, 0, sizeof *q);
    q->number = j->first + i;
    for (int k = 0; k < j->m; k++) j->part[i * j->m + k] = (component){.tolerance = INFINITY};
    reset_row(j, i);
    j->r->where[q->number] = NAN;
    if (!trivial(j, q, column_at(j->lower, q->number), column_at(j->upper, q->number))) st = begin(j, i, &j->next);
  }
  return st;
}

static status run_rows(job *j, const double *parameters, int32_t n_parameter) {
  status st = integrand_set_rows(j->f, j->n_row, parameters ? parameters + j->first * n_parameter : NULL,
                                 j->o->shift ? j->o->shift + j->first * j->m : NULL);
  memset(j->row, 0, (size_t)j->n_row * sizeof *j->row);
  if (!st) st = share_out(j, j->n_row, (double)j->n_row * j->o->min_panels, 0, begin_share);
  swap_lists(j);
  while (j->now.n && !st) st = run_round(j);
  for (int64_t i = 0; i < j->n_row; i++) give_back_workspace(j, j->row + i); /* after a failure */
  return st;
}

/* On the CPU so few integrals at once that their panels stay in the caches between the kernel and judge(); other
 * devices want long launches. */
static int64_t rows_for_cpu(const job *j) {
  int index[MAX_DEVICES];
  const int count = devices_in_use(index);
  return count > 1 || (count == 1 && index[0] > 0) ? ROWS_AT_ONCE : (int64_t)ROWS_OF_THREAD * j->most_threads;
}

status quadrature_adaptive(const integrand_source *source, int64_t n, const double *parameters, column lower,
                           column upper, const quadrature_options *o, quadrature_result *r) {
  job j = {0};
  workspace *spare = NULL;
  status st = integrand_open(source, &j.f);
  if (st) return st;
  j.lower = lower;
  j.upper = upper;
  j.spare = &spare;
  j.most_threads = threads_available();
  j.o = o;
  j.r = r;
  j.n = n;
  j.whole = backend_part();
  j.m = integrand_n_output(j.f);
  int64_t at_once = 4 * PANELS_AT_ONCE / (2 * (int64_t)o->min_panels + o->n_break + 1);
  if (at_once > ROWS_AT_ONCE / j.m) at_once = ROWS_AT_ONCE / j.m;
  if (at_once > PARAMETERS_AT_ONCE / (integrand_row_size(j.f) + 1))
    at_once = PARAMETERS_AT_ONCE / (integrand_row_size(j.f) + 1);
  if (at_once > rows_for_cpu(&j)) at_once = rows_for_cpu(&j);
  if (at_once < 1) at_once = 1;
  if (at_once > n) at_once = n;
  j.row = calloc((size_t)at_once + 1, sizeof *j.row);
  j.part = calloc((size_t)at_once * (size_t)j.m + 1, sizeof *j.part);
  j.shares = calloc((size_t)j.most_threads * SHARES, sizeof *j.shares);
  if (!j.row || !j.part || !j.shares) st = fail(STATUS_MEMORY, "%s: out of memory", source->name);
  tell_done(&j);
  for (j.first = 0; j.first < n && !st; j.first += j.n_row) {
    j.n_row = n - j.first < at_once ? n - j.first : at_once;
    st = run_rows(&j, parameters, source->n_parameter);
  }
  backend_set_part(j.whole, 0, 1);
  integrand_close(j.f);
  for (int k = 0; j.shares && k < j.most_threads * SHARES; k++) panels_free(&j.shares[k].next);
  panels_free(&j.now);
  panels_free(&j.next);
  free_workspaces(spare);
  free(j.shares);
  free(j.values);
  free(j.taken);
  free(j.row);
  free(j.part);
  return st;
}
