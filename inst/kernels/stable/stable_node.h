/* node.h: exp and sin for the nodes of a quadrature, with the fewest operations.
 *
 * A term of a sum is wanted to about 1e-15, not to half an ulp, and only where it is large: so one step of argument
 * reduction (its error, 2.3e-17 n in e^x = 2^n e^r, is largest where the term is 2^n small), polynomials of error
 * 2e-16, no care for overflow. Coefficients: tools/node_coefficients.py. */
#ifndef STATCL_NODE_H
#define STATCL_NODE_H

#include "kernels/common/elementary.h"

/* (e^r - 1 - r)/r^2, z = r^2, |r| <= log(2)/2, relative to e^r; error 2.9e-16 */
#define EXP_NODE(r, z) \
  FMA(z * z, FMA(z, FMA(z, K(2.763560320073351e-07), FMA(r, K(2.763528549893573e-06), \
  K(2.480147807917806e-05))), FMA(r, K(0.00019841184516309598), K(0.0013888888957842586))), FMA(z, FMA(r, \
  K(0.008333333371414385), K(0.04166666666647941)), FMA(r, K(0.16666666666610327), K(0.5000000000000016))))

/* (sin(r)/r - 1)/z, z = r^2, |r| <= pi/2, relative to sin r; error 1.5e-16 */
#define SIN_NODE(z) \
  FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, K(-7.373355230784456e-13), K(1.60480963858755e-10)), \
  K(-2.5051880309095074e-08)), K(2.7557316601173897e-06)), K(-0.0001984126982506175)), \
  K(0.008333333333285564)), K(-0.16666666666666186))

/* (cos r - 1 + z/2)/z^2, z = r^2, |r| <= pi/2, absolute; error 5.7e-18 */
#define COS_NODE(z) \
  FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, K(4.616143500771781e-14), K(-1.146363619979365e-11)), \
  K(2.087659261995032e-09)), K(-2.755731706901191e-07)), K(2.4801587285788748e-05)), \
  K(-0.0013888888888830071)), K(0.04166666666666583))

/* the same, for positions alone; error 9.5e-08 */
#define EXP_ROUGH(r) \
  FMA(r, FMA(r, FMA(r, K(0.008374782720689661), K(0.041898232096918134)), K(0.1666645551614758)), \
  K(0.49999147339264305))

/* log(1 + f)/f, sqrt(1/2) <= 1 + f <= sqrt(2), absolute of log(1 + f); error 3.0e-07 */
#define LOG_ROUGH(f) \
  FMA(f, FMA(f, FMA(f, FMA(f, FMA(f, FMA(f, K(0.10015812014906904), K(-0.18408465776777805)), \
  K(0.20938331623530343)), K(-0.24944397174703112)), K(0.33283639376440405)), K(-0.5000024023403454)), \
  K(1.000006519477012))

/* e^x, |x| < 708; relative error below 1e-15 + 2.3e-17 |x|. */
DEV_FN real exp_node_(real x) {
  const real t = FMA(x, LOG2E_, ROUND_), n = t - ROUND_, r = FMA(-n, LN2_, x);
  const real z = r * r;
  const real p = FMA(r, FMA(r, EXP_NODE(r, z), K(1)), K(1));
  return real_of((i64)((u64)bits_of(p) + ((u64)bits_of(t) << 52)));
}

/* e^x - 1, |x| < 708, relative also near 0. */
DEV_FN real expm1_node_(real x) {
  const real t = FMA(x, LOG2E_, ROUND_), n = t - ROUND_, r = FMA(-n, LN2_, x);
  const real z = r * r;
  const real p = FMA(z, EXP_NODE(r, z), r);
  const real s = real_of(shl_(bits_of(t), 52) + ONE_BITS_);
  return FMA(s, p, s - K(1));
}

/* For positions, not for values: which ray, how far. e^x, relative error 1e-7, bounded beyond |x| = 700; log x,
 * absolute error 3e-7 for normal x, and some number for any other. */
DEV_FN real exp_rough_(real x) {
  const real c = clamp_(x, K(-700), K(700)), t = FMA(c, LOG2E_, ROUND_), r = FMA(ROUND_ - t, LN2_, c);
  const real p = FMA(r, FMA(r, EXP_ROUGH(r), K(1)), K(1));
  return real_of((i64)((u64)bits_of(p) + ((u64)bits_of(t) << 52)));
}
DEV_FN real log_rough_(real x) {
  real f;
  const real k = log_reduce_(x, &f);
  return FMA(f, LOG_ROUGH(f), k * LN2_);
}

/* sin(x), |x| < 1e4; absolute error below 4e-16 (1 + 1e-3 |x|). Beyond that a bounded number while |x| < 1e8. */
DEV_FN real sin_node_(real x) {
  const real t = FMA(x, PI_INV_, ROUND_), k = t - ROUND_;
  const real r = FMA(-k, PI_R2, FMA(-k, PI_R1, x)), z = r * r;
  return flip_sign_(FMA(r * z, SIN_NODE(z), r), bits_of(t));
}

/* The same with cos(x). */
DEV_FN real sincos_node_(real x, real *cos_x) {
  const real t = FMA(x, PI_INV_, ROUND_), k = t - ROUND_;
  const real r = FMA(-k, PI_R2, FMA(-k, PI_R1, x)), z = r * r;
  *cos_x = flip_sign_(FMA(z, FMA(z, COS_NODE(z), K(-0.5)), K(1)), bits_of(t));
  return flip_sign_(FMA(r * z, SIN_NODE(z), r), bits_of(t));
}

#endif
