# The binomial and negative binomial distributions. ref/count_quantiles.csv.gz has exact quantiles, with the value of
# the distribution function (tail, logarithm) at them and one below.
eps <- .Machine$double.eps
cases <- as.numeric(Sys.getenv("STATCL_TEST_CASES", "1500"))
# d, p and q of size and prob, or mu
kinds_of <- function(d, p, q, dn, pn, qn) list(
  binom = list(d = d, p = p, q = q),
  nbinom_prob = list(
    d = function(x, size, prob, log = FALSE) dn(x, size, prob, log = log),
    p = function(q, size, prob, lower.tail = TRUE, log.p = FALSE) pn(q, size, prob, , lower.tail, log.p),
    q = function(p, size, prob, lower.tail = TRUE, log.p = FALSE) qn(p, size, prob, , lower.tail, log.p)),
  nbinom_mu = list(
    d = function(x, size, mu, log = FALSE) dn(x, size, mu = mu, log = log),
    p = function(q, size, mu, lower.tail = TRUE, log.p = FALSE) pn(q, size, , mu, lower.tail, log.p),
    q = function(p, size, mu, lower.tail = TRUE, log.p = FALSE) qn(p, size, , mu, lower.tail, log.p)))
kinds <- kinds_of(dbinomgpu, pbinomgpu, qbinomgpu, dnbinomgpu, pnbinomgpu, qnbinomgpu)
base <- kinds_of(dbinom, pbinom, qbinom, dnbinom, pnbinom, qnbinom)

# f(x, size, second, lower, log) where these differ from row to row
by_row <- function(f, x, size, second, lower, log) {
  value <- numeric(length(x))
  for (l in unique(lower)) for (g in unique(log)) {
    i <- lower == l & log == g
    value[i] <- f(x[i], size[i], second[i], lower.tail = l == 1, log.p = g == 1)
  }
  value
}
above <- function(p) p * (1 + eps) + 2^-1074 * (p < 1e-300) # the next double, or the one after it
below <- function(p) p * (1 - eps / 2) - 2^-1074 * (p < 1e-300)

test_backends("quantiles are those of the table, and tails there", {
  ref <- read_ref("count_quantiles")
  for (kind in names(kinds)) {
    r <- ref[ref$dist == kind, ]
    expect_gt(nrow(r), 50)
    expect_identical(by_row(kinds[[kind]]$q, r$p, r$size, r$second, r$lower, r$log), r$q)
    for (at in c("at", "below")) {
      r <- r[r$q >= (at == "below"), ]
      value <- by_row(kinds[[kind]]$p, r$q - (at == "below"), r$size, r$second, r$lower, r$log)
      error <- abs(value - r[[at]]) / ifelse(r$log == 1, pmax(1, abs(r[[at]])), abs(r[[at]]))
      error[value == r[[at]] | abs(r[[at]]) < 1e-290] <- 0
      expect_lte(max(error), 4 * eps)
    }
  }
})

# With prob = 1/2 and whole size the distribution function is a whole number by a power of 2, exact as a double below
# 2^53 of it, and given by sums of whole numbers: what is equal to p is reached, and the next double is not.
test_backends("ties are reached, and the next double is beyond", {
  for (size in c(1, 2, 3, 10, 25, 52)) {
    jump <- cumsum(choose(size, 0:size)) / 2^size
    k <- 0:(size - 1)
    jump <- jump[k + 1]
    expect_identical(qbinomgpu(jump, size, 0.5), as.numeric(k))
    expect_identical(qbinomgpu(below(jump), size, 0.5), as.numeric(k))
    expect_identical(qbinomgpu(above(jump), size, 0.5), as.numeric(k + 1))
    upper <- rev(jump) # P(X > k)
    expect_identical(qbinomgpu(upper, size, 0.5, FALSE), as.numeric(k))
    expect_identical(qbinomgpu(above(upper), size, 0.5, FALSE), as.numeric(k))
    expect_identical(qbinomgpu(below(upper), size, 0.5, FALSE), as.numeric(k + 1))
  }
  for (size in 1:4) { # P(X > k) = P(Bin(k + size, 1/2) < size)
    k <- 0:(if (size == 1) 1000 else 200)
    upper <- rowSums(outer(k + size, seq_len(size) - 1, choose)) * 2^-(k + size)
    for (second in list(0.5, size)) {
      q <- kinds[[if (second < 1) "nbinom_prob" else "nbinom_mu"]]$q
      expect_identical(q(upper, size, second, FALSE), as.numeric(k))
      expect_identical(q(above(upper), size, second, FALSE), as.numeric(k))
      expect_identical(q(below(upper), size, second, FALSE), as.numeric(k + 1))
    }
  }
})

