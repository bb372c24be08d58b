/* poisson.cl: quantiles and random numbers of the Poisson distribution, and the normal quantile they are built on.
 *
 *   poisson_quantile  from p and lambda; points in the tails are left to
 *   poisson_far       (list): an estimate, and those next to a jump to
 *   poisson_exact     (list): the distribution function decides, or where its digits do not suffice
 *   poisson_refine    (list): the same in two doubles
 *   poisson_draw      as poisson_quantile, of uniforms (k + 1/2) 2^-53 in place of p; lanes of many lambda are
 *   left to poisson_sums, poisson_estimate (lists)
 *   normal_quantile, normal_tail (list)
 * In: p, or nothing, and lambda. par: poisson_par.h. In single precision no distribution function decides. */
#include "kernels/poisson/poisson.h"
#include "kernels/common/tail_given.h"
#if !SINGLE
#include "kernels/poisson/poisson_refine.h"
#include "kernels/poisson/poisson_tail.h"
#endif

/* lambda >= POISSON_SUMS: the estimate, unless it is next to a whole number or u beyond normal_centre_(). */
DEV_BLOCK_FN void quantile_by_estimate(const real *u, const real *t, const real *lambda, real *q, real *start) {
  real w[LANES], beyond[LANES], root[LANES], by_lambda[LANES], shift[LANES];
  LANE_LOOP(l) {
    const real size = normal_centre_(u[l], &beyond[l]);
    w[l] = -copy_sign_(size, t[l]);
    root[l] = sqrt(lambda[l]);
    by_lambda[l] = 1 / lambda[l];
  }
  LANE_LOOP(l) shift[l] = quantile_shift_(w[l], w[l] * root[l] * by_lambda[l], root[l], by_lambda[l]);
  LANE_LOOP(l) {
    const real whole = floor_large_(lambda[l]), y = (lambda[l] - whole) + shift[l], n = floor_(y), part = y - n;
    const real delta = POISSON_WRONG_BY(root[l], by_lambda[l]);
    const flag large = lambda[l] > 2 * SCALE_, near = (min_(part, 1 - part) < delta) & !large & (SINGLE == 0);
    const real m = part < K(0.5) ? n : n + 1;
    q[l] = whole + (large ? y : n);
    start[l] = beyond[l] > 0 ? START_ESTIMATE : (near ? START_AT(whole + m) : START_FOUND);
  }
}

/* The same for one lambda up to POISSON_MOST. */
DEV_BLOCK_FN void quantile_by_polynomial(DEV_GLOBAL const real *par, const real *u, const real *t, real *q,
                                         real *start) {
  const real whole = par[POISSON_WHOLE], by_root = par[POISSON_BY_ROOT];
  const real delta = SINGLE ? K(-1) : par[POISSON_DELTA];
  DEV_GLOBAL const real *g = par + POISSON_TERMS;
  const real g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3], g4 = g[4], g5 = g[5], g6 = g[6], g7 = g[7], g8 = g[8];
  const real g9 = g[9], g10 = g[10];
  real y[LANES], beyond[LANES];
  LANE_LOOP(l) {
    const real size = normal_centre_(u[l], &beyond[l]), s = -copy_sign_(size, t[l]) * by_root;
    const real s2 = s * s, s4 = s2 * s2;
    const real far = FMA(s4, FMA(s2, g10, FMA(s, g9, g8)), FMA(s2, FMA(s, g7, g6), FMA(s, g5, g4)));
    y[l] = FMA(s4, far, FMA(s2, FMA(s, g3, g2), FMA(s, g1, g0)));
  }
  LANE_LOOP(l) {
    const real n = floor_(y[l]), part = y[l] - n, m = part < K(0.5) ? n : n + 1;
    const real near = min_(part, 1 - part) < delta ? START_AT(whole + m) : START_FOUND;
    q[l] = whole + n;
    start[l] = beyond[l] > 0 ? START_ESTIMATE : near;
  }
}

