/* stable_spectral_table.c: see stable_spectral_table.h. The table is one of (1 + z^2) Re G by w = asinh(z) and beta:
 * panels with sums of products of Chebyshev polynomials, halved in the variable whose last terms are too large. As
 * Re G(-y, -beta) is the same, w is positive. z is y or, where alpha is small, y without the part that is linear in
 * the skewness: there the univariate functions are the less smooth the smaller alpha is, and beginnings of panels
 * should be there. 25 to 190 panels for alpha from 0.5 to 2 (by ALLOWED, and checks between the nodes); measured at
 * 4,000 places, errors are below 5e-14 of the larger of 1 and the value. */
#include "stable/stable_spectral_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/devices.h"
#include "engine/interpolation.h"
#include "engine/threads.h"

enum { TERMS = 16, NODES = TERMS * TERMS, CHECKS = 12, SAMPLES = NODES + CHECKS };
enum { ROOTS = 12, MOST_PANELS = 4096, DEEPEST = 12 };
/* Roots of the tree are so long up to FEW, and beyond so many times as long. */
static const double ROOT = 1;
enum { FEW = 6, FAR_ROOT = 4 };
static const double SMALL_ALPHA = 0.8, ALLOWED = 3e-14;

typedef struct {
  double w[2], beta[2];
  int split, child, depth; /* by SPLIT_W or SPLIT_BETA, with two children from child on, or none */
  double c[TERMS][TERMS];  /* terms by beta, then by w */
} panel;
enum { LEAF, SPLIT_W, SPLIT_BETA, NOWHERE };

struct spectral_table {
  double shift; /* z = y + shift beta */
  int count;
  panel *panels;
};

typedef struct {
  const spectral_ray *ray;
  const spectral_table *table;
  const int *open;
  double *values;
} round_of;

static spectral_table kept[TABLES_KEPT];
static kept_tables keys;
static chebyshev_rule rule;

static double at_place_of(const round_of *r, double w, double beta) {
  const double z = sinh(w);
  return (1 + z * z) * ray_value(r->ray, 1, beta, z - r->table->shift * beta);
}

/* Between the nodes and at the corners. */
static double check_place(int i, int k) {
  static const int at[2][CHECKS] = {{0, 0, 16, 16, 0, 16, 8, 8, 3, 5, 11, 13},
                                    {0, 16, 0, 16, 7, 9, 0, 16, 4, 12, 2, 10}};
  return cos(3.141592653589793 * at[k][i] / TERMS);
}

static int one_panel(void *context, int64_t piece, int thread) {
  const round_of *r = context;
  const panel *p = r->table->panels + r->open[piece];
  double *v = r->values + piece * SAMPLES;
  (void)thread;
  for (int i = 0; i < SAMPLES; i++) {
    const double s = i < NODES ? rule.cosine[1][i % TERMS] : check_place(i - NODES, 0);
    const double t = i < NODES ? rule.cosine[1][i / TERMS] : check_place(i - NODES, 1);
    v[i] = at_place_of(r, 0.5 * (p->w[0] + p->w[1]) + 0.5 * (p->w[1] - p->w[0]) * s,
                       0.5 * (p->beta[0] + p->beta[1]) + 0.5 * (p->beta[1] - p->beta[0]) * t);
  }
  return 1;
}

static double sum_of(const panel *p, double s, double t) {
  double by_w[TERMS], before = 1, now = t;
  memcpy(by_w, p->c[0], sizeof by_w);
  for (int k = 1; k < TERMS; k++) {
    for (int j = 0; j < TERMS; j++) by_w[j] += now * p->c[k][j];
    const double next = 2 * t * now - before;
    before = now;
    now = next;
  }
  return chebyshev_value(TERMS, by_w, s);
}

/* The terms of a panel, and where it has to be split. */
static int judge(panel *p, const double *v) {
  double most = 0, last[2] = {0, 0};
  for (int j = 0; j < TERMS; j++) chebyshev_terms(&rule, NULL, v + j * TERMS, p->c[j]);
  for (int j = 0; j < TERMS; j++) {
    double column[TERMS], terms[TERMS];
    for (int k = 0; k < TERMS; k++) column[k] = p->c[k][j];
    chebyshev_terms(&rule, NULL, column, terms);
    for (int k = 0; k < TERMS; k++) p->c[k][j] = terms[k];
  }
  for (int i = 0; i < SAMPLES; i++) most = fmax(most, fabs(v[i]));
  for (int k = 0; k < TERMS; k++) {
    last[0] = fmax(last[0], fmax(fabs(p->c[k][TERMS - 1]), 0.25 * fabs(p->c[k][TERMS - 2])));
    last[1] = fmax(last[1], fmax(fabs(p->c[TERMS - 1][k]), 0.25 * fabs(p->c[TERMS - 2][k])));
  }
  double miss = 0;
  for (int i = 0; i < CHECKS; i++)
    miss = fmax(miss, fabs(sum_of(p, check_place(i, 0), check_place(i, 1)) - v[NODES + i]));
  if (fmax(last[0], last[1]) <= ALLOWED * most && miss <= 2 * ALLOWED * most) return LEAF;
  return last[0] >= last[1] ? SPLIT_W : SPLIT_BETA;
}

