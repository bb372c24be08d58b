/* r_vecchia.h: .Call entries behind R/gp-vecchia.R. */
#ifndef STATCL_R_VECCHIA_H
#define STATCL_R_VECCHIA_H

#define R_NO_REMAP
#include <Rinternals.h>

/* An external pointer to locations (gp/vecchia.h). neighbours: integers from 1, NA for none. */
SEXP C_vecchiaMake(SEXP a, SEXP metric, SEXP radius, SEXP parts, SEXP error, SEXP data, SEXP members, SEXP own,
                   SEXP nearest);
SEXP C_vecchiaFree(SEXP pointer);
/* list(sums, number of the first location whose variance is not positive, or 0). */
SEXP C_vecchiaSums(SEXP pointer, SEXP parts, SEXP wants, SEXP nugget);
/* A matrix with a row for each location: its variance given its neighbours, and what they predict of the columns of
 * data, or their weights. */
SEXP C_vecchiaPredict(SEXP pointer, SEXP parts, SEXP nugget, SEXP rows);
/* The last rows of field, standard normal variables, become values by these weights of those before. */
SEXP C_vecchiaFill(SEXP rows, SEXP neighbours, SEXP field);

#define VECCHIA_CALLS CALL(vecchiaMake, 9) CALL(vecchiaFree, 1) CALL(vecchiaSums, 4) CALL(vecchiaPredict, 4) \
  CALL(vecchiaFill, 3)

#endif
