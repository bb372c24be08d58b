/* stable_elliptical.h: the radial density and the tails of the radius of the elliptical stable distribution in d
 * dimensions, with characteristic function exp(-|u|^alpha).
 *
 * With rho = r^2/4 the density h(r) and the tails of R = |X| are line integrals (Mellin and Barnes; Nolan 2013,
 * Computational Statistics 28, 2067-2089, has the same functions as integrals of Bessel functions and as series)
 *
 *   h = (4 pi)^(-d/2) 1/(2 pi i) int G(t) rho^(-d/2) dt,   -alpha/2 < Re t < d/2,
 *   P(R <= r) = 1/Gamma(d/2) 1/(2 pi i) int G(t) dt/t,        0 < Re t < d/2,
 *   P(R > r) = -1/Gamma(d/2) 1/(2 pi i) int G(t) dt/t,        -alpha/2 < Re t < 0,
 *   G(t) = Gamma(d/2 - t) Gamma(1 + 2t/alpha)/Gamma(1 + t) rho^t.
 *
 * The line goes through the least of |G| (|G/t|) between the poles, which a bisection finds. On it
 * t = c - p + i B sinh(u) with B the width of the summit, but at most the distance from the poles, and p a multiple
 * of cosh u - 1, by which the line bends to where |G| falls (elliptical_lean). u goes in steps of ELLIPTICAL_STEP,
 * finer ones for alpha above ELLIPTICAL_FINE, where the pole at -alpha/2 is weak and the summit wide: the integrand
 * is analytic in a strip of |Im u| < 0.7, or 0.35, and hardly grows there, so that the trapezoid is wrong by
 * exp(-2 pi 0.35/0.07) = 2e-14 of the summit at most. (Half the steps change none of 20,000 random values with d to
 * 200 and alpha from 0.1 to 2 by more than 1e-14 of the larger of 1 and log h.) Terms are added until they are below
 * 1e-17 of the largest; there are 25 to 100. The sum cancels by less than a factor 15.
 *
 * For alpha above ELLIPTICAL_SPLIT the normal part of the density and its tail are too different for one line. With
 * w = -t and eps = (2 - alpha)/alpha, reflection of both gamma functions that are quotients gives
 *
 *   Gamma(1 - 2w/alpha)/Gamma(1 - w) = (2/alpha) Gamma(1 + w)/Gamma(1 + 2w/alpha)
 *                                      [cos(eps pi w) - cot(2 pi w/alpha) sin(eps pi w)].
 *
 * The first term has no poles on the right, and its line goes through w = rho - d/2; the second, which has all of
 * the tail, takes one on the left of its first pole alpha/2. This serves rho > d/2, from where on the summit of one
 * line would move towards that pole.
 *
 * Gamma functions are Stirling's series at arguments shifted by GAMMA_SHIFT (error of nine terms beyond |z| = 7:
 * below 2e-16), as quotients by the value on the real axis, so that errors of large logarithms are not those of
 * differences; the value on the axis itself has its large terms in double-double. */
#ifndef STATCL_STABLE_ELLIPTICAL_H
#define STATCL_STABLE_ELLIPTICAL_H

#include "kernels/common/elementary.h"

#define ELLIPTICAL_STEP K(0.1)
#define ELLIPTICAL_FINE_STEP K(0.07)
#define ELLIPTICAL_PART_1_STEP K(0.12)
#define ELLIPTICAL_PART_2_STEP K(0.08)
#define ELLIPTICAL_FINE K(1.8) /* the alpha from which on lines have fine steps */
#define ELLIPTICAL_SPLIT K(1.95)
#define ELLIPTICAL_MOST 200 /* terms of a line */
#define GAMMA_SHIFT 7
#define LOG_4PI_ K(2.5310242469692907)
#define LOG_4PI_LO_ K(5.664688743963382e-17)
#define LOG_4_ K(1.3862943611198906)
#define LOG_4_LO_ K(4.638093627692599e-17)

/* What is asked for: the density, P(R <= r), P(R > r) */
#define ELLIPTICAL_DENSITY K(0.0)
#define ELLIPTICAL_LOWER K(1.0)
#define ELLIPTICAL_UPPER K(2.0)

/* A line for each lane: the distribution, by = 2/alpha, eps = (2 - alpha)/alpha; Re t = at on plain lines (sign 1),
 * Re w on others (-1); the arguments Gamma(x1), Gamma(x2) = Gamma(1 + 2 at/alpha), Gamma(1 + at) there; part 0:
 * plain, 1: cos, 2: cot sin, where gap is the distance from the pole at w = alpha/2; inverse: 0, or 1 or -1, the
 * factor of 1/t or 1/w; power: of rho.
 * Results: the integral is exp(level + level_lo) sum, its derivative by alpha has slope, and -d/dlog(rho) radial in
 * place of sum. */
typedef struct {
  real alpha[LANES], by[LANES], eps[LANES], half_d[LANES], log_rho[LANES], log_rho_lo[LANES];
  real at[LANES], sign[LANES], power[LANES], x1[LANES], x2[LANES], x2_lo[LANES], part[LANES], gap[LANES];
  real inverse[LANES];
  real width[LANES], lean[LANES], reach[LANES], step[LANES], wanted[LANES];
  real level[LANES], level_lo[LANES], sum[LANES], slope[LANES], radial[LANES];
} elliptical_line;

/* Stirling's series without its first terms: sum of B(2k)/(2k (2k-1)) z^(1-2k), k = 1, ..., 9, at z = 1/w. */
#define STIRLING_TERMS(F)                                                                                    \
  F(K(0.1796443723688307)) F(K(-0.029550653594771242)) F(K(0.00641025641025641)) F(K(-0.0019175269175269176)) \
  F(K(0.0008417508417508417)) F(K(-0.0005952380952380953)) F(K(0.0007936507936507937))                       \
  F(K(-0.002777777777777778)) F(K(0.08333333333333333))
