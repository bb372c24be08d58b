/* test_neighbours.c: orders and neighbours of points against search by hand, to the last point. */
#include "check.h"

#include "gp/curve.h"
#include "gp/kd_tree.h"
#include "gp/neighbours.h"
#include "gp/ordering.h"

static double squared(int64_t n, int d, const double *x, int64_t i, int64_t k) {
  double sum = 0;
  for (int j = 0; j < d; j++) sum += (x[j * n + i] - x[j * n + k]) * (x[j * n + i] - x[j * n + k]);
  return sum;
}

/* Squared differences add up as in a tree, whose scale is a power of 2. */
static void order_by_hand(int64_t n, int d, const double *x, int32_t *order, double *least) {
  double *apart = reals(n), *middle = reals(d), nearest = INFINITY;
  int64_t taken = 0;
  for (int j = 0; j < d; j++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) low = fmin(low, x[j * n + i]), high = fmax(high, x[j * n + i]);
    middle[j] = low / 2 + high / 2;
  }
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < d; j++) sum += (x[j * n + i] - middle[j]) * (x[j * n + i] - middle[j]);
    if (sum < nearest) nearest = sum, taken = i;
    apart[i] = INFINITY;
  }
  *least = INFINITY;
  for (int64_t k = 0; k < n; k++) {
    if (k) {
      for (int64_t i = 0; i < n; i++)
        if (apart[i] > apart[taken]) taken = i;
      if (apart[taken] > 0) *least = sqrt(apart[taken]);
    }
    order[k] = (int32_t)taken;
    for (int64_t i = 0; i < n; i++) apart[i] = fmin(apart[i], squared(n, d, x, i, taken));
    apart[taken] = -1;
    for (taken = 0; taken < n - 1 && apart[taken] < 0; taken++) {}
  }
  free(apart);
  free(middle);
}

/* The m nearest rows below `limit` of a point of another set, or of the same. */
static void nearest_by_hand(int64_t rows, const double *p, int64_t i, int64_t n, const double *x, int d,
                            int64_t limit, const int32_t *group, int32_t own, int m, int32_t *nearest,
                            double *least) {
  double *apart = reals(m + 1);
  int found = 0, k;
  for (int64_t r = 0; r < limit; r++) {
    double sum = 0;
    if (group && group[r] == own) continue;
    for (int j = 0; j < d; j++) sum += (p[j * rows + i] - x[j * n + r]) * (p[j * rows + i] - x[j * n + r]);
    if (sum > 0) *least = fmin(*least, sqrt(sum));
    for (k = found; k > 0 && apart[k - 1] > sum; k--)
      if (k < m) apart[k] = apart[k - 1], nearest[k] = nearest[k - 1];
    if (k < m) apart[k] = sum, nearest[k] = (int32_t)r;
    if (found < m) found++;
  }
  for (; found < m; found++) nearest[found] = -1;
  free(apart);
}

/* uniform, clusters of all sizes, a grid, few places, one line, one place, far from the origin, sorted */
enum { KINDS = 8 };
static const char *const kinds[KINDS] = {"uniform", "clusters", "grid", "few places", "line", "one place", "far",
                                         "sorted"};
static double *points_of(int kind, int64_t n, int d) {
  double *x = reals(n * d);
  const int side = (int)ceil(pow((double)n, 1.0 / d) - 1e-9);
  for (int64_t i = 0; i < n; i++) {
    int64_t rest = i;
    const double along = uniform(), size = exp(-40 * uniform());
    const int which = below(7);
    for (int j = 0; j < d; j++) {
      double v = uniform();
      if (kind == 1) v = sin(10 * which + j) + size * (v - 0.5);
      if (kind == 2) v = 0.1 * (double)(rest % side), rest /= side;
      if (kind == 3) v = sin((double)(which + j));
      if (kind == 4) v = j ? 3 : along;
      if (kind == 5) v = 1e-200 * (j + 1);
      if (kind == 6) v = 1e6 + 1e-5 * v;
      if (kind == 7 && !j) v = (double)i / (double)n;
      x[j * n + i] = v;
    }
  }
  return x;
}

static void *whole(int64_t n) { return room((size_t)n * sizeof(int32_t)); }

