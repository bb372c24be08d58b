/* sequence_limit.h: limits of sequences that converge like sums of powers. */
#ifndef STATCL_SEQUENCE_LIMIT_H
#define STATCL_SEQUENCE_LIMIT_H

enum { LIMIT_TERMS = 40 };

/* The limit of s[0], ..., s[n - 1], 1 <= n <= LIMIT_TERMS, by the epsilon algorithm, and how far it is from its
 * neighbour in the table; infinitely far where there is none. */
double sequence_limit(const double *s, int n, double *error);

/* Do the steps of the sequence shrink by nearly the same factor? A jump, or a singularity in a place that halving
 * does not come back to, makes them irregular, and agreement of limits an accident. */
int sequence_is_regular(const double *s, int n, double *factor);

#endif
