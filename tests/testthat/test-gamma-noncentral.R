# ref/noncentral.csv.gz by tools/noncentral_reference.py; ref/noncentral_quantile.csv.gz in 300 bits, by Newton's
# method on Poisson mixtures. Doubles p, lower: is it a lower tail?
eps <- .Machine$double.eps
fast_builds_in_file()

# What an eps in p does to a quantile, relative to it, as in test-gamma.R.
reach_of <- function(log_tail, log_density, q, p, log)
  exp(log_tail - log_density - log(q)) * ifelse(log, pmax(1, abs(p)), 1)

test_backends("densities and both tails agree with high precision", {
  with(read_ref("noncentral"), {
    expect_lte(max(log_error(dchisqgpu(x, df, ncp, log = TRUE), log_density)), 3 * eps)
    expect_lte(max(log_error(pchisqgpu(x, df, ncp, log.p = TRUE), log_lower)), 3 * eps)
    expect_lte(max(log_error(pchisqgpu(x, df, ncp, lower.tail = FALSE, log.p = TRUE), log_upper)), 3 * eps)
    some <- abs(log_density) < 1
    expect_lte(max(relative_error(dchisqgpu(x, df, ncp), exp(log_density))[some]), 4 * eps)
    for (lower in c(TRUE, FALSE)) {
      log_tail <- if (lower) log_lower else log_upper
      some <- abs(log_tail) < 1
      expect_lte(max(relative_error(pchisqgpu(x, df, ncp, lower), exp(log_tail))[some]), 4 * eps)
    }
  })
})

test_backends("quantiles are those of the table", {
  ref <- read_ref("noncentral_quantile")
  for (lower in c(TRUE, FALSE)) for (log in c(TRUE, FALSE)) {
    rows <- ref[ref$lower == lower & ref$log == log, ]
    q <- with(rows, qchisqgpu(p, df, ncp, lower, log))
    tiny <- rows$q < 1e-307
    expect_lte(max(q[tiny], 0), 1e-307)
    share <- with(rows, relative_error(q, rows$q) / eps /
                    pmax(4, reach_of(pchisqgpu(q, df, ncp, lower, TRUE), dchisqgpu(q, df, ncp, TRUE), q, p, log)))
    expect_lte(max(share[!tiny]), 0.5)
  }
})

test_that("whole degrees of freedom agree with closed forms", {
  # one: |N(sqrt ncp, 1)|^2, whose tails are those of the normal distribution, taken where nothing cancels
  set.seed(1)
  m <- c(runif(40, 0.5, 60), 10^runif(20, 2, 5))
  far <- m + runif(60, 0, 9) # beyond which the other side has nothing
  upper <- pnorm(far - m, lower.tail = FALSE) + pnorm(far + m, lower.tail = FALSE)
  density <- (dnorm(far - m) + dnorm(far + m)) / (2 * far)
  # arguments are rounded, by which a tail moves some x density/tail eps
  moved <- 1 + far^2 * density / upper + m * dnorm(far - m) / upper
  expect_lte(max(relative_error(pchisqgpu(far^2, 1, m^2, FALSE), upper) / moved), 8 * eps)
  # three: its density is x^(1/2)/(2 m sqrt(2 pi)) e^(-(x + m^2)/2) 2 sinh(m sqrt x)
  value <- far * (dnorm(far - m) - dnorm(far + m)) / (2 * m * far)
  expect_lte(max(relative_error(dchisqgpu(far^2, 3, m^2) * far, value * far) / (1 + far * (far - m))), 16 * eps)
})

test_that("quantiles and distribution functions are inverse to each other", {
  set.seed(1)
  n <- repetitions(4000, 1e6)
  df <- exp(runif(n, -3, 12))
  ncp <- exp(runif(n, -5, 14))
  p <- runif(n)
  for (lower in c(TRUE, FALSE)) {
    q <- qchisqgpu(p, df, ncp, lower)
    moved <- exp(dchisqgpu(q, df, ncp, log = TRUE) + log(q) - log(p))
    expect_lte(max(relative_error(pchisqgpu(q, df, ncp, lower), p) / (eps * (4 + 2 * moved))), 1)
  }
  far <- -exp(runif(n, -30, 12))
  for (lower in c(TRUE, FALSE)) {
    q <- qchisqgpu(far, df, ncp, lower, TRUE)
    moved <- exp(dchisqgpu(q, df, ncp, log = TRUE) + log(q) - pchisqgpu(q, df, ncp, lower, TRUE))
    inside <- q > 1e-300
    error <- abs(pchisqgpu(q, df, ncp, lower, TRUE) - far) / pmax(1, abs(far))
    expect_lte(max((error / (eps * (4 + 2 * moved / pmax(1, abs(far)))))[inside]), 1)
  }
})

