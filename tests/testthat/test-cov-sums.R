# Families as models: arguments, sums, distances, nugget.
grid <- as.matrix(expand.grid(1:3, 1:2))

test_that("each family takes what it needs", {
  expect_input_error(covModel("cauchy", 1), "shape is missing: \"cauchy\" needs it")
  expect_input_error(covModel("gaussian", 1, shape = 2), "shape = 2: shape is no parameter of \"gaussian\"")
  expect_input_error(covModel("spherical", 1, smoothness = 2), "smoothness = 2")
  expect_input_error(covModel("gaussian", 1, scaling = "sqrt8nu"), "scaling = sqrt8nu")
  expect_input_error(covModel("cauchy", 1, shape = 0), "shape = 0: shape must be finite and positive")
  expect_input_error(covModel("powexp", 1, shape = 2.1), "shape = 2.1")
  expect_input_error(covModel("besselj", 1, shape = -0.1), "shape = -0.1")
  expect_input_error(covModel("powerlaw", exponent = -2, kmax = 1), "kmin is missing")
  expect_input_error(covModel("powerlaw", exponent = -2, kmin = 2, kmax = 1), "kmin = 2: kmin must be below kmax, 1")
  expect_input_error(covModel("gammaspectrum", 1, exponent = -3), "exponent = -3")
  expect_input_error(covModel("spherical"), "range is missing")
  expect_input_error(covModel("spherical", 1, mean = NA), "mean = NA")
  # nothing but the error, not even a warning
  expect_silent(error <- tryCatch(covModel("matern", range = 1), statcl_error_input = conditionMessage))
  expect_identical(error, "smoothness is missing: \"matern\" needs it (0.5 is the exponential model)")
  expect_input_error(covModel("spherical", 1, mean = ~ x + y), "must be a number or a function of coordinates")
  expect_input_error(covModel("spherical", 1, mean = 1:2), "must be a number or a function of coordinates")
  expect_input_error(covModel("cauchy", 1, alpha = 3), "it is called shape here")
  expect_input_error(covModel("cauchy", len_scale = 3, shape = 1), "it is called range here")
  expect_input_error(covModel("cauchy", 1, shape = 1, anis = c(30, 0.5)), "it is called angle and ratio here")
  for (pair in list(c("sph", "spherical"), c("stable", "powexp"), c("wave", "sinc"), c("Gau", "gaussian"),
                    c("Spheric", "spherical"), c("expo", "exponential"), c("Exponential", "exponential"),
                    c("hole", "sinc"), c("RMgauss", "gaussian")))
    expect_input_error(covModel(pair[1], 1), sprintf("is called \"%s\" here", pair[2]))
  expect_input_error(covModel("Nugget", 1), "is an argument of any model")
  expect_input_error(covModel("linear", 1), "is called \"power\" here, with shape = 1")
  expect_input_error(covModel("Pow", 1, shape = 1), "is called \"power\" here")
  expect_input_error(covModel("Bes", 1), "name = Bes: name must be the name of a model")
})

test_that("models are refused where they are no covariances", {
  expect_input_error(lineCovariance(covModel("besselj", 1, shape = 0.2), 1), "needs shape >= 0.5 in dimension 3")
  expect_true(is.finite(lineCovariance(covModel("besselj", 1, shape = 0), 1, dim = 2)))
  expect_input_error(covModel("gaussian", 1, distance = "greatcircle"), "greatcircle")
  expect_input_error(covModel("powexp", 1, shape = 1.5, distance = "greatcircle"), "shape must be at most 1")
  expect_input_error(covModel("spherical", 20100, distance = "greatcircle"), "range must be at most pi radius")
  expect_s3_class(covModel("powexp", 1, shape = 0.9, distance = "greatcircle"), "covModel")
  expect_input_error(covModel("besselj", 1, shape = 0.2, distance = "chordal"), "dimension 3")
  given <- covModel("covariance", covariance = function(h) pmax(1 - h, 0), dim = 1)
  expect_input_error(lineCovariance(given, 1), "is not valid in dimension 3: it is given for dimension 1")
  expect_input_error(tbrf(grid, given), "it is given for dimension 1")
  expect_input_error(covariance(covModel("gaussian", 1), 1, deriv = "smoothness"), "deriv = smoothness")
})

test_that("distances, points and nugget are those of matern()", {
  exponential <- covModel("exponential", 2, variance = 3, nugget = 0.5)
  same <- covModel("matern", 2, 0.5, variance = 3, nugget = 0.5)
  also <- covModel("powexp", 2, shape = 1, variance = 3, nugget = 0.5)
  named <- structure(grid, dimnames = list(letters[1:6], NULL))
  for (x in list(c(a = 0, b = 1, NA), dist(grid), grid, named, as.data.frame(named), grid[0, ], numeric())) {
    expect_identical(covariance(exponential, x), covariance(same, x))
    expect_equal(covariance(also, x), covariance(same, x), tolerance = 1e-14)
    expect_identical(attributes(covariance(also, x)), attributes(covariance(same, x)))
  }
  expect_equal(covariance(also, named, grid[1:2, ]), covariance(same, named, grid[1:2, ]), tolerance = 1e-14)
  for (change in list(list(angle = 30, ratio = 0.4), list(scales = c(2, 0.5)),
                      list(distance = "chordal", radius = 10),
                      list(distance = "greatcircle", radius = 10))) {
    there <- do.call(update, c(list(same), change))
    expect_equal(covariance(do.call(update, c(list(also), change)), grid * 20, grid[2:4, ]),
                 covariance(there, grid * 20, grid[2:4, ]), tolerance = 1e-13)
  }
  expect_warning(value <- covariance(also, c(-1, NA, 1)), "NaNs produced")
  expect_identical(is.nan(value), c(TRUE, FALSE, FALSE))
})

