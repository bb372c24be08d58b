/* matern_direct_par.h: lists of matern_direct.cl, and layout of par: constants of one smoothness nu = mu + n,
 * |mu| <= 1/2, from src/covariance/matern_direct.c. */
#ifndef STATCL_MATERN_DIRECT_PAR_H
#define STATCL_MATERN_DIRECT_PAR_H

enum {
  M_LIST_SERIES, M_LIST_LOW, M_LIST_MID, M_LIST_HIGH, M_LIST_CENTRED, M_LIST_SLOPE_SERIES, M_LIST_SLOPE_NEAR,
  M_LISTS
};

#define MATERN_WHAT 0 /* MATERN_VALUE, MATERN_DX or MATERN_DNU */
#define MATERN_SCALED 1
#define MATERN_NU 2
#define MATERN_MU 3
#define MATERN_STEPS 4 /* n */
#define MATERN_GAMMA 5 /* 2/Gamma(1 + mu) */
#define MATERN_PEAK 6  /* nu^nu e^-nu/Gamma(nu) */
#define MATERN_PSI 7   /* log nu - psi(nu) */
#define MATERN_RATIO 8 /* Gamma(1 - mu)/Gamma(1 + mu), and the derivative of its logarithm */
#define MATERN_RATIO_SLOPE 9
#define MATERN_ODD 10       /* (1/Gamma(1 - mu) - 1/Gamma(1 + mu))/mu and its derivative */
#define MATERN_ODD_SLOPE 11
#define MATERN_RGAMMA 12    /* 1/Gamma(1 + mu) and its derivative */
#define MATERN_RGAMMA_SLOPE 13
#define MATERN_RECURRENCE 16 /* from here 1/((mu + j) (mu + j - 1)), j = 0, 1, ... */
#define MATERN_MOST_STEPS 24
#define MATERN_POWERS (MATERN_RECURRENCE + MATERN_MOST_STEPS) /* dM/dnu: D_k of matern_slope_series, k = 0, 1, ... */
#define MATERN_PAIRS (MATERN_POWERS + MATERN_MOST_STEPS)      /* and G_p, dG_p/dmu, S_p, dS_p/dmu */
#define MATERN_PAIR_COUNT 13
#define MATERN_PAR (MATERN_PAIRS + 4 * MATERN_PAIR_COUNT)

/* dM/dnu. x < 2, nu <= 16: its series; else for nu >= 10, x^2 < 4 nu: the integral of 1 - M; else M times
 * d log M/dnu. Against differences in 45 digits (tools/matern_slope_reference.py) the first has
 * errors of 44 eps at most, the second and the third of 100. */
#define MATERN_SLOPE_X 2
#define MATERN_SLOPE_NU 16
#define MATERN_NEAR_NU 10

#endif
