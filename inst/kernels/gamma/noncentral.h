/* noncentral.h: both tails of U = X/2, X non-central chi-squared, with a = df/2 and y = ncp/2, at u:
 *     P(U <= u) = sum over j of e^-y y^j/j! P(a + j, u), and Q = 1 - P.
 * With A - B = a, A B = u y, t = u/A = B/y the saddle point and D = (u - A + A log(A/u)) + (y - B + B log(B/y)),
 * each a deviance in two doubles (poisson_tail.h),
 *     Q = e^-D/(2 pi i) integral of exp(A (e^v - 1 - v) + B (e^-v - 1 + v))/(t e^-v - 1) dv
 * on v = i s, -pi < s < pi, where t > 1, and P is -1 times that where t < 1. What is left out, where the path should
 * go on from +-i pi, is exp(-2 (A + B)). It is the integral of A. Gil, J. Segura and N. M. Temme (Algorithm 939:
 * computation of the Marcum Q-function, ACM TOMS 40, 2014) on a straight path. A tail is F exp(-D), whose relative
 * error does not grow with a, y and D, with F
 *   for R = A + B >= INTEGRAL_FROM by the trapezoidal rule at s = (k + 1/2) h, with the pole's share
 *     e^D/(1 + exp(2 pi |log t|/h)) where D < POLE_TO. Along Re v = d the integrand is at most exp(R (e^d - 1 - d)),
 *     so that the rule's error is exp(R (e^d - 1 - d) - 2 pi d/h), at best exp(-38) for h = 0.716/(sqrt R + 1.37);
 *   otherwise, with E = u^a e^-u/Gamma(a + 1) and c_j = (u y)^j/(j! (a + 1)_j), by sums of positive terms,
 *     P = e^-y E sum H_j, H_j = c_j + u/(a + j) H_(j-1), and
 *     Q = e^-y E sum b_j, b_j = (b_(j-1) + c_(j-1)) y/j, b_0 = Q(a, u)/E as in gamma.h,
 *   of about 60 terms at most, because u y < 100. */
#ifndef STATCL_NONCENTRAL_H
#define STATCL_NONCENTRAL_H

#include "kernels/gamma/gamma.h"
#include "kernels/gamma/noncentral_par.h"

#define INTEGRAL_FROM_ K(20)
#define POLE_TO_ K(28)
#define LEAST_ K(5e-324)

/* sqrt(a^2 + 4 u y) */
DEV_FN real saddle_size_(real a, real y, real u) {
  const real b = 2 * sqrt(u) * sqrt(y), c = fabs(a), big = max_(max_(b, c), REAL_MIN_), part = min_(b, c) / big;
  return big * sqrt(FMA(part, part, K(1)));
}

/* The saddle point: R, A and B; w = min(t, 1/t) and m = 1 - w, each right to some eps; log t, and D + *lo. */
#define SADDLE_OUT_ real *size, real *large, real *small, real *w, real *m, real *turn, real *lo
DEV_FN real saddle_at_(real a, real y, real u, SADDLE_OUT_) {
  real e, p_lo, e2, lo1, lo2, d_lo, f_lo;
  const real r = saddle_size_(a, y, u), at = K(0.5) * (a + r), by = 1 / at, t = u * by, back = two_prod(t, at, &p_lo);
  const real t_lo = ((u - back) - p_lo) * by, other = two_prod(y, t, &e2), below = other < K(1e-290) ? K(0) : other;
  /* A + more and B + less solve the two equations to second order */
  const real gap = two_sum(at, -other, &e), rest = (a - gap) - e, off = FMA(y, t_lo, e2);
  const real more = (rest + off) * (at / (at + other)), less = more - rest;
  /* u - a - y, and 1 - 1/t by (u - a - y) = (1 - 1/t) (2 u - a + R)/2, or 1 - t where 2 u < a */
  const real first = two_sum(u, -y, &d_lo), excess = two_sum(first, -a, &f_lo) + (f_lo + d_lo), twice = 2 * u - a;
  const flag over = excess > 0, wide = twice > 0;
  const real from = (wide ? 2 * excess : r - twice) / (wide ? twice + r : a + r), near = over ? from : -from * t;
  const real part = wide ? near : from, smaller = over ? at / u : t;
  const real log_w = log_sum_(max_(smaller, K(1e-300)), smaller > K(0.5) ? (1 - smaller) - part : K(0));
  const real d1 = deviance_(u, at, 0, &lo1), d2 = deviance_(y, below, 0, &lo2), d = two_sum(d1, d2, &e);
  const real change = FMA(more * more, by, below > 0 ? less * less / below : K(0));
  const real moved = FMA(over ? log_w : -log_w, rest, K(0.5) * change); /* some eps of R */
  *size = r;
  *large = at;
  *small = below;
  *w = smaller;
  *m = part;
  *turn = over ? -log_w : log_w;
  return two_sum(d, e + ((lo1 + lo2) + moved), lo);
}

