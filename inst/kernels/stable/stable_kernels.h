/* stable_kernels.h: alpha-stable distributions, one kernel per region (notation in stable.h). Included once per
 * program: JOINT 0 (program stable) gives densities, JOINT 1 (stable_joint) densities and both tails; SLOPE 1
 * (stable_slope) densities with their derivatives, from the rays alone: what they refuse is left to the host.
 *
 *   param      per parameter set: T in two doubles, log A, L, R, delta of both orientations
 *   locate     per point: orientation, closed forms, and the list of the form that will evaluate it
 *   series     tail: log A - alpha log y < log 0.05
 *   ray        inversion integral along a ray, |alpha - 1| > 0.2
 *   ray_fine   the same with twice the nodes, for points where even and odd nodes disagree
 *   ray_near1, ray_near1_fine  the same with the exponent in S0 form, |alpha - 1| <= 0.2
 *   light      the light side of |beta| = 1: the trapezoidal rule of stable_light.h
 *   angle      Zolotarev-Nolan angle integral on panels: what the rays refuse
 *   finish, tail_finish, joint_finish  scale, side and, unless logs were asked for, exp
 * A kernel that finds its form unfit for a point hands the point on to a later list. Results are kept as logs, so
 * that light tails hold their relative accuracy; of the two tails the smaller is computed, and the other is 1 less
 * it. */
#include "kernels/stable/stable_ray.h"
#if !SLOPE
#include "kernels/stable/stable_light.h"
#include "kernels/stable/stable_angle.h"
#endif

#if SLOPE
#define NAME(kernel) stable_slope_##kernel
#elif JOINT
#define NAME(kernel) stable_joint_##kernel
#else
#define NAME(kernel) stable_##kernel
#endif

#define PARAM_KERNEL NAME(param)
#include "kernels/stable/stable_param_kernel.h"
#undef PARAM_KERNEL

/* Why only the logarithm of a standard point is known. */
#define OVERFLOWS 1
#define UNDERFLOWS 2

/* A block's points as locate() takes them. Most calls have pm = 0: `plain`, which drops what other forms cost. */
typedef struct {
  real alpha[LANES], beta[LANES], pm[LANES], mode[LANES], t[LANES], t_low[LANES];
  real x_in[LANES], location[LANES], scale[LANES];
  real x[LANES], gap[LANES], gamma[LANES], side[LANES], known[LANES], over[LANES];
} NAME(user_points);
DEV_FN void NAME(standardise)(NAME(user_points) *u, stable_block *k, flag plain) {
  LANE_LOOP(l) {
    const real alpha = u->alpha[l], beta = u->beta[l], pm = plain ? K(0) : u->pm[l];
    const real mode = plain ? K(0) : u->mode[l], x_in = u->x_in[l], location = u->location[l], scale = u->scale[l];
    const flag known_pm = (pm == 0) | (pm == 1) | (pm == 2);
    const real gap = x_in - location;
    const stable_standard_point v =
        stable_standard(alpha, beta, pm, mode, u->t[l], u->t_low[l], scale, x_in, location);
    const flag numbers = (x_in == x_in) & (location == location) & ((scale >= INF_) | (gap == gap));
    const flag valid =
        (alpha > 0) & (alpha <= 2) & (fabs(beta) <= 1) & (scale >= 0) & known_pm & numbers;
    /* the rays take the Cauchy distribution as the limit of alpha -> 1, not of beta -> 0: L = pi/2 */
    const flag at_one = (alpha == 1) & ((SLOPE == 0) | (beta != 0));
    const real side = at_one ? (beta < 0 ? K(-1) : K(1)) : ((v.y < 0) | ((v.y == 0) & (gap < 0)) ? K(-1) : K(1));
    /* where y is not the user's gap it cannot underflow */
    const flag ranged = (fabs(gap) < INF_) & (v.gamma > 0) & (SLOPE == 0), beyond = (fabs(v.x) >= INF_) & ranged;
    const flag from_gap = (alpha != 1) & ((pm == 1) | (u->t[l] == 0));
    const flag within = (fabs(v.y) < K(1e-290)) & (gap != 0) & (v.gamma < INF_) & from_gap & ranged;
    const real numbered = gap == gap ? K(2) : K(1); /* 1: x and delta are the same infinity */
    const real y = fabs(v.y);
    u->x[l] = v.x;
    u->gap[l] = gap;
    u->gamma[l] = v.gamma;
    u->side[l] = side;
    u->known[l] = valid ? numbered : K(0);
    u->over[l] = beyond ? K(OVERFLOWS) : (within ? K(UNDERFLOWS) : K(0));
    k->x[l] = side * v.x;
    k->y[l] = y;
    k->log_y[l] = log_(y == 0 ? K(1) : y);
  }
}

