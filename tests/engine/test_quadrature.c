/* test_quadrature.c: random programs of integrands against their values one by one, at points, over panels and on
 * intervals; values, errors and ends of panels; integrals whose values are known; bits do not depend on neighbours,
 * threads or chunks; bad programs. */
#include <float.h>
#include <math.h>

#include "bessel/bessel.h"
#include "check.h"
#include "quadrature/integrand.h"
#include "quadrature/integrand_library.h"
#include "kernels/quadrature/quadrature.h"
#include "quadrature/quadrature_adaptive.h"
#include "engine/threads.h"

enum { MOST_OPS = 60, MOST_ROWS = 7, CONSTANTS = 3, PARAMETERS = 2, LEAVES = 1 + CONSTANTS + PARAMETERS };

typedef struct {
  int32_t code[MOST_OPS * CODE_WORDS], outputs[4];
  double constants[CONSTANTS];
  integrand_source s;
} program;

/* Operations whose values one by one are certain to the bit; Bessel functions are far below their tolerance. */
static const enum integrand_op plain[] = {OP_add, OP_sub, OP_mul, OP_neg, OP_min, OP_max,
                                          OP_abs, OP_lt,  OP_select, OP_floor, OP_bessel_k};

static void random_program(program *p, int n_op, int n_output, int with_library) {
  const int kinds = (int)(sizeof plain / sizeof *plain) - !with_library;
  for (int i = 0; i < CONSTANTS; i++) p->constants[i] = 4 * uniform() - 2;
  for (int i = 0; i < n_op; i++) {
    int32_t *op = p->code + i * CODE_WORDS;
    op[0] = (int32_t)plain[below(kinds)];
    const int operands = operations[op[0]].operands;
    for (int k = 1; k < CODE_WORDS; k++) /* mostly of what was made last */
      op[k] = k > operands ? -1 : i && below(3) ? LEAVES + i - 1 - below(i < 6 ? i : 6) : below(LEAVES + i);
  }
  for (int k = 0; k < n_output; k++) p->outputs[k] = below(4) ? LEAVES + n_op - 1 - below(n_op) : below(LEAVES);
  const integrand_source s = {.name = "test", .n_constant = CONSTANTS, .n_parameter = PARAMETERS, .n_op = n_op,
                              .n_output = n_output, .constants = p->constants, .code = p->code,
                              .outputs = p->outputs};
  p->s = s;
}

static double bessel(double x, double nu) {
  double k;
  bessel_k(BESSEL_VALUE, 1, (column){&x, 1}, (column){&nu, 1}, 0, 0, &k);
  return k;
}

static double value_of(const program *p, double x, const double *row, int output) {
  double v[LEAVES + MOST_OPS] = {x};
  memcpy(v + 1, p->constants, sizeof p->constants);
  memcpy(v + 1 + CONSTANTS, row, PARAMETERS * sizeof *row);
  for (int i = 0; i < p->s.n_op; i++) {
    const int32_t *op = p->code + i * CODE_WORDS;
    const double a = v[op[1]], b = op[2] < 0 ? 0 : v[op[2]], c = op[3] < 0 ? 0 : v[op[3]];
    double *r = v + LEAVES + i;
    switch (op[0]) {
    case OP_add: *r = a + b; break;
    case OP_sub: *r = a - b; break;
    case OP_mul: *r = a * b; break;
    case OP_neg: *r = -a; break;
    case OP_min: *r = isnan(a) || isnan(b) ? NAN : a < b ? a : b; break;
    case OP_max: *r = isnan(a) || isnan(b) ? NAN : a > b ? a : b; break;
    case OP_abs: *r = fabs(a); break;
    case OP_lt: *r = isnan(a) || isnan(b) ? NAN : a < b; break;
    case OP_select: *r = isnan(a) ? NAN : a != 0 ? b : c; break;
    case OP_floor: *r = floor(a); break;
    default: *r = bessel(a, b);
    }
  }
  return v[p->outputs[output]];
}

static int alike(double a, double b, double tolerance) {
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fabs(b);
}