/* The rule: step and last node for R, where it is rough those for half of the exponent 38, and at a node s: 1 - cos s
 * and sin s - s, by their series, whose rest counts only where exp(-R (1 - cos s)) is small. */
DEV_FN real rule_step_(real size, flag rough) { return (rough ? K(1.0127) : K(0.716)) / (sqrt(size) + K(1.37)); }
DEV_FN real rule_range_(real size, flag rough) { /* 2 asin(sqrt(18.75/R)), from above */
  const real q = (rough ? K(9.375) : K(18.75)) / size, z = min_(q, K(0.5));
  const real near = 2 * sqrt(q) * FMA(z, FMA(z, K(0.2), K(0.1667)), K(1));
  return q < K(0.5) ? near : FMA(K(2.46), q, K(0.37));
}
DEV_FN real cos_rest_(real z) {
  real c = K(4.779477332387385e-14);
  c = FMA(c, z, K(-1.1470745597729725e-11));
  c = FMA(c, z, K(2.08767569878681e-09));
  c = FMA(c, z, K(-2.755731922398589e-07));
  c = FMA(c, z, K(2.48015873015873e-05));
  c = FMA(c, z, K(-0.001388888888888889));
  c = FMA(c, z, K(0.041666666666666664));
  return z * FMA(-z, c, K(0.5));
}
DEV_FN real sin_rest_(real s, real z) {
  real c = K(2.8114572543455206e-15);
  c = FMA(c, z, K(-7.647163731819816e-13));
  c = FMA(c, z, K(1.6059043836821613e-10));
  c = FMA(c, z, K(-2.505210838544172e-08));
  c = FMA(c, z, K(2.7557319223985893e-06));
  c = FMA(c, z, K(-0.0001984126984126984));
  c = FMA(c, z, K(0.008333333333333333));
  return s * z * FMA(z, c, K(-0.16666666666666666));
}

/* F, D, and for the steps of a quantile the rate u density/tail, q = d log(u density)/d log u + u, both by the same
 * rule with factors e^v and e^2v in place of the denominator, and dq/d log u from the saddle point, to some 1/R. */
