/* poisson-exact.c: Poisson tails in quadruple precision, a judge for bench/poisson-properties.R, which compiles it.
 *
 * Every tail is a sum of positive terms: one term from Loader's form of the probability (Loader 2000, "Fast and
 * accurate computation of binomial probabilities"), its neighbours by their ratios. Thousands of steps of 2^-113 each
 * leave far more digits than a double has; poisson_agreement() measures how many. The only limits are time, some ten
 * times sqrt(lambda) terms, and the smallest quadruple number, near 1e-4932. */
#include <quadmath.h>
#include <stdlib.h>

#include <R.h>
#include <Rinternals.h>

typedef __float128 quad;

/* log(k!) less Stirling's formula. */
static quad stirling_rest(quad k) {
  /* B_2j / (2j (2j - 1)); from 40 on the last of them is below 2e-36 */
  static const quad above[] = {1, -1, 1, -1, 1, -691, 1, -3617, 43867, -174611, 77683, -236364091, 657931};
  static const quad below[] = {12, 360, 1260, 1680, 1188, 360360, 156, 122400, 244188, 125400, 5796, 1506960, 300};
  const quad r = 1 / k, r2 = r * r;
  quad s = 0;
  int j;
  if (k < 40) return lgammaq(k + 1) - (k + 0.5Q) * logq(k) + k - 0.5Q * logq(2 * M_PIq);
  for (j = sizeof above / sizeof *above - 1; j >= 0; j--) s = s * r2 + above[j] / below[j];
  return s * r;
}

static quad probability(double k, double lambda) {
  const quad n = k, l = lambda, u = (l - n) / n;
  quad deviance;
  if (k == 0) return expq(-l);
  deviance = fabsq(u) < 0.5Q ? n * (u - log1pq(u)) : l - n - n * logq(l / n);
  return expq(-deviance - stirling_rest(n)) / sqrtq(2 * M_PIq * n);
}

/* Sums are given up where what is left is below 2^-120 of them. */
static const quad small = 7.5e-37Q;

/* Which tail is summed: the smaller one, or one that is not much larger. */
static int from_below(double k, double lambda) { return k < lambda && lambda > 0.5; }

/* P(N <= k) if from_below(), else P(N > k); *edge is the term next to the cut, within the sum. */
static quad tail(double k, double lambda, quad *edge) {
  const quad l = lambda, inverse = 1 / l;
  const int below = from_below(k, lambda);
  quad n = below ? k : k + 1, term = probability((double)n, lambda), sum = term, ratio;
  *edge = term;
  if (below)
    while (n > 0) {
      ratio = n * inverse;
      term *= ratio;
      sum += term;
      n -= 1;
      if (term * ratio <= (1 - ratio) * small * sum) break;
    }
  else
    for (;;) {
      n += 1;
      ratio = l / n;
      term *= ratio;
      sum += term;
      if (term * ratio <= (1 - ratio) * small * sum) break;
    }
  return sum;
}

/* Below it digits are lost, if not all. */
static const quad least = 1e-4890Q;

typedef struct {
  quad sum, edge;
  double k, lambda;
} place;

/* The same by steps from the tail farther out, where that is not too far. */
static void move_to(place *at, double k, double lambda) {
  const double reach = 10 * sqrt(lambda) + 50;
  const int lower = from_below(k, lambda);
  if (lambda != at->lambda || lower != from_below(at->k, lambda) || (lower ? k - at->k : at->k - k) > reach ||
      (lower ? k < at->k : k > at->k) || at->sum < least)
    at->sum = tail(k, lambda, &at->edge);
  else if (lower)
    while (at->k < k) {
      at->k += 1;
      at->edge *= (quad)lambda / at->k;
      at->sum += at->edge;
    }
  else
    for (; at->k > k; at->k -= 1) { /* the edge is the probability of k + 1 */
      at->edge *= (quad)at->k + 1;
      at->edge /= lambda;
      at->sum += at->edge;
    }
  at->k = k;
  at->lambda = lambda;
}

/* The tail asked for, from the smaller one. */
static quad asked(const place *at, int lower, int give_log) {
  const int same = from_below(at->k, at->lambda) == lower;
  if (give_log) return same ? logq(at->sum) : log1pq(-at->sum);
  return same ? at->sum : 1 - at->sum;
}

/* Rows in the order in which sums grow: by lambda as given, lower tails up and upper tails down. */
typedef struct {
  double k, lambda;
  R_xlen_t row, group;
} order_key;

static int in_order(const void *a, const void *b) {
  const order_key *x = a, *y = b;
  const int x_lower = from_below(x->k, x->lambda), y_lower = from_below(y->k, y->lambda);
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  if (x_lower != y_lower) return y_lower - x_lower;
  if (x->k == y->k) return 0;
  return (x->k < y->k) == x_lower ? -1 : 1;
}

