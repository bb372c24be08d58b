# Simulations: exact ones as affine functions of normal variables, moments of many, and fields by turning bands.

field_data_set <- function(n = 50) {
  set.seed(4)
  data <- data.frame(x = runif(n), y = runif(n), u = rnorm(n))
  data$z <- 3 + data$u + sin(5 * data$x) + rnorm(n) / 5
  data
}
field_model_of <- function(...)
  update(covModel("matern", range = 0.3, smoothness = 0.8, variance = 2, nugget = 0.1), ...)
field_fit <- function(formula = z ~ u, ..., data = field_data_set())
  gpFit(formula, data, coords = ~ x + y, cov = field_model_of(...), fixed = TRUE)
field_places <- data.frame(x = c(0.1, 0.5, 0.12, 0.9), y = c(0.4, 0.5, 0.42, 0.1), u = c(0, 1, -1, 0))

# Exact mean and covariance given the data.
conditional_by_hand <- function(fit, new, nugget) {
  x <- fit$x
  at <- as.matrix(new[c("x", "y")])
  X <- fit$X
  X0 <- if (ncol(X) > 1) cbind(1, new$u) else matrix(1, nrow(new))
  inverse <- solve(covariance(fit$cov, x))
  cross <- covariance(fit$cov, x, at)
  short <- t(X0) - t(X) %*% inverse %*% cross
  list(mean = predict(fit, new)$fit,
       covariance = covariance(update(fit$cov, nugget = nugget), at) - t(cross) %*% inverse %*% cross +
         t(short) %*% solve(t(X) %*% inverse %*% X, short))
}

sims <- function(value) as.matrix(value[grep("^sim", names(value))])

test_backends("fields given the data have the mean and the covariance of kriging", {
  fit <- field_fit()
  for (type in c("latent", "response")) {
    wanted <- conditional_by_hand(fit, field_places, 0.1 * (type == "response"))
    # 20 moments: beyond 4.5 with a probability of 1e-4
    exact <- simulate(fit, 1000, seed = 1, newdata = field_places, type = type)
    bands <- simulate(fit, 400, seed = 1, newdata = field_places, type = type, nlines = 200)
    for (draws in list(exact, bands))
      expect_lt(max(abs(moment_scores(sims(draws), wanted$mean, wanted$covariance))), 4.5)
  }
})

test_that("exact values are the conditional mean and a factor of the conditional covariance", {
  fit <- field_fit(z ~ 1)
  p <- statcl:::fit_problem(fit)
  residuals <- matrix(fit$residuals, 50, 131)
  set.seed(2)
  xy <- matrix(runif(260), 130)
  # values at 0 and at unit vectors
  value <- statcl:::exact_fields(p, residuals, xy, cbind(0, diag(130)))
  inverse <- solve(covariance(fit$cov, fit$x))
  cross <- covariance(fit$cov, fit$x, xy)
  expect_equal(value[, 1], drop(t(cross) %*% inverse %*% fit$residuals))
  expect_equal(tcrossprod(value[, -1] - value[, 1]),
               covariance(field_model_of(nugget = 0), xy) - t(cross) %*% inverse %*% cross)
  free <- statcl:::exact_fields(statcl:::without_points(p), matrix(0, 0, 130), xy, diag(130))
  expect_equal(tcrossprod(free), covariance(field_model_of(nugget = 0), xy))
})

