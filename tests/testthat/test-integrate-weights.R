# Principal values, and weights with algebraic and logarithmic ends.
skip_if_quick()
fast_builds_in_file()

# Dawson's integral by its series.
dawson <- function(x) {
  term <- total <- x
  for (k in 1:200) {
    term <- -term * 2 * x^2 / (2 * k + 1)
    total <- total + term
  }
  total
}

test_backends("principal values are those of closed forms", {
  # the example of QAWC in QUADPACK's manual
  r <- integrategpu(function(x) 1 / (5 * x^3 + 6), -1, 5, cauchy = 0)
  expect_equal(r$value, log(125 / 631) / 18, tolerance = 1e-13)
  expect_s3_class(r, "integrate")
  expect_equal(integrategpu(exp, -1, 1, cauchy = 0)$value, 2.1145017507514570, tolerance = 1e-13) # 2 Shi(1)
  expect_equal(integrategpu(exp, 3, 1, cauchy = 2)$value, -2.1145017507514570 * exp(2), tolerance = 1e-13)
  at <- c(-1.5, 0.3, 1)
  r <- integrategpu(dnorm, -Inf, Inf, cauchy = at)
  expect_s3_class(r, "integrals")
  expect_equal(r$value, -sqrt(2) * vapply(at / sqrt(2), dawson, 0), tolerance = 1e-10)
  # parameters, half-lines, points outside of the range, where it is an ordinary integral
  p <- data.frame(k = 1:5, c = c(0.5, 1, 2.5, -1, 4))
  r <- integrategpu(function(x, k) k * x^2, 0, 3, params = p["k"], cauchy = p$c)
  truth <- with(p, k * (9 / 2 + 3 * c + c^2 * log(abs((3 - c) / c))))
  expect_equal(r$value, truth, tolerance = 1e-12)
  expect_true(all(abs(r$value - truth) <= r$abs.error))
  expect_equal(integrategpu(~ 1 / (1 + x^2), 0, Inf, cauchy = 2)$value, (-2 * pi / 2 - log(2)) / 5, tolerance = 1e-10)
})

test_that("even functions have the principal value 0, and functions that jump have none", {
  for (r in list(integrategpu(cos, -1, 1, cauchy = 0), integrategpu(dnorm, -Inf, Inf, cauchy = 0),
                 integrategpu(function(x) cos(x - 0.3), -0.2, 0.8, cauchy = 0.3))) {
    expect_identical(r$code, 0L)
    expect_lt(abs(r$value), 1e-15)
    expect_true(r$abs.error > 0 && r$abs.error < 1e-13)
  }
  r <- integrategpu(function(u) c(cos(u), u^2), -1, 1, cauchy = 0)
  expect_identical(r$code, 0L)
  expect_true(all(r$abs.error > 0))
  # 0 near c and between nodes is not even: it may hide a peak
  expect_warning(r <- integrategpu(~ 0 * x, -1, 1, cauchy = 0), "0 or denormal")
  expect_identical(r$code, 8L)
  jump <- function(x, at) (x > at) + x
  found <- suppressWarnings(integrategpu(jump, c(-1, 0, 0), 1, params = data.frame(at = c(0, 0.3, 0.3)),
                                         cauchy = c(0, 0.3, 0.4)))
  expect_identical(found$code, c(5L, 5L, 0L))
  expect_identical(found$abs.error[1:2], c(Inf, Inf))
  expect_error(integrategpu(function(x) x > 0.3, 0, 1, cauchy = 0.3), "divergent", class = "statcl_error_integral")
  # a difference that falls as t^0.1 has one
  expect_equal(integrategpu(function(x) sign(x) * abs(x)^0.1, -1, 1, cauchy = 0)$value, 20, tolerance = 1e-10)
})

test_that("principal values of kinks, components, functions that R evaluates, and failures", {
  # of abs(x - 0.25), whose kink is given
  r <- integrategpu(function(x) abs(x - 0.25), 0, 1, cauchy = 0.5, breaks = 0.25)
  parts <- function(a, b) b - a + 0.25 * log(abs((b - 0.5) / (a - 0.5)))
  expect_equal(r$value, parts(0.25, 1) - parts(0, 0.25), tolerance = 1e-12)
  m <- integrategpu(function(u) c(one = 1, square = u^2), -1, 2, cauchy = 0)
  expect_equal(unname(m$value[1, ]), c(log(2), 3 / 2), tolerance = 1e-12)
  old <- options(statcl.translate = "never")
  by_r <- tryCatch(integrategpu(function(x, k) k * x^2, 0, 3, params = data.frame(k = 1:2), cauchy = c(1, 2)),
                   finally = options(old))
  expect_equal(by_r$value, 1:2 * (9 / 2 + 3 * 1:2 + (1:2)^2 * log(c(2, 1 / 2))), tolerance = 1e-12)
  expect_error(integrategpu(~ 1, 0, 1, cauchy = 0), class = "statcl_error_integral")
  expect_identical(integrategpu(~ x, 1, 1, cauchy = 0)$value, 0)
  refused <- function(...) expect_error(integrategpu(...), class = "statcl_error_input")
  refused(~ x, 0, 1, cauchy = Inf)
  refused(~ x, 0, 1, cauchy = "a")
  refused(~ x, 0, 1, cauchy = 0.5, weight = list(lower = 1))
  refused(~ x, 0, 1, cauchy = 0.5, method = "caq")
  refused(function(x, y) x, list(0, 0), list(1, 1), cauchy = 0.5)
  refused(~ x, 0, 1, cauchy = c(0.1, 0.2), params = list(a = 1:3))
})