/* Where the standard point over- or underflows, though not the user's, its logarithm is all that a tail needs, or for
 * small alpha any point. */
DEV_FN void NAME(extreme_points)(const NAME(user_points) *u, stable_block *k) {
  LANE_LOOP(l) {
    const real gap = u->gap[l], gamma = u->gamma[l], side = u->side[l];
    const real log_gap = log_(gap == 0 ? K(1) : fabs(gap)) - log_(gamma > 0 ? gamma : K(1));
    const flag beyond = u->over[l] == OVERFLOWS, within = u->over[l] == UNDERFLOWS;
    k->x[l] = beyond ? (side * u->x[l] > 0 ? REAL_MAX_ : -REAL_MAX_) : k->x[l];
    k->y[l] = beyond ? REAL_MAX_ : (within ? K(1e-290) : k->y[l]);
    k->log_y[l] = (beyond | within) ? log_gap : k->log_y[l];
  }
}

/* The log density where it is in closed form, and the list of the point. */
typedef struct {
  real value, list_of;
  flag heavy; /* by a form that makes do with log y */
} NAME(closed_form);
DEV_FN NAME(closed_form) NAME(find_closed)(const NAME(user_points) *u, const stable_block *k, i32 l, real log_gmin,
                                           real lgam_inverse, real lgam_next, real lgam_twice) {
  const stable_distribution p = block_distribution(k, l);
  const stable_point z = block_point(k, l);
  const real side = u->side[l], alpha = p.alpha, beta = side * p.beta, am1 = p.am1, x0 = u->x[l];
  const real ax = fabs(x0);
  const real normal = K(-0.25) * x0 * x0 - LOG_2_SQRT_PI_;
  const real small_x = min_(ax, K(1e9));
  const flag beyond = u->over[l] == OVERFLOWS;
  const real log_ax = beyond ? z.log_y : log_(ax > 0 ? ax : K(1));
  const real cauchy = -LOG_PI_ - (ax > K(1e8) ? 2 * log_ax : log1p_(small_x * small_x));
  /* f(zeta) = Gamma(1 + 1/alpha) cos(theta0)/(pi A^(1/alpha)), cos(theta0) = sin L */
  const real at_zeta = lgam_next + log_(sin_(min_(p.l, p.r))) - LOG_PI_ - p.log_a / alpha;
  /* and closer to zeta than the first-order term, y Gamma(2/alpha)/(Gamma(1/alpha) A^(1/alpha)), can show: below
   * e^-40 = 4e-18 of the density */
  const real first_order = lgam_twice - lgam_inverse - p.log_a / alpha + z.log_y;
  const real log_z = p.log_a - alpha * z.log_y;
  const flag tail = (log_z < K(-2.9957322735539909)) & (p.delta > 0) & (am1 != 0);
  const real ray = fabs(am1) <= NEAR1 ? K(LIST_RAY_NEAR1) : K(LIST_RAY);
  const real not_tail = log_gmin > K(1.791759469228055) ? stable_angle_list(p) : ray;
#if SLOPE
  real list_of = fabs(am1) < CLOSE_TO_1 ? K(LIST_RAY_CLOSE) : (tail ? ray : not_tail);
#else
  real list_of = tail ? K(LIST_SERIES) : not_tail;
#endif
  real value = -INF_;
  /* the later of these wins */
  const flag inner = min_(p.l, p.r) > 0; /* else zeta is an end of the support */
  const real zeta_value = inner ? at_zeta : -INF_;
  const flag is_zeta = (am1 != 0) & ((z.y == 0) | ((first_order < K(-40.0)) & inner));
  value = is_zeta ? zeta_value : value;
  list_of = is_zeta ? K(DONE_ZETA) : list_of;
  const flag is_cauchy = (am1 == 0) & (beta == 0) & (SLOPE == 0);
  value = is_cauchy ? cauchy : value;
  list_of = is_cauchy ? K(DONE_CAUCHY) : list_of;
  const flag vanishing = stable_is_light(p, log_gmin);
  const real in_log = stable_log_factor(p, z) + min_(log_gmin, K(1e3)) + stable_light_log(p, log_gmin);
  value = vanishing ? in_log : value;
  list_of = vanishing ? K(DONE_LIGHT) : list_of;
  /* alpha -> 0: |X|^-alpha becomes exponential, f = alpha (1 + beta)/(2 e y) (1 + O(alpha^2)), and of the side's
   * mass (1 + beta)/2 the part 1 - 1/e is beyond y */
  const flag slight = alpha < K(1e-30);
  const real limit = log_(p.alpha > 0 ? p.alpha : K(1)) - 1 - z.log_y + log_(K(0.5) * (1 + p.beta));
  const real slight_value = z.y == 0 ? INF_ : limit;
  value = slight ? slight_value : value;
  list_of = slight ? K(DONE_SLIGHT) : list_of;
  /* alpha = 1: f = (1 + beta sign(x))/(pi x^2) (1 + O(log|x|/x)) */
  const real heavy = 1 + (x0 > 0 ? beta : -beta);
  const flag remote = (am1 == 0) & (ax > K(1e25)) & (heavy > 0);
  const real remote_value = log_(heavy > 0 ? heavy : K(1)) - LOG_PI_ - 2 * log_ax;
  value = remote ? remote_value : value;
  list_of = remote ? K(DONE_REMOTE) : list_of;
  value = alpha == 2 ? normal : value;
  list_of = alpha == 2 ? K(DONE_NORMAL) : list_of;
  const NAME(closed_form) found = {value, list_of, tail | remote};
  return found;
}

