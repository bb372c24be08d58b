/* test_dense.c: factors, solutions and inverses of packed matrices. exp(-c |i - k|) has the determinant
 * (1 - exp(-2 c))^(n - 1) and an inverse of three diagonals; other matrices are put together from what comes out, to
 * within the backward error of Cholesky's method, of some n eps. */
#include "check.h"

#include "dense/dense.h"
#include "dense/dense_levels.h"

enum { T = DENSE_TILE };
static const double eps = 2.220446049250313e-16, fall = 0.05;

static double *entry_of(double *a, int64_t n, int64_t i, int64_t k) {
  const int64_t m = (n + T - 1) / T, row = i / T, column = k / T;
  return a + (column * m - column * (column - 1) / 2 + row - column) * T * T + k % T * T + i % T;
}

static double exponential(int64_t i, int64_t k) { return exp(-fall * fabs((double)(i - k))); }
static double hilly(int64_t i, int64_t k) { /* a sum of waves, and a diagonal for it to be positive definite */
  return cos(0.3 * (double)(i - k)) + 0.5 * cos(1.7 * (double)(i - k)) + (i == k ? 1e-3 * (double)(1 + i % 7) : 0);
}

static double *packed(int64_t n, double (*entry)(int64_t, int64_t)) {
  const int64_t all = (n + T - 1) / T * T;
  double *a = reals(dense_size(n));
  for (int64_t k = 0; k < all; k++)
    for (int64_t i = k / T * T; i < all; i++)
      *entry_of(a, n, i, k) = i < n && k < n ? entry(i, k) : i == k ? 1 : 0;
  return a;
}

static void of_exponential(int64_t n) {
  const double r = exp(-fall), gap = -expm1(-2 * fall);
  double *a = packed(n, exponential), *b = reals(3 * n), worst = 0, inverse = 0;
  int64_t bad = -1;
  check(dense_cholesky(n, a, &bad) == STATUS_OK && bad == 0, "exponential, n = %d: bad row %d", (int)n, (int)bad);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = k; i < n; i++) /* the factor is known, too */
      worst = fmax(worst, fabs(*entry_of(a, n, i, k) - pow(r, (double)(i - k)) * (k ? sqrt(gap) : 1)));
  check(worst < 50 * eps, "factor of the exponential, n = %d: error %g", (int)n, worst);
  const double log_det = (double)(n - 1) * log(gap);
  check(fabs(dense_log_det(n, a) - log_det) <= 20 * eps * fabs(log_det), "log det, n = %d: %.17g for %.17g", (int)n,
        dense_log_det(n, a), log_det);
  for (int64_t i = 0; i < n; i++) { /* columns of the matrix, of which the solution is known */
    b[i] = exponential(i, 0);
    b[n + i] = exponential(i, n - 1);
    b[2 * n + i] = exponential(i, n / 2) - 2 * exponential(i, n / 3);
  }
  dense_solve(n, a, 3, b, 0);
  dense_solve(n, a, 3, b, 1);
  worst = 0;
  for (int64_t i = 0; i < n; i++) {
    worst = fmax(worst, fabs(b[i] - (i == 0)));
    worst = fmax(worst, fabs(b[n + i] - (i == n - 1)));
    worst = fmax(worst, fabs(b[2 * n + i] - (i == n / 2) + 2 * (i == n / 3)));
  }
  check(worst < 100 * eps / gap, "solution, n = %d: error %g", (int)n, worst);
  check(dense_inverse(n, a) == STATUS_OK, "inverse, n = %d", (int)n);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = k; i < n; i++) {
      const int inner = k > 0 && k < n - 1;
      const double wanted = n == 1 ? 1 : i == k ? (inner ? 1 + r * r : 1) / gap : i == k + 1 ? -r / gap : 0;
      inverse = fmax(inverse, fabs(*entry_of(a, n, i, k) - wanted));
    }
  /* norms of the matrix and of its inverse are below this; the backward error is some eps of the former */
  const double norm = (1 + r) / (1 - r);
  check(inverse < eps * norm * norm * norm, "inverse of the exponential, n = %d: error %g", (int)n, inverse);
  free(a);
  free(b);
}

/* The inverse times the matrix, for columns that cross all tiles; results do not depend on the threads. */
static void of_hilly(int64_t n) {
  double *a = packed(n, hilly), *again = packed(n, hilly), worst = 0;
  int64_t bad = 0;
  dense_cholesky(n, a, &bad);
  check(bad == 0, "waves, n = %d: bad row %d", (int)n, (int)bad);
  for (int64_t k = 0; k < n; k += 1 + n / 9)
    for (int64_t i = k; i < n; i++) {
      double sum = 0;
      for (int64_t j = 0; j <= k; j++) sum += *entry_of(a, n, i, j) * *entry_of(a, n, k, j);
      worst = fmax(worst, fabs(sum - hilly(i, k)));
    }
  check(worst < 8 * eps * sqrt((double)n), "waves put together again, n = %d: error %g", (int)n, worst);
  dense_inverse(n, a);
  worst = 0;
  for (int64_t k = 0; k < n; k += 1 + n / 9)
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t j = 0; j < n; j++)
        sum += hilly(i, j) * *(j >= k ? entry_of(a, n, j, k) : entry_of(a, n, k, j));
      worst = fmax(worst, fabs(sum - (i == k)));
    }
  /* the largest element of the inverse is about 1e3, the norm of the matrix below n */
  check(worst < 1e3 * eps * (double)n * 8, "inverse of waves, n = %d: error %g", (int)n, worst);
  threads_set(1);
  dense_cholesky(n, again, &bad);
  dense_inverse(n, again);
  threads_set(0);
  check(first_difference(a, again, dense_size(n)) < 0, "waves, n = %d: another result on one thread", (int)n);
  free(a);
  free(again);
}

static void of_others(void) {
  static const int64_t rows[] = {0, 1, 63, 64, 65, 200};
  for (int k = 0; k < 6; k++) {
    const int64_t n = 200;
    double *a = packed(n, exponential);
    int64_t bad = 0;
    if (rows[k] > 0) *entry_of(a, n, rows[k] - 1, rows[k] - 1) = k % 2 ? -1 : NAN;
    check(dense_cholesky(n, a, &bad) == STATUS_OK && bad == rows[k], "bad row %d: %d", (int)rows[k], (int)bad);
    free(a);
  }
  check(dense_size(0) == 0 && dense_log_det(0, NULL) == 0, "nothing");
}

static int stop(void *data, double fraction) {
  (void)data;
  (void)fraction;
  return 1;
}

static void of_interrupts(void) {
  double *a = packed(3000, exponential);
  int64_t bad = 0;
  backend_set_poll(stop, NULL);
  check(dense_cholesky(3000, a, &bad) == STATUS_INTERRUPT, "a factor goes on after an interrupt");
  backend_set_poll(NULL, NULL);
  free(a);
}

int main(int count, char **argument) {
  static const int64_t sizes[] = {1, 2, 7, 63, 64, 65, 128, 200, 517};
  (void)count;
  (void)argument;
  for (int k = 0; k < 9; k++) of_exponential(sizes[k]);
  of_hilly(65);
  of_hilly(500);
  of_others();
  of_interrupts();
  return summary();
}
