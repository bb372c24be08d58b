/* stable_angle_kernel.h: the angle integral of stable_angle.h. Which form log g has at a node depends on the point
 * alone, not on its neighbours in the block, so its bits do not depend on where it stands.
 *
 * Arrays have several uses, one after the other, as registers are few: low and high bracket what is looked for and
 * open says whether it still is. left is where: for log g = 0 (which root_of keeps), for the two humps (first and
 * second), for the left cut-off; then it is the abscissa of an end of a panel or of a node. depth is h of the second
 * hump until the higher one is chosen; then how far h at the left end of a panel is below its largest value. */
typedef struct {
  stable_anchor k;
  stable_levels g;
  real low[LANES], high[LANES], v[LANES], hmax[LANES], left[LANES], right[LANES];
  real first[LANES], second[LANES], root_of[LANES], step[LANES];
  real sum[LANES], from[LANES], f_from[LANES], target[LANES], width[LANES];
  real open[LANES], kink_1[LANES], kink_2[LANES], kink_3[LANES];
  real slope_from[LANES], tilt[LANES], depth[LANES], shift[LANES], to_g[LANES];
#if JOINT
  real sum_1[LANES], sum_2[LANES], rest[LANES]; /* L I1 e^shift, L (I2 - rest) */
#endif
} NAME(angle_integral);

DEV_FN void NAME(angles_begin)(NAME(angle_integral) *a, const i32 *idx, const i32 *set, DEV_GLOBAL const real *set_in,
                               DEV_GLOBAL const real *set_work, i32 set_cap, DEV_GLOBAL const real *work, i32 cap) {
  stable_load(&a->k.of, idx, set, set_in, set_work, set_cap, work, cap);
  stable_minimum(&a->k.of, a->left);
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(&a->k.of, l);
    const stable_point z = block_point(&a->k.of, l);
    const flag slow = p.alpha < K(0.5), extreme = stable_is_extreme(z); /* slow: see stable_log_gmin() */
    a->k.of.y[l] = (slow & extreme) ? K(1) : z.y;
    a->k.factor[l] = exp_((slow ? (extreme ? p.alpha * z.log_y : K(0)) : z.log_y) - p.log_a);
    a->k.side[l] = p.alpha > 1 ? K(-1) : K(1);
    a->low[l] = -V_MAX;
    a->high[l] = V_MAX;
    a->left[l] = 0;
    a->open[l] = 1;
    const stable_kinks kinks = stable_find_kinks(p);
    a->kink_1[l] = kinks.first;
    a->kink_2[l] = kinks.second;
    a->kink_3[l] = kinks.last;
  }
}

/* What is looked for, one after the other. */
enum { SEEK_ZERO, SEEK_HUMP, SEEK_OTHER_HUMP, LOOK_AT_SECOND, LOOK_AT_FIRST, SEEK_LEFT, SEEK_RIGHT, LOOK_AT_START };

/* Between log g = 0 and v = 0 h has at most two humps: one near g = 1, one where the weight is large. The first is
 * sought from log g = 0 on, the second from v = 0, each towards the other, until h' changes its sign. */
DEV_FN void NAME(from_end_to_end)(NAME(angle_integral) *a, i32 task) {
  LANE_LOOP(l) {
    const real root = task == SEEK_HUMP ? a->left[l] : a->root_of[l];
    const real start = task == SEEK_HUMP ? root : K(0), end = task == SEEK_HUMP ? K(0) : root;
    a->first[l] = a->left[l];
    a->root_of[l] = root;
    a->low[l] = start;
    a->high[l] = end;
    a->step[l] = 0;
    a->left[l] = start;
    a->open[l] = 1;
  }
}

/* From here on the left cut-off is kept in v. */
DEV_FN void NAME(from_right)(NAME(angle_integral) *a) {
  LANE_LOOP(l) {
    a->v[l] = a->left[l];
    a->left[l] = a->right[l];
    a->low[l] = a->right[l];
    a->high[l] = a->from[l];
    a->open[l] = 1;
  }
}

