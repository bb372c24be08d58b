/* poisson_cdf.cl: probabilities and tails of the Poisson law (formulas in poisson_tail.h). In: x, lambda. */
#include "kernels/common/distribution.h"
#include "kernels/poisson/poisson_tail.h"

/* Arguments within the formulas' reach; infinite ones, and a mean of 0, are settled by the kernels. */
DEV_FN real within_(real v, real low) { return clamp_(v, low, REAL_MAX_); }
DEV_FN real mean_within_(real lambda) { return lambda > 0 ? min_(lambda, REAL_MAX_) : K(1); }

/* error: how far from a whole number x may be, as a share of |x| beyond 1 */
DEV_FN real poisson_probability(real x, real lambda, real error, flag logs) {
  real lo;
  const real a = nearest_(within_(x, K(0))), nearest = nearest_(fabs(x));
  const real d = poisson_deviance(mean_within_(lambda), a, &lo), peak = poisson_peak(max_(a, K(1)));
  const real f = a == 0 ? K(1) : peak, none = logs ? -INF_ : K(0), one = logs ? K(0) : K(1);
  const real log_value = -d <= -REAL_MAX_ ? -INF_ : log_plus_(f, -d, -lo);
  const real value = logs ? log_value : exp_sum_times_(f, -d, -lo);
  const flag fraction = fabs(fabs(x) - nearest) > error * max_(fabs(x), K(1));
  const flag certain = (lambda == 0) & (nearest == 0) & (x >= 0);
  const flag never = fraction | (x < 0) | (x > REAL_MAX_) | (lambda == 0) | (lambda > REAL_MAX_);
  const real v = never ? none : value, w = (certain & !fraction) ? one : v;
  return ((lambda >= 0) & (x == x)) ? w : NAN_;
}
DENSITY_KERNEL(poisson_pmf, 2,
               poisson_probability(ARG(0), ARG(1), par[POISSON_PMF_STRICT] != 0 ? K(1e-9) : K(1e-7), LOGS))

KERNEL(poisson_cdf) {
  OVER_WHOLE_BLOCKS;
  real x[LANES], lambda[LANES], within[LANES], a[LANES], f[LANES], dev[LANES], dev_lo[LANES], value[LANES];
  const real logs = par[POISSON_CDF_LOG], upper = par[POISSON_CDF_LOWER] != 0 ? K(0) : K(1);
  LANES_IN(POISSON_GIVEN, x)
  LANES_IN(POISSON_LAMBDA, lambda)
  LANE_LOOP(l) {
    a[l] = min_(floor_large_(within_(x[l], K(0)) + K(1e-7)) + 1, REAL_MAX_); /* as base R */
    within[l] = mean_within_(lambda[l]);
  }
  poisson_tails(within, a, f, dev, dev_lo);
  if (logs != 0)
    LANE_LOOP(l) {
      const flag same = (within[l] >= a[l]) != (upper != 0);
      const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
      const real sum = log_plus_(f[l], -dev[l], -dev_lo[l]), other = log1p_(-small);
      const real direct = dev[l] >= REAL_MAX_ ? -INF_ : sum;
      value[l] = same ? direct : other;
    }
  else
    LANE_LOOP(l) {
      const flag same = (within[l] >= a[l]) != (upper != 0);
      const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
      value[l] = same ? small : 1 - small;
    }
  LANE_LOOP(l) {
    const real zero = logs != 0 ? -INF_ : K(0), one = logs != 0 ? K(0) : K(1);
    const real at_zero = upper != 0 ? one : zero, at_one = upper != 0 ? zero : one;
    const flag all = (x[l] > REAL_MAX_) | (lambda[l] == 0), none = (x[l] < 0) | ((lambda[l] > REAL_MAX_) & !all);
    const real v = none ? at_zero : (all ? at_one : value[l]);
    value[l] = ((lambda[l] >= 0) & (x[l] == x[l])) ? v : NAN_;
  }
  LANES_OUT(0, value)
}
