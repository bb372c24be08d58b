# Vector fields, derivatives and fields in time: values of single fields, arguments, methods.

eddies <- covModel("gaussian", range = 2, variance = 1.7)
vector_points <- function(d, n = 50) seeded(matrix(runif(n * d, -5, 5), n), 7)

# The formulas of the help, from the waves and the normal numbers of lines.
formula_flow <- function(recipe, x, time = 0, sim = 1) {
  waves <- recipe_lines(recipe, sim)
  d <- ncol(x)
  n <- length(waves$phase)
  free <- statcl:::amplitude_normals(recipe, sim, n, 2 * d, time) * (waves$amplitude / sqrt(2))
  split <- function(a) {
    along <- waves$k * rowSums(waves$k * a) / rowSums(waves$k^2)
    share <- recipe$vector$share
    sqrt(d * share) * along + sqrt(d * (1 - share) / (d - 1)) * (a - along)
  }
  turn <- 2 * pi * (x %*% t(waves$k) + rep(waves$phase, each = nrow(x)))
  cos(turn) %*% split(free[, seq_len(d)]) + sin(turn) %*% split(free[, d + seq_len(d)])
}

test_backends("values are those of the formula, at points and on meshes", {
  for (d in 2:3) for (kind in c("solenoidal", "compressive", "mixed")) {
    x <- vector_points(d)
    model <- rfVector(eddies, kind, if (kind == "mixed") 0.3)
    recipe <- seeded(tbrf(x, model, 40, 2, time = 0.37, correlation.time = 0.8, object = TRUE))
    value <- predict(recipe, x)
    expect_identical(dim(value), c(50L, d, 2L))
    for (sim in 1:2) expect_lt(max(abs(value[, , sim] - formula_flow(recipe, x, 0.37, sim))), 1e-12)
    grid <- field_grid(d)
    expect_lt(max(abs(as.vector(predict(recipe, grid)) - as.vector(predict(recipe, as.matrix(grid))))), 1e-12)
    expect_identical(dim(predict(recipe, grid, time = 1:3)), c(grid$dims, d, 3L, 2L))
    expect_identical(as.vector(predict(recipe, x, time = 1:3)[, , 2, ]), as.vector(predict(recipe, x, time = 2)))
  }
})

test_backends("solenoidal fields have no divergence and compressive ones no curl, at 1e4 points", {
  for (d in 2:3) {
    x <- vector_points(d, 1e4)
    rms <- function(v) sqrt(mean(as.vector(v)^2))
    sums <- function(g, curl) { # of the entries of the gradient, each computed on its own
      g <- array(as.vector(g), c(1e4, d, d))
      if (!curl) return(rowSums(vapply(seq_len(d), function(j) g[, j, j], numeric(1e4))))
      vapply(list(c(2, 1), c(1, 3), c(3, 2))[seq_len(choose(d, 2))], function(p) g[, p[1], p[2]] - g[, p[2], p[1]],
             numeric(1e4))
    }
    for (kind in c("solenoidal", "compressive")) {
      field <- seeded(tbrf(x, rfVector(covModel("matern", range = 1, smoothness = 2.5), kind), 200))
      g <- rfGradient(field)
      zero <- if (kind == "solenoidal") rfDivergence(field) else rfCurl(field)
      other <- if (kind == "solenoidal") rfCurl(field) else rfDivergence(field)
      expect_lt(max(abs(zero)), 1e-10 * rms(g))
      expect_lt(max(abs(sums(g, kind == "compressive"))), 1e-10 * rms(g))
      expect_gt(rms(other), rms(g))
    }
    # what a wrong projector leaves
    spoiled <- attr(field, "recipe")
    spoiled$vector[c("kind", "share")] <- list("mixed", 1 - 1e-9)
    expect_gt(max(abs(predict(rfCurl(spoiled), x))), 1e-10 * rms(g))
  }
})

