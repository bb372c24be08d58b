/* bessel_published.h: log K_nu(x) and, scaled, log(e^x K_nu(x)), x > 0, nu >= 0, by the published algorithms that
 * besselKgpu() offers by name. They are for comparison: none does better than it does where it was published.
 *
 * Temme, J. Comput. Phys. 19 (1975) 324: for |mu| <= 1/2 a series up to x = 2, above it the continued fraction CF2 in
 * Steed's form (Campbell, Comput. Phys. Comm. 24 (1981) 97; also GSL and Numerical Recipes), then the recurrence
 * upwards in the order. Takekawa, SoftwareX 17 (2022) 100923, and Geng et al., arXiv:2502.00356, are trapezoids on
 *
 *     K_nu(x) = Int_0^Inf exp(g(t)) dt,   g(t) = log cosh(nu t) - x cosh t
 *
 * where g is within log(eps) of its maximum (Takekawa) or over [0, 9] (Geng et al.); scaled, cosh t - 1 is in the
 * place of cosh t.
 *
 * Largest errors of log K, in eps max(1, |log K|), against tests/testthat/ref/besselk.csv.gz for
 * nu <= 20 (Temme for nu > 20: 27; for log(e^x K) in (1, 2], where the terms of its series cancel, 37):
 *
 *     x                  < 0.001    0.001..0.1    0.1..2    2..140    > 140
 *     Temme                  0.9           2.3        18       9.8      0.8
 *     Takekawa, 16 bins     9e13          4e11      3e10     1.5e9        1
 *     Takekawa, 32          2e13           6e6       561        12      0.9
 *     Takekawa, 128         2e12             4         6        11      0.9
 *     refined, 40            0.9           2.3     2.4e7      4e12     7e12
 *     refined, 128           0.9           2.3         5        15    6.5e11  */
#ifndef STATCL_BESSEL_PUBLISHED_H
#define STATCL_BESSEL_PUBLISHED_H

#include "kernels/bessel/bessel_temme.h"

#define TEMME_FRACTIONS 100    /* a bound: 1e-16 takes at most 77 for |mu| <= 1/2, at x = 2 */
#define TEMME_MAX_ORDER 100000 /* a step of the recurrence per unit of the order; NaN beyond */
#define TAKEKAWA_DOUBLINGS 20  /* of a first step of 0.1: t up to 1e5, where cosh t has long overflown */
#define TAKEKAWA_HALVINGS 10   /* as published */
#define BESSEL_EPS K(2.220446049250313e-16)

/* ---- Temme ---- */

/* One block on its way upwards: y_n = K_{mu+n} times a factor, the logarithm of which base undoes,
 * y_{n+1} = a (mu + n) y_n + b y_{n-1}. With y_n = K_{mu+n} (x/2)^n nothing overflows for small x: a = 1,
 * b = x^2/4. */
typedef struct {
  real x[LANES], mu[LANES], steps[LANES], a[LANES], b[LANES], now[LANES], next[LANES], base[LANES], scaled;
} temme_block;

/* x <= 2: bessel_temme() gives K_mu and K_{mu+1} (x/2). */
DEV_BLOCK_FN void temme_small(temme_block *t) {
  real log_hi[LANES], log_lo[LANES], km[LANES];
  LANE_LOOP(l) {
    real lo;
    log_hi[l] = bessel_log(t->x[l], &lo);
    log_lo[l] = lo;
  }
  bessel_temme(t->x, t->mu, log_hi, log_lo, BESSEL_TERMS_TO_2, t->now, t->next, km);
  LANE_LOOP(l) {
    t->a[l] = 1;
    t->b[l] = K(0.25) * t->x[l] * t->x[l];
    t->base[l] = FMA(t->steps[l], log_hi[l], t->steps[l] * log_lo[l] + (t->scaled != 0 ? t->x[l] : K(0)));
  }
}

