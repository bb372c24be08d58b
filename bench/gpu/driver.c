/* driver.c: the engine on a machine's devices, without R: reference values, then the speed of every kernel.
 *
 * Usage: driver <kernel folder> <reference table> [device ...]   these devices, or all that compute in fp64
 *        driver <kernel folder> --nodes <device>                 ns per point of the ray kernels, a line each
 * run.sh builds it with cc alone and says what else belongs to it.
 *
 * Kernel times are the engine's own, those of clProfile(): device events on OpenCL, the clock on the CPU, there on
 * one thread. Each figure is the least of many repetitions, since other programs may be running. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense.h"
#include "dense/dense_levels.h"
#include "field/bands.h"
#include "engine/cpu.h"
#include "engine/devices.h"
#include "engine/folders.h"
#include "engine/opencl.h"
#include "engine/profile.h"
#include "programs/programs.h"
#include "quadrature/integrand.h"
#include "quadrature/integrand_library.h"
#include "poisson/poisson.h"
#include "kernels/quadrature/quadrature.h"
#include "kernels/stable/stable_columns.h"
#include "stable/stable.h"
#include "engine/threads.h"

#ifndef RAY_NODES
#define RAY_NODES 44
#endif

/* Floating-point operations of one node; a fused one counts two, selects and moves of bits nothing:
 *   exp_node_ 12 fma + 1 = 25, expm1_node_ 11 fma + 5 = 27, sin_node_ 10 fma + 3 = 23
 *   ray_node       k0 + k kh 2, ls 1, alpha ls 1, 3 exp 75, phase 4, R 3, kappa + kq 1, R + ls 1, products 2, sin 23
 *   ray_node_near1 k0 + k kh 2, scaled 1, ls 1, 2 exp 50, am1 ls 1, expm1 27, phase 6, R 5, kappa + kq 1,
 *                  R + scaled 1, products 2, sin 23
 *   both           kappa e^-v 1, even (fma) or odd sum 1.5, sum of sizes 1
 * and of one line at one point:
 *   band_points    phase 3 fma, nearest whole number and distance 2, 1/4 less it 1, square 1, polynomial 7 fma,
 *                  sum fma
 *   band_grid      2 fma */
#define FLOPS_RAY 116.5
#define FLOPS_NEAR1 123.5
#define FLOPS_COSINE 26.0
#define FLOPS_PRODUCT 4.0
#define FLOPS_PEAK (2.0 * 64 * 8 * 8) /* per point: 64 rounds of 8 steps on 8 chains, see peak.cl */

/* Points that the kernel evaluates, all or most of them; x runs from low to high. */
typedef struct {
  const kernel_description *kernel;
  double alpha, beta, low, high;
  double nodes, flops; /* of a point, and of a node, where they are fixed */
} work;

static const work works[] = {
    {KERNEL_stable_param, 1.5, 0.5, -3, 3, 0, 0},
    {KERNEL_stable_locate, 1.5, 0.5, -3, 3, 0, 0},
    {KERNEL_stable_series, 1.5, 0.5, 200, 900, 0, 0},
    {KERNEL_stable_ray, 1.5, 0.5, -3, 3, RAY_NODES + 1, FLOPS_RAY},
    {KERNEL_stable_ray_fine, 0.6, 0, -0.01, 0.01, 2 * RAY_NODES + 1, FLOPS_RAY},
    {KERNEL_stable_ray_near1, 1.1, 0.5, -3, 3, RAY_NODES + 1, FLOPS_NEAR1},
    {KERNEL_stable_light, 1.7, 1, -9, -4, 0, 0},
    {KERNEL_stable_angle, 1.7, 0.99, -9, -4, 0, 0},
    {KERNEL_stable_finish, 1.5, 0.5, -3, 3, 0, 0},
    {KERNEL_stable_joint_ray, 1.5, 0.5, -3, 3, 0, 0},
    {KERNEL_stable_joint_ray_near1, 1.1, 0.5, -3, 3, 0, 0},
    {KERNEL_stable_joint_angle, 1.7, 0.99, -9, -4, 0, 0},
    {KERNEL_stable_table, 1.5, 0.5, -3, 3, 0, 0},
    {KERNEL_stable_table_quantile, 1.5, 0.5, 0.001, 0.999, 0, 0},
};
enum { WORKS = sizeof works / sizeof *works };

/* All points; quantiles by cuts (where there are enough points), by one polynomial, and with lambda of 20 to 100;
 * sums over BANDS lines at locations, on a mesh and by tables; panels of integrals */