# Parameters of every size, whole where they have to be; prob a multiple of 2^-30, so that 1 - prob is exact.
random_parameters <- function(kind, n) {
  size <- exp(runif(n, log(c(1, 0.1)[1 + (kind != "binom")]), log(sample(c(30, 1e3, 1e6, 1e12), n, TRUE))))
  if (kind == "binom") size <- ceiling(size)
  prob <- ceiling(2^30 * ifelse(runif(n) < 0.3, exp(-runif(n, 0, 18)), runif(n, 0, 0.999))) / 2^30
  data.frame(size, second = if (kind == "nbinom_mu") exp(runif(n, -5, 12)) else prob)
}

# The double next to the distribution function at k or beside it, and the quantile, which is k or k + 1.
test_backends("quantiles next to jumps are the same from either end", {
  set.seed(1)
  d <- random_parameters("binom", cases)
  k <- qbinom(runif(cases), d$size, d$second)
  k <- pmin(k, d$size - 1)
  for (lower in c(TRUE, FALSE)) {
    jump <- pbinomgpu(k, d$size, d$second, lower)
    p <- jump * (1 + eps * sample(-2:2, cases, TRUE))
    ok <- p > 0 & p < 0.5 & jump > 1e-290 & d$size > 4 & k < d$size - 1 # others may be ties, as prob^size
    expect_gt(sum(ok), cases / 8)
    q <- qbinomgpu(p[ok], d$size[ok], d$second[ok], lower)
    expect_identical(q, d$size[ok] - qbinomgpu(p[ok], d$size[ok], 1 - d$second[ok], !lower))
    expect_true(all(q - k[ok] <= 1 & q - k[ok] >= -1))
    # from the logarithm given, too, of which 1e-14 are many units of p
    far <- abs(p / jump - 1) > 0 & ok
    expect_true(all(abs(qbinomgpu(log(p[far]), d$size[far], d$second[far], lower, TRUE) - k[far]) <= 1))
  }
})

test_backends("an infinite size is Poisson's distribution, next to jumps as well", {
  set.seed(2)
  mu <- exp(runif(cases, log(1e-3), log(1e6)))
  k <- qpois(runif(cases), mu)
  for (lower in c(TRUE, FALSE)) for (log in c(FALSE, TRUE)) {
    p <- ppoisgpu(k, mu, lower, log) * (1 + eps * sample(-3:3, cases, TRUE))
    ok <- if (log) p < 0 else p > 0 & p < 1
    expect_identical(kinds$nbinom_mu$q(p[ok], Inf, mu[ok], lower, log), qpoisgpu(p[ok], mu[ok], lower, log))
    expect_lte(max(log_error(kinds$nbinom_mu$p(k, Inf, mu, lower, TRUE), ppoisgpu(k, mu, lower, TRUE))), 8 * eps)
  }
  expect_lte(max(log_error(dnbinomgpu(k, Inf, mu = mu, log = TRUE), dpoisgpu(k, mu, TRUE))), 8 * eps)
})

test_backends("densities, tails and quantiles fit together and are base R's", {
  set.seed(3)
  for (kind in names(kinds)) {
    d <- random_parameters(kind, cases)
    d <- d[if (kind == "binom") d$size < 1e7 else d$size < 1e6, ]
    n <- nrow(d)
    k <- base[[kind]]$q(runif(n), d$size, d$second) + sample(c(0, 0, 1, 5), n, TRUE)
    f <- kinds[[kind]]
    for (log in c(FALSE, TRUE)) {
      # base R is right to some 1e-12 here
      error <- function(value, base) if (log) log_error(value, base) else relative_error(value, base)[base > 1e-290]
      expect_lte(max(error(f$d(k, d$size, d$second, log), base[[kind]]$d(k, d$size, d$second, log))), 1e-10)
      for (lower in c(TRUE, FALSE))
        expect_lte(max(error(f$p(k, d$size, d$second, lower, log),
                             base[[kind]]$p(k, d$size, d$second, lower, log))), 1e-9)
    }
    # P(X <= k) - P(X < k) = P(X = k), each right to 4 eps of the tail
    at <- pmax(k, 1)
    both <- f$p(at, d$size, d$second)
    step <- both - f$p(at - 1, d$size, d$second)
    expect_true(all(abs(step - f$d(at, d$size, d$second)) <= 8 * eps * both + 4 * eps * step))
    expect_lte(max(abs(both + f$p(at, d$size, d$second, FALSE) - 1)), 4 * eps)
    q <- f$q(pmax(both - 1e-12, 0), d$size, d$second)
    expect_true(all(q <= at))
    expect_true(all(f$p(q, d$size, d$second) >= both - 1.1e-12))
  }
})