static void test_programs(int with_library) {
  static const int64_t sizes[] = {1, 15, 16, 17, 100, 1500};
  for (int round = 0; round < 60; round++) {
    const int64_t n = sizes[round % 6];
    const int n_output = 1 + below(4), n_row = 1 + below(MOST_ROWS);
    double *x = reals(n), *row = reals(n), *out[4], rows[MOST_ROWS * PARAMETERS];
    program p;
    integrand *f;
    int wrong = 0;
    random_program(&p, 1 + below(MOST_OPS), n_output, with_library);
    for (int i = 0; i < n_row * PARAMETERS; i++) rows[i] = 4 * uniform() - 2;
    for (int64_t i = 0; i < n; i++) {
      x[i] = 6 * uniform() - 3;
      row[i] = below(n_row);
    }
    for (int k = 0; k < n_output; k++) out[k] = reals(n);
    status st = integrand_open(&p.s, &f);
    if (!st) st = integrand_set_rows(f, n_row, rows, NULL);
    if (!st) st = integrand_values(f, n, (column){x, n}, (column){row, n}, out);
    check(!st, "program %d fails: %s", round, st ? last_error() : "");
    for (int64_t i = 0; i < n && !st; i++)
      for (int k = 0; k < n_output; k++)
        wrong += !alike(out[k][i], value_of(&p, x[i], rows + (int)row[i] * PARAMETERS, k), 1e-12);
    check(!wrong, "program %d has %d wrong values", round, wrong);
    /* the same by panels: the rule is exact for what does not depend on x, and a sum of values for what does */
    if (!st && n_output == 1) {
      const double centre = 0.3, radius = 0.01, zero = 0, which = below(n_row);
      double found[PANEL_RESULTS], *result[PANEL_RESULTS], fine, off;
      const column c[PANEL_COLUMNS] = {{&centre, 1}, {&radius, 1}, {&zero, 1}, {&zero, 1}, {&zero, 1}, {&which, 1}};
      double least_f = INFINITY, most_f = -INFINITY;
      for (int i = 0; i < PANEL_RESULTS; i++) result[i] = found + i;
      st = integrand_panels(f, 1, c, result);
      const double value = found[PANEL_VALUE];
      for (int i = -50; i <= 50; i++) {
        const double y = value_of(&p, centre + radius * i / 50, rows + (int)which * PARAMETERS, 0);
        least_f = fmin(least_f, y);
        most_f = fmax(most_f, y);
      }
      const double slack = 0.1 * (most_f - least_f) + 1e-12 * fmax(fabs(most_f), fabs(least_f));
      if (isfinite(least_f) && isfinite(most_f) && isfinite(value))
        check(!st && value / (2 * radius) >= least_f - slack && value / (2 * radius) <= most_f + slack,
              "panel of program %d: mean %g outside %g, %g", round, value / (2 * radius), least_f, most_f);
      st = integrand_pairs(f, 1, 1, 0.25, 0.75, &fine, &off);
      const double a = value_of(&p, 0.25, rows, 0), b = value_of(&p, 0.5, rows, 0), d = value_of(&p, 0.75, rows, 0);
      const double simpson = (a + 4 * b + d) / 12, size = (fabs(a) + 4 * fabs(b) + fabs(d)) / 12;
      check(!st && (alike(fine, simpson, 1e-12) || fabs(fine - simpson) <= 1e-12 * size || !isfinite(size)),
            "interval of program %d: %g and not %g", round, fine, simpson);
    }
    integrand_close(f);
    for (int k = 0; k < n_output; k++) free(out[k]);
    free(x);
    free(row);
  }
}

#define ONE(op, a) {OP_##op, a, -1, -1, -1, -1, -1}
#define TWO(op, a, b) {OP_##op, a, b, -1, -1, -1, -1}

