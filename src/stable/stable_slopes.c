/* stable_slopes.c: log density of the standard stable distribution with its first and second derivatives, for
 * likelihoods.
 *
 * The kernels of stable_slope.cl give them, but for the points that their rays refuse: densities in closed form,
 * those far below the ones around them, and light tails. There derivatives are differences of the log density in
 * a = log(alpha/(2 - alpha)), b = atanh(beta) and z: of fourth order for those in one direction, of second order for
 * the mixed ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable/differences.h"
#include "programs/programs.h"
#include "stable/stable.h"
#include "kernels/stable/stable_columns.h"

const pipeline stable_slope_pipeline = {
    .name = "stable slopes", .n_set_in = STABLE_SET_COLUMNS, .n_in = STABLE_COLUMNS, .n_out = SLOPES,
    .n_set_work = SLOPE_DISTRIBUTION_COLUMNS, .n_work = SLOPE_POINT_COLUMNS, .n_list = SLOPE_LISTS,
    .for_host = 1u << LIST_ANGLE | 1u << LIST_LIGHT,
    .step = {KERNEL_stable_slope_param, KERNEL_stable_slope_pole, KERNEL_stable_slope_locate,
             KERNEL_stable_slope_ray, KERNEL_stable_slope_ray_fine, KERNEL_stable_slope_ray_finest,
             KERNEL_stable_slope_ray_near1, KERNEL_stable_slope_ray_near1_fine, KERNEL_stable_slope_ray_near1_finest,
             KERNEL_stable_slope_ray_close, KERNEL_stable_slope_ray_close_finest, KERNEL_stable_slope_finish},
    .ns_per_point = 1000};

enum { PART = 512 }; /* points by differences at a time */

/* Offsets in steps of a block of densities: the value, four in each direction, two corners for each pair. */
typedef struct {
  int a, b, z;
} offset;
enum { BLOCKS = 19 };
static const offset block[BLOCKS] = {{0, 0, 0},
                                     {-2, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {2, 0, 0},
                                     {0, -2, 0}, {0, -1, 0}, {0, 1, 0}, {0, 2, 0},
                                     {0, 0, -2}, {0, 0, -1}, {0, 0, 1}, {0, 0, 2},
                                     {1, 1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, -1}, {0, 1, 1}, {0, -1, -1}};

double stable_core_width(double alpha, double beta, int frame) {
  if (frame != 1) return 1;
  const double t = beta * stable_tangent(alpha), a = 1 / alpha;
  return exp(lgamma(a) - lgamma(2 * a) + 0.5 * a * log1p(t * t));
}

/* A point by differences: the distribution, z and the frame of both, and the steps in a, b and z. */
typedef struct {
  double alpha, beta, z, frame, step[3];
} difference;

/* Where alpha is small the density near zeta is narrow beside the way that zeta goes with alpha, and so the
 * differences are those of S1. For alpha < 1 and |beta| = 1 the support ends at zeta, and next to it log f follows a
 * power of the distance, which is then the measure of the step. */
static difference difference_at(double z, double alpha, double beta, int frame) {
  const int moved = frame == 0 && stable_by_zeta(alpha);
  difference d = {alpha, beta, moved ? z + beta * stable_tangent(alpha) : z, moved ? 1 : frame, {1e-3, 1e-3, 0}};
  const double from_end = d.frame == 1 ? d.z : d.z + beta * stable_tangent(alpha);
  const int bounded = alpha < 1 && fabs(beta) == 1 && frame != 2;
  d.step[2] = 7e-4 * (bounded ? fabs(from_end) : stable_core_width(alpha, beta, (int)d.frame) + fabs(d.z));
  return d;
}

/* Shorter steps where log f would change by more than 1 % of itself; zero when they are right. */
static int shorten(difference *d, const double *f) {
  int changed = 0;
  for (int k = 0; k < 3; k++) {
    const double *g = f + 1 + 4 * k, change = 0.5 * fabs(g[2] - g[1]) / fmax(1, fabs(f[0]));
    if (!(change > 1e-2) || !isfinite(change)) continue;
    d->step[k] *= 5e-3 / change;
    changed = 1;
  }
  return changed;
}

/* One point: from the log densities f of its block to the derivatives in alpha, beta and z. */
static void point_slopes(const difference *d, const double *f, double *slope) {
  const double alpha = d->alpha, beta = d->beta, *h = d->step;
  const double l = f[0], la = first_difference(f + 1, h[0]), lb = first_difference(f + 5, h[1]);
  const double da = 0.5 * alpha * (2 - alpha), db = (1 - beta) * (1 + beta); /* d alpha/da, d beta/db */
  const double f_alpha = la / da, f_beta = lb / db;
  slope[SLOPE_LOG_F] = l;
  slope[SLOPE_A] = f_alpha;
  slope[SLOPE_B] = f_beta;
  slope[SLOPE_Z] = first_difference(f + 9, h[2]);
  slope[SLOPE_AA] = (second_difference(l, f + 1, h[0]) / da - f_alpha * (1 - alpha)) / da;
  slope[SLOPE_AB] = mixed_difference(l, f + 13, f + 1, f + 5, h[0] * h[1]) / (da * db);
  slope[SLOPE_AZ] = mixed_difference(l, f + 15, f + 1, f + 9, h[0] * h[2]) / da;
  slope[SLOPE_BB] = (second_difference(l, f + 5, h[1]) / db + 2 * beta * f_beta) / db;
  slope[SLOPE_BZ] = mixed_difference(l, f + 17, f + 5, f + 9, h[1] * h[2]) / db;
  slope[SLOPE_ZZ] = second_difference(l, f + 9, h[2]);
}

/* From derivatives that hold y to those that hold x, y = x + T, T = beta tan(pi alpha/2). */
static void hold_x(double alpha, double beta, double *d) {
  const double p = stable_tangent(alpha), p1 = 0.5 * pi * (1 + p * p), t1 = beta * p1;
  const double z = d[SLOPE_Z], az = d[SLOPE_AZ], bz = d[SLOPE_BZ], zz = d[SLOPE_ZZ];
  d[SLOPE_A] += t1 * z;
  d[SLOPE_B] += p * z;
  d[SLOPE_AA] += t1 * (2 * az + t1 * zz) + pi * p * t1 * z;
  d[SLOPE_AB] += p * (az + t1 * zz) + t1 * bz + p1 * z;
  d[SLOPE_BB] += p * (2 * bz + p * zz);
  d[SLOPE_AZ] += t1 * zz;
  d[SLOPE_BZ] += p * zz;
}

/* Log densities of the blocks of n points. */
static status blocks(int64_t n, difference *d, double *x, double *f) {
  double *as = x + BLOCKS * n, *bs = as + BLOCKS * n, *pm = bs + BLOCKS * n;
  for (int64_t i = 0; i < n; i++) {
    difference *q = d + i;
    const double a = log(q->alpha / (2 - q->alpha)), b = atanh(q->beta);
    const volatile double moved = q->z + q->step[2]; /* what is really added */
    q->step[2] = moved - q->z;
    for (int k = 0; k < BLOCKS; k++) {
      const int64_t at = i * BLOCKS + k;
      const double ak = a + block[k].a * q->step[0];
      as[at] = block[k].a && q->alpha < 2 ? 2 / (1 + exp(-ak)) : q->alpha;
      bs[at] = block[k].b && fabs(q->beta) < 1 ? tanh(b + block[k].b * q->step[1]) : q->beta;
      x[at] = q->z + block[k].z * q->step[2];
      pm[at] = q->frame;
    }
  }
  const int64_t m = BLOCKS * n;
  const stable_parameters p = stable_standard((column){as, m}, (column){bs, m}, (column){pm, m});
  return stable_density(m, 1, (column){x, m}, p, 1, f);
}

/* Derivatives at n points of a distribution each, SLOPES numbers a point. */
static status by_differences(int64_t n, difference *d, int frame, double *slope) {
  double *memory = malloc(sizeof(double) * (size_t)(BLOCKS * n * 5));
  if (!memory) return fail(STATUS_MEMORY, "no memory for the derivatives of %lld densities", (long long)n);
  double *f = memory + 4 * BLOCKS * n;
  status st = STATUS_OK;
  for (int round = 0, again = 1; round < 3 && again && st == STATUS_OK; round++) {
    st = blocks(n, d, memory, f);
    again = 0;
    for (int64_t i = 0; i < n && round < 2 && st == STATUS_OK; i++) again |= shorten(d + i, f + i * BLOCKS);
  }
  for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
    point_slopes(d + i, f + i * BLOCKS, slope + i * SLOPES);
    if (d[i].frame != frame) hold_x(d[i].alpha, d[i].beta, slope + i * SLOPES);
  }
  free(memory);
  return st;
}

