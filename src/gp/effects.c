/* effects.c: sums over observations, in their order. */
#include "gp/effects.h"

#include <string.h>

void effects_spread(const effects_design *d, int64_t columns, const double *b, double *out) {
  memset(out, 0, (size_t)(d->n * columns) * sizeof *out);
  for (int64_t c = 0; c < columns; c++) {
    const double *from = b + c * (d->latent + d->effects);
    for (int64_t k = 0; k < d->columns; k++)
      for (int64_t i = 0; i < d->n; i++)
        out[i + c * d->n] += d->value[i + k * d->n] * from[d->index[i + k * d->n] - 1];
  }
}

void effects_gather(const effects_design *d, int64_t columns, const double *x, double *out) {
  const int64_t rows = d->latent + d->effects;
  memset(out, 0, (size_t)(rows * columns) * sizeof *out);
  for (int64_t c = 0; c < columns; c++)
    for (int64_t k = 0; k < d->columns; k++)
      for (int64_t i = 0; i < d->n; i++)
        out[d->index[i + k * d->n] - 1 + c * rows] += d->value[i + k * d->n] * x[i + c * d->n];
}

void effects_cross(const effects_design *d, const double *weight, double *mixed, double *own) {
  memset(mixed, 0, (size_t)(d->latent * d->effects) * sizeof *mixed);
  memset(own, 0, (size_t)(d->effects * d->effects) * sizeof *own);
  for (int64_t k = d->processes; k < d->columns; k++)
    for (int64_t l = 0; l < d->columns; l++)
      for (int64_t i = 0; i < d->n; i++) {
        const int64_t column = d->index[i + k * d->n] - 1 - d->latent, row = d->index[i + l * d->n] - 1;
        const double v = weight[i] * d->value[i + k * d->n] * d->value[i + l * d->n];
        if (l < d->processes) mixed[row + column * d->latent] += v;
        else own[row - d->latent + column * d->effects] += v;
      }
}

void effects_crossed(const effects_design *d, const double *weight, const double *y, double *out) {
  const int64_t n = d->n;
  memset(out, 0, (size_t)(d->effects * d->effects) * sizeof *out);
  for (int64_t j = 0; j < d->effects; j++)
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t k = 0; k < d->processes; k++)
        sum += d->value[i + k * n] * y[d->index[i + k * n] - 1 + j * d->latent];
      sum *= weight[i];
      for (int64_t k = d->processes; k < d->columns; k++)
        out[d->index[i + k * n] - 1 - d->latent + j * d->effects] += d->value[i + k * n] * sum;
    }
}

void effects_variances(const effects_design *d, const double *own, const double *y, const double *mixed,
                       const double *covariance, double *out) {
  const int64_t n = d->n, m = d->processes;
  memcpy(out, own, (size_t)n * sizeof *out);
  for (int64_t j = 0; j < d->effects; j++) /* a'Y'CYa */
    for (int64_t i = 0; i < n; i++) {
      double left = 0, right = 0;
      for (int64_t k = 0; k < m; k++) {
        const int64_t row = d->index[i + k * n] - 1 + j * d->latent;
        left += d->value[i + k * n] * mixed[row];
        right += d->value[i + k * n] * y[row];
      }
      out[i] += left * right;
    }
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = m; k < d->columns; k++) {
      const int64_t j = d->index[i + k * n] - 1 - d->latent;
      double part = 0;
      for (int64_t l = 0; l < m; l++)
        part -= 2 * d->value[i + l * n] * mixed[d->index[i + l * n] - 1 + j * d->latent];
      for (int64_t l = m; l < d->columns; l++)
        part += covariance[d->index[i + l * n] - 1 - d->latent + j * d->effects] * d->value[i + l * n];
      out[i] += d->value[i + k * n] * part;
    }
}
