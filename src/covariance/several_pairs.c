/* several_pairs.c: see several_pairs.h. */
#include "covariance/several_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a place on a sphere: longitude and latitude, the cosine of this, and the point on the unit sphere. */
enum { LON, LAT, COS_LAT, UNIT, SPHERE = UNIT + 3 };
static const double RADIAN = 0.017453292519943295;

static int same_map(const double *a, const double *b, int dim) {
  return a == b || (a && b && !memcmp(a, b, (size_t)(dim * dim) * sizeof *a));
}

static void lay_out(const several_places *s, int geometry, const double *map) {
  const several_pairs *p = s->p;
  const int64_t n = p->n;
  const int dim = p->metric.dim;
  double *at = s->at + geometry * s->columns * n;
  for (int64_t i = 0; i < n; i++) {
    if (p->metric.kind != METRIC_EUCLIDEAN) {
      const double lon = p->xy[i], lat = p->xy[n + i], cosine = cos(lat * RADIAN);
      const double own[] = {lon, lat, cosine, cosine * cos(lon * RADIAN), cosine * sin(lon * RADIAN),
                            sin(lat * RADIAN)};
      for (int c = 0; c < SPHERE; c++) at[c * n + i] = own[c];
    } else
      for (int c = 0; c < dim; c++) {
        double sum = map ? 0 : p->xy[c * n + i];
        for (int k = 0; k < dim && map; k++) sum += map[c * dim + k] * p->xy[k * n + i];
        at[c * n + i] = sum;
      }
  }
}

status several_open(several_places *s, const several_pairs *p) {
  const int dim = p->metric.dim, pairs = p->variables * p->variables, euclidean = p->metric.kind == METRIC_EUCLIDEAN;
  memset(s, 0, sizeof *s);
  s->p = p;
  s->columns = euclidean ? dim : SPHERE;
  s->of = calloc((size_t)(p->terms + pairs + 1 + pairs * p->terms), sizeof *s->of);
  if (!s->of) return fail(STATUS_MEMORY, "covariances: no memory for %d variables", p->variables);
  s->slot = s->of + p->terms;
  s->term = s->slot + pairs + 1;
  int first[64];
  for (int t = 0; t < p->terms; t++) {
    int g = 0;
    while (g < s->geometries && !(!euclidean || same_map(p->part[first[g]].map, p->part[t].map, dim))) g++;
    if (g == 64) return fail(STATUS_INPUT, "covariances: more than 64 parts with directions of their own");
    if (g == s->geometries) first[s->geometries++] = t;
    s->of[t] = g;
  }
  for (int k = 0; k < pairs; k++) {
    s->slot[k + 1] = s->slot[k];
    for (int t = 0; t < p->terms; t++)
      if (p->has[t * pairs + k]) s->term[s->slot[k + 1]++] = t;
    if (s->slot[k + 1] - s->slot[k] > s->slots) s->slots = s->slot[k + 1] - s->slot[k];
  }
  s->at = malloc((size_t)(p->n * s->columns * s->geometries + 1) * sizeof *s->at);
  if (!s->at) return fail(STATUS_MEMORY, "covariances: no memory for %lld places", (long long)p->n);
  for (int g = 0; g < s->geometries; g++) lay_out(s, g, p->part[first[g]].map);
  return STATUS_OK;
}

void several_close(several_places *s) { free(s->of), free(s->at); }

/* sin(x/2) for an angle in degrees: by its series, of which the next term is below 1e-17, where it is small. */
static double sine_of_half(double degrees) {
  const double x = degrees * (RADIAN / 2), z = x * x;
  if (fabs(x) > 0.1) return sin(x);
  return x * (1 + z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 - z / 39916800)))));
}

int several_numbers(const several_places *s) { return s->geometries * s->columns; }

double several_farthest(const several_places *s) {
  const several_pairs *p = s->p;
  double most = 0;
  if (p->metric.kind != METRIC_EUCLIDEAN) return p->metric.radius * (p->metric.kind == METRIC_CHORDAL ? 2 : 3.15);
  for (int g = 0; g < s->geometries; g++) {
    double square = 0;
    for (int c = 0; c < s->columns; c++) {
      const double *at = s->at + (g * s->columns + c) * p->n;
      double low = INFINITY, high = -INFINITY;
      for (int64_t i = 0; i < p->n; i++) low = fmin(low, at[i]), high = fmax(high, at[i]);
      square += (high - low) * (high - low);
    }
    most = fmax(most, sqrt(square));
  }
  return most > 0 ? most : 1;
}

void several_gather(const several_places *s, const int32_t *index, int64_t rows, double *at) {
  for (int c = 0; c < several_numbers(s); c++)
    for (int64_t i = 0; i < rows; i++) at[c * rows + i] = s->at[c * s->p->n + index[i]];
}

/* The diameter times halves of chords, or of angles, by the haversine, which keeps the digits of close points; what
 * keeps those of antipodes is half the length of the sum of both. */
static void on_sphere(const several_places *s, const double *at, int64_t n, int64_t j, double *r) {
  const double diameter = 2 * s->p->metric.radius;
  for (int64_t k = j; k < n; k++) {
    const double a = sine_of_half(at[LAT * n + k] - at[LAT * n + j]), b = sine_of_half(at[k] - at[j]);
    const double half = sqrt(a * a + at[COS_LAT * n + k] * at[COS_LAT * n + j] * b * b);
    if (s->p->metric.kind == METRIC_CHORDAL) r[k - j] = diameter * half;
    else {
      double square = 0;
      for (int c = UNIT; c < SPHERE; c++) square += (at[c * n + k] + at[c * n + j]) * (at[c * n + k] + at[c * n + j]);
      r[k - j] = diameter * atan2(half, 0.5 * sqrt(square));
    }
  }
}

void several_distances(const several_places *s, int geometry, const double *at, int64_t rows, int64_t j, double *r) {
  const int64_t left = rows - j;
  if (s->p->metric.kind != METRIC_EUCLIDEAN) {
    on_sphere(s, at, rows, j, r);
    return;
  }
  for (int64_t i = 0; i < left; i++) r[i] = 0;
  for (int c = 0; c < s->columns; c++) {
    const double *own = at + (geometry * s->columns + c) * rows + j, here = own[0];
#pragma omp simd
    for (int64_t i = 0; i < left; i++) r[i] += (own[i] - here) * (own[i] - here);
  }
#pragma omp simd
  for (int64_t i = 0; i < left; i++) r[i] = sqrt(r[i]);
}

int several_share_errors(const several_pairs *p, int64_t i, int64_t j) {
  return p->shared && i != j && i < p->observed && j < p->observed && p->place[i] == p->place[j];
}
