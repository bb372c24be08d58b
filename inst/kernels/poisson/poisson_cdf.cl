/* poisson_cdf.cl: probabilities and tails of the Poisson distribution (formulas in poisson_tail.h). In: x, lambda. */
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

/* value at x for means and a = x + 1 that are within, all of few terms or none */
DEV_BLOCK_FN void tails_asked(DEV_GLOBAL const real *par, flag few, const real *within, const real *a, real *value) {
  real f[LANES], dev[LANES], dev_lo[LANES], small[LANES];
  const real upper = par[POISSON_CDF_LOWER] != 0 ? K(0) : K(1);
  if (few) {
    tails_of_few_terms(within, a, f);
    LANE_LOOP(l) {
      dev[l] = within[l];
      dev_lo[l] = 0;
      small[l] = tail_of_few_(within[l], f[l]);
    }
  } else {
    tails_of_many_terms(within, a, f, dev, dev_lo);
    LANE_LOOP(l) small[l] = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
  }
  if (par[POISSON_CDF_LOG] != 0)
    LANE_LOOP(l) {
      const real lower = within[l] >= a[l] ? K(1) : K(0);
      const real sum = log_plus_(f[l], -dev[l], -dev_lo[l]), other = log1p_(-small[l]);
      const real direct = dev[l] >= REAL_MAX_ ? -INF_ : sum;
      value[l] = lower != upper ? direct : other;
    }
  else
    LANE_LOOP(l) {
      const real lower = within[l] >= a[l] ? K(1) : K(0);
      value[l] = lower != upper ? small[l] : 1 - small[l];
    }
}

/* x + 1 for the x below, as base R has it; x >= 0 */
DEV_FN real next_count_(real x) { return min_(floor_large_(x + K(1e-7)) + 1, REAL_MAX_); }

/* Blocks of one kind are settled here, and of others what needs no sum; points of small means, too, where they are
 * most. The rest is left to lists, so that blocks of these go one way. */
KERNEL(poisson_cdf) {
  OVER_WHOLE_BLOCKS;
  real x[LANES], lambda[LANES], within[LANES], a[LANES], value[LANES];
  i32 small[LANES], few[LANES], many[LANES], n_small = 0, n_few = 0, n_many = 0;
  const real logs = par[POISSON_CDF_LOG], upper = par[POISSON_CDF_LOWER] != 0 ? K(0) : K(1);
  LANES_IN(POISSON_GIVEN, x)
  LANES_IN(POISSON_LAMBDA, lambda)
  LANE_LOOP(l) {
    const flag asked = (lambda[l] > 0) & (lambda[l] <= REAL_MAX_) & (x[l] >= 0) & (x[l] <= REAL_MAX_);
    const real count = next_count_(x[l]);
    a[l] = asked ? count : K(1);
    within[l] = asked ? lambda[l] : K(1);
    value[l] = a[l]; /* any number */
    const flag summed = FEW_TERMS_(within[l], a[l]);
    small[l] = asked & summed & (within[l] <= FEWER_MOST_);
    few[l] = asked & summed;
    many[l] = !summed;
  }
  for (i32 l = 0; l < LANES; l++) {
    n_small += small[l];
    n_few += few[l];
    n_many += many[l];
  }
  const flag here = n_few == LANES || n_many == LANES || n_small > LANES / 2;
  if (here && n_few < LANES && n_many < LANES)
    LANE_LOOP(l) {
      few[l] = few[l] & !small[l];
      a[l] = small[l] ? a[l] : K(1);
      within[l] = small[l] ? within[l] : K(1);
    }
  if (n_few < LANES && n_few - (here ? n_small : 0) > 0) list_push_wanted(POISSON_LIST_FEW, few)
  if (n_many < LANES && n_many > 0) list_push_wanted(POISSON_LIST_MANY, many)
  if (here) tails_asked(par, n_many < LANES, within, a, value);
  if (n_few + n_many < LANES)
    LANE_LOOP(l) {
      const real zero = logs != 0 ? -INF_ : K(0), one = logs != 0 ? K(0) : K(1);
      const real at_zero = upper != 0 ? one : zero, at_one = upper != 0 ? zero : one;
      const flag all = (x[l] > REAL_MAX_) | (lambda[l] == 0), none = (x[l] < 0) | ((lambda[l] > REAL_MAX_) & !all);
      const real v = none ? at_zero : (all ? at_one : value[l]);
      value[l] = ((lambda[l] >= 0) & (x[l] == x[l])) ? v : NAN_;
    }
  LANES_OUT(0, value)
}

#define TAILS_LISTED(few)                                                                                    \
  real within[LANES], a[LANES], value[LANES];                                                                \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    within[l] = IN(POISSON_LAMBDA, idx[l]);                                                                  \
    a[l] = IN(POISSON_GIVEN, idx[l]);                                                                        \
  }                                                                                                          \
  LANE_LOOP(l) a[l] = next_count_(a[l]);                                                                     \
  tails_asked(par, few, within, a, value);                                                                   \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = value[l];

KERNEL(poisson_cdf_few) {
  OVER_LIST(POISSON_LIST_FEW);
  TAILS_LISTED(1)
}

KERNEL(poisson_cdf_many) {
  OVER_LIST(POISSON_LIST_MANY);
  TAILS_LISTED(0)
}
