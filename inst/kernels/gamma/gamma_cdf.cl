/* gamma_cdf.cl: density and tails of the gamma distribution (formulas in gamma.h). In: x, shape, scale or rate. */
#include "kernels/common/distribution.h"
#include "kernels/gamma/gamma.h"

#define LEAST_ K(5e-324)

/* q/scale, or q rate, + *lo for positive numbers; *lo is 0 where it could not be formed. */
DEV_FN real scaled_(real q, real scale, flag by_rate, real *lo) {
  real e, e2;
  const real quotient = q / scale, p = two_prod(quotient, scale, &e), rest = ((q - p) - e) / scale;
  const real product = two_prod(q, scale, &e2), y = by_rate ? product : quotient;
  const flag known = (scale > K(1e-290)) & (scale < K(1e290)) & (y > K(1e-290)) & (y < K(1e290));
  *lo = known ? (by_rate ? e2 : rest) : K(0);
  return y;
}

/* For a >= 1 the density is exp(-D) f with a - 1 in place of a; below, a x^(a-1) e^-x/Gamma(a + 1). */
DEV_FN real gamma_density_(real q, real a, real scale, real is_rate, flag logs) {
  const flag by_rate = is_rate != 0;
  real rest, dev_lo, power_lo, e, lo;
  const flag known = (a >= 0) & SCALE_KNOWN(scale, by_rate) & (q == q), inside = (q > 0) & (q <= REAL_MAX_) & (a > 0);
  const flag large = a >= 1, fits = (a <= REAL_MAX_) & SCALE_FINITE(scale, by_rate);
  const real s = fits ? scale : K(1), y = scaled_(inside ? q : K(1), s, by_rate, &rest);
  const real x = clamp_(y, LEAST_, K(1e307)), shape = clamp_(a, K(1e-307), K(1e307)), m = max_(shape - 1, K(0));
  const flag over = (x > K(1e290)) & (m < K(1e10)); /* x/m may be too large a number */
  const real d = poisson_deviance(over ? K(1) : x, m, &dev_lo), peak = gamma_peak_(max_(m, K(1e-307)));
  const real power = log_power_(shape, x, &power_lo), far = over ? x : d;
  const real main = large ? far : two_sum(x, -power, &e), low = large ? (over ? K(0) : dev_lo) : e - power_lo;
  /* what q/scale was rounded by, times the slope 1 - m/x of the exponent */
  const real shift = rest != 0 ? rest * (1 - (large ? m : shape - 1) / x) : K(0);
  const real dev = two_sum(main, low + shift, &lo);
  const flag tiny = x < K(1e-140);
  const real by_x = tiny ? K(1) : 1 / x, top = large ? (m > 0 ? peak : K(1)) : by_x;
  const real value = exp_sum_times_(top, -dev, -lo), below = (tiny ? value / x : value) * shape;
  const real all = large ? value : below, plain = by_rate ? all * s : all / s, log_s = by_rate ? -log_(s) : log_(s);
  /* the factor in one logarithm with the exponent, unless it may be too large or small a number */
  const real front = large ? top : shape / x, factor = by_rate ? front * s : front / s;
  const real apart = log_(large ? top : shape) - (large ? K(0) : log_(x));
  const flag normal = (factor > K(1e-300)) & (factor < K(1e300));
  const real log_value = log_plus_(normal ? factor : K(1), -dev, -lo) + (normal ? K(0) : apart - log_s);
  const real v = logs ? (dev >= REAL_MAX_ ? -INF_ : log_value) : plain;
  const real none = logs ? -INF_ : K(0), one = by_rate ? scale : 1 / scale;
  const real at_one = logs ? (by_rate ? log_(scale) : -log_(scale)) : one;
  const real origin = a < 1 ? INF_ : (a == 1 ? at_one : none), edge = q == 0 ? origin : none;
  return known ? ((inside & fits) ? v : edge) : NAN_;
}
/* Is it the rate? For each lane: what compares it then becomes a vector mask as all else does. */
#define RATE_OF_LANES(place)                                                                                 \
  real is_rate[LANES];                                                                                       \
  LANE_LOOP(l) is_rate[l] = par[place];
KERNEL(gamma_pdf) {
  OVER_WHOLE_BLOCKS;
  real q[LANES], a[LANES], scale[LANES], value[LANES];
  const real by = par[GAMMA_PDF_SHAPE_BY];
  RATE_OF_LANES(GAMMA_PDF_BY_RATE)
  LANES_IN(GAMMA_GIVEN, q)
  LANES_IN(GAMMA_SHAPE, a)
  LANES_IN(GAMMA_SCALE, scale)
  if (par[GAMMA_PDF_LOG] != 0)
    LANE_LOOP(l) value[l] = gamma_density_(q[l], by * a[l], scale[l], is_rate[l], 1);
  else
    LANE_LOOP(l) value[l] = gamma_density_(q[l], by * a[l], scale[l], is_rate[l], 0);
  LANES_OUT(0, value)
}