test_that("weights with algebraic and logarithmic ends", {
  p <- expand.grid(alpha = c(-0.95, -0.5, 1.3), beta = c(-0.8, 2))
  s <- with(p, alpha + beta + 2)
  whole <- with(p, beta(alpha + 1, beta + 1))
  near <- with(p, digamma(alpha + 1) - digamma(s))
  far <- with(p, digamma(beta + 1) - digamma(s))
  truth <- list(none = whole, lower = whole * near, upper = whole * far, both = whole * (near * far - trigamma(s)))
  for (log in names(truth)) {
    r <- integrategpu(~ 1, 0, 1, weight = list(lower = p$alpha, upper = p$beta, log = log))
    expect_equal(r$value, truth[[log]], tolerance = 1e-10)
    expect_true(all(abs(r$value - truth[[log]]) <= r$abs.error))
  }
  # moments, on another range, with a parameter: the integral of x^k (x - 2)^-1/2 over (2, 3)
  r <- integrategpu(function(x, k) x^k, 2, 3, weight = list(lower = -0.5), params = data.frame(k = 0:2))
  expect_equal(r$value, c(2, 2 * 2 + 2 / 3, 2 * 4 + 2 * 4 / 3 + 2 / 5), tolerance = 1e-12)
  # the example of QAWS: x^-1/2 times the logarithm, of a function that oscillates
  # exponents next to -1
  near <- data.frame(alpha = 2^-c(7, 10, 14, 20, 40) - 1)
  for (beta in c(-0.5, 2)) {
    r <- integrategpu(~ 1, 0, 1, weight = list(lower = near$alpha, upper = beta))
    expect_lt(max(abs(r$value / beta(near$alpha + 1, beta + 1) - 1)), 1e-13)
    r <- integrategpu(~ 1, 0, 1, weight = list(lower = beta, upper = near$alpha))
    expect_lt(max(abs(r$value / beta(near$alpha + 1, beta + 1) - 1)), 1e-13)
  }
  r <- integrategpu(~ cos(10 * pi * x), 0, 1, weight = list(log = "lower"))
  si <- integrategpu(~ sin(x) / x, 0, 10 * pi)$value
  expect_equal(r$value, -si / (10 * pi), tolerance = 1e-10)
})

test_that("weights with breaks, of components, and refusals", {
  r <- integrategpu(function(x) c(jump = x > 0.2, other = x), 0, 1, weight = c(lower = -0.5), breaks = 0.2)
  expect_equal(unname(r$value[1, ]), c(2 - 2 * sqrt(0.2), 2 / 3), tolerance = 1e-10)
  r <- integrategpu(function(x) x > 0.9, 0, 1, weight = c(upper = -0.5), breaks = 0.9)
  expect_equal(r$value, 2 * sqrt(0.1), tolerance = 1e-10)
  expect_identical(integrategpu(~ x, 1, 1, weight = list(lower = -0.5))$value, 0)
  none <- data.frame(a = numeric(0))
  f <- function(x, a) a * x
  expect_identical(nrow(integrategpu(f, 0, 1, params = none, weight = list(lower = -0.5))), 0L)
  expect_identical(nrow(integrategpu(f, 0, 1, params = none, cauchy = 0.5)), 0L)
  expect_error(integrategpu(~ 1 / (x - 0.125), 0, 1, weight = list(lower = 1)), class = "statcl_error_integral")
  refused <- function(pattern, ...) expect_error(integrategpu(...), pattern, class = "statcl_error_input")
  refused("above -1", ~ x, 0, 1, weight = list(lower = -1))
  refused("weight\\$upper has length 0", ~ x, 0, 1, weight = list(upper = numeric(0)))
  refused("finite", ~ x, 0, Inf, weight = list(lower = -0.5))
  refused("lower one first", ~ x, 1, 0, weight = list(lower = -0.5))
  refused("among lower", ~ x, 0, 1, weight = list(left = -0.5))
  refused("weight\\$log", ~ x, 0, 1, weight = list(log = "left"))
  refused("for one variable", ~ x, 0, 1, weight = list(lower = 1), log = TRUE)
})
