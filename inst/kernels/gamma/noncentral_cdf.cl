/* noncentral_cdf.cl: density and tails of the non-central chi-squared distribution (formulas in noncentral.h). In: x,
 * degrees of freedom, non-centrality. */
#include "kernels/gamma/noncentral.h"

/* The density of U as f exp(-dev - dev_lo): by the same integral with a - 1 and without its denominator, which is
 * right to exp(-2 R) for a < 1 too, or E e^-y/u times the sum of c_j (a + j). */
DEV_BLOCK_FN void density_integral(const real *a, const real *y, const real *u, real *f, real *dev, real *dev_lo) {
  real size[LANES], step[LANES], range[LANES], sum[LANES], most = 0;
  LANE_LOOP(l) {
    real large, small, w, m, turn;
    dev[l] = saddle_at_(a[l] - 1, y[l], u[l], &size[l], &large, &small, &w, &m, &turn, &dev_lo[l]);
    step[l] = rule_step_(size[l], 0);
    range[l] = rule_range_(size[l], 0);
    sum[l] = 0;
  }
  for (i32 l = 0; l < LANES; l++) most = max_(most, range[l] / step[l] + K(0.5));
  for (i32 k = 0; k < (i32)most; k++) {
    const real index = k + K(0.5);
    LANE_LOOP(l) {
      const real s = index * step[l], z = s * s, c = cos_rest_(z), d = sin_rest_(s, z);
      const real weight = s <= range[l] ? exp_core_(-min_(size[l] * c, K(700))) : K(0);
      sum[l] = FMA(weight, add_cos_turn_((a[l] - 1) * d * K(0.15915494309189535), K(0)), sum[l]);
    }
  }
  LANE_LOOP(l) f[l] = step[l] * PI_INV_ * sum[l];
}

DEV_BLOCK_FN void density_series(const real *a, const real *y, const real *u, real *f, real *dev, real *dev_lo) {
  real c[LANES], c_lo[LANES], sum[LANES], sum_lo[LANES], open[LANES], product[LANES], product_lo[LANES];
  LANE_LOOP(l) {
    f[l] = series_start_(a[l], y[l], u[l], &dev[l], &dev_lo[l]);
    product[l] = two_prod(u[l], y[l], &product_lo[l]);
    c[l] = open[l] = 1;
    c_lo[l] = sum_lo[l] = 0;
    sum[l] = a[l];
  }
  for (i32 j = 1; j < MOST_TERMS_; j++) {
    const real index = j;
    LANE_LOOP(l) {
      real e, by;
      const flag on = open[l] != 0;
      c[l] = next_weight_(c[l], &c_lo[l], product[l], product_lo[l], a[l], index, &by);
      const real more = FMA(c[l], index, FMA(c[l], a[l], c_lo[l] * index));
      sum[l] = two_sum(sum[l], on ? more : K(0), &e);
      sum_lo[l] += e;
      open[l] = (on & (more > K(8.7e-19) * sum[l])) ? K(1) : K(0);
    }
    if (j % 4 == 0) {
      ANY_LANE(any, open[l] != 0)
      if (any == 0) break;
    }
  }
  LANE_LOOP(l) f[l] *= (sum[l] + sum_lo[l]) / u[l];
}

/* Is a point inside, where none of the ends below is the answer? */
#define INSIDE_(x, a, y)                                                                                     \
  (((x) > 0) & ((x) <= REAL_MAX_) & ((a) >= 0) & ((a) <= K(1e290)) & ((y) >= 0) & ((y) <= K(1e290)) & ((a) + (y) > 0))
/* base R has no infinite parameters */
#define KNOWN_(x, a, y) (((x) == (x)) & ((a) >= 0) & ((a) <= REAL_MAX_) & ((y) >= 0) & ((y) <= REAL_MAX_))

