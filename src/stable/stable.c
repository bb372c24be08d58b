/* stable.c: host side of stable densities, tails and random numbers: the pipelines, and the modes that pm = 2 counts
 * from. */
#include "stable/stable.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/stable/stable_columns.h"
#include "programs/programs.h"

const pipeline stable_density_pipeline = {
    .name = "dstable", .n_set_in = STABLE_SET_COLUMNS, .n_in = STABLE_COLUMNS, .n_out = 1,
    .n_set_work = STABLE_DISTRIBUTION_COLUMNS, .n_work = STABLE_POINT_COLUMNS, .n_list = STABLE_LISTS,
    .step = {KERNEL_stable_param, KERNEL_stable_locate, KERNEL_stable_series, KERNEL_stable_ray,
             KERNEL_stable_ray_fine, KERNEL_stable_ray_near1, KERNEL_stable_ray_near1_fine, KERNEL_stable_light,
             KERNEL_stable_angle, KERNEL_stable_finish},
    .ns_per_point = 500};

#define JOINT_PIPELINE(name_, columns, last)                                                                 \
  {.name = name_, .n_set_in = STABLE_SET_COLUMNS, .n_in = STABLE_COLUMNS, .n_out = columns,                  \
   .n_set_work = STABLE_DISTRIBUTION_COLUMNS, .n_work = JOINT_POINT_COLUMNS, .n_list = STABLE_LISTS,         \
   .step = {KERNEL_stable_joint_param, KERNEL_stable_joint_locate, KERNEL_stable_joint_series,               \
            KERNEL_stable_joint_ray, KERNEL_stable_joint_ray_fine, KERNEL_stable_joint_ray_near1,            \
            KERNEL_stable_joint_ray_near1_fine, KERNEL_stable_joint_light,                                   \
            KERNEL_stable_joint_angle, last},                                                                \
   .ns_per_point = 600}
static const pipeline tail_pipeline = JOINT_PIPELINE("pstable", 1, KERNEL_stable_tail_finish);
static const pipeline joint_pipeline = JOINT_PIPELINE("dpstable", JOINT_VALUES, KERNEL_stable_joint_finish);
static const pipeline error_pipeline = JOINT_PIPELINE("dpstable", JOINT_COLUMNS, KERNEL_stable_joint_finish);

static const pipeline draw_pipeline = {
    .name = "rstable", .n_set_in = STABLE_SET_COLUMNS, .n_in = DRAW_COLUMNS, .n_out = 1,
    .n_set_work = DRAW_DISTRIBUTION_COLUMNS, .step = {KERNEL_stable_draw_param, KERNEL_stable_draw},
    .ns_per_point = 25};

static const double zero = 0, one = 1;
static const column zeros = {&zero, 1}, ones = {&one, 1};

stable_parameters stable_standard(column alpha, column beta, column pm) {
  return (stable_parameters){alpha, beta, ones, zeros, pm};
}

task stable_task(const pipeline *pipe, int64_t n, int64_t run, column x, stable_parameters p, column mode) {
  task t = {0};
  t.pipe = pipe;
  t.n = n;
  t.run = run;
  t.set_in[SET_ALPHA] = p.alpha;
  t.set_in[SET_BETA] = p.beta;
  t.set_in[SET_PM] = p.pm;
  t.set_in[SET_MODE] = mode;
  t.in[IN_X] = x;
  t.in[IN_GAMMA] = p.gamma;
  t.in[IN_DELTA] = p.delta;
  return t;
}

static status run_with_modes(task *t, stable_parameters p, const double *par, int n_par) {
  double *modes = NULL;
  t->par = par;
  t->n_par = n_par;
  status st = stable_modes((t->n + t->run - 1) / t->run, p, &modes, &t->set_in[SET_MODE]);
  if (st == STATUS_OK) st = backend_run(t);
  free(modes);
  return st;
}

status stable_density(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *out) {
  const double par[] = {give_log};
  task t = stable_task(&stable_density_pipeline, n, run, x, p, zeros);
  t.out[0] = out;
  return run_with_modes(&t, p, par, 1);
}

status stable_tail(int64_t n, int64_t run, column x, stable_parameters p, int lower, int give_log, double *out) {
  const double par[] = {give_log, lower};
  task t = stable_task(&tail_pipeline, n, run, x, p, zeros);
  t.out[0] = out;
  return run_with_modes(&t, p, par, 2);
}

status stable_joint(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *const out[3],
                    double *const error[3]) {
  const double par[] = {give_log, error != NULL};
  task t = stable_task(error ? &error_pipeline : &joint_pipeline, n, run, x, p, zeros);
  for (int k = 0; k < JOINT_VALUES; k++) {
    t.out[k] = out[k];
    if (error) t.out[JOINT_VALUES + k] = error[k];
  }
  return run_with_modes(&t, p, par, 2);
}

