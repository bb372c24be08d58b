/* test_laplace.c: linear algebra of Laplace's approximation against dense matrices. */
#include "check.h"

#include "gp/laplace.h"

/* Points in the unit square with the exponential covariance of range 0.2, each given the m nearest before it. */
typedef struct {
  int64_t n;
  int m;
  int32_t *members, *start, *near, *from;
  double *x, *variance, *weights, *w, *diagonal, *below;
  laplace_system a;
  laplace_factor v;
} made;

static double apart(const made *p, int64_t i, int64_t k) {
  return hypot(p->x[2 * i] - p->x[2 * k], p->x[2 * i + 1] - p->x[2 * k + 1]);
}

/* b = inv(l l') b with the factor l of the count x count matrix a in its place. */
static void solve_small(int count, double *a, double *b) {
  for (int k = 0; k < count; k++)
    for (int i = k; i < count; i++) {
      double sum = a[i * count + k];
      for (int j = 0; j < k; j++) sum -= a[i * count + j] * a[k * count + j];
      a[i * count + k] = i == k ? sqrt(sum) : sum / a[k * count + k];
    }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) b[i] -= a[i * count + j] * b[j];
    b[i] /= a[i * count + i];
  }
  for (int i = count - 1; i >= 0; i--) {
    for (int j = i + 1; j < count; j++) b[i] -= a[j * count + i] * b[j];
    b[i] /= a[i * count + i];
  }
}

/* Variances and weights by the pattern for a range. */
static void fill_prior(const made *p, double range, double *variance, double *weights) {
  double *a = reals((int64_t)p->m * p->m), *b = reals(p->m);
  for (int64_t k = 0; k < p->n; k++) {
    const int count = p->start[k + 1] - p->start[k];
    const int32_t *near = p->near + p->start[k];
    for (int i = 0; i < count; i++) {
      b[i] = exp(-apart(p, k, near[i]) / range);
      for (int j = 0; j < count; j++) a[i * count + j] = exp(-apart(p, near[i], near[j]) / range);
    }
    solve_small(count, a, b);
    variance[k] = 1;
    for (int i = 0; i < count; i++) {
      variance[k] -= b[i] * exp(-apart(p, k, near[i]) / range);
      weights[p->start[k] + i] = b[i];
    }
  }
  free(a);
  free(b);
}

static made make(int64_t n, int m) {
  made p = {.n = n, .m = m, .members = room((size_t)(n * m) * sizeof(int32_t)),
            .start = room((size_t)(n + 1) * sizeof(int32_t)), .near = room((size_t)(n * m) * sizeof(int32_t)),
            .from = room((size_t)(n * m) * sizeof(int32_t)), .x = reals(2 * n), .variance = reals(n),
            .weights = reals(n * m), .w = reals(n), .diagonal = reals(n), .below = reals(n * m)};
  for (int64_t i = 0; i < 2 * n; i++) p.x[i] = uniform();
  for (int64_t k = 0; k < n; k++) {
    int32_t *own = p.members + k * m;
    int found = 0;
    for (int64_t i = k < 4 * m ? 0 : k - 4 * m; i < k; i++) { /* nearest first, of some before it */
      int at = found;
      for (; at > 0 && apart(&p, k, own[at - 1] - 1) > apart(&p, k, i); at--)
        if (at < m) own[at] = own[at - 1];
      if (at < m) own[at] = (int32_t)i + 1;
      if (found < m) found++;
    }
    for (; found < m; found++) own[found] = INT32_MIN;
    p.w[k] = exp(2 * uniform() - 1);
  }
  laplace_sort(n, m, p.members, p.start, p.near, p.from);
  fill_prior(&p, 0.2, p.variance, p.weights);
  p.a = (laplace_system){{n, p.start, p.near}, p.variance, p.weights, p.w};
  p.v = (laplace_factor){p.diagonal, p.below};
  return p;
}

