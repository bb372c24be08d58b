# gpFit(): its search, its bounds, its arguments. At a maximum the gradient of gpLoglik(), which has tests of its own
# against many digits, is 0.

set.seed(11)
n <- 120
field <- data.frame(x = runif(n), y = runif(n), t = runif(n), w = rnorm(n), g = factor(rep(c("a", "b", "c"), 40)))
truth <- covModel("matern", range = 0.1, smoothness = 0.8, nugget = 0.1)
field$z <- drop(crossprod(chol(covariance(truth, field[1:2])), rnorm(n))) + 2 + field$w

# Newton's decrement at the estimates, of all that is free and not on a bound: what the likelihood may still rise.
decrement <- function(fit) {
  p <- subset(fit$parameters, component == "covariance")
  free <- rownames(p)[!p$fixed & p$boundary == ""]
  value <- gpLoglik(fit$cov, fit$x, fit$y - fit$offset, fit$X[, !is.na(fit$coefficients), drop = FALSE],
                    fit$estimator, fit$error.variance, TRUE, "average")
  expect_equal(as.numeric(value), fit$loglik, tolerance = 1e-12)
  expect_equal(unname(attr(value, "coefficients")), unname(fit$coefficients[!is.na(fit$coefficients)]),
               tolerance = 1e-10)
  g <- attr(value, "gradient")[free]
  sum(g * solve(attr(value, "information")[free, free], g)) / 2
}

test_backends("all families end where the gradient is 0", {
  few <- !identical(useDevice(), "cpu") && !every_test() # a launch for each of few numbers takes long
  if (few) skip_if_quick()
  for (cov in c("matern", "exponential", if (!few) c("gaussian", "powexp", "cauchy", "spherical", "cubic"))) {
    fit <- gpFit(z ~ w, field, ~ x + y, cov)
    expect_true(fit$converged, label = cov)
    expect_lt(decrement(fit), 1e-7)
  }
  fit <- gpFit(z ~ w + g, field, c("x", "y"), "wendland", estimator = "REML",
               fixed = list(smoothness = 1, shape = 4))
  expect_lt(decrement(fit), 1e-7)
})

test_that("a search from elsewhere ends at the same place", {
  fit <- gpFit(z ~ w, field, ~ x + y)
  for (start in list(list(variance = 1, range = 1, smoothness = 0.3, nugget = 0.5),
                     list(variance = 5, range = 0.02, smoothness = 3, nugget = 0.01))) {
    other <- gpFit(z ~ w, field, ~ x + y, start = start)
    expect_equal(other$loglik, fit$loglik, tolerance = 1e-9)
    expect_equal(other$parameters$estimate, fit$parameters$estimate, tolerance = 1e-3)
  }
  expect_equal(gpFit(z ~ w, field, ~ x + y, update(truth, scaling = "sqrt8nu"))$loglik, fit$loglik, tolerance = 1e-9)
})

test_that("steps are the best inside their bounds, and no start is taken for a maximum", {
  # of which a step that is cut at its bounds leads downhill
  gradient <- c(-6.42, -7.43)
  information <- matrix(c(1.3, 1.75, 1.75, 2.5), 2)
  step <- statcl:::search_step(gradient, information, 0, c(-2, -2), c(2, 2))
  grid <- as.matrix(expand.grid(seq(-2, 2, 0.01), seq(-2, 2, 0.01)))
  value <- function(s) drop(s %*% gradient) - rowSums((s %*% information) * s) / 2
  expect_gte(value(rbind(step)), max(value(grid)) - 1e-12)
  survey <- data.frame(field[c("x", "y")], z = sin(5 * field$x) * cos(4 * field$y) + field$w / 20)
  best <- gpFit(z ~ 1, survey, ~ x + y, "exponential")$loglik
  for (start in list(list(range = 10, nugget = 1500), list(range = 1e-3), list(nugget = 1e-6, variance = 1e4)))
    expect_equal(gpFit(z ~ 1, survey, ~ x + y, "exponential", start = start)$loglik, best, tolerance = 1e-8)
})

