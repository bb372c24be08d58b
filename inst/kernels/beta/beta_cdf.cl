/* beta_cdf.cl: densities and tails of the beta, F and t distributions (formulas in beta.h). In: x, and two shapes, or
 * degrees of freedom: of F both, of t none and its own. */
#include "kernels/common/distribution.h"
#include "kernels/beta/beta.h"

/* z = g/(1 + g) where g, with g_lo, is at most 1, and what logit z is to have added for what z was rounded by. */
DEV_FN real odds_to_share_(real g, real g_lo, real *shift) {
  real sum_lo, p_lo, gap_lo;
  const real sum = two_sum(K(1), g, &sum_lo), z = g / sum, p = two_prod(z, sum, &p_lo);
  const real gap = two_sum(g, -p, &gap_lo) + (gap_lo - p_lo - z * sum_lo);
  *shift = g > K(1e-290) ? gap / z + g_lo / g : K(0);
  return z;
}

/* The smaller one of x and y = 1 - x at a value of the variable, *up: is it y? For F and t, inside their support.
 * Where their odds would leave 1e-290 to 1e290, the place is that of a nearer value, whose odds those of this one are
 * beyond^2 times; else that is 1. */
DEV_FN real beta_place_(real kind, real value, real a, real b, real *up, real *shift, real *beyond) {
  real top_lo, e, back_lo;
  const flag is_t = kind == BETA_IS_T, is_x = kind == BETA_IS_X, over = value > K(0.5);
  const real size = fabs(value), part = over ? 1 - value : value;
  /* odds x/y = a F/b or t^2/(2 b), and the other way round */
  const real by = b / a, least = clamp_(K(1e-290) * by, K(1e-307), K(1e290));
  const real most = clamp_(K(1e290) * by, K(1e-290), K(1e300) / max_(a, K(1)));
  const real of_f = clamp_(size, least, most), of_t = clamp_(size, K(1e-100), min_(K(1e150), K(1e145) * sqrt(by)));
  const real fitted = is_t ? of_t : of_f;
  const real top = two_prod(is_t ? fitted : a, fitted, &top_lo), below = is_t ? 2 * b : b;
  const flag turn = top > below;
  const real num = turn ? below : top, num_lo = turn ? K(0) : top_lo, den = turn ? top : below;
  const real den_lo = turn ? top_lo : K(0), g = num / den, back = two_prod(g, den, &back_lo);
  const real g_lo = (((num - back) - back_lo) + (num_lo - g * den_lo)) / den;
  const real share = max_(odds_to_share_(g, g_lo, &e), K(1e-307));
  *up = ((is_x & over) | (!is_x & turn)) ? K(1) : K(0);
  *shift = is_x ? K(0) : (turn ? -e : e);
  *beyond = is_x ? K(1) : (is_t ? max_(size / fitted, K(1)) : sqrt(size) / sqrt(fitted));
  return is_x ? part : share;
}

/* Inside of the support, with finite positive shapes: x y times the density of x, its logarithm where asked for, by
 * the logarithm of what the density of the variable is to be divided by. */