DEV_FN real stirling_(real w) {
  const real w2 = w * w;
  real s = 0;
#define TERM_(c) s = FMA(s, w2, c);
  STIRLING_TERMS(TERM_)
#undef TERM_
  return s * w;
}

/* What a/b = q leaves out */
DEV_FN real quotient_rest(real a, real q, real b) {
  real e;
  const real p = two_prod(q, b, &e);
  return ((a - p) - e) / b;
}

/* log Gamma(x + x_lo), x > 0, as a sum of two */
DEV_FN real lgam_dd(real x, real x_lo, real *lo) {
  real e, l_lo, p_lo, q_lo, s_lo;
  const real z = two_sum(x, K(GAMMA_SHIFT), &e);
  const real l = log_dd(z, e, &l_lo), less = z - K(0.5), p = two_prod(less, l, &p_lo);
  real product = x;
  UNROLLED for (i32 j = 1; j < GAMMA_SHIFT; j++) product *= x + (real)j;
  const real q = log_dd(product, 0, &q_lo);
  real slope = l - K(0.5) / z; /* of log Gamma at z, for what z leaves out */
  UNROLLED for (i32 j = 0; j < GAMMA_SHIFT; j++) slope -= 1 / (x + (real)j);
  const real s = two_sum(p, -z, &s_lo);
  real t_lo;
  const real t = two_sum(s, -q, &t_lo);
  const real small = p_lo + s_lo + t_lo + less * l_lo + (e * (l - K(1.0))) - q_lo + x_lo * slope;
  return fast_two_sum(t, small + (LOG_2PI_HALF_ + stirling_(1 / z)), lo);
}

/* Digamma and trigamma for finding lines: absolute error 1e-3, of the trigamma function 1e-2 of itself. */
DEV_FN real rough_digamma(real x) {
  const real z = x + 2, w = 1 / z;
  return log_core_(z) - w * (K(0.5) + w * K(0.08333333333333333)) - (2 * x + 1) / (x * (x + 1));
}
DEV_FN real rough_trigamma(real x) {
  const real w = 1 / (x + 2), a = 1 / x, b = 1 / (x + 1);
  return a * a + b * b + w * (1 + w * (K(0.5) + w * K(0.16666666666666666)));
}
/* Derivative of log|G| (log|G/t|) by t */
DEV_FN real line_slope(real by, real log_rho, real t, real x1, real x2, real by_t) {
  return log_rho - rough_digamma(x1) + by * rough_digamma(x2) - rough_digamma(1 + t) -
         (by_t != 0 ? 1 / t : K(0.0));
}

/* t, and what stands in the gamma functions, at the share p = 1/(1 + e^-s) of the strip from the left. */
DEV_FN real line_place(real alpha, real half_d, real what, real s, real *left, real *right) {
  const real e = exp_core_(-fabs(s)), small = e / (1 + e), large = 1 / (1 + e);
  const real p = s < 0 ? small : large, q = s < 0 ? large : small, b = K(0.5) * alpha;
  const real inner = p < K(0.5) ? (b + half_d) * p - b : half_d - (b + half_d) * q;
  const real t = what == ELLIPTICAL_DENSITY ? inner : (what == ELLIPTICAL_LOWER ? half_d * p : -b * q);
  *left = what == ELLIPTICAL_LOWER ? t : t + b;
  *right = what == ELLIPTICAL_UPPER ? -t : half_d - t;
  return t;
}

DEV_BLOCK_FN void elliptical_plain(elliptical_line *g, real what) {
  real low[LANES], high[LANES];
  LANE_LOOP(l) {
    low[l] = -15;
    high[l] = 15;
  }
  ROLLED for (i32 k = 0; k < 12; k++)
    LANE_LOOP(l) {
      real left, right;
      const real alpha = g->alpha[l], half_d = g->half_d[l], mid = K(0.5) * (low[l] + high[l]);
      const real t = line_place(alpha, half_d, what, mid, &left, &right);
      const real x2 = (t + K(0.5) * alpha) * g->by[l];
      const real rise = line_slope(g->by[l], g->log_rho[l], t, half_d - t, x2, what);
      low[l] = rise < 0 ? mid : low[l];
      high[l] = rise < 0 ? high[l] : mid;
    }
  LANE_LOOP(l) {
    real left, right, e;
    const real alpha = g->alpha[l], half_d = g->half_d[l];
    const real t = line_place(alpha, half_d, what, K(0.5) * (low[l] + high[l]), &left, &right);
    const real q = 2 * t / alpha, rest = quotient_rest(2 * t, q, alpha), x2 = two_sum(K(1.0), q, &e);
    const real low_bits = e + rest, ratio = g->by[l];
    g->at[l] = t;
    g->sign[l] = 1;
    g->power[l] = what == ELLIPTICAL_DENSITY ? t - half_d : t;
    g->part[l] = 0;
    g->gap[l] = 1;
    g->x1[l] = half_d - t;
    g->x2[l] = fast_two_sum(x2, low_bits, &e);
    g->x2_lo[l] = e;
    g->inverse[l] = what == ELLIPTICAL_DENSITY ? K(0.0) : (what == ELLIPTICAL_LOWER ? K(1.0) : K(-1.0));
    const real bend = rough_trigamma(g->x1[l]) + ratio * ratio * rough_trigamma(g->x2[l]) - rough_trigamma(1 + t) +
                      (what != ELLIPTICAL_DENSITY ? 1 / (t * t) : K(0.0));
    const real most = min_(left, right), wide = K(1.5) / sqrt(max_(bend, K(1e-8)));
    g->width[l] = min_(most, wide);
    g->step[l] = alpha > ELLIPTICAL_FINE ? ELLIPTICAL_FINE_STEP : ELLIPTICAL_STEP;
  }
}

