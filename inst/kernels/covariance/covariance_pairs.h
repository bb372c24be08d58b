/* covariance_pairs.h: distances between the location of a row in each lane and that of a column, and what is wanted
 * of a model at them. Layout of par: covariance_par.h. Who includes this has said
 *   COLUMN_STEP  0 where all lanes have one column, 1 where each has its own
 *   RESULT_ARGS  where results are, RESULTS them by name, and RESULT(k) for column k of them
 *   COV_PLACES   in which memory these and locations are, unless it is the device's
 * Coordinate k of a row is at row + k * stride, of a column at column + k * apart. */
#ifndef STATCL_COVARIANCE_PAIRS_H
#define STATCL_COVARIANCE_PAIRS_H

#include "kernels/covariance/covariance.h"

#ifndef COV_PLACES
#define COV_PLACES DEV_GLOBAL
#endif
#define OF_COLUMN(k) column[(k) * apart + l * COLUMN_STEP]
#define PAIR_ARGS                                                                                            \
  COV_CONSTANTS const real *par, DEV_GLOBAL const real *tables, COV_PLACES const real *row, i32 stride,       \
      COV_PLACES const real *column, i32 apart, i32 dim, real diameter
#define PAIR par, COV_TABLES, row, stride, column, apart, dim, diameter
#define PAIR_ALONE par, tables, row, stride, column, apart, dim, diameter /* within functions of it */

/* x of distances, to half an ulp: the host gives the scale as a sum of two. */
DEV_FN real cov_scaled_by(real r, real hi, real lo) {
  real e;
  const real p = two_prod(r, hi, &e), sum = p + FMA(r, lo, e);
  return max_(r, p) < LARGE_ ? sum : p; /* two_prod() has its limits, and Inf - Inf is not wanted */
}

DEV_FN void cov_scaled_by_all(real hi, real lo, real divisor, const real *r, real *x) {
  if (divisor != 0) {
    LANE_LOOP(l) x[l] = r[l] / divisor * hi;
    return;
  }
  LANE_LOOP(l) x[l] = cov_scaled_by(r[l], hi, lo);
}
DEV_FN void cov_scaled(COV_CONSTANTS const real *part, const real *r, real *x) {
  cov_scaled_by_all(part[PART_SCALE], part[PART_SCALE_LO], part[PART_DIVISOR], r, x);
}

/* Distances on a sphere, the diameter times halves of chords, or of angles, by the haversine: differences of degrees
 * keep the digits of close points. cos^2 of half an angle is |u + v|^2/4 of the points u and v, which keeps those of
 * antipodes. */
DEV_BLOCK_FN void cov_sphere(COV_PLACES const real *row, i32 stride, COV_PLACES const real *column, i32 apart,
                             real diameter, real chord, real *r) {
  real a[LANES], b[LANES];
  LANE_LOOP(l) a[l] = sinpi_((row[SPHERE_LAT * stride + l] - OF_COLUMN(SPHERE_LAT)) / 360);
  LANE_LOOP(l) b[l] = sinpi_((row[SPHERE_LON * stride + l] - OF_COLUMN(SPHERE_LON)) / 360);
  LANE_LOOP(l) {
    const real cosines = row[SPHERE_COS_LAT * stride + l] * OF_COLUMN(SPHERE_COS_LAT);
    r[l] = sqrt(FMA(cosines, b[l] * b[l], a[l] * a[l]));
  }
  if (chord == 0) {
    LANE_LOOP(l) {
      const real sx = row[SPHERE_X * stride + l] + OF_COLUMN(SPHERE_X);
      const real sy = row[(SPHERE_X + 1) * stride + l] + OF_COLUMN(SPHERE_X + 1);
      const real sz = row[(SPHERE_X + 2) * stride + l] + OF_COLUMN(SPHERE_X + 2);
      a[l] = K(0.5) * sqrt(FMA(sx, sx, FMA(sy, sy, sz * sz)));
    }
    LANE_LOOP(l) r[l] = atan2_(r[l], a[l]);
  }
  LANE_LOOP(l) r[l] *= diameter;
}

/* Coordinate i of the mapped difference. */
DEV_FN void cov_difference(COV_PLACES const real *row, i32 stride, COV_PLACES const real *column, i32 apart, i32 dim,
                           COV_CONSTANTS const real *map, i32 i, real *y) {
  if (!map) {
    LANE_LOOP(l) y[l] = row[i * stride + l] - OF_COLUMN(i);
    return;
  }
  LANE_LOOP(l) y[l] = 0;
  for (i32 k = 0; k < dim; k++) {
    const real weight = map[i * dim + k];
    LANE_LOOP(l) y[l] = FMA(weight, row[k * stride + l] - OF_COLUMN(k), y[l]);
  }
}