test_backends("negative binomial tails are binomial ones", {
  set.seed(4)
  size <- ceiling(exp(runif(cases, 0, 8)))
  prob <- ceiling(2^30 * runif(cases, 0.01, 0.999)) / 2^30
  k <- qnbinom(runif(cases), size, prob)
  for (lower in c(TRUE, FALSE))
    expect_lte(max(log_error(pnbinomgpu(k, size, prob, lower.tail = lower, log.p = TRUE),
                             pbinomgpu(size - 1, k + size, prob, !lower, TRUE))), 8 * eps)
})

test_backends("sizes next to 0 and infinity, and probabilities next to 0 and 1", {
  expect_identical(qnbinomgpu(0.5, mu = 3, size = 1e-10), 0)
  # P(X > 0) = 1 - prob^size = -expm1(-size log(1 + mu/size))
  size <- c(1e-10, 1e-5, 0.1)
  expect_lte(max(relative_error(pnbinomgpu(0, size, mu = 3, lower.tail = FALSE), -expm1(-size * log1p(3 / size)))),
             4 * eps)
  # of the smallest sizes P(X > q) is size (log(mu/size) - 1 - 1/2 - ... - 1/q), and mu/size beyond q
  size <- c(1e-20, 1e-30, 1e-68, 1e-200)
  for (q in c(30, 4950)) {
    upper <- size * (log(3) - log(size) - sum(1 / seq_len(q)))
    expect_lte(max(relative_error(pnbinomgpu(q, size, mu = 3, lower.tail = FALSE), upper)), 6 * eps)
    about <- log(upper[4]) + c(1, -1) * 1e-6
    expect_identical(qnbinomgpu(about, 1e-200, mu = 3, lower.tail = FALSE, log.p = TRUE) <= q, c(TRUE, FALSE))
  }
  expect_identical(qnbinomgpu(c(0.3, 0.9), size = 1e15, mu = 2), qpois(c(0.3, 0.9), 2))
  expect_identical(qbinomgpu(c(0.3, 0.7), 1, 0.5), c(0, 1))
  expect_identical(qbinomgpu(c(1e-300, 0.5), 1e15, 1e-300), c(0, 0))
  expect_identical(qbinomgpu(0.5, 1e15, 1 - 2^-53), 1e15)
  expect_identical(qbinomgpu(0.0005, 5000, 0.998575), 4983) # P(X <= 4982) = 0.000438, which base R takes for 5000
  expect_lte(relative_error(pbinomgpu(0, 1e15, 1e-300, FALSE), 1e-285), 4 * eps)
})

# Sizes at which squares, and sums with 1, are no numbers: half of a symmetric distribution, a quarter of trials at
# the quarter expected, and logarithms by -size (1/4 log(1/2) + 3/4 log(3/2)), which is D. Then means beside which a
# size is infinite: -expm1(-mu).
test_backends("sizes and means next to the ends of numbers", {
  size <- c(1e16, 1e100, 1e305, 1e307, 1.6e308)
  expect_lte(max(relative_error(pbinomgpu(size / 4, size, 0.25), 0.5)), 1e-7)
  expect_lte(max(relative_error(pbinomgpu(size / 2, size, 0.5, FALSE), 0.5)), 1e-7)
  expect_lte(max(relative_error(pbinomgpu(size / 4, size, 0.5, TRUE, TRUE),
                                -size * (0.25 * log(0.5) + 0.75 * log(1.5)))), 1e-13)
  expect_identical(qbinomgpu(0.5, size[-1], 0.25), size[-1] / 4)
  for (size in c(1e-5, 1, 1e20, 1e150, Inf)) for (mu in c(1e-300, 1e-200, 1e-20)) {
    none <- if (mu < 1e-15 * size) mu else size * log1p(mu / size)
    expect_lte(relative_error(pnbinomgpu(0, size, mu = mu, lower.tail = FALSE), none), 4 * eps)
    expect_lte(log_error(dnbinomgpu(1, size, mu = mu, log = TRUE), log(none)), 4 * eps)
  }
})