/* The line of part 1 or 2 of the split, in the lanes that take it. */
DEV_BLOCK_FN void elliptical_split(elliptical_line *g, real what, real part, const real *split) {
  LANE_LOOP(l) {
    real e, lo;
    const flag use = split[l] != 0;
    const real alpha = g->alpha[l], half_d = g->half_d[l], b = K(0.5) * alpha;
    const real rho = exp_core_(min_(g->log_rho[l], K(40.0))), far = g->log_rho[l] - log_core_(half_d + K(0.8));
    const real gap = min_(K(0.5) * b, 1 / max_(far, K(1e-3)));
    const real most = alpha < 2 ? K(2000.0) : K(1e8);
    const real summit = clamp_(rho - half_d, K(0.5), most), w = part == 1 ? summit : b - gap;
    const real q = 2 * w / alpha, rest = quotient_rest(2 * w, q, alpha), x2 = two_sum(K(1.0), q, &e);
    const real x1 = half_d + w, wide = K(1.5) / sqrt(rough_trigamma(x1)), head = fast_two_sum(x2, e + rest, &lo);
    const real room = part == 2 ? min_(gap, w) : min_(half_d, what == ELLIPTICAL_DENSITY ? K(1.0) : K(0.0)) + w;
    const real power = what == ELLIPTICAL_DENSITY ? -x1 : -w, inverse = what == ELLIPTICAL_DENSITY ? K(0.0) : K(1.0);
    const real step = part == 2 ? ELLIPTICAL_PART_2_STEP : ELLIPTICAL_PART_1_STEP;
    g->at[l] = use ? w : g->at[l];
    g->sign[l] = use ? K(-1.0) : g->sign[l];
    g->power[l] = use ? power : g->power[l];
    g->part[l] = use ? part : g->part[l];
    g->gap[l] = use ? b - w : g->gap[l];
    g->x1[l] = use ? x1 : g->x1[l];
    g->x2[l] = use ? head : g->x2[l];
    g->x2_lo[l] = use ? lo : g->x2_lo[l];
    g->inverse[l] = use ? inverse : g->inverse[l];
    g->width[l] = use ? min_(wide, room) : g->width[l];
    g->step[l] = use ? step : g->step[l];
  }
}

/* Product of x + j + iy, j = 0, ..., GAMMA_SHIFT - 1. */
DEV_FN void gamma_product(real x, real y, real *pr, real *pi) {
  real a = x, b = y;
  UNROLLED for (i32 j = 1; j < GAMMA_SHIFT; j++) {
    const real c = x + (real)j, a1 = FMA(a, c, -(b * y)), b1 = FMA(a, y, b * c);
    a = a1;
    b = b1;
  }
  *pr = a;
  *pi = b;
}

/* A step of Horner's rule for cr + i ci at the complex number sr + i si. */
#define COMPLEX_TERM_(c)                                                                                     \
  {                                                                                                          \
    const real r_ = FMA(cr, sr, FMA(-ci, si, c)), i_ = FMA(cr, si, ci * sr);                                 \
    cr = r_;                                                                                                 \
    ci = i_;                                                                                                 \
  }

/* log Gamma(z + p + iq) - log Gamma(z) - (p + iq) log z, at the shifted z > 0, by Stirling's series; the log of 1 +
 * (p + iq)/z, and 1/(z + p + iq). */
DEV_FN void gamma_rise(real z, real p, real q, real *re, real *im, real *log_ratio, real *angle, real *wr, real *wi) {
  const real ar = p / z, ai = q / z, x = z + p, h = K(0.5) * log1p_(FMA(ar, 2 + ar, ai * ai)), a = atan2_(ai, 1 + ar);
  const real n = 1 / FMA(x, x, q * q), ur = x * n, ui = -q * n, sr = FMA(ur, ur, -(ui * ui)), si = 2 * ur * ui;
  real cr = 0, ci = 0;
  STIRLING_TERMS(COMPLEX_TERM_)
  *wr = ur;
  *wi = ui;
  *re = (FMA(x - K(0.5), h, -(q * a)) - p) + (FMA(cr, ur, -(ci * ui)) - stirling_(1 / z));
  *im = (FMA(x - K(0.5), a, q * h) - q) + FMA(cr, ui, ci * ur);
  *log_ratio = h;
  *angle = a;
}

/* Digamma at x + iy from what the rise has: log - 1/(2z) - sum B(2k)/(2k z^2k) - sum of 1/(x + j + iy). */
#define DIGAMMA_TERMS(F)                                                                                     \
  F(K(3.0539543302701198)) F(K(-0.4432598039215686)) F(K(0.08333333333333333)) F(K(-0.021092796092796094))    \
  F(K(0.007575757575757576)) F(K(-0.004166666666666667)) F(K(0.003968253968253968))                          \
  F(K(-0.008333333333333333)) F(K(0.08333333333333333))
DEV_FN void gamma_slope(real x, real y, real log_z, real log_ratio, real angle, real wr, real wi, real *re,
                        real *im) {
  const real sr = FMA(wr, wr, -(wi * wi)), si = 2 * wr * wi;
  real cr = 0, ci = 0;
  DIGAMMA_TERMS(COMPLEX_TERM_)
  /* the sum as the derivative of the product of all x + j + iy over the product */
  real ar = x, ai = y, br = 1, bi = 0;
  UNROLLED for (i32 j = 1; j < GAMMA_SHIFT; j++) {
    const real c = x + (real)j, b1 = FMA(br, c, FMA(-bi, y, ar)), b2 = FMA(br, y, FMA(bi, c, ai));
    const real a1 = FMA(ar, c, -(ai * y));
    ai = FMA(ar, y, ai * c);
    ar = a1;
    br = b1;
    bi = b2;
  }
  const real n = 1 / FMA(ar, ar, ai * ai), dr = FMA(br, ar, bi * ai) * n, di = FMA(bi, ar, -(br * ai)) * n;
  *re = (log_z + log_ratio) - K(0.5) * wr - FMA(cr, sr, -(ci * si)) - dr;
  *im = angle - K(0.5) * wi - FMA(cr, si, ci * sr) - di;
}