static order_key *ordered(const double *k, const double *lambda, R_xlen_t n) {
  order_key *keys = (order_key *)R_alloc(n, sizeof *keys);
  R_xlen_t i, group = 0;
  for (i = 0; i < n; i++) {
    if (i > 0 && lambda[i] != lambda[i - 1]) group++;
    keys[i] = (order_key){k[i], lambda[i], i, group};
  }
  qsort(keys, n, sizeof *keys, in_order);
  return keys;
}

/* How far p is from the tail at k, in ulps of p: positive where P(N <= k) > p or, for upper tails, P(N > k) < p, so
 * that k is enough; negative where it is not. k < 0 is never enough, k = Inf always; 0 is a tie, and NaN says that
 * log p is out of reach. All arguments of one length; fastest where equal lambda are neighbours. */
SEXP poisson_margin(SEXP k, SEXP p, SEXP lambda, SEXP lower, SEXP give_log) {
  const R_xlen_t n = xlength(k);
  const double *ks = REAL(k), *ps = REAL(p), *lambdas = REAL(lambda);
  const int *lowers = LOGICAL(lower), *logs = LOGICAL(give_log);
  const order_key *keys = ordered(ks, lambdas, n);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  double *out = REAL(ans);
  place at = {0, 0, -1, -1};
  R_xlen_t i, j;
  for (j = 0; j < n; j++) {
    int exponent;
    quad gap;
    i = keys[j].row;
    if (j % 64 == 0) R_CheckUserInterrupt();
    if (ks[i] < 0 || ks[i] == R_PosInf) {
      out[i] = ks[i] < 0 ? R_NegInf : R_PosInf;
      continue;
    }
    move_to(&at, ks[i], lambdas[i]);
    if (at.sum < least) {
      out[i] = R_NaN;
      continue;
    }
    gap = asked(&at, lowers[i], logs[i]) - ps[i];
    frexp(ps[i], &exponent);
    if (exponent < -1021) exponent = -1021; /* ulps of subnormal numbers are all the same */
    out[i] = (double)ldexpq(lowers[i] ? gap : -gap, 53 - exponent);
  }
  UNPROTECT(1);
  return ans;
}

/* Tails rounded to double. */
SEXP poisson_tail(SEXP k, SEXP lambda, SEXP lower, SEXP give_log) {
  const R_xlen_t n = xlength(k);
  const order_key *keys = ordered(REAL(k), REAL(lambda), n);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  place at = {0, 0, -1, -1};
  R_xlen_t j;
  for (j = 0; j < n; j++) {
    if (j % 64 == 0) R_CheckUserInterrupt();
    move_to(&at, keys[j].k, keys[j].lambda);
    REAL(ans)[keys[j].row] = (double)asked(&at, LOGICAL(lower)[keys[j].row], LOGICAL(give_log)[keys[j].row]);
  }
  UNPROTECT(1);
  return ans;
}

SEXP poisson_probability(SEXP k, SEXP lambda) {
  const R_xlen_t n = xlength(k);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  R_xlen_t i;
  for (i = 0; i < n; i++) REAL(ans)[i] = (double)probability(REAL(k)[i], REAL(lambda)[i]);
  UNPROTECT(1);
  return ans;
}

/* Relative differences between values of a table, given as text, and ours: of each row the largest of probability,
 * lower and upper tail. */
SEXP poisson_agreement(SEXP k, SEXP lambda, SEXP pmf, SEXP cdf, SEXP sf) {
  const R_xlen_t n = xlength(k);
  SEXP ans = PROTECT(allocVector(REALSXP, n));
  R_xlen_t i;
  for (i = 0; i < n; i++) {
    const double at_k = REAL(k)[i], at_lambda = REAL(lambda)[i];
    place at = {0, 0, -1, -1};
    quad ours[3], worst = 0;
    int j;
    R_CheckUserInterrupt();
    move_to(&at, at_k, at_lambda);
    ours[0] = probability(at_k, at_lambda);
    ours[1] = asked(&at, 1, 0);
    ours[2] = asked(&at, 0, 0);
    for (j = 0; j < 3; j++) {
      const SEXP text = STRING_ELT(j == 0 ? pmf : j == 1 ? cdf : sf, i);
      const quad theirs = strtoflt128(CHAR(text), NULL);
      worst = fmaxq(worst, fabsq(ours[j] / theirs - 1));
    }
    REAL(ans)[i] = (double)worst;
  }
  UNPROTECT(1);
  return ans;
}
