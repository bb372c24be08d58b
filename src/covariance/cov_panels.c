/* cov_panels.c: Chebyshev sums of degree NODES - 1 over panels of x, halved until the last terms are within the
 * noise. Where a function is smooth they converge geometrically, and a wave takes about one value per radian, where
 * cells of a table (cov_table.c) of low degree take some sixty. */
#include "covariance/cov_panels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "engine/interpolation.h"
#include "kernels/covariance/covariance_par.h"

/* A sum of 32 terms holds a wave of 30 radians to 1e-16: its terms are 2 J_k(15). Panels begin with OCTAVES of x, of
 * which halving splits off one after the other where that is too much. DEPTH: halvings; what wants more has a kink,
 * and is evaluated itself. */
enum { NODES = MOST_NODES, LAST_TERMS = 3, OCTAVES = 8, DEPTH = OCTAVES + 5, WAVE_RADIANS = 30 };

typedef struct {
  double left, right, before, term[NODES];
  int depth, done, direct;
} panel;

struct cov_panels {
  const cov_source *source;
  int need, n, room;
  double unit;
  panel *panel; /* in order when they are made */
};

static chebyshev_rule exact;
static double node[NODES], rounded[NODES][MOST_NODES];

static void prepare(void) {
  if (exact.n) return;
  chebyshev_rounded(NODES, node, rounded);
  chebyshev_prepare(&exact, NODES);
}

static int add(cov_panels *p, double left, double right, int depth, double before) {
  if (p->n == p->room) {
    const int room = 2 * p->room + 64;
    panel *larger = realloc(p->panel, (size_t)room * sizeof *larger);
    if (!larger) return 0;
    p->panel = larger;
    p->room = room;
  }
  p->panel[p->n++] = (panel){.left = left, .right = right, .depth = depth, .before = before};
  return 1;
}

/* A sum is good if its last terms are below an eps of the unit; where halving no longer makes them smaller, they are
 * noise. */
static void judge(panel *q, double unit) {
  double last = 0;
  for (int k = NODES - LAST_TERMS; k < NODES; k++) last = fmax(last, fabs(q->term[k]) / unit);
  q->done = last <= DBL_EPSILON || (last > q->before / 4 && last <= 8 * DBL_EPSILON);
  if (!q->done && (q->depth == DEPTH || !isfinite(last))) q->done = q->direct = 1;
  q->before = last;
}

/* Values of all panels that are not done, which are then done or halved. */
static status next_round(cov_panels *p, int *open) {
  int64_t count = 0, at = 0;
  const int n = p->n;
  for (int i = 0; i < n; i++) count += p->panel[i].done ? 0 : NODES;
  *open = 0;
  if (!count) return STATUS_OK;
  double *x = malloc((size_t)count * 2 * sizeof *x), *v = x + count;
  if (!x) return fail(STATUS_MEMORY, "covariances: no memory for a table");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < NODES && !p->panel[i].done; j++) {
      const double middle = (p->panel[i].left + p->panel[i].right) / 2;
      x[at++] = middle + (p->panel[i].right - middle) * node[j];
    }
  status st = p->source->values(p->source, p->need, 1, count, x, v);
  at = 0;
  for (int i = 0; i < n && !st; i++) {
    panel *q = p->panel + i;
    if (q->done) continue;
    chebyshev_terms(&exact, rounded, v + at, q->term);
    at += NODES;
    judge(q, p->unit);
    if (q->done) continue;
    const double middle = (q->left + q->right) / 2, right = q->right;
    const int depth = ++q->depth;
    q->right = middle;
    if (!add(p, middle, right, depth, q->before)) st = fail(STATUS_MEMORY, "covariances: no memory for a table");
    *open = 1;
  }
  free(x);
  return st;
}

static int by_position(const void *a, const void *b) {
  const double x = ((const panel *)a)->left, y = ((const panel *)b)->left;
  return (x > y) - (x < y);
}

cov_panels *cov_panels_make(const cov_source *s, int need, int low, int high, status *st) {
  cov_panels *p = calloc(1, sizeof *p);
  int open = 1, room = p != NULL;
  prepare();
  if (p) *p = (cov_panels){.source = s, .need = need, .unit = need == NEED_SHAPE ? s->unit : 1};
  /* waves are as long as 1024 of them reach to the farthest */
  const double widest = s->farthest * WAVE_RADIANS / 1024;
  for (int k = low; k < high && room; k += OCTAVES) {
    const double left = ldexp(1, k), right = ldexp(1, k + OCTAVES < high ? k + OCTAVES : high);
    const int pieces = (int)fmin(fmax(ceil((right - left) / widest), 1), 4096);
    for (int i = 0; i < pieces && room; i++)
      room = add(p, i ? p->panel[p->n - 1].right : left,
                 i + 1 < pieces ? left + (right - left) * (i + 1) / pieces : right, 0, INFINITY);
  }
  *st = room ? STATUS_OK : fail(STATUS_MEMORY, "covariances: no memory for a table");
  while (!*st && open) *st = next_round(p, &open);
  if (!*st) qsort(p->panel, (size_t)p->n, sizeof *p->panel, by_position);
  if (*st) {
    cov_panels_free(p);
    return NULL;
  }
  return p;
}

static const panel *find(const cov_panels *p, double x) {
  int from = 0, to = p->n - 1;
  while (from < to) {
    const int middle = (from + to + 1) / 2;
    if (p->panel[middle].left <= x) from = middle;
    else to = middle - 1;
  }
  return p->panel + from;
}

/* Clenshaw's recurrence */
static double sum_at(const panel *q, double x) {
  const double middle = (q->left + q->right) / 2, u = (x - middle) / (q->right - middle);
  double b = 0, b1 = 0;
  for (int k = NODES - 1; k > 0; k--) {
    const double next = 2 * u * b - b1 + q->term[k];
    b1 = b;
    b = next;
  }
  return u * b - b1 + q->term[0];
}

status cov_panels_values(const cov_panels *p, int64_t n, const double *x, double *out) {
  int64_t direct = 0;
  for (int64_t i = 0; i < n; i++) {
    const panel *q = find(p, x[i]);
    direct += q->direct;
    out[i] = q->direct ? NAN : sum_at(q, x[i]);
  }
  if (!direct) return STATUS_OK;
  double *own = malloc((size_t)direct * 2 * sizeof *own), *v = own + direct;
  if (!own) return fail(STATUS_MEMORY, "covariances: no memory for a table");
  direct = 0;
  for (int64_t i = 0; i < n; i++)
    if (isnan(out[i])) own[direct++] = x[i];
  const status st = p->source->values(p->source, p->need, 1, direct, own, v);
  direct = 0;
  for (int64_t i = 0; i < n && !st; i++)
    if (isnan(out[i])) out[i] = v[direct++];
  free(own);
  return st;
}

void cov_panels_free(cov_panels *p) {
  if (p) free(p->panel);
  free(p);
}
