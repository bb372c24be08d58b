# Linear models of coregionalisation of gstat: the same values and predictions, and the same models back.

sill <- list(matrix(c(1, -0.4, 0.3, -0.4, 2, 0.1, 0.3, 0.1, 0.5), 3), tcrossprod(c(1, 0.5, -1)) + diag(0.2, 3))
nugget <- matrix(c(0.2, 0.05, 0, 0.05, 0.3, -0.02, 0, -0.02, 0.1), 3)
ids <- c("a", "b", "c")
lmc <- covModel("lmc", parts = list(covModel("matern", range = 0.2, smoothness = 0.8, angle = 60, ratio = 0.5),
                                    covModel("spherical", range = 0.9)),
                sill = sill, nugget = nugget, variable = ids)
names_of <- c("a", "a.b", "a.c", "b", "b.c", "c")
pairs <- cbind(c(1, 1, 1, 2, 2, 3), c(1, 2, 3, 2, 3, 3))

test_that("models of coregionalisation have the same values in gstat, and come back", {
  skip_if_not_installed("gstat")
  v <- as.vgm(lmc)
  expect_identical(names(v), names_of)
  h <- c(0.01, 0.1, 0.3, 1)
  for (k in seq_along(v)) for (dir in list(c(1, 0, 0), c(0, 1, 0), c(0.6, 0.8, 0))) {
    one <- gstat::variogramLine(v[[k]], dist_vector = h, dir = dir, covariance = TRUE)$gamma
    own <- covariance(lmc, cbind(outer(h, dir[1:2]), pairs[k, 1]), cbind(0, 0, pairs[k, 2]))
    expect_equal(drop(own), one, tolerance = 1e-12)
  }
  expect_identical(vapply(v, function(m) m$psill[m$model == "Nug"], 0, USE.NAMES = FALSE), nugget[pairs])
  expect_equal(covModel(v), lmc)
  expect_equal(covModel(as.vgm(update(lmc, nugget = 0))), update(lmc, nugget = 0))
  apart <- update(lmc, nugget = c(0.1, 0, 0.2))
  expect_equal(covModel(as.vgm(apart)), apart)
  expect_identical(names(as.vgm(update(lmc, variable = NULL)))[1:2], c("var1", "var1.var2"))
  unknown <- covModel("lmc", parts = list(covModel("exponential", range = NA)), sill = NA, nugget = c(NA, NA),
                      variable = c("a", "b"))
  expect_equal(covModel(as.vgm(unknown)), unknown)
})

test_that("Matern models of one smoothness and range have an equal", {
  skip_if_not_installed("gstat")
  rho <- matrix(c(1, 0.5, -0.2, 0.5, 1, 0.3, -0.2, 0.3, 1), 3)
  same <- covModel("multimatern", range = 0.3, smoothness = 1.5, variance = 1:3, correlation = rho, variable = ids,
                   nugget = c(0.1, 0.2, 0.3), scaling = "sqrt2nu", scales = c(1, 2))
  back <- covModel(as.vgm(same))
  expect_identical(back$name, "lmc")
  set.seed(1)
  points <- cbind(runif(12), runif(12), rep(1:3, 4))
  expect_equal(covariance(back, points), covariance(same, points), tolerance = 1e-12)
  each <- update(same, scaling = "plain", range = rep(0.3, 3))
  expect_equal(covariance(covModel(as.vgm(each)), points), covariance(each, points), tolerance = 1e-12)
  expect_input_error(as.vgm(update(same, smoothness = c(0.5, 1.5, 1))), "fixed = list(smoothness = 0.5)")
  expect_input_error(as.vgm(update(same, range = c(0.3, 0.2, 0.3), correlation = diag(3))), "one range")
})

co_kriged <- function() {
  set.seed(2)
  data <- data.frame(x = runif(30), y = runif(30))
  both <- cbind(data[rep(1:30, 3), ], variable = rep(1:3, each = 30))
  z <- drop(crossprod(chol(covariance(lmc, both)), rnorm(90)))
  data <- cbind(data, a = z[1:30], b = z[31:60], c = z[61:90])
  g <- NULL
  for (id in ids) g <- gstat::gstat(g, id, stats::as.formula(paste(id, "~ 1")), ~ x + y, data = data)
  list(data = data, g = g, new = data.frame(x = c(0.2, 0.7, 0.5), y = c(0.4, 0.1, 0.9)))
}
theirs <- function(g, new) suppressWarnings(predict(g, new, debug.level = 0))

