/* gamma_given.h: what a quantile is given, or drawn from, as a smaller tail in the form of poisson_par.h. */
#ifndef STATCL_GAMMA_GIVEN_H
#define STATCL_GAMMA_GIVEN_H

#include "kernels/common/philox.h"
#include "kernels/gamma/gamma.h"

DEV_FN real smaller_tail_(real p) {
  const real t = TAIL_OF(fabs(p));
  return ((p >= 0) & (p <= 1)) ? t : NAN_;
}
DEV_FN real smaller_tail_of_log_(real p) {
  const real other = -fabs(expm1_(p)), t = p <= -LN2_ ? -p : other;
  return p <= 0 ? t : NAN_;
}

/* The logarithm of a tail's size, as given. */
DEV_FN real log_of_tail_(real size, real *lo) {
  real log_lo;
  const flag logs = TAIL_IS_LOG(size);
  const real value = log_dd(logs ? K(0.5) : max_(size, K(1e-320)), K(0), &log_lo);
  *lo = logs ? K(0) : log_lo;
  return logs ? -size : value;
}

/* The uniform of index i as a tail with its side: see draw_tail_() of poisson.cl. */
DEV_FN real uniform_tail_(u64 i, u32 k0, u32 k1) {
  philox_block c = {(u32)i, (u32)(i >> 32), TAG_GAMMA, 0u};
  c = philox(c, k0, k1);
  const u64 side = c.w1 & 1u, turn = (u64)0 - side;
  const real u = K(0.5) * open_uniform_of(((u64)c.w0 ^ turn) & 0xffffffffu, ((u64)c.w1 ^ turn) & 0xffffffffu);
  return flip_sign_(u, (word)side);
}

#endif
