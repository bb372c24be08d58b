/* interpolation.c: see interpolation.h. */
#include "engine/interpolation.h"

#include <math.h>
#include <string.h>

void chebyshev_prepare(chebyshev_rule *rule, int n) {
  static const double pi = 3.141592653589793;
  if (rule->n == n) return;
  rule->n = n;
  for (int k = 0; k < n; k++) /* whole turns are taken off in integers */
    for (int j = 0; j < n; j++) rule->cosine[k][j] = cos(pi * (k * (2 * j + 1) % (4 * n)) / (2 * n));
}

void chebyshev_rounded(int n, double *node, double (*at)[MOST_NODES]) {
  static const double pi = 3.141592653589793;
  for (int j = 0; j < n; j++) {
    node[j] = ldexp(rint(ldexp(cos(pi * (j + 0.5) / n), 32)), -32);
    for (int k = 0; k < n; k++) at[k][j] = k < 2 ? (k ? node[j] : 1) : 2 * node[j] * at[k - 1][j] - at[k - 2][j];
  }
}

void chebyshev_terms(const chebyshev_rule *rule, double (*at)[MOST_NODES], const double *value, double *term) {
  const int n = rule->n;
  const double base = value[n / 2];
  double rest[MOST_NODES];
  for (int j = 0; j < n; j++) rest[j] = value[j] - base, term[j] = 0;
  for (int round = 0; round < (at ? 2 : 1); round++)
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += rest[j] * rule->cosine[k][j];
      sum *= (k ? 2.0 : 1.0) / n;
      term[k] += sum;
      for (int j = 0; j < n && at; j++) rest[j] -= sum * at[k][j];
    }
  term[0] += base;
}

double chebyshev_value(int n, const double *term, double x) {
  double u = 0, v = 0;
  for (int k = n - 1; k > 0; k--) {
    const double w = term[k] + 2 * x * u - v;
    v = u;
    u = w;
  }
  return term[0] + x * u - v;
}

int kept_position(kept_tables *kept, const double key[KEY_NUMBERS], int *known) {
  int found = 0;
  *known = 0;
  for (int i = 0; i < TABLES_KEPT && !*known; i++) {
    *known = kept->used[i] != 0;
    for (int k = 0; k < KEY_NUMBERS; k++) *known &= kept->key[i][k] == key[k];
    if (*known || kept->used[i] < kept->used[found]) found = i;
  }
  memcpy(kept->key[found], key, sizeof kept->key[found]);
  kept->used[found] = ++kept->uses;
  return found;
}
