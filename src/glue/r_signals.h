/* r_signals.h: .Call entry behind R/cluster.R. */
#ifndef STATCL_R_SIGNALS_H
#define STATCL_R_SIGNALS_H

#define R_NO_REMAP
#include <Rinternals.h>

/* Holds interrupts back, or lets them come, which those that were held back do at once; gives what was the case. R's
 * own way is undone where it waits for a socket. Does nothing on Windows. */
SEXP C_holdInterrupts(SEXP hold);

#define SIGNALS_CALLS CALL(holdInterrupts, 1)

#endif
