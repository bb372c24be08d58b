/* stable_angle.h: the Zolotarev-Nolan angle integral on panels, for what the rays refuse.
 *
 *   alpha != 1: f = alpha |e1|/(pi y) int g e^-g da,  alpha = 1: f = 1/(2 beta) int g e^-g da,
 * in the logistic variable u: a = L/(1 + e^-u), da = a b/L du. v = u (alpha <= 1) or -u (alpha > 1) makes g increase.
 * The integrand is e^h, h = log g - g + log(a b/L). Steps: the humps of h, one near g = 1 and one where the weight
 * a b is large, the outermost points where h is 38 below the higher of the two, then panels of 16 Gauss-Legendre
 * nodes from left to right. A panel spans 2 or 3 in v, and more far from singularities (stable_panel_width()), unless
 * log g grows by more than 10 where g is small (log g < -3), or by 2 or g by 8 elsewhere (by 12 where |alpha - 1| >
 * 0.35, by more for small alpha), so that e^h is a low-degree polynomial on it to 1e-15. All of these grow where e^h
 * is far below its peak.
 * Everything is summed relative to the peak and a log returned: light tails keep their relative accuracy.
 *
 * The tails take the same nodes: with I1 = int e^-g da and I2 = int (1 - e^-g) da over (0, L), I1 + I2 = L,
 *   alpha > 1: P(X > x) = I1/pi, P(X <= x) = R/pi + I2/pi;  alpha <= 1: P(X > x) = I2/pi, P(X <= x) = R/pi + I1/pi.
 * Left of the panels e^-g is taken as constant, so that the left end of the range, at distance d, gives d e^-g and
 * d (1 - e^-g), with an error below d |g - gmin|. From the first panel on that begins with g > 2 I2 is the distance d
 * of the right end less the integral of e^-g: right of the panels neither gets anything. So the panels must reach to
 * where d e^-g, and not only d g e^-g, is e^-38 of the peak. */
#ifndef STATCL_STABLE_ANGLE_H
#define STATCL_STABLE_ANGLE_H

#define PANEL_NODES 16
#define PANEL_MAX 2048
#define CUT K(38.0)
#define PANEL_WIDTH K(2.0)
#define PANEL_FAR K(3.0)
#define F_TURN K(0.7) /* log g where 1 - e^-g is split */
#define V_MAX K(340.0) /* products of two sines stay normal numbers */

/* Gauss-Legendre, 16 points on [-1, 1] (positive half; Abramowitz and Stegun table 25.4). tools/gauss_legendre.py */
DEV_CONST real gauss_x[8] = {K(0.09501250983763744), K(0.2816035507792589), K(0.45801677765722737),
                             K(0.6178762444026438), K(0.755404408355003), K(0.8656312023878318),
                             K(0.9445750230732326), K(0.9894009349916499)};
DEV_CONST real gauss_w[8] = {K(0.1894506104550685), K(0.18260341504492358), K(0.16915651939500254),
                             K(0.14959598881657674), K(0.12462897125553388), K(0.09515851168249279),
                             K(0.062253523938647894), K(0.027152459411754096)};

/* The distributions and points of a block, and the anchor of log g near the peak. */
typedef struct {
  stable_block of;
  real factor[LANES], u0[LANES], f0[LANES], b0[LANES], cot_b[LANES], cot_aa[LANES], cot_sum[LANES];
  real side[LANES]; /* v = side * u */
} stable_anchor;

/* Values of g are relative to e^base at nodes. */
DEV_FN real stable_base(real f0) { return clamp_(f0, K(-600), K(600)); }

DEV_FN real sinc_(real x) {
  const real safe = fabs(x) < K(1e-8) ? K(1) : x;
  const real ratio = sin_(safe) / safe;
  return fabs(x) < K(1e-8) ? K(1) : ratio;
}

/* log g, the angles, the slope of log g in v, h and h' at v of each lane; plain accuracy, for peaks, cut-offs and
 * panel ends. */
