/* effects.c: sums over observations, in their order. */
#include "gp/effects.h"

#include <string.h>

void effects_spread(const effects_design *d, int64_t columns, const double *b, double *out) {
  for (int64_t c = 0; c < columns; c++) {
    const double *w = b + c * (d->locations + d->effects), *u = w + d->locations;
    for (int64_t i = 0; i < d->n; i++) {
      double sum = w[d->at[i] - 1];
      for (int64_t k = 0; k < d->terms; k++) sum += d->value[i + k * d->n] * u[d->index[i + k * d->n] - 1];
      out[i + c * d->n] = sum;
    }
  }
}

void effects_gather(const effects_design *d, int64_t columns, const double *x, double *out) {
  const int64_t rows = d->locations + d->effects;
  memset(out, 0, (size_t)(rows * columns) * sizeof *out);
  for (int64_t c = 0; c < columns; c++) {
    double *w = out + c * rows, *u = w + d->locations;
    for (int64_t i = 0; i < d->n; i++) {
      const double v = x[i + c * d->n];
      w[d->at[i] - 1] += v;
      for (int64_t k = 0; k < d->terms; k++) u[d->index[i + k * d->n] - 1] += d->value[i + k * d->n] * v;
    }
  }
}

void effects_cross(const effects_design *d, const double *weight, double *mixed, double *own) {
  memset(mixed, 0, (size_t)(d->locations * d->effects) * sizeof *mixed);
  memset(own, 0, (size_t)(d->effects * d->effects) * sizeof *own);
  for (int64_t k = 0; k < d->terms; k++)
    for (int64_t i = 0; i < d->n; i++) {
      const int64_t j = d->index[i + k * d->n] - 1;
      const double v = weight[i] * d->value[i + k * d->n];
      mixed[d->at[i] - 1 + j * d->locations] += v;
      for (int64_t l = 0; l < d->terms; l++)
        own[d->index[i + l * d->n] - 1 + j * d->effects] += v * d->value[i + l * d->n];
    }
}

void effects_variances(const effects_design *d, const double *own, const double *moved, const double *covariance,
                       double *out) {
  for (int64_t i = 0; i < d->n; i++) {
    const int64_t at = d->at[i] - 1;
    double sum = own[at];
    for (int64_t k = 0; k < d->terms; k++) {
      const int64_t j = d->index[i + k * d->n] - 1;
      double part = -2 * moved[at + j * d->locations];
      for (int64_t l = 0; l < d->terms; l++)
        part += covariance[d->index[i + l * d->n] - 1 + j * d->effects] * d->value[i + l * d->n];
      sum += d->value[i + k * d->n] * part;
    }
    out[i] = sum;
  }
}
