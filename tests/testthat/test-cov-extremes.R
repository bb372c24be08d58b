# Distances, ranges and arguments of Bessel functions at both ends of the doubles: values, no errors and no NaN, and
# those of a vector are those of its elements.

ends <- c(5e-324, 1e-320, 2.2e-308, 2.3e-308, 2^-1000, 2^-996, 1e-290, 1e-154, 1e-7, 0.3, 1, 40, 1e3, 1e15, 1e154,
          1e300, 1.7e308, Inf)
noise <- 8 * .Machine$double.eps # of direct values, as src/covariance/cov_table.c has it
tiny <- c(5e-324, 1e-320, 1e-310, 2.2e-308, 2.3e-308, 1e-302, 2^-1000)

# (x/2)^-nu Gamma(nu)/2, whose relative error is of the order of x^(2 min(nu, 1)) (DLMF 10.30.2).
log_leading <- function(x, nu) lgamma(nu) + (nu - 1) * log(2) - nu * log(x)

test_that("Bessel functions of tiny arguments alone follow their leading term", {
  for (nu in c(0.3, 0.5, 1, 1.3, 1.5, 2.2, 20)) {
    known <- log_leading(tiny, nu)
    unit <- 4 * .Machine$double.eps * (1 + abs(known)) # of a power of x, by its logarithm
    expect_lte(max(abs(besselKgpu(tiny, nu, log = TRUE) - known) / unit), 1, label = nu)
    finite <- known < 709
    for (scaled in c(FALSE, TRUE)) {
      value <- besselKgpu(tiny, nu, expon.scaled = scaled)
      expect_identical(is.finite(value), finite, label = nu)
      expect_lte(max(0, (abs(value / exp(known) - 1) / unit)[finite]), 1, label = nu)
      alone <- vapply(tiny, besselKgpu, 0, nu = nu, expon.scaled = scaled)
      expect_lte(max(0, abs(value / alone - 1)[finite]), noise, label = nu)
      # one order and many elements take the way over a table
      many <- besselKgpu(rep(tiny, 3000), nu, expon.scaled = scaled)
      expect_lte(max(0, abs(many[1:7] / alone - 1)[finite]), noise, label = nu)
    }
  }
  expect_identical(besselKgpu(1e-310, 1.5), Inf)
  expect_equal(besselKgpu(2.3e-308, 1), 1 / 2.3e-308, tolerance = 1e-15)
})

models <- function(range) list(
  covModel("matern", range = range, smoothness = 0.3), covModel("matern", range = range, smoothness = 1.3),
  covModel("matern", range = range, smoothness = 2.5, scaling = "sqrt2nu"),
  covModel("matern", range = range, smoothness = 1e4, scaling = "sqrt2nu"), covModel("exponential", range = range),
  covModel("gaussian", range = range), covModel("spherical", range = range), covModel("cubic", range = range),
  covModel("wendland", range = range, smoothness = 0.3, shape = 3), covModel("cauchy", range = range, shape = 0.5),
  covModel("powexp", range = range, shape = 1.5), covModel("besselj", range = range, shape = 1),
  covModel("sinc", range = range), covModel("powerlaw", range = range, exponent = -5, kmin = 0.25, kmax = 16),
  covModel("gammaspectrum", range = range, exponent = 2))

test_that("covariances at both ends of the doubles are those of each distance alone", {
  for (range in c(5e-324, 2.2e-308, 1, 1e302)) for (m in models(range)) {
    label <- paste(m$name, m$smoothness, range)
    for (x in list(tiny, ends, 1e-7, rep(tiny, 2000))) {
      value <- expect_no_warning(covariance(m, x))
      expect_lte(max(abs(value)), 1 + noise, label = label)
      some <- seq_len(min(length(x), length(ends)))
      alone <- vapply(x[some], function(x) covariance(m, x), 0)
      expect_lte(max(abs(value[some] - alone)), noise, label = label)
    }
    near <- tiny < 1e-20 * range
    if (any(near)) expect_lte(max(abs(covariance(m, tiny[near]) - 1)), noise, label = label)
    expect_identical(covariance(m, Inf), 0, label = label)
  }
  expect_identical(matern(1e-310, range = 1, smoothness = 1.3), 1)
  expect_identical(matern(1e-7, range = 1e302, smoothness = 1.3), 1)
})

test_that("derivatives at both ends of the doubles are numbers", {
  for (range in c(9.99989e-321, 2.2e-308, 1, 1e302)) for (m in models(range))
    for (deriv in intersect(c("range", "smoothness", "shape", "exponent", "kmin", "kmax"), names(m))) {
      label <- paste(m$name, m$smoothness, range, deriv)
      value <- expect_no_warning(covariance(m, ends, deriv = deriv))
      expect_false(anyNA(value), label = label)
      expect_false(anyNA(covariance(m, tiny, deriv = deriv)), label = label)
      # of the shape, or in units of the range
      if (range == 1 || deriv != "range") expect_lte(max(abs(value)), 100, label = label)
    }
})

test_that("tiny distances have single precision as well, and matrices", {
  for (m in models(1)[c(1:3, 5:9)]) {
    expect_lte(max(abs(withPrecision("single", covariance(m, tiny)) - 1)), noise, label = m$name)
    expect_equal(withPrecision("single", covariance(m, ends)), covariance(m, ends), tolerance = 1e-6, label = m$name)
  }
  for (m in models(1)) expect_lte(max(abs(covariance(m, cbind(c(0, tiny), 0)) - 1)), noise, label = m$name)
  for (m in models(1e302))
    expect_lte(max(abs(covariance(m, cbind(c(0, ends[1:9]), 0)) - 1)), noise, label = m$name)
})
