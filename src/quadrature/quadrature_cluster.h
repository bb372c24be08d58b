/* quadrature_cluster.h: singularities of an integral, each a cluster of neighbouring panels that stays open round
 * after round, and what the sequences of their integrals converge to. */
#ifndef STATCL_QUADRATURE_CLUSTER_H
#define STATCL_QUADRATURE_CLUSTER_H

#include <stdint.h>

#include "engine/errors.h"
#include "quadrature/quadrature_panels.h"

typedef struct clusters clusters;

/* m: components. *c may be NULL, for no clusters yet; to be freed by free(). After each round: n panels of a from
 * first on, those open that are not taken; value[k][i] and error[k][i]: of component k over panel first + i. */
status clusters_update(clusters **c, int m, const panel_list *a, int64_t first, int64_t n, const unsigned char *taken,
                       const double *const *value, const double *const *error);

/* After a round with values that are not finite: no clusters. */
void clusters_forget(clusters *c);

/* How much the limit of component k is above its total, and the error of that: infinite where a cluster is not
 * regular yet, or there are none. */
double clusters_beyond(clusters *c, int k, double *error);

#endif