/* The tail that is asked for, of F exp(-dev - dev_lo) or the other one. */
DEV_BLOCK_FN void tails_wanted(DEV_GLOBAL const real *par, const real *f, const real *dev, const real *dev_lo,
                               const real *upper, real *value) {
  const real want = par[GAMMA_LOWER] != 0 ? K(0) : K(1);
  if (par[GAMMA_LOG] != 0)
    LANE_LOOP(l) {
      const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
      const real direct = dev[l] >= K(1e300) ? -dev[l] : log_plus_(f[l], -dev[l], -dev_lo[l]);
      value[l] = upper[l] == want ? min_(direct, K(0)) : log1p_(-min_(small, K(1)));
    }
  else
    LANE_LOOP(l) {
      const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
      value[l] = upper[l] == want ? min_(small, K(1)) : max_(1 - small, K(0));
    }
}

DEV_BLOCK_FN void gamma_asked(DEV_GLOBAL const real *par, const real *q, const real *a, const real *scale,
                              real *value) {
  real x[LANES], rest[LANES], f[LANES], dev[LANES], dev_lo[LANES], upper[LANES], rate[LANES];
  const flag by_rate = par[GAMMA_BY_RATE] != 0;
  LANE_LOOP(l) x[l] = clamp_(scaled_(q[l], scale[l], by_rate, &rest[l]), LEAST_, K(1e307));
  gamma_tails(a, x, f, dev, dev_lo, upper, rate);
  LANE_LOOP(l) {
    const real shift = rest[l] != 0 ? rest[l] / x[l] * rate[l] : K(0);
    dev[l] = two_sum(dev[l], dev_lo[l] + (upper[l] != 0 ? shift : -shift), &dev_lo[l]);
  }
  tails_wanted(par, f, dev, dev_lo, upper, value);
}

/* Blocks that go one way are settled here, the others' points left to lists. */
KERNEL(gamma_cdf) {
  OVER_WHOLE_BLOCKS;
  real q[LANES], a[LANES], scale[LANES], value[LANES], way[LANES], asked[LANES];
  i32 n_asked = 0, n_same = 0;
  const real upper = par[GAMMA_LOWER] != 0 ? K(0) : K(1), logs = par[GAMMA_LOG], by = par[GAMMA_SHAPE_BY];
  const flag by_rate = par[GAMMA_BY_RATE] != 0;
  LANES_IN(GAMMA_GIVEN, q)
  LANES_IN(GAMMA_SHAPE, a)
  LANES_IN(GAMMA_SCALE, scale)
  LANE_LOOP(l) {
    a[l] *= by;
    const flag on = (q[l] > 0) & (q[l] <= REAL_MAX_) & (a[l] > 0) & (a[l] <= K(1e300)) &
                    SCALE_KNOWN(scale[l], by_rate) & SCALE_FINITE(scale[l], by_rate);
    asked[l] = on ? K(1) : K(0);
    way[l] = on ? gamma_way_(a[l], by_rate ? q[l] * scale[l] : q[l] / scale[l]) : K(-1);
    value[l] = 0;
  }
  for (i32 l = 0; l < LANES; l++) {
    n_asked += asked[l] != 0;
    n_same += way[l] == way[0];
  }
  const flag here = n_same == LANES && n_asked == LANES;
  if (here) {
    gamma_asked(par, q, a, scale, value);
  } else if (n_asked > 0) {
    TO_LISTS(GAMMA_LISTS, way)
  }
  if (n_asked < LANES)
    LANE_LOOP(l) {
      const real zero = logs != 0 ? -INF_ : K(0), one = logs != 0 ? K(0) : K(1);
      const real at_zero = upper != 0 ? one : zero, at_one = upper != 0 ? zero : one;
      const flag known = (a[l] >= 0) & SCALE_KNOWN(scale[l], by_rate) & (q[l] == q[l]);
      const flag none = (q[l] <= 0) | ((a[l] > K(1e300)) & (q[l] <= REAL_MAX_)) | !SCALE_FINITE(scale[l], by_rate);
      const real end = none ? at_zero : at_one;
      value[l] = known ? (asked[l] != 0 ? value[l] : end) : NAN_;
    }
  LANES_OUT(0, value)
}

#define TAILS_LISTED                                                                                         \
  real q[LANES], a[LANES], scale[LANES], value[LANES];                                                       \
  const real by = par[GAMMA_SHAPE_BY];                                                                       \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    q[l] = IN(GAMMA_GIVEN, idx[l]);                                                                          \
    a[l] = IN(GAMMA_SHAPE, idx[l]) * by;                                                                     \
    scale[l] = IN(GAMMA_SCALE, idx[l]);                                                                      \
  }                                                                                                          \
  gamma_asked(par, q, a, scale, value);                                                                      \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = value[l];

KERNEL(gamma_cdf_uniform) {
  OVER_LIST(GAMMA_LIST_UNIFORM);
  TAILS_LISTED
}
KERNEL(gamma_cdf_series) {
  OVER_LIST(GAMMA_LIST_SERIES);
  TAILS_LISTED
}
KERNEL(gamma_cdf_fraction) {
  OVER_LIST(GAMMA_LIST_FRACTION);
  TAILS_LISTED
}
KERNEL(gamma_cdf_small) {
  OVER_LIST(GAMMA_LIST_SMALL);
  TAILS_LISTED
}
