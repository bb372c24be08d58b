/* r_engine.h: how a .Call entry runs the engine.
 *
 *     SEXP ans = PROTECT(allocVector(REALSXP, n));          everything that may raise comes before,
 *     engine_begin("dstable");                              (this too may raise: options, choice of the device)
 *     status st = stable_density(n, ..., REAL(ans));        the engine frees what it took before it returns,
 *     engine_end(st);                                       raises a statcl_error or continues the interrupt
 *     UNPROTECT(1);
 *
 * Between the two calls nothing may raise an R error. An entry holds only memory that R manages: it is left by a
 * long jump when engine_end() raises. While the engine runs, R's interrupts are polled and long work shows its
 * progress under the name given. */
#ifndef STATCL_R_ENGINE_H
#define STATCL_R_ENGINE_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "engine/errors.h"

/* Raises an error while a task is at work: an event handler or a finalizer, which R may run during a poll, must not
 * take away what that task stands on. */
void engine_need_rest(const char *name);

void engine_begin(const char *name); /* raises where single precision is asked for */
void engine_end(status st);
/* For an entry that can serve single precision: nonzero where it is asked for. */
int engine_begin_either(const char *name);

/* Between engine_begin() and engine_end(), for long work without tasks: polls as a task does. STATUS_INTERRUPT where
 * the work is to stop. */
status engine_pause(double fraction);

/* Between engine_begin() and engine_end(), where no task is at work: calls f(data), which may raise an R error or be
 * interrupted: then the value is STATUS_INTERRUPT, and engine_end() goes on with that. R code called so may use the
 * engine itself. */
status engine_call_r(SEXP (*f)(void *data), void *data);

/* The three lines in one, for an entry that has a single engine call. */
#define ENGINE_RUN(name, call) (engine_begin(name), engine_end(call))

/* Reads options(statcl.threads): nonzero if it makes sense. engine_check_options() raises where it does not, and
 * engine_begin() calls that. */
int engine_options(void);
void engine_check_options(void);

/* Names of choices, which stand beside their enum in its header, in its order; the number of one, or -1. An option of
 * R is the first of its choices where it is not set, and fails, also while a task is open, where it is none. */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
int engine_choice(SEXP name, const char *const *names);
status engine_option(const char *option, const char *const *names, int *number);

/* Gives back what the engine's glue keeps; the library is about to go. */
void engine_unload(void);

/* Raises a condition of class statcl_error_input, _device, _memory or _build with last_error() as its message. */
void engine_raise(status st);

#endif
