# Kriging: predictions and their variances, at points and of averages, in all classes of new locations.

by_hand <- function(cov, x, y, X, new, X0, error = NULL) {
  s <- covariance(cov, x, error.variance = error)
  cross <- covariance(cov, x, new)
  inverse <- solve(s)
  vcov <- solve(t(X) %*% inverse %*% X)
  beta <- vcov %*% t(X) %*% inverse %*% y
  short <- t(X0) - t(X) %*% inverse %*% cross
  list(mean = as.vector(X0 %*% beta + t(cross) %*% inverse %*% (y - X %*% beta)),
       covariance = unname(covariance(update(cov, nugget = 0), new) - t(cross) %*% inverse %*% cross +
                             t(short) %*% vcov %*% short))
}

sample_data <- function(n = 60) {
  set.seed(4)
  data <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), f = factor(sample(c("a", "b"), n, TRUE)))
  data$z <- 3 + data$u + (data$f == "b") + sin(5 * data$x) + rnorm(n) / 5
  data
}
sample_model <- covModel("matern", range = 0.3, smoothness = 0.8, variance = 2, nugget = 0.1)
sample_fit <- function(formula = z ~ u + f, data = sample_data(), ...)
  gpFit(formula, data, coords = ~ x + y, cov = sample_model, fixed = TRUE, ...)
new_data <- function(n = 7) {
  set.seed(5)
  data.frame(x = runif(n), y = runif(n), u = rnorm(n), f = sample(c("a", "b"), n, TRUE))
}

test_backends("kriging has the known means and variances", {
  # the points of gp_small.csv, see tools/gp_reference.py
  phi <- (sqrt(5) - 1) / 2
  i <- 1:24
  data <- data.frame(u = round((i * phi) %% 1, 6), v = round((3 * i * phi^2) %% 1, 6))
  data$z <- round(sin(5 * data$u) + data$v, 6)
  known <- read.csv(test_path("ref", "gp_kriging.csv"))
  for (rows in split(known, known$smoothness)) {
    cov <- covModel("matern", range = rows$range[1], smoothness = rows$smoothness[1], variance = rows$variance[1],
                    nugget = rows$nugget[1])
    # weights have the relative error of the condition of the matrix times eps, some 1e3 of it and less
    bound <- 1e-12 * rows$variance[1]
    for (kind in list(list("sk", z ~ 0), list("ok", z ~ 1), list("uk", z ~ u + v))) {
      fit <- gpFit(kind[[2]], data, coords = ~ u + v, cov = cov, fixed = TRUE)
      got <- predict(fit, rows[c("u", "v")], se.fit = TRUE, type = "latent")
      expect_lt(max(abs(got$fit - rows[[paste0(kind[[1]], "_mean")]])), bound)
      expect_lt(max(abs(got$se.fit^2 - rows[[paste0(kind[[1]], "_var")]])), bound)
    }
  }
})

test_that("predictions, errors and limits of both types are those by hand", {
  data <- sample_data()
  new <- new_data()
  set.seed(1)
  error <- runif(60)
  fit <- gpFit(z ~ u + f + offset(x), data, coords = ~ x + y, cov = sample_model, fixed = TRUE,
               error.variance = error)
  X <- model.matrix(~ u + f, data)
  X0 <- model.matrix(~ u + factor(f), new)
  wanted <- by_hand(sample_model, as.matrix(data[c("x", "y")]), data$z - data$x, X, as.matrix(new[c("x", "y")]), X0,
                    error)
  variance <- diag(wanted$covariance)
  got <- predict(fit, new, se.fit = TRUE, interval = "prediction", level = 0.9)
  expect_named(got, c(names(new), "fit", "se.fit", "lwr", "upr"))
  expect_equal(got$fit, wanted$mean + new$x)
  expect_equal(got$se.fit, sqrt(variance + 0.1))
  expect_equal(got$upr, got$fit + qnorm(0.95) * got$se.fit)
  expect_equal(got$lwr, got$fit - qnorm(0.95) * got$se.fit)
  expect_identical(predict(fit, new)$fit, got$fit)
  latent <- predict(fit, new, se.fit = TRUE, type = "latent")
  expect_identical(latent$fit, got$fit)
  expect_equal(latent$se.fit, sqrt(variance))
  mean <- predict(fit, new, se.fit = TRUE, interval = "confidence")
  expect_equal(mean$fit, as.vector(X0 %*% fit$coefficients) + new$x)
  expect_equal(mean$se.fit, unname(sqrt(diag(X0 %*% vcov(fit) %*% t(X0)))))
  expect_equal(mean$lwr, mean$fit - qnorm(0.975) * mean$se.fit)
})

