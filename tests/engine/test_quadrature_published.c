/* test_quadrature_published.c: the published trapezoid/Simpson algorithms on the 18 integrals of their authors' table
 * and on what is hard for them; their counters; caps, jumps, values that are not finite, repeatability.
 *   test_quadrature_published [size]            below 1: the authors' integrals to 1e-4 only
 *   test_quadrature_published blocks threads    prints the table of methods and integrals instead */
#include "quadrature/quadrature_published.h"

#include <float.h>
#include <time.h>

#include "check.h"

#define PI 3.14159265358979323846

/* ---- integrands ---- */

static double f1(double x) { return exp(2 * x) * sin(3 * x); }
static double f2(double x) { return x > 0 ? exp(-x * log(x)) : 1; }
static double f3(double x) { return 4 * x * cos(2 * x) - (x - 2) * (x - 2); }
static double f4(double x) { return exp(4 * x) / sqrt(1 + exp(4 * x)); }
static double f5(double x) { return exp(-3 * x) * cos(5 * PI * x); }
static double f6(double x) { return sin(10 * PI * x) / (PI * x); }

/* Values: 30 digits by mpmath, checked against closed forms but for 2 and 6. */
typedef struct {
  const char *name;
  double (*f)(double);
  double lower, upper, value;
} integral;
static const integral paper[] = {
    {"1a", f1, 0, 5, 6065.36963214905702495525696674},     {"1b", f1, 0, 6, -43604.5899827352255213601850226},
    {"1c", f1, 0, 7, 306802.998097883306606527154955},     {"2a", f2, 0, 1000, 1.99545595750013800041872469845},
    {"2b", f2, 0, 2000, 1.99545595750013800041872469845},  {"2c", f2, 0, 3000, 1.99545595750013800041872469845},
    {"3a", f3, 0, 30, -7340.24105024654815863023278452},   {"3b", f3, 0, 50, -36917.4409119053548620982204892},
    {"3c", f3, 0, 70, -104677.297594585693989357444561},   {"4a", f4, 0, 5, 11012.5258019721541457272480127},
    {"4b", f4, 0, 6, 81376.6886042568269447957570269},     {"4c", f4, 0, 6.75, 364707.477817412219154612756218},
    {"5a", f5, 0, 10, 0.0117306589086876005161696135401},  {"5b", f5, 0, 20, 0.0117306589086886982270020491872},
    {"5c", f5, 0, 30, 0.0117306589086886982270020492899},  {"6a", f6, 1e-6, 10, 0.498976808693046050810340913497},
    {"6b", f6, 1e-6, 15, 0.499314531525601304990004894981},
    {"6c", f6, 1e-6, 20, 0.499483396648206416942091618552}};
enum { INTEGRALS = sizeof paper / sizeof paper[0] };
static const char *const names[] = {PUBLISHED_NAMES};

static double jump(double x) { return x < 1.0 / 3 ? 0 : 1; }
static double jump_at_0(double x) { return x < 0 ? 0 : 1; }
static double root(double x) { return sqrt(x); } /* NaN below 0 */
static double pole(double x) { return 1 / x; }
static double inner_pole(double x) { return 1 / (x - 0.5); }
static double log_near_0(double x) { return log(x); }
static double huge(double x) { return 1e308 * cos(x); }
static double constant(double x) { return 3 + 0 * x; }
static double zero(double x) { return 0 * x; }
static double crests(double x) { return cos(2 * PI * x) + 1; }
static double large(double x) { return 1e9 * exp(x); }

/* ---- what the algorithms see ---- */

typedef struct {
  double (*f)(double);
  double lower, upper;
  int64_t points, calls, outside, end_after; /* points seen; places outside the range; calls until an interrupt */
} watched;

static status at_points(void *of, int64_t m, const double *x, double *f) {
  watched *w = of;
  w->calls++;
  w->points += m;
  if (w->end_after && w->calls >= w->end_after) return STATUS_INTERRUPT;
  for (int64_t i = 0; i < m; i++) {
    w->outside += !(x[i] >= w->lower && x[i] <= w->upper);
    f[i] = w->f(x[i]);
  }
  return STATUS_OK;
}