# The mean is larger than size: by the gamma distribution that mixes Poisson's. Away from jumps base R's quantiles are
# right, and next to them the distribution function tells.
test_backends("overdispersed negative binomial quantiles", {
  set.seed(5)
  size <- exp(runif(cases, log(1e-3), log(200)))
  mu <- size * exp(runif(cases, 0.1, log(300)))
  u <- ifelse(runif(cases) < 0.2, 10^-runif(cases, 0, 12), runif(cases))
  for (lower in c(TRUE, FALSE)) {
    k <- qnbinom(u, size, mu = mu, lower.tail = lower)
    q <- qnbinomgpu(u, size, mu = mu, lower.tail = lower)
    at <- pnbinom(q, size, mu = mu, lower.tail = lower)
    before <- pnbinom(q - 1, size, mu = mu, lower.tail = lower)
    far <- abs(at / u - 1) > 1e-9 & abs(before / u - 1) > 1e-9
    expect_gt(mean(far), 0.95)
    expect_identical(q[far], k[far])
    jump <- pnbinomgpu(k, size, mu = mu, lower.tail = lower)
    moved <- jump * (1 + 1e-13 * sample(c(-1, 1), cases, TRUE))
    on <- moved < 1 - 1e-3
    expect_identical(qnbinomgpu(moved[on], size[on], mu = mu[on], lower.tail = lower),
                     (k + ((moved > jump) == lower))[on])
    deep <- log(u) * 50
    q <- qnbinomgpu(deep, size, mu = mu, lower.tail = lower, log.p = TRUE)
    at <- pnbinomgpu(q, size, mu = mu, lower.tail = lower, log.p = TRUE)
    before <- pnbinomgpu(q - 1, size, mu = mu, lower.tail = lower, log.p = TRUE)
    slack <- 1e-14 * pmax(1, -deep)
    sense <- if (lower) 1 else -1
    expect_true(all(sense * (at - deep) >= -slack & sense * (before - deep) < slack))
  }
})