test_that("derivatives are limits of differences", {
  step <- 1e-4
  for (d in 1:3) {
    x <- vector_points(d)
    models <- list(eddies, if (d > 1) rfVector(eddies, "mixed", 0.3),
                   covModel("separable", space = update(eddies, range = 3), time = covModel("gaussian", range = 1)))
    for (model in Filter(Negate(is.null), models)) {
      timed <- !is.null(model$space)
      recipe <- seeded(tbrf(x, model, 50, time = if (timed) 0.4, object = TRUE))
      m <- if (inherits(model, "rfVector")) d else 1
      g <- array(as.vector(predict(rfGradient(recipe), x)), c(50, m, d))
      for (j in seq_len(d)) {
        by <- matrix(step * (seq_len(d) == j), 50, d, byrow = TRUE)
        slope <- (as.vector(predict(recipe, x + by)) - as.vector(predict(recipe, x - by))) / (2 * step)
        expect_lt(max(abs(as.vector(g[, , j]) - slope)), 1e-6) # step^2/6 of the third derivative, and rounding/step
      }
      if (m == 1) next
      divergence <- rowSums(vapply(seq_len(d), function(j) g[, j, j], x[, 1]))
      expect_equal(as.vector(predict(rfDivergence(recipe), x)), divergence)
      curl <- matrix(as.vector(predict(rfCurl(recipe), x)), 50)
      if (d == 2) expect_equal(curl[, 1], g[, 2, 1] - g[, 1, 2])
      else expect_equal(curl, cbind(g[, 3, 2] - g[, 2, 3], g[, 1, 3] - g[, 3, 1], g[, 2, 1] - g[, 1, 2]))
    }
  }
  field <- seeded(tbrf(field_grid(2), eddies, 50))
  expect_identical(dim(rfGradient(field)), c(7L, 5L, 2L))
  expect_identical(dimnames(rfGradient(field))[[3]], c("d_dx", "d_dy"))
  expect_identical(rfGradient(field), predict(rfGradient(attr(field, "recipe")), field_grid(2)))
})

test_that("derivatives of fields that have none are computed with a warning", {
  slope <- function(...) rfGradient(tbrf(vector_points(2), covModel(..., range = 2), 20))
  expect_warning(slope("exponential"), "\"exponential\" are not differentiable")
  expect_warning(slope("matern", smoothness = 1), "not differentiable")
  expect_silent(slope("matern", smoothness = 1.01))
  expect_warning(slope("powexp", shape = 1.9), "not differentiable")
  expect_silent(slope("powexp", shape = 2))
  expect_silent(slope("cubic"))
})

# ---- time ----

test_that("processes of amplitudes have their correlation at any times, and are functions of these alone", {
  key <- c(5, 9)
  n <- 2e4
  start <- c(0, 1.37, 63.99, -20.3) # next to and across the first nodes, 64 correlation times apart
  for (s in start) for (u in c(1e-6, 0.05, 0.5, 1, 3)) {
    a <- statcl:::bridge_normals(key, n, 1L, s / 64)
    b <- statcl:::bridge_normals(key, n, 1L, (s + u) / 64)
    z <- c(sqrt(n / 2) * (c(mean(a^2), mean(b^2)) - 1), sqrt(n) * c(mean(a), mean(b)))
    expect_true(all(abs(z) < 7))
    # variance of the difference, relative: exact to the last of the halvings
    of_time <- function(T) abs(mean((a - b)^2) / (-2 * expm1(-u / T)) - 1) / sqrt(2 / n)
    expect_lt(of_time(1), 7)
    if (u < 1) expect_gt(of_time(1.25), 7)
  }
  one <- statcl:::bridge_normals(key, 10L, 6L, 0.3)
  expect_identical(statcl:::bridge_normals(key, 4L, 6L, 0.3), one[1:4, ])
  expect_identical(statcl:::bridge_normals(key, 5000L, 6L, 0.3)[1:10, ], one) # nodes one by one: they are many
  expect_false(any(statcl:::bridge_normals(key + 1, 10L, 6L, 0.3) == one))
  nodes <- statcl:::bridge_nodes(0.625)
  expect_identical(nodes, c(0, 1, 0.5, 0.75, 0.625))
  x <- vector_points(2)
  steps <- seeded(tbrf(x, eddies, 30, time = c(0, 0.1, 7, 1e6), correlation.time = 0.5))
  for (k in 1:4)
    expect_identical(as.vector(predict(steps, x, time = c(0, 0.1, 7, 1e6)[k])), as.vector(steps[, k]))
  expect_lt(max(abs(predict(steps, x, time = 1e-12) - steps[, 1])), 1e-4)
})