/* The gamma functions of G as a loop, so that there is one text for them: Gamma(x1) at place 0, Gamma(1 + t) at 1
 * and Gamma(1 + 2t/alpha) at 2. The argument is x + by (t - at), and side is 1 over the line, -1 below. */
DEV_FN real gamma_at(const elliptical_line *g, i32 l, i32 place, real *by, real *side) {
  /* by products with 0 and 1: a choice of where to read from would keep lanes apart */
  const real first = place == 0 ? K(1.0) : K(0.0), second = place == 1 ? K(1.0) : K(0.0), third = 1 - first - second;
  *by = FMA(third, g->by[l], FMA(-first, g->sign[l], second));
  *side = FMA(third - second, g->sign[l], first);
  return FMA(first, g->x1[l], FMA(third, g->x2[l], second * (1 + g->at[l])));
}
/* What |G| falls by from the axis to tau above it: the sum of int atan(tau/x) dtau from 0 to tau. */
DEV_BLOCK_FN void elliptical_fall(const elliptical_line *g, const real *end, real *fall) {
  LANE_LOOP(l) fall[l] = 0;
  ROLLED for (i32 place = 0; place < 3; place++)
    LANE_LOOP(l) {
      real by, side;
      const real x = gamma_at(g, l, place, &by, &side), tau = fabs(by) * end[l], ratio = tau / x;
      fall[l] += side * (tau * atan2_(tau, x) - K(0.5) * x * log_core_(FMA(ratio, ratio, K(1.0))));
    }
}
/* The derivative of log G by t at at + p + i tau, by the logarithms of digamma functions: its real part, and what
 * the imaginary one is at p = 0 for tau > 0. */
DEV_BLOCK_FN void elliptical_turn(const elliptical_line *g, const real *p, const real *tau, real *turn, real *fall) {
  LANE_LOOP(l) {
    turn[l] = g->sign[l] * g->log_rho[l];
    fall[l] = 0;
  }
  ROLLED for (i32 place = 0; place < 3; place++)
    LANE_LOOP(l) {
      real by, side;
      const real x = gamma_at(g, l, place, &by, &side) - (place == 0 ? K(0.0) : K(0.5));
      const real a = FMA(by, p[l], x), b = fabs(by) * tau[l];
      turn[l] += K(0.5) * (side * by) * log_core_(FMA(a, a, b * b));
      fall[l] += side * fabs(by) * atan2_(b, a);
    }
}

/* How the line bends, lean: far from the axis it is to go where |G| falls most steeply, which is to the side to
 * which rho^t does where a pole is what makes the summit. Of the derivative of log G by t at tau above it the real
 * part is what turns the phase, and the imaginary one what |G| falls by. The end of the line, where |G| is e^-40 of
 * what it is on the axis, is to be where it still falls to that side, for beyond |G| grows faster than any
 * exponential: reach is 1/(the farthest that the line may go aside), 0 where that is anywhere. */
DEV_BLOCK_FN void elliptical_lean(elliptical_line *g) {
  real end[LANES], tau[LANES], p[LANES], turn[LANES], fall[LANES];
  LANE_LOOP(l) end[l] = 0.5;
  ROLLED for (i32 k = 0; k < 12; k++) {
    elliptical_fall(g, end, fall);
    LANE_LOOP(l) end[l] = fall[l] < K(40.0) ? 2 * end[l] : end[l];
  }
  LANE_LOOP(l) {
    tau[l] = K(0.25) * end[l];
    p[l] = g->reach[l] = g->lean[l] = 0;
  }
  ROLLED for (i32 k = 0; k < 6; k++) { /* first its lean, then how far it may go */
    elliptical_turn(g, p, tau, turn, fall);
    LANE_LOOP(l) {
      const real most = g->part[l] == 2 ? K(1.2) : K(0.7);
      const real eps = g->part[l] != 0 ? PI_ * g->eps[l] : K(0.0);
      const real lean = clamp_(turn[l] / max_(fall[l] - eps, K(0.1)), -most, most), far = g->reach[l];
      const flag fits = (turn[l] * g->lean[l] >= 0) | (k == 0);
      g->reach[l] = fits ? far : 2 / max_(fabs(p[l]), K(1e-3));
      g->lean[l] = k == 0 ? lean : ((!fits & (k == 5)) ? K(0.0) : g->lean[l]);
      tau[l] = end[l];
      p[l] = g->reach[l] > 0 ? -copy_sign_(1 / g->reach[l], g->lean[l]) : -g->lean[l] * end[l];
    }
  }
}

/* What the nodes of a line share, turn: d(log G without its gamma functions' rises)/dt, axis: the quotient of
 * products at the axis, big: the largest size, open: more nodes wanted; and what they have: t - at = p + iq, the term
 * with dt/(i du), its derivative by alpha, size: that of the term without rounding, v: the logarithmic derivative by
 * alpha; and of Gamma(x2 + ...) the inverse shifted argument, w, and the log of its quotient by that on the axis. */
typedef struct {
  real turn[LANES], axis[LANES], big[LANES], open[LANES];
  real p[LANES], q[LANES], term[LANES], other[LANES], size[LANES], bend[LANES], vr[LANES], vi[LANES];
  real wr[LANES], wi[LANES], half_log[LANES], angle[LANES];
} elliptical_nodes;

