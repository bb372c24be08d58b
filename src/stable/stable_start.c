/* stable_start.c: starting values for the fit of a stable distribution. They need be near a maximum, not good: the
 * likelihood chooses among them.
 *
 * The estimators of stable_estimators.h are between them valid for every alpha, where the sample is stable. The
 * likelihood of one that is not has several maxima, and the largest may be that of a distribution which no estimator
 * suggests. A coarse grid of alpha and beta shows them: for each pair gamma and delta are improved from where median
 * and quartiles are the sample's, and pairs that are better than their neighbours are starts. The likelihoods of the
 * grid come from tables of log density, straight between nodes that lie 8 to an octave of 1 + |z|. Errors are at most
 * 0.08 per observation, but 0.55 and 0.18 on the light side of beta = 0.95 at alpha = 0.6 and 0.8, next to zeta
 * (tools/stable_start_tables.R): starts need no more, for their own likelihoods decide. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable/stable_start.h"

enum { ALPHAS = 6, BETAS = 5, TABLES = ALPHAS * (BETAS / 2 + 1), OCTAVES = 40, NODES = 8 * OCTAVES };
static const double alphas[ALPHAS] = {0.6, 0.8, 0.95, 1.15, 1.4, 1.75}, betas[BETAS] = {-0.95, -0.5, 0, 0.5, 0.95};
/* Of the distributions with beta >= 0, by alpha and then beta; negative and positive z. */
static double table[TABLES][2][NODES + 1];
static int ready;

static double node(int k) { return ldexp(1 + (k % 8) / 8.0, k / 8) - 1; }

status fit_prepare_starts(void) {
  enum { SIZE = TABLES * 2 * (NODES + 1) };
  static const double zero = 0;
  if (ready) return STATUS_OK;
  double *z = malloc(3 * SIZE * sizeof *z);
  if (!z) return fail(STATUS_MEMORY, "stableFit: no memory for the tables of its starts");
  double *alpha = z + SIZE, *beta = alpha + SIZE;
  for (int i = 0, at = 0; i < TABLES; i++)
    for (int side = 0; side < 2; side++)
      for (int k = 0; k <= NODES; k++, at++) {
        z[at] = side == 0 ? -node(k) : node(k);
        alpha[at] = alphas[i / (TABLES / ALPHAS)];
        beta[at] = betas[BETAS / 2 + i % (TABLES / ALPHAS)];
      }
  const stable_parameters p = stable_standard((column){alpha, SIZE}, (column){beta, SIZE}, (column){&zero, 1});
  const status st = stable_density(SIZE, 1, (column){z, SIZE}, p, 1, &table[0][0][0]);
  free(z);
  ready = st == STATUS_OK;
  return st;
}

/* ---- likelihoods from the tables ---- */

/* Some of the observations, or for groups of neighbours one each. */
enum { FEW = 128 };
typedef struct {
  int n;
  double x[FEW], weight[FEW], total;
} small_sample;

static void thin(const ordered_sample *s, small_sample *t) {
  t->n = s->n < FEW ? (int)s->n : FEW;
  t->total = s->total;
  for (int k = 0; k < t->n; k++) {
    const int64_t from = s->n * k / t->n, to = s->n * (k + 1) / t->n;
    t->x[k] = s->x[(from + to - 1) / 2];
    t->weight[k] = 0;
    for (int64_t i = from; i < to; i++) t->weight[k] += sample_weight(s, i);
  }
}

/* A place on the grid; what has been found there. */
typedef struct {
  int i, j;
  double gamma, delta, ll;
} trial;

static double likelihood(const small_sample *s, const trial *t, double gamma, double delta) {
  const int mirrored = t->j < BETAS / 2, j = mirrored ? BETAS / 2 - t->j : t->j - BETAS / 2;
  const int at_pair = t->i * (TABLES / ALPHAS) + j;
  double sum = 0;
  for (int k = 0; k < s->n; k++) {
    const double z = (s->x[k] - delta) / gamma, v = 1 + fabs(z);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int64_t at = (int64_t)(bits >> 49) - (1023 << 3);
    const double *g = table[at_pair][(z >= 0) != mirrored];
    sum += s->weight[k] * (at < NODES ? g[at] + (g[at + 1] - g[at]) * (double)(bits & 0x1ffffffffffff) * 0x1p-49
                                      : g[NODES] - (1 + alphas[t->i]) * (log(v) + OCTAVES * log_half));
  }
  sum -= s->total * log(gamma);
  return isnan(sum) ? -HUGE_VAL : sum;
}

/* Coordinate search, with steps of one unit and then of half of one. */
static void improve(const small_sample *s, trial *t, int rounds) {
  double step = 1;
  t->ll = likelihood(s, t, t->gamma, t->delta);
  for (int k = 0; k < rounds; k++) {
    const trial before = *t;
    for (int way = 0; way < 4; way++) {
      const double sign = way % 2 ? -step : step;
      const double gamma = way < 2 ? before.gamma * exp(sign) : before.gamma;
      const double delta = way < 2 ? before.delta : before.delta + sign * before.gamma;
      const double ll = likelihood(s, t, gamma, delta);
      if (ll > t->ll) {
        t->gamma = gamma;
        t->delta = delta;
        t->ll = ll;
      }
    }
    if (t->ll == before.ll) step *= 0.5;
  }
}

