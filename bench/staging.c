/* staging.c: gigabytes per second at which columns of doubles go to memory that an OpenCL device copies from, and
 * results from such memory to vectors that nobody has touched, on one thread and on all. Build and run:
 * make -C tests/engine bench_staging. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/task.h"
#include "engine/threads.h"

enum { N = 1 << 22, CHUNKS = 8, ROUNDS = 5 };

static double *pages(size_t n, int large) {
  double *made = mmap(NULL, n * sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) exit(2);
#ifdef MADV_HUGEPAGE
  madvise(made, n * sizeof *made, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  return made;
}

/* Of several rounds, as other programs leave of the machine: the best. */
static void rates(const task *t, int large, double *in, double *out) {
  const size_t all = (size_t)N * CHUNKS;
  double *area = pages(N, 1);
  memset(area, 0, N * sizeof *area);
  *in = *out = 0;
  for (int round = 0; round < ROUNDS; round++) {
    task own = *t;
    double start = clock_seconds();
    for (int64_t k = 0; k < CHUNKS; k++) reals_take_in(t, area, 0, k * N, N);
    double rate = 8e-9 * (double)all / (clock_seconds() - start);
    if (rate > *in) *in = rate;
    own.out[0] = pages(all, large);
    start = clock_seconds();
    for (int64_t k = 0; k < CHUNKS; k++) deliver_results(&own, k * N, N, area, N);
    rate = 8e-9 * (double)all / (clock_seconds() - start);
    if (rate > *out) *out = rate;
    munmap(own.out[0], all * sizeof(double));
  }
  munmap(area, N * sizeof(double));
}

int main(void) {
  const size_t all = (size_t)N * CHUNKS;
  const pipeline pipe = {.name = "staging", .n_in = 1, .n_out = 1};
  double *from = pages(all, 1);
  for (size_t i = 0; i < all; i++) from[i] = (double)i;
  const task t = {.pipe = &pipe, .n = (int64_t)all, .run = (int64_t)all, .in = {{from, (int64_t)all}}};
  printf("%8s %16s %28s %28s\n", "threads", "columns in GB/s", "results out, small pages",
         "results out, large pages");
  const int most = threads_available();
  for (int threads = 1;; threads = 2 * threads < most ? 2 * threads : most) {
    double in, small, large;
    threads_set(threads);
    rates(&t, 0, &in, &small);
    rates(&t, 1, &in, &large);
    printf("%8d %16.1f %28.1f %28.1f\n", threads, in, small, large);
    if (threads == most) break;
  }
  threads_shutdown();
  return 0;
}
