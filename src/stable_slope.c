/* stable_slope.c: log likelihood of a stable law, its gradient and its second derivatives, for stable_fit.c.
 *
 * Derivatives of the log density l(z; alpha, beta), z = (x - delta)/gamma, are central differences with respect to
 * (log(alpha/(2 - alpha)), atanh(beta), z); the 13 densities per observation that they take are one task. gamma and
 * delta enter through z alone, so the derivatives with respect to log(gamma) and delta/gamma follow from those in z.
 * At 310 points with known scores half of the differences in the first two were within 4e-8, relative to
 * max(1, |score|), and nine in ten within 2e-7; in z, times 1 + |z|, half within 8e-7 and nine in ten within 7e-6. */
#include "stable_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB = 16384, START_SAMPLE = 20000 }; /* observations at a time, and for the starts */
static const double step_a = 1e-3, step_b = 1e-3, step_z = 1e-3;

static double weight(const fit *f, int64_t i) { return f->p->weight ? f->p->weight[i] : 1; }

/* ---- densities ---- */

/* Log densities at f->x, len points for each of m laws of scale 1 and location 0, into f->f. */
static status densities(fit *f, int m, int64_t len, const double *alpha, const double *beta, int frame) {
  static const double one = 1, zero = 0;
  const double pm = frame;
  const stable_parameters p = {{alpha, m}, {beta, m}, {&one, 1}, {&zero, 1}, {&pm, 1}};
  const column x = {f->x, m * len};
  f->densities += m * len;
  return stable_density(m * len, len, x, p, 1, f->f);
}

status fit_log_likelihoods(fit *f, const fit_law *law, int m, double *ll) {
  double alpha[FIT_BLOCKS], beta[FIT_BLOCKS];
  for (int k = 0; k < m; k++) {
    alpha[k] = law[k].alpha;
    beta[k] = law[k].beta;
    ll[k] = -f->total * log(law[k].gamma);
  }
  for (int64_t from = 0; from < f->p->n; from += f->slab) {
    const int64_t len = f->p->n - from < f->slab ? f->p->n - from : f->slab;
    for (int k = 0; k < m; k++)
      for (int64_t i = 0; i < len; i++) f->x[k * len + i] = (f->p->x[from + i] - law[k].delta) / law[k].gamma;
    const status st = densities(f, m, len, alpha, beta, law[0].frame);
    if (st != STATUS_OK) return st;
    for (int k = 0; k < m; k++)
      for (int64_t i = 0; i < len; i++) ll[k] += weight(f, from + i) * f->f[k * len + i];
  }
  for (int k = 0; k < m; k++)
    if (isnan(ll[k])) ll[k] = -HUGE_VAL;
  return STATUS_OK;
}

/* ---- derivatives ---- */

double fit_logit(double alpha) { return log(alpha / (2 - alpha)); }
double fit_unlogit(double a) { return a < 0 ? 2 * exp(a) / (1 + exp(a)) : 2 / (1 + exp(-a)); }

/* Offsets of a block of densities, in steps. */
typedef struct {
  int a, b, z;
} offset;

/* The blocks that the free parameters need: the value, z+-, and for a and b each +-, and both in the mixed corners.
 * */
static int choose_blocks(const fit *f, offset *block) {
  int m = 0;
  for (int s = 0; s < 3; s++) block[m++] = (offset){0, 0, s == 2 ? -1 : s};
  for (int s = 1; s >= -1; s -= 2) {
    if (f->free[FIT_ALPHA]) block[m++] = (offset){s, 0, 0}, block[m++] = (offset){s, 0, s};
    if (f->free[FIT_BETA]) block[m++] = (offset){0, s, 0}, block[m++] = (offset){0, s, s};
    if (f->free[FIT_ALPHA] && f->free[FIT_BETA]) block[m++] = (offset){s, s, 0};
  }
  return m;
}

/* How z must change for the density to: about 1 near 0 and |z| in the tails; near zeta, where S1 counts from, the
 * first-order term of log f is y Gamma(2/alpha)/(Gamma(1/alpha) A^(1/alpha)). */
static double core_width(const fit_law *law) {
  if (law->frame != 1) return 1;
  const double t = fit_t(law->alpha, law->beta), a = 1 / law->alpha;
  return exp(lgamma(a) - lgamma(2 * a) + 0.5 * a * log1p(t * t));
}

/* Value at offsets (a, b, z); a block that was not computed counts as zero, its derivatives being multiplied away. */
typedef struct {
  const double *at[3][3][3];
} stencil;
static double value(const stencil *s, int a, int b, int z, int64_t i) {
  const double *block = s->at[a + 1][b + 1][z + 1];
  return block ? block[i] : 0;
}

static double mixed(double corners, double ends, double middle, double h) {
  return (corners - ends + 2 * middle) / (2 * h);
}

