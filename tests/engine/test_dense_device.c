/* test_dense_device.c: cooperative kernels on packed matrices, in C and on every OpenCL device, against the CPU's
 * tiles: they differ by the backward error of Cholesky's method times the condition. Where both fuse products and
 * sums, the kernels in C and on a device agree to the last bit. */
#include "check.h"

#include "covariance/covariance.h"
#include "dense/dense.h"
#include "dense/dense_device.h"
#include "dense/dense_levels.h"
#include "engine/backend.h"
#include "engine/exact_sum.h"
#include "engine/resident.h"

enum { T = DENSE_TILE, RIGHT = 37, MOST = 1 + MAX_DEVICES };
static const double eps = 2.220446049250313e-16;

static double *entry_of(double *a, int64_t n, int64_t i, int64_t k) {
  const int64_t m = (n + T - 1) / T, row = i / T, column = k / T;
  return a + (column * m - column * (column - 1) / 2 + row - column) * T * T + k % T * T + i % T;
}

/* Waves, and a diagonal for them to be positive definite; norms of the matrix and of its inverse: 2 n and 1e3. */
static double *waves(int64_t n) {
  const int64_t all = (n + T - 1) / T * T;
  double *a = reals(dense_size(n));
  for (int64_t k = 0; k < all; k++)
    for (int64_t i = k / T * T; i < all; i++)
      *entry_of(a, n, i, k) = i >= n || k >= n ? i == k
                              : cos(0.3 * (double)(i - k)) + 0.5 * cos(1.7 * (double)(i - k)) +
                                    (i == k ? 1e-3 * (double)(1 + i % 7) : 0);
  return a;
}

static double *copy_of(const double *a, int64_t n) { return memcpy(reals(n), a, (size_t)n * sizeof *a); }

/* Largest difference, of the largest number of the first. */
static double apart(const double *a, const double *b, int64_t n) {
  double most = 0, worst = 0;
  for (int64_t i = 0; i < n; i++) {
    const double d = fabs(a[i] - b[i]);
    most = fmax(most, fabs(a[i]));
    worst = d > worst || d != d ? d : worst;
  }
  return worst / most;
}

/* What is made on a device (-1: the CPU's tiles): the factor; solutions, with l' and products; the inverse; u u' less
 * that. */
typedef struct {
  double *factor, *solved, *backward, *product, *inverse, *weights;
} results;

static int done(int device, int made, status st, const char *what, int64_t n) {
  return check(made == 1 && st == STATUS_OK, "device %d, n = %d: %s: %s", device, (int)n, what,
               made ? last_error() : "it was left to the CPU");
}

static results make(int device, int64_t n) {
  const int64_t size = dense_size(n);
  double *a = waves(n), *b = reals(RIGHT * n);
  results r = {0};
  int64_t bad = 0;
  status st = STATUS_OK;
  for (int64_t i = 0; i < RIGHT * n; i++) b[i] = cos((double)(i % n) * 0.1 + (double)(i / n)) + 2;
  double *u = copy_of(b, 2 * n);
  if (device < 0) check(dense_cholesky(n, a, &bad) == STATUS_OK && !bad, "factor, n = %d", (int)n);
  else done(device, dense_device_cholesky(device, n, a, &bad, &st), st, "factor", n);
  check(bad == 0, "device %d, n = %d: row %d", device, (int)n, (int)bad);
  r.factor = copy_of(a, size);
  if (device < 0) dense_solve(n, a, RIGHT, b, 0);
  else done(device, dense_device_solve(device, n, a, RIGHT, b, 0, &st), st, "solution", n);
  r.solved = copy_of(b, RIGHT * n);
  if (n % 2 && device >= 0) dense_device_forget(); /* then the factor is sent again */
  if (device < 0) dense_solve(n, a, RIGHT, b, 1);
  else done(device, dense_device_solve(device, n, a, RIGHT, b, 1, &st), st, "transposed solution", n);
  r.backward = copy_of(b, RIGHT * n);
  if (device < 0) dense_multiply(n, a, RIGHT, b);
  else done(device, dense_device_multiply(device, n, a, RIGHT, b, &st), st, "product", n);
  r.product = b;
  if (device < 0) dense_inverse(n, a);
  else done(device, dense_device_inverse(device, n, a, &st), st, "inverse", n);
  r.inverse = copy_of(a, size);
  if (device < 0) dense_outer_less(n, a, 2, u);
  else done(device, dense_device_outer_less(device, n, a, 2, u, &st), st, "outer product", n);
  r.weights = a;
  free(u);
  return r;
}

