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

test_that("what has no single precision says so", {
  for (call in list(quote(besselKgpu(1, 0.3)), quote(pstable(1, 1.5, 0)))) {
    e <- tryCatch(single(eval(call)), statcl_error_device = identity)
    expect_match(conditionMessage(e), "has no single precision")
    expect_identical(conditionCall(e)[[1]], call[[1]])
  }
  old <- options(statcl.matern.route = "direct")
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