/* One small lambda: the number of cuts passed. */
DEV_BLOCK_FN void quantile_by_cuts(DEV_GLOBAL const real *par, const real *t, real *q, real *start) {
  const i32 n_lower = (i32)par[POISSON_N_LOWER], n_upper = (i32)par[POISSON_N_UPPER];
  DEV_GLOBAL const real *cut = par + POISSON_FIRST_CUT;
  real lower[LANES], upper[LANES], count[LANES];
  LANE_LOOP(l) {
    const real tail = TAIL_IS_LOG(fabs(t[l])) ? copy_sign_(K(0), t[l]) : t[l]; /* whose logarithm is given */
    const flag up = copy_sign_(K(1), tail) < 0;
    lower[l] = up ? K(1) : tail;
    upper[l] = up ? tail : K(-1);
    count[l] = 0;
  }
  for (i32 k = 0; k < n_lower; k++) {
    const real c = cut[k];
    LANE_LOOP(l) count[l] += lower[l] > c ? K(1) : K(0);
  }
  cut += n_lower;
  for (i32 k = 0; k < n_upper; k++) {
    const real c = cut[k];
    LANE_LOOP(l) count[l] += upper[l] > c ? K(1) : K(0);
  }
  const real last = cut[n_upper - 1];
  LANE_LOOP(l) {
    q[l] = count[l];
    start[l] = upper[l] > last ? START_ESTIMATE : START_FOUND;
  }
#if !SINGLE
  /* Cuts are higher than their jumps by more than their errors: only the next one may be too near to tell. */
  LANE_LOOP(l) {
    const i32 at = (i32)min_(count[l], (real)(n_lower + n_upper - 1));
    const real next = par[POISSON_FIRST_CUT + at], tail = ((count[l] < (real)n_lower) | (upper[l] < 0)) ? t[l] : NAN_;
    start[l] = fabs(tail - next) <= POISSON_CUT_NEAR * fabs(next) ? START_SEARCH(count[l]) : start[l];
  }
#endif
}

/* lambda < POISSON_SUMS: the number of k with P(N <= k) < p; where the upper tail is far out it is left to the
 * estimate. */
DEV_BLOCK_FN void quantile_by_sums(const real *u, const real *t, const real *lambda, real *q, real *start) {
  real left[LANES], term[LANES], slack[LANES], count[LANES], goal[LANES], far[LANES];
  LANE_LOOP(l) {
    const flag tail = (t[l] < 0) & (u[l] < POISSON_FAR), on = (lambda[l] >= 0) & (lambda[l] < POISSON_SUMS) & !tail;
    const real g = t[l] > 0 ? u[l] : 1 - u[l], none = exp_(-min_(lambda[l], POISSON_SUMS));
    far[l] = tail ? K(1) : K(0);
    goal[l] = on ? g : K(0);
    term[l] = none;
    left[l] = goal[l] - none;
    slack[l] = fabs(left[l]);
    count[l] = 0;
  }
  for (i32 k = 1; k < 300; k += 2) { /* a step past the last that is needed changes nothing */
    const real by_k = 1 / (real)k, by_next = 1 / (real)(k + 1);
    ANY_LANE(more, left[l] > 0)
    if (more == 0) break;
    LANE_LOOP(l) {
      const real next = term[l] * (lambda[l] * by_k), rest = left[l] - next;
      const real after = next * (lambda[l] * by_next), last = rest - after;
      count[l] += (left[l] > 0 ? K(1) : K(0)) + (rest > 0 ? K(1) : K(0));
      slack[l] = min_(slack[l], min_(fabs(rest), fabs(last)));
      term[l] = after;
      left[l] = last;
    }
  }
  LANE_LOOP(l) {
    const flag on = lambda[l] < POISSON_SUMS, near = (slack[l] <= K(1.5e-14) * goal[l]) & (SINGLE == 0);
    const real begin = near ? START_SEARCH(count[l]) : START_FOUND;
    q[l] = on ? count[l] : q[l];
    start[l] = on ? (far[l] != 0 ? START_ESTIMATE : begin) : start[l];
  }
}

