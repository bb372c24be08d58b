# Half the mean squared difference of all pairs, by brute force.
brute <- function(z, xy, to, bin, unit = NULL, tolerance = 22.5) {
  i <- row(diag(length(z)))[lower.tri(diag(length(z)))]
  j <- col(diag(length(z)))[lower.tri(diag(length(z)))]
  lag <- xy[i, , drop = FALSE] - xy[j, , drop = FALSE]
  h <- sqrt(rowSums(lag^2))
  kept <- h <= to * (1 + 1e-12)
  if (!is.null(unit)) kept <- kept & acos(pmin(abs(drop(lag %*% unit)) / h, 1)) <= (tolerance + 1e-6) * pi / 180
  class <- bin(h[kept])
  mean_of <- function(v) as.vector(tapply(v[kept], class, mean))
  data.frame(distance = mean_of(h), variogram = mean_of((z[i] - z[j])^2 / 2), pairs = as.vector(table(class)))
}

expect_variogram <- function(object, expected) {
  columns <- c("distance", "variogram", "pairs")
  expect_equal(as.data.frame(unclass(object))[columns], expected, tolerance = 1e-12, ignore_attr = TRUE)
}

test_that("variograms of points are those of all pairs in the class", {
  set.seed(1)
  for (dim in 1:3) {
    xy <- matrix(rexp(60 * dim), 60) # clustered
    z <- 100 + rowSums(xy) + rnorm(60)
    expect_variogram(rfVariogram(z, x = if (dim == 1) xy[, 1] else xy, to = 2, width = 0.25),
                     brute(z, xy, 2, function(h) ceiling(h / 0.25)))
  }
  v <- rfVariogram(z, x = xy[, 1:2], to = 2, width = 0.5, direction = c(30, 120), tolerance = 20)
  for (angle in c(30, 120))
    expect_variogram(v[v$direction == angle, ],
                     brute(z, xy[, 1:2], 2, function(h) ceiling(h / 0.5), c(cospi(angle / 180), sinpi(angle / 180)),
                           20))
  up <- rfVariogram(z, x = xy, to = 2, width = 0.5, direction = cbind(0, 0, 2), tolerance = 45)
  expect_variogram(up, brute(z, xy, 2, function(h) ceiling(h / 0.5), c(0, 0, 1), 45))
  expect_identical(unique(up$direction), 1L)
  twice <- rfVariogram(c(1, 5, 2), x = cbind(c(0, 0, 1), 0), to = 2, width = 2)
  expect_equal(twice$distance, c(0, 1))
  expect_equal(twice$variogram, c(8, (0.5 + 4.5) / 2))
})

test_that("variograms on grids are those of all pairs in the class", {
  set.seed(2)
  for (grid in list(rfGrid(3, 0.5, 40), rfGrid(c(0, -2), c(1, 2.5), c(9, 6)), rfGrid(0, c(0.5, 1, 2), c(5, 4, 3)))) {
    z <- array(1e4 + rnorm(prod(grid$dims)), grid$dims)
    width <- min(grid$spacing)
    own <- function(h) pmax(1, round(h / width))
    expect_variogram(rfVariogram(z, grid = grid, to = 4), brute(as.vector(z), as.matrix(grid), 4, own))
  }
  grid <- rfGrid(0, 1, c(12, 9))
  z <- array(rnorm(108), c(12, 9))
  v <- rfVariogram(z, grid = grid, to = 4, direction = c(0, 45, 90), tolerance = 45) # lags on the edges of sectors
  for (angle in c(0, 45, 90))
    expect_variogram(v[v$direction == angle, ],
                     brute(as.vector(z), as.matrix(grid), 4, round, c(cospi(angle / 180), sinpi(angle / 180)), 45))
  fields <- array(rnorm(3 * 108), c(12, 9, 3))
  each <- sapply(1:3, function(k) rfVariogram(fields[, , k], grid = grid)$variogram)
  v <- rfVariogram(fields, grid = grid)
  expect_equal(v$variogram, rowMeans(each))
  expect_equal(v$std.error, apply(each, 1, sd) / sqrt(3))
})