typedef struct {
  real f[LANES], a[LANES], b[LANES], slope[LANES], h[LANES], h_slope[LANES];
} stable_levels;
DEV_BLOCK_FN void stable_find_levels(const stable_anchor *k, const real *v, stable_levels *at) {
  stable_log_g_block g;
  real u[LANES];
  LANE_LOOP(l) u[l] = k->side[l] * v[l];
  stable_find_log_g(&k->of, u, &g);
  LANE_LOOP(l) {
    const real side = k->side[l], size = k->of.l[l], a = g.a[l], b = g.b[l];
    const real e = exp_(min_(g.value[l], K(700))), slope = side * g.slope[l];
    at->f[l] = g.value[l];
    at->a[l] = a;
    at->b[l] = b;
    at->slope[l] = slope;
    at->h[l] = g.value[l] - e + log_(a * (b / size));
    at->h_slope[l] = (1 - e) * slope + side * (b - a) / size;
  }
}

/* Panels may be the wider the farther they are from the singularities of the integrand. All of these are at Im v =
 * pi or -pi, where a is real but outside of (0, L). Their real parts are 0, where a and b have a pole, and where a
 * sine vanishes beyond an end: beyond the one where g is small at the distances R and R/(1 - alpha) for alpha < 1,
 * delta/alpha and delta/(alpha - 1) for alpha > 1, beyond the other at delta/alpha or R. The first two are gone
 * where |beta| = 1; at alpha = 1 both are where q of stable_log_g() is 0, at the distance pi (1 - beta)/(2 beta). */
typedef struct {
  real first, second, last; /* first <= second <= 0 <= last */
} stable_kinks;
DEV_FN stable_kinks stable_find_kinks(const stable_distribution p) {
  const flag above = p.alpha > 1, at_one = p.am1 == 0, gone = stable_has_minimum(p);
  const real of_one = PIO2_ * (1 - p.beta) / p.beta, below = at_one ? of_one : p.r, gap = above ? p.delta : below;
  const real own = above ? p.alpha : K(1), am1 = at_one ? K(1) : fabs(p.am1);
  stable_kinks k;
  k.first = gone ? K(0) : -log1p_(p.l * max_(own, am1) / gap);
  k.second = gone ? K(0) : -log1p_(p.l * min_(own, am1) / gap);
  k.last = log1p_(p.l / (above ? p.r : p.delta / p.alpha));
  return k;
}
DEV_FN real stable_kink_width(real v, real kink, real width) {
  return min_(width, kink > v ? K(0.5) * (kink - v) : K(0.8) * (v - kink));
}

/* The widest panel from v on, where log g is f. Gauss's rule of n nodes has an error of the order of r^(-2n), r
 * the sum of the half axes, in units of half the panel's width, of an ellipse with the panel's ends as its foci
 * inside of which the integrand is analytic and not large. For a width of 2 and a singularity above its middle r is
 * 6.4 and r^-32 = 1e-26; at a distance d along the axis a width of d/2 to the left and of 0.8 d to the right of it
 * have more. What is left for e^-g, which grows in the complex plane, is what the limits of its growth in the kernel
 * ask for; where g is not small, or grows at once as it does beside the first two singularities, no panel is wider
 * than 2 for the sake of a pole alone, times wider, which says what the depth of e^h below its peak allows. Of 2e6
 * densities no log changes by more than 7.4e-15 of itself, or of 1, and of their tails by 3e-15, when all panels are
 * half as long. */
DEV_FN real stable_panel_width(real v, real f, const stable_kinks k, real widest, real wider) {
  const real left = stable_kink_width(v, k.second, stable_kink_width(v, k.first, widest));
  const flag near = ((k.first > v - 3) & (k.first < v + 5)) | ((k.second > v - 3) & (k.second < v + 5));
  const real least = (near | (f > F_TURN)) ? PANEL_WIDTH : PANEL_FAR;
  return max_(wider * least, stable_kink_width(v, k.last, stable_kink_width(v, K(0), left)));
}

/* log g at a node. The common case gathers each power in one log: e1 log((y/A) sin b/sin(alpha a)) + log(y sin eta/
 * sin(alpha a)) loses e1 ulps. For small alpha, where e1 is near -1 and y may be 1e-30, the two logs would cancel:
 * there the power of y is alpha e1 alone, alpha e1 log(y sin eta/sin(alpha a)) + e1 log(sin b/(A sin eta)); an
 * extreme y is 1 there, and the factor holds y^alpha. */
