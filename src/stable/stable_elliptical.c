/* stable_elliptical.c: see stable_elliptical.h. The kernels of stable_elliptical.cl give values at any distribution
 * and radius; of one distribution at many radii they come from a table of piecewise Chebyshev polynomials
 * (stable_elliptical_par.h), which is made of these values, checked against them between the nodes, and kept. */
#include "stable/stable_elliptical.h"

#include <stdlib.h>
#include <string.h>

#include "engine/devices.h"
#include "engine/interpolation.h"
#include "kernels/stable/stable_elliptical_par.h"
#include "programs/programs.h"

enum { TERMS = ELLIPTICAL_TERMS, CHECKS = 4, POINTS_A_PANEL = TERMS + CHECKS, DEEPEST = 7, MOST_PANELS = 1200 };
enum { HEAD, CORE, TAIL, SEGMENTS };

/* From this many points on a table pays: it is made from some 1000 to 3000 values. */
enum { TABLE_LEAST = 1024 };

static const pipeline values_pipeline = {.name = "dmstable", .n_in = ELLIPTICAL_IN, .n_out = ELLIPTICAL_OUT,
                                         .step = {KERNEL_elliptical_values}, .ns_per_point = 8000};
static const pipeline radius_pipeline = {.name = "pmstable", .n_in = ELLIPTICAL_IN, .n_out = 2,
                                         .step = {KERNEL_elliptical_radius}, .ns_per_point = 12000};
static const pipeline table_pipeline = {.name = "dmstable", .n_in = 1, .n_out = ELLIPTICAL_OUT,
                                        .step = {KERNEL_elliptical_table}, .ns_per_point = 60};

static const pipeline normal_pipeline = {.name = "rmstable", .n_out = 1, .step = {KERNEL_elliptical_normal},
                                         .ns_per_point = 12};

static status directly(int64_t n, column alpha, column d, column r, int slopes, double *const out[3]) {
  const double par[] = {slopes != 0};
  task t = {.pipe = &values_pipeline, .n = n, .run = n, .in = {alpha, d, r}, .par = par, .n_par = 1};
  for (int k = 0; k < ELLIPTICAL_OUT; k++) t.out[k] = out[k];
  return backend_run(&t);
}

status elliptical_radius_tails(int64_t n, column alpha, column d, column r, double *const out[2]) {
  task t = {.pipe = &radius_pipeline, .n = n, .run = n, .in = {alpha, d, r}, .out = {out[0], out[1]}};
  return backend_run(&t);
}

typedef struct {
  double low, high;
  int segment, depth;
  double c[3][TERMS];
} panel;

typedef struct {
  double low, high;
  int initial; /* panels that it is first cut into */
} segment;

typedef struct {
  double alpha, d, log_r0, log_r1;
  segment seg[SEGMENTS];
  panel *open, *done;
  int n_open, n_done, n_tried;
} builder;

typedef struct {
  double *par;
  int32_t n_par;
} kept_table;
static kept_table kept[TABLES_KEPT];
static kept_tables keys;
static chebyshev_rule rule;

/* Half way, in the angle, between nodes, and one end. */
static double check_point(int j) {
  static const int at[CHECKS] = {0, 4, 9, 13};
  return cos(pi * at[j] / TERMS);
}

/* The polynomial of values v may be wrong by `allowed`, in units of the largest one if relative. */
static int fits(const double *v, double allowed, int relative, double *c) {
  double most = relative ? 0 : 1;
  for (int j = 0; j < POINTS_A_PANEL && relative; j++) most = fmax(most, fabs(v[j]));
  chebyshev_terms(&rule, NULL, v, c);
  if (!(fabs(c[TERMS - 1]) <= allowed * most && fabs(c[TERMS - 2]) <= 4 * allowed * most)) return 0;
  for (int j = 0; j < CHECKS; j++)
    if (!(fabs(chebyshev_value(TERMS, c, check_point(j)) - v[TERMS + j]) <= allowed * most)) return 0;
  return 1;
}

/* log h may be wrong by 3e-14 of the larger of 1 and itself, the least of whose size in the panel is level;
 * derivatives by 3e-13 of the largest there. */
