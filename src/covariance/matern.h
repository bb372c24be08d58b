/* matern.h: the host side of Matern covariances. */
#ifndef STATCL_MATERN_H
#define STATCL_MATERN_H

#include "covariance/matern_model.h"
#include "engine/backend.h"

/* Covariances without nugget, or derivatives, at n distances. At 0 exactly the variance, or 0; NaN below 0. */
status matern_values(const matern_model *model, enum matern_route route, int64_t n, column r, double *out);

/* a: n x dim coordinates, column-major. b NULL: the symmetric n x n matrix, of covariances with the nugget on the
 * diagonal; else n x m, for the m locations b, without nugget. */
status matern_matrix(const matern_model *model, const matern_metric *metric, enum matern_route route, int64_t n,
                     const double *a, int64_t m, const double *b, double *out);

/* K_nu(x), or exp(x) K_nu(x), of one order at n points, as above. */
status matern_bessel_k(double nu, int scaled, enum matern_route route, int64_t n, column x, double *out);

/* The table that served last: relative error found at points between the nodes (in it the errors of the direct
 * values that it was compared with), cells; 0 cells: none did. */
typedef struct {
  double error;
  int64_t cells;
} matern_report;
matern_report matern_last_table(void);

#endif
