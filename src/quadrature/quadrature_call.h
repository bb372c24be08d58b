/* quadrature_call.h: what is asked of many integrals at once, and what comes of them. */
#ifndef STATCL_QUADRATURE_CALL_H
#define STATCL_QUADRATURE_CALL_H

#include <stdint.h>

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

#endif
