/* binomial_tail.h: probabilities and tails of the binomial and negative binomial distributions. With a = k + 1,
 * P(X > k) is I_x(a, b): b = size - k and x = prob of the binomial, b = size and x = 1 - prob = mu/(size + mu) of the
 * negative binomial distribution, so that tails are those of beta.h. There n = a + b, of which b may be no double. */
#ifndef STATCL_BINOMIAL_TAIL_H
#define STATCL_BINOMIAL_TAIL_H

#include "kernels/beta/beta.h"
#include "kernels/binomial/binomial_par.h"
#include "kernels/common/double_double.h"

/* Beyond it a size of the negative binomial distribution is infinite: it is Poisson's but for mu^2/size, no 2^-106.
 * */
#define SIZE_MOST_ K(1e140)

/* b, x and y for whole a. A mean that is nothing beside the size is 2^400 of what it was where lift is 1: I_x is
 * x^a times what does not depend on x, nor on sizes from 1e60 on. */
typedef struct {
  dd b, x, y;
  real lift;
} count_shape;
#define COUNT_LIFT_ K(277.25887222397813) /* 400 log 2 */
#define COUNT_LIFT_LO_ K(-6.7110242992170555e-15)
DEV_FN count_shape count_shape_of(i32 kind, real size, real second, real a) {
  const flag of_mean = kind == NEGATIVE_OF_MEAN;
  const flag tiny = of_mean & (second < K(1e-250) * size) & ((a + size) * (second / size) < K(1e-160));
  const real mean = tiny ? second * K(2.5822498780869086e120) : second, used = tiny ? min_(size, K(1e60)) : size;
  const dd whole = dd_of(used, K(0.0)), given = dd_of(mean, K(0.0)), other = dd_sum2(K(1.0), -second);
  count_shape c;
  c.lift = tiny ? K(1.0) : K(0.0);
  if (of_mean) {
    const dd by = dd_by(dd_of(K(1.0), K(0.0)), dd_sum2(used, mean));
    c.x = dd_times(given, by);
    c.y = dd_times(whole, by);
  } else {
    c.x = kind == BINOMIAL_OF_PROB ? given : other;
    c.y = kind == BINOMIAL_OF_PROB ? other : given;
  }
  c.b = kind == BINOMIAL_OF_PROB ? dd_sum2(size, K(1.0) - a) : whole;
  return c;
}

/* The smaller tail at k = a - 1, or one not far above 1/2, as f exp(-dev - dev_lo), P(X < a) where lower is not 0,
 * else P(X >= a); the parameters within their range, a >= 1, of the binomial distribution a <= size. rate:
 * P(X = a - 1) of a lower, P(X = a) of an upper tail as a share of it. */
typedef struct {
  real a[LANES], b[LANES], b_lo[LANES], x[LANES], x_lo[LANES], y[LANES], y_lo[LANES], lift[LANES], way[LANES];
} count_places;
DEV_FN void count_places_of_(i32 kind, const real *size, const real *second, const real *a, count_places *p,
                             real *lower) {
  LANE_LOOP(l) {
    const count_shape c = count_shape_of(kind, size[l], second[l], a[l]);
    p->a[l] = a[l];
    p->b[l] = c.b.hi;
    p->b_lo[l] = c.b.lo;
    p->x[l] = c.x.hi;
    p->x_lo[l] = c.x.lo;
    p->y[l] = c.y.hi;
    p->y_lo[l] = c.y.lo;
    p->lift[l] = c.lift;
    p->way[l] = beta_way_(a[l], c.b.hi, c.x.hi, c.y.hi, &lower[l]);
  }
}
/* The kind is known where lanes go side by side. */
#if LANES == 1
#define OF_KIND(call, kind) call(kind)
#else
#define OF_KIND(call, kind)                                                                                  \
  if ((kind) == BINOMIAL_OF_PROB) {                                                                          \
    call(BINOMIAL_OF_PROB)                                                                                   \
  } else if ((kind) == NEGATIVE_OF_PROB) {                                                                   \
    call(NEGATIVE_OF_PROB)                                                                                   \
  } else {                                                                                                   \
    call(NEGATIVE_OF_MEAN)                                                                                   \
  }
#endif
DEV_BLOCK_FN void count_places_of(i32 kind, const real *size, const real *second, const real *a, count_places *p,
                                  real *lower) {
#define PLACES_OF_KIND(k) count_places_of_(k, size, second, a, p, lower);
  OF_KIND(PLACES_OF_KIND, kind)
#undef PLACES_OF_KIND
}
DEV_BLOCK_FN void count_tails_at(i32 kind, const count_places *p, real *f, real *dev, real *dev_lo, real *lower,
                                 real *rate) {
  real peak[LANES], slope[LANES];
  LANE_LOOP(l) {
    peak[l] = beta_peak_(p->a[l], p->b[l]);
    dev[l] = beta_deviance_(p->a[l], p->b[l], p->b_lo[l], p->x[l], p->x_lo[l], p->y[l], p->y_lo[l], &slope[l],
                            &dev_lo[l]);
  }
  beta_factors(p->a, p->b, peak, p->x, p->y, p->way, slope, f, dev, dev_lo, lower, rate);
  LANE_LOOP(l) {
    const flag is_lower = lower[l] != 0, binomial = kind == BINOMIAL_OF_PROB;
    const real below = p->x[l] * (binomial ? p->b[l] : p->a[l] - 1 + p->b[l]);
    rate[l] /= is_lower ? below : (binomial ? p->a[l] * p->y[l] : p->a[l]);
  }
  ANY_LANE(lifted, p->lift[l] != 0)
  if (lifted > 0)
    LANE_LOOP(l) {
      real up_lo, e;
      const real on = p->lift[l] * min_(p->a[l], K(1e290)), up = two_prod(on, COUNT_LIFT_, &up_lo);
      dev[l] = two_sum(dev[l], up, &e);
      dev_lo[l] += e + FMA(on, COUNT_LIFT_LO_, up_lo);
    }
}

DEV_BLOCK_FN void count_tails(i32 kind, const real *size, const real *second, const real *a, real *f, real *dev,
                              real *dev_lo, real *lower, real *rate) {
  count_places p;
  count_places_of(kind, size, second, a, &p, lower);
  count_tails_at(kind, &p, f, dev, dev_lo, lower, rate);
}

#endif
