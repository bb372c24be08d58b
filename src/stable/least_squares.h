/* least_squares.h: small nonlinear least squares in a box. */
#ifndef STATCL_LEAST_SQUARES_H
#define STATCL_LEAST_SQUARES_H

enum { LEAST_SQUARES_PARS = 4, LEAST_SQUARES_RESIDUALS = 48 };

typedef struct {
  int n_par, n_residual;
  /* residual[i], and jacobian[i][j] by parameter j */
  void (*residuals)(const void *data, const double *par, double *residual, double (*jacobian)[LEAST_SQUARES_PARS]);
  const void *data;
  double tolerance; /* of a step */
  int free[LEAST_SQUARES_PARS];
  double low[LEAST_SQUARES_PARS], high[LEAST_SQUARES_PARS];
} least_squares;

/* Moves par to a minimum of the sum of squares, which is the value; NaN if there is none at the start. */
double least_squares_fit(const least_squares *problem, double *par);

#endif