static void judge(builder *b, const panel *p, double *const v[3], double level, panel *next, int *n_next) {
  panel q = *p;
  if (fits(v[0], 3e-14 * fmax(1, level), 0, q.c[0]) && fits(v[1], 3e-13, 1, q.c[1]) && fits(v[2], 3e-13, 1, q.c[2])) {
    b->done[b->n_done++] = q;
    return;
  }
  if (q.depth == DEEPEST || b->n_tried + *n_next + 2 > MOST_PANELS) return;
  q.depth++;
  q.high = 0.5 * (p->low + p->high);
  next[(*n_next)++] = q;
  q.low = q.high;
  q.high = p->high;
  next[(*n_next)++] = q;
}

static double radius_at(const builder *b, int seg, double s) {
  return seg == HEAD ? exp(b->log_r0) * sqrt(s) : exp(seg == CORE ? s : b->log_r1 - log(s) / b->alpha);
}

/* One round: the values of all open panels in one task. */
static status refine(builder *b) {
  const int64_t m = (int64_t)b->n_open * POINTS_A_PANEL;
  b->n_tried += b->n_open;
  double *r = malloc((size_t)m * 4 * sizeof *r);
  panel *next = malloc((size_t)b->n_open * 2 * sizeof *next);
  int n_next = 0;
  status st = r && next ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a table of %d panels", b->n_open);
  if (st == STATUS_OK) {
    double *const v[3] = {r + m, r + 2 * m, r + 3 * m};
    for (int64_t i = 0; i < m; i++) {
      const panel *p = b->open + i / POINTS_A_PANEL;
      const int j = (int)(i % POINTS_A_PANEL);
      const double tau = j < TERMS ? rule.cosine[1][j] : check_point(j - TERMS);
      r[i] = radius_at(b, p->segment, 0.5 * (p->low + p->high) + 0.5 * (p->high - p->low) * tau);
    }
    st = directly(m, (column){&b->alpha, 1}, (column){&b->d, 1}, (column){r, m}, 1, v);
    for (int i = 0; i < b->n_open && st == STATUS_OK; i++) {
      const int64_t at = (int64_t)i * POINTS_A_PANEL;
      double level = HUGE_VAL;
      for (int64_t j = at; j < at + POINTS_A_PANEL; j++) {
        level = fmin(level, fabs(v[0][j]));
        v[1][j] *= r[j];
        if (b->open[i].segment == HEAD) v[1][j] *= exp(2 * (b->log_r0 - log(r[j])));
        if (b->open[i].segment != TAIL) continue;
        /* as the kernel undoes it */
        const double log_r = log(r[j]);
        v[2][j] -= (log_r - b->log_r1) * (b->d + v[1][j]) / b->alpha;
        v[0][j] += (b->d + b->alpha) * (log_r - b->log_r1);
      }
      double *const mine[3] = {v[0] + at, v[1] + at, v[2] + at};
      judge(b, b->open + i, mine, level, next, &n_next);
    }
  }
  free(r);
  free(b->open);
  b->open = next;
  b->n_open = n_next;
  return st;
}

static status lay_out(const builder *b, kept_table *to) {
  int64_t cells[SEGMENTS], size = ELLIPTICAL_MAPS;
  int deepest[SEGMENTS] = {0};
  for (int i = 0; i < b->n_done; i++)
    if (b->done[i].depth > deepest[b->done[i].segment]) deepest[b->done[i].segment] = b->done[i].depth;
  for (int k = 0; k < SEGMENTS; k++) size += cells[k] = ((int64_t)b->seg[k].initial << deepest[k]) + 1;
  const int64_t first = size;
  size += (int64_t)b->n_done * ELLIPTICAL_PANEL;
  double *par = calloc((size_t)size, sizeof *par);
  if (!par) return fail(STATUS_MEMORY, "no memory for a table of %d panels", b->n_done);
  par[ELLIPTICAL_TABLE_ALPHA] = b->alpha;
  par[ELLIPTICAL_TABLE_D] = b->d;
  par[ELLIPTICAL_LOG_R0] = b->log_r0;
  par[ELLIPTICAL_LOG_R1] = b->log_r1;
  for (int64_t i = ELLIPTICAL_MAPS; i < first; i++) par[i] = ELLIPTICAL_NOWHERE;
  int64_t map[SEGMENTS], start = ELLIPTICAL_MAPS;
  for (int k = 0; k < SEGMENTS; start += cells[k++]) {
    double *head = par + ELLIPTICAL_SEGMENTS + 3 * k;
    map[k] = start;
    head[0] = b->seg[k].low;
    head[1] = (double)(cells[k] - 1) / (b->seg[k].high - b->seg[k].low);
    head[2] = (double)start;
  }
  for (int i = 0; i < b->n_done; i++) {
    const panel *p = b->done + i;
    const double *head = par + ELLIPTICAL_SEGMENTS + 3 * p->segment;
    const int64_t at = first + (int64_t)i * ELLIPTICAL_PANEL, from = llround((p->low - head[0]) * head[1]);
    int64_t to_cell = from + ((int64_t)1 << (deepest[p->segment] - p->depth));
    /* the end of a segment, which rounding may reach */
    if (to_cell == cells[p->segment] - 1) to_cell++;
    par[at + ELLIPTICAL_CENTRE] = 0.5 * (p->low + p->high);
    par[at + ELLIPTICAL_RATE] = 2 / (p->high - p->low);
    memcpy(par + at + ELLIPTICAL_VALUE, p->c, sizeof p->c);
    for (int64_t c = from; c < to_cell; c++) par[map[p->segment] + c] = (double)at;
  }
  to->par = par;
  to->n_par = (int32_t)size;
  return STATUS_OK;
}

