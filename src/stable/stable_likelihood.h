/* stable_likelihood.h: log likelihoods of samples, asked for by many searches at once. */
#ifndef STATCL_STABLE_LIKELIHOOD_H
#define STATCL_STABLE_LIKELIHOOD_H

#include "stable/stable_theta.h"

enum { FIT_ASKED = 64 };

/* What a search wants to know of its sample: the log likelihoods of some distributions, or the slope of one. */
typedef struct {
  const fit_sample *sample;
  const fit_theta *theta;
  int asked, slopes; /* distributions in question; their slopes, not their likelihoods alone? */
  int answered;      /* where the observations stay */
  fit_distribution distribution[FIT_ASKED];
  double ll[FIT_ASKED];
  fit_slope slope;
  double *score;     /* room for two numbers per coordinate */
  int64_t densities; /* evaluated for all answers */
} fit_question;

void fit_question_take(fit_question *q, double *memory, int64_t *used);
/* Asks about distribution, or about the first n of q->distribution. */
void fit_ask_slope(fit_question *q, fit_distribution distribution);
void fit_ask_likelihoods(fit_question *q, int n);
/* The distribution with the largest likelihood of those asked about; it may be -Inf. */
int fit_best(const fit_question *q);

/* Answers m questions. */
status fit_answer(fit_question **q, int64_t m);

#endif