/* a + ib is a factor of the product of gamma functions over, or else below, the line. */
DEV_FN void gamma_divide(flag over, real a, real b, real *over_r, real *over_i, real *below_r, real *below_i) {
  const real r = over ? *over_r : *below_r, i = over ? *over_i : *below_i;
  const real new_r = FMA(r, a, -(i * b)), new_i = FMA(r, b, i * a);
  *over_r = over ? new_r : *over_r;
  *over_i = over ? new_i : *over_i;
  *below_r = over ? *below_r : new_r;
  *below_i = over ? *below_i : new_i;
}

DEV_BLOCK_FN void elliptical_open(elliptical_line *g, elliptical_nodes *w) {
  real over[LANES], below[LANES];
  LANE_LOOP(l) {
    real low;
    g->level[l] = two_prod(g->power[l], g->log_rho[l], &low);
    g->level_lo[l] = FMA(g->power[l], g->log_rho_lo[l], low);
    w->turn[l] = g->sign[l] * g->log_rho[l];
    over[l] = below[l] = 1;
    g->sum[l] = g->slope[l] = g->radial[l] = w->big[l] = 0;
    w->open[l] = g->wanted[l];
  }
  ROLLED for (i32 place = 0; place < 3; place++)
    LANE_LOOP(l) {
      real by, side, low, e, p, zero, r_zero = 0, b_zero = 0;
      const real x = gamma_at(g, l, place, &by, &side);
      const real a = side * lgam_dd(x, place == 2 ? g->x2_lo[l] : K(0.0), &low);
      g->level[l] = two_sum(g->level[l], a, &e);
      g->level_lo[l] += side * low + e;
      w->turn[l] += side * by * log_core_(x + GAMMA_SHIFT);
      gamma_product(x, K(0.0), &p, &zero);
      gamma_divide(side > 0, p, K(0.0), &over[l], &r_zero, &below[l], &b_zero);
    }
  LANE_LOOP(l) {
    real low;
    g->level[l] = fast_two_sum(g->level[l], g->level_lo[l], &low);
    g->level_lo[l] = low;
    w->axis[l] = over[l] / below[l];
  }
}

/* t and G of node k: exp(re + i im) (qr + i qi) of its value on the axis. */
typedef struct {
  real re[LANES], im[LANES], over_r[LANES], over_i[LANES], below_r[LANES], below_i[LANES];
} elliptical_quotient;

DEV_BLOCK_FN void elliptical_gammas(const elliptical_line *g, elliptical_nodes *w, elliptical_quotient *q) {
  LANE_LOOP(l) {
    q->re[l] = w->p[l] * w->turn[l];
    q->im[l] = w->q[l] * w->turn[l];
    q->over_r[l] = q->below_r[l] = 1;
    q->over_i[l] = q->below_i[l] = 0;
  }
  ROLLED for (i32 place = 0; place < 3; place++) /* what the last leaves is for the derivative by alpha */
    LANE_LOOP(l) {
      real by, side, re, im, h, a, w_r, w_i, pr, pi;
      const real x = gamma_at(g, l, place, &by, &side), dp = by * w->p[l], dq = by * w->q[l];
      gamma_rise(x + GAMMA_SHIFT, dp, dq, &re, &im, &h, &a, &w_r, &w_i);
      gamma_product(FMA(by, w->p[l], x), dq, &pr, &pi);
      gamma_divide(side > 0, pr, pi, &q->over_r[l], &q->over_i[l], &q->below_r[l], &q->below_i[l]);
      q->re[l] += side * re;
      q->im[l] += side * im;
      w->half_log[l] = h;
      w->angle[l] = a;
      w->wr[l] = w_r;
      w->wi[l] = w_i;
    }
}

/* The terms of node k. */
DEV_BLOCK_FN void elliptical_term(const elliptical_line *g, elliptical_nodes *w, i32 k) {
  elliptical_quotient quotient;
  real grow[LANES], slant[LANES];
  const real half_k = K(0.5) * (real)k;
  LANE_LOOP(l) {
    const real root = exp_core_(half_k * g->step[l]), low_root = 1 / root, arc = K(0.5) * (root - low_root);
    const real bow = 2 * arc * arc, rise = arc * (root + low_root); /* cosh u - 1, sinh u */
    const real aside = g->width[l] * g->lean[l] * bow, more = 1 / (1 + fabs(aside) * g->reach[l]);
    w->p[l] = -aside * more;
    w->q[l] = g->width[l] * rise;
    grow[l] = 1 + bow;
    slant[l] = g->lean[l] * rise * more * more;
  }
  elliptical_gammas(g, w, &quotient);
  LANE_LOOP(l) {
    real s, c;
    const real dr = quotient.over_r[l], di = quotient.over_i[l], nr = quotient.below_r[l], ni = quotient.below_i[l];
    const real norm = w->axis[l] / FMA(dr, dr, di * di);
    const real qr = FMA(nr, dr, ni * di) * norm, qi = FMA(ni, dr, -(nr * di)) * norm;
    sincos_(quotient.im[l], &s, &c);
    const real e = exp_(min_(quotient.re[l], K(600.0))) * (k == 0 ? K(0.5) : K(1.0));
    const real fr = e * FMA(c, qr, -(s * qi)), fi = e * FMA(c, qi, s * qr);
    /* by dt/(i du), and 1/t or 1/w */
    const real tr = g->at[l] + w->p[l], tq = w->q[l], there = 1 / FMA(tr, tr, tq * tq), inverse = g->inverse[l];
    const real ir = inverse != 0 ? inverse * tr * there : K(1.0), ii = inverse != 0 ? -inverse * tq * there : K(0.0);
    const real jr = FMA(ir, grow[l], -(ii * slant[l])), ji = FMA(ir, slant[l], ii * grow[l]);
    w->term[l] = FMA(fr, jr, -(fi * ji));
    w->other[l] = FMA(fr, ji, fi * jr);
    w->bend[l] = w->vr[l] = w->vi[l] = 0;
    w->size[l] = fabs(w->term[l]) + fabs(w->other[l]);
  }
}