#if JOINT
/* Both tails of points in closed form: from both probabilities at zeta and for alpha -> 0; of the others the smaller
 * tail and its side. */
DEV_FN void NAME(closed_tails)(const NAME(user_points) *u, const stable_block *k, const real *log_gmin, real *go,
                               const i32 *idx, DEV_GLOBAL real *work, i32 cap) {
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const stable_distribution p = block_distribution(k, l);
    const stable_point z = block_point(k, l);
    const real value = WORK(POINT_LOG_F, i), ax = fabs(z.x);
    const real log_ax = u->over[l] == OVERFLOWS ? z.log_y : log_(ax > 0 ? ax : K(1));
    const flag right = z.x > 0;
    const real cauchy = ax == 0 ? -LN2_ : log_(atan2_(K(1), ax)) - LOG_PI_;
    const real normal = log_erfc_(K(0.5) * ax) - LOG_2_;
    const real slight_upper = K(0.5) * (1 + p.beta) * K(0.6321205588285577);
    const real slight_lower = K(0.5) * (1 - p.beta) + K(0.5) * (1 + p.beta) * K(0.36787944117144233);
    const flag is_slight = (go[l] == DONE_SLIGHT) & (z.y > 0);
    const real upper = is_slight ? slight_upper : p.l, lower = is_slight ? slight_lower : p.r;
    const flag by_pair = (go[l] == DONE_ZETA) | (go[l] == DONE_SLIGHT), light = go[l] == DONE_LIGHT;
    const real of_pair = log_(min_(upper, lower)) - (is_slight ? K(0) : LOG_PI_);
    const real from_pair = ((p.beta == 0) & !is_slight) ? -LN2_ : of_pair; /* to the last digit */
    const real in_light = stable_light_log(p, log_gmin[l]) - LOG_PI_;
    const real v1 = go[l] == DONE_CAUCHY ? cauchy : from_pair, v2 = light ? in_light : v1;
    const real v3 = go[l] == DONE_REMOTE ? value + log_ax : v2, v4 = go[l] == DONE_NORMAL ? normal : v3;
    const real v5 = go[l] == DONE_EMPTY ? -INF_ : v4, small = go[l] == DONE_INVALID ? NAN_ : v5;
    const real side_pair = upper < lower ? K(1) : K(-1), side_light = p.alpha > 1 ? K(1) : K(-1);
    const flag at_right = right | ((p.alpha < 1) & (p.l == 0));
    const real side_right = at_right ? K(1) : K(-1);
    const real side_other = by_pair ? side_pair : side_right, side = light ? side_light : side_other;
    const real large = stable_log_other(small);
    const flag done = go[l] < 0;
    WORK(POINT_LOG_UPPER, i) = side > 0 ? small : large;
    WORK(POINT_LOG_LOWER, i) = side > 0 ? large : small;
    WORK(POINT_ERROR, i) = stable_error(value, K(1));
    WORK(POINT_ERROR_SMALL, i) = stable_error(small, K(1));
    go[l] = done ? K(-1) : go[l];
  }
}
#endif

