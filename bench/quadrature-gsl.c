/* quadrature-gsl.c: what a user's own C over GSL gives on the integrals of the reference table, for
 * bench/quadrature.R, which compiles it. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include <R.h>
#include <Rinternals.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#define PI 3.14159265358979323846

/* By the first letters of the integral's name: rows a, b, c of one integrand differ in their limits. */
#define EACH_INTEGRAND(F)                                                                                        \
  F(pbcaq1, exp(2 * x) * sin(3 * x))                                                                             \
  F(pbcaq2, 1 / pow(x, x))                                                                                       \
  F(pbcaq3, 4 * x * cos(2 * x) - (x - 2) * (x - 2))                                                              \
  F(pbcaq4alt, exp(4 * x) * sqrt(1 + exp(4 * x)))                                                                \
  F(pbcaq4, exp(4 * x) / sqrt(1 + exp(4 * x)))                                                                   \
  F(pbcaq5, exp(-3 * x) * cos(5 * PI * x))                                                                       \
  F(pbcaq6, sin(10 * PI * x) / (PI * x))                                                                         \
  F(bat02, x > 0.3 ? 1 : 0)                                                                                      \
  F(bat03, sqrt(x))                                                                                              \
  F(bat04, 23.0 / 25 * cosh(x) - cos(x))                                                                         \
  F(bat05, 1 / (x * x * x * x + x * x + 0.9))                                                                    \
  F(bat07, 1 / sqrt(x))                                                                                          \
  F(bat09, 2 / (2 + sin(10 * PI * x)))                                                                           \
  F(bat12, x / (exp(x) - 1))                                                                                     \
  F(bat13, sin(100 * PI * x) / (PI * x))                                                                         \
  F(bat14, sqrt(50) * exp(-50 * PI * x * x))                                                                     \
  F(bat16, 50 / (PI * (2500 * x * x + 1)))                                                                       \
  F(bat18, cos(cos(x) + 3 * sin(x) + 2 * cos(2 * x) + 3 * sin(2 * x) + 3 * cos(3 * x)))                          \
  F(bat19, log(x))                                                                                               \
  F(bat21, pow(cosh(10 * (x - 0.2)), -2) + pow(cosh(100 * (x - 0.4)), -4) + pow(cosh(1000 * (x - 0.6)), -6))     \
  F(bat23, 1 / (1 + (230 * x - 30) * (230 * x - 30)))                                                            \
  F(gg22, floor(exp(x)))                                                                                         \
  F(qp01, sqrt(x) * log(1 / x))                                                                                  \
  F(qp02, pow(x, -0.9) * log(1 / x))                                                                             \
  F(qp03, 0x1p-16 / ((x - PI / 4) * (x - PI / 4) + 0x1p-32))                                                     \
  F(qp05, cos(256 * sin(x)))                                                                                     \
  F(qp06, 1 / sqrt(fabs(x - 1.0 / 3)))                                                                           \
  F(qp10, exp(20 * (x - 1)) * sin(64 * x))                                                                       \
  F(qp12, x * x * exp(-x / 16))                                                                                  \
  F(qp13, 1 / (sqrt(x) * (1 + 10 * x) * (1 + 10 * x)))                                                           \
  F(qp16, log(x) / (1 + 100 * x * x))                                                                            \
  F(qp19, exp(-x * x / 2) / sqrt(2 * PI))                                                                        \
  F(gz1, cos(2 * PI * 0.3 + 50 * x))                                                                             \
  F(gz2, 1 / (1.0 / 40000 + (x - 0.7) * (x - 0.7)))                                                              \
  F(gz4, exp(-1600 * (x - 0.37) * (x - 0.37)))                                                                   \
  F(gz5, exp(-30 * fabs(x - 0.37)))                                                                              \
  F(gz6, x > 0.637 ? 0 : exp(5 * x))                                                                             \
  F(st1, exp(-x * x / 2) / sqrt(2 * PI) / (1 + exp(-(0.5 + 2 * x))))                                             \
  F(st2, exp(-exp(x) + 3 * x - 2 * (x - 1) * (x - 1)))                                                           \
  F(st3, pow(1 + x * x / 3, -2))                                                                                 \
  F(st4, exp(-1000 * (x - 0.123456) * (x - 0.123456)))

#define DEFINE(name, value)                                                                                      \
  static double name(double x, void *count) {                                                                    \
    ++*(double *)count;                                                                                          \
    return value;                                                                                                \
  }
