/* stable_table.cl: densities, tails and quantiles of one distribution from piecewise polynomials, which
 * stable/stable_table.c builds; the layout is in stable_table.h. NaN where the table does not reach. */
#include "kernels/stable/stable.h"
#include "kernels/stable/stable_table.h"

#define PARAM_KERNEL stable_table_param
#include "kernels/stable/stable_param_kernel.h"
#undef PARAM_KERNEL

/* A polynomial of the table at lane l: sum_k c_k T_k(tau), by Clenshaw's recurrence; c begins at par[at]. */
#define TABLE_SUM(at, tau, value)                                                                            \
  {                                                                                                        \
    const real two_ = 2 * (tau);                                                                           \
    real u_ = 0, v_ = 0;                                                                                   \
    TABLE_STEP(at, 15) TABLE_STEP(at, 14) TABLE_STEP(at, 13) TABLE_STEP(at, 12) TABLE_STEP(at, 11)         \
    TABLE_STEP(at, 10) TABLE_STEP(at, 9) TABLE_STEP(at, 8) TABLE_STEP(at, 7) TABLE_STEP(at, 6)             \
    TABLE_STEP(at, 5) TABLE_STEP(at, 4) TABLE_STEP(at, 3) TABLE_STEP(at, 2) TABLE_STEP(at, 1)              \
    (value) = FMA((tau), u_, par[at] - v_);                                                                \
  }
#define TABLE_STEP(at, k)                                                                                    \
  {                                                                                                        \
    const real w_ = FMA(two_, u_, par[(at) + (k)] - v_);                                                   \
    v_ = u_;                                                                                               \
    u_ = w_;                                                                                               \
  }

/* The panel of coordinate s in the segment whose description begins at par[head]: where it begins, or 0. */
DEV_FN i32 table_panel(DEV_GLOBAL const real *par, i32 head, real s) {
  const real cell = (s - par[head + SEGMENT_LOW]) * par[head + SEGMENT_RATE];
  const flag inside = (cell >= 0) & (cell < par[head + SEGMENT_CELLS]);
  const i32 map = (i32)par[head + SEGMENT_MAP];
  return (i32)par[inside ? map + (i32)(inside ? cell : K(0)) : TABLE_NOWHERE];
}

KERNEL(stable_table) {
  OVER_POINTS;
  const real give_log = par[TABLE_LOG], what = par[TABLE_WHAT], by_zeta = par[TABLE_BY_ZETA];
  const real alpha = SET_IN(SET_ALPHA, 0), beta = SET_IN(SET_BETA, 0), pm = SET_IN(SET_PM, 0);
  const real mode = pm == 2 ? SET_IN(SET_MODE, 0) : K(0);
  const real t = SET_WORK(DISTRIBUTION_T, 0), t_low = SET_WORK(DISTRIBUTION_T_LOW, 0);
  const real shrink = stable_scale(pm, alpha, K(1));
  const i32 column = what == TABLE_DENSITY ? PANEL_VALUES : PANEL_VALUES + TABLE_TERMS;
  real v[LANES], s[LANES], gamma[LANES], value[LANES], known[LANES], upper[LANES];
  /* stable_standard() for one distribution: its cases are the same for all lanes */
  LANE_LOOP(l) {
    const i32 i = idx[l];
    gamma[l] = shrink * IN(IN_GAMMA, i);
    v[l] = (IN(IN_X, i) - IN(IN_DELTA, i)) / gamma[l] + mode;
  }
  if (pm == 1 && alpha == 1) LANE_LOOP(l) v[l] -= (2 / PI_) * beta * log_(gamma[l]);
  if (pm == 1 && alpha != 1 && by_zeta == 0) LANE_LOOP(l) v[l] = (v[l] - t) - t_low;
  if (pm != 1 && by_zeta != 0)
    LANE_LOOP(l) {
      real err;
      const real y = two_sum(v[l], t, &err);
      v[l] = y + (err + t_low);
    }
  if (by_zeta != 0) LANE_LOOP(l) s[l] = log_(fabs(v[l]));
  else LANE_LOOP(l) s[l] = log1p_(fabs(v[l]));
  LANE_LOOP(l) {
    const i32 panel = table_panel(par, v[l] < 0 ? TABLE_SEGMENT_0 : TABLE_SEGMENT_1, s[l]);
    const real tau = (s[l] - par[panel + PANEL_CENTRE]) * par[panel + PANEL_RATE];
    real sum;
    TABLE_SUM(panel + column, tau, sum)
    value[l] = sum;
    upper[l] = par[panel + PANEL_UPPER];
    known[l] = ((panel > TABLE_NOWHERE) & (gamma[l] > 0) & (gamma[l] < INF_)) ? K(1) : K(0);
  }
  if (what == TABLE_DENSITY) {
    if (give_log != 0) LANE_LOOP(l) value[l] -= log_(gamma[l]);
    else LANE_LOOP(l) value[l] = exp_(value[l]) / gamma[l];
  } else {
    const real asked = what == TABLE_UPPER ? K(1) : K(0);
    if (give_log != 0)
      LANE_LOOP(l) {
        const real small = min_(value[l], K(0)), large = stable_log_other(small);
        value[l] = upper[l] == asked ? small : large;
      }
    else
      LANE_LOOP(l) {
        const real small = exp_(min_(value[l], K(0)));
        value[l] = upper[l] == asked ? small : 1 - small;
      }
  }
  LANE_LOOP(l) OUT(0, idx[l]) = known[l] != 0 ? value[l] : NAN_;
}

