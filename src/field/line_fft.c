/* line_fft.c: see line_fft.h. */
#include "field/line_fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef STATCL_FFTW
#include <fftw3.h>

struct line_plan {
  int64_t n;
  fftw_plan plan;
};

struct line_space {
  double *line; /* halfcomplex: r_0, r_1, ..., r_(n/2), i_((n + 1)/2 - 1), ..., i_1 */
};

line_plan *line_plan_make(int64_t n, int real) {
  line_plan *p = calloc(1, sizeof *p);
  double *some = malloc((size_t)(2 * n) * sizeof *some);
  const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
  if (p && some) {
    p->n = n;
    p->plan = real ? fftw_plan_r2r_1d((int)n, some, some, FFTW_HC2R, flags)
                   : fftw_plan_dft_1d((int)n, (fftw_complex *)some, (fftw_complex *)some, FFTW_BACKWARD, flags);
  }
  free(some);
  if (p && !p->plan) free(p), p = NULL;
  return p;
}

void line_plan_free(line_plan *p) {
  if (p) fftw_destroy_plan(p->plan);
  free(p);
}

line_space *line_space_make(const line_plan *p) {
  line_space *s = calloc(1, sizeof *s);
  if (s) s->line = malloc((size_t)p->n * sizeof *s->line);
  if (s && !s->line) free(s), s = NULL;
  return s;
}

void line_space_free(line_space *s) {
  if (s) free(s->line);
  free(s);
}

void line_complex(const line_plan *p, line_space *s, double *z) {
  (void)s;
  fftw_execute_dft(p->plan, (fftw_complex *)z, (fftw_complex *)z);
}

void line_real_values(const line_plan *p, line_space *s, const double *half, double *x) {
  (void)s;
  for (int64_t k = 0; k <= p->n / 2; k++) {
    x[k] = half[2 * k];
    if (k > 0 && 2 * k < p->n) x[p->n - k] = half[2 * k + 1];
  }
  fftw_execute_r2r(p->plan, x, x);
}

/* An even sequence has a real spectrum, and the sum over it is what a spectrum of these values would give. */
void line_real_even(const line_plan *p, line_space *s, double *x) {
  for (int64_t k = 0; k < p->n; k++) s->line[k] = 2 * k <= p->n ? x[k] : 0;
  fftw_execute_r2r(p->plan, s->line, s->line);
  memcpy(x, s->line, (size_t)(p->n / 2 + 1) * sizeof *x);
}

#else
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_complex.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

/* By Bluestein (1970), with j k = (j^2 + k^2 - (k - j)^2)/2: a transform of n is a convolution with a chirp, which
 * transforms of `longer` >= 2 n - 1 do. GSL takes a time in proportion to the largest prime factor, and is as fast
 * where that is some 50. */
enum { LARGE_PRIME = 50 };

struct line_plan {
  int64_t n, longer; /* 0: no chirp */
  int real;
  gsl_fft_complex_wavetable *table;
  gsl_fft_halfcomplex_wavetable *half_table;
  double *chirp, *transform; /* n and longer complex numbers */
};

struct line_space {
  gsl_fft_complex_workspace *space;
  gsl_fft_real_workspace *real_space;
  double *line; /* for the chirp, for a whole spectrum, and for line_real_even() */
};

static int64_t without_factors(int64_t n, int most) {
  for (int f = 2; f <= most; f++)
    while (n % f == 0) n /= f;
  return n;
}

static void multiply(int64_t n, double *z, const double *w) {
  for (int64_t i = 0; i < 2 * n; i += 2) {
    const double re = z[i] * w[i] - z[i + 1] * w[i + 1];
    z[i + 1] = z[i] * w[i + 1] + z[i + 1] * w[i];
    z[i] = re;
  }
}

static int make_chirp(line_plan *p) {
  static const double pi = 3.14159265358979323846;
  gsl_fft_complex_workspace *space = gsl_fft_complex_workspace_alloc((size_t)p->longer);
  p->chirp = malloc((size_t)p->n * 2 * sizeof(double));
  p->transform = calloc((size_t)p->longer * 2, sizeof(double));
  const int good = space && p->chirp && p->transform;
  for (int64_t j = 0; j < p->n && good; j++) {
    const double angle = pi * (double)((uint64_t)j * (uint64_t)j % (uint64_t)(2 * p->n)) / (double)p->n;
    p->chirp[2 * j] = cos(angle);
    p->chirp[2 * j + 1] = sin(angle);
    for (int side = 0; side < 2; side++) {
      double *to = p->transform + 2 * (side && j ? p->longer - j : j);
      to[0] = cos(angle) / (double)p->longer;
      to[1] = -sin(angle) / (double)p->longer;
    }
  }
  if (good) gsl_fft_complex_forward(p->transform, 1, (size_t)p->longer, p->table, space);
  if (space) gsl_fft_complex_workspace_free(space);
  return good;
}

