/* gamma_draw.cl: random numbers of the gamma distribution; in: nothing, shape and scale. */
#include "kernels/gamma/gamma_draw.h"
#include "kernels/gamma/gamma_par.h"

KERNEL(gamma_draw) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[GAMMA_KEY] | (u32)par[GAMMA_KEY + 1] << 16;
  const u32 k1 = (u32)par[GAMMA_KEY + 2] | (u32)par[GAMMA_KEY + 3] << 16;
  const real by = par[GAMMA_SHAPE_BY];
  real given[LANES], a[LANES], scale[LANES], x[LANES];
  LANES_IN(GAMMA_SHAPE, given)
  LANES_IN(GAMMA_SCALE, scale)
  LANE_LOOP(l) {
    given[l] *= by;
    a[l] = ((given[l] > 0) & (given[l] <= REAL_MAX_)) ? given[l] : K(1);
  }
  gamma_numbers((u64)(offset + at), TAG_GAMMA, 0, k0, k1, a, x);
  LANE_LOOP(l) {
    const flag known = (given[l] >= 0) & (scale[l] > 0);
    const real end = given[l] == 0 ? K(0) : (given[l] > REAL_MAX_ ? INF_ : x[l] * scale[l]);
    x[l] = known ? end : NAN_;
  }
  LANES_OUT(0, x)
}