test_that("the search's own coordinates have the derivatives that it takes", {
  space <- function(model, v) {
    xy <- cbind(field$x, field$y)
    p <- statcl:::gp_problem(model, list(xy = xy, geographic = NA), NULL)
    free <- setdiff(statcl:::parameter_names(statcl:::model_parts(model))$name, if (model$name == "wendland")
      c("angle", "ratio"))
    about <- list(problem = p, rows = statcl:::cov_parameters(p$parts), scaled = TRUE, inside = FALSE)
    s <- statcl:::search_space(about, free, list(space = c(0.1, 1), time = c(1, 1), variance = 1))
    t <- statcl:::search_start(v, s)
    point <- statcl:::search_point(t, s)
    relative <- if (s$reference) ifelse(s$rows$parameter %in% c("variance", "nugget"), v[s$reference], 1) else 1
    expect_equal(point$v * relative, v, tolerance = 1e-12)
    for (k in seq_along(t)) {
      step <- replace(numeric(length(t)), k, 1e-5)
      slope <- (statcl:::search_point(t + step, s)$v - statcl:::search_point(t - step, s)$v)[s$at] / 2e-5
      expect_equal(slope, point$jacobian[, k], tolerance = 1e-8)
    }
  }
  turned <- covModel("matern", range = 1, smoothness = 1, angle = 30, ratio = 0.5, nugget = 0.1)
  space(turned, c(2, 1.5, 0.8, 35, 0.4, 0.2))
  space(update(turned, scaling = "sqrt2nu"), c(2, 1.5, 0.8, -35, 0.4, 0.2))
  space(covModel("wendland", range = 1, smoothness = 1, shape = 4, nugget = 0.1), c(2, 1.5, 0.8, 3.9, 0, 1, 0.2))
})

test_that("anisotropy, space and time, sums and known variances of errors are fitted", {
  free <- function(fit) rownames(subset(fit$parameters, component == "covariance" & !fixed))
  fit <- gpFit(z ~ w, field, ~ x + y, covModel("matern", range = NA, smoothness = 0.8, angle = NA, ratio = NA),
               fixed = "smoothness")
  expect_setequal(free(fit), c("variance", "range", "angle", "ratio", "nugget"))
  expect_lt(decrement(fit), 1e-6)
  fit <- gpFit(z ~ w, field, ~ x + y, covModel("exponential", range = NA, scales = c(NA, NA)))
  expect_setequal(free(fit), c("variance", "scales1", "scales2", "nugget"))
  expect_lt(decrement(fit), 1e-7)
  model <- covModel("separable", space = covModel("matern", range = NA, smoothness = 0.8),
                    time = covModel("exponential", range = NA), variance = NA, nugget = NA)
  fit <- gpFit(z ~ w, field, ~ x + y + t, model, fixed = "space.smoothness", start = list(time.range = 1))
  expect_true(all(c("space.range", "time.range") %in% free(fit)))
  expect_gte(fit$loglik, gpFit(z ~ w, field, ~ x + y, fixed = list(smoothness = 0.8))$loglik - 1e-3)
  fit <- gpFit(z ~ w, field, ~ x + y, covModel("exponential", range = 0.3) + covModel("gaussian", range = 0.05))
  expect_setequal(free(fit), c("variance.1", "range.1", "nugget.1", "variance.2", "range.2"))
  fit <- gpFit(z ~ w, field, ~ x + y, "exponential", error.variance = 0.05 + x / 10, fixed = list(nugget = 0))
  expect_equal(fit$error.variance, 0.05 + field$x / 10)
  expect_lt(decrement(fit), 1e-7)
})

