/* binomial_mixture.cl: quantiles of overdispersed negative binomial distributions, from those of the gamma
 * distribution that mixes Poisson's.
 *
 *   binomial_mixture (list)  what is not next to a jump; other points go on to binomial_search
 *
 * With b = size and x = 1 - prob, t = e^-w in I_y(b, a) gives
 *     P(X < a) = 1/B(a, b) integral over [0, u] of e^(-a w) (1 - e^-w)^(b - 1) dw,  u = -log x,
 *     = integral of e^(-T w) w^(b - 1) (1 + (b - 1) w^2/24 + ...) dw by that to infinity,  T = a + (b - 1)/2
 * (A. R. DiDonato and A. H. Morris, Algorithm 708, ACM TOMS 18, 1992). The first term is the gamma distribution's
 * P(b, z) at z = T u; with the second one the quantile g of that is
 *     g = z - (b - 1)/(24 T^2) z (b + 1 + z). */
#include "kernels/gamma/gamma_quantile.h"
#include "kernels/binomial/binomial_coef.h"
#include "kernels/binomial/binomial_par.h"

/* J of the smaller tail x^b e^-x/Gamma(b) J of the gamma distribution: of the upper one the integral over s >= 0 of
 * exp(-(x - b) s - x (e^s - 1 - s)), of the lower one 1/b + x/b times that of exp(-(b + 1 - x) s - x (e^-s - 1 + s)),
 * by Gauss and Legendre's rule to where the exponent is -20 or somewhat less. The error by J, which is what log x is
 * off by, is below 2e-9 (1 + 0.2/b) for b >= 1e-3. */
#define MIXTURE_RANGE_ K(20.0)
DEV_BLOCK_FN void mixture_integrals(const real *b, const real *x, real *j) {
  real range[LANES], sum[LANES], sense[LANES], fall[LANES];
  LANE_LOOP(l) {
    const flag up = x[l] >= b[l];
    const real w = up ? x[l] - b[l] : (b[l] - x[l]) + 1, twice = K(2.0) * MIXTURE_RANGE_;
    const real near = twice / (w + sqrt(FMA(twice, x[l], w * w))), ratio = MIXTURE_RANGE_ / x[l];
    const real far = log_core_(K(1) + ratio + log_core_(K(1) + ratio));
    /* the lower tail's exponent grows more slowly than its square: Newton's step */
    const real e = exp_core_(-min_(near, K(700))), at = FMA(w, near, x[l] * ((e - 1) + near));
    const real more = near + (MIXTURE_RANGE_ - at) / FMA(x[l], 1 - e, w);
    const real higher = ratio > K(2.0) ? min_(near, far) : near;
    range[l] = K(0.5) * (up ? higher : min_(more, (MIXTURE_RANGE_ + x[l]) / (b[l] + 1)));
    sense[l] = up ? K(1) : K(-1);
    fall[l] = w;
    sum[l] = 0;
  }
  for (i32 i = 0; i < MIXTURE_COUNT; i++) {
    const real node = mixture_node[i], weight = mixture_weight[i];
    LANE_LOOP(l) {
      const real s = range[l] * node, r = clamp_(sense[l] * s, K(-700), K(40)), grown = expm1_core_(r) - r;
      sum[l] = FMA(weight, exp_core_(-min_(FMA(fall[l], s, x[l] * grown), K(700))), sum[l]);
    }
  }
  LANE_LOOP(l) {
    const real all = range[l] * sum[l];
    j[l] = x[l] >= b[l] ? all : FMA(x[l], all, K(1)) / b[l];
  }
}

/* At most so many steps: most starts need one. */
#define MIXTURE_STEPS_ 4