DEV_FN real beta_density_at_(real kind, real value, real a, real b, flag logs) {
  real up, shift, part_lo, c, lo, e, e2, by_lo, all_lo, beyond, far_lo, move_lo;
  const real part = beta_place_(kind, value, a, b, &up, &shift, &beyond), rest = two_sum(K(1), -part, &part_lo);
  const flag turned = up != 0, is_x = kind == BETA_IS_X;
  const real x = turned ? rest : part, y = turned ? part : rest;
  const real d = beta_deviance_(a, b, K(0), x, turned ? part_lo : K(0), y, turned ? K(0) : part_lo, &c, &lo);
  /* D moves by -c du; the divisor is x y, F or |t| */
  const real by = log_dd(is_x ? part : max_(fabs(value), K(5e-324)), K(0), &by_lo);
  const real far = 2 * log_dd(beyond, K(0), &far_lo), move = two_prod(c, far, &move_lo);
  const real near = two_sum(d, by, &e), dev = two_sum(near, -move, &e2);
  const real all = two_sum(dev, (lo - c * (shift + 2 * far_lo) - move_lo) + (e + e2) + by_lo, &all_lo);
  const real m = beta_peak_(a, b) / (is_x ? rest : K(1));
  const flag normal = (m > K(1e-150)) & (m < K(1e150));
  const real value_of = exp_sum_times_(normal ? m : K(1), -all, -all_lo) * (normal ? K(1) : m);
  const real log_of = log_plus_(normal ? m : K(1), -all, -all_lo) + (normal ? K(0) : log_(m));
  return logs ? (all >= REAL_MAX_ ? -INF_ : log_of) : value_of;
}
/* At the ends of the support a power of the distance, or a factor that is the shape. */
DEV_FN real beta_density_(real kind, real q, real first, real second, flag logs) {
  const flag is_t = kind == BETA_IS_T, is_x = kind == BETA_IS_X;
  const real per_df = is_x ? K(1) : K(0.5), a = is_t ? K(0.5) : shape_of_(first * per_df, is_x);
  const real b = shape_of_(second * per_df, is_x);
  const flag known = shapes_known_(a, b, is_x) & (q == q);
  const flag fits = (a > 0) & (b > 0) & (a <= K(1e290)) & (b <= K(1e290));
  /* F with infinite degrees of freedom is 1 */
  const flag is_one = (kind == BETA_IS_F) & (first > REAL_MAX_) & (second > REAL_MAX_);
  const flag inside = fits & !is_one & (fabs(q) <= REAL_MAX_) & (is_t | (q > 0)) & (!is_x | (q < 1));
  const real at = (is_t & (fabs(q) < K(1e-100))) ? K(1e-100) : q;
  const real v = beta_density_at_(kind, inside ? at : K(0.5), inside ? a : K(1), inside ? b : K(1), logs);
  const real none = logs ? -INF_ : K(0), shape = q == 0 ? a : b, factor = is_x ? (q == 0 ? b : a) : K(1);
  const real one = logs ? log_(factor) : factor;
  const flag end = fits & !is_t & !is_one & ((q == 0) | (is_x & (q == 1)));
  /* point masses: see beta_cdf */
  const flag odd_a = (a == 0) | (b > K(1e290)), odd_b = (b == 0) | (a > K(1e290)), middle = odd_a & odd_b & (a > 0);
  const flag at_end = !middle & (((q == 0) & odd_a) | ((q == 1) & odd_b));
  const flag atom = (is_x & (at_end | (middle & (q == K(0.5))))) | (is_one & (q == 1));
  const real edge = end ? (shape < 1 ? INF_ : (shape == 1 ? one : none)) : (atom ? INF_ : none);
  return known ? (inside ? v : edge) : NAN_;
}
KERNEL(beta_pdf) {
  OVER_WHOLE_BLOCKS;
  real q[LANES], first[LANES], second[LANES], value[LANES];
  KIND_OF_LANES(par[BETA_PDF_KIND])
  LANES_IN(BETA_GIVEN, q)
  LANES_IN(BETA_A, first)
  LANES_IN(BETA_B, second)
  if (par[BETA_PDF_LOG] != 0)
    LANE_LOOP(l) value[l] = beta_density_(kinds[l], q[l], first[l], second[l], 1);
  else
    LANE_LOOP(l) value[l] = beta_density_(kinds[l], q[l], first[l], second[l], 0);
  LANES_OUT(0, value)
}

/* a and b: shapes. Of t the tail beyond |t| is half that of its square. */
DEV_BLOCK_FN void beta_asked(DEV_GLOBAL const real *par, const real *q, const real *a, const real *b, real *value) {
  real part[LANES], up[LANES], shift[LANES], beyond[LANES], more[LANES];
  const real want_upper = par[BETA_LOWER] != 0 ? K(0) : K(1), logs = par[BETA_LOG];
  KIND_OF_LANES(par[BETA_KIND])
  LANE_LOOP(l) {
    part[l] = max_(beta_place_(kinds[l], q[l], a[l], b[l], &up[l], &shift[l], &beyond[l]), K(5e-324));
    more[l] = 0;
  }
  BETA_TAILS_AT
  /* far out the tail of the place is a power of the odds, and what it loses the other one has more */
  ANY_LANE(any_beyond, beyond[l] != 1)
  if (any_beyond > 0)
    LANE_LOOP(l) {
      real log_lo, e, e2;
      const real log_by = log_dd(beyond[l], K(0), &log_lo), twice = 2 * (up[l] != 0 ? b[l] : a[l]);
      const real less = two_prod(twice, fabs(log_by), &e), less_lo = FMA(twice, log_by < 0 ? -log_lo : log_lo, e);
      const flag own = upper[l] == up[l];
      const real sum = two_sum(dev[l], less, &e2);
      dev_lo[l] += own ? e2 + less_lo : K(0);
      dev[l] = own ? sum : dev[l];
      more[l] = own ? K(0) : -expm1_(-less);
    }
  LANE_LOOP(l) {
    const flag is_t = kinds[l] == BETA_IS_T;
    const real move = rate[l] * shift[l];
    dev[l] = two_sum(dev[l], dev_lo[l] + (upper[l] != 0 ? move : -move), &dev_lo[l]);
    /* half of the upper tail of t^2 is that of t > 0, and the lower one of t < 0 */
    const real want = is_t ? ((q[l] < 0) != (want_upper != 0) ? K(1) : K(0)) : want_upper;
    const real near = min_(exp_sum_times_(f[l], -dev[l], -dev_lo[l]), K(1)), small = FMA(1 - near, more[l], near);
    const real log_near = dev[l] >= K(1e300) ? -dev[l] : min_(log_plus_(f[l], -dev[l], -dev_lo[l]), K(0));
    const real direct = more[l] != 0 ? log_(small) : log_near;
    const flag same = upper[l] == (is_t ? K(1) : want_upper);
    const real tail = same ? small : 1 - small, log_tail = same ? direct : log1p_(-small);
    const real whole = logs != 0 ? log_tail : tail;
    const real halved = logs != 0 ? (want != 0 ? log_tail - LN2_ : log1p_(K(-0.5) * tail))
                                  : (want != 0 ? K(0.5) * tail : K(0.5) + K(0.5) * (same ? 1 - small : small));
    value[l] = is_t ? halved : whole;
  }
}

