/* binomial.cl: quantiles and random numbers of the binomial and negative binomial distributions.
 *
 *   binomial_quantile  from p, size and prob or mu; small means are left to
 *   binomial_sums      (list), unless all of a block's are, and the tails to
 *   binomial_far       (list): the same expansion, and
 *   binomial_mixture   (list; binomial_mixture.cl); what none of these finds, or finds next to a jump, to
 *   binomial_search    (list): the distribution function decides, after an estimate and Newton's steps where none was
 *                      given; where its digits do not suffice
 *   binomial_refine    (list): the same in two doubles
 *   binomial_draw      as binomial_quantile, of uniforms (k + 1/2) 2^-53 in place of p
 * In: p, or nothing, size, and prob or mu. par: binomial_par.h. */
#include "kernels/binomial/binomial_refine.h"
#include "kernels/common/tail_given.h"

/* Mean m + m_lo, variance v, and g, the derivative of the variance by the mean, on which all cumulants depend alone
 * with v: 1 - 2 prob of the binomial, 1 + 2 mu/size of the negative binomial distribution. */
typedef struct {
  real m[LANES], m_lo[LANES], v[LANES], g[LANES];
} count_moments;
DEV_BLOCK_FN void moments_of(i32 kind, const real *size, const real *second, count_moments *c) {
  if (kind == BINOMIAL_OF_PROB)
    LANE_LOOP(l) {
      const real p = second[l], other = 1 - p;
      c->m[l] = two_prod(size[l], p, &c->m_lo[l]);
      c->v[l] = c->m[l] * other;
      c->g[l] = other - p;
    }
  else if (kind == NEGATIVE_OF_PROB)
    LANE_LOOP(l) {
      const real p = second[l];
      const dd other = dd_sum2(K(1), -p), m = dd_by(dd_times(dd_of(size[l], K(0)), other), dd_of(p, K(0)));
      c->m[l] = m.hi;
      c->m_lo[l] = m.lo;
      c->v[l] = m.hi / p;
      c->g[l] = (1 + other.hi) / p;
    }
  else
    LANE_LOOP(l) {
      const real over = second[l] / size[l];
      c->m[l] = second[l];
      c->m_lo[l] = 0;
      c->v[l] = FMA(second[l], over, second[l]);
      c->g[l] = FMA(K(2), over, K(1));
    }
}

/* x - m for the real x at which P(X <= x) is that of the normal quantile w: Cornish and Fisher's expansion to the
 * fourth order (Biometrika 1937) with the cumulants k_2 = v, k_3 = v g, k_4 = v (3 g^2 - 1)/2, k_5 = v (3 g^3 - 2 g)
 * and k_6 = v (15 g^4 - 15 g^2 + 2)/2 of distributions whose variance is a quadratic function of the mean, and, as X
 * is whole, Sheppard's corrections -1/12, 1/120 and -1/252 of k_2, k_4 and k_6 and 1/2. */
DEV_FN real quantile_centre_(real w, real v, real g, real *root) {
  const real v2 = v - K(1.0) / K(12.0), by = K(1.0) / v2, s = sqrt(v2), r = s * by, g2 = g * g, w2 = w * w;
  const real l3 = v * g * r * by, l4 = FMA(v, FMA(K(1.5), g2, K(-0.5)), K(1.0) / K(120.0)) * (by * by);
  const real l5 = v * g * FMA(K(3.0), g2, K(-2.0)) * (r * by * by), q = l3 * l3;
  const real l6 = FMA(v, FMA(FMA(K(7.5), g2, K(-7.5)), g2, K(1.0)), K(-1.0) / K(252.0)) * (by * by * by);
  const real a = l3 * K(0.16666666666666666) * (w2 - K(1.0));
  const real b = w * (l4 * K(0.041666666666666664) * (w2 - K(3.0)) -
                      q * K(0.027777777777777776) * FMA(K(2.0), w2, K(-5.0)));
  const real c = l5 * K(0.008333333333333333) * FMA(w2 - K(6.0), w2, K(3.0)) -
                 l3 * l4 * K(0.041666666666666664) * FMA(w2 - K(5.0), w2, K(2.0)) +
                 l3 * q * K(0.0030864197530864196) * FMA(FMA(K(12.0), w2, K(-53.0)), w2, K(17.0));
  const real d = l6 * K(0.001388888888888889) * FMA(w2 - K(10.0), w2, K(15.0)) -
                 l4 * l4 * K(0.0026041666666666665) * FMA(FMA(K(3.0), w2, K(-24.0)), w2, K(29.0)) -
                 l3 * l5 * K(0.005555555555555556) * FMA(FMA(K(2.0), w2, K(-17.0)), w2, K(21.0)) +
                 q * l4 * K(0.003472222222222222) * FMA(FMA(K(14.0), w2, K(-103.0)), w2, K(107.0)) -
                 q * q * K(0.0001286008230452675) * FMA(FMA(K(252.0), w2, K(-1688.0)), w2, K(1511.0));
  *root = s;
  return FMA(s, w + (a + (b + (c + w * d))), K(-0.5));
}
/* What x may be off by where v >= 8 and |w| < 8: the largest errors found were 0.7 of this, of most v and w less,
 * which is (0.003 + 0.012 w^2 + 1.8e-6 w^8 min(w^4, 200)) (0.1 + |g| max(1, g^4))/v^2 and rounding (bench/binomial.R
 * errors). */
