/* quadrature_adaptive.h: many integrals of one integrand at once, by adaptive Gauss-Kronrod quadrature. */
#ifndef STATCL_QUADRATURE_ADAPTIVE_H
#define STATCL_QUADRATURE_ADAPTIVE_H

#include "quadrature/integrand.h"

/* QUADPACK's, and one more */
enum {
  QUAD_OK,
  QUAD_SUBDIVISIONS,
  QUAD_ROUNDOFF,
  QUAD_BEHAVIOUR,
  QUAD_EXTRAPOLATION,
  QUAD_DIVERGENT,
  QUAD_INVALID,
  QUAD_NOT_FINITE,
  QUAD_ZERO, /* or denormal, as f is at all nodes */
  QUAD_OSCILLATES /* with options.give_up only */
};

typedef struct {
  double rel, abs;         /* tolerance: the larger of abs and rel times the integral */
  int32_t subdivisions;    /* panels at most */
  int32_t min_panels;      /* to begin with */
  const double *breaks;    /* n_break points to split at, for all integrals or, by_row, for each; NaN for none */
  int64_t n_break;
  int by_row;
  int give_up; /* integrals over half-lines whose panels are many far out */
  /* NULL, or what to take off f, the logarithm of what is integrated, m numbers of each integral: see integrand.h */
  const double *shift;
} quadrature_options;

/* Of each integral; value and error of each of its components, those of an integral next to each other: with
 * options.shift of their logarithms. */
typedef struct {
  double *value, *error, *evaluations;
  double *where; /* with QUAD_NOT_FINITE an x at which f is not finite, or NaN: the integral overflows */
  int32_t *subdivisions, *code;
} quadrature_result;

/* n integrals from lower to upper; integral i has the parameters i * n_parameter, ... */
status quadrature_adaptive(const integrand_source *source, int64_t n, const double *parameters, column lower,
                           column upper, const quadrature_options *o, quadrature_result *r);

#endif
