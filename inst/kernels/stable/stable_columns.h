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
/* the log density and its derivatives: out of slopes */
enum {
  SLOPE_LOG_F, SLOPE_A, SLOPE_B, SLOPE_Z,
  SLOPE_AA, SLOPE_AB, SLOPE_AZ, SLOPE_BB, SLOPE_BZ, SLOPE_ZZ,
  SLOPES
};
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

/* ---- sums over observations that stay on a device (stable_sums.cl) ---- */

/* set_in and in; of a regression the coefficients follow in set_in */
enum { SET_GAMMA = STABLE_SET_COLUMNS, SET_DELTA, OBSERVED_SET_COLUMNS };
enum { IN_WEIGHT = STABLE_COLUMNS, OBSERVED_COLUMNS };
/* par: places of observations, in segments of so many, each summed up to so many numbers; do derivatives that are not
 * finite count as 0? The columns of a regression. */
enum { SUMS_PLACES, SUMS_SEGMENT, SUMS_NUMBERS, SUMS_CAREFUL, SUMS_COLUMNS, SUMS_PAR };
/* A segment's sums are taken by so many items, each of which has every SUMS_ITEMS-th observation. */
enum { SUMS_ITEMS = 512 };

/* Sums of the log density, of its derivatives in alpha, beta and z and of the products that those with respect to
 * log(gamma) and delta/gamma take, z = (x - delta)/gamma; then of products of two scores in log(alpha), log(beta),
 * log(gamma) and delta/gamma. */
enum {
  S_LOG_F, S_A, S_B, S_Z, S_ZZ1, S_AA, S_AB, S_AZ, S_AZ1, S_BB, S_BZ, S_BZ1, S_Z2, S_Z21, S_Z22,
  S_PRODUCTS, SLOPE_SUMS = S_PRODUCTS + 10
};
/* ... for each column of a regression, times it, and for each two columns, times both */
enum { C_Z, C_AZ, C_BZ, C_Z1, C_ZZ, C_SCORES, COLUMN_SUMS = C_SCORES + 4, PAIR_SUMS = 2 };
/* The numbers of a segment: of slopes first the count of points without derivatives, which the host sees to, and
 * places of the first few in the segment; of likelihoods one sum. work has the same for each item, and one place. */
enum { UNKNOWN_PLACES = 6, SLOPE_FIRST = 1 + UNKNOWN_PLACES, UNKNOWN_WORK = 2 };

#endif