DEV_BLOCK_FN void quantile_general(const real *u, const real *t, const real *lambda, real *q, real *start) {
  i32 n_sums = 0;
  for (i32 l = 0; l < LANES; l++) n_sums += lambda[l] < POISSON_SUMS;
  if (n_sums < LANES) quantile_by_estimate(u, t, lambda, q, start);
  if (n_sums > 0) quantile_by_sums(u, t, lambda, q, start);
  LANE_LOOP(l) {
    const flag known = (lambda[l] >= 0) & (lambda[l] <= REAL_MAX_), sure = lambda[l] == 0;
    q[l] = known ? (sure ? K(0) : q[l]) : NAN_;
    start[l] = (known & !sure) ? start[l] : START_FOUND;
  }
}

/* Quantiles q of tails t, logs: are some of them logarithms? start is START_FOUND where q is. */
DEV_BLOCK_FN void quantile_easy(DEV_GLOBAL const real *par, const real *t, flag logs, const real *lambda, real *q,
                                real *start) {
  const real route = par[POISSON_ROUTE];
  real u[LANES];
  LANE_LOOP(l) u[l] = fabs(t[l]);
  ANY_LANE(far, TAIL_IS_LOG(u[l]))
  if (logs & (far > 0))
    LANE_LOOP(l) {
      const real small = exp_(-u[l]);
      u[l] = TAIL_IS_LOG(u[l]) ? small : u[l];
    }
  if (route == POISSON_POLYNOMIAL)
    quantile_by_polynomial(par, u, t, q, start);
  else if (route == POISSON_CUTS)
    quantile_by_cuts(par, t, q, start);
  else
    quantile_general(u, t, lambda, q, start);
  ANY_LANE(odd, !(u[l] > 0))
  if (odd > 0) /* no tail at all, perhaps because the logarithm of one is too large, or no probability */
    LANE_LOOP(l) {
      const flag none = (t[l] == 0) | (fabs(t[l]) > REAL_MAX_), sure = lambda[l] == 0;
      const flag zero = (copy_sign_(K(1), t[l]) > 0) | sure, known = (lambda[l] >= 0) & (lambda[l] <= REAL_MAX_);
      const real end = zero ? K(0) : INF_, v = none ? end : q[l];
      q[l] = (known & (t[l] == t[l])) ? v : NAN_;
      start[l] = (none | (t[l] != t[l])) ? START_FOUND : start[l];
    }
}

/* Where to go with a point whose quantile is not found. In single precision the estimate is all there is. */
#define POISSON_LIST_OF(start) ((start) == START_ESTIMATE && !SINGLE ? POISSON_LIST_FAR : POISSON_LIST_HARD)

#define GIVE_EASY_QUANTILES                                                                                  \
  LANES_OUT(0, q)                                                                                            \
  ANY_LANE(open, start[l] < START_FOUND)                                                                     \
  for (i32 l = 0; l < LANES && open > 0; l++)                                                             \
    if (start[l] < START_FOUND && live(l)) {                                                                 \
      WORK(WORK_TAIL, at + l) = t[l];                                                                        \
      WORK(WORK_START, at + l) = start[l];                                                                   \
      list_push(POISSON_LIST_OF(start[l]), at + l);                                                          \
    }

SORTING_KERNEL(poisson_quantile) {
  OVER_WHOLE_BLOCKS;
  real t[LANES], lambda[LANES], q[LANES], start[LANES];
  LANES_IN(POISSON_GIVEN, t)
  LANES_IN(POISSON_LAMBDA, lambda)
#if SINGLE
  quantile_easy(par, t, 1, lambda, q, start);
#else
  SMALLER_TAILS(t, par[POISSON_LOG] != 0, par[POISSON_UPPER] == 0)
  quantile_easy(par, t, par[POISSON_LOG] != 0, lambda, q, start);
#endif
  GIVE_EASY_QUANTILES
}

#if LANES == 16
/* A draw below exp(-lambda) is 0, and that is above (1 - lambda/64)^64 for lambda < 64. ZERO_SURELY_ covers rounding,
 * less than 64 units or 1e-14, in single precision 4e-6, and the 1.5e-14 that quantile_by_sums() calls near. */
