/* test_elementary_single.c: largest error of the functions of elementary.h in single precision against libm's in
 * double, at each SIMD level of this machine, over every STEPth float, NaN and infinities among them.
 * Fails (exit 1) when a stated bound is exceeded. Usage: test_elementary_single [step, default 1009; 1: all] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elementary_level.h"

enum { BLOCK = 4096 };

static float of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* units in the last place of the exact value */
static double error_of(float value, double exact) {
  int e;
  if (isnan(exact) || isnan(value)) return isnan(exact) && isnan(value) ? 0 : INFINITY;
  if (isinf((float)exact) || isinf(value)) return (float)exact == value ? 0 : INFINITY;
  frexp(exact, &e);
  return fabs(value - exact) * ldexp(1, exact == 0 || e < -125 ? 149 : 24 - e);
}

static double sin_pi(double x) { return x == floor(x) ? (isinf(x) ? NAN : 0) : sin(3.141592653589793 * fmod(x, 2)); }
static double cos_pi(double x) { return fabs(fmod(x, 1)) == 0.5 ? 0 : cos(3.141592653589793 * fmod(x, 2)); }

typedef struct {
  const char *name;
  double (*exact)(double);
  float low, high; /* where the function is defined; with all, NaN and infinities too */
  int all;
  float least;     /* size of arguments, but for 0 */
  double bound_fma, bound_plain;
} test_case;

static const test_case cases[] = {
    {"exp_", exp, -INFINITY, INFINITY, 1, 0, 0.85, 0.85},
    {"exp_core_", exp, -87, 88, 0, 0, 1.1, 1.1},
    {"log_", log, -INFINITY, INFINITY, 1, 0, 0.9, 0.9},
    {"log_core_", log, 0x1p-126f, 3.4e38f, 0, 0, 0.9, 0.9},
    {"sinpi_", sin_pi, -INFINITY, INFINITY, 1, 1e-37f, 0.85, 0.85},
    {"cospi_", cos_pi, -INFINITY, INFINITY, 1, 0, 0.85, 0.85},
    {"atan_", atan, -INFINITY, INFINITY, 1, 0, 2.5, 2.5},
};

static int wanted(const test_case *c, float x) {
  return (c->all || (x >= c->low && x <= c->high)) && !(fabsf(x) < c->least && x != 0);
}

static double worst_of(const test_case *c, const elementary_loop *f, uint32_t step, float *at) {
  static float x[BLOCK], y[BLOCK], out[BLOCK], out2[BLOCK];
  double worst = 0;
  uint64_t bits = 0;
  while (bits <= UINT32_MAX) {
    int n = 0, i;
    for (; n < BLOCK && bits <= UINT32_MAX; bits += step)
      if (wanted(c, of_bits((uint32_t)bits))) x[n++] = of_bits((uint32_t)bits);
    for (i = n; i < BLOCK; i++) x[i] = 1;
    f->run(x, y, out, out2, BLOCK);
    for (i = 0; i < n; i++) {
      const double e = error_of(out[i], c->exact(x[i]));
      if (e > worst) worst = e, *at = x[i];
    }
  }
  return worst;
}

static const elementary_loop *find(const elementary_loop *table, const char *name) {
  while (table->name && strcmp(table->name, name)) table++;
  return table;
}

int main(int argc, char **argv) {
  const elementary_loop *level[3] = {elementary_baseline, NULL, NULL};
  const uint32_t step = argc > 1 ? (uint32_t)atol(argv[1]) : 1009;
  int failures = 0, fma_in_baseline = 0, v;
  const test_case *c;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) level[1] = elementary_avx2;
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    level[2] = elementary_avx512;
#elif defined(__aarch64__)
  fma_in_baseline = 1;
#endif
  for (c = cases; c < cases + sizeof cases / sizeof *cases; c++) {
    printf("%-10s", c->name);
    for (v = 0; v < 3; v++) {
      float at = 0;
      double worst, bound = v || fma_in_baseline ? c->bound_fma : c->bound_plain;
      if (!level[v]) continue;
      worst = worst_of(c, find(level[v], c->name), step, &at);
      printf("  %.3g%s (%.9g)", worst, worst > bound ? " FAIL" : "", at);
      failures += worst > bound;
    }
    printf("\n");
  }
  printf(failures ? "%d bounds exceeded\n" : "all within their bounds\n", failures);
  return failures > 0;
}