/* x > 2: CF2. Beyond x = 1e17 it is 1 to all digits, and its terms would overflow. */
DEV_BLOCK_FN void temme_fraction(temme_block *t) {
  real b[LANES], d[LANES], h[LANES], dh[LANES], q1[LANES], q2[LANES], q[LANES], c[LANES], s[LANES], open[LANES];
  LANE_LOOP(l) {
    const real x = t->x[l] > K(1e17) ? K(1e17) : t->x[l], first = K(0.25) - t->mu[l] * t->mu[l];
    b[l] = 2 * (1 + x);
    d[l] = 1 / b[l];
    h[l] = d[l];
    dh[l] = d[l];
    q1[l] = 0;
    q2[l] = 1;
    q[l] = first;
    c[l] = first;
    s[l] = 1 + first * d[l];
    open[l] = 1;
  }
  for (i32 i = 2; i <= TEMME_FRACTIONS; i++) {
    const real k = i, inv = 1 / k, so_far = k * (k - 1);
    i32 any = 0;
    LANE_LOOP(l) {
      const real minus_a = (K(0.25) - t->mu[l] * t->mu[l]) + so_far, inv_a = -1 / minus_a;
      const real q_new = (q1[l] - b[l] * q2[l]) * inv_a;
      c[l] *= minus_a * inv;
      q1[l] = q2[l];
      q2[l] = q_new;
      q[l] += c[l] * q_new;
      b[l] += 2;
      d[l] = 1 / (b[l] - minus_a * d[l]);
      dh[l] *= b[l] * d[l] - 1;
      const real on = open[l], ds = q[l] * dh[l];
      h[l] = on != 0 ? h[l] + dh[l] : h[l];
      s[l] = on != 0 ? s[l] + ds : s[l];
      open[l] = fabs(ds) < BESSEL_EPS * fabs(s[l]) ? K(0) : on;
    }
    for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
    if (!any) break;
  }
  /* K_mu = sqrt(pi/(2 x)) e^-x / s, K_{mu+1} = K_mu (mu + x + 1/2 - h')/x */
  LANE_LOOP(l) {
    const real x = t->x[l], mu = t->mu[l], first = K(0.25) - mu * mu;
    t->a[l] = 2 / x;
    t->b[l] = 1;
    t->now[l] = 1;
    t->next[l] = (x + (mu + K(0.5) - first * h[l])) / x;
    t->base[l] = (K(0.5) * log_(PIO2_ / x) - log_(s[l])) - (t->scaled != 0 ? K(0) : x);
  }
}

/* The result, the logarithm: lanes that have reached their order wait for the others. */
DEV_BLOCK_FN void temme_upward(temme_block *t) {
  real most = 0, shrunk[LANES];
  LANE_LOOP(l) shrunk[l] = 0;
  for (i32 l = 0; l < LANES; l++) most = t->steps[l] > most ? t->steps[l] : most;
  const i32 trips = (i32)most;
  for (i32 i = 1; i <= trips; i++) {
    const real n = i;
    LANE_LOOP(l) {
      const flag on = n <= t->steps[l], large = t->next[l] > K(3.273390607896142e150);
      const real shrink = large ? K(3.054936363499605e-151) : K(1); /* 2^-500 */
      const real now = shrink * t->now[l], next = shrink * t->next[l];
      const real further = FMA(t->a[l] * (t->mu[l] + n), next, t->b[l] * now);
      t->now[l] = on ? next : t->now[l];
      t->next[l] = on ? further : t->next[l];
      shrunk[l] += (on & large) ? K(1) : K(0);
    }
  }
  LANE_LOOP(l) t->base[l] += FMA(shrunk[l], 500 * LN2_, log_(t->now[l]));
}

/* ---- the integral ---- */

/* log cosh z for z >= 0; q = exp(-2 z) */
DEV_FN real log_cosh_(real z, real q) { return z + (log1p_(q) - LN2_); }

/* Adds weight exp(g) to the sum exp(top) sum, top the largest g so far. */
DEV_FN void log_sum_add(real g, real weight, real *top, real *sum) {
  const real above = g - *top, e = exp_(-fabs(above));
  const flag larger = above > 0;
  *sum = larger ? *sum * e + weight : *sum + weight * e;
  *top = larger ? g : *top;
}

/* g, g' and g'' at t >= 0; rest is x, or 0 for g + x. From half the argument, x cosh t = 2 x sinh(t/2)^2 + x, since
 * sinh t overflows where x sinh t does not. */
DEV_FN void takekawa_at(real x, real nu, real rest, real t, real *g, real *g1, real *g2) {
  const real u = expm1_(min_(K(0.5) * t, K(700))), e = u + 1, r = 1 / e, s = K(0.5) * FMA(u, r, u);
  const real xs = x * s, xcm1 = 2 * s * xs;
  const real z = nu * t, q = exp_(-2 * z), p = 1 / (1 + q);
  *g = log_cosh_(z, q) - (xcm1 + rest);
  *g1 = nu * ((1 - q) * p) - xs * (e + r);
  *g2 = 4 * nu * nu * q * p * p - (xcm1 + x);
}