#define ZERO_SURELY_ (SINGLE ? K(0.99999) : K(0.9999999999999))
DEV_FN real none_at_least_(real lambda) {
  const real a = FMA(lambda, K(-0.015625), K(1)), a2 = a * a, a4 = a2 * a2, a8 = a4 * a4, a16 = a8 * a8;
  return a16 * a16 * (a16 * a16) * ZERO_SURELY_;
}
/* Lanes of many lambda: 0 where P(N = 0) settles it, and the others to lists, so that blocks of these go one way. */
DEV_BLOCK_FN i32 draw_sorted(const real *t, const real *lambda, real *q, i32 *sums, i32 *estimate) {
  i32 n_estimate = 0, n_sums = 0;
  LANE_LOOP(l) {
    const flag known = (lambda[l] >= 0) & (lambda[l] <= REAL_MAX_);
    q[l] = known ? K(0) : NAN_;
    estimate[l] = (lambda[l] >= POISSON_SUMS) & (lambda[l] <= REAL_MAX_);
    sums[l] = (lambda[l] > 0) & (lambda[l] < POISSON_SUMS);
  }
  for (i32 l = 0; l < LANES; l++) {
    n_estimate += estimate[l];
    n_sums += sums[l];
  }
  if (n_sums > 0)
    LANE_LOOP(l) { /* where quantile_by_sums() would find no step to take, and no jump near */
      const real u = fabs(t[l]), goal = t[l] > 0 ? u : 1 - u;
      const flag tail = (t[l] < 0) & (u < POISSON_FAR), zero = (goal < none_at_least_(lambda[l])) & !tail;
      sums[l] = (lambda[l] > 0) & (lambda[l] < POISSON_SUMS) & !zero;
    }
  return n_estimate;
}
#endif

SORTING_KERNEL(poisson_draw) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[POISSON_KEY] | (u32)par[POISSON_KEY + 1] << 16;
  const u32 k1 = (u32)par[POISSON_KEY + 2] | (u32)par[POISSON_KEY + 3] << 16;
  real t[LANES], lambda[LANES], q[LANES], start[LANES];
  LANES_IN(POISSON_LAMBDA, lambda)
  draw_tails((u64)(offset + at), TAG_POISSON, k0, k1, t);
#if LANES == 16
  if (par[POISSON_ROUTE] == POISSON_GENERAL) {
    i32 sums[LANES], estimate[LANES];
    if (draw_sorted(t, lambda, q, sums, estimate) < LANES) {
      DEV_GLOBAL real *kept = PLACES(work, WORK_TAIL, 1, at, LANES, cap);
      LANE_LOOP(l) kept[l] = t[l];
      list_push_wanted(POISSON_LIST_SUMS, sums)
      list_push_wanted(POISSON_LIST_ESTIMATE, estimate)
      LANES_OUT(0, q)
      return;
    }
  }
#endif
  quantile_easy(par, t, 0, lambda, q, start);
  GIVE_EASY_QUANTILES
}

/* Points of a list, and where they go from there. */
#define TAKE_LISTED                                                                                          \
  real t[LANES], lambda[LANES], q[LANES], start[LANES];                                                      \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    t[l] = WORK(WORK_TAIL, idx[l]);                                                                          \
    lambda[l] = IN(POISSON_LAMBDA, idx[l]);                                                                  \
  }
#define GIVE_LISTED(to)                                                                                      \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = q[l];                                                     \
  for (i32 l = 0; l < LANES; l++)                                                                            \
    if (start[l] < START_FOUND && live(l)) {                                                                 \
      WORK(WORK_START, idx[l]) = start[l];                                                                   \
      list_push(to, idx[l]);                                                                                 \
    }

SORTING_KERNEL(poisson_sums) {
  OVER_LIST(POISSON_LIST_SUMS);
  TAKE_LISTED
  real u[LANES];
  LANE_LOOP(l) u[l] = fabs(t[l]);
  quantile_by_sums(u, t, lambda, q, start);
  GIVE_LISTED(POISSON_LIST_OF(start[l]))
}

SORTING_KERNEL(poisson_estimate) {
  OVER_LIST(POISSON_LIST_ESTIMATE);
  TAKE_LISTED
  real u[LANES];
  LANE_LOOP(l) u[l] = fabs(t[l]);
  quantile_by_estimate(u, t, lambda, q, start);
  GIVE_LISTED(POISSON_LIST_OF(start[l]))
}

