/* threads.c: see threads.h. */
#define _POSIX_C_SOURCE 200809L
#include "engine/threads.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <sys/types.h>
#include <unistd.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

/* Waking a sleeping team costs some 10 microseconds per thread, and where other programs keep the cores busy the wait
 * for the last of them takes milliseconds: each must have far more than the first to do. */
static const double ns_worth_a_thread = 2e6;

static int requested = 0;

/* First number of an environment variable such as OMP_NUM_THREADS=4,2; 0 when unset or senseless. */
static int number_from(const char *variable) {
  const char *text = getenv(variable);
  long value = text ? strtol(text, NULL, 10) : 0;
  return value < 1 ? 0 : value > 4096 ? 4096 : (int)value;
}

static int under_check(void) {
  const char *text = getenv("_R_CHECK_LIMIT_CORES_");
  return text && *text && strcmp(text, "false") && strcmp(text, "FALSE");
}

static int processors(void) {
#ifdef _OPENMP
  return omp_get_num_procs();
#else
  return 1;
#endif
}

int in_forked_child(void) {
#ifdef _WIN32
  return 0;
#else
  static pid_t loaded_in = 0;
  if (!loaded_in) loaded_in = getpid();
  return getpid() != loaded_in;
#endif
}

void threads_set(int count) { requested = count > 0 ? count : 0; }

int threads_available(void) {
#ifdef _OPENMP
  int count = requested, limit;
  if (in_forked_child()) return 1;
  if (!count) count = number_from("STATCL_THREADS");
  if (!count) count = number_from("OMP_NUM_THREADS");
  if (!count) count = processors();
  limit = number_from("OMP_THREAD_LIMIT");
  if (limit && count > limit) count = limit;
  limit = omp_get_thread_limit();
  if (limit > 0 && count > limit) count = limit;
  if (under_check() && count > 2) count = 2;
  return count;
#else
  (void)processors;
  (void)number_from;
  (void)under_check;
  return 1;
#endif
}

int threads_for(double nanoseconds) {
  int most = threads_available();
  double worth = 1 + nanoseconds / ns_worth_a_thread;
  return worth < most ? (int)worth : most;
}

void threads_run(int count, void (*work)(void *context, int k), void *context) {
  int k;
#ifdef _OPENMP
  if (count > 1) {
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (k = 0; k < count; k++) work(context, k);
    return;
  } /* else no team at all: a forked child must not have one */
#endif
  for (k = 0; k < count; k++) work(context, k);
}

double clock_seconds(void) {
#ifdef _WIN32
  LARGE_INTEGER ticks, rate;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&rate);
  return (double)ticks.QuadPart / (double)rate.QuadPart;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

void nap(double seconds) {
#ifdef _WIN32
  Sleep(seconds < 1e-3 ? 0 : (DWORD)(1e3 * seconds));
#else
  struct timespec rest = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&rest, NULL);
#endif
}
