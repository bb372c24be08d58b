# Intrinsic fields: their variograms are computed from waves and tori, without random fields where that can be.

power <- function(shape, ...) covModel("power", shape = shape, range = 2, variance = 3, ...)

# The semivariogram in the mean over rotations of the waves of a recipe, with what is beyond the band.
expected_variogram <- function(recipe, h) {
  waves <- statcl:::recipe_lines(recipe, 1L)
  part <- recipe$model
  lost <- function(x) ifelse(x < 1e-3, x^2 / (2 * recipe$wave_dim), 1 - mean_wave(pmin(x, 1e4))) # 1e-7 of itself
  mean_wave <- if (recipe$wave_dim == 2L) function(x) besselJ(x, 0) else function(x) ifelse(x > 0, sin(x) / x, 1)
  k <- 2 * pi * sqrt(rowSums(waves$k^2))
  value <- vapply(h, function(h) sum(waves$amplitude^2 / 2 * lost(k * h)), 0)
  value + statcl:::intrinsic_noise(recipe) + statcl:::slope_variance(part, recipe, 1L) * h^2 / 2
}

test_that("waves have the variogram of the model in the mean, from a millionth of the diameter on", {
  for (shape in c(0.05, 1, 1.95)) for (dim in 2:3) {
    model <- power(shape)
    set.seed(1)
    recipe <- tbrf(rbind(0, rep(10, dim)), model, 5000, object = TRUE)
    h <- 10 * c(1e-6, 1e-4, 0.01, 0.1, 1)
    # of 20 strata in an octave the mean of k^2 has a relative standard error of 1.3 percent, and the octave a share
    # of a tenth at most: three such errors
    expect_equal(expected_variogram(recipe, h) / (3 * (h / 2)^shape), rep(1, 5), tolerance = 4e-3)
  }
  # |h| is the integral of (1 - cos k h) / (pi k^2)
  expect_equal(spectralDensity(power(1), 0.5, 1), 1.5 / (pi * 0.25), tolerance = 1e-14)
})

test_that("a torus and a plane have the variogram of the model between all cells", {
  for (shape in c(0.3, 1, 1.6, 1.9)) for (dims in list(30, c(12, 9), c(5, 1, 7), c(5, 4, 3))) {
    d <- length(dims)
    model <- power(shape, scales = c(1, 0.4, 2)[seq_len(d)])
    recipe <- tbrf(rfGrid(0, 0.1, dims), model, method = "fft", object = TRUE)
    torus <- statcl:::torus_spectrum(recipe, TRUE)
    both <- lapply(torus$dims, function(m) 1 + pmin(seq_len(m) - 1, m - seq_len(m) + 1))
    whole <- do.call(`[`, c(list(array(torus$variance, torus$dims %/% 2 + 1)), both, drop = FALSE))
    covariance <- do.call(`[`, c(list(Re(fft(whole))), lapply(dims, seq_len), drop = FALSE))
    lags <- as.matrix(rfGrid(0, 0.1, dims)) / rep(c(1, 0.4, 2)[seq_len(d)], each = prod(dims))
    h <- sqrt(rowSums(lags^2))
    plane <- statcl:::slope_variance(model, recipe, 1L) * h^2 / 2
    expect_lt(max(abs(covariance[1] - as.vector(covariance) + plane - 3 * (h / 2)^shape)), 1e-11 * covariance[1])
  }
})

test_that("rotated axes in the plane, the origin, and the same field at other points", {
  model <- power(1.2, angle = 30, ratio = 0.5, nugget = 0.01, mean = 5) + covModel("exponential", range = 0.3)
  grid <- rfGrid(c(5, 7), 0.1, c(12, 9))
  set.seed(1)
  fields <- tbrf(grid, update(model, nugget.1 = 0), nsim = 400, method = "fft")
  expect_identical(range(fields[1, 1, ]), c(5, 5))
  i <- rbind(c(12, 9), c(1, 9), c(12, 1), c(4, 4))
  lag <- (i - 1) * 0.1
  turn <- cbind(c(cospi(1 / 6), -sinpi(1 / 6) / 0.5), c(sinpi(1 / 6), cospi(1 / 6) / 0.5))
  h <- sqrt(rowSums((lag %*% t(turn))^2))
  expected <- 3 * (h / 2)^1.2 + 1 - exp(-sqrt(rowSums(lag^2)) / 0.3)
  seen <- apply(i, 1, function(j) mean((fields[j[1], j[2], ] - 5)^2) / 2)
  expect_lt(max(abs(seen / expected - 1)), 5 * sqrt(2 / 400)) # five standard errors
  set.seed(2)
  field <- tbrf(grid, model, 200)
  expect_equal(as.vector(predict(field, cbind(5, 7))), as.vector(field)[1], tolerance = 1e-12)
  expect_equal(as.vector(predict(field, as.matrix(grid))), as.vector(field), tolerance = 1e-12)
  expect_output(print(field), "power", fixed = TRUE)
  expect_null(summary(field)$variance)
})

