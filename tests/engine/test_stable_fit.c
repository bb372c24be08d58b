/* test_stable_fit.c: fits of stable distributions, by maximum likelihood and by the other estimators, in batches of
 * hostile series: a distribution in range or none, the same alone as in a batch, and nothing read or written out of
 * place, which tools/sanitize.sh watches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "engine/devices.h"
#include "stable/stable_estimate.h"
#include "stable/stable_fit.h"
#include "stable/stable_start.h"
#include "engine/threads.h"

enum { MOST = 200, METHODS = 6 };
static const char *name_of[METHODS] = {"mcculloch", "logmoment", "koutrouvelis", "ecf", "grid", "grid2d"};

/* Heavy tails, ties, few values, extreme scales, constants, values that are not finite; some have weights. */
static void hostile(estimate_problem *p, double *x, double *w, int kind) {
  p->n = kind % 7 == 0 ? below(6) : 5 + below(MOST - 5);
  p->x = x;
  p->weight = kind % 3 == 0 ? w : NULL;
  const double scale = kind % 11 == 0 ? 1e-300 : kind % 13 == 0 ? 1e300 : 1, power = 1 + 6 * uniform() * (kind % 4);
  for (int64_t i = 0; i < p->n; i++) {
    const double u = 2 * uniform() - 1;
    x[i] = scale * (u < 0 ? -1 : 1) * fmin(pow(fabs(u), -power) - 1, 1e8);
    if (kind % 5 == 0) x[i] = scale * (double)below(3);
    if (kind % 17 == 0) x[i] = 1;
    w[i] = below(3) == 0 ? 0 : 4 * uniform();
  }
  if (kind % 19 == 0 && p->n) x[below((int)p->n)] = kind % 2 ? INFINITY : NAN;
  for (int k = 0; k < STABLE_PARS; k++) p->fixed[k] = NAN;
  if (kind % 6 == 1) p->fixed[ALPHA] = 0.1 + 1.9 * uniform();
  if (kind % 6 == 2) p->fixed[BETA] = (double)(below(3) - 1);
}

static int is_distribution(const estimate_problem *p) {
  const double *v = p->par;
  for (int k = 0; k < STABLE_PARS; k++)
    if (!isfinite(v[k]) || (!isnan(p->fixed[k]) && v[k] != p->fixed[k])) return 0;
  return v[0] >= ESTIMATE_ALPHA_MIN && v[0] <= 2 && fabs(v[1]) <= 1 && v[2] > 0;
}

static void test_batch(enum estimate_method method, int m) {
  estimate_problem *p = room((size_t)m * sizeof *p);
  double *x = reals((int64_t)m * MOST), *w = reals((int64_t)m * MOST);
  int distributions = 0, neither = 0, alone = 0;
  for (int i = 0; i < m; i++) hostile(&p[i], x + i * MOST, w + i * MOST, i + 1);
  if (check(stable_estimate(method, m, p) == STATUS_OK, "%s: %s", name_of[method], last_error())) {
    for (int i = 0; i < m; i++) {
      const int distribution = is_distribution(&p[i]);
      distributions += distribution;
      for (int k = 0; k < STABLE_PARS; k++) neither += !distribution && !isnan(p[i].par[k]);
    }
    for (int i = 0; i < m; i += 5) {
      estimate_problem one = p[i];
      memset(one.par, 0, sizeof one.par);
      if (stable_estimate(method, 1, &one) == STATUS_OK) alone += memcmp(one.par, p[i].par, sizeof one.par) == 0;
    }
  }
  check(neither == 0, "%s: %d values of estimates that are no distributions", name_of[method], neither);
  check(distributions > m / 2, "%s: %d distributions from %d series", name_of[method], distributions, m);
  check(alone == (m + 4) / 5, "%s: %d of %d series have the same estimate alone", name_of[method], alone,
        (m + 4) / 5);
  free(p);
  free(x);
  free(w);
}