/* All that locate() knows of a block's points, closed forms included. */
DEV_BLOCK_FN void NAME(look_closer)(const NAME(user_points) *u, stable_block *k, real *go, const i32 *idx,
                                    KERNEL_ARGS) {
  const i32 block = 0;
  real log_gmin[LANES], inverse[LANES], next[LANES], twice[LANES];
  real lgam_inverse[LANES], lgam_next[LANES], lgam_twice[LANES];
  KERNEL_UNUSED;
  NAME(extreme_points)(u, k);
  LANE_LOOP(l) {
    inverse[l] = 1 / k->alpha[l];
    next[l] = 1 + inverse[l];
    twice[l] = 2 * inverse[l];
  }
  stable_minimum(k, log_gmin);
  stable_lgam(inverse, lgam_inverse);
  stable_lgam(next, lgam_next);
  stable_lgam(twice, lgam_twice);
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const NAME(closed_form) found =
        NAME(find_closed)(u, k, l, log_gmin[l], lgam_inverse[l], lgam_next[l], lgam_twice[l]);
    const real alpha = k->alpha[l];
    real value = found.value, list_of = found.list_of;
    /* From alpha = 1/2 on log z = log A - alpha log y is below 38 - 709/2 there (T < 6e15), so that whatever has a
     * heavy side is tail; below 1/2 all forms make do with log y, see stable_log_gmin(). */
    const flag held = (u->over[l] == OVERFLOWS) & (found.heavy | (alpha < K(0.5)));
    const flag no_side = (alpha < 1) & (k->l[l] == 0), far_out = (fabs(u->x[l]) >= INF_) & !held;
    const flag gone = no_side | far_out, empty = gone | (u->gamma[l] >= INF_);
    value = empty ? -INF_ : value;
#if JOINT
    list_of = gone ? K(DONE_EMPTY) : list_of;
    const flag placed = u->known[l] == 2;
#else
    list_of = empty ? K(DONE_EMPTY) : list_of;
    const flag placed = u->known[l] != 0;
#endif
    value = u->known[l] != 0 ? value : NAN_;
#if SLOPE
    value = list_of < 0 ? value : NAN_; /* until a ray has it */
#endif
    go[l] = placed ? list_of : K(DONE_INVALID);
#if SLOPE
    WORK(POINT_FORM, i) = FORM_NONE;
#endif
    WORK(POINT_X, i) = k->x[l];
    WORK(POINT_Y, i) = k->y[l];
    WORK(POINT_LOG_Y, i) = k->log_y[l];
    WORK(POINT_SIDE, i) = u->side[l];
    WORK(POINT_LOG_F, i) = value;
  }
#if JOINT
  i32 any = 0;
  for (i32 l = 0; l < LANES; l++) any |= go[l] < 0;
  if (any) NAME(closed_tails)(u, k, log_gmin, go, idx, work, cap);
#endif
}

SORTING_KERNEL(NAME(locate)) {
  OVER_POINTS;
  SET_OF_LANES(set);
  stable_block k;
  NAME(user_points) u;
  real go[LANES], rare[LANES];
  i32 plain = 1, any = 0;
  for (i32 l = 0; l < LANES; l++) {
    const i32 i = idx[l], s = set[l];
    u.alpha[l] = SET_IN(SET_ALPHA, s);
    u.beta[l] = SET_IN(SET_BETA, s);
    u.pm[l] = SET_IN(SET_PM, s);
    u.mode[l] = SET_IN(SET_MODE, s);
    u.t[l] = SET_WORK(DISTRIBUTION_T, s);
    u.t_low[l] = SET_WORK(DISTRIBUTION_T_LOW, s);
    u.x_in[l] = IN(IN_X, i);
    u.location[l] = IN(IN_DELTA, i);
    u.scale[l] = IN(IN_GAMMA, i);
    plain &= u.pm[l] == 0;
  }
  if (plain) NAME(standardise)(&u, &k, 1);
  else NAME(standardise)(&u, &k, 0);
  stable_orient(&k, set, u.side, set_in, set_work, set_cap);
  /* Points that a series or a ray will try, and those that need a closer look: closed forms, ends of the support and
   * light sides of |beta| = 1, overflow, and what is so close to zeta that only the density there may count:
   * log y - log(A)/alpha + lgam(2/alpha) - lgam(1/alpha) < -40, see look_closer(). By Legendre's duplication formula
   * the difference of the two is (2/alpha - 1) log 2 + lgam(1/alpha + 1/2) - log(pi)/2, which falls in alpha, to
   * -log(pi)/2 = -0.5724 at 2: all such points have log y - log(A)/alpha < -39.42, and -39.4 leaves room for
   * rounding. */
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(&k, l);
    const stable_point z = block_point(&k, l);
    const real ray = fabs(p.am1) <= NEAR1 ? K(LIST_RAY_NEAR1) : K(LIST_RAY);
#if SLOPE
    go[l] = fabs(p.am1) < CLOSE_TO_1 ? K(LIST_RAY_CLOSE) : ray;
#else
    const real log_z = p.log_a - p.alpha * z.log_y;
    const flag tail = (log_z < K(-2.9957322735539909)) & (p.delta > 0);
    go[l] = tail ? K(LIST_SERIES) : ray;
#endif
    const flag close = (z.y == 0) | (z.log_y * p.alpha < p.log_a - K(39.4) * p.alpha);
    const flag bare = stable_has_minimum(p), one_sided = min_(p.l, p.r) <= 0;
    const flag odd_distribution = (p.am1 == 0) | (p.alpha == 2) | (p.alpha < K(1e-30)) | bare | one_sided;
    const flag odd_point = (u.known[l] != 2) | (u.over[l] != 0) | (u.gamma[l] >= INF_) | !(fabs(u.x[l]) < INF_);
    rare[l] = (close | odd_distribution | odd_point) ? K(1) : K(0);
    WORK(POINT_X, idx[l]) = z.x;
    WORK(POINT_Y, idx[l]) = z.y;
    WORK(POINT_LOG_Y, idx[l]) = z.log_y;
    WORK(POINT_SIDE, idx[l]) = u.side[l];
    WORK(POINT_LOG_F, idx[l]) = (SLOPE) ? NAN_ : -INF_;
#if SLOPE
    WORK(POINT_FORM, idx[l]) = FORM_NONE;
#endif
  }
  for (i32 l = 0; l < LANES; l++) any |= rare[l] != 0;
  if (any) NAME(look_closer)(&u, &k, go, idx, KERNEL_NAMES);
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && go[l] >= 0) list_push((i32)go[l], idx[l]);
}

