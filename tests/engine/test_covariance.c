/* test_covariance.c: Bessel functions and Matern covariances: closed forms, routes against each other, matrices
 * that are delivered tile by tile, interrupts, hostile arguments; nothing read or written out of place, which
 * tools/sanitize.sh watches. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bessel/bessel.h"
#include "check.h"
#include "covariance/cov_table.h"
#include "covariance/covariance.h"

static double worst_difference(const double *a, const double *b, int64_t n) {
  double worst = 0;
  for (int64_t i = 0; i < n; i++) {
    const double d = a[i] == b[i] ? 0 : fabs(a[i] - b[i]) / fabs(b[i]);
    if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
  }
  return worst;
}

/* A Matern part, of which the covariance or a derivative is wanted. */
typedef struct {
  cov_part part;
  cov_want want;
  cov_model model;
} one_part;

static const cov_model *matern_of(one_part *o, double nu, double range, double variance, enum cov_scaling scaling,
                                  enum cov_what what) {
  o->part = (cov_part){.function = COV_MATERN, .scaling = scaling, .shape = nu, .range = range, .variance = variance,
                       .source = matern_source(nu)};
  o->want = (cov_want){what, 0, NULL};
  o->model = (cov_model){1, 1, 0, &o->part, &o->want};
  return &o->model;
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
    static const enum cov_what whats[] = {COV_VALUE, COV_RANGE, COV_SHAPE};
    one_part o;
    const cov_model *m = matern_of(&o, nu[k % 4], 1, 2, (enum cov_scaling)(k % 3), whats[k / 4]);
    status st = cov_values(m, COV_DIRECTLY, N, (column){x, N}, &direct);
    if (!st) st = cov_values(m, COV_BY_TABLE, N, (column){x, N}, &table);
    double worst = 0;
    for (int i = 0; i < N; i++) { /* the derivative at a fixed x/sqrt(nu) changes sign: against its size at all */
      const double size = fabs(direct[i]) + (whats[k / 4] == COV_SHAPE && o.part.scaling ? 0.01 : 1e-290);
      worst = fmax(worst, fabs(table[i] - direct[i]) / size);
    }
    check(!st && worst < 1e-12, "routes differ by %g, nu = %g, deriv %d, status %d", worst, o.part.shape, k / 4, st);
  }
  free(x);
  free(direct);
  free(table);
}

static cov_space among(cov_metric metric, enum cov_route route, int64_t n, const double *a) {
  return (cov_space){.metric = metric, .n = n, .m = n, .a = a, .route = route};
}

static void test_matrices(void) {
  static const int sizes[] = {1, 2, 63, 64, 65, 200, 333};
  for (int k = 0; k < 21; k++) {
    const int n = sizes[k % 7], dim = 1 + k % 3;
    one_part o;
    const cov_model *m = matern_of(&o, k % 2 ? 1.5 : 0.8, 0.3, 1.25, SCALE_PLAIN, COV_VALUE);
    const cov_metric plane = {(enum cov_metric_kind)(dim == 2 ? k / 7 : 0), dim, 0, 1};
    double *at = reals((int64_t)n * dim), *own = reals((int64_t)n * n), *cross = reals((int64_t)n * n);
    for (int i = 0; i < n * dim; i++) at[i] = uniform();
    cov_space space = among(plane, COV_BY_SIZE, n, at);
    status st = cov_matrices(m, &space, &own);
    space.b = at;
    if (!st) st = cov_matrices(m, &space, &cross);
    int mirrored = 1, same = 1, diagonal = 1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        mirrored &= own[i + (int64_t)j * n] == own[j + (int64_t)i * n];
        if (i == j) diagonal &= own[i + (int64_t)i * n] == 1.25 && cross[i + (int64_t)i * n] == 1.25;
        else same &= fabs(own[i + (int64_t)j * n] - cross[i + (int64_t)j * n]) <= 1e-14;
      }
    check(!st && mirrored && same && diagonal, "matrix of %d places: status %d, mirrored %d, same %d, diagonal %d", n,
          st, mirrored, same, diagonal);
    free(at);
    free(own);
    free(cross);
  }
}

/* All families at once, with derivatives for everything, by two routes and against differences; contracted with a
 * matrix they give the sums over the matrices, and multiplied by vectors the products with the matrices. */
