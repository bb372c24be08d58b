/* bessel_par.h: constants of a call in par, for bessel.cl and src/bessel/bessel.c. */
#ifndef STATCL_BESSEL_PAR_H
#define STATCL_BESSEL_PAR_H

#define BESSEL_WHAT 0   /* BESSEL_VALUE, BESSEL_DX or BESSEL_DNU */
#define BESSEL_SCALED 1 /* times exp(x)? */
#define BESSEL_LOG 2    /* of log K? */

/* largest order that bessel.h reaches by recurrence */
#define BESSEL_ORDER 20.5

#define BESSEL_VALUE 0
#define BESSEL_DX 1
#define BESSEL_DNU 2

#endif
