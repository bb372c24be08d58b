/* binomial_cdf.cl: probabilities and tails of the binomial and negative binomial distributions (formulas in
 * binomial_tail.h). In: x or q, size, prob or mu. */
#include "kernels/binomial/binomial_tail.h"
#include "kernels/poisson/poisson_given.h"

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

/* With n = x + (b = size - x of the binomial) P(X = x) is exp(-D - S(x) - S(b) + S(n)) sqrt(n/(2 pi x b)), of the
 * negative binomial distribution with b = size sqrt(b/(2 pi x n)); without the root where x or b is 0. */
KERNEL(binomial_pmf) {
  OVER_WHOLE_BLOCKS;
  const i32 kind = (i32)par[BINOMIAL_PMF_KIND];
  const flag logs = par[BINOMIAL_PMF_LOG] != 0;
  const real error = par[BINOMIAL_PMF_STRICT] != 0 ? K(1e-9) : K(1e-7);
  real x[LANES], size[LANES], second[LANES], whole[LANES], b[LANES], s[LANES], s_lo[LANES], total[LANES];
  LANES_IN(BINOMIAL_GIVEN, x)
  LANES_IN(BINOMIAL_SIZE, size)
  LANES_IN(BINOMIAL_SECOND, second)
  LANE_LOOP(l) {
    const count_range r = range_of(kind, size[l], second[l], error);
    const flag on = r.known & !r.none & (x[l] >= 0) & (x[l] <= REAL_MAX_);
    const real k = nearest_(on ? x[l] : K(1)), m = kind == BINOMIAL_OF_PROB ? nearest_(on ? size[l] : K(2)) : size[l];
    const flag within = on & ((kind != BINOMIAL_OF_PROB) | (k <= m));
    total[l] = within ? min_(m, SIZE_MOST_) : K(2);
    whole[l] = within ? k : K(1);
    b[l] = kind == BINOMIAL_OF_PROB ? total[l] - whole[l] : total[l];
  }
  stirling_parts(kind, whole, b, s, s_lo);
  LANE_LOOP(l) {
    const count_range r = range_of(kind, size[l], second[l], error);
    const flag binomial = kind == BINOMIAL_OF_PROB, edge = (whole[l] == 0) | (b[l] == 0);
    const count_shape c = count_shape_of(kind, total[l], (r.known & !r.none) ? second[l] : K(0.5), whole[l] + 1);
    const dd rest = dd_of(edge ? K(0) : s[l], edge ? K(0) : s_lo[l]);
    const dd e = count_exponent(c.x, c.y, whole[l], dd_of(b[l], K(0)), rest);
    const real all = whole[l] + b[l], over = binomial ? all / b[l] : b[l] / all;
    const real f = edge ? K(1) : K(0.3989422804014327) * sqrt(over / whole[l]), d = min_(e.hi, REAL_MAX_);
    const real lo = e.hi <= REAL_MAX_ ? e.lo : K(0), log_value = d < REAL_MAX_ ? log_plus_(f, -d, -lo) : -INF_;
    const real value = logs ? log_value : exp_sum_times_(f, -d, -lo);
    const real none = logs ? -INF_ : K(0), one = logs ? K(0) : K(1);
    const real nearest = nearest_(fabs(x[l])), given = x[l] == x[l] ? x[l] : K(0);
    const flag fraction = fabs(fabs(given) - nearest) > error * max_(fabs(given), K(1));
    const flag sure_all = binomial & (second[l] == 1), zero = (nearest == 0) & (x[l] >= 0);
    const flag certain = (r.none & zero) | (sure_all & (nearest == nearest_(size[l])) & !r.none);
    const flag beyond = binomial & (nearest > nearest_(size[l]));
    const flag never = fraction | (x[l] < 0) | (x[l] > REAL_MAX_) | beyond | ((r.none | sure_all) & !certain);
    const real v = never ? none : (certain ? one : value);
    x[l] = (r.known & (x[l] == x[l])) ? v : NAN_;
  }
  LANES_OUT(0, x)
}

KERNEL(binomial_cdf) {
  OVER_WHOLE_BLOCKS;
  const i32 kind = (i32)par[BINOMIAL_KIND];
  const flag logs = par[BINOMIAL_LOG] != 0, upper = par[BINOMIAL_LOWER] == 0, binomial = kind == BINOMIAL_OF_PROB;
  real q[LANES], size[LANES], second[LANES], total[LANES], p[LANES], a[LANES], f[LANES], dev[LANES], dev_lo[LANES];
  real lower[LANES], rate[LANES];
  LANES_IN(BINOMIAL_GIVEN, q)
  LANES_IN(BINOMIAL_SIZE, size)
  LANES_IN(BINOMIAL_SECOND, second)
  LANE_LOOP(l) {
    const count_range r = range_of(kind, size[l], second[l], K(1e-7));
    const real m = binomial ? nearest_(fabs(size[l])) : min_(size[l], SIZE_MOST_);
    const real k = floor_large_(q[l] + K(1e-7)) + 1;
    const flag inside = (q[l] >= 0) & (q[l] <= REAL_MAX_) & !(binomial & ((k > m) | (second[l] == 1)));
    const flag on = r.known & !r.none & inside;
    total[l] = on ? m : K(2);
    p[l] = on ? second[l] : K(0.5);
    a[l] = on ? min_(k, REAL_MAX_) : K(1);
  }
  count_tails(kind, total, p, a, f, dev, dev_lo, lower, rate);
  LANE_LOOP(l) {
    const count_range r = range_of(kind, size[l], second[l], K(1e-7));
    const real k = floor_large_(max_(q[l], K(0)) + K(1e-7)), m = nearest_(fabs(size[l]));
    const flag all = (q[l] >= 0) & (r.none | (q[l] > REAL_MAX_) | (binomial & (k >= m)));
    const flag none = (q[l] < 0) | (!all & binomial & (second[l] == 1)), same = (lower[l] != 0) != upper;
    const real small = exp_sum_times_(f[l], -dev[l], -dev_lo[l]);
    const real zero = logs ? -INF_ : K(0), one = logs ? K(0) : K(1);
    const real log_small = dev[l] < REAL_MAX_ ? log_plus_(max_(f[l], K(1e-307)), -dev[l], -dev_lo[l]) : -INF_;
    const real value = logs ? (same ? log_small : log1p_(-small)) : (same ? small : 1 - small);
    const real v = all ? (upper ? zero : one) : (none ? (upper ? one : zero) : value);
    q[l] = (r.known & (q[l] == q[l])) ? v : NAN_;
  }
  LANES_OUT(0, q)
}