static void drop(results r) {
  double *all[] = {r.factor, r.solved, r.backward, r.product, r.inverse, r.weights};
  for (int k = 0; k < 6; k++) free(all[k]);
}

static double shown[6];

/* The condition is at most 2 n 1e3, and each side is some eps from what a matrix that near has. */
static void compare(int device, const results *cpu, const results *r, int64_t n) {
  const int64_t size = dense_size(n);
  const double difference[] = {
      apart(cpu->factor, r->factor, size),        apart(cpu->solved, r->solved, RIGHT * n),
      apart(cpu->backward, r->backward, RIGHT * n), apart(cpu->product, r->product, RIGHT * n),
      apart(cpu->inverse, r->inverse, size),      apart(cpu->weights, r->weights, size)};
  static const char *const what[] = {"factor", "solution", "transposed solution", "product", "inverse", "weights"};
  const double backward = 4 * eps, condition = 2e3 * (double)n;
  for (int k = 0; k < 6; k++) {
    check(difference[k] <= backward * condition, "device %d, n = %d: %s is %g off", device, (int)n, what[k],
          difference[k]);
    shown[k] = fmax(shown[k], difference[k]);
  }
}

static void same_bits(const results *twin, const results *r, int64_t n) {
  const int64_t size = dense_size(n);
  check(first_difference(twin->factor, r->factor, size) < 0, "n = %d: factors differ", (int)n);
  check(first_difference(twin->solved, r->solved, RIGHT * n) < 0, "n = %d: solutions differ", (int)n);
  check(first_difference(twin->backward, r->backward, RIGHT * n) < 0, "n = %d: transposed ones differ", (int)n);
  check(first_difference(twin->product, r->product, RIGHT * n) < 0, "n = %d: products differ", (int)n);
  check(first_difference(twin->inverse, r->inverse, size) < 0, "n = %d: inverses differ", (int)n);
  check(first_difference(twin->weights, r->weights, size) < 0, "n = %d: weights differ", (int)n);
}

static void of_results(const int *device, int devices, int64_t largest) {
  static const int64_t sizes[] = {1, 2, 63, 64, 65, 200, 333, 640};
  const int fused = strcmp(cpu_level_name(), "baseline") != 0;
  for (int k = 0; k < 8 && sizes[k] <= largest; k++) {
    const int64_t n = sizes[k];
    const results cpu = make(-1, n);
    results twin = {0};
    for (int i = 0; i < devices; i++) {
      const results r = make(device[i], n);
      compare(device[i], &cpu, &r, n);
      if (!i) twin = r;
      else if (fused) same_bits(&twin, &r, n);
      if (i) drop(r);
    }
    drop(twin);
    drop(cpu);
  }
  printf("largest differences: factor %g, solutions %g and %g, product %g, inverse %g, weights %g\n", shown[0],
         shown[1], shown[2], shown[3], shown[4], shown[5]);
}

static void of_indefinite(int device) {
  static const int64_t rows[] = {1, 63, 64, 65, 200, 290, 330};
  const int64_t n = 333;
  for (int k = 0; k < 7; k++)
    for (int how = 0; how < 3; how++) {
      double *a = waves(n), *b = waves(n);
      const double odd = how == 0 ? -1 : how == 1 ? NAN : INFINITY;
      int64_t bad = -1, expected = -1;
      status st = STATUS_OK;
      *entry_of(a, n, rows[k] - 1, rows[k] - 1) = *entry_of(b, n, rows[k] - 1, rows[k] - 1) = odd;
      if (k % 2) *entry_of(a, n, rows[k] + 1, rows[k] + 1) = *entry_of(b, n, rows[k] + 1, rows[k] + 1) = -1;
      dense_cholesky(n, b, &expected);
      done(device, dense_device_cholesky(device, n, a, &bad, &st), st, "indefinite", n);
      check(bad == expected && bad == rows[k], "device %d: bad row %d of %d and %d", device, (int)bad, (int)rows[k],
            (int)expected);
      free(a);
      free(b);
    }
}

