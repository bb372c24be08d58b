/* threads.h: the one authority on threads, forks, clocks and naps. */
#ifndef STATCL_THREADS_H
#define STATCL_THREADS_H

/* Threads that a long computation may use now: the number given to threads_set(), else STATCL_THREADS, else
 * OMP_NUM_THREADS, else the processors; never above OMP_THREAD_LIMIT, at most 2 while R checks a package, 1 in a
 * forked child and 1 where the compiler has no OpenMP. */
int threads_available(void);
/* 0 gives the choice back to the environment. */
void threads_set(int count);
/* Threads worth waking for work of so many nanoseconds on one thread. */
int threads_for(double nanoseconds);

/* Calls work(context, k) for k from 0 to count - 1, on as many threads where there are so many. count: from
 * threads_for(). */
void threads_run(int count, void (*work)(void *context, int k), void *context);

/* Nonzero in a child of the process that loaded the engine. There neither OpenCL nor a libgomp team may be touched:
 * both wait for threads that the fork did not copy. The first call records the process. */
int in_forked_child(void);

double clock_seconds(void); /* monotonic */
void nap(double seconds);

#endif
