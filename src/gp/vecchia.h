/* vecchia.h: Vecchia's approximation: each location given at most m of those before it, its neighbours
 * (inst/kernels/gp/vecchia.cl). Knows neither the order of locations nor how neighbours are found. */
#ifndef STATCL_VECCHIA_H
#define STATCL_VECCHIA_H

#include "covariance/covariance.h"

/* Locations with their members and data, which devices keep from call to call. */
typedef struct vecchia vecchia;

/* Column i of members, `rows` numbers, has the neighbours of location first + i among the n locations, counted from
 * 1, or what is not positive where there are fewer; the last n - first locations are those of which something is
 * asked. With own > 0 the last `own` rows of a column are a block of locations instead, each given those above it,
 * which `first` is 0 for and vecchia_sums() alone serves. error: n variances, or NULL. data: n x columns. nearest:
 * about the least positive distance between members, in the unit of the coordinates or, on a sphere, of its radius,
 * or 0. */
typedef struct {
  int64_t n, first, count; /* locations, and columns of members */
  int rows, own;
  const int32_t *members;
} vecchia_sets;
status vecchia_make(const cov_space *at, const double *error, int columns, const double *data,
                    const vecchia_sets *sets, double nearest, vecchia **made);
void vecchia_free(vecchia *v);
int64_t vecchia_asked(const vecchia *v);
/* Columns of results of vecchia_rows(), or of vecchia_predict(). */
int vecchia_columns(const vecchia *v, int rows);

/* The first of what is wanted is the covariance; of the derivatives, COV_NOTHING is that for a nugget. */
typedef struct {
  const cov_model *model;
  double nugget;
} vecchia_model;

/* The sums of VECCHIA_SUMS() in vecchia_par.h over all locations, added up in an order that depends on nothing but
 * their number. bad: the first column of members of which a location's variance given those before is not positive,
 * or -1; then the sums mean nothing. */
status vecchia_sums(const vecchia *v, const vecchia_model *m, double *sums, int64_t *bad);
int vecchia_sums_size(const vecchia *v, const cov_model *m);

/* The same for those who have some of the parts in which locations are: sums of each, in a row, which
 * vecchia_add() makes those of all. While the total at VECCHIA_LOG is NaN, the next attempt = 0, 1, ... is needed, of
 * all parts. */
int64_t vecchia_parts(const vecchia *v);
status vecchia_part_sums(const vecchia *v, const vecchia_model *m, int attempt, double *parts, int64_t *bad);
void vecchia_add(int64_t parts, int size, const double *sums, double *total);

/* Some of the parts with what they need of the problem, for vecchia_restore() in another process. vecchia_cut() finds
 * the lengths, and fills what there are places for. */
typedef struct {
  int64_t n_state, n_records, n_whole, n_turn;
  double *state, *records;
  int32_t *whole, *turn;
} vecchia_part;
status vecchia_cut(const vecchia *v, int64_t first, int64_t parts, vecchia_part *cut);
status vecchia_restore(const vecchia_part *cut, vecchia **made);

/* Of each location its variance given its neighbours, and what they predict of each column of data: columns of
 * results. -Inf where the covariance matrix of the neighbours is not positive definite. */
status vecchia_predict(const vecchia *v, const vecchia_model *m, double *const *out);
/* Of each location its variance given its neighbours, and their m weights in its prediction. */
status vecchia_rows(const vecchia *v, const vecchia_model *m, double *const *out);
/* The same without room for all rows: weights start[k] ... start[k + 1] - 1 are those of location k for the rows
 * `from` of its column of members. */
status vecchia_rows_in(const vecchia *v, const vecchia_model *m, const int32_t *start, const int32_t *from,
                       double *variance, double *weights);
/* By these rows, values of locations first, first + 1, ... of n from those before, for each column of field, which
 * has standard normal variables in their place. */
void vecchia_fill(int64_t n, int64_t first, int m, const int32_t *neighbours, const double *const *rows, int columns,
                  double *field);

#endif
