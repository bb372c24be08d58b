/* check.h: what the engine's C tests share: counts, random distributions, comparison of bits. A failure is printed
 * with its numbers; the last line counts. */
#ifndef STATCL_TEST_CHECK_H
#define STATCL_TEST_CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/cpu.h"
#include "engine/devices.h"
#include "engine/folders.h"
#include "engine/opencl.h"
#include "engine/profile.h"
#include "stable/stable.h"
#include "engine/threads.h"

#if defined(__GNUC__)
#define UNUSED __attribute__((unused))
#define PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define UNUSED
#define PRINTF_LIKE
#endif

static int n_passed, n_failed, n_skipped;

/* Of all threads. No test judges elapsed time: other programs may keep the processors. */
UNUSED static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

UNUSED PRINTF_LIKE static int check(int ok, const char *format, ...) {
  va_list args;
  if (ok) {
    n_passed++;
    return 1;
  }
  n_failed++;
  printf("FAIL ");
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  printf("\n");
  return 0;
}

UNUSED static void skip(const char *what, const char *why) {
  n_skipped++;
  printf("skip %s: %s\n", what, why);
}

UNUSED static int summary(void) {
  printf("%d passed, %d failed, %d skipped\n", n_passed, n_failed, n_skipped);
  return n_failed != 0;
}

/* xorshift64*, 53 bits: the same points on every machine */
static uint64_t state_of_uniform = 88172645463325252u;
UNUSED static double uniform(void) {
  state_of_uniform ^= state_of_uniform >> 12;
  state_of_uniform ^= state_of_uniform << 25;
  state_of_uniform ^= state_of_uniform >> 27;
  return (double)((state_of_uniform * 2685821657736338717u) >> 11) * 0x1p-53;
}
UNUSED static int below(int n) { return (int)(uniform() * n); }

UNUSED static void *room(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) {
    printf("FAIL out of memory in the test\n");
    exit(2);
  }
  return memory;
}
UNUSED static double *reals(int64_t n) { return room((size_t)n * sizeof(double)); }

/* First element whose bits differ, or -1. */
UNUSED static int64_t first_difference(const double *a, const double *b, int64_t n) {
  int64_t i;
  for (i = 0; i < n; i++)
    if (memcmp(a + i, b + i, sizeof *a)) return i;
  return -1;
}

/* Points of a call: parameters vary with every point unless a length says otherwise. */
typedef struct {
  int64_t n;
  column x;
  stable_parameters p;
} points;

UNUSED static column *columns_of(points *d, int k) {
  column *all[] = {&d->x, &d->p.alpha, &d->p.beta, &d->p.gamma, &d->p.delta, &d->p.pm};
  return all[k];
}
enum { COLUMNS = 6 };

UNUSED static points points_new(int64_t n) {
  points d = {0};
  int k;
  d.n = n;
  for (k = 0; k < COLUMNS; k++) {
    columns_of(&d, k)->data = reals(n);
    columns_of(&d, k)->length = n;
  }
  return d;
}
UNUSED static void points_free(points d) {
  int k;
  for (k = 0; k < COLUMNS; k++) free((void *)(uintptr_t)columns_of(&d, k)->data);
}
UNUSED static double *writable(points d, int k) { return (double *)(uintptr_t)columns_of(&d, k)->data; }

/* Distributions of every kind, so that all kernels of the pipeline have work. */
UNUSED static points random_points(int64_t n) {
  points d = points_new(n);
  int64_t i;
  for (i = 0; i < n; i++) {
    const int kind = below(8);
    const double alpha = kind == 0 ? 1 + (uniform() - 0.5) * exp(-30 * uniform())
                         : kind == 1 ? 2 - exp(-20 * uniform())
                         : kind == 2 ? (below(2) ? 1 : 2)
                                     : 0.3 + 1.7 * uniform();
    writable(d, 0)[i] = below(5) ? tan(3.1 * (uniform() - 0.5)) : (below(2) ? -1 : 1) * exp(40 * uniform());
    writable(d, 1)[i] = alpha;
    writable(d, 2)[i] = below(4) ? 2 * uniform() - 1 : below(3) - 1;
    writable(d, 3)[i] = below(2) ? 1 : exp(4 * uniform() - 2);
    writable(d, 4)[i] = below(2) ? 0 : 2 * uniform() - 1;
    writable(d, 5)[i] = below(2);
  }
  return d;
}

UNUSED static status density(points d, int64_t run, int give_log, double *out) {
  return stable_density(d.n, run, d.x, d.p, give_log, out);
}

/* The OpenCL devices that can compute, by index of devices_get(); none where the engine is told not to look. */
UNUSED static int opencl_devices(int index[MAX_DEVICES]) {
  int found = 0, i;
  if (devices_enumerate() != STATUS_OK) return 0;
  for (i = 1; i < devices_count(); i++)
    if (devices_get(i)->fp64 && devices_get(i)->usable) index[found++] = i;
  return found;
}

UNUSED static status use(const char *name) { return devices_use(&name, 1); }

#endif
