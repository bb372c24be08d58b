/* r_engine.c: see r_engine.h. R may jump out of R_CheckUserInterrupt(). The jump is caught in the poll, the engine
 * returns through its own statuses, and only then the jump goes on: nothing of the engine's is lost on the way. */
#include "glue/r_engine.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "engine/backend.h"
#include "engine/devices.h"
#include "engine/threads.h"

/* Between two updates of progress, of the seconds before the first, or of one; between looks for interrupts when a
 * call begins. */
static const double show_every = 0.2, look_every = 0.02;

static SEXP token;
static int jump_pending, progress_shown, pausing;
static int poll_r(void *data, double fraction);
static const char *task_name = "";
static double started, shown, looked;

/* Calls a function of the package's R code. */
static SEXP call_package(const char *function, SEXP first, SEXP second, int *failed) {
  SEXP call = PROTECT(second ? Rf_lang3(Rf_install(function), first, second)
                             : Rf_lang2(Rf_install(function), first));
  SEXP name = PROTECT(Rf_mkString("statcl")), space = PROTECT(R_FindNamespace(name));
  SEXP value = failed ? R_tryEvalSilent(call, space, failed) : Rf_eval(call, space);
  UNPROTECT(3);
  return value;
}

/* As package cli has it, whose help has this option, but sooner where it is not set. */
static double show_after(void) {
  SEXP wanted = Rf_GetOption1(Rf_install("cli.progress_show_after"));
  const double seconds = Rf_isNumeric(wanted) && Rf_length(wanted) == 1 ? Rf_asReal(wanted) : NAN;
  return seconds >= 0 ? seconds : 1;
}

static SEXP look_around(void *data) {
  double fraction = *(double *)data, now = clock_seconds();
  looked = now;
  R_CheckUserInterrupt();
  const double after = show_after();
  if (now - started > after && now - shown > show_every * fmin(after, 1)) {
    SEXP name = PROTECT(Rf_mkString(task_name)), share = PROTECT(Rf_ScalarReal(fraction));
    shown = now;
    progress_shown = 1;
    call_package("progress_show", name, share, NULL);
    UNPROTECT(2);
  }
  return R_NilValue;
}

static void catch_jump(void *data, Rboolean jumps) {
  if (jumps) longjmp(*(jmp_buf *)data, 1);
}

/* Calls f(data), unless a jump is pending, whose aim the token holds; nonzero where one is pending after that. */
static int call_or_catch(SEXP (*f)(void *data), void *data) {
  jmp_buf here;
  if (jump_pending) return 1;
  if (setjmp(here)) jump_pending = 1;
  else R_UnwindProtect(f, data, catch_jump, &here, token);
  return jump_pending;
}

status engine_call_r(SEXP (*f)(void *data), void *data) {
  const char *name = task_name;
  const double began = started;
  const call_part part = backend_part();
  const int jumped = call_or_catch(f, data);
  backend_set_poll(poll_r, NULL); /* what f called may have run tasks of its own */
  backend_set_part(part, 0, 1);
  task_name = name;
  started = began;
  return jumped ? fail(STATUS_INTERRUPT, "interrupted") : STATUS_OK;
}

static int poll_r(void *data, double fraction) {
  (void)data;
  return call_or_catch(look_around, &fraction);
}

status engine_pause(double fraction) {
  pausing = 1;
  const int stop = poll_r(NULL, fraction);
  pausing = 0;
  return stop ? fail(STATUS_INTERRUPT, "interrupted") : STATUS_OK;
}

int engine_options(void) {
  SEXP threads = Rf_GetOption1(Rf_install("statcl.threads"));
  double count = 0;
  if (threads != R_NilValue) count = Rf_isNumeric(threads) && Rf_length(threads) == 1 ? Rf_asReal(threads) : -1;
  threads_set(count >= 1 ? (int)(count < 4096 ? count : 4096) : 0);
  return threads == R_NilValue || (count >= 1 && count <= INT_MAX);
}

void engine_check_options(void) {
  if (engine_options()) return;
  SEXP name = PROTECT(Rf_mkString("statcl.threads"));
  SEXP wanted = PROTECT(Rf_mkString("a number of threads, at least 1"));
  call_package("refuse_option", name, wanted, NULL);
  UNPROTECT(2);
}

int engine_choice(SEXP name, const char *const *names) {
  for (int i = 0; Rf_isString(name) && Rf_length(name) == 1 && names[i]; i++)
    if (!strcmp(CHAR(STRING_ELT(name, 0)), names[i])) return i;
  return -1;
}

status engine_option(const char *option, const char *const *names, int *number) {
  SEXP value = Rf_GetOption1(Rf_install(option));
  int n = 0, failed;
  *number = value == R_NilValue ? 0 : engine_choice(value, names);
  if (*number >= 0) return STATUS_OK;
  while (names[n]) n++;
  SEXP name = PROTECT(Rf_mkString(option)), wanted = PROTECT(Rf_allocVector(STRSXP, n));
  for (int i = 0; i < n; i++) SET_STRING_ELT(wanted, i, Rf_mkChar(names[i]));
  SEXP words = PROTECT(call_package("option_refusal", name, wanted, &failed));
  const status st = fail(STATUS_INPUT, "%s", failed ? option : CHAR(STRING_ELT(words, 0)));
  UNPROTECT(3);
  return st;
}

void engine_need_rest(const char *name) {
  if (backend_running() || pausing)
    engine_raise(fail(STATUS_INPUT, "%s was called while another computation is running", name));
}

static int begin(const char *name, int can_single) {
  int index[MAX_DEVICES], single;
  status st;
  engine_need_rest(name);
  if (!token) {
    token = R_MakeUnwindCont();
    R_PreserveObject(token);
  }
  st = engine_option("statcl.precision", NAMES("double", "single"), &single);
  if (!st && single && !can_single)
    st = fail(STATUS_DEVICE, "%s has no single precision kernels: withPrecision(\"double\", ...) computes it", name);
  if (st) engine_raise(st);
  engine_check_options();
  devices_after_fork();
  if (!devices_in_use(index) && !in_forked_child()) call_package("device_decide", R_NilValue, NULL, NULL);
  task_name = name;
  started = clock_seconds();
  shown = 0;
  /* R itself looks every thousand evaluations only: a loop over calls too short for a poll could not be stopped. */
  if (started - looked > look_every) {
    looked = started;
    R_CheckUserInterrupt();
  }
  jump_pending = progress_shown = 0;
  backend_set_poll(poll_r, NULL);
  return single;
}

void engine_begin(const char *name) { begin(name, 0); }
int engine_begin_either(const char *name) { return begin(name, 1); }

void engine_unload(void) {
  if (token) R_ReleaseObject(token);
  token = NULL;
}

void engine_end(status st) {
  backend_set_poll(NULL, NULL);
  if (progress_shown) {
    int failed;
    progress_shown = 0;
    call_package("progress_done", R_NilValue, NULL, &failed);
  }
  if (jump_pending) {
    jump_pending = 0;
    R_ContinueUnwind(token);
  }
  if (st) engine_raise(st);
}

static const char *class_of(status st) {
  switch (st) {
  case STATUS_INPUT: return "input";
  case STATUS_MEMORY: return "memory";
  case STATUS_BUILD: return "build";
  default: return "device";
  }
}

void engine_raise(status st) {
  SEXP kind = PROTECT(Rf_mkString(class_of(st))), text = PROTECT(Rf_mkString(last_error()));
  call_package("raise_engine_error", kind, text, NULL);
  Rf_error("%s", last_error());
}
