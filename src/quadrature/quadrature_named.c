/* quadrature_named.c: see quadrature_named.h. */
#include "quadrature/quadrature_named.h"

#include <math.h>

static status points(void *of, int64_t m, const double *x, double *f) {
  static const double zero;
  const column at = {x, m}, row = {&zero, 1};
  return integrand_values(of, m, at, row, &f);
}

static status region(void *of, double left, double right, int64_t blocks, int64_t threads, double *value,
                     double *error) {
  return integrand_pairs(of, blocks, threads, left, right, value, error);
}

static status one(integrand *q, enum published_method method, double lower, double upper, published_options o,
                  int64_t i, quadrature_result *r, named_counters *c) {
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
  integrand *q;
  status st = integrand_open(source, &q);
  backend_force_cpu(forced_cpu);
  for (int64_t i = 0; i < n && !st; i++) {
    const double done = n > 1 ? (double)i / (double)n : NAN;
    backend_set_part(whole, done, done);
    st = integrand_set_rows(q, 1, parameters ? parameters + i * source->n_parameter : NULL, NULL);
    if (!st) st = one(q, method, column_at(lower, i), column_at(upper, i), o, i, r, c);
  }
  backend_set_part(whole, 0, 1);
  backend_force_cpu(-forced_cpu);
  integrand_close(q);
  return st;
}