DEV_BLOCK_FN void noncentral_integral(const real *a, const real *y, const real *u, const real *rough, real *f,
                                      real *dev, real *dev_lo, real *upper, real *rate, real *q, real *slope) {
  real size[LANES], square[LANES], twice[LANES], p0[LANES], p1[LANES], step[LANES], range[LANES], sum[LANES];
  real density[LANES], moment[LANES], most = 0;
  LANE_LOOP(l) {
    real small, w, m, turn;
    dev[l] = saddle_at_(a[l], y[l], u[l], &size[l], &rate[l], &small, &w, &m, &turn, &dev_lo[l]);
    const flag up = turn > 0, halved = rough[l] != 0;
    const real pole_to = halved ? K(0.5) * POLE_TO_ : POLE_TO_;
    square[l] = m * m;
    twice[l] = 2 * w;
    p0[l] = up ? w * m : m;
    p1[l] = up ? w : -w;
    step[l] = rule_step_(size[l], halved);
    range[l] = rule_range_(size[l], halved);
    sum[l] = density[l] = moment[l] = 0;
    upper[l] = up ? K(1) : K(0);
    slope[l] = small / size[l] * rate[l];
    /* the pole's share of F */
    const real far = min_(fabs(turn) / step[l] * K(6.283185307179586), K(300));
    f[l] = dev[l] < pole_to ? exp_core_(min_(dev[l], POLE_TO_)) / (1 + exp_core_(far)) : K(0);
  }
  for (i32 l = 0; l < LANES; l++) most = max_(most, range[l] / step[l] + K(0.5));
  for (i32 k = 0; k < (i32)most; k++) {
    const real index = k + K(0.5);
    LANE_LOOP(l) {
      const real s = index * step[l], z = s * s, c = cos_rest_(z), d = sin_rest_(s, z), sine = s + d;
      real turned;
      const real cosine = sincos_turn_(a[l] * d * K(0.15915494309189535), &turned);
      const real weight = s <= range[l] ? exp_core_(-min_(size[l] * c, K(700))) : K(0);
      const real top = cosine * FMA(-p1[l], c, p0[l]) - turned * (p1[l] * sine);
      sum[l] = FMA(weight, top / FMA(twice[l], c, square[l]), sum[l]);
      const real real_part = FMA(cosine, 1 - c, -turned * sine), other = FMA(cosine, sine, turned * (1 - c));
      density[l] = FMA(weight, real_part, density[l]);
      moment[l] = FMA(weight, FMA(real_part, 1 - c, -other * sine), moment[l]);
    }
  }
  LANE_LOOP(l) {
    const real by = step[l] * PI_INV_;
    f[l] = FMA(by, sum[l], f[l]);
    q[l] = FMA(rate[l], moment[l] / density[l], K(1));
    rate[l] = rate[l] * (by * density[l]) / f[l];
  }
}

/* E e^-y as top exp(-dev - *lo) */
DEV_FN real series_start_(real a, real y, real u, real *dev, real *lo) {
  real dev_lo, power_lo, e, e2;
  const flag small = a < 1;
  const real d = deviance_(u, max_(a, K(1)), 0, &dev_lo), power = log_power_(a, u, &power_lo);
  const real main = small ? two_sum(u, -power, &e) : d, rest = small ? e - power_lo : dev_lo;
  *dev = two_sum(main, y, &e2);
  *lo = e2 + rest;
  return small ? K(1) : gamma_peak_(a);
}

/* Terms are added to a lane's sums until they no longer count, whatever its neighbours need: the terms are a product
 * of sequences whose logarithms are concave, and fall from the largest one on. */
#define MOST_TERMS_ 200
#define SERIES_END                                                                                           \
  LANE_LOOP(l) {                                                                                             \
    const real all = sum[l] + sum_lo[l], p = second[l] / max_(first[l], K(1e-300)) - 1;                      \
    f[l] *= all;                                                                                             \
    rate[l] = first[l] / all;                                                                                \
    q[l] = 1 + p;                                                                                            \
    slope[l] = u[l] * y[l] + p * ((a[l] - 1) - p);                                                           \
  }
/* c_j, with what it is rounded by, from c_(j-1): its factors are many, and each would add an error. product: u y;
 * *inverse: 1/(j (a + j)). */
DEV_FN real next_weight_(real c, real *c_lo, real product, real product_lo, real a, real index, real *inverse) {
  real at_lo, below_lo, e;
  const real at = two_sum(index, a, &at_lo), below = two_prod(index, at, &below_lo), by = 1 / below;
  const real r = product * by, back = two_prod(r, below, &e);
  const real rest = ((product - back) - e) + (product_lo - r * FMA(index, at_lo, below_lo));
  const real next = two_prod(c, r, &e);
  *c_lo = e + FMA(*c_lo, r, c * (rest * by));
  *inverse = by;
  return next;
}
DEV_BLOCK_FN void noncentral_lower(const real *a, const real *y, const real *u, const real *rough, real *f, real *dev,
                                   real *dev_lo, real *rate, real *q, real *slope) {
  real c[LANES], c_lo[LANES], term[LANES], sum[LANES], sum_lo[LANES], first[LANES], second[LANES], open[LANES];
  real product[LANES], product_lo[LANES];
  LANE_LOOP(l) {
    f[l] = series_start_(a[l], y[l], u[l], &dev[l], &dev_lo[l]);
    product[l] = two_prod(u[l], y[l], &product_lo[l]);
    c[l] = term[l] = sum[l] = open[l] = 1;
    c_lo[l] = sum_lo[l] = 0;
    first[l] = a[l];
    second[l] = a[l] * a[l];
  }
  for (i32 j = 1; j < MOST_TERMS_; j++) {
    const real index = j;
    LANE_LOOP(l) {
      real e, by;
      const real at = a[l] + index, next = next_weight_(c[l], &c_lo[l], product[l], product_lo[l], a[l], index, &by);
      const real now = FMA(term[l], u[l] * (index * by), next + c_lo[l]), more = next * at;
      const flag on = open[l] != 0;
      c[l] = next;
      term[l] = now;
      sum[l] = two_sum(sum[l], on ? now : K(0), &e);
      sum_lo[l] += e;
      first[l] += on ? more : K(0);
      second[l] += on ? more * at : K(0);
      open[l] = (on & (now > (rough[l] != 0 ? K(1e-8) : K(8.7e-19)) * sum[l])) ? K(1) : K(0);
    }
    if (j % 4 == 0) {
      ANY_LANE(any, open[l] != 0)
      if (any == 0) break;
    }
  }
  SERIES_END
}

