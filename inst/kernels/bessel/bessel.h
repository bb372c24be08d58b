/* bessel.h: K_nu(x) as blocks of lanes, for bessel.cl and matern_direct.cl.
 *
 * nu = mu + n, |mu| <= 1/2, n an integer. For nu <= BESSEL_ORDER both K_mu and K_(mu+1) are computed, by Temme's
 * series (x < BESSEL_SERIES), Hankel's expansion (large x, in bessel.cl) or from the integral
 *     K_mu(x) = e^-x Int_0^Inf exp(-x (cosh t - 1)) cosh(mu t) dt
 * by the trapezoidal rule, and K_nu follows by the recurrence K_(m+1) = K_(m-1) + (2 m/x) K_m, all of whose terms are
 * positive. For larger orders the rule is centred at the peak of the integrand, see bessel_sums_centred(). */
#ifndef STATCL_BESSEL_H
#define STATCL_BESSEL_H

#include "kernels/bessel/bessel_par.h"
#include "kernels/bessel/bessel_temme.h"

#define BESSEL_SERIES K(0.5)

/* The trapezoidal rule of step h errs by 2 |K_(mu + 2 pi i/h)(x)| (Poisson summation), and ends where its terms are
 * negligible, both below 2.1e-17 of K_(mu+1): 1/h^2 = BESSEL_STEP_0 + BESSEL_STEP_1 x and the numbers of nodes for x
 * in [0.5, 2), [2, 8) and [8, Inf) are from tools/bessel_steps.py. */
#define BESSEL_NODES_LOW 23
#define BESSEL_NODES_MID 17
#define BESSEL_NODES_HIGH 13
#define BESSEL_STEP_0(nodes) ((nodes) == BESSEL_NODES_LOW ? K(19.2) : (nodes) == BESSEL_NODES_MID ? K(18.8) : K(10))
#define BESSEL_STEP_1(nodes) ((nodes) == BESSEL_NODES_LOW ? K(0.55) : (nodes) == BESSEL_NODES_MID ? K(0.8) : K(1.98))

/* sinh(y) and cosh(y) - 1 for |y| <= 1/8, truncation errors 1e-19 */
DEV_FN real small_sinh_(real y) {
  const real z = y * y;
  return FMA(y * z, FMA(z, FMA(z, FMA(z, K(2.7557319223985893e-06), K(1.984126984126984e-04)),
                               K(8.333333333333333e-03)), K(1.6666666666666666e-01)), y);
}
DEV_FN real small_coshm1_(real y) {
  const real z = y * y;
  return z * FMA(z, FMA(z, FMA(z, FMA(z, K(2.755731922398589e-07), K(2.48015873015873e-05)),
                                K(1.3888888888888889e-03)), K(4.1666666666666664e-02)), K(0.5));
}

/* sinh(u) - u from u and sinh(u), u >= 0: for u < 0.2 by its series, truncation error 1e-16 */
DEV_FN real sinh_less_(real u, real sinh_u) {
  const real z = u * u;
  const real series = FMA(z, FMA(z, FMA(z, FMA(z, K(2.505210838544172e-08), K(2.7557319223985893e-06)),
                                        K(1.984126984126984e-04)), K(8.333333333333333e-03)),
                          K(1.6666666666666666e-01)) * z * u;
  return u < K(0.2) ? series : sinh_u - u;
}

/* cosh a and sinh a to those of a + b, from cosh b - 1 and sinh b: a factor next to 1 would be off by its rounding
 * error again at every step. */
#define HYPERBOLIC_STEP(cosh_a, sinh_a, coshm1_b, sinh_b)                                                    \
  {                                                                                                          \
    const real cosh_ = FMA(cosh_a, coshm1_b, FMA(sinh_a, sinh_b, cosh_a));                                   \
    sinh_a = FMA(sinh_a, coshm1_b, FMA(cosh_a, sinh_b, sinh_a));                                             \
    cosh_a = cosh_;                                                                                          \
  }

/* e^x K_mu(x) and e^x K_(mu+1)(x) for x >= 0.5: with q = sinh(t/2), w = cosh(t/2) at the nodes by the addition
 * theorems, cosh t - 1 = 2 q^2, so nothing cancels. Beyond 1e200 x is scaled: K_mu(x) e^x there is sqrt(pi/(2 x)). */