test_that("rough fields and those far from 0 have the variogram of the model from their origin on", {
  set.seed(4)
  for (far in c(0, 6e6)) {
    xy <- far + cbind(c(0, 1e-3, 1), 0)
    fields <- tbrf(xy, power(0.05), 64, nsim = 1000)
    expect_lt(max(abs(fields[1, ])), 1e-13)
    seen <- c(mean(fields[2, ]^2), mean(fields[3, ]^2), mean((fields[2, ] - fields[3, ])^2)) / 2
    expected <- 3 * (c(1e-3, 1, 0.999) / 2)^0.05
    expect_lt(max(abs(seen / expected - 1)), 5 * sqrt(2 / 1000)) # five standard errors
  }
})

test_that("points beyond ten diameters give a warning", {
  recipe <- tbrf(cbind(0:1, 0), power(1), 200, object = TRUE)
  expect_silent(predict(recipe, cbind(9, 0)))
  expect_warning(predict(recipe, cbind(100, 0)), "100 diameters")
})

test_that("conditional fields meet the data, and are shifted by ordinary kriging", {
  set.seed(3)
  xy <- matrix(runif(40), 20)
  y <- rnorm(20, 100)
  at <- rbind(xy[1:2, ], matrix(runif(10), 5))
  model <- power(1.3)
  recipe <- tbrf(at, model, 200, data = list(x = xy, y = y, trend = ~ 1), object = TRUE)
  field <- predict(recipe, at)
  expect_equal(as.vector(field)[1:2], y[1:2], tolerance = 1e-9)
  plain <- recipe
  plain["data"] <- list(NULL)
  left <- y - as.vector(predict(plain, xy))
  gamma <- function(a, b) 3 * (sqrt(outer(a[, 1], b[, 1], `-`)^2 + outer(a[, 2], b[, 2], `-`)^2) / 2)^1.3
  weights <- solve(rbind(cbind(gamma(xy, xy), 1), c(rep(1, 20), 0)), rbind(gamma(xy, at), 1))
  kriged <- drop(crossprod(weights[1:20, ], left))
  expect_equal(as.vector(field) - as.vector(predict(plain, at)), kriged, tolerance = 1e-8)

  expect_error(tbrf(xy, model, data = list(x = xy, y = y)), "data$trend", fixed = TRUE)
  increments <- function(a, b) drop(gamma(a, origin)) + rep(gamma(origin, b), each = nrow(a)) - gamma(a, b)
  expect_error(tbrf(at, model, data = list(x = xy, y = y, m = 5)), "data$m = 5", fixed = TRUE)
  plain <- at[3:7, ]
  y <- y[3:20]
  free <- xy[3:20, ]
  sloping <- tbrf(rbind(c(2, 2), plain), model, 200, data = list(x = free, y = y, trend = ~ x - 1), object = TRUE)
  origin <- cbind(2, 2)
  inverse <- solve(increments(free, free))
  unconditional <- sloping
  unconditional["data"] <- list(NULL)
  left <- y - as.vector(predict(unconditional, free))
  beta <- sum(free[, 1] * (inverse %*% left)) / sum(free[, 1] * (inverse %*% free[, 1]))
  kriged <- beta * plain[, 1] + drop(increments(plain, free) %*% inverse %*% (left - beta * free[, 1]))
  change <- as.vector(predict(sloping, plain)) - as.vector(predict(unconditional, plain))
  expect_equal(change, kriged, tolerance = 1e-8)
})

test_that("what needs a covariance says so", {
  model <- power(0.8)
  expect_error(covariance(model, 1), "has no covariance", class = "statcl_error_input")
  expect_error(lineCovariance(model, 1), "has no covariance")
  expect_error(tbrfError(model), "no covariance")
  grid <- rfGrid(0, 1, c(8, 8))
  expect_error(tbrf(grid, model, 0.1), "nlines must be a number of waves")
  expect_error(tbrf(grid, model, method = "table"), "\"spectral\" and \"fft\"", fixed = TRUE)
  expect_error(tbrf(grid, model, waves = "spectrum"), "waves = spectrum")
  expect_error(tbrf(grid, model, method = "fft", periodic = TRUE), "powerlaw")
  expect_error(tbrf(grid, rfVector(model)), "scalar fields")
  expect_error(tbrf(grid, model, time = 1, correlation.time = 1), "scalar fields")
  field <- tbrf(grid, model, 200)
  expect_error(rfCovariance(field), "rfVariogram")
  expect_error(rfSpectrum(field, expected = TRUE), "expected")
  expect_error(covModel("separable", space = model, time = covModel("exponential", range = 1)), "space = power")
  expect_error(tbrf(rfGrid(0, 1, rep(400, 3)), model, method = "fft"), "method = \"spectral\"", fixed = TRUE)
  expect_error(rfGradient(field), "no derivatives")
  expect_error(rfTransform(field, quantile = qexp), "quantile")
  expect_error(power(2), "shape = 2: shape must be below 2")
  expect_s3_class(rfSpectrum(field), "rfSpectrum")
  expect_error(plot(model, what = "line"), "no line covariance")
  expect_silent(plot(model))
})
