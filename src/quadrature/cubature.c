/* cubature.c: see cubature.h. */
#include "quadrature/cubature.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What errors are made of, chosen by the silent errors and the nodes that bench/quadrature-cubature.R counts. A half
 * has at least this part of the error of the box that it is of, the larger one of boxes that are smooth, whose halves
 * have 1/128 of it or more unless terms cancel; where the sum of the halves differs from the box by more than its
 * error, theirs are as many times larger, up to 10; and errors of few boxes may all have the same sign by chance:
 * besides their sum the root of the sum of squares counts, and that of what tells roughness once more. The first box
 * alone has to be so much better than it need be, and sides of nearly the same difference are halved by length. */
static const double part_if_smooth = 1.0 / 64, part_if_rough = 1.0 / 256, most_too_small = 10, few = 0.3,
                    few_rough = 1, at_once = 0.1, nearly = 0.9;

/* Classes of boxes by their error, four for each octave below the largest; halvings of boxes with values that are
 * not finite; boxes before an integral is taken for that of 0; the narrowest side, and nodes next to faces. */
enum { CLASSES = 256, CLASSES_OF_OCTAVE = 4, BAD_HALVINGS = 4, LOOKS = 64 };
static const double narrowest = 0x1p-50, near_face = 1 - 0x1p-14;

typedef struct {
  double *box; /* records, see place_of() */
  int64_t n, room;
  double evaluations, *value, *error; /* m sums each, once it has ended */
  double *bad;                        /* centre and half sides of a box of code 7 */
  int code;                           /* -1: at work */
} integral;

/* A box that waits for its values: of which integral, in the place of which of its boxes. */
typedef struct {
  int64_t integral, place;
} task;

struct cubature {
  cubature_options o;
  cubature_rule rule;
  integral *of;
  int64_t n, first; /* all before first have ended */
  task *task;
  double *made;     /* records of the tasks */
  int64_t n_task, room;
  double *sums;     /* of one integral: value, error, floor and tolerance of each component, and rests of values */
};

/* A record: centre, half sides, then values, errors, rounding errors, errors by the box alone and roughness of the
 * components, and at last the side to halve, halvings with values that are not finite, and the key, the error over
 * the tolerance. */
static int width(const cubature *c) { return 2 * c->o.d + 5 * c->o.m + 3; }
static double *value_in(const cubature *c, double *r) { return r + 2 * c->o.d; }
static double *error_in(const cubature *c, double *r) { return r + 2 * c->o.d + c->o.m; }
static double *floor_in(const cubature *c, double *r) { return r + 2 * c->o.d + 2 * c->o.m; }
static double *own_in(const cubature *c, double *r) { return r + 2 * c->o.d + 3 * c->o.m; }
static double *rough_in(const cubature *c, double *r) { return r + 2 * c->o.d + 4 * c->o.m; }
static double *side_in(const cubature *c, double *r) { return r + 2 * c->o.d + 5 * c->o.m; }
static double *bad_in(const cubature *c, double *r) { return side_in(c, r) + 1; }
static double *key_in(const cubature *c, double *r) { return side_in(c, r) + 2; }
static double *record(const cubature *c, const integral *q, int64_t k) { return q->box + k * width(c); }

const cubature_options *cubature_opened(const cubature *c) { return &c->o; }

status cubature_open(const cubature_options *o, int64_t n, cubature **made) {
  cubature *c = calloc(1, sizeof *c);
  *made = c;
  if (!c) return fail(STATUS_MEMORY, "integrategpu: out of memory");
  c->o = *o;
  c->n = n;
  c->of = calloc((size_t)n + 1, sizeof *c->of);
  c->sums = calloc(7 * (size_t)o->m, sizeof *c->sums);
  if (!c->of || !c->sums || cubature_rule_make(o->d, &c->rule))
    return fail(STATUS_MEMORY, "integrategpu: out of memory for %g integrals", (double)n);
  for (int64_t i = 0; i < n; i++) c->of[i].code = -1;
  return STATUS_OK;
}