static void discard(made *p) {
  void *all[] = {p->members, p->start, p->near, p->from, p->x, p->variance, p->weights, p->w, p->diagonal, p->below};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Q + W, and the lower triangular matrix of V. */
static double *dense_system(const laplace_system *a) {
  const int64_t n = a->at.n;
  double *q = reals(n * n), *row = reals(n);
  memset(q, 0, (size_t)(n * n) * sizeof *q);
  for (int64_t k = 0; k < n; k++) {
    memset(row, 0, (size_t)n * sizeof *row);
    row[k] = 1;
    for (int32_t p = a->at.start[k]; p < a->at.start[k + 1]; p++) row[a->at.near[p]] = -a->weights[p];
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) q[i * n + j] += row[i] * row[j] / a->variance[k];
    if (a->w) q[k * n + k] += a->w[k];
  }
  free(row);
  return q;
}

static double *dense_product(const made *p) { /* V' V */
  const int64_t n = p->n;
  double *q = reals(n * n), *row = reals(n);
  memset(q, 0, (size_t)(n * n) * sizeof *q);
  for (int64_t k = 0; k < n; k++) {
    memset(row, 0, (size_t)n * sizeof *row);
    row[k] = p->diagonal[k];
    for (int32_t i = p->start[k]; i < p->start[k + 1]; i++) row[p->near[i]] = p->below[i];
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) q[i * n + j] += row[i] * row[j];
  }
  free(row);
  return q;
}

static double dense_log_det(int64_t n, double *a) {
  double sum = 0, *b = reals(n);
  memset(b, 0, (size_t)n * sizeof *b);
  solve_small((int)n, a, b);
  for (int64_t k = 0; k < n; k++) sum += 2 * log(a[k * n + k]);
  free(b);
  return sum;
}

static double log_det_of(const made *p) {
  int64_t replaced;
  double *diagonal = reals(p->n), *below = reals(p->n * p->m);
  check(!laplace_factorise(&p->a, diagonal, below, &replaced) && replaced == 0, "factor");
  const double sum = laplace_log_det(p->n, diagonal);
  free(diagonal);
  free(below);
  return sum;
}

static void test_sort(const made *p) {
  int bad = 0;
  for (int64_t k = 0; k < p->n; k++)
    for (int32_t i = p->start[k]; i < p->start[k + 1]; i++)
      bad += (i > p->start[k] && p->near[i] <= p->near[i - 1]) || p->near[i] >= k ||
             p->members[k * p->m + p->from[i]] != p->near[i] + 1;
  check(bad == 0, "%d neighbours are not where they belong", bad);
}

/* On the pattern V' V is Q + W: sums of some hundred products of numbers of the size of the diagonal. */
static void test_factor(made *p, const char *what) {
  const int64_t n = p->n;
  int64_t replaced;
  double worst = 0, left = 0;
  check(!laplace_factorise(&p->a, p->diagonal, p->below, &replaced) && replaced == 0, "%s: factor", what);
  double *a = dense_system(&p->a), *q = dense_product(p);
  for (int64_t k = 0; k < n; k++) {
    worst = fmax(worst, fabs(q[k * n + k] / a[k * n + k] - 1));
    for (int32_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t j = p->near[i];
      worst = fmax(worst, fabs(q[k * n + j] - a[k * n + j]) / sqrt(a[k * n + k] * a[j * n + j]));
    }
    for (int64_t j = 0; j < n; j++) left = fmax(left, fabs(q[k * n + j] - a[k * n + j]));
  }
  check(worst < 1e-13, "%s: V' V is off by %g on the pattern", what, worst);
  check(p->m == n - 1 ? left < 1e-10 : left > 1e-3, "%s: V' V is off by %g at all", what, left);
  free(a);
  free(q);
}

/* Without W it is inv(sqrt(D)) B. */
static void test_prior(const made *p) {
  laplace_system a = p->a;
  int64_t replaced;
  double worst = 0, *diagonal = reals(p->n), *below = reals(p->n * p->m);
  a.w = NULL;
  check(!laplace_factorise(&a, diagonal, below, &replaced) && replaced == 0, "factor of Q");
  for (int64_t k = 0; k < p->n; k++) {
    const double root = sqrt(p->variance[k]);
    worst = fmax(worst, fabs(diagonal[k] * root - 1));
    for (int32_t i = p->start[k]; i < p->start[k + 1]; i++)
      worst = fmax(worst, fabs(below[i] * root + p->weights[i]) / (1 + fabs(p->weights[i])));
  }
  check(worst < 1e-11, "without W the factor is off by %g", worst); /* ratios of variances reach 1e3 */
  free(diagonal);
  free(below);
}

