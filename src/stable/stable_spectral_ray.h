/* stable_spectral_ray.h: the radial integral in the density of a stable distribution in the plane,
 *   J = int_0^inf t exp(-a t^alpha - i (y t + b t q(log t))) dt, q(v) = -tan(pi alpha/2) expm1((alpha - 1) v),
 * (2/pi) v for alpha = 1, of which the real part is wanted. */
#ifndef STATCL_STABLE_SPECTRAL_RAY_H
#define STATCL_STABLE_SPECTRAL_RAY_H

enum { RAY_KINDS = 2, RAY_SHORT = 12, RAY_LONG = 14, RAY_STEPS = 25, RAY_TILTS = 2 * RAY_STEPS + 1 };

typedef struct {
  double re, im;
} cplx;

/* At one node of a piece that begins at 0: exp(v), exp((alpha - 1) v), q(v), and the weight
 * times exp(2 v). */
typedef struct {
  cplx t, p, q, weight;
} ray_node;

typedef struct {
  double alpha, less, tangent, kappa; /* alpha - 1, T, and -T (alpha - 1), the derivative of q at 0 */
  ray_node nodes[RAY_KINDS][RAY_TILTS][RAY_LONG];
} spectral_ray;

void ray_prepare(spectral_ray *r, double alpha);

/* Re J, for a > 0 and |b| <= a. */
double ray_value(const spectral_ray *r, double a, double b, double y);

/* q(v) at a real v. */
double ray_q(const spectral_ray *r, double v);

/* Nodes in (0, 1) and weights of the rule of Gauss and Legendre, by Newton's method. */
void legendre_rule(int n, double *x, double *w);

#endif
