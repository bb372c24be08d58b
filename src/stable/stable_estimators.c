/* stable_estimators.c: estimators of stable distributions by quantiles and by logarithmic moments.
 *
 * Quantiles, McCulloch (1986): (q95 - q05)/(q75 - q25) and, here, (q95 - q50)/(q50 - q05) determine alpha and beta
 * through the table in stable_mcculloch_table.h; the latter is a monotone function of his (q95 + q05 - 2 q50)/(q95 -
 * q05) that keeps its digits for small alpha. gamma follows from q75 - q25, delta from q50: as his zeta, S0's delta
 * is continuous at alpha = 1. His quantiles of a sample are interpolated between the plotting positions (2i -
 * 1)/(2n). Consistent for alpha from 0.1, where the table begins. Where the sample is less heavy-tailed than the
 * normal distribution alpha is 2, and beta, which has no effect there, is 0; other ratios outside the table give its
 * nearest distribution.
 * Logarithmic moments, Ma and Nikias (1995), Kuruoglu (2001): X1 - X2 is symmetric, has scale 2^(1/alpha) gamma, and
 *   var log|X1 - X2| = pi^2/6 (1/alpha^2 + 1/2),  E log|X1 - X2| = C (1/alpha - 1) + log(2)/alpha + log(gamma),
 * C Euler's constant. X1 + X2 - 2 X3 is strictly stable, P(it > 0) = 1/2 + theta/(pi alpha) with
 *   tan(theta) = beta tan(pi alpha/2) (2 - 2^alpha)/(2 + 2^alpha),
 * smooth at alpha = 1: the signed moment of order 0, which Kuruoglu's signed moments tend to. delta is the median's.
 * Pairs and triples are those of PAIRINGS cyclic shifts of an arrangement of the ordered sample by chance, which is
 * the same in every run, and of its mirror image. Pairs of equal observations are left out. Consistent for all
 * alpha. */
#include "stable/stable_estimators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "stable/least_squares.h"
#include "stable/stable_mcculloch_table.h"

static const double euler = 0.5772156649015329;

double sample_uniform(uint32_t *state) {
  *state = 1664525u * *state + 1013904223u;
  return (double)*state / 4294967296.0;
}

int sample_stops(const ordered_sample *s, int64_t place) {
  static const int64_t every = 1 << 15;
  if (!s->listener || place % every) return 0;
  if (s->hears && backend_pause(s->listener->done)) __atomic_store_n(&s->listener->stop, 1, __ATOMIC_RELAXED);
  return __atomic_load_n(&s->listener->stop, __ATOMIC_RELAXED);
}

static double clamp(double v, double low, double high) { return v < low ? low : v > high ? high : v; }

static int keep_fixed(const double *fixed, double *par) {
  int good = 1;
  for (int k = 0; k < STABLE_PARS; k++) {
    if (!isnan(fixed[k])) par[k] = fixed[k];
    good &= isfinite(par[k]);
  }
  return good && par[GAMMA] > 0;
}

/* ---- quantiles ---- */

/* An observation of weight w counts as w equal ones: its plotting positions are those of the first to the last. */
double sample_quantile(const ordered_sample *s, double p) {
  const double at = p * s->total;
  if (!s->weight) {
    const double place = clamp(at - 0.5, 0, (double)(s->n - 1));
    const int64_t i = (int64_t)place;
    return i + 1 < s->n ? s->x[i] + (place - (double)i) * (s->x[i + 1] - s->x[i]) : s->x[i];
  }
  double before = 0, last = -1, last_x = s->x[0];
  for (int64_t i = 0; i < s->n; i++) {
    const double w = s->weight[i], half = 0.5 * fmin(w, 1), first = before + half;
    if (at < first)
      return last < 0 ? s->x[i] : last_x + (at - last) / (first - last) * (s->x[i] - last_x);
    before += w;
    last = before - half;
    last_x = s->x[i];
    if (at <= last) break;
  }
  return last_x;
}

/* Weights of four equidistant nodes in Lagrange's interpolation; returns the first. */
static int cubic(double at, int nodes, double *w) {
  const int i = (int)clamp(floor(at) - 1, 0, nodes - 4);
  const double u = at - i;
  w[0] = -(u - 1) * (u - 2) * (u - 3) / 6;
  w[1] = u * (u - 2) * (u - 3) / 2;
  w[2] = -u * (u - 1) * (u - 3) / 2;
  w[3] = u * (u - 1) * (u - 2) / 6;
  return i;
}