static void test_sums(void) {
  enum { N = 150, WANTS = 9 };
  static const double map[] = {1, 0.3, -0.6, 2}, slope[] = {0.2, 0, 0.1, -0.5}, step = 1e-6;
  double map_to[2][4], *at = reals(2 * N), *weight = reals(N * N), *packed = reals(cov_packed_size(N));
  double *column[WANTS], *moved[2], *direct[WANTS], sum[WANTS], *slopes = reals(2 * N * WANTS);
  const cov_metric plane = {METRIC_EUCLIDEAN, 2, 0, 1};
  for (int i = 0; i < 2 * N; i++) at[i] = uniform();
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) weight[i + j * N] = weight[j + i * N] = uniform() - 0.5;
  for (int64_t column_of = 0, tile = 0, tiles = (N + COV_TILE - 1) / COV_TILE; column_of < tiles; column_of++)
    for (int64_t row = column_of; row < tiles; row++, tile++)
      for (int64_t k = 0; k < COV_TILE * COV_TILE; k++) {
        const int64_t i = row * COV_TILE + k % COV_TILE, j = column_of * COV_TILE + k / COV_TILE;
        packed[tile * COV_TILE * COV_TILE + k] = i < N && j < N ? weight[i + j * N] : 0;
      }
  for (int j = 0; j < WANTS; j++) column[j] = reals(N * N), direct[j] = reals(N * N);
  moved[0] = reals(N * N), moved[1] = reals(N * N);
  cov_part part[] = {{.function = COV_MATERN, .scaling = SCALE_SQRT_2NU, .shape = 1.3, .range = 0.2, .variance = 1.5,
                      .source = matern_source(1.3)},
                     {.function = COV_POWEXP, .shape = 1.2, .range = 0.3, .variance = 2, .map = map},
                     {.function = COV_CAUCHY, .shape = 0.8, .range = 0.1, .variance = 0.5},
                     {.function = COV_CUBIC, .range = 0.7, .variance = 1}};
  const cov_want want[WANTS] = {{COV_VALUE, -1, NULL}, {COV_RANGE, 0, NULL}, {COV_SHAPE, 0, NULL},
                                {COV_RANGE, 1, NULL}, {COV_SHAPE, 1, NULL}, {COV_MAP, 1, slope},
                                {COV_SHAPE, 2, NULL}, {COV_RANGE, 3, NULL}, {COV_VARIANCE, 2, NULL}};
  const cov_model m = {4, WANTS, 0, part, want}, value = {4, 1, 0, part, want};
  const cov_space by_table = among(plane, COV_BY_TABLE, N, at), directly = among(plane, COV_DIRECTLY, N, at);
  status st = cov_matrices(&m, &by_table, column);
  if (!st) st = cov_matrices(&m, &directly, direct);
  if (!st) st = cov_contract(&m, &by_table, packed, sum);
  if (!st) st = cov_slopes(&m, &by_table, 2, weight, slopes);
  for (int j = 0; j < WANTS; j++) {
    double apart = 0, difference = 0, total = 0, most = 0;
    for (int i = 0; i < N * N; i++) {
      apart = fmax(apart, fabs(column[j][i] - direct[j][i]));
      total += column[j][i] * weight[i];
      most = fmax(most, fabs(column[j][i]));
    }
    check(!st && apart < 1e-13 * most, "column %d of a sum: routes differ by %g, status %d", j, apart, st);
    check(fabs(total - sum[j]) < 1e-10 * most, "column %d contracted is %.17g, not %.17g", j, sum[j], total);
    for (int q = 0; q < 2 && !st; q++)
      for (int i = 0; i < N; i++) {
        double product = 0;
        for (int k = 0; k < N; k++) product += column[j][i + k * N] * weight[k + q * N];
        total = slopes[(j * 2 + q) * N + i];
        check(fabs(product - total) < 1e-13 * N * most, "row %d of column %d times vector %d: %.17g, not %.17g", i, j,
              q, total, product);
      }
    if (!j || st) continue;
    cov_part *p = part + want[j].part, kept = *p;
    for (int side = 0; side < 2; side++) {
      const double by = side ? -step : step;
      *p = kept;
      if (want[j].what == COV_RANGE) p->range += by;
      if (want[j].what == COV_VARIANCE) p->variance += by;
      if (want[j].what == COV_SHAPE) p->shape += by;
      if (want[j].what == COV_SHAPE && p->function == COV_MATERN) p->source = matern_source(p->shape);
      for (int i = 0; i < 4 && want[j].what == COV_MAP; i++) map_to[side][i] = map[i] + by * slope[i];
      if (want[j].what == COV_MAP) p->map = map_to[side];
      st = cov_matrices(&value, &directly, moved + side);
    }
    *p = kept;
    for (int i = 0; i < N * N; i++)
      difference = fmax(difference, fabs((moved[0][i] - moved[1][i]) / (2 * step) - column[j][i]));
    check(!st && difference < 3e-8 * most, "derivative %d of a sum differs from differences by %g of %g", j,
          difference, most);
  }
  for (int j = 0; j < WANTS; j++) free(column[j]), free(direct[j]);
  free(moved[0]);
  free(moved[1]);
  free(weight);
  free(packed);
  free(slopes);
  free(at);
}

