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

#define LN2_R1 K(0.693145752)
#define LN2_R2 K(1.42860677e-06)

#endif