/* A search in each lane: for the zero of g' (peak = 1) or of g - level (0), from at on, width away at most. */
typedef struct {
  real x[LANES], nu[LANES], rest[LANES], level[LANES], at[LANES], width[LANES];
} takekawa_block;

DEV_FN void takekawa_target(i32 peak, const takekawa_block *s, i32 l, real t, real *f, real *slope) {
  real g, g1, g2;
  takekawa_at(s->x[l], s->nu[l], s->rest[l], t, &g, &g1, &g2);
  *f = peak ? g1 : g - s->level[l];
  *slope = peak ? g2 : g1;
}

/* Goes right in steps that double while the target stays positive. */
DEV_FN void takekawa_extend(i32 peak, takekawa_block *s) {
  real grew[LANES];
  for (i32 k = 0; k < TAKEKAWA_DOUBLINGS; k++) {
    i32 any = 0;
    LANE_LOOP(l) {
      const real to = s->at[l] + s->width[l];
      real f, slope;
      takekawa_target(peak, s, l, to, &f, &slope);
      const flag grow = (f > 0) & (s->width[l] > 0);
      s->at[l] = grow ? to : s->at[l];
      s->width[l] *= grow ? K(2) : K(1);
      grew[l] = grow ? K(1) : K(0);
    }
    for (i32 l = 0; l < LANES; l++) any |= grew[l] != 0;
    if (!any) break;
  }
}

/* Halves the interval, then tries Newton's step from the middle, until the target is below 1: coarse, as
 * published. */
DEV_FN void takekawa_zero(i32 peak, takekawa_block *s) {
  real other[LANES], f_at[LANES], middle[LANES], f_middle[LANES], next[LANES], open[LANES];
  LANE_LOOP(l) {
    real slope;
    other[l] = s->at[l] + s->width[l];
    takekawa_target(peak, s, l, s->at[l], &f_at[l], &slope);
  }
  for (i32 k = 0; k < TAKEKAWA_HALVINGS; k++) {
    i32 any = 0;
    LANE_LOOP(l) open[l] = ((fabs(f_at[l]) > 1) & (s->at[l] != other[l])) ? K(1) : K(0);
    for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
    if (!any) break;
    LANE_LOOP(l) {
      real f, slope;
      const real m = s->at[l] + K(0.5) * (other[l] - s->at[l]);
      takekawa_target(peak, s, l, m, &f, &slope);
      const real far = f * f_at[l] < 0 ? s->at[l] : other[l], step = -f / slope, share = step / (far - m);
      const flag inside = (share > 0) & (share < 1);
      other[l] = open[l] != 0 ? far : other[l];
      middle[l] = m;
      f_middle[l] = f;
      next[l] = inside ? m + step : m;
    }
    LANE_LOOP(l) {
      real f, slope;
      takekawa_target(peak, s, l, next[l], &f, &slope);
      const flag on = open[l] != 0, crossed = f * f_middle[l] < 0;
      other[l] = (on & crossed) ? middle[l] : other[l];
      s->at[l] = on ? next[l] : s->at[l];
      f_at[l] = on ? f : f_at[l];
    }
  }
}

DEV_BLOCK_FN void takekawa_peak(takekawa_block *s) {
  LANE_LOOP(l) {
    s->at[l] = 0;
    s->width[l] = s->nu[l] * s->nu[l] > s->x[l] ? K(0.1) : K(0); /* g''(0) > 0 */
  }
  takekawa_extend(1, s);
  takekawa_zero(1, s);
}

/* Where g falls to its level left of the peak, between 0 and right, or right of it: from left on. */
DEV_BLOCK_FN void takekawa_left(takekawa_block *s, const real *right) {
  LANE_LOOP(l) {
    real f, slope;
    s->at[l] = 0;
    takekawa_target(0, s, l, K(0), &f, &slope);
    s->width[l] = f < 0 ? right[l] : K(0);
  }
  takekawa_zero(0, s);
}
DEV_BLOCK_FN void takekawa_right(takekawa_block *s, const real *left) {
  LANE_LOOP(l) {
    real f, slope;
    s->at[l] = left[l];
    takekawa_target(0, s, l, left[l], &f, &slope);
    s->width[l] = f > 0 ? K(0.1) : K(0);
  }
  takekawa_extend(0, s);
  takekawa_zero(0, s);
}

#endif