/* y.y of the mapped difference y */
DEV_FN void cov_square(COV_PLACES const real *row, i32 stride, COV_PLACES const real *column, i32 apart, i32 dim,
                       COV_CONSTANTS const real *map, real *square) {
  LANE_LOOP(l) square[l] = 0;
  for (i32 i = 0; i < dim; i++) {
    real y[LANES];
    cov_difference(row, stride, column, apart, dim, map, i, y);
    LANE_LOOP(l) square[l] = FMA(y[l], y[l], square[l]);
  }
}

DEV_FN void cov_norm(COV_PLACES const real *row, i32 stride, COV_PLACES const real *column, i32 apart, i32 dim,
                     COV_CONSTANTS const real *map, real *r) {
  cov_square(row, stride, column, apart, dim, map, r);
  LANE_LOOP(l) r[l] = sqrt(r[l]);
}

/* y.z/(y.y) with another map of the difference to z; 0 where the difference is 0 */
DEV_BLOCK_FN void cov_share(COV_PLACES const real *row, i32 stride, COV_PLACES const real *column, i32 apart, i32 dim,
                      COV_CONSTANTS const real *map, COV_CONSTANTS const real *second, real *share) {
  real square[LANES], product[LANES];
  cov_square(row, stride, column, apart, dim, map, square);
  LANE_LOOP(l) product[l] = 0;
  for (i32 i = 0; i < dim; i++) {
    real y[LANES], z[LANES];
    cov_difference(row, stride, column, apart, dim, map, i, y);
    cov_difference(row, stride, column, apart, dim, second, i, z);
    LANE_LOOP(l) product[l] = FMA(y[l], z[l], product[l]);
  }
  LANE_LOOP(l) share[l] = square[l] > 0 ? product[l] / square[l] : 0;
}

/* What is wanted of F, -x F'(x) and dF/dshape; values are added to those of parts before. */
DEV_FN void cov_put(COV_CONSTANTS const real *want, flag add, const real *f, const real *g, const real *s,
                    COV_PLACES real *to) {
  const i32 what = (i32)want[WANT_WHAT];
  const real factor = want[WANT_FACTOR], other = want[WANT_OTHER];
  if (what == WANT_VALUE && add) LANE_LOOP(l) to[l] = to[l] + factor * f[l];
  if (what == WANT_OWN || (what == WANT_VALUE && !add)) LANE_LOOP(l) to[l] = factor * f[l];
  if (what == WANT_NOTHING) LANE_LOOP(l) to[l] = 0;
  if (what == WANT_SLOPE) LANE_LOOP(l) to[l] = factor * g[l];
  /* nobody has made g where it is not needed */
  if (what == WANT_SHAPE && other == 0) LANE_LOOP(l) to[l] = factor * s[l];
  if (what == WANT_SHAPE && other != 0) LANE_LOOP(l) to[l] = FMA(factor, s[l], other * g[l]);
}

#if !SINGLE
/* Of scaled lags u in time: P^-power, P^-shrink, (P - 1)/P, log(u) (0 at 0) and log(P) */
DEV_BLOCK_FN void cov_gneiting(COV_CONSTANTS const real *part, const real *u, real *factor, real *shrink, real *share,
                               real *log_u, real *log_p) {
  const real shape = K(2.0) * part[PART_SHAPE], power = part[PART_POWER], less = part[PART_SHRINK];
  LANE_LOOP(l) {
    const flag some = u[l] > K(1e-300);
    real lo, c, p_lo;
    const real log_hi = log_dd(some ? u[l] : K(1.0), K(0.0), &lo), t = some ? exp_less_(-shape, log_hi, lo) : K(0.0);
    const flag large = t > K(1e100);
    const real sum = two_sum(K(1.0), large ? K(0.0) : t, &c), p = log_dd(sum, c, &p_lo);
    const real hi = large ? shape * log_hi : p;
    log_u[l] = log_hi;
    log_p[l] = hi;
    share[l] = large ? K(1.0) : t / (K(1.0) + t);
    factor[l] = exp_less_(power, hi, large ? K(0.0) : p_lo);
    shrink[l] = exp_less_(less, hi, large ? K(0.0) : p_lo);
  }
}
#endif

