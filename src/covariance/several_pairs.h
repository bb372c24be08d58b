/* several_pairs.h: covariances of several variables among places: between variables i and j the sum over terms t of
 * weight_t(i, j) F_t, F_t a correlation of one variable, and at one place the covariance of their errors. */
#ifndef STATCL_SEVERAL_PAIRS_H
#define STATCL_SEVERAL_PAIRS_H

#include "covariance/covariance.h"

/* n places by columns of coordinates, longitude and latitude in degrees on a sphere; `variable` counts from 0.
 * weight: variables x variables numbers for each of `terms` parts, and has: is the term of the pair at all? shared:
 * variables x variables covariances of the errors of the first `observed` places where `place`, a number for each, is
 * the same; NULL: there are none. */
typedef struct {
  int64_t n, observed;
  cov_metric metric;
  int variables, terms;
  const double *xy, *weight, *shared;
  const int *variable, *place, *has;
  const cov_part *part;
} several_pairs;

/* What is made of these: `geometries` different ways to measure distances, that of a term being of[t], with the
 * columns of each; and of a pair of variables the terms that count, from slot[pair] to slot[pair + 1] of term, where
 * the pair is variables i + j. */
typedef struct {
  const several_pairs *p;
  int geometries, columns, slots; /* slots: most terms of a pair */
  int *of, *slot, *term;
  double *at; /* n numbers for each column of each geometry */
} several_places;
status several_open(several_places *s, const several_pairs *p);
void several_close(several_places *s);
/* No distance is longer. */
double several_farthest(const several_places *s);
/* Columns of places, `rows` apart: several_numbers() for each. */
int several_numbers(const several_places *s);
void several_gather(const several_places *s, const int32_t *index, int64_t rows, double *at);
/* Distances of place j of these to itself and those after it. */
void several_distances(const several_places *s, int geometry, const double *at, int64_t rows, int64_t j, double *r);
/* Do both have errors, at one place? */
int several_share_errors(const several_pairs *p, int64_t i, int64_t j);

#endif
