/* test_field.c: sums over lines against sums in long double; places, chunks and threads do not change bits; meshes,
 * tables and places agree; interrupts and hostile arguments. */
#include <float.h>
#include <math.h>

#include "field/bands.h"
#include "check.h"

enum { LINES = 300 };

typedef struct {
  double k[BAND_DIM * LINES], phase[LINES], amplitude[LINES];
} some_lines;

static band_lines random_lines(some_lines *s, int64_t n, double most) {
  for (int64_t i = 0; i < BAND_DIM * n; i++) s->k[i] = most * (2 * uniform() - 1);
  for (int64_t i = 0; i < n; i++) { /* as sums of models have them: some in a row alike */
    s->phase[i] = uniform();
    s->amplitude[i] = i && below(5) ? s->amplitude[i - 1] : 2 * uniform() - 1;
  }
  return (band_lines){.n = n, .k = s->k, .phase = s->phase, .amplitude = s->amplitude};
}

static double exact_sum(const double *x, int64_t apart, int dim, const band_lines *lines) {
  long double sum = 0;
  for (int64_t i = 0; i < lines->n; i++) {
    long double t = lines->phase[i];
    for (int d = 0; d < dim; d++) t += (long double)lines->k[d * lines->n + i] * x[d * apart];
    sum += lines->amplitude[i] * cosl(6.283185307179586476925L * (t - rintl(t)));
  }
  return (double)sum;
}

/* A phase of t turns is rounded to t eps/2 a few times, and the cosine's slope is 2 pi. */
static double tolerance(const band_lines *lines, double turns) {
  double sum = 0;
  for (int64_t i = 0; i < lines->n; i++) sum += fabs(lines->amplitude[i]);
  return sum * DBL_EPSILON * (4 + 6.3 * 2 * turns);
}

static void test_points(void) {
  static const int64_t sizes[] = {1, 15, 16, 17, 700, 5000};
  static some_lines s;
  for (int k = 0; k < 18; k++) {
    const int64_t n = sizes[k % 6];
    const int dim = 1 + k / 6;
    const band_lines lines = random_lines(&s, 1 + below(LINES), 3);
    double *x = reals(dim * n), *sum = reals(n), worst = 0, one = 0;
    for (int64_t i = 0; i < dim * n; i++) x[i] = 20 * uniform() - 10;
    status st = band_sum((band_locations){n, dim, x}, lines, sum);
    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(sum[i] - exact_sum(x + i, n, dim, &lines)));
    check(!st && worst < tolerance(&lines, 31 * dim), "%lld places in dimension %d are wrong by %g", (long long)n,
          dim, worst);
    double place[BAND_DIM];
    const int64_t i = below((int)n);
    for (int d = 0; d < dim; d++) place[d] = x[d * n + i];
    st = band_sum((band_locations){1, dim, place}, lines, &one);
    check(!st && !memcmp(&one, sum + i, sizeof one), "place %lld alone has other bits", (long long)i);
    double *lots = reals(n), *group = reals(n);
    for (int64_t from = 0, to; from < lines.n && !st; from = to) {
      to = from + 1 + below(100);
      if (to > lines.n) to = lines.n;
      band_lines lot = {.n = to - from, .phase = lines.phase + from, .amplitude = lines.amplitude + from,
                        .before = from, .after = lines.n - to, .last = from ? lines.amplitude[from - 1] : 0,
                        .group = group};
      double k_lot[BAND_DIM * LINES];
      for (int d = 0; d < dim; d++)
        memcpy(k_lot + d * lot.n, lines.k + d * lines.n + from, (size_t)lot.n * sizeof *k_lot);
      lot.k = k_lot;
      st = band_sum((band_locations){n, dim, x}, lot, lots);
    }
    check(!st && first_difference(sum, lots, n) < 0, "%lld lines in lots have other bits", (long long)lines.n);
    free(lots);
    free(group);
    free(x);
    free(sum);
  }
}

