/* quadrature_named.c: see quadrature_named.h. */
#include "quadrature/quadrature_named.h"

#include <math.h>
#include <stdlib.h>

/* fine and off: of the intervals of a region */
typedef struct {
  integrand *f;
  const char *name;
  double *fine, *off;
  int64_t room;
} named;

static status points(void *of, int64_t m, const double *x, double *f) {
  static const double zero;
  const named *q = of;
  const column at = {x, m}, row = {&zero, 1};
  return integrand_values(q->f, m, at, row, &f);
}

static status region_room(named *q, int64_t n) {
  if (n <= q->room) return STATUS_OK;
  free(q->fine);
  q->fine = malloc((size_t)n * 2 * sizeof *q->fine);
  q->off = q->fine + n;
  q->room = q->fine ? n : 0;
  return q->fine ? STATUS_OK : fail(STATUS_MEMORY, "%s: out of memory for a region", q->name);
}

static status region(void *of, double left, double right, int64_t blocks, int64_t threads, double *value,
                     double *error) {
  named *q = of;
  status st = region_room(q, blocks * threads);
  int64_t b, i;
  if (!st) st = integrand_pairs(q->f, blocks * threads, left, right, q->fine, q->off);
  for (b = 0; b < blocks && !st; b++) {
    value[b] = error[b] = 0;
    for (i = b * threads; i < (b + 1) * threads; i++) {
      value[b] += q->fine[i];
      error[b] += q->off[i];
    }
  }
  return st;
}

static status one(named *q, enum published_method method, double lower, double upper, published_options o, int64_t i,
                  quadrature_result *r, named_counters *c) {
  const published_integrand f = {q, points, method < PUBLISHED_PSCAQ ? NULL : region};
  const double sign = lower <= upper ? 1 : -1;
  published_result p = {0};
  status st = STATUS_OK;
  if (isnan(lower) || isnan(upper) || isinf(lower) || isinf(upper) || isinf(upper - lower)) {
    p.code = QUAD_INVALID;
    p.value = p.error = NAN;
  } else if (lower != upper) {
    st = quadrature_published(method, f, fmin(lower, upper), fmax(lower, upper), o, &p);
  }
  r->value[i] = sign * p.value;
  r->error[i] = p.error;
  r->evaluations[i] = (double)p.evaluations;
  r->subdivisions[i] = (int32_t)(p.accepted < INT32_MAX ? p.accepted : INT32_MAX);
  r->code[i] = p.code;
  r->where[i] = p.code == PUBLISHED_NON_FINITE ? p.bad_x : NAN;
  c->regions[i] = (double)(p.accepted + p.rejected);
  c->launches[i] = (double)p.launches;
  return st;
}

status quadrature_named(const integrand_source *source, enum published_method method, int64_t n,
                        const double *parameters, column lower, column upper, published_options o,
                        quadrature_result *r, named_counters *c) {
  const int forced_cpu = method < PUBLISHED_PSCAQ;
  const call_part whole = backend_part();
  named q = {NULL, source->name, NULL, NULL, 0};
  status st = integrand_open(source, &q.f);
  int64_t i;
  backend_force_cpu(forced_cpu);
  for (i = 0; i < n && !st; i++) {
    const double done = n > 1 ? (double)i / (double)n : NAN;
    backend_set_part(whole, done, done);
    st = integrand_set_rows(q.f, 1, parameters ? parameters + i * source->n_parameter : NULL);
    if (!st) st = one(&q, method, column_at(lower, i), column_at(upper, i), o, i, r, c);
  }
  backend_set_part(whole, 0, 1);
  backend_force_cpu(-forced_cpu);
  integrand_close(q.f);
  free(q.fine);
  return st;
}