/* As the header asks of a launch, in the plainest way. */
static status on_region(void *of, double left, double right, int64_t blocks, int64_t threads, double *value,
                        double *error) {
  const double n = (double)blocks * (double)threads, h = (right - left) / n, step = (right - left) / (2 * n);
  for (int64_t b = 0; b < blocks; b++) {
    value[b] = error[b] = 0;
    for (int64_t i = b * threads; i < (b + 1) * threads; i++) {
      double x[3], f[3];
      for (int k = 0; k < 3; k++) x[k] = fmin(left + (double)(2 * i + k) * step, right);
      const status st = at_points(of, 3, x, f);
      if (st) return st;
      const pair p = pair_of(f[0], f[1], f[2], h);
      value[b] += p.value;
      error[b] += p.error;
    }
  }
  return STATUS_OK;
}

static watched seen;
static published_result run(enum published_method method, double (*f)(double), double lower, double upper,
                            published_options o, status *code) {
  published_result r;
  seen = (watched){f, lower, upper, 0, 0, 0, seen.end_after};
  *code = quadrature_published(method, (published_integrand){&seen, at_points, on_region}, lower, upper, o, &r);
  return r;
}
static published_options options(double tau, int64_t blocks, int64_t threads) {
  return (published_options){tau, blocks, threads, 8, 1000000000, 1};
}
static int by_region(int method) { return method != PUBLISHED_CAQ && method != PUBLISHED_SCAQ; }
static int in_sequence(int method) { return !by_region(method) || method == PUBLISHED_BCAQ; }

static int same(published_result a, published_result b) {
  return !memcmp(&a.value, &b.value, sizeof a.value) && !memcmp(&a.error, &b.error, sizeof a.error) &&
         a.accepted == b.accepted && a.rejected == b.rejected && a.evaluations == b.evaluations &&
         a.launches == b.launches && a.code == b.code;
}

/* ---- the authors' integrals ---- */

static void test_paper(double tau, int64_t blocks, int64_t threads) {
  published_result of_bcaq = {0}, of_caq = {0}, of_pbcaq = {0};
  for (int k = 0; k < INTEGRALS; k++)
    for (int m = 0; m < PUBLISHED_METHODS; m++) {
      const integral *q = paper + k;
      status st;
      const published_result r = run(m, q->f, q->lower, q->upper, options(tau, blocks, threads), &st);
      const double error = fabs(r.value - q->value);
      check(!st && !r.code && error <= tau, "%s of %s at %g is wrong by %g, code %d", names[m], q->name, tau, error,
            r.code);
      check(r.error <= tau && isnan(r.bad_x), "%s of %s claims an error of %g", names[m], q->name, r.error);
      check(r.evaluations == seen.points && !seen.outside, "%s of %s counts %lld of %lld evaluations, %lld outside",
            names[m], q->name, (long long)r.evaluations, (long long)seen.points, (long long)seen.outside);
      check(r.accepted > 0 && r.rejected >= 0, "%s of %s has %lld regions", names[m], q->name,
            (long long)r.accepted);
      if (by_region(m)) {
        const int64_t all = r.accepted + r.rejected;
        check(r.evaluations == 3 * blocks * threads * all, "%s of %s: %lld evaluations of %lld regions", names[m],
              q->name, (long long)r.evaluations, (long long)all);
        if (in_sequence(m))
          check(r.launches == blocks * all * ((threads + 255) / 256), "%s of %s: %lld calls", names[m], q->name,
                (long long)r.launches);
        else
          check(r.launches == all, "%s of %s: %lld launches", names[m], q->name, (long long)r.launches);
      } else
        check(r.launches == seen.calls, "%s of %s: %lld calls", names[m], q->name, (long long)r.launches);
      if (m == PUBLISHED_CAQ) /* 2 panels + 1 to start, two for each that is halved */
        check(r.evaluations == 17 + 2 * r.rejected && r.accepted == 8 + r.rejected, "caq of %s: %lld, %lld, %lld",
              q->name, (long long)r.evaluations, (long long)r.accepted, (long long)r.rejected);
      if (m == PUBLISHED_SCAQ) /* and an eighth ahead in vain */
        check(r.evaluations >= 2 + 2 * r.accepted + r.rejected &&
                  8 * r.evaluations <= 9 * (2 + 2 * r.accepted + r.rejected) + 16 * r.rejected,
              "scaq of %s: %lld, %lld, %lld", q->name, (long long)r.evaluations, (long long)r.accepted,
              (long long)r.rejected);
      /* side cutting finds longer intervals again: as few as halving from above would leave */
      if (m == PUBLISHED_CAQ) of_caq = r;
      if (m == PUBLISHED_SCAQ)
        check(r.accepted <= 3 * of_caq.accepted / 2 + 50, "scaq of %s: %lld intervals, caq %lld", q->name,
              (long long)r.accepted, (long long)of_caq.accepted);
      if (m == PUBLISHED_BCAQ) of_bcaq = r;
      if (m == PUBLISHED_PBCAQ) of_pbcaq = r;
      if (m > PUBLISHED_PBCAQ)
        check(r.accepted <= 2 * of_pbcaq.accepted, "%s of %s: %lld regions, pbcaq %lld", names[m], q->name,
              (long long)r.accepted, (long long)of_pbcaq.accepted);
      if (m == PUBLISHED_PBCAQ)
        check(r.accepted == of_bcaq.accepted && r.rejected == of_bcaq.rejected &&
                  fabs(r.value - of_bcaq.value) <= 1e-14 * fabs(q->value) * (double)threads,
              "bcaq and pbcaq of %s differ", q->name);
    }
}