/* u, a and y of a block, safe ones where the point is not inside. */
#define NONCENTRAL_IN                                                                                        \
  real x[LANES], a[LANES], y[LANES], u[LANES], shape[LANES], halved[LANES];                                    \
  LANES_IN(NONCENTRAL_GIVEN, x)                                                                              \
  LANES_IN(NONCENTRAL_DF, a)                                                                                 \
  LANES_IN(NONCENTRAL_NCP, y)                                                                                \
  LANE_LOOP(l) {                                                                                             \
    a[l] *= K(0.5);                                                                                          \
    y[l] *= K(0.5);                                                                                          \
    const flag on = INSIDE_(x[l], a[l], y[l]);                                                               \
    shape[l] = on ? a[l] : K(1e4);                                                                           \
    halved[l] = on ? y[l] : K(0.5);                                                                            \
    u[l] = on ? clamp_(K(0.5) * x[l], LEAST_, K(1e307)) : K(1e4);                                            \
  }

KERNEL(noncentral_pdf) {
  OVER_WHOLE_BLOCKS;
  NONCENTRAL_IN
  real f[LANES], dev[LANES], dev_lo[LANES], far_f[LANES], far_dev[LANES], far_lo[LANES], value[LANES], way[LANES];
  const real logs = par[NONCENTRAL_PDF_LOG];
  LANE_LOOP(l) way[l] = saddle_size_(shape[l] - 1, halved[l], u[l]) >= INTEGRAL_FROM_ ? K(1) : K(0);
  ANY_LANE(far, way[l] != 0)
  LANE_LOOP(l) f[l] = dev[l] = dev_lo[l] = far_f[l] = far_dev[l] = far_lo[l] = 0;
  if (far > 0) {
    real p[LANES], q[LANES], at_u[LANES];
    LANE_LOOP(l) {
      p[l] = way[l] != 0 ? shape[l] : K(1e4);
      q[l] = way[l] != 0 ? halved[l] : K(0.5);
      at_u[l] = way[l] != 0 ? u[l] : K(1e4);
    }
    density_integral(p, q, at_u, far_f, far_dev, far_lo);
  }
  if (far < LANES) {
    real p[LANES], q[LANES], at_u[LANES];
    LANE_LOOP(l) {
      p[l] = way[l] != 0 ? K(1) : shape[l];
      q[l] = way[l] != 0 ? K(0.5) : halved[l];
      at_u[l] = way[l] != 0 ? K(1) : u[l];
    }
    density_series(p, q, at_u, f, dev, dev_lo);
  }
  LANE_LOOP(l) {
    f[l] = K(0.5) * (way[l] != 0 ? far_f[l] : f[l]);
    dev[l] = way[l] != 0 ? far_dev[l] : dev[l];
    dev_lo[l] = way[l] != 0 ? far_lo[l] : dev_lo[l];
  }
  if (logs != 0)
    LANE_LOOP(l) {
      const flag normal = (f[l] > K(1e-150)) & (f[l] < K(1e150));
      const real v = log_plus_(normal ? f[l] : K(1), -dev[l], -dev_lo[l]) + (normal ? K(0) : log_(f[l]));
      value[l] = dev[l] >= REAL_MAX_ ? -INF_ : v;
    }
  else
    LANE_LOOP(l) {
      const flag normal = (f[l] > K(1e-150)) & (f[l] < K(1e150));
      value[l] = exp_sum_times_(normal ? f[l] : K(1), -dev[l], -dev_lo[l]) * (normal ? K(1) : f[l]);
    }
  ANY_LANE(ends, !INSIDE_(x[l], a[l], y[l]))
  if (ends > 0)
    LANE_LOOP(l) {
      const real none = logs != 0 ? -INF_ : K(0), at_one = logs != 0 ? -LN2_ - y[l] : K(0.5) * exp_(-y[l]);
      const real origin = a[l] < 1 ? INF_ : (a[l] == 1 ? at_one : none), edge = x[l] == 0 ? origin : none;
      value[l] = KNOWN_(x[l], a[l], y[l]) ? (INSIDE_(x[l], a[l], y[l]) ? value[l] : edge) : NAN_;
    }
  LANES_OUT(0, value)
}