/* Points without derivatives from the kernels, though their density is not 0. */
static int is_refused(double *const out[SLOPES], int64_t i) {
  return isnan(out[SLOPE_ZZ][i]) && out[SLOPE_LOG_F][i] != -HUGE_VAL;
}

/* Derivatives by differences for the points refused, or of frame 2, of which kernels know nothing, for all. */
static status fill(int64_t n, int64_t run, const double *z, column alpha, column beta, int frame,
                   double *const out[SLOPES]) {
  int64_t at[PART];
  difference d[PART];
  double slope[PART * SLOPES];
  for (int64_t from = 0; from < n;) {
    int m = 0;
    for (; from < n && m < PART; from++)
      if (frame == 2 || is_refused(out, from)) at[m++] = from;
    if (m == 0) break;
    for (int j = 0; j < m; j++)
      d[j] = difference_at(z[at[j]], column_at(alpha, at[j] / run), column_at(beta, at[j] / run), frame);
    const status st = by_differences(m, d, frame, slope);
    if (st != STATUS_OK) return st;
    for (int j = 0; j < m; j++)
      for (int k = 0; k < SLOPES; k++) out[k][at[j]] = slope[j * SLOPES + k];
  }
  return STATUS_OK;
}

status stable_slopes(int64_t n, int64_t run, const double *z, column alpha, column beta, int frame,
                     double *const out[SLOPES]) {
  const double pm = frame;
  const stable_parameters p = stable_standard(alpha, beta, (column){&pm, 1});
  const column no_modes = p.delta; /* 0 */
  task t = stable_task(&stable_slope_pipeline, n, run, (column){z, n}, p, no_modes);
  for (int k = 0; k < SLOPES; k++) t.out[k] = out[k];
  const status st = frame == 2 ? STATUS_OK : backend_run(&t);
  return st == STATUS_OK ? fill(n, run, z, alpha, beta, frame, out) : st;
}
