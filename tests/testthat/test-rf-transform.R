transform_model <- function(mean = 0.3) covModel("exponential", range = 2, variance = 0.5, nugget = 0.1, mean = mean)

test_that("values are transformed wherever a recipe has them", {
  grid <- rfGrid(0, 0.5, c(9, 7))
  field <- seeded(tbrf(grid, transform_model(), 50, nsim = 2))
  u <- (field[] - 0.3) / sqrt(0.6)
  sample <- c(3, 1, 7, 2)
  cases <- list(
    list(rfTransform(field, exp), exp(field[])),
    list(rfTransform(field, quantile = function(p) qgamma(p, 2)), array(qgamma(pnorm(u), 2), dim(u))),
    list(rfTransform(field, quantile = sample), array(quantile(sample, pnorm(u), names = FALSE), dim(u))),
    list(rfTransform(field, breaks = c(-0.2, 0.4)), 1 + (field[] > -0.2) + (field[] > 0.4)),
    list(rfTransform(rfTransform(field, exp), breaks = 1), 1 + (exp(field[]) > 1)))
  for (case in cases) {
    expect_equal(case[[1]][], case[[2]])
    expect_identical(attr(case[[1]], "grid"), attr(field, "grid"))
    expect_equal(predict(case[[1]], grid)[], case[[2]])
  }
  expect_output(print(cases[[5]][[1]]), "transformed by a function and 1 break")
  expect_null(summary(cases[[1]][[1]])$error)
  points <- as.matrix(grid)[1:5, ]
  at_points <- seeded(tbrf(points, transform_model(mean = function(p) p[, 1]), 50))
  expect_equal(as.vector(rfTransform(at_points, quantile = qnorm)), (as.vector(at_points) - points[, 1]) / sqrt(0.6))
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(rfTransform(field), "none is given")
  refused(rfTransform(field, `if`), "no arguments that R tells")
  refused(rfTransform(field, exp, breaks = 1), "several are given")
  refused(rfTransform(field, breaks = c(1, 0)), "breaks")
  refused(rfTransform(field[1, 1, ], exp), "must be a field")
  refused(rfTransform(cases[[1]][[1]], quantile = qnorm), "already")
  refused(rfTransform(field, function(z) 1), "a number for each")
  refused(rfTransform(field, exp, labels = c("a", "b")), "labels are for categories")
  refused(rfTransform(field, breaks = 0, labels = "a"), "labels = a: labels must be 2 different names")
})

test_that("a warning of a function is told once for all fields and times", {
  recipe <- seeded(tbrf(cbind(0:3, 0), transform_model(), 9, nsim = 2, correlation.time = 1, object = TRUE))
  doubtful <- rfTransform(recipe, quantile = function(p) {
    warning("a doubt")
    p
  })
  warnings <- capture_warnings(predict(doubtful, cbind(0:3, 0), time = 1:3))
  expect_identical(warnings, "a doubt")
})

test_that("large fields are transformed piece by piece, and stay what they were", {
  field <- seeded(suppressWarnings(tbrf(rfGrid(0, 0.1, c(1000, 300)), covModel("gaussian", range = 2, mean = 1), 9)))
  before <- field[]
  sizes <- NULL
  squared <- rfTransform(field, function(z) {
    sizes <<- c(sizes, length(z))
    z^2
  })
  expect_identical(c(max(sizes), sum(sizes)), c(262144L, 300000L))
  expect_identical(squared[], before^2)
  expect_identical(field[], before)
  uniform <- rfTransform(field, quantile = stats::qunif)
  expect_identical(predict(attr(uniform, "recipe"), attr(field, "grid"))[], uniform[])
  expect_equal(uniform[7, 291:300], pnorm(before[7, 291:300] - 1))
})

test_that("covariances of the values are those by two-dimensional integrals", {
  recipe <- seeded(tbrf(cbind(0, 0), transform_model(), 20, object = TRUE))
  h <- c(0.01, 0.5, 3, 20)
  rho <- covariance(transform_model(), h) / 0.6
  expect_equal(covariance(recipe, h), covariance(transform_model(), h))
  # log-normal: exp(2 mean + variance) (exp(covariance) - 1)
  expect_equal(covariance(rfTransform(recipe, exp), h), exp(0.6 + 0.6) * expm1(0.6 * rho), tolerance = 1e-12)
  expect_equal(covariance(rfTransform(recipe, function(z) z^2), h), 2 * (0.6 * rho)^2 + 4 * 0.3^2 * 0.6 * rho,
               tolerance = 1e-12)
  u <- seq(-8, 8, by = 0.02) # the trapezoidal rule of two independent normal variables
  w <- 0.02 * dnorm(u)
  g <- function(z) qgamma(pnorm(z), 2)
  by_hand <- function(r) sum(outer(w * g(u), w) * g(pmax(pmin(outer(r * u, sqrt(1 - r^2) * u, "+"), 8), -8))) -
    sum(w * g(u))^2
  gamma <- rfTransform(recipe, quantile = function(p) qgamma(p, 2))
  expect_equal(covariance(gamma, h[2:3]), vapply(rho[2:3], by_hand, 0), tolerance = 1e-8)
  # orthant probabilities: asin(rho)/(2 pi) at the median; any levels by conditional probabilities
  median <- rfTransform(recipe, breaks = 0.3)
  expect_equal(covariance(median, h), asin(rho) / (2 * pi), tolerance = 1e-12)
  levels <- (c(-0.2, 0.9) - 0.3) / sqrt(0.6)
  both <- function(a, b, r) integrate(function(u) dnorm(u) * pnorm((b - r * u) / sqrt(1 - r^2)), -9, a,
                                      rel.tol = 1e-11)$value - pnorm(a) * pnorm(b)
  wanted <- vapply(rho, function(r) sum(outer(levels, levels, Vectorize(both), r)), 0)
  expect_equal(covariance(rfTransform(recipe, breaks = c(-0.2, 0.9)), h), wanted, tolerance = 1e-8)
  # the variance, where all of the series counts
  near <- covariance(rfTransform(recipe, breaks = c(-0.2, 0.9)), cbind(0, 0))
  p <- diff(c(0, pnorm(levels), 1))
  expect_equal(near[1, 1], sum(p * (1:3)^2) - sum(p * 1:3)^2, tolerance = 1e-6)
  expect_error(covariance(seeded(rfTransform(tbrf(cbind(0, 0), transform_model(), 20, object = TRUE, data = list(
    x = cbind(1, 1), y = 1)), exp)), 1), "without data", class = "statcl_error_input")
})