#if !SLOPE
/* Tail series (Bergstroem; Nolan 1997): f = (1/(pi y)) sum_k Gamma(alpha k + 1)/k! e^(kz) S_k, the tail beyond y is
 * (1/pi) sum_k Gamma(alpha k)/k! e^(kz) S_k,
 * z = log A - alpha log y, S_k = (-1)^(k+1) sin(k alpha L) = sin(k delta). Convergent for alpha < 1, asymptotic for
 * alpha > 1: there the point is handed on when a term grows before 1e-18 is reached or when the core, of relative
 * size e^-C, is not negligible beside the tail. */

/* Its sums, and whether they are good and still open. */
typedef struct {
  real alpha[LANES], turn[LANES], sign[LANES], log_z[LANES], sum[LANES], log_fact[LANES], last[LANES];
  real good[LANES], open[LANES], log_gamma[LANES];
#if JOINT
  real tail[LANES];
#endif
} NAME(series_sums);

DEV_FN void NAME(series_begin)(NAME(series_sums) *at, const stable_block *of) {
  LANE_LOOP(l) {
    const stable_distribution p = block_distribution(of, l);
    const stable_point z = block_point(of, l);
    const flag above = (p.alpha > 1) & (p.alpha * p.l > 1), below = (p.alpha < 1) & (p.delta < PIO2_);
    const flag use_delta = above | below;
    const real core = stable_core(p, z);
    const real z_ = p.log_a - p.alpha * z.log_y;
    const real angle = use_delta ? p.delta : p.alpha * p.l, first = sin_(angle);
    at->alpha[l] = p.alpha;
    at->log_z[l] = z_;
    at->turn[l] = angle;
    at->sign[l] = use_delta ? K(1) : K(-1);
    at->sum[l] = 0;
#if JOINT
    at->tail[l] = 0;
#endif
    at->log_fact[l] = 0;
    at->last[l] = K(1e300);
    const flag no_core = (p.alpha < 1) | (core >= 40 - log_(min_(first, K(1))) - z_);
    at->good[l] = no_core ? K(1) : K(0);
    at->open[l] = at->good[l];
  }
}

DEV_FN void NAME(series_term)(NAME(series_sums) *at, i32 k, real flip) {
  const real log_k = log_(K(k));
  LANE_LOOP(l) {
    const real lf = at->log_fact[l] + log_k;
    const real size = exp_(at->log_gamma[l] - lf + (k - 1) * at->log_z[l]);
    const real term = size * sin_(k * at->turn[l]) * (at->sign[l] < 0 ? flip : K(1));
    const flag grows = (at->alpha[l] > 1) & (size > at->last[l]);
    const flag on = at->open[l] != 0;
    const real taken = (on & (grows == 0)) ? term : K(0);
    at->sum[l] += taken;
#if JOINT
    at->tail[l] += taken / (at->alpha[l] * k);
#endif
    at->good[l] = (on & grows) ? K(0) : at->good[l];
    at->open[l] = (on & (grows == 0) & (size > K(1e-18) * fabs(at->sum[l]))) ? K(1) : K(0);
    at->last[l] = size;
    at->log_fact[l] = lf;
  }
}

