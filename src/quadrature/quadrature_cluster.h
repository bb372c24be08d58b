/* quadrature_cluster.h: singularities of an integral, each a cluster of neighbouring panels that stays open round
 * after round, and what the sequences of their integrals converge to. */
#ifndef STATCL_QUADRATURE_CLUSTER_H
#define STATCL_QUADRATURE_CLUSTER_H

#include "quadrature/quadrature_round.h"

typedef struct clusters clusters;

/* After each round, with its panels: those open that are not taken. *c may be NULL, for no clusters yet; to be freed
 * by free(). */
status clusters_update(clusters **c, const panel_round *p);

/* After a round with values that are not finite: no clusters. */
void clusters_forget(clusters *c);

/* How much the limit of component k is above its total, and the error of that: infinite where a cluster is not
 * regular yet, or there are none. */
double clusters_beyond(clusters *c, int k, double *error);

#endif
