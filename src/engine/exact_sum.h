/* exact_sum.h: a sum that carries along what rounding takes from it (A. Neumaier, Rundungsfehleranalyse einiger
 * Verfahren zur Summation endlicher Summen, ZAMM 54, 1974), found without a branch (D. E. Knuth, The Art of Computer
 * Programming 2, 4.2.2, theorem B). */
#ifndef STATCL_EXACT_SUM_H
#define STATCL_EXACT_SUM_H

typedef struct {
  double sum, lost;
} exact_sum;

static inline void exact_add(exact_sum *s, double x) {
  const double next = s->sum + x, added = next - s->sum;
  s->lost += (s->sum - (next - added)) + (x - added);
  s->sum = next;
}

static inline double exact_total(exact_sum s) { return s.sum + s.lost; }

#endif
