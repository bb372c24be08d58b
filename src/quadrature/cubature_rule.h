/* cubature_rule.h: the rules of Genz and Malik (1980) on boxes in two to eight variables, of degrees 7 and 5. */
#ifndef STATCL_CUBATURE_RULE_H
#define STATCL_CUBATURE_RULE_H

#include <stdint.h>

enum { CUBATURE_LEAST = 2, CUBATURE_MOST = 8 };

typedef struct {
  int d, n;        /* variables, nodes */
  double *node;    /* in (-1, 1)^d, those of a node next to each other */
  double high[5], low[5]; /* weights of the centre, near, far, pairs of far, and corners: means over the box */
} cubature_rule;

/* Nonzero without memory. */
int cubature_rule_make(int d, cubature_rule *rule);

/* What is known of a component of the integrand in a box; rough: what the error would be of a function whose terms
 * fall as slowly as the first ones do, small where it is smooth. */
typedef struct {
  double value, error, rough;
  double size;            /* of the mean of |f| by the absolute weights: what rounding is measured by */
  double fourth[CUBATURE_MOST]; /* differences and jumps along each variable */
} cubature_sums;

/* Of values f at the nodes, means over the box. outer: bit 2 i of the upper and 2 i + 1 of the lower face of variable
 * i is set where that is one of the cube. */
void cubature_rule_sums(const cubature_rule *rule, const double *f, unsigned outer, cubature_sums *sums);

#endif