static double tabled(int alpha, int statistic, int beta) { return quantile_table[alpha][statistic][beta] / 1e7; }

/* The table between its nodes, beta >= 0; below its range its values for the smallest alpha. */
static void table_at(double alpha, double beta, double stat[4]) {
  double u[4], v[4];
  const int i = cubic(fmax(alpha - quantile_alpha_low, 0) / quantile_alpha_step, QUANTILE_ALPHAS, u);
  const int j = cubic(beta * (QUANTILE_BETAS - 1), QUANTILE_BETAS, v);
  memset(stat, 0, 4 * sizeof *stat);
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++)
      for (int k = 0; k < 4; k++) stat[k] += u[a] * v[b] * tabled(i + a, k, j + b);
}

typedef struct {
  double spread, skew; /* logarithms of the two ratios */
  int use[2];
} quantile_ratios;

static void ratio_residuals(const void *data, const double *par, double *r, double (*jacobian)[LEAST_SQUARES_PARS]) {
  const quantile_ratios *q = data;
  static const double h = 1e-5;
  double here[4], there[4];
  table_at(par[0], par[1], here);
  r[0] = q->use[0] ? here[0] - par[0] * q->spread : 0;
  r[1] = q->use[1] ? here[1] - par[0] * q->skew : 0;
  for (int j = 0; j < 2; j++) {
    const double step = j == 0 ? (par[0] > 1 ? -h : h) : (par[1] > 0.5 ? -h : h);
    table_at(par[0] + (j == 0 ? step : 0), par[1] + (j == 1 ? step : 0), there);
    jacobian[0][j] = q->use[0] ? (there[0] - here[0]) / step - (j == 0 ? q->spread : 0) : 0;
    jacobian[1][j] = q->use[1] ? (there[1] - here[1]) / step - (j == 0 ? q->skew : 0) : 0;
  }
}

/* alpha and beta >= 0 whose ratios are those of the sample or the nearest; on entry the fixed ones, or NaN. */
static void invert_ratios(quantile_ratios *q, double *ab) {
  const int free_alpha = isnan(ab[0]), free_beta = isnan(ab[1]);
  least_squares problem = {2, 2, ratio_residuals, q, 1e-9, {free_alpha, free_beta}, {quantile_alpha_low, 0}, {2, 1}};
  double best = HUGE_VAL, start[2] = {1, 0};
  q->use[0] = free_alpha;
  q->use[1] = free_beta;
  for (int i = 0; i < (free_alpha ? QUANTILE_ALPHAS : 1); i++)
    for (int j = 0; j < (free_beta ? QUANTILE_BETAS : 1); j++) {
      const double a = free_alpha ? quantile_alpha_low + quantile_alpha_step * i : ab[0];
      const double b = free_beta ? j / (QUANTILE_BETAS - 1.0) : ab[1];
      double stat[4];
      for (int k = 0; k < 4 && free_alpha && free_beta; k++) stat[k] = tabled(i, k, j);
      if (!free_alpha || !free_beta) table_at(a, b, stat);
      const double e0 = q->use[0] ? stat[0] - a * q->spread : 0, e1 = q->use[1] ? stat[1] - a * q->skew : 0;
      if (e0 * e0 + e1 * e1 < best) {
        best = e0 * e0 + e1 * e1;
        start[0] = a;
        start[1] = b;
      }
    }
  if (free_alpha || free_beta) least_squares_fit(&problem, start);
  memcpy(ab, start, sizeof start);
}

/* Scale for samples whose middle half is one value. */
static double some_spread(const ordered_sample *s) {
  double spread = 0;
  for (double p = 0.25; !(spread > 0) && p > 1e-9; p *= 0.5)
    spread = sample_quantile(s, 1 - p) - sample_quantile(s, p);
  return spread > 0 ? spread : s->x[s->n - 1] - s->x[0];
}

/* Median of the distribution with scale 1 and location 0. */
static double median_of(double alpha, double beta) {
  double stat[4];
  table_at(alpha, fabs(beta), stat);
  return (beta < 0 ? -1 : 1) * stat[3] * exp(stat[2] / alpha);
}

