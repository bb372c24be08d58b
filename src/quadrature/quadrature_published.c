/* quadrature_published.c: the algorithms of Kern and Alaghband on parallel block cutting adaptive quadrature
 * ("PBCAQ") and those they compare it with: Simpson's rule as the fine and the trapezoid rule as the coarse estimate
 * of every interval, their distance as its error, shares of the absolute tolerance by length.
 *
 * What their text says
 *   CAQ     Intervals in a queue; one whose error is within its share is accepted, others are halved.
 *   SCAQ    Side cutting: the neighbour of an accepted interval starts with its length.
 *   PBCAQ   The range is a region of blocks x threads equal intervals, evaluated at once. It is accepted when the sum
 *           of their errors is within its share; otherwise its length and tolerance are halved. The next region to
 *           the left of an accepted one starts with double length and tolerance: the expansion step.
 *   PBCAQr  Expands on a coin flip; PBCAQs when errors fall across the region; PBCAQg by log(tolerance/error).
 *   BCAQ    PBCAQ in sequence; PSCAQ side cutting in parallel.
 *
 * What is chosen where they leave rules open is in the help of integrategpu(), and besides:
 *   All     No interval is longer than a part of the range, options.panels: one pair of rules on a long interval
 *           takes a wave that is alike at its three nodes for a constant. When evaluations are used up the rest is
 *           one region or interval (CAQ: those in the queue), whatever its error.
 *   CAQ     The queue is a stack of which up to a batch of intervals is taken at once: each is judged by its own
 *           numbers, so the order changes no count, and the room needed stays small.
 *   SCAQ    From the right, after a look at the left end: a pole there would cost all evaluations before it is seen.
 *           Error/share goes with the square of the length, so that doubling takes an eighth of it to a half.
 *           Intervals of equal length are evaluated ahead, up to an eighth of those that came in a row; what was in
 *           vain counts too.
 *   PBCAQg  As the error of a uniform integrand would allow; at most four times, so that what lies ahead of a part
 *           without error costs no more than four regions in vain.
 */
#include "quadrature/quadrature_published.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/exact_sum.h"

/* Intervals that go to points() at once: CAQ's, SCAQ's, those of a block. */
enum { BATCH = 1024, AHEAD = 2048, PART = 256 };

static const int64_t default_blocks = 2048, default_threads = 256;
static const double expand_within = 0.125; /* of the share */
static const double rounding = 2 * DBL_EPSILON; /* of the largest value: each of three is off by an ulp or so */

typedef struct {
  published_integrand f;
  published_options o;
  double lower, upper, longest; /* interval */
  exact_sum value, error;
  uint64_t coin;
  published_result *result;
} integration;

static double share(const integration *q, double length) { return q->o.tau * (length / (q->upper - q->lower)); }

/* Intervals are not halved below; near 0 of a long range there is an end too. */
static double least_length(const integration *q, double left, double right) {
  return 4 * DBL_EPSILON * fmax(fmax(fabs(left), fabs(right)), DBL_EPSILON * (q->upper - q->lower));
}

static void accept(integration *q, double value, double error) {
  exact_add(&q->value, value);
  exact_add(&q->error, error);
}
static void note(integration *q, int code) {
  if (!q->result->code || code == PUBLISHED_EXHAUSTED) q->result->code = code;
}
static int stopped(const integration *q) { return q->result->code == PUBLISHED_NON_FINITE; }
static void stop_at(integration *q, double x) {
  q->result->code = PUBLISHED_NON_FINITE;
  q->result->bad_x = x;
}
static int affords(const integration *q, int64_t evaluations) {
  return evaluations <= q->o.max_evaluations - q->result->evaluations;
}

static status look(integration *q, int64_t m, const double *x, double *f) {
  q->result->evaluations += m;
  q->result->launches++;
  return q->f.points(q->f.of, m, x, f);
}

static double middle_of(double left, double right) { return left + (right - left) / 2; }

/* Where what starts at right and is so long ends; nothing that is only rounding is left for another one. */
static double left_end(const integration *q, double right, double length) {
  const double left = right - length;
  return left - q->lower > 0x1p-20 * length ? left : q->lower;
}

