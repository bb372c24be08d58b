# Single precision. In units of eps = 2^-23 a value at scaled distance x is wrong by x/2 for the rounding of the
# distance, by as much for that of x, and by what the kernels add, where it is a normal 32-bit number; measured is
# 0.7 (2 + x) for covariances and 1.2 (2 + x) for derivatives.
eps <- 2^-23
normal <- 2^-126
single <- function(expr) withPrecision("single", expr)

# Errors in eps over 2 + x.
errors <- function(x, ...) {
  exact <- withDevice("cpu", matern(x, ...))
  value <- single(matern(x, ...))
  ok <- abs(exact) > normal
  expect_true(all(abs(value - exact)[!ok] < normal))
  abs(value / exact - 1)[ok] / eps / (2 + x[ok] / list(...)$range)
}

test_backends("covariances and derivatives in single precision", {
  set.seed(1)
  x <- exp(runif(2000, log(1e-6), log(300)))
  for (nu in c(0.05, 0.3, 0.5, 1, 1.3, 2.5, 3.3, 7.5, 10, 20.5, 30)) {
    expect_lt(max(errors(x, range = 1.3, smoothness = nu)), 1)
    expect_lt(max(errors(x, range = 1.3, smoothness = nu, deriv = "range")), 1.6)
    expect_lt(max(errors(x, range = 1.3, smoothness = nu, deriv = "smoothness")), 1.6)
  }
})

test_backends("special distances and scalings in single precision", {
  x <- c(0, 1e-9, NA, NaN, 2, Inf)
  for (nu in c(0.7, 1.5)) {
    expect_identical(single(matern(x, range = 2, smoothness = nu))[c(1, 3, 4, 6)], c(1, NA, NaN, 0))
    expect_identical(single(matern(0, range = 2, smoothness = nu, deriv = "range")), 0)
    expect_warning(single(matern(c(-1, 1), range = 2, smoothness = nu)), "NaN")
    for (scaling in c("sqrt2nu", "sqrt8nu")) {
      exact <- matern(c(0.1, 1, 3), range = 2, smoothness = nu, scaling = scaling)
      expect_lt(max(abs(single(matern(c(0.1, 1, 3), range = 2, smoothness = nu, scaling = scaling)) / exact - 1)),
                8 * eps)
    }
  }
  # numbers beyond 32 bits are computed in double precision
  far <- function()
    c(matern(c(1e-40, 1e200), range = 1e200, smoothness = 0.7), matern(c(1, 200), range = 1, smoothness = 90))
  expect_equal(single(far()), withDevice("cpu", far()), tolerance = 1e-13)
})

# Coordinates are rounded to 2^-24 of their distance from the first place.
test_backends("matrices in single precision", {
  set.seed(2)
  places <- cbind(500000 + 100 * runif(200), 4000000 + 50 * runif(200))
  on_earth <- cbind(-100 + 3 * runif(200), 40 + 2 * runif(200))
  calls <- list(
    function(nu) matern(places, range = 20, smoothness = nu, variance = 2, nugget = 0.5),
    function(nu) matern(places, places[1:70, ], range = 20, smoothness = nu, variance = 2),
    function(nu) matern(places, range = 20, smoothness = nu, variance = 2, angle = 30, ratio = 0.5),
    function(nu) matern(on_earth, range = 60, smoothness = nu, variance = 2, distance = "chordal"),
    function(nu) matern(on_earth, range = 60, smoothness = min(nu, 0.5), variance = 2, distance = "greatcircle"))
  for (call in calls)
    for (nu in c(0.5, 1.3, 12)) {
      exact <- withDevice("cpu", call(nu))
      value <- single(call(nu))
      expect_identical(dim(value), dim(exact))
      expect_lt(max(abs(value - exact)), 2 * 8 * eps)
      if (nrow(value) == ncol(value)) expect_identical(value, t(value))
    }
})

# A quantile x is wrong by sqrt(lambda) times the error of the normal quantile, some eps, and lambda by its rounding:
# that is the share of x whose whole part changes.
one_off <- function(lambda) 2e-6 * sqrt(pmax(1, lambda)) + lambda * eps / 2
# Of n results, with five standard deviations. In the tails, where x comes from two terms of its expansion alone, one
# in a thousand besides.
expect_few_off <- function(value, exact, lambda, besides = 0) {
  off <- value != exact
  share <- length(off) * (one_off(lambda) + besides)
  expect_lte(sum(off), share + 5 * sqrt(share) + 5)
  expect_true(all(abs(value - exact) <= 1))
}

test_backends("Poisson quantiles in single precision are one off at most, and few of them are", {
  set.seed(4)
  p <- runif(1e5)
  tail <- exp(-runif(1e4, log(2), 80))
  for (lambda in c(0.1, 0.5, 3.3, 8, 10.1, 32, 128, 1000.7, 16384)) {
    expect_few_off(single(qpoisgpu(p, lambda)), qpoisgpu(p, lambda), lambda)
    expect_few_off(single(qpoisgpu(p, rep(lambda, 1e5))), qpoisgpu(p, lambda), lambda)
    for (lower in c(TRUE, FALSE)) {
      expect_few_off(single(qpoisgpu(tail, lambda, lower)), qpoisgpu(tail, lambda, lower), lambda, 1e-3)
      # a logarithm of 80 is rounded by 40 eps
      off <- single(qpoisgpu(log(tail), lambda, lower, TRUE)) - qpoisgpu(log(tail), lambda, lower, TRUE)
      expect_lte(max(abs(off)), 1)
      expect_lt(mean(off != 0), 1e-3 + 20 * one_off(lambda))
    }
  }
  # beyond 2^24 nothing is right to the unit
  for (lambda in c(2^20, 1e8, 1e12, 1e30))
    expect_lt(max(abs(single(qpoisgpu(p, lambda)) - qpoisgpu(p, lambda))),
              1 + 2 * eps * lambda + 64 * eps * sqrt(lambda))
})

