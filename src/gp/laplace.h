/* laplace.h: linear algebra of Laplace's approximation without fill. The prior precision of n locations in the order
 * of Vecchia's approximation is Q = B' inv(D) B, where row k of B has 1 in place k and minus the weights of the
 * neighbours of location k, all before it, and D has the variances of locations given their neighbours; responses add
 * W, a diagonal matrix, and what is needed is of A = Q + W.
 *
 * The factor V is lower triangular with the pattern of B, and V' V = A on that pattern: locations are eliminated from
 * the last one to the first, and what would come between two that are not neighbours is dropped. Without W that is
 * exact, V = inv(sqrt(D)) B, so that only the change by W is approximated (Schaefer, Katzfuss and Owhadi 2021, SIAM
 * Journal on Scientific Computing 43, A2019-A2046, their section on additive noise); with all locations before it as
 * neighbours of each it is exact, too. inv(V' V) is the preconditioner of conjugate gradients, log det(V' V) stands
 * for log det(A), and its derivative by A on the pattern, G, for the elements of inv(A) there.
 *
 * Results do not depend on the number of threads; long work polls (engine/backend.h). Matrices are by columns. */
#ifndef STATCL_LAPLACE_H
#define STATCL_LAPLACE_H

#include "engine/errors.h"
#include "gp/laplace_system.h"

/* start: n + 1 numbers; near and from: as many as members has positive ones. members: m x n, as in gp/vecchia.h with
 * first = 0. from: the row of members that a neighbour was in. */
void laplace_sort(int64_t n, int m, const int32_t *members, int32_t *start, int32_t *near, int32_t *from);

/* The prior of a pattern that has all locations before each, or all of its replicate, from the n x n covariance
 * matrix s, which becomes its inverse factor: O(n^3) where that of the neighbours of each location takes O(n^4). bad:
 * the first location whose variance given those before is not positive, or -1. */
status laplace_dense_prior(const laplace_pattern *at, double *s, double *variance, double *weights, int64_t *bad);

/* replaced: of how many pivots W_k + 1/d_k took the place, as they were below 1e-3 W_k. Rounding alone does not bring
 * them there; none was met in any trial. */
status laplace_factorise(const laplace_system *a, double *diagonal, double *below, int64_t *replaced);
double laplace_log_det(int64_t n, const double *diagonal); /* of V' V */
/* G: its diagonal is that of the derivative by A, and `below` half of it, as A has each of these elements twice. */
status laplace_inverse(const laplace_pattern *at, laplace_factor v, double *diagonal, double *below);

/* A x, for n x columns matrices. */
status laplace_product(const laplace_system *a, int64_t columns, const double *x, double *out);
/* inv(V) x, or inv(V') x, in the place of x. */
status laplace_triangular(const laplace_pattern *at, laplace_factor v, int transposed, int64_t columns, double *x);
/* inv(A) b by conjugate gradients, until r' inv(V' V) r has fallen by tolerance^2, in at most so many steps: of the
 * column that took most, `steps`; more than `most` where one of them has not come there. */
status laplace_solve(const laplace_system *a, laplace_factor v, int64_t columns, const double *b, double tolerance,
                     int most, double *x, int *steps);

/* c' inv(V' V) c for the columns of the m x count matrix c, whose elements are those of the locations in the same
 * places of `near`, from 1 on; what is not positive ends a column. Elements of inv(V') c that are less than `drop` of
 * the root of the sum of squares so far are left out, with what would follow from them alone. Columns in a row should
 * be near to each other in space. */
status laplace_forms(const laplace_pattern *at, laplace_factor v, int m, int64_t count, const int32_t *near,
                     const double *c, double drop, double *out);

/* log det(A) - log det(V' V), as the mean of z' log(M) z over probes z of +1 and -1, at most LAPLACE_PROBES, with M =
 * inv(V') A inv(V), by Lanczos' method (Ubaru, Chen and Saad 2017, SIAM Journal on Matrix Analysis and Applications
 * 38, 1075-1099); error: its standard error. M is so near to the identity that after three steps no third decimal
 * changes. The probes are always the same. */
#define LAPLACE_PROBES 128
status laplace_correction(const laplace_system *a, laplace_factor v, int probes, double *value, double *error);

/* Derivatives by a parameter by which the variances and weights of a have these: the sum of the products of G and
 * dQ, and dQ x for n x columns matrices. */
status laplace_trace(const laplace_system *a, laplace_system slope, laplace_factor g, double *trace);
status laplace_moved(const laplace_system *a, laplace_system slope, int64_t columns, const double *x, double *out);

#endif
