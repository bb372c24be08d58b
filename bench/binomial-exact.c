/* binomial-exact.c: binomial and negative binomial tails with some 25 digits and more, a judge for bench/binomial.R,
 * which compiles it. As in bench/poisson-exact.c every tail is a sum of positive terms, the first from Loader's form
 * of the probability and its neighbours by their ratios: as many terms as some standard deviations.
 *
 * Rows of one law in a row share a table of all its tails, in two doubles: a decision is then a comparison, with a
 * bound for the table's error. What the bound leaves open, and what is beyond the table, is summed alone in quadruple
 * precision, and of few trials, where ties are common, in as many digits as make the sum exact. */
#include "poisson-exact.c"

#include <gmp.h>

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

/* A tail by its own sum. */
static quad summed_tail(int kind, double size, double second, double k, int lower, int give_log) {
  const law w = law_of(kind, size, second);
  const quad mean = w.kind == 0 ? w.size * w.x : w.size * w.x / w.y;
  const int side = (quad)k < mean && !(w.kind != 0 && w.size < 1), same = side == lower;
  const quad t = count_tail(&w, k, side);
  return give_log ? (same ? logq(t) : log1pq(-t)) : (same ? t : 1 - t);
}

/* ---- tables ---- */

/* hi + lo, errors below 4, 4 and 16 times 2^-106 (as kernels/common/double_double.h says) */
typedef struct {
  double hi, lo;
} pair;
static inline pair sum_of(double a, double b) {
  const double s = a + b, v = s - a;
  return (pair){s, (a - (s - v)) + (b - v)};
}
static inline pair plus(pair a, pair b) {
  const pair s = sum_of(a.hi, b.hi), t = sum_of(a.lo, b.lo);
  const double up = s.lo + t.hi, hi = s.hi + up, rest = (up - (hi - s.hi)) + t.lo, all = hi + rest;
  return (pair){all, rest - (all - hi)};
}
static inline pair times(pair a, pair b) {
  const double p = a.hi * b.hi, e = fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi), s = p + e;
  return (pair){s, e - (s - p)};
}
static inline pair by(pair a, pair b) {
  const double q = a.hi / b.hi, p = q * b.hi, r = ((a.hi - p) - fma(q, b.hi, -p)) + (a.lo - q * b.lo);
  const double t = r / b.hi, s = q + t;
  const pair first = {s, t - (s - q)}, back = times(first, b);
  const double more = ((a.hi - back.hi) + (a.lo - back.lo)) / b.hi, lo = first.lo + more, all = s + lo;
  return (pair){all, lo - (all - s)};
}
static pair pair_of(quad v) {
  const double hi = (double)v;
  return (pair){hi, (double)(v - hi)};
}
static quad quad_of(pair v) { return (quad)v.hi + v.lo; }

/* below[i] = P(X <= first + i) and above[i] = P(X > first + i) for i < n, each right to wrong of its size; between
 * from and to, outside of which more than that of it is left out. */
enum { TABLE_MOST = 1 << 20 };
static struct {
  int kind, deep;
  double size, second, first, from, to;
  quad wrong;
  long n;
  pair *below, *above, *mass;
} table = {.kind = -1};

static pair ratio_of(const law *w, pair odds, double k) { /* P(X = k + 1)/P(X = k) */
  const pair top = w->kind == 0 ? sum_of((double)w->size, -k) : sum_of((double)w->size, k);
  return times(by(top, sum_of(k, 1)), odds);
}

/* Probabilities from the mode down to least_mass on both sides, or the ends, then their sums from either end. */
static void make_table(int kind, double size, double second, int deep) {
  const law w = law_of(kind, size, second);
  const quad mean = w.kind == 0 ? w.size * w.x : w.size * w.x / w.y, odds = w.kind == 0 ? w.x / w.y : w.x;
  const double mode = fmax(0, floor((double)(w.kind == 0 ? mean : mean - w.x / w.y)));
  const double last = kind == 0 ? size : INFINITY, least_mass = deep ? 1e-290 : 1e-70, trust = least_mass * 1e35;
  const pair up = pair_of(odds);
  long down = 0, top = 0, i;
  pair m;
  table.kind = kind, table.size = size, table.second = second, table.deep = deep, table.n = 0;
  if (!(mode < 4e15) || !(size < 9e15)) return;
  if (!table.mass) {
    table.mass = malloc(2 * TABLE_MOST * sizeof(pair));
    table.below = malloc(2 * TABLE_MOST * sizeof(pair));
    table.above = malloc(2 * TABLE_MOST * sizeof(pair));
  }
  if (!table.mass || !table.below || !table.above) return;
  table.mass[TABLE_MOST] = m = pair_of(mass(&w, mode));
  while (mode - down > 0 && m.hi > least_mass) {
    if (++down == TABLE_MOST) return;
    table.mass[TABLE_MOST - down] = m = by(m, ratio_of(&w, up, mode - down));
  }
  m = table.mass[TABLE_MOST];
  while (mode + top < last && m.hi > least_mass) {
    if (++top == TABLE_MOST) return;
    table.mass[TABLE_MOST + top] = m = times(m, ratio_of(&w, up, mode + top - 1));
  }
  const pair *all = table.mass + TABLE_MOST - down;
  const long n = down + top + 1;
  pair sum = {0, 0};
  for (i = 0; i < n; i++) table.below[i] = sum = plus(sum, all[i]);
  sum = (pair){0, 0};
  for (i = n - 1; i >= 0; i--) {
    table.above[i] = sum;
    sum = plus(sum, all[i]);
  }
  long from = 0, to = n - 1;
  while (mode - down > 0 && from < n && all[from].hi < trust) from++;
  while (mode + top < last && to > 0 && all[to].hi < trust) to--;
  table.first = mode - down;
  table.from = table.first + (double)from;
  table.to = table.first + (double)to;
  table.n = n;
  table.wrong = 1.3e-32Q * 60 * ((quad)n + 100);
}