static void test_solve(const made *p) {
  enum { COLUMNS_OF_B = 11 };
  const int64_t n = p->n;
  double *b = reals(n * COLUMNS_OF_B), *x = reals(n * COLUMNS_OF_B), *back = reals(n * COLUMNS_OF_B);
  double *one = reals(n), *a = dense_system(&p->a), *y = reals(n);
  double worst = 0, alone = 0;
  int steps, other;
  for (int64_t i = 0; i < n * COLUMNS_OF_B; i++) b[i] = uniform() - 0.5;
  for (int64_t i = 0; i < n; i++) b[3 * n + i] = 0;
  check(!laplace_solve(&p->a, p->v, COLUMNS_OF_B, b, 1e-12, 100, x, &steps), "solve");
  check(steps >= 1 && steps <= 20, "%d steps of conjugate gradients", steps);
  check(!laplace_product(&p->a, COLUMNS_OF_B, x, back), "product");
  for (int64_t i = 0; i < n * COLUMNS_OF_B; i++) worst = fmax(worst, fabs(back[i] - b[i]));
  check(worst < 1e-8, "A inv(A) b is off by %g", worst);
  for (int64_t i = 0; i < n; i++) {
    y[i] = 0;
    for (int64_t j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  }
  for (int64_t i = 0; i < n; i++) alone = fmax(alone, fabs(y[i] - back[i]) / a[i * n + i]);
  check(alone < 1e-12, "A x is off by %g", alone);
  for (int columns = 1; columns < 6; columns++) {
    check(!laplace_solve(&p->a, p->v, columns, b + 5 * n, 1e-12, 100, back, &other), "solve some");
    alone = 0;
    for (int64_t i = 0; i < n * columns; i++) alone = fmax(alone, fabs(back[i] - x[5 * n + i]));
    check(alone < 1e-13, "%d columns alone differ by %g", columns, alone);
  }
  check(!laplace_solve(&p->a, p->v, 1, b, 1e-12, 1, one, &other) && (other == 2 || p->m == n - 1),
        "one step says %d", other);
  check(!laplace_solve(&p->a, p->v, 1, b, 1e-2, 30, one, &other) && other <= 3, "to 1e-2 takes %d steps", other);
  memcpy(one, b, (size_t)n * sizeof *one);
  check(!laplace_triangular(&p->a.at, p->v, 1, 1, one), "triangle");
  check(!laplace_triangular(&p->a.at, p->v, 0, 1, one), "triangle");
  double *q = dense_product(p);
  worst = 0;
  for (int64_t i = 0; i < n; i++) {
    double sum = -b[i];
    for (int64_t j = 0; j < n; j++) sum += q[i * n + j] * one[j];
    worst = fmax(worst, fabs(sum));
  }
  check(worst < 1e-10, "V' V inv(V' V) b is off by %g", worst);
  free(q);
  free(b), free(x), free(back), free(one), free(a), free(y);
}

/* G is the derivative of log det(V' V): by differences over 1e-4, of errors 1e-8 and 1e-12. */
static void test_inverse(made *p) {
  double *diagonal = reals(p->n), *below = reals(p->n * p->m), *a = dense_system(&p->a), *e = reals(p->n);
  double *slope_variance = reals(p->n), *slope = reals(p->n * p->m), *moved = reals(p->n);
  double worst = 0, exact = 0, trace;
  const int64_t n = p->n;
  check(!laplace_inverse(&p->a.at, p->v, diagonal, below), "inverse");
  for (int64_t k = 0; k < n; k += 7) {
    const double w = p->w[k], h = 1e-4;
    p->w[k] = w + h;
    const double up = log_det_of(p);
    p->w[k] = w - h;
    const double down = log_det_of(p);
    p->w[k] = w;
    worst = fmax(worst, fabs((up - down) / (2 * h) / diagonal[k] - 1));
  }
  check(worst < 1e-6, "elements of the inverse are off by %g as derivatives", worst);
  for (int64_t k = 0; k < n; k += 11) {
    double *copy = reals(n * n);
    memcpy(copy, a, (size_t)(n * n) * sizeof *copy);
    memset(e, 0, (size_t)n * sizeof *e);
    e[k] = 1;
    solve_small((int)n, copy, e);
    exact = fmax(exact, fabs(diagonal[k] / e[k] - 1));
    if (p->m == n - 1)
      for (int32_t i = p->start[k]; i < p->start[k + 1]; i++)
        exact = fmax(exact, fabs(below[i] - e[p->near[i]]) / e[k]);
    free(copy);
  }
  check(exact < (p->m == n - 1 ? 1e-10 : 0.03), "elements of the inverse are off by %g", exact);

  /* by the range, on which variances and weights depend */
  const double h = 1e-4;
  made up = *p, down = *p;
  up.variance = reals(n), up.weights = reals(n * p->m), down.variance = reals(n), down.weights = reals(n * p->m);
  fill_prior(p, 0.2 + h, up.variance, up.weights);
  fill_prior(p, 0.2 - h, down.variance, down.weights);
  up.a.variance = up.variance, up.a.weights = up.weights;
  down.a.variance = down.variance, down.a.weights = down.weights;
  for (int64_t i = 0; i < n; i++) slope_variance[i] = (up.variance[i] - down.variance[i]) / (2 * h);
  for (int32_t i = 0; i < p->start[n]; i++) slope[i] = (up.weights[i] - down.weights[i]) / (2 * h);
  const laplace_system by = {p->a.at, slope_variance, slope, NULL, NULL};
  check(!laplace_trace(&p->a, by, (laplace_factor){diagonal, below}, &trace), "trace");
  const double wanted = (log_det_of(&up) - log_det_of(&down)) / (2 * h);
  check(fabs(trace / wanted - 1) < 1e-5, "the derivative by the range is %.8g, not %.8g", trace, wanted);
  double *x = reals(n), *high = reals(n), *low = reals(n);
  for (int64_t i = 0; i < n; i++) x[i] = uniform() - 0.5;
  laplace_moved(&p->a, by, 1, x, moved);
  check(!laplace_product(&up.a, 1, x, high) && !laplace_product(&down.a, 1, x, low), "products");
  worst = 0;
  for (int64_t i = 0; i < n; i++)
    worst = fmax(worst, fabs(moved[i] - (high[i] - low[i]) / (2 * h)) / a[i * n + i]);
  check(worst < 1e-5, "dQ x is off by %g", worst);
  free(up.variance), free(up.weights), free(down.variance), free(down.weights);
  free(x), free(high), free(low), free(diagonal), free(below), free(a), free(e), free(slope), free(moved);
  free(slope_variance);
}

static void test_forms(const made *p) {
  enum { CELLS = 200, FEW = 5 };
  const int64_t n = p->n;
  int32_t near[CELLS * FEW];
  double c[CELLS * FEW], all[CELLS], some[CELLS], worst = 0, dropped = 0, *x = reals(n);
  for (int i = 0; i < CELLS * FEW; i++) near[i] = 1 + below((int)n), c[i] = uniform() - 0.3;
  near[3] = INT32_MIN; /* ends the first */
  check(!laplace_forms(&p->a.at, p->v, FEW, CELLS, near, c, 0, all), "forms");
  check(!laplace_forms(&p->a.at, p->v, FEW, CELLS, near, c, 1e-3, some), "forms");
  for (int i = 0; i < CELLS; i++) {
    double sum = 0;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < (i ? FEW : 3); k++) x[near[i * FEW + k] - 1] += c[i * FEW + k];
    check(!laplace_triangular(&p->a.at, p->v, 1, 1, x), "triangle");
    for (int64_t k = 0; k < n; k++) sum += x[k] * x[k];
    worst = fmax(worst, fabs(all[i] / sum - 1));
    dropped = fmax(dropped, fabs(some[i] / sum - 1));
  }
  check(worst < 1e-12, "forms are off by %g", worst);
  check(dropped < 5e-3 && (dropped > 0 || p->m == n - 1), "with small elements dropped by %g", dropped);
  free(x);
}