line_plan *line_plan_make(int64_t n, int real) {
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  line_plan *p = calloc(1, sizeof *p);
  int good = p != NULL;
  if (good) {
    p->n = n;
    p->real = real;
    if (without_factors(n, LARGE_PRIME) > 1) {
      for (p->longer = 2 * n - 1; without_factors(p->longer, 5) > 1;) p->longer++;
      good = (p->table = gsl_fft_complex_wavetable_alloc((size_t)p->longer)) != NULL && make_chirp(p);
    } else if (real) good = (p->half_table = gsl_fft_halfcomplex_wavetable_alloc((size_t)n)) != NULL;
    else good = (p->table = gsl_fft_complex_wavetable_alloc((size_t)n)) != NULL;
  }
  gsl_set_error_handler(old);
  if (good) return p;
  line_plan_free(p);
  return NULL;
}

void line_plan_free(line_plan *p) {
  if (!p) return;
  if (p->table) gsl_fft_complex_wavetable_free(p->table);
  if (p->half_table) gsl_fft_halfcomplex_wavetable_free(p->half_table);
  free(p->chirp);
  free(p->transform);
  free(p);
}

line_space *line_space_make(const line_plan *p) {
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  line_space *s = calloc(1, sizeof *s);
  int good = s != NULL;
  if (good) {
    const size_t n = (size_t)(p->longer ? p->longer : p->n);
    if (p->half_table) good = (s->real_space = gsl_fft_real_workspace_alloc(n)) != NULL;
    else good = (s->space = gsl_fft_complex_workspace_alloc(n)) != NULL;
    s->line = malloc((2 * (size_t)(p->longer + p->n) + 2 * (size_t)p->n + 2) * sizeof *s->line);
    good = good && s->line;
  }
  gsl_set_error_handler(old);
  if (good) return s;
  line_space_free(s);
  return NULL;
}

void line_space_free(line_space *s) {
  if (!s) return;
  if (s->space) gsl_fft_complex_workspace_free(s->space);
  if (s->real_space) gsl_fft_real_workspace_free(s->real_space);
  free(s->line);
  free(s);
}

void line_complex(const line_plan *p, line_space *s, double *z) {
  if (!p->longer) {
    gsl_fft_complex_backward(z, 1, (size_t)p->n, p->table, s->space);
    return;
  }
  memset(s->line, 0, (size_t)p->longer * 2 * sizeof *z);
  memcpy(s->line, z, (size_t)p->n * 2 * sizeof *z);
  multiply(p->n, s->line, p->chirp);
  gsl_fft_complex_forward(s->line, 1, (size_t)p->longer, p->table, s->space);
  multiply(p->longer, s->line, p->transform);
  gsl_fft_complex_backward(s->line, 1, (size_t)p->longer, p->table, s->space);
  multiply(p->n, s->line, p->chirp);
  memcpy(z, s->line, (size_t)p->n * 2 * sizeof *z);
}

/* half: n/2 + 1 complex numbers */
static void by_complex(const line_plan *p, line_space *s, const double *half, double *x) {
  double *z = s->line + 2 * p->longer;
  for (int64_t k = 0; k < p->n; k++) {
    const int64_t from = 2 * k <= p->n ? k : p->n - k;
    z[2 * k] = half[2 * from];
    z[2 * k + 1] = 2 * k <= p->n ? half[2 * from + 1] : -half[2 * from + 1];
  }
  line_complex(p, s, z);
  for (int64_t j = 0; j < p->n; j++) x[j] = z[2 * j];
}

/* GSL's order is r_0, r_1, i_1, r_2, i_2, ... */
void line_real_values(const line_plan *p, line_space *s, const double *half, double *x) {
  if (p->longer) {
    by_complex(p, s, half, x);
    return;
  }
  x[0] = half[0];
  memcpy(x + 1, half + 2, (size_t)(p->n - 1) * sizeof *x);
  gsl_fft_halfcomplex_backward(x, 1, (size_t)p->n, p->half_table, s->real_space);
}

/* An even sequence is a real spectrum of a real sequence. */
void line_real_even(const line_plan *p, line_space *s, double *x) {
  const int64_t m = p->n / 2 + 1;
  double *half = s->line + 2 * (p->longer + p->n), *values = half + 2 * m; /* 2 m <= n + 2 */
  for (int64_t k = 0; k < m; k++) half[2 * k] = x[k], half[2 * k + 1] = 0;
  line_real_values(p, s, half, values);
  memcpy(x, values, (size_t)m * sizeof *x);
}
#endif