/* Their derivatives by alpha: times -sign (2 t/alpha^2) digamma(x2). */
DEV_BLOCK_FN void elliptical_bend(const elliptical_line *g, elliptical_nodes *w) {
  LANE_LOOP(l) {
    const real by = g->by[l], tr = g->at[l] + w->p[l];
    real er, ei;
    gamma_slope(FMA(by, w->p[l], g->x2[l]), by * w->q[l], log_core_(g->x2[l] + GAMMA_SHIFT), w->half_log[l],
                w->angle[l], w->wr[l], w->wi[l], &er, &ei);
    er *= by; /* products in an order in which no part of them is the same for all nodes, and kept */
    ei *= by;
    const real to = g->sign[l] > 0 ? K(-0.5) : K(0.5);
    w->vr[l] = FMA(tr, er, -(w->q[l] * ei)) * by * to;
    w->vi[l] = FMA(tr, ei, w->q[l] * er) * by * to;
    w->bend[l] = FMA(w->term[l], w->vr[l], -(w->other[l] * w->vi[l]));
  }
}

/* Parts 1 and 2 of the split: (2/alpha) cos(eps pi w) and -(2/alpha) cot(2 pi w/alpha) sin(eps pi w) of them. */
DEV_BLOCK_FN void elliptical_part(const elliptical_line *g, elliptical_nodes *n) {
  LANE_LOOP(l) {
    const real by = g->by[l], eps = g->eps[l], w = g->at[l] + n->p[l], wide = eps * n->q[l] * PI_;
    real s, c, sx, cx;
    sincospi_(eps * w, &s, &c);
    const real m = expm1_(min_(wide, K(700.0))), sh = K(0.5) * (m + m / (m + 1));
    const real ch = 1 + K(0.5) * m * m / (m + 1);
    const real sin_r = s * ch, sin_i = c * sh, cos_r = c * ch, cos_i = -s * sh;
    /* cot at pi + pi x + iy */
    sincospi_((n->p[l] - g->gap[l]) * by, &sx, &cx);
    const real far = min_(by * n->q[l] * PI_, K(40.0)), v = expm1_(far);
    const real shy = K(0.5) * (v + v / (v + 1)), chy = 1 + K(0.5) * v * v / (v + 1);
    const real over = 1 / FMA(sx, sx, shy * shy), cot_r = sx * cx * over, cot_i = -shy * chy * over;
    const flag one = g->part[l] == 1, use = g->sign[l] < 0;
    const real f_r = one ? cos_r : -FMA(cot_r, sin_r, -(cot_i * sin_i));
    const real f_i = one ? cos_i : -FMA(cot_r, sin_i, cot_i * sin_r);
    const real csc_r = 1 + FMA(cot_r, cot_r, -(cot_i * cot_i)), csc_i = 2 * cot_r * cot_i;
    const real two_r = FMA(cot_r, cos_r, -(cot_i * cos_i)) - FMA(csc_r, sin_r, -(csc_i * sin_i));
    const real two_i = FMA(cot_r, cos_i, cot_i * cos_r) - FMA(csc_r, sin_i, csc_i * sin_r);
    /* their derivatives by alpha */
    const real g_r = one ? sin_r : two_r, g_i = one ? sin_i : two_i;
    const real d_r = FMA(w, g_r, -(n->q[l] * g_i)) * by * by * K(1.5707963267948966);
    const real d_i = FMA(w, g_i, n->q[l] * g_r) * by * by * K(1.5707963267948966);
    const real base_r = n->term[l] * by, base_i = n->other[l] * by, vs = FMA(K(-0.5), by, n->vr[l]);
    const real r_r = FMA(f_r, vs, -(f_i * n->vi[l])) + d_r, r_i = FMA(f_r, n->vi[l], f_i * vs) + d_i;
    const real new_r = FMA(base_r, f_r, -(base_i * f_i)), new_i = FMA(base_r, f_i, base_i * f_r);
    n->bend[l] = use ? FMA(base_r, r_r, -(base_i * r_i)) : n->bend[l];
    n->size[l] = use ? fabs(new_r) + fabs(new_i) + n->size[l] * (fabs(g_r) + fabs(g_i)) : n->size[l];
    n->term[l] = use ? new_r : n->term[l];
    n->other[l] = use ? new_i : n->other[l];
  }
}

/* Level, sum and, if wanted, the sum of derivatives by alpha of a line for each lane:
 * t = at - p/(1 + |p| reach) + i width sinh u, p = width lean (cosh u - 1). */
DEV_BLOCK_FN void elliptical_sum(elliptical_line *g, i32 slopes, i32 parts) {
  elliptical_nodes w;
  elliptical_lean(g);
  elliptical_open(g, &w);
  ROLLED for (i32 k = 0; k < ELLIPTICAL_MOST; k++) {
    elliptical_term(g, &w, k);
    if (slopes) elliptical_bend(g, &w);
    if (parts) elliptical_part(g, &w);
    LANE_LOOP(l) {
      const flag open = w.open[l] != 0;
      const real x1 = FMA(-g->sign[l], w.p[l], g->x1[l]), y1 = -g->sign[l] * w.q[l];
      g->sum[l] += open ? w.term[l] : K(0.0);
      g->slope[l] += open ? w.bend[l] : K(0.0);
      g->radial[l] += open ? FMA(w.term[l], x1, -(w.other[l] * y1)) : K(0.0);
      w.big[l] = max_(w.big[l], w.size[l]);
      w.open[l] = (!(w.size[l] >= K(1e-17) * w.big[l]) & (k > 12)) ? K(0.0) : w.open[l];
    }
    ANY_LANE(more, w.open[l] != 0)
    if (more == 0) break;
  }
  LANE_LOOP(l) {
    const real by = g->width[l] * (g->step[l] * PI_INV_);
    g->sum[l] *= by;
    g->slope[l] *= by;
    g->radial[l] *= by;
  }
}

