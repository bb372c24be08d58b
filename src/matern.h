/* matern.h: the host side of Matern covariances. */
#ifndef STATCL_MATERN_H
#define STATCL_MATERN_H

#include "backend.h"

/* x = r/range, sqrt(2 nu) r/range or sqrt(8 nu) r/range */
enum matern_scaling { SCALE_PLAIN, SCALE_SQRT_2NU, SCALE_SQRT_8NU };
#define MATERN_SCALINGS "plain", "sqrt2nu", "sqrt8nu"
enum matern_deriv { DERIV_NONE, DERIV_RANGE, DERIV_SMOOTHNESS };
#define MATERN_DERIVS "none", "range", "smoothness"

typedef struct {
  double smoothness, range, variance, nugget;
  enum matern_scaling scaling;
  enum matern_deriv deriv; /* of the covariance, at a fixed value of the other parameters */
  int single;              /* compute in float, but for numbers beyond its range */
} matern_model;

/* Distances; the last two take longitude and latitude in degrees and a sphere's radius. transform: dim x dim by rows,
 * applied to the differences of Cartesian coordinates, or NULL. */
enum matern_metric_kind { METRIC_EUCLIDEAN, METRIC_CHORDAL, METRIC_GREAT_CIRCLE };
#define MATERN_METRICS "euclidean", "chordal", "greatcircle"
typedef struct {
  enum matern_metric_kind kind;
  int dim;
  const double *transform;
  double radius;
} matern_metric;

/* By size: in closed form where there is one, from a table where that pays. */
enum matern_route { MATERN_BY_SIZE, MATERN_DIRECTLY, MATERN_BY_TABLE };
#define MATERN_ROUTES "size", "direct", "table"

/* Covariances without nugget, or derivatives, at n distances. At 0 exactly the variance, or 0; NaN below 0. */
status matern_values(const matern_model *model, enum matern_route route, int64_t n, column r, double *out);

/* a: n x dim coordinates, column-major. b NULL: the symmetric n x n matrix, of covariances with the nugget on the
 * diagonal; else n x m, for the m places b, without nugget. */
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
/* Forgets the tables: their values are those of the devices that made them. */
void matern_tables_drop(void);

#endif
