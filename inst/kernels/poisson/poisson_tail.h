/* poisson_tail.h: probabilities of the Poisson distribution. With a = k + 1 and the deviance
 *     D = lambda - a + a log(a/lambda),
 *     P(N = a) = exp(-D) f(a),  f(a) = a^a e^-a/a! = exp(-S(a))/sqrt(2 pi a)
 * (C. Loader, Fast and accurate computation of binomial probabilities, 2000), and the smaller tail at k is exp(-D) F
 * with F from Temme's uniform expansion or a sum of positive terms. D is made in two doubles, so that the relative
 * error of exp(-D) does not grow with D. */
#ifndef STATCL_POISSON_TAIL_H
#define STATCL_POISSON_TAIL_H

#include "kernels/poisson/poisson_deviance.h"

DEV_FN real poisson_deviance(real lambda, real a, real *lo) { return deviance_(lambda, a, 0, lo); }

/* f(a) for whole a >= 1, error 2.2 ulp */
DEV_FN real poisson_peak(real a) {
  const real v = K(1.0) / max_(a, K(8.0)), z = v * v, z2 = z * z, z4 = z2 * z2, stirling = v * LGAM_S(z, z2, z4);
  const real large = exp_times_core_(-stirling, K(0.3989422804014327) / sqrt(a));
  real value = large;
#define PEAK(k, peak) value = a == K(k) ? peak : value;
  POISSON_PEAKS(PEAK)
#undef PEAK
  return value;
}

/* exp(z) erfc(sqrt z)/2; next to 0, where erfcx_core_() is less exact, from erf. */
DEV_FN real half_erfcx_(real z) {
  const real y = sqrt(z), far = erfcx_core_(y), c = min_(z, K(0.25)), c2 = c * c, c4 = c2 * c2;
  const real near = exp_times_core_(c, FMA(-y, ERF_P(c, c2, c4), K(1.0)));
  return K(0.5) * (z < K(0.25) ? near : far);
}

/* Means and a for which tails are sums of few terms, a! is a double, and lambda^a, with what it is rounded by, no
 * number below the smallest normal one; up to the smaller mean fewer terms will do. */
#define FEW_TERMS_(lambda, a) (((lambda) >= K(1e-15)) & ((lambda) <= K(40)) & ((a) <= 19))
#define FEWER_MOST_ K(2)

/* For these the smaller tail at k = a - 1 is exp(-lambda) f,
 *     P(N < a) = exp(-lambda) (1 + lambda + ... + lambda^(a - 1)/(a - 1)!),
 *     P(N >= a) = exp(-lambda) lambda^a/a! (1 + lambda/(a + 1) + lambda^2/((a + 1)(a + 2)) + ...),
 * by Horner's scheme: for the former, multiplied by (a - 1)!, with whole coefficients and in two doubles, as is
 * lambda^a; for the latter, where lambda < a <= 19, of 56 terms or, where lambda is at most 2, 24, multiplied by
 * (a + 1) ... (a + 56). What is left out is a share below 2^-60 (19^56 19!/75!, 2^24 2!/26!). Error of f: 3 ulp
 * (tests/engine/test_poisson.c, of the tails). */
DEV_BLOCK_FN void tails_of_few_terms(const real *lambda, const real *a, real *f) {
  real n[LANES], add[LANES], factorial[LANES], sum[LANES], sum_lo[LANES], rest[LANES], whole[LANES], end[LANES];
  i32 last[LANES], most = 0, terms = 24;
  LANE_LOOP(l) {
    const flag lower = lambda[l] >= a[l];
    n[l] = lower ? a[l] - 1 : a[l];
    add[l] = lower ? K(1) : K(0);
    factorial[l] = 1;
    sum[l] = 1;
    sum_lo[l] = 0;
    rest[l] = 1;
    whole[l] = 1;
    last[l] = (i32)n[l];
    end[l] = lambda[l] <= FEWER_MOST_ ? K(24) : K(56);
  }
  for (i32 l = 0; l < LANES; l++) {
    most = most > last[l] ? most : last[l];
    terms = end[l] > 24 ? 56 : terms;
  }
  for (i32 j = terms; j > 0; j -= 8) {
    const real index = j;
    LANE_LOOP(l) {
      real at = a[l] + index, d = whole[l], r = rest[l];
#define REST_STEP                                                                                            \
  d *= at;                                                                                                   \
  r = FMA(lambda[l], r, d);                                                                                  \
  at -= 1;
      REST_STEP REST_STEP REST_STEP REST_STEP REST_STEP REST_STEP REST_STEP REST_STEP
#undef REST_STEP
      whole[l] = index <= end[l] ? d : K(1);
      rest[l] = index <= end[l] ? r : K(1);
    }
  }
  for (i32 j = most; j > 0; j -= 2) {
    const real index = j;
    LANE_LOOP(l) {
      real at = index, c = factorial[l], s = sum[l], lo = sum_lo[l];
#define SUM_STEP                                                                                             \
  {                                                                                                          \
    real e, e_sum;                                                                                           \
    const flag on = (at <= n[l]) & (at > 0);                                                                 \
    const real next = c * at, p = two_prod(s, lambda[l], &e);                                                \
    const real t = fast_two_sum(p, add[l] * next, &e_sum), t_lo = FMA(lo, lambda[l], e + e_sum);             \
    c = on ? next : c;                                                                                       \
    s = on ? t : s;                                                                                          \
    lo = on ? t_lo : lo;                                                                                     \
    at -= 1;                                                                                                 \
  }
      SUM_STEP SUM_STEP
#undef SUM_STEP
      factorial[l] = c;
      sum[l] = s;
      sum_lo[l] = lo;
    }
  }
  LANE_LOOP(l) {
    const real s = sum[l] + sum_lo[l], upper = s * rest[l], below = factorial[l] * whole[l];
    f[l] = (add[l] != 0 ? s : upper) / (add[l] != 0 ? factorial[l] : below);
  }
}

