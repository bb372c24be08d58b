/* elementary.c: nanoseconds per value of every function of elementary.h at each SIMD level of this machine, and per
 * quadrature node with three exponentials and one sine. Build: make -C tests/engine bench_elementary. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "elementary_level.h"

enum { N = 2048, ROUNDS = 7 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Best of several rounds: what the code costs, not what the machine was doing besides. */
static double ns_per_value(const elementary_loop *f, const double *a, const double *b, double *out, double *out2) {
  double best = 1e300;
  int reps = strcmp(f->name, "node") == 0 ? 4 : 64;
  for (int r = 0; r < ROUNDS; r++) {
    const double start = now_ns();
    for (int k = 0; k < reps; k++) f->run(a, b, out, out2, N);
    const double ns = (now_ns() - start) / ((double)N * reps);
    if (ns < best) best = ns;
  }
  return strcmp(f->name, "node") == 0 ? best / NODES : best;
}

int main(void) {
  static double a[N], b[N], out[N], out2[N];
  const elementary_loop *level[3] = {elementary_baseline, NULL, NULL};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) level[1] = elementary_avx2;
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) level[2] = elementary_avx512;
#endif
  for (int i = 0; i < N; i++) {
    a[i] = 0.1 + 1.2 * (double)(rand() % 10007) / 10007;
    b[i] = 1e-17;
  }
  printf("%-16s%10s%10s%10s   ns per value\n", "", "baseline", "avx2", "avx512");
  for (int f = 0; level[0][f].name; f++) {
    printf("%-16s", level[0][f].name);
    for (int v = 0; v < 3; v++)
      if (level[v]) printf("%10.2f", ns_per_value(level[v] + f, a, b, out, out2));
    printf("\n");
  }
  return 0;
}