test_that("co-kriging is that of gstat, with models that go and come", {
  skip_if_not_installed("gstat")
  known <- co_kriged()
  expect_predicted <- function(model, g) {
    fit <- gpFit(cbind(a, b, c) ~ 1, known$data, ~ x + y, model, fixed = TRUE)
    own <- predict(fit, known$new, se.fit = TRUE)
    p <- theirs(g, known$new)
    expect_equal(own$fit, unlist(p[paste0(ids, ".pred")], use.names = FALSE), tolerance = 1e-9)
    expect_equal(own$se.fit^2, unlist(p[paste0(ids, ".var")], use.names = FALSE), tolerance = 1e-9)
  }
  g <- known$g
  g$model <- as.vgm(lmc)
  expect_predicted(lmc, g)
  g <- gstat::gstat(known$g, model = gstat::vgm(1, "Sph", 0.7, 0.2), fill.all = TRUE) # with a model of "c.NA"
  fitted <- suppressWarnings(gstat::fit.lmc(gstat::variogram(known$g), g, correct.diagonal = 1.01))
  model <- covModel(fitted)
  expect_identical(model$variable, ids)
  expect_identical(model$sill[2, 3, 1], fitted$model$b.c$psill[2])
  expect_predicted(model, fitted)
  alone <- fitted
  alone$model <- fitted$model[ids]
  expect_identical(covModel(alone)$sill[, , 1], diag(vapply(fitted$model[ids], function(v) v$psill[2], 0),
                                                     names = FALSE))
  expect_predicted(covModel(alone), alone)
})

test_that("structures of one variable are those of a sum, and mean and distance are arguments", {
  skip_if_not_installed("gstat")
  sph <- function(psill) gstat::vgm(psill, "Sph", 3, 0.1)
  own <- gstat::vgm(2, "Exp", 1, add.to = gstat::vgm(0.5, "Sph", 3, 0.2))
  model <- covModel(list(a = own, a.b = sph(0.3), b = sph(1)), mean = 3, distance = "chordal", radius = 1)
  expect_identical(vapply(model$parts, `[[`, "", "name", USE.NAMES = FALSE), c("spherical", "exponential"))
  expect_equal(model$sill[, , 1], matrix(c(0.5, 0.3, 0.3, 1), 2))
  expect_equal(model$sill[, , 2], diag(c(2, 0)))
  expect_equal(model$nugget, matrix(c(0.2, 0.1, 0.1, 0.1), 2))
  expect_identical(model[c("mean", "distance", "radius")], list(mean = 3, distance = "chordal", radius = 1))
  nug <- function(psill) gstat::vgm(psill, "Nug", 0)
  only <- covModel(list(a = nug(1), a.b = nug(0.2), b = nug(2)))
  expect_identical(only$nugget, matrix(c(1, 0.2, 0.2, 2), 2))
  expect_equal(covariance(only, cbind(0:1, 0, 1:2)), diag(1:2 + 0))
  twice <- gstat::vgm(1, "Sph", 3, add.to = gstat::vgm(0.5, "Sph", 3)) # the same structure in two rows
  expect_equal(covModel(list(a = twice, b = sph(1)))$sill[, , 1], diag(c(1.5, 1)))
  g <- list(data = list(a = 1), model = list(a = own))
  expect_equal(covModel(structure(g, class = c("gstat", "list"))), covModel(own))
})

test_that("what is no model of coregionalisation is an error that says so", {
  skip_if_not_installed("gstat")
  v <- function(psill, name = "Exp", range = 1) gstat::vgm(psill, name, range)
  known <- co_kriged()
  expect_input_error(covModel(known$g), "a has no variogram model: gstat::gstat(g, model = )")
  expect_input_error(covModel(list(a = v(1), a.b = v(0.5), b = v(1, "Sph"))), "b has not")
  expect_input_error(covModel(list(a = v(1), a.b = v(0.5, range = 2), b = v(1))), "range = 2), and that of a has not")
  expect_input_error(covModel(list(a = v(1), a.b = v(2), b = v(1))), "must be positive semidefinite")
  expect_input_error(covModel(list(a = v(1), a.b = v(0.2), b = v(1), c = v(1))), "a.c has no variogram model")
  expect_input_error(covModel(list(a = v(1), b = v(1)), range = 2), "is no argument for a model of gstat")
  expect_input_error(covModel(list(v(1), v(2))), "the names of variables")
  expect_input_error(covModel(list(a = v(1), a = v(2))), "the names of variables")
  expect_input_error(covModel(list(a = v(1, "Lin", 0), b = v(1, "Lin", 0))), "must be models with a covariance")
})
