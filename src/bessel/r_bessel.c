/* r_bessel.c: the Bessel function K between R and the engine (src/bessel/bessel.h, bessel_published.h). */
#include "bessel/r_bessel.h"

#include "bessel/bessel_published.h"

status run_bessel_published(const elementwise_call *c) {
  const enum bessel_method method = (enum bessel_method)c->option[0];
  return bessel_published(method, c->option[1], c->n, c->in[0], c->in[1], c->option[2] != 0, c->out);
}
