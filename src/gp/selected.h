/* selected.h: what is wanted of the inverse of a sparse symmetric matrix, by its supernodal Cholesky factor as
 * CHOLMOD makes it (Davis 2006, Direct Methods for Sparse Linear Systems): the columns super[s] ... super[s + 1] - 1
 * of block s have the rows s[pi[s]] ... s[pi[s + 1] - 1], the first of these being those columns, and their elements
 * are a matrix by columns from x[px[s]] on. All is counted from 0. */
#ifndef STATCL_SELECTED_H
#define STATCL_SELECTED_H

#include <stddef.h>

typedef struct {
  int n, blocks;
  const int *super, *pi, *px, *s;
  const double *x;
} sparse_factor;

/* Of each column the block it is in: n numbers. */
void factor_blocks(const sparse_factor *f, int *block_of);

/* The blocks `from` down to `to` of the inverse, in the places of z that those of the factor have in x, given all
 * later ones: the recursion of Takahashi, Fagan and Chin (1973) by blocks. work: selected_work() doubles; place: n
 * ints. */
void selected_inverse(const sparse_factor *f, const int *block_of, int from, int to, double *z, double *work,
                      int *place);
size_t selected_work(const sparse_factor *f);
/* The element of the inverse in this row and column, or 0 where z does not have it. */
double selected_element(const sparse_factor *f, const int *block_of, const double *z, int row, int column);

/* b' inv(L L') b for a vector b of `count` elements in the rows `at`: only blocks to which these lead are touched.
 * solved: n doubles, marks: an int for each block, all 0, as they are again afterwards. */
double sparse_form(const sparse_factor *f, const int *block_of, int count, const int *at, const double *b,
                   double *solved, int *marks);

#endif