/* Results of a line or two: exp(level + level_lo) times sum, of which turn is the derivative by alpha, fall as
 * radial. */
typedef struct {
  real level[LANES], level_lo[LANES], sum[LANES], turn[LANES], fall[LANES];
} elliptical_result;

/* Those of g where its lanes are wanted. */
DEV_BLOCK_FN void elliptical_take(const elliptical_line *g, elliptical_result *to) {
  LANE_LOOP(l) {
    const flag use = g->wanted[l] != 0;
    to->level[l] = use ? g->level[l] : to->level[l];
    to->level_lo[l] = use ? g->level_lo[l] : to->level_lo[l];
    to->sum[l] = use ? g->sum[l] : to->sum[l];
    to->turn[l] = use ? g->slope[l] : to->turn[l];
    to->fall[l] = use ? g->radial[l] : to->fall[l];
  }
}

/* The same, added to what is there. At alpha = 2 there is no tail, but its derivative. */
DEV_BLOCK_FN void elliptical_add(const elliptical_line *g, elliptical_result *to) {
  LANE_LOOP(l) {
    const flag first = (to->level[l] > g->level[l]) | (g->sum[l] == 0), use = g->wanted[l] != 0;
    const real gap = first ? g->level[l] - to->level[l] : to->level[l] - g->level[l];
    const real low = g->level_lo[l] - to->level_lo[l], by = exp_(gap + (first ? low : -low));
    const real fa = first ? K(1.0) : by, fb = first ? by : K(1.0), none = g->sum[l] == 0 ? K(0.0) : fb;
    to->level[l] = (use & !first) ? g->level[l] : to->level[l];
    to->level_lo[l] = (use & !first) ? g->level_lo[l] : to->level_lo[l];
    to->sum[l] = use ? fa * to->sum[l] + none * g->sum[l] : to->sum[l];
    to->turn[l] = use ? fa * to->turn[l] + fb * g->slope[l] : to->turn[l];
    to->fall[l] = use ? fa * to->fall[l] + none * g->radial[l] : to->fall[l];
  }
}

/* log h, or the log of a tail of the radius, at log rho + log_rho_lo, finite. Where slopes are wanted: the derivative
 * of the value by alpha, and that of log h by log r, which near the pole at t = d/2 cancels: there close is 1. */
DEV_BLOCK_FN void elliptical_value(const real *alpha, const real *half_d, const real *log_rho, const real *log_rho_lo,
                                   real what, i32 slopes, real *value, real *slope, real *radial, real *close) {
  elliptical_line g;
  elliptical_result v;
  real split[LANES];
  LANE_LOOP(l) {
    g.alpha[l] = alpha[l];
    g.by[l] = 2 / alpha[l];
    g.eps[l] = (2 - alpha[l]) / alpha[l];
    g.half_d[l] = half_d[l];
    g.log_rho[l] = log_rho[l];
    g.log_rho_lo[l] = log_rho_lo[l];
    split[l] = ((what != ELLIPTICAL_LOWER) & (alpha[l] > ELLIPTICAL_SPLIT) &
                (exp_core_(min_(log_rho[l], K(30.0))) > half_d[l])) ? K(1.0) : K(0.0);
    v.level[l] = v.level_lo[l] = v.turn[l] = v.fall[l] = close[l] = 0;
    v.sum[l] = 1;
  }
  ANY_LANE(in_parts, split[l] != 0)
  ROLLED for (i32 pass = 1; pass <= (in_parts > 0 ? 2 : 1); pass++) { /* one text for all lines, which is long */
    LANE_LOOP(l) g.wanted[l] = pass == 1 ? K(1.0) : split[l];
    if (pass == 1 && in_parts < LANES) elliptical_plain(&g, what);
    if (in_parts > 0) elliptical_split(&g, what, (real)pass, split);
    elliptical_sum(&g, slopes, in_parts > 0);
    if (pass == 2) elliptical_add(&g, &v);
    else elliptical_take(&g, &v);
    if (pass == 1) LANE_LOOP(l) close[l] = ((g.x1[l] < K(0.5)) & (split[l] == 0)) ? K(1.0) : K(0.0);
  }
  LANE_LOOP(l) {
    real front_lo, gamma_lo, e;
    const real a = two_prod(half_d[l], LOG_4PI_, &front_lo), b = lgam_dd(half_d[l], K(0.0), &gamma_lo);
    const real front = what == ELLIPTICAL_DENSITY ? -a : -b;
    const real low = what == ELLIPTICAL_DENSITY ? -front_lo - half_d[l] * LOG_4PI_LO_ : -gamma_lo;
    const real sum = two_sum(v.level[l], front, &e);
    value[l] = sum + (log_(v.sum[l]) + (v.level_lo[l] + low + e));
    slope[l] = v.turn[l] / v.sum[l];
    radial[l] = -2 * v.fall[l] / v.sum[l];
  }
}

