/* beta_par.h: columns, lists and the constants of a call, shared by kernels and host. */
#ifndef STATCL_BETA_PAR_H
#define STATCL_BETA_PAR_H

/* in: x, q, p or nothing, and the two shapes, or degrees of freedom */
enum { BETA_GIVEN, BETA_A, BETA_B, BETA_COLUMNS };
/* work: a smaller tail in the form of tail_form.h, and where its quantile is sought: x or, negative, y = 1 - x;
 * for BETA_LIST_MANY the normal deviate of the smaller shape */
enum { BETA_WORK_TAIL, BETA_WORK_AT, BETA_WORK_COLUMNS };
/* points by what serves them: Gauss and Legendre's rule, the series, the continued fraction, and a shape below 1 with
 * its side's x small */
enum { BETA_LIST_RULE, BETA_LIST_SERIES, BETA_LIST_FRACTION, BETA_LIST_SMALL, BETA_LISTS };
/* and quantiles whose start is not among the usual ones, and such whose continued fraction has more terms than most:
 * a block of lanes goes as far as one of them needs; and such that polynomials give */
enum { BETA_LIST_START = BETA_LISTS, BETA_LIST_LONG, BETA_LIST_MANY, BETA_QUANTILE_LISTS };
#define LONG_FROM 38

/* The variable: x of the beta distribution; F = (b/a) x/(1 - x) with degrees of freedom 2 a and 2 b; t with b the
 * second column's half and t^2 as F with a = 1/2. */
#define BETA_IS_X 0
#define BETA_IS_F 1
#define BETA_IS_T 2

/* densities: the option and the variable; tails and quantiles: two options, and the variable */
#define BETA_PDF_LOG 0
#define BETA_PDF_KIND 1
#define BETA_LOWER 0
#define BETA_LOG 1
#define BETA_KIND 2
#define BETA_KEY 3 /* key of the random numbers, four times 16 bits */
#define BETA_PAR 7

#endif