test_that("smooth fields on fine meshes have a factor of lower rank, and nothing is added", {
  cov <- covModel("gaussian", range = 0.3, variance = 2, nugget = 1e-3)
  fit <- gpFit(z ~ 1, field_data_set(), coords = ~ x + y, cov = cov, fixed = TRUE)
  p <- statcl:::fit_problem(fit)
  mesh <- as.matrix(rfGrid(0, 0.05, c(12, 12)))
  value <- statcl:::exact_fields(p, matrix(fit$residuals, 50, 145), mesh, cbind(0, diag(144)))
  inverse <- solve(covariance(cov, fit$x))
  cross <- covariance(cov, fit$x, mesh)
  wanted <- covariance(update(cov, nugget = 0), mesh) - t(cross) %*% inverse %*% cross
  factor <- value[, -1] - value[, 1]
  expect_lt(sum(colSums(factor^2) > 0), 120)
  expect_lt(max(abs(tcrossprod(factor) - wanted)), 1e-9)
  expect_equal(value[, 1], drop(t(cross) %*% inverse %*% fit$residuals))
  free <- statcl:::exact_fields(statcl:::without_points(p), matrix(0, 0, 144), mesh, diag(144))
  expect_lt(max(abs(tcrossprod(free) - covariance(update(cov, nugget = 0), mesh))), 1e-12)
  # without an error the data themselves are on the field
  rough <- field_fit(nugget = 0)
  data <- field_data_set()
  twice <- rbind(data[c(1, 1, 9), ], data.frame(x = 0.3, y = c(0.3, 0.3), u = c(0, 1), z = NA))
  got <- simulate(rough, 2, seed = 3, newdata = twice)
  expect_equal(got$sim_1[1:3], data$z[c(1, 1, 9)])
  expect_equal(got$sim_2[1:3], data$z[c(1, 1, 9)])
  expect_false(got$sim_1[4] == got$sim_2[4])
  shared <- simulate(field_fit(z ~ 1, nugget = 0), 2, seed = 3, newdata = twice)
  expect_identical(shared$sim_1[4], shared$sim_1[5])
  for (method in c("spectral", "table"))
    expect_equal(simulate(rough, 2, seed = 3, newdata = twice, method = method)$sim_2[1:3], data$z[c(1, 1, 9)])
})

test_that("responses at the observations have their covariance and can be fitted again", {
  fit <- field_fit()
  set.seed(1)
  before <- .Random.seed
  got <- simulate(fit, 3, seed = 2)
  expect_identical(.Random.seed, before)
  expect_named(got, c("sim_1", "sim_2", "sim_3"))
  expect_identical(row.names(got), as.character(1:50))
  expect_identical(attr(got, "seed"), structure(2, kind = as.list(RNGkind())))
  expect_identical(simulate(fit, 3, seed = 2), got)
  expect_identical(simulate(fit, 2, seed = 2)$sim_2, got$sim_2)
  expect_false(identical(simulate(fit, 3, seed = 3), got))
  many <- as.matrix(simulate(fit, 2000, seed = 1))
  # 1325 moments: beyond 5 with a probability of 1e-3
  expect_lt(max(abs(moment_scores(many, fit$fitted.values, covariance(fit$cov, fit$x)))), 5)
  data <- field_data_set()
  data$z <- got$sim_1
  expect_s3_class(field_fit(data = data), "gpFit")
  data$v <- seq(0.1, 3, length.out = 50)
  known <- gpFit(z ~ u, data, coords = ~ x + y, cov = field_model_of(), fixed = TRUE, error.variance = v)
  many <- as.matrix(simulate(known, 2000, seed = 1))
  expect_lt(max(abs(moment_scores(many, known$fitted.values,
                                  covariance(known$cov, known$x, error.variance = data$v)))), 5)
  latent <- as.matrix(simulate(fit, 1000, seed = 1, conditional = TRUE, type = "latent"))
  error <- predict(fit, se.fit = TRUE, type = "latent")[, "se.fit"]
  expect_lt(max(abs((rowMeans(latent) - predict(fit)) / error)), 4.5 / sqrt(1000))
  free <- sims(simulate(fit, 1000, seed = 1, newdata = field_places, conditional = FALSE))
  wanted <- drop(cbind(1, field_places$u) %*% fit$coefficients)
  expect_lt(max(abs(moment_scores(free, wanted, covariance(fit$cov, as.matrix(field_places[1:2]))))), 4.5)
})