/* Results that share phases: coefficients of cosines and of sines, which are cosines a quarter of a turn later. */
static void test_waves(void) {
  enum { N = 1000, MOST = 3 };
  static some_lines s, of_sine;
  static double x[BAND_DIM * N], values[MOST * N], cosine[MOST * LINES], sine[MOST * LINES];
  for (int columns = 1; columns <= MOST; columns++) {
    const int dim = columns;
    const band_lines lines = random_lines(&s, 1 + below(LINES), 3);
    double *out[MOST], worst = 0;
    for (int64_t i = 0; i < dim * N; i++) x[i] = 20 * uniform() - 10;
    for (int64_t i = 0; i < columns * lines.n; i++) cosine[i] = 2 * uniform() - 1, sine[i] = 2 * uniform() - 1;
    for (int j = 0; j < columns; j++) out[j] = values + j * N;
    band_lines all = lines, shifted = lines;
    all.amplitude = cosine;
    for (int64_t i = 0; i < lines.n; i++) of_sine.phase[i] = lines.phase[i] - 0.25;
    shifted.phase = of_sine.phase;
    const status st = band_sum_of_waves((band_locations){N, dim, x}, all, sine, columns, out);
    for (int j = 0; j < columns; j++)
      for (int i = 0; i < N; i++) {
        all.amplitude = cosine + j * lines.n;
        shifted.amplitude = sine + j * lines.n;
        const double own = exact_sum(x + i, N, dim, &all) + (columns > 1 ? exact_sum(x + i, N, dim, &shifted) : 0);
        worst = fmax(worst, fabs(out[j][i] - own) / (tolerance(&all, 31 * dim) + tolerance(&shifted, 31 * dim)));
      }
    check(!st && worst < 1, "%d results in dimension %d are wrong by %g of what they may", columns, dim, worst);
  }
}

static void test_meshes(void) {
  static const int64_t sizes[][BAND_DIM] = {{1, 1, 40},   {16, 8, 2},  {17, 9, 3},
                                            {1, 100, 50}, {40, 1, 70}, {600, 41, 7}};
  static some_lines s;
  for (int k = 0; k < 18; k++) {
    const int dim = 1 + k / 6;
    const int64_t *n = sizes[k % 6];
    int64_t size = 1, wrong = 0;
    const double *axis[BAND_DIM];
    double *own[BAND_DIM] = {NULL, NULL, NULL}, worst = 0;
    const band_lines lines = random_lines(&s, 1 + below(LINES), 3);
    for (int d = 0; d < dim; d++) {
      axis[d] = own[d] = reals(n[d]);
      for (int64_t i = 0; i < n[d]; i++) own[d][i] = 20 * uniform() - 10;
      size *= n[d];
    }
    double *sum = reals(size), *again = reals(size);
    status st = band_sum_on_mesh(dim, n, axis, lines, sum);
    threads_set(1);
    if (!st) st = band_sum_on_mesh(dim, n, axis, lines, again);
    threads_set(0);
    for (int64_t i = 0; i < size; i += 1 + size / 2000) {
      double x[BAND_DIM];
      for (int64_t d = 0, rest = i; d < dim; rest /= n[d++]) x[d] = own[d][rest % n[d]];
      worst = fmax(worst, fabs(sum[i] - exact_sum(x, 1, dim, &lines)));
    }
    wrong = first_difference(sum, again, size);
    check(!st && worst < tolerance(&lines, 31 * dim), "mesh %lld x %lld x %lld in dimension %d is wrong by %g",
          (long long)n[0], (long long)n[1], (long long)n[2], dim, worst);
    check(wrong < 0, "mesh value %lld has other bits with one thread", (long long)wrong);
    for (int d = 0; d < dim; d++) free(own[d]);
    free(sum);
    free(again);
  }
}

static void test_tables(void) {
  enum { N = 3000, ENTRIES = 500 };
  static double x[BAND_DIM * N], u[BAND_DIM * LINES], values[LINES * ENTRIES], sum[N], block[N];
  const double origin = -18, step = 36.0 / (ENTRIES - 1);
  int wrong = 0;
  for (int i = 0; i < BAND_DIM * N; i++) x[i] = 20 * uniform() - 10;
  for (int i = 0; i < LINES; i++) {
    double size = 0;
    for (int d = 0; d < BAND_DIM; d++) u[d * LINES + i] = 2 * uniform() - 1, size = hypot(size, u[d * LINES + i]);
    for (int d = 0; d < BAND_DIM; d++) u[d * LINES + i] /= size;
  }
  for (int i = 0; i < LINES * ENTRIES; i++) values[i] = (double)below(1 << 20); /* sums without rounding */
  band_tables tables = {LINES, ENTRIES, u, values, origin, step, 0};
  const band_locations places = {N, BAND_DIM, x};
  status st = band_sum_of_tables(places, tables, sum);
  for (int i = 0; i < N; i++) {
    double low = 0, high = 0;
    for (int l = 0; l < LINES; l++) {
      double t = -origin;
      for (int d = 0; d < BAND_DIM; d++) t += u[d * LINES + l] * x[d * N + i];
      const double place = t / step + 0.5, slack = 1e-12 * ENTRIES;
      const double a = values[l * ENTRIES + (int)(place - slack)], b = values[l * ENTRIES + (int)(place + slack)];
      low += fmin(a, b), high += fmax(a, b);
    }
    wrong += !(sum[i] >= low && sum[i] <= high);
  }
  check(!st && !wrong, "%d of %d sums of tables are wrong", wrong, N);
  for (int k = 1; k < LINES; k = 3 * k + 1) {
    tables.block = k;
    st = band_sum_of_tables(places, tables, block);
    check(!st && first_difference(sum, block, N) < 0, "sums by %d tables have other bits", k);
  }
}

