# Oscillation of known phases, and rows of different length.
skip_if_quick()

waves_of <- function(f, lower, upper, oscillation, ...)
  suppressWarnings(integrategpu(f, lower, upper, oscillation = oscillation, ..., stop.on.error = FALSE))

test_that("integrals of any frequency are right, or say how far they may be off", {
  w <- 10^seq(-1, 6, length.out = 15)
  found <- suppressWarnings(integrategpu(exp, 0, 1, params = data.frame(w = w),
                                         oscillation = list(cos = function(x, w) w * x)))
  truth <- Re((exp(1 + 1i * w) - 1) / (1 + 1i * w))
  expect_true(all(found$code[1:10] == 0) && all(found$code %in% c(0, 2)))
  expect_true(all(abs(found$value - truth) <= found$abs.error + 1e-15 * abs(truth)))
  expect_lt(max(abs(found$value / truth - 1)), 1e-9)
  expect_lt(max(found$evaluations), 3000)
  cases <- list(
    list(waves_of(~ 1 + 0 * x, 0, Inf, list(cos = ~ x^2)), sqrt(pi / 8)),
    list(waves_of(~ 1 + 0 * x, -Inf, Inf, list(cos = ~ x^2)), sqrt(pi / 2)),
    list(waves_of(~ 1 / x, 0, Inf, list(sin = ~ x)), pi / 2),
    list(waves_of(~ 1 / x^2, 0, Inf, list(sin = ~ x, sin = ~ 0.999 * x)), pi / 2 * 0.999),
    list(waves_of(~ 1 / x^2, 0, Inf, list(sin = ~ x, sin = ~ x)), pi / 2),
    list(waves_of(~ 2 / (1 + x^2), 0, Inf, list(cos = ~ 3 * x, cos = ~ x)), pi / 2 * (exp(-4) + exp(-2))),
    list(waves_of(~ 1 / sqrt(x), 0, Inf, list(cos = ~ 100 * x)), sqrt(pi / 200)),
    list(waves_of(~ exp(2 * x), -Inf, 0, list(sin = ~ 5 * x)), -5 / 29),
    list(waves_of(~ exp(2 * x), 0, -Inf, list(sin = ~ 5 * x)), 5 / 29),
    list(waves_of(~ 1 / pi + 0 * x, 0, pi, list(cos = ~ 50 * sin(x))), besselJ(50, 0)),
    list(waves_of(~ abs(x - 0.3), 0, 1, list(cos = ~ 40 * x), breaks = 0.3),
         (2 * cos(12) - 1 - cos(40)) / -1600 + 0.7 * sin(40) / 40))
  for (case in cases) {
    expect_identical(case[[1]]$code, 0L)
    expect_lt(abs(case[[1]]$value - case[[2]]), 1e-10 * abs(case[[2]]))
  }
})

test_that("what cannot be integrated has a code", {
  expect_identical(waves_of(~ 1 + 0 * x, 0, Inf, list(cos = ~ x))$code, 5L)
  hidden <- waves_of(~ 1 / (1 + x^2), 0, Inf, list(cos = ~ 300 * x))
  expect_identical(hidden$code, 2L)
  expect_lt(abs(hidden$value), hidden$abs.error)
  bad <- waves_of(~ ifelse(x > 0.4, NaN, 1), 0, 1, list(cos = ~ 300 * x))
  expect_identical(bad$code, 7L)
  expect_identical(waves_of(~ sqrt(x), 1, 1, list(cos = ~ x))$code, 0L)
  expect_identical(waves_of(exp, 0, c(1, NA), list(cos = ~ x))$code, c(0L, 6L))
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(integrategpu(exp, 0, 1, oscillation = ~ x), "list of phases named cos or sin")
  refused(integrategpu(exp, 0, 1, oscillation = list(cos = 3)), "functions, formulas")
  refused(integrategpu(exp, 0, 1, oscillation = list(cos = ~ x), cauchy = 0.5), "without log and the others")
  refused(integrategpu(~ c(x, 1), 0, 1, oscillation = list(cos = ~ x)), "one component")
  refused(integrategpu(exp, 0, 1, w = 3, oscillation = list(cos = ~ x)), "w")
})

test_that("changes next to a singularity are summed to their end", {
  found <- waves_of(~ x^-0.9, 0, 1, list(cos = ~ 10 * x))
  series <- function(w) { # of cos, term by term
    k <- 0:120
    sum((-1)^k * exp(2 * k * log(w) - lgamma(2 * k + 1)) / (2 * k + 0.1))
  }
  expect_lt(abs(found$value - series(10)), found$abs.error + 1e-10)
  steep <- waves_of(~ x^-0.9, 0, 1, list(cos = ~ 3 * x), rel.tol = 1e-6)
  expect_lt(abs(steep$value - series(3)), max(steep$abs.error, 1e-6 * series(3)))
})

test_that("rows of different length are those of single calls", {
  set.seed(1)
  y <- lapply(c(3, 1, 3, 5), rnorm)
  f <- function(u, y, s) exp(sum(dnorm(y, u, 1, log = TRUE))) * dnorm(u, 0, s)
  found <- integrategpu(f, c(-9, -8, -7, -6), Inf, params = list(y = y, s = c(1, 2)))
  for (i in 1:4) {
    one <- integrategpu(f, -10 + i, Inf, params = list(y = matrix(y[[i]], 1), s = c(2, 1)[1 + i %% 2]))
    expect_identical(found$value[i], one$value)
    expect_identical(found$evaluations[i], one$evaluations)
  }
  table <- data.frame(s = c(a = 1, b = 2))
  table$y <- y[1:2]
  both <- integrategpu(function(u, v, y, s) exp(-sum((y - u)^2)) * dnorm(v, 0, s), list(0, 0), list(1, c(1, 2)),
                       params = table, rel.tol = 1e-6)
  expect_identical(row.names(both), c("a", "b"))
  expect_equal(both$value, vapply(1:2, function(i) integrate(Vectorize(function(u) exp(-sum((y[[i]] - u)^2))), 0, 1,
    rel.tol = 1e-10)$value * (pnorm(i, 0, i) - 0.5), 0), tolerance = 1e-6)
  two <- integrategpu(function(x, y) c(a = sum(x^y), b = sum(y)), 0, 1, params = list(y = list(1:2, 3)))
  expect_equal(two$value, cbind(a = c(5 / 6, 1 / 4), b = c(3, 3)))
  waves <- integrategpu(function(x, y) sum(y * x), 0, 1, params = list(y = y), oscillation = list(cos = ~ 9 * x))
  expect_equal(waves$value, vapply(y, sum, 0) * (cos(9) / 81 + sin(9) / 9 - 1 / 81), tolerance = 1e-10)
  principal <- integrategpu(function(x, y) sum(y) + 0 * x, 0, 1, params = list(y = y), cauchy = c(0.2, 0.3, 0.4, 0.6))
  expect_equal(principal$value, vapply(y, sum, 0) * log(c(0.8, 0.7, 0.6, 0.4) / c(0.2, 0.3, 0.4, 0.6)),
               tolerance = 1e-9)
  expect_error(integrategpu(f, 0, 1, params = list(y = list(1, "a"), s = 1)), "vectors of numbers",
               class = "statcl_error_input")
  expect_error(integrategpu(f, 0, 1, params = list(y = list(1, numeric()), s = 1)), "no number in row 2",
               class = "statcl_error_input")
})