/* The whole number next to x of poisson.h, or below it where up is 0 and not 1/2, from a tail t. */
DEV_BLOCK_FN void quantile_estimate(const real *t, const real *lambda, real up, real *k) {
  real s[LANES];
  LANE_LOOP(l) {
    const real size = fabs(t[l]), logarithm = log_(size), w = normal_far_(TAIL_IS_LOG(size) ? -size : logarithm);
    s[l] = -copy_sign_(w, t[l]) / sqrt(lambda[l]);
  }
  LANE_LOOP(l) {
    const flag central = fabs(s[l]) < K(0.54);
    const real root = sqrt(lambda[l]), c = central ? s[l] : K(0), f = central ? K(1) : s[l];
    const real whole = floor_large_(lambda[l]), shift = quantile_shift_(c * root, c, root, 1 / lambda[l]);
    const real near = whole + floor_((lambda[l] - whole) + shift + up), far = quantile_far_(f, lambda[l]);
    k[l] = max_(central ? near : floor_large_(max_(far, K(0)) + up), K(0));
  }
}

/* Points without an estimate: those whose x, off by at most delta, is next to no whole number are found. delta is
 * what poisson.h says of quantile_shift_() and quantile_far_(), and what x moves by for the 1e-7 that
 * normal_roughly_() is off: by less than 2 sqrt(lambda) times that where |s| < 1.18; elsewhere, where w < 142 and
 * sqrt(lambda) < 263, by less than 600 times, which makes 0.0501 of 0.05. Within the limits log u > -1e4 is in the
 * reach of normal_roughly_(), for lambda > 1e-250 nothing overflows on the way, and for lambda < 1e12 rounding,
 * w sqrt(lambda) 2^-52 < 1e-7, is lost in the 3e-3 that stand for 2e-3. */
SORTING_KERNEL(poisson_far) {
  OVER_LIST(POISSON_LIST_FAR);
#if !SINGLE
  TAKE_LISTED
  real s[LANES], far[LANES], whole[LANES], y[LANES], delta[LANES];
  i32 n_far = 0;
  LANE_LOOP(l) {
    const real size = fabs(t[l]), logarithm = log_(size), w = normal_roughly_(TAIL_IS_LOG(size) ? -size : logarithm);
    const real by_lambda = 1 / lambda[l], root = sqrt(lambda[l]), v = -copy_sign_(w, t[l]) / root;
    const flag shift = (fabs(v) < K(0.54)) | ((fabs(v) < K(1.18)) & (w < 20) & (lambda[l] >= 8));
    const real c = shift ? v : K(0);
    s[l] = v;
    far[l] = shift ? K(0) : K(1);
    whole[l] = floor_large_(lambda[l]);
    y[l] = (lambda[l] - whole[l]) + quantile_shift_(c * root, c, root, by_lambda);
    delta[l] = FMA(K(2e-7), root, FMA(K(3e-5) * w, w, FMA(K(1e-2), by_lambda, K(3e-3))));
  }
  for (i32 l = 0; l < LANES; l++) n_far += far[l] != 0;
  if (n_far > 0)
    LANE_LOOP(l) {
      const real x = quantile_far_(far[l] != 0 ? s[l] : K(1), lambda[l]);
      y[l] = far[l] != 0 ? x : y[l];
      whole[l] = far[l] != 0 ? K(0) : whole[l];
      delta[l] = far[l] != 0 ? K(0.06) : delta[l];
    }
  LANE_LOOP(l) {
    const real n = floor_(y[l]), part = y[l] - n, x = whole[l] + n, m = part < K(0.5) ? x : x + 1;
    const flag within = (fabs(t[l]) < K(1e4)) & (lambda[l] > K(1e-250)) & (lambda[l] < K(1e12));
    const flag near = !(min_(part, 1 - part) >= delta[l]) | !(x >= 1);
    q[l] = x;
    start[l] = within ? (near ? START_AT(m) : START_FOUND) : START_ESTIMATE;
  }
  GIVE_LISTED(POISSON_LIST_HARD)
#endif
}

