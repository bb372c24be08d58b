/* dense.h: symmetric positive definite matrices in tiles of DENSE_TILE x DENSE_TILE numbers, the lower triangle as
 * cov_packed() lays it out: tiles by columns of tiles from the diagonal down, each tile by columns, those on the
 * diagonal whole, and beyond the matrix a diagonal of ones. Half the memory of a square matrix. Factorised by columns
 * of tiles, each less the products of the columns before it (left-looking), its tiles spread over threads. Long work
 * polls for interrupts. Sums are in one order, whatever the number of threads. On an OpenCL device in use that has
 * double precision and room (dense_device.h) results are the same but for rounding. */
#ifndef STATCL_DENSE_H
#define STATCL_DENSE_H

#include "engine/backend.h"

int64_t dense_size(int64_t n); /* numbers of a matrix */

/* The factor l of a = l l', in its place. *bad: 0, or the number, from 1, of the row whose pivot is not above 4
 * DBL_EPSILON of its diagonal element: then the matrix is not positive definite to working precision, and what is
 * left of it is of no use. */
status dense_cholesky(int64_t n, double *a, int64_t *bad);
/* log det(l l') */
double dense_log_det(int64_t n, const double *l);
/* inv(l) b, or inv(l') b, in the place of the n x columns matrix b. */
status dense_solve(int64_t n, const double *l, int64_t columns, double *b, int transposed);
/* l b in the place of b. */
status dense_multiply(int64_t n, const double *l, int64_t columns, double *b);
/* With l z = the first `known` rows of the n x columns matrix b, and z beyond these the rest of b: all other rows of
 * l z. */
status dense_draw(int64_t n, const double *l, int64_t known, int64_t columns, const double *b, double *out);
/* inv(l l') in the place of l. */
status dense_inverse(int64_t n, double *l);
/* u u' - a in the place of a, for the n x columns matrix u. */
status dense_outer_less(int64_t n, double *a, int64_t columns, const double *u);
/* The n elements of the diagonal. */
void dense_diagonal(int64_t n, const double *a, double *out);
double dense_trace(int64_t n, const double *a);
/* n numbers are added to the diagonal. */
void dense_add_diagonal(int64_t n, double *a, const double *more);

/* A square matrix by columns, of which what is up to the diagonal counts, as tiles of its transpose: those of a
 * symmetric matrix, or of the lower triangular l of l'. And back; below the diagonal are 0, or with `symmetric` the
 * same numbers. */
void dense_pack(int64_t n, const double *x, double *a);
void dense_unpack(int64_t n, const double *a, int symmetric, double *x);
/* x b' for the n x m matrix x and the columns x m matrix b, by the CPU's tiles. */
status dense_product(int64_t n, int64_t m, int64_t columns, const double *x, const double *b, double *out);

#endif