static void add_point(const fit *f, const stencil *s, int64_t i, double z, double h, double w, fit_slope *d) {
  const double l = value(s, 0, 0, 0, i);
  const double ends_z = value(s, 0, 0, 1, i) + value(s, 0, 0, -1, i);
  const double ends_a = value(s, 1, 0, 0, i) + value(s, -1, 0, 0, i);
  const double ends_b = value(s, 0, 1, 0, i) + value(s, 0, -1, 0, i);
  const double lz = (value(s, 0, 0, 1, i) - value(s, 0, 0, -1, i)) / (2 * h);
  const double la = (value(s, 1, 0, 0, i) - value(s, -1, 0, 0, i)) / (2 * step_a);
  const double lb = (value(s, 0, 1, 0, i) - value(s, 0, -1, 0, i)) / (2 * step_b);
  const double lzz = (ends_z - 2 * l) / (h * h), laa = (ends_a - 2 * l) / (step_a * step_a);
  const double lbb = (ends_b - 2 * l) / (step_b * step_b);
  const double laz = mixed(value(s, 1, 0, 1, i) + value(s, -1, 0, -1, i), ends_a + ends_z, l, step_a * h);
  const double lbz = mixed(value(s, 0, 1, 1, i) + value(s, 0, -1, -1, i), ends_b + ends_z, l, step_b * h);
  const double lab = mixed(value(s, 1, 1, 0, i) + value(s, -1, -1, 0, i), ends_a + ends_b, l, step_a * step_b);
  const double score[4] = {la, lb, -1 - z * lz, -lz};
  const double second[4][4] = {{laa, lab, -z * laz, -laz},
                               {lab, lbb, -z * lbz, -lbz},
                               {-z * laz, -z * lbz, z * lz + z * z * lzz, lz + z * lzz},
                               {-laz, -lbz, lz + z * lzz, lzz}};
  d->ll += w * l;
  for (int j = 0; j < 4; j++) {
    if (!f->free[j] || !isfinite(score[j])) continue;
    d->g[j] += w * score[j];
    for (int k = 0; k < 4; k++) {
      if (!f->free[k] || !isfinite(score[k])) continue;
      if (isfinite(second[j][k])) d->info[j][k] -= w * second[j][k];
      d->scores[j][k] += w * score[j] * score[k];
    }
  }
}

status fit_differentiate(fit *f, const fit_law *law, fit_slope *d) {
  offset block[FIT_BLOCKS];
  double alpha[FIT_BLOCKS], beta[FIT_BLOCKS];
  const int m = choose_blocks(f, block);
  const double width = core_width(law);
  memset(d, 0, sizeof *d);
  for (int k = 0; k < m; k++) {
    alpha[k] = block[k].a ? fit_unlogit(fit_logit(law->alpha) + block[k].a * step_a) : law->alpha;
    beta[k] = block[k].b ? tanh(atanh(law->beta) + block[k].b * step_b) : law->beta;
  }
  for (int64_t from = 0; from < f->p->n; from += f->slab) {
    const int64_t len = f->p->n - from < f->slab ? f->p->n - from : f->slab;
    stencil s = {{{{NULL}}}};
    for (int k = 0; k < m; k++) {
      s.at[block[k].a + 1][block[k].b + 1][block[k].z + 1] = f->f + k * len;
      for (int64_t i = 0; i < len; i++) {
        const double z = (f->p->x[from + i] - law->delta) / law->gamma;
        f->x[k * len + i] = z + block[k].z * step_z * (width + fabs(z));
      }
    }
    const status st = densities(f, m, len, alpha, beta, law->frame);
    if (st != STATUS_OK) return st;
    for (int64_t i = 0; i < len; i++) {
      /* half the distance of the end points: what was really added */
      const double z = f->x[i], h = 0.5 * (f->x[len + i] - f->x[2 * len + i]);
      add_point(f, &s, i, z, h, weight(f, from + i), d);
    }
  }
  d->ll -= f->total * log(law->gamma);
  if (isnan(d->ll)) d->ll = -HUGE_VAL;
  return STATUS_OK;
}

/* ---- the workspace ---- */

static int ascending(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* The sample for the starts: all observations if they are few and count alike, else one from each of START_SAMPLE
 * parts of equal weight; nothing on the way takes so long that it should ask for interrupts. */
static void start_sample(fit *f) {
  const fit_problem *p = f->p;
  const double part = f->total / (double)f->m;
  double sum = weight(f, 0);
  uint32_t state = 1;
  for (int64_t k = 0, i = 0; k < f->m; k++) {
    const double within = p->n > f->m ? fit_uniform(&state) : 0.5, target = ((double)k + within) * part;
    while (sum <= target && i + 1 < p->n) sum += weight(f, ++i);
    f->sorted[k] = p->x[i];
  }
  qsort(f->sorted, (size_t)f->m, sizeof(double), ascending);
}

status fit_open(fit *f, const fit_problem *p) {
  memset(f, 0, sizeof *f);
  f->p = p;
  f->slab = p->n < SLAB ? p->n : SLAB;
  f->m = p->weight || p->n > START_SAMPLE ? START_SAMPLE : p->n;
  f->x = malloc(sizeof(double) * (size_t)(2 * FIT_BLOCKS * f->slab + f->m));
  if (!f->x) return fail(STATUS_MEMORY, "stableFit: no memory for %lld observations", (long long)p->n);
  f->f = f->x + FIT_BLOCKS * f->slab;
  f->sorted = f->f + FIT_BLOCKS * f->slab;
  f->low = f->high = p->x[0];
  for (int64_t i = 0; i < p->n; i++) {
    f->total += weight(f, i);
    f->low = fmin(f->low, p->x[i]);
    f->high = fmax(f->high, p->x[i]);
  }
  start_sample(f);
  return STATUS_OK;
}

void fit_close(fit *f) { free(f->x); }
