/* cov_locations.c: what kernels take for each location: coordinates, counted from near by and in a unit that keeps
 * their squares in range, or what the haversine wants of locations on a sphere. */
#include "covariance/covariance.h"

#include <math.h>
#include <stdlib.h>

#include "covariance/cov_plan.h"

enum { FARTHEST_EXPONENT = 400 };

/* Where coordinates are counted from, so that single precision has their differences' digits. */
static double origin(const cov_space *s, int d) {
  const double first = s->a[d * s->n];
  return s->single && isfinite(first) ? first : 0;
}

static double coordinate(const cov_space *s, int d, int64_t i) {
  return i < s->n ? s->a[d * s->n + i] : s->b[d * s->m + (i - s->n)];
}

/* Half the sides of the box around all locations. */
static void find_box(const cov_space *s, double *half) {
  for (int d = 0; d < s->metric.dim; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < s->n + (s->b ? s->m : 0); i++) {
      const double v = coordinate(s, d, i);
      if (isfinite(v)) low = fmin(low, v), high = fmax(high, v);
    }
    half[d] = high > low ? high / 2 - low / 2 : 0;
  }
}

static double longest_lag(const cov_space *s) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < s->n + (s->b ? s->m : 0); i++) {
    const double v = coordinate(s, s->metric.dim, i);
    low = fmin(low, v), high = fmax(high, v);
  }
  return high > low ? high - low : 0;
}

status cov_measure(cov_space *s, int single) {
  const int dim = s->metric.dim;
  double longest = 0;
  s->single = single;
  s->exponent = 0;
  s->longest_lag = s->metric.time ? longest_lag(s) : 0;
  s->half = calloc((size_t)dim + 1, sizeof *s->half);
  if (!s->half) return fail(STATUS_MEMORY, "covariances: no memory for %d dimensions", dim);
  if (s->metric.kind != METRIC_EUCLIDEAN) return STATUS_OK;
  find_box(s, s->half);
  for (int d = 0; d < dim; d++) longest = fmax(longest, s->half[d]);
  if (longest > 0 && (s->single || abs(ilogb(longest)) > FARTHEST_EXPONENT)) s->exponent = ilogb(longest);
  for (int d = 0; d < dim; d++) s->half[d] = ldexp(s->half[d], -s->exponent);
  return STATUS_OK;
}

void cov_space_free(cov_space *s) {
  free(s->half);
  s->half = NULL;
}

double cov_farthest(const cov_space *s, const double *map) {
  const int dim = s->metric.dim;
  double sum = 0;
  if (s->metric.kind != METRIC_EUCLIDEAN)
    return (s->metric.kind == METRIC_CHORDAL ? 2 : 3.1416) * s->metric.radius;
  for (int i = 0; i < dim; i++) {
    double side = 0;
    for (int k = 0; k < dim; k++) side += (map ? fabs(map[i * dim + k]) : i == k) * 2 * s->half[k];
    sum += side * side;
  }
  return sqrt(sum);
}

int cov_coordinates(const cov_metric *s) {
  return (s->kind == METRIC_EUCLIDEAN ? s->dim : SPHERE_COLUMNS) + s->time;
}

/* Near the poles the cosine is a sine, of a difference that is exact. */
static double cos_degrees(double lat) {
  const double degree = 3.141592653589793 / 180;
  return fabs(lat) > 45 ? sin((90 - fabs(lat)) * degree) : cos(lat * degree);
}

void cov_lay_out_locations(const cov_space *s, int64_t first, int64_t n, double *to, int64_t stride) {
  const double degree = 3.141592653589793 / 180;
  const int time = cov_coordinates(&s->metric) - 1, dim = s->metric.dim;
  for (int64_t i = 0; i < stride; i++) {
    const int64_t from = first + at_most(i, n - 1);
    if (s->metric.time) to[time * stride + i] = coordinate(s, dim, from) - origin(s, dim);
    if (s->metric.kind == METRIC_EUCLIDEAN) {
      for (int d = 0; d < dim; d++) {
        const double v = coordinate(s, d, from) - origin(s, d);
        to[d * stride + i] = s->exponent ? ldexp(v, -s->exponent) : v;
      }
    } else {
      const double lon = coordinate(s, 0, from), lat = coordinate(s, 1, from), c = cos_degrees(lat);
      to[SPHERE_LON * stride + i] = lon - origin(s, 0);
      to[SPHERE_LAT * stride + i] = lat - origin(s, 1);
      to[SPHERE_COS_LAT * stride + i] = c;
      to[SPHERE_X * stride + i] = c * cos(lon * degree);
      to[(SPHERE_X + 1) * stride + i] = c * sin(lon * degree);
      to[(SPHERE_X + 2) * stride + i] = sin(lat * degree);
    }
  }
}
