/* interpolation.h: what tables of values share: Chebyshev sums through values, and which tables are kept. */
#ifndef STATCL_INTERPOLATION_H
#define STATCL_INTERPOLATION_H

enum { MOST_NODES = 32, TABLES_KEPT = 8, KEY_NUMBERS = 6 };

/* T_k(cos(pi (j + 1/2)/n)) in row k < n and column j < n. */
typedef struct {
  int n;
  double cosine[MOST_NODES][MOST_NODES];
} chebyshev_rule;

/* Made at its first use; whoever has the rule is its only user. */
void chebyshev_prepare(chebyshev_rule *rule, int n);
/* The n nodes in so few bits that positions by them in cells of few bits are exact, and T_k there. */
void chebyshev_rounded(int n, double *node, double (*at)[MOST_NODES]);
/* The n terms of the sum through n values, by discrete orthogonality. As differences from one value, lest the sums
 * lose what the differences have. at: T_k where the values were really taken, next to the nodes: what the sum misses
 * there is expanded again. NULL: at the nodes. */
void chebyshev_terms(const chebyshev_rule *rule, double (*at)[MOST_NODES], const double *value, double *term);
/* The sum at x from -1 to 1, by Clenshaw's recurrence. */
double chebyshev_value(int n, const double *term, double x);

/* Which tables are kept, by up to KEY_NUMBERS numbers that say what of; all zero: none. */
typedef struct {
  unsigned uses, used[TABLES_KEPT];
  double key[TABLES_KEPT][KEY_NUMBERS];
} kept_tables;

/* The position of the table of this key, or the one not used for longest, which it takes over; *known: which of
 * the two? */
int kept_position(kept_tables *kept, const double key[KEY_NUMBERS], int *known);

#endif