/* The same of the distribution itself at r >= 0: log h and, where they are wanted, its derivatives by r and alpha. */
DEV_BLOCK_FN void elliptical_density(const real *alpha, const real *dimension, const real *r, i32 slopes, real *value,
                                     real *by_r, real *by_alpha) {
  real half_d[LANES], log_rho[LANES], log_rho_lo[LANES], close[LANES], radial[LANES], found[LANES], turn[LANES];
  LANE_LOOP(l) {
    const real x = clamp_(r[l], K(5e-324), REAL_MAX_);
    real lo, e;
    const real a = log_dd(x, K(0.0), &lo);
    log_rho[l] = two_sum(2 * a, -LOG_4_, &e);
    log_rho_lo[l] = (e - LOG_4_LO_) + 2 * lo;
  }
  /* where close: dlog h/dr = -2 pi r h(d + 2)/h(d) */
  ROLLED for (i32 more = 0; more < 2; more++) {
    real beside[LANES];
    LANE_LOOP(l) half_d[l] = K(0.5) * dimension[l] + (real)more;
    elliptical_value(alpha, half_d, log_rho, log_rho_lo, ELLIPTICAL_DENSITY, more ? 0 : slopes, found, turn, radial,
                     beside);
    if (more == 0) {
      LANE_LOOP(l) {
        value[l] = found[l];
        by_alpha[l] = turn[l];
        by_r[l] = radial[l] / r[l];
        close[l] = beside[l];
      }
      ANY_LANE(any, close[l] != 0)
      if (!slopes || any == 0) break;
    } else {
      LANE_LOOP(l) {
        const real ratio = -2 * PI_ * r[l] * exp_(found[l] - value[l]);
        by_r[l] = close[l] != 0 ? ratio : by_r[l];
      }
    }
  }
  LANE_LOOP(l) half_d[l] = K(0.5) * dimension[l];
  LANE_LOOP(l) {
    /* alpha = 2: normal with variance 2; r = 0: the residue of the first pole */
    real lo, lo2, e;
    const real x2 = 1 + dimension[l] / alpha[l], q = dimension[l] / alpha[l];
    const real rest = quotient_rest(dimension[l], q, alpha[l]);
    const real a = lgam_dd(x2, rest + ((1 - x2) + q), &lo), b = lgam_dd(1 + half_d[l], K(0.0), &lo2);
    const real c = two_prod(half_d[l], LOG_4PI_, &e);
    const real zero = (a - b) - c + ((lo - lo2) - (e + half_d[l] * LOG_4PI_LO_));
    const real square = K(0.25) * r[l] * r[l], two = -c - square;
    const flag at_zero = r[l] < K(1e-300), normal = alpha[l] == 2;
    value[l] = normal ? two : (at_zero ? zero : value[l]);
    by_r[l] = normal ? K(-0.5) * r[l] : (at_zero ? K(-0.0) : by_r[l]);
    const flag known = (r[l] >= 0) & (alpha[l] > 0) & (alpha[l] <= 2) & (dimension[l] > 0), gone = r[l] > REAL_MAX_;
    value[l] = known ? (gone ? -INF_ : value[l]) : NAN_;
    by_r[l] = known ? (gone ? K(-0.0) : by_r[l]) : NAN_;
    by_alpha[l] = (normal & (square > K(1000.0))) ? INF_ : by_alpha[l];
    by_alpha[l] = (known & !gone) ? by_alpha[l] : NAN_;
  }
}

/* Logs of P(R <= r) and P(R > r): the smaller, and 1 less it. */
DEV_BLOCK_FN void elliptical_tails(const real *alpha, const real *dimension, const real *r, real *lower,
                                   real *upper) {
  real half_d[LANES], log_rho[LANES], log_rho_lo[LANES], found[LANES], unused[LANES], more[LANES], less[LANES];
  LANE_LOOP(l) {
    const real x = clamp_(r[l], K(5e-324), REAL_MAX_);
    real lo, e;
    const real a = log_dd(x, K(0.0), &lo);
    half_d[l] = K(0.5) * dimension[l];
    log_rho[l] = two_sum(2 * a, -LOG_4_, &e);
    log_rho_lo[l] = (e - LOG_4_LO_) + 2 * lo;
  }
  ROLLED for (i32 side = 0; side < 2; side++) {
    const real what = side ? ELLIPTICAL_UPPER : ELLIPTICAL_LOWER;
    elliptical_value(alpha, half_d, log_rho, log_rho_lo, what, 0, found, unused, more, less);
    LANE_LOOP(l) {
      lower[l] = side ? lower[l] : found[l];
      upper[l] = found[l];
    }
  }
  LANE_LOOP(l) {
    const real rho = exp_(min_(log_rho[l], K(700.0)));
    const flag light = alpha[l] > ELLIPTICAL_SPLIT, far = rho > half_d[l];
    const flag by_upper = light ? far : upper[l] < lower[l];
    /* The incomplete gamma function from rho = 1e7 on, where its asymptotic series needs three terms. */
    const real b = half_d[l] - 1, over = 1 / rho, series = log1p_(b * over * (1 + (b - 1) * over));
    const real normal = (b * log_rho[l] - lgam_(half_d[l])) + series - K(0.25) * r[l] * r[l];
    const real up = ((alpha[l] == 2) & (rho > K(1e7))) ? normal : upper[l];
    const real small = min_(by_upper ? up : lower[l], K(-0.0));
    const real other = small < -LN2_ ? log1p_(-exp_(small)) : log_(-expm1_(small));
    const flag known = (r[l] >= 0) & (alpha[l] > 0) & (alpha[l] <= 2) & (dimension[l] > 0), at_zero = r[l] == 0;
    const flag gone = r[l] > REAL_MAX_;
    const real v = by_upper ? other : small, w = by_upper ? small : other;
    lower[l] = known ? (at_zero ? -INF_ : (gone ? K(0.0) : v)) : NAN_;
    upper[l] = known ? (at_zero ? K(0.0) : (gone ? -INF_ : w)) : NAN_;
  }
}

#endif