test_that("without new locations there are smoothed observations, padded where they were omitted", {
  data <- sample_data()
  data$u[3] <- NA
  fit <- sample_fit(data = data, na.action = na.exclude)
  expect_equal(unname(predict(fit)), predict(fit, data)$fit)
  expect_identical(unname(is.na(predict(fit))), seq_len(60) == 3)
  both <- predict(fit, se.fit = TRUE)
  expect_identical(dim(both), c(60L, 2L))
  expect_equal(unname(both[, "se.fit"]), predict(fit, data, se.fit = TRUE)$se.fit)
  expect_length(predict(sample_fit(data = data)), 59)
  exact <- gpFit(z ~ 1, data, coords = ~ x + y, cov = update(sample_model, nugget = 0), fixed = TRUE)
  expect_equal(unname(predict(exact)), data$z)
  expect_lt(max(predict(exact, data, se.fit = TRUE)$se.fit), 1e-6)
})

test_that("what is missing is missing, and what cannot be is told", {
  fit <- sample_fit()
  new <- new_data()
  new$u[2] <- NA
  new$f[3] <- NA
  new$x[4] <- NA
  got <- predict(fit, new, se.fit = TRUE)
  expect_identical(which(is.na(got$fit)), 2:4)
  expect_identical(which(is.na(got$se.fit)), 2:4)
  expect_equal(got$fit[5:7], predict(fit, new[5:7, ])$fit)
  expect_identical(nrow(predict(fit, new[0, ], se.fit = TRUE)), 0L)
  expect_named(predict(fit, new[0, ]), c(names(new), "fit"))
  expect_identical(dim(predict(sample_fit(z ~ 1), rfGrid(0, 1, c(0, 3)))), c(0L, 3L))
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  new$f[5:6] <- c("c", "d")
  refused(predict(fit, new), "newdata\\$f = c, d: newdata\\$f has levels that the data of the fit do not have")
  refused(predict(fit, transform(new_data(), x = "a")), "newdata\\$x = character")
  refused(predict(fit, new_data()[-1]), "newdata has no column x, a coordinate of the fit")
  refused(predict(fit, new_data()[-3]), "there is no u, newdata has the columns")
  refused(predict(fit, cbind(1, 2)), "there is no u")
  refused(predict(sample_fit(z ~ 1), cbind(1, 2, 3)), "dimension 3, those of the data 2")
  refused(predict(fit, new_data(), newpoints = 1), "no argument newpoints")
  refused(predict(fit, new_data(), interval = "none", type = "mean"), "type = mean")
  refused(predict(fit, new_data(), level = 2), "level = 2")
  refused(predict(fit, "a"), "newdata = character")
  refused(predict(fit, block = 1), "block = 1: block is for newdata")
  refused(predict(fit, new_data(), block = 1:3), "block has length 3: the locations have 2 coordinates")
  refused(predict(fit, new_data(), block = -1), "block = -1")
  twice <- transform(sample_data(), v = 2 * u)
  aliased <- gpFit(z ~ u + v + f, twice, coords = ~ x + y, cov = sample_model, fixed = TRUE)
  expect_warning(got <- predict(aliased, transform(new_data(), v = 0)), "rank-deficient")
  expect_equal(got$fit, predict(fit, new_data())$fit)
})