/* A device keeps the last matrix, and no other one is taken for it. */
static void of_kept(int device) {
  const int64_t n = 130, size = dense_size(n);
  double *a = waves(n), *b = reals(n), *again = reals(n);
  int64_t bad;
  status st = STATUS_OK;
  for (int64_t i = 0; i < n; i++) b[i] = again[i] = 1;
  done(device, dense_device_cholesky(device, n, a, &bad, &st), st, "factor", n);
  for (int64_t i = 0; i < size; i++) a[i] *= 2; /* another matrix in its place */
  done(device, dense_device_solve(device, n, a, 1, b, 0, &st), st, "solution", n);
  dense_solve(n, a, 1, again, 0);
  check(apart(again, b, n) < 1e-12, "device %d: a solution with a matrix of before", device);
  check(!dense_device_solve(-1, n, a, 1, b, 0, &st) && !dense_device_multiply(-1, n, a, 1, b, &st) &&
            !dense_device_cholesky(-1, n, a, &bad, &st) && !dense_device_inverse(-1, n, a, &st) &&
            !dense_device_outer_less(-1, n, a, 1, b, &st) && !dense_device_cholesky(device, 0, a, &bad, &st),
        "work that is the CPU's is done");
  free(a);
  free(b);
  free(again);
}

/* Rows of l z beyond those that are known: on the host to the last bit what a solution with nothing beyond and a
 * product give. */
static void of_draw(int device, int64_t n, int64_t known, int64_t columns) {
  const int64_t rows = n - known;
  double *l = waves(n), *b = reals(n * columns), *z = reals(n * columns);
  double *here = reals(rows * columns), *there = reals(rows * columns);
  int64_t bad;
  status st = STATUS_OK;
  for (int64_t i = 0; i < n * columns; i++) b[i] = uniform() - 0.5, z[i] = i % n < known ? b[i] : 0;
  done(device, dense_device_cholesky(device, n, l, &bad, &st), st, "factor", n);
  check(!dense_draw(n, l, known, columns, b, here) && !dense_solve(n, l, columns, z, 0), "a draw: %s", last_error());
  for (int64_t i = 0; i < n * columns; i++) z[i] = i % n < known ? z[i] : b[i];
  dense_multiply(n, l, columns, z);
  for (int64_t j = 0; j < columns; j++)
    check(first_difference(here + j * rows, z + j * n + known, rows) < 0, "n = %d: another draw", (int)n);
  done(device, dense_device_draw(device, n, l, known, columns, b, there, &st), st, "draw", n);
  const double off = apart(here, there, rows * columns);
  check(off <= 4 * eps * 2e3 * (double)n, "device %d, n = %d: a draw is %g off", device, (int)n, off);
  check(!dense_device_draw(-1, n, l, known, columns, b, there, &st), "a draw that is the CPU's is made");
  double *all[] = {l, b, z, here, there};
  for (int k = 0; k < 5; k++) free(all[k]);
}

/* Columns that are solved for with many others have the results that they have alone, to the last bit. */
static void of_many_columns(int device, int64_t n, int64_t columns) {
  double *a = waves(n), *b = reals(n * columns);
  int64_t bad = 0;
  status st = STATUS_OK;
  done(device, dense_device_cholesky(device, n, a, &bad, &st), st, "factor", n);
  for (int transposed = 0; transposed < 2; transposed++) {
    for (int64_t i = 0; i < n * columns; i++) b[i] = sin((double)(i % n) * 0.7 + 3 * (double)(i / n));
    double *alone = copy_of(b, n * columns);
    done(device, dense_device_solve(device, n, a, columns, b, transposed, &st), st, "many columns", n);
    for (int64_t first = 0; first < columns; first += 32)
      done(device, dense_device_solve(device, n, a, at_most(columns - first, 32), alone + first * n, transposed, &st),
           st, "columns", n);
    check(first_difference(alone, b, n * columns) < 0, "device %d: %d columns of %d rows differ from fewer", device,
          (int)columns, (int)n);
    free(alone);
  }
  free(a);
  free(b);
}

/* Matrices of covariances that are made on a device: by forms, or a form and a table, and their derivatives. */
enum { WANTS = 5 };
static cov_part parts[] = {{.function = COV_MATERN, .range = 0.3, .variance = 1.5},
                           {.function = COV_GAUSSIAN, .range = 0.2, .variance = 0.5}};