test_that("an angle is found whose ratio is fixed, or range, wherever the search begins", {
  model <- covModel("exponential", range = NA, nugget = NA, ratio = 0.4)
  turned <- transform(field, y = 0.4 * y, x = x) # the longer axis is that of x, and then that of y
  for (end in list(turned, data.frame(turned[setdiff(names(turned), c("x", "y"))], x = turned$y, y = turned$x))) {
    fits <- lapply(c(0, 45, 80, 170), function(angle)
      gpFit(z ~ w, end, ~ x + y, model, fixed = "ratio", start = list(angle = angle)))
    angle <- vapply(fits, function(fit) fit$parameters["angle", "estimate"], 0)
    expect_true(all(angle > -90 & angle <= 90))
    expect_true(all(vapply(fits, function(fit) fit$parameters["angle", "boundary"] == "", NA)))
    expect_lt(diff(range(vapply(fits, `[[`, 0, "loglik"))), 1e-6)
  }
  both <- gpFit(z ~ w, field, ~ x + y, covModel("exponential", range = 0.3, angle = NA, ratio = NA), fixed = "range")
  expect_lt(decrement(both), 1e-6)
})

test_that("parameters on a bound are there, and said to be", {
  set.seed(3)
  smooth <- field
  smooth$z <- drop(crossprod(chol(covariance(covModel("exponential", range = 0.5), field[1:2])), rnorm(n)))
  fit <- gpFit(z ~ 1, smooth, ~ x + y, "exponential")
  expect_identical(fit$parameters["nugget", "estimate"], 0)
  expect_identical(fit$parameters["nugget", "boundary"], "lower")
  expect_true(is.na(fit$parameters["nugget", "std.error"]))
  slope <- attr(gpLoglik(fit$cov, fit$x, fit$y, fit$X, gradient = TRUE), "gradient")
  expect_lte(slope[["nugget"]], 0)
  expect_lt(decrement(fit), 1e-7)
})

test_that("geographic coordinates of sf are measured as covariance() does", {
  skip_if_not_installed("sf")
  earth <- data.frame(lon = 10 * field$x, lat = 40 + 10 * field$y, field["z"])
  points <- sf::st_as_sf(earth, coords = c("lon", "lat"), crs = 4326)
  expect_message(fit <- gpFit(z ~ 1, points, cov = "exponential"), "chordal")
  expect_identical(fit$cov$distance, "chordal")
  plain <- gpFit(z ~ 1, earth, ~ lon + lat, covModel("exponential", range = NA, distance = "chordal"))
  expect_equal(fit$loglik, plain$loglik, tolerance = 1e-10)
  circle <- covModel("matern", range = NA, smoothness = NA, distance = "greatcircle")
  circle <- gpFit(z ~ 1, earth, ~ lon + lat, circle)
  expect_lte(circle$parameters["smoothness", "estimate"], 0.5)
})

test_that("formula, subset, missing values and offsets are those of lm()", {
  holes <- field
  holes$z[3] <- NA
  holes$x[5] <- NA
  fit <- gpFit(z ~ w + offset(y), holes, ~ x + y, "exponential", subset = w > -1)
  keep <- setdiff(which(field$w > -1), c(3, 5))
  expect_equal(fit$nobs, length(keep))
  expect_equal(unname(fit$x), unname(as.matrix(field[keep, 1:2])))
  same <- gpFit(I(z - y) ~ w, field[keep, ], ~ x + y, "exponential")
  expect_equal(fit$loglik, same$loglik, tolerance = 1e-9)
  expect_equal(fit$fitted.values, same$fitted.values + field$y[keep], tolerance = 1e-5)
  aliased <- gpFit(z ~ w + I(2 * w), field, ~ x + y, "exponential")
  expect_true(is.na(aliased$coefficients[[3]]))
  expect_equal(aliased$loglik, gpFit(z ~ w, field, ~ x + y, "exponential")$loglik, tolerance = 1e-10)
})