DEV_FN real quantile_wrong_by_(real w, real v, real g, real root) {
  const real w2 = w * w, w4 = w2 * w2, g2 = g * g, size = fabs(g) * max_(K(1.0), g2 * g2);
  const real far = K(1.8e-6) * (w4 * w4) * min_(w4, K(200.0)), by_v = K(1.0) / v;
  return FMA(far + FMA(K(0.012), w2, K(0.003)), (K(0.1) + size) * (by_v * by_v), FMA(K(1e-15), w2, K(8e-15)) * root);
}
#define CENTRE_LEAST_ K(8.0) /* of v; below, probabilities are added, as well where x may be wrong by 1/4 */
#define MEAN_SUMMED_ K(64.0) /* the largest mean of these */
#define MOST_SUMMED_ 400

/* Negative binomial distributions left to binomial_mixture.cl where the expansion does not serve. */
DEV_FN flag is_mixture_(i32 kind, real size, real second) {
  const flag far = kind == NEGATIVE_OF_MEAN ? size < second : second < K(0.5);
  return (kind != BINOMIAL_OF_PROB) & far & (size < K(1e100)) & (size > K(1e-100));
}

/* from normal quantiles w */
DEV_FN void quantile_by_centre_(const real *normal, const count_moments *c, real *q, real *start) {
  LANE_LOOP(l) {
    real root;
    const real w = normal[l], v = max_(c->v[l], CENTRE_LEAST_);
    const real shift = quantile_centre_(w, v, c->g[l], &root), delta = quantile_wrong_by_(w, v, c->g[l], root);
    const real whole = floor_(c->m[l]), y = ((c->m[l] - whole) + c->m_lo[l]) + shift, n = -floor_(-y), part = n - y;
    const flag can = (c->v[l] >= CENTRE_LEAST_) & (delta < K(0.25)) & (fabs(w) < 8) & (c->m[l] < K(0.25) * SCALE_);
    /* x within delta of j: a = j + 1 */
    const flag near = min_(part, 1 - part) < delta;
    const real j = part < K(0.5) ? n : n - 1, begin = near ? START_AT(whole + j + 1) : START_FOUND;
    q[l] = max_(whole + n, K(0));
    start[l] = can ? begin : START_ESTIMATE;
  }
}
DEV_BLOCK_FN void quantile_by_centre(const real *u, const real *t, const count_moments *c, real *q, real *start) {
  real w[LANES];
  LANE_LOOP(l) {
    real beyond;
    const real z = normal_centre_(u[l], &beyond);
    w[l] = beyond > 0 ? K(9) : -copy_sign_(z, t[l]);
  }
  quantile_by_centre_(w, c, q, start);
}

/* Probabilities added, where the mean of X, or of size - X, is small: the number of k with P(X <= k) < p. A sum is
 * right to 3e-14 of it: one rounding of each of 400 terms at most, and what exp() of up to 40 makes of those of its
 * argument, add to less. */