static void one_set(int kind, int64_t n, int d, int m, int64_t first) {
  double *x = points_of(kind, n, d), least = 0, truth = 0;
  int32_t *order = whole(n), *want = whole(n), *nearest = whole(n * m), *row = whole(m);
  int64_t odd = 0;
  threads_set(2);
  check(gp_ordering(n, d, x, order, &least) == STATUS_OK, "order: %s", last_error());
  order_by_hand(n, d, x, want, &truth);
  for (int64_t i = 0; i < n; i++) odd += order[i] != want[i];
  check(!odd, "%s, n = %d, d = %d: %d of another order", kinds[kind], (int)n, d, (int)odd);
  check(least == truth, "%s, n = %d, d = %d: least distance %g, not %g", kinds[kind], (int)n, d, least, truth);
  check(gp_neighbours(n, d, x, first, m, nearest, &least) == STATUS_OK, "neighbours: %s", last_error());
  odd = 0;
  truth = INFINITY;
  for (int64_t i = first; i < n; i++) {
    nearest_by_hand(n, x, i, n, x, d, i, NULL, 0, m, row, &truth);
    odd += memcmp(row, nearest + (i - first) * m, (size_t)m * sizeof *row) != 0;
  }
  check(!odd, "%s, n = %d, d = %d, m = %d, first %d: other neighbours of %d", kinds[kind], (int)n, d, m, (int)first,
        (int)odd);
  /* Where it is another one again, the nearest does not count. */
  check(first <= 1 ? least == truth : least >= truth, "%s, n = %d, d = %d, m = %d, first %d: least %g, not %g",
        kinds[kind], (int)n, d, m,
        (int)first, least, truth);
  free(x), free(order), free(want), free(nearest), free(row);
}

static void two_sets(int kind, int64_t n_new, int64_t n, int d, int m, int groups) {
  double *x = points_of(kind, n, d), *p = points_of(kind == 2 ? 0 : kind, n_new, d), least = 0, truth = INFINITY;
  int32_t *group = whole(n), *own = whole(n_new), *nearest = whole(n_new * m), *row = whole(m);
  int64_t odd = 0;
  for (int64_t i = 0; i < n; i++) group[i] = groups > 0 ? below(groups) : (int32_t)(4 * x[i]);
  for (int64_t i = 0; i < n_new; i++) own[i] = groups > 0 ? below(groups) : (int32_t)(4 * p[i]);
  for (int64_t i = 0; i < n_new && i < n; i += 3) /* some are data */
    for (int j = 0; j < d; j++) p[j * n_new + i] = x[j * n + i];
  check(gp_neighbours_among(n_new, p, groups ? own : NULL, n, x, groups ? group : NULL, d, m, nearest, &least) ==
            STATUS_OK, "among: %s", last_error());
  for (int64_t i = 0; i < n_new; i++) {
    nearest_by_hand(n_new, p, i, n, x, d, n, groups ? group : NULL, own[i], m, row, &truth);
    odd += memcmp(row, nearest + i * m, (size_t)m * sizeof *row) != 0;
  }
  check(!odd, "%s, %d among %d, d = %d, m = %d, groups %d: other neighbours of %d", kinds[kind], (int)n_new,
        (int)n, d, m, groups, (int)odd);
  if (kind != 3) /* where a new point has a row at distance 0, that to others is bounded by the rows' own */
    check(least >= truth, "%s: least %g, below %g", kinds[kind], least, truth);
  free(x), free(p), free(group), free(own), free(nearest), free(row);
}

static void rows_before(int kind, int64_t n_new, int64_t n, int d, int m) {
  double *x = points_of(kind, n, d), *p = points_of(kind, n_new, d), truth;
  int32_t *before = whole(n_new), *nearest = whole(n_new * m), *row = whole(m);
  int64_t odd = 0;
  for (int64_t i = 0; i < n_new; i++) before[i] = (int32_t)(i * n / n_new);
  check(gp_neighbours_before(n_new, p, before, n, x, d, m, nearest) == STATUS_OK, "before: %s", last_error());
  for (int64_t i = 0; i < n_new; i++) {
    nearest_by_hand(n_new, p, i, n, x, d, before[i], NULL, 0, m, row, &truth);
    odd += memcmp(row, nearest + i * m, (size_t)m * sizeof *row) != 0;
  }
  check(!odd, "%s, %d, of %d rows before, d = %d, m = %d: other neighbours of %d", kinds[kind], (int)n_new, (int)n, d,
        m, (int)odd);
  free(x), free(p), free(before), free(nearest), free(row);
}