test_that("a field in time changes with it, at moving points as well", {
  recipe <- seeded(tbrf(cbind(0, 0), rfVector(eddies), 30, time = 1:2, correlation.time = 1, object = TRUE))
  a <- predict(recipe, cbind(1, 2), time = 0.5)
  expect_identical(as.vector(predict(recipe, rbind(c(9, 9), c(1, 2)), time = c(3, 0.5))[2, , 2]), as.vector(a))
  expect_identical(dim(predict(recipe, cbind(1:3, 1))), c(3L, 2L, 2L))
  expect_identical(attr(a, "recipe")$times, 0.5)
  # a sum with a part that does not change
  both <- covModel("gaussian", range = 3, variance = 2) +
    covModel("separable", space = eddies, time = covModel("gaussian", range = 1))
  field <- seeded(tbrf(cbind(0:3, 1), both, 90, time = c(0, 1e3)))
  waves <- recipe_lines(attr(field, "recipe"), 1)
  still <- statcl:::line_frequencies(attr(field, "recipe"), 1) == 0
  expect_identical(sum(still), attr(field, "recipe")$share[1])
  turn <- 2 * pi * (cbind(0:3, 1) %*% t(waves$k) + rep(waves$phase, each = 4))
  expect_equal(as.vector(field[, 1]), drop(cos(turn) %*% waves$amplitude), tolerance = 1e-12)
})

test_that("nugget is noise of place, component and time; means are added", {
  x <- cbind(rep(1:2, 200), 3)
  model <- rfVector(update(eddies, variance = 0, nugget = 1), mean = c(10, 20))
  field <- seeded(tbrf(x, model, 5, time = 0:1, correlation.time = 1))
  noise <- sweep(field[1:2, , ], 2, c(10, 20))
  expect_identical(anyDuplicated(as.vector(noise)), 0L)
  expect_identical(field[1:2, , ], field[3:4, , ])
  far <- matrix(rnorm(6e3), ncol = 2)
  values <- seeded(tbrf(far, rfVector(update(eddies, variance = 0, nugget = 4))))
  expect_lt(abs(mean(values^2) / 4 - 1), 7 * sqrt(2 / 6e3))
  drift <- rfVector(eddies, mean = function(p) cbind(p[, "x"], -p[, "y"]))
  expect_equal(seeded(tbrf(far, drift, 9))[] - seeded(tbrf(far, rfVector(eddies), 9))[], cbind(far[, 1], -far[, 2]),
               ignore_attr = TRUE)
  wrong <- rfVector(eddies, mean = function(p) p[, 1])
  expect_error(tbrf(far, wrong), "matrix of 3000 x 2", class = "statcl_error_input")
})

# ---- shapes, methods, errors ----

