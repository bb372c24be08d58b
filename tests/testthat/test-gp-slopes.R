# Derivatives of covariance matrices times vectors, without the matrices, against the products of covariance()'s.

problem <- function(model, x) statcl:::gp_problem(model, statcl:::likelihood_points(x, model), NULL)

gp_slopes <- function(p, vectors) {
  names <- statcl:::parameter_names(p$parts)$name
  parts <- statcl:::engine_parts(p$parts, if (p$metric$kind == "euclidean")
    lapply(p$parts, statcl:::anisotropy, p$metric$dim, TRUE))
  result <- lapply(names, function(name) { # one pass each: a pass has one parameter of a family
    want <- statcl:::want_of(p$parts, name, p$metric$dim)
    .Call(statcl:::C_gpSlopes, statcl:::engine_among(p$xy, NULL, p$metric, parts), list(want), vectors)
  })
  stats::setNames(result, names)
}

expect_slopes <- function(model, x, vectors, tolerance = 1e-13) {
  p <- problem(model, x)
  got <- gp_slopes(p, vectors)
  nugget <- startsWith(names(got), "nugget")
  for (name in names(got)[!nugget]) {
    D <- covariance(model, x, deriv = name)
    expect_identical(dim(got[[name]]), c(dim(vectors), 1L))
    error <- abs(got[[name]][, , 1] - D %*% vectors)
    expect_true(all(error <= tolerance * (abs(D) %*% abs(vectors)) + 1e-300), label = paste(name, nrow(vectors)))
  }
  expect_true(all(unlist(got[nugget]) == 0))
  invisible(got)
}

test_backends("slopes times vectors are those of the matrices", {
  set.seed(21)
  models <- list(covModel("matern", range = 0.2, smoothness = 0.8, nugget = 0.1, angle = 30, ratio = 0.4),
                 covModel("exponential", range = 0.3),
                 covModel("cauchy", range = 0.2, shape = 1.3) + covModel("wendland", range = 0.5, smoothness = 1,
                                                                         shape = 4, variance = 2, nugget = 0.3),
                 covModel("powexp", range = 0.4, shape = 1.2) + covModel("spherical", range = 0.8))
  for (n in c(1, 63, 64, 65, 200)) for (model in models) for (route in c("direct", "table")) {
    x <- matrix(runif(2 * n), n)
    options(statcl.covariance.route = route)
    expect_slopes(model, x, matrix(rnorm(3 * n), n))
    options(statcl.covariance.route = NULL)
  }
  places <- cbind(runif(150, -180, 180), runif(150, -80, 80))
  sphere <- covModel("exponential", range = 800, variance = 2, nugget = 0.1, distance = "greatcircle")
  expect_slopes(sphere, places, cbind(rnorm(150)))
  time <- covModel("gneiting", space = covModel("matern", range = 0.3, smoothness = 0.5), time = list(range = 1))
  expect_slopes(time, cbind(matrix(runif(300), 150), 1:150 / 20), cbind(rnorm(150)))
})

test_that("slopes do not depend on the threads, and several come in one pass", {
  set.seed(22)
  x <- matrix(runif(1400), 700)
  vectors <- matrix(rnorm(1400), 700)
  p <- problem(covModel("matern", range = 0.1, smoothness = 1.3, nugget = 0.01), x)
  wants <- lapply(c("variance", "range", "smoothness", "nugget"), function(name)
    statcl:::want_of(p$parts, name, p$metric$dim))
  slopes <- function(threads, route) {
    old <- options(statcl.threads = threads, statcl.covariance.route = route)
    on.exit(options(old))
    .Call(statcl:::C_gpSlopes, statcl:::engine_among(p$xy, NULL, p$metric, p$engine), wants, vectors)
  }
  for (route in c("direct", "table")) {
    one <- slopes(1, route)
    for (threads in 2:3) expect_identical(slopes(threads, route), one)
  }
  expect_identical(dim(one), c(700L, 2L, 4L))
  each <- gp_slopes(p, vectors)
  for (k in 1:4) expect_equal(one[, , k], each[[k]][, , 1], tolerance = 1e-13)
})

test_that("distances that a table does not reach do not count twice", {
  set.seed(23)
  x <- matrix(runif(1000), 500)
  x[c(70, 200, 499), ] <- x[c(69, 10, 3), ] + 1e-14 # far nearer than any others
  old <- options(statcl.covariance.route = "table")
  on.exit(options(old))
  expect_slopes(covModel("matern", range = 0.2, smoothness = 0.3), x, cbind(rnorm(500)))
})
