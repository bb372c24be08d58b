# Plots of fits of several variables.

set.seed(5)
data <- data.frame(x = runif(40), y = runif(40), z = rnorm(40), a = rnorm(40), b = rnorm(40))
data$a[1:6] <- NA
model <- covModel("multimatern", range = 0.2, smoothness = c(0.5, 1.5), variance = c(1, 2), correlation = 0.4,
                  nugget = c(0.2, 0.1))
fit <- gpFit(cbind(a, b) ~ 1, data, ~ x + y, model, fixed = TRUE)
with_z <- gpFit(list(a ~ z, b ~ x), data, ~ x + y, model, fixed = TRUE)

test_that("surfaces are the predictions of co-kriging, without the mean where it has covariates", {
  one <- statcl:::plotted_variable(1, fit)
  expect_identical(one$y, data$a[7:40])
  expect_equal(one$x, as.matrix(data[7:40, c("x", "y")]), ignore_attr = TRUE)
  surface <- statcl:::gp_surface(one, 5)
  expect_equal(range(surface$axes[[1]]), range(data$x)) # all places, also those of b alone
  points <- expand.grid(x = surface$axes[[1]], y = surface$axes[[2]])
  own <- predict(fit, points, variable = "a", se.fit = TRUE, type = "latent")
  expect_equal(surface$values, as.matrix(own[c("fit", "se.fit")]), tolerance = 1e-12, ignore_attr = TRUE)
  known <- statcl:::gp_surface(statcl:::plotted_variable(2, with_z), 5) # its mean is known everywhere
  own <- predict(with_z, points, variable = "b", se.fit = TRUE, type = "latent")
  expect_equal(known$values, as.matrix(own[c("fit", "se.fit")]), tolerance = 1e-12, ignore_attr = TRUE)
  rest <- statcl:::gp_surface(statcl:::plotted_variable(1, with_z), 5)
  mean <- predict(with_z, cbind(points, z = 0), variable = "a", type = "latent")$fit - coef(with_z)[["a:(Intercept)"]]
  expect_equal(rest$values[, "fit"], mean, tolerance = 1e-10)
  expect_match(statcl:::surface_label(statcl:::plotted_variable(1, with_z)), "process without its mean: a")
  expect_identical(statcl:::surface_label(one), "prediction of a")
})

test_that("leave-one-out errors have a plot for each variable", {
  loo <- gpCV(fit, "loo")
  for (k in 1:2) {
    picture <- statcl:::variable_errors(statcl:::plotted_variable(k, fit), statcl:::gp_loo(fit))
    expect_identical(picture$title, paste("Leave-one-out errors,", c("a", "b")[k]))
    own <- loo[loo$variable == c("a", "b")[k], ]
    points <- Find(function(layer) layer$first, picture$layers)$data
    expect_equal(points$x, own$mean, tolerance = 1e-12)
    expect_equal(points$y, (unname(fit$y[fit$variables$of == k]) - own$mean) / own$sd, tolerance = 1e-12)
  }
})

test_that("all views are drawn, and restore what they set", {
  pdf(NULL)
  on.exit(dev.off())
  before <- par(c("mfrow", "mar", "oma", "mgp", "cex", "plt"))
  expect_invisible(plot(fit))
  expect_silent(plot(fit, c("data", "surface", "se", "variogram", "residuals", "qq"), n = 8))
  expect_silent(plot(with_z, 1:3, n = 8, variable = 2, points = FALSE, key = "pH", main = "one"))
  expect_identical(par(c("mfrow", "mar", "oma", "mgp", "cex", "plt")), before)
  line <- gpFit(cbind(a, b) ~ 1, data, ~ x, model, fixed = TRUE)
  expect_silent(plot(line, c("data", "surface", "se", "variogram"), n = 8))
  space <- gpFit(cbind(a, b) ~ 1, data, ~ x + y + z, update(model, dim = 3, correlation = 0.3), fixed = TRUE)
  expect_silent(plot(space))
  expect_input_error(plot(space, "surface"), "there are no maps of points in space")
  expect_input_error(plot(fit, "sd"), "there is no formula for it")
  expect_input_error(plot(fit, variable = "zinc"), "any of a, b")
  one <- gpFit(b ~ 1, data, ~ x + y, covModel("exponential", range = 0.2), fixed = TRUE)
  expect_input_error(plot(one, variable = "b"), "is for fits of several variables")
})

test_that("fits of coregionalisation on great circles have variograms by their distances", {
  quakes <- datasets::quakes[1:40, ]
  lmc <- covModel("lmc", parts = list(covModel("exponential", range = 300, distance = "greatcircle")),
                  sill = list(matrix(c(1, 0.3, 0.3, 1), 2)), nugget = 0.1)
  sphere <- gpFit(cbind(log(depth), mag) ~ 1, quakes, ~ long + lat, lmc, fixed = TRUE)
  v <- rfVariogram(sphere, to = 900, width = 300)
  own <- v[v$variable1 == "mag", ]
  at <- quakes[c("long", "lat")]
  h <- covariance(covModel("exponential", range = 1e5, distance = "greatcircle"), at)
  h <- -1e5 * log(h[lower.tri(h)])
  class <- ceiling(h[h <= 900] / 300)
  expect_equal(own$distance[own$distance > 0], as.vector(tapply(h[h <= 900], class, mean)), tolerance = 1e-9)
  expect_equal(own$model, as.vector(tapply(1.1 - exp(-h[h <= 900] / 300), class, mean)), tolerance = 1e-9)
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(sphere))
})

test_that("ggplot2 draws a panel for each variable, or pair", {
  skip_if_not_installed("ggplot2")
  panels <- function(which) nrow(ggplot2::ggplot_build(ggplot2::autoplot(fit, which))$layout$layout)
  expect_identical(c(panels("variogram"), panels("residuals"), panels("qq")), c(3L, 2L, 1L))
})
