/* stable_slope.cl: log densities of alpha-stable distributions with their first and second derivatives. The ray
 * kernels are those of the density (stable_kernels.h) with the sums of stable_slope.h. */
#include "kernels/stable/stable.h"
#include "kernels/stable/stable_slope.h"

#define JOINT 0
#define SLOPE 1
#include "kernels/stable/stable_kernels.h"
#undef JOINT
#undef SLOPE

KERNEL(stable_slope_pole) {
  OVER_SETS;
  LANE_LOOP(l) {
    const i32 s = idx[l];
    const real alpha = SET_IN(SET_ALPHA, s);
    real low;
    const real pole = tan_half_pi_dd(alpha == 1 ? K(0.75) : alpha, &low);
    SET_WORK(DISTRIBUTION_POLE, s) = alpha == 1 ? K(0) : pole;
  }
}

/* Columns of out: log f, its derivatives a, b, z, aa, ab, az, bb, bz, zz in alpha, beta and z, which is x (pm = 0) or
 * y (pm = 1). log f has the derivatives f_j/f and f_jk/f - (f_j/f)(f_k/f). With T' for dT/dalpha, p = dT/dbeta =
 * tan(pi alpha/2), and X = d/dT + d/dy where x is held, d/dT where y is:
 *   d/dalpha + T' X,  d/dbeta = p X,  and  d^2/dalpha^2 + 2 T' X d/dalpha + T'^2 X^2 + T'' X  etc.;
 * near alpha = 1, where x was held, X is 0, or -d/dx where y is held. */
KERNEL(stable_slope_finish) {
  OVER_POINTS;
  SET_OF_LANES(set);
  LANE_LOOP(l) {
    const i32 i = idx[l], s = set[l];
    const real alpha = SET_IN(SET_ALPHA, s), beta = SET_IN(SET_BETA, s), pole = SET_WORK(DISTRIBUTION_POLE, s);
    const real form = WORK(POINT_FORM, i), log_f = WORK(POINT_LOG_F, i), x = WORK(POINT_X, i), y = WORK(POINT_Y, i);
    const flag known = form != FORM_NONE; /* else nothing was written */
#define PART(j) (known ? WORK(POINT_SLOPE + j, i) : K(0))
    const flag ray = form == FORM_RAY, one = SET_IN(SET_PM, s) == 1, normal = alpha == 2, even = alpha == 1;
    const real turned = x < 0 ? K(-1) : K(1), side = WORK(POINT_SIDE, i) * (ray ? K(1) : turned);
    const real per_z = side / (ray ? y : K(1)), per_zz = per_z * per_z;
    /* in alpha, b (beta or T) and z, of the distribution that is not turned */
    const real a = PART(0), b = side * PART(1), z = per_z * PART(2);
    const real aa = PART(3) - a * a, ab = side * PART(4) - a * b;
    const real az = per_z * PART(5) - a * z, bb = PART(6) - b * b;
    const real bz = per_z * side * PART(7) - b * z, zz = per_zz * PART(8) - z * z;
    /* X, its mixed derivatives, and X^2 */
    const real on_t = ray ? K(1) : K(0), near_z = one ? K(-1) : K(0), far_z = one ? K(0) : K(1);
    const real on_z = ray ? far_z : near_z;
    const real m = on_t * b + on_z * z, ma = on_t * ab + on_z * az, mz = on_t * bz + on_z * zz;
    const real mm = on_t * bb + on_z * (2 * on_t * bz + on_z * zz), mb = on_z * bz;
    /* T and beta are not both parameters: where b is T, d/dbeta is p X alone */
    const real keep = 1 - on_t, p1 = PIO2_ * FMA(pole, pole, K(1)), t1 = beta * p1, t2 = PI_ * pole * t1;
    const flag no_alpha = normal | (even & one), no_beta = fabs(beta) == 1;
    const real lost = known ? K(0) : NAN_, lost_alpha = no_alpha ? NAN_ : lost, lost_beta = no_beta ? NAN_ : lost;
    const real found_z = normal ? K(-0.5) * WORK(POINT_SIDE, i) * x : z + lost;
    const real found_b = keep * b + pole * m, found_bb = keep * (bb + 2 * pole * mb) + pole * pole * mm;
    const real found_ab = keep * (ab + t1 * mb) + pole * (ma + t1 * mm) + p1 * m;
    OUT(0, i) = log_f;
    OUT(1, i) = a + t1 * m + lost_alpha;
    OUT(2, i) = normal ? K(0) : found_b + lost_beta;
    OUT(3, i) = found_z;
    OUT(4, i) = aa + t1 * (2 * ma + t1 * mm) + t2 * m + lost_alpha;
    OUT(5, i) = found_ab + lost_alpha + lost_beta;
    OUT(6, i) = az + t1 * mz + lost_alpha;
    OUT(7, i) = normal ? K(0) : found_bb + lost_beta;
    OUT(8, i) = normal ? K(0) : keep * bz + pole * mz + lost_beta;
    OUT(9, i) = normal ? K(-0.5) : zz + lost;
#undef PART
  }
}