test_that("few and odd points give a fit or say why not", {
  expect_error(gpFit(z ~ 1, field[1:5, ], ~ x + y), "5 observations for 5 parameters", class = "statcl_error_input")
  expect_true(is.finite(gpFit(z ~ 1, field[1:2, ], ~ x + y, covModel("exponential", range = 1), fixed = TRUE)$loglik))
  expect_true(is.finite(gpFit(z ~ 1, transform(field, y = 2 * x), ~ x + y, "exponential")$loglik))
  twice <- rbind(field, transform(field[1:5, ], z = z + rnorm(5)))
  expect_true(gpFit(z ~ 1, twice, ~ x + y, "exponential")$converged)
  expect_error(gpFit(z ~ 1, twice, ~ x + y, fixed = list(nugget = 0)), "locations [0-9]+ and [0-9]+ are the nearest",
               class = "statcl_error_input")
  expect_error(gpFit(I(0 * z) ~ 1, field, ~ x + y), "constant", class = "statcl_error_input")
  expect_error(gpFit(I(2 * x) ~ x, field, ~ x + y), "exactly", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, transform(field, x = 1, y = 1), ~ x + y), "one location", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field), "coords", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, ~ lon + lat),
               "coords = ~lon \\+ lat: there is no lon and no lat, data has the columns x, y",
               class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, ~ x + time), "there is no time", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, ~ x + y, error.variance = -1), "error.variance", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, c("x", "q")), "q", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, transform(field, x = replace(x, 2, Inf)), ~ x + y), "finite",
               class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, ~ x + y, fixed = list(nu = 0.5)), "smoothness", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, ~ x + y, fixed = list(smoothness = -1)), "positive", class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, field, ~ x + y, "mat"), "matern", class = "statcl_error_input")
})

test_that("the likelihood and standard errors are those of nlme::gls()", {
  skip_if_not_installed("nlme")
  for (estimator in c("ML", "REML")) {
    gls <- nlme::gls(z ~ w, field, nlme::corExp(c(0.1, 0.1), ~ x + y, nugget = TRUE), method = estimator)
    fit <- gpFit(z ~ w, field, ~ x + y, "exponential", estimator = estimator)
    expect_gte(fit$loglik, as.numeric(logLik(gls)) - 1e-6)
    expect_equal(fit$loglik, as.numeric(logLik(gls)), tolerance = 1e-6)
    expect_equal(unname(fit$coefficients), unname(coef(gls)), tolerance = 1e-3)
  }
})

test_that("messages and results name the rows of the data", {
  set.seed(41)
  d <- data.frame(x = runif(30), y = runif(30), z = rnorm(30), w = 1, row.names = paste0("p", 1:30))
  d$z[2:3] <- NA
  d$x[30] <- d$x[29]
  d$y[30] <- d$y[29]
  smooth <- covModel("gaussian", range = 0.1)
  expect_error(gpFit(z ~ 1, d, ~ x + y, smooth, fixed = list(nugget = 0)), "locations p29 and p30 are the nearest")
  expect_error(gpFit(z ~ 1, d, ~ x + y, smooth, fixed = TRUE), "from location p30 on; p29 is the nearest to it")
  fit <- gpFit(z ~ 1, d, ~ x + y, update(smooth, nugget = 0.1), fixed = TRUE)
  singular <- replace(statcl:::fit_problem(fit), "diagonal", list(numeric(28)))
  expect_error(statcl:::sound_factor(singular), "p30 on; p29")
  expect_identical(names(cooks.distance(fit)), paste0("p", c(1, 4:30)))
  bad <- function(column, value, pattern, ...) {
    d[10, column] <- value
    expect_error(gpFit(z ~ w, d, ~ x + y, "exponential", ...), pattern, class = "statcl_error_input")
  }
  bad("z", Inf, "y\\[p10\\] = Inf")
  bad("w", Inf, "w\\[p10\\] = Inf: must be finite")
  bad("y", Inf, "coords\\[p10, 2\\] = Inf")
  d$y[10] <- 95
  sphere <- covModel("exponential", range = 1, distance = "chordal")
  expect_error(gpFit(z ~ 1, d, ~ x + y, sphere), "^coords\\[p10, 2\\] = 95: latitudes")
  bad("w", -1, "error.variance\\[p10\\] = -1", error.variance = w)
  d$w[10] <- 2
  expect_warning(gpCV(gpFit(z ~ w, d, ~ x + y, fit$cov, fixed = TRUE), "loo"), "the fold of observation p10")
})