static void set_smoothness(double nu) {
  parts->shape = nu;
  parts->source = matern_source(nu);
}
static const cov_want value_of_all = {COV_VALUE, -1, NULL};
static const cov_want slopes[WANTS] = {{COV_RANGE, 0, NULL}, {COV_VARIANCE, 0, NULL}, {COV_RANGE, 1, NULL},
                                       {COV_NOTHING, 0, NULL}, {COV_VARIANCE, 1, NULL}};

/* The matrix, and what more there is on its diagonal, as the host makes them. */
static double *covariances(const cov_model *m, const cov_space *s, const double *diagonal) {
  double *a = reals(dense_size(s->n));
  check(cov_packed(m, s, diagonal, &a) == STATUS_OK, "covariances: %s", last_error());
  return a;
}

/* A filler of so many columns of entries, with NaN beyond the matrix, where anything may be. */
typedef struct {
  cov_filler *of;
  int64_t n;
  int columns;
} spoiling;

static status spoiled_column(void *context, resident *r, int64_t column, int64_t count, int which, int64_t at,
                             int64_t apart) {
  const spoiling *s = context;
  const int64_t last = (s->n - 1) / T;
  double tile[T * T];
  status st = cov_filler_columns(s->of, r, column, count, which, at, apart);
  for (int64_t k = 0, place = at + (last - column) * T * T; k < s->columns && !st; k++, place += apart) {
    st = resident_receive(r, which, place, T * T, tile);
    for (int64_t i = 0; i < T * T; i++)
      if (last * T + i % T >= s->n || column * T + i / T >= s->n) tile[i] = NAN;
    if (!st) st = resident_send(r, which, place, T * T, tile);
  }
  return st;
}

/* Does the device alone have it? */
static int made_on(int device, const cov_model *m, const cov_space *s, const double *diagonal, double *a,
                   double *log_det) {
  cov_filler *f = NULL;
  status st = cov_filler_open(m, s, &f);
  check(!st && f, "a matrix of forms wants more than one pass");
  spoiling with = {f, s->n, 1};
  const dense_filler fill = {spoiled_column, &with};
  const int made = dense_device_make(device, s->n, a, fill, diagonal, log_det, &st);
  check(!st, "device %d, n = %d: %s", device, (int)s->n, last_error());
  cov_filler_close(f);
  return made;
}

/* The sum of the diagonal of tiles, or of its logarithms, and that of the absolute values. */
static double diagonal_sum(int64_t n, const double *a, int logarithms, double *size) {
  double *x = reals(n);
  exact_sum sum = {0, 0};
  *size = 0;
  dense_diagonal(n, a, x);
  for (int64_t i = 0; i < n; i++) {
    const double term = logarithms ? log(x[i]) : x[i];
    exact_add(&sum, term);
    *size += fabs(term);
  }
  free(x);
  return exact_total(sum);
}

/* Factor, solution and weights are to the last bit those of a matrix that was sent. Sums over the diagonal are
 * rounded once in a tile and once at the end, and two logarithms of a number are at most an ulp apart. */