/* Newton kept inside its bracket, for log g = 0. */
DEV_FN void NAME(step_to_zero)(NAME(angle_integral) *a, i32 n_try) {
  LANE_LOOP(l) {
    const flag on = a->open[l] != 0;
    const real lo = (on & (a->g.f[l] < 0)) ? a->left[l] : a->low[l];
    const real hi = (on & (a->g.f[l] >= 0)) ? a->left[l] : a->high[l];
    /* where log g falls exponentially, as at alpha = 1, it divides by e^4 in 4 of Newton's steps */
    const flag steep = (a->g.f[l] < -60) & (a->g.slope[l] > K(-0.5) * a->g.f[l]);
    const real newton = a->left[l] - (steep ? 4 * a->g.f[l] : a->g.f[l]) / a->g.slope[l];
    const flag inside = (newton > lo) & (newton < hi) & ((n_try & 7) != 7);
    const flag below = (newton <= lo) & (lo == -V_MAX), edge = (hi < 1 - V_MAX) | (lo > V_MAX - 1);
    const flag done = (fabs(a->g.f[l]) < K(0.1)) | (hi - lo <= K(1e-15) * fabs(lo)) | edge;
    const real between = below ? K(0.5) - V_MAX : K(0.5) * (lo + hi), next = inside ? newton : between;
    a->low[l] = lo;
    a->high[l] = hi;
    a->left[l] = (on & (done == 0)) ? next : a->left[l];
    a->open[l] = done ? K(0) : a->open[l];
  }
}

DEV_FN void NAME(step_to_hump)(NAME(angle_integral) *a) {
  LANE_LOOP(l) {
    const flag on = a->open[l] != 0;
    const real sense = a->high[l] >= a->low[l] ? K(1) : K(-1), width = fabs(a->high[l] - a->low[l]);
    const flag before = sense * a->g.h_slope[l] > 0;
    const flag done = (fabs(a->g.h_slope[l]) < K(0.3) * (1 + a->g.slope[l])) | (width <= K(1e-15) * fabs(a->low[l]));
    const real lo = before ? a->left[l] : a->low[l], hi = before ? a->high[l] : a->left[l];
    /* strides double until the sign has changed once (a negative step says so), then bisection */
    const real once = min_(max_(K(1), K(0.05) * fabs(a->low[l])), K(0.5) / a->g.slope[l]);
    const real stride = a->step[l] == 0 ? once : 2 * a->step[l];
    const real next_step = (before & (a->step[l] >= 0)) ? stride : K(-1);
    const real room = fabs(hi - lo);
    const real next = lo + sense * (next_step > 0 ? min_(next_step, K(0.8) * room) : K(0.5) * room);
    const flag move = on & (done == 0);
    a->low[l] = move ? lo : a->low[l];
    a->high[l] = move ? hi : a->high[l];
    a->step[l] = move ? next_step : a->step[l];
    a->left[l] = move ? next : a->left[l];
    a->open[l] = done ? K(0) : a->open[l];
  }
}

/* h = hmax - CUT, h increasing. */
DEV_FN void NAME(step_to_left)(NAME(angle_integral) *a, i32 n_try) {
  LANE_LOOP(l) {
    const real f = a->g.h[l] - (a->hmax[l] - CUT);
    const flag on = a->open[l] != 0;
    const real lo = (on & (f < 0)) ? a->left[l] : a->low[l], hi = (on & (f >= 0)) ? a->left[l] : a->high[l];
    const flag steep = (f < -60 * CUT) & (a->g.h_slope[l] > K(-0.5) * f); /* as above */
    const real newton = a->left[l] - (steep ? 4 * f : f) / a->g.h_slope[l];
    const flag inside = (newton > lo) & (newton < hi) & ((n_try & 7) != 7);
    const flag done = ((f > K(-3)) & (f < 1)) | (hi - lo <= K(1e-14) * fabs(lo)) | (hi < 1 - V_MAX);
    const real next = inside ? newton : K(0.5) * (lo + hi);
    a->low[l] = lo;
    a->high[l] = hi;
    a->left[l] = (on & (done == 0)) ? next : a->left[l];
    a->open[l] = done ? K(0) : a->open[l];
  }
}

/* g = CUT - hmax + log g + log(ab/L), as a difference of logs, which is nearly linear; for the tails with
 * max(log g, 0). */