/* log of the quotient of terms k + 1 and k of the series in rho, and of that in r^-alpha, at r = 1 */
static double head_quotient(double alpha, double d, int k) {
  return lgamma((d + 2 * k + 2) / alpha) - lgamma((d + 2 * k) / alpha) - log((k + 1) * (k + 0.5 * d)) - log(4);
}
static double tail_quotient(double alpha, double d, int k) {
  return alpha * log(2) + lgamma(0.5 * (d + alpha * (k + 1))) - lgamma(0.5 * (d + alpha * k)) +
         lgamma(1 + 0.5 * alpha * (k + 1)) - lgamma(1 + 0.5 * alpha * k) - log(k + 1);
}

/* The head ends where three quotients are below 1/8, the tail begins where they are; for alpha > 1 the normal part of
 * the density must have gone, too. */
static void segments(builder *b) {
  const double alpha = b->alpha, d = b->d, least = log(0.125);
  double head = HUGE_VAL, tail = -HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    head = fmin(head, 0.5 * (least - head_quotient(alpha, d, k)));
    tail = fmax(tail, (tail_quotient(alpha, d, k + 1) - least) / alpha);
  }
  if (alpha > 1) tail = fmax(tail, 0.5 * log(4 * (50 + d * (0.5 + 2 * (alpha - 1)))));
  b->log_r0 = head;
  b->log_r1 = fmax(tail, head + 1);
  b->seg[HEAD] = (segment){0, 1, 1};
  b->seg[CORE] = (segment){b->log_r0, b->log_r1, (int)ceil((b->log_r1 - b->log_r0) / 0.5)};
  b->seg[TAIL] = (segment){0, 1, 1};
}

static status build(double alpha, double d, kept_table *to) {
  builder b = {.alpha = alpha, .d = d};
  chebyshev_prepare(&rule, TERMS);
  segments(&b);
  for (int k = 0; k < SEGMENTS; k++) b.n_open += b.seg[k].initial;
  b.open = malloc((size_t)b.n_open * sizeof *b.open);
  b.done = malloc(MOST_PANELS * sizeof *b.done);
  status st = b.open && b.done ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a table of %d panels", b.n_open);
  for (int k = 0, i = 0; k < SEGMENTS && st == STATUS_OK; k++)
    for (int j = 0; j < b.seg[k].initial; j++, i++) {
      const double width = (b.seg[k].high - b.seg[k].low) / b.seg[k].initial;
      b.open[i] = (panel){.low = b.seg[k].low + j * width, .high = b.seg[k].low + (j + 1) * width, .segment = k};
    }
  while (b.n_open > 0 && st == STATUS_OK) st = refine(&b);
  if (st == STATUS_OK) st = lay_out(&b, to);
  free(b.open);
  free(b.done);
  return st;
}

void elliptical_tables_drop(void) {
  for (int i = 0; i < TABLES_KEPT; i++) {
    free(kept[i].par);
    kept[i] = (kept_table){NULL, 0};
  }
  memset(&keys, 0, sizeof keys);
}