enum { BANDS = 256, ENTRIES = 2000 };
static const work others[] = {
    {KERNEL_stable_draw, 1.5, 0.5, 0, 0, 0, 0},
    {KERNEL_poisson_quantile, 8, 0, 0, 0, 0, 0},  {KERNEL_poisson_quantile, 1e4, 0, 0, 0, 0, 0},
    {KERNEL_poisson_quantile, 0, 0, 0, 0, 0, 0},  {KERNEL_poisson_draw, 1e4, 0, 0, 0, 0, 0},
    {KERNEL_poisson_pmf, 1e4, 0, 0, 0, 0, 0},     {KERNEL_poisson_cdf, 1e4, 0, 0, 0, 0, 0},
    {KERNEL_normal_quantile, 1e4, 0, 0, 0, 0, 0}, {KERNEL_band_points, 0, 0, 0, 0, BANDS, FLOPS_COSINE},
    {KERNEL_band_grid, 0, 0, 0, 0, BANDS, FLOPS_PRODUCT},
    {KERNEL_band_table, 0, 0, 0, 0, 0, 0},        {KERNEL_quad_panels, 0, 0, 0, 0, NODES, 0},
};
enum { OTHERS = sizeof others / sizeof *others };

static double *x, *out, *other, *alphas, *betas;
static int64_t n_points; /* of a repetition */
static int repetitions;
static const double zero = 0, one = 1, two_third = 2.0 / 3, third = 1.0 / 3;

static int is_joint(const kernel_description *k) { return !strcmp(k->program, KERNEL_stable_joint_param->program); }

/* What the kernel belongs to, at points between low and high: densities, tails, or values from a table. */
static status values(const work *w, double *result) {
  const column unit = {&one, 1}, none = {&zero, 1}, xs = {x, n_points};
  const stable_parameters p = {{&w->alpha, 1}, {&w->beta, 1}, unit, none, none};
  int64_t i;
  for (i = 0; i < n_points; i++) {
    const double share = (double)((i * 40503) % n_points) / (double)n_points; /* neighbours far apart, as in data */
    x[i] = w->low + (w->high - w->low) * (share + 0.5 / (double)n_points);
  }
  if (w->kernel == KERNEL_stable_table) return stable_values(STABLE_DENSITY, BY_TABLE, n_points, xs, p, 0, result);
  if (w->kernel == KERNEL_stable_table_quantile)
    return stable_values(STABLE_LOWER_QUANTILE, BY_TABLE, n_points, xs, p, 0, result);
  if (is_joint(w->kernel)) return stable_tail(n_points, 1, xs, p, 1, 1, result);
  return stable_density(n_points, 1, xs, p, 1, result);
}

/* One distribution per point: what a call pays for stable_param where the parameters vary. */
static status many_distributions(double *result) {
  const column unit = {&one, 1}, none = {&zero, 1}, xs = {x, n_points};
  stable_parameters p = {{alphas, n_points}, {betas, n_points}, unit, none, none};
  int64_t i;
  for (i = 0; i < n_points; i++) {
    alphas[i] = 1.3 + 0.5 * (double)i / (double)n_points;
    betas[i] = -0.5 + (double)((i * 40503) % n_points) / (double)n_points;
    x[i] = betas[i];
  }
  return stable_density(n_points, 1, xs, p, 1, result);
}

static status draws(double *result) {
  static const uint32_t key[2] = {1, 2};
  static const double alpha = 1.5, beta = 0.5;
  const column unit = {&one, 1}, none = {&zero, 1};
  const stable_parameters p = {{&alpha, 1}, {&beta, 1}, unit, none, none};
  return stable_random(0, n_points, p, key, result);
}

/* The Poisson distribution: alpha is lambda, or 0 for one of its own at each point. */
static status poisson(const work *w, double *result) {
  static const uint32_t key[2] = {1, 2};
  const column distribution = w->alpha > 0 ? (column){&w->alpha, 1} : (column){alphas, n_points}, xs = {x, n_points};
  const int whole = w->kernel == KERNEL_poisson_pmf || w->kernel == KERNEL_poisson_cdf;
  for (int64_t i = 0; i < n_points; i++) {
    const double share = ((double)((i * 40503) % n_points) + 0.5) / (double)n_points;
    alphas[i] = 20 + 80 * (double)i / (double)n_points;
    x[i] = whole ? floor(w->alpha + (8 * share - 4) * sqrt(w->alpha)) : share;
  }
  if (w->kernel == KERNEL_poisson_pmf) return poisson_density(n_points, xs, distribution, 0, result);
  if (w->kernel == KERNEL_poisson_cdf) return poisson_tail(n_points, xs, distribution, 0, 0, result);
  if (w->kernel == KERNEL_poisson_draw) return poisson_random(0, n_points, distribution, key, 0, result, NULL);
  if (w->kernel == KERNEL_normal_quantile) return normal_quantile(n_points, xs, result);
  return poisson_quantile(n_points, xs, distribution, 0, 0, 0, result);
}