test_that("coordinates that are too few or too many are told of", {
  set.seed(42)
  d <- data.frame(x = runif(40), y = runif(40), t = rep(1:8, 5), z = rnorm(40))
  inner <- function(...) covModel("exponential", range = 1, ...)
  times <- function(...) covModel("separable", space = inner(...), time = inner())
  refused <- function(coords, cov, pattern)
    expect_error(gpFit(z ~ 1, d, coords, cov, fixed = TRUE), pattern, class = "statcl_error_input")
  refused(~ x + y, times(),
          "are 2 coordinates \\(x, y\\): the model takes coordinates in space, and after these the time")
  refused("x", times(), "is 1 coordinate \\(x\\): .* and after these the time")
  refused(~ x + y, times(distance = "chordal"), "2 coordinates .* takes longitude and latitude, and after these")
  refused(~ x + y + t, inner(distance = "greatcircle"),
          "3 coordinates .* takes longitude and latitude; a time after these is for models by .*separable")
  refused(~ x + y + t, inner(angle = 10, ratio = 0.5), "3 coordinates .* takes 2 coordinates$")
  refused(cbind(d$x, d$y, d$t), inner(scales = 1:2), "are 3 coordinates: the model takes 2 coordinates$")
  refused(~ x + t, times(scales = 1:2), "2 coordinates .* takes 2 coordinates, and after")
  expect_silent(gpFit(z ~ 1, d, ~ x + t, times(), fixed = TRUE))
  expect_silent(gpFit(z ~ 1, d, cbind(d$x, d$y), times(), fixed = TRUE))
})

test_that("terms of coords are evaluated, or refused by name", {
  set.seed(43)
  d <- data.frame(x = 1:30 + 0, y = runif(30), z = rnorm(30))
  fixed <- covModel("exponential", range = 1, nugget = 0.1)
  fit <- function(coords, data = d) gpFit(z ~ 1, data, coords, fixed, fixed = TRUE)
  refused <- function(coords, pattern) expect_error(fit(coords), pattern, class = "statcl_error_input")
  refused(~ x * y, "coords = ~x \\* y: x \\* y is no coordinate, I\\(x \\* y\\) would be one")
  refused(~ y + x^2, "x\\^2 is no coordinate")
  refused(~ x / 1000 + y, "x/1000 is no coordinate")
  refused(~ x + y - 1, "- 1 is no coordinate")
  refused(~ x + 1, ": 1 is no coordinate$")
  refused(~ ., "\\. is no coordinate$")
  scaled <- fit(~ log(x) + I(y * 3))
  expect_identical(scaled$x, cbind(log(d$x), d$y * 3))
  expect_identical(scaled$loglik, fit(~ u + v, transform(d, u = log(x), v = 3 * y))$loglik)
  expect_equal(predict(scaled, d[1:2, ])$fit, unname(predict(scaled)[1:2]))
  expect_identical(fit(~ (x + y) + x)$x, fit(c("x", "y"))$x)
  d$day <- as.Date("2020-01-01") + 0:29
  refused(~ day, "coords\\$day = Date: .* as.numeric\\(\\) of it has days")
  expect_identical(fit(~ as.numeric(day), d)$x[2, 1], as.numeric(d$day[2]))
})

