/* sequence_limit.c: the epsilon algorithm (P. Wynn, On a device for computing the e_m(S_n) transformation, MTAC 10,
 * 1956). */
#include "sequence_limit.h"

#include <math.h>
#include <string.h>

enum { REGULAR = 4 /* ratios of steps that must agree */ };

double sequence_limit(const double *s, int n, double *error) {
  double memory[2][LIMIT_TERMS + 1] = {{0}}, best = s[n - 1];
  double *older = memory[0], *column = memory[1]; /* columns k - 2 and k - 1 */
  int k, i;
  *error = INFINITY;
  memcpy(column, s, (size_t)n * sizeof *s);
  for (k = 1; k + 1 < n; k++) {
    double *made = older;
    for (i = 0; i < n - k; i++) made[i] = older[i + 1] + 1 / (column[i + 1] - column[i]);
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

int sequence_is_regular(const double *s, int n, double *factor) {
  double before = 0;
  int i;
  *factor = 0;
  if (n < REGULAR + 2) return 0;
  for (i = n - REGULAR; i < n; i++) {
    const double ratio = (s[i] - s[i - 1]) / (s[i - 1] - s[i - 2]);
    if (!(ratio > 0 && ratio < 1)) return 0;
    if (i > n - REGULAR && !(fabs(ratio / before - 1) < 0.05)) return 0;
    *factor = before = ratio;
  }
  return 1;
}
