/* r_given.h: sets of places that are given (given_sets.h), from R. */
#ifndef STATCL_R_GIVEN_H
#define STATCL_R_GIVEN_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "covariance/given_sets.h"

/* sets: a list of `members`, a column of them for each of the last of n places, the `diagonal` and the `columns`. */
given_sets given_of(SEXP sets, int64_t n);

#endif