static void of_made(int device, int64_t n, int many) {
  const cov_model value = {many ? 2 : 1, 1, 0, parts, &value_of_all}, slope = {2, WANTS, 0, parts, slopes};
  const cov_space s = {.metric = {METRIC_EUCLIDEAN, 2, 0, 0}, .n = n, .m = n, .a = reals(2 * n),
                       .route = many && n > 1 ? COV_BY_TABLE : COV_BY_SIZE, .tables_serve_all = many};
  double *diagonal = reals(n), *b = reals(n), *here = reals(dense_size(n)), sums[WANTS], expected[WANTS];
  double log_det = 0, trace = 0, logs, entries;
  int64_t bad = 0;
  status st = STATUS_OK;
  set_smoothness(many && n > 1 ? 0.8 : 0.5);
  for (int64_t i = 0; i < 2 * n; i++) ((double *)(uintptr_t)s.a)[i] = uniform();
  for (int64_t i = 0; i < n; i++) diagonal[i] = many ? 0.1 + (double)(i % 3) : 0.25, b[i] = uniform();
  double *a = covariances(&value, &s, diagonal), *c = copy_of(b, n), *u = copy_of(b, n);
  done(device, dense_device_cholesky(device, n, a, &bad, &st), st, "factor", n);
  done(device, dense_device_solve(device, n, a, 1, b, 0, &st), st, "solution", n);
  const double sum = 2 * diagonal_sum(n, a, 1, &logs);
  double *factor = copy_of(a, dense_size(n));
  done(device, dense_device_inverse(device, n, a, &st), st, "inverse", n);
  done(device, dense_device_outer_less(device, n, a, 1, u, &st), st, "weights", n);
  check(made_on(device, &value, &s, diagonal, here, &log_det) && dense_device_alone(n, here),
        "device %d, n = %d: the CPU makes the matrix", device, (int)n);
  done(device, dense_device_solve(device, n, here, 1, c, 0, &st), st, "solution there", n);
  check(first_difference(b, c, n) < 0, "device %d, n = %d: solutions differ", device, (int)n);
  check(fabs(sum - log_det) <= 4 * eps * logs, "device %d, n = %d: log det %.17g, not %.17g", device,
        (int)n, log_det, sum);
  if (many) { /* another matrix comes in between: the first goes home */
    double *other = waves(65);
    dense_device_cholesky(device, 65, other, &bad, &st);
    free(other);
    check(!dense_device_alone(n, here) && first_difference(factor, here, dense_size(n)) < 0,
          "device %d, n = %d: another factor came home", device, (int)n);
    check(made_on(device, &value, &s, diagonal, here, &log_det), "device %d: once, but not again", device);
  }
  done(device, dense_device_inverse(device, n, here, &st), st, "inverse there", n);
  done(device, dense_device_outer_less(device, n, here, 1, u, &st), st, "weights there", n);
  cov_filler *f = NULL;
  cov_filler_open(&slope, &s, &f);
  spoiling with = {f, n, WANTS};
  const dense_filler fill = {spoiled_column, &with};
  double *products = reals(2 * WANTS * n), *should = products + WANTS * n;
  check(dense_device_products(n, WANTS, fill, u, products, &st) && !st, "device %d, n = %d: no products: %s", device,
        (int)n, last_error());
  check(cov_slopes(&slope, &s, 1, u, should) == STATUS_OK, "products: %s", last_error());
  check(apart(should, products, WANTS * n) <= 4 * eps * (double)n, "device %d, n = %d: products are %g off", device,
        (int)n, apart(should, products, WANTS * n));
  free(products);
  check(dense_device_alone(n, here) && dense_device_contract(n, here, WANTS, fill, sums, &st) && !st &&
            dense_device_trace(n, here, &trace, &st) && !st,
        "device %d, n = %d: no sums: %s", device, (int)n, last_error());
  cov_filler_close(f);
  dense_diagonal(n, a, b);
  check(dense_device_diagonal(n, here, c, &st) && !st && first_difference(b, c, n) < 0,
        "device %d, n = %d: another diagonal", device, (int)n);
  check(dense_device_fetch(n, here) == STATUS_OK && first_difference(a, here, dense_size(n)) < 0,
        "device %d, n = %d: weights differ", device, (int)n);
  check(!dense_device_diagonal(n, here, c, &st), "device %d, n = %d: the host's diagonal", device, (int)n);
  check(cov_contract(&slope, &s, a, expected) == STATUS_OK, "sums: %s", last_error());
  double size = 0; /* of the terms: covariances are at most 2, their derivatives 20 */
  for (int64_t i = 0; i < dense_size(n); i++) size += 40 * fabs(a[i]);
  for (int k = 0; k < WANTS; k++)
    check(fabs(sums[k] - expected[k]) <= 20 * eps * size, "device %d, n = %d: sum %d is %.17g, not %.17g", device,
          (int)n, k, sums[k], expected[k]);
  check(fabs(trace - diagonal_sum(n, a, 0, &entries)) <= eps * entries, "device %d, n = %d: trace %.17g", device,
        (int)n, trace);
  dense_device_forget();
  double *all[] = {diagonal, b, c, u, here, a, factor, (double *)(uintptr_t)s.a};
  for (int k = 0; k < 8; k++) free(all[k]);
}

