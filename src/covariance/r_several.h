/* r_several.h: the .Call entries of covariances of several variables among places (R/gp-several-vecchia.R).
 *
 * among: a, the coordinates; metric; parts, one for each term; variable, which counts from 1; weight and has, a
 * matrix for each term; shared, a matrix or NULL, with the place of each row and how many are observed. */
#ifndef STATCL_R_SEVERAL_H
#define STATCL_R_SEVERAL_H

#define R_NO_REMAP
#include <Rinternals.h>

/* Rows of sets (r_given.h), as of C_vecchiaPredict(), with weights or predictions. */
SEXP C_severalGiven(SEXP among, SEXP sets, SEXP weights);
/* list(sums, number of the first place without a positive variance, or 0). slopes: a list of `groups`, each of a
 * term, its first column and its wants; `turns`, each of a term, a parameter, the range and a matrix; share, nugget
 * and shared as in several_sets.h. */
SEXP C_severalSums(SEXP among, SEXP sets, SEXP slopes);
/* Of the places from number `first` on, by a matrix of candidates with a column for each, in `lists` of the same
 * length, at most m that are chosen. */
SEXP C_severalChoose(SEXP among, SEXP diagonal, SEXP candidates, SEXP lists, SEXP first, SEXP m);

#define SEVERAL_CALLS CALL(severalGiven, 3) CALL(severalSums, 3) CALL(severalChoose, 6)

#endif
