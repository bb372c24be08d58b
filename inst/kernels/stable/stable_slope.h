/* stable_slope.h: derivatives of stable densities: the sums that the ray kernels carry along with the density's.
 *
 * With E(t) the exponent, f = (1/pi) Im int G ds, G = e^(E + ib), t = s e^(-i theta), theta = pi/2 - b. E is entire
 * in the parameters and the ray may be held fixed, so f_j and f_jk are the integrals of E_j G and (E_jk + E_j E_k) G.
 * lambda = log t = log s - i theta; polynomials in lambda, t and t^alpha as factors of G leave the trapezoidal rule
 * its convergence.
 *
 * Away from alpha = 1 the parameters are alpha, T and y:  E = P + Q, P = -i t y, Q = -t^alpha (1 - i T),
 *   E_alpha = lambda Q,  E_T = kappa Q with kappa = -i/(1 - i T) = (T - i)/(1 + T^2),  E_y = P/y.
 * Near alpha = 1 they are alpha = 1 + a, beta and x:  E = -i t x - t e^m + i beta t B, m = a lambda,
 * B = tan(pi alpha/2) (e^m - 1). B and its derivatives B', B'' in alpha are
 *   B = p J0,  B' = p' J0 + p J1,  B'' = p'' J0 + 2 p' J1 + p J2
 * of p = tan(pi alpha/2) and J_k = d^k(e^m - 1)/da^k, which lose a factor a^-k of their digits; so next to alpha = 1
 * of p = -(2/pi) w, w = (pi a/2) cot(pi a/2), and J_k = lambda^(k + 1) phi^(k)(m), phi = (e^m - 1)/m. */
#ifndef STATCL_STABLE_SLOPE_H
#define STATCL_STABLE_SLOPE_H

#include "kernels/stable/stable_ray.h"

/* |alpha - 1| below which the second form is used. */
#define CLOSE_TO_1 K(1e-3)

/* Where terms cancel, sum |terms|/|sum| up to this keeps 1e-11 of a derivative; and the agreement of even and odd
 * nodes that rounding allows, relative to sum |terms|. */
#define SLOPE_CONDITION K(1e5)
#define SLOPE_ROUNDING K(4e-15)

/* POINT_FORM: nothing (the host takes differences), or what the derivatives are with respect to: alpha, T and y
 * (times y) of the oriented distribution, or alpha, beta and |x|. They stand in POINT_SLOPE as f_j/f and f_jk/f. */
#define FORM_NONE K(0)
#define FORM_RAY K(1)
#define FORM_NEAR1 K(2)

/* A node: term is its part of the density, Im G times the weight, other the same with Re G. */
typedef struct {
  real s, power, ls, r, term, other;
} slope_node;

/* Terms of the derivatives; b is beta or T, z is y or x. */
typedef struct {
  real a, b, z, aa, ab, az, bb, bz, zz;
} slope_terms;
#define ADD_TERMS_OF(terms)                                                                                  \
  LANE_LOOP(l) {                                                                                             \
    const slope_terms d = terms;                                                                             \
    sum->part[0][l] += d.a;                                                                                  \
    sum->part[1][l] += d.b;                                                                                  \
    sum->part[2][l] += d.z;                                                                                  \
    sum->part[3][l] += d.aa;                                                                                 \
    sum->part[4][l] += d.ab;                                                                                 \
    sum->part[5][l] += d.az;                                                                                 \
    sum->part[6][l] += d.bb;                                                                                 \
    sum->part[7][l] += d.bz;                                                                                 \
    sum->part[8][l] += d.zz;                                                                                 \
  }

/* s and s^alpha as in ray_node(). */
DEV_FN slope_node slope_ray_node(real kv, real kq, real kappa, real alpha, real b, real y_cos, real y_sin, real a_cos,
                                 real a_sin) {
  slope_node n;
  n.ls = kv - kq;
  n.s = exp_node_(max_(n.ls, K(-700)));
  n.power = exp_node_(alpha * n.ls);
  n.r = FMA(y_cos, n.s, a_cos * n.power);
  real cos_phase;
  const real sin_phase = sincos_node_(FMA(y_sin, n.s, FMA(a_sin, n.power, b)), &cos_phase);
  const real size = (kappa + kq) * exp_node_(max_(n.r, K(-700))) * n.s;
  n.term = size * sin_phase;
  n.other = size * cos_phase;
  return n;
}