#if !SINGLE
/* The smaller tail at k = a - 1, as f exp(-dev - dev_lo) and as its value small: P(N < a) where lambda >= a, else
 * P(N >= a). Finite lambda > 0, whole a >= 1. */
DEV_BLOCK_FN void poisson_tails(const real *lambda, const real *a, real *f, real *dev, real *dev_lo, real *small) {
  real mean[LANES], at[LANES], by_few[LANES];
  i32 n_few = 0;
  for (i32 l = 0; l < LANES; l++) n_few += FEW_TERMS_(lambda[l], a[l]);
  if (n_few < LANES) {
    tails_of_many_terms(lambda, a, f, dev, dev_lo);
    LANE_LOOP(l) small[l] = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
  }
  if (n_few == 0) return;
  LANE_LOOP(l) {
    const flag few = FEW_TERMS_(lambda[l], a[l]);
    mean[l] = few ? lambda[l] : K(1);
    at[l] = few ? a[l] : K(1);
  }
  tails_of_few_terms(mean, at, by_few);
  LANE_LOOP(l) {
    const flag few = FEW_TERMS_(lambda[l], a[l]);
    const real tail = tail_of_few_(mean[l], by_few[l]);
    f[l] = few ? by_few[l] : f[l];
    dev[l] = few ? mean[l] : dev[l];
    dev_lo[l] = few ? K(0) : dev_lo[l];
    small[l] = few ? tail : small[l];
  }
}

#endif

/* From memory, although it was read before: what follows from lambda alone would be kept over all rounds below, in
 * more registers than there are. */
#define READ_AGAIN(place) (*(DEV_GLOBAL const volatile real *)&(place))

