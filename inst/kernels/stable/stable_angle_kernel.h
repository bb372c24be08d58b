/* stable_angle_kernel.h: the angle integral of stable_angle.h. Which form log g has at a node depends on the point
 * alone, not on its neighbours in the block, so its bits do not depend on where it stands.
 *
 * Arrays with several uses, one after the other, as registers are few: low and high bracket what is looked for and
 * open says whether it still is. left is where: for log g = 0 (which root_of keeps), for the two humps (first and
 * second), for the left cut-off; then it is the abscissa of an end of a panel or of a node. depth is h of the second
 * hump until the higher one is chosen; then how far h at the left end of a panel is below its largest value. */
DEV_BLOCK_FN void NAME(over_angles)(i32 block, KERNEL_ARGS) {
  OVER_LIST(LIST_ANGLE);
  SET_OF_LANES(set);
  stable_anchor k;
  real low[LANES], high[LANES], v[LANES], hmax[LANES], left[LANES], right[LANES];
  real first[LANES], second[LANES], root_of[LANES], step[LANES];
  stable_levels g;
  real sum[LANES], from[LANES], f_from[LANES], target[LANES], width[LANES];
  real open[LANES], kink_1[LANES], kink_2[LANES], kink_3[LANES];
  real slope_from[LANES], tilt[LANES], depth[LANES], shift[LANES], to_g[LANES];
#if JOINT
  real sum_1[LANES], sum_2[LANES], rest[LANES]; /* L I1 e^shift, L (I2 - rest) */
#endif
  i32 any;

  stable_load(&k.of, idx, set, set_in, set_work, set_cap, work, cap);
  stable_minimum(&k.of, left);
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(&k.of, l);
    const stable_point z = block_point(&k.of, l);
    const flag slow = p.alpha < K(0.5), extreme = stable_is_extreme(z); /* slow: see stable_log_gmin() */
    k.of.y[l] = (slow & extreme) ? K(1) : z.y;
    k.factor[l] = exp_((slow ? (extreme ? p.alpha * z.log_y : K(0)) : z.log_y) - p.log_a);
    k.side[l] = p.alpha > 1 ? K(-1) : K(1);
    low[l] = -V_MAX;
    high[l] = V_MAX;
    left[l] = 0;
    open[l] = 1;
    const stable_kinks kinks = stable_find_kinks(p);
    kink_1[l] = kinks.first;
    kink_2[l] = kinks.second;
    kink_3[l] = kinks.last;
  }
  /* Searches one after the other, and single looks between them, all at left: so there is one place from which log g
   * is asked for, and a GPU's kernel, where that is inlined, is half as long. */
  enum { SEEK_ZERO, SEEK_HUMP, SEEK_OTHER_HUMP, LOOK_AT_SECOND, LOOK_AT_FIRST, SEEK_LEFT, SEEK_RIGHT, LOOK_AT_START };
  ROLLED
  for (i32 task = SEEK_ZERO; task <= LOOK_AT_START; task++) {
    const i32 look = task == LOOK_AT_SECOND || task == LOOK_AT_FIRST || task == LOOK_AT_START;
    /* Between log g = 0 and v = 0 h has at most two humps: one near g = 1, one where the weight is large. The first
     * is sought from log g = 0 on, the second from v = 0, each towards the other, until h' changes its sign. */
    if (task == SEEK_HUMP || task == SEEK_OTHER_HUMP)
      LANE_LOOP(l) {
        const real root = task == SEEK_HUMP ? left[l] : root_of[l];
        const real start = task == SEEK_HUMP ? root : K(0), end = task == SEEK_HUMP ? K(0) : root;
        first[l] = left[l];
        root_of[l] = root;
        low[l] = start;
        high[l] = end;
        step[l] = 0;
        left[l] = start;
        open[l] = 1;
      }
    if (task == SEEK_RIGHT)
      LANE_LOOP(l) {
        v[l] = left[l];
        left[l] = right[l];
        low[l] = right[l];
        high[l] = from[l];
        open[l] = 1;
      }
    for (i32 n_try = 0; n_try < (look ? 1 : 80); n_try++) {
      any = look;
      for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
      if (!any) break;
      stable_find_levels(&k, left, &g);
      if (task == SEEK_ZERO) /* Newton kept inside its bracket */
        LANE_LOOP(l) {
          const flag on = open[l] != 0;
          const real lo = (on & (g.f[l] < 0)) ? left[l] : low[l], hi = (on & (g.f[l] >= 0)) ? left[l] : high[l];
          /* where log g falls exponentially, as at alpha = 1, it divides by e^4 in 4 of Newton's steps */
          const flag steep = (g.f[l] < -60) & (g.slope[l] > K(-0.5) * g.f[l]);
          const real newton = left[l] - (steep ? 4 * g.f[l] : g.f[l]) / g.slope[l];
          const flag inside = (newton > lo) & (newton < hi) & ((n_try & 7) != 7);
          const flag below = (newton <= lo) & (lo == -V_MAX), edge = (hi < 1 - V_MAX) | (lo > V_MAX - 1);
          const flag done = (fabs(g.f[l]) < K(0.1)) | (hi - lo <= K(1e-15) * fabs(lo)) | edge;
          const real between = below ? K(0.5) - V_MAX : K(0.5) * (lo + hi), next = inside ? newton : between;
          low[l] = lo;
          high[l] = hi;
          left[l] = (on & (done == 0)) ? next : left[l];
          open[l] = done ? K(0) : open[l];
        }
      if (task == SEEK_HUMP || task == SEEK_OTHER_HUMP)
        LANE_LOOP(l) {
          const flag on = open[l] != 0;
          const real sense = high[l] >= low[l] ? K(1) : K(-1), width = fabs(high[l] - low[l]);
          const flag before = sense * g.h_slope[l] > 0;
          const flag done = (fabs(g.h_slope[l]) < K(0.3) * (1 + g.slope[l])) | (width <= K(1e-15) * fabs(low[l]));
          const real lo = before ? left[l] : low[l], hi = before ? high[l] : left[l];
          /* strides double until the sign has changed once (a negative step says so), then bisection */
          const real once = min_(max_(K(1), K(0.05) * fabs(low[l])), K(0.5) / g.slope[l]);
          const real stride = step[l] == 0 ? once : 2 * step[l];
          const real next_step = (before & (step[l] >= 0)) ? stride : K(-1);
          const real room = fabs(hi - lo);
          const real next = lo + sense * (next_step > 0 ? min_(next_step, K(0.8) * room) : K(0.5) * room);
          const flag move = on & (done == 0);
          low[l] = move ? lo : low[l];
          high[l] = move ? hi : high[l];
          step[l] = move ? next_step : step[l];
          left[l] = move ? next : left[l];
          open[l] = done ? K(0) : open[l];
        }
      if (task == SEEK_LEFT) /* h = hmax - CUT, h increasing */
        LANE_LOOP(l) {
          const real f = g.h[l] - (hmax[l] - CUT);
          const flag on = open[l] != 0;
          const real lo = (on & (f < 0)) ? left[l] : low[l], hi = (on & (f >= 0)) ? left[l] : high[l];
          const flag steep = (f < -60 * CUT) & (g.h_slope[l] > K(-0.5) * f); /* as above */
          const real newton = left[l] - (steep ? 4 * f : f) / g.h_slope[l];
          const flag inside = (newton > lo) & (newton < hi) & ((n_try & 7) != 7);
          const flag done = ((f > K(-3)) & (f < 1)) | (hi - lo <= K(1e-14) * fabs(lo)) | (hi < 1 - V_MAX);
          const real next = inside ? newton : K(0.5) * (lo + hi);
          low[l] = lo;
          high[l] = hi;
          left[l] = (on & (done == 0)) ? next : left[l];
          open[l] = done ? K(0) : open[l];
        }
      /* g = CUT - hmax + log g + log(ab/L), as a difference of logs, which is nearly linear; for the tails with
       * max(log g, 0) */
      if (task == SEEK_RIGHT)
        LANE_LOOP(l) {
          const real e = exp_(min_(g.f[l], K(700)));
#if JOINT
          const flag below = g.f[l] < 0;
          const real excess = below ? g.f[l] : K(0), excess_slope = below ? g.slope[l] : K(0);
#else
          const real excess = 0, excess_slope = 0;
#endif
          const real room = CUT - hmax[l] + g.h[l] + e - excess;
          const real safe = room > K(1e-3) ? room : K(1e-3);
          const real f = g.f[l] - log_core_(safe);
          const flag on = open[l] != 0;
          const real lo = (on & (f < 0)) ? left[l] : low[l], hi = (on & (f >= 0)) ? left[l] : high[l];
          const real room_slope = g.h_slope[l] + e * g.slope[l] - excess_slope;
          const real newton = left[l] - f / (g.slope[l] - room_slope / safe);
          /* log g may bend upwards not far to the right: the first steps are short */
          const real reach = min_(newton, left[l] + 4 * (1 + (real)(n_try * n_try)));
          const flag inside = (reach > lo) & (reach < hi) & ((n_try & 7) != 7);
          const flag done = ((e > safe - 1) & (e < safe + 3)) | (hi - lo <= K(1e-14) * fabs(lo));
          low[l] = lo;
          high[l] = hi;
          const real next = inside ? reach : K(0.5) * (lo + hi);
          left[l] = (on & (done == 0)) ? next : left[l];
          open[l] = done ? K(0) : open[l];
        }
    }
    if (task == LOOK_AT_SECOND)
      LANE_LOOP(l) {
        f_from[l] = g.f[l];
        slope_from[l] = g.slope[l];
        depth[l] = g.h[l];
        second[l] = left[l];
        left[l] = first[l];
      }
    if (task == LOOK_AT_FIRST) /* the anchor and the brackets of the cut-offs */
      LANE_LOOP(l) {
        const stable_distribution p = block_distribution(&k.of, l);
        const real h1 = g.h[l], h2 = depth[l];
        const real top = max_(h1, h2), peak = h1 < h2 ? second[l] : first[l], u = k.side[l] * peak;
        const real l_hump = min_(first[l], second[l]), r_hump = max_(first[l], second[l]);
        const flag left_high = (first[l] < second[l] ? h1 : h2) > top - CUT;
        const flag right_high = (first[l] < second[l] ? h2 : h1) > top - CUT;
        const stable_angle_pair ab = stable_angles(p.l, u);
        const stable_arguments s = stable_sines(p, ab);
        real s1, c1, s2, c2, s3, c3;
        sincos_(s.b, &s1, &c1);
        sincos_(s.aa, &s2, &c2);
        sincos_(s.sum, &s3, &c3);
        k.u0[l] = u;
        k.f0[l] = h1 < h2 ? f_from[l] : g.f[l];
        k.b0[l] = ab.b;
        k.cot_b[l] = (ab.b > 2 ? K(-1) : K(1)) * c1 / s1;
        k.cot_aa[l] = s.flip * c2 / s2;
        k.cot_sum[l] = (s.sum == s.eta ? K(-1) : K(1)) * c3 / s3;
        hmax[l] = top;
        /* in light tails h is log g - g at the peak, and I1 the size of e^-g */
        shift[l] = ((top < K(-300)) & (k.f0[l] >= 0)) ? k.f0[l] - top : K(0);
        to_g[l] = exp_core_(stable_base(k.f0[l]));
        low[l] = left_high ? -V_MAX : l_hump;
        high[l] = left_high ? l_hump : r_hump;
        /* left of a hump h falls by the slope of log g and, at most, 1 for the weight */
        const real slope = max_(first[l] < second[l] ? g.slope[l] : slope_from[l], K(0));
        left[l] = max_(high[l] - CUT / (1 + slope), K(0.5) * (low[l] + high[l]));
#if JOINT
        /* where g < 1 at the humps the tails need what follows, however small h is there */
        const flag outer = right_high | (root_of[l] > 0);
        right[l] = outer ? r_hump : l_hump;
        from[l] = outer ? V_MAX : r_hump;
#else
        right[l] = right_high ? r_hump : l_hump;
        from[l] = right_high ? V_MAX : r_hump;
#endif
        open[l] = 1;
      }
    if (task == SEEK_RIGHT)
      LANE_LOOP(l) {
        right[l] = left[l];
        left[l] = v[l];
      }
  }

  /* From here on v counts from the anchor: next to it log g may change 1e5 times as fast as v. */
  LANE_LOOP(l) {
    f_from[l] = g.f[l];
    slope_from[l] = g.slope[l];
    tilt[l] = g.h_slope[l];
    depth[l] = max_(hmax[l] - g.h[l], K(0));
    const real origin = k.side[l] * k.u0[l];
    from[l] = left[l] - origin;
    right[l] -= origin;
    sum[l] = 0;
#if JOINT
    const real e = exp_core_(clamp_(g.f[l], K(-700), K(700)));
    const real d = k.of.l[l] * (k.side[l] > 0 ? g.a[l] : g.b[l]); /* times L, as all sums are */
    rest[l] = k.side[l] > 0 ? g.b[l] : g.a[l];
    sum_1[l] = d * exp_(shift[l] - e);
    sum_2[l] = d * -expm1_(-e);
#endif
  }
  for (i32 panel = 0; panel < PANEL_MAX; panel++) {
    any = 0;
    for (i32 l = 0; l < LANES; l++) any |= from[l] < right[l];
    if (!any) break;
    /* how far this panel reaches: log g may grow to target, where it is expected first by its slope */
    LANE_LOOP(l) {
      /* For small alpha h is flat within alpha^(-1/2) of the place where g is 1/alpha, and g grows by as much there.
       * 16 nodes integrate e^h over a change of h by 15 to 1e-16. */
      const real f = f_from[l], wide = 2 / sqrt(k.of.alpha[l]);
      const real most_g = fabs(k.of.am1[l]) < K(0.35) ? K(8) : clamp_(wide, K(12), K(40));
      /* Where the integrand is e^-deep of the peak a relative error of e^(deep - 38) will do, and with an error of
       * r^-32, r about inverse to the length, lengths may grow by e^(deep/32). What counts is where it is largest on
       * the panel, to the right if it rises, by 1 per unit of v for the weight: hence 0.88 = e^(-4/32) below, and a
       * quarter of deep - 10 for growth. For I1, e^-g is (g0/g) e^-deep of its peak where g > 1, and where g < 1 it
       * is the weight, at the depth of_weight, less what is as small as g. */
#if JOINT
      const real lost = max_(k.f0[l], K(0)) - max_(f, K(0)), deep = max_(depth[l] - max_(lost, K(0)), K(0));
      const real of_weight = f < F_TURN ? min_(deep, depth[l] + f - k.f0[l]) : deep;
#else
      const real deep = depth[l], of_weight = deep;
#endif
      const real wider = max_(K(1), K(0.8825) * exp_rough_(K(0.03125) * of_weight));
      const real less = exp_rough_(K(0.03125) * deep);
      const real by_g = log_(exp_core_(clamp_(f, K(-700), K(700))) + max_(most_g, min_(most_g, K(15)) * less));
      const real most_f = 10 + max_(K(0.25) * (deep - 10), K(0));
      const real small = f + most_f < K(-3) ? f + most_f : max_(f + 2, K(-3));
      const real large = f > K(1.8) ? by_g : min_(f + 2, by_g);
      target[l] = f < K(-3) ? small : large;
      low[l] = from[l];
      const stable_kinks kinks = {kink_1[l], kink_2[l], kink_3[l]};
      const real at_from = k.side[l] * k.u0[l] + from[l], most_h = 8 + max_(K(0.2) * (of_weight - 10), K(0));
      const real flat = min_(most_h / max_(fabs(tilt[l]), K(1e-3)), wider * wide);
      const real widest = max_(K(10), flat);
      high[l] = min_(from[l] + stable_panel_width(at_from, f, kinks, widest, wider), right[l]);
      const real aim = from[l] + K(0.9) * (target[l] - f) / slope_from[l];
      v[l] = ((aim > low[l]) & (aim < high[l])) ? aim : high[l];
      open[l] = from[l] < right[l] ? K(1) : K(0);
    }
    for (i32 n_try = 0; n_try < 40; n_try++) {
      LANE_LOOP(l) left[l] = k.side[l] * k.u0[l] + v[l];
      stable_find_levels(&k, left, &g);
      LANE_LOOP(l) {
        const real span = target[l] - f_from[l];
        const flag on = open[l] != 0;
        const flag over = g.f[l] > target[l] + K(0.05) * span;
        const flag far_enough = (v[l] >= high[l]) | (g.f[l] > f_from[l] + K(0.6) * span);
        const flag enough = (g.f[l] <= target[l] + K(0.05) * span) & far_enough;
        const real lo = over ? low[l] : v[l], hi = over ? v[l] : high[l];
        const real aim = v[l] - (g.f[l] - (f_from[l] + K(0.9) * span)) / g.slope[l];
        const flag inside = (aim > lo) & (aim < hi) & ((n_try & 3) != 3);
        const flag done = (enough) | (hi - lo <= K(1e-15) * fabs(lo));
        const flag to_end = (aim >= hi) & (over == 0);
        low[l] = on ? lo : low[l];
        high[l] = on ? hi : high[l];
        const real between = to_end ? hi : K(0.5) * (lo + hi), next = inside ? aim : between;
        open[l] = done ? K(0) : open[l];
        v[l] = ((open[l] != 0) & (n_try < 39)) ? next : v[l];
      }
      any = 0;
      for (i32 l = 0; l < LANES; l++) any |= open[l] != 0;
      if (!any) break;
    }
    /* g is what it is at v */
    LANE_LOOP(l) {
      const flag on = from[l] < right[l];
      width[l] = on ? K(0.5) * (v[l] - from[l]) : K(0);
      from[l] = on ? v[l] : from[l];
#if JOINT
      low[l] = f_from[l] < F_TURN ? K(1) : K(0);
      rest[l] = (on & (low[l] != 0)) ? (k.side[l] > 0 ? g.b[l] : g.a[l]) : rest[l];
#endif
      f_from[l] = on ? g.f[l] : f_from[l];
      slope_from[l] = on ? g.slope[l] : slope_from[l];
      tilt[l] = on ? g.h_slope[l] : tilt[l];
      depth[l] = on ? max_(hmax[l] - g.h[l], K(0)) : depth[l];
    }
    for (i32 node = 0; node < PANEL_NODES; node++) {
      const real gx = node < 8 ? gauss_x[node] : -gauss_x[node - 8], gw = gauss_w[node & 7];
      LANE_LOOP(l) left[l] = k.side[l] * (from[l] + width[l] * (gx - 1)); /* tau */
      stable_find_nodes(&k, left, &g);
      LANE_LOOP(l) {
        /* g e^-g relative to g of the peak and, in light tails, to e^-shift */
        const real ratio = exp_core_(clamp_(g.f[l] - stable_base(k.f0[l]), K(-700), K(700)));
        const real weight = gw * width[l] * g.a[l] * g.b[l];
        const real power = max_(shift[l] - ratio * to_g[l], K(-700)), e = exp_core_(power);
        sum[l] += ratio * e * weight;
#if JOINT
        sum_1[l] += e * weight;
        /* where g > 2, rest takes the 1 of 1 - e^-g, and the error of e^-g alone remains */
        const real other = shift[l] > 0 ? K(0) : -e;
        sum_2[l] += (low[l] != 0 ? (shift[l] > 0 ? K(1) : -expm1_core_(power)) : other) * weight;
#endif
      }
    }
  }
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const flag short_of = from[l] < right[l]; /* PANEL_MAX was not enough */
    const real scale = stable_log_factor(block_distribution(&k.of, l), block_point(&k.of, l));
    const real value = scale + stable_base(k.f0[l]) - shift[l] + log_(sum[l] / k.of.l[l]);
    WORK(POINT_LOG_F, i) = short_of ? NAN_ : value;
#if JOINT
    const real with_l = 1 / k.of.l[l];
    sum_1[l] *= with_l;
    sum_2[l] = FMA(sum_2[l], with_l, rest[l]);
    const flag above = k.of.alpha[l] > 1, end = k.of.r[l] == 0;
    const real log_1 = log_(sum_1[l]) - LOG_PI_ - shift[l];
    const real with_1 = end ? log_1 : log_(k.of.r[l] * (1 / PI_) + exp_(log_1));
    const real log_2 = log_(above ? k.of.r[l] + sum_2[l] : sum_2[l]) - LOG_PI_;
    const real upper = above ? log_1 : log_2, lower = above ? log_2 : with_1;
    const flag upper_small = upper < lower;
    const real small = short_of ? NAN_ : min_(upper, lower), large = stable_log_other(min_(small, K(-0.1)));
    WORK(POINT_LOG_UPPER, i) = upper_small ? small : large;
    WORK(POINT_LOG_LOWER, i) = upper_small ? large : small;
    WORK(POINT_ERROR, i) = stable_error(value, K(4));
    WORK(POINT_ERROR_SMALL, i) = stable_error(small, K(4));
#endif
  }
}
