/* threads.h: the one authority on threads, forks, clocks and naps. */
#ifndef STATCL_THREADS_H
#define STATCL_THREADS_H

#include <stdint.h>

/* Threads that a long computation may use now: the number given to threads_set(), else STATCL_THREADS, else
 * OMP_NUM_THREADS, else the processors that affinity and control groups leave to the process; never above
 * OMP_THREAD_LIMIT, at most 2 while R checks a package, and 1 in a forked child. */
int threads_available(void);
/* 0 gives the choice back to the environment. */
void threads_set(int count);
/* Threads worth waking for work of so many nanoseconds on one thread. */
int threads_for(double nanoseconds);

/* Calls work(context, piece, thread) for pieces from 0 on, in order, on at most so many threads: the calling one,
 * which is number 0, and workers of a pool that sleep between two runs. Whoever is awake takes the next piece, and
 * nobody waits for a worker that has taken none. No two calls at once have the same thread's number. A thread whose
 * work returns 0 takes no further pieces. Returns the number of pieces taken, all of which are done: those before it.
 * Called by a piece it works on the piece's thread alone. */
typedef int threads_work(void *context, int64_t piece, int thread);
int64_t threads_run(int threads, int64_t pieces, threads_work *work, void *context);

/* Ends the workers, before the code they run is unloaded; the next run makes new ones. */
void threads_shutdown(void);

/* For moments, and not nested: what pieces change together. */
void threads_lock(void);
void threads_unlock(void);

/* Nonzero in a child of the process that loaded the engine. There OpenCL may not be touched, which waits for threads
 * that the fork did not copy. The first call records the process. */
int in_forked_child(void);

double clock_seconds(void); /* monotonic */
void nap(double seconds);

#endif