/* Blocks that go one way are settled here, the others' points left to lists. */
KERNEL(beta_cdf) {
  OVER_WHOLE_BLOCKS;
  real q[LANES], a[LANES], b[LANES], value[LANES], way[LANES], asked[LANES], end[LANES];
  i32 n_asked = 0, n_same = 0;
  const real upper = par[BETA_LOWER] != 0 ? K(0) : K(1), logs = par[BETA_LOG];
  KIND_OF_LANES(par[BETA_KIND])
  LANES_IN(BETA_GIVEN, q)
  LANES_IN(BETA_A, a)
  LANES_IN(BETA_B, b)
  LANE_LOOP(l) {
    real up, shift, beyond, side;
    const flag is_t = kinds[l] == BETA_IS_T, is_x = kinds[l] == BETA_IS_X;
    const real per_df = is_x ? K(1) : K(0.5), most = is_x ? K(1) : INF_, low = is_t ? -INF_ : K(0);
    a[l] = shape_of_(is_t ? K(1) : a[l] * per_df, is_x);
    a[l] = is_t ? K(0.5) : a[l];
    b[l] = shape_of_(b[l] * per_df, is_x);
    const flag known = shapes_known_(a[l], b[l], is_x) & (q[l] == q[l]);
    const flag fits = (a[l] > 0) & (b[l] > 0) & (a[l] <= K(1e290)) & (b[l] <= K(1e290));
    const flag on = known & fits & (q[l] > low) & (q[l] < most);
    const real part = beta_place_(kinds[l], on ? q[l] : K(0.5), on ? a[l] : K(1), on ? b[l] : K(1), &up, &shift,
                                  &beyond);
    const real x = up != 0 ? 1 - part : part, y = up != 0 ? part : 1 - part;
    const real zero = logs != 0 ? -INF_ : K(0), one = logs != 0 ? K(0) : K(1);
    /* the mass is at 0 where a is 0 or b infinite, at 1 the other way round, and at both or at 1/2 where both are */
    const flag odd_a = (a[l] == 0) | (b[l] > K(1e290)), odd_b = (b[l] == 0) | (a[l] > K(1e290)), both = odd_a & odd_b;
    const real middle = ((a[l] == 0) & (b[l] == 0)) ? K(0.5) : (q[l] < (is_x ? K(0.5) : K(1)) ? K(0) : K(1));
    const real below = q[l] <= low ? K(0) : (q[l] >= most ? K(1) : (both ? middle : (odd_a ? K(1) : K(0))));
    const real share = upper != 0 ? 1 - below : below;
    asked[l] = on ? K(1) : K(0);
    way[l] = on ? beta_way_(a[l], b[l], x, y, &side) : K(-1);
    end[l] = known ? (share == K(0.5) ? (logs != 0 ? -LN2_ : share) : (share == 0 ? zero : one)) : NAN_;
    value[l] = 0;
  }
  for (i32 l = 0; l < LANES; l++) {
    n_asked += asked[l] != 0;
    n_same += way[l] == way[0];
  }
  if (n_same == LANES && n_asked == LANES) {
    beta_asked(par, q, a, b, value);
  } else if (n_asked > 0) {
    TO_LISTS(BETA_LISTS, way)
  }
  if (n_asked < LANES)
    LANE_LOOP(l) value[l] = asked[l] != 0 ? value[l] : end[l];
  LANES_OUT(0, value)
}

#define TAILS_LISTED                                                                                         \
  real q[LANES], a[LANES], b[LANES], value[LANES];                                                           \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    q[l] = IN(BETA_GIVEN, idx[l]);                                                                           \
    a[l] = IN(BETA_A, idx[l]);                                                                               \
    b[l] = IN(BETA_B, idx[l]);                                                                               \
  }                                                                                                          \
  SHAPES_OF_LANES                                                                                            \
  beta_asked(par, q, a, b, value);                                                                           \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = value[l];

KERNEL(beta_cdf_rule) {
  OVER_LIST(BETA_LIST_RULE);
  TAILS_LISTED
}
KERNEL(beta_cdf_series) {
  OVER_LIST(BETA_LIST_SERIES);
  TAILS_LISTED
}
KERNEL(beta_cdf_fraction) {
  OVER_LIST(BETA_LIST_FRACTION);
  TAILS_LISTED
}
KERNEL(beta_cdf_small) {
  OVER_LIST(BETA_LIST_SMALL);
  TAILS_LISTED
}
