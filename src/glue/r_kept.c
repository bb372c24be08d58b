/* r_kept.c: see r_kept.h. */
#include "glue/r_kept.h"

SEXP C_weak_reference(SEXP environment) { return R_MakeWeakRef(environment, R_NilValue, R_NilValue, FALSE); }

SEXP C_weak_referent(SEXP reference) { return R_WeakRefKey(reference); }