DEV_FN void NAME(step_to_right)(NAME(angle_integral) *a, i32 n_try) {
  LANE_LOOP(l) {
    const real e = exp_(min_(a->g.f[l], K(700)));
#if JOINT
    const flag below = a->g.f[l] < 0;
    const real excess = below ? a->g.f[l] : K(0), excess_slope = below ? a->g.slope[l] : K(0);
#else
    const real excess = 0, excess_slope = 0;
#endif
    const real room = CUT - a->hmax[l] + a->g.h[l] + e - excess;
    const real safe = room > K(1e-3) ? room : K(1e-3);
    const real f = a->g.f[l] - log_core_(safe);
    const flag on = a->open[l] != 0;
    const real lo = (on & (f < 0)) ? a->left[l] : a->low[l], hi = (on & (f >= 0)) ? a->left[l] : a->high[l];
    const real room_slope = a->g.h_slope[l] + e * a->g.slope[l] - excess_slope;
    const real newton = a->left[l] - f / (a->g.slope[l] - room_slope / safe);
    /* log g may bend upwards not far to the right: the first steps are short */
    const real reach = min_(newton, a->left[l] + 4 * (1 + (real)(n_try * n_try)));
    const flag inside = (reach > lo) & (reach < hi) & ((n_try & 7) != 7);
    const flag done = ((e > safe - 1) & (e < safe + 3)) | (hi - lo <= K(1e-14) * fabs(lo));
    a->low[l] = lo;
    a->high[l] = hi;
    const real next = inside ? reach : K(0.5) * (lo + hi);
    a->left[l] = (on & (done == 0)) ? next : a->left[l];
    a->open[l] = done ? K(0) : a->open[l];
  }
}

DEV_FN void NAME(keep_second)(NAME(angle_integral) *a) {
  LANE_LOOP(l) {
    a->f_from[l] = a->g.f[l];
    a->slope_from[l] = a->g.slope[l];
    a->depth[l] = a->g.h[l];
    a->second[l] = a->left[l];
    a->left[l] = a->first[l];
  }
}

/* The anchor, at the higher hump, and the brackets of the cut-offs. */
DEV_FN void NAME(find_anchor)(NAME(angle_integral) *a) {
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(&a->k.of, l);
    const real h1 = a->g.h[l], h2 = a->depth[l];
    const real top = max_(h1, h2), peak = h1 < h2 ? a->second[l] : a->first[l], u = a->k.side[l] * peak;
    const real l_hump = min_(a->first[l], a->second[l]), r_hump = max_(a->first[l], a->second[l]);
    const flag left_high = (a->first[l] < a->second[l] ? h1 : h2) > top - CUT;
    const flag right_high = (a->first[l] < a->second[l] ? h2 : h1) > top - CUT;
    const stable_angle_pair ab = stable_angles(p.l, u);
    const stable_arguments s = stable_sines(p, ab);
    real s1, c1, s2, c2, s3, c3;
    sincos_(s.b, &s1, &c1);
    sincos_(s.aa, &s2, &c2);
    sincos_(s.sum, &s3, &c3);
    a->k.u0[l] = u;
    a->k.f0[l] = h1 < h2 ? a->f_from[l] : a->g.f[l];
    a->k.b0[l] = ab.b;
    a->k.cot_b[l] = (ab.b > 2 ? K(-1) : K(1)) * c1 / s1;
    a->k.cot_aa[l] = s.flip * c2 / s2;
    a->k.cot_sum[l] = (s.sum == s.eta ? K(-1) : K(1)) * c3 / s3;
    a->hmax[l] = top;
    /* in light tails h is log g - g at the peak, and I1 the size of e^-g */
    a->shift[l] = ((top < K(-300)) & (a->k.f0[l] >= 0)) ? a->k.f0[l] - top : K(0);
    a->to_g[l] = exp_core_(stable_base(a->k.f0[l]));
    a->low[l] = left_high ? -V_MAX : l_hump;
    a->high[l] = left_high ? l_hump : r_hump;
    /* left of a hump h falls by the slope of log g and, at most, 1 for the weight */
    const real slope = max_(a->first[l] < a->second[l] ? a->g.slope[l] : a->slope_from[l], K(0));
    a->left[l] = max_(a->high[l] - CUT / (1 + slope), K(0.5) * (a->low[l] + a->high[l]));
#if JOINT
    /* where g < 1 at the humps the tails need what follows, however small h is there */
    const flag outer = right_high | (a->root_of[l] > 0);
    a->right[l] = outer ? r_hump : l_hump;
    a->from[l] = outer ? V_MAX : r_hump;
#else
    a->right[l] = right_high ? r_hump : l_hump;
    a->from[l] = right_high ? V_MAX : r_hump;
#endif
    a->open[l] = 1;
  }
}