/* u^4 for the first row and -u^4 for the second, u = x where kind is 0, and 1/(1 + |x|) = t on half-lines from 0. */
static void test_panels(double kind) {
  static const int32_t on_line[][CODE_WORDS] = {TWO(mul, 0, 0), TWO(mul, 3, 3), TWO(mul, 2, 4)};
  static const int32_t on_half_line[][CODE_WORDS] = {ONE(abs, 0), TWO(add, 1, 3), TWO(div, 1, 4),
                                                     TWO(mul, 5, 5), TWO(mul, 6, 6), TWO(mul, 2, 7)};
  static const int32_t last_of_line = 5, last_of_half_line = 8;
  static const double one = 1, sign[] = {1, -1};
  const integrand_source s = {.name = "test", .n_constant = 1, .n_parameter = 1, .n_op = kind == 0 ? 3 : 6,
                              .n_output = 1, .constants = &one, .code = kind == 0 ? on_line[0] : on_half_line[0],
                              .outputs = kind == 0 ? &last_of_line : &last_of_half_line};
  enum { N = 333 };
  static const double zero;
  double *centre = reals(N), *half = reals(N), *row = reals(N), *out[PANEL_RESULTS];
  double weights = 0, slope_weights = 0, worst[PANEL_RESULTS] = {0};
  integrand *f;
  for (int k = 0; k < NODES; k++) {
    weights += fabs(end_weight[k]);
    slope_weights += fabs(end_slope_weight[k]);
  }
  for (int k = 0; k < PANEL_RESULTS; k++) out[k] = reals(N);
  for (int i = 0; i < N; i++) {
    half[i] = exp(-8 * uniform());
    centre[i] = kind == 0 ? 4 * uniform() - 2 : half[i] + (1 - half[i]) * uniform();
    if (kind != 0 && centre[i] + half[i] > 1) half[i] = 1 - centre[i];
    row[i] = below(2);
  }
  status st = integrand_open(&s, &f);
  if (!st) st = integrand_set_rows(f, 2, sign, NULL);
  const column c[PANEL_COLUMNS] = {{centre, N}, {half, N}, {&kind, 1}, {&zero, 1}, {&zero, 1}, {row, N}};
  if (!st) st = integrand_panels(f, N, c, out);
  for (int i = 0; i < N && !st; i++) {
    const double a = centre[i] - half[i], b = centre[i] + half[i], v = sign[(int)row[i]];
    const double most = fmax(fabs(a), fabs(b)), of_dt = kind == 0 ? 4 : 2; /* f dx/dt = u^of_dt */
    double mean = 0; /* of it, (b^(n + 1) - a^(n + 1))/((n + 1) (b - a)) */
    for (int k = 0; k <= of_dt; k++) mean += pow(a, k) * pow(b, of_dt - k) / (of_dt + 1);
    const double expected[PANEL_RESULTS] = {v * 2 * half[i] * mean, 0, 0, v * pow(a, 4),
                                            v * 4 * pow(a, 3) * half[i], v * pow(b, 4), v * 4 * pow(b, 3) * half[i]};
    /* each of the 21 terms and their sum are rounded, and u, to the fourth power, by some units as well */
    const double rounding = (NODES + 20) * DBL_EPSILON * pow(most, 4);
    const double allowed[PANEL_RESULTS] = {2 * half[i] * (NODES + 20) * DBL_EPSILON * pow(most, of_dt), 0, 0,
                                           rounding * weights, rounding * slope_weights, rounding * weights,
                                           rounding * slope_weights};
    for (int k = 0; k < PANEL_RESULTS; k++)
      if (allowed[k] > 0) worst[k] = fmax(worst[k], fabs(out[k][i] - expected[k]) / allowed[k]);
    /* what the rules resolve has the error of rounding, of which the floor tells */
    worst[PANEL_ERROR] = fmax(worst[PANEL_ERROR], out[PANEL_ERROR][i] / out[PANEL_FLOOR][i]);
    worst[PANEL_FLOOR] = fmax(worst[PANEL_FLOOR], allowed[PANEL_VALUE] > 0 && out[PANEL_FLOOR][i] > 0 ? 0 : INFINITY);
  }
  check(!st, "panels of kind %g fail", kind);
  for (int k = 0; k < PANEL_RESULTS; k++)
    check(worst[k] <= 1, "result %d of panels of kind %g is %g times what rounding allows", k, kind, worst[k]);
  integrand_close(f);
  for (int k = 0; k < PANEL_RESULTS; k++) free(out[k]);
  free(centre);
  free(half);
  free(row);
}

/* a exp(-a x) over the half-line, and its mean */
static void test_integrals(void) {
  static const int32_t code[][CODE_WORDS] = {TWO(mul, 0, 1), ONE(neg, 2), ONE(exp, 3), TWO(mul, 1, 4),
                                             TWO(mul, 0, 5)};
  static const int32_t outputs[] = {5, 6};
  const integrand_source s = {.name = "test", .n_constant = 0, .n_parameter = 1, .n_op = 5, .n_output = 2,
                              .code = code[0], .outputs = outputs};
  const quadrature_options o = {1e-10, 0, 2000, 8, NULL, 0, 0, 0, NULL};
  const double zero = 0, far = INFINITY;
  enum { N = 20000, AGAIN = 17 };
  double *a = reals(N), *value = reals(2 * N), *error = reals(2 * N), *evaluations = reals(N), *where = reals(N);
  double again[2 * AGAIN];
  int32_t *panels = malloc(N * sizeof *panels), *code_of = malloc(N * sizeof *code_of);
  quadrature_result r = {value, error, evaluations, where, panels, code_of};
  double worst = 0;
  int failed = 0, unequal = 0;
  for (int i = 0; i < N; i++) a[i] = exp(6 * uniform() - 3);
  status st = quadrature_adaptive(&s, N, a, (column){&zero, 1}, (column){&far, 1}, &o, &r);
  for (int i = 0; i < N && !st; i++) {
    worst = fmax(worst, fmax(fabs(value[2 * i] - 1), fabs(value[2 * i + 1] * a[i] - 1)));
    failed += code_of[i] != 0;
  }
  check(!st && !failed && worst < 1e-10, "%d integrals fail, the worst is off by %g", failed, worst);
  r.value = again;
  st = quadrature_adaptive(&s, AGAIN, a + N - AGAIN, (column){&zero, 1}, (column){&far, 1}, &o, &r);
  for (int i = 0; i < 2 * AGAIN; i++) unequal += memcmp(again + i, value + 2 * (N - AGAIN) + i, sizeof *again) != 0;
  check(!st && !unequal, "%d integrals have other bits among fewer", unequal);
  free(a);
  free(value);
  free(error);
  free(evaluations);
  free(where);
  free(panels);
  free(code_of);
}

