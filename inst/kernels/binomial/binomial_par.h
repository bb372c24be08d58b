/* binomial_par.h: columns, lists and the constants of a call of the binomial and negative binomial distributions. */
#ifndef STATCL_BINOMIAL_PAR_H
#define STATCL_BINOMIAL_PAR_H

/* in: x, q, p or nothing; size; prob or mu */
enum { BINOMIAL_GIVEN, BINOMIAL_SIZE, BINOMIAL_SECOND, BINOMIAL_COLUMNS };
/* which distribution the columns are of; of both negative binomial ones the number of failures before size successes
 * */
#define BINOMIAL_OF_PROB 0 /* binomial */
#define NEGATIVE_OF_PROB 1
#define NEGATIVE_OF_MEAN 2 /* prob = size/(size + mu), exactly */
/* work: the tail in the form of tail_form.h, and where binomial_search begins, START_AT(a), START_SEARCH(k) or
 * START_ESTIMATE; at last what it leaves to binomial_refine */
enum { BINOMIAL_WORK_TAIL, BINOMIAL_WORK_START, BINOMIAL_WORK_COLUMNS };
#define START_SUMS K(0.5) /* no start of a search: to be summed */
enum {
  BINOMIAL_LIST_SUMS, BINOMIAL_LIST_FAR, BINOMIAL_LIST_MIXTURE, BINOMIAL_LIST_SEARCH, BINOMIAL_LIST_REFINE,
  BINOMIAL_LISTS
};

/* par: options in the order in which R has them, of quantiles and tails, and of densities; of quantiles the key of
 * random numbers too, four times 16 bits */
#define BINOMIAL_LOWER 0
#define BINOMIAL_LOG 1
#define BINOMIAL_KIND 2
#define BINOMIAL_KEY 3
#define BINOMIAL_QUANTILE_PAR 7
#define BINOMIAL_PMF_LOG 0
#define BINOMIAL_PMF_STRICT 1 /* is x whole within 1e-9, as in R from 4.4 on, or 1e-7? */
#define BINOMIAL_PMF_KIND 2

#endif