/* Humps, anchor and cut-offs. Searches, and single looks between them, are all at left: so there is one place from
 * which log g is asked for, and a GPU's kernel, where that is inlined, is half as long. */
DEV_FN void NAME(find_range)(NAME(angle_integral) *a) {
  ROLLED
  for (i32 task = SEEK_ZERO; task <= LOOK_AT_START; task++) {
    const i32 look = task == LOOK_AT_SECOND || task == LOOK_AT_FIRST || task == LOOK_AT_START;
    const i32 hump = task == SEEK_HUMP || task == SEEK_OTHER_HUMP;
    if (hump) NAME(from_end_to_end)(a, task);
    if (task == SEEK_RIGHT) NAME(from_right)(a);
    for (i32 n_try = 0; n_try < (look ? 1 : 80); n_try++) {
      if (!look && !any_lane(a->open)) break;
      stable_find_levels(&a->k, a->left, &a->g);
      if (task == SEEK_ZERO) NAME(step_to_zero)(a, n_try);
      if (hump) NAME(step_to_hump)(a);
      if (task == SEEK_LEFT) NAME(step_to_left)(a, n_try);
      if (task == SEEK_RIGHT) NAME(step_to_right)(a, n_try);
    }
    if (task == LOOK_AT_SECOND) NAME(keep_second)(a);
    if (task == LOOK_AT_FIRST) NAME(find_anchor)(a);
    if (task == SEEK_RIGHT)
      LANE_LOOP(l) {
        a->right[l] = a->left[l];
        a->left[l] = a->v[l];
      }
  }
}

/* From here on v counts from the anchor: next to it log g may change 1e5 times as fast as v. */
DEV_FN void NAME(begin_panels)(NAME(angle_integral) *a) {
  LANE_LOOP(l) {
    a->f_from[l] = a->g.f[l];
    a->slope_from[l] = a->g.slope[l];
    a->tilt[l] = a->g.h_slope[l];
    a->depth[l] = max_(a->hmax[l] - a->g.h[l], K(0));
    const real origin = a->k.side[l] * a->k.u0[l];
    a->from[l] = a->left[l] - origin;
    a->right[l] -= origin;
    a->sum[l] = 0;
#if JOINT
    const real e = exp_core_(clamp_(a->g.f[l], K(-700), K(700)));
    const real d = a->k.of.l[l] * (a->k.side[l] > 0 ? a->g.a[l] : a->g.b[l]); /* times L, as all sums are */
    a->rest[l] = a->k.side[l] > 0 ? a->g.b[l] : a->g.a[l];
    a->sum_1[l] = d * exp_(a->shift[l] - e);
    a->sum_2[l] = d * -expm1_(-e);
#endif
  }
}