/* b_0 = Q(a, u)/E; dev and y: where E e^-y is exp(-dev), for a < 1. */
DEV_BLOCK_FN void upper_start(const real *a, const real *y, const real *u, const real *dev, real *term) {
  real shape[LANES], at[LANES], own_f[LANES], own_dev[LANES], own_lo[LANES], own_up[LANES], own_rate[LANES];
  LANE_LOOP(l) term[l] = 0;
  ANY_LANE(small, (a[l] < 1) & (u[l] <= 1))
  if (small > 0) {
    LANE_LOOP(l) {
      const flag own = (a[l] < 1) & (u[l] <= 1);
      shape[l] = own ? a[l] : K(0.5);
      at[l] = own ? u[l] : K(0.5);
    }
    tails_small(shape, at, own_f, own_dev, own_lo, own_up, own_rate);
    LANE_LOOP(l) {
      const real tail = own_up[l] != 0 ? own_f[l] : 1 - own_f[l] * exp_(-own_dev[l]);
      term[l] = ((a[l] < 1) & (u[l] <= 1)) ? tail * exp_(dev[l] - y[l]) : K(0);
    }
  }
  if (small < LANES) {
    LANE_LOOP(l) {
      const flag own = !((a[l] < 1) & (u[l] <= 1));
      shape[l] = own ? a[l] : K(0.5);
      at[l] = own ? u[l] : K(60);
    }
    fraction_rates(shape, at, own_rate);
    LANE_LOOP(l) term[l] = ((a[l] < 1) & (u[l] <= 1)) ? term[l] : a[l] / own_rate[l];
  }
}
DEV_BLOCK_FN void noncentral_upper(const real *a, const real *y, const real *u, const real *rough, real *f, real *dev,
                                   real *dev_lo, real *rate, real *q, real *slope) {
  real c[LANES], c_lo[LANES], term[LANES], sum[LANES], sum_lo[LANES], first[LANES], second[LANES], open[LANES];
  real product[LANES], product_lo[LANES];
  LANE_LOOP(l) {
    f[l] = series_start_(a[l], y[l], u[l], &dev[l], &dev_lo[l]);
    product[l] = two_prod(u[l], y[l], &product_lo[l]);
  }
  upper_start(a, y, u, dev, term);
  LANE_LOOP(l) {
    c[l] = open[l] = 1;
    sum[l] = term[l];
    c_lo[l] = sum_lo[l] = 0;
    first[l] = a[l];
    second[l] = a[l] * a[l];
  }
  for (i32 j = 1; j < MOST_TERMS_; j++) {
    real e_part;
    const real index = j, part = 1 / index, whole = two_prod(part, index, &e_part);
    const real part_lo = ((1 - whole) - e_part) * part;
    LANE_LOOP(l) {
      real e, by;
      const real at_j = a[l] + index, now = (term[l] + (c[l] + c_lo[l])) * FMA(y[l], part, y[l] * part_lo);
      const real next = next_weight_(c[l], &c_lo[l], product[l], product_lo[l], a[l], index, &by), more = next * at_j;
      const flag on = open[l] != 0;
      term[l] = now;
      c[l] = next;
      sum[l] = two_sum(sum[l], on ? now : K(0), &e);
      sum_lo[l] += e;
      first[l] += on ? more : K(0);
      second[l] += on ? more * at_j : K(0);
      const flag more_of = now > (rough[l] != 0 ? K(1e-8) : K(8.7e-19)) * sum[l];
      open[l] = (on & ((j < 4) | more_of)) ? K(1) : K(0);
    }
    if (j % 4 == 0) {
      ANY_LANE(any, open[l] != 0)
      if (any == 0) break;
    }
  }
  SERIES_END
}

