/* sequence_limit.h: limits of sequences that converge like sums of powers. */
#ifndef STATCL_SEQUENCE_LIMIT_H
#define STATCL_SEQUENCE_LIMIT_H

enum { LIMIT_TERMS = 40 };

/* The limit of s[0], ..., s[n - 1], 1 <= n <= LIMIT_TERMS, by the epsilon algorithm, and how far it is from its
 * neighbour in the table; infinitely far where there is none. */
double sequence_limit(const double *s, int n, double *error);

/* The first term of those at the end whose steps all shrink. Where they grew before, as they do next to a peak that
 * was not resolved yet, the algorithm would find what that growth began with. */
int sequence_start(const double *s, int n);

/* The error of a limit that is off by so much from others: these agree better than they are right, the slower the
 * sequence converges, and the slower the ratio of its steps becomes constant, which takes as many rounds as there
 * are where there are logarithms. rounding, that of the terms, changes that ratio, too. Infinite where steps do not
 * shrink by nearly the same ratio: a jump, or a singularity in a place that halving does not come back to, makes
 * them irregular, and agreement of limits an accident. */
double sequence_error(const double *s, int n, double off, double rounding);

#endif