DEV_BLOCK_FN void quantile_by_sums(i32 kind, const real *u, const real *t, const real *size, const real *second,
                                   const real *means, const real *wanted, real *q, real *start) {
  real left[LANES], term[LANES], slack[LANES], count[LANES], goal[LANES], odds[LANES], turned[LANES], on[LANES];
  const real sense = kind == BINOMIAL_OF_PROB ? K(-1) : K(1);
  LANE_LOOP(l) {
    const flag turn = (kind == BINOMIAL_OF_PROB) & (second[l] > K(0.5)), lower = (t[l] > 0) != turn;
    const real p = turn ? 1 - second[l] : second[l], r = second[l] / size[l];
    const real log_none = kind == BINOMIAL_OF_PROB ? log1p_(-p) : (kind == NEGATIVE_OF_PROB ? log_(p) : -log1p_(r));
    const real o = kind == BINOMIAL_OF_PROB ? p / (1 - p) : (kind == NEGATIVE_OF_PROB ? 1 - p : r / (1 + r));
    const real deep = max_(size[l] * log_none, K(-40)), none = exp_(deep), g = lower ? u[l] : 1 - u[l];
    const flag far = !lower & (u[l] < K(1e-12)), deepest = deep <= K(-40);
    const real mean = turn ? size[l] * p : means[l];
    const flag add = (wanted[l] != 0) & !far & !deepest & ((mean <= MEAN_SUMMED_) | (g < none * K(0.99)));
    on[l] = add ? K(1) : K(0);
    turned[l] = turn ? K(1) : K(0);
    odds[l] = o;
    goal[l] = add ? g : K(0);
    term[l] = none;
    left[l] = goal[l] - none;
    slack[l] = fabs(left[l]);
    count[l] = 0;
  }
  for (i32 k = 1; k < MOST_SUMMED_; k += 2) {
    const real by_k = 1 / (real)k, by_next = 1 / (real)(k + 1), below = sense * (real)(k - 1), at = sense * (real)k;
    ANY_LANE(more, left[l] > 0)
    if (more == 0) break;
    LANE_LOOP(l) {
      const real next = term[l] * (max_(size[l] + below, K(0)) * (odds[l] * by_k)), rest = left[l] - next;
      const real after = next * (max_(size[l] + at, K(0)) * (odds[l] * by_next)), last = rest - after;
      count[l] += (left[l] > 0 ? K(1) : K(0)) + (rest > 0 ? K(1) : K(0));
      slack[l] = min_(slack[l], min_(fabs(rest), fabs(last)));
      term[l] = after;
      left[l] = last;
    }
  }
  LANE_LOOP(l) {
    const real k = turned[l] != 0 ? size[l] - count[l] : count[l];
    const flag near = slack[l] <= K(3e-14) * goal[l], open = left[l] > 0;
    const real begin = near ? START_SEARCH(max_(k, K(0))) : START_FOUND;
    q[l] = on[l] != 0 ? k : q[l];
    start[l] = on[l] != 0 ? (open ? START_ESTIMATE : begin) : start[l];
  }
}

/* Where all is known without the distribution: q of a tail t, else found; open: is it none of these? */
DEV_FN real quantile_ends_(i32 kind, real t, real size, real second, real found, flag *open) {
  const flag negative = kind != BINOMIAL_OF_PROB, of_mean = kind == NEGATIVE_OF_MEAN;
  const flag whole = negative | (size == nearest_(size)), range = of_mean ? second <= REAL_MAX_ : second <= 1;
  const flag sized = (size >= 0) & (of_mean | (size <= REAL_MAX_));
  const flag known = sized & (second >= 0) & range & whole & ((kind != NEGATIVE_OF_PROB) | (second > 0)) & (t == t);
  const flag none = (size == 0) | (kind == NEGATIVE_OF_PROB ? second == 1 : second == 0);
  const flag all = !negative & (second == 1), no_tail = (t == 0) | (fabs(t) > REAL_MAX_);
  const real most = negative ? INF_ : size, end = copy_sign_(K(1), t) > 0 ? K(0) : most;
  const real sure = none ? ((no_tail & !negative) ? end : K(0)) : (no_tail ? end : (all ? size : found));
  *open = known & !none & !all & !no_tail;
  return known ? sure : NAN_;
}

