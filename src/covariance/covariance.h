/* covariance.h: the host side of covariances: what is wanted of a model at distances, or among locations. Other rooms
 * include this header alone. */
#ifndef STATCL_COVARIANCE_H
#define STATCL_COVARIANCE_H

#include "covariance/cov_model.h"
#include "engine/backend.h"
#include "engine/resident.h"

/* Column j of what is wanted at n distances to out[j]. At 0 exactly the variance, or 0; NaN below 0. */
status cov_values(const cov_model *m, enum cov_route route, int64_t n, column r, double *const *out);

/* Covariances among n locations a (n x dim, column-major, behind them times where the metric has them), or between
 * them and m others, b, unless that is NULL. What follows route cov_measure() finds. */
typedef struct {
  cov_metric metric;
  int64_t n, m;
  const double *a, *b;
  enum cov_route route;
  int single;
  int exponent;       /* kernels take coordinates as multiples of 2^exponent: squares of differences stay in range */
  double *half;       /* half the sides of the box around all locations, in that unit */
  double longest_lag; /* of the times */
  int tables_serve_all; /* are tables to have what derivatives need, too? */
} cov_space;

/* single: are coordinates to serve single precision? */
status cov_measure(cov_space *s, int single);
void cov_space_free(cov_space *s);
/* Columns of locations as the kernels want them, and locations first, ..., first + n - 1, those of b after those of
 * a, as such columns stride apart; what fills the last tile repeats the last location. */
int cov_coordinates(const cov_metric *metric);
void cov_lay_out_locations(const cov_space *s, int64_t first, int64_t n, double *to, int64_t stride);

/* A plan: how what is wanted of a model comes among measured locations, for tasks of who has kernels of his own. It
 * holds its tables, and the CPU where single precision does not serve. work: distances to be evaluated, as many as
 * cost time. nearest: about the least positive distance, in the unit of coordinates, or 0; tables begin there, or
 * `octaves` below the largest, and `lower` octaves lower. */
typedef struct cov_plan cov_plan;
status cov_plan_make(const cov_model *m, const cov_space *s, double work, double nearest, int octaves, int lower,
                     cov_plan **made);
void cov_plan_free(cov_plan *p);
/* Are there parts without tables or closed forms? Then kernels give no values. */
int cov_plan_is_direct(const cov_plan *p);

/* par of a task by inst/kernels/covariance/covariance_par.h; the caller frees memory. */
typedef struct {
  double *memory, *par;
  int32_t n;
} cov_par;
/* With room for `more` numbers from position *at on, on a line of memory. */
status cov_plan_par(const cov_plan *p, int64_t more, int64_t *at, cov_par *to);
/* Which functions the derivatives (what is wanted behind the first) of a model of one part take, as bits NEED_ of
 * covariance_par.h; -1 where there are some of maps, and for other models. */
int cov_slopes_need(const cov_model *m);

/* Some columns of a tile of a matrix: its lower left entry is (row, column) of the matrix; values[j] has those of
 * column j of what is wanted, COV_TILE rows by COV_TILE rows, of which the first rows x columns are in the matrix.
 * mirrored: the entries above the diagonal, which are the same, do not come by themselves. first: number of the first
 * entry, a multiple of COV_PIECE, different for each piece. Called by several threads at once. */
enum { COV_TILE = 64, COV_PIECE_COLUMNS = 8, COV_PIECE = COV_TILE * COV_PIECE_COLUMNS };
typedef struct {
  int64_t row, column, rows, columns, first;
  int mirrored;
  const double *const *values;
} cov_piece;
typedef struct cov_consumer cov_consumer;
struct cov_consumer {
  void (*take)(cov_consumer *to, const cov_piece *piece);
  int whole; /* the pieces of a tile come one after the other, from one thread? */
};

/* All entries of the n x m matrix, or of the lower triangle, in whole tiles, of the symmetric one. */
status cov_tiles(const cov_model *m, const cov_space *s, cov_consumer *to);

/* To R's matrices, out[j] for column j. */
status cov_matrices(const cov_model *m, const cov_space *s, double *const *out);

/* Sum over all i and k of weight (i, k) times entry (i, k) of the symmetric matrix, for each column of what is
 * wanted: what a gradient of a likelihood takes, without a matrix of derivatives. weight is symmetric, as
 * cov_packed() has it. */
status cov_contract(const cov_model *m, const cov_space *s, const double *weight, double *sum);

/* Each column of what is wanted of the symmetric matrix, as a matrix, times n x vectors numbers: that of column k and
 * vector j to out + (k vectors + j) n. Takes n^2/COV_TILE numbers of memory for each of these products. */
status cov_slopes(const cov_model *m, const cov_space *s, int vectors, const double *vector, double *out);

/* The n x m matrix of covariances times vectors of m elements, column by column in out: what kriging takes, without
 * the matrix. */
status cov_product(const cov_model *m, const cov_space *s, int vectors, const double *vector, double *out);

/* The lower triangle of the symmetric matrix in tiles of COV_TILE x COV_TILE, each by columns: those of the first
 * column of tiles from the diagonal down, then the second. Tiles on the diagonal are whole; what is beyond the matrix
 * is 0, and 1 on the diagonal. diagonal: n numbers that are added to that of the first column of what is wanted,
 * nugget and known variances of errors, or NULL. */
status cov_packed(const cov_model *m, const cov_space *s, const double *diagonal, double *const *out);
int64_t cov_packed_size(int64_t n);

/* Tiles on a device, those of one column of tiles after the other: entries of what is wanted to columns `apart`
 * numbers apart of a block, from number `at` of each on. Of the symmetric matrix it is one column, from the diagonal
 * down, as cov_packed() has it; of n x m there are `count`, whole ones. *made: NULL where that takes more than one
 * pass of kernels. Beyond the matrix is anything, and NaN where a table does not reach. */
typedef struct cov_filler cov_filler;
status cov_filler_open(const cov_model *m, const cov_space *s, cov_filler **made);
status cov_filler_columns(void *filler, resident *r, int64_t first, int64_t count, int which, int64_t at,
                          int64_t apart);
void cov_filler_close(cov_filler *f);

/* K_nu(x), or exp(x) K_nu(x), of one order at n points, as cov_values(). */
status cov_bessel_k(double nu, int scaled, enum cov_route route, int64_t n, column x, double *out);

/* The largest table that the last call used: largest difference from direct values at points between the nodes, in
 * DBL_EPSILON, and cells; 0 cells: none did. */
typedef struct {
  double error;
  int64_t cells;
} cov_report;
cov_report cov_last_table(void);

#endif