static status bands(const work *w, double *result) {
  static double line[6 * BANDS], table[BANDS * ENTRIES];
  const int64_t n[BAND_DIM] = {16, 16, n_points / 256};
  const double *const axis[BAND_DIM] = {x, x, x};
  const band_locations locations = {n_points, 1, x};
  const band_lines lines = {.n = BANDS, .k = line, .phase = line + 3 * BANDS, .amplitude = line + 4 * BANDS};
  const band_tables tables = {BANDS, ENTRIES, line + 5 * BANDS, table, 0, 1.0 / ENTRIES, 0};
  for (int64_t i = 0; i < n_points; i++) x[i] = ((double)((i * 40503) % n_points) + 0.5) / (double)n_points;
  for (int i = 0; i < 6 * BANDS; i++) line[i] = i < 4 * BANDS ? sin(i) : 1;
  for (int i = 0; i < BANDS * ENTRIES; i++) table[i] = cos(i);
  if (w->kernel == KERNEL_band_table) return band_sum_of_tables(locations, tables, result);
  if (w->kernel == KERNEL_band_points) return band_sum(locations, lines, result);
  return band_sum_on_mesh(BAND_DIM, n, axis, lines, result);
}

/* A point is a panel of an integral of dnorm(x) plogis(a + b x), with an a and a b of its own. */
static status panels(double *result) {
  enum { X, ONE, A, B, BX, SUM, MINUS, EXP, BELOW, NORM, LAST };
#define APPLY(op, a, b) {OP_##op, a, b, -1, -1, -1, -1}
  static const int32_t code[][CODE_WORDS] = {APPLY(mul, B, X),      APPLY(add, A, BX),         APPLY(neg, SUM, -1),
                                             APPLY(exp, MINUS, -1), APPLY(add, ONE, EXP),
                                             APPLY(norm_density, X, -1), APPLY(div, NORM, BELOW)};
  static const int32_t last = LAST;
  const integrand_source s = {"panels", 1, 2, LAST - B, 1, &one, code[0], &last, NULL};
  double *const columns = malloc((size_t)PANEL_RESULTS * (size_t)n_points * sizeof *columns), *to[PANEL_RESULTS];
  const panel_columns c = {{x, n_points}, {&one, 1}, {&zero, 1}, {&zero, 1}, {&zero, 1}, {alphas, n_points}};
  integrand *f = NULL;
  status st = columns ? integrand_open(&s, &f) : fail(STATUS_MEMORY, "out of memory for %d columns", PANEL_RESULTS);
  for (int k = 0; k < PANEL_RESULTS && !st; k++) to[k] = columns + (size_t)k * (size_t)n_points;
  for (int64_t i = 0; i < n_points; i++) {
    x[i] = (double)(2 * (i % 8) - 7);
    alphas[i] = (double)(i / 8);
  }
  for (int64_t i = 0; i < n_points / 4; i++) betas[i] = sin((double)i);
  if (!st) st = integrand_set_rows(f, n_points / 8, betas, NULL);
  if (!st) st = integrand_panels(f, n_points, c, to);
  if (!st) memcpy(result, columns, (size_t)n_points * sizeof *result);
  integrand_close(f);
  free(columns);
  return st;
}

static const pipeline peak_pipeline = {
    .name = "peak", .n_in = 1, .n_out = 1, .step = {KERNEL_peak_fma}, .ns_per_point = 100};
static status peak(double *result) {
  const double par[] = {two_third, third};
  task t = {0};
  t.pipe = &peak_pipeline;
  t.n = n_points;
  t.run = 1;
  t.in[0].data = x;
  t.in[0].length = n_points;
  t.out[0] = result;
  t.par = par;
  t.n_par = 2;
  return backend_run(&t);
}