static void halve(spectral_table *t, int i) {
  panel *p = t->panels + i;
  p->child = t->count;
  for (int k = 0; k < 2; k++) {
    panel *q = t->panels + t->count++;
    *q = *p;
    q->depth++;
    double *ends = p->split == SPLIT_W ? q->w : q->beta;
    ends[1 - k] = 0.5 * (ends[0] + ends[1]);
  }
}

/* One round: the values of all open panels; their children are open next. */
static status refine(round_of *r, spectral_table *t, int *open, int *n_open) {
  const int n = *n_open;
  r->open = open;
  r->values = malloc((size_t)n * SAMPLES * sizeof *r->values);
  if (!r->values) return fail(STATUS_MEMORY, "no memory for a table of %d panels", n);
  threads_run(threads_for(2e6 * n), n, one_panel, r);
  int *next = open + n;
  *n_open = 0;
  for (int i = 0; i < n; i++) {
    panel *p = t->panels + open[i];
    p->split = judge(p, r->values + (size_t)i * SAMPLES);
    if (p->split == LEAF) continue;
    if (p->depth == DEEPEST || t->count + 2 > MOST_PANELS) p->split = NOWHERE;
    else {
      halve(t, open[i]);
      next[(*n_open)++] = p->child;
      next[(*n_open)++] = p->child + 1;
    }
  }
  free(r->values);
  return backend_pause(0) ? STATUS_INTERRUPT : STATUS_OK;
}

static status build(const spectral_ray *ray, spectral_table *t) {
  panel *panels = malloc(MOST_PANELS * sizeof *panels);
  int *open = malloc(2 * MOST_PANELS * sizeof *open), *now = open, n_open = ROOTS;
  status st = panels && open ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a table of %d panels", MOST_PANELS);
  *t = (spectral_table){.shift = ray->alpha < SMALL_ALPHA ? ray->tangent : 0, .count = ROOTS, .panels = panels};
  chebyshev_prepare(&rule, TERMS);
  double from = 0;
  for (int i = 0; i < ROOTS && st == STATUS_OK; i++) {
    const double to = from + (i < FEW ? ROOT : FAR_ROOT * ROOT);
    panels[i] = (panel){.w = {from, to}, .beta = {-1, 1}};
    open[i] = i;
    from = to;
  }
  round_of r = {ray, t, NULL, NULL};
  while (n_open > 0 && st == STATUS_OK) {
    const int done = n_open;
    st = refine(&r, t, now, &n_open);
    now += done;
  }
  free(open);
  if (st == STATUS_OK) {
    panel *fewer = realloc(panels, (size_t)t->count * sizeof *fewer);
    if (fewer) t->panels = fewer;
  } else {
    free(panels);
    *t = (spectral_table){0};
  }
  return st;
}

static void drop(void) {
  for (int i = 0; i < TABLES_KEPT; i++) {
    free(kept[i].panels);
    kept[i] = (spectral_table){0};
  }
  memset(&keys, 0, sizeof keys);
}

status spectral_table_of(const spectral_ray *r, const spectral_table **table) {
  const double key[KEY_NUMBERS] = {r->alpha};
  int known;
  spectral_table *t = kept + kept_position(&keys, key, &known);
  devices_on_change(drop); /* which frees it at shutdown */
  if (!known) {
    free(t->panels);
    *t = (spectral_table){0};
  }
  *table = t;
  return t->panels ? STATUS_OK : build(r, t);
}

double spectral_table_value(const spectral_table *t, double beta, double y) {
  double z = y + t->shift * beta;
  if (z < 0) z = -z, beta = -beta;
  const double w = asinh(z);
  const int root = w < FEW * ROOT ? (int)(w / ROOT) : FEW + (int)((w / ROOT - FEW) / FAR_ROOT);
  if (!(w < (FEW + (ROOTS - FEW) * FAR_ROOT) * ROOT)) return NAN;
  const panel *p = t->panels + root;
  while (p->split == SPLIT_W || p->split == SPLIT_BETA) {
    const int high = p->split == SPLIT_W ? w > 0.5 * (p->w[0] + p->w[1]) : beta > 0.5 * (p->beta[0] + p->beta[1]);
    p = t->panels + p->child + high;
  }
  if (p->split == NOWHERE) return NAN;
  const double s = (2 * w - p->w[0] - p->w[1]) / (p->w[1] - p->w[0]);
  return sum_of(p, s, (2 * beta - p->beta[0] - p->beta[1]) / (p->beta[1] - p->beta[0])) / (1 + z * z);
}