test_that("simulations come back in the class of the new locations", {
  fit <- field_fit(z ~ 1)
  grid <- rfGrid(0.1, 0.2, c(4, 3))
  field <- simulate(fit, 3, seed = 1, newdata = grid)
  expect_s3_class(field, "rfield")
  expect_identical(dim(field), c(4L, 3L, 3L))
  expect_named(as.data.frame(field), c("x", "y", "sim_1", "sim_2", "sim_3"))
  expect_output(print(field), "3 random fields on a grid of 4 x 3 points.*method \"exact\", 50 observations")
  expect_output(print(summary(field)), "Variance of the model: 2.1")
  expect_error(predict(field, cbind(1, 1)), "without a recipe", class = "statcl_error_input")
  expect_identical(attr(rfCovariance(field), "mean"), attr(rfCovariance(field, mean = "estimated"), "mean"))
  expect_identical(dim(apply(field, 1:2, sd)), c(4L, 3L))
  expect_identical(dim(simulate(fit, newdata = grid)), c(4L, 3L))
  expect_identical(simulate(fit, 2, seed = 1, newdata = grid)[, , 2], field[, , 2])
  expect_identical(simulate(fit, 2, seed = 1, newdata = grid, nlines = 20)[, , 1],
                   simulate(fit, seed = 1, newdata = grid, nlines = 20)[])
  points <- simulate(fit, 2, seed = 1, newdata = cbind(c(a = 0.1, b = 0.2), 0.3))
  expect_s3_class(points, "rfield")
  expect_identical(rownames(points), c("a", "b"))
  expect_named(simulate(fit, 2, newdata = field_places), c("x", "y", "u", "sim_1", "sim_2"))
  for (method in c("exact", "tbrf"))
    expect_named(simulate(fit, 2, newdata = field_places[0, ], method = method), c("x", "y", "u", "sim_1", "sim_2"))
  holes <- field_places
  holes$x[2] <- NA
  expect_identical(is.na(simulate(fit, newdata = holes)$sim_1), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(is.na(simulate(fit, newdata = holes, method = "tbrf")$sim_1), c(FALSE, TRUE, FALSE, FALSE))
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(simulate(fit, 0), "nsim = 0")
  refused(simulate(fit, newdata = grid, method = "exact", nlines = 3), "method \"exact\" takes no nlines")
  refused(simulate(fit, newdata = grid, model = 3), "no argument model")
  refused(simulate(fit, newdata = grid, method = "fft"), "method = fft")
  skip_if_not_installed("sf")
  places <- sf::st_as_sf(field_places, coords = c("x", "y"), remove = FALSE)
  got <- simulate(fit, 2, seed = 1, newdata = places)
  expect_s3_class(got, "sf")
  expect_equal(got$sim_2, simulate(fit, 2, seed = 1, newdata = field_places)$sim_2)
  expect_true("sim_3" %in% names(simulate(fit, newdata = got)))
  square <- sf::st_sf(geometry = sf::st_sfc(sf::st_polygon(list(cbind(c(0, 1, 1, 0), c(0, 0, 1, 0))))))
  refused(simulate(fit, newdata = square), "averages are for predict")
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 3, ncols = 4, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  expect_identical(names(simulate(fit, 2, newdata = raster)), c("sim_1", "sim_2"))
})

test_that("many locations have fields by turning bands, with a message, unless the model has none", {
  fit <- field_fit(z ~ x)
  grid <- rfGrid(0, 0.01, c(61, 51))
  expect_message(field <- simulate(fit, seed = 1, newdata = grid, type = "latent"), "more than 3,000 locations")
  expect_silent(again <- simulate(fit, seed = 1, newdata = grid, type = "latent", nlines = 1000))
  expect_identical(field[], again[])
  expect_identical(attr(field, "recipe")$method, "tbrf")
  centred <- predict(fit, grid, se.fit = TRUE, type = "latent")
  expect_lt(sqrt(mean(((field[] - centred[, , 1]) / centred[, , 2])^2)), 1.5)
  great <- gpFit(z ~ 1, field_data_set(), coords = ~ x + y, fixed = TRUE,
                 cov = covModel("exponential", range = 50, nugget = 0.1, distance = "greatcircle"))
  expect_error(simulate(great, newdata = field_places, method = "tbrf"), "has no waves", class = "statcl_error_input")
  expect_silent(simulate(great, newdata = field_places))
  chordal <- gpFit(z ~ 1, field_data_set(), coords = ~ x + y, fixed = TRUE,
                   cov = covModel("exponential", range = 50, nugget = 0.1, distance = "chordal"))
  draws <- sims(simulate(chordal, 100, seed = 1, newdata = field_places, type = "latent", method = "spectral"))
  wanted <- predict(chordal, field_places, se.fit = TRUE, type = "latent")
  expect_lt(max(abs(rowMeans(draws) - wanted$fit) / wanted$se.fit), 4.5 / sqrt(100))
})

test_that("simulations do not depend on the threads", {
  fit <- field_fit(z ~ 1)
  grid <- rfGrid(0, 0.05, c(15, 15))
  old <- options(statcl.threads = 1)
  on.exit(options(old))
  one <- list(simulate(fit, 2, seed = 1, newdata = grid), simulate(fit, 2, seed = 1, newdata = grid, method = "tbrf"),
              simulate(field_model_of(), seed = 1, x = grid))
  options(statcl.threads = 3)
  expect_identical(list(simulate(fit, 2, seed = 1, newdata = grid),
                        simulate(fit, 2, seed = 1, newdata = grid, method = "tbrf"),
                        simulate(field_model_of(), seed = 1, x = grid)), one)
})

test_that("R's LAPACK gives the same values", {
  fit <- field_fit()
  smooth <- covModel("gaussian", range = 1)
  near <- cbind(1:4 / 10, 0)
  values <- function() list(predict(fit, field_places, se.fit = TRUE), simulate(fit, 2, seed = 1),
                            simulate(fit, 2, seed = 1, newdata = field_places),
                            simulate(fit, 2, seed = 1, newdata = field_places, method = "tbrf"))
  ill <- function() simulate(smooth, seed = 1, x = near)[]
  own <- values()
  own_ill <- ill()
  old <- options(statcl.blas = "R")
  on.exit(options(old))
  # factors are those of matrices with relative errors of n eps, which the condition magnifies
  bound <- function(S) kappa(S, exact = TRUE) * nrow(S) * .Machine$double.eps
  all <- covariance(update(fit$cov, nugget = 0), rbind(fit$x, as.matrix(field_places[1:2])))
  diag(all)[seq_len(50)] <- 2.1
  expect_equal(values(), own, tolerance = bound(all))
  expect_equal(ill(), own_ill, tolerance = bound(covariance(smooth, near)))
})

test_that("the product with a factor is that of its matrix", {
  for (n in c(1, 63, 64, 65, 200)) {
    set.seed(n)
    x <- matrix(runif(2 * n), n)
    p <- statcl:::gp_problem(field_model_of(), list(xy = x, geographic = NA, crs = NULL), NULL)
    f <- statcl:::gp_factor(p)
    b <- matrix(rnorm(3 * n), n)
    expect_equal(statcl:::gp_multiply(f[[1]], b), crossprod(chol(covariance(field_model_of(), x)), b))
  }
})

test_that("fields of a model are exact at any locations", {
  cov <- field_model_of(mean = 4)
  expect_equal(simulate(cov, 2, seed = 1, x = cbind(1:3, 0)),
               simulate(cov, 2, seed = 1, x = cbind(1:3, 0), method = "exact"))
  set.seed(9)
  at <- cbind(runif(6), runif(6))
  models <- list(cov, covModel("exponential", range = 500, nugget = 0.2, distance = "greatcircle"),
                 covModel("exponential", range = 1) + covModel("gaussian", range = 0.3, ratio = 0.5, nugget = 0.1),
                 covModel("separable", space = covModel("exponential", range = 1), variance = 3,
                          time = covModel("exponential", range = 2)),
                 covModel("bimatern", range = 1, smoothness = c(0.5, 1), correlation = 0.5, nugget = c(0.1, 0)))
  for (model in models) {
    x <- switch(model$name, bimatern = cbind(at, c(1, 2, 1, 2, 1, 2)), separable = cbind(at, 1:6), at)
    draws <- simulate(model, 4000, seed = 1, x = x)
    # 27 moments
    expect_lt(max(abs(moment_scores(draws[], model$mean, covariance(model, x)))), 4.5)
  }
  drift <- field_model_of(mean = function(x) 100 * x[, 1])
  expect_equal(as.vector(simulate(drift, seed = 1, x = at)),
               as.vector(simulate(field_model_of(), seed = 1, x = at)) + 100 * at[, 1])
  five <- matrix(runif(20), 4)
  expect_length(simulate(covModel("gaussian", range = 1), seed = 1, x = five), 4)
  expect_identical(dim(simulate(cov, 2, seed = 1, x = rfGrid(0, 1, c(3, 2)))), c(3L, 2L, 2L))
  expect_message(simulate(cov, seed = 1, x = rfGrid(0, 1, 3001)), "more than 3,000 locations")
  expect_s3_class(attr(simulate(cov, seed = 1, x = 1:4, nlines = 20), "recipe"), "rfRecipe")
  expect_error(simulate(cov, seed = 1, x = 1:4, method = "exact", nlines = 20), "takes no nlines",
               class = "statcl_error_input")
  expect_error(simulate(cov), "x is missing", class = "statcl_error_input")
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data.frame(x = 1:3, y = 0), coords = c("x", "y"))
  expect_equal(simulate(cov, seed = 1, x = points)$sim_1, as.vector(simulate(cov, seed = 1, x = cbind(1:3, 0))))
})

