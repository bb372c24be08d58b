/* stable_climb.h: a climb from one start: ascents in the interior and, where the search heads for alpha = 2 or
 * |beta| = 1 or ends near them, on these boundaries. The maximum on one is taken if no smaller. */
#ifndef STATCL_STABLE_CLIMB_H
#define STATCL_STABLE_CLIMB_H

#include "stable/stable_ascent.h"

typedef struct fit_climb fit_climb;
struct fit_climb {
  fit_ascent ascent;
  void (*told)(fit_climb *); /* goes on when the question has been answered; NULL: the climb has ended */
  int stage;
  fit_summit inside; /* what an attempt on a boundary may have to give back */
  int left;          /* how often a boundary has been left again */
};

void climb_take(fit_climb *c, double *memory, int64_t *used);

/* Asks the first question, then the next from the answer to the last; nonzero: the climb has ended where the ascent
 * stands. */
void climb_begin(fit_climb *c, fit_distribution distribution);
int climb_tell(fit_climb *c);

#endif
