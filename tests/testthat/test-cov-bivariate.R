# The bivariate Matern model of Gneiting, Kleiber and Schlather (2010).

set.seed(1)
points <- cbind(matrix(runif(120), 60), sample(2, 60, TRUE))
first <- points[, 3] == 1

test_backends("covariances of two variables are those of each and of both", {
  model <- covModel("bimatern", range = c(0.3, 0.4, 0.35), smoothness = c(0.5, 1.2, 0.9), variance = c(2, 3),
                    correlation = 0.3, nugget = c(0.1, 0.2), ratio = 0.5, angle = 20)
  v <- covariance(model, points)
  own <- function(k, at, y = NULL)
    matern(points[at, 1:2], y, range = model$range[k], smoothness = model$smoothness[k], ratio = 0.5, angle = 20)
  expect_equal(v[first, first], 2 * own(1, first) + diag(0.1, sum(first)), tolerance = 1e-15)
  expect_equal(v[!first, !first], 3 * own(2, !first) + diag(0.2, sum(!first)), tolerance = 1e-15)
  expect_equal(v[first, !first], 0.3 * sqrt(6) * own(3, first, points[!first, 1:2]), tolerance = 1e-15)
  expect_identical(v, t(v))
  expect_equal(covariance(model, points[1:9, ], points), (v - diag(c(0.1, 0.2)[points[, 3]]))[1:9, ])
  make <- function(p) covModel("bimatern", variance = p[1:2], range = p[3:5], smoothness = p[6:8], nugget = p[9:10],
                               correlation = p[11], angle = p[12], ratio = p[13])
  p <- c(2, 3, 0.3, 0.4, 0.35, 0.5, 1.2, 0.9, 0.1, 0.2, 0.3, 20, 0.5)
  names(p) <- c("variance1", "variance2", "range1", "range2", "range12", "smoothness1", "smoothness2", "smoothness12",
                "nugget1", "nugget2", "correlation", "angle", "ratio")
  for (i in seq_along(p)) {
    step <- 1e-3 * p[i]
    f <- function(k) covariance(make(replace(p, i, p[i] + k * step)), points)
    difference <- (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * step)
    derivative <- covariance(make(p), points, deriv = names(p)[i])
    expect_lt(max(abs(derivative - difference)), 1e-8 * max(abs(difference)), label = names(p)[i])
  }
})

test_that("the derivative for a variance of 0 is infinite where the variables are correlated", {
  model <- covModel("bimatern", range = 1, smoothness = 1:2, variance = c(0, 4), correlation = 0.5)
  v <- covariance(model, cbind(0, 0, 1:2), deriv = "variance1")
  expect_identical(unname(v), matrix(c(1, Inf, Inf, 0), 2))
  expect_identical(covariance(update(model, correlation = 0), cbind(0, 0, 1:2), deriv = "variance1")[1, 2], 0)
})

test_that("the largest correlation is that of the published conditions", {
  set.seed(2)
  most <- function(...) statcl:::most_correlation(covModel("bimatern", correlation = 0, ...))
  # theorem 1, the parsimonious model
  for (i in 1:20) {
    nu <- runif(2, 0.1, 3)
    half <- sample(3, 1) / 2
    root <- sqrt(prod(gamma(nu + half) / gamma(nu))) * gamma(mean(nu)) / gamma(mean(nu) + half)
    expect_equal(most(range = runif(1), smoothness = nu, dim = 2 * half), root, tolerance = 1e-12)
  }
  # the determinant of the spectral densities on a fine grid
  for (i in 1:50) {
    nu <- runif(2, 0.2, 2)
    nu[3] <- mean(nu) + (i %% 2) * rexp(1)
    a <- runif(3, 0.5, 5)
    d <- sample(3, 1)
    s <- c(0, 10^seq(-6, 8, length.out = 20001))
    density <- function(k) gamma(nu[k] + d / 2) / gamma(nu[k]) * a[k]^(2 * nu[k]) * (a[k]^2 + s)^-(nu[k] + d / 2)
    lowest <- sqrt(min(density(1) * density(2) / density(3)^2))
    expect_equal(most(range = 1 / a, smoothness = nu, dim = d), min(1, lowest), tolerance = 1e-3)
  }
})

test_that("bivariate models are positive definite up to the largest correlation and refused beyond", {
  set.seed(3)
  lowest <- replicate(repetitions(200, 1000), {
    nu <- runif(2, 0.2, 2)
    given <- list("bimatern", range = runif(3, 0.2, 2), smoothness = c(nu, mean(nu) + rexp(1)), dim = sample(3, 1))
    most <- statcl:::most_correlation(do.call(covModel, c(given, correlation = 0)))
    at <- cbind(matrix(runif(16 * given$dim), 16), rep(1:2, each = 8))
    at[9:12, seq_len(given$dim)] <- at[1:4, seq_len(given$dim)]
    expect_error(do.call(covModel, c(given, correlation = most * 1.001 + 1e-9)), "correlation",
                 class = "statcl_error_input")
    min(eigen(covariance(do.call(covModel, c(given, correlation = most)), at), TRUE, TRUE)$values)
  })
  expect_gt(min(lowest), -1e-13)
  expect_input_error(covModel("bimatern", range = 1, smoothness = c(1, 2, 1.4), correlation = 0.1),
                     "must be at most 0 in size")
  expect_s3_class(covModel("bimatern", range = 1e-200, smoothness = c(0.1, 0.2, 0.15), correlation = 0.2), "covModel")
  expect_input_error(covModel("bimatern", range = 1, smoothness = 1:2, correlation = 0, dim = 1,
                              distance = "chordal"), "dim = 1")
  expect_input_error(covModel("bimatern", range = 1, smoothness = 1:2, correlation = 0, shape = 2), "shape = 2")
  expect_input_error(covModel("bimatern", range = 1, smoothness = 1, correlation = 0.1), "smoothness has length 1")
  expect_input_error(covModel("bimatern", range = 1:2, smoothness = 1:2, correlation = 0.1), "range has length 2")
  expect_input_error(covModel("bimatern", range = 1, smoothness = 1:2), "correlation is missing")
  expect_input_error(covModel("bimatern", range = 1, smoothness = c(0.3, 0.5), correlation = 0,
                              distance = "greatcircle"), "distance = greatcircle")
  model <- covModel("bimatern", range = 1, smoothness = 1:2, correlation = 0.1)
  expect_input_error(covariance(model, cbind(0:1, 0:1, 0:1)), "from 1 to 2")
  expect_input_error(covariance(model, cbind(0:1, 0, 0, 1:2)), "dim = 2")
  expect_input_error(model + covModel("exponential", 1), "not for sums")
  for (call in expression(plot(model), lineCovariance(model, 1), spectralDensity(model, 1)))
    expect_input_error(eval(call), "function of several variables")
  expect_output(print(update(model, correlation = 0.2)), "correlation 0.2")
  expect_identical(format(model), "bimatern(2 variables)")
})