test_backends("fields of tbrf() agree with data", {
  data <- list(x = cbind(c(0.2, 0.5, 0.8), c(0.1, 0.9, 0.4)), y = c(2, -1, 5))
  exact <- field_model_of(nugget = 0, mean = 1)
  for (method in c("spectral", "table")) {
    field <- tbrf(data$x, exact, 50, nsim = 2, method = method, data = data)
    expect_equal(field[, 1], data$y)
    expect_equal(field[, 2], data$y)
  }
  noisy <- field_model_of(mean = 1)
  at <- as.matrix(field_places[1:2])
  error <- c(0.1, 0.2, 0)
  draws <- seeded(tbrf(at, noisy, 300, nsim = 1000, data = c(data, list(error.variance = error))))
  inverse <- solve(covariance(noisy, data$x, error.variance = error))
  cross <- covariance(noisy, data$x, at)
  expect_lt(max(abs(moment_scores(draws[], 1 + drop(t(cross) %*% inverse %*% (data$y - 1)),
                                  covariance(noisy, at) - t(cross) %*% inverse %*% cross))), 4.5)
})

# Moments of conditional fields by hand: the noise of a location is part of the process.
kriging_by_hand <- function(model, data, at) {
  error <- if (is.null(data$error.variance)) 0 else data$error.variance
  inverse <- solve(covariance(model, data$x, error.variance = error))
  cross <- covariance(model, data$x, at)
  same <- outer(seq_len(nrow(data$x)), seq_len(nrow(at)), Vectorize(function(i, j) all(data$x[i, ] == at[j, ])))
  cross <- cross + model$nugget * same
  x <- if (is.null(data$trend)) matrix(0, nrow(data$x), 0) else model.matrix(data$trend, as.data.frame(data$x))
  x0 <- if (is.null(data$trend)) matrix(0, nrow(at), 0) else model.matrix(data$trend, as.data.frame(at))
  mean <- drop(t(cross) %*% inverse %*% (data$y - model$mean)) + model$mean
  spread <- covariance(model, at) - t(cross) %*% inverse %*% cross
  if (!ncol(x)) return(list(mean = mean, covariance = spread))
  unknown <- solve(t(x) %*% inverse %*% x)
  beta <- unknown %*% t(x) %*% inverse %*% (data$y - model$mean)
  short <- x0 - t(cross) %*% inverse %*% x
  list(mean = drop(mean + short %*% beta), covariance = spread + short %*% unknown %*% t(short))
}

