/* stable.h: the host side of the stable laws. Columns are recycled; results have length n. Invalid parameters give
 * NaN at their places. pm is Nolan's parameterisation 0, 1 or 2 (2: location at the mode, scale alpha^(-1/alpha)). */
#ifndef STATCL_STABLE_HOST_H
#define STATCL_STABLE_HOST_H

#include "backend.h"

typedef struct {
  column alpha, beta, gamma, delta, pm;
} stable_parameters;

/* (log) density at x. run consecutive points share an element of alpha, beta and pm (1: they vary with x);
 * gamma and delta always go with x. */
status stable_density(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *out);

/* Modes of the S0 laws with scale 1 and location 0 of the sets whose pm is 2, 0 for the others: a column over sets,
 * whose memory the caller frees. */
status stable_modes(int64_t n_sets, stable_parameters p, double **memory, column *mode);

/* Draws number 0, 1, ..., n - 1 of the stream that key names. */
status stable_random(int64_t n, stable_parameters p, const uint32_t key[2], double *out);

#endif
