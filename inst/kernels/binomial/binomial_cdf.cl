/* binomial_cdf.cl: probabilities and tails of the binomial and negative binomial distributions (formulas in
 * binomial_tail.h). In: x or q, size, prob or mu.
 *
 *   binomial_pmf
 *   binomial_cdf  where all points of a block go one of the ways of beta.h; the others are left to
 *   binomial_cdf_rule, binomial_cdf_series, binomial_cdf_fraction, binomial_cdf_small (lists) */
#include "kernels/binomial/binomial_tail.h"
#include "kernels/common/tail_given.h"

/* Arguments that the formulas serve, and what the others give, as base R has it. */
typedef struct {
  flag known, none; /* none: X is 0 with certainty */
} count_range;
DEV_FN count_range range_of(i32 kind, real size, real second, real error) {
  count_range r;
  const flag of_mean = kind == NEGATIVE_OF_MEAN, negative = kind != BINOMIAL_OF_PROB;
  const flag whole = negative | (fabs(size - nearest_(size)) <= error * max_(K(1.0), fabs(size)));
  const flag finite = of_mean ? second <= REAL_MAX_ : (size <= REAL_MAX_) & (second <= K(1.0));
  r.known = (size >= K(0.0)) & (second >= K(0.0)) & finite & whole & ((kind != NEGATIVE_OF_PROB) | (second > K(0.0)));
  r.none = (size == K(0.0)) | (kind == NEGATIVE_OF_PROB ? second == K(1.0) : second == K(0.0));
  return r;
}

/* S(a) of Stirling's formula, a >= 1 */
DEV_FN real stirling_rest_(real a) {
  const real v = 1 / a, v2 = v * v, v4 = v2 * v2;
  return v * STIRLING_S(v, v2, v4);
}
/* With n = x + (b = size - x of the binomial), D of beta.h and f(a) = a^a e^-a/Gamma(a + 1) P(X = x) is
 * exp(-D) f(x) f(b)/f(n), of the negative binomial distribution with b = size b/n times that; without f where x or b
 * is 0 (C. Loader, Fast and accurate computation of binomial probabilities, 2000). */
