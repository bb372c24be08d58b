/* least_squares.c: the method of Levenberg (1944) and Marquardt (1963) in a box. A parameter on its bound whose
 * gradient points outwards stays there for the step; what would leave the box stops at it. */
#include "stable/least_squares.h"

#include <math.h>
#include <string.h>

#include "stable/cholesky.h"

enum { PARS = LEAST_SQUARES_PARS, MOST_ROUNDS = 200 };

typedef struct {
  double value, gradient[PARS], normal[PARS][PARS];
} quadratic;

static void expand(const least_squares *p, const double *par, quadratic *q) {
  double r[LEAST_SQUARES_RESIDUALS], jacobian[LEAST_SQUARES_RESIDUALS][PARS];
  memset(q, 0, sizeof *q);
  p->residuals(p->data, par, r, jacobian);
  for (int i = 0; i < p->n_residual; i++) {
    q->value += r[i] * r[i];
    for (int j = 0; j < p->n_par; j++) {
      q->gradient[j] += r[i] * jacobian[i][j];
      for (int k = 0; k <= j; k++) q->normal[j][k] += jacobian[i][j] * jacobian[i][k];
    }
  }
}

/* The step of the normal equations with (1 + damping) times their diagonal; 0 for a parameter that stays. */
static int step_of(const quadratic *q, const int *moves, int n, double damping, double *step) {
  double m[PARS * PARS];
  for (int j = 0; j < n; j++) {
    step[j] = moves[j] ? -q->gradient[j] : 0;
    for (int k = 0; k < j; k++) m[j * n + k] = moves[j] && moves[k] ? q->normal[j][k] : 0;
    m[j * n + j] = moves[j] ? q->normal[j][j] * (1 + damping) : 1;
  }
  if (!cholesky_factor(n, m, 1e-14 / (1 + damping))) return 0;
  cholesky_solve(n, m, step);
  return 1;
}

double least_squares_fit(const least_squares *p, double *par) {
  quadratic here, there;
  double damping = 1e-4;
  expand(p, par, &here);
  if (!isfinite(here.value)) return NAN;
  for (int round = 0; round < MOST_ROUNDS && damping < 1e12; round++) {
    int moves[PARS] = {0}, any = 0;
    double step[PARS], to[PARS], change = 0;
    for (int j = 0; j < p->n_par; j++) {
      const double slope = here.gradient[j];
      const int stops = (par[j] <= p->low[j] && slope > 0) || (par[j] >= p->high[j] && slope < 0);
      any |= moves[j] = p->free[j] && !stops && here.normal[j][j] > 0;
    }
    if (!any) break;
    if (!step_of(&here, moves, p->n_par, damping, step)) {
      damping *= 10;
      continue;
    }
    for (int j = 0; j < p->n_par; j++) {
      to[j] = fmin(fmax(par[j] + step[j], p->low[j]), p->high[j]);
      if (!moves[j]) to[j] = par[j];
      change = fmax(change, fabs(to[j] - par[j]));
    }
    if (change < p->tolerance) break;
    expand(p, to, &there);
    if (there.value <= here.value) {
      memcpy(par, to, (size_t)p->n_par * sizeof *par);
      here = there;
      damping = fmax(0.1 * damping, 1e-12);
    } else {
      damping *= 8;
    }
  }
  return here.value;
}
