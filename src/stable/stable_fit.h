/* stable_fit.h: maximum likelihood fits of stable distributions to many samples at once.
 *
 *   stable_fit.c         the batch: samples are opened, advance in lock-step and are reported
 *   stable_search.c      the search of one sample, as a machine that asks for likelihoods and is told them
 *   stable_likelihood.c  answers the questions of all searches of a round in few tasks
 *   stable_start.c       starting values */
#ifndef STATCL_STABLE_FIT_H
#define STATCL_STABLE_FIT_H

#include "stable/stable_estimators.h"

enum { FIT_ALPHA, FIT_BETA, FIT_GAMMA, FIT_DELTA, FIT_PARS };

typedef struct {
  int64_t n;
  const double *x, *weight; /* weight: NULL, or the positive number of times that each observation counts */
  const double *upper;      /* NULL, or per observation: it lies in (x, upper]; exact where equal or NaN */
  const double *q;          /* NULL, or columns of n numbers, so that locations are delta + q b; then without upper */
  int columns, starts;
  double *b;                /* starts of it, one after the other; at most FIT_LOCATIONS */
  double smallest_alpha;    /* 0: ESTIMATE_ALPHA_MIN */
  int most_steps;           /* of a climb; 0: MOST_STEPS */
  int pm;                   /* parameterisation of everything given and reported */
  int fixed[FIT_PARS];      /* parameters held at value */
  int climbs;               /* from how many starts to climb; 0: as the sample needs */
  int gives_up;             /* climbs end at smallest_alpha, for no maximum follows, and near maxima far below ... */
  double known;             /* ... this log likelihood; NaN: none is known */
  int started;              /* value holds a start for the others, which goes with the first b */
  double value[FIT_PARS];
} fit_problem;

typedef struct {
  double par[FIT_PARS];
  double *b;                       /* room for as many numbers as there are columns */
  double *cov;                     /* NULL, or room for that of alpha, beta and, over gamma, of gamma, delta and b;
                                    * NaN where fixed or on a boundary */
  int boundary[FIT_PARS];          /* -1, 1: on the lower, upper boundary */
  double log_lik;                  /* -Inf: no distribution tried gives all observations a positive density */
  int iterations, converged;
  int64_t densities; /* evaluated on the way */
  double tied;       /* without a maximum: the weight of equal values that make the likelihood unbounded, or 0 */
  double second[FIT_PARS + 1]; /* in S0, the next maximum and its log likelihood; NaN where none has been met */
} fit_result;

/* Fits m samples, each as its problem says. */
status stable_fit(int64_t m, const fit_problem *problem, fit_result *result);

/* Log likelihoods of m samples, each under the S0 distribution in its problem's value. */
status stable_log_likelihood(int64_t m, const fit_problem *problem, double *log_lik);

/* ---- shared by the files above ---- */

/* A distribution in the form that the search uses: frame is the parameterisation of gamma and delta. */
typedef struct {
  double alpha, beta, gamma, delta;
  int frame;
  double *b; /* memory that belongs to the place where the distribution is kept: fit_put() copies */
} fit_law;

/* Log likelihood, its gradient, minus its second derivatives, and the sum of squares of the scores, all in
 * theta = (log(alpha/(2 - alpha)), atanh(beta), log(gamma), delta/gamma, b/gamma). Matrices follow g in memory. */
typedef struct {
  double ll, *g, *info, *scores;
} fit_slope;
/* Numbers of g, info and scores for a theta of n. */
static inline int fit_slope_size(int n) { return n + 2 * n * n; }

enum { FIT_ESTIMATORS = 3, FIT_SUMMITS = 9, FIT_STARTS = FIT_ESTIMATORS + FIT_SUMMITS + 1, FIT_SCALES = 6,
       FIT_WIDE = FIT_SCALES * FIT_SUMMITS + 1, FIT_LOCATIONS = 3, FIT_SHORTER = 8, FIT_SHORTENED = 3,
       FIT_PLACES = 60, FIT_ASKED = 64, FIT_CLIMBS = 32, FIT_ENDS = 8 };
/* Samples of at most so many observations have more maxima than others. */
enum { FIT_SMALL = 100 };

enum fit_verdict { MAXIMUM, STUCK, TO_ALPHA_2, TO_BETA_1, RUNNING };