/* lambda = ls + i turn. */
DEV_FN slope_terms slope_ray_terms(real s, real power, real ls, real turn, real y_cos, real y_sin, real a_cos,
                                   real a_sin, real kappa_re, real kappa_im, real g_re, real g_im) {
  slope_terms d;
  const real p_re = y_cos * s, p_im = y_sin * s, q_re = a_cos * power, q_im = a_sin * power;
  const real v_re = q_re * g_re - q_im * g_im, v_im = q_re * g_im + q_im * g_re;     /* Q G */
  const real w_re = q_re * v_re - q_im * v_im, w_im = q_re * v_im + q_im * v_re;     /* Q^2 G */
  const real u_re = p_re * g_re - p_im * g_im, u_im = p_re * g_im + p_im * g_re;     /* P G */
  const real k_re = kappa_re * v_re - kappa_im * v_im, k_im = kappa_re * v_im + kappa_im * v_re;
  const real l_re = ls * v_re - turn * v_im, l_im = ls * v_im + turn * v_re;
  const real t_re = v_re + w_re, t_im = v_im + w_im;
  const real m_re = ls * t_re - turn * t_im, m_im = ls * t_im + turn * t_re;         /* lambda (Q + Q^2) G */
  const real n_re = kappa_re * w_re - kappa_im * w_im, n_im = kappa_re * w_im + kappa_im * w_re;
  d.a = l_im;
  d.b = k_im;
  d.z = u_im;
  d.aa = FMA(ls, m_im, turn * m_re);
  d.ab = FMA(kappa_re, m_im, kappa_im * m_re);
  d.az = FMA(p_re, l_im, p_im * l_re);
  d.bb = FMA(kappa_re, n_im, kappa_im * n_re);
  d.bz = FMA(p_re, k_im, p_im * k_re);
  d.zz = FMA(p_re, u_im, p_im * u_re);
  return d;
}

/* power is e^(a log s) - 1. */
DEV_FN slope_node slope_near1_node(real kv, real kq, real kappa, real am1, real c, real b, real r0, real r1, real r2,
                                   real i0, real i1, real i2) {
  slope_node n;
  const real scaled = kv - kq;
  n.ls = scaled + c;
  n.s = exp_node_(scaled);
  n.power = expm1_node_(am1 * n.ls);
  n.r = n.s * FMA(n.ls, r2, FMA(n.power, r1, r0));
  real cos_phase;
  const real sin_phase = sincos_node_(FMA(n.s, FMA(n.ls, i2, FMA(n.power, i1, i0)), b), &cos_phase);
  const real size = (kappa + kq) * exp_node_(max_(n.r, K(-700))) * n.s;
  n.term = size * sin_phase;
  n.other = size * cos_phase;
  return n;
}

/* Constants of a point: t = s (rho_re + i rho_im), e^(-i a theta), its real part less 1, p and its derivatives. */
typedef struct {
  real am1[LANES], beta[LANES], turn[LANES], rho_re[LANES], rho_im[LANES], cos_w[LANES], sin_w[LANES], versed[LANES];
  real p0[LANES], p1[LANES], p2[LANES];
} slope_near1;
DEV_FN void slope_near1_prepare(slope_near1 *k, i32 l, flag close, real am1, real pole, real beta, real c, real b) {
  const real theta = PIO2_ - b, w = am1 * theta, unit = exp_(c), slope = FMA(pole, pole, K(1)) * PIO2_;
  const real u = PIO2_ * am1, z = u * u;
  real sin_b, cos_b, sin_w, cos_w;
  sincos_(b, &sin_b, &cos_b);
  sincos_(w, &sin_w, &cos_w);
  const real half_sin = sin_(K(0.5) * w);
  k->am1[l] = am1;
  k->beta[l] = beta;
  k->turn[l] = -theta;
  k->rho_re[l] = unit * sin_b;
  k->rho_im[l] = -unit * cos_b;
  k->cos_w[l] = cos_w;
  k->sin_w[l] = -sin_w;
  k->versed[l] = -2 * half_sin * half_sin;
  /* u cot u = 1 - u^2/3 - u^4/45 - ... */
  k->p0[l] = close ? (-2 / PI_) * (1 - z * FMA(z, K(1) / 45, K(1) / 3)) : pole;
  k->p1[l] = close ? u * FMA(z, K(4) / 45, K(2) / 3) : slope;
  k->p2[l] = close ? PIO2_ * FMA(z, K(12) / 45, K(2) / 3) : PI_ * pole * slope;
}

/* phi''(m) = sum m^j/(j! (j + 3)), |m| < 0.7, by Horner's rule: coefficients of one step over the next. */
#define PHI_STEP(c)                                                                                          \
  {                                                                                                          \
    const real re_ = FMA(m_re, f_re, FMA(-m_im, f_im, K(c)));                                                \
    f_im = FMA(m_re, f_im, m_im * f_re);                                                                     \
    f_re = re_;                                                                                              \
  }