test_that("fields come back as points of sp and terra, and become rasters of stars", {
  skip_if_not_installed("stars")
  skip_if_not_installed("terra")
  skip_if_not_installed("sp")
  at <- cbind(x = c(1, 2.5, 4), y = c(2, 0, 1))
  plain <- seeded(tbrf(at, transform_model(), 50, nsim = 2))
  points <- seeded(tbrf(sp::SpatialPoints(at), transform_model(), 50, nsim = 2))
  expect_s4_class(points, "SpatialPointsDataFrame")
  expect_equal(points$sim_2, plain[, 2], ignore_attr = TRUE)
  expect_equal(sp::coordinates(points), at, ignore_attr = TRUE)
  vector <- seeded(tbrf(terra::vect(at), transform_model(), 50, nsim = 2))
  expect_equal(vector$sim_1, plain[, 1], ignore_attr = TRUE)
  field <- seeded(tbrf(rfGrid(c(2, -3, 0), c(1, 2, 0.5), c(6, 1, 3)), transform_model(), 50))
  raster <- stars::st_as_stars(field)
  expect_equal(raster$value, field[], ignore_attr = TRUE)
  for (k in 1:3) expect_equal(stars::st_get_dimension_values(raster, k, where = "center"),
                              c(2, -3, 0)[k] + (seq_len(c(6, 1, 3)[k]) - 1) * c(1, 2, 0.5)[k])
  expect_error(stars::st_as_stars(plain), "no grid", class = "statcl_error_input")
})

test_that("estimates of transformed fields are compared with their own mean and covariance", {
  grid <- rfGrid(0, 1, c(10, 8))
  gaussian <- covModel("exponential", range = 2, variance = 0.3, nugget = 0.1, mean = 0.3)
  field <- seeded(tbrf(grid, gaussian, method = "fft", nsim = 100))
  near <- function(table, column) {
    expect_lt(max(abs(table[[column]] - table$model) / table$std.error), 4.5)
    expect_lt(mean(table$std.error / table$model), 0.3)
  }
  for (how in list(list(fun = exp), list(quantile = function(p) qgamma(p, 2)), list(breaks = c(-0.3, 0.5)))) {
    values <- do.call(rfTransform, c(list(field), how))
    recipe <- attr(values, "recipe")
    own <- rfVariogram(values, to = 4)
    near(own, "variogram")
    near(rfCovariance(values, to = 3), "covariance")
    h <- as.matrix(dist(as.matrix(grid)))
    pairs <- h[upper.tri(h) & h > 0 & h < 1.5]
    variance <- covariance(recipe, cbind(0, 0))[1, 1]
    expect_equal(own$model[1], variance - mean(covariance(recipe, pairs)), tolerance = 1e-7)
    expect_equal(summary(values)$variance, variance, tolerance = 1e-7)
    spectrum <- rfSpectrum(values)
    expect_null(spectrum$model)
    expect_lt(max(abs(spectrum$spectrum - spectrum$expected) / spectrum$std.error), 4.5)
  }
  log_normal <- rfTransform(field, exp)
  expect_output(print(rfCovariance(log_normal)), "transformed by a function, mean known, 1.649")
  expect_output(print(summary(log_normal)), "Variance of the model, transformed by a function: 1.337")
  expect_output(print(rfSummary(log_normal)), "100 fields, transformed by a function")
  pdf(NULL)
  on.exit(dev.off())
  for (shown in list(rfVariogram(log_normal), spectrum)) expect_silent(plot(shown))
  # without a mean or a covariance of the values there is nothing to compare with
  for (bare in list(update(gaussian, mean = function(x) x[, 1]), covModel("power", range = 3, shape = 1)))
    expect_null(rfVariogram(seeded(rfTransform(tbrf(grid, bare, 50), exp)))$model)
  expect_null(summary(rfTransform(field, function(z) 1 / pmax(z + 4, 0)))$variance)
})

test_that("the density of transformed periodic fields is that of the waves of the box", {
  grid <- rfGrid(0, 1, c(12, 10))
  field <- seeded(tbrf(grid, transform_model(), method = "fft", periodic = TRUE, nsim = 400))
  spectrum <- rfSpectrum(rfTransform(field, exp), to = 3)
  expect_lt(max(abs(spectrum$spectrum - spectrum$model) / spectrum$std.error), 4.5)
  expect_equal(spectrum$expected, spectrum$model, tolerance = 1e-12) # without a taper there is no leakage
})