static status run_work(const work *w) {
  if (w->kernel == KERNEL_stable_param) return many_distributions(out);
  if (w->kernel == KERNEL_stable_draw) return draws(out);
  if (w->kernel >= KERNEL_poisson_pmf && w->kernel <= KERNEL_normal_tail) return poisson(w, out);
  if (w->kernel >= KERNEL_band_uniform && w->kernel <= KERNEL_band_table) return bands(w, out);
  if (w->kernel == KERNEL_peak_fma) return peak(out);
  if (w->kernel == KERNEL_quad_panels) return panels(out);
  return values(w, out);
}

/* The share of the points that a list kernel (or for joint kernels, its twin among the kernels of the density)
 * evaluated: values that differ when the pipeline ends before it. Room for more columns than the kernels use does no
 * harm. */
static double share_of(const work *w) {
  static const kernel_description *const order[] = {
      KERNEL_stable_param,          KERNEL_stable_locate, KERNEL_stable_series, KERNEL_stable_ray,
      KERNEL_stable_ray_fine,       KERNEL_stable_ray_near1, KERNEL_stable_ray_near1_fine, KERNEL_stable_light,
      KERNEL_stable_angle};
  pipeline p = {.name = "share", .n_set_in = STABLE_SET_COLUMNS, .n_in = STABLE_COLUMNS, .n_out = 1, .n_set_work = 16,
                .n_work = 16, .n_list = MAX_LISTS, .ns_per_point = 500};
  task t = {0};
  int64_t i, differ = 0;
  int k, with;
  const int joint = w->kernel->number - KERNEL_stable_joint_param->number;
  const kernel_description *kernel = is_joint(w->kernel) ? kernels[KERNEL_stable_param->number + joint] : w->kernel;
  if (kernel->domain != LIST) return 1;
  t.pipe = &p;
  t.n = n_points;
  t.run = 1;
  for (k = 0; k < 4; k++) t.set_in[k].data = k == 0 ? &w->alpha : k == 1 ? &w->beta : &zero, t.set_in[k].length = 1;
  for (k = 0; k < 3; k++) t.in[k].data = k == 0 ? x : k == 1 ? &one : &zero, t.in[k].length = k == 0 ? n_points : 1;
  t.par = &one;
  t.n_par = 1;
  values(w, out); /* fills x */
  for (with = 0; with < 2; with++) {
    for (k = 0; order[k] != kernel; k++) p.step[k] = order[k];
    if (with) p.step[k++] = kernel;
    p.step[k] = KERNEL_stable_finish;
    t.out[0] = with ? out : other;
    if (backend_run(&t) != STATUS_OK) return NAN;
  }
  for (i = 0; i < n_points; i++) differ += memcmp(out + i, other + i, sizeof *out) != 0;
  return (double)differ / (double)n_points;
}

typedef struct {
  double seconds; /* of the kernel per point, least of all repetitions */
  double send, receive; /* bytes per second of one column each way, highest; 0 where nothing is transferred */
  double launches; /* per repetition */
} timing;

static status measure(const work *w, timing *best) {
  status st = run_work(w); /* builds programs, wakes the device */
  const double began = clock_seconds();
  int r;
  best->seconds = INFINITY;
  best->send = best->receive = best->launches = 0;
  for (r = 0; r < repetitions && !st &&
              (r < 3 || clock_seconds() - began < 0.7); r++) {
    const profile_row *row;
    int rows, i;
    profile_start();
    st = run_work(w);
    row = profile_stop(&rows);
    for (i = 0; i < rows; i++) {
      const double each = row[i].seconds / (double)n_points, rate = 8 / each;
      if (!strcmp(row[i].command, w->kernel->name)) {
        if (each < best->seconds) best->seconds = each;
        best->launches = (double)row[i].calls;
      }
      if (!strcmp(row[i].command, "to device") && rate > best->send) best->send = rate;
      if (!strcmp(row[i].command, "from device") && rate > best->receive) best->receive = rate;
    }
  }
  return st;
}

/* ---- reference values ---- */

