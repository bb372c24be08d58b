/* stable_newton.c: see stable_newton.h. */
#include "stable/stable_newton.h"

#include <math.h>

#include "stable/cholesky.h"

void newton_take(const fit_theta *t, fit_step *s, double *memory, int64_t *used) {
  const int n = t->size;
  s->step = fit_take(memory, used, n);
  s->work = fit_take(memory, used, 3 * n * n + 2 * n);
}

/* Eigenvalues of the symmetric n x n matrix m and its eigenvectors, the columns of q, by Jacobi's rotations. */
static void eigen(int n, double *m, double *value, double *q) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) q[j * n + k] = j == k;
  for (int sweep = 0, turned = 1; sweep < 12 && turned; sweep++) {
    turned = 0;
    for (int j = 0; j < n - 1; j++)
      for (int k = j + 1; k < n; k++) {
        /* what does not change either eigenvalue */
        if (!(fabs(m[j * n + k]) > 1e-17 * fmin(fabs(m[j * n + j]), fabs(m[k * n + k])))) continue;
        turned = 1;
        const double ratio = (m[k * n + k] - m[j * n + j]) / (2 * m[j * n + k]);
        const double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
        const double c = 1 / sqrt(1 + t * t), s = t * c;
        for (int i = 0; i < n * n; i += n) {
          const double a = m[i + j], b = m[i + k], u = q[i + j], v = q[i + k];
          m[i + j] = c * a - s * b;
          m[i + k] = s * a + c * b;
          q[i + j] = c * u - s * v;
          q[i + k] = s * u + c * v;
        }
        for (int i = 0; i < n; i++) {
          const double a = m[j * n + i], b = m[k * n + i];
          m[j * n + i] = c * a - s * b;
          m[k * n + i] = s * a + c * b;
        }
      }
  }
  for (int j = 0; j < n; j++) value[j] = m[j * n + j];
}

/* Curvatures are measured in units of the squared scores. No principal direction contributes more than 1 to a
 * parameter, so that flat ones do not hold up the others, and neither does their sum. */
void newton_step(const fit_theta *t, const fit_slope *d, double damping, fit_step *s) {
  const int n = t->size;
  double *m = s->work, *q = m + n * n, *value = q + n * n, *unit = value + n, largest = 0;
  for (int j = 0; j < n; j++) {
    const int jj = j * n + j;
    unit[j] = fit_is_free(t, j) ? 1 / sqrt(d->scores[jj] + fabs(d->info[jj]) + 1e-100) : 0;
    s->step[j] = 0;
  }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) {
      const int both = fit_is_free(t, j) && fit_is_free(t, k);
      m[j * n + k] = both ? unit[j] * unit[k] * d->info[j * n + k] : 0;
    }
  eigen(n, m, value, q);
  s->gain = 0;
  s->concave = damping == 0;
  for (int k = 0; k < n; k++) {
    double along = 0, most = 0, involved = 0;
    for (int j = 0; j < n; j++) {
      along += q[j * n + k] * unit[j] * d->g[j];
      involved = fmax(involved, fabs(q[j * n + k] * unit[j]));
    }
    if (involved == 0) continue; /* a parameter that is not free */
    if (!(value[k] > 1e-12)) s->concave = 0;
    double length = along / (fmax(fabs(value[k]), 1e-12) + damping);
    for (int j = 0; j < n; j++) most = fmax(most, fabs(q[j * n + k] * unit[j] * length));
    if (most > 1) {
      length /= most;
      s->concave = 0;
    }
    s->gain += 0.5 * along * length;
    for (int j = 0; j < n; j++) s->step[j] += q[j * n + k] * unit[j] * length;
  }
  for (int j = 0; j < n; j++) largest = fmax(largest, fabs(s->step[j]));
  for (int j = 0; j < n && largest > 1; j++) s->step[j] /= largest;
  if (!isfinite(s->gain)) s->gain = -1;
}

/* Rows that are not free are those of the identity. */
const double *newton_invert(const fit_theta *t, const double *m, fit_step *s) {
  const int n = t->size;
  double *inverse = s->work + n * n, *factor = inverse + n * n, *u = factor + n * n;
  for (int j = 0; j < n; j++)
    for (int k = 0; k <= j; k++)
      factor[j * n + k] = fit_is_free(t, j) && fit_is_free(t, k) ? m[j * n + k] : j == k;
  if (!cholesky_factor(n, factor, 1e-11)) return NULL;
  for (int column = 0; column < n; column++) {
    for (int i = 0; i < n; i++) u[i] = i == column;
    cholesky_solve(n, factor, u);
    for (int i = 0; i < n; i++) inverse[i * n + column] = u[i];
  }
  return inverse;
}
