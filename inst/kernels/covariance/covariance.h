/* covariance.h: correlation functions F(x) of one variable at a block of lanes, -x F'(x), and dF/dshape: closed
 * forms, and tables of what has none. x is not negative, or NaN. Errors are those of the elementary functions, a
 * few eps of F beside what the rounding of x costs; each closed form is compared with high precision by
 * bench/covariance.R. */
#ifndef STATCL_COVARIANCE_LANES_H
#define STATCL_COVARIANCE_LANES_H

#include "kernels/common/elementary.h"
#include "kernels/covariance/covariance_par.h"

/* Where par is, the tables of which, behind all else, may be elsewhere. */
#ifndef COV_CONSTANTS
#define COV_CONSTANTS DEV_GLOBAL
#define COV_TABLES par
#endif

#if SINGLE
#define FORM_FAR K(200.0) /* closed forms are 0 or far too small there, and their polynomials finite */
#else
#define FORM_FAR K(1e4)
#endif

/* Sum of c_k x^k */
DEV_FN void cov_polynomial(COV_CONSTANTS const real *c, i32 terms, const real *x, real *p) {
  const real leading = c[terms - 1];
  LANE_LOOP(l) p[l] = leading;
  for (i32 k = terms - 2; k >= 0; k--) {
    const real next = c[k];
    LANE_LOOP(l) p[l] = FMA(p[l], x[l], next);
  }
}

/* exp(-x) times a polynomial: Matern of half-integer smoothness, positive terms alone */
DEV_FN void cov_form(COV_CONSTANTS const real *c, i32 terms, const real *x, real *f) {
  real y[LANES];
  LANE_LOOP(l) y[l] = x[l] > FORM_FAR ? FORM_FAR : x[l];
  cov_polynomial(c, terms, y, f);
  LANE_LOOP(l) f[l] = exp_times_far_(-y[l], f[l]);
}

/* exp(-x^2), with the rounding error of the square */
DEV_BLOCK_FN void cov_gaussian(const real *x, real *f, real *g) {
  LANE_LOOP(l) {
    const real v = x[l] > K(40.0) ? K(40.0) : x[l];
    real e;
    const real xx = two_prod(v, v, &e), near = exp_(-xx);
    f[l] = FMA(-e, near, near);
    g[l] = K(2.0) * xx * f[l];
  }
}

/* (1 - x)^power times a polynomial for x < 1, 0 beyond, and -x F'(x) with a power less by 1 */
DEV_BLOCK_FN void cov_compact(COV_CONSTANTS const real *par, COV_CONSTANTS const real *part, const real *x, real *f,
                              real *g) {
  const i32 power = (i32)part[FORM_POWER], at = (i32)part[FORM_AT], terms = (i32)part[FORM_TERMS];
  real y[LANES], rest[LANES], weight[LANES];
  LANE_LOOP(l) {
    y[l] = x[l] < K(1.0) ? x[l] : K(1.0);
    rest[l] = K(1.0) - y[l];
    weight[l] = K(1.0);
  }
  for (i32 k = 1; k < power; k++) LANE_LOOP(l) weight[l] *= rest[l];
  cov_polynomial(par + at, terms, y, f);
  cov_polynomial(par + at + terms, (i32)part[FORM_SLOPE_TERMS], y, g);
  LANE_LOOP(l) {
    f[l] *= weight[l] * rest[l];
    g[l] *= weight[l];
  }
}

#if !SINGLE
/* log(1 + x^2) as a sum of two, and x^2/(1 + x^2) */
DEV_FN real log1p_square_(real x, real *lo, real *share) {
  const flag large = x > K(1e100);
  const real v = large ? K(1e100) : x;
  real e, c, low;
  const real xx = two_prod(v, v, &e), u = two_sum(K(1.0), xx, &c);
  *share = xx / u;
  const real hi = log_dd(large ? x : u, large ? K(0.0) : c + e, &low), twice = large ? K(2.0) : K(1.0);
  *lo = twice * low;
  return twice * hi;
}

/* exp(-a (hi + lo)) */
DEV_FN real exp_less_(real a, real hi, real lo) {
  real e;
  const real p = two_prod(-a, hi, &e);
  return exp_sum_times_(K(1.0), p, FMA(-a, lo, e));
}

