/* cholesky.h: small positive definite systems of equations by Cholesky's method. */
#ifndef STATCL_CHOLESKY_H
#define STATCL_CHOLESKY_H

#include <math.h>

/* The lower triangle of the n x n matrix m becomes its factor; 0 unless each pivot is above least times the element
 * of the diagonal. */
static inline int cholesky_factor(int n, double *m, double least) {
  for (int j = 0; j < n; j++) {
    double pivot = m[j * n + j];
    for (int k = 0; k < j; k++) pivot -= m[j * n + k] * m[j * n + k];
    if (!(pivot > least * m[j * n + j])) return 0;
    m[j * n + j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) {
      double sum = m[i * n + j];
      for (int k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
      m[i * n + j] = sum / m[j * n + j];
    }
  }
  return 1;
}

/* The right-hand side x becomes the solution. */
static inline void cholesky_solve(int n, const double *factor, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= factor[i * n + k] * x[k];
    x[i] /= factor[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= factor[k * n + i] * x[k];
    x[i] /= factor[i * n + i];
  }
}

#endif
