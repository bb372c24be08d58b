/* r_extras.c: see r_extras.h. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "glue/r_extras.h"

#include <signal.h>

SEXP C_weak_reference(SEXP environment) { return R_MakeWeakRef(environment, R_NilValue, R_NilValue, FALSE); }

SEXP C_weak_referent(SEXP reference) { return R_WeakRefKey(reference); }

SEXP C_holdInterrupts(SEXP hold) {
#ifdef _WIN32
  (void)hold;
  return Rf_ScalarLogical(0);
#else
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(Rf_asLogical(hold) ? SIG_BLOCK : SIG_UNBLOCK, &interrupt, &before);
  return Rf_ScalarLogical(sigismember(&before, SIGINT));
#endif
}