DEV_FN void count_masses_(i32 kind, flag logs, real error, const real *x, const real *size, const real *second,
                          real *value) {
  const flag binomial = kind == BINOMIAL_OF_PROB;
  real whole[LANES], b[LANES], rest[LANES], p[LANES], total[LANES];
  LANE_LOOP(l) {
    const count_range r = range_of(kind, size[l], second[l], error);
    const flag on = r.known & !r.none & (x[l] >= 0) & (x[l] <= REAL_MAX_);
    const real k = nearest_(on ? x[l] : K(1)), m = binomial ? nearest_(on ? size[l] : K(2)) : size[l];
    const flag within = on & (!binomial | (k <= m));
    total[l] = within ? (binomial ? m : min_(m, SIZE_MOST_)) : K(2);
    whole[l] = within ? k : K(1);
    p[l] = within ? second[l] : K(0.5);
    b[l] = binomial ? total[l] - whole[l] : total[l];
    rest[l] = (stirling_rest_(max_(whole[l] + b[l], K(1))) - stirling_rest_(max_(whole[l], K(1)))) -
              stirling_rest_(max_(b[l], K(1)));
  }
  ANY_LANE(small, !binomial & (b[l] < 1))
  if (small > 0)
    LANE_LOOP(l) {
      flag is;
      const real with = (stirling_rest_(max_(whole[l] + b[l], K(1))) - stirling_rest_(max_(whole[l], K(1)))) +
                        log_peak_rest_(max_(b[l], REAL_MIN_), &is);
      rest[l] = b[l] < 1 ? with : rest[l];
    }
  LANE_LOOP(l) {
    real lo, slope, all_lo, up_lo;
    const count_shape c = count_shape_of(kind, total[l], p[l], whole[l] + 1);
    const dd of_b = binomial ? dd_sum2(total[l], -whole[l]) : c.b;
    const real k = whole[l], n = k + of_b.hi, root = sqrt(n) * sqrt(max_(k, K(1)));
    const flag edge = (k == 0) | (of_b.hi == 0), is_small = !binomial & (of_b.hi < 1);
    const real dev = beta_deviance_(k, of_b.hi, of_b.lo, c.x.hi, c.x.lo, c.y.hi, c.y.lo, &slope, &lo);
    const real over = binomial ? n / max_(of_b.hi, K(1)) : of_b.hi / n, by = K(0.3989422804014327);
    const real large = by * sqrt(over / max_(k, K(1))), factor = is_small ? of_b.hi / root : large;
    const real f = edge ? K(1) : factor, d = min_(dev, REAL_MAX_);
    real all = two_sum(d, edge ? K(0) : -rest[l], &all_lo);
    all_lo += dev <= REAL_MAX_ ? lo : K(0);
    if (kind == NEGATIVE_OF_MEAN) {
      const real on = c.lift * min_(k, K(1e290)), up = two_prod(on, COUNT_LIFT_, &up_lo);
      real e;
      all = two_sum(all, up, &e);
      all_lo += e + FMA(on, COUNT_LIFT_LO_, up_lo);
    }
    const flag normal = f > K(1e-150);
    const real log_of = log_plus_(max_(f, REAL_MIN_), -all, -all_lo), log_value = all < REAL_MAX_ ? log_of : -INF_;
    value[l] = logs ? log_value : exp_sum_times_(normal ? f : K(1), -all, -all_lo) * (normal ? K(1) : f);
  }
}
/* ... and where that is no question. */
DEV_FN real count_mass_known_(i32 kind, flag logs, real error, real x, real size, real second, real value) {
  const flag binomial = kind == BINOMIAL_OF_PROB;
  const count_range r = range_of(kind, size, second, error);
  const real none = logs ? -INF_ : K(0), one = logs ? K(0) : K(1);
  const real nearest = nearest_(fabs(x)), given = x == x ? x : K(0);
  const flag fraction = fabs(fabs(given) - nearest) > error * max_(fabs(given), K(1));
  const flag sure_all = binomial & (second == 1), zero = (nearest == 0) & (x >= 0);
  const flag certain = (r.none & zero) | (sure_all & (nearest == nearest_(size)) & !r.none);
  const flag beyond = binomial & (nearest > nearest_(size));
  const flag never = fraction | (x < 0) | (x > REAL_MAX_) | beyond | ((r.none | sure_all) & !certain);
  const real v = never ? none : (certain ? one : value);
  return (r.known & (x == x)) ? v : NAN_;
}

KERNEL(binomial_pmf) {
  OVER_WHOLE_BLOCKS;
  const i32 kind = (i32)par[BINOMIAL_PMF_KIND];
  const flag logs = par[BINOMIAL_PMF_LOG] != 0;
  const real error = par[BINOMIAL_PMF_STRICT] != 0 ? K(1e-9) : K(1e-7);
  real x[LANES], size[LANES], second[LANES], value[LANES];
  LANES_IN(BINOMIAL_GIVEN, x)
  LANES_IN(BINOMIAL_SIZE, size)
  LANES_IN(BINOMIAL_SECOND, second)
#define MASSES_OF_KIND(k)                                                                                    \
  count_masses_(k, logs, error, x, size, second, value);                                                     \
  LANE_LOOP(l) value[l] = count_mass_known_(k, logs, error, x[l], size[l], second[l], value[l]);
  OF_KIND(MASSES_OF_KIND, kind)
#undef MASSES_OF_KIND
  LANES_OUT(0, value)
}

/* The value asked for at places. */
DEV_BLOCK_FN void count_asked(i32 kind, flag logs, flag upper, const count_places *p, real *lower, real *value) {
  real f[LANES], dev[LANES], dev_lo[LANES], rate[LANES];
  count_tails_at(kind, p, f, dev, dev_lo, lower, rate);
  LANE_LOOP(l) {
    const flag same = (lower[l] != 0) != upper;
    const real small = min_(exp_sum_times_(f[l], -dev[l], -dev_lo[l]), K(1));
    const real log_of = log_plus_(max_(f[l], K(1e-307)), -dev[l], -dev_lo[l]);
    const real log_small = dev[l] < REAL_MAX_ ? min_(log_of, K(0)) : -INF_;
    value[l] = logs ? (same ? log_small : log1p_(-small)) : (same ? small : 1 - small);
  }
}

