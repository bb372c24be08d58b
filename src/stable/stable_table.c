/* stable_table.c: tables of one stable distribution for many points: piecewise Chebyshev polynomials of the log
 * density, the log of the smaller tail, and the quantile.
 *
 * Layout and coordinates: inst/kernels/stable/stable_table.h. A panel takes its values from the direct kernels at
 * Chebyshev nodes and is compared with them at CHECKS further points between the nodes; where a difference exceeds
 * the tolerance, or one of the last two coefficients does, the panel is halved, at most DEEPEST times and while there
 * are at most MOST_PANELS. What is not accepted by then, and what lies beyond the segments (tail_mass of the
 * distribution on a side, or log f below lightest), has no panel: there the direct kernels serve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/devices.h"
#include "engine/interpolation.h"
#include "programs/programs.h"
#include "stable/stable.h"
#include "kernels/stable/stable_columns.h"
#include "kernels/stable/stable_table.h"

enum { TERMS = TABLE_TERMS, CHECKS = 8, POINTS_A_PANEL = TERMS + CHECKS, DEEPEST = 8, MOST_PANELS = 256 };

/* From this many points on a table pays: it is made from some 1000 to 6000 values. */
enum { TABLE_LEAST = 16384 };

static const double tail_mass = 1e-6, lightest = -60;

typedef struct {
  double low, high;
  int segment, depth, upper;
  double c[2][TERMS];
} panel;

typedef struct {
  double low, high;
  int initial; /* panels that it is first cut into; 0: no segment */
} segment;

/* A table in the making. values() gives log f and the logs of both tails at m points in coordinate s of the panels'
 * segments, or for quantiles the value three times. */
typedef struct builder builder;
struct builder {
  double alpha, beta, part_l, part_r;
  int by_zeta, functions;
  segment seg[2];
  status (*values)(const builder *b, int64_t m, const double *s, const int *seg, double *const v[3]);
  panel *open, *done;
  int n_open, n_done, n_tried;
};

/* Tables of one distribution, as par of its tasks: of values and of quantiles. */
typedef struct {
  double *par[2];
  int32_t n_par[2];
} kept_distribution;
static kept_distribution kept[TABLES_KEPT];
static kept_tables keys;
static chebyshev_rule rule;

static stable_parameters distribution_of(const builder *b, const double *pm) {
  return stable_standard((column){&b->alpha, 1}, (column){&b->beta, 1}, (column){pm, 1});
}

static status forward_values(const builder *b, int64_t m, const double *s, const int *seg, double *const v[3]) {
  const double pm = b->by_zeta;
  double *x = malloc((size_t)m * sizeof *x);
  if (!x) return fail(STATUS_MEMORY, "no memory for a table of %lld points", (long long)m);
  for (int64_t i = 0; i < m; i++) x[i] = (seg[i] ? 1 : -1) * (b->by_zeta ? exp(s[i]) : expm1(s[i]));
  const status st = stable_joint(m, m, (column){x, m}, distribution_of(b, &pm), 1, v, NULL);
  free(x);
  return st;
}

static status inverse_values(const builder *b, int64_t m, const double *s, const int *seg, double *const v[3]) {
  for (int64_t i = 0; i < m; i++) {
    const double t = s[i], far = 1 / (1 + exp(t)), near = 1 / (1 + exp(-t));
    double lower = near, upper = far;
    if (b->by_zeta) {
      lower = seg[i] ? b->part_r + b->part_l * near : b->part_r * far;
      upper = seg[i] ? b->part_l * far : b->part_l + b->part_r * near;
    }
    v[1][i] = log(lower);
    v[2][i] = log(upper);
  }
  return stable_quantile_unknown(m, b->alpha, b->beta, v[1], v[2], v[0]);
}

static double check_point(int j) {
  /* half way, in the angle, between nodes, and the ends */
  static const int at[CHECKS] = {0, 2, 4, 7, 9, 12, 14, TERMS};
  return cos(pi * at[j] / TERMS);
}

