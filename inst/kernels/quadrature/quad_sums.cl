/* quad_sums.cl: sums, products, least and largest values over vectors of data of what is computed from their elements
 * and a row of parameters. A point is a row and a run of PAR_RUN elements, the last one often shorter. Sums are
 * compensated (Knuth's sum of two numbers and its error). On a CPU the lanes are elements. */
#include "kernels/quadrature/integrand.h"

DEV_FN real fold_start(i32 fold) {
  return fold == FOLD_MUL ? K(1) : fold == FOLD_MIN ? INF_ : fold == FOLD_MAX ? -INF_ : K(0);
}

/* f goes to the sum and what that has lost. */
DEV_FN void fold_in(i32 fold, real f, real *sum, real *lost) {
  if (fold == FOLD_ADD) {
    const real t = *sum + f, u = t - *sum;
    *lost += (*sum - (t - u)) + (f - u);
    *sum = t;
  } else {
    *sum = fold == FOLD_MUL ? *sum * f : fold == FOLD_MIN ? op_min(*sum, f) : op_max(*sum, f);
  }
}

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

KERNEL(quad_sums) {
  OVER_POINTS;
  const i32 fold = (i32)par[PAR_FOLD], each = (i32)par[PAR_RUN];
  const i32 size = (i32)par[PAR_SIZE], points = (i32)par[PAR_POINTS];
  real library[INTEGRAND_LIBRARY + 1], value[INTEGRAND_OUTPUTS];
  for (i32 l = 0; l < LANES; l++) {
    const i32 number = (i32)offset + idx[l], row = number % points, first = number / points * each;
    const i32 end = first + each < size ? first + each : size;
    real sum = fold_start(fold), lost = K(0);
    for (i32 i = first; i < end; i++) {
      for (i32 j = 0; j < INTEGRAND_LIBRARY; j++) library[j] = par[(i32)par[PAR_DATA] + j * size + i];
      integrand(K(0), par + (i32)par[PAR_CONSTANTS],
                par + ((i32)par[PAR_ROWS] + (i32)par[PAR_ROW_STRIDE] * row), library, 1, value, 1);
      fold_in(fold, value[0], &sum, &lost);
    }
    OUT(SUMS_VALUE, idx[l]) = sum;
    OUT(SUMS_LOST, idx[l]) = lost;
  }
}

#else

KERNEL(quad_sums) {
  OVER_POINTS;
  const i32 fold = (i32)par[PAR_FOLD], each = (i32)par[PAR_RUN];
  const i32 size = (i32)par[PAR_SIZE], points = (i32)par[PAR_POINTS];
  for (i32 l = 0; l < LANES && block * LANES + l < n; l++) {
    const i32 number = (i32)offset + idx[l], row = number % points, first = number / points * each;
    const i32 end = first + each < size ? first + each : size;
    real sum[LANES], lost[LANES];
    i32 i, k, nodes_;
    LANE_LOOP(m) sum[m] = fold_start(fold), lost[m] = K(0);
    for (i = first; i < end; i += nodes_ * LANES) {
      nodes_ = (end - i + LANES - 1) / LANES;
      if (nodes_ > SUMS_NODES) nodes_ = SUMS_NODES;
      integrand_by_element(nodes_, i, row, par, work);
      const real *f = INTEGRAND_VALUE(0);
      for (k = 0; k < nodes_; k++)
        LANE_LOOP(m) fold_in(fold, i + k * LANES + m < end ? f[k * LANES + m] : fold_start(fold), sum + m, lost + m);
    }
    for (k = 1; k < LANES; k++) {
      lost[0] += lost[k];
      fold_in(fold, sum[k], sum, lost);
    }
    OUT(SUMS_VALUE, idx[l]) = sum[0];
    OUT(SUMS_LOST, idx[l]) = lost[0];
  }
}

#endif
