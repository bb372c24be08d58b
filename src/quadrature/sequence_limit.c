/* sequence_limit.c: the epsilon algorithm (P. Wynn, On a device for computing the e_m(S_n) transformation, MTAC 10,
 * 1956). */
#include "quadrature/sequence_limit.h"

#include <math.h>
#include <string.h>

enum { REGULAR = 4 /* ratios of steps that must agree */ };

double sequence_limit(const double *s, int n, double *error) {
  double memory[2][LIMIT_TERMS + 1] = {{0}}, best = s[n - 1];
  double *older = memory[0], *column = memory[1]; /* columns k - 2 and k - 1 */
  *error = INFINITY;
  memcpy(column, s, (size_t)n * sizeof *s);
  for (int k = 1; k + 1 < n; k++) {
    double *made = older;
    for (int i = 0; i < n - k; i++) made[i] = older[i + 1] + 1 / (column[i + 1] - column[i]);
    if (k % 2 == 0) {
      const double limit = made[n - k - 1], off = fabs(limit - made[n - k - 2]);
      if (isfinite(limit) && off < *error) {
        best = limit;
        *error = off;
      }
    }
    older = column;
    column = made;
  }
  return best;
}

int sequence_start(const double *s, int n) {
  int i = n - 2;
  while (i > 0 && (s[i + 1] - s[i]) / (s[i] - s[i - 1]) > 0 && (s[i + 1] - s[i]) / (s[i] - s[i - 1]) < 1) i--;
  return i > 0 ? i : 0;
}

double sequence_error(const double *s, int n, double off, double rounding) {
  double ratio[REGULAR], drift[REGULAR - 1], q = 0;
  int same = 1;
  if (n < REGULAR + 2) return INFINITY;
  for (int i = 0; i < REGULAR; i++) {
    const double *at = s + n - REGULAR + i;
    ratio[i] = (at[0] - at[-1]) / (at[-1] - at[-2]);
    if (!(ratio[i] > 0 && ratio[i] < 1)) return INFINITY;
    if (i > 0 && !(fabs(ratio[i] / ratio[i - 1] - 1) < 0.05)) return INFINITY;
    if (i > 0) drift[i - 1] = ratio[i] - ratio[i - 1];
    if (i > 1) same &= drift[i - 1] * drift[i - 2] > 0;
  }
  /* drifts of all directions are rounding */
  if (same) q = fmin(fabs(drift[REGULAR - 2] / drift[REGULAR - 3]), 0.97);
  const double rest = 1 - ratio[REGULAR - 1];
  return off / (rest * (1 - q) * (1 - q)) + rounding / (rest * rest);
}
