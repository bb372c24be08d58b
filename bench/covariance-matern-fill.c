/* covariance-matern-fill.c: what a second fill of the same pages costs, which R code cannot ask for, and what
 * stores alone cost.
 * Usage: covariance-matern-fill <kernel folder> <device> <points> <range> <smoothness> ...
 * Prints lines "what,nanoseconds per entry" of an n x n matrix from uniform points in the unit square: processor time
 * of one thread, medians. bench/covariance-matern.R builds it together with the engine. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "engine/devices.h"
#include "engine/folders.h"
#include "covariance/covariance.h"
#include "engine/threads.h"

enum { RUNS = 7 };
static double *matrix, *points, range;
static int64_t n, entries;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times one of the fills below; step numbers its repetitions. */
static void report(const char *what, double nu, status (*fill)(double nu, int step)) {
  double seconds[RUNS];
  int k;
  for (k = 0; k < RUNS; k++) {
    const double began = processor_seconds();
    if (fill(nu, k)) {
      fprintf(stderr, "%s: %s\n", what, last_error());
      exit(1);
    }
    seconds[k] = processor_seconds() - began;
  }
  qsort(seconds, RUNS, sizeof *seconds, by_size);
  printf("%s", what);
  if (nu > 0) printf(" nu = %g", nu);
  printf(",%.4f\n", 1e9 * seconds[RUNS / 2] / (double)entries);
}

static status clear(double nu, int step) {
  (void)nu;
  memset(matrix, step, (size_t)entries * sizeof *matrix);
  return STATUS_OK;
}

static status store(double nu, int step) {
  const double value = 1.5 * step;
  int64_t i;
  (void)nu;
#pragma omp simd
  for (i = 0; i < entries; i++) matrix[i] = value;
  return STATUS_OK;
}

#ifdef __SSE2__
static status stream(double nu, int step) { /* past the caches: matrix is aligned */
  const __m128d value = _mm_set1_pd(1.5 * step);
  int64_t i;
  (void)nu;
  for (i = 0; i + 1 < entries; i += 2) _mm_stream_pd(matrix + i, value);
  _mm_sfence();
  return STATUS_OK;
}
#endif

static status fresh_pages(double nu, int step) {
  double *pages = malloc((size_t)entries * sizeof *pages);
  volatile double *seen = pages;
  int64_t i;
  (void)nu;
  if (!pages) return fail(STATUS_MEMORY, "no memory");
  for (i = 0; i < entries; i++) seen[i] = step;
  free(pages);
  return STATUS_OK;
}

static status fill(double nu, enum cov_what what) {
  const cov_part part = {.function = COV_MATERN, .shape = nu, .range = range, .variance = 1,
                         .source = matern_source(nu)};
  const cov_want want = {what, 0, NULL};
  const cov_model model = {1, 1, 0, &part, &want};
  const cov_space space = {.metric = {METRIC_EUCLIDEAN, 2, 0, 1}, .n = n, .a = points};
  return cov_matrices(&model, &space, &matrix);
}

/* With tables built in each repetition, and with those of the repetition before. */
static status fresh_table(double nu, int step) { return fill(nu + 1e-9 * step, COV_VALUE); }
static status kept_table(double nu, int step) { return (void)step, fill(nu, COV_VALUE); }
static status by_range(double nu, int step) { return (void)step, fill(nu, COV_RANGE); }
static status by_smoothness(double nu, int step) { return (void)step, fill(nu, COV_SHAPE); }

int main(int argc, char **argv) {
  const char *device = argc > 2 ? argv[2] : "";
  int64_t i;
  int k;
  if (argc < 6) {
    fprintf(stderr, "usage: covariance-matern-fill <kernel folder> <device> <points> <range> <smoothness> ...\n");
    return 2;
  }
  n = atoll(argv[3]);
  range = atof(argv[4]);
  entries = n * n;
  points = malloc(2 * (size_t)n * sizeof *points);
  if (!points || posix_memalign((void **)&matrix, 64, (size_t)entries * sizeof *matrix)) return 2;
  srand(1);
  for (i = 0; i < 2 * n; i++) points[i] = rand() / (RAND_MAX + 1.0);
  folders_set(argv[1], "");
  threads_set(1);
  if (devices_use(&device, 1)) {
    fprintf(stderr, "%s\n", last_error());
    return 1;
  }
  clear(0, 1);
  if (!strcmp(device, "cpu")) {
    report("stores to fresh pages", 0, fresh_pages);
    report("memset", 0, clear);
    report("stores", 0, store);
#ifdef __SSE2__
    report("streaming stores", 0, stream);
#endif
  }
  for (k = 5; k < argc; k++) {
    const double nu = atof(argv[k]);
    const int half = nu - floor(nu) == 0.5;
    if (!half) report("matrix and its table", nu, fresh_table);
    report("matrix", nu, kept_table);
    report("derivative by range", nu, by_range);
    report("derivative by smoothness", nu, by_smoothness);
  }
  devices_shutdown();
  free(matrix);
  free(points);
  return 0;
}