test_that("values have components, times and fields as further dimensions", {
  grid <- field_grid(2)
  x <- cbind(a = 1:3, b = 2)
  rownames(x) <- letters[1:3]
  sized <- function(...) dim(tbrf(...))
  flow <- rfVector(eddies)
  expect_identical(sized(grid, flow, 9), c(7L, 5L, 2L))
  expect_identical(sized(grid, flow, 9, nsim = 3), c(7L, 5L, 2L, 3L))
  expect_identical(sized(grid, eddies, 9, time = 1:4, correlation.time = 1), c(7L, 5L, 4L))
  expect_identical(sized(x, eddies, 9, 3, time = 1:4, correlation.time = 1), c(3L, 4L, 3L))
  expect_null(sized(x, eddies, 9, time = 1, correlation.time = 1))
  expect_identical(names(tbrf(x, eddies, 9, time = 1, correlation.time = 1)), letters[1:3])
  expect_identical(dimnames(tbrf(x, flow, 9)), list(letters[1:3], c("vx", "vy")))
  expect_identical(sized(x[0, ], flow, 9, nsim = 3), c(0L, 2L, 3L))
  expect_identical(sized(x, flow, 9, time = numeric(), correlation.time = 1), c(3L, 2L, 0L))
  fields <- seeded(tbrf(x, flow, 9, nsim = 3))
  expect_identical(as.vector(fields[, , 1]), as.vector(seeded(tbrf(x, flow, 9))))
  long <- as.data.frame(seeded(tbrf(x, flow, 9, 2, time = c(0, 5), correlation.time = 1)))
  expect_identical(names(long), c("a", "b", "time", "vx_sim_1", "vy_sim_1", "vx_sim_2", "vy_sim_2"))
  expect_identical(long$time, rep(c(0, 5), each = 3))
  expect_identical(long$vy_sim_2[4:6], as.vector(predict(seeded(tbrf(x, flow, 9, 2, time = 5, correlation.time = 1)),
                                                         x)[, "vy", 2]))
  expect_identical(names(as.data.frame(fields)), c("a", "b", paste0(c("vx", "vy"), "_sim_", rep(1:3, each = 2))))
  skip_if_not_installed("sf")
  points <- sf::st_sfc(sf::st_point(c(1, 2)), sf::st_point(c(3, 4)))
  expect_identical(setdiff(names(tbrf(points, flow, 9)), "geometry"), c("vx", "vy"))
})

test_that("fields of vectors and times print, plot and summarise", {
  mixed <- rfVector(eddies, "mixed", 0.25, mean = 1)
  flow <- seeded(tbrf(field_grid(3), mixed, 9, 2, time = 1:2, correlation.time = 3))
  said <- capture.output(print(flow), print(attr(flow, "recipe")), print(rfVector(eddies, "mixed")),
                         print(summary(flow)), print(rfCurl(flow)))
  for (text in c("2 random vector fields on a grid", "mixed, compressive share 0.25, mean 1", "correlation time 3",
                 "2 times from 1 to 2", "vx_t1_sim_1", "curl"))
    expect_true(any(grepl(text, said, fixed = TRUE)), label = text)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(flow))
  expect_silent(plot(flow, sim = 2, slice = c(y = 3), time = 2, main = "flow"))
  expect_silent(plot(flow, component = "vz"))
  expect_silent(plot(rfGradient(predict(flow, field_grid(2) |> (\(g) rfGrid(0, 1, c(g$dims, 2)))()))))
  expect_silent(plot(tbrf(1:9, eddies, 9, time = 1:3, correlation.time = 1)))
  expect_silent(plot(tbrf(vector_points(2), rfVector(eddies), 9)))
  expect_error(plot(flow, component = "vw"), "component = vw", class = "statcl_error_input")
  expect_error(plot(flow, time = 7), "time = 7", class = "statcl_error_input")
})

test_that("estimates take components and times for fields", {
  grid <- rfGrid(0, 0.5, c(30, 25))
  flow <- seeded(tbrf(grid, rfVector(eddies, mean = 100), 100))
  found <- rfCovariance(flow)
  expect_equal(found$covariance, rfCovariance(flow[], grid = grid)$covariance)
  of_model <- function(model) rfCovariance(flow[], model, grid, mean = 100)$model
  expect_equal(found$model, of_model(eddies))
  timed <- covModel("separable", space = eddies, time = covModel("exponential", range = 1), variance = 3)
  model <- rfCovariance(seeded(tbrf(grid, timed + eddies, 100, time = 1:2)))
  expect_equal(model$model, of_model(update(eddies, variance = 4.7)))
  expect_equal(rfCovariance(seeded(tbrf(grid, timed, 100, time = 1:2)))$model, of_model(update(eddies, variance = 3)))
  expect_error(rfSpectrum(rfCurl(seeded(tbrf(grid, rfVector(eddies), 100)))), "curl", class = "statcl_error_input")
})