/* How far a panel reaches: log g may grow to target, where it is expected first by its slope. */
DEV_FN void NAME(aim_panel)(NAME(angle_integral) *a) {
  LANE_LOOP(l) {
    /* For small alpha h is flat within alpha^(-1/2) of the place where g is 1/alpha, and g grows by as much there.
     * 16 nodes integrate e^h over a change of h by 15 to 1e-16. */
    const real f = a->f_from[l], wide = 2 / sqrt(a->k.of.alpha[l]);
    const real most_g = fabs(a->k.of.am1[l]) < K(0.35) ? K(8) : clamp_(wide, K(12), K(40));
    /* Where the integrand is e^-deep of the peak a relative error of e^(deep - 38) will do, and with an error of
     * r^-32, r about inverse to the length, lengths may grow by e^(deep/32). What counts is where it is largest on
     * the panel, to the right if it rises, by 1 per unit of v for the weight: hence 0.88 = e^(-4/32) below, and a
     * quarter of deep - 10 for growth. For I1, e^-g is (g0/g) e^-deep of its peak where g > 1, and where g < 1 it
     * is the weight, at the depth of_weight, less what is as small as g. */
#if JOINT
    const real lost = max_(a->k.f0[l], K(0)) - max_(f, K(0)), deep = max_(a->depth[l] - max_(lost, K(0)), K(0));
    const real of_weight = f < F_TURN ? min_(deep, a->depth[l] + f - a->k.f0[l]) : deep;
#else
    const real deep = a->depth[l], of_weight = deep;
#endif
    const real wider = max_(K(1), K(0.8825) * exp_rough_(K(0.03125) * of_weight));
    const real less = exp_rough_(K(0.03125) * deep);
    const real by_g = log_(exp_core_(clamp_(f, K(-700), K(700))) + max_(most_g, min_(most_g, K(15)) * less));
    const real most_f = 10 + max_(K(0.25) * (deep - 10), K(0));
    const real small = f + most_f < K(-3) ? f + most_f : max_(f + 2, K(-3));
    const real large = f > K(1.8) ? by_g : min_(f + 2, by_g);
    a->target[l] = f < K(-3) ? small : large;
    a->low[l] = a->from[l];
    const stable_kinks kinks = {a->kink_1[l], a->kink_2[l], a->kink_3[l]};
    const real at_from = a->k.side[l] * a->k.u0[l] + a->from[l], most_h = 8 + max_(K(0.2) * (of_weight - 10), K(0));
    const real flat = min_(most_h / max_(fabs(a->tilt[l]), K(1e-3)), wider * wide);
    const real widest = max_(K(10), flat);
    a->high[l] = min_(a->from[l] + stable_panel_width(at_from, f, kinks, widest, wider), a->right[l]);
    const real aim = a->from[l] + K(0.9) * (a->target[l] - f) / a->slope_from[l];
    a->v[l] = ((aim > a->low[l]) & (aim < a->high[l])) ? aim : a->high[l];
    a->open[l] = a->from[l] < a->right[l] ? K(1) : K(0);
  }
}

DEV_FN void NAME(step_to_end)(NAME(angle_integral) *a, i32 n_try) {
  LANE_LOOP(l) {
    const real span = a->target[l] - a->f_from[l];
    const flag on = a->open[l] != 0;
    const flag over = a->g.f[l] > a->target[l] + K(0.05) * span;
    const flag far_enough = (a->v[l] >= a->high[l]) | (a->g.f[l] > a->f_from[l] + K(0.6) * span);
    const flag enough = (a->g.f[l] <= a->target[l] + K(0.05) * span) & far_enough;
    const real lo = over ? a->low[l] : a->v[l], hi = over ? a->v[l] : a->high[l];
    const real aim = a->v[l] - (a->g.f[l] - (a->f_from[l] + K(0.9) * span)) / a->g.slope[l];
    const flag inside = (aim > lo) & (aim < hi) & ((n_try & 3) != 3);
    const flag done = (enough) | (hi - lo <= K(1e-15) * fabs(lo));
    const flag to_end = (aim >= hi) & (over == 0);
    a->low[l] = on ? lo : a->low[l];
    a->high[l] = on ? hi : a->high[l];
    const real between = to_end ? hi : K(0.5) * (lo + hi), next = inside ? aim : between;
    a->open[l] = done ? K(0) : a->open[l];
    a->v[l] = ((a->open[l] != 0) & (n_try < 39)) ? next : a->v[l];
  }
}