/* (1 + x^2)^-a; -x F'(x) = 2 a x^2/(1 + x^2) F */
DEV_BLOCK_FN void cov_cauchy(real a, const real *x, real *f, real *g, real *s) {
  LANE_LOOP(l) {
    real lo, share;
    const real v = log1p_square_(x[l], &lo, &share);
    f[l] = exp_less_(a, v, lo);
    g[l] = K(2.0) * a * share * f[l];
    s[l] = -v * f[l];
  }
}

/* exp(-t), t = x^a; -x F'(x) = a t F, dF/da = -t log(x) F */
DEV_BLOCK_FN void cov_powexp(real a, const real *x, real *f, real *g, real *s) {
  LANE_LOOP(l) {
    real lo;
    const real log_x = log_dd(x[l] > K(1e-323) ? x[l] : K(1e-323), K(0.0), &lo), t = exp_less_(-a, log_x, lo);
    const real small = t > K(2000.0) ? K(2000.0) : t;
    f[l] = exp_(-small);
    g[l] = a * small * f[l];
    s[l] = -small * log_x * f[l];
  }
}

/* sin(x) and cos(x) for 0 <= x <= 1e15: x = 2 pi n + r. */
DEV_FN void sincos_large_(real x, real *sin_x, real *cos_x) {
  const real n = FMA(x, K(0.5) * PI_INV_, ROUND_) - ROUND_;
  real e;
  const real p = two_prod(n, K(2.0) * PI_, &e), r = ((x - p) - e) - n * (K(2.0) * PI_LO_);
  sincos_(r, sin_x, cos_x);
}

/* (sin(x)/x - cos(x))/x^2 for z = x^2 <= 1 by its series, whose next term is below 1e-17 of it */
DEV_FN real cov_fall(real z) {
  real p = K(18.0) / K(121645100408832000.0);
  p = FMA(-p, z, K(16.0) / K(355687428096000.0));
  p = FMA(-p, z, K(14.0) / K(1307674368000.0));
  p = FMA(-p, z, K(12.0) / K(6227020800.0));
  p = FMA(-p, z, K(10.0) / K(39916800.0));
  p = FMA(-p, z, K(8.0) / K(362880.0));
  p = FMA(-p, z, K(6.0) / K(5040.0));
  p = FMA(-p, z, K(4.0) / K(120.0));
  return FMA(-p, z, K(2.0) / K(6.0));
}

/* sin(x)/x; -x F'(x) = sin(x)/x - cos(x). Beyond 1e15 the rounding of x leaves nothing of either; there F is below
 * 1e-15. */
DEV_BLOCK_FN void cov_sinc(const real *x, real *f, real *g) {
  LANE_LOOP(l) {
    const flag far = x[l] > K(1e15);
    const real v = far ? K(0.0) : x[l], z = v < K(1.0) ? v * v : K(1.0);
    real s, c;
    sincos_large_(v, &s, &c);
    const real near = v == K(0.0) ? K(1.0) : s / v;
    f[l] = far ? K(0.0) : near;
    g[l] = far ? K(0.0) : (v < K(1.0) ? z * cov_fall(z) : near - c);
  }
}

/* Of the spectral density k^(n - 2) exp(-k) in space: sin(n t)/(n x) cos(t)^n, x = tan(t); F - x F' is
 * cos((n + 1) t) cos(t)^(n + 1), hence -x F'(x) is that less 2 F ... dF/dn is log(cos(t)) F and the derivative of
 * sin(u)/u, u = n t, near 0 by its series, whose next term is below 1e-17 of it. */
DEV_BLOCK_FN void cov_gamma(real n, const real *x, real *f, real *g, real *d) {
  const real m = fabs(n);
  LANE_LOOP(l) {
    real lo, share, s, c, s1, c1;
    const real v = log1p_square_(x[l], &lo, &share), t = atan_(x[l]);
    sincos_large_(m * t, &s, &c);
    sincos_large_((n + K(1.0)) * t, &s1, &c1);
    const real angle = m * t, wave = angle == K(0.0) ? K(1.0) : s / angle, small = angle < K(1.0) ? angle : K(1.0);
    const real weight = (t / x[l]) * exp_less_(K(0.5) * n, v, lo), near = -small * cov_fall(small * small);
    const real slope = angle < K(1.0) ? near : (c - wave) / angle;
    f[l] = wave * weight;
    g[l] = f[l] - c1 * exp_less_(K(0.5) * (n + K(1.0)), v, lo);
    d[l] = (n < K(0.0) ? -t : t) * slope * weight - K(0.5) * v * f[l];
  }
}
#endif