static int check_values(const char *path) {
  enum { MOST = 20000 };
  FILE *file = fopen(path, "r");
  double *value = malloc(5 * MOST * sizeof *value), *f = malloc(MOST * sizeof *f), worst = 0;
  const column unit = {&one, 1}, none = {&zero, 1};
  char line[512];
  int64_t n = 0, i;
  status st;
  if (!file || !value || !f) {
    printf("  cannot read %s\n", path);
    if (file) fclose(file);
    free(f);
    free(value);
    return 1;
  }
  while (n < MOST && fgets(line, sizeof line, file)) {
    char *at = line, *end;
    int k;
    for (k = 0; k < 5; k++, at = end + (*end == ',')) {
      value[k * MOST + n] = strtod(at, &end);
      if (end == at) break;
    }
    n += k == 5;
  }
  fclose(file);
  const stable_parameters p = {{value, n}, {value + MOST, n}, unit, none, none};
  const column xs = {value + 2 * MOST, n};
  st = n ? stable_density(n, 1, xs, p, 1, f) : STATUS_INPUT;
  for (i = 0; i < n && !st; i++) {
    const double wanted = value[4 * MOST + i];
    const double miss = f[i] == wanted ? 0 : fabs(f[i] - wanted);
    const double error = isinf(miss) ? miss : miss / fmax(1, fabs(wanted));
    if (!(error <= worst)) worst = error;
  }
  if (st) printf("  %s\n", n ? last_error() : "no rows in the reference table");
  else printf("  %lld reference values, largest error of log f over max(1, |log f|): %.2g%s\n", (long long)n, worst,
              worst <= 1e-13 ? "" : "  FAILED: more than 1e-13");
  free(f);
  free(value);
  return st != STATUS_OK || !(worst <= 1e-13);
}

/* ---- dense algebra ---- */

static void fill(double *a, int64_t m) {
  for (int64_t column = 0; column < m; column++)
    for (int64_t row = column; row < m; row++)
      for (int64_t k = 0; k < DENSE_TILE; k++)
        for (int64_t i = 0; i < DENSE_TILE; i++)
          *a++ = exp(-0.05 * fabs((double)((row - column) * DENSE_TILE + i - k)));
}

/* The factor and the inverse of exp(-|i - k| / 20), of whose inverse the diagonal is known: seconds of both with all
 * copies, and of the kernels where there are any. The factor has n^3 / 3 operations, the inverse twice as many. */
static int dense_speed(const char *name) {
  const int64_t n = strncmp(name, "gpu", 3) ? 1024 : 8192;
  const double r = exp(-0.05), flops = (double)n * (double)n * (double)n / 3;
  double *a = malloc((size_t)dense_size(n) * sizeof *a), *diagonal = malloc((size_t)n * sizeof *a), worst = 0;
  status st = a && diagonal ? STATUS_OK : fail(STATUS_MEMORY, "no memory for n = %d", (int)n);
  int64_t bad = 0;
  for (int timed = 0; timed < 3 && !st; timed++) { /* the first builds programs, the last has its kernels timed */
    int rows;
    fill(a, n / DENSE_TILE);
    if (timed == 2) profile_start();
    const double began = clock_seconds();
    st = dense_cholesky(n, a, &bad);
    const double between = clock_seconds();
    if (!st) st = dense_inverse(n, a);
    const double end = clock_seconds();
    if (timed == 1)
      printf("  matrix of n = %d: factor %.3g s, %.4g GFLOP/s; inverse %.3g s, %.4g GFLOP/s\n", (int)n,
             between - began, 1e-9 * flops / (between - began), end - between, 2e-9 * flops / (end - between));
    const profile_row *row = timed == 2 ? profile_stop(&rows) : NULL;
    for (int i = 0; timed == 2 && i < rows; i++)
      printf("  %-22s %9.0f launches %9.3g s\n", row[i].command, (double)row[i].calls, row[i].seconds);
  }
  if (!st) dense_diagonal(n, a, diagonal);
  for (int64_t i = 1; i < n - 1 && !st; i++)
    worst = fmax(worst, fabs(diagonal[i] * (1 - r * r) / (1 + r * r) - 1));
  if (st) printf("  %s\n", last_error());
  else printf("  diagonal of the inverse: largest error %.2g\n", worst);
  free(a);
  free(diagonal);
  return st != STATUS_OK || bad != 0 || !(worst < 1e-11);
}

/* ---- devices ---- */

