/* given_levels.h: what given_program.h does with sets (given_sets.h) side by side, once per instruction set. */
#ifndef STATCL_GIVEN_LEVELS_H
#define STATCL_GIVEN_LEVELS_H

#include "covariance/given_batch.h"
#include "covariance/several_lanes.h"
#include "engine/cpu_levels.h"

enum { GIVEN_LANES = 16 };

/* A batch of sets, the first of which is number `first` of those that are asked for; the memory of a thread. */
typedef struct {
  const given_sets *s;
  const given_covariances *c;
  const given_batch *in;
  const double *value; /* of pairs, unless these are made in lanes */
  int64_t first;
  int thread;
  double *memory;
} given_work;

/* GIVEN_LANES sets from number k of the batch on. */
typedef struct {
  int64_t (*memory)(const given_sets *s, const several_lanes *lanes); /* numbers for each thread */
  /* rows of given_rows(), and what is added to the sums of given_sums(); bad: as there, if it was 0 */
  void (*rows)(const given_work *w, int64_t k, int weights, double *out);
  void (*sums)(const given_work *w, int64_t k, double *sum, double *bad);
} given_lanes;

#define GIVEN_LANES_OF(level) GIVEN_LANES_OF_(level)
#define GIVEN_LANES_OF_(level) given_##level##_lanes
#define GIVEN_LINE(level, of) extern const given_lanes GIVEN_LANES_OF(level);
CPU_LEVELS(GIVEN_LINE, )
#undef GIVEN_LINE

#endif