static void test_draws(void) {
  enum { N = 20000 };
  static double u[N], v[N], x[3 * N], z[N];
  const uint32_t key[2] = {17, 4000000000u}, other[2] = {17, 4000000001u};
  double mean = 0, square = 0, product = 0;
  int same = 0;
  status st = band_uniforms(key, 5, 0, N, u);
  if (!st) st = band_uniforms(key, 6, 0, N, v);
  for (int i = 0; i < N; i++) {
    mean += (u[i] - 0.5) / N, square += (u[i] - 0.5) * (u[i] - 0.5) / N, product += (u[i] - 0.5) * (v[i] - 0.5) / N;
    same += u[i] == v[i];
  }
  /* six standard errors: 1/sqrt(12 n), sqrt(1/180 n), 1/(12 sqrt(n)) */
  check(!st && fabs(mean) < 6 / sqrt(12.0 * N), "uniforms have the mean %g", mean);
  check(fabs(square - 1.0 / 12) < 6 / sqrt(180.0 * N), "uniforms have the variance %g", square);
  check(fabs(product) < 0.5 / sqrt(N) && !same, "streams have the covariance %g", product);
  st = band_uniforms(key, 5, 7, 40, v);
  check(!st && first_difference(u + 7, v, 40) < 0, "a part of a stream is another one");
  for (int i = 0; i < 3 * N; i++) x[i] = below(50);
  for (int d = 0; d < 3; d++) x[d * N + 1] = x[d * N]; /* one place twice */
  x[2] = 0.0, x[3] = -0.0;
  for (int d = 1; d < 3; d++) x[d * N + 2] = x[d * N + 3] = 7;
  st = band_noise((band_locations){N, 3, x}, key, z);
  check(!st && z[0] == z[1] && z[2] == z[3], "equal places have unequal noise");
  st = band_noise((band_locations){N, 3, x}, other, v);
  mean = square = product = 0;
  for (int i = 0; i < N; i++) mean += z[i] / N, square += z[i] * z[i] / N, product += z[i] * v[i] / N;
  /* of 125000 places 20000 drawn are about 18500 different ones, some counted twice */
  check(!st && fabs(mean) < 7 / sqrt(N), "noise has the mean %g", mean);
  check(fabs(square - 1) < 10 / sqrt(N), "noise has the variance %g", square);
  check(fabs(product) < 7 / sqrt(N), "two keys' noise has the covariance %g", product);
}

static int stop_at_once(void *data, double fraction) {
  (void)fraction;
  return ++*(int *)data > 2;
}

static void test_interrupt(void) {
  enum { N = 400000 };
  static some_lines s;
  const band_lines lines = random_lines(&s, LINES, 1);
  double *x = reals(2 * N), *sum = reals(N);
  int polls = 0;
  for (int i = 0; i < 2 * N; i++) x[i] = uniform();
  threads_set(1);
  backend_set_poll(stop_at_once, &polls);
  status st = STATUS_OK;
  for (int k = 0; k < 100 && !st; k++) st = band_sum((band_locations){N, 2, x}, lines, sum);
  backend_set_poll(NULL, NULL);
  threads_set(0);
  check(st == STATUS_INTERRUPT, "interrupted work ends with status %d", st);
  free(x);
  free(sum);
}

static void test_hostile(void) {
  static const double far[] = {1e16, 1e308, INFINITY, NAN};
  static some_lines s;
  const band_lines lines = random_lines(&s, LINES, 3);
  double sum;
  for (int k = 0; k < 4; k++) {
    const double x[2] = {0, far[k]};
    const int64_t n[2] = {1, 1};
    const double *const axis[2] = {x, x + 1};
    check(band_sum((band_locations){1, 2, x}, lines, &sum) == STATUS_INPUT, "a place at %g is no error", far[k]);
    check(band_sum_on_mesh(2, n, axis, lines, &sum) == STATUS_INPUT, "a mesh at %g is no error", far[k]);
  }
  check(band_sum((band_locations){0, 2, NULL}, lines, &sum) == STATUS_OK, "no places are an error");
}

int main(int argc, char **argv) {
  if (argc < 3) {
    printf("usage: test_field <kernel folder> <cache folder>\n");
    return 2;
  }
  in_forked_child();
  folders_set(argv[1], argv[2]);
  test_points();
  test_waves();
  test_meshes();
  test_tables();
  test_draws();
  test_interrupt();
  test_hostile();
  devices_shutdown();
  return summary();
}