conditional_sets <- function() {
  at <- cbind(x = c(0.2, 0.45, 0.9, 0.5, 0.1), y = c(0.1, 0.3, 0.6, 0.9, 0.8))
  x <- cbind(x = c(0.2, 0.5, 0.8, 0.3, 0.6), y = c(0.1, 0.9, 0.4, 0.5, 0.2))
  list(at = at, data = list(x = x, y = c(2, -1, 5, 1, 0)))
}

test_that("fields are those of simple, ordinary and universal kriging", {
  s <- conditional_sets()
  model <- field_model_of(mean = 1)
  more <- list(list(), list(error.variance = c(0.1, 0, 0.3, 0.2, 0)), list(trend = ~ 1), list(trend = ~ x + y), list(
    x = rbind(s$data$x, 50), y = c(s$data$y, 0), error.variance = c(0.1, 0, 0.3, 0.2, 0, 1e9), trend = ~ x + y,
    m = 5))
  for (given in more) {
    data <- utils::modifyList(s$data, given)
    wanted <- kriging_by_hand(model, data, s$at)
    draws <- seeded(tbrf(s$at, model, 200, nsim = repetitions(500, 2000), data = data))[]
    known <- diag(wanted$covariance) < 1e-10
    expect_lt(max(0, abs(draws[known, ] - wanted$mean[known])), 1e-8)
    expect_lt(max(abs(moment_scores(draws[!known, ], wanted$mean[!known], wanted$covariance[!known, !known]))), 4.5)
  }
})