static void test_correction(const made *p) {
  double value, error, again, same, *a = dense_system(&p->a), *q = dense_product(p);
  const double wanted = dense_log_det(p->n, a) - dense_log_det(p->n, q);
  check(!laplace_correction(&p->a, p->v, LAPLACE_PROBES, &value, &error), "correction");
  check(fabs(value - wanted) < 3 * error + 1e-9, "the correction is %g +- %g, not %g", value, error, wanted);
  check(p->m == p->n - 1 ? error < 1e-9 : error < 0.1, "its error is %g", error);
  check(!laplace_correction(&p->a, p->v, LAPLACE_PROBES, &again, &same) && again == value, "it changes");
  free(a);
  free(q);
}

/* Pivots that would be lost are replaced: weights that are no conditional means of anything. */
static void test_breakdown(void) {
  made p = make(100, 8);
  int64_t replaced = 0;
  int bad = 0, steps;
  for (int i = 0; i < 800; i++) p.weights[i] = 3 * (uniform() - 0.5);
  for (int i = 0; i < 100; i++) p.variance[i] = 0.01 + uniform(), p.w[i] = exp(20 * uniform() - 10);
  check(!laplace_factorise(&p.a, p.diagonal, p.below, &replaced), "factor");
  check(replaced > 0, "no pivot was replaced");
  for (int i = 0; i < 100; i++) bad += !(p.diagonal[i] > 0 && isfinite(p.diagonal[i]));
  check(bad == 0, "%d bad pivots", bad);
  double *b = reals(100), *x = reals(100);
  for (int i = 0; i < 100; i++) b[i] = uniform();
  check(!laplace_solve(&p.a, p.v, 1, b, 1e-8, 1000, x, &steps) && steps <= 1000, "%d steps", steps);
  free(b);
  free(x);
  discard(&p);
}

