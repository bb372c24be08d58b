/* test_covariance.c: Bessel functions and Matern covariances: closed forms, routes against each other, matrices
 * that are delivered tile by tile, interrupts, hostile arguments; nothing read or written out of place, which
 * tools/sanitize.sh watches. */
#include <float.h>
#include <math.h>

#include "bessel/bessel.h"
#include "check.h"
#include "covariance/matern.h"
#include "covariance/matern_function.h"

static double worst_difference(const double *a, const double *b, int64_t n) {
  double worst = 0;
  for (int64_t i = 0; i < n; i++) {
    const double d = a[i] == b[i] ? 0 : fabs(a[i] - b[i]) / fabs(b[i]);
    if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
  }
  return worst;
}

/* K_(1/2) = sqrt(pi/(2 x)) e^-x and K_(3/2) = K_(1/2) (1 + 1/x); each side is right to some units. */
static void test_half_orders(void) {
  enum { N = 3000 };
  static double x[N], nu[N], value[N], exact[N];
  for (int i = 0; i < N; i++) {
    x[i] = exp(log(1e-8) + uniform() * log(700 / 1e-8));
    nu[i] = i % 2 ? 0.5 : -1.5;
    exact[i] = sqrt(1.5707963267948966 / x[i]) * exp(-x[i]) * (i % 2 ? 1 : 1 + 1 / x[i]);
  }
  const status st = bessel_k(BESSEL_VALUE, N, (column){x, N}, (column){nu, N}, 0, 0, value);
  const double worst = worst_difference(value, exact, N);
  check(st == STATUS_OK && worst < 10 * DBL_EPSILON, "orders 1/2 and 3/2 are wrong by %g", worst);
}

static void test_routes(void) {
  enum { N = 50000 };
  double *x = reals(N), *direct = reals(N), *table = reals(N);
  for (int i = 0; i < N; i++) x[i] = exp(-12 + 17 * uniform());
  x[0] = 0;
  for (int k = 0; k < 12; k++) {
    static const double nu[] = {0.3, 1.3, 4.4, 19.9};
    const matern_model m = {nu[k % 4], 1, 2, 0, (enum matern_scaling)(k % 3), (enum matern_deriv)(k / 4), 0};
    status st = matern_values(&m, MATERN_DIRECTLY, N, (column){x, N}, direct);
    if (!st) st = matern_values(&m, MATERN_BY_TABLE, N, (column){x, N}, table);
    double worst = 0;
    for (int i = 0; i < N; i++) { /* the derivative at a fixed x/sqrt(nu) changes sign: against its size at all */
      const double size = fabs(direct[i]) + (m.deriv == DERIV_SMOOTHNESS && m.scaling ? 0.01 : 1e-290);
      worst = fmax(worst, fabs(table[i] - direct[i]) / size);
    }
    check(!st && worst < 1e-12, "routes differ by %g, nu = %g, deriv %d, status %d", worst, m.smoothness, m.deriv,
          st);
  }
  free(x);
  free(direct);
  free(table);
}

static void test_matrices(void) {
  static const int sizes[] = {1, 2, 63, 64, 65, 200, 333};
  for (int k = 0; k < 21; k++) {
    const int n = sizes[k % 7], dim = 1 + k % 3;
    const matern_model m = {k % 2 ? 1.5 : 0.8, 0.3, 1, 0.25, SCALE_PLAIN, DERIV_NONE, 0};
    const matern_metric plane = {(enum matern_metric_kind)(dim == 2 ? k / 7 : 0), dim, NULL, 1};
    double *at = reals((int64_t)n * dim), *own = reals((int64_t)n * n), *cross = reals((int64_t)n * n);
    for (int i = 0; i < n * dim; i++) at[i] = uniform();
    status st = matern_matrix(&m, &plane, MATERN_BY_SIZE, n, at, n, NULL, own);
    if (!st) st = matern_matrix(&m, &plane, MATERN_BY_SIZE, n, at, n, at, cross);
    int mirrored = 1, same = 1, diagonal = 1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        mirrored &= own[i + (int64_t)j * n] == own[j + (int64_t)i * n];
        if (i == j) diagonal &= own[i + (int64_t)i * n] == 1.25 && cross[i + (int64_t)i * n] == 1;
        else same &= fabs(own[i + (int64_t)j * n] - cross[i + (int64_t)j * n]) <= 1e-14;
      }
    check(!st && mirrored && same && diagonal, "matrix of %d places: status %d, mirrored %d, same %d, diagonal %d", n,
          st, mirrored, same, diagonal);
    free(at);
    free(own);
    free(cross);
  }
}