/* ---- single intervals ---- */

typedef struct {
  double left, right, at_left, at_middle, at_right;
} interval;

enum verdict { REJECTED, ACCEPTED, NOT_FINITE };

static enum verdict judge(integration *q, const interval *i, double *ratio) {
  const double h = i->right - i->left, within = share(q, h);
  const pair p = pair_of(i->at_left, i->at_middle, i->at_right, h);
  const double size = h * fmax(fabs(i->at_left), fmax(fabs(i->at_middle), fabs(i->at_right)));
  if (!isfinite(p.value) || !isfinite(p.error)) {
    stop_at(q, !isfinite(i->at_right)    ? i->right
               : !isfinite(i->at_left)   ? i->left
               : !isfinite(i->at_middle) ? middle_of(i->left, i->right)
                                         : NAN);
    return NOT_FINITE;
  }
  *ratio = p.error > 0 ? p.error / within : 0;
  if (!(p.error <= within)) {
    if (h > least_length(q, i->left, i->right) && p.error > rounding * size) return REJECTED;
    note(q, PUBLISHED_ROUNDING);
  }
  accept(q, p.value, p.error);
  q->result->accepted++;
  return ACCEPTED;
}

/* What cannot be halved any more. */
static void take_as_it_is(integration *q, const interval *i) {
  const pair p = pair_of(i->at_left, i->at_middle, i->at_right, i->right - i->left);
  accept(q, p.value, p.error);
  q->result->accepted++;
  note(q, PUBLISHED_EXHAUSTED);
}

typedef struct {
  interval *at;
  int64_t n, room;
} stack;

static status make_room(stack *s, int64_t more) {
  if (s->n + more <= s->room) return STATUS_OK;
  const int64_t room = 2 * (s->n + more);
  interval *at = realloc(s->at, (size_t)room * sizeof *at);
  if (!at) return fail(STATUS_MEMORY, "integrategpu: no memory for %lld intervals", (long long)room);
  s->at = at;
  s->room = room;
  return STATUS_OK;
}

static status caq_start(integration *q, stack *s) {
  const int64_t panels = q->o.panels, m = 2 * panels + 1;
  const double step = (q->upper - q->lower) / (double)(2 * panels);
  double *x = malloc((size_t)m * sizeof *x), *f = malloc((size_t)m * sizeof *f);
  status st = x && f ? make_room(s, panels) : fail(STATUS_MEMORY, "integrategpu: no memory for %lld panels",
                                                   (long long)panels);
  if (!st) {
    for (int64_t i = 0; i < m; i += 2) x[i] = i < m - 1 ? fmin(q->lower + (double)i * step, q->upper) : q->upper;
    for (int64_t i = 1; i < m; i += 2) x[i] = middle_of(x[i - 1], x[i + 1]);
    st = look(q, m, x, f);
  }
  if (!st)
    for (int64_t i = 0; i < panels; i++) {
      const double *v = f + 2 * i, left = x[2 * i], right = x[2 * i + 2];
      s->at[s->n++] = (interval){left, right, v[0], v[1], v[2]};
    }
  free(x);
  free(f);
  return st;
}

static status caq(integration *q) {
  stack s = {0};
  double x[2 * BATCH], f[2 * BATCH], ratio;
  status st = caq_start(q, &s);
  while (!st && s.n) {
    interval halved[BATCH];
    int64_t n = 0;
    const int64_t many = s.n < BATCH ? s.n : BATCH;
    if (!affords(q, 2 * many)) break;
    for (int64_t k = 0; k < many; k++) {
      const interval i = s.at[--s.n];
      const enum verdict v = judge(q, &i, &ratio);
      if (v == NOT_FINITE) goto end;
      if (v == ACCEPTED) continue;
      const double middle = middle_of(i.left, i.right);
      x[2 * n] = middle_of(i.left, middle);
      x[2 * n + 1] = middle_of(middle, i.right);
      halved[n++] = i;
    }
    if (!n) continue;
    q->result->rejected += n;
    st = make_room(&s, 2 * n);
    if (!st) st = look(q, 2 * n, x, f);
    if (st) break;
    for (int64_t k = n; k-- > 0;) {
      const interval i = halved[k];
      const double middle = middle_of(i.left, i.right);
      s.at[s.n++] = (interval){i.left, middle, i.at_left, f[2 * k], i.at_middle};
      s.at[s.n++] = (interval){middle, i.right, i.at_middle, f[2 * k + 1], i.at_right};
    }
  }
  for (; !st && s.n && !stopped(q); s.n--) /* no evaluations are left */
    if (judge(q, s.at + s.n - 1, &ratio) == REJECTED) take_as_it_is(q, s.at + s.n - 1);
end:
  free(s.at);
  return st;
}