/* Parameters within their range of what is asked for; end: what else is known, NaN where neither. */
DEV_FN void count_questions_(i32 kind, flag logs, flag upper, const real *q, const real *size, const real *second,
                             real *total, real *p, real *a, real *on, real *end) {
  const flag binomial = kind == BINOMIAL_OF_PROB;
  LANE_LOOP(l) {
    const count_range r = range_of(kind, size[l], second[l], K(1e-7));
    const real m = binomial ? nearest_(fabs(size[l])) : min_(size[l], SIZE_MOST_), k = floor_large_(q[l] + K(1e-7));
    const flag all = (q[l] >= 0) & (r.none | (q[l] > REAL_MAX_) | (binomial & (k >= m)));
    const flag none = (q[l] < 0) | (!all & binomial & (second[l] == 1));
    const flag asked = r.known & !all & !none & (q[l] == q[l]);
    const real zero = logs ? -INF_ : K(0), one = logs ? K(0) : K(1);
    total[l] = asked ? m : K(2);
    p[l] = asked ? second[l] : K(0.5);
    a[l] = asked ? min_(k + 1, REAL_MAX_) : K(1);
    on[l] = asked ? K(1) : K(0);
    end[l] = (r.known & (all | none)) ? (all == upper ? zero : one) : NAN_;
  }
}

KERNEL(binomial_cdf) {
  OVER_WHOLE_BLOCKS;
  const i32 kind = (i32)par[BINOMIAL_KIND];
  const flag logs = par[BINOMIAL_LOG] != 0, upper = par[BINOMIAL_LOWER] == 0;
  real q[LANES], size[LANES], second[LANES], total[LANES], p[LANES], a[LANES], lower[LANES], on[LANES], end[LANES];
  i32 n_on = 0, n_same = 0;
  count_places places;
  LANES_IN(BINOMIAL_GIVEN, q)
  LANES_IN(BINOMIAL_SIZE, size)
  LANES_IN(BINOMIAL_SECOND, second)
#define QUESTIONS_OF_KIND(k) count_questions_(k, logs, upper, q, size, second, total, p, a, on, end);
  OF_KIND(QUESTIONS_OF_KIND, kind)
  count_places_of(kind, total, p, a, &places, lower);
  for (i32 l = 0; l < LANES; l++) {
    n_on += on[l] != 0;
    n_same += places.way[l] == places.way[0];
  }
  if (n_on == LANES && n_same == LANES) {
    count_asked(kind, logs, upper, &places, lower, end);
  } else if (n_on > 0) {
    LANE_LOOP(l) places.way[l] = on[l] != 0 ? places.way[l] : K(-1);
    TO_LISTS(BETA_LISTS, places.way)
  }
  LANES_OUT(0, end)
}

#define TAILS_LISTED                                                                                         \
  const i32 kind = (i32)par[BINOMIAL_KIND];                                                                  \
  const flag logs = par[BINOMIAL_LOG] != 0, upper = par[BINOMIAL_LOWER] == 0;                                \
  real q[LANES], size[LANES], second[LANES], total[LANES], p[LANES], a[LANES], lower[LANES], on[LANES];        \
  real end[LANES];                                                                                           \
  count_places places;                                                                                       \
  for (i32 l = 0; l < LANES; l++) {                                                                          \
    q[l] = IN(BINOMIAL_GIVEN, idx[l]);                                                                       \
    size[l] = IN(BINOMIAL_SIZE, idx[l]);                                                                     \
    second[l] = IN(BINOMIAL_SECOND, idx[l]);                                                                 \
  }                                                                                                          \
  OF_KIND(QUESTIONS_OF_KIND, kind)                                                                           \
  count_places_of(kind, total, p, a, &places, lower);                                                        \
  count_asked(kind, logs, upper, &places, lower, end);                                                       \
  for (i32 l = 0; l < LANES; l++) OUT(0, idx[l]) = end[l];

KERNEL(binomial_cdf_rule) {
  OVER_LIST(BETA_LIST_RULE);
  TAILS_LISTED
}
KERNEL(binomial_cdf_series) {
  OVER_LIST(BETA_LIST_SERIES);
  TAILS_LISTED
}
KERNEL(binomial_cdf_fraction) {
  OVER_LIST(BETA_LIST_FRACTION);
  TAILS_LISTED
}
KERNEL(binomial_cdf_small) {
  OVER_LIST(BETA_LIST_SMALL);
  TAILS_LISTED
}