/* Which of the ways serves: the number of its list. Above the mean, and where the mass next to 0 is most of it, by
 * the upper tail. */
DEV_FN real noncentral_way_(real a, real y, real u) {
  const real log_power = a * log_(max_(u, REAL_MIN_)) - u - y;
  const flag up = ((u - y) - a > 0) | ((a < 1) & (log_power > K(-0.5)));
  const real series = up ? K(NONCENTRAL_LIST_UPPER) : K(NONCENTRAL_LIST_LOWER);
  return saddle_size_(a, y, u) >= INTEGRAL_FROM_ ? K(NONCENTRAL_LIST_INTEGRAL) : series;
}

/* Either tail at u > 0, all finite: the smaller one up to what is near the median, as f exp(-dev - dev_lo). rough: do
 * seven digits do? */
DEV_BLOCK_FN void noncentral_tails(const real *a, const real *y, const real *u, const real *rough, real *f, real *dev,
                                   real *dev_lo, real *upper, real *rate, real *q, real *slope) {
  real way[LANES], shape[LANES], halved[LANES], at[LANES], to_f[LANES], to_dev[LANES], to_lo[LANES], to_up[LANES];
  real to_rate[LANES], to_q[LANES], to_slope[LANES];
  i32 count[NONCENTRAL_WAYS] = {0, 0, 0};
  LANE_LOOP(l) {
    way[l] = noncentral_way_(a[l], y[l], u[l]);
    f[l] = dev[l] = dev_lo[l] = upper[l] = rate[l] = q[l] = slope[l] = 0;
  }
  for (i32 l = 0; l < LANES; l++)
    OVER_FEW for (i32 k = 0; k < NONCENTRAL_WAYS; k++) count[k] += way[l] == k;
  OVER_FEW for (i32 k = 0; k < NONCENTRAL_WAYS; k++) {
    if (count[k] == 0) continue;
    LANE_LOOP(l) { /* lanes that go another way get what this one can serve */
      const flag own = way[l] == k;
      shape[l] = own ? a[l] : (k == NONCENTRAL_LIST_INTEGRAL ? K(1e4) : K(1));
      halved[l] = own ? y[l] : K(0.5);
      at[l] = own ? u[l] : (k == NONCENTRAL_LIST_INTEGRAL ? K(1.1e4) : (k == NONCENTRAL_LIST_UPPER ? K(30) : K(0.1)));
      to_up[l] = k == NONCENTRAL_LIST_UPPER ? K(1) : K(0);
    }
    if (k == NONCENTRAL_LIST_INTEGRAL)
      noncentral_integral(shape, halved, at, rough, to_f, to_dev, to_lo, to_up, to_rate, to_q, to_slope);
    if (k == NONCENTRAL_LIST_LOWER)
      noncentral_lower(shape, halved, at, rough, to_f, to_dev, to_lo, to_rate, to_q, to_slope);
    if (k == NONCENTRAL_LIST_UPPER)
      noncentral_upper(shape, halved, at, rough, to_f, to_dev, to_lo, to_rate, to_q, to_slope);
    LANE_LOOP(l) {
      const flag own = way[l] == k;
      f[l] = own ? to_f[l] : f[l];
      dev[l] = own ? to_dev[l] : dev[l];
      dev_lo[l] = own ? to_lo[l] : dev_lo[l];
      upper[l] = own ? to_up[l] : upper[l];
      rate[l] = own ? to_rate[l] : rate[l];
      q[l] = own ? to_q[l] : q[l];
      slope[l] = own ? to_slope[l] : slope[l];
    }
  }
}

#endif