/* Each row once, and cells that are boxes apart: divided where they lie farthest apart, by halves of their cells. */
static void one_division(const double *x, int64_t n, int d, const int32_t *row, int64_t from, int64_t to,
                         int64_t size, int64_t *odd) {
  const int64_t cells = (to - from + size - 1) / size, middle = from + (cells + 1) / 2 * size;
  double widest = -1, overlap = 0;
  if (cells < 2) return;
  for (int j = 0; j < d; j++) {
    double low = INFINITY, high = -INFINITY, below_it = -INFINITY, above = INFINITY;
    for (int64_t i = from; i < to; i++) {
      const double v = x[j * n + row[i]];
      low = fmin(low, v), high = fmax(high, v);
      if (i < middle) below_it = fmax(below_it, v);
      else above = fmin(above, v);
    }
    if (high - low > widest) widest = high - low, overlap = below_it - above;
  }
  *odd += overlap > 0;
  one_division(x, n, d, row, from, middle, size, odd);
  one_division(x, n, d, row, middle, to, size, odd);
}

static void cells(int kind, int64_t n, int d, int64_t size) {
  double *x = points_of(kind, n, d);
  int32_t *row = whole(n), *met = whole(n);
  int64_t odd = 0;
  check(kd_cells(n, d, x, size, row) == STATUS_OK, "cells: %s", last_error());
  memset(met, 0, (size_t)n * sizeof *met);
  for (int64_t i = 0; i < n; i++) met[row[i]]++;
  for (int64_t i = 0; i < n; i++) odd += met[i] != 1;
  check(!odd, "%s, cells of %d: %d rows not once", kinds[kind], (int)size, (int)odd);
  one_division(x, n, d, row, 0, n, size, &odd);
  check(!odd, "%s, cells of %d, n = %d, d = %d: %d cells overlap", kinds[kind], (int)size, (int)n, d, (int)odd);
  free(x), free(row), free(met);
}

static void of_threads(int64_t n, int d, int m) {
  double *x = points_of(1, n, d), least;
  int32_t *order = whole(n), *nearest = whole(n * m), *again = whole(n * m), *other = whole(n);
  for (int threads = 1; threads <= 4; threads *= 2) {
    threads_set(threads);
    gp_ordering(n, d, x, threads == 1 ? order : other, &least);
    gp_neighbours(n, d, x, n / 3, m, threads == 1 ? nearest : again, &least);
    if (threads == 1) continue;
    check(!memcmp(order, other, (size_t)n * sizeof *order), "another order by %d threads", threads);
    check(!memcmp(nearest, again, (size_t)((n - n / 3) * m) * sizeof *nearest), "other neighbours by %d threads",
          threads);
  }
  threads_set(0);
  free(x), free(order), free(other), free(nearest), free(again);
}

static int polls_left;
static int poll_few(void *data, double fraction) {
  (void)data;
  (void)fraction;
  return polls_left-- <= 0;
}

static void interrupted(void) {
  const int64_t n = 400000;
  double *x = points_of(0, n, 2);
  int32_t *order = whole(n), *nearest = whole(n * 5);
  backend_set_poll(poll_few, NULL);
  for (int left = 0; left < 2; left++) {
    polls_left = left;
    check(gp_ordering(n, 2, x, order, NULL) == STATUS_INTERRUPT, "order not interrupted at poll %d", left);
    polls_left = left;
    check(gp_neighbours(n, 2, x, 0, 5, nearest, NULL) == STATUS_INTERRUPT, "neighbours not interrupted, %d", left);
    polls_left = left;
    check(gp_neighbours_among(n, x, NULL, n, x, NULL, 2, 5, nearest, NULL) == STATUS_INTERRUPT,
          "neighbours among others not interrupted, %d", left);
    polls_left = left;
    check(kd_cells(n, 2, x, 5, order) == STATUS_INTERRUPT, "cells not interrupted, %d", left);
  }
  backend_set_poll(NULL, NULL);
  free(x), free(order), free(nearest);
}