/* Columns that are wanted of a part in time: F, -x F' of the part in space before they are multiplied by f. */
DEV_BLOCK_FN void cov_put_lag(COV_CONSTANTS const real *part, COV_CONSTANTS const real *want, const real *space_f,
                              const real *space_g, const real *f, const real *g, const real *s, const real *log_p,
                              COV_PLACES real *to) {
  const i32 what = (i32)want[WANT_WHAT];
  const real factor = want[WANT_FACTOR], other = want[WANT_OTHER];
  const real shape = part[PART_SHAPE], power = part[PART_POWER], shrink = part[PART_SHRINK];
  if (what == WANT_SLOPE) LANE_LOOP(l) to[l] = factor * g[l] * space_f[l];
  if (what == WANT_SHAPE && other == 0) LANE_LOOP(l) to[l] = factor * s[l] * space_f[l];
  if (what == WANT_SHAPE && other != 0) LANE_LOOP(l) to[l] = FMA(factor, s[l], other * g[l]) * space_f[l];
  if (what == WANT_LAG_RANGE)
    LANE_LOOP(l) to[l] = factor * K(2.0) * shape * g[l] * f[l] * (power * space_f[l] - shrink * space_g[l]);
  if (what == WANT_LAG_SHAPE)
    LANE_LOOP(l) to[l] = factor * K(-2.0) * g[l] * s[l] * f[l] * (power * space_f[l] - shrink * space_g[l]);
  if (what == WANT_LAG_INTERACTION)
    LANE_LOOP(l) to[l] = -factor * log_p[l] * f[l] * (other * space_f[l] - K(0.5) * space_g[l]);
}

/* x of a part in space; r has distances on a sphere. */
DEV_FN void cov_of_space(COV_CONSTANTS const real *par, COV_CONSTANTS const real *part, COV_PLACES const real *row,
                         i32 stride, COV_PLACES const real *column, i32 apart, i32 dim, flag sphere, real *r,
                         real *x) {
  COV_CONSTANTS const real *map = 0;
  if (part[PART_MAP] != 0) map = par + (i32)part[PART_MAP];
  if (!sphere) cov_norm(row, stride, column, apart, dim, map, r);
  cov_scaled(part, r, x);
}

/* x of a part in time */
DEV_FN void cov_lag(COV_CONSTANTS const real *par, COV_CONSTANTS const real *part, COV_PLACES const real *row,
                    i32 stride, COV_PLACES const real *column, i32 apart, real *x) {
  const i32 time = (i32)par[SPACE_TIME];
  real r[LANES];
  LANE_LOOP(l) r[l] = fabs(row[time * stride + l] - OF_COLUMN(time));
  cov_scaled(part, r, x);
}

/* A pair, and part p of the model at it. One in time is for the next part, which it multiplies, and where it is
 * Gneiting's shortens its distance. All have their function from the one place between PART_X and PART_LAG. */
#define PAIR_BEGINS                                                                                          \
  const i32 parts = COV_KNOWN(1, (i32)par[COV_PARTS]);                                                       \
  real r[LANES], lag_f[LANES], lag_g[LANES], lag_s[LANES], shrink[LANES], log_p[LANES];                      \
  COV_CONSTANTS const real *lag = 0;                                                                         \
  (void)lag_g, (void)lag_s, (void)log_p; /* not wanted everywhere */                                         \
  if (diameter != 0) cov_sphere(row, stride, column, apart, diameter, par[SPACE_CHORD], r)
#define PART_X                                                                                               \
  COV_CONSTANTS const real *part = par + COV_HEAD + p * PART_SIZE;                                           \
  const flag in_space = COV_KNOWN(1, part[PART_ROLE] == ROLE_SPACE);                                         \
  real x[LANES];                                                                                             \
  if (in_space) cov_of_space(par, part, row, stride, column, apart, dim, diameter != 0, r, x);                  \
  else cov_lag(par, part, row, stride, column, apart, x);                                                    \
  PART_GNEITING
#if SINGLE /* has not Gneiting's */
#define PART_GNEITING
#else
#define PART_GNEITING                                                                                        \
  if (COV_KNOWN(0, part[PART_ROLE] == ROLE_GNEITING)) {                                                      \
    lag = part;                                                                                              \
    cov_gneiting(part, x, lag_f, shrink, lag_g, lag_s, log_p);                                               \
    continue;                                                                                                \
  }
#endif
#define PART_LAG                                                                                             \
  if (!in_space) {                                                                                           \
    lag = part;                                                                                              \
    LANE_LOOP(l) {                                                                                           \
      lag_f[l] = f[l];                                                                                       \
      lag_g[l] = g[l];                                                                                       \
      lag_s[l] = s[l];                                                                                       \
      shrink[l] = 1;                                                                                         \
    }                                                                                                        \
    continue;                                                                                                \
  }

/* Columns that are wanted of a part in time, before it multiplies the part in space. */
DEV_FN void cov_put_lags(COV_CONSTANTS const real *par, COV_CONSTANTS const real *lag, const real *space_f,
                         const real *space_g, const real *f, const real *g, const real *s, const real *log_p,
                         RESULT_ARGS) {
  COV_CONSTANTS const real *own = par + (i32)lag[PART_WANTS_AT];
  for (i32 k = 0; k < (i32)lag[PART_WANTS]; k++, own += WANT_SIZE)
    cov_put_lag(lag, own, space_f, space_g, f, g, s, log_p, RESULT((i32)own[WANT_COLUMN]));
}