static int stop(void *data, double fraction) {
  (void)fraction;
  return ++*(int *)data > 1;
}

static void test_interrupt(void) {
  enum { N = 6000 };
  double *at = reals(2 * N), *matrix = reals((int64_t)N * N);
  const matern_model m = {0.77, 0.3, 1, 0, SCALE_PLAIN, DERIV_NONE, 0};
  const matern_metric plane = {METRIC_EUCLIDEAN, 2, NULL, 1};
  int polls = 0;
  for (int i = 0; i < 2 * N; i++) at[i] = uniform();
  backend_set_poll(stop, &polls);
  const status st = matern_matrix(&m, &plane, MATERN_DIRECTLY, N, at, N, NULL, matrix);
  backend_set_poll(NULL, NULL);
  check(st == STATUS_INTERRUPT, "a stopped matrix has status %d", st);
  check(matern_matrix(&m, &plane, MATERN_BY_SIZE, 100, at, 100, NULL, matrix) == STATUS_OK, "no matrix after a stop");
  free(at);
  free(matrix);
}

static double odd_number(void) {
  static const double odd[] = {0, -0.0, 5e-324, 1e-310, 1e-300, 1e-20, 0.5, 2, 8, 20.5, 745, 1e5, 1e15, 1e150, 1e300,
                               DBL_MAX, INFINITY, -1, -INFINITY, NAN};
  return uniform() < 0.5 ? odd[below(20)] : exp(40 * uniform() - 20);
}

static void test_hostile(int64_t n) {
  double *x = reals(n), *nu = reals(n), *value = reals(n);
  for (int64_t i = 0; i < n; i++) {
    x[i] = odd_number();
    nu[i] = odd_number();
  }
  for (int k = 0; k < 12; k++) {
    const status st = bessel_k(k % 3, n, (column){x, n}, (column){nu, n}, k / 3 % 2, k / 6, value);
    int64_t wrong = 0, at = 0;
    for (int64_t i = 0; i < n; i++) {
      const int valid = x[i] >= 0 && nu[i] == nu[i] && !(isinf(x[i]) && isinf(nu[i]));
      if (isnan(value[i]) == valid) wrong++, at = i;
    }
    check(!st && !wrong, "%lld of %lld hostile points, as x = %g, nu = %g, what %d", (long long)wrong, (long long)n,
          x[at], nu[at], k % 3);
  }
  for (int k = 0; k < 60; k++) {
    double smoothness = odd_number(), range = odd_number();
    if (!(smoothness > 1e-300 && smoothness < 1e15)) smoothness = 0.1 + k;
    if (!(range > 0 && range < INFINITY)) range = 1;
    const matern_model m = {smoothness, range, 1, 0, (enum matern_scaling)(k % 3), DERIV_NONE, 0};
    const int64_t few = n < 2000 ? n : 2000;
    const status st = matern_values(&m, (enum matern_route)(k % 2), few, (column){x, few}, value);
    int64_t wrong = 0, at = 0;
    for (int64_t i = 0; i < few; i++)
      if (x[i] >= 0 ? !(value[i] >= 0 && value[i] <= 1 + 1e-9) : !isnan(value[i])) wrong++, at = i;
    check(!st && !wrong, "%lld hostile distances, as r = %g, range %g, smoothness %g", (long long)wrong, x[at], range,
          smoothness);
  }
  free(x);
  free(nu);
  free(value);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    printf("usage: test_covariance <kernel folder> <cache folder> [size]\n");
    return 2;
  }
  const double size = argc > 3 ? atof(argv[3]) : 1;
  in_forked_child();
  folders_set(argv[1], argv[2]);
  test_half_orders();
  test_routes();
  test_matrices();
  test_interrupt();
  test_hostile((int64_t)(1e5 * size) + 1000);
  matern_tables_drop();
  devices_shutdown();
  return summary();
}
