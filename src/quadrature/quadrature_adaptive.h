/* quadrature_adaptive.h: many integrals of one integrand at once, by adaptive Gauss-Kronrod quadrature. */
#ifndef STATCL_QUADRATURE_ADAPTIVE_H
#define STATCL_QUADRATURE_ADAPTIVE_H

#include "quadrature/integrand.h"
#include "quadrature/quadrature_call.h"

/* n integrals from lower to upper; integral i has the parameters i * n_parameter, ... */
status quadrature_adaptive(const integrand_source *source, int64_t n, const double *parameters, column lower,
                           column upper, const quadrature_options *o, quadrature_result *r);

#endif
