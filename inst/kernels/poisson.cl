/* poisson.cl: quantiles and random numbers of the Poisson law, and the normal quantile they are built on.
 *
 *   poisson_quantile  from p and lambda; points next to a jump, and in the tails, are left to
 *   poisson_exact     (list): an estimate where there is none, and the distribution function decides
 *   poisson_draw      as poisson_quantile, of uniforms (k + 1/2) 2^-53 in place of p
 *   normal_quantile, normal_tail (list)
 * In: p, or nothing, and lambda. par: poisson_par.h. In single precision no distribution function decides. */
#include "philox.h"
#include "poisson.h"
#if !SINGLE
#include "poisson_tail.h"
#endif

#define IN_P 0
#define IN_LAMBDA 1
/* scratch: the tail, and where to begin: a whole number to which the quantile or the one below it is equal, 0 to
 * estimate it, -1 - k to begin the search at k */
#define WORK_TAIL 0
#define WORK_START 1

#define QUANTILE_DELTA K(3e-6)

/* The smaller tail (poisson_par.h) of a lower tail p, NaN where p is no probability. */
#if !SINGLE
DEV_FN real tail_of_(real p) {
  const real t = p <= K(0.5) ? p : -(1 - p);
  return (p >= 0) & (p <= 1) ? t : NAN_;
}
DEV_FN real tail_of_log_(real p) {
  const real other = -fabs(expm1_(p)), t = p <= -LN2_ ? -p : other;
  return p <= 0 ? t : NAN_;
}
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
    const real delta = QUANTILE_DELTA + K(0.1) * by_lambda[l] * by_lambda[l] + K(4e-15) * root[l];
    const flag large = lambda[l] > 2 * SCALE_, near = (min_(part, 1 - part) < delta) & !large & (SINGLE == 0);
    const real m = part < K(0.5) ? n : n + 1;
    q[l] = whole + (large ? y : n);
    start[l] = beyond[l] > 0 ? K(0) : (near ? max_(whole + m, K(1)) : INF_);
  }
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
  flag more = 1;
  for (i32 k = 1; more & (k < 300); k++) {
    const real by_k = 1 / (real)k;
    more = 0;
    for (i32 l = 0; l < LANES; l++) more = more | (left[l] > 0);
    LANE_LOOP(l) {
      const real next = term[l] * (lambda[l] * by_k), rest = left[l] - next;
      count[l] += left[l] > 0 ? K(1) : K(0);
      slack[l] = min_(slack[l], fabs(rest));
      term[l] = next;
      left[l] = rest;
    }
  }
  LANE_LOOP(l) {
    const flag on = lambda[l] < POISSON_SUMS, near = (slack[l] <= K(1.5e-14) * goal[l]) & (SINGLE == 0);
    const real begin = near ? -1 - count[l] : INF_;
    q[l] = on ? count[l] : q[l];
    start[l] = on ? (far[l] != 0 ? K(0) : begin) : start[l];
  }
}

/* Quantiles q of tails t, logs: are some of them logarithms? start is finite where q is not found. */
DEV_BLOCK_FN void quantile_easy(const real *t, flag logs, const real *lambda, real *q, real *start) {
  real u[LANES];
  i32 n_sums = 0;
  LANE_LOOP(l) {
    u[l] = fabs(t[l]);
    q[l] = 0;
    start[l] = INF_;
  }
  if (logs)
    LANE_LOOP(l) {
      const real small = exp_(-u[l]);
      u[l] = u[l] > K(0.5) ? small : u[l];
    }
  for (i32 l = 0; l < LANES; l++) n_sums += lambda[l] < POISSON_SUMS;
  if (n_sums < LANES) quantile_by_estimate(u, t, lambda, q, start);
  if (n_sums > 0) quantile_by_sums(u, t, lambda, q, start);
  LANE_LOOP(l) {
    const flag known = (lambda[l] >= 0) & (lambda[l] <= REAL_MAX_) & (t[l] == t[l]);
    const flag none = (t[l] == 0) | (fabs(t[l]) > REAL_MAX_), sure = lambda[l] == 0;
    const real end = copy_sign_(K(1), t[l]) > 0 ? K(0) : INF_, v = none ? end : q[l];
    q[l] = known ? (sure ? K(0) : v) : NAN_;
    start[l] = known & !none & !sure ? start[l] : INF_;
  }
}

