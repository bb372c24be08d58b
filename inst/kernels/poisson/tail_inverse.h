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
/* u of a tail's size as given, and log(1 - u) */
DEV_FN real tail_size_(real size) { return TAIL_IS_LOG(size) ? exp_(-size) : size; }
DEV_FN real log_of_other_(real size) { return log1p_(-tail_size_(size)); }

/* Tails without their sides, with their logarithms and, to few digits, the normal deviates of which they are upper
 * tails. */
DEV_BLOCK_FN void tail_deviates(const real *t, real *u, real *log_u, real *w) {
  real beyond[LANES];
  LANE_LOOP(l) {
    real lo;
    const real size = fabs(t[l]);
    log_u[l] = log_of_tail_(size, &lo);
    u[l] = tail_size_(size);
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
/* A step to the root of L - log t, L the logarithm of a tail, in the logarithm (or logit) z of where it is, by the
 * series of z in powers of the gap L - log t, whose coefficients follow from the density (A. Gil, J. Segura and N. M.
 * Temme, Efficient and accurate algorithms for the computation and inversion of the incomplete gamma function ratios,
 * SIAM J. Sci. Comput. 34, 2012). With h = dL/dz, u the slope by z of the logarithm of z's density and v = -du/dz,
 *     dz/dL = 1/h, dh/dL = u - h, du/dL = -v/h, dv/dL = d v/h,
 * where d = 1 for the gamma distribution and d = 1 - 2 x, dd/dL = -c v/h, c = 2/n, for the beta distribution, which
 * is bounded. Seven terms: a start from which the tail is off by a share of 0.01 needs no second step. *left bounds
 * what is left out; where the last terms do not fall a step of Newton's, of at most `most`. */
#define SETTLED_ K(3e-15)
DEV_FN real seventh_order_(real gap, real h0, real u0, real v0, flag bounded, real d0, real c, real most,
                           real *left) {
  const real t = -gap, by2 = K(0.5), by3 = K(0.3333333333333333), by5 = K(0.2), by6 = K(0.16666666666666666);
  const real r0 = 1 / h0, w0 = r0 * v0, h1 = u0 - h0, r1 = -r0 * (h1 * r0), u1 = -w0, d1 = -c * w0;
  const real v1 = bounded ? d0 * w0 : w0;
  const real w1 = FMA(r1, v0, r0 * v1), h2 = by2 * (u1 - h1), r2 = -r0 * FMA(h1, r1, h2 * r0);
  const real u2 = -by2 * w1, d2 = c * u2, v2 = by2 * (bounded ? FMA(d1, w0, d0 * w1) : w1);
  const real w2 = FMA(r2, v0, FMA(r1, v1, r0 * v2)), h3 = by3 * (u2 - h2);
  const real r3 = -r0 * FMA(h1, r2, FMA(h2, r1, h3 * r0));
  const real u3 = -by3 * w2, d3 = c * u3, v3 = by3 * (bounded ? FMA(d2, w0, FMA(d1, w1, d0 * w2)) : w2);
  const real w3 = FMA(r3, v0, FMA(r2, v1, FMA(r1, v2, r0 * v3))), h4 = K(0.25) * (u3 - h3);
  const real r4 = -r0 * FMA(h1, r3, FMA(h2, r2, FMA(h3, r1, h4 * r0)));
  const real u4 = K(-0.25) * w3, v_of = FMA(d3, w0, FMA(d2, w1, FMA(d1, w2, d0 * w3)));
  const real v4 = K(0.25) * (bounded ? v_of : w3);
  const real w4 = FMA(r4, v0, FMA(r3, v1, FMA(r2, v2, FMA(r1, v3, r0 * v4)))), h5 = by5 * (u4 - h4);
  const real r5 = -r0 * FMA(h1, r4, FMA(h2, r3, FMA(h3, r2, FMA(h4, r1, h5 * r0))));
  const real h6 = by6 * FMA(-by5, w4, -h5);
  const real r6 = -r0 * FMA(h1, r5, FMA(h2, r4, FMA(h3, r3, FMA(h4, r2, FMA(h5, r1, h6 * r0)))));
  const real t2 = t * t, t4 = t2 * t2, five = by6 * r5 * t, six = K(0.14285714285714285) * r6 * t2;
  const real high = FMA(t, FMA(t, by5 * r4, K(0.25) * r3), by3 * r2), low = FMA(by2 * r1, t, r0);
  const real by = t * FMA(t4, five + six, FMA(t2, high, low));
  const real first = t * r0, next = max_(fabs(six), K(0.01) * fabs(five)) * (t4 * fabs(t));
  *left = fabs(first) < K(0.5) ? next : K(1);
  return *left < K(1e-3) ? by : clamp_(first, -most, most);
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