static kept_table *kept_of(double alpha, double d) {
  const double key[KEY_NUMBERS] = {alpha, d};
  int known;
  kept_table *k = kept + kept_position(&keys, key, &known);
  devices_on_change(elliptical_tables_drop); /* values are those of the devices that made them */
  if (!known) {
    free(k->par);
    *k = (kept_table){NULL, 0};
  }
  return k;
}

/* The direct kernel takes what the table did not cover, and gave NaN for, BATCH points at a time. */
static status fill_in(int64_t n, column alpha, column d, column r, int slopes, double *const out[3]) {
  enum { BATCH = 1 << 14 };
  double *v = NULL;
  int64_t *at = NULL;
  status st = STATUS_OK;
  for (int64_t i = 0; i < n && st == STATUS_OK;) {
    int64_t m = 0;
    for (; i < n && m < BATCH; i++) {
      if (!isnan(out[0][i]) || isnan(column_at(r, i))) continue;
      if (!v) v = malloc(4 * BATCH * sizeof *v);
      if (!at) at = malloc(BATCH * sizeof *at);
      if (!v || !at) {
        st = fail(STATUS_MEMORY, "no memory for %d points at a time", BATCH);
        break;
      }
      v[m] = column_at(r, i);
      at[m++] = i;
    }
    if (m == 0 || st != STATUS_OK) continue;
    double *const to[3] = {v + BATCH, v + 2 * BATCH, v + 3 * BATCH};
    st = directly(m, alpha, d, (column){v, m}, slopes, to);
    for (int k = 0; k < ELLIPTICAL_OUT && st == STATUS_OK; k++)
      for (int64_t j = 0; j < m; j++) out[k][at[j]] = to[k][j];
  }
  free(v);
  free(at);
  return st;
}

static status by_table(int64_t n, column alpha, column d, column r, int slopes, double *const out[3]) {
  const call_part whole = backend_part();
  kept_table *k = kept_of(alpha.data[0], d.data[0]);
  backend_set_part(whole, NAN, NAN);
  status st = k->par ? STATUS_OK : build(alpha.data[0], d.data[0], k);
  backend_set_part(whole, 0, 1);
  if (st != STATUS_OK) return st;
  k->par[ELLIPTICAL_SLOPES] = slopes != 0;
  task t = {.pipe = &table_pipeline, .n = n, .run = n, .in = {r}, .par = k->par, .n_par = k->n_par};
  for (int j = 0; j < ELLIPTICAL_OUT; j++) t.out[j] = out[j];
  st = backend_run(&t);
  return st ? st : fill_in(n, alpha, d, r, slopes, out);
}

status elliptical_density_values(enum stable_route route, int64_t n, column alpha, column d, column r, int slopes,
                                 double *const out[3]) {
  const int one = alpha.length == 1 && d.length == 1;
  const int wanted = route == BY_TABLE || (route == BY_SIZE && n >= TABLE_LEAST);
  /* The normal distribution has closed forms, and others outside their range NaN. */
  const int known = one && alpha.data[0] >= 0.1 && alpha.data[0] < 2 && d.data[0] >= 1 && d.data[0] < HUGE_VAL;
  return wanted && known ? by_table(n, alpha, d, r, slopes, out) : directly(n, alpha, d, r, slopes, out);
}

/* Quantiles by Newton's method for the log of the smaller tail as a function of log r, with bisection between the
 * bounds that values so far leave; all that are not done at once. Columns of numbers for each. */
enum { Q_S, Q_LOW, Q_HIGH, Q_GOAL, Q_UPPER, Q_ALPHA, Q_D, Q_R, Q_TAILS, Q_DENSITY = Q_TAILS + 2 };
enum { Q_COLUMNS = Q_DENSITY + 3 };
enum { MOST_STEPS = 80 };

/* Where quantile i has to be searched: its columns at position m, 1; else its value in *out, and 0. */
static int quantile_open(double *const q[], int64_t m, double p, double alpha, double d, int lower, int logs,
                         double *out) {
  const double log_p = logs ? p : log(p), other = logs ? log_other(p) : log1p(-p);
  const double log_low = lower ? log_p : other, log_up = lower ? other : log_p;
  const int valid = alpha > 0 && alpha <= 2 && d > 0 && d < HUGE_VAL && (logs ? p <= 0 : p >= 0 && p <= 1);
  *out = !valid ? NAN : log_low == -HUGE_VAL ? 0 : HUGE_VAL;
  if (!valid || log_low == -HUGE_VAL || log_up == -HUGE_VAL) return 0;
  q[Q_UPPER][m] = log_up < log_low;
  q[Q_GOAL][m] = fmin(log_up, log_low);
  q[Q_ALPHA][m] = alpha;
  q[Q_D][m] = d;
  q[Q_LOW][m] = -760;
  q[Q_HIGH][m] = 710;
  q[Q_S][m] = 0.5 * log(d + 1);
  return 1;
}

