/* quadrature_integral.h: an integral from its first panels to its result, round by round. */
#ifndef STATCL_QUADRATURE_INTEGRAL_H
#define STATCL_QUADRATURE_INTEGRAL_H

#include "engine/errors.h"
#include "quadrature/integrand.h"
#include "quadrature/quadrature_call.h"
#include "quadrature/quadrature_round.h"

/* What an integral that is not trivial needs, and passes on to others when it is done. */
typedef struct workspace workspace;

typedef struct {
  int64_t number, row; /* among all of the call, and among those at work, as its panels have it */
  double sign, lower, upper, evaluations;
  int32_t accepted, round, restarts, repairs;
  int narrow;          /* a panel could not be halved any more */
  component *part;
  workspace *w;        /* from its first round to its end */
} integral;

/* A thread's share of the integrals of a call. */
typedef struct {
  const quadrature_options *o;
  quadrature_result *r;
  int m;             /* components */
  workspace **spare; /* of all threads */
  panel_list next;   /* panels to come */
  int64_t done;      /* integrals */
} integral_work;

first_panels_of integral_first(const quadrature_options *o);
/* Their number, row and part are known. The first panels go to w->next, unless the integral is done without any, or
 * they have been enough: known is NULL or what integrand_first() has found of all rows. */
status integral_begin(integral_work *w, integral *q, double lower, double upper, double *const *known);
/* After a round: the panels to come, or the result. */
status integral_judge(integral_work *w, integral *q, const panel_round *p);
/* One that is not done, after a failure. */
void integral_leave(integral_work *w, integral *q);
void workspaces_free(workspace *w);

#endif