test_that("a vector has the coordinates of points on a line", {
  model <- covModel("exponential", range = 3, nugget = 0.1)
  series <- ts(sin(1:40), start = 2000, frequency = 4)
  fits <- lapply(list(time(series), cbind(as.vector(time(series)))), function(coords)
    gpFit(as.vector(series) ~ 1, coords = coords, cov = model, fixed = TRUE))
  expect_identical(fits[[1]]$loglik, fits[[2]]$loglik)
  for (new in list(c(2001.1, 2020), cbind(c(2001.1, 2020)), data.frame(x = c(2001.1, 2020))))
    expect_equal(predict(fits[[1]], new), predict(fits[[2]], new))
  expect_error(gpFit(series ~ 1, coords = 1:3, cov = model), "")
})

test_that("names of coords are also those of variables without data", {
  set.seed(47)
  u <- runif(20)
  v <- runif(20)
  z <- rnorm(20)
  fixed <- covModel("exponential", range = 1, nugget = 0.1)
  expect_identical(gpFit(z ~ 1, coords = c("u", "v"), cov = fixed, fixed = TRUE)$loglik,
                   gpFit(z ~ 1, coords = cbind(u, v), cov = fixed, fixed = TRUE)$loglik)
})

test_that("models of gstat are taken", {
  skip_if_not_installed("gstat")
  set.seed(44)
  d <- data.frame(x = runif(40), y = runif(40), z = rnorm(40))
  v <- gstat::vgm(0.7, "Exp", 0.1, 0.3)
  fit <- gpFit(z ~ 1, d, ~ x + y, v)
  expect_identical(fit$parameters, gpFit(z ~ 1, d, ~ x + y, covModel(v))$parameters)
  expect_identical(coef(gpFit(z ~ 1, d, ~ x + y, v, fixed = TRUE), "covariance")[["nugget"]], 0.3)
  expect_error(gpFit(z ~ 1, d, ~ x + y, 1), "the name of a family, or a model by covModel\\(\\) or gstat::vgm")
})

test_that("sf points take the time from a column", {
  skip_if_not_installed("sf")
  set.seed(45)
  d <- data.frame(x = runif(40), y = runif(40), t = rep(1:8, 5), z = rnorm(40))
  points <- sf::st_as_sf(d, coords = c("x", "y"))
  cov <- covModel("separable", space = covModel("exponential", range = 0.2), nugget = 0.1,
                  time = covModel("exponential", range = 2))
  flat <- gpFit(z ~ t, d, ~ x + y + t, cov, fixed = TRUE)
  expect_error(gpFit(z ~ t, points, cov = cov), "are 2 coordinates: .* after these the time")
  new <- data.frame(x = 0.5, y = c(0.2, 0.4), t = 3)
  wanted <- predict(flat, new, se.fit = TRUE)
  for (coords in list(~ t, "t")) {
    fit <- gpFit(z ~ t, points, coords, cov, fixed = TRUE)
    expect_identical(fit$loglik, flat$loglik)
    expect_identical(fit$coords$names, c("x", "y", "t"))
    for (newdata in list(new, sf::st_as_sf(new, coords = c("x", "y"))))
      expect_equal(as.data.frame(predict(fit, newdata, se.fit = TRUE))[c("fit", "se.fit")],
                   wanted[c("fit", "se.fit")])
  }
  fit <- gpFit(z ~ t, points, ~ I(t / 10), update(cov, time = covModel("exponential", range = 0.2)), fixed = TRUE)
  expect_equal(fit$loglik, flat$loglik, tolerance = 1e-12)
  for (newdata in list(new, sf::st_as_sf(new, coords = c("x", "y"))))
    expect_equal(predict(fit, newdata)$fit, wanted$fit)
  expect_error(predict(fit, sf::st_as_sf(new[1:2], coords = c("x", "y"))), "dimension 2, those of the data 3")
  expect_error(gpFit(z ~ 1, points, cbind(1:40), cov), "coords adds a column of data")
  globe <- sf::st_set_crs(points, 4326)
  round <- update(cov, space = covModel("exponential", range = 50, distance = "chordal"))
  fit <- gpFit(z ~ 1, globe, "t", round, fixed = TRUE)
  expect_identical(fit$coords$names, c("longitude", "latitude", "t"))
  expect_identical(fit$loglik, gpFit(z ~ 1, d, ~ x + y + t, round, fixed = TRUE)$loglik)
})

