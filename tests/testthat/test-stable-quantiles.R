quantiles <- read_ref("stable_quantile")

test_backends("quantiles agree with the reference table", {
  upper <- quantiles$upper == 1
  for (log_p in c(FALSE, TRUE)) {
    given <- if (log_p) log(quantiles$p) else quantiles$p
    x <- with(quantiles, ifelse(upper, qstable(given, alpha, beta, lower.tail = FALSE, log.p = log_p),
                                qstable(given, alpha, beta, log.p = log_p)))
    error <- relative_error(x, quantiles$x)
    # log(p) is rounded: p by a factor 1 + |log p| 2^-53, x by p/(|x| f) times that
    slope <- with(quantiles, p / (abs(x) * dstable(x, alpha, beta)))
    allowed <- 1e-11 + if (log_p) slope * abs(given) * 2^-53 else 0
    expect_true(all(error <= allowed))
    expect_gte(mean(error <= 1e-13), if (log_p) 0.9 else 0.99)
  }
})

# Where x is ill-conditioned, q(p(x)) misses it by the errors of p: 1e-13 relative and one rounding.
test_backends("quantiles invert the distribution function, on the smaller side and on the larger", {
  set.seed(41)
  n <- 3000
  alpha <- ifelse(stats::runif(n) < 0.3, sample(c(0.5, 1 - 1e-9, 1, 1 + 1e-9, 1.001, 1.5, 1.9999, 2), n, TRUE),
                  stats::runif(n, 0.2, 2))
  beta <- ifelse(stats::runif(n) < 0.3, sample(c(-1, 0, 1), n, TRUE), stats::runif(n, -1, 1))
  x <- stats::rnorm(n) * exp(stats::rexp(n, 0.5))
  for (lower in c(TRUE, FALSE)) for (log_p in c(FALSE, TRUE)) {
    p <- pstable(x, alpha, beta, lower.tail = lower, log.p = log_p)
    log_tail <- pstable(x, alpha, beta, lower.tail = lower, log.p = TRUE)
    back <- qstable(p, alpha, beta, lower.tail = lower, log.p = log_p)
    log_f <- dstable(x, alpha, beta, log = TRUE)
    # absolute error of p, and what dx = dp/f is then
    log_error_p <- if (log_p) log(1e-13 * pmax(1, abs(log_tail)) + 2^-52) + log_tail
                   else pmax(log(1e-13) + log_tail, ifelse(log_tail > log(0.5), log(2^-52), -Inf))
    allowed <- exp(log_error_p - log_f) + 1e-13 * (1 + abs(x))
    # only where x is determined at all, and inside the support
    seen <- log_f > -Inf & allowed < 1e-3 * (1 + abs(x)) & (if (log_p) p > -1e300 & p < 0 else p > 1e-300 & p < 1)
    expect_gt(sum(seen), if (log_p) 0.9 * n else 0.85 * n)
    expect_true(all(abs(back - x)[seen] <= 2 * allowed[seen]), label = paste(lower, log_p))
  }
})

test_backends("quantiles grow with p and are mirrored with beta", {
  p <- c(1e-60, 1e-12, 1e-4, 0.01, seq(0.05, 0.95, by = 0.05), 0.99, 1 - 1e-6, 1 - 1e-12)
  for (alpha in c(0.3, 0.8, 1, 1.0001, 1.5, 1.95, 2)) for (beta in c(-1, -0.99999, 0, 0.5, 1)) {
    label <- paste(alpha, beta)
    x <- qstable(p, alpha, beta)
    expect_false(anyNA(x), label = label)
    expect_false(is.unsorted(x), label = label)
    # at p = 1/2 either tail may be solved for
    expect_lt(max(abs(qstable(p, alpha, -beta, lower.tail = FALSE) + x) / (abs(x) + 1)), 1e-13, label = label)
    expect_equal(qstable(log(p), alpha, beta, log.p = TRUE), x, tolerance = 1e-10, label = label)
  }
})

test_backends("one parameter set for many p gives what one per point gives", {
  p <- c(1e-10, seq(0.01, 0.99, by = 0.07), 1 - 1e-8)
  for (set in list(c(1.5, 0.5), c(0.4, 1), c(1, -0.3), c(1.95, 1))) {
    together <- qstable(p, set[1], set[2], 2, 1)
    n <- length(p)
    expect_equal(qstable(p, rep(set[1], n), rep(set[2], n), rep(2, n), rep(1, n)), together, tolerance = 1e-12)
  }
})