test_that("what has no vectors, times or derivatives says so", {
  x <- cbind(1:3, 1)
  flow <- rfVector(eddies)
  refused <- function(expr, text) expect_error(expr, text, class = "statcl_error_input")
  refused(rfVector(2), "model")
  refused(rfVector(eddies, share = 0.5), "share = 0.5")
  refused(rfVector(eddies, "mixed", 1.5), "share = 1.5")
  refused(rfVector(eddies, "curly"), "kind = curly")
  refused(rfVector(update(eddies, mean = 2)), "rfVector")
  refused(tbrf(1:3, flow), "dimension 1")
  refused(tbrf(x, rfVector(eddies, mean = 1:3)), "mean = 1, 2, 3")
  refused(tbrf(x, flow, method = "table"), "method = table")
  refused(tbrf(x, flow, 0.01), "nlines = 0.01")
  refused(tbrf(x, flow, data = list(x = x, y = 1:3)), "data")
  refused(tbrf(rfGrid(0, 1, c(3, 3)), eddies, time = numeric(), correlation.time = 1, file = tempfile()), "time")
  refused(tbrf(x, eddies, data = list(x = x, y = 1:3, time = 1)), "data\\$time = 1")
  refused(tbrf(x, eddies, time = 1, correlation.time = 1, data = list(x = x, y = 1:3)), "data has no time")
  refused(tbrf(x, eddies, time = 1, correlation.time = 1, data = list(x = x, y = 1:3, time = 1:2)), "length 2")
  refused(tbrf(x, eddies, time = 1), "correlation.time")
  refused(tbrf(x, flow, correlation.time = 1), "time is missing")
  refused(tbrf(x, eddies, time = NA_real_, correlation.time = 1), "time = NA")
  refused(tbrf(x, eddies, time = 1, correlation.time = 0), "correlation.time = 0")
  refused(tbrf(x, eddies, time = 1e300, correlation.time = 1), "too far")
  timed <- covModel("separable", space = eddies, time = covModel("exponential", range = 1))
  refused(tbrf(x, timed, time = 1, correlation.time = 1), "correlation.time = 1")
  refused(tbrf(x, timed), "time is missing")
  refused(tbrf(x, timed, time = 1e300), "too far")
  plane <- covModel("gneiting", space = eddies, time = list(range = 1))
  refused(tbrf(matrix(0, 2, 3), plane, time = 1), "time\\$dim = 2")
  earth <- rfVector(covModel("exponential", range = 1000, distance = "chordal"))
  refused(tbrf(x, earth), "chordal")
  scalar <- seeded(tbrf(x, eddies, 9))
  vector <- seeded(tbrf(x, flow, 9))
  refused(predict(scalar, x, time = 1), "time")
  refused(rfCurl(scalar), "one value")
  refused(rfGradient(rfGradient(scalar)), "derivatives")
  refused(rfGradient(tbrf(x, update(eddies, nugget = 1))), "nugget")
  refused(rfGradient(tbrf(x, eddies, 9, method = "table")), "table")
  refused(rfGradient(tbrf(x, update(eddies, mean = function(p) p[, 1]))), "mean")
  refused(rfGradient(rfTransform(scalar, exp)), "transform")
  refused(rfTransform(vector, exp), "vectors")
  refused(rfSummary(vector), "scalar")
  refused(tbrfError(vector), "scalar")
  refused(tbrfError(timed), "space and time")
  refused(covariance(attr(vector, "recipe"), 1), "scalar")
  broken <- attr(vector, "recipe")
  broken$vector$share <- 2
  broken$vector$kind <- "mixed"
  refused(predict(broken, x), "share = 2")
})

