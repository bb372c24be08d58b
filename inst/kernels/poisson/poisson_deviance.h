/* poisson_deviance.h: a log(a/lambda) + lambda - a in two doubles, and whether a tail decides about a probability:
 * what other distributions of counts have in common with Poisson's. */
#ifndef STATCL_POISSON_DEVIANCE_H
#define STATCL_POISSON_DEVIANCE_H

#include "kernels/common/tail_form.h"
#include "kernels/poisson/poisson.h"

#define LN2_LO_ K(2.3190468138462996e-17) /* log 2 - LN2_ */

/* D + *lo for finite lambda > 0 and whole a >= 0; relative error 5e-19. With lambda = 2^k v, v = a (1 + f) of the
 * size of a, and s = f/(2 + f), D = a (f - log(1 + f)) + (lambda - v) - a k log 2, where without cancellation
 *     f - log(1 + f) = f s - s^3 (2/3 + 2 s^2/5 + ...).
 * In units of the power of two of a, so that nothing overflows on the way. k is known to be 0 where alike is 1, for
 * CLOSE_(lambda, a). */
#define CLOSE_(lambda, a) (((lambda) >= K(0.71) * (a)) & ((lambda) <= K(1.41) * (a)))
DEV_FN real deviance_(real lambda, real a, flag alike, real *lo) {
  const flag none = a == K(0.0), tiny = lambda < K(1e-290);
  real fv, fm, sum_lo, e, p_e, z_lo, ms_lo, c_lo, u_lo, t_lo, d_lo, g, k_lo, v_lo, r_lo, lowest;
  const real k_v = log_reduce_(tiny ? lambda * LIFT_BY_ : lambda, &fv) - (tiny ? LIFT_ : K(0.0));
  const real k_a = log_reduce_(none ? K(1.0) : a, &fm), m = fm + K(1.0), v0 = fv + K(1.0);
  const flag over = v0 > K(1.4142135623730951) * m, under = m > K(1.4142135623730951) * v0;
  const real v = over ? K(0.5) * v0 : (under ? K(2.0) * v0 : v0);
  const real k = (k_v - k_a) + (over ? K(1.0) : (under ? K(-1.0) : K(0.0)));
  const real d = v - m, sum = two_sum(v, m, &sum_lo), s = d / sum, back = two_prod(s, sum, &e);
  const real s_lo = (((d - back) - e) - s * sum_lo) / sum, p = two_prod(d, s, &p_e);
  const real z = dd_mul(s, s_lo, s, s_lo, &z_lo), z2 = z * z, z4 = z2 * z2;
  const real u = fast_two_sum(K(0.6666666666666666), z * ATANH_R(z, z2, z4), &u_lo);
  const real ms = two_prod(m, s, &ms_lo), c = dd_mul(ms, FMA(m, s_lo, ms_lo), z, z_lo, &c_lo);
  const real t = dd_mul(c, c_lo, u, u_lo + K(3.700743415417188e-17), &t_lo);
  const real near = dd_add(p, FMA(d, s_lo, p_e), -t, -t_lo, &d_lo);
  /* where k = 0 far is 0 */
  const real part = FMA(k_a, K(-0.5), ROUND_), rest = (-k_a - (part - ROUND_)) + ROUND_;
  const real gap = two_sum(lambda * pow2_(part) * pow2_(rest), -v, &g);
  const real mk = two_prod(m, k, &k_lo), turned = dd_mul(mk, k_lo, LN2_, LN2_LO_, &v_lo);
  const real far = dd_add(gap, g, -turned, -v_lo, &r_lo);
  real all_lo;
  const real all = dd_add(near, d_lo, far, r_lo, &all_lo), whole = alike ? near : all;
  lowest = alike ? d_lo : all_lo;
  const real unit = pow2_(ROUND_ + (k_a - K(1.0))), hi = whole * unit * K(2.0), below = lowest * unit * K(2.0);
  *lo = (none | (hi > REAL_MAX_)) ? K(0.0) : below;
  return none ? lambda : min_(hi, REAL_MAX_);
}

/* Is P(N <= k) < p, for p by its tail t? k = a - 1; lower: is the smaller tail at k, f exp(-dev) or
 * small, a lower one? Where it is of few terms the logarithm of f cancels most of dev. doubt: do 18 units of the last
 * digit decide? Tails are right to 5, t to 1, and sums of logarithms to 2 of the largest. */
DEV_FN flag tail_is_below(real t, flag lower, flag few, real f, real dev, real dev_lo, real small, flag *doubt) {
  const real size = fabs(t), other = 1 - small;
  const flag logs = TAIL_IS_LOG(size), same = (t > 0) == lower;
  real e;
  const real top = two_sum(-size, dev, &e) + (e + dev_lo); /* log(tail) + dev */
  const real log_of = log_core_(max_(same ? f : other, K(1e-300))), log_f = dev < REAL_MAX_ ? log_of : -INF_;
  const real log_small = log_plus_(max_(f, K(1e-307)), -dev, -dev_lo);
  const real here = logs ? (same ? (few ? log_small : log_f) : log_of) : (same ? small : other);
  const real wanted = logs ? ((same & !few) ? top : -size) : size;
  const flag less = here < wanted, more = here > wanted;
  const real scale = logs ? max_(size, K(1)) : wanted;
  *doubt = fabs(here - wanted) <= K(4e-15) * scale;
  return t > 0 ? less : more;
}

#endif