DEV_FN real stable_node_plain(const stable_anchor *k, i32 l, stable_angle_pair ab) {
  const stable_distribution p = block_distribution(&k->of, l);
  const stable_arguments s = stable_sines(p, ab);
  const real sin_aa = sin_core_(s.aa), sin_sum = sin_core_(s.sum), power = p.alpha < K(0.5) ? p.alpha * p.e1 : K(1);
  const real to_aa = 1 / sin_aa;
  return p.e1 * log_core_(k->factor[l] * (sin_core_(s.b) * (p.alpha < K(0.5) ? 1 / sin_sum : to_aa))) +
         power * log_core_(k->of.y[l] * (sin_sum * to_aa));
}

/* stable_log_g() at angles that are known, alpha >= 1/2: sin eta from half of its argument, and one log for both
 * forms of the bracket; and its limit at alpha = 1. */
DEV_FN real stable_node_careful(const stable_anchor *k, i32 l, stable_angle_pair ab) {
  const stable_distribution p = block_distribution(&k->of, l);
  const stable_arguments s = stable_sines(p, ab);
  real sin_aa, cos_aa, sin_half, cos_half;
  sin_aa = sincos_node_(s.aa, &cos_aa);
  sin_half = sincos_node_(K(0.5) * s.sum, &cos_half);
  const real sin_sum = 2 * sin_half * cos_half, low_half = s.sum == s.eta ? sin_half : cos_half, to_aa = 1 / sin_aa;
  const real gap = s.flip * cos_aa * to_aa * sin_sum - 2 * low_half * low_half;
  const flag near = (fabs(p.am1) < K(0.35)) & (p.l > 2) & (gap > K(-0.5));
  const real ratio = near ? 1 + gap : sin_node_(s.b) * to_aa, lost = near ? gap - (ratio - 1) : K(0);
  const real with_y = clamp_(k->of.y[l] * (sin_sum * to_aa), K(1e-300), K(1e300));
  return k->of.c0[l] + p.e1 * log_sum_(ratio, lost) + log_core_(with_y);
}
DEV_FN real stable_node_at_1(const stable_anchor *k, i32 l, stable_angle_pair ab) {
  const real beta = k->of.beta[l], to_beta = 1 / beta, q = PIO2_ * (1 - beta) + beta * ab.a;
  const flag turn = ab.b > 2;
  real sin_b, cos_b;
  sin_b = sincos_node_(turn ? ab.a + k->of.r[l] : ab.b, &cos_b);
  const real q_by_sin = q / sin_b;
  return (q_by_sin * (turn ? -cos_b : cos_b) - PIO2_ * k->of.x[l]) * to_beta + (LOG_2_OVER_PI_ + log_core_(q_by_sin));
}

/* The forms of log g where e1 is large or g has a positive minimum: relative to the anchor (|tau| < 0.7) all three
 * sine ratios are log1p of small numbers; at distance d < 0.5 from a minimum everything is in sinc(d); else
 * stable_node_careful(), and for alpha < 1/2, where e1 is not large, the common form. dist: from the end where g is
 * small. */
