/* poisson_par.h: columns, lists and the constants of a call, shared by kernels and host. */
#ifndef STATCL_POISSON_PAR_H
#define STATCL_POISSON_PAR_H

/* in: x, q, p or nothing, and lambda */
enum { POISSON_GIVEN, POISSON_LAMBDA, POISSON_COLUMNS };
/* work: the tail, and where to begin: START_AT(m), m or m - 1 is the quantile; START_ESTIMATE; or START_SEARCH(k),
 * from k on. START_FOUND goes to no list. */
#define START_FOUND INF_
#define START_ESTIMATE K(0)
#define START_AT(m) max_(m, K(1))
#define START_SEARCH(k) (K(-1) - (k))
#define START_SEARCH_OF(start) (K(-1) - (start))
enum { WORK_TAIL, WORK_START, POISSON_WORK_COLUMNS };
/* points left to poisson_exact, to poisson_far, those of random numbers left to poisson_sums and poisson_estimate,
 * and what poisson_exact leaves to poisson_refine */
enum {
  POISSON_LIST_HARD, POISSON_LIST_FAR, POISSON_LIST_SUMS, POISSON_LIST_ESTIMATE, POISSON_LIST_REFINE, POISSON_LISTS
};

/* quantiles and draws */
#define POISSON_UPPER 0 /* is p an upper tail? */
#define POISSON_LOG 1   /* is it a logarithm? */
#define POISSON_KEY 2   /* key of the random numbers, four times 16 bits */
#define POISSON_ROUTE 6

/* Below this lambda the quantile is found by adding probabilities. */
#define POISSON_SUMS_DOUBLE 8.0
#define POISSON_SUMS_SINGLE 16.0

#define POISSON_GENERAL 0 /* any lambda */
/* One lambda from that to POISSON_MOST: the estimate is POISSON_WHOLE + floor(g(s)), s = w POISSON_BY_ROOT, g a
 * polynomial; POISSON_DELTA: what g may be wrong by. */
#define POISSON_POLYNOMIAL 1
#define POISSON_MOST 4503599627370496.0
#define POISSON_WHOLE 7
#define POISSON_BY_ROOT 8
#define POISSON_DELTA 9
/* the estimate's own error, see quantile_shift_(), and that of its rounding */
#define POISSON_WRONG_BY(root, by_lambda) (K(3e-6) + K(0.2) * (by_lambda) * (by_lambda) + K(4e-15) * (root))
#define POISSON_TERMS 10
#define POISSON_N_TERMS 11
/* One lambda below POISSON_CUTS_END: the values P(N <= k) below 1/2, then -P(N > k) for the k that follow; in double
 * precision raised by POISSON_CUT_RAISED of them, so that a p beyond one is beyond the jump, and one below it by
 * POISSON_CUT_NEAR is below that. */
#define POISSON_CUT_RAISED 4e-15
#define POISSON_CUT_NEAR K(1e-14)
#define POISSON_CUTS 2
#define POISSON_CUTS_END 24.0
#define POISSON_N_LOWER 7
#define POISSON_N_UPPER 8
#define POISSON_FIRST_CUT 9
#define POISSON_MOST_CUTS 80
#define POISSON_QUANTILE_PAR (POISSON_FIRST_CUT + POISSON_MOST_CUTS)

/* densities: the options of dpoisgpu(); strict: x is whole within 1e-9, as in R from 4.4 on, and not 1e-7 */
#define POISSON_PMF_LOG 0
#define POISSON_PMF_STRICT 1

/* tails: points whose sums have few terms and many, and the options of ppoisgpu() */
enum { POISSON_LIST_FEW, POISSON_LIST_MANY, POISSON_TAIL_LISTS };
#define POISSON_CDF_LOWER 0
#define POISSON_CDF_LOG 1

#endif
