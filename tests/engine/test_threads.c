/* test_threads.c: the pool of threads.c. Every piece is done once, by whoever is there; a forked child, a limit on
 * processes or memory, and the end of the pool cost threads and no results. */
#define _GNU_SOURCE 1
#include "check.h"

#ifndef _WIN32
#include <signal.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#ifndef __has_feature
#define __has_feature(what) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define RACES 1
#else
#define RACES 0
#endif
#if RACES || defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { MOST_PIECES = 5000, MOST_THREADS = 64 };

typedef struct {
  int done[MOST_PIECES], inside[MOST_THREADS], threads[MOST_THREADS];
  double value[MOST_PIECES];
  int shared, clashes, until, nested;
  int call, came; /* pieces are taken until a worker has come */
  double seconds; /* of a piece at least */
} record;

static int note_nested(void *context, int64_t piece, int thread) {
  int *sums = context;
  sums[thread] += (int)piece;
  return 1;
}

static int note(void *context, int64_t piece, int thread) {
  record *r = context;
  const double start = clock_seconds();
  if (__atomic_fetch_add(r->inside + thread, 1, __ATOMIC_SEQ_CST))
    __atomic_fetch_add(&r->clashes, 1, __ATOMIC_SEQ_CST);
  r->done[piece]++;
  r->value[piece] = sin((double)piece);
  r->threads[thread]++;
  threads_lock();
  r->shared++;
  threads_unlock();
  if (r->nested) {
    int sums[4] = {0};
    threads_run(4, 10, note_nested, sums);
    if (sums[0] != 45) __atomic_fetch_add(&r->clashes, 1, __ATOMIC_SEQ_CST);
  }
  while (r->seconds > 0 && clock_seconds() - start < r->seconds) continue;
  __atomic_fetch_sub(r->inside + thread, 1, __ATOMIC_SEQ_CST);
  if (thread) __atomic_store_n(&r->came, 1, __ATOMIC_SEQ_CST);
  if (r->call) return !__atomic_load_n(&r->came, __ATOMIC_SEQ_CST);
  return !r->until || piece < r->until;
}

/* Runs pieces and judges what was done; returns the number of threads that took part. */
static int run_and_judge(record *r, int threads, int pieces, const char *what) {
  int64_t taken, i;
  int wrong = 0, took_part = 0;
  memset(r->done, 0, sizeof r->done);
  memset(r->threads, 0, sizeof r->threads);
  r->shared = 0;
  taken = threads_run(threads, pieces, note, r);
  check(r->until || r->call ? taken >= 1 && taken <= pieces : taken == pieces, "%s: %lld of %d pieces", what,
        (long long)taken, pieces);
  for (i = 0; i < MOST_PIECES; i++)
    if (r->done[i] != (i < taken) || (i < taken && r->value[i] != sin((double)i))) wrong++;
  check(!wrong, "%s: %d threads, %d pieces: %d done not at all or twice", what, threads, pieces, wrong);
  check(r->shared == taken, "%s: %d counted under the lock, not %lld", what, r->shared, (long long)taken);
  check(!r->clashes, "%s: %d calls with the number of another thread", what, r->clashes);
  for (i = 0; i < MOST_THREADS; i++) took_part += r->threads[i] > 0;
  check(took_part <= (threads > 1 ? threads : 1), "%s: %d threads for %d", what, took_part, threads);
  return took_part;
}

static void test_counts(record *r) {
  static const int pieces[] = {0, 1, 2, 3, 7, 64, 1000, MOST_PIECES};
  static const int threads[] = {1, 2, 3, 8, MOST_THREADS, 2};
  size_t i, k;
  int round;
  for (i = 0; i < sizeof pieces / sizeof *pieces; i++)
    for (k = 0; k < sizeof threads / sizeof *threads; k++) run_and_judge(r, threads[k], pieces[i], "counts");
  for (round = 0; round < 2000; round++) {
    const int t = 1 + below(5), n = below(20);
    if (threads_run(t, n, note, r) != n) check(0, "repeated: %d pieces", n);
  }
  r->until = 100;
  for (round = 0; round < 20; round++) run_and_judge(r, 1 + round % 4, MOST_PIECES, "stopped");
  r->until = 0;
  r->nested = 1;
  run_and_judge(r, 4, 500, "nested");
  r->nested = 0;
}

/* Goes on until a worker comes, for fifty seconds at most. */
static void call_worker(record *r, int threads, const char *what) {
  r->call = 1;
  r->came = 0;
  r->seconds = 1e-2;
  check(run_and_judge(r, threads, MOST_PIECES, what) > 1, "%s: no worker came", what);
  r->call = 0;
  r->seconds = 0;
}