/* The same of a matrix of covariances with other locations. */
static status spoiled_columns(void *context, resident *r, int64_t first, int64_t count, int which, int64_t at,
                              int64_t apart) {
  const spoiling *s = context;
  const int64_t rows = (s->n - 1) / T + 1;
  double tile[T * T];
  status st = cov_filler_columns(s->of, r, first, count, which, at, apart);
  for (int64_t k = 0; k < count * rows && !st; k++) {
    const int64_t row = k % rows * T, column = (first + k / rows) * T;
    if (row + T <= s->n && column + T <= s->columns) continue;
    st = resident_receive(r, which, at + k * T * T, T * T, tile);
    for (int64_t i = 0; i < T * T; i++)
      if (row + i % T >= s->n || column + i / T >= s->columns) tile[i] = NAN;
    if (!st) st = resident_send(r, which, at + k * T * T, T * T, tile);
  }
  return st;
}

/* Sums over x = inv(l) c of products with vectors, and of squares: c' inv(S) c at most is the variance, and vectors
 * have elements below 1. Whoever rounds a covariance or a factor otherwise is some eps times the condition off, which
 * is 1.5 n / 0.25 at most. Kernels in C and on a device agree to the last bit. */
static void of_sums(const int *device, int devices, int64_t n, int columns, int vectors, int many) {
  const cov_model value = {many ? 2 : 1, 1, 0, parts, &value_of_all};
  const int64_t kinds = vectors + 1, all = columns * kinds;
  double *a = reals(2 * n), *b = reals(2 * columns), *with = reals(vectors * n + 1), *diagonal = reals(n);
  double *x = reals(n * columns), *out = reals(all), *expected = reals(all), *twin = reals(all);
  const cov_space s = {.metric = {METRIC_EUCLIDEAN, 2, 0, 0}, .n = n, .m = n, .a = a}, wide =
                      {.metric = s.metric, .n = n, .m = columns, .a = a, .b = b};
  const double scale = (double)n * eps * 1.5 * (double)n / 0.25;
  int64_t bad = 0;
  set_smoothness(1.5);
  for (int64_t i = 0; i < 2 * n; i++) a[i] = uniform();
  for (int64_t i = 0; i < 2 * columns; i++) b[i] = uniform();
  for (int64_t i = 0; i < vectors * n; i++) with[i] = uniform();
  for (int64_t i = 0; i < n; i++) diagonal[i] = 0.25;
  double *l = covariances(&value, &s, diagonal), *here = reals(dense_size(n)), log_det;
  check(!dense_cholesky(n, l, &bad) && !cov_matrices(&value, &wide, &x) && !dense_solve(n, l, columns, x, 0),
        "solutions: %s", last_error());
  for (int64_t k = 0; k < kinds; k++)
    for (int64_t j = 0; j < columns; j++) {
      exact_sum sum = {0, 0};
      for (int64_t i = 0; i < n; i++) exact_add(&sum, x[j * n + i] * (k < vectors ? with[k * n + i] : x[j * n + i]));
      expected[k * columns + j] = exact_total(sum);
    }
  for (int i = 0; i < devices; i++) {
    cov_filler *f = NULL;
    status st = STATUS_OK;
    for (int sent = 0; sent < 2; sent++) { /* the factor is there alone, or the host's */
      if (!sent) check(made_on(device[i], &value, &s, diagonal, here, &log_det), "device %d makes none", device[i]);
      else if (!check(dense_device_fetch(n, here) == STATUS_OK, "device %d: %s", device[i], last_error())) break;
      else dense_device_forget();
      check(!cov_filler_open(&value, &wide, &f) && f, "covariances with others want more than one pass");
      spoiling spoiled = {f, n, columns};
      const dense_filler fill = {spoiled_columns, &spoiled};
      done(device[i], dense_device_sums(device[i], n, here, columns, fill, vectors, with, out, &st), st, "sums", n);
      cov_filler_close(f);
      check(dense_device_alone(n, here) == !sent, "device %d, n = %d: whose is the factor?", device[i], (int)n);
      for (int64_t k = 0; k < all; k++)
        check(fabs(out[k] - expected[k]) <= scale, "device %d, n = %d: sum %d is %.17g, not %.17g", device[i], (int)n,
              (int)k, out[k], expected[k]);
      if (!i && !sent) memcpy(twin, out, (size_t)all * sizeof *out);
      else if (strcmp(cpu_level_name(), "baseline"))
        check(first_difference(twin, out, all) < 0, "device %d, n = %d: sums differ", device[i], (int)n);
    }
    dense_device_forget();
  }
  double *these[] = {a, b, with, diagonal, x, out, expected, twin, l, here};
  for (int k = 0; k < 10; k++) free(these[k]);
}