/* The steps of gamma.cl to the quantile x of tails t, and what log x is off by. */
DEV_BLOCK_FN void mixture_steps(const real *t, const real *b, real *x, real *off) {
  real left[LANES], goal[LANES], other[LANES], peak[LANES], j[LANES];
  LANE_LOOP(l) {
    real lo;
    const real size = fabs(t[l]);
    goal[l] = log_of_tail_(size, &lo);
    other[l] = log_of_other_(size);
    peak[l] = log_gamma_peak_(b[l]) + log_(b[l]);
    left[l] = off[l] = 1;
  }
  for (i32 step = 0; step < MIXTURE_STEPS_; step++) {
    mixture_integrals(b, x, j);
    LANE_LOOP(l) {
      real lo, size;
      const flag up = x[l] >= b[l];
      const real to = up == (t[l] < 0) ? goal[l] : other[l], dev = deviance_(x[l], b[l], 0, &lo);
      const real gap = (peak[l] - dev) + (log_(j[l]) - to), h = (up ? K(-1) : K(1)) / j[l];
      const real k = (b[l] - x[l]) - h, by = fourth_order_(gap, h, k, k * k - x[l] - h * k, K(1.5), &size);
      const real next = FMA(expm1_core_(by), x[l], x[l]);
      x[l] = left[l] != 0 ? max_(next, K(1e-307)) : x[l];
      off[l] = left[l] != 0 ? FMA(size * size, size * size * size, FMA(K(4e-10), 1 / b[l], K(2e-9))) : off[l];
      left[l] = ((left[l] != 0) & !(size < K(0.05))) ? K(1) : K(0);
    }
    ANY_LANE(more, left[l] != 0)
    if (more == 0) break;
  }
}

/* What k = T - (b + 1)/2 may be off by: about the next term of the expansion, whose coefficients grow from b = 1 to
 * four times as much next to 0 (bench/binomial.R exact judges what is decided by it). */
DEV_FN real mixture_wrong_by_(real b, real z, real u) {
  const real r = u * (b + K(1.0) + z) / z, by = FMA(max_(K(1.0) - b, K(0.0)), K(4e-3), K(1.25e-3));
  return by * fabs(b - K(1.0)) * (r * r * r);
}

SORTING_KERNEL(binomial_mixture) {
  OVER_LIST(BINOMIAL_LIST_MIXTURE);
  const flag of_mean = par[BINOMIAL_KIND] == NEGATIVE_OF_MEAN;
  real t[LANES], b[LANES], second[LANES], g[LANES], off[LANES], q[LANES], start[LANES];
  for (i32 l = 0; l < LANES; l++) {
    t[l] = WORK(BINOMIAL_WORK_TAIL, idx[l]);
    b[l] = IN(BINOMIAL_SIZE, idx[l]);
    second[l] = IN(BINOMIAL_SECOND, idx[l]);
  }
  quantile_start(t, b, g);
  mixture_steps(t, b, g, off);
  LANE_LOOP(l) {
    const real u = of_mean ? log1p_(b[l] / second[l]) : -log1p_(-second[l]);
    const real z = FMA((b[l] - 1) * u * u * K(0.041666666666666664), (b[l] + 1 + g[l]) / g[l], g[l]);
    const real at = max_(z, g[l] * K(0.5)) / u, delta = FMA(off[l], at, mixture_wrong_by_(b[l], g[l], u));
    const real y = at - K(0.5) * (b[l] + 1);
    const flag can = (b[l] >= K(1e-3)) & (delta < K(0.25)) & (at < K(0.1) * SCALE_) & (y > K(-0.9));
    const real within = can ? y : K(0), n = -floor_(-within), part = n - within;
    const flag near = min_(part, 1 - part) < delta;
    const real j = part < K(0.5) ? n : n - 1, begin = near ? START_AT(j + 1) : START_FOUND;
    q[l] = max_(n, K(0));
    start[l] = can ? begin : START_SEARCH(floor_large_(clamp_(y, K(0), K(1e307))));
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = q[l];
  for (i32 l = 0; l < LANES; l++)
    if (start[l] < START_FOUND && live(l)) {
      WORK(BINOMIAL_WORK_START, idx[l]) = start[l];
      list_push(BINOMIAL_LIST_SEARCH, idx[l]);
    }
}