static void odd_input(void) {
  double x[2] = {1, INFINITY};
  int32_t order[2], nearest[2];
  double least = 0;
  check(gp_ordering(0, 3, NULL, NULL, &least) == STATUS_OK && least == INFINITY, "no points");
  check(gp_neighbours(0, 3, NULL, 0, 4, NULL, &least) == STATUS_OK && least == INFINITY, "no neighbours");
  check(gp_neighbours_among(0, NULL, NULL, 2, x, NULL, 1, 1, NULL, NULL) == STATUS_INPUT, "infinity among data");
  check(gp_ordering(2, 1, x, order, NULL) == STATUS_INPUT, "infinity ordered");
  check(gp_neighbours(2, 1, x, 0, 1, nearest, NULL) == STATUS_INPUT, "infinity as a neighbour");
  check(gp_neighbours_among(1, x, NULL, 0, NULL, NULL, 1, 2, nearest, NULL) == STATUS_OK && nearest[0] == -1 &&
            nearest[1] == -1, "among none");
}

/* Classes keep their points, which stand along a curve there: steps are much shorter than in the order before. */
static void rank_classes(int kind, int64_t n, int d) {
  double *x = points_of(kind, n, d), least, far = 0, near = 0;
  int32_t *order = room((size_t)n * sizeof *order), *sorted = room((size_t)n * sizeof *sorted);
  int32_t *rank = room((size_t)n * sizeof *rank);
  int64_t bad = 0;
  check(!gp_ordering(n, d, x, order, &least), "order");
  memcpy(sorted, order, (size_t)n * sizeof *sorted);
  check(!gp_rank_classes(d, n, x, sorted), "classes");
  for (int64_t i = 0; i < n; i++) rank[i] = -1;
  for (int64_t i = 0; i < n; i++) rank[order[i]] = (int32_t)i;
  for (int64_t i = 0; i < n; i++) {
    const int64_t k = rank[sorted[i]];
    bad += k < 0 || k - i > i / 10 || i - k > k / 10;
    rank[sorted[i]] = -1; /* met once */
  }
  check(bad == 0, "%lld of %lld ranks are not near those before", (long long)bad, (long long)n);
  for (int64_t i = 1; i < n; i++) {
    far += sqrt(squared(n, d, x, order[i - 1], order[i]));
    near += sqrt(squared(n, d, x, sorted[i - 1], sorted[i]));
  }
  if (kind == 0 && d == 2) check(near < 0.4 * far, "steps of %g after %g", near, far);
  free(x), free(order), free(sorted), free(rank);
}

int main(int argc, char **argv) {
  const double size = argc > 1 ? atof(argv[1]) : 1;
  static const int64_t few[] = {1, 2, 7, 16, 17, 100, 130};
  in_forked_child();
  for (int kind = 0; kind < KINDS; kind++) {
    for (int d = 1; d <= 10; d++) {
      const int64_t n = 1 + (int64_t)(1500 * size) + below(500);
      one_set(kind, n, d, 1 + below(40), below(2) ? below(2) : below((int)n));
      two_sets(kind, n / 2, n, d, 1 + below(40), below(3) - 1 + below(2));
      rows_before(kind, n / 3, n, d, 1 + below(40));
      cells(kind, n, d, 1 + below(40));
    }
    for (int i = 0; i < 7; i++) {
      one_set(kind, few[i], 1 + below(3), 1 + below(20), 0);
      two_sets(kind, few[i], few[6 - i], 2, 1 + below(20), below(3));
    }
    one_set(kind, 600, 2, 700, 5);
  }
  one_set(0, 5000, 2, 30, 0);
  one_set(2, 4096, 2, 30, 1);
  for (int kind = 0; kind < KINDS; kind++)
    for (int d = 1; d < 5; d++) rank_classes(kind, 3000, d);
  of_threads(20000, 3, 12);
  interrupted();
  odd_input();
  return summary();
}
