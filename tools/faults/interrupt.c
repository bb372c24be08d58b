/* interrupt.c: an interrupt of the user after so much processor time; see faults.R. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile double sent;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void send_interrupt(int number) {
  (void)number;
  sent = processor_time();
  kill(getpid(), SIGINT);
}

/* Of all threads together; 0 takes it back. */
void interrupt_after(double *seconds) {
  const time_t whole = (time_t)*seconds;
  const struct itimerval once = {{0, 0}, {whole, (suseconds_t)(1e6 * (*seconds - (double)whole))}};
  struct sigaction act;
  sent = 0;
  sigemptyset(&act.sa_mask);
  act.sa_handler = send_interrupt;
  act.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &act, NULL);
  setitimer(ITIMER_PROF, &once, NULL);
}

/* Processor time since it was sent; -1 where it was not. */
void interrupt_age(double *seconds) { *seconds = sent > 0 ? processor_time() - sent : -1; }