/* What came back is known there when it is sent again, and told from what only looks like it. */
static void of_returned(int device, int64_t n, int64_t columns) {
  const int64_t size = dense_size(n), last = n * columns - 1;
  double *l = waves(n), *b = reals(n * columns), *x[2], *weights[2];
  int64_t bad = 0;
  status st = STATUS_OK;
  for (int64_t i = 0; i <= last; i++) b[i] = uniform();
  done(device, dense_device_cholesky(device, n, l, &bad, &st), st, "factor", n);
  for (int fresh = 0; fresh < 2; fresh++) {
    x[fresh] = copy_of(b, n * columns);
    weights[fresh] = copy_of(l, size);
    for (int k = 0; k < 4; k++) {
      if (fresh) dense_device_forget();
      if (k == 2) x[fresh][last] += 1;
      done(device, dense_device_solve(device, n, weights[fresh], columns, x[fresh], k % 2, &st), st, "solution", n);
    }
    if (fresh) dense_device_forget();
    done(device, dense_device_inverse(device, n, weights[fresh], &st), st, "inverse", n);
    if (fresh) dense_device_forget();
    done(device, dense_device_outer_less(device, n, weights[fresh], columns, x[fresh], &st), st, "weights", n);
  }
  check(first_difference(x[0], x[1], last + 1) < 0 && first_difference(weights[0], weights[1], size) < 0,
        "device %d, n = %d: other results where the device knows the numbers", device, (int)n);
  double *all[] = {l, b, x[0], x[1], weights[0], weights[1]};
  for (int k = 0; k < 6; k++) free(all[k]);
}

/* The host's work begins where a matrix is not positive definite, and the device is as it was. */
static void of_made_indefinite(int device) {
  const cov_model value = {1, 1, 0, parts, &value_of_all};
  const double at[] = {0, 1, 2, 1, 0, 0, 0, 0}, diagonal[4] = {0};
  const cov_space s = {.metric = {METRIC_EUCLIDEAN, 2, 0, 0}, .n = 4, .m = 4, .a = at};
  double *a = reals(dense_size(4)), log_det;
  set_smoothness(0.5);
  check(!made_on(device, &value, &s, diagonal, a, &log_det) && !dense_device_keeps(), "device %d: a factor of rank 3",
        device);
  free(a);
}

/* Constants for which there is no room take those before along: these are sent again. */
static void of_scarce_constants(int device) {
  resident *r = NULL;
  double par[300], got[100];
  for (int i = 0; i < 300; i++) par[i] = i;
  check(resident_open(device, &r) == STATUS_OK, "device %d: %s", device, last_error());
  check(!resident_constants(r, 100, par) && !resident_constants(r, 300, par), "device %d: %s", device, last_error());
  check(resident_constants(r, (int64_t)1 << 50, par) == STATUS_MEMORY, "device %d has room for too much", device);
  check(resident_constants(r, 100, par) == STATUS_OK, "device %d: %s", device, last_error());
  check(!resident_receive(r, RESIDENT_CONSTANTS, 0, 100, got) && first_difference(par, got, 100) < 0,
        "device %d: constants are others", device);
  resident_close(r);
}

static int stop(void *data, double fraction) {
  int *left = data;
  check(fraction >= 0 && fraction <= 1, "a share of %g", fraction);
  return --*left < 0;
}

/* A device may be done before the first poll. */
static void of_interrupts(int device) {
  const int64_t n = 2000;
  double *a = waves(n), *before = waves(n);
  int64_t bad = 0;
  int left = 0;
  status st = STATUS_OK;
  backend_set_poll(stop, &left);
  check(dense_device_cholesky(device, n, a, &bad, &st) == 1 && (left < 0 ? st == STATUS_INTERRUPT : !st),
        "device %d: a factor goes on after an interrupt", device);
  backend_set_poll(NULL, NULL);
  check(left == 0 || first_difference(a, before, dense_size(n)) < 0, "device %d: an interrupt changed the matrix",
        device);
  free(a);
  free(before);
}