DEV_FN void NAME(series_end)(NAME(series_sums) *at, const i32 *idx, DEV_GLOBAL real *work, i32 cap) {
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const real value = at->log_z[l] - WORK(POINT_LOG_Y, i) - LOG_PI_ + log_(at->sum[l] > 0 ? at->sum[l] : K(1));
    at->good[l] = ((at->open[l] == 0) & (at->sum[l] > 0)) ? at->good[l] : K(0);
    WORK(POINT_LOG_F, i) = value;
#if JOINT
    const flag tail_good = at->tail[l] > 0;
    const real upper = at->log_z[l] - LOG_PI_ + log_(tail_good ? at->tail[l] : K(1));
    at->good[l] = tail_good ? at->good[l] : K(0);
    WORK(POINT_LOG_UPPER, i) = upper;
    WORK(POINT_LOG_LOWER, i) = log1p_(-exp_(min_(upper, K(-0.5))));
    WORK(POINT_ERROR, i) = stable_error(value, K(4));
    WORK(POINT_ERROR_SMALL, i) = stable_error(upper, K(4));
#endif
  }
}

SORTING_KERNEL(NAME(series)) {
  OVER_LIST(LIST_SERIES);
  SET_OF_LANES(set);
  NAME(series_sums) at;
  real gamma_of[LANES], flip = 1;
  LOAD_BLOCK(of);
  NAME(series_begin)(&at, &of);
  for (i32 k = 1; k <= SERIES_TERMS && any_lane(at.open); k++, flip = -flip) {
    LANE_LOOP(l) gamma_of[l] = at.alpha[l] * k + 1;
    stable_lgam(gamma_of, at.log_gamma);
    NAME(series_term)(&at, k, flip);
  }
  NAME(series_end)(&at, idx, work, cap);
  for (i32 l = 0; l < LANES; l++)
    if (live(l) && at.good[l] == 0) {
      const real am1 = SET_IN(SET_ALPHA, set[l]) - 1;
      list_push(fabs(am1) <= NEAR1 ? LIST_RAY_NEAR1 : LIST_RAY, idx[l]);
    }
}
#endif

/* Of a trapezoidal sum, even and odd nodes apart. */
typedef struct {
  real even[LANES], odd[LANES], size[LANES], top[LANES];
  real waves[LANES]; /* at most 1 where the oscillation is resolved */
  real rest[LANES];  /* the size of what is left out beyond the end */
#if JOINT
  real tail_even[LANES], tail_odd[LANES], tail_size[LANES], tail_rest[LANES];
#endif
#if SLOPE
  real part[SLOPE_PARTS][LANES];
#endif
} NAME(ray_sums);