void cubature_close(cubature *c) {
  if (!c) return;
  for (int64_t i = 0; i < c->n && c->of; i++) {
    free(c->of[i].box);
    free(c->of[i].value);
    free(c->of[i].bad);
  }
  free(c->of);
  free(c->task);
  free(c->made);
  free(c->sums);
  free(c->rule.node);
  free(c);
}

/* ---- sums ----------------------------------------------------------------------------------------------------- */

static void add_exactly(double *sum, double *rest, double x) {
  const double s = *sum + x, v = s - *sum;
  *rest += (*sum - (s - v)) + (x - v);
  *sum = s;
}

/* Sums over the boxes of an integral, and its tolerances: a total that rounding hides is 0 as far as one can see. */
static void add_up(const cubature *c, const integral *q) {
  const int m = c->o.m;
  double *value = c->sums, *error = value + m, *floor = error + m, *allowed = floor + m, *rest = allowed + m;
  double *square = rest + m, *rough = square + m;
  memset(c->sums, 0, 7 * (size_t)m * sizeof *c->sums);
  for (int64_t k = 0; k < q->n; k++) {
    double *r = record(c, q, k);
    for (int j = 0; j < m; j++) {
      if (isfinite(value_in(c, r)[j])) add_exactly(value + j, rest + j, value_in(c, r)[j]);
      error[j] += error_in(c, r)[j];
      floor[j] += floor_in(c, r)[j];
      square[j] += error_in(c, r)[j] * error_in(c, r)[j];
      rough[j] += rough_in(c, r)[j] * rough_in(c, r)[j];
    }
  }
  for (int j = 0; j < m; j++) {
    value[j] += rest[j];
    error[j] += few * sqrt(square[j]) + few_rough * sqrt(rough[j]);
    const double size = fabs(value[j]), hidden = 4 * floor[j];
    allowed[j] = fmax(c->o.relative * size, c->o.absolute);
    if (size <= hidden && allowed[j] < hidden) allowed[j] = hidden;
  }
}

static status end(const cubature *c, integral *q, int code) {
  const int m = c->o.m;
  q->value = malloc(2 * (size_t)m * sizeof *q->value);
  if (!q->value) return fail(STATUS_MEMORY, "integrategpu: out of memory");
  q->error = q->value + m;
  for (int j = 0; j < m; j++) {
    q->value[j] = code == 7 ? NAN : c->sums[j];
    q->error[j] = c->sums[m + j];
  }
  q->code = code;
  free(q->box);
  q->box = NULL;
  return STATUS_OK;
}

/* -1 while an integral is not accurate: see integral_messages of R/integrate.R. */
static int code_of(const cubature *c, const integral *q) {
  const int m = c->o.m;
  const double *value = c->sums, *error = value + m, *floor = error + m, *allowed = floor + m;
  int within = 1, rounded = 1, zero = 1;
  for (int j = 0; j < m; j++) {
    within &= error[j] <= allowed[j];
    rounded &= error[j] <= fmax(allowed[j], 2 * floor[j]);
    zero &= fabs(value[j]) + error[j] < DBL_MIN;
  }
  if (within && q->n > 1 && (!zero || q->n >= LOOKS)) return zero ? 8 : 0;
  if (within) { /* of one box the rules must be far better than what they are compared with */
    for (int j = 0; j < m; j++) within &= error[j] <= fmax(at_once * allowed[j], 2 * floor[j]);
    if (within && !zero) return 0;
  }
  if (zero && q->n < LOOKS) return -1;
  return rounded && q->n > 1 ? 2 : -1;
}

/* ---- which boxes to halve ------------------------------------------------------------------------------------- */

static status room_for(void **at, int64_t *room, int64_t n, size_t size) {
  if (n <= *room) return STATUS_OK;
  const int64_t more = n < 16 ? 16 : n + n / 2;
  void *grown = realloc(*at, (size_t)more * size);
  if (!grown) return fail(STATUS_MEMORY, "integrategpu: out of memory for %g boxes", (double)n);
  *at = grown;
  *room = more;
  return STATUS_OK;
}