DEV_FN void slope_phi2(real m_re, real m_im, real *re, real *im) {
  real f_re = K(1.0 / 7185024000), f_im = 0;
  PHI_STEP(1.0 / 558835200) PHI_STEP(1.0 / 47174400) PHI_STEP(1.0 / 4354560) PHI_STEP(1.0 / 443520)
  PHI_STEP(1.0 / 50400) PHI_STEP(1.0 / 6480) PHI_STEP(1.0 / 960) PHI_STEP(1.0 / 168) PHI_STEP(1.0 / 36)
  PHI_STEP(1.0 / 10) PHI_STEP(1.0 / 4) PHI_STEP(1.0 / 3)
  *re = f_re;
  *im = f_im;
}

DEV_FN slope_terms slope_near1_terms(const slope_near1 *k, i32 l, flag close, real s, real power, real ls, real g_re,
                                     real g_im) {
  slope_terms d;
  const real turn = k->turn[l], beta = k->beta[l], p0 = k->p0[l], p1 = k->p1[l], p2 = k->p2[l];
  const real t_re = s * k->rho_re[l], t_im = s * k->rho_im[l];
  const real d_re = FMA(power, k->cos_w[l], k->versed[l]), d_im = FMA(power, k->sin_w[l], k->sin_w[l]); /* e^m - 1 */
  const real e_re = 1 + d_re;
  const real le_re = ls * e_re - turn * d_im, le_im = ls * d_im + turn * e_re;       /* lambda e^m */
  const real lle_re = ls * le_re - turn * le_im, lle_im = ls * le_im + turn * le_re;
  real j0_re = d_re, j0_im = d_im, j1_re = le_re, j1_im = le_im, j2_re = lle_re, j2_im = lle_im;
  if (close) { /* known when compiled: phi' = (e^m - m phi'')/2, phi = e^m - m phi' */
    const real m_re = k->am1[l] * ls, m_im = k->am1[l] * turn;
    real c_re, c_im;
    slope_phi2(m_re, m_im, &c_re, &c_im);
    const real b_re = K(0.5) * (e_re - (m_re * c_re - m_im * c_im));
    const real b_im = K(0.5) * (d_im - (m_re * c_im + m_im * c_re));
    const real a_re = e_re - (m_re * b_re - m_im * b_im), a_im = d_im - (m_re * b_im + m_im * b_re);
    const real l2_re = ls * ls - turn * turn, l2_im = 2 * ls * turn;
    const real l3_re = ls * l2_re - turn * l2_im, l3_im = ls * l2_im + turn * l2_re;
    j0_re = ls * a_re - turn * a_im, j0_im = ls * a_im + turn * a_re;
    j1_re = l2_re * b_re - l2_im * b_im, j1_im = l2_re * b_im + l2_im * b_re;
    j2_re = l3_re * c_re - l3_im * c_im, j2_im = l3_re * c_im + l3_im * c_re;
  }
  const real b_re = p0 * j0_re, b_im = p0 * j0_im;
  const real h_re = FMA(p1, j0_re, p0 * j1_re), h_im = FMA(p1, j0_im, p0 * j1_im);
  const real h2_re = FMA(p2, j0_re, FMA(2 * p1, j1_re, p0 * j2_re));
  const real h2_im = FMA(p2, j0_im, FMA(2 * p1, j1_im, p0 * j2_im));
  /* E_x = -i t, E_beta = i t B, E_alpha = t A, E_alpha,beta = i t B', E_alpha,alpha = t A' */
  const real a_re = -FMA(beta, h_im, le_re), a_im = FMA(beta, h_re, -le_im);
  const real aa_re = -FMA(beta, h2_im, lle_re), aa_im = FMA(beta, h2_re, -lle_im);
  const real u_re = t_re * g_re - t_im * g_im, u_im = t_re * g_im + t_im * g_re;     /* t G */
  const real v_re = t_re * u_re - t_im * u_im, v_im = t_re * u_im + t_im * u_re;     /* t^2 G */
  const real av_re = a_re * v_re - a_im * v_im, av_im = a_re * v_im + a_im * v_re;
  const real bv_re = b_re * v_re - b_im * v_im, bv_im = b_re * v_im + b_im * v_re;
  d.a = FMA(a_re, u_im, a_im * u_re);
  d.b = FMA(b_re, u_re, -b_im * u_im);
  d.z = -u_re;
  d.aa = FMA(aa_re, u_im, FMA(aa_im, u_re, FMA(a_re, av_im, a_im * av_re)));
  d.ab = FMA(h_re, u_re, FMA(-h_im, u_im, FMA(b_re, av_re, -b_im * av_im)));
  d.az = -av_re;
  d.bb = -FMA(b_re, bv_im, b_im * bv_re);
  d.bz = bv_im;
  d.zz = -v_im;
  return d;
}

#endif