# The difference from the field without data, by matrices of covariances.
test_that("fields in time are conditioned on data of their own times", {
  still <- covModel("matern", range = 2, smoothness = 1.5, variance = 2)
  timed <- covModel("gneiting", space = still, time = list(range = 1, shape = 0.8), variance = 2, nugget = 0.3)
  product <- function(model) covModel("separable", space = model, time = covModel("exponential", range = 0.7),
                                      variance = model$variance, nugget = model$nugget)
  both <- still + covModel("exponential", range = 1, nugget = 0.3)
  x <- vector_points(2, 6)
  data <- list(x = x, y = seeded(rnorm(6), 3), time = c(0, 0.5, 0.5, 2, 0, 1),
               error.variance = c(0, 0, 0.1, 0, 0.2, 0))
  new <- rbind(x, vector_points(2, 4) + 0.1)
  times <- c(0.5, 1.3)
  for (case in list(list(timed, NULL, timed),
                    list(both, 0.7, product(both$parts[[1]]) + product(both$parts[[2]])))) {
    recipe <- seeded(tbrf(new, case[[1]], 60, 2, time = times, correlation.time = case[[2]], data = data,
                          object = TRUE))
    values <- predict(recipe, new)[]
    plain <- replace(recipe, "data", list(NULL))
    noise <- statcl:::normal_blocks # of the errors of data, drawn after the key
    errors <- seeded({
      runif(2)
      noise(c(6, 0), 2)[[1]]
    }) * sqrt(data$error.variance)
    at_data <- vapply(1:6, function(i) drop(predict(plain, x[i, , drop = FALSE], time = data$time[i])[]), numeric(2))
    K <- covariance(case[[3]], cbind(x, data$time)) + diag(data$error.variance)
    weights <- solve(K, data$y - t(at_data) - errors)
    for (k in 1:2) {
      cross <- covariance(case[[3]], cbind(new, times[k]), cbind(x, data$time))
      same <- outer(seq_len(10), 1:6, `==`) & rep(data$time == times[k], each = 10) # the nugget of a location
      expect_equal(values[, k, ], predict(plain, new, time = times[k])[] + (cross + 0.3 * same) %*% weights,
                   tolerance = 1e-9, ignore_attr = TRUE)
    }
    # the data themselves, and an unknown trend in time
    sure <- which(data$error.variance == 0)
    met <- vapply(sure, function(i) drop(predict(recipe, x[i, , drop = FALSE], time = data$time[i])[]), numeric(2))
    expect_lt(max(abs(met - rep(data$y[sure], each = 2))), 1e-8 * sqrt(2.3))
    drifting <- seeded(tbrf(new, case[[1]], 60, time = 0, correlation.time = case[[2]], object = TRUE,
                            data = c(data, trend = ~ time)))
    shifted <- seeded(tbrf(new, case[[1]], 60, time = 0, correlation.time = case[[2]], object = TRUE,
                           data = replace(c(data, trend = ~ time), "y", list(data$y + 5 - 2 * data$time))))
    expect_equal(predict(shifted, new, time = 3)[], predict(drifting, new, time = 3)[] + 5 - 6, tolerance = 1e-9)
    near <- seeded(tbrf(new, case[[1]], 60, time = 2, correlation.time = case[[2]], data = c(data, m = 3)))
    expect_lt(abs(near[4] - data$y[4]), 1e-8 * sqrt(2.3))
  }
})

test_that("recipes of flows can be saved, and workers have the same values", {
  x <- vector_points(2)
  field <- seeded(tbrf(x, rfVector(eddies, "mixed"), 40, 4, time = c(0, 0.3), correlation.time = 1))
  recipe <- unserialize(serialize(attr(field, "recipe"), NULL))
  expect_lt(length(serialize(recipe, NULL)), 5000)
  expect_identical(predict(recipe, x), field)
  expect_identical(local({
    old <- options(statcl.threads = 1)
    on.exit(options(old))
    predict(recipe, x)
  }), field)
  skip_on_cran()
  skip_if_quick()
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  expect_identical(withCluster(cluster, predict(recipe, x)), field)
})

test_that("recipes of scalar fields of space have nothing of vectors and times", {
  plain <- seeded(tbrf(cbind(1:3, 1), eddies, 9, object = TRUE))
  expect_false(any(c("vector", "motion", "times", "derived") %in% names(plain)))
})