/* Shares of sums grow, and an interrupt is heard in between, unless a device is done before the first poll. */
static void of_interrupted_sums(int device) {
  enum { N = 300, COLUMNS = 2000 };
  const cov_model value = {1, 1, 0, parts, &value_of_all};
  double *a = reals(2 * N), *b = reals(2 * COLUMNS), *l = reals(dense_size(N)), *out = reals(2 * COLUMNS), log_det;
  const cov_space s = {.metric = {METRIC_EUCLIDEAN, 2, 0, 0}, .n = N, .m = N, .a = a}, wide =
                      {.metric = s.metric, .n = N, .m = COLUMNS, .a = a, .b = b};
  double diagonal[N], with[N];
  cov_filler *f = NULL;
  int left = 0;
  status st = STATUS_OK;
  set_smoothness(0.5);
  for (int i = 0; i < N; i++) a[i] = uniform(), a[N + i] = uniform(), diagonal[i] = 0.25, with[i] = 1;
  for (int i = 0; i < 2 * COLUMNS; i++) b[i] = uniform();
  check(made_on(device, &value, &s, diagonal, l, &log_det), "device %d makes none", device);
  check(!cov_filler_open(&value, &wide, &f) && f, "covariances with others want more than one pass");
  const dense_filler fill = {cov_filler_columns, f};
  backend_set_poll(stop, &left);
  check(dense_device_sums(device, N, l, COLUMNS, fill, 1, with, out, &st) == 1 &&
            (left < 0 ? st == STATUS_INTERRUPT : !st),
        "device %d: sums go on after an interrupt", device);
  backend_set_poll(NULL, NULL);
  cov_filler_close(f);
  dense_device_forget();
  double *all[] = {a, b, l, out};
  for (int k = 0; k < 4; k++) free(all[k]);
}

/* dense.h's functions go to the device that is in use, and agree with it to the last bit. */
static void of_dispatch(int device) {
  const int64_t n = 200, size = dense_size(n);
  double *a = waves(n), *b = waves(n), *c = waves(n);
  int64_t bad = 0;
  status st = STATUS_OK;
  dense_device_cholesky(device, n, b, &bad, &st);
  dense_cholesky(n, c, &bad);
  check(use(devices_get(device)->name) == STATUS_OK && backend_device() == device, "device %d is not used", device);
  check(dense_cholesky(n, a, &bad) == STATUS_OK && first_difference(a, b, size) < 0, "another factor on %s",
        devices_get(device)->name);
  backend_force_cpu(1);
  check(backend_device() == -1, "forced, and yet a device");
  backend_force_cpu(-1);
  use("cpu");
  free(a);
  free(b);
  free(c);
}

int main(int count, char **argument) {
  int device[MOST] = {0}, devices = 1;
  if (count > 2) folders_set(argument[1], argument[2]);
  devices += opencl_devices(device + 1);
  if (devices == 1) skip("OpenCL", ocl_trouble());
  of_results(device, devices, count > 3 && atof(argument[3]) < 0.01 ? 200 : 640);
  for (int i = 0; i < devices; i++) {
    of_indefinite(device[i]);
    of_kept(device[i]);
    of_draw(device[i], 200, 130, 5);
    of_draw(device[i], 65, 64, 1);
    of_draw(device[i], 130, 0, 40);
    for (int k = 0; k < 6; k++) {
      static const int64_t sizes[] = {1, 63, 64, 65, 200, 333};
      for (int many = 0; many < 2; many++) of_made(device[i], sizes[k], many);
    }
    of_many_columns(device[i], 333, 150);
    of_many_columns(device[i], 40, 64);
    of_returned(device[i], 130, 1);
    of_returned(device[i], 65, 40);
    of_made_indefinite(device[i]);
    of_interrupts(device[i]);
    of_interrupted_sums(device[i]);
    if (i) of_dispatch(device[i]);
    if (i) of_scarce_constants(device[i]);
  }
  for (int k = 0; k < 6; k++) {
    static const int sizes[] = {1, 63, 64, 65, 200, 333}, columns[] = {1, 65, 3, 130, 64, 200};
    of_sums(device, devices, sizes[k], columns[k], k % 3, k % 2);
  }
  devices_shutdown();
  return summary();
}
