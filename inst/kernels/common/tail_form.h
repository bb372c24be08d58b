/* tail_form.h: a smaller tail with its side, as one number: u for a lower and -u for an upper tail u <= 1/2; where u
 * is given by its logarithm that, as a number beyond 1/2: -log u or log u. +0 and -0 are no tail at all. In single
 * precision p comes in this form, formed from p in double precision. */
#ifndef STATCL_TAIL_FORM_H
#define STATCL_TAIL_FORM_H

#define TAIL_IS_LOG(size) ((size) > K(0.5)) /* of a tail without its sign */
#define TAIL_OF(p) ((p) <= K(0.5) ? (p) : -(K(1) - (p)))

#endif
