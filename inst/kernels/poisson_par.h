/* poisson_par.h: the constants of a call, shared by kernels and host. */
#ifndef STATCL_POISSON_PAR_H
#define STATCL_POISSON_PAR_H

/* quantiles and draws */
#define POISSON_UPPER 0 /* is p an upper tail? */
#define POISSON_LOG 1   /* is it a logarithm? */
#define POISSON_KEY 2   /* key of the random numbers, four times 16 bits */
#define POISSON_QUANTILE_PAR 6

/* A smaller tail with its side, as one number: u for a lower and -u for an upper tail u <= 1/2; where u is given by
 * its logarithm that, as a number beyond 1/2: -log u or log u. +0 and -0 are no tail at all. In single precision p
 * comes in this form, formed from p in double precision. */

/* densities and tails: POISSON_UPPER, POISSON_LOG */
#define POISSON_CDF_PAR 2

#endif
