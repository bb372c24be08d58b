/* exact_sum.h: a sum that carries along what rounding takes from it (A. Neumaier, Rundungsfehleranalyse einiger
 * Verfahren zur Summation endlicher Summen, ZAMM 54, 1974). */
#ifndef STATCL_EXACT_SUM_H
#define STATCL_EXACT_SUM_H

#include <math.h>

typedef struct {
  double sum, lost;
} exact_sum;

static inline void exact_add(exact_sum *s, double x) {
  const double next = s->sum + x;
  s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - next) + x : (x - next) + s->sum;
  s->sum = next;
}

static inline double exact_total(exact_sum s) { return s.sum + s.lost; }

#endif