/* Products and packed tiles against the matrix, for a sum with a part in time. */
static void test_consumers(void) {
  enum { N = 333, M = 150, VECTORS = 6 };
  double *at = reals(3 * N), *to = reals(3 * M), *v = reals(N * VECTORS), *matrix = reals(N * N);
  double *out = reals(N * VECTORS), *packed = reals(cov_packed_size(N));
  const cov_metric metric = {METRIC_EUCLIDEAN, 2, 1, 1};
  cov_part part[] = {{.function = COV_POWEXP, .role = COV_IN_TIME, .shape = 1.2, .range = 0.5, .variance = 2},
                     {.function = COV_MATERN, .shape = 1.3, .range = 0.2, .variance = 2,
                      .source = matern_source(1.3)},
                     {.function = COV_CUBIC, .range = 0.7, .variance = 1}};
  const cov_want want = {COV_VALUE, -1, NULL};
  const cov_model both = {3, 1, 0, part, &want}, matern = {1, 1, 0, part + 1, &want};
  for (int i = 0; i < 3 * N; i++) at[i] = uniform();
  for (int i = 0; i < 3 * M; i++) to[i] = uniform();
  for (int i = 0; i < N * VECTORS; i++) v[i] = uniform() - 0.5;
  for (int k = 0; k < 4; k++) {
    const cov_model *m = k < 2 ? &both : &matern;
    const enum cov_route route = k == 2 ? COV_DIRECTLY : COV_BY_TABLE;
    const int columns = k % 2 ? M : N;
    const double *b = k % 2 ? to : NULL;
    double worst = 0;
    cov_space space = among(metric, route, N, at);
    space.b = b;
    space.m = columns;
    status st = cov_matrices(m, &space, &matrix);
    if (!st) st = cov_product(m, &space, VECTORS, v, out);
    for (int j = 0; j < VECTORS; j++)
      for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int l = 0; l < columns; l++) sum += matrix[i + l * N] * v[l + j * columns];
        worst = fmax(worst, fabs(sum - out[i + j * N]));
      }
    check(!st && worst < 1e-12, "product %d differs by %g, status %d", k, worst, st);
    if (b) continue;
    const double *errors = k ? at : NULL;
    st = cov_packed(m, &space, errors, &packed);
    int wrong = 0, tile = 0;
    for (int c = 0; c < N; c += 64)
      for (int r = c; r < N; r += 64, tile++)
        for (int i = 0; i < 64 * 64; i++) {
          const int row = r + i % 64, column = c + i / 64, inside = row < N && column < N;
          const double own = errors && inside && row == column ? errors[row] : 0;
          wrong += packed[tile * 4096 + i] != (inside ? matrix[row + column * N] + own : row == column);
        }
    check(!st && !wrong, "%d entries of packed tiles are wrong, status %d", wrong, st);
  }
  free(at);
  free(to);
  free(v);
  free(matrix);
  free(out);
  free(packed);
}

static int stop(void *data, double fraction) {
  (void)fraction;
  return ++*(int *)data > 1;
}

static void test_interrupt(void) {
  enum { N = 6000 };
  double *at = reals(2 * N), *matrix = reals((int64_t)N * N);
  one_part o;
  const cov_model *m = matern_of(&o, 0.77, 0.3, 1, SCALE_PLAIN, COV_VALUE);
  const cov_metric plane = {METRIC_EUCLIDEAN, 2, 0, 1};
  int polls = 0;
  for (int i = 0; i < 2 * N; i++) at[i] = uniform();
  backend_set_poll(stop, &polls);
  const cov_space all = among(plane, COV_DIRECTLY, N, at), some = among(plane, COV_BY_SIZE, 100, at);
  const status st = cov_matrices(m, &all, &matrix);
  backend_set_poll(NULL, NULL);
  check(st == STATUS_INTERRUPT, "a stopped matrix has status %d", st);
  check(cov_matrices(m, &some, &matrix) == STATUS_OK, "no matrix after a stop");
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
    one_part o;
    const cov_model *m = matern_of(&o, smoothness, range, 1, (enum cov_scaling)(k % 3), COV_VALUE);
    const int64_t few = n < 2000 ? n : 2000;
    const status st = cov_values(m, (enum cov_route)(k % 2), few, (column){x, few}, &value);
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
  test_sums();
  test_consumers();
  if (!devices_enumerate() && devices_count() > 1 && devices_get(1)->fp64) {
    const char *const device = devices_get(1)->name;
    check(!devices_use(&device, 1), "%s is not used", device);
    test_consumers();
    devices_use(NULL, 0);
  }
  test_interrupt();
  test_hostile((int64_t)(1e5 * size) + 1000);
  cov_tables_drop();
  devices_shutdown();
  return summary();
}
