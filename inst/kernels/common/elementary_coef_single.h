/* elementary_coef_single.h: made by tools/elementary_coefficients.py; do not edit. Errors are those of the
 * polynomial, relative to the function named, before rounding. */
#ifndef STATCL_ELEMENTARY_COEF_SINGLE_H
#define STATCL_ELEMENTARY_COEF_SINGLE_H

/* (e^r - 1 - r)/r^2, |r| <= log(2)/2, relative to e^r - 1; error 1.3e-08 */
#define EXP_Q(r, r2, r4) \
  FMA(r4, K(0.00138824491), FMA(r2, FMA(r, K(0.00836650934), K(0.0416672006)), FMA(r, K(0.166665435), \
  K(0.49999997))))

/* (2 atanh(s)/s - 2)/z, z = s^2, |s| <= 3 - 2 sqrt 2; error 8.1e-10 */
#define LOG_R(z, z2, z4) \
  FMA(z2, K(0.298716158), FMA(z, K(0.399775445), K(0.666667759)))

/* (sin(r)/r - 1)/z, z = r^2, |r| <= pi/4; error 3.6e-09 */
#define SIN_S(z, z2, z4) \
  FMA(z2, K(-0.00019517327), FMA(z, K(0.008332178), K(-0.166666552)))

/* (cos(r) - 1 + z/2)/z^2, z = r^2, |r| <= pi/4; error 9.5e-11 */
#define COS_C(z, z2, z4) \
  FMA(z2, K(2.44384373e-05), FMA(z, K(-0.00138873677), K(0.0416666456)))

/* (atan(q)/q - 1)/z, z = q^2, q <= sqrt(2) - 1; error 6.5e-10 */
#define ATAN_A(z, z2, z4) \
  FMA(z4, K(-0.0608349703), FMA(z2, FMA(z, K(0.105960198), K(-0.142438516)), FMA(z, K(0.199984893), \
  K(-0.333333164))))

/* (1/2 + x) erfcx(x), t = (x - 15/4)/(x + 15/4), x >= 0; error 1.0e-08 */
#define ERFCX_P(t, t2, t4) \
  FMA(t4, FMA(t4, FMA(t2, FMA(t, K(-0.000110117202), K(0.000197805566)), FMA(t, K(0.000832636724), \
  K(-0.00492136832))), FMA(t2, FMA(t, K(0.0142099177), K(-0.0293242075)), FMA(t, K(0.0461430885), \
  K(-0.0544068553)))), FMA(t2, FMA(t, K(0.0411396138), K(0.00179309968)), FMA(t, K(-0.0701203495), \
  K(0.618756294))))

#define LN2_R1 K(0.693145752)
#define LN2_R2 K(1.42860677e-06)

#endif
