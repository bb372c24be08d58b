/* binomial-exact.c: binomial and negative binomial tails in quadruple precision, a judge for bench/binomial.R, which
 * compiles it. As in bench/poisson-exact.c every tail is a sum of positive terms, the first from Loader's form of the
 * probability and its neighbours by their ratios: as many terms as some standard deviations. */
#include "poisson-exact.c"

/* kind: 0 binomial; 1 negative binomial of prob, 2 of mu. The probability of success in one trial, of a failure for
 * the negative binomial distribution, and what is left of 1. */
typedef struct {
  int kind;
  quad size, x, y;
} law;

static law law_of(int kind, double size, double second) {
  const quad r = size, s = second;
  law w = {kind, r, s, 1 - s};
  if (kind == 1) w.x = 1 - s, w.y = s;
  if (kind == 2) w.x = s / (r + s), w.y = r / (r + s);
  return w;
}

static quad rest_of(quad a) { return a > 0 ? stirling_rest(a) : 0; }

/* a log(a/m) + m - a */
static quad deviance_of(quad a, quad m) {
  const quad u = (m - a) / (a > 0 ? a : 1);
  if (a == 0) return m;
  return fabsq(u) < 0.5Q ? a * (u - log1pq(u)) : m - a - a * logq(m / a);
}

static quad mass(const law *w, quad k) {
  const quad b = w->kind == 0 ? w->size - k : w->size, n = k + b;
  const quad d = deviance_of(k, n * w->x) + deviance_of(b, n * w->y) + rest_of(k) + rest_of(b) - rest_of(n);
  if (k == 0 || b == 0) return expq(-deviance_of(k, n * w->x) - deviance_of(b, n * w->y));
  return expq(-d) * sqrtq((w->kind == 0 ? n / b : b / n) / (2 * M_PIq * k));
}

/* P(X = k + 1)/P(X = k) */
static quad ratio_up(const law *w, quad k) {
  return w->kind == 0 ? (w->size - k) / (k + 1) * (w->x / w->y) : (w->size + k) / (k + 1) * w->x;
}

/* P(X <= k), where lower, else P(X > k); NaN after too many terms. */
static quad count_tail(const law *w, quad k, int lower) {
  quad at = lower ? k : k + 1, term, sum;
  long left = 20000000;
  if (w->kind == 0 && k >= w->size) return lower ? 1 : 0;
  term = sum = mass(w, at);
  for (; left > 0; left--) {
    const quad by = lower ? (at > 0 ? 1 / ratio_up(w, at - 1) : 0) : ratio_up(w, at);
    term *= by;
    sum += term;
    at += lower ? -1 : 1;
    if (by == 0 || (by < 1 && term * by <= (1 - by) * small * sum)) return sum;
  }
  return nanq("");
}

/* Is P(X <= k) >= p, or P(X > k) <= p: 1, 0, or NaN where the digits or the number of terms do not tell. */
static double reached(const law *w, double k, double p, int lower, int give_log) {
  const quad mean = w->kind == 0 ? w->size * w->x : w->size * w->x / w->y;
  const int side = (quad)k < mean && !(w->kind != 0 && w->size < 1);
  const quad t = count_tail(w, k, side);
  const quad value = give_log ? (side == lower ? logq(t) : log1pq(-t)) : (side == lower ? t : 1 - t);
  if (k < 0) return 0;
  if (isnanq(t) || t < least) return R_NaN;
  if (fabsq(value - p) <= 1e-27Q * fabsq((quad)p)) return value == (quad)p ? 1 : R_NaN;
  return lower ? value >= p : value <= p;
}

/* For each row: 1 where k is the quantile, 0 where not, NaN where this judge cannot tell. */
SEXP count_is_quantile(SEXP k, SEXP p, SEXP kind, SEXP size, SEXP second, SEXP lower, SEXP give_log) {
  const R_xlen_t n = xlength(k);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    const law w = law_of(asInteger(kind), REAL(size)[i], REAL(second)[i]);
    const double at = reached(&w, REAL(k)[i], REAL(p)[i], LOGICAL(lower)[i], LOGICAL(give_log)[i]);
    const double below = reached(&w, REAL(k)[i] - 1, REAL(p)[i], LOGICAL(lower)[i], LOGICAL(give_log)[i]);
    if (i % 64 == 0) R_CheckUserInterrupt();
    REAL(ans)[i] = at == 0 || below == 1 ? 0 : at + below != at + below ? R_NaN : 1;
  }
  UNPROTECT(1);
  return ans;
}

/* Tails rounded to double. */
SEXP count_tails(SEXP k, SEXP kind, SEXP size, SEXP second, SEXP lower, SEXP give_log) {
  const R_xlen_t n = xlength(k);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    const law w = law_of(asInteger(kind), REAL(size)[i], REAL(second)[i]);
    const quad mean = w.kind == 0 ? w.size * w.x : w.size * w.x / w.y;
    const int side = (quad)REAL(k)[i] < mean && !(w.kind != 0 && w.size < 1), same = side == LOGICAL(lower)[i];
    const quad t = count_tail(&w, REAL(k)[i], side);
    if (i % 64 == 0) R_CheckUserInterrupt();
    REAL(ans)[i] = (double)(LOGICAL(give_log)[i] ? (same ? logq(t) : log1pq(-t)) : (same ? t : 1 - t));
  }
  UNPROTECT(1);
  return ans;
}
