/* r_bessel.h: the Bessel function K for elementwise.c. */
#ifndef STATCL_R_BESSEL_H
#define STATCL_R_BESSEL_H

#include "glue/r_elementwise.h"

/* log K, of nu >= 0, by one of BESSEL_METHODS. Options: the method, bins, times exp(x). */
elementwise_run run_bessel_published;

#endif
