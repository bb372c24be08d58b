/* r_kept.h: .Call entries behind R/kept.R. */
#ifndef STATCL_R_KEPT_H
#define STATCL_R_KEPT_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_weak_reference(SEXP environment);
/* The environment, or NULL once it has gone. */
SEXP C_weak_referent(SEXP reference);

#define KEPT_CALLS CALL(weak_reference, 1) CALL(weak_referent, 1)

#endif
