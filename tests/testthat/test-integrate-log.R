# Integrands given by their logarithm.
fast_builds_in_file()

log_integral <- function(...) integrategpu(..., log = TRUE)

test_backends("logarithms of integrals that underflow or lie far out", {
  # a Poisson likelihood with a gamma prior is a negative binomial probability
  y <- c(0, 3, 97, 9730, 1e6)
  x <- log_integral(function(l) dpois(y, l, log = TRUE) + dgamma(l, 28, 0.003, log = TRUE), 0, Inf,
                    params = list(y = y))
  expect_equal(x$value, dnbinom(y, 28, 0.003 / 1.003, log = TRUE), tolerance = 1e-10)
  expect_identical(x$code, integer(5))
  expect_true(all(x$abs.error < 1e-9 & x$evaluations < 1000))
  # densities of any scale and place, times constants of any size
  d <- expand.grid(mu = c(0, -1e3, 1e6), s = c(1e-3, 1, 1e5), c = c(0, -1e6, 1e5))
  x <- suppressWarnings(log_integral(function(x) c + dnorm(x, mu, s, log = TRUE), -Inf, Inf, params = d))
  known <- abs(d$mu) < 1e8 * d$s
  expect_lt(max(abs(x$value - d$c)[known]), 1e-9)
  expect_identical(x$code[known], integer(sum(known)))
  expect_lt(max(x$evaluations[known]), 1000)
  # what x has too few digits for is told
  expect_true(all(x$code[!known] %in% 2:3))
  # far from the end of a half-line, next to it, and on intervals
  x <- log_integral(function(x) dgamma(x, a, 1, log = TRUE), 0, Inf, params = list(a = c(0.1, 0.9, 1, 30, 1e8)))
  expect_lt(max(abs(x$value)), 1e-9)
  x <- log_integral(function(x) dgamma(-x, a, 1, log = TRUE), -Inf, 0, params = list(a = c(0.5, 1e4)))
  expect_lt(max(abs(x$value)), 1e-9)
  x <- log_integral(function(x) dbeta(x, a, b, log = TRUE), 0, 1,
                    params = list(a = c(0.1, 1, 5, 1e6, 1e6), b = c(1, 1, 1e7, 3, 1e6)))
  expect_lt(max(abs(x$value)), 1e-9)
})

test_that("modes, tails, supports and components", {
  two <- function(x) { # logarithm of a sum of two densities: far apart, one of them a needle
    a <- dnorm(x, -10, 1e-3, log = TRUE)
    b <- dnorm(x, 1000, 5, log = TRUE) + r
    max(a, b) + log1p(exp(-abs(a - b)))
  }
  x <- log_integral(two, -Inf, Inf, params = list(r = c(-5, 0, 5)))
  expect_equal(x$value, log(1 + exp(c(-5, 0, 5))), tolerance = 1e-9)
  expect_lt(abs(log_integral(function(x) dcauchy(x, 3, 1e-5, log = TRUE), -Inf, Inf)$value), 1e-9)
  expect_lt(abs(log_integral(function(x) dexp(x - 2, 1e4, log = TRUE), 0, Inf)$value), 1e-9)
  expect_equal(log_integral(function(x) -0.5 * log(x), 0, 4)$value, log(4), tolerance = 1e-10)
  # where the logarithm itself has few digits the tolerance is what they allow
  x <- log_integral(function(x) -1e9 - x, 2, Inf)
  expect_identical(x$code, 0L)
  expect_equal(x$value, -1e9 - 2, tolerance = 1e-15)
  m <- log_integral(function(x) c(mass = 0, square = log(x^2), 2000) + dnorm(x, 3, s, log = TRUE), -Inf, Inf,
                    params = list(s = c(1e-5, 1)))
  expect_equal(unname(m$value), rbind(c(0, log(9 + 1e-10), 2000), c(0, log(10), 2000)), tolerance = 1e-10)
  # a function that has log = TRUE is given it
  expect_equal(log_integral(dnorm, 30, Inf)$value, pnorm(30, lower.tail = FALSE, log.p = TRUE), tolerance = 1e-10)
  # library functions go by points
  expect_equal(log_integral(function(l) dpoisgpu(9730, l, log = TRUE) + dgamma(l, 28, 0.003, log = TRUE), 0,
                            Inf)$value, dnbinom(9730, 28, 0.003 / 1.003, log = TRUE), tolerance = 1e-10)
})