/* The same bits on one thread and several. */
static void test_threads(int64_t n) {
  enum { MANY = 40, FEW = 4, CELLS = 3000 };
  made p = make(n, 6);
  int64_t replaced;
  int32_t *near = room(CELLS * FEW * sizeof *near);
  double *b = reals(n * MANY), *c = reals(CELLS * FEW), *slope = reals(n * 6), *got[2], value[2], error, trace[2];
  int steps;
  for (int64_t i = 0; i < n * MANY; i++) b[i] = uniform() - 0.5;
  for (int64_t i = 0; i < n * 6; i++) slope[i] = uniform() - 0.5;
  for (int i = 0; i < CELLS * FEW; i++) near[i] = 1 + below((int)n), c[i] = uniform();
  check(!laplace_factorise(&p.a, p.diagonal, p.below, &replaced) && replaced == 0, "factor");
  for (int k = 0; k < 2; k++) {
    threads_set(k ? 4 : 1);
    got[k] = reals(n * MANY + CELLS);
    check(!laplace_solve(&p.a, p.v, MANY, b, 1e-6, 50, got[k], &steps), "solve");
    check(steps <= 12, "%d steps", steps);
    check(!laplace_forms(&p.a.at, p.v, FEW, CELLS, near, c, 1e-3, got[k] + n * MANY), "forms");
    check(!laplace_correction(&p.a, p.v, 20, value + k, &error), "correction");
    check(!laplace_trace(&p.a, (laplace_system){p.a.at, p.variance, slope, NULL, NULL}, p.v, trace + k), "trace");
  }
  threads_set(0);
  check(first_difference(got[0], got[1], n * MANY + CELLS) < 0, "results differ by threads");
  check(value[0] == value[1] && trace[0] == trace[1], "sums differ by threads");
  free(near), free(b), free(c), free(slope), free(got[0]), free(got[1]);
  discard(&p);
}

int main(int argc, char **argv) {
  const double size = argc > 1 ? atof(argv[1]) : 1;
  for (int whole = 0; whole < 2; whole++) {
    made p = make(whole ? 90 : 300, whole ? 89 : 12);
    test_sort(&p);
    test_factor(&p, whole ? "all neighbours" : "some neighbours");
    test_prior(&p);
    test_solve(&p);
    test_inverse(&p);
    test_forms(&p);
    test_correction(&p);
    discard(&p);
  }
  test_breakdown();
  test_threads((int64_t)(4000 * size));
  return summary();
}