test_that("data frames keep their columns, and matrices have none", {
  fit <- sample_fit()
  new <- new_data()
  new$fit <- "mine"
  expect_named(predict(fit, new, se.fit = TRUE), c("x", "y", "u", "f", "fit", "fit.1", "se.fit"))
  plain <- sample_fit(z ~ x)
  at <- cbind(c(a = 0.1, b = 0.2), 0.3)
  wanted <- predict(plain, data.frame(x = c(0.1, 0.2), y = 0.3), se.fit = TRUE)
  expect_equal(predict(plain, at), c(a = wanted$fit[1], b = wanted$fit[2]))
  expect_equal(predict(plain, at, se.fit = TRUE)[, "se.fit"], c(a = wanted$se.fit[1], b = wanted$se.fit[2]))
  named <- cbind(y = 0.3, u = 1, x = c(0.1, 0.2))
  expect_equal(predict(sample_fit(z ~ u), named), predict(sample_fit(z ~ u), as.data.frame(named))$fit)
})

test_that("coordinates by formula, on a line, in space and time and on a sphere are found", {
  data <- transform(sample_data(), km = x * 1000)
  fit <- gpFit(z ~ u, data, coords = ~ I(km / 1000) + y, cov = sample_model, fixed = TRUE)
  new <- transform(new_data(), km = x * 1000)
  expect_equal(predict(fit, new)$fit, predict(sample_fit(z ~ u), new)$fit)
  line <- gpFit(z ~ 1, data, coords = ~ x, cov = covModel("exponential", range = 1, nugget = 0.1), fixed = TRUE)
  expect_equal(predict(line, c(0.1, 0.2)), predict(line, data.frame(x = c(0.1, 0.2)))$fit)
  on_line <- predict(line, rfGrid(0.1, 0.1, 2), se.fit = TRUE)
  expect_equal(on_line[, 1], predict(line, c(0.1, 0.2)))
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(on_line))
  time <- covModel("separable", space = covModel("exponential", range = 1), time = covModel("exponential", range = 2),
                   nugget = 0.1)
  moving <- gpFit(z ~ 1, data, coords = ~ x + y + u, cov = time, fixed = TRUE)
  wanted <- by_hand(time, as.matrix(data[c("x", "y", "u")]), data$z, matrix(1, 60), as.matrix(new[c("x", "y", "u")]),
                    matrix(1, 7))
  got <- predict(moving, new, se.fit = TRUE, type = "latent")
  expect_equal(got$fit, wanted$mean)
  expect_equal(got$se.fit^2, diag(wanted$covariance))
  for (distance in c("chordal", "greatcircle")) {
    sphere <- covModel("exponential", range = 100, nugget = 0.1, distance = distance)
    fit <- gpFit(z ~ 1, data, coords = ~ x + y, cov = sphere, fixed = TRUE)
    wanted <- by_hand(sphere, as.matrix(data[c("x", "y")]), data$z, matrix(1, 60), as.matrix(new[c("x", "y")]),
                      matrix(1, 7))
    expect_equal(predict(fit, new, se.fit = TRUE, type = "latent")$se.fit^2, diag(wanted$covariance))
    expect_error(predict(fit, cbind(0, 91)), "latitudes", class = "statcl_error_input")
  }
})

test_that("on a mesh there is a field that prints, plots and has tables", {
  fit <- sample_fit(z ~ x)
  grid <- rfGrid(c(0, 0.1), 0.2, c(4, 3))
  one <- predict(fit, grid)
  all <- predict(fit, grid, se.fit = TRUE, interval = "prediction")
  table <- predict(fit, as.data.frame(grid), se.fit = TRUE, interval = "prediction")
  expect_s3_class(one, "rfield")
  expect_identical(dim(one), c(4L, 3L))
  expect_identical(dim(all), c(4L, 3L, 4L))
  expect_identical(dimnames(all)[[3]], c("fit", "se.fit", "lwr", "upr"))
  expect_equal(as.vector(one), table$fit)
  expect_equal(as.data.frame(all), table, ignore_attr = TRUE)
  expect_named(as.data.frame(one), c("x", "y", "fit"))
  expect_output(print(all), "Kriging: fit, se.fit, lwr, upr on a grid of 4 x 3 points")
  expect_output(print(all), "By universal kriging, 60 observations")
  expect_output(print(summary(all)), "se.fit")
  expect_null(summary(all)$error)
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(all))
  expect_silent(plot(all, sim = "se.fit"))
  expect_silent(plot(all, sim = 2))
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(plot(all, sim = "none"), "sim must be one of \"fit\", \"se.fit\"")
  refused(predict(all, cbind(1, 1)), "predict\\(fit, newdata\\)")
  refused(tbrfError(all), "no recipe")
  refused(rfCovariance(one), "predictions, which vary less")
})