EACH_INTEGRAND(DEFINE)

#define LIST(name, value) {#name, name},
static const struct {
  const char *name;
  double (*f)(double, void *);
} integrands[] = {EACH_INTEGRAND(LIST)};

static double (*find(SEXP id))(double, void *) {
  const char *name = CHAR(asChar(id));
  size_t i;
  for (i = 0; i < sizeof integrands / sizeof integrands[0]; i++)
    if (!strncmp(name, integrands[i].name, strlen(integrands[i].name))) return integrands[i].f;
  return NULL;
}

/* Values at x; NULL for an unknown name. */
SEXP gsl_integrand(SEXP id, SEXP x) {
  double (*f)(double, void *) = find(id);
  double count = 0;
  SEXP ans;
  R_xlen_t i;
  if (!f) return R_NilValue;
  ans = PROTECT(allocVector(REALSXP, xlength(x)));
  for (i = 0; i < xlength(x); i++) REAL(ans)[i] = f(REAL(x)[i], &count);
  UNPROTECT(1);
  return ans;
}

static int integrate(gsl_function *f, double a, double b, int with_epsilon, double tolerance, size_t most,
                     gsl_integration_workspace *w, double *value, double *error) {
  if (a == -INFINITY && b == INFINITY) return gsl_integration_qagi(f, 0, tolerance, most, w, value, error);
  if (b == INFINITY) return gsl_integration_qagiu(f, a, 0, tolerance, most, w, value, error);
  if (with_epsilon) return gsl_integration_qags(f, a, b, 0, tolerance, most, w, value, error);
  return gsl_integration_qag(f, a, b, 0, tolerance, most, GSL_INTEG_GAUSS21, w, value, error);
}

/* Value, error, evaluations, GSL's code and seconds, by qag with 21 points or by qags; on infinite ranges both are
 * qagi, which has 15 points and the extrapolation. Repeated for 20 ms. */
SEXP gsl_integral(SEXP id, SEXP lower, SEXP upper, SEXP epsilon, SEXP tolerance, SEXP subdivisions) {
  const size_t most = (size_t)asInteger(subdivisions);
  double count = 0, value = 0, error = 0, runs = 0;
  gsl_function f = {find(id), &count};
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  gsl_integration_workspace *w = gsl_integration_workspace_alloc(most);
  SEXP ans = PROTECT(allocVector(REALSXP, 5));
  int code = 0;
  clock_t start, now;
  start = now = clock();
  while (now - start < CLOCKS_PER_SEC / 50) {
    code = integrate(&f, asReal(lower), asReal(upper), asLogical(epsilon), asReal(tolerance), most, w, &value,
                     &error);
    runs++;
    now = clock();
  }
  gsl_integration_workspace_free(w);
  gsl_set_error_handler(old);
  REAL(ans)[0] = value;
  REAL(ans)[1] = error;
  REAL(ans)[2] = count / runs;
  REAL(ans)[3] = code;
  REAL(ans)[4] = (double)(now - start) / CLOCKS_PER_SEC / runs;
  UNPROTECT(1);
  return ans;
}

/* dnorm(x) * plogis(a + b x) over the whole line for each a and b, by qagi with one workspace: the integrals, then
 * the processor seconds of one pass over them. */
typedef struct {
  double a, b;
} logistic_normal;

static double logistic_normal_at(double x, void *of) {
  const logistic_normal *p = of;
  return 0.3989422804014327 * exp(-0.5 * x * x) / (1 + exp(-(p->a + p->b * x)));
}

SEXP gsl_batch(SEXP a, SEXP b, SEXP tolerance) {
  const R_xlen_t n = xlength(a);
  SEXP ans = PROTECT(allocVector(REALSXP, n + 1));
  gsl_error_handler_t *old = gsl_set_error_handler_off();
  gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
  const clock_t start = clock();
  double error;
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    logistic_normal p = {REAL(a)[i], REAL(b)[i]};
    gsl_function f = {logistic_normal_at, &p};
    gsl_integration_qagi(&f, 0, asReal(tolerance), 1000, w, REAL(ans) + i, &error);
  }
  REAL(ans)[n] = (double)(clock() - start) / CLOCKS_PER_SEC;
  gsl_integration_workspace_free(w);
  gsl_set_error_handler(old);
  UNPROTECT(1);
  return ans;
}
