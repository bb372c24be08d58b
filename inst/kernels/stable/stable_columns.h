/* stable_columns.h: the columns of the kernels of the stable distributions, and their lists; each enum ends with
 * their count. The kernels of joint values have more columns than those of densities, and so have those of
 * derivatives (SLOPE). */
#ifndef STATCL_STABLE_COLUMNS_H
#define STATCL_STABLE_COLUMNS_H

/* set_in; the mode is that of the S0 distribution, where pm is 2, else 0 */
enum { SET_ALPHA, SET_BETA, SET_PM, SET_MODE, STABLE_SET_COLUMNS };
/* in, and that of random numbers */
enum { IN_X, IN_GAMMA, IN_DELTA, STABLE_COLUMNS };
enum { DRAW_GAMMA, DRAW_DELTA, DRAW_COLUMNS };
/* out of joint values: the density, both tails, and the estimated relative error of each */
enum { JOINT_VALUES = 3, JOINT_COLUMNS = 2 * JOINT_VALUES };
/* parts of the derivatives: a, b, z, aa, ab, az, bb, bz, zz (stable_slope.h) */
enum { SLOPE_PARTS = 9 };

/* set_work */
enum {
  DISTRIBUTION_T, DISTRIBUTION_T_LOW, DISTRIBUTION_LOG_A, DISTRIBUTION_L, DISTRIBUTION_R, DISTRIBUTION_DELTA,
  DISTRIBUTION_DELTA_MIRROR, STABLE_DISTRIBUTION_COLUMNS,
  DISTRIBUTION_POLE = STABLE_DISTRIBUTION_COLUMNS, SLOPE_DISTRIBUTION_COLUMNS /* tan(pi alpha/2) */
};
enum {
  DISTRIBUTION_AM1, DISTRIBUTION_POWER, DISTRIBUTION_TAN_H, DISTRIBUTION_SEC_H, DISTRIBUTION_H, DISTRIBUTION_ANGLE,
  DISTRIBUTION_A,
  DISTRIBUTION_UNIT, /* scale of S0 per unit of gamma; NaN for an invalid set */
  DISTRIBUTION_TURN, /* location at alpha = 1, pm = 1, per log(gamma) */
  DRAW_DISTRIBUTION_COLUMNS
};

/* work */
enum {
  POINT_X, POINT_Y, POINT_LOG_Y, POINT_SIDE, POINT_LOG_F, STABLE_POINT_COLUMNS,
  POINT_LOG_UPPER = STABLE_POINT_COLUMNS, POINT_LOG_LOWER, /* of the oriented distribution */
  POINT_ERROR, POINT_ERROR_SMALL, /* estimated relative error of the density, and of the smaller tail */
  JOINT_POINT_COLUMNS,
  POINT_FORM = STABLE_POINT_COLUMNS, /* what gave the derivatives, */
  POINT_SLOPE,                       /* and these */
  SLOPE_POINT_COLUMNS = POINT_SLOPE + SLOPE_PARTS
};

/* Lists of points, by the form that evaluates them. */
enum {
  LIST_SERIES, LIST_RAY, LIST_RAY_NEAR1, LIST_LIGHT, LIST_ANGLE, LIST_RAY_FINE, LIST_RAY_NEAR1_FINE,
  STABLE_LISTS,
  LIST_RAY_CLOSE = STABLE_LISTS, LIST_RAY_FINEST, LIST_RAY_NEAR1_FINEST, LIST_RAY_CLOSE_FINEST, SLOPE_LISTS
};

#endif
