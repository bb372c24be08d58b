/* noncentral_par.h: columns, lists and the constants of a call, shared by kernels and host. */
#ifndef STATCL_NONCENTRAL_PAR_H
#define STATCL_NONCENTRAL_PAR_H

/* in: x, q, p or nothing; degrees of freedom, and the non-centrality parameter */
enum { NONCENTRAL_GIVEN, NONCENTRAL_DF, NONCENTRAL_NCP, NONCENTRAL_COLUMNS };
/* work: a smaller tail in the form of tail_form.h, and where its quantile is sought */
enum { NONCENTRAL_WORK_TAIL, NONCENTRAL_WORK_AT, NONCENTRAL_WORK_COLUMNS };
/* points by what serves them: the integral, the series of the lower and that of the upper tail; and quantiles by the
 * integral that take one step */
enum { NONCENTRAL_LIST_INTEGRAL, NONCENTRAL_LIST_LOWER, NONCENTRAL_LIST_UPPER, NONCENTRAL_WAYS };
enum { NONCENTRAL_LIST_ONE_STEP = NONCENTRAL_WAYS, NONCENTRAL_LISTS };

/* densities */
#define NONCENTRAL_PDF_LOG 0
/* tails and quantiles: the options of pchisqgpu() and qchisqgpu() */
#define NONCENTRAL_LOWER 0
#define NONCENTRAL_LOG 1

#endif
