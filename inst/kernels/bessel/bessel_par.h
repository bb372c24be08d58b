/* bessel_par.h: columns and lists of bessel.cl and bessel_published.cl, and constants of a call in par. */
#ifndef STATCL_BESSEL_PAR_H
#define STATCL_BESSEL_PAR_H

enum { BESSEL_X, BESSEL_NU, BESSEL_COLUMNS };
enum { K_LIST_SERIES, K_LIST_LOW, K_LIST_MID, K_LIST_HIGH, K_LIST_FAR, K_LIST_CENTRED, K_LIST_SLOPE, K_LISTS };
enum { LIST_TEMME_SERIES, LIST_ABOVE, PUBLISHED_LISTS };

#define BESSEL_WHAT 0   /* BESSEL_VALUE, BESSEL_DX or BESSEL_DNU */
#define BESSEL_SCALED 1 /* times exp(x)? */
#define BESSEL_LOG 2    /* of log K? */

/* largest order that bessel.h reaches by recurrence */
#define BESSEL_ORDER 20.5

#define BESSEL_VALUE 0
#define BESSEL_DX 1
#define BESSEL_DNU 2

#endif