test_that("observations without correlation have variance 0, and all of theirs is nugget", {
  set.seed(2)
  d <- data.frame(x = 1:60, y = 0, z = rnorm(60))
  plain <- lm(z ~ 1, d)
  for (settings in list(list(), list(method = "vecchia"), list(estimator = "REML"))) {
    fit <- do.call(gpFit, c(list(z ~ 1, quote(d), ~ x + y, "exponential"), settings))
    sill <- fit$parameters[c("variance", "nugget"), ]
    total <- mean(residuals(plain)^2) * if (fit$estimator == "REML") 60 / 59 else 1
    expect_equal(sill$estimate, c(0, total), tolerance = 1e-6)
    expect_identical(sill$boundary, c("lower", ""))
    expect_equal(sill$std.error, c(NA, total * sqrt(2 / if (fit$estimator == "REML") 59 else 60)), tolerance = 1e-6)
    expect_true(fit$converged)
    expect_equal(as.double(logLik(fit)), as.double(logLik(plain, REML = fit$estimator == "REML")), tolerance = 1e-9)
    expect_equal(predict(fit, d[1:2, ], type = "latent")$fit, rep(unname(coef(plain)), 2))
    expect_output(print(fit), "No correlation was found")
  }
  # observations at one location tell variance and nugget apart
  twice <- rbind(d, transform(d, z = z + 0.1 * rnorm(60)))
  expect_gt(gpFit(z ~ 1, twice, ~ x + y, "exponential")$parameters["variance", "estimate"], 0.5)
})

test_that("the longitude is the first coordinate on the sphere", {
  d <- data.frame(lat = 45:54, long = 5:14, z = rnorm(10))
  sphere <- covModel("exponential", range = 300, distance = "chordal")
  expect_error(gpFit(z ~ 1, d, ~ lat + long, sphere, fixed = TRUE), "coords has lat before long",
               class = "statcl_error_input")
  expect_error(covariance(sphere, d[1:2]), "x has lat before long", class = "statcl_error_input")
  expect_silent(covariance(sphere, d[2:1]))
})

test_that("anisotropy is not estimated where nothing is across", {
  set.seed(46)
  d <- data.frame(x = runif(30), z = rnorm(30), flat = 1)
  d$up <- 2 * d$x + 1
  turned <- covModel("exponential", range = NA, angle = NA, ratio = NA)
  scaled <- covModel("exponential", scales = c(NA, NA), range = 1)
  refused <- function(coords, cov, pattern)
    expect_error(gpFit(z ~ 1, d, coords, cov), pattern, class = "statcl_error_input")
  refused(~ x + flat, turned, "angle and ratio cannot be estimated: coordinate 2 is the same everywhere")
  refused(~ flat + x, scaled, "scales1 and scales2 cannot be estimated: coordinate 1 is the same")
  refused(~ x + up, turned, "the locations are on one line")
  refused(~ x + up, scaled, "the locations are on one line")
  expect_silent(gpFit(z ~ 1, d, ~ x + flat, covModel("exponential", range = NA, angle = 20, ratio = 0.5),
                      fixed = list(angle = 20, ratio = 0.5)))
  expect_silent(gpFit(z ~ 1, d, ~ x + flat, "exponential"))
})

test_that("a mean of the covariance's model, and a subset without rows, are named", {
  d <- data.frame(x = runif(20), y = runif(20), z = rnorm(20))
  expect_error(gpFit(z ~ 0, d, ~ x + y, covModel("exponential", range = 1, mean = 6)), "cov\\$mean = 6",
               class = "statcl_error_input")
  expect_error(gpFit(z ~ 0, d, ~ x + y, covModel("exponential", range = 1, mean = function(x) x[, 1])), "cov\\$mean",
               class = "statcl_error_input")
  expect_error(gpFit(z ~ 1, d, ~ x + y, "exponential", subset = z > 1e6), "subset", class = "statcl_error_input")
})

