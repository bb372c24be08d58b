/* quadrature.h: the 21-point Gauss-Kronrod rule on a block of panels, for the kernel and for the host side.
 *
 * A panel is a piece of the variable t: x = t where kind is 0, and x = anchor + kind (1 - t)/t, dx = dt/t^2, on the
 * radius-lines beyond anchor (kind 1 or -1), whose far end is t = 0: there t, and with it x, keeps its digits. */
#ifndef STATCL_QUADRATURE_H
#define STATCL_QUADRATURE_H

#include "elementary.h"
#include "quadrature_coef.h"

#define NODES 21
#define ODD_SHARE K(0.01) /* enough to see a jump, and nothing for f that the rules have resolved */
DEV_CONST real kronrod_node[NODES] = {KRONROD_NODES};
DEV_CONST real kronrod_weight[NODES] = {KRONROD_WEIGHTS};
DEV_CONST real gauss_weight[NODES] = {GAUSS_WEIGHTS};
DEV_CONST real odd_weight[NODES] = {ODD_NULL_WEIGHTS};

/* Points x[k * LANES + l], k < NODES, and dx/dt there. */
DEV_BLOCK_FN void panel_nodes(const real *centre, const real *radius, const real *kind, const real *anchor, real *x,
                              real *speed) {
  for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l) {
      const real t = FMA(radius[l], kronrod_node[k], centre[l]), v = K(1.0) / t;
      const flag finite = kind[l] == K(0.0);
      x[k * LANES + l] = finite ? t : FMA(kind[l] * (K(1.0) - t), v, anchor[l]);
      speed[k * LANES + l] = finite ? K(1.0) : v * v;
    }
}

/* Of the values f there: the integral; its error by QUADPACK's formula, which takes the difference of the two rules
 * for the error of the lower one (R. Piessens et al., QUADPACK, 1983, subroutine qk21) and is at least *least, 50
 * rounding errors of the integral of |f|. Both rules are blind to the odd part of f about the centre, which jumps in
 * symmetric places are for them: an odd combination of the values that is 0 for polynomials of degree 18 watches it.
 * A value that is not finite makes error infinite, value NaN, and least the x where it was met. Where f is 0, it is 0
 * however fast x runs. */
DEV_BLOCK_FN void panel_rule(const real *f, const real *x, const real *speed, const real *radius, real *value,
                             real *error, real *least) {
  real high[LANES], low[LANES], odd[LANES], size[LANES], spread[LANES], where[LANES], bad[LANES];
  LANE_LOOP(l) high[l] = low[l] = odd[l] = size[l] = spread[l] = where[l] = bad[l] = K(0.0);
  for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l) {
      const real y = f[k * LANES + l], g = y == K(0.0) ? K(0.0) : y * speed[k * LANES + l];
      const flag finite = fabs(g) <= REAL_MAX_, first = !finite & (bad[l] == K(0.0));
      const real use = finite ? g : K(0.0);
      where[l] = first ? x[k * LANES + l] : where[l];
      bad[l] = finite ? bad[l] : K(1.0);
      high[l] = FMA(kronrod_weight[k], use, high[l]);
      low[l] = FMA(gauss_weight[k], use, low[l]);
      odd[l] = FMA(odd_weight[k], use, odd[l]);
      size[l] = FMA(kronrod_weight[k], fabs(use), size[l]);
    }
  for (i32 k = 0; k < NODES; k++)
    LANE_LOOP(l) {
      const real y = f[k * LANES + l], g = y == K(0.0) ? K(0.0) : y * speed[k * LANES + l];
      spread[l] = FMA(kronrod_weight[k], fabs(FMA(K(-0.5), high[l], g)), spread[l]);
    }
  LANE_LOOP(l) {
    const real h = radius[l], off = max_(fabs(high[l] - low[l]), ODD_SHARE * fabs(odd[l])) * h, all = spread[l] * h;
    const flag flat = !(all > K(0.0));
    const real r = K(200.0) * off / (flat ? K(1.0) : all), steep = r * sqrt(r);
    const real bottom = K(50.0) * K(2.220446049250313e-16) * size[l] * h;
    const flag above = r >= K(1.0);
    const real by_formula = above ? all : all * steep, e = flat ? off : by_formula;
    const flag whole = bad[l] == K(0.0);
    value[l] = whole ? high[l] * h : NAN_;
    error[l] = whole ? max_(e, bottom) : INF_;
    least[l] = whole ? bottom : where[l];
  }
}

#endif
