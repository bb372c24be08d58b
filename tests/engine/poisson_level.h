/* poisson_level.h: the functions of the kernels' poisson.h and poisson_tail.h, with and without FMA, made by
 * poisson_level.c for test_poisson.c. */
#ifndef POISSON_LEVEL_H
#define POISSON_LEVEL_H

typedef struct {
  double (*normal_centre)(double u, double *beyond);
  double (*normal_far)(double log_u);
  double (*normal_roughly)(double log_u);
  double (*shift)(double w, double s, double root, double by_lambda);
  double (*far)(double s, double lambda);
  double (*deviance)(double lambda, double a, double *lo);
  double (*peak)(double a);
} poisson_level;

extern const poisson_level poisson_level_0, poisson_level_1;

#endif