static void print_table(int64_t blocks, int64_t threads) {
  for (int k = 0; k < INTEGRALS; k++)
    for (int m = 0; m < PUBLISHED_METHODS; m++) {
      const integral *q = paper + k;
      status st;
      const clock_t start = clock();
      const published_result r = run(m, q->f, q->lower, q->upper, options(1e-6, blocks, threads), &st);
      printf("%s %-6s accepted %8lld rejected %8lld evaluations %9lld launches %9lld error %7.1e of %7.1e %6.3f s\n",
             q->name, names[m], (long long)r.accepted, (long long)r.rejected, (long long)r.evaluations,
             (long long)r.launches, fabs(r.value - q->value), r.error, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
}

/* ---- the rules ---- */

static void test_growth(void) {
  const double f4_integral = (sqrt(1 + exp(4)) - sqrt(2)) / 2;
  status st;
  for (int m = 0; m < PUBLISHED_METHODS; m++) {
    const published_result r = run(m, constant, -1, 4, options(1e-6, 2, 2), &st);
    check(!st && !r.code && r.value == 15 && r.error == 0, "%s of a constant is %.17g", names[m], r.value);
    const published_result once = run(m, f3, 0, 3, options(1e300, 2, 2), &st);
    check(!st && !once.code && !once.rejected, "%s with a huge tolerance rejects", names[m]);
    check(once.accepted == (by_region(m) ? 2 : 8), "%s with a huge tolerance needs %lld", names[m],
          (long long)once.accepted);
    const published_result four = run(m, f5, 0, 2, options(1e-3, 2, 2), &st);
    check(!st && !four.code && fabs(four.value - 0.01170157982) <= 1e-3, "%s with regions of four is %.9g", names[m],
          four.value);
    published_options o = options(1e-6, 1, 1);
    o.panels = 1;
    const published_result one = run(m, f4, 0, 1, o, &st);
    check(!st && !one.code && fabs(one.value - f4_integral) <= 1e-6, "%s one interval a time is %.11g",
          names[m], one.value);
  }
  /* errors grow to the right: with the slope's rule steps are always taken, with the tolerance's larger ones */
  const published_result always = run(PUBLISHED_PBCAQ, f4, 0, 6, options(1e-6, 32, 256), &st);
  const published_result falling = run(PUBLISHED_PBCAQS, f4, 0, 6, options(1e-6, 32, 256), &st);
  const published_result governed = run(PUBLISHED_PBCAQG, f4, 0, 6, options(1e-6, 32, 256), &st);
  check(same(always, falling), "the slope of falling errors is not seen");
  const published_result cut = run(PUBLISHED_PSCAQ, f4, 0, 6, options(1e-6, 32, 256), &st);
  check(cut.accepted < 2 * always.accepted, "side cutting needs %lld regions, %lld otherwise",
        (long long)cut.accepted, (long long)always.accepted);
  check(governed.rejected < always.rejected, "%lld rejected by tolerance, %lld without",
        (long long)governed.rejected, (long long)always.rejected);
}

/* Errors that grow towards the left: no step is taken, so that what is rejected is there for halving alone. */
static double mirrored(double x) { return f4(-x); }
static void test_slope(void) {
  status st;
  const published_result always = run(PUBLISHED_PBCAQ, mirrored, -6, 0, options(1e-6, 32, 256), &st);
  const published_result kept = run(PUBLISHED_PBCAQS, mirrored, -6, 0, options(1e-6, 32, 256), &st);
  check(kept.rejected < 20 && always.rejected > 4 * kept.rejected, "growing errors: %lld rejected, %lld with steps",
        (long long)kept.rejected, (long long)always.rejected);
}

static void test_coin(void) {
  status st;
  published_options o = options(1e-6, 32, 256);
  const published_result a = run(PUBLISHED_PBCAQR, f1, 0, 6, o, &st);
  const published_result again = run(PUBLISHED_PBCAQR, f1, 0, 6, o, &st);
  check(same(a, again), "the same key, another result");
  int others = 0;
  for (o.key = 2; o.key < 12; o.key++) others += !same(a, run(PUBLISHED_PBCAQR, f1, 0, 6, o, &st));
  check(others >= 8, "%d of ten other keys flip otherwise", others);
  const published_result always = run(PUBLISHED_PBCAQ, f1, 0, 6, o, &st);
  check(a.rejected < always.rejected, "the coin lets step %lld times in vain", (long long)a.rejected);
  for (int m = 0; m < PUBLISHED_METHODS; m++)
    check(same(run(m, f6, 1e-6, 3, options(1e-5, 4, 16), &st), run(m, f6, 1e-6, 3, options(1e-5, 4, 16), &st)),
          "%s does not repeat", names[m]);
}

/* A launch and points give the same sums when they add in the same order. */
static void test_by_points(void) {
  for (int m = 0; m < PUBLISHED_METHODS; m++) {
    published_result r;
    status st;
    const published_result launched = run(m, f1, 0, 3, options(1e-4, 8, 100), &st);
    st = quadrature_published(m, (published_integrand){&seen, at_points, NULL}, 0, 3, options(1e-4, 8, 100), &r);
    r.launches = launched.launches;
    check(!st && same(r, launched), "%s by points differs", names[m]);
    const published_result wide = run(m, f1, 0, 3, options(1e-4, 2, 1000), &st);
    st = quadrature_published(m, (published_integrand){&seen, at_points, NULL}, 0, 3, options(1e-4, 2, 1000), &r);
    check(!st && fabs(r.value - wide.value) < 1e-12 && r.evaluations == wide.evaluations,
          "%s by points in parts of blocks differs by %g", names[m], r.value - wide.value);
  }
}

/* ---- limits ---- */

static void test_caps(void) {
  static const int64_t most[] = {1, 40, 1000, 10000, 100000};
  for (int m = 0; m < PUBLISHED_METHODS; m++)
    for (int k = 0; k < 5; k++) {
      status st;
      published_options o = options(1e-9, 4, 16);
      o.max_evaluations = most[k];
      const int64_t least = by_region(m) ? 3 * 4 * 16 : 17;
      const published_result r = run(m, f1, 0, 6, o, &st);
      check(!st && r.code == PUBLISHED_EXHAUSTED, "%s with %lld evaluations: code %d", names[m], (long long)most[k],
            r.code);
      check(r.evaluations == seen.points && r.evaluations <= (least > most[k] ? least : most[k]),
            "%s with %lld evaluations takes %lld", names[m], (long long)most[k], (long long)r.evaluations);
      check(fabs(r.value - paper[1].value) <= r.error, "%s with %lld evaluations: %g, error %g", names[m],
            (long long)most[k], r.value, r.error);
      if (by_region(m))
        check(r.evaluations == 192 * (r.accepted + r.rejected), "%s with %lld evaluations: %lld regions", names[m],
              (long long)most[k], (long long)r.accepted);
    }
}

static void test_jumps(void) {
  for (int m = 0; m < PUBLISHED_METHODS; m++) {
    status st;
    published_result r = run(m, jump, 0, 1, options(1e-9, 8, 32), &st);
    check(!st && r.code == PUBLISHED_ROUNDING && fabs(r.value - 2.0 / 3) < 1e-14 && r.rejected < 1000,
          "%s of a jump is wrong by %g, code %d, %lld rejected", names[m], r.value - 2.0 / 3, r.code,
          (long long)r.rejected);
    r = run(m, jump_at_0, -1, 2.5, options(1e-9, 8, 32), &st);
    check(!st && fabs(r.value - 2.5) < 1e-14 && r.rejected < 1000, "%s of a jump at 0 is wrong by %g, code %d",
          names[m], r.value - 2.5, r.code);
    /* values too large for the tolerance: ended by their rounding */
    r = run(m, large, 0, 1e-3, options(1e-12, 8, 32), &st);
    const double truth = 1e9 * expm1(1e-3);
    check(!st && r.code == PUBLISHED_ROUNDING && fabs(r.value - truth) < 4e-15 * truth,
          "%s of large values is wrong by %g, code %d", names[m], r.value - truth, r.code);
    r = run(m, zero, 0, 1, options(0, 8, 32), &st);
    check(!st && !r.code && r.value == 0 && r.error == 0, "%s of 0 without tolerance: code %d", names[m], r.code);
    r = run(m, constant, 0, 5 * 0x1p-1074, options(1e-6, 8, 32), &st);
    check(!st && r.value >= 0 && r.value < 1e-320, "%s on a tiny range is %g", names[m], r.value);
    r = run(m, constant, 1, 1 + DBL_EPSILON, options(1e-30, 8, 32), &st);
    check(!st && fabs(r.value - 3 * DBL_EPSILON) < 1e-30, "%s on one step of x is %g", names[m], r.value);
    r = run(m, constant, 2, 2, options(1e-6, 8, 32), &st);
    check(!st && r.value == 0 && !r.evaluations, "%s on nothing is %g", names[m], r.value);
    published_options o = options(1e-6, 8, 32);
    r = run(m, root, 0, 1, o, &st);
    check(!st && !r.code && !seen.outside && fabs(r.value - 2.0 / 3) < 1e-6, "%s of sqrt: code %d, %g", names[m],
          r.code, r.value - 2.0 / 3);
    o.panels = 64; /* crests of all 16 waves and their halves */
    r = run(m, crests, -8, 8, o, &st);
    check(!st && !r.code && fabs(r.value - 16) < 1e-6, "%s does not see waves: %g", names[m], r.value);
  }
}

/* Roundings of ends and steps: what lies outside is never asked for. */
static void test_ends(void) {
  for (int k = 0; k < 3000; k++) {
    status st;
    const double lower = (2 * uniform() - 1) * exp(4 * uniform()), upper = lower + exp(6 * uniform() - 4);
    const int m = below(PUBLISHED_METHODS);
    published_options o = options(k % 3 ? 1e300 : 1e-3, 1 + below(9), 1 + below(30));
    o.panels = 1 + below(20);
    const published_result r = run(m, constant, lower, upper, o, &st);
    check(!st && !r.code && !seen.outside && fabs(r.value - 3 * (upper - lower)) <= 1e-14 * (upper - lower),
          "%s from %a to %a: %lld outside, wrong by %g", names[m], lower, upper, (long long)seen.outside,
          r.value - 3 * (upper - lower));
  }
}

static void test_not_finite(void) {
  for (int m = 0; m < PUBLISHED_METHODS; m++) {
    status st;
    const published_options o = options(1e-6, 8, 32);
    published_result r = run(m, pole, 0, 1, o, &st);
    check(!st && r.code == PUBLISHED_NON_FINITE && r.bad_x == 0 && isnan(r.value) && isnan(r.error),
          "%s of 1/x: code %d at %g", names[m], r.code, r.bad_x);
    check(r.evaluations == seen.points, "%s of 1/x counts %lld of %lld", names[m], (long long)r.evaluations,
          (long long)seen.points);
    r = run(m, inner_pole, 0, 1, o, &st);
    check(!st && r.code == PUBLISHED_NON_FINITE && r.bad_x == 0.5, "%s of 1/(x - 1/2): code %d at %g", names[m],
          r.code, r.bad_x);
    r = run(m, log_near_0, 0, 1, o, &st);
    check(!st && r.code == PUBLISHED_NON_FINITE && r.bad_x == 0, "%s of log(x): code %d at %g", names[m], r.code,
          r.bad_x);
    r = run(m, root, -1, 1, o, &st);
    check(!st && r.code == PUBLISHED_NON_FINITE && r.bad_x < 0 && r.bad_x >= -1, "%s of sqrt below 0: code %d at %g",
          names[m], r.code, r.bad_x);
    r = run(m, huge, 0, 1e300, o, &st);
    check(!st && r.code == PUBLISHED_NON_FINITE && isnan(r.bad_x),
          "%s of an overflow: code %d at %g", names[m], r.code, r.bad_x);
  }
}

static void test_bad_input(void) {
  status st;
  published_options o = options(1e-6, 8, 32);
  run(PUBLISHED_CAQ, f4, 1, 0, o, &st);
  check(st == STATUS_INPUT, "limits the other way round");
  run(PUBLISHED_CAQ, f4, NAN, 0, o, &st);
  check(st == STATUS_INPUT, "a limit of NaN");
  run(PUBLISHED_PBCAQ, f4, -1e308, 1e308, o, &st);
  check(st == STATUS_INPUT, "a range that overflows");
  run(PUBLISHED_PBCAQ, f4, 0, 1, options(NAN, 8, 32), &st);
  check(st == STATUS_INPUT, "a tolerance of NaN");
  run(PUBLISHED_PBCAQ, f4, 0, 1, options(-1, 8, 32), &st);
  check(st == STATUS_INPUT, "a negative tolerance");
  run(PUBLISHED_PBCAQ, f4, 0, 1, options(1, -8, 32), &st);
  check(st == STATUS_INPUT, "negative blocks");
  run(PUBLISHED_PBCAQ, f4, 0, 1, options(1, 8, INT64_MAX), &st);
  check(st == STATUS_INPUT, "too many threads");
  for (int m = 0; m < PUBLISHED_METHODS; m++) {
    seen.end_after = m == PUBLISHED_CAQ ? 3 : 20;
    run(m, f1, 0, 6, options(1e-6, 8, 32), &st);
    check(st == STATUS_INTERRUPT && seen.calls == seen.end_after, "%s goes on for %lld calls after an interrupt",
          names[m], (long long)(seen.calls - seen.end_after));
    seen.end_after = 0;
  }
}

int main(int argc, char **argv) {
  if (argc > 2) {
    print_table(atoll(argv[1]), atoll(argv[2]));
    return 0;
  }
  if (argc < 2 || atof(argv[1]) >= 1) test_paper(1e-6, 32, 256);
  test_paper(1e-4, 3, 100);
  test_growth();
  test_slope();
  test_coin();
  test_by_points();
  test_caps();
  test_jumps();
  test_ends();
  test_not_finite();
  test_bad_input();
  return summary();
}