/* The tail that is asked for, of F exp(-dev - dev_lo) or the other one. */
DEV_BLOCK_FN void noncentral_asked(DEV_GLOBAL const real *par, const real *a, const real *y, const real *u,
                                   real *value) {
  real f[LANES], dev[LANES], dev_lo[LANES], upper[LANES], rate[LANES], q[LANES], slope[LANES], rough[LANES];
  const real want = par[NONCENTRAL_LOWER] != 0 ? K(0) : K(1), logs = par[NONCENTRAL_LOG];
  LANE_LOOP(l) rough[l] = 0;
  noncentral_tails(a, y, u, rough, f, dev, dev_lo, upper, rate, q, slope);
  if (logs != 0)
    LANE_LOOP(l) {
      const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
      const real direct = dev[l] >= K(1e300) ? -dev[l] : log_plus_(max_(f[l], REAL_MIN_), -dev[l], -dev_lo[l]);
      value[l] = upper[l] == want ? min_(direct, K(0)) : log1p_(-min_(small, K(1)));
    }
  else
    LANE_LOOP(l) {
      const flag normal = f[l] > K(1e-150);
      const real tail = exp_sum_times_(normal ? f[l] : K(1), -dev[l], -dev_lo[l]) * (normal ? K(1) : f[l]);
      value[l] = upper[l] == want ? min_(tail, K(1)) : max_(1 - tail, K(0));
    }
}

/* Blocks that go one way are settled here, the others' points left to lists. */
KERNEL(noncentral_cdf) {
  OVER_WHOLE_BLOCKS;
  NONCENTRAL_IN
  real value[LANES], way[LANES];
  i32 n_asked = 0, n_same = 0;
  const real upper = par[NONCENTRAL_LOWER] != 0 ? K(0) : K(1), logs = par[NONCENTRAL_LOG];
  LANE_LOOP(l) {
    way[l] = INSIDE_(x[l], a[l], y[l]) ? noncentral_way_(shape[l], halved[l], u[l]) : K(-1);
    value[l] = 0;
  }
  for (i32 l = 0; l < LANES; l++) {
    n_asked += way[l] >= 0;
    n_same += way[l] == way[0];
  }
  if (n_same == LANES && n_asked == LANES) {
    noncentral_asked(par, shape, halved, u, value);
  } else if (n_asked > 0) {
    TO_LISTS(NONCENTRAL_WAYS, way)
  }
  if (n_asked < LANES)
    LANE_LOOP(l) { /* a mass of exp(-y) at 0 where a is 0 */
      const flag none = (x[l] < 0) | ((x[l] == 0) & (a[l] > 0)) | ((a[l] + y[l] > K(1e290)) & (x[l] <= REAL_MAX_));
      const real mass = upper != 0 ? -expm1_(-y[l]) : exp_(-y[l]), log_mass = upper != 0 ? log_(mass) : -y[l];
      const real small_mass = y[l] < LN2_ ? log_(-expm1_(-y[l])) : log1p_(-exp_(-y[l]));
      const real zero = logs != 0 ? (upper != 0 ? small_mass : log_mass) : mass;
      const real whole = upper != 0 ? (logs != 0 ? -INF_ : K(0)) : (logs != 0 ? K(0) : K(1));
      const real nothing = upper != 0 ? (logs != 0 ? K(0) : K(1)) : (logs != 0 ? -INF_ : K(0));
      const real end = none ? nothing : (((x[l] == 0) & (y[l] > 0)) ? zero : whole);
      value[l] = KNOWN_(x[l], a[l], y[l]) ? (way[l] >= 0 ? value[l] : end) : NAN_;
    }
  LANES_OUT(0, value)
}

#define TAILS_LISTED                                                                                         \
  real a[LANES], y[LANES], u[LANES], value[LANES];                                                           \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    u[l] = clamp_(K(0.5) * IN(NONCENTRAL_GIVEN, idx[l]), LEAST_, K(1e307));                                  \
    a[l] = K(0.5) * IN(NONCENTRAL_DF, idx[l]);                                                               \
    y[l] = K(0.5) * IN(NONCENTRAL_NCP, idx[l]);                                                              \
  }                                                                                                          \
  noncentral_asked(par, a, y, u, value);                                                                     \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = value[l];

KERNEL(noncentral_cdf_integral) {
  OVER_LIST(NONCENTRAL_LIST_INTEGRAL);
  TAILS_LISTED
}
KERNEL(noncentral_cdf_lower) {
  OVER_LIST(NONCENTRAL_LIST_LOWER);
  TAILS_LISTED
}
KERNEL(noncentral_cdf_upper) {
  OVER_LIST(NONCENTRAL_LIST_UPPER);
  TAILS_LISTED
}