/* Of given probabilities, or their logs. */
DEV_FN void both_logs(const real *given, real is_log, real is_upper, real *log_upper, real *log_lower) {
  if (is_log != 0)
    LANE_LOOP(l) {
      const real other = stable_log_other(min_(given[l], K(0)));
      log_upper[l] = is_upper != 0 ? given[l] : other;
      log_lower[l] = is_upper != 0 ? other : given[l];
    }
  else
    LANE_LOOP(l) {
      const real log_given = log_(given[l]), other = log1p_(-given[l]);
      log_upper[l] = is_upper != 0 ? log_given : other;
      log_lower[l] = is_upper != 0 ? other : log_given;
    }
}

/* par as above; the probability asked for is IN_X. */
KERNEL(stable_table_quantile) {
  OVER_POINTS;
  const real is_log = par[TABLE_LOG], is_upper = par[TABLE_WHAT] == TABLE_UPPER ? K(1) : K(0);
  const real by_zeta = par[TABLE_BY_ZETA], part_l = par[TABLE_PART_L], part_r = par[TABLE_PART_R];
  const real alpha = SET_IN(SET_ALPHA, 0), beta = SET_IN(SET_BETA, 0), pm = SET_IN(SET_PM, 0);
  const real mode = SET_IN(SET_MODE, 0), t = SET_WORK(DISTRIBUTION_T, 0), t_low = SET_WORK(DISTRIBUTION_T_LOW, 0);
  const real shrink = stable_scale(pm, alpha, K(1));
  real given[LANES], log_upper[LANES], log_lower[LANES], s[LANES], v[LANES], left[LANES], known[LANES];
  LANE_LOOP(l) given[l] = IN(IN_X, idx[l]);
  both_logs(given, is_log, is_upper, log_upper, log_lower);
  if (by_zeta != 0)
    LANE_LOOP(l) {
      /* the mass between zeta and the quantile, from the smaller tail */
      const flag upper_small = log_upper[l] < log_lower[l];
      const real small = min_(log_upper[l], log_lower[l]);
      const real plain = given[l] <= K(0.5) ? given[l] : 1 - given[l], p = is_log != 0 ? exp_(small) : plain;
      const real mass = upper_small ? part_l - p : p - part_r;
      const flag negative = mass < 0;
      left[l] = negative ? K(1) : K(0);
      s[l] = log_(fabs(mass)) - (negative ? log_lower[l] : log_upper[l]);
    }
  else
    LANE_LOOP(l) {
      left[l] = 0;
      s[l] = log_lower[l] - log_upper[l];
    }
  LANE_LOOP(l) {
    const i32 panel = table_panel(par, left[l] != 0 ? TABLE_SEGMENT_0 : TABLE_SEGMENT_1, s[l]);
    const real tau = (s[l] - par[panel + PANEL_CENTRE]) * par[panel + PANEL_RATE];
    real sum;
    TABLE_SUM(panel + PANEL_VALUES, tau, sum)
    v[l] = sum;
    known[l] = panel > TABLE_NOWHERE ? K(1) : K(0);
  }
  /* x, and for pm = 1 y = x + T, of the standard distribution */
  if (by_zeta != 0) {
    LANE_LOOP(l) v[l] = (left[l] != 0 ? K(-1) : K(1)) * exp_(v[l]);
    if (pm != 1) LANE_LOOP(l) v[l] = (v[l] - t) - t_low;
  } else {
    LANE_LOOP(l) {
      const real e = expm1_(fabs(v[l])); /* sinh; of -|v| the sum would cancel */
      v[l] = copy_sign_(K(0.5) * (e + e / (e + 1)), v[l]);
    }
    if (pm == 1 && alpha != 1) LANE_LOOP(l) v[l] = (v[l] + t) + t_low;
  }
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const real gamma = shrink * IN(IN_GAMMA, i);
    const flag inside = (known[l] != 0) & (gamma > 0) & (gamma < INF_);
    const real shift = ((pm == 1) & (alpha == 1)) ? (2 / PI_) * beta * log_(gamma) : K(0);
    /* the median of a symmetric distribution */
    const flag median = ((beta == 0) | (alpha == 2)) & (given[l] == (is_log != 0 ? -LN2_ : K(0.5)));
    const real z = median ? K(0) : v[l] + shift - (pm == 2 ? mode : K(0));
    OUT(0, i) = inside ? IN(IN_DELTA, i) + gamma * z : NAN_;
  }
}