/* The values that intervals of equal length will need if none is rejected: left ends and middles. */
typedef struct {
  double x[2 * AHEAD], f[2 * AHEAD];
  int64_t next, n, run; /* run: intervals in a row that were as expected */
} outlook;

static status look_ahead(integration *q, outlook *a, double left, double right, double h) {
  const int64_t most = a->run / 8 < AHEAD ? a->run / 8 : AHEAD;
  a->next = a->n = 0;
  do {
    a->x[2 * a->n] = left;
    a->x[2 * a->n + 1] = middle_of(left, right);
    a->n++;
    right = left;
    left = left_end(q, right, h);
  } while (a->n < most && right > q->lower && affords(q, 2 * (a->n + 1) + 2));
  return look(q, 2 * a->n, a->x, a->f);
}

static status scaq(integration *q) {
  outlook a;
  double h = q->longest, ratio = 0;
  interval i;
  const double ends[2] = {q->lower, q->upper};
  double at_end[2];
  status st = look(q, 2, ends, at_end);
  if (!st && !isfinite(at_end[0])) stop_at(q, q->lower);
  if (st || stopped(q)) return st;
  i.at_right = at_end[1];
  a.n = a.next = a.run = 0;
  for (i.right = q->upper; !st && i.right > q->lower; i.right = i.left, i.at_right = i.at_left) {
    enum verdict v;
    const int last = !affords(q, 4); /* two now and two for the rest */
    h = fmax(h, least_length(q, i.right, i.right));
    i.left = left_end(q, i.right, h);
    if (last && i.left > q->lower) {
      i.left = q->lower;
      note(q, PUBLISHED_EXHAUSTED);
    }
    if (i.left == q->lower) h = i.right - i.left;
    if (!(a.next < a.n && a.x[2 * a.next] == i.left && a.x[2 * a.next + 1] == middle_of(i.left, i.right))) {
      if (a.next < a.n) a.run = 0;
      st = look_ahead(q, &a, i.left, i.right, h);
      if (st) break;
    }
    i.at_left = a.f[2 * a.next];
    i.at_middle = a.f[2 * a.next + 1];
    a.next++;
    a.run++;
    while ((v = judge(q, &i, &ratio)) == REJECTED && !last && affords(q, 3)) {
      q->result->rejected++;
      a.next = a.n = a.run = 0;
      i.left = middle_of(i.left, i.right);
      i.at_left = i.at_middle;
      h /= 2;
      const double m = middle_of(i.left, i.right);
      st = look(q, 1, &m, &i.at_middle);
      if (st) return st;
    }
    if (v == NOT_FINITE) break;
    if (v == REJECTED) take_as_it_is(q, &i);
    if (ratio <= expand_within && 2 * h <= q->longest) h *= 2;
  }
  return st;
}

/* ---- regions ---- */

typedef struct {
  double left, right, h, *value, *error; /* of each block */
  int64_t blocks, threads;
} region;

static double node_of(const region *r, int64_t j) {
  const double step = (r->right - r->left) / (2 * (double)r->blocks * (double)r->threads);
  return fmin(r->left + (double)j * step, r->right);
}
static double block_start(const region *r, int64_t b) {
  return b < r->blocks ? node_of(r, 2 * b * r->threads) : r->right;
}