int stable_mcculloch(const ordered_sample *s, const double *fixed, double *par) {
  const double q05 = sample_quantile(s, 0.05), q50 = sample_quantile(s, 0.5), q95 = sample_quantile(s, 0.95);
  const double middle = sample_quantile(s, 0.75) - sample_quantile(s, 0.25);
  const double iqr = middle > 0 ? middle : some_spread(s), wide = fmax(q95 - q05, 1.01 * iqr), small = 1e-12 * wide;
  double ab[2] = {fixed[ALPHA], fabs(fixed[BETA])}, stat[4];
  quantile_ratios q = {log(wide / iqr), log(fmax(q95 - q50, small) / fmax(q50 - q05, small)), {1, 1}};
  const int mirrored = isnan(ab[1]) ? q.skew < 0 : fixed[BETA] < 0;
  if (mirrored) q.skew = -q.skew;
  if (isnan(ab[0]) && isnan(ab[1]) && 2 * q.spread <= tabled(QUANTILE_ALPHAS - 1, 0, 0)) {
    ab[0] = 2;
    ab[1] = 0;
  }
  invert_ratios(&q, ab);
  if (ab[0] == 2 && isnan(fixed[BETA])) ab[1] = 0;
  table_at(ab[0], ab[1], stat);
  par[ALPHA] = ab[0];
  par[BETA] = mirrored && ab[1] > 0 ? -ab[1] : ab[1];
  par[GAMMA] = isnan(fixed[GAMMA]) ? iqr * exp(-stat[2] / ab[0]) : fixed[GAMMA];
  par[DELTA] = q50 - par[GAMMA] * median_of(ab[0], par[BETA]);
  return keep_fixed(fixed, par);
}

/* ---- logarithmic moments ---- */

enum { PAIRINGS = 4 };

typedef struct {
  double centre;                /* near log|X1 - X2| */
  double weight, sum, squares;  /* of log|X1 - X2| less that */
  double sign_weight, sign;     /* of X1 + X2 - 2 X3 */
} log_moments;

static void add_pair(log_moments *m, double difference, double weight) {
  const double size = fabs(difference);
  if (!(size > 0) || !isfinite(size)) return;
  const double l = log(size) - m->centre;
  m->weight += weight;
  m->sum += l * weight;
  m->squares += l * l * weight;
}

static void add_triple(log_moments *m, double a, double b, double c, double weight) {
  const double centred = (a - c) + (b - c);
  m->sign_weight += weight;
  m->sign += centred > 0 ? weight : centred < 0 ? -weight : 0;
}

static log_moments moments_of(const ordered_sample *s, const int64_t *order) {
  const int64_t n = s->n;
  log_moments m = {.centre = log(some_spread(s))};
  for (int pairing = 1; pairing <= PAIRINGS; pairing++) {
    int64_t far = pairing % n, farther = (2 * pairing + PAIRINGS) % n;
    for (int64_t k = 0; k < n && !sample_stops(s, k); k++) {
      const int64_t at[3] = {order[k], order[far], order[farther]};
      if (++far == n) far = 0;
      if (++farther == n) farther = 0;
      for (int mirror = 0; mirror < 2; mirror++) {
        const int64_t a = mirror ? n - 1 - at[0] : at[0], b = mirror ? n - 1 - at[1] : at[1];
        const int64_t c = mirror ? n - 1 - at[2] : at[2];
        const double pair = sample_weight(s, a) * sample_weight(s, b);
        add_pair(&m, s->x[a] - s->x[b], pair);
        if (a != b && b != c && a != c) add_triple(&m, s->x[a], s->x[b], s->x[c], pair * sample_weight(s, c));
      }
    }
  }
  return m;
}