/* Quantiles q of tails t; logs: are some of them logarithms? */
DEV_FN void quantile_easy_(i32 kind, const real *t, flag logs, const real *size, const real *second, real *q,
                           real *start) {
  real u[LANES], s[LANES], p[LANES], open[LANES], wanted[LANES];
  count_moments c;
  LANE_LOOP(l) {
    flag on;
    q[l] = quantile_ends_(kind, t[l], size[l], second[l], K(0), &on);
    open[l] = on ? K(1) : K(0);
    u[l] = on ? fabs(t[l]) : K(0.5);
    p[l] = on ? second[l] : K(0.5);
    s[l] = on ? min_(size[l], kind == BINOMIAL_OF_PROB ? REAL_MAX_ : SIZE_MOST_) : K(100);
  }
  ANY_LANE(far, TAIL_IS_LOG(u[l]))
  if (logs & (far > 0))
    LANE_LOOP(l) {
      const real small = exp_(-u[l]);
      u[l] = TAIL_IS_LOG(u[l]) ? small : u[l];
    }
  moments_of(kind, s, p, &c);
  real found[LANES], begin[LANES];
  quantile_by_centre(u, t, &c, found, begin);
  LANE_LOOP(l) {
    const flag sum = (begin[l] == START_ESTIMATE) & (open[l] != 0) & (u[l] > 0) & !is_mixture_(kind, s[l], p[l]);
    wanted[l] = sum ? K(1) : K(0);
  }
  ANY_LANE(sums, wanted[l] != 0)
  if (LANES > 1 && sums > K(0.75) * LANES)
    quantile_by_sums(kind, u, t, s, p, c.m, wanted, found, begin);
  else
    LANE_LOOP(l) begin[l] = wanted[l] != 0 ? START_SUMS : begin[l];
  LANE_LOOP(l) {
    const real most = kind == BINOMIAL_OF_PROB ? size[l] : INF_;
    q[l] = open[l] != 0 ? min_(found[l], most) : q[l];
    start[l] = open[l] != 0 ? begin[l] : START_FOUND;
  }
}
DEV_BLOCK_FN void quantile_easy(i32 kind, const real *t, flag logs, const real *size, const real *second, real *q,
                                real *start) {
  if (kind == BINOMIAL_OF_PROB)
    quantile_easy_(BINOMIAL_OF_PROB, t, logs, size, second, q, start);
  else if (kind == NEGATIVE_OF_PROB)
    quantile_easy_(NEGATIVE_OF_PROB, t, logs, size, second, q, start);
  else
    quantile_easy_(NEGATIVE_OF_MEAN, t, logs, size, second, q, start);
}

DEV_FN i32 list_of_start_(i32 kind, real start, real size, real second) {
  const i32 estimate = is_mixture_(kind, size, second) ? BINOMIAL_LIST_MIXTURE : BINOMIAL_LIST_FAR;
  return start == START_SUMS ? BINOMIAL_LIST_SUMS : (start == START_ESTIMATE ? estimate : BINOMIAL_LIST_SEARCH);
}
/* Those that are summed, in one go where lanes go side by side. */
#if LANES == 1
#define GIVE_SUMS
#else
#define GIVE_SUMS                                                                                            \
  ANY_LANE(summed, start[l] == START_SUMS)                                                                   \
  if (summed > 0) {                                                                                          \
    i32 wanted[LANES];                                                                                       \
    DEV_GLOBAL real *kept = PLACES(work, BINOMIAL_WORK_TAIL, 1, at, LANES, cap);                             \
    LANE_LOOP(l) {                                                                                           \
      kept[l] = t[l];                                                                                        \
      wanted[l] = start[l] == START_SUMS;                                                                    \
      start[l] = start[l] == START_SUMS ? START_FOUND : start[l];                                            \
    }                                                                                                        \
    list_push_wanted(BINOMIAL_LIST_SUMS, wanted)                                                             \
  }
#endif
#define GIVE_EASY_QUANTILES                                                                                  \
  const i32 kind = (i32)par[BINOMIAL_KIND];                                                                  \
  LANES_OUT(0, q)                                                                                            \
  GIVE_SUMS                                                                                                  \
  ANY_LANE(open, start[l] < START_FOUND)                                                                     \
  for (i32 l = 0; l < LANES && open > 0; l++)                                                                \
    if (start[l] < START_FOUND && live(l)) {                                                                 \
      WORK(BINOMIAL_WORK_TAIL, at + l) = t[l];                                                               \
      WORK(BINOMIAL_WORK_START, at + l) = start[l];                                                          \
      list_push(list_of_start_(kind, start[l], size[l], second[l]), at + l);                                 \
    }

