/* stable_slopes.c: log density of the standard stable law with its first and second derivatives, for likelihoods.
 *
 * Where the kernels do not serve, derivatives are differences of the log density in a = log(alpha/(2 - alpha)),
 * b = atanh(beta) and z: of fourth order with step h for those in one direction, of second order for the mixed ones.
 * With |log f| rounded to 1e-14 and h = 2e-3 the first derivatives have an error near 1e-11. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stable.h"

static const pipeline slope_pipeline = {
    "stable slopes", 4, 3, SLOPES, 8, 15, 8, 9,
    {KERNEL_stable_slope_param, KERNEL_stable_slope_pole, KERNEL_stable_slope_locate, KERNEL_stable_slope_ray,
     KERNEL_stable_slope_ray_fine, KERNEL_stable_slope_ray_near1, KERNEL_stable_slope_ray_near1_fine,
     KERNEL_stable_slope_ray_close, KERNEL_stable_slope_finish},
    1000};

enum { PART = 1024 }; /* points by differences at a time */

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
static const double step = 2e-3;

static double first(const double *f, double h) { return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h); }
static double second(double f0, const double *f, double h) {
  return (16 * (f[1] + f[2]) - f[0] - f[3] - 30 * f0) / (12 * h * h);
}
/* from the corners (+, +) and (-, -) and the inner points f[1], f[2] of both directions */
static double mixed(double f0, const double *corner, const double *f, const double *g, double h) {
  return (corner[0] + corner[1] - f[1] - f[2] - g[1] - g[2] + 2 * f0) / (2 * h);
}

double stable_core_width(double alpha, double beta, int frame) {
  if (frame != 1) return 1;
  const double t = beta * stable_tangent(alpha), a = 1 / alpha;
  return exp(lgamma(a) - lgamma(2 * a) + 0.5 * a * log1p(t * t));
}

/* One point: from the differences f of the blocks to the derivatives in alpha, beta and z. */
static void settle(const double *f, double alpha, double beta, double h, double *const out[SLOPES], int64_t i) {
  const double l = f[0], la = first(f + 1, step), lb = first(f + 5, step);
  const double da = 0.5 * alpha * (2 - alpha), db = (1 - beta) * (1 + beta); /* d alpha/da, d beta/db */
  const double f_alpha = la / da, f_beta = lb / db;
  out[SLOPE_LOG_F][i] = l;
  out[SLOPE_A][i] = f_alpha;
  out[SLOPE_B][i] = f_beta;
  out[SLOPE_Z][i] = first(f + 9, h);
  out[SLOPE_AA][i] = (second(l, f + 1, step) / da - f_alpha * (1 - alpha)) / da;
  out[SLOPE_AB][i] = mixed(l, f + 13, f + 1, f + 5, step * step) / (da * db);
  out[SLOPE_AZ][i] = mixed(l, f + 15, f + 1, f + 9, step * h) / da;
  out[SLOPE_BB][i] = (second(l, f + 5, step) / db + 2 * beta * f_beta) / db;
  out[SLOPE_BZ][i] = mixed(l, f + 17, f + 5, f + 9, step * h) / db;
  out[SLOPE_ZZ][i] = second(l, f + 9, h);
}

/* n points, a law each. */
static status by_differences(int64_t n, const double *z, const double *alpha, const double *beta, int frame,
                             double *const out[SLOPES]) {
  static const double one = 1, zero = 0;
  const double pm = frame;
  double *memory = malloc(sizeof(double) * (size_t)(BLOCKS * n * 4 + n));
  if (!memory) return fail(STATUS_MEMORY, "no memory for the derivatives of %lld densities", (long long)n);
  double *x = memory, *as = x + BLOCKS * n, *bs = as + BLOCKS * n, *f = bs + BLOCKS * n, *h = f + BLOCKS * n;
  for (int64_t i = 0; i < n; i++) {
    const double a = log(alpha[i] / (2 - alpha[i])), b = atanh(beta[i]);
    const double reach = step * (stable_core_width(alpha[i], beta[i], frame) + fabs(z[i]));
    const volatile double moved = z[i] + reach; /* what is really added */
    h[i] = moved - z[i];
    for (int k = 0; k < BLOCKS; k++) {
      const double ak = a + block[k].a * step;
      as[i * BLOCKS + k] = block[k].a && alpha[i] < 2 ? 2 / (1 + exp(-ak)) : alpha[i];
      bs[i * BLOCKS + k] = block[k].b && fabs(beta[i]) < 1 ? tanh(b + block[k].b * step) : beta[i];
      x[i * BLOCKS + k] = z[i] + block[k].z * h[i];
    }
  }
  const stable_parameters p = {{as, BLOCKS * n}, {bs, BLOCKS * n}, {&one, 1}, {&zero, 1}, {&pm, 1}};
  const column xs = {x, BLOCKS * n};
  const status st = stable_density(BLOCKS * n, 1, xs, p, 1, f);
  for (int64_t i = 0; i < n && st == STATUS_OK; i++) settle(f + i * BLOCKS, alpha[i], beta[i], h[i], out, i);
  free(memory);
  return st;
}

/* Points without derivatives from the kernels, though their density is not 0. */
static int is_refused(double *const out[SLOPES], int64_t i) {
  return isnan(out[SLOPE_ZZ][i]) && out[SLOPE_LOG_F][i] != -HUGE_VAL;
}

/* From point from on as many as make a part of refused ones; the first not looked at. */
static int64_t gather(int64_t n, int64_t from, const int everywhere, double *const out[SLOPES], int64_t *at, int *m) {
  *m = 0;
  for (; from < n && *m < PART; from++)
    if (everywhere || is_refused(out, from)) at[(*m)++] = from;
  return from;
}

static status fill(int64_t n, int64_t run, const double *z, column alpha, column beta, int frame, int everywhere,
                   double *const out[SLOPES]) {
  int64_t at[PART];
  double value[SLOPES][PART], zs[PART], as[PART], bs[PART], *to[SLOPES];
  int m = 0;
  for (int k = 0; k < SLOPES; k++) to[k] = value[k];
  for (int64_t from = 0; from < n;) {
    from = gather(n, from, everywhere, out, at, &m);
    if (!m) break;
    for (int j = 0; j < m; j++) {
      zs[j] = z[at[j]];
      as[j] = column_at(alpha, at[j] / run);
      bs[j] = column_at(beta, at[j] / run);
    }
    const status st = by_differences(m, zs, as, bs, frame, to);
    if (st != STATUS_OK) return st;
    for (int k = 0; k < SLOPES; k++)
      for (int j = 0; j < m; j++) out[k][at[j]] = value[k][j];
  }
  return STATUS_OK;
}

status stable_slopes(int64_t n, int64_t run, const double *z, column alpha, column beta, int frame,
                     double *const out[SLOPES]) {
  static const double zero = 0, one = 1;
  const double pm = frame;
  const column zeros = {&zero, 1};
  const stable_parameters p = {alpha, beta, {&one, 1}, zeros, {&pm, 1}};
  const column zs = {z, n};
  status st = STATUS_OK;
  if (frame == 2) return fill(n, run, z, alpha, beta, frame, 1, out);
  task t = stable_task(&slope_pipeline, n, run, zs, p, zeros);
  for (int k = 0; k < SLOPES; k++) t.out[k] = out[k];
  st = backend_run(&t);
  return st == STATUS_OK ? fill(n, run, z, alpha, beta, frame, 0, out) : st;
}