#define GIVE_EASY_QUANTILES                                                                                  \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    OUT(0, idx[l]) = q[l];                                                                                   \
    if (start[l] < INF_ && live(l)) {                                                                        \
      WORK(WORK_TAIL, idx[l]) = t[l];                                                                        \
      WORK(WORK_START, idx[l]) = start[l];                                                                   \
      list_push(0, idx[l]);                                                                                  \
    }                                                                                                        \
  }

KERNEL(poisson_quantile) {
  OVER_POINTS;
  real t[LANES], lambda[LANES], q[LANES], start[LANES];
  for (i32 l = 0; l < LANES; l++) {
    t[l] = IN(IN_P, idx[l]);
    lambda[l] = IN(IN_LAMBDA, idx[l]);
  }
#if SINGLE
  quantile_easy(t, 1, lambda, q, start);
#else
  if (par[POISSON_LOG] != 0)
    LANE_LOOP(l) t[l] = tail_of_log_(t[l]);
  else
    LANE_LOOP(l) t[l] = tail_of_(t[l]);
  if (par[POISSON_UPPER] != 0)
    LANE_LOOP(l) t[l] = -t[l];
  quantile_easy(t, par[POISSON_LOG] != 0, lambda, q, start);
#endif
  GIVE_EASY_QUANTILES
}

KERNEL(poisson_draw) {
  OVER_POINTS;
  const u32 k0 = (u32)par[POISSON_KEY] | (u32)par[POISSON_KEY + 1] << 16;
  const u32 k1 = (u32)par[POISSON_KEY + 2] | (u32)par[POISSON_KEY + 3] << 16;
  real t[LANES], lambda[LANES], q[LANES], start[LANES];
  u32 low[LANES], high[LANES];
  for (i32 l = 0; l < LANES; l++) {
    const u64 i = (u64)(offset + idx[l]);
    low[l] = (u32)i;
    high[l] = (u32)(i >> 32);
    lambda[l] = IN(IN_LAMBDA, idx[l]);
  }
  LANE_LOOP(l) {
    philox_block c = {low[l], high[l], TAG_POISSON, 0u};
    c = philox(c, k0, k1);
    low[l] = c.w0;
    high[l] = c.w1;
  }
  /* The highest bit of k is bit 0 of the second word; where it is set the other 52 are complemented. */
  LANE_LOOP(l) {
    const u32 side = high[l] & 1u, turn = 0u - side;
#if SINGLE
    const real u = ((real)((low[l] ^ turn) >> 1) + K(0.25)) * K(2.3283064365386963e-10); /* 2^-32 */
#else
    const real u = K(0.5) * open_uniform(low[l] ^ turn, high[l] ^ turn);
#endif
    t[l] = flip_sign_(u, (word)side);
  }
  quantile_easy(t, 0, lambda, q, start);
  GIVE_EASY_QUANTILES
}

