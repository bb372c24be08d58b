/* stable_sample.h: a sample to be fitted, and its observations as the likelihood takes them. */
#ifndef STATCL_STABLE_SAMPLE_H
#define STATCL_STABLE_SAMPLE_H

#include "stable/stable_estimators.h"
#include "stable/stable_observed.h"

/* So many starts of b at most; samples of at most FIT_SMALL observations have more maxima than others. */
enum { FIT_LOCATIONS = 3, FIT_SMALL = 100 };

typedef struct {
  int64_t n;
  const double *x, *weight; /* weight: NULL, or the positive number of times that each observation counts */
  const double *upper;      /* NULL, or per observation: it lies in (x, upper]; exact where equal or NaN */
  int truncated;            /* are observations, exact ones, those alone that lie in (cut[0], cut[1]]? */
  double cut[2];
  const double *q;          /* NULL, or columns of n numbers, so that locations are delta + q b; then without upper */
  int columns, starts;
  double *b;                /* starts of it, one after the other; at most FIT_LOCATIONS */
  double smallest_alpha;    /* 0: ESTIMATE_ALPHA_MIN */
  int most_steps;           /* of a climb; 0: as many as a climb usually may take */
  int pm;                   /* parameterisation of everything given and reported */
  int fixed[STABLE_PARS];   /* parameters held at value */
  int climbs;               /* from how many starts to climb; 0: as the sample needs */
  /* Climbs are given up at smallest_alpha, for no maximum follows there, and next to maxima far below the log
   * likelihood known (NaN: none is). The latter count as converged: that there is a maximum is all that is asked. */
  int gives_up;
  double known;
  int started;              /* value holds a start for the others, which goes with the first b */
  double value[STABLE_PARS];
} fit_problem;

typedef struct {
  const fit_problem *p;
  double *memory;                      /* of what follows, where it is not the problem's own */
  const double *x, *weight;            /* n exact observations */
  /* n_censored intervals and their weights: of truncated observations their range, with minus the weight of all */
  const double *low, *high, *censored;
  int64_t n, n_censored;
  stable_observed *observed;           /* the exact ones, where they stay on a device, or NULL */
  double total, total_exact;           /* of the weights */
  double least, most;                  /* extremes of all finite values */
  int64_t n_ordered;                   /* observations that the starts look at, or 0 */
  ordered_sample ordered;              /* those, as fit_order() has left them */
} fit_sample;

/* ordered: is there to be room for fit_order()? Whether it fails or not, fit_sample_close() follows. */
status fit_sample_open(fit_sample *s, const fit_problem *p, int ordered);
void fit_sample_close(fit_sample *s);

/* Puts the observations, or of many some, in order, less what the columns with b say of them. */
void fit_order(fit_sample *s, const double *b);

static inline double fit_weight(const fit_sample *s, int64_t i) { return s->weight ? s->weight[i] : 1; }

/* An observation without what the columns say of its location. */
static inline double fit_rest(const fit_sample *s, const double *b, int64_t i) {
  double x = s->x[i];
  for (int k = 0; k < s->p->columns; k++) x -= s->p->q[i + k * s->n] * b[k];
  return x;
}

#endif
