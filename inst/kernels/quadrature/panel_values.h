/* panel_values.h: values of a translated integrand at the nodes of a panel a lane.
 *
 *   PANEL_ROOM                                       declares what the next one needs, x and scale among it
 *   PANEL_VALUES(centre, radius, kind, anchor, row)  computes INTEGRAND_VALUE(j), and x and scale of panel_nodes() */
#ifndef STATCL_PANEL_VALUES_H
#define STATCL_PANEL_VALUES_H

#include "kernels/quadrature/integrand.h"
#include "kernels/quadrature/quadrature.h"

#define PANEL_ROOM                                                                                           \
  INTEGRAND_ROOM(NODES);                                                                                     \
  real x[NODES * LANES], scale[NODES * LANES]

#ifdef INTEGRAND_ON_BELT
#define PANEL_PLACE(k) panel_node(centre_of_[0], radius_of_[0], kind_of_[0], anchor_of_[0], k, scale)
#define PANEL_VALUES(centre, radius, kind, anchor, row)                                                      \
  const real *centre_of_ = centre, *radius_of_ = radius, *kind_of_ = kind, *anchor_of_ = anchor;             \
  INTEGRAND_ON_BELT(NODES, PANEL_PLACE, row)                                                                 \
  panel_nodes(centre, radius, kind, anchor, x, scale)
#else
#define PANEL_VALUES(centre, radius, kind, anchor, row)                                                      \
  panel_nodes(centre, radius, kind, anchor, x, scale);                                                       \
  INTEGRAND_AT(NODES, x, row)
#endif

#endif