static status block_by_points(integration *q, region *r, int64_t b) {
  double x[3 * PART], f[3 * PART];
  exact_sum value = {0, 0}, error = {0, 0};
  for (int64_t done = 0; done < r->threads;) {
    const int64_t n = r->threads - done < PART ? r->threads - done : PART, first = b * r->threads + done;
    pair part = {0, 0};
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = 0; k < 3; k++) x[3 * i + k] = node_of(r, 2 * (first + i) + k);
    const status st = look(q, 3 * n, x, f);
    if (st) return st;
    for (int64_t i = 0; i < n; i++) {
      const pair p = pair_of(f[3 * i], f[3 * i + 1], f[3 * i + 2], r->h);
      part.value += p.value;
      part.error += p.error;
    }
    exact_add(&value, part.value);
    exact_add(&error, part.error);
    done += n;
  }
  r->value[b] = exact_total(value);
  r->error[b] = exact_total(error);
  return STATUS_OK;
}

/* Looks again for the node that spoiled the sums of block b: none where they overflow. */
static status find_bad_node(integration *q, const region *r, int64_t b) {
  double x[2 * PART + 1], f[2 * PART + 1], at = NAN;
  for (int64_t done = 0; done < r->threads && isnan(at);) {
    const int64_t n = r->threads - done < PART ? r->threads - done : PART, first = b * r->threads + done;
    for (int64_t k = 0; k <= 2 * n; k++) x[k] = node_of(r, 2 * first + k);
    const status st = look(q, 2 * n + 1, x, f);
    if (st) return st;
    for (int64_t k = 0; k <= 2 * n && isnan(at); k++)
      if (!isfinite(f[k])) at = x[k];
    done += n;
  }
  stop_at(q, at);
  return STATUS_OK;
}

static status evaluate(integration *q, region *r) {
  status st = STATUS_OK;
  r->h = (r->right - r->left) / ((double)r->blocks * (double)r->threads);
  if (q->f.region) {
    q->result->evaluations += 3 * r->blocks * r->threads;
    q->result->launches++;
    st = q->f.region(q->f.of, r->left, r->right, r->blocks, r->threads, r->value, r->error);
  } else
    for (int64_t b = 0; b < r->blocks && !st; b++) st = block_by_points(q, r, b);
  for (int64_t b = r->blocks; b-- > 0 && !st;)
    if (!isfinite(r->value[b]) || !isfinite(r->error[b])) return find_bad_node(q, r, b);
  return st;
}

/* The sums of blocks from first on. */
typedef struct {
  double value, error, size;
} sums;

static sums sums_from(const region *r, int64_t first) {
  exact_sum value = {0, 0}, error = {0, 0}, size = {0, 0};
  for (int64_t b = first; b < r->blocks; b++) {
    exact_add(&value, r->value[b]);
    exact_add(&error, r->error[b]);
    exact_add(&size, fabs(r->value[b]));
  }
  return (sums){exact_total(value), exact_total(error), exact_total(size)};
}

static int good(integration *q, const region *r, double size, double error, double within) {
  if (error <= within) return 1;
  if (r->h > least_length(q, r->left, r->right) && error > rounding * size) return 0;
  note(q, PUBLISHED_ROUNDING);
  return 1;
}

/* The first block of those at the right end that are good one by one. */
static int64_t cut_off(integration *q, const region *r) {
  const double within = share(q, r->h * (double)r->threads);
  int64_t b = r->blocks;
  while (b > 0 && good(q, r, fabs(r->value[b - 1]), r->error[b - 1], within)) b--;
  return b;
}

static double slope(const region *r) {
  double sum = 0;
  for (int64_t b = 0; b < r->blocks; b++) sum += ((double)(2 * b + 1) - (double)r->blocks) * r->error[b];
  return sum;
}

/* One bit of SplitMix64 (Steele, Lea and Flood 2014). */
static int flip_coin(integration *q) {
  uint64_t z = q->coin += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (int)((z ^ z >> 31) >> 63);
}

/* The expansion step: times by which length and tolerance grow after a region was accepted. */
static double growth(integration *q, enum published_method method, const region *r, double ratio) {
  switch (method) {
  case PUBLISHED_PSCAQ: return ratio <= expand_within ? 2 : 1;
  case PUBLISHED_PBCAQR: return flip_coin(q) ? 2 : 1;
  case PUBLISHED_PBCAQS: return slope(r) >= 0 ? 2 : 1;
  case PUBLISHED_PBCAQG: return exp2(fmin(fmax(floor(-log2(ratio) / 2), 0), 4));
  default: return 2;
  }
}

