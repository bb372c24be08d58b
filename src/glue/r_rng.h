/* r_rng.h: length of a sample and the key of its random stream, for every r function. */
#ifndef STATCL_R_RNG_H
#define STATCL_R_RNG_H

#include <stdint.h>

#define R_NO_REMAP
#include <Rinternals.h>

#include "engine/backend.h"

/* One sample: its length, its parameters as columns and two words from R's own generator. */
typedef struct {
  R_xlen_t n;
  int64_t first;    /* index of the first one in the stream, from 0 */
  SEXP value;       /* protected by the caller: element 0 is the result, the others keep the columns alive */
  uint32_t key[2];
  int whole;        /* is the result a vector of ints? */
  int empty;        /* nothing to draw: n = 0 or a parameter of length zero, already filled with NA */
} sample;

/* Reads length and parameters by the rules of rnorm(); the value must be protected. Columns begin with the parameters
 * of draw first, which R counts from 1 and has checked. The key is drawn only when
 * there is something to draw. whole: for distributions of whole numbers, do all values with these parameters fit an
 * int? Else NULL. */
SEXP sample_open(sample *s, SEXP n, SEXP first, column *col, int n_arg, const SEXP *arg,
                 int (*whole)(const column *col, R_xlen_t n));
/* The two words alone. */
void rng_key(uint32_t key[2]);
double *sample_values(const sample *s);
int *sample_ints(const sample *s);
/* The finished vector; warns once if it holds a NaN. */
SEXP sample_close(const sample *s);

#endif
