/* poisson_cdf.cl: probabilities and tails of the Poisson law (formulas in poisson_tail.h). In: x, lambda. par:
 * POISSON_UPPER, POISSON_LOG. */
#include "kernels/poisson/poisson_tail.h"

/* Arguments within the formulas' reach; infinite ones are settled by the kernels. */
DEV_FN real within_(real v, real low) { return clamp_(v, low, REAL_MAX_); }

KERNEL(poisson_pmf) {
  OVER_WHOLE_BLOCKS;
  real x[LANES], lambda[LANES], e[LANES], e_lo[LANES], f[LANES], value[LANES];
  const real logs = par[POISSON_LOG];
  LANES_IN(POISSON_GIVEN, x)
  LANES_IN(POISSON_LAMBDA, lambda)
  LANE_LOOP(l) {
    real lo;
    const real a = nearest_(within_(x[l], K(0)));
    const real d = poisson_deviance(within_(lambda[l], K(5e-324)), a, &lo), peak = poisson_peak(max_(a, K(1)));
    e[l] = -d;
    e_lo[l] = -lo;
    f[l] = a == 0 ? K(1) : peak;
  }
  if (logs != 0)
    LANE_LOOP(l) {
      const real v = log_plus_(f[l], e[l], e_lo[l]);
      value[l] = e[l] <= -REAL_MAX_ ? -INF_ : v;
    }
  else
    LANE_LOOP(l) value[l] = exp_sum_times_(f[l], e[l], e_lo[l]);
  LANE_LOOP(l) {
    const real nearest = nearest_(fabs(x[l]));
    const flag fraction = fabs(fabs(x[l]) - nearest) > K(1e-7) * max_(fabs(x[l]), K(1)); /* as base R */
    const flag certain = (lambda[l] == 0) & (nearest == 0) & (x[l] >= 0);
    const flag point = (lambda[l] == 0) | (lambda[l] > REAL_MAX_);
    const flag never = fraction | (x[l] < 0) | (x[l] > REAL_MAX_) | point;
    const real none = logs != 0 ? -INF_ : K(0), one = logs != 0 ? K(0) : K(1);
    const real v = never ? none : value[l], w = (certain & !fraction) ? one : v;
    value[l] = ((lambda[l] >= 0) & (x[l] == x[l])) ? w : NAN_;
  }
  LANES_OUT(0, value)
}

KERNEL(poisson_cdf) {
  OVER_WHOLE_BLOCKS;
  real x[LANES], lambda[LANES], within[LANES], a[LANES], f[LANES], dev[LANES], dev_lo[LANES], value[LANES];
  const real logs = par[POISSON_LOG], upper = par[POISSON_UPPER];
  LANES_IN(POISSON_GIVEN, x)
  LANES_IN(POISSON_LAMBDA, lambda)
  LANE_LOOP(l) {
    a[l] = min_(floor_large_(within_(x[l], K(0)) + K(1e-7)) + 1, REAL_MAX_); /* as base R */
    within[l] = within_(lambda[l], K(5e-324));
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
