/* covariance.h: the host side of covariances: what is wanted of a model at distances, or among locations. */
#ifndef STATCL_COVARIANCE_H
#define STATCL_COVARIANCE_H

#include "covariance/cov_model.h"
#include "engine/backend.h"

/* Column j of what is wanted at n distances to out[j]. At 0 exactly the variance, or 0; NaN below 0. */
status cov_values(const cov_model *m, enum cov_route route, int64_t n, column r, double *const *out);

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

/* All entries of the n x m matrix of locations a (n x dim, column-major) and b, or of the lower triangle, in whole
 * tiles, of the symmetric matrix of a where b is NULL. */
status cov_tiles(const cov_model *m, const cov_metric *metric, enum cov_route route, int64_t n, const double *a,
                 int64_t columns, const double *b, cov_consumer *to);
/* Pieces that cov_tiles() will hand over. */
int64_t cov_pieces(int64_t n, int64_t columns, int symmetric);

/* To R's matrices, out[j] for column j. */
status cov_matrices(const cov_model *m, const cov_metric *metric, enum cov_route route, int64_t n, const double *a,
                    int64_t columns, const double *b, double *const *out);

/* Sum over all i and k of weight (i, k) times entry (i, k) of the symmetric matrix, for each column of what is
 * wanted: what a gradient of a likelihood takes, without a matrix of derivatives. weight is symmetric, as
 * cov_packed() has it. */
status cov_contract(const cov_model *m, const cov_metric *metric, enum cov_route route, int64_t n, const double *a,
                    const double *weight, double *sum);

/* Each column of what is wanted of the symmetric matrix, as a matrix, times n x vectors numbers: that of column k and
 * vector j to out + (k vectors + j) n. Takes n^2/COV_TILE numbers of memory for each of these products. */
status cov_slopes(const cov_model *m, const cov_metric *metric, enum cov_route route, int64_t n, const double *a,
                  int vectors, const double *vector, double *out);

/* The n x m matrix of covariances of locations a and b (a again where that is NULL) times vectors of m elements,
 * column by column in out: what kriging takes, without the matrix. */
status cov_product(const cov_model *m, const cov_metric *metric, enum cov_route route, int64_t n, const double *a,
                   int64_t columns, const double *b, int vectors, const double *vector, double *out);

/* The lower triangle of the symmetric matrix in tiles of COV_TILE x COV_TILE, each by columns: those of the first
 * column of tiles from the diagonal down, then the second. Tiles on the diagonal are whole; what is beyond the matrix
 * is 0, and 1 on the diagonal. diagonal: n numbers that are added to that of the first column of what is wanted,
 * nugget and known variances of errors, or NULL. */
status cov_packed(const cov_model *m, const cov_metric *metric, enum cov_route route, int64_t n, const double *a,
                  const double *diagonal, double *const *out);
int64_t cov_packed_size(int64_t n);

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