status stable_random(int64_t first, int64_t n, stable_parameters p, const uint32_t key[2], double *out) {
  const double par[] = {key[0], key[1]};
  task t = stable_task(&draw_pipeline, n, 1, zeros, p, zeros);
  t.origin = first;
  t.in[DRAW_GAMMA] = p.gamma;
  t.in[DRAW_DELTA] = p.delta;
  t.out[0] = out;
  return run_with_modes(&t, p, par, 2);
}

/* ---- modes ---- */

typedef struct {
  double alpha, beta; /* beta > 0: the mirror image has the opposite mode */
  double mode, low, high;
  double reach; /* half width of the stencil */
  int64_t owner;       /* the set that asked */
} mode_distribution;

/* Log densities of m points per distribution, at low + (high - low) j/(m - 1). */
static status grid_values(mode_distribution *distribution, int64_t n, int m, double *x, double *set, double *f) {
  for (int64_t i = 0; i < n; i++) {
    set[i] = distribution[i].alpha;
    set[n + i] = distribution[i].beta;
    for (int j = 0; j < m; j++)
      x[i * m + j] = distribution[i].low + (distribution[i].high - distribution[i].low) * j / (m - 1);
  }
  const stable_parameters p = stable_standard((column){set, n}, (column){set + n, n}, zeros);
  return stable_density(n * m, m, (column){x, n * m}, p, 1, f);
}

enum { GRID = 17, STENCIL = 9 };

/* Stable distributions are unimodal (Yamazato 1978), so the best of a grid and its neighbours bracket the mode. The
 * bracket is narrowed until log f changes by less than 2e-3 from point to point; the last steps are Newton's on the
 * derivative of log f, both derivatives by the central differences of eighth order on nine points (Fornberg 1988,
 * table 1). */
static status find_modes(mode_distribution *distribution, int64_t n) {
  static const double first[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  double *x = malloc((size_t)n * (2 * GRID + 2) * sizeof *x);
  if (!x) return fail(STATUS_MEMORY, "no memory for the modes of %lld parameter sets", (long long)n);
  double *f = x + n * GRID, *set = f + n * GRID;
  status st = STATUS_OK;
  for (int round = 0, open = 1; round < 200 && open && st == STATUS_OK; round++) {
    st = grid_values(distribution, n, GRID, x, set, f);
    open = 0;
    for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
      mode_distribution *d = distribution + i;
      const double *g = f + i * GRID, step = (d->high - d->low) / (GRID - 1);
      int best = 0;
      for (int j = 1; j < GRID; j++)
        if (g[j] > g[best]) best = j;
      const double drop = g[best] - fmin(g[best > 0 ? best - 1 : 1], g[best < GRID - 1 ? best + 1 : GRID - 2]);
      d->mode = x[i * GRID + best];
      d->reach = 4 * step;
      if (drop < 2e-3 || !(step > 1e-15 * fabs(d->mode))) continue;
      d->low = d->mode - step;
      d->high = d->mode + step;
      open = 1;
    }
  }
  for (int round = 0, open = 1; round < 60 && open && st == STATUS_OK; round++) {
    for (mode_distribution *d = distribution; d < distribution + n; d++) {
      d->low = d->mode - d->reach;
      d->high = d->mode + d->reach;
    }
    st = grid_values(distribution, n, STENCIL, x, set, f);
    open = 0;
    for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
      mode_distribution *d = distribution + i;
      const double *g = f + i * STENCIL + 4, h = d->reach / 4, old = d->reach;
      double d1 = 0, d2 = second[0] * g[0];
      for (int j = 1; j <= 4; j++) {
        d1 += first[j - 1] * (g[j] - g[-j]);
        d2 += second[j] * (g[j] + g[-j]);
      }
      /* The stencil must fit the peak, whose width is h/sqrt(-d2): narrower where it meets the end of the support
       * (log f = -inf there), where it is not concave, or where it spans more than a third of the width. */
      if (!isfinite(d1) || d2 >= 0 || fabs(d1) > -4 * d2) {
        d->reach *= 0.25;
      } else {
        d->mode -= d1 / d2 * h;
        d->reach = fmin(d->reach, 0.32 * h / sqrt(-d2));
      }
      const int found = d->reach > 0.8 * old && fabs(d1) < -1e-11 * d2;
      open |= !found && d->reach > 1e-15 * fabs(d->mode);
    }
  }
  free(x);
  return st;
}

static int by_distribution(const void *a, const void *b) {
  const mode_distribution *p = a, *q = b;
  if (p->alpha != q->alpha) return p->alpha < q->alpha ? -1 : 1;
  return p->beta < q->beta ? -1 : p->beta > q->beta;
}

