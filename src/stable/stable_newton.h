/* stable_newton.h: Newton's step from the slope of a likelihood, and the inverse of its information. */
#ifndef STATCL_STABLE_NEWTON_H
#define STATCL_STABLE_NEWTON_H

#include "stable/stable_theta.h"

typedef struct {
  double *step;
  double gain;  /* what the quadratic model promises; negative: there is no step */
  int concave;  /* the step is Newton's own, so that gain is half the score statistic g' info^-1 g */
  double *work; /* for three matrices and two vectors */
} fit_step;

void newton_take(const fit_theta *t, fit_step *s, double *memory, int64_t *used);

/* Newton's step, with the absolute values of the curvatures where the likelihood is not concave (Dauphin et al. 2014,
 * after Nesterov), which leads away from saddles at Newton's pace; damping adds to them. */
void newton_step(const fit_theta *t, const fit_slope *d, double damping, fit_step *s);

/* The inverse over the free coordinates of the matrix m, after one matrix in s->work; NULL unless m is safely
 * positive definite. */
const double *newton_invert(const fit_theta *t, const double *m, fit_step *s);

#endif