test_backends("Poisson quantiles in single precision at the ends of the range", {
  ends <- function()
    c(qpoisgpu(c(0, 1, NA, NaN), 3), qpoisgpu(c(0, 1), 3, FALSE), qpoisgpu(c(-Inf, 0), 3, log.p = TRUE),
      qpoisgpu(c(0, 0.5, 1), 0), qpoisgpu(0.5, c(NA, NaN)))
  expect_identical(single(ends()), ends())
  expect_warning(expect_identical(single(qpoisgpu(c(-1, 2, 0.5), c(1, 1, -1))), rep(NaN, 3)), "NaNs produced")
  # tails and means that 32 bits do not hold
  for (lambda in c(0.3, 8, 1e4)) for (lower in c(TRUE, FALSE)) {
    p <- c(1e-37, 1e-40, 1e-46, 1e-100, 1e-300)
    expect_true(all(abs(single(qpoisgpu(p, lambda, lower)) - qpoisgpu(p, lambda, lower)) <= 1))
  }
  expect_identical(single(qpoisgpu(0.5, c(1e-50, 1e-300))), c(0, 0))
  far <- function() qpoisgpu(c(-1500, -1e6, -1e38), c(1e-30, 1e-25, 1e3), FALSE, TRUE)
  expect_identical(single(far()), withDevice("cpu", far()))
  for (lambda in c(1e39, 1e300)) expect_lt(abs(single(qpoisgpu(0.3, lambda)) / lambda - 1), 2 * eps)
})

test_backends("Poisson random numbers in single precision are those of double precision but for a few", {
  draw <- function(lambda) {
    set.seed(5)
    rpoisgpu(1e5, lambda)
  }
  for (lambda in c(0.1, 2, 8, 32, 1e4)) {
    value <- single(draw(lambda))
    expect_type(value, "integer")
    expect_few_off(value, draw(lambda), lambda)
    expect_few_off(single(draw(c(lambda, lambda))), draw(lambda), lambda)
  }
})

test_that("what has no single precision says so", {
  for (call in list(quote(besselKgpu(1, 0.3)), quote(pstable(1, 1.5, 0)), quote(dpoisgpu(1, 2)),
                    quote(ppoisgpu(1, 2)))) {
    e <- tryCatch(single(eval(call)), statcl_error_device = identity)
    expect_match(conditionMessage(e), "has no single precision")
    expect_identical(conditionCall(e)[[1]], call[[1]])
  }
  old <- options(statcl.covariance.route = "direct")
  on.exit(options(old))
  expect_error(single(matern(1, range = 1, smoothness = 0.7)), "no single precision", class = "statcl_error_device")
})

test_that("the precision of a session is an option, and double precision is what it was before and after", {
  x <- seq(0, 5, length.out = 101)
  before <- matern(x, range = 1, smoothness = 1.3)
  value <- single(matern(x, range = 1, smoothness = 1.3))
  old <- options(statcl.precision = "single")
  on.exit(options(old))
  expect_identical(matern(x, range = 1, smoothness = 1.3), value)
  options(statcl.precision = "double")
  expect_identical(matern(x, range = 1, smoothness = 1.3), before)
  expect_false(identical(value, before))
})

test_that("levels of the CPU backend agree in single precision", {
  x <- seq(0, 20, length.out = 1001)
  value <- function() withPrecision("single", matern(x, range = 1, smoothness = 1.3))
  expected <- withDevice("cpu", value())
  for (level in c("baseline", "avx2", "avx512")) {
    v <- in_new_R(withPrecision("single", matern(.(x), range = 1, smoothness = 1.3)),
                  c(STATCL_CPU = level, STATCL_DEVICE = "cpu", STATCL_OPENCL = "off"))
    expect_lt(max(abs(v / expected - 1) / (2 + x)), 0.5 * eps)
  }
})

test_that("levels of the CPU backend agree in single precision on Poisson quantiles", {
  set.seed(6)
  p <- runif(5000)
  lambda <- exp(runif(5000, log(0.01), log(1e4)))
  for (level in c("baseline", "avx2", "avx512")) {
    v <- in_new_R(withPrecision("single", qpoisgpu(.(p), .(lambda))),
                  c(STATCL_CPU = level, STATCL_DEVICE = "cpu", STATCL_OPENCL = "off"))
    off <- v - withDevice("cpu", qpoisgpu(p, lambda))
    expect_lte(max(abs(off)), 1)
    expect_lte(sum(off != 0), 5 + sum(one_off(lambda)) + 5 * sqrt(sum(one_off(lambda))))
  }
})