test_that("points of sf, and rasters of terra and stars, come back with predictions", {
  skip_if_not_installed("sf")
  data <- sample_data()
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 28992)
  new <- new_data()
  places <- sf::st_as_sf(new, coords = c("x", "y"), crs = 28992)
  fit <- gpFit(z ~ u, points, cov = sample_model, fixed = TRUE)
  wanted <- predict(sample_fit(z ~ u), new, se.fit = TRUE)
  got <- predict(fit, places, se.fit = TRUE)
  expect_s3_class(got, "sf")
  expect_equal(got$fit, wanted$fit)
  expect_equal(got$se.fit, wanted$se.fit)
  expect_true(all(c("fit", "fit.1") %in% names(predict(fit, got))))
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(predict(fit, sf::st_transform(places, 3857)), "must have the coordinate reference system of the data")
  refused(predict(sample_fit(z ~ u), sf::st_set_crs(sf::st_set_crs(places, NA), 4326)), "longitudes and latitudes")
  flat <- gpFit(z ~ 1, points, cov = sample_model, fixed = TRUE)
  expect_s3_class(predict(flat, sf::st_geometry(places)), "sf")
  expect_equal(predict(flat, cbind(new$x, new$y)), predict(flat, places)$fit)
  expect_equal(predict(flat, new)$fit, predict(flat, places)$fit)
  degrees <- sf::st_as_sf(data, coords = c("x", "y"), crs = 4326)
  sphere <- suppressMessages(gpFit(z ~ 1, degrees, cov = covModel("exponential", range = 50), fixed = TRUE))
  expect_silent(predict(sphere, sf::st_as_sf(new, coords = c("x", "y"), crs = 4326), se.fit = TRUE))
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 3, ncols = 4, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "EPSG:28992",
                        vals = c(NA, 2:12), names = "u")
  got <- predict(fit, raster, se.fit = TRUE)
  expect_s4_class(got, "SpatRaster")
  expect_identical(names(got), c("fit", "se.fit"))
  cells <- terra::as.data.frame(raster, xy = TRUE, na.rm = FALSE)
  wanted <- predict(sample_fit(z ~ u), cells, se.fit = TRUE)
  expect_equal(terra::values(got)[, "fit"], wanted$fit)
  expect_true(is.na(wanted$fit[1]))
  empty <- terra::rast(raster)
  expect_equal(terra::values(predict(sample_fit(z ~ x), empty))[, 1], predict(sample_fit(z ~ x), cells)$fit)
  skip_if_not_installed("stars")
  stars <- suppressWarnings(stars::st_as_stars(raster))
  got <- predict(fit, stars, se.fit = TRUE)
  expect_s3_class(got, "stars")
  expect_named(got, c("fit", "se.fit"))
  expect_equal(as.vector(got$se.fit), wanted$se.fit)
})

test_that("averages over rectangles are those of their points", {
  fit <- sample_fit(z ~ u)
  new <- new_data()
  sides <- c(0.2, 0.1)
  got <- predict(fit, new, se.fit = TRUE, block = sides)
  step <- (1:24 - 12.5) / 24
  data <- sample_data()
  X <- model.matrix(~ u, data)
  for (i in 1:3) {
    at <- cbind(new$x[i] + sides[1] * rep(step, 24), new$y[i] + sides[2] * rep(step, each = 24))
    wanted <- by_hand(sample_model, as.matrix(data[c("x", "y")]), data$z, X, at, cbind(1, rep(new$u[i], 576)))
    error <- sqrt(mean(wanted$covariance))
    expect_lt(abs(got$fit[i] - mean(wanted$mean)), 0.01 * error)
    expect_equal(got$se.fit[i], error, tolerance = 0.01)
  }
  expect_identical(predict(fit, new, se.fit = TRUE, block = sides, type = "latent"), got)
  tiny <- predict(fit, new, se.fit = TRUE, block = 1e-7)
  expect_equal(tiny$se.fit, predict(fit, new, se.fit = TRUE, type = "latent")$se.fit, tolerance = 1e-6)
  map <- predict(sample_fit(z ~ 1), rfGrid(0.1, 0.2, c(3, 3)), block = 0.2)
  expect_equal(map[2, 1], predict(sample_fit(z ~ 1), data.frame(x = 0.3, y = 0.1), block = 0.2)$fit)
})

