/* beta_draw.cl: random numbers of the beta distribution, X/(X + Y) with gamma variables X and Y of the two shapes,
 * of F, by X/Y, and of t; in: nothing, and two shapes or degrees of freedom. */
#include "kernels/beta/beta_par.h"
#include "kernels/gamma/gamma_draw.h"

/* R. W. Bailey, Polar generation of random variates with the t-distribution, Math. Comp. 62 (1994) 779-781:
 * sqrt(df (U^(-2/df) - 1)) cos(2 pi V). With h = -log U/df the root is e^h sqrt(df (1 - e^(-2h))), which is a number
 * where the result is. From 1e17 degrees of freedom on U^(-2/df) - 1 is 2 h. */
DEV_FN real t_deviate_(real u, real v, real df) {
  const real most = min_(df, K(1e17)), h = -log_core_(u) / max_(most, K(1e-300));
  const real by = exp_core_(min_(K(0.5) * h, K(700)));
  return sqrt(-most * expm1_core_(max_(-2 * h, K(-40)))) * cospi_(2 * v) * by * by;
}

/* For a shape below 1 X and Y of a shape larger by 1 are multiplied by U^(1/shape). Only X/Y matters: the larger one
 * of the two factors is taken for 1. Where their logarithms are beyond numbers, too, it matters alone which is
 * larger. */
DEV_BLOCK_FN void beta_draw_factors(u64 first, u32 k0, u32 k1, const real *a, const real *b, real *x, real *y,
                                    real *coin) {
  real for_x[LANES], for_y[LANES], beside[LANES];
  gamma_besides(first, TAG_BETA, 0, k0, k1, for_x, coin);
  gamma_besides(first, TAG_BETA, 1, k0, k1, for_y, beside);
  LANE_LOOP(l) {
    const flag tiny = (a[l] < K(1e-290)) & (b[l] < K(1e-290));
    const real of_logs = log_factor_(for_x[l], a[l]) - log_factor_(for_y[l], b[l]);
    const real of_tiny = (log_core_(for_x[l]) * (b[l] / a[l]) - log_core_(for_y[l])) * K(1e290);
    const real apart = tiny ? of_tiny : of_logs, least = exp_(-min_(fabs(apart), K(800)));
    x[l] *= apart < 0 ? least : K(1);
    y[l] *= apart < 0 ? K(1) : least;
  }
}

KERNEL(beta_draw) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[BETA_KEY] | (u32)par[BETA_KEY + 1] << 16;
  const u32 k1 = (u32)par[BETA_KEY + 2] | (u32)par[BETA_KEY + 3] << 16;
  const u64 first = (u64)(offset + at);
  const flag is_x = par[BETA_KIND] == BETA_IS_X;
  const real by = is_x ? K(1) : K(0.5);
  real given_a[LANES], given_b[LANES], a[LANES], b[LANES], x[LANES], y[LANES], coin[LANES];
  LANES_IN(BETA_A, given_a)
  LANES_IN(BETA_B, given_b)
  if (par[BETA_KIND] == BETA_IS_T) {
    gamma_besides(first, TAG_BETA, 0, k0, k1, x, y);
    LANE_LOOP(l) x[l] = given_b[l] > 0 ? t_deviate_(x[l], y[l], given_b[l]) : NAN_;
    LANES_OUT(0, x)
    return;
  }
  LANE_LOOP(l) {
    given_a[l] *= by;
    given_b[l] *= by;
    a[l] = ((given_a[l] > 0) & (given_a[l] <= REAL_MAX_)) ? given_a[l] : K(1);
    b[l] = ((given_b[l] > 0) & (given_b[l] <= REAL_MAX_)) ? given_b[l] : K(1);
  }
  gamma_deviates(first, TAG_BETA, 0, k0, k1, a, x);
  gamma_deviates(first, TAG_BETA, 1, k0, k1, b, y);
  LANE_LOOP(l) coin[l] = 0;
  ANY_LANE(small, (a[l] < 1) | (b[l] < 1) | !(given_a[l] > 0))
  if (small > 0) beta_draw_factors(first, k0, k1, a, b, x, y, coin);
  LANE_LOOP(l) { /* Of an infinite shape, X/a = 1. */
    const flag inf_a = given_a[l] > REAL_MAX_, inf_b = given_b[l] > REAL_MAX_;
    a[l] = inf_a ? K(1) : a[l];
    b[l] = inf_b ? K(1) : b[l];
    x[l] = inf_a ? ((is_x & !inf_b) ? INF_ : K(1)) : x[l];
    y[l] = inf_b ? ((is_x & !inf_a) ? INF_ : K(1)) : y[l];
  }
  if (is_x) {
    LANE_LOOP(l) {
      const flag zero_a = given_a[l] == 0, zero_b = given_b[l] == 0, known = (given_a[l] >= 0) & (given_b[l] >= 0);
      const real by_size = max_(x[l], y[l]) > K(1e300) ? K(1e-10) : K(1), top = x[l] * by_size;
      const real share = x[l] > REAL_MAX_ ? K(1) : top / (top + y[l] * by_size);
      const real end = (zero_a & !(zero_b & (coin[l] < K(0.5)))) ? K(0) : K(1);
      x[l] = known ? ((zero_a | zero_b) ? end : share) : NAN_;
    }
  } else {
    LANE_LOOP(l) {
      const real odds = x[l] / y[l], by_shapes = odds * (b[l] / a[l]);
      const real f = ((odds == 0) | (odds > REAL_MAX_)) ? odds : by_shapes;
      x[l] = ((given_a[l] > 0) & (given_b[l] > 0)) ? f : NAN_;
    }
  }
  LANES_OUT(0, x)
}