/* The whole number next to x of poisson.h, or below it where up is 0 and not 1/2, from a tail t. */
DEV_BLOCK_FN void quantile_estimate(const real *t, const real *lambda, real up, real *k) {
  real s[LANES];
  LANE_LOOP(l) {
    const real size = fabs(t[l]), logarithm = log_(size), w = normal_far_(size > K(0.5) ? -size : logarithm);
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

#if !SINGLE
/* Is P(N <= k) < p, for p by its tail t? k = a - 1; lower: is the smaller tail at k, f exp(-dev), a lower one? */
DEV_FN flag is_below_(real t, flag lower, real f, real dev, real dev_lo) {
  const real size = fabs(t);
  const flag logs = size > K(0.5), same = (t > 0) == lower;
  real e;
  const real small = exp_sum_times_(f, -dev, -dev_lo), other = 1 - small;
  const real top = two_sum(-size, dev, &e) + (e + dev_lo); /* log(tail) + dev */
  const real log_f = log_core_(max_(f, K(1e-300))), log_other = log_core_(max_(other, K(1e-300)));
  const real here = logs ? (same ? log_f : log_other) : (same ? small : other);
  const real wanted = logs ? (same ? top : -size) : size;
  return (t > 0) == (here < wanted) && here != wanted ? 1 : 0;
}
#endif

KERNEL(poisson_exact) {
  OVER_LIST(0);
  real t[LANES], lambda[LANES], start[LANES], guess[LANES];
  i32 n_unknown = 0;
  for (i32 l = 0; l < LANES; l++) {
    t[l] = WORK(WORK_TAIL, idx[l]);
    start[l] = WORK(WORK_START, idx[l]);
    lambda[l] = IN(IN_LAMBDA, idx[l]);
    n_unknown += start[l] == 0;
  }
#if SINGLE
  (void)n_unknown;
  quantile_estimate(t, lambda, K(0), guess);
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = guess[l];
#else
  real a[LANES], f[LANES], dev[LANES], dev_lo[LANES], low[LANES], high[LANES], step[LANES], sure[LANES];
  LANE_LOOP(l) guess[l] = 0;
  if (n_unknown > 0) quantile_estimate(t, lambda, K(0.5), guess);
  LANE_LOOP(l) {
    /* an estimate is off by more than 1/2 only where the tail's logarithm is too large for the digits of x */
    const flag given = start[l] > 0, search = start[l] < 0;
    const flag trusted = given | (!search & (fabs(t[l]) < K(1e6)) & (lambda[l] > K(1e-280)));
    a[l] = search ? max_(-1 - start[l], K(1)) : (given ? start[l] : max_(guess[l], K(1)));
    sure[l] = trusted ? K(1) : K(0);
    low[l] = -1;
    high[l] = INF_;
    step[l] = 1;
  }
  flag more = 1;
  for (i32 round = 0; more & (round < 3000); round++) {
    poisson_tails(lambda, a, f, dev, dev_lo);
    LANE_LOOP(l) {
      const flag below = is_below_(t[l], lambda[l] >= a[l], f[l], dev[l], dev_lo[l]);
      const flag open = step[l] > 0;
      const real k = a[l] - 1, new_low = below ? k : (sure[l] != 0 ? k - 1 : low[l]);
      const real new_high = below ? (sure[l] != 0 ? k + 1 : high[l]) : k;
      low[l] = open ? new_low : low[l];
      high[l] = open ? new_high : high[l];
    }
    LANE_LOOP(l) {
      const flag bounded = high[l] < INF_, found = low[l] >= 0;
      const real up = low[l] + step[l], down = max_(high[l] - step[l], K(0));
      const real gap = high[l] - low[l], mid = low[l] + floor_large_(K(0.5) * gap);
      const flag done = bounded & (gap <= max_(K(1), high[l] * K(2.3e-16)));
      const real next = bounded ? (found ? mid : down) : up, longer = bounded & found ? step[l] : 2 * step[l];
      a[l] = (done ? low[l] : next) + 1;
      a[l] = max_(a[l], K(1));
      step[l] = done ? K(0) : longer;
    }
    more = 0;
    for (i32 l = 0; l < LANES; l++) more = more | (step[l] > 0);
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = high[l];
#endif
}

KERNEL(normal_quantile) {
  OVER_POINTS;
  real p[LANES], w[LANES], beyond[LANES];
  for (i32 l = 0; l < LANES; l++) p[l] = IN(IN_P, idx[l]);
  LANE_LOOP(l) {
    const flag lower = p[l] <= K(0.5);
    const real size = normal_centre_(lower ? p[l] : 1 - p[l], &beyond[l]);
    const real v = lower ? -size : size, end = p[l] == 0 ? -INF_ : (p[l] == 1 ? INF_ : NAN_);
    w[l] = (p[l] > 0) & (p[l] < 1) ? v : end;
    beyond[l] = (p[l] > 0) & (p[l] < 1) ? beyond[l] : K(0);
  }
  for (i32 l = 0; l < LANES; l++) {
    OUT(0, idx[l]) = w[l];
    if (beyond[l] > 0 && live(l)) list_push(0, idx[l]);
  }
}

KERNEL(normal_tail) {
  OVER_LIST(0);
  real p[LANES];
  for (i32 l = 0; l < LANES; l++) p[l] = IN(IN_P, idx[l]);
  LANE_LOOP(l) {
    const flag lower = p[l] <= K(0.5);
    const real w = normal_far_(log_(lower ? p[l] : 1 - p[l]));
    p[l] = lower ? -w : w;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = p[l];
}
