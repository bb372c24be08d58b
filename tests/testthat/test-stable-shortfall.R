# Expected shortfalls from tools/esstable_reference.py; the upper side, pm = 0.
ref <- read.csv(test_path("ref", "esstable.csv"))
ref[c("alpha", "beta", "p")] <- ref[c("alpha_hex", "beta_hex", "p_hex")]

test_backends("expected shortfalls agree with contour integrals in high precision", {
  upper <- with(ref, esstable(p, alpha, beta, lower.tail = FALSE))
  # p is exact, so that nothing is lost where the shortfall passes through zero but the quantile's own digits
  expect_lte(max(relative_error(upper, ref$shortfall)), 1e-11)
  expect_gte(mean(relative_error(upper, ref$shortfall) <= 1e-13), 0.95)
  expect_identical(with(ref, esstable(p, alpha, -beta)), -upper)
  # log(p) is rounded: p by |log p| 2^-53, the shortfall by (q - shortfall)/shortfall times that
  slope <- with(ref, abs(qstable(p, alpha, beta, lower.tail = FALSE) / shortfall - 1))
  by_log <- with(ref, esstable(log(p), alpha, beta, lower.tail = FALSE, log.p = TRUE))
  allowed <- 1e-11 + slope * abs(log(ref$p)) * 2^-52
  expect_true(all(relative_error(by_log, ref$shortfall) <= allowed))
})

test_backends("special cases have their closed forms", {
  p <- c(1e-300, 1e-12, 1e-4, 0.1, 0.5, 0.9, 1 - 1e-9)
  normal <- function(p) -sqrt(2) * exp(dnorm(qnorm(p), log = TRUE) - log(p))
  expect_lte(max(relative_error(esstable(p, 2, 0.7), normal(p))), 1e-12) # exp() of logarithms up to 690
  expect_equal(esstable(p, 2, 0, 3, 1, lower.tail = FALSE), 1 - 3 * normal(p), tolerance = 1e-12)
  # a Levy distribution: E[X; X <= q] = int_0^q (2 pi y)^(-1/2) exp(-1/(2y)) dy by parts
  q <- qnorm(p[-1] / 2)^-2
  levy <- 2 * sqrt(q / (2 * pi)) * exp(-1 / (2 * q)) / p[-1] - 1
  seen <- levy > 1e-3 * q & q > 0.1 # the closed form cancels for small q
  expect_gt(sum(seen), 2)
  expect_equal(esstable(p[-1], 0.5, 1, pm = 1)[seen], levy[seen], tolerance = 1e-12)
  # far beyond the smallest double, in light tails: the quantile and one over the hazard rate
  for (log_p in c(-2e3, -1e6)) {
    x <- qstable(log_p, 1.5, 1, log.p = TRUE)
    hazard <- exp(dstable(x, 1.5, 1, log = TRUE) - pstable(x, 1.5, 1, log.p = TRUE))
    expect_lt(abs(esstable(log_p, 1.5, 1, log.p = TRUE) - x + 1 / hazard), 2 / abs(hazard * log_p))
  }
  # Pareto's distribution far out: alpha/(alpha - 1) times the quantile
  for (alpha in c(1.001, 1.3, 1.8))
    expect_equal(esstable(-600, alpha, 0.3, lower.tail = FALSE, log.p = TRUE),
                 alpha / (alpha - 1) * qstable(-600, alpha, 0.3, lower.tail = FALSE, log.p = TRUE), tolerance = 1e-11)
})

test_backends("p = 1 gives the mean, p = 0 the end of the support, and no mean is infinite or NaN", {
  for (alpha in c(1.001, 1.4, 1.9, 2)) for (beta in c(-1, 0, 0.6)) for (lower in c(TRUE, FALSE)) {
    mean <- stableConvert(alpha, beta, 3, 5, 0, 1)$delta
    expect_equal(esstable(1, alpha, beta, 3, 5, lower.tail = lower), mean, tolerance = 1e-15)
    expect_identical(esstable(0, alpha, beta, 3, 5, pm = 1, log.p = TRUE, lower.tail = lower), 5)
    expect_identical(esstable(0, alpha, beta, lower.tail = lower), if (lower) -Inf else Inf)
  }
  expect_identical(esstable(0.1, c(0.5, 1), 0.5), c(-Inf, -Inf))
  expect_identical(esstable(0.1, c(0.5, 1), 0.5, lower.tail = FALSE), c(Inf, Inf))
  expect_identical(esstable(0.1, c(0.5, 1), -1), c(-Inf, -Inf))
  expect_identical(esstable(1, c(0.5, 1), -1, lower.tail = FALSE), c(-Inf, -Inf))
  expect_identical(esstable(1, c(0.5, 1), 1), c(Inf, Inf))
  expect_warning(expect_identical(esstable(1, c(0.5, 1), 0.5), c(NaN, NaN)), "^NaNs produced$")
  expect_identical(esstable(0, 0.5, 1, 2, 3, pm = 1), 3)
  expect_equal(esstable(0, 0.5, 1, 2, 3), qstable(0, 0.5, 1, 2, 3), tolerance = 1e-15)
})

