/* gamma_par.h: columns, lists and the constants of a call, shared by kernels and host. */
#ifndef STATCL_GAMMA_PAR_H
#define STATCL_GAMMA_PAR_H

/* in: x, q, p or nothing; shape, and scale or rate */
enum { GAMMA_GIVEN, GAMMA_SHAPE, GAMMA_SCALE, GAMMA_COLUMNS };
/* work: a smaller tail in the form of tail_form.h, and where its quantile is sought, or the normal deviate of p */
enum { GAMMA_WORK_TAIL, GAMMA_WORK_AT, GAMMA_WORK_COLUMNS };
/* points by what serves them: Temme's expansion, the series, the continued fraction, and shape and x below 1 */
enum { GAMMA_LIST_UNIFORM, GAMMA_LIST_SERIES, GAMMA_LIST_FRACTION, GAMMA_LIST_SMALL, GAMMA_LISTS };
/* and quantiles by what gives them: a polynomial for shapes of at least 8, of less, of less than 20/9 and below 1, or
 * steps from a start */
enum { GAMMA_LIST_MANY = GAMMA_LISTS, GAMMA_LIST_SOME, GAMMA_LIST_FEW, GAMMA_LIST_POWER, GAMMA_LIST_START,
       GAMMA_QUANTILE_LISTS };

/* densities: the option, and, as in all others, what the second column is to be multiplied by for the shape, and
 * whether the third one is the rate: 1/rate would be rounded, which large shapes multiply */
#define GAMMA_PDF_LOG 0
#define GAMMA_PDF_SHAPE_BY 1
#define GAMMA_PDF_BY_RATE 2
/* tails and quantiles: the options of pgammagpu() and qgammagpu() */
#define GAMMA_LOWER 0
#define GAMMA_LOG 1
#define GAMMA_SHAPE_BY 2
#define GAMMA_BY_RATE 3 /* of tails alone: a quantile is not changed by more than 1/rate is rounded by */
#define GAMMA_KEY 3 /* key of the random numbers, four times 16 bits */
#define GAMMA_PAR 7

/* A scale s, or rate: is it one, and is the scale finite? */
#define SCALE_KNOWN(s, by_rate) ((((s) > 0) | ((by_rate) & ((s) == 0))) & (!(by_rate) | ((s) <= REAL_MAX_)))
#define SCALE_FINITE(s, by_rate) (((s) > 0) & ((by_rate) | ((s) <= REAL_MAX_)))

#endif