static status add_task(cubature *c, int64_t i, int64_t place, double **made) {
  const size_t bytes = (size_t)width(c) * sizeof *c->made;
  if (c->n_task == c->room) {
    int64_t room = c->room;
    status st = room_for((void **)&c->task, &room, c->n_task + 1, sizeof *c->task);
    if (!st) st = room_for((void **)&c->made, &c->room, c->n_task + 1, bytes);
    if (st) return st;
  }
  c->task[c->n_task] = (task){i, place};
  *made = c->made + c->n_task++ * width(c);
  return STATUS_OK;
}

/* Both halves of box k, of which the first takes its place. */
static status halve(cubature *c, int64_t i, int64_t k) {
  integral *q = c->of + i;
  const int64_t place[2] = {k, q->n};
  for (int which = 0; which < 2; which++) {
    double *made;
    const status st = add_task(c, i, place[which], &made);
    if (st) return st;
    double *from = record(c, q, k);
    const int side = (int)*side_in(c, from);
    memcpy(made, from, (size_t)width(c) * sizeof *made);
    made[c->o.d + side] /= 2;
    made[side] += (which ? 1 : -1) * made[c->o.d + side];
  }
  q->n++; /* its record comes with the values */
  return STATUS_OK;
}

static int class_of(double key, double largest) {
  if (!(key < largest)) return 0;
  const double down = CLASSES_OF_OCTAVE * log2(largest / key);
  return down < CLASSES - 1 ? (int)down : CLASSES - 1;
}

/* Errors over tolerances, 0 of boxes that cannot be halved; the largest of them. */
static double find_keys(const cubature *c, const integral *q) {
  const int m = c->o.m;
  const double *allowed = c->sums + 3 * m;
  double largest = 0;
  for (int64_t k = 0; k < q->n; k++) {
    double *r = record(c, q, k), key = 0;
    for (int j = 0; j < m; j++) {
      const double e = error_in(c, r)[j];
      if (e > 0) key = fmax(key, allowed[j] > 0 ? e / allowed[j] : DBL_MAX);
    }
    key = *side_in(c, r) < 0 ? 0 : fmin(key, DBL_MAX);
    *key_in(c, r) = key;
    if (key > largest) largest = key;
  }
  if (largest > 0) return largest;
  for (int64_t k = 0; k < q->n; k++) { /* f is 0 so far */
    double *r = record(c, q, k);
    if (*side_in(c, r) >= 0) *key_in(c, r) = largest = 1;
  }
  return largest;
}

/* The class down to which boxes are halved, and how many of that itself: so many that the keys of all others add up
 * to the tolerance. */
static int last_class(const cubature *c, const integral *q, double largest, int64_t *of_last) {
  int64_t count[CLASSES] = {0};
  double sum[CLASSES] = {0}, left = 0, total = 0, aim = 1;
  int last = CLASSES - 1;
  for (int64_t k = 0; k < q->n; k++) {
    const double key = *key_in(c, record(c, q, k));
    if (!(key > 0)) continue;
    count[class_of(key, largest)]++;
    sum[class_of(key, largest)] += key;
    total += key;
  }
  /* the error is more than their sum: see `few` */
  if (c->o.m == 1 && c->sums[1] > 0) aim = fmin(1, fmax(0.2, total * c->sums[3] / c->sums[1]));
  for (; last > 0 && left + sum[last] <= aim; last--) left += sum[last];
  const double needed = ceil((left + sum[last] - aim) / (sum[last] / (double)count[last]));
  *of_last = needed < (double)count[last] ? (needed < 1 ? 1 : (int64_t)needed) : count[last];
  return last;
}

/* Halves the boxes with the largest errors, at most so many. */
static status halve_largest(cubature *c, int64_t i, int64_t most, double largest) {
  integral *q = c->of + i;
  int64_t of_last;
  const int last = last_class(c, q, largest, &of_last);
  const int64_t n = q->n;
  for (int64_t k = 0; k < n && most > 0; k++) {
    const double key = *key_in(c, record(c, q, k));
    if (!(key > 0)) continue;
    const int at = class_of(key, largest);
    if (at > last || (at == last && of_last-- <= 0)) continue;
    const status st = halve(c, i, k);
    if (st) return st;
    most--;
  }
  return STATUS_OK;
}

