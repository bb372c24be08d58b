/* stable_ascent.h: the ascent from one distribution to a maximum of the likelihood by Newton's method, with some of
 * the coordinates held. It never computes a likelihood: it asks, so that those of many samples can be answered
 * together. */
#ifndef STATCL_STABLE_ASCENT_H
#define STATCL_STABLE_ASCENT_H

#include "stable/stable_likelihood.h"
#include "stable/stable_newton.h"

/* How an ascent has ended: at a maximum, without one, or on the way to a boundary. */
enum fit_verdict { MAXIMUM, STUCK, TO_ALPHA_2, TO_BETA_1, RUNNING };

/* Where an ascent stands, or has ended. */
typedef struct {
  fit_distribution distribution;
  fit_slope at;
  enum fit_verdict why;
  int free[STABLE_PARS]; /* of theta; an ascent has those in use there */
} fit_summit;

typedef struct {
  const fit_sample *sample;
  fit_question *question;
  fit_theta theta;
  /* what is set before it */
  double watch[STABLE_PARS];  /* how near to its boundary alpha or beta ends the ascent */
  const fit_summit *rival; /* NULL, or the best of earlier ones */
  double lowest;           /* alpha below which it is given up */
  int gives_up;            /* is it given up at the smallest alpha? */
  int rounds;              /* of all ascents of a climb */
  /* the way */
  fit_summit here;
  int state, round;
  fit_step step;
  int shortest;            /* how many shorter steps have been asked about */
  double damping, mark;    /* mark: the likelihood some rounds before */
  /* of all ascents of the sample */
  int iterations;
  double tied;             /* the largest weight of equal values at which one met an unbounded likelihood */
} fit_ascent;

void ascent_take(fit_ascent *a, double *memory, int64_t *used);
void summit_take(const fit_ascent *a, fit_summit *u, double *memory, int64_t *used);

/* Asks the first question, then the next from the answer to the last, while why is RUNNING. */
void ascent_begin(fit_ascent *a, fit_distribution distribution);
void ascent_tell(fit_ascent *a);

/* Puts where the ascent stands aside, and it where that was. */
void ascent_exchange(fit_ascent *a, fit_summit *u);
/* A maximum comes before a likelihood that grows without bound towards the smallest alpha, whatever its value: is it
 * one? */
int ascent_sound(const fit_ascent *a, const fit_summit *u);
/* Differences of the likelihood below its rounding decide nothing. */
double ascent_noise(const fit_ascent *a);

/* By how much a second maximum may be smaller than the first to be of interest, with a margin. */
#define FIT_SECOND 3.0

#endif