/* A step of quantile j: 1 if it is found. */
static int quantile_step(double *const q[], int64_t j) {
  /* log f(log r) = log(2 pi^(d/2)/Gamma(d/2)) + d log r + log h */
  const int upper = q[Q_UPPER][j] != 0;
  const double d = q[Q_D][j], s = q[Q_S][j], value = q[Q_TAILS + upper][j], miss = value - q[Q_GOAL][j];
  const double log_f = log(2) + 0.5 * d * log(pi) - lgamma(0.5 * d) + d * s + q[Q_DENSITY][j];
  q[upper ? miss < 0 ? Q_HIGH : Q_LOW : miss > 0 ? Q_HIGH : Q_LOW][j] = s;
  const double low = q[Q_LOW][j], high = q[Q_HIGH][j];
  const double next = s - miss / ((upper ? -1 : 1) * exp(log_f - value)), move = fabs(next - s);
  const int inside = next > low && next < high;
  const int done = miss == 0 || (isfinite(move) && move <= 4e-16 * fmax(1, fabs(s))) || high - low < 1e-15;
  q[Q_S][j] = inside ? next : done ? s : 0.5 * (low + high);
  return done;
}

status elliptical_radius_quantile(int64_t n, column prob, column alpha, column d, int lower, int logs, double *out) {
  double *memory = malloc((size_t)(n + 1) * Q_COLUMNS * sizeof *memory), *q[Q_COLUMNS];
  int64_t *at = malloc((size_t)(n + 1) * sizeof *at), m = 0;
  status st = memory && at ? STATUS_OK : fail(STATUS_MEMORY, "no memory for %lld quantiles", (long long)n);
  for (int k = 0; k < Q_COLUMNS && st == STATUS_OK; k++) q[k] = memory + k * n;
  for (int64_t i = 0; i < n && st == STATUS_OK; i++)
    if (quantile_open(q, m, column_at(prob, i), column_at(alpha, i), column_at(d, i), lower, logs, out + i))
      at[m++] = i;
  for (int step = 0; step < MOST_STEPS && m > 0 && st == STATUS_OK; step++) {
    const column a = {q[Q_ALPHA], m}, dimension = {q[Q_D], m}, r = {q[Q_R], m};
    for (int64_t j = 0; j < m; j++) q[Q_R][j] = exp(q[Q_S][j]);
    st = elliptical_radius_tails(m, a, dimension, r, q + Q_TAILS);
    if (st == STATUS_OK) st = directly(m, a, dimension, r, 0, q + Q_DENSITY);
    int64_t left = 0;
    for (int64_t j = 0; j < m && st == STATUS_OK; j++) {
      const int done = quantile_step(q, j);
      out[at[j]] = exp(q[Q_S][j]);
      if (done) continue;
      for (int k = 0; k <= Q_D; k++) q[k][left] = q[k][j];
      at[left++] = at[j];
    }
    m = left;
  }
  free(memory);
  free(at);
  return st;
}

status elliptical_random(int64_t first, int64_t n, double alpha, int d, const uint32_t key[2], double *normal,
                         double *mixing) {
  const double par[] = {key[0], key[1]};
  task t = {.pipe = &normal_pipeline, .n = n * d, .origin = first * d, .run = n * d, .out = {normal}, .par = par,
            .n_par = 2};
  status st = backend_run(&t);
  if (st) return st;
  if (alpha == 2) {
    for (int64_t i = 0; i < n; i++) mixing[i] = 1;
    return STATUS_OK;
  }
  /* exp(-s^(alpha/2)) is the Laplace transform of the one-sided distribution with this scale; cos(pi alpha/4) is a
   * sine, lest it cancel near 2 */
  const double half = 0.5 * alpha, one = 1, zero = 0, scale = pow(sin(half_pi * (1 - half)), 1 / half);
  const stable_parameters p = {{&half, 1}, {&one, 1}, {&scale, 1}, {&zero, 1}, {&one, 1}};
  return stable_random(first, n, p, key, mixing);
}