test_that("penalties keep estimates off the boundaries, and are in the maximum to the last digit", {
  smooth <- field
  smooth$z <- smooth$x + 2 * smooth$y^2 + sin(3 * smooth$x) # as smooth as can be, and without nugget
  free <- suppressWarnings(gpFit(z ~ 1, smooth, ~ x + y, cov = covModel("matern", range = NA, smoothness = NA,
                                                                         nugget = 1e-6), fixed = list(nugget = 1e-6)))
  fit <- gpFit(z ~ 1, smooth, ~ x + y, penalty = TRUE,
               cov = covModel("matern", range = NA, smoothness = NA, nugget = 1e-6), fixed = list(nugget = 1e-6))
  expect_lt(fit$cov$smoothness, free$cov$smoothness)
  expect_false(any(nzchar(fit$parameters$boundary)))
  diagonal <- sqrt(diff(range(field$x))^2 + diff(range(field$y))^2)
  taken <- function(fit, range = fit$cov$range, smoothness = fit$cov$smoothness) {
    model <- update(fit$cov, range = range, smoothness = smoothness)
    as.numeric(gpLoglik(model, fit$x, fit$y, fit$X)) - max(log(smoothness / 4), 0)^2 - max(log(range / diagonal), 0)^2
  }
  best <- taken(fit)
  expect_gt(max(log(fit$cov$smoothness / 4), log(fit$cov$range / diagonal)), 0) # one is at work
  for (by in c(0.98, 1.02)) {
    expect_lt(taken(fit, range = fit$cov$range * by), best)
    expect_lt(taken(fit, smoothness = fit$cov$smoothness * by), best)
  }
  expect_equal(as.numeric(gpLoglik(fit$cov, fit$x, fit$y, fit$X)), fit$loglik, tolerance = 1e-12)
  expect_error(gpFit(z ~ 1, smooth, ~ x + y, penalty = 3:4), "penalty")
})

test_that("an interrupt ends a search with the best so far", {
  skip_if_quick()
  own <- list(search_value = statcl:::search_value, keeps_best = statcl:::keeps_best)
  replace <- function(name, value) utils::assignInNamespace(name, value, "statcl")
  on.exit(for (name in names(own)) replace(name, own[[name]]))
  calls <- 0
  replace("keeps_best", function() TRUE)
  replace("search_value", function(t, s, lik, ...) {
    if (!is.null(lik$search()$data$X)) calls <<- calls + 1 # of the search itself, not of that among few points
    if (calls == 4) stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
    own$search_value(t, s, lik, ...)
  })
  for (method in c("exact", "vecchia")) {
    calls <- 0
    expect_warning(fit <- gpFit(z ~ w, field, ~ x + y, method = method), "interrupted: the estimates are the best")
    expect_false(fit$converged)
    expect_equal(calls, 4)
    expect_true(is.finite(logLik(fit)))
    expect_equal(dim(vcov(fit)), c(2L, 2L))
  }
  # in what is not the search of a fit an interrupt is one
  stops <- function(expr) tryCatch(expr, interrupt = function(e) TRUE)
  for (k in c(5, 20)) {
    calls <- 4 - k
    expect_true(stops(confint(fit, "range", method = "profile")))
    calls <- 4 - k
    expect_true(stops(gpCV(fit, k = 5, refit = TRUE)))
  }
})

test_that("repeated observations are named, and scales have the range 1", {
  set.seed(2)
  d <- data.frame(x = runif(60), y = runif(60), z = rnorm(60))
  twice <- rbind(d, d[1:3, ])
  expect_warning(gpFit(z ~ 1, twice, ~ x + y, "exponential", "exact"), "3 observations at the location of another")
  expect_identical(covModel("exponential", scales = c(1, 2))$range, 1)
  expect_error(covModel("exponential"), "range")
})