test_that("averages over areas that are large against the range have settled", {
  # finer rules than predict() takes, which agree to 0.1 % of a standard error
  finer <- function(fit, new, block, level) {
    p <- statcl:::fit_problem(fit)
    new <- statcl:::new_places(fit, new, block)
    averages <- statcl:::exact_averages(fit, p, statcl:::fitted_data(fit))
    average <- function(level) averages(new, list(statcl:::area_rule(p, new, level, FALSE)))[[1]]
    before <- average(level - 1)
    value <- average(level)
    expect_lt(max(abs(value - before) / value[, 2]), 1e-3)
    value
  }
  close <- function(got, wanted) {
    expect_lt(max(abs(got$fit - wanted[, 1]) / wanted[, 2]), 0.01)
    expect_equal(got$se.fit, wanted[, 2], tolerance = 0.01)
  }
  data <- sample_data()
  at <- rbind(data[1:5, 1:2], data.frame(x = c(0.2, 0.5, 0.8), y = c(0.9, 0.5, 0.1)))
  for (range in c(0.05, 0.3)) for (block in c(0.03, 0.1, 0.5)) {
    fit <- gpFit(z ~ 1, data, ~ x + y, covModel("exponential", range = range, nugget = 0.05), fixed = TRUE)
    close(predict(fit, at, se.fit = TRUE, block = block), finer(fit, at, block, 5))
  }
  # the standard error was 1.6 of the true one
  expect_lt(predict(fit, at[7, ], se.fit = TRUE, block = 1)$se.fit, 0.11)
  line <- gpFit(z ~ 1, data, ~ x, covModel("exponential", range = 0.02, nugget = 0.05), fixed = TRUE)
  close(predict(line, at["x"], se.fit = TRUE, block = 0.5), finer(line, at["x"], 0.5, 9))
  # a rectangle of degrees is weighted by its area
  data <- transform(sample_data(), x = 50 * x, y = 80 * y)
  model <- covModel("exponential", range = 2000, nugget = 0.1, distance = "chordal")
  sphere <- gpFit(z ~ 1, data, ~ x + y, model, fixed = TRUE)
  new <- data.frame(x = c(20, 25), y = c(40, 30))
  close(predict(sphere, new, se.fit = TRUE, block = c(5, 10)), finer(sphere, new, c(5, 10), 4))
  at <- expand.grid(x = 20 + 10 * ((1:30) / 30 - 31 / 60), y = 40 + 40 * ((1:60) / 60 - 61 / 120))
  expect_equal(predict(sphere, new, block = c(10, 40))$fit[1],
               weighted.mean(predict(sphere, at)$fit, cospi(at$y / 180)), tolerance = 1e-3)
})

