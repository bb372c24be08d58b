/* r_bessel.c: the Bessel function K between R and the engine (src/bessel/bessel.h, bessel_published.h). */
#include "bessel/r_bessel.h"

#include <math.h>

#include "bessel/bessel.h"
#include "bessel/bessel_published.h"
#include "covariance/matern.h"
#include "covariance/r_matern.h"

status run_bessel(const elementwise_call *c) {
  const int scaled = c->option[0] != 0, logarithm = c->option[1] != 0, what = c->option[2];
  const column x = c->in[0], nu = c->in[1];
  /* one order for all: perhaps by a table */
  if (what == BESSEL_VALUE && !logarithm && nu.length == 1 && fabs(nu.data[0]) < 1e3)
    return matern_bessel_k(nu.data[0], scaled, matern_route_wanted(), c->n, x, c->out);
  return bessel_k(what, c->n, x, nu, scaled, logarithm, c->out);
}

status run_bessel_published(const elementwise_call *c) {
  const enum bessel_method method = (enum bessel_method)c->option[0];
  return bessel_published(method, c->option[1], c->n, c->in[0], c->in[1], c->option[2] != 0, c->out);
}