DEV_FN void NAME(end_panel)(NAME(angle_integral) *a) {
  for (i32 n_try = 0; n_try < 40; n_try++) {
    LANE_LOOP(l) a->left[l] = a->k.side[l] * a->k.u0[l] + a->v[l];
    stable_find_levels(&a->k, a->left, &a->g);
    NAME(step_to_end)(a, n_try);
    if (!any_lane(a->open)) break;
  }
  /* g is what it is at v */
  LANE_LOOP(l) {
    const flag on = a->from[l] < a->right[l];
    a->width[l] = on ? K(0.5) * (a->v[l] - a->from[l]) : K(0);
    a->from[l] = on ? a->v[l] : a->from[l];
#if JOINT
    a->low[l] = a->f_from[l] < F_TURN ? K(1) : K(0);
    a->rest[l] = (on & (a->low[l] != 0)) ? (a->k.side[l] > 0 ? a->g.b[l] : a->g.a[l]) : a->rest[l];
#endif
    a->f_from[l] = on ? a->g.f[l] : a->f_from[l];
    a->slope_from[l] = on ? a->g.slope[l] : a->slope_from[l];
    a->tilt[l] = on ? a->g.h_slope[l] : a->tilt[l];
    a->depth[l] = on ? max_(a->hmax[l] - a->g.h[l], K(0)) : a->depth[l];
  }
}

DEV_FN void NAME(sum_panel)(NAME(angle_integral) *a) {
  for (i32 node = 0; node < PANEL_NODES; node++) {
    const real gx = node < 8 ? gauss_x[node] : -gauss_x[node - 8], gw = gauss_w[node & 7];
    LANE_LOOP(l) a->left[l] = a->k.side[l] * (a->from[l] + a->width[l] * (gx - 1)); /* tau */
    stable_find_nodes(&a->k, a->left, &a->g);
    LANE_LOOP(l) {
      /* g e^-g relative to g of the peak and, in light tails, to e^-shift */
      const real ratio = exp_core_(clamp_(a->g.f[l] - stable_base(a->k.f0[l]), K(-700), K(700)));
      const real weight = gw * a->width[l] * a->g.a[l] * a->g.b[l];
      const real power = max_(a->shift[l] - ratio * a->to_g[l], K(-700)), e = exp_core_(power);
      a->sum[l] += ratio * e * weight;
#if JOINT
      a->sum_1[l] += e * weight;
      /* where g > 2, rest takes the 1 of 1 - e^-g, and the error of e^-g alone remains */
      const real other = a->shift[l] > 0 ? K(0) : -e;
      a->sum_2[l] += (a->low[l] != 0 ? (a->shift[l] > 0 ? K(1) : -expm1_core_(power)) : other) * weight;
#endif
    }
  }
}

DEV_FN void NAME(angles_end)(NAME(angle_integral) *a, const i32 *idx, DEV_GLOBAL real *work, i32 cap) {
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const flag short_of = a->from[l] < a->right[l]; /* PANEL_MAX was not enough */
    const real scale = stable_log_factor(block_distribution(&a->k.of, l), block_point(&a->k.of, l));
    const real value = scale + stable_base(a->k.f0[l]) - a->shift[l] + log_(a->sum[l] / a->k.of.l[l]);
    WORK(POINT_LOG_F, i) = short_of ? NAN_ : value;
#if JOINT
    const real with_l = 1 / a->k.of.l[l];
    a->sum_1[l] *= with_l;
    a->sum_2[l] = FMA(a->sum_2[l], with_l, a->rest[l]);
    const flag above = a->k.of.alpha[l] > 1, end = a->k.of.r[l] == 0;
    const real log_1 = log_(a->sum_1[l]) - LOG_PI_ - a->shift[l];
    const real with_1 = end ? log_1 : log_(a->k.of.r[l] * (1 / PI_) + exp_(log_1));
    const real log_2 = log_(above ? a->k.of.r[l] + a->sum_2[l] : a->sum_2[l]) - LOG_PI_;
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

DEV_BLOCK_FN void NAME(over_angles)(i32 block, KERNEL_ARGS) {
  OVER_LIST(LIST_ANGLE);
  SET_OF_LANES(set);
  NAME(angle_integral) a;
  NAME(angles_begin)(&a, idx, set, set_in, set_work, set_cap, work, cap);
  NAME(find_range)(&a);
  NAME(begin_panels)(&a);
  for (i32 panel = 0; panel < PANEL_MAX; panel++) {
    i32 any = 0;
    for (i32 l = 0; l < LANES; l++) any |= a.from[l] < a.right[l];
    if (!any) break;
    NAME(aim_panel)(&a);
    NAME(end_panel)(&a);
    NAME(sum_panel)(&a);
  }
  NAME(angles_end)(&a, idx, work, cap);
}
