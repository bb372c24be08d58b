/* bessel_published.cl: kernels of src/bessel/bessel_published.c. par is below. */
#include "kernels/bessel/bessel_par.h"
#include "kernels/bessel/bessel_published.h"

enum { PUBLISHED_SERIES_UPTO, PUBLISHED_BINS, PUBLISHED_SCALED };

/* Limits, arguments outside the domain, and a list per formula, so that neighbours take the same one. */
SORTING_KERNEL(bessel_published_sort) {
  OVER_POINTS;
  const real series_upto = par[PUBLISHED_SERIES_UPTO];
  real go[LANES];
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const real x = IN(BESSEL_X, i), nu = IN(BESSEL_NU, i);
    const flag valid = (x >= 0) & (nu >= 0) & ((x <= REAL_MAX_) | (nu <= REAL_MAX_));
    const flag inside = (x > 0) & (x <= REAL_MAX_) & (nu >= 0) & (nu <= REAL_MAX_);
    const real limit = x > REAL_MAX_ ? -INF_ : INF_, list = x <= series_upto ? K(LIST_TEMME_SERIES) : K(LIST_ABOVE);
    OUT(0, i) = valid ? limit : NAN_;
    go[l] = inside ? list : K(-1);
  }
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && go[l] >= 0) list_push((i32)go[l], idx[l]);
}

#define TEMME_LOAD                                                                                           \
  temme_block t;                                                                                             \
  t.scaled = par[PUBLISHED_SCALED];                                                                          \
  LANE_LOOP(l) {                                                                                             \
    const real nu = IN(BESSEL_NU, idx[l]);                                                                           \
    real steps;                                                                                              \
    t.x[l] = IN(BESSEL_X, idx[l]);                                                                                  \
    t.mu[l] = bessel_split(nu > TEMME_MAX_ORDER ? K(0) : nu, &steps);                                        \
    t.steps[l] = steps;                                                                                      \
  }
#define TEMME_STORE                                                                                          \
  temme_upward(&t);                                                                                          \
  LANE_LOOP(l) OUT(0, idx[l]) = IN(BESSEL_NU, idx[l]) > TEMME_MAX_ORDER ? NAN_ : t.base[l]

KERNEL(bessel_temme_series) {
  OVER_LIST(LIST_TEMME_SERIES);
  TEMME_LOAD
  temme_small(&t);
  TEMME_STORE;
}

KERNEL(bessel_temme_fraction) {
  OVER_LIST(LIST_ABOVE);
  TEMME_LOAD
  temme_fraction(&t);
  TEMME_STORE;
}

KERNEL(bessel_takekawa) {
  OVER_LIST(LIST_ABOVE);
  const i32 bins = (i32)par[PUBLISHED_BINS];
  const real gap = bins * BESSEL_EPS, scaled = par[PUBLISHED_SCALED];
  takekawa_block s;
  real before[LANES], after[LANES], first[LANES], step[LANES], top[LANES], sum[LANES];
  LANE_LOOP(l) {
    s.x[l] = IN(BESSEL_X, idx[l]);
    s.nu[l] = IN(BESSEL_NU, idx[l]);
    s.rest[l] = scaled != 0 ? K(0) : s.x[l];
    s.level[l] = 0;
  }
  takekawa_peak(&s);
  LANE_LOOP(l) {
    const real peak = s.at[l], below = peak - gap, plus = peak + gap, times = peak * (1 + gap);
    real g, g1, g2;
    takekawa_at(s.x[l], s.nu[l], s.rest[l], peak, &g, &g1, &g2);
    s.level[l] = g - K(37.04365338911715); /* log(eps) - 1 */
    before[l] = below > 0 ? below : K(0);
    after[l] = plus > times ? plus : times;
  }
  takekawa_left(&s, before);
  LANE_LOOP(l) first[l] = s.at[l];
  takekawa_right(&s, after);
  LANE_LOOP(l) {
    step[l] = (s.at[l] - first[l]) / bins;
    top[l] = -REAL_MAX_;
    sum[l] = 0;
  }
  for (i32 m = 0; m <= bins; m++) {
    const real weight = (m == 0 || m == bins) ? K(0.5) : K(1), steps = m;
    LANE_LOOP(l) {
      real g, g1, g2;
      takekawa_at(s.x[l], s.nu[l], s.rest[l], first[l] + steps * step[l], &g, &g1, &g2);
      log_sum_add(g, weight, &top[l], &sum[l]);
    }
  }
  LANE_LOOP(l) OUT(0, idx[l]) = top[l] + log_(sum[l] * step[l]);
}

KERNEL(bessel_refined) {
  OVER_LIST(LIST_ABOVE);
  const i32 bins = (i32)par[PUBLISHED_BINS];
  const real step = K(9) / bins, scaled = par[PUBLISHED_SCALED];
  real x[LANES], nu[LANES], rest[LANES], top[LANES], sum[LANES];
  LANE_LOOP(l) {
    x[l] = IN(BESSEL_X, idx[l]);
    nu[l] = IN(BESSEL_NU, idx[l]);
    rest[l] = scaled != 0 ? K(0) : x[l];
    top[l] = -REAL_MAX_;
    sum[l] = 0;
  }
  for (i32 m = 0; m <= bins; m++) {
    const real weight = (m == 0 || m == bins) ? K(0.5) : K(1), t = m * step;
    const real u = expm1_(t), coshm1 = K(0.5) * u * (u / (u + 1));
    LANE_LOOP(l) {
      const real z = nu[l] * t;
      log_sum_add(log_cosh_(z, exp_(-2 * z)) - FMA(x[l], coshm1, rest[l]), weight, &top[l], &sum[l]);
    }
  }
  LANE_LOOP(l) OUT(0, idx[l]) = top[l] + log_(sum[l] * step);
}
