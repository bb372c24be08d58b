/* matern_model.h: what a Matern covariance is: parameters, distances, and how values come. */
#ifndef STATCL_MATERN_MODEL_H
#define STATCL_MATERN_MODEL_H

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

#endif