test_backends("special cases have their closed forms", {
  p <- c(1e-300, 1e-20, 1e-3, 0.1, 0.25, 0.5, 0.6, 0.999, 1 - 1e-10)
  for (lower in c(TRUE, FALSE)) {
    expect_equal(qstable(p, 2, 0.3, 3, 1, lower.tail = lower), qnorm(p, 1, 3 * sqrt(2), lower.tail = lower),
                 tolerance = 1e-13)
    expect_equal(qstable(p, 1, 0, 3, 1, lower.tail = lower), qcauchy(p, 1, 3, lower.tail = lower), tolerance = 1e-13)
  }
  expect_equal(qstable(p, 0.5, 1, pm = 1), qnorm(p / 2)^-2, tolerance = 1e-13) # a Levy distribution
  expect_equal(qstable(p, 0.5, -1, pm = 1, lower.tail = FALSE), -qnorm(p / 2)^-2, tolerance = 1e-13)
  # light tails from the logarithm of p, far below the smallest double
  log_p <- -c(1e3, 1e5, 1e8)
  expect_equal(pnorm(qstable(log_p, 2, 0, log.p = TRUE) / sqrt(2), log.p = TRUE), log_p, tolerance = 1e-14)
  log_p <- -c(800, 9831.7, 1e6)
  x <- qstable(log_p, 1.5, -1, lower.tail = FALSE, log.p = TRUE)
  expect_equal(pstable(x, 1.5, -1, lower.tail = FALSE, log.p = TRUE), log_p, tolerance = 1e-13)
})

test_backends("scale, location and parameterisation act on the quantile", {
  p <- c(1e-8, 0.03, 0.4, 0.8, 0.9999)
  for (alpha in c(0.4, 0.9, 1, 1.3, 1.9)) for (beta in c(-1, 0, 0.7)) {
    x <- qstable(p, alpha, beta)
    expect_equal(qstable(p, alpha, beta, 3, 5), 5 + 3 * x, tolerance = 1e-13)
    for (pm in 1:2) {
      to <- stableConvert(alpha, beta, 3, 5, 0, pm)
      moved <- qstable(p, alpha, beta, to$gamma, to$delta, pm)
      # pm = 2: modes are found to 1e-11
      expect_equal(moved, 5 + 3 * x, tolerance = if (pm == 2) 1e-10 else 1e-13, label = paste(alpha, beta, pm))
    }
  }
})

test_backends("quantiles pass smoothly through alpha = 1", {
  p <- c(1e-6, 0.01, 0.3, 0.5, 0.8, 0.999)
  for (beta in c(-0.8, 0, 0.5)) {
    middle <- qstable(p, 1, beta)
    expect_equal((qstable(p, 1 + 1e-6, beta) + qstable(p, 1 - 1e-6, beta)) / 2, middle, tolerance = 1e-8)
    expect_equal(qstable(p, 1 + 1e-9, beta), middle, tolerance = 1e-7)
  }
})

test_backends("edges of the domain", {
  expect_identical(qstable(c(0, 1), 1.5, 0.5), c(-Inf, Inf))
  expect_identical(qstable(c(0, 1), 1.5, 0.5, lower.tail = FALSE), c(Inf, -Inf))
  expect_identical(qstable(c(-Inf, 0), 1.5, 0.5, log.p = TRUE), c(-Inf, Inf))
  # quantiles beyond the largest double
  expect_identical(qstable(c(1e-300, 1e-100), 0.3, 0.5), c(-Inf, -Inf))
  # half-lines end at zeta
  expect_identical(qstable(c(0, 1), 0.5, 1, 2, 3, pm = 1), c(3, Inf))
  expect_equal(qstable(c(0, 1), 0.5, -1, 2, 3), c(-Inf, 3 + 2 * tan(pi / 4)), tolerance = 1e-15)
  expect_identical(qstable(c(0, 0.3, 1), 1.5, 0.5, 0, 7), c(-Inf, 7, Inf)) # as qnorm() with sd = 0
  expect_warning(bad <- qstable(c(-0.1, 1.1, 0.5, NaN, NA), c(1.5, 1.5, 3, 1.5, 1.5), 0), "^NaNs produced$")
  expect_identical(is.nan(bad), c(TRUE, TRUE, TRUE, TRUE, FALSE))
  expect_warning(expect_identical(qstable(0.1, 1.5, 0, log.p = TRUE), NaN), "^NaNs produced$")
})

test_backends("modes are where the density is largest", {
  law <- expand.grid(alpha = c(0.3, 0.7, 1, 1.3, 1.9, 2), beta = c(-1, -0.4, 0, 0.4, 1))
  mode <- with(law, stableMode(alpha, beta))
  expect_identical(mode[law$alpha == 2 | law$beta == 0], numeric(sum(law$alpha == 2 | law$beta == 0)))
  expect_identical(with(law, stableMode(alpha, -beta)), -mode)
  top <- with(law, dstable(mode, alpha, beta, log = TRUE))
  for (h in c(-1e-4, 1e-4)) expect_true(all(with(law, dstable(mode + h, alpha, beta, log = TRUE)) < top))
  expect_equal(stableMode(0.5, 1, 3, 2, pm = 1), 2 + 3 / 3, tolerance = 1e-10) # a Levy distribution
  expect_identical(stableMode(c(a = 1.5, b = 0.7), 0.3, 2, 1, pm = 2), c(a = 1, b = 1))
  expect_identical(stableMode(1.5, 0.3, 0, 4), 4)
  expect_warning(expect_identical(stableMode(c(NA, 3), 0), c(NA, NaN)), "^NaNs produced$")
  expect_identical(stableMode(numeric(0), 0), numeric(0))
})