/* Where a climb has ended. */
typedef struct {
  fit_law law;
  fit_slope at;
  enum fit_verdict why;
  int free[FIT_PARS];
} fit_summit;

/* The search of one sample. It asks for the log likelihoods of some distributions, or for the slope of one. */
typedef struct {
  const fit_problem *p;
  double *memory;                      /* of what follows, where it is not the problem's own */
  const double *x, *weight;            /* n exact observations */
  const double *low, *high, *censored; /* n_censored intervals and their weights */
  int64_t n, n_censored;
  double total, total_exact;           /* of the weights */
  double least, most;                  /* extremes of all finite values */
  const double *all, *all_weight;      /* a large sample while some of it stands for all */
  int64_t n_all;
  int64_t room;                        /* numbers in memory for the following */
  ordered_sample sample;               /* for the starts: of all observations, or of START_SAMPLE of them */
  int size;                            /* of theta */
  double smallest_alpha;

  int free[FIT_PARS];
  fit_law law;                         /* where the search stands */
  fit_slope at;
  int state, stage, rounds, round, iterations, widened;
  int left;                            /* how often the present climb has left a boundary again */
  fit_law beside;                      /* what is tried with zeta at observations */
  int looked, skew;                    /* how often all climbs were made and more was tried; which beta it is about */
  double looked_from;                  /* the largest likelihood before that */
  double tied, raised;                 /* the largest weight of equal values at which a climb met an unbounded
                                        * likelihood, and that above whose bound alpha is kept */
  int summits;                         /* of a coarse grid of alpha and beta */
  double watch[FIT_PARS];              /* how near to its boundary alpha or beta makes the search try that */
  double damping, mark;                /* of the present climb */
  double *step, gain;
  int shortest;                        /* how many shorter steps have been asked about */
  double *work;                        /* for three matrices and two vectors */
  int concave;
  enum fit_verdict why;
  fit_summit inside, best;             /* what an attempt on a boundary may have to give back; of earlier climbs */
  fit_law queue[FIT_CLIMBS];           /* from where to climb, n_queue distributions whose climbs have been tried */
  int n_queue, climbs;
  double second[FIT_PARS + 1];         /* as in fit_result */

  int asked, slopes;                   /* distributions in question; their slopes, not their likelihoods alone? */
  fit_law ask[FIT_ASKED];
  double ll[FIT_ASKED];
  fit_slope slope;
  int64_t densities;
} fit_search;

/* Puts the observations, or of many some, in order as s->sample, less what the columns with b say of them. */
void fit_order(fit_search *s, const double *b);
/* Makes the first question, from start[0 .. m - 1] in S0, the first of which gives way to a start in the problem. */
status fit_begin(fit_search *s, const fit_law *start, int m);
/* The next question from the answers to the last; none (asked = 0) where the search has ended. */
void fit_tell(fit_search *s);
/* Answers the questions of m searches. */
status fit_answer(fit_search **s, int64_t m);
/* Is theta[j] estimated? */
static inline int fit_is_free(const int *free, int j) { return j >= FIT_PARS || free[j]; }
/* An observation without what the columns say of its location. */
static inline double fit_rest(const fit_search *s, const double *b, int64_t i) {
  double x = s->x[i];
  for (int k = 0; k < s->p->columns; k++) x -= s->p->q[i + k * s->n] * b[k];
  return x;
}
/* Keeps a distribution in a place. */
void fit_put(const fit_search *s, fit_law *to, fit_law law);
/* The distribution moved along step in theta. */
void fit_move(const fit_search *s, const fit_law *law, const double *step, double share, fit_law *to);
/* From S0 to S1 and back; at alpha = 1 the distribution stays in S0. */
fit_law fit_reframed(fit_law law, int frame);

/* Makes ready what the starts of all samples share. */
status fit_prepare_starts(void);
/* Makes up to FIT_STARTS starting distributions (frame 0) from a sample, and tells how many; alpha, beta: given
 * values, or NaN. n_summits: of the coarse grid. */
int fit_starts(const ordered_sample *s, double alpha, double beta, fit_law *start, int *n_summits);
/* Makes up to FIT_WIDE with scales between those of the quartiles and of the whole sample, and the normal
 * distribution's. */
int fit_wide_starts(const ordered_sample *s, fit_law *start);

#endif
