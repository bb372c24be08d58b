/* integrand_library.c: see integrand_library.h. */
#include "quadrature/integrand_library.h"

#include "bessel/bessel.h"
#include "poisson/poisson.h"
#include "stable/stable.h"

static status stable(enum stable_value what, int logs, int64_t n, const column *a, double *out) {
  const stable_parameters p = {a[1], a[2], a[3], a[4], a[5]};
  return stable_values(what, BY_SIZE, n, a[0], p, logs, out);
}

status integrand_library(enum integrand_op op, int64_t n, const column *a, double *out) {
  switch (op) {
  case OP_bessel_k: return bessel_k(BESSEL_VALUE, n, a[0], a[1], 0, 0, out);
  case OP_bessel_k_scaled: return bessel_k(BESSEL_VALUE, n, a[0], a[1], 1, 0, out);
  case OP_stable_density: return stable(STABLE_DENSITY, 0, n, a, out);
  case OP_stable_log_density: return stable(STABLE_DENSITY, 1, n, a, out);
  case OP_stable_lower: return stable(STABLE_LOWER, 0, n, a, out);
  case OP_stable_upper: return stable(STABLE_UPPER, 0, n, a, out);
  case OP_stable_log_lower: return stable(STABLE_LOWER, 1, n, a, out);
  case OP_stable_log_upper: return stable(STABLE_UPPER, 1, n, a, out);
  case OP_stable_quantile: return stable(STABLE_LOWER_QUANTILE, 0, n, a, out);
  case OP_stable_upper_quantile: return stable(STABLE_UPPER_QUANTILE, 0, n, a, out);
  case OP_poisson_density: return poisson_density(n, a[0], a[1], 0, out);
  case OP_poisson_log_density: return poisson_density(n, a[0], a[1], 1, out);
  case OP_poisson_lower: return poisson_tail(n, a[0], a[1], 0, 0, out);
  case OP_poisson_upper: return poisson_tail(n, a[0], a[1], 1, 0, out);
  case OP_poisson_log_lower: return poisson_tail(n, a[0], a[1], 0, 1, out);
  case OP_poisson_log_upper: return poisson_tail(n, a[0], a[1], 1, 1, out);
  case OP_poisson_quantile: return poisson_quantile(n, a[0], a[1], 0, 0, 0, out);
  case OP_poisson_upper_quantile: return poisson_quantile(n, a[0], a[1], 1, 0, 0, out);
  default: return fail(STATUS_INPUT, "operation %d is not one that a family serves", (int)op);
  }
}