/* Tolerances: a log may be wrong by 4e-14 and by five of its ulps; a quantile's log |y| or asinh(x) by 3e-14 of the
 * larger of 1 and itself. */
static double tolerance(const builder *b, double value) {
  return b->functions == 2 ? 4e-14 + 1e-15 * fabs(value) : 3e-14 * fmax(1, fabs(value));
}

static int fits(const builder *b, const double *v, double *c) {
  chebyshev_terms(&rule, NULL, v, c);
  for (int j = 0; j < CHECKS; j++) {
    const double value = v[TERMS + j], allowed = tolerance(b, value);
    if (!(fabs(chebyshev_value(TERMS, c, check_point(j)) - value) <= allowed)) return 0;
    if (!(fabs(c[TERMS - 1]) <= allowed && fabs(c[TERMS - 2]) <= allowed)) return 0;
  }
  return 1;
}

/* Are all values of the panel too small to be wanted? */
static int vanishes(const double *v) {
  for (int j = 0; j < POINTS_A_PANEL; j++)
    if (v[j] > lightest) return 0;
  return 1;
}

static void judge(builder *b, const panel *p, double *const v[3], panel *next, int *n_next) {
  panel q = *p;
  q.upper = v[2][TERMS / 2] < v[1][TERMS / 2];
  if (b->functions == 2 && vanishes(v[0])) return;
  if (fits(b, v[0], q.c[0]) && (b->functions == 1 || fits(b, v[q.upper ? 2 : 1], q.c[1]))) {
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

/* One round: the values of all open panels in one task. */
static status refine(builder *b) {
  const int64_t m = (int64_t)b->n_open * POINTS_A_PANEL;
  b->n_tried += b->n_open;
  double *s = malloc((size_t)m * 4 * sizeof *s);
  int *seg = malloc((size_t)m * sizeof *seg);
  panel *next = malloc((size_t)b->n_open * 2 * sizeof *next);
  int n_next = 0;
  status st = s && seg && next ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a table of %d panels", b->n_open);
  if (st == STATUS_OK) {
    double *const v[3] = {s + m, s + 2 * m, s + 3 * m};
    for (int i = 0; i < b->n_open; i++)
      for (int j = 0; j < POINTS_A_PANEL; j++) {
        const panel *p = b->open + i;
        const double tau = j < TERMS ? rule.cosine[1][j] : check_point(j - TERMS);
        s[i * POINTS_A_PANEL + j] = 0.5 * (p->low + p->high) + 0.5 * (p->high - p->low) * tau;
        seg[i * POINTS_A_PANEL + j] = p->segment;
      }
    st = b->values(b, m, s, seg, v);
    for (int i = 0; i < b->n_open && st == STATUS_OK; i++) {
      const int64_t at = (int64_t)i * POINTS_A_PANEL;
      double *const mine[3] = {v[0] + at, v[1] + at, v[2] + at};
      judge(b, b->open + i, mine, next, &n_next);
    }
  }
  free(s);
  free(seg);
  free(b->open);
  b->open = next;
  b->n_open = n_next;
  return st;
}

/* The finished panels as par. */
static status lay_out(const builder *b, double **par, int32_t *n_par) {
  int64_t cells[2], size = TABLE_MAPS;
  int deepest[2] = {0, 0};
  for (int i = 0; i < b->n_done; i++)
    if (b->done[i].depth > deepest[b->done[i].segment]) deepest[b->done[i].segment] = b->done[i].depth;
  for (int k = 0; k < 2; k++) size += cells[k] = (int64_t)b->seg[k].initial << deepest[k];
  const int64_t first = size;
  size += (int64_t)b->n_done * PANEL_SIZE;
  double *to = calloc((size_t)size, sizeof *to);
  if (!to) return fail(STATUS_MEMORY, "no memory for a table of %d panels", b->n_done);
  to[TABLE_BY_ZETA] = b->by_zeta;
  to[TABLE_PART_L] = b->part_l;
  to[TABLE_PART_R] = b->part_r;
  to[TABLE_NOWHERE] = TABLE_NOWHERE;
  for (int64_t i = TABLE_MAPS; i < first; i++) to[i] = TABLE_NOWHERE;
  for (int k = 0; k < 2; k++) {
    double *head = to + (k ? TABLE_SEGMENT_1 : TABLE_SEGMENT_0);
    head[SEGMENT_LOW] = b->seg[k].low;
    head[SEGMENT_RATE] = cells[k] ? (double)cells[k] / (b->seg[k].high - b->seg[k].low) : 0;
    head[SEGMENT_CELLS] = (double)cells[k];
    head[SEGMENT_MAP] = (double)(TABLE_MAPS + (k ? cells[0] : 0));
  }
  for (int i = 0; i < b->n_done; i++) {
    const panel *p = b->done + i;
    const double *head = to + (p->segment ? TABLE_SEGMENT_1 : TABLE_SEGMENT_0);
    const int64_t at = first + (int64_t)i * PANEL_SIZE;
    const int64_t from = llround((p->low - head[SEGMENT_LOW]) * head[SEGMENT_RATE]);
    const int64_t count = (int64_t)1 << (deepest[p->segment] - p->depth);
    to[at + PANEL_CENTRE] = 0.5 * (p->low + p->high);
    to[at + PANEL_RATE] = 2 / (p->high - p->low);
    to[at + PANEL_UPPER] = p->upper;
    memcpy(to + at + PANEL_VALUES, p->c, sizeof p->c);
    for (int64_t c = from; c < from + count; c++) to[(int64_t)head[SEGMENT_MAP] + c] = (double)at;
  }
  *par = to;
  *n_par = (int32_t)size;
  return STATUS_OK;
}

/* log |y| where less than tail_mass lies beyond, by the first term of the tail series. */
static double far_end(double alpha, double heavy) {
  const double power = sin(0.5 * pi * alpha) * fmax(heavy, 1e-3);
  return (lgamma(alpha) + log(power / pi) - log(tail_mass)) / alpha;
}

/* log y where log f = -exp(log_g), nearly, on the side of |beta| = 1 where g has a minimum (stable_log_gmin,
 * stable.h); or, inside the support, where the mass up to there is tail_mass. */
static double near_end(const builder *b) {
  const double alpha = b->alpha, t = stable_tangent(alpha) * b->beta;
  const double log_a = 0.5 * log1p(t * t), e1 = 1 / (alpha - 1);
  if (fabs(b->beta) == 1)
    return (log(-lightest) + e1 * log_a + alpha * e1 * log(alpha) - log(1 - alpha)) / (alpha * e1);
  return log(tail_mass) + log_a / alpha - lgamma(1 + 1 / alpha);
}

static segment segment_of(double low, double high, double width) {
  return (segment){low, high, high > low ? (int)ceil(fmin((high - low) / width, 64)) : 0};
}

static void forward_segments(builder *b) {
  const double alpha = b->alpha;
  for (int k = 0; k < 2; k++) {
    const double heavy = k ? 1 + b->beta : 1 - b->beta, far = far_end(alpha, heavy);
    if (!b->by_zeta) b->seg[k] = segment_of(0, fmin(fmax(far, 4), 40), 1.5);
    else if (heavy == 0) b->seg[k] = segment_of(0, 0, 1);
    else b->seg[k] = segment_of(near_end(b), far, 1.5 / alpha);
  }
}

static void inverse_segments(builder *b) {
  const double far = -log(tail_mass), close = log(1e-3);
  b->seg[0] = segment_of(0, 0, 1);
  b->seg[1] = segment_of(-far, far, 1.5);
  if (!b->by_zeta) return;
  /* |y| on each side of zeta; close to it the mass is a difference, unless zeta is the end of the support */
  if (b->part_r > 0) b->seg[0] = segment_of(b->part_l > 0 ? close : -far, far, 1.5);
  b->seg[1] = b->part_l > 0 ? segment_of(b->part_r > 0 ? close : -far, far, 1.5) : segment_of(0, 0, 1);
}

static status zeta_parts(builder *b) {
  static const double y = 0, pm = 1;
  double v[3] = {0}, *const out[3] = {v, v + 1, v + 2};
  if (!b->by_zeta) return STATUS_OK;
  const status st = stable_joint(1, 1, (column){&y, 1}, distribution_of(b, &pm), 0, out, NULL);
  b->part_r = v[1];
  b->part_l = v[2];
  return st;
}

static status build(double alpha, double beta, int inverse, double **par, int32_t *n_par) {
  builder b = {.alpha = alpha, .beta = beta, .by_zeta = stable_by_zeta(alpha), .functions = inverse ? 1 : 2,
               .values = inverse ? inverse_values : forward_values};
  status st = zeta_parts(&b);
  if (st != STATUS_OK) return st;
  chebyshev_prepare(&rule, TERMS);
  if (inverse) inverse_segments(&b);
  else forward_segments(&b);
  b.n_open = b.seg[0].initial + b.seg[1].initial;
  b.open = malloc((size_t)(b.n_open + 1) * sizeof *b.open);
  b.done = malloc(MOST_PANELS * sizeof *b.done);
  if (st == STATUS_OK && (!b.open || !b.done))
    st = fail(STATUS_MEMORY, "no memory for a table of %d panels", b.n_open);
  for (int k = 0, i = 0; k < 2 && st == STATUS_OK; k++)
    for (int j = 0; j < b.seg[k].initial; j++, i++) {
      const double width = (b.seg[k].high - b.seg[k].low) / b.seg[k].initial;
      b.open[i] = (panel){.low = b.seg[k].low + j * width, .high = b.seg[k].low + (j + 1) * width, .segment = k};
    }
  while (b.n_open > 0 && st == STATUS_OK) st = refine(&b);
  if (st == STATUS_OK) st = lay_out(&b, par, n_par);
  free(b.open);
  free(b.done);
  return st;
}

static void drop(kept_distribution *k) {
  free(k->par[0]);
  free(k->par[1]);
  memset(k, 0, sizeof *k);
}

void stable_tables_drop(void) {
  for (int i = 0; i < TABLES_KEPT; i++) drop(kept + i);
  memset(&keys, 0, sizeof keys);
}

static kept_distribution *kept_of(double alpha, double beta) {
  const double key[KEY_NUMBERS] = {alpha, beta};
  int known;
  kept_distribution *k = kept + kept_position(&keys, key, &known);
  devices_on_change(stable_tables_drop); /* values are those of the devices that made them */
  if (!known) drop(k);
  return k;
}

#define TABLE_PIPELINE(kernel, cost)                                                                              \
  {.name = "table of a stable distribution", .n_set_in = STABLE_SET_COLUMNS, .n_in = STABLE_COLUMNS, .n_out = 1, \
   .n_set_work = STABLE_DISTRIBUTION_COLUMNS, .step = {KERNEL_stable_table_param, kernel}, .ns_per_point = cost}
static const pipeline table_pipeline[2] = {TABLE_PIPELINE(KERNEL_stable_table, 25),
                                           TABLE_PIPELINE(KERNEL_stable_table_quantile, 35)};

static status directly(enum stable_value what, int64_t n, column x, stable_parameters p, int logs, double *out) {
  switch (what) {
  case STABLE_DENSITY: return stable_density(n, 1, x, p, logs, out);
  case STABLE_LOWER:
  case STABLE_UPPER: return stable_tail(n, 1, x, p, what == STABLE_LOWER, logs, out);
  default: return stable_quantile(n, x, p, what == STABLE_LOWER_QUANTILE, logs, out);
  }
}

/* The direct kernels take what the table did not cover, and gave NaN for, BATCH points at a time. */
static status fill_in(enum stable_value what, int64_t n, column x, stable_parameters p, int logs, double *out) {
  enum { BATCH = 1 << 16 };
  const call_part whole = backend_part();
  double *v = NULL;
  int64_t *at = NULL;
  status st = STATUS_OK;
  for (int64_t i = 0; i < n && st == STATUS_OK;) {
    int64_t m = 0;
    for (; i < n && m < BATCH; i++) {
      if (!isnan(out[i])) continue;
      if (!v) v = malloc(4 * BATCH * sizeof *v);
      if (!at) at = malloc(BATCH * sizeof *at);
      if (!v || !at) {
        st = fail(STATUS_MEMORY, "no memory for %d points at a time", BATCH);
        break;
      }
      v[m] = column_at(x, i);
      v[BATCH + m] = column_at(p.gamma, i);
      v[2 * BATCH + m] = column_at(p.delta, i);
      at[m++] = i;
    }
    if (m == 0 || st != STATUS_OK) continue;
    stable_parameters q = p;
    if (p.gamma.length > 1) q.gamma = (column){v + BATCH, m};
    if (p.delta.length > 1) q.delta = (column){v + 2 * BATCH, m};
    backend_set_part(whole, (double)i / (double)n, (double)i / (double)n);
    st = directly(what, m, (column){v, m}, q, logs, v + 3 * BATCH);
    for (int64_t j = 0; j < m && st == STATUS_OK; j++) out[at[j]] = v[3 * BATCH + j];
  }
  backend_set_part(whole, 0, 1);
  free(v);
  free(at);
  return st;
}

/* Distributions with closed forms need no table, and for the smallest alpha logs of |y| fill the range of
 * exponents. */
static int has_table(double alpha, double beta, double pm) {
  const int known = fabs(beta) <= 1 && (pm == 0 || pm == 1 || pm == 2), closed = alpha == 1 && beta == 0;
  return alpha >= 0.02 && alpha < 2 && known && !closed;
}

static status by_table(enum stable_value what, int64_t n, column x, stable_parameters p, int logs, double *out) {
  const int inverse = what == STABLE_LOWER_QUANTILE || what == STABLE_UPPER_QUANTILE;
  const int lower = what == STABLE_LOWER || what == STABLE_LOWER_QUANTILE;
  const double alpha = p.alpha.data[0], beta = p.beta.data[0];
  const call_part whole = backend_part();
  kept_distribution *k = kept_of(alpha, beta);
  double *modes = NULL;
  column mode;
  backend_set_part(whole, NAN, NAN);
  status st = k->par[inverse] ? STATUS_OK : build(alpha, beta, inverse, &k->par[inverse], &k->n_par[inverse]);
  if (st == STATUS_OK) st = stable_modes(1, p, &modes, &mode);
  backend_set_part(whole, 0, 1);
  if (st == STATUS_OK) {
    task t = stable_task(table_pipeline + inverse, n, n, x, p, mode);
    k->par[inverse][TABLE_LOG] = logs;
    k->par[inverse][TABLE_WHAT] = what == STABLE_DENSITY ? TABLE_DENSITY : lower ? TABLE_LOWER : TABLE_UPPER;
    t.out[0] = out;
    t.par = k->par[inverse];
    t.n_par = k->n_par[inverse];
    /* a half for what the table does not cover: usually nothing, but the direct kernels are slow */
    backend_set_part(whole, 0, 0.5);
    st = backend_run(&t);
  }
  free(modes);
  backend_set_part(whole, 0.5, 1);
  if (st == STATUS_OK) st = fill_in(what, n, x, p, logs, out);
  backend_set_part(whole, 0, 1);
  return st;
}

status stable_values(enum stable_value what, enum stable_route route, int64_t n, column x, stable_parameters p,
                     int logs, double *out) {
  const int one_distribution = p.alpha.length == 1 && p.beta.length == 1 && p.pm.length == 1;
  const int wanted = route == BY_TABLE || (route == BY_SIZE && n >= TABLE_LEAST);
  return wanted && one_distribution && has_table(p.alpha.data[0], p.beta.data[0], p.pm.data[0])
             ? by_table(what, n, x, p, logs, out)
             : directly(what, n, x, p, logs, out);
}