static status modes_of(int64_t n_sets, stable_parameters p, double **memory, column *mode) {
  const call_part whole = backend_part();
  int needed = 0;
  for (int64_t i = 0; i < p.pm.length && !needed; i++) needed = p.pm.data[i] == 2;
  *memory = NULL;
  *mode = zeros;
  if (!needed) return STATUS_OK;
  const int64_t n = p.alpha.length == 1 && p.beta.length == 1 && p.pm.length == 1 ? 1 : n_sets;
  double *value = *memory = calloc((size_t)n, sizeof *value);
  mode_distribution *distribution = malloc((size_t)n * sizeof *distribution);
  status st = STATUS_OK;
  int64_t count = 0;
  *mode = (column){value, n};
  if (!value || !distribution)
    st = fail(STATUS_MEMORY, "no memory for the modes of %lld parameter sets", (long long)n);
  for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
    const double alpha = column_at(p.alpha, i), beta = column_at(p.beta, i);
    if (column_at(p.pm, i) == 2 && alpha > 0 && alpha < 2 && beta != 0 && fabs(beta) <= 1)
      distribution[count++] = (mode_distribution){.alpha = alpha, .beta = fabs(beta), .owner = i};
  }
  if (count > 0) qsort(distribution, (size_t)count, sizeof *distribution, by_distribution);
  for (int64_t from = 0, to; from < count && st == STATUS_OK; from = to) {
    /* a batch of different distributions, gathered in a small array of its own */
    enum { BATCH = 1024 };
    static const double widest = 1.5; /* modes of S0 distributions lie in (-0.8, 0) for beta > 0 */
    mode_distribution batch[BATCH];
    int64_t m = 0;
    for (to = from; to < count; to++) {
      if (m > 0 && by_distribution(&batch[m - 1], &distribution[to]) == 0) continue;
      if (m == BATCH) break;
      batch[m] = distribution[to];
      batch[m].low = batch[m].alpha < 1 ? -fmin(tan(half_pi * batch[m].alpha), widest) : -widest;
      batch[m++].high = 0.1;
    }
    backend_set_part(whole, (double)from / (double)count, (double)from / (double)count);
    st = find_modes(batch, m);
    for (int64_t i = from, j = 0; i < to && st == STATUS_OK; i++) {
      if (by_distribution(&batch[j], &distribution[i]) != 0) j++;
      value[distribution[i].owner] = column_at(p.beta, distribution[i].owner) < 0 ? -batch[j].mode : batch[j].mode;
    }
  }
  backend_set_part(whole, 0, 1);
  free(distribution);
  return st;
}

/* How much the rest of a call is, beside its modes, is not known. */
status stable_modes(int64_t n_sets, stable_parameters p, double **memory, column *mode) {
  const call_part whole = backend_part();
  backend_set_part(whole, NAN, NAN);
  const status st = modes_of(n_sets, p, memory, mode);
  backend_set_part(whole, 0, 1);
  return st;
}

status stable_standard_modes(int64_t n, const double *alpha, const double *beta, double *mode) {
  static const double two = 2;
  double *memory;
  column found;
  const stable_parameters p = stable_standard((column){alpha, n}, (column){beta, n}, (column){&two, 1});
  const status st = stable_modes(n, p, &memory, &found);
  for (int64_t i = 0; i < n && st == STATUS_OK; i++) mode[i] = column_at(found, i);
  free(memory);
  return st;
}

int stable_by_zeta(double alpha) { return alpha < 0.8; }

double stable_tangent(double alpha) {
  if (alpha == 1) return 0;
  if (alpha > 1.5) return tan(half_pi * (alpha - 2));
  return alpha < 0.5 ? tan(half_pi * alpha) : -1 / tan(half_pi * (alpha - 1));
}

status stable_mode(int64_t n, stable_parameters p, double *out) {
  static const double two = 2;
  const stable_parameters counted = stable_standard(p.alpha, p.beta, (column){&two, 1});
  const int64_t n_sets = p.alpha.length == 1 && p.beta.length == 1 ? 1 : n;
  column mode;
  double *modes = NULL;
  const status st = modes_of(n_sets, counted, &modes, &mode);
  for (int64_t i = 0; i < n && st == STATUS_OK; i++) {
    const double alpha = column_at(p.alpha, i), beta = column_at(p.beta, i), gamma = column_at(p.gamma, i);
    const double delta = column_at(p.delta, i), pm = column_at(p.pm, i);
    double z = mode.length == 1 ? mode.data[0] : mode.data[i];
    if (pm == 1 && alpha == 1) z += beta * log(gamma > 0 ? gamma : 1) * 0.6366197723675814;
    if (pm == 1) z += beta * stable_tangent(alpha);
    if (pm == 2 || gamma == 0) z = 0;
    out[i] = z == 0 ? delta : delta + gamma * z;
    if (!(alpha > 0 && alpha <= 2 && fabs(beta) <= 1 && gamma >= 0 && (pm == 0 || pm == 1 || pm == 2))) out[i] = NAN;
  }
  free(modes);
  return st;
}