SORTING_KERNEL(binomial_quantile) {
  OVER_WHOLE_BLOCKS;
  real t[LANES], size[LANES], second[LANES], q[LANES], start[LANES];
  LANES_IN(BINOMIAL_GIVEN, t)
  LANES_IN(BINOMIAL_SIZE, size)
  LANES_IN(BINOMIAL_SECOND, second)
  SMALLER_TAILS(t, par[BINOMIAL_LOG] != 0, par[BINOMIAL_LOWER] != 0)
  quantile_easy((i32)par[BINOMIAL_KIND], t, par[BINOMIAL_LOG] != 0, size, second, q, start);
  GIVE_EASY_QUANTILES
}

SORTING_KERNEL(binomial_draw) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[BINOMIAL_KEY] | (u32)par[BINOMIAL_KEY + 1] << 16;
  const u32 k1 = (u32)par[BINOMIAL_KEY + 2] | (u32)par[BINOMIAL_KEY + 3] << 16;
  real t[LANES], size[LANES], second[LANES], q[LANES], start[LANES];
  LANES_IN(BINOMIAL_SIZE, size)
  LANES_IN(BINOMIAL_SECOND, second)
  draw_tails((u64)(offset + at), TAG_BINOMIAL, k0, k1, t);
  quantile_easy((i32)par[BINOMIAL_KIND], t, 0, size, second, q, start);
  GIVE_EASY_QUANTILES
}

/* Points of a list, and those that are not found to others. */
#define TAKE_LISTED                                                                                          \
  const i32 kind = (i32)par[BINOMIAL_KIND];                                                                  \
  real t[LANES], size[LANES], second[LANES];                                                                 \
  count_moments c;                                                                                           \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    t[l] = WORK(BINOMIAL_WORK_TAIL, idx[l]);                                                                 \
    size[l] = IN(BINOMIAL_SIZE, idx[l]);                                                                     \
    second[l] = IN(BINOMIAL_SECOND, idx[l]);                                                                 \
  }                                                                                                          \
  LANE_LOOP(l) size[l] = kind == BINOMIAL_OF_PROB ? size[l] : min_(size[l], SIZE_MOST_);                     \
  moments_of(kind, size, second, &c);
#define GIVE_LISTED(list_of)                                                                                 \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = kind == BINOMIAL_OF_PROB ? min_(q[l], size[l]) : q[l];    \
  for (i32 l = 0; l < LANES; l++)                                                                            \
    if (start[l] < START_FOUND && live(l)) {                                                                 \
      WORK(BINOMIAL_WORK_START, idx[l]) = start[l];                                                          \
      list_push(list_of, idx[l]);                                                                            \
    }

SORTING_KERNEL(binomial_sums) {
  OVER_LIST(BINOMIAL_LIST_SUMS);
  TAKE_LISTED
  real u[LANES], wanted[LANES], q[LANES], start[LANES];
  LANE_LOOP(l) {
    const real small = exp_(-min_(fabs(t[l]), K(750)));
    u[l] = TAIL_IS_LOG(fabs(t[l])) ? small : fabs(t[l]);
    q[l] = 0;
    start[l] = START_ESTIMATE;
    wanted[l] = 1;
  }
  quantile_by_sums(kind, u, t, size, second, c.m, wanted, q, start);
  GIVE_LISTED(list_of_start_(kind, start[l], size[l], second[l]))
}

SORTING_KERNEL(binomial_far) {
  OVER_LIST(BINOMIAL_LIST_FAR);
  TAKE_LISTED
  real w[LANES], q[LANES], start[LANES];
  LANE_LOOP(l) {
    const real u = fabs(t[l]), log_u = TAIL_IS_LOG(u) ? -u : log_(u);
    w[l] = -copy_sign_(normal_far_(log_u), t[l]);
  }
  quantile_by_centre_(w, &c, q, start);
  GIVE_LISTED(BINOMIAL_LIST_SEARCH)
}

/* A guess at the quantile of a tail whose normal quantile is w: by the expansion where that is of use; of an
 * overdispersed negative binomial variable by Wilson and Hilferty's cube of the gamma variable (PNAS 1931) or, next
 * to 0, by P(X < a) ~ (a y)^size/Gamma(1 + size). */