static status regions(integration *q, enum published_method method) {
  region r = {.right = q->upper, .blocks = q->o.blocks, .threads = q->o.threads};
  const int64_t cost = 3 * r.blocks * r.threads;
  const double intervals = (double)r.blocks * (double)r.threads;
  double length = q->upper - q->lower;
  status st = STATUS_OK;
  r.value = malloc((size_t)r.blocks * sizeof *r.value);
  r.error = malloc((size_t)r.blocks * sizeof *r.error);
  if (!r.value || !r.error) st = fail(STATUS_MEMORY, "integrategpu: no memory for %lld blocks", (long long)r.blocks);
  while (!st && r.right > q->lower) {
    const int last = !affords(q, 2 * cost); /* this one and the rest */
    length = fmax(fmin(length, intervals * q->longest), intervals * least_length(q, r.right, r.right));
    r.left = left_end(q, r.right, length);
    if (last && r.left > q->lower) {
      r.left = q->lower;
      note(q, PUBLISHED_EXHAUSTED);
    }
    length = r.right - r.left;
    st = evaluate(q, &r);
    if (st || stopped(q)) break;
    const sums all = sums_from(&r, 0);
    const double within = share(q, length);
    int64_t first = method == PUBLISHED_PSCAQ                  ? cut_off(q, &r)
                    : good(q, &r, all.size, all.error, within) ? 0
                                                               : r.blocks;
    if (first > 0 && last) {
      first = 0;
      note(q, PUBLISHED_EXHAUSTED);
    }
    const sums kept = sums_from(&r, first);
    accept(q, kept.value, kept.error);
    if (first < r.blocks) q->result->accepted++;
    else q->result->rejected++;
    if (first > 0) length /= 2;
    else length *= growth(q, method, &r, all.error > 0 ? all.error / within : 0);
    r.right = first > 0 ? block_start(&r, first) : r.left;
  }
  free(r.value);
  free(r.error);
  return st;
}

/* ---- entry ---- */

enum { MOST = 1 << 24 }; /* blocks, threads and panels: their products can be counted */

status quadrature_published(enum published_method method, published_integrand f, double lower, double upper,
                            published_options options, published_result *result) {
  integration q = {.f = f, .o = options, .lower = lower, .upper = upper, .coin = options.key, .result = result};
  *result = (published_result){.bad_x = NAN};
  if (!q.o.blocks) q.o.blocks = default_blocks;
  if (!q.o.threads) q.o.threads = default_threads;
  if (!q.o.panels) q.o.panels = 1;
  if (!(lower <= upper) || !isfinite(upper - lower))
    return fail(STATUS_INPUT, "the published algorithms need finite limits, the lower one first");
  if (!(q.o.tau >= 0)) return fail(STATUS_INPUT, "the absolute tolerance must be a number from 0 on");
  if (q.o.blocks < 1 || q.o.blocks > MOST || q.o.threads < 1 || q.o.threads > MOST)
    return fail(STATUS_INPUT, "blocks and threads must be between 1 and %d", MOST);
  if (q.o.panels < 1 || q.o.panels > MOST) return fail(STATUS_INPUT, "panels must be between 1 and %d", MOST);
  if (lower == upper) return STATUS_OK;
  q.longest = (upper - lower) / (double)q.o.panels;
  if (method == PUBLISHED_BCAQ) q.f.region = NULL;
  const status st = method == PUBLISHED_CAQ    ? caq(&q)
                    : method == PUBLISHED_SCAQ ? scaq(&q)
                                               : regions(&q, method);
  if (!stopped(&q) && !(isfinite(exact_total(q.value)) && isfinite(exact_total(q.error)))) stop_at(&q, NAN);
  result->value = stopped(&q) ? NAN : exact_total(q.value);
  result->error = stopped(&q) ? NAN : exact_total(q.error);
  return st;
}