test_that("parameters of any size have values", {
  at <- expand.grid(df = c(0, 1e-300, 1e-20, 0.3, 2, 39, 41, 1e5, 1e10, 1e100, 1e280),
                    ncp = c(0, 1e-300, 1e-20, 0.3, 2, 39, 41, 1e5, 1e10, 1e100, 1e280))
  at <- at[at$df + at$ncp > 0, ]
  for (p in c(1e-300, 1e-10, 0.3, 0.5, 1 - 1e-9)) for (lower in c(TRUE, FALSE)) {
    q <- with(at, qchisqgpu(p, df, ncp, lower))
    expect_false(anyNA(q) || any(q < 0 | q == Inf))
    tail <- with(at, pchisqgpu(q, df, ncp, lower))
    # q rounded, and 0 where a mass is there or q no number
    moved <- with(at, exp(dchisqgpu(q, df, ncp, log = TRUE) + log(q) - log(p)))
    # a quantile next to 0 has one side, and beyond 1e20 the smallest change of q is many standard deviations
    ordinary <- q > 1e-300 & with(at, df + ncp) < 1e20
    expect_lte(max((relative_error(tail, p) / (eps * (4 + 2 * moved)))[ordinary]), 1)
  }
  # next to ncp = 0 the central distribution
  x <- c(1e-3, 0.5, 3, 30, 300)
  for (df in c(0.01, 1, 10, 50, 300)) for (lower in c(TRUE, FALSE)) {
    central <- pchisqgpu(x, df, lower.tail = lower, log.p = TRUE)
    expect_lte(max(log_error(pchisqgpu(x, df, c(0, 1e-300), lower, TRUE), central)), 4 * eps)
    expect_lte(max(log_error(pchisqgpu(rep(x, 2), df, rep(0, 10), lower, TRUE), rep(central, 2))), 4 * eps)
    expect_lte(max(log_error(dchisqgpu(x, df, rep(0, 5), TRUE), dchisqgpu(x, df, log = TRUE))), 4 * eps)
  }
})

test_that("without degrees of freedom there is a mass at 0", {
  ncp <- c(1e-20, 0.1, 2, 50, 1e5)
  expect_identical(pchisqgpu(0, 0, ncp), exp(-ncp / 2))
  expect_lte(max(relative_error(pchisqgpu(0, 0, ncp, FALSE), -expm1(-ncp / 2))), eps)
  expect_identical(pchisqgpu(0, 0, ncp, TRUE, TRUE), -ncp / 2)
  expect_lte(max(log_error(pchisqgpu(0, 0, ncp, FALSE, TRUE), log(-expm1(-ncp / 2)))), 2 * eps)
  expect_identical(pchisqgpu(-1e-300, 0, ncp), numeric(5))
  expect_identical(qchisqgpu(c(0.1, 0.36, 0.37), 0, 2) > 0, c(FALSE, FALSE, TRUE))
  expect_identical(pchisqgpu(c(0, 1), 0, c(0, 0)), c(1, 1))
  expect_identical(qchisqgpu(0.5, 0, c(0, 0)), c(0, 0))
  # values next to it are those of few degrees of freedom
  x <- c(1e-10, 1, 20)
  expect_lte(max(relative_error(pchisqgpu(x, 0, 3, FALSE), pchisqgpu(x, 1e-290, 3, FALSE))), 4 * eps)
  set.seed(1)
  expect_equal(mean(rchisqgpu(1e4, 0, 2) == 0), exp(-1), tolerance = 0.03)
})

test_that("random numbers have their distribution, and come in parts too", {
  draws <- function(...) {
    set.seed(3)
    rchisqgpu(...)
  }
  df <- c(0.5, 3, 40)
  ncp <- c(0.1, 7, 300, 5)
  expect_identical(draws(600, df, ncp, first = 601), draws(1200, df, ncp)[601:1200])
  set.seed(6)
  for (of in list(c(0.3, 2), c(0.9999, 5), c(1, 2), c(1, 0), c(1.2, 0.1), c(3, 10), c(100, 1e4))) {
    p <- pchisqgpu(rchisqgpu(repetitions(5e4, 1e6), of[1], of[2]), of[1], of[2])
    expect_gt(chisq.test(tabulate(ceiling(p * 200), 200))$p.value, 1e-5)
  }
  expect_warning(expect_identical(rchisqgpu(2, 3, -1), c(NaN, NaN)), "NAs produced")
})

test_that("odd arguments are as base R has them", {
  at <- expand.grid(x = c(-Inf, -1, 0, 1e-10, 0.5, 2, 30, Inf, NaN, NA), df = c(-1, 0, 1, 2, 30, Inf, NaN, NA),
                    ncp = c(-1, 0.7, 9, Inf, NaN, NA))
  same <- function(value, base) {
    expect_identical(which(is.na(value)), which(is.na(base)))
    expect_lte(max(log_error(value, base), na.rm = TRUE), 1e-7) # base R's is not more exact
  }
  suppressWarnings(with(at, {
    for (flag in c(FALSE, TRUE)) {
      same(dchisqgpu(x, df, ncp, flag), dchisq(x, df, ncp, flag))
      for (lower in c(TRUE, FALSE)) same(pchisqgpu(x, df, ncp, lower, flag), pchisq(x, df, ncp, lower, flag))
    }
    # base R looks at p first where ncp is not finite
    finite <- !(ncp %in% Inf)
    for (lower in c(TRUE, FALSE))
      same(qchisqgpu(abs(x), df, ncp, lower)[finite], qchisq(abs(x), df, ncp, lower)[finite])
  }))
  expect_warning(expect_identical(qchisqgpu(c(0.5, 2, -1), 1, 1)[2:3], c(NaN, NaN)), "NaNs produced")
})