SORTING_KERNEL(poisson_exact) {
  OVER_LIST(POISSON_LIST_HARD);
  real t[LANES], lambda[LANES], start[LANES], guess[LANES];
  i32 n_unknown = 0;
  for (i32 l = 0; l < LANES; l++) {
    t[l] = tail_in_reach(WORK(WORK_TAIL, idx[l]));
    start[l] = WORK(WORK_START, idx[l]);
    lambda[l] = IN(POISSON_LAMBDA, idx[l]);
    n_unknown += start[l] == START_ESTIMATE;
  }
#if SINGLE
  (void)n_unknown;
  quantile_estimate(t, lambda, K(0), guess);
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = guess[l];
#else
  real a[LANES], f[LANES], dev[LANES], dev_lo[LANES], small[LANES], low[LANES], high[LANES], doubtful[LANES];
  real step[LANES]; /* of a search; -1 where one value will tell, 0 where all is known */
  LANE_LOOP(l) guess[l] = doubtful[l] = 0;
  if (n_unknown > 0) quantile_estimate(t, lambda, K(0.5), guess);
  LANE_LOOP(l) {
    /* an estimate is off by more than 1/2 only where the tail's logarithm is too large for the digits of x */
    const flag given = start[l] > START_ESTIMATE, search = start[l] < START_ESTIMATE;
    const flag trusted = given | (!search & (fabs(t[l]) < K(1e6)) & (lambda[l] > K(1e-280)));
    a[l] = search ? max_(START_SEARCH_OF(start[l]), K(1)) : (given ? start[l] : max_(guess[l], K(1)));
    low[l] = -1;
    high[l] = INF_;
    step[l] = trusted ? K(-1) : max_(K(1), floor_large_(K(1e-15) * a[l]));
  }
  for (i32 round = 0; round < 3000; round++) {
    if (LANES == 1) lambda[0] = READ_AGAIN(IN(POISSON_LAMBDA, idx[0]));
    poisson_tails(lambda, a, f, dev, dev_lo, small);
    LANE_LOOP(l) {
      flag doubt;
      const flag below = tail_is_below(t[l], lambda[l] >= a[l], FEW_TERMS_(lambda[l], a[l]), f[l], dev[l], dev_lo[l],
                                   small[l], &doubt);
      const flag open = step[l] != 0, sure = step[l] < 0;
      doubtful[l] = (doubt & open) ? a[l] : doubtful[l];
      const real k = a[l] - 1, new_low = below ? k : (sure ? k - 1 : low[l]);
      const real new_high = below ? (sure ? k + 1 : high[l]) : k;
      low[l] = open ? new_low : low[l];
      high[l] = open ? new_high : high[l];
    }
    LANE_LOOP(l) {
      const flag bounded = high[l] < INF_, found = low[l] >= 0;
      const real up = low[l] + step[l], down = max_(high[l] - step[l], K(0));
      const real gap = high[l] - low[l], mid = low[l] + floor_large_(K(0.5) * gap);
      /* from 2^53 on two steps of a double */
      const flag close = gap <= (high[l] < 2 * SCALE_ ? K(1) : high[l] * K(4.5e-16));
      const flag done = (bounded & close) | (!bounded & (up > REAL_MAX_));
      const real next = bounded ? (found ? mid : down) : up, longer = (bounded & found) ? step[l] : 2 * step[l];
      a[l] = max_((done ? low[l] : next) + 1, K(1));
      step[l] = done ? K(0) : longer;
    }
    ANY_LANE(more, step[l] != 0)
    if (more == 0) break;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = high[l];
  GIVE_DOUBTFUL(WORK_START, POISSON_LIST_REFINE)
#endif
}

/* Where a - 1 was in doubt, in two doubles. Neighbours were not: jumps are a share of the smaller tail of at least
 * 1e-8 as long as all whole numbers are doubles. */
KERNEL(poisson_refine) {
  OVER_LIST(POISSON_LIST_REFINE);
#if !SINGLE
  const flag logs = par[POISSON_LOG] != 0, upper = par[POISSON_UPPER] != 0;
  real t[LANES], p[LANES], lambda[LANES], a[LANES], tail[LANES], tail_lo[LANES];
  for (i32 l = 0; l < LANES; l++) {
    t[l] = WORK(WORK_TAIL, idx[l]);
    a[l] = WORK(WORK_START, idx[l]);
    p[l] = IN(POISSON_GIVEN, idx[l]);
    lambda[l] = IN(POISSON_LAMBDA, idx[l]);
  }
  poisson_log_tails_exact(lambda, a, tail, tail_lo);
  LANE_LOOP(l) {
    const flag lower = lambda[l] >= a[l], drawn = p[l] == 0;
    const dd given = tail_wanted_log(drawn ? fabs(t[l]) : p[l], drawn ? t[l] < 0 : upper, logs, lower);
    const dd over = dd_minus(dd_of(tail[l], tail_lo[l]), given);
    const flag same = fabs(over.hi) <= tail_doubt(a[l], tail[l]), below = !same & (lower ? over.hi < 0 : over.hi > 0);
    a[l] = below ? a[l] : a[l] - 1;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = a[l];
#endif
}

SORTING_KERNEL(normal_quantile) {
  OVER_WHOLE_BLOCKS;
  real p[LANES], w[LANES], beyond[LANES];
  LANES_IN(POISSON_GIVEN, p)
  LANE_LOOP(l) {
    const flag lower = p[l] <= K(0.5), inside = (p[l] > 0) & (p[l] < 1);
    const real size = normal_centre_(lower ? p[l] : 1 - p[l], &beyond[l]);
    const real v = lower ? -size : size, end = p[l] == 0 ? -INF_ : (p[l] == 1 ? INF_ : NAN_);
    w[l] = inside ? v : end;
    beyond[l] = inside ? beyond[l] : K(0);
  }
  LANES_OUT(0, w)
  ANY_LANE(far, beyond[l] > 0)
  for (i32 l = 0; l < LANES && far > 0; l++)
    if (beyond[l] > 0 && live(l)) list_push(POISSON_LIST_HARD, at + l);
}

KERNEL(normal_tail) {
  OVER_LIST(POISSON_LIST_HARD);
  real p[LANES];
  for (i32 l = 0; l < LANES; l++) p[l] = IN(POISSON_GIVEN, idx[l]);
  LANE_LOOP(l) {
    const flag lower = p[l] <= K(0.5);
    const real w = normal_far_(log_(lower ? p[l] : 1 - p[l]));
    p[l] = lower ? -w : w;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = p[l];
}
