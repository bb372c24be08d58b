/* tail_inverse.h: quantiles of continuous distributions, by steps on the logarithm of a smaller tail. */
#ifndef STATCL_TAIL_INVERSE_H
#define STATCL_TAIL_INVERSE_H

#include "kernels/common/tail_given.h"
#include "kernels/poisson/poisson.h"

/* The logarithm of a tail's size, as given. */
DEV_FN real log_of_tail_(real size, real *lo) {
  real log_lo;
  const flag logs = TAIL_IS_LOG(size);
  const real value = log_dd(logs ? K(0.5) : max_(size, K(5e-324)), K(0), &log_lo);
  *lo = logs ? K(0) : log_lo;
  return logs ? -size : value;
}
/* log(1 - u) for a tail's size u */
DEV_FN real log_of_other_(real size) { return log1p_(-(TAIL_IS_LOG(size) ? exp_(-size) : size)); }

/* Tails without their sides, with their logarithms and, to few digits, the normal deviates of which they are upper
 * tails. */
DEV_BLOCK_FN void tail_deviates(const real *t, real *u, real *log_u, real *w) {
  real beyond[LANES];
  LANE_LOOP(l) {
    real lo;
    const real size = fabs(t[l]);
    log_u[l] = log_of_tail_(size, &lo);
    u[l] = TAIL_IS_LOG(size) ? exp_(-size) : size;
    w[l] = normal_centre_(u[l], &beyond[l]);
  }
  ANY_LANE(far, beyond[l] > 0)
  if (far > 0)
    LANE_LOOP(l) {
      const real rough = normal_roughly_(log_u[l]), deep = sqrt(max_(K(-2) * log_u[l], K(0)));
      w[l] = beyond[l] > 0 ? (log_u[l] < K(-9e3) ? deep : rough) : w[l];
    }
}

/* A step of fourth order to the root of a function, here of g - log t with the logarithm g of a tail, from its value
 * gap and the slope g', with k = g''/g' and third = g'''/g'; where its series does not serve, that is size is not
 * small, a step of Newton's, of at most `most`. */
DEV_FN real fourth_order_(real gap, real slope, real k, real third, real most, real *size) {
  const real d = -gap / slope, a2 = K(0.5) * k, a3 = third * K(0.16666666666666666);
  *size = fabs(d) * (1 + fabs(a2) + sqrt(fabs(a3)));
  return *size < K(0.3) ? d * FMA(d, FMA(2 * a2 * a2 - a3, d, -a2), K(1)) : clamp_(d, -most, most);
}
/* x e^by */
DEV_FN real moved_by_(real x, real by) { return FMA(fabs(by) < K(1e-8) ? by : expm1_core_(by), x, x); }

/* Where quantiles are sought to the columns that the steps read. */
#define KEEP_TAILS(tail_column, tail, at_column, start)                                                      \
  {                                                                                                          \
    DEV_GLOBAL real *kept_tail = PLACES(work, tail_column, 1, at, LANES, cap);                               \
    DEV_GLOBAL real *kept_at = PLACES(work, at_column, 1, at, LANES, cap);                                   \
    LANE_LOOP(l) {                                                                                           \
      kept_tail[l] = tail[l];                                                                                \
      kept_at[l] = start[l];                                                                                 \
    }                                                                                                        \
  }

#endif
