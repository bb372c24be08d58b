/* bessel_published.h: log K_nu(x), x > 0, nu >= 0, by the published algorithms that besselKgpu() offers by name. They
 * are for comparison: none does better than it does where it was published.
 *
 * Temme, J. Comput. Phys. 19 (1975) 324: for |mu| <= 1/2 a series up to x = 2, above it the continued fraction CF2 in
 * Steed's form (Campbell, Comput. Phys. Comm. 24 (1981) 97; also GSL and Numerical Recipes), then the recurrence
 * upwards in the order. Takekawa, SoftwareX 17 (2022) 100923, and Geng et al., arXiv:2502.00356, are trapezoids on
 *
 *     K_nu(x) = Int_0^Inf exp(g(t)) dt,   g(t) = log cosh(nu t) - x cosh t
 *
 * where g is within log(eps) of its maximum (Takekawa) or over [0, 9] (Geng et al.).
 *
 * Largest errors of log K, in eps max(1, |log K|), against tests/testthat/ref/besselk.csv.gz for
 * nu <= 20 (Temme for nu > 20: 27):
 *
 *     x                  < 0.001    0.001..0.1    0.1..2    2..140    > 140
 *     Temme                  1.3           2.5       9.4       9.8      0.9
 *     Takekawa, 16 bins     9e13          4e11      3e10     1.5e9        1
 *     Takekawa, 32          2e13           6e6       561        17      0.9
 *     Takekawa, 128         2e12             4         6        11      0.9
 *     refined, 40            1.3           2.5     2.4e7      4e12     7e12
 *     refined, 128           1.3           2.5         5        16    6.5e11  */
#ifndef STATCL_BESSEL_PUBLISHED_H
#define STATCL_BESSEL_PUBLISHED_H

#include "elementary.h"

/* bounds of the loops; the terms that 1e-16 needs for |mu| <= 1/2 are at most 13 (series) and 77 (fraction, x = 2) */
#define TEMME_TERMS 30
#define TEMME_FRACTIONS 100
#define TEMME_MAX_ORDER 100000 /* a step of the recurrence per unit of the order; NaN beyond */
#define TAKEKAWA_DOUBLINGS 20  /* of a first step of 0.1: t up to 1e5, where cosh t has long overflown */
#define TAKEKAWA_HALVINGS 10   /* as published */
#define BESSEL_EPS K(2.220446049250313e-16)

/* ---- Temme ---- */

/* One block on its way upwards: y_n = K_{mu+n} times a factor, the logarithm of which base undoes,
 * y_{n+1} = a (mu + n) y_n + b y_{n-1}. With y_n = K_{mu+n} (x/2)^n nothing overflows for small x: a = 1,
 * b = x^2/4. */
typedef struct {
  real x[LANES], mu[LANES], steps[LANES], a[LANES], b[LANES], now[LANES], next[LANES], base[LANES];
} temme_block;

DEV_FN void temme_order(real nu, real *mu, real *steps) {
  const real c = nu > TEMME_MAX_ORDER ? K(0) : nu, n = (c + ROUND_) - ROUND_;
  *mu = c - n;
  *steps = n;
}

/* 1/Gamma(1 + z) = g2 - z g1, 1/Gamma(1 - z) = g2 + z g1 for |z| <= 1/2: odd and even part of the power series
 * (DLMF 5.7.1; coefficients rounded from 40 digits), so that g1 does not cancel at z = 0; terms left out are below
 * 1e-18. */
DEV_FN void temme_gammas(real z, real *g1, real *g2) {
  const real w = z * z;
  *g1 = FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, K(-7.782263439905071e-12),
        K(1.18127457048702e-09)), K(-6.116095104481416e-09)), K(-1.133027231981696e-06)), K(2.013485478078824e-05)),
        K(0.00021524167411495098)), K(-0.0072189432466631)), K(0.04219773455554433)), K(0.04200263503409524)),
        K(-0.5772156649015329));
  *g2 = FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, FMA(w, K(-3.696805618642206e-12),
        K(1.0434267116911005e-10)), K(5.002007644469223e-09)), K(-2.056338416977607e-07)),
        K(-1.2504934821426706e-06)), K(0.0001280502823881162)), K(-0.0011651675918590652)),
        K(-0.009621971527876973)), K(0.16653861138229148)), K(-0.6558780715202539)), K(1));
}