/* The value, whether it is good, and the list that takes it where it is not. */
DEV_BLOCK_FN void NAME(judge_rays)(stable_rays *ray, const NAME(ray_sums) *sum, i32 last, i32 again,
                                   const i32 *idx, DEV_GLOBAL real *work, i32 cap) {
  LANE_LOOP(l) {
    const i32 i = idx[l];
    const real all = sum->even[l] + sum->odd[l], gap = fabs(sum->even[l] - sum->odd[l]);
#if SLOPE
    const real most = SLOPE_CONDITION * all, allowed = max_(RAY_GAP * all, SLOPE_ROUNDING * sum->size[l]);
#else
    const real most = 100 * all, allowed = RAY_GAP * all;
#endif
    const flag ended = (sum->top[l] <= K(1.5)) & (sum->rest[l] <= RAY_REST * all);
    const flag density_sound = (all > 0) & (sum->size[l] <= most) & ended & (ray->good[l] != 0);
    const flag density_close = (gap <= allowed) & (sum->waves[l] <= 1);
#if JOINT
    const real unit = ray->h[l] * (1 / PI_), tail = (sum->tail_even[l] + sum->tail_odd[l]) * unit;
    const real tail_gap = fabs(sum->tail_even[l] - sum->tail_odd[l]) * unit, terms = sum->tail_size[l] * unit;
    const real upper = ray->b[l] * (1 / PI_) + tail, lower = ray->b_rest[l] * (1 / PI_) - tail;
    const real upper_terms = ray->b[l] * (1 / PI_) + terms, lower_terms = ray->b_rest[l] * (1 / PI_) + terms;
    const real smaller = min_(upper, lower);
    const flag all_of_it = sum->tail_rest[l] * unit <= RAY_REST * smaller;
    const flag few_terms = (upper_terms <= 200 * upper) & (lower_terms <= 200 * lower);
    const flag sound = density_sound & (smaller > 0) & all_of_it & few_terms;
    const flag tail_close = tail_gap <= RAY_GAP * smaller;
    const flag ok = sound & density_close & tail_close;
#else
    const flag sound = density_sound, ok = sound & density_close;
#endif
    const real log_f = ray->c[l] + log_((ok ? all : K(1)) * ray->h[l] * (1 / PI_));
#if SLOPE
    ray->refuge[l] = last > 0 ? K(last) : ray->refuge[l];
#endif
    ray->good[l] = ok ? K(1) : K(0);
    ray->refuge[l] = (sound & (sum->waves[l] <= 2) & (again > 0)) ? K(again) : ray->refuge[l];
#if SLOPE
    WORK(POINT_LOG_F, i) = ok ? log_f : NAN_;
    const real share = 1 / all;
    for (i32 j = 0; j < SLOPE_PARTS; j++) WORK(POINT_SLOPE + j, i) = sum->part[j][l] * share;
#else
    WORK(POINT_LOG_F, i) = log_f;
#endif
#if JOINT
    const real safe = ok ? smaller : K(0.5);
    const real log_small = log_(safe), log_large = log1p_(-safe);
    const flag exchanged = (upper < lower) ^ (ray->mirrored[l] != 0);
    const real miss = gap / (ok ? all : K(1)), tail_miss = tail_gap / safe;
    WORK(POINT_LOG_UPPER, i) = exchanged ? log_small : log_large;
    WORK(POINT_LOG_LOWER, i) = exchanged ? log_large : log_small;
    WORK(POINT_ERROR, i) = stable_error(log_f, sum->size[l] / (ok ? all : K(1))) + miss * miss;
    WORK(POINT_ERROR_SMALL, i) =
        stable_error(log_small, (upper < lower ? upper_terms : lower_terms) / safe) + tail_miss * tail_miss;
#endif
  }
#if !SLOPE
  (void)last;
#endif
}

/* One function for all rays of a kind: from_list to again and last are lists; other and close are 0 or 1. */
#define RAY_ARGS i32 from_list, i32 steps, i32 again, i32 last, i32 other, i32 close
#include "kernels/stable/stable_ray_kernel.h"
#include "kernels/stable/stable_near1_kernel.h"
#undef RAY_ARGS

#define RAY(kernel, along, from_list, steps, again, last, other, close)                                      \
  SORTING_KERNEL(NAME(kernel)) { NAME(along)(from_list, steps, again, last, other, close, block, SORTING_NAMES); }
RAY(ray, along_ray, LIST_RAY, RAY_NODES, LIST_RAY_FINE, LIST_RAY_FINEST, 0, 0)
RAY(ray_fine, along_ray, LIST_RAY_FINE, 2 * RAY_NODES, 0, LIST_RAY_FINEST, 0, 0)
RAY(ray_near1, along_ray_near1, LIST_RAY_NEAR1, RAY_NODES, LIST_RAY_NEAR1_FINE, LIST_RAY_NEAR1_FINEST, 0, 0)
RAY(ray_near1_fine, along_ray_near1, LIST_RAY_NEAR1_FINE, 2 * RAY_NODES, 0, LIST_RAY_NEAR1_FINEST, 0, 0)
#if SLOPE
RAY(ray_finest, along_ray, LIST_RAY_FINEST, 4 * RAY_NODES, 0, 0, 1, 0)
RAY(ray_near1_finest, along_ray_near1, LIST_RAY_NEAR1_FINEST, 4 * RAY_NODES, 0, 0, 1, 0)
RAY(ray_close, along_ray_near1, LIST_RAY_CLOSE, 2 * RAY_NODES, 0, LIST_RAY_CLOSE_FINEST, 0, 1)
RAY(ray_close_finest, along_ray_near1, LIST_RAY_CLOSE_FINEST, 4 * RAY_NODES, 0, 0, 1, 1)
#endif
#undef RAY

#if !SLOPE

#include "kernels/stable/stable_light_kernel.h"
#include "kernels/stable/stable_angle_kernel.h"

KERNEL(NAME(angle)) { NAME(over_angles)(block, KERNEL_NAMES); }

#endif

#if JOINT

