/* test_dense.c: factors, solutions and inverses of packed matrices. exp(-c |i - k|) has the determinant
 * (1 - exp(-2 c))^(n - 1) and an inverse of three diagonals; other matrices are put together from what comes out, to
 * within the backward error of Cholesky's method, of some n eps. */
#include "check.h"

#include <float.h>

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

/* Right-hand sides, any number of them: the factor times what solves for them is what they were, one by one or many
 * at once, and on any number of threads. */
static void of_columns(int64_t n, int64_t columns) {
  double *l = packed(n, hilly), *b = reals(n * columns), *x = reals(n * columns);
  double *one = reals(n), *diagonal = reals(n);
  int64_t bad = 0;
  dense_cholesky(n, l, &bad);
  for (int transposed = 0; transposed < 2; transposed++) {
    double worst = 0, apart = 0, back = 0;
    for (int64_t i = 0; i < n * columns; i++) b[i] = x[i] = sin(1.3 * (double)i) + (double)(i % 5);
    check(dense_solve(n, l, columns, x, transposed) == STATUS_OK, "solution for %d columns", (int)columns);
    for (int64_t j = 0; j < columns; j++) {
      const double *v = x + j * n;
      for (int64_t i = 0; i < n; i++) {
        double sum = 0, size = 0;
        for (int64_t k = transposed ? i : 0; k < (transposed ? n : i + 1); k++) {
          const double term = (transposed ? *entry_of(l, n, k, i) : *entry_of(l, n, i, k)) * v[k];
          sum += term;
          size += fabs(term);
        }
        worst = fmax(worst, fabs(sum - b[j * n + i]) / (size + fabs(b[j * n + i])));
      }
      memcpy(one, b + j * n, (size_t)n * sizeof *one);
      dense_solve(n, l, 1, one, transposed);
      for (int64_t i = 0; i < n; i++) apart = fmax(apart, fabs(one[i] - v[i]) / (1 + fabs(v[i])));
    }
    /* backward error: each row has less than n terms */
    check(worst < (double)n * eps, "%d columns, n = %d: backward error %g", (int)columns, (int)n, worst);
    /* forward: times the condition of l, whose square is below n 1e3 */
    check(apart < 1e3 * (double)n * eps, "%d columns, n = %d: %g from one", (int)columns, (int)n, apart);
    double *again = reals(n * columns);
    memcpy(again, b, (size_t)(n * columns) * sizeof *again);
    threads_set(1);
    dense_solve(n, l, columns, again, transposed);
    threads_set(0);
    check(first_difference(x, again, n * columns) < 0, "%d columns, n = %d: another result on one thread",
          (int)columns, (int)n);
    free(again);
    if (transposed) continue;
    dense_multiply(n, l, columns, x);
    for (int64_t i = 0; i < n * columns; i++) back = fmax(back, fabs(x[i] - b[i]));
    check(back < 1e3 * (double)n * eps, "%d columns, n = %d: the product is off by %g", (int)columns, (int)n, back);
  }
  dense_diagonal(n, l, diagonal);
  for (int64_t i = 0; i < n; i++)
    check(diagonal[i] == *entry_of(l, n, i, i), "diagonal of %d, element %d", (int)n, (int)i);
  free(l), free(b), free(x), free(one), free(diagonal);
}

/* A row that is another one again has a pivot of rounding errors. */
static int64_t second, first;
static double twice(int64_t i, int64_t k) {
  return exponential(i == second ? first : i, k == second ? first : k);
}

static void of_twins(void) {
  for (first = 0; first < 140; first += 9)
    for (second = first + 1; second < 200; second += 13) {
      double *a = packed(200, twice);
      int64_t bad = 0;
      dense_cholesky(200, a, &bad);
      check(bad == second + 1, "%d is %d again: bad row %d", (int)second + 1, (int)first + 1, (int)bad);
      free(a);
    }
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
  nap(0.1); /* longer than the time between two polls, and than a factor takes on fast machines */
  check(dense_cholesky(3000, a, &bad) == STATUS_INTERRUPT, "a factor goes on after an interrupt");
  backend_set_poll(NULL, NULL);
  free(a);
  double *l = packed(300, exponential), *b = reals(300 * 200);
  memset(b, 0, 300 * 200 * sizeof *b);
  dense_cholesky(300, l, &bad);
  backend_set_poll(stop, NULL);
  nap(0.1);
  check(dense_solve(300, l, 200, b, 0) == STATUS_INTERRUPT, "a solution goes on after an interrupt");
  check(dense_solve(300, l, 1, b, 0) == STATUS_INTERRUPT, "a solution for one column goes on after an interrupt");
  check(dense_multiply(300, l, 200, b) == STATUS_INTERRUPT, "a product goes on after an interrupt");
  check(dense_inverse(300, l) == STATUS_INTERRUPT, "an inverse goes on after an interrupt");
  backend_set_poll(NULL, NULL);
  free(l), free(b);
}

/* Denormal numbers are 0 only beside others that they cannot change, and as before afterwards. */
static void of_denormals(void) {
  const double log_det = 199 * log(-expm1(-2 * fall)) - 200 * 1030 * log(2);
  double *a = packed(200, exponential);
  int64_t bad = -1;
  for (int64_t k = 0; k < 200; k++)
    for (int64_t i = k / T * T; i < 200; i++) *entry_of(a, 200, i, k) = ldexp(*entry_of(a, 200, i, k), -1030);
  check(dense_cholesky(200, a, &bad) == STATUS_OK && bad == 0, "denormal matrix: bad row %d", (int)bad);
  check(fabs(dense_log_det(200, a) - log_det) < 1e-9 * fabs(log_det), "log det of a denormal matrix: %.17g for %.17g",
        dense_log_det(200, a), log_det);
  free(a);
  a = packed(200, exponential);
  for (int64_t k = 0; k < 200; k++)
    for (int64_t i = k / T * T; i < 200; i++)
      if (i != k) *entry_of(a, 200, i, k) = 1e-310;
  check(dense_cholesky(200, a, &bad) == STATUS_OK && bad == 0 && dense_log_det(200, a) == 0, "denormal covariances");
  volatile double least = DBL_MIN;
  check(least / 2 > 0, "denormal numbers stay off");
  free(a);
}

int main(int count, char **argument) {
  static const int64_t sizes[] = {1, 2, 7, 63, 64, 65, 128, 200, 517};
  (void)count;
  (void)argument;
  for (int k = 0; k < 9; k++) of_exponential(sizes[k]);
  of_hilly(65);
  of_hilly(500);
  static const int64_t columns[] = {1, 3, 4, 31, 33, 64, 65, 150};
  for (int k = 0; k < 9; k++) of_columns(sizes[k], columns[k % 8]);
  of_columns(200, 150);
  of_columns(300, 40);
  of_columns(700, 130);
  of_twins();
  of_others();
  of_denormals();
  of_interrupts();
  return summary();
}