/* Any smaller tail at k = a - 1 as f exp(-dev - dev_lo): P(N < a) where lambda >= a, else P(N >= a). Finite
 * lambda > 0, whole a >= 1. With eta^2/2 = D/a, of the sign of lambda - a,
 *     P(N < a) = erfc(eta sqrt(a/2))/2 + exp(-D)/sqrt(2 pi a) (c_0(eta) + c_1(eta)/a + ...)
 * (Temme; DLMF 8.12) for a >= 20 and lambda between a/2 and 2 a; elsewhere sums
 *     P(N < a) = P(N = a) (a/lambda + a (a - 1)/lambda^2 + ...), P(N >= a) = P(N = a) (1 + lambda/(a + 1) + ...)
 * whose terms below 2^-60 change nothing. */
DEV_BLOCK_FN void tails_of_many_terms(const real *lambda, const real *a, real *f, real *dev, real *dev_lo) {
  real uniform[LANES];
  i32 n_uniform = 0, n_close = 0;
  for (i32 l = 0; l < LANES; l++) n_close += CLOSE_(lambda[l], a[l]);
  if (LANES > 1 && n_close == LANES)
    LANE_LOOP(l) dev[l] = deviance_(lambda[l], a[l], 1, &dev_lo[l]);
  else
    LANE_LOOP(l) dev[l] = deviance_(lambda[l], a[l], 0, &dev_lo[l]);
  LANE_LOOP(l) {
    const flag near = (lambda[l] >= K(0.5) * a[l]) & (K(0.5) * lambda[l] <= a[l]);
    uniform[l] = ((a[l] >= 20) & near) ? K(1) : K(0);
  }
  for (i32 l = 0; l < LANES; l++) n_uniform += uniform[l] != 0;
  if (n_uniform > 0)
    LANE_LOOP(l) {
      const real v = 1 / a[l], size = sqrt(2 * v * dev[l]), over = lambda[l] - a[l];
      const real e = min_(copy_sign_(size, over), K(0.8)), t = max_(e, K(-0.7)), t2 = t * t, t4 = t2 * t2;
      const real far = FMA(v, FMA(v, FMA(v, TEMME_10(t, t2, t4), TEMME_9(t, t2, t4)), TEMME_8(t, t2, t4)),
                           TEMME_7(t, t2, t4));
      const real mid = FMA(v, FMA(v, FMA(v, far, TEMME_6(t, t2, t4)), TEMME_5(t, t2, t4)), TEMME_4(t, t2, t4));
      const real near = FMA(v, FMA(v, FMA(v, mid, TEMME_3(t, t2, t4)), TEMME_2(t, t2, t4)), TEMME_1(t, t2, t4));
      const real rest = FMA(v, near, TEMME_0(t, t2, t4)) * (K(0.3989422804014327) * sqrt(v));
      f[l] = half_erfcx_(dev[l]) + (over >= 0 ? rest : -rest);
    }
  if (n_uniform < LANES) {
    real term[LANES], sum[LANES], sum_lo[LANES], top[LANES], bottom[LANES], up[LANES], down[LANES];
    LANE_LOOP(l) {
      const flag off = uniform[l] != 0, lower = lambda[l] >= a[l];
      const real first = off ? K(0) : (lower ? a[l] / lambda[l] : K(1));
      term[l] = first;
      sum[l] = first;
      sum_lo[l] = 0;
      top[l] = lower ? a[l] : lambda[l];
      bottom[l] = lower ? lambda[l] : a[l];
      down[l] = lower ? K(1) : K(0);
      up[l] = lower ? K(0) : K(1);
    }
    for (i32 j = 1; j < 1000; j++) {
      const real index = j;
      LANE_LOOP(l) {
        real e;
        const real next = term[l] * (max_(FMA(-index, down[l], top[l]), K(0)) / FMA(index, up[l], bottom[l]));
        sum[l] = two_sum(sum[l], next, &e);
        sum_lo[l] += e;
        term[l] = next;
      }
      if (j % 8 == 0) {
        ANY_LANE(more, term[l] > K(8.7e-19) * sum[l])
        if (more == 0) break;
      }
    }
    LANE_LOOP(l) {
      const real by_sum = poisson_peak(a[l]) * (sum[l] + sum_lo[l]);
      f[l] = uniform[l] != 0 ? f[l] : by_sum;
    }
  }
}

/* exp(-lambda) f for the f of few terms */
DEV_FN real tail_of_few_(real lambda, real f) { return exp_times_core_(-lambda, f); }

#endif