/* A sample in order has starts for the fit, which are in the interior. */
static void test_starts(void) {
  check(fit_prepare_starts() == STATUS_OK, "tables for the starts");
  for (int n = 5; n < 200; n += 13) {
    double x[MOST];
    int64_t scratch[MOST];
    fit_distribution start[FIT_STARTS];
    const ordered_sample s = {n, x, NULL, n, scratch, NULL, 0};
    x[0] = -1;
    for (int i = 1; i < n; i++) x[i] = x[i - 1] + pow(uniform(), 3);
    int summits;
    const int m = fit_starts(&s, NAN, NAN, start, &summits);
    int good = m > 0 && m <= FIT_STARTS;
    for (int k = 0; k < m; k++)
      good &= start[k].alpha > 0 && start[k].alpha < 2 && fabs(start[k].beta) < 1 && start[k].gamma > 0 &&
              isfinite(start[k].gamma) && isfinite(start[k].delta) && start[k].frame == 0;
    check(good, "starts of %d observations", n);
    const int fixed = fit_starts(&s, 2, -1, start, &summits);
    check(fixed > 0 && start[0].alpha == 2 && start[0].beta == -1, "fixed, n = %d", n);
  }
}

/* Of a hostile series what R lets through: finite and not constant, weights that are positive; some are intervals. */
static int64_t admitted(fit_problem *p, const estimate_problem *from, double *x, double *w, double *upper, int kind) {
  const int censored = kind % 4 == 1;
  int64_t n = 0, varied = 0;
  for (int64_t i = 0; i < from->n && n < 40; i++) {
    if (!isfinite(from->x[i]) || (from->weight && !(from->weight[i] > 0))) continue;
    x[n] = upper[n] = from->x[i];
    w[n] = from->weight ? from->weight[i] : 1;
    if (censored && i % 3 == 1) upper[n] = i % 2 ? INFINITY : x[n] + 0.1 * fabs(x[n]) + 1e-3;
    if (censored && i % 9 == 3) x[n] = -INFINITY;
    varied += x[n] != x[0];
    n++;
  }
  memset(p, 0, sizeof *p);
  p->n = n;
  p->x = x;
  p->weight = from->weight ? w : NULL;
  p->upper = censored ? upper : NULL;
  p->pm = kind % 3;
  for (int k = 0; k < STABLE_PARS; k++) {
    p->fixed[k] = !isnan(from->fixed[k]);
    p->value[k] = p->fixed[k] ? from->fixed[k] : 0;
  }
  if (p->fixed[ALPHA] && kind % 12 == 1) p->value[ALPHA] = 2;
  return varied ? n : 0;
}

static int sound_fit(const fit_problem *p, const fit_result *r) {
  if (r->log_lik == -HUGE_VAL) return 1;
  for (int k = 0; k < STABLE_PARS; k++)
    if (isnan(r->par[k]) || (p->fixed[k] && r->par[k] != p->value[k])) return 0;
  return !isnan(r->log_lik) && r->par[0] >= ESTIMATE_ALPHA_MIN && r->par[0] <= 2 && fabs(r->par[1]) <= 1 &&
         (r->par[2] > 0 || !r->converged);
}