test_that("sums add covariances, nuggets and means", {
  a <- covModel("spherical", 2, variance = 2, nugget = 0.1, mean = 1)
  b <- covModel("matern", 1, 1.5, angle = 30, ratio = 0.5, nugget = 0.2, mean = function(x) x[, 1])
  both <- a + b
  expect_identical(covariance(both, grid), covariance(a, grid) + covariance(b, grid))
  expect_identical(covariance(both + a, grid, grid + 1), covariance(a, grid, grid + 1) +
                     covariance(b, grid, grid + 1) + covariance(a, grid, grid + 1))
  expect_identical(both$mean(grid), 1 + grid[, 1])
  expect_identical(length((both + both)$parts), 4L)
  expect_identical(covariance(3 * both, grid), covariance(3 * a, grid) + covariance(b * 3, grid))
  expect_identical(covariance(2 * a, 0.5), 2 * covariance(a, 0.5))
  expect_identical(both / 4, 0.25 * both)
  expect_input_error(2 / a, "not defined")
  expect_input_error(a / 0, "divisor = 0: divisor must be finite and positive")
  expect_identical(lineCovariance(both, c(a = 0.5)), c(a = unname(lineCovariance(a, 0.5) + lineCovariance(b, 0.5))))
  expect_identical(spectralDensity(both, -0.5), spectralDensity(a, 0.5) + spectralDensity(b, 0.5))
  expect_input_error(covariance(both, 1), "ratio and scales need coordinates")
  expect_input_error(a - b, "not defined")
  expect_input_error(-1 * a, "factor = -1")
  expect_input_error(a + update(b, ratio = 1, distance = "chordal"), "must be the same")
  expect_input_error(update(both, range = 2), "range")
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(both, file)
  expect_equal(covariance(readRDS(file), grid), covariance(both, grid))
})

test_that("families are printed and plotted", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  models <- list(covModel("spherical", 2, nugget = 1), covModel("powerlaw", exponent = -2, kmin = 0.1, kmax = 3),
                 covModel("cauchy", 2, shape = 0.4, mean = 3), covModel("sinc", 1) + covModel("gaussian", 3))
  for (m in models) {
    for (what in c("covariance", "spectrum", "line")) expect_silent(plot(m, what = what))
    expect_silent(lines(m, what = "spectrum", dim = 2))
  }
  axes <- function(...) {
    plot(...)
    graphics::par("usr")
  }
  cauchy <- covModel("cauchy", range = 2, shape = 0.8)
  # infinite at 0: the top is at or next to where the curve enters the plot
  usr <- axes(cauchy, what = "spectrum", log = "xy", xaxs = "i", yaxs = "i")
  expect_equal(diff(usr[1:2]), 3)
  top <- spectralDensity(cauchy, 10^usr[1] * c(1, 1.05))
  expect_true(10^usr[4] <= top[1] * (1 + 1e-9) && 10^usr[4] >= top[2])
  usr <- axes(cauchy, what = "spectrum", xaxs = "i", yaxs = "i")
  expect_lte(usr[4], spectralDensity(cauchy, usr[2] / 100) * (1 + 1e-9))
  expect_gt(axes(models[[1]], what = "line", xaxs = "i")[2], 2)
  usr <- axes(models[[2]], what = "spectrum", log = "xy", xaxs = "i", yaxs = "i")
  expect_equal(10^usr[1:2], c(0.1 / 1.2, 3 * 1.2))
  expect_equal(10^usr[3:4], spectralDensity(models[[2]], c(3, 0.1) * (1 + c(-1e-9, 1e-9))))
  for (m in list(covModel("sinc", 2), covModel("besselj", 2, shape = 1))) expect_gt(axes(m)[2], 3 * 2 * pi * 2)
  expect_output(print(models[[1]]), "Spherical covariance: variance 1, range 2, nugget 1", fixed = TRUE)
  expect_output(print(models[[2]]), "exponent -2, kmin 0.1, kmax 3", fixed = TRUE)
  expect_output(print(models[[3]]), "Mean: 3", fixed = TRUE)
  expect_output(print(models[[4]]), "Sum of 2 covariances", fixed = TRUE)
  expect_identical(format(models[[4]]), "sinc(variance = 1, range = 1) + gaussian(variance = 1, range = 3)")
})

test_that("compact supports are positive definite on the sphere", {
  set.seed(9)
  z <- matrix(rnorm(900), 300)
  xy <- cbind(atan2(z[, 2], z[, 1]), asin(z[, 3] / sqrt(rowSums(z^2)))) * 180 / pi
  for (name in c("spherical", "cubic")) for (range in c(0.3, 1, 2, pi)) {
    value <- covariance(covModel(name, range, radius = 1, distance = "greatcircle"), xy)
    expect_gt(min(eigen(value, TRUE, TRUE)$values), -1e-12)
  }
})