static double x_log_x(double x) { return x == 0 ? 0 : x * log(fabs(x)) - x; }

/* log|x - a| + (x < a) between 0 and 1, most of which need many rounds, on one thread and on three: more of them than
 * are begun together. At 30 panels some fail, and none has more. 39 are enough for all, also where a = 1 and the
 * integral is 0, which is found as far as rounding lets one see: so none fails at 100. */
static void test_threads(int32_t most) {
  static const int32_t code[][CODE_WORDS] = {TWO(sub, 0, 1), ONE(abs, 2), ONE(log, 3), TWO(lt, 0, 1), TWO(add, 4, 5)};
  static const int32_t output = 6;
  const integrand_source s = {.name = "test", .n_constant = 0, .n_parameter = 1, .n_op = 5, .n_output = 1,
                              .code = code[0], .outputs = &output};
  const quadrature_options o = {1e-6, 0, most, 8, NULL, 0, 0, 0, NULL};
  const double zero = 0, one = 1;
  enum { N = 20000 };
  double *a = reals(N), *result[2] = {NULL}, *where = reals(N), worst = 0;
  int32_t *counts[2] = {NULL};
  status st = STATUS_OK;
  int i, failed = 0, over = 0;
  for (i = 0; i < N; i++) a[i] = below(8) ? 1.5 * uniform() - 0.25 : below(9) / 8.0;
  for (i = 0; i < 2 && !st; i++) {
    result[i] = reals(3 * N);
    counts[i] = calloc(2 * N, sizeof *counts[i]);
    quadrature_result r = {result[i], result[i] + N, result[i] + 2 * N, where, counts[i], counts[i] + N};
    threads_set(i ? 3 : 1);
    st = quadrature_adaptive(&s, N, a, (column){&zero, 1}, (column){&one, 1}, &o, &r);
  }
  threads_set(0);
  check(!st, "integrals fail: %s", st ? last_error() : "");
  for (i = 0; i < N && !st; i++) {
    const double truth = x_log_x(1 - a[i]) - x_log_x(-a[i]) + fmin(fmax(a[i], 0), 1);
    failed += counts[0][N + i] != 0;
    over += counts[0][i] > most;
    /* 1e-15: the parts that cancel are of size 1 */
    if (!counts[0][N + i]) worst = fmax(worst, fabs(result[0][i] - truth) / (1e-6 * fabs(truth) + 1e-15));
  }
  check(most < 39 ? failed > 0 && failed < N / 2 : !failed, "%d of %d integrals fail at %d panels", failed, (int)N,
        (int)most);
  check(!over, "%d integrals have more than %d panels", over, (int)most);
  check(worst <= 1, "an error is %g times the tolerance", worst);
  check(st || (!memcmp(result[0], result[1], 3 * N * sizeof *a) &&
               !memcmp(counts[0], counts[1], 2 * N * sizeof(int32_t))),
        "three threads give other bits than one");
  for (i = 0; i < 2; i++) {
    free(result[i]);
    free(counts[i]);
  }
  free(a);
  free(where);
}

static void test_refusals(void) {
  static const int32_t good[CODE_WORDS] = TWO(mul, 0, 0), output = 1;
  int32_t bad[CODE_WORDS], out_of_range = 2;
  integrand_source s = {.name = "test", .n_constant = 0, .n_parameter = 0, .n_op = 1, .n_output = 1,
                              .code = bad, .outputs = &output};
  integrand *f;
  for (int k = 0; k < CODE_WORDS; k++)
    for (int v = -3; v < 200; v += k ? 1 : 199) {
      memcpy(bad, good, sizeof bad);
      bad[k] = k ? v : v < 0 ? -1 : OP_COUNT;
      if (!memcmp(bad, good, sizeof bad)) continue;
      check(integrand_open(&s, &f) == STATUS_INPUT && !f, "operand %d may be %d", k, (int)bad[k]);
    }
  memcpy(bad, good, sizeof bad);
  s.outputs = &out_of_range;
  check(integrand_open(&s, &f) == STATUS_INPUT, "a value that there is not may be an output");
  s.outputs = &output;
  s.n_output = MAX_OUTPUTS + 1;
  check(integrand_open(&s, &f) == STATUS_INPUT, "any number of outputs");
}

int main(int argc, char **argv) {
  if (argc > 2) folders_set(argv[1], argv[2]);
  test_programs(0);
  test_programs(1);
  for (int kind = -1; kind <= 1; kind++) test_panels(kind);
  test_integrals();
  test_threads(30);
  test_threads(100);
  test_refusals();
  devices_shutdown(); /* the threads' memory is accounted for */
  return summary();
}
