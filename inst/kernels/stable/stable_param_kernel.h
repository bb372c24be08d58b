/* stable_param_kernel.h: the kernel over parameter sets that every program of densities and tails begins with. */
KERNEL(PARAM_KERNEL) {
  OVER_SETS;
  LANE_LOOP(l) {
    const i32 s = idx[l];
    const real alpha = SET_IN(SET_ALPHA, s), beta = SET_IN(SET_BETA, s), am1 = alpha - 1;
    /* t = tan(pi alpha/2) and T to 32 digits: y = x + T must keep its accuracy next to zeta. */
    real t_low, b_err;
    const real pole = tan_half_pi_dd(am1 == 0 ? K(0.75) : alpha, &t_low);
    {
      const real t = am1 == 0 ? K(0) : pole, c = am1 == 0 ? K(0) : 1 / t;
      const real b_hi = two_prod(beta, t, &b_err);
      const real b_lo = am1 == 0 ? K(0) : FMA(beta, t_low, b_err);
      const real ab = fabs(beta), g = -ab;
      /* alpha times the smaller of L and R */
      const flag low = alpha <= 1, reciprocal = alpha > K(0.5);
      const real num = reciprocal ? (1 + g) * c : (1 + g) * t, den = reciprocal ? c * c - g : 1 - g * t * t;
      const real angle = atan2_(low ? num : fabs(c), low ? den : ab);
      const real small = (angle + (low ? K(0) : PIO2_ * am1)) / alpha;
      const real other = PI_ - small, turned = low ? beta : -beta;
      const flag even = beta * (2 - alpha) == 0;
      const real l_ = turned <= 0 ? small : other, r_ = turned <= 0 ? other : small;
      const real l = even ? PIO2_ : l_, r = even ? PIO2_ : r_;
      SET_WORK(DISTRIBUTION_T, s) = b_hi;
      SET_WORK(DISTRIBUTION_T_LOW, s) = b_lo;
      SET_WORK(DISTRIBUTION_LOG_A, s) = fabs(b_hi) > K(1e8) ? log_(fabs(b_hi)) : K(0.5) * log1p_(b_hi * b_hi);
      SET_WORK(DISTRIBUTION_L, s) = l;
      SET_WORK(DISTRIBUTION_R, s) = r;
      SET_WORK(DISTRIBUTION_DELTA, s) = stable_delta(alpha, beta, am1, t, c, l, r);
      SET_WORK(DISTRIBUTION_DELTA_MIRROR, s) = stable_delta(alpha, -beta, am1, t, c, r, l);
    }
  }
}