static void test_shutdown(record *r) {
  int round;
  threads_shutdown();
  threads_shutdown();
  for (round = 0; round < 50; round++) {
    run_and_judge(r, 1 + round % 5, 100, "after the end");
    threads_shutdown();
  }
  call_worker(r, 2, "after the end");
  threads_shutdown();
}

#ifndef _WIN32
/* ---- forks, limits, signals ---- */

/* Runs test in a forked child, whose failures count here. */
static void in_child(void (*test)(record *), record *r, const char *what) {
  int state = -1;
  pid_t child;
  fflush(stdout);
  child = fork();
  if (!child) {
    n_failed = 0;
    alarm(60);
    test(r);
    threads_shutdown();
    free(r);
    fflush(stdout);
    _exit(n_failed ? 1 : 0);
  }
  check(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) && !WEXITSTATUS(state),
        "%s: the child ended with state %d", what, state);
}

static void compute(record *r) {
  check(in_forked_child() && threads_available() == 1 && threads_for(1e12) == 1, "threads in a child");
  run_and_judge(r, 1, 100, "child");
  call_worker(r, 3, "child's own pool");
}

static void compute_in_grandchild(record *r) {
  compute(r);
  in_child(compute, r, "grandchild");
}

/* Room for two stacks or so, or for no process more: threads are refused, not work. */
static void limit_and_compute(record *r) {
  struct rlimit limit;
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (geteuid()) {
    limit.rlim_cur = limit.rlim_max = 1;
    check(!setrlimit(RLIMIT_NPROC, &limit), "setrlimit");
  } else if (file && fscanf(file, "%ld", &pages) == 1) {
    limit.rlim_cur = limit.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)10 << 20);
    check(!setrlimit(RLIMIT_AS, &limit), "setrlimit");
  }
  if (file) fclose(file);
  r->seconds = 1e-3;
  check(run_and_judge(r, MOST_THREADS, 200, "limited") < MOST_THREADS, "the limit did not work");
  r->seconds = 0;
  run_and_judge(r, MOST_THREADS, MOST_PIECES, "limited, again");
}

static int limits_work(void) {
  const char *preload = getenv("LD_PRELOAD");
#ifndef __linux__
  if (!geteuid()) return 0;
#endif
  return !SANITIZED && !(preload && strstr(preload, "vgpreload"));
}

static volatile sig_atomic_t signals, astray;
static pthread_t main_thread;

static void on_signal(int number) {
  (void)number;
  signals++;
  if (!pthread_equal(pthread_self(), main_thread)) astray++;
}

static void test_signals(record *r) {
  int i;
  main_thread = pthread_self();
  signal(SIGINT, on_signal);
  for (i = 0; i < 20; i++) {
    kill(getpid(), SIGINT);
    r->seconds = 1e-4;
    run_and_judge(r, 4, 50, "interrupted");
    r->seconds = 0;
  }
  signal(SIGINT, SIG_DFL);
  check(signals == 20 && !astray, "%d of 20 signals, %d of them to workers", (int)signals, (int)astray);
}
#endif

/* ---- how many ---- */

static void test_environment(void) {
#ifndef _WIN32
  static const char *const names[] = {"STATCL_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT",
                                      "_R_CHECK_LIMIT_CORES_"};
  size_t i;
  int own;
  for (i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  own = threads_available();
  check(own >= 1 && own <= sysconf(_SC_NPROCESSORS_ONLN), "%d threads", own);
  setenv("OMP_NUM_THREADS", "5,2", 1);
  check(threads_available() == 5, "OMP_NUM_THREADS");
  setenv("STATCL_THREADS", "4", 1);
  check(threads_available() == 4, "STATCL_THREADS");
  threads_set(7);
  check(threads_available() == 7 && threads_for(0) == 1 && threads_for(1e12) == 7, "threads_set()");
  setenv("OMP_THREAD_LIMIT", "3", 1);
  check(threads_available() == 3, "OMP_THREAD_LIMIT");
  setenv("_R_CHECK_LIMIT_CORES_", "TRUE", 1);
  check(threads_available() == 2, "_R_CHECK_LIMIT_CORES_");
  threads_set(0);
  for (i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
#endif
}

int main(void) {
  record *r = room(sizeof *r);
  memset(r, 0, sizeof *r);
  in_forked_child();
#ifndef _WIN32
  if (limits_work()) in_child(limit_and_compute, r, "limited"); /* while there are no stacks to be used again */
  else skip("limits", "they would stop the sanitizer or valgrind too");
#endif
  test_environment();
  test_counts(r);
  call_worker(r, 2, "parent");
#ifndef _WIN32
  if (RACES) skip("fork", "the sanitizer of data races allows a child no threads");
  else in_child(compute_in_grandchild, r, "fork");
  run_and_judge(r, 4, 1000, "parent");
  test_signals(r);
#endif
  test_shutdown(r);
  free(r);
  return summary();
}