outcome_of <- function(call) {
  warnings <- character()
  value <- withCallingHandlers(tryCatch(eval(call), error = conditionMessage), warning = function(w) {
    warnings <<- c(warnings, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  list(value, unique(warnings))
}
test_that("odd arguments are treated as in base R", {
  calls <- alist(
    dbinom(c(0, 1, NA, NaN, Inf, -Inf, -1, 4), 3, 0.3), dbinom(0:1, 3, c(0, 1, -1, 2, NA, 0.5)),
    dbinom(1, 2.5, 0.3), dbinom(c(a = 1, b = 2), 1:2, 0.5), dbinom(matrix(0:3, 2), 3, 0.5, TRUE),
    dbinom(numeric(0), 1, 0.5), dbinom(0:3, 3, 1), dbinom(0:3, 3, 0), dbinom(0, 0, 0.5), dbinom(0, -1, 0.5),
    dbinom(2, Inf, 0.5), dbinom("a", 1, 1), pbinom(c(-1, 0, 0.5, 3, 4, NA, Inf, -Inf), 3, 0.3), pbinom(0:3, 3, 0),
    pbinom(0:3, 3, 1), pbinom(1, c(-1, 0), 0.5), pbinom(0:1, 3, c(2, NA)), pbinom(c(a = 1), 3, 0.2, FALSE, TRUE),
    pbinom(0:3, 3, 0.5, FALSE), qbinom(c(0, 1, 0.5, NA, -1, 2), 3, 0.3), qbinom(c(0, 1, 0.5), 3, 0),
    qbinom(c(1, 0.5), 3, 1), qbinom(c(-Inf, 0, 1), 4, 0.5, TRUE, TRUE), qbinom(c(0, 1), 4, 0.5, FALSE),
    qbinom(0.5, -1, 0.5), qbinom(0.5, 0, 0.5), qbinom(matrix(c(0.2, 0.7), 1), 9, 0.5), qbinom(0.5, NA, 0.5),
    qbinom(numeric(0), 1, 1), dnbinom(c(0, 1, NA, Inf, -1), 2.5, 0.4), dnbinom(0:1, 0, 0.5), dnbinom(0:2, 2, 1),
    dnbinom(1, c(-1, 2), c(0.5, 0, 2)), dnbinom(0:2, 2.5, mu = 3), dnbinom(0:2, 2.5, mu = 0),
    dnbinom(0:2, Inf, mu = 2), dnbinom(1, 2, mu = -1), dnbinom(1:2, 2, mu = 3, log = TRUE), dnbinom(0:1, 0, mu = 1),
    pnbinom(c(-1, 0, 2.5, NA, Inf), 2.5, 0.4), pnbinom(0:1, 0, 0.5), pnbinom(0:2, 2, 1),
    pnbinom(1, c(-1, 2), c(0.5, 0, 2)), pnbinom(0:2, 2.5, mu = 3), pnbinom(0:2, Inf, mu = 2),
    pnbinom(0:2, 2.5, mu = 0), pnbinom(0, 2.5, mu = Inf), qnbinom(c(0, 1, 0.5, NA, -1, 2), 2.5, 0.4),
    qnbinom(0.5, 0, 0.5), qnbinom(0.5, 2, 1), qnbinom(0.5, c(-1, 2), c(0.5, 0, 2)),
    qnbinom(c(0, 0.5, 1), 2.5, mu = 3), qnbinom(c(0.2, 0.5), Inf, mu = 2), qnbinom(0.5, 2.5, mu = 0),
    qnbinom(c(-1, -Inf, 0), 2.5, mu = 3, log.p = TRUE), qnbinom(0.5, 2, mu = -1))
  for (call in calls) {
    ours <- call
    ours[[1]] <- as.name(paste0(call[[1]], "gpu"))
    ours <- outcome_of(ours)
    theirs <- outcome_of(call)
    expect_equal(ours, theirs, tolerance = 1e-13, label = paste(deparse(call), collapse = ""))
    expect_identical(is.nan(unlist(ours[[1]])), is.nan(unlist(theirs[[1]])))
  }
  expect_warning(expect_identical(qbinomgpu(0.5, 2.5, 0.1), NaN), "NaNs produced") # where pbinom() has NaN, too
  expect_warning(dbinomgpu(1.5, 3, 0.5), "non-integer x = 1.500000")
  expect_error(dnbinomgpu(1, 2, 0.5, mu = 3), class = "statcl_error_input")
  expect_error(dnbinomgpu(1, 2), "missing")
  for (name in c("dbinom", "pbinom", "qbinom", "dnbinom", "pnbinom", "qnbinom"))
    expect_identical(formals(paste0(name, "gpu")), formals(name))
})

test_backends("random numbers are quantiles, in parts as well, and of the distribution", {
  draw <- function(...) {
    set.seed(7)
    rbinomgpu(...)
  }
  x <- draw(4e4, 20, 0.3)
  expect_type(x, "integer")
  expect_identical(x[-1:-1000], draw(39000, 20, 0.3, first = 1001))
  # chi squared of 20 degrees of freedom is beyond 60 with probability 7e-6
  many <- tabulate(x + 1, 21)
  expected <- 4e4 * dbinom(0:20, 20, 0.3)
  cell <- pmin(pmax(seq_along(many), 2), 14)
  expect_lt(sum((tapply(many, cell, sum) - tapply(expected, cell, sum))^2 / tapply(expected, cell, sum)), 60)
  expect_true(all(draw(1000, 20, 0.31) >= x[1:1000]))
  negative <- function(...) {
    set.seed(7)
    rnbinomgpu(...)
  }
  y <- negative(4e4, 2.5, mu = 4)
  expect_type(y, "integer")
  # mean 4, variance 4 + 16/2.5 = 10.4: six standard errors
  expect_lt(abs(mean(y) - 4), 6 * sqrt(10.4 / 4e4))
  expect_identical(negative(100, 2.5, 2.5 / 6.5), negative(100, 2.5, 0.38461538461538464))
  expect_type(draw(3, 1e10, 0.5), "double")
  expect_warning(expect_identical(rbinomgpu(3, c(1, -1, NA), 0), c(0L, NA, NA)), "NAs produced")
  expect_error(withPrecision("single", dbinomgpu(1, 2, 0.5)), class = "statcl_error_device")
  expect_error(withPrecision("single", qnbinomgpu(0.5, 2, 0.5)), class = "statcl_error_device")
})