DEV_BLOCK_FN void bessel_sums(const real *x, const real *mu, i32 nodes, real *k0, real *k1) {
  const real step_0 = BESSEL_STEP_0(nodes), step_1 = BESSEL_STEP_1(nodes);
  real h[LANES], z[LANES], q1[LANES], w1[LANES], c1[LANES], d1[LANES];
  real q[LANES], w[LANES], c[LANES], d[LANES], sum0[LANES], sum1[LANES];
  LANE_LOOP(l) {
    z[l] = x[l] > K(1e200) ? x[l] * K(3.872591914849318e-121) : x[l]; /* 2^-400 */
    h[l] = rsqrt_(FMA(step_1, z[l], step_0));
    q1[l] = small_sinh_(K(0.5) * h[l]);
    w1[l] = small_coshm1_(K(0.5) * h[l]);
    c1[l] = small_coshm1_(mu[l] * h[l]);
    d1[l] = small_sinh_(mu[l] * h[l]);
    q[l] = q1[l];
    w[l] = 1 + w1[l];
    c[l] = 1 + c1[l];
    d[l] = d1[l];
    sum0[l] = K(0.5);
    sum1[l] = K(0.5);
  }
  for (i32 k = 0; k < nodes; k++)
    LANE_LOOP(l) {
      const real qq = 2 * q[l] * q[l], e = exp_core_(-z[l] * qq), s = 2 * q[l] * w[l];
      sum0[l] = FMA(e, c[l], sum0[l]);
      sum1[l] = FMA(e, FMA(c[l], qq, FMA(d[l], s, c[l])), sum1[l]);
      HYPERBOLIC_STEP(w[l], q[l], w1[l], q1[l])
      HYPERBOLIC_STEP(c[l], d[l], c1[l], d1[l])
    }
  LANE_LOOP(l) {
    const real scale = x[l] > K(1e200) ? h[l] * K(6.223015277861142e-61) : h[l]; /* 2^-200 */
    k0[l] = scale * sum0[l];
    k1[l] = scale * sum1[l];
  }
}

#define CENTRED_STEP(s) (K(0.7) * rsqrt_((s) + 8))
#define CENTRED_NODES(s) ((s) < 60 ? K(28) : K(17))

/* The trapezoidal rule on the whole line, centred at the peak t0 = asinh(nu/x) of exp(nu t - x cosh t): with
 * t = t0 + u and s = sqrt(nu^2 + x^2),
 *     K_nu(x) = exp(nu t0 - s)/2 Int exp(-s (cosh u - 1) - nu (sinh u - u)) du.
 * In pairs of nodes +-u the rounding error of sinh u - u cancels to first order. Gives the sum times h,
 * and the means of u, cosh u and sinh u over its weights. For x >= 2 or s >= 10: there the error of the step is below
 * 1.5e-16, and 28 nodes (17 for s >= 60) leave out less than 1e-19 (tools/bessel_steps.py). */
DEV_BLOCK_FN void bessel_sums_centred(const real *s, const real *nu, real *integral, real *mean_u,
                                      real *mean_cosh, real *mean_sinh) {
  real h[LANES], q1[LANES], w1[LANES], q[LANES], w[LANES], sum[LANES], sum_u[LANES];
  real sum_c[LANES], sum_s[LANES], last[LANES], most = 0;
  LANE_LOOP(l) {
    last[l] = CENTRED_NODES(s[l]);
    h[l] = CENTRED_STEP(s[l]);
    q1[l] = small_sinh_(K(0.5) * h[l]);
    w1[l] = small_coshm1_(K(0.5) * h[l]);
    q[l] = q1[l];
    w[l] = 1 + w1[l];
    sum[l] = 1;
    sum_u[l] = 0;
    sum_c[l] = 1;
    sum_s[l] = 0;
  }
  for (i32 l = 0; l < LANES; l++) most = max_(most, last[l]);
  for (i32 k = 1; k <= (i32)most; k++) {
    const real index = k;
    LANE_LOOP(l) {
      const real u = index * h[l], c = 2 * q[l] * q[l], sinh_u = 2 * q[l] * w[l];
      const real even = s[l] * c, odd = nu[l] * sinh_less_(u, sinh_u), right = even + odd, left = even - odd;
      const real on = index <= last[l] ? K(1) : K(0); /* what a lane gets is not its neighbours' business */
      const real e_right = on * exp_core_(-min_(right, K(700))), e_left = on * exp_core_(-min_(left, K(700)));
      const real both = e_right + e_left, apart = e_right - e_left;
      sum[l] += both;
      sum_u[l] = FMA(u, apart, sum_u[l]);
      sum_c[l] += FMA(c, both, both);
      sum_s[l] = FMA(sinh_u, apart, sum_s[l]);
      HYPERBOLIC_STEP(w[l], q[l], w1[l], q1[l])
    }
  }
  LANE_LOOP(l) {
    integral[l] = h[l] * sum[l];
    mean_u[l] = sum_u[l] / sum[l];
    mean_cosh[l] = sum_c[l] / sum[l];
    mean_sinh[l] = sum_s[l] / sum[l];
  }
}

/* sqrt(x^2 + y^2) as a sum of two doubles; x, y >= 0, the larger above 1e-140 */
DEV_FN real bessel_norm(real x, real y, real *lo) {
  const real larger = max_(x, y), smaller = min_(x, y);
  const flag vast = larger > K(1e140);
  const real shrink = vast ? K(2.409919865102884e-181) : K(1); /* 2^-600 */
  const real a = larger * shrink, b = smaller * shrink, square = FMA(a, a, b * b), r = square * rsqrt_(square);
  real a2_lo, b2_lo, r2_lo;
  const real a2 = two_prod(a, a, &a2_lo), b2 = two_prod(b, b, &b2_lo), r2 = two_prod(r, r, &r2_lo);
  const real back = vast ? K(4.149515568880993e180) : K(1);
  *lo = (((a2 - r2) + b2) + ((a2_lo - r2_lo) + b2_lo)) / (2 * r) * back;
  return r * back;
}

#endif