/* Cell of each lane and the position in it, -1/2 to 1/2. */
DEV_FN void cov_cells(COV_CONSTANTS const real *part, const real *x, i32 *cell, real *u) {
  const i32 first = (i32)part[TABLE_FIRST], last = (i32)part[TABLE_OCTAVES] - 1;
  COV_CONSTANTS const real *zone = part + TABLE_ZONES;
  const i32 end0 = (i32)zone[0], cells0 = (i32)zone[1], start0 = (i32)zone[2], end1 = (i32)zone[3];
  const i32 cells1 = (i32)zone[4], start1 = (i32)zone[5], cells2 = (i32)zone[7], start2 = (i32)zone[8];
  LANE_LOOP(l) {
    const word b = bits_of(x[l]);
    const i32 k = (i32)((uword)b >> EXPONENT_AT_) - first, capped = k > last ? last : k;
    const i32 octave = capped < 0 ? 0 : capped;
    const real share = real_of((b & (shl_(1, EXPONENT_AT_) - 1)) | ONE_BITS_) - K(1.0);
    const i32 upper = octave < end1 ? cells1 : cells2, cells = octave < end0 ? cells0 : upper;
    const i32 upper_start = octave < end1 ? start1 : start2, start = octave < end0 ? start0 : upper_start;
    const real t = share * (real)cells;
    const i32 within = (i32)t;
    cell[l] = start + octave * cells + within;
    u[l] = (t - (real)within) - K(0.5);
  }
}

/* The coefficients of a cell are a line of memory; a block's are brought together before the lanes read across. */
DEV_FN void cov_column(DEV_GLOBAL const real *coefficients, i32 stride, const i32 *cell, const real *u, real *p) {
  real c[LANES][CELL_TERMS];
  for (i32 l = 0; l < LANES; l++) copy_reals(c[l], coefficients + cell[l] * stride, CELL_TERMS);
  LANE_LOOP(l) {
    real sum = c[l][CELL_TERMS - 1];
#if !SINGLE
    sum = FMA(sum, u[l], c[l][6]);
    sum = FMA(sum, u[l], c[l][5]);
    sum = FMA(sum, u[l], c[l][4]);
    sum = FMA(sum, u[l], c[l][3]);
#endif
    sum = FMA(sum, u[l], c[l][2]);
    sum = FMA(sum, u[l], c[l][1]);
    p[l] = FMA(sum, u[l], c[l][0]);
  }
}

/* Columns of a table times its weight, and what is known beyond its ends: for the table's power and one less. */
typedef struct {
  real m[LANES], by[LANES], then[LANES];
} cov_weights;

DEV_FN void cov_weights_of(COV_CONSTANTS const real *part, const real *x, cov_weights *w) {
  if ((i32)part[TABLE_WEIGHT] != WEIGHT_EXP) return;
  if (part[TABLE_HIGH] <= EXP_CORE_MOST_) {
    LANE_LOOP(l) {
      real by;
      w->m[l] = exp_core_parts_(-x[l], &by);
      w->by[l] = by;
    }
  } else {
    LANE_LOOP(l) {
      real by, then;
      const real m = exp_far_parts_(-x[l], &by, &then);
      w->then[l] = then; /* both branches end with the same stores: none is to a place that is chosen when it runs */
      w->m[l] = m;
      w->by[l] = by;
    }
  }
}

DEV_FN void cov_weight(COV_CONSTANTS const real *part, const cov_weights *w, const real *x, real power, real below,
                       real *v) {
  const i32 weight = (i32)part[TABLE_WEIGHT];
  const real low = part[TABLE_LOW], high = part[TABLE_HIGH], above = part[TABLE_ABOVE];
  if (weight == WEIGHT_EXP) LANE_LOOP(l) v[l] = FMA(v[l], w->m[l], v[l]) * w->by[l];
  if (weight == WEIGHT_EXP && high > EXP_CORE_MOST_) LANE_LOOP(l) v[l] *= w->then[l];
  if (weight == WEIGHT_POWER) {
    LANE_LOOP(l) {
      const real rest = x[l] < K(1.0) ? K(1.0) - x[l] : K(1.0);
      v[l] *= exp_(power * log_core_(rest));
    }
  }
  LANE_LOOP(l) {
    const real a = x[l] < low ? below : v[l];
    v[l] = x[l] >= high ? above : a;
  }
}

