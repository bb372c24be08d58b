/* line_fft.h: discrete Fourier transforms of single lines, by FFTW where configure found it, else by GSL and, for
 * lengths with large prime factors, Bluestein's algorithm. None scales its result; exponents are positive. */
#ifndef STATCL_LINE_FFT_H
#define STATCL_LINE_FFT_H

#include <stdint.h>

typedef struct line_plan line_plan;   /* of a length, for any number of threads */
typedef struct line_space line_space; /* of a thread */

/* real: for the line_real_...() functions, else for line_complex(). NULL: no memory. */
line_plan *line_plan_make(int64_t n, int real);
void line_plan_free(line_plan *p);
line_space *line_space_make(const line_plan *p);
void line_space_free(line_space *s);

/* n complex numbers in place. */
void line_complex(const line_plan *p, line_space *s, double *z);
/* Real values from the n/2 + 1 complex numbers of half a spectrum, of which the other half is the conjugate. */
void line_real_values(const line_plan *p, line_space *s, const double *half, double *x);
/* Real parts 0, ..., n/2 of the transform of an even sequence, of which x has these elements; in place. */
void line_real_even(const line_plan *p, line_space *s, double *x);

#endif