DEV_FN real quantile_guess_(real w, real log_tail, flag lower, flag negative, real size, real m, real variance,
                            real g) {
  real root;
  const real v = max_(variance, K(0.5)), centre = m + quantile_centre_(w, v, g, &root);
  const real cube = K(1.0) - K(1.0) / (K(9.0) * size) + w / (K(3.0) * sqrt(size)), gamma = m * cube * cube * cube;
  const real small = (m / size) * exp_(clamp_(log_tail / size, K(-700.0), K(0.0)));
  const flag skew = negative & (g * g > K(0.5) * variance), low = (cube < K(0.3)) & lower;
  const real skewed = low ? small : max_(gamma, m / size);
  const real plain = fabs(centre - m) < K(12.0) * root ? centre : m + w * root;
  return skew ? skewed : plain;
}

/* The first a = k + 1: that of an estimate next to a whole number, a count, or a guess. */
DEV_FN real search_begin_(real start, real t, flag negative, real size, real m, real v, real g, real most) {
  const real u = fabs(t), log_u = TAIL_IS_LOG(u) ? -u : log_(u), w = -copy_sign_(normal_far_(log_u), t);
  const real guess = quantile_guess_(w, log_u, t > 0, negative, size, m, v, g);
  const real k = start < START_ESTIMATE ? START_SEARCH_OF(start) : floor_large_(clamp_(guess, K(0), most));
  return clamp_(start > START_ESTIMATE ? start : k + 1, K(1), most);
}
/* The k to look at after k = a - 1 where Newton's step in log a is move: where the root x is next to it, that from
 * which the next one follows, too. */
DEV_FN real search_step_(real a, real move, flag is_lower, flag below) {
  const real x = FMA(a, exp_core_(clamp_(move, K(-2.5), K(2.5))), K(-1)), k = a - 1;
  const real down = floor_large_(max_(x, K(0))), next = x > down ? down + 1 : down, to = is_lower ? next : next - 1;
  return to == k ? (below ? k + 1 : k - 1) : to;
}
/* between low and high, or beyond k */
DEV_FN real search_middle_(real low, real high, real k) {
  const real mid = low + max_(floor_large_(K(0.5) * (high - low)), K(1));
  const real wide = high > 16 * (low + 2) ? sqrt((low + 2) * high) : mid;
  return floor_large_(high < INF_ ? wide : 2 * k + 1);
}