/* What is needed of a table's columns, which are side by side in its cells. */
DEV_FN void cov_table_columns(DEV_GLOBAL const real *tables, COV_CONSTANTS const real *part, i32 needs, const real *x,
                              real *f, real *g, real *s) {
  const i32 held = (i32)part[TABLE_COLUMNS], slope_at = held & NEED_VALUE ? CELL_TERMS : 0;
  const i32 shape_at = slope_at + (held & NEED_SLOPE ? CELL_TERMS : 0);
  const i32 stride = shape_at + (held & NEED_SHAPE ? CELL_TERMS : 0);
  const real power = part[TABLE_POWER];
  DEV_GLOBAL const real *cells = tables + (i32)part[TABLE_CELLS_AT];
  cov_weights w;
  i32 cell[LANES];
  real u[LANES];
  cov_cells(part, x, cell, u);
  if (needs & NEED_VALUE) cov_column(cells, stride, cell, u, f);
  if (needs & NEED_SLOPE) cov_column(cells + slope_at, stride, cell, u, g);
  if (needs & NEED_SHAPE) cov_column(cells + shape_at, stride, cell, u, s);
  cov_weights_of(part, x, &w);
  if (needs & NEED_VALUE) cov_weight(part, &w, x, power, part[TABLE_BELOW], f);
  if (needs & NEED_SLOPE) cov_weight(part, &w, x, power - K(1.0), NAN_, g);
  if (needs & NEED_SHAPE) cov_weight(part, &w, x, power, NAN_, s);
  if ((needs & NEED_SHAPE) && (i32)part[TABLE_WEIGHT] == WEIGHT_POWER)
    LANE_LOOP(l) s[l] = FMA(log_core_(x[l] < K(1.0) ? K(1.0) - x[l] : K(1.0)), f[l], s[l]);
}

DEV_BLOCK_FN void cov_table_block(DEV_GLOBAL const real *tables, COV_CONSTANTS const real *part, i32 needs,
                                  const real *x, real *f, real *g, real *s) {
  cov_table_columns(tables, part, needs, x, f, g, s);
}

/* What a function does not say: at 0, infinitely far, and of missing distances. */
DEV_FN void cov_ends(const real *x, real at_zero, real above, real *v) {
  LANE_LOOP(l) {
    const real far = x[l] > REAL_MAX_ ? above : v[l], near = x[l] == 0 ? at_zero : far;
    v[l] = x[l] != x[l] ? x[l] : near;
  }
}

/* What is needed of F(x), -x F'(x) and dF/dshape. */
DEV_FN void cov_function(COV_CONSTANTS const real *par, DEV_GLOBAL const real *tables,
                         COV_CONSTANTS const real *part, i32 needs, const real *x, real *f, real *g, real *s) {
  const i32 function = COV_KNOWN(COV_ONLY, (i32)part[PART_FUNCTION]);
  const real at_zero = part[PART_AT_ZERO], above = function == FUNCTION_TABLE ? part[TABLE_ABOVE] : K(0.0);
  switch (function) {
  case FUNCTION_FORM: {
    const i32 at = (i32)part[FORM_AT], terms = (i32)part[FORM_TERMS];
    if (needs & NEED_VALUE) cov_form(par + at, terms, x, f);
    if (needs & NEED_SLOPE) cov_form(par + at + terms, (i32)part[FORM_SLOPE_TERMS], x, g);
    break;
  }
  case FUNCTION_GAUSSIAN: cov_gaussian(x, f, g); break;
  case FUNCTION_COMPACT: cov_compact(par, part, x, f, g); break;
#if !SINGLE
  case FUNCTION_CAUCHY: cov_cauchy(part[PART_SHAPE], x, f, g, s); break;
  case FUNCTION_POWEXP: cov_powexp(part[PART_SHAPE], x, f, g, s); break;
  case FUNCTION_SINC: cov_sinc(x, f, g); break;
  case FUNCTION_GAMMA: cov_gamma(part[PART_SHAPE], x, f, g, s); break;
#endif
  default: cov_table_block(tables, part, needs, x, f, g, s);
  }
  if (needs & NEED_VALUE) cov_ends(x, at_zero, above, f);
  if (needs & NEED_SLOPE) cov_ends(x, K(0.0), above, g);
  if (needs & NEED_SHAPE) cov_ends(x, K(0.0), above, s);
}

#endif