/* x <= 2: K_mu = sum c_k f_k, K_{mu+1} (x/2) = sum c_k (p_k - k f_k), c_k = (x^2/4)^k/k!. */
DEV_BLOCK_FN void temme_series(temme_block *t) {
  real f[LANES], p[LANES], q[LANES], c[LANES], open[LANES];
  LANE_LOOP(l) {
    const real mu = t->mu[l], log_2x = LN2_ - log_(t->x[l]), sigma = mu * log_2x, s = fabs(sigma);
    const real u = expm1_(s), e = u + 1, r = 1 / e, sinh_s = K(0.5) * (u + u * r), tiny = s < K(1e-9) ? K(1) : K(0);
    const real ratio = tiny > 0 ? K(1) : sinh_s / (s + tiny);
    real g1, g2;
    temme_gammas(mu, &g1, &g2);
    const real up = g2 + mu * g1, down = g2 - mu * g1;
    f[l] = (K(0.5) * (e + r) * g1 + ratio * log_2x * g2) / (up * down);
    p[l] = K(0.5) * (sigma < 0 ? r : e) / down;
    q[l] = K(0.5) * (sigma < 0 ? e : r) / up;
    t->a[l] = 1;
    t->b[l] = K(0.25) * t->x[l] * t->x[l];
    t->base[l] = t->steps[l] * log_2x;
  }
  LANE_LOOP(l) {
    c[l] = 1;
    open[l] = 1;
    t->now[l] = f[l];
    t->next[l] = p[l];
  }
  for (i32 i = 1; i <= TEMME_TERMS; i++) {
    const real k = i, inv = 1 / k;
    i32 any = 0;
    LANE_LOOP(l) {
      const real mu = t->mu[l], r = 1 / (k * k - mu * mu);
      f[l] = (k * f[l] + p[l] + q[l]) * r;
      p[l] *= (k + mu) * r;
      q[l] *= (k - mu) * r;
      c[l] *= t->b[l] * inv;
      const real term = open[l] * (c[l] * f[l]);
      t->now[l] += term;
      t->next[l] += open[l] * (c[l] * (p[l] - k * f[l]));
      open[l] = fabs(term) < K(0.5) * BESSEL_EPS * fabs(t->now[l]) ? K(0) : open[l];
    }
    for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
    if (!any) break;
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
    t->base[l] = (K(0.5) * log_(PIO2_ / x) - log_(s[l])) - x;
  }
}

/* The result, log K_nu: lanes that have reached their order wait for the others. */
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

/* g, g' and g'' at t >= 0. Half the exponent twice, since e^t overflows where x e^t does not. */
DEV_FN void takekawa_at(real x, real nu, real t, real *g, real *g1, real *g2) {
  const real e = exp_(K(0.5) * t), r = 1 / e, up = x * (K(0.5) * e) * e, down = x * (K(0.5) * r) * r;
  const real z = nu * t, q = exp_(-2 * z), p = 1 / (1 + q);
  *g = log_cosh_(z, q) - (up + down);
  *g1 = nu * ((1 - q) * p) - (up - down);
  *g2 = 4 * nu * nu * q * p * p - (up + down);
}

/* A search in each lane: for the zero of g' (peak = 1) or of g - level (0), from at on, width away at most. */
typedef struct {
  real x[LANES], nu[LANES], level[LANES], at[LANES], width[LANES];
} takekawa_block;

DEV_FN void takekawa_target(i32 peak, const takekawa_block *s, i32 l, real t, real *f, real *slope) {
  real g, g1, g2;
  takekawa_at(s->x[l], s->nu[l], t, &g, &g1, &g2);
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