static status begin(cubature *c, int64_t i) {
  double *made;
  const status st = add_task(c, i, 0, &made);
  if (st) return st;
  memset(made, 0, (size_t)width(c) * sizeof *made);
  for (int k = 0; k < 2 * c->o.d; k++) made[k] = 0.5;
  c->of[i].n = 1;
  return STATUS_OK;
}

status cubature_round(cubature *c, int64_t *n_points) {
  const int64_t most = c->o.points / c->rule.n < 2 ? 2 : c->o.points / c->rule.n;
  status st = STATUS_OK;
  c->n_task = 0;
  while (c->first < c->n && c->of[c->first].code >= 0) c->first++;
  for (int64_t i = c->first; i < c->n && c->n_task < most && !st; i++) {
    integral *q = c->of + i;
    if (q->code >= 0) continue;
    if (!q->n) {
      st = begin(c, i);
      continue;
    }
    add_up(c, q);
    const double largest = find_keys(c, q);
    const int64_t space = c->o.most - q->n, part = (most - c->n_task + 1) / 2;
    if (largest == 0) st = end(c, q, 3);
    else if (space <= 0) st = end(c, q, 1);
    else st = halve_largest(c, i, space < part ? space : part, largest);
  }
  *n_points = c->n_task * c->rule.n;
  return st || c->n_task || c->first >= c->n ? st : cubature_round(c, n_points);
}

/* ---- values --------------------------------------------------------------------------------------------------- */

/* Nodes next to faces within the cube are nearer to them than those of the cube, where f may be infinite: a jump
 * between is not seen. Bits as cubature_rule_sums() needs them. */
static unsigned outer_faces(const cubature *c, const double *r) {
  unsigned outer = 0;
  for (int k = 0; k < c->o.d; k++) {
    if (r[k] + r[c->o.d + k] == 1) outer |= 1u << 2 * k;
    if (r[k] - r[c->o.d + k] == 0) outer |= 2u << 2 * k;
  }
  return outer;
}

void cubature_points(const cubature *c, double *u, double *integral) {
  const int d = c->o.d, p = c->rule.n;
  const int64_t n = c->n_task * p;
  for (int64_t t = 0; t < c->n_task; t++) {
    const double *centre = c->made + t * width(c), *half = centre + d;
    for (int i = 0; i < p; i++) integral[t * p + i] = (double)c->task[t].integral;
    for (int k = 0; k < d; k++)
      for (int i = 0; i < p; i++) u[k * n + t * p + i] = centre[k] + half[k] * c->rule.node[i * d + k];
    const unsigned outer = outer_faces(c, centre);
    for (int k = 0; k < 2 * d; k++)
      if (!(outer >> k & 1))
        u[k / 2 * n + t * p + p - 2 * d + k] = centre[k / 2] + (k & 1 ? -near_face : near_face) * half[k / 2];
  }
}

/* The variable to halve a box by: that of the largest fourth difference, of nearly equal ones the longest side. */
static int side_of(const cubature *c, const double *r, const double *apart) {
  const double *half = r + c->o.d;
  double largest = 0;
  int side = -1;
  for (int k = 0; k < c->o.d; k++)
    if (half[k] > narrowest && apart[k] > largest) largest = apart[k];
  for (int k = 0; k < c->o.d; k++)
    if (half[k] > narrowest && apart[k] >= nearly * largest && (side < 0 || half[k] > half[side])) side = k;
  return side;
}

/* The errors of two halves: not less than what the box that they are of tells. */
static void compare_halves(const cubature *c, double *whole, double *a, double *b) {
  for (int j = 0; j < c->o.m; j++) {
    double *e = error_in(c, a) + j, *g = error_in(c, b) + j;
    const double before = error_in(c, whole)[j], value = value_in(c, whole)[j], own = own_in(c, whole)[j];
    const double apart = fabs(value - value_in(c, a)[j] - value_in(c, b)[j]);
    if (!isfinite(*e + *g + before + apart)) continue;
    const double least = (own > rough_in(c, whole)[j] ? part_if_smooth : part_if_rough) * before;
    const double more = own > 0 && apart > own ? fmin(apart / own, most_too_small) : 1;
    *e = fmax(*e * more, least);
    *g = fmax(*g * more, least);
  }
}