static int report(const char *name, const char *table) {
  static const work roof = {KERNEL_peak_fma, 0, 0, 0, 0, 0, 0};
  const int on_cpu = !strcmp(name, "cpu");
  timing t, top;
  double send = 0, receive = 0;
  int k, wrong;
  if (devices_use(&name, 1)) {
    printf("%s\n", last_error());
    return 1;
  }
  threads_set(on_cpu ? 1 : 0);
  n_points = on_cpu ? 2048 : strncmp(name, "gpu", 3) ? 1 << 16 : 1 << 20;
  repetitions = on_cpu ? 400 : 20;
  for (k = 0; k < devices_count(); k++)
    if (!strcmp(devices_get(k)->name, name))
      printf("%s: %s, %d units%s\n", name, devices_get(k)->label, devices_get(k)->units,
             on_cpu ? ", figures of one thread" : "");
  wrong = check_values(table);
  if (measure(&roof, &top)) {
    printf("  %s\n", last_error());
    return 1;
  }
  printf("  fp64 roof, a measured loop of multiply-adds: %.4g GFLOP/s\n", 1e-9 * FLOPS_PEAK / top.seconds);
  printf("  %-22s %6s %9s %9s %9s %9s %9s %7s\n", "kernel", "share", "launches", "ns/point", "ns/node", "Mpoint/s",
         "GFLOP/s", "of roof");
  for (k = 0; k < WORKS + OTHERS; k++) {
    const work *w = k < WORKS ? works + k : others + (k - WORKS);
    const double share = k < WORKS ? share_of(w) : 1;
    status st = measure(w, &t);
    double each;
    if (st) {
      printf("  %s\n", last_error());
      return 1;
    }
    each = t.seconds / share;
    printf("  %-22s %6.3f %9.0f %9.3f", w->kernel->name, share, t.launches, 1e9 * each);
    if (w->flops > 0) {
      const double rate = w->nodes * w->flops / each;
      printf(" %9.3f %9.3f %9.2f %6.1f%%\n", 1e9 * each / w->nodes, 1e-6 / each, 1e-9 * rate,
             100 * rate / (FLOPS_PEAK / top.seconds));
    } else if (w->nodes > 0) {
      printf(" %9.3f %9.3f\n", 1e9 * each / w->nodes, 1e-6 / each);
    } else {
      printf(" %9s %9.3f\n", "", 1e-6 / each);
    }
    if (t.send > send && w->kernel == KERNEL_stable_ray) send = t.send;
    if (t.receive > receive && w->kernel == KERNEL_stable_ray) receive = t.receive;
  }
  if (receive > 0) printf("  transfers of a column: %.2f GB/s to the device, %.2f GB/s from it\n", 1e-9 * send,
                          1e-9 * receive);
  wrong |= dense_speed(name);
  printf("\n");
  return wrong;
}

/* For run.sh, which takes the difference of two builds with different numbers of nodes. */
static int nodes(const char *name) {
  const int on_cpu = !strcmp(name, "cpu");
  int k;
  if (devices_use(&name, 1)) {
    fprintf(stderr, "%s\n", last_error());
    return 1;
  }
  threads_set(1);
  n_points = on_cpu ? 2048 : 1 << 16;
  repetitions = on_cpu ? 300 : 30;
  for (k = 0; k < WORKS; k++) {
    const work *w = works + k;
    timing t;
    if (w->kernel != KERNEL_stable_ray && w->kernel != KERNEL_stable_ray_near1) continue;
    if (share_of(w) < 0.999 || measure(w, &t)) {
      fprintf(stderr, "%s: %s\n", w->kernel->name, last_error());
      return 1;
    }
    printf("%s %.6f\n", w->kernel->name, 1e9 * t.seconds);
  }
  return 0;
}

int main(int argc, char **argv) {
  enum { MOST_POINTS = 1 << 20 };
  int k, failed = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: driver <kernel folder> <reference table> [device ...] | --nodes <device>\n");
    return 2;
  }
  x = calloc(5 * (size_t)MOST_POINTS, sizeof *x);
  if (!x) return 2;
  out = x + MOST_POINTS;
  other = out + MOST_POINTS;
  alphas = other + MOST_POINTS;
  betas = alphas + MOST_POINTS;
  folders_set(argv[1], "");
  if (!strcmp(argv[2], "--nodes")) {
    failed = nodes(argc > 3 ? argv[3] : "cpu");
  } else {
    if (argc == 3) {
      if (devices_enumerate()) printf("%s\n", last_error());
      for (k = 0; k < devices_count(); k++)
        printf("%-10s %s%s%s%s\n", devices_get(k)->name, devices_get(k)->label, k ? ", driver " : "",
               devices_get(k)->driver, devices_get(k)->fp64 ? "" : " (no fp64)");
      if (ocl_trouble()[0]) printf("%s\n", ocl_trouble());
      printf("\n");
    }
    for (k = 3; k < argc; k++) failed |= report(argv[k], argv[2]);
    for (k = 0; argc == 3 && k < devices_count(); k++)
      if (devices_get(k)->fp64 && devices_get(k)->usable) {
        char name[24];
        strcpy(name, devices_get(k)->name);
        failed |= report(name, argv[2]);
      }
  }
  devices_shutdown();
  free(x);
  return failed;
}