# E[X; X <= q] + E[X; X > q] is the mean.
test_backends("the two sides make up the mean", {
  set.seed(51)
  n <- 300
  alpha <- stats::runif(n, 1.02, 2)
  beta <- sample(c(-1, 1, stats::runif(8, -1, 1)), n, TRUE)
  p <- pmax(round(stats::plogis(stats::rnorm(n, sd = 4)) * 2^30), 1) * 2^-31 # so that 1 - p is exact
  p[1:100] <- 1 - p[1:100]
  lower <- p * esstable(p, alpha, beta)
  upper <- (1 - p) * esstable(1 - p, alpha, beta, lower.tail = FALSE)
  mean <- -beta * tan(pi * alpha / 2)
  expect_lt(max(abs(lower + upper - mean) / (abs(lower) + abs(upper) + abs(mean))), 1e-12)
})

test_backends("shortfalls lie beyond quantiles, grow with p and are their averages", {
  p <- 10^seq(-9, 0, by = 0.5)
  for (alpha in c(1.05, 1.5, 1.95)) for (beta in c(-1, 0, 1)) {
    es <- esstable(p, alpha, beta)
    expect_false(is.unsorted(es), label = paste(alpha, beta))
    expect_true(all(es < qstable(p, alpha, beta)), label = paste(alpha, beta))
  }
  # d(p ES)/dp = q, by central differences
  p <- c(1e-3, 0.05, 0.4, 0.8)
  h <- 1e-4 * p
  slope <- ((p + h) * esstable(p + h, 1.6, -0.3) - (p - h) * esstable(p - h, 1.6, -0.3)) / (2 * h)
  expect_equal(slope, qstable(p, 1.6, -0.3), tolerance = 1e-7)
})

test_backends("scale, location and parameterisation act as on a quantile", {
  p <- c(1e-6, 0.03, 0.5, 0.97)
  for (alpha in c(1.02, 1.5, 2)) for (beta in c(-1, 0.4)) for (lower in c(TRUE, FALSE)) {
    es <- esstable(p, alpha, beta, lower.tail = lower)
    size <- 1 + abs(es) + abs(tan(pi * alpha / 2))
    expect_lt(max(abs(esstable(p, alpha, beta, 3, 5, lower.tail = lower) - 5 - 3 * es) / size), 1e-14)
    for (pm in 1:2) {
      to <- stableConvert(alpha, beta, 3, 5, 0, pm)
      moved <- esstable(p, alpha, beta, to$gamma, to$delta, pm, lower.tail = lower)
      expect_lt(max(abs(moved - 5 - 3 * es) / size), 1e-13, label = paste(alpha, beta, pm))
    }
  }
  # next to the mean the location of pm = 1 is subtracted before digits are lost
  p <- 1e-12
  es <- esstable(1 - p, 1.9, 0.5, pm = 1)
  rest <- 1 - (1 - p)
  expect_equal(es, -rest * esstable(rest, 1.9, 0.5, pm = 1, lower.tail = FALSE) / (1 - p), tolerance = 1e-13)
})

test_that("shortfalls have the manners of qstable", {
  expect_identical(esstable(numeric(0), 1.5, 0), numeric(0))
  expect_identical(esstable(0.1, numeric(0), 0), numeric(0))
  expect_named(esstable(c(a = 0.1, b = 0.2), 1.5, 0), c("a", "b"))
  expect_identical(dim(esstable(matrix(0.1, 2, 2), 1.5, 0)), c(2L, 2L))
  expect_identical(esstable(0.1, c(1.5, 1.7), c(0, 0, 0.5)),
                   c(esstable(0.1, 1.5, 0), esstable(0.1, 1.7, 0), esstable(0.1, 1.5, 0.5)))
  expect_identical(esstable(c(0, 0.1, 1), 1.5, 0, 0, 7), c(7, 7, 7))
  expect_identical(esstable(NA, 1.5, 0), NA_real_)
  expect_identical(esstable(NaN, 1.5, 0), NaN)
  expect_warning(bad <- esstable(c(-0.1, 1.1, 0.5, 0.5, 0.5, NA), c(1.5, 1.5, 3, 1.5, 1.5, 3),
                                 c(0, 0, 0, 2, 0, 0), c(1, 1, 1, 1, -1, 1)), "^NaNs produced$")
  expect_identical(bad, c(rep(NaN, 5), NA))
  expect_warning(expect_identical(esstable(0.1, 1.5, 0, log.p = TRUE), NaN), "^NaNs produced$")
  warning <- tryCatch(esstable(2, 1.5, 0), warning = identity)
  expect_identical(conditionCall(warning), quote(esstable(2, 1.5, 0)))
  expect_error(esstable("a", 1.5, 0), "Non-numeric argument to mathematical function")
  expect_error(esstable(0.1, 1.5, factor(0)), "Non-numeric argument")
  # more points than are integrated together
  p <- rep(c(0.01, 0.2, 0.7), length.out = 18000)
  expect_equal(esstable(p, 1.5, 0.5)[17998:18000], esstable(p[17998:18000], 1.5, 0.5), tolerance = 1e-13)
})
