/* r_vecchia.h: .Call entries behind R/gp-vecchia.R. */
#ifndef STATCL_R_VECCHIA_H
#define STATCL_R_VECCHIA_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "gp/vecchia.h"

/* For other entries. */
const vecchia *vecchia_of(SEXP pointer);

/* An external pointer to locations (gp/vecchia.h). among: as in covariance/r_covariance.h. sets: a list of `members`,
 * the neighbours of each location as integers from 1, NA for none; `block`, 0 for single locations; and `nearest`. */
SEXP C_vecchiaMake(SEXP among, SEXP error, SEXP data, SEXP sets);
SEXP C_vecchiaFree(SEXP pointer);
/* list(sums, number of the first location whose variance is not positive, or 0). */
SEXP C_vecchiaSums(SEXP pointer, SEXP parts, SEXP wants, SEXP nugget);
/* The number of parts into which sums go; for attempt 0, 1, ... list(sums, number) with a column of sums for each
 * part; and the sums of all columns (gp/vecchia.h). */
SEXP C_vecchiaCount(SEXP pointer);
SEXP C_vecchiaPartSums(SEXP pointer, SEXP parts, SEXP wants, SEXP nugget, SEXP attempt);
SEXP C_vecchiaAdd(SEXP sums);
/* A list of vectors with some of the parts from the first, which counts from 1; and a pointer to these, of which sums
 * can be had. */
SEXP C_vecchiaCut(SEXP pointer, SEXP first, SEXP parts);
SEXP C_vecchiaRestore(SEXP part);
/* A matrix with a row for each location: its variance given its neighbours, and what they predict of the columns of
 * data, or their weights. */
SEXP C_vecchiaPredict(SEXP pointer, SEXP parts, SEXP nugget, SEXP rows);
/* The last rows of field, standard normal variables, become values by these weights of those before. */
SEXP C_vecchiaFill(SEXP rows, SEXP neighbours, SEXP field);

#define VECCHIA_CALLS CALL(vecchiaMake, 4) CALL(vecchiaFree, 1) CALL(vecchiaSums, 4) CALL(vecchiaPredict, 4) \
  CALL(vecchiaFill, 3) CALL(vecchiaCount, 1) CALL(vecchiaPartSums, 5) CALL(vecchiaAdd, 1) CALL(vecchiaCut, 3) \
  CALL(vecchiaRestore, 1)

#endif