/* Those on the grid that are better than their neighbours, the best first; at most FIT_SUMMITS of them. */
static int summits(trial (*grid)[BETAS], trial *found) {
  int n = 0;
  for (int i = 0; i < ALPHAS; i++)
    for (int j = 0; j < BETAS; j++) {
      int best = grid[i][j].ll > -HUGE_VAL;
      for (int a = -1; a <= 1 && best; a++)
        for (int b = -1; b <= 1; b++)
          if (i + a >= 0 && i + a < ALPHAS && j + b >= 0 && j + b < BETAS && grid[i + a][j + b].ll > grid[i][j].ll)
            best = 0;
      if (!best) continue;
      int at = n;
      for (; at > 0 && found[at - 1].ll < grid[i][j].ll; at--)
        if (at < FIT_SUMMITS) found[at] = found[at - 1];
      if (at < FIT_SUMMITS) found[at] = grid[i][j];
      if (n < FIT_SUMMITS) n++;
    }
  return n;
}

/* scale: times that of the quartiles */
static int grid_starts(const ordered_sample *s, const small_sample *few, double scale, fit_distribution *start) {
  trial grid[ALPHAS][BETAS], found[FIT_SUMMITS];
  for (int i = 0; i < ALPHAS; i++)
    for (int j = 0; j < BETAS; j++) {
      double p[STABLE_PARS];
      trial *t = &grid[i][j];
      *t = (trial){.i = i, .j = j, .ll = -HUGE_VAL};
      if (!stable_by_quartiles(s, alphas[i], betas[j], p)) continue;
      t->gamma = p[GAMMA] * scale;
      t->delta = p[DELTA];
      improve(few, t, s->n > FEW ? 3 : 6);
    }
  const int n = summits(grid, found);
  for (int k = 0; k < n; k++) {
    const trial *t = found + k;
    start[k] = (fit_distribution){alphas[t->i], betas[t->j], t->gamma, t->delta, 0, NULL};
  }
  return n;
}

int fit_wide_starts(const ordered_sample *s, fit_distribution *start) {
  small_sample few;
  int m = 0;
  const double middle = sample_quantile(s, 0.75) - sample_quantile(s, 0.25), all = s->x[s->n - 1] - s->x[0];
  const double ratio = middle > 0 ? fmin(all / middle, 1e300) : 1e6;
  thin(s, &few);
  for (int k = 1; k <= FIT_SCALES; k++)
    m += grid_starts(s, &few, pow(ratio, (double)k / FIT_SCALES), start + m);
  double mean = 0, square = 0;
  for (int64_t i = 0; i < s->n; i++) mean += sample_weight(s, i) * (s->x[i] - s->x[0]) / s->total;
  for (int64_t i = 0; i < s->n; i++) square += sample_weight(s, i) * pow((s->x[i] - s->x[0] - mean) / all, 2);
  start[m++] = (fit_distribution){1.98, 0, all * sqrt(0.5 * square / s->total), s->x[0] + mean, 0, NULL};
  return m;
}

/* McCulloch's distribution with alpha and beta, if there is one. */
static int quartile_start(const ordered_sample *s, double alpha, double beta, fit_distribution *start) {
  double p[STABLE_PARS];
  if (!stable_by_quartiles(s, alpha, beta, p)) return 0;
  *start = (fit_distribution){p[0], p[1], p[2], p[3], 0, NULL};
  return 1;
}

int fit_starts(const ordered_sample *s, double alpha, double beta, fit_distribution *start, int *n_summits) {
  static stable_estimator *const methods[] = {stable_mcculloch, stable_ecf, stable_logmoment};
  const double fixed[STABLE_PARS] = {alpha, beta, NAN, NAN};
  const int free_alpha = isnan(alpha), free_beta = isnan(beta);
  int m = 0;
  *n_summits = 0;
  for (int k = 0; k < FIT_ESTIMATORS && s->n > 0; k++) {
    double p[STABLE_PARS];
    if (!methods[k](s, fixed, p)) continue;
    start[m++] = (fit_distribution){free_alpha ? fmin(fmax(p[0], 0.05), 1.98) : alpha,
                                    free_beta ? fmin(fmax(p[1], -0.95), 0.95) : beta, p[2], p[3], 0, NULL};
  }
  if (s->n > 0 && free_alpha && free_beta) {
    small_sample few;
    thin(s, &few);
    *n_summits = grid_starts(s, &few, 1, start + m);
    m += *n_summits;
    if (s->n <= FIT_SMALL) m += quartile_start(s, 0.6, 0, start + m); /* whose zeta may lie anywhere */
  } else if (s->n > 0) {
    for (int i = 0; i < (free_alpha ? ALPHAS : 1); i++)
      for (int j = 0; j < (free_beta ? BETAS : 1); j++)
        m += quartile_start(s, free_alpha ? alphas[i] : alpha, free_beta ? betas[j] : beta, start + m);
  }
  if (m == 0) { /* no estimator knows what to do: all stand-ins are one value, for example */
    const double low = s->x[0], high = s->n > 0 ? s->x[s->n - 1] : low, scale = 0.1 * (high - low);
    start[m++] = (fit_distribution){free_alpha ? 1.5 : alpha, free_beta ? 0 : beta,
                                    scale > 0 ? scale : fmax(0.1 * fabs(low), 1e-300), 0.5 * (low + high), 0, NULL};
  }
  return m;
}