test_that("logarithms of 0 and of what does not exist", {
  expect_warning(x <- log_integral(function(x) log(x < 0) + x, 0, 1), class = "statcl_warning_zero")
  expect_identical(c(x$value, x$abs.error, x$code), c(-Inf, 0, 8))
  expect_identical(log_integral(~ x, 2, 2)$value, -Inf)
  x <- suppressWarnings(log_integral(function(x) a * x, 0, Inf, params = list(a = c(-1, 1))))
  expect_identical(x$code[1], 0L)
  expect_true(x$code[2] > 0L && !is.finite(x$value[2]))
  x <- suppressWarnings(log_integral(~ x, c(1, NA, 0), 0:2))
  expect_identical(x$code, c(6L, 6L, 0L))
  expect_error(log_integral(~ x, 0, 1, abs.tol = 1), "abs.tol", class = "statcl_error_input")
  expect_error(log_integral(~ x, 0, 1, method = "caq"), "method", class = "statcl_error_input")
  expect_error(integrategpu(~ x, 0, 1, log = NA), "log = NA", class = "statcl_error_input")
  expect_identical(nrow(log_integral(~ x, 0, numeric())), 0L)
})

test_that("likelihoods of mixed models are those of lme4", {
  skip_if_not_installed("lme4")
  set.seed(1)
  level <- seq(-1.5, 1.5, length.out = 7)
  for (size in c(6, 3000)) {
    d <- data.frame(id = factor(rep(1:8, each = size)), x = sample(level, 8 * size, TRUE))
    d$y <- rbinom(8 * size, 1, plogis(0.8 * d$x - 0.5 + rep(rnorm(8, 0, 1.2), each = size)))
    fit <- lme4::glmer(y ~ x + (1 | id), d, family = binomial, nAGQ = 25)
    b <- lme4::fixef(fit)
    eta <- b[[1]] + b[[2]] * level
    sd <- lme4::getME(fit, "theta")[[1]]
    level_of <- factor(d$x, level)
    k <- unclass(tapply(d$y, list(d$id, level_of), sum, default = 0))
    n <- unclass(table(d$id, level_of))
    x <- log_integral(function(u) sum(k * plogis(eta + u, log.p = TRUE) + (n - k) *
                                        plogis(-eta - u, log.p = TRUE)) + dnorm(u, 0, sd, log = TRUE),
                      -Inf, Inf, params = list(k = unname(k), n = unname(n)))
    expect_identical(x$code, integer(8))
    # 25 nodes for the smaller clusters are good to some 1e-9
    expect_equal(sum(x$value), as.numeric(logLik(fit)), tolerance = 1e-9)
  }
})

test_that("peaks at breaks, and a dozen peaks, are found", {
  f <- function(x, at) {
    a <- log(0.5) + dnorm(x, 0, 1, log = TRUE)
    b <- log(0.5) + dnorm(x, at, 0.01, log = TRUE)
    pmax(a, b) + log1p(exp(-abs(a - b)))
  }
  expect_equal(log_integral(f, -Inf, Inf, breaks = 500, at = 500)$value, 0, tolerance = 1e-9)
  expect_equal(log_integral(f, 0, Inf, breaks = 500, at = 500)$value, log(0.75), tolerance = 1e-9)
  expect_equal(log_integral(f, -10, c(600, Inf), breaks = 500, at = 500)$value, c(0, 0), tolerance = 1e-9)
  at <- c(30, 500)
  expect_equal(log_integral(f, -Inf, 1e3, breaks = matrix(at, 2), params = data.frame(at))$value, c(0, 0),
               tolerance = 1e-9)
  # exp(c cos(20 x)) over nine and a half periods and some: sums of Bessel functions
  size <- 1e4
  whole <- log_integral(function(x) size * cos(20 * x), 0, pi)$value
  expect_equal(whole, log(pi) + log(besselI(size, 0, TRUE)) + size, tolerance = 1e-13)
})