/* P(X <= k) or P(X > k), perhaps its logarithm, with what it may be off by; NaN outside of the table. */
static quad tail_by_table(int kind, double size, double second, double k, int lower, int give_log, quad *off) {
  if (kind != table.kind || size != table.size || second != table.second) make_table(kind, size, second, 0);
  if (!table.deep && !(k >= table.from && k <= table.to)) make_table(kind, size, second, 1);
  *off = 0;
  if (table.n == 0 || !(k >= table.from && k <= table.to)) return nanq("");
  const long i = (long)(k - table.first);
  const quad below = quad_of(table.below[i]), above = quad_of(table.above[i]);
  const int from_below = below < above, same = from_below == lower;
  const quad small = from_below ? below : above;
  const quad value = give_log ? (same ? logq(small) : log1pq(-small)) : (same ? small : 1 - small);
  /* of the logarithm of the other tail small/(1 - small) < 2 small */
  *off = table.wrong * (same ? (give_log ? 1 : small) : 2 * small) + 1e-32Q * fabsq(value);
  return value;
}

/* Where prob is a double and size small all sums are whole numbers by a power of 2: the sign of value - p, not of
 * logarithms, or 2 where this is another case. */
static int exact_sign(int kind, double size, double second, double k, double p, int lower) {
  int shift, p_shift, i, sign;
  const double x_whole = ldexp(frexp(second, &shift), 53), p_whole = ldexp(frexp(p, &p_shift), 53);
  const long bits = 53 - shift, n = (long)size;
  if (kind != 0 || size > 300 || bits > 400 || k < 0 || k >= size) return 2;
  mpz_t x, y, term, sum, goal, power;
  mpz_inits(x, y, term, sum, goal, power, NULL);
  mpz_set_d(x, x_whole);
  mpz_ui_pow_ui(y, 2, (unsigned long)bits);
  mpz_sub(y, y, x);
  for (i = lower ? 0 : (int)k + 1; i <= (lower ? (int)k : n); i++) {
    mpz_bin_uiui(term, (unsigned long)n, (unsigned long)i);
    mpz_pow_ui(power, x, (unsigned long)i);
    mpz_mul(term, term, power);
    mpz_pow_ui(power, y, (unsigned long)(n - i));
    mpz_addmul(sum, term, power);
  }
  /* sum 2^(-bits n) against p_whole 2^(p_shift - 53) */
  mpz_set_d(goal, p_whole);
  const long scale = bits * n + p_shift - 53;
  if (scale >= 0)
    mpz_mul_2exp(goal, goal, (unsigned long)scale);
  else
    mpz_mul_2exp(sum, sum, (unsigned long)-scale);
  sign = mpz_cmp(sum, goal);
  mpz_clears(x, y, term, sum, goal, power, NULL);
  return sign > 0 ? 1 : sign < 0 ? -1 : 0;
}

/* reached(), by the table where that tells */
static double is_reached(int kind, double size, double second, double k, double p, int lower, int give_log) {
  quad off;
  if (k < 0) return 0;
  if (kind == 0 && k >= size) return 1;
  const quad value = tail_by_table(kind, size, second, k, lower, give_log, &off);
  if (!isnanq(value) && fabsq(value - p) > off) return lower ? value >= p : value <= p;
  if (!give_log) {
    const int sign = exact_sign(kind, size, second, k, p, lower);
    if (sign != 2) return lower ? sign >= 0 : sign <= 0;
  }
  const law w = law_of(kind, size, second);
  return reached(&w, k, p, lower, give_log);
}

/* For each row: 1 where k is the quantile, 0 where not, NaN where this judge cannot tell. */
SEXP count_is_quantile(SEXP k, SEXP p, SEXP kind, SEXP size, SEXP second, SEXP lower, SEXP give_log) {
  const R_xlen_t n = xlength(k);
  const int of = asInteger(kind);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    const double r = REAL(size)[i], s = REAL(second)[i], q = REAL(k)[i], u = REAL(p)[i];
    const double at = is_reached(of, r, s, q, u, LOGICAL(lower)[i], LOGICAL(give_log)[i]);
    const double below = is_reached(of, r, s, q - 1, u, LOGICAL(lower)[i], LOGICAL(give_log)[i]);
    if (i % 64 == 0) R_CheckUserInterrupt();
    REAL(ans)[i] = at == 0 || below == 1 ? 0 : at + below != at + below ? R_NaN : 1;
  }
  UNPROTECT(1);
  return ans;
}

/* Tails rounded to double. */
SEXP count_tails(SEXP k, SEXP kind, SEXP size, SEXP second, SEXP lower, SEXP give_log) {
  const R_xlen_t n = xlength(k);
  const int of = asInteger(kind);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    const double r = REAL(size)[i], s = REAL(second)[i], q = REAL(k)[i];
    const int is_lower = LOGICAL(lower)[i], logs = LOGICAL(give_log)[i];
    quad off;
    const quad value = tail_by_table(of, r, s, q, is_lower, logs, &off);
    if (i % 64 == 0) R_CheckUserInterrupt();
    REAL(ans)[i] = (double)(isnanq(value) ? summed_tail(of, r, s, q, is_lower, logs) : value);
  }
  UNPROTECT(1);
  return ans;
}
