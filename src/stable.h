/* stable.h: the host side of the stable laws. Columns are recycled; results have length n. Invalid parameters give
 * NaN at their places. pm is Nolan's parameterisation 0, 1 or 2 (2: location at the mode, scale alpha^(-1/alpha)). */
#ifndef STATCL_STABLE_HOST_H
#define STATCL_STABLE_HOST_H

#include "backend.h"

typedef struct {
  column alpha, beta, gamma, delta, pm;
} stable_parameters;

/* (log) density at x. run consecutive points share an element of alpha, beta and pm (1: they vary with x);
 * gamma and delta always go with x. */
status stable_density(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *out);

/* (log) P(X <= x), or P(X > x) where lower is 0. */
status stable_tail(int64_t n, int64_t run, column x, stable_parameters p, int lower, int give_log, double *out);

/* (log) density, lower and upper tail in one pass; error, unless NULL: estimated relative errors of the three. */
status stable_joint(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *const out[3],
                    double *const error[3]);

/* Quantiles of the (log) probabilities prob. */
status stable_quantile(int64_t n, column prob, stable_parameters p, int lower_tail, int log_p, double *out);

/* Is the law described by log |y|, y counted from zeta? Else by x: for quantiles by asinh(x). */
int stable_by_zeta(double alpha);

/* The same of the standard S0 law as log |y| or asinh(x), from the logs of both tail probabilities. */
status stable_quantile_unknown(int64_t n, double alpha, double beta, const double *log_lower, const double *log_upper,
                               double *s);

/* What stable_by_table() gives. */
enum { TABLE_OF_DENSITY, TABLE_OF_LOWER, TABLE_OF_UPPER, TABLE_OF_LOWER_QUANTILE, TABLE_OF_UPPER_QUANTILE };

/* Densities, tails and quantiles, like the functions above, from a table of the law that is built at need and kept;
 * alpha, beta and pm have length 1. Where the table does not reach, from those functions. */
status stable_by_table(int what, int64_t n, column x, stable_parameters p, int logs, double *out);

/* Does a table pay for n points? The answer depends on the arguments alone, so that results do, too. */
int stable_table_pays(int64_t n, stable_parameters p);

void stable_tables_drop(void);

/* Modes of the S0 laws with scale 1 and location 0 of the sets whose pm is 2, 0 for the others: a column over sets,
 * whose memory the caller frees. */
status stable_modes(int64_t n_sets, stable_parameters p, double **memory, column *mode);

/* Modes of the laws as they are parameterised: those of S0 moved, scaled and counted as pm says. */
status stable_mode(int64_t n, stable_parameters p, double *out);

/* tan(pi alpha/2); 0 at alpha = 1, where there is no S1 location. */
double stable_tangent(double alpha);

/* Draws number 0, 1, ..., n - 1 of the stream that key names. */
status stable_random(int64_t n, stable_parameters p, const uint32_t key[2], double *out);

#endif