test_that("some data, the nearest ones, serve as all of them do where the others have no weight", {
  s <- conditional_sets()
  near <- c(s$data, list(error.variance = 0.2, trend = ~ 1))
  far <- near
  far$x <- rbind(far$x, far$x + 100) # ranges away
  far$y <- rep(near$y, 2)
  model <- field_model_of(mean = 1)
  near$trend <- far$trend <- NULL
  all_of_them <- seeded(tbrf(s$at, model, 50, nsim = 3, data = near))
  # the errors of the data are drawn in one order
  far$error.variance <- c(rep(0.2, 5), rep(0, 5))
  near$error.variance <- rep(0.2, 5)
  expect_equal(seeded(tbrf(s$at, model, 50, nsim = 1, data = c(near, m = 5)))[], all_of_them[, 1])
  expect_equal(seeded(tbrf(s$at, model, 50, nsim = 1, data = c(far, m = 5)))[], all_of_them[, 1])
  expect_gt(max(abs(seeded(tbrf(s$at, model, 50, nsim = 1, data = c(near, m = 2)))[] - all_of_them[, 1])), 1e-3)
})

test_that("values given twice are one with the smaller error", {
  s <- conditional_sets()
  twice <- list(x = s$data$x[c(1:5, 1), ], y = c(s$data$y, 4), error.variance = c(0.1, 0, 0, 0, 0, 0.3))
  once <- within(s$data, {
    error.variance <- c(0.075, 0, 0, 0, 0)
    y[1] <- (2 / 0.1 + 4 / 0.3) * 0.075
  })
  model <- field_model_of()
  expect_equal(seeded(tbrf(s$at, model, 50, data = twice))[], seeded(tbrf(s$at, model, 50, data = once))[])
  twice$error.variance[1] <- 0 # and of one without error the other says nothing
  expect_equal(seeded(tbrf(s$at, model, 50, data = twice))[], seeded(tbrf(s$at, model, 50, data = s$data))[])
})

test_that("maps of fields have their moments, shares and quantiles in any class", {
  s <- conditional_sets()
  fields <- seeded(tbrf(rfGrid(0, 0.25, c(4, 3)), field_model_of(), 50, nsim = 20, data = s$data))
  maps <- rfSummary(fields, exceeds = c(0.5, -1), probs = 0.1)
  expect_equal(maps[, , "mean"], apply(fields, 1:2, mean))
  expect_equal(maps[, , "sd"], apply(fields, 1:2, sd))
  expect_equal(maps[, , "P(> 0.5)"], apply(fields > 0.5, 1:2, mean))
  expect_equal(maps[, , "q0.1"], apply(fields[], 1:2, quantile, 0.1, names = FALSE))
  expect_output(print(maps), "Summaries: mean, sd, P\\(> 0.5\\), P\\(> -1\\), q0.1 on a grid")
  file <- seeded(tbrf(rfGrid(0, 0.25, c(4, 3)), field_model_of(), 50, nsim = 20, data = s$data, fragment = c(3, 2),
                      file = tempfile(fileext = ".nc")))
  expect_identical(rfSummary(file, exceeds = c(0.5, -1), probs = 0.1)[], maps[])
  expect_error(predict(maps, cbind(0, 0)), "their own locations", class = "statcl_error_input")
  expect_error(rfSummary(fields[1:2, 1, 1]), "must be fields", class = "statcl_error_input")
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(as.data.frame(s$at), coords = c("x", "y"))
  drawn <- seeded(tbrf(points, field_model_of(), 50, nsim = 6, data = s$data))
  expect_equal(rfSummary(drawn)$sd, apply(as.matrix(sf::st_drop_geometry(drawn)), 1, sd), ignore_attr = TRUE)
  expect_s3_class(rfSummary(drawn), "sf")
})

