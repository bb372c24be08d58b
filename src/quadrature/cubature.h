/* cubature.h: integrals over boxes in two to eight variables by the rules of Genz and Malik, those of many integrals
 * in rounds: of each the boxes with the largest errors are halved, as many as hold what is above its tolerance. */
#ifndef STATCL_CUBATURE_H
#define STATCL_CUBATURE_H

#include "engine/errors.h"
#include "quadrature/cubature_rule.h"

typedef struct {
  int d, m;                  /* variables and components */
  double relative, absolute; /* tolerances */
  int64_t most;              /* boxes of an integral */
  int64_t points;            /* nodes of a round, if one box has not more */
} cubature_options;

typedef struct cubature cubature;

status cubature_open(const cubature_options *o, int64_t n, cubature **made);
void cubature_close(cubature *c);
const cubature_options *cubature_opened(const cubature *c);

/* Chooses the boxes of the next round; *n_points: their nodes, 0 where all integrals have ended. */
status cubature_round(cubature *c, int64_t *n_points);
/* The nodes in the unit cube, a column of n_points for each variable, and the number of the integral of each. */
void cubature_points(const cubature *c, double *u, double *integral);
/* Values there, a column for each component, and what they are to be multiplied by. */
status cubature_values(cubature *c, const double *y, const double *size);

/* Of integral i: its codes are those of QUADPACK, 7 not finite and 8 zero. Returned: NULL, or of code 7 the centre of
 * a box with a value that is not finite and half of its sides. */
typedef struct {
  double *value, *error; /* m each */
  double evaluations;
  int64_t boxes;
  int code;
} cubature_outcome;
const double *cubature_result(const cubature *c, int64_t i, cubature_outcome *out);

#endif