/* Ends an integral whose last task of the round is number t, if it is accurate or not finite. */
static status judge(cubature *c, integral *q, int64_t t) {
  const int64_t i = c->task[t].integral;
  for (; t >= 0 && c->task[t].integral == i; t--) {
    double *r = c->made + t * width(c);
    if (*bad_in(c, r) <= BAD_HALVINGS) continue;
    q->bad = malloc(2 * (size_t)c->o.d * sizeof *q->bad);
    if (!q->bad) return fail(STATUS_MEMORY, "integrategpu: out of memory");
    memcpy(q->bad, r, 2 * (size_t)c->o.d * sizeof *q->bad);
    add_up(c, q);
    return end(c, q, 7);
  }
  add_up(c, q);
  const int code = code_of(c, q);
  return code < 0 ? STATUS_OK : end(c, q, code);
}

/* Puts the records of a round in their places, and ends integrals. */
static status put_records(cubature *c) {
  const size_t bytes = (size_t)width(c) * sizeof *c->made;
  status st = STATUS_OK;
  for (int64_t t = 0; t < c->n_task && !st; t++) {
    const task k = c->task[t];
    integral *q = c->of + k.integral;
    double *r = c->made + t * width(c);
    st = room_for((void **)&q->box, &q->room, q->n, bytes);
    if (st) return st;
    if (t + 1 < c->n_task && c->task[t + 1].integral == k.integral) {
      compare_halves(c, record(c, q, k.place), r, r + width(c));
      memcpy(record(c, q, c->task[t + 1].place), r + width(c), bytes);
      t++;
    }
    memcpy(record(c, q, k.place), r, bytes);
  }
  for (int64_t t = 0; t < c->n_task && !st; t++) {
    const int64_t i = c->task[t].integral;
    c->of[i].evaluations += c->rule.n;
    if (t + 1 == c->n_task || c->task[t + 1].integral != i) st = judge(c, c->of + i, t);
  }
  return st;
}

/* The record of task t by values of all components. */
static void fill_record(const cubature *c, int64_t t, const double *y, const double *size, double *f) {
  const int d = c->o.d, p = c->rule.n;
  double *r = c->made + t * width(c), apart[CUBATURE_MOST] = {0}, volume = 1;
  const unsigned outer = outer_faces(c, r);
  int bad = 0;
  for (int k = 0; k < d; k++) volume *= 2 * r[d + k];
  for (int j = 0; j < c->o.m; j++) {
    cubature_sums s;
    const double *of = y + j * c->n_task * p + t * p;
    for (int i = 0; i < p; i++) f[i] = of[i] == 0 ? 0 : of[i] * size[t * p + i];
    cubature_rule_sums(&c->rule, f, outer, &s);
    const double least = 50 * DBL_EPSILON * s.size * volume;
    value_in(c, r)[j] = volume * s.value;
    floor_in(c, r)[j] = isfinite(least) ? least : 0;
    error_in(c, r)[j] = own_in(c, r)[j] = isfinite(s.error) ? fmax(volume * s.error, least) : INFINITY;
    rough_in(c, r)[j] = volume * s.rough;
    bad |= !isfinite(s.error);
    for (int k = 0; k < d && isfinite(s.error) && s.size > 0; k++) apart[k] += s.fourth[k] / s.size;
  }
  *side_in(c, r) = side_of(c, r, apart);
  *bad_in(c, r) = bad ? *bad_in(c, r) + 1 : 0;
}

status cubature_values(cubature *c, const double *y, const double *size) {
  double *f = malloc((size_t)c->rule.n * sizeof *f);
  if (!f) return fail(STATUS_MEMORY, "integrategpu: out of memory");
  for (int64_t t = 0; t < c->n_task; t++) fill_record(c, t, y, size, f);
  free(f);
  return put_records(c);
}

const double *cubature_result(const cubature *c, int64_t i, cubature_outcome *out) {
  const integral *q = c->of + i;
  *out = (cubature_outcome){q->value, q->error, q->evaluations, q->n, q->code};
  return q->bad;
}
