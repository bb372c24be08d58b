/* differences.h: central differences. f: values at -2, -1, 1 and 2 steps h in one direction, f0 that at 0. */
#ifndef STATCL_DIFFERENCES_H
#define STATCL_DIFFERENCES_H

/* of fourth order */
static inline double first_difference(const double *f, double h) {
  return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}
static inline double second_difference(double f0, const double *f, double h) {
  return (16 * (f[1] + f[2]) - f[0] - f[3] - 30 * f0) / (12 * h * h);
}

/* of second order, from both corners with equal signs and the values f and g in both directions; h: product of their
 * steps */
static inline double mixed_difference(double f0, const double *corner, const double *f, const double *g, double h) {
  return (corner[0] + corner[1] - f[1] - f[2] - g[1] - g[2] + 2 * f0) / (2 * h);
}

#endif