int stable_logmoment(const ordered_sample *s, const double *fixed, double *par) {
  int64_t *order = s->scratch;
  uint32_t state = 1;
  for (int64_t i = 0; i < s->n && !sample_stops(s, i); i++) { /* Fisher and Yates (1938) */
    const int64_t j = (int64_t)(sample_uniform(&state) * (double)(i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  if (sample_stops(s, 0)) return 0; /* the order is not complete */
  const log_moments m = moments_of(s, order);
  if (!(m.weight > 0)) return 0;
  const double mean = m.sum / m.weight, inverse = 6 / (pi * pi) * (m.squares / m.weight - mean * mean) - 0.5;
  double a = fixed[ALPHA], b = fixed[BETA];
  if (isnan(a)) a = inverse <= 0.25 ? 2 : fmax(1 / sqrt(inverse), ESTIMATE_ALPHA_MIN);
  const double power = exp2(a), ratio = a == 1 ? log(2) / pi : stable_tangent(a) * (2 - power) / (2 + power);
  if (isnan(b)) {
    const double theta = m.sign_weight > 0 ? 0.5 * pi * a * m.sign / m.sign_weight : 0;
    b = a == 2 ? 0 : fabs(theta) < 0.5 * pi ? clamp(tan(theta) / ratio, -1, 1) : theta > 0 ? 1 : -1;
  }
  par[ALPHA] = a;
  par[BETA] = b;
  const double log_gamma = m.centre + mean - euler * (1 / a - 1) - log(2) / a;
  par[GAMMA] = isnan(fixed[GAMMA]) ? exp(log_gamma) : fixed[GAMMA];
  par[DELTA] = sample_quantile(s, 0.5) - par[GAMMA] * median_of(a, b);
  return keep_fixed(fixed, par);
}

/* ---- batches ---- */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Merges what is in order from begin to middle and from there to end, so many words each; 0 if the user stops. */
static int merge(const ordered_sample *s, const double *from, double *to, int64_t begin, int64_t middle, int64_t end,
                 int words) {
  int64_t i = begin, j = middle;
  for (int64_t k = begin; k < end; k++) {
    if (sample_stops(s, k)) return 0;
    const int64_t next = i < middle && (j == end || from[words * i] <= from[words * j]) ? i++ : j++;
    for (int w = 0; w < words; w++) to[words * k + w] = from[words * next + w];
  }
  return 1;
}

/* Sorts n values of so many words each in place, with other room of that size; 0 if the user stops. */
static int sort(const ordered_sample *s, double *room, double *other, int64_t n, int words) {
  static const int64_t at_once = 1 << 15;
  double *from = room, *to = other;
  for (int64_t i = 0; i < n; i += at_once) {
    if (sample_stops(s, i)) return 0;
    qsort(room + words * i, (size_t)(n - i < at_once ? n - i : at_once), (size_t)words * sizeof *room, by_value);
  }
  for (int64_t width = at_once; width < n; width *= 2) {
    for (int64_t i = 0; i < n; i += 2 * width) {
      const int64_t middle = i + width < n ? i + width : n, end = i + 2 * width < n ? i + 2 * width : n;
      if (!merge(s, from, to, i, middle, end, words)) return 0;
    }
    double *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != room) memcpy(room, from, (size_t)(words * n) * sizeof *room);
  return 1;
}

ordered_sample order_sample(int64_t count, const double *x, const double *weight, double *room,
                            sample_listener *listener, int hears) {
  const int wide = weight != NULL;
  void *rest = room + (wide ? 2 : 1) * count;
  ordered_sample s = {0, room, NULL, 0, rest, listener, hears};
  int64_t n = 0;
  for (int64_t i = 0; i < count; i++) {
    const double w = wide ? weight[i] : 1;
    if (w == 0) continue;
    if (!isfinite(x[i]) || !(w > 0) || isinf(w)) return s;
    if (wide) room[2 * n + 1] = w;
    room[wide ? 2 * n : n] = x[i];
    s.total += w;
    n++;
  }
  if (n < 2) return s;
  if (!sort(&s, room, rest, n, wide ? 2 : 1)) return s;
  if (wide) { /* values, then weights */
    double *copy = rest;
    for (int64_t i = 0; i < n; i++) copy[i] = room[2 * i + 1];
    for (int64_t i = 0; i < n; i++) room[i] = room[2 * i];
    memcpy(room + n, copy, (size_t)n * sizeof *copy);
    s.weight = room + n;
  }
  if (room[0] == room[n - 1]) return s;
  s.n = n;
  return s;
}

void sample_locations(const ordered_sample *s, int m, double *location) {
  const int64_t n = s->n, width = n <= m ? n - 1 : n / 20 + 2 < n ? n / 20 + 2 : n - 1;
  int64_t densest = 0;
  for (int64_t i = 0; i + width < n; i++)
    if (s->x[i + width] - s->x[i] < s->x[densest + width] - s->x[densest]) densest = i;
  for (int k = 0; k < m; k++) {
    const int64_t at = densest + width * k / (m - 1);
    location[k] = 0.5 * (s->x[at] + s->x[at + 1 < n ? at + 1 : at]);
  }
}