/* The user's lower and upper tail: back from the oriented distribution, and a step where gamma = 0, as in pnorm(). */
DEV_FN void stable_user_tails(real side, real upper, real lower, real scale, real gap, real *user_upper,
                              real *user_lower) {
  const flag mirror = side < 0, step = (scale == 0) & (upper == upper), below = gap < 0;
  const real up = mirror ? lower : upper, low = mirror ? upper : lower;
  const real step_upper = below ? K(0) : -INF_, step_lower = below ? -INF_ : K(0);
  *user_upper = step ? step_upper : up;
  *user_lower = step ? step_lower : low;
}

/* par: give logs? the lower tail? */
KERNEL(stable_tail_finish) {
  OVER_POINTS;
  const real give_log = par[0], give_lower = par[1];
  LANE_LOOP(l) {
    const i32 i = idx[l];
    real upper, lower;
    stable_user_tails(WORK(POINT_SIDE, i), WORK(POINT_LOG_UPPER, i), WORK(POINT_LOG_LOWER, i), IN(IN_GAMMA, i),
                      IN(IN_X, i) - IN(IN_DELTA, i), &upper, &lower);
    const real log_p = give_lower != 0 ? lower : upper;
    OUT(0, i) = give_log != 0 ? log_p : exp_(log_p);
  }
}

/* par: give logs? the estimates of error? Columns of out: density, lower and upper tail, the estimates. */
KERNEL(NAME(finish)) {
  OVER_POINTS;
  SET_OF_LANES(set);
  const real give_log = par[0];
  LANE_LOOP(l) {
    const i32 i = idx[l], s = set[l];
    const real scale = IN(IN_GAMMA, i), gap = IN(IN_X, i) - IN(IN_DELTA, i);
    real upper, lower;
    stable_user_tails(WORK(POINT_SIDE, i), WORK(POINT_LOG_UPPER, i), WORK(POINT_LOG_LOWER, i), scale, gap, &upper,
                      &lower);
    const real log_f = stable_user_density(WORK(POINT_LOG_F, i), SET_IN(SET_PM, s), SET_IN(SET_ALPHA, s), scale, gap);
    OUT(0, i) = give_log != 0 ? log_f : exp_(log_f);
    OUT(1, i) = give_log != 0 ? lower : exp_(lower);
    OUT(2, i) = give_log != 0 ? upper : exp_(upper);
  }
  if (par[1] != 0)
    LANE_LOOP(l) {
      const i32 i = idx[l];
      const flag mirror = WORK(POINT_SIDE, i) < 0, step = IN(IN_GAMMA, i) == 0;
      const real upper = WORK(POINT_LOG_UPPER, i), lower = WORK(POINT_LOG_LOWER, i), log_f = WORK(POINT_LOG_F, i);
      const real f_error = WORK(POINT_ERROR, i), small_error = WORK(POINT_ERROR_SMALL, i);
      const flag upper_small = upper < lower;
      const real small = upper_small ? upper : lower;
      /* the larger tail is 1 less the smaller */
      const real large_error = small_error * exp_(small) + stable_error(K(0), K(0));
      const flag exact = step | (small == -INF_);
      const real first = upper_small ? small_error : large_error, second = upper_small ? large_error : small_error;
      const real upper_error = exact ? K(0) : first, lower_error = exact ? K(0) : second;
      OUT(3, i) = (step | (log_f == -INF_)) ? K(0) : f_error;
      OUT(4, i) = mirror ? upper_error : lower_error;
      OUT(5, i) = mirror ? lower_error : upper_error;
    }
}

#elif !SLOPE

KERNEL(NAME(finish)) {
  OVER_POINTS;
  SET_OF_LANES(set);
  const real give_log = par[0];
  real pm[LANES], alpha[LANES], log_f[LANES], scale[LANES], gap[LANES];
  i32 plain = 1;
  for (i32 l = 0; l < LANES; l++) {
    const i32 i = idx[l];
    pm[l] = SET_IN(SET_PM, set[l]);
    alpha[l] = SET_IN(SET_ALPHA, set[l]);
    log_f[l] = WORK(POINT_LOG_F, i);
    scale[l] = IN(IN_GAMMA, i);
    gap[l] = IN(IN_X, i) - IN(IN_DELTA, i);
    plain &= pm[l] != 2;
  }
  if (plain) LANE_LOOP(l) log_f[l] = stable_user_density(log_f[l], 0, alpha[l], scale[l], gap[l]);
  else LANE_LOOP(l) log_f[l] = stable_user_density(log_f[l], pm[l], alpha[l], scale[l], gap[l]);
  LANE_LOOP(l) OUT(0, idx[l]) = give_log != 0 ? log_f[l] : exp_(log_f[l]);
}

#endif

#undef NAME