test_that("variograms are those of gstat, angles of the other sense", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("sp")
  data(meuse, package = "sp", envir = environment())
  z <- log(meuse$zinc)
  own <- rfVariogram(z, x = meuse[c("x", "y")])
  gstat <- gstat::variogram(z ~ 1, ~ x + y, data.frame(z, meuse[c("x", "y")]))
  expect_variogram(own, data.frame(gstat$dist, gstat$gamma, gstat$np))
  own <- rfVariogram(z, x = meuse[c("x", "y")], direction = 60, tolerance = 29, to = 1000, width = 200)
  gstat <- gstat::variogram(z ~ 1, ~ x + y, data.frame(z, meuse[c("x", "y")]), alpha = 30, tol.hor = 29,
                            cutoff = 1000, width = 200)
  expect_variogram(own, data.frame(gstat$dist, gstat$gamma, gstat$np))
})

test_that("clustered samples have the variogram of their pairs, not covariances less that at 0", {
  set.seed(3)
  xy <- rbind(matrix(rnorm(80, sd = 0.1), 40), matrix(runif(80, -3, 3), 40))
  z <- c(rnorm(40, sd = 0.1), rnorm(40))
  v <- rfVariogram(z, x = xy, to = 0.5, width = 0.5)
  e <- rfCovariance(z, x = xy, to = 0.5, width = 0.5)
  expect_lt(v$variogram, 0.1)
  expect_gt(diff(-e$covariance), 2 * v$variogram)
})

test_that("the column model is the expected value of the variogram", {
  grid <- rfGrid(0, 1, c(9, 6))
  skewed <- covModel("matern", range = 2, smoothness = 0.7, nugget = 0.2, angle = 30, ratio = 0.4)
  set.seed(4)
  fields <- crossprod(chol(covariance(skewed, as.matrix(grid)) + diag(0, 54)), matrix(rnorm(54 * 1000), 54))
  for (direction in list(NULL, c(30, 120))) {
    v <- rfVariogram(array(fields, c(9, 6, 1000)), skewed, grid, direction = direction)
    expect_lt(max(abs(v$variogram - v$model) / v$std.error), 4.5)
    expect_gt(max(abs(1.1 * v$variogram - v$model) / v$std.error), 4.5)
  }
  # an intrinsic field has a variogram and no covariance
  power <- covModel("power", range = 3, shape = 1.2, variance = 2)
  v <- rfVariogram(tbrf(grid, power, method = "fft", nsim = 400))
  h <- dist(as.matrix(grid))
  expect_equal(v$model[1], mean(2 * (h[round(h) == 1] / 3)^1.2))
  expect_lt(max(abs(v$variogram - v$model) / v$std.error), 4.5)
  # a drift is no part of the variogram
  drift <- covModel("exponential", range = 2, mean = function(x) 10 * x[, 1])
  set.seed(5)
  field <- tbrf(grid, drift)
  expect_equal(rfVariogram(field)$variogram, rfVariogram(field[] - 10 * (row(field[]) - 1), grid = grid)$variogram)
})

test_that("variograms are printed and plotted, and odd arguments refused", {
  pdf(NULL)
  on.exit(dev.off())
  grid <- rfGrid(0, 1, c(12, 9))
  set.seed(6)
  field <- tbrf(grid, covModel("exponential", range = 3, nugget = 0.1, angle = 20, ratio = 0.5))
  v <- rfVariogram(field, direction = c(20, 110))
  expect_output(print(v), "Variogram of a field on a grid of 12 x 9\n")
  expect_invisible(plot(v))
  expect_silent(plot(rfVariogram(field)))
  expect_silent(plot(rfVariogram(array(rnorm(60), c(5, 4, 3)), grid = rfGrid(0, 1, c(5, 4, 3)), direction = diag(3))))
  expect_input_error(rfVariogram(field, direction = 30, tolerance = 91), "tolerance = 91")
  expect_input_error(rfVariogram(1:5 + 0, x = 1:5, direction = 30), "direction = 30")
  expect_input_error(rfVariogram(field, direction = cbind(1, 0, 0)), "2 columns")
  expect_input_error(rfVariogram(field, direction = cbind(0, 0)), "vectors with a length")
  expect_input_error(rfVariogram(1, x = 1), "no pairs")
  expect_input_error(rfVariogram(c(1, 2), x = c(1, 2), to = 0.5), "no pairs")
})
