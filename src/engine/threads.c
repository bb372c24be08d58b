/* threads.c: see threads.h. */
#define _GNU_SOURCE 1
#define _DARWIN_C_SOURCE 1
#include "engine/threads.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0600
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0600 /* condition variables */
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <process.h>
#else
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

/* Waking a worker takes some 50 microseconds of processor time, and it begins as much later; one that comes later
 * still, because other programs keep the cores busy, holds nobody up. */
static const double ns_worth_a_thread = 3e5;

static int requested = 0;

/* ---- how many ---- */

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

#ifdef __linux__
/* Two numbers of a control group's file, or of two files; "max" is none. Returns how many could be read. */
static int read_numbers(const char *folder, const char *name, double *number, int most) {
  char path[4200];
  FILE *file;
  int n = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (!(file = fopen(path, "r"))) return 0;
  while (n < most && fscanf(file, "%lf", number + n) == 1) n++;
  fclose(file);
  return n;
}

/* The least share of time that a group or one above it grants, in processors; every folder up to the mount is asked,
 * since inside a container the group's own path leads nowhere. */
static double least_quota(const char *mount, const char *group, int version, double least) {
  char folder[4096];
  size_t end = strlen(mount);
  snprintf(folder, sizeof folder, "%s%s", mount, group);
  for (;;) {
    double v[2];
    const int n = version == 2 ? read_numbers(folder, "cpu.max", v, 2)
                               : read_numbers(folder, "cpu.cfs_quota_us", v, 1) +
                                     read_numbers(folder, "cpu.cfs_period_us", v + 1, 1);
    if (n == 2 && v[0] > 0 && v[1] > 0 && v[0] / v[1] < least) least = v[0] / v[1];
    char *last = strrchr(folder, '/');
    if (!last || last < folder + end) return least;
    *last = 0;
  }
}

/* Processors' worth of time that control groups leave to the process, rounded up; far too many where they do not
 * limit it. */
static int quota(void) {
  char line[4096];
  double least = 4096;
  FILE *file = fopen("/proc/self/cgroup", "r");
  while (file && fgets(line, sizeof line, file)) { /* number:controllers:path */
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    char list[256];
    if (!path) continue;
    *path++ = 0;
    path[strcspn(path, "\n")] = 0;
    if (!strcmp(path, "/")) *path = 0;
    snprintf(list, sizeof list, ",%s,", names + 1);
    if (!names[1]) least = least_quota("/sys/fs/cgroup", path, 2, least);
    if (strstr(list, ",cpu,")) least = least_quota("/sys/fs/cgroup/cpu", path, 1, least);
  }
  if (file) fclose(file);
  return least < 1 ? 1 : (int)least + (least > (int)least);
}

/* Processors on which the system may put the process; a set larger than cpu_set_t is refused until it fits. */
static int affinity(void) {
  int count = 0;
  for (int size = 1024; !count && size <= 1 << 18; size *= 4) {
    cpu_set_t *set = CPU_ALLOC((size_t)size);
    if (!set) break;
    if (!sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)size), set))
      count = CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)size), set);
    CPU_FREE(set);
  }
  return count;
}
#endif

/* Affinity may change at any time, quotas seldom do. */
static int processors(void) {
  long count = 0;
#if defined(_WIN32)
  DWORD_PTR mask = 0, all;
  if (GetProcessAffinityMask(GetCurrentProcess(), &mask, &all))
    for (; mask; mask &= mask - 1) count++;
#elif defined(__linux__)
  static int granted;
  if (!granted) granted = quota();
  count = affinity();
  if (count > granted) count = granted;
#endif
#ifdef _SC_NPROCESSORS_ONLN
  if (count < 1) count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return count < 1 ? 1 : count > 4096 ? 4096 : (int)count;
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
  int count = requested;
  if (in_forked_child()) return 1;
  if (!count) count = number_from("STATCL_THREADS");
  if (!count) count = number_from("OMP_NUM_THREADS");
  if (!count) count = processors();
  const int limit = number_from("OMP_THREAD_LIMIT");
  if (limit && count > limit) count = limit;
  if (under_check() && count > 2) count = 2;
  return count;
}

int threads_for(double nanoseconds) {
  int most = threads_available();
  double worth = 1 + nanoseconds / ns_worth_a_thread;
  return worth < most ? (int)worth : most;
}

/* ---- locks and threads of the system ---- */

#ifdef _WIN32
typedef SRWLOCK lock_type;
typedef CONDITION_VARIABLE signal_type;
typedef HANDLE thread_type;
#define LOCK_INIT SRWLOCK_INIT
#define SIGNAL_INIT CONDITION_VARIABLE_INIT
static void lock(lock_type *l) { AcquireSRWLockExclusive(l); }
static void unlock(lock_type *l) { ReleaseSRWLockExclusive(l); }
static void await(signal_type *s, lock_type *l) { SleepConditionVariableSRW(s, l, INFINITE, 0); }
static void wake_one(signal_type *s) { WakeConditionVariable(s); }
static void wake_all(signal_type *s) { WakeAllConditionVariable(s); }
#else
typedef pthread_mutex_t lock_type;
typedef pthread_cond_t signal_type;
typedef pthread_t thread_type;
#define LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#define SIGNAL_INIT PTHREAD_COND_INITIALIZER
static void lock(lock_type *l) { pthread_mutex_lock(l); }
static void unlock(lock_type *l) { pthread_mutex_unlock(l); }
static void await(signal_type *s, lock_type *l) { pthread_cond_wait(s, l); }
static void wake_one(signal_type *s) { pthread_cond_signal(s); }
static void wake_all(signal_type *s) { pthread_cond_broadcast(s); }
#endif