/* Those of a part in space. */
DEV_FN void cov_put_part(PAIR_ARGS, COV_CONSTANTS const real *part, flag added, const real *f, const real *g,
                         const real *s, RESULT_ARGS) {
  COV_CONSTANTS const real *want = par + (i32)part[PART_WANTS_AT];
  const i32 wants = (i32)part[PART_WANTS];
  (void)tables, (void)diameter;
  for (i32 k = 0; k < wants; k++, want += WANT_SIZE) {
    COV_PLACES real *to = RESULT((i32)want[WANT_COLUMN]);
    cov_put(want, added, f, g, s, to);
    if (want[WANT_WHAT] == WANT_MAP) {
      COV_CONSTANTS const real *map = 0;
      const real factor = want[WANT_FACTOR];
      real share[LANES];
      if (part[PART_MAP] != 0) map = par + (i32)part[PART_MAP];
      cov_share(row, stride, column, apart, dim, map, par + (i32)want[WANT_OTHER], share);
      LANE_LOOP(l) to[l] = factor * g[l] * share[l];
    }
  }
}

#define TIMES_LAG                                                                                            \
  LANE_LOOP(l) {                                                                                             \
    f[l] *= lag_f[l];                                                                                        \
    g[l] *= lag_f[l];                                                                                        \
    s[l] *= lag_f[l];                                                                                        \
  }

/* What is wanted of all parts, each to its column of results. */
DEV_FN void cov_wanted(PAIR_ARGS, RESULT_ARGS) {
  PAIR_BEGINS;
  flag added = 0;
  for (i32 p = 0; p < parts; p++) {
    real f[LANES], g[LANES], s[LANES];
    PART_X
    if ((i32)part[PART_FUNCTION] == FUNCTION_DISTANCE) {
      COV_PLACES real *to = RESULT(0);
      LANE_LOOP(l) to[l] = x[l];
      LANE_LOOP(l) g[l] = 1;
    } else {
      if (lag) LANE_LOOP(l) x[l] *= shrink[l];
      cov_function(par, tables, part, (i32)part[PART_NEEDS], x, f, g, s);
    }
    PART_LAG
    if (lag) {
      cov_put_lags(par, lag, f, g, lag_f, lag_g, lag_s, log_p, RESULTS);
      TIMES_LAG
    }
    lag = 0;
    cov_put_part(PAIR_ALONE, part, added, f, g, s, RESULTS);
    added = 1;
  }
}

/* The sum of all parts, whose first want is their value; f, g and s are what is needed of the last one's function. */
DEV_FN void cov_total(PAIR_ARGS, i32 needs, real *f, real *g, real *s, real *total) {
  PAIR_BEGINS;
  LANE_LOOP(l) total[l] = 0;
  for (i32 p = 0; p < parts; p++) {
    PART_X
    const real factor = par[(i32)part[PART_WANTS_AT] + WANT_FACTOR];
    if (lag) LANE_LOOP(l) x[l] *= shrink[l];
    cov_function(par, tables, part, needs, x, f, g, s);
    PART_LAG
    if (lag) LANE_LOOP(l) f[l] *= lag_f[l];
    lag = 0;
    LANE_LOOP(l) total[l] = FMA(factor, f[l], total[l]);
  }
}

/* Both from one place, where text is dear: the total, and if asked for what is wanted. */
DEV_FN void cov_pair(PAIR_ARGS, i32 needs, flag wanted, real *f, real *g, real *s, real *total, RESULT_ARGS) {
  PAIR_BEGINS;
  flag added = 0;
  LANE_LOOP(l) total[l] = 0;
  for (i32 p = 0; p < parts; p++) {
    PART_X
    const real factor = par[(i32)part[PART_WANTS_AT] + WANT_FACTOR];
    if (lag) LANE_LOOP(l) x[l] *= shrink[l];
    cov_function(par, tables, part, wanted ? needs | (i32)part[PART_NEEDS] : needs, x, f, g, s);
    PART_LAG
    if (lag) {
      if (wanted) cov_put_lags(par, lag, f, g, lag_f, lag_g, lag_s, log_p, RESULTS);
      TIMES_LAG
    }
    lag = 0;
    LANE_LOOP(l) total[l] = FMA(factor, f[l], total[l]);
    if (wanted) cov_put_part(PAIR_ALONE, part, added, f, g, s, RESULTS);
    added = 1;
  }
}

#endif