static void test_fits(int m) {
  fit_problem *p = room((size_t)m * sizeof *p);
  fit_result *r = calloc((size_t)m, sizeof *r);
  double *x = reals((int64_t)m * MOST), *w = reals((int64_t)m * MOST), *upper = reals((int64_t)m * MOST);
  double given[MOST], weight[MOST];
  int n = 0, converged = 0, alone = 0;
  for (int i = 0; i < m; i++) {
    estimate_problem from;
    hostile(&from, given, weight, i + 1);
    if (admitted(&p[n], &from, x + n * MOST, w + n * MOST, upper + n * MOST, i) > 4) n++;
  }
  if (check(stable_fit(n, p, r) == STATUS_OK, "fits: %s", last_error())) {
    for (int i = 0; i < n; i++) {
      check(sound_fit(&p[i], &r[i]), "fit %d: %g %g %g %g, log likelihood %g", i, r[i].par[0], r[i].par[1],
            r[i].par[2], r[i].par[3], r[i].log_lik);
      converged += r[i].converged;
    }
    for (int i = 0; i < n; i += 4) {
      fit_result one = {.cov = NULL};
      if (stable_fit(1, p + i, &one) == STATUS_OK) alone += memcmp(one.par, r[i].par, sizeof one.par) == 0;
    }
  }
  check(converged > n / 3, "%d of %d fits converged", converged, n);
  check(alone == (n + 3) / 4, "%d of %d series have the same fit alone", alone, (n + 3) / 4);
  free(p);
  free(r);
  free(x);
  free(w);
  free(upper);
}

/* A sample with columns: no small step leads from its distribution and coefficients to a larger likelihood. */
static void test_columns(void) {
  enum { N = 120, COLUMNS = 3, ALL = STABLE_PARS + COLUMNS };
  const double step = 1e-3;
  double y[N], q[N * COLUMNS], b[2 * COLUMNS] = {0}, found[COLUMNS], cov[ALL * ALL], rest[N], best, other;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < COLUMNS; k++) q[i + k * N] = 2 * uniform() - 1;
    y[i] = 3 + 2 * q[i] - q[i + N] + 0.1 * tan(3.1 * (uniform() - 0.5));
  }
  fit_problem p = {.n = N, .x = y, .q = q, .columns = COLUMNS, .starts = 2, .b = b};
  fit_result r = {.b = found, .cov = cov};
  b[COLUMNS] = 2;
  if (!check(stable_fit(1, &p, &r) == STATUS_OK && r.converged, "columns: %s", last_error())) return;
  check(fabs(found[0] - 2) < 0.1 && fabs(found[1] + 1) < 0.1 && fabs(found[2]) < 0.1 && fabs(r.par[3] - 3) < 0.1,
        "coefficients %g %g %g %g", r.par[3], found[0], found[1], found[2]);
  for (int j = -1; j < ALL; j++)
    for (int sign = -1; sign <= 1; sign += 2) {
      fit_problem at = {.n = N, .x = rest};
      memcpy(at.value, r.par, sizeof r.par);
      if (j >= 0 && j < STABLE_PARS) at.value[j] += sign * step;
      for (int i = 0; i < N; i++) {
        rest[i] = y[i];
        for (int k = 0; k < COLUMNS; k++)
          rest[i] -= q[i + k * N] * (found[k] + (j == STABLE_PARS + k ? sign * step : 0));
      }
      if (stable_log_likelihood(1, &at, j < 0 ? &best : &other) != STATUS_OK) other = HUGE_VAL;
      if (j < 0) check(fabs(best - r.log_lik) < 1e-9, "log likelihood %.12g, reported %.12g", best, r.log_lik);
      else check(other < best, "parameter %d: a step leads from %.10g to %.10g", j, best, other);
    }
  for (int j = 0; j < ALL; j++) check(cov[j * ALL + j] > 0 && cov[j * ALL + j] < 1, "variance %g", cov[j * ALL + j]);
}

int main(int argc, char **argv) {
  double size = 1;
  if (argc < 3) {
    printf("usage: test_stable_fit <kernel folder> <cache folder> [size]\n");
    return 2;
  }
  if (argc > 3) size = atof(argv[3]);
  in_forked_child();
  folders_set(argv[1], argv[2]);
  for (int method = 0; method < METHODS; method++)
    test_batch((enum estimate_method)method, method < ESTIMATE_GRID ? (int)(2000 * size) + 20 : (int)(40 * size) + 6);
  test_starts();
  test_columns();
  test_fits((int)(80 * size) + 4);
  devices_shutdown();
  return summary();
}