static lock_type moment = LOCK_INIT;
void threads_lock(void) { lock(&moment); }
void threads_unlock(void) { unlock(&moment); }

/* ---- the pool ---- */

/* Pieces are counted as wide as the machine counts in one step. */
typedef struct {
  threads_work *work;
  void *context;
  ptrdiff_t pieces, next;
} deal;

/* All but worker and room are guarded by the lock. */
static struct {
  lock_type lock;
  signal_type wanted, left;
  thread_type *worker;
  int workers, room;
  deal *open;        /* what a worker that wakes may join, as number taken + 1, up to number seats */
  int seats, taken;
  int inside;        /* workers that have joined and not left */
  int busy, closing;
} pool = {.lock = LOCK_INIT, .wanted = SIGNAL_INIT, .left = SIGNAL_INIT};

static void draw(deal *d, int thread) {
  ptrdiff_t piece;
  do {
    piece = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED);
  } while (piece < d->pieces && d->work(d->context, piece, thread));
}

static void serve(void) {
  lock(&pool.lock);
  for (;;) {
    deal *d = pool.open;
    if (pool.closing) break;
    if (!d || pool.taken == pool.seats) {
      await(&pool.wanted, &pool.lock);
      continue;
    }
    const int thread = ++pool.taken;
    pool.inside++;
    unlock(&pool.lock);
    draw(d, thread);
    lock(&pool.lock);
    pool.seats = pool.taken; /* nothing is left for those who still sleep */
    if (!--pool.inside && !pool.open) wake_one(&pool.left);
  }
  unlock(&pool.lock);
}

/* Stacks of new threads are small on some systems. Compilers of drivers, which run on them too, need what main
 * threads have; what nobody touches takes no memory. */
enum { STACK = 16 << 20 };

#ifdef _WIN32
static unsigned __stdcall begin(void *unused) {
  (void)unused;
  serve();
  return 0;
}

static int start(thread_type *t) {
  *t = (HANDLE)_beginthreadex(NULL, STACK, begin, NULL, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
  return *t != NULL;
}

static void join(thread_type t) {
  WaitForSingleObject(t, INFINITE);
  CloseHandle(t);
}

static void forget_parents(void) {}
#else
static void *begin(void *unused) {
  serve();
  return unused;
}

/* A worker takes no signals, R's interrupt among them, but those of its own faults. */
static int start(thread_type *t) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  pthread_attr_t how;
  sigset_t all, before;
  if (pthread_attr_init(&how)) return 0;
  pthread_attr_setstacksize(&how, STACK);
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(t, &how, begin, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&how);
  return !failed;
}

static void join(thread_type t) { pthread_join(t, NULL); }

/* The fork has copied no worker, and the lock as one may have held it. */
static void forget_parents(void) {
  static pid_t owner = 0;
  if (owner == getpid()) return;
  if (owner) {
    const lock_type open = LOCK_INIT;
    const signal_type silent = SIGNAL_INIT;
    pool.lock = moment = open;
    pool.wanted = pool.left = silent;
    pool.open = NULL;
    pool.workers = pool.inside = pool.busy = pool.closing = 0;
  }
  owner = getpid();
}
#endif

/* Where the system grants no more workers, those there are will do. */
static void hire(int count) {
  if (count > pool.room) {
    thread_type *larger = realloc(pool.worker, (size_t)count * sizeof *larger);
    if (!larger) return;
    pool.worker = larger;
    pool.room = count;
  }
  while (pool.workers < count && start(pool.worker + pool.workers)) pool.workers++;
}

/* Offers pieces to so many workers; returns how many there are. */
static int offer(deal *d, int count) {
  forget_parents();
  lock(&pool.lock);
  if (pool.busy) count = 0; /* a piece deals itself */
  if (count > pool.workers) hire(count);
  if (count > pool.workers) count = pool.workers;
  if (count) {
    pool.busy = 1;
    pool.open = d;
    pool.taken = 0;
    pool.seats = count;
  }
  const int all = count == pool.workers;
  unlock(&pool.lock);
  if (all && count > 1) wake_all(&pool.wanted);
  else
    for (int i = 0; i < count; i++) wake_one(&pool.wanted);
  return count;
}

/* From here on nobody joins; pieces in progress are waited for. */
static void withdraw(void) {
  lock(&pool.lock);
  pool.open = NULL;
  while (pool.inside) await(&pool.left, &pool.lock);
  pool.busy = 0;
  unlock(&pool.lock);
}

int64_t threads_run(int threads, int64_t pieces, threads_work *work, void *context) {
  deal d = {work, context, (ptrdiff_t)pieces, 0};
  const int64_t most = threads < pieces ? threads : pieces;
  const int helpers = most > 1 ? offer(&d, (int)most - 1) : 0;
  draw(&d, 0);
  if (helpers) withdraw();
  return d.next < pieces ? d.next : pieces;
}

void threads_shutdown(void) {
  forget_parents();
  lock(&pool.lock);
  pool.closing = 1;
  unlock(&pool.lock);
  wake_all(&pool.wanted);
  for (int i = 0; i < pool.workers; i++) join(pool.worker[i]);
  free(pool.worker);
  pool.worker = NULL;
  pool.workers = pool.room = pool.closing = 0;
}

/* ---- time ---- */

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
