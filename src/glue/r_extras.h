/* r_extras.h: .Call entries for what R offers in C alone, or not at all: weak references, which R/kept.R needs, and
 * interrupts that are held back, for R/cluster.R. */
#ifndef STATCL_R_EXTRAS_H
#define STATCL_R_EXTRAS_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_weak_reference(SEXP environment);
/* The environment, or NULL once it has gone. */
SEXP C_weak_referent(SEXP reference);
/* Holds interrupts back, or lets them come, which those that were held back do at once; gives what was the case. R's
 * own way is undone where it waits for a socket. Does nothing on Windows. */
SEXP C_holdInterrupts(SEXP hold);

#define EXTRAS_CALLS CALL(weak_reference, 1) CALL(weak_referent, 1) CALL(holdInterrupts, 1)

#endif