test_that("averages over polygons are those of a square grid within", {
  skip_if_not_installed("sf")
  fit <- sample_fit(z ~ u + x)
  new <- new_data(4)
  square <- function(i) sf::st_polygon(list(cbind(new$x[i] + c(-1, 1, 1, -1, -1) / 20,
                                                            new$y[i] + c(-1, -1, 1, 1, -1) / 20)))
  areas <- sf::st_sf(new["u"], geometry = sf::st_sfc(lapply(1:4, square)))
  got <- predict(fit, areas, se.fit = TRUE)
  expect_s3_class(got, "sf")
  data <- sample_data()
  step <- (1:13 - 7) / 130 # 13^2 is the first square from 150
  averages <- function(at, u) by_hand(sample_model, as.matrix(data[c("x", "y")]), data$z, fit$X, at,
                                      cbind(1, u, at[, 1]))
  S <- covariance(sample_model, as.matrix(data[c("x", "y")]))
  bound <- kappa(S, exact = TRUE) * 60 * .Machine$double.eps # of the weights, relatively
  for (i in 1:4) {
    wanted <- averages(cbind(new$x[i] + rep(step, 13), new$y[i] + rep(step, each = 13)), new$u[i])
    expect_equal(got$fit[i], mean(wanted$mean), tolerance = bound)
    # what is left of the variance of the process, 2
    expect_equal(got$se.fit[i]^2, mean(wanted$covariance), tolerance = bound * 2 / got$se.fit[i]^2)
  }
  expect_error(predict(fit, areas, block = 1), "newdata has polygons", class = "statcl_error_input")
  # two squares far apart are one area, each of 8 or 9 points along its sides
  both <- sf::st_sfc(sf::st_multipolygon(lapply(1:2, square)))
  at <- statcl:::polygon_points(statcl:::polygon_areas(both)[[1]]$shape, 150)$xy
  side <- 2 - (abs(at[, 1] - new$x[1]) < 0.05 & abs(at[, 2] - new$y[1]) < 0.05)
  expect_true(all(abs(at - as.matrix(new[side, c("x", "y")])) < 0.05) && all(table(side) %in% c(64, 72, 81)))
  expect_equal(predict(fit, sf::st_sf(u = 0.5, geometry = both))$fit, mean(averages(at, 0.5)$mean), tolerance = bound)
  # the northern half of a wide area of degrees has less weight
  data <- transform(sample_data(), x = 50 * x, y = 80 * y)
  sphere <- gpFit(z ~ y, data, coords = ~ x + y, fixed = TRUE,
                  cov = covModel("exponential", range = 10, variance = 1e-9, distance = "chordal"))
  outline <- sf::st_polygon(list(cbind(c(0, 10, 10, 0, 0), c(0, 0, 80, 80, 0))))
  box <- sf::st_sf(geometry = sf::st_sfc(outline, crs = 4326))
  at <- data.frame(x = rep(2 * 1:5 - 1, 35), y = rep(80 / 35 * (1:35 - 0.5), each = 5)) # spacing of sqrt(800 / 150)
  expect_warning(got <- predict(sphere, box)$fit, "1 area is very large against the range")
  expect_equal(got, weighted.mean(predict(sphere, at)$fit, cospi(at$y / 180)), tolerance = 1e-5)
})

test_that("new locations in chunks have the same predictions", {
  fit <- sample_fit(z ~ 1)
  grid <- rfGrid(0, 0.003, c(300, 250))
  all <- predict(fit, grid, se.fit = TRUE)
  expect_equal(all[c(1, 150, 300), 250, 2], predict(fit, cbind(c(0, 0.447, 0.897), 0.747), se.fit = TRUE)[, 2],
               ignore_attr = TRUE)
})

test_backends("variances are the same wherever covariances are made and solved for", {
  set.seed(47)
  n <- 130
  data <- data.frame(x = runif(n), y = runif(n), u = rnorm(n), z = rnorm(n))
  # 2^-40 of the largest distance is out of reach of a table; and observed locations
  new <- rbind(data.frame(x = runif(140), y = runif(140), u = rnorm(140)), data[1:3, c("x", "y", "u")])
  new[5, c("x", "y")] <- data[7, c("x", "y")] + 1e-12
  models <- list(sample_model, update(sample_model, angle = 20, ratio = 0.5),
                 covModel("exponential", range = 0.2) + covModel("gaussian", range = 0.1, nugget = 0.1),
                 covModel("wendland", range = 0.5, smoothness = 1.2, shape = 4, nugget = 0.1),
                 covModel("exponential", range = 50, variance = 2, nugget = 0.1, distance = "greatcircle"))
  old <- options(statcl.covariance.route = "table")
  on.exit(options(old))
  for (model in models) for (formula in c(z ~ 0, z ~ u + x)) for (error in list(NULL, data$x)) {
    fit <- withDevice("cpu", gpFit(formula, data, coords = ~ x + y, cov = model, fixed = TRUE,
                                   error.variance = error))
    got <- predict(fit, new, se.fit = TRUE)
    wanted <- withDevice("cpu", predict(fit, new, se.fit = TRUE))
    # variances are at most 3, their errors the condition of some 1e3 times eps of that
    expect_lt(max(abs(got$se.fit^2 - wanted$se.fit^2)), 3 * 1e3 * .Machine$double.eps)
    expect_lt(max(abs(got$fit - wanted$fit)), 1e-11)
  }
})
