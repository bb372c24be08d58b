/* staging.c: gigabytes per second at which columns of doubles go to memory that an OpenCL device copies from, and
 * results from such memory to vectors that nobody has touched. Ways: one copy of a chunk of 32 MB; the same by
 * stores that go around the caches; and what tasks do, in portions of 256 kB on one thread and on all. They take
 * turns, and the table has medians of rates and of ratios to the first. On a machine that others use, rates by
 * processor time, of all threads together, say more than the clock does.
 *   make -C tests/engine bench_staging
 *
 * A core of an AMD EPYC (in a virtual machine of two, which others used), GB/s by processor time:
 *                         one copy   streaming stores   as tasks do
 *     in                      21.4               25.4          24.5
 *     out, small pages         2.7                2.4           2.5
 *     out, large pages        13.3               12.9          14.2
 * Inwards portions are as good as streaming stores, which gain nothing outwards; portions of 64 kB or 1 MB and
 * fetching ahead gain nothing either. Outwards the system clears pages: results of R are asked for in large ones
 * (vec_large_pages() of src/glue/r_vec.c), which gives five times the rate of small ones.
 *
 * On paper, for 16 cores of that kind, eight channels of DDR4-3200 (205 GB/s) and a card on PCI Express 4.0 x16,
 * whose limit is 32 GB/s each way, with some 25 in practice: inwards one core has 24 GB/s and two fill the bus;
 * outwards two have 28 GB/s in large pages, where small ones would take ten. Columns in are read once, and their
 * staging memory is fetched, written and read by the card: 4 x 25 GB/s; results are written by the card, read,
 * cleared, fetched and written: 5 x 25 GB/s. Both ways at once are 225 GB/s, if all of it came from memory; chunks
 * in flight stay below 32 MB, of which such a processor's caches of 256 MB keep most. So 20 GB/s each way take four
 * cores of the 16, and no more than two at a time where calls go one way. Threads beyond these gain nothing. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "engine/task.h"
#include "engine/threads.h"

enum { N = 1 << 22, CHUNKS = 8, ROUNDS = 15 };
enum way { ONE_COPY, STREAMING, ONE_THREAD, ALL_THREADS, WAYS };
static const size_t all = (size_t)N * CHUNKS;

static double *pages(size_t n, int large) {
  double *made = mmap(NULL, n * sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) exit(2);
#ifdef MADV_HUGEPAGE
  madvise(made, n * sizeof *made, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  return made;
}

/* Seconds on the clock, and of all threads. */
typedef struct {
  double clock, processor;
} seconds;

static seconds now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (seconds){clock_seconds(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
}

static seconds since(seconds start) {
  const seconds end = now();
  return (seconds){end.clock - start.clock, end.processor - start.processor};
}

/* Copies a chunk around the caches, where the processor can; a chunk is whole pages. */
static void stream(double *to, const double *from) {
#ifdef __SSE2__
  for (size_t i = 0; i < N; i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
  _mm_sfence();
#else
  memcpy(to, from, N * sizeof *to);
#endif
}

static void copy(double *to, const double *from, enum way way) {
  if (way == STREAMING) stream(to, from);
  else memcpy(to, from, N * sizeof *to);
}

static seconds take(const task *t, double *area, enum way way, int large) {
  const seconds start = now();
  (void)large;
  for (int64_t k = 0; k < CHUNKS; k++)
    if (way < ONE_THREAD) copy(area, t->in[0].data + k * N, way);
    else reals_take_in(t, area, 0, k * N, N);
  return since(start);
}

static seconds give(const task *t, double *area, enum way way, int large) {
  task own = *t;
  own.out[0] = pages(all, large);
  const seconds start = now();
  for (int64_t k = 0; k < CHUNKS; k++)
    if (way < ONE_THREAD) copy(own.out[0] + k * N, area, way);
    else deliver_results(&own, k * N, N, area, N);
  const seconds took = since(start);
  if (memcmp(own.out[0] + all - N, area, N * sizeof *area)) exit(3);
  munmap(own.out[0], all * sizeof(double));
  return took;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(const double *of, const double *over) {
  double ratio[ROUNDS];
  for (int k = 0; k < ROUNDS; k++) ratio[k] = (over ? over[k] : 8e-9 * (double)all) / of[k];
  qsort(ratio, ROUNDS, sizeof *ratio, compare);
  return ratio[ROUNDS / 2];
}

typedef seconds staging(const task *t, double *area, enum way way, int large);
static void measure(const char *name, staging *how, const task *t, double *area, int large) {
  static const char *const way_name[WAYS] = {"one copy", "streaming stores", "as tasks do", "as tasks do"};
  double clock[WAYS][ROUNDS], processor[WAYS][ROUNDS];
  const int most = threads_available();
  for (int k = 0; k < ROUNDS; k++)
    for (enum way w = ONE_COPY; w < WAYS; w++) {
      threads_set(w == ALL_THREADS ? most : 1);
      const seconds took = how(t, area, w, large);
      clock[w][k] = took.clock;
      processor[w][k] = took.processor;
    }
  threads_set(0);
  for (int w = 0; w < WAYS; w++)
    printf("%-18s%-18s%8d%8.1f%8.2f%22.1f%8.2f\n", w ? "" : name, way_name[w], w == ALL_THREADS ? most : 1,
           median(clock[w], NULL), median(clock[w], clock[0]), median(processor[w], NULL),
           median(processor[w], processor[0]));
}

int main(void) {
  const pipeline pipe = {.name = "staging", .n_in = 1, .n_out = 1};
  double *from = pages(all, 1), *area = pages(N, 1);
  for (size_t i = 0; i < all; i++) from[i] = (double)i;
  memcpy(area, from, N * sizeof *area);
  const task t = {.pipe = &pipe, .n = (int64_t)all, .run = (int64_t)all, .in = {{from, (int64_t)all}}};
  printf("%36s%8s%8s%8s%22s%8s\n", "", "threads", "GB/s", "ratio", "by processor time", "ratio");
  measure("in", take, &t, area, 1);
  measure("out, small pages", give, &t, area, 0);
  measure("out, large pages", give, &t, area, 1);
  threads_shutdown();
  return 0;
}