SORTING_KERNEL(binomial_search) {
  OVER_LIST(BINOMIAL_LIST_SEARCH);
  TAKE_LISTED
  real a[LANES], f[LANES], dev[LANES], dev_lo[LANES], lower[LANES], rate[LANES];
  real low[LANES], high[LANES], open[LANES], doubtful[LANES]; /* open: 1, 2 where one value will tell, 0 done */
  for (i32 l = 0; l < LANES; l++) a[l] = WORK(BINOMIAL_WORK_START, idx[l]);
  LANE_LOOP(l) {
    const real most = kind == BINOMIAL_OF_PROB ? size[l] : REAL_MAX_;
    t[l] = tail_in_reach(t[l]);
    open[l] = a[l] > START_ESTIMATE ? K(2) : K(1);
    a[l] = search_begin_(a[l], t[l], kind != BINOMIAL_OF_PROB, size[l], c.m[l], c.v[l], c.g[l], most);
    low[l] = -1;
    high[l] = kind == BINOMIAL_OF_PROB ? size[l] : INF_;
    doubtful[l] = 0;
  }
  for (i32 round = 0; round < 3000; round++) {
    if (LANES == 1) {
      const real of_size = READ_AGAIN(IN(BINOMIAL_SIZE, idx[0]));
      size[0] = kind == BINOMIAL_OF_PROB ? of_size : min_(of_size, SIZE_MOST_);
      second[0] = READ_AGAIN(IN(BINOMIAL_SECOND, idx[0]));
      t[0] = tail_in_reach(READ_AGAIN(WORK(BINOMIAL_WORK_TAIL, idx[0])));
    }
    count_tails(kind, size, second, a, f, dev, dev_lo, lower, rate);
    const flag halve = round % 4 == 3;
    LANE_LOOP(l) {
      flag doubt;
      const flag is_lower = lower[l] != 0, sure = open[l] == 2, on = open[l] != 0;
      const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]), k = a[l] - 1, u = fabs(t[l]);
      const flag below = tail_is_below(t[l], is_lower, 0, f[l], dev[l], dev_lo[l], small, &doubt);
      const real new_low = below ? k : (sure ? k - 1 : low[l]), new_high = below ? (sure ? k + 1 : high[l]) : k;
      low[l] = on ? new_low : low[l];
      high[l] = on ? new_high : high[l];
      doubtful[l] = (on & doubt) ? a[l] : doubtful[l];
      /* Newton's step in log a on the logarithm of the smaller tail, which is concave */
      const flag same = (t[l] > 0) == is_lower, logs = TAIL_IS_LOG(u);
      const real tail = logs ? exp_(-u) : u, goal = same ? (logs ? -u : log_(u)) : log1p_(-tail);
      const real log_small = log_plus_(max_(f[l], K(1e-307)), -dev[l], -dev_lo[l]), share = rate[l];
      const real miss = goal - log_small, move = miss / (share * a[l]);
      /* the tail at the next k on the side where it is smaller, less that probability, may tell of that one */
      const real beyond = log_small + log1p_(-min_(share, K(0.9999)));
      const flag told = (share > 0) & (beyond < goal - K(1e-12) * max_(K(1), fabs(goal)));
      low[l] = (on & told & is_lower & !below) ? max_(low[l], k - 1) : low[l];
      high[l] = (on & told & !is_lower & below) ? min_(high[l], k + 1) : high[l];
      const real step = search_step_(a[l], is_lower ? move : -move, is_lower, below), gap = high[l] - low[l];
      const flag bounded = high[l] < INF_;
      const real to = clamp_(halve ? search_middle_(low[l], high[l], k) : step, low[l] + 1,
                             bounded ? high[l] - 1 : REAL_MAX_);
      const flag close = gap <= (high[l] < 2 * SCALE_ ? K(1) : high[l] * K(4.5e-16));
      const flag done = sure | (bounded & close) | (low[l] >= K(8e307));
      a[l] = (on & !done) ? max_(to + 1, K(1)) : a[l];
      open[l] = done ? K(0) : open[l];
    }
    ANY_LANE(more, open[l] != 0)
    if (more == 0) break;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = high[l];
  GIVE_DOUBTFUL(BINOMIAL_WORK_START, BINOMIAL_LIST_REFINE)
}

/* Where a - 1 was in doubt, as poisson_refine. */
KERNEL(binomial_refine) {
  OVER_LIST(BINOMIAL_LIST_REFINE);
  const i32 kind = (i32)par[BINOMIAL_KIND];
  const flag logs = par[BINOMIAL_LOG] != 0, upper = par[BINOMIAL_LOWER] == 0;
  real t[LANES], p[LANES], size[LANES], second[LANES], a[LANES], tail[LANES], tail_lo[LANES], lower[LANES];
  for (i32 l = 0; l < LANES; l++) {
    t[l] = WORK(BINOMIAL_WORK_TAIL, idx[l]);
    a[l] = WORK(BINOMIAL_WORK_START, idx[l]);
    p[l] = IN(BINOMIAL_GIVEN, idx[l]);
    size[l] = IN(BINOMIAL_SIZE, idx[l]);
    second[l] = IN(BINOMIAL_SECOND, idx[l]);
  }
  LANE_LOOP(l) size[l] = kind == BINOMIAL_OF_PROB ? size[l] : min_(size[l], SIZE_MOST_);
  count_log_tails_exact(kind, size, second, a, tail, tail_lo, lower);
  LANE_LOOP(l) {
    const flag is_lower = lower[l] != 0, drawn = p[l] == 0;
    const dd given = tail_wanted_log(drawn ? fabs(t[l]) : p[l], drawn ? t[l] < 0 : upper, logs, is_lower);
    const dd over = dd_minus(dd_of(tail[l], tail_lo[l]), given);
    const real doubt = tail_doubt(a[l] + (kind == BINOMIAL_OF_PROB ? size[l] : K(0)), tail[l]) + K(2e-32) / size[l];
    const flag same = fabs(over.hi) <= doubt, below = !same & (is_lower ? over.hi < 0 : over.hi > 0);
    a[l] = below ? a[l] : a[l] - 1;
  }
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = a[l];
}