test_backends("parameterisations are converted there and back", {
  set.seed(43)
  n <- 300
  alpha <- sample(c(0.4, 0.9, 1, 1.1, 1.5, 1.999, 2), n, TRUE)
  beta <- sample(c(-1, -0.3, 0, 0.6, 1), n, TRUE)
  gamma <- exp(stats::runif(n, -2, 2))
  delta <- stats::rnorm(n)
  for (from in 0:2) for (to in 0:2) {
    there <- stableConvert(alpha, beta, gamma, delta, from, to)
    expect_named(there, c("alpha", "beta", "gamma", "delta", "pm"))
    expect_identical(there$pm, rep(as.numeric(to), n))
    back <- with(there, stableConvert(alpha, beta, gamma, delta, pm, from))
    expect_equal(back$gamma, gamma, tolerance = 1e-14)
    # the location passes through values of the size of tan(pi alpha/2) gamma
    expect_lt(max(abs(back$delta - delta) / (1 + abs(delta) + abs(there$delta))), 1e-14)
    # the density is the same
    x <- delta + gamma * stats::rnorm(n)
    expect_equal(dstable(x, alpha, beta, there$gamma, there$delta, to), dstable(x, alpha, beta, gamma, delta, from),
                 tolerance = 1e-9)
  }
  # the mean of pm = 0 is the location of pm = 1; next to alpha = 2 and 1 the shift keeps its digits
  expect_equal(stableConvert(2 - 1e-9, 0.5, 1, 0, 0, 1)$delta, 0.5 * pi / 2 * 1e-9, tolerance = 1e-6)
  expect_equal(stableConvert(1 + 2^-30, 0.5, 1, 0, 0, 1)$delta, 2^30 / pi, tolerance = 1e-14)
  expect_equal(stableConvert(1, 0.5, 3, 2, 1, 0)$delta, 2 + 0.5 * 2 / pi * 3 * log(3), tolerance = 1e-15)
  expect_warning(bad <- stableConvert(c(1.5, 3, NA), 0, 1, 0, 0, 1), "^NaNs produced$")
  expect_identical(bad$gamma, c(1, NaN, NA))
  expect_identical(nrow(stableConvert(numeric(0), 0, from = 0, to = 1)), 0L)
  expect_error(stableConvert("a", 0, from = 0, to = 1), "Non-numeric argument")
  expect_identical(stableConvert(1.5, 0.5, 0, 3, 0, 1)$delta, 3)
})

test_that("fitdistrplus fits stable distributions, censored data too", {
  skip_if_not_installed("fitdistrplus")
  set.seed(44)
  x <- rstable(300, 1.6, 0.3, 2, 1)
  start <- list(alpha = 1.5, beta = 0, gamma = stats::IQR(x) / 2, delta = stats::median(x))
  bounds <- list(lower = c(0.5, -1, 1e-3, -Inf), upper = c(2, 1, Inf, Inf))
  fit <- fitdistrplus::fitdist(x, "stable", start = start, fix.arg = list(pm = 0), lower = bounds$lower,
                               upper = bounds$upper)
  own <- stableFit(x)
  expect_equal(fit$loglik, own$loglik, tolerance = 1e-4)
  expect_equal(fit$estimate, coef(own), tolerance = 0.05)
  cut <- 8
  censored <- data.frame(left = pmin(x, cut), right = ifelse(x > cut, NA, x))
  fit <- fitdistrplus::fitdistcens(censored, "stable", start = start, fix.arg = list(pm = 0), lower = bounds$lower,
                                   upper = bounds$upper)
  expect_lt(max(abs(fit$estimate - coef(own))), 0.3)
  expect_equal(fit$loglik, with(as.list(fit$estimate),
    sum(dstable(x[x <= cut], alpha, beta, gamma, delta, log = TRUE)) +
      sum(x > cut) * pstable(cut, alpha, beta, gamma, delta, lower.tail = FALSE, log.p = TRUE)), tolerance = 1e-10)
})

test_that("the median of a symmetric distribution is its location exactly", {
  for (alpha in c(0.1, 0.3, 0.7, 0.9, 1, 1.2, 1.5, 1.9, 2)) for (pm in 0:2) for (n in c(1, 20000)) {
    label <- paste(alpha, pm, n)
    expect_identical(range(qstable(rep(0.5, n), alpha, 0, pm = pm)), c(0, 0), label = label)
    expect_identical(range(qstable(rep(0.5, n), alpha, 0, 3, 7, pm, lower.tail = FALSE)), c(7, 7), label = label)
    expect_identical(range(qstable(rep(log(0.5), n), alpha, 0, pm = pm, log.p = TRUE)), c(0, 0), label = label)
  }
})