enum { NODE_SLOW, NODE_CAREFUL, NODE_AT_1, NODE_ANCHORED, NODE_LOW, NODE_FORMS };
DEV_FN real stable_node_form(const stable_anchor *k, i32 l, real tau, real dist) {
  const stable_distribution p = block_distribution(&k->of, l);
  const flag near_1 = fabs(p.am1) <= NEAR1, near = fabs(p.am1) < K(0.35);
  const flag far = near & (p.l > 2) & stable_is_far(p, block_point(&k->of, l));
  const flag low = stable_has_minimum(p) & (dist < K(0.5)) & (p.am1 != 0);
  const real away = (far | (fabs(tau) >= K(0.7))) ? K(NODE_CAREFUL) : K(NODE_ANCHORED);
  const real form = low ? K(NODE_LOW) : (p.am1 == 0 ? K(NODE_AT_1) : away);
  const flag special = near_1 | stable_has_minimum(p);
  return ((p.alpha < K(0.5)) | !special) ? K(NODE_SLOW) : form;
}
/* a - a0 = d */
DEV_FN real stable_node_anchored(const stable_anchor *k, i32 l, real tau) {
  const stable_distribution p = block_distribution(&k->of, l);
  const real t = fabs(tau) < K(0.7) ? tau : K(0);
  const real q = exp_core_(-fabs(k->u0[l])), e = exp_core_(-t);
  const real d = -expm1_core_(-t) * k->b0[l] * (k->u0[l] < 0 ? q / (q + e) : 1 / (1 + q * e));
  real s1, c1, s2, c2, s3, c3;
  s1 = sincos_node_(K(0.5) * d, &c1);
  s2 = sincos_node_(K(0.5) * p.alpha * d, &c2);
  s3 = sincos_node_(K(0.5) * p.am1 * d, &c3);
  const real lp = log1p_(2 * s1 * (-k->cot_b[l] * c1 - s1));
  const real lq = log1p_(2 * s2 * (k->cot_aa[l] * c2 - s2));
  const real lm = log1p_(2 * s3 * (k->cot_sum[l] * c3 - s3));
  return k->f0[l] + p.e1 * (lp - lq) - lq + lm;
}
DEV_FN real stable_node_low(const stable_anchor *k, i32 l, stable_angle_pair ab) {
  const stable_distribution p = block_distribution(&k->of, l);
  const real dist = min_(p.alpha > 1 ? ab.b : ab.a, K(0.5));
  const real sinc_m = sinc_(p.am1 * dist), sinc_a = sinc_(p.alpha * dist), half_sin = sin_(K(0.5) * p.am1 * dist);
  const real ratio = sinc_m / sinc_a;
  const flag near = fabs(p.am1) < K(0.35);
  const real bracket = -(p.am1 / p.alpha) * cos_(p.alpha * dist) * ratio - 2 * half_sin * half_sin;
  const real log_bracket = near ? log1p_(bracket) : log_(sinc_(dist) / (sinc_a * p.alpha));
  return k->of.c0[l] + p.e1 * log_bracket + log_(k->of.y[l] * ratio * fabs(p.am1) / p.alpha);
}

/* log g and the angles, and no more, at the distance tau in u from the anchor. */
DEV_BLOCK_FN void stable_find_nodes(const stable_anchor *k, const real *tau, stable_levels *node) {
  real form[LANES];
  i32 any[NODE_FORMS];
  LANE_LOOP(l) {
    const real u = k->u0[l] + tau[l];
    const stable_angle_pair ab = stable_angles_of(k->of.l[l], u, exp_core_(-min_(fabs(u), K(700))));
    node->a[l] = ab.a;
    node->b[l] = ab.b;
    node->f[l] = 0;
    form[l] = stable_node_form(k, l, tau[l], k->of.alpha[l] > 1 ? ab.b : ab.a);
  }
  for (i32 j = 0; j < NODE_FORMS; j++) {
    any[j] = 0;
    for (i32 l = 0; l < LANES; l++) any[j] |= form[l] == j;
  }
#define NODES_OF(which, value)                                                                               \
  if (any[which])                                                                                            \
    LANE_LOOP(l) {                                                                                           \
      const stable_angle_pair ab = {node->a[l], node->b[l]};                                                 \
      const real of_form = value;                                                                            \
      (void)ab;                                                                                              \
      node->f[l] = form[l] == which ? of_form : node->f[l];                                                  \
    }
  NODES_OF(NODE_SLOW, stable_node_plain(k, l, ab))
  NODES_OF(NODE_CAREFUL, stable_node_careful(k, l, ab))
  NODES_OF(NODE_AT_1, stable_node_at_1(k, l, ab))
  NODES_OF(NODE_ANCHORED, stable_node_anchored(k, l, tau[l]))
  NODES_OF(NODE_LOW, stable_node_low(k, l, ab))
#undef NODES_OF
}

#endif
