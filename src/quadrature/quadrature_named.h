/* quadrature_named.h: integrals by the published algorithms of quadrature_published.h, on any device. */
#ifndef STATCL_QUADRATURE_NAMED_H
#define STATCL_QUADRATURE_NAMED_H

#include "quadrature/integrand.h"
#include "quadrature/quadrature_call.h"
#include "quadrature/quadrature_published.h"

/* Besides the columns of quadrature_result, whose subdivisions are the regions or intervals that were accepted. */
typedef struct {
  double *regions, *launches; /* all of them */
} named_counters;

/* n integrals, one after the other; those of sequential algorithms on the CPU. */
status quadrature_named(const integrand_source *source, enum published_method method, int64_t n,
                        const double *parameters, column lower, column upper, published_options o,
                        quadrature_result *r, named_counters *c);

#endif
