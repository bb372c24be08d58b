/* stable_search.h: the search for the maximum of one sample's likelihood. Climbs begin from the best of the starts
 * and, below alpha = 0.75, from positions of zeta. Where none has found a maximum, others begin from starts with
 * larger scales, with zeta at any observation, and with alpha above the bound of equal values; where one has, from
 * next to the normal distribution and from beside what was found. */
#ifndef STATCL_STABLE_SEARCH_H
#define STATCL_STABLE_SEARCH_H

#include "stable/stable_climb.h"
#include "stable/stable_start.h"

enum { SEARCH_STARTS = FIT_STARTS * FIT_LOCATIONS, SEARCH_CLIMBS = 32 };

typedef struct fit_search fit_search;
struct fit_search {
  double *memory;                  /* of distributions and slopes below */
  fit_sample sample;
  fit_question question;           /* about none (asked = 0) where the search has ended */
  fit_climb climb;                 /* its ascent ends at the best that was found */
  void (*told)(fit_search *);      /* goes on when the question has been answered */
  fit_summit best;                 /* of earlier climbs */
  double second[STABLE_PARS + 1];  /* as in fit_result */
  fit_distribution queue[SEARCH_CLIMBS]; /* where n_queue climbs begin, of which climbs have been made */
  int n_queue, climbs;
  int summits;                     /* of the coarse grid of alpha and beta */
  fit_sample few;                  /* stands for a large sample where zeta is looked for */
  int widened;                     /* how far starts reach beyond the usual ones */
  double raised;                   /* the weight of equal values above whose bound alpha is kept */
  fit_distribution beside;         /* what is tried with zeta at observations */
  int skew;                        /* which beta it is tried with */
  int looked;                      /* how often all climbs were made and more was tried */
  double looked_from;              /* the largest likelihood before the last time */
};

/* ordered: is it to have starts? Whether it fails or not, search_close() follows. */
status search_open(fit_search *s, const fit_problem *p, int ordered);
void search_close(fit_search *s);

/* Up to SEARCH_STARTS starts in S0; for any thread, after fit_prepare_starts(). */
int search_starts(fit_search *s, fit_distribution *start);
/* Makes the first question, from n starts, the first of which gives way to a start in the problem. */
status search_begin(fit_search *s, const fit_distribution *start, int n);
/* Makes the next question from the answers to the last. */
void search_tell(fit_search *s);

#endif
