/* cov_model.h: what a covariance is: a sum of parts, each a correlation function of scaled distance; how distances
 * are measured; what is wanted of them. */
#ifndef STATCL_COV_MODEL_H
#define STATCL_COV_MODEL_H

#include "covariance/cov_source.h"
#include "kernels/covariance/covariance_par.h"

/* Correlation functions F(x) of x = distance times scale over range: by tables, as polynomials up to the range, by
 * functions of inst/kernels/covariance/covariance.h, and by tables of functions in R. COV_MATERN of half-integer
 * smoothness has a closed form, too. */
#define COV_LINE(function, name) COV_##function,
enum cov_function { COV_MATERN, COV_WENDLAND, COV_SPHERICAL, COV_CUBIC, COV_PENTA, COV_CIRCULAR,
                    CLOSED_FORMS(COV_LINE) COV_SOURCE };
#undef COV_LINE
#define COV_NAME(function, name) name,
#define COV_FUNCTIONS                                                                                        \
  "matern", "wendland", "spherical", "cubic", "pentaspherical", "circular", CLOSED_FORMS(COV_NAME) "source"

/* The scale of "matern": 1, sqrt(2 nu) or sqrt(8 nu). */
enum cov_scaling { SCALE_PLAIN, SCALE_SQRT_2NU, SCALE_SQRT_8NU };
#define COV_SCALINGS "plain", "sqrt2nu", "sqrt8nu"

/* A part in time is a correlation of the lag, or Gneiting's (covariance_par.h, with beta/2 and the power), and
 * multiplies the part after it, whose variance it has as well. */
enum cov_role { COV_IN_SPACE, COV_IN_TIME, COV_GNEITING };
#define COV_ROLES "space", "time", "gneiting"

typedef struct {
  enum cov_function function;
  enum cov_role role;
  double shrink, power;
  int dim; /* of COV_GNEITING */
  enum cov_scaling scaling;
  double shape, range, variance; /* shape: smoothness, exponent, as the family has it */
  cov_source source;             /* of those without a closed form */
  const double *map;             /* dim x dim by rows, applied to differences of Cartesian coordinates, or NULL */
} cov_part;

/* What is wanted as a column: the covariance; its derivative for a part's variance, range or shape, at fixed values
 * of all other parameters; or its derivative for a number on which the part's map depends, `map` being that of the
 * map; or zeros (COV_NOTHING). The covariance alone can be that of the sum of all parts, with part -1. */
enum cov_what { COV_VALUE, COV_VARIANCE, COV_RANGE, COV_SHAPE, COV_MAP, COV_NOTHING, COV_INTERACTION };
#define COV_WHATS "none", "variance", "range", "shape", "map", "nothing", "interaction"
typedef struct {
  enum cov_what what;
  int part;
  const double *map;
} cov_want;

typedef struct {
  int n_parts, n_wants, single; /* single: compute in float, but for numbers beyond its range */
  const cov_part *part;
  const cov_want *want;
} cov_model;

/* Distances; the last two take longitude and latitude in degrees and a sphere's radius. */
enum cov_metric_kind { METRIC_EUCLIDEAN, METRIC_CHORDAL, METRIC_GREAT_CIRCLE };
#define COV_METRICS "euclidean", "chordal", "greatcircle"
typedef struct {
  enum cov_metric_kind kind;
  int dim, time; /* dimension of space; is there a column of times after its coordinates? */
  double radius;
} cov_metric;

/* By size: in closed form where there is one, from a table where that pays. */
enum cov_route { COV_BY_SIZE, COV_DIRECTLY, COV_BY_TABLE };
#define COV_ROUTES "size", "direct", "table"

#endif