test_that("conditional recipes have their fields at other points", {
  data <- list(x = cbind(c(0.2, 0.5, 0.8), c(0.1, 0.9, 0.4)), y = c(2, -1, 5))
  grid <- rfGrid(0, 0.1, c(11, 11))
  field <- seeded(tbrf(grid, field_model_of(), 50, nsim = 2, data = data))
  expect_equal(predict(field, grid)[], field[])
  expect_equal(predict(field, as.matrix(grid)[48, , drop = FALSE])[1, ], field[4, 5, ])
  expect_equal(seeded(tbrf(grid, field_model_of(), 50, data = data))[], field[, , 1])
  recipe <- seeded(tbrf(grid, field_model_of(), 50, nsim = 2, data = data, object = TRUE))
  expect_equal(predict(recipe, grid)[], field[])
  expect_output(print(field), "given 3 values")
  expect_null(summary(field)$error)
  sloping <- field_model_of(nugget = 0, mean = function(x) 10 * x[, 1])
  expect_equal(as.vector(tbrf(data$x, sloping, 50, data = data)), data$y)
  sphere <- covModel("exponential", range = 1000, distance = "chordal")
  expect_equal(as.vector(tbrf(data$x, sphere, 50, data = data)), data$y)
  refused <- function(code, pattern) expect_error(code, pattern, class = "statcl_error_input")
  refused(tbrf(grid, sloping, data = data$x), "data must be list\\(x = points, y = values\\)")
  refused(tbrf(grid, sloping, data = list(x = data$x)), "data has no y")
  refused(tbrf(grid, sloping, data = c(data, z = 1)), "data = z")
  refused(tbrf(grid, sloping, data = list(x = data$x, y = 1)), "data\\$y has length 1: data\\$x has 3 points")
  refused(tbrf(grid, sloping, data = list(x = cbind(1:3), y = 1:3)), "data\\$x have dimension 1, those of x 2")
  refused(tbrf(grid, field_model_of(nugget = 0), data = list(x = data$x[c(1, 1), ], y = 1:2)), "given twice")
  refused(tbrf(grid, sloping, data = c(data, trend = ~ x + time)), "data\\$trend = time")
  refused(tbrf(grid, sloping, data = c(data, trend = ~ poly(x, 2) + y)), "4 coefficients, which the 3 locations")
  refused(tbrf(grid, sloping, data = c(data, m = 0)), "data\\$m")
  refused(tbrf(grid, sloping, data = data, method = "fft"), "method = \"fft\"")
})

test_that("simulated responses are padded as fitted values are", {
  data <- field_data_set()
  data$z[3] <- NA
  for (action in list(na.omit, na.exclude)) {
    fit <- gpFit(z ~ 1, data, ~ x + y, field_model_of(), fixed = TRUE, na.action = action)
    got <- simulate(fit, 2, seed = 1)
    expect_identical(rownames(got), names(fitted(fit)))
    expect_identical(is.na(got$sim_2), unname(is.na(fitted(fit))))
  }
  expect_named(as.data.frame(simulate(fit, 2, newdata = rfGrid(0, 0.5, c(2, 2)))), c("x", "y", "sim_1", "sim_2"))
})

test_that("draws of coefficients do not hang on the last digits of their covariance matrix", {
  set.seed(1)
  vcov <- crossprod(matrix(rnorm(16), 4)) * tcrossprod(10^(0:3))
  normal <- matrix(rnorm(40), 4)
  draws <- function(by) statcl:::drawn_coefficients(list(coefficients = 1:4, vcov = vcov * tcrossprod(by)), normal)
  usual <- draws(rep(1, 4))
  for (k in 1:20) expect_equal(draws(1 + 1e-14 * rnorm(4)), usual, tolerance = 1e-10)
})
